/* cover.c - coverage of a file: plans the counters of each function, and makes
   what the object carries for cc/inside/edges.c.

   All counters of a file are one array. Beside it stand finished parts of a
   dump with the tables of its functions (docs/formats.md), so that the program
   needs nothing but to write both. In an ELF file they are a section that is
   not loaded. */
#include "cc/read/callers.h"
#include "base/hash.h"
#include "cc/put/exits.h"
#include "cc/put/mcdc.h"
#include "cc/put/points.h"
#include "cc/run/process.h"
#include "cc/put/trace.h"
#include "cc/put/trained.h"
#include "base/dump.h"
#include "base/source.h"
#include "base/tool.h"
#include "report/kinds/edges.h"
#include "report/kinds/sources.h"
#include "report/kinds/unmeasured.h"
#include <stdlib.h>
#include <string.h>

/* Heavier than any loop: edges that should not be counted. */
#define UNWANTED 5e299

/* A source that has functions. */
typedef struct read_source {
    const char *file; /* as the compiler names it */
    char *place;      /* as the report does */
    uint64_t hash;
} read_source;

typedef struct cc_planner {
    const cc_request *request;
    uint32_t slots, vertices; /* of the functions so far */
    edges_function *done;
    uint32_t count, room;
    cc_mcdc *mcdc;
    cc_traced traced;
    unmeasured *left;     /* functions without counters */
    uint32_t left_count, left_room;
    read_source *sources; /* those that can be read */
    uint32_t source_count, source_room;
} planner;

/* A graph without what the entry does not reach. */
typedef struct reached {
    uint32_t *ends;           /* pairs */
    uint32_t *edge_of;        /* for each edge its number in the cc_cfg */
    uint32_t *vertex_of;      /* for each vertex of the cc_cfg its new number, or CC_NOWHERE */
    uint32_t vertices, edges, stays;
} reached;

static uint32_t *words(size_t count) {
    return (uint32_t *)tool_alloc((count + 1) * sizeof(uint32_t));
}

/* The entry stays vertex 0; EXIT, vertex 1, becomes the last one. */
static void reach(const cc_cfg *g, reached *r) {
    uint32_t *stack = words(g->vertices), *first = words(g->vertices), *next = words(g->edge_count);
    uint32_t depth = 0, e, v;
    r->ends = words(2 * (size_t)g->edge_count);
    r->edge_of = words(g->edge_count);
    r->vertex_of = words(g->vertices);
    for (v = 0; v < g->vertices; v++) r->vertex_of[v] = first[v] = CC_NOWHERE;
    for (e = g->edge_count; e > 0; e--) {
        next[e - 1] = first[g->edges[e - 1].from];
        first[g->edges[e - 1].from] = e - 1;
    }
    r->vertex_of[0] = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        for (e = first[stack[--depth]]; e != CC_NOWHERE; e = next[e]) {
            if (r->vertex_of[g->edges[e].to] != CC_NOWHERE) continue;
            r->vertex_of[g->edges[e].to] = 0;
            stack[depth++] = g->edges[e].to;
        }
    }
    r->vertices = 0;
    for (v = 0; v < g->vertices; v++) {
        if (v != 1 && r->vertex_of[v] != CC_NOWHERE) r->vertex_of[v] = r->vertices++;
    }
    r->vertex_of[1] = r->vertices++;
    r->edges = r->stays = 0;
    for (e = 0; e < g->edge_count; e++) {
        if (g->edges[e].from == 1 || r->vertex_of[g->edges[e].from] == CC_NOWHERE) continue;
        r->ends[2 * (size_t)r->edges] = r->vertex_of[g->edges[e].from];
        r->ends[2 * (size_t)r->edges + 1] = r->vertex_of[g->edges[e].to];
        r->edge_of[r->edges++] = e;
        r->stays += g->edges[e].forced == CC_STAY;
    }
    free(next);
    free(first);
    free(stack);
}

static void reached_free(reached *r) {
    free(r->ends);
    free(r->edge_of);
    free(r->vertex_of);
}

/* Gives slots to what the plan counts. Returns 0, or -1: an edge that no text
   can count must be. */
static int take_slots(const planner *p, cc_cfg *g, const reached *r, const edgeplan *plan) {
    uint32_t e, slot = p->request->trace ? 0 : p->slots;
    for (e = 0; e < r->edges; e++) {
        if (plan->plan[e] != EDGEPLAN_COUNTED) continue;
        if (g->edges[r->edge_of[e]].forced == CC_FORCED) return -1;
        g->edges[r->edge_of[e]].slot = slot++;
    }
    if (plan->plan[plan->edges] == EDGEPLAN_COUNTED) g->entry_slot = slot++;
    return 0;
}

/* The vertex that a line belongs to, if it is one of that file. */
static uint32_t vertex_of_line(const cc_cfg *g, const reached *r, uint32_t i, uint32_t file) {
    return g->lines[i].file == file ? r->vertex_of[g->lines[i].vertex] : CC_NOWHERE;
}

/* For each vertex, whether its last line stands in another file than this: its
   branches are told of there. */
static uint8_t *ends_elsewhere(const cc_cfg *g, const reached *r, uint32_t file) {
    uint8_t *is_elsewhere = (uint8_t *)tool_alloc((size_t)r->vertices + 1);
    uint32_t i, v;
    memset(is_elsewhere, 0, (size_t)r->vertices + 1);
    for (i = 0; i < g->line_count && g->own_files; i++) {
        v = r->vertex_of[g->lines[i].vertex];
        if (v != CC_NOWHERE) is_elsewhere[v] = g->lines[i].file != file;
    }
    return is_elsewhere;
}

