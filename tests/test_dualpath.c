/* test_dualpath.c - dual paths on a condition of one's own, without bursty.h. */
static int recording, asked;
#define DUALPATH_CHECK() (asked++, recording)
#include "dualpath.h"
#include "test.h"

static int seen;

static BURST_DUAL_LEAF(int, twice, (int x), (x)) {
    BURST_IF_RECORDING(seen++);
    return 2 * x;
}
static BURST_DUAL(int, sum, (const int *p, int n), (p, n)) {
    int i, s = 0;
    for (i = 0; i < n; i++)
        BURST_BODY({
            BURST_IF_RECORDING(seen += 10);
            s += BURST_SAME(twice, (p[i]));
        })
    return s;
}
static BURST_DUAL(void, nothing, (void), ()) { BURST_IF_RECORDING(seen += 100); }
static long counted(int n, int stop) {
    long s = 0;
    BURST_FOR(int, i, 0, n, {
        BURST_IF_RECORDING(seen++);
        if (i == stop) { break; }
        s += i;
    })
    return s;
}

TEST(the_condition_chooses_the_copy) {
    static const int p[4] = { 1, 2, 3, 4 };
    recording = seen = 0;
    CHECK_EQ(sum(p, 4), 20);
    nothing();
    CHECK_EQ(seen, 0);
    recording = 1;
    CHECK_EQ(sum(p, 4), 20);
    CHECK_EQ(seen, 44);
    nothing();
    CHECK_EQ(seen, 144);
}

TEST(counted_loops_ask_once_for_many) {
    recording = 0;
    asked = seen = 0;
    CHECK_EQ(counted(10000, -1), 49995000);
    CHECK_EQ(asked, 3);
    CHECK_EQ(seen, 0);
    recording = 1;
    CHECK_EQ(counted(5000, -1), 12497500);
    CHECK_EQ(seen, 5000);
    CHECK_EQ(counted(5000, 99), 4851);
    CHECK_EQ(seen, 5100);
}
