/* interleave.h - when each thread made how many accesses, for how threads take turns
   (All-Window Profiling, section 2). Written as a .brst part of kind 29:
   docs/formats.md.

   A row is a span of time and the accesses that a thread made in it, anywhere; or,
   if it waited once and ran for `edge` in all, not further than that from one of
   its ends. A new row begins whenever the thread's buffer is read. If there is no
   room, two rows become one, and so on in halves: nothing is lost, and spans
   become longer. */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H
#include <stddef.h>
#include <stdint.h>

enum { INTERLEAVE_KIND = 29, INTERLEAVE_VERSION = 1, INTERLEAVE_ROWS = 1 << 14 };

typedef struct interleave_row { uint64_t from_ns, to_ns, accesses, edge_ns; } interleave_row;

typedef struct interleave_log {      /* all zero: empty */
    uint32_t used, per;     /* a row is of 1 + per spans, */
    uint32_t in_last;       /* and the last one of so many more */
    interleave_row rows[INTERLEAVE_ROWS];
} interleave_log;

/* So many accesses in that time, which begins where the last one ended or
   later. edge_ns 0: anywhere. */
void interleave_add(interleave_log *t, uint64_t from_ns, uint64_t to_ns, uint64_t accesses,
                    uint64_t edge_ns);
/* Writes what all threads did as a part. Returns 0, or -1. */
int interleave_write(const interleave_log *const *threads, uint32_t count, const char *program,
                int (*write)(void *user, const void *data, size_t size), void *user);
#endif