/* The lines of each vertex in one file, each once; the one that was noted last
   stands last, and line 0 behind it if branches are not told of here. */
static void take_lines(const cc_cfg *g, const reached *r, uint32_t file, edges_function *f) {
    uint32_t i, v, k, at = 0;
    uint32_t *count = words(r->vertices + 1), *sorted = words(g->line_count);
    uint8_t *is_elsewhere = ends_elsewhere(g, r, file);
    memset(count, 0, (r->vertices + 1) * sizeof *count);
    for (i = 0; i < g->line_count; i++) {
        v = vertex_of_line(g, r, i, file);
        if (v != CC_NOWHERE) count[v + 1]++;
    }
    for (v = 0; v < r->vertices; v++) count[v + 1] += count[v];
    for (i = 0; i < g->line_count; i++) {
        v = vertex_of_line(g, r, i, file);
        if (v != CC_NOWHERE) sorted[count[v]++] = g->lines[i].line;
    }
    f->line_at = words(r->vertices + 1);
    f->line = words((size_t)g->line_count + r->vertices);
    i = 0;
    for (v = 0; v < r->vertices; v++) {
        f->line_at[v] = at;
        for (; i < count[v]; i++) {
            for (k = f->line_at[v]; k < at && f->line[k] != sorted[i]; k++) {
            }
            for (; k + 1 < at; k++) f->line[k] = f->line[k + 1];
            if (k == at) at++;
            f->line[k] = sorted[i];
        }
        if (at > f->line_at[v] && is_elsewhere[v]) f->line[at++] = 0;
    }
    f->line_at[r->vertices] = at;
    free(is_elsewhere);
    free(sorted);
    free(count);
}

static char *string_of(const char *bytes, size_t size) {
    char *string = (char *)tool_alloc(size + 1);
    memcpy(string, bytes, size);
    string[size] = 0;
    return string;
}

/* The name of a file in the report. */
static char *place_of(const cc_request *request, const char *file) {
    return request->where ? request->where(request->where_of, file) : string_of(file, strlen(file));
}

/* Notes the hash of a source, once for each. One that cannot be read has
   none. */
static void note_source(planner *p, const char *file, const char *place) {
    unsigned char *data;
    read_source *s;
    size_t size;
    uint32_t i;
    for (i = p->source_count; i > 0; i--) {
        if (strcmp(p->sources[i - 1].file, file) == 0) return;
    }
    if (cc_regular_size(file, &size) != 0 || size > SOURCE_MOST) return;
    data = tool_read_file(file, NULL, &size);
    if (!data) return;
    TOOL_ROOM(read_source, p->sources, p->source_count, p->source_room);
    s = &p->sources[p->source_count++];
    s->file = file;
    s->place = string_of(place, strlen(place));
    s->hash = hash_fnv(data, size, 0);
    free(data);
}

/* Keeps the table of a function, or of the lines that it has in another file, which
   is number `file` of the graph. A table of such lines has no name. It follows that of
   the function and shares its counters. */
static void keep_table(planner *p, const cc_cfg *g, const reached *r, const edgeplan *plan,
                       const char *name, const char *named, uint32_t file) {
    edges_function *f;
    size_t pairs = 2 * ((size_t)plan->edges + 1);
    uint32_t e;
    TOOL_ROOM(edges_function, p->done, p->count, p->room);
    f = &p->done[p->count++];
    memset(f, 0, sizeof *f);
    f->name = string_of(name, strlen(name));
    f->file = place_of(p->request, named);
    note_source(p, named, f->file);
    f->bits = (uint32_t)p->request->cover;
    f->first_slot = p->slots;
    f->first_vertex = p->vertices;
    f->vertices = plan->vertices;
    f->edges = plan->edges;
    f->stays = plan->stays;
    f->counts_entry = plan->plan[plan->edges] == EDGEPLAN_COUNTED ? EDGES_COUNTED
                      : g->knows_entry                              ? EDGES_CALLED
                                                                    : 0;
    f->ends = words(pairs);
    memcpy(f->ends, plan->ends, pairs * sizeof *f->ends);
    f->plan = (uint8_t *)tool_alloc((size_t)plan->edges + 1);
    for (e = 0; e < plan->edges; e++) {
        f->plan[e] = plan->plan[e] == EDGEPLAN_COUNTED;
        f->slots += f->plan[e];
    }
    f->slots += f->counts_entry == EDGES_COUNTED;
    take_lines(g, r, file, f);
}

static int has_lines(const cc_cfg *g, uint32_t file) {
    uint32_t i;
    for (i = 0; i < g->line_count; i++) {
        if (g->lines[i].file == file) return 1;
    }
    return 0;
}

static void keep_function(planner *p, const char *name, const char *file, const cc_cfg *g,
                          const reached *r, const edgeplan *plan) {
    uint32_t i;
    const edges_function *f;
    keep_table(p, g, r, plan, name, file, 0);
    for (i = 1; i <= g->other_files; i++) {
        if (has_lines(g, i)) keep_table(p, g, r, plan, "", g->other_file[i - 1], i);
    }
    f = &p->done[p->count - 1];
    p->slots += f->slots;
    p->vertices += f->vertices;
}

/* Edges that no text can count, or should not. */
static uint8_t *uncountable(const cc_cfg *g, const reached *r, const edgeplan *plan) {
    uint8_t *none = (uint8_t *)tool_alloc((size_t)plan->edges + 1);
    uint32_t e;
    memset(none, 0, (size_t)plan->edges + 1);
    for (e = 0; e < r->edges; e++) {
        int forced = g->edges[r->edge_of[e]].forced;
        none[e] = forced == CC_FORCED || forced == CC_CUT;
    }
    return none;
}

