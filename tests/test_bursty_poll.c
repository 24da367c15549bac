/* test_bursty_poll.c - BURSTY_POLL: bursts open and close by a flag; the same
   forms. */
#define BURSTY_IMPLEMENTATION
#define BURSTY_POLL
#include "bursty.h"
#include "test.h"
#include <setjmp.h>

static uint64_t events, begun, ended;
static void see(void *user, const bursty_event *e) {
    (void)user;
    if (e->kind == BURSTY_BEGIN) begun++; else if (e->kind == BURSTY_END) ended++; else events++;
    BURST_POINT(BURSTY_USER, "in the action", 0);
}

static uint64_t inside;
static BURST_DUAL(int, fibonacci, (int n), (n)) {
    BURST_IF_RECORDING(inside++);
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
static BURST_DUAL_LEAF(int, leaf, (int n), (n)) {
    BURST_IF_RECORDING(inside++);
    return n;
}
static BURST_DUAL(void, caller, (int n), (n)) { (void)BURST_SAME(leaf, (n)); }
static void scoped(void) {
    BURST_SCOPE("scoped");
    BURST_LEAVE();
}

static void start(uint32_t burst) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.profile.burst = burst;
    config.profile.classes = (uint32_t)BURSTY_ANY | (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END;
    config.profile.action = see;
    events = begun = ended = inside = 0;
    bursty_poll(0);
    CHECK(bursty_start(&config) > 0);
}

TEST(closed_nothing_is_seen) {
    int i;
    start(100);
    for (i = 0; i < 1000; i++) {
        BURST_POINT(BURSTY_USER, "p", i);
        scoped();
    }
    CHECK_EQ(fibonacci(15), 610);
    CHECK_EQ(events + inside + begun, 0);
}

TEST(an_opening_records_at_most_burst_count_checks) {
    int i, opening;
    start(100);
    for (opening = 1; opening <= 5; opening++) {
        bursty_poll(1);
        CHECK_EQ(bursty_in_burst(), 0);
        for (i = 0; i < 1000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
        bursty_poll(0);
        CHECK_EQ(events, 100 * (uint64_t)opening);
        CHECK_EQ(begun, opening);
    }
    CHECK_EQ(ended, 5);
    bursty_poll(1);
    for (i = 0; i < 30; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    bursty_poll(0);
    for (i = 0; i < 30; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(events, 530);
    CHECK_EQ(bursty_in_burst(), 0);
    bursty_thread_end();
    CHECK_EQ(ended, 6);
}

TEST(forms_record_while_open) {
    long sum = 0;
    start(1000000);
    bursty_poll(1);
    CHECK_EQ(fibonacci(15), 610);
    CHECK_EQ(inside, 1973);
    CHECK_EQ(events, 1973);
    caller(3);
    CHECK_EQ(inside, 1974);
    inside = 0;
    BURST_FOR_LEAF(int, i, 0, 10000, { BURST_IF_RECORDING(inside++); sum += i; })
    CHECK_EQ(inside, 10000);
    {
        int i;
        for (i = 0; i < 100; i++)
            BURST_BODY({
                BURST_IF_RECORDING(inside++);
                sum += i;
            })
    }
    CHECK_EQ(inside, 10100);
    events = 0;
    scoped();
    CHECK_EQ(events, 2);
    CHECK(BURST_CHECK());
    bursty_poll(0);
    BURST_FOR_LEAF(int, i, 0, 10000, { BURST_IF_RECORDING(inside++); sum += i; })
    CHECK_EQ(inside, 10100);
    CHECK_EQ(sum, 2 * 49995000L + 4950);
    CHECK(!BURST_CHECK());
}

TEST(loops_end_with_their_bursts) {
    long sum = 0;
    start(2500);
    bursty_poll(1);
    BURST_FOR_LEAF(int, i, 0, 10000, { BURST_IF_RECORDING(inside++); sum += i; if (i == 99) { break; } })
    CHECK_EQ(inside, 100);
    BURST_FOR_LEAF(int, i, 0, 10000, { BURST_IF_RECORDING(inside++); sum += i; })
    CHECK_EQ(inside, 2500);
    bursty_poll(0);
    CHECK_EQ(sum, 4950 + 49995000L);
}

static jmp_buf action_jump;
static void jumping_action(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
    events++;
    longjmp(action_jump, 1);
}

TEST(longjmp_out_of_an_action) {
    bursty_profile p;
    volatile int i;
    memset(&p, 0, sizeof p);
    p.burst = 100;
    p.action = jumping_action;
    start(1);
    bursty_set_profile(0, &p);
    bursty_poll(1);
    for (i = 0; i < 1000; i++) {
        if (setjmp(action_jump)) {
            bursty_set_depth(0);
            continue;
        }
        BURST_POINT(BURSTY_USER, "p", 0);
    }
    bursty_poll(0);
    CHECK_EQ(events, 100);
}
