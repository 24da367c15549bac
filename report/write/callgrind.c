/* callgrind.c - functions and calls between them as callgrind.out: for
   callgrind_annotate and KCachegrind. Ticks, or calls; --by chooses.

       fl=(1) file       fn=(2) function      the function that the following lines are about
       LINE COST                              its own cost
       cfi= cfn= calls=N LINE                 one that it calls,
       LINE COST                              and what that costs with all it calls

   The cost of a call counts the outermost of equal calls on a stack alone, so
   that recursion counts once. Ticks do not know how often a function was
   called. They say calls=1, for readers take the line behind calls=0 for the
   caller's own cost. */
#include "base/hash.h"
#include "base/tool.h"
#include "report/write/stacks.h"
#include <stdlib.h>
#include <string.h>

typedef struct call_edge {
    uint32_t caller, callee, open, next; /* next of the caller's, + 1 */
    uint64_t calls, cost;
} call_edge;

typedef struct call_graph {
    const report_tree *tree;
    uint64_t *self;      /* of each name */
    uint32_t *first;     /* edge of each name, + 1 */
    unsigned char *is_used;
    call_edge *edges;
    size_t count;
    hash_table places;
} call_graph;

static int is_edge(const void *owner, uint32_t number, const void *key) {
    const call_edge *a = &((const call_graph *)owner)->edges[number - 1];
    const call_edge *b = (const call_edge *)key;
    return a->caller == b->caller && a->callee == b->callee;
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint32_t edge_of(call_graph *g, uint32_t caller, uint32_t callee) {
    call_edge key = {0, 0, 0, 0, 0, 0};
    uint32_t *place;
    key.caller = caller;
    key.callee = callee;
    place = hash_place(&g->places, hash_numbers(caller, callee), is_edge, g, &key);
    if (*place) return *place - 1;
    key.next = g->first[caller];
    g->edges[g->count++] = key;
    *place = g->first[caller] = (uint32_t)g->count;
    return *place - 1;
}

static void make_graph(call_graph *g, const report_tree *tree) {
    uint64_t *below = (uint64_t *)tool_alloc(tree->count * sizeof *below);
    uint32_t *edge = (uint32_t *)tool_alloc(tree->count * sizeof *edge), i, at = 0;
    memset(g, 0, sizeof *g);
    g->tree = tree;
    g->self = (uint64_t *)tool_alloc(tree->name_count * sizeof *g->self);
    g->first = (uint32_t *)tool_alloc(tree->name_count * sizeof *g->first);
    g->is_used = (unsigned char *)tool_alloc(tree->name_count);
    g->edges = (call_edge *)tool_alloc(tree->count * sizeof *g->edges);
    for (i = (uint32_t)tree->count - 1; i; i--) {
        below[i] = add(below[i], tree->lower[i]);
        below[tree->parent[i]] = add(below[tree->parent[i]], below[i]);
    }
    for (i = 1; i < tree->count; at = i++) {
        uint32_t name = tree->name[i], parent = tree->parent[i];
        for (; at != parent; at = tree->parent[at])
            if (tree->parent[at]) g->edges[edge[at]].open--;
        g->is_used[name] = 1;
        g->self[name] = add(g->self[name], tree->lower[i]);
        if (!parent) continue;
        edge[i] = edge_of(g, tree->name[parent], name);
        g->edges[edge[i]].calls = add(g->edges[edge[i]].calls, tree->lower[i]);
        if (g->edges[edge[i]].open++ == 0)
            g->edges[edge[i]].cost = add(g->edges[edge[i]].cost, below[i]);
    }
    free(below);
    free(edge);
}

static void free_graph(call_graph *g) {
    free(g->self);
    free(g->first);
    free(g->is_used);
    free(g->edges);
    hash_free(&g->places);
}

/* A name is written where it first stands; then its number does. Files have
   numbers of their own: that of the first function with this file. */
typedef struct name_state {
    char **names;
    uint32_t *file_of; /* of each name, a number from 1 on */
    unsigned char *is_known, *is_file_known;
} name_state;

static int is_file(const void *owner, uint32_t number, const void *key) {
    return strcmp(((const report_tree *)owner)->file[number - 1], (const char *)key) == 0;
}

static void find_files(const report_tree *tree, name_state *s) {
    hash_table places = {NULL, 0, 0};
    uint32_t i, *place;
    s->file_of = (uint32_t *)tool_alloc(tree->name_count * sizeof *s->file_of);
    for (i = 0; i < tree->name_count; i++) {
        if (!tree->file || !*tree->file[i]) continue;
        place = hash_place(&places, hash_string(tree->file[i]), is_file, tree, tree->file[i]);
        if (!*place) *place = i + 1;
        s->file_of[i] = *place;
    }
    hash_free(&places);
}

static void add_name(text *out, const call_graph *g, name_state *s, const char *file_key,
                     const char *key, uint32_t name) {
    uint32_t file = s->file_of[name];
    text_format(out, "%s=(%lu)", file_key, (unsigned long)file + 1);
    if (!s->is_file_known[file]) {
        text_add(out, " ");
        text_plain(out, file ? g->tree->file[file - 1] : "???");
        s->is_file_known[file] = 1;
    }
    text_format(out, "\n%s=(%lu)", key, (unsigned long)name + 1);
    if (!s->is_known[name]) {
        text_add(out, " ");
        text_plain(out, *s->names[name] ? s->names[name] : "(no name)");
        s->is_known[name] = 1;
    }
    text_add(out, "\n");
}

static unsigned long line_of(const report_tree *tree, uint32_t name) {
    return tree->line ? tree->line[name] : 0;
}

static void add_cost(text *out, unsigned long line, uint64_t cost) {
    text_format(out, "%lu ", line);
    text_number(out, cost);
    text_add(out, "\n");
}

static void add_functions(const report *r, text *out, const call_graph *g, int counts_calls) {
    name_state s;
    uint32_t name, k;
    s.names = stacks_names(g->tree);
    s.is_known = (unsigned char *)tool_alloc(g->tree->name_count);
    s.is_file_known = (unsigned char *)tool_alloc(g->tree->name_count + 1);
    find_files(g->tree, &s);
    for (name = 0; name < g->tree->name_count; name++) {
        unsigned long line = line_of(g->tree, name);
        if (!g->is_used[name]) continue;
        text_add(out, "\n");
        add_name(out, g, &s, "fl", "fn", name);
        add_cost(out, line, g->self[name]);
        for (k = g->first[name]; k; k = g->edges[k - 1].next) {
            const call_edge *edge = &g->edges[k - 1];
            add_name(out, g, &s, "cfi", "cfn", edge->callee);
            text_add(out, "calls=");
            text_number(out, counts_calls && edge->calls ? edge->calls : 1);
            text_format(out, " %lu\n", line_of(g->tree, edge->callee));
            add_cost(out, line, edge->cost);
        }
        save_some(r->out, out);
    }
    stacks_free_names(g->tree, s.names);
    free(s.file_of);
    free(s.is_known);
    free(s.is_file_known);
}

/* One tree: of several, such as contexts by two algorithms, the one that counts
   most. */
static const report_tree *tree_of(const report *r, uint64_t *total, size_t *count) {
    const char *other, *unit = report_unit(r, &other);
    stacks s = stacks_of(r, unit);
    const report_tree *best = NULL;
    size_t i, k;
    *count = s.count;
    *total = 0;
    for (i = 0; unit && i < s.count; i++) {
        uint64_t sum = 0;
        for (k = 1; k < s.trees[i]->count; k++) sum = add(sum, s.trees[i]->lower[k]);
        if (sum <= *total) continue;
        *total = sum;
        best = s.trees[i];
    }
    stacks_free(&s);
    return best;
}

static void write_callgrind(const report *r, text *out) {
    uint64_t total;
    size_t count;
    const report_tree *tree = tree_of(r, &total, &count);
    int counts_calls;
    call_graph g;
    if (!tree) return;
    counts_calls = strcmp(tree->unit, "calls") == 0;
    if (count > 1) tool_error("note: of %lu trees the one that counts most is shown", (unsigned long)count);
    make_graph(&g, tree);
    text_add(out, "# callgrind format\nversion: 1\ncreator: bursty " TOOL_VERSION "\n");
    if (!counts_calls) text_add(out, "# calls=1 stands for an unknown number of calls\n");
    text_add(out, "cmd: ");
    text_plain(out, r->title);
    text_format(out, "\npositions: line\nevents: %s\nsummary: ", counts_calls ? "Calls" : "Ticks");
    text_number(out, total);
    text_add(out, "\n");
    add_functions(r, out, &g, counts_calls);
    text_add(out, "\ntotals: ");
    text_number(out, total);
    text_add(out, "\n");
    free_graph(&g);
}

static int has_stacks(const report *r) {
    uint64_t total;
    size_t count;
    return tree_of(r, &total, &count) != NULL;
}

const report_writer writer_callgrind = {
    "callgrind",
    "functions and their calls for KCachegrind and callgrind_annotate",
    REPORT_USES_TITLE | REPORT_USES_UNIT | REPORT_USES_NAMES,
    0,
    write_callgrind,
    has_stacks,
    NULL,
};
