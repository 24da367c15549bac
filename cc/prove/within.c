/* within.c - how many instructions run between two checks, at most.

   A run goes from behind a check to the next one. It may come back to callers,
   and then go down into callees:

       check  f ........ return
                              g .. call h, which comes back .. call k
                                                                     k .... check

   ahead[v]     the longest way on from v in its frame and what it calls
   through[v]   the same up to the return of its frame; 0: there is none
   above[f]     the longest way on behind the calls of f, in frames around it

   Components of the graph without checks come in the order in which each leads
   to those before it. A loop among them counts what prove_strips finds; if it
   finds nothing, the loop has no end that can be seen, is reported, and counts as
   one round. Recursion has none, either. What a pointer leads to is the longest
   of all that are taken. An outside function counts as one instruction. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static const uint64_t most = UINT64_C(1) << 60;

typedef struct frame_call { uint32_t callee, frame, behind; } frame_call; /* numbers of entries; a node */

typedef struct within {
    const prove_rest *rest;
    prove_runs *r;
    uint64_t *ahead, *through, *cost;           /* of vertices */
    uint32_t *end;                              /* where the longest way on from it ends */
    uint32_t *entries, *entry_of;               /* nodes; of vertices: number of the entry, or none */
    uint32_t entry_count;
    size_t entry_room;
    uint64_t *tail, *above;                     /* of entries */
    uint32_t *tail_from, *above_to;
    frame_call *calls;
    size_t call_count, call_room;
    void (*endless)(void *user, const uint32_t *nodes, size_t count, uint32_t part, int is_recursion);
    void *user;
} within;

static uint64_t sum(uint64_t a, uint64_t b) { return a + b < most ? a + b : most; }

static uint32_t next_of(const within *w, uint32_t v) {
    uint32_t next = v < w->rest->any ? w->rest->code->nodes[v].next : PROVE_NONE;
    return next == PROVE_NONE || w->rest->gone[next] ? PROVE_NONE : next;
}

/* Does this edge go down into a callee, from which a return leads back? */
static int is_descent(const within *w, uint32_t v, uint32_t to) {
    const prove_node *n;
    if (v >= w->rest->any) return 0;
    n = &w->rest->code->nodes[v];
    if (n->kind == CODE_CALL) return to == n->to;
    if (n->kind == CODE_CALL_ANY || n->kind == CODE_CALL_OUT) return to >= w->rest->any;
    return 0;
}

/* ---- one component ---- */

/* What passing the vertex costs, if control goes on in its frame. */
static uint64_t cost_of(const within *w, uint32_t v) {
    const prove_node *n;
    if (v >= w->rest->any) return 0;
    n = &w->rest->code->nodes[v];
    if (n->kind == CODE_CALL && n->to != PROVE_NONE && !w->rest->gone[n->to])
        return sum(1, w->through[n->to]);
    if (n->kind == CODE_CALL_ANY) return sum(1, w->through[w->rest->any]);
    return 1;
}

/* Does the frame end at it? */
static int is_end(const within *w, uint32_t v) {
    const prove_node *n;
    if (v >= w->rest->any) return 0;
    n = &w->rest->code->nodes[v];
    return n->kind == CODE_RETURN || n->kind == CODE_JUMP_OUT || n->kind == CODE_UNREAD ||
           (n->kind == CODE_BRANCH && n->to == PROVE_NONE);
}

/* Sets ahead and through of the vertices of a component, which take `own` in
   all while control is among them. */
static void go_on(within *w, const uint32_t *list, size_t count, uint64_t own) {
    const prove_rest *g = w->rest;
    uint32_t part = g->component[list[0]], end = list[0];
    uint64_t ahead = own, through = 0;
    size_t i, e;
    for (i = 0; i < count; i++) {
        uint32_t v = list[i];
        if (is_end(w, v) && own > through) through = own;
        for (e = g->links->first[v]; e < g->links->first[v + 1]; e++) {
            uint32_t to = g->links->to[e];
            int down = is_descent(w, v, to);
            uint64_t way;
            if (g->gone[to] || g->component[to] == part) continue;
            way = sum(down && count == 1 ? 1 : own, w->ahead[to]);
            if (way > ahead) {
                ahead = way;
                end = w->end[to];
            }
            if (!down && w->through[to] && sum(own, w->through[to]) > through)
                through = sum(own, w->through[to]);
        }
    }
    for (i = 0; i < count; i++) {
        w->ahead[list[i]] = ahead;
        w->through[list[i]] = through;
        w->end[list[i]] = end;
    }
}

