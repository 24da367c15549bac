/* test_hcct.c - hcct.h against a slow obvious calling context tree that keeps everything. */
#include "test.h"
#define HCCT_ASSERT(condition) ((condition) ? (void)0 : (void)(asserted++))
static int asserted;
#define HCCT_IMPLEMENTATION
#define HCCT_STATIC
#include "hcct.h"

/* ---- the obvious tree ---- */

typedef struct ref_node { uint32_t key, parent, in_tree, depth; uint64_t weight; } ref_node;
typedef struct ref { ref_node *nodes; uint32_t *slots; uint32_t count, room, cursor; uint64_t total; } ref;

static uint32_t ref_slot(const ref *r, uint32_t parent, uint32_t key) {
    uint64_t h = ((uint64_t)parent << 32 | key) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t slot = (uint32_t)(h >> 33) & (4 * r->room - 1);
    while (r->slots[slot] && (r->nodes[r->slots[slot]].parent != parent || r->nodes[r->slots[slot]].key != key))
        slot = (slot + 1) & (4 * r->room - 1);
    return slot;
}
static void ref_init(ref *r) {
    memset(r, 0, sizeof *r);
    r->room = 1024;
    r->nodes = (ref_node *)calloc(r->room, sizeof *r->nodes);
    r->slots = (uint32_t *)calloc(4 * r->room, sizeof *r->slots);
    r->count = 1;
}
static void ref_free(ref *r) { free(r->nodes); free(r->slots); }
static uint32_t ref_child(ref *r, uint32_t parent, uint32_t key) {
    uint32_t slot = ref_slot(r, parent, key), i;
    if (r->slots[slot]) return r->slots[slot];
    if (r->count == r->room) {
        r->room *= 2;
        r->nodes = (ref_node *)realloc(r->nodes, r->room * sizeof *r->nodes);
        free(r->slots);
        r->slots = (uint32_t *)calloc(4 * r->room, sizeof *r->slots);
        for (i = 1; i < r->count; i++) r->slots[ref_slot(r, r->nodes[i].parent, r->nodes[i].key)] = i;
        slot = ref_slot(r, parent, key);
    }
    i = r->count++;
    memset(&r->nodes[i], 0, sizeof *r->nodes);
    r->nodes[i].key = key;
    r->nodes[i].parent = parent;
    r->nodes[i].depth = r->nodes[parent].depth + 1;
    return r->slots[slot] = i;
}
static void ref_enter(ref *r, uint32_t key, uint64_t w) {
    r->cursor = ref_child(r, r->cursor, key);
    r->nodes[r->cursor].weight += w;
    r->total += w;
}
static void ref_leave(ref *r) { r->cursor = r->nodes[r->cursor].parent; }

/* Says for each context of the tree which reference node it is (0: none); counts those that have none. */
static uint32_t *match(const hcct *t, ref *r, uint32_t *strangers) {
    uint32_t *to = (uint32_t *)calloc(t->used, sizeof *to), depth = 0, i;
    *strangers = 0;
    for (i = 0; i < r->count; i++) r->nodes[i].in_tree = 0;
    for (i = hcct_next(t, 0, &depth); i; i = hcct_next(t, i, &depth)) {
        uint32_t parent = hcct_parent(t, i), slot;
        hcct_context c;
        hcct_get(t, i, &c);
        slot = parent && !to[parent] ? 0 : ref_slot(r, to[parent], c.key);
        to[i] = parent && !to[parent] ? 0 : r->slots[slot];
        if (!to[i]) ++*strangers;
        r->nodes[to[i]].in_tree = i;
        CHECK(!to[i] || r->nodes[to[i]].depth == depth);
    }
    return to;
}

/* lower <= f <= upper for all that is known, f <= base for all else. */
static void check_bounds(const hcct *t, ref *r) {
    uint32_t strangers, i, bad = 0;
    uint32_t *to = match(t, r, &strangers);
    hcct_stats s;
    hcct_get_stats(t, &s);
    CHECK_EQ(strangers, 0);
    CHECK(s.total == r->total);
    for (i = 1; i < r->count; i++) {
        uint64_t lower = 0, upper = s.base, f = r->nodes[i].weight;
        if (r->nodes[i].in_tree) {
            hcct_context c;
            hcct_get(t, r->nodes[i].in_tree, &c);
            lower = c.lower;
            upper = c.upper;
        }
        if (lower > f || (upper < f && !(t->algorithm == HCCT_STICKY))) bad++;
    }
    CHECK_EQ(bad, 0);
    free(to);
}

/* The invariants of the tree itself. */
static void check_tree(const hcct *t) {
    uint32_t i, c, live = 0, freed = 0, counted = 0, hashed = 0, depth = 0, reached = 0, bad = 0;
    for (i = t->free_list; i; i = hcct_p_at(t, i)[HCCT_P_NEXT]) { freed++; bad += !hcct_p_is_free(t, i); }
    for (i = 0; i < t->used; i++) {
        uint32_t steps = 0;
        if (i && hcct_p_is_free(t, i)) continue;
        live += i != 0;
        counted += i && (hcct_p_saving(t) ? !hcct_p_cold(t, i) : !hcct_p_full(t) && *hcct_p_count(t, i) != 0);
        for (c = hcct_p_child(t, i); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) {
            uint32_t at = 0, n = 0;
            steps++;
            bad += hcct_p_at(t, c)[HCCT_P_PARENT] != i;
            bad += hcct_p_look(t, i, hcct_p_at(t, c)[HCCT_P_KEY], t->stride, &at, &n) != c;     /* distinct keys, and hashed right */
        }
        if (hcct_p_at(t, i)[HCCT_P_CHILD] & HCCT_P_BIT) { hashed += steps; bad += steps == 0; }
        if (!hcct_p_full(t)) bad += (hcct_p_at(t, i)[HCCT_P_FANOUT] != (steps | (i ? 0 : HCCT_P_BIT)));
    }
    for (i = hcct_next(t, 0, &depth); i; i = hcct_next(t, i, &depth)) reached++;
    CHECK_EQ(bad, 0);
    CHECK_EQ(reached, live);
    CHECK_EQ(live, t->live);
    CHECK_EQ(live + freed, t->used - 1);
    CHECK_EQ(hashed, t->hash_fill);
    if (hcct_p_saving(t) || t->algorithm == HCCT_STICKY) CHECK_EQ(counted, t->monitored);
    if (hcct_p_saving(t)) CHECK(t->monitored <= t->monitored_max);
}

/* No cold leaf but the cursor: holds after a sweep, and always where leaving prunes. */
static uint32_t cold_leaves(const hcct *t) {
    uint32_t i, n = 0;
    for (i = 1; i < t->used; i++) n += !hcct_p_is_free(t, i) && i != hcct_mark_here(t).cursor && !hcct_p_child(t, i) && hcct_p_cold(t, i);
    return n;
}

static uint64_t excess(const hcct *t) {         /* S: the sum of count - floor */
    uint64_t sum = 0;
    uint32_t i;
    for (i = 1; i < t->used; i++) if (*hcct_p_count(t, i) != HCCT_P_NONE) sum += *hcct_p_count(t, i) - t->floor;
    return sum;
}
static uint64_t counts(const hcct *t) {
    uint64_t sum = 0;
    uint32_t i;
    for (i = 1; i < t->used; i++) if (*hcct_p_count(t, i) != HCCT_P_NONE) sum += *hcct_p_count(t, i);
    return sum;
}

/* ---- streams ---- */

enum { SKEWED, PHASES, FLAT, DEEP, STREAMS };

typedef struct stream { uint64_t seed; uint32_t kind, step, depth; int weighted; } stream;

/* The next event: 0 leaves, else a key to enter and its weight. */
static uint32_t stream_next(stream *s, uint64_t *weight) {
    uint64_t x = test_random(&s->seed);
    uint32_t skew = (uint32_t)(x & 255), keys = 40, deep = 12, key;
    s->step++;
    *weight = s->weighted ? 1 + (x >> 40) % 1000 : 1;
    if (s->kind == FLAT) { keys = 3000; deep = 2; }
    if (s->kind == DEEP) deep = 400;
    if (s->depth && (s->depth >= deep || (x >> 8 & 255) < (s->kind == DEEP ? 126u : 128u))) { s->depth--; return 0; }
    s->depth++;
    key = 1 + (uint32_t)((x >> 16) % (skew < 160 ? 3 : skew < 230 ? keys / 4 + 1 : keys));
    if (s->kind == PHASES) key += s->step / 4000 * 7;
    if (s->kind == DEEP) key = 1 + key % 3;
    return key;
}

static stream stream_of(uint32_t kind, uint64_t seed, int weighted) {
    stream s;
    s.seed = seed; s.kind = kind; s.step = 0; s.depth = 0; s.weighted = weighted;
    return s;
}

static void *memory_of(const hcct_config *config, uint32_t contexts, size_t *bytes) {
    *bytes = hcct_bytes(config, contexts);
    return malloc(*bytes);
}

static hcct_config config_of(uint32_t algorithm, uint32_t monitored) {
    hcct_config c;
    memset(&c, 0, sizeof c);
    c.algorithm = algorithm;
    c.monitored = monitored;
    return c;
}

/* A tree on memory of its own. */
typedef struct arena { hcct t; void *memory; size_t bytes; } arena;
static void arena_open(arena *a, const hcct_config *c, uint32_t contexts) {
    a->memory = memory_of(c, contexts, &a->bytes);
    CHECK(hcct_init(&a->t, a->memory, a->bytes, c) >= contexts);
}
static void arena_close(arena *a) { free(a->memory); }

/* Feeds both until `events`; the reference may be NULL. */
static void feed(hcct *t, ref *r, stream *s, uint32_t events) {
    for (; events; events--) {
        uint64_t w;
        uint32_t key = stream_next(s, &w);
        if (key) { hcct_enter(t, key, w); if (r) ref_enter(r, key, w); }
        else     { hcct_leave(t); if (r) ref_leave(r); }
    }
}

/* ---- section 15 of the rules, number by number ---- */

enum { MAIN = 1, A, B, C, D, E, F, G };

