/* edgeprof.h - v0.2.0 - counts edges and lines exactly; coverage; paths - MIT, text at end of file

   example:
       #define EP_CFG_sum(V, E, F)  V(F, head, 3) V(F, body, 3) V(F, done, 0) \
                                    E(F, 0, head, body) E(F, 1, head, done) E(F, 2, body, head)
       #define EDGEPROF_CHECK                      // counts all three edges; a plan makes it two
       #define EDGEPROF_IMPLEMENTATION
       #include "edgeprof.h"
       #include <stdio.h>
       EP_FUNC(sum);
       static int sum(int n) {
           int s = 0;
           for (EP_ENTRY(sum); n > 0; EP_EDGE(sum, 2)) { EP_EDGE(sum, 0); s += n--; }
           EP_EDGE(sum, 1);
           return s;
       }
       static int out(void *file, const void *data, size_t size) {
           return fwrite(data, 1, size, (FILE *)file) != size;
       }
       int main(void) {
           static const edgeprof_function *const all[] = {EP_REF(sum)};
           static uint64_t memory[64];
           return sum(4) != 10 || edgeprof_write_lcov(all, 1, memory, sizeof memory, out, stdout);
       }
   end of example.

   If your compiler is gcc or clang, you need none of these macros: `bursty cc --cover` puts the
   counters into C sources by itself (docs/cc.md). Write them by hand for another compiler, for
   firmware, or to count a state machine that is no function.

   STEP BY STEP
   1. Draw the control flow graph of each function that you want to measure, and write it down as
      a table (EP_CFG_sum above), in a file of its own (parser_cfg.h). V gives a vertex: a piece of
      straight code with its name and line. E gives an edge: its number (0, 1, 2 ...) and the two
      vertices that it joins. The first vertex is the entry. The last one is EXIT: it stands for
      having left the function, and its line is 0.
   2. Put EP_ENTRY(function) at the entry and EP_EDGE(function, number) where each edge is taken.
      Both are expressions:
         if (a) { EP_EDGE(f, 3); ... } else EP_EDGE(f, 4);
         if (a && (EP_EDGE(f, 5), b)) ...
   3. Build with EDGEPROF_CHECK and run. edgeprof_check names the vertex where a count does not
      fit. There an EP_EDGE is missing or doubled, or the table is wrong.
   4. Write a small program for your machine that includes the tables and prints a plan header
      with edgeplan_write_header. examples/parser/plan.c is one to copy. The header says which
      edges need a counter. The other EP_EDGE leave no code behind, not even without
      optimisation.
   5. Include the plan header before EP_FUNC and build without EDGEPROF_CHECK. edgeprof_counts
      derives every count from the few counters.
   6. Write the result on the target with edgeprof_write_lcov or edgeprof_write_csv. Or write a
      dump with edgeprof_write, from which `bursty report` makes LCOV, Cobertura or a page.

   COUNT, the default, counts exactly. Counters wrap on purpose, and derived counts stay exact
   modulo 2^EDGEPROF_BITS: with 16 bits a line that ran 65536 times reads 0. COVER marks the entry
   and each outcome of a branch. It never reads 0 for a line that ran, but it tells no counts.
   (One exception: if one activation ended early at an EP_AT and another one passed it, lines behind
   it may read 0, up to the next mark.) A
   function is in one mode only.

   WHICH EDGES (edgeplan_)   The planner takes the graph of one function and says which edges need
   a counter. Step 4 uses it; a program that plans by itself uses it like this:
   1. Give edgeplan_init numbered vertices, one of them the root and one EXIT, and edges as pairs
      of numbers. Parallel edges, edges from a vertex to itself, irreducible loops and edges into
      the root are legal.
   2. Say which edges run often. edgeplan_weigh guesses it from the nesting of loops. If you have
      counts of an earlier run, put them into an edgeplan_order. They decide first, and the guess
      decides between equal counts.
   3. Choose the problem:
         edgeplan_edges       counters on edges, from which every edge and block is derived
         edgeplan_drop        after it: fewer counters, if only blocks are wanted
         edgeplan_vertices    counters in blocks, from which every block is derived
         edgeplan_witnesses   edges that write a token into a trace of the whole path
         edgeplan_marks       marks for coverage; only straight lines are derived
   4. Read plan[e] of each edge.

   THE WHOLE PATH (edgetrace_)   A trace tells in which order blocks ran. examples/path.c is a
   whole program.
   1. edgeplan_witnesses says which edges are witnesses. They are numbered 0, 1, 2 ... in the
      order of the edges, for each function anew.
   2. Write edgetrace_witness(t, number) where such an edge is taken. Some calls have a target
      that the reader cannot know: those through a pointer, and those of code that is not traced
      but may call back. Such a call stands between two others:
         int outside = edgetrace_call(t); ... the call ...; edgetrace_called(t, outside);
      A function that can be reached that way begins with edgetrace_entry and ends with
      edgetrace_return. Direct calls of traced functions need nothing.
   3. A function with setjmp takes a number at its entry (edgetrace_serial). Where setjmp comes
      back, it calls edgetrace_resume with that number and the block behind setjmp.
   4. On your machine, edgetrace_read gives back every block in order, from the graphs and the
      trace alone.
   There is a second form, bit tracing. Every edge that leaves a vertex with d of them writes its
   place among these by edgetrace_choice, in ceil(log2 d) bits. It needs no plan and less space,
   but more writes.

   PROMISES
   It does not allocate, recurse, abort or print, and it has no globals except those that EP_FUNC
   makes in your file. In COUNT no count is lost, unless threads share plain counters; one that is
   lost makes counts elsewhere wrong. A graph that breaks the rules is refused with a reason and a
   vertex. The same graph and weights give the same plan on every machine. A trace that was cut
   gives all blocks up to its last token; what follows is marked as not certain. A broken trace is
   refused with its offset.

   THREADS  Counters are plain: for one thread, or for interrupts that do not share functions.
   EDGEPROF_ATOMIC makes them atomic. EDGEPROF_THREAD gives each thread its own; EP_JOIN(function)
   adds them to the common ones, at the thread's end and under your lock. COVER with bytes needs
   none of these: every thread stores the same 1. A plan, and a trace, belong to one thread at a
   time.

   OPTIONS  (define them where EP_FUNC and EP_EDGE are used)
     EDGEPROF_BITS=n      16, 32 (default) or 64: width of counters
     EDGEPROF_COVER=n     1 or 8: COVER with a bit for each mark, which takes the least RAM, or
                          with a byte that becomes 1, which takes the least code
     EDGEPROF_CHECK       every edge has its own counter, and no plan is needed
     EDGEPROF_OFF         all macros vanish. EP_REF is NULL, which every function accepts
     EDGEPROF_ATOMIC      counters by __atomic_fetch_add, which gcc and clang have
     EDGEPROF_ADD(c)      what adds 1 to a counter, if you have something better
     EDGEPROF_THREAD=w    the word that makes a variable thread-local: __thread, thread_local
     EDGEPROF_CHAIN=v     for longjmp and exit: see EP_FRAME
   OPTIONS  (define them before every include, the same everywhere)
     EDGEPROF_WIDE        numbers of vertices and edges have 32 bits, not 16
     EDGEPROF_STATIC      makes everything static, for one file. What nobody calls then takes no
                          space. (With --gc-sections the functions go, but their texts stay.)

   COST  edges - vertices + 2 counters a function. On a Cortex-M3, 3 instructions and 8 to 12 bytes
   of code for each edge that counts. Deriving takes time linear in the graph. Planning needs 44
   bytes an edge and 96 a vertex, and time n log n; the 2691 functions of sqlite take some
   milliseconds. A token of a trace is 1 byte for witnesses up to 126. Reading takes 16 bytes a
   vertex and 12 an edge. docs/edgeprof.md has measurements.
   Theory: "Optimally Profiling and Tracing Programs" (Ball, Larus; 1994). Sections of the paper
   are named below.

   CONTENTS
     language
     linkage
     options
     counts: types and functions
     the planner: types and functions
     traces: types and functions
     macros
     deriving counts (section 3.2)
     counts of one function
     threads, longjmp, exit
     LCOV and CSV
     writing a .brst part
     the dump (docs/formats.md, kind 4)
     the planner: memory and the graph
     the planner: weights by loop nesting (section 5)
     the planner: spanning trees (section 3.2)
     the planner: witnesses (section 4) and marks
     the planner: a plan as a header
     writing a trace
     reading a trace
*/

#ifndef EDGEPROF_H
#define EDGEPROF_H
#include <stddef.h>
#include <stdint.h>

/* ---- language ---------------------------------------- src/language.h ---- */

/* Microsoft's compiler and -std=gnu90 say less about themselves, and take
   it. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus) \
    && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "this header is C99 and C++11: compile with -std=c99 or newer in place of -ansi"
#endif

/* ---- linkage ------------------------------------------ src/linkage.h ---- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define EDGEPROF_P_GNU
#endif
#if defined(EDGEPROF_P_GNU) || defined(__TINYC__)
#define EDGEPROF_P_UNUSED __attribute__((unused))
#else
#define EDGEPROF_P_UNUSED
#endif
#ifdef EDGEPROF_STATIC
#define EDGEPROF_API EDGEPROF_P_UNUSED static
#elif defined(EDGEPROF_P_GNU) && !defined(_WIN32)
#define EDGEPROF_API extern __attribute__((visibility("hidden")))
#else
#define EDGEPROF_API extern
#endif

/* ---- options --------------------------------- src/edgeprof/options.h ---- */

#ifdef EDGEPROF_WIDE
typedef uint32_t edgeprof_index;
#else
typedef uint16_t edgeprof_index;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- counts: types and functions -------------- src/edgeprof/counts.h ---- */

/* Takes bytes that are written. Returns 0 to go on; anything else stops the
   writer. */
typedef int (*edgeprof_write_fn)(void *user, const void *data, size_t size);

/* Made by EP_FUNC. A pointer is NULL where the program does not have what it
   points to. */
typedef struct edgeprof_function {
    const char *name;
    const char *file;
    const edgeprof_index *ends;      /* source and target of each edge, then those of X */
    const uint32_t *lines;           /* of each vertex; 0: none */
    const uint8_t *plan;             /* of each edge but stay edges: 1 has a counter; NULL: all */
    const char *const *vertex_names; /* EDGEPROF_CHECK only */
    void *counters;
    uint32_t *early;                 /* of each vertex: how many activations ended there without
                                        leaving by an edge, less those that came back behind it.
                                        Modulo 2^32, or EDGEPROF_UNKNOWN; EP_FUNC_EXITS only */
    uint32_t *reentry;               /* of each vertex: how many began anew there; may be NULL */
    uint32_t vertices;               /* vertex 0 is the entry, the last is EXIT */
    uint32_t edges;                  /* without X, the edge from EXIT to the entry */
    uint32_t stays;                  /* so many of the last edges are stay edges (edgeplan_init) */
    uint32_t slots;                  /* counters or marks */
    uint32_t hash;                   /* of table and plan */
    uint8_t bits;                    /* 16, 32, 64: COUNT; 1, 8: COVER */
    uint8_t counts_entry;            /* 1: X has a counter, the last one */
} edgeprof_function;

/* early[] of a vertex where activations ended, nobody knows how often. */
#define EDGEPROF_UNKNOWN UINT32_C(0x80000000)

/* Activations that may end without leaving by an edge, the outermost first.
   They stand in memory of yours and not on the stack, where longjmp would leave
   them to be overwritten. */
typedef struct edgeprof_frame {
    const edgeprof_function *function;
    uint32_t vertex; /* where it stood before its latest call that may not come back */
} edgeprof_frame;

typedef struct edgeprof_chain {
    edgeprof_frame *frames;
    uint32_t max;   /* how many there is room for */
    uint32_t count; /* may be more than max: the innermost are not recorded then */
    uint32_t lost;  /* how many were not: if one of these ended early, counts are wrong */
} edgeprof_chain;

/* What edgeprof_check found: a vertex where more comes in than goes out, or the
   other way round; or an edge whose derived count is not the one that was
   measured. */
typedef struct edgeprof_fault {
    uint32_t vertex;
    uint32_t line;
    const char *vertex_name;
    uint64_t in;   /* of the vertex; of an edge what was derived */
    uint64_t out;  /* of the vertex; of an edge what was measured */
    uint32_t edge; /* UINT32_MAX: the vertex is at fault */
} edgeprof_fault;

/* ---- answers ---- */

/* Returns the bytes of memory, aligned to 8, that the functions below need:
   those of the largest function of the list. */
EDGEPROF_API size_t edgeprof_bytes(const edgeprof_function *const *list, uint32_t count);

/* Every count of one function: count[0 .. edges] of edges, with the number of
   activations at [edges], and block[] of vertices. Either may be NULL. In COVER
   a count is 1 or 0. Returns 0, or -1: too little memory, or no table. */
EDGEPROF_API int edgeprof_counts(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                                 void *memory, size_t bytes);

/* For EDGEPROF_CHECK: does the flow law hold at each vertex, and does what
   `plan` counts (an entry for each edge and X, as edgeplan_edges makes it;
   NULL: only the flow law) give all other counts? Returns 0, or -1 with
   *fault. */
EDGEPROF_API int edgeprof_check(const edgeprof_function *f, const uint8_t *plan,
                                edgeprof_fault *fault, void *memory, size_t bytes);

/* LCOV and CSV of functions with a table. Functions of one file become one
   record. Both return 0, or -1: memory is too small, counters are no plan of
   their graph, or a write failed. */
EDGEPROF_API int edgeprof_write_lcov(const edgeprof_function *const *list, uint32_t count,
                                     void *memory, size_t bytes, edgeprof_write_fn write,
                                     void *user);
EDGEPROF_API int edgeprof_write_csv(const edgeprof_function *const *list, uint32_t count,
                                    void *memory, size_t bytes, edgeprof_write_fn write,
                                    void *user);
/* One .brst part of kind 4. Needs no memory. Returns 0, or -1 if a write
   failed. */
EDGEPROF_API int edgeprof_write(const edgeprof_function *const *list, uint32_t count,
                                edgeprof_write_fn write, void *user);
/* The same for the run of a test: `bursty report` keeps what each test ran
   apart. test: its name; NULL or "": the run is of none. */
EDGEPROF_API int edgeprof_write_test(const char *test, const edgeprof_function *const *list,
                                     uint32_t count, edgeprof_write_fn write, void *user);

/* Returns what tells the counters of functions apart in a dump. It is made of
   the name, the hash, the bits and the number of slots. */
EDGEPROF_API uint64_t edgeprof_key(const edgeprof_function *f);

/* Sets all counters of these functions to 0. */
EDGEPROF_API void edgeprof_reset(const edgeprof_function *const *list, uint32_t count);

/* ---- behind the macros ---- */

/* Adds own[] to the function's counters and clears it. */
EDGEPROF_API void edgeprof_join(const edgeprof_function *f, void *own);
/* Returns the number of the new frame. */
EDGEPROF_API uint32_t edgeprof_enter(edgeprof_chain *chain, const edgeprof_function *f);
/* The activation stands at `vertex` now. */
EDGEPROF_API void edgeprof_at(edgeprof_chain *chain, uint32_t frame, uint32_t vertex);
/* longjmp came back to `vertex` of the activation of that frame. */
EDGEPROF_API void edgeprof_come_back(edgeprof_chain *chain, uint32_t frame, uint32_t vertex);
/* by 1: counts all running activations as ended where they stand, before exit
   or a dump. by -1: takes that back. */
EDGEPROF_API void edgeprof_running(const edgeprof_chain *chain, int by);

/* ---- the core, for programs that have graphs of their own ---- */

