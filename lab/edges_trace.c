/* edges_trace.c - bursty-lab edges on a trace of blocks (kind T): writes what a
   traced program would have written, and regenerates the blocks from that and
   the graphs alone.

   The trace says which block called which function, but a graph has slots:
   calls in order, each direct (to a function of the file), silent (to code that
   is not traced) or opaque (through a pointer). Before anything is planned, the
   calls of every visit of a block are matched to its slots. A visit that does
   not fit shows that a silent slot called back, or that the recorder kept a
   frame too long: the block's silent slots become opaque, and if that is not
   enough, the block gets one opaque slot for all. */
#define EDGEPROF_WIDE
#include "edgeprof.h"
#include "lab/edges.h"
#include "base/text.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { CALL, MOVE, RETURNED, GONE, JUMP }; /* f.0, f.b, R, X, J */
enum { DONE, TOP, CUT };                   /* how a visit ended */

#define NO UINT32_MAX

typedef struct event {
    uint32_t kind, function, block;
    uint32_t visit; /* the one that ends or calls */
    uint32_t slot;
} event;

typedef struct visit {
    uint32_t function, block, calls;
    uint32_t first, last; /* events */
    uint32_t end;
} visit;

/* A frame: where it stands. */
typedef struct place {
    uint32_t visit, slot, serial;
} place;

/* An edge of a function, in the order of source, target and number. */
typedef struct way {
    uint64_t ends;  /* source << 32 | target */
    uint32_t edge;
    uint32_t place; /* among the edges of its source, in the order of their numbers */
    uint32_t witness;
} way;

typedef struct tracing {
    cfg c;
    cfg_words words;
    event *events;
    size_t event_count, event_room;
    uint32_t *next; /* the next call of the same visit */
    visit *visits;
    size_t visit_count;
    place *stack;
    size_t depth;
    uint8_t **level; /* of each block: 0 slots as they are, 1 none silent, 2 one opaque slot */
    uint8_t **is_noreturn, *has_serial;
    way **ways;
    edgetrace_function *functions;
    edges_plan *plans;
    text tokens, bits;
    uint64_t blocks, blocks_at_last_token, serials;
    edges_traced result;
    size_t at; /* of the comparison, in visits */
} tracing;

/* ---- the file ---- */

static int blame(const tracing *t, const char *reason) { return cfg_blame(&t->words, reason); }

/* "f.b" with a function of the L file and one of its blocks. */
static int block_of(const tracing *t, char *word, uint32_t *function, uint32_t *block) {
    char *dot = word ? strchr(word, '.') : NULL;
    uint64_t f, b;
    size_t found;
    if (!dot) return 0;
    *dot = 0;
    if (!cfg_number(word, UINT32_MAX, &f) || !cfg_number(dot + 1, UINT32_MAX, &b)) return 0;
    found = cfg_find(&t->c, f);
    if (found == SIZE_MAX || b >= t->c.functions[found].exit) return 0;
    *function = (uint32_t)found;
    *block = (uint32_t)b;
    return 1;
}

static void add_event(tracing *t, uint32_t kind, uint32_t function, uint32_t block) {
    event *e;
    TOOL_ROOM(event, t->events, t->event_count, t->event_room);
    e = &t->events[t->event_count++];
    e->kind = kind;
    e->function = function;
    e->block = block;
    e->visit = e->slot = NO;
}

/* ---- pass 1: what was called from each visit, and how it ended ---- */

static uint32_t open_visit(tracing *t, uint32_t function, uint32_t block) {
    visit *v = &t->visits[t->visit_count];
    v->function = function;
    v->block = block;
    v->calls = 0;
    v->first = v->last = NO;
    v->end = CUT;
    return (uint32_t)t->visit_count++;
}

static int by_ends(const void *a, const void *b) {
    const way *x = (const way *)a, *y = (const way *)b;
    if (x->ends != y->ends) return x->ends < y->ends ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

static way *make_ways(const cfg_function *f) {
    way *ways = (way *)tool_alloc(f->edges * sizeof *ways);
    uint32_t *left = (uint32_t *)tool_alloc(f->vertices * sizeof *left), e;
    for (e = 0; e < f->edges; e++) {
        uint32_t from = f->ends[2 * (size_t)e];
        ways[e].ends = (uint64_t)from << 32 | f->ends[2 * (size_t)e + 1];
        ways[e].edge = e;
        ways[e].place = left[from]++;
    }
    if (f->edges) qsort(ways, f->edges, sizeof *ways, by_ends);
    free(left);
    return ways;
}

/* The first edge from `from` to `to`, or NULL. */
static way *find_way(const tracing *t, uint32_t function, uint32_t from, uint32_t to) {
    way *ways = t->ways[function];
    uint64_t ends = (uint64_t)from << 32 | to;
    uint32_t low = 0, high = t->c.functions[function].edges;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ways[middle].ends < ends)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->c.functions[function].edges && ways[low].ends == ends ? &ways[low] : NULL;
}

