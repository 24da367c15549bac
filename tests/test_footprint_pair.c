/* test_footprint_pair.c - a footprint_pair against the truth: every window of
   two threads, at every access. */
static int asserted; /* mistakes noticed */
#define FOOTPRINT_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "test.h"

enum { MOST = 6000, ROWS = 200, COLUMNS = 128 };

static uint64_t memory[300000], memory2[300000], table[200000], table2[200000];
static uint64_t times[MOST]; /* of thread 1's accesses */
static const double precisions[] = {1, .99, .9, .75, .5};

/* Windows by row and length, as differences from one length to the next; then
   by bin. */
static int32_t change[ROWS][MOST + 2];
static uint64_t cell[ROWS][COLUMNS];

/* Windows that end now and start at 1..since: one of each length from the age
   up to now. */
static void add_starts(uint32_t row, uint64_t now, uint64_t since) {
    if (since == 0) return;
    change[row][now - since + 1]++;
    change[row][now + 1]--;
}

static void settle(uint32_t n) {
    uint32_t row, w;
    memset(cell, 0, sizeof cell);
    for (row = 0; row < ROWS; row++) {
        int64_t windows = 0;
        for (w = 1; w <= n; w++) {
            windows += change[row][w];
            cell[row][footprint_bin(w)] += (uint64_t)windows;
        }
    }
}

/* The largest count that a window may have without being counted as >= low. */
static uint64_t reach(double c, uint64_t low) {
    return c >= 1 ? low - 1 : (uint64_t)((double)(low - 1) / c + 1e-9);
}

static int same(const footprint_profile *a, const footprint_profile *b) {
    return a->rows == b->rows && a->columns == b->columns && a->accesses == b->accesses &&
           a->blocks == b->blocks &&
           memcmp(a->at_least, b->at_least, a->rows * (size_t)a->columns * sizeof(uint64_t)) == 0;
}

static uint64_t run_length(int style, int thread, uint64_t *seed) {
    uint64_t r = test_random(seed);
    if (style == 0) return 1;
    if (style == 1) return 1 + r % 9;
    if (style == 2) return 1 + r % (thread ? 300 : 20);
    return r % 5 == 0 ? 201 : 1;
}

/* One access at a time: looks at all marks after each, and at all cells at the
   end. A second footprint_pair gets whole runs. Returns how many things are
   wrong. */
static int replay(uint32_t n, double c, size_t bytes, uint64_t longest, int style, uint64_t seed) {
    footprint_pair single, runs;
    footprint_profile p, q;
    footprint_config config;
    uint64_t number = 0, left = 0, run = 0, limit = footprint_bin_high(footprint_bin(longest));
    uint32_t i, b, row, broken = 0;
    int thread = 0, is_open;
    memset(&config, 0, sizeof config);
    config.c = c;
    config.window_max = longest;
    memset(change, 0, sizeof change);
    if (footprint_pair_init(&single, memory, bytes, &config) == 0) return -1;
    if (footprint_pair_init(&runs, memory2, sizeof memory2, &config) == 0) return -1;
    for (i = 1; i <= n; i++) {
        uint64_t last = UINT64_MAX, old = i > limit ? i - limit : 0;
        footprint_stats s;
        if (left == 0) {
            footprint_pair_run(&runs, thread, run);
            thread = !thread;
            run = left = run_length(style, thread, &seed);
        }
        left--;
        footprint_pair_run(&single, thread, 1);
        if (thread) times[number++] = i;
        footprint_pair_get_stats(&single, &s);
        is_open = (s.flags & FOOTPRINT_FULL) != 0;
        broken += s.accesses != i || s.blocks != number;
        for (b = 1; footprint_bin_low(b) <= number; b++) {
            uint64_t F = footprint_bin_low(b), K = reach(c, F),
                     tau = footprint_pair_mark_time(&single, b);
            uint64_t most = times[number - F], least = K + 1 <= number ? times[number - K - 1] : 0;
            if (is_open && tau == 0) break; /* given up: an open bin from here on */
            broken += tau > most && tau > old;
            broken += tau < least && least > old;
            broken += tau > last && tau > old;
            last = tau;
            add_starts(b, i, tau);
        }
    }
    footprint_pair_run(&runs, thread, run - left);
    settle(n);
    if (footprint_pair_snapshot(&single, &p, table, sizeof table)) return -2;
    if (footprint_pair_snapshot(&runs, &q, table2, sizeof table2)) return -2;
    for (b = 1; b < p.columns && b < COLUMNS; b++) {
        for (row = 1; row < p.rows; row++)
            broken += footprint_at_least(&p, b, row) != cell[row][b];
        for (row = 1; row < p.rows; row++)
            broken += footprint_at_least(&p, b, row) > footprint_at_least(&p, b, row - 1);
    }
    if (bytes == sizeof memory) broken += !same(&p, &q);
    if (p.flags & FOOTPRINT_FULL) broken += p.rows >= q.rows;
    return (int)broken;
}

