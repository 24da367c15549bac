/* test_footprint_average.c - averages alone against brute force: every kind of
   trace by every entry, full tables, phases, sums, and memory that fails. */
static int asserted; /* mistakes noticed */
#define FOOTPRINT_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "test.h"
#include "footprint_traces.inc"

static uint64_t memory[60000], table[20000], table2[20000], table3[20000];
static const footprint_config plain = {0, 1 << 14, 0, 0, 0, 0, NULL, NULL, NULL};

static int same(const footprint_profile *a, const footprint_profile *b) {
    return a->columns == b->columns && a->accesses == b->accesses && a->blocks == b->blocks &&
           a->flags == b->flags && a->last_window == b->last_window &&
           memcmp(a->total, b->total, a->columns * sizeof *a->total) == 0;
}

static footprint_profile count(uint32_t n, const footprint_config *config, void *to, size_t bytes) {
    footprint_average h;
    footprint_profile p;
    CHECK(footprint_average_init(&h, memory, sizeof memory, config) > 0);
    footprint_average_access_many(&h, trace, n);
    CHECK_EQ(footprint_average_snapshot(&h, &p, to, bytes), 0);
    return p;
}

TEST(average_is_exact) {
    uint32_t kind, b;
    for (kind = 0; kind < KINDS; kind++) {
        footprint_profile p;
        make_trace((int)kind, 2500, 600, kind + 70);
        p = count(2500, &plain, table, sizeof table);
        for (b = 1; b < p.columns && footprint_bin_high(b) <= 2500; b++) {
            uint32_t w = (uint32_t)footprint_bin_high(b);
            CHECK_EQ(p.total[b].windows, 2500 - w + 1);
            CHECK_EQ(p.total[b].low, footprints_of(2500, w));
            CHECK_EQ(p.total[b].high, 0);
        }
        CHECK(footprint_average_of(&p, 2500) == (double)p.blocks);
        CHECK(footprint_average_of(&p, 0) == 0 && footprint_average_of(&p, 1) == 1);
    }
}

/* Block 0 falls into the first bucket of an empty table, whose entry looks like
   block 0. */
TEST(average_of_block_0) {
    footprint_profile p;
    uint32_t b, i;
    for (i = 0; i < 2500; i++) trace[i] = (2 * i + 5) % 7; /* 5, 0, ... */
    p = count(2500, &plain, table, sizeof table);
    CHECK_EQ(p.blocks, 7);
    for (b = 1; footprint_bin_high(b) <= 2500; b++)
        CHECK_EQ(p.total[b].low, footprints_of(2500, (uint32_t)footprint_bin_high(b)));
}

TEST(all_entries_agree) {
    uint32_t kind, mode, i, run;
    for (kind = 0; kind < KINDS; kind++) {
        for (mode = 0; mode < 3; mode++) { /* all blocks; some from the start; some when full */
            footprint_config config = plain;
            size_t bytes = sizeof memory;
            footprint_profile p, q;
            footprint_average h;
            config.sample_log2 = mode == 1 ? 2 : 0;
            if (mode == 2) bytes = footprint_average_bytes(&config, 100);
            make_trace((int)kind, 5000, 300, kind + 170);
            CHECK(footprint_average_init(&h, memory, bytes, &config) > 0);
            for (i = 0; i < 5000; i++) footprint_average_access(&h, trace[i]);
            CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
            /* a snapshot disturbs nothing */
            CHECK_EQ(footprint_average_snapshot(&h, &q, table2, sizeof table2), 0);
            CHECK(same(&p, &q));
            CHECK(mode != 2 || kind != RANDOM || (p.flags & FOOTPRINT_FULL && p.sample_log2 > 0));
            footprint_average_init(&h, memory, bytes, &config);
            for (i = 0; i < 5000; i += run) {
                run = i + 700 < 5000 ? 1 + i % 700 : 5000 - i;
                footprint_average_access_many(&h, trace + i, run);
            }
            CHECK_EQ(footprint_average_snapshot(&h, &q, table2, sizeof table2), 0);
            CHECK(same(&p, &q));
            footprint_average_init(&h, memory, bytes, &config);
            for (i = 0; i < 5000; i += run) {
                for (run = 1; i + run < 5000 && trace[i + run] == trace[i]; run++) {
                }
                footprint_average_access(&h, trace[i]);
                footprint_average_access_repeat(&h, run - 1);
            }
            CHECK_EQ(footprint_average_snapshot(&h, &q, table2, sizeof table2), 0);
            CHECK(same(&p, &q));
        }
    }
}