/* Takes one event. Returns NULL, or why it cannot be. */
static const char *take(tracing *t, uint32_t number, int *is_unwinding) {
    event *e = &t->events[number];
    place *top = t->depth ? &t->stack[t->depth - 1] : NULL;
    visit *v = top ? &t->visits[top->visit] : NULL;
    if (top && *is_unwinding && (e->kind == CALL || e->kind == MOVE))
        return "an unwinding must end at J before its frame goes on";
    if (e->kind == CALL) {
        if (v) {
            if (v->last == NO)
                v->first = number;
            else
                t->next[v->last] = number;
            v->last = number;
            v->calls++;
            e->visit = top->visit;
        }
        t->stack[t->depth++].visit = open_visit(t, e->function, 0);
        *is_unwinding = 0;
        return NULL;
    }
    if (!top) return "no function is running here";
    e->visit = top->visit;
    if ((e->kind == MOVE || e->kind == JUMP) && v->function != e->function)
        return "another function is running here";
    if (e->kind == MOVE) {
        if (!find_way(t, v->function, v->block, e->block)) return "no edge leads to this block";
        v->end = DONE;
    }
    if (e->kind == JUMP) v->end = *is_unwinding ? CUT : TOP;
    if (e->kind == RETURNED || e->kind == GONE) {
        int unwinds = e->kind == GONE || t->is_noreturn[v->function][v->block] || *is_unwinding;
        if (!unwinds && !find_way(t, v->function, v->block, t->c.functions[v->function].exit))
            return "a return from a block without an edge to EXIT";
        v->end = !unwinds ? DONE : *is_unwinding ? CUT : TOP;
        *is_unwinding = unwinds;
        t->depth--;
        return NULL;
    }
    top->visit = open_visit(t, e->function, e->block);
    if (e->kind == JUMP) t->has_serial[e->function] = 1;
    *is_unwinding = 0;
    return NULL;
}

static int word(tracing *t, char *text_of, size_t *noreturns) {
    uint32_t f, b;
    if (strcmp(text_of, "N") == 0) {
        if (t->event_count) return blame(t, "N must stand before the first event");
        if (!block_of(t, cfg_word(&t->words), &f, &b))
            return blame(t, "N needs a block of the L file");
        t->is_noreturn[f][b] = 1;
        ++*noreturns;
        return TOOL_OK;
    }
    if (strcmp(text_of, "R") == 0)
        add_event(t, RETURNED, 0, 0);
    else if (strcmp(text_of, "X") == 0)
        add_event(t, GONE, 0, 0);
    else if (strcmp(text_of, "J") == 0) {
        if (!block_of(t, cfg_word(&t->words), &f, &b))
            return blame(t, "J needs a block of the L file");
        add_event(t, JUMP, f, b);
    } else {
        if (!block_of(t, text_of, &f, &b))
            return blame(t, "neither an event nor a block of the L file");
        add_event(t, b == 0 ? CALL : MOVE, f, b);
    }
    return TOOL_OK;
}

/* Reads the events, and takes each at once so that a fault has its line. */
static int read_events(tracing *t, char *data, size_t size) {
    size_t at, end, noreturns = 0, taken = 0;
    int is_unwinding = 0, status = TOOL_OK;
    for (at = 0; at < size && status == TOOL_OK; at = end + 1) {
        char *newline = (char *)memchr(data + at, '\n', size - at), *next;
        end = newline ? (size_t)(newline - data) : size;
        t->words.line++;
        if (memchr(data + at, 0, end - at)) return blame(t, "a byte 0");
        data[end] = 0;
        if (end > at && data[end - 1] == '\r') data[end - 1] = 0;
        t->words.at = data + at;
        for (next = cfg_word(&t->words); next && status == TOOL_OK; next = cfg_word(&t->words)) {
            if (next[0] == '#' || strcmp(next, "P") == 0) break;
            status = word(t, next, &noreturns);
            for (; taken < t->event_count && status == TOOL_OK; taken++) {
                const char *reason = take(t, (uint32_t)taken, &is_unwinding);
                if (reason) status = blame(t, reason);
            }
        }
    }
    return status;
}

