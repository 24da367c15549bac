/* test_place.c - bursty place: random call graphs against a slow reference and
   a random walk, each repair left out, hand-made graphs, and readers under
   damage. */
#include "test.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/place/place.h"
#include "place_random.inc"


/* PLACE_GRAPHS=100000 in the environment tries more of them. */
static uint64_t graphs_wanted(void) {
    const char *number = getenv("PLACE_GRAPHS");
    return number ? (uint64_t)strtoul(number, NULL, 10) : 1000 / TEST_SCALE;
}

typedef struct tried {
    graph g;
    placement p;
    place_proof proof;
    place_rules rules;
} tried;

static int asks_inside;                         /* of rule Q: checks in loops stand for entries */

static int try_text(tried *t, const char *data, size_t size, const char *set, int repairs) {
    dump_fault fault;
    memset(t, 0, sizeof *t);
    if (graph_read_text(&t->g, data, size, 0, &fault) != 0) {
        fprintf(stderr, "offset %lu: %s\n", (unsigned long)fault.offset, fault.reason);
        graph_free(&t->g);
        return -1;
    }
    graph_join(&t->g);
    CHECK_EQ(place_set(&t->rules, set), 0);
    t->rules.repairs = repairs;
    t->rules.inside = asks_inside;
    place_choose(&t->p, &t->g, &t->rules);
    place_check(&t->proof, &t->g, t->p.entry, t->p.loop, &t->rules);
    return 0;
}

static int is_read(int status) {
    CHECK_EQ(status, 0);
    return status == 0;
}

static void done(tried *t) {
    place_proof_free(&t->proof);
    place_free(&t->p);
    graph_free(&t->g);
}

static size_t open_of(const tried *t) {
    return t->proof.open_nodes + t->proof.open_loops + t->proof.open_gotos;
}

/* ---- random graphs ------------------------------------------------------------------------- */

/* Does the reference say what the checker says of each function? */
static void compare_calls(made *m, tried *t) {
    int entry[MOST_FUNCTIONS], i, cycles = 0;
    size_t found = t->proof.open_nodes + t->proof.left_alone_cycles;
    for (i = 0; i < m->count; i++) entry[i] = t->p.entry[t->g.functions[i].node];
    find_reach(m, entry);
    for (i = 0; i < m->count; i++) {
        int node = m->node[i] == i, on_cycle = m->reach[i][i];
        if (!node) continue;
        cycles += on_cycle;
        if (!on_cycle) CHECK(!t->proof.open_node[t->g.functions[i].node]);
        else CHECK(t->proof.open_node[t->g.functions[i].node] ||
                   t->g.nodes[t->g.functions[i].node].flags & GRAPH_LEFT_ALONE);
    }
    CHECK_EQ(found, cycles);
}

typedef struct walk {
    const tried *t;
    uint64_t seed, checks;
    uint64_t entered[MOST_FUNCTIONS];           /* checks, when a node was entered and is running */
    int running[MOST_FUNCTIONS];
    int depth, steps, over, faults;
} walk;

static int is_excused(const walk *w, const graph_function *f, uint32_t loop) {
    int why = w->t->p.loop_why[f->first_loop + loop];
    return why == WHY_BORING || why == WHY_BOUNDED || why == WHY_QUIET || why == WHY_LEFT_ALONE;
}

/* Runs a function, choosing its way at random. A loop that is not excused may
   not come round, and a function may not call itself, while the number of
   checks stays the same. */
static void run_function(walk *w, uint32_t node) {
    const graph *g = &w->t->g;
    uint32_t copy = g->nodes[node].first_copy, v = 0, i;
    const graph_function *f = &g->functions[copy];
    uint64_t passed[64], entered = w->entered[node];
    int was_running = w->running[node];
    if (f->next_copy != GRAPH_NONE && test_random(&w->seed) & 1) f = &g->functions[f->next_copy];
    if (w->t->p.entry[node]) w->checks++;
    if (was_running && entered == w->checks && !(g->nodes[node].flags & GRAPH_LEFT_ALONE))
        w->faults++;
    if (!(f->flags & GRAPH_HAS_BODY)) return;
    if (++w->depth > 40) w->over = 1;           /* given up: from here on it is no run */
    w->running[node] = 1;
    w->entered[node] = w->checks;
    for (i = 0; i < 64; i++) passed[i] = UINT64_MAX;
    while (v != 1 && !w->over) {
        const graph_vertex *vertex = graph_vertex_of(g, f, v);
        uint32_t end = graph_edge_end(g, f, v);
        if (vertex->kind == VERTEX_LOOP && vertex->index < 64) {
            if (w->t->p.loop[f->first_loop + vertex->index]) w->checks++;
            if (passed[vertex->index] == w->checks && !is_excused(w, f, vertex->index))
                w->faults++;
            passed[vertex->index] = w->checks;
        } else if (vertex->kind == VERTEX_CALL) {
            uint32_t callee = graph_call_of(g, f, vertex->index)->node;
            if (callee != GRAPH_NONE) run_function(w, callee);
        }
        if (w->over) break;
        if (++w->steps > 4000 || end == vertex->first_edge) w->over = 1;
        if (w->over) break;
        i = vertex->first_edge + (uint32_t)(test_random(&w->seed) % (end - vertex->first_edge));
        if (g->edges[f->first_edge + i].loop != GRAPH_NONE) {
            uint32_t loop = g->edges[f->first_edge + i].loop, n;
            for (n = 0; n < 64 && is_excused(w, f, loop); n++) passed[n] = UINT64_MAX;
        }
        v = g->edges[f->first_edge + i].to;
    }
    w->entered[node] = entered;
    w->running[node] = was_running;
    w->depth--;
}

