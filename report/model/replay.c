/* replay.c - see replay.h. */
#include "report/model/replay.h"
#include "base/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 64, UNIT = 16, FRAMES_MOST = 1 << 22, LANDINGS = 256 };
enum { OPEN = 0, FULL = 1, ENDED = 2 };

static uint32_t get4(const unsigned char *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint64_t get8(const unsigned char *from) {
    return get4(from) | (uint64_t)get4(from + 4) << 32;
}

uint64_t replay_check(uint64_t hash, const unsigned char *data, size_t size) {
    size_t i, k;
    for (i = 0; i < size; i += 8) {
        uint64_t word = 0;
        for (k = 0; k < 8 && k < size - i; k++) word |= (uint64_t)data[i + k] << 8 * k;
        hash = (hash ^ word) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* ---- graphs ---- */

static uint32_t *words(size_t count) {
    return (uint32_t *)tool_alloc((count + 1) * sizeof(uint32_t));
}

static void make_function(replay_function *f, const edges_function *g, const uint32_t *call,
                          uint32_t calls) {
    uint32_t e, v, k = 0;
    f->graph = g;
    f->edges = g->edges - g->stays;
    f->edge_of = words(f->edges);
    f->out_at = words((size_t)g->vertices + 1);
    f->out = words(f->edges);
    f->calls = (uint8_t *)tool_alloc((size_t)g->vertices + 1);
    memset(f->calls, 0, g->vertices);
    memset(f->out_at, 0, ((size_t)g->vertices + 2) * sizeof *f->out_at);
    for (e = 0; e < f->edges; e++) {
        f->out_at[g->ends[2 * (size_t)e] + 1]++;
        if (g->plan[e]) f->edge_of[f->witnesses++] = e;
    }
    for (v = 0; v < g->vertices; v++) f->out_at[v + 1] += f->out_at[v];
    for (e = 0; e < f->edges; e++) f->out[f->out_at[g->ends[2 * (size_t)e]]++] = e;
    for (v = g->vertices; v > 0; v--) f->out_at[v] = f->out_at[v - 1];
    f->out_at[0] = 0;
    for (k = 0; k < calls; k++)
        if (call[k] < g->vertices) f->calls[call[k]] = 1;
}

/* The functions of a unit, in their order; lines in other files have no name
   and follow their function. */
static int take_unit(replay_file *r, const replay_unit *u) {
    const traced_unit *t = traced_find(&r->traced, u->key);
    replay_function *last = NULL;
    uint32_t found = 0;
    size_t i;
    if (!t || t->functions != u->count) return -1;
    for (i = 0; i < r->edges.function_count; i++) {
        const edges_function *f = &r->edges.functions[i];
        if (f->key != u->key) continue;
        if (!*f->name) {
            if (!last) return -1;
            if (!last->elsewhere) last->elsewhere = f;
            last->elsewhere_count = (uint32_t)(f - last->elsewhere) + 1;
            continue;
        }
        if (found == u->count) break;
        last = &r->functions[u->first + found];
        make_function(last, f, t->call + t->call_at[found],
                      t->call_at[found + 1] - t->call_at[found]);
        found++;
    }
    return found == u->count ? 0 : -1;
}

static int take_tables(replay_file *r, size_t at, size_t size, dump_fault *fault) {
    dump d;
    size_t i;
    uint32_t k;
    int failed = 0;
    if (dump_read(&d, r->data + at, size, fault) != 0) {
        fault->offset += at;
        return -1;
    }
    for (i = 0; i < d.part_count && !failed; i++) {
        if (d.parts[i].kind == kind_edges.number)
            failed = kind_edges.read(&r->edges, &d, &d.parts[i], fault);
        else if (d.parts[i].kind == TRACED_KIND)
            failed = kind_traced.read(&r->traced, &d, &d.parts[i], fault);
    }
    dump_free(&d);
    if (failed) {
        fault->offset += at;
        return -1;
    }
    kind_traced.settle(&r->traced);
    for (k = 0; k < r->unit_count; k++) {
        if (take_unit(r, &r->units[k]) != 0)
            return dump_refuse(fault, HEAD + UNIT * (size_t)k,
                               "the graphs of a unit are not in the file");
    }
    return 0;
}

/* ---- the file ---- */

static int take_head(replay_file *r, dump_fault *fault, size_t *tables, size_t *tables_size,
                     size_t *segments) {
    const unsigned char *d = r->data;
    uint32_t i, units;
    if (r->size < HEAD || memcmp(d, "BTRC", 4) != 0)
        return dump_refuse(fault, 0, "it is no trace");
    if ((d[4] | d[5] << 8) != 1) return dump_refuse(fault, 4, "unknown version of traces");
    r->segment_bytes = get4(d + 8);
    r->segment_most = get4(d + 12);
    r->process = get4(d + 16);
    units = get4(d + 20);
    *tables = get4(d + 24);
    *tables_size = get4(d + 28);
    *segments = get4(d + 32);
    r->parent = get4(d + 36);
    if (*tables > r->size || *tables != HEAD + UNIT * (size_t)units)
        return dump_refuse(fault, 20, "the head is cut");
    if (replay_check(replay_check(REPLAY_CHECK, d, 40), d + HEAD, *tables - HEAD) != get8(d + 40))
        return dump_refuse(fault, 40, "the head's checksum is wrong");
    if (*tables_size > r->size - *tables || *segments < *tables + *tables_size ||
        r->segment_bytes < 1024 || r->segment_bytes > 1 << 24)
        return dump_refuse(fault, 24, "the head's sizes are wrong");
    r->claimed = get4(d + 48);
    r->streams_lost = get4(d + 52);
    r->fault = get4(d + 56);
    r->is_ended = get4(d + 60) != 0;
    r->unit_count = units;
    r->units = (replay_unit *)tool_alloc((size_t)units * sizeof *r->units + 1);
    for (i = 0; i < units; i++) {
        const unsigned char *u = d + HEAD + UNIT * (size_t)i;
        r->units[i].key = get8(u);
        r->units[i].first = get4(u + 8);
        r->units[i].count = get4(u + 12);
        if (r->units[i].first != r->function_count || r->units[i].count > 104 * 256)
            return dump_refuse(fault, HEAD + UNIT * (size_t)i, "the numbers of a unit are wrong");
        r->function_count += r->units[i].count;
    }
    r->functions = (replay_function *)tool_alloc((size_t)r->function_count * sizeof *r->functions + 1);
    memset(r->functions, 0, (size_t)r->function_count * sizeof *r->functions);
    return 0;
}

/* Returns 0, or -1: it cannot be read. 1: nothing was written there. */
static int take_segment(const replay_file *r, size_t at, replay_segment *s) {
    const unsigned char *d = r->data + at;
    size_t size = r->size - at < r->segment_bytes ? r->size - at : r->segment_bytes, i;
    uint32_t used;
    for (i = 0; i < size && i < HEAD && d[i] == 0; i++) {
    }
    if (i == HEAD || i == size) return 1;
    if (size < HEAD || memcmp(d, "BSEG", 4) != 0) return -1;
    if (replay_check(REPLAY_CHECK, d, 24) != get8(d + 24)) return -1;
    s->stream = get4(d + 4);
    s->sequence = get4(d + 8);
    s->level = get4(d + 12);
    s->thread = get4(d + 16);
    s->skip = get4(d + 20);
    s->state = get4(d + 32);
    s->at = at + HEAD;
    s->size = size - HEAD;
    used = get4(d + 36);
    if (s->state == OPEN) return 0;
    if (s->state > ENDED || used < HEAD || used > size) return -1;
    s->size = used - HEAD;
    return replay_check(REPLAY_CHECK, d + HEAD, s->size) == get8(d + 40) ? 0 : -1;
}

static int by_stream(const void *a, const void *b) {
    const replay_segment *x = (const replay_segment *)a, *y = (const replay_segment *)b;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    if (x->sequence != y->sequence) return x->sequence < y->sequence ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void take_segments(replay_file *r, size_t at) {
    size_t room = 0;
    for (; at < r->size; at += r->segment_bytes) {
        int got;
        TOOL_ROOM(replay_segment, r->segments, r->segment_count, room);
        got = take_segment(r, at, &r->segments[r->segment_count]);
        r->segment_count += got == 0;
        r->damaged += got < 0;
        if (r->size - at <= r->segment_bytes) break;
    }
    if (r->segment_count) qsort(r->segments, r->segment_count, sizeof *r->segments, by_stream);
}

int replay_take(replay_file *r, unsigned char *data, size_t size, dump_fault *fault) {
    size_t tables = 0, tables_size = 0, segments = 0;
    memset(r, 0, sizeof *r);
    r->data = data;
    r->size = size;
    if (take_head(r, fault, &tables, &tables_size, &segments) != 0) return -1;
    if (take_tables(r, tables, tables_size, fault) != 0) return -1;
    take_segments(r, segments);
    return 0;
}

int replay_is(const char *path) {
    unsigned char start[4];
    FILE *file = fopen(path, "rb");
    int is = file && fread(start, 1, 4, file) == 4 && memcmp(start, "BTRC", 4) == 0;
    if (file) fclose(file);
    return is;
}

int replay_open(replay_file *r, const char *path) {
    dump_fault fault;
    size_t size;
    unsigned char *data = tool_read_file(path, NULL, &size);
    memset(r, 0, sizeof *r);
    if (!data) return TOOL_BAD_INPUT;
    if (replay_take(r, data, size, &fault) != 0) return dump_blame(path, &fault);
    return TOOL_OK;
}

void replay_free(replay_file *r) {
    uint32_t i;
    for (i = 0; i < r->function_count && r->functions; i++) {
        replay_function *f = &r->functions[i];
        free(f->edge_of);
        free(f->out_at);
        free(f->out);
        free(f->calls);
        free(f->paths);
        free(f->steps);
    }
    free(r->functions);
    free(r->units);
    free(r->segments);
    kind_edges.free(&r->edges);
    kind_traced.free(&r->traced);
    free(r->data);
    memset(r, 0, sizeof *r);
}

size_t replay_stream_end(const replay_file *r, size_t first) {
    size_t end = first;
    while (end < r->segment_count && r->segments[end].stream == r->segments[first].stream) end++;
    return end;
}

/* ---- paths ---- */

/* Finds the edges from a vertex to that of a witness, over edges without one:
   breadth first, from behind. Returns how many, or -1: there is no such path. */
static int find_path(const replay_function *f, uint32_t from, uint32_t edge, uint32_t *toward,
                     uint32_t *queue) {
    const edges_function *g = f->graph;
    uint32_t count = 1, done, v, i;
    int steps = 1;
    if (g->ends[2 * (size_t)edge] == from) return 1;
    for (v = 0; v < g->vertices; v++) toward[v] = REPLAY_UNKNOWN;
    queue[0] = from;
    toward[from] = f->edges; /* any edge will do: here it begins */
    for (done = 0; done < count; done++) {
        for (i = f->out_at[queue[done]]; i < f->out_at[queue[done] + 1]; i++) {
            uint32_t e = f->out[i], to = g->ends[2 * (size_t)e + 1];
            if (g->plan[e] || toward[to] != REPLAY_UNKNOWN) continue;
            toward[to] = e;
            queue[count++] = to;
        }
    }
    v = g->ends[2 * (size_t)edge];
    if (toward[v] == REPLAY_UNKNOWN) return -1;
    for (; v != from; v = g->ends[2 * (size_t)toward[v]]) steps++;
    return steps;
}

static replay_path *path_place(replay_function *f, uint32_t from, uint32_t witness) {
    uint32_t mask = f->path_room - 1;
    uint32_t at = (from * 2654435761u ^ witness * 40503u) & mask;
    while (f->paths[at].from && (f->paths[at].from != from + 1 || f->paths[at].witness != witness))
        at = (at + 1) & mask;
    return &f->paths[at];
}

static void grow_paths(replay_function *f) {
    replay_path *old = f->paths;
    uint32_t room = f->path_room, i;
    f->path_room = room ? 2 * room : 16;
    f->paths = (replay_path *)tool_alloc(f->path_room * sizeof *f->paths);
    memset(f->paths, 0, f->path_room * sizeof *f->paths);
    for (i = 0; i < room; i++)
        if (old[i].from) *path_place(f, old[i].from - 1, old[i].witness) = old[i];
    free(old);
}

/* The edges to take, in order; NULL: there are none. */
static const replay_path *path_to(replay_function *f, uint32_t from, uint32_t witness) {
    const edges_function *g = f->graph;
    uint32_t edge = f->edge_of[witness], *toward, v, i;
    replay_path *p;
    int steps;
    if (2 * f->path_count >= f->path_room) grow_paths(f);
    p = path_place(f, from, witness);
    if (p->from) return p;
    toward = words(2 * (size_t)g->vertices);
    steps = find_path(f, from, edge, toward, toward + g->vertices);
    if (steps > 0) {
        while (f->step_count + (uint32_t)steps > f->step_room) {
            f->step_room = f->step_room ? 2 * f->step_room : 64;
            f->steps = (uint32_t *)tool_grow(f->steps, f->step_room * sizeof *f->steps);
        }
        p->from = from + 1;
        p->witness = witness;
        p->at = f->step_count;
        p->count = (uint32_t)steps;
        f->path_count++;
        f->step_count += p->count;
        f->steps[p->at + p->count - 1] = edge;
        for (v = g->ends[2 * (size_t)edge], i = p->count - 1; i > 0; i--) {
            f->steps[p->at + i - 1] = toward[v];
            v = g->ends[2 * (size_t)toward[v]];
        }
    }
    free(toward);
    return steps > 0 ? p : NULL;
}

/* ---- replay ---- */

typedef struct landing { uint32_t depth, vertex; } landing;

typedef struct state {
    replay_file *r;
    const replay_user *user;
    replay_totals *t;
    replay_frame *frames;
    uint32_t depth, room;
    landing landings[LANDINGS];  /* depth 0: not known */
    int is_own;
} state;

static replay_frame *top_of(state *s) { return s->depth ? &s->frames[s->depth - 1] : NULL; }

static void push(state *s, uint32_t function) {
    replay_frame *f;
    TOOL_ROOM(replay_frame, s->frames, s->depth, s->room);
    f = &s->frames[s->depth++];
    f->function = function;
    f->vertex = REPLAY_UNKNOWN;
    f->of_user = NULL;
}

static void tell_block(state *s, int is_certain) {
    s->t->blocks += (uint64_t)(s->is_own && is_certain);
    if (s->user->block) s->user->block(s->user->user, top_of(s), s->depth, s->is_own, is_certain);
}

static void pop(state *s, int is_early) {
    replay_frame *f = top_of(s);
    if (f->function != REPLAY_UNKNOWN && s->user->leave)
        s->user->leave(s->user->user, f, s->depth, is_early);
    s->depth--;
}

/* All that is open is not known any more. */
static void lose(state *s) {
    if (s->user->lose) s->user->lose(s->user->user);
    while (s->depth) pop(s, 1);
    memset(s->landings, 0, sizeof s->landings);
    push(s, REPLAY_UNKNOWN);
}

static void misfit(state *s, const char *why) {
    if (s->t->misfits++ == 0) s->t->misfit = why;
    lose(s);
}

static void cross(state *s, uint32_t e) {
    replay_frame *f = top_of(s);
    const edges_function *g = s->r->functions[f->function].graph;
    f->vertex = g->ends[2 * (size_t)e + 1];
    if (s->user->edge) s->user->edge(s->user->user, f, e, s->is_own);
    if (f->vertex == g->vertices - 1) pop(s, 0);
    else tell_block(s, 1);
}

/* Goes on as far as no token is needed: to a call, a choice or EXIT. */
static void run_on(state *s) {
    replay_frame *f = top_of(s);
    const replay_function *of;
    uint32_t depth = s->depth, steps, e;
    if (!f || f->function == REPLAY_UNKNOWN) return;
    of = &s->r->functions[f->function];
    for (steps = 0; steps < of->graph->vertices; steps++) {
        f = top_of(s);
        if (s->depth != depth || f->vertex == REPLAY_UNKNOWN || of->calls[f->vertex]) return;
        if (of->out_at[f->vertex + 1] - of->out_at[f->vertex] != 1) return;
        e = of->out[of->out_at[f->vertex]];
        if (of->graph->plan[e]) return;
        cross(s, e);
    }
}

/* The same where the trace was cut off: what may have run. The frame stays
   where it is. */
static void run_on_perhaps(state *s) {
    replay_frame *f = top_of(s), before;
    const replay_function *of;
    uint32_t steps, e;
    if (!f || f->function == REPLAY_UNKNOWN || f->vertex == REPLAY_UNKNOWN) return;
    before = *f;
    of = &s->r->functions[f->function];
    for (steps = 0; steps < of->graph->vertices && !of->calls[f->vertex]; steps++) {
        if (of->out_at[f->vertex + 1] - of->out_at[f->vertex] != 1) break;
        e = of->out[of->out_at[f->vertex]];
        if (of->graph->plan[e]) break;
        f->vertex = of->graph->ends[2 * (size_t)e + 1];
        if (f->vertex == of->graph->vertices - 1) break;
        tell_block(s, 0);
    }
    f->vertex = before.vertex;
}

static void take_witness(state *s, uint32_t witness) {
    replay_frame *f;
    replay_function *of;
    const replay_path *p;
    uint32_t i, depth, at, count;
    run_on(s);
    s->t->witnesses += (uint64_t)s->is_own;
    f = top_of(s);
    if (f && f->function == REPLAY_UNKNOWN) {
        s->t->skipped++;
        return;
    }
    if (!f) {
        misfit(s, "a witness where no function is open");
        return;
    }
    of = &s->r->functions[f->function];
    if (witness >= of->witnesses) {
        misfit(s, "a witness that its function does not have");
        return;
    }
    if (f->vertex == REPLAY_UNKNOWN) f->vertex = of->graph->ends[2 * (size_t)of->edge_of[witness]];
    p = path_to(of, f->vertex, witness);
    if (!p) {
        misfit(s, "a witness that no path leads to");
        return;
    }
    depth = s->depth;
    at = p->at;
    count = p->count;
    for (i = 0; i < count && s->depth == depth; i++) cross(s, of->steps[at + i]);
}

static void take_enter(state *s, uint32_t function) {
    run_on(s);
    s->t->enters += (uint64_t)s->is_own;
    if (function >= s->r->function_count) {
        misfit(s, "a function that the program does not have");
        return;
    }
    if (s->depth == FRAMES_MOST) {
        misfit(s, "more calls are open than a stack can hold");
        return;
    }
    push(s, function);
    top_of(s)->vertex = 0;
    if (s->user->enter) s->user->enter(s->user->user, top_of(s), s->depth, s->is_own);
    tell_block(s, 1);
}

static void take_resume(state *s, uint32_t number) {
    const landing *l = &s->landings[number];
    replay_frame *f;
    uint32_t from;
    run_on(s);
    if (l->depth == 0 || l->depth > s->depth) {
        if (s->depth && s->frames[0].function == REPLAY_UNKNOWN) lose(s);
        else misfit(s, "longjmp to a place that is not there");
        return;
    }
    while (s->depth > l->depth) pop(s, 1);
    f = top_of(s);
    if (f->function == REPLAY_UNKNOWN) return;
    if (l->vertex != REPLAY_UNKNOWN && l->vertex >= s->r->functions[f->function].graph->vertices) {
        misfit(s, "longjmp to a place that is not there");
        return;
    }
    from = f->vertex;
    f->vertex = l->vertex;
    if (s->user->resume) s->user->resume(s->user->user, f, s->depth, from);
}

/* One token at data[0]. Returns its bytes, or 0 at the end. */
static size_t take_token(state *s, const unsigned char *data, size_t left) {
    unsigned byte = left ? data[0] : 0, next = left > 1 ? data[1] : 0;
    size_t bytes = byte >= TRACED_LONG && byte < TRACED_SURE ? 2 : 1;
    if (byte == 0 || bytes > left) return 0;
    s->t->tokens += (uint64_t)s->is_own;
    s->t->bytes += s->is_own ? bytes : 0;
    if (byte < TRACED_LONG) take_witness(s, byte - 1);
    else if (byte < TRACED_ENTER) take_witness(s, TRACED_SHORT + (byte - TRACED_LONG) * 256 + next);
    else if (byte < TRACED_LANDING) take_enter(s, (byte - TRACED_ENTER) * 256 + next);
    else if (byte == TRACED_LANDING) {
        run_on(s);
        s->landings[next].depth = s->depth;
        s->landings[next].vertex = s->depth ? top_of(s)->vertex : 0;
    } else if (byte == TRACED_RESUME) take_resume(s, next);
    else if (byte == TRACED_SURE) run_on(s);
    else if (byte == TRACED_LOST) {
        run_on(s);
        lose(s);
    } else if (byte == TRACED_LEFT) {
        run_on(s);
        while (s->depth) pop(s, 1);
    } else misfit(s, "a token that nobody writes");
    return bytes;
}

/* ---- segments ---- */

static uint32_t get_number(const unsigned char **at, const unsigned char *end) {
    uint32_t value = 0, shift = 0;
    while (*at < end) {
        unsigned byte = *(*at)++;
        if (shift < 32) value |= (uint32_t)(byte & 127) << shift;
        shift += 7;
        if (!(byte & 128)) break;
    }
    return value;
}

/* The function of a unit that holds a vertex, and its own number for that. */
static uint32_t function_of(const replay_file *r, uint32_t unit, uint32_t *vertex) {
    uint32_t i;
    if (unit >= r->unit_count) return REPLAY_UNKNOWN;
    for (i = 0; i < r->units[unit].count; i++) {
        const edges_function *g = r->functions[r->units[unit].first + i].graph;
        if (*vertex < g->first_vertex || *vertex - g->first_vertex >= g->vertices) continue;
        *vertex -= g->first_vertex;
        return r->units[unit].first + i;
    }
    return REPLAY_UNKNOWN;
}

/* What is open where a segment begins, outermost first: `count` frames from the
   list, whose first is the innermost. */
typedef struct opening {
    replay_frame *list;
    uint32_t count, room;
    uint32_t top;          /* the function that writes, or REPLAY_UNKNOWN */
    size_t bytes;          /* of the opening; tokens follow */
} opening;

static void read_opening(const replay_file *r, const replay_segment *g, opening *o) {
    const unsigned char *at = r->data + g->at, *end = at + g->size;
    uint32_t unit, token;
    memset(o, 0, sizeof *o);
    o->top = REPLAY_UNKNOWN;
    while ((unit = get_number(&at, end)) != 0) {
        uint32_t vertex = get_number(&at, end);
        TOOL_ROOM(replay_frame, o->list, o->count, o->room);
        o->list[o->count].function = function_of(r, unit - 1, &vertex);
        o->list[o->count++].vertex = vertex;
    }
    if (end - at >= 2) {
        token = (uint32_t)(at[0] - TRACED_ENTER) * 256 + at[1];
        if (at[0] >= TRACED_ENTER && at[0] < TRACED_LANDING && token < r->function_count)
            o->top = token;
        at += 2;
    }
    o->bytes = (size_t)(at - (r->data + g->at));
}

/* Begins with what a segment says: whatever is below its frames is not
   known. */
static void begin_with(state *s, const replay_segment *g, const opening *o) {
    const unsigned char *first = s->r->data + g->at + o->bytes;
    uint32_t i, innermost = 0;
    int is_entered = g->size > o->bytes && *first >= TRACED_ENTER && *first < TRACED_LANDING;
    lose(s);
    if (o->count && o->top != REPLAY_UNKNOWN && o->list[0].function == o->top) innermost = 1;
    for (i = o->count; i > innermost; i--) {
        push(s, o->list[i - 1].function);
        top_of(s)->vertex = o->list[i - 1].function == REPLAY_UNKNOWN ? REPLAY_UNKNOWN
                                                                    : o->list[i - 1].vertex;
    }
    if (o->top != REPLAY_UNKNOWN && !is_entered) push(s, o->top);
}

/* Tokens of a segment, up to `size`. */
static size_t run_tokens(state *s, const replay_segment *g, size_t at, size_t size) {
    size_t bytes;
    while (at < size && (bytes = take_token(s, s->r->data + g->at + at, size - at)) != 0)
        at += bytes;
    return at;
}

static void run_segment(state *s, const replay_segment *g, int is_first, int follows) {
    opening o;
    size_t skip = g->skip > HEAD ? g->skip - HEAD : 0, at;
    read_opening(s->r, g, &o);
    if (!follows || (is_first && g->skip && o.count > 0)) begin_with(s, g, &o);
    s->is_own = skip <= o.bytes;
    at = o.bytes;
    if (!s->is_own) {
        if (skip > g->size) skip = g->size;
        at = run_tokens(s, g, at, skip);
        run_on(s);
        s->is_own = 1;
        if (s->user->own) s->user->own(s->user->user, s->frames, s->depth);
        at = skip;
    }
    run_tokens(s, g, at, g->size);
    free(o.list);
}

void replay_run(replay_file *r, size_t first, const replay_user *user, replay_totals *t) {
    size_t end = replay_stream_end(r, first), i;
    const replay_segment *last = &r->segments[end - 1];
    state *s = (state *)tool_alloc(sizeof *s);
    memset(s, 0, sizeof *s);
    s->r = r;
    s->user = user;
    s->t = t;
    t->begins_late |= r->segments[first].sequence > 0;
    for (i = first; i < end; i++) {
        const replay_segment *g = &r->segments[i];
        int follows = i == first ? g->sequence == 0
                                 : g->sequence == r->segments[i - 1].sequence + 1;
        if (!follows) t->lost_segments += i == first ? g->sequence
                                                     : g->sequence - r->segments[i - 1].sequence - 1;
        run_segment(s, g, i == first, follows);
    }
    if (last->state != ENDED) {
        t->is_cut = 1;
        run_on_perhaps(s);
    }
    while (s->depth) pop(s, 1);
    free(s->frames);
    free(s);
}
