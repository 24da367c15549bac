/* pairs_by_ticks.c - from stacks counted in ticks to the time of each pair of
   caller and callee. */
#include "report/model/pairs_by_ticks.h"
#include "base/tool.h"
#include "report/model/interval.h"
#include "report/model/paths.h"
#include <math.h>
#include <stdlib.h>

enum { ROWS_SHOWN = 10 };

typedef struct timed_pair {
    uint32_t caller, callee; /* places in tree->names */
    uint32_t node;           /* before edges are one pair: the tree's node of the callee */
    uint32_t open;           /* how often it is on the stack */
    uint64_t ticks;          /* of the callee and below it, once a stack */
    double squares;
} timed_pair;

static int compare_edges(const void *left, const void *right) {
    const timed_pair *a = (const timed_pair *)left, *b = (const timed_pair *)right;
    if (a->caller != b->caller) return a->caller < b->caller ? -1 : 1;
    if (a->callee != b->callee) return a->callee < b->callee ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static int compare_ticks(const void *left, const void *right) {
    const timed_pair *a = (const timed_pair *)left, *b = (const timed_pair *)right;
    if (a->ticks != b->ticks) return a->ticks > b->ticks ? -1 : 1;
    return compare_edges(left, right);
}

static uint64_t add(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

/* One entry of pairs for each pair; pair_of says which one a node's edge is.
   Outermost scopes have no caller. Returns how many pairs there are. */
static size_t make_pairs(const report_tree *tree, timed_pair *pairs, uint32_t *pair_of) {
    size_t i, edges = 0, count = 0;
    for (i = 1; i < tree->count; i++) {
        if (!tree->parent[i]) continue;
        pairs[edges].caller = tree->name[tree->parent[i]];
        pairs[edges].callee = tree->name[i];
        pairs[edges++].node = (uint32_t)i;
    }
    if (edges) qsort(pairs, edges, sizeof *pairs, compare_edges);
    for (i = 0; i < edges; i++) {
        timed_pair edge = pairs[i];
        if (count == 0 || pairs[count - 1].caller != edge.caller ||
            pairs[count - 1].callee != edge.callee) {
            pairs[count++] = edge;
        }
        pair_of[edge.node] = (uint32_t)count - 1;
    }
    return count;
}

/* A pair that a stack has twice gets the time below its outermost call alone.
   Returns all ticks. */
static uint64_t add_ticks(const report_tree *tree, timed_pair *pairs, const uint32_t *pair_of,
                          double *all_squares) {
    uint64_t *below = (uint64_t *)tool_alloc(tree->count * sizeof *below), all;
    double *squares = (double *)tool_alloc(tree->count * sizeof *squares);
    uint32_t i, at = 0;
    for (i = (uint32_t)tree->count - 1; i; i--) {
        below[i] = add(below[i], tree->lower[i]);
        below[tree->parent[i]] = add(below[tree->parent[i]], below[i]);
        squares[i] += tree->squares[i];
        squares[tree->parent[i]] += squares[i];
    }
    for (i = 1; i < tree->count; at = i++) {
        timed_pair *pair = &pairs[pair_of[i]];
        for (; at != tree->parent[i]; at = tree->parent[at]) {
            if (tree->parent[at]) pairs[pair_of[at]].open--;
        }
        if (!tree->parent[i] || pair->open++ != 0) continue;
        pair->ticks = add(pair->ticks, below[i]);
        pair->squares += squares[i];
    }
    all = below[0];
    *all_squares = squares[0];
    free(below);
    free(squares);
    return all;
}

void report_add_pairs_by_ticks(report *r, const report_tree *tree, double least_share) {
    static const report_column columns[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "unknown"},
        {"share_high", "to", REPORT_SHARE, 0, "unknown"},
        {"ticks", "ticks", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"caller", "caller", REPORT_NAME, 0, NULL},
        {"callee", "callee", REPORT_NAME, 0, NULL},
    };
    timed_pair *pairs = (timed_pair *)tool_alloc(tree->count * sizeof *pairs);
    uint32_t *pair_of = (uint32_t *)tool_alloc(tree->count * sizeof *pair_of);
    size_t i, count = make_pairs(tree, pairs, pair_of);
    double squares = 0;
    uint64_t all = add_ticks(tree, pairs, pair_of, &squares);
    report_table *table;
    if (count) {
        qsort(pairs, count, sizeof *pairs, compare_ticks);
        table = report_add_table(r, "pair_time", "callers and callees: time by ticks", columns,
                                 sizeof columns / sizeof *columns);
        table->rows_shown = ROWS_SHOWN;
        report_remark(table, "Time of the callee, with what it calls, while this caller called it.");
        for (i = 0; i < count; i++) {
            double share = all ? (double)pairs[i].ticks / (double)all : 0;
            const double part = interval_part_of_worth((double)pairs[i].ticks, pairs[i].squares,
                                                       (double)all, squares);
            interval range = interval_wilson(share, tree->effective * part);
            report_cell *row;
            if (share < least_share) {
                table->rows_left_out++;
                continue;
            }
            row = report_add_row(table);
            row[0].real = share;
            row[1].real = range.low < 0 ? REPORT_NONE : range.low;
            row[2].real = range.low < 0 ? REPORT_NONE : range.high;
            row[3].count = pairs[i].ticks;
            row[4].name = report_keep(r, report_frame(tree, pairs[i].caller));
            row[5].name = report_keep(r, report_frame(tree, pairs[i].callee));
        }
    }
    free(pairs);
    free(pair_of);
}
