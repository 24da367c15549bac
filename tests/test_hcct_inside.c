/* test_hcct_inside.c - the only tests that look inside hcct.h: invariants of
   its nodes, and its numbers. */
#include "test.h"
#define HCCT_IMPLEMENTATION
#define HCCT_STATIC
#include "hcct.h"
#include "hcct_reference.inc"


static int near(double a, double b) { return a - b < 0.005 && b - a < 0.005; }

/* The invariants of the tree itself. */
static void check_tree(const hcct *t) {
    uint32_t i, c, live = 0, freed = 0, counted = 0, hashed = 0, depth = 0, reached = 0, bad = 0;
    for (i = t->free_list; i; i = hcct_p_at(t, i)[HCCT_P_NEXT]) {
        freed++;
        bad += !hcct_p_is_free(t, i);
    }
    for (i = 0; i < t->used; i++) {
        uint32_t steps = 0;
        if (i && hcct_p_is_free(t, i)) continue;
        live += i != 0;
        counted += i && (hcct_p_saving(t) ? !hcct_p_cold(t, i)
                                          : !hcct_p_full(t) && *hcct_p_count(t, i) != 0);
        for (c = hcct_p_child(t, i); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) {
            uint32_t at = 0, n = 0;
            steps++;
            bad += hcct_p_at(t, c)[HCCT_P_PARENT] != i;
            bad += hcct_p_look(t, i, hcct_p_at(t, c)[HCCT_P_KEY], t->stride, &at, &n) !=
                   c; /* distinct keys, and hashed right */
        }
        if (hcct_p_at(t, i)[HCCT_P_CHILD] & HCCT_P_BIT) {
            hashed += steps;
            bad += steps == 0;
        }
        if (!hcct_p_full(t))
            bad += (hcct_p_at(t, i)[HCCT_P_CHILDREN] != (steps | (i ? 0 : HCCT_P_BIT)));
    }
    for (i = hcct_next(t, 0, &depth); i; i = hcct_next(t, i, &depth)) reached++;
    CHECK_EQ(bad, 0);
    CHECK_EQ(reached, live);
    CHECK_EQ(live, t->stats.nodes);
    CHECK_EQ(live + freed, t->used - 1);
    CHECK_EQ(hashed, t->hash_fill);
    if (hcct_p_saving(t) || t->algorithm == HCCT_STICKY) CHECK_EQ(counted, t->stats.monitored);
    if (hcct_p_saving(t)) CHECK(t->stats.monitored <= t->stats.monitored_max);
}

/* Parents with so many children that a walk along them would be long, though
   they are not in the hash. */
static uint32_t long_walks(const hcct *t) {
    uint32_t i, c, found = 0;
    for (i = 0; i < t->used; i++) {
        uint32_t children = 0;
        if ((i && hcct_p_is_free(t, i)) || hcct_p_at(t, i)[HCCT_P_CHILD] & HCCT_P_BIT) continue;
        for (c = hcct_p_child(t, i); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) children++;
        found += children > HCCT_P_WALK + 1;
    }
    return found;
}

/* What a call costs does not depend on how many children its caller has: a
   million calls from one parent with 150 000 of them, in arenas of all sizes,
   those included that are full all the time. */
TEST(one_parent_with_150000_children) {
    static hcct_context rows[100];
    uint32_t algorithm, size, i, k, n = 150000;
    uint64_t seed = 1;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        for (size = 0; size < 3; size++) {
            hcct_config c = config_of(algorithm, size == 0 ? 50000 : 0);
            uint32_t probes = 0;
            arena a;
            arena_open(&a, &c, size == 0 ? 4 * 50000 : size == 1 ? n + 10 : 1000);
            hcct_enter(&a.t, 1, 1);
            for (i = 0; i < 1000000 / TEST_SCALE; i++) {
                uint64_t x = test_random(&seed);
                hcct_enter(&a.t, 2 + (uint32_t)(x >> 8) % (x & 1 ? 100 : n), x & 6 ? 1 : x >> 50);
                hcct_leave(&a.t);
                if (i % 50000 == 0) CHECK_EQ(long_walks(&a.t), 0);
            }
            CHECK_EQ(long_walks(&a.t), 0);
            check_tree(&a.t);
            for (i = 2; i < n; i++) {
                uint32_t slot = hcct_p_home(&a.t, 1, i);
                for (; (k = a.t.hash[slot]) != 0; slot = hcct_p_after(&a.t, slot), probes++)
                    if (hcct_p_at(&a.t, k)[HCCT_P_KEY] == i) break;
            }
            CHECK(probes < 20 * n);
            CHECK(hcct_hottest(&a.t, 1, 400, rows, 100) == 100 || size == 2);
            arena_close(&a);
        }
    }
}

/* After doublings, counts are distributed as if sampling had begun at the new
   rate: 40 occurrences, r = 16, mean 26.1. */
