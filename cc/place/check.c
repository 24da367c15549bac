/* check.c - proves of a finished plan that no cycle runs without a check.

   It takes the graph and the plan's answers, and nothing of how they were
   found:

   1. Calls. In the graph of all calls that can be (also through pointers and from outside), take
      away the functions with a check at their entry. Peel off, again and again, a vertex that
      nothing leads to or that leads nowhere. A cycle would stay. In what stays, those vertices
      count that reach themselves.
   2. Loops. In the control flow graph of each function, take away the vertices with a check (a
      loop's own; a call of a function that surely passes one) and the back edges of loops that are
      excused: boring, bounded or quiet ones, which it judges anew. Peel in the same way.
   3. "Surely" is found by searching a way from entry to exit without a check, for all functions
      again and again until nothing changes. */
#include "cc/place/place.h"
#include "base/glob.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* Edges and vertices that one step looks at. What is not settled then counts as
   not proved. */
static const size_t patience = 400000000;

typedef struct checker {
    const graph *g;
    const uint8_t *entry, *loop;
    const place_rules *rules;
    place_proof *proof;
    uint8_t *sure;                              /* of each node */
    uint8_t *fixed;                             /* of each node: it cannot have a check */
    uint8_t *loud, *loops;                      /* of each node: 0, quiet, and so many loops */
    uint8_t *gone, *excused;                    /* vertices, loops of the function in hand */
    uint32_t *memory, *leading;                 /* of vertices */
    size_t steps;
} checker;

static const graph_function *function(const checker *c, size_t i) { return &c->g->functions[i]; }

/* ---- a way through a function -------------------------------------------------------------- */

static void find_gone(checker *c, const graph_function *f) {
    uint32_t v;
    for (v = 0; v < f->vertices; v++) {
        const graph_vertex *vertex = graph_vertex_of(c->g, f, v);
        uint32_t node;
        c->gone[v] = 0;
        if (vertex->kind == VERTEX_LOOP) c->gone[v] = c->loop[f->first_loop + vertex->index];
        if (vertex->kind != VERTEX_CALL) continue;
        node = graph_call_of(c->g, f, vertex->index)->node;
        if (node != GRAPH_NONE) c->gone[v] = c->sure[node];
    }
}

static int has_way_out(checker *c, const graph_function *f) {
    uint32_t height = 0, i;
    find_gone(c, f);
    c->memory[height++] = 0;
    c->gone[0] = 1;
    while (height) {
        uint32_t v = c->memory[--height];
        if (v == 1) return 1;
        for (i = graph_vertex_of(c->g, f, v)->first_edge; i < graph_edge_end(c->g, f, v); i++) {
            uint32_t to = c->g->edges[f->first_edge + i].to;
            c->steps++;
            if (c->gone[to]) continue;
            c->gone[to] = 1;
            c->memory[height++] = to;
        }
    }
    return 0;
}

static int is_sure(checker *c, uint32_t node) {
    uint32_t i;
    if (c->entry[node]) return 1;
    if (c->g->nodes[node].linkage == GRAPH_WEAK) return 0;
    for (i = c->g->nodes[node].first_copy; i != GRAPH_NONE; i = function(c, i)->next_copy) {
        const graph_function *f = function(c, i);
        if (!(f->flags & GRAPH_HAS_BODY) || has_way_out(c, f)) return 0;
    }
    return 1;
}

static void find_sure(checker *c) {
    int changed = 1;
    uint32_t v;
    memcpy(c->sure, c->entry, c->g->node_count);
    for (c->steps = 0; changed && c->steps < patience; c->steps += c->g->node_count) {
        changed = 0;
        for (v = c->g->node_count; v-- > 0;) {
            if (c->sure[v] || !is_sure(c, v)) continue;
            c->sure[v] = 1;
            changed = 1;
        }
    }
}

/* ---- loops that may go without ------------------------------------------------------------- */

/* Quiet functions, from the leaves up: pass after pass a function is settled
   whose callees are. */
