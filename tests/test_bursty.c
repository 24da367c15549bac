/* test_bursty.c - when bursts begin and end: the schedule against Figure 3,
   actions, settings. */
#define _XOPEN_SOURCE 700 /* sigaction, setitimer */
#include "bursty.inc"
#include <setjmp.h>

/* ---- schedule ---- */

TEST(figure_3_decision_for_decision) {
    uint32_t checks, instrs, i, wrong = 0, compared = 0;
    for (checks = 1; checks <= 40; checks++)
        for (instrs = 1; instrs <= 12; instrs++) {
            bursty_profile p = plain_profile(checks, instrs);
            figure3 f = figure3_make(checks, instrs);
            start_with(&p, 0);
            for (i = 0; i < 2000; i++, compared++)
                wrong += (BURST_CHECK() != 0) != figure3_check(&f);
        }
    CHECK_EQ(compared, 960000);
    CHECK_EQ(wrong, 0);
}

/* Several profiles, one merged word: each keeps the sequence that it would have
   alone. */
TEST(merged_profiles_do_not_disturb_one_another) {
    uint64_t random = 7;
    uint32_t round, i, p, wrong = 0;
    for (round = 0; round < 300; round++) {
        figure3 f[BURSTY_PROFILES];
        int on[BURSTY_PROFILES] = { 0 };
        uint64_t events = 0;
        uint32_t n = 1 + round % BURSTY_PROFILES;
        start_with(NULL, round);
        bursty_set_profile(0, NULL);
        for (i = 0; i < 3000; i++) {
            uint32_t wanted = 0;
            /* Change one in flight. */
            if (i == 0 || test_random(&random) % 100 == 0) {
                bursty_profile set = plain_profile(1 + (uint32_t)(test_random(&random) % 60),
                                                   1 + (uint32_t)(test_random(&random) % 9));
                p = (uint32_t)(test_random(&random) % n);
                set.action = count_event;
                set.user = &events;
                on[p] = test_random(&random) % 5 != 0;
                CHECK(bursty_set_profile((int)p, on[p] ? &set : NULL) == 0);
                f[p] = figure3_make(set.every, set.burst);
            }
            for (p = 0; p < n; p++) if (on[p] && figure3_check(&f[p])) wanted |= 1u << p;
            wrong += (BURST_CHECK() != 0) != (wanted != 0);
            wrong += bursty_in_burst() != wanted;
        }
    }
    CHECK_EQ(wrong, 0);
}

TEST(rates_are_exact_together) {
    static const uint32_t sets[3][2] = { { 990, 10 }, { 4950, 50 }, { 99, 1 } };
    uint64_t seen[3] = { 0, 0, 0 };
    uint32_t i;
    start_with(NULL, 1);
    for (i = 0; i < 3; i++) {
        bursty_profile p = plain_profile(sets[i][0], sets[i][1]);
        p.action = count_event;
        p.user = &seen[i];
        CHECK_EQ(bursty_set_profile((int)i, &p), 0);
    }
    for (i = 0; i < 1000000; i++) { BURST_POINT(BURSTY_USER, "tick", i); }
    for (i = 0; i < 3; i++) CHECK_EQ(seen[i], 10000);
}

