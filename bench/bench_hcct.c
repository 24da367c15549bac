/* bench_hcct.c - nanoseconds per call (enter and leave) of every algorithm of
   hcct.h, beside a full tree of malloc-ed nodes with pointers and a
   Space-Saving with the bucket list as its authors describe it.

       bench_hcct [quick|full] [TRACE ...]
       bench_hcct one WAY TRACE [CALLS]      one way over the first CALLS, for callgrind; prints its
                                             name, the calls and the ns of each. The ways: full,
                                             batch, list (rival 1) and table (rival 4)

   A TRACE is a call trace of docs/formats.md. Those that $BURSTY_TRACES names
   are read too. Traces are decoded first. Each rival runs over the same events
   in turn, several rounds; the best round counts, and the empty loop over the
   events is taken off. In every round all rivals run, so that a busy machine
   slows all. */
#include "../base/tool.c"
#include "../base/alloc.c"
#include "../base/text.c"
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include "../lab/yardsticks.c"
#include "random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__GNUC__)
#define APART __attribute__((noinline)) /* callgrind counts what is inside */
#else
#define APART
#endif

enum { M = 50000 };

typedef struct events {
    uint32_t *at;
    size_t count, enters;
    const char *name;
} events;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *take(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "bench_hcct: no memory\n");
        exit(1);
    }
    return memory;
}

/* ---- rival 1: the full tree as one writes it down, nodes by malloc, children in a list ---- */

typedef struct plain {
    struct plain *parent, *child, *next;
    uint32_t key, count;
} plain;

APART static void run_list(const events *e) {
    plain *root = (plain *)calloc(1, sizeof *root), *at = root;
    size_t i;
    for (i = 0; i < e->count; i++) {
        uint32_t key = e->at[i];
        plain *c;
        if (key == 0) {
            at = at->parent;
            continue;
        }
        for (c = at->child; c && c->key != key; c = c->next) {
        }
        if (!c) {
            c = (plain *)take(sizeof *c);
            c->parent = at;
            c->next = at->child;
            c->child = NULL;
            c->key = key;
            c->count = 0;
            at->child = c;
        }
        c->count++;
        at = c;
    }
    for (at = root; at;) { /* free, without recursion */
        plain *child = at->child, *up = at->parent;
        if (child) {
            at->child = child->next;
            at = child;
            continue;
        }
        free(at);
        at = up;
    }
}

/* ---- rivals 2 and 3: Space-Saving as the papers write it down, one eviction at a time ---- */

static void run_yardstick(const events *e, int kind) {
    yardstick y;
    size_t i;
    yardstick_open(&y, kind, M);
    for (i = 0; i < e->count; i++) {
        if (e->at[i]) yardstick_enter(&y, e->at[i], 1);
        else yardstick_leave(&y);
    }
    yardstick_close(&y);
}

/* ---- rival 4: an exact tree that is one hash table, large enough from the start ---- */

typedef struct slot {
    uint32_t parent, key, count;
} slot;
typedef struct table {
    slot *slots;
    uint32_t mask, at;
} table;

static void table_enter(table *t, uint32_t key) {
    uint32_t i = (t->at * UINT32_C(0x9E3779B1) + key * UINT32_C(0x85EBCA6B)) >> 8 & t->mask;
    slot *s = &t->slots[i];
    while (s->key != key || s->parent != t->at) {
        if (s->key == 0) {
            s->key = key;
            s->parent = t->at;
            break;
        }
        i = (i + 1) & t->mask;
        s = &t->slots[i];
    }
    s->count++;
    t->at = i;
}
static void table_leave(table *t) { t->at = t->slots[t->at].parent; }

APART static void run_table(const events *e, table *t) {
    size_t i;
    t->at = 0;
    for (i = 0; i < e->count; i++) {
        if (e->at[i]) table_enter(t, e->at[i]);
        else table_leave(t);
    }
}

/* ---- ours ---- */

static void *arena_memory;
static size_t arena_bytes;
static hcct_stats last;

APART static void run_events(const events *e, hcct *t) {
    size_t i;
    for (i = 0; i < e->count; i++) {
        if (e->at[i]) hcct_enter(t, e->at[i], 1);
        else hcct_leave(t);
    }
}

static void run_ours(const events *e, uint32_t algorithm, size_t most_contexts) {
    hcct_config c;
    hcct t;
    size_t bytes;
    memset(&c, 0, sizeof c);
    c.algorithm = algorithm;
    if (algorithm != HCCT_FULL) {
        c.monitored = M;
        c.one_over_epsilon = M;
    }
    bytes = hcct_bytes(&c, (uint32_t)(algorithm == HCCT_FULL     ? most_contexts + 1
                                      : algorithm == HCCT_STICKY ? 2000000
                                                                 : 4 * M));
    if (bytes > arena_bytes) {
        free(arena_memory);
        arena_memory = take(arena_bytes = bytes);
    }
    hcct_init(&t, arena_memory, bytes, &c);
    run_events(e, &t);
    hcct_get_stats(&t, &last);
}

