/* test_bursty_sent.c - ticks that a thread of bursty.h sends at random moments:
   their sum is the CPU time, exec and signals of the program's own, a fork,
   looks that count differently; and timers that run in step. Each test waits for
   what it wants to see. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "report/model/interval.h"
#include <math.h>
#include "no_signals.inc"
#define BURSTY_IMPLEMENTATION
#include "bursty.h"

/* A row of p = 1/10 of 1000 ticks. Alone among looks of 100 that count 1 each it
   may be one look of 100: its variance is 100^2 .9^2 + 900 .1^2, where looks that
   count alike would have .09 (100^2 + 900). */
TEST(a_row_of_few_looks_is_less_sure) {
    const double part = interval_part_of_worth(100, 10000, 1000, 10900);
    const double expected = .09 * 10900 / (10000 * .81 + 900 * .01);
    CHECK(part > expected - 1e-9 && part < expected + 1e-9);
    CHECK(interval_part_of_worth(100, 1000, 1000, 10000) == 1);
    CHECK(interval_part_of_worth(900, 900, 1000, 10900) < part + 1e-9); /* from the other side */
    CHECK(interval_part_of_worth(100, 100, 1000, 10900) == 1);
    CHECK(interval_part_of_worth(0, 0, 1000, 1000) == 1);
    CHECK(interval_part_of_worth(1000, 1000, 1000, 1000) == 1);
    CHECK(interval_part_of_worth(0, 0, 0, 0) == 1);
}

#if defined(BURSTY_P_TICKER) && !defined(TEST_NO_SIGNALS)
#include <sys/wait.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static volatile unsigned sink;
static void burn_for(double seconds) {
    const double end = cpu_seconds() + seconds;
    int i;
    while (cpu_seconds() < end)
        for (i = 0; i < 1000; i++) sink = sink * 1664525u + 1013904223u;
}
static bursty_stats stats_now(void) {
    bursty_stats stats;
    bursty_get_stats(&stats);
    return stats;
}
static void start(int32_t hz) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.tick_hz = hz;
    config.watch = 2;
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(stats_now().no_time, BURSTY_TIME_IS_ON);
    CHECK_EQ(bursty_p_ticks.is_sent, 1);
    BURST_ENTRY();
}
/* Until there are n ticks, or 20 s of CPU time are gone. */
static int has_ticked(uint64_t n) {
    const double end = cpu_seconds() + 20;
    while (stats_now().ticks < n && cpu_seconds() < end) burn_for(.002);
    return stats_now().ticks >= n;
}

/* Looks of weight w come at random: ticks times .1 ms are the CPU time, but for
   six standard deviations and for a look that is not paid for yet. */
TEST(ticks_are_the_cpu_time) {
    const double began = cpu_seconds();
    double squares = 0, ticks, cpu, slack;
    uint32_t i;
    start(0);
    CHECK_EQ(bursty_p_ticks.period_us, 100);
    CHECK_EQ(bursty_p_ticks.usual, 100);
    burn_for(1);
    bursty_stop();
    ticks = (double)stats_now().ticks + (double)stats_now().ticks_late;
    cpu = 1e4 * (cpu_seconds() - began);
    for (i = 0; i < bursty_p_ticks.row_count; i++)
        squares += (double)bursty_p_ticks.rows[i].sum[BURSTY_P_TICK_SQUARES];
    slack = 6 * sqrt(squares) + 2000;
    CHECK(ticks > cpu - slack && ticks < cpu + slack);
    if (ticks < cpu - slack || ticks > cpu + slack) printf("%.0f of %.0f\n", ticks, cpu);
    /* The thread's own is left out. */
    CHECK(bursty_p_watcher.own_us > 0);
    CHECK(stats_now().cpu_us + bursty_p_watcher.own_us <= bursty_p_cpu_us());
    CHECK((double)stats_now().cpu_us < 1e6 * (cpu_seconds() - began) + 50000);
}

