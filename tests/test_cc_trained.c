/* test_cc_trained.c - a run's counts as weights of a plan: of the right
   functions, and what a plan makes of them. */
#define EDGEPROF_WIDE
#include "edgeprof.h"
#include "test.h"
#include "base/dump.h"
#include "base/save.h"
#include "cc/put/trained.h"

/* A branch: 97 of 100 went over 1. Counted are the edge 0 -> 1 and X. */
#define TABLE(key_, name_, bits_, to_) \
    1, key_, 2, 3, 4, 5, 6, 7, 8, 1, name_, 3, 'a', '.', 'c', bits_, 0, 0, 5, 5, 0, 1, \
        1, 10, 1, 11, 1, 12, 1, 13, 0, 1, 1, 0, 2, 2, 3, 4, to_, 6, 4
#define COUNTS(key_, bits_, then_, all_) 2, key_, 2, 3, 4, 5, 6, 7, 8, bits_, 2, then_, all_, 0

static const edgeprof_index ends[] = {0, 1, 0, 2, 1, 3, 2, 3, 3, 4, 4, 0};

static cc_trained *read_part(const unsigned char *bytes, size_t size) {
    text file = {NULL, 0, 0};
    dump_writer w;
    cc_trained *t;
    dump_begin(&w, &file, 4);
    dump_put_bytes(&w, bytes, size);
    dump_end(&w);
    CHECK_EQ(text_save(&file, "test_cc_trained.brst", NULL, 0, 1), 0);
    text_free(&file);
    t = cc_trained_read("test_cc_trained.brst");
    remove("test_cc_trained.brst");
    return t;
}

static void make_plan(edgeplan *p, uint64_t *memory, size_t bytes) {
    edgeplan_graph g;
    memset(&g, 0, sizeof g);
    g.vertices = g.edges = 5;
    g.exit = 4;
    g.add_stays = 1;
    g.ends = ends;
    CHECK(edgeplan_init(p, memory, bytes, &g) != 0);
    edgeplan_weigh(p, NULL);
}

static double updates(const edgeplan *p, const double *count) {
    double sum = 0;
    uint32_t e;
    for (e = 0; e <= p->edges; e++) sum += p->plan[e] == EDGEPLAN_COUNTED ? count[e] : 0;
    return sum;
}

static uint64_t memory[1000];

TEST(weights_are_what_ran) {
    static const unsigned char part[] = {TABLE(1, 'f', 32, 3), COUNTS(1, 32, 97, 100),
                                         TABLE(9, 'g', 32, 3), COUNTS(9, 32, 3, 100)};
    static const double f[] = {97, 3, 97, 3, 100, 100}, g[] = {3, 97, 3, 97, 100, 100};
    cc_trained *t = read_part(part, sizeof part);
    edgeplan_order order = {NULL, 0, NULL};
    edgeplan p;
    int e;
    CHECK(t != NULL);
    make_plan(&p, memory, sizeof memory);
    CHECK_EQ(cc_trained_weigh(t, "f", "a.c", &p), 1);
    for (e = 0; e <= 5; e++) CHECK(p.weight[e] >= f[e] && p.weight[e] < f[e] + 1);
    edgeplan_edges(&p, &order);
    CHECK_EQ(updates(&p, f), 100); /* 3 on the rare side, 97 of the ring through X */
    make_plan(&p, memory, sizeof memory);
    CHECK_EQ(cc_trained_weigh(t, "g", "a.c", &p), 1);
    edgeplan_edges(&p, &order);
    CHECK_EQ(updates(&p, g), 100);
    cc_trained_free(t);
}

TEST(copies_of_a_function_are_added) {
    static const unsigned char part[] = {TABLE(1, 'f', 32, 3), COUNTS(1, 32, 97, 100),
                                         TABLE(9, 'f', 32, 3), COUNTS(9, 32, 3, 100)};
    cc_trained *t = read_part(part, sizeof part);
    edgeplan p;
    CHECK(t != NULL);
    make_plan(&p, memory, sizeof memory);
    CHECK_EQ(cc_trained_weigh(t, "f", "a.c", &p), 1);
    CHECK(p.weight[0] >= 100 && p.weight[0] < 101);
    CHECK(p.weight[5] >= 200 && p.weight[5] < 201);
    cc_trained_free(t);
}

static void is_left_alone(const unsigned char *part, size_t size, const char *name,
                          const char *file) {
    cc_trained *t = read_part(part, size);
    edgeplan p;
    double before[6];
    CHECK(t != NULL);
    if (!t) return;
    make_plan(&p, memory, sizeof memory);
    memcpy(before, p.weight, sizeof before);
    CHECK_EQ(cc_trained_weigh(t, name, file, &p), 0);
    CHECK(memcmp(before, p.weight, sizeof before) == 0);
    cc_trained_free(t);
}

TEST(other_functions_are_left_alone) {
    static const unsigned char same[] = {TABLE(1, 'f', 32, 3), COUNTS(1, 32, 97, 100)},
                               other[] = {TABLE(1, 'f', 32, 4), COUNTS(1, 32, 97, 100)},
                               marks[] = {TABLE(1, 'f', 8, 3), COUNTS(1, 8, 1, 1)},
                               uncounted[] = {TABLE(1, 'f', 32, 3), TABLE(9, 'h', 32, 3),
                                              COUNTS(9, 32, 1, 1)};
    is_left_alone(same, sizeof same, "g", "a.c");
    is_left_alone(same, sizeof same, "f", "b.c");
    is_left_alone(other, sizeof other, "f", "a.c");
    is_left_alone(marks, sizeof marks, "f", "a.c");
    is_left_alone(uncounted, sizeof uncounted, "f", "a.c");
}

TEST(tables_and_counts_are_wanted) {
    static const unsigned char table[] = {TABLE(1, 'f', 32, 3)},
                               counts[] = {COUNTS(1, 32, 97, 100)};
    CHECK(read_part(table, sizeof table) == NULL);
    CHECK(read_part(counts, sizeof counts) == NULL);
    CHECK(read_part(counts, 5) == NULL);
    CHECK(cc_trained_read("test_cc_trained.none") == NULL);
}
