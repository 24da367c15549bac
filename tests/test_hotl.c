/* test_hotl.c - hotl.h against brute force: averages of every kind of trace by every entry, full
   tables, phases, sums, memory that fails, and the file it writes. */
static int asserted; /* mistakes noticed */
#define HOTL_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#define HOTL_IMPLEMENTATION
#include "hotl.h"
#include "test.h"
#include "footprint_traces.inc"

static uint64_t memory[60000], table[3 * 300], table2[3 * 300], table3[3 * 300];
static const hotl_config plain = {1 << 14, 0, 0, 0, NULL, NULL, NULL};

static int same(const hotl_profile *a, const hotl_profile *b) {
    return a->columns == b->columns && a->accesses == b->accesses && a->blocks == b->blocks &&
           a->flags == b->flags && a->last_window == b->last_window &&
           memcmp(a->total, b->total, a->columns * sizeof *a->total) == 0;
}

static hotl_profile count(uint32_t n, const hotl_config *config, void *to, size_t bytes) {
    hotl h;
    hotl_profile p;
    CHECK(hotl_init(&h, memory, sizeof memory, config) > 0);
    hotl_access_many(&h, trace, n);
    CHECK_EQ(hotl_snapshot(&h, &p, to, bytes), 0);
    return p;
}

TEST(bins) {
    uint32_t i;
    for (i = 0; i < 495; i++) {
        CHECK_EQ(hotl_bin(hotl_bin_low(i)), i);
        CHECK_EQ(hotl_bin(hotl_bin_high(i)), i);
        CHECK(hotl_bin_high(i) + 1 == hotl_bin_low(i + 1));
    }
    CHECK_EQ(hotl_bin(288), 49);
    CHECK_EQ(hotl_bin(UINT64_MAX), 495);
}

TEST(average_is_exact) {
    uint32_t kind, b;
    for (kind = 0; kind < KINDS; kind++) {
        hotl_profile p;
        make_trace((int)kind, 2500, 600, kind + 70);
        p = count(2500, &plain, table, sizeof table);
        for (b = 1; b < p.columns && hotl_bin_high(b) <= 2500; b++) {
            uint32_t w = (uint32_t)hotl_bin_high(b);
            CHECK_EQ(p.total[b].windows, 2500 - w + 1);
            CHECK_EQ(p.total[b].low, footprints_of(2500, w));
            CHECK_EQ(p.total[b].high, 0);
        }
        CHECK(hotl_average(&p, 2500) == (double)p.blocks);
        CHECK(hotl_average(&p, 0) == 0 && hotl_average(&p, 1) == 1);
    }
}

/* Block 0 falls into the first bucket of an empty table, whose entry looks like block 0. */
TEST(average_of_block_0) {
    hotl_profile p;
    uint32_t b, i;
    for (i = 0; i < 2500; i++) trace[i] = (2 * i + 5) % 7; /* 5, 0, ... */
    p = count(2500, &plain, table, sizeof table);
    CHECK_EQ(p.blocks, 7);
    for (b = 1; hotl_bin_high(b) <= 2500; b++)
        CHECK_EQ(p.total[b].low, footprints_of(2500, (uint32_t)hotl_bin_high(b)));
}