static int settle_quiet(checker *c, uint32_t node) {
    const graph *g = c->g;
    uint32_t i, n, most = 0;
    for (i = g->nodes[node].first_copy; i != GRAPH_NONE; i = g->functions[i].next_copy) {
        const graph_function *f = function(c, i);
        uint32_t sum = f->loops;
        if (!(f->flags & GRAPH_HAS_BODY)) return 0;
        c->steps += f->vertices;
        for (n = 0; n < f->vertices; n++) {
            if (graph_vertex_of(g, f, n)->kind == VERTEX_INDIRECT) return 0;
        }
        for (n = 0; n < f->calls; n++) {
            const graph_call *call = graph_call_of(g, f, n);
            if (call->node == GRAPH_NONE && graph_call_returns(g, call)) return 0;
            if (call->node != GRAPH_NONE && c->loud[call->node]) return 0;
            if (call->node != GRAPH_NONE) sum += c->loops[call->node];
            if (sum > 4) return 0;
        }
        if (sum > 4) return 0;
        if (sum > most) most = sum;
    }
    c->loops[node] = (uint8_t)most;
    c->loud[node] = 0;
    return 1;
}

static void find_quiet(checker *c) {
    int changed = 1;
    uint32_t v;
    memset(c->loud, 1, c->g->node_count);
    for (c->steps = 0; changed && c->steps < patience; c->steps += c->g->node_count) {
        changed = 0;
        for (v = c->g->node_count; v-- > 0;) {
            if (c->loud[v] && settle_quiet(c, v)) changed = 1;
        }
    }
}

static int is_quiet_loop(const checker *c, const graph_function *f, const graph_loop *loop) {
    uint32_t v, sum = 0, called = 0;
    if (loop->by_address) return 0;
    for (v = loop->first; v <= loop->last; v++) {
        const graph_vertex *vertex = graph_vertex_of(c->g, f, v);
        const graph_call *call;
        if (vertex->kind == VERTEX_INDIRECT) return 0;
        sum += vertex->kind == VERTEX_LOOP;
        if (sum > 4) return 0;
        if (vertex->kind != VERTEX_CALL) continue;
        call = graph_call_of(c->g, f, vertex->index);
        if (call->node == GRAPH_NONE && graph_call_returns(c->g, call)) return 0;
        if (call->node == GRAPH_NONE) continue;
        if (c->loud[call->node]) return 0;
        if (c->loops[call->node] == 0 || c->memory[call->node] == loop->first + 1) continue;
        c->memory[call->node] = loop->first + 1;    /* each callee counts once */
        called += c->loops[call->node];
        if (sum + called > 4) return 0;
    }
    return sum + called <= 4;
}

/* most: so many back-edges; what the compiler counted and what the skeleton
   shows. */
static int is_boring_loop(const checker *c, const graph_function *f, const graph_loop *loop,
                          uint32_t most) {
    uint32_t v, events = 0;
    if (loop->by_address || loop->events > most) return 0;
    for (v = loop->first; v <= loop->last; v++) {
        const graph_vertex *vertex = graph_vertex_of(c->g, f, v);
        uint32_t node = GRAPH_NONE;
        if (vertex->kind == VERTEX_INDIRECT) return 0;
        events += vertex->kind == VERTEX_LOOP;
        if (events > most) return 0;
        if (vertex->kind != VERTEX_CALL) continue;
        node = graph_call_of(c->g, f, vertex->index)->node;
        if (node == GRAPH_NONE || !c->g->nodes[node].is_trivial) return 0;
    }
    return 1;
}

/* Counts loops that are open, but would be boring for a larger k. */
static void note_small(checker *c, const graph_function *f, const graph_loop *loop) {
    uint32_t v, events = 0;
    if (c->rules->loops == LOOPS_NONE || !is_boring_loop(c, f, loop, GRAPH_NONE)) return;
    for (v = loop->first; v <= loop->last; v++)
        events += graph_vertex_of(c->g, f, v)->kind == VERTEX_LOOP;
    if (events < loop->events) events = loop->events;
    c->proof->small_loops++;
    if (events > c->proof->small_events) c->proof->small_events = events;
}

/* A bounded loop ends, whatever the rules say. */
static void find_excused(checker *c, const graph_function *f) {
    uint32_t n;
    if (c->rules->quiet) {
        for (n = 0; n < f->calls; n++) {
            uint32_t node = graph_call_of(c->g, f, n)->node;
            if (node != GRAPH_NONE) c->memory[node] = 0;
        }
    }
    for (n = 0; n < f->loops; n++) {
        const graph_loop *loop = &c->g->loops[f->first_loop + n];
        c->excused[n] = 0;
        if (c->loop[f->first_loop + n]) continue;
        c->excused[n] = 1;
        if (c->rules->loops >= 0 && is_boring_loop(c, f, loop, (uint32_t)c->rules->loops))
            c->proof->boring++;
        else if (loop->bound && !loop->by_address) c->proof->bounded++;
        else if (c->rules->quiet && is_quiet_loop(c, f, loop)) c->proof->quiet++;
        else c->excused[n] = 0;
    }
}

