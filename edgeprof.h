/* edgeprof.h - v0.2.0 - exact counts of edges and blocks, coverage - MIT, text at end of file

   example:
       // The table of a function: vertices with their lines, then edges. The first vertex is the
       // entry, the last is EXIT.
       #define EP_CFG_sum(V, E, F)  V(F, head, 3) V(F, body, 3) V(F, done, 0) \
                                    E(F, 0, head, body) E(F, 1, head, done) E(F, 2, body, head)
       #define EDGEPROF_CHECK                      // count all edges; a plan makes it two of three
       #define EDGEPROF_IMPLEMENTATION
       #include "edgeprof.h"
       #include <stdio.h>
       EP_FUNC(sum);
       static int sum(int n) {
           int s = 0;
           EP_ENTRY(sum);
           while (n > 0) { EP_EDGE(sum, 0); s += n--; EP_EDGE(sum, 2); }
           EP_EDGE(sum, 1);
           return s;
       }
       static int out(void *file, const void *data, size_t size) {
           return fwrite(data, 1, size, (FILE *)file) != size;
       }
       int main(void) {
           static const edgeprof_function *const all[] = {EP_REF(sum)};
           static uint64_t memory[64];
           if (sum(4) != 10) return 1;
           return edgeprof_write_lcov(all, 1, memory, sizeof memory, out, stdout) != 0;
       }
   end of example.

   STEP BY STEP
     1. Write the table of each function that you want to measure, as above, into a file of its own
        (parser_cfg.h). V gives a vertex, that is a piece of straight code, its name and line; E an
        edge, its number (0, 1, 2 ...) and its ends.
     2. Put EP_ENTRY(function) at the entry and EP_EDGE(function, number) wherever that edge is
        taken. Both are expressions:
            if (a) { EP_EDGE(f, 3); ... } else EP_EDGE(f, 4);
            if (a && (EP_EDGE(f, 5), b)) ...
     3. Build with EDGEPROF_CHECK and run. edgeprof_check names the vertex where a count does not
        fit: an EP_EDGE is missing or doubled there, or the table is wrong.
     4. A small program on your machine includes tables, edgeprof.h and edgeplan.h, and prints a
        plan header with edgeplan_write_header (examples/parser/plan.c is one to copy). It says
        which edges need a counter; the others leave no code behind, not even without optimisation.
     5. Include the plan header before EP_FUNC and build without EDGEPROF_CHECK. edgeprof_counts
        derives every count.
     6. Write the result on the target by edgeprof_write_lcov or edgeprof_write_csv, or write a
        dump by edgeprof_write and let `bursty report` make LCOV, Cobertura or a page of it.

     COUNT, the default, counts exactly. Counters wrap on purpose: a count is exact modulo
     2^EDGEPROF_BITS, so with 16 bits a line that ran 65536 times reads 0. COVER marks the entry
     and each outcome of a branch once and never reads 0 for a line that ran, but tells no counts.
     A function is in one mode only.

   PROMISES   No allocation, no recursion, no abort, no output, no globals but those that EP_FUNC
              makes in your file. In COUNT no count is lost but by threads that share plain
              counters; a lost one gives wrong counts elsewhere.
   THREADS    Counters are plain: for one thread, or interrupts that do not share functions.
              EDGEPROF_ATOMIC makes them atomic. EDGEPROF_THREAD gives each thread its own;
              EP_JOIN(function) adds them to the common ones, at the thread's end and under your
              lock. COVER with bytes loses no mark without them: all that it does is to store 1.
   OPTIONS    Where EP_FUNC and EP_EDGE are used:
                EDGEPROF_BITS     16, 32 (default) or 64: width of counters
                EDGEPROF_COVER    1 or 8: COVER with a bit for each mark, which takes the least RAM,
                                  or with a byte that becomes 1, which takes the least code
                EDGEPROF_CHECK    every edge has its own counter, no plan is needed
                EDGEPROF_OFF      all macros vanish; EP_REF is NULL, which every function accepts
                EDGEPROF_ATOMIC   counters by __atomic_fetch_add, which gcc and clang have
                EDGEPROF_THREAD   the word that makes a variable thread-local: __thread,
                                  thread_local
                EDGEPROF_CHAIN    for longjmp and exit, see EP_FRAME below
                EDGEPROF_THIN     no tables in the program, for the smallest image: it can only
                                  edgeprof_write; the report needs a second dump, from a build
                                  without this option, beside it. Where the implementation is,
                                  edgeprof_write knows no tables then
              Everywhere alike:
                EDGEPROF_WIDE     numbers of vertices and edges have 32 bits, not 16
              Where the implementation is: EDGEPROF_STATIC makes all functions static.
   COST       edges - vertices + 2 counters a function. Cortex-M3: 3 instructions and 8 to 12 bytes
              an edge that counts. Deriving takes time linear in the graph.

   Theory: "Optimally Profiling and Tracing Programs" (Ball, Larus; 1994). Sections of the paper
   are named below. */