static void walk_all(const tried *t, uint64_t seed) {
    uint32_t v, round;
    for (v = 0; v < t->g.node_count; v++) {
        for (round = 0; round < 4; round++) {
            walk w;
            memset(&w, 0, sizeof w);
            w.t = t;
            w.seed = seed + round;
            run_function(&w, v);
            CHECK_EQ(w.faults, 0);
            if (w.faults) return;
        }
    }
}

static const char *const sets[] = {"all", "EL", "EC", "L4", "EC+L4", "EC+L2+bounded+always", "Q"};

TEST(random_graphs) {
    uint64_t seed, most = graphs_wanted();
    for (seed = 1; seed <= most && test_broken == 0; seed++) {
        made m;
        tried t;
        size_t i;
        make_graph(&m, seed);
        for (i = 0; i < sizeof sets / sizeof *sets; i++) {
            if (m.count == 0) break;
            if (!is_read(try_text(&t, m.out.data, m.out.size, sets[i], REPAIR_ALL))) {
                break;
            }
            CHECK_EQ(open_of(&t), 0);
            compare_calls(&m, &t);
            walk_all(&t, seed);
            done(&t);
        }
        if (test_broken)
            fprintf(stderr, "seed %lu\n%.*s\n", (unsigned long)seed, (int)m.out.size, m.out.data);
        text_free(&m.out);
    }
}

/* A plan that lacks one repair, or one check that rule Q could not drop, is
   found out. */
TEST(a_missing_check_is_found) {
    uint64_t seed;
    int without_calls = 0, without_wide = 0, entries = 0, loops = 0, most = 400;
    for (seed = 1; seed <= (uint64_t)most; seed++) {
        made m;
        tried t;
        uint32_t v;
        size_t i;
        make_graph(&m, seed);
        if (m.count && try_text(&t, m.out.data, m.out.size, "EC+L4", 0) == 0) {
            without_wide += t.proof.open_nodes != 0;
            compare_calls(&m, &t);
            done(&t);
        }
        if (m.count && try_text(&t, m.out.data, m.out.size, "EC", REPAIR_WIDE) == 0) {
            CHECK_EQ(open_of(&t), 0);           /* the wide graph holds the direct one */
            done(&t);
        }
        if (m.count && try_text(&t, m.out.data, m.out.size, "EC", REPAIR_CALLS) == 0) {
            without_calls += t.proof.open_nodes != 0;
            done(&t);
        }
        if (m.count && try_text(&t, m.out.data, m.out.size, "Q", REPAIR_ALL) == 0) {
            for (v = 0; v < t.g.node_count; v++) {
                place_proof proof;
                if (!t.p.entry[v] || (!t.g.is_closed && t.g.nodes[v].exported)) continue;
                t.p.entry[v] = 0;
                place_check(&proof, &t.g, t.p.entry, t.p.loop, &t.rules);
                CHECK(proof.open_nodes != 0);
                entries++;
                place_proof_free(&proof);
                t.p.entry[v] = 1;
            }
            for (i = 0; i < t.g.loop_count; i++) {
                place_proof proof;
                if (!t.p.loop[i]) continue;
                t.p.loop[i] = 0;
                place_check(&proof, &t.g, t.p.entry, t.p.loop, &t.rules);
                loops += proof.open_loops + proof.open_gotos != 0;
                place_proof_free(&proof);
                t.p.loop[i] = 1;
            }
            done(&t);
        }
        text_free(&m.out);
    }
    CHECK(without_wide > 50);
    CHECK(without_calls > 10);
    CHECK(entries > 100);
    CHECK(loops > 100);
}

