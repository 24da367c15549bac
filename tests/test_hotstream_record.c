/* test_hotstream_record.c - hotstream.h from recorded references to a file: the
   buffer, work in small pieces, what is lost, merging, eviction, two
   threads. */
#define HOTSTREAM_STATIC
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include "test.h"
#if defined(__unix__) && !defined(__TINYC__)
#include <pthread.h>
#define HAS_THREADS
#endif

static uint64_t memory[1 << 16], second_memory[1 << 18];
static hotstream h, other;

static hotstream_config zeros(void) {
    hotstream_config config;
    memset(&config, 0, sizeof config);
    return config;
}

static hotstream_stats stats_of(const hotstream *x) {
    hotstream_stats stats;
    hotstream_get_stats(x, &stats);
    return stats;
}

/* A program that walks lists of objects: list k has 11 + k objects; which list
   comes next is random. */
static uint64_t walk_seed;
static void walk(hotstream *x, uint32_t lists, uint64_t base) {
    uint32_t list = (uint32_t)(test_random(&walk_seed) % lists), i;
    for (i = 0; i < 11 + list; i++)
        hotstream_record(x, 1 + list * 100 + i, base + list * 4096 + i * 64);
}

TEST(too_little_memory_is_refused) {
    hotstream_config config = zeros();
    size_t bytes;
    CHECK_EQ(hotstream_init(&h, NULL, 1000000, NULL), 0);
    CHECK_EQ(hotstream_init(&h, memory, 100, NULL), 0);
    for (bytes = 0; bytes < 40000; bytes += 997) {
        uint32_t nodes = hotstream_init(&h, (char *)memory + bytes % 7, bytes, NULL);
        if (nodes) CHECK(hotstream_bytes(NULL, nodes) <= bytes + 7);
        if (nodes) CHECK(stats_of(&h).bytes <= bytes);
    }
    config.symbols = 1;
    bytes = hotstream_bytes(&config, 1000);
    CHECK_EQ(hotstream_init(&h, memory, bytes, &config), 1000);
    CHECK_EQ(hotstream_feed(&h, HOTSTREAM_SYMBOLS), -1);
    CHECK_EQ(hotstream_feed(&h, HOTSTREAM_SYMBOLS - 1), 0);
    hotstream_record(&h, 1, 2); /* has no buffer: not recorded */
    CHECK_EQ(stats_of(&h).references, 1);
    CHECK_EQ(hotstream_check(&h), 0);
}

TEST(walks_become_streams) {
    hotstream_stream rows[8];
    uint32_t i, k, found = 0;
    size_t count;
    hotstream_stats stats;
    walk_seed = 1;
    CHECK(hotstream_init(&h, memory, sizeof memory, NULL) > 1000);
    for (i = 0; i < 3000; i++) walk(&h, 5, 0x10000);
    count = hotstream_top(&h, rows, 8);
    stats = stats_of(&h);
    CHECK(count > 0);
    CHECK_EQ(stats.lost, 0);
    CHECK(stats.heat * 10 >= stats.references * 9);
    CHECK_EQ(stats.heat_lost, 0);
    for (i = 0; i < count && i < 8; i++) {
        CHECK_EQ(rows[i].heat, rows[i].length * rows[i].frequency);
        for (k = 0; k < rows[i].length; k++) { /* items belong together: the address of that site */
            uint64_t list = (rows[i].items[k].site - 1) / 100,
                     at = (rows[i].items[k].site - 1) % 100;
            CHECK_EQ(rows[i].items[k].address, 0x10000 + list * 4096 + at * 64);
        }
        found += rows[i].items[0].site % 100 == 1;
    }
    CHECK(found > 0);
}

/* Streams are the same whatever the addresses, digest for digest. */
TEST(addresses_do_not_matter_across_digests) {
    hotstream_stats once, often;
    uint32_t i;
    walk_seed = 2;
    hotstream_init(&h, memory, sizeof memory, NULL);
    for (i = 0; i < 500; i++) walk(&h, 4, 0x10000);
    hotstream_digest(&h);
    once = stats_of(&h);
    walk_seed = 2;
    for (i = 0; i < 500; i++) walk(&h, 4, 0x900000);
    hotstream_digest(&h);
    often = stats_of(&h);
    CHECK_EQ(often.streams, once.streams);
    CHECK_EQ(often.heat, 2 * once.heat);
    CHECK_EQ(often.digests, 2);
}

