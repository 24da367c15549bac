/* edges.c - bursty-lab edges: where counters or witnesses go in control flow
   graphs with measured counts, what they cost, and whether everything comes out
   of them again. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "lab/edges.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: bursty-lab edges [OPTIONS] CFG        CFG may be -, standard input\n"
    "\n"
    "  CFG holds control flow graphs with measured counts, or a trace of blocks\n"
    "  (docs/formats.md, \"cfg\"). Counters are put where the problem wants them, everything\n"
    "  else is hidden, derived again and compared.\n"
    "\n"
    "  --problem P     eprof (edge counters; default), vprof-e (edge counters, blocks\n"
    "                  wanted), vprof-v (block counters), trace (witnesses), bits (bit tracing)\n"
    "  --weights W     heuristic (loop nesting; default), exact (the file's own counts), or a\n"
    "                  cfg file of an earlier run\n"
    "  --minimum       the minimum spanning tree: the worst plan, for comparison\n"
    "  --json          one JSON object\n";

/* ---- one function ---- */

int edges_open(edges_plan *p, const cfg *c, const cfg_function *f) {
    static const char *const reasons[] = {"",
                                          "too large",
                                          "an edge leads to no vertex",
                                          "an edge leaves EXIT",
                                          "no path from the entry reaches a block",
                                          "a block does not reach EXIT",
                                          "a stay edge (N) is doubled"};
    size_t bytes = edgeplan_bytes(f->vertices, f->edges);
    edgeplan_graph graph;
    uint32_t e;
    memset(p, 0, sizeof *p);
    memset(&graph, 0, sizeof graph);
    graph.vertices = f->vertices;
    graph.edges = f->edges;
    graph.root = f->root;
    graph.exit = f->exit;
    graph.stays = f->stays;
    graph.add_stays = 1;
    graph.ends = f->ends;
    p->memory = tool_alloc(bytes);
    if (edgeplan_init(&p->plan, p->memory, bytes, &graph) == 0) {
        free(p->memory);
        return tool_error("%s:%lu: function %s: %s", c->path, (unsigned long)f->line, f->name,
                          reasons[p->plan.reason]);
    }
    p->count = (uint64_t *)tool_alloc(((size_t)p->plan.edges + 1) * sizeof *p->count);
    p->early = (uint64_t *)tool_alloc(f->vertices * sizeof *p->early);
    memcpy(p->early, f->early, f->vertices * sizeof *p->early);
    if (f->edges) memcpy(p->count, f->count, f->edges * sizeof *p->count);
    /* What ended at a vertex with a stay edge went over that edge. */
    for (e = f->edges; e < p->plan.edges; e++) {
        p->count[e] = f->early[p->plan.ends[2 * (size_t)e]];
        p->early[p->plan.ends[2 * (size_t)e]] = 0;
    }
    p->count[p->plan.edges] = f->entries;
    return TOOL_OK;
}

void edges_close(edges_plan *p) {
    free(p->memory);
    free(p->count);
    free(p->early);
}

/* The same function of another run: name, vertices and edges are the same. */
static const cfg_function *match(const cfg *c, const cfg_function *f) {
    size_t i;
    for (i = 0; i < c->count; i++) {
        const cfg_function *g = &c->functions[i];
        if (g->vertices == f->vertices && g->edges == f->edges && strcmp(g->name, f->name) == 0 &&
            memcmp(g->ends, f->ends, 2 * (size_t)f->edges * sizeof *f->ends) == 0)
            return g;
    }
    return NULL;
}

int edges_order(const edges_options *o, const edges_plan *p, const cfg_function *f,
                edgeplan_order *order, uint64_t **counts) {
    const cfg_function *g = o->exact ? f : o->earlier ? match(o->earlier, f) : NULL;
    size_t room = (size_t)p->plan.edges + f->vertices;
    uint64_t any = 0;
    uint32_t i, stays = p->plan.edges - f->edges;
    order->minimum = o->minimum;
    order->count = *counts = NULL;
    order->uncountable = NULL;
    for (i = 0; g && i < g->vertices; i++) any |= g->block[i];
    if (!any) return 0;
    order->count = *counts = (uint64_t *)tool_alloc((room + 1) * sizeof **counts);
    if (o->problem == EDGES_VPROF_V)
        memcpy(*counts, g->block, g->vertices * sizeof **counts);
    else {
        if (g->edges) memcpy(*counts, g->count, g->edges * sizeof **counts);
        for (i = 0; i < stays; i++)
            (*counts)[g->edges + i] = g->early[p->plan.ends[2 * ((size_t)g->edges + i)]];
    }
    return 1;
}

