/* fuzz_cfg.c - libFuzzer target: control flow graphs and traces of blocks as
   text, from strangers. The first byte chooses the problem and whether the rest
   is graphs, or a trace of the program that stands below. What is accepted is
   planned, derived or regenerated. README.md has the command. */
#include "base/tool.h"
#include "lab/edges.h"
#include <stdlib.h>
#include <string.h>

/* A loop, and what it calls: directly, and through a pointer. */
static const char program[] = "F 10 main 4\n"
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

/* A copy with room for one more byte. */
static char *copy_of(const void *bytes, size_t size) {
    char *copy = (char *)tool_alloc(size + 1);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

static void graphs(edges_options *o, const uint8_t *data, size_t size) {
    char *text = copy_of(data, size);
    edges_result r;
    cfg c;
    size_t i;
    int status = cfg_read(&c, "fuzz", text, size);
    memset(&r, 0, sizeof r);
    if (o->exact) o->earlier = NULL;
    for (i = 0; i < c.count && status == TOOL_OK; i++)
        status = edges_replay(o, &c, &c.functions[i], &r);
    if (status == TOOL_OK && r.functions != c.count) abort();
    if (r.exact_functions > r.functions) abort();
    cfg_free(&c);
    free(text);
}

static void trace(const edges_options *o, const uint8_t *data, size_t size) {
    char *text = copy_of(program, sizeof program - 1), *events = copy_of(data, size);
    edges_result r;
    edges_traced traced;
    cfg c;
    if (cfg_read(&c, "program", text, sizeof program - 1) != TOOL_OK) abort();
    if (edges_trace("fuzz", &c, events, size, o, &r, &traced) == TOOL_OK &&
        (traced.mismatches || traced.regenerated > r.blocks))
        abort();
    cfg_free(&c);
    free(text);
    free(events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    edges_options o;
    if (size == 0) return 0;
    memset(&o, 0, sizeof o);
    o.problem = data[0] % 5;
    o.exact = data[0] >> 4 & 1;
    o.minimum = data[0] >> 5 & 1;
    if (data[0] & 0x80)
        trace(&o, data + 1, size - 1);
    else
        graphs(&o, data + 1, size - 1);
    return 0;
}