/* ---- pass 2: calls to slots ---- */

typedef struct slots {
    uint32_t count;
    const uint32_t *list;
    uint32_t level;
    int is_noreturn;
} slots;

static slots slots_of(const tracing *t, uint32_t function, uint32_t block) {
    const cfg_function *f = &t->c.functions[function];
    slots s;
    s.level = t->level[function][block];
    s.is_noreturn = t->is_noreturn[function][block];
    s.count = s.level == 2 ? 1 : f->call_at[block + 1] - f->call_at[block];
    s.list = f->call + f->call_at[block];
    return s;
}

static uint32_t slot_kind(const slots *s, uint32_t i) {
    if (s->level == 2) return CFG_OPAQUE;
    return s->list[i] == CFG_SILENT && (s->level == 1 || s->is_noreturn) ? CFG_OPAQUE
                                                                         : s->list[i];
}

/* May the visit end in this way when it stands at slot i, all its calls being
   matched? */
static int may_end(const slots *s, uint32_t i, uint32_t how) {
    for (; i < s->count && slot_kind(s, i) == CFG_SILENT; i++) {
    }
    if (how == CUT) return 1;
    if (how == TOP) return i < s->count ? slot_kind(s, i) == CFG_OPAQUE : s->is_noreturn;
    for (; i < s->count; i++)
        if (slot_kind(s, i) < CFG_SILENT) return 0;
    return 1;
}

/* can[k * (count + 1) + i]: calls k, k + 1, ... can be matched from slot i on.
   A direct slot takes its call and is passed; an opaque slot takes a call and
   stays, or is passed; a silent slot is passed. TOP in an opaque slot stays
   there. */
static int match_visit(tracing *t, const visit *v, uint8_t *can) {
    slots s = slots_of(t, v->function, v->block);
    uint32_t width = s.count + 1, k, i, call;
    uint32_t *calls = (uint32_t *)tool_alloc((v->calls + (size_t)1) * sizeof *calls);
    for (k = 0, call = v->first; k < v->calls; k++, call = t->next[call]) calls[k] = call;
    for (k = v->calls + 1; k-- > 0;)
        for (i = width; i-- > 0;) {
            uint32_t kind = i < s.count ? slot_kind(&s, i) : CFG_SILENT;
            int ok = k == v->calls && may_end(&s, i, v->end);
            if (i < s.count && kind >= CFG_SILENT) ok |= can[(size_t)k * width + i + 1];
            if (i < s.count && k < v->calls && kind == CFG_OPAQUE)
                ok |= can[(size_t)(k + 1) * width + i];
            if (i < s.count && k < v->calls && kind == t->events[calls[k]].function)
                ok |= can[(size_t)(k + 1) * width + i + 1];
            can[(size_t)k * width + i] = (uint8_t)ok;
        }
    for (k = i = 0; can[0] && k < v->calls;) {
        uint32_t kind = slot_kind(&s, i);
        t->events[calls[k]].slot = i;
        if (kind == t->events[calls[k]].function && can[(size_t)(k + 1) * width + i + 1]) {
            k++;
            i++;
        } else if (kind >= CFG_SILENT && can[(size_t)k * width + i + 1])
            i++; /* rather a direct slot behind it */
        else
            k++;
    }
    free(calls);
    return can[0];
}

static void match_all(tracing *t) {
    size_t i, pass, room = 0, need;
    uint8_t *can = NULL;
    for (pass = 0; pass < 2;
         pass++) /* a block's later visit may change its slots: so all are matched again */
        for (i = 0; i < t->visit_count; i++) {
            const visit *v = &t->visits[i];
            need = ((size_t)v->calls + 1) *
                   (t->c.functions[v->function].call_at[v->block + 1] -
                    t->c.functions[v->function].call_at[v->block] + (size_t)2);
            if (need > room) can = (uint8_t *)tool_grow(can, room = 2 * need);
            while (!match_visit(t, v, can) && t->level[v->function][v->block] < 2) {
                if (t->level[v->function][v->block]++ == 0) t->result.unmatched++;
            }
        }
    free(can);
}

/* ---- the plan ---- */

static void number_witnesses(const edgeplan *p, way *ways, uint32_t edges) {
    uint32_t *number = (uint32_t *)tool_alloc(((size_t)edges + 1) * sizeof *number), e;
    for (e = 0; e < edges; e++) number[e + 1] = number[e] + (p->plan[e] == EDGEPLAN_COUNTED);
    for (e = 0; e < edges; e++) ways[e].witness = number[ways[e].edge];
    free(number);
}

