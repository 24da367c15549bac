/* sure.c - what surely passes a check, and the loops that need none because of
   it.

   A vertex is sure if a check happens in its call, or all edges that leave it
   lead to sure vertices. The exit is not sure; a function is sure if it has a
   check at its entry, or if its entry vertex is sure. The least solution is
   wanted: recursion proves nothing. Each vertex counts the edges whose end is
   not yet sure, and when the count reaches 0 it tells those before it; so every
   edge is looked at once:

       a call of f  <-  f is sure  <-  all copies of f are  <-  entry vertex of a copy is

   Edges back to the head of a loop do not count. Whoever gets there has come
   through the head, so what the head leads to is asked for anyway. In a
   function with labels control may come in elsewhere, and there these edges count. Weak
   functions are never sure: another may be linked. Checks of loops make nothing
   sure here, although some could: they may be dropped later, and what is sure
   must stay. */
#include "cc/place/place.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct solver {
    const graph *g;
    const placement *p;
    uint8_t *sure;                              /* of each node */
    uint8_t *done;                              /* of each vertex of the whole graph */
    uint32_t *left;                             /* edges to vertices that are not sure */
    uint32_t *copies;                           /* of each node: those that are not sure */
    uint32_t *home;                             /* of each vertex, its function */
    graph_links before;                         /* from a vertex to those with an edge to it */
    graph_links sites;                          /* from a node to the vertices that call it */
    uint32_t *stack;
    size_t height;
} solver;

static int counts(const graph_function *f, const graph_edge *e) {
    return (f->flags & GRAPH_HAS_LABELS) != 0 || e->loop == GRAPH_NONE;
}

static void push_vertex(solver *s, size_t vertex) {
    if (s->done[vertex]) return;
    s->done[vertex] = 1;
    s->stack[s->height++] = (uint32_t)vertex;
}

static void node_is_sure(solver *s, uint32_t node) {
    size_t i;
    if (s->sure[node]) return;
    s->sure[node] = 1;
    for (i = s->sites.first[node]; i < s->sites.first[node + 1]; i++)
        push_vertex(s, s->sites.to[i]);
}

/* Collects edges and calls as pairs, backwards. */
static void lay_out(solver *s) {
    const graph *g = s->g;
    size_t edge_count = 0, site_count = 0, n;
    uint32_t *edges = (uint32_t *)tool_alloc((2 * g->edge_count + 1) * sizeof *edges);
    uint32_t *sites = (uint32_t *)tool_alloc((2 * g->vertex_count + 1) * sizeof *sites);
    uint32_t v, i;
    for (n = 0; n < g->function_count; n++) {
        const graph_function *f = &g->functions[n];
        for (v = 0; v < f->vertices; v++) {
            const graph_vertex *vertex = graph_vertex_of(g, f, v);
            uint32_t at = (uint32_t)f->first_vertex + v;
            s->home[at] = (uint32_t)n;
            if (vertex->kind == VERTEX_CALL &&
                graph_call_of(g, f, vertex->index)->node != GRAPH_NONE) {
                sites[2 * site_count] = graph_call_of(g, f, vertex->index)->node;
                sites[2 * site_count++ + 1] = at;
            }
            for (i = vertex->first_edge; i < graph_edge_end(g, f, v); i++) {
                const graph_edge *e = &g->edges[f->first_edge + i];
                if (!counts(f, e)) continue;
                s->left[at]++;
                edges[2 * edge_count] = (uint32_t)f->first_vertex + e->to;
                edges[2 * edge_count++ + 1] = at;
            }
        }
    }
    links_build(&s->before, (uint32_t)g->vertex_count, edges, edge_count);
    links_build(&s->sites, g->node_count, sites, site_count);
    free(edges);
    free(sites);
}

static void begin(solver *s) {
    const graph *g = s->g;
    uint32_t node, v;
    size_t n;
    for (n = 0; n < g->function_count; n++) {
        const graph_function *f = &g->functions[n];
        s->copies[f->node]++;
        for (v = 0; v < f->vertices; v++) {
            if (v != 1 && s->left[f->first_vertex + v] == 0) push_vertex(s, f->first_vertex + v);
        }
    }
    for (node = 0; node < g->node_count; node++) {
        if (s->p->entry[node]) node_is_sure(s, node);
    }
}

static void spread(solver *s) {
    while (s->height) {
        uint32_t at = s->stack[--s->height];
        const graph_function *f = &s->g->functions[s->home[at]];
        size_t i;
        if (at == f->first_vertex && --s->copies[f->node] == 0 &&
            s->g->nodes[f->node].linkage != GRAPH_WEAK)
            node_is_sure(s, f->node);
        for (i = s->before.first[at]; i < s->before.first[at + 1]; i++) {
            uint32_t v = s->before.to[i];
            if (--s->left[v] == 0) push_vertex(s, v);
        }
    }
}

