/* test_bursty_table.c - what is counted and written: the hot table, the dump, a
   forked child. */
#define _XOPEN_SOURCE 700
#include "bursty.inc"

/* ---- hot table ---- */

static void work_b(void) {
    BURST_SCOPE("b");
    BURST_LEAVE();
}
static void work_a(int n) {
    int i;
    BURST_SCOPE("a");
    for (i = 0; i < n; i++) {
        BURST_LOOP();
        work_b();
    }
    BURST_LEAVE();
}
static void work_c(void) {
    BURST_SCOPE("c");
    work_b();
    BURST_LEAVE();
}

TEST(full_table_is_exact) {
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    bursty_row rows[16];
    bursty_stats stats;
    size_t n;
    int i;
    start_with(&p, 0);
    for (i = 0; i < 100; i++) {
        work_a(7);
        work_c();
    }
    n = hottest(rows, 16, 0);
    /* b, the loop, a and c. */
    CHECK_EQ(n, 4);
    CHECK_STR(rows[0].site->name, "b");
    CHECK_EQ(rows[0].count, 800);
    CHECK_EQ(rows[0].weight, 800 * 256);
    CHECK_STR(rows[1].site->name, "work_a");
    CHECK_EQ(rows[1].count, 700);
    n = hottest(rows, 16, 1);
    CHECK_EQ(n, 2);
    CHECK_STR(rows[0].caller->name, "a");
    CHECK_STR(rows[0].site->name, "b");
    CHECK_EQ(rows[0].count, 700);
    CHECK_STR(rows[1].caller->name, "c");
    CHECK_EQ(rows[1].count, 100);
    CHECK_EQ(hottest(rows, 1, 0), 1);
    CHECK_EQ(rows[0].count, 800);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 100 + 700 + 700 + 200);
    /* The returns are events, too. */
    CHECK_EQ(stats.events, 1700 + 1000);
    CHECK_EQ(stats.rate_ppm, 1000000);
    bursty_clear();
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 0);
    CHECK_EQ(hottest(rows, 16, 0), 0);
    work_c();
    CHECK_EQ(hottest(rows, 16, 0), 2);
}

TEST(sampled_weights_estimate_the_truth) {
    bursty_profile p = plain_profile(97, 3);
    bursty_row rows[16];
    size_t n, i;
    int round;
    p.jitter = 12;
    start_with(&p, 42);
    for (round = 0; round < 100000; round++) {
        work_a(7);
        work_c();
    }
    n = hottest(rows, 16, 0);
    CHECK_EQ(n, 4);
    for (i = 0; i < n; i++) {
        double seen = (double)rows[i].weight / 256;
        double truth = i == 0 ? 800000 : i == 1 ? 700000 : 100000;
        CHECK(seen > 0.97 * truth && seen < 1.03 * truth);
    }
}

/* Ten scopes around ten points: 110 rows, where memory has room for some
   forty. */
#define POINT_IN(n) BURST_POINT(BURSTY_USER, "point " #n, 0)
#define ALL_POINTS()                                                                               \
    POINT_IN(0);                                                                                   \
    POINT_IN(1);                                                                                   \
    POINT_IN(2);                                                                                   \
    POINT_IN(3);                                                                                   \
    POINT_IN(4);                                                                                   \
    POINT_IN(5);                                                                                   \
    POINT_IN(6);                                                                                   \
    POINT_IN(7);                                                                                   \
    POINT_IN(8);                                                                                   \
    POINT_IN(9)
static void points(void) { ALL_POINTS(); }
#define SCOPE_AROUND(n) \
    static void around_##n(void) { \
        BURST_SCOPE("around " #n); \
        points(); \
        BURST_LEAVE(); \
    }
SCOPE_AROUND(0) SCOPE_AROUND(1) SCOPE_AROUND(2) SCOPE_AROUND(3) SCOPE_AROUND(4)
SCOPE_AROUND(5) SCOPE_AROUND(6) SCOPE_AROUND(7) SCOPE_AROUND(8) SCOPE_AROUND(9)

static void (*const around[10])(void) = { around_0, around_1, around_2, around_3, around_4,
                                          around_5, around_6, around_7, around_8, around_9 };

static void callee(void) {
    BURST_SCOPE("callee");
    BURST_LEAVE();
}
#define CALLER(n)                                                                                  \
    static void caller_##n(void) {                                                                 \
        BURST_SCOPE("caller " #n);                                                                 \
        callee();                                                                                  \
        BURST_LEAVE();                                                                             \
    }
CALLER(0) CALLER(1) CALLER(2) CALLER(3) CALLER(4) CALLER(5) CALLER(6) CALLER(7) CALLER(8) CALLER(9)
CALLER(a) CALLER(b) CALLER(c) CALLER(d) CALLER(e) CALLER(f) CALLER(g) CALLER(h) CALLER(i) CALLER(j)
static void (*const caller[20])(void) = {
    caller_0, caller_1, caller_2, caller_3, caller_4, caller_5, caller_6, caller_7, caller_8,
    caller_9, caller_a, caller_b, caller_c, caller_d, caller_e, caller_f, caller_g, caller_h,
    caller_i, caller_j };

