/* affinity.c - edges between neighbours in the trees of a report, added up by
   name. */
#include "report/write/affinity.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static uint32_t *slot_of(affinity *a, const char *name) {
    uint64_t hash = 1;
    const char *at;
    size_t slot;
    for (at = name; *at; at++) { hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001B3); }
    slot = (size_t)(hash ^ hash >> 29) & (a->slot_count - 1);
    for (; a->slots[slot] && strcmp(a->names[a->slots[slot] - 1], name) != 0; slot = (slot + 1) & (a->slot_count - 1)) { }
    return &a->slots[slot];
}

static uint32_t number_of(affinity *a, const char *name) {
    uint32_t *slot;
    size_t i;
    if (2 * a->name_count >= a->slot_count) {
        a->slot_count = a->slot_count ? 2 * a->slot_count : 64;
        free(a->slots);
        a->slots = (uint32_t *)tool_alloc(a->slot_count * sizeof *a->slots);
        memset(a->slots, 0, a->slot_count * sizeof *a->slots);
        for (i = 0; i < a->name_count; i++) { *slot_of(a, a->names[i]) = (uint32_t)i + 1; }
    }
    slot = slot_of(a, name);
    if (*slot) { return *slot - 1; }
    if (a->name_count == a->name_room) {
        a->name_room = 2 * a->name_room + 64;
        a->names = (const char **)tool_grow(a->names, a->name_room * sizeof *a->names);
        a->heat = (uint64_t *)tool_grow(a->heat, a->name_room * sizeof *a->heat);
    }
    a->names[a->name_count] = name;
    a->heat[a->name_count++] = 0;
    *slot = (uint32_t)a->name_count;
    return *slot - 1;
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
        if (a->edge_count == a->edge_room) {
            a->edge_room = 2 * a->edge_room + 256;
            a->edges = (affinity_edge *)tool_grow(a->edges, a->edge_room * sizeof *a->edges);
        }
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
    free(a->slots);
    memset(a, 0, sizeof *a);
}
