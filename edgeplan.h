/* edgeplan.h - v0.2.0 - where a function needs counters - MIT, text at end of file

   example:
       #define EDGEPLAN_IMPLEMENTATION
       #include "edgeplan.h"
       #include <stdio.h>
       // 0 head, 1 body, 2 EXIT:   head -> body, head -> EXIT, body -> head
       static const uint32_t ends[] = {0, 1,  0, 2,  1, 0};
       static uint64_t memory[200];
       int main(void) {
           edgeplan_graph loop = {3, 3, 0, 2, 0, 0, ends};
           edgeplan plan;
           uint32_t e;
           if (edgeplan_init(&plan, memory, sizeof memory, &loop) == 0) return 1;
           edgeplan_weigh(&plan, NULL);
           edgeplan_edges(&plan, NULL);
           for (e = 0; e < plan.edges; e++)
               printf("edge %u: %s\n", (unsigned)e, plan.plan[e] ? "counter" : "derived");
           return plan.counters != 2;
       }
   end of example.

   STEP BY STEP
     1. Give edgeplan_init the control flow graph of one function: numbered vertices (blocks), one
        of them the root, one of them EXIT (it stands for having left the function and holds no
        code), and edges as pairs of numbers. Parallel edges, edges from a block to itself,
        irreducible loops and edges into the root are legal.
     2. Say which edges run often: edgeplan_weigh guesses it from the nesting of loops. If you have
        counts of an earlier run, put them into an edgeplan_order: they come first, and the guess
        decides between equal counts.
     3. Choose the problem:
            edgeplan_edges       counters on edges, from which every edge and block is derived
                                   Eprof(Ecnt)
            edgeplan_drop        after it: fewer counters, if only blocks are wanted
                                   Vprof(Ecnt)
            edgeplan_vertices    counters in blocks, from which every block is derived
                                   Vprof(Vcnt)
            edgeplan_witnesses   edges that write a token into a trace of the whole path
                                   Trace(Ewit)
            edgeplan_marks       marks for coverage: nothing is derived but straight lines
     4. Read plan[e] of each edge, or print a header for the macros of edgeprof.h by
        edgeplan_write_header.
   edgeprof.h counts and derives, edgetrace.h writes and reads traces; they take these numbers as
   plain arrays.

   PROMISES   No allocation, no recursion, no output, no globals. A graph that breaks the rules is
              refused with a reason and a vertex. The same graph and weights give the same plan on
              every machine.
   THREADS    A plan is used by one thread at a time. Different plans are independent.
   OPTIONS    Where the implementation is compiled: EDGEPLAN_STATIC makes all functions static.
   COST       edgeplan_bytes: 44 bytes an edge and 96 a vertex. Time: n log n to sort the edges;
              the weights walk every loop once. The 2691 functions of sqlite take some milliseconds
              (docs/edgeprof.md).

   Theory: "Optimally Profiling and Tracing Programs" (Ball, Larus; 1994). Sections of the paper
   are named below. */

#ifndef EDGEPLAN_H
#define EDGEPLAN_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define EDGEPLAN_P_GNU
#endif
#if defined(EDGEPLAN_P_GNU) || defined(__TINYC__)
#define EDGEPLAN_P_UNUSED __attribute__((unused))
#else
#define EDGEPLAN_P_UNUSED
#endif
#ifdef EDGEPLAN_STATIC
#define EDGEPLAN_API EDGEPLAN_P_UNUSED static
#elif defined(EDGEPLAN_P_GNU) && !defined(_WIN32)
#define EDGEPLAN_API extern __attribute__((visibility("hidden")))
#else
#define EDGEPLAN_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct edgeplan_graph {
    uint32_t vertices;
    uint32_t edges;
    uint32_t root;
    uint32_t exit;
    uint32_t stays;       /* so many of the last edges are stay edges: they hold no counter */
    uint32_t add_stays;   /* 1: add a stay edge where a vertex cannot reach EXIT; 0: refuse */
    const uint32_t *ends; /* two numbers an edge: source, target */
} edgeplan_graph;

/* Why edgeplan_init refuses a graph, and what its `at` is. */
enum {
    EDGEPLAN_NO_MEMORY = 1, /* less than edgeplan_bytes, or 2^30 edges and more */
    EDGEPLAN_NO_VERTEX = 2, /* a number that is no vertex, or root and EXIT are one; the edge */
    EDGEPLAN_EXIT_LEFT = 3, /* an edge leaves EXIT; the edge */
    EDGEPLAN_UNREACHED = 4, /* no path from the root leads to a vertex; the vertex */
    EDGEPLAN_ENDLESS = 5,   /* no path leads from a vertex to EXIT; the vertex */
    EDGEPLAN_BAD_STAY = 6   /* a stay edge leads elsewhere, or closes a cycle; the edge */
};

/* plan[] of an edge. */
enum {
    EDGEPLAN_NONE = 0,    /* no counter: it is derived */
    EDGEPLAN_COUNTED = 1, /* a counter, a mark or a witness */
    EDGEPLAN_ZERO = 2     /* no counter: take it as known and 0 */
};