static void example(void (*enter)(void *, uint32_t), void (*leave)(void *), void *user, int from, int to) {
    int i, k;
    if (from == 0) enter(user, MAIN);
    for (i = 0; i < 6 && from == 0; i++) {
        enter(user, A);
        for (k = 0; k < 5; k++) { enter(user, B); if (i < 2 && k == 0) { enter(user, C); leave(user); } leave(user); }
        if (i < 3) for (k = 0; k < 3; k++) { enter(user, D); leave(user); }
        leave(user);
    }
    if (to == 0) return;
    for (i = 0; i < 3; i++) {
        enter(user, E);
        if (i == 0) { enter(user, B); for (k = 0; k < 25; k++) { enter(user, C); leave(user); } leave(user); }
        leave(user);
    }
    for (i = 0; i < 22; i++) { enter(user, F); if (i == 0) { enter(user, G); leave(user); } leave(user); }
    leave(user);
}

typedef struct floors { hcct *t; uint32_t calls, n; uint64_t at[16], value[16]; } floors;
static void example_enter(void *user, uint32_t key) {
    floors *f = (floors *)user;
    uint64_t before = f->t->floor;
    hcct_enter(f->t, key, 1);
    f->calls++;
    if (f->t->floor != before && f->n < 16) { f->at[f->n] = f->calls; f->value[f->n++] = f->t->floor; }
}
static void example_leave(void *user) { hcct_leave(((floors *)user)->t); }

static uint32_t node_at(const hcct *t, const uint32_t *keys, uint32_t n) {
    uint32_t at = 0, i, before, steps;
    for (i = 0; i < n && (i == 0 || at); i++) at = hcct_p_look(t, at, keys[i], t->stride, &before, &steps);
    return at;
}
#define AT(...) node_at(t, path, (uint32_t)(sizeof path / sizeof *path))
static void check_context(const hcct *t, uint32_t a, uint32_t b, uint32_t c, int known, uint64_t lower, uint64_t upper, int cold) {
    uint32_t path[4], n = 0, node;
    hcct_context got;
    path[n++] = MAIN;
    if (a) path[n++] = a;
    if (b) path[n++] = b;
    if (c) path[n++] = c;
    node = node_at(t, path, n);
    CHECK_EQ(node != 0, known);
    if (!node) return;
    hcct_get(t, node, &got);
    CHECK_EQ(got.lower, lower);
    CHECK_EQ(got.upper, upper);
    CHECK_EQ(got.cold, cold);
}

static int close_to(double a, double b) { double d = a - b; return d < 0.005 && d > -0.005; }

static void example_full(arena *a) {
    hcct_config c = config_of(HCCT_FULL, 0);
    floors f;
    memset(&f, 0, sizeof f);
    arena_open(a, &c, 40);
    f.t = &a->t;
    example(example_enter, example_leave, &f, 0, 1);
    CHECK_EQ(f.calls, 100);
    CHECK_EQ(a->t.live, 10);
}

static void example_saving(uint32_t algorithm) {
    static const uint64_t at[5] = {49, 50, 76, 78, 79}, value[5] = {1, 2, 3, 5, 6};
    hcct_config c = config_of(algorithm, 5);
    arena a, full;
    hcct *t = &a.t;
    hcct_measures m;
    hcct_context rows[4];
    floors f;
    uint32_t scratch[8];
    int i;
    memset(&f, 0, sizeof f);
    arena_open(&a, &c, 20);
    f.t = t;
    example(example_enter, example_leave, &f, 0, 1);
    CHECK_EQ(f.n, 5);
    for (i = 0; i < 5; i++) { CHECK_EQ(f.at[i], at[i]); CHECK_EQ(f.value[i], value[i]); }
    check_context(t, A, B, 0, 1, 30, 30, 0);
    check_context(t, A, D, 0, 1, 9, 9, 0);
    check_context(t, E, B, C, 1, 25, 27, 0);
    check_context(t, F, 0, 0, 1, 22, 27, 0);
    check_context(t, F, G, 0, 1, 1, 7, 0);
    check_context(t, 0, 0, 0, 1, 1, 6, 1);
    check_context(t, A, 0, 0, 1, 6, 6, 1);
    check_context(t, E, 0, 0, 1, 3, 6, 1);
    check_context(t, E, B, 0, 1, 1, 6, 1);
    check_context(t, A, B, C, 0, 0, 0, 0);
    CHECK_EQ(counts(t), 100);
    CHECK_EQ(hcct_hot(t, 1, 4, rows, 4), 3);
    CHECK_EQ(rows[0].lower, 30); CHECK_EQ(rows[0].certain, 1); CHECK_EQ(rows[0].depth, 3); CHECK_EQ(rows[0].key, B);
    CHECK_EQ(rows[1].lower, 25); CHECK_EQ(rows[1].certain, 1); CHECK_EQ(rows[1].depth, 4); CHECK_EQ(rows[1].key, C);
    CHECK_EQ(rows[2].lower, 22); CHECK_EQ(rows[2].certain, 0); CHECK_EQ(rows[2].upper, 27);
    example_full(&full);
    CHECK_EQ(hcct_compare_words(&full.t, t), 2);
    CHECK_EQ(hcct_compare(&full.t, t, 1, 4, 1, 5, scratch, &m), 0);
    CHECK_EQ(m.contexts, 10); CHECK_EQ(m.total, 100); CHECK_EQ(m.hot_true, 2); CHECK_EQ(m.hot_found, 2); CHECK_EQ(m.possible, 3);
    CHECK_EQ(m.certain, 2); CHECK_EQ(m.certain_right, 2); CHECK_EQ(m.certain_wrong, 0); CHECK_EQ(m.false_positives, 1);
    CHECK_EQ(m.false_negatives, 0); CHECK_EQ(m.bad, 0); CHECK_EQ(m.tree, 7); CHECK_EQ(m.cold, 4);
    CHECK_EQ(m.underestimates, 0); CHECK_EQ(m.overestimates, 0); CHECK_EQ(m.hottest, 30); CHECK_EQ(m.hottest_found, 30);
    CHECK(close_to(m.overlap, 88)); CHECK(close_to(m.max_uncovered, 30)); CHECK(close_to(m.avg_uncovered, 13.3333));
    CHECK(close_to(m.cover[0], 83.3333)); CHECK(close_to(m.cover[1], 71.4286)); CHECK(close_to(m.cover[2], 70));
    CHECK(close_to(m.max_error, 8)); CHECK(close_to(m.avg_error, 4)); CHECK(close_to(m.max_error_lower, 0)); CHECK(close_to(m.avg_error_lower, 0));
    arena_close(&a);
    arena_close(&full);
}
TEST(worked_example_batch)  { example_saving(HCCT_SPACE_SAVING); }
TEST(worked_example_lazy)   { example_saving(HCCT_LAZY); }
TEST(worked_example_bucket) { example_saving(HCCT_BUCKET); }

TEST(worked_example_lossy) {
    hcct_config c = config_of(HCCT_LOSSY, 0);
    arena a, full;
    hcct *t = &a.t;
    hcct_measures m;
    floors f;
    uint32_t scratch[8];
    memset(&f, 0, sizeof f);
    c.one_over_epsilon = 10;
    arena_open(&a, &c, 20);
    f.t = t;
    example(example_enter, example_leave, &f, 0, 1);
    CHECK_EQ(hcct_p_base(t), 10);
    check_context(t, 0, 0, 0, 1, 1, 1, 1);
    check_context(t, A, 0, 0, 1, 6, 6, 1);
    check_context(t, A, B, 0, 1, 30, 30, 0);
    check_context(t, E, 0, 0, 1, 3, 7, 1);
    check_context(t, E, B, 0, 1, 1, 5, 1);
    check_context(t, E, B, C, 1, 25, 30, 0);
    check_context(t, F, 0, 0, 1, 22, 29, 0);
    check_context(t, F, G, 0, 0, 0, 0, 0);
    check_context(t, A, D, 0, 0, 0, 0, 0);
    CHECK_EQ(t->live, 7);
    example_full(&full);
    CHECK_EQ(hcct_compare(&full.t, t, 1, 4, 1, 5, scratch, &m), 0);
    CHECK_EQ(m.hot_found, 2); CHECK_EQ(m.possible, 3); CHECK_EQ(m.certain, 2);
    CHECK(close_to(m.max_error, 20)); CHECK(close_to(m.avg_error, 10)); CHECK(close_to(m.max_error_lower, 0));
    arena_close(&a);
    arena_close(&full);
}

TEST(worked_example_merge) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 3);
    arena a, b;
    hcct *t = &a.t;
    floors f;
    memset(&f, 0, sizeof f);
    arena_open(&a, &c, 20);
    arena_open(&b, &c, 20);
    f.t = &a.t;
    example(example_enter, example_leave, &f, 0, 0);
    CHECK_EQ(a.t.total, 48); CHECK_EQ(hcct_p_base(&a.t), 4);
    check_context(t, A, B, 0, 1, 30, 30, 0);
    check_context(t, A, D, 0, 1, 9, 10, 0);
    check_context(t, A, 0, 0, 1, 6, 8, 0);
    hcct_enter(&b.t, MAIN, 0);
    f.t = &b.t;
    example(example_enter, example_leave, &f, 1, 1);
    CHECK_EQ(b.t.total, 52); CHECK_EQ(hcct_p_base(&b.t), 3);
    check_context(&b.t, E, B, C, 1, 25, 25, 0);
    check_context(&b.t, F, 0, 0, 1, 22, 24, 0);
    CHECK_EQ(hcct_merge(&a.t, &b.t), 0);
    CHECK_EQ(a.t.total, 100); CHECK_EQ(hcct_p_base(&a.t), 13);
    check_context(t, A, B, 0, 1, 30, 33, 0);
    check_context(t, E, B, C, 1, 25, 29, 0);
    check_context(t, F, 0, 0, 1, 22, 28, 0);
    CHECK_EQ(a.t.monitored, 3);
    arena_close(&a);
    arena_close(&b);
}

/* ---- exactness and bounds ---- */

