/* sancov.c - see sancov.h. What clang 16 and later put into an object:

       guards   a 32-bit word for each block that is instrumented; the block calls
                __sanitizer_cov_trace_pc_guard with its address
       pcs      for each guard the address of its block, and 1 if this is a function's entry
       cfs      for each block, function after function: its address, those of its successors, 0,
                those of the functions that it calls, 0

   and a constructor that announces all three. clang has split critical edges,
   so an edge is counted where its source has no other way out or its target no
   other way in: a counter of an edge becomes a guard of a block. Edges without
   such a block must be derived, so they are the heaviest.

   Options, where this file is compiled:
     SANCOV_BYTES    memory for tables and counters, 4 MB if not defined
     SANCOV_CHECK    counts every block, so that a test can compare
     SANCOV_ATOMIC   counters that threads may share */
#define EDGEPROF_STATIC
#define EDGEPROF_IMPLEMENTATION
#include "sancov.h"

#ifndef SANCOV_BYTES
#define SANCOV_BYTES 4194304
#endif
#define NONE UINT32_MAX

/* Memory is given out from the front for good; what is behind is for planning
   one function. Word 0 is never a counter, so a guard that is 0 counts
   nothing. */
static union {
    uint64_t aligned[SANCOV_BYTES / 8];
    uint32_t word[SANCOV_BYTES / 4];
    unsigned char byte[SANCOV_BYTES / 8 * 8];
} pool;
static size_t used = 8;

typedef struct covered {
    edgeprof_function f;
    struct covered *next;
    const uintptr_t **block; /* of each vertex but EXIT: where its record in cfs begins */
#ifdef SANCOV_CHECK
    uint32_t *at; /* of each slot the word that counts its block */
#endif
} covered;

static covered *first, **last = &first;
static uint32_t function_count, lost;

typedef struct tables {
    uint32_t *guard, *guard_end;
    const uintptr_t *pc, *pc_end, *cf, *cf_end;
} tables;

static tables module; /* what the running constructor has announced */

/* What clang's code calls. */
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to);
void __sanitizer_cov_pcs_init(const uintptr_t *from, const uintptr_t *to);
void __sanitizer_cov_cfs_init(const uintptr_t *from, const uintptr_t *to);

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    if (*guard == 0) return;
#ifdef SANCOV_ATOMIC
    __atomic_fetch_add(&pool.word[*guard], 1, __ATOMIC_RELAXED);
#else
    pool.word[*guard]++;
#endif
}

/* Memory that is cleared, or NULL. */
static void *take(size_t count, size_t size) {
    size_t left = sizeof pool.byte - used, bytes, i;
    unsigned char *memory = pool.byte + used;
    if (count > left / size) return NULL;
    bytes = (count * size + 7) / 8 * 8;
    if (bytes > left) return NULL;
    for (i = 0; i < bytes; i++) memory[i] = 0;
    used += bytes;
    return memory;
}

/* ---- one function of the tables ---- */

typedef struct shape {
    const uintptr_t *from, *to; /* its records in cfs */
    uint32_t *guard;            /* of its first block */
    const uintptr_t *pc;
    uint32_t blocks, guards, edges; /* edges: with one to EXIT from each block without successors */
} shape;

/* The end of the record at `at`, or NULL. */
static const uintptr_t *skip(const uintptr_t *at, const uintptr_t *end, uint32_t *successors) {
    *successors = 0;
    for (at++; at < end && *at; at++) ++*successors;
    if (at < end) at++;
    while (at < end && *at) at++;
    return at < end ? at + 1 : NULL;
}

/* Where the function at t->cf ends, and what it has. Blocks stand in the same
   order in both tables; one that only traps is not among the guards. Returns 0,
   or -1: the tables are not understood. */
static int measure(const tables *t, shape *s) {
    const uintptr_t *at = t->cf, *pc = t->pc;
    s->from = t->cf;
    s->guard = t->guard;
    s->pc = t->pc;
    s->blocks = s->guards = s->edges = 0;
    if (pc == t->pc_end || pc[1] != 1 || at[0] != pc[0]) return -1;
    while (at < t->cf_end) {
        uint32_t successors;
        int is_next = pc < t->pc_end && at[0] == pc[0];
        if (is_next && pc[1] == 1 && s->blocks > 0) break;
        at = skip(at, t->cf_end, &successors);
        if (!at) return -1;
        s->edges += successors ? successors : 1;
        s->blocks++;
        if (!is_next) continue;
        pc += 2;
        s->guards++;
    }
    if (pc < t->pc_end && pc[1] != 1) return -1;
    s->to = at;
    return 0;
}

