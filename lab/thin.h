/* thin.h - which checks of a recorded program are left by a set of rules, and
   which references are not recorded (bursty-tracing, section 4 and Figure 8). */
#ifndef THIN_H
#define THIN_H
#include "lab/trace_refs.h"
#include <stddef.h>
#include <stdint.h>

typedef struct thin_function {
    uint64_t address;
    uint32_t distance, component, loops;
    unsigned char is_leaf, is_root, is_below, repeats, has_check;
} thin_function;

enum { THIN_EVENTS = 64, THIN_CALLEES = 16 };

typedef struct thin_loop {
    uint64_t head, function;
    uint32_t iterations; /* whole ones; a loop without any is left as it is */
    uint32_t events, callees; /* different ones; THIN_EVENTS, THIN_CALLEES: too many */
    uint64_t pc[THIN_EVENTS];
    uint32_t callee[THIN_CALLEES];
    unsigned char is_boring, has_check;
} thin_loop;

typedef struct thin_plan {
    thin_function *functions;
    size_t function_count;
    uint32_t *caller, *callee; /* of each pair: numbers of functions; caller UINT32_MAX: unknown */
    size_t pair_count;
    thin_loop *loops;
    size_t loop_count;
    unsigned char *left_out; /* of each row of references: not recorded */
    uint32_t entries_left, loops_left, boring;
} thin_plan;

/* Reads NAME.refs, NAME.pairs and
   NAME.loops. table: the references' rows. Returns a TOOL_ status, after a
   message. */
int thin_read(thin_plan *p, const char *refs, const trace_refs_row *rows, size_t row_count);
/* Leaves the checks that the rules leave: words with + between them. Returns a
   TOOL_ status, after a message. */
int thin_choose(thin_plan *p, const char *rules, const trace_refs_row *rows, size_t row_count);
void thin_free(thin_plan *p);
#endif
