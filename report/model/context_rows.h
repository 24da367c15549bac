/* context_rows.h - intervals of the tables of functions and pairs, for contexts
   of the same bursts.

   Rows of these tables keep how their calls and all calls go together in a
   burst (xy of record 8, docs/formats.md); trees of contexts do not. So where a
   tree and the tables come from the same bursts, a function's calls have a
   narrower interval in its row, and the same number must not stand in two
   tables with two intervals. */
#ifndef MODEL_CONTEXT_ROWS_H
#define MODEL_CONTEXT_ROWS_H
#include "report/kinds/contexts.h"
#include "report/kinds/sampled.h"
#include "report/model/interval.h"

typedef struct context_rows context_rows;

/* Returns NULL unless tables and tree have the same calls. */
context_rows *context_rows_make(const contexts *c, const contexts_tree *tree, const tally *s);
/* The interval of the share of `calls` recorded calls of a function, by all of
   its callers (caller 0) or by one; low < 0 unless its row has just these
   calls. */
interval context_rows_find(const context_rows *rows, uint32_t caller, uint32_t callee,
                           uint64_t calls);
/* May be NULL. */
void context_rows_free(context_rows *rows);
#endif