/* Derives counts by the flow law (section 3.2): at each vertex what comes in
   goes out. ends: pairs, X among them. known[e] not 0: count[e] is given; the
   others are written. balance: for each vertex what else came in less what else
   went out, as by early exits (edges v -> EXIT) and re-entries (EXIT -> v) of
   known count; it is used up. Counts are modulo 2^bits. Returns 0, or -1: the
   edges that are not known hold a cycle, or memory is too small. */
EDGEPROF_API int edgeprof_solve(const edgeprof_index *ends, uint32_t vertices, uint32_t edges,
                                const uint8_t *known, uint64_t *count, uint64_t *balance,
                                uint32_t bits, void *memory, size_t bytes);
/* Returns the bytes of memory, aligned to 8, that edgeprof_solve needs. */
EDGEPROF_API size_t edgeprof_solve_bytes(uint32_t vertices);

/* ---- the planner: types and functions ----------- src/edgeprof/plan.h ---- */

typedef struct edgeplan_graph {
    uint32_t vertices;
    uint32_t edges;
    uint32_t root;
    uint32_t exit;
    uint32_t stays;       /* so many of the last edges are stay edges: they hold no counter */
    uint32_t add_stays;   /* 1: add a stay edge where a vertex cannot reach EXIT; 0: refuse */
    const uint32_t *ends; /* two numbers an edge: source, target */
} edgeplan_graph;

/* Why edgeplan_init refuses a graph, and what its `at` is. */
enum {
    EDGEPLAN_NO_MEMORY = 1, /* less than edgeplan_bytes, or 2^30 edges and more */
    EDGEPLAN_NO_VERTEX = 2, /* a number that is no vertex, or root and EXIT are one; the edge */
    EDGEPLAN_EXIT_LEFT = 3, /* an edge leaves EXIT; the edge */
    EDGEPLAN_UNREACHED = 4, /* no path from the root leads to a vertex; the vertex */
    EDGEPLAN_ENDLESS = 5,   /* no path leads from a vertex to EXIT; the vertex */
    EDGEPLAN_BAD_STAY = 6   /* a stay edge leads elsewhere, or closes a cycle; the edge */
};

/* plan[] of an edge. */
enum {
    EDGEPLAN_NONE = 0,    /* no counter: it is derived */
    EDGEPLAN_COUNTED = 1, /* a counter, a mark or a witness */
    EDGEPLAN_ZERO = 2     /* no counter: take it as known and 0 */
};

typedef struct edgeplan {
    uint32_t vertices;
    uint32_t edges;    /* with stay edges; edge number `edges` is X, from EXIT to the root */
    uint32_t root;
    uint32_t exit;
    uint32_t stays;
    uint32_t *ends;    /* edges + 1 pairs */
    double *weight;    /* of each edge, by edgeplan_weigh; yours to change */
    uint8_t *plan;     /* of each edge and X; after edgeplan_vertices of each vertex */
    uint32_t counters; /* how many are EDGEPLAN_COUNTED */
    uint32_t reason;   /* after a refusal; 0: there was none */
    uint32_t at;
    uint32_t *class_of;    /* after edgeplan_vertices: the class [v] of each vertex */
    uint32_t *class_after; /* and the class s(v) of its successors */
    uint32_t classes;
    /* private */
    uint32_t *out_at, *out, *in_at, *in, *scratch[6], *sort[2];
    double *vertex_weight;
} edgeplan;

/* What the heaviest edges are; they stay without a counter. NULL: those of the
   largest weight. */
typedef struct edgeplan_order {
    const uint64_t *count; /* counts of an earlier run for each edge, or NULL */
    int minimum;           /* 1: the minimum spanning tree, the worst plan, for comparisons */
    const uint8_t *uncountable; /* of each edge: 1 must get no counter, if that can be; or NULL */
} edgeplan_order;

/* Returns the bytes of memory, aligned to 8, that edgeplan_init needs. */
EDGEPROF_API size_t edgeplan_bytes(uint32_t vertices, uint32_t edges);

/* Copies the graph, adds stay edges if wanted, and checks it. Returns how many
   edges it has now, which is at least 1. 0 means that the graph is refused: see
   reason and at. p must not be used then. */
EDGEPROF_API uint32_t edgeplan_init(edgeplan *p, void *memory, size_t bytes,
                                    const edgeplan_graph *graph);

/* Marks the vertices that no path from the root reaches. Returns how many there
   are, or -1 when memory is too small or an edge's end is no vertex. For
   readers of files that drop such vertices before edgeplan_init refuses
   them. */
EDGEPROF_API int64_t edgeplan_unreached(const edgeplan_graph *graph, uint8_t *mark, void *memory,
                                        size_t bytes);

/* Section 5: weights by loop nesting. probability: of each edge among those of
   its source, or NULL for equal shares. */
EDGEPROF_API void edgeplan_weigh(edgeplan *p, const double *probability);

/* Section 3.2: counters on the complement of a maximum spanning tree. There are
   edges - vertices + 2 of them. */
EDGEPROF_API void edgeplan_edges(edgeplan *p, const edgeplan_order *order);

/* Section 3.4: takes counters away while blocks can still be derived. Call
   edgeplan_edges before. */
EDGEPROF_API void edgeplan_drop(edgeplan *p, const edgeplan_order *order);

/* Section 3.5 (Knuth and Stevenson): counters in vertices. There are vertices -
   classes + 1 of them. order->count, if any, counts vertices here. */
EDGEPROF_API void edgeplan_vertices(edgeplan *p, const edgeplan_order *order);

/* The kind of a vertex, for edgeplan_witnesses. */
enum {
    EDGEPLAN_CALL = 1,      /* the reader knows by itself when the call is over, or by LEAVE */
    EDGEPLAN_CALL_TOLD = 2  /* a witness on each way to the next call or to EXIT says it */
};

/* Section 4: witnesses. call_block: not 0 for each vertex in which another
   function's tokens may come, or which never returns; EXIT is one in any case.
   Of the order, uncountable edges get no witness. */
EDGEPROF_API void edgeplan_witnesses(edgeplan *p, const uint8_t *call_block,
                                     const edgeplan_order *order);

/* Coverage: marks on the entry (X) and on each edge that leaves a vertex with
   several. Nothing else is marked. */
EDGEPROF_API void edgeplan_marks(edgeplan *p);

/* Returns whether v has two or more out-edges. */
EDGEPROF_API int edgeplan_is_predicate(const edgeplan *p, uint32_t v);

/* Prints the macros that edgeprof.h wants for function `name`: counters by the
   plan that is there and marks. Call edgeplan_edges before; afterwards the plan
   holds marks. Returns 0, or -1 if a write failed. */
EDGEPROF_API int edgeplan_write_header(edgeplan *p, const char *name,
                                       int (*write)(void *user, const void *data, size_t size),
                                       void *user);

/* ---- traces: types and functions --------------- src/edgeprof/trace.h ---- */

/* Takes bytes that are written. Returns 0 to go on; anything else stops the
   trace. */
typedef int (*edgetrace_write_fn)(void *user, const void *data, size_t size);

typedef struct edgetrace {
    edgetrace_write_fn write, write_bits;
    void *user;
    uint64_t bits; /* written by edgetrace_choice */
    uint32_t serials;
    int error;   /* what write returned when it was not 0 */
    int outside; /* 1: a traced function that is entered now must say so */
    uint8_t used, bits_used;
    unsigned char tokens[64], packed[64];
} edgetrace;

/* write_bits takes the bits of edgetrace_choice, a stream of its own; NULL:
   there are none. */
EDGEPROF_API void edgetrace_begin(edgetrace *t, edgetrace_write_fn write,
                                   edgetrace_write_fn write_bits, void *user);
/* Writes what is left. Returns 0, or -1 if a write failed. Its last byte says
   that the trace ends here. */
EDGEPROF_API int edgetrace_end(edgetrace *t);

/* An edge with a witness, or one of several out-edges in bit tracing, is
   taken. */
EDGEPROF_API void edgetrace_witness(edgetrace *t, uint32_t number);
EDGEPROF_API void edgetrace_choice(edgetrace *t, uint32_t place, uint32_t bits);

/* A function begins. Returns what edgetrace_return wants when it ends. */
EDGEPROF_API int edgetrace_entry(edgetrace *t, uint32_t function);
EDGEPROF_API void edgetrace_return(edgetrace *t, int outside);

/* Before an opaque call. Returns what edgetrace_called wants behind it. */
EDGEPROF_API int edgetrace_call(edgetrace *t);
EDGEPROF_API void edgetrace_called(edgetrace *t, int outside);

/* Returns a number for this activation, which edgetrace_resume wants when
   longjmp comes back. */
EDGEPROF_API uint32_t edgetrace_serial(edgetrace *t);
EDGEPROF_API void edgetrace_resume(edgetrace *t, uint32_t serial, uint32_t block);

/* ---- reading ---- */

/* What a block calls. Smaller numbers are functions of the program. */
enum {
    EDGETRACE_SILENT = 0x7FFFFFFE, /* code that is not traced and calls nothing traced */
    EDGETRACE_OPAQUE = 0x7FFFFFFF  /* what the reader cannot know */
};

/* call_at: the calls of vertex v are call[call_at[v]] .. call[call_at[v + 1] -
   1]. */
typedef struct edgetrace_function {
    uint32_t vertices, edges, root, exit;
    const uint32_t *ends;         /* pairs: source, target */
    const uint8_t *witness;       /* of each edge; NULL: this is bit tracing */
    const uint32_t *call_at;      /* NULL: it calls nothing */
    const uint32_t *call;
    const uint8_t *never_returns; /* of each vertex: its last call does not come back; NULL: none */
    int has_serial;               /* it calls edgetrace_serial at its entry */
} edgetrace_function;

typedef struct edgetrace_frame {
    uint32_t function, vertex, call, held, serial;
} edgetrace_frame;

typedef struct edgetrace_reader {
    const edgetrace_function *functions;
    uint32_t count, depth, depth_max;
    edgetrace_frame *frames;
    uint32_t *first; /* of each function: where its lists are */
    uint32_t *lists;
    uint32_t *toward;   /* of each vertex of the top frame: the edge to the held witness */
    uint32_t *queue;
    const char *reason; /* after -1 */
    size_t offset;      /* of the token that was read last */
    uint32_t serials;
} edgetrace_reader;

/* Returns the bytes of memory, aligned to 8, with which edgetrace_reader_init
   has room for `depth` open calls. */
EDGEPROF_API size_t edgetrace_reader_bytes(const edgetrace_function *functions, uint32_t count,
                                            uint32_t depth);
/* Returns how many calls may be open at a time. 0 means that memory is too
   small or that an edge leads to no vertex, and r must not be used. */
EDGEPROF_API uint32_t edgetrace_reader_init(edgetrace_reader *r,
                                             const edgetrace_function *functions, uint32_t count,
                                             void *memory, size_t bytes);
/* Calls block(user, function, vertex, is_certain) for every block, at most
   `most` times; it returns 0 to go on. EXIT is no block. Returns 0 at the end
   of the trace, when it was cut, or when block or `most` stopped it; -1 with
   reason and offset if the trace does not fit the graphs or more calls are open
   than there is room for. */
EDGEPROF_API int edgetrace_read(edgetrace_reader *r, const void *tokens, size_t size,
                                 const void *bits, uint64_t bit_count, uint64_t most,
                                 int (*block)(void *user, uint32_t function, uint32_t vertex,
                                              int is_certain),
                                 void *user);

#ifdef __cplusplus
}
#endif

/* ---- macros ----------------------------------- src/edgeprof/macros.h ---- */

/* EP_FUNC(f)           once, at file level: counters and tables of the function whose table is
                        EP_CFG_f
   EP_FUNC_EXITS(f)     the same for a function that uses EP_FRAME
   EP_DECLARE(f)        in another file, before EP_REF(f)
   EP_REF(f)            const edgeprof_function *, or NULL with EDGEPROF_OFF
   EP_ENTRY(f)          first in the function
   EP_EDGE(f, number)   where this edge is taken
   EP_JOIN(f)           EDGEPROF_THREAD: adds this thread's counters to the common ones

   Activations that end inside of a block, by longjmp or exit, break the flow
   law, so they must be counted. Define EDGEPROF_CHAIN as a variable of type
   edgeprof_chain that each thread has for itself. Then:

   EP_FRAME(f);         behind EP_ENTRY
   EP_AT(f, vertex)     before a call that may not come back
   EP_LEAVE(f)          before each return
   EP_BACK(f, vertex)   where setjmp has returned something else than 0; vertex is the block
                        behind setjmp
   edgeprof_running(&(EDGEPROF_CHAIN), 1)   before exit and around a dump

   f, edge numbers and vertex names must not be macros. How EP_EDGE(tok, 3)
   comes to nothing: it becomes EP_P_DO(tok, 3, EP_L_tok_3). The plan header
   replaces the last argument by 0 or 1. One level further that digit picks
   EP_P_DO_0, which is ((void)0), or EP_P_DO_1, which increments. */

#if defined(EDGEPROF_CHECK) && defined(EDGEPROF_COVER)
#error "EDGEPROF_CHECK counts; build without EDGEPROF_COVER"
#endif
#if defined(EDGEPROF_COVER) && EDGEPROF_COVER != 1 && EDGEPROF_COVER != 8
#error "EDGEPROF_COVER must be 1 or 8"
#endif

#ifndef EDGEPROF_BITS
#define EDGEPROF_BITS 32
#endif
#if defined(EDGEPROF_COVER)
typedef uint8_t edgeprof_counter;
#elif EDGEPROF_BITS == 16
typedef uint16_t edgeprof_counter;
#elif EDGEPROF_BITS == 32
typedef uint32_t edgeprof_counter;
#elif EDGEPROF_BITS == 64
typedef uint64_t edgeprof_counter;
#else
#error "EDGEPROF_BITS must be 16, 32 or 64"
#endif

/* What one counter does. Without gcc or clang, EDGEPROF_ATOMIC needs your own
   EDGEPROF_ADD(counter). Marks are atomic with gcc and clang, whatever adds. */
#if defined(EDGEPROF_ATOMIC) && defined(__GNUC__)
#ifndef EDGEPROF_ADD
#define EDGEPROF_ADD(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED))
#endif
#define EP_P_MARK(byte) (__atomic_store_n(&(byte), 1, __ATOMIC_RELAXED))
#define EP_P_SET_BIT(byte, mask) \
    ((void)__atomic_fetch_or(&(byte), (uint8_t)(mask), __ATOMIC_RELAXED))
#elif defined(EDGEPROF_ATOMIC) && !defined(EDGEPROF_ADD)
#error "EDGEPROF_ATOMIC: define EDGEPROF_ADD(counter), which adds 1 to it"
#endif
#ifndef EDGEPROF_ADD
#define EDGEPROF_ADD(counter) ((void)++(counter))
#endif
#ifndef EP_P_MARK
#define EP_P_MARK(byte) ((void)((byte) = 1))
#endif
#ifndef EP_P_SET_BIT
#define EP_P_SET_BIT(byte, mask) ((void)((byte) = (uint8_t)((byte) | (mask))))
#endif

#define EP_P_DO(F, id, is) EP_P_DO_IS(F, id, is)
#define EP_P_DO_IS(F, id, is) EP_P_DO_##is(F, id)
#define EP_P_DO_0(F, id) ((void)0)

#ifdef EDGEPROF_THREAD
#define EP_P_MINE(F) ep_own_##F
#define EP_P_OWN(F, size) static EDGEPROF_THREAD edgeprof_counter ep_own_##F[size];
#else
#define EP_P_MINE(F) ep_counters_##F
#define EP_P_OWN(F, size)
#endif