TEST(full_tree_is_exact) {
    uint32_t kind, slots;
    for (kind = 0; kind < STREAMS; kind++)
        for (slots = 0; slots < 4; slots++) {
            hcct_config c = config_of(HCCT_FULL, 0);
            stream s = stream_of(kind, 7 + kind, slots == 3);
            arena a;
            ref r;
            uint32_t strangers, i, wrong = 0, *to;
            c.cache_slots = slots & 1;
            c.hash_slots = slots & 2 ? 1 : 0;
            ref_init(&r);
            arena_open(&a, &c, 60000);
            feed(&a.t, &r, &s, 60000);
            check_tree(&a.t);
            to = match(&a.t, &r, &strangers);
            for (i = 1; i < a.t.used; i++) wrong += hcct_p_at(&a.t, i)[HCCT_P_COUNT32] != r.nodes[to[i]].weight;
            CHECK_EQ(wrong, 0);
            CHECK_EQ(strangers, 0);
            CHECK_EQ(a.t.live, r.count - 1);
            CHECK(a.t.total == r.total);
            CHECK_EQ(a.t.run.at.depth, r.nodes[r.cursor].depth);
            free(to);
            arena_close(&a);
            ref_free(&r);
        }
}

static void run_algorithm(uint32_t algorithm, uint32_t kind, int weighted, uint32_t m, uint32_t contexts, uint64_t seed) {
    hcct_config c = config_of(algorithm, m);
    stream s = stream_of(kind, seed, weighted);
    arena a;
    ref r;
    int round;
    c.seed = seed;
    c.one_over_epsilon = m;
    ref_init(&r);
    arena_open(&a, &c, contexts);
    for (round = 0; round < 8; round++) {
        hcct_stats st;
        feed(&a.t, &r, &s, 5000);
        check_tree(&a.t);
        check_bounds(&a.t, &r);
        hcct_get_stats(&a.t, &st);
        CHECK(st.bytes <= a.bytes);
        CHECK(st.nodes <= st.peak_nodes && st.peak_nodes <= st.capacity);
        if (st.forced || st.lost) continue;
        if (hcct_p_saving(&a.t)) {
            if (!a.t.quarter) CHECK(m * a.t.floor + excess(&a.t) <= a.t.total);
            if (!(weighted && algorithm == HCCT_SPACE_SAVING)) CHECK(a.t.floor <= a.t.total / m);
            else CHECK(3 * a.t.floor * m <= 4 * a.t.total);
        }
        if (algorithm == HCCT_LAZY || algorithm == HCCT_BUCKET) CHECK(counts(&a.t) == a.t.total);
        if (algorithm == HCCT_LOSSY) CHECK(a.t.floor <= a.t.total / m);
    }
    arena_close(&a);
    ref_free(&r);
}

TEST(bounds_hold_on_the_way) {
    uint32_t algorithm, kind;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++)
        for (kind = 0; kind < STREAMS; kind++) {
            run_algorithm(algorithm, kind, 0, 100, 20000, 3 + kind);
            run_algorithm(algorithm, kind, 0, 400, 20000, 5 + kind);
            run_algorithm(algorithm, kind, 1, 150, 20000, 9 + kind);
        }
}

TEST(bounds_hold_in_tiny_arenas) {
    static const uint32_t sizes[] = {1, 2, 3, 5, 11, 12, 17, 25, 40, 63, 100, 200};
    uint32_t algorithm, kind, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++)
        for (kind = 0; kind < STREAMS; kind++)
            for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
                run_algorithm(algorithm, kind, (int)(i & 1), i % 3 ? sizes[i] : sizes[i] * 3 / 4 + 1, sizes[i], i + kind);
}

/* lazy, bucket and batch give every context the same upper bound at every moment. */
TEST(three_space_savings_agree) {
    uint32_t kind;
    for (kind = 0; kind < STREAMS; kind++) {
        arena a[3];
        ref r;
        uint32_t i, k, step, m = 60, different = 0;
        stream s = stream_of(kind, 11, 0);
        ref_init(&r);
        for (k = 0; k < 3; k++) { hcct_config c = config_of(k, m); arena_open(&a[k], &c, 5000); }
        for (step = 0; step < 20000; step++) {
            uint64_t w;
            uint32_t key = stream_next(&s, &w);
            for (k = 0; k < 3; k++) { if (key) hcct_enter(&a[k].t, key, w); else hcct_leave(&a[k].t); }
            if (key) ref_enter(&r, key, w); else ref_leave(&r);
            if (step % 500 == 499) {
                uint64_t *u[3];
                for (k = 0; k < 3; k++) {
                    uint64_t rest = a[k].t.monitored == m ? hcct_p_smallest(&a[k].t, 0) : k == HCCT_SPACE_SAVING ? a[k].t.floor : 0;
                    uint32_t strangers, *to = match(&a[k].t, &r, &strangers);
                    u[k] = (uint64_t *)calloc(r.count, sizeof **u);
                    for (i = 1; i < r.count; i++) {
                        uint32_t n = r.nodes[i].in_tree;
                        u[k][i] = n && *hcct_p_count(&a[k].t, n) != HCCT_P_NONE ? *hcct_p_count(&a[k].t, n) : rest;
                    }
                    free(to);
                }
                for (i = 1; i < r.count; i++) different += u[0][i] != u[1][i] || u[1][i] != u[2][i];
                for (k = 0; k < 3; k++) free(u[k]);
            }
        }
        CHECK_EQ(different, 0);
        CHECK(a[0].t.floor > 0);
        for (k = 0; k < 3; k++) arena_close(&a[k]);
        ref_free(&r);
    }
}

TEST(weighted_eviction_is_cheap) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 1000);
    stream s = stream_of(FLAT, 5, 1);
    arena a;
    arena_open(&a, &c, 4000);
    feed(&a.t, NULL, &s, 400000);
    CHECK(a.t.quarter);
    CHECK(a.t.evictions > 20000);
    CHECK(a.t.visits <= 2 * 200000u);           /* nodes visited per call, amortised */
    check_tree(&a.t);
    arena_close(&a);
}

/* Every call is a context never seen before. */
TEST(evict_at_every_step) {
    uint32_t algorithm, i;
    for (algorithm = 0; algorithm < HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 50);
        arena a;
        arena_open(&a, &c, 400);
        for (i = 1; i <= 100000; i++) { hcct_enter(&a.t, i, 1); hcct_leave(&a.t); }
        check_tree(&a.t);
        CHECK_EQ(a.t.total, 100000);
        CHECK(hcct_p_base(&a.t) <= (algorithm == HCCT_STICKY ? 100000u : 2000u));
        arena_close(&a);
    }
}

TEST(a_million_deep) {
    uint32_t algorithm, i, depth = 0, deepest = 0, n = 1000000;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 100000);
        arena a;
        hcct_context rows[3];
        c.hash_slots = 1;
        arena_open(&a, &c, n + 10);
        for (i = 0; i < n; i++) hcct_enter(&a.t, 1 + i % 3, 1);
        CHECK_EQ(a.t.run.at.depth, n);
        for (i = hcct_next(&a.t, 0, &depth); i; i = hcct_next(&a.t, i, &depth)) if (depth > deepest) deepest = depth;
        CHECK_EQ(deepest, n);
        CHECK(hcct_hot(&a.t, 1, 1000, rows, 3) <= n);
        for (i = 0; i < n; i++) hcct_leave(&a.t);
        CHECK_EQ(hcct_mark_here(&a.t).cursor, 0);
        CHECK_EQ(a.t.run.at.depth, 0);
        CHECK_EQ(a.t.unmatched, 0);
        hcct_leave(&a.t);
        CHECK_EQ(a.t.unmatched, 1);
        arena_close(&a);
    }
}

/* One path longer than the arena: what has no place is lost, and base says so. */
TEST(a_path_longer_than_the_arena) {
    uint32_t algorithm, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 10);
        arena a;
        ref r;
        hcct_stats s;
        ref_init(&r);
        arena_open(&a, &c, 50);
        for (i = 0; i < 500; i++) { hcct_enter(&a.t, 1 + i % 7, 1); ref_enter(&r, 1 + i % 7, 1); hcct_add(&a.t, 2); r.nodes[r.cursor].weight += 2; r.total += 2; }
        hcct_get_stats(&a.t, &s);
        CHECK(s.lost >= 3 * (500 - s.capacity));
        check_bounds(&a.t, &r);
        for (i = 0; i < 500; i++) { hcct_leave(&a.t); ref_leave(&r); }
        CHECK_EQ(hcct_mark_here(&a.t).cursor, 0);
        CHECK_EQ(a.t.run.at.over, 0);
        for (i = 0; i < 20; i++) { hcct_enter(&a.t, 9, 1); ref_enter(&r, 9, 1); hcct_leave(&a.t); ref_leave(&r); }
        check_bounds(&a.t, &r);
        check_tree(&a.t);
        arena_close(&a);
        ref_free(&r);
    }
}

TEST(flat_150000_children) {
    uint32_t algorithm, i, n = 150000;
    uint64_t seed = 1;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 50000);
        arena a;
        arena_open(&a, &c, algorithm == HCCT_FULL ? n + 1 : 80000);
        hcct_enter(&a.t, 1, 1);
        for (i = 0; i < 400000; i++) {
            uint64_t x = test_random(&seed);
            hcct_enter(&a.t, 2 + (uint32_t)(x >> 8) % (x & 1 ? 100 : n), 1);
            hcct_leave(&a.t);
        }
        check_tree(&a.t);
        CHECK_EQ(a.t.unhashed, 0);
        CHECK(hcct_hot(&a.t, 1, 400, NULL, 0) >= 100);
        arena_close(&a);
    }
}

/* Lookup by list, cache and hash, in any mixture, gives the same tree. */
TEST(tiers_of_lookup_agree) {
    uint32_t kind, mode;
    for (kind = 0; kind < STREAMS; kind++) {
        uint64_t sum[4];
        for (mode = 0; mode < 4; mode++) {
            hcct_config c = config_of(HCCT_SPACE_SAVING, 300);
            stream s = stream_of(kind, 21, 0);
            arena a;
            uint32_t i, n, depth = 0;
            hcct_context *rows;
            c.cache_slots = mode == 1 ? 1 : mode == 2 ? 64 : 0;
            c.hash_slots = mode == 1 ? 1 : mode == 3 ? 90 : 0;
            arena_open(&a, &c, 6000);
            for (i = 0; i < 10; i++) { feed(&a.t, NULL, &s, 8000); check_tree(&a.t); }
            if (mode == 3 && kind == FLAT) CHECK(a.t.unhashed > 0);
            n = hcct_hot(&a.t, 0, 1, NULL, 0);
            rows = (hcct_context *)calloc(n, sizeof *rows);
            hcct_hot(&a.t, 0, 1, rows, n);
            for (sum[mode] = 0, i = 0; i < n; i++)
                sum[mode] = sum[mode] * 31 + rows[i].key + rows[i].lower * 7 + rows[i].upper * 13 + rows[i].depth * 1001;
            (void)depth;
            free(rows);
            arena_close(&a);
        }
        /* Which of several minima is evicted first depends on node numbers, not on the lookup, so all is equal. */
        CHECK(sum[0] == sum[1] && sum[1] == sum[2] && sum[2] == sum[3]);
    }
}

