/* test_footprint.c - footprint.h against brute force: every window of every
   kind of trace, at every access. */
#define FOOTPRINT_IMPLEMENTATION
static int asserted; /* mistakes noticed */
#define FOOTPRINT_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#include "footprint.h"
#include "test.h"
#include "footprint_traces.inc"

enum { ROWS = 200, COLUMNS = 128 }; /* rows and columns of tables */

static uint64_t memory[600000], table[200000], table2[200000];

/* ---- the truth, and what the marks say, window by window ---- */

static footprint_entry stack[MOST]; /* true LRU stack, most recent first */
static uint32_t stack_size;

static uint32_t stack_access(uint64_t block, uint64_t now) { /* returns the depth, 0: new */
    uint32_t q = 0, depth;
    while (q < stack_size && stack[q].block != block) q++;
    depth = q < stack_size ? q + 1 : 0;
    if (q == stack_size) stack_size++;
    for (; q > 0; q--) stack[q] = stack[q - 1];
    stack[0].block = block;
    stack[0].time = now;
    return depth;
}

static uint64_t stack_time(uint64_t F) { return F >= 1 && F <= stack_size ? stack[F - 1].time : 0; }

/* Windows by row and length: those that end now and start at 1..since are one
   of each length from the age up to now. Kept as differences from one length to
   the next. */
typedef struct tally {
    int32_t change[ROWS][MOST + 2];
    uint64_t cell[ROWS][COLUMNS];
} tally;
static tally counted, truth;

static void add_starts(tally *t, uint32_t row, uint64_t now, uint64_t since) {
    if (since == 0) return;
    t->change[row][now - since + 1]++;
    t->change[row][now + 1]--;
}

static void settle(tally *t, uint32_t n) {
    uint32_t row, w;
    memset(t->cell, 0, sizeof t->cell);
    for (row = 0; row < ROWS; row++) {
        int64_t windows = 0;
        for (w = 1; w <= n; w++)
            t->cell[row][footprint_bin(w)] += (uint64_t)(windows += t->change[row][w]);
    }
}

static uint64_t depths[MOST + 1], first_count;

/* The largest footprint that a window may have without being counted as >=
   low. */
static uint64_t reach(double c, uint64_t low) {
    return c >= 1 ? low - 1 : (uint64_t)((double)(low - 1) / c + 1e-9);
}

