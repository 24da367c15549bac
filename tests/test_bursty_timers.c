/* test_bursty_timers.c - bursty_start's own timers: each thread is charged in
   proportion, waits are not interrupted, fork and exec; what may go wrong with
   the signal: it is blocked, all are taken, the program takes ours over, a
   system call, a stop. Every test waits for what it wants to see. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "report/kinds/sampled.h"
#include "no_signals.inc"
#define BURSTY_IMPLEMENTATION
#include "bursty.h"

TEST(why_nothing_ticks_is_known) {
    bursty_config config;
    bursty_stats stats;
    memset(&config, 0, sizeof config);
    config.tick_hz = -1;
    CHECK(bursty_start(&config) > 0);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.no_time, BURSTY_NO_TIME_ASKED);
    CHECK(bursty_start(NULL) > 0);
    bursty_get_stats(&stats);
#if defined(BURSTY_P_TIMERS)
    CHECK(stats.no_time == BURSTY_TIME_IS_ON || stats.no_time == BURSTY_NO_TIME_SIGNALS);
#elif defined(BURSTY_P_WATCHER)
    CHECK(stats.no_time == BURSTY_TIME_IS_ON);
#else
    CHECK(stats.no_time == BURSTY_NO_TIME_SYSTEM);
#endif
    bursty_stop();
}

#if defined(BURSTY_P_TIMERS) && !defined(TEST_NO_SIGNALS)
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ticked_dump.inc"

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile unsigned sink;
static void burn(unsigned n) {
    while (n--) sink = sink * 1664525u + 1013904223u;
}
static void forty(void) {
    BURST_SCOPE("forty");
    burn(40000);
    BURST_LEAVE();
}
static void sixty(void) {
    BURST_SCOPE("sixty");
    burn(60000);
    BURST_LEAVE();
}
/* A leaf without a call or a check of its own: its stores must not be optimised
   away. */
static void leaf(void) {
    unsigned i;
    BURST_SCOPE("leaf");
    for (i = 0; i < 100000; i++) sink = sink * 1664525u + 1013904223u;
    BURST_LEAVE();
}

/* 0 where there are no timers of threads' CPU time. */
static int start_timers(void) {
    bursty_config config;
    bursty_stats stats;
    memset(&config, 0, sizeof config);
    config.tick_hz = 1000;
    config.watch = -1;
    CHECK(bursty_start(&config) > 0);
    bursty_get_stats(&stats);
    return stats.no_time == BURSTY_TIME_IS_ON && stats.untimed == 0;
}

static void run_for(double seconds, int with_leaf) {
    double end = cpu_seconds() + seconds;
    while (cpu_seconds() < end) {
        if (with_leaf) {
            leaf();
            continue;
        }
        forty();
        sixty();
    }
}

/* The kernel may be late with a tick: until n ticks have come, or 10 s of CPU
   time are gone. */
static void run_until(uint64_t n, int with_leaf) {
    double end = cpu_seconds() + 10;
    bursty_stats stats;
    uint64_t first;
    bursty_get_stats(&stats);
    first = stats.ticks;
    while (stats.ticks - first < n && cpu_seconds() < end) {
        run_for(0.02, with_leaf);
        bursty_get_stats(&stats);
    }
}

TEST(forty_to_sixty) {
    bursty_stats stats;
    double forties, all, p;
    tally t;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_until(1000, 0);
    bursty_get_stats(&stats);
    read_dump(&t);
    forties = (double)ticks_of(&t, "forty");
    all = forties + (double)ticks_of(&t, "sixty");
    kind_sampled.free(&t);
    CHECK(all > 10); /* the kernel's own tick may be as rare as 10 ms */
    /* Where the machine stood still, one look stands for up to ten ticks: of 100
       looks this is six standard errors, a chance of one in 10^8. */
    p = forties / all;
    CHECK(p > 0.1 && p < 0.7);
    CHECK((double)stats.ticks > 0.9 * all);
    CHECK_EQ(stats.ticks_lost, 0);
}

TEST(a_leaf_keeps_its_ticks) {
    uint64_t own;
    tally t;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_until(600, 1); /* one signal may stand for 100 ticks where a machine stood still */
    read_dump(&t);
    own = ticks_of(&t, "leaf");
    CHECK(own > 3);
    CHECK(10 * ticks_of(&t, "(outside)") <= 3 * own + 10);
    kind_sampled.free(&t);
}

static void *worker(void *argument) {
    (void)argument;
    run_until(4, 0);
    return NULL;
}