/* ---- graphs by hand ------------------------------------------------------------------------ */

#define UNIT "U 1 0000000000000000 0000000000000000 x.c\n"
#define FUNCTION(name, linkage, params) \
    "F " name " " linkage " 1 0000000000000000 - " params " x.c\n"
#define MAIN FUNCTION("main", "g", "0")

/* Space-separated: functions with a check, and loops with one as
   name:number. */
static void check_plan(const char *set, const char *graph_text, const char *wanted) {
    text got = {NULL, 0, 0};
    tried t;
    size_t i;
    uint32_t n;
    if (!is_read(try_text(&t, graph_text, strlen(graph_text), set, REPAIR_ALL))) {
        return;
    }
    for (i = 0; i < t.g.function_count; i++) {
        const graph_function *f = &t.g.functions[i];
        if (t.p.entry[f->node]) {
            text_add(&got, t.g.names[f->name]);
            text_add(&got, " ");
        }
        for (n = 0; n < f->loops; n++) {
            if (!t.p.loop[f->first_loop + n]) continue;
            text_add(&got, t.g.names[f->name]);
            text_format(&got, ":%lu ", (unsigned long)n);
        }
    }
    text_bytes(&got, "", 1);
    CHECK_STR(got.data, wanted);
    CHECK_EQ(open_of(&t), 0);
    text_free(&got);
    done(&t);
}

TEST(equation_3) {
    static const char chain[] = UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "g", "0") "C g -\nB c0\n"
                                FUNCTION("g", "g", "0") "B\n";
    static const char self[] = UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "s", "0") "C f -\nB (c0|)\n";
    static const char taken[] = UNIT MAIN "B i1\n" FUNCTION("f", "s", "1") "C g -\nB c0\n"
                                FUNCTION("g", "s", "1") "B\nA f\nA g\n";
    check_plan("EC", chain, "main ");
    check_plan("EL", chain, "main f ");
    check_plan("all", chain, "main f g ");
    check_plan("EC", self, "main f ");
    check_plan("EC", taken, "main f ");
    check_plan("Q", chain, "");
    check_plan("Q", self, "f ");
    check_plan("Q", taken, "");
}

TEST(static_functions_that_nobody_calls) {
    static const char dead[] = UNIT MAIN "B\n" FUNCTION("f", "s", "0") "C g -\nB c0\n"
                               FUNCTION("g", "g", "0") "C f -\nB (c0|)\n";
    check_plan("EC", UNIT MAIN "B\n" FUNCTION("f", "s", "0") "C main -\nB c0\n", "");
    check_plan("EC", UNIT MAIN "B\n" FUNCTION("f", "s", "0") "C f -\nB (c0|)\n", "f ");
    check_plan("EC", dead, "f g ");              /* still no cycle without a check */
    check_plan("EC", UNIT MAIN "B\n" FUNCTION("f", "s", "0") "C main -\nB c0\n"
               "F h g 1 0000000000000000 n 0 x.c\nN census\n", "f ");
    check_plan("EC", UNIT MAIN "B\n" FUNCTION("f", "g", "0") "C main -\nB c0\n", "f ");
}

TEST(pointers_go_by_the_number_of_arguments) {
    /* f calls through a pointer with one argument; only a taken function of one
       parameter, of any number, or of a number not known can be f. */
    static const char one[] = UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "s", "1") "B (i1|)\nA f\n";
    static const char two[] = UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "s", "2") "B (i1|)\nA f\n";
    static const char any[] = UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "s", "*") "B (i1|)\nA f\n";
    check_plan("Q", one, "f ");
    check_plan("Q", two, "");
    check_plan("Q", any, "f ");
    check_plan("EC", two, "main f ");
}

TEST(pointers_go_by_type) {
#define TYPED(call, params, taken) \
    UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "s", params) "B (" call "|)\nA f" taken "\n"
    check_plan("Q", TYPED("i1<i,p:S>", "1<i,p:S>", ""), "f ");
    check_plan("Q", TYPED("i1<i,p:S>", "1<i,p:T>", ""), "");
    check_plan("Q", TYPED("i1<i,p:S>", "1<v,p:S>", ""), "");
    check_plan("Q", TYPED("i1<i,p:S>", "1<i,p>", ""), "f ");
    check_plan("Q", TYPED("i1<i,p:S>", "1<?,p:S>", ""), "f ");
    check_plan("Q", TYPED("i1<i,p:S>", "1<i>", ""), "f ");
    check_plan("Q", TYPED("i1<i,p:S>", "1", ""), "f ");
    check_plan("Q", TYPED("i1", "1<i,p:T>", ""), "f ");
    check_plan("Q", TYPED("i1<i,i>", "2<i,i,i>", ""), "");
    check_plan("Q", TYPED("i1<i,i>", "*<i,i>", ""), "f ");
    check_plan("Q", TYPED("i1<i,p:S>", "2<v,i,i>", " c"), "f ");
    check_plan("Q", TYPED("i1<i,p:S>", "2<v,i,i>", " 1<i,p>"), "f ");
    check_plan("Q", TYPED("i1<i,p:S>", "2<v,i,i>", " 0<v>"), "");
    check_plan("Q", TYPED("i2<v,i,i>", "2<v,i,i>", " 0<v>"), "f ");     /* cast back */
}

