/* test_record_sums.c - the sums over bursts that record/inside/core/sampled.c and
   src/context_sums.c keep for intervals, against those of an obvious
   matrix: a row for each caller and function, a column for each burst. */
#include "test.h"
#if defined(__GNUC__) && !defined(__TINYC__)
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include "record/inside/core/contexts.h"
#include "record/inside/core/sampled.c"

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

/* ---- contexts ---- */

enum { NODES = 64 };

static uint64_t room_of_tree[1 << 13], room_of_sums[(NODES + 2) * sizeof(context_sums) / 8];

static uint32_t key_of(const hcct *tree, uint32_t node) {
    hcct_context context;
    if (!node) return 0;
    hcct_get_context(tree, node, &context);
    return context.key;
}

/* In bursts of calls of KEYS functions that the functions call: `calls` is the
   matrix. A call counts as the weight of its burst, as adaptive ones have.
   Returns all calls. */
static uint64_t record_contexts(hcct *tree, contexts *sums) {
    uint64_t all = 0;
    unsigned burst, n, count, weight;
    memset(calls, 0, sizeof calls);
    for (burst = 0; burst < BURSTS; burst++) {
        count = below(8) ? below(MOST) : 0;
        weight = below(4) ? 1 : 20;
        for (n = 0; n < count; n++) {
            uint32_t caller = below(KEYS + 1), key = 1 + below(KEYS);
            if (caller) hcct_enter(tree, caller, 0);
            hcct_enter(tree, key, weight);
            contexts_count(sums, tree, key, weight);
            hcct_leave(tree);
            if (caller) hcct_leave(tree);
            calls[caller][key][burst] += weight;
            all += weight;
        }
        contexts_burst(sums);
    }
    return all;
}

/* The group of the burst that is the n-th with a call, by seed 17. */
static uint32_t group_of(uint32_t n) {
    uint32_t h = 17 + n * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 16) * UINT32_C(0x7FEB352D);
    h = (h ^ h >> 15) * UINT32_C(0x846CA68B);
    return (h ^ h >> 16) & 7;
}

TEST(sums_of_contexts_are_those_of_a_matrix) {
    hcct tree;
    contexts *sums = (contexts *)(void *)room_of_sums;
    uint32_t node, depth = 0, burst, found = 0;
    uint64_t all, numbers[HCCT_SUMS], seen = 0, squares = 0, x_of[BURSTS] = {0};
    uint32_t group[BURSTS], k, with_calls = 0, used = 0;
    CHECK(contexts_bytes(NODES) <= sizeof room_of_sums);
    memset(room_of_sums, 0, sizeof room_of_sums);
    sums->nodes = NODES;
    sums->seed = 17;
    seed = 5;
    CHECK(hcct_init(&tree, room_of_tree, sizeof room_of_tree, NULL) >= NODES);
    all = record_contexts(&tree, sums);
    for (burst = 0; burst < BURSTS; burst++) {
        unsigned caller, key;
        for (caller = 0; caller <= KEYS; caller++) {
            for (key = 1; key <= KEYS; key++) x_of[burst] += calls[caller][key][burst];
        }
    }
    for (burst = 0; burst < BURSTS; burst++) /* by the bursts that had a call */
        group[burst] = group_of(with_calls += x_of[burst] > 0);
    for (node = hcct_next(&tree, 0, &depth); node; node = hcct_next(&tree, node, &depth)) {
        uint32_t caller = key_of(&tree, hcct_parent(&tree, node)), key = key_of(&tree, node);
        uint64_t count = 0, bursts = 0, yy = 0, xy = 0;
        for (burst = 0; burst < BURSTS; burst++) {
            uint64_t y = calls[caller][key][burst];
            count += y;
            bursts += y > 0;
            yy += y * y;
            xy += x_of[burst] * y;
        }
        contexts_numbers(sums, node, numbers);
        CHECK_EQ(numbers[0], count);
        CHECK_EQ(numbers[1], bursts);
        CHECK_EQ(numbers[2], yy);
        CHECK_EQ(numbers[3], xy);
        for (k = 0; k < HCCT_GROUPS; k++) {
            uint64_t in_group = 0;
            for (burst = 0; burst < BURSTS; burst++)
                in_group += group[burst] == k ? calls[caller][key][burst] : 0;
            CHECK_EQ(numbers[4 + k], in_group);
            used |= in_group ? 1u << k : 0;
        }
        found++;
    }
    CHECK_EQ(found, KEYS + KEYS * KEYS);
    CHECK_EQ(used, 255);
    for (burst = 0; burst < BURSTS; burst++) {
        uint64_t x = x_of[burst];
        seen += x > 0;
        squares += x * x;
    }
    contexts_numbers(sums, 0, numbers);
    CHECK_EQ(numbers[0], all);
    CHECK_EQ(numbers[1], seen);
    CHECK_EQ(numbers[2], squares);
    CHECK_EQ(numbers[3], squares);
}

static uint64_t in_groups(const uint64_t *numbers) {
    uint64_t sum = 0;
    uint32_t k;
    for (k = 0; k < HCCT_GROUPS; k++) sum += numbers[4 + k];
    return sum;
}

/* In a tree that is too small a node may become another context: its sums begin
   again, and never say more calls than the context has. */
TEST(sums_of_a_context_that_came_back_are_no_more_than_its_calls) {
    hcct tree;
    contexts *sums = (contexts *)(void *)room_of_sums;
    hcct_config config;
    uint32_t node, depth = 0, burst;
    uint64_t numbers[HCCT_SUMS];
    memset(room_of_sums, 0, sizeof room_of_sums);
    memset(&config, 0, sizeof config);
    config.monitored = 6;
    sums->nodes = NODES;
    seed = 9;
    CHECK(hcct_init(&tree, room_of_tree, hcct_bytes(&config, 12), &config) > 0);
    CHECK(record_contexts(&tree, sums) > 1000);
    for (node = hcct_next(&tree, 0, &depth); node; node = hcct_next(&tree, node, &depth)) {
        uint32_t caller = key_of(&tree, hcct_parent(&tree, node)), key = key_of(&tree, node);
        uint64_t count = 0;
        for (burst = 0; burst < BURSTS; burst++) count += calls[caller][key][burst];
        contexts_numbers(sums, node, numbers);
        CHECK(numbers[0] <= count && numbers[1] <= numbers[0] && numbers[2] >= numbers[0]);
        CHECK(numbers[3] >= numbers[2]);
        CHECK_EQ(in_groups(numbers), numbers[0]);
    }
    contexts_count(sums, &tree, 1, 1); /* of a burst that runs */
    contexts_numbers(sums, 0, numbers);
    CHECK_EQ(in_groups(numbers), numbers[0]);
}
#else
TEST(needs_gcc_or_clang) { SKIP("the recorder is compiled by gcc or clang"); }
#endif
