/* test_hotstream_files.c - parts of kind 5: what hotstream.h writes is read,
   whatever the configuration, the memory and the events. */
#include "test.h"
#include "base/input.h"
#include "base/tool.h"
#include "hotstream.h"
#include "report/kinds/streams.h"

static uint64_t memory[2][40000];
static hotstream h, other;

static uint32_t any(uint64_t *seed) { /* of every size, and the ends often */
    uint64_t r = test_random(seed);
    switch (r & 7) {
    case 0:
    case 1: return 0;
    case 2: return UINT32_MAX;
    default: return (uint32_t)test_random(seed) >> (r >> 8 & 31);
    }
}

static hotstream_config any_config(uint64_t *seed) {
    static const double coverage[] = {0, .5, 1, 1.5, -1, 1e300, .9999999, 1e-9};
    hotstream_config config;
    memset(&config, 0, sizeof config);
    config.min_length = test_random(seed) % 2 ? 0 : any(seed);
    config.max_length = test_random(seed) % 2 ? 0 : any(seed);
    config.coverage = coverage[test_random(seed) & 7];
    config.heat_min = test_random(seed) % 2 ? 0 : any(seed);
    config.references_max = test_random(seed) % 8 ? any(seed) % 500 : any(seed);
    config.buffer_count = test_random(seed) % 8 ? any(seed) % 500 : any(seed);
    config.streams_max = test_random(seed) % 8 ? any(seed) % 500 : any(seed);
    config.deferred = (int)(test_random(seed) % 2);
    config.symbols = test_random(seed) % 4 == 0;
    config.eager = (int)(test_random(seed) % 2);
    config.whole_rules = (int)(test_random(seed) % 2);
    return config;
}

static void any_events(hotstream *x, int symbols, uint64_t *seed) {
    uint32_t i, k, n = (uint32_t)(test_random(seed) % 200);
    for (i = 0; i < n; i++) {
        uint32_t loop = 1 + (uint32_t)(test_random(seed) % 60), first = any(seed) % 1000;
        for (k = 0; k < loop; k++) {
            if (!symbols) hotstream_record(x, first + k, any(seed));
            else if (hotstream_feed(x, first + k) != 0) hotstream_digest(x);
        }
        if (test_random(seed) % 20 == 0) hotstream_burst(x);
        if (test_random(seed) % 20 == 0) (void)hotstream_work(x, any(seed));
    }
}

static const char *name(void *user, uint64_t site) {
    static char line[64];
    (void)user;
    if (site % 3 == 0) return NULL;
    snprintf(line, sizeof line, site % 3 == 1 ? "f%u" : "f\"\xFF<%u>\tx.c:3",
             (unsigned)(site % 100));
    return line;
}

static void comes_back(hotstream *x) {
    streams s;
    dump d;
    dump_fault fault;
    hotstream_stats stats;
    text file = {NULL, 0, 0};
    size_t i;
    int bad;
    memset(&s, 0, sizeof s);
    CHECK_EQ(hotstream_write(x, "any", name, NULL, text_write, &file), 0);
    hotstream_get_stats(x, &stats);
    bad = dump_read(&d, (const unsigned char *)file.data, file.size, &fault);
    CHECK_EQ(bad, 0);
    for (i = 0; !bad && i < d.part_count; i++) {
        bad = kind_streams.read(&s, &d, &d.parts[i], &fault);
        CHECK_EQ(bad, 0);
        if (bad) printf("    %s\n", fault.reason);
    }
    CHECK_EQ(s.count, 1);
    if (s.count == 1) {
        CHECK_EQ(s.parts[0].references, stats.references);
        CHECK_EQ(s.parts[0].lost, stats.lost);
        CHECK(s.parts[0].stream_count <= stats.streams); /* of equal names they are one */
        CHECK((s.parts[0].stream_count > 0) == (stats.streams > 0));
    }
    dump_free(&d);
    kind_streams.free(&s);
    text_free(&file);
}

TEST(whatever_is_written_is_read) {
    uint64_t seed = 30;
    uint32_t round, found = 0;
    for (round = 0; round < 300; round++) {
        hotstream_config config = any_config(&seed);
        hotstream_stats stats;
        size_t bytes = test_random(&seed) % 2 ? sizeof memory[0]
                                              : (size_t)(test_random(&seed) % sizeof memory[0]);
        if (hotstream_init(&h, memory[0], bytes, &config) == 0) continue;
        any_events(&h, config.symbols, &seed);
        comes_back(&h);
        hotstream_get_stats(&h, &stats);
        found += stats.streams > 0;
        any_events(&h, config.symbols, &seed);
        if (hotstream_init(&other, memory[1], bytes, &config) == 0) continue;
        any_events(&other, config.symbols, &seed);
        hotstream_merge(&h, &other);
        comes_back(&h);
    }
    CHECK(found > 30);
}
