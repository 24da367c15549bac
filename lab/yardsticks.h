/* yardsticks.h - Space-Saving as the papers write it down, to measure hcct.h
   against: one context is evicted at a time, found by the lazy scan of Figure 5
   or in the ordered bucket list of Metwally et al. The bounds, the pruning of
   Figure 4 and what is kept of an evicted caller are those of hcct.h. For
   `bursty-lab hcct` and the benchmark. Memory grows as it must. */
#ifndef YARDSTICKS_H
#define YARDSTICKS_H
#include <stddef.h>
#include <stdint.h>

enum { YARDSTICK_LAZY, YARDSTICK_BUCKET };

typedef struct yardstick_node {
    uint64_t count; /* UINT64_MAX: cold, or free */
    uint64_t error; /* of a cold node: what was certain when it was evicted */
    uint32_t key, parent, children;
    uint32_t hash_next;                    /* in its chain; of a free node: the next free one */
    uint32_t same_next, same_prev, bucket; /* in the bucket list */
} yardstick_node;

/* Buckets in order of count, each with its nodes:

        first -> 3 <-> 4 <-> 9
                 |     |     |
                a,b    c    d,e */
typedef struct yardstick_bucket {
    uint64_t count;
    uint32_t prev, next, first;
} yardstick_bucket;

typedef struct yardstick {
    int kind;
    yardstick_node *nodes; /* 0 is the root */
    yardstick_bucket *buckets;
    uint32_t *heads; /* hash of parent and key: chains of nodes */
    uint32_t room, used, free_list, live;
    uint32_t bucket_room, bucket_used, bucket_free, bucket_first;
    uint32_t monitored, monitored_max, cursor;
    uint32_t lazy_at; /* nothing in front of it has count lazy_min */
    uint64_t lazy_min, total, base, visits;
} yardstick;

void yardstick_open(yardstick *y, int kind, uint32_t monitored);
void yardstick_close(yardstick *y);
void yardstick_enter(yardstick *y, uint32_t key, uint64_t weight); /* weight 0 only goes there */
void yardstick_leave(yardstick *y);
void yardstick_return_to_root(yardstick *y);
int yardstick_is_free(const yardstick *y, uint32_t node);
#endif
