/* trace.h - witnesses of the path that a program takes, written by the program
   into a file while it runs (cc/inside/trace.c). The graph is that of coverage;
   which edges have a witness, edgeplan_witnesses says. */
#ifndef CC_TRACE_H
#define CC_TRACE_H
#include "cc/put/cover.h"
#define EDGEPROF_WIDE
#include "edgeprof.h"

/* The functions of a file that are traced, and the vertices of each that call
   something. */
typedef struct cc_traced {
    uint32_t count, room;
    uint32_t *call_at;        /* of function i: call[call_at[i]] .. call[call_at[i + 1] - 1] */
    uint32_t *call;
    uint32_t calls, call_room;
} cc_traced;

/* edge_of, vertex_of: the numbers of the plan's edges in the graph, and of the
   graph's vertices in the plan. */
void cc_trace_plan(const cc_cfg *g, const uint32_t *edge_of, const uint32_t *vertex_of,
                   uint32_t edges, edgeplan *plan);
/* Returns the number of the function in its file. */
uint32_t cc_trace_keep(cc_traced *t, const cc_cfg *g, const uint32_t *vertex_of);
void cc_trace_part(const cc_traced *t, uint64_t key, text *part);
void cc_trace_free(cc_traced *t);

/* The expressions that write. table: the name that begins those of the unit. */
void cc_trace_enter(text *out, const char *table, uint32_t function);
void cc_trace_witness(text *out, const char *table, uint32_t function, uint32_t witness);
/* The declarations that they need. */
void cc_trace_front(text *front, const char *table, const cc_request *request, uint64_t key,
                    uint32_t functions, uint32_t vertices);
#endif
