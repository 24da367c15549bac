/* graph.h - the call graph of a whole program, as the objects carry it
   (docs/place.md).

   Everything lies in flat arrays, and things point to one another by number. A
   unit holds functions; a function holds its calls (one per callee), its loops,
   and a control flow graph:

       vertex      CALL, INDIRECT, LOOP (here the check of a loop stands), or a mere join. What a
                   vertex stands for happens when control enters it.
       edge        from a vertex to a vertex of the same function. An edge that goes back to the
                   head of a loop knows the loop.

   Vertex 0 of a function is its entry, vertex 1 its exit. Numbers of vertices
   and loops count within the function. graph_join then makes nodes: functions
   that are one to the linker. */
#ifndef PLACE_GRAPH_H
#define PLACE_GRAPH_H
#include "base/dump.h"

#define GRAPH_NONE UINT32_MAX

enum { GRAPH_GLOBAL = 'g', GRAPH_STATIC = 's', GRAPH_INLINE = 'i', GRAPH_WEAK = 'w' };
enum { GRAPH_START = 1, GRAPH_USED = 2, GRAPH_HIDDEN = 4, GRAPH_NORETURN = 8, GRAPH_HAS_CHECK = 16,
       GRAPH_LEFT_ALONE = 32, GRAPH_HAS_BODY = 64, GRAPH_HAS_LABELS = 128,
       GRAPH_LATE = 256 /* checked behind the optimizer: no plan is made for it */,
       GRAPH_OTHER_NAME = 512 /* an alias or a thunk: it calls the function, and has no check */ };
enum { VERTEX_JOIN, VERTEX_CALL, VERTEX_INDIRECT, VERTEX_LOOP };
enum { GRAPH_IS_EXPORTED = 1, GRAPH_IS_DEFINED = 2 };
enum { GRAPH_CXX_NAMES = 6 };
enum { GRAPH_ANY_COUNT = 255 };                 /* parameters: variadic, or not known */

typedef struct graph_vertex {
    uint32_t kind, index;                       /* index: call, number of arguments, or loop */
    uint32_t type;                              /* of INDIRECT: a name, or GRAPH_NONE */
    uint32_t first_edge;                        /* those of the next vertex begin where these end */
} graph_vertex;

typedef struct graph_edge { uint32_t to, loop; } graph_edge;

typedef struct graph_call {
    uint32_t name, node;                        /* node: GRAPH_NONE is outside the program */
} graph_call;

typedef struct graph_loop {
    uint32_t line, parent, events, bound;
    uint32_t vertex;                            /* GRAPH_NONE in a function without a body */
    uint32_t first, last;                       /* vertices of the loop, in the order of the text */
    uint32_t size;                              /* about so many instructions a round, or 0 */
    uint8_t kind, has_check;
    uint8_t by_address;                         /* computed gotos lead to the label of this loop */
} graph_loop;

typedef struct graph_function {
    uint32_t name, unit, file, reason;          /* names; reason: why it was left alone */
    uint32_t line, params, flags, linkage;
    uint32_t size;                              /* about so many instructions, or 0: not known */
    uint32_t type;                              /* a name: its row of classes, or GRAPH_NONE */
    uint64_t hash;
    size_t first_call, first_loop, first_vertex, first_edge;
    uint32_t calls, loops, vertices, edges;
    uint32_t node, next_copy;
} graph_function;

typedef struct graph_taken {                    /* a function's address */
    uint32_t name, node;
    uint32_t params, type;                      /* cast to such a type; GRAPH_NONE: it is not */
    int converted;                              /* cast to we do not know what */
    int is_symbol;                              /* a word of assembly, or a symbol with two names */
} graph_taken;

typedef struct graph_unit {
    uint32_t name, first_function, functions, input;
    size_t first_taken, taken;
    uint64_t command, plan;
    int by_plugin;                              /* the compiler's: calls are those behind inlining */
} graph_unit;

typedef struct graph_node {
    uint32_t name, unit;                        /* unit: of a static function, else GRAPH_NONE */
    uint32_t first_copy;                        /* functions, in the order of the input */
    uint32_t flags;                             /* of all copies together */
    uint8_t taken, exported, linkage;
    uint8_t converted;                          /* its address is cast to we do not know what */
    uint8_t is_trivial;                         /* of a header, calls nothing, and has no loop */
} graph_node;

/* A graph of numbers: the successors of v are to[first[v]] .. to[first[v + 1] -
   1]. */
typedef struct graph_links { uint32_t vertices; size_t *first; uint32_t *to; } graph_links;