TEST(every_thread_has_its_own_timer) {
    pthread_t thread[3];
    tally t;
    uint64_t of_thread[4] = { 0, 0, 0, 0 };
    size_t i;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    for (i = 0; i < 3; i++) { /* one at a time, so that the ticks that it waits for are its own */
        CHECK_EQ(pthread_create(&thread[i], NULL, worker, NULL), 0);
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    }
    read_dump(&t);
    for (i = 0; i < t.paths.count; i++) {
        uint32_t number = t.threads.at[t.paths.at[i].thread].number;
        if (number < 4) of_thread[number] += t.paths.at[i].ticks;
    }
    for (i = 1; i < t.threads.count && i < 4; i++) CHECK(of_thread[i] >= 4);
    CHECK(of_thread[0] < of_thread[1] + of_thread[2] + of_thread[3]);
    kind_sampled.free(&t);
}

TEST(a_forked_child_ticks_from_zero) {
    int status = -1;
    pid_t child;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_until(200, 0);
    child = fork();
    if (child == 0) {
        bursty_stats before, after;
        bursty_get_stats(&before);
        run_until(3, 0);
        bursty_get_stats(&after);
        _exit(before.ticks > 100 ? 1 : after.ticks < before.ticks + 3 ? 2 : 0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}

TEST(exec_removes_the_timers) {
    int status = -1;
    pid_t child;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    child = fork();
    if (child == 0) {
        run_for(0.02, 0);
        execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done",
              (char *)0);
        _exit(99);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}

static volatile sig_atomic_t mine;
static void my_handler(int number) {
    (void)number;
    mine++;
}

/* The program has handlers for all real-time signals: nothing ticks, and
   nothing is taken away. */
TEST(signals_in_use_are_left_alone) {
    struct sigaction action, old[64];
    bursty_config timers;
    bursty_stats stats;
    int number;
    bursty_stop();
    memset(&timers, 0, sizeof timers);
    timers.watch = -1;
    memset(&action, 0, sizeof action);
    action.sa_handler = my_handler;
    for (number = SIGRTMIN; number <= SIGRTMAX; number++) sigaction(number, &action, &old[number - SIGRTMIN]);
    CHECK(bursty_start(&timers) > 0);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.no_time, BURSTY_NO_TIME_SIGNALS);
    for (number = SIGRTMIN; number <= SIGRTMAX; number++) raise(number);
    CHECK_EQ(mine, SIGRTMAX - SIGRTMIN + 1);
    bursty_stop();
    for (number = SIGRTMIN; number <= SIGRTMAX; number++) {
        struct sigaction now;
        sigaction(number, &old[number - SIGRTMIN], &now);
        CHECK(now.sa_handler == my_handler);
    }
}

TEST(waiting_is_not_interrupted) {
    struct timespec wait = { 0, 30000000 };
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_for(0.02, 0);
    CHECK_EQ(nanosleep(&wait, NULL), 0);
}

/* ---- the signal ---- */

static uint64_t ticks_now(void) {
    bursty_stats stats;
    bursty_get_stats(&stats);
    return stats.ticks;
}

static void burn_for(double seconds) {
    double end = cpu_seconds() + seconds;
    int i;
    while (cpu_seconds() < end) {
        for (i = 0; i < 1000; i++) sink = sink * 1664525u + 1013904223u;
    }
}

/* Until there are n ticks, or 10 s of CPU time are gone. */
static int has_ticked(uint64_t n) {
    double end = cpu_seconds() + 10;
    while (ticks_now() < n && cpu_seconds() < end) burn_for(0.005);
    return ticks_now() >= n;
}

static void block(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, bursty_p_tick_signal);
    CHECK_EQ(pthread_sigmask(how, &set, NULL), 0);
}

/* One tick comes late and says how many it stands for. It counts as 100, and
   the rest is told. */
TEST(a_blocked_signal_is_one_late_tick) {
    bursty_stats stats;
    double end;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    if (!CHECK(has_ticked(1))) return;
    block(SIG_BLOCK);
    bursty_clear();
    burn_for(0.4); /* 400 periods */
    CHECK_EQ(ticks_now(), 0);
    bursty_get_stats(&stats);
    CHECK(stats.cpu_us >= 300000); /* which no tick saw */
    block(SIG_UNBLOCK);
    end = cpu_seconds() + 10;
    do bursty_get_stats(&stats);
    while (stats.ticks_late == 0 && cpu_seconds() < end);
    CHECK(stats.ticks_late > 0 && stats.ticks_late < 10000);
    CHECK(stats.ticks >= 100);
    CHECK_EQ(stats.ticks_lost, 0);
    bursty_stop();
}

/* Each period has one tick, at a random place. Of 100 places none is in the first
   quarter, or none in the last, with a chance of 7e-13. Ticks a period apart would be
   in step with whatever takes a period. */
