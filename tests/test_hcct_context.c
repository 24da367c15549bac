/* test_hcct_context.c - where hcct.h stands: leaving, jumps, limits, folding,
   fibers, bursts. */
#include "test.h"
#define HCCT_ASSERT(condition) ((condition) ? (void)0 : (void)(asserted++))
static int asserted;
#define HCCT_IMPLEMENTATION
#define HCCT_STATIC
#include "hcct.h"
#include "hcct_reference.inc"

/* Who keeps a stack of his own says at which depth a call begins, and never when
   one ends. */
TEST(enter_at) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        hcct_config c = config_of(algorithm, 40);
        uint32_t step, depth = 0, known = 0, stack[90];
        uint64_t seed = 5;
        arena a;
        ref r;
        ref_init(&r);
        arena_open(&a, &c, 700);
        for (step = 0; step < 30000; step++) {
            uint64_t x = test_random(&seed);
            uint32_t key = 1 + (uint32_t)(x >> 20) % 3;
            if (depth == 90 || x % 100 < 45) depth = (uint32_t)(x >> 30) % (depth + 1);
            r.cursor = depth ? stack[depth - 1] : 0;
            ref_enter(&r, key, 1);
            stack[depth] = r.cursor;
            if (!a.t.run.at.over && hcct_enter_known(&a.t, depth, key)) known++;
            else hcct_enter_at(&a.t, depth, key, 1);
            depth++;
            CHECK(a.t.run.at.over || hcct_position(&a.t).depth == depth);
        }
        check_bounds(&a.t, &r, algorithm);
        CHECK_EQ(stats_of(&a.t).unmatched, 0);
        CHECK_EQ(known > step / 10, algorithm == HCCT_SPACE_SAVING);
        arena_close(&a);
        ref_free(&r);
    }
}

TEST(unwind_and_matched_leave) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        hcct_config c = config_of(algorithm, 40);
        arena a;
        ref r;
        uint64_t seed = 3;
        uint32_t step, depth = 0, ref_marks[64];
        hcct_place marks[64];
        ref_init(&r);
        arena_open(&a, &c, 700);
        for (step = 0; step < 30000; step++) {
            uint64_t x = test_random(&seed);
            if (depth < 40 && x % 100 < 52) {
                uint32_t key = 1 + (uint32_t)(x >> 20) % 9;
                marks[depth] = hcct_position(&a.t);
                ref_marks[depth++] = r.cursor;
                hcct_enter(&a.t, key, 1);
                ref_enter(&r, key, 1);
            } else if (depth && x % 100 < 90) {
                hcct_leave(&a.t);
                ref_leave(&r);
                depth--;
            } else if (depth && x % 2) {
                depth = (uint32_t)(x >> 20) % depth;
                hcct_return_to(&a.t, &marks[depth]);
                r.cursor = ref_marks[depth];
            } else if (depth) { /* leave by key: the nearest one */
                uint32_t key = 1 + (uint32_t)(x >> 20) % 9, at = r.cursor, d = depth;
                while (at && r.nodes[at].key != key) {
                    at = r.nodes[at].parent;
                    d--;
                }
                if (a.t.run.at.over) continue;
                CHECK_EQ(hcct_leave_key(&a.t, key), at != 0);
                if (at) {
                    r.cursor = r.nodes[at].parent;
                    depth = d - 1;
                }
            }
            CHECK(a.t.run.at.over || hcct_position(&a.t).depth == depth);
        }
        check_bounds(&a.t, &r, algorithm);
        CHECK(stats_of(&a.t).repaired > 0 && stats_of(&a.t).unmatched > 0);
        asserted = 0;
        marks[0].cursor = 1u << 30;
        hcct_return_to(&a.t,
                       &marks[0]); /* a mark that cannot be: refused, and the assert says so */
        CHECK_EQ(asserted, 1);
        arena_close(&a);
        ref_free(&r);
    }
}

TEST(depth_limit) {
    uint32_t algorithm, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        hcct_config c = config_of(algorithm, 40);
        hcct_stats s;
        arena a;
        c.depth_limit = 5;
        arena_open(&a, &c, 100);
        for (i = 0; i < 9; i++) hcct_enter(&a.t, 1 + i, 1);
        hcct_add(&a.t, 10);
        for (i = 0; i < 9; i++) hcct_leave(&a.t);
        hcct_add(&a.t, 3);
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.total, 5);
        CHECK_EQ(s.below_depth_limit, 14);
        CHECK_EQ(s.lost, 0);
        CHECK_EQ(s.outside_any_context, 3);
        CHECK_EQ(s.unmatched, 0);
        arena_close(&a);
    }
}

