/* instrument.c - hot calling contexts of a program that is only compiled with
   -finstrument-functions:

       cc -finstrument-functions -c program.c
       for file in instrument frames threads names dump; do cc -O2 -I. -c record/$file.c; done
       cc -o program program.o instrument.o frames.o threads.o names.o dump.o -pthread
       ./program && build/bursty report hcct.brst

   Every call is recorded. $BURSTY_CONTEXTS names another file (dump.c); sizes are in recorder.h. */
#include "recorder.h"
#include <stdlib.h>

RECORDER_HOOK void *recorder_memory(size_t bytes) { return calloc(1, bytes); }
RECORDER_HOOK void recorder_at_exit(void) { recorder_dump(); }
RECORDER_HOOK int recorder_wants_child(recorder_thread *all) {
    (void)all;
    return 1;
}

#if defined(__clang__) /* the compiler has chosen these two names */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif
#ifdef __cplusplus
extern "C" {
#endif
RECORDER_HOOK void __cyg_profile_func_enter(void *function, void *site);
RECORDER_HOOK void __cyg_profile_func_exit(void *function, void *site);

RECORDER_HOOK void __cyg_profile_func_enter(void *function, void *site) {
    const void *frame = __builtin_frame_address(0), *from = __builtin_return_address(0);
    recorder_thread *r = recorder_begin();
    if (!r) return;
    recorder_enter(r, recorder_key(function), 1, (uintptr_t)frame, site, from);
    recorder_end(r);
}

RECORDER_HOOK void __cyg_profile_func_exit(void *function, void *site) {
    const void *frame = __builtin_frame_address(0);
    recorder_thread *r = recorder_begin();
    (void)site;
    if (!r) return;
    recorder_leave(r, recorder_key(function), (uintptr_t)frame);
    recorder_end(r);
}
#ifdef __cplusplus
}
#endif
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