typedef struct edgeplan {
    uint32_t vertices;
    uint32_t edges;    /* with stay edges; edge number `edges` is X, from EXIT to the root */
    uint32_t root;
    uint32_t exit;
    uint32_t stays;
    uint32_t *ends;    /* edges + 1 pairs */
    double *weight;    /* of each edge, by edgeplan_weigh; yours to change */
    uint8_t *plan;     /* of each edge and X; after edgeplan_vertices of each vertex */
    uint32_t counters; /* how many are EDGEPLAN_COUNTED */
    uint32_t reason;   /* after a refusal; 0: there was none */
    uint32_t at;
    uint32_t *class_of;    /* after edgeplan_vertices: the class [v] of each vertex */
    uint32_t *class_after; /* and the class s(v) of its successors */
    uint32_t classes;
    /* private */
    uint32_t *out_at, *out, *in_at, *in, *scratch[6], *sort[2];
    double *vertex_weight;
} edgeplan;

/* What the heaviest edges are; they stay without a counter. NULL: those of the largest weight. */
typedef struct edgeplan_order {
    const uint64_t *count; /* counts of an earlier run for each edge, or NULL */
    int minimum;           /* 1: the minimum spanning tree, the worst plan, for comparisons */
} edgeplan_order;

/* Returns the bytes of memory, aligned to 8, that edgeplan_init needs. */
EDGEPLAN_API size_t edgeplan_bytes(uint32_t vertices, uint32_t edges);

/* Copies the graph, adds stay edges if wanted, and checks it. Returns how many edges it has now,
   which is at least 1. 0 means that the graph is refused: see reason and at. p must not be used
   then. */
EDGEPLAN_API uint32_t edgeplan_init(edgeplan *p, void *memory, size_t bytes,
                                    const edgeplan_graph *graph);

/* Marks the vertices that no path from the root reaches. Returns how many there are, or -1 when
   memory is too small or an edge's end is no vertex. For readers of files that drop such vertices
   before edgeplan_init refuses them. */
EDGEPLAN_API int64_t edgeplan_unreached(const edgeplan_graph *graph, uint8_t *mark, void *memory,
                                        size_t bytes);

/* Section 5: weights by loop nesting. probability: of each edge among those of its source, or NULL
   for equal shares. */
EDGEPLAN_API void edgeplan_weigh(edgeplan *p, const double *probability);

/* Section 3.2: counters on the complement of a maximum spanning tree. There are
   edges - vertices + 2 of them. */
EDGEPLAN_API void edgeplan_edges(edgeplan *p, const edgeplan_order *order);

/* Section 3.4: takes counters away while blocks can still be derived. Call edgeplan_edges
   before. */
EDGEPLAN_API void edgeplan_drop(edgeplan *p, const edgeplan_order *order);

/* Section 3.5 (Knuth and Stevenson): counters in vertices. There are vertices - classes + 1 of
   them. order->count, if any, counts vertices here. */
EDGEPLAN_API void edgeplan_vertices(edgeplan *p, const edgeplan_order *order);

/* Section 4: witnesses. call_block: not 0 for each vertex in which another function's tokens may
   come, or which never returns; EXIT is one in any case. */
EDGEPLAN_API void edgeplan_witnesses(edgeplan *p, const uint8_t *call_block,
                                     const edgeplan_order *order);

/* Coverage: marks on the entry (X) and on each edge that leaves a vertex with several. Nothing else
   is marked. */
EDGEPLAN_API void edgeplan_marks(edgeplan *p);

/* Returns whether v has two or more out-edges. */
EDGEPLAN_API int edgeplan_is_predicate(const edgeplan *p, uint32_t v);

/* Prints the macros that edgeprof.h wants for function `name`: counters by the plan that is there
   and marks. Call edgeplan_edges before; afterwards the plan holds marks. Returns 0, or -1 if a
   write failed. */
EDGEPLAN_API int edgeplan_write_header(edgeplan *p, const char *name,
                                       int (*write)(void *user, const void *data, size_t size),
                                       void *user);

#ifdef __cplusplus
}
#endif
#endif /* EDGEPLAN_H */

/* ---- implementation ---- */
#if defined(EDGEPLAN_IMPLEMENTATION) && !defined(EDGEPLAN_IMPLEMENTED)
#define EDGEPLAN_IMPLEMENTED

#define EDGEPLAN_P_NO        UINT32_MAX
#define EDGEPLAN_P_SRC(p, e) ((p)->ends[2 * (size_t)(e)])
#define EDGEPLAN_P_DST(p, e) ((p)->ends[2 * (size_t)(e) + 1])

/* ---- memory ---- */

/* There is at most one stay edge a vertex, and X. */
static uint64_t edgeplan_p_edge_room(uint32_t vertices, uint32_t edges) {
    return (uint64_t)edges + vertices + 1;
}

EDGEPLAN_API size_t edgeplan_bytes(uint32_t vertices, uint32_t edges) {
    uint64_t room = edgeplan_p_edge_room(vertices, edges);
    uint64_t bytes = 8 * room + 8 * (uint64_t)vertices      /* weight, vertex_weight */
                     + 4 * (2 * room + 2 * room + 2 * room) /* ends, out and in, sort */
                     + 4 * (10 * (uint64_t)vertices + 2)    /* out_at, in_at, scratch, classes */
                     + room + 64;                           /* plan */
    return bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)bytes;
}

static uint32_t *edgeplan_p_words(uint32_t **at, uint64_t count) {
    uint32_t *words = *at;
    *at += count;
    return words;
}

/* ---- the graph ---- */

/* Lists of edges by vertex: those of v are list[at[v]] .. list[at[v + 1] - 1], in the order of
   their numbers. X is in none. */
