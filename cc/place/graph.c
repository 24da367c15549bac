/* graph.c - names, growth, and what can be asked of a call graph. */
#include "cc/place/graph.h"
#include "base/demangle.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

static uint32_t hash_of(const unsigned char *bytes, size_t size) {
    uint32_t hash = 2166136261u;
    size_t i;
    for (i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void rehash(graph *g) {
    uint32_t i;
    g->name_slots = g->name_slots ? 2 * g->name_slots : 64;
    g->name_table = (uint32_t *)tool_grow(g->name_table, g->name_slots * sizeof *g->name_table);
    memset(g->name_table, 0xFF, g->name_slots * sizeof *g->name_table);
    for (i = 0; i < g->name_count; i++) {
        uint32_t at = hash_of((const unsigned char *)g->names[i], strlen(g->names[i]));
        while (g->name_table[at &= g->name_slots - 1] != GRAPH_NONE) at++;
        g->name_table[at] = i;
    }
}

static uint32_t slot_of(const graph *g, const void *bytes, size_t size) {
    uint32_t at = hash_of((const unsigned char *)bytes, size), i;
    for (;; at++) {
        i = g->name_table[at &= g->name_slots - 1];
        if (i == GRAPH_NONE) return at;
        if (strncmp(g->names[i], (const char *)bytes, size) == 0 && !g->names[i][size]) return at;
    }
}

uint32_t graph_find_name(const graph *g, const void *bytes, size_t size) {
    return g->name_slots ? g->name_table[slot_of(g, bytes, size)] : GRAPH_NONE;
}

uint32_t graph_name(graph *g, const void *bytes, size_t size) {
    size_t room = g->name_room;
    uint32_t at;
    if (2 * (g->name_count + 1) > g->name_slots) rehash(g);
    at = slot_of(g, bytes, size);
    if (g->name_table[at] != GRAPH_NONE) return g->name_table[at];
    TOOL_ROOM(char *, g->names, g->name_count, room);
    g->name_room = (uint32_t)room;
    g->names[g->name_count] = (char *)tool_alloc(size + 1);
    memcpy(g->names[g->name_count], bytes, size);
    g->names[g->name_count][size] = 0;
    g->name_table[at] = g->name_count;
    return g->name_count++;
}

void graph_show_name(const graph *g, uint32_t name, text *out) {
    char *readable = demangle(g->names[name]);
    text_plain(out, readable ? readable : g->names[name]);
    free(readable);
}

int graph_compare(const graph *g, uint32_t node, uint32_t other) {
    const graph_node *a = &g->nodes[node], *b = &g->nodes[other];
    int order = strcmp(g->names[a->name], g->names[b->name]);
    if (order != 0) return order < 0 ? -1 : 1;
    if (a->unit == b->unit) return 0;
    if (a->unit == GRAPH_NONE || b->unit == GRAPH_NONE) return a->unit == GRAPH_NONE ? -1 : 1;
    order = strcmp(g->names[g->units[a->unit].name], g->names[g->units[b->unit].name]);
    if (order == 0) order = a->unit < b->unit ? -1 : 1;
    return order < 0 ? -1 : 1;
}

/* ---- graphs of numbers --------------------------------------------------------------------- */

void links_free(graph_links *links) {
    free(links->first);
    free(links->to);
    memset(links, 0, sizeof *links);
}

void links_build(graph_links *links, uint32_t vertices, const uint32_t *pairs, size_t count) {
    size_t i, sum = 0;
    uint32_t v;
    links->vertices = vertices;
    links->first = (size_t *)tool_alloc(((size_t)vertices + 2) * sizeof *links->first);
    links->to = (uint32_t *)tool_alloc((count + 1) * sizeof *links->to);
    memset(links->first, 0, ((size_t)vertices + 2) * sizeof *links->first);
    for (i = 0; i < count; i++) links->first[pairs[2 * i] + 1]++;
    for (v = 0; v <= vertices; v++) {
        sum += links->first[v];
        links->first[v] = sum;
    }
    for (i = 0; i < count; i++) links->to[links->first[pairs[2 * i]]++] = pairs[2 * i + 1];
    for (v = vertices; v > 0; v--) links->first[v] = links->first[v - 1];
    links->first[0] = 0;
}

/* Tarjan's algorithm. `work` is the path from a root; at[v] is the next edge of
   v to look at. A vertex whose component is not yet known lies on `stack`, the
   path or what hangs from it.

       order[v]   when v was first seen, from 1; 0: not yet
       low[v]     the least order that v is known to reach

   When v is done and low[v] == order[v], v and all above it on the stack are
   one component. */
uint32_t links_components(const graph_links *links, const uint8_t *gone, uint32_t *component) {
    uint32_t n = links->vertices, seen = 0, found = 0, root, depth, height = 0;
    uint32_t *memory = (uint32_t *)tool_alloc(((size_t)n * 4 + 1) * sizeof *memory);
    uint32_t *order = memory, *low = memory + n, *stack = memory + 2 * (size_t)n,
             *work = memory + 3 * (size_t)n;
    size_t *at = (size_t *)tool_alloc(((size_t)n + 1) * sizeof *at);
    memset(order, 0, n * sizeof *order);
    for (root = 0; root < n; root++) component[root] = GRAPH_NONE;
    for (root = 0; root < n; root++) {
        if (order[root] || (gone && gone[root])) continue;
        depth = 0;
        work[depth++] = root;
        stack[height++] = root;
        order[root] = low[root] = ++seen;
        at[root] = links->first[root];
        while (depth) {
            uint32_t v = work[depth - 1], w;
            if (at[v] < links->first[v + 1]) {
                w = links->to[at[v]++];
                if (gone && gone[w]) continue;
                if (!order[w]) {
                    work[depth++] = w;
                    stack[height++] = w;
                    order[w] = low[w] = ++seen;
                    at[w] = links->first[w];
                } else if (component[w] == GRAPH_NONE && order[w] < low[v]) {
                    low[v] = order[w];
                }
                continue;
            }
            depth--;
            if (depth && low[v] < low[work[depth - 1]]) low[work[depth - 1]] = low[v];
            if (low[v] != order[v]) continue;
            do {
                w = stack[--height];
                component[w] = found;
            } while (w != v);
            found++;
        }
    }
    free(at);
    free(memory);
    return found;
}

/* ---- the end ------------------------------------------------------------------------------- */

void graph_free(graph *g) {
    uint32_t i;
    for (i = 0; i < g->name_count; i++) free(g->names[i]);
    free(g->names);
    free(g->name_table);
    free(g->units);
    free(g->functions);
    free(g->calls);
    free(g->loops);
    free(g->vertices);
    free(g->edges);
    free(g->taken);
    free(g->symbols);
    free(g->nodes);
    free(g->site_types);
    links_free(&g->direct);
    links_free(&g->wide);
    memset(g, 0, sizeof *g);
}
