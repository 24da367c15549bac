/* history.c - see history.h. */
#include "report/model/history.h"
#include "base/glob.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct listener {
    history *h;
    const history_wanted *wanted;
    history_stream *stream;
    history_line *ring;                /* of `room`; the next one goes to ring[used % room] */
    size_t room, used;
    history_line now;                  /* not told yet */
    int has_now;
    char *is_wanted;                   /* of each function */
} listener;

/* The vertices of the path that a frame is on. */
typedef struct trail {
    uint32_t *vertex, count, room;
} trail;

const char *history_name(const history *h, uint32_t function) {
    return function < h->file->function_count ? h->file->functions[function].graph->name
                                              : "(not known)";
}

/* ---- lines ---- */

static void tell_now(listener *l) {
    if (!l->has_now) return;
    l->has_now = 0;
    if (l->wanted->line && l->wanted->last == SIZE_MAX) {
        l->wanted->line(l->wanted->user, l->stream, &l->now);
        return;
    }
    if (!l->wanted->last) return;
    if (l->used < l->wanted->last && l->used == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        if (l->room > l->wanted->last) l->room = l->wanted->last;
        l->ring = (history_line *)tool_grow(l->ring, l->room * sizeof *l->ring);
    }
    l->ring[l->used++ % l->room] = l->now;
}

static void add_line(listener *l, const replay_frame *f, uint32_t depth, const char *file,
                     uint32_t line, int is_certain, int is_back) {
    history_line *n = &l->now;
    if (l->has_now && n->function == f->function && n->line == line && n->depth == depth &&
        n->file == file && n->is_certain == is_certain && !is_back) {
        n->times++;
        return;
    }
    tell_now(l);
    n->function = f->function;
    n->line = line;
    n->depth = depth;
    n->times = 1;
    n->file = file;
    n->is_certain = (uint8_t)is_certain;
    n->is_back = (uint8_t)is_back;
    l->has_now = 1;
}

static void add_lines(listener *l, const replay_frame *f, uint32_t depth, int is_certain,
                      int is_back) {
    const replay_function *of = &l->h->file->functions[f->function];
    uint32_t i, k;
    if (!l->is_wanted[f->function] || (!l->wanted->last && !l->wanted->line)) return;
    for (i = 0; i <= of->elsewhere_count; i++) {
        const edges_function *g = i == 0 ? of->graph : of->elsewhere + (i - 1);
        if (i > 0 && (*g->name || g->key != of->graph->key)) continue;
        if (f->vertex >= g->vertices) continue;
        for (k = g->line_at[f->vertex]; k < g->line_at[f->vertex + 1]; k++)
            add_line(l, f, depth, g->file, g->line[k], is_certain, is_back);
    }
}

/* ---- paths ---- */

static uint64_t hash_of(uint32_t function, const uint32_t *vertex, uint32_t count, int is_cut) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ function;
    uint32_t i;
    for (i = 0; i < count; i++) hash = (hash ^ vertex[i]) * UINT64_C(0x100000001B3);
    return (hash ^ (uint64_t)(unsigned)is_cut) * UINT64_C(0x9E3779B97F4A7C15);
}

static size_t slot_of(const history *h, uint64_t hash, uint32_t function, const uint32_t *vertex,
                      uint32_t count, int is_cut) {
    size_t at = (size_t)(hash >> 20) & (h->slot_room - 1);
    for (; h->slots[at]; at = (at + 1) & (h->slot_room - 1)) {
        const history_path *p = &h->paths[h->slots[at] - 1];
        if (p->hash == hash && p->function == function && p->count_of == count &&
            p->is_cut == is_cut &&
            memcmp(h->vertices + p->at, vertex, count * sizeof *vertex) == 0) break;
    }
    return at;
}

static void grow_slots(history *h) {
    size_t i;
    free(h->slots);
    h->slot_room = h->slot_room ? 2 * h->slot_room : 256;
    h->slots = (uint32_t *)tool_alloc(h->slot_room * sizeof *h->slots);
    memset(h->slots, 0, h->slot_room * sizeof *h->slots);
    for (i = 0; i < h->path_count; i++) {
        size_t at = (size_t)(h->paths[i].hash >> 20) & (h->slot_room - 1);
        while (h->slots[at]) at = (at + 1) & (h->slot_room - 1);
        h->slots[at] = (uint32_t)i + 1;
    }
}