TEST(outside_functions_call_back) {
    /* A comparison that sorts, a comparison that compares strings, and one
       function of nobody. */
    static const char sorts[] = UNIT MAIN "C qsort p\nB c0\n" FUNCTION("cmp", "s", "2")
                                "C qsort p\nB (c0|)\nA cmp\n";
    static const char compares[] = UNIT MAIN "C qsort p\nB c0\n" FUNCTION("cmp", "s", "2")
                                   "C strcmp -\nB c0\nA cmp\n";
    static const char library[] = UNIT FUNCTION("api", "g", "1") "B i0\n" FUNCTION("pure", "g", "1")
                                  "B\n";
    check_plan("EC", sorts, "cmp ");            /* a leaf to equation 3: the repair adds it */
    check_plan("EC", compares, "");
    check_plan("Q", library, "api ");           /* the pointer's function may call api again */
}

TEST(a_taken_name_of_the_c_library_calls_nothing_back) {
    /* "index" is also what people call a variable. If it could call back, any
       pointer would lead to f through it, whatever f's parameters are; a
       function of nobody could. */
    static const char known[] = UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "s", "2")
                                "B (i1|)\nA f\nA index\nA gamma\nA significand\nA y0\nA fopen64\n";
    static const char unknown[] = UNIT MAIN "C f -\nB c0\n" FUNCTION("f", "s", "2")
                                  "B (i1|)\nA f\nA of_nobody\n";
    check_plan("Q", known, "");
    check_plan("Q", unknown, "f ");
    CHECK_EQ(graph_calls_back("_Exit"), 0);     /* the first and the last of the list */
    CHECK_EQ(graph_calls_back("yn"), 0);
    CHECK_EQ(graph_calls_back("ynl"), 0);
    CHECK_EQ(graph_calls_back("printf"), 0);
    CHECK_EQ(graph_calls_back("fprintf"), 0);
    CHECK_EQ(graph_calls_back("malloc"), 0);
    CHECK_EQ(graph_calls_back("memcpy"), 0);
    CHECK_EQ(graph_calls_back("exit"), 0);
    CHECK_EQ(graph_calls_back("qsort"), 1);
    CHECK_EQ(graph_calls_back("bsearch"), 1);
    CHECK_EQ(graph_calls_back("setcontext"), 1);
    CHECK_EQ(graph_calls_back(""), 1);
    CHECK_EQ(graph_calls_back("zzz"), 1);
}

/* Rule Q leaves a check where no other one stands around: main calls h, which
   calls g; f has a check, for it calls itself. */
TEST(loops_without_a_check_around) {
#define AROUND(loops, body, h) \
    UNIT MAIN "C f -\nC g -\nC h -\n" loops "B " body "\n" FUNCTION("f", "s", "0") \
    "C f -\nB (c0|)\n" FUNCTION("g", "s", "0") "B\n" FUNCTION("h", "s", "0") \
    "C g -\n" h "\n"
#define ROUNDS "L w 1 - 1 0 -\nB "
    /* A quiet loop, and one that passes f's check in each round. */
    check_plan("Q", AROUND("L w 1 - 1 0 -\n", "W0{;c1;}", "B -"), "main:0 f ");
    check_plan("Q", AROUND("L w 1 - 1 0 -\n", "W0{;c0c1;}", "B -"), "main:0 f ");
    check_plan("Q", AROUND("L w 1 - 1 0 -\n", "W0{;;}", "B -"), "f ");
    /* h's loop is quiet, too: main's own stands around it, or none does, or one
       of two ways to it has a check. */
    check_plan("Q", AROUND("L w 1 - 1 0 -\n", "W0{;c2c0;}", ROUNDS "W0{;c0;}"), "main:0 f ");
    check_plan("Q", AROUND("", "c2", ROUNDS "W0{;c0;}"), "f h:0 ");
    check_plan("Q", AROUND("", "c2", ROUNDS "W0{;;}"), "f ");
    check_plan("Q", AROUND("L w 1 - 1 0 -\n", "c2W0{;i0c2;}", ROUNDS "W0{;c0;}"), "main:0 f ");
    check_plan("EC+L4+always", AROUND("L w 1 - 1 0 -\n", "W0{;c0c1;}", "B -"), "main f ");
#undef ROUNDS
#undef AROUND
}