static uint64_t ticks;
static uint64_t tick(void *user) {
    (void)user;
    return ticks += 10;
}

/* Deferred work in pieces of any size ends with what work at once ends with. */
TEST(work_in_pieces_is_the_same_work) {
    static const uint64_t budgets[] = {1, 7, 100, 300, 5000, 0};
    hotstream_config config = zeros();
    hotstream_stream whole[50], pieces[50];
    size_t count, i;
    uint32_t k, b;
    walk_seed = 3;
    hotstream_init(&h, memory, 60000, NULL);
    for (k = 0; k < 4000; k++) walk(&h, 9, k % 3 * 70000);
    count = hotstream_top(&h, whole, 50);
    CHECK(stats_of(&h).digests > 4);
    CHECK(count > 4 && count <= 50);
    for (b = 0; b < 12; b++) {
        config.deferred = 1;
        config.clock = b >= 6 ? tick : NULL;
        walk_seed = 3;
        hotstream_init(&other, second_memory, 60000, &config);
        for (k = 0; k < 4000; k++) {
            walk(&other, 9, k % 3 * 70000);
            if (k % 2 == 0) continue;
            while (hotstream_work(&other, budgets[b % 6])) {
            }
        }
        CHECK_EQ(stats_of(&other).lost, 0);
        CHECK_EQ(hotstream_top(&other, pieces, 50), count);
        for (i = 0; i < count; i++) {
            CHECK_EQ(pieces[i].signature, whole[i].signature);
            CHECK_EQ(pieces[i].heat, whole[i].heat);
        }
    }
}

/* A digest that is stopped while it empties the grammar: references that come
   meanwhile wait, and each is in the end in exactly one grammar. So the sum
   over all digests is what was recorded. */
TEST(nothing_is_lost_or_doubled_while_a_full_grammar_is_emptied) {
    hotstream_config config = zeros();
    uint64_t recorded = 0;
    uint32_t k, stopped = 0, full = 0;
    hotstream_stats stats;
    config.deferred = 1;
    config.buffer_count = 1024;
    walk_seed = 9;
    CHECK(hotstream_init(&h, memory, 60000, &config) > 0);
    for (k = 0; k < 4000; k++) {
        uint32_t before = h.put;
        walk(&h, 9, k % 3 * 70000);
        recorded += h.put - before;
        while (hotstream_work(&h, 1)) {
            if (h.phase != HOTSTREAM_P_EMPTY || h.cleared == 0) continue;
            stopped++;
            stats = stats_of(&h);
            CHECK(stats.references <= recorded);
            if (stopped % 3 == 0) break;                    /* more comes before it is empty */
        }
        full += h.phase != HOTSTREAM_P_IDLE;
    }
    CHECK(stopped > 20 && full > 5);
    while (hotstream_work(&h, 7)) { }
    hotstream_digest(&h);
    stats = stats_of(&h);
    CHECK_EQ(stats.references, recorded);
    CHECK_EQ(stats.lost, 0);
    CHECK_EQ(stats.symbols, 0);
    CHECK(stats.digests > 5);
    CHECK(stats.heat <= recorded);
    CHECK_EQ(hotstream_check(&h), 0);
}

/* A small budget is a small piece: without a clock at most so many steps, with
   one a slice beyond it. */
TEST(budgets_hold) {
    hotstream_config config = zeros();
    uint32_t k, calls = 0;
    uint64_t before;
    config.deferred = 1;
    config.buffer_count = 4096;
    config.clock = tick;
    walk_seed = 4;
    hotstream_init(&h, memory, sizeof memory, &config);
    for (k = 0; k < 200; k++) walk(&h, 9, k * 4096);
    do {
        before = ticks;
        calls++;
        k = (uint32_t)hotstream_work(&h, 35);
        CHECK(ticks - before <= 60);
    } while (k);
    CHECK(calls > 2);
    CHECK_EQ(hotstream_work(&h, 35), 0);
}