static void edgeplan_p_list(const edgeplan *p, uint32_t side, uint32_t *at, uint32_t *list) {
    uint32_t v, e;
    for (v = 0; v <= p->vertices; v++) at[v] = 0;
    for (e = 0; e < p->edges; e++) at[p->ends[2 * (size_t)e + side] + 1]++;
    for (v = 0; v < p->vertices; v++) at[v + 1] += at[v];
    for (e = 0; e < p->edges; e++) list[at[p->ends[2 * (size_t)e + side]]++] = e;
    for (v = p->vertices; v > 0; v--) at[v] = at[v - 1];
    at[0] = 0;
}

static void edgeplan_p_adjacency(edgeplan *p) {
    edgeplan_p_list(p, 0, p->out_at, p->out);
    edgeplan_p_list(p, 1, p->in_at, p->in);
}

/* Sets mark[w] = 1 for v and whatever is reached from it (forward), or reaches it (not forward),
   over unmarked vertices. */
static void edgeplan_p_flood(const edgeplan *p, uint32_t v, int forward, uint32_t *mark,
                             uint32_t *queue) {
    const uint32_t *at = forward ? p->out_at : p->in_at, *list = forward ? p->out : p->in;
    uint32_t count = 1, i;
    mark[v] = 1;
    queue[0] = v;
    while (count > 0) {
        v = queue[--count];
        for (i = at[v]; i < at[v + 1]; i++) {
            uint32_t w = p->ends[2 * (size_t)list[i] + (forward ? 1 : 0)];
            if (mark[w]) continue;
            mark[w] = 1;
            queue[count++] = w;
        }
    }
}

static uint32_t edgeplan_p_refuse(edgeplan *p, uint32_t reason, uint32_t at) {
    p->reason = reason;
    p->at = at;
    return 0;
}

/* Vertices that cannot reach EXIT, as those of an endless loop, break the flow law: activations
   that end there vanish. A stay edge v -> EXIT for one v in each component that nothing leaves
   mends it. The last finisher of a depth-first search over reversed edges lies in such a component.
   It should not be the root, for a stay edge root -> EXIT and X are a cycle. */
static void edgeplan_p_add_stays(edgeplan *p) {
    uint32_t *reached = p->scratch[0], *stack = p->scratch[1], *next = p->scratch[2],
             *order = p->scratch[3];
    uint32_t *seen = p->scratch[4], finished = 0, depth, v, w, i;
    for (v = 0; v < p->vertices; v++) seen[v] = reached[v];
    for (w = 0; w < p->vertices; w++) {
        if (seen[w]) continue;
        seen[w] = 1;
        next[w] = p->in_at[w];
        stack[0] = w;
        depth = 1;
        while (depth > 0) {
            v = stack[depth - 1];
            if (next[v] == p->in_at[v + 1]) {
                order[finished++] = v;
                depth--;
                continue;
            }
            i = EDGEPLAN_P_SRC(p, p->in[next[v]++]);
            if (seen[i]) continue;
            seen[i] = 1;
            next[i] = p->in_at[i];
            stack[depth++] = i;
        }
    }
    for (i = finished; i > 0; i--) {
        v = order[i - 1];
        if (reached[v]) continue;
        if (v == p->root)
            for (w = i - 1; w > 0 && v == p->root; w--)
                if (!reached[order[w - 1]]) v = order[w - 1];
        EDGEPLAN_P_SRC(p, p->edges) = v;
        EDGEPLAN_P_DST(p, p->edges) = p->exit;
        p->edges++;
        p->stays++;
        edgeplan_p_flood(p, v, 0, reached, stack);
    }
}

EDGEPLAN_API uint32_t edgeplan_init(edgeplan *p, void *memory, size_t bytes,
                                    const edgeplan_graph *graph) {
    uint64_t room = edgeplan_p_edge_room(graph->vertices, graph->edges), i;
    uint32_t *words = (uint32_t *)memory, *mark, v, e;
    p->vertices = graph->vertices;
    p->edges = graph->edges;
    p->root = graph->root;
    p->exit = graph->exit;
    p->stays = graph->stays;
    p->counters = p->classes = p->reason = p->at = 0;
    if (bytes < edgeplan_bytes(p->vertices, p->edges) || room >= (uint32_t)1 << 30)
        return edgeplan_p_refuse(p, EDGEPLAN_NO_MEMORY, 0);
    if (p->root >= p->vertices || p->exit >= p->vertices || p->root == p->exit ||
        p->stays > p->edges)
        return edgeplan_p_refuse(p, EDGEPLAN_NO_VERTEX, 0);
    p->weight = (double *)memory;
    words += 2 * room;
    p->vertex_weight = (double *)(void *)words;
    words += 2 * (size_t)p->vertices;
    p->ends = edgeplan_p_words(&words, 2 * room);
    p->out = edgeplan_p_words(&words, room);
    p->in = edgeplan_p_words(&words, room);
    for (i = 0; i < 2; i++) p->sort[i] = edgeplan_p_words(&words, room);
    p->out_at = edgeplan_p_words(&words, (uint64_t)p->vertices + 1);
    p->in_at = edgeplan_p_words(&words, (uint64_t)p->vertices + 1);
    for (i = 0; i < 6; i++) p->scratch[i] = edgeplan_p_words(&words, p->vertices);
    p->class_of = edgeplan_p_words(&words, p->vertices);
    p->class_after = edgeplan_p_words(&words, p->vertices);
    p->plan = (uint8_t *)words;
    for (i = 0; i < room; i++) {
        p->plan[i] = EDGEPLAN_NONE;
        p->weight[i] = 0;
    }
    for (e = 0; e < p->edges; e++) {
        uint32_t from = graph->ends[2 * (size_t)e], to = graph->ends[2 * (size_t)e + 1];
        if (from >= p->vertices || to >= p->vertices)
            return edgeplan_p_refuse(p, EDGEPLAN_NO_VERTEX, e);
        if (from == p->exit) return edgeplan_p_refuse(p, EDGEPLAN_EXIT_LEFT, e);
        if (e >= p->edges - p->stays && to != p->exit)
            return edgeplan_p_refuse(p, EDGEPLAN_BAD_STAY, e);
        EDGEPLAN_P_SRC(p, e) = from;
        EDGEPLAN_P_DST(p, e) = to;
    }
    edgeplan_p_adjacency(p);
    mark = p->scratch[0];
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    edgeplan_p_flood(p, p->root, 1, mark, p->scratch[1]);
    /* A function that never returns does not reach EXIT before it has a stay edge. */
    for (v = 0; v < p->vertices; v++)
        if (!mark[v] && (v != p->exit || !graph->add_stays))
            return edgeplan_p_refuse(p, EDGEPLAN_UNREACHED, v);
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    edgeplan_p_flood(p, p->exit, 0, mark, p->scratch[1]);
    for (v = 0; v < p->vertices && mark[v]; v++) {
    }
    if (v < p->vertices) {
        if (!graph->add_stays) return edgeplan_p_refuse(p, EDGEPLAN_ENDLESS, v);
        edgeplan_p_add_stays(p);
        edgeplan_p_adjacency(p);
    }
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    for (e = p->edges - p->stays; e < p->edges; e++)
        if (mark[EDGEPLAN_P_SRC(p, e)]++) return edgeplan_p_refuse(p, EDGEPLAN_BAD_STAY, e);
    EDGEPLAN_P_SRC(p, p->edges) = p->exit;
    EDGEPLAN_P_DST(p, p->edges) = p->root;
    return p->edges;
}

