/* quiet.c - rule Q: entry checks and the checks of quiet loops go, while every
   cycle keeps one.

   Entries are tried in the order of the input. The functions without a check
   form no cycle (but for those that can have none); f joins them if it does not
   reach itself through them. A program that is a library keeps the entries that
   others call.

   That a pointer reaches only functions of a type that fits is C's word, and
   machine code has no types (cc/prove). So in a linked program, which can be
   proved, a cycle that types alone exclude gets a check in the end. It stands in functions that call through pointers,
   for they are few: those that may be called so are often all of a program's
   commands.

   A quiet loop calls nothing through a pointer, and only quiet functions or
   functions of the C library; it, the loops in it and the loops in what it
   calls are at most 4. A quiet function calls nothing through a pointer, does
   not recurse, and calls only such. This is no bound in time: such a loop runs
   as long as its data, like a boring one. */
#include "cc/place/place.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { QUIET_LOOPS = 4, LOUD = 255 };

/* Edges that all searches together may look at. Real programs need a few
   million. */
static const size_t patience = 400000000;

/* ---- entries ------------------------------------------------------------------------------- */

typedef struct search {
    const graph_links *links;
    const uint8_t *entry;                       /* of the nodes; other vertices have none */
    uint32_t nodes, round, *seen, *stack;
    size_t steps;
} search;

static int reaches_itself(search *s, uint32_t start) {
    uint32_t height = 0;
    size_t i;
    s->round++;
    s->stack[height++] = start;
    while (height) {
        uint32_t v = s->stack[--height];
        for (i = s->links->first[v]; i < s->links->first[v + 1]; i++) {
            uint32_t to = s->links->to[i];
            s->steps++;
            if (to == start) return 1;
            if (s->seen[to] == s->round || (to < s->nodes && s->entry[to])) continue;
            s->seen[to] = s->round;
            s->stack[height++] = to;
        }
    }
    return 0;
}

void place_forget_types(const graph *g, graph_links *out) {
    size_t i, count = 0, edges = g->wide.first[g->wide.vertices];
    uint32_t v, *pairs;
    pairs = (uint32_t *)tool_alloc((2 * (edges + g->units_vertex) + 1) * sizeof *pairs);
    for (v = 0; v < g->wide.vertices; v++) {
        for (i = g->wide.first[v]; i < g->wide.first[v + 1]; i++) {
            pairs[2 * count] = v;
            pairs[2 * count++ + 1] = g->wide.to[i];
        }
    }
    for (v = g->sort; v < g->units_vertex; v++) {
        pairs[2 * count] = g->any_pointer;
        pairs[2 * count++ + 1] = v;
    }
    links_build(out, g->wide.vertices, pairs, count);
    free(pairs);
}

static int calls_pointers(const graph *g, uint32_t v) {
    size_t i;
    for (i = g->wide.first[v]; i < g->wide.first[v + 1]; i++) {
        uint32_t to = g->wide.to[i];
        if (to >= g->node_count && to != g->outside && to != g->library) return 1;
    }
    return 0;
}

/* On a cycle without a check, if there is time to ask. */
static int is_bare(search *s, uint32_t v) { return s->steps > patience || reaches_itself(s, v); }

/* Checks for the cycles that types alone exclude: where a pointer is called, else where there was
   a check, else anywhere. Then those go that the others have made needless. */
static void keep_without_types(placement *p, const graph *g, search *s) {
    uint32_t *component, *size, v, round;
    uint8_t *gone, *added;
    graph_links blind;
    place_forget_types(g, &blind);
    component = (uint32_t *)tool_alloc((2 * (size_t)blind.vertices + 2) * sizeof *component);
    size = component + blind.vertices + 1;
    gone = (uint8_t *)tool_alloc(2 * (size_t)blind.vertices + 2);
    added = gone + blind.vertices + 1;
    memset(size, 0, blind.vertices * sizeof *size);
    memset(gone, 0, 2 * (size_t)blind.vertices + 2);
    memcpy(gone, p->entry, g->node_count);
    links_components(&blind, gone, component);
    for (v = 0; v < blind.vertices; v++) {
        if (!gone[v]) size[component[v]]++;
    }
    s->links = &blind;
    s->steps = 0;
    for (round = 0; round < 3; round++) {
        for (v = 0; v < g->node_count; v++) {
            if (p->entry[v] || p->fixed[v] || size[component[v]] < 2) continue;
            if (round == 0 && !calls_pointers(g, v)) continue;
            if (round == 1 && p->entry_why[v] != WHY_QUIET_ENTRY) continue;
            if (is_bare(s, v)) p->entry[v] = added[v] = 1;
        }
    }
    for (v = 0; v < g->node_count; v++) {
        if (!added[v]) continue;
        if (is_bare(s, v)) p->entry_why[v] = WHY_UNTYPED;
        else p->entry[v] = 0;
    }
    links_free(&blind);
    free(gone);
    free(component);
}

static void drop_entries(placement *p, const graph *g) {
    size_t n = (size_t)g->wide.vertices + 1;
    uint32_t v;
    search s;
    memset(&s, 0, sizeof s);
    s.links = &g->wide;
    s.entry = p->entry;
    s.nodes = g->node_count;
    s.seen = (uint32_t *)tool_alloc(2 * n * sizeof *s.seen);
    s.stack = s.seen + n;
    memset(s.seen, 0, n * sizeof *s.seen);
    for (v = 0; v < g->node_count; v++) {
        if (!p->entry[v] || (!g->is_closed && g->nodes[v].exported)) continue;
        if (s.steps > patience) {
            p->gave_up = 1;
            break;
        }
        if (reaches_itself(&s, v)) continue;
        p->entry[v] = 0;
        p->entry_why[v] = WHY_QUIET_ENTRY;
    }
    if (g->is_linked) keep_without_types(p, g, &s);
    free(s.seen);
}

