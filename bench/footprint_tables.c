/* footprint_tables.c - one line for each shape of footprint and interleaving, with a checksum of
   all its tables. Two versions of the headers count alike when they print alike:

       sh bench/footprint_tables.sh DIRECTORY [TRACE...]

   runs the headers here and those in DIRECTORY. TRACE is a block trace as in docs/formats.md, not
   compressed. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#define INTERLEAVE_IMPLEMENTATION
#include "interleave.h"
#include "random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000000, MEMORY = 1 << 24 };
static uint64_t trace[MOST], random_state = 1;
static uint64_t *memory, *table;

static void *allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void release(void *user, void *block) {
    (void)user;
    free(block);
}

static uint64_t checksum;

static void check(uint64_t number) {
    checksum = (checksum ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    checksum ^= checksum >> 29;
}

static void check_profile(footprint *fp) {
    footprint_profile p;
    footprint_stats s;
    size_t i;
    if (footprint_snapshot(fp, &p, table, MEMORY * sizeof *table) != 0) exit(1);
    footprint_get_stats(fp, &s);
    check(p.rows);
    check(p.columns);
    check(p.accesses);
    check(p.blocks);
    check(p.forgotten);
    check(p.last_window);
    check(p.last_blocks);
    check(p.flags);
    check(p.sample_log2);
    check(s.lost);
    for (i = 0; i < (size_t)p.rows * p.columns; i++) check(p.at_least[i]);
    for (i = 0; i < p.rows; i++) check(p.depth[i]);
    for (i = 0; i < p.columns; i++) {
        check(p.total[i].windows);
        check(p.total[i].low);
        check(p.total[i].high);
    }
    for (i = 1; i < 300; i++) check(footprint_mark_time(fp, (uint32_t)i));
}

/* Counts trace[0..n) by all entries in turn, with a snapshot at each third. */
static void count(const char *name, size_t n, const footprint_config *config, uint32_t blocks) {
    footprint fp;
    size_t at = 0, run, third;
    checksum = 1;
    if (blocks == 0 ? footprint_open(&fp, config) == 0
                    : footprint_init(&fp, memory, footprint_bytes(config, blocks), config) == 0)
        exit(1);
    for (third = 1; third <= 3; third++) {
        size_t end = n / 3 * third;
        while (at < end) {
            run = 1 + (size_t)(bench_random(&random_state) % 5000);
            if (run > end - at) run = end - at;
            if (run % 3) footprint_access_many(&fp, trace + at, run);
            else {
                size_t i;
                for (i = 0; i < run; i++) {
                    footprint_access(&fp, trace[at + i]);
                    if (run % 7 == 0 && i % 100 == 0) footprint_access_repeat(&fp, i);
                }
            }
            at += run;
        }
        check_profile(&fp);
    }
    printf("%s c %g window_max %llu flags %u sample %u blocks %u: %016llx\n", name, config->c,
           (unsigned long long)config->window_max, (unsigned)config->flags,
           (unsigned)config->sample_log2, (unsigned)blocks, (unsigned long long)checksum);
    if (blocks == 0) footprint_close(&fp);
}

/* All shapes over trace[0..n). */
static void all_shapes(const char *name, size_t n) {
    static const double precisions[] = {1, .99, .9, .75, .5};
    static const struct {
        uint64_t window_max;
        uint32_t flags, sample_log2, blocks;
    } shapes[] = {
        {0, 0, 0, 0},
        {1023, 0, 0, 3000},
        {100000, 0, 0, 0},
        {0, 0, 0, 500},
        {0, FOOTPRINT_FORGET, 0, 500},
        {0, 0, 3, 0},
        {1 << 20, 0, 1, 100},
    };
    size_t c, i;
    for (c = 0; c < sizeof precisions / sizeof *precisions; c++) {
        for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            footprint_config config;
            memset(&config, 0, sizeof config);
            config.c = precisions[c];
            config.window_max = shapes[i].window_max;
            config.flags = shapes[i].flags;
            config.sample_log2 = shapes[i].sample_log2;
            config.alloc = allocate;
            config.release = release;
            count(name, n, &config, shapes[i].blocks);
        }
    }
}

