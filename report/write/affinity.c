/* affinity.c - edges between neighbours in the trees of a report, added up by
   name. */
#include "report/write/affinity.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static int is_name(const void *owner, uint32_t number, const void *key) {
    return strcmp(((const affinity *)owner)->names[number - 1], (const char *)key) == 0;
}

static uint32_t number_of(affinity *a, const char *name) {
    uint32_t *place = hash_place(&a->places, hash_string(name), is_name, a, name);
    if (*place) return *place - 1;
    if (a->name_count == a->name_room) {
        a->name_room = 2 * a->name_room + 64;
        a->names = (const char **)tool_grow(a->names, a->name_room * sizeof *a->names);
        a->heat = (uint64_t *)tool_grow(a->heat, a->name_room * sizeof *a->heat);
    }
    a->names[a->name_count] = name;
    a->heat[a->name_count++] = 0;
    *place = (uint32_t)a->name_count;
    return *place - 1;
}

void affinity_add(affinity *a, const report_tree *tree) {
    uint64_t *below = (uint64_t *)tool_alloc((tree->count + 1) * sizeof *below);
    uint32_t *numbers = (uint32_t *)tool_alloc((tree->name_count + 1) * sizeof *numbers);
    size_t i;
    for (i = 0; i < tree->name_count; i++) { numbers[i] = number_of(a, tree->names[i]); }
    for (i = 0; i < tree->count; i++) { below[i] = tree->lower[i]; }
    for (i = tree->count; i-- > 1; ) { below[tree->parent[i]] = tool_sum(below[tree->parent[i]], below[i]); }
    for (i = 1; i < tree->count; i++) {
        uint32_t x = numbers[tree->name[tree->parent[i]]], y = numbers[tree->name[i]];
        affinity_edge *edge;
        a->heat[y] = tool_sum(a->heat[y], below[i]);
        if (tree->parent[i] == 0 || x == y || below[i] == 0) { continue; }
        TOOL_ROOM(affinity_edge, a->edges, a->edge_count, a->edge_room);
        edge = &a->edges[a->edge_count++];
        edge->a = x < y ? x : y;
        edge->b = x < y ? y : x;
        edge->weight = below[i];
    }
    free(below);
    free(numbers);
}

static int by_ends(const void *left, const void *right) {
    const affinity_edge *x = (const affinity_edge *)left, *y = (const affinity_edge *)right;
    if (x->a != y->a) { return x->a < y->a ? -1 : 1; }
    return x->b < y->b ? -1 : x->b > y->b;
}

static int by_weight(const void *left, const void *right) {
    const affinity_edge *x = (const affinity_edge *)left, *y = (const affinity_edge *)right;
    if (x->weight != y->weight) { return x->weight < y->weight ? 1 : -1; }
    return by_ends(left, right);
}

void affinity_settle(affinity *a) {
    size_t i, kept = 0;
    if (a->edge_count == 0) { return; }
    qsort(a->edges, a->edge_count, sizeof *a->edges, by_ends);
    for (i = 0; i < a->edge_count; i++) {
        if (kept && by_ends(&a->edges[kept - 1], &a->edges[i]) == 0) {
            a->edges[kept - 1].weight = tool_sum(a->edges[kept - 1].weight, a->edges[i].weight);
        } else {
            a->edges[kept++] = a->edges[i];
        }
    }
    a->edge_count = kept;
    qsort(a->edges, a->edge_count, sizeof *a->edges, by_weight);
}

void affinity_free(affinity *a) {
    free(a->names);
    free(a->heat);
    free(a->edges);
    hash_free(&a->places);
    memset(a, 0, sizeof *a);
}
