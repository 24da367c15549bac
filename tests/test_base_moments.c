/* test_base_moments.c - src/moments.c: which ticks stay when there is no room for all, at
   each number of ticks; that none is met more often for the rhythm in which it
   comes; threads at once; and that of stretches the longest stay, and the rest is
   counted. */
#include "test.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define BASE_P_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define BASE_P_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define BASE_P_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define BASE_P_UNUSED __attribute__((unused))
static int base_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#include "src/moments.c"

enum { BITS = 6, ROOM = 1 << BITS, DRAWN = 5000 };

static base_p_moment at[ROOM];

static uint32_t what_of(base_p_serial serial) { return (uint32_t)serial * 7 + 1; }
static uint64_t us_of(base_p_serial serial) {
    return ((uint64_t)serial << 33) + (uint32_t)serial;
}

/* The ticks that are there, by number; *count of them. */
static void all_of(base_p_serial drawn, unsigned char *is_there, uint32_t *count) {
    uint32_t groups = base_p_groups(BITS, drawn), i, what;
    uint64_t us, before = 0;
    *count = 0;
    for (i = 0; i < groups; i++) {
        base_p_serial serial;
        if (!base_p_get_moment(at, BITS, drawn, i, &what, &us)) continue;
        serial = (what - 1) / 7;
        CHECK(serial < drawn);
        CHECK(us == us_of(serial));
        CHECK(us >= before);
        CHECK_EQ(serial >> base_p_level(BITS, drawn - 1), i); /* one of each group */
        before = us;
        is_there[serial] = 1;
        ++*count;
    }
}

TEST(one_of_each_group_stays) {
    static unsigned char before[DRAWN], now[DRAWN];
    base_p_serial drawn, i;
    uint32_t count;
    memset(at, 0, sizeof at);
    for (drawn = 1; drawn <= DRAWN; drawn++) {
        uint32_t level = base_p_level(BITS, drawn - 1), whole;
        base_p_put_moment(at, BITS, drawn - 1, what_of(drawn - 1), us_of(drawn - 1));
        memset(now, 0, sizeof now);
        all_of(drawn, now, &count);
        whole = (uint32_t)(drawn >> level);
        CHECK(count >= whole && count <= whole + 1 && count <= ROOM);
        CHECK(drawn <= ROOM ? count == drawn : count >= ROOM / 2);
        for (i = 0; i + 1 < drawn; i++) CHECK(before[i] || !now[i]); /* none comes back */
        memcpy(before, now, sizeof now);
    }
}

/* Two, three, ... that come in turn have their shares: of 8192 that stay of 8 times as
   many, each of r has 8192 / r, within 5 standard deviations. It is the same each time. */
TEST(who_comes_in_turn_is_met_alike) {
    enum { MANY = 13 };
    static base_p_moment room[1 << MANY];
    const base_p_serial drawn = (base_p_serial)8 << MANY;
    uint32_t r, i, what, met[32];
    uint64_t us;
    base_p_serial n;
    for (n = 0; n < drawn; n++) base_p_put_moment(room, MANY, n, (uint32_t)n, n);
    for (r = 2; r <= 32; r++) {
        double expected = (double)(1 << MANY) / r;
        memset(met, 0, sizeof met);
        for (i = 0; i < 1 << MANY; i++) {
            CHECK(base_p_get_moment(room, MANY, drawn, i, &what, &us));
            met[what % r]++;
        }
        for (i = 0; i < r; i++)
            CHECK(((double)met[i] - expected) * ((double)met[i] - expected) < 25 * expected);
    }
}

/* What has not come, or is of before a clear, is not there. */
TEST(a_hole_is_a_hole) {
    unsigned char now[DRAWN];
    uint32_t count, i;
    memset(at, 0, sizeof at);
    for (i = 0; i < ROOM; i++)
        if (i % 3) base_p_put_moment(at, BITS, i, what_of(i), us_of(i));
    memset(now, 0, sizeof now);
    all_of(ROOM, now, &count);
    CHECK_EQ(count, ROOM - (ROOM + 2) / 3);
    for (i = 0; i < ROOM; i++) CHECK_EQ(now[i], i % 3 != 0);
    CHECK_EQ(base_p_groups(BITS, 0), 0);
}

enum { THREADS = 4, EACH = 20000 };
static base_p_moment shared[ROOM];
static uint64_t serials;
static void *put_many(void *unused) {
    int i;
    for (i = 0; i < EACH; i++) {
        base_p_serial n = (base_p_serial)__atomic_fetch_add(&serials, 1, __ATOMIC_RELAXED);
        base_p_put_moment(shared, BITS, n, what_of(n), us_of(n));
    }
    return unused;
}

TEST(threads_at_once) {
    pthread_t threads[THREADS];
    uint32_t i, what, there = 0;
    uint64_t us;
    for (i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, put_many, NULL), 0);
    for (i = 0; i < 20000; i++) { /* a reader meanwhile gets whole ones */
        base_p_serial drawn = (base_p_serial)__atomic_load_n(&serials, __ATOMIC_RELAXED);
        uint32_t group = drawn ? i % base_p_groups(BITS, drawn) : 0;
        if (drawn && base_p_get_moment(shared, BITS, drawn, group, &what, &us))
            CHECK(us == us_of((what - 1) / 7));
    }
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (i = 0; i < base_p_groups(BITS, THREADS * EACH); i++) {
        if (!base_p_get_moment(shared, BITS, THREADS * EACH, i, &what, &us)) continue;
        there++;
        CHECK(us == us_of((what - 1) / 7));
    }
    /* A thread that was kept from writing may have written over a later one. */
    CHECK(there > ROOM / 2 - THREADS - 1);
}

/* ---- stretches ---- */

static void longest(uint64_t (*length)(uint32_t i)) {
    enum { SPANS = 64, COME = 1000 };
    static base_p_span room[SPANS];
    base_p_spans s;
    uint64_t all = 0, kept = 0, least = UINT64_MAX;
    uint32_t i, longer = 0;
    memset(&s, 0, sizeof s);
    s.at = room;
    s.room = SPANS;
    for (i = 0; i < COME; i++) {
        base_p_add_span(&s, i, 3, i * 10, length(i));
        all += length(i);
        CHECK(s.count <= SPANS && s.count + s.left == i + 1);
    }
    for (i = 0; i < s.count; i++) {
        CHECK_EQ(room[i].us, length(room[i].what));
        CHECK_EQ(room[i].from_us, room[i].what * 10);
        CHECK_EQ(room[i].thread, 3);
        kept += room[i].us;
        if (room[i].us < least) least = room[i].us;
    }
    for (i = 0; i < COME; i++) longer += length(i) > least;
    CHECK(longer < s.count); /* no longer one is left out */
    CHECK_EQ(kept + s.left_us, all);
    CHECK(s.count >= SPANS / 2 && s.least_us <= least);
    base_p_clear_spans(&s);
    CHECK(s.count == 0 && s.left == 0 && s.left_us == 0 && s.least_us == 0);
    s.busy = 1;
    base_p_add_span(&s, 1, 1, 1, 1);
    CHECK(s.count == 0 && s.missed == 1);
}

static uint64_t rising(uint32_t i) { return i; }
static uint64_t falling(uint32_t i) { return 2000 - i; }
static uint64_t equal(uint32_t i) { return (void)i, 17; }
static uint64_t mixed(uint32_t i) { return i * UINT32_C(0x9E3779B1) >> 12; }
static uint64_t few(uint32_t i) { return i % 3; }

TEST(the_longest_stay) {
    longest(rising);
    longest(falling);
    longest(equal);
    longest(mixed);
    longest(few);
}
