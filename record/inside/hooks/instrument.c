/* instrument.c - hot calling contexts of a program that is only compiled with
   -finstrument-functions:

       cc -finstrument-functions -c program.c
       for file in hooks/instrument hooks/ticks core/calls core/threads core/names core/dump \
           core/settings core/sampled; do
           cc -O2 -I. -c record/inside/$file.c
       done
       cc -o program program.o instrument.o calls.o threads.o names.o dump.o settings.o \
           ticks.o sampled.o -pthread
       BURSTY_CONTEXTS_TICKS=100 ./program && build/bursty report hcct.brst

   The environment says what is recorded:
     BURSTY_CONTEXTS_TICKS=100     time: a timer looks which functions are open, so often in a
                                   second of each thread's CPU time (at most 10000; the kernel's
                                   clock, often 250, bounds it)
     BURSTY_CONTEXTS_EVERY=9900    calls: bursts of 100, between which about 9900 calls pass.
                                   Counts are scaled up to all calls, and the report says so.
                                   BURSTY_CONTEXTS_BURST is another length for bursts.
     BURSTY_CONTEXTS_REENABLE=20   with it: adaptive bursts. A stack of open calls that had a
                                   burst has one in 20, which counts 20 times as much; 0: no
                                   other one, and counts of what comes often are too small
   Both may be given. Without either, or with BURSTY_CONTEXTS_EVERY=0, every call is counted.
   $BURSTY_CONTEXTS names another file (dump.c); sizes are in recorder.h. Libraries that dlopen
   loads are recorded if the program is linked with -rdynamic.

   The program calls the dlclose below, which looks names up while the library
   is still there, and the _exit below, which writes the file.

   Between bursts, and when only time is recorded, a hook counts down and keeps
   the stack of open calls, in recorder_here: 12 instructions for a call and 8
   for its return on x86-64. When every call is recorded, most calls are plain
   (recorder_plain.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* A copy of the tree's functions, for recorder_plain.h. */
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#define HCCT_ALGORITHMS (1 << HCCT_SPACE_SAVING)
#include "../core/recorder.h"
#include "../core/recorder_plain.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

RECORDER_HOOK void *recorder_memory(size_t bytes) { return calloc(1, bytes); }

RECORDER_NAMES_BEGIN
RECORDER_C_BEGIN
#define QUICK_HOOK RECORDER_HOOK __attribute__((section("recorder_hooks")))
RECORDER_HOOK void __cyg_profile_func_enter(void *function, void *site);
RECORDER_HOOK void __cyg_profile_func_exit(void *function, void *site);
RECORDER_C_END

/* ---- the process ---- */

static int dumped;
static pid_t process;          /* not that of a child of vfork, which runs in this one's memory */
static __thread int has_timer; /* or cannot have one */

RECORDER_HOOK static void save(void) {
    if (__atomic_exchange_n(&dumped, 1, __ATOMIC_SEQ_CST)) return;
    recorder_stop_ticks();
    recorder_dump(recorder_ticks && recorder_has_ticks() ? recorder_write_ticks : NULL);
}

RECORDER_HOOK static int in_child(recorder_thread *all) {
    (void)all;
    process = getpid();
    dumped = 0;
    recorder_ticks_in_child();
    return 1;
}

/* Apart, so that a quick hook has no frame. */
RECORDER_HOOK __attribute__((noinline)) static void slow_call(void *function, uintptr_t frame,
                                                              const void *site,
                                                              const void *from) {
    recorder_call(function, frame, site, from);
    if (has_timer) return;
    has_timer = 1; /* what is called here may be instrumented */
    recorder_on.exit = save;
    recorder_on.child = in_child;
    if (!process) process = getpid();
    if (recorder_ticks) recorder_start_ticks();
}

/* ---- hooks ---- */

RECORDER_HOOK static inline int has_room(const recorder_frame *f) {
    return f->depth + 32 < RECORDER_DEPTH;
}

/* Where no call was yet, `need` is 0 and the word is not aligned. */
typedef uintptr_t __attribute__((aligned(1), may_alias)) recorder_word;

/* Whether the whole frame of this call stands below f: then f is open around
   it. */
RECORDER_HOOK RECORDER_READS_STACK_INLINE int is_below(const recorder_frame *f,
                                                       const recorder_now *now,
                                                       const recorder_known *k, uintptr_t frame,
                                                       const void *site) {
    int64_t need = (int32_t)__atomic_load_n(&k->need, __ATOMIC_RELAXED);
#if defined(__x86_64__) && !defined(__ILP32__)
    uintptr_t end = frame + (uintptr_t)need + 7; /* of the return address, if all is well */
    return (int64_t)(f->address - frame) >= need && end >= now->stack_low && end < now->stack_end &&
           *(const recorder_word *)end == (uintptr_t)site;
#else
    (void)site;
    return now->stack_end && f->address > frame && need == 1;
#endif
}