EDGEPLAN_API int64_t edgeplan_unreached(const edgeplan_graph *graph, uint8_t *mark, void *memory,
                                        size_t bytes) {
    uint32_t *head = (uint32_t *)memory, *next, *stack, count = 0, left = graph->vertices, v, e;
    if (bytes < edgeplan_bytes(graph->vertices, graph->edges) || graph->root >= graph->vertices)
        return -1;
    next = head + graph->vertices;
    stack = next + graph->edges;
    for (v = 0; v < graph->vertices; v++) {
        head[v] = EDGEPLAN_P_NO;
        mark[v] = 1;
    }
    for (e = 0; e < graph->edges; e++) {
        v = graph->ends[2 * (size_t)e];
        if (v >= graph->vertices || graph->ends[2 * (size_t)e + 1] >= graph->vertices) return -1;
        next[e] = head[v];
        head[v] = e;
    }
    mark[graph->root] = 0;
    stack[count++] = graph->root;
    while (count > 0) {
        left--;
        for (e = head[stack[--count]]; e != EDGEPLAN_P_NO; e = next[e]) {
            v = graph->ends[2 * (size_t)e + 1];
            if (mark[v]) stack[count++] = v;
            mark[v] = 0;
        }
    }
    return left;
}

EDGEPLAN_API int edgeplan_is_predicate(const edgeplan *p, uint32_t v) {
    return p->out_at[v + 1] - p->out_at[v] > 1;
}

/* ---- weights by loop nesting (section 5) ---- */

/* A depth-first search finds the back-edges (an edge to a vertex that is still on the stack) and a
   topological order of the others. The target of a back-edge is a loop entry y; its natural loop is
   y and all vertices that reach the source of a back-edge without passing y. In that order each
   vertex v hands its weight W, the sum over its in-edges that are no back-edges, to its out-edges:

       If v is a loop entry, the edges that leave its loop share W, unless an outer loop has given
       them a weight before. What is inside runs ten times as often: W becomes 10 W.
       The loop exits among v's own out-edges are taken off W. The other out-edges share the rest.

   The rest is at least 0: an exit deep inside of conditionals may weigh more than its source. Cost:
   each loop entry walks its own loop. Weights stop growing at 1e300, so that no depth of loops
   makes an infinity. */

/* Some machines compute with more digits than a double holds. A plan must not depend on that. */
static double edgeplan_p_round(double x) {
    volatile double rounded = x > 1e300 ? 1e300 : x;
    return rounded;
}

/* Fills back[e] and the order; returns how many vertices it has, which is all of them. */
static uint32_t edgeplan_p_topological(const edgeplan *p, uint8_t *back, uint32_t *order) {
    uint32_t *stack = p->scratch[1], *next = p->scratch[2], *state = p->scratch[3];
    uint32_t depth = 1, at = p->vertices, v, e;
    for (v = 0; v < p->vertices; v++) state[v] = 0;
    for (e = 0; e < p->edges; e++) back[e] = 0;
    stack[0] = p->root;
    state[p->root] = 1;
    next[p->root] = p->out_at[p->root];
    while (depth > 0) {
        v = stack[depth - 1];
        if (next[v] == p->out_at[v + 1]) {
            state[v] = 2;
            order[--at] = v;
            depth--;
            continue;
        }
        e = p->out[next[v]++];
        v = EDGEPLAN_P_DST(p, e);
        back[e] = state[v] == 1;
        if (state[v] != 0) continue;
        state[v] = 1;
        next[v] = p->out_at[v];
        stack[depth++] = v;
    }
    return p->vertices - at;
}

/* Is v a loop entry? Then queue[0 .. *count) is its natural loop, and inside[] of its members is
   v + 1. */