/* ---- marks behind calls ---- */

/* A straight line of vertices that ends at a join or at EXIT: a mark in front
   says that it began.

       mark -> s0 -> s1 -> s2 -> join          s0 and s1 call something

   If an activation ended early in s1, nothing says whether another one passed
   s2. So a line with calls gets a mark near its end, too, unless no source line
   follows the first call. Where a line ends at a branch, the marks of its
   outcomes say it (the solver of edgeprof.h reads all of these). */
typedef struct lines_of {
    uint32_t *ways_in, *ways_out, *in, *out; /* of each vertex; the edges, if there is one */
    uint8_t *calls, *has_line;
    uint8_t *unsure; /* of a join: it may have run without a mark that says so */
    uint8_t *wants;  /* of such a join: it needs marks in front, for there is no place behind */
    uint32_t wants_count;
} lines_of;

static void open_lines(const cc_cfg *g, const reached *r, const edgeplan *plan, lines_of *l) {
    uint32_t e, v;
    size_t bytes = plan->vertices * sizeof *l->in;
    l->wants_count = 0;
    l->ways_in = words(plan->vertices);
    l->ways_out = words(plan->vertices);
    l->in = words(plan->vertices);
    l->out = words(plan->vertices);
    l->calls = (uint8_t *)tool_alloc((size_t)plan->vertices + 1);
    l->has_line = (uint8_t *)tool_alloc((size_t)plan->vertices + 1);
    memset(l->ways_in, 0, bytes);
    memset(l->ways_out, 0, bytes);
    memset(l->calls, 0, plan->vertices);
    memset(l->has_line, 0, plan->vertices);
    l->unsure = (uint8_t *)tool_alloc((size_t)plan->vertices + 1);
    memset(l->unsure, 0, plan->vertices);
    l->wants = (uint8_t *)tool_alloc((size_t)plan->vertices + 1);
    memset(l->wants, 0, plan->vertices);
    l->ways_in[0] = 1; /* X */
    for (e = 0; e < plan->edges; e++) {
        l->ways_out[plan->ends[2 * e]]++;
        l->ways_in[plan->ends[2 * e + 1]]++;
        l->out[plan->ends[2 * e]] = l->in[plan->ends[2 * e + 1]] = e;
    }
    for (v = 0; v < g->vertices && v < g->call_room; v++) {
        if (g->call[v] && r->vertex_of[v] != CC_NOWHERE) l->calls[r->vertex_of[v]] = 1;
    }
    for (e = 0; e < g->line_count; e++) {
        v = r->vertex_of[g->lines[e].vertex];
        if (v != CC_NOWHERE) l->has_line[v] = 1;
    }
}

static void close_lines(lines_of *l) {
    free(l->unsure);
    free(l->wants);
    free(l->ways_in);
    free(l->ways_out);
    free(l->in);
    free(l->out);
    free(l->calls);
    free(l->has_line);
}

/* The line that ends with the edge `last`. Returns whether that edge may be
   taken without a mark that says so, though something in front of it was left
   early. */
static int mark_line(const cc_cfg *g, const reached *r, edgeplan *plan, lines_of *l,
                     uint32_t last) {
    uint32_t e = last, best = CC_NOWHERE, v = 0, steps;
    int has_line = 0, is_wanted = 0, is_open = 1, is_unsure = 0;
    for (steps = 0; steps <= plan->vertices; steps++) {
        v = plan->ends[2 * e];
        if (l->ways_out[v] != 1) break;
        if (plan->plan[e] == EDGEPLAN_COUNTED) is_open = 0;
        if (best == CC_NOWHERE && e < r->edges && g->edges[r->edge_of[e]].forced != CC_FORCED)
            best = e;
        if (l->calls[v]) {
            is_wanted |= has_line && best != CC_NOWHERE;
            is_unsure |= is_open;
        }
        has_line |= l->has_line[v];
        if (l->ways_in[v] != 1 || v == 0) break;
        e = l->in[v];
    }
    if (l->ways_out[v] == 1 && l->unsure[v] && is_open) {
        is_wanted |= has_line;
        is_unsure = 1;
        if (has_line && best == CC_NOWHERE && !l->wants[v]) {
            l->wants[v] = 1;
            l->wants_count++;
        }
    }
    is_wanted |= is_unsure && l->wants[plan->ends[2 * last + 1]];
    if (is_wanted && best != CC_NOWHERE && is_open) plan->plan[best] = EDGEPLAN_COUNTED;
    return is_unsure && plan->plan[last] != EDGEPLAN_COUNTED;
}

/* A join may be reached over an edge that no text can count, as from an arm of
   ?:, so it is done until nothing is new. */
static void mark_lines(const cc_cfg *g, const reached *r, edgeplan *plan) {
    lines_of l;
    uint32_t e, to, wanted;
    int changed = 1, unsure;
    open_lines(g, r, plan, &l);
    while (changed) {
        changed = 0;
        for (e = 0; e < plan->edges - plan->stays; e++) {
            to = plan->ends[2 * e + 1];
            if (to != plan->exit && l.ways_in[to] < 2) continue;
            wanted = l.wants_count;
            unsure = mark_line(g, r, plan, &l, e);
            changed |= l.wants_count != wanted;
            if (!unsure || to == plan->exit || l.unsure[to]) continue;
            l.unsure[to] = 1;
            changed = 1;
        }
    }
    close_lines(&l);
}

/* Marks that others tell of, too: where nothing but one edge leads to a branch,
   and nothing on the way calls, one of the outcomes of that branch is marked
   whenever the edge is taken. In a && b && c those of c tell that a and b held.

       if -> s0 -> if -> mark         no mark is needed in front of s0
                      -> mark */