RECORDER_HOOK static inline __attribute__((always_inline)) void
fill(recorder_frame *f, void *function, uintptr_t address, const void *site, const void *from) {
    f->function = function;
    f->address = address;
    f->site = site;
    f->from = from;
}

/* The rest of a plain call, behind recorder_take, whose entry is f[1]. Apart, so
   that the hook has no frame. Here alone the tree's window may go down, to at
   most 31 calls below f: so it reaches no call that frames[] has no room for. */
QUICK_HOOK __attribute__((noinline)) static void plain_rest(recorder_thread *r, recorder_frame *f,
                                                            uint32_t key) {
    const recorder_frame *call = f + 1;
    int goes_on = !__atomic_load_n(&recorder_stopped, __ATOMIC_RELAXED);
    if (goes_on && has_room(f)) {
        hcct_enter_at(&r->tree, f->depth, key, 1);
        recorder_give(&recorder_here, r, f + 1);
        return;
    }
    recorder_give(&recorder_here, r, f);
    if (goes_on) slow_call(call->function, call->address, call->site, call->from);
}

/* A call that was inlined, or one that is not plain. */
QUICK_HOOK __attribute__((noinline)) static void rare_call(void *function, uintptr_t frame,
                                                           const void *site, const void *from) {
    recorder_now *now = &recorder_here;
    recorder_frame *f = now->top;
    recorder_thread *r = now->record;
    uint32_t key = __atomic_load_n(&recorder_known_at(from)->key, __ATOMIC_RELAXED);
    uintptr_t address = recorder_inlined(f, function, frame, site, from);
    if (!now->stack_end || !address || !has_room(f) || !recorder_is_key(key, function)) {
        slow_call(function, frame, site, from);
        return;
    }
    (void)recorder_take(now, r);
    fill(f + 1, function, address, site, from);
    f[1].depth = f->depth + 1;
    plain_rest(r, f, key);
}

QUICK_HOOK __attribute__((noinline)) static void any_call(void *function, uintptr_t frame,
                                                          const void *site, const void *from) {
    recorder_now *now = &recorder_here;
    recorder_frame *f = now->top;
    recorder_thread *r = now->record;
    const recorder_known *k = recorder_known_at(from);
    uint32_t key = __atomic_load_n(&k->key, __ATOMIC_RELAXED), depth;
    if (!RECORDER_LIKELY(is_below(f, now, k, frame, site) && recorder_is_key(key, function))) {
        rare_call(function, frame, site, from);
        return;
    }
    int goes_on = recorder_take(now, r);
    fill(f + 1, function, frame, site, from);
    depth = f->depth;
    f[1].depth = depth + 1;
    if (RECORDER_LIKELY(goes_on && hcct_enter_known(&r->tree, depth, key)))
        recorder_give(now, r, f + 1);
    else plain_rest(r, f, key);
}

QUICK_HOOK void __cyg_profile_func_enter(void *function, void *site) {
    recorder_now *now = &recorder_here;
    const void *from = __builtin_return_address(0);
    uintptr_t frame = RECORDER_FRAME();
    if (RECORDER_LIKELY(--now->left >= 0)) {
        recorder_frame *f = now->top + 1;
        now->top = f;
        __asm__ volatile("" ::: "memory"); /* a signal handler's calls go above this one */
        fill(f, function, frame, site, from);
        return;
    }
    any_call(function, frame, site, from);
}

QUICK_HOOK void __cyg_profile_func_exit(void *function, void *site) {
    recorder_now *now = &recorder_here;
    (void)site;
    recorder_frame *f = now->top;
    if (RECORDER_LIKELY(f->function == function)) {
        now->top = f - 1;
        __asm__ volatile("" ::: "memory"); /* a call that a burst takes over keeps its place */
        f->back = __builtin_return_address(0); /* for a tick in what is left of it */
    } else {
        recorder_return(function, RECORDER_FRAME());
    }
}

RECORDER_C_BEGIN
/* dlsym is weak: an old C library has it apart, and a program that is not
   linked with that has no dlclose to call either. */
#pragma weak dlsym
RECORDER_HOOK __attribute__((visibility("default"))) int dlclose(void *handle) {
    int (*real)(void *) = NULL;
    void *found = dlsym ? dlsym(RTLD_NEXT, "dlclose") : NULL;
    int result;
    if (!found) return -1;
    memcpy(&real, &found, sizeof real);
    recorder_find_places();
    result = real(handle);
    recorder_forget_unmapped();
    return result;
}
/* A program that leaves without its exit handlers has a file, too. */
RECORDER_HOOK __attribute__((visibility("default"))) void _exit(int status) {
    if (getpid() == process) save();
    for (;;) syscall(SYS_exit_group, status);
}
RECORDER_HOOK __attribute__((visibility("default"))) void _Exit(int status) { _exit(status); }
RECORDER_C_END
RECORDER_NAMES_END