static void ignore(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
}

/* 150 pairs in random order: more than a thread remembers the rows of. A second profile that comes
   and goes, a cleared table and a new start do not disturb a count. */
TEST(many_pairs_are_exact) {
    static bursty_row rows[128];
    uint64_t passed[10] = { 0 }, called[20] = { 0 };
    uint32_t x = 1;
    size_t n, i;
    int k;
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    bursty_profile second = plain_profile(50, 5);
    second.action = ignore;
    start_with(&p, 0);
    around[3]();
    start_with(&p, 0);
    around[4]();
    bursty_clear();
    for (k = 0; k < 20000; k++) {
        x = x * 1664525 + 1013904223;
        if (k % 5000 == 1000) CHECK_EQ(bursty_set_profile(1, &second), 0);
        if (k % 5000 == 2000) CHECK_EQ(bursty_set_profile(1, NULL), 0);
        around[(x >> 16) % 10]();
        passed[(x >> 16) % 10]++;
        caller[(x >> 20) % 20]();
        called[(x >> 20) % 20]++;
    }
    n = hottest(rows, 128, 1);
    CHECK_EQ(n, 20);
    for (i = 0; i < n; i++) {
        const char *name = rows[i].caller->name;
        CHECK_EQ(rows[i].count, called[name[7] <= '9' ? name[7] - '0' : name[7] - 'a' + 10]);
    }
    n = hottest(rows, 128, 0);
    CHECK_EQ(n, 20 + 21);
    for (i = 0; i < n; i++) {
        const char *name = rows[i].site->name;
        if (*name == 'p' || strcmp(name, "callee") == 0) CHECK_EQ(rows[i].count, 20000);
        if (*name == 'a') CHECK_EQ(rows[i].count, passed[name[7] - '0']);
    }
}

TEST(full_memory_loses_counted) {
    static uint64_t memory[520];
    bursty_row rows[32];
    bursty_config config;
    bursty_stats stats;
    uint64_t counted = 0;
    size_t n;
    int i;
    memset(&config, 0, sizeof config);
    config.profile = plain_profile(BURSTY_ALWAYS, 0);
    config.memory = memory;
    config.memory_bytes = 64;
    CHECK_EQ(bursty_start(&config), 0);
    config.memory_bytes = sizeof memory;
    CHECK(bursty_start(&config) >= 1);
    for (i = 0; i < 10; i++) around[i]();
    bursty_get_stats(&stats);
    CHECK_EQ(stats.events, 10 * (1 + 10 + 1));
    CHECK(stats.lost > 10 && stats.lost < 100);
    n = hottest(rows, 32, 0);
    while (n > 0) counted += rows[--n].count;
    CHECK_EQ(counted + stats.lost, 110);
}

TEST(counts_saturate) {
    bursty_p_count c = UINT64_C(0xFFFFFFFF);
    bursty_p_count_up(&c, 1);
    CHECK(c == UINT64_C(1) << 32);
    c = UINT64_MAX - 4;
    bursty_p_count_up(&c, 3);
    CHECK(c == UINT64_MAX - 1);
    bursty_p_count_up(&c, UINT64_C(1) << 40);
    CHECK(c == UINT64_MAX);
    bursty_p_count_up(&c, 1);
    CHECK(c == UINT64_MAX);
}

/* ---- dump ---- */