static void drop_marks(const cc_cfg *g, const reached *r, edgeplan *plan) {
    lines_of l;
    uint8_t *is_whole = (uint8_t *)tool_alloc((size_t)plan->vertices + 1);
    uint8_t *may_go = (uint8_t *)tool_alloc((size_t)plan->edges + 2);
    uint32_t e, v;
    open_lines(g, r, plan, &l);
    memset(is_whole, 1, plan->vertices);
    for (e = 0; e < plan->edges; e++)
        if (plan->plan[e] != EDGEPLAN_COUNTED) is_whole[plan->ends[2 * e]] = 0;
    for (e = 0; e <= plan->edges; e++) {
        v = plan->ends[2 * e + 1];
        while (v != plan->exit && l.ways_in[v] == 1 && l.ways_out[v] == 1 && !l.calls[v])
            v = plan->ends[2 * l.out[v] + 1];
        may_go[e] = v != plan->exit && l.ways_in[v] == 1 && l.ways_out[v] > 1 && is_whole[v] &&
                    !l.calls[v];
    }
    for (e = 0; e <= plan->edges; e++)
        if (may_go[e]) plan->plan[e] = EDGEPLAN_NONE;
    free(is_whole);
    free(may_go);
    close_lines(&l);
}

/* The numbers of the vertices in the unit. */
static void number_vertices(const planner *p, cc_cfg *g, const reached *r) {
    uint32_t first = p->done[p->count - 1].first_vertex, v;
    g->number = words(g->vertices);
    for (v = 0; v < g->vertices; v++) {
        g->number[v] = r->vertex_of[v] == CC_NOWHERE ? CC_NOWHERE : first + r->vertex_of[v];
    }
}

static int has_calls(const cc_cfg *g) {
    uint32_t v;
    for (v = 0; v < g->vertices && v < g->call_room; v++) {
        if (g->call[v]) return 1;
    }
    return 0;
}

/* Without markers nobody sees an activation end early. Where one can, both
   entries and exits are counted, more than the plan needs, so that the report
   finds more entries than exits. */
static void count_both(const cc_cfg *g, const reached *r, edgeplan *plan) {
    uint32_t e;
    plan->plan[plan->edges] = EDGEPLAN_COUNTED;
    for (e = 0; e < r->edges; e++) {
        if (plan->ends[2 * e + 1] == plan->exit && g->edges[r->edge_of[e]].forced != CC_FORCED)
            plan->plan[e] = EDGEPLAN_COUNTED;
    }
}

/* In front of that: ways to EXIT are counted anyway, all but one, if they weigh
   nothing; then one counter more than the plan needs is enough. */
static void lighten_exits(const cc_cfg *g, const reached *r, edgeplan *plan) {
    uint32_t e;
    for (e = 0; e < r->edges; e++) {
        if (plan->ends[2 * e + 1] == plan->exit && g->edges[r->edge_of[e]].forced != CC_FORCED)
            plan->weight[e] = 0;
    }
}

/* The vertices that EXIT and edges without a counter hold together, when X is
   not one of them. */
static uint8_t *beside_exit(const edgeplan *plan) {
    uint8_t *is_there = (uint8_t *)tool_alloc((size_t)plan->vertices + 1);
    uint32_t e;
    int changed = 1;
    memset(is_there, 0, (size_t)plan->vertices + 1);
    is_there[plan->exit] = 1;
    while (changed) {
        changed = 0;
        for (e = 0; e < plan->edges; e++) {
            uint32_t from = plan->ends[2 * e], to = plan->ends[2 * e + 1];
            if (plan->plan[e] == EDGEPLAN_COUNTED || is_there[from] == is_there[to]) continue;
            is_there[from] = is_there[to] = 1;
            changed = 1;
        }
    }
    return is_there;
}

/* The count of X is known, so the tree is one without X. Taking X out leaves
   two halves, which the heaviest counted edge between them joins. */
static int take_entry(cc_cfg *g, edgeplan *plan) {
    uint8_t *is_there;
    uint32_t e, best = CC_NOWHERE;
    if (plan->stays || plan->plan[plan->edges] == EDGEPLAN_COUNTED) return 0;
    is_there = beside_exit(plan);
    for (e = 0; e < plan->edges; e++) {
        if (plan->plan[e] != EDGEPLAN_COUNTED) continue;
        if (is_there[plan->ends[2 * e]] == is_there[plan->ends[2 * e + 1]]) continue;
        if (best == CC_NOWHERE || plan->weight[e] > plan->weight[best]) best = e;
    }
    free(is_there);
    if (best == CC_NOWHERE) return 0;
    plan->plan[best] = EDGEPLAN_NONE;
    g->knows_entry = 1;
    return 1;
}

/* By what a run before did, if it had this function. */
static void weigh_by_run(const planner *p, const char *name, const char *file, edgeplan *plan) {
    char *place = place_of(p->request, file);
    cc_trained_weigh(p->request->trained, name, place, plan);
    free(place);
}