uint32_t edges_bits(uint32_t ways) {
    uint32_t bits = 0;
    while (bits < 31 && (uint32_t)1 << bits < ways) bits++;
    return bits;
}

static uint32_t out_edges(const edgeplan *p, uint32_t v) { return p->out_at[v + 1] - p->out_at[v]; }

/* Hides the edges that have no counter, derives them, and compares with the
   truth. */
static int derive_edges(const edges_options *o, const edges_plan *p, const cfg_function *f) {
    uint32_t edges = p->plan.edges + 1, e, v;
    size_t bytes = edgeprof_solve_bytes(f->vertices);
    uint64_t *count = (uint64_t *)tool_alloc(edges * sizeof *count),
             *balance = (uint64_t *)tool_alloc(f->vertices * sizeof *balance);
    uint64_t *block = (uint64_t *)tool_alloc(f->vertices * sizeof *block);
    void *memory = tool_alloc(bytes);
    int is_exact;
    for (e = 0; e < edges; e++) count[e] = p->plan.plan[e] == EDGEPLAN_COUNTED ? p->count[e] : 0;
    for (v = 0; v < f->vertices; v++) {
        balance[v] += f->reentry[v] - p->early[v];
        balance[f->exit] += p->early[v] - f->reentry[v];
        block[v] = f->reentry[v];
    }
    is_exact = edgeprof_solve(p->plan.ends, f->vertices, edges, p->plan.plan, count, balance, 64,
                              memory, bytes) == 0;
    for (e = 0; e < edges; e++) block[p->plan.ends[2 * (size_t)e + 1]] += count[e];
    for (v = 0; v < f->vertices && is_exact; v++)
        if (v != f->exit && block[v] != f->block[v]) is_exact = 0;
    for (e = 0; e < edges && is_exact && o->problem == EDGES_EPROF; e++)
        if (count[e] != p->count[e]) is_exact = 0;
    free(count);
    free(balance);
    free(block);
    free(memory);
    return is_exact;
}

/* The same with counters in vertices: a vertex is an edge from its class to
   that of its successors. */
static int derive_vertices(const edges_plan *p, const cfg_function *f) {
    const edgeplan *plan = &p->plan;
    size_t bytes = edgeprof_solve_bytes(f->vertices);
    uint64_t *count = (uint64_t *)tool_alloc(f->vertices * sizeof *count),
             *balance = (uint64_t *)tool_alloc(f->vertices * sizeof *balance);
    uint32_t *ends = (uint32_t *)tool_alloc(2 * (size_t)f->vertices * sizeof *ends), v;
    void *memory = tool_alloc(bytes);
    int is_exact;
    for (v = 0; v < f->vertices; v++) {
        uint64_t left = p->early[v], came = f->reentry[v];
        ends[2 * (size_t)v] = plan->class_of[v];
        ends[2 * (size_t)v + 1] = plan->class_after[v];
        count[v] = plan->plan[v] ? (v == f->exit ? f->entries : f->block[v]) : 0;
        balance[plan->class_of[v]] += came;
        balance[plan->class_after[v]] -= left;
        balance[plan->class_of[f->exit]] += left - came;
    }
    is_exact = edgeprof_solve(ends, plan->classes, f->vertices, plan->plan, count, balance, 64,
                              memory, bytes) == 0;
    for (v = 0; v < f->vertices && is_exact; v++)
        if (count[v] != (v == f->exit ? f->entries : f->block[v])) is_exact = 0;
    free(count);
    free(balance);
    free(ends);
    free(memory);
    return is_exact;
}

/* Blocks in which another function's tokens may come, as far as kind L tells:
   it does not say which never return. */
static uint8_t *call_blocks(const cfg_function *f) {
    uint8_t *blocks = (uint8_t *)tool_alloc(f->vertices);
    uint32_t v, k;
    for (v = 0; f->call_at && v < f->vertices; v++)
        for (k = f->call_at[v]; k < f->call_at[v + 1]; k++)
            if (f->call[k] != CFG_SILENT) blocks[v] = 1;
    return blocks;
}

/* Time of the processor, so that what else the machine does is not counted. */
static uint64_t now_ns(void) {
#ifdef CLOCK_PROCESS_CPUTIME_ID
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0)
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
    return (uint64_t)clock() * (1000000000u / CLOCKS_PER_SEC);
}

