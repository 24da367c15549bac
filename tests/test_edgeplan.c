/* test_edgeplan.c - the planner of edgeprof.h and what it derives: random
   graphs whose every edge and block was counted by walking through them, all
   spanning trees of small graphs, the worked example of the design, and graphs
   that are refused. */
#include "test.h"
#include "edges.inc"

static random_graph graph;
static true_counts truth;
static uint64_t memory[(44u * (MOST_EDGES + MOST_VERTICES) + 96u * MOST_VERTICES) / 8];
static uint64_t derived[MOST_EDGES + MOST_VERTICES + 1], balance[MOST_VERTICES],
    blocks[MOST_VERTICES];
static uint64_t solve_memory[2 * MOST_VERTICES];
static edgeplan plan;

static int open_plan(int add_stays) {
    edgeplan_graph g = {0, 0, 0, 0, 0, 0, NULL};
    uint32_t e;
    g.vertices = graph.vertices;
    g.edges = graph.edges;
    g.root = graph.root;
    g.exit = graph.exit;
    g.add_stays = (uint32_t)add_stays;
    g.ends = graph.ends;
    if (edgeplan_init(&plan, memory, sizeof memory, &g) != plan.edges) return -1;
    if (plan.edges == 0) return -1;
    /* What ended at a vertex with a stay edge took that edge. */
    for (e = graph.edges; e < plan.edges; e++) {
        uint32_t v = plan.ends[2 * e];
        truth.edge[e] = truth.early[v];
        truth.early[v] = 0;
    }
    truth.edge[plan.edges] = truth.entries;
    return 0;
}

/* The edges without a counter hold no cycle: by taking leaves away, not by
   union and find. */
static int is_forest(void) {
    static uint8_t gone[MOST_EDGES + MOST_VERTICES + 1];
    static uint32_t degree[MOST_VERTICES];
    uint32_t e, left = 0;
    int changed = 1;
    memset(degree, 0, sizeof degree);
    for (e = 0; e <= plan.edges; e++) {
        gone[e] = plan.plan[e] != EDGEPLAN_NONE;
        if (gone[e]) continue;
        left++;
        degree[plan.ends[2 * e]]++;
        degree[plan.ends[2 * e + 1]]++;
    }
    while (changed) {
        changed = 0;
        for (e = 0; e <= plan.edges; e++) {
            uint32_t a = plan.ends[2 * e], b = plan.ends[2 * e + 1];
            if (gone[e] || a == b || (degree[a] != 1 && degree[b] != 1)) continue;
            gone[e] = 1;
            changed = 1;
            left--;
            degree[a]--;
            degree[b]--;
        }
    }
    return left == 0;
}

static void start_balance(uint64_t *at, const uint32_t *after, const uint32_t *of) {
    uint32_t v;
    memset(at, 0, graph.vertices * sizeof *at);
    for (v = 0; v < graph.vertices; v++) {
        at[of ? of[v] : v] += truth.reentry[v];
        at[of ? after[v] : v] -= truth.early[v];
        at[of ? of[graph.exit] : graph.exit] += truth.early[v] - truth.reentry[v];
    }
}

/* Hides, derives modulo 2^bits, and compares; with blocks_only edges may be
   wrong. */
static int is_exact(uint32_t bits, int blocks_only) {
    uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    uint32_t e, v;
    for (e = 0; e <= plan.edges; e++)
        derived[e] = plan.plan[e] == EDGEPLAN_COUNTED ? truth.edge[e] & mask : 0;
    start_balance(balance, NULL, NULL);
    if (edgeprof_solve(plan.ends, graph.vertices, plan.edges + 1, plan.plan, derived, balance, bits,
                       solve_memory, sizeof solve_memory) != 0)
        return 0;
    for (v = 0; v < graph.vertices; v++) blocks[v] = truth.reentry[v];
    for (e = 0; e <= plan.edges; e++) {
        if (!blocks_only && derived[e] != (truth.edge[e] & mask)) return 0;
        blocks[plan.ends[2 * e + 1]] += derived[e];
    }
    for (v = 0; v < graph.vertices; v++)
        if (v != graph.exit && ((blocks[v] - truth.block[v]) & mask) != 0) return 0;
    return 1;
}

