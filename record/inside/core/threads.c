/* threads.c - a tree for each thread.

   A thread takes a tree at its first call: one that another thread has left, or
   a new one. Counts just add up in it, so there are never more trees than
   threads that ran at one time, and nothing has to be joined here. At exit each
   tree becomes a part of the file, and build/bursty joins them.

   A record that `busy` protects is written by its thread alone. A thread sets
   busy and then looks whether recording has stopped; who stops it sets
   recorder_stopped and then looks at busy. Both are sequentially consistent, so at
   least one of them sees the other. A hook of recorder_plain.h does that with
   plain stores and loads. For it who stops lets all other processors pass a
   barrier between the two (membarrier), so one sees the other all the same.

   fork: the child has one thread. The trees of the others are emptied, and so
   is its own, since the parent will write what they hold. The calls that are
   open in the child stay open. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10000 }; /* how often to wait for a thread that is inside a hook */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_end;
static recorder_thread *records;
static uint32_t without_memory, record_count;
static int is_child;
int recorder_stopped;
static __thread recorder_thread *self RECORDER_TLS;
recorder_frame recorder_none; /* of no function */
__thread recorder_now recorder_here RECORDER_TLS = {0, &recorder_none, NULL, 0, 0};
static __thread int rounds;
static __thread int gone RECORDER_TLS; /* this thread has no record any more, or no memory for one */

/* The settings of a tree. The options are known before the first record is made. */
RECORDER_HOOK static hcct_config config_of(uint32_t number) {
    hcct_config config;
    memset(&config, 0, sizeof config);
    if (recorder_reenable == RECORDER_STATIC) return config;
    config.history = RECORDER_CONTEXTS;
    config.reenable = recorder_reenable;
    config.seed = ((uint64_t)recorder_seed << 32) + number;
    return config;
}

RECORDER_HOOK static void empty(recorder_thread *r) {
    hcct_config config = config_of(r->number);
    hcct_init(&r->tree, r + 1, r->bytes, &config);
    r->frames_full = 0;
    r->seen = 0;
}

/* Nobody uses r any more; what its thread has called is added up. */
RECORDER_HOOK static void leave_record(recorder_thread *r) {
    r->seen = recorder_seen(r);
    r->gap = r->given = 0;
    r->now = NULL;
    r->lazy = 0;
    r->in_use = 0;
    recorder_leave_all(r);
}

recorder_events recorder_on;

RECORDER_HOOK static void end_thread(recorder_thread *r) {
    if (recorder_on.thread_end) recorder_on.thread_end(r);
    gone = 1;
    self = NULL;
    pthread_mutex_lock(&lock);
    if (!__atomic_load_n(&recorder_stopped, __ATOMIC_SEQ_CST)) {
        leave_record(r);
    }
    recorder_here.left = 0; /* the hooks ask recorder_begin */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    recorder_here.top = &recorder_none;
    pthread_mutex_unlock(&lock);
}

RECORDER_HOOK static void thread_exit(void *record) {
    recorder_thread *r = (recorder_thread *)record;
    if (gone) return;
    if (++rounds < RECORDER_ROUNDS) pthread_setspecific(at_end, r); /* the program's own destructors
                                                                       are still to come */
    else end_thread(r);
}

RECORDER_HOOK void recorder_end_thread(void) {
    if (self && !gone) end_thread(self);
}

RECORDER_HOOK static void before_fork(void) {
    recorder_lock_names(1);
    pthread_mutex_lock(&lock);
}

RECORDER_HOOK static void after_fork(void) {
    pthread_mutex_unlock(&lock);
    recorder_lock_names(0);
}

RECORDER_HOOK static void in_child(void) {
    recorder_thread *r;
    recorder_frame *top = recorder_here.top;
    is_child = 1;
    without_memory = 0;
    if (self) __atomic_store_n(&self->busy, 1, __ATOMIC_SEQ_CST); /* it may tick from now on */
    recorder_seed_child();
    recorder_stopped = !recorder_on.child || !recorder_on.child(records);
    for (r = recorder_stopped ? NULL : records; r; r = r->next) {
        if (r == self) {
            recorder_sync(r);
            recorder_here.top = &recorder_none;
            empty(r);
            if (r->feeding) recorder_reopen(r);
        } else {
            r->in_use = 0;
            leave_record(r);
            empty(r);
        }
        recorder_end(r);
    }
    recorder_here.top = top;
    if (self) recorder_end(self);
    after_fork();
}

