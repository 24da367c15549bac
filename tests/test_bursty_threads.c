/* test_bursty_threads.c - counts exact per thread, ended and surplus threads,
   settings and snapshots while others run. TSan clean. */
#define _XOPEN_SOURCE 700
#include "bursty.inc"
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(BURSTY_NO_TLS) || !defined(__GNUC__)
TEST(threads) { SKIP("this compiler has no thread-local storage or no atomics"); }
#else


#include <pthread.h>

enum { THREADS = 4, CHECKS = 2500000 / TEST_SCALE };

static bursty_config config_with(uint32_t checks, uint32_t bursts) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.profile.every = checks;
    config.profile.burst = bursts;
    config.seed = 1;
    return config;
}

static void leaf(void) {
    BURST_SCOPE("leaf");
    BURST_LEAVE();
}
static void *checks(void *argument) {
    uint32_t i, n = *(uint32_t *)argument;
    BURST_SCOPE("checks");                                     /* 1 + 2 n checks */
    for (i = 0; i < n; i++) {
        BURST_LOOP();
        leaf();
    }
    BURST_LEAVE();
    return NULL;
}

static void run_threads(void *(*function)(void *), void *argument, int count) {
    pthread_t thread[64];
    int i;
    for (i = 0; i < count; i++) CHECK(pthread_create(&thread[i], NULL, function, argument) == 0);
    for (i = 0; i < count; i++) CHECK(pthread_join(thread[i], NULL) == 0);
}

/* A thread that has checked before a start, which another thread made, has a
   word of its own. */
static void *starts(void *argument) {
    CHECK(bursty_start((const bursty_config *)argument) > 0);
    return NULL;
}

/* A thread that has checked before the start, as a pool's worker has, is found
   within 1000 checks of its own. */
static void *checks_on_both_sides(void *argument) {
    uint32_t i, before = *(uint32_t *)argument;
    pthread_t other;
    bursty_config config = config_with(BURSTY_ALWAYS, 1);
    bursty_stats stats;
    for (i = 0; i < before; i++) BURST_ENTRY();
    CHECK(pthread_create(&other, NULL, starts, &config) == 0 && pthread_join(other, NULL) == 0);
    for (i = 0; i < 5000; i++) BURST_ENTRY();
    bursty_get_stats(&stats);
    CHECK(stats.checks >= 4000 && stats.checks <= 5000);
    CHECK_EQ(stats.threads, 1);
    return NULL;
}

/* The child has had no start. The whole file's first test: later ones have
   started bursty.h, and threads without a record wait longer then. */
TEST(late_start_finds_threads_that_checked_before) {
    static const uint32_t before[] = {1, 999, 1000, 1001, 100000};
    size_t i;
    for (i = 0; i < sizeof before / sizeof *before; i++) {
        pid_t child = fork();
        int status = 1;
        if (child == 0) {
            test_broken = 0;
            run_threads(checks_on_both_sides, (void *)&before[i], 1);
            _exit(test_broken != 0);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK_EQ(status, 0);
    }
}

TEST(checks_before_a_start_do_not_count) {
    bursty_config config = config_with(1000, 1);
    uint32_t n = 250;
    bursty_stats stats;
    CHECK(bursty_start(&config) > 0);
    checks(&n);
    bursty_thread_end();
    checks(&n);
    run_threads(starts, &config, 1);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 0);
    checks(&n);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 501);
}

TEST(counts_are_exact_with_four_threads) {
    bursty_config config = config_with(BURSTY_ALWAYS, 0);
    uint32_t n = CHECKS / 2;
    bursty_stats stats;
    bursty_row rows[4];
    CHECK(bursty_start(&config) > THREADS);
    run_threads(checks, &n, THREADS);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, THREADS * (2 * (uint64_t)n + 1));
    CHECK_EQ(stats.lost, 0);
    CHECK(stats.ended >= 1 && stats.threads <= THREADS + 1);
    CHECK_EQ(hottest(rows, 4, 0), 3);
    CHECK_EQ(rows[0].count, (uint64_t)THREADS * n);
    CHECK_EQ(rows[1].count, (uint64_t)THREADS * n);
    CHECK_EQ(rows[2].count, THREADS);
    config = config_with(99, 1);
    bursty_start(&config);
    run_threads(checks, &n, THREADS);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, THREADS * (2 * (uint64_t)n + 1));
    CHECK(stats.rate_ppm > 9500 && stats.rate_ppm < 10500);
}

/* Job systems: thousands of short threads take over the places of ended ones,
   and are sampled at the rate. */
TEST(short_threads_reuse_places) {
    bursty_config config = config_with(990, 10);
    uint32_t n = 50;
    int i, rounds = 500 / TEST_SCALE;
    bursty_stats stats;
    bursty_start(&config);
    for (i = 0; i < rounds; i++) run_threads(checks, &n, THREADS);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, (uint64_t)rounds * THREADS * 101);
    CHECK_EQ(stats.lost_threads, 0);
    CHECK(stats.threads <= THREADS + 1);
    CHECK(TEST_SCALE > 1 || (stats.rate_ppm > 7000 && stats.rate_ppm < 13000));
}

static uint32_t waiting;
static void *wait_and_check(void *argument) {
    leaf();
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) < *(uint32_t *)argument) { }
    return NULL;
}

