/* fuzz_hotstream.c - libFuzzer target: the grammar, its digests and its
   profile, on any input, in little memory.

   The first bytes choose the shape: nodes, lengths, cursor, pieces of work. The
   others are references; 255 parts bursts, 254 digests, 253 works a little, 252
   checks. The expansion is compared with the input by hotstream_check's hash.

       clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I. -o
   build/fuzz/fuzz_hotstream \ fuzz/fuzz_hotstream.c build/fuzz/fuzz_hotstream
   -max_len=4096
   -timeout=10 -max_total_time=600 build/fuzz/hotstreams */
#define HOTSTREAM_STATIC
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t memory[20000];
static hotstream h;
static size_t bytes_written;

static int discard(void *user, const void *data, size_t size) {
    (void)user;
    (void)data;
    bytes_written += size;
    return 0;
}

static void found(void *user, const hotstream_stream *s) {
    if (s->heat != s->length * s->frequency || s->length < h.config.min_length ||
        s->length > h.config.max_length)
        abort();
    *(uint64_t *)user += s->heat;
}

/* Symbols, analysed as they stand. */
static void feed(const uint8_t *data, size_t size, hotstream_config *config) {
    uint64_t sum = 0, covered;
    size_t i;
    config->symbols = 1;
    if (hotstream_init(&h, memory, hotstream_bytes(config, 12u + data[0] * 4u), config) == 0)
        abort();
    for (i = 2; i < size; i++) {
        if (data[i] == 255) {
            hotstream_burst(&h);
            continue;
        }
        if (data[i] == 252 && hotstream_check(&h) != 0) abort();
        if (hotstream_feed(&h, data[i] & 15) != 0) {
            if (hotstream_check(&h) != 0) abort();
            hotstream_digest(&h);
        }
    }
    covered = hotstream_analyse(&h, 1 + data[1] % 30, data[1] & 1, found, &sum);
    if (sum != covered || covered > h.count || hotstream_check(&h) != 0) abort();
    (void)hotstream_threshold(&h, .5, 1);
    if (hotstream_check(&h) != 0) abort();
}

/* References through the buffer. */
static void record(const uint8_t *data, size_t size, hotstream_config *config) {
    hotstream_stream rows[4];
    hotstream_stats stats;
    uint64_t heat = 0, given = 0;
    size_t i;
    config->deferred = data[1] >> 6 & 1;
    config->references_max = 16;
    config->streams_max = 1 + data[1] % 8;
    if (hotstream_init(&h, memory, hotstream_bytes(config, 40u + data[0]), config) == 0) abort();
    for (i = 2; i < size; i++) {
        if (data[i] == 255) hotstream_burst(&h);
        else if (data[i] == 254) hotstream_digest(&h);
        else if (data[i] == 253) (void)hotstream_work(&h, 1 + i % 40);
        else {
            hotstream_record(&h, 1 + (data[i] & 31), data[i] >> 5);
            given++;
        }
    }
    (void)hotstream_top(&h, rows, 4);
    hotstream_get_stats(&h, &stats);
    for (i = 0; i < stats.streams; i++) heat += h.entries[i].heat;
    if (heat != stats.heat || heat + stats.heat_lost > stats.references) abort();
    if (stats.references + stats.lost < given) abort();
    if (hotstream_write(&h, "fuzz", NULL, NULL, discard, NULL) != 0 || hotstream_check(&h) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hotstream_config config = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL};
    if (size < 3) return 0;
    config.min_length = 2 + data[1] % 4;
    config.max_length = 12;
    config.eager = data[1] >> 5 & 1;
    if (data[1] & 128) feed(data, size, &config);
    else record(data, size, &config);
    return 0;
}