RECORDER_HOOK static void process_ends(void) {
    if (recorder_on.exit) recorder_on.exit();
}

RECORDER_HOOK static void start(void) {
    pthread_key_create(&at_end, thread_exit);
    pthread_atfork(before_fork, after_fork, in_child);
    atexit(process_ends);
}

RECORDER_HOOK static recorder_thread *new_record(void) {
    hcct_config config = config_of(0);
    size_t bytes = hcct_bytes(&config, RECORDER_CONTEXTS);
    recorder_thread *r = (recorder_thread *)recorder_memory(sizeof *r + bytes);
    if (!r) {
        without_memory++;
        return NULL;
    }
    r->bytes = bytes;
    r->frames = r->room + 1;
    r->room[0].address = UINTPTR_MAX; /* above every call */
    r->number = ++record_count;
    empty(r);
    r->next = records;
    records = r;
    return r;
}

/* Apart, so that recorder_begin keeps no registers for it. */
RECORDER_HOOK __attribute__((noinline)) static recorder_thread *first_call(void) {
    uintptr_t low = 0, end = 0;
    recorder_thread *r;
    gone = 1; /* what is called here may be instrumented: it must not come back */
    pthread_once(&once, start);
    if (recorder_period) recorder_find_stack((uintptr_t)&r, &low, &end);
    pthread_mutex_lock(&lock);
    for (r = records; r && r->in_use; r = r->next) {
    }
    if (!r) r = new_record();
    if (r) {
        r->in_use = 1;
        r->now = &recorder_here;
        r->stack_low = low;
        r->stack_end = end;
        recorder_start_gap(r);
    }
    pthread_mutex_unlock(&lock);
    if (!r) return NULL;
    pthread_setspecific(at_end, r);
    self = r;
    gone = 0;
    return r;
}

/* busy is 1 while the thread is inside a hook: then it is a handler that asks,
   and gets nothing. It is 2 while another thread holds all records, for some
   milliseconds of its time; on a machine with much to do these may take
   long. */