APART static void run_empty(const events *e) {
    static volatile uint32_t sink;
    size_t i;
    for (i = 0; i < e->count; i++) {
        if (e->at[i]) sink = e->at[i];
        else sink = 1;
    }
    (void)sink;
}

/* ---- events ---- */

static uint64_t seed = 1;

/* A random walk over calls: `keys` functions, the first of them far more often
   (skew 0 .. 8 halvings), up to `deep`. */
static events walk(const char *name, size_t calls, uint32_t keys, uint32_t skew, uint32_t deep,
                   uint32_t phases) {
    events e;
    uint32_t depth = 0, down = deep > 100 ? 33 : 32;
    e.at = (uint32_t *)take((2 * calls + 2) * sizeof *e.at);
    e.count = e.enters = 0;
    e.name = name;
    while (e.enters < calls) {
        uint64_t x = bench_random(&seed);
        uint32_t range = keys, k;
        if (depth && (depth == deep || (x & 63) >= down)) {
            e.at[e.count++] = 0;
            depth--;
            continue;
        }
        for (k = 0; k < skew && (x >> (8 + k) & 1); k++) range = range / 4 + 1;
        e.at[e.count++] = 1 + (uint32_t)(x >> 32) % range +
                          (phases ? (uint32_t)(e.enters / (calls / phases + 1)) * keys : 0);
        e.enters++;
        depth++;
    }
    while (depth--) e.at[e.count++] = 0;
    return e;
}

static uint32_t word(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The first `calls` of a calls trace (docs/formats.md), keys numbered in order of
   appearance. */
static int load(const char *path, size_t calls, events *e) {
    FILE *file = fopen(path, "rb");
    unsigned char head[40], *data;
    size_t size, i, slots = 1 << 22;
    uint64_t *ids;
    uint32_t *keys, next = 1;
    if (!file || fread(head, 1, 40, file) != 40 || word(head) != 0xABADCAFE) {
        if (file) fclose(file);
        return 1;
    }
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file) - 40;
    fseek(file, 40, SEEK_SET);
    data = (unsigned char *)take(size);
    size = fread(data, 1, size, file);
    fclose(file);
    ids = (uint64_t *)calloc(slots, sizeof *ids);
    keys = (uint32_t *)calloc(slots, sizeof *keys);
    e->at = (uint32_t *)take((size_t)(word(head + 4) + (uint64_t)word(head + 12)) * sizeof *e->at);
    e->count = e->enters = 0;
    e->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (i = 0; i < size && e->enters < calls;) {
        if (data[i] == 5 && i + 7 <= size) {
            uint64_t id =
                ((uint64_t)word(data + i + 1) << 16 | (uint64_t)data[i + 6] << 8 | data[i + 5]) + 1;
            size_t at = (size_t)(id * UINT64_C(0x9E3779B97F4A7C15) >> 42);
            while (ids[at] && ids[at] != id) at = (at + 1) & (slots - 1);
            if (!ids[at]) {
                ids[at] = id;
                keys[at] = next++;
            }
            e->at[e->count++] = keys[at];
            e->enters++;
            i += 7;
        } else {
            if (data[i] == 1) e->at[e->count++] = 0;
            i++;
        }
    }
    free(ids);
    free(keys);
    free(data);
    return 0;
}

/* ---- the table ---- */

enum { RIVALS = 7 };
static const char *const names[RIVALS] = {"pointer CCT", "lazy",  "bucket", "full",
                                          "batch",       "lossy", "sticky"};

static void measure(const events *e, int rounds, double ns[RIVALS], uint32_t *contexts,
                    int fast_only) {
    static const uint32_t algorithm[RIVALS] = {
        0, 0, 0, HCCT_FULL, HCCT_SPACE_SAVING, HCCT_LOSSY, HCCT_STICKY};
    double best[RIVALS], empty = 1e9, start;
    int round, k;
    hcct_config c;
    for (k = 0; k < RIVALS; k++) best[k] = 1e9;
    /* how many contexts there are: by growing */
    {
        hcct t;
        size_t bytes, i;
        void *memory;
        memset(&c, 0, sizeof c);
        c.algorithm = HCCT_FULL;
        memory = take(bytes = hcct_bytes(&c, 1 << 20));
        hcct_init(&t, memory, bytes, &c);
        for (i = 0; i < e->count; i++) {
            if (i % 4096 == 0) hcct_get_stats(&t, &last);
            if (last.peak_nodes + 4096 > last.capacity) {
                memory = realloc(memory, bytes *= 2);
                hcct_grow(&t, memory, bytes);
                hcct_get_stats(&t, &last);
            }
            if (e->at[i]) hcct_enter(&t, e->at[i], 1);
            else hcct_leave(&t);
        }
        hcct_get_stats(&t, &last);
        *contexts = last.nodes;
        free(memory);
    }
    for (round = 0; round < rounds; round++) {
        start = seconds();
        run_empty(e);
        if (seconds() - start < empty) empty = seconds() - start;
        for (k = 0; k < RIVALS; k++) {
            if (k < 1 && fast_only) continue;
            start = seconds();
            if (k == 0) run_list(e);
            else if (k < 3) run_yardstick(e, k == 1 ? YARDSTICK_LAZY : YARDSTICK_BUCKET);
            else run_ours(e, algorithm[k], *contexts);
            start = seconds() - start;
            if (start < best[k]) best[k] = start;
        }
    }
    for (k = 0; k < RIVALS; k++)
        ns[k] = best[k] >= 1e9 ? -1 : 1e9 * (best[k] - empty) / (double)e->enters;
}

