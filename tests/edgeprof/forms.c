/* forms.c - every form of edgeprof.h in one program, which test_edgeprof.sh
   builds in every mode. It prints what was counted as CSV: all modes that count
   must print the same. With PLANNER it prints the plan header instead, with
   FORMS_COUNTS_ALONE it writes a dump without tables. */
#ifdef PLANNER
#define EDGEPROF_CHECK
#endif
#define EDGEPROF_IMPLEMENTATION
#define EDGEPROF_CHAIN forms_chain
#include "edgeprof.h"
#ifndef EDGEPROF_CHECK
#include "forms_plan.h"
#endif
#include <setjmp.h>
#include <stdio.h>

#define EP_CFG_collatz(V, E, F) \
    V(F, head, 10) V(F, body, 11) V(F, odd, 12) V(F, even, 13) V(F, next, 14) V(F, end, 15) \
    V(F, done, 0) \
    E(F, 0, head, body) E(F, 1, head, end) E(F, 2, body, odd) E(F, 3, body, even) \
    E(F, 4, odd, next) E(F, 5, even, next) E(F, 6, next, head) E(F, 7, end, done)
#define EP_CFG_outer(V, E, F) \
    V(F, entry, 20) V(F, landed, 21) V(F, fresh, 22) V(F, last, 23) V(F, done, 0) \
    E(F, 0, entry, fresh) E(F, 1, fresh, last) E(F, 2, landed, last) E(F, 3, last, done) \
    E(F, 4, entry, landed)
#define EP_CFG_inner(V, E, F) \
    V(F, entry, 30) V(F, leap, 31) V(F, stay, 32) V(F, done, 0) \
    E(F, 0, entry, leap) E(F, 1, entry, stay) E(F, 2, stay, done) E(F, 3, leap, done)
#define EP_CFG_forever(V, E, F) \
    V(F, entry, 40) V(F, loop, 41) V(F, done, 0) E(F, 0, entry, loop) E(F, 1, loop, loop)

static edgeprof_frame frames[10];
static edgeprof_chain forms_chain = {frames, 10, 0, 0};

EP_FUNC(collatz);
EP_FUNC_EXITS(outer);
EP_FUNC_EXITS(inner);
EP_FUNC_EXITS(forever);

static jmp_buf landing;

static unsigned collatz(unsigned n) {
    unsigned steps = 0;
    EP_ENTRY(collatz);
    for (; n != 1; steps++) {
        EP_EDGE(collatz, 0);
        if (n & 1) {
            EP_EDGE(collatz, 2);
            n = 3 * n + 1;
            EP_EDGE(collatz, 4);
        } else {
            EP_EDGE(collatz, 3);
            n /= 2;
            EP_EDGE(collatz, 5);
        }
        EP_EDGE(collatz, 6);
    }
    EP_EDGE(collatz, 1);
    EP_EDGE(collatz, 7);
    return steps;
}

static void inner(int leaps) {
    EP_ENTRY(inner);
    EP_FRAME(inner);
    if (leaps) {
        EP_EDGE(inner, 0);
        EP_AT(inner, leap);
        longjmp(landing, 1);
    }
    EP_EDGE(inner, 1);
    EP_EDGE(inner, 2);
    EP_LEAVE(inner);
}

static void outer(int leaps) {
    EP_ENTRY(outer);
    EP_FRAME(outer);
    if (setjmp(landing) == 0) {
        EP_EDGE(outer, 0);
        EP_AT(outer, fresh);
        inner(leaps);
        EP_EDGE(outer, 1);
    } else {
        EP_BACK(outer, landed);
        EP_EDGE(outer, 2);
    }
    EP_EDGE(outer, 3);
    EP_LEAVE(outer);
}

static int report(const char *path);

/* Never returns of its own accord: it is still running when the counts are
   written. */
static int forever(int rounds, const char *path) {
    int status;
    EP_ENTRY(forever);
    EP_FRAME(forever);
    EP_EDGE(forever, 0);
    while (rounds-- > 0) EP_EDGE(forever, 1);
    EP_AT(forever, loop);
    status = report(path);
    EP_LEAVE(forever);
    return status;
}

static int save(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}

static uint64_t memory[1000];

#ifdef PLANNER
static int print_plan(const edgeprof_function *f) {
    static uint32_t ends[100];
    edgeplan_graph graph = {0, 0, 0, 0, 0, 1, NULL};
    edgeplan plan;
    uint32_t e;
    for (e = 0; e < 2 * f->edges; e++) ends[e] = f->ends[e];
    graph.vertices = f->vertices;
    graph.edges = f->edges;
    graph.exit = f->vertices - 1;
    graph.ends = ends;
    if (edgeplan_init(&plan, memory, sizeof memory, &graph) == 0) return 1;
    edgeplan_weigh(&plan, NULL);
    edgeplan_edges(&plan, NULL);
    return edgeplan_write_header(&plan, f->name, save, stdout);
}
#endif

static const edgeprof_function *const all[] = {
    EP_REF(collatz), EP_REF(outer), EP_REF(inner), EP_REF(forever),
};

static int report(const char *path) {
    int status = 0;
    EP_JOIN(collatz);
    EP_JOIN(outer);
    EP_JOIN(inner);
    EP_JOIN(forever);
    edgeprof_running(&forms_chain, 1);
    if (path) {
        FILE *dump = fopen(path, "wb");
        if (!dump) return 4;
#ifdef FORMS_COUNTS_ALONE
        {
            static edgeprof_function bare[4];
            static const edgeprof_function *const bares[] = {bare, bare + 1, bare + 2, bare + 3};
            for (int i = 0; i < 4; i++) {
                bare[i] = *all[i];
                bare[i].ends = NULL;
            }
            status |= edgeprof_write(bares, 4, save, dump);
        }
#else
        status |= edgeprof_write(all, 4, save, dump);
#endif
        status |= fclose(dump);
    }
    status |= edgeprof_write_csv(all, 4, memory, sizeof memory, save, stdout);
#ifdef EDGEPROF_CHECK
    for (int i = 0; i < 4; i++) {
        edgeprof_fault fault;
        if (edgeprof_check(all[i], NULL, &fault, memory, sizeof memory) == 0) continue;
        printf("%s: %s, line %u, in %lu, out %lu\n", all[i]->name, fault.vertex_name,
               (unsigned)fault.line, (unsigned long)fault.in, (unsigned long)fault.out);
        status |= 1;
    }
#endif
    edgeprof_running(&forms_chain, -1);
    edgeprof_reset(all, 4);
    return status;
}

int main(int argc, char **argv) {
    unsigned n, steps = 0;
    int i;
#ifdef PLANNER
    for (i = 0; i < 4; i++) if (print_plan(all[i])) return 1;
    if (argc == 1) return 0;
#endif
    for (n = 1; n < 100; n++) steps += collatz(n);
    for (i = 0; i < 10; i++) outer(i % 3 == 0);
    if (steps != 3117) return 3;
    return forever(5, argc > 1 ? argv[1] : NULL) != 0;
}