const char *cc_planner_add(cc_planner *p, const char *name, const char *file, cc_cfg *g) {
    edgeplan plan;
    edgeplan_graph graph;
    edgeplan_order order = {NULL, 0, NULL};
    uint8_t *none;
    reached r;
    size_t bytes;
    void *memory;
    uint32_t e;
    int is_known = g->knows_entry;
    int is_blind; /* nobody sees an activation end early, and one may */
    const char *reason = NULL;
    reach(g, &r);
    memset(&graph, 0, sizeof graph);
    graph.vertices = r.vertices;
    graph.edges = r.edges;
    graph.stays = r.stays;
    graph.exit = r.vertices - 1;
    graph.add_stays = 1;
    graph.ends = r.ends;
    bytes = edgeplan_bytes(r.vertices, r.edges);
    memory = tool_alloc(bytes);
    if (edgeplan_init(&plan, memory, bytes, &graph) == 0) {
        reason = "graph-refused";
    } else {
        if (p->request->trace) {
            cc_trace_plan(g, r.edge_of, r.vertex_of, r.edges, &plan);
        } else if (p->request->cover <= 8) {
            edgeplan_marks(&plan);
            if (p->request->exits) mark_lines(g, &r, &plan);
            if (!p->mcdc) drop_marks(g, &r, &plan);
            g->knows_entry = is_known && plan.plan[plan.edges] == EDGEPLAN_COUNTED;
            if (g->knows_entry) plan.plan[plan.edges] = EDGEPLAN_NONE;
        } else {
            edgeplan_weigh(&plan, NULL);
            if (p->request->trained) weigh_by_run(p, name, file, &plan);
            for (e = 0; e < r.edges; e++) {
                if (g->edges[r.edge_of[e]].forced == CC_UNWANTED) plan.weight[e] = UNWANTED;
            }
            is_blind = !p->request->exits && has_calls(g) && plan.stays == 0;
            if (is_blind) lighten_exits(g, &r, &plan);
            order.uncountable = none = uncountable(g, &r, &plan);
            edgeplan_edges(&plan, &order);
            free(none);
            if (is_blind) count_both(g, &r, &plan);
            g->knows_entry = is_known && !is_blind && take_entry(g, &plan);
        }
        if (take_slots(p, g, &r, &plan) != 0) {
            reason = "no-place-for-a-counter";
        } else {
            keep_function(p, name, file, g, &r, &plan);
            number_vertices(p, g, &r);
            if (p->request->trace) g->entry_slot = cc_trace_keep(&p->traced, g, r.vertex_of);
        }
    }
    free(memory);
    reached_free(&r);
    return reason;
}

/* ---- what has no counters ---- */

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorted, each once. */
static uint32_t sort_lines(uint32_t *lines, uint32_t count) {
    uint32_t i, kept = 0;
    if (count) qsort(lines, count, sizeof *lines, by_value);
    for (i = 0; i < count; i++)
        if (lines[i] && (!kept || lines[kept - 1] != lines[i])) lines[kept++] = lines[i];
    return kept;
}

void cc_planner_leave(cc_planner *p, const char *name, const char *file, const char *reason,
                      uint32_t *lines, uint32_t count) {
    unmeasured *u;
    TOOL_ROOM(unmeasured, p->left, p->left_count, p->left_room);
    u = &p->left[p->left_count++];
    memset(u, 0, sizeof *u);
    u->name = string_of(name, strlen(name));
    u->file = place_of(p->request, file);
    u->reason = string_of(reason, strlen(reason));
    u->line_count = sort_lines(lines, count);
    u->lines = words(u->line_count);
    memcpy(u->lines, lines, u->line_count * sizeof *lines);
    note_source(p, file, u->file);
}

static void make_left(planner *p, uint64_t key, text *part) {
    dump_writer w;
    uint32_t i;
    if (p->left_count == 0) return;
    dump_begin(&w, part, UNMEASURED_KIND);
    dump_put(&w, UNMEASURED_VERSION);
    for (i = 0; i < p->left_count; i++) {
        p->left[i].key = key;
        unmeasured_put(&w, &p->left[i]);
    }
    dump_end(&w);
}

/* ---- what the object carries ---- */

static void add_literal(text *out, const unsigned char *bytes, size_t size) {
    size_t i;
    text_add(out, "\"");
    for (i = 0; i < size; i++) {
        unsigned char c = bytes[i];
        if (c >= 32 && c < 127 && c != '"' && c != '\\' && c != '?') text_bytes(out, bytes + i, 1);
        else text_format(out, "\\%03o", c);
        if (i % 64 == 63) text_add(out, "\"\n\"");
    }
    text_add(out, "\"");
}

static void make_part(const planner *p, uint64_t key, text *part) {
    dump_writer w;
    uint32_t i;
    dump_begin(&w, part, 4);
    if (p->request->no_early) edges_put_unit(&w, key);
    for (i = 0; i < p->count; i++) {
        p->done[i].key = key;
        edges_put_function(&w, &p->done[i]);
    }
    dump_end(&w);
    if (p->mcdc) cc_mcdc_part(p->mcdc, key, part);
    if (p->request->trace) cc_trace_part(&p->traced, key, part);
}

/* Writes the hash of each source's bytes, so that a report can say which ones have
   changed. */
static void make_sources(const planner *p, uint64_t key, text *part) {
    dump_writer w;
    uint32_t i;
    sourced s;
    dump_begin(&w, part, SOURCED_KIND);
    dump_put(&w, SOURCED_VERSION);
    for (i = 0; i < p->source_count; i++) {
        s.key = key;
        s.file = p->sources[i].place;
        s.hash = p->sources[i].hash;
        sourced_put(&w, &s);
    }
    dump_end(&w);
}

/* The parts as a section that is not loaded. Each byte but letters and digits
   is an escape, twice: for C and for the assembler. */
void cc_cover_section(text *front, const text *part) {
    size_t i;
    text_add(front, "__asm__(\".pushsection .bursty.cover,\\\"\\\",%progbits\\n\"\n");
    for (i = 0; i < part->size; i++) {
        unsigned char c = (unsigned char)part->data[i];
        if (i % 64 == 0) text_add(front, "\".ascii \\\"");
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
            text_bytes(front, part->data + i, 1);
        else
            text_format(front, "\\\\%03o", c);
        if (i % 64 == 63 || i + 1 == part->size) text_add(front, "\\\"\\n\"\n");
    }
    text_add(front, "\".popsection\");\n");
}

