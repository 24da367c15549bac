/* inside.c - rule Q: a check in a loop may stand for that of an entry.

       free(v) { if (v is a list) for (each part) free(part); }

   The entry of free has a check, for free calls itself; then each round of the
   loop passes one, and its own goes. But most calls of free end soon. With a
   check in the loop instead, each cycle of calls still passes one, since all
   calls of itself stand in the loop.

   So for each function with a check at its entry: take that away, and give those
   loops theirs back that went without because of it. This stays if

   - no way leads from the function back to itself that begins each function at its entry and leaves
     it by a call that can be reached without a check;
   - more calls of the function stand in the program than there are such loops;
   - each of those loops passes the function's entry in each round, whatever it does: so their checks
     run no more often than that of the entry did. Or the calls are so many more that this need not
     be so: a round may pass this entry or another check, and then it passes two. */
#include "cc/place/place.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { MORE = 3 };

/* Vertices and edges that all trials together may look at, some of them ten
   times. What is not tried keeps its check. */
static const size_t patience = 100000000;

typedef struct trial {
    const graph *g;
    placement *p;
    const graph_links *links;                   /* which function may call which */
    uint8_t *sure;                              /* of each node */
    uint8_t *loop, *why;                        /* as they were before */
    uint32_t *seen, *stack, epoch;              /* of vertices in links */
    uint32_t *kept, *met, *way, stamp;          /* of nodes; of vertices of one function */
    int others;                                 /* a call of what is no node was met */
    size_t steps;
} trial;

static int ends_here(const trial *t, const graph_function *f, const graph_vertex *vertex) {
    uint32_t node;
    if (vertex->kind == VERTEX_LOOP) return t->p->loop[f->first_loop + vertex->index];
    if (vertex->kind != VERTEX_CALL) return 0;
    node = graph_call_of(t->g, f, vertex->index)->node;
    return node != GRAPH_NONE && t->sure[node];
}

/* Notes what a function calls that can be reached from its entry without a
   check. Returns 0: that is not known. */
static int find_calls(trial *t, uint32_t node) {
    const graph *g = t->g;
    uint32_t n, i;
    t->others = 0;
    t->stamp++;
    for (n = g->nodes[node].first_copy; n != GRAPH_NONE; n = g->functions[n].next_copy) {
        const graph_function *f = &g->functions[n];
        uint32_t height = 0;
        if (!(f->flags & GRAPH_HAS_BODY)) return 0;
        memset(t->met, 0, f->vertices * sizeof *t->met);
        t->steps += f->vertices;
        t->way[height++] = 0;
        t->met[0] = 1;
        while (height) {
            uint32_t v = t->way[--height];
            const graph_vertex *vertex = graph_vertex_of(g, f, v);
            if (vertex->kind == VERTEX_INDIRECT) t->others = 1;
            if (vertex->kind == VERTEX_CALL) {
                uint32_t to = graph_call_of(g, f, vertex->index)->node;
                if (to == GRAPH_NONE) t->others = 1;
                else t->kept[to] = t->stamp;
            }
            if (ends_here(t, f, vertex)) continue;
            for (i = vertex->first_edge; i < graph_edge_end(g, f, v); i++) {
                uint32_t to = g->edges[f->first_edge + i].to;
                if (t->met[to]) continue;
                t->met[to] = 1;
                t->way[height++] = to;
            }
        }
    }
    return 1;
}

static int reaches_itself(trial *t, uint32_t start) {
    uint32_t height = 0, nodes = t->g->node_count;
    size_t i;
    t->epoch++;
    t->stack[height++] = start;
    while (height) {
        uint32_t v = t->stack[--height];
        int is_known = v < nodes && find_calls(t, v);
        if (t->steps > patience) return 1;
        for (i = t->links->first[v]; i < t->links->first[v + 1]; i++) {
            uint32_t to = t->links->to[i];
            if (is_known && (to < nodes ? t->kept[to] != t->stamp : !t->others)) continue;
            if (to == start) return 1;
            if (t->seen[to] == t->epoch || (to < nodes && t->p->entry[to])) continue;
            t->seen[to] = t->epoch;
            t->stack[height++] = to;
        }
    }
    return 0;
}

/* Is there no way back? Nor for those that were taken before: what is now less
   sure, they may have relied on. */
static int is_closed(trial *t, uint32_t node) {
    uint32_t v;
    if (reaches_itself(t, node)) return 0;
    for (v = 0; v < t->g->node_count; v++) {
        if (t->p->entry_why[v] == WHY_INSIDE && reaches_itself(t, v)) return 0;
    }
    return 1;
}

