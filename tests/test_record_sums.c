/* test_record_sums.c - the sums over bursts that record/sampled.c keeps for intervals, against
   those of an obvious matrix: a row for each caller and function, a column for each burst. */
#include "test.h"
#if defined(__GNUC__) && !defined(__TINYC__)
#include "record/sampled.c"

enum { KEYS = 5, BURSTS = 400, MOST = 40 };

static uint32_t seed;
static uint32_t below(uint32_t bound) {
    seed = seed * UINT32_C(1103515245) + 12345;
    return (seed >> 8) % bound;
}

static unsigned calls[KEYS + 1][KEYS + 1][BURSTS];         /* caller, function, burst */
static sampled_table table;

static uint64_t weigh_calls(uint64_t count, uint64_t weight_256) {
    return (count * weight_256 + 128) / 256;
}

static void record(uint64_t weight_256) {
    unsigned burst, n, count;
    memset(calls, 0, sizeof calls);
    memset(&table, 0, sizeof table);
    for (burst = 0; burst < BURSTS; burst++) {
        count = below(8) ? below(MOST) : 0;                 /* some see nothing */
        for (n = 0; n < count; n++) {
            uint32_t caller = below(KEYS + 1), key = 1 + below(1 + below(KEYS));
            calls[caller][key][burst]++;
            sampled_count(&table, key, caller, weight_256);
        }
        sampled_burst(&table, weight_256);
    }
}

static const sampled_row *find(uint32_t caller, uint32_t key) {
    uint32_t i;
    for (i = 0; i < SAMPLED_ROWS; i++) {
        if (table.rows[i].key == key && table.rows[i].caller == caller) return &table.rows[i];
    }
    return NULL;
}

static void compare(uint64_t weight_256) {
    uint64_t xx = 0, seen = 0, firsts[KEYS + 1] = {0}, wanted_firsts[KEYS + 1] = {0};
    uint32_t caller, key, burst, other;
    for (burst = 0; burst < BURSTS; burst++) {
        uint64_t total = 0;
        for (key = 1; key <= KEYS; key++) {
            uint64_t site = 0;
            for (caller = 0; caller <= KEYS; caller++) site += calls[caller][key][burst];
            wanted_firsts[key] += site > 0;
            total += site;
        }
        seen += total > 0;
        total = weigh_calls(total, weight_256);
        xx += total * total;
    }
    CHECK_EQ(table.bursts, seen);
    CHECK_EQ(table.xx, xx);
    for (key = 1; key <= KEYS; key++) {
        for (caller = 0; caller <= KEYS; caller++) {
            const sampled_row *row = find(caller, key);
            uint64_t count = 0, bursts = 0, yy = 0, ys = 0, xy = 0;
            for (burst = 0; burst < BURSTS; burst++) {
                uint64_t y = calls[caller][key][burst], s = 0, x = 0;
                if (!y) continue;
                for (other = 0; other <= KEYS; other++) {
                    uint32_t k;
                    s += calls[other][key][burst];
                    for (k = 1; k <= KEYS; k++) x += calls[other][k][burst];
                }
                count += y;
                bursts++;
                y = weigh_calls(y, weight_256);
                yy += y * y;
                ys += y * weigh_calls(s, weight_256);
                xy += y * weigh_calls(x, weight_256);
            }
            CHECK(row != NULL || count == 0);
            if (!row) continue;
            CHECK_EQ(row->count, count);
            CHECK_EQ(row->weight_256, count * weight_256);
            CHECK_EQ(row->bursts, bursts);
            CHECK_EQ(row->yy, yy);
            CHECK_EQ(row->ys, ys);
            CHECK_EQ(row->xy, xy);
            firsts[key] += row->firsts;
        }
        CHECK_EQ(firsts[key], wanted_firsts[key]);
    }
}

TEST(sums_over_bursts_are_those_of_a_matrix) {
    static const uint64_t weights[] = {256, 2560, 25600, 300};
    unsigned n;
    for (n = 0; n < sizeof weights / sizeof *weights; n++) {
        seed = n + 1;
        record(weights[n]);
        compare(weights[n]);
    }
}

TEST(a_sum_that_is_full_stays_full) {
    memset(&table, 0, sizeof table);
    sampled_count(&table, 7, 0, (uint64_t)1 << 45);
    sampled_burst(&table, (uint64_t)1 << 45);
    CHECK(find(0, 7)->yy == UINT64_MAX && table.xx == UINT64_MAX);
    sampled_count(&table, 7, 0, 256);
    sampled_burst(&table, 256);
    CHECK(find(0, 7)->yy == UINT64_MAX && table.xx == UINT64_MAX && table.bursts == 2);
}

TEST(a_full_table_counts_what_it_loses) {
    uint32_t key;
    memset(&table, 0, sizeof table);
    for (key = 1; key <= SAMPLED_ROWS; key++) sampled_count(&table, key, 0, 256);
    sampled_burst(&table, 256);
    CHECK_EQ(table.rows_used, SAMPLED_ROWS / 4 * 3);
    CHECK_EQ(table.lost, SAMPLED_ROWS / 4);
    CHECK_EQ(table.xx, (uint64_t)(SAMPLED_ROWS / 4 * 3) * (SAMPLED_ROWS / 4 * 3));
    CHECK_EQ(table.seen, 0);
}
#else
TEST(needs_gcc_or_clang) { SKIP("the recorder is compiled by gcc or clang"); }
#endif
