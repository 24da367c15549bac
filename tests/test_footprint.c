/* test_footprint.c - footprint.h against brute force: every window of every kind of trace, at every access. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "test.h"

enum { MOST = 6000, ROWS = 200, COLUMNS = 128 };                               /* longest trace; rows and columns of tables */

static uint64_t memory[600000], table[200000], table2[200000];

/* ---- traces ---- */

enum { RANDOM, CYCLIC, ZIPF, SAWTOOTH, PHASES, BURSTS, KINDS };
static uint64_t trace[MOST];

static void make_trace(int kind, uint32_t n, uint32_t m, uint64_t seed) {
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint64_t r = test_random(&seed), b;
        switch (kind) {
        case RANDOM:   b = r % m; break;
        case CYCLIC:   b = i % m; break;
        case ZIPF:     { double u = (double)(r >> 11) / 9007199254740992.0; b = (uint64_t)((double)m * u * u * u * u); break; }
        case SAWTOOTH: b = i / m % 2 ? m - 1 - i % m : i % m; break;
        case PHASES:   b = (i / (n / 5 + 1)) * (m / 3) + r % (m / 2 + 1); break;
        default:       b = r % 7 == 0 || i == 0 ? r / 7 % m : r % 3 == 0 && i > 3 ? trace[i - 3] : trace[i - 1]; break;
        }
        trace[i] = b * 977 + 5;
    }
}

/* ---- the truth, and what the marks say, window by window ---- */

static footprint_entry stack[MOST];               /* true LRU stack, most recent first */
static uint32_t stack_size;

static uint32_t stack_access(uint64_t block, uint64_t now) {                  /* returns the depth, 0: new */
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

/* Adds the windows that end now and start at 1..since to a row. */
static void add_starts(uint64_t *row, uint64_t now, uint64_t since) {
    uint64_t shortest = now - since + 1;
    uint32_t b;
    if (since == 0) return;
    for (b = footprint_bin(shortest); footprint_bin_low(b) <= now; b++) {
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b);
        if (low < shortest) low = shortest;
        if (high > now) high = now;
        row[b] += high - low + 1;
    }
}

static uint64_t counted[ROWS][COLUMNS], truth[ROWS][COLUMNS], depths[ROWS], first_count;

/* Replays trace[0..n) and checks every access; at half and at the end every cell. Returns the number of broken checks. */
static int replay(uint32_t n, const footprint_config *config, size_t bytes) {
    footprint fp;
    footprint_profile p;
    uint32_t i, b, rows, broken = 0;
    stack_size = 0;
    first_count = 0;
    memset(counted, 0, sizeof counted);
    memset(truth, 0, sizeof truth);
    memset(depths, 0, sizeof depths);
    if (footprint_init(&fp, memory, bytes, config) == 0) return -1;
    for (i = 1; i <= n; i++) {
        uint64_t last = UINT64_MAX, depth;
        footprint_access(&fp, trace[i - 1]);
        depth = stack_access(trace[i - 1], i);
        if (depth) depths[footprint_bin(depth)]++; else first_count++;
        rows = footprint_bin(stack_size) + 1;
        for (b = 1; b <= rows; b++) {
            uint64_t F = footprint_bin_low(b), tau = footprint_since(&fp, b), K = footprint_p_reach(fp.config.c, F);
            broken += tau > stack_time(F);                                     /* counted as >= F without being it */
            broken += !(fp.flags & FOOTPRINT_FULL) && tau < stack_time(K + 1); /* more than K, and not counted */
            broken += tau > last;
            last = tau;
            add_starts(counted[b], i, tau);
            add_starts(truth[b], i, stack_time(F));
        }
        add_starts(truth[0], i, i);
        if (i == n / 2 || i == n) {
            if (footprint_snapshot(&fp, &p, table, sizeof table)) return -2;
            for (b = 1; b < p.columns && b < COLUMNS; b++) {
                uint32_t row;
                broken += footprint_windows(&p, b) != truth[0][b];
                for (row = 1; row < p.rows; row++) broken += footprint_p_at_least(&p, row, b) != counted[row][b];
                for (row = 1; row < p.rows; row++) broken += footprint_p_at_least(&p, row, b) > footprint_p_at_least(&p, row - 1, b);
            }
            broken += p.accesses != i || p.blocks != (fp.forgotten ? p.blocks : stack_size);
        }
    }
    return (int)broken;
}

TEST(bins) {
    static const uint64_t pairs[][2] = {{0, 0}, {15, 15}, {16, 16}, {17, 16}, {18, 17}, {31, 23}, {32, 24}, {35, 24}, {36, 25}, {63, 31},
        {64, 32}, {255, 47}, {256, 48}, {288, 49}, {319, 49}, {22528, 99}, {24575, 99}, {125829120, 199}, {134217727, 199},
        {UINT64_C(1) << 45, 344}, {UINT64_MAX, 495}};
    uint32_t i;
    for (i = 0; i < sizeof pairs / sizeof *pairs; i++) CHECK_EQ(footprint_bin(pairs[i][0]), pairs[i][1]);
    for (i = 0; i < 495; i++) {
        CHECK_EQ(footprint_bin(footprint_bin_low(i)), i);
        CHECK_EQ(footprint_bin(footprint_bin_high(i)), i);
        CHECK(footprint_bin_high(i) + 1 == footprint_bin_low(i + 1));
        CHECK(i == 0 || i > 450 || footprint_bin_low(footprint_bin(2 * footprint_bin_low(i))) == 2 * footprint_bin_low(i));
    }
}

static const double precisions[] = {1, .99, .9, .75, .5, .3};

TEST(every_window) {
    static const struct { uint32_t n, m; } sizes[] = {{700, 3}, {900, 40}, {1500, 150}, {2500, 1100}};
    uint32_t kind, size, c, shape;
    for (kind = 0; kind < KINDS; kind++)
        for (size = 0; size < 4; size++) {
            make_trace((int)kind, sizes[size].n, sizes[size].m, kind * 31 + size);
            for (c = 0; c < 6; c++)
                for (shape = 0; shape < 4; shape++) {
                    footprint_config config = {0, 1 << 14, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL};
                    if (size == 2 && (shape == 1 || shape == 2)) continue;     /* time */
                    config.c = precisions[c];
                    config.recent = shape & 1 ? 32 : 16;
                    config.group = shape & 2 ? 8 : 4;
                    CHECK_EQ(replay(sizes[size].n, &config, sizeof memory), 0);
                }
        }
}

int main(void) {
    RUN(bins);
    RUN(every_window);
    return test_end();
}