typedef struct graph {
    char **names;
    uint32_t name_count, name_room, *name_table, name_slots;
    graph_unit *units;
    graph_function *functions;
    graph_call *calls;
    graph_loop *loops;
    graph_vertex *vertices;
    graph_edge *edges;
    graph_taken *taken;
    char *symbols;                              /* of each name: GRAPH_IS_... of the ELF tables */
    size_t unit_count, function_count, call_count, loop_count, vertex_count, edge_count;
    size_t taken_count, symbol_room;
    size_t unit_room, function_room, call_room, loop_room, vertex_room, edge_room, taken_room;
    size_t silent;                              /* objects that carry no call graph */
    int is_linked;                              /* a program: its table says what is exported */
    uint32_t cxx[GRAPH_CXX_NAMES];              /* names of the first files of C++ */
    size_t cxx_count;

    /* What graph_join makes. */
    graph_node *nodes;
    uint32_t node_count;
    int is_closed;                              /* it has a main: what is not exported is its own */
    int is_mixed;                               /* code in it has no graph and may call all of it */
    graph_links direct;                         /* direct calls between nodes, each pair once */
    graph_links wide;                           /* and those through pointers and from outside */
    int library_calls;                          /* even the C library calls functions of it */
    uint32_t outside, library, any_pointer;     /* in wide: the vertices that stand for them */
    uint32_t site, sort, units_vertex;          /* in wide: the first of those, see join.c */
    uint32_t *site_types;                       /* their names */
    int types_given_up;                         /* too many: calls go by numbers of arguments */
} graph;

/* ---- making it ---- */

uint32_t graph_name(graph *g, const void *bytes, size_t size);
/* The same for a name that is there already; else GRAPH_NONE. */
uint32_t graph_find_name(const graph *g, const void *bytes, size_t size);
/* Adds the units of a text. Returns 0, or -1 with *fault filled. */
int  graph_read_text(graph *g, const char *data, size_t size, uint32_t input, dump_fault *fault);
/* Adds the control flow graph that a skeleton describes to the last
   function. */
int  graph_read_skeleton(graph *g, graph_function *f, const char *skeleton, size_t size,
                         size_t offset, dump_fault *fault);
/* Adds what a file holds: text, an object, a program or an archive. TOOL_
   status, after a message. Objects without a call graph are counted in
   g->silent. */
int  graph_open(graph *g, const char *path, uint32_t input);
/* The same for bytes in memory. path: for the message, and for the members of
   thin archives. */
int  graph_take(graph *g, const char *path, const unsigned char *data, size_t size, uint32_t input);
void graph_join(graph *g);
void graph_free(graph *g);

/* ---- asking it ---- */

/* The name as the source has it: C++ names are demangled. */
void graph_show_name(const graph *g, uint32_t name, text *out);
/* "name", or "name in unit" for a static one, is less than that of the other:
   -1, 0 or 1. */
int  graph_compare(const graph *g, uint32_t node, uint32_t other);
/* Does a function outside the program call back what it has been given or could
   know? */
int  graph_calls_back(const char *name);
int  graph_hooks_library(const char *name);
int  graph_returns_again(const char *name);

/* The callee that stands for whatever a function's assembly jumps to. */
#define GRAPH_ASSEMBLY "(assembly)"

static inline const graph_call *graph_call_of(const graph *g, const graph_function *f,
                                              uint32_t i) {
    return &g->calls[f->first_call + i];
}

/* May this call of a function that is not in the program lead back into it? */
static inline int graph_call_returns(const graph *g, const graph_call *call) {
    return g->library_calls || graph_calls_back(g->names[call->name]);
}

static inline const graph_vertex *graph_vertex_of(const graph *g, const graph_function *f,
                                                  uint32_t i) {
    return &g->vertices[f->first_vertex + i];
}

static inline uint32_t graph_edge_end(const graph *g, const graph_function *f, uint32_t i) {
    return i + 1 < f->vertices ? g->vertices[f->first_vertex + i + 1].first_edge : f->edges;
}

/* ---- graphs of numbers ---- */

void links_free(graph_links *links);
/* From count pairs: pairs[2 * i] calls pairs[2 * i + 1]. Equal ones are
   kept. */
void links_build(graph_links *links, uint32_t vertices, const uint32_t *pairs, size_t count);
/* Strongly connected components without the vertices that are marked in gone
   (which may be NULL). component[v] is a number below the result; gone vertices
   have GRAPH_NONE. Numbers are in reverse topological order: a component calls
   only those with smaller numbers. */
uint32_t links_components(const graph_links *links, const uint8_t *gone, uint32_t *component);
#endif
