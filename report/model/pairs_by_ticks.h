/* pairs_by_ticks.h - who calls whom, by time. */
#ifndef MODEL_PAIRS_BY_TICKS_H
#define MODEL_PAIRS_BY_TICKS_H
#include "report/model/report.h"

/* Adds a table with a row for each pair of a scope and the scope around it: the
   time of the inner one, with what it calls, while the outer one is its caller.
   tree: whole stacks, counted in ticks. Pairs below least_share (0 to 1) are
   left out. */
void report_add_pairs_by_ticks(report *r, const report_tree *tree, double least_share);

#endif
