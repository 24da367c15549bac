/* timer.c - ticks of `bursty record --ticks HZ`: a timer of each thread's CPU time interrupts it, and
   the functions that are open then get the tick. A function that is not patched, as those of the C
   library, gives its time to the function that called it. */
#define _GNU_SOURCE 1
#include "timer.h"
#include "recorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct timed_thread {
    struct timed_thread *next;
    int timer;                          /* -1: none */
    uint64_t stack_end;
    sampled_ticks ticks;
} timed_thread;

static struct {
    uint32_t period_us;
    timer_stack_fn stack;
    pthread_key_t at_end;
    timed_thread *all;
    uint64_t unknown;                   /* threads without memory: a lost tick each, if not more */
} timed;

static __thread timed_thread *timed_here __attribute__((tls_model("initial-exec")));

/* A real-time signal that programs rarely take. */
static int timer_signal(void) {
    return SIGRTMAX - 3;
}

static void tick(int signal_number, siginfo_t *info, void *context) {
    const ucontext_t *u = (const ucontext_t *)context;
    timed_thread *t = timed_here;
    uint32_t keys[SAMPLED_DEEP], count, n = 1;
    int slow;
    (void)signal_number;
    if (!t || info->si_code != SI_TIMER) return;
    if (info->si_overrun > 0) n += (uint32_t)info->si_overrun;
    count = timed.stack((uint64_t)u->uc_mcontext.gregs[REG_RIP],
                        (uint64_t)u->uc_mcontext.gregs[REG_RSP],
                        (uint64_t)u->uc_mcontext.gregs[REG_RBP], t->stack_end, keys);
    slow = count == UINT32_MAX;
    sampled_tick(&t->ticks, keys, slow ? 0 : count, n, slow);
}

static void stop(void *thread) {
    timed_thread *t = (timed_thread *)thread;
    timed_here = NULL;
    if (t->timer >= 0) syscall(SYS_timer_delete, t->timer);
    t->timer = -1;
}

/* Anywhere in the first period: threads that live shorter than one get their share, too. */
static long first_tick(void) {
    struct timespec now;
    uint64_t mixed;
    clock_gettime(CLOCK_MONOTONIC, &now);
    mixed = ((uint64_t)now.tv_nsec + (uint64_t)syscall(SYS_gettid)) * UINT64_C(0x9E3779B97F4A7C15);
    return 1 + (long)((mixed >> 32) % (timed.period_us * UINT64_C(1000)));
}

/* Starts the timer of the calling thread. */
static void start(timed_thread *t) {
    struct sigevent event;
    struct {
        struct timespec interval, value;
    } when;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = timer_signal();
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    when.interval.tv_sec = timed.period_us / 1000000;
    when.interval.tv_nsec = (long)(timed.period_us % 1000000) * 1000;
    when.value.tv_sec = 0;
    when.value.tv_nsec = first_tick();
    timed_here = t;
    t->timer = -1;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &t->timer) != 0) t->timer = -1;
    else syscall(SYS_timer_settime, t->timer, 0, &when, NULL);
}

void timer_thread(uint64_t stack_end) {
    timed_thread *t;
    if (!timed.period_us || timed_here) return;
    t = (timed_thread *)recorder_memory(sizeof *t);
    if (!t) {
        __atomic_fetch_add(&timed.unknown, 1, __ATOMIC_RELAXED);
        return;
    }
    t->stack_end = stack_end;
    t->next = __atomic_load_n(&timed.all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&timed.all, &t->next, t, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    pthread_setspecific(timed.at_end, t);
    start(t);
}

int timer_begin(uint32_t ticks_per_second, timer_stack_fn stack) {
    struct sigaction action;
    timed.stack = stack;
    timed.period_us = 1000000 / ticks_per_second;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (pthread_key_create(&timed.at_end, stop) != 0) return -1;
    if (sigaction(timer_signal(), &action, NULL) != 0) return -1;
    timer_thread((uint64_t)getauxval(AT_RANDOM) & ~UINT64_C(15));
    return timed_here && timed_here->timer >= 0 ? 0 : -1;
}

void timer_in_child(void) {
    timed_thread *t = timed_here;
    if (!timed.period_us) return;
    __atomic_store_n(&timed.all, t, __ATOMIC_RELAXED);
    if (!t) return;
    t->next = NULL;
    memset(&t->ticks, 0, sizeof t->ticks);
    start(t);                                   /* a child has no timers */
}

int timer_write(const sampled_profile *about, int (*write)(void *, const void *, size_t),
                void *user) {
    static const sampled_ticks *tables[TIMER_THREADS];
    const timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    uint32_t first = TIMER_THREADS;             /* the newest thread comes first in the list */
    uint64_t lost = __atomic_load_n(&timed.unknown, __ATOMIC_RELAXED);
    if (!timed.period_us) return 0;
    for (; t && first > 0; t = t->next) tables[--first] = &t->ticks;
    for (; t; t = t->next) {
        uint32_t i, used = __atomic_load_n(&t->ticks.paths_used, __ATOMIC_ACQUIRE);
        for (i = 0; i < used; i++) lost += t->ticks.paths[i].ticks;
    }
    return sampled_write_ticks(about, timed.period_us, tables + first, TIMER_THREADS - first, lost,
                               write, user);
}

void timer_stop(void) {
    struct sigaction action;
    if (!timed.period_us) return;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    sigaction(timer_signal(), &action, NULL);
}

/* ---- threads of the program ---- */

typedef struct thread_start {
    void *(*start)(void *);
    void *argument;
} thread_start;

static void *begin_thread(void *memory) {
    thread_start s = *(thread_start *)memory;
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    free(memory);
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) != 0) lowest = NULL;
        pthread_attr_destroy(&attributes);
    }
    timer_thread(lowest ? (uint64_t)(uintptr_t)lowest + size : 0);
    return s.start(s.argument);
}

int timer_create_thread(timer_create_fn create, pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*run)(void *), void *argument) {
    thread_start *s = timed.period_us ? (thread_start *)malloc(sizeof *s) : NULL;
    int status;
    if (!s) return create(thread, attributes, run, argument);
    s->start = run;
    s->argument = argument;
    status = create(thread, attributes, begin_thread, s);
    if (status != 0) free(s);
    return status;
}
