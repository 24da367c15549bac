/* dot.c - an affinity graph for Graphviz: what is used, or called, next to
   what. Each tree of the report is a graph of its own in the picture: sites
   (fields, functions), and for hot data streams the objects too. */
#include "base/tool.h"
#include "report/write/affinity.h"
#include "report/write/stacks.h"
#include <stdlib.h>
#include <string.h>

enum { EDGES_SHOWN = 200 };

/* Graphviz knows two escapes: of a quote and of a backslash. */
static void add_label(const char *name, text *out) {
    text plain = {NULL, 0, 0};
    size_t i;
    text_plain(&plain, name);
    text_add(out, "\"");
    for (i = 0; i < plain.size; i++) {
        if (plain.data[i] == '"' || plain.data[i] == '\\') text_add(out, "\\");
        text_bytes(out, plain.data + i, 1);
    }
    text_add(out, "\"");
    text_free(&plain);
}

static void add_graph(const report_tree *tree, size_t number, text *out) {
    affinity a;
    report_tree told = *tree;
    size_t i, shown;
    unsigned char *named;
    memset(&a, 0, sizeof a);
    told.names = stacks_names(tree); /* functions of one name are told apart */
    affinity_add(&a, &told);
    affinity_settle(&a);
    shown = a.edge_count < EDGES_SHOWN ? a.edge_count : EDGES_SHOWN;
    named = (unsigned char *)tool_alloc(a.name_count + 1);
    memset(named, 0, a.name_count + 1);
    text_format(out, "    subgraph cluster_%u {\n        label=\"", (unsigned)number);
    text_add(out, tree->unit);
    if (a.edge_count > shown)
        text_format(out, ", the heaviest %u of %llu edges", (unsigned)shown,
                    (unsigned long long)a.edge_count);
    text_add(out, "\";\n");
    for (i = 0; i < 2 * shown; i++) {
        uint32_t node = i % 2 ? a.edges[i / 2].b : a.edges[i / 2].a;
        if (named[node]) continue;
        named[node] = 1;
        text_format(out, "        n%u_%u [label=", (unsigned)number, (unsigned)node);
        add_label(a.names[node], out);
        text_add(out, "];\n");
    }
    for (i = 0; i < shown; i++) {
        double part = (double)a.edges[i].weight / (double)a.edges[0].weight;
        text_format(out, "        n%u_%u -- n%u_%u [weight=%u, penwidth=%.2f, label=\"%llu\"];\n",
                    (unsigned)number, (unsigned)a.edges[i].a, (unsigned)number,
                    (unsigned)a.edges[i].b, 1 + (unsigned)(99 * part), 0.5 + 4.5 * part,
                    (unsigned long long)a.edges[i].weight);
    }
    text_add(out, "    }\n");
    free(named);
    affinity_free(&a);
    stacks_free_names(tree, told.names);
}

static void write_dot(const report *r, text *out) {
    size_t i, k, number = 0;
    text_add(
        out,
        "graph affinity {\n    node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
             "    edge [fontsize=9];\n");
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) add_graph(r->parts[i].trees[k], number++, out);
    }
    text_add(out, "}\n");
}

/* Is anything used next to something else? */
static int has_graph(const report *r) {
    size_t i, k, n;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            const report_tree *tree = r->parts[i].trees[k];
            for (n = 1; n < tree->count; n++) {
                if (tree->parent[n] != 0) return 1;
            }
        }
    }
    return 0;
}

const report_writer writer_dot = {
    "dot",
    "a graph for Graphviz of what is used or called next to what",
    REPORT_USES_MIN | REPORT_USES_NAMES,
    0,
    write_dot,
    has_graph,
    NULL,
};
