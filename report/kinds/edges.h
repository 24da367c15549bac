/* edges.h - parts of kind 4 (edgeprof.h): graphs of functions and counts of
   their edges, added up over parts and files. */
#ifndef KINDS_EDGES_H
#define KINDS_EDGES_H
#include "base/kind.h"

/* The counters of one run or of many, added up. Functions find them by key. */
typedef struct counted {
    uint64_t key;
    uint32_t bits; /* 16, 32, 64: counts modulo 2^bits; 1, 8: marks */
    uint32_t slots;
    uint64_t *value;
    uint32_t exits; /* vertices with early exits or re-entries */
    struct edges_exit {
        uint32_t vertex, early, reentry;
    } * exit;
} counted;

enum { EDGES_COUNTED = 1, EDGES_CALLED = 2 };

typedef struct edges_function {
    uint64_t key;
    uint64_t unit;     /* the key of its object, which kind 12 speaks of; 0: that is its own */
    char *name, *file; /* name: empty if these are lines that a function has in another file */
    uint32_t bits, first_slot, first_vertex;
    uint32_t vertices; /* vertex 0 is the entry, the last is EXIT */
    uint32_t edges;    /* with stay edges, without X */
    uint32_t stays;
    uint32_t counts_entry;    /* X has EDGES_COUNTED a counter, or EDGES_CALLED its calls */
    uint32_t *call;           /* EDGES_CALLED: the vertices, of the object, that call it */
    uint32_t calls;
    uint32_t *line_at, *line; /* of vertex v: line[line_at[v]] .. line[line_at[v + 1] - 1] */
    uint32_t *ends;           /* pairs, and behind them those of X */
    uint8_t *plan;            /* of each edge: has it a counter? */
    uint32_t slots;           /* how many that are, X included if it is counted */
} edges_function;

typedef struct edges_list {
    counted *list; /* by key, bits and slots, each once, when it is settled */
    size_t count, room;
} edges_list;

/* What runs with BURSTY_TEST=name in their environment have counted. */
typedef struct edges_test {
    char *name;
    edges_list counts;
} edges_test;

typedef struct edges_all { /* all zero: empty */
    counted *counts; /* of all runs together, once it is settled */
    size_t count;
    edges_list unnamed; /* of runs without a test */
    edges_test *tests;  /* by name, each once, when it is settled */
    size_t test_count, test_room;
    edges_function *functions;
    size_t function_count, function_room;
    uint64_t *left_out; /* keys of counts of which nobody wants to hear; sorted when settled */
    size_t left_out_count, left_out_room;
} edges_all;

/* The counts of a function; NULL: no part has any. */
const counted *edges_find(const edges_all *all, const edges_function *f);

/* Are there counts of that key? */
int edges_has(const edges_all *all, uint64_t key);

/* The same functions with the counts of one test alone: a view, which owns
   nothing. Number test_count: those of runs without a test. */
void edges_view(edges_all *view, const edges_all *all, size_t test);

/* Is that the key of counts that are left out? */
int edges_is_left_out(const edges_all *all, uint64_t key);

/* The functions behind it, in this part, are of the object of that key. */
void edges_put_unit(dump_writer *w, uint64_t unit);
/* Counts of that key are of a function without a table, as of a header of the
   system. */
void edges_put_left_out(dump_writer *w, uint64_t key);
/* Writes the record of one function, between dump_begin(w, out, 4) and
   dump_end. */
void edges_put_function(dump_writer *w, const edges_function *f);

extern const part_kind kind_edges; /* its state is a edges_all */
#endif