/* ---- peeling ------------------------------------------------------------------------------- */

/* Takes vertices that nothing leads to; those on a cycle stay, and those behind
   one. leading[v] counts the edges to v and is 0 for all that has been peeled
   or was gone. */
static uint32_t peel(uint32_t vertices, const size_t *first, const uint32_t *to, uint8_t *gone,
                     uint32_t *leading, uint32_t *stack) {
    uint32_t v, height = 0, left = 0;
    size_t i;
    memset(leading, 0, vertices * sizeof *leading);
    for (v = 0; v < vertices; v++) {
        if (gone[v]) continue;
        left++;
        for (i = first[v]; i < first[v + 1]; i++) leading[to[i]]++;
    }
    for (v = 0; v < vertices; v++) {
        if (!gone[v] && !leading[v]) stack[height++] = v;
    }
    while (height) {
        v = stack[--height];
        gone[v] = 1;
        left--;
        for (i = first[v]; i < first[v + 1]; i++) {
            if (--leading[to[i]] == 0 && !gone[to[i]]) stack[height++] = to[i];
        }
    }
    return left;
}

/* What stays after peeling from both sides is on a cycle, or between two. */
static uint32_t peel_both(uint32_t vertices, uint32_t *pairs, size_t count, uint8_t *gone,
                          uint32_t *leading, uint32_t *stack) {
    graph_links links;
    uint32_t left = 0, round;
    size_t i;
    for (round = 0; round < 2; round++) {
        links_build(&links, vertices, pairs, count);
        left = peel(vertices, links.first, links.to, gone, leading, stack);
        links_free(&links);
        if (!left) break;
        for (i = 0; i < count; i++) {
            uint32_t swap = pairs[2 * i];
            pairs[2 * i] = pairs[2 * i + 1];
            pairs[2 * i + 1] = swap;
        }
    }
    return left;
}