static void row(events *e, int rounds, int fast_only) {
    double ns[RIVALS];
    uint32_t contexts;
    int k;
    measure(e, rounds, ns, &contexts, fast_only);
    printf("%-22s %9.1f %9.2f", e->name, (double)e->enters / 1e6, (double)contexts / 1e6);
    for (k = 0; k < RIVALS; k++) {
        if (ns[k] < 0) printf(" %11s", "-");
        else printf(" %11.1f", ns[k]);
    }
    printf(" %11.2f\n", ns[4] / ns[3]);
    fflush(stdout);
    free(e->at);
}

/* One algorithm over the first `calls` of a trace. The empty loop is taken off
   the best of 3. */
static int one(const char *name, const char *path, size_t calls) {
    uint32_t algorithm = strcmp(name, "full") == 0 ? HCCT_FULL : HCCT_SPACE_SAVING;
    double best = 1e9, empty = 1e9, start;
    int round;
    table t;
    events e;
    if (load(path, calls, &e)) return 2;
    for (t.mask = 1; t.mask < 4 * e.enters; t.mask = 2 * t.mask + 1) {
    }
    t.slots = (slot *)take(((size_t)t.mask + 1) * sizeof *t.slots);
    for (round = 0; round < 3; round++) {
        start = seconds();
        run_empty(&e);
        if (seconds() - start < empty) empty = seconds() - start;
        memset(t.slots, 0, ((size_t)t.mask + 1) * sizeof *t.slots);
        t.slots[0].key = UINT32_MAX; /* the root */
        start = seconds();
        if (strcmp(name, "list") == 0) run_list(&e);
        else if (strcmp(name, "table") == 0) run_table(&e, &t);
        else run_ours(&e, algorithm, e.enters);
        if (seconds() - start < best) best = seconds() - start;
    }
    printf("%s %lu %.2f\n", name, (unsigned long)e.enters,
           1e9 * (best - empty) / (double)e.enters);
    return 0;
}

int main(int argc, char **argv) {
    int i, quick = 0, rounds = 5;
    size_t calls = 4000000;
    events e;
    char *more = getenv("BURSTY_TRACES");
    if (argc > 3 && strcmp(argv[1], "one") == 0)
        return one(argv[2], argv[3], argc > 4 ? strtoul(argv[4], NULL, 10) : (size_t)-1);
    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "quick") == 0) quick = 1;
    if (quick) {
        rounds = 2;
        calls = 1000000;
    }
    printf("ns per call (enter + leave), best of %d, empty loop taken off; M = %d\n", rounds,
           (int)M);
    printf("%-22s %9s %9s", "trace", "M calls", "M contexts");
    for (i = 0; i < RIVALS; i++) printf(" %11s", names[i]);
    printf(" %11s\n", "batch/full");
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "quick") == 0 || strcmp(argv[i], "full") == 0) continue;
        if (load(argv[i], (size_t)-1, &e)) {
            fprintf(stderr, "bench_hcct: %s is no calls trace\n", argv[i]);
            return 2;
        }
        row(&e, rounds, 0);
    }
    for (more = more ? strtok(more, " ") : NULL; more; more = strtok(NULL, " "))
        if (load(more, (size_t)-1, &e) == 0) row(&e, rounds, 0);
        else fprintf(stderr, "bench_hcct: %s is no calls trace\n", more);
    e = walk("skewed", calls, 64, 8, 20, 0);
    row(&e, rounds, 0);
    e = walk("even", calls, 16, 0, 12, 0);
    row(&e, rounds, 0);
    e = walk("fan-out 200", calls, 200, 3, 6, 0);
    row(&e, rounds, 0);
    e = walk("flat, fan-out 150000", calls, 150000, 4, 1, 0);
    row(&e, rounds, 1); /* a plain list would take minutes */
    e = walk("deep", calls, 3, 1, 5000, 0);
    row(&e, rounds, 0);
    e = walk("phases", calls, 40, 5, 14, 8);
    row(&e, rounds, 0);
    e = walk("many contexts", quick ? calls : 24000000, 1000, 1, 14, 0);
    row(&e, quick ? 1 : 2, quick);
    return 0;
}
