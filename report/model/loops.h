/* loops.h - hot data streams that are slices of one loop become one row. */
#ifndef MODEL_LOOPS_H
#define MODEL_LOOPS_H
#include "report/kinds/streams.h"

typedef struct loops_row {
    size_t stream; /* the hottest of the row that has a round of the loop, or more */
    size_t streams;                               /* how many are in it */
    uint32_t period; /* references of a round; of one stream its length */
    uint64_t heat;
} loops_row;

/* Fills rows[0 .. hot) at most from the first `hot` streams of a sorted part.
   Returns how many rows there are, hottest first. */
size_t loops_fold(const streams_part *p, size_t hot, loops_row *rows);

/* How often sites[0 .. count) begins with a group that comes again at once, and
   how long that group is: 1 and 1 if there is none. */
uint32_t loops_repeats(const uint32_t *sites, uint32_t count, uint32_t *group);
#endif