/* Awake for 3 bursts, then asleep for 5 periods. */
TEST(awake_and_hibernate) {
    bursty_profile p = plain_profile(7, 2);
    uint32_t i, wrong = 0, in = 0;
    p.awake_count = 3;
    p.hibernate_count = 5;
    start_with(&p, 0);
    for (i = 1; i <= 7200; i++) {
        /* 3 (7 + 2) awake, 5 (7 + 2) asleep. */
        uint32_t at = (i - 1) % 72, live = BURST_CHECK() != 0;
        /* The first gap is one short. */
        uint32_t phase = (at + 1) % 72;
        int wanted = phase < 27 && phase % 9 >= 7;
        wrong += live != (uint32_t)wanted;
        in += live;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(in, 600);
}

TEST(always_is_the_full_profile) {
    event_log log = { 0, 0, NULL };
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    uint32_t i;
    p.action = log_event;
    p.user = &log;
    start_with(&p, 0);
    for (i = 0; i < 200000; i++) { BURST_POINT(BURSTY_USER, "all", i); }
    CHECK_EQ(log.count, 200000);
    CHECK(log.count && log.entry[199999].value == 199999 && log.entry[0].weight == 256);
    free(log.entry);
}

/* Jitter keeps the mean, and the drawn first gap samples threads that are
   shorter than the period. */
TEST(jitter_keeps_the_rate) {
    uint64_t in = 0, all = 0;
    uint32_t round, i, length;
    start_with(NULL, 3);
    for (i = 0; i < 3000000; i++) in += BURST_CHECK() != 0;
    CHECK(in > 29600 && in < 30400);
    for (length = 5; length <= 500; length *= 10) {
        in = all = 0;
        for (round = 0; round < 20000; round++) {
            start_with(NULL, round + 1);
            for (i = 0; i < length; i++, all++) in += BURST_CHECK() != 0;
        }
        CHECK((double)in / (double)all > 0.008 && (double)in / (double)all < 0.012);
    }
}

/* A period of 200 events against 1:99: without jitter the sample sees the same
   two events for ever. */
TEST(jitter_breaks_resonance) {
    int jitter;
    for (jitter = -1; jitter <= 12; jitter += 13) {
        uint64_t seen[200] = { 0 }, sum = 0;
        double overlap = 0;
        bursty_profile p = plain_profile(99, 1);
        uint32_t i;
        p.jitter = jitter;
        start_with(&p, 5);
        for (i = 0; i < 4000000; i++)
            if (BURST_CHECK()) {
                seen[i % 200]++;
                sum++;
            }
        for (i = 0; i < 200; i++) {
            double share = (double)seen[i] / (double)sum;
            overlap += share < 0.005 ? share : 0.005;
        }
        if (jitter < 0) CHECK(overlap < 0.02);
        else            CHECK(overlap > 0.95);
    }
}

/* ---- bursts ---- */

TEST(begin_and_end_frame_every_burst) {
    event_log log = { 0, 0, NULL };
    bursty_profile p = plain_profile(20, 4);
    uint32_t i, inside = 0, number = 0, wrong = 0, in_burst = 0;
    p.classes = (uint32_t)BURSTY_ANY | (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END;
    p.action = log_event;
    p.user = &log;
    start_with(&p, 0);
    for (i = 0; i < 2400; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    for (i = 0; i < log.count; i++) {
        const log_entry *e = &log.entry[i];
        if (e->kind == BURSTY_BEGIN) {
            wrong += in_burst;
            in_burst = 1;
            inside = 0;
            number++;
            wrong += strcmp(e->site->name, "(burst)") != 0;
        } else if (e->kind == BURSTY_END) {
            wrong += !in_burst || inside != 4;
            in_burst = 0;
        } else {
            wrong += !in_burst;
            inside++;
        }
        wrong += e->burst != number;
        wrong += e->weight != 24 * 256 / 4;
    }
    CHECK_EQ(number, 100);
    CHECK_EQ(wrong, 0);
    log.count = 0;
    /* The last END, then into the next burst. */
    for (i = 0; i < 20; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    /* A change ends the burst. */
    bursty_set_profile(0, NULL);
    CHECK(log.count > 2);
    CHECK_EQ(log.entry[log.count - 1].kind, BURSTY_END);
    free(log.entry);
}

/* Checks inside an action neither sample nor count. */
static BURST_DUAL(int, called_by_action, (int n), (n)) { return n; }
static void checking_action(void *user, const bursty_event *e) {
    uint64_t *count = (uint64_t *)user;
    int i;
    (void)e;
    ++*count;
    for (i = 0; i < 50; i++) {
        called_by_action(i);
        BURST_POINT(BURSTY_USER, "in action", i);
    }
    BURST_FOR_LEAF(int, k, 0, 100, { if (k == 50) { break; } })
}

TEST(actions_may_check) {
    bursty_profile p = plain_profile(7, 3);
    uint64_t count = 0;
    bursty_stats stats;
    uint32_t i;
    p.action = checking_action;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 100000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 100000);
    CHECK_EQ(count, 30000);
}

static void setting_action(void *user, const bursty_event *e) {
    bursty_profile p = plain_profile(3, 1);
    ++*(uint64_t *)user;
    (void)e;
    p.action = count_event;
    p.user = user;
    bursty_set_profile(0, &p);
}

TEST(an_action_may_set_its_own_profile) {
    bursty_profile p = plain_profile(100, 10);
    uint64_t count = 0;
    uint32_t i;
    p.action = setting_action;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 109; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 10);
    for (i = 0; i < 400; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 110);
}

static int set_off(bursty_profile *p, int off) {
    p->off = off;
    return bursty_set_profile(0, p);
}

TEST(switching_and_bad_settings) {
    bursty_profile p = plain_profile(9, 1);
    uint64_t count = 0;
    uint32_t i;
    p.action = count_event;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 100; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 10);
    CHECK_EQ(set_off(&p, 1), 0);
    for (i = 0; i < 100000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 10);
    CHECK_EQ(set_off(&p, 0), 0);
    for (i = 0; i < 100; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 20);
    CHECK_EQ(bursty_set_profile(-1, &p), -1);
    CHECK_EQ(bursty_set_profile(BURSTY_PROFILES, &p), -1);
    p.every = (1u << 30) + 1;
    CHECK_EQ(bursty_set_profile(0, &p), -1);
    p = plain_profile(10, 1);
    p.jitter = 101;
    CHECK_EQ(bursty_set_profile(0, &p), -1);
}

TEST(a_refused_start_changes_nothing) {
    static uint64_t memory[8];
    bursty_config config;
    bursty_stats stats;
    uint32_t i;
    start_with(NULL, 0);
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    CHECK_EQ(bursty_start(&config), 0);
    config.memory = NULL;
    config.profile.jitter = 101;
    CHECK_EQ(bursty_start(&config), 0);
    for (i = 0; i < 5000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 5000);
}

static uint64_t set_at_end_count;
static void set_at_end(void *user, const bursty_event *e) {
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    (void)user;
    if (e->kind != BURSTY_END) return;
    p.action = count_event;
    p.user = &set_at_end_count;
    bursty_set_profile(1, &p);
}

TEST(an_end_action_may_set_another_profile) {
    bursty_profile p = plain_profile(990, 10);
    uint32_t i;
    p.action = set_at_end;
    p.classes = BURSTY_END;
    set_at_end_count = 0;
    start_with(&p, 0);
    for (i = 0; i < 995; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    /* Ends the burst, whose END sets profile 1. */
    bursty_set_profile(0, NULL);
    for (i = 0; i < 100000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK(set_at_end_count > 99000);
}

static jmp_buf action_jump;
static void jumping_action(void *user, const bursty_event *e) {
    (void)e;
    ++*(uint64_t *)user;
    longjmp(action_jump, 1);
}

TEST(longjmp_out_of_an_action) {
    bursty_profile p = plain_profile(90, 10);
    uint64_t count = 0;
    volatile uint32_t i;
    p.action = jumping_action;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 10000; i++) {
        if (setjmp(action_jump)) {
            bursty_set_depth(0);
            continue;
        }
        BURST_POINT(BURSTY_USER, "p", 0);
    }
    CHECK(count > 90 && count < 1100);
}

/* ---- signals ---- */

#if defined(__unix__) && !defined(TEST_NO_SIGNALS)
#include <signal.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint32_t handled;
static void handler(int number) {
    int i;
    (void)number;
    for (i = 0; i < 7; i++) {
        BURST_POINT(BURSTY_USER, "handler", i);
        called_by_action(i);
    }
    handled++;
}

TEST(signal_handlers_may_check) {
    bursty_profile p = plain_profile(18, 7);
    bursty_stats stats;
    uint64_t count = 0, i, checks = 20000000;
    struct itimerval timer;
    struct sigaction action;
    p.action = checking_action;
    p.user = &count;
    p.jitter = 12;
    memset(&timer, 0, sizeof timer);
    start_with(&p, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    timer.it_interval.tv_usec = timer.it_value.tv_usec = 100;
    setitimer(ITIMER_REAL, &timer, NULL);
    p.action = count_event;
    bursty_set_profile(0, &p);
    for (i = 0; i < checks; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    bursty_get_stats(&stats);
    CHECK(stats.checks >= checks && stats.checks <= checks + UINT64_C(14) * handled);
    CHECK((double)count > 0.275 * (double)checks
          && (double)count < 0.285 * (double)checks + 14.0 * handled);
    CHECK(stats.events >= count);
}

/* ---- a handler that does not return ---- */

static sigjmp_buf handler_jump;
static volatile sig_atomic_t may_jump;
static void jumping_handler(int number) {
    (void)number;
    if (!may_jump) return;
    may_jump = 0;
    siglongjmp(handler_jump, 1);
}

static void check_apart(void) { BURST_LOOP(); }
#if defined(__GNUC__) /* the function that takes the jump has no check, which may be assembly */
static void (*volatile check)(void) = check_apart;
#else
#define check check_apart
#endif

/* Without a look at the schedule, as bursty_get_stats has one. */
static void add_count(void *user, const bursty_row *row) { *(uint64_t *)user += row->count; }
static uint64_t events_counted(void) {
    uint64_t sum = 0;
    bursty_each(add_count, &sum);
    return sum;
}

/* Each check takes the slow path, so that most signals arrive there. Whatever
   they interrupt, the next checks are sampled, and new settings are taken. */
TEST(a_handler_may_leave_the_slow_path) {
    bursty_profile always = plain_profile(BURSTY_ALWAYS, 0), off = always;
    volatile uint32_t jumps = 0, unsampled = 0;
    struct itimerval timer;
    struct sigaction action;
    uint64_t before;
    int i;
    memset(&timer, 0, sizeof timer);
    memset(&action, 0, sizeof action);
    action.sa_handler = jumping_handler;
    start_with(&always, 0);
    check();
    sigaction(SIGALRM, &action, NULL);
    timer.it_interval.tv_usec = timer.it_value.tv_usec = 100;
    setitimer(ITIMER_REAL, &timer, NULL);
    while (jumps < 200) {
        if (sigsetjmp(handler_jump, 1) == 0) {
            may_jump = 1;
            for (i = 0; i < 20000000; i++) check();
            may_jump = 0; /* the thread sanitizer holds signals back */
            SKIP("no signal arrives in 20 million checks");
            break;
        }
        bursty_set_depth(0);
        jumps++;
        before = events_counted();
        for (i = 0; i < 10; i++) check();
        unsampled += events_counted() != before + 10;
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    CHECK_EQ(unsampled, 0);
    off.off = 1;
    CHECK_EQ(bursty_set_profile(0, &off), 0);
    before = events_counted();
    for (i = 0; i < 1000; i++) check();
    CHECK_EQ(events_counted(), before);
}
#endif