static int vertices_are_exact(void) {
    static uint32_t ends[2 * MOST_VERTICES];
    uint32_t v;
    for (v = 0; v < graph.vertices; v++) {
        uint64_t count = v == graph.exit ? truth.entries : truth.block[v];
        ends[2 * v] = plan.class_of[v];
        ends[2 * v + 1] = plan.class_after[v];
        derived[v] = plan.plan[v] ? count : 0;
    }
    start_balance(balance, plan.class_after, plan.class_of);
    if (edgeprof_solve(ends, plan.classes, graph.vertices, plan.plan, derived, balance, 64,
                       solve_memory, sizeof solve_memory))
        return 0;
    for (v = 0; v < graph.vertices; v++)
        if (derived[v] != (v == graph.exit ? truth.entries : truth.block[v])) return 0;
    return 1;
}

static uint32_t dropped;

static void check_graph(uint64_t *seed, uint32_t vertices, int is_endless, uint32_t walks,
                        uint32_t steps) {
    static const uint64_t times[] = {1, 1, 40000, UINT64_C(3000000000),
                                     UINT64_C(0x1000000000000001)};
    edgeplan_order by_count = {NULL, 0, NULL}, least = {NULL, 1, NULL};
    make_graph(&graph, seed, vertices, is_endless);
    list_out_edges(&graph);
    walk(&graph, &truth, seed, walks, steps, times[below(seed, 5)]);
    if (!CHECK(open_plan(is_endless) == 0)) return;
    if (!is_endless) CHECK_EQ(plan.stays, 0);
    edgeplan_weigh(&plan, NULL);
    edgeplan_edges(&plan, NULL);
    CHECK_EQ(plan.counters, plan.edges - plan.vertices + 2);
    CHECK(is_forest());
    CHECK(is_exact(64, 0));
    CHECK(is_exact(32, 0));
    CHECK(is_exact(16, 0));
    edgeplan_drop(&plan, NULL);
    dropped += plan.edges - plan.vertices + 2 - plan.counters;
    CHECK(is_exact(64, 1));
    by_count.count = truth.edge;
    edgeplan_edges(&plan, &by_count);
    CHECK_EQ(plan.counters, plan.edges - plan.vertices + 2);
    CHECK(is_exact(64, 0));
    edgeplan_edges(&plan, &least);
    CHECK(is_exact(64, 0));
    edgeplan_vertices(&plan, NULL);
    CHECK_EQ(plan.counters, plan.vertices - plan.classes + 1);
    CHECK(vertices_are_exact());
}

TEST(random_graphs_with_a_way_out) {
    uint64_t seed = 1;
    uint32_t i;
    for (i = 0; i < 3000 / TEST_SCALE; i++)
        check_graph(&seed, 2 + below(&seed, 40), 0, 1 + below(&seed, 9), 60);
    CHECK(dropped > 100 / TEST_SCALE); /* the heuristic of Vprof(Ecnt) had something to do */
}

TEST(random_graphs_with_endless_loops) {
    uint64_t seed = 2;
    uint32_t i;
    for (i = 0; i < 3000 / TEST_SCALE; i++)
        check_graph(&seed, 2 + below(&seed, 12), 1, 1 + below(&seed, 9), 60);
}

TEST(ten_thousand_blocks) {
    uint64_t seed = 3;
    check_graph(&seed, 10000, 0, 50, 20000);
    check_graph(&seed, 10000, 1, 50, 20000);
}

TEST(a_thousand_nested_loops) {
    static const double most = 1e300; /* the bare constant has more digits on some machines */
    uint32_t v;
    graph.vertices = 2001;
    graph.edges = 0;
    graph.root = 0;
    graph.exit = 2000;
    for (v = 0; v < 2000; v++) add_edge(&graph, v, v + 1);
    for (v = 0; v < 1000; v++) add_edge(&graph, 1999 - v, v);
    list_out_edges(&graph);
    memset(&truth, 0, sizeof truth);
    CHECK_EQ(open_plan(0), 0);
    edgeplan_weigh(&plan, NULL);
    for (v = 0; v < plan.edges; v++) CHECK(plan.weight[v] >= 0 && plan.weight[v] <= most);
    edgeplan_edges(&plan, NULL);
    CHECK(is_forest());
}

/* ---- the best tree, against all trees ---- */