static int plan(tracing *t, const edges_options *o) {
    size_t i;
    t->functions = (edgetrace_function *)tool_alloc(t->c.count * sizeof *t->functions);
    t->plans = (edges_plan *)tool_alloc(t->c.count * sizeof *t->plans);
    for (i = 0; i < t->c.count; i++) {
        const cfg_function *f = &t->c.functions[i];
        edgetrace_function *g = &t->functions[i];
        uint32_t *call_at = (uint32_t *)tool_alloc(((size_t)f->vertices + 1) * sizeof *call_at);
        uint32_t *call = (uint32_t *)tool_alloc(((size_t)f->call_at[f->vertices] + f->vertices) *
                                                sizeof *call),
                 v, k, n = 0;
        uint8_t *blocks = (uint8_t *)tool_alloc(f->vertices);
        edgeplan_order order;
        uint64_t *counts;
        g->call_at = call_at; /* from here on they are freed with it */
        g->call = call;
        if (edges_open(&t->plans[i], &t->c, f) != TOOL_OK) {
            free(blocks);
            return TOOL_BAD_INPUT;
        }
        for (v = 0; v < f->exit; v++) {
            slots s = slots_of(t, (uint32_t)i, v);
            call_at[v] = n;
            blocks[v] = t->is_noreturn[i][v];
            for (k = 0; k < s.count; k++) {
                uint32_t kind = slot_kind(&s, k);
                blocks[v] |= kind != CFG_SILENT;
                call[n++] = kind == CFG_SILENT   ? (uint32_t)EDGETRACE_SILENT
                            : kind == CFG_OPAQUE ? (uint32_t)EDGETRACE_OPAQUE
                                                 : kind;
            }
        }
        call_at[f->exit] = call_at[f->vertices] = n;
        edgeplan_weigh(&t->plans[i].plan, NULL);
        edges_order(o, &t->plans[i], f, &order, &counts);
        edgeplan_witnesses(&t->plans[i].plan, blocks, &order);
        number_witnesses(&t->plans[i].plan, t->ways[i], f->edges);
        free(counts);
        free(blocks);
        g->vertices = f->vertices;
        g->edges = t->plans[i].plan.edges;
        g->root = f->root;
        g->exit = f->exit;
        g->ends = t->plans[i].plan.ends;
        g->witness = o->problem == EDGES_BITS ? NULL : t->plans[i].plan.plan;
        g->never_returns = t->is_noreturn[i];
        g->has_serial = t->has_serial[i];
    }
    return TOOL_OK;
}

/* ---- pass 3: what a traced program writes ---- */

static void wrote(tracing *t) { t->blocks_at_last_token = t->blocks; }

/* The frame leaves its slots up to `to`: each opaque one ends with LEAVE. */
static void pass_slots(tracing *t, edgetrace *w, place *frame, uint32_t to) {
    const visit *v = &t->visits[frame->visit];
    slots s = slots_of(t, v->function, v->block);
    for (; frame->slot < to && frame->slot < s.count; frame->slot++) {
        if (slot_kind(&s, frame->slot) != CFG_OPAQUE) continue;
        edgetrace_called(w, 0);
        t->result.leaves++;
        wrote(t);
    }
}

/* Takes the edge to `target`: a witness, or its place among the edges of a
   predicate. */
static void take_edge(tracing *t, edgetrace *w, const edges_options *o, const visit *v,
                      uint32_t target) {
    const edgeplan *p = &t->plans[v->function].plan;
    const way *taken = find_way(t, v->function, v->block, target);
    uint32_t ways = p->out_at[v->block + 1] - p->out_at[v->block];
    t->result.bits += edges_bits(ways);
    if (o->problem == EDGES_BITS) {
        if (ways > 1) edgetrace_choice(w, taken->place, edges_bits(ways));
        if (ways > 1) wrote(t);
    } else if (p->plan[taken->edge] == EDGEPLAN_COUNTED) {
        edgetrace_witness(w, taken->witness);
        t->result.witnesses++;
        wrote(t);
    }
}

