/* test_bursty_budget.c - bursts may take a share of the run time, on a
   simulated clock. */
#include "bursty.inc"

static uint64_t now_ns, event_cost_ns;

static uint64_t simulated_clock(void *user) {
    (void)user;
    return now_ns += 20;
}

static void costly_action(void *user, const bursty_event *e) {
    (void)e;
    ++*(uint64_t *)user;
    now_ns += event_cost_ns;
}

TEST(budget_is_held_when_costs_jump) {
    uint32_t ppm, phase;
    for (ppm = 10000; ppm <= 20000; ppm += 10000) {
        bursty_config config;
        uint64_t events = 0;
        memset(&config, 0, sizeof config);
        config.profile.action = costly_action;
        config.profile.user = &events;
        config.budget_ppm = ppm;
        config.clock = simulated_clock;
        config.seed = 1;
        CHECK(bursty_start(&config) > 0);
        CHECK_EQ(bursty_p_clock_cost, 20);
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

/* Without a clock of the user there is one on POSIX systems; else the start is
   refused. */
TEST(the_clock_of_the_system) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.budget_ppm = 10000;
#ifdef BURSTY_P_CLOCK
    CHECK(bursty_start(&config) > 0);
    CHECK(bursty_p_thread_ns(NULL) > 0);
#else
    CHECK_EQ(bursty_start(&config), 0);
#endif
}

/* The factor follows (x / (b u) - 1) * I / C of the manual, rounds as it says,
   and moves at most by
   2 in a step. u = 10 ns a check, x = 500 ns, b = 1 %: 4999 gaps of I
   checks. */
TEST(the_factor_is_the_formula) {
    uint64_t memory[4] = { 0, 0, 0, 0 }, shares = (UINT64_C(10) << 20) / 990, last = 65536, f = 0;
    bursty_config config;
    int i;
    memset(&config, 0, sizeof config);
    config.budget_ppm = 10000;
    config.clock = simulated_clock;
    CHECK(bursty_start(&config) > 0);
    bursty_p_clock_cost = 0;
    (void)bursty_p_budget(memory, 0, 0, shares);
    for (i = 0; i < 200; i++) {
        now_ns += 9900 - 20;
        (void)bursty_p_budget(memory, 0, 990, shares);
        now_ns += 5100 - 20;
        f = bursty_p_budget(memory, 1, 10, shares);
        CHECK(f <= 2 * last && f >= last / 2);
        last = f;
    }
    CHECK_EQ(memory[1], 2560);
    CHECK_EQ(memory[2], 128000);
    CHECK(f * 990 > UINT64_C(65536) * 4999 * 10 / 1000 * 999);
    CHECK(f * 990 < UINT64_C(65536) * 4999 * 10 / 1000 * 1001);
}

/* A mean moves by an eighth of the difference, up rounded up, down rounded
   down; a value above 4 times the mean counts as 4 times the mean. */
TEST(the_mean_moves_by_an_eighth) {
    CHECK_EQ(bursty_p_mean(0, 77), 77);
    CHECK_EQ(bursty_p_mean(100, 101), 101);
    CHECK_EQ(bursty_p_mean(100, 108), 101);
    CHECK_EQ(bursty_p_mean(100, 109), 102);
    CHECK_EQ(bursty_p_mean(100, 99), 100);
    CHECK_EQ(bursty_p_mean(100, 92), 99);
    CHECK_EQ(bursty_p_mean(100, 401), bursty_p_mean(100, 400));
    CHECK(bursty_p_mean(100, 399) <= bursty_p_mean(100, 400));
    CHECK_EQ(bursty_p_mean(100, 400), 100 + (300 + 7) / 8);
}
