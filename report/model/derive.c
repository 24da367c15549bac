/* derive.c - see derive.h. */
#define EDGEPROF_WIDE
#include "edgeprof.h"
#include "base/tool.h"
#include "report/model/derive.h"
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000 }; /* calls from one function without a counter of its own to the next */

typedef struct known {
    const edges_function *f;
    uint64_t *in;            /* how often each vertex was reached; NULL: not derived yet */
    const char *fault;
    uint8_t is_open, is_bad; /* it is being derived; it cannot be */
} known;

struct derive_all {
    const edges_all *all;
    const decisions_all *decisions;
    known *list;             /* by key and first vertex */
    size_t count;
    uint32_t depth;
};

/* ---- one function ---- */

/* As edgeprof.h reads them: marks as bytes, counts with 64 bits, for they are
   sums of many runs. So a count that was too small for its run to be true is
   below 0 somewhere. */
static void *as_read(const uint64_t *value, uint32_t count, uint32_t bits) {
    uint64_t *wide = (uint64_t *)tool_alloc(((size_t)count + 1) * sizeof *wide);
    uint32_t i;
    for (i = 0; i < count; i++) {
        if (bits <= 8) ((uint8_t *)wide)[i] = (uint8_t)value[i];
        else wide[i] = value[i];
    }
    return wide;
}

/* Exits are in order of their vertices: those of the function begin where a
   search finds them. */
static void take_exits(const counted *c, const edges_function *f, uint32_t *early,
                       uint32_t *reentry) {
    uint32_t low = 0, high = c->exits, i;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->exit[middle].vertex < f->first_vertex) low = middle + 1;
        else high = middle;
    }
    for (i = low; i < c->exits; i++) {
        uint32_t vertex = c->exit[i].vertex - f->first_vertex;
        if (vertex >= f->vertices - 1) break;
        early[vertex] = c->exit[i].early;
        reentry[vertex] = c->exit[i].reentry;
    }
}

/* value: of the function's counters; entries: where X has its calls. Returns 0,
   or -1. */
static int derive(const counted *c, const uint64_t *value, uint64_t entries,
                  const edges_function *f, derived *d) {
    edgeprof_function function;
    const edgeprof_function *list = &function;
    uint32_t *early = (uint32_t *)tool_alloc(f->vertices * sizeof *early);
    uint32_t *reentry = (uint32_t *)tool_alloc(f->vertices * sizeof *reentry);
    size_t bytes;
    void *memory;
    int got;
    memset(&function, 0, sizeof function);
    function.name = f->name;
    function.file = f->file;
    function.ends = f->ends;
    function.plan = f->plan;
    function.counters = as_read(value, f->slots, f->bits);
    function.early = early;
    function.reentry = reentry;
    function.vertices = f->vertices;
    function.edges = f->edges;
    function.stays = f->stays;
    function.slots = f->slots;
    function.bits = f->bits <= 8 ? 8 : 64;
    function.counts_entry = f->counts_entry != 0;
    if (f->counts_entry == EDGES_CALLED && f->bits <= 8)
        ((uint8_t *)function.counters)[function.slots++] = entries != 0;
    else if (f->counts_entry == EDGES_CALLED)
        ((uint64_t *)function.counters)[function.slots++] = entries;
    take_exits(c, f, early, reentry);
    bytes = edgeprof_bytes(&list, 1);
    memory = tool_alloc(bytes);
    d->count = (uint64_t *)tool_alloc(((size_t)f->edges + 1) * sizeof *d->count);
    d->block = (uint64_t *)tool_alloc(f->vertices * sizeof *d->block);
    got = edgeprof_counts(&function, d->count, d->block, memory, bytes);
    free(memory);
    free(function.counters);
    free(early);
    free(reentry);
    return got;
}

/* Does more come into a vertex than goes out? Only a plan with one counter too
   many can show it. */
static int leaks(const counted *c, const edges_function *f, const derived *d) {
    uint64_t *left = (uint64_t *)tool_alloc(f->vertices * sizeof *left);
    uint32_t *early = (uint32_t *)tool_alloc(f->vertices * sizeof *early);
    uint32_t *reentry = (uint32_t *)tool_alloc(f->vertices * sizeof *reentry);
    uint32_t e, v;
    int found = 0;
    memset(left, 0, f->vertices * sizeof *left);
    memset(early, 0, f->vertices * sizeof *early);
    memset(reentry, 0, f->vertices * sizeof *reentry);
    take_exits(c, f, early, reentry);
    for (e = f->edges - f->stays; e < f->edges; e++) early[f->ends[2 * (size_t)e]] = 0;
    for (v = 0; v < f->vertices; v++)
        left[v] = reentry[v] - (uint64_t)(int64_t)(int32_t)early[v];
    for (e = 0; e <= f->edges; e++) {
        left[f->ends[2 * (size_t)e]] -= d->count[e];
        left[f->ends[2 * (size_t)e + 1]] += d->count[e];
    }
    for (v = 0; v < f->vertices - 1; v++) found |= left[v] != 0;
    free(left);
    free(early);
    free(reentry);
    return found;
}

int derived_may_be_below(const edges_function *f, uint32_t edge) {
    return f->unit && edge >= f->edges - f->stays && edge < f->edges;
}

void derived_free(derived *d) {
    free(d->count);
    free(d->block);
    d->count = d->block = NULL;
}

/* Why the counts of a function must not be shown, or NULL. Flow gives each
   count from others, so what was not seen (an activation that ended, nobody
   knows where) makes one too small somewhere, and below 0 it reads as a very
   large number. */