#ifndef EDGEPROF_H
#define EDGEPROF_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
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

#ifdef EDGEPROF_WIDE
typedef uint32_t edgeprof_index;
#else
typedef uint16_t edgeprof_index;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Takes bytes that are written. Returns 0 to go on; anything else stops the writer. */
typedef int (*edgeprof_write_fn)(void *user, const void *data, size_t size);

/* Made by EP_FUNC. A pointer is NULL where the program does not have what it points to. */
typedef struct edgeprof_function {
    const char *name;
    const char *file;
    const edgeprof_index *ends;      /* source and target of each edge, then those of X */
    const uint32_t *lines;           /* of each vertex; 0: none */
    const uint8_t *plan;             /* of each edge but stay edges: 1 has a counter; NULL: all */
    const char *const *vertex_names; /* EDGEPROF_CHECK only */
    void *counters;
    uint32_t *early;                 /* of each vertex; EP_FUNC_EXITS only */
    uint32_t *reentry;               /* likewise */
    uint32_t vertices;               /* vertex 0 is the entry, the last is EXIT */
    uint32_t edges;                  /* without X, the edge from EXIT to the entry */
    uint32_t stays;                  /* so many of the last edges are stay edges (edgeplan.h) */
    uint32_t slots;                  /* counters or marks */
    uint32_t hash;                   /* of table and plan */
    uint8_t bits;                    /* 16, 32, 64: COUNT; 1, 8: COVER */
    uint8_t counts_entry;            /* 1: X has a counter, the last one */
} edgeprof_function;

/* Activations that may end without leaving by an edge, the outermost first. They stand in memory
   of yours and not on the stack, where longjmp would leave them to be overwritten. */
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

/* What edgeprof_check found: a vertex where more comes in than goes out, or the other way round; or
   an edge whose derived count is not the one that was measured. */
typedef struct edgeprof_fault {
    uint32_t vertex;
    uint32_t line;
    const char *vertex_name;
    uint64_t in;   /* of the vertex; of an edge what was derived */
    uint64_t out;  /* of the vertex; of an edge what was measured */
    uint32_t edge; /* UINT32_MAX: the vertex is at fault */
} edgeprof_fault;

/* ---- answers ---- */

/* Returns the bytes of memory, aligned to 8, that the functions below need: those of the largest
   function of the list. */
EDGEPROF_API size_t edgeprof_bytes(const edgeprof_function *const *list, uint32_t count);

/* Every count of one function: count[0 .. edges] of edges, with the number of activations at
   [edges], and block[] of vertices. Either may be NULL. In COVER a count is 1 or 0. Returns 0, or
   -1: too little memory, or no table. */
EDGEPROF_API int edgeprof_counts(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                                 void *memory, size_t bytes);

/* For EDGEPROF_CHECK: does the flow law hold at each vertex, and does what `plan` counts (an entry
   for each edge and X, as edgeplan.h makes it; NULL: only the flow law) give all other counts?
   Returns 0, or -1 with *fault. */
EDGEPROF_API int edgeprof_check(const edgeprof_function *f, const uint8_t *plan,
                                edgeprof_fault *fault, void *memory, size_t bytes);

/* LCOV and CSV of functions with a table. Functions of one file become one record. Both return 0,
   or -1: memory is too small, counters are no plan of their graph, or a write failed. */
EDGEPROF_API int edgeprof_write_lcov(const edgeprof_function *const *list, uint32_t count,
                                     void *memory, size_t bytes, edgeprof_write_fn write,
                                     void *user);
EDGEPROF_API int edgeprof_write_csv(const edgeprof_function *const *list, uint32_t count,
                                    void *memory, size_t bytes, edgeprof_write_fn write,
                                    void *user);
/* One .brst part of kind 4. Needs no memory. Returns 0, or -1 if a write failed. */
EDGEPROF_API int edgeprof_write(const edgeprof_function *const *list, uint32_t count,
                                edgeprof_write_fn write, void *user);

/* Returns what tells the counters of functions apart in a dump. It is made of the name, the hash,
   the bits and the number of slots. */
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
/* by 1: counts all running activations as ended where they stand, before exit or a dump. by -1:
   takes that back. */