/* What planning one function needs for a while. */
typedef struct work {
    const uintptr_t **block; /* of each vertex but EXIT: its record in cfs */
    uint32_t **guard;        /* NULL: it has none */
    uint32_t *ends;
    uint32_t *degree; /* out, then in */
    uint32_t *place;  /* of each edge the block that counts it, or NONE */
    uint32_t *entry;  /* a hash of the blocks' addresses, numbers plus 1 */
    uint32_t entries;
    uint8_t *unreached;
    void *plan;
    size_t plan_bytes;
} work;

static uint32_t find(const work *w, uintptr_t address) {
    uint32_t i = (uint32_t)(address >> 1) * UINT32_C(0x9E3779B1) & (w->entries - 1);
    while (w->entry[i] && w->block[w->entry[i] - 1][0] != address) i = (i + 1) & (w->entries - 1);
    return i;
}

/* Is it a block without code that is never reached, as behind
   __builtin_unreachable? */
static int is_void(const work *w, uint32_t v) { return !w->guard[v] && !w->block[v][1]; }

/* A block without code has the address of the one behind it. If it is void
   nobody comes there, and an edge to it that is taken for one to its neighbour
   has count 0. Returns 0, or -1: it is not. */
static int enter(work *w, uint32_t v) {
    uint32_t *entry = &w->entry[find(w, w->block[v][0])];
    if (*entry && is_void(w, v)) return 0;
    if (*entry && !is_void(w, *entry - 1)) return -1;
    *entry = v + 1;
    return 0;
}

/* Fills in blocks, guards and the ends of all edges, EXIT being the vertex
   behind the blocks. Returns 0, or -1: an edge leads out of the function, or
   two blocks cannot be told apart. */
static int draw(const shape *s, work *w) {
    const uintptr_t *at = s->from;
    uint32_t v, e = 0, k = 0, successors;
    for (v = 0; v < s->blocks; v++) {
        w->block[v] = at;
        if (k < s->guards && s->pc[2 * k] == at[0]) w->guard[v] = &s->guard[k++];
        if (enter(w, v) != 0) return -1;
        at = skip(at, s->to, &successors);
    }
    for (v = 0; v < s->blocks; v++) {
        for (at = w->block[v] + 1; *at; at++) {
            uint32_t target = w->entry[find(w, *at)];
            if (!target) return -1;
            w->ends[2 * e] = v;
            w->ends[2 * e++ + 1] = target - 1;
        }
        if (at != w->block[v] + 1) continue;
        w->ends[2 * e] = v;
        w->ends[2 * e++ + 1] = s->blocks;
    }
    return 0;
}

/* Leaves out what the entry does not reach. */
static void drop(shape *s, work *w) {
    uint32_t *number = w->degree, v, e, blocks = 0, edges = 0;
    for (v = 0; v < s->blocks; v++) {
        number[v] = blocks;
        w->block[blocks] = w->block[v];
        w->guard[blocks] = w->guard[v];
        if (!w->unreached[v]) blocks++;
    }
    number[s->blocks] = blocks;
    for (e = 0; e < s->edges; e++) {
        if (w->unreached[w->ends[2 * e]]) continue;
        w->ends[2 * edges] = number[w->ends[2 * e]];
        w->ends[2 * edges + 1] = number[w->ends[2 * e + 1]];
        edges++;
    }
    for (v = 0; v <= s->blocks; v++) number[v] = 0;
    s->blocks = blocks;
    s->edges = edges;
}

/* Which block counts each edge. One with a stay edge has another way out. */
static void find_places(const edgeplan *p, work *w) {
    uint32_t *out = w->degree, *in = out + p->vertices, e;
    for (e = 0; e < p->edges; e++) {
        out[p->ends[2 * e]]++;
        in[p->ends[2 * e + 1]]++;
    }
    in[p->root]++;
    for (e = 0; e < p->edges; e++) {
        uint32_t from = p->ends[2 * e], to = p->ends[2 * e + 1];
        w->place[e] = NONE;
        if (e >= p->edges - p->stays) continue;
        if (out[from] == 1 && w->guard[from])
            w->place[e] = from;
        else if (in[to] == 1 && to != p->exit && w->guard[to])
            w->place[e] = to;
        else
            p->weight[e] = 1e300;
    }
}