/* The hash by which blocks are sampled at 2^-k. */
static int left_out(uint64_t block, uint32_t k) {
    block = (block ^ block >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    block = (block ^ block >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    block ^= block >> 33;
    return (block & ((UINT64_C(1) << k) - 1)) != 0;
}

/* The blocks still followed at 2^-k. */
static void stack_filter(uint32_t k) {
    uint32_t q, kept = 0;
    for (q = 0; q < stack_size; q++)
        if (!left_out(stack[q].block, k)) stack[kept++] = stack[q];
    stack_size = kept;
}

/* Replays trace[0..n) and checks the marks after every access, and every cell
   at half and at the end. Returns how many are wrong. */
static int replay(uint32_t n, const footprint_config *config, size_t bytes) {
    footprint fp;
    footprint_stats s;
    footprint_profile p;
    uint32_t i, b, rows, row, k, broken = 0, cap = footprint_init(&fp, memory, bytes, config);
    uint64_t longest = footprint_bin_high(footprint_bin(config->window_max));
    double precision = config->c > 0 ? config->c : .9;
    int followed = 1;
    stack_size = 0;
    first_count = 0;
    memset(&counted, 0, sizeof counted);
    memset(&truth, 0, sizeof truth);
    memset(depths, 0, sizeof depths);
    if (cap == 0) return -1;
    footprint_get_stats(&fp, &s);
    for (k = s.sample_log2, i = 1; i <= n; i++) {
        uint64_t last = UINT64_MAX, depth;
        uint64_t old = i > longest ? i - longest : 0; /* starts up to `old` are of no interest */
        footprint_access(&fp, trace[i - 1]);
        footprint_get_stats(&fp, &s);
        if (k != s.sample_log2) stack_filter(s.sample_log2);
        k = s.sample_log2;
        followed = !left_out(trace[i - 1], k);
        if (followed) {
            depth = stack_access(trace[i - 1], i);
            if (depth)
                depths[depth]++;
            else
                first_count++;
        }
        rows = footprint_bin((uint64_t)stack_size << k) + 1;
        for (b = 1; b <= rows; b++) {
            uint64_t F = (footprint_bin_low(b) + (UINT64_C(1) << k) - 1) >> k;
            uint64_t tau = footprint_mark_time(&fp, b);
            uint64_t latest = stack_time(reach(precision, F) + 1);
            int forgotten = (s.flags & FOOTPRINT_FORGET) && F > cap;
            broken += tau > stack_time(F) && tau > old; /* counted as >= F without being it */
            broken += !forgotten && tau < latest && latest > old; /* must be counted, and is not */
            broken += tau > last && tau > old;
            last = tau;
            add_starts(&counted, b, i, tau);
            add_starts(&truth, b, i, stack_time(F));
        }
        add_starts(&truth, 0, i, i);
        if (i == n / 2 || i == n) {
            if (footprint_snapshot(&fp, &p, table, sizeof table)) return -2;
            settle(&counted, i);
            settle(&truth, i);
            for (b = 1; b < p.columns && b < COLUMNS; b++) {
                broken += footprint_windows(&p, b) != truth.cell[0][b];
                for (row = 1; row < p.rows; row++)
                    broken += footprint_at_least(&p, b, row) != counted.cell[row][b];
                for (row = 1; row < p.rows; row++)
                    broken += footprint_at_least(&p, b, row) > footprint_at_least(&p, b, row - 1);
            }
            broken += p.accesses != i || (s.forgotten == 0 && k == 0 && p.blocks != stack_size);
        }
    }
    if (k == 0 && s.forgotten == 0) {
        /* Stack distances: misses(C) lie between the true ones at C / c and at
           C. */
        uint64_t misses = p.blocks, at_c = first_count, further = first_count, d;
        for (row = 0; row < p.rows; row++) misses += p.depth[row];
        for (d = 1; d <= MOST; d++) {
            at_c += depths[d];
            further += depths[d];
        }
        broken += misses != n;
        for (row = 1; row + 1 < p.rows; row++) {
            uint64_t C = footprint_bin_high(row), most = reach(precision, C + 1);
            misses -= p.depth[row];
            for (at_c = further = first_count, d = 1; d <= MOST; d++) {
                if (d > C) at_c += depths[d];
                if (d > most) further += depths[d];
            }
            broken += misses > at_c || misses < further;
        }
    }
    return (int)broken;
}

TEST(bins) {
    static const uint64_t pairs[][2] = {
        {0, 0},           {15, 15},    {16, 16},         {17, 16},         {18, 17},
        {31, 23},         {32, 24},    {35, 24},         {36, 25},         {63, 31},
        {64, 32},         {255, 47},   {256, 48},        {288, 49},        {319, 49},
        {22528, 99},      {24575, 99}, {125829120, 199}, {134217727, 199}, {UINT64_C(1) << 45, 344},
        {UINT64_MAX, 495}};
    uint32_t i;
    for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_EQ(footprint_bin(pairs[i][0]), pairs[i][1]);
    for (i = 0; i < 495; i++) {
        CHECK_EQ(footprint_bin(footprint_bin_low(i)), i);
        CHECK_EQ(footprint_bin(footprint_bin_high(i)), i);
        CHECK(footprint_bin_high(i) + 1 == footprint_bin_low(i + 1));
        CHECK(i == 0 || i > 450 ||
              footprint_bin_low(footprint_bin(2 * footprint_bin_low(i))) ==
                  2 * footprint_bin_low(i));
    }
}

static const double precisions[] = {1, .99, .9, .75, .5, .3};

static const footprint_config plain = {0, 1 << 14, 0, 0, 0, 0, NULL, NULL, NULL};

TEST(every_window) {
    static const struct { uint32_t n, m; } sizes[] = {{500, 3}, {600, 40}, {900, 150}, {1700, 900}};
    uint32_t kind, size, c, shape;
    for (kind = 0; kind < KINDS; kind++)
        for (size = 0; size < 4; size++) {
            make_trace((int)kind, sizes[size].n, sizes[size].m, kind * 31 + size);
            for (c = 0; c < 6; c++)
                for (shape = size + kind + c; shape < size + kind + c + 4; shape += 3) {
                    footprint_config config = plain;
                    config.c = precisions[c];
                    CHECK_EQ(replay(sizes[size].n, &config, sizeof memory), 0);
                    if (config.c == 1) {
                        uint32_t b;
                        for (b = 1; b < ROWS; b++)
                            CHECK(memcmp(counted.cell[b], truth.cell[b], sizeof counted.cell[b]) ==
                                  0);
                    }
                }
        }
    make_trace(RANDOM, 3000, 1100, 99);
    CHECK_EQ(replay(3000, &plain, sizeof memory), 0);
}

/* A window bound, a table that forgets, sampling from the start and sampling
   when full: each against its own truth. */
TEST(bounded_memory) {
    uint32_t kind, c;
    for (kind = 0; kind < KINDS; kind++) {
        make_trace((int)kind, 3000, 700, kind + 7);
        for (c = 0; c < 4; c++) {
            footprint_config config = plain;
            footprint_profile p;
            footprint fp;
            config.c = precisions[c];
            config.window_max = 1023;
            CHECK_EQ(replay(3000, &config, footprint_bytes(&config, 500)), 0);
            config.window_max = plain.window_max;
            config.flags = FOOTPRINT_FORGET;
            CHECK_EQ(replay(3000, &config, footprint_bytes(&config, 200)), 0);
            config.flags = 0;
            CHECK_EQ(replay(3000, &config, footprint_bytes(&config, 100)), 0);
            config.sample_log2 = 1 + c;
            CHECK_EQ(replay(3000, &config, sizeof memory), 0);
            CHECK_EQ(replay(3000, &config, footprint_bytes(&config, 60)), 0);
            CHECK(footprint_init(&fp, memory, footprint_bytes(&plain, 100), &plain) > 0);
            footprint_access_many(&fp, trace, 3000);
            CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
            if (kind == RANDOM) {
                CHECK(p.flags & FOOTPRINT_FULL);
                CHECK(p.sample_log2 > 1);
            }
        }
    }
}

/* At c = 1 moves of a mark wait while their ages stay in one bin. Nothing may
   depend on when they are settled: rarely, or by a snapshot every 37 accesses.
   With `burst` a burst ends every so many accesses. */
static int waited;
static int wait_alike(const footprint_config *config, size_t bytes, uint32_t n, uint32_t burst) {
    uint64_t *tables[2] = {table, table2};
    footprint_profile p[2];
    footprint fp;
    uint32_t i, j, way, differ = 0;
    for (way = 0; way < 2; way++) {
        uint64_t seed = n;
        footprint_init(&fp, memory, bytes, config);
        for (i = 0; i < n; i++) {
            footprint_access(&fp, n > MOST ? test_random(&seed) % (n / 2) : trace[i]);
            if (burst && i % burst == burst - 1) footprint_burst(&fp);
            for (j = 0; j < fp.marks; j++) waited |= fp.mark[j].moved != 0;
            if (way ? i % 37 == 0 : i == n / 3)
                CHECK_EQ(footprint_snapshot(&fp, &p[way], tables[way], sizeof table), 0);
        }
        CHECK_EQ(footprint_snapshot(&fp, &p[way], tables[way], sizeof table), 0);
    }
    CHECK_EQ(p[0].rows, p[1].rows);
    for (i = 0; i < p[0].rows * p[0].columns; i++) differ += p[0].at_least[i] != p[1].at_least[i];
    for (i = 0; i < p[0].rows; i++) differ += p[0].depth[i] != p[1].depth[i];
    for (i = 0; i < p[0].columns; i++) differ += p[0].total[i].low != p[1].total[i].low;
    return differ == 0 && p[0].blocks == p[1].blocks;
}

TEST(moves_that_wait) {
    footprint_config config = plain;
    uint32_t blocks, kind;
    config.c = 1;
    for (kind = 0; kind < KINDS; kind++) {
        make_trace((int)kind, 6000, 1100, kind);
        CHECK(wait_alike(&config, sizeof memory, 6000, 0));
        config.window_max = 1023;
        CHECK(wait_alike(&config, sizeof memory, 6000, 0));
        CHECK(wait_alike(&config, footprint_bytes(&config, 100), 6000, 0));
        config.window_max = plain.window_max;
    }
    for (blocks = 120; blocks < 2000; blocks = blocks * 2 + 17) {
        make_trace(RANDOM, MOST - 77, blocks, blocks);
        waited = 0;
        CHECK(wait_alike(&config, sizeof memory, MOST - 77, 0));
        CHECK(waited || blocks < 700);
        CHECK(wait_alike(&config, sizeof memory, MOST - 77, 1500));
        CHECK(wait_alike(&config, footprint_bytes(&config, 100), MOST - 77, 0));
        config.flags = FOOTPRINT_FORGET;
        CHECK(wait_alike(&config, footprint_bytes(&config, 100), MOST - 77, 0));
        config.flags = 0;
        config.c = .97;
        CHECK(wait_alike(&config, sizeof memory, MOST - 77, 0));
        config.c = 1;
    }
    CHECK(wait_alike(&config, sizeof memory, 20001, 0));
}

/* Found by fuzzing: ages of marks that the window bound had closed were counted
   again after thinning out. 114 blocks fill the slots, then all grow too old;
   100 blocks in turn fill them again, with fewer alive, and are too many for
   the table. */
TEST(bounds_together) {
    footprint_config config = plain;
    footprint_profile p;
    footprint fp;
    footprint_stats s;
    uint32_t i, b, row;
    config.c = 1;
    config.window_max = 1023;
    CHECK(footprint_init(&fp, memory, footprint_bytes(&config, 60), &config) == 63);
    for (i = 0; i < 114; i++) footprint_access(&fp, i);
    footprint_access_repeat(&fp, 5000);
    for (i = 0; i < 400; i++) footprint_access(&fp, 1000 + i % 100);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    CHECK(p.flags & FOOTPRINT_FULL && p.forgotten > 0);
    for (b = 1; b < p.columns; b++)
        for (row = 1; row < p.rows; row++)
            CHECK(footprint_at_least(&p, b, row) <= footprint_at_least(&p, b, row - 1));
    CHECK_EQ(footprint_at_least(&p, footprint_bin(112), footprint_bin(112)),
             24); /* 112..119 long, starts at 1..3 */

    /* Also by fuzzing: a table in which every slot is alive when it is to be
       thinned out. */
    config.window_max = plain.window_max;
    for (i = 60; i < 160; i++) {
        size_t bytes = footprint_bytes(&config, i);
        memset(memory, 0x55, bytes + 64);
        CHECK(footprint_init(&fp, memory, bytes, &config) > 0);
        for (b = 0; b < 400; b++) footprint_access(&fp, b);
        footprint_get_stats(&fp, &s);
        CHECK(s.flags & FOOTPRINT_FULL);
        for (b = 0; b < 64; b++) CHECK(((unsigned char *)memory)[bytes + b] == 0x55);
        for (b = 2; b < ROWS; b++)
            CHECK(footprint_mark_time(&fp, b) <= footprint_mark_time(&fp, b - 1));
    }
}

/* Slots may hold more blocks than rows tell apart. Those footprints are in the
   open bin, and a profile that does not say FULL has none there. */
TEST(the_open_bin_is_said_before_anything_is_dropped) {
    footprint_config config = plain;
    uint32_t blocks, most, n, full = 0, not_full = 0;
    config.c = 1;
    config.flags = FOOTPRINT_FORGET;
    for (blocks = 40; blocks < 500; blocks += 37) {
        for (n = blocks / 2; n < blocks * 2; n += 1 + blocks / 16) {
            uint32_t way;
            for (way = 0; way < 3; way++) {
                footprint_profile p;
                footprint fp;
                footprint_stats s;
                uint32_t i, bin, is_full, columns;
                config.window_max = way == 2 ? 1023 : plain.window_max;
                most = footprint_init(&fp, memory, footprint_bytes(&config, blocks), &config);
                CHECK(most >= blocks);
                for (i = 0; i < n; i++) footprint_access(&fp, i);
                if (way == 1) {                 /* a burst of its own, and a short one behind it */
                    footprint_burst(&fp);
                    footprint_access(&fp, 1);
                }
                footprint_get_stats(&fp, &s);
                CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
                CHECK_EQ(p.flags, s.flags);
                is_full = (s.flags & FOOTPRINT_FULL) != 0;
                columns = p.columns;
                bin = footprint_bin(n);
                if (bin < columns && !is_full) CHECK(footprint_at_least(&p, bin, bin) > 0);
                if (n <= most) CHECK(!is_full);
                full += is_full;
                not_full += !is_full;
            }
        }
    }
    CHECK(full > 50 && not_full > 50);
}

/* It stays said when all those blocks have grown too old and make room. */
TEST(the_open_bin_stays_said) {
    footprint_config config = plain;
    footprint_stats s;
    footprint fp;
    uint32_t i;
    config.c = 1;
    config.flags = FOOTPRINT_FORGET;
    config.window_max = 1023;
    CHECK(footprint_init(&fp, memory, footprint_bytes(&config, 302), &config) >= 302);
    for (i = 0; i < 390; i++) footprint_access(&fp, i);
    footprint_access_repeat(&fp, 5000);
    for (i = 0; i < 300; i++) footprint_access(&fp, 1000 + i);
    footprint_get_stats(&fp, &s);
    CHECK(s.flags & FOOTPRINT_FULL && s.forgotten >= 300);
}

TEST(average_is_exact) {
    uint32_t kind, mode, b;
    for (kind = 0; kind < 2 * KINDS; kind++) { /* with all blocks, and with old ones dropped */
        footprint_config config = plain;
        footprint_profile p;
        footprint fp;
        size_t bytes = sizeof memory;
        mode = kind / KINDS;
        make_trace((int)(kind % KINDS), 2500, 600, kind % KINDS + 70);
        if (mode) config.window_max = 1023;
        if (mode) bytes = footprint_bytes(&config, 1400);
        CHECK(footprint_init(&fp, memory, bytes, &config) > 0);
        footprint_access_many(&fp, trace, 2500);
        CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
        CHECK(mode == 0 || kind % KINDS != RANDOM || p.forgotten > 0);
        for (b = 1; b < p.columns && footprint_bin_high(b) <= 2500; b++) {
            uint32_t w = (uint32_t)footprint_bin_high(b);
            CHECK_EQ(p.total[b].windows, 2500 - w + 1);
            CHECK_EQ(p.total[b].low, footprints_of(2500, w));
            CHECK_EQ(p.total[b].high, 0);
        }
        CHECK(mode || footprint_average_of(&p, 2500) == (double)p.blocks);
    }
}

/* When blocks no longer fit and are sampled, averages stay near the truth:
   phases of new blocks, so that most of the blocks that are dropped never come
   back. Before their gaps were closed, the averages were up to three times too
   large. */
TEST(average_when_full) {
    enum { N = 6000 };
    uint32_t w;
    footprint_config config = plain;
    footprint_profile p, early;
    footprint fp;
    make_new_phases(N);
    CHECK(footprint_init(&fp, memory, footprint_bytes(&config, 600), &config) > 0);
    footprint_access_many(&fp, trace, N / 2);
    CHECK_EQ(footprint_snapshot(&fp, &early, table2, sizeof table2), 0);
    footprint_access_many(&fp, trace + N / 2, N / 2);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    CHECK(p.flags & FOOTPRINT_FULL && p.sample_log2 >= 1);
    for (w = 63; w <= 2047; w = 2 * w + 1) {
        double got = footprint_average_of(&p, w), want = (double)footprints_of(N, w) / (N - w + 1);
        CHECK(got > .8 * want && got < 1.25 * want);
    }
    CHECK_EQ(footprint_subtract(&p, &early), 0);
    CHECK(footprint_average_of(&p, 255) > 50 && footprint_average_of(&p, 255) < 130);
}

/* With one block in 2^k followed, all reuses at less than 2^k blocks look
   alike: nothing is said of such caches. */
TEST(misses_when_sampled) {
    footprint_config config = plain;
    footprint_profile p;
    footprint fp;
    config.sample_log2 = 3;
    make_trace(ZIPF, 5000, 300, 9);
    CHECK(footprint_init(&fp, memory, sizeof memory, &config) > 0);
    footprint_access_many(&fp, trace, 5000);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    CHECK(footprint_miss_ratio(&p, 1) == -1 && footprint_miss_ratio(&p, 7) == -1);
    CHECK(footprint_miss_ratio(&p, 8) > 0 && footprint_miss_ratio(&p, 8) < 1);
}

/* Percentiles against all footprints of all windows, sorted. */
static int by_size(const void *a, const void *b) {
    return (int)*(const uint32_t *)a - (int)*(const uint32_t *)b;
}

TEST(percentiles) {
    enum { N = 260 };
    static uint32_t of[N * N];
    static const uint32_t percents[] = {0, 1, 5, 50, 95, 99, 100};
    footprint_config config = plain;
    footprint_profile p;
    footprint fp;
    uint32_t b, i, j, w, count;
    config.c = 1;
    make_trace(PHASES, N, 50, 3);
    CHECK(footprint_init(&fp, memory, sizeof memory, &config) > 0);
    footprint_access_many(&fp, trace, N);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    for (b = 1; b <= footprint_bin(N); b++) {
        for (count = 0, i = 0; i < N; i++) {
            uint32_t seen = 0;
            for (w = 1; i + w <= N && w <= footprint_bin_high(b); w++) {
                for (j = i; trace[j] != trace[i + w - 1]; j++) {
                }
                seen += j == i + w - 1;
                if (w >= footprint_bin_low(b)) of[count++] = seen;
            }
        }
        qsort(of, count, sizeof *of, by_size);
        CHECK_EQ(footprint_windows(&p, b), count);
        for (i = 0; i < sizeof percents / sizeof *percents; i++) {
            uint32_t rank = (count * percents[i] + 99) / 100;
            CHECK_EQ(footprint_percentile(&p, b, percents[i]),
                     footprint_bin(of[rank ? rank - 1 : 0]));
        }
        for (i = 0, j = 0; i < p.rows; i++) {
            for (count = 0; j < footprint_windows(&p, b) && footprint_bin(of[j]) == i; j++) count++;
            CHECK_EQ(footprint_at_least(&p, b, i) - footprint_at_least(&p, b, i + 1), count);
        }
    }
    CHECK_EQ(footprint_percentile(&p, b, 50), UINT32_MAX);
    CHECK_EQ(footprint_percentile(&p, 0, 50), UINT32_MAX);
}

static int same(const footprint_profile *a, const footprint_profile *b) {
    return a->rows == b->rows && a->columns == b->columns && a->accesses == b->accesses &&
           a->blocks == b->blocks &&
           memcmp(a->at_least, b->at_least, (size_t)a->rows * a->columns * sizeof(uint64_t)) == 0 &&
           memcmp(a->depth, b->depth, a->rows * sizeof(uint64_t)) == 0 &&
           memcmp(a->total, b->total, a->columns * sizeof *a->total) == 0;
}

TEST(all_entries_agree) {
    uint32_t kind, mode, i, run;
    for (kind = 0; kind < KINDS; kind++)
        for (mode = 0; mode < 3; mode++) {
            footprint_config config = plain;
            footprint_profile p, q;
            footprint fp;
            size_t bytes = mode == 2 ? footprint_bytes(&config, 100) : sizeof memory;
            config.sample_log2 = mode == 1 ? 2 : 0;
            make_trace((int)kind, 5000, 300, kind + 170);
            footprint_init(&fp, memory, bytes, &config);
            for (i = 0; i < 5000; i++) footprint_access(&fp, trace[i]);
            CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
            CHECK_EQ(footprint_snapshot(&fp, &q, table2, sizeof table2),
                     0); /* the first has disturbed nothing */
            CHECK(same(&p, &q));
            footprint_init(&fp, memory, bytes, &config);
            for (i = 0; i < 5000; i += run)
                footprint_access_many(&fp, trace + i,
                                      run = i + 700 < 5000 ? 1 + i % 700 : 5000 - i);
            CHECK_EQ(footprint_snapshot(&fp, &q, table2, sizeof table2), 0);
            CHECK(same(&p, &q));
            footprint_init(&fp, memory, bytes, &config);
            for (i = 0; i < 5000; i += run) {
                for (run = 1; i + run < 5000 && trace[i + run] == trace[i]; run++) {
                }
                footprint_access(&fp, trace[i]);
                footprint_access_repeat(&fp, run - 1);
            }
            CHECK_EQ(footprint_snapshot(&fp, &q, table2, sizeof table2), 0);
            CHECK(same(&p, &q));
        }
}

/* Adds, for accesses t0..t1 during which X_F stays, the windows that end there
   and start at or before X_F. */
static void add_rest_of(uint64_t *row, uint64_t t0, uint64_t t1, uint64_t X) {
    uint32_t b;
    for (b = footprint_bin(t0 - X + 1); b < COLUMNS * 3 && footprint_bin_low(b) <= t1; b++) {
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b), cut[6], i, j;
        cut[0] = t0;
        cut[1] = high;
        cut[2] = low + X - 1;
        cut[3] = high + X;
        cut[4] = low - 1;
        cut[5] = t1;
        for (i = 1; i < 5; i++) {
            if (cut[i] < t0) cut[i] = t0;
            if (cut[i] > t1) cut[i] = t1;
        }
        for (i = 1; i < 5; i++)
            for (j = i; j > 1 && cut[j] < cut[j - 1]; j--) {
                uint64_t c = cut[j];
                cut[j] = cut[j - 1];
                cut[j - 1] = c;
            }
        for (i = 0; i < 5;
             i++) { /* linear between cuts; each piece but the first leaves out its first time */
            uint64_t a = cut[i] + (i > 0), z = cut[i + 1], at[2], n = z - a + 1;
            if (a > z) continue;
            for (j = 0; j < 2; j++) {
                uint64_t t = j ? z : a, most = high < t ? high : t,
                         least = low > t - X + 1 ? low : t - X + 1;
                at[j] = most >= least ? most - least + 1 : 0;
            }
            row[b] += n % 2 ? (at[0] + at[1]) / 2 * n : (at[0] + at[1]) * (n / 2);
        }
    }
}

/* 60 blocks in turn, each 2^27 times over, twice: 1.6e10 accesses. */
TEST(beyond_two_to_33) {
    static uint64_t row[60][COLUMNS * 3];
    footprint_config config = plain;
    footprint_profile p;
    footprint fp;
    footprint_stats s;
    uint64_t n = 0, run = UINT64_C(1) << 27;
    uint32_t i, b, F;
    config.c = 1;
    config.window_max = UINT64_C(1) << 35;
    memset(row, 0, sizeof row);
    CHECK(footprint_init(&fp, memory, sizeof memory, &config) > 0);
    for (i = 0; i < 120; i++) {
        footprint_access(&fp, i % 60);
        footprint_access_repeat(&fp, run - 1);
        for (F = 2; F <= 60 && F <= i + 1; F++)
            add_rest_of(row[F - 1], n + 1, n + run, n - (F - 2) * run);
        n += run;
    }
    CHECK(n > UINT64_C(1) << 33);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    CHECK(p.accesses == n && p.flags == 0);
    for (b = 1; b <= footprint_bin(n); b++)
        for (F = 2; F <= 60; F++)
            if (footprint_bin_low(footprint_bin(F)) == F)
                CHECK(footprint_at_least(&p, b, footprint_bin(F)) == row[F - 1][b]);
    for (b = 1; footprint_bin_high(b) <= n; b++)
        CHECK(p.total[b].windows == n - footprint_bin_high(b) + 1);
    for (i = 1; i <= 4;
         i *= 2) { /* windows of w < run touch two blocks unless one run holds them */
        uint64_t w = run / i - 1;
        double want = 2 - 120 * (double)(run - w + 1) / (double)(n - w + 1),
               got = footprint_average_of(&p, (double)w);
        CHECK(got > want - 1e-9 && got < want + 1e-9);
    }
    footprint_access_repeat(&fp, UINT64_C(1) << 34); /* as many as can be counted, and no more */
    footprint_get_stats(&fp, &s);
    CHECK(s.flags & FOOTPRINT_ENDED);
    CHECK(s.lost == n + run * 128 - s.accesses_max);
    CHECK(s.accesses == s.accesses_max);
    footprint_access(&fp, 1);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    CHECK(p.accesses == s.accesses_max && p.flags & FOOTPRINT_ENDED);
    for (b = 1; b <= footprint_bin(s.accesses_max); b++)
        CHECK(footprint_windows(&p, b) >= footprint_at_least(&p, b, 2));
}

TEST(phases_and_sums) {
    footprint_config config = plain;
    footprint_profile early, late, sum;
    footprint fp;
    uint32_t i, b, row;
    static uint64_t memory2[200000];
    config.c = 1;
    make_trace(ZIPF, 2000, 200, 5);
    footprint_init(&fp, memory, sizeof memory, &config);
    footprint_access_many(&fp, trace, 700);
    CHECK_EQ(footprint_snapshot(&fp, &early, table, sizeof table), 0);
    footprint_access_many(&fp, trace + 700, 1300);
    CHECK_EQ(footprint_snapshot(&fp, &late, table2, sizeof table2), 0);
    CHECK_EQ(footprint_profile_init(&sum, late.rows, late.columns, 0, memory2, sizeof memory2), 0);
    CHECK_EQ(footprint_add(&sum, &late), 0);
    CHECK(same(&sum, &late));
    CHECK(footprint_average_of(&sum, 2000) == footprint_average_of(&late, 2000));
    CHECK_EQ(footprint_subtract(&late, &early), 0);
    CHECK(late.flags & FOOTPRINT_DIFFERENCE);
    for (b = 1; b <= footprint_bin(2000); b++) { /* windows that end at 701..2000 */
        uint64_t want = 0;
        for (i = 701; i <= 2000; i++)
            if (i >= footprint_bin_low(b))
                want += (footprint_bin_high(b) < i ? footprint_bin_high(b) : i) -
                        footprint_bin_low(b) + 1;
        CHECK_EQ(footprint_windows(&late, b), want);
        for (row = 0; row + 1 < late.rows; row++)
            CHECK(footprint_at_least(&late, b, row) >= footprint_at_least(&late, b, row + 1));
    }
    CHECK_EQ(footprint_add(&late, &early), 0);
    CHECK(same(&sum, &late));
    CHECK_EQ(footprint_subtract(&early, &late), -1);
    CHECK_EQ(footprint_add(&early, &late), early.rows < late.rows ? -1 : 0);
    late.at_least[3] = UINT64_MAX - 1; /* sums stick and say so */
    sum.at_least[3] = 5;
    CHECK_EQ(footprint_add(&sum, &late), 0);
    CHECK(sum.at_least[3] == UINT64_MAX && sum.flags & FOOTPRINT_SATURATED);
}

/* m blocks in turn: all is known. */
TEST(misses) {
    enum { M = 100, N = 5000 };
    footprint_config config = plain;
    footprint_profile p;
    footprint fp;
    double w;
    config.c = 1;
    make_trace(CYCLIC, N, M, 0);
    footprint_init(&fp, memory, sizeof memory, &config);
    footprint_access_many(&fp, trace, N);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    CHECK(footprint_average_of(&p, 50) == 50 && footprint_average_of(&p, 95) == 95 && footprint_average_of(&p, 1000) == 100);
    CHECK(footprint_miss_ratio(&p, 50) == 1);
    w = footprint_miss_ratio(&p, 103);
    CHECK(w > .01999 && w < .02001);
}

/* ---- memory that fails ---- */

#include "stingy.inc"

TEST(memory_runs_out) {
    footprint_config config = plain;
    footprint_profile p, whole;
    footprint_stats s;
    footprint fp;
    enum { MANY = 60000 };
    static uint64_t many[MANY];
    uint64_t seed = 8;
    uint32_t mode, full = 0, i;
    config.window_max = 1 << 17; /* no block grows too old */
    config.alloc = stingy;
    config.release = give_back;
    for (i = 0; i < MANY; i++) many[i] = test_random(&seed) % 20000;
    for (mode = 0; mode < 2; mode++) {
        config.flags = mode == 1 ? FOOTPRINT_FORGET : 0;
        for (allowed = 0; allowed < 14; allowed++) {
            allocations = 0;
            if (footprint_open(&fp, &config) == 0) {
                CHECK(allowed < 2);
                CHECK_EQ(in_use, 0);
                continue;
            }
            footprint_access_many(&fp, many, MANY);
            footprint_get_stats(&fp, &s);
            full += (s.flags & FOOTPRINT_FULL) != 0;
            CHECK(!(s.flags & FOOTPRINT_FULL) == (allocations <= allowed));
            CHECK(s.accesses == MANY && (s.flags & FOOTPRINT_FULL || s.blocks > 18000));
            CHECK(s.flags & FOOTPRINT_FULL || (double)s.blocks_bytes / (double)s.blocks < 33);
            CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
            if (mode == 0 && s.flags & FOOTPRINT_FULL && s.sample_log2 < 3) /* still fair */
                CHECK(footprint_average_of(&p, 1023) > 600 && footprint_average_of(&p, 1023) < 1024);
            footprint_close(&fp);
            CHECK_EQ(in_use, 0);
        }
        CHECK(full > 0);
    }
    allowed = UINT32_MAX; /* growing changes nothing that is counted */
    config.flags = 0;
    footprint_open(&fp, &config);
    footprint_access_many(&fp, many, MANY);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    footprint_close(&fp);
    footprint_init(&fp, memory, sizeof memory, &config);
    footprint_access_many(&fp, many, MANY);
    CHECK_EQ(footprint_snapshot(&fp, &whole, table2, sizeof table2), 0);
    CHECK(same(&p, &whole));
}

TEST(sizes) {
    footprint fp;
    footprint_profile p;
    footprint_config config = plain;
    size_t bytes, least = 0;
    CHECK_EQ(footprint_init(&fp, NULL, 0, NULL), 0);
    CHECK_EQ(footprint_open(&fp, NULL), 0);
    config.window_max = 1; /* the least there is */
    make_trace(RANDOM, 300, 200, 1);
    for (bytes = 0; bytes < 700000; bytes += 1993) { /* unaligned as well */
        uint32_t fit = footprint_init(&fp, (char *)memory + bytes % 16, bytes, &config);
        if (fit == 0) {
            CHECK_EQ(least, 0);
            continue;
        }
        if (least == 0) least = bytes;
        footprint_access_many(&fp, trace, 300);
        CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
        CHECK_EQ(footprint_snapshot(&fp, &p, table, footprint_snapshot_bytes(&fp) - 1), -1);
    }
    CHECK(least > 1000);
    CHECK(footprint_init(&fp, memory, footprint_bytes(&config, 1000), &config) >= 1000);
    CHECK_EQ(footprint_init(&fp, memory, footprint_bytes(&config, 1) / 2, &config), 0);
}

/* A tracker whose init failed may be used all the same: it counts nothing, and
   says so. */
TEST(mistakes) {
    footprint fp;
    footprint_profile p;
    footprint_stats s;
    int before = asserted;
    make_trace(RANDOM, 100, 50, 1);
    CHECK_EQ(footprint_init(&fp, memory, 10, NULL), 0);
    footprint_access(&fp, 1);
    footprint_access_many(&fp, trace, 100);
    footprint_access_repeat(&fp, 5);
    footprint_reference(&fp, trace, 1);
    CHECK_EQ(footprint_mark_time(&fp, 40), 0);
    footprint_get_stats(&fp, &s);
    CHECK(s.accesses == 0 && s.lost >= 102 && s.flags & FOOTPRINT_ENDED);
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    CHECK(p.accesses == 0 && footprint_percentile(&p, 1, 50) == UINT32_MAX);
    CHECK(footprint_average_of(&p, 10) == 0 && footprint_miss_ratio(&p, 10) == 0);
    footprint_close(&fp);
    CHECK_EQ(asserted, before);
    CHECK_EQ(footprint_snapshot(&fp, &p, NULL, 0), -1);
    footprint_access_many(&fp, NULL, 0);
    CHECK_EQ(asserted, before + 1);
}

TEST(references) {
    footprint fp;
    footprint_stats s;
    char *base = (char *)(uintptr_t)64000;
    footprint_init(&fp, memory, sizeof memory, &plain);
    footprint_reference(&fp, base, 4); /* one block */
    footprint_reference(&fp, base + 62, 4); /* two */
    footprint_reference(&fp, base + 64, 0); /* one */
    footprint_reference(&fp, base, 256); /* four */
    footprint_get_stats(&fp, &s);
    CHECK_EQ(s.accesses, 8);
    CHECK_EQ(s.blocks, 4);
    footprint_reference(&fp, base + 192, 4); /* the latest of the four again: time 9 */
    CHECK_EQ(footprint_mark_time(&fp, 1), 9);
    CHECK_EQ(footprint_mark_time(&fp, 2), 7);
    footprint_reference(&fp, base + 128, 4); /* and the one before it */
    CHECK_EQ(footprint_mark_time(&fp, 2), 9);
    CHECK_EQ(footprint_mark_time(&fp, 3), 6);
}

/* An object that would run over the end of the address space ends there. */
TEST(the_last_addresses) {
    footprint_config config = plain;
    footprint fp;
    footprint_stats s;
    char *top = (char *)(UINTPTR_MAX - 7);
    footprint_init(&fp, memory, sizeof memory, &config);
    footprint_reference(&fp, top, 8);
    footprint_reference(&fp, top, 16);
    footprint_reference(&fp, top - 64, 100);
    footprint_get_stats(&fp, &s);
    CHECK(s.accesses == 4 && s.blocks == 2);
    config.block_log2 = 66; /* a block of 2^63 bytes is the largest there is */
    footprint_init(&fp, memory, sizeof memory, &config);
    footprint_reference(&fp, memory, 16);
    footprint_get_stats(&fp, &s);
    CHECK(s.accesses == 1 && s.blocks == 1);
}

/* A sum is no better than the worst of its profiles, in any order. */
TEST(sums_of_different_profiles) {
    static uint64_t memory2[200000];
    static const double c[] = {1, .5, .9};
    footprint_profile part[3], sum;
    uint64_t *tables[3];
    footprint fp;
    uint32_t i, k, order;
    tables[0] = table, tables[1] = table2, tables[2] = table + sizeof table / sizeof *table / 2;
    for (i = 0; i < 3; i++) {
        footprint_config config = plain;
        config.c = c[i];
        config.sample_log2 = i;
        make_trace(ZIPF, 1000, 50, 3);
        footprint_init(&fp, memory, sizeof memory, &config);
        footprint_access_many(&fp, trace, 1000);
        CHECK_EQ(footprint_snapshot(&fp, &part[i], tables[i], sizeof table / 2), 0);
    }
    for (order = 0; order < 3; order++) {
        CHECK_EQ(footprint_profile_init(&sum, 200, part[0].columns, 0, memory2, sizeof memory2), 0);
        for (k = 0; k < 2; k++) {
            i = (order + 2 * k) % 3;
            CHECK_EQ(footprint_add(&sum, &part[i]), 0);
        }
        i = (order + 2) % 3;
        CHECK(!(sum.c > c[order]) && !(sum.c > c[i]) && sum.c >= .5);
        CHECK_EQ(sum.sample_log2, order > i ? order : i);
    }
    part[1].flags |= FOOTPRINT_AVERAGE; /* counts nothing by footprint */
    CHECK_EQ(footprint_add(&sum, &part[1]), -1);
    part[1].flags = FOOTPRINT_INTERLEAVED;
    CHECK_EQ(footprint_add(&sum, &part[1]), -1);
    part[1].flags = 0;
    part[1].block_log2 = 7;
    CHECK_EQ(footprint_add(&sum, &part[1]), -1);
}
