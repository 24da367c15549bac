/* recorder_plain.h - most calls when every call is recorded, in the hook itself.

       now->top                      the thread's tree
         |                                  |
         v                                  v
       frames[]: main  f  g            main - f - g - h      the calls below h have returned,
       depth      1    2  3                                  which the tree hears with the next

   The record is lazy: a return only takes one entry off frames[], and the next
   call says at which depth it begins (hcct_enter_at). A call is plain if four
   things are as they mostly are. Else nothing happens here, and calls.c does
   all of it.

     1 its caller is open. The entry above it stands above this call's whole
       frame, as calls.c has it. How large that frame is was found when the
       hook was last called from there, and the return address must stand where
       it ends. Only the thread's own stack is read.
     2 or it was inlined into the call above, and not called from the same place
       before
     3 its key is known: functions[key] must be this function
     4 nobody has stopped the recording

   So nothing has to tell of longjmp, an exception or a switch of stacks.

   While the tree changes, top is recorder_none, which is above no call and of no
   function: a signal handler's hooks then come to calls.c, which leaves them
   out. `busy` is for who stops the recording (threads.c). */
#ifndef RECORDER_PLAIN_H
#define RECORDER_PLAIN_H
#include "recorder.h"

/* What was found when a hook was last called from some place: the key of the
   function, and how far at least the entry above must be from the hook's frame.
   Other threads may change both at any time. */
typedef struct recorder_known {
    uint32_t key, need;
} recorder_known;
enum {
    RECORDER_KNOWN = 4096,
    RECORDER_ENTRY = 256 /* bytes of a function, in which it calls the first hook */
};
extern recorder_known recorder_known_calls[RECORDER_KNOWN];

RECORDER_HOOK static inline recorder_known *recorder_known_at(const void *from) {
    return &recorder_known_calls[(uintptr_t)from / 16 % RECORDER_KNOWN];
}

RECORDER_HOOK static inline int recorder_is_key(uint32_t key, const void *function) {
    void *its;
    __atomic_load(&recorder_functions[key], &its, __ATOMIC_RELAXED);
    return its == function;
}

/* Whether a call of `function` that names the call site of the calls from `outer`
   on came after them: a jump left them. If it was inlined into them, its hook
   was called in the code of `outer`. */
RECORDER_HOOK static inline int recorder_has_own_frame(const recorder_frame *outer,
                                                       const void *function, const void *from) {
    uintptr_t start = (uintptr_t)function, far = (uintptr_t)from - start;
    return far < RECORDER_ENTRY && (uintptr_t)outer->function - start > far;
}

/* The address of the frame of a call that was inlined into the call f, or 0. */
RECORDER_HOOK static inline uintptr_t recorder_inlined(const recorder_frame *f,
                                                       const void *function, uintptr_t frame,
                                                       const void *site, const void *from) {
    const recorder_frame *k = f;
    if (frame - f->address > 14 || f->site != site) return 0;
    for (; frame - k->address <= 14 && k->site == site; k--) {
        if (k->from == from) return 0;
    }
    return recorder_has_own_frame(k + 1, function, from) ? 0 : f->address - 1;
}

/* Whether no signal handler, no other thread and no end of recording comes
   between from now on. recorder_give must follow. */
RECORDER_HOOK static inline int recorder_take(recorder_now *now, recorder_thread *r) {
    now->top = &recorder_none;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&r->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* recorder_stop has the processors' barrier */
    return !__atomic_load_n(&recorder_stopped, __ATOMIC_RELAXED);
}
RECORDER_HOOK static inline void recorder_give(recorder_now *now, recorder_thread *r,
                                               recorder_frame *top) {
    __atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    now->top = top;
}

#endif