/* ---- loops --------------------------------------------------------------------------------- */

typedef struct noise {
    const graph *g;
    uint8_t *loops;                             /* of each node and its callees together, or LOUD */
    uint32_t *met, stamp;                       /* callees that have been added already */
} noise;

/* Loops of what the vertices first .. last of f call; LOUD if something is not
   quiet. */
static unsigned called_loops(noise *q, const graph_function *f, uint32_t first, uint32_t last) {
    unsigned sum = 0;
    uint32_t v;
    q->stamp++;
    for (v = first; v <= last; v++) {
        const graph_vertex *vertex = graph_vertex_of(q->g, f, v);
        const graph_call *call;
        if (vertex->kind == VERTEX_INDIRECT) return LOUD;
        if (vertex->kind != VERTEX_CALL) continue;
        call = graph_call_of(q->g, f, vertex->index);
        if (call->node == GRAPH_NONE) {
            if (graph_call_returns(q->g, call)) return LOUD;
            continue;
        }
        if (q->met[call->node] == q->stamp) continue;
        q->met[call->node] = q->stamp;
        sum += q->loops[call->node];
        if (sum > QUIET_LOOPS) return LOUD;
    }
    return sum;
}

/* How many loops a function has, with those of all that it calls. */
static unsigned loops_of_copy(const noise *q, const graph_function *f) {
    const graph *g = q->g;
    unsigned sum = f->loops;
    uint32_t i;
    if (!(f->flags & GRAPH_HAS_BODY) || sum > QUIET_LOOPS) return LOUD;
    for (i = 0; i < f->vertices; i++) {
        if (graph_vertex_of(g, f, i)->kind == VERTEX_INDIRECT) return LOUD;
    }
    for (i = 0; i < f->calls; i++) {
        const graph_call *call = graph_call_of(g, f, i);
        if (call->node != GRAPH_NONE) sum += q->loops[call->node];
        else if (graph_call_returns(g, call)) return LOUD;
        if (sum > QUIET_LOOPS) return LOUD;
    }
    return sum;
}

static unsigned loops_of_node(const noise *q, uint32_t node) {
    const graph *g = q->g;
    unsigned most = 0;
    uint32_t i;
    for (i = g->nodes[node].first_copy; i != GRAPH_NONE; i = g->functions[i].next_copy) {
        unsigned loops = loops_of_copy(q, &g->functions[i]);
        if (loops > most) most = loops;
    }
    return most;
}

/* Callees come first. Components of wide are numbered that way; a member of one
   with several vertices, or that calls itself, is loud. */
static void measure(noise *q) {
    const graph *g = q->g;
    size_t n = (size_t)g->wide.vertices, i;
    uint32_t *component = (uint32_t *)tool_alloc((4 * n + 4) * sizeof *component);
    uint32_t *size = component + n, *order = component + 2 * n + 1, *at = component + 3 * n + 2;
    uint32_t count = links_components(&g->wide, NULL, component), v, sum = 0;
    memset(size, 0, (n + 1) * sizeof *size);
    memset(at, 0, (n + 1) * sizeof *at);
    for (v = 0; v < n; v++) {
        size[component[v]]++;
        for (i = g->wide.first[v]; i < g->wide.first[v + 1]; i++) {
            if (g->wide.to[i] == v) size[component[v]]++;
        }
    }
    for (v = 0; v < g->node_count; v++) at[component[v] + 1]++;
    for (v = 0; v < count; v++) {
        sum += at[v];
        at[v] = sum;
    }
    for (v = 0; v < g->node_count; v++) order[at[component[v]]++] = v;
    memset(q->loops, LOUD, g->node_count);
    for (i = 0; i < g->node_count; i++) {
        v = order[i];
        if (size[component[v]] == 1) q->loops[v] = (uint8_t)loops_of_node(q, v);
    }
    free(component);
}

static uint32_t loops_inside(const graph *g, const graph_function *f, const graph_loop *loop) {
    uint32_t v, count = 0;
    for (v = loop->first; v <= loop->last && count <= QUIET_LOOPS; v++)
        count += graph_vertex_of(g, f, v)->kind == VERTEX_LOOP;
    return count;
}

/* A loop is read until QUIET_LOOPS + 1 loops have been met, so nests cost no
   more than their size times that. */
static void drop_loops(placement *p, const graph *g, noise *q) {
    size_t i;
    uint32_t n;
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = &g->functions[i];
        if (!(f->flags & GRAPH_HAS_BODY)) continue;
        for (n = 0; n < f->loops; n++) {
            size_t at = f->first_loop + n;
            uint32_t own = p->loop[at] ? loops_inside(g, f, &g->loops[at]) : 0;
            if (own == 0 || own > QUIET_LOOPS || g->loops[at].by_address) continue;
            if (own + called_loops(q, f, g->loops[at].first, g->loops[at].last) > QUIET_LOOPS)
                continue;
            p->loop[at] = 0;
            p->loop_why[at] = WHY_QUIET;
        }
    }
}

void place_quiet(placement *p, const graph *g) {
    size_t n = (size_t)g->node_count + 1;
    noise q;
    drop_entries(p, g);
    memset(&q, 0, sizeof q);
    q.g = g;
    q.loops = (uint8_t *)tool_alloc(n);
    q.met = (uint32_t *)tool_alloc(n * sizeof *q.met);
    memset(q.met, 0, n * sizeof *q.met);
    measure(&q);
    drop_loops(p, g, &q);
    free(q.loops);
    free(q.met);
}
