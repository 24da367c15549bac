/* contexts.h - sums over bursts of a tree of calling contexts, for patch.c.
   docs/formats.md says what a reader makes of them. */
#ifndef CONTEXTS_H
#define CONTEXTS_H
#include "hcct.h"
#include <stddef.h>
#include <stdint.h>

/* Of one context, by the number of its node; y is how many calls it has in one
   burst (times the weight of an adaptive one), x how many all contexts have. x is
   known when the burst has ended, so the contexts of a burst are linked to one
   another and added up then. The tree may give a context up and use its node for
   another one: then the key or the parent differs, and the sums begin again. Each
   burst is in one of HCCT_GROUPS groups, which `seed` decides: how sums of contexts
   vary follows from these. */
typedef struct context_sums {
    uint64_t yy, xy;      /* of the bursts that have ended: y * y, x * y */
    uint32_t key, parent;
    uint32_t calls;       /* the sum of y, with this burst               */
    uint32_t bursts;      /* in which it was called, with this one       */
    uint32_t y;           /* in this burst so far                        */
    uint32_t link;        /* 0, or to another context of this burst      */
    uint32_t group[HCCT_GROUPS]; /* calls by groups, of the bursts that have ended */
} context_sums;

typedef struct contexts {               /* all zero but `nodes` and `seed`: empty */
    uint32_t nodes;                     /* so many have sums */
    uint32_t seed;                      /* of this thread of this process */
    uint32_t linked;                    /* the contexts of this burst: 1 + a node, or 0 */
    context_sums of[1];                 /* of all calls, and of nodes 1 to `nodes` */
} contexts;

size_t contexts_bytes(uint32_t nodes);
/* The call that was just entered, which counts as `weight`. */
void contexts_count(contexts *c, const hcct *tree, uint32_t key, uint32_t weight);
/* The burst ends. */
void contexts_burst(contexts *c);
/* For hcct_config.sums; user: a contexts. */
void contexts_numbers(void *user, uint32_t node, uint64_t *numbers);
#endif