static double best_without_counters(int exact) {
    uint32_t all = graph.edges, subset, e;
    double best = -1;
    for (subset = 0; subset < (uint32_t)1 << all; subset++) {
        double sum = 0;
        for (e = 0; e < all; e++) {
            plan.plan[e] = subset >> e & 1 ? EDGEPLAN_NONE : EDGEPLAN_COUNTED;
            if (subset >> e & 1) sum += exact ? (double)truth.edge[e] : plan.weight[e];
        }
        if (sum > best && is_forest()) best = sum;
    }
    return best;
}

TEST(no_tree_is_better) {
    uint64_t seed = 4;
    uint32_t i, e;
    int exact;
    for (i = 0; i < 400 / TEST_SCALE; i++)
        for (exact = 0; exact < 2; exact++) {
            edgeplan_order order = {NULL, 0, NULL};
            double sum = 0, best;
            do make_graph(&graph, &seed, 2 + below(&seed, 5), 0);
            while (graph.edges > 10);
            list_out_edges(&graph);
            walk(&graph, &truth, &seed, 5, 50, 1);
            CHECK_EQ(open_plan(0), 0);
            edgeplan_weigh(&plan, NULL);
            order.count = exact ? truth.edge : NULL;
            edgeplan_edges(&plan, &order);
            for (e = 0; e < plan.edges; e++)
                if (plan.plan[e] == EDGEPLAN_NONE)
                    sum += exact ? (double)truth.edge[e] : plan.weight[e];
            best = best_without_counters(exact);
            CHECK(sum > best - 1e-6 * best - 1e-9 && sum < best + 1e-6 * best + 1e-9);
        }
}

/* ---- a function worked out by hand ---- */

/* r; loop h { b: if .. t else f: if .. return early through q; j }; d. t may be
   left by longjmp. */
enum { R, H, B, T, F, J, D, Q, X, VERTICES };
static const uint32_t example[] = {R, H, H, B, H, D, B, T, B, F, T,
                                   J, F, J, F, Q, J, H, D, X, Q, X};

static void open_example(void) {
    edgeplan_graph g = {VERTICES, 11, R, X, 0, 0, NULL};
    g.ends = example;
    CHECK_EQ(edgeplan_init(&plan, memory, sizeof memory, &g), g.edges);
    edgeplan_weigh(&plan, NULL);
}

TEST(worked_example) {
    static const double weight[] = {1, 9.5, .5, 4.75, 4.75, 4.75, 4.25, .5, 9, .5, .5};
    static const uint8_t counted[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0};
    static const uint64_t known[] = {3, 1, 1, 1}, edges[] = {3, 6, 1, 4, 2, 3, 1, 1, 4, 1, 1, 3};
    static const uint8_t call_blocks[VERTICES] = {0, 0, 0, 1, 0, 0, 0, 0, 0},
                         witness[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0};
    static const uint8_t in_vertices[] = {0, 0, 0, 1, 1, 0, 1, 1, 0};
    uint64_t count[12], around[VERTICES] = {0};
    uint32_t e, slot = 0;
    open_example();
    for (e = 0; e < 11; e++)
        CHECK(plan.weight[e] > weight[e] - 1e-9 && plan.weight[e] < weight[e] + 1e-9);
    edgeplan_edges(&plan, NULL);
    for (e = 0; e < 12; e++) {
        CHECK_EQ(plan.plan[e], counted[e]);
        count[e] = counted[e] ? known[slot++] : 0;
    }
    around[T] -= 1; /* one activation of three was left in t by longjmp */
    around[X] += 1;
    CHECK_EQ(edgeprof_solve(plan.ends, VERTICES, 12, plan.plan, count, around, 32, solve_memory,
                            sizeof solve_memory),
             0);
    for (e = 0; e < 12; e++) CHECK_EQ(count[e], edges[e]);
    edgeplan_drop(&plan, NULL);
    CHECK_EQ(plan.counters, 4); /* all cycles are piped */
    edgeplan_vertices(&plan, NULL);
    CHECK_EQ(plan.classes, 6);
    for (e = 0; e < VERTICES; e++) CHECK_EQ(plan.plan[e], in_vertices[e]);
    edgeplan_witnesses(&plan, call_blocks, NULL);
    for (e = 0; e < 11; e++) CHECK_EQ(plan.plan[e], witness[e]);
    edgeplan_marks(&plan);
    CHECK_EQ(plan.counters, 7); /* the entry, and two ways out of h, b and f */
}