static int is_cyclic(const within *w, const uint32_t *list, size_t count) {
    const graph_links *links = w->rest->links;
    size_t e;
    if (count > 1) return 1;
    for (e = links->first[*list]; e < links->first[*list + 1]; e++) {
        if (links->to[e] == *list) return 1;
    }
    return 0;
}

/* Does the component hold a call of itself, or lead out and back? */
static int is_recursion(const within *w, const uint32_t *list, size_t count) {
    const prove_rest *g = w->rest;
    size_t i, e;
    for (i = 0; i < count; i++) {
        if (list[i] >= g->any) return 1;
        for (e = g->links->first[list[i]]; e < g->links->first[list[i] + 1]; e++) {
            uint32_t to = g->links->to[e];
            if (g->component[to] == g->component[list[i]] && is_descent(w, list[i], to)) return 1;
        }
    }
    return 0;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void measure(within *w, uint32_t *list, size_t count) {
    prove_loop l;
    uint64_t own = 0, all = 0;
    int recursion;
    size_t i;
    for (i = 0; i < count; i++) {
        w->cost[list[i]] = cost_of(w, list[i]);
        all = sum(all, w->cost[list[i]]);
    }
    if (!is_cyclic(w, list, count)) {
        go_on(w, list, count, all);
        return;
    }
    qsort(list, count, sizeof *list, by_number);
    recursion = is_recursion(w, list, count);
    if (list[0] < w->rest->any && !recursion) {
        memset(&l, 0, sizeof l);
        l.code = w->rest->code;
        l.links = w->rest->links;
        l.component = w->rest->component[list[0]];
        l.nodes = list;
        l.count = count;
        l.live = w->rest->live;
        own = prove_strips(&l, w->cost);
    }
    if (own) {
        w->r->strips++;
        if (own > w->r->loop) w->r->loop = own;
    } else if (list[0] < w->rest->any) {
        w->endless(w->user, list, count, w->rest->component[list[0]], recursion);
    }
    go_on(w, list, count, own ? own : all);
}

/* Components in order: each leads to those before it. */
static void measure_all(within *w) {
    const prove_rest *g = w->rest;
    uint32_t found = 0, v, part, *list;
    size_t *first;
    for (v = 0; v < g->vertices; v++) {
        if (!g->gone[v] && g->component[v] + 1 > found) found = g->component[v] + 1;
    }
    list = (uint32_t *)tool_alloc(((size_t)g->vertices + 1) * sizeof *list);
    first = (size_t *)tool_alloc(((size_t)found + 2) * sizeof *first);
    memset(first, 0, ((size_t)found + 2) * sizeof *first);
    for (v = 0; v < g->vertices; v++) {
        if (!g->gone[v]) first[g->component[v] + 1]++;
    }
    for (part = 0; part < found; part++) first[part + 1] += first[part];
    for (v = 0; v < g->vertices; v++) {
        if (!g->gone[v]) list[first[g->component[v]]++] = v;
    }
    for (part = 0; part < found; part++) {
        size_t begin = part ? first[part - 1] : 0;
        measure(w, list + begin, first[part] - begin);
    }
    free(first);
    free(list);
}

/* ---- frames around it ---- */

static void add_entry(within *w, uint32_t v) {
    if (v == PROVE_NONE || w->entry_of[v] != PROVE_NONE) return;
    TOOL_ROOM(uint32_t, w->entries, w->entry_count, w->entry_room);
    w->entry_of[v] = w->entry_count;
    w->entries[w->entry_count++] = v;
}

static void add_call(within *w, uint32_t callee, uint32_t frame, uint32_t behind) {
    frame_call *call;
    TOOL_ROOM(frame_call, w->calls, w->call_count, w->call_room);
    call = &w->calls[w->call_count++];
    call->callee = callee;
    call->frame = frame;
    call->behind = behind;
}

static void note_tail(within *w, uint32_t entry, uint32_t v) {
    if (v == PROVE_NONE || w->rest->gone[v] || w->through[v] <= w->tail[entry]) return;
    w->tail[entry] = w->through[v];
    w->tail_from[entry] = v;
}

/* Walks through the frame of an entry, checks and all: its calls, and the
   longest way from one of its checks to its return. */
static void walk_frame(within *w, uint32_t entry, uint32_t *stamp, uint32_t *stack,
                       const graph_links *extra) {
    const prove_code *c = w->rest->code;
    uint32_t height = 0;
    note_tail(w, entry, w->entries[entry]);
    stamp[w->entries[entry]] = entry + 1;
    stack[height++] = w->entries[entry];
    while (height) {
        uint32_t v = stack[--height], ways[2], k;
        const prove_node *n = &c->nodes[v];
        size_t e;
        ways[0] = n->kind == CODE_STOP || n->kind == CODE_RETURN || n->kind == CODE_JUMP
                      ? PROVE_NONE : n->next;
        ways[1] = n->kind == CODE_BRANCH || n->kind == CODE_JUMP ? n->to : PROVE_NONE;
        if (n->is_check) {
            note_tail(w, entry, ways[0]);
            note_tail(w, entry, ways[1]);
        }
        if (n->kind == CODE_CALL && n->to != PROVE_NONE && next_of(w, v) != PROVE_NONE)
            add_call(w, w->entry_of[n->to], entry, n->next);
        if (n->kind == CODE_CALL_ANY && next_of(w, v) != PROVE_NONE)
            add_call(w, w->entry_of[w->rest->any], entry, n->next);
        for (k = 0; k < 2; k++) {
            if (ways[k] == PROVE_NONE || stamp[ways[k]] == entry + 1) continue;
            stamp[ways[k]] = entry + 1;
            stack[height++] = ways[k];
        }
        for (e = extra->first[v]; e < extra->first[v + 1]; e++) {
            if (stamp[extra->to[e]] == entry + 1) continue;
            stamp[extra->to[e]] = entry + 1;
            stack[height++] = extra->to[e];
        }
    }
}

static void find_frames(within *w) {
    const prove_code *c = w->rest->code;
    const prove_image *im = c->im;
    uint32_t v, k, *stamp, *stack, *pairs;
    graph_links extra;
    size_t i;
    for (v = 0; v < c->count; v++) {
        if (w->rest->live[v] && c->nodes[v].kind == CODE_CALL) add_entry(w, c->nodes[v].to);
    }
    for (i = 0; i < im->roots.count; i++)
        add_entry(w, prove_node_at(w->rest->code, im->roots.list[i]));
    for (i = 0; i < im->taken.count; i++)
        add_entry(w, prove_node_at(w->rest->code, im->taken.list[i]));
    add_entry(w, w->rest->any);
    w->tail = (uint64_t *)tool_alloc(((size_t)w->entry_count + 1) * 2 * sizeof *w->tail);
    w->above = w->tail + w->entry_count + 1;
    w->tail_from = (uint32_t *)tool_alloc(((size_t)w->entry_count + 1) * 2 * sizeof *w->tail_from);
    w->above_to = w->tail_from + w->entry_count + 1;
    memset(w->tail, 0, ((size_t)w->entry_count + 1) * 2 * sizeof *w->tail);
    memset(w->tail_from, 0xFF, ((size_t)w->entry_count + 1) * 2 * sizeof *w->tail_from);
    stamp = (uint32_t *)tool_alloc(((size_t)w->rest->vertices + 1) * 2 * sizeof *stamp);
    stack = stamp + w->rest->vertices + 1;
    memset(stamp, 0, ((size_t)w->rest->vertices + 1) * sizeof *stamp);
    pairs = (uint32_t *)tool_alloc((2 * c->extra_count + 1) * sizeof *pairs);
    for (i = 0; i < c->extra_count; i++) {
        pairs[2 * i] = c->extra[i].from;
        pairs[2 * i + 1] = c->extra[i].to;
    }
    links_build(&extra, w->rest->vertices, pairs, c->extra_count);
    for (k = 0; k < w->entry_count; k++) {
        if (w->entries[k] < w->rest->any) walk_frame(w, k, stamp, stack, &extra);
    }
    for (i = 0; i < im->taken.count; i++) {     /* they come back behind any call by pointer */
        v = prove_node_at(w->rest->code, im->taken.list[i]);
        if (v != PROVE_NONE) add_call(w, w->entry_of[v], w->entry_of[w->rest->any], PROVE_NONE);
    }
    links_free(&extra);
    free(pairs);
    free(stamp);
}

/* From callees to callers, those around first. A function that is on a cycle of
   such calls comes back through levels, whose number nobody knows. */
static void look_above(within *w) {
    uint32_t n = w->entry_count, k, part, found, *component, *order, *first, *pairs;
    uint8_t *unwinds = (uint8_t *)tool_alloc((size_t)n + 1);
    graph_links links, calls;
    size_t i, e;
    memset(unwinds, 0, (size_t)n + 1);
    pairs = (uint32_t *)tool_alloc((2 * w->call_count + 1) * sizeof *pairs);
    component = (uint32_t *)tool_alloc((3 * (size_t)n + 4) * sizeof *component);
    order = component + n + 1;
    first = component + 2 * (size_t)n + 2;
    for (i = 0; i < w->call_count; i++) {
        pairs[2 * i] = w->calls[i].callee;
        pairs[2 * i + 1] = w->calls[i].frame;
    }
    links_build(&links, n, pairs, w->call_count);
    for (i = 0; i < w->call_count; i++) pairs[2 * i + 1] = (uint32_t)i;
    links_build(&calls, n > w->call_count ? n : (uint32_t)w->call_count, pairs, w->call_count);
    found = links_components(&links, NULL, component);
    memset(first, 0, ((size_t)n + 1) * sizeof *first);
    for (k = 0; k < n; k++) first[component[k]]++;
    for (part = 1; part < found; part++) first[part] += first[part - 1];
    for (k = n; k-- > 0;) order[--first[component[k]]] = k;
    for (k = 0; k < n; k++) {
        uint32_t f = order[k];
        for (e = calls.first[f]; e < calls.first[f + 1]; e++) {
            const frame_call *call = &w->calls[calls.to[e]];
            uint64_t way = call->behind == PROVE_NONE ? 0 : w->ahead[call->behind], up;
            uint64_t pass = call->behind == PROVE_NONE ? 0 : w->through[call->behind];
            uint32_t to = call->behind == PROVE_NONE ? PROVE_NONE : w->end[call->behind];
            if (component[call->frame] == component[f]) {
                if (pass) {
                    unwinds[f] = 1;
                    if (pass > w->r->level) w->r->level = pass;
                }
                up = pass;
            } else {
                up = pass || call->behind == PROVE_NONE ? sum(pass, w->above[call->frame]) : 0;
            }
            if (up > way) {
                way = up;
                to = w->above_to[call->frame];
            }
            if (way <= w->above[f]) continue;
            w->above[f] = way;
            w->above_to[f] = to;
        }
        w->r->unwinding += unwinds[f];
    }
    links_free(&links);
    links_free(&calls);
    free(component);
    free(pairs);
    free(unwinds);
}

static void take(within *w, uint64_t length, uint32_t from, uint32_t to) {
    if (length <= w->r->longest) return;
    w->r->longest = length;
    w->r->from = from;
    w->r->to = to;
}

static void find_longest(within *w) {
    const prove_rest *g = w->rest;
    uint32_t v, k, way[2];
    for (v = 0; v < g->any; v++) {
        const prove_node *n = &g->code->nodes[v];
        if (!g->live[v]) continue;
        w->r->outside_calls += n->kind == CODE_CALL_OUT && n->import != PROVE_NONE;
        if (!n->is_check) continue;
        way[0] = n->next;
        way[1] = n->kind == CODE_BRANCH ? n->to : PROVE_NONE;
        for (k = 0; k < 2; k++) {
            if (way[k] != PROVE_NONE && !g->gone[way[k]]) take(w, w->ahead[way[k]], way[k],
                                                              w->end[way[k]]);
        }
    }
    for (k = 0; k < w->entry_count; k++) {
        if (w->tail[k]) take(w, sum(w->tail[k], w->above[k]), w->tail_from[k], w->above_to[k]);
        if (w->entries[k] < g->any && !g->gone[w->entries[k]])
            take(w, w->ahead[w->entries[k]], w->entries[k], w->end[w->entries[k]]);
    }
}

void prove_within(const prove_rest *rest, prove_result *r,
                  void (*endless)(void *user, const uint32_t *nodes, size_t count, uint32_t part,
                                  int is_recursion),
                  void *user) {
    size_t n = (size_t)rest->vertices + 1;
    within w;
    memset(&w, 0, sizeof w);
    w.rest = rest;
    w.r = &r->runs;
    w.endless = endless;
    w.user = user;
    r->runs.from = r->runs.to = PROVE_NONE;
    w.ahead = (uint64_t *)tool_alloc(3 * n * sizeof *w.ahead);
    w.through = w.ahead + n;
    w.cost = w.ahead + 2 * n;
    memset(w.ahead, 0, 3 * n * sizeof *w.ahead);
    w.end = (uint32_t *)tool_alloc(2 * n * sizeof *w.end);
    w.entry_of = w.end + n;
    memset(w.end, 0xFF, 2 * n * sizeof *w.end);
    measure_all(&w);
    find_frames(&w);
    look_above(&w);
    find_longest(&w);
    free(w.calls);
    free(w.tail);
    free(w.tail_from);
    free(w.entries);
    free(w.ahead);
    free(w.end);
}
