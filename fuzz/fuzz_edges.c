/* fuzz_edges.c - libFuzzer target: graphs, plans and traces from strangers. The
   first byte chooses: even takes the rest as a graph, plans it for every
   problem and derives random counts; odd takes it as tokens of a trace of a
   small program.

       clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I. \
           -o build/fuzz/fuzz_edges fuzz/fuzz_edges.c
       build/fuzz/fuzz_edges -max_len=512 -timeout=10 -max_total_time=600 */
#define EDGEPROF_WIDE
#define EDGEPROF_STATIC
#define EDGEPROF_IMPLEMENTATION
#include "edgeprof.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 600 };

static uint64_t memory[44 * 2 * MOST / 8 + 96 * MOST / 8 + 100];
static uint64_t solver[2 * MOST], count[2 * MOST], balance[MOST];

static void graph(const uint8_t *data, size_t size) {
    static uint32_t ends[MOST];
    edgeplan_graph g = {0, 0, 0, 1, 0, 0, ends};
    edgeplan plan;
    uint32_t e;
    int64_t left;
    uint8_t mark[256];
    if (size < 3) return;
    g.vertices = 2 + data[0] % 200u;
    g.add_stays = data[1] & 1;
    g.stays = data[1] >> 1 & 1;
    g.edges = (uint32_t)(size - 2) / 2;
    for (e = 0; e < 2 * g.edges; e++) ends[e] = data[2 + e];
    left = edgeplan_unreached(&g, mark, memory, sizeof memory);
    if (edgeplan_init(&plan, memory, sizeof memory, &g) == 0) {
        if (plan.reason == 0) abort();
        return;
    }
    if (left > 1) abort(); /* EXIT alone may be without a way */
    edgeplan_weigh(&plan, NULL);
    edgeplan_edges(&plan, NULL);
    if (plan.counters != plan.edges - plan.vertices + 2) abort();
    for (e = 0; e <= plan.edges; e++) count[e] = data[e % size] * (uint64_t)0x123456789;
    memset(balance, 0, sizeof balance);
    if (edgeprof_solve(plan.ends, plan.vertices, plan.edges + 1, plan.plan, count, balance, 64,
                       solver, sizeof solver))
        abort();
    for (e = 0; e < plan.vertices; e++)
        if (balance[e] != 0) abort();
    edgeplan_drop(&plan, NULL);
    edgeplan_vertices(&plan, NULL);
    if (plan.counters != plan.vertices - plan.classes + 1) abort();
    memset(mark, data[0] & 1, sizeof mark);
    edgeplan_witnesses(&plan, mark, NULL);
}

static int see(void *user, uint32_t function, uint32_t block, int is_certain) {
    (void)is_certain;
    if (function > 1 || block > 8) abort();
    ++*(uint32_t *)user;
    return 0;
}

static void tokens(const uint8_t *data, size_t size) {
    static const uint32_t ends[] = {0, 1, 1, 2, 1, 6, 2, 3, 2, 4, 3,
                                    5, 4, 5, 4, 7, 5, 1, 6, 8, 7, 8},
                          g_ends[] = {0, 1};
    static const uint8_t witness[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0}, none[] = {0},
                         never[] = {0, 0, 0, 0, 0, 0, 0, 1, 0};
    static const uint32_t call_at[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, call[] = {1},
                          g_call_at[] = {0, 1, 1};
    static const uint32_t g_call[] = {EDGETRACE_OPAQUE};
    edgetrace_function two[2] = {{9, 11, 0, 8, ends, witness, call_at, call, never, 1},
                                 {2, 1, 0, 1, g_ends, none, g_call_at, g_call, NULL, 1}};
    edgetrace_reader r;
    uint32_t seen = 0;
    if (size == 0) return;
    if (data[0] & 1) two[0].witness = two[1].witness = NULL;
    if (edgetrace_reader_init(&r, two, 2, memory, edgetrace_reader_bytes(two, 2, 20)) != 20)
        abort();
    if (edgetrace_read(&r, data, size, data, 8 * (uint64_t)size, 1000, see, &seen) != 0 &&
        (!r.reason || r.offset > size))
        abort();
    if (seen > 1000) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > MOST) return 0;
    if (data[0] & 1)
        tokens(data + 1, size - 1);
    else
        graph(data + 1, size - 1);
    return 0;
}