/* Loops that have their check back. */
static size_t count_back(const trial *t) {
    size_t i, count = 0;
    for (i = 0; i < t->g->loop_count; i++) count += t->p->loop[i] && !t->loop[i];
    return count;
}

/* Do all of these pass the entry in each round? */
static int is_paid(const trial *t, uint32_t node) {
    const graph *g = t->g;
    placement only = *t->p;
    size_t i, left = 0;
    only.entry = (uint8_t *)tool_alloc((size_t)g->node_count + 1);
    only.loop = (uint8_t *)tool_alloc(2 * g->loop_count + 2);
    only.loop_why = only.loop + g->loop_count + 1;
    memset(only.entry, 0, g->node_count);
    memcpy(only.loop_why, t->p->loop_why, g->loop_count);
    only.entry[node] = 1;
    for (i = 0; i < g->loop_count; i++) only.loop[i] = t->p->loop[i] && !t->loop[i];
    place_always(&only, g, 1);
    for (i = 0; i < g->loop_count; i++) left += only.loop[i];
    free(only.entry);
    free(only.loop);
    return left == 0;
}

static void try_without(trial *t, uint32_t node, size_t calls) {
    placement *p = t->p;
    size_t loops = t->g->loop_count, i, back;
    int stays = 0;
    memcpy(t->loop, p->loop, loops);
    memcpy(t->why, p->loop_why, loops);
    p->entry[node] = 0;
    for (i = 0; i < loops; i++) {
        if (p->loop_why[i] != WHY_ALWAYS) continue;
        p->loop[i] = 1;
        p->loop_why[i] = WHY_LOOP;
    }
    place_always(p, t->g, 1);
    for (i = 0; i < loops; i++) {
        if (!t->loop[i] || p->loop[i]) continue;
        p->loop[i] = 1;                         /* functions taken before may rely on it */
        p->loop_why[i] = t->why[i];
    }
    back = count_back(t);
    if (back < calls && (back <= calls / MORE || is_paid(t, node))) {
        t->sure = place_sure(t->g, p);
        stays = is_closed(t, node);
        free(t->sure);
    }
    if (stays) {
        p->entry_why[node] = WHY_INSIDE;
        return;
    }
    p->entry[node] = 1;
    memcpy(p->loop, t->loop, loops);
    memcpy(p->loop_why, t->why, loops);
}

/* How many calls of each function there are. One whose address is taken has
   more. */
static size_t *count_calls(const graph *g) {
    size_t *calls = (size_t *)tool_alloc(((size_t)g->node_count + 1) * sizeof *calls), n;
    uint32_t v;
    for (v = 0; v < g->node_count; v++) calls[v] = g->nodes[v].taken ? SIZE_MAX / 2 : 0;
    for (n = 0; n < g->function_count; n++) {
        const graph_function *f = &g->functions[n];
        for (v = 0; v < f->vertices; v++) {
            const graph_vertex *vertex = graph_vertex_of(g, f, v);
            uint32_t to = vertex->kind == VERTEX_CALL ? graph_call_of(g, f, vertex->index)->node
                                                      : GRAPH_NONE;
            if (to != GRAPH_NONE) calls[to]++;
        }
    }
    return calls;
}

void place_inside(placement *p, const graph *g) {
    size_t vertices = (size_t)g->wide.vertices + 1, *calls = count_calls(g), i;
    uint32_t v, most = 0;
    graph_links blind;
    trial t;
    memset(&t, 0, sizeof t);
    t.g = g;
    t.p = p;
    place_forget_types(g, &blind);
    t.links = &blind;
    for (i = 0; i < g->function_count; i++) {
        if (g->functions[i].vertices > most) most = g->functions[i].vertices;
    }
    t.loop = (uint8_t *)tool_alloc(2 * g->loop_count + 2);
    t.why = t.loop + g->loop_count + 1;
    t.seen = (uint32_t *)tool_alloc((3 * vertices + 2 * (size_t)most + 2) * sizeof *t.seen);
    t.stack = t.seen + vertices;
    t.kept = t.stack + vertices;
    t.met = t.kept + vertices;
    t.way = t.met + most + 1;
    memset(t.seen, 0, (3 * vertices + 2 * (size_t)most + 2) * sizeof *t.seen);
    for (v = 0; v < g->node_count && t.steps < patience; v++) {
        if (!p->entry[v] || p->fixed[v] || calls[v] < 2) continue;
        if (!g->is_closed && g->nodes[v].exported) continue;
        try_without(&t, v, calls[v]);
        t.steps += g->vertex_count + g->edge_count;
    }
    links_free(&blind);
    free(t.loop);
    free(t.seen);
    free(calls);
}