/* ---- Sticky Sampling ---- */

TEST(sticky_misses_rarely) {
    uint32_t seed, failures = 0, seeds = 120;
    for (seed = 0; seed < seeds; seed++) {
        hcct_config c = config_of(HCCT_STICKY, 0);
        stream s = stream_of(seed & 1 ? SKEWED : PHASES, 77, (int)(seed >> 1 & 1));
        arena a;
        ref r;
        uint32_t i, strangers, failed = 0, *to;
        uint64_t miss, theta;
        c.one_over_epsilon = 200; c.one_over_phi = 40; c.one_over_delta = 10; c.seed = seed;
        ref_init(&r);
        arena_open(&a, &c, 20000);
        feed(&a.t, &r, &s, 40000);
        CHECK(a.t.rate_shift > 0);
        CHECK_EQ(cold_leaves(&a.t), 0);
        miss = hcct_p_sticky_miss(&a.t);
        CHECK(miss <= a.t.total / 200 + 1);
        theta = hcct_theta(&a.t, 1, 40);
        to = match(&a.t, &r, &strangers);
        for (i = 1; i < r.count; i++)
            if (r.nodes[i].weight >= theta) {
                uint64_t lower = r.nodes[i].in_tree ? *hcct_p_count(&a.t, r.nodes[i].in_tree) : 0;
                if (lower + miss < r.nodes[i].weight) failed = 1;
            }
        failures += failed;
        free(to);
        arena_close(&a);
        ref_free(&r);
    }
    CHECK(failures <= seeds / 10 + 6);          /* delta = 1/10, and two standard deviations */
}

/* After doublings, counts are distributed as if sampling had begun at the new rate: 40 occurrences, r = 16, mean 26.1. */
TEST(sticky_resamples_like_a_fresh_sample) {
    uint32_t seed, k, i;
    double mean[2] = {0, 0};
    for (k = 0; k < 2; k++)
        for (seed = 0; seed < 20000; seed++) {
            hcct_config c = config_of(HCCT_STICKY, 0);
            uint64_t memory[256];
            hcct t;
            c.seed = seed * 2 + k; c.one_over_epsilon = 1 << 20; c.cache_slots = 1; c.hash_slots = 1;
            hcct_init(&t, memory, sizeof memory, &c);
            if (k == 0) t.rate_shift = 4;
            for (i = 0; i < 40; i++) { hcct_enter(&t, 1, 1); if (i < 39) hcct_leave(&t); }
            if (k == 1) for (i = 0; i < 4; i++) hcct_p_double_rate(&t);
            mean[k] += (double)*hcct_p_count(&t, hcct_mark_here(&t).cursor) / 20000;
        }
    CHECK(mean[0] > 25.8 && mean[0] < 26.4);
    CHECK(mean[1] > 25.8 && mean[1] < 26.4);
}

TEST(logarithm) {
    double x, worst = 0;
    for (x = 1; x < 300; x += 0.37) {           /* ln(x^2) = 2 ln x, ln(x y) = ln x + ln y, ln 10 */
        double off = hcct_p_ln(x * x * 1.7) - 2 * hcct_p_ln(x) - hcct_p_ln(1.7);
        if (off < 0) off = -off;
        if (off > worst) worst = off;
    }
    CHECK(worst < 1e-12);
    CHECK(close_to(hcct_p_ln(10) * 1e9, 2.302585092994046 * 1e9));
    CHECK(close_to(hcct_p_ln(1e-9) * 1e6, -20.72326583694641 * 1e6));
}

TEST(packing_rounds_the_right_way) {
    uint64_t seed = 9;
    uint32_t i;
    for (i = 0; i < 20000; i++) {
        uint64_t x = test_random(&seed) >> (i % 64), up = hcct_p_unpack(hcct_p_pack(x, 1)), down = hcct_p_unpack(hcct_p_pack(x, 0));
        CHECK(up >= x && down <= x);
        CHECK(up - down <= x >> 25);
        if (x < 1 << 26) CHECK(up == x && down == x);
    }
    CHECK(hcct_p_unpack(hcct_p_pack(UINT64_MAX, 1)) == UINT64_MAX);
    CHECK(hcct_p_scale(UINT64_MAX, UINT64_MAX, UINT64_MAX, 0) == UINT64_MAX);
    CHECK(hcct_p_scale(100, 1, 3, 0) == 33 && hcct_p_scale(100, 1, 3, 1) == 34 && hcct_p_scale(99, 1, 3, 1) == 33);
    CHECK(hcct_p_scale(UINT64_C(1) << 63, 6, UINT64_C(1) << 62, 0) == 12);
    for (i = 0; i < 20000; i++) {
        uint64_t a = test_random(&seed) >> 32, b = test_random(&seed) >> 33, c = (test_random(&seed) >> (20 + i % 43)) + 1;
        CHECK(hcct_p_scale(a, b, c, 0) == a * b / c);
        CHECK(hcct_p_scale(a, b, c, 1) == (a * b + c - 1) / c);
    }
}

/* ---- merge ---- */

static void merge_pieces(uint32_t algorithm, uint32_t kind, uint32_t pieces, uint32_t m, uint32_t contexts, int weighted, uint32_t order) {
    arena *a = (arena *)calloc(pieces, sizeof *a);
    hcct_config c = config_of(algorithm, m);
    stream s = stream_of(kind, 31, weighted);
    ref r;
    uint32_t i, k, found = 0, hot = 0, strangers, *to;
    uint64_t theta;
    c.one_over_epsilon = m;
    ref_init(&r);
    for (i = 0; i < pieces; i++) {
        uint32_t path[512], depth = hcct_path(i ? &a[i - 1].t : NULL, 0, path, 0), at;
        c.seed = i;
        arena_open(&a[i], &c, contexts);
        for (depth = 0, at = r.cursor; at; at = r.nodes[at].parent) depth++;
        for (k = depth, at = r.cursor; at; at = r.nodes[at].parent) path[--k] = r.nodes[at].key;
        hcct_burst_begin(&a[i].t, path, depth);
        feed(&a[i].t, &r, &s, 120000 / pieces);
    }
    if (order == 0) for (i = 1; i < pieces; i++) CHECK_EQ(hcct_merge(&a[0].t, &a[i].t), 0);
    if (order == 1) for (i = pieces - 1; i > 0; i--) CHECK_EQ(hcct_merge(&a[0].t, &a[i].t), 0);
    if (order == 2) for (k = 1; k < pieces; k *= 2) for (i = 0; i + k < pieces; i += 2 * k) CHECK_EQ(hcct_merge(&a[i].t, &a[i + k].t), 0);
    check_tree(&a[0].t);
    check_bounds(&a[0].t, &r);
    if (hcct_p_saving(&a[0].t) && !a[0].t.forced) CHECK(a[0].t.floor <= (weighted ? 4 * r.total / (3 * m) : r.total / m));
    if (algorithm == HCCT_LOSSY && !a[0].t.forced) CHECK(hcct_p_base(&a[0].t) <= r.total / m);
    theta = hcct_theta(&a[0].t, 1, 400);
    to = match(&a[0].t, &r, &strangers);
    for (i = 1; i < r.count; i++)
        if (r.nodes[i].weight >= theta) {
            hcct_context got;
            hot++;
            if (!r.nodes[i].in_tree) continue;
            hcct_get(&a[0].t, r.nodes[i].in_tree, &got);
            found += got.upper >= theta;
            if (contexts > 2000 && algorithm == HCCT_SPACE_SAVING) CHECK((got.upper - got.lower) * 4 <= r.nodes[i].weight);
        }
    if (kind == SKEWED) CHECK(hot > 0);
    if (hcct_p_base(&a[0].t) < theta && algorithm != HCCT_STICKY) CHECK_EQ(found, hot);
    if (contexts > 2000 && algorithm < HCCT_STICKY) CHECK(hcct_p_base(&a[0].t) < theta);
    feed(&a[0].t, &r, &s, 1000 + r.nodes[r.cursor].depth * 0);
    free(to);
    for (i = 0; i < pieces; i++) arena_close(&a[i]);
    free(a);
    ref_free(&r);
}

TEST(merging_keeps_the_bounds) {
    uint32_t algorithm, kind, order;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++)
        for (kind = 0; kind < DEEP; kind++)
            for (order = 0; order < 3; order++) {
                merge_pieces(algorithm, kind, 4, 800, 8000, (int)(order == 1), order);
                merge_pieces(algorithm, kind, 32, 800, 8000, 0, order);
                merge_pieces(algorithm, kind, 2 + order * 5, 30, 40, (int)(order & 1), order);
            }
}

TEST(merge_refuses_what_does_not_fit_together) {
    hcct_config saving = config_of(HCCT_SPACE_SAVING, 10), lossy = config_of(HCCT_LOSSY, 10), bucket = config_of(HCCT_BUCKET, 10);
    arena a, b, c;
    arena_open(&a, &saving, 20); arena_open(&b, &lossy, 20); arena_open(&c, &bucket, 20);
    CHECK_EQ(hcct_merge(&a.t, &b.t), 1);
    CHECK_EQ(hcct_merge(&a.t, &a.t), 1);
    hcct_enter(&c.t, 1, 5);
    CHECK_EQ(hcct_merge(&a.t, &c.t), 0);
    CHECK_EQ(hcct_merge(&c.t, &a.t), 0);
    CHECK_EQ(c.t.algorithm, HCCT_SPACE_SAVING);
    hcct_enter(&c.t, 2, 1);
    CHECK_EQ(c.t.total, 11);
    check_tree(&c.t);
    arena_close(&a); arena_close(&b); arena_close(&c);
}

