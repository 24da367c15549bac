/* stacks_by_ticks.h - the stacks that most of the time was spent in. */
#ifndef MODEL_STACKS_BY_TICKS_H
#define MODEL_STACKS_BY_TICKS_H
#include "report/model/report.h"

/* Adds a table of the hottest stacks of a tree, which is in ticks: the ticks of
   --collapsed, as shares of the time with their intervals. */
void report_add_stacks_by_ticks(report *r, const report_tree *tree, double least_share);
#endif