EDGEPROF_API void edgeprof_running(const edgeprof_chain *chain, int by);

/* ---- the core, for programs that have graphs of their own ---- */

/* Derives counts by the flow law (section 3.2): at each vertex what comes in goes out. ends: pairs,
   X among them. known[e] not 0: count[e] is given; the others are written. balance: for each vertex
   what else came in less what else went out, as by early exits (edges v -> EXIT) and re-entries
   (EXIT -> v) of known count; it is used up. Counts are modulo 2^bits. Returns 0, or -1: the edges
   that are not known hold a cycle, or memory is too small. */
EDGEPROF_API int edgeprof_solve(const edgeprof_index *ends, uint32_t vertices, uint32_t edges,
                                const uint8_t *known, uint64_t *count, uint64_t *balance,
                                uint32_t bits, void *memory, size_t bytes);
/* Returns the bytes of memory, aligned to 8, that edgeprof_solve needs. */
EDGEPROF_API size_t edgeprof_solve_bytes(uint32_t vertices);

#ifdef __cplusplus
}
#endif

/* ---- macros ---- */

/* EP_FUNC(f)           once, at file level: counters and tables of the function whose table is
                        EP_CFG_f
   EP_FUNC_EXITS(f)     the same for a function that uses EP_FRAME
   EP_DECLARE(f)        in another file, before EP_REF(f)
   EP_REF(f)            const edgeprof_function *, or NULL with EDGEPROF_OFF
   EP_ENTRY(f)          first in the function
   EP_EDGE(f, number)   where this edge is taken
   EP_JOIN(f)           EDGEPROF_THREAD: adds this thread's counters to the common ones

   Activations that end inside of a block, by longjmp or exit, break the flow law, so they must be
   counted. Define EDGEPROF_CHAIN as a variable of type edgeprof_chain that each thread has for
   itself. Then:

   EP_FRAME(f);         behind EP_ENTRY
   EP_AT(f, vertex)     before a call that may not come back
   EP_LEAVE(f)          before each return
   EP_BACK(f, vertex)   where setjmp has returned something else than 0; vertex is the block
                        behind setjmp
   edgeprof_running(&(EDGEPROF_CHAIN), 1)   before exit and around a dump

   f, edge numbers and vertex names must not be macros. How EP_EDGE(tok, 3) comes to nothing: it
   becomes EP_P_DO(tok, 3, EP_L_tok_3). The plan header replaces the last argument by 0 or 1. One
   level further that digit picks EP_P_DO_0, which is ((void)0), or EP_P_DO_1, which increments. */

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
   EDGEPROF_ADD(counter). */
#if defined(EDGEPROF_ATOMIC) && !defined(EDGEPROF_ADD)
#if !defined(__GNUC__)
#error "EDGEPROF_ATOMIC: define EDGEPROF_ADD(counter), which adds 1 to it"
#endif
#define EDGEPROF_ADD(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED))
#define EP_P_MARK(byte) (__atomic_store_n(&(byte), 1, __ATOMIC_RELAXED))
#define EP_P_SET_BIT(byte, mask) \
    ((void)__atomic_fetch_or(&(byte), (uint8_t)(mask), __ATOMIC_RELAXED))
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

#ifdef EDGEPROF_THIN
#define EP_P_TABLES(F)
#define EP_P_TABLES_OF(F) #F, NULL, NULL, NULL, NULL, NULL
#else
#define EP_P_TABLES(F) \
    static const edgeprof_index ep_ends_##F[] = { \
        EP_CFG_##F(EP_P_NO_V, EP_P_ENDS, F) EP_P_STAY_ENDS(F) EP_NV_##F - 1, 0}; \
    static const uint32_t ep_lines_##F[] = {EP_CFG_##F(EP_P_LINE, EP_P_NO_E, F)}; \
    EP_P_PLAN_ARRAY(F) \
    EP_P_NAMES(F)
#define EP_P_TABLES_OF(F) #F, __FILE__, ep_ends_##F, ep_lines_##F, EP_P_PLAN_OF(F), EP_P_NAMES_OF(F)
#endif

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

/* ---- implementation ---- */
#if defined(EDGEPROF_IMPLEMENTATION) && !defined(EDGEPROF_IMPLEMENTED)
#define EDGEPROF_IMPLEMENTED

/* ---- deriving counts (section 3.2) ---- */