TEST(all_entries_agree) {
    uint32_t kind, mode, i, run;
    for (kind = 0; kind < KINDS; kind++) {
        for (mode = 0; mode < 3; mode++) { /* all blocks; some from the start; some when full */
            hotl_config config = plain;
            size_t bytes = sizeof memory;
            hotl_profile p, q;
            hotl h;
            config.sample_log2 = mode == 1 ? 2 : 0;
            if (mode == 2) bytes = hotl_bytes(&config, 100);
            make_trace((int)kind, 5000, 300, kind + 170);
            CHECK(hotl_init(&h, memory, bytes, &config) > 0);
            for (i = 0; i < 5000; i++) hotl_access(&h, trace[i]);
            CHECK_EQ(hotl_snapshot(&h, &p, table, sizeof table), 0);
            CHECK_EQ(hotl_snapshot(&h, &q, table2, sizeof table2), 0); /* nothing is disturbed */
            CHECK(same(&p, &q));
            CHECK(mode != 2 || kind != RANDOM || (p.flags & HOTL_FULL && p.sample_log2 > 0));
            hotl_init(&h, memory, bytes, &config);
            for (i = 0; i < 5000; i += run) {
                run = i + 700 < 5000 ? 1 + i % 700 : 5000 - i;
                hotl_access_many(&h, trace + i, run);
            }
            CHECK_EQ(hotl_snapshot(&h, &q, table2, sizeof table2), 0);
            CHECK(same(&p, &q));
            hotl_init(&h, memory, bytes, &config);
            for (i = 0; i < 5000; i += run) {
                for (run = 1; i + run < 5000 && trace[i + run] == trace[i]; run++) {
                }
                hotl_access(&h, trace[i]);
                hotl_access_repeat(&h, run - 1);
            }
            CHECK_EQ(hotl_snapshot(&h, &q, table2, sizeof table2), 0);
            CHECK(same(&p, &q));
        }
    }
}

/* When blocks no longer fit and are sampled, averages stay near the truth: phases of new blocks, so
   that most of the blocks that are dropped never come back. */
TEST(average_when_full) {
    enum { N = 6000 };
    uint32_t w;
    hotl_profile p, early;
    hotl h;
    make_new_phases(N);
    CHECK(hotl_init(&h, memory, hotl_bytes(&plain, 600), &plain) > 0);
    hotl_access_many(&h, trace, N / 2);
    CHECK_EQ(hotl_snapshot(&h, &early, table2, sizeof table2), 0);
    hotl_access_many(&h, trace + N / 2, N / 2);
    CHECK_EQ(hotl_snapshot(&h, &p, table, sizeof table), 0);
    CHECK(p.flags & HOTL_FULL && p.sample_log2 >= 1);
    for (w = 63; w <= 2047; w = 2 * w + 1) {
        double got = hotl_average(&p, w), want = (double)footprints_of(N, w) / (N - w + 1);
        CHECK(got > .8 * want && got < 1.25 * want);
    }
    CHECK_EQ(hotl_subtract(&p, &early), 0);
    CHECK(hotl_average(&p, 255) > 50 && hotl_average(&p, 255) < 130);
}

/* m blocks in turn: all is known. */
TEST(theory) {
    enum { M = 100, N = 5000 };
    hotl_profile p;
    make_trace(CYCLIC, N, M, 0);
    p = count(N, &plain, table, sizeof table);
    CHECK(hotl_average(&p, 50) == 50 && hotl_average(&p, 95) == 95);
    CHECK(hotl_average(&p, 1000) == 100);
    CHECK(hotl_fill_time(&p, 50) == 50 && hotl_fill_time(&p, 0) == 0);
    CHECK(hotl_fill_time(&p, 101) == -1);
    CHECK(hotl_miss_ratio(&p, 50) == 1 && hotl_miss_ratio(&p, 1000) == 0);
    CHECK(hotl_inter_miss_time(&p, 50) == 1 && hotl_inter_miss_time(&p, 1000) == -1);
}