static void put_image(text *front, const text *part) {
    text_format(front, "static const unsigned char bursty_cc_part[%lu] = ",
                (unsigned long)part->size);
    add_literal(front, (const unsigned char *)part->data, part->size);
    text_add(front, ";\n");
}

void cc_planner_end(cc_planner *p, cc_tables *t) {
    edgeprof_function unit;
    uint64_t key;
    memset(t, 0, sizeof *t);
    memset(&unit, 0, sizeof unit);
    make_part(p, 0, &t->part);                 /* once for its hash, once with the key */
    make_left(p, 0, &t->part);
    if (p->request->no_early) make_sources(p, 0, &t->part);
    key = hash_fnv(t->part.data, t->part.size, 0);
    snprintf(t->name, sizeof t->name, "%08lx%08lx", (unsigned long)(key >> 32),
             (unsigned long)(key & 0xFFFFFFFF));
    t->hash = (uint32_t)(key ^ key >> 32);
    t->slots = p->mcdc ? cc_mcdc_marks(p->mcdc) : p->slots;
    unit.name = t->name;
    unit.hash = t->hash;
    unit.bits = (uint8_t)p->request->cover;
    unit.slots = t->slots;
    t->key = edgeprof_key(&unit);
    t->part.size = 0;
    make_part(p, t->key, &t->part);
    make_left(p, t->key, &t->part);
    if (p->source_count) make_sources(p, t->key, &t->part);
}

static void put_front(const planner *p, const char *table, const cc_tables *tables, text *front) {
    static const char types[] =
        "struct bursty_cc_function { const char *name, *file; const void *a, *b, *c, *d; void "
        "*counters; void *e, *f; unsigned vertices, edges, stays, slots, hash; unsigned char bits, "
        "entry; };\n"
        "struct bursty_cc_unit { const struct bursty_cc_function *const *functions; unsigned count;"
        " const unsigned char *part; __typeof__(sizeof 0) bytes; };\n";
    uint32_t slots = tables->slots;
    if (p->request->trace && p->traced.count > 0) {
        cc_trace_front(front, table, p->request, tables->key, p->traced.count, p->vertices);
        cc_cover_section(front, &tables->part);
        return;
    }
    if (p->slots == 0) {
        if (p->request->has_sections) cc_cover_section(front, &tables->part);
        return;
    }
    text_add(front, types);
    text_format(front, "__attribute__((visibility(\"hidden\"))) unsigned %s %s[%lu];\n",
                cc_counter_type(p->request->cover), table,
                (unsigned long)(p->request->cover == 1 ? (slots + 7) / 8 : slots));
    if (p->request->exits) cc_exits_front(front, table, p->vertices);
    cc_mcdc_front(p->mcdc, front);
    /* Marks of a loop may wait for its end (begin_own): exits.c says so. */
    if (p->request->exits && p->request->optimizes && p->request->cover <= 8 && !p->mcdc)
        text_add(front, "__attribute__((weak,visibility(\"hidden\"))) char bursty_cc_waits;\n");
    if (p->request->has_sections) cc_cover_section(front, &tables->part);
    else put_image(front, &tables->part);
    text_format(front, "static const struct bursty_cc_function bursty_cc_f = {\"%s\"",
                tables->name);
    text_format(front, ",0,0,0,0,0,%s,%s%s,0,%luu,0,0,%luu,%luu,%u,0};\n", table,
                p->request->exits ? table : "0", p->request->exits ? "_x" : "",
                (unsigned long)p->vertices, (unsigned long)slots, (unsigned long)tables->hash,
                (unsigned)p->request->cover);
    text_add(front, "static const struct bursty_cc_function *const bursty_cc_l[] = "
                    "{&bursty_cc_f};\n"
                    "static const struct bursty_cc_unit bursty_cc_u = {bursty_cc_l,1,");
    text_add(front, p->request->has_sections ? "0,0};\n" : "bursty_cc_part,sizeof bursty_cc_part};\n");
    text_add(front, "static const struct bursty_cc_unit *const bursty_cc_r __attribute__((used,"
                    "retain,section(\"bursty_units\"))) = &bursty_cc_u;\n");
}

void cc_counters_name(char *name, size_t room, const cc_request *request) {
    snprintf(name, room, "bursty_c_%08lx%08lx", (unsigned long)(request->unit >> 32),
             (unsigned long)(request->unit & 0xFFFFFFFF));
}

cc_planner *cc_planner_new(const cc_request *request) {
    planner *p = (planner *)tool_alloc(sizeof *p);
    memset(p, 0, sizeof *p);
    p->request = request;
    return p;
}

uint32_t cc_planner_slots(const cc_planner *p) { return p->slots; }

int cc_planner_has_tables(const cc_planner *p) {
    return p->slots > 0 || p->traced.count > 0 || p->left_count > 0;
}

void cc_cover_left_file(const cc_request *request, const char *file, const char *reason,
                        text *part) {
    uint64_t key = hash_fnv(file, strlen(file), 0);
    planner *p = cc_planner_new(request);
    cc_planner_leave(p, "", file, reason, NULL, 0);
    make_part(p, key, part); /* no function in it; a report of the object alone begins with it */
    make_left(p, key, part);
    cc_planner_free(p);
}