static int edgeplan_p_loop(const edgeplan *p, uint32_t v, const uint8_t *back, uint32_t *inside,
                           uint32_t *queue, uint32_t *count) {
    uint32_t done = 1, i, w;
    int is_entry = 0;
    queue[0] = v;
    *count = 1;
    for (i = p->in_at[v]; i < p->in_at[v + 1]; i++) {
        if (!back[p->in[i]]) continue;
        is_entry = 1;
        inside[v] = v + 1;
        w = EDGEPLAN_P_SRC(p, p->in[i]);
        if (inside[w] == v + 1) continue;
        inside[w] = v + 1;
        queue[(*count)++] = w;
    }
    if (!is_entry) return 0;
    for (; done < *count; done++)
        for (i = p->in_at[queue[done]]; i < p->in_at[queue[done] + 1]; i++) {
            w = EDGEPLAN_P_SRC(p, p->in[i]);
            if (inside[w] == v + 1) continue;
            inside[w] = v + 1;
            queue[(*count)++] = w;
        }
    return 1;
}

/* Rule 2: edges from the loop to outside share W. */
static void edgeplan_p_loop_exits(edgeplan *p, double W, uint32_t stamp, const uint32_t *inside,
                                  const uint32_t *loop, uint32_t count) {
    uint32_t exits = 0, pass, k, i;
    for (pass = 0; pass < 2; pass++)
        for (k = 0; k < count; k++)
            for (i = p->out_at[loop[k]]; i < p->out_at[loop[k] + 1]; i++) {
                uint32_t e = p->out[i];
                if (inside[EDGEPLAN_P_DST(p, e)] == stamp) continue;
                if (pass == 0)
                    exits++;
                else if (p->weight[e] < 0)
                    p->weight[e] = edgeplan_p_round(W / exits);
            }
}

EDGEPLAN_API void edgeplan_weigh(edgeplan *p, const double *probability) {
    uint32_t *order = p->scratch[0], *inside = p->scratch[4], *loop = p->scratch[5];
    uint32_t count = edgeplan_p_topological(p, p->plan, order), in_loop, k, i, e, v;
    const uint8_t *back = p->plan;
    for (e = 0; e < p->edges; e++) p->weight[e] = -1;
    for (v = 0; v < p->vertices; v++) inside[v] = 0;
    for (k = 0; k < count; k++) {
        double W, set = 0, all = 0;
        uint32_t unset = 0;
        v = order[k];
        W = v == p->root;
        for (i = p->in_at[v]; i < p->in_at[v + 1]; i++)
            if (!back[p->in[i]]) W = edgeplan_p_round(W + p->weight[p->in[i]]);
        if (edgeplan_p_loop(p, v, back, inside, loop, &in_loop)) {
            edgeplan_p_loop_exits(p, W, v + 1, inside, loop, in_loop);
            W = edgeplan_p_round(10 * W);
        }
        for (i = p->out_at[v]; i < p->out_at[v + 1]; i++) {
            e = p->out[i];
            if (p->weight[e] >= 0)
                set = edgeplan_p_round(set + p->weight[e]);
            else {
                unset++;
                if (probability) all += probability[e];
            }
        }
        W = W > set ? edgeplan_p_round(W - set) : 0;
        for (i = p->out_at[v]; i < p->out_at[v + 1]; i++) {
            e = p->out[i];
            if (p->weight[e] >= 0) continue;
            p->weight[e] = probability && all > 0 ? edgeplan_p_round(W * (probability[e] / all))
                                                  : edgeplan_p_round(W / unset);
        }
    }
    for (e = 0; e < p->edges; e++) {
        if (p->weight[e] < 0) p->weight[e] = 0;
        p->plan[e] = EDGEPLAN_NONE;
    }
}

/* ---- spanning trees (section 3.2) ---- */

/* Counters yield all counts if and only if the edges without one hold no cycle, directions ignored.
   So these edges are a spanning tree, and the cheapest plan leaves a maximum one without counters
   (Kruskal). X and the stay edges cannot hold a counter: they are joined first. Ties: critical
   edges are heavier, for a counter there needs a block of its own; then smaller numbers. */