static void enter(tracing *t, edgetrace *w, const event *e, uint32_t visit_of) {
    place *frame;
    int is_outside = 1;
    if (t->depth) {
        const visit *v = &t->visits[t->stack[t->depth - 1].visit];
        slots s = slots_of(t, v->function, v->block);
        pass_slots(t, w, &t->stack[t->depth - 1], e->slot);
        is_outside = e->slot >= s.count || slot_kind(&s, e->slot) == CFG_OPAQUE;
        if (!is_outside) t->stack[t->depth - 1].slot++;
    }
    w->outside = is_outside;
    edgetrace_entry(w, e->function);
    if (is_outside) {
        t->result.enters++;
        wrote(t);
    }
    frame = &t->stack[t->depth++];
    frame->visit = visit_of;
    frame->slot = 0;
    frame->serial = t->has_serial[e->function] ? edgetrace_serial(w) : 0;
}

static void write_trace(tracing *t, const edges_options *o, edgetrace *w) {
    size_t i;
    uint32_t next_visit = 0;
    t->depth = 0;
    for (i = 0; i < t->event_count; i++) {
        const event *e = &t->events[i];
        place *top = t->depth ? &t->stack[t->depth - 1] : NULL;
        const visit *v = top ? &t->visits[top->visit] : NULL;
        if (e->kind == CALL) {
            enter(t, w, e, next_visit++);
            t->blocks++;
            continue;
        }
        if (v->end == DONE && e->kind != JUMP) {
            pass_slots(t, w, top, NO);
            take_edge(t, w, o, v, e->kind == MOVE ? e->block : t->c.functions[v->function].exit);
        }
        if (e->kind == RETURNED || e->kind == GONE) {
            t->depth--;
            continue;
        }
        if (e->kind == JUMP) {
            edgetrace_resume(w, top->serial, e->block);
            t->result.resumes++;
            wrote(t);
        }
        top->visit = next_visit++;
        top->slot = 0;
        t->blocks++;
    }
}

/* ---- back, and compared ---- */

static int compare(void *user, uint32_t function, uint32_t block, int is_certain) {
    tracing *t = (tracing *)user;
    const visit *v = &t->visits[t->at++];
    (void)is_certain;
    t->result.regenerated++;
    t->result.mismatches += v->function != function || v->block != block;
    return 0;
}

static int save_bits(void *user, const void *data, size_t size) {
    return text_write(&((tracing *)user)->bits, data, size);
}
static int save_tokens(void *user, const void *data, size_t size) {
    return text_write(&((tracing *)user)->tokens, data, size);
}

static int regenerate(tracing *t, uint64_t bit_count) {
    edgetrace_reader reader;
    uint32_t depth = (uint32_t)t->visit_count + 1;
    size_t bytes = edgetrace_reader_bytes(t->functions, (uint32_t)t->c.count, depth);
    void *memory = tool_alloc(bytes);
    int got = -1;
    if (edgetrace_reader_init(&reader, t->functions, (uint32_t)t->c.count, memory, bytes))
        got = edgetrace_read(&reader, t->tokens.data, t->tokens.size, t->bits.data, bit_count,
                             t->visit_count, compare, t);
    if (got != 0) t->result.mismatches++;
    if (t->result.regenerated < t->blocks_at_last_token)
        t->result.mismatches += t->blocks_at_last_token - t->result.regenerated;
    free(memory);
    return TOOL_OK;
}

/* ---- all of it ---- */

int edges_is_trace(const char *path, int *is_trace) {
    char start[4096];
    size_t size, at = 0;
    FILE *file;
    *is_trace = 0;
    if (strcmp(path, "-") == 0) return TOOL_OK;
    file = fopen(path, "rb");
    if (!file) return tool_system_error(path);
    size = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    start[size] = 0;
    while (start[at] == '#' || start[at] == 'P' || start[at] == '\n' || start[at] == '\r') {
        const char *newline = strchr(start + at, '\n');
        if (!newline) return TOOL_OK;
        at = (size_t)(newline - start) + 1;
    }
    *is_trace = (start[at] >= '0' && start[at] <= '9') || start[at] == 'N';
    return TOOL_OK;
}

/* T_x.txt: L_x.txt beside it. */
static char *graphs_of(const char *path) {
    size_t size = strlen(path) + 1, name = 0, i;
    char *other = (char *)tool_alloc(size);
    memcpy(other, path, size);
    for (i = 0; path[i]; i++)
        if (path[i] == '/' || path[i] == '\\') name = i + 1;
    if (other[name] == 'T')
        other[name] = 'L';
    else
        other[0] = 0;
    return other;
}

