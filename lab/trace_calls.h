/* trace_calls.h - reads call traces (docs/formats.md, "Call traces") block by
   block, from a file or standard input. */
#ifndef TRACE_CALLS_H
#define TRACE_CALLS_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TRACE_CALLS_MAGIC 0xABADCAFEu
#define TRACE_CALLS_HEADER 40

/* Decoded events: an exit, a tick, or else the key of the (routine, site) that
   is entered, from 1 up. */
enum { TRACE_EXIT = 0 };
#define TRACE_TICK UINT32_MAX

struct trace_key {
    uint64_t id; /* routine << 16 | site, + 1 */
    uint32_t key;
};

typedef struct trace_calls {
    FILE *file;
    const char *name;
    unsigned char *bytes; /* bytes[at..have) is not yet decoded; bytes[0] stands at `offset` */
    size_t at, have;
    uint64_t offset;
    uint64_t enters, exits, ticks; /* what the header promises */
    uint32_t tick_us;
    uint64_t seen_enters, seen_exits, seen_ticks;
    struct trace_key *slots;
    uint32_t slot_count, key_count;
    uint32_t routine_count; /* distinct routines stand among the slots too, with key 0 */
    char error[160];        /* why reading stopped; empty: it did not, or at the proper end */
} trace_calls;

/* 0, or -1 and t->error. The trace can be read (up to where it is broken) even
   if the header is absurd: then only *odd. */
int trace_calls_open(trace_calls *t, const char *path, int *odd);
size_t trace_calls_read(trace_calls *t, uint32_t *events, size_t max); /* 0: the end, or t->error */
void trace_calls_close(trace_calls *t);

static inline uint32_t trace_u32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline void trace_put(unsigned char *p, uint64_t value, int bytes) {
    for (; bytes > 0; bytes--, value >>= 8) *p++ = (unsigned char)(value & 255);
}
#endif
