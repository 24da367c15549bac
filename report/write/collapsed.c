/* collapsed.c - one stack a line, `outer;inner N`: what flamegraph.pl,
   speedscope and others read. They are whole stacks if the report has
   them, else pairs of caller and callee: both together would count the same calls
   twice. N has one unit: ticks, if there are any, or calls; --by chooses. Standard
   error says which, if there was a choice.

   Stacks are whole, and lines go out as they are made. */
#include "base/tool.h"
#include "report/model/report.h"
#include "report/write/stacks.h"
#include <stdlib.h>
#include <string.h>

static void add_count(text *out, const report *r, uint64_t count) {
    text_add(out, " ");
    text_number(out, count);
    text_add(out, "\n");
    save_some(r->out, out);
}

/* Lower bounds, so that lines add up to no more than was counted. In preorder
   each node's stack is its parent's and one name more, so one buffer does. */
static void add_tree(text *out, const report *r, const report_tree *tree) {
    size_t *end = (size_t *)tool_alloc(tree->count * sizeof *end);    /* of each node's stack */
    char **names = stacks_names(tree);
    text stack = {NULL, 0, 0};
    size_t i;
    for (i = 1; i < tree->count; i++) {
        stack.size = end[tree->parent[i]];
        if (stack.size) text_add(&stack, ";");
        text_frame(&stack, names[tree->name[i]]);
        end[i] = stack.size;
        if (tree->lower[i] == 0) continue;
        text_bytes(out, stack.data, stack.size);
        add_count(out, r, tree->lower[i]);
    }
    stacks_free_names(tree, names);
    text_free(&stack);
    free(end);
}

/* Trees that are not whole are shown only where no tree is whole. */
static int is_shown(const report_tree *tree, const char *unit) {
    return unit ? tree->is_whole && strcmp(tree->unit, unit) == 0 : 1;
}

static void write_collapsed(const report *r, text *out) {
    size_t i, k;
    const char *other, *unit = report_unit(r, &other);
    if (unit && other && !r->options.by)
        tool_error("note: stacks are in %s; there are others, see --by %s", unit, other);
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            if (is_shown(r->parts[i].trees[k], unit)) add_tree(out, r, r->parts[i].trees[k]);
        }
    }
}

static int has_stacks(const report *r) {
    size_t i, k, n, lines = 0;
    const char *other, *unit = report_unit(r, &other);
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            const report_tree *tree = r->parts[i].trees[k];
            for (n = 1; n < tree->count && is_shown(tree, unit); n++) lines += tree->lower[n] != 0;
        }
    }
    return lines != 0;
}

static int refuse(const report *r) {
    const char *other, *unit = report_unit(r, &other);
    stacks s = stacks_of(r, unit);
    int status = unit ? stacks_refuse(r, &s, "collapsed", 0) : TOOL_OK;
    stacks_free(&s);
    return status;
}

const report_writer writer_collapsed = {
    "collapsed",
    "stacks for flamegraph.pl or speedscope, in ticks or calls; or `caller;callee N`",
    REPORT_USES_MIN | REPORT_USES_UNIT | REPORT_USES_NAMES | REPORT_USES_WHOLE,
    0,
    write_collapsed,
    has_stacks,
    refuse,
};
