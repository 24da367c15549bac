/* path.c - the whole path of a function out of a few bytes. The function writes a token only at
   edges that the planner calls witnesses; the reader gives back every block in order. */
#define EDGEPROF_WIDE
#define EDGEPROF_IMPLEMENTATION
#include "edgeprof.h"
#include <stdio.h>

/* collatz: 0 head -> 1 body, 5 EXIT; 1 body -> 2 odd, 3 even; both -> 4 next -> 0 head */
enum { HEAD, BODY, ODD, EVEN, NEXT, EXIT, BLOCKS };
enum { HEAD_BODY, HEAD_EXIT, BODY_ODD, BODY_EVEN, ODD_NEXT, EVEN_NEXT, NEXT_HEAD, EDGES };
static const uint32_t ends[] = {
    HEAD, BODY,  HEAD, EXIT,  BODY, ODD,  BODY, EVEN,  ODD, NEXT,  EVEN, NEXT,  NEXT, HEAD
};
static uint8_t witness[EDGES];
static uint32_t number[EDGES];      /* of each witness */

static unsigned char trace[100];
static size_t trace_bytes;
static unsigned happened[1000], happened_count, read_count, wrong;

static int save(void *user, const void *data, size_t bytes) {
    const unsigned char *byte = (const unsigned char *)data;
    (void)user;
    if (bytes > sizeof trace - trace_bytes) return 1;
    while (bytes--) trace[trace_bytes++] = *byte++;
    return 0;
}

static void edge(edgetrace *t, uint32_t e) {
    if (witness[e]) edgetrace_witness(t, number[e]);
    happened[happened_count++] = ends[2 * e + 1];
}

static void collatz(edgetrace *t, unsigned n) {
    int outside = edgetrace_entry(t, 0);
    happened[happened_count++] = HEAD;
    while (n != 1) {
        edge(t, HEAD_BODY);
        if (n & 1) {
            edge(t, BODY_ODD);
            n = 3 * n + 1;
            edge(t, ODD_NEXT);
        } else {
            edge(t, BODY_EVEN);
            n /= 2;
            edge(t, EVEN_NEXT);
        }
        edge(t, NEXT_HEAD);
    }
    edge(t, HEAD_EXIT);
    edgetrace_return(t, outside);
}

static int compare(void *user, uint32_t function, uint32_t block, int is_certain) {
    (void)user;
    (void)function;
    wrong += block != happened[read_count++] || !is_certain;
    return 0;
}

int main(void) {
    static uint64_t memory[300];
    static const uint8_t calls[BLOCKS] = {0};           /* no block calls anything */
    edgeplan_graph graph = {BLOCKS, EDGES, HEAD, EXIT, 0, 0, ends};
    edgetrace_function f = {BLOCKS, EDGES, HEAD, EXIT, ends, witness, NULL, NULL, NULL, 0};
    edgetrace_reader reader;
    edgeplan plan;
    edgetrace t;
    uint32_t e, witnesses = 0;
    if (edgeplan_init(&plan, memory, sizeof memory, &graph) == 0) return 1;
    edgeplan_weigh(&plan, NULL);
    edgeplan_witnesses(&plan, calls, NULL);
    for (e = 0; e < EDGES; e++) {
        witness[e] = plan.plan[e] == EDGEPLAN_COUNTED;
        if (witness[e]) number[e] = witnesses++;
    }
    edgetrace_begin(&t, save, NULL, NULL);
    collatz(&t, 6);
    if (edgetrace_end(&t) != 0) return 1;
    happened_count--;                                   /* EXIT is no block */
    if (edgetrace_reader_init(&reader, &f, 1, memory, sizeof memory) == 0) return 1;
    if (edgetrace_read(&reader, trace, trace_bytes, NULL, 0, 1000, compare, NULL) != 0) return 1;
    printf("%u blocks out of %u bytes, %u witnesses of %u edges, %u wrong\n", read_count,
           (unsigned)trace_bytes, (unsigned)witnesses, (unsigned)EDGES, wrong);
    return wrong != 0 || read_count != happened_count;
}