#if defined(EDGEPROF_OFF)
#define EP_EDGE(F, id) ((void)0)
#elif defined(EDGEPROF_CHECK)
#define EP_EDGE(F, id) EDGEPROF_ADD(EP_P_MINE(F)[EP_I_##F##_##id])
#define EP_P_SLOTS(F) (EP_I_##F##_X + 1)
#define EP_P_ARRAY(F) EP_P_SLOTS(F)
#define EP_P_HASH(F) 0
#define EP_P_STAY_ENDS(F)
#define EP_P_STAYS(F) 0
#define EP_P_X(F) 1
#define EP_P_PLAN(F, id, from, to)
#define EP_P_PLAN_OF(F) NULL
#define EP_P_PLAN_ARRAY(F)
#define EP_P_KIND EDGEPROF_BITS
#define EP_P_FRESH(F)
#else
#define EP_P_STAY_ENDS(F) EP_STAYS_##F
#define EP_P_STAYS(F) EP_NS_##F
#define EP_P_HASH(F) EP_HASH_##F
#define EP_P_PLAN_OF(F) ep_plan_##F
#define EP_P_PLAN_ARRAY(F) \
    static const uint8_t ep_plan_##F[] = {EP_CFG_##F(EP_P_NO_V, EP_P_PLAN, F)};
