/* within.c - a bound in instructions: --within N.

   A placement says that every cycle passes a check, but for loops that have
   none on purpose: boring, bounded and quiet ones run as long as their data.
   Here they get one. From callees to callers, each function without a check is
   given a cost: its own instructions, and those of what it calls without a
   check, pointers by the most costly target. With n = N / 4:

       a loop          of a round that costs w    a check for every B / w rounds (a "strip"), all strips
                                                  of a function from one budget B = n / 8; if w is
                                                  half of B or more, a check in each round
       a function      that costs more than n / 4 gets an entry check
       calls of one    that cost more than n / 2  the most costly callees get one

   So from one check to the next runs what is left of a callee behind its last
   check, one function with what it calls, and what stands in front of the next
   check: about n. A way back through several callers adds what each of them
   still does, and sizes are guessed from the source (cc/put/records.c): for
   both there is N / n. `--prove --within N` counts what really may run.
   Functions outside of the program cost nothing here. */
#include "cc/place/place.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { NO_SIZE = 10, MOST = 1 << 30, SHARE = 4 }; /* NO_SIZE: of an object without sizes */

typedef struct ruler {
    const graph *g;
    placement *p;
    uint32_t within;
    uint32_t *cost;                             /* of nodes: 0 with an entry check */
    uint32_t *through;                          /* of nodes: the most that a pointer call costs */
} ruler;

static uint32_t sum(uint32_t a, uint32_t b) { return a + b < MOST ? a + b : MOST; }

static uint32_t cost_of_vertex(const ruler *r, const graph_function *f, const graph_vertex *v) {
    uint32_t node;
    if (v->kind == VERTEX_INDIRECT) return r->through[f->node];
    if (v->kind != VERTEX_CALL) return 0;
    node = graph_call_of(r->g, f, v->index)->node;
    return node == GRAPH_NONE ? 0 : r->cost[node];
}

/* What the vertices first .. last call. */
static uint32_t cost_of_calls(const ruler *r, const graph_function *f, uint32_t first,
                              uint32_t last) {
    uint32_t v, all = 0;
    for (v = first; v <= last && v < f->vertices; v++)
        all = sum(all, cost_of_vertex(r, f, graph_vertex_of(r->g, f, v)));
    return all;
}

/* Gives the loop a check or a share of the budget. Returns what its rounds add
   to the cost of the function. */
static uint32_t weigh_loop(ruler *r, const graph_function *f, uint32_t n) {
    size_t at = f->first_loop + n;
    const graph_loop *loop = &r->g->loops[at];
    placement *p = r->p;
    uint32_t round;
    if (p->loop[at] || p->loop_why[at] == WHY_ALWAYS) return 0;
    round = sum(loop->size ? loop->size : NO_SIZE, cost_of_calls(r, f, loop->first, loop->last));
    if (loop->bound && (uint64_t)loop->bound * round <= p->budget) return loop->bound * round;
    p->loop[at] = 1;
    if (round >= p->budget / 2 || r->g->units[f->unit].by_plugin) {
        p->loop_why[at] = WHY_WITHIN;
        return 0;
    }
    p->loop_why[at] = WHY_STRIP;
    p->weight[at] = round;
    return 0;
}

static int has_strips(const ruler *r, const graph_function *f) {
    uint32_t n;
    for (n = 0; n < f->loops; n++) {
        if (r->p->weight[f->first_loop + n]) return 1;
    }
    return 0;
}

/* The callee without a check that costs most; GRAPH_NONE: none can have one. */
static uint32_t dearest(const ruler *r, const graph_function *f) {
    uint32_t best = GRAPH_NONE, i;
    for (i = 0; i < f->calls; i++) {
        uint32_t node = graph_call_of(r->g, f, i)->node;
        if (node == GRAPH_NONE || !r->cost[node] || r->p->fixed[node]) continue;
        if (best == GRAPH_NONE || r->cost[node] > r->cost[best]) best = node;
    }
    return best;
}

static void check(ruler *r, uint32_t node) {
    r->p->entry[node] = 1;
    r->p->entry_why[node] = WHY_WITHIN;
    r->cost[node] = 0;
}

static uint32_t cost_of_copy(ruler *r, const graph_function *f) {
    uint32_t own = f->size ? f->size : NO_SIZE, n, all;
    if (!(f->flags & GRAPH_HAS_BODY)) return 0;
    if (!f->size) r->p->sizeless++;
    while (cost_of_calls(r, f, 0, f->vertices) > r->within / 2) {
        uint32_t callee = dearest(r, f);
        if (callee == GRAPH_NONE) break;
        check(r, callee);
    }
    for (n = 0; n < f->loops; n++) own = sum(own, weigh_loop(r, f, n));
    all = sum(own, cost_of_calls(r, f, 0, f->vertices));
    if (has_strips(r, f)) all = sum(all, r->p->budget);
    return all;
}

static void measure(ruler *r, uint32_t node) {
    const graph *g = r->g;
    uint32_t i, most = 0;
    size_t k;
    for (k = g->wide.first[node]; k < g->wide.first[node + 1]; k++) {
        uint32_t to = g->wide.to[k];
        if (to >= g->node_count && r->through[to] > r->through[node])
            r->through[node] = r->through[to];
    }
    for (i = g->nodes[node].first_copy; i != GRAPH_NONE; i = g->functions[i].next_copy) {
        uint32_t cost = cost_of_copy(r, &g->functions[i]);
        if (cost > most) most = cost;
    }
    if (most > r->within * SHARE) r->p->beyond++;
    r->cost[node] = r->p->entry[node] ? 0 : most;
    if (r->cost[node] > r->within / 4 && !r->p->fixed[node]) check(r, node);
}

/* The bound of a vertex that stands for calls through pointers, or from outside. */
static void measure_pointer(ruler *r, uint32_t vertex) {
    size_t k;
    for (k = r->g->wide.first[vertex]; k < r->g->wide.first[vertex + 1]; k++) {
        uint32_t to = r->g->wide.to[k];
        uint32_t cost = to < r->g->node_count ? r->cost[to] : r->through[to];
        if (cost > r->through[vertex]) r->through[vertex] = cost;
    }
}

/* Callees first: components of what has no check are numbered that way. Those
   with a check come after all others, since nobody waits for their cost. */
void place_within(placement *p, const graph *g, const place_rules *rules) {
    size_t n = (size_t)g->wide.vertices + 1;
    uint32_t *component = (uint32_t *)tool_alloc(5 * n * sizeof *component), v, count;
    uint32_t *first = component + n, *order = component + 2 * n;
    uint8_t *gone = (uint8_t *)tool_alloc(n);
    ruler r;
    memset(gone, 0, n);
    memcpy(gone, p->entry, g->node_count);
    count = links_components(&g->wide, gone, component);
    memset(first, 0, n * sizeof *first);
    for (v = 0; v < g->wide.vertices; v++) {
        if (gone[v]) component[v] = count;
        if (component[v] + 1 < n) first[component[v] + 1]++;
    }
    for (v = 1; v < n; v++) first[v] += first[v - 1];
    for (v = 0; v < g->wide.vertices; v++) order[first[component[v]]++] = v;
    r.g = g;
    r.p = p;
    r.within = rules->within / SHARE;
    r.cost = component + 3 * n;
    r.through = component + 4 * n;
    memset(r.cost, 0, 2 * n * sizeof *r.cost);
    p->budget = r.within / 8;
    for (v = 0; v < g->wide.vertices; v++) {
        if (order[v] < g->node_count) measure(&r, order[v]);
        else measure_pointer(&r, order[v]);
    }
    free(gone);
    free(component);
}