/* A loop's check stands for that of the entry, if each call of itself is behind
   it, and each of its rounds calls. */
TEST(loops_stand_for_entries) {
#define SELF(loops, body) \
    UNIT MAIN "C f -\nB c0c0\n" FUNCTION("f", "s", "0") "C f -\n" loops "B " body "\n"
#define ONE "L w 1 - 1 0 -\n"
    check_plan("Q", SELF(ONE, "W0{;c0;}"), "f ");
    asks_inside = 1;
    check_plan("Q", SELF(ONE, "W0{;c0;}"), "f:0 ");
    check_plan("Q", SELF(ONE, "W0{;c0c0;}"), "f:0 ");
    check_plan("Q", SELF(ONE, "(r|)W0{;(b|)c0;}"), "f:0 ");
    check_plan("Q", SELF("L d 1 - 1 0 -\n", "D0{c0;}"), "f:0 ");
    check_plan("Q", SELF(ONE, "W0{c0;;}"), "f ");               /* before the first round */
    check_plan("Q", SELF(ONE, "W0{;c0;}(c0|)"), "f ");
    check_plan("Q", SELF(ONE, "(c0|)W0{;c0;}"), "f ");
    check_plan("Q", SELF("", "(c0|)"), "f ");
    check_plan("EC+always", SELF(ONE, "W0{;c0;}"), "main f ");
    /* A loop that does not call in each round has its own check anyway. */
    check_plan("Q", SELF(ONE, "W0{;(c0|);}"), "f:0 ");
    /* As many loops as calls: nothing is gained. */
    check_plan("Q", UNIT MAIN "C f -\nL w 1 - 1 0 -\nB W0{;c0;}\n" FUNCTION("f", "s", "0")
               "C f -\nL w 1 - 1 0 -\nB W0{;c0;}\n", "main:0 f ");
    /* A way back through another function, before a check and behind it. */
#define TWO(f, g) \
    UNIT MAIN "C f -\nB c0c0\n" FUNCTION("f", "s", "0") "C f -\nC g -\n" ONE "B " f "\n" \
    FUNCTION("g", "s", "0") "C f -\nB " g "\n"
    check_plan("Q", TWO("W0{;c0c1;}", "c0"), "f:0 ");
    check_plan("Q", TWO("(c1|)W0{;c0;}", "c0"), "f ");
    check_plan("Q", TWO("(c1|)W0{;c0;}", ""), "f:0 ");
    asks_inside = 0;
#undef TWO
#undef ONE
#undef SELF
}

/* The walk never repeats itself without a check where the checker has nothing
   to say, also if a loop's check is missing. */
TEST(random_loops_stand_for_entries) {
    uint64_t seed, most = 2 * graphs_wanted();
    size_t inside = 0, found = 0, i;
    uint32_t v;
    asks_inside = 1;
    for (seed = 1; seed <= most && test_broken == 0; seed++) {
        made m;
        tried t;
        make_graph(&m, seed);
        if (m.count && is_read(try_text(&t, m.out.data, m.out.size, "Q", REPAIR_ALL))) {
            size_t here = 0;
            for (v = 0; v < t.g.node_count; v++) here += t.p.entry_why[v] == WHY_INSIDE;
            inside += here;
            CHECK_EQ(open_of(&t), 0);
            walk_all(&t, seed);
            for (i = 0; i < t.g.loop_count && here; i++) {
                if (!t.p.loop[i] || t.p.loop_why[i] == WHY_AROUND) continue;
                t.p.loop[i] = 0;
                place_proof_free(&t.proof);
                place_check(&t.proof, &t.g, t.p.entry, t.p.loop, &t.rules);
                if (open_of(&t)) found++;
                else walk_all(&t, seed);
                t.p.loop[i] = 1;
            }
            done(&t);
        }
        if (test_broken)
            fprintf(stderr, "seed %lu\n%.*s\n", (unsigned long)seed, (int)m.out.size, m.out.data);
        text_free(&m.out);
    }
    asks_inside = 0;
    CHECK(inside > 20);
    CHECK(found > 20);
}