TEST(ticks_are_due_at_random_moments_of_periods) {
    struct { long each_s, each_ns, s, ns; } left;
    int64_t period, place, at;
    int i, timer, early = 0, late = 0;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    block(SIG_BLOCK);
    period = bursty_p_timer_period();
    timer = (int)bursty_p_registered()->timer - 1;
    bursty_p_timed.period_at = (int64_t)bursty_p_thread_ns(NULL) + 1000 * period;
    for (i = 0; i < 100; i++) {
        at = bursty_p_timed.period_at;
        CHECK_EQ(bursty_p_timer_next(timer), 1);
        CHECK_EQ(bursty_p_timed.period_at - at, period);
        CHECK_EQ(syscall(SYS_timer_gettime, (long)timer, &left), 0);
        CHECK_EQ(left.each_s * 1000000000L + left.each_ns, 2 * period); /* if nobody plans more */
        place = (int64_t)bursty_p_thread_ns(NULL) + left.s * 1000000000L + left.ns
                - bursty_p_timed.period_at;
        early += place < period / 4;
        late += place > period / 4 * 3;
    }
    CHECK(early > 0 && late > 0);
    /* Half a period into the tenth one: ten had their ticks, or nine, equally often. */
    for (i = early = late = 0; i < 100; i++) {
        int passed;
        bursty_p_timed.period_at = (int64_t)bursty_p_thread_ns(NULL) - 9 * period - period / 2;
        passed = bursty_p_timer_next(timer);
        early += passed == 9;
        late += passed == 10;
    }
    CHECK(early > 0 && late > 0 && early + late == 100);
    /* The first period has begun at a random moment before: so its tick is still to come
       with one half, and the next one's comes within a period from now with another
       third. Of 600 times 500 then, and 445 to 555 in six standard errors. */
    for (i = early = 0; i < 600; i++) {
        CHECK_EQ(bursty_p_timer_begin(timer, (uint32_t)i * UINT32_C(0x9E3779B1)), 0);
        CHECK_EQ(syscall(SYS_timer_gettime, (long)timer, &left), 0);
        at = left.s * 1000000000L + left.ns;
        CHECK(at <= 2 * period);
        early += at < period;
    }
    CHECK(early > 444 && early < 556);
    CHECK_EQ(bursty_p_timer_next(timer + 100000), -1);
    block(SIG_UNBLOCK);
    bursty_stop();
}

/* Who takes the signal later gets it: then no tick comes, the CPU time shows
   it, and bursty_stop leaves the new handler alone. */
TEST(a_handler_of_the_user) {
    struct sigaction action, old;
    bursty_stats stats;
    double end;
    int number;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    number = bursty_p_tick_signal;
    memset(&action, 0, sizeof action);
    action.sa_handler = my_handler;
    block(SIG_BLOCK);
    bursty_clear();
    mine = 0;
    sigaction(number, &action, NULL);
    block(SIG_UNBLOCK);
    end = cpu_seconds() + 10;
    while (mine < 3 && cpu_seconds() < end) burn_for(0.005);
    CHECK(mine >= 3);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 0);
    CHECK(stats.cpu_us > 2000);
    bursty_stop();
    sigaction(number, NULL, &old);
    CHECK(old.sa_handler == my_handler);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
}

/* A signal in the middle of read: it goes on, and gets its byte. */
static int ends[2];
static pthread_t reader;
static void *interrupt_reader(void *argument) {
    int i;
    (void)argument;
    for (i = 0; i < 50; i++) {
        struct timespec moment = {0, 200000};
        pthread_kill(reader, bursty_p_tick_signal);
        nanosleep(&moment, NULL); /* gives read a chance to wait again; nothing depends on it */
    }
    if (write(ends[1], "x", 1) != 1) return NULL;
    return argument;
}

TEST(system_calls_go_on) {
    pthread_t other;
    void *result = NULL;
    char byte = 0;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
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
    bursty_stop();
}

/* As many threads as a game has: each has a record and a timer, and its time is
   in its scopes. */
enum { MANY = 70 };
static uint32_t waiting;
static void *wait_for_all(void *argument) {
    (void)BURST_CHECK();
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) < MANY) (void)sched_yield();
    burn_for(0.005);
    return argument;
}

TEST(seventy_threads_have_records_and_timers) {
    pthread_t thread[MANY];
    bursty_stats stats;
    int i;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    waiting = 0;
    for (i = 0; i < MANY; i++) CHECK_EQ(pthread_create(&thread[i], NULL, wait_for_all, ends), 0);
    for (i = 0; i < MANY; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.threads, MANY + 1);
    CHECK_EQ(stats.lost_threads, 0);
    CHECK_EQ(stats.untimed, 0);
    CHECK(has_ticked(1));
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks_lost, 0);
    bursty_stop();
    for (i = 0; i <= MANY; i++) CHECK_EQ(bursty_p_all.threads[i].timer, 0);
}