/* ---- the plan of one function ---- */

/* Gives each slot a counter and sets the guards. Returns 0, or -1: no
   memory. */
static int set_guards(covered *c, const edgeplan *p, const work *w) {
    uint32_t *counters = (uint32_t *)take(c->f.slots, 4), slot = 0, e;
#ifdef SANCOV_CHECK
    uint32_t *blocks = (uint32_t *)take(p->vertices, 4), v;
    c->at = (uint32_t *)take(c->f.slots, 4);
    if (!blocks || !c->at) return -1;
#endif
    if (!counters) return -1;
    c->f.counters = counters;
#ifdef SANCOV_CHECK
    for (v = 0; v < p->exit; v++)
        if (w->guard[v]) *w->guard[v] = (uint32_t)(blocks + v - pool.word);
#endif
    for (e = 0; e < p->edges; e++) {
        if (!c->f.plan[e]) continue;
#ifdef SANCOV_CHECK
        c->at[slot++] = *w->guard[w->place[e]];
#else
        *w->guard[w->place[e]] = (uint32_t)(counters + slot++ - pool.word);
#endif
    }
    return 0;
}

/* Copies what the plan says into memory that stays. Returns 0, or -1: no
   memory, or a counter is wanted where there is no guard. */
static int keep(const edgeplan *p, const work *w) {
    covered *c = (covered *)take(1, sizeof *c);
    edgeprof_index *ends = (edgeprof_index *)take(2 * ((size_t)p->edges + 1), sizeof *ends);
    uint32_t *lines = (uint32_t *)take(p->vertices, 4), e, v;
    uint8_t *plan = (uint8_t *)take((size_t)p->edges + 1, 1);
    const uintptr_t **block = (const uintptr_t **)take(p->vertices, sizeof *block);
    if (!c || !ends || !lines || !plan || !block || p->plan[p->edges]) return -1;
    /* Names may come later or never: two functions of one shape differ in their
       distance from the tables of their module. That is the same wherever the
       module is loaded; the size of the tables tells modules apart. */
    c->f.hash = UINT32_C(0x811C9DC5) ^ (uint32_t)(w->block[0][0] - (uintptr_t)module.pc);
    c->f.hash = (c->f.hash ^ (uint32_t)(module.pc_end - module.pc)) * UINT32_C(0x01000193);
    for (e = 0; e <= p->edges; e++) {
        ends[2 * e] = (edgeprof_index)p->ends[2 * e];
        ends[2 * e + 1] = (edgeprof_index)p->ends[2 * e + 1];
        c->f.hash = (c->f.hash ^ ends[2 * e]) * UINT32_C(0x01000193);
        c->f.hash = (c->f.hash ^ ends[2 * e + 1]) * UINT32_C(0x01000193);
    }
    for (e = 0; e < p->edges; e++) {
        plan[e] = p->plan[e] == EDGEPLAN_COUNTED;
        if (plan[e] && w->place[e] == NONE) return -1;
#ifdef SANCOV_CHECK
        plan[e] = w->place[e] != NONE;
#endif
        c->f.slots += plan[e];
    }
    for (v = 0; v < p->exit; v++) block[v] = w->block[v];
    c->block = block;
    c->f.name = c->f.file = "";
    c->f.ends = ends;
    c->f.lines = lines;
    c->f.plan = plan;
    c->f.vertices = p->vertices;
    c->f.edges = p->edges;
    c->f.stays = p->stays;
    c->f.bits = 32;
    if (set_guards(c, p, w) != 0) return -1;
    *last = c;
    last = &c->next;
    function_count++;
    return 0;
}

static int prepare(const shape *s, work *w) {
    uint32_t vertices = s->blocks + 1;
    for (w->entries = 4; w->entries < 2 * s->blocks; w->entries *= 2) {
    }
    w->plan_bytes = edgeplan_bytes(vertices, s->edges);
    w->plan = take(w->plan_bytes, 1);
    w->block = (const uintptr_t **)take(vertices, sizeof *w->block);
    w->guard = (uint32_t **)take(vertices, sizeof *w->guard);
    w->ends = (uint32_t *)take(2 * (size_t)s->edges, 4);
    w->degree = (uint32_t *)take(2 * (size_t)vertices, 4);
    w->place = (uint32_t *)take((size_t)s->edges + vertices, 4);
    w->entry = (uint32_t *)take(w->entries, 4);
    w->unreached = (uint8_t *)take(vertices, 1);
    if (!w->plan || !w->block || !w->guard || !w->ends || !w->degree) return -1;
    return w->place && w->entry && w->unreached ? draw(s, w) : -1;
}