/* 256 looks that count 1, 128 of 2, 128 of 4 ..., up to what it may cost. */
TEST(first_looks_are_frequent) {
    static bursty_p_round round;
    uint32_t n, expected = 1, left = 256;
    start(0);
    bursty_stop();
    round.pace = 1;
    round.left = BURSTY_P_FIRST;
    round.has_run = 1;
    round.gap = 1;
    bursty_p_watcher.cost_ns = 10000; /* .1 % of 10 ms */
    for (n = 0; n < 2000; n++) {
        CHECK_EQ(round.gap, expected < 100 ? expected : 100);
        round.gap = bursty_p_watcher_next_gap(&round, 100000);
        if (--left == 0) {
            expected *= 2;
            left = 128;
        }
    }
    bursty_p_watcher.cost_ns = 20000;
    n = bursty_p_watcher_next_gap(&round, 100000);
    CHECK(n >= 200 && n <= 201);
    bursty_p_watcher.cost_ns = 1000000;
    CHECK_EQ(bursty_p_watcher_next_gap(&round, 100000), 1600);
    round.pace = 2;
    round.left = 127;
    CHECK_EQ(bursty_p_watcher_next_gap(&round, 100000), 40); /* a quarter of a processor */
    bursty_p_watcher.cost_ns = 10000;
    CHECK_EQ(bursty_p_watcher_next_gap(&round, 100000), 2);
    round.has_run = 0;
    round.idle_ns = 500000000;
    CHECK_EQ(bursty_p_watcher_next_gap(&round, 100000), 16);
    round.pace = 1600;
    CHECK_EQ(bursty_p_watcher_next_gap(&round, 100000), 800);
    start(1000); /* who asks for a rate gets it */
    bursty_stop();
    CHECK_EQ(bursty_p_ticks.period_us, 1000);
    round.pace = BURSTY_P_LONGEST;
    round.has_run = 1;
    CHECK_EQ(bursty_p_watcher_next_gap(&round, 100000), 1);
}

/* A late round is worth the CPU time since the last one, and no more; of who
   waits by then it goes with the next tick. */
TEST(late_rounds_are_worth_the_cpu_time) {
    static bursty_p_round round;
    bursty_p_thread *t;
    uint64_t before;
    uint32_t i;
    start(0);
    bursty_p_watcher_end(); /* nobody looks beside us */
    t = bursty_p_registered();
    if (!CHECK(t != NULL)) return;
    t->system = bursty_p_system_me();
    t->owed = t->carried = 0;
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
    memset(&round, 0, sizeof round);
    round.gap = 100;
    round.is_late = 1;
    bursty_p_watcher_look_to_send(&round, t, 0);
    bursty_p_watcher_forget_counts();
    before = t->ran_ns;
    t->ran_ns -= before < 7000000 ? before : 7000000;
    bursty_p_watcher_look_to_send(&round, t, 7000000);
    CHECK(t->pending >= 69 && t->pending <= 70);
    CHECK_EQ(stats_now().looks_late, t->pending);
    bursty_p_watcher_settle(&round, t, BURSTY_P_WAITS);
    CHECK(t->pending == 0 && t->carried >= 69 && t->carried <= 70);
    for (i = 0; i < 2; i++) { /* on time: what the gap is worth */
        before = stats_now().ticks;
        round.is_late = 0;
        burn_for(.0001);
        bursty_p_watcher_look_to_send(&round, t, 10000000);
        CHECK_EQ(t->pending, 100);
        CHECK(stats_now().looks_late <= 70); /* these are not late */
        t->owed = 0;
        CHECK_EQ(bursty_p_watcher_look_again(&round, t, 0, 1), 0);
        CHECK_EQ(stats_now().ticks - before, i == 0 ? 100 + 70 - (stats_now().ticks - before == 169) : 100);
    }
    round.is_late = 1; /* it has ended, as the watcher sees it */
    t->pending = 5;
    t->found = BURSTY_P_UNKNOWN;
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_CLOSED);
    before = stats_now().ticks_late;
    CHECK_EQ(bursty_p_watcher_look_again(&round, t, 0, 1), 0);
    CHECK_EQ(stats_now().ticks_late, before + 5);
    bursty_stop();
}

