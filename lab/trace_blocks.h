/* trace_blocks.h - reads block traces (docs/formats.md): zigzag varints, with a
   thread byte in front of each or without. */
#ifndef TRACE_BLOCKS_H
#define TRACE_BLOCKS_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TRACE_BLOCKS_BUFFER = 1 << 16, TRACE_BLOCKS_EVERY = -1 };

typedef struct trace_blocks {
    const char *name; /* of the file, for messages */
    FILE *file;
    int threads, only; /* has thread bytes; the only thread wanted, or TRACE_BLOCKS_EVERY */
    uint64_t offset,
        accesses; /* of the byte after the last access read; accesses read of all threads */
    uint64_t last[256]; /* block each thread accessed last; [0] without threads */
    int cut; /* the file ends within an access */
    size_t at, end;
    unsigned char buffer[TRACE_BLOCKS_BUFFER];
} trace_blocks;

/* path "-" is standard input. Returns a TOOL_ status, after a message. */
int trace_blocks_open(trace_blocks *t, const char *path, int threads, int only);
/* The next accesses, at most `room`; thread may be NULL. *got 0: end. Returns a
   TOOL_ status, after a message; what came before a fault has been delivered
   then. A cut last access is told once and is no fault. */
int trace_blocks_read(
    trace_blocks *t, uint64_t *block, unsigned char *thread, size_t room, size_t *got);
void trace_blocks_close(trace_blocks *t);
#endif
