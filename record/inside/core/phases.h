/* phases.h - where the misses of the smallest cache came from, over the run: for
   the phases that model/phases.c finds in it. Parts of kind 16.

   The run is a row of slices, each with its accesses, its misses, and the 16
   functions that missed first in it. When all 64 are full, neighbours become one,
   and from there on a slice takes twice as many bursts:

       | 1 | 2 | 3 | 4 | ... | 64 |  ->  | 1 2 | 3 4 | ... | 63 64 |   |   | ... */
#ifndef PHASES_H
#define PHASES_H
#include <stddef.h>
#include <stdint.h>

enum { PHASES_KIND = 16, PHASES_VERSION = 1, PHASES_SLICES = 64, PHASES_FUNCTIONS = 16 };
enum { PHASES_PIECE = 1 << 16 };        /* accesses of a burst, where there are none */

typedef struct phases_slice {
    uint64_t accesses, misses;          /* misses of functions that found no room, too */
    struct { uint64_t function, misses; } of[PHASES_FUNCTIONS];
} phases_slice;

typedef struct phases {
    uint32_t count, pieces, of_slice;   /* slices that are full; bursts in the next; of a slice */
    phases_slice at[PHASES_SLICES];
} phases;

/* All zero: empty. A miss of a function, in the burst that phases_end ends. */
void phases_miss(phases *p, uint64_t function);
void phases_end(phases *p, uint64_t accesses);
/* Writes a part. open: accesses behind the last phases_end, whose misses were
   told already. name: of a function, or NULL. Returns 0, or -1. */
int phases_write(const phases *p, uint64_t open, const char *program,
                 const char *(*name)(void *user, uint64_t function), void *name_user,
                 int (*write)(void *user, const void *data, size_t size), void *user);
#endif