TEST(surplus_threads_are_counted) {
    static uint64_t memory[2600];
    bursty_config config = config_with(BURSTY_ALWAYS, 0);
    bursty_stats stats;
    uint32_t fit, all;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    fit = bursty_start(&config);
    CHECK(fit >= 2 && fit < 60);
    all = fit + 3;
    waiting = 0;
    run_threads(wait_and_check, &all, (int)all);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.threads, fit);
    CHECK_EQ(stats.lost_threads, 4);                           /* this thread has a place, too */
    CHECK_EQ(stats.checks, fit - 1);
}

/* A thread notes the numbers of rows in 16 bits. Here the other thread's rows
   have the low ones. */
enum { OTHERS = 65536, MINE = 100 };
static bursty_site many[OTHERS];

static void *counts_many(void *argument) {
    uint32_t i, n = *(uint32_t *)argument;
    for (i = 0; i < n; i++) {
        many[i].kind = BURSTY_CALL;
        (void)bursty_hit(&many[i], 0);
    }
    return NULL;
}

static void see_counts(void *user, const bursty_row *row) {
    uint32_t *seen = (uint32_t *)user;
    if (row->count == 1) seen[0]++;
    else if (row->count == 2) seen[1]++;
    else seen[2]++;
}

TEST(rows_of_large_numbers_are_their_threads) {
    static uint64_t memory[(12 << 20) / 8];
    bursty_config config = config_with(BURSTY_ALWAYS, 0);
    uint32_t others = OTHERS, mine = MINE, seen[3] = { 0, 0, 0 };
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    CHECK(bursty_start(&config) > 1);
    run_threads(counts_many, &others, 1);
    counts_many(&mine);
    counts_many(&mine);
    bursty_each(see_counts, seen);
    CHECK_EQ(seen[0], OTHERS);
    CHECK_EQ(seen[1], MINE);
    CHECK_EQ(seen[2], 0);
}

/* Two threads that want to count the same events: one of them is refused. */
static uint32_t accepted, turn;
static void *wants_loads(void *argument) {
    bursty_profile p;
    int number = *(int *)argument;
    uint32_t i;
    memset(&p, 0, sizeof p);
    p.classes = BURSTY_LOAD;
    for (i = 1; i <= 100; i++) {
        if (number == 1) __atomic_store_n(&accepted, 0, __ATOMIC_RELAXED);
        __atomic_fetch_add(&turn, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < 6 * i - 4) sched_yield();
        if (bursty_set_profile(number, &p) == 0) {
            __atomic_fetch_add(&accepted, 1, __ATOMIC_RELAXED);
        }
        __atomic_fetch_add(&turn, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < 6 * i - 2) sched_yield();
        if (number == 1) CHECK_EQ(__atomic_load_n(&accepted, __ATOMIC_RELAXED), 1);
        bursty_set_profile(number, NULL);
        __atomic_fetch_add(&turn, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < 6 * i) sched_yield();
    }
    return NULL;
}

TEST(two_threads_may_not_count_the_same_events) {
    static int numbers[2] = {1, 2};
    bursty_config config = config_with(990, 10);
    pthread_t thread[2];
    int i;
    config.profile.off = 1;
    config.profile.classes = BURSTY_STORE;
    bursty_start(&config);
    turn = 0;
    for (i = 0; i < 2; i++) {
        CHECK(pthread_create(&thread[i], NULL, wants_loads, &numbers[i]) == 0);
    }
    for (i = 0; i < 2; i++) CHECK(pthread_join(thread[i], NULL) == 0);
}

static int sink(void *user, const void *data, size_t size) {
    (void)data;
    *(size_t *)user += size;
    return 0;
}
static volatile uint32_t stop;
static void *keep_checking(void *argument) {
    uint32_t n = 1000;
    bursty_thread_name("worker");
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) checks(&n);
    (void)argument;
    return NULL;
}
static uint32_t counted;
static void count_shared(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
    __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
}

TEST(settings_and_snapshots_while_threads_run) {
    bursty_config config = config_with(99, 1);
    pthread_t thread[THREADS];
    bursty_profile p;
    bursty_row rows[8];
    bursty_stats stats;
    size_t bytes = 0;
    int i;
    memset(&p, 0, sizeof p);
    p.action = count_shared;
    bursty_start(&config);
    stop = waiting = 0;
    for (i = 0; i < THREADS; i++) CHECK(pthread_create(&thread[i], NULL, keep_checking, NULL) == 0);
    while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) < THREADS) { }
    for (i = 0; i < 300; i++) {
        p.every = 50 + (uint32_t)i;
        CHECK_EQ(bursty_set_profile(1 + i % 3, i % 7 == 0 ? NULL : &p), 0);
        if (i % 10 == 0) {
            config.profile.off = i % 20 != 0;
            CHECK_EQ(bursty_set_profile(0, &config.profile), 0);
        }
        if (i % 50 == 25) bursty_clear();
        hottest(rows, 8, i & 1);
        bursty_get_stats(&stats);
        CHECK_EQ(bursty_write(sink, &bytes), 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(bytes > 0);
    bursty_get_stats(&stats);
    CHECK(stats.threads == THREADS + 1 && stats.ended == THREADS);
}
#endif
