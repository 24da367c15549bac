/* fuzz_trace.c - libFuzzer target: traces of `bursty cc --trace` from strangers.
   Checksums are mended, so that tokens and frames get as far as they would. What
   can be read is replayed, with paths, all lines and counts. Counts must be a
   dump that can be read. */
#include "base/input.h"
#include "base/tool.h"
#include "report/model/history.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t get(const unsigned char *d, size_t at) {
    return (size_t)(d[at] | d[at + 1] << 8 | d[at + 2] << 16) | (size_t)d[at + 3] << 24;
}

static void put(unsigned char *d, size_t at, uint64_t value) {
    size_t i;
    for (i = 0; i < 8; i++) d[at + i] = (unsigned char)(value >> 8 * i);
}

static void mend(unsigned char *d, size_t size) {
    size_t tables, at, step;
    if (size < 64) return;
    tables = get(d, 24);
    if (tables < 64 || tables > size) return;
    put(d, 40, replay_check(replay_check(REPLAY_CHECK, d, 40), d + 64, tables - 64));
    step = get(d, 8);
    for (at = get(d, 32); step >= 1024 && at < size && size - at >= 64; at += step) {
        size_t used = get(d, at + 36);
        put(d, at + 24, replay_check(REPLAY_CHECK, d + at, 24));
        if (used < 64 || used > size - at) continue;
        put(d, at + 40, replay_check(REPLAY_CHECK, d + at + 64, used - 64));
    }
}

static void see(void *user, const history_stream *s, const history_line *l) {
    *(uint64_t *)user += s->number + l->line + strlen(l->file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *copy = (unsigned char *)tool_alloc(size + 1);
    history_wanted wanted = {SIZE_MAX, NULL, 1, see, NULL};
    uint64_t seen = 0;
    replay_file file;
    dump_fault fault;
    memcpy(copy, data, size);
    mend(copy, size);
    wanted.user = &seen;
    if (replay_take(&file, copy, size, &fault) == 0) {
        text part = {NULL, 0, 0};
        input in;
        history h;
        memset(&in, 0, sizeof in);
        history_make(&h, &file, &wanted);
        history_coverage(&h, &part);
        if (input_take(&in, "counts", &part) != TOOL_OK) abort();
        input_free(&in);
        text_free(&part);
        history_free(&h);
    }
    replay_free(&file);
    return 0;
}