TEST(phases_and_sums) {
    hotl_profile early, late, sum;
    hotl h;
    uint32_t b;
    make_trace(ZIPF, 2000, 200, 5);
    CHECK(hotl_init(&h, memory, sizeof memory, &plain) > 0);
    hotl_access_many(&h, trace, 700);
    CHECK_EQ(hotl_snapshot(&h, &early, table, sizeof table), 0);
    hotl_access_many(&h, trace + 700, 1300);
    CHECK_EQ(hotl_snapshot(&h, &late, table2, sizeof table2), 0);
    CHECK_EQ(hotl_profile_init(&sum, late.columns, table3, sizeof table3), 0);
    CHECK_EQ(hotl_add(&sum, &late), 0);
    CHECK(same(&sum, &late));
    CHECK_EQ(hotl_subtract(&late, &early), 0);
    CHECK(late.flags & HOTL_DIFFERENCE);
    for (b = 1; hotl_bin_high(b) <= 700; b++) {
        uint32_t w = (uint32_t)hotl_bin_high(b); /* of the windows that end at 701..2000 */
        CHECK_EQ(late.total[b].windows, 1300);
        CHECK_EQ(late.total[b].low, footprints_of(2000, w) - footprints_of(700, w));
    }
    CHECK_EQ(hotl_add(&late, &early), 0);
    for (b = 1; b < late.columns; b++) CHECK_EQ(late.total[b].low, sum.total[b].low);
    CHECK_EQ(hotl_subtract(&early, &late), -1);
    sum.columns--;
    CHECK_EQ(hotl_add(&sum, &late), -1);
    sum.columns++;
    sum.total[3].windows = UINT64_MAX - 1; /* sums stick and say so */
    CHECK_EQ(hotl_add(&sum, &late), 0);
    CHECK(sum.total[3].windows == UINT64_MAX && sum.flags & HOTL_SATURATED);
}

/* As many accesses as can be counted, and no more. Two blocks in runs: a window of w accesses
   touches both unless one run holds it. */
TEST(the_end) {
    hotl_config config = plain;
    hotl_profile p;
    hotl_stats s;
    hotl h;
    uint64_t run = UINT64_C(1) << 30, n;
    double want, got;
    uint32_t i;
    config.window_max = UINT64_C(1) << 35;
    CHECK(hotl_init(&h, memory, sizeof memory, &config) > 0);
    for (i = 0; i < 8; i++) {
        hotl_access(&h, i % 2);
        hotl_access_repeat(&h, run - 1);
    }
    CHECK_EQ(hotl_snapshot(&h, &p, table2, sizeof table2), 0);
    n = 8 * run;
    want = 2 - 8 * (double)(run / 2) / (double)(n - run / 2);
    got = hotl_average(&p, (double)(run / 2));
    CHECK(got > want - 1e-6 && got < want + 1e-6);
    hotl_get_stats(&h, &s);
    hotl_access_repeat(&h, UINT64_C(1) << 40);
    CHECK(s.accesses == n && s.flags == 0);
    hotl_access(&h, 1);
    hotl_access_many(&h, trace, 3);
    n = s.accesses_max - n;
    hotl_get_stats(&h, &s);
    CHECK(s.accesses == s.accesses_max && s.flags & HOTL_ENDED);
    CHECK_EQ(s.lost, (UINT64_C(1) << 40) - n + 4);
}

/* ---- memory ---- */

static uint32_t allocations, allowed;
static size_t in_use;

static void *stingy(void *user, size_t bytes) {
    size_t *block;
    (void)user;
    if (allocations++ >= allowed) return NULL;
    block = (size_t *)malloc(bytes + 16);
    if (!block) return NULL;
    memset(block, 0xA5, bytes + 16);
    *block = bytes;
    in_use += bytes;
    return (char *)block + 16;
}

static void give_back(void *user, void *pointer) {
    size_t *block = (size_t *)(void *)((char *)pointer - 16);
    (void)user;
    in_use -= *block;
    free(block);
}

