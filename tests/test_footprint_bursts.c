/* test_footprint_bursts.c - samples: bursts are runs of their own. Windows and
   averages against brute force within bursts and against one counter for each
   burst, misses against a list of lives that are cut off, and intervals against
   the truth that they should hold. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "test.h"
#include "footprint_traces.inc"

enum { COLUMNS = 110, ROWS = 110 };
static uint64_t memory[400000], memory2[400000], table[200000], table2[200000], table3[200000];
static uint64_t windows[ROWS][COLUMNS], sums[COLUMNS], counts[COLUMNS];
static uint32_t burst_at[MOST + 1];                        /* where bursts begin */

/* Bursts of 1 to `most` accesses; returns how many. */
static uint32_t make_bursts(uint32_t n, uint32_t most, uint64_t seed) {
    uint32_t count = 0, at = 0;
    while (at < n) {
        burst_at[count++] = at;
        at += 1 + (uint32_t)(test_random(&seed) % most);
    }
    burst_at[count] = n;
    return count;
}

/* All windows within bursts, one by one. */
static void count_windows(uint32_t bursts) {
    uint32_t b, from, to, k;
    memset(windows, 0, sizeof windows);
    memset(sums, 0, sizeof sums);
    memset(counts, 0, sizeof counts);
    for (b = 0; b < bursts; b++) {
        for (from = burst_at[b]; from < burst_at[b + 1]; from++) {
            uint32_t distinct = 0;
            for (to = from; to < burst_at[b + 1]; to++) {
                uint32_t length = to - from + 1, bin = footprint_bin(length);
                for (k = from; k < to && trace[k] != trace[to]; k++) {
                }
                distinct += k == to;
                windows[footprint_bin(distinct)][bin]++;
                if (footprint_bin_high(bin) != length) continue;
                sums[bin] += distinct;
                counts[bin]++;
            }
        }
    }
}

static footprint_profile count_bursts(footprint *fp, uint32_t bursts,
                                      const footprint_config *config) {
    footprint_profile p;
    uint32_t b;
    CHECK(footprint_init(fp, memory, sizeof memory, config) > 0);
    for (b = 0; b < bursts; b++) {
        if (b % 3 == 1)
            footprint_access_many(fp, trace + burst_at[b], burst_at[b + 1] - burst_at[b]);
        else {
            uint32_t i;
            for (i = burst_at[b]; i < burst_at[b + 1]; i++) footprint_access(fp, trace[i]);
        }
        if (b + 1 < bursts || b % 2) footprint_burst(fp);
        if (b % 5 == 0) footprint_burst(fp);               /* with nothing in between */
    }
    CHECK_EQ(footprint_snapshot(fp, &p, table, sizeof table), 0);
    return p;
}