TEST(loops_by_reason) {
#define IN_MAIN(loops, body) \
    UNIT MAIN "C f -\nC g -\nC strcmp -\n" loops "B " body "\n" FUNCTION("f", "s", "0") \
    "C f -\nB (c0|)\n" FUNCTION("g", "s", "0") "B\n"
    check_plan("EC+L4", IN_MAIN("L f 1 - 1 0 -\n", "W0{;;}"), "main f ");
    check_plan("EC+L4", IN_MAIN("L f 1 - 4 0 -\n", "W0{;;}"), "main f "); /* 4 are not above 4 */
    check_plan("EC+L4", IN_MAIN("L f 1 - 5 0 -\n", "W0{;;}"), "main main:0 f ");
    check_plan("EC+L0", IN_MAIN("L f 1 - 0 0 -\n", "W0{;;}"), "main main:0 f ");
    check_plan("EC+L1", IN_MAIN("L f 1 - 1 0 -\n", "W0{;;}"), "main f "); /* it is one itself */
    check_plan("EC+L1", IN_MAIN("L f 1 - 2 0 -\nL f 2 0 1 0 -\n", "W0{;W1{;;};}"),
               "main main:0 f ");
    check_plan("EC", IN_MAIN("L f 1 - 1 0 -\n", "W0{;;}"), "main main:0 f ");
    check_plan("LN", IN_MAIN("", ""), "main f g ");
    check_plan("EC+L4", IN_MAIN("L f 1 - 1 0 -\n", "W0{;c2;}"), "main main:0 f ");
    check_plan("EC+L4", IN_MAIN("L f 1 - 1 9 -\n", "W0{;c1;}"), "main main:0 f ");
    check_plan("EC+L4+bounded", IN_MAIN("L f 1 - 1 9 -\n", "W0{;c1;}"), "main f ");
    /* f has a check, g has none. */
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;c0;}"), "main f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;c1;}"), "main main:0 f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;(k|)c0;}"), "main main:0 f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;(k|)c1;c0}"), "main f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;(b|)(r|)c0;}"), "main f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{c0;c1;}"), "main f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;(c0|c1);}"), "main main:0 f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;(c0|c1c0);}"), "main f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;S{c0b}c1;}"), "main main:0 f ");
    check_plan("EC+L4+always", IN_MAIN("L d 1 - 1 0 -\n", "D0{c1;c0}"), "main f ");
    check_plan("EC+L4+always", IN_MAIN("L d 1 - 1 0 -\n", "D0{{(b|)c0};}"), "main main:0 f ");
    /* An inner do loop's check serves the outer one; that of a while loop may
       not run. */
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 2 0 -\nL d 2 0 1 0 -\n", "W0{;D1{c1;};}"),
               "main main:1 f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 2 0 -\nL w 2 0 1 0 -\n", "W0{;W1{;c1;};}"),
               "main main:0 main:1 f ");
    /* A goto back is a loop; one that always calls f needs no check. */
    check_plan("EC+L4+always", IN_MAIN("L g 1 - 1 0 -\n", "l0G0c1(g0|)"), "main main:0 f ");
    check_plan("EC+L4+always", IN_MAIN("L g 1 - 1 0 -\n", "l0G0c0(g0|)"), "main f ");
    check_plan("EC+L4+always", IN_MAIN("L g 1 - 1 0 -\n", "l0G0(g1|)c0l1c1(g0|)"),
               "main main:0 f ");
    /* Rule Q: g calls nothing, f recurses, strcmp is known. */
    check_plan("Q", IN_MAIN("L w 1 - 1 0 -\n", "W0{;c2;}"), "f ");
    check_plan("Q", IN_MAIN("L w 1 - 1 0 -\n", "W0{;c1c2;}"), "main:0 f ");
    check_plan("EC+L4+always", IN_MAIN("L w 1 - 1 0 -\n", "W0{;c0c1;}"), "main f ");
    check_plan("Q", IN_MAIN("L w 1 - 1 0 -\n", "W0{;(c0|);}"), "main:0 f ");
    check_plan("Q", IN_MAIN("L w 1 - 1 0 -\n", "W0{;i0;}"), "main:0 f ");
}

TEST(what_is_left_alone_is_not_believed) {
    /* x may call anything and cannot have a check, so what it recurses with
       gets one. */
    static const char alone[] = UNIT MAIN "C x -\nB c0\n"
                                "F x s 1 0000000000000000 n 0 x.c\nN nested-function\n"
                                FUNCTION("f", "g", "0") "C x -\nB c0\n";
    tried t;
    check_plan("Q", alone, "main f ");
    CHECK_EQ(try_text(&t, alone, sizeof alone - 1, "Q", REPAIR_ALL), 0);
    CHECK_EQ(t.proof.left_alone, 1);
    CHECK_EQ(t.proof.left_alone_cycles, 1);
    done(&t);
}

