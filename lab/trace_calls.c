/* trace_calls.c - decoding of call traces. Nothing that a trace says is
   believed before it has been read. */
#include "lab/trace_calls.h"
#include "base/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 18, EVENT_MAX = 7 };

static void say(trace_calls *t, uint64_t offset, const char *what) {
    if (t->error[0]) return;
    snprintf(t->error, sizeof t->error, "offset %lu: %s", (unsigned long)offset, what);
}

/* Moves what is left to the front and fills up. Returns the bytes there. */
static size_t fill(trace_calls *t) {
    memmove(t->bytes, t->bytes + t->at, t->have - t->at);
    t->offset += t->at;
    t->have -= t->at;
    t->at = 0;
    t->have += fread(t->bytes + t->have, 1, BUFFER - t->have, t->file);
    if (ferror(t->file)) say(t, t->offset + t->have, "cannot be read");
    return t->have;
}

/* What stands in front instead of a header. */
static void say_no_trace(trace_calls *t) {
    static const char *const packers[3] = {"zstd", "xz", "gzip"};
    static const unsigned char magic[3][2] = {{0x28, 0xB5}, {0xFD, 0x37}, {0x1F, 0x8B}};
    char text[100];
    int i;
    for (i = 0; i < 3; i++)
        if (t->have > 1 && t->bytes[0] == magic[i][0] && t->bytes[1] == magic[i][1]) {
            snprintf(text, sizeof text,
                     "is compressed; read it by `%s -dc FILE | bursty-lab hcct ... -`",
                     packers[i]);
            say(t, 0, text);
        }
    say(t, 0, "no call trace (docs/formats.md): it does not begin with 0xABADCAFE");
}

int trace_calls_open(trace_calls *t, const char *path, int *odd) {
    static const char *const field[3] = {"enters", "exits", "ticks"};
    uint64_t counts[3];
    int i;
    memset(t, 0, sizeof *t);
    *odd = 0;
    t->name = strcmp(path, "-") == 0 ? "standard input" : path;
    t->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!t->file) {
        snprintf(t->error, sizeof t->error, "%s", strerror(errno));
        return -1;
    }
    t->bytes = (unsigned char *)tool_alloc(BUFFER);
    if (fill(t) < TRACE_CALLS_HEADER) {
        if (t->have < 4 || trace_u32(t->bytes) == TRACE_CALLS_MAGIC)
            say(t, t->have, "the header is cut short (40 bytes are needed)");
        else say_no_trace(t);
        return -1;
    }
    if (trace_u32(t->bytes) != TRACE_CALLS_MAGIC) {
        say_no_trace(t);
        return -1;
    }
    for (i = 0; i < 3; i++) {
        const unsigned char *field_bytes = t->bytes + 4 + 8 * i;
        counts[i] = trace_u32(field_bytes) | (uint64_t)trace_u32(field_bytes + 4) << 32;
    }
    t->enters = counts[0];
    t->exits = counts[1];
    t->ticks = counts[2];
    t->tick_us = trace_u32(t->bytes + 36);
    t->at = TRACE_CALLS_HEADER;
    for (i = 0; i < 3 && !*odd; i++)
        if (counts[i] >> 48) {
            char text[64];
            snprintf(text, sizeof text, "the header's number of %s is absurd", field[i]);
            say(t, 4 + 8 * (uint64_t)i, text);
            *odd = 1;
        }
    if (!*odd && t->exits > t->enters) {
        say(t, 12, "the header counts more exits than enters");
        *odd = 1;
    }
    t->slot_count = 1024;
    t->slots = (struct trace_key *)tool_alloc(t->slot_count * sizeof *t->slots);
    return 0;
}

static size_t slot_of(const trace_calls *t, uint64_t id) {
    size_t at = (size_t)((id * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (t->slot_count - 1);
    while (t->slots[at].id && t->slots[at].id != id) at = (at + 1) & (t->slot_count - 1);
    return at;
}

static uint32_t new_key(trace_calls *t, uint64_t id) {
    uint64_t routine = (id - 1) >> 16 | UINT64_C(1) << 63;
    size_t at;
    if (2 * (t->key_count + t->routine_count + 1) >= t->slot_count) {
        struct trace_key *old = t->slots;
        uint32_t i, count = t->slot_count;
        t->slot_count *= 2;
        t->slots = (struct trace_key *)tool_alloc(t->slot_count * sizeof *t->slots);
        for (i = 0; i < count; i++)
            if (old[i].id) t->slots[slot_of(t, old[i].id)] = old[i];
        free(old);
    }
    at = slot_of(t, routine);
    if (!t->slots[at].id) {
        t->slots[at].id = routine;
        t->routine_count++;
    }
    at = slot_of(t, id);
    t->slots[at].id = id;
    return t->slots[at].key = ++t->key_count;
}

size_t trace_calls_read(trace_calls *t, uint32_t *events, size_t max) {
    size_t n = 0;
    while (n < max) {
        const unsigned char *p;
        if (t->have - t->at < EVENT_MAX && fill(t) == 0) break;
        p = t->bytes + t->at;
        if (*p == 5) {
            uint64_t id;
            size_t slot;
            if (t->have - t->at < 7) {
                say(t, t->offset + t->at, "the trace is cut short in an enter event");
                return n;
            }
            if (t->seen_enters == t->enters) {
                say(t, t->offset + t->at, "more enters than the header counts");
                return n;
            }
            id = ((uint64_t)trace_u32(p + 1) << 16 | (uint64_t)p[6] << 8 | p[5]) + 1;
            slot = slot_of(t, id);
            events[n++] = t->slots[slot].id ? t->slots[slot].key : new_key(t, id);
            t->seen_enters++;
            t->at += 7;
        } else if (*p == 1) {
            if (t->seen_exits == t->seen_enters) {
                say(t, t->offset + t->at, "an exit below the root: nothing is entered here");
                return n;
            }
            if (t->seen_exits == t->exits) {
                say(t, t->offset + t->at, "more exits than the header counts");
                return n;
            }
            events[n++] = TRACE_EXIT;
            t->seen_exits++;
            t->at++;
        } else if (*p == 4) {
            events[n++] = TRACE_TICK;
            t->seen_ticks++;
            t->at++;
        } else {
            say(t, t->offset + t->at, "no event begins with this byte");
            return n;
        }
    }
    if (n == 0 && !t->error[0] && (t->seen_enters != t->enters || t->seen_exits != t->exits)) {
        char text[120];
        snprintf(text, sizeof text, "the trace ends after %lu of %lu enters and %lu of %lu exits",
                 (unsigned long)t->seen_enters, (unsigned long)t->enters,
                 (unsigned long)t->seen_exits, (unsigned long)t->exits);
        say(t, t->offset + t->have, text);
    }
    return n;
}

void trace_calls_close(trace_calls *t) {
    if (t->file && t->file != stdin) fclose(t->file);
    free(t->bytes);
    free(t->slots);
    t->bytes = NULL;
    t->slots = NULL;
}