TEST(memory_runs_out) {
    enum { MANY = 60000 };
    static uint64_t many[MANY];
    hotl_config config = plain;
    hotl_profile p, first;
    hotl_stats s;
    hotl h;
    uint64_t seed = 8;
    uint32_t i, full = 0;
    memset(&first, 0, sizeof first);
    config.alloc = stingy;
    config.release = give_back;
    for (i = 0; i < MANY; i++) many[i] = test_random(&seed) % 20000;
    for (allowed = 0; allowed < 8; allowed++) {
        allocations = 0;
        if (hotl_open(&h, &config) == 0) {
            CHECK_EQ(allowed, 0);
            continue;
        }
        hotl_access_many(&h, many, MANY);
        hotl_get_stats(&h, &s);
        full += (s.flags & HOTL_FULL) != 0;
        CHECK(!(s.flags & HOTL_FULL) == (allocations <= allowed));
        CHECK(s.accesses == MANY && (s.flags & HOTL_FULL || s.blocks > 18000));
        CHECK(s.flags & HOTL_FULL || (double)s.blocks_bytes / (double)s.blocks < 33);
        CHECK_EQ(hotl_snapshot(&h, &p, table, sizeof table), 0);
        CHECK(hotl_average(&p, 1023) > 600 && hotl_average(&p, 1023) < 1024);
        hotl_close(&h);
        CHECK_EQ(in_use, 0);
    }
    CHECK(full > 0 && full < 7);
    CHECK_EQ(hotl_open(&h, NULL), 0);
}

TEST(sizes) {
    hotl h;
    hotl_profile p;
    hotl_config config = plain;
    size_t bytes, least = 0;
    CHECK_EQ(hotl_init(&h, NULL, 0, NULL), 0);
    config.window_max = 1; /* the least there is */
    make_trace(RANDOM, 300, 200, 1);
    for (bytes = 0; bytes < 30000; bytes += 93) { /* unaligned as well */
        if (hotl_init(&h, (char *)memory + bytes % 16, bytes, &config) == 0) {
            CHECK_EQ(least, 0);
            continue;
        }
        if (least == 0) least = bytes;
        hotl_access_many(&h, trace, 300);
        CHECK_EQ(hotl_snapshot(&h, &p, table, sizeof table), 0);
        CHECK_EQ(hotl_snapshot(&h, &p, table, hotl_snapshot_bytes(&h) - 1), -1);
    }
    CHECK(least > 1000);
    CHECK(hotl_init(&h, memory, hotl_bytes(&config, 1000), &config) >= 1000);
    CHECK_EQ(hotl_init(&h, memory, hotl_bytes(&config, 1) / 2, &config), 0);
}

/* One whose init failed may be used all the same: it counts nothing, and says so. */
TEST(mistakes) {
    hotl h;
    hotl_profile p;
    hotl_stats s;
    int before = asserted;
    make_trace(RANDOM, 100, 50, 1);
    CHECK_EQ(hotl_init(&h, memory, 10, NULL), 0);
    hotl_access(&h, 1);
    hotl_access_many(&h, trace, 100);
    hotl_access_repeat(&h, 5);
    hotl_reference(&h, trace, 1);
    hotl_get_stats(&h, &s);
    CHECK(s.accesses == 0 && s.lost >= 102 && s.flags & HOTL_ENDED);
    CHECK_EQ(hotl_snapshot(&h, &p, table, sizeof table), 0);
    CHECK(hotl_average(&p, 10) == 0 && hotl_miss_ratio(&p, 10) == 0);
    hotl_close(&h);
    CHECK_EQ(asserted, before);
    hotl_access_many(&h, NULL, 0);
    CHECK_EQ(asserted, before);
    CHECK_EQ(hotl_snapshot(&h, &p, NULL, 0), -1);
}

TEST(references) {
    hotl h;
    hotl_stats s;
    char *base = (char *)(uintptr_t)64000;
    hotl_init(&h, memory, sizeof memory, &plain);
    hotl_reference(&h, base, 4);      /* one block */
    hotl_reference(&h, base + 62, 4); /* two */
    hotl_reference(&h, base + 64, 0); /* one */
    hotl_reference(&h, base, 256);    /* four */
    hotl_get_stats(&h, &s);
    CHECK_EQ(s.accesses, 8);
    CHECK_EQ(s.blocks, 4);
}
