/* plan.c - prints the plan header of parser.c. This is a program for your machine, not for the
   target:

       cc -I. -o plan examples/parser/plan.c && ./plan >examples/parser/parser_plan.h */
#define EDGEPROF_CHECK              /* tables only: there is no plan yet */
#define EDGEPROF_IMPLEMENTATION
#include "edgeprof.h"
#include "parser_cfg.h"
#include <stdio.h>

EP_FUNC(parse_number);
EP_FUNC(parse_factor);
EP_FUNC(parse_product);
EP_FUNC(parse_sum);

static int print(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}

int main(void) {
    static const edgeprof_function *const all[] = {
        EP_REF(parse_number), EP_REF(parse_factor), EP_REF(parse_product), EP_REF(parse_sum),
    };
    static uint64_t memory[4096];
    static uint32_t ends[1024];
    uint32_t i, e;
    for (i = 0; i < 4; i++) {
        edgeplan_graph graph = {0, 0, 0, 0, 0, 1, NULL};
        edgeplan plan;
        for (e = 0; e < 2 * all[i]->edges; e++) ends[e] = all[i]->ends[e];
        graph.vertices = all[i]->vertices;
        graph.edges = all[i]->edges;
        graph.exit = all[i]->vertices - 1;
        graph.ends = ends;
        if (edgeplan_init(&plan, memory, sizeof memory, &graph) == 0) {
            fprintf(stderr, "%s: reason %u at %u\n", all[i]->name, (unsigned)plan.reason,
                    (unsigned)plan.at);
            return 1;
        }
        edgeplan_weigh(&plan, NULL);
        edgeplan_edges(&plan, NULL);
        if (edgeplan_write_header(&plan, all[i]->name, print, stdout) != 0) return 1;
    }
    return 0;
}
