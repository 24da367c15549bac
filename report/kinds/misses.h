/* misses.h - misses by function and object (parts of kind 13), added up over
   threads, files and runs. */
#ifndef KINDS_MISSES_H
#define KINDS_MISSES_H
#include "base/kind.h"

enum { MISSED_WHOLE = 1 };                        /* flags: every access was seen */
/* What a row is of. */
enum { MISSED_FUNCTION = 1, MISSED_OBJECT = 2, MISSED_PAIR = 3, MISSED_SITE = 4 };

/* Sums over bursts: docs/formats.md. y: the row's misses of a burst, x: all. */
typedef struct missed_sums { uint64_t misses, unknown, bursts, yy, xy; } missed_sums;

typedef struct missed_row {
    uint32_t what;
    char *name;                                   /* of the function, the object or the site */
    char *other; /* of a pair the object, of a site the function; else "" */
    char *place;  /* of a site: FILE:LINE; or a file, a tab and an address in it; or empty */
    missed_sums *at;                              /* one for each size */
} missed_row;

typedef struct missed_size {
    uint64_t bytes, misses, unknown, bursts, xx, xr;   /* r: accesses that were judged */
    char *label;
} missed_size;

typedef struct missed_part {
    char *program;
    uint32_t flags, every, burst;
    uint64_t bursts, accesses, counted, rr, cut, lost;
    missed_size *sizes;
    size_t size_count;
    missed_row *rows;                             /* what, then by name */
    size_t row_count, row_room;
} missed_part;

typedef struct missed_parts {
    missed_part *parts;
    size_t count;
} missed_parts;

/* Writes what has been read or settled, as one part. */
void missed_write(const missed_part *p, text *out);

extern const part_kind kind_misses;               /* its state is missed_parts */
#endif
