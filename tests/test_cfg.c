/* test_cfg.c - the readers of control flow graphs and of traces of blocks,
   given damaged text: every cut and many changed bytes are refused, or are
   read, planned and derived without harm. Sanitizers see the rest;
   fuzz/fuzz_cfg.c looks longer. */
#include "test.h"
#include "base/tool.h"
#include "lab/edges.h"


static const char graphs[] = "P loop\n"
                             "F 10 main 4\n"
                             "B 0 1 0 0 a.c:1 -\n"
                             "B 1 9 0 0 a.c:2 12\n"
                             "B 2 8 0 0 a.c:3 I,X\n"
                             "B 3 1 0 0 a.c:4 -\n"
                             "E 0 1 1\n"
                             "E 1 2 8\n"
                             "E 1 3 1\n"
                             "E 2 1 8\n"
                             "E 3 X 1\n"
                             "F 12 leaf 2\n"
                             "B 0 9 0 0 a.c:9 -\n"
                             "B 1 4 0 0 a.c:9 -\n"
                             "E 0 1 4\n"
                             "E 0 X 5\n"
                             "E 1 X 4\n";
static const char source[] = "F 0 f 4 0 3\n"
                             "V 0 a.c:1,2\n"
                             "E 0 1 3\n"
                             "E 1 1 7\n"
                             "E 1 2 3\n"
                             "N 2 3\n"
                             "F 1 g 2 0 1\n"
                             "E 0 1 5\n";
static const char gcc[] = "F 0 f 5 4 2 6\n"
                          "B 2 a.c:1\n"
                          "A 0 2 5 4\n"
                          "A 2 3 0 3\n"
                          "A 2 4 5 1\n"
                          "A 3 4 5 3\n"
                          "A 4 1 0 3\n"
                          "A 4 1 2 1\n";
static const char events[] = "N 12.1\n"
                             "10.0 10.1 12.0 R 10.2 12.0 12.1 X X\n"
                             "10.0 10.1 12.0 12.1 X J 10.3 R\n"
                             "12.0 R 10.0 10.1 12.0 R 10.3 R\n";

/* Reads, and replays for every problem. Returns 1 if it was accepted. */
static int try_graphs(const char *bytes, size_t size) {
    char *text = (char *)tool_alloc(size + 1);
    edges_options o;
    edges_result r;
    cfg c;
    size_t i;
    int status;
    memcpy(text, bytes, size);
    memset(&o, 0, sizeof o);
    status = cfg_read(&c, "test", text, size);
    for (o.problem = EDGES_EPROF; o.problem <= EDGES_BITS && status == TOOL_OK; o.problem++) {
        memset(&r, 0, sizeof r);
        for (i = 0; i < c.count && status == TOOL_OK; i++)
            status = edges_replay(&o, &c, &c.functions[i], &r);
        if (status == TOOL_OK) CHECK_EQ(r.functions, c.count);
    }
    CHECK(status == TOOL_OK || status == TOOL_BAD_INPUT);
    cfg_free(&c);
    free(text);
    return status == TOOL_OK;
}

static int try_trace(const char *bytes, size_t size) {
    char *text = (char *)tool_alloc(sizeof graphs), *copy;
    edges_options o;
    edges_result r;
    edges_traced traced;
    cfg c;
    int status = TOOL_OK;
    memset(&o, 0, sizeof o);
    for (o.problem = EDGES_TRACE; o.problem <= EDGES_BITS && status == TOOL_OK; o.problem++) {
        memcpy(text, graphs, sizeof graphs);
        CHECK_EQ(cfg_read(&c, "graphs", text, sizeof graphs - 1), TOOL_OK);
        copy = (char *)tool_alloc(size + 1);
        memcpy(copy, bytes, size);
        status = edges_trace("test", &c, copy, size, &o, &r, &traced);
        if (status == TOOL_OK) CHECK(traced.regenerated <= r.blocks);
        free(copy);
        cfg_free(&c);
    }
    CHECK(status == TOOL_OK || status == TOOL_BAD_INPUT);
    free(text);
    return status == TOOL_OK;
}

static void damage(const char *whole, size_t size, int (*try)(const char *, size_t)) {
    static const char likely[] = "0123456789 -.,:\nXFBEAVNRJI\r#P";
    char bytes[1000];
    uint64_t seed = size;
    uint32_t i, k, refused = 0, count = 2000 / TEST_SCALE;
    size_t cut;
    CHECK(try(whole, size));
    for (cut = 0; cut < size; cut++) refused += !try(whole, cut);
    for (i = 0; i < count; i++) {
        memcpy(bytes, whole, size);
        for (k = (uint32_t)(test_random(&seed) % 4); k < 4; k++)
            bytes[test_random(&seed) % size] = likely[test_random(&seed) % (sizeof likely - 1)];
        refused += !try(bytes, size);
    }
    CHECK(refused > count / 4);
}

TEST(damaged_graphs_of_blocks) { damage(graphs, sizeof graphs - 1, try_graphs); }
TEST(damaged_graphs_of_a_source) { damage(source, sizeof source - 1, try_graphs); }
TEST(damaged_graphs_of_gcc) { damage(gcc, sizeof gcc - 1, try_graphs); }
TEST(damaged_traces) { damage(events, sizeof events - 1, try_trace); }

TEST(a_byte_0_is_refused) {
    CHECK(!try_graphs("F 1 g 2 0 1\nE 0 1 5\n\0", 22));
    CHECK(!try_trace("12.0 R\0\n", 8));
}