/* When blocks no longer fit and are sampled, averages stay near the truth:
   phases of new blocks, so that most of the blocks that are dropped never come
   back. */
TEST(average_when_full) {
    enum { N = 6000 };
    uint32_t w;
    footprint_profile p, early;
    footprint_average h;
    make_new_phases(N);
    CHECK(footprint_average_init(&h, memory, footprint_average_bytes(&plain, 600), &plain) > 0);
    footprint_average_access_many(&h, trace, N / 2);
    CHECK_EQ(footprint_average_snapshot(&h, &early, table2, sizeof table2), 0);
    footprint_average_access_many(&h, trace + N / 2, N / 2);
    CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
    CHECK(p.flags & FOOTPRINT_FULL && p.sample_log2 >= 1);
    for (w = 63; w <= 2047; w = 2 * w + 1) {
        double got = footprint_average_of(&p, w), want = (double)footprints_of(N, w) / (N - w + 1);
        CHECK(got > .8 * want && got < 1.25 * want);
    }
    CHECK_EQ(footprint_subtract(&p, &early), 0);
    CHECK(footprint_average_of(&p, 255) > 50 && footprint_average_of(&p, 255) < 130);
}

/* m blocks in turn: all is known. */
TEST(theory) {
    enum { M = 100, N = 5000 };
    footprint_profile p;
    double cold;
    make_trace(CYCLIC, N, M, 0);
    p = count(N, &plain, table, sizeof table);
    CHECK(footprint_average_of(&p, 50) == 50 && footprint_average_of(&p, 95) == 95);
    CHECK(footprint_average_of(&p, 1000) == 100);
    CHECK(footprint_fill_time(&p, 50) == 50 && footprint_fill_time(&p, 0) == 0);
    CHECK(footprint_fill_time(&p, 101) == -1);
    CHECK(footprint_miss_ratio_by_average(&p, 50) == 1);
    cold = footprint_miss_ratio_by_average(&p, 1000) * (int)N / (int)M;
    CHECK(cold > 1 - 1e-12 && cold < 1 + 1e-12);
}

TEST(phases_and_sums) {
    footprint_profile early, late, sum;
    footprint_average h;
    uint32_t b;
    make_trace(ZIPF, 2000, 200, 5);
    CHECK(footprint_average_init(&h, memory, sizeof memory, &plain) > 0);
    footprint_average_access_many(&h, trace, 700);
    CHECK_EQ(footprint_average_snapshot(&h, &early, table, sizeof table), 0);
    footprint_average_access_many(&h, trace + 700, 1300);
    CHECK_EQ(footprint_average_snapshot(&h, &late, table2, sizeof table2), 0);
    CHECK_EQ(footprint_profile_init(&sum, 1, late.columns, 0, table3, sizeof table3), 0);
    CHECK_EQ(footprint_add(&sum, &late), 0);
    CHECK(same(&sum, &late));
    CHECK_EQ(footprint_subtract(&late, &early), 0);
    CHECK(late.flags & FOOTPRINT_DIFFERENCE);
    for (b = 1; footprint_bin_high(b) <= 700; b++) {
        uint32_t w = (uint32_t)footprint_bin_high(b); /* of the windows that end at 701..2000 */
        CHECK_EQ(late.total[b].windows, 1300);
        CHECK_EQ(late.total[b].low, footprints_of(2000, w) - footprints_of(700, w));
    }
    CHECK_EQ(footprint_add(&late, &early), 0);
    for (b = 1; b < late.columns; b++) CHECK_EQ(late.total[b].low, sum.total[b].low);
    CHECK_EQ(footprint_subtract(&early, &late), -1);
    sum.columns--;
    CHECK_EQ(footprint_add(&sum, &late), -1);
    sum.columns++;
    sum.total[3].windows = UINT64_MAX - 1; /* sums stick and say so */
    CHECK_EQ(footprint_add(&sum, &late), 0);
    CHECK(sum.total[3].windows == UINT64_MAX && sum.flags & FOOTPRINT_SATURATED);
}

/* As many accesses as can be counted, and no more. Two blocks in runs: a window
   of w accesses touches both unless one run holds it. */