#define EP_P_FRESH(F) \
    typedef char ep_plan_is_stale_make_it_again_##F \
        [(UINT32_C(0) EP_CFG_##F(EP_P_NO_V, EP_P_SUM, F)) == EP_SUM_##F && \
         EP_I_##F##_X == EP_NE_##F ? 1 : -1];
#ifdef EDGEPROF_COVER
#define EP_EDGE(F, id) EP_P_DO(F, id, EP_C_##F##_##id)
#define EP_P_SLOTS(F) EP_NB_##F
#define EP_P_X(F) EP_C_##F##_X
#define EP_P_PLAN(F, id, from, to) EP_C_##F##_##id,
#define EP_P_KIND EDGEPROF_COVER
#if EDGEPROF_COVER == 1
#define EP_P_ARRAY(F) ((EP_NB_##F + 7) / 8)
#define EP_P_DO_1(F, id) \
    EP_P_SET_BIT(EP_P_MINE(F)[EP_B_##F##_##id >> 3], 1u << (EP_B_##F##_##id & 7))
#else
#define EP_P_ARRAY(F) EP_NB_##F
#define EP_P_DO_1(F, id) EP_P_MARK(EP_P_MINE(F)[EP_B_##F##_##id])
#endif
#else
#define EP_EDGE(F, id) EP_P_DO(F, id, EP_L_##F##_##id)
#define EP_P_SLOTS(F) EP_NC_##F
#define EP_P_ARRAY(F) (EP_NC_##F + (EP_NC_##F == 0))
#define EP_P_X(F) EP_L_##F##_X
#define EP_P_PLAN(F, id, from, to) EP_L_##F##_##id,
#define EP_P_KIND EDGEPROF_BITS
#define EP_P_DO_1(F, id) EDGEPROF_ADD(EP_P_MINE(F)[EP_S_##F##_##id])
#endif
#endif
#define EP_ENTRY(F) EP_EDGE(F, X)

#ifdef EDGEPROF_OFF
#define EP_FUNC(F) typedef int ep_off_##F
#define EP_FUNC_EXITS(F) typedef int ep_off_##F
#define EP_DECLARE(F) typedef int ep_declared_##F
#define EP_REF(F) ((const edgeprof_function *)0)
#else
/* What becomes of the two kinds of rows of a table. */
#define EP_P_NO_V(F, name, line)
#define EP_P_NO_E(F, id, from, to)
#define EP_P_VERTEX(F, name, line) EP_V_##F##_##name,
#define EP_P_LINE(F, name, line) line,
#define EP_P_NAME(F, name, line) #name,
#define EP_P_ID(F, id, from, to) EP_I_##F##_##id,
#define EP_P_IN_ORDER(F, id, from, to) && EP_I_##F##_##id == (id)
#define EP_P_ENDS(F, id, from, to) EP_V_##F##_##from, EP_V_##F##_##to,
#define EP_P_SUM(F, id, from, to) \
    + ((uint32_t)EP_I_##F##_##id + UINT32_C(1)) * \
      (UINT32_C(97) * (uint32_t)EP_V_##F##_##from + (uint32_t)EP_V_##F##_##to + UINT32_C(1))

#define EP_P_NUMBERS(F) \
    enum { EP_CFG_##F(EP_P_VERTEX, EP_P_NO_E, F) EP_NV_##F }; \
    enum { EP_CFG_##F(EP_P_NO_V, EP_P_ID, F) EP_I_##F##_X }; \
    typedef char ep_edges_are_numbered_in_order_##F \
        [1 EP_CFG_##F(EP_P_NO_V, EP_P_IN_ORDER, F) ? 1 : -1]; \
    EP_P_FRESH(F) \
    static edgeprof_counter ep_counters_##F[EP_P_ARRAY(F)]; \
    EP_P_OWN(F, EP_P_ARRAY(F))

#ifdef EDGEPROF_CHECK
#define EP_P_NAMES(F) \
    static const char *const ep_names_##F[] = {EP_CFG_##F(EP_P_NAME, EP_P_NO_E, F)};
#define EP_P_NAMES_OF(F) ep_names_##F
#else
#define EP_P_NAMES(F)
#define EP_P_NAMES_OF(F) NULL
#endif

#define EP_P_TABLES(F) \
    static const edgeprof_index ep_ends_##F[] = { \
        EP_CFG_##F(EP_P_NO_V, EP_P_ENDS, F) EP_P_STAY_ENDS(F) EP_NV_##F - 1, 0}; \
    static const uint32_t ep_lines_##F[] = {EP_CFG_##F(EP_P_LINE, EP_P_NO_E, F)}; \
    EP_P_PLAN_ARRAY(F) \
    EP_P_NAMES(F)
#define EP_P_TABLES_OF(F) #F, __FILE__, ep_ends_##F, ep_lines_##F, EP_P_PLAN_OF(F), EP_P_NAMES_OF(F)

#define EP_P_FUNCTION(F, early, reentry) \
    EP_P_TABLES(F) \
    EP_DECLARE(F); \
    const edgeprof_function ep_##F = { \
        EP_P_TABLES_OF(F), ep_counters_##F, early, reentry, EP_NV_##F, \
        EP_I_##F##_X + EP_P_STAYS(F), EP_P_STAYS(F), EP_P_SLOTS(F), EP_P_HASH(F), EP_P_KIND, \
        EP_P_X(F)}

#define EP_DECLARE(F) extern const edgeprof_function ep_##F
#define EP_REF(F) (&ep_##F)
#define EP_FUNC(F) EP_P_NUMBERS(F) EP_P_FUNCTION(F, NULL, NULL)
#define EP_FUNC_EXITS(F) \
    EP_P_NUMBERS(F) \
    static uint32_t ep_early_##F[EP_NV_##F]; \
    static uint32_t ep_reentry_##F[EP_NV_##F]; \
    EP_P_FUNCTION(F, ep_early_##F, ep_reentry_##F)
#endif

#if defined(EDGEPROF_THREAD) && !defined(EDGEPROF_OFF)
#define EP_JOIN(F) edgeprof_join(&ep_##F, ep_own_##F)
#else
#define EP_JOIN(F) ((void)0)
#endif

#if defined(EDGEPROF_CHAIN) && !defined(EDGEPROF_OFF)
#define EP_FRAME(F) uint32_t ep_frame = edgeprof_enter(&(EDGEPROF_CHAIN), &ep_##F)
#define EP_AT(F, where) edgeprof_at(&(EDGEPROF_CHAIN), ep_frame, EP_V_##F##_##where)
#define EP_LEAVE(F) ((void)((EDGEPROF_CHAIN).count = ep_frame))
#define EP_BACK(F, where) edgeprof_come_back(&(EDGEPROF_CHAIN), ep_frame, EP_V_##F##_##where)
#else
#define EP_FRAME(F) ((void)0)
#define EP_AT(F, where) ((void)0)
#define EP_LEAVE(F) ((void)0)
#define EP_BACK(F, where) ((void)0)
#endif
#endif /* EDGEPROF_H */

#if defined(EDGEPROF_IMPLEMENTATION) && !defined(EDGEPROF_IMPLEMENTED)
#define EDGEPROF_IMPLEMENTED

/* ---- deriving counts (section 3.2) ------------- src/edgeprof/solve.c ---- */

/* At each vertex the sum of the in-edges equals the sum of the out-edges. A
   vertex with one unknown edge gives that edge; the unknown edges are a forest,
   so there is always such a vertex, a leaf. No list of neighbours is needed:
   who[v], the exclusive or of the numbers of v's unknown edges, is the edge
   itself when one is left. An edge from a vertex to itself enters no sum; it
   must be known.

       left[v]      number of unknown edges at v
       who[v]       exclusive or of their numbers
       balance[v]   what is known to come in, less what is known to go out

   Everything is modulo 2^64, and so right modulo 2^bits. */

EDGEPROF_API size_t edgeprof_solve_bytes(uint32_t vertices) { return 12 * (size_t)vertices; }

typedef struct edgeprof_p_solver {
    uint32_t *left, *who, *queue, queued;
    uint64_t *balance;
} edgeprof_p_solver;

static void edgeprof_p_settle(edgeprof_p_solver *s, uint32_t v, uint32_t e, uint64_t change) {
    s->left[v]--;
    s->who[v] ^= e;
    s->balance[v] += change;
    if (s->left[v] == 1) s->queue[s->queued++] = v;
}

EDGEPROF_API int edgeprof_solve(const edgeprof_index *ends, uint32_t vertices, uint32_t edges,
                                const uint8_t *known, uint64_t *count, uint64_t *balance,
                                uint32_t bits, void *memory, size_t bytes) {
    edgeprof_p_solver s;
    uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    uint32_t e, v, from, to, unknown = 0;
    if (bytes < edgeprof_solve_bytes(vertices)) return -1;
    s.left = (uint32_t *)memory;
    s.who = s.left + vertices;
    s.queue = s.who + vertices;
    s.queued = 0;
    s.balance = balance;
    for (v = 0; v < vertices; v++) s.left[v] = s.who[v] = 0;
    for (e = 0; e < edges; e++) {
        from = ends[2 * (size_t)e];
        to = ends[2 * (size_t)e + 1];
        if (known[e]) {
            balance[to] += count[e];
            balance[from] -= count[e];
            continue;
        }
        if (from == to) return -1;
        unknown++;
        s.left[from]++;
        s.left[to]++;
        s.who[from] ^= e;
        s.who[to] ^= e;
    }
    for (v = 0; v < vertices; v++)
        if (s.left[v] == 1) s.queue[s.queued++] = v;
    while (s.queued > 0) {
        v = s.queue[--s.queued];
        if (s.left[v] != 1) continue;
        e = s.who[v];
        from = ends[2 * (size_t)e];
        to = ends[2 * (size_t)e + 1];
        count[e] = (from == v ? balance[v] : 0 - balance[v]) & mask;
        edgeprof_p_settle(&s, from, e, 0 - count[e]);
        edgeprof_p_settle(&s, to, e, count[e]);
        unknown--;
    }
    return unknown ? -1 : 0;
}

/* ---- counts of one function ------------------- src/edgeprof/counts.c ---- */

static uint64_t edgeprof_p_mask(const edgeprof_function *f) {
    return f->bits < 64 ? ((uint64_t)1 << f->bits) - 1 : UINT64_MAX;
}

static int edgeprof_p_covers(const edgeprof_function *f) { return f->bits < 16; }

static uint64_t edgeprof_p_slot(const edgeprof_function *f, uint32_t slot) {
    switch (f->bits) {
    case 1: return ((const uint8_t *)f->counters)[slot >> 3] >> (slot & 7) & 1;
    case 8: return ((const uint8_t *)f->counters)[slot];
    case 16: return ((const uint16_t *)f->counters)[slot];
    case 32: return ((const uint32_t *)f->counters)[slot];
    default: return ((const uint64_t *)f->counters)[slot];
    }
}

/* Does edge e, or X, have a counter? */
static int edgeprof_p_counted(const edgeprof_function *f, uint32_t e) {
    if (e == f->edges) return f->counts_entry;
    if (e >= f->edges - f->stays) return 0;
    return f->plan == NULL || f->plan[e];
}

static size_t edgeprof_p_bytes(const edgeprof_function *f) {
    size_t edges = (size_t)f->edges + 1;
    return 8 * edges + 16 * (size_t)f->vertices + edgeprof_solve_bytes(f->vertices) + edges + 16;
}

EDGEPROF_API size_t edgeprof_bytes(const edgeprof_function *const *list, uint32_t count) {
    size_t most = 0, bytes;
    uint32_t i;
    for (i = 0; i < count; i++) {
        bytes = list[i] && list[i]->ends ? edgeprof_p_bytes(list[i]) : 0;
        if (bytes > most) most = bytes;
    }
    return (most + 7) / 8 * 8;
}

/* COVER: what the marks say of straight lines.

       mark -> a -> b -> c -> d -> mark or join

   A line whose first mark is set ran as far as something shows that it did: up
   to a vertex where an activation ended early, or to its end if a mark there is
   set or if nobody ended early in it. So from each mark we go forward, up to
   the next vertex with several out-edges or with an early end; then from each
   edge that was taken, and from each vertex with an early end, back to where
   another way could have led there. Each vertex is passed twice at most.
   only[v] and into[v] are the one edge that leaves v, and the one that leads
   there. */
static int edgeprof_p_ended(const edgeprof_function *f, uint32_t v) {
    return f->early && f->early[v] && f->early[v] <= EDGEPROF_UNKNOWN;
}

static void edgeprof_p_back(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                            const uint32_t *into, uint32_t v) {
    while (!block[v]) {
        uint32_t e = into[v];
        block[v] = 1;
        if (e >= UINT32_MAX - 1 || edgeprof_p_counted(f, e)) return;
        count[e] = 1;
        if (e == f->edges) return;
        v = f->ends[2 * (size_t)e];
    }
}

static void edgeprof_p_close(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                             uint32_t *only) {
    uint32_t *into = only + f->vertices, e, v, w;
    for (v = 0; v < f->vertices; v++) {
        only[v] = into[v] = UINT32_MAX;
        block[v] = 0;
    }
    for (e = 0; e <= f->edges; e++) {
        v = f->ends[2 * (size_t)e];
        w = f->ends[2 * (size_t)e + 1];
        into[w] = into[w] == UINT32_MAX ? e : UINT32_MAX - 1;
        if (e == f->edges) continue;
        only[v] = only[v] == UINT32_MAX ? e : UINT32_MAX - 1;
        if (e >= f->edges - f->stays) only[v] = UINT32_MAX - 1;
    }
    for (w = 0; w <= f->edges + f->vertices; w++) {
        if (w <= f->edges) {
            if (!count[w]) continue;
            v = f->ends[2 * (size_t)w + 1];
        } else {
            v = w - f->edges - 1;
            if (!f->reentry || !f->reentry[v]) continue;
        }
        while (!block[v]) {
            block[v] = 1;
            e = only[v];
            if (e >= UINT32_MAX - 1 || edgeprof_p_counted(f, e) || edgeprof_p_ended(f, v)) break;
            count[e] = 1;
            v = f->ends[2 * (size_t)e + 1];
        }
    }
    for (e = 0; e < f->edges; e++)
        if (count[e]) edgeprof_p_back(f, count, block, into, f->ends[2 * (size_t)e]);
    for (v = 0; v < f->vertices; v++)
        if (edgeprof_p_ended(f, v)) edgeprof_p_back(f, count, block, into, v);
}

typedef struct edgeprof_p_room {
    uint64_t *count, *block, *balance;
    uint32_t *words;
    uint8_t *known;
} edgeprof_p_room;

static int edgeprof_p_lay_out(const edgeprof_function *f, edgeprof_p_room *room, void *memory,
                              size_t bytes) {
    size_t edges = (size_t)f->edges + 1;
    if (!f->ends || bytes < edgeprof_p_bytes(f)) return -1;
    room->count = (uint64_t *)memory;
    room->block = room->count + edges;
    room->balance = room->block + f->vertices;
    room->words = (uint32_t *)(void *)(room->balance + f->vertices);
    room->known = (uint8_t *)(room->words + 3 * (size_t)f->vertices);
    return 0;
}

/* More may have come back than ended: the number is signed. */
static uint64_t edgeprof_p_early(const edgeprof_function *f, uint32_t v) {
    uint64_t early = f->early[v];
    return early & EDGEPROF_UNKNOWN ? early | ~(uint64_t)UINT32_MAX : early;
}

static void edgeprof_p_balance(const edgeprof_function *f, uint64_t *balance) {
    uint32_t v, e, last = f->vertices - 1;
    for (v = 0; v < f->vertices; v++) balance[v] = 0;
    if (!f->early) return;
    for (v = 0; v < last; v++) {
        uint64_t left = edgeprof_p_early(f, v) - (f->reentry ? f->reentry[v] : 0);
        balance[v] -= left;
        balance[last] += left;
    }
    for (e = f->edges - f->stays; e < f->edges; e++) { /* early is what a stay edge derives */
        v = f->ends[2 * (size_t)e];
        balance[v] += edgeprof_p_early(f, v);
        balance[last] -= edgeprof_p_early(f, v);
    }
}

static void edgeprof_p_blocks(const edgeprof_function *f, const uint64_t *count, uint64_t *block) {
    uint64_t mask = edgeprof_p_mask(f);
    uint32_t v, e;
    for (v = 0; v < f->vertices; v++) block[v] = f->reentry ? f->reentry[v] : 0;
    for (e = 0; e <= f->edges; e++) {
        v = f->ends[2 * (size_t)e + 1];
        block[v] = (block[v] + count[e]) & mask;
    }
}

/* Fills room->count and room->block. */
static int edgeprof_p_derive(const edgeprof_function *f, edgeprof_p_room *room) {
    uint32_t slot = 0, e;
    for (e = 0; e <= f->edges; e++) {
        room->known[e] = (uint8_t)edgeprof_p_counted(f, e);
        room->count[e] = room->known[e] ? edgeprof_p_slot(f, slot++) : 0;
        if (edgeprof_p_covers(f) && room->count[e]) room->count[e] = 1;
    }
    if (edgeprof_p_covers(f)) {
        edgeprof_p_close(f, room->count, room->block, room->words);
        return 0;
    }
    edgeprof_p_balance(f, room->balance);
    if (f->plan &&
        edgeprof_solve(f->ends, f->vertices, f->edges + 1, room->known, room->count, room->balance,
                       f->bits, room->words, edgeprof_solve_bytes(f->vertices)) != 0)
        return -1;
    edgeprof_p_blocks(f, room->count, room->block);
    return 0;
}

EDGEPROF_API int edgeprof_counts(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                                 void *memory, size_t bytes) {
    edgeprof_p_room room;
    uint32_t i;
    if (!f || edgeprof_p_lay_out(f, &room, memory, bytes) != 0 || edgeprof_p_derive(f, &room) != 0)
        return -1;
    for (i = 0; count && i <= f->edges; i++) count[i] = room.count[i];
    for (i = 0; block && i < f->vertices; i++) block[i] = room.block[i];
    return 0;
}

EDGEPROF_API int edgeprof_check(const edgeprof_function *f, const uint8_t *plan,
                                edgeprof_fault *fault, void *memory, size_t bytes) {
    edgeprof_p_room room;
    uint64_t mask;
    uint32_t v, e;
    fault->vertex = fault->line = 0;
    fault->vertex_name = "";
    fault->in = fault->out = 0;
    fault->edge = UINT32_MAX;
    if (!f) return 0;
    if (edgeprof_p_covers(f) || edgeprof_p_lay_out(f, &room, memory, bytes) != 0 ||
        edgeprof_p_derive(f, &room) != 0)
        return -1;
    mask = edgeprof_p_mask(f);
    edgeprof_p_balance(f, room.balance);
    for (e = 0; e <= f->edges; e++) {
        room.balance[f->ends[2 * (size_t)e]] -= room.count[e];
        room.balance[f->ends[2 * (size_t)e + 1]] += room.count[e];
    }
    for (v = 0; v < f->vertices; v++) {
        if ((room.balance[v] & mask) == 0) continue;
        fault->vertex = v;
        fault->line = f->lines[v];
        if (f->vertex_names) fault->vertex_name = f->vertex_names[v];
        fault->in = room.block[v];
        fault->out = (room.block[v] - room.balance[v]) & mask;
        return -1;
    }
    if (!plan) return 0;
    for (e = 0; e <= f->edges; e++) room.known[e] = plan[e];
    edgeprof_p_balance(f, room.balance);
    if (edgeprof_solve(f->ends, f->vertices, f->edges + 1, plan, room.count, room.balance, f->bits,
                       room.words, edgeprof_solve_bytes(f->vertices)) != 0)
        return -1;
    for (e = 0; e <= f->edges; e++) {
        if (room.count[e] == edgeprof_p_slot(f, e)) continue;
        fault->edge = e;
        fault->in = room.count[e];
        fault->out = edgeprof_p_slot(f, e);
        return -1;
    }
    return 0;
}

EDGEPROF_API void edgeprof_reset(const edgeprof_function *const *list, uint32_t count) {
    uint32_t i, v;
    for (i = 0; i < count; i++) {
        size_t size, at;
        if (!list[i]) continue;
        size = list[i]->bits == 1 ? (list[i]->slots + 7) / 8
                                  : (size_t)list[i]->slots * (list[i]->bits / 8);
        for (at = 0; at < size; at++) ((unsigned char *)list[i]->counters)[at] = 0;
        for (v = 0; list[i]->early && v < list[i]->vertices; v++) list[i]->early[v] = 0;
        for (v = 0; list[i]->reentry && v < list[i]->vertices; v++) list[i]->reentry[v] = 0;
    }
}

/* ---- threads, longjmp, exit -------------------- src/edgeprof/early.c ---- */

EDGEPROF_API void edgeprof_join(const edgeprof_function *f, void *own) {
    uint32_t slots = f->bits == 1 ? (f->slots + 7) / 8 : f->slots, i;
    for (i = 0; i < slots; i++) switch (f->bits) {
        case 1:
        case 8: {
            uint8_t *to = (uint8_t *)f->counters + i, *from = (uint8_t *)own + i;
            unsigned sum = f->bits == 1 ? (unsigned)(*to | *from) : (unsigned)*to + *from;
            *to = (uint8_t)(sum > 255 ? 255 : sum);
            *from = 0;
            break;
        }
        case 16: {
            uint16_t *from = (uint16_t *)own + i, *to = (uint16_t *)f->counters + i;
            *to = (uint16_t)(*to + *from);
            *from = 0;
            break;
        }
        case 32:
            ((uint32_t *)f->counters)[i] += ((uint32_t *)own)[i];
            ((uint32_t *)own)[i] = 0;
            break;
        default:
            ((uint64_t *)f->counters)[i] += ((uint64_t *)own)[i];
            ((uint64_t *)own)[i] = 0;
            break;
        }
}

/* The chain holds the frames of all running activations that have one. longjmp
   leaves them there until edgeprof_come_back cuts it: the landing activation
   and all behind it ended where they stood, and the landing one began anew
   behind setjmp. The flow law at v: in + reentry = count = out + early. */

EDGEPROF_API uint32_t edgeprof_enter(edgeprof_chain *chain, const edgeprof_function *f) {
    uint32_t frame = chain->count++;
    if (frame < chain->max) {
        chain->frames[frame].function = f;
        chain->frames[frame].vertex = 0;
    } else if (chain->lost < UINT32_MAX) chain->lost++;
    return frame;
}

EDGEPROF_API void edgeprof_at(edgeprof_chain *chain, uint32_t frame, uint32_t vertex) {
    if (frame < chain->max) chain->frames[frame].vertex = vertex;
}

static void edgeprof_p_end_early(const edgeprof_chain *chain, uint32_t from, int by) {
    uint32_t i;
    for (i = from; i < chain->count && i < chain->max; i++) {
        const edgeprof_frame *frame = &chain->frames[i];
        if (frame->function->early) frame->function->early[frame->vertex] += (uint32_t)by;
    }
}

EDGEPROF_API void edgeprof_running(const edgeprof_chain *chain, int by) {
    edgeprof_p_end_early(chain, 0, by);
}

EDGEPROF_API void edgeprof_come_back(edgeprof_chain *chain, uint32_t frame, uint32_t vertex) {
    edgeprof_p_end_early(chain, frame, 1);
    chain->count = frame + 1;
    if (frame >= chain->max) return;
    if (chain->frames[frame].function->reentry) chain->frames[frame].function->reentry[vertex]++;
    chain->frames[frame].vertex = vertex;
}

/* ---- LCOV and CSV ------------------------------- src/edgeprof/lcov.c ---- */

typedef struct edgeprof_p_text {
    edgeprof_write_fn write;
    void *user;
    int error;
    uint32_t used;
    char line[64];
} edgeprof_p_text;

static void edgeprof_p_flush(edgeprof_p_text *t) {
    if (!t->error && t->used) t->error = t->write(t->user, t->line, t->used);
    t->used = 0;
}

static void edgeprof_p_char(edgeprof_p_text *t, char c) {
    t->line[t->used++] = c;
    if (t->used == sizeof t->line) edgeprof_p_flush(t);
}

static void edgeprof_p_say(edgeprof_p_text *t, const char *words) {
    while (*words) edgeprof_p_char(t, *words++);
}

/* A name in a line of text: a line end would begin another record. */
static void edgeprof_p_name(edgeprof_p_text *t, const char *name) {
    for (; *name; name++) edgeprof_p_char(t, (unsigned char)*name < 32 ? '?' : *name);
}

/* Divides by 10, 16 bits at a time, and returns the rest: where 32 bits are a
   word, dividing 64 bits needs a function of 700 bytes. */
static uint32_t edgeprof_p_divide(uint64_t *number) {
    uint64_t quotient = 0;
    uint32_t rest = 0;
    int shift;
    for (shift = 48; shift >= 0; shift -= 16) {
        rest = rest << 16 | (uint32_t)(*number >> shift & 65535);
        quotient = quotient << 16 | rest / 10;
        rest %= 10;
    }
    *number = quotient;
    return rest;
}

static void edgeprof_p_number(edgeprof_p_text *t, uint64_t number) {
    char digits[21], *at = digits + 20;
    *at = 0;
    do *--at = (char)('0' + edgeprof_p_divide(&number));
    while (number != 0);
    edgeprof_p_say(t, at);
}

static void edgeprof_p_row(edgeprof_p_text *t, const char *what, uint64_t a, uint64_t b) {
    edgeprof_p_say(t, what);
    edgeprof_p_number(t, a);
    edgeprof_p_char(t, ',');
    edgeprof_p_number(t, b);
}

static void edgeprof_p_total(edgeprof_p_text *t, const char *what, uint32_t count) {
    edgeprof_p_say(t, what);
    edgeprof_p_number(t, count);
    edgeprof_p_char(t, '\n');
}

static int edgeprof_p_same(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

typedef struct edgeprof_p_totals {
    uint32_t functions, functions_hit, branches, branches_hit, lines, lines_hit;
    uint32_t blocks; /* of the functions before this one: numbers of blocks are unique in a file */
} edgeprof_p_totals;

/* A line runs as often as the busiest vertex that has it. A wrapped count may
   read 0 where an edge behind it does not: readers of LCOV refuse a branch
   taken on a line not run, so the edges that leave a vertex count for its line
   too. */
static uint64_t edgeprof_p_line_count(const edgeprof_function *f, const edgeprof_p_room *room,
                                      uint32_t line) {
    uint64_t most = 0;
    uint32_t v, e;
    for (v = 0; v < f->vertices; v++)
        if (f->lines[v] == line && room->block[v] > most) most = room->block[v];
    for (e = 0; most == 0 && e < f->edges; e++)
        if (f->lines[f->ends[2 * (size_t)e]] == line) most = room->count[e];
    return most;
}

static void edgeprof_p_lcov_function(edgeprof_p_text *t, const edgeprof_function *f,
                                     const edgeprof_p_room *room, edgeprof_p_totals *sum) {
    uint64_t entries = room->count[f->edges], most;
    uint32_t v, w, e, out;
    /* Readers of LCOV refuse a line that ran in a function that did not. */
    for (v = 0; v < f->vertices && entries == 0; v++)
        if (f->lines[v]) entries = edgeprof_p_line_count(f, room, f->lines[v]) != 0;
    if (entries && room->block[0] == 0) room->block[0] = 1;
    edgeprof_p_say(t, "FN:");
    edgeprof_p_number(t, f->lines[0] ? f->lines[0] : 1);
    edgeprof_p_char(t, ',');
    edgeprof_p_name(t, f->name);
    edgeprof_p_say(t, "\nFNDA:");
    edgeprof_p_number(t, entries);
    edgeprof_p_char(t, ',');
    edgeprof_p_name(t, f->name);
    edgeprof_p_char(t, '\n');
    sum->functions++;
    sum->functions_hit += entries != 0;
    for (v = 0; v < f->vertices; v++) {
        uint32_t edges_out = 0;
        for (e = 0; e < f->edges - f->stays; e++) edges_out += f->ends[2 * (size_t)e] == v;
        if (!f->lines[v] || edges_out < 2) continue;
        out = 0;
        for (e = 0; e < f->edges - f->stays; e++) {
            if (f->ends[2 * (size_t)e] != v) continue;
            edgeprof_p_row(t, "BRDA:", f->lines[v], sum->blocks + v);
            edgeprof_p_char(t, ',');
            edgeprof_p_number(t, out++);
            edgeprof_p_char(t, ',');
            if (edgeprof_p_line_count(f, room, f->lines[v]) == 0)
                edgeprof_p_char(t, '-');
            else
                edgeprof_p_number(t, room->count[e]);
            edgeprof_p_char(t, '\n');
            sum->branches++;
            sum->branches_hit += room->count[e] != 0;
        }
    }
    for (v = 0; v < f->vertices; v++) {
        for (w = 0; w < v && f->lines[w] != f->lines[v]; w++) {
        }
        if (!f->lines[v] || w < v) continue;
        most = edgeprof_p_line_count(f, room, f->lines[v]);
        edgeprof_p_row(t, "DA:", f->lines[v], most);
        edgeprof_p_char(t, '\n');
        sum->lines++;
        sum->lines_hit += most != 0;
    }
    sum->blocks += f->vertices;
}

EDGEPROF_API int edgeprof_write_lcov(const edgeprof_function *const *list, uint32_t count,
                                     void *memory, size_t bytes, edgeprof_write_fn write,
                                     void *user) {
    edgeprof_p_text t;
    edgeprof_p_room room;
    uint32_t i, k;
    t.write = write;
    t.user = user;
    t.error = 0;
    t.used = 0;
    for (i = 0; i < count && !t.error; i++) {
        edgeprof_p_totals sum = {0, 0, 0, 0, 0, 0, 0};
        if (!list[i] || !list[i]->ends) continue;
        for (k = 0; k < i; k++)
            if (list[k] && list[k]->ends && edgeprof_p_same(list[k]->file, list[i]->file)) break;
        if (k < i) continue;
        edgeprof_p_say(&t, "TN:\nSF:");
        edgeprof_p_name(&t, list[i]->file);
        edgeprof_p_char(&t, '\n');
        for (k = i; k < count && !t.error; k++) {
            if (!list[k] || !list[k]->ends || !edgeprof_p_same(list[k]->file, list[i]->file))
                continue;
            if (edgeprof_p_lay_out(list[k], &room, memory, bytes) != 0 ||
                edgeprof_p_derive(list[k], &room) != 0)
                return -1;
            edgeprof_p_lcov_function(&t, list[k], &room, &sum);
        }
        edgeprof_p_total(&t, "FNF:", sum.functions);
        edgeprof_p_total(&t, "FNH:", sum.functions_hit);
        edgeprof_p_total(&t, "BRF:", sum.branches);
        edgeprof_p_total(&t, "BRH:", sum.branches_hit);
        edgeprof_p_total(&t, "LF:", sum.lines);
        edgeprof_p_total(&t, "LH:", sum.lines_hit);
        edgeprof_p_say(&t, "end_of_record\n");
    }
    edgeprof_p_flush(&t);
    return t.error ? -1 : 0;
}

static void edgeprof_p_csv_text(edgeprof_p_text *t, const char *name) {
    edgeprof_p_char(t, '"');
    for (; *name; name++) {
        if (*name == '"') edgeprof_p_char(t, '"');
        edgeprof_p_char(t, (unsigned char)*name < 32 ? '?' : *name);
    }
    edgeprof_p_say(t, "\",");
}

static void edgeprof_p_csv_row(edgeprof_p_text *t, const edgeprof_function *f, const char *what,
                               uint32_t number, uint32_t from, uint32_t to, uint64_t executions) {
    edgeprof_p_csv_text(t, f->file);
    edgeprof_p_csv_text(t, f->name);
    edgeprof_p_row(t, what, number, f->lines[from]);
    edgeprof_p_row(t, ",", f->lines[to], executions);
    edgeprof_p_char(t, '\n');
}

EDGEPROF_API int edgeprof_write_csv(const edgeprof_function *const *list, uint32_t count,
                                    void *memory, size_t bytes, edgeprof_write_fn write,
                                    void *user) {
    edgeprof_p_text t;
    edgeprof_p_room room;
    uint32_t i, v, e;
    t.write = write;
    t.user = user;
    t.error = 0;
    t.used = 0;
    edgeprof_p_say(&t, "file,function,what,number,line,to_line,executions\n");
    for (i = 0; i < count && !t.error; i++) {
        const edgeprof_function *f = list[i];
        if (!f || !f->ends) continue;
        if (edgeprof_p_lay_out(f, &room, memory, bytes) != 0 || edgeprof_p_derive(f, &room) != 0)
            return -1;
        edgeprof_p_csv_row(&t, f, "entry,", f->edges - f->stays, f->vertices - 1, 0,
                           room.count[f->edges]);
        for (v = 0; v < f->vertices - 1; v++)
            edgeprof_p_csv_row(&t, f, "block,", v, v, v, room.block[v]);
        for (e = 0; e < f->edges - f->stays; e++)
            edgeprof_p_csv_row(&t, f, "edge,", e, f->ends[2 * (size_t)e],
                               f->ends[2 * (size_t)e + 1], room.count[e]);
    }
    edgeprof_p_flush(&t);
    return t.error ? -1 : 0;
}

/* ---- writing a .brst part -------------------------------- src/part.c ---- */

/* CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t edgeprof_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
    static const uint32_t nibble[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
        0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C
    };
    crc = ~crc;
    while (size--) {
        crc = nibble[(crc ^ *data) & 15] ^ crc >> 4;
        crc = nibble[(crc ^ (uint32_t)*data++ >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

/* Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
typedef struct edgeprof_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} edgeprof_p_out;

static void edgeprof_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void edgeprof_p_put_block(edgeprof_p_out *out, size_t size) {
    out->crc = edgeprof_p_crc32(out->crc, out->chunk, size);
    edgeprof_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void edgeprof_p_put_flush(edgeprof_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    edgeprof_p_little(out->chunk, out->used, 2);
    edgeprof_p_put_block(out, 2 + out->used);
}

static void edgeprof_p_put(edgeprof_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) edgeprof_p_put_flush(out);
    }
}

static void edgeprof_p_put_varint(edgeprof_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        edgeprof_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void edgeprof_p_put_begin(edgeprof_p_out *out, uint32_t kind,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    edgeprof_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    edgeprof_p_little(out->chunk + 4, 1, 2);
    edgeprof_p_little(out->chunk + 6, kind, 2);
    edgeprof_p_little(out->chunk + 8, 0, 4);
    edgeprof_p_put_block(out, 12);
}

static int edgeprof_p_put_end(edgeprof_p_out *out) {
    edgeprof_p_put_flush(out);
    edgeprof_p_little(out->chunk, 0, 2);
    edgeprof_p_little(out->chunk + 2, out->total, 8);
    edgeprof_p_put_block(out, 10);
    return out->error;
}

/* ---- the dump (docs/formats.md, kind 4) --------- src/edgeprof/dump.c ---- */

/* FNV-1a. */
EDGEPROF_API uint64_t edgeprof_key(const edgeprof_function *f) {
    uint64_t key = UINT64_C(0xCBF29CE484222325);
    const char *at;
    int i;
    for (at = f->name; *at; at++) key = (key ^ (unsigned char)*at) * UINT64_C(0x100000001B3);
    for (i = 0; i < 32; i += 8) key = (key ^ (f->hash >> i & 255)) * UINT64_C(0x100000001B3);
    key = (key ^ f->bits) * UINT64_C(0x100000001B3);
    key = (key ^ (f->slots & 255)) * UINT64_C(0x100000001B3);
    return key;
}

static void edgeprof_p_put_key(edgeprof_p_out *out, const edgeprof_function *f) {
    unsigned char key[8];
    edgeprof_p_little(key, edgeprof_key(f), 8);
    edgeprof_p_put(out, key, 8);
}

static void edgeprof_p_put_string(edgeprof_p_out *out, const char *string) {
    size_t size = 0;
    while (string[size]) size++;
    edgeprof_p_put_varint(out, size);
    edgeprof_p_put(out, string, size);
}

static void edgeprof_p_put_table(edgeprof_p_out *out, const edgeprof_function *f) {
    uint32_t v, e;
    edgeprof_p_put_varint(out, 1);
    edgeprof_p_put_key(out, f);
    edgeprof_p_put_string(out, f->name);
    edgeprof_p_put_string(out, f->file);
    edgeprof_p_put_varint(out, f->bits);
    edgeprof_p_put_varint(out, 0); /* its first slot and first vertex in the record of counts */
    edgeprof_p_put_varint(out, 0);
    edgeprof_p_put_varint(out, f->vertices);
    edgeprof_p_put_varint(out, f->edges);
    edgeprof_p_put_varint(out, f->stays);
    edgeprof_p_put_varint(out, f->counts_entry);
    for (v = 0; v < f->vertices; v++) {
        edgeprof_p_put_varint(out, f->lines[v] != 0);
        if (f->lines[v]) edgeprof_p_put_varint(out, f->lines[v]);
    }
    for (e = 0; e < f->edges; e++) {
        edgeprof_p_put_varint(out, 2 * (uint64_t)f->ends[2 * (size_t)e] +
                                       (unsigned)edgeprof_p_counted(f, e));
        edgeprof_p_put_varint(out, f->ends[2 * (size_t)e + 1]);
    }
}

static void edgeprof_p_put_counts(edgeprof_p_out *out, const edgeprof_function *f) {
    uint32_t exits = 0, i, again;
    edgeprof_p_put_varint(out, 2);
    edgeprof_p_put_key(out, f);
    edgeprof_p_put_varint(out, f->bits);
    edgeprof_p_put_varint(out, f->slots);
    for (i = 0; i < f->slots; i++) edgeprof_p_put_varint(out, edgeprof_p_slot(f, i));
    for (i = 0; f->early && i < f->vertices; i++)
        exits += f->early[i] || (f->reentry && f->reentry[i]);
    edgeprof_p_put_varint(out, exits);
    for (i = 0; f->early && i < f->vertices; i++) {
        again = f->reentry ? f->reentry[i] : 0;
        if (!f->early[i] && !again) continue;
        edgeprof_p_put_varint(out, i);
        edgeprof_p_put_varint(out, f->early[i]);
        edgeprof_p_put_varint(out, again);
    }
}

EDGEPROF_API int edgeprof_write_test(const char *test, const edgeprof_function *const *list,
                                     uint32_t count, edgeprof_write_fn write, void *user) {
    edgeprof_p_out out;
    uint32_t i;
    edgeprof_p_put_begin(&out, 4, write, user);
    if (test && *test) {
        edgeprof_p_put_varint(&out, 3);
        edgeprof_p_put_string(&out, test);
    }
    for (i = 0; i < count; i++) {
        if (!list[i]) continue;
        if (list[i]->ends) edgeprof_p_put_table(&out, list[i]);
        edgeprof_p_put_counts(&out, list[i]);
    }
    return edgeprof_p_put_end(&out) ? -1 : 0;
}

EDGEPROF_API int edgeprof_write(const edgeprof_function *const *list, uint32_t count,
                                edgeprof_write_fn write, void *user) {
    return edgeprof_write_test(NULL, list, count, write, user);
}

/* ---- the planner: memory and the graph ---- src/edgeprof/plan_graph.c ---- */

#define EDGEPLAN_P_NO        UINT32_MAX
#define EDGEPLAN_P_SRC(p, e) ((p)->ends[2 * (size_t)(e)])
#define EDGEPLAN_P_DST(p, e) ((p)->ends[2 * (size_t)(e) + 1])

/* ---- memory ---- */

/* There is at most one stay edge a vertex, and X. */
static uint64_t edgeplan_p_edge_room(uint32_t vertices, uint32_t edges) {
    return (uint64_t)edges + vertices + 1;
}

EDGEPROF_API size_t edgeplan_bytes(uint32_t vertices, uint32_t edges) {
    uint64_t room = edgeplan_p_edge_room(vertices, edges);
    uint64_t bytes = 8 * room + 8 * (uint64_t)vertices      /* weight, vertex_weight */
                     + 4 * (2 * room + 2 * room + 2 * room) /* ends, out and in, sort */
                     + 4 * (10 * (uint64_t)vertices + 2)    /* out_at, in_at, scratch, classes */
                     + room + 64;                           /* plan */
    return bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)bytes;
}

static uint32_t *edgeplan_p_words(uint32_t **at, uint64_t count) {
    uint32_t *words = *at;
    *at += count;
    return words;
}

/* ---- the graph ---- */

/* Lists of edges by vertex: those of v are list[at[v]] .. list[at[v + 1] - 1],
   in the order of their numbers. X is in none. */
static void edgeplan_p_list(const edgeplan *p, uint32_t side, uint32_t *at, uint32_t *list) {
    uint32_t v, e;
    for (v = 0; v <= p->vertices; v++) at[v] = 0;
    for (e = 0; e < p->edges; e++) at[p->ends[2 * (size_t)e + side] + 1]++;
    for (v = 0; v < p->vertices; v++) at[v + 1] += at[v];
    for (e = 0; e < p->edges; e++) list[at[p->ends[2 * (size_t)e + side]]++] = e;
    for (v = p->vertices; v > 0; v--) at[v] = at[v - 1];
    at[0] = 0;
}

static void edgeplan_p_adjacency(edgeplan *p) {
    edgeplan_p_list(p, 0, p->out_at, p->out);
    edgeplan_p_list(p, 1, p->in_at, p->in);
}

/* Sets mark[w] = 1 for v and whatever is reached from it (forward), or reaches
   it (not forward), over unmarked vertices. */
static void edgeplan_p_flood(const edgeplan *p, uint32_t v, int forward, uint32_t *mark,
                             uint32_t *queue) {
    const uint32_t *at = forward ? p->out_at : p->in_at, *list = forward ? p->out : p->in;
    uint32_t count = 1, i;
    mark[v] = 1;
    queue[0] = v;
    while (count > 0) {
        v = queue[--count];
        for (i = at[v]; i < at[v + 1]; i++) {
            uint32_t w = p->ends[2 * (size_t)list[i] + (forward ? 1 : 0)];
            if (mark[w]) continue;
            mark[w] = 1;
            queue[count++] = w;
        }
    }
}

static uint32_t edgeplan_p_refuse(edgeplan *p, uint32_t reason, uint32_t at) {
    p->reason = reason;
    p->at = at;
    return 0;
}

/* Vertices that cannot reach EXIT, as those of an endless loop, break the flow
   law: activations that end there vanish. A stay edge v -> EXIT for one v in
   each component that nothing leaves mends it. The last finisher of a
   depth-first search over reversed edges lies in such a component. It should
   not be the root, for a stay edge root -> EXIT and X are a cycle. */
static void edgeplan_p_add_stays(edgeplan *p) {
    uint32_t *reached = p->scratch[0], *stack = p->scratch[1], *next = p->scratch[2],
             *order = p->scratch[3];
    uint32_t *seen = p->scratch[4], finished = 0, depth, v, w, i;
    for (v = 0; v < p->vertices; v++) seen[v] = reached[v];
    for (w = 0; w < p->vertices; w++) {
        if (seen[w]) continue;
        seen[w] = 1;
        next[w] = p->in_at[w];
        stack[0] = w;
        depth = 1;
        while (depth > 0) {
            v = stack[depth - 1];
            if (next[v] == p->in_at[v + 1]) {
                order[finished++] = v;
                depth--;
                continue;
            }
            i = EDGEPLAN_P_SRC(p, p->in[next[v]++]);
            if (seen[i]) continue;
            seen[i] = 1;
            next[i] = p->in_at[i];
            stack[depth++] = i;
        }
    }
    for (i = finished; i > 0; i--) {
        v = order[i - 1];
        if (reached[v]) continue;
        if (v == p->root)
            for (w = i - 1; w > 0 && v == p->root; w--)
                if (!reached[order[w - 1]]) v = order[w - 1];
        EDGEPLAN_P_SRC(p, p->edges) = v;
        EDGEPLAN_P_DST(p, p->edges) = p->exit;
        p->edges++;
        p->stays++;
        edgeplan_p_flood(p, v, 0, reached, stack);
    }
}

EDGEPROF_API uint32_t edgeplan_init(edgeplan *p, void *memory, size_t bytes,
                                    const edgeplan_graph *graph) {
    uint64_t room = edgeplan_p_edge_room(graph->vertices, graph->edges), i;
    uint32_t *words = (uint32_t *)memory, *mark, v, e;
    p->vertices = graph->vertices;
    p->edges = graph->edges;
    p->root = graph->root;
    p->exit = graph->exit;
    p->stays = graph->stays;
    p->counters = p->classes = p->reason = p->at = 0;
    if (bytes < edgeplan_bytes(p->vertices, p->edges) || room >= (uint32_t)1 << 30)
        return edgeplan_p_refuse(p, EDGEPLAN_NO_MEMORY, 0);
    if (p->root >= p->vertices || p->exit >= p->vertices || p->root == p->exit ||
        p->stays > p->edges)
        return edgeplan_p_refuse(p, EDGEPLAN_NO_VERTEX, 0);
    p->weight = (double *)memory;
    words += 2 * room;
    p->vertex_weight = (double *)(void *)words;
    words += 2 * (size_t)p->vertices;
    p->ends = edgeplan_p_words(&words, 2 * room);
    p->out = edgeplan_p_words(&words, room);
    p->in = edgeplan_p_words(&words, room);
    for (i = 0; i < 2; i++) p->sort[i] = edgeplan_p_words(&words, room);
    p->out_at = edgeplan_p_words(&words, (uint64_t)p->vertices + 1);
    p->in_at = edgeplan_p_words(&words, (uint64_t)p->vertices + 1);
    for (i = 0; i < 6; i++) p->scratch[i] = edgeplan_p_words(&words, p->vertices);
    p->class_of = edgeplan_p_words(&words, p->vertices);
    p->class_after = edgeplan_p_words(&words, p->vertices);
    p->plan = (uint8_t *)words;
    for (i = 0; i < room; i++) {
        p->plan[i] = EDGEPLAN_NONE;
        p->weight[i] = 0;
    }
    for (e = 0; e < p->edges; e++) {
        uint32_t from = graph->ends[2 * (size_t)e], to = graph->ends[2 * (size_t)e + 1];
        if (from >= p->vertices || to >= p->vertices)
            return edgeplan_p_refuse(p, EDGEPLAN_NO_VERTEX, e);
        if (from == p->exit) return edgeplan_p_refuse(p, EDGEPLAN_EXIT_LEFT, e);
        if (e >= p->edges - p->stays && to != p->exit)
            return edgeplan_p_refuse(p, EDGEPLAN_BAD_STAY, e);
        EDGEPLAN_P_SRC(p, e) = from;
        EDGEPLAN_P_DST(p, e) = to;
    }
    edgeplan_p_adjacency(p);
    mark = p->scratch[0];
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    edgeplan_p_flood(p, p->root, 1, mark, p->scratch[1]);
    /* A function that never returns does not reach EXIT before it has a stay
       edge. */
    for (v = 0; v < p->vertices; v++)
        if (!mark[v] && (v != p->exit || !graph->add_stays))
            return edgeplan_p_refuse(p, EDGEPLAN_UNREACHED, v);
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    edgeplan_p_flood(p, p->exit, 0, mark, p->scratch[1]);
    for (v = 0; v < p->vertices && mark[v]; v++) {
    }
    if (v < p->vertices) {
        if (!graph->add_stays) return edgeplan_p_refuse(p, EDGEPLAN_ENDLESS, v);
        edgeplan_p_add_stays(p);
        edgeplan_p_adjacency(p);
    }
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    for (e = p->edges - p->stays; e < p->edges; e++)
        if (mark[EDGEPLAN_P_SRC(p, e)]++) return edgeplan_p_refuse(p, EDGEPLAN_BAD_STAY, e);
    EDGEPLAN_P_SRC(p, p->edges) = p->exit;
    EDGEPLAN_P_DST(p, p->edges) = p->root;
    return p->edges;
}

EDGEPROF_API int64_t edgeplan_unreached(const edgeplan_graph *graph, uint8_t *mark, void *memory,
                                        size_t bytes) {
    uint32_t *head = (uint32_t *)memory, *next, *stack, count = 0, left = graph->vertices, v, e;
    if (bytes < edgeplan_bytes(graph->vertices, graph->edges) || graph->root >= graph->vertices)
        return -1;
    next = head + graph->vertices;
    stack = next + graph->edges;
    for (v = 0; v < graph->vertices; v++) {
        head[v] = EDGEPLAN_P_NO;
        mark[v] = 1;
    }
    for (e = 0; e < graph->edges; e++) {
        v = graph->ends[2 * (size_t)e];
        if (v >= graph->vertices || graph->ends[2 * (size_t)e + 1] >= graph->vertices) return -1;
        next[e] = head[v];
        head[v] = e;
    }
    mark[graph->root] = 0;
    stack[count++] = graph->root;
    while (count > 0) {
        left--;
        for (e = head[stack[--count]]; e != EDGEPLAN_P_NO; e = next[e]) {
            v = graph->ends[2 * (size_t)e + 1];
            if (mark[v]) stack[count++] = v;
            mark[v] = 0;
        }
    }
    return left;
}

EDGEPROF_API int edgeplan_is_predicate(const edgeplan *p, uint32_t v) {
    return p->out_at[v + 1] - p->out_at[v] > 1;
}

/* ---- the planner: weights by loop nesting (section 5)  src/edgeprof/plan_weights.c ---- */

/* A depth-first search finds the back-edges (an edge to a vertex that is still
   on the stack) and a topological order of the others. The target of a
   back-edge is a loop entry y; its natural loop is y and all vertices that
   reach the source of a back-edge without passing y. In that order each vertex
   v hands its weight W, the sum over its in-edges that are no back-edges, to
   its out-edges:

       If v is a loop entry, the edges that leave its loop share W, unless an outer loop has given
       them a weight before. What is inside runs ten times as often: W becomes 10 W.
       The loop exits among v's own out-edges are taken off W. The other out-edges share the rest.

   The rest is at least 0: an exit deep inside of conditionals may weigh more
   than its source. Cost: each loop entry walks its own loop. Weights stop
   growing at 1e300, so that no depth of loops makes an infinity. */

/* Some machines compute with more digits than a double holds. A plan must not
   depend on that. */
static double edgeplan_p_round(double x) {
    volatile double rounded = x > 1e300 ? 1e300 : x;
    return rounded;
}

/* Fills back[e] and the order; returns how many vertices it has, which is all
   of them. */
static uint32_t edgeplan_p_topological(const edgeplan *p, uint8_t *back, uint32_t *order) {
    uint32_t *stack = p->scratch[1], *next = p->scratch[2], *state = p->scratch[3];
    uint32_t depth = 1, at = p->vertices, v, e;
    for (v = 0; v < p->vertices; v++) state[v] = 0;
    for (e = 0; e < p->edges; e++) back[e] = 0;
    stack[0] = p->root;
    state[p->root] = 1;
    next[p->root] = p->out_at[p->root];
    while (depth > 0) {
        v = stack[depth - 1];
        if (next[v] == p->out_at[v + 1]) {
            state[v] = 2;
            order[--at] = v;
            depth--;
            continue;
        }
        e = p->out[next[v]++];
        v = EDGEPLAN_P_DST(p, e);
        back[e] = state[v] == 1;
        if (state[v] != 0) continue;
        state[v] = 1;
        next[v] = p->out_at[v];
        stack[depth++] = v;
    }
    return p->vertices - at;
}

/* Is v a loop entry? Then queue[0 .. *count) is its natural loop, and inside[]
   of its members is v + 1. */
static int edgeplan_p_loop(const edgeplan *p, uint32_t v, const uint8_t *back, uint32_t *inside,
                           uint32_t *queue, uint32_t *count) {
    uint32_t done = 1, i, w;
    int is_entry = 0;
    queue[0] = v;
    *count = 1;
    for (i = p->in_at[v]; i < p->in_at[v + 1]; i++) {
        if (!back[p->in[i]]) continue;
        is_entry = 1;
        inside[v] = v + 1;
        w = EDGEPLAN_P_SRC(p, p->in[i]);
        if (inside[w] == v + 1) continue;
        inside[w] = v + 1;
        queue[(*count)++] = w;
    }
    if (!is_entry) return 0;
    for (; done < *count; done++)
        for (i = p->in_at[queue[done]]; i < p->in_at[queue[done] + 1]; i++) {
            w = EDGEPLAN_P_SRC(p, p->in[i]);
            if (inside[w] == v + 1) continue;
            inside[w] = v + 1;
            queue[(*count)++] = w;
        }
    return 1;
}

/* Rule 2: edges from the loop to outside share W. */
static void edgeplan_p_loop_exits(edgeplan *p, double W, uint32_t stamp, const uint32_t *inside,
                                  const uint32_t *loop, uint32_t count) {
    uint32_t exits = 0, pass, k, i;
    for (pass = 0; pass < 2; pass++)
        for (k = 0; k < count; k++)
            for (i = p->out_at[loop[k]]; i < p->out_at[loop[k] + 1]; i++) {
                uint32_t e = p->out[i];
                if (inside[EDGEPLAN_P_DST(p, e)] == stamp) continue;
                if (pass == 0)
                    exits++;
                else if (p->weight[e] < 0)
                    p->weight[e] = edgeplan_p_round(W / exits);
            }
}

EDGEPROF_API void edgeplan_weigh(edgeplan *p, const double *probability) {
    uint32_t *order = p->scratch[0], *inside = p->scratch[4], *loop = p->scratch[5];
    uint32_t count = edgeplan_p_topological(p, p->plan, order), in_loop, k, i, e, v;
    const uint8_t *back = p->plan;
    for (e = 0; e < p->edges; e++) p->weight[e] = -1;
    for (v = 0; v < p->vertices; v++) inside[v] = 0;
    for (k = 0; k < count; k++) {
        double W, set = 0, all = 0;
        uint32_t unset = 0;
        v = order[k];
        W = v == p->root;
        for (i = p->in_at[v]; i < p->in_at[v + 1]; i++)
            if (!back[p->in[i]]) W = edgeplan_p_round(W + p->weight[p->in[i]]);
        if (edgeplan_p_loop(p, v, back, inside, loop, &in_loop)) {
            edgeplan_p_loop_exits(p, W, v + 1, inside, loop, in_loop);
            W = edgeplan_p_round(10 * W);
        }
        for (i = p->out_at[v]; i < p->out_at[v + 1]; i++) {
            e = p->out[i];
            if (p->weight[e] >= 0)
                set = edgeplan_p_round(set + p->weight[e]);
            else {
                unset++;
                if (probability) all += probability[e];
            }
        }
        W = W > set ? edgeplan_p_round(W - set) : 0;
        for (i = p->out_at[v]; i < p->out_at[v + 1]; i++) {
            e = p->out[i];
            if (p->weight[e] >= 0) continue;
            p->weight[e] = probability && all > 0 ? edgeplan_p_round(W * (probability[e] / all))
                                                  : edgeplan_p_round(W / unset);
        }
    }
    for (e = 0; e < p->edges; e++) {
        if (p->weight[e] < 0) p->weight[e] = 0;
        p->plan[e] = EDGEPLAN_NONE;
    }
}

/* ---- the planner: spanning trees (section 3.2)  src/edgeprof/plan_trees.c ---- */

/* Counters yield all counts if and only if the edges without one hold no cycle,
   directions ignored. So these edges are a spanning tree, and the cheapest plan
   leaves a maximum one without counters (Kruskal). X and the stay edges cannot
   hold a counter: they are joined first. Ties: critical edges are heavier, for
   a counter there needs a block of its own; then smaller numbers. */

static uint32_t edgeplan_p_find(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Returns 1 if two sets became one. */
static int edgeplan_p_join(uint32_t *parent, uint32_t v, uint32_t w) {
    v = edgeplan_p_find(parent, v);
    w = edgeplan_p_find(parent, w);
    parent[v] = w;
    return v != w;
}

static void edgeplan_p_singles(const edgeplan *p, uint32_t *parent) {
    uint32_t v;
    for (v = 0; v < p->vertices; v++) parent[v] = v;
}

static int edgeplan_p_critical(const edgeplan *p, uint32_t e) {
    uint32_t v = EDGEPLAN_P_SRC(p, e), w = EDGEPLAN_P_DST(p, e);
    return p->out_at[v + 1] - p->out_at[v] > 1 && p->in_at[w + 1] - p->in_at[w] > 1;
}

typedef struct edgeplan_p_keys {
    const uint64_t *count;
    const double *weight;
    const edgeplan *edges_of;
    int minimum;
} edgeplan_p_keys;

/* Does a come before b? Heavier first, or lighter in a minimum tree. */
static int edgeplan_p_before(const edgeplan_p_keys *k, uint32_t a, uint32_t b) {
    if (k->count && k->count[a] != k->count[b]) return (k->count[a] > k->count[b]) != k->minimum;
    if (k->weight[a] < k->weight[b] || k->weight[a] > k->weight[b])
        return (k->weight[a] > k->weight[b]) != k->minimum;
    if (k->edges_of) {
        int critical = edgeplan_p_critical(k->edges_of, a);
        if (critical != edgeplan_p_critical(k->edges_of, b)) return critical;
    }
    return a < b;
}

/* Merge sort of 0 .. n - 1, from runs of one up. Returns where the result
   is. */
static uint32_t *edgeplan_p_sort(const edgeplan *p, uint32_t n, const edgeplan_p_keys *keys) {
    uint32_t *from = p->sort[0], *to = p->sort[1], *swap, width, low, i;
    for (i = 0; i < n; i++) from[i] = i;
    for (width = 1; width < n; width *= 2) {
        for (low = 0; low < n; low += 2 * width) {
            uint32_t middle = n - low < width ? n : low + width,
                     high = n - low < 2 * width ? n : low + 2 * width;
            uint32_t left = low, right = middle;
            for (i = low; i < high; i++)
                to[i] = left < middle &&
                                (right == high || !edgeplan_p_before(keys, from[right], from[left]))
                            ? from[left++]
                            : from[right++];
        }
        swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static uint32_t *edgeplan_p_sort_edges(const edgeplan *p, const edgeplan_order *order) {
    edgeplan_p_keys keys;
    keys.count = order ? order->count : NULL;
    keys.weight = p->weight;
    keys.edges_of = p;
    keys.minimum = order && order->minimum;
    return edgeplan_p_sort(p, p->edges, &keys);
}

static void edgeplan_p_count(edgeplan *p, uint32_t n) {
    uint32_t i;
    p->counters = 0;
    for (i = 0; i < n; i++) p->counters += p->plan[i] == EDGEPLAN_COUNTED;
}

EDGEPROF_API void edgeplan_edges(edgeplan *p, const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *sorted = edgeplan_p_sort_edges(p, order), i, e;
    const uint8_t *uncountable = order ? order->uncountable : NULL;
    edgeplan_p_singles(p, parent);
    for (e = p->edges - p->stays; e < p->edges; e++) {
        edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), p->exit);
        p->plan[e] = EDGEPLAN_NONE;
    }
    for (e = 0; uncountable && e < p->edges - p->stays; e++) {
        if (!uncountable[e]) continue;
        p->plan[e] = edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e))
                         ? EDGEPLAN_NONE
                         : EDGEPLAN_COUNTED;
    }
    p->plan[p->edges] =
        edgeplan_p_join(parent, p->root, p->exit) ? EDGEPLAN_NONE : EDGEPLAN_COUNTED;
    for (i = 0; i < p->edges; i++) {
        e = sorted[i];
        if (e >= p->edges - p->stays || (uncountable && uncountable[e])) continue;
        p->plan[e] = edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e))
                         ? EDGEPLAN_NONE
                         : EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- counters on edges, counts of blocks alone (section 3.4) ---- */

/* Each counted edge closes one cycle with the tree. Where two edges of a cycle
   meet at a vertex, both leave it (fork), both enter it (join), or one does
   each (pipe). If a cycle has no pipe, then adding d and -d in turn around it
   changes no block's sum: its counter is not needed. The heuristic takes
   counters off such cycles, heaviest first, as long as they share no vertex, so
   that no other simple cycle arises. */

/* parent edge and depth of every vertex in the tree, by walking over the edges
   without counters */
static void edgeplan_p_root_tree(const edgeplan *p, uint32_t *up, uint32_t *depth,
                                 uint32_t *queue) {
    uint32_t count = 1, done, v, w, e, i, side;
    for (v = 0; v < p->vertices; v++) depth[v] = EDGEPLAN_P_NO;
    depth[p->exit] = 0;
    up[p->exit] = EDGEPLAN_P_NO;
    queue[0] = p->exit;
    for (done = 0; done < count; done++) {
        v = queue[done];
        for (side = 0; side < 2; side++) {
            const uint32_t *at = side ? p->in_at : p->out_at, *list = side ? p->in : p->out;
            for (i = at[v]; i < at[v + 1]; i++) {
                e = list[i];
                w = side ? EDGEPLAN_P_SRC(p, e) : EDGEPLAN_P_DST(p, e);
                if (p->plan[e] != EDGEPLAN_NONE || depth[w] != EDGEPLAN_P_NO) continue;
                depth[w] = depth[v] + 1;
                up[w] = e;
                queue[count++] = w;
            }
        }
        if (v == p->exit && p->plan[p->edges] == EDGEPLAN_NONE && depth[p->root] == EDGEPLAN_P_NO) {
            depth[p->root] = 1;
            up[p->root] = p->edges;
            queue[count++] = p->root;
        }
    }
}

static uint32_t edgeplan_p_other_end(const edgeplan *p, uint32_t e, uint32_t v) {
    return EDGEPLAN_P_SRC(p, e) == v ? EDGEPLAN_P_DST(p, e) : EDGEPLAN_P_SRC(p, e);
}

/* Walks the cycle of e with the tree. Returns 1 if it has no pipe and no marked
   vertex; with set != 0 marks its vertices. The two paths climb from both ends
   of e until they meet; into[] is the edge over which each came to its
   vertex. */
static int edgeplan_p_pipe_free(const edgeplan *p, uint32_t e, const uint32_t *up,
                                const uint32_t *depth, uint32_t *mark, uint32_t set) {
    uint32_t at[2], into[2], side;
    at[0] = EDGEPLAN_P_SRC(p, e);
    at[1] = EDGEPLAN_P_DST(p, e);
    into[0] = into[1] = e;
    while (at[0] != at[1]) {
        uint32_t v, next;
        side = depth[at[0]] >= depth[at[1]] ? 0 : 1;
        v = at[side];
        next = up[v];
        if (set)
            mark[v] = 1;
        else if (mark[v] || (EDGEPLAN_P_SRC(p, next) == v) != (EDGEPLAN_P_SRC(p, into[side]) == v))
            return 0;
        into[side] = next;
        at[side] = edgeplan_p_other_end(p, next, v);
    }
    if (set) mark[at[0]] = 1;
    return !mark[at[0]] &&
           (EDGEPLAN_P_SRC(p, into[0]) == at[0]) == (EDGEPLAN_P_SRC(p, into[1]) == at[0]);
}

EDGEPROF_API void edgeplan_drop(edgeplan *p, const edgeplan_order *order) {
    uint32_t *up = p->scratch[0], *depth = p->scratch[1], *mark = p->scratch[2], *sorted, i, v;
    edgeplan_p_keys keys;
    edgeplan_p_root_tree(p, up, depth, p->scratch[3]);
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    keys.count = order ? order->count : NULL;
    keys.weight = p->weight;
    keys.edges_of = NULL;
    keys.minimum = 0;
    sorted = edgeplan_p_sort(p, p->edges, &keys);
    for (i = 0; i < p->edges; i++) {
        uint32_t e = sorted[i];
        if (p->plan[e] != EDGEPLAN_COUNTED || EDGEPLAN_P_SRC(p, e) == EDGEPLAN_P_DST(p, e))
            continue;
        if (!edgeplan_p_pipe_free(p, e, up, depth, mark, 0)) continue;
        edgeplan_p_pipe_free(p, e, up, depth, mark, 1);
        p->plan[e] = EDGEPLAN_ZERO;
    }
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- counters in vertices (section 3.5; Knuth and Stevenson) ---- */

/* All successors of a vertex form one class, and classes that overlap are one.
   Every vertex v is an edge from its own class [v] to the class s(v) of its
   successors, and the flow law holds there: what enters a class leaves it. So
   the vertices that lie off a spanning tree of this reduced graph need
   counters. EXIT cannot be counted and joins the tree first. */

EDGEPROF_API void edgeplan_vertices(edgeplan *p, const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *first = p->scratch[1], *sorted, v, e, i;
    edgeplan_p_keys keys;
    edgeplan_p_singles(p, parent);
    for (v = 0; v < p->vertices; v++) {
        first[v] = EDGEPLAN_P_NO;
        p->vertex_weight[v] = v == p->root;
    }
    for (e = 0; e <= p->edges; e++) {
        v = EDGEPLAN_P_SRC(p, e);
        if (first[v] == EDGEPLAN_P_NO) first[v] = EDGEPLAN_P_DST(p, e);
        edgeplan_p_join(parent, first[v], EDGEPLAN_P_DST(p, e));
        if (e < p->edges)
            p->vertex_weight[EDGEPLAN_P_DST(p, e)] =
                edgeplan_p_round(p->vertex_weight[EDGEPLAN_P_DST(p, e)] + p->weight[e]);
    }
    p->classes = 0;
    for (v = 0; v < p->vertices; v++)
        if (parent[v] == v) p->class_of[v] = p->classes++;
    for (v = 0; v < p->vertices; v++) p->class_of[v] = p->class_of[edgeplan_p_find(parent, v)];
    for (v = 0; v < p->vertices; v++) p->class_after[v] = p->class_of[first[v]];

    keys.count = order ? order->count : NULL;
    keys.weight = p->vertex_weight;
    keys.edges_of = NULL;
    keys.minimum = order && order->minimum;
    sorted = edgeplan_p_sort(p, p->vertices, &keys);
    edgeplan_p_singles(p, parent);
    p->plan[p->exit] = edgeplan_p_join(parent, p->class_of[p->exit], p->class_after[p->exit])
                           ? EDGEPLAN_NONE
                           : EDGEPLAN_COUNTED;
    for (i = 0; i < p->vertices; i++) {
        v = sorted[i];
        if (v == p->exit) continue;
        p->plan[v] = edgeplan_p_join(parent, p->class_of[v], p->class_after[v]) ? EDGEPLAN_NONE
                                                                                : EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->vertices);
}

/* ---- the planner: witnesses (section 4) and marks  src/edgeprof/plan_witnesses.c ---- */

/* An edge with a witness writes a token when it is taken. A reader that stands
   at a predicate holds the next token and must know from it which way to go; so
   of all paths that leave the predicate, at most one may reach each token
   without passing another. The complement of an undirected forest will do.
   Where another function's tokens may come, no token may be held: there must be
   no path without witness from a predicate to such a call block. Walking back
   from the call blocks, an in-edge from a predicate gets a witness and is not
   crossed; one from any other vertex is crossed. These come first, for they
   break cycles on the way; the forest is made of what is left, without X. */

/* Behind a call of class EDGEPLAN_CALL_TOLD the reader must learn that it is
   over before the next call or EXIT, as from a predicate's way out. Where the
   edge behind the call has no place for a witness, the first edges on the ways
   from there that have one get it. */
static int edgeplan_p_is_told(const edgeplan *p, const uint8_t *call_block, uint32_t v) {
    return call_block[v] == EDGEPLAN_CALL_TOLD || edgeplan_is_predicate(p, v);
}

static void edgeplan_p_tell_behind(edgeplan *p, const uint8_t *uncountable, uint32_t edge) {
    uint32_t *seen = p->scratch[3], *queue = p->scratch[4], count = 0, done, v, e, i;
    for (v = 0; v < p->vertices; v++) seen[v] = 0;
    queue[count++] = EDGEPLAN_P_DST(p, edge);
    seen[queue[0]] = 1;
    for (done = 0; done < count; done++) {
        if (queue[done] == p->exit) continue;
        for (i = p->out_at[queue[done]]; i < p->out_at[queue[done] + 1]; i++) {
            e = p->out[i];
            v = EDGEPLAN_P_DST(p, e);
            if (e >= p->edges - p->stays) continue;
            if (!uncountable[e]) p->plan[e] = EDGEPLAN_COUNTED;
            else if (!seen[v]) {
                seen[v] = 1;
                queue[count++] = v;
            }
        }
    }
}

EDGEPROF_API void edgeplan_witnesses(edgeplan *p, const uint8_t *call_block,
                                     const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *seen = p->scratch[1], *queue = p->scratch[2];
    uint32_t *sorted = edgeplan_p_sort_edges(p, order), count = 0, done, v, e, i;
    const uint8_t *uncountable = order ? order->uncountable : NULL;
    for (e = 0; e <= p->edges; e++) p->plan[e] = EDGEPLAN_NONE;
    for (v = 0; v < p->vertices; v++) {
        seen[v] = call_block[v] || v == p->exit;
        if (seen[v]) queue[count++] = v;
    }
    for (done = 0; done < count; done++)
        for (i = p->in_at[queue[done]]; i < p->in_at[queue[done] + 1]; i++) {
            e = p->in[i];
            v = EDGEPLAN_P_SRC(p, e);
            if (e >= p->edges - p->stays) continue;
            if (edgeplan_p_is_told(p, call_block, v)) {
                if (uncountable && uncountable[e]) edgeplan_p_tell_behind(p, uncountable, e);
                else p->plan[e] = EDGEPLAN_COUNTED;
            } else if (!seen[v]) {
                seen[v] = 1;
                queue[count++] = v;
            }
        }
    edgeplan_p_singles(p, parent);
    for (e = p->edges - p->stays; e < p->edges; e++)
        if (p->plan[e] == EDGEPLAN_NONE) edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), p->exit);
    for (e = 0; uncountable && e < p->edges - p->stays; e++)
        if (uncountable[e])
            edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e));
    for (i = 0; i < p->edges; i++) {
        e = sorted[i];
        if (p->plan[e] != EDGEPLAN_NONE || e >= p->edges - p->stays) continue;
        if (uncountable && uncountable[e]) continue;
        if (!edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e)))
            p->plan[e] = EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->edges);
}

/* ---- coverage ---- */

EDGEPROF_API void edgeplan_marks(edgeplan *p) {
    uint32_t e;
    for (e = 0; e < p->edges; e++)
        p->plan[e] = edgeplan_is_predicate(p, EDGEPLAN_P_SRC(p, e)) && e < p->edges - p->stays
                         ? EDGEPLAN_COUNTED
                         : EDGEPLAN_NONE;
    p->plan[p->edges] = EDGEPLAN_COUNTED;
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- the planner: a plan as a header ----- src/edgeprof/plan_header.c ---- */

typedef struct edgeplan_p_text {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error;
} edgeplan_p_text;

static void edgeplan_p_say(edgeplan_p_text *t, const char *words) {
    size_t size = 0;
    while (words[size]) size++;
    if (!t->error) t->error = t->write(t->user, words, size);
}

static void edgeplan_p_say_number(edgeplan_p_text *t, uint32_t number) {
    char digits[11], *at = digits + 10;
    *at = 0;
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    edgeplan_p_say(t, at);
}

/* "#define EP_" kind "_" name ["_" edge] " " value; edge `edges` is called
   X. */
static void edgeplan_p_define(edgeplan_p_text *t, const edgeplan *p, const char *kind,
                              const char *name, uint32_t edge, uint32_t value) {
    edgeplan_p_say(t, "#define EP_");
    edgeplan_p_say(t, kind);
    edgeplan_p_say(t, "_");
    edgeplan_p_say(t, name);
    if (edge != EDGEPLAN_P_NO) {
        edgeplan_p_say(t, "_");
        if (edge == p->edges)
            edgeplan_p_say(t, "X");
        else
            edgeplan_p_say_number(t, edge);
    }
    edgeplan_p_say(t, " ");
    edgeplan_p_say_number(t, value);
    edgeplan_p_say(t, value > 65535 ? "u\n" : "\n");
}

/* One line for every edge that a program may name (not stay edges): 0 or 1, and
   with 1 its place. */
static void edgeplan_p_define_edges(edgeplan_p_text *t, const edgeplan *p, const char *is,
                                    const char *place, const char *name) {
    uint32_t slot = 0, e;
    for (e = 0; e <= p->edges; e++) {
        if (e >= p->edges - p->stays && e < p->edges) continue;
        edgeplan_p_define(t, p, is, name, e, p->plan[e] == EDGEPLAN_COUNTED);
        if (p->plan[e] == EDGEPLAN_COUNTED) edgeplan_p_define(t, p, place, name, e, slot++);
    }
}

/* The hash of table and plan (FNV-1a): counters of different plans must not be
   added up. */
static uint32_t edgeplan_p_hash(const edgeplan *p) {
    uint32_t hash = UINT32_C(0x811C9DC5), e;
    for (e = 0; e <= p->edges; e++) {
        hash = (hash ^ EDGEPLAN_P_SRC(p, e)) * UINT32_C(0x01000193);
        hash = (hash ^ EDGEPLAN_P_DST(p, e)) * UINT32_C(0x01000193);
        hash = (hash ^ p->plan[e]) * UINT32_C(0x01000193);
    }
    return hash;
}

EDGEPROF_API int edgeplan_write_header(edgeplan *p, const char *name,
                                       int (*write)(void *user, const void *data, size_t size),
                                       void *user) {
    edgeplan_p_text t;
    uint32_t sum = 0, edges = p->edges - p->stays, e;
    t.write = write;
    t.user = user;
    t.error = 0;
    for (e = 0; e < edges; e++)
        sum += (e + 1) * (97 * EDGEPLAN_P_SRC(p, e) + EDGEPLAN_P_DST(p, e) + 1);
    edgeplan_p_say(&t, "/* ");
    edgeplan_p_say(&t, name);
    edgeplan_p_say(&t, ": made by the planner from the function's table */\n");
    edgeplan_p_define(&t, p, "NE", name, EDGEPLAN_P_NO, edges);
    edgeplan_p_define(&t, p, "NS", name, EDGEPLAN_P_NO, p->stays);
    edgeplan_p_define(&t, p, "NC", name, EDGEPLAN_P_NO, p->counters);
    edgeplan_p_define(&t, p, "SUM", name, EDGEPLAN_P_NO, sum);
    edgeplan_p_define(&t, p, "HASH", name, EDGEPLAN_P_NO, edgeplan_p_hash(p));
    edgeplan_p_say(&t, "#define EP_STAYS_");
    edgeplan_p_say(&t, name);
    for (e = edges; e < p->edges; e++) {
        edgeplan_p_say(&t, " ");
        edgeplan_p_say_number(&t, EDGEPLAN_P_SRC(p, e));
        edgeplan_p_say(&t, ", ");
        edgeplan_p_say_number(&t, p->exit);
        edgeplan_p_say(&t, ",");
    }
    edgeplan_p_say(&t, "\n");
    edgeplan_p_define_edges(&t, p, "L", "S", name);
    edgeplan_marks(p);
    edgeplan_p_define(&t, p, "NB", name, EDGEPLAN_P_NO, p->counters);
    edgeplan_p_define_edges(&t, p, "C", "B", name);
    return t.error ? -1 : 0;
}

/* ---- writing a trace --------------------- src/edgeprof/trace_write.c ---- */

/* Tokens are varints, and context tells what they mean:

       where a witness is wanted      0 END, k + 1 witness k
       at an opaque call,             0 END, 1 LEAVE, 2 RESUME serial vertex,
       and where no frame is left     3 + f ENTER function f */

enum { EDGETRACE_P_END = 0, EDGETRACE_P_LEAVE = 1, EDGETRACE_P_RESUME = 2, EDGETRACE_P_ENTER = 3 };

static void edgetrace_p_flush(edgetrace *t) {
    if (t->used && !t->error) t->error = t->write(t->user, t->tokens, t->used);
    t->used = 0;
}

static void edgetrace_p_token(edgetrace *t, uint32_t token) {
    do {
        t->tokens[t->used++] = (unsigned char)((token & 127) | (token > 127 ? 128 : 0));
        if (t->used == sizeof t->tokens) edgetrace_p_flush(t);
        token >>= 7;
    } while (token);
}

EDGEPROF_API void edgetrace_begin(edgetrace *t, edgetrace_write_fn write,
                                   edgetrace_write_fn write_bits, void *user) {
    t->write = write;
    t->write_bits = write_bits;
    t->user = user;
    t->bits = 0;
    t->serials = 0;
    t->error = 0;
    t->outside = 1;
    t->used = t->bits_used = 0;
    t->packed[0] = 0;
}

EDGEPROF_API int edgetrace_end(edgetrace *t) {
    edgetrace_p_token(t, EDGETRACE_P_END);
    edgetrace_p_flush(t);
    if (t->write_bits && !t->error && (t->bits_used || (t->bits & 7)))
        t->error = t->write_bits(t->user, t->packed, (size_t)t->bits_used + ((t->bits & 7) != 0));
    return t->error ? -1 : 0;
}

EDGEPROF_API void edgetrace_witness(edgetrace *t, uint32_t number) {
    edgetrace_p_token(t, number + 1);
}

EDGEPROF_API void edgetrace_choice(edgetrace *t, uint32_t place, uint32_t bits) {
    for (; bits > 0; bits--, place >>= 1) {
        t->packed[t->bits_used] =
            (unsigned char)(t->packed[t->bits_used] | (place & 1) << (t->bits & 7));
        if ((++t->bits & 7) != 0) continue;
        if (++t->bits_used == sizeof t->packed) {
            if (!t->error) t->error = t->write_bits(t->user, t->packed, t->bits_used);
            t->bits_used = 0;
        }
        t->packed[t->bits_used] = 0;
    }
}

EDGEPROF_API int edgetrace_entry(edgetrace *t, uint32_t function) {
    int outside = t->outside;
    if (outside) edgetrace_p_token(t, EDGETRACE_P_ENTER + function);
    t->outside = 0;
    return outside;
}

EDGEPROF_API void edgetrace_return(edgetrace *t, int outside) { t->outside = outside; }

EDGEPROF_API int edgetrace_call(edgetrace *t) {
    int outside = t->outside;
    t->outside = 1;
    return outside;
}

EDGEPROF_API void edgetrace_called(edgetrace *t, int outside) {
    edgetrace_p_token(t, EDGETRACE_P_LEAVE);
    t->outside = outside;
}

EDGEPROF_API uint32_t edgetrace_serial(edgetrace *t) { return t->serials++; }

EDGEPROF_API void edgetrace_resume(edgetrace *t, uint32_t serial, uint32_t block) {
    edgetrace_p_token(t, EDGETRACE_P_RESUME);
    edgetrace_p_token(t, serial);
    edgetrace_p_token(t, block);
    t->outside = 0;
}

/* ---- reading a trace ---------------------- src/edgeprof/trace_read.c ---- */

/* The lists of a function, one behind the other in lists[first[f] ..]:
       out_at[V + 1]  out[E]  in_at[V + 1]  in[E]  edge_of[number of witnesses]

   A token that was read and whose edge was not taken yet is held by the top
   frame. Walking back from the source of that edge over edges without witness
   gives, for each vertex that can reach it so, the one edge to follow:
   toward[v]. The plan makes sure that there is one such path, and that no call
   is met on it. */

#define EDGETRACE_P_NONE UINT32_MAX

EDGEPROF_API size_t edgetrace_reader_bytes(const edgetrace_function *functions, uint32_t count,
                                            uint32_t depth) {
    size_t words = count, most = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        words += 2 * ((size_t)functions[i].vertices + 1) + 3 * (size_t)functions[i].edges;
        if (functions[i].vertices > most) most = functions[i].vertices;
    }
    return (words + 2 * most) * sizeof(uint32_t) + (size_t)depth * sizeof(edgetrace_frame) + 16;
}

static uint32_t *edgetrace_p_list(const edgetrace_function *f, uint32_t *at, uint32_t side) {
    uint32_t *list = at + f->vertices + 1, v, e;
    for (v = 0; v <= f->vertices; v++) at[v] = 0;
    for (e = 0; e < f->edges; e++) at[f->ends[2 * (size_t)e + side] + 1]++;
    for (v = 0; v < f->vertices; v++) at[v + 1] += at[v];
    for (e = 0; e < f->edges; e++) list[at[f->ends[2 * (size_t)e + side]]++] = e;
    for (v = f->vertices; v > 0; v--) at[v] = at[v - 1];
    at[0] = 0;
    return list + f->edges;
}

EDGEPROF_API uint32_t edgetrace_reader_init(edgetrace_reader *r,
                                             const edgetrace_function *functions, uint32_t count,
                                             void *memory, size_t bytes) {
    size_t least = edgetrace_reader_bytes(functions, count, 0), depth;
    uint32_t *next, most = 0, i, e;
    r->functions = functions;
    r->count = count;
    r->depth = r->serials = 0;
    r->reason = "";
    r->offset = 0;
    depth = bytes < least ? 0 : (bytes - least) / sizeof(edgetrace_frame);
    r->depth_max = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    if (depth == 0) return 0;
    r->frames = (edgetrace_frame *)memory;
    r->first = (uint32_t *)(void *)(r->frames + depth);
    r->lists = next = r->first + count;
    for (i = 0; i < count; i++) {
        const edgetrace_function *f = &functions[i];
        if (f->root >= f->vertices || f->exit >= f->vertices) return 0;
        for (e = 0; e < 2 * f->edges; e++)
            if (f->ends[e] >= f->vertices) return 0;
        r->first[i] = (uint32_t)(next - r->lists);
        next = edgetrace_p_list(f, next, 0);
        next = edgetrace_p_list(f, next, 1);
        for (e = 0; e < f->edges; e++)
            if (f->witness && f->witness[e]) *next++ = e;
        if (f->vertices > most) most = f->vertices;
    }
    r->toward = next;
    r->queue = next + most;
    return r->depth_max;
}

typedef struct edgetrace_p_stream {
    const unsigned char *tokens, *bits;
    size_t at, size;
    uint64_t bit, bit_count;
    int is_over; /* an END was read, or nothing is left */
} edgetrace_p_stream;

static uint32_t edgetrace_p_next(edgetrace_reader *r, edgetrace_p_stream *s) {
    uint32_t value = 0, shift = 0;
    r->offset = s->at;
    while (s->at < s->size) {
        unsigned char byte = s->tokens[s->at++];
        if (shift < 32) value |= (uint32_t)(byte & 127) << shift;
        shift += 7;
        if (!(byte & 128)) {
            if (shift > 35) r->reason = "a token has too many bytes";
            return value;
        }
    }
    s->is_over = 1;
    return EDGETRACE_P_END;
}

static int edgetrace_p_refuse(edgetrace_reader *r, const char *reason) {
    r->reason = reason;
    return -1;
}

static int edgetrace_p_push(edgetrace_reader *r, uint32_t function) {
    edgetrace_frame *frame;
    if (function >= r->count)
        return edgetrace_p_refuse(r, "a function is entered that is not there");
    if (r->depth == r->depth_max)
        return edgetrace_p_refuse(r, "more calls are open than there is room for");
    frame = &r->frames[r->depth++];
    frame->function = function;
    frame->vertex = r->functions[function].root;
    frame->call = 0;
    frame->held = EDGETRACE_P_NONE;
    frame->serial = r->functions[function].has_serial ? r->serials++ : EDGETRACE_P_NONE;
    return 0;
}

/* Fills toward[] for the witness that the frame holds. */
static void edgetrace_p_aim(edgetrace_reader *r, const edgetrace_function *f, const uint32_t *in_at,
                            uint32_t edge) {
    const uint32_t *in = in_at + f->vertices + 1;
    uint32_t count = 1, done, v, i;
    for (v = 0; v < f->vertices; v++) r->toward[v] = EDGETRACE_P_NONE;
    r->queue[0] = f->ends[2 * (size_t)edge];
    r->toward[r->queue[0]] = edge;
    for (done = 0; done < count; done++)
        for (i = in_at[r->queue[done]]; i < in_at[r->queue[done] + 1]; i++) {
            v = f->ends[2 * (size_t)in[i]];
            if (f->witness[in[i]] || r->toward[v] != EDGETRACE_P_NONE) continue;
            r->toward[v] = in[i];
            r->queue[count++] = v;
        }
}

/* Reads a witness if none is held. Returns 1, 0 at the end of the trace, or
   -1. */
static int edgetrace_p_hold(edgetrace_reader *r, edgetrace_p_stream *s, edgetrace_frame *frame,
                            const uint32_t *in_at) {
    const edgetrace_function *f = &r->functions[frame->function];
    const uint32_t *edge_of = in_at + f->vertices + 1 + f->edges;
    uint32_t token, last = frame->function + 1;
    const uint32_t *end = last < r->count ? r->lists + r->first[last] : r->toward;
    if (frame->held != EDGETRACE_P_NONE) return 1;
    token = edgetrace_p_next(r, s);
    if (token == EDGETRACE_P_END) return 0;
    if (token > (uint32_t)(end - edge_of))
        return edgetrace_p_refuse(r, "a witness that this function does not have");
    frame->held = edge_of[token - 1];
    edgetrace_p_aim(r, f, in_at, frame->held);
    return 1;
}

/* The edge by which the top frame leaves its vertex. Returns 1, 0 at the end of
   the trace, or -1. */
static int edgetrace_p_choose(edgetrace_reader *r, edgetrace_p_stream *s, edgetrace_frame *frame,
                              uint32_t *edge) {
    const edgetrace_function *f = &r->functions[frame->function];
    const uint32_t *out_at = r->lists + r->first[frame->function], *out = out_at + f->vertices + 1;
    const uint32_t *in_at = out + f->edges;
    uint32_t ways = out_at[frame->vertex + 1] - out_at[frame->vertex], place = 0, bit;
    int got;
    if (ways == 0) return edgetrace_p_refuse(r, "a block that returns has no edge to EXIT");
    *edge = out[out_at[frame->vertex]];
    if (ways > 1 && !f->witness) {
        for (bit = 0; bit < 31 && (uint32_t)1 << bit < ways; bit++, s->bit++) {
            if (s->bit >= s->bit_count) {
                s->is_over = 1;
                return 0;
            }
            place |= (uint32_t)(s->bits[s->bit >> 3] >> (s->bit & 7) & 1) << bit;
        }
        if (place >= ways) return edgetrace_p_refuse(r, "a choice among fewer edges");
        *edge = out[out_at[frame->vertex] + place];
    }
    if (!f->witness) return 1;
    if (ways > 1) {
        got = edgetrace_p_hold(r, s, frame, in_at);
        if (got != 1) return got;
        *edge = r->toward[frame->vertex];
        if (*edge == EDGETRACE_P_NONE || f->ends[2 * (size_t)*edge] != frame->vertex)
            return edgetrace_p_refuse(r, "a witness that no path from here reaches");
    }
    if (f->witness[*edge]) {
        got = edgetrace_p_hold(r, s, frame, in_at);
        if (got != 1) return got;
        if (frame->held != *edge)
            return edgetrace_p_refuse(r, "another witness than that of the only way");
        frame->held = EDGETRACE_P_NONE;
    }
    return 1;
}

/* One event at an opaque call or where no frame is left. Returns 1: a block was
   entered; 2: LEAVE; 0: the end; or -1. */
static int edgetrace_p_event(edgetrace_reader *r, edgetrace_p_stream *s) {
    uint32_t token = edgetrace_p_next(r, s), vertex, depth;
    if (token == EDGETRACE_P_END) return 0;
    if (token == EDGETRACE_P_LEAVE)
        return r->depth ? 2 : edgetrace_p_refuse(r, "LEAVE where nothing was called");
    if (token >= EDGETRACE_P_ENTER) return edgetrace_p_push(r, token - EDGETRACE_P_ENTER) ? -1 : 1;
    token = edgetrace_p_next(r, s);
    vertex = edgetrace_p_next(r, s);
    if (s->is_over) return 0;
    for (depth = r->depth; depth > 0 && r->frames[depth - 1].serial != token; depth--) {
    }
    if (depth == 0 || vertex >= r->functions[r->frames[depth - 1].function].vertices)
        return edgetrace_p_refuse(r, "longjmp came back to an activation that is not there");
    r->depth = depth;
    r->frames[depth - 1].vertex = vertex;
    r->frames[depth - 1].call = 0;
    r->frames[depth - 1].held = EDGETRACE_P_NONE;
    return 1;
}

/* One step of the top frame. Returns 1: a block was entered; 2: go on; 0: the
   end; or -1. */
static int edgetrace_p_step(edgetrace_reader *r, edgetrace_p_stream *s) {
    edgetrace_frame *frame = &r->frames[r->depth - 1];
    const edgetrace_function *f = &r->functions[frame->function];
    uint32_t calls = f->call_at ? f->call_at[frame->vertex + 1] - f->call_at[frame->vertex] : 0,
             edge;
    int ends_here = f->never_returns && f->never_returns[frame->vertex], got;
    if (frame->call < calls) {
        uint32_t callee = f->call[f->call_at[frame->vertex] + frame->call];
        if (callee == EDGETRACE_SILENT && !ends_here) {
            frame->call++;
            return 2;
        }
        if (callee < EDGETRACE_SILENT) {
            frame->call++;
            return edgetrace_p_push(r, callee) ? -1 : 1;
        }
        got = edgetrace_p_event(r, s);
        if (got == 2) r->frames[r->depth - 1].call++;
        return got;
    }
    if (ends_here) {
        got = edgetrace_p_event(r, s);
        return got == 2 ? edgetrace_p_refuse(r, "LEAVE in a block that never returns") : got;
    }
    got = edgetrace_p_choose(r, s, frame, &edge);
    if (got != 1) return got;
    frame->vertex = f->ends[2 * (size_t)edge + 1];
    frame->call = 0;
    if (frame->vertex != f->exit) return 1;
    r->depth--;
    return 2;
}

EDGEPROF_API int edgetrace_read(edgetrace_reader *r, const void *tokens, size_t size,
                                 const void *bits, uint64_t bit_count, uint64_t most,
                                 int (*block)(void *user, uint32_t function, uint32_t vertex,
                                              int is_certain),
                                 void *user) {
    edgetrace_p_stream s;
    int got = 1;
    s.tokens = (const unsigned char *)tokens;
    s.bits = (const unsigned char *)bits;
    s.at = 0;
    s.size = size;
    s.bit = 0;
    s.bit_count = bit_count;
    s.is_over = 0;
    r->depth = r->serials = 0;
    r->reason = NULL;
    while (most > 0) {
        int is_certain = s.at < size || s.bit < bit_count;
        got = r->depth ? edgetrace_p_step(r, &s) : edgetrace_p_event(r, &s);
        if (got < 0 || r->reason) return -1;
        if (got == 0) return 0;
        if (got == 2) continue;
        is_certain |= r->depth && r->frames[r->depth - 1].held != EDGETRACE_P_NONE;
        most--;
        if (block(user, r->frames[r->depth - 1].function, r->frames[r->depth - 1].vertex,
                  is_certain))
            return 0;
    }
    return 0;
}

#endif /* EDGEPROF_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a
   copy of this software and associated documentation files (the "Software"),
   to deal in the Software without restriction, including without limitation
   the rights to use, copy, modify, merge, publish, distribute, sublicense,
   and/or sell copies of the Software, and to permit persons to whom the
   Software is furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in
   all copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
   THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
   DEALINGS IN THE SOFTWARE. */
