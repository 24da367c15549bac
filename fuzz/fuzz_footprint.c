/* fuzz_footprint.c - libFuzzer target: footprint_load, the reader of block traces, and the trackers themselves.

   The first byte chooses: 0 a dump as it is; 1 a payload around which a container with the right crc is put; 2 a block trace,
   3 one with thread numbers; 4 accesses to a tracker in little memory, its shape from the next bytes; 5 turns of two threads.

       clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I. -Itools -o build/fuzz/fuzz_footprint \
           fuzz/fuzz_footprint.c tools/replay/trace_blocks.c tools/base/tool.c
       build/fuzz/fuzz_footprint -max_len=4096 -timeout=10 -close_fd_mask=2 -max_total_time=600 build/fuzz/footprints        */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "replay/trace_blocks.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
FILE *fmemopen(void *buffer, size_t size, const char *mode);

typedef struct bytes { unsigned char data[1 << 20]; size_t size; } bytes;
static bytes file, again;
static uint64_t memory[100000], table[100000];

static int keep(void *user, const void *data, size_t size) {
    bytes *b = (bytes *)user;
    if (b->size + size > sizeof b->data) return 1;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

/* What is accepted must come back, byte for byte, from what is written of it; and reading it must be safe. */
static void load(const unsigned char *data, size_t size) {
    footprint_profile p, sum;
    size_t at, need, used;
    char name[64];
    uint32_t column;
    if (footprint_load(&p, data, size, &at, memory, sizeof memory, &need, name, sizeof name) != NULL) { if (at > size) abort(); return; }
    if (at > size || need != footprint_profile_bytes(p.rows, p.columns)) abort();
    for (column = 0; column < p.columns; column++) (void)footprint_percentile(&p, column, 50);
    (void)footprint_average(&p, 1000);
    (void)footprint_fill_time(&p, 100);
    (void)footprint_miss_ratio(&p, 100);
    (void)footprint_inter_miss_time(&p, 10);
    again.size = 0;
    if (footprint_write(&p, name, keep, &again) != 0) return;
    if (footprint_load(&sum, again.data, again.size, &used, table, sizeof table, &need, NULL, 0) != NULL || used != again.size) abort();
    if (memcmp(sum.at_least, p.at_least, (size_t)p.rows * p.columns * sizeof *p.at_least) != 0) abort();
    if (footprint_add(&sum, &p) != 0) abort();
}

static void wrap(const uint8_t *data, size_t size) {
    footprint_p_out out;
    file.size = 0;
    footprint_p_put_begin(&out, FOOTPRINT_P_KIND, keep, &file);
    footprint_p_put(&out, data, size);
    if (footprint_p_put_end(&out) == 0) load(file.data, file.size);
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
    while (status == 0 && got > 0) { status = trace_blocks_read(&t, block, thread, 7, &got); all += got; }
    if (all != t.accesses || t.offset > size || (status == 0 && !t.cut && t.offset != size)) abort();
    trace_blocks_close(&t);
}

static void track(const uint8_t *data, size_t size) {
    static const double c[] = {1, .9, .5, .1};
    footprint_config config = {0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL};
    footprint_profile p;
    footprint fp;
    size_t i;
    uint32_t row, column;
    if (size < 4) return;
    config.c = c[data[0] & 3];
    config.flags = data[0] >> 2 & 3;
    config.recent = 16u << (data[0] >> 4 & 1);
    config.group = 1 + (data[0] >> 5);
    config.window_max = data[1] & 1 ? 1023 : 1 << 20;
    config.sample_log2 = data[1] >> 1 & 3;
    if (footprint_init(&fp, memory, footprint_bytes(&config, 60u + data[2]), &config) == 0) abort();
    for (i = 3; i < size; i++) {
        footprint_access(&fp, data[i] < 128 ? data[i] : data[i] * i);
        if (data[i] == 7) footprint_access_again(&fp, (uint64_t)1 << (i & 31));
    }
    if (footprint_snapshot(&fp, &p, table, sizeof table) != 0) return;
    for (row = 1; row < p.rows; row++)
        for (column = 0; column < p.columns; column++)
            if (p.at_least[row * p.columns + column] > p.at_least[(row - 1) * p.columns + column]) abort();
}

static void interleave(const uint8_t *data, size_t size) {
    static const double c[] = {1, .9, .5, .1};
    footprint_config config = {0, 4000, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL};
    footprint_pair pair;
    footprint_profile p;
    size_t i;
    uint32_t row, column;
    if (size < 1) return;
    config.c = c[data[0] & 3];
    if (footprint_pair_init(&pair, memory, footprint_pair_bytes(&config, 64u + data[0]), &config) == 0) abort();
    for (i = 1; i < size; i++) footprint_pair_turn(&pair, data[i] & 1, data[i] < 250 ? data[i] >> 1 : (uint64_t)1 << (i & 15));
    if (footprint_pair_snapshot(&pair, &p, table, sizeof table) != 0) return;
    for (row = 1; row < p.rows; row++)
        for (column = 0; column < p.columns; column++)
            if (p.at_least[row * p.columns + column] > p.at_least[(row - 1) * p.columns + column]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    switch (data[0] % 6) {
    case 0: load(data + 1, size - 1); break;
    case 1: wrap(data + 1, size - 1); break;
    case 2: trace(data + 1, size - 1, 0); break;
    case 3: trace(data + 1, size - 1, 1); break;
    case 4: track(data + 1, size - 1); break;
    default: interleave(data + 1, size - 1); break;
    }
    return 0;
}