static void end_path(history *h, const replay_frame *f, int is_cut) {
    trail *t = (trail *)f->of_user;
    uint64_t hash;
    history_path *p;
    size_t slot;
    if (!t || t->count == 0) return;
    if (2 * h->path_count >= h->slot_room) grow_slots(h);
    hash = hash_of(f->function, t->vertex, t->count, is_cut);
    slot = slot_of(h, hash, f->function, t->vertex, t->count, is_cut);
    if (!h->slots[slot]) {
        TOOL_ROOM(history_path, h->paths, h->path_count, h->path_room);
        while (h->vertex_count + t->count > h->vertex_room) {
            h->vertex_room = h->vertex_room ? 2 * h->vertex_room : 1024;
            h->vertices = (uint32_t *)tool_grow(h->vertices, h->vertex_room * sizeof *h->vertices);
        }
        p = &h->paths[h->path_count++];
        p->function = f->function;
        p->count_of = t->count;
        p->at = (uint32_t)h->vertex_count;
        p->hash = hash;
        p->count = 0;
        p->is_cut = is_cut;
        memcpy(h->vertices + h->vertex_count, t->vertex, t->count * sizeof *t->vertex);
        h->vertex_count += t->count;
        h->slots[slot] = (uint32_t)h->path_count;
    }
    h->paths[h->slots[slot] - 1].count++;
    t->count = 0;
}

static void add_to_path(listener *l, replay_frame *f) {
    trail *t = (trail *)f->of_user;
    if (!l->wanted->wants_paths) return;
    if (!t) {
        t = (trail *)tool_alloc(sizeof *t);
        memset(t, 0, sizeof *t);
        f->of_user = t;
    }
    TOOL_ROOM(uint32_t, t->vertex, t->count, t->room);
    t->vertex[t->count++] = f->vertex;
}

/* The edges that lead back to a vertex on the way to them: depth first, without
   recursion. */
static void find_back_edges(const replay_function *f, uint8_t *is_back) {
    uint32_t vertices = f->graph->vertices, depth = 1;
    uint32_t *stack = (uint32_t *)tool_alloc((2 * (size_t)vertices + 2) * sizeof *stack);
    uint32_t *next = stack + vertices + 1;
    uint8_t *seen = (uint8_t *)tool_alloc((size_t)vertices + 1); /* 1: on the way, 2: done */
    memset(seen, 0, vertices);
    stack[0] = 0;
    next[0] = f->out_at[0];
    seen[0] = 1;
    while (depth > 0) {
        uint32_t v = stack[depth - 1], e, to;
        if (next[depth - 1] == f->out_at[v + 1]) {
            seen[v] = 2;
            depth--;
            continue;
        }
        e = f->out[next[depth - 1]++];
        to = f->graph->ends[2 * (size_t)e + 1];
        if (seen[to] == 1) is_back[e] = 1;
        if (seen[to]) continue;
        seen[to] = 1;
        stack[depth] = to;
        next[depth++] = f->out_at[to];
    }
    free(seen);
    free(stack);
}

/* ---- what the replay tells ---- */

static void on_enter(void *user, replay_frame *top, uint32_t depth, int is_own) {
    listener *l = (listener *)user;
    (void)depth;
    if (is_own) l->h->counts[top->function].entries++;
}

static void on_leave(void *user, replay_frame *top, uint32_t depth, int is_early) {
    listener *l = (listener *)user;
    trail *t = (trail *)top->of_user;
    (void)depth;
    if (is_early && top->vertex != REPLAY_UNKNOWN) l->h->counts[top->function].early[top->vertex]++;
    end_path(l->h, top, is_early);
    if (t) free(t->vertex);
    free(t);
    top->of_user = NULL;
}

static void on_edge(void *user, replay_frame *top, uint32_t edge, int is_own) {
    listener *l = (listener *)user;
    if (is_own) l->h->counts[top->function].edge[edge]++;
    if (l->h->counts[top->function].is_back[edge]) end_path(l->h, top, 0);
}

static void on_block(void *user, replay_frame *top, uint32_t depth, int is_own, int is_certain) {
    listener *l = (listener *)user;
    if (!is_own) return;
    if (is_certain) {
        l->h->counts[top->function].blocks++;
        add_to_path(l, top);
    }
    add_lines(l, top, depth, is_certain, 0);
}

static void on_resume(void *user, replay_frame *top, uint32_t depth, uint32_t from) {
    listener *l = (listener *)user;
    history_counts *c = &l->h->counts[top->function];
    if (from != REPLAY_UNKNOWN) c->early[from]++;
    if (top->vertex != REPLAY_UNKNOWN) c->early[top->vertex]--;
    end_path(l->h, top, 1);
    if (top->vertex == REPLAY_UNKNOWN) return;
    add_to_path(l, top);
    add_lines(l, top, depth, 1, 1);
}