TEST(a_pipe_free_cycle_needs_no_counter) {
    static const uint32_t ends[] = {0, 1, 0, 2, 1, 3, 1, 4, 2, 3, 2, 4, 3, 5, 4, 5};
    static const uint64_t count[] = {1, 1, 9, 9, 9, 9, 1, 1};
    edgeplan_graph g = {6, 8, 0, 5, 0, 0, ends};
    edgeplan_order order = {NULL, 0, NULL};
    order.count = count;
    CHECK_EQ(edgeplan_init(&plan, memory, sizeof memory, &g), g.edges);
    edgeplan_weigh(&plan, NULL);
    edgeplan_edges(&plan, &order);
    CHECK_EQ(plan.counters, 4);
    edgeplan_drop(&plan, &order);
    CHECK_EQ(plan.counters, 3);
}

TEST(branch_probabilities_replace_equal_shares) {
    static const uint32_t ends[] = {0, 1, 0, 2, 1, 3, 2, 3};
    static const double probability[] = {.9, .1, 1, 1};
    edgeplan_graph g = {4, 4, 0, 3, 0, 0, ends};
    CHECK_EQ(edgeplan_init(&plan, memory, sizeof memory, &g), g.edges);
    edgeplan_weigh(&plan, probability);
    CHECK(plan.weight[0] > .89 && plan.weight[0] < .91 && plan.weight[1] > .09 &&
          plan.weight[1] < .11);
}

/* ---- refusals ---- */

static uint32_t refusal(const edgeplan_graph *g) {
    return edgeplan_init(&plan, memory, sizeof memory, g) ? 0 : plan.reason;
}

TEST(graphs_that_break_the_rules) {
    static const uint32_t fine[] = {0, 1, 1, 2}, out_of_range[] = {0, 1, 1, 3},
                          from_exit[] = {0, 1, 1, 2, 2, 0};
    static const uint32_t unreached[] = {0, 2, 1, 2}, endless[] = {0, 1, 1, 1, 0, 2},
                          stay_twice[] = {0, 1, 1, 2, 1, 2, 1, 2};
    edgeplan_graph g = {3, 2, 0, 2, 0, 0, fine};
    uint8_t mark[3];
    CHECK_EQ(refusal(&g), 0);
    CHECK_EQ(edgeplan_init(&plan, memory, edgeplan_bytes(3, 2) - 1, &g), 0);
    CHECK_EQ(plan.reason, EDGEPLAN_NO_MEMORY);
    g.ends = out_of_range;
    CHECK_EQ(refusal(&g), EDGEPLAN_NO_VERTEX);
    CHECK_EQ(plan.at, 1);
    CHECK_EQ(edgeplan_unreached(&g, mark, memory, sizeof memory), -1);
    g.ends = unreached;
    CHECK_EQ(refusal(&g), EDGEPLAN_UNREACHED);
    CHECK_EQ(plan.at, 1);
    CHECK_EQ(edgeplan_unreached(&g, mark, memory, sizeof memory), 1);
    CHECK(!mark[0] && mark[1] && !mark[2]);
    g.edges = 3;
    g.ends = from_exit;
    CHECK_EQ(refusal(&g), EDGEPLAN_EXIT_LEFT);
    g.ends = endless;
    CHECK_EQ(refusal(&g), EDGEPLAN_ENDLESS);
    CHECK_EQ(plan.at, 1);
    g.add_stays = 1;
    CHECK_EQ(refusal(&g), 0);
    CHECK_EQ(plan.stays, 1);
    g.edges = 4;
    g.stays = 2;
    g.ends = stay_twice;
    CHECK_EQ(refusal(&g), EDGEPLAN_BAD_STAY);
    g.exit = 0;
    CHECK_EQ(refusal(&g), EDGEPLAN_NO_VERTEX);
    g.exit = 9;
    CHECK_EQ(refusal(&g), EDGEPLAN_NO_VERTEX);
}