static uint32_t edgeplan_p_find(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Returns 1 if two sets became one. */
static int edgeplan_p_join(uint32_t *parent, uint32_t v, uint32_t w) {
    v = edgeplan_p_find(parent, v);
    w = edgeplan_p_find(parent, w);
    parent[v] = w;
    return v != w;
}

static void edgeplan_p_singles(const edgeplan *p, uint32_t *parent) {
    uint32_t v;
    for (v = 0; v < p->vertices; v++) parent[v] = v;
}

static int edgeplan_p_critical(const edgeplan *p, uint32_t e) {
    uint32_t v = EDGEPLAN_P_SRC(p, e), w = EDGEPLAN_P_DST(p, e);
    return p->out_at[v + 1] - p->out_at[v] > 1 && p->in_at[w + 1] - p->in_at[w] > 1;
}

typedef struct edgeplan_p_keys {
    const uint64_t *count;
    const double *weight;
    const edgeplan *edges_of;
    int minimum;
} edgeplan_p_keys;

/* Does a come before b? Heavier first, or lighter in a minimum tree. */
static int edgeplan_p_before(const edgeplan_p_keys *k, uint32_t a, uint32_t b) {
    if (k->count && k->count[a] != k->count[b]) return (k->count[a] > k->count[b]) != k->minimum;
    if (k->weight[a] < k->weight[b] || k->weight[a] > k->weight[b])
        return (k->weight[a] > k->weight[b]) != k->minimum;
    if (k->edges_of) {
        int critical = edgeplan_p_critical(k->edges_of, a);
        if (critical != edgeplan_p_critical(k->edges_of, b)) return critical;
    }
    return a < b;
}

/* Merge sort of 0 .. n - 1, from runs of one up. Returns where the result is. */
static uint32_t *edgeplan_p_sort(const edgeplan *p, uint32_t n, const edgeplan_p_keys *keys) {
    uint32_t *from = p->sort[0], *to = p->sort[1], *swap, width, low, i;
    for (i = 0; i < n; i++) from[i] = i;
    for (width = 1; width < n; width *= 2) {
        for (low = 0; low < n; low += 2 * width) {
            uint32_t middle = n - low < width ? n : low + width,
                     high = n - low < 2 * width ? n : low + 2 * width;
            uint32_t left = low, right = middle;
            for (i = low; i < high; i++)
                to[i] = left < middle &&
                                (right == high || !edgeplan_p_before(keys, from[right], from[left]))
                            ? from[left++]
                            : from[right++];
        }
        swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static uint32_t *edgeplan_p_sort_edges(const edgeplan *p, const edgeplan_order *order) {
    edgeplan_p_keys keys;
    keys.count = order ? order->count : NULL;
    keys.weight = p->weight;
    keys.edges_of = p;
    keys.minimum = order && order->minimum;
    return edgeplan_p_sort(p, p->edges, &keys);
}

static void edgeplan_p_count(edgeplan *p, uint32_t n) {
    uint32_t i;
    p->counters = 0;
    for (i = 0; i < n; i++) p->counters += p->plan[i] == EDGEPLAN_COUNTED;
}

EDGEPLAN_API void edgeplan_edges(edgeplan *p, const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *sorted = edgeplan_p_sort_edges(p, order), i, e;
    edgeplan_p_singles(p, parent);
    for (e = p->edges - p->stays; e < p->edges; e++) {
        edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), p->exit);
        p->plan[e] = EDGEPLAN_NONE;
    }
    p->plan[p->edges] =
        edgeplan_p_join(parent, p->root, p->exit) ? EDGEPLAN_NONE : EDGEPLAN_COUNTED;
    for (i = 0; i < p->edges; i++) {
        e = sorted[i];
        if (e >= p->edges - p->stays) continue;
        p->plan[e] = edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e))
                         ? EDGEPLAN_NONE
                         : EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- counters on edges, counts of blocks alone (section 3.4) ---- */

/* Each counted edge closes one cycle with the tree. Where two edges of a cycle meet at a vertex,
   both leave it (fork), both enter it (join), or one does each (pipe). If a cycle has no pipe, then
   adding d and -d in turn around it changes no block's sum: its counter is not needed. The
   heuristic takes counters off such cycles, heaviest first, as long as they share no vertex, so
   that no other simple cycle arises. */

/* parent edge and depth of every vertex in the tree, by walking over the edges without counters */
static void edgeplan_p_root_tree(const edgeplan *p, uint32_t *up, uint32_t *depth,
                                 uint32_t *queue) {
    uint32_t count = 1, done, v, w, e, i, side;
    for (v = 0; v < p->vertices; v++) depth[v] = EDGEPLAN_P_NO;
    depth[p->exit] = 0;
    up[p->exit] = EDGEPLAN_P_NO;
    queue[0] = p->exit;
    for (done = 0; done < count; done++) {
        v = queue[done];
        for (side = 0; side < 2; side++) {
            const uint32_t *at = side ? p->in_at : p->out_at, *list = side ? p->in : p->out;
            for (i = at[v]; i < at[v + 1]; i++) {
                e = list[i];
                w = side ? EDGEPLAN_P_SRC(p, e) : EDGEPLAN_P_DST(p, e);
                if (p->plan[e] != EDGEPLAN_NONE || depth[w] != EDGEPLAN_P_NO) continue;
                depth[w] = depth[v] + 1;
                up[w] = e;
                queue[count++] = w;
            }
        }
        if (v == p->exit && p->plan[p->edges] == EDGEPLAN_NONE && depth[p->root] == EDGEPLAN_P_NO) {
            depth[p->root] = 1;
            up[p->root] = p->edges;
            queue[count++] = p->root;
        }
    }
}

static uint32_t edgeplan_p_other_end(const edgeplan *p, uint32_t e, uint32_t v) {
    return EDGEPLAN_P_SRC(p, e) == v ? EDGEPLAN_P_DST(p, e) : EDGEPLAN_P_SRC(p, e);
}

/* Walks the cycle of e with the tree. Returns 1 if it has no pipe and no marked vertex; with set !=
   0 marks its vertices. The two paths climb from both ends of e until they meet; into[] is the edge
   over which each came to its vertex. */
static int edgeplan_p_pipe_free(const edgeplan *p, uint32_t e, const uint32_t *up,
                                const uint32_t *depth, uint32_t *mark, uint32_t set) {
    uint32_t at[2], into[2], side;
    at[0] = EDGEPLAN_P_SRC(p, e);
    at[1] = EDGEPLAN_P_DST(p, e);
    into[0] = into[1] = e;
    while (at[0] != at[1]) {
        uint32_t v, next;
        side = depth[at[0]] >= depth[at[1]] ? 0 : 1;
        v = at[side];
        next = up[v];
        if (set)
            mark[v] = 1;
        else if (mark[v] || (EDGEPLAN_P_SRC(p, next) == v) != (EDGEPLAN_P_SRC(p, into[side]) == v))
            return 0;
        into[side] = next;
        at[side] = edgeplan_p_other_end(p, next, v);
    }
    if (set) mark[at[0]] = 1;
    return !mark[at[0]] &&
           (EDGEPLAN_P_SRC(p, into[0]) == at[0]) == (EDGEPLAN_P_SRC(p, into[1]) == at[0]);
}

EDGEPLAN_API void edgeplan_drop(edgeplan *p, const edgeplan_order *order) {
    uint32_t *up = p->scratch[0], *depth = p->scratch[1], *mark = p->scratch[2], *sorted, i, v;
    edgeplan_p_keys keys;
    edgeplan_p_root_tree(p, up, depth, p->scratch[3]);
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    keys.count = order ? order->count : NULL;
    keys.weight = p->weight;
    keys.edges_of = NULL;
    keys.minimum = 0;
    sorted = edgeplan_p_sort(p, p->edges, &keys);
    for (i = 0; i < p->edges; i++) {
        uint32_t e = sorted[i];
        if (p->plan[e] != EDGEPLAN_COUNTED || EDGEPLAN_P_SRC(p, e) == EDGEPLAN_P_DST(p, e))
            continue;
        if (!edgeplan_p_pipe_free(p, e, up, depth, mark, 0)) continue;
        edgeplan_p_pipe_free(p, e, up, depth, mark, 1);
        p->plan[e] = EDGEPLAN_ZERO;
    }
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- counters in vertices (section 3.5; Knuth and Stevenson) ---- */

/* All successors of a vertex form one class, and classes that overlap are one. Every vertex v is an
   edge from its own class [v] to the class s(v) of its successors, and the flow law holds there:
   what enters a class leaves it. So the vertices that lie off a spanning tree of this reduced graph
   need counters. EXIT cannot be counted and joins the tree first. */

EDGEPLAN_API void edgeplan_vertices(edgeplan *p, const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *first = p->scratch[1], *sorted, v, e, i;
    edgeplan_p_keys keys;
    edgeplan_p_singles(p, parent);
    for (v = 0; v < p->vertices; v++) {
        first[v] = EDGEPLAN_P_NO;
        p->vertex_weight[v] = v == p->root;
    }
    for (e = 0; e <= p->edges; e++) {
        v = EDGEPLAN_P_SRC(p, e);
        if (first[v] == EDGEPLAN_P_NO) first[v] = EDGEPLAN_P_DST(p, e);
        edgeplan_p_join(parent, first[v], EDGEPLAN_P_DST(p, e));
        if (e < p->edges)
            p->vertex_weight[EDGEPLAN_P_DST(p, e)] =
                edgeplan_p_round(p->vertex_weight[EDGEPLAN_P_DST(p, e)] + p->weight[e]);
    }
    p->classes = 0;
    for (v = 0; v < p->vertices; v++)
        if (parent[v] == v) p->class_of[v] = p->classes++;
    for (v = 0; v < p->vertices; v++) p->class_of[v] = p->class_of[edgeplan_p_find(parent, v)];
    for (v = 0; v < p->vertices; v++) p->class_after[v] = p->class_of[first[v]];

    keys.count = order ? order->count : NULL;
    keys.weight = p->vertex_weight;
    keys.edges_of = NULL;
    keys.minimum = order && order->minimum;
    sorted = edgeplan_p_sort(p, p->vertices, &keys);
    edgeplan_p_singles(p, parent);
    p->plan[p->exit] = edgeplan_p_join(parent, p->class_of[p->exit], p->class_after[p->exit])
                           ? EDGEPLAN_NONE
                           : EDGEPLAN_COUNTED;
    for (i = 0; i < p->vertices; i++) {
        v = sorted[i];
        if (v == p->exit) continue;
        p->plan[v] = edgeplan_p_join(parent, p->class_of[v], p->class_after[v]) ? EDGEPLAN_NONE
                                                                                : EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->vertices);
}

/* ---- witnesses (section 4) ---- */

/* An edge with a witness writes a token when it is taken. A reader that stands at a predicate holds
   the next token and must know from it which way to go; so of all paths that leave the predicate,
   at most one may reach each token without passing another. The complement of an undirected forest
   will do. Where another function's tokens may come, no token may be held: there must be no path
   without witness from a predicate to such a call block. Walking back from the call blocks, an
   in-edge from a predicate gets a witness and is not crossed; one from any other vertex is crossed.
   These come first, for they break cycles on the way; the forest is made of what is left, without
   X. */

EDGEPLAN_API void edgeplan_witnesses(edgeplan *p, const uint8_t *call_block,
                                     const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *seen = p->scratch[1], *queue = p->scratch[2];
    uint32_t *sorted = edgeplan_p_sort_edges(p, order), count = 0, done, v, e, i;
    for (e = 0; e <= p->edges; e++) p->plan[e] = EDGEPLAN_NONE;
    for (v = 0; v < p->vertices; v++) {
        seen[v] = call_block[v] || v == p->exit;
        if (seen[v]) queue[count++] = v;
    }
    for (done = 0; done < count; done++)
        for (i = p->in_at[queue[done]]; i < p->in_at[queue[done] + 1]; i++) {
            e = p->in[i];
            v = EDGEPLAN_P_SRC(p, e);
            if (edgeplan_is_predicate(p, v))
                p->plan[e] = EDGEPLAN_COUNTED;
            else if (!seen[v]) {
                seen[v] = 1;
                queue[count++] = v;
            }
        }
    edgeplan_p_singles(p, parent);
    for (e = p->edges - p->stays; e < p->edges; e++)
        if (p->plan[e] == EDGEPLAN_NONE) edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), p->exit);
    for (i = 0; i < p->edges; i++) {
        e = sorted[i];
        if (p->plan[e] != EDGEPLAN_NONE || e >= p->edges - p->stays) continue;
        if (!edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e)))
            p->plan[e] = EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->edges);
}