uint8_t *place_sure(const graph *g, const placement *p) {
    size_t vertices = g->vertex_count + 1, nodes = (size_t)g->node_count + 1;
    solver s;
    memset(&s, 0, sizeof s);
    s.g = g;
    s.p = p;
    s.sure = (uint8_t *)tool_alloc(nodes);
    s.done = (uint8_t *)tool_alloc(vertices);
    s.left = (uint32_t *)tool_alloc((3 * vertices + nodes) * sizeof *s.left);
    s.home = s.left + vertices;
    s.stack = s.left + 2 * vertices;
    s.copies = s.left + 3 * vertices;
    memset(s.sure, 0, nodes);
    memset(s.done, 0, vertices);
    memset(s.left, 0, (3 * vertices + nodes) * sizeof *s.left);
    lay_out(&s);
    begin(&s);
    spread(&s);
    links_free(&s.before);
    links_free(&s.sites);
    free(s.done);
    free(s.left);
    return s.sure;
}

/* ---- loops whose iterations always pass a check -------------------------------------------- */

/* Inner loops come first: their checks may go because of a call, those around
   them because of theirs. A loop's check may go if no way leads from its place
   back there, without another check and without edges back of loops that need
   none. Without labels such a way stays in the loop. */
typedef struct walker {
    const graph *g;
    const placement *p;
    const graph_function *f;
    const uint8_t *sure;
    uint8_t *seen;
    uint32_t *stack;
    size_t steps;
} walker;

enum { STEPS_PER_VERTEX = 256 };                /* for all loops of a function together */

static int has_check(const walker *w, uint32_t v) {
    const graph_vertex *vertex = graph_vertex_of(w->g, w->f, v);
    uint32_t node;
    if (vertex->kind == VERTEX_LOOP) return w->p->loop[w->f->first_loop + vertex->index];
    if (vertex->kind != VERTEX_CALL) return 0;
    node = graph_call_of(w->g, w->f, vertex->index)->node;
    return node != GRAPH_NONE && w->sure[node];
}

static int is_excused(const walker *w, uint32_t loop) {
    int why = loop == GRAPH_NONE ? 0 : w->p->loop_why[w->f->first_loop + loop];
    return why == WHY_BORING || why == WHY_BOUNDED || why == WHY_QUIET;
}

static int comes_back(walker *w, const graph_loop *loop) {
    uint32_t height = 0, first = loop->first, last = loop->last, i;
    int found = 0;
    size_t seen = 0;
    uint32_t *list = w->stack + w->f->vertices;
    if (w->f->flags & GRAPH_HAS_LABELS) {
        first = 0;
        last = w->f->vertices - 1;
    }
    w->stack[height++] = loop->vertex;
    while (height && !found) {
        uint32_t v = w->stack[--height];
        for (i = graph_vertex_of(w->g, w->f, v)->first_edge; i < graph_edge_end(w->g, w->f, v);
             i++) {
            const graph_edge *e = &w->g->edges[w->f->first_edge + i];
            w->steps++;
            if (is_excused(w, e->loop)) continue;
            if (e->to == loop->vertex) {
                found = 1;
                break;
            }
            if (e->to < first || e->to > last || w->seen[e->to] || has_check(w, e->to)) continue;
            w->seen[e->to] = 1;
            list[seen++] = e->to;
            w->stack[height++] = e->to;
        }
    }
    while (seen) w->seen[list[--seen]] = 0;
    return found;
}

static void drop_loops(walker *w, placement *p) {
    uint32_t n;
    size_t most = STEPS_PER_VERTEX * ((size_t)w->f->vertices + w->f->edges);
    w->steps = 0;
    for (n = w->f->loops; n-- > 0 && w->steps < most;) {
        size_t at = w->f->first_loop + n;
        if (!p->loop[at] || comes_back(w, &w->g->loops[at])) continue;
        p->loop[at] = 0;
        p->loop_why[at] = WHY_ALWAYS;
    }
}

void place_always(placement *p, const graph *g, int of_all) {
    uint8_t *sure = place_sure(g, p);
    walker w;
    size_t i;
    uint32_t most = 0;
    memset(&w, 0, sizeof w);
    for (i = 0; i < g->function_count; i++) {
        if (g->functions[i].vertices > most) most = g->functions[i].vertices;
    }
    w.g = g;
    w.p = p;
    w.sure = sure;
    w.seen = (uint8_t *)tool_alloc((size_t)most + 1);
    w.stack = (uint32_t *)tool_alloc((2 * (size_t)most + 2) * sizeof *w.stack);
    memset(w.seen, 0, (size_t)most + 1);
    for (i = 0; i < g->function_count; i++) {
        w.f = &g->functions[i];
        if (!of_all && !g->units[w.f->unit].by_plugin) continue;
        if (w.f->flags & GRAPH_HAS_BODY) drop_loops(&w, p);
    }
    free(w.seen);
    free(w.stack);
    free(sure);
}