TEST(sticky_resamples_like_a_fresh_sample) {
    uint32_t seed, k, i;
    double mean[2] = {0, 0};
    for (k = 0; k < 2; k++)
        for (seed = 0; seed < 20000; seed++) {
            hcct_config c = config_of(HCCT_STICKY, 0);
            uint64_t memory[256];
            hcct t;
            c.seed = seed * 2 + k;
            c.one_over_epsilon = 1 << 20;
            c.cache_slots = 1;
            hcct_init(&t, memory, sizeof memory, &c);
            if (k == 0) t.stats.rate_shift = 4;
            for (i = 0; i < 40; i++) {
                hcct_enter(&t, 1, 1);
                if (i < 39) hcct_leave(&t);
            }
            if (k == 1)
                for (i = 0; i < 4; i++) hcct_p_double_rate(&t);
            mean[k] += (double)*hcct_p_count(&t, hcct_position(&t).cursor) / 20000;
        }
    CHECK(mean[0] > 25.8 && mean[0] < 26.4);
    CHECK(mean[1] > 25.8 && mean[1] < 26.4);
}

TEST(logarithm) {
    double x, worst = 0;
    for (x = 1; x < 300; x += 0.37) { /* ln(x^2) = 2 ln x, ln(x y) = ln x + ln y, ln 10 */
        double off = hcct_p_ln(x * x * 1.7) - 2 * hcct_p_ln(x) - hcct_p_ln(1.7);
        if (off < 0) off = -off;
        if (off > worst) worst = off;
    }
    CHECK(worst < 1e-12);
    CHECK(near(hcct_p_ln(10) * 1e9, 2.302585092994046 * 1e9));
    CHECK(near(hcct_p_ln(1e-9) * 1e6, -20.72326583694641 * 1e6));
}

TEST(packing_rounds_the_right_way) {
    uint64_t seed = 9;
    uint32_t i;
    for (i = 0; i < 20000; i++) {
        uint64_t x = test_random(&seed) >> (i % 64), up = hcct_p_unpack(hcct_p_pack(x, 1)),
                 down = hcct_p_unpack(hcct_p_pack(x, 0));
        CHECK(up >= x && down <= x);
        CHECK(up - down <= x >> 25);
        if (x < 1 << 26) CHECK(up == x && down == x);
    }
    CHECK(hcct_p_unpack(hcct_p_pack(UINT64_MAX, 1)) == UINT64_MAX);
    CHECK(hcct_p_scale(UINT64_MAX, UINT64_MAX, UINT64_MAX, 0) == UINT64_MAX);
    CHECK(hcct_p_scale(100, 1, 3, 0) == 33 && hcct_p_scale(100, 1, 3, 1) == 34 &&
          hcct_p_scale(99, 1, 3, 1) == 33);
    CHECK(hcct_p_scale(UINT64_C(1) << 63, 6, UINT64_C(1) << 62, 0) == 12);
    for (i = 0; i < 20000; i++) {
        uint64_t a = test_random(&seed) >> 32, b = test_random(&seed) >> 33,
                 c = (test_random(&seed) >> (20 + i % 43)) + 1;
        CHECK(hcct_p_scale(a, b, c, 0) == a * b / c);
        CHECK(hcct_p_scale(a, b, c, 1) == (a * b + c - 1) / c);
    }
}

/* Streams of every kind, with and without weights, cache and hash; a small
   arena and a large one. */
TEST(invariants_hold_on_the_way) {
    uint32_t algorithm, kind, mode, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        for (kind = 0; kind < STREAMS; kind++) {
            for (mode = 0; mode < 8; mode++) {
                hcct_config c = config_of(algorithm, mode & 1 ? 20 : 300);
                stream s = stream_of(kind, 11 + mode, (int)(mode >> 1 & 1));
                arena a;
                c.cache_slots = mode & 4 ? 1 : 0;
                arena_open(&a, &c, mode & 1 ? 30 : 6000);
                for (i = 0; i < 6; i++) {
                    feed(&a.t, NULL, &s, 4000);
                    check_tree(&a.t);
                    CHECK_EQ(long_walks(&a.t), 0);
                }
                hcct_burst_end(&a.t);
                check_tree(&a.t);
                arena_close(&a);
            }
        }
    }
}

TEST(invariants_hold_in_growing_trees_with_fibers) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 50);
    stream s = stream_of(SKEWED, 3, 0);
    size_t bytes = hcct_bytes(&c, 100);
    void *memory = malloc(bytes);
    hcct_fiber fiber;
    uint32_t i;
    hcct t;
    CHECK(hcct_init(&t, memory, bytes, &c) >= 100);
    hcct_fiber_start(&t, &fiber, 1, NULL, 0);
    for (i = 0; i < 10; i++) {
        hcct_fiber_switch(&t, i % 2 ? NULL : &fiber);
        hcct_burst_end(&t);
        s.depth = 0;
        feed(&t, NULL, &s, 2000);
        check_tree(&t);
        bytes = bytes * 4 / 3;
        memory = realloc(memory, bytes);
        CHECK(hcct_grow(&t, memory, bytes) > 0);
        check_tree(&t);
    }
    hcct_fiber_switch(&t, NULL);
    hcct_fiber_end(&t, &fiber);
    check_tree(&t);
    free(memory);
}
