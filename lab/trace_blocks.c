/* trace_blocks.c - reads block traces: zigzag varints, with a thread byte in
   front of each or without. */
#include "lab/trace_blocks.h"
#include "base/tool.h"
#include <errno.h>
#include <string.h>

enum { LONGEST = 11 }; /* bytes of an access: thread, and a varint of 64 bits */

/* Moves what is left to the front and reads on. Returns 0 when the file cannot
   be read. */
static int refill(trace_blocks *t) {
    memmove(t->buffer, t->buffer + t->at, t->end - t->at);
    t->end -= t->at;
    t->at = 0;
    while (t->end < sizeof t->buffer) {
        size_t got = fread(t->buffer + t->end, 1, sizeof t->buffer - t->end, t->file);
        if (got == 0) return !ferror(t->file);
        t->end += got;
    }
    return 1;
}

/* Text has lines and no control characters; a trace has a 0 for each repeated
   block, and small numbers. */
static int is_text(const trace_blocks *t) {
    size_t i, most = t->end < 4096 ? t->end : 4096;
    int lines = 0;
    for (i = 0; i < most; i++) {
        unsigned char byte = t->buffer[i];
        if (byte == '\n') lines = 1;
        else if ((byte < ' ' && byte != '\t' && byte != '\r') || byte == 127) return 0;
    }
    return lines;
}

int trace_blocks_open(trace_blocks *t, const char *path, int threads, int only) {
    static const unsigned char zstd[4] = { 0x28, 0xB5, 0x2F, 0xFD },
                               xz[6] = { 0xFD, '7', 'z', 'X', 'Z', 0 };
    memset(t, 0, sizeof *t);
    t->name = strcmp(path, "-") == 0 ? "standard input" : path;
    t->threads = threads;
    t->only = only;
    t->file = strcmp(path, "-") == 0 ? tool_binary(stdin) : fopen(path, "rb");
    if (!t->file) return tool_error("%s: %s", path, strerror(errno));
    if (!refill(t)) {
        trace_blocks_close(t);
        return tool_error("%s: offset 0: cannot be read", t->name);
    }
    if (t->end >= 6 && (memcmp(t->buffer, zstd, 4) == 0 || memcmp(t->buffer, xz, 6) == 0)) {
        const char *unpack = t->buffer[0] == zstd[0] ? "zstd" : "xz";
        trace_blocks_close(t);
        return tool_error(
            "%s: offset 0: is compressed; `%s -dc %s | bursty-lab footprint ... -` reads it",
            t->name, unpack, t->name);
    }
    if (t->end == 0) {
        trace_blocks_close(t);
        return tool_error("%s: offset 0: is empty, not a block trace", t->name);
    }
    if (is_text(t)) {
        trace_blocks_close(t);
        return tool_error("%s: offset 0: is text, not a block trace (docs/formats.md)", t->name);
    }
    /* Magic, and a version and a kind of 16 bits, both below 256. */
    if (t->end >= 8 && memcmp(t->buffer, "BRST", 4) == 0 && !t->buffer[5] && !t->buffer[7]) {
        trace_blocks_close(t);
        return tool_error(
            "%s: offset 0: is a .brst file, not a block trace; `bursty report` reads it", t->name);
    }
    return TOOL_OK;
}

int trace_blocks_read(
    trace_blocks *t, uint64_t *block, unsigned char *thread, size_t room, size_t *got) {
    size_t count = 0;
    *got = 0;
    while (count < room) {
        size_t at, shift = 0;
        uint64_t value = 0;
        unsigned char byte = 0, from = 0;
        if (t->end - t->at < LONGEST && !refill(t)) {
            *got = count;
            return tool_error("%s: offset %llu: cannot be read", t->name,
                (unsigned long long)(t->offset + t->end));
        }
        at = t->at;
        if (at == t->end) break;
        if (t->threads) from = t->buffer[at++];
        do {
            if (at == t->end) {
                if (!t->cut)
                    tool_error("%s: offset %llu: the last access is cut short; the %llu before it "
                               "are kept",
                        t->name, (unsigned long long)t->offset, (unsigned long long)t->accesses);
                t->cut = 1;
                *got = count;
                return TOOL_OK;
            }
            byte = t->buffer[at++];
            if (shift == 63 && byte > 1) {
                *got = count;
                return tool_error("%s: offset %llu: a number of more than 64 bits; not a block "
                                  "trace%s, or damaged after %llu accesses",
                    t->name, (unsigned long long)t->offset, t->threads ? " of several threads" : "",
                    (unsigned long long)t->accesses);
            }
            value |= (uint64_t)(byte & 127) << shift;
            shift += 7;
        } while (byte & 128);
        t->last[from] += (value >> 1) ^ (0 - (value & 1));
        t->offset += at - t->at;
        t->at = at;
        t->accesses++;
        if (t->only != TRACE_BLOCKS_EVERY && t->only != from) continue;
        block[count] = t->last[from];
        if (thread) thread[count] = from;
        count++;
    }
    *got = count;
    return TOOL_OK;
}

void trace_blocks_close(trace_blocks *t) {
    if (t->file && t->file != stdin) fclose(t->file);
    t->file = NULL;
}