static void check_pair(const char *name, int shape, double c, uint64_t window_max, uint32_t runs) {
    interleave_config config;
    interleave_profile p;
    interleave il;
    uint64_t i, b;
    size_t cell;
    config.c = c;
    config.window_max = window_max;
    checksum = 1;
    if (interleave_init(&il, memory, interleave_bytes(&config, runs), &config) == 0) exit(1);
    for (i = 0; i < 60000; i++) {
        uint64_t r = bench_random(&random_state), length = 1;
        if (shape == 1) length = 1 + r % 30;
        if (shape == 2) length = r % 50 ? 1 + r % 3 : r % 20000;
        if (shape == 3) length = i % 2 ? 1 : r % 10;
        interleave_run(&il, (int)(i % 2), length);
        if (i % 64 == 0) {
            for (b = 1; b < 200; b++) check(interleave_mark_time(&il, (uint32_t)b));
        }
        if (i != 20000 && i != 59999) continue;
        if (interleave_snapshot(&il, &p, table, MEMORY * sizeof *table) != 0) exit(1);
        check(p.rows);
        check(p.accesses);
        check(p.accesses_of_1);
        check(p.flags);
        for (cell = 0; cell < (size_t)p.rows * p.columns; cell++) check(p.at_least[cell]);
    }
    printf("interleaving of %s c %g window_max %llu runs %u: %016llx\n", name, c,
           (unsigned long long)window_max, (unsigned)runs, (unsigned long long)checksum);
}

static void all_pairs(void) {
    static const char *const names[] = {"turns of 1", "random turns", "bursts", "rare accesses"};
    static const double precisions[] = {1, .99, .9, .75, .5};
    int shape, c;
    for (shape = 0; shape < 4; shape++) {
        for (c = 0; c < 5; c++) {
            check_pair(names[shape], shape, precisions[c], 0, 100000);
            check_pair(names[shape], shape, precisions[c], 0, 700);
            check_pair(names[shape], shape, precisions[c], 5000, 100);
        }
    }
}

static size_t make(int kind, uint32_t m, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t r = bench_random(&random_state), block = r % m;
        double u = (double)(r >> 11) / 9007199254740992.0;
        if (kind == 1) block = i % m;
        if (kind == 2) block = (uint64_t)(pow((double)m + 1, u) - 1);
        if (kind == 3) block = i / m % 2 ? m - 1 - i % m : i % m;
        if (kind == 4) block = i / (n / 5 + 1) * (m / 3) + r % (m / 2 + 1);
        if (kind == 5 && i > 3 && r % 7) block = r % 3 ? trace[i - 1] : trace[i - 3];
        trace[i] = block;
    }
    return n;
}

/* The numbers of a trace are differences, zigzag, seven bits a byte. */
static size_t read_trace(const char *path) {
    FILE *file = fopen(path, "rb");
    uint64_t block = 0, number = 0;
    size_t n = 0;
    int byte, shift = 0;
    if (!file) exit(2);
    while (n < MOST && (byte = getc(file)) != EOF) {
        number |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        if (byte & 128) continue;
        block += (number >> 1) ^ (0 - (number & 1));
        trace[n++] = block;
        number = 0;
        shift = 0;
    }
    fclose(file);
    return n;
}

int main(int argc, char **argv) {
    static const char *const kinds[] = {"random", "cyclic", "zipf", "sawtooth", "phases", "bursts"};
    static const uint32_t sizes[] = {3, 40, 1000, 30000};
    int kind, size, i;
    memory = (uint64_t *)malloc(MEMORY * sizeof *memory);
    table = (uint64_t *)malloc(MEMORY * sizeof *table);
    if (!memory || !table) return 1;
    all_pairs();
    for (kind = 0; kind < 6; kind++) {
        for (size = 0; size < 4; size++) {
            char name[40];
            sprintf(name, "%s %u", kinds[kind], (unsigned)sizes[size]);
            all_shapes(name, make(kind, sizes[size], 100000));
        }
    }
    for (i = 1; i < argc; i++) all_shapes(argv[i], read_trace(argv[i]));
    return 0;
}
