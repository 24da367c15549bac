/* around.c - loops that run with no check around them.

   Code in two copies (`bursty cc --form=dual`) records what has no check where
   a check around it has led into the second copy. Rule Q takes the check from
   a loop that passes another one in each round, or that soon ends. What such a
   loop does besides that is seen if there is a check further out. There may be
   none:

       main() { for (each file) compress(); }          compress has a check in its own loop
       compress() { update_checksum(); for (...) CHECK ... }

   No burst ever leads into main, so update_checksum would never be seen. This
   walks from what the system enters, breadth first, along calls of functions
   without a check, outside of loops with one. A loop that it meets on the way,
   and that calls something, keeps its check, if no other way leads to its
   function behind a check: then the profile has it from there. So the outermost
   loops keep theirs, and those inside of them go without.

   Calls through pointers are not followed: who is called so mostly has a check
   around the call, and would lose what Q gains. */
#include "cc/place/place.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { BARE = 1, SEEN = 2 };                    /* it may run with no check around it; with one */

typedef struct walker {
    const graph *g;
    placement *p;
    uint8_t *is;                                /* of each node: bits of the above */
    uint32_t *queue, head, tail;                /* of those that are BARE */
    uint32_t *stack, height;                    /* of those that are SEEN and not yet followed */
} walker;

static void add_bare(walker *w, uint32_t node) {
    if (w->is[node] & BARE || w->p->entry[node]) return;
    w->is[node] |= BARE;
    w->queue[w->tail++] = node;
}

static void add_seen(walker *w, uint32_t node) {
    if (w->is[node] & SEEN) return;
    w->is[node] |= SEEN;
    w->stack[w->height++] = node;
}

/* What vertex v calls, or GRAPH_NONE. */
static uint32_t callee_of(const walker *w, const graph_function *f, uint32_t v) {
    const graph_vertex *vertex = graph_vertex_of(w->g, f, v);
    return vertex->kind == VERTEX_CALL ? graph_call_of(w->g, f, vertex->index)->node : GRAPH_NONE;
}

static void see_between(walker *w, const graph_function *f, uint32_t first, uint32_t last) {
    uint32_t v;
    for (v = first; v <= last; v++) {
        uint32_t to = callee_of(w, f, v);
        if (to != GRAPH_NONE) add_seen(w, to);
    }
}

static void follow_seen(walker *w) {
    uint32_t i;
    while (w->height) {
        uint32_t node = w->stack[--w->height];
        for (i = w->g->nodes[node].first_copy; i != GRAPH_NONE; i = w->g->functions[i].next_copy) {
            const graph_function *f = &w->g->functions[i];
            if (f->flags & GRAPH_HAS_BODY && f->vertices) see_between(w, f, 0, f->vertices - 1);
        }
    }
}

/* Loops made by goto have no second copy. */
static int leads_to_second(const walker *w, size_t loop) {
    return w->p->loop[loop] && w->g->loops[loop].kind != 'g';
}

static void see_checked(walker *w) {
    uint32_t v, n;
    size_t i;
    for (v = 0; v < w->g->node_count; v++) {
        if (w->p->entry[v]) add_seen(w, v);
    }
    for (i = 0; i < w->g->function_count; i++) {
        const graph_function *f = &w->g->functions[i];
        if (!(f->flags & GRAPH_HAS_BODY)) continue;
        for (n = 0; n < f->loops; n++) {
            const graph_loop *loop = &w->g->loops[f->first_loop + n];
            if (leads_to_second(w, f->first_loop + n)) see_between(w, f, loop->first, loop->last);
        }
    }
    follow_seen(w);
}

static int calls_between(const walker *w, const graph_function *f, const graph_loop *loop) {
    uint32_t v;
    for (v = loop->first; v <= loop->last; v++) {
        uint32_t to = callee_of(w, f, v);
        if (to != GRAPH_NONE && !w->g->nodes[to].is_trivial) return 1;
        if (graph_vertex_of(w->g, f, v)->kind == VERTEX_INDIRECT) return 1;
    }
    return 0;
}

static void keep_loops(walker *w, const graph_function *f) {
    uint32_t n;
    for (n = 0; n < f->loops; n++) {
        size_t at = f->first_loop + n;
        const graph_loop *loop = &w->g->loops[at];
        int why = w->p->loop_why[at];
        if (w->p->loop[at] || loop->kind == 'g' || (why != WHY_ALWAYS && why != WHY_QUIET)) continue;
        if (!calls_between(w, f, loop)) continue;
        w->p->loop[at] = 1;
        w->p->loop_why[at] = WHY_AROUND;
        see_between(w, f, loop->first, loop->last);
    }
    follow_seen(w);
}

static int is_in_checked_loop(const walker *w, const graph_function *f, uint32_t vertex) {
    uint32_t n;
    for (n = 0; n < f->loops; n++) {
        const graph_loop *loop = &w->g->loops[f->first_loop + n];
        if (leads_to_second(w, f->first_loop + n) && loop->first <= vertex && vertex <= loop->last)
            return 1;
    }
    return 0;
}

static void walk(walker *w, uint32_t node) {
    const graph *g = w->g;
    uint32_t i, v;
    for (i = g->nodes[node].first_copy; i != GRAPH_NONE; i = g->functions[i].next_copy) {
        const graph_function *f = &g->functions[i];
        if (!(f->flags & GRAPH_HAS_BODY)) continue;
        if (!w->p->fixed[node] && !(w->is[node] & SEEN)) keep_loops(w, f);
        for (v = 0; v < f->vertices; v++) {
            uint32_t to = callee_of(w, f, v);
            if (to != GRAPH_NONE && !(w->is[to] & BARE) && !is_in_checked_loop(w, f, v))
                add_bare(w, to);
        }
    }
}

void place_around(placement *p, const graph *g) {
    size_t n = (size_t)g->node_count + 1;
    walker w;
    uint32_t v;
    memset(&w, 0, sizeof w);
    w.g = g;
    w.p = p;
    w.is = (uint8_t *)tool_alloc(n);
    w.queue = (uint32_t *)tool_alloc(2 * n * sizeof *w.queue);
    w.stack = w.queue + n;
    memset(w.is, 0, n);
    see_checked(&w);
    for (v = 0; v < g->node_count; v++) {
        const graph_node *node = &g->nodes[v];
        int is_main = node->unit == GRAPH_NONE && strcmp(g->names[node->name], "main") == 0;
        if (is_main || node->flags & GRAPH_START || (!g->is_closed && node->exported))
            add_bare(&w, v);
    }
    while (w.head < w.tail) walk(&w, w.queue[w.head++]);
    free(w.queue);
    free(w.is);
}
