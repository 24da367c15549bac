/* contexts.c - joined calling-context trees become columns of the model. */
#include "kinds/contexts.h"
#include "model/report.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {                         /* by hcct.h's numbers */
    "Space-Saving", "Space-Saving", "Space-Saving", "Lossy Counting", "Sticky Sampling", "a full tree",
};

static char *copy(const char *name) { return text_clean(name, strlen(name)); }

/* Did each profile that recorded anything record a part only? Then so did who filled the trees. */
static int sampled_less_than_all(const tally *s) {
    size_t i, part = 0;
    for (i = 0; i < s->profiles.count; i++) {
        if (s->profiles.at[i].events == 0) continue;
        if (report_rate(&s->profiles.at[i]) >= 1) return 0;
        part++;
    }
    return part > 0;
}

static void fill(const report *r, const contexts *c, const contexts_tree *tree, report_tree *to) {
    uint32_t *place = (uint32_t *)tool_alloc(tree->count * sizeof *place);      /* of each node, in preorder */
    uint64_t total = tree->field[CONTEXTS_TOTAL], scaled = tree->field[CONTEXTS_SCALED];
    uint32_t node, depth = 0;
    size_t i;
    if (!scaled) scaled = total;
    to->algorithm = algorithms[tree->field[CONTEXTS_ALGORITHM]];
    to->total = scaled;
    to->unmatched = tree->field[CONTEXTS_UNMATCHED];
    to->is_of_sample = total && scaled == total && sampled_less_than_all(r->sampled);
    to->absent = tree->base;
    if (scaled != total) to->absent = contexts_scale(tree->base, scaled, total, 1);
    if (to->absent > to->total) to->absent = to->total;
    to->name_count = c->key_count + 1;
    to->names = (char **)tool_alloc(to->name_count * sizeof *to->names);
    for (i = 0; i < to->name_count; i++) to->names[i] = copy(i ? contexts_name(c, (uint32_t)i) : "");
    to->parent = (uint32_t *)tool_alloc(tree->count * sizeof *to->parent);
    to->name = (uint32_t *)tool_alloc(tree->count * sizeof *to->name);
    to->lower = (uint64_t *)tool_alloc(tree->count * sizeof *to->lower);
    to->upper = (uint64_t *)tool_alloc(tree->count * sizeof *to->upper);
    to->count = 1;
    for (node = contexts_next(tree, 0, &depth); node; node = contexts_next(tree, node, &depth)) {
        const contexts_node *n = &tree->nodes[node];
        int scales = scaled != total;
        place[node] = (uint32_t)to->count;
        to->parent[to->count] = place[n->parent];
        to->name[to->count] = n->key;
        to->lower[to->count] = scales ? contexts_scale(n->lower, scaled, total, 0) : n->lower;
        to->upper[to->count] = scales ? contexts_scale(n->upper, scaled, total, 1) : n->upper;
        to->count++;
    }
    free(place);
}

void report_contexts(report *r, const contexts *c) {
    size_t i;
    r->trees.at = (report_tree *)tool_alloc(c->count * sizeof *r->trees.at);
    r->trees.count = c->count;
    for (i = 0; i < c->count; i++) fill(r, c, &c->trees[i], &r->trees.at[i]);
}