int edges_replay(const edges_options *o, const cfg *c, const cfg_function *f, edges_result *sum) {
    edges_plan p;
    edgeplan_order order;
    uint64_t *counts, start = now_ns();
    uint8_t *calls;
    uint32_t e, v;
    int status = edges_open(&p, c, f);
    if (status != TOOL_OK) return status;
    edgeplan_weigh(&p.plan, NULL);
    sum->matched += (uint64_t)edges_order(o, &p, f, &order, &counts);
    switch (o->problem) {
    case EDGES_VPROF_V: edgeplan_vertices(&p.plan, &order); break;
    case EDGES_TRACE:
        calls = call_blocks(f);
        edgeplan_witnesses(&p.plan, calls, &order);
        free(calls);
        break;
    default:
        edgeplan_edges(&p.plan, &order);
        if (o->problem == EDGES_VPROF_E) edgeplan_drop(&p.plan, &order);
    }
    sum->planning_ns += now_ns() - start;
    sum->functions++;
    sum->edges += f->edges - f->stays;
    sum->gcov_updates += f->gcov_updates;
    sum->counters_minimum += o->problem == EDGES_VPROF_V ? f->vertices - p.plan.classes + 1
                                                         : p.plan.edges - f->vertices + 2;
    for (v = 0; v < f->vertices; v++) {
        uint32_t ways = out_edges(&p.plan, v);
        if (v != f->exit && !(c->kind == CFG_GCC && v == f->root)) sum->blocks += f->block[v];
        if (ways > 1) sum->bits += f->block[v] * edges_bits(ways);
        if (o->problem == EDGES_BITS && ways > 1) {
            sum->counters += ways;
            sum->updates += f->block[v];
        }
    }
    if (o->problem == EDGES_VPROF_V)
        for (v = 0; v < f->vertices; v++)
            if (p.plan.plan[v] == EDGEPLAN_COUNTED)
                sum->updates += v == f->exit ? f->entries : f->block[v];
    for (e = 0; e <= p.plan.edges && o->problem != EDGES_VPROF_V && o->problem != EDGES_BITS; e++) {
        uint32_t from = p.plan.ends[2 * (size_t)e], to = p.plan.ends[2 * (size_t)e + 1];
        if (p.plan.plan[e] != EDGEPLAN_COUNTED) continue;
        sum->updates += p.count[e];
        if (out_edges(&p.plan, from) > 1 && p.plan.in_at[to + 1] - p.plan.in_at[to] > 1)
            sum->jumps += p.count[e];
    }
    if (o->problem != EDGES_BITS) sum->counters += p.plan.counters;
    if (o->problem == EDGES_VPROF_V)
        sum->exact_functions += (uint64_t)derive_vertices(&p, f);
    else if (o->problem < EDGES_TRACE)
        sum->exact_functions += (uint64_t)derive_edges(o, &p, f);
    free(counts);
    edges_close(&p);
    return TOOL_OK;
}

/* ---- what is printed ---- */

static void put(const char *key, uint64_t number, int is_known, int json) {
    char digits[24], *at = digits + 23;
    *at = 0;
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    if (json)
        printf("\"%s\":%s", key, is_known ? at : "null");
    else if (is_known)
        printf("%-24s %12s\n", key, at);
}

static void put_ratio(const char *key, uint64_t a, uint64_t b, int is_known, int json) {
    if (json && (!is_known || b == 0))
        printf("\"%s\":null", key);
    else if (json)
        printf("\"%s\":%.6f", key, (double)a / (double)b);
    else if (is_known && b != 0)
        printf("%-24s %12.4f\n", key, (double)a / (double)b);
}