static void check_loops(checker *c, const graph_function *f, size_t index) {
    uint32_t *pairs = (uint32_t *)tool_alloc((2 * (size_t)f->edges + 1) * sizeof *pairs);
    uint32_t v, i, left, found = 0;
    size_t count = 0;
    place_proof *proof = c->proof;
    find_excused(c, f);
    find_gone(c, f);
    for (v = 0; v < f->vertices; v++) {
        for (i = graph_vertex_of(c->g, f, v)->first_edge; i < graph_edge_end(c->g, f, v); i++) {
            const graph_edge *e = &c->g->edges[f->first_edge + i];
            if (e->loop != GRAPH_NONE && c->excused[e->loop]) continue;
            if (c->gone[v] || c->gone[e->to]) continue;
            pairs[2 * count] = v;
            pairs[2 * count++ + 1] = e->to;
        }
    }
    left = peel_both(f->vertices, pairs, count, c->gone, c->leading, c->memory);
    for (i = 0; i < f->loops; i++) {
        size_t at = f->first_loop + i;
        if (c->loop[at] || c->excused[i]) continue;
        if (c->gone[c->g->loops[at].vertex]) proof->always++;
        else if (c->fixed[f->node]) proof->left_alone_loops++;
        else proof->open_loop[at] = 1;
        if (proof->open_loop[at]) note_small(c, f, &c->g->loops[at]);
        found += proof->open_loop[at];
    }
    proof->open_loops += found;
    if (left && !found && !c->fixed[f->node]) {
        proof->open_goto[index] = 1;
        proof->open_gotos++;
    }
    free(pairs);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* Does v reach itself through vertices that stayed? */
static int is_on_cycle(checker *c, const graph_links *wide, const uint8_t *gone, uint32_t start,
                       uint32_t round) {
    uint32_t height = 0;
    size_t i;
    c->memory[height++] = start;
    while (height) {
        uint32_t v = c->memory[--height];
        for (i = wide->first[v]; i < wide->first[v + 1]; i++) {
            uint32_t to = wide->to[i];
            c->steps++;
            if (to == start) return 1;
            if (gone[to] || c->leading[to] == round) continue;
            c->leading[to] = round;
            c->memory[height++] = to;
        }
    }
    return 0;
}

/* Marks with `mark` what a function calls before a check: a descent without end
   comes to each function at its entry, and leaves it by such a call. Calls of
   what is no function of the program count together, in called[nodes]. Returns
   0: what it does is not known. */
static int find_called(checker *c, uint32_t node, uint32_t *called, uint8_t *seen, uint32_t mark) {
    uint32_t n, i;
    for (n = c->g->nodes[node].first_copy; n != GRAPH_NONE; n = function(c, n)->next_copy) {
        const graph_function *f = function(c, n);
        uint32_t height = 0;
        if (!(f->flags & GRAPH_HAS_BODY)) return 0;
        find_gone(c, f);
        memset(seen, 0, f->vertices);
        c->memory[height++] = 0;
        seen[0] = 1;
        while (height) {
            uint32_t v = c->memory[--height];
            const graph_vertex *vertex = graph_vertex_of(c->g, f, v);
            uint32_t to = c->g->node_count;
            if (vertex->kind == VERTEX_CALL) to = graph_call_of(c->g, f, vertex->index)->node;
            if (vertex->kind == VERTEX_CALL || vertex->kind == VERTEX_INDIRECT)
                called[to == GRAPH_NONE ? c->g->node_count : to] = mark;
            if (c->gone[v]) continue;
            for (i = vertex->first_edge; i < graph_edge_end(c->g, f, v); i++) {
                to = c->g->edges[f->first_edge + i].to;
                c->steps++;
                if (!seen[to]) c->memory[height++] = to;
                seen[to] = 1;
            }
        }
    }
    return 1;
}

static void check_calls(checker *c, uint32_t most) {
    const graph_links *wide = &c->g->wide;
    uint32_t v, n = wide->vertices, left, nodes = c->g->node_count;
    size_t count = 0, i;
    uint32_t *pairs = (uint32_t *)tool_alloc((2 * wide->first[n] + 1) * sizeof *pairs);
    uint32_t *called = (uint32_t *)tool_alloc(((size_t)nodes + 1) * sizeof *called);
    uint8_t *gone = (uint8_t *)tool_alloc((size_t)n + most + 2), *seen = gone + n + 1;
    graph_links links;
    memset(gone, 0, (size_t)n + 1);
    memset(called, 0, ((size_t)nodes + 1) * sizeof *called);
    memcpy(gone, c->entry, c->g->node_count);
    for (v = 0; v < n; v++) {
        int is_known = c->rules->inside && v < nodes && !gone[v] &&
                       find_called(c, v, called, seen, v + 1);
        for (i = wide->first[v]; i < wide->first[v + 1]; i++) {
            uint32_t to = wide->to[i];
            if (gone[v] || gone[to]) continue;
            if (is_known && called[to < nodes ? to : nodes] != v + 1) continue;
            pairs[2 * count] = v;
            pairs[2 * count++ + 1] = wide->to[i];
        }
    }
    links_build(&links, n, pairs, count);
    left = peel_both(n, pairs, count, gone, c->leading, c->memory);
    memset(c->leading, 0, n * sizeof *c->leading);
    c->steps = 0;
    for (v = 0; left && v < c->g->node_count; v++) {
        if (gone[v] || (c->steps < patience && !is_on_cycle(c, &links, gone, v, v + 1))) continue;
        if (c->fixed[v]) {
            c->proof->left_alone_cycles += !(c->g->nodes[v].flags & GRAPH_LATE);
            continue;
        }
        c->proof->open_node[v] = 1;
        c->proof->open_nodes++;
    }
    links_free(&links);
    free(gone);
    free(called);
    free(pairs);
}

/* ---- what it cannot see -------------------------------------------------------------------- */

static void count_unseen(checker *c) {
    const graph *g = c->g;
    place_proof *proof = c->proof;
    uint32_t v;
    size_t i;
    int k;
    for (v = 0; v < g->node_count; v++) {
        c->fixed[v] = (g->nodes[v].flags & GRAPH_LEFT_ALONE) != 0;
        for (k = 0; k < c->rules->without_count; k++) {
            const char *name = g->names[g->nodes[v].name];
            c->fixed[v] |= glob_matches(c->rules->without[k], name, strlen(name)) != 0;
        }
        if (g->nodes[v].flags & GRAPH_LATE) {
            proof->late++;
            proof->late_checked += c->entry[v];
            continue;
        }
        proof->left_alone += c->fixed[v] && !(g->nodes[v].flags & GRAPH_OTHER_NAME);
        proof->weak += g->nodes[v].linkage == GRAPH_WEAK;
    }
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = function(c, i);
        if (f->flags & GRAPH_LATE) continue;    /* whatever it calls: it is believed to call all */
        if (!(f->flags & GRAPH_HAS_BODY)) proof->without_skeleton++;
        for (v = 0; v < f->calls; v++) {
            const graph_call *call = graph_call_of(g, f, v);
            const char *name = g->names[call->name];
            if (call->node != GRAPH_NONE) continue;
            if (strcmp(name, GRAPH_ASSEMBLY) == 0) proof->unread[f->node] |= UNREAD_ASSEMBLY;
            else if (graph_calls_back(name)) proof->outside_calls++;
            if (graph_returns_again(name)) proof->unread[f->node] |= UNREAD_RETURNS;
        }
        for (v = 0; v < f->vertices; v++) {
            const graph_vertex *vertex = graph_vertex_of(g, f, v);
            proof->pointer_calls += vertex->kind == VERTEX_INDIRECT;
            proof->typed_calls += vertex->kind == VERTEX_INDIRECT && vertex->type != GRAPH_NONE &&
                                  !g->types_given_up;
        }
    }
    for (v = 0; v < g->node_count; v++) {
        proof->assemblies += (proof->unread[v] & UNREAD_ASSEMBLY) != 0;
        proof->returning += (proof->unread[v] & UNREAD_RETURNS) != 0;
    }
}