/* Threads begin and end while ticks are stopped: none of them keeps a timer,
   whose signal would end the program. */
static void *begin_and_burn(void *argument) {
    (void)BURST_CHECK();
    burn_for(0.002);
    bursty_thread_end();
    return argument;
}

TEST(stopped_while_threads_begin) {
    pthread_t thread[3];
    int i, k;
    for (k = 0; k < 20; k++) {
        if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
        for (i = 0; i < 3; i++)
            CHECK_EQ(pthread_create(&thread[i], NULL, begin_and_burn, ends), 0);
        for (i = 0; i < k % 4; i++) (void)sched_yield();
        bursty_stop();
        burn_for(0.001);
        for (i = 0; i < 3; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
        for (i = 0; i < 3; i++) CHECK_EQ(bursty_p_all.threads[i].timer, 0);
    }
}

#ifdef __GLIBC__
/* Ticks are sent by hand: the timers are taken away. */
#include <sys/mman.h>
#include <ucontext.h>
static ucontext_t of_thread, of_fiber;
static uint64_t fiber_stack[8192], handler_stack[8192];
static bursty_fiber told = { "told", 0, { NULL } };
static uint64_t astray;
static int is_wrong; /* threads do not check */

static uint64_t tick_here(void) {
    uint64_t before = bursty_p_ticks.astray;
    (void)raise(bursty_p_tick_signal);
    return bursty_p_ticks.astray - before;
}
static void fiber_ticks(void) {
    BURST_SCOPE("fiber");
    astray = tick_here();
    BURST_LEAVE();
    (void)swapcontext(&of_fiber, &of_thread);
}
static void run_fiber(void) {
    (void)getcontext(&of_fiber);
    of_fiber.uc_stack.ss_sp = fiber_stack;
    of_fiber.uc_stack.ss_size = sizeof fiber_stack;
    makecontext(&of_fiber, fiber_ticks, 0);
    (void)swapcontext(&of_thread, &of_fiber);
}
static void on_other_stack(int number) {
    (void)number;
    astray += tick_here();
}
static uint64_t tick_deep(int depth) {
    volatile char room[65536];
    uint64_t sum;
    room[0] = room[65535] = 0;
    sum = depth ? tick_deep(depth - 1) : tick_here();
    return sum + (uint64_t)room[0]; /* no tail call */
}
static void tick_in_handler(void) {
    struct sigaction action;
    stack_t other;
    memset(&other, 0, sizeof other);
    other.ss_sp = handler_stack;
    other.ss_size = sizeof handler_stack;
    (void)sigaltstack(&other, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_other_stack;
    action.sa_flags = SA_ONSTACK;
    (void)sigaction(SIGUSR2, &action, NULL);
    (void)raise(SIGUSR2);
    other.ss_flags = SS_DISABLE;
    (void)sigaltstack(&other, NULL);
}

/* On its own stack, at any depth, and in a handler on another one: none. On a
   fiber: all, until the thread says which one runs. */
static void *tick_everywhere(void *megabytes) {
    volatile char here[65536]; /* locked, as programs in real time do: more than one mapping */
    BURST_SCOPE("everywhere");
    bursty_p_disarm(bursty_p_registered());
    here[0] = 0;
    (void)mlock((const void *)&here[8192], 4096);
    astray = tick_here() + tick_deep(*(int *)megabytes * 16);
    tick_in_handler();
    is_wrong |= astray != 0;
    run_fiber();
    is_wrong |= astray != 1;
    (void)bursty_fiber_switch(&told);
    run_fiber();
    (void)bursty_fiber_switch(NULL);
    is_wrong |= astray != 0;
    BURST_LEAVE();
    return NULL;
}

TEST(ticks_on_stacks_of_which_nobody_told) {
    int few = 1, many = 12; /* more than what is taken for a stack without a look */
    pthread_attr_t large;
    pthread_t thread;
    tally t;
    if (!start_timers()) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    bursty_p_disarm(bursty_p_registered());
    run_fiber(); /* no scope is open below: its own one is */
    CHECK_EQ(astray, 1);
    (void)tick_everywhere(&few);
    CHECK_EQ(is_wrong, 0);
    CHECK_EQ(pthread_attr_init(&large), 0);
    CHECK_EQ(pthread_attr_setstacksize(&large, 32 << 20), 0);
    CHECK_EQ(pthread_create(&thread, &large, tick_everywhere, &many), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(is_wrong, 0);
    bursty_stop();
    read_dump(&t);
    CHECK(t.programs.count == 1 && t.programs.at[0].ticks_astray == 3);
    kind_sampled.free(&t);
}
#endif
#endif
