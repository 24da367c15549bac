/* instrument.c - hot calling contexts of a program that is only compiled with
   -finstrument-functions:

       cc -finstrument-functions -c program.c
       for file in instrument frames threads names dump; do cc -O2 -I. -c record/$file.c; done
       cc -o program program.o instrument.o frames.o threads.o names.o dump.o -pthread
       ./program && build/bursty report hcct.brst

   Every call is recorded. With BURSTY_CONTEXTS_EVERY=10000 in the environment only bursts of 100
   calls are, one in about 10000 calls; BURSTY_CONTEXTS_BURST is another length for them. Counts are
   then scaled up to all calls, and the report says so. $BURSTY_CONTEXTS names another file
   (dump.c); sizes are in recorder.h. Libraries that dlopen loads are recorded if the program is
   linked with -rdynamic.

   The program calls the dlclose below. It looks names up while the library is still there.

   Between bursts a hook only counts down and keeps the stack of open calls, in recorder_here: 18
   instructions for a call and 9 for its return on x86-64. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

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
    recorder_now *now = &recorder_here;
    const void *from = __builtin_return_address(0);
    uintptr_t frame = RECORDER_FRAME();
    if (RECORDER_LIKELY(now->left > 0 && now->top != now->end)) {
        recorder_frame *f = now->top + 1;
        now->left--;
        now->top = f;
        __asm__ volatile("" ::: "memory"); /* a signal handler's calls go above this one */
        f->function = function;
        f->address = frame;
        f->site = site;
        f->from = from;
        return;
    }
    recorder_call(function, frame, site, from);
}

RECORDER_HOOK void __cyg_profile_func_exit(void *function, void *site) {
    recorder_now *now = &recorder_here;
    (void)site;
    if (RECORDER_LIKELY(now->left > 0 && now->top->function == function)) now->top--;
    else recorder_return(function, RECORDER_FRAME());
}

/* dlsym is weak: an old C library has it apart, and a program that is not linked with that has no
   dlclose to call either. */
#pragma weak dlsym
RECORDER_HOOK __attribute__((visibility("default"))) int dlclose(void *handle) {
    int (*real)(void *) = NULL;
    void *found = dlsym ? dlsym(RTLD_NEXT, "dlclose") : NULL;
    int result;
    if (!found) return -1;
    memcpy(&real, &found, sizeof real);
    recorder_find_names();
    result = real(handle);
    recorder_forget_unmapped();
    return result;
}
#ifdef __cplusplus
}
#endif
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