/* ---- coverage ---- */

EDGEPLAN_API void edgeplan_marks(edgeplan *p) {
    uint32_t e;
    for (e = 0; e < p->edges; e++)
        p->plan[e] = edgeplan_is_predicate(p, EDGEPLAN_P_SRC(p, e)) && e < p->edges - p->stays
                         ? EDGEPLAN_COUNTED
                         : EDGEPLAN_NONE;
    p->plan[p->edges] = EDGEPLAN_COUNTED;
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- a plan as a header ---- */

typedef struct edgeplan_p_text {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error;
} edgeplan_p_text;

static void edgeplan_p_say(edgeplan_p_text *t, const char *words) {
    size_t size = 0;
    while (words[size]) size++;
    if (!t->error) t->error = t->write(t->user, words, size);
}

static void edgeplan_p_say_number(edgeplan_p_text *t, uint32_t number) {
    char digits[11], *at = digits + 10;
    *at = 0;
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    edgeplan_p_say(t, at);
}

/* "#define EP_" kind "_" name ["_" edge] " " value; edge `edges` is called X. */
static void edgeplan_p_define(edgeplan_p_text *t, const edgeplan *p, const char *kind,
                              const char *name, uint32_t edge, uint32_t value) {
    edgeplan_p_say(t, "#define EP_");
    edgeplan_p_say(t, kind);
    edgeplan_p_say(t, "_");
    edgeplan_p_say(t, name);
    if (edge != EDGEPLAN_P_NO) {
        edgeplan_p_say(t, "_");
        if (edge == p->edges)
            edgeplan_p_say(t, "X");
        else
            edgeplan_p_say_number(t, edge);
    }
    edgeplan_p_say(t, " ");
    edgeplan_p_say_number(t, value);
    edgeplan_p_say(t, value > 65535 ? "u\n" : "\n");
}

/* One line for every edge that a program may name (not stay edges): 0 or 1, and with 1 its
   place. */
static void edgeplan_p_define_edges(edgeplan_p_text *t, const edgeplan *p, const char *is,
                                    const char *place, const char *name) {
    uint32_t slot = 0, e;
    for (e = 0; e <= p->edges; e++) {
        if (e >= p->edges - p->stays && e < p->edges) continue;
        edgeplan_p_define(t, p, is, name, e, p->plan[e] == EDGEPLAN_COUNTED);
        if (p->plan[e] == EDGEPLAN_COUNTED) edgeplan_p_define(t, p, place, name, e, slot++);
    }
}

/* Of the table and the plan (FNV-1a): counters of different plans must not be added up. */
static uint32_t edgeplan_p_hash(const edgeplan *p) {
    uint32_t hash = UINT32_C(0x811C9DC5), e;
    for (e = 0; e <= p->edges; e++) {
        hash = (hash ^ EDGEPLAN_P_SRC(p, e)) * UINT32_C(0x01000193);
        hash = (hash ^ EDGEPLAN_P_DST(p, e)) * UINT32_C(0x01000193);
        hash = (hash ^ p->plan[e]) * UINT32_C(0x01000193);
    }
    return hash;
}

EDGEPLAN_API int edgeplan_write_header(edgeplan *p, const char *name,
                                       int (*write)(void *user, const void *data, size_t size),
                                       void *user) {
    edgeplan_p_text t;
    uint32_t sum = 0, edges = p->edges - p->stays, e;
    t.write = write;
    t.user = user;
    t.error = 0;
    for (e = 0; e < edges; e++)
        sum += (e + 1) * (97 * EDGEPLAN_P_SRC(p, e) + EDGEPLAN_P_DST(p, e) + 1);
    edgeplan_p_say(&t, "/* ");
    edgeplan_p_say(&t, name);
    edgeplan_p_say(&t, ": made by the planner from the function's table */\n");
    edgeplan_p_define(&t, p, "NE", name, EDGEPLAN_P_NO, edges);
    edgeplan_p_define(&t, p, "NS", name, EDGEPLAN_P_NO, p->stays);
    edgeplan_p_define(&t, p, "NC", name, EDGEPLAN_P_NO, p->counters);
    edgeplan_p_define(&t, p, "SUM", name, EDGEPLAN_P_NO, sum);
    edgeplan_p_define(&t, p, "HASH", name, EDGEPLAN_P_NO, edgeplan_p_hash(p));
    edgeplan_p_say(&t, "#define EP_STAYS_");
    edgeplan_p_say(&t, name);
    for (e = edges; e < p->edges; e++) {
        edgeplan_p_say(&t, " ");
        edgeplan_p_say_number(&t, EDGEPLAN_P_SRC(p, e));
        edgeplan_p_say(&t, ", ");
        edgeplan_p_say_number(&t, p->exit);
        edgeplan_p_say(&t, ",");
    }
    edgeplan_p_say(&t, "\n");
    edgeplan_p_define_edges(&t, p, "L", "S", name);
    edgeplan_marks(p);
    edgeplan_p_define(&t, p, "NB", name, EDGEPLAN_P_NO, p->counters);
    edgeplan_p_define_edges(&t, p, "C", "B", name);
    return t.error ? -1 : 0;
}
#endif /* EDGEPLAN_IMPLEMENTATION */

/*
MIT License

Copyright (c) 2026 the bursty authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
