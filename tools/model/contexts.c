/* contexts.c - joined calling-context trees become columns of the model. */
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#include "kinds/contexts.h"
#include "model/report.h"
#include "base/tool.h"
#include <math.h>
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

static void fill(const report *r, const contexts *c, const hcct *tree, report_tree *to) {
    uint32_t *place = (uint32_t *)tool_alloc((size_t)tree->used * sizeof *place);      /* of each node, in preorder */
    uint32_t node, depth = 0;
    hcct_stats stats;
    double absent;
    size_t i;
    hcct_get_stats(tree, &stats);
    to->algorithm = algorithms[tree->algorithm];
    to->total = stats.scaled_total;
    to->unmatched = stats.unmatched;
    to->is_of_sample = stats.total && stats.scaled_total == stats.total && sampled_less_than_all(r->sampled);
    absent = stats.total ? ceil((double)stats.base * ((double)stats.scaled_total / (double)stats.total)) : 0;
    to->absent = absent < (double)to->total ? (uint64_t)absent : to->total;
    to->name_count = c->key_count + 1;
    to->names = (char **)tool_alloc(to->name_count * sizeof *to->names);
    for (i = 0; i < to->name_count; i++) to->names[i] = copy(i ? contexts_name(c, (uint32_t)i) : "");
    to->parent = (uint32_t *)tool_alloc((stats.nodes + 1) * sizeof *to->parent);
    to->name = (uint32_t *)tool_alloc((stats.nodes + 1) * sizeof *to->name);
    to->lower = (uint64_t *)tool_alloc((stats.nodes + 1) * sizeof *to->lower);
    to->upper = (uint64_t *)tool_alloc((stats.nodes + 1) * sizeof *to->upper);
    to->count = 1;
    for (node = hcct_next(tree, 0, &depth); node; node = hcct_next(tree, node, &depth)) {
        hcct_context context;
        hcct_get(tree, node, &context);
        place[node] = (uint32_t)to->count;
        to->parent[to->count] = place[hcct_parent(tree, node)];
        to->name[to->count] = context.key;
        to->lower[to->count] = context.lower;
        to->upper[to->count] = context.upper;
        to->count++;
    }
    free(place);
}

void report_contexts(report *r, const contexts *c) {
    size_t i;
    r->trees.at = (report_tree *)tool_alloc(c->count * sizeof *r->trees.at);
    r->trees.count = c->count;
    for (i = 0; i < c->count; i++) fill(r, c, &c->trees[i]->tree, &r->trees.at[i]);
}
