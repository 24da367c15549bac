/* test_ticks_traps.c - what may go wrong with a timer's signal: it is blocked, it is somebody
   else's, it meets a system call, a longjmp, a stop. Every test waits for what it wants to see. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
/* As in test_ticks.c: where signals are late by design, or a thread's CPU time is not there. */
#if defined(TEST_SCALE) && TEST_SCALE >= 10
#define TEST_NO_SIGNALS
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef TEST_NO_SIGNALS
#define TEST_NO_SIGNALS
#endif
#elif defined(__SANITIZE_THREAD__)
#undef TEST_NO_SIGNALS
#define TEST_NO_SIGNALS
#endif
#define BURSTY_IMPLEMENTATION
#if defined(__linux__) && defined(__GNUC__) && !defined(__TINYC__)
#ifndef TEST_NO_SIGNALS
#endif
#endif
#include "bursty.h"
#define TICKS_THREADS 3
#include <setjmp.h>

static uint64_t ticks_now(void) {
    ticks_stats stats;
    ticks_get_stats(&stats);
    return stats.ticks;
}

/* ---- longjmp, with ticks of its own --------------------------------------------------------- */

static jmp_buf before;
static volatile int dives, deepest, jumps = 1;

static void dive(int depth) {
    BURST_SCOPE("dive");
    dives++;
    if (depth < deepest) dive(depth + 1);
    else if (jumps) longjmp(before, 1);
    BURST_LEAVE();
}

/* The paths of all ticks: after the jump they must be those of the scope that is running. */
TEST(a_longjmp_needs_the_depth) {
    volatile uint32_t depth;
    ticks_config config;
    ticks_stats stats;
    volatile int way;
    for (way = 0; way < 2; way++) {
        memset(&config, 0, sizeof config);
        config.period_us = 1000000000; /* no timer's tick in between */
        deepest = 4;
        (void)ticks_start(&config);
        depth = bursty_depth();
        if (setjmp(before) == 0) dive(0);
        if (way == 0) bursty_set_depth(depth);
        bursty_tick(1);
        ticks_get_stats(&stats);
        CHECK_EQ(stats.ticks, 1);
        CHECK_EQ(stats.paths, way == 0 ? 1 : 5); /* "(outside)", or five dives: the manual */
        bursty_set_depth(depth);
    }
    CHECK_EQ(dives, 10);
}

TEST(folding_is_on_request) {
    ticks_config config;
    ticks_stats stats;
    volatile uint32_t fold;
    for (fold = 0; fold < 2; fold++) {
        volatile uint32_t depth;
        memset(&config, 0, sizeof config);
        config.period_us = 1000000000;
        config.fold = fold;
        deepest = 9;
        (void)ticks_start(&config);
        depth = bursty_depth();
        if (setjmp(before) == 0) dive(0);
        bursty_tick(3); /* the stack is still as deep as the jump has left it */
        bursty_set_depth(depth);
        ticks_get_stats(&stats);
        CHECK_EQ(stats.ticks, 3);
        CHECK_EQ(stats.paths, fold ? 1 : 10);
    }
}

TEST(stop_charges_nothing_and_keeps_what_there_is) {
    (void)ticks_start(NULL);
    bursty_tick(5);
    ticks_stop();
    bursty_tick(7);
    CHECK(ticks_now() >= 5 && ticks_now() < 12);
    ticks_stop();
    (void)ticks_start(NULL);
    CHECK(ticks_now() < 5);
    ticks_stop();
}

/* ---- the timer's signal --------------------------------------------------------------------- */

#ifdef TICKS_TIMERS
#include <pthread.h>
#include <sched.h>
#include <time.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile unsigned sink;
static void burn(double seconds) {
    double end = cpu_seconds() + seconds;
    int i;
    while (cpu_seconds() < end) {
        for (i = 0; i < 1000; i++) sink = sink * 1664525u + 1013904223u;
    }
}

/* Until there are n ticks, or 10 s of CPU time are gone. */
static int has_ticked(uint64_t n) {
    double end = cpu_seconds() + 10;
    while (ticks_now() < n && cpu_seconds() < end) burn(0.005);
    return ticks_now() >= n;
}

static int start_timers(void) {
    ticks_config config;
    memset(&config, 0, sizeof config);
    config.period_us = 500;
    if (ticks_start(&config) == 0) return 1;
    SKIP("no timers of threads' CPU time here");
    return 0;
}

static void block(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    CHECK_EQ(pthread_sigmask(how, &set, NULL), 0);
}