/* ---- files ---- */

typedef struct blob { unsigned char *bytes; size_t size, room, stop; } blob;
static int blob_write(void *user, const void *data, size_t size) {
    blob *b = (blob *)user;
    if (b->stop && b->size + size > b->stop) return 5;
    if (b->size + size > b->room) b->bytes = (unsigned char *)realloc(b->bytes, b->room = 2 * (b->size + size));
    memcpy(b->bytes + b->size, data, size);
    b->size += size;
    return 0;
}
static const char *key_name(void *user, uint32_t key) {
    static char text[32];
    (void)user;
    if (key % 5 == 0) return NULL;
    sprintf(text, "f%u;x", (unsigned)key);
    return text;
}

TEST(save_load_save_gives_the_same_bytes) {
    uint32_t algorithm, kind;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++)
        for (kind = 0; kind < STREAMS; kind++) {
            hcct_config c = config_of(algorithm, 200);
            stream s = stream_of(kind, 41, (int)(kind & 1));
            arena a, again;
            blob first = {0}, second = {0};
            size_t used = 0, bytes;
            ref r;
            hcct_stats sa, sb;
            ref_init(&r);
            arena_open(&a, &c, 12000);
            feed(&a.t, &r, &s, 20000);
            CHECK_EQ(hcct_write(&a.t, key_name, NULL, blob_write, &first), 0);
            check_tree(&a.t);
            bytes = hcct_load_bytes(first.bytes, first.size);
            CHECK(bytes > 0);
            again.memory = malloc(bytes);
            CHECK(hcct_load(&again.t, again.memory, bytes, first.bytes, first.size, NULL, &used) == NULL);
            CHECK_EQ(used, first.size);
            check_tree(&again.t);
            check_bounds(&again.t, &r);
            hcct_get_stats(&a.t, &sa);
            hcct_get_stats(&again.t, &sb);
            CHECK(sa.base == sb.base && sa.total == sb.total && sa.nodes == sb.nodes);
            CHECK_EQ(hcct_write(&again.t, key_name, NULL, blob_write, &second), 0);
            CHECK_EQ(first.size, second.size);
            CHECK(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
            /* the loaded tree goes on */
            while (r.cursor) { r.cursor = 0; s.depth = 0; }
            feed(&again.t, &r, &s, 2000);
            check_bounds(&again.t, &r);
            check_tree(&again.t);
            /* and fits a smaller memory with bounds that hold */
            if (algorithm != HCCT_FULL) {
                free(again.memory);
                bytes = hcct_bytes(&c, 60);
                again.memory = malloc(bytes);
                CHECK(hcct_load(&again.t, again.memory, bytes, first.bytes, first.size, NULL, &used) == NULL);
                check_tree(&again.t);
                ref_free(&r);
                ref_init(&r);
                s = stream_of(kind, 41, (int)(kind & 1));
                { arena whole; arena_open(&whole, &c, 12000); feed(&whole.t, &r, &s, 20000); arena_close(&whole); }
                check_bounds(&again.t, &r);
            }
            free(first.bytes); free(second.bytes); free(again.memory);
            arena_close(&a);
            ref_free(&r);
        }
}

static void small_file(blob *b, uint32_t algorithm) {
    hcct_config c = config_of(algorithm, 12);
    stream s = stream_of(SKEWED, 4, 0);
    arena a;
    c.cache_slots = 16;                 /* so that the arena, and with it the file, does not depend on defaults */
    c.hash_slots = 64;
    arena_open(&a, &c, algorithm == HCCT_FULL ? 400 : 30);
    feed(&a.t, NULL, &s, 400);
    CHECK_EQ(hcct_write(&a.t, key_name, NULL, blob_write, b), 0);
    arena_close(&a);
}

/* Walks whatever was loaded: nothing may loop or leave the arena. */
static void use_tree(hcct *t) {
    hcct_context rows[5];
    hcct_stats s;
    uint32_t i;
    check_tree(t);
    hcct_get_stats(t, &s);
    hcct_hot(t, 1, 100, rows, 5);
    for (i = 1; i < 200; i++) { hcct_enter(t, 1 + i % 9, 1); if (i % 3 == 0) hcct_leave(t); }
    check_tree(t);
}

TEST(every_truncation_and_flip_is_refused) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        blob b = {0};
        size_t i, used, bit;
        uint64_t memory[8192];
        hcct t;
        uint32_t taken = 0;
        small_file(&b, algorithm);
        CHECK(hcct_load(&t, memory, sizeof memory, b.bytes, b.size, NULL, &used) == NULL);
        for (i = 0; i < b.size; i++) {
            unsigned char *cut = (unsigned char *)malloc(i + 1);       /* its own block, so that a sanitizer sees every step outside */
            memcpy(cut, b.bytes, i);
            taken += hcct_load(&t, memory, sizeof memory, cut, i, NULL, &used) == NULL;
            CHECK(used <= i);
            free(cut);
        }
        for (bit = 0; bit < 8 * b.size; bit++) {
            b.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            taken += hcct_load(&t, memory, sizeof memory, b.bytes, b.size, NULL, &used) == NULL;
            b.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        CHECK_EQ(taken, 0);
        free(b.bytes);
    }
}

/* Sets the checksums of a part right again, so that what is behind them is tested too. */
static void mend(unsigned char *data, size_t size) {
    uint32_t crc = hcct_p_crc32(0, data, 12);
    size_t at = 16;
    hcct_p_little(data + 12, crc, 4);
    while (at + 2 <= size) {
        size_t length = (size_t)hcct_p_get_le(data + at, 2), end = length ? length + 2 : 10;
        if (at + end + 4 > size) return;
        crc = hcct_p_crc32(crc, data + at, end);
        hcct_p_little(data + at + end, crc, 4);
        at += end + 4;
    }
}

TEST(files_with_right_checksums_and_wrong_contents) {
    uint32_t algorithm, round, loaded = 0, refused = 0;
    uint64_t seed = 12;
    static uint64_t memory[8192];
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        blob b = {0};
        unsigned char *copy;
        small_file(&b, algorithm);
        copy = (unsigned char *)malloc(b.size);
        for (round = 0; round < 3000; round++) {
            size_t used;
            hcct t;
            uint32_t k;
            memcpy(copy, b.bytes, b.size);
            for (k = 0; k < 1 + round % 3; k++) {
                uint64_t x = test_random(&seed);
                size_t at = 18 + (size_t)(x >> 8) % (b.size - 36);
                copy[at] = (unsigned char)(x & 1 ? copy[at] ^ (1u << (x >> 1 & 7)) : x >> 56);
            }
            mend(copy, b.size);
            if (hcct_load(&t, memory, round % 2 ? sizeof memory : 1500, copy, b.size, NULL, &used)) refused++;
            else { loaded++; use_tree(&t); }
        }
        free(copy);
        free(b.bytes);
    }
    CHECK(loaded > 500);
    CHECK(refused > 500);
}

/* The same events give the same bytes on every machine: this number was taken on a little-endian 64-bit one. */
TEST(bytes_are_the_same_everywhere) {
    uint32_t algorithm, crc = 0;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        blob b = {0};
        if (algorithm == HCCT_STICKY) continue;         /* its coin tosses use floating point */
        small_file(&b, algorithm);
        crc = hcct_p_crc32(crc, b.bytes, b.size);
        free(b.bytes);
    }
    CHECK_EQ(crc, 0xDDEA6728);
}

typedef struct names { uint32_t seen, wrong; } names;
static void names_seen(void *user, uint32_t key, const char *name, size_t length) {
    names *n = (names *)user;
    const char *wanted = key_name(NULL, key);
    n->seen++;
    n->wrong += !wanted || strcmp(wanted, name) != 0 || strlen(name) != length;
}
static uint32_t join_keys(void *user, uint32_t key) { (void)user; return key / 3 + 1; }

TEST(names_come_back_and_keys_can_be_joined) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 100);
        stream s = stream_of(SKEWED, 8, 0);
        arena a;
        ref r, joined;
        blob b = {0};
        uint32_t i;
        size_t used, bytes;
        names n = {0, 0};
        hcct_reader reader = {names_seen, NULL, NULL};
        ref_init(&r);
        ref_init(&joined);
        arena_open(&a, &c, 5000);
        feed(&a.t, &r, &s, 8000);
        hcct_write(&a.t, key_name, NULL, blob_write, &b);
        reader.user = &n;
        bytes = hcct_load_bytes(b.bytes, b.size);
        arena_close(&a);
        a.memory = malloc(bytes);
        CHECK(hcct_load(&a.t, a.memory, bytes, b.bytes, b.size, &reader, &used) == NULL);
        CHECK(n.seen > 5);
        CHECK_EQ(n.wrong, 0);
        reader.key = join_keys;
        CHECK(hcct_load(&a.t, a.memory, bytes, b.bytes, b.size, &reader, &used) == NULL);
        check_tree(&a.t);
        for (i = 1; i < r.count; i++) {         /* parents come first, so in_tree can hold the joined node */
            r.nodes[i].in_tree = ref_child(&joined, r.nodes[i].parent ? r.nodes[r.nodes[i].parent].in_tree : 0, r.nodes[i].key / 3 + 1);
            joined.nodes[r.nodes[i].in_tree].weight += r.nodes[i].weight;
        }
        joined.total = r.total;
        /* An absent context may be several absent ones joined, so only what is known has bounds. */
        {
            uint32_t strangers, *to = match(&a.t, &joined, &strangers), wrong = 0;
            CHECK_EQ(strangers, 0);
            for (i = 1; i < a.t.used; i++)
                if (!hcct_p_is_free(&a.t, i)) {
                    hcct_context got;
                    hcct_get(&a.t, i, &got);
                    wrong += got.lower > joined.nodes[to[i]].weight;
                }
            CHECK_EQ(wrong, 0);
            free(to);
        }
        free(b.bytes);
        arena_close(&a);
        ref_free(&r);
        ref_free(&joined);
    }
}

TEST(a_failing_write_stops_the_writer) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 100);
    stream s = stream_of(SKEWED, 8, 0);
    arena a;
    blob b = {0};
    arena_open(&a, &c, 500);
    feed(&a.t, NULL, &s, 8000);
    b.stop = 100;
    CHECK_EQ(hcct_write(&a.t, NULL, NULL, blob_write, &b), 5);
    CHECK(b.size <= 100);
    CHECK_EQ(hcct_write_collapsed(&a.t, NULL, NULL, blob_write, &b), 5);
    free(b.bytes);
    arena_close(&a);
}

