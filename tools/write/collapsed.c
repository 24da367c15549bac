/* collapsed.c - one stack a line, `outer;inner N`: what flamegraph.pl, speedscope and others read.
   Contexts where the dump has them; else call pairs, which would count the same calls twice beside them. */
#include "model/report.h"
#include "base/tool.h"
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
static void add_tree(const report_tree *tree, text *out) {
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

/* No loop trips: a loop often has its function's name, and would look like recursion. */
static void add_pairs(const report *r, text *out) {
    const tally_site *sites = r->sampled->sites.at;
    text stack = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < r->pairs.count; i++) {
        const report_item *pair = &r->pairs.at[i];
        stack.size = 0;
        text_frame(&stack, sites[pair->caller].name);
        text_add(&stack, ";");
        text_frame(&stack, sites[pair->site].name);
        add_line(out, &stack, pair->estimated);
    }
    for (i = 0; i < r->functions.count; i++) {
        const report_item *function = &r->functions.at[i];
        if ((function->kind & SITE_CLASSES) == SITE_BACKEDGE) continue;
        stack.size = 0;
        text_frame(&stack, sites[function->site].name);
        add_line(out, &stack, function->orphaned);
    }
    text_free(&stack);
}

void report_collapsed(const report *r, text *out) {
    size_t i;
    for (i = 0; i < r->trees.count; i++) add_tree(&r->trees.at[i], out);
    if (r->trees.count == 0) add_pairs(r, out);
}
