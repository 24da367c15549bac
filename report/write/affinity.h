/* affinity.h - what follows what in the trees of a report: callees after
   callers, references after references. */
#ifndef AFFINITY_H
#define AFFINITY_H
#include "base/hash.h"
#include "report/model/report.h"

typedef struct affinity_edge { uint32_t a, b; uint64_t weight; } affinity_edge;

typedef struct affinity {
    const char **names;                           /* one for each node; they belong to the report */
    uint64_t *heat;                               /* of each node: the counts at and below it */
    size_t name_count, name_room;
    affinity_edge *edges;                         /* heaviest first; a < b, and each pair once */
    size_t edge_count, edge_room;
    hash_table places;                            /* of the names */
} affinity;

/* Adds a tree to what is all zero at first. */
void affinity_add(affinity *a, const report_tree *tree);
/* Adds up and sorts; once, after the last tree. */
void affinity_settle(affinity *a);
void affinity_free(affinity *a);
#endif