TEST(the_end) {
    footprint_config config = plain;
    footprint_profile p;
    footprint_stats s;
    footprint_average h;
    uint64_t run = UINT64_C(1) << 30, n;
    double want, got;
    uint32_t i;
    config.window_max = UINT64_C(1) << 35;
    CHECK(footprint_average_init(&h, memory, sizeof memory, &config) > 0);
    for (i = 0; i < 8; i++) {
        footprint_average_access(&h, i % 2);
        footprint_average_access_repeat(&h, run - 1);
    }
    CHECK_EQ(footprint_average_snapshot(&h, &p, table2, sizeof table2), 0);
    n = 8 * run;
    want = 2 - 8 * (double)(run / 2) / (double)(n - run / 2);
    got = footprint_average_of(&p, (double)(run / 2));
    CHECK(got > want - 1e-6 && got < want + 1e-6);
    footprint_average_get_stats(&h, &s);
    footprint_average_access_repeat(&h, UINT64_C(1) << 40);
    CHECK(s.accesses == n && s.flags == 0);
    footprint_average_access(&h, 1);
    footprint_average_access_many(&h, trace, 3);
    n = s.accesses_max - n;
    footprint_average_get_stats(&h, &s);
    CHECK(s.accesses == s.accesses_max && s.flags & FOOTPRINT_ENDED);
    CHECK_EQ(s.lost, (UINT64_C(1) << 40) - n + 4);
}

/* ---- memory ---- */

#include "stingy.inc"

TEST(memory_runs_out) {
    enum { MANY = 60000 };
    static uint64_t many[MANY];
    footprint_config config = plain;
    footprint_profile p, first;
    footprint_stats s;
    footprint_average h;
    uint64_t seed = 8;
    uint32_t i, full = 0;
    memset(&first, 0, sizeof first);
    config.alloc = stingy;
    config.release = give_back;
    for (i = 0; i < MANY; i++) many[i] = test_random(&seed) % 20000;
    for (allowed = 0; allowed < 8; allowed++) {
        allocations = 0;
        if (footprint_average_open(&h, &config) == 0) {
            CHECK_EQ(allowed, 0);
            continue;
        }
        footprint_average_access_many(&h, many, MANY);
        footprint_average_get_stats(&h, &s);
        full += (s.flags & FOOTPRINT_FULL) != 0;
        CHECK(!(s.flags & FOOTPRINT_FULL) == (allocations <= allowed));
        CHECK(s.accesses == MANY && (s.flags & FOOTPRINT_FULL || s.blocks > 18000));
        CHECK(s.flags & FOOTPRINT_FULL || (double)s.blocks_bytes / (double)s.blocks < 33);
        CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
        CHECK(footprint_average_of(&p, 1023) > 600 && footprint_average_of(&p, 1023) < 1024);
        footprint_average_close(&h);
        CHECK_EQ(in_use, 0);
    }
    CHECK(full > 0 && full < 7);
    CHECK_EQ(footprint_average_open(&h, NULL), 0);
}

TEST(sizes) {
    footprint_average h;
    footprint_profile p;
    footprint_config config = plain;
    size_t bytes, least = 0;
    CHECK_EQ(footprint_average_init(&h, NULL, 0, NULL), 0);
    config.window_max = 1; /* the least there is */
    make_trace(RANDOM, 300, 200, 1);
    for (bytes = 0; bytes < 30000; bytes += 93) { /* unaligned as well */
        if (footprint_average_init(&h, (char *)memory + bytes % 16, bytes, &config) == 0) {
            CHECK_EQ(least, 0);
            continue;
        }
        if (least == 0) least = bytes;
        footprint_average_access_many(&h, trace, 300);
        CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
        CHECK_EQ(footprint_average_snapshot(&h, &p, table,
                                            footprint_average_snapshot_bytes(&h) - 1), -1);
    }
    CHECK(least > 1000);
    CHECK(footprint_average_init(&h, memory, footprint_average_bytes(&config, 1000),
                                 &config) >= 1000);
    CHECK_EQ(footprint_average_init(&h, memory, footprint_average_bytes(&config, 1) / 2, &config),
             0);
}

/* One whose init failed may be used all the same: it counts nothing, and says
   so. */