TEST(what_finds_no_place_is_counted_and_parts_bursts) {
    hotstream_config config = zeros();
    hotstream_stats stats;
    uint32_t i, k;
    config.deferred = 1;
    config.buffer_count = 64;
    hotstream_init(&h, memory, sizeof memory, &config);
    CHECK_EQ(stats_of(&h).buffer_count, 64);
    for (i = 0; i < 50; i++) {
        for (k = 0; k < 100; k++) hotstream_record(&h, 1 + k, 0);
        hotstream_work(&h, 0);
    }
    stats = stats_of(&h);
    CHECK_EQ(stats.references + stats.lost, 5000);
    CHECK(stats.lost >= 50 * 36);
    CHECK_EQ(stats.bursts, 49);
    hotstream_digest(&h);
    CHECK_EQ(hotstream_check(&h), 0);
}

/* Bursts: no stream spans two of them, and empty ones leave nothing. */
TEST(no_stream_spans_a_gap) {
    hotstream_stream rows[4];
    uint32_t i, k;
    size_t count;
    hotstream_init(&h, memory, sizeof memory, NULL);
    for (i = 0; i < 200; i++) {
        hotstream_burst(&h);
        hotstream_burst(&h);
        for (k = 0; k < 8; k++) hotstream_record(&h, 1 + k, 0);
    }
    CHECK_EQ(hotstream_top(&h, rows, 4), 0); /* a burst is shorter than a stream */
    CHECK_EQ(stats_of(&h).bursts, 199);
    CHECK_EQ(stats_of(&h).references, 1600);
    hotstream_init(&h, memory, sizeof memory, NULL);
    for (i = 0; i < 200; i++) {
        hotstream_burst(&h);
        for (k = 0; k < 15; k++) hotstream_record(&h, 1 + k, 0);
    }
    count = hotstream_top(&h, rows, 4);
    CHECK_EQ(count, 1);
    CHECK_EQ(rows[0].length, 15);
    CHECK_EQ(rows[0].frequency, 200);
    CHECK_EQ(rows[0].items[0].site, 1);
}

/* The rows that are filled, never more, and no other is touched. */
TEST(top_fills_at_most_what_is_asked) {
    hotstream_stream rows[4];
    uint32_t k;
    walk_seed = 1;
    hotstream_init(&h, memory, sizeof memory, NULL);
    for (k = 0; k < 2000; k++) { walk(&h, 5, 0x10000); }
    memset(rows, 0, sizeof rows);
    CHECK_EQ(hotstream_top(&h, rows, 2), 2);
    CHECK(rows[0].heat >= rows[1].heat && rows[1].heat > 0);
    CHECK_EQ(rows[2].heat, 0);
    CHECK_EQ(hotstream_top(&h, NULL, 0), 0);
    CHECK(stats_of(&h).streams > 2);
}

/* More streams than the profile holds: the hot ones stay, the heat of the
   others is counted. */
TEST(a_full_profile_keeps_the_hot) {
    hotstream_config config = zeros();
    hotstream_stream rows[16];
    hotstream_stats stats;
    uint32_t i, k, round;
    uint64_t kept = 0;
    config.streams_max = 16;
    config.coverage = 1;
    CHECK(hotstream_init(&h, memory, sizeof memory, &config) > 0);
    for (round = 0; round < 40; round++) {
        for (i = 0; i < 30; i++) {
            for (k = 0; k < 12; k++) hotstream_record(&h, 1000 + k, 0);
            hotstream_record(&h, 100000 + round * 100 + i, 0);
        }
        for (i = 0; i < 3; i++) {
            for (k = 0; k < 12; k++) hotstream_record(&h, 2000 + round * 20 + k, 0);
            hotstream_record(&h, 200000 + round * 100 + i, 0);
        }
        hotstream_digest(&h);
    }
    CHECK(hotstream_top(&h, rows, 16) <= 16);
    CHECK_EQ(rows[0].items[0].site, 1000);
    CHECK_EQ(rows[0].frequency, 40 * 30);
    stats = stats_of(&h);
    CHECK(stats.heat_lost > 0);
    CHECK(stats.streams <= 16);
    for (i = 0; i < stats.streams; i++) kept += h.entries[i].heat;
    CHECK_EQ(kept, stats.heat);
    CHECK_EQ(stats.heat + stats.heat_lost, 40 * 12 * (30 + 3));
}