/* The reference folds alike; its returns are a plain array. */
TEST(recursion_folding) {
    uint32_t algorithm, fold;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm))
        for (fold = 1; fold <= 4; fold += 3) {
            hcct_config c = config_of(algorithm, 30);
            uint32_t returns[200], ref_returns[200], depth = 0, step;
            uint64_t seed = 3;
            arena a;
            ref r;
            hcct_place mark;
            uint32_t mark_depth = 0, mark_cursor = 0;
            ref_init(&r);
            c.fold = fold;
            c.returns = returns;
            c.return_count = 200;
            arena_open(&a, &c, 300);
            mark = hcct_position(&a.t);
            for (step = 0; step < 30000; step++) {
                uint64_t x = test_random(&seed);
                if (depth < 190 && x % 100 < 50) {
                    uint32_t key = 1 + (uint32_t)(x >> 20) % 5, at = r.cursor, k;
                    for (k = 0; at && k < fold && r.nodes[at].key != key; k++)
                        at = r.nodes[at].parent;
                    ref_returns[depth++] = r.cursor;
                    if (at && k < fold) {
                        r.cursor = at;
                        r.nodes[at].weight++;
                        r.total++;
                    } else ref_enter(&r, key, 1);
                    hcct_enter(&a.t, key, 1);
                } else if (depth && x % 100 < 98) {
                    if (depth <= mark_depth) mark_depth = 0;
                    hcct_leave(&a.t);
                    r.cursor = ref_returns[--depth];
                } else if (depth && mark_depth == 0) {
                    mark = hcct_position(&a.t);
                    mark_depth = depth;
                    mark_cursor = r.cursor;
                } else if (depth) {
                    hcct_return_to(&a.t, &mark);
                    depth = mark_depth;
                    r.cursor = mark_cursor;
                    mark_depth = 0;
                }
                if (!a.t.run.at.over) {
                    hcct_context got;
                    hcct_get_context(&a.t, hcct_position(&a.t).cursor, &got);
                    CHECK_EQ(got.key, r.nodes[r.cursor].key);
                }
            }
            check_bounds(&a.t, &r, algorithm);
            arena_close(&a);
            ref_free(&r);
        }
}

TEST(folding_without_room_to_return_is_cut) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 10);
    uint32_t returns[3], i;
    arena a;
    c.fold = 1;
    c.returns = returns;
    c.return_count = 3;
    arena_open(&a, &c, 20);
    for (i = 0; i < 6; i++) hcct_enter(&a.t, 1, 1);
    CHECK_EQ(stats_of(&a.t).total, 3);
    CHECK_EQ(stats_of(&a.t).below_depth_limit, 3);
    CHECK_EQ(stats_of(&a.t).nodes, 1);
    for (i = 0; i < 6; i++) hcct_leave(&a.t);
    CHECK_EQ(hcct_position(&a.t).cursor, 0);
    CHECK_EQ(stats_of(&a.t).unmatched, 0);
    CHECK_EQ(a.t.run.at.returns, 0);
    arena_close(&a);
}

TEST(fibers) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        enum { FIBERS = 6 };
        hcct_config c = config_of(algorithm, 40);
        hcct_fiber fibers[FIBERS];
        uint32_t cursors[FIBERS], depths[FIBERS], alive[FIBERS], running = 0, step, i;
        uint64_t seed = 8;
        arena a;
        ref r;
        ref_init(&r);
        memset(alive, 0, sizeof alive);
        memset(cursors, 0, sizeof cursors);
        memset(depths, 0, sizeof depths);
        alive[0] = 1; /* number 0 is main */
        arena_open(&a, &c, 400);
        for (step = 0; step < 40000; step++) {
            uint64_t x = test_random(&seed);
            uint32_t other = (uint32_t)(x >> 40) % FIBERS, *depth = &depths[running];
            if (x % 100 < 46 && *depth < 20) {
                uint32_t key = 1 + (uint32_t)(x >> 20) % 6;
                hcct_enter(&a.t, key, 1);
                ref_enter(&r, key, 1);
                ++*depth;
            } else if (x % 100 < 90) {
                if (*depth) {
                    hcct_leave(&a.t);
                    ref_leave(&r);
                    --*depth;
                }
            } else if (x % 100 < 97) {
                if (!alive[other]) {
                    hcct_fiber_start(&a.t, &fibers[other], (int)(x >> 60 & 1), NULL, 0);
                    alive[other] = 1;
                    cursors[other] = x >> 60 & 1 ? r.cursor : 0;
                    depths[other] = x >> 60 & 1 ? *depth : 0;
                }
                cursors[running] = r.cursor;
                hcct_fiber_switch(&a.t, other ? &fibers[other] : NULL);
                running = other;
                r.cursor = cursors[other];
            } else if (other && other != running && alive[other]) {
                hcct_fiber_end(&a.t, &fibers[other]);
                alive[other] = 0;
            }
            if (!a.t.run.at.over) {
                hcct_context got;
                hcct_get_context(&a.t, hcct_position(&a.t).cursor, &got);
                CHECK_EQ(got.key, r.nodes[r.cursor].key);
            }
        }
        check_bounds(&a.t, &r, algorithm);
        hcct_fiber_switch(&a.t, NULL);
        for (i = 1; i < FIBERS; i++)
            if (alive[i]) hcct_fiber_end(&a.t, &fibers[i]);
        CHECK(a.t.fibers == NULL);
        arena_close(&a);
        ref_free(&r);
    }
}

