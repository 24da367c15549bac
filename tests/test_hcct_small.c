/* test_hcct_small.c - hcct.h with everything left out that firmware does not
   need: two algorithms, small samples. */
#include "test.h"
#define HCCT_ALGORITHMS (1 << HCCT_SPACE_SAVING | 1 << HCCT_FULL)
#define HCCT_SAMPLE 8
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#include "hcct.h"

static uint64_t memory[1000];

TEST(only_what_was_chosen_is_there) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm < 8; algorithm++) {
        hcct_config c = {0};
        hcct t;
        c.algorithm = algorithm;
        CHECK_EQ(hcct_init(&t, memory, sizeof memory, &c) > 0,
                 algorithm == HCCT_SPACE_SAVING || algorithm == HCCT_FULL);
    }
}

/* Weighted calls of 150 functions below two callers; the sums are kept in a
   plain array. */
TEST(bounds_with_a_sample_of_eight) {
    hcct_config c = {0};
    hcct t;
    hcct_context rows[90];
    static uint64_t sums[2][150];
    uint64_t seed = 3, total = 0;
    uint32_t i, n, path[2], wrong = 0;
    hcct_stats s;
    c.monitored = 128;
    CHECK(hcct_init(&t, memory, sizeof memory, &c) >= 140);
    for (i = 0; i < 20000; i++) {
        uint64_t x = test_random(&seed), w = 1 + (x >> 50) % 100;
        uint32_t caller = (uint32_t)(x >> 8) & 1, key = (uint32_t)(x >> 16) % (x & 2 ? 5 : 150);
        hcct_enter(&t, 100 + caller, 0);
        hcct_enter(&t, 1 + key, w);
        hcct_leave(&t);
        hcct_leave(&t);
        sums[caller][key] += w;
        total += w;
    }
    hcct_get_stats(&t, &s);
    CHECK(s.total == total);
    CHECK(s.purges_quarters);
    CHECK(s.evictions > 100);
    n = hcct_hottest(&t, 1, 50, rows, 90);
    for (i = 0; i < n; i++) {
        uint64_t f;
        CHECK_EQ(hcct_path(&t, rows[i].node, path, 2), 2);
        f = sums[path[0] - 100][path[1] - 1];
        wrong += rows[i].lower > f || rows[i].upper < f;
        wrong += rows[i].certain && f < hcct_threshold(&t, 1, 50);
    }
    CHECK_EQ(wrong, 0);
    CHECK(s.bound_of_absent < hcct_threshold(&t, 1, 20));
    for (i = 0; i < 10; i++) { /* the ten hot ones are found */
        uint32_t k, found = 0;
        for (k = 0; k < n; k++) {
            hcct_path(&t, rows[k].node, path, 2);
            found |= path[0] == 100 + i / 5 && path[1] == 1 + i % 5;
        }
        CHECK(found);
    }
}