/* Returns 0, or -1: this function cannot be counted. What is needed for a while
   lies so far behind that it is not in the way of what is kept. */
static int plan_function(shape s) {
    size_t before = used;
    size_t kept = sizeof(covered) + 128 + 48 * ((size_t)s.blocks + 1) + 16 * (size_t)s.edges;
    edgeplan_graph graph = {0, 0, 0, 0, 0, 1, NULL};
    edgeplan p;
    work w;
    int result;
    if (s.blocks >= 65535 || kept > sizeof pool.byte - used) return -1;
    used += kept / 8 * 8;
    result = prepare(&s, &w);
    if (result == 0) {
        graph.vertices = s.blocks + 1;
        graph.edges = s.edges;
        graph.exit = s.blocks;
        graph.ends = w.ends;
        result = edgeplan_unreached(&graph, w.unreached, w.plan, w.plan_bytes) < 0 ? -1 : 0;
    }
    if (result == 0) {
        w.unreached[s.blocks] = 0;
        drop(&s, &w);
        graph.vertices = s.blocks + 1;
        graph.edges = s.edges;
        graph.exit = s.blocks;
        result = edgeplan_init(&p, w.plan, w.plan_bytes, &graph) ? 0 : -1;
    }
    used = before;
    if (result != 0) return -1;
    edgeplan_weigh(&p, NULL);
    find_places(&p, &w);
    edgeplan_edges(&p, NULL);
    if (keep(&p, &w) == 0) return 0;
    used = before;
    return -1;
}

/* ---- the constructors ---- */

void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to) {
    module.guard = from;
    module.guard_end = to;
}

void __sanitizer_cov_pcs_init(const uintptr_t *from, const uintptr_t *to) {
    module.pc = from;
    module.pc_end = to;
}

/* Each object has a constructor, and all of one program or library announce the
   same tables. */
void __sanitizer_cov_cfs_init(const uintptr_t *from, const uintptr_t *to) {
    static const uintptr_t *before;
    tables t = module;
    shape s;
    if (from == before) return;
    before = from;
    t.cf = from;
    t.cf_end = to;
    if (t.pc_end - t.pc != 2 * (t.guard_end - t.guard)) t.pc_end = t.pc;
    while (t.cf < t.cf_end) {
        if (measure(&t, &s) != 0) break;
        if (plan_function(s) != 0) lost++;
        t.cf = s.to;
        t.pc += 2 * (size_t)s.guards;
        t.guard += s.guards;
    }
    if (t.cf < t.cf_end && t.pc == t.pc_end) lost++;
    for (; t.pc < t.pc_end; t.pc += 2) lost += t.pc[1] == 1;
}

uint32_t sancov_lost(void) { return lost; }

/* ---- what came out ---- */

static int same(const char *a, const char *b) {
    for (; *a && *a == *b; a++) b++;
    return *a == *b;
}

static void give_place(covered *c, void (*place)(void *, uintptr_t, sancov_place *), void *user) {
    uint32_t *lines = (uint32_t *)(uintptr_t)c->f.lines, v;
    for (v = 0; v + 1 < c->f.vertices; v++) {
        sancov_place at = {NULL, NULL, 0};
        place(user, c->block[v][0], &at);
        if (v == 0 && at.function) c->f.name = at.function;
        if (v == 0 && at.file) c->f.file = at.file;
        if (at.file) lines[v] = same(at.file, c->f.file) ? at.line : 0;
    }
}

const edgeprof_function *const *sancov_functions(void (*place)(void *user, uintptr_t address,
                                                               sancov_place *at),
                                                 void *user, uint32_t *count) {
    static const edgeprof_function **list;
    covered *c;
    uint32_t i = 0;
    if (!list) list = (const edgeprof_function **)take((size_t)function_count + 1, sizeof *list);
    *count = list ? function_count : 0;
    for (c = first; c && list; c = c->next) {
#ifdef SANCOV_CHECK
        uint32_t slot;
        for (slot = 0; slot < c->f.slots; slot++)
            ((uint32_t *)c->f.counters)[slot] = pool.word[c->at[slot]];
#endif
        if (place) give_place(c, place, user);
        list[i++] = &c->f;
    }
    return list;
}
