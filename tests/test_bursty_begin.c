/* test_bursty_begin.c - where a sample begins: what bursts saw, with its
   weights, is on average as much as there was, however few checks came since a
   thread, a profile, a pause or a child began. All seeds are fixed. */
#include "bursty.inc"
#include "base/dump.h"
#include "report/kinds/sampled.h"
#include "report/model/sampled_ranges.h"
#include <math.h>

#if defined(BURSTY_NO_TLS) || !defined(__GNUC__) || defined(_WIN32)
TEST(begin) { SKIP("no POSIX threads, or no thread-local storage"); }
#else
#include <pthread.h>

enum { SEEDS = 2000 / TEST_SCALE, BEFORE = 777 };

static double weight; /* of all events, in checks */

static void weigh(void *user, const bursty_event *event) {
    (void)user;
    weight += event->weight_256 / 256.0;
}

static void points(uint32_t count) {
    while (count--) { BURST_POINT(BURSTY_USER, "point", 0); }
}

static bursty_config config_of(uint32_t seed) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.profile.action = weigh;
    config.seed = seed;
    config.tick_hz = -1;
    return config;
}

static void *points_of_thread(void *count) {
    points(*(uint32_t *)count);
    return NULL;
}

static void on_thread(void *(*run)(void *), void *argument) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, argument) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* Each of these begins a sample at a moment that no burst knows of, and then
   makes `count` checks. */
static void at_start(const bursty_config *config, uint32_t count) {
    (void)config;
    points(count);
}
static void behind_a_pause(const bursty_config *config, uint32_t count) {
    (void)config;
    points(BEFORE);
    bursty_pause(1);
    points(BEFORE / 3);
    bursty_pause(0);
    weight = 0;
    points(count);
}
static void behind_new_settings(const bursty_config *config, uint32_t count) {
    bursty_profile profile = config->profile;
    points(BEFORE);
    profile.every = 400;
    profile.burst = 50;
    profile.jitter = 30;
    CHECK_EQ(bursty_set_profile(0, &profile), 0);
    weight = 0;
    points(count);
}
static void in_a_child(const bursty_config *config, uint32_t count) {
    (void)config;
    points(BEFORE);
    bursty_forked();
    weight = 0;
    points(count);
}
static void in_a_record_taken_over(const bursty_config *config, uint32_t count) {
    uint32_t before = BEFORE;
    (void)config;
    on_thread(points_of_thread, &before);
    weight = 0;
    on_thread(points_of_thread, &count);
}

/* The time of a check is 100, in a burst 2000: bursts become rarer. */
static uint64_t now;
static uint64_t read_now(void *user) {
    (void)user;
    return now;
}
static void with_a_budget(const bursty_config *config, uint32_t count) {
    (void)config;
    while (count--) {
        now += bursty_in_burst() ? 2000 : 100;
        points(1);
    }
}

/* Settings that another thread has changed meanwhile are taken over at a check
   that has nothing to do with bursts. */
static void *changes(void *config) {
    bursty_profile profile = ((const bursty_config *)config)->profile;
    profile.every = 1980;
    CHECK_EQ(bursty_set_profile(0, &profile), 0);
    return NULL;
}
static void changed_by_another(const bursty_config *config, uint32_t count) {
    bursty_config copy = *config;
    points(BEFORE);
    weight = 0;
    on_thread(changes, &copy);
    points(count);
}

typedef void (*begin_fn)(const bursty_config *config, uint32_t count);

static void mean_is_right(const char *name, begin_fn begin, const bursty_config *settings) {
    static const uint32_t lengths[] = {1, 10, 100, 300, 1000, 1500, 3000, 10000};
    size_t i;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double sum = 0, squares = 0, mean, error;
        uint32_t seed;
        for (seed = 1; seed <= SEEDS; seed++) {
            bursty_config config = *settings;
            config.seed = seed;
            now = 0;
            CHECK(bursty_start(&config) > 0);
            weight = 0;
            begin(&config, lengths[i]);
            sum += weight;
            squares += weight * weight;
        }
        mean = sum / SEEDS;
        error = sqrt((squares / SEEDS - mean * mean) / SEEDS);
        if (fabs(mean - lengths[i]) > 5 * error)
            printf("%s: %.1f of %lu, error %.1f\n", name, mean, (unsigned long)lengths[i], error);
        CHECK(fabs(mean - lengths[i]) <= 5 * error);
        CHECK(error > 0);
    }
}