RECORDER_HOOK __attribute__((noinline)) static int wait_for(recorder_thread *r) {
    struct timespec millisecond = {0, 1000000};
    int wait, state, was = 0, saved = errno;
    for (wait = 0; wait < PATIENCE; wait++) {
        if (__atomic_compare_exchange_n(&r->busy, &was, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            break;
        if (was == 1) return 0;
        was = 0;
        if (wait < 100) sched_yield();
        else {
            pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); /* a sleep may be cancelled */
            nanosleep(&millisecond, NULL);
            pthread_setcancelstate(state, &state);
        }
    }
    errno = saved; /* a signal interrupts a sleep */
    return wait < PATIENCE;
}

/* Apart from the waiting, so that a hook keeps no registers and no errno. */
RECORDER_HOOK static inline int take(recorder_thread *r) {
    int was = 0;
    if (__atomic_compare_exchange_n(&r->busy, &was, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return 1;
    return was != 1 && wait_for(r);
}

/* A signal handler that interrupts a hook is not seen. */
RECORDER_HOOK __attribute__((noinline)) static recorder_thread *begin_slowly(recorder_thread *r) {
    if (!r) r = first_call();
    if (!r || !take(r)) return NULL;
    if (!__atomic_load_n(&recorder_stopped, __ATOMIC_SEQ_CST)) return r;
    recorder_end(r);
    return NULL;
}

RECORDER_HOOK recorder_thread *recorder_begin(void) {
    recorder_thread *r = self;
    int free = 0;
    if (gone) return NULL;
    if (!r || !__atomic_compare_exchange_n(&r->busy, &free, 1, 0, __ATOMIC_SEQ_CST,
                                           __ATOMIC_RELAXED)) {
        return begin_slowly(r);
    }
    if (RECORDER_LIKELY(!__atomic_load_n(&recorder_stopped, __ATOMIC_SEQ_CST))) return r;
    recorder_end(r);
    return NULL;
}

RECORDER_HOOK void recorder_end(recorder_thread *r) {
    __atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE);
}

RECORDER_HOOK uint64_t recorder_repair(void) {
    recorder_thread *r = self;
    hcct_stats stats;
    if (gone || !r || __atomic_load_n(&r->busy, __ATOMIC_RELAXED) != 1) return 0;
    hcct_get_stats(&r->tree, &stats);
    r->frame_count = 0;
    r->deep = 0;
    r->references = NULL;
    empty(r);
    recorder_end(r);
    return stats.total ? stats.total : 1;
}

RECORDER_HOOK void recorder_release(recorder_thread *all) {
    recorder_thread *r;
    for (r = all; r; r = r->next) recorder_end(r);
    pthread_mutex_unlock(&lock);
}

RECORDER_HOOK recorder_thread *recorder_hold(void) {
    recorder_thread *r, *held;
    int wait;
    if (gone || (self && __atomic_load_n(&self->busy, __ATOMIC_RELAXED))) return NULL;
    if (pthread_mutex_trylock(&lock) != 0) return NULL;
    if (recorder_stopped) {
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    for (r = records; r; r = r->next) {
        int was = 0;
        for (wait = 0; wait < 100; wait++) {
            was = 0;
            if (__atomic_compare_exchange_n(&r->busy, &was, 2, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
                break;
            sched_yield();
        }
        if (was) break;
    }
    if (!r) return records;
    for (held = records; held != r; held = held->next) recorder_end(held);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* ---- plain stores ---- */

#if defined(SYS_membarrier)
enum { BARRIER = 8, REGISTER = 16 }; /* of linux/membarrier.h: private, expedited */

RECORDER_HOOK static int membarrier(int command) {
    int saved = errno, failed = syscall(SYS_membarrier, command, 0, 0) != 0;
    errno = saved;
    return !failed;
}
#else
enum { BARRIER, REGISTER };
RECORDER_HOOK static int membarrier(int command) { return command < 0; }
#endif
static int barrier; /* 1: there is one; -1: there is none; 0: nobody asked */

RECORDER_HOOK int recorder_has_barrier(void) {
    int known = __atomic_load_n(&barrier, __ATOMIC_RELAXED);
    if (known) return known > 0;
    known = membarrier(REGISTER) ? 1 : -1;
    __atomic_store_n(&barrier, known, __ATOMIC_RELAXED);
    return known > 0;
}

/* A child of fork may have to register again. */
RECORDER_HOOK static void pass_barrier(void) {
    if (__atomic_load_n(&barrier, __ATOMIC_RELAXED) <= 0 || membarrier(BARRIER)) return;
    (void)(membarrier(REGISTER) && membarrier(BARRIER));
}

RECORDER_HOOK recorder_thread *recorder_self(void) { return gone ? NULL : self; }

RECORDER_HOOK int recorder_is_child(void) { return is_child; }

RECORDER_HOOK recorder_thread *recorder_stop(uint32_t *threads_without_memory) {
    recorder_thread *r;
    int wait, locked = 0;
    gone = 1;
    /* Not for ever: this may be a signal handler that has interrupted who has
       the lock. */
    for (wait = 0; wait < PATIENCE && !locked; wait++) {
        locked = pthread_mutex_trylock(&lock) == 0;
        if (!locked) sched_yield();
    }
    __atomic_store_n(&recorder_stopped, 1, __ATOMIC_SEQ_CST);
    pass_barrier();
    for (r = records; r; r = r->next) {
        for (wait = 0; wait < PATIENCE && __atomic_load_n(&r->busy, __ATOMIC_SEQ_CST); wait++) {
            sched_yield();
        }
        r->seen = recorder_seen(r);
        r->gap = r->given = 0;
        if (recorder_period && recorder_period != RECORDER_NEVER)
            hcct_scale_to(&r->tree, r->seen); /* bursts stand for all calls */
    }
    *threads_without_memory = without_memory;
    if (locked) pthread_mutex_unlock(&lock);
    return records;
}
