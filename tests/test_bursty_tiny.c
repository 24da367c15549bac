/* test_bursty_tiny.c - BURSTY_TINY: the same schedule from 24 bytes. */
#define BURSTY_IMPLEMENTATION
#define BURSTY_TINY
#include "bursty.h"
#include "test.h"

static uint64_t events;
static void see(void *user, const bursty_event *e) {
    int i;
    (void)user;
    events += e->site->line != 0;
    for (i = 0; i < 5; i++) { BURST_POINT(BURSTY_USER, "in the action", i); }
}

static int set(uint32_t checks, uint32_t bursts, int32_t jitter) {
    bursty_profile p;
    memset(&p, 0, sizeof p);
    p.every = checks;
    p.burst = bursts;
    p.jitter = jitter;
    p.action = see;
    events = 0;
    return bursty_set_profile(0, &p);
}

TEST(nothing_before_set) {
    uint32_t i, live = 0;
    for (i = 0; i < 100000; i++) live += BURST_CHECK() != 0;
    CHECK_EQ(live, 0);
    CHECK_EQ(bursty_in_burst(), 0);
}

TEST(figure_3_decision_for_decision) {
    uint32_t checks, instrs, i, wrong = 0;
    for (checks = 1; checks <= 40; checks++)
        for (instrs = 1; instrs <= 12; instrs++) {
            int64_t n_check = checks, n_instr = 0;
            CHECK_EQ(set(checks, instrs, -1), 0);
            for (i = 0; i < 2000; i++) {
                int wanted = 0;                                                    /* Figure 3 */
                if (--n_check == 0) {
                    n_check = 1;
                    if (n_instr == 0) {
                        n_instr = instrs;
                        wanted = 1;
                    } else if (--n_instr != 0) wanted = 1;
                    else n_check = checks;
                }
                wrong += (BURST_CHECK() != 0) != wanted;
                wrong += (bursty_in_burst() != 0) != wanted;
            }
        }
    CHECK_EQ(wrong, 0);
}

TEST(jitter_keeps_the_rate) {
    uint32_t i;
    CHECK_EQ(set(990, 10, 0), 0);
    for (i = 0; i < 10000000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK(events > 98000 && events < 102000);
}

static uint64_t inside;
static BURST_DUAL(int, dual, (int n), (n)) {
    BURST_IF_RECORDING(inside++);
    return n;
}
static void scoped(void) {
    BURST_SCOPE("s");
    BURST_LEAVE();
}

TEST(forms) {
    uint64_t i, sum = 0, taken = 0, reference = 0;
    CHECK_EQ(set(9, 1, -1), 0);
    for (i = 0; i < 1000; i++) sum += (uint64_t)dual(1);
    CHECK_EQ(sum, 1000);
    CHECK_EQ(events, 100);
    CHECK_EQ(inside, 100);
    inside = 0;
    CHECK_EQ(set(23, 5, -1), 0);
    for (i = 0; i < 300; i++) {
        BURST_FOR_LEAF(uint32_t, k, 0, 50, {
            BURST_IF_RECORDING(inside++);
            taken++;
            if (k == i % 60) {
                break;
            }
        })
    }
    /* The first gap is 22 checks; then 5 are in a burst and 23 are not. */
    for (i = 0; i < taken; i++) reference += i % 28 >= 22 && i % 28 < 27;
    CHECK_EQ(inside, reference);
    CHECK_EQ(set(9, 1, -1), 0);
    for (i = 0; i < 1000; i++) { scoped(); }
    /* The returns are events, too. */
    CHECK_EQ(events, 200);
}

static void see_once(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
    events++;
    bursty_set_profile(0, NULL);
}

TEST(an_action_may_end_the_profile) {
    bursty_profile p;
    uint32_t i;
    memset(&p, 0, sizeof p);
    p.every = 10;
    p.burst = 3;
    p.action = see_once;
    events = 0;
    CHECK_EQ(bursty_set_profile(0, &p), 0);
    for (i = 0; i < 1000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(events, 1);
    p.every = UINT32_C(0x90000000);
    CHECK_EQ(bursty_set_profile(0, &p), -1);
}

static bursty_profile next;
static void set_next(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
    events++;
    bursty_set_profile(0, &next);
}

/* What an action sets holds at once: its gap begins with the next check. */
TEST(an_action_may_change_the_profile) {
    uint32_t i, first = 0;
    CHECK_EQ(set(10, 3, -1), 0);
    memset(&next, 0, sizeof next);
    next.every = 50;
    next.burst = 5;
    next.jitter = -1;
    next.action = set_next;
    CHECK_EQ(bursty_set_profile(0, &next), 0);
    next.action = see;
    events = 0;
    for (i = 1; events == 0; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    events = 0;
    for (i = 1; i <= 50 + 5; i++) {
        BURST_POINT(BURSTY_USER, "p", i);
        if (events == 1 && first == 0) first = i;
    }
    CHECK_EQ(first, 50);
    CHECK_EQ(events, 5);
}

TEST(settings) {
    bursty_profile p;
    uint32_t i;
    memset(&p, 0, sizeof p);
    CHECK_EQ(bursty_set_profile(0, &p), -1);
    CHECK_EQ(set(1, 1, -1), 0);
    CHECK_EQ(bursty_set_profile(1, &p), -1);
    CHECK_EQ(bursty_set_profile(0, NULL), 0);
    events = 0;
    for (i = 0; i < 100000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(events, 0);
    CHECK(sizeof(void *) != 4 || sizeof BURSTY_P_HERE == 24);
}