void edges_print(const edges_options *o, const edges_result *r, const edges_traced *traced,
                 int json) {
    static const char *const problems[] = {"eprof", "vprof-e", "vprof-v", "trace", "bits"};
    const char *comma = json ? "," : "";
    int is_derived = o->problem < EDGES_TRACE, is_trace = o->problem == EDGES_TRACE,
        is_bits = o->problem == EDGES_BITS;
    uint64_t witnesses = traced ? traced->witnesses : r->updates,
             bits = traced ? traced->bits : r->bits;
    if (json)
        printf("{\"problem\":\"%s\",\"weights\":\"%s\",\"minimum\":%s,", problems[o->problem],
               o->exact     ? "exact"
               : o->earlier ? "file"
                            : "heuristic",
               o->minimum ? "true" : "false");
    put("functions", r->functions, 1, json);
    printf("%s", comma);
    put("exact_functions", r->exact_functions, is_derived, json);
    printf("%s", comma);
    put("edges", r->edges, 1, json);
    printf("%s", comma);
    put("counters", r->counters, 1, json);
    printf("%s", comma);
    put("counters_minimum", r->counters_minimum, 1, json);
    printf("%s", comma);
    put("updates", traced && is_trace ? traced->witnesses : r->updates, !traced || is_trace, json);
    printf("%s", comma);
    put("blocks", r->blocks, 1, json);
    printf("%s", comma);
    put_ratio("updates_per_block", traced && is_trace ? traced->witnesses : r->updates, r->blocks,
              !traced || is_trace, json);
    printf("%s", comma);
    put_ratio("witnesses_per_block", witnesses, r->blocks, is_trace, json);
    printf("%s", comma);
    put_ratio("bits_per_block", bits, r->blocks, is_trace || is_bits, json);
    printf("%s", comma);
    put("regenerated_blocks", traced ? traced->regenerated : 0, traced != NULL, json);
    printf("%s", comma);
    put("regeneration_mismatches", traced ? traced->mismatches : 0, traced != NULL, json);
    if (traced) {
        printf("%s", comma);
        put("enters", traced->enters, 1, json);
        printf("%s", comma);
        put("leaves", traced->leaves, 1, json);
        printf("%s", comma);
        put("resumes", traced->resumes, 1, json);
        printf("%s", comma);
        put("unmatched_blocks", traced->unmatched, 1, json);
    } else {
        printf("%s", comma);
        put("updates_on_critical_edges", r->jumps, is_derived && o->problem != EDGES_VPROF_V, json);
        printf("%s", comma);
        put("weighed_by_counts", r->matched, 1, json);
        printf("%s", comma);
        put("gcov_updates", r->gcov_updates, r->gcov_updates != 0, json);
        printf("%s", comma);
        put("planning_us", r->planning_ns / 1000, 1, json);
    }
    if (json) printf("}\n");
}

/* ---- options ---- */

static int parse(int argc, char **argv, edges_options *o, const char **path, const char **earlier,
                 int *json) {
    static const char *const problems[] = {"eprof", "vprof-e", "vprof-v", "trace", "bits"};
    int i;
    size_t k;
    for (i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (name[0] != '-' || !name[1]) {
            if (*path) return tool_error("one file at a time: '%s' is a second one", name);
            *path = name;
            continue;
        }
        if (strcmp(name, "--json") == 0) {
            *json = 1;
            continue;
        }
        if (strcmp(name, "--minimum") == 0) {
            o->minimum = 1;
            continue;
        }
        if (strcmp(name, "--weights") && strcmp(name, "--problem"))
            return tool_error("edges: no option '%s'; bursty-lab edges --help lists them",
                              name);
        if (++i == argc) return tool_error("%s needs a value", name);
        if (strcmp(name, "--weights") == 0) {
            *earlier = NULL;
            o->exact = strcmp(argv[i], "exact") == 0;
            if (!o->exact && strcmp(argv[i], "heuristic") != 0) *earlier = argv[i];
            continue;
        }
        for (k = 0; k < sizeof problems / sizeof *problems && strcmp(argv[i], problems[k]) != 0;
             k++) {
        }
        if (k == sizeof problems / sizeof *problems)
            return tool_error("--problem: '%s' is not valid; bursty-lab edges --help lists what is",
                              argv[i]);
        o->problem = (int)k;
    }
    if (!*path) return tool_no_input("edges", "CFG");
    return TOOL_OK;
}

static int plan_counts(const char *path, const edges_options *o, int json) {
    cfg c;
    edges_result r;
    size_t i;
    int status = cfg_open(&c, path);
    memset(&r, 0, sizeof r);
    for (i = 0; i < c.count && status == TOOL_OK; i++)
        status = edges_replay(o, &c, &c.functions[i], &r);
    if (status == TOOL_OK) {
        if (c.dropped)
            fprintf(stderr, "bursty: note: %lu block%s that nothing reaches %s left out\n",
                    (unsigned long)c.dropped, c.dropped == 1 ? "" : "s",
                    c.dropped == 1 ? "is" : "are");
        edges_print(o, &r, NULL, json);
    }
    cfg_free(&c);
    return status;
}

static int run(int argc, char **argv) {
    edges_options o;
    cfg earlier;
    const char *path = NULL, *earlier_path = NULL;
    int json = 0, is_trace = 0, status, i;
    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return TOOL_OK;
        }
    memset(&o, 0, sizeof o);
    memset(&earlier, 0, sizeof earlier);
    status = parse(argc, argv, &o, &path, &earlier_path, &json);
    if (status == TOOL_OK && earlier_path) {
        status = cfg_open(&earlier, earlier_path);
        o.earlier = &earlier;
    }
    if (status == TOOL_OK) status = edges_is_trace(path, &is_trace);
    if (status == TOOL_OK)
        status = is_trace ? lab_edges_trace(path, &o, json) : plan_counts(path, &o, json);
    cfg_free(&earlier);
    return status;
}

const tool_command lab_edges = {
    "edges", "counters or witnesses in control flow graphs with measured counts", run,
};