/* At each vertex the sum of the in-edges equals the sum of the out-edges. A vertex with one unknown
   edge gives that edge; the unknown edges are a forest, so there is always such a vertex, a leaf.
   No list of neighbours is needed: who[v], the exclusive or of the numbers of v's unknown edges, is
   the edge itself when one is left. An edge from a vertex to itself enters no sum; it must be
   known.

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

/* ---- counts of one function ---- */

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

/* COVER: from each mark along the straight line behind it, up to the next vertex with several
   out-edges. */
static void edgeprof_p_close(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                             uint32_t *only) {
    uint32_t e, v, w;
    for (v = 0; v < f->vertices; v++) {
        only[v] = UINT32_MAX;
        block[v] = 0;
    }
    for (e = 0; e < f->edges; e++) {
        v = f->ends[2 * (size_t)e];
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
            if (e >= UINT32_MAX - 1 || edgeprof_p_counted(f, e)) break;
            count[e] = 1;
            v = f->ends[2 * (size_t)e + 1];
        }
    }
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

static void edgeprof_p_balance(const edgeprof_function *f, uint64_t *balance) {
    uint32_t v, e, last = f->vertices - 1;
    for (v = 0; v < f->vertices; v++) balance[v] = 0;
    if (!f->early) return;
    for (v = 0; v < last; v++) {
        balance[v] += (uint64_t)f->reentry[v] - f->early[v];
        balance[last] += (uint64_t)f->early[v] - f->reentry[v];
    }
    for (e = f->edges - f->stays; e < f->edges; e++) { /* early is what a stay edge derives */
        v = f->ends[2 * (size_t)e];
        balance[v] += f->early[v];
        balance[last] -= f->early[v];
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
        for (v = 0; list[i]->early && v < list[i]->vertices; v++)
            list[i]->early[v] = list[i]->reentry[v] = 0;
    }
}

/* ---- threads, longjmp, exit ---- */

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
        default: ((uint64_t *)f->counters)[i] += ((uint64_t *)own)[i]; ((uint64_t *)own)[i] = 0;
        }
}

/* The chain holds the frames of all running activations that have one. longjmp leaves them there
   until edgeprof_come_back cuts it: the landing activation and all behind it ended where they
   stood, and the landing one began anew behind setjmp. The flow law at v:
   in + reentry = count = out + early. */

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

/* ---- LCOV and CSV ---- */

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

/* Divides by 10, 16 bits at a time, and returns the rest: where 32 bits are a word, dividing 64
   bits needs a function of 700 bytes. */
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

/* A line runs as often as the busiest vertex that has it. A wrapped count may read 0 where an edge
   behind it does not: readers of LCOV refuse a branch taken on a line not run, so the edges that
   leave a vertex count for its line too. */
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

/* ---- the dump (docs/formats.md, kind 4) ---- */

/* [shared: crc32] CRC-32 (IEEE 802.3, reflected), four bits at a time. */
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
/* [end shared] */

/* [shared: put] Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
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
/* [end shared] */

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

#ifndef EDGEPROF_THIN
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
#endif

static void edgeprof_p_put_counts(edgeprof_p_out *out, const edgeprof_function *f) {
    uint32_t exits = 0, i;
    edgeprof_p_put_varint(out, 2);
    edgeprof_p_put_key(out, f);
    edgeprof_p_put_varint(out, f->bits);
    edgeprof_p_put_varint(out, f->slots);
    for (i = 0; i < f->slots; i++) edgeprof_p_put_varint(out, edgeprof_p_slot(f, i));
    for (i = 0; f->early && i < f->vertices; i++) exits += f->early[i] || f->reentry[i];
    edgeprof_p_put_varint(out, exits);
    for (i = 0; f->early && i < f->vertices; i++) {
        if (!f->early[i] && !f->reentry[i]) continue;
        edgeprof_p_put_varint(out, i);
        edgeprof_p_put_varint(out, f->early[i]);
        edgeprof_p_put_varint(out, f->reentry[i]);
    }
}

EDGEPROF_API int edgeprof_write(const edgeprof_function *const *list, uint32_t count,
                                edgeprof_write_fn write, void *user) {
    edgeprof_p_out out;
    uint32_t i;
    edgeprof_p_put_begin(&out, 4, write, user);
    for (i = 0; i < count; i++) {
        if (!list[i]) continue;
#ifndef EDGEPROF_THIN
        if (list[i]->ends) edgeprof_p_put_table(&out, list[i]);
#endif
        edgeprof_p_put_counts(&out, list[i]);
    }
    return edgeprof_p_put_end(&out) ? -1 : 0;
}
#endif /* EDGEPROF_IMPLEMENTATION */

/*
MIT License

Copyright (c) 2026 the bursty authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