TEST(collapsed_stacks) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 100);
    arena a;
    blob b = {0};
    uint32_t i;
    arena_open(&a, &c, 500);
    hcct_enter(&a.t, 1, 1); hcct_enter(&a.t, 2, 3); hcct_leave(&a.t); hcct_enter(&a.t, 5, 0); hcct_enter(&a.t, HCCT_KEY_DEEP, 7);
    CHECK_EQ(hcct_write_collapsed(&a.t, key_name, NULL, blob_write, &b), 0);
    blob_write(&b, "", 1);
    CHECK_STR((const char *)b.bytes, "f1:x 1\nf1:x;0x5;(deep) 7\nf1:x;f2:x 3\n");
    b.size = 0;
    CHECK_EQ(hcct_write_collapsed(&a.t, NULL, NULL, blob_write, &b), 0);
    blob_write(&b, "", 1);
    CHECK_STR((const char *)b.bytes, "0x1 1\n0x1;0x5;(deep) 7\n0x1;0x2 3\n");
    b.size = 0;
    for (i = 0; i < 150; i++) hcct_enter(&a.t, 3, i == 149);
    CHECK_EQ(hcct_write_collapsed(&a.t, NULL, NULL, blob_write, &b), 0);
    blob_write(&b, "", 1);
    CHECK_EQ(strlen(strstr((const char *)b.bytes, ";0x3")), 150 * 4 + 3 + strlen("0x1;0x2 3\n"));
    free(b.bytes);
    arena_close(&a);
}

/* ---- keeping the context right ---- */

TEST(unwind_and_matched_leave) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 40);
        arena a;
        ref r;
        uint64_t seed = 3;
        uint32_t step, depth = 0, ref_marks[64];
        hcct_mark marks[64];
        ref_init(&r);
        arena_open(&a, &c, 700);
        for (step = 0; step < 30000; step++) {
            uint64_t x = test_random(&seed);
            if (depth < 40 && x % 100 < 52) {
                uint32_t key = 1 + (uint32_t)(x >> 20) % 9;
                marks[depth] = hcct_mark_here(&a.t);
                ref_marks[depth++] = r.cursor;
                hcct_enter(&a.t, key, 1);
                ref_enter(&r, key, 1);
            } else if (depth && x % 100 < 90) { hcct_leave(&a.t); ref_leave(&r); depth--; }
            else if (depth && x % 2) { depth = (uint32_t)(x >> 20) % depth; hcct_unwind(&a.t, &marks[depth]); r.cursor = ref_marks[depth]; }
            else if (depth) {                   /* leave by key: the nearest one */
                uint32_t key = 1 + (uint32_t)(x >> 20) % 9, at = r.cursor, d = depth;
                while (at && r.nodes[at].key != key) { at = r.nodes[at].parent; d--; }
                if (a.t.run.at.over) continue;
                CHECK_EQ(hcct_leave_key(&a.t, key), at != 0);
                if (at) { r.cursor = r.nodes[at].parent; depth = d - 1; }
            }
            CHECK(a.t.run.at.over || a.t.run.at.depth == depth);
        }
        check_tree(&a.t);
        check_bounds(&a.t, &r);
        CHECK(a.t.repaired > 0 && a.t.unmatched > 0);
        asserted = 0;
        marks[0].cursor = 1u << 30;
        hcct_unwind(&a.t, &marks[0]);           /* a mark that cannot be: refused, and the assert says so */
        CHECK_EQ(asserted, 1);
        arena_close(&a);
        ref_free(&r);
    }
}

/* A machine stack with longjmp: frames vanish without an exit. */
TEST(frame_addresses_repair_the_stack) {
    uint32_t room;
    for (room = 4; room <= 64; room *= 4) {
        hcct_config c = config_of(HCCT_SPACE_SAVING, 200);
        hcct_frame frames[64];
        uintptr_t stack[64], top = 100000;
        uint32_t keys[64], depth = 0, step, lost_frames = 0, wrong = 0, i;
        uint64_t seed = 5;
        arena a;
        c.frames = frames;
        c.frame_count = room;
        arena_open(&a, &c, 3000);
        for (step = 0; step < 40000; step++) {
            uint64_t x = test_random(&seed);
            if (depth < 40 && x % 100 < 50) {
                uint32_t key = 1 + (uint32_t)(x >> 20) % 6;
                stack[depth] = (depth ? stack[depth - 1] : top) - 16;
                keys[depth++] = key;
                hcct_enter_at(&a.t, key, 1, stack[depth - 1]);
                if (room == 64) {               /* after an enter the context is right again */
                    uint32_t path[64];
                    wrong += hcct_path(&a.t, hcct_mark_here(&a.t).cursor, path, 64) != depth;
                    for (i = 0; i < depth; i++) wrong += path[i] != keys[i];
                }
            } else if (depth && x % 100 < 95) { depth--; wrong += room == 64 && !hcct_leave_at(&a.t, 0, stack[depth]); if (room < 64) hcct_leave_at(&a.t, 0, stack[depth]); }
            else if (depth) { uint32_t to = (uint32_t)(x >> 20) % depth; lost_frames += depth - to; depth = to; }
        }
        CHECK_EQ(wrong, 0);
        if (room == 64) {
            uint64_t open = a.t.run.frame_count - depth;
            CHECK_EQ(a.t.repaired + open, lost_frames);
            CHECK_EQ(a.t.frames_full, 0);
        } else if (room == 4) CHECK(a.t.frames_full > 0);
        check_tree(&a.t);
        CHECK_EQ(hcct_leave_at(&a.t, 0, top), 0);       /* nothing stands there */
        CHECK_EQ(a.t.run.frame_count, 0);
        arena_close(&a);
    }
}

TEST(a_frame_is_also_left_by_its_key) {
    hcct_config c = config_of(HCCT_FULL, 0);
    hcct_frame frames[8];
    arena a;
    c.frames = frames;
    c.frame_count = 8;
    arena_open(&a, &c, 20);
    hcct_enter_at(&a.t, 1, 1, 1000);
    hcct_enter_at(&a.t, 2, 1, 900);
    CHECK_EQ(hcct_leave_at(&a.t, 3, 900), 0);           /* no such call */
    CHECK_EQ(hcct_leave_at(&a.t, 2, 880), 0);           /* 2 stands above that frame */
    CHECK_EQ(hcct_leave_at(&a.t, 2, 1000), 1);          /* its frame is gone already, and 1 stays */
    CHECK_EQ(a.t.run.at.depth, 1);
    hcct_enter_at(&a.t, 2, 1, 900);
    hcct_enter_at(&a.t, 3, 1, 800);
    CHECK_EQ(hcct_leave_at(&a.t, 1, 1000), 1);          /* 2 and 3 were jumped over */
    CHECK_EQ(hcct_mark_here(&a.t).cursor, 0);
    CHECK_EQ(a.t.unmatched, 2);
    CHECK_EQ(a.t.repaired, 2);
    arena_close(&a);
}

TEST(depth_limit) {
    uint32_t algorithm, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 40);
        hcct_stats s;
        arena a;
        c.depth_limit = 5;
        arena_open(&a, &c, 100);
        for (i = 0; i < 9; i++) hcct_enter(&a.t, 1 + i, 1);
        hcct_add(&a.t, 10);
        for (i = 0; i < 9; i++) hcct_leave(&a.t);
        hcct_add(&a.t, 3);
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.total, 5); CHECK_EQ(s.cut, 14); CHECK_EQ(s.lost, 0); CHECK_EQ(s.outside, 3); CHECK_EQ(s.unmatched, 0);
        arena_close(&a);
    }
}

/* The reference folds alike; its returns are a plain array. */
TEST(recursion_folding) {
    uint32_t algorithm, fold;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++)
        for (fold = 1; fold <= 4; fold += 3) {
            hcct_config c = config_of(algorithm, 30);
            uint32_t returns[200], ref_returns[200], depth = 0, step;
            uint64_t seed = 3;
            arena a;
            ref r;
            hcct_mark mark;
            uint32_t mark_depth = 0, mark_cursor = 0;
            ref_init(&r);
            c.fold = fold;
            c.returns = returns;
            c.return_count = 200;
            arena_open(&a, &c, 300);
            mark = hcct_mark_here(&a.t);
            for (step = 0; step < 30000; step++) {
                uint64_t x = test_random(&seed);
                if (depth < 190 && x % 100 < 50) {
                    uint32_t key = 1 + (uint32_t)(x >> 20) % 5, at = r.cursor, k;
                    for (k = 0; at && k < fold && r.nodes[at].key != key; k++) at = r.nodes[at].parent;
                    ref_returns[depth++] = r.cursor;
                    if (at && k < fold) { r.cursor = at; r.nodes[at].weight++; r.total++; }
                    else ref_enter(&r, key, 1);
                    hcct_enter(&a.t, key, 1);
                } else if (depth && x % 100 < 98) { if (depth <= mark_depth) mark_depth = 0; hcct_leave(&a.t); r.cursor = ref_returns[--depth]; }
                else if (depth && mark_depth == 0) { mark = hcct_mark_here(&a.t); mark_depth = depth; mark_cursor = r.cursor; }
                else if (depth) { hcct_unwind(&a.t, &mark); depth = mark_depth; r.cursor = mark_cursor; mark_depth = 0; }
                if (!a.t.run.at.over) {
                    hcct_context got;
                    hcct_get(&a.t, hcct_mark_here(&a.t).cursor, &got);
                    CHECK_EQ(got.key, r.nodes[r.cursor].key);
                }
            }
            check_tree(&a.t);
            check_bounds(&a.t, &r);
            arena_close(&a);
            ref_free(&r);
        }
}