/* All functions. */
static void forget(planner *p) {
    uint32_t i;
    for (i = 0; i < p->count; i++) {
        free(p->done[i].name);
        free(p->done[i].file);
        free(p->done[i].line_at);
        free(p->done[i].line);
        free(p->done[i].ends);
        free(p->done[i].plan);
        free(p->done[i].call);
    }
    p->count = p->slots = p->vertices = 0;
}

void cc_planner_free(cc_planner *p) {
    uint32_t i;
    forget(p);
    cc_mcdc_free(p->mcdc);
    for (i = 0; i < p->left_count; i++) {
        free(p->left[i].name);
        free(p->left[i].file);
        free(p->left[i].reason);
        free(p->left[i].lines);
    }
    free(p->left);
    for (i = 0; i < p->source_count; i++) free(p->sources[i].place);
    free(p->sources);
    free(p->done);
    cc_trace_free(&p->traced);
    free(p);
}

/* ---- const and pure ---- */

/* Calls of a function that is declared const are joined by the compiler, and
   its counters would read less than the calls in the source. */
static void blank_promises(const cc_unit *u, cc_edits *edits) {
    const cc_tokens *t = &u->tokens;
    uint32_t i, k, last;
    for (i = 0; i + 2 < t->count; i++) {
        if (!cc_is(t, i, CC_ATTRIBUTE) || !cc_is(t, i + 1, '(') || !cc_is(t, i + 2, '(')) continue;
        if (t->files[t->list[i].file].in_system) continue;
        last = t->list[i + 2].match;
        for (k = i + 3; k < last; k++) {
            int alone = (cc_is(t, k - 1, '(') || cc_is(t, k - 1, ',')) &&
                        (cc_is(t, k + 1, ')') || cc_is(t, k + 1, ','));
            if (alone && (cc_spells(t, k, "const") || cc_spells(t, k, "__const__") ||
                          cc_spells(t, k, "__const") || cc_spells(t, k, "pure") ||
                          cc_spells(t, k, "__pure__") || cc_spells(t, k, "__pure"))) {
                cc_blank(edits, t->list[k].at, t->list[k].size);
            }
            if (t->list[k].match > k) k = t->list[k].match;
        }
    }
}

/* ---- a file ---- */

static const char *plan_function(planner *p, cc_unit *u, const cc_function *f, cc_cfg *g) {
    const cc_token *token = &u->tokens.list[f->name];
    char *name = string_of(u->tokens.text + token->at, token->size);
    const char *reason = cc_planner_add(p, name, u->tokens.files[token->file].name, g);
    free(name);
    return reason;
}

static void build(planner *p, cc_unit *u, uint32_t function, cc_cfg *g) {
    memset(g, 0, sizeof *g);
    g->entry_slot = CC_NOWHERE;
    g->mcdc = p->mcdc;
    g->backwards = p->request->backwards;
    g->traces = p->request->trace;
    cc_flow_build(u, function, g);
}

static void plan(planner *p, cc_unit *u, uint32_t function, cc_cfg *g) {
    if (g->reason) return;
    g->reason_token = u->functions[function].name;
    g->reason = plan_function(p, u, &u->functions[function], g);
}

/* Plans all functions and forgets the plans: which of them have one, decides
   whose calls are known. A trace has each entry. */
static uint8_t *find_known(planner *p, cc_unit *u, uint8_t *only) {
    cc_cfg *graphs = (cc_cfg *)tool_alloc(((size_t)u->function_count + 1) * sizeof *graphs);
    uint8_t *known;
    uint32_t i;
    memset(graphs, 0, ((size_t)u->function_count + 1) * sizeof *graphs);
    for (i = 0; i < u->function_count; i++) {
        if (!p->request->trace && cc_is_wanted(u, &u->functions[i], &p->request->choice)) {
            build(p, u, i, &graphs[i]);
            plan(p, u, i, &graphs[i]);
        } else {
            graphs[i].reason = "not wanted";
        }
    }
    known = cc_callers_known(u, graphs);
    cc_callers_only(u, graphs, only);
    for (i = 0; i < u->function_count; i++) cc_cfg_free(&graphs[i]);
    free(graphs);
    forget(p);
    return known;
}

/* Does the token do something, where it is the only one of its line? */
static int is_code(const cc_tokens *t, uint32_t i) {
    return !cc_is(t, i, '{') && !cc_is(t, i, '}') && !cc_is(t, i, ')') && !cc_is(t, i, ';') &&
           !cc_is(t, i, CC_ELSE);
}

/* The lines of a function without a graph are those of its tokens. */
static void leave_function(planner *p, const cc_unit *u, const cc_function *f, const cc_cfg *g,
                           const char *reason) {
    const cc_tokens *t = &u->tokens;
    const cc_token *name = &t->list[f->name];
    char *called = string_of(t->text + name->at, name->size);
    size_t most = g->line_count + (size_t)(f->close - f->name) + 2;
    uint32_t *lines = words(most), count = 0, i;
    lines[count++] = name->line;
    for (i = 0; i < g->line_count; i++)
        if (g->lines[i].file == 0) lines[count++] = g->lines[i].line;
    for (i = f->open; i < f->close && g->line_count == 0; i++)
        if (t->list[i].file == name->file && is_code(t, i)) lines[count++] = t->list[i].line;
    cc_planner_leave(p, called, t->files[name->file].name, reason, lines, count);
    free(lines);
    free(called);
}

/* A function without counters that is asked for. */
static int is_lost(const cc_unit *u, const cc_function *f, const cc_choice *choice) {
    cc_function known = *f;
    known.reason = NULL;
    known.gnu_inline = 0;
    return f->reason && cc_is_wanted(u, &known, choice);
}