TEST(bursts_position_and_do_not_count) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        hcct_config c = config_of(algorithm, 40);
        uint32_t stack[3] = {HCCT_KEY_DEEP, 2, 3}, node, i;
        arena a;
        hcct_context got;
        hcct_stats s;
        arena_open(&a, &c, 100);
        CHECK_EQ(hcct_burst_begin(&a.t, stack, 3), 1);
        hcct_enter(&a.t, 4, 1);
        hcct_leave(&a.t);
        hcct_burst_end(&a.t);
        CHECK_EQ(hcct_position(&a.t).cursor, 0);
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.total, 1);
        CHECK_EQ(s.nodes, 4);
        hcct_burst_begin(&a.t, stack, 3); /* nothing happens: it leaves nothing behind */
        hcct_burst_end(&a.t);
        stack[2] = 9;
        hcct_burst_begin(&a.t, stack, 3);
        hcct_burst_end(&a.t);
        hcct_get_stats(&a.t, &s);
        if (algorithm != HCCT_FULL) CHECK_EQ(s.nodes, 4);
        hcct_scale_to(&a.t, 10);
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.total, 1);
        CHECK_EQ(s.scaled_total, 10);
        stack[2] = 3;
        for (node = 0, i = 0; i < 3; i++) node = hcct_find(&a.t, node, stack[i]);
        hcct_get_context(&a.t, hcct_find(&a.t, node, 4), &got);
        CHECK_EQ(got.lower, 10);
        CHECK_EQ(got.upper, 10);
        arena_close(&a);
    }
}

/* Over all phases of the schedule every call is sampled equally often, so the
   mean of the scaled counts is exact. */
TEST(bursts_over_all_phases_are_exact) {
    enum { INTERVAL = 40, LENGTH = 8, CALLS = 4000 };
    uint32_t phase, i, strangers, wrong = 0, *to;
    hcct_config c = config_of(HCCT_FULL, 0);
    arena all;
    ref r;
    arena_open(&all, &c, 8000);
    ref_init(&r);
    for (phase = 0; phase < INTERVAL; phase++) {
        stream s = stream_of(SKEWED, 3, 0);
        uint32_t stack[64], depth = 0, calls = 0, in_burst = 0;
        while (calls < CALLS) {
            uint64_t w;
            uint32_t key = stream_next(&s, &w);
            int on = (calls + phase) % INTERVAL < LENGTH;
            if (on && !in_burst) hcct_burst_begin(&all.t, stack, depth);
            if (!on && in_burst) hcct_burst_end(&all.t);
            in_burst = (uint32_t)on;
            if (key) {
                if (on) hcct_enter(&all.t, key, 1);
                stack[depth++] = key;
                calls++;
                if (phase == 0) ref_enter(&r, key, 1);
            } else {
                if (on) hcct_leave(&all.t);
                depth--;
                if (phase == 0) ref_leave(&r);
            }
        }
        hcct_burst_end(&all.t);
    }
    to = match(&all.t, &r, &strangers);
    for (i = 1; i < r.count; i++) {
        uint32_t n = r.nodes[i].in_tree;
        hcct_context got;
        hcct_get_context(&all.t, n, &got);
        wrong += (n ? got.lower : 0) != r.nodes[i].weight * LENGTH;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(strangers, 0);
    free(to);
    arena_close(&all);
    ref_free(&r);
}

TEST(adaptive_bursts_are_unbiased) {
    hcct_config c = config_of(HCCT_FULL, 0);
    uint32_t k, i, points = 20000, stacks[4][2] = {{1, 2}, {1, 3}, {4, 2}, {4, 3}};
    for (k = 0; k <= 10; k += 5) {
        arena a;
        hcct_stats s;
        c.history = 64;
        c.reenable = k;
        c.seed = 5;
        arena_open(&a, &c, 100);
        for (i = 0; i < points; i++) {
            uint32_t w = hcct_burst_begin(&a.t, stacks[i % 4], 2);
            if (!w) {
                CHECK_EQ(hcct_position(&a.t).cursor, 0);
                continue;
            }
            CHECK(w == 1 || w == k);
            hcct_enter(&a.t, 7, w);
            hcct_leave(&a.t);
            hcct_burst_end(&a.t);
        }
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.burst_points, points);
        CHECK_EQ(s.burst_new, 4);
        CHECK_EQ(s.burst_new + s.burst_again + s.burst_skipped, points);
        CHECK_EQ(s.total, 4 + s.burst_again * k);
        if (k == 0) CHECK_EQ(s.total, 4); /* no re-enablement: once each */
        else
            CHECK((double)s.total > (double)points * 0.94 &&
                  (double)s.total < (double)points * 1.06);
        arena_close(&a);
    }
}

