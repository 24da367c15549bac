/* stacks.c - trees of whole stacks, for the writers that show them. */
#include "report/write/stacks.h"
#include "base/tool.h"
#include "report/model/paths.h"
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (64 * 1048576.0)
#define NODE_BYTES 1024.0
#define NUMBER_BYTES 22.0

stacks stacks_of(const report *r, const char *unit) {
    stacks s = {NULL, 0};
    size_t i, k;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            const report_tree *tree = r->parts[i].trees[k];
            if (!tree->is_whole || (unit && strcmp(tree->unit, unit) != 0)) continue;
            s.trees = (const report_tree **)tool_grow(s.trees, (s.count + 1) * sizeof *s.trees);
            s.trees[s.count++] = tree;
        }
    }
    return s;
}

void stacks_free(stacks *s) { free(s->trees); }

/* Is there any count in them? */
static int have_counts(const stacks *s) {
    size_t i, n;
    for (i = 0; i < s->count; i++) {
        for (n = 1; n < s->trees[i]->count; n++)
            if (s->trees[i]->lower[n]) return 1;
    }
    return 0;
}

int stacks_are_there(const report *r) {
    stacks s = stacks_of(r, NULL);
    int found = have_counts(&s);
    stacks_free(&s);
    return found;
}

static double bytes_of(const report_tree *tree, size_t frame_bytes) {
    double *size = (double *)tool_alloc(tree->count * sizeof *size), sum = 0;
    size_t i;
    for (i = 1; i < tree->count; i++) {
        const char *name = tree->names[tree->name[i]];
        size[i] = size[tree->parent[i]] +
                  (double)(frame_bytes ? frame_bytes : *name ? strlen(name) + 1 : 10);
        if (tree->lower[i]) sum += size[i] + NUMBER_BYTES;
    }
    free(size);
    return sum;
}

int stacks_refuse(const report *r, const stacks *s, const char *form, size_t frame_bytes) {
    double bytes = 0, most = MOST_BYTES;
    size_t i;
    for (i = 0; i < s->count; i++) {
        bytes += bytes_of(s->trees[i], frame_bytes);
        most += NODE_BYTES * (double)s->trees[i]->count;
    }
    if (bytes <= most || r->options.wants_whole_stacks) return TOOL_OK;
    return tool_error("--%s: the stacks would take %.0f MB; --whole-stacks writes them all the same",
                      form, bytes / 1e6);
}

char **stacks_names(const report_tree *tree) {
    char **names = (char **)tool_alloc((tree->name_count + 1) * sizeof *names);
    size_t i;
    for (i = 0; i < tree->name_count; i++) names[i] = report_frame(tree, (uint32_t)i);
    return names;
}

void stacks_free_names(const report_tree *tree, char **names) {
    size_t i;
    for (i = 0; i < tree->name_count; i++) free(names[i]);
    free(names);
}
