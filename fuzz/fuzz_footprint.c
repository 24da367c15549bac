/* fuzz_footprint.c - libFuzzer target: the reader of kind 3, the reader of
   block traces, and the headers themselves.

   The first byte chooses: 0 a dump as it is; 1 a payload around which a
   container with the right crc is put; 2 a block trace, 3 one with thread
   numbers; 4 accesses to a footprint in little memory, its shape from the next
   bytes; 5 runs of two threads.

       clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
           -I. -o build/fuzz/fuzz_footprint fuzz/fuzz_footprint.c \
           lab/trace_blocks.c report/kinds/footprints.c base/tool.c \
           base/dump.c base/text.c base/headers.c base/alloc.c base/fault.c base/elf.c
       build/fuzz/fuzz_footprint -max_len=4096 -timeout=10 -close_fd_mask=2 \
           -max_total_time=600 build/fuzz/footprints */
#include "footprint.h"
#include "report/kinds/footprints.h"
#include "lab/trace_blocks.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
FILE *fmemopen(void *buffer, size_t size, const char *mode);

static uint64_t memory[300000], table[100000];

/* Reads all parts of kind 3. Returns 0 if something is wrong with the file. */
static int read_parts(footprints *f, const unsigned char *data, size_t size) {
    dump d;
    dump_fault fault;
    size_t i;
    int good = 1;
    if (dump_read(&d, data, size, &fault) != 0) return 0;
    for (i = 0; i < d.part_count && good; i++) {
        if (d.parts[i].kind != DUMP_FOOTPRINT) continue;
        good = kind_footprints.read(f, &d, &d.parts[i], &fault) == 0;
        if (!good && fault.offset > size) abort();
    }
    dump_free(&d);
    return good;
}

/* A ratio is 0 to 1, or -1: not known. */
static void is_ratio(double ratio) {
    if (!(ratio >= 0 && ratio <= 1) && !(ratio > -1.5 && ratio < -.5)) abort();
}

static void ask_profile(const footprint_profile *p) {
    double blocks, low, high;
    for (blocks = 1; blocks < 1e12; blocks *= 3) {
        is_ratio(footprint_miss_ratio(p, blocks));
        is_ratio(footprint_miss_ratio_by_average(p, blocks));
        is_ratio(footprint_reuse_after(p, blocks));
        if (footprint_miss_interval(p, blocks, &low, &high) == 0 &&
            !(low >= 0 && low <= high && high <= 1)) abort();
        if (footprint_average_interval(p, blocks, &low, &high) == 0 &&
            !(low >= 0 && low <= high && high <= blocks)) abort();
    }
}

static void ask(const footprints_part *part) {
    void *tables;
    footprint_profile p = footprints_lay_out(part, &tables);
    uint32_t column;
    for (column = 0; column < p.columns; column++) (void)footprint_percentile(&p, column, 50);
    (void)footprint_average_of(&p, 1000);
    (void)footprint_fill_time(&p, 100);
    ask_profile(&p);
    free(tables);
}

/* What is accepted must come back, byte for byte, from what is written of
   it. */
static void load(const unsigned char *data, size_t size) {
    footprints f, again;
    text first = {NULL, 0, 0}, second = {NULL, 0, 0};
    size_t i;
    memset(&f, 0, sizeof f);
    memset(&again, 0, sizeof again);
    if (read_parts(&f, data, size)) {
        kind_footprints.settle(&f);
        for (i = 0; i < f.count; i++) ask(&f.parts[i]);
        kind_footprints.write(&f, &first);
        if (first.size && !read_parts(&again, (const unsigned char *)first.data, first.size))
            abort();
        kind_footprints.settle(&again);
        kind_footprints.write(&again, &second);
        if (first.size != second.size) abort();
        if (first.size && memcmp(first.data, second.data, first.size) != 0) abort();
    }
    kind_footprints.free(&f);
    kind_footprints.free(&again);
    text_free(&first);
    text_free(&second);
}