TEST(a_full_history_counts_the_unknown_as_known) {
    hcct_config c = config_of(HCCT_FULL, 0);
    uint32_t i, bursts = 0;
    arena a;
    c.history = 16;
    arena_open(&a, &c, 10);
    for (i = 1; i <= 1000; i++) {
        uint32_t key = i;
        bursts += hcct_burst_begin(&a.t, &key, 1) != 0;
        hcct_burst_end(&a.t);
    }
    CHECK_EQ(bursts, stats_of(&a.t).burst_new);
    CHECK_EQ(stats_of(&a.t).burst_new, 12);
    arena_close(&a);
}

TEST(tiny_histories_do_not_hang) {
    static uint64_t memory[4096];
    uint32_t history, k;
    for (history = 1; history <= 5; history++) {
        hcct_config config;
        hcct tree;
        memset(&config, 0, sizeof config);
        config.history = history;
        config.reenable = 5;
        CHECK(hcct_init(&tree, memory, sizeof memory, &config) > 0);
        for (k = 1; k < 200; k++) {
            (void)hcct_burst_begin(&tree, &k, 1);
            hcct_burst_end(&tree);
        }
    }
}
/* Calls that are not stored are left by their keys too, and a key below them
   closes them all. */
static void leave_by_key(uint32_t algorithm, uint32_t limit, uint32_t contexts) {
    hcct_config c = config_of(algorithm, 40);
    uint64_t seed = 3;
    uint32_t keys[HCCT_UNSTORED_KEYS], depth = 0, step, wrong = 0;
    arena a;
    c.depth_limit = limit;
    arena_open(&a, &c, contexts);
    for (step = 0; step < 20000; step++) {
        uint64_t x = test_random(&seed);
        uint32_t key = 1 + (uint32_t)(x >> 20) % 5, d = depth;
        if (depth < HCCT_UNSTORED_KEYS && x % 100 < 60) {
            hcct_enter(&a.t, key, 1);
            keys[depth++] = key;
            continue;
        }
        while (d && keys[d - 1] != key) d--;
        wrong += hcct_leave_key(&a.t, key) != (d != 0);
        if (d) depth = d - 1;
        if (depth == 0) wrong += hcct_position(&a.t).depth != 0 || hcct_position(&a.t).cursor != 0;
        if (depth <= limit && limit) wrong += hcct_position(&a.t).depth != depth;
    }
    CHECK_EQ(wrong, 0);
    arena_close(&a);
}

TEST(leaving_by_key_where_calls_are_not_stored) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        leave_by_key(algorithm, 2, 200);
        leave_by_key(algorithm, 5, 70000);
        leave_by_key(algorithm, 0, 3);
        leave_by_key(algorithm, 0, 70000);
    }
}

/* An exception goes up to the caller of 1: all four calls are closed, two of
   which were not stored. */
TEST(leaving_by_key_from_below_the_depth_limit) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 0);
    hcct_context got;
    arena a;
    int i;
    c.depth_limit = 2;
    arena_open(&a, &c, 100);
    for (i = 0; i < 100; i++) {
        hcct_enter(&a.t, 1, 1);
        hcct_enter(&a.t, 2, 1);
        hcct_enter(&a.t, 3, 1);
        hcct_enter(&a.t, 4, 1);
        CHECK_EQ(hcct_leave_key(&a.t, 9), 0);
        CHECK_EQ(hcct_leave_key(&a.t, 1), 1);
    }
    hcct_get_context(&a.t, hcct_find(&a.t, 0, 1), &got);
    CHECK_EQ(got.lower, 100);
    CHECK_EQ(got.upper, 100);
    CHECK_EQ(stats_of(&a.t).repaired, 300);
    CHECK_EQ(stats_of(&a.t).unmatched, 100);
    arena_close(&a);
}
