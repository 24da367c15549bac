/* collapsed.c - one stack a line, `outer;inner N`: what flamegraph.pl, speedscope and others read.
   Whole stacks where the report has them; else pairs of caller and callee, which would count the
   same calls twice beside them. N has one unit: ticks, if there are any, or calls; --by chooses.
   Standard error says which, if there was a choice.

   The lines of a tree of n nodes may take n^2 bytes: a chain of 20 000 calls with names of 200
   bytes in a file of 20 kB would fill 40 GB. So the size is found first, from the lengths of names
   alone. A tree that would need more than 64 MiB and 1 KiB a node gets short stacks: the outermost
   4 frames, how many are left out, and the innermost 12, with at most 64 characters of each name.
   That is said on standard error, and --whole-stacks writes them in full all the same. Lines go out as they are made. */
#include "base/tool.h"
#include "model/report.h"
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(64) << 20)
enum {
    NODE_BYTES = 1024,
    LINE_MOST = 16 << 20,
    OUTER = 4,
    INNER = 12,
    SHORT_NAME = 64,
    NUMBER_BYTES = 22
};

static void add_count(text *out, const report *r, uint64_t count) {
    text_add(out, " ");
    text_number(out, count);
    text_add(out, "\n");
    save_some(r->out, out);
}

/* Bytes that all lines take in full; *longest becomes the longest stack, also of a node without a
   line. */
static uint64_t size_in_full(const report_tree *tree, uint64_t *longest) {
    uint64_t *size = (uint64_t *)tool_alloc(tree->count * sizeof *size), sum = 0;
    uint32_t *name_size = (uint32_t *)tool_alloc(tree->name_count * sizeof *name_size);
    size_t i;
    for (i = 0; i < tree->name_count; i++)
        name_size[i] = (uint32_t)(*tree->names[i] ? strlen(tree->names[i]) : sizeof "(no name)");
    *longest = 0;
    for (i = 1; i < tree->count; i++) {
        size[i] = size[tree->parent[i]] + 1 + name_size[tree->name[i]];
        if (size[i] > *longest) *longest = size[i];
        if (tree->lower[i]) sum += size[i] + NUMBER_BYTES;
    }
    free(size);
    free(name_size);
    return sum;
}

/* Lower bounds, so that lines add up to no more than was counted. In preorder each node's stack is
   its parent's and one name more, so one buffer does. */
static void add_full(text *out, const report *r, const report_tree *tree) {
    size_t *end = (size_t *)tool_alloc(tree->count * sizeof *end);    /* of each node's stack */
    text stack = {NULL, 0, 0};
    size_t i;
    for (i = 1; i < tree->count; i++) {
        stack.size = end[tree->parent[i]];
        if (stack.size) text_add(&stack, ";");
        text_frame(&stack, tree->names[tree->name[i]]);
        end[i] = stack.size;
        if (tree->lower[i] == 0) continue;
        text_bytes(out, stack.data, stack.size);
        add_count(out, r, tree->lower[i]);
    }
    text_free(&stack);
    free(end);
}

static void add_short_frame(text *out, const report_tree *tree, uint32_t node) {
    text name = {NULL, 0, 0};
    text_short(&name, tree->names[tree->name[node]], SHORT_NAME);
    text_bytes(&name, "", 1);
    text_frame(out, name.data);
    text_free(&name);
}

/* path: the nodes from level 1 to the node of that depth. */
static void add_short_stack(text *out, const report_tree *tree, const uint32_t *path,
                            uint32_t depth) {
    uint32_t level;
    for (level = 1; level <= depth; level++) {
        if (level > 1) text_add(out, ";");
        if (level == OUTER + 1 && depth > OUTER + INNER) {
            text_format(out, "(%lu more);", (unsigned long)(depth - OUTER - INNER));
            level = depth - INNER + 1;
        }
        add_short_frame(out, tree, path[level]);
    }
}

static void add_short(text *out, const report *r, const report_tree *tree) {
    uint32_t *path = (uint32_t *)tool_alloc((tree->count + 1) * sizeof *path);
    uint32_t *depth = (uint32_t *)tool_alloc(tree->count * sizeof *depth);
    size_t i;
    for (i = 1; i < tree->count; i++) {
        depth[i] = depth[tree->parent[i]] + 1;
        path[depth[i]] = (uint32_t)i;
        if (tree->lower[i] == 0) continue;
        add_short_stack(out, tree, path, depth[i]);
        add_count(out, r, tree->lower[i]);
    }
    free(path);
    free(depth);
}

static void add_tree(text *out, const report *r, const report_tree *tree) {
    uint64_t longest, size = size_in_full(tree, &longest);
    if (r->options.wants_whole_stacks ||
        (size <= MOST_BYTES + (uint64_t)NODE_BYTES * tree->count && longest <= LINE_MOST)) {
        add_full(out, r, tree);
        return;
    }
    tool_error("note: stacks are shortened to %d frames; --whole-stacks would write %.0f MB",
               OUTER + INNER, (double)size / 1e6);
    add_short(out, r, tree);
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

const report_writer writer_collapsed = {
    "collapsed",
    "stacks for flamegraph.pl or speedscope, in ticks or calls; or `caller;callee N`",
    REPORT_USES_MIN | REPORT_USES_UNIT | REPORT_USES_NAMES | REPORT_USES_WHOLE,
    0,
    write_collapsed,
    has_stacks,
};