/* Whom the watcher displaced is ready, and believed until its ticks are a look
   ahead of its CPU time. */
TEST(who_is_ready_is_believed_up_to_a_look) {
    static bursty_p_round round;
    bursty_p_thread t;
    int k;
    start(0);
    bursty_stop();
    if (bursty_p_system_state(bursty_p_system_me()) != BURSTY_P_READY) {
        BURSTY_P_RELEASE(&bursty_p_watcher.has_own_files, 1);
        if (bursty_p_system_state(bursty_p_system_me()) != BURSTY_P_READY) {
            SKIP("there is no /proc");
            return;
        }
    }
    memset(&round, 0, sizeof round);
    round.gap = 100;
    for (k = 0; k < 2; k++) {
        memset(&t, 0, sizeof t);
        t.pending = 100;
        t.found = BURSTY_P_UNKNOWN;
        t.asks = bursty_p_system_me();
        t.unpaid_ns = k ? -10000001 : -10000000;
        CHECK_EQ(bursty_p_watcher_ask(&round, &t), !k);
        CHECK_EQ(t.pending, k ? 0 : 100);
        CHECK_EQ(t.carried, 0);
    }
}

/* A tick may be on its way while another program takes this one's place: it is
   of a signal that is ignored there. */
TEST(exec_in_the_middle_of_ticks) {
    int i;
    for (i = 0; i < 30; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            bursty_config config;
            memset(&config, 0, sizeof config);
            config.tick_hz = 10000;
            config.watch = 2;
            if (bursty_start(&config) == 0) _exit(90);
            BURST_ENTRY();
            burn_for(.002);
            (void)raise(bursty_p_tick_signal); /* and one is there in any case: it is blocked */
            execl("/bin/sh", "sh", "-c", "exit 7", (char *)0);
            _exit(99);
        }
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
}

/* The program has SIGURG: timers tick, in units of .1 ms, too. */
static volatile sig_atomic_t mine;
static void my_handler(int number) {
    (void)number;
    mine++;
}
TEST(who_has_the_signal_gets_timers) {
    struct sigaction action, old;
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.watch = 2;
    memset(&action, 0, sizeof action);
    action.sa_handler = my_handler;
    CHECK_EQ(sigaction(SIGURG, &action, &old), 0);
    CHECK(bursty_start(&config) > 0);
    BURST_ENTRY();
    CHECK_EQ(bursty_p_ticks.is_sent, 0);
    CHECK(bursty_p_tick_signal > SIGRTMIN);
    CHECK(has_ticked(300));
    CHECK_EQ(stats_now().ticks % 100, 0);
    CHECK(bursty_p_ticks.rows[0].sum[BURSTY_P_TICK_SQUARES] >= 100 * bursty_p_ticks.rows[0].sum[0]);
    CHECK_EQ(mine, 0);
    bursty_stop();
    CHECK_EQ(sigaction(SIGURG, &old, &action), 0);
    CHECK(action.sa_handler == my_handler);
}

/* It takes the signal later: nothing is sent any more, and nothing is counted. */
TEST(who_takes_the_signal_later_gets_none) {
    struct sigaction action, old;
    uint64_t ticks;
    start(1000);
    CHECK(has_ticked(2));
    memset(&action, 0, sizeof action);
    action.sa_handler = my_handler;
    mine = 0;
    CHECK_EQ(sigaction(SIGURG, &action, &old), 0);
    burn_for(.01); /* one may have been on its way */
    ticks = stats_now().ticks;
    burn_for(.05);
    CHECK_EQ(stats_now().ticks, ticks);
    CHECK(mine <= 1);
    bursty_stop();
    action.sa_handler = SIG_DFL;
    CHECK_EQ(sigaction(SIGURG, &action, NULL), 0);
}