TEST(folding_without_room_to_return_is_cut) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 10);
    uint32_t returns[3], i;
    arena a;
    c.fold = 1;
    c.returns = returns;
    c.return_count = 3;
    arena_open(&a, &c, 20);
    for (i = 0; i < 6; i++) hcct_enter(&a.t, 1, 1);
    CHECK_EQ(a.t.total, 3); CHECK_EQ(a.t.cut, 3); CHECK_EQ(a.t.live, 1);
    for (i = 0; i < 6; i++) hcct_leave(&a.t);
    CHECK_EQ(hcct_mark_here(&a.t).cursor, 0); CHECK_EQ(a.t.unmatched, 0); CHECK_EQ(a.t.run.at.returns, 0);
    arena_close(&a);
}

TEST(fibers) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        enum { FIBERS = 6 };
        hcct_config c = config_of(algorithm, 40);
        hcct_fiber fibers[FIBERS];
        uint32_t cursors[FIBERS], depths[FIBERS], alive[FIBERS], running = 0, step, i;
        uint64_t seed = 8;
        arena a;
        ref r;
        ref_init(&r);
        memset(alive, 0, sizeof alive);
        memset(cursors, 0, sizeof cursors);
        memset(depths, 0, sizeof depths);
        alive[0] = 1;                           /* number 0 is main */
        arena_open(&a, &c, 400);
        for (step = 0; step < 40000; step++) {
            uint64_t x = test_random(&seed);
            uint32_t other = (uint32_t)(x >> 40) % FIBERS, *depth = &depths[running];
            if (x % 100 < 46 && *depth < 20) { uint32_t key = 1 + (uint32_t)(x >> 20) % 6; hcct_enter(&a.t, key, 1); ref_enter(&r, key, 1); ++*depth; }
            else if (x % 100 < 90) { if (*depth) { hcct_leave(&a.t); ref_leave(&r); --*depth; } }
            else if (x % 100 < 97) {
                if (!alive[other]) {
                    hcct_fiber_start(&a.t, &fibers[other], (int)(x >> 60 & 1), NULL);
                    alive[other] = 1;
                    cursors[other] = x >> 60 & 1 ? r.cursor : 0;
                    depths[other] = x >> 60 & 1 ? *depth : 0;
                }
                cursors[running] = r.cursor;
                hcct_fiber_switch(&a.t, other ? &fibers[other] : NULL);
                running = other;
                r.cursor = cursors[other];
            } else if (other && other != running && alive[other]) { hcct_fiber_end(&a.t, &fibers[other]); alive[other] = 0; }
            if (!a.t.run.at.over) {
                hcct_context got;
                hcct_get(&a.t, hcct_mark_here(&a.t).cursor, &got);
                CHECK_EQ(got.key, r.nodes[r.cursor].key);
            }
        }
        check_tree(&a.t);
        check_bounds(&a.t, &r);
        hcct_fiber_switch(&a.t, NULL);
        for (i = 1; i < FIBERS; i++) if (alive[i]) hcct_fiber_end(&a.t, &fibers[i]);
        CHECK(a.t.fibers == NULL);
        arena_close(&a);
        ref_free(&r);
    }
}

/* ---- bursts ---- */

TEST(bursts_position_and_do_not_count) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 40);
        uint32_t stack[3] = {HCCT_KEY_DEEP, 2, 3};
        arena a;
        hcct_context got;
        hcct_stats s;
        arena_open(&a, &c, 100);
        CHECK_EQ(hcct_burst_begin(&a.t, stack, 3), 1);
        hcct_enter(&a.t, 4, 1);
        hcct_leave(&a.t);
        hcct_burst_end(&a.t);
        CHECK_EQ(hcct_mark_here(&a.t).cursor, 0);
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.total, 1);
        CHECK_EQ(s.nodes, 4);
        hcct_burst_begin(&a.t, stack, 3);       /* nothing happens in this one: it leaves nothing behind */
        hcct_burst_end(&a.t);
        stack[2] = 9;
        hcct_burst_begin(&a.t, stack, 3);
        hcct_burst_end(&a.t);
        hcct_get_stats(&a.t, &s);
        if (algorithm != HCCT_FULL) CHECK_EQ(s.nodes, 4);
        hcct_set_total(&a.t, 10);
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.total, 1);
        CHECK_EQ(s.scaled_total, 10);
        stack[2] = 3;
        hcct_get(&a.t, hcct_p_look(&a.t, node_at(&a.t, stack, 3), 4, a.t.stride, &stack[0], &stack[1]), &got);
        CHECK_EQ(got.lower, 10);
        CHECK_EQ(got.upper, 10);
        arena_close(&a);
    }
}

/* Over all phases of the schedule every call is sampled equally often, so the mean of the scaled counts is exact. */
TEST(bursts_over_all_phases_are_exact) {
    enum { INTERVAL = 40, LENGTH = 8, CALLS = 4000 };
    uint32_t phase, i, strangers, wrong = 0, *to;
    hcct_config c = config_of(HCCT_FULL, 0);
    arena all;
    ref r;
    arena_open(&all, &c, 8000);
    ref_init(&r);
    for (phase = 0; phase < INTERVAL; phase++) {
        stream s = stream_of(SKEWED, 3, 0);
        uint32_t stack[64], depth = 0, calls = 0, in_burst = 0;
        arena a;
        arena_open(&a, &c, 8000);
        while (calls < CALLS) {
            uint64_t w;
            uint32_t key = stream_next(&s, &w);
            int on = (calls + phase) % INTERVAL < LENGTH;
            if (on && !in_burst) hcct_burst_begin(&a.t, stack, depth);
            if (!on && in_burst) hcct_burst_end(&a.t);
            in_burst = (uint32_t)on;
            if (key) { if (on) hcct_enter(&a.t, key, 1); stack[depth++] = key; calls++; if (phase == 0) ref_enter(&r, key, 1); }
            else     { if (on) hcct_leave(&a.t); depth--; if (phase == 0) ref_leave(&r); }
        }
        CHECK_EQ(hcct_merge(&all.t, &a.t), 0);
        arena_close(&a);
    }
    to = match(&all.t, &r, &strangers);
    for (i = 1; i < r.count; i++) {
        uint32_t n = r.nodes[i].in_tree;
        wrong += (n ? hcct_p_at(&all.t, n)[HCCT_P_COUNT32] : 0) != r.nodes[i].weight * LENGTH;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(strangers, 0);
    free(to);
    arena_close(&all);
    ref_free(&r);
}

TEST(adaptive_bursts_are_unbiased) {
    hcct_config c = config_of(HCCT_FULL, 0);
    uint32_t k, i, points = 20000, stacks[4][2] = {{1, 2}, {1, 3}, {4, 2}, {4, 3}};
    for (k = 0; k <= 10; k += 5) {
        arena a;
        hcct_stats s;
        c.history = 64;
        c.reenable = k;
        c.seed = 5;
        arena_open(&a, &c, 100);
        for (i = 0; i < points; i++) {
            uint32_t w = hcct_burst_begin(&a.t, stacks[i % 4], 2);
            if (!w) { CHECK_EQ(hcct_mark_here(&a.t).cursor, 0); continue; }
            CHECK(w == 1 || w == k);
            hcct_enter(&a.t, 7, w);
            hcct_leave(&a.t);
            hcct_burst_end(&a.t);
        }
        hcct_get_stats(&a.t, &s);
        CHECK_EQ(s.burst_points, points);
        CHECK_EQ(s.burst_new, 4);
        CHECK_EQ(s.burst_new + s.burst_again + s.burst_skipped, points);
        CHECK_EQ(s.total, 4 + s.burst_again * k);
        if (k == 0) CHECK_EQ(s.total, 4);                       /* no re-enablement: once each */
        else CHECK((double)s.total > (double)points * 0.94 && (double)s.total < (double)points * 1.06);
        arena_close(&a);
    }
}

TEST(a_full_history_counts_the_unknown_as_known) {
    hcct_config c = config_of(HCCT_FULL, 0);
    uint32_t i, bursts = 0;
    arena a;
    c.history = 16;
    arena_open(&a, &c, 10);
    for (i = 1; i <= 1000; i++) { uint32_t key = i; bursts += hcct_burst_begin(&a.t, &key, 1) != 0; hcct_burst_end(&a.t); }
    CHECK_EQ(bursts, a.t.burst_new);
    CHECK_EQ(a.t.burst_new, 12);
    arena_close(&a);
}

/* ---- set up, queries, limits ---- */

TEST(init_says_what_fits) {
    static uint64_t memory[2000];
    uint32_t algorithm, contexts;
    size_t offset;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 0);
        hcct t;
        uint32_t last = 0;
        for (contexts = 1; contexts < 200; contexts++) {
            size_t bytes = hcct_bytes(&c, contexts);
            CHECK(hcct_init(&t, memory, bytes, &c) >= contexts);
            for (offset = 0; offset < 8; offset++) CHECK(hcct_init(&t, (char *)memory + offset, bytes, &c) >= contexts);
        }
        for (offset = 0; offset < sizeof memory; offset += 50) {
            uint32_t fits = hcct_init(&t, memory, offset, &c);
            CHECK(fits >= last);
            last = fits;
            CHECK(fits < 2 || t.monitored_max <= fits);
        }
        CHECK_EQ(hcct_init(&t, memory, 40, &c), 0);
        CHECK_EQ(hcct_init(&t, NULL, 10000, &c), 0);
    }
    { hcct t; hcct_config c = config_of(17, 0); CHECK_EQ(hcct_init(&t, memory, sizeof memory, &c), 0); }
}

TEST(a_tree_can_grow) {
    uint32_t algorithm;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, algorithm == HCCT_FULL ? 0 : 300);
        stream s = stream_of(FLAT, 3, 0);
        void *memory;
        size_t bytes = hcct_bytes(&c, 150);
        uint32_t i;
        hcct t;
        ref r;
        ref_init(&r);
        memory = malloc(bytes);
        CHECK(hcct_init(&t, memory, bytes, &c) >= 150);
        for (i = 0; i < 8; i++) {
            feed(&t, &r, &s, 100);
            bytes = bytes * 3 / 2;
            memory = realloc(memory, bytes);
            CHECK(hcct_grow(&t, memory, bytes) > 150);
            check_tree(&t);
            check_bounds(&t, &r);
        }
        CHECK_EQ(hcct_grow(&t, memory, bytes / 2), 0);
        feed(&t, &r, &s, 3000);
        check_tree(&t);
        if (algorithm != HCCT_FULL) check_bounds(&t, &r);
        free(memory);
        ref_free(&r);
    }
}