void place_check(place_proof *proof, const graph *g, const uint8_t *entry, const uint8_t *loop,
                 const place_rules *rules) {
    size_t nodes = (size_t)g->node_count + 1, most = g->wide.vertices, loops = 0, i;
    checker c;
    memset(&c, 0, sizeof c);
    memset(proof, 0, sizeof *proof);
    for (i = 0; i < g->function_count; i++) {
        if (g->functions[i].vertices > most) most = g->functions[i].vertices;
        if (g->functions[i].loops > loops) loops = g->functions[i].loops;
    }
    c.g = g;
    c.entry = entry;
    c.loop = loop;
    c.rules = rules;
    c.proof = proof;
    c.sure = (uint8_t *)tool_alloc(4 * nodes);
    c.fixed = c.sure + nodes;
    c.loud = c.sure + 2 * nodes;
    c.loops = c.sure + 3 * nodes;
    c.gone = (uint8_t *)tool_alloc(most + loops + 2);
    c.excused = c.gone + most + 1;
    c.memory = (uint32_t *)tool_alloc((2 * most + 2) * sizeof *c.memory);
    c.leading = c.memory + most + 1;
    proof->open_node = (uint8_t *)tool_alloc(nodes);
    proof->unread = (uint8_t *)tool_alloc(nodes);
    memset(proof->unread, 0, nodes);
    proof->open_loop = (uint8_t *)tool_alloc(g->loop_count + 1);
    proof->open_goto = (uint8_t *)tool_alloc(g->function_count + 1);
    memset(proof->open_goto, 0, g->function_count + 1);
    memset(proof->open_node, 0, nodes);
    memset(proof->open_loop, 0, g->loop_count + 1);
    count_unseen(&c);
    find_sure(&c);
    if (rules->quiet) find_quiet(&c);
    check_calls(&c, (uint32_t)most);
    for (i = 0; i < g->function_count; i++) {
        if (function(&c, i)->flags & GRAPH_HAS_BODY) check_loops(&c, function(&c, i), i);
        else if (!(function(&c, i)->flags & GRAPH_LATE))
            proof->left_alone_loops += function(&c, i)->loops;
    }
    free(c.sure);
    free(c.gone);
    free(c.memory);
}

void place_proof_free(place_proof *proof) {
    free(proof->open_node);
    free(proof->unread);
    free(proof->open_loop);
    free(proof->open_goto);
    memset(proof, 0, sizeof *proof);
}