static const char *fault_of(const counted *c, const edges_function *f, const derived *d) {
    const uint64_t most = (uint64_t)1 << 63;
    uint32_t low = 0, high = c->exits, i;
    if (f->bits <= 8) return NULL;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->exit[middle].vertex < f->first_vertex) low = middle + 1;
        else high = middle;
    }
    for (i = low; i < c->exits && c->exit[i].vertex - f->first_vertex < f->vertices; i++) {
        if (c->exit[i].early == EDGEPROF_UNKNOWN)
            return "it was left, nobody knows where: by a longjmp whose setjmp was not seen, "
                   "by a child of a vfork that was not seen, "
                   "below code without unwind tables, or by a signal in its middle";
    }
    if (leaks(c, f, d)) return "it was entered and did not return, or still runs";
    for (i = 0; i <= f->edges; i++) {
        if (d->count[i] >= most && !derived_may_be_below(f, i)) break;
    }
    if (i > f->edges) {
        for (i = 0; i < f->vertices && d->block[i] < most; i++) {
        }
        if (i == f->vertices) return NULL;
    }
    return f->bits == 16   ? "a count below 0: left where it was not seen, or one run of the program "
                             "counted more than 16 bits hold"
           : f->bits == 32 ? "a count below 0: left where it was not seen, or one run of the program "
                             "counted more than 32 bits hold"
                           : "a count below 0: left where it was not seen";
}

/* ---- functions whose calls are known ---- */

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_vertex(const void *a, const void *b) {
    const edges_function *x = ((const known *)a)->f, *y = ((const known *)b)->f;
    int order = compare(x->key, y->key);
    if (!order) order = compare(x->bits, y->bits);
    return order ? order : compare(x->first_vertex, y->first_vertex);
}

derive_all *derive_open(const edges_all *all, const decisions_all *decisions) {
    derive_all *x = (derive_all *)tool_alloc(sizeof *x);
    size_t i;
    memset(x, 0, sizeof *x);
    x->all = all;
    x->decisions = decisions;
    x->list = (known *)tool_alloc((all->function_count + 1) * sizeof *x->list);
    memset(x->list, 0, (all->function_count + 1) * sizeof *x->list);
    for (i = 0; i < all->function_count; i++) x->list[i].f = &all->functions[i];
    x->count = all->function_count;
    if (x->count) qsort(x->list, x->count, sizeof *x->list, by_vertex);
    return x;
}

void derive_close(derive_all *x) {
    size_t i;
    for (i = 0; i < x->count; i++) free(x->list[i].in);
    free(x->list);
    free(x);
}

/* The function of the same object that has that vertex, or NULL. */
static known *find(derive_all *x, const edges_function *of, uint32_t vertex) {
    size_t low = 0, high = x->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const edges_function *f = x->list[middle].f;
        int order = compare(f->key, of->key);
        if (!order) order = compare(f->bits, of->bits);
        if (!order && vertex >= f->first_vertex && vertex - f->first_vertex < f->vertices)
            return &x->list[middle];
        if (!order) order = compare(f->first_vertex, vertex);
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* How often each vertex of a function was reached; of marks, whether. Returns
   0, or -1. */
static int count_ways_in(derive_all *x, known *k) {
    const edges_function *f = k->f;
    derived d;
    uint32_t e;
    int got, has_counts;
    if (k->in) return 0;
    if (k->is_open || k->is_bad || x->depth == DEEPEST) return -1;
    k->is_open = 1;
    x->depth++;
    got = derive_function(x, f, &d, &k->fault, &has_counts);
    x->depth--;
    k->is_open = 0;
    k->is_bad = got != 0;
    if (got != 0) return -1;
    k->in = (uint64_t *)tool_alloc(((size_t)f->vertices + 1) * sizeof *k->in);
    if (f->bits <= 8) memcpy(k->in, d.block, f->vertices * sizeof *k->in);
    for (e = 0; e <= f->edges && f->bits > 8; e++)
        k->in[f->ends[2 * (size_t)e + 1]] += d.count[e];
    derived_free(&d);
    return 0;
}

/* The calls of a function. Returns 0, or -1: the tables are no good. */
static int count_calls(derive_all *x, const edges_function *f, uint64_t *calls,
                       const char **fault) {
    uint32_t i;
    *calls = 0;
    if (f->counts_entry != EDGES_CALLED) return 0;
    for (i = 0; i < f->calls; i++) {
        known *k = find(x, f, f->call[i]);
        if (!k || count_ways_in(x, k) != 0) return -1;
        if (k->fault && !*fault)
            *fault = "it is called by a function whose counts are refused";
        *calls += k->in[f->call[i] - k->f->first_vertex];
    }
    return 0;
}

int derive_function(derive_all *x, const edges_function *f, derived *d, const char **fault,
                    int *has_counts) {
    static const counted none;
    const counted *c = NULL;
    const char *of_calls = NULL;
    int is_decided = 0, got;
    uint64_t *value = NULL, calls;
    if (f->slots) value = decisions_values(x->decisions, x->all, f, &c, &is_decided);
    if (!is_decided) c = edges_find(x->all, f);
    *has_counts = c != NULL;
    if (!c) {
        value = (uint64_t *)tool_alloc(((size_t)f->slots + 1) * sizeof *value);
        c = &none;
    }
    d->count = d->block = NULL;
    got = count_calls(x, f, &calls, &of_calls);
    if (got == 0)
        got = derive(c, value ? value : f->slots ? c->value + f->first_slot : c->value, calls, f,
                     d);
    if (got == 0 && !*fault) *fault = of_calls ? of_calls : fault_of(c, f, d);
    if (got != 0) derived_free(d);
    free(value);
    return got;
}