/* What is `extern inline` to GNU C is code only where it is inlined. */
static void leave_copies(cc_unit *u, const cc_choice *choice) {
    uint32_t i;
    for (i = 0; i < u->function_count; i++) {
        cc_function *f = &u->functions[i];
        if (f->reason || !f->gnu_inline || !(f->flags & CC_IS_EXTERN)) continue;
        f->reason = "it is extern inline of GNU C";
        f->reason_line = u->tokens.list[f->name].line;
        if (!is_lost(u, f, choice)) f->reason = NULL;
    }
}

static void cover_function(planner *p, cc_unit *u, uint32_t function, cc_cfg *g,
                           const char *table, cc_edits *edits, cc_result *result) {
    cc_function *f = &u->functions[function];
    uint32_t slots = p->slots;
    plan(p, u, function, g);
    if (g->reason) {
        f->reason = g->reason;
        f->reason_line = u->tokens.list[g->reason_token].line;
        leave_function(p, u, f, g, g->reason);
        return;
    }
    cc_mcdc_plan(p->mcdc, function, g, slots, p->slots - slots, result);
    cc_flow_emit(u, function, g, p->request, table, edits, &result->look_again);
}

/* Tells the tables of a function the vertices that call it. */
static void add_calls(planner *p, const cc_cfg *graphs, uint32_t count, const uint32_t *table) {
    uint32_t i, k, n;
    for (i = 0; i < count; i++) {
        for (k = 0; graphs[i].number && k < graphs[i].site_count; k++) {
            const cc_site *s = &graphs[i].sites[k];
            if (s->callee == CC_NOWHERE || s->vertex == CC_NOWHERE) continue;
            if (graphs[i].number[s->vertex] == CC_NOWHERE) continue;
            for (n = table[s->callee]; n < table[s->callee + 1]; n++) {
                edges_function *f = &p->done[n];
                if (f->counts_entry != EDGES_CALLED) continue;
                f->call = (uint32_t *)tool_grow(f->call, ((size_t)f->calls + 1) * sizeof *f->call);
                f->call[f->calls++] = graphs[i].number[s->vertex];
            }
        }
    }
}

/* Functions of one call, with the vertex that holds it. */
static void add_inlined(const planner *p, const cc_cfg *graphs, uint32_t count,
                        const uint32_t *table_of, const uint8_t *only, const char *table,
                        text *front) {
    uint32_t *at = words((size_t)count + 1), i, k;
    for (i = 0; i < count; i++) at[i] = CC_NOWHERE;
    for (i = 0; i < count; i++) {
        for (k = 0; graphs[i].number && k < graphs[i].site_count; k++) {
            const cc_site *s = &graphs[i].sites[k];
            if (s->callee == CC_NOWHERE || s->vertex == CC_NOWHERE || !only[s->callee]) continue;
            at[s->callee] = graphs[i].number[s->vertex];
        }
    }
    for (i = 0; i < count; i++) { /* in the order of their numbers */
        const edges_function *f = &p->done[table_of[i]];
        if (at[i] != CC_NOWHERE && table_of[i] < table_of[i + 1])
            cc_exits_inlined(front, table, f->first_vertex, f->vertices, at[i]);
    }
    free(at);
}

static void cover_all(planner *p, cc_unit *u, const char *table, cc_edits *edits,
                      text *front, cc_result *result) {
    cc_cfg *graphs = (cc_cfg *)tool_alloc(((size_t)u->function_count + 1) * sizeof *graphs);
    uint32_t *table_of = words((size_t)u->function_count + 1), i;
    uint8_t *only = (uint8_t *)tool_alloc((size_t)u->function_count + 1);
    uint8_t *known = find_known(p, u, only);
    leave_copies(u, &p->request->choice);
    if (p->request->exits) cc_exits_keep_frames(u, edits, p->request->trace, only);
    memset(graphs, 0, ((size_t)u->function_count + 1) * sizeof *graphs);
    for (i = 0; i < u->function_count; i++) {
        table_of[i] = p->count;
        if (is_lost(u, &u->functions[i], &p->request->choice))
            leave_function(p, u, &u->functions[i], &graphs[i], u->functions[i].reason);
        if (!cc_is_wanted(u, &u->functions[i], &p->request->choice)) continue;
        build(p, u, i, &graphs[i]);
        graphs[i].knows_entry = known[i];
        cover_function(p, u, i, &graphs[i], table, edits, result);
    }
    table_of[i] = p->count;
    add_calls(p, graphs, u->function_count, table_of);
    if (p->request->exits) add_inlined(p, graphs, u->function_count, table_of, only, table, front);
    for (i = 0; i < u->function_count; i++) cc_cfg_free(&graphs[i]);
    free(known);
    free(only);
    free(table_of);
    free(graphs);
}

void cc_cfg_free(cc_cfg *g) {
    free(g->edges);
    free(g->lines);
    free(g->call);
    free(g->after);
    free(g->behind);
    free(g->number);
    free(g->sites);
    free((void *)g->own_files);
}

void cc_cover(cc_unit *u, const cc_request *request, cc_edits *edits, text *front,
              cc_result *result) {
    planner *p = cc_planner_new(request);
    cc_tables tables;
    char table[48];
    cc_counters_name(table, sizeof table, request);
    if (request->mcdc) p->mcdc = cc_mcdc_new(u, request, table);
    blank_promises(u, edits);
    if (!request->trace) cc_exits_find(u);
    cover_all(p, u, table, edits, front, result);
    if (cc_planner_has_tables(p)) {
        cc_planner_end(p, &tables);
        put_front(p, table, &tables, front);
        text_free(&tables.part);
    }
    result->checks = request->trace ? p->traced.count : p->slots;
    cc_planner_free(p);
}
