/* missed.h - misses by calling context: a tree like that of calls, in which a
   context weighs what it misses in the smallest cache. The tree of calls gives
   contexts up that are seldom called, and those may miss most. */
#ifndef MISSED_H
#define MISSED_H
#include "contexts.h"
#include "recorder.h"

typedef struct missed_tree {
    hcct tree;
    contexts *sums;                         /* over bursts, or NULL */
    uint32_t depth;                         /* of the tree's running context, */
    uint32_t keys[RECORDER_DEPTH + 1];      /* which is this path */
} missed_tree;

/* Returns how many bytes missed_init wants. They must be zero. */
size_t missed_bytes(void);
missed_tree *missed_init(void *memory, contexts *sums);
/* A miss of the function with that key, below these calls, outermost first. */
void missed_add(missed_tree *m, const recorder_frame *frames, uint32_t count, uint32_t function);
/* Writes the tree as a part of kind 2 of the unit "misses", if there is any.
   Returns 0, or -1. */
int missed_write(const missed_tree *m, hcct_write_fn write, void *user);
#endif
