/* test_knees.c - the falls of curves whose knees are known, in words. */
#include "test.h"
#include "report/model/knees.h"

static const double *low, *high;

static const char *say(const double *blocks, const double *misses, size_t count, double c,
                       const knees_size *sizes, size_t size_count) {
    static char words[1000];
    text out = {NULL, 0, 0};
    knees_curve v;
    v.blocks = blocks;
    v.misses = misses;
    v.low = low;
    v.high = high;
    v.count = count;
    v.block_bytes = 64;
    v.c = c;
    knees_say(&v, sizes, size_count, &out);
    CHECK(out.size < sizeof words);
    memcpy(words, out.data ? out.data : "", out.size < sizeof words ? out.size : 0);
    words[out.size < sizeof words ? out.size : 0] = 0;
    text_free(&out);
    return words;
}

static const double blocks[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

TEST(one_step_has_one_knee) {
    static const double misses[] = {.4, .4, .4, .4, .1, .1, .1, .1, .1};
    CHECK_STR(say(blocks, misses, 9, 1, NULL, 0),
              "A cache of 64 KiB misses 10 %, one of 32 KiB 40 %: 75 % of the misses less.");
}

TEST(two_steps_stand_by_size) {
    static const double misses[] = {.5, .3, .3, .3, .3, .3, .02, .02, .02};
    CHECK_STR(say(blocks, misses, 9, 1, NULL, 0),
              "A cache of 8 KiB misses 30 %, one of 4 KiB 50 %: 40 % of the misses less. "
              "A cache of 256 KiB misses 2 %, one of 128 KiB 30 %: 93 % of the misses less.");
}

TEST(a_flat_curve_has_none) {
    static const double flat[] = {.3, .29, .28, .27, .26, .25, .24, .23, .22};
    static const double tiny[] = {.0009, .0004, .0001, 0, 0, 0, 0, 0, 0};
    CHECK_STR(say(blocks, flat, 9, 1, NULL, 0), "");
    CHECK_STR(say(blocks, tiny, 9, 1, NULL, 0), "");
    CHECK_STR(say(blocks, flat, 0, 1, NULL, 0), "");
    CHECK_STR(say(blocks, flat, 1, 1, NULL, 0), "");
}

TEST(bounds_come_from_c) {
    static const double misses[] = {.5, .5, .5, .4, .1, .08, .08, .08, .08};
    CHECK_STR(say(blocks, misses, 9, .5, NULL, 0),
              "A cache of 64 KiB misses 10 %, one of 32 KiB 40 %: 75 % of the misses less "
              "(0 to 80 %).");
}

TEST(samples_have_intervals) {
    static const double misses[] = {.4, .4, .4, .4, .1, .1, .1, .1, .1};
    static const double from[] = {.3, .3, .3, .32, .08, .08, .08, .08, .08};
    static const double to[] = {.5, .5, .5, .5, .16, .16, .16, .16, .16};
    static const knees_size sizes[] = {{49152, "L1d"}, {2 << 20, "L2"}};
    low = from;
    high = to;
    CHECK_STR(say(blocks, misses, 9, 1, sizes, 2),
              "A cache of 64 KiB misses 10 %, one of 32 KiB 40 %: 75 % of the misses less "
              "(50 to 84 %). L1d (48 KiB) misses 40 %.");
    low = high = NULL;
}

TEST(levels_are_marked) {
    static const double misses[] = {.4, .4, .4, .4, .1, .1, .1, .1, .1};
    static const knees_size sizes[] = {{32, "L0"}, {49152, "L1d"}, {1 << 20, ""}};
    CHECK_STR(say(blocks, misses, 9, 1, sizes, 3),
              "A cache of 64 KiB misses 10 %, one of 32 KiB 40 %: 75 % of the misses less. "
              "L1d (48 KiB) misses 40 %. A cache (1 MiB) misses 10 %.");
}
