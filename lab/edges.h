/* edges.h - what `bursty-lab edges` does to one function: plan, hide what is
   not counted, derive, compare. */
#ifndef EDGES_H
#define EDGES_H
#define EDGEPROF_WIDE
#include "edgeprof.h"
#include "lab/cfg.h"

enum { EDGES_EPROF, EDGES_VPROF_E, EDGES_VPROF_V, EDGES_TRACE, EDGES_BITS }; /* problems */

typedef struct edges_options {
    int problem;
    int exact;          /* weights: the file's own counts, the best that any plan can do */
    const cfg *earlier; /* weights: the counts of this file; NULL: by loop nesting */
    int minimum;        /* the minimum spanning tree */
} edges_options;

typedef struct edges_result {
    uint64_t functions, exact_functions, edges, counters, counters_minimum;
    uint64_t updates, blocks;
    uint64_t jumps;   /* updates on critical edges, which need a block of their own */
    uint64_t bits;    /* of bit tracing */
    uint64_t matched; /* functions that `earlier` had counts for */
    uint64_t gcov_counters, gcov_updates;
    uint64_t planning_ns;
} edges_result;

/* A function's plan, and the true counts of its edges, stay edges among
   them. */
typedef struct edges_plan {
    edgeplan plan;
    void *memory;
    uint64_t *count; /* plan.edges + 1; the last is X */
    uint64_t *early; /* without the vertices that have a stay edge */
} edges_plan;

/* Makes the graph ready and weighs it. Returns a TOOL_ status after a
   message. */
int edges_open(edges_plan *p, const cfg *c, const cfg_function *f);
void edges_close(edges_plan *p);
/* Plans one function by these options, derives, compares, and adds to the
   result. Returns a TOOL_ status. */
int edges_replay(const edges_options *o, const cfg *c, const cfg_function *f, edges_result *sum);
/* The order for f: the counts to sort by are in *order, whose array the caller
   frees; matched: were there any? */
int edges_order(const edges_options *o, const edges_plan *p, const cfg_function *f,
                edgeplan_order *order, uint64_t **counts);
uint32_t edges_bits(uint32_t ways); /* ceil(log2 ways) */

/* A trace of blocks (kind T), in edges_trace.c. */
int lab_edges_trace(const char *path, const edges_options *o, int json);
int edges_is_trace(const char *path, int *is_trace);

typedef struct edges_traced {
    uint64_t witnesses, bits, regenerated, mismatches, enters, leaves, resumes, unmatched;
} edges_traced;

/* The same for events[0..size), which are written to and have room for one more
   byte. Takes the graphs over and leaves an empty cfg. Returns a TOOL_ status
   after a message. */
int edges_trace(const char *path, cfg *graphs, char *events, size_t size,
                const edges_options *options, edges_result *r, edges_traced *traced);

void edges_print(const edges_options *o, const edges_result *r, const edges_traced *traced,
                 int json);
#endif