typedef struct bytes { unsigned char data[65536]; size_t size; int fail_after; } bytes;
static int to_bytes(void *user, const void *data, size_t size) {
    bytes *b = (bytes *)user;
    if (b->fail_after && --b->fail_after == 0) return 77;
    if (b->size + size > sizeof b->data) return 1;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

static void dump_workload(uint32_t seed) {
    bursty_profile p = plain_profile(97, 3);
    int i;
    p.jitter = 20;
    start_with(&p, seed);
    bursty_thread_name("main");
    for (i = 0; i < 10000; i++) {
        work_a(7);
        work_c();
    }
}

static uint64_t varint(const bytes *b, size_t *at) {
    uint64_t v = 0;
    int shift = 0;
    while (b->data[*at] & 128) {
        v |= (uint64_t)(b->data[(*at)++] & 127) << shift;
        shift += 7;
    }
    return v | (uint64_t)b->data[(*at)++] << shift;
}

static void read_site(const bytes *b, size_t *at) {
    if (varint(b, at) != 1) return;
    *at += (size_t)varint(b, at);
    *at += (size_t)varint(b, at);
    (void)varint(b, at);
    (void)varint(b, at);
}

TEST(same_events_same_bytes) {
    static bytes a, b, payload;
    bursty_stats stats;
    bursty_row rows[8];
    size_t at, i, n;
    uint64_t rows_seen = 0, count = 0, wanted = 0, checks = 0;
    a.size = b.size = payload.size = 0;
    dump_workload(4);
    CHECK_EQ(bursty_write(to_bytes, &a), 0);
    dump_workload(4);
    CHECK_EQ(bursty_write(to_bytes, &b), 0);
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    bursty_get_stats(&stats);
    n = hottest(rows, 8, 0);
    for (i = 0; i < n; i++) wanted += rows[i].count;
    CHECK(memcmp(a.data, "BRST\1\0\1\0\0\0\0\0", 12) == 0);
    /* Join the chunks. */
    for (at = 16; a.data[at] || a.data[at + 1]; ) {
        size_t length = a.data[at] | (size_t)a.data[at + 1] << 8;
        memcpy(payload.data + payload.size, a.data + at + 2, length);
        payload.size += length;
        at += 2 + length + 4;
    }
    CHECK(at + 26 < a.size && memcmp(a.data + at + 14, "BRST\1\0\30\0", 8) == 0); /* its seed */
    for (at = 0; at < payload.size; ) {
        uint64_t tag = varint(&payload, &at);
        int k;
        if (tag == 1) {
            (void)varint(&payload, &at);
            at += (size_t)varint(&payload, &at);
            for (k = 0; k < 3; k++) (void)varint(&payload, &at);
        } else if (tag == 2)
            for (k = 0; k < 8; k++) (void)varint(&payload, &at);
        else if (tag == 16) {
            CHECK_EQ(varint(&payload, &at), 1); /* it began once */
        } else if (tag == 3) {
            (void)varint(&payload, &at);
            (void)varint(&payload, &at);
            CHECK_EQ(varint(&payload, &at), 4);
            at += 4;
            checks += varint(&payload, &at);
            for (k = 0; k < 3; k++) (void)varint(&payload, &at);
        } else if (tag == 4 || tag == 8) {
            read_site(&payload, &at);
            read_site(&payload, &at);
            count += varint(&payload, &at);
            for (k = 0; k < (tag == 8 ? 7 : 2); k++) (void)varint(&payload, &at);
            rows_seen++;
        } else if (tag == 7) {
            for (k = 0; k < 3; k++) (void)varint(&payload, &at);
        } else {
            CHECK(0);
            break;
        }
    }
    CHECK_EQ(count, wanted);
    CHECK_EQ(checks, stats.checks);
    /* a, its loop, b called by a, c, and b called by c. */
    CHECK_EQ(rows_seen, 5);
    a.size = 0;
    a.fail_after = 2;
    CHECK_EQ(bursty_write(to_bytes, &a), -1);
    a.fail_after = 0;
}

/* ---- fork ---- */
#if defined(__unix__) && !defined(TEST_NO_SIGNALS)
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A number that depends on which of 20000 checks are in a burst. */
static uint64_t samples_drawn(void) {
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < 20000; i++) {
        if (BURST_CHECK()) sum = sum * 31 + i;
    }
    return sum;
}

TEST(a_forked_child_counts_from_zero) {
    int pipe_ends[2], status = 0;
    uint64_t of_parent, of_child = 0;
    bursty_stats stats;
    pid_t child;
    dump_workload(8);
    CHECK_EQ(pipe(pipe_ends), 0);
    child = fork();
    if (child == 0) {
        bursty_row rows[4];
        int ok;
        bursty_forked();
        bursty_get_stats(&stats);
        ok = stats.checks == 0 && hottest(rows, 4, 0) == 0;
        work_a(1000);
        bursty_get_stats(&stats);
        ok = ok && stats.checks == 2001 && hottest(rows, 4, 0) > 0;
        bursty_set_profile(0, NULL);
        start_with(NULL, 8);
        bursty_forked();
        of_child = samples_drawn();
        if (write(pipe_ends[1], &of_child, sizeof of_child) != sizeof of_child) ok = 0;
        _exit(!ok);
    }
    start_with(NULL, 8);
    of_parent = samples_drawn();
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ(read(pipe_ends[0], &of_child, sizeof of_child), sizeof of_child);
    CHECK(of_child != 0 && of_parent != 0 && of_child != of_parent);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}
#endif

TEST(one_profile_counts_events_of_a_class) {
    bursty_profile every = plain_profile(1, 1), loads = plain_profile(1, 1),
                   calls = plain_profile(1, 1);
    CHECK(bursty_start(NULL) != 0); /* profile 0 counts all classes */
    CHECK_EQ(bursty_set_profile(1, &every), -1);
    loads.classes = BURSTY_LOAD;
    CHECK_EQ(bursty_set_profile(1, &loads), -1);
    calls.classes = BURSTY_CALL;
    CHECK_EQ(bursty_set_profile(0, &calls), 0);
    CHECK_EQ(bursty_set_profile(1, &loads), 0);
    CHECK_EQ(bursty_set_profile(2, &calls), -1);
    CHECK_EQ(bursty_set_profile(0, &every), -1);
    CHECK_EQ(bursty_set_profile(1, NULL), 0);
    CHECK_EQ(bursty_set_profile(0, &every), 0);
}