TEST(no_window_spans_two_bursts) {
    uint32_t kind, most, bursts, b, row;
    footprint_config config = {1, 1 << 14, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
    for (kind = 0; kind < KINDS; kind++) {
        for (most = 3; most <= 1200; most *= 20) {
            footprint fp;
            footprint_profile p;
            make_trace((int)kind, 2500, 300, kind);
            bursts = make_bursts(2500, most, most + kind);
            count_windows(bursts);
            p = count_bursts(&fp, bursts, &config);
            CHECK_EQ(p.bursts, bursts);
            CHECK_EQ(p.accesses, 2500);
            for (b = 1; b < p.columns; b++) {
                uint64_t above = 0;
                CHECK_EQ(p.total[b].windows, counts[b]);
                CHECK_EQ(p.total[b].low, sums[b]);
                for (row = ROWS; row-- > 1; ) {
                    above += windows[row][b];
                    CHECK_EQ(footprint_at_least(&p, b, row), above);
                }
                CHECK_EQ(footprint_windows(&p, b), above);
            }
        }
    }
}

static void same_profile(const footprint_profile *p, const footprint_profile *q) {
    uint32_t row, b;
    CHECK_EQ(p->accesses, q->accesses);
    CHECK_EQ(p->blocks, q->blocks);
    for (b = 1; b < p->columns; b++) {
        CHECK_EQ(p->total[b].windows, q->total[b].windows);
        CHECK_EQ(p->total[b].low, q->total[b].low);
        CHECK_EQ(p->reuse[b], q->reuse[b]);
        for (row = 0; row < p->rows; row++)
            CHECK_EQ(footprint_at_least(p, b, row), footprint_at_least(q, b, row));
    }
    for (row = 0; row < p->rows; row++) CHECK_EQ(p->depth[row], q->depth[row]);
}

/* A counter of its own for each burst, added up. */
TEST(a_burst_is_as_a_run) {
    static const double c[] = {1, .9, .5};
    uint32_t kind, i, k, b, bursts;
    for (kind = 0; kind < KINDS; kind++) {
        for (i = 0; i < 3; i++) {
            for (k = 0; k < 4; k += 2) {
                footprint_config config = {0, 1 << 14, 0, 0, 0, 0, NULL, NULL, NULL};
                footprint fp, one;
                footprint_profile p, q, sum;
                config.c = c[i];
                config.sample_log2 = k;
                config.flags = FOOTPRINT_BURSTS;
                make_trace((int)kind, 6000, 900, kind + 9);
                bursts = make_bursts(6000, 2000, kind + i);
                p = count_bursts(&fp, bursts, &config);
                CHECK_EQ(footprint_profile_init(&sum, p.rows, p.columns, 0, table2,
                                                sizeof table2), 0);
                config.flags = 0;
                for (b = 0; b < bursts; b++) {
                    CHECK(footprint_init(&one, memory2, sizeof memory2, &config) > 0);
                    footprint_access_many(&one, trace + burst_at[b],
                                          burst_at[b + 1] - burst_at[b]);
                    CHECK_EQ(footprint_snapshot(&one, &q, table3, sizeof table3), 0);
                    CHECK_EQ(footprint_add(&sum, &q), 0);
                }
                if (k) sum.blocks = p.blocks;              /* bounded in each burst */
                if (k == 0) same_profile(&p, &sum);
                for (b = 0; k && b < p.rows; b++) CHECK_EQ(p.depth[b], sum.depth[b]);
            }
        }
    }
}

/* Those of all groups are those of all; a snapshot disturbs nothing; slots run
   out again and again. */
TEST(groups_add_up) {
    uint32_t kind, b, g, row, bursts, small;
    for (kind = 0; kind < KINDS; kind++) {
        for (small = 0; small < 2; small++) {
            footprint_config config = {.9, 1 << 14, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
            footprint fp, twin;
            footprint_average av;
            footprint_profile p, q;
            size_t bytes = small ? footprint_bytes(&config, 330) : sizeof memory;
            uint64_t cuts = 0, misses = 0;
            make_trace((int)kind, 6000, 300, kind + 3);
            bursts = make_bursts(6000, 400, kind);
            CHECK(footprint_init(&fp, memory, bytes, &config) > 0);
            CHECK(footprint_init(&twin, memory2, bytes, &config) > 0);
            for (b = 0; b < bursts; b++) {
                uint32_t n = burst_at[b + 1] - burst_at[b];
                footprint_access_many(&fp, trace + burst_at[b], n);
                footprint_access_many(&twin, trace + burst_at[b], n);
                if (b % 7 == 0)
                    CHECK_EQ(footprint_snapshot(&twin, &q, table2, sizeof table2), 0);
                if (b + 1 == bursts) break;                /* the last one goes on */
                footprint_burst(&fp);
                footprint_burst(&twin);
            }
            CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
            CHECK_EQ(footprint_snapshot(&twin, &q, table2, sizeof table2), 0);
            CHECK(p.flags == FOOTPRINT_BURSTS && p.sample_log2 == 0);
            same_profile(&p, &q);
            CHECK_EQ(p.groups, FOOTPRINT_GROUPS);
            for (b = 1; b < p.columns; b++) {
                footprint_total sum = {0, 0, 0};
                for (g = 0; g < p.groups; g++) {
                    sum.windows += p.group_total[g * p.columns + b].windows;
                    sum.low += p.group_total[g * p.columns + b].low;
                }
                CHECK_EQ(sum.windows, p.total[b].windows);
                CHECK_EQ(sum.low, p.total[b].low);
            }
            for (row = 0; row < p.rows; row++) {
                uint64_t sum = 0;
                for (g = 0; g < p.groups; g++) {
                    sum += p.group_depth[g * p.rows + row];
                    cuts += p.group_cut[g * p.rows + row];
                }
                CHECK_EQ(sum, p.depth[row]);
                misses += sum;
            }
            CHECK_EQ(cuts, p.blocks);
            CHECK_EQ(cuts + misses, p.accesses);
            CHECK(footprint_average_init(&av, memory2, sizeof memory2, &config) > 0);
            for (b = 0; b < bursts; b++) {
                footprint_average_access_many(&av, trace + burst_at[b],
                                              burst_at[b + 1] - burst_at[b]);
                footprint_average_burst(&av);
            }
            CHECK_EQ(footprint_average_snapshot(&av, &q, table2, sizeof table2), 0);
            for (b = 1; b < p.columns; b++) {
                CHECK_EQ(p.total[b].low, q.total[b].low);
                CHECK_EQ(p.total[b].windows, q.total[b].windows);
                CHECK_EQ(p.reuse[b], q.reuse[b]);
                for (g = 0; g < p.groups; g++)
                    CHECK_EQ(p.group_total[g * p.columns + b].low,
                             q.group_total[g * q.columns + b].low);
            }
            CHECK(footprint_miss_ratio_by_average(&q, 20) == -1);
        }
    }
}

/* When blocks do not fit: each burst begins anew, and what is sampled stays
   near the truth. */
TEST(bursts_when_full) {
    uint32_t forget, b, i, bursts;
    for (forget = 0; forget < 2; forget++) {
        footprint_config config = {.9, 1 << 12, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
        footprint fp;
        footprint_average av;
        footprint_profile p, q;
        if (forget) config.flags |= FOOTPRINT_FORGET;
        make_trace(RANDOM, 6000, 3000, 7);
        bursts = make_bursts(6000, 1500, 77);
        count_windows(bursts);
        CHECK(footprint_init(&fp, memory, footprint_bytes(&config, 200), &config) > 0);
        CHECK(footprint_average_init(&av, memory2, footprint_average_bytes(&config, 200),
                                     &config) > 0);
        for (b = 0; b < bursts; b++) {
            for (i = burst_at[b]; i < burst_at[b + 1]; i++) {
                footprint_access(&fp, trace[i]);
                footprint_average_access(&av, trace[i]);
            }
            footprint_burst(&fp);
            footprint_average_burst(&av);
            footprint_access_repeat(&fp, 100);             /* of no block: not counted */
            footprint_average_access_repeat(&av, 100);
        }
        CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
        CHECK_EQ(footprint_average_snapshot(&av, &q, table2, sizeof table2), 0);
        CHECK(p.flags & FOOTPRINT_FULL && q.flags & FOOTPRINT_FULL && p.accesses == 6000);
        CHECK((p.sample_log2 == 0) == forget && q.sample_log2 > 0);
        for (b = 20; footprint_bin_high(b) <= 600; b += 4) {
            double want = (double)sums[b] / (double)counts[b];
            double got = (double)p.total[b].low / (double)p.total[b].windows;
            CHECK_EQ(p.total[b].windows, counts[b]);
            CHECK_EQ(q.total[b].windows, counts[b]);
            if (!forget || footprint_bin_high(b) < 100) CHECK(got > .7 * want && got < 1.4 * want);
            got = (double)q.total[b].low / (double)q.total[b].windows;
            CHECK(got > .7 * want && got < 1.4 * want);
        }
    }
}

/* ---- misses: lives that are cut off ---- */

static uint32_t ends[MOST], cuts[MOST], lives;             /* by stack distance */

static void live(uint32_t bursts) {
    uint32_t b, i, k, m;
    memset(ends, 0, sizeof ends);
    memset(cuts, 0, sizeof cuts);
    for (b = 0, lives = 0; b < bursts; b++) {
        uint32_t first = 0;
        for (i = burst_at[b]; i < burst_at[b + 1]; i++, lives++) {
            uint32_t distance = 1;
            for (k = i; k-- > burst_at[b] && trace[k] != trace[i]; ) {
                for (m = k + 1; m < i && trace[m] != trace[k]; m++) {
                }
                distance += m == i;
            }
            if (k + 1 > burst_at[b]) ends[distance]++;
            else cuts[++first]++;
        }
    }
}

TEST(misses_take_first_accesses_as_unknown) {
    footprint_config config = {1, 1 << 14, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
    uint32_t kind, d, bursts, known = 0;
    for (kind = 0; kind < KINDS; kind++) {
        footprint fp;
        footprint_profile p;
        double survive = 1, risk;
        make_trace((int)kind, 6000, 60, kind + 20);
        bursts = make_bursts(6000, 300, kind + 21);
        p = count_bursts(&fp, bursts, &config);
        live(bursts);
        risk = lives;
        for (d = 1; d < 15; d++) {                         /* rows of one distance each */
            double got = footprint_miss_ratio(&p, d), low = -1, high = -1;
            risk -= cuts[d];                               /* known to be d or more, not above */
            if (ends[d]) survive *= 1 - ends[d] / risk;
            risk -= ends[d];
            if (2 * cuts[d] < bursts) {
                CHECK(got == -1 && footprint_miss_interval(&p, d, &low, &high) == -1);
                continue;
            }
            known++;
            CHECK(got > survive - 1e-9 && got < survive + 1e-9);
            CHECK_EQ(footprint_miss_interval(&p, d, &low, &high), 0);
            CHECK(low <= got && got <= high && low >= 0 && high <= 1);
        }
        CHECK(footprint_miss_ratio(&p, 5000) == -1);
    }
    CHECK(known > 30);
}

TEST(few_bursts_have_no_interval) {
    footprint_config config = {.9, 1 << 14, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
    footprint_profile p, sum;
    footprint fp;
    double low, high;
    uint32_t b;
    make_trace(ZIPF, 1000, 60, 20);
    for (b = 0; b <= 10; b++) burst_at[b] = 100 * b;
    p = count_bursts(&fp, 7, &config);
    CHECK(footprint_average_of(&p, 50) > 1 && footprint_miss_ratio(&p, 4) > 0);
    CHECK(footprint_average_interval(&p, 50, &low, &high) == -1);
    CHECK(footprint_miss_interval(&p, 4, &low, &high) == -1);
    p = count_bursts(&fp, 10, &config);
    CHECK_EQ(footprint_average_interval(&p, 50, &low, &high), 0);
    CHECK(low < footprint_average_of(&p, 50) && footprint_average_of(&p, 50) < high);
    CHECK_EQ(footprint_miss_interval(&p, 4, &low, &high), 0);
    CHECK(footprint_average_of(&p, 101) == -1 && footprint_average_of(&p, 100) == -1);
    CHECK(footprint_average_interval(&p, 101, &low, &high) == -1);
    CHECK(footprint_fill_time(&p, 60) == -1 && footprint_reuse_after(&p, 10) == -1);
    CHECK_EQ(footprint_profile_init(&sum, p.rows, p.columns, FOOTPRINT_BURSTS, table2,
                                    sizeof table2), 0);
    CHECK_EQ(footprint_add(&sum, &p), 0);
    CHECK_EQ(footprint_add(&sum, &p), 0);
    CHECK(sum.bursts == 20 && footprint_miss_ratio(&sum, 4) == footprint_miss_ratio(&p, 4));
    CHECK_EQ(footprint_miss_interval(&sum, 4, &low, &high), 0);
    CHECK_EQ(footprint_subtract(&sum, &p), 0);
    CHECK(sum.bursts == 10 && footprint_average_of(&sum, 50) == footprint_average_of(&p, 50));
    CHECK_EQ(footprint_profile_init(&sum, p.rows, p.columns, 0, table2, sizeof table2), 0);
    CHECK_EQ(footprint_add(&sum, &p), 0);                  /* without room for groups */
    CHECK(footprint_miss_ratio(&sum, 4) == -1 && footprint_average_of(&sum, 50) > 1);
    CHECK(footprint_average_interval(&sum, 50, &low, &high) == -1);
    config.flags = 0;                                      /* bursts that nobody announced */
    p = count_bursts(&fp, 10, &config);
    CHECK(p.flags == FOOTPRINT_BURSTS && p.groups == 0 && footprint_miss_ratio(&p, 4) == -1);
    CHECK(footprint_average_of(&p, 50) == footprint_average_of(&sum, 50));
}

/* ---- intervals hold the truth ---- */

/* Phases: scans of a part, and hot blocks. */
static uint64_t next_block(uint64_t *seed, uint32_t i) {
    uint64_t r = test_random(seed);
    if (i / 5000 % 3 == 0) return i % 90;
    if (r % 3) return r / 3 % 20;
    return r / 3 % (i / 5000 % 3 == 1 ? 100 : 400);
}

TEST(intervals_hold_the_truth) {
    enum { N = 300000, TIMES = 40, SIZES = 4 };
    static const double sizes[SIZES] = {8, 30, 60, 90};
    footprint_config config = {1, 1 << 12, 0, 0, 0, 0, NULL, NULL, NULL};
    footprint whole, fp;
    footprint_profile truth, p;
    uint32_t i, t, held[2] = {0, 0}, asked[2] = {0, 0};
    uint64_t seed = 5;
    double wide = 0;
    CHECK(footprint_init(&whole, memory, sizeof memory, &config) > 0);
    for (i = 0; i < N; i++) footprint_access(&whole, next_block(&seed, i));
    CHECK_EQ(footprint_snapshot(&whole, &truth, table, sizeof table), 0);
    config.flags = FOOTPRINT_BURSTS;
    for (t = 0; t < TIMES; t++) {
        uint64_t draw = t + 1000;
        uint32_t left = 0, gap = (uint32_t)(test_random(&draw) % 3000);
        double low, high, want;
        CHECK(footprint_init(&fp, memory2, sizeof memory2, &config) > 0);
        for (i = 0, seed = 5; i < N; i++) {
            uint64_t block = next_block(&seed, i);
            if (gap) {
                left = --gap ? 0 : 500;
                continue;
            }
            footprint_access(&fp, block);
            if (--left) continue;
            footprint_burst(&fp);
            gap = 1 + (uint32_t)(test_random(&draw) % 6000);
        }
        CHECK_EQ(footprint_snapshot(&fp, &p, table2, sizeof table2), 0);
        for (i = 0; i < SIZES; i++) {
            want = footprint_miss_ratio(&truth, sizes[i]);
            if (footprint_miss_interval(&p, sizes[i], &low, &high) == 0) {
                asked[0]++;
                held[0] += low <= want && want <= high;
                wide += high - low;
            }
            want = footprint_average_of(&truth, sizes[i] * 4);
            if (footprint_average_interval(&p, sizes[i] * 4, &low, &high) == 0) {
                asked[1]++;
                held[1] += low <= want && want <= high;
            }
        }
    }
    printf("intervals hold misses %u of %u (mean width %.3f), averages %u of %u\n", held[0],
           asked[0], wide / asked[0], held[1], asked[1]);
    CHECK(asked[0] >= 2 * TIMES && asked[1] >= 3 * TIMES);
    CHECK(held[0] * 100 >= asked[0] * 88 && held[1] * 100 >= asked[1] * 88);
}

/* Phases of 32 bursts of 1000 accesses, of 10 blocks and of 100 in turn. Each has as many
   bursts, so the sample has little error. Its interval knows that only if groups change
   within a phase: four times here, else it is 5 times as wide. */
TEST(groups_change_within_phases) {
    enum { ROUNDS = 40, OF = 32, BURST = 1000 };
    footprint_config config = {1, 1 << 10, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
    footprint fp;
    footprint_profile p;
    uint64_t seed = 3;
    uint32_t phase, i;
    double low = 0, high = 0, average;
    CHECK(footprint_init(&fp, memory2, sizeof memory2, &config) > 0);
    for (phase = 0; phase < ROUNDS; phase++) {
        for (i = 0; i < OF * BURST; i++) {
            footprint_access(&fp, test_random(&seed) % (phase % 2 ? 100 : 10));
            if (i % BURST == BURST - 1) footprint_burst(&fp);
        }
    }
    CHECK_EQ(footprint_snapshot(&fp, &p, table2, sizeof table2), 0);
    average = footprint_average_of(&p, 200);
    CHECK_EQ(footprint_average_interval(&p, 200, &low, &high), 0);
    printf("%.2f, %.2f to %.2f\n", average, low, high);
    CHECK(average > 47 && average < 50); /* (10 + 100 (1 - .99^200)) / 2 */
    CHECK(high - low < 6);
}

/* Blocks are drawn evenly from n: a cache of C of them misses 1 - C / n, whatever
   c is. Of 120 intervals 22 or more are wrong with a chance of 2e-7, if one in
   twenty may be. */
TEST(intervals_hold_the_error_of_c) {
    enum { BLOCKS = 300, BURST = 1500, TURNS = 60, TIMES = 15, SIZES = 4 };
    static const double sizes[SIZES] = {30, 100, 200, 240}, c[2] = {.9, .6};
    footprint_config config = {1, 1 << 12, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
    footprint fp;
    footprint_profile p;
    uint32_t i, k, t, held = 0, asked = 0;
    for (t = 0; t < 2 * TIMES; t++) {
        uint64_t draw = t + 77;
        config.c = c[t % 2];
        CHECK(footprint_init(&fp, memory, sizeof memory, &config) > 0);
        for (k = 0; k < TURNS; k++) {
            for (i = 0; i < BURST; i++) footprint_access(&fp, test_random(&draw) % BLOCKS);
            footprint_burst(&fp);
        }
        CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
        for (i = 0; i < SIZES; i++) {
            const double want = 1 - sizes[i] / BLOCKS;
            double low, high;
            if (footprint_miss_interval(&p, sizes[i], &low, &high)) continue;
            asked++;
            held += low <= want && want <= high;
        }
    }
    printf("intervals hold c %u of %u\n", held, asked);
    CHECK(asked >= 60 && held + 21 >= asked);
}
