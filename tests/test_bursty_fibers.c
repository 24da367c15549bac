/* test_bursty_fibers.c - bursty_fiber_switch: scopes, events, contexts and
   ticks belong to the fiber that runs. */
#include "bursty.inc"

static const bursty_site *last_caller;
static uint32_t last_depth;
static const char *outermost;

static void see(void *user, const bursty_event *e) {
    (void)user;
    last_depth = e->depth;
    last_caller = e->depth ? e->stack[e->depth - 1] : NULL;
    outermost = e->depth ? e->stack[0]->name : "";
}

/* Scopes that open and close where the test says, as those of other stacks do. */
static const bursty_site a = { "a", "x.c", 1, BURSTY_P_SCOPE_CALL };
static const bursty_site b = { "b", "x.c", 2, BURSTY_P_SCOPE_CALL };
static void point(void) { BURST_POINT(BURSTY_USER, "point", 0); }

static void full_profile(bursty_action action) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.seed = 1;
    config.tick_hz = -1;
    config.profile.every = BURSTY_ALWAYS;
    config.profile.action = action;
    CHECK(bursty_start(&config) > 0);
}

TEST(scopes_belong_to_their_fiber) {
    static bursty_fiber one = { "one", 0, { NULL } }, two = { "two", 0, { NULL } };
    bursty_p_scope in_a, in_b;
    full_profile(see);
    CHECK_EQ(bursty_depth(), 0);
    CHECK(bursty_fiber_switch(&one) == NULL);
    in_a = bursty_p_enter(&a);
    point();
    CHECK(last_depth == 2 && last_caller == &a && strcmp(outermost, "one") == 0);
    CHECK(bursty_fiber_switch(&two) == &one);
    point();
    CHECK(last_depth == 1 && strcmp(outermost, "two") == 0);
    in_b = bursty_p_enter(&b);
    point();
    CHECK(last_depth == 2 && last_caller == &b);
    CHECK(bursty_fiber_switch(&one) == &two);
    point();
    CHECK(last_depth == 2 && last_caller == &a);
    bursty_p_leave(&in_a);
    point();
    CHECK_EQ(last_depth, 1);
    CHECK(bursty_fiber_switch(NULL) == &one);
    point();
    CHECK_EQ(last_depth, 0);
    CHECK(bursty_fiber_switch(NULL) == NULL);
    CHECK(bursty_fiber_switch(&two) == NULL);
    CHECK(bursty_fiber_switch(&two) == &two);
    bursty_p_leave(&in_b);
    CHECK_EQ(bursty_depth(), 1);
    (void)bursty_fiber_switch(NULL);
    CHECK_EQ(bursty_depth(), 0);
}

/* Three fibers of random calls, switched at random: each one's stack is that of
   a run alone. */
TEST(random_switches) {
    enum { FIBERS = 3, STEPS = 20000 };
    static bursty_fiber fiber[FIBERS];
    static bursty_p_scope open[FIBERS][100];
    uint32_t depth[FIBERS] = { 0, 0, 0 }, runs = 0, i, wrong = 0;
    uint64_t random = 5;
    full_profile(see);
    memset(fiber, 0, sizeof fiber);
    (void)bursty_fiber_switch(&fiber[0]);
    for (i = 0; i < STEPS; i++) {
        uint32_t draw = (uint32_t)(test_random(&random) % 8);
        if (draw == 0) {
            runs = (uint32_t)(test_random(&random) % FIBERS);
            (void)bursty_fiber_switch(&fiber[runs]);
        } else if (draw < 5 && depth[runs] < 100) {
            open[runs][depth[runs]++] = bursty_p_enter(runs ? &a : &b);
        } else if (depth[runs]) {
            bursty_p_leave(&open[runs][--depth[runs]]);
        }
        point();
        wrong += last_depth != depth[runs];
        wrong += last_depth && last_depth <= BURSTY_STACK && last_caller != (runs ? &a : &b);
    }
    CHECK_EQ(wrong, 0);
    (void)bursty_fiber_switch(NULL);
    CHECK_EQ(bursty_depth(), 0);
}
