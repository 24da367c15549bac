/* show_graph.c - a placement as JSON, and as a picture for Graphviz. */
#include "cc/place/place.h"
#include "base/json.h"
#include "base/tool.h"
#include <stdlib.h>

/* ---- JSON ---------------------------------------------------------------------------------- */

static void add_loop(const graph *g, const placement *p, size_t at, text *out) {
    size_t fields = 0;
    text_add(out, "{");
    json_field(out, &fields, "line", g->loops[at].line);
    json_field(out, &fields, "check", p->loop[at]);
    json_field_string(out, &fields, "why", place_word(p->loop_why[at]));
    text_add(out, "}");
}

static void add_function(const graph *g, const placement *p, const graph_function *f, text *out) {
    size_t fields = 0;
    uint32_t v = f->node, i;
    text_add(out, "{");
    json_field_string(out, &fields, "name", g->names[f->name]);
    json_field_string(out, &fields, "unit", g->names[g->units[f->unit].name]);
    json_field_string(out, &fields, "file", g->names[f->file]);
    json_field(out, &fields, "line", f->line);
    json_field(out, &fields, "check", p->entry[v]);
    json_field_string(out, &fields, "why", place_word(p->entry_why[v]));
    json_name(out, &fields, "distance");
    if (p->distance[v] == GRAPH_NONE) text_add(out, "null");
    else json_count(out, p->distance[v]);
    json_field(out, &fields, "component", p->component[v]);
    json_name(out, &fields, "loops");
    text_add(out, "[");
    for (i = 0; i < f->loops; i++) {
        if (i) text_add(out, ",");
        add_loop(g, p, f->first_loop + i, out);
    }
    text_add(out, "]}");
}

static void add_proof(const graph *g, const place_proof *proof, text *out) {
    size_t fields = 0;
    text_add(out, "{");
    json_field(out, &fields, "open_functions", proof->open_nodes);
    json_field(out, &fields, "open_loops", proof->open_loops);
    json_field(out, &fields, "open_gotos", proof->open_gotos);
    json_field(out, &fields, "boring_loops", proof->boring);
    json_field(out, &fields, "bounded_loops", proof->bounded);
    json_field(out, &fields, "quiet_loops", proof->quiet);
    json_field(out, &fields, "always_loops", proof->always);
    json_field(out, &fields, "left_alone", proof->left_alone);
    json_field(out, &fields, "left_alone_loops", proof->left_alone_loops);
    json_field(out, &fields, "left_alone_cycles", proof->left_alone_cycles);
    json_field(out, &fields, "by_plugin", proof->late);
    json_field(out, &fields, "by_plugin_checked", proof->late_checked);
    json_field(out, &fields, "pointer_calls", proof->pointer_calls);
    json_field(out, &fields, "typed_calls", proof->typed_calls);
    json_field(out, &fields, "outside_calls", proof->outside_calls);
    json_field(out, &fields, "returning_functions", proof->returning);
    json_field(out, &fields, "assembly_functions", proof->assemblies);
    json_field(out, &fields, "silent_objects", g->silent);
    json_field(out, &fields, "cxx_files", g->cxx_count);
    text_add(out, "}");
}

void show_json(const graph *g, const placement *p, const place_proof *proof, text *out) {
    size_t i, entries = 0, loops = 0, fields = 0;
    for (i = 0; i < g->node_count; i++) entries += p->entry[i];
    for (i = 0; i < g->loop_count; i++) loops += p->loop[i];
    text_add(out, "{");
    json_field(out, &fields, "functions", g->node_count);
    json_field(out, &fields, "entry_checks", entries);
    json_field(out, &fields, "loops", g->loop_count);
    json_field(out, &fields, "loop_checks", loops);
    json_name(out, &fields, "proof");
    add_proof(g, proof, out);
    json_name(out, &fields, "list");
    text_add(out, "[");
    for (i = 0; i < g->function_count; i++) {
        json_comma(out, i);
        add_function(g, p, &g->functions[i], out);
    }
    text_add(out, "]}\n");
}