TEST(mistakes) {
    footprint_average h;
    footprint_profile p;
    footprint_stats s;
    int before = asserted;
    make_trace(RANDOM, 100, 50, 1);
    CHECK_EQ(footprint_average_init(&h, memory, 10, NULL), 0);
    footprint_average_access(&h, 1);
    footprint_average_access_many(&h, trace, 100);
    footprint_average_access_repeat(&h, 5);
    footprint_average_reference(&h, trace, 1);
    footprint_average_get_stats(&h, &s);
    CHECK(s.accesses == 0 && s.lost >= 102 && s.flags & FOOTPRINT_ENDED);
    CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
    CHECK(footprint_average_of(&p, 10) == 0 && footprint_miss_ratio_by_average(&p, 10) == 0);
    footprint_average_close(&h);
    CHECK_EQ(asserted, before);
    footprint_average_access_many(&h, NULL, 0);
    CHECK_EQ(asserted, before);
    CHECK_EQ(footprint_average_snapshot(&h, &p, NULL, 0), -1);
}

TEST(references) {
    footprint_average h;
    footprint_stats s;
    char *base = (char *)(uintptr_t)64000;
    footprint_average_init(&h, memory, sizeof memory, &plain);
    footprint_average_reference(&h, base, 4);      /* one block */
    footprint_average_reference(&h, base + 62, 4); /* two */
    footprint_average_reference(&h, base + 64, 0); /* one */
    footprint_average_reference(&h, base, 256);    /* four */
    footprint_average_get_stats(&h, &s);
    CHECK_EQ(s.accesses, 8);
    CHECK_EQ(s.blocks, 4);
}

TEST(the_last_addresses) {
    footprint_average h;
    footprint_stats s;
    char *top = (char *)(UINTPTR_MAX - 7);
    footprint_average_init(&h, memory, sizeof memory, &plain);
    footprint_average_reference(&h, top, 8);
    footprint_average_reference(&h, top, 16);
    footprint_average_reference(&h, top - 64, 100);
    footprint_average_get_stats(&h, &s);
    CHECK(s.accesses == 4 && s.blocks == 2);
}

/* ---- samples ---- */

/* Whether sampling at 2^-k follows a block. */
static int follows(uint32_t k, uint64_t block) {
    static uint64_t small[3000];
    footprint_config config = plain;
    footprint_average h;
    footprint_stats s;
    if (k == 0) return 1;
    config.sample_log2 = k;
    footprint_average_init(&h, small, sizeof small, &config);
    footprint_average_access(&h, block);
    footprint_average_get_stats(&h, &s);
    return s.blocks != 0;
}

/* The sum of what the windows of w accesses are taken for: a window that ends
   at access e is taken for 2^k of each block in it that is followed, with the k
   at its end. */
static uint64_t estimate_of(uint32_t n, uint32_t w, const uint32_t *k, const unsigned char *good) {
    uint64_t sum = 0;
    uint32_t e, i, j;
    for (e = w; e <= n; e++) {
        for (i = e - w; i < e; i++) {
            if (good[i] < k[e]) continue; /* left out */
            for (j = i + 1; j < e && trace[j] != trace[i]; j++) {
            }
            if (j == e) sum += UINT64_C(1) << k[e];
        }
    }
    return sum;
}

