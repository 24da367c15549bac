/* stacks_by_ticks.c - from a tree of ticks to its hottest stacks. */
#include "report/model/stacks_by_ticks.h"
#include "base/tool.h"
#include "report/model/interval.h"
#include "report/model/paths.h"
#include <math.h>
#include <stdlib.h>

enum { ROWS_SHOWN = 10 };

typedef struct hot_stack {
    uint64_t ticks;
    uint32_t node;
} hot_stack;

static int compare_stacks(const void *left, const void *right) {
    const hot_stack *a = (const hot_stack *)left, *b = (const hot_stack *)right;
    if (a->ticks != b->ticks) return a->ticks > b->ticks ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

void report_add_stacks_by_ticks(report *r, const report_tree *tree, double least_share) {
    static const report_column columns[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "unknown"},
        {"share_high", "to", REPORT_SHARE, 0, "unknown"},
        {"ticks", "ticks", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"stack", "stack", REPORT_PATH, 0, NULL},
    };
    hot_stack *hot = (hot_stack *)tool_alloc(tree->count * sizeof *hot);
    uint32_t *nodes = (uint32_t *)tool_alloc(tree->count * sizeof *nodes), i;
    report_table *table;
    size_t k, count = 0, kept = 0;
    double all = 0, squares = 0;
    for (i = 1; i < tree->count; i++) {
        all += (double)tree->lower[i];
        squares += tree->squares[i];
        if (tree->lower[i] == 0) continue; /* only on the way to others */
        hot[count].ticks = tree->lower[i];
        hot[count++].node = i;
    }
    if (count) qsort(hot, count, sizeof *hot, compare_stacks);
    while (kept < count && (double)hot[kept].ticks >= least_share * all) kept++;
    table = report_add_table(r, "stack_time", "hot stacks: time by ticks", columns,
                             sizeof columns / sizeof *columns);
    report_remark(table, "Time of the last function of a stack alone, while the others called it.");
    for (k = 0; k < kept && (k < ROWS_SHOWN || r->options.wants_all_rows); k++) {
        double share = (double)hot[k].ticks / all;
        const double part = interval_part_of_worth((double)hot[k].ticks, tree->squares[hot[k].node], all, squares);
        interval range = interval_wilson(share, tree->effective * part);
        report_cell *row = report_add_row(table);
        row[0].real = share;
        row[1].real = range.low < 0 ? REPORT_NONE : range.low;
        row[2].real = range.low < 0 ? REPORT_NONE : range.high;
        row[3].count = hot[k].ticks;
        row[4].node = nodes[k] = hot[k].node;
    }
    table->rows_shown = ROWS_SHOWN;
    table->rows_more = kept - table->rows;
    table->rows_left_out = count - kept;
    table->paths = report_paths_make(tree, nodes, table->rows);
    free(hot);
    free(nodes);
}