/* A blocked signal is one signal, and its ticks wait. */
TEST(a_blocked_signal_waits_once) {
    sigset_t set;
    uint64_t ticks;
    start(1000);
    CHECK(has_ticked(2));
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    CHECK_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    burn_for(.01);
    ticks = stats_now().ticks;
    while (__atomic_load_n(&bursty_p_registered()->owed, __ATOMIC_ACQUIRE) < 120) burn_for(.01);
    CHECK_EQ(stats_now().ticks, ticks);
    CHECK_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    CHECK(stats_now().ticks >= ticks + 100);
    CHECK(stats_now().ticks_late >= 20);
    bursty_stop();
}

/* A signal of somebody else is no tick. */
TEST(a_signal_of_others_is_no_tick) {
    start(1);
    bursty_p_watcher_end();
    bursty_p_registered()->owed = 0;
    bursty_clear();
    (void)raise(SIGURG);
    CHECK_EQ(stats_now().ticks, 0);
    bursty_p_registered()->owed = 3;
    (void)raise(SIGURG);
    CHECK_EQ(stats_now().ticks, 3);
    bursty_stop();
}

/* A child of fork has timers. It counts from zero. */
TEST(a_forked_child_has_timers) {
    int status = -1;
    pid_t child;
    start(0);
    CHECK(has_ticked(100));
    child = fork();
    if (child == 0) {
        int bad = stats_now().ticks != 0;
        bad |= bursty_p_ticks.is_sent ? 2 : 0;
        bad |= bursty_p_watcher.exists ? 4 : 0;
        bad |= has_ticked(300) ? 0 : 8;
        bad |= stats_now().ticks % 100 ? 16 : 0;
        _exit(bad);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    bursty_stop();
}

/* Threads that begin and end all the time: their records go from one to the
   next, and no signal comes behind bursty_stop. */
static void *short_life(void *argument) {
    (void)BURST_CHECK();
    burn_for(.0005);
    return argument;
}
TEST(threads_come_and_go) {
    pthread_t thread[4];
    int i, k;
    start(5000);
    for (k = 0; k < 60; k++) {
        for (i = 0; i < 4; i++) CHECK_EQ(pthread_create(&thread[i], NULL, short_life, NULL), 0);
        for (i = 0; i < 4; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
    }
    CHECK(stats_now().ticks > 0);
    CHECK_EQ(stats_now().untimed, 0);
    bursty_stop();
    burn_for(.005);
}

/* ---- timers in step ---- */

TEST(the_remainder_that_stands_out) {
    static bursty_p_steps steps;
    uint32_t step, tick, r;
    CHECK_EQ(bursty_p_worst_step(&steps, &step), 0);
    for (tick = 0; tick < 500; tick += 5) { /* each fifth tick of the clock */
        for (r = 2; r <= BURSTY_P_STEPS; r++) steps.at[r * (r - 1) / 2 + (tick + 3) % r]++;
        steps.count++;
    }
    CHECK_EQ(bursty_p_worst_step(&steps, &step), 100);
    CHECK(step == 5);
    memset(&steps, 0, sizeof steps);
    for (tick = 0; tick < 6000; tick++) { /* all of them: nothing stands out by a quarter */
        for (r = 2; r <= BURSTY_P_STEPS; r++) steps.at[r * (r - 1) / 2 + tick % r]++;
        steps.count++;
    }
    r = bursty_p_worst_step(&steps, &step);
    CHECK(r < 6000 / step + 1500);
}

/* Who runs on is not asked, and neither is a thread's first tick. */
TEST(only_ticks_behind_a_sleep_count) {
    static bursty_p_steps steps;
    uint64_t last = 0;
    bursty_p_begin_steps(&steps);
    if (steps.clock_ns == 0) {
        SKIP("the kernel does not tell how long its ticks are");
        return;
    }
    bursty_p_step(&steps, &last, 10000);
    CHECK(last != 0 && steps.count == 0);
    last -= 15000000 + steps.clock_ns - steps.clock_ns / 2;
    bursty_p_step(&steps, &last, 20000);
    CHECK_EQ(steps.count, 0);
    last = bursty_p_coarse_ns(0) - 15000001 - steps.clock_ns;
    bursty_p_step(&steps, &last, 10000);
    CHECK_EQ(steps.count, 1);
    CHECK_EQ(steps.at[1] + steps.at[2], 1);
}
#endif