static uint64_t within(uint64_t low, uint64_t value, uint64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* When a table is full and blocks are sampled anew, no window is lost and none
   is counted twice. */
TEST(windows_around_thinning) {
    enum { N = 700 };
    static uint32_t k[N + 1];
    static unsigned char good[N]; /* the largest k at which the block is followed */
    static uint64_t all[60000];
    footprint_average h;
    footprint fp;
    footprint_profile p, q;
    footprint_stats s;
    uint32_t i, b, round;
    for (round = 0; round < 6; round++) {
        make_trace(round & 1 ? PHASES : RANDOM, N, 120 + 40 * round, round + 60);
        for (i = 0; i < N; i++)
            for (good[i] = 0; good[i] < 8 && follows(good[i] + 1u, trace[i]); ) good[i]++;
        CHECK(footprint_average_init(&h, memory, footprint_average_bytes(&plain, 60), &plain) > 0);
        CHECK(footprint_init(&fp, all, footprint_bytes(&plain, 60), &plain) > 0);
        for (i = 1; i <= N; i++) {
            footprint_average_access(&h, trace[i - 1]);
            footprint_average_get_stats(&h, &s);
            k[i] = s.sample_log2;
        }
        CHECK(k[N] > 0 && k[N] < 8);
        CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
        for (b = 1; footprint_bin_high(b) <= 95; b++) {
            uint64_t w = footprint_bin_high(b), windows = N - w + 1;
            CHECK_EQ(p.total[b].windows, windows);
            CHECK_EQ(p.total[b].low,
                     within(windows, estimate_of(N, (uint32_t)w, k, good),
                            windows * (w < p.blocks ? w : p.blocks)));
        }
        for (i = 1; i <= N; i++) { /* the same of a footprint, which is full at another time */
            footprint_access(&fp, trace[i - 1]);
            footprint_get_stats(&fp, &s);
            k[i] = s.sample_log2;
        }
        CHECK(k[N] > 0 && k[N] < 8);
        CHECK_EQ(footprint_snapshot(&fp, &q, table2, 9600), -1);
        CHECK_EQ(footprint_snapshot(&fp, &q, memory, sizeof memory), 0);
        for (b = 1; footprint_bin_high(b) <= 95; b++) {
            uint64_t w = footprint_bin_high(b), windows = N - w + 1;
            CHECK_EQ(q.total[b].low,
                     within(windows, estimate_of(N, (uint32_t)w, k, good),
                            windows * (w < q.blocks ? w : q.blocks)));
        }
    }
}

/* Who says that accesses are missing finds it in the profile, and in sums with
   it. */
TEST(bursts_are_marked) {
    static uint64_t all[60000];
    footprint_config config = plain;
    footprint_average h;
    footprint fp;
    footprint_profile p, q;
    config.flags = FOOTPRINT_BURSTS | FOOTPRINT_FULL | FOOTPRINT_AVERAGE; /* the first is asked */
    footprint_average_init(&h, memory, sizeof memory, &config);
    CHECK(footprint_init(&fp, all, sizeof all, &config) > 0);
    footprint_average_access(&h, 1);
    footprint_access(&fp, 1);
    CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
    CHECK_EQ(p.flags, FOOTPRINT_BURSTS | FOOTPRINT_AVERAGE);
    CHECK_EQ(footprint_snapshot(&fp, &q, memory, sizeof memory), 0);
    CHECK_EQ(q.flags, FOOTPRINT_BURSTS);
    p = count(1, &plain, table, sizeof table);
    CHECK_EQ(footprint_profile_init(&q, 1, p.columns, 0, table2, sizeof table2), 0);
    CHECK_EQ(footprint_add(&q, &p), 0);
    CHECK_EQ(q.flags, FOOTPRINT_AVERAGE);
    p.flags |= FOOTPRINT_BURSTS;
    CHECK_EQ(footprint_add(&q, &p), 0);
    CHECK_EQ(q.flags, FOOTPRINT_BURSTS | FOOTPRINT_AVERAGE);
}

/* A ratio is 0 to 1 or unknown, and there are no more blocks than accesses,
   however few blocks are followed. */
TEST(ratios_of_samples) {
    footprint_config config = plain;
    footprint_profile p;
    footprint_stats s;
    footprint_average h;
    uint64_t seed = 9;
    uint32_t round, i, known = 0;
    for (round = 0; round < 300; round++) {
        uint32_t n = 1 + (uint32_t)(test_random(&seed) % 3000);
        make_trace((int)(round % KINDS), n, 1 + (uint32_t)(test_random(&seed) % 500), round);
        config.sample_log2 = round % 13;
        footprint_average_init(&h, memory, sizeof memory, &config);
        footprint_average_access_many(&h, trace, n);
        footprint_average_get_stats(&h, &s);
        CHECK(s.blocks <= s.accesses);
        CHECK_EQ(footprint_average_snapshot(&h, &p, table, sizeof table), 0);
        CHECK(p.blocks <= p.accesses && p.last_blocks <= p.last_window);
        for (i = 1; i <= n; i = i + i / 2 + 1) {
            double ratio = footprint_miss_ratio_by_average(&p, i);
            int is_known = i >= UINT32_C(1) << config.sample_log2;
            CHECK(is_known ? ratio >= 0 && ratio <= 1 : ratio < 0);
            CHECK(footprint_average_of(&p, i) <= i);
            known += is_known && ratio > 0;
        }
    }
    CHECK(known > 100);
}