static void make_room(tracing *t) {
    size_t i;
    t->level = (uint8_t **)tool_alloc(t->c.count * sizeof *t->level);
    t->is_noreturn = (uint8_t **)tool_alloc(t->c.count * sizeof *t->is_noreturn);
    t->has_serial = (uint8_t *)tool_alloc(t->c.count);
    t->ways = (way **)tool_alloc(t->c.count * sizeof *t->ways);
    for (i = 0; i < t->c.count; i++) {
        t->level[i] = (uint8_t *)tool_alloc(t->c.functions[i].vertices);
        t->is_noreturn[i] = (uint8_t *)tool_alloc(t->c.functions[i].vertices);
        t->ways[i] = make_ways(&t->c.functions[i]);
    }
}

static void free_room(tracing *t) {
    size_t i;
    for (i = 0; i < t->c.count && t->level; i++) {
        free(t->level[i]);
        free(t->is_noreturn[i]);
        free(t->ways[i]);
    }
    for (i = 0; i < t->c.count && t->functions; i++) {
        free((void *)(uintptr_t)t->functions[i].call_at);
        free((void *)(uintptr_t)t->functions[i].call);
    }
    for (i = 0; i < t->c.count && t->plans; i++)
        if (t->plans[i].count) edges_close(&t->plans[i]);
    free(t->level);
    free(t->is_noreturn);
    free(t->ways);
    free(t->has_serial);
    free(t->functions);
    free(t->plans);
    free(t->events);
    free(t->next);
    free(t->visits);
    free(t->stack);
    text_free(&t->tokens);
    text_free(&t->bits);
    cfg_free(&t->c);
}

int edges_trace(const char *path, cfg *graphs, char *events, size_t size,
                const edges_options *options, edges_result *r, edges_traced *traced) {
    size_t room = size / 2 + 1, i; /* an event takes two bytes at least */
    edges_options o = *options;
    tracing t;
    edgetrace w;
    uint32_t e;
    int status;
    memset(&t, 0, sizeof t);
    memset(r, 0, sizeof *r);
    if (o.problem != EDGES_BITS) o.problem = EDGES_TRACE;
    t.c = *graphs;
    memset(graphs, 0, sizeof *graphs);
    t.words.path = path;
    make_room(&t);
    t.next = (uint32_t *)tool_alloc(room * sizeof *t.next);
    t.visits = (visit *)tool_alloc(room * sizeof *t.visits);
    t.stack = (place *)tool_alloc(room * sizeof *t.stack);
    status = read_events(&t, events, size);
    if (status == TOOL_OK) {
        match_all(&t);
        status = plan(&t, &o);
    }
    if (status == TOOL_OK) {
        edgetrace_begin(&w, save_tokens, save_bits, &t);
        write_trace(&t, &o, &w);
        edgetrace_end(&w);
        regenerate(&t, w.bits);
        for (i = 0; i < t.c.count; i++) {
            const edgeplan *p = &t.plans[i].plan;
            r->functions++;
            r->edges += t.c.functions[i].edges;
            r->counters_minimum += p->edges - p->vertices + 2;
            if (o.problem == EDGES_TRACE) r->counters += p->counters;
            for (e = 0; e < p->edges && o.problem == EDGES_BITS; e++)
                r->counters += (uint64_t)edgeplan_is_predicate(p, p->ends[2 * (size_t)e]);
        }
        r->blocks = t.visit_count;
    }
    *traced = t.result;
    free_room(&t);
    return status;
}

int lab_edges_trace(const char *path, const edges_options *options, int json) {
    edges_options o = *options;
    edges_result r;
    edges_traced traced;
    cfg c;
    size_t size = 0;
    char *graphs = graphs_of(path), *data = NULL;
    int status;
    memset(&c, 0, sizeof c);
    if (o.problem != EDGES_BITS) o.problem = EDGES_TRACE;
    status = *graphs
                 ? cfg_open(&c, graphs)
                 : tool_error("%s: a trace must be called T_..., its graphs L_... beside it", path);
    if (status == TOOL_OK && c.kind != CFG_BLOCKS)
        status = tool_error("%s: these are not the graphs of a trace", graphs);
    if (status == TOOL_OK) data = (char *)tool_read_file(path, NULL, &size);
    if (status == TOOL_OK && !data) status = TOOL_BAD_INPUT;
    if (status == TOOL_OK) {
        data = (char *)tool_grow(data, size + 1);
        status = edges_trace(path, &c, data, size, &o, &r, &traced);
    }
    if (status == TOOL_OK) edges_print(&o, &r, &traced, json);
    cfg_free(&c);
    free(data);
    free(graphs);
    return status;
}