TEST(a_function_that_only_loops_counts_its_entries) {
    static const uint32_t ends[] = {0, 0};
    edgeplan_graph g = {2, 1, 0, 1, 0, 1, ends};
    CHECK_EQ(refusal(&g), 0);
    edgeplan_edges(&plan, NULL);
    CHECK_EQ(plan.counters, 2); /* the loop and, as the stay edge is on the tree, the entry */
    CHECK_EQ(plan.plan[plan.edges], EDGEPLAN_COUNTED);
}

TEST(counters_that_are_no_plan_are_refused) {
    static const uint32_t ends[] = {0, 1, 0, 1, 1, 0}, loop[] = {0, 0};
    uint8_t known[3] = {0, 0, 1};
    uint64_t count[3] = {0, 0, 5}, around[2] = {0, 0};
    CHECK_EQ(
        edgeprof_solve(ends, 2, 3, known, count, around, 32, solve_memory, sizeof solve_memory),
        -1);
    CHECK_EQ(
        edgeprof_solve(loop, 1, 1, known, count, around, 32, solve_memory, sizeof solve_memory),
        -1);
    known[0] = 1;
    around[0] = around[1] = 0;
    CHECK_EQ(edgeprof_solve(ends, 2, 3, known, count, around, 32, solve_memory, 1), -1);
    CHECK_EQ(
        edgeprof_solve(ends, 2, 3, known, count, around, 32, solve_memory, sizeof solve_memory), 0);
    CHECK_EQ(count[1], 5);
}

TEST(the_same_graph_gives_the_same_plan) {
    static uint8_t first[MOST_EDGES];
    uint64_t seed = 5;
    make_graph(&graph, &seed, 300, 0);
    CHECK_EQ(open_plan(0), 0);
    edgeplan_weigh(&plan, NULL);
    edgeplan_edges(&plan, NULL);
    memcpy(first, plan.plan, plan.edges);
    memset(memory, 0xA5, sizeof memory);
    CHECK_EQ(open_plan(0), 0);
    edgeplan_weigh(&plan, NULL);
    edgeplan_edges(&plan, NULL);
    CHECK_EQ(memcmp(first, plan.plan, plan.edges), 0);
}

/* An edge that cannot be counted stays without a counter where another place
   will do: X comes behind it, for the entry always has one. 0 -> 1 -> 2 EXIT,
   both uncountable: X closes the cycle. */
TEST(edges_that_cannot_be_counted_come_before_x) {
    static const uint32_t ends[] = {0, 1, 1, 2};
    static const uint8_t none[] = {1, 1, 0};
    edgeplan_graph g = {3, 2, 0, 2, 0, 0, NULL};
    edgeplan_order order = {NULL, 0, NULL};
    g.ends = ends;
    CHECK_EQ(edgeplan_init(&plan, memory, sizeof memory, &g), 2);
    edgeplan_weigh(&plan, NULL);
    edgeplan_edges(&plan, &order);
    CHECK_EQ(plan.plan[2], EDGEPLAN_NONE);
    order.uncountable = none;
    edgeplan_edges(&plan, &order);
    CHECK_EQ(plan.plan[0], EDGEPLAN_NONE);
    CHECK_EQ(plan.plan[1], EDGEPLAN_NONE);
    CHECK_EQ(plan.plan[2], EDGEPLAN_COUNTED);
}

/* More came back behind a vertex than ended there: early is below 0, with 64
   bits too. */
TEST(early_ends_are_signed) {
    static const edgeprof_index ends[] = {0, 1, 1, 2, 2, 0};
    static const uint8_t counted[] = {0, 0};
    static uint32_t early[3] = {0, UINT32_MAX, 0};
    static uint64_t entries[1] = {5};
    edgeprof_function f;
    uint64_t count[3] = {0, 0, 0}, block[3];
    memset(&f, 0, sizeof f);
    f.ends = ends;
    f.plan = counted;
    f.counters = entries;
    f.early = early;
    f.vertices = 3;
    f.edges = 2;
    f.slots = 1;
    f.bits = 64;
    f.counts_entry = 1;
    CHECK_EQ(edgeprof_counts(&f, count, block, memory, sizeof memory), 0);
    CHECK_EQ(count[0], 5);
    CHECK_EQ(count[1], 6);
    CHECK_EQ(block[1], 5);
    early[1] = 2;
    CHECK_EQ(edgeprof_counts(&f, count, block, memory, sizeof memory), 0);
    CHECK_EQ(count[1], 3);
}