TEST(every_window) {
    int style, c;
    footprint_config small;
    memset(&small, 0, sizeof small);
    small.window_max = 8191;
    for (style = 0; style < 4; style++) {
        for (c = 0; c < 5; c++) {
            uint64_t seed = (uint64_t)style;
            small.c = precisions[c];
            CHECK_EQ(replay(4000, precisions[c], sizeof memory, 8191, style, seed + 1), 0);
            /* runs are merged, or marks are given up */
            CHECK_EQ(
                     replay(4000, precisions[c], footprint_pair_bytes(&small, 130), 8191, style,
                            seed + 9),
                     0);
            /* old runs are dropped */
            CHECK_EQ(
                     replay(5000, precisions[c], footprint_pair_bytes(&small, 900), 1023, style,
                            seed + 5),
                     0);
        }
    }
}

/* One access each in turn: a window of w accesses has w / 2 of thread 1,
   rounded up or down. */
TEST(strict_alternation) {
    footprint_config config = {1, 1023, 0, 0, 0, 0, NULL, NULL, NULL};
    footprint_pair il;
    footprint_profile p;
    uint32_t i;
    CHECK(footprint_pair_init(&il, memory, sizeof memory, &config) > 0);
    for (i = 0; i < 1000; i++) footprint_pair_run(&il, (int)(i % 2), 1);
    CHECK_EQ(footprint_pair_snapshot(&il, &p, table, sizeof table), 0);
    CHECK_EQ(footprint_windows(&p, 9), 992);
    CHECK_EQ(footprint_at_least(&p, 9, 4), 992);
    CHECK_EQ(footprint_at_least(&p, 9, 5), 496);
    CHECK_EQ(footprint_percentile(&p, 9, 50), 4);
    CHECK_EQ(footprint_percentile(&p, 9, 51), 5);
    CHECK_EQ(footprint_percentile(&p, 9, 0), 4);
    CHECK_EQ(footprint_percentile(&p, 9, 100), 5);
    CHECK_EQ(footprint_percentile(&p, 0, 50), UINT32_MAX);
}

TEST(phases) {
    footprint_pair il;
    footprint_profile early, late;
    uint32_t b;
    CHECK(footprint_pair_init(&il, memory, sizeof memory, NULL) > 0);
    footprint_pair_run(&il, 1, 500);
    CHECK_EQ(footprint_pair_snapshot(&il, &early, table, sizeof table), 0);
    footprint_pair_run(&il, 0, 500);
    CHECK_EQ(footprint_pair_snapshot(&il, &late, table2, sizeof table2), 0);
    CHECK_EQ(footprint_subtract(&early, &late), -1);
    CHECK_EQ(footprint_subtract(&late, &early), 0);
    CHECK(late.accesses == 500 && late.blocks == 0 && late.flags & FOOTPRINT_DIFFERENCE);
    for (b = 1; b < 16; b++) { /* all of thread 0 but those near the border */
        CHECK_EQ(footprint_windows(&late, b), 500);
        CHECK_EQ(footprint_at_least(&late, b, 1), b - 1);
    }
}

TEST(long_runs) {
    footprint_pair il;
    footprint_stats s;
    int i;
    CHECK(footprint_pair_init(&il, memory, sizeof memory, NULL) > 64);
    for (i = 0; i < 50; i++) {
        footprint_pair_run(&il, 0, UINT64_C(1) << 28);
        footprint_pair_run(&il, 1, UINT64_C(1) << 28);
    }
    footprint_pair_get_stats(&il, &s);
    CHECK(s.accesses == 100 * (UINT64_C(1) << 28) && s.blocks == s.accesses / 2 &&
          s.flags == 0);
    footprint_pair_run(&il, 1, UINT64_MAX);
    footprint_pair_get_stats(&il, &s);
    CHECK(s.accesses == s.accesses_max && s.flags == FOOTPRINT_ENDED);
    CHECK(s.lost == UINT64_MAX - (s.accesses_max - 100 * (UINT64_C(1) << 28)));
}

static int refuse(void *user, const void *data, size_t size) {
    (void)data;
    (void)size;
    return --*(int *)user == 0 ? 7 : 0;
}

/* A footprint_pair whose init failed may be used all the same: it counts
   nothing, and says so. */
TEST(mistakes) {
    footprint_pair il;
    footprint_stats s;
    footprint_profile p;
    int before = asserted, most;
    CHECK_EQ(footprint_pair_init(&il, NULL, 0, NULL), 0);
    CHECK_EQ(footprint_pair_init(&il, memory, footprint_pair_bytes(NULL, 64) - 1, NULL), 0);
    footprint_pair_run(&il, 1, 5);
    footprint_pair_get_stats(&il, &s);
    CHECK(s.lost == 5 && s.accesses == 0 && s.flags & FOOTPRINT_ENDED);
    CHECK_EQ(footprint_pair_mark_time(&il, 3), 0);
    CHECK_EQ(asserted, before);
    footprint_pair_run(&il, 2, 1);
    CHECK_EQ(asserted, before + 1);
    CHECK(footprint_pair_init(&il, memory, sizeof memory, NULL) > 0);
    footprint_pair_run(&il, 1, 100);
    CHECK_EQ(footprint_pair_snapshot(&il, &p, table, footprint_pair_snapshot_bytes(&il) - 1), -1);
    CHECK_EQ(footprint_pair_snapshot(&il, &p, (char *)table + 1,
                                     footprint_pair_snapshot_bytes(&il)), 0);
    CHECK_EQ(footprint_windows(&p, 1), 100);
    for (most = 1; most < 4; most++) { /* the first, second and third write fail */
        int left = most;
        CHECK_EQ(footprint_write(&p, "x", refuse, &left), -1);
    }
}