/* One tick comes late and says how many it stands for. It counts as 100, and the rest is told. */
TEST(a_blocked_signal_is_one_late_tick) {
    ticks_stats stats;
    double end;
    if (!start_timers()) return;
    if (!CHECK(has_ticked(1))) return;
    block(SIG_BLOCK);
    (void)ticks_start(NULL); /* the default period; counts from zero */
    ticks_stop();
    if (!start_timers()) return;
    burn(0.2); /* 400 periods */
    CHECK_EQ(ticks_now(), 0);
    block(SIG_UNBLOCK);
    end = cpu_seconds() + 10;
    do ticks_get_stats(&stats);
    while (stats.late == 0 && cpu_seconds() < end);
    CHECK(stats.late > 0 && stats.late < 10000);
    CHECK(stats.ticks >= 100);
    CHECK_EQ(stats.lost, 0);
    ticks_stop();
}

static volatile sig_atomic_t mine;
static void my_handler(int number) {
    (void)number;
    mine++;
}

/* Who had the signal first keeps it, and who takes it later gets it: then no tick comes, and
   ticks_stop leaves the new handler alone. */
TEST(a_handler_of_the_user) {
    struct sigaction action, old;
    double end;
    memset(&action, 0, sizeof action);
    action.sa_handler = my_handler;
    sigaction(SIGPROF, &action, &old);
    CHECK_EQ(ticks_start(NULL), -1);
    raise(SIGPROF);
    CHECK_EQ(mine, 1);
    sigaction(SIGPROF, &old, NULL);
    block(SIG_BLOCK);
    if (!start_timers()) {
        block(SIG_UNBLOCK);
        return;
    }
    sigaction(SIGPROF, &action, NULL);
    block(SIG_UNBLOCK);
    end = cpu_seconds() + 10;
    while (mine < 3 && cpu_seconds() < end) burn(0.005);
    CHECK(mine >= 3);
    CHECK_EQ(ticks_now(), 0);
    ticks_stop();
    sigaction(SIGPROF, NULL, &old);
    CHECK(old.sa_handler == my_handler);
    action.sa_handler = SIG_DFL;
    sigaction(SIGPROF, &action, NULL);
}

/* A signal in the middle of read: it goes on, and gets its byte. */
static int ends[2];
static pthread_t reader;
static void *interrupt_reader(void *argument) {
    int i;
    (void)argument;
    for (i = 0; i < 50; i++) {
        struct timespec moment = {0, 200000};
        pthread_kill(reader, SIGPROF);
        nanosleep(&moment, NULL); /* gives read a chance to wait again; nothing depends on it */
    }
    if (write(ends[1], "x", 1) != 1) return NULL;
    return argument;
}

TEST(system_calls_go_on) {
    pthread_t other;
    void *result = NULL;
    char byte = 0;
    if (!start_timers()) return;
    if (!CHECK(pipe(ends) == 0)) return;
    reader = pthread_self();
    CHECK_EQ(pthread_create(&other, NULL, interrupt_reader, &byte), 0);
    errno = 0;
    CHECK_EQ(read(ends[0], &byte, 1), 1);
    CHECK_EQ(byte, 'x');
    CHECK_EQ(pthread_join(other, &result), 0);
    CHECK(result == &byte);
    CHECK(ticks_now() > 0); /* the 50 signals, each a tick */
    close(ends[0]);
    close(ends[1]);
    ticks_stop();
}

/* TICKS_THREADS is 3 here: the fourth thread runs, without ticks. */
static uint32_t waiting;
static void *wait_for_all(void *argument) {
    int has_own = 0;
    (void)BURST_CHECK();
    has_own = bursty_p_registered() != NULL;
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) < 4) (void)sched_yield();
    burn(0.01);
    return has_own ? argument : NULL;
}

TEST(more_threads_than_timers) {
    pthread_t thread[4];
    ticks_stats stats;
    void *result;
    int i;
    if (!start_timers()) return;
    waiting = 0;
    for (i = 0; i < 4; i++) CHECK_EQ(pthread_create(&thread[i], NULL, wait_for_all, ends), 0);
    for (i = 0; i < 4; i++) {
        CHECK_EQ(pthread_join(thread[i], &result), 0);
        CHECK(result != NULL);
    }
    CHECK(has_ticked(1));
    ticks_get_stats(&stats);
    CHECK_EQ(stats.untimed, 2); /* the main thread has a timer, too */
    ticks_stop();
    for (i = 0; i < 3; i++) CHECK_EQ(ticks_p_timers[i], 0);
}

/* Threads begin and end while ticks are stopped: none of them keeps a timer, whose signal would end
   the program. */
static void *begin_and_burn(void *argument) {
    (void)BURST_CHECK();
    burn(0.002);
    bursty_thread_end();
    return argument;
}

TEST(stopped_while_threads_begin) {
    pthread_t thread[3];
    int i, k;
    for (k = 0; k < 20; k++) {
        if (!start_timers()) return;
        for (i = 0; i < 3; i++)
            CHECK_EQ(pthread_create(&thread[i], NULL, begin_and_burn, ends), 0);
        for (i = 0; i < k % 4; i++) (void)sched_yield();
        ticks_stop();
        burn(0.001);
        for (i = 0; i < 3; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
        for (i = 0; i < 3; i++) CHECK_EQ(ticks_p_timers[i], 0);
    }
}
#endif