static void wrap(const uint8_t *data, size_t size) {
    text file = {NULL, 0, 0};
    dump_writer w;
    dump_begin(&w, &file, DUMP_FOOTPRINT);
    dump_put_bytes(&w, data, size);
    dump_end(&w);
    load((const unsigned char *)file.data, file.size);
    text_free(&file);
}

static void trace(const uint8_t *data, size_t size, int threads) {
    static trace_blocks t;
    uint64_t block[7];
    unsigned char thread[7];
    size_t got = 1, all = 0;
    int status = 0;
    if (size == 0) return;
    memset(&t, 0, sizeof t);
    t.name = "input";
    t.threads = threads;
    t.only = TRACE_BLOCKS_EVERY;
    t.file = fmemopen((void *)(uintptr_t)data, size, "rb");
    if (!t.file) return;
    while (status == 0 && got > 0) {
        status = trace_blocks_read(&t, block, thread, 7, &got);
        all += got;
    }
    if (all != t.accesses || t.offset > size) abort();
    if (status == 0 && !t.cut && t.offset != size) abort();
    trace_blocks_close(&t);
}

static void track(const uint8_t *data, size_t size) {
    static const double c[] = {1, .9, .5, .1};
    footprint_config config = {0, 0, 0, 0, 0, 0, NULL, NULL, NULL};
    footprint_profile p;
    footprint fp;
    size_t i;
    uint32_t row, column;
    if (size < 4) return;
    config.c = c[data[0] & 3];
    config.flags = data[0] >> 2 & FOOTPRINT_FORGET;
    if (data[0] & 64) config.flags |= FOOTPRINT_BURSTS;
    config.window_max = data[1] & 1 ? 1023 : 1 << 20;
    config.sample_log2 = data[1] >> 1 & 3;
    if (footprint_init(&fp, memory, footprint_bytes(&config, 60u + data[2]), &config) == 0) abort();
    for (i = 3; i < size; i++) {
        footprint_access(&fp, data[i] < 128 ? data[i] : data[i] * i);
        if (data[i] == 7) footprint_access_repeat(&fp, (uint64_t)1 << (i & 31));
        if (data[i] % 32 == 9) footprint_burst(&fp);
    }
    if (footprint_snapshot(&fp, &p, table, sizeof table) != 0) return;
    ask_profile(&p);
    for (row = 1; row < p.rows; row++) {
        const uint64_t *here = p.at_least + row * p.columns;
        for (column = 0; column < p.columns; column++)
            if (here[column] > p.at_least[(row - 1) * p.columns + column]) abort();
    }
}

static void take_turns(const uint8_t *data, size_t size) {
    static const double c[] = {1, .9, .5, .1};
    footprint_config config = {0, 4000, 0, 0, 0, 0, NULL, NULL, NULL};
    footprint_pair pair;
    footprint_profile p;
    size_t i;
    uint32_t row, column;
    if (size < 1) return;
    config.c = c[data[0] & 3];
    if (footprint_pair_init(&pair, memory, footprint_pair_bytes(&config, 64u + data[0]),
                            &config) == 0)
        abort();
    for (i = 1; i < size; i++) {
        uint64_t length = data[i] < 250 ? data[i] >> 1 : (uint64_t)1 << (i & 15);
        footprint_pair_run(&pair, data[i] & 1, length);
    }
    if (footprint_pair_snapshot(&pair, &p, table, sizeof table) != 0) return;
    for (row = 1; row < p.rows; row++) {
        const uint64_t *here = p.at_least + row * p.columns;
        for (column = 0; column < p.columns; column++)
            if (here[column] > p.at_least[(row - 1) * p.columns + column]) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    switch (data[0] % 6) {
    case 0: load(data + 1, size - 1); break;
    case 1: wrap(data + 1, size - 1); break;
    case 2: trace(data + 1, size - 1, 0); break;
    case 3: trace(data + 1, size - 1, 1); break;
    case 4: track(data + 1, size - 1); break;
    default: take_turns(data + 1, size - 1); break;
    }
    return 0;
}
