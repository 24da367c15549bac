/* exact_windows.h - the exact answers that `bursty-lab footprint --check`
   compares with, by other means than footprint.h: a true LRU list with markers
   at the depths that matter. */
#ifndef EXACT_WINDOWS_H
#define EXACT_WINDOWS_H
#include <stddef.h>
#include <stdint.h>

enum { EXACT_BINS = 330 }; /* window lengths below 2^43 */

typedef struct exact_block {
    uint64_t number;
    uint32_t place;
} exact_block;

typedef struct exact_place {
    uint32_t newer, older, block;
    uint64_t time;
} exact_place;

typedef struct exact_cell { uint64_t count, sum; } exact_cell;   /* of ages */

/* A marker, and the bin of its age. */
struct exact_row {
    uint64_t since, from, born, low, high;
    uint32_t place, bin;
};

typedef struct exact_windows {
    uint64_t now;
    uint64_t *depth; /* markers stand at these depths of the list, ascending */
    uint32_t depth_count, active; /* markers that have a place */
    exact_block *block; /* the first is not used */
    uint32_t blocks, block_room, *index;
    exact_place *place; /* a list from the oldest on; place 0 is its both ends */
    uint32_t places;
    struct exact_row *row;
    exact_cell *cells; /* EXACT_BINS for each marker */
    uint64_t *reuse; /* by the number of markers at the block's depth or above it */
    uint32_t moved; /* no marker from there on was moved by the latest access */
    uint64_t cold;
} exact_windows;

void exact_start(exact_windows *e, const uint64_t *depth, uint32_t depth_count);
void exact_access(exact_windows *e, uint64_t block);
/* Last access of the block at marker number i of the list; 0: there is none. */
uint64_t exact_time(const exact_windows *e, uint32_t i);
/* Windows whose length is in bin and which touch depth[i] blocks or more. */
uint64_t exact_at_least(const exact_windows *e, uint32_t i, uint32_t bin);
void exact_free(exact_windows *e);
#endif