TEST(jumps_without_a_place_for_a_check_are_named) {
    /* A goto *p to the label before it; a switch whose cases lie in a loop,
       which is fine. */
    static const char computed[] = UNIT MAIN "C f -\nB l0c0x\n" FUNCTION("f", "s", "0") "B -\n";
    static const char duff[] = UNIT MAIN "C f -\nL d 1 - 1 0 -\nB S{D0{c0c0;}}\n"
                               FUNCTION("f", "s", "0") "B -\n";
    tried t;
    CHECK_EQ(try_text(&t, computed, sizeof computed - 1, "all", REPAIR_ALL), 0);
    CHECK_EQ(t.proof.open_gotos, 0);            /* f has a check */
    done(&t);
    CHECK_EQ(try_text(&t, computed, sizeof computed - 1, "EC+L4", REPAIR_ALL), 0);
    CHECK_EQ(t.proof.open_gotos, 1);
    CHECK_EQ(t.proof.open_goto[0], 1);
    done(&t);
    check_plan("EC+L4", duff, "main main:0 ");
}

/* The labels of an interpreter: each has a place for a check, and none may be
   left out, be the loop ever so small; a label that only gotos ahead lead to
   needs none. */
TEST(computed_gotos_lead_to_labels_whose_address_is_taken) {
    static const char three[] = UNIT MAIN "L g 1 - 1 0 -\nL g 2 - 1 0 -\n"
                                "B (g2|)l0G0xl1G1xm2\n";
    static const char two[] = UNIT MAIN "L g 1 - 1 0 -\nB (g1|)l0G0xl1x\n";
    static const char called[] = UNIT MAIN "C f -\nL g 1 - 1 0 -\nB l0G0c0x\n"
                                 FUNCTION("f", "s", "0") "C f -\nB c0\n";
    tried t;
    check_plan("Q", three, "main:0 main:1 ");
    check_plan("EC+L4", three, "main:0 main:1 ");
    check_plan("EC+L4+always", called, "main f ");
    CHECK_EQ(try_text(&t, two, sizeof two - 1, "Q", REPAIR_ALL), 0);
    CHECK_EQ(t.proof.open_gotos, 1);            /* l1 has no place for a check */
    done(&t);
}

TEST(sets_that_are_none) {
    static const char *const bad[] = {"", "E", "L", "Lx", "EC+", "+EC", "L99999", "Q4",
                                      "EC,L4", "EC+EL", "L4+L10", "Q+EC", "all+EC",
                                      "LN+bounded", "always+always"};
    place_rules rules;
    size_t i;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_EQ(place_set(&rules, bad[i]), -1);
}

/* ---- files under damage -------------------------------------------------------------------- */

static const char sample[] =
    UNIT "F leaf s 1 1234567890abcdef - 1<i,i> x.c\nB r\n"
    "F walk g 2 fedcba0987654321 c 2<v,p:S,pF> x.c\nC leaf -\nC walk p\nL f 4 - 1 8 -\n"
    "L w 5 - 1 0 c\n"
    "L g 6 1 1 0 -\nB W0{;c0;}W1{;(k|)l0G2i1<?,p>(c1|)(g0|)S{c0b};{b}}x\n"
    "F alone g 9 0000000000000000 n * x.c\nN census\nA walk\nA leaf c\nA walk 1<v,p:T>\n";

/* Reads, and whatever is read is planned and shown. */
static int survives(const unsigned char *data, size_t size) {
    place_rules rules;
    placement p;
    place_proof proof;
    graph g;
    text out = {NULL, 0, 0};
    unsigned char *exact = (unsigned char *)tool_alloc(size + 1);   /* no byte behind the end */
    int status;
    exact = (unsigned char *)tool_grow(exact, size ? size : 1);
    memcpy(exact, data, size);
    memset(&g, 0, sizeof g);
    status = graph_take(&g, "damaged", exact, size, 0);
    if (status == TOOL_OK) {
        graph_join(&g);
        place_set(&rules, "Q");
        place_choose(&p, &g, &rules);
        place_check(&proof, &g, p.entry, p.loop, &rules);
        plan_write(&g, &p, &out);
        show_list(&g, &p, &out);
        show_dot(&g, &p, &out);
        place_proof_free(&proof);
        place_free(&p);
    }
    text_free(&out);
    graph_free(&g);
    free(exact);
    return status == TOOL_OK;
}

/* Every truncation, and in every byte a flipped bit. Returns how many were read
   all the same. */
static size_t damage(unsigned char *data, size_t size, size_t step) {
    size_t i, read = 0;
    uint64_t seed = size;
    for (i = 0; i < size; i += step) read += (size_t)survives(data, i);
    for (i = 0; i < size; i++) {
        unsigned char bit = (unsigned char)(1u << (test_random(&seed) & 7));
        data[i] ^= bit;
        read += (size_t)survives(data, size);
        data[i] ^= bit;
    }
    return read;
}