TEST(merging_adds) {
    hotstream_stats a, b, sum;
    hotstream_stream rows[50], again[50];
    uint32_t k;
    size_t count, i;
    walk_seed = 5;
    hotstream_init(&h, memory, sizeof memory, NULL);
    for (k = 0; k < 800; k++) walk(&h, 6, 0);
    hotstream_init(&other, second_memory, sizeof second_memory, NULL);
    for (k = 0; k < 500; k++) walk(&other, 8, 0);
    hotstream_digest(&h);
    hotstream_digest(&other);
    a = stats_of(&h);
    b = stats_of(&other);
    hotstream_merge(&h, &other);
    sum = stats_of(&h);
    CHECK_EQ(sum.references, a.references + b.references);
    CHECK_EQ(sum.heat, a.heat + b.heat);
    CHECK_EQ(sum.digests, a.digests + b.digests);
    CHECK(sum.streams <= a.streams + b.streams);
    count = hotstream_top(&h, rows, 50);
    walk_seed = 5; /* the other way round: the same profile */
    hotstream_init(&h, memory, sizeof memory, NULL);
    for (k = 0; k < 800; k++) walk(&h, 6, 0);
    hotstream_merge(&other, &h);
    CHECK_EQ(hotstream_top(&other, again, 50), count);
    hotstream_top(&h, NULL, 0);
    for (i = 0; i < count && i < 50; i++) CHECK_EQ(rows[i].signature != 0, again[i].signature != 0);
}

/* ---- the file ---- */

static unsigned char file[1 << 18];
static size_t file_size;
static int keep(void *user, const void *data, size_t size) {
    size_t room = *(size_t *)user;
    if (file_size + size > room) return 7;
    memcpy(file + file_size, data, size);
    file_size += size;
    return 0;
}
static const char *name(void *user, uint64_t site) {
    static char text[40];
    (void)user;
    sprintf(text, "f%u\tlist.c:%u", (unsigned)(site / 100), (unsigned)(site % 100));
    return site % 7 ? text : NULL;
}

TEST(writing_twice_gives_the_same_bytes) {
    static unsigned char first[1 << 18];
    size_t size, room = sizeof file, k;
    walk_seed = 7;
    hotstream_init(&h, memory, sizeof memory, NULL);
    for (k = 0; k < 800; k++) walk(&h, 6, 0);
    file_size = 0;
    CHECK_EQ(hotstream_write(&h, "walks", name, NULL, keep, &room), 0);
    size = file_size;
    memcpy(first, file, size);
    file_size = 0;
    CHECK_EQ(hotstream_write(&h, "walks", name, NULL, keep, &room), 0);
    CHECK_EQ(file_size, size);
    CHECK(memcmp(first, file, size) == 0);
    CHECK(memcmp(file, "BRST\1\0\5\0", 8) == 0);
    for (k = 0; k < 800; k++) walk(&h, 6, 0); /* it goes on afterwards */
    CHECK_EQ(hotstream_check(&h), 0);
    room = 100;
    file_size = 0;
    CHECK_EQ(hotstream_write(&h, NULL, NULL, NULL, keep, &room), -1);
}

/* ---- one thread records, another works ---- */

#ifdef HAS_THREADS
static uint32_t stop;
static void *recorder(void *user) {
    uint32_t k;
    (void)user;
    walk_seed = 8;
    for (k = 0; k < 20000; k++) walk(&h, 6, 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    return NULL;
}
TEST(one_thread_records_and_another_works) {
    hotstream_config config = zeros();
    hotstream_stats stats;
    hotstream_stream rows[50];
    pthread_t thread;
    size_t count, i;
    config.deferred = 1;
    config.buffer_count = 1 << 10;
    hotstream_init(&h, memory, sizeof memory, &config);
    CHECK_EQ(pthread_create(&thread, NULL, recorder, NULL), 0);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) hotstream_work(&h, 1000);
    pthread_join(thread, NULL);
    count = hotstream_top(&h, rows, 50);
    stats = stats_of(&h);
    CHECK(stats.references > 0);
    for (i = 0; i < count && i < 50; i++) { /* no stream of torn or moved references */
        uint32_t k;
        for (k = 1; k < rows[i].length; k++) {
            uint64_t a = rows[i].items[k - 1].site, b = rows[i].items[k].site;
            CHECK(b == a + 1 || b % 100 == 1);
        }
    }
}
#endif