/* ---- picture ------------------------------------------------------------------------------- */

static void add_label(const graph *g, uint32_t name, text *out) {
    text clean = {NULL, 0, 0};
    size_t i;
    graph_show_name(g, name, &clean);
    text_add(out, "\"");
    for (i = 0; i < clean.size; i++) {
        if (clean.data[i] == '"' || clean.data[i] == '\\') text_add(out, "\\");
        text_bytes(out, &clean.data[i], 1);
    }
    text_add(out, "\"");
    text_free(&clean);
}

static void add_box(const graph *g, const placement *p, uint32_t v, text *out) {
    text_format(out, "    n%lu [label=", (unsigned long)v);
    add_label(g, g->nodes[v].name, out);
    if (p->fixed[v] && !p->entry[v]) text_add(out, ", style=dashed");
    else if (p->entry[v]) text_add(out, ", style=filled");
    text_add(out, "];\n");
}

/* Functions in the order of a key, by counting; keys from 0 to most. */
static uint32_t *sort_by(const uint32_t *key, uint32_t count, uint32_t most) {
    uint32_t *order = (uint32_t *)tool_alloc(((size_t)count + 1) * sizeof *order), v;
    size_t *at = (size_t *)tool_alloc(((size_t)most + 2) * sizeof *at), sum = 0, i;
    for (i = 0; i < (size_t)most + 2; i++) at[i] = 0;
    for (v = 0; v < count; v++) at[key[v] + 1]++;
    for (i = 0; i < (size_t)most + 2; i++) {
        sum += at[i];
        at[i] = sum;
    }
    for (v = 0; v < count; v++) order[at[key[v]]++] = v;
    free(at);
    return order;
}

static void add_components(const graph *g, const placement *p, text *out) {
    uint32_t *order = sort_by(p->component, g->node_count, p->components), i;
    for (i = 0; i < g->node_count; i++) {
        uint32_t v = order[i], c = p->component[v];
        int is_cluster = p->component_size[c] > 1;
        if (is_cluster && (i == 0 || p->component[order[i - 1]] != c))
            text_format(out, "  subgraph cluster_%lu {\n", (unsigned long)c);
        add_box(g, p, v, out);
        if (is_cluster && (i + 1 == g->node_count || p->component[order[i + 1]] != c))
            text_add(out, "  }\n");
    }
    free(order);
}

/* Functions of one distance stand on one line. */
static void add_ranks(const graph *g, const placement *p, text *out) {
    uint32_t *rank = (uint32_t *)tool_alloc(((size_t)g->node_count + 1) * sizeof *rank), v, i;
    uint32_t *order;
    for (v = 0; v < g->node_count; v++)
        rank[v] = p->distance[v] == GRAPH_NONE ? g->node_count : p->distance[v];
    order = sort_by(rank, g->node_count, g->node_count);
    for (i = 0; i < g->node_count; i++) {
        if (i == 0 || rank[order[i - 1]] != rank[order[i]]) text_add(out, "  {rank=same;");
        text_format(out, " n%lu;", (unsigned long)order[i]);
        if (i + 1 == g->node_count || rank[order[i + 1]] != rank[order[i]]) text_add(out, "}\n");
    }
    free(order);
    free(rank);
}

void show_dot(const graph *g, const placement *p, text *out) {
    uint32_t v;
    size_t i;
    text_add(out, "digraph calls {\n  newrank=true;\n  node [shape=box];\n");
    add_components(g, p, out);
    add_ranks(g, p, out);
    for (v = 0; v < g->node_count; v++) {
        for (i = g->direct.first[v]; i < g->direct.first[v + 1]; i++) {
            uint32_t to = g->direct.to[i];
            int below = p->component[v] == p->component[to] && p->distance[v] >= p->distance[to];
            text_format(out, "  n%lu -> n%lu%s;\n", (unsigned long)v, (unsigned long)to,
                        below ? " [style=bold]" : "");
        }
    }
    text_add(out, "}\n");
}