TEST(hot_rows_are_the_hottest_in_order) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 300);
    stream s = stream_of(SKEWED, 13, 0);
    hcct_context all[600], some[20];
    arena a;
    uint32_t n, i, k, wrong = 0;
    arena_open(&a, &c, 3000);
    feed(&a.t, NULL, &s, 30000);
    n = hcct_hot(&a.t, 0, 1, all, 600);
    CHECK_EQ(n, a.t.monitored);
    for (i = 1; i < n; i++) {
        uint32_t p[16], q[16], dp, dq;
        if (all[i - 1].lower > all[i].lower) continue;
        wrong += all[i - 1].lower < all[i].lower || all[i - 1].upper < all[i].upper;
        if (all[i - 1].upper != all[i].upper) continue;
        dp = hcct_path(&a.t, all[i - 1].node, p, 16);
        dq = hcct_path(&a.t, all[i].node, q, 16);
        CHECK_EQ(dp, all[i - 1].depth);
        wrong += dp > dq;
        for (k = 0; dp == dq && k < dp && p[k] == q[k]; k++) {}
        wrong += dp == dq && p[k] >= q[k];
    }
    CHECK_EQ(wrong, 0);
    for (k = 0; k <= 20; k += 5) {
        CHECK_EQ(hcct_hot(&a.t, 0, 1, some, k), n);
        for (i = 0; i < k; i++) CHECK_EQ(some[i].node, all[i].node);
    }
    CHECK_EQ(hcct_hot(&a.t, 1, 0, some, 20), 0);
    CHECK_EQ(hcct_hot(&a.t, 3, 2, some, 20), 0);
    CHECK(hcct_theta(&a.t, 1, 1000) == a.t.total / 1000);
    CHECK(hcct_theta(&a.t, 1, 1000000000) == 1);
    /* hcct_path gives the end of a path that is longer than the array */
    { uint32_t key; i = all[n - 1].node; CHECK_EQ(hcct_path(&a.t, i, &key, 1), all[n - 1].depth); CHECK_EQ(key, all[n - 1].key); }
    arena_close(&a);
}

/* The measures once more, by the definitions, from the reference. */
TEST(measures_by_their_definitions) {
    uint32_t algorithm, kind;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++)
        for (kind = 0; kind < STREAMS; kind++) {
            static const uint32_t tau[3] = {10, 20, 100};
            hcct_config c = config_of(algorithm, 120), cf = config_of(HCCT_FULL, 0);
            stream s = stream_of(kind, 51, 0);
            arena a, full;
            ref r;
            hcct_measures m;
            uint32_t i, k, strangers, *to, *scratch, tree = 0, possible = 0, hot = 0, found = 0, certain = 0, right = 0, uncovered = 0;
            uint64_t theta, sum = 0, h1 = 0, h2 = 0, rest = 0, most = 0;
            double err = 0, worst = 0, err_low = 0;
            char *in_r;
            ref_init(&r);
            arena_open(&a, &c, 9000);
            arena_open(&full, &cf, 60000);
            { stream again = s; feed(&full.t, NULL, &again, 30000); }
            feed(&a.t, &r, &s, 30000);
            scratch = (uint32_t *)malloc(hcct_compare_words(&full.t, &a.t) * 4);
            CHECK_EQ(hcct_compare(&full.t, &a.t, 1, 150, 1, 1000, scratch, &m), 0);
            CHECK_EQ(hcct_compare(&a.t, &full.t, 1, 150, 1, 1000, scratch, &m), algorithm != HCCT_FULL);
            CHECK_EQ(hcct_compare(&full.t, &a.t, 1, 150, 1, 1000, scratch, &m), 0);
            theta = r.total / 150;
            to = match(&a.t, &r, &strangers);
            in_r = (char *)calloc(r.count, 1);
            for (i = 1; i < r.count; i++) {
                hcct_context got;
                uint64_t w = r.nodes[i].weight;
                hot += w >= theta;
                if (w > h2) h2 = w;
                if (!r.nodes[i].in_tree) continue;
                hcct_get(&a.t, r.nodes[i].in_tree, &got);
                certain += got.lower >= theta;
                right += got.lower >= theta && w >= theta;
                if (got.cold || got.upper < theta) continue;
                possible++;
                for (k = i; k; k = r.nodes[k].parent) in_r[k] = 1;
                if (w < theta) continue;
                found++;
                err += 100.0 * (double)(got.upper > w ? got.upper - w : w - got.upper) / (double)w;
                err_low += 100.0 * (double)(w - got.lower) / (double)w;
                if (100.0 * (double)(got.upper > w ? got.upper - w : w - got.upper) / (double)w > worst) worst = 100.0 * (double)(got.upper > w ? got.upper - w : w - got.upper) / (double)w;
            }
            for (i = 1; i < r.count; i++) {
                uint64_t w = r.nodes[i].weight;
                if (in_r[i]) { tree++; sum += w; if (w > h1) h1 = w; }
                else { uncovered++; rest += w; if (w > most) most = w; }
            }
            CHECK_EQ(m.contexts, r.count - 1); CHECK_EQ(m.hot_true, hot); CHECK_EQ(m.hot_found, found); CHECK_EQ(m.possible, possible);
            CHECK_EQ(m.certain, certain); CHECK_EQ(m.certain_right, right); CHECK_EQ(m.tree, tree); CHECK_EQ(m.cold, tree - possible);
            CHECK_EQ(m.false_positives, possible - found); CHECK_EQ(m.false_negatives, hot - found); CHECK_EQ(m.hottest, h2);
            if (tree) CHECK_EQ(m.hottest_found, h1);
            if (algorithm != HCCT_STICKY) { CHECK_EQ(m.underestimates, 0); CHECK_EQ(m.certain_wrong, 0); }
            CHECK_EQ(m.overestimates, 0);
            CHECK(close_to(m.overlap, 100.0 * (double)sum / (double)r.total));
            if (uncovered) { CHECK(close_to(m.max_uncovered, 100.0 * (double)most / (double)m.hottest_found));
                             CHECK(close_to(m.avg_uncovered, 100.0 * (double)rest / uncovered / (double)m.hottest_found)); }
            if (found) { CHECK(close_to(m.avg_error, err / found)); CHECK(close_to(m.avg_error_lower, err_low / found)); CHECK(close_to(m.max_error, worst)); }
            for (k = 0; k < 3; k++) {
                uint32_t in_tree = 0, everywhere = 0;
                for (i = 1; i < r.count; i++) {
                    in_tree += in_r[i] && r.nodes[i].weight * tau[k] >= m.hottest_found;
                    everywhere += r.nodes[i].weight * tau[k] >= h2;
                }
                CHECK(close_to(m.cover[k], tree ? 100.0 * in_tree / everywhere : 0));
            }
            free(in_r); free(to); free(scratch);
            arena_close(&a); arena_close(&full);
            ref_free(&r);
        }
}

TEST(counters_saturate) {
    uint32_t algorithm, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 8);
        arena a;
        hcct_stats s;
        arena_open(&a, &c, 20);
        for (i = 0; i < 40; i++) { hcct_enter(&a.t, 1 + i % 12, UINT64_MAX / 5 * (i % 3)); hcct_add(&a.t, UINT64_MAX / 3); if (i % 4) hcct_leave(&a.t); }
        hcct_get_stats(&a.t, &s);
        CHECK(s.total == UINT64_MAX);
        CHECK(s.saturated);
        check_tree(&a.t);
        arena_close(&a);
    }
}

TEST(weight_zero_only_positions) {
    uint32_t algorithm, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 20);
        arena a;
        ref r;
        uint64_t seed = 6;
        ref_init(&r);
        arena_open(&a, &c, 60);
        for (i = 0; i < 20000; i++) {
            uint64_t x = test_random(&seed);
            if (r.nodes[r.cursor].depth < 12 && x % 2) { uint32_t key = 1 + (uint32_t)(x >> 20) % 7; hcct_enter(&a.t, key, 0); ref_enter(&r, key, 0); }
            else if (r.cursor && x % 3) { hcct_leave(&a.t); ref_leave(&r); }
            else if (r.cursor) { hcct_add(&a.t, x >> 50); r.nodes[r.cursor].weight += x >> 50; r.total += x >> 50; }
        }
        if (algorithm != HCCT_FULL && !a.t.pins) CHECK_EQ(cold_leaves(&a.t), 0);
        check_tree(&a.t);
        check_bounds(&a.t, &r);
        arena_close(&a);
        ref_free(&r);
    }
}

/* A key 0 is a caller's mistake: the assert says so, and without it the tree stays whole. */
TEST(key_zero_does_no_harm) {
    uint32_t algorithm, i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm++) {
        hcct_config c = config_of(algorithm, 8);
        arena a;
        arena_open(&a, &c, 20);
        asserted = 0;
        for (i = 0; i < 200; i++) { hcct_enter(&a.t, i % 5, 1); if (i % 3) hcct_leave(&a.t); }
        CHECK_EQ(asserted, 40);
        check_tree(&a.t);
        arena_close(&a);
    }
}

TEST(tiny_histories_do_not_hang) {
    static uint64_t memory[4096];
    uint32_t history, k;
    for (history = 1; history <= 5; history++) {
        hcct_config config;
        hcct tree;
        memset(&config, 0, sizeof config);
        config.history = history;
        config.reenable = 5;
        CHECK(hcct_init(&tree, memory, sizeof memory, &config) > 0);
        for (k = 1; k < 200; k++) {
            (void)hcct_burst_begin(&tree, &k, 1);
            hcct_burst_end(&tree);
        }
    }
}

TEST(a_full_count_beyond_32_bits_keeps_its_upper_bound) {
    static uint64_t memory[4096];
    hcct_config config;
    hcct_context row;
    hcct tree;
    int i;
    memset(&config, 0, sizeof config);
    config.algorithm = HCCT_FULL;
    CHECK(hcct_init(&tree, memory, sizeof memory, &config) > 0);
    hcct_enter(&tree, 1, 0);
    for (i = 0; i < 10; i++) hcct_add(&tree, 1000000000);
    CHECK(hcct_hot(&tree, 1, 2, &row, 1) == 1);
    CHECK(row.key == 1 && row.lower <= UINT64_C(10000000000) && row.upper >= UINT64_C(10000000000));
}
