/* collapsed.c - one stack a line, `outer;inner N`: what flamegraph.pl, speedscope and others read. Whole stacks where
   the report has them; else pairs of caller and callee, which would count the same calls twice beside them. */
#include "base/tool.h"
#include "model/report.h"
#include <stdlib.h>

static void add_line(text *out, const text *stack, uint64_t count) {
    if (count == 0) return;
    text_bytes(out, stack->data, stack->size);
    text_add(out, " ");
    text_number(out, count);
    text_add(out, "\n");
}

/* Lower bounds, so that lines add up to no more than was counted. In preorder each node's stack is its parent's and one
   name more, so one buffer does. */
static void add_tree(text *out, const report_tree *tree) {
    size_t *end = (size_t *)tool_alloc(tree->count * sizeof *end);    /* of each node's stack */
    text stack = {NULL, 0, 0};
    size_t i;
    for (i = 1; i < tree->count; i++) {
        stack.size = end[tree->parent[i]];
        if (stack.size) text_add(&stack, ";");
        text_frame(&stack, tree->names[tree->name[i]]);
        end[i] = stack.size;
        add_line(out, &stack, tree->lower[i]);
    }
    text_free(&stack);
    free(end);
}

static void write_collapsed(const report *r, text *out) {
    size_t i, k;
    int has_whole = 0;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) has_whole |= r->parts[i].trees[k]->is_whole;
    }
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            if (r->parts[i].trees[k]->is_whole == has_whole) add_tree(out, r->parts[i].trees[k]);
        }
    }
}

const report_writer writer_collapsed = {
    "collapsed", "stacks for flamegraph.pl or speedscope: contexts, or else `caller;callee N`", 0, write_collapsed,
};