static void on_own(void *user, replay_frame *frames, uint32_t depth) {
    listener *l = (listener *)user;
    uint32_t i;
    for (i = 0; i < depth; i++) {
        if (frames[i].function == REPLAY_UNKNOWN || frames[i].vertex == REPLAY_UNKNOWN) continue;
        l->h->counts[frames[i].function].early[frames[i].vertex]--;
    }
}

static void add_totals(replay_totals *to, const replay_totals *t) {
    to->tokens += t->tokens;
    to->bytes += t->bytes;
    to->witnesses += t->witnesses;
    to->enters += t->enters;
    to->blocks += t->blocks;
    to->skipped += t->skipped;
    to->lost_segments += t->lost_segments;
    if (!to->misfits) to->misfit = t->misfit;
    to->misfits += t->misfits;
    to->is_cut |= t->is_cut;
    to->begins_late |= t->begins_late;
}

static int by_count(const void *a, const void *b) {
    const history_path *x = (const history_path *)a, *y = (const history_path *)b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    if (x->function != y->function) return x->function < y->function ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void make_counts(history *h) {
    uint32_t i;
    h->counts = (history_counts *)tool_alloc(h->file->function_count * sizeof *h->counts + 1);
    for (i = 0; i < h->file->function_count; i++) {
        const replay_function *f = &h->file->functions[i];
        history_counts *c = &h->counts[i];
        size_t edges = f->graph->edges, vertices = f->graph->vertices;
        memset(c, 0, sizeof *c);
        c->edge = (uint64_t *)tool_alloc((edges + 1) * sizeof *c->edge);
        memset(c->edge, 0, (edges + 1) * sizeof *c->edge);
        c->early = (int64_t *)tool_alloc((vertices + 1) * sizeof *c->early);
        memset(c->early, 0, (vertices + 1) * sizeof *c->early);
        c->is_back = (uint8_t *)tool_alloc(edges + 1);
        memset(c->is_back, 0, edges + 1);
        find_back_edges(f, c->is_back);
        h->edges += f->edges;
        h->witnesses += f->witnesses;
    }
}

/* The lines that the ring holds, the oldest first. */
static void keep_last(listener *l, history_stream *s) {
    size_t count = l->used < l->room ? l->used : l->room, i;
    s->last = (history_line *)tool_alloc((count + 1) * sizeof *s->last);
    for (i = 0; i < count; i++) s->last[i] = l->ring[(l->used - count + i) % l->room];
    s->last_count = count;
}

/* Bit tracing (section 4): each block with several ways out writes which one it
   took. */
static void count_bits(history *h) {
    uint32_t i, e, v;
    for (i = 0; i < h->file->function_count; i++) {
        const edges_function *g = h->file->functions[i].graph;
        uint32_t *ways = (uint32_t *)tool_alloc((g->vertices + 1) * sizeof *ways);
        memset(ways, 0, (g->vertices + 1) * sizeof *ways);
        for (e = 0; e < g->edges - g->stays; e++) ways[g->ends[2 * e]]++;
        for (e = 0; e < g->edges - g->stays; e++) {
            uint32_t bits = 0;
            v = g->ends[2 * e];
            if (ways[v] < 2) continue;
            while (bits < 31 && (uint32_t)1 << bits < ways[v]) bits++;
            h->branches += h->counts[i].edge[e];
            h->bits += bits * h->counts[i].edge[e];
        }
        free(ways);
    }
}

void history_make(history *h, replay_file *file, const history_wanted *wanted) {
    replay_user user;
    listener l;
    size_t at, streams = 0;
    uint32_t i;
    memset(h, 0, sizeof *h);
    memset(&user, 0, sizeof user);
    memset(&l, 0, sizeof l);
    h->file = file;
    make_counts(h);
    l.h = h;
    l.wanted = wanted;
    l.is_wanted = (char *)tool_alloc((size_t)file->function_count + 1);
    for (i = 0; i < file->function_count; i++) {
        const char *name = file->functions[i].graph->name;
        l.is_wanted[i] = (char)(!wanted->function ||
                                glob_matches(wanted->function, name, strlen(name)));
    }
    user.user = &l;
    user.enter = on_enter;
    user.leave = on_leave;
    user.edge = on_edge;
    user.block = on_block;
    user.resume = on_resume;
    user.own = on_own;
    for (at = 0; at < file->segment_count; at = replay_stream_end(file, at)) streams++;
    h->streams = (history_stream *)tool_alloc(streams * sizeof *h->streams + 1);
    for (at = 0; at < file->segment_count; at = replay_stream_end(file, at)) {
        history_stream *s = &h->streams[h->stream_count++];
        memset(s, 0, sizeof *s);
        s->number = file->segments[at].stream;
        s->level = file->segments[at].level;
        s->thread = file->segments[at].thread;
        l.stream = s;
        l.used = l.room = 0;
        l.has_now = 0;
        replay_run(file, at, &user, &s->totals);
        tell_now(&l);
        keep_last(&l, s);
        free(l.ring);
        l.ring = NULL;
        add_totals(&h->totals, &s->totals);
    }
    for (i = 0; i < file->function_count; i++) h->functions_run += h->counts[i].blocks > 0;
    count_bits(h);
    free(l.is_wanted);
    if (h->path_count) qsort(h->paths, h->path_count, sizeof *h->paths, by_count);
}

void history_free(history *h) {
    uint32_t i;
    size_t k;
    for (i = 0; h->counts && i < h->file->function_count; i++) {
        free(h->counts[i].edge);
        free(h->counts[i].early);
        free(h->counts[i].is_back);
    }
    for (k = 0; k < h->stream_count; k++) free(h->streams[k].last);
    free(h->counts);
    free(h->streams);
    free(h->paths);
    free(h->vertices);
    free(h->slots);
    memset(h, 0, sizeof *h);
}

/* ---- as coverage ---- */

/* A function whose edges all have a counter, and X. */
static void cover_function(const edges_function *from, edges_function *to, uint32_t slot) {
    uint32_t e;
    *to = *from;
    to->bits = 64;
    to->counts_entry = 1;
    to->first_slot = slot;
    to->plan = (uint8_t *)tool_alloc((size_t)to->edges + 1);
    for (e = 0; e <= to->edges; e++) to->plan[e] = e < to->edges - to->stays || e == to->edges;
    to->slots = to->edges - to->stays + 1;
}

static void cover_unit(const history *h, const replay_unit *u, edges_all *all) {
    edges_list *l = &all->unnamed;
    counted *c;
    uint32_t i, k, v, slots = 0, exits = 0;
    l->list = (counted *)tool_grow(l->list, (l->count + 1) * sizeof *l->list);
    c = &l->list[l->count++];
    memset(c, 0, sizeof *c);
    c->key = u->key;
    c->bits = 64;
    for (i = u->first; i < u->first + u->count; i++) {
        const replay_function *f = &h->file->functions[i];
        slots += f->edges + 1;
        exits += f->graph->vertices;
    }
    c->value = (uint64_t *)tool_alloc(((size_t)slots + 1) * sizeof *c->value);
    c->exit = (struct edges_exit *)tool_alloc(((size_t)exits + 1) * sizeof *c->exit);
    for (i = u->first; i < u->first + u->count; i++) {
        const replay_function *f = &h->file->functions[i];
        const history_counts *n = &h->counts[i];
        for (k = 0; k <= f->elsewhere_count; k++) {
            const edges_function *g = k == 0 ? f->graph : f->elsewhere + (k - 1);
            if (k > 0 && (*g->name || g->key != f->graph->key || g->edges != f->graph->edges ||
                          g->stays != f->graph->stays)) continue;
            all->functions = (edges_function *)tool_grow(
                all->functions, (all->function_count + 1) * sizeof *all->functions);
            cover_function(g, &all->functions[all->function_count++], c->slots);
        }
        for (k = 0; k < f->edges; k++) c->value[c->slots++] = n->edge[k];
        c->value[c->slots++] = n->entries;
        for (v = 0; v < f->graph->vertices; v++) {
            if (!n->early[v]) continue;
            c->exit[c->exits].vertex = f->graph->first_vertex + v;
            c->exit[c->exits].early = (uint32_t)(uint64_t)n->early[v];
            c->exit[c->exits++].reentry = 0;
        }
    }
}

void history_coverage(const history *h, text *out) {
    edges_all all;
    uint32_t i;
    size_t k;
    memset(&all, 0, sizeof all);
    for (i = 0; i < h->file->unit_count; i++) cover_unit(h, &h->file->units[i], &all);
    kind_edges.write(&all, out);
    for (k = 0; k < all.function_count; k++) free(all.functions[k].plan);
    free(all.functions);
    for (k = 0; k < all.unnamed.count; k++) {
        free(all.unnamed.list[k].value);
        free(all.unnamed.list[k].exit);
    }
    free(all.unnamed.list);
}
