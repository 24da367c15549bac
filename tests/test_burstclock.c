/* test_burstclock.c - times inside bursts and the budget, on a simulated clock. */
#include "bursty.inc"

static uint64_t now_ns, event_cost_ns;

static uint64_t simulated_clock(void *user) {
    (void)user;
    return now_ns += 20;
}

static uint64_t plain_clock(void *user) {
    (void)user;
    return now_ns;
}

/* ---- the budget: every event costs heavily ---- */

static void costly_action(void *user, const bursty_event *e) {
    (void)e;
    ++*(uint64_t *)user;
    now_ns += event_cost_ns;
}

TEST(budget_is_held_when_costs_jump) {
    static burstclock c;
    uint32_t ppm, phase;
    for (ppm = 10000; ppm <= 20000; ppm += 10000) {
        bursty_config config;
        uint64_t events = 0;
        CHECK_EQ(burstclock_init(&c, simulated_clock, NULL, NULL, NULL), 0);
        CHECK_EQ(c.cost, 20);
        c.budget_ppm = ppm;
        memset(&config, 0, sizeof config);
        config.profile.action = costly_action;
        config.profile.user = &events;
        config.pace = burstclock_pace;
        config.pace_user = &c;
        CHECK(bursty_start(&config) > 0);
        for (phase = 0; phase < 3; phase++) {
            uint64_t i, start, checks = 20000000;
            double overhead;
            event_cost_ns = phase == 1 ? 20000 : 500;
            for (i = 0; i < checks / 4; i++) { /* settle */
                BURST_POINT(BURSTY_USER, "p", i);
                now_ns += 10;
            }
            start = now_ns;
            for (i = 0; i < checks; i++) {
                BURST_POINT(BURSTY_USER, "p", i);
                now_ns += 10;
            }
            overhead = (double)(now_ns - start) / (10.0 * (double)checks) - 1;
            CHECK(overhead > 0.3 * ppm / 1e6 && overhead < 1.6 * ppm / 1e6);
        }
        CHECK(events > 100);
    }
}

TEST(no_clock_is_refused) {
    static burstclock c;
    CHECK_EQ(burstclock_init(&c, NULL, NULL, NULL, NULL), -1);
}

/* ---- times ---- */

static uint64_t inner_ns = 30;
static void timed_inner(void) {
    BURST_SCOPE("inner");
    now_ns += inner_ns;
    BURST_LEAVE();
}

static void timed_outer(void) {
    BURST_SCOPE("outer");
    now_ns += 5;
    timed_inner();
    now_ns += 7;
    BURST_LEAVE();
}

static void start_timed(burstclock *c) {
    bursty_config config;
    bursty_profile times = plain_profile(BURSTY_ALWAYS, 0);
    memset(&config, 0, sizeof config);
    config.profile = plain_profile(BURSTY_ALWAYS, 0);
    config.clock_hz = 1000000000;
    CHECK_EQ(burstclock_init(c, plain_clock, NULL, NULL, NULL), 0);
    times.classes = (uint32_t)BURSTY_ANY | (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END;
    times.action = burstclock_event;
    times.user = c;
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(bursty_set_profile(1, &times), 0);
}

TEST(time_goes_to_the_innermost_scope) {
    static burstclock c;
    bursty_row rows[4];
    int i;
    start_timed(&c);
    for (i = 0; i < 1000; i++) timed_outer();
    CHECK_EQ(bursty_top(rows, 4, 0), 2);
    CHECK_STR(rows[0].site->name, "inner");
    CHECK_EQ(rows[0].ticks, 30000);
    CHECK_EQ(rows[0].count, 1000);
    CHECK_EQ(rows[1].ticks, 12000);
    CHECK_EQ(c.dropped, 0);
}

TEST(time_of_points_goes_to_the_scope_around_them) {
    static burstclock c;
    bursty_row rows[4];
    size_t i, n;
    start_timed(&c);
    BURST_POINT(BURSTY_USER, "outside", 0);
    now_ns += 11;
    {
        BURST_SCOPE("scope");
        now_ns += 3;
        BURST_POINT(BURSTY_USER, "inside", 0);
        now_ns += 4;
        BURST_LEAVE();
    }
    bursty_set_profile(1, NULL);
    n = bursty_top(rows, 4, 0);
    CHECK_EQ(n, 3);
    for (i = 0; i < n; i++) {
        int s = strcmp(rows[i].site->name, "scope") == 0;
        int o = strcmp(rows[i].site->name, "outside") == 0;
        CHECK_EQ(rows[i].ticks, s ? 7 : o ? 11 : 0);
    }
}

/* A preemption in one interval of a thousand: left out and counted. A lasting change is
   followed. */
TEST(a_preemption_is_left_out) {
    static burstclock c;
    bursty_row rows[4];
    int i;
    start_timed(&c);
    for (i = 0; i < 1000; i++) {
        inner_ns = i == 500 ? 10000000 : 30;
        timed_outer();
    }
    CHECK_EQ(c.dropped, 1);
    CHECK_EQ(bursty_top(rows, 4, 0), 2);
    CHECK_EQ(rows[0].ticks + rows[1].ticks, 999 * 30 + 12000);
    inner_ns = 30000;
    for (i = 0; i < 1000; i++) timed_outer();
    CHECK(c.dropped > 1 && c.dropped < 20);
    inner_ns = 30;
}

static uint64_t charged[2];
static void charge(void *user, const void *key, const void *caller, uint64_t ticks) {
    (void)user;
    charged[caller != NULL] += ticks;
    CHECK(key != NULL);
}

TEST(marks_without_bursty) {
    static burstclock c;
    static uint64_t memory[4];
    CHECK_EQ(burstclock_init(&c, simulated_clock, NULL, charge, NULL), 0);
    burstclock_mark(&c, memory, "a", NULL, 256);
    now_ns += 30;
    burstclock_mark(&c, memory, "b", "a", 512);
    now_ns += 40;
    burstclock_mark(&c, memory, NULL, NULL, 512);
    now_ns += 50;
    burstclock_mark(&c, memory, "a", NULL, 256);
    CHECK_EQ(charged[0], 60); /* 30 ticks, at the weight of the mark that ends them */
    CHECK_EQ(charged[1], 80);
}