/* An ELF file with the sample in .bursty.cg. Its sections: none, the names, the
   graph. */
static size_t make_elf(unsigned char *out, int is_64, int is_big, unsigned type) {
    static const char names[] = "\0.names\0.bursty.cg";
    size_t head = is_64 ? 64 : 52, section = is_64 ? 64 : 40, word = is_64 ? 8 : 4;
    size_t graph_at = head, names_at = head + sizeof sample - 1, table = names_at + sizeof names;
    size_t size = table + 3 * section, i, k;
    struct { size_t at, bytes, value; } fields[40];
    size_t n = 0;
#define FIELD(where, wide, what) \
    (fields[n].at = (where), fields[n].bytes = (wide), fields[n].value = (what), n++)
    memset(out, 0, size);
    memcpy(out, "\177ELF", 4);
    out[4] = is_64 ? 2 : 1;
    out[5] = is_big ? 2 : 1;
    memcpy(out + graph_at, sample, sizeof sample - 1);
    memcpy(out + names_at, names, sizeof names);
    FIELD(16, 2, type);
    FIELD(is_64 ? 40u : 32u, word, table);
    FIELD(is_64 ? 58u : 46u, 2, section);
    FIELD(is_64 ? 60u : 48u, 2, 3);
    FIELD(is_64 ? 62u : 50u, 2, 1);
    for (i = 1; i < 3; i++) {
        size_t at = table + i * section;
        FIELD(at, 4, i == 1 ? 1 : 8);
        FIELD(at + 4, 4, i == 1 ? 3 : 1);
        FIELD(at + 8 + 2 * word, word, i == 1 ? names_at : graph_at);
        FIELD(at + 8 + 3 * word, word, i == 1 ? sizeof names : sizeof sample - 1);
    }
    for (i = 0; i < n; i++) {
        for (k = 0; k < fields[i].bytes; k++) {
            size_t shift = 8 * (is_big ? fields[i].bytes - 1 - k : k);
            out[fields[i].at + k] = (unsigned char)((uint64_t)fields[i].value >> shift);
        }
    }
    return size;
}

static void quiet_stderr(int off) {
    if (off) fflush(stderr);
    if (off && !freopen("/dev/null", "w", stderr)) SKIP("no /dev/null");
}

TEST(elf_files) {
    static unsigned char out[4096];
    int shape;
    for (shape = 0; shape < 4; shape++) {
        size_t size = make_elf(out, shape & 1, shape >> 1, 1);
        graph g;
        memset(&g, 0, sizeof g);
        CHECK_EQ(graph_take(&g, "elf", out, size, 0), TOOL_OK);
        CHECK_EQ(g.function_count, 3);
        CHECK_EQ(g.loop_count, 3);
        CHECK_EQ(g.is_linked, 0);
        graph_free(&g);
    }
}

TEST(archives) {
    static unsigned char out[8192], elf[4096];
    size_t size = make_elf(elf, 1, 0, 1), at = 8, i;
    graph g;
    memcpy(out, "!<arch>\n", 8);
    for (i = 0; i < 3; i++) {
        char head[128];
        static const char *const names[] = {"//", "/0", "short.o/"};
        size_t bytes = i ? size : 18;
        snprintf(head, sizeof head, "%-16s%-12s%-6s%-6s%-8s%-10lu`\n", names[i], "0", "0", "0",
                 "644", (unsigned long)bytes);
        memcpy(out + at, head, 60);
        if (i) memcpy(out + at + 60, elf, size);
        else memcpy(out + at + 60, "a_very_long_name/\n", 18);
        at += 60 + bytes + (bytes & 1);
    }
    memset(&g, 0, sizeof g);
    CHECK_EQ(graph_take(&g, "archive", out, at, 0), TOOL_OK);
    CHECK_EQ(g.unit_count, 2);
    CHECK_EQ(g.function_count, 6);
    graph_join(&g);
    CHECK_EQ(g.node_count, 4);                  /* leaf is static in both units */
    graph_free(&g);
    quiet_stderr(1);
    CHECK(damage(out, at, 7) > 0);
}

TEST(damaged_files) {
    static unsigned char out[4096];
    int shape;
    quiet_stderr(1);
    memcpy(out, sample, sizeof sample - 1);
    CHECK(survives(out, sizeof sample - 1));
    CHECK(damage(out, sizeof sample - 1, 1) > 0);
    for (shape = 0; shape < 4; shape++) {
        size_t size = make_elf(out, shape & 1, shape >> 1, 2);
        CHECK(survives(out, size));
        CHECK(damage(out, size, 5) > 0);
    }
}