#define TEST_BEGIN(name_, begin_) \
    TEST(name_) { \
        bursty_config config = config_of(1); \
        mean_is_right(#name_, begin_, &config); \
    }
TEST_BEGIN(mean_at_start, at_start)
TEST_BEGIN(mean_behind_a_pause, behind_a_pause)
TEST_BEGIN(mean_behind_new_settings, behind_new_settings)
TEST_BEGIN(mean_in_a_child, in_a_child)
TEST_BEGIN(mean_in_a_record_taken_over, in_a_record_taken_over)
TEST_BEGIN(mean_changed_by_another, changed_by_another)

TEST(with_all_the_jitter_there_is) {
    bursty_config config = config_of(1);
    config.profile.every = 200;
    config.profile.burst = 50;
    config.profile.jitter = 100;
    mean_is_right("jitter", at_start, &config);
}

TEST(with_hibernation) {
    bursty_config config = config_of(1);
    config.profile.every = 90;
    config.profile.awake_count = 3;
    config.profile.hibernate_count = 5;
    mean_is_right("hibernation", at_start, &config);
    mean_is_right("hibernation behind a pause", behind_a_pause, &config);
}

TEST(with_a_budget_of_time) {
    bursty_config config = config_of(1);
    config.budget_ppm = 20000;
    config.clock = read_now;
    config.profile.every = 200;
    mean_is_right("budget", with_a_budget, &config);
}

/* ---- intervals: how many bursts there were is random, too ---- */

static text file;

/* Counts 400 stretches of so many checks, each with a sample of its own. Does
   the interval hold how many calls there were? */
static int interval_holds(uint32_t seed, uint32_t stretch) {
    bursty_config config = config_of(seed);
    ranges known;
    ranges_sums sums;
    interval range;
    dump d;
    dump_fault fault;
    tally all;
    uint32_t i, k;
    double truth = 400.0 * stretch / 2;
    config.profile.action = NULL;
    bursty_start(&config);
    for (i = 0; i < 400; i++) {
        bursty_pause(1);
        bursty_pause(0);
        for (k = 0; k < stretch / 2; k++) {
            BURST_POINT(BURSTY_CALL, "half", 0);
            BURST_POINT(BURSTY_CALL, "other half", 0);
        }
    }
    file.size = 0;
    memset(&all, 0, sizeof all);
    memset(&sums, 0, sizeof sums);
    CHECK_EQ(bursty_write(text_write, &file), 0);
    if (!CHECK(dump_read(&d, (const unsigned char *)file.data, file.size, &fault) == 0)) return 0;
    CHECK_EQ(kind_sampled.read(&all, &d, &d.parts[0], &fault), 0);
    kind_sampled.settle(&all);
    CHECK_EQ(all.profiles.at[0].begins, 401);
    ranges_make(&known, &all);
    for (i = 0; i < all.rows.count; i++) {
        if (strcmp(all.sites.at[all.rows.at[i].site].name, "half") == 0) ranges_add(&sums, &all.rows.at[i], 0);
    }
    range = ranges_count(&known, &sums, BURSTY_CALL);
    kind_sampled.free(&all);
    dump_free(&d);
    return range.low <= truth && truth <= range.high;
}

TEST(intervals_of_short_stretches_hold) {
    static const uint32_t stretches[] = {100, 300, 1000, 3000};
    size_t i;
    for (i = 0; i < 4 && TEST_SCALE == 1; i++) {
        int seed, held = 0;
        for (seed = 1; seed <= 100; seed++) held += interval_holds((uint32_t)seed, stretches[i]);
        if (held < 88) printf("%lu: %d of 100\n", (unsigned long)stretches[i], held);
        CHECK(held >= 88);
    }
}

/* Without jitter a profile is Figure 3, decision for decision: its first burst
   comes at check C. */
TEST(without_jitter_a_thread_begins_with_a_gap) {
    bursty_profile p = plain_profile(30, 2);
    uint32_t i;
    start_with(&p, 1);
    for (i = 1; i <= 32; i++) CHECK_EQ(BURST_CHECK() != 0, i == 30 || i == 31);
}
#endif
