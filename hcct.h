/* hcct.h - v0.2.0 - hot calling contexts in fixed memory, with bounds - MIT, text at end of file

   example:
       #define HCCT_IMPLEMENTATION
       #include "hcct.h"
       #include <stdio.h>
       static uint64_t memory[4096];                        // 32 KiB, enough for some 800 contexts
       int main(void) {
           static const char *const names[] = {"", "main", "update", "draw"};
           hcct tree;
           hcct_context rows[10];
           hcct_init(&tree, memory, sizeof memory, NULL);
           hcct_enter(&tree, 1, 1);                         // main was called once
           for (int i = 0; i < 100; i++) {
               hcct_enter(&tree, i % 4 ? 2 : 3, 1);
               hcct_leave(&tree);
           }
           uint32_t n = hcct_hottest(&tree, 1, 50, rows, 10); // contexts with 1/50 of all calls
           for (uint32_t i = 0; i < n; i++) {
               uint32_t path[8], depth = hcct_path(&tree, rows[i].node, path, 8);
               for (uint32_t k = 0; k < depth && k < 8; k++) printf("%s ", names[path[k]]);
               printf("%lu\n", (unsigned long)rows[i].lower); // main update 75, main draw 25
           }
       }
   end of example.

   A calling context is a path of calls: main calls update, update calls move. The tree adds up the
   weight of each context. If they do not all fit into the memory, it keeps the hot ones and the
   path to each of them. It knows a lower and an upper bound of the true weight of each context it
   keeps. No other context weighs more than `bound_of_absent` (hcct_get_stats).

   WITH BURSTY.H  If bursty.h is included before this file, there is nothing to call: bursty_start
   keeps the contexts of all threads, bursty_save writes them, and `bursty report` shows them. Where
   HCCT_IMPLEMENTATION is defined, include bursty.h first. Behind the functions of a tree stands
   what you may ask and set (callpaths_...).

   STEP BY STEP
   1. Give each function or each call site a key, a 32-bit number other than 0.
   2. Call hcct_init with memory for the tree.
   3. Call hcct_enter when a call begins and hcct_leave when it ends. A weight of 1 counts calls. It
      can also be nanoseconds or bytes: then enter with 0 and call hcct_add while you are there. A
      tail call is a hcct_leave, then a hcct_enter.
   4. hcct_hottest fills rows, the hottest first; hcct_next walks the tree. hcct_write makes a file:
      build/bursty shows it, joins those of many runs and writes what flame graph programs read.
   5. For longjmp and exceptions take hcct_position before and give it to hcct_return_to after; or
      use hcct_leave_key, which also closes all calls above the one it names.
   6. For coroutines call hcct_fiber_start, hcct_fiber_switch and hcct_fiber_end.
   7. To look now and then only, call hcct_burst_begin with your stack of keys, pass on events, and
      call hcct_burst_end.
   8. With no source to edit, compile with -finstrument-functions and link record/inside/hooks/instrument.c.

   PROMISES   It never allocates, recurses, aborts or prints, and it has no global variables.
              Queries change no answer and may come between any two events. A full arena is normal:
              contexts are given up, and the bounds say what that costs. Counters saturate.
   THREADS    One thread at a time may use a tree. There are no locks and no atomics inside. Give
              each thread a tree and write them all into one file: build/bursty joins them.
   OPTIONS    Define these where you define HCCT_IMPLEMENTATION:
              HCCT_STATIC         all functions are static. Define it wherever you include the file.
              HCCT_ASSERT(x)      checks for mistakes of the caller. The default does nothing.
              HCCT_ALGORITHMS     the algorithms to compile, a mask: 1 << HCCT_FULL and so on
              HCCT_SAMPLE         counts that are sampled on the stack for a quantile. Default: 256
              CALLPATHS_MEMORY=n  static memory for the contexts that bursty.h samples: 3 MiB, for 64
                                  threads with some 430 contexts each (1200 without intervals); its
                                  pages are touched when a thread needs them. In a bare build it is
                                  384 KiB, for 8. 0 means none.
   COST       A context takes 32 bytes (20 in a full tree) and 5.4 bytes of lookup tables. Enter and
              leave of weight 1 together take 33 instructions if the lookup cache knows the
              context, else some 70 and more. docs/hcct.md has measurements.

   The paper is "Mining Hot Calling Contexts in Small Space" (D'Elia, Demetrescu, Finocchi, PLDI
   2011). Section numbers in this file are those of the paper.

   CONTENTS
     language
     linkage
     types
     functions
     contexts of a program that bursty.h samples
     basics
     counters that saturate
     numbers
     nodes
     what is known of a context
     finding a child
     the running stack
     pruning (section 4, Figure 4)
     sweeps
     Space-Saving (section 4.1)
     Lossy Counting (section 4.2)
     Sticky Sampling
     a full arena
     events
     fibers
     bursts (section 5.5)
     memory layout
     answers
     writing a .brst part
     dump: a .brst part of kind 2 (docs/formats.md)
     sums of contexts over bursts
     contexts from bursty.h
*/

#ifndef HCCT_H
#define HCCT_H
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
#define HCCT_P_GNU
#endif
#if defined(HCCT_P_GNU) || defined(__TINYC__)
#define HCCT_P_UNUSED __attribute__((unused))
#else
#define HCCT_P_UNUSED
#endif
#ifdef HCCT_STATIC
#define HCCT_API HCCT_P_UNUSED static
#elif defined(HCCT_P_GNU) && !defined(_WIN32)
#define HCCT_API extern __attribute__((visibility("hidden")))
#else
#define HCCT_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ----------------------------------------- src/hcct/types.h ---- */

enum {                          /* config.algorithm. Files have these; older ones 1 and 2 as well */
    HCCT_SPACE_SAVING = 0,      /* section 4.1: counts M contexts, evicts the smallest. Take this */
    HCCT_LOSSY = 3,             /* section 4.2, Lossy Counting: drops contexts below epsilon N */
    HCCT_STICKY = 4,            /* Sticky Sampling: its bounds hold with a chance of 1 - delta */
    HCCT_FULL = 5               /* section 3: keeps every context, exact while the arena lasts */
};
#define HCCT_KEY_DEEP UINT32_MAX /* a reserved key: it stands for frames that are not known */

typedef int (*hcct_write_fn)(void *user, const void *data, size_t size); /* 0 to go on, else stop */
typedef const char *(*hcct_name_fn)(void *user, uint32_t key);           /* NULL: it has no name */

/* What config.sums gives: four numbers, and the calls in each of so many groups of
   bursts. */
enum { HCCT_GROUPS = 8, HCCT_SUMS = 4 + HCCT_GROUPS };

/* A position of a stack: the node of the running context, and what is
   private. */
typedef struct hcct_place {
    uint32_t cursor, depth, returns, over, cut;
} hcct_place;

enum { HCCT_UNSTORED_KEYS = 16 };
/* A stack of calls. You provide the storage; the fields are private. */
typedef struct hcct_fiber {
    hcct_place at;
    uint32_t *returns;
    uint32_t return_max;
    uint32_t unstored[HCCT_UNSTORED_KEYS];
    struct hcct_fiber *next;
} hcct_fiber;

typedef struct hcct_config {    /* a zero anywhere means the default */
    uint32_t algorithm;         /* default HCCT_SPACE_SAVING */
    uint32_t monitored;         /* M, how many contexts are counted. Default: 3/4 of what fits */
    uint32_t one_over_epsilon;  /* Lossy and Sticky: 1 / the error allowed. Default M */
    uint32_t one_over_phi;      /* Sticky: 1 / the share that is hot. Default: a fifth of that */
    uint32_t one_over_delta;    /* Sticky: 1 / the chance to fail. Default 100 */
    uint32_t depth_limit;       /* deeper calls are not stored. Default: no limit */
    uint32_t fold;              /* n > 0 folds recursion: a call whose key is that of the running
                                   context or of one of its n - 1 nearest callers goes back there */
    uint32_t *returns;          /* memory that folding needs: one word for each open call */
    uint32_t return_count;
    uint32_t history;           /* adaptive bursts: how many stacks are remembered. Default: none */
    uint32_t reenable;          /* k: a known stack gets a burst once in k times. 0: never again */
    uint32_t cache_slots;       /* of the cache for finding a child; 1 means none. Default: a
                                   quarter of the contexts that fit, 16384 at most */
    uint64_t seed;              /* of the random numbers of Sticky and of adaptive bursts */
    void (*sums)(void *user, uint32_t node, uint64_t *numbers); /* NULL, or: hcct_write adds
                                   these for each node, HCCT_SUMS of them, see docs/formats.md.
                                   user: sums_user */
    void *sums_user;
    const char *unit;           /* what weights are, a word of 31 letters, digits, - or _ at most:
                                   "misses". Reports show it. NULL: calls */
} hcct_config;

typedef struct hcct_context {
    uint32_t node, key, depth;
    int certain;                /* hcct_hottest: the lower bound reaches the threshold as well */
    int cold;                   /* it is only known as a caller of others */
    uint64_t lower, upper;      /* lower <= true weight <= upper */
} hcct_context;

typedef struct hcct_stats {
    uint64_t total;             /* N, all weight that was offered */
    uint64_t bound_of_absent;   /* no context outside the tree weighs more. Divided by total it is
                                   the epsilon that was reached; more memory makes it smaller */
    uint64_t lost;              /* weight in N that had no place, because one path filled the arena:
                                   give more memory, a depth_limit or fold */
    uint64_t below_depth_limit; /* weight not in N: below depth_limit or beyond `returns` */
    uint64_t outside_any_context; /* weight not in N: hcct_add at the root */
    uint64_t scaled_total;      /* what N stands for, see hcct_scale_to. Else N */
    uint64_t unmatched;         /* leaves without an enter: was a longjmp overlooked? */
    uint64_t repaired;          /* calls that were closed because a caller of theirs was left */
    uint64_t sweeps, evictions; /* passes over the arena, and counts that they took away */
    uint64_t evicted_for_space; /* nodes freed because the arena was full: give more memory */
    uint64_t visits;            /* nodes that sweeps looked at */
    uint64_t burst_points;      /* hcct_burst_begin: burst_new + burst_again + burst_skipped */
    uint64_t burst_new, burst_again, burst_skipped;
    uint64_t bytes;             /* of the memory, that were ever touched */
    uint32_t rate_shift;        /* Sticky: it samples one event in 2^rate_shift */
    uint32_t capacity;          /* contexts that fit */
    uint32_t nodes, peak_nodes; /* contexts that are there; that ever were at one time */
    uint32_t monitored, monitored_max; /* contexts that have a count; M */
    uint32_t node_bytes;
    int weighted;               /* a weight above 1 was seen */
    int purges_quarters;        /* Space-Saving: weights differ so much: sweeps evict a quarter */
    int saturated;              /* some counter reached its maximum and stays there */
} hcct_stats;

typedef struct hcct hcct;

/* ---- functions --------------------------------- src/hcct/functions.h ---- */

/* Lays an empty tree out in memory[0..bytes). config may be NULL. Returns how
   many contexts fit. 0 means: do not use the tree, for the memory is too small,
   or the algorithm is not there. */
HCCT_API uint32_t hcct_init(hcct *t, void *memory, size_t bytes, const hcct_config *config);
/* Returns the bytes that hcct_init needs for so many contexts. */
HCCT_API size_t hcct_bytes(const hcct_config *config, uint32_t contexts);
/* Goes on in a larger memory that begins with the bytes of the old one, as
   after realloc. Both must be aligned to 8. Returns how many contexts fit now,
   or 0: it refused and nothing happened. */
HCCT_API uint32_t hcct_grow(hcct *t, void *memory, size_t bytes);

/* A call of key begins below the running context (sections 3 and 4). Weight 0
   only goes there. */
HCCT_API void hcct_enter(hcct *t, uint32_t key, uint64_t weight);
/* The running call ends. */
HCCT_API void hcct_leave(hcct *t);
/* Leaves calls until `depth` are open, then enters key. For who keeps a stack of
   calls: it need not say when one ends. */
HCCT_API void hcct_enter_at(hcct *t, uint32_t depth, uint32_t key, uint64_t weight);
/* The same with weight 1, but only where that takes a few instructions. It is for a
   hook that inlines them (HCCT_STATIC). Returns 1; or 0 if it has done nothing. */
HCCT_API int hcct_enter_known(hcct *t, uint32_t depth, uint32_t key);
/* Credits weight to the running context. */
HCCT_API void hcct_add(hcct *t, uint64_t weight);
/* The nearest open call of key ends, and all calls that it made. Returns 1, or
   0 if none is open. Of calls without a place it knows the HCCT_UNSTORED_KEYS
   outermost; others fit any key. */
HCCT_API int hcct_leave_key(hcct *t, uint32_t key);
/* Returns where the running stack stands. */
HCCT_API hcct_place hcct_position(const hcct *t);
/* Closes all calls above a position that is still on the stack. */
HCCT_API void hcct_return_to(hcct *t, const hcct_place *place);

/* A second stack begins, at the root or, if `here`, where the running one
   stands. It stays in use until hcct_fiber_end. returns is its memory for
   folding; NULL if there is none. */
HCCT_API void hcct_fiber_start(hcct *t, hcct_fiber *fiber, int here, uint32_t *returns,
                               uint32_t return_count);
/* Events now belong to this stack; NULL is the first one. */
HCCT_API void hcct_fiber_switch(hcct *t, hcct_fiber *fiber);
/* Gives up a stack. It must not be the running one. */
HCCT_API void hcct_fiber_end(hcct *t, hcct_fiber *fiber);

/* Section 5.3, bursting. Goes to the context stack[0..depth), outermost call
   first, and counts none of these calls. Returns the weight to pass to every
   hcct_enter of this burst. It is 1 without a history or for a new stack. For a
   stack in the history it is config.reenable, once in that many bursts, or else
   0. 0 means: skip this burst. */
HCCT_API uint32_t hcct_burst_begin(hcct *t, const uint32_t *stack, uint32_t depth);
/* Closes all calls. */
HCCT_API void hcct_burst_end(hcct *t);
/* total is the weight of the whole run, of which bursts saw a part: bounds are
   scaled up to it. */
HCCT_API void hcct_scale_to(hcct *t, uint64_t total);
HCCT_API void hcct_get_stats(const hcct *t, hcct_stats *out);
/* Returns (section 2) a hot context's least weight at phi = a / b: floor(phi
   N), at least 1. */
HCCT_API uint64_t hcct_threshold(const hcct *t, uint32_t a, uint32_t b);
/* Section 4: fills rows[0..max) with the hottest contexts whose upper bound
   reaches the threshold of phi = a / b, by lower bound, then upper bound, depth
   and path. Returns how many it filled. If bound_of_absent is below the threshold and
   there are rows enough, no hot context is missing. */
HCCT_API uint32_t hcct_hottest(const hcct *t, uint32_t a, uint32_t b, hcct_context *rows,
                               uint32_t max);
/* Walks all nodes, callers before what they call: returns the node after
   `node`; 0 begins and ends.
   *depth is kept up to date and must be 0 at the start. */
HCCT_API uint32_t hcct_next(const hcct *t, uint32_t node, uint32_t *depth);
/* Returns the caller's node. 0 is the root. */
HCCT_API uint32_t hcct_parent(const hcct *t, uint32_t node);
/* Returns the node of key below parent, or 0 if it is not in the tree. */
HCCT_API uint32_t hcct_find(const hcct *t, uint32_t parent, uint32_t key);
/* Fills all fields but depth and certain, which become 0. */
HCCT_API void hcct_get_context(const hcct *t, uint32_t node, hcct_context *out);
/* Fills keys with the last max keys of the path to node. Returns the depth of
   node. */
HCCT_API uint32_t hcct_path(const hcct *t, uint32_t node, uint32_t *keys, uint32_t max);

/* Writes the tree as a .brst part of kind 2 (docs/formats.md). name may be
   NULL. Returns 0, or -1 if write returned something else. */
HCCT_API int hcct_write(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write,
                        void *user);

/* You provide the storage; the fields are private. */
struct hcct {
    uint32_t *words;            /* the nodes */
    uint32_t *cache, *hash;     /* lookup tables */
    uint64_t *history;          /* signatures of stacks that had a burst */
    void *memory;
    hcct_fiber run;             /* the running stack */
    ptrdiff_t at;               /* recent[at] is the running context's node, */
    ptrdiff_t stop, stop_full;  /* enter of weight 1 is plain while at is below: in Space-Saving, */
    ptrdiff_t stop_any;         /* in full trees; and any enter: in all trees */
    uint32_t low;               /* recent[0] is the node at depth low */
    uint32_t recent[32];
    hcct_stats stats;           /* some are kept up to date, others computed when asked for */
    uint64_t floor;             /* part of bound_of_absent: what was evicted had at most this */
    uint64_t boundary;          /* N at which Lossy sweeps next, and Sticky doubles its rate */
    uint64_t seed;
    uint32_t algorithm, stride; /* stride: words of a node */
    uint32_t used;              /* node numbers handed out, the root included */
    uint32_t free_list;         /* nodes to use again */
    uint32_t cache_mask, hash_slots, hash_fill, history_fill;
    uint32_t width, events;     /* Lossy: 1 / epsilon; events since the boundary was passed */
    uint32_t one_over_phi, one_over_delta, depth_limit;
    int prunes_late;            /* several cursors live: only sweeps prune */
    int padded;                 /* the memory given was not aligned */
    hcct_fiber *running;        /* where to save `run`; NULL is `main` */
    hcct_fiber *fibers, main;
    hcct_config config;
};

/* ---- contexts of a program that bursty.h samples  src/hcct/callpaths.h ---- */

#ifdef BURSTY_H

/* If bursty.h is included before this header, the two are joined: bursty_start
   also records whole calling contexts, and bursty_save writes them. There is
   nothing to call, but see callpaths_setup. bursty.h knows who is called, and from where; here stands
   that main calls search, and search calls price. `bursty report` shows the hot
   contexts, and for each function the calls in it and below it.

   Each thread has a tree of its own. A thread that takes over the record of one
   that has ended goes on with its tree. A call that is not counted is in
   callpaths_stats.lost, and the report shows it: a thread had no tree, or a
   dump was being written. Each context's share of the calls has a 95 % interval
   in the report, from how its calls differ between bursts. Paths are as deep as
   BURSTY_STACK; what is deeper stands in a context "(deep)".

   Adaptive bursts (section 5.5): with config.history a burst that begins at a
   stack that had one is left out, but for one in config.reenable, which counts
   for all of them. What is left out costs as much in bursty.h and 20 instructions
   here; docs/hcct.md says what is lost.

   Cost: one more profile of bursty.h, at the rate of its profile 0: some 130
   instructions for each event in a burst, and 30 for each scope on the stack
   when a burst begins. */

#if !defined(BURSTY_TINY) || defined(BURSTY_OFF)
#ifdef BURSTY_OFF
#define CALLPATHS_API HCCT_P_UNUSED static inline
#define CALLPATHS_P_OFF(...) { __VA_ARGS__; }
#else
#define CALLPATHS_API HCCT_API
#define CALLPATHS_P_OFF(...) ;
#endif

typedef struct callpaths_config {  /* a zero anywhere means the default           */
    bursty_profile profile; /* rate of the bursts; every 0: as profile 0          */
    uint32_t threads;       /* trees to make room for: 64, in a bare build 8      */
    int no_intervals;       /* 1: no sums over bursts; 2.8 times the room         */
    uint32_t history;       /* adaptive bursts: how many stacks each tree remembers. A burst
                               at a stack that had one is left out. 0: no burst is    */
    uint32_t reenable;      /* but for one in so many of these, whose calls count as
                               many times as much; 0: for none                        */
    void *memory;           /* NULL: CALLPATHS_MEMORY bytes of static memory      */
    size_t memory_bytes;
} callpaths_config;

typedef struct callpaths_stats {
    uint64_t calls;      /* recorded in bursts, but for those that are left out   */
    uint64_t estimated;  /* how many calls of the whole run these stand for       */
    uint64_t lost;       /* of the recorded ones, calls that are in no tree       */
    uint32_t contexts;   /* in all trees                                          */
    uint32_t room;       /* contexts that fit into one tree                       */
    uint32_t threads;    /* trees in use                                          */
} callpaths_stats;

/* Sets what the next bursty_start uses; config may be NULL. Call it before
   bursty_start if the defaults do not fit. Two builds must call it, for nothing
   else joins the two headers there: C with a compiler other than gcc and clang,
   and a bare build (BURSTY_BARE) that is no ELF file or has BURSTY_STATIC.
   Returns 0, or -1: memory is too small for a tree of 8 contexts for each
   thread. */
CALLPATHS_API int callpaths_setup(const callpaths_config *config)
    CALLPATHS_P_OFF(return (void)config, 0)

/* Sums over all threads. What other threads count at the same time may be
   missing. */
CALLPATHS_API void callpaths_get_stats(callpaths_stats *out)
    CALLPATHS_P_OFF(const callpaths_stats none = { 0, 0, 0, 0, 0, 0 }; *out = none)

/* The tree of the thread of that number, from 0 in the order in which bursty.h
   registered them; NULL if it has none. Its answers stand for the whole run.
   While you ask, that thread must make no check: ask on the thread itself, or
   when it has ended. */
CALLPATHS_API const hcct *callpaths_tree(uint32_t thread)
    CALLPATHS_P_OFF((void)thread; return NULL)

/* An hcct_name_fn for these trees; user is not used. */
CALLPATHS_API const char *callpaths_name(void *user, uint32_t key)
    CALLPATHS_P_OFF((void)user; (void)key; return NULL)
#endif

#endif /* BURSTY_H */

#ifdef __cplusplus
}
#endif
#endif /* HCCT_H */

#if defined(HCCT_IMPLEMENTATION) && !defined(HCCT_IMPLEMENTED)
#define HCCT_IMPLEMENTED
#ifdef __cplusplus
extern "C" {
#endif

/* ---- basics --------------------------------------- src/hcct/basics.c ---- */

#ifndef HCCT_ASSERT
#define HCCT_ASSERT(condition) ((void)0)
#endif
#ifndef HCCT_ALGORITHMS
#define HCCT_ALGORITHMS 63
#endif
#ifndef HCCT_SAMPLE
#define HCCT_SAMPLE 256
#endif
#if defined(HCCT_P_GNU)
#define HCCT_P_INLINE static inline __attribute__((always_inline))
#define HCCT_P_RARE   static __attribute__((noinline, unused))
#define HCCT_P_LIKELY(x) __builtin_expect(!!(x), 1)
#define HCCT_P_FETCH(address) __builtin_prefetch(address, 1)
#else
#define HCCT_P_INLINE static inline
#define HCCT_P_RARE   static
#define HCCT_P_LIKELY(x) (x)
#define HCCT_P_FETCH(address) ((void)(address))
#endif

#define HCCT_P_BIT  UINT32_C(0x80000000)
#define HCCT_P_LINK UINT32_C(0x7FFFFFFF)
#define HCCT_P_FREE UINT32_MAX              /* parent of a free node */
#define HCCT_P_NONE UINT64_MAX              /* count of a cold node */
#define HCCT_P_WALK 16                      /* siblings to look at before the hash is used */
#define HCCT_P_BLOCK 256                    /* nodes that a sweep looks at before it frees any */
#define HCCT_P_AHEAD 6                      /* nodes that it fetches ahead */
#define HCCT_P_COMPILED ((HCCT_ALGORITHMS) & 57) /* a mask of the algorithms 0, 3, 4 and 5 */
#define HCCT_P_HAS(t, which) ((HCCT_P_COMPILED >> (which) & 1) != 0 && (t)->algorithm == (which))

/* ---- counters that saturate -------------------------- src/saturate.c ---- */

static uint64_t hcct_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* ---- numbers ------------------------------------- src/hcct/numbers.c ---- */

static void hcct_p_zero(void *memory, size_t bytes) {
    while (bytes) ((unsigned char *)memory)[--bytes] = 0;
}

/* a + b, or `most` and the flag that says so. */
static uint64_t hcct_p_add_to(hcct *t, uint64_t a, uint64_t b, uint64_t most) {
    if (b > most || a > most - b) {
        t->stats.saturated = 1;
        return most;
    }
    return a + b;
}

static uint64_t hcct_p_less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* splitmix64: a small state, and any seed will do. */
static uint64_t hcct_p_random(hcct *t) {
    uint64_t z = (t->seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Errors stand in 32 bits as m * 2^e with m of 26 bits, exact below 67 million.
   They are rounded up and guaranteed weights are rounded down, so that bounds
   stay bounds. */
HCCT_P_INLINE uint32_t hcct_p_pack(uint64_t x, int up) {
    uint32_t e = 0;
    for (; x >> 26; e++) x = (x >> 1) + (up ? x & 1 : 0);
    return (uint32_t)x | e << 26;
}

HCCT_P_INLINE uint64_t hcct_p_unpack(uint32_t packed) {
    uint32_t e = packed >> 26;
    if (HCCT_P_LIKELY(e == 0)) return packed;
    return e > 38 ? UINT64_MAX : (uint64_t)(packed & 0x3FFFFFF) << e;
}

/* a * b / c without overflow, if a <= c or the result fits; rounded up or
   down. */
static uint64_t hcct_p_scale(uint64_t a, uint64_t b, uint64_t c, int up) {
    uint64_t result = 0, rest = 0; /* invariant: a * (the bits of b so far) = result * c + rest */
    int bit;
    if (c == 0) return a;
    for (bit = 63; bit >= 0; bit--) {
        uint64_t carry = rest >= c - rest;
        result = result > UINT64_MAX / 2 ? UINT64_MAX : result * 2;
        rest = carry ? rest - (c - rest) : rest * 2;
        result = hcct_p_sat_add(result, carry);
        if ((b >> bit & 1) == 0) continue;
        result = hcct_p_sat_add(result, a / c);
        carry = rest >= c - a % c;
        rest = carry ? rest - (c - a % c) : rest + a % c;
        result = hcct_p_sat_add(result, carry);
    }
    return up && rest ? hcct_p_sat_add(result, 1) : result;
}

/* ln x for x > 0 and x = 2^e m, by the series of 2 artanh((m - 1) / (m + 1));
   good to 1e-13. */
static double hcct_p_ln(double x) {
    double z, power, sum = 0;
    int e = 0, i;
    for (; x >= 4.0 / 3; e++) x /= 2;
    for (; x < 2.0 / 3; e--) x *= 2;
    z = (x - 1) / (x + 1);
    power = z;
    for (i = 1; i < 40; i += 2) {
        sum += power / i;
        power *= z * z;
    }
    return 2 * sum + e * 0.69314718055994530942;
}

/* ---- nodes ----------------------------------------- src/hcct/nodes.c ---- */

/* word    0    1       2            3             4              5      6 7
   full    key  parent  first child  next sibling  count
   pruned  key  parent  first child  next sibling  children       error  count

   Links are node numbers. Node 0 is the root and, as a link, "none". Bit 31 of
   `first child` says that the children are in the hash too. `children` is their
   number; its bit 31 pins the node and so keeps sweeps from freeing it, and is
   always set in the root. A free node has parent ~0 and children 1, and hangs
   on free_list by `next sibling`. In Space-Saving a count of ~0 marks a cold
   node, and its `error` holds `kept` instead: the weight that was certain
   before the eviction.

   Invariants: every ancestor of a counted node is in the tree. Siblings have
   distinct keys. Live and free nodes together are used - 1. After a sweep,
   every leaf is counted, pinned or the cursor. Between sweeps this is
   suspended: there may be other cold leaves. */

enum { HCCT_P_KEY, HCCT_P_PARENT, HCCT_P_CHILD, HCCT_P_NEXT, HCCT_P_COUNT32 };
enum { HCCT_P_CHILDREN = 4, HCCT_P_ERROR, HCCT_P_COUNT };
enum { HCCT_P_STRIDE_FULL = 5, HCCT_P_STRIDE = 8 };     /* words of a node */

HCCT_P_INLINE int hcct_p_full(const hcct *t) { return HCCT_P_HAS(t, HCCT_FULL); }
HCCT_P_INLINE int hcct_p_saving(const hcct *t) { return HCCT_P_HAS(t, HCCT_SPACE_SAVING); }
HCCT_P_INLINE uint32_t *hcct_p_at(const hcct *t, uint32_t i) {
    return t->words + (size_t)i * t->stride;
}
/* These two are for pruned trees. */
HCCT_P_INLINE uint32_t *hcct_p_node(const hcct *t, uint32_t i) {
    return t->words + (size_t)i * HCCT_P_STRIDE;
}
HCCT_P_INLINE uint64_t *hcct_p_count(const hcct *t, uint32_t i) {
    return (uint64_t *)(void *)(hcct_p_node(t, i) + HCCT_P_COUNT);
}
HCCT_P_INLINE uint32_t hcct_p_child(const hcct *t, uint32_t i) {
    return hcct_p_at(t, i)[HCCT_P_CHILD] & HCCT_P_LINK;
}
HCCT_P_INLINE int hcct_p_is_free(const hcct *t, uint32_t i) {
    return hcct_p_at(t, i)[HCCT_P_PARENT] == HCCT_P_FREE;
}

/* ---- what is known of a context -------------------- src/hcct/known.c ---- */

/* For each context in the tree, lower <= true weight <= upper. For all others,
   weight <= base; this is bound_of_absent. base = floor + lost, where floor
   grows with what is evicted. */

static uint64_t hcct_p_base(const hcct *t) {
    uint64_t base = t->floor;
    if (HCCT_P_HAS(t, HCCT_STICKY) && t->stats.rate_shift) { /* what samples may have missed */
        double miss = hcct_p_ln((double)t->one_over_phi * t->one_over_delta);
        miss *= (double)((uint64_t)1 << t->stats.rate_shift);
        base = miss >= 9e18 ? UINT64_MAX : (uint64_t)miss + 1;
    }
    base = hcct_p_sat_add(base, t->stats.lost);
    return HCCT_P_HAS(t, HCCT_STICKY) && base > t->stats.total ? t->stats.total : base;
}

HCCT_P_INLINE uint64_t hcct_p_error(const hcct *t, uint32_t i) {
    uint64_t error = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]), count = *hcct_p_count(t, i);
    return hcct_p_saving(t) && error > count ? count : error;
}
HCCT_P_INLINE uint64_t hcct_p_lossy_upper(const hcct *t, uint32_t i) {
    return hcct_p_sat_add(*hcct_p_count(t, i), hcct_p_error(t, i));
}

static int hcct_p_cold(const hcct *t, uint32_t i) {
    if (hcct_p_full(t)) return 0;
    if (hcct_p_saving(t)) return *hcct_p_count(t, i) == HCCT_P_NONE;
    if (HCCT_P_HAS(t, HCCT_STICKY)) return *hcct_p_count(t, i) == 0;
    return hcct_p_lossy_upper(t, i) <= hcct_p_base(t);
}

static void hcct_p_bounds(const hcct *t, uint32_t i, uint64_t *lower, uint64_t *upper) {
    uint64_t base = hcct_p_base(t);
    if (hcct_p_full(t)) {
        *lower = hcct_p_at(t, i)[HCCT_P_COUNT32];
        *upper = hcct_p_sat_add(*lower, t->stats.lost);
        if (*lower == UINT32_MAX) *upper = t->stats.total; /* 32 bits were full: it may be all */
    } else if (!hcct_p_saving(t)) {
        *lower = *hcct_p_count(t, i);
        *upper = hcct_p_lossy_upper(t, i);
        if (HCCT_P_HAS(t, HCCT_STICKY)) *upper = hcct_p_sat_add(*lower, base);
    } else if (hcct_p_cold(t, i)) {
        *lower = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]);
        *upper = base;
    } else {
        *upper = *hcct_p_count(t, i);
        *lower = *upper - hcct_p_error(t, i);
    }
}

/* ---- finding a child ---------------------------- src/hcct/children.c ---- */

/* Programs differ: in a plain list one needs 1 visit a call, another 30 000. So
   there are 3 ways:

     1 cache   cache[some bits of mix(parent, key)] is mix ^ a node number. It counts only if that
               node has this parent and this key, so no entry is ever cleared. An entry of another
               mix mostly gives a number that no node has, and no memory is fetched for it.
     2 walk    along the list of children. What follows the second place moves to the front.
     3 hash    After a walk of more than HCCT_P_WALK steps, all children of that parent are put into
               the hash of node numbers: linear probing, at most 3/4 full even with all nodes.

   Invariant: the children of a parent that has more than HCCT_P_WALK + 1 of
   them are in the hash. hcct_grow suspends it: it empties the hash, and the
   next walk along such a list fills it again.

   Cost: one node in the first way, at most HCCT_P_WALK + 1 nodes in the second,
   about two probes in the third. So a call never pays for the number of
   children that its caller has. */

/* A hash for the cache alone: its low bits say where. */
HCCT_P_INLINE uint32_t hcct_p_mix(uint32_t parent, uint32_t key) {
    return parent + key * UINT32_C(0x85EBCA6B);
}
HCCT_P_INLINE uint32_t *hcct_p_cached(const hcct *t, uint32_t mix) {
    return t->cache + (size_t)(mix & t->cache_mask);
}
static uint32_t hcct_p_home(const hcct *t, uint32_t parent, uint32_t key) {
    uint32_t mix = parent * UINT32_C(0x9E3779B1) + key * UINT32_C(0x85EBCA6B);
    return (uint32_t)((uint64_t)mix * t->hash_slots >> 32);
}
static uint32_t hcct_p_after(const hcct *t, uint32_t slot) {
    return slot + 1 == t->hash_slots ? 0 : slot + 1;
}

static void hcct_p_hash_put(hcct *t, uint32_t i) {
    const uint32_t *n = hcct_p_at(t, i);
    uint32_t slot = hcct_p_home(t, n[HCCT_P_PARENT], n[HCCT_P_KEY]);
    while (t->hash[slot]) slot = hcct_p_after(t, slot);
    t->hash[slot] = i;
    t->hash_fill++;
}

/* An entry behind the gap moves up unless its home is behind it too: no probe
   ends too early. */
static void hcct_p_hash_take(hcct *t, uint32_t i) {
    const uint32_t *n = hcct_p_at(t, i);
    uint32_t slots = t->hash_slots, gap = hcct_p_home(t, n[HCCT_P_PARENT], n[HCCT_P_KEY]), k;
    while (t->hash[gap] != i) gap = hcct_p_after(t, gap);
    for (k = hcct_p_after(t, gap); t->hash[k]; k = hcct_p_after(t, k)) {
        const uint32_t *m = hcct_p_at(t, t->hash[k]);
        uint32_t home = hcct_p_home(t, m[HCCT_P_PARENT], m[HCCT_P_KEY]);
        uint32_t from_home = k >= home ? k - home : k + slots - home;
        uint32_t from_gap = k >= gap ? k - gap : k + slots - gap;
        if (from_home < from_gap) continue;
        t->hash[gap] = t->hash[k];
        gap = k;
    }
    t->hash[gap] = 0;
    t->hash_fill--;
}

static void hcct_p_hash_children(hcct *t, uint32_t p) {
    uint32_t c;
    for (c = hcct_p_child(t, p); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) hcct_p_hash_put(t, c);
    hcct_p_at(t, p)[HCCT_P_CHILD] |= HCCT_P_BIT;
}

/* i becomes the first child of p. */
HCCT_P_INLINE void hcct_p_link(hcct *t, uint32_t i, uint32_t p, uint32_t stride) {
    uint32_t *first = t->words + (size_t)p * stride + HCCT_P_CHILD;
    t->words[(size_t)i * stride + HCCT_P_NEXT] = *first & HCCT_P_LINK;
    *first = i | (*first & HCCT_P_BIT);
}

/* before: the sibling in front of i, or 0. */
HCCT_P_INLINE void hcct_p_unlink(hcct *t, uint32_t i, uint32_t p, uint32_t before,
                                 uint32_t stride) {
    uint32_t *first = t->words + (size_t)p * stride + HCCT_P_CHILD;
    uint32_t *place = before ? t->words + (size_t)before * stride + HCCT_P_NEXT : first;
    *place = t->words[(size_t)i * stride + HCCT_P_NEXT] | (*place & HCCT_P_BIT);
}

/* Ways 3 and 2: the child or 0, the sibling in front of it, and how many were
   looked at. */
HCCT_P_INLINE uint32_t hcct_p_look(const hcct *t, uint32_t p, uint32_t key, uint32_t stride,
                                   uint32_t *before, uint32_t *steps) {
    const uint32_t *words = t->words;
    uint32_t c = words[(size_t)p * stride + HCCT_P_CHILD], last = 0, count = 0;
    if (c & HCCT_P_BIT) {
        uint32_t slot = hcct_p_home(t, p, key);
        for (; (c = t->hash[slot]) != 0; slot = hcct_p_after(t, slot)) {
            const uint32_t *n = words + (size_t)c * stride;
            if (n[HCCT_P_KEY] == key && n[HCCT_P_PARENT] == p) return c;
        }
        return 0;
    }
    for (; c; c = words[(size_t)c * stride + HCCT_P_NEXT]) {
        count++;
        if (words[(size_t)c * stride + HCCT_P_KEY] == key) break;
        last = c;
    }
    *before = last;
    *steps = count;
    return c;
}

/* ---- the running stack ----------------------------- src/hcct/stack.c ---- */

/* run.at.depth calls are open, and run.at.cursor is the node of the innermost
   one. The nodes of it and of its last callers are also in recent[]:

        root - a - b - c - d - e        depth 5, low 2, at 3
                   |   |   |   |
            recent[0] [1] [2] [3]

   A plain enter writes recent[at + 1] and raises `at`, and a plain leave lowers
   it, so that neither waits for the loads of the one before. The cursor and the
   depth are then out of date, and hcct_p_sync brings them back. An enter is
   plain below `stop`, a leave above 0. If something special goes on, `at` and
   `stop` are 0 between two events: then all of them go the slow way, which does
   everything.

   Invariant: the nodes in recent[1 .. at] are counted. So a plain leave comes
   from no cold leaf, and has nothing to prune. */

enum { HCCT_P_RECENT = 32 };                /* nodes in recent[] */

HCCT_P_INLINE void hcct_p_sync(hcct *t) {
    t->run.at.cursor = t->recent[t->at];
    t->run.at.depth = t->low + (uint32_t)t->at;
}

/* Whether events may be plain. Below 2^60 no counter is near its end. */
static int hcct_p_may_be_plain(const hcct *t) {
    return !t->run.at.over && !t->config.fold && t->stats.total >> 60 == 0;
}

static void hcct_p_window(hcct *t) {
    uint32_t left = t->depth_limit - t->low, most = HCCT_P_RECENT - 1;
    ptrdiff_t stop = hcct_p_may_be_plain(t) ? (ptrdiff_t)(left < most ? left : most) : 0;
    t->stop_any = stop;
    t->stop = hcct_p_saving(t) ? stop : 0;
    t->stop_full = hcct_p_full(t) ? stop : 0;
}

/* After any other change of the running stack: recent[] knows the cursor
   alone. */
static void hcct_p_mode(hcct *t) {
    t->recent[0] = t->run.at.cursor;
    t->low = t->run.at.depth;
    t->at = 0;
    hcct_p_window(t);
}

/* The call of node c begins, by any way. */
static void hcct_p_down(hcct *t, uint32_t c) {
    ptrdiff_t half = HCCT_P_RECENT / 2, k;
    hcct_p_sync(t);
    if (!hcct_p_may_be_plain(t)) {
        t->run.at.cursor = c;
        t->run.at.depth++;
        hcct_p_mode(t);
        return;
    }
    if (t->at == HCCT_P_RECENT - 1) { /* recent[] is full: forget half of it */
        for (k = 0; k < half; k++) t->recent[k] = t->recent[k + half];
        t->at -= half;
        t->low += (uint32_t)half;
        hcct_p_window(t);
    }
    t->recent[++t->at] = c;
}

/* The running call has ended, and its caller is the cursor: learns more callers
   at once, so that the next leaves are plain. */
static void hcct_p_learn(hcct *t) {
    uint32_t i = t->run.at.cursor, depth = t->run.at.depth, most = HCCT_P_RECENT / 2, n, k;
    uint32_t nodes[HCCT_P_RECENT / 2 + 1];
    if (!hcct_p_may_be_plain(t)) {
        hcct_p_mode(t);
        return;
    }
    for (n = 0; n < most && n < depth && !hcct_p_cold(t, i); n++) {
        nodes[n] = i;
        i = hcct_p_at(t, i)[HCCT_P_PARENT];
    }
    nodes[n] = i;
    for (k = 0; k <= n; k++) t->recent[k] = nodes[n - k];
    t->at = (ptrdiff_t)n;
    t->low = depth - n;
    hcct_p_window(t);
}

/* ---- pruning (section 4, Figure 4) ----------------- src/hcct/prune.c ---- */

/* A node is hot or cold. Cold means: no count (Space-Saving, Sticky Sampling),
   or an upper bound of at most base (Lossy Counting). A cold node earns its
   place only as a caller of a node that is not cold. Two things free cold
   leaves: a sweep, after it has made nodes cold, and a leave, when the cursor
   moves away from a cold leaf. (That happens after enters of weight 0; an enter
   of weight 1 gives the node a count.) Both then look at the caller, which may
   have become a cold leaf by that:

        root                    root               Here c is cold and the cursor has just left
          a 30                    a 30             it; b is cold too, a is counted. c goes, then
          |   \                   |                b, for it has no child any more. The climb
          |    b  (cold)          |                stops wherever a node is counted, has another
          |     \                 |                child, is the cursor, or is pinned.
          d 9    c  (cold)        d 9

   Cost: each freed node was made by one enter, so pruning takes constant time
   per call amortised, but for finding the node in its parent's list. A node
   that is not among the first HCCT_P_WALK siblings stays, as a cold leaf, until
   the next sweep. With several cursors (fibers, folding) a leave frees nothing:
   each cursor must keep its node, and only a sweep pins them all first. */

/* No child, no pin, not the cursor, not the root. */
HCCT_P_INLINE int hcct_p_prunable(const hcct *t, uint32_t i) {
    return hcct_p_node(t, i)[HCCT_P_CHILDREN] == 0 && i != t->run.at.cursor && i != 0;
}

/* i is left for good; it goes if it is a cold leaf, and so do its callers. */
static void hcct_p_prune(hcct *t, uint32_t i) {
    if (hcct_p_full(t) || t->prunes_late) return;
    while (hcct_p_prunable(t, i) && hcct_p_cold(t, i)) {
        uint32_t *n = hcct_p_node(t, i), p = n[HCCT_P_PARENT], before = 0, steps = 0, c;
        uint32_t *parent = hcct_p_node(t, p);
        for (c = hcct_p_child(t, p); c != i; c = hcct_p_node(t, c)[HCCT_P_NEXT]) {
            if (++steps > HCCT_P_WALK) return;
            before = c;
        }
        if (parent[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_take(t, i);
        hcct_p_unlink(t, i, p, before, HCCT_P_STRIDE);
        parent[HCCT_P_CHILDREN]--;
        if (parent[HCCT_P_CHILD] == HCCT_P_BIT) parent[HCCT_P_CHILD] = 0;
        n[HCCT_P_PARENT] = HCCT_P_FREE;
        n[HCCT_P_CHILDREN] = 1;
        n[HCCT_P_NEXT] = t->free_list;
        *hcct_p_count(t, i) = HCCT_P_NONE;
        t->free_list = i;
        t->stats.nodes--;
        i = p;
    }
}

static void hcct_p_pin_stack(hcct *t, const hcct_fiber *f, int on) {
    uint32_t i = f->at.cursor, left = t->config.fold ? f->at.returns : 0;
    for (;; i = f->returns[--left]) {
        uint32_t *n = hcct_p_node(t, i < t->used ? i : 0);
        if (on) n[HCCT_P_CHILDREN] |= HCCT_P_BIT;
        else if (n != t->words) n[HCCT_P_CHILDREN] &= HCCT_P_LINK; /* the root stays pinned */
        if (left == 0) return;
    }
}

/* All cursors: the running one, those of fibers, and nodes that folding comes
   back to. */
static void hcct_p_pin_all(hcct *t, int on) {
    const hcct_fiber *f;
    hcct_p_pin_stack(t, &t->run, on);
    if (t->running) hcct_p_pin_stack(t, &t->main, on);
    for (f = t->fibers; f; f = f->next) {
        if (f != t->running) hcct_p_pin_stack(t, f, on);
    }
}

/* ---- sweeps ---------------------------------------- src/hcct/sweep.c ---- */

/* A sweep visits all nodes once. In Space-Saving it first makes cold what has a
   count up to T. Then, in every algorithm, it frees the cold leaves and what
   they expose, as above. To unlink each of these would touch three other nodes,
   in no order. Instead a second loop makes all lists of children anew, in order
   of node numbers. Cost: two passes over the nodes in order. To avoid branches
   that no processor can foresee, the first loop begins each block of nodes by
   collecting the numbers of those that must be looked at. */

/* Second loop. A hash that is small against the nodes is filled anew. */
static void hcct_p_relink(hcct *t, int rehash) {
    uint32_t *w = t->words, *hash = t->hash, slots = t->hash_slots, i;
    t->free_list = 0;
    if (rehash && t->hash_fill) {
        for (i = 0; i < slots; i++) hash[i] = 0; /* on locals, so that compilers see a memset */
        t->hash_fill = 0;
    }
    for (i = t->used - 1; i; i--) {
        uint32_t *x = w + (size_t)i * HCCT_P_STRIDE, p = x[HCCT_P_PARENT];
        uint32_t *first = p == HCCT_P_FREE ? &t->free_list
                                           : w + (size_t)p * HCCT_P_STRIDE + HCCT_P_CHILD;
        uint32_t was = *first;
        x[HCCT_P_NEXT] = was & HCCT_P_LINK;
        *first = i | (was & HCCT_P_BIT);
        if (was & HCCT_P_BIT && rehash) hcct_p_hash_put(t, i);
    }
}

/* First loop: collects the nodes of from .. end - 1 to look at, and takes them
   out of the lists. */
HCCT_P_INLINE uint32_t hcct_p_pick(const hcct *t, uint32_t from, uint32_t end, uint64_t T,
                                   uint32_t *gone, int saving) {
    uint32_t *x = hcct_p_node(t, from), i, n = 0;
    for (i = from; i < end; i++, x += HCCT_P_STRIDE) {
        uint64_t count = *(uint64_t *)(void *)(x + HCCT_P_COUNT);
        int leaf = x[HCCT_P_CHILDREN] == 0;
        gone[n] = i; /* T - count is 0 .. T for counts up to T, and T + 1 for a cold node */
        n += saving ? T - count <= T + (uint64_t)leaf : leaf && hcct_p_cold(t, i);
        x[HCCT_P_CHILD] &= HCCT_P_BIT;
    }
    return n;
}

static void hcct_p_sweep(hcct *t, uint64_t T) {
    uint32_t *w = t->words, used = t->used, live = t->stats.nodes, gone[HCCT_P_BLOCK];
    uint32_t evicted = 0, i = 1, k, n;
    int saving = hcct_p_saving(t), rehash = t->hash_slots / 4 < used;
    if (hcct_p_full(t)) return;
    if (hcct_p_base(t) < T) t->floor = T - t->stats.lost;
    hcct_p_pin_all(t, 1);
    w[HCCT_P_CHILD] &= HCCT_P_BIT;
    while (i < used) {
        uint32_t end = used - i > HCCT_P_BLOCK ? i + HCCT_P_BLOCK : used;
        n = saving ? hcct_p_pick(t, i, end, T, gone, 1) : hcct_p_pick(t, i, end, T, gone, 0);
        i = end;
        for (k = 0; k < n; k++) {
            uint32_t at = gone[k], soon = gone[k + HCCT_P_AHEAD < n ? k + HCCT_P_AHEAD : k];
            uint64_t *count = hcct_p_count(t, at);
            uint32_t *x = hcct_p_node(t, at);
            HCCT_P_FETCH(hcct_p_node(t, hcct_p_node(t, soon)[HCCT_P_PARENT]));
            if (saving && *count != HCCT_P_NONE) { /* it becomes cold */
                uint32_t error = x[HCCT_P_ERROR];
                if (HCCT_P_LIKELY((*count | error) >> 26 == 0)) error = (uint32_t)*count - error;
                else error = hcct_p_pack(hcct_p_less(*count, hcct_p_unpack(error)), 0);
                x[HCCT_P_ERROR] = error;
                *count = HCCT_P_NONE;
                evicted++;
            }
            while (x[HCCT_P_CHILDREN] == 0) {
                uint32_t parent = x[HCCT_P_PARENT], *p = w + (size_t)parent * HCCT_P_STRIDE;
                if (!rehash && p[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_take(t, at);
                x[HCCT_P_PARENT] = HCCT_P_FREE;
                x[HCCT_P_CHILD] = 0;
                x[HCCT_P_CHILDREN] = 1;
                *(uint64_t *)(void *)(x + HCCT_P_COUNT) = HCCT_P_NONE;
                live--;
                at = parent;
                x = p;
                if (--x[HCCT_P_CHILDREN] & HCCT_P_LINK) break;
                x[HCCT_P_CHILD] = 0;
                if (!saving && !hcct_p_cold(t, at)) break;
                if (saving && *(uint64_t *)(void *)(x + HCCT_P_COUNT) != HCCT_P_NONE) break;
            }
        }
    }
    hcct_p_pin_all(t, 0);
    hcct_p_relink(t, rehash);
    t->stats.monitored -= evicted;
    t->stats.evictions += evicted;
    t->stats.nodes = live;
    t->stats.visits += used;
    t->stats.sweeps++;
    hcct_p_mode(t); /* recent[] may hold nodes that are cold now */
}

/* ---- Space-Saving (section 4.1) ------------- src/hcct/space_saving.c ---- */

/* M contexts have a count. One that arrives and has none starts at count = base
   + w with error = base - kept: it may have had up to base before, of which
   `kept` is certain. When M have a count, the smallest must go first, and base
   is raised to it.

   The paper evicts one context at a time. Here a sweep evicts all that have the
   smallest count, T. The estimate max(count, base) of any context is the same;
   the paper's forms merely evict a context with the smallest count later.

   base = floor + lost: weight for which the arena had no place may all belong
   to one context that is not stored. Only sweeps raise the floor. Let S be the
   sum of max(0, count - base) over the counted contexts. Then

       M floor + S <= N - lost

   holds as long as no context is forced out for space. What is counted adds at
   most w to S and w to N. A loss of w adds to N and to lost alike; it raises
   base, and so only lowers S. A sweep raises the floor only if the smallest
   count T is above base, by d = T - base, and takes d from each of M. So floor
   <= (N - lost) / M. Without losses that is base <= N / M; with losses base <=
   (N - lost) / M + lost. When the arena is full and contexts are forced out,
   fewer than M may pay for d, and no bound is known beforehand.
   hcct_stats.bound_of_absent is base, which is right in each case.

   Bounds are of the weight that the tree was offered. Calls that a recorder
   left out before (callpaths_stats.lost) may belong to any context: each may
   have had so many more.

   Cost: a sweep uses up M units of weight and visits the nodes twice: 2 used / M
   visits per unit.

   Weights above 1 make minima unique: a sweep for a single context would not
   pay. So when a sweep evicts fewer than M / 64, T becomes the lower quartile
   of a sample of the counts from then on. This costs a floor of up to 4 (N -
   lost) / (3 M), and 8 used / M visits per eviction. */

/* What to evict by: the count, or, of leaves that may be freed, the upper
   bound. Free and cold nodes and other leaves have the largest one. */
HCCT_P_INLINE uint64_t hcct_p_rank(const hcct *t, uint32_t i, int leaves) {
    if (leaves && !hcct_p_prunable(t, i)) return HCCT_P_NONE;
    return hcct_p_saving(t) ? *hcct_p_count(t, i) : hcct_p_lossy_upper(t, i);
}

/* The smallest, or the first that is small enough. */
static uint64_t hcct_p_smallest(hcct *t, int leaves, uint64_t enough) {
    uint64_t smallest = HCCT_P_NONE, x;
    uint32_t i;
    for (i = 1; i < t->used && smallest > enough; i++) {
        x = hcct_p_rank(t, i, leaves);
        if (x < smallest) smallest = x;
    }
    t->stats.visits += i;
    return smallest;
}

/* The value at 1 / share of up to HCCT_SAMPLE of them, taken at even
   distances. */
static uint64_t hcct_p_quantile(const hcct *t, int leaves, uint32_t share) {
    uint64_t sample[HCCT_SAMPLE], x;
    uint32_t step = t->used / HCCT_SAMPLE + 1, n = 0, i, k, gap;
    for (i = 1; i < t->used && n < HCCT_SAMPLE; i += step) {
        x = hcct_p_rank(t, i, leaves);
        if (x != HCCT_P_NONE) sample[n++] = x;
    }
    for (gap = HCCT_SAMPLE / 2; gap; gap /= 2) { /* Shell sort: no memory, no recursion */
        for (i = gap; i < n; i++) {
            x = sample[i];
            for (k = i; k >= gap && sample[k - gap] > x; k -= gap) sample[k] = sample[k - gap];
            sample[k] = x;
        }
    }
    return n ? sample[n / share] : 0;
}

static void hcct_p_purge(hcct *t) {
    uint64_t before = t->stats.evictions, base = hcct_p_base(t), T = 0;
    if (t->stats.purges_quarters) T = hcct_p_quantile(t, 0, 4);
    /* All counts stand above base since the last sweep, so base + 1 is small
       enough. Counts stop below HCCT_P_NONE, and so does what is enough. */
    if (T == 0) T = hcct_p_smallest(t, 0, base < HCCT_P_NONE - 1 ? base + 1 : HCCT_P_NONE - 1);
    hcct_p_sweep(t, T);
    if (t->stats.weighted && t->stats.evictions - before < t->stats.monitored_max / 64) {
        t->stats.purges_quarters = 1;
    }
}

/* i, cold so far, is counted from now on. */
static void hcct_p_take_over(hcct *t, uint32_t i, uint64_t w) {
    uint64_t kept = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]), base;
    if (t->stats.monitored >= t->stats.monitored_max) hcct_p_purge(t);
    base = hcct_p_base(t);
    *hcct_p_count(t, i) = hcct_p_add_to(t, base, w, HCCT_P_NONE - 1);
    hcct_p_at(t, i)[HCCT_P_ERROR] = hcct_p_pack(hcct_p_less(base, kept), 1);
    t->stats.monitored++;
}

/* ---- Lossy Counting (section 4.2) ------------------ src/hcct/lossy.c ---- */

/* Every node counts. When N passes a multiple of the width W = ceil(1 /
   epsilon), base becomes L = floor(N / W), and nodes with count + error <= base
   are freed. A new node starts with error = base, for it may have been freed
   with that much. So lower = count, upper = count + error and L <= epsilon N.
   Cost: one sweep every W units. One large weight can cross many multiples:
   then a sweep waits for min(W, used / 4) events, which costs memory but no
   accuracy. */

static void hcct_p_lossy_boundary(hcct *t) {
    uint64_t level = t->stats.total / t->width;
    uint64_t wait = t->width < t->used / 4 ? t->width : t->used / 4;
    if (level > t->floor) {
        if (t->stats.weighted && ++t->events < wait) return;
        t->events = 0;
        t->floor = level;
        hcct_p_sweep(t, 0);
    }
    t->boundary = UINT64_MAX;
    if (t->floor < UINT64_MAX / t->width) t->boundary = (t->floor + 1) * t->width;
}

/* ---- Sticky Sampling ------------------------------ src/hcct/sticky.c ---- */

/* By Manku and Motwani; the paper names it in section 4 and leaves it out. A
   context that is not counted is sampled with chance 1 / r for each unit of
   weight, and counted exactly from then on. r is 1 for the first 2 t units, t =
   ceil((1 / epsilon) ln(1 / (phi delta))), and doubles at N = 2 r t. At each
   doubling, every count is thinned to what sampling at the new rate would have
   left: with chance 1/2 the first sample stands; else the next stands 1 +
   geo(r) units later, geo(r) being the failures before a success of chance 1 /
   r. (The published rule tosses coins until heads, and so takes off 1 where r /
   2 are due.) It costs a pass. */

static uint64_t hcct_p_geometric(hcct *t) {
    double u = ((double)(hcct_p_random(t) >> 11) + 1) / 9007199254740992.0;
    double x = 1.0 / (double)((uint64_t)1 << t->stats.rate_shift), miss, n;
    if (t->stats.rate_shift == 0) return 0;
    miss = t->stats.rate_shift < 20 ? hcct_p_ln(1 - x) : -x * (1 + x / 2); /* ln(1 - x) */
    n = hcct_p_ln(u) / miss;
    return n >= 9e18 ? UINT64_C(1) << 63 : (uint64_t)n;
}

static void hcct_p_double_rate(hcct *t) {
    uint32_t i;
    t->stats.rate_shift++;
    for (i = 1; i < t->used; i++) {
        uint64_t *count = hcct_p_count(t, i);
        if (hcct_p_is_free(t, i) || *count == 0 || hcct_p_random(t) >> 63) continue;
        *count = hcct_p_less(*count, 1 + hcct_p_geometric(t));
        if (*count) continue;
        t->stats.monitored--;
        t->stats.evictions++;
    }
    hcct_p_sweep(t, 0);
}

/* 2 r t, the N at which the rate doubles. */
static uint64_t hcct_p_rate_end(const hcct *t) {
    double end = (double)t->width * hcct_p_ln((double)t->one_over_phi * t->one_over_delta);
    uint64_t two_t = end >= 4e18 ? UINT64_C(1) << 63 : 2 * ((uint64_t)end + 1);
    uint32_t shift = t->stats.rate_shift;
    return shift >= 62 || two_t > UINT64_MAX >> shift ? UINT64_MAX : two_t << shift;
}

static void hcct_p_sticky(hcct *t, uint32_t i, uint64_t w) {
    while (w > 0) {
        uint64_t *count = hcct_p_count(t, i), part, room, skipped;
        while (t->stats.total >= t->boundary && t->stats.rate_shift < 62) {
            hcct_p_double_rate(t);
            t->boundary = hcct_p_rate_end(t);
        }
        room = t->boundary - t->stats.total;
        part = w < room ? w : room;
        if (part == 0) {
            t->stats.saturated = 1;
            return;
        }
        t->stats.total += part;
        w -= part;
        skipped = *count ? 0 : hcct_p_geometric(t);
        if (skipped >= part) continue;
        if (!*count) t->stats.monitored++;
        *count += part - skipped;
    }
}

/* ---- a full arena ----------------------------------- src/hcct/full.c ---- */

/* When a node is wanted and none is left, cold leaves go first. If there are
   none, all leaves up to the 1/16 quantile of their upper bounds are forced
   out, and base is raised to it. base / N tells the truth then, though it may
   pass epsilon. If every leaf is pinned, one path fills the arena. What cannot
   be stored is `lost`. As all of it might belong to one context, base grows by
   it. */

/* Returns whether a node was freed. */
static int hcct_p_make_space(hcct *t) {
    uint32_t live = t->stats.nodes;
    uint64_t T, sampled;
    if (hcct_p_full(t)) return 0;
    hcct_p_sweep(t, 0);
    if (t->stats.nodes < live) return 1;
    if (HCCT_P_HAS(t, HCCT_STICKY)) {
        for (; t->stats.nodes == live && t->stats.rate_shift < 62; t->stats.evicted_for_space++) {
            hcct_p_double_rate(t);
        }
        t->boundary = hcct_p_rate_end(t);
        return t->stats.nodes < live;
    }
    hcct_p_pin_all(t, 1);
    T = hcct_p_smallest(t, 1, 0);
    sampled = hcct_p_quantile(t, 1, 16);
    hcct_p_pin_all(t, 0);
    if (T == HCCT_P_NONE) return 0;
    if (sampled > T) T = sampled;
    hcct_p_sweep(t, T);
    t->stats.evicted_for_space += live - t->stats.nodes;
    return t->stats.nodes < live;
}

/* Makes a first child of p out of a free node. The caller puts it into the
   hash, if p has one. */
HCCT_P_INLINE uint32_t hcct_p_place(hcct *t, uint32_t p, uint32_t key, uint32_t stride) {
    uint32_t *parent = t->words + (size_t)p * stride, child = parent[HCCT_P_CHILD];
    uint32_t i = t->free_list ? t->free_list : t->used++, *n = t->words + (size_t)i * stride;
    if (t->free_list) t->free_list = n[HCCT_P_NEXT];
    n[HCCT_P_KEY] = key;
    n[HCCT_P_PARENT] = p;
    n[HCCT_P_CHILD] = 0;
    n[HCCT_P_NEXT] = child & HCCT_P_LINK;
    parent[HCCT_P_CHILD] = i | (child & HCCT_P_BIT);
    if (stride == HCCT_P_STRIDE) {
        n[HCCT_P_CHILDREN] = 0;
        parent[HCCT_P_CHILDREN]++;
    }
    t->stats.nodes++;
    return i;
}

/* A new first child of p. Returns 0 if there is no place. */
HCCT_P_RARE uint32_t hcct_p_new(hcct *t, uint32_t p, uint32_t key) {
    uint32_t i;
    if (!t->free_list && t->used > t->stats.capacity && !hcct_p_make_space(t)) return 0;
    if (hcct_p_full(t)) {
        i = hcct_p_place(t, p, key, HCCT_P_STRIDE_FULL);
        hcct_p_at(t, i)[HCCT_P_COUNT32] = 0;
    } else {
        i = hcct_p_place(t, p, key, HCCT_P_STRIDE);
        hcct_p_node(t, i)[HCCT_P_ERROR] =
            HCCT_P_HAS(t, HCCT_LOSSY) ? hcct_p_pack(hcct_p_base(t), 1) : 0;
        *hcct_p_count(t, i) = hcct_p_saving(t) ? HCCT_P_NONE : 0;
    }
    if (hcct_p_at(t, p)[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_put(t, i);
    return i;
}

/* ---- events --------------------------------------- src/hcct/events.c ---- */

/* Credits weight to i, where the running stack stands, in any state. */
HCCT_P_RARE void hcct_p_credit_slow(hcct *t, uint32_t i, uint64_t w) {
    uint32_t *full = hcct_p_at(t, i) + HCCT_P_COUNT32;
    uint64_t *count;
    hcct_p_sync(t);
    if (w == 0) {
        if (hcct_p_cold(t, i)) hcct_p_mode(t); /* its leave is not plain */
        return;
    }
    if (HCCT_P_HAS(t, HCCT_STICKY)) {
        if (w > 1) t->stats.weighted = 1;
        hcct_p_sticky(t, i, w);
        if (hcct_p_cold(t, i)) hcct_p_mode(t);
        return;
    }
    t->stats.total = hcct_p_add_to(t, t->stats.total, w, UINT64_MAX);
    if (t->stats.total >> 60 && t->stop_any) hcct_p_mode(t);
    if (hcct_p_full(t)) {
        *full = (uint32_t)hcct_p_add_to(t, *full, w, UINT32_MAX);
        return;
    }
    if (w > 1) t->stats.weighted = 1;
    count = hcct_p_count(t, i);
    if (hcct_p_saving(t) && *count == HCCT_P_NONE) hcct_p_take_over(t, i, w);
    else *count = hcct_p_add_to(t, *count, w, HCCT_P_NONE - 1);
    if (!HCCT_P_HAS(t, HCCT_LOSSY)) return;
    if (t->stats.total >= t->boundary) hcct_p_lossy_boundary(t);
    if (hcct_p_cold(t, i)) hcct_p_mode(t);
}

/* The same, and quick in full trees and Space-Saving where no counter is near its
   end and i is counted: the count of a cold node is no number below 2^60. */
HCCT_P_INLINE void hcct_p_credit(hcct *t, uint32_t i, uint64_t w, uint32_t stride) {
    uint64_t before = t->stats.total, total = before + w;
    if (stride == HCCT_P_STRIDE_FULL) {
        uint32_t *count = t->words + (size_t)i * HCCT_P_STRIDE_FULL + HCCT_P_COUNT32;
        if (HCCT_P_LIKELY((before | total) >> 60 == 0 && w <= UINT32_MAX - *count)) {
            *count += (uint32_t)w;
            t->stats.total = total;
            return;
        }
    } else if (HCCT_P_LIKELY(hcct_p_saving(t))) {
        uint64_t *count = hcct_p_count(t, i);
        if (HCCT_P_LIKELY((*count | w | before | total) >> 60 == 0)) {
            *count += w;
            t->stats.total = total;
            if (w > 1) t->stats.weighted = 1;
            return;
        }
    }
    hcct_p_credit_slow(t, i, w);
}

/* Weight without a node: of calls below the depth limit, or without a place in
   the arena. */
static void hcct_p_account(hcct *t, uint64_t w) {
    hcct_stats *s = &t->stats;
    if (t->run.at.cut) {
        s->below_depth_limit = hcct_p_add_to(t, s->below_depth_limit, w, UINT64_MAX);
    } else {
        s->total = hcct_p_add_to(t, s->total, w, UINT64_MAX);
        s->lost = hcct_p_add_to(t, s->lost, w, UINT64_MAX);
    }
}

/* The call of key is not stored: run.at.over such calls are open. cut: because
   of a limit. */
HCCT_P_RARE void hcct_p_not_stored(hcct *t, uint32_t key, uint64_t w, uint32_t cut) {
    uint32_t over = t->run.at.over;
    if (over == 0) t->run.at.cut = cut;
    if (over < HCCT_UNSTORED_KEYS) t->run.unstored[over] = key;
    if (over != UINT32_MAX) t->run.at.over++;
    hcct_p_account(t, w);
    hcct_p_mode(t);
}

/* Whether a newcomer can be counted at once: there is room, and no number is
   near its end. */
HCCT_P_INLINE int hcct_p_has_room(const hcct *t, uint64_t w) {
    return hcct_p_saving(t) && w - 1 < UINT32_MAX && t->stats.monitored < t->stats.monitored_max &&
           (t->free_list || t->used <= t->stats.capacity) && (t->floor | t->stats.lost) >> 25 == 0;
}

/* hcct_p_new and hcct_p_take_over in one. */
HCCT_P_INLINE uint32_t hcct_p_arrive(hcct *t, uint32_t p, uint32_t key, uint64_t w) {
    uint64_t base = t->floor + t->stats.lost;
    uint32_t i = hcct_p_place(t, p, key, HCCT_P_STRIDE);
    *hcct_p_count(t, i) = base + w;
    hcct_p_node(t, i)[HCCT_P_ERROR] = (uint32_t)base;
    t->stats.monitored++;
    t->stats.total += w;
    if (w > 1) t->stats.weighted = 1;
    if (hcct_p_node(t, p)[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_put(t, i);
    return i;
}

/* The cache does not know the child: looks for it. Returns 0 if it is not there. */
HCCT_P_INLINE uint32_t hcct_p_search(hcct *t, uint32_t p, uint32_t key, uint32_t stride) {
    uint32_t before = 0, steps = 0, c = hcct_p_look(t, p, key, stride, &before, &steps);
    if (c && steps > 2) {
        hcct_p_unlink(t, c, p, before, stride);
        hcct_p_link(t, c, p, stride);
    }
    if (steps > HCCT_P_WALK) hcct_p_hash_children(t, p);
    return c;
}

/* The call of node c begins. */
HCCT_P_RARE void hcct_p_step_slow(hcct *t, uint32_t c, uint64_t w) {
    hcct_p_down(t, c);
    hcct_p_credit_slow(t, c, w);
}
HCCT_P_INLINE void hcct_p_step(hcct *t, uint32_t c, uint64_t w, uint32_t stride) {
    if (HCCT_P_LIKELY(t->at < t->stop_any)) {
        t->recent[++t->at] = c;
        hcct_p_credit(t, c, w, stride);
    } else hcct_p_step_slow(t, c, w);
}

/* The cache does not know the child of key. */
HCCT_P_INLINE void hcct_p_enter_searched(hcct *t, uint32_t key, uint64_t w, uint32_t p,
                                         uint32_t mix, uint32_t stride) {
    uint32_t c = hcct_p_search(t, p, key, stride);
    if (!c && stride == HCCT_P_STRIDE && t->at < t->stop_any && hcct_p_has_room(t, w)) {
        c = hcct_p_arrive(t, p, key, w);
        *hcct_p_cached(t, mix) = c ^ mix;
        t->recent[++t->at] = c;
        return;
    }
    if (!c) {
        hcct_p_sync(t);
        c = hcct_p_new(t, p, key);
    }
    *hcct_p_cached(t, mix) = c ^ mix;
    if (c) hcct_p_step(t, c, w, stride);
    else hcct_p_not_stored(t, key, w, 0);
}
HCCT_P_RARE void hcct_p_enter_searched_full(hcct *t, uint32_t key, uint64_t w, uint32_t p,
                                            uint32_t mix) {
    hcct_p_enter_searched(t, key, w, p, mix, HCCT_P_STRIDE_FULL);
}
HCCT_P_RARE void hcct_p_enter_searched_pruned(hcct *t, uint32_t key, uint64_t w, uint32_t p,
                                              uint32_t mix) {
    hcct_p_enter_searched(t, key, w, p, mix, HCCT_P_STRIDE);
}

/* c's count was at its end, or it was cold: takes the plain count back. */
HCCT_P_RARE void hcct_p_uncounted(hcct *t, uint32_t c) {
    if (hcct_p_full(t)) hcct_p_at(t, c)[HCCT_P_COUNT32]--;
    else --*hcct_p_count(t, c);
    t->stats.total--;
    hcct_p_credit_slow(t, c, 1);
}

/* Counts a plain call of c, with its node n. Returns whether that was all. */
HCCT_P_INLINE int hcct_p_count_plain(hcct *t, ptrdiff_t at, uint32_t c, uint32_t *n,
                                     uint32_t stride) {
    t->recent[at + 1] = c;
    t->at = at + 1;
    t->stats.total++;
    if (stride == HCCT_P_STRIDE_FULL) return ++n[HCCT_P_COUNT32] != 0;
    return ++*(uint64_t *)(void *)(n + HCCT_P_COUNT) != 0;
}

/* An enter in a node of `stride` words, a constant; as is `ones`: it is plain, and
   w is 1. Whatever is unusual ends in a call, so that the usual case needs no
   stack. */
HCCT_P_INLINE void hcct_p_enter(hcct *t, ptrdiff_t at, uint32_t key, uint64_t w, uint32_t stride,
                                int ones) {
    uint32_t p = t->recent[at], mix = hcct_p_mix(p, key);
    size_t c = *hcct_p_cached(t, mix) ^ (size_t)mix;
    if (HCCT_P_LIKELY(c < t->used)) {
        uint32_t *n = t->words + c * stride;
        if (HCCT_P_LIKELY(n[HCCT_P_KEY] == key && n[HCCT_P_PARENT] == p)) {
            if (!ones) hcct_p_step(t, (uint32_t)c, w, stride);
            else if (!HCCT_P_LIKELY(hcct_p_count_plain(t, at, (uint32_t)c, n, stride))) {
                hcct_p_uncounted(t, (uint32_t)c);
            }
            return;
        }
    }
    if (stride == HCCT_P_STRIDE_FULL) hcct_p_enter_searched_full(t, key, w, p, mix);
    else hcct_p_enter_searched_pruned(t, key, w, p, mix);
}
HCCT_P_RARE void hcct_p_enter_full(hcct *t, uint32_t key, uint64_t w) {
    hcct_p_enter(t, t->at, key, w, HCCT_P_STRIDE_FULL, 0);
}
HCCT_P_RARE void hcct_p_enter_pruned(hcct *t, uint32_t key, uint64_t w) {
    hcct_p_enter(t, t->at, key, w, HCCT_P_STRIDE, 0);
}

/* With folding, the call goes back to the nearest of `fold` open contexts with
   its key. It leaves the node that it came from on `returns`. A sweep pins what
   is there. */
HCCT_P_RARE void hcct_p_enter_slow(hcct *t, uint32_t key, uint64_t w) {
    hcct_fiber *run = &t->run;
    uint32_t from, i, fold = t->config.fold, k, to = 0, before, steps = 0;
    int full_returns = fold && run->at.returns >= run->return_max;
    hcct_p_sync(t);
    if (run->at.over || run->at.depth >= t->depth_limit || full_returns) {
        hcct_p_not_stored(t, key, w, 1);
        return;
    }
    if (!fold) {
        if (hcct_p_full(t)) hcct_p_enter_full(t, key, w);
        else hcct_p_enter_pruned(t, key, w);
        return;
    }
    i = from = run->at.cursor;
    for (k = 0; i && k < fold && !to; k++) {
        if (hcct_p_at(t, i)[HCCT_P_KEY] == key) to = i;
        i = hcct_p_at(t, i)[HCCT_P_PARENT];
    }
    run->returns[run->at.returns++] = from;
    if (!to) to = hcct_p_look(t, from, key, t->stride, &before, &steps);
    if (steps > HCCT_P_WALK) hcct_p_hash_children(t, from);
    if (!to) to = hcct_p_new(t, from, key);
    if (!to) {
        run->at.returns--;
        hcct_p_not_stored(t, key, w, 0);
        return;
    }
    run->at.cursor = to;
    run->at.depth++;
    hcct_p_mode(t);
    hcct_p_credit_slow(t, to, w);
}

HCCT_P_RARE void hcct_p_enter_rest(hcct *t, uint32_t key, uint64_t w) {
    if (t->at < t->stop_any) hcct_p_enter_pruned(t, key, w); /* Lossy and Sticky */
    else hcct_p_enter_slow(t, key, w);
}

HCCT_API void hcct_enter(hcct *t, uint32_t key, uint64_t weight) {
    ptrdiff_t at = t->at;
    HCCT_ASSERT(key != 0);
    if (HCCT_P_LIKELY(at < t->stop)) {
        if (HCCT_P_LIKELY(weight == 1)) hcct_p_enter(t, at, key, 1, HCCT_P_STRIDE, 1);
        else hcct_p_enter_pruned(t, key, weight);
    } else if (at < t->stop_full) {
        if (HCCT_P_LIKELY(weight == 1)) hcct_p_enter(t, at, key, 1, HCCT_P_STRIDE_FULL, 1);
        else hcct_p_enter_full(t, key, weight);
    } else hcct_p_enter_rest(t, key, weight);
}

HCCT_P_RARE void hcct_p_leave_slow(hcct *t) {
    hcct_fiber *run = &t->run;
    uint32_t i;
    t->at = 0;
    hcct_p_sync(t);
    i = run->at.cursor;
    if (run->at.over) {
        if (--run->at.over == 0) hcct_p_mode(t);
        return;
    }
    if (i == 0 || (t->config.fold && run->at.returns == 0)) {
        t->stats.unmatched++;
        return;
    }
    run->at.cursor = t->config.fold ? run->returns[--run->at.returns]
                                    : hcct_p_at(t, i)[HCCT_P_PARENT];
    run->at.depth--;
    hcct_p_prune(t, i);
    hcct_p_learn(t);
}

HCCT_API void hcct_leave(hcct *t) {
    if (!HCCT_P_LIKELY(--t->at >= 0)) hcct_p_leave_slow(t);
}

HCCT_P_RARE void hcct_p_enter_at_slow(hcct *t, uint32_t depth, uint32_t key, uint64_t weight) {
    uint64_t open = (uint64_t)t->low + (uint32_t)t->at + t->run.at.over;
    for (; open > depth; open--) hcct_leave(t);
    hcct_enter(t, key, weight);
}

/* A plain leave only lowers `at`, so one store does the work of several leaves. */
HCCT_API void hcct_enter_at(hcct *t, uint32_t depth, uint32_t key, uint64_t weight) {
    ptrdiff_t at = (ptrdiff_t)depth - (ptrdiff_t)t->low;
    HCCT_ASSERT(key != 0);
    if (HCCT_P_LIKELY(at >= 0 && at < t->stop && weight == 1)) {
        t->at = at;
        hcct_p_enter(t, at, key, 1, HCCT_P_STRIDE, 1);
    } else hcct_p_enter_at_slow(t, depth, key, weight);
}

HCCT_API int hcct_enter_known(hcct *t, uint32_t depth, uint32_t key) {
    size_t at = depth - t->low, c;
    uint32_t p, mix, *n;
    if (at >= (size_t)t->stop) return 0;
    p = t->recent[at];
    mix = hcct_p_mix(p, key);
    c = *hcct_p_cached(t, mix) ^ (size_t)mix;
    if (c >= t->used) return 0;
    n = t->words + c * HCCT_P_STRIDE;
    if (n[HCCT_P_KEY] != key || n[HCCT_P_PARENT] != p) return 0;
    if (*(uint64_t *)(void *)(n + HCCT_P_COUNT) == HCCT_P_NONE) return 0;
    (void)hcct_p_count_plain(t, (ptrdiff_t)at, (uint32_t)c, n, HCCT_P_STRIDE);
    return 1;
}

HCCT_API void hcct_add(hcct *t, uint64_t weight) {
    uint32_t i = t->recent[t->at];
    uint64_t *outside = &t->stats.outside_any_context;
    if (t->run.at.over) hcct_p_account(t, weight);
    else if (i == 0) *outside = hcct_p_add_to(t, *outside, weight, UINT64_MAX);
    else if (hcct_p_full(t)) hcct_p_credit(t, i, weight, HCCT_P_STRIDE_FULL);
    else hcct_p_credit(t, i, weight, HCCT_P_STRIDE);
}

/* Calls that are not stored are searched first, the innermost one first. */
HCCT_API int hcct_leave_key(hcct *t, uint32_t key) {
    uint32_t over = t->run.at.over, i = t->recent[t->at], left = t->run.at.returns;
    uint32_t levels = 1, k;
    for (k = over; k; k--) {
        if (k <= HCCT_UNSTORED_KEYS && t->run.unstored[k - 1] != key) continue;
        t->stats.repaired += over - k;
        t->run.at.over = k;
        hcct_leave(t);
        return 1;
    }
    while (i && hcct_p_at(t, i)[HCCT_P_KEY] != key) {
        if (!t->config.fold) i = hcct_p_at(t, i)[HCCT_P_PARENT];
        else i = left ? t->run.returns[--left] : 0;
        levels++;
    }
    if (i == 0 || (t->config.fold && left == 0)) {
        t->stats.unmatched++;
        return 0;
    }
    t->stats.repaired += over + levels - 1;
    if (over) {
        t->run.at.over = 1;
        hcct_leave(t);
    }
    for (; levels; levels--) hcct_leave(t);
    return 1;
}

HCCT_API hcct_place hcct_position(const hcct *t) {
    hcct_place place = t->run.at;
    place.cursor = t->recent[t->at];
    place.depth = t->low + (uint32_t)t->at;
    return place;
}

HCCT_API void hcct_return_to(hcct *t, const hcct_place *place) {
    uint32_t i = t->recent[t->at], to = place->cursor;
    int known = to < t->used && !(to && hcct_p_is_free(t, to));
    if (place->returns > t->run.at.returns) known = 0;
    HCCT_ASSERT(known);
    if (!known) return;
    t->run.at = *place;
    hcct_p_mode(t);
    hcct_p_prune(t, i);
}

/* ---- fibers --------------------------------------- src/hcct/fibers.c ---- */

/* `run` is the running stack. Another one is saved in its hcct_fiber, the first
   one in `main`. */

HCCT_API void hcct_fiber_start(hcct *t, hcct_fiber *fiber, int here, uint32_t *returns,
                               uint32_t return_count) {
    hcct_p_zero(fiber, sizeof *fiber);
    hcct_p_sync(t);
    if (here) {
        *fiber = t->run;
        fiber->at.returns = 0;
    }
    fiber->returns = returns;
    fiber->return_max = returns ? return_count : 0;
    fiber->next = t->fibers;
    t->fibers = fiber;
    t->prunes_late = 1;
    hcct_p_mode(t);
}

HCCT_API void hcct_fiber_switch(hcct *t, hcct_fiber *fiber) {
    hcct_fiber *from = t->running ? t->running : &t->main, *to = fiber ? fiber : &t->main;
    hcct_fiber *next = from->next;
    if (from == to) return;
    hcct_p_sync(t);
    *from = t->run;
    from->next = next;
    t->run = *to;
    t->running = fiber;
    hcct_p_mode(t);
}

HCCT_API void hcct_fiber_end(hcct *t, hcct_fiber *fiber) {
    hcct_fiber **link = &t->fibers;
    hcct_p_sync(t);
    HCCT_ASSERT(fiber != t->running);
    if (fiber == t->running) hcct_fiber_switch(t, NULL);
    while (*link && *link != fiber) link = &(*link)->next;
    if (*link) *link = fiber->next;
    t->prunes_late = t->config.fold || t->fibers;
    hcct_p_mode(t);
    hcct_p_prune(t, fiber->at.cursor);
}

/* ---- bursts (section 5.5) ------------------------- src/hcct/bursts.c ---- */

/* The calls that are open when a burst begins only say where it is: they
   happened outside of it.

   Adaptive bursting with re-enablement (Zhuang et al.): the history is a set of
   signatures of stacks, open addressing, at most 3/4 full. A stack in it gets a
   burst once in k times, whose events then have weight k. A stack met n times
   so contributes 1 + (n - 1) k / k = n bursts on average, and the answer stays
   unbiased. When the history is full, every stack counts as known. */

static int hcct_p_history_known(hcct *t, uint64_t signature) {
    uint32_t slots = t->config.history, slot = (uint32_t)((signature >> 32) * slots >> 32);
    uint32_t steps = 1; /* a history of fewer than 4 slots can be full */
    signature += signature == 0;
    while (t->history[slot] && t->history[slot] != signature && steps++ < slots) {
        slot = slot + 1 == slots ? 0 : slot + 1;
    }
    if (t->history[slot] || t->history_fill >= slots - slots / 4) return 1;
    t->history[slot] = signature;
    t->history_fill++;
    return 0;
}

HCCT_API uint32_t hcct_burst_begin(hcct *t, const uint32_t *stack, uint32_t depth) {
    uint64_t signature = UINT64_C(0xCBF29CE484222325);
    uint32_t i, weight = 1, k = t->config.reenable;
    t->stats.burst_points++;
    for (i = 0; i < depth && t->config.history; i++) {
        signature = (signature ^ stack[i]) * UINT64_C(0x9E3779B97F4A7C15);
        signature ^= signature >> 29;
    }
    signature *= UINT64_C(0xBF58476D1CE4E5B9);
    if (t->config.history && hcct_p_history_known(t, signature)) {
        if (k == 0 || hcct_p_random(t) % k != 0) {
            t->stats.burst_skipped++;
            return 0;
        }
        t->stats.burst_again++;
        weight = k;
    } else if (t->config.history) {
        t->stats.burst_new++;
    }
    hcct_burst_end(t);
    for (i = 0; i < depth; i++) hcct_enter(t, stack[i], 0);
    return weight;
}

HCCT_API void hcct_burst_end(hcct *t) {
    static const hcct_place root = {0, 0, 0, 0, 0};
    hcct_return_to(t, &root);
}

HCCT_API void hcct_scale_to(hcct *t, uint64_t total) { t->stats.scaled_total = total; }

/* ---- memory layout -------------------------------- src/hcct/memory.c ---- */

/* memory, aligned to 8:   history | cache | hash | nodes

   The nodes come last, so that only they move when the memory grows. */

/* Sets sizes and places for so many contexts. Returns the bytes from t->memory
   on. */
static uint64_t hcct_p_layout(hcct *t, uint32_t contexts) {
    const hcct_config *wanted = &t->config;
    uint64_t nodes = (uint64_t)contexts + 1, hash = nodes + nodes / 3 + 2, cache = 2, m, at[3];
    uint64_t slots = wanted->cache_slots ? wanted->cache_slots : nodes / 4;
    if (!wanted->cache_slots && nodes >= 65536) slots = 16384;
    while (cache < slots) cache *= 2;
    if (wanted->cache_slots == 1) cache = 1;
    m = wanted->monitored ? wanted->monitored : contexts / 4 * 3 + contexts % 4;
    if (m > HCCT_P_LINK) m = HCCT_P_LINK; /* so many never fit, and no file may say more */
    at[0] = (uint64_t)wanted->history * 8;
    at[1] = at[0] + (cache * 4 + 7) / 8 * 8;
    at[2] = at[1] + (hash * 4 + 7) / 8 * 8;
    if (t->memory) {
        unsigned char *base = (unsigned char *)t->memory;
        t->history = (uint64_t *)(void *)base;
        t->cache = (uint32_t *)(void *)(base + at[0]);
        t->hash = (uint32_t *)(void *)(base + at[1]);
        t->words = (uint32_t *)(void *)(base + at[2]);
        t->cache_mask = (uint32_t)cache - 1;
        t->hash_slots = (uint32_t)hash;
        t->stats.capacity = contexts;
        t->stats.monitored_max = m ? (uint32_t)m : 1;
    }
    return at[2] + nodes * t->stride * 4;
}

static void hcct_p_defaults(hcct *t, const hcct_config *config) {
    hcct_p_zero(t, sizeof *t);
    if (config) t->config = *config;
    t->algorithm = t->config.algorithm;
    t->stride = t->algorithm == HCCT_FULL ? HCCT_P_STRIDE_FULL : HCCT_P_STRIDE;
}

/* The contexts of the largest layout that fits; 0 if there is none. */
static uint32_t hcct_p_fit(const hcct_config *config, uint64_t bytes) {
    uint32_t low = 0, high = HCCT_P_LINK / 2;
    hcct probe;
    hcct_p_defaults(&probe, config);
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (hcct_p_layout(&probe, middle) <= bytes) low = middle;
        else high = middle - 1;
    }
    return low;
}

static void hcct_p_clear_lookup(hcct *t) {
    hcct_p_zero(t->cache, ((size_t)t->cache_mask + 1) * 4);
    hcct_p_zero(t->hash, (size_t)t->hash_slots * 4);
    t->hash_fill = 0;
}

HCCT_API size_t hcct_bytes(const hcct_config *config, uint32_t contexts) {
    hcct probe;
    hcct_p_defaults(&probe, config);
    return (size_t)hcct_p_layout(&probe, contexts) + 7;
}

HCCT_API uint32_t hcct_init(hcct *t, void *memory, size_t bytes, const hcct_config *config) {
    size_t pad = (size_t)(8 - ((uintptr_t)memory & 7)) & 7;
    const hcct_config *c = &t->config;
    uint32_t contexts;
    hcct_p_defaults(t, config);
    if (t->algorithm > HCCT_FULL || !(HCCT_P_COMPILED >> t->algorithm & 1)) return 0;
    contexts = memory && bytes >= pad ? hcct_p_fit(&t->config, bytes - pad) : 0;
    if (contexts == 0) return 0;
    t->memory = (unsigned char *)memory + pad;
    t->padded = pad != 0;
    hcct_p_layout(t, contexts);
    hcct_p_clear_lookup(t);
    hcct_p_zero(t->history, (size_t)t->config.history * 8);
    hcct_p_zero(t->words, (size_t)t->stride * 4);
    t->words[HCCT_P_PARENT] = HCCT_P_FREE;
    if (!hcct_p_full(t)) {
        *hcct_p_count(t, 0) = HCCT_P_NONE;
        t->words[HCCT_P_CHILDREN] = HCCT_P_BIT;
    }
    t->used = 1;
    t->depth_limit = c->depth_limit ? c->depth_limit : UINT32_MAX;
    t->prunes_late = c->fold != 0;
    t->seed = c->seed;
    t->width = c->one_over_epsilon ? c->one_over_epsilon : t->stats.monitored_max;
    t->one_over_phi = c->one_over_phi ? c->one_over_phi : t->width / 5 + 1;
    t->one_over_delta = c->one_over_delta ? c->one_over_delta : 100;
    t->boundary = HCCT_P_HAS(t, HCCT_LOSSY) ? t->width : UINT64_MAX;
    if (HCCT_P_HAS(t, HCCT_STICKY)) t->boundary = hcct_p_rate_end(t);
    t->run.returns = c->returns;
    t->run.return_max = c->returns ? c->return_count : 0;
    hcct_p_mode(t);
    return contexts;
}

HCCT_API uint32_t hcct_grow(hcct *t, void *memory, size_t bytes) {
    size_t nodes = (size_t)((unsigned char *)t->words - (unsigned char *)t->memory), i;
    const unsigned char *from = (const unsigned char *)memory + nodes;
    uint32_t contexts;
    if (((uintptr_t)memory & 7) != 0 || t->padded) return 0;
    contexts = hcct_p_fit(&t->config, bytes);
    if (contexts < t->stats.capacity) return 0;
    t->memory = memory;
    hcct_p_layout(t, contexts);
    for (i = (size_t)t->used * t->stride * 4; i; i--) { /* backwards: the nodes move up */
        ((unsigned char *)t->words)[i - 1] = from[i - 1];
    }
    hcct_p_clear_lookup(t);
    for (i = 0; i < t->used; i++) hcct_p_at(t, (uint32_t)i)[HCCT_P_CHILD] &= HCCT_P_LINK;
    return contexts;
}

/* ---- answers ------------------------------------- src/hcct/answers.c ---- */

HCCT_API void hcct_get_stats(const hcct *t, hcct_stats *out) {
    size_t before_nodes = (size_t)((unsigned char *)t->words - (unsigned char *)t->memory);
    *out = t->stats;
    out->bound_of_absent = hcct_p_base(t);
    if (!out->scaled_total) out->scaled_total = out->total;
    out->bytes = (uint64_t)before_nodes + (uint64_t)t->used * t->stride * 4;
    out->peak_nodes = t->used - 1;
    if (hcct_p_full(t) || HCCT_P_HAS(t, HCCT_LOSSY)) out->monitored = out->nodes;
    out->node_bytes = t->stride * 4;
}

HCCT_API uint64_t hcct_threshold(const hcct *t, uint32_t a, uint32_t b) {
    uint64_t threshold = b ? hcct_p_scale(t->stats.total, a, b, 0) : UINT64_MAX;
    return threshold ? threshold : 1;
}

HCCT_API uint32_t hcct_next(const hcct *t, uint32_t node, uint32_t *depth) {
    uint32_t next = hcct_p_child(t, node), level = *depth + 1;
    for (; !next && node; node = hcct_p_at(t, node)[HCCT_P_PARENT]) {
        level--;
        next = hcct_p_at(t, node)[HCCT_P_NEXT];
    }
    *depth = next ? level : 0;
    return next;
}

HCCT_API uint32_t hcct_parent(const hcct *t, uint32_t node) {
    return node ? hcct_p_at(t, node)[HCCT_P_PARENT] : 0;
}

HCCT_API uint32_t hcct_find(const hcct *t, uint32_t parent, uint32_t key) {
    uint32_t before, steps;
    return hcct_p_look(t, parent, key, t->stride, &before, &steps);
}

HCCT_API void hcct_get_context(const hcct *t, uint32_t node, hcct_context *out) {
    uint64_t scaled = t->stats.scaled_total;
    out->node = node;
    out->key = hcct_p_at(t, node)[HCCT_P_KEY];
    out->depth = 0;
    out->certain = 0;
    out->cold = node == 0 || hcct_p_cold(t, node);
    hcct_p_bounds(t, node, &out->lower, &out->upper);
    if (!scaled) return;
    out->lower = hcct_p_scale(out->lower, scaled, t->stats.total, 0);
    out->upper = hcct_p_scale(out->upper, scaled, t->stats.total, 1);
}

HCCT_API uint32_t hcct_path(const hcct *t, uint32_t node, uint32_t *keys, uint32_t max) {
    uint32_t depth = 0, i;
    for (i = node; i; i = hcct_p_at(t, i)[HCCT_P_PARENT]) depth++;
    for (i = depth < max ? depth : max; i; i--) {
        keys[i - 1] = hcct_p_at(t, node)[HCCT_P_KEY];
        node = hcct_p_at(t, node)[HCCT_P_PARENT];
    }
    return depth;
}

static int hcct_p_hotter(const hcct *t, const hcct_context *a, const hcct_context *b) {
    uint32_t i = a->node, k = b->node;
    if (a->lower != b->lower) return a->lower > b->lower;
    if (a->upper != b->upper) return a->upper > b->upper;
    if (a->depth != b->depth) return a->depth < b->depth;
    while (hcct_parent(t, i) != hcct_parent(t, k)) {
        i = hcct_parent(t, i);
        k = hcct_parent(t, k);
    }
    return hcct_p_at(t, i)[HCCT_P_KEY] < hcct_p_at(t, k)[HCCT_P_KEY];
}

/* rows[0..n) is a heap with the coldest on top, but for element i, which may
   have to sink. */
static void hcct_p_sift(const hcct *t, hcct_context *rows, uint32_t n, uint32_t i) {
    for (;;) {
        uint32_t child = 2 * i + 1;
        hcct_context swap;
        if (child >= n) return;
        if (child + 1 < n && hcct_p_hotter(t, &rows[child], &rows[child + 1])) child++;
        if (!hcct_p_hotter(t, &rows[i], &rows[child])) return;
        swap = rows[i];
        rows[i] = rows[child];
        rows[child] = swap;
        i = child;
    }
}

HCCT_API uint32_t hcct_hottest(const hcct *t, uint32_t a, uint32_t b, hcct_context *rows,
                               uint32_t max) {
    uint64_t threshold = hcct_threshold(t, a, b);
    uint32_t i, k, depth = 0, n = 0;
    for (i = hcct_next(t, 0, &depth); i && max; i = hcct_next(t, i, &depth)) {
        uint64_t lower, upper;
        hcct_context row;
        hcct_p_bounds(t, i, &lower, &upper);
        if (upper < threshold || hcct_p_cold(t, i)) continue;
        hcct_get_context(t, i, &row);
        row.depth = depth;
        row.certain = lower >= threshold;
        if (n < max) {
            rows[n++] = row;
            for (k = n == max ? n / 2 : 0; k; k--) hcct_p_sift(t, rows, n, k - 1);
        } else if (hcct_p_hotter(t, &row, &rows[0])) {
            rows[0] = row;
            hcct_p_sift(t, rows, n, 0);
        }
    }
    for (k = n < max ? n / 2 : 0; k; k--) hcct_p_sift(t, rows, n, k - 1);
    for (k = n; k > 1;) { /* the coldest of the rest goes to the end */
        hcct_context coldest = rows[0];
        rows[0] = rows[--k];
        rows[k] = coldest;
        hcct_p_sift(t, rows, k, 0);
    }
    return n;
}

/* ---- writing a .brst part -------------------------------- src/part.c ---- */

/* CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t hcct_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
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
typedef struct hcct_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} hcct_p_out;

static void hcct_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void hcct_p_put_block(hcct_p_out *out, size_t size) {
    out->crc = hcct_p_crc32(out->crc, out->chunk, size);
    hcct_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void hcct_p_put_flush(hcct_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    hcct_p_little(out->chunk, out->used, 2);
    hcct_p_put_block(out, 2 + out->used);
}

static void hcct_p_put(hcct_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) hcct_p_put_flush(out);
    }
}

static void hcct_p_put_varint(hcct_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        hcct_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void hcct_p_put_begin(hcct_p_out *out, uint32_t kind,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    hcct_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    hcct_p_little(out->chunk + 4, 1, 2);
    hcct_p_little(out->chunk + 6, kind, 2);
    hcct_p_little(out->chunk + 8, 0, 4);
    hcct_p_put_block(out, 12);
}

static int hcct_p_put_end(hcct_p_out *out) {
    hcct_p_put_flush(out);
    hcct_p_little(out->chunk, 0, 2);
    hcct_p_little(out->chunk + 2, out->total, 8);
    hcct_p_put_block(out, 10);
    return out->error;
}

/* ---- dump: a .brst part of kind 2 (docs/formats.md) - src/hcct/dump.c ---- */

#define HCCT_P_NAMES 256
enum { HCCT_P_KEPT, HCCT_P_BOUNDED, HCCT_P_EXACT }; /* what is written of a node */

/* Puts key into keys[0..n), which ascends, unless it is there. Keys that do not
   fit are dropped, the largest first. Returns the new n. */
static uint32_t hcct_p_note_key(uint32_t *keys, uint32_t n, uint32_t key) {
    uint32_t low = 0, high = n, k;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    if (low == HCCT_P_NAMES || (low < n && keys[low] == key)) return n;
    if (n < HCCT_P_NAMES) n++;
    for (k = n - 1; k > low; k--) keys[k] = keys[k - 1];
    keys[low] = key;
    return n;
}

/* Key and name of every key in use, each once, keys ascending. There is no
   memory for all of them, so each walk over the nodes finds the next
   HCCT_P_NAMES. */
static void hcct_p_put_names(const hcct *t, hcct_p_out *out, hcct_name_fn name, void *name_user) {
    uint32_t keys[HCCT_P_NAMES], n, i, k, last = 0;
    do {
        for (n = 0, i = 1; i < t->used; i++) {
            uint32_t key = hcct_p_at(t, i)[HCCT_P_KEY];
            if (key > last && !hcct_p_is_free(t, i)) n = hcct_p_note_key(keys, n, key);
        }
        for (k = 0; k < n && !out->error; k++) {
            const char *text = name(name_user, keys[k]);
            size_t length = 0;
            last = keys[k];
            if (!text) continue;
            while (text[length]) length++;
            hcct_p_put_varint(out, last);
            hcct_p_put_varint(out, length);
            hcct_p_put(out, text, length);
        }
    } while (n == HCCT_P_NAMES && !out->error);
}

static void hcct_p_put_node(const hcct *t, hcct_p_out *out, uint32_t i) {
    int cold = hcct_p_saving(t) && hcct_p_cold(t, i), full = hcct_p_full(t);
    uint64_t error = cold || full ? 0 : hcct_p_error(t, i), value;
    if (cold) value = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]);
    else value = full ? hcct_p_at(t, i)[HCCT_P_COUNT32] : *hcct_p_count(t, i);
    hcct_p_put_varint(out, cold ? HCCT_P_KEPT : error ? HCCT_P_BOUNDED : HCCT_P_EXACT);
    hcct_p_put_varint(out, value);
    if (error) hcct_p_put_varint(out, error);
}

HCCT_API int hcct_write(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write,
                        void *user) {
    const hcct_stats *s = &t->stats;
    const char *unit = t->config.unit;
    const uint32_t version = t->config.sums ? 5 : unit || t->config.history ? 4 : 1, pieces = 1;
    const uint32_t flags = (s->saturated ? 1u : 0) | (s->weighted ? 2u : 0) |
                           (s->purges_quarters ? 4u : 0);
    const uint64_t fields[] = {
        version, t->algorithm, s->monitored_max, t->width, t->one_over_phi, t->one_over_delta,
        t->config.depth_limit, t->config.fold, s->total, t->floor, s->lost, s->below_depth_limit,
        s->outside_any_context, s->scaled_total, s->rate_shift, pieces, flags, s->unmatched,
        s->repaired, s->sweeps, s->evictions, s->evicted_for_space, s->nodes
    };
    uint32_t i = 0, k, before = 0, depth = 0;
    uint64_t sums[HCCT_SUMS];
    hcct_p_out out;
    hcct_p_put_begin(&out, 2, write, user);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) hcct_p_put_varint(&out, fields[i]);
    if (version >= 4) {
        for (k = 0; unit && unit[k]; k++) {}
        hcct_p_put_varint(&out, k);
        if (k) hcct_p_put(&out, unit, k);
        hcct_p_put_varint(&out, t->config.sums != 0);
        hcct_p_put_varint(&out, s->burst_points);
        hcct_p_put_varint(&out, s->burst_skipped);
        hcct_p_put_varint(&out, t->config.reenable);
    }
    if (name) hcct_p_put_names(t, &out, name, name_user);
    hcct_p_put_varint(&out, 0);
    for (i = hcct_next(t, 0, &depth); i && !out.error; i = hcct_next(t, i, &depth)) {
        hcct_p_put_varint(&out, before + 1 - depth); /* the levels to climb from the last node */
        before = depth;
        hcct_p_put_varint(&out, hcct_p_at(t, i)[HCCT_P_KEY]);
        hcct_p_put_node(t, &out, i);
    }
    if (t->config.sums) do {
        t->config.sums(t->config.sums_user, i, sums);
        for (k = 0; k < HCCT_SUMS; k++) hcct_p_put_varint(&out, sums[k]);
        i = hcct_next(t, i, &depth);
    } while (i && !out.error);
    return hcct_p_put_end(&out) ? -1 : 0;
}

#ifdef BURSTY_H
/* ---- sums of contexts over bursts ---------------- src/context_sums.c ---- */

/* What the variance between bursts needs of a context, by the number of its
   node. y is how many calls it has in one burst (times the weight of an adaptive
   one), and x how many all contexts have. x is known when the burst has ended, so
   the contexts of a burst are linked to one another and added up then. The tree
   may give a context up and use its node for another one: then the key or the
   parent differs, and the sums begin again. What the tool finds in the tree must
   be `calls`; if it is more, the context was given up in between, and it gets no
   interval.

   Sums of single contexts do not say how several contexts vary together. So each
   burst, with all of its contexts, is put into one of HCCT_GROUPS groups by chance.
   How much several contexts together differ between groups says how much they differ
   between bursts. */
typedef struct hcct_p_sums {
    uint64_t yy, xy;      /* of the bursts that have ended: y * y, x * y */
    uint32_t key, parent;
    uint32_t calls;       /* the sum of y, with this burst               */
    uint32_t bursts;      /* in which it was called, with this one       */
    uint32_t y;           /* in this burst so far                        */
    uint32_t link;        /* 0, or 1 + the node of another context of this burst */
    uint32_t group[HCCT_GROUPS]; /* `calls` by groups, of the bursts that have ended */
} hcct_p_sums;
#define HCCT_P_LAST UINT32_MAX /* link of the first context of a burst */

typedef struct hcct_p_contexts {        /* all zero but `nodes` and `seed`: empty */
    uint32_t nodes;       /* so many have sums                           */
    uint32_t seed;        /* of this thread of this process: what all threads do at
                             first must not be in one group              */
    uint32_t linked;      /* the contexts of this burst: 1 + a node, or 0 */
    hcct_p_sums of[1];    /* of all calls, and of nodes 1 to `nodes`     */
} hcct_p_contexts;

static inline size_t hcct_p_contexts_bytes(uint32_t nodes) {
    return sizeof(hcct_p_contexts) + nodes * sizeof(hcct_p_sums);
}

static inline uint32_t hcct_p_sum_of(uint32_t a, uint32_t b) {
    return a + b < b ? UINT32_MAX : a + b;
}

static inline uint64_t hcct_p_with_product(uint64_t sum, uint32_t x, uint32_t y) {
    uint64_t product = (uint64_t)x * y;
    return sum + product < sum ? UINT64_MAX : sum + product;
}

/* The group of the burst that runs. */
static inline uint32_t hcct_p_group(const hcct_p_contexts *c) {
    uint32_t h = c->seed + c->of[0].bursts * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 16) * UINT32_C(0x7FEB352D);
    h = (h ^ h >> 15) * UINT32_C(0x846CA68B);
    return (h ^ h >> 16) % HCCT_GROUPS;
}

static inline void hcct_p_contexts_add(hcct_p_contexts *c, uint32_t node, uint32_t key,
                                       uint32_t parent, uint32_t weight) {
    hcct_p_sums *s = &c->of[node];
    uint32_t k;
    if (s->key != key || s->parent != parent) {
        s->yy = s->xy = s->calls = s->bursts = s->y = 0;
        for (k = 0; k < HCCT_GROUPS; k++) s->group[k] = 0;
        s->key = key;
        s->parent = parent;
    }
    if (s->y == 0) s->bursts = hcct_p_sum_of(s->bursts, 1);
    if (s->link == 0) {
        s->link = c->linked ? c->linked : HCCT_P_LAST;
        c->linked = node + 1;
    }
    s->y = hcct_p_sum_of(s->y, weight);
    s->calls = hcct_p_sum_of(s->calls, weight);
}

/* The call that was just entered, which counts as `weight`. One that has no place
   in the tree is one of all calls, and of no context. */
static inline void hcct_p_contexts_count(hcct_p_contexts *c, const hcct *tree, uint32_t key,
                                         uint32_t weight) {
    hcct_place place = hcct_position(tree);
    hcct_p_contexts_add(c, 0, 0, 0, weight);
    if (place.cursor == 0 || place.cursor > c->nodes || place.over) return;
    hcct_p_contexts_add(c, place.cursor, key, hcct_parent(tree, place.cursor), weight);
}

/* The burst ends. Cost: as many steps as contexts were called in it. */
static inline void hcct_p_contexts_burst(hcct_p_contexts *c) {
    uint32_t at = c->linked, x = c->of[0].y, group = hcct_p_group(c);
    for (c->linked = 0; at && at != HCCT_P_LAST; ) {
        hcct_p_sums *s = &c->of[at - 1];
        s->yy = hcct_p_with_product(s->yy, s->y, s->y);
        s->xy = hcct_p_with_product(s->xy, x, s->y);
        s->group[group] = hcct_p_sum_of(s->group[group], s->y);
        at = s->link;
        s->y = s->link = 0;
    }
}

/* For hcct_config.sums; user: a hcct_p_contexts. */
static inline void hcct_p_contexts_numbers(void *user, uint32_t node, uint64_t *numbers) {
    const hcct_p_contexts *c = (const hcct_p_contexts *)user;
    const hcct_p_sums *s = &c->of[node <= c->nodes ? node : 0];
    uint32_t k;
    numbers[0] = node <= c->nodes ? s->calls : 0;
    numbers[1] = s->bursts;
    numbers[2] = hcct_p_with_product(s->yy, s->y, s->y);
    numbers[3] = hcct_p_with_product(s->xy, c->of[0].y, s->y);
    for (k = 0; k < HCCT_GROUPS; k++) numbers[4 + k] = s->group[k];
    numbers[4 + hcct_p_group(c)] += s->y;
}

#endif
/* ---- contexts from bursty.h -------------------- src/hcct/callpaths.c ---- */

#if defined(BURSTY_H) && !defined(BURSTY_OFF) && !defined(BURSTY_TINY)

#ifdef BURSTY_BARE
#define CALLPATHS_P_THREADS 8
#ifndef CALLPATHS_MEMORY
#define CALLPATHS_MEMORY 393216
#endif
#else
#define CALLPATHS_P_THREADS 64
#ifndef CALLPATHS_MEMORY
#define CALLPATHS_MEMORY 3145728 /* what no thread needs is never touched */
#endif
#endif

/* memory   | thread 0, ..., thread n - 1 | sums of 0 | tree of 0 | sums of 1 | ...      all equal

   A thread's calls go to the tree of its number. Each event carries the depth
   of the stack, and that tells which calls have returned since, by whatever
   way; so returns are no events here. When a burst begins, and whenever an
   event was left out, the tree follows the stack of scopes anew.

   Invariant: the tree's running context is the path of the innermost call that
   was recorded, it is `depth` deep, and what it holds of scopes that are still
   open is the stack. `is_held` is 1 while somebody looks at the tree or changes
   it. Nobody waits for it on a path of the program: an event that comes while a
   dump is being written is counted as lost. */

#if defined(BURSTY_NO_TLS)
#define HCCT_P_GET(p) (*(p))
#define HCCT_P_PUT(p, v) ((void)(*(p) = (v)))
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    if (*held) return 0;
    *held = who;
    return 1;
}
#elif defined(HCCT_P_GNU)
#define HCCT_P_GET(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define HCCT_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    uint32_t nobody = 0;
    return __atomic_compare_exchange_n(held, &nobody, who, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
#else /* x86 of Microsoft's compiler: plain loads acquire and plain stores release */
#include <intrin.h>
#define HCCT_P_GET(p) (_ReadWriteBarrier(), *(p))
#define HCCT_P_PUT(p, v) (_ReadWriteBarrier(), (void)(*(p) = (v)))
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    return _InterlockedCompareExchange((volatile long *)held, (long)who, 0) == 0;
}
#endif

#define CALLPATHS_P_DEEPEST (BURSTY_STACK + 1u) /* with "(deep)", which is one context */
#define CALLPATHS_P_FAR 1u    /* the key of a site too far from ours; no distance is odd */

typedef struct callpaths_p_thread {
    hcct tree;
    hcct_p_contexts *sums; /* or NULL                                    */
    uint64_t weight_256;  /* of all calls in the tree                    */
    uint64_t calls;
    uint32_t lost;        /* calls that are not in it                    */
    uint32_t is_held;
    uint32_t room;        /* contexts that fit into the tree; 0: no tree */
    uint32_t follows;     /* the tree's running context is the stack     */
    uint32_t depth;       /* of the running context, before folding      */
    uint32_t burst;       /* the number of its burst                     */
    uint32_t weight;      /* of a call in it; 0: adaptive bursts leave it out */
    uint32_t folded[CALLPATHS_P_DEEPEST + 1];
} callpaths_p_thread;

static struct {
    uint32_t is_joined;
    callpaths_p_thread *threads;
    unsigned char *trees;
    size_t tree_bytes;
    uint32_t thread_room, fold, nodes; /* nodes that have sums */
    uint32_t seed; /* of the groups */
    uint32_t lost; /* calls of threads without a tree */
    callpaths_config config;
} callpaths_p_all;

#if CALLPATHS_MEMORY > 0
static uint64_t callpaths_p_memory[(CALLPATHS_MEMORY + 7) / 8];
#endif

/* A site lies among the constants of this program or shared object. Its
   distance from this one is its key: so there may be any number of sites, and
   nothing is looked up. */
static const bursty_site callpaths_p_origin = { "", "", 0, 0 };

static uint32_t callpaths_p_key(const bursty_site *site) {
    uintptr_t distance = (uintptr_t)site - (uintptr_t)&callpaths_p_origin;
    uint32_t key = (uint32_t)distance;
    return distance == (uintptr_t)(intptr_t)(int32_t)key ? key : CALLPATHS_P_FAR;
}

CALLPATHS_API const char *callpaths_name(void *user, uint32_t key) {
    uintptr_t distance = (uintptr_t)(intptr_t)(int32_t)key;
    (void)user;
    if (key == HCCT_KEY_DEEP) return "(deep)";
    if (key == CALLPATHS_P_FAR) return "(other objects)";
    return ((const bursty_site *)((uintptr_t)&callpaths_p_origin + distance))->name;
}

/* "name<tab>file:line", in the bytes at `user`. What does not fit is the name
   alone. */
enum { CALLPATHS_P_NAME = 512 };
static const char *callpaths_p_name_and_place(void *user, uint32_t key) {
    const char *name = callpaths_name(NULL, key), *parts[2];
    const bursty_site *site = (const bursty_site *)((uintptr_t)&callpaths_p_origin
                                                    + (uintptr_t)(intptr_t)(int32_t)key);
    char *out = (char *)user, digits[10];
    uint32_t used = 0, count = 0, line, k;
    if (key == HCCT_KEY_DEEP || key == CALLPATHS_P_FAR || !site->file || !*site->file) return name;
    parts[0] = name;
    parts[1] = site->file;
    for (k = 0; k < 2; k++) {
        const char *at = parts[k];
        for (; *at && used < CALLPATHS_P_NAME - 12; at++) out[used++] = *at;
        if (*at) return name;
        out[used++] = k ? ':' : '\t';
    }
    for (line = site->line; count == 0 || line; line /= 10) digits[count++] = (char)('0' + line % 10);
    while (count) out[used++] = digits[--count];
    out[used] = 0;
    return out;
}

/* An empty tree for the thread. Its memory is enough, for callpaths_p_lay_out
   has tried. */
static void callpaths_p_make(callpaths_p_thread *t) {
    size_t number = (size_t)(t - callpaths_p_all.threads);
    unsigned char *memory = callpaths_p_all.trees + number * callpaths_p_all.tree_bytes;
    size_t sums = callpaths_p_all.nodes ? hcct_p_contexts_bytes(callpaths_p_all.nodes) : 0;
    hcct_config config;
    unsigned char *byte = (unsigned char *)&config;
    uint32_t room;
    size_t i;
    for (i = 0; i < sizeof config; i++) byte[i] = 0;
    config.fold = callpaths_p_all.fold;
    config.history = callpaths_p_all.config.history;
    config.reenable = callpaths_p_all.config.reenable;
    config.seed = number;
    config.returns = config.fold ? t->folded : NULL;
    config.return_count = config.fold ? CALLPATHS_P_DEEPEST + 1 : 0;
    t->weight_256 = t->calls = 0;
    t->lost = t->follows = t->depth = t->burst = 0;
    t->weight = 1;
    t->sums = sums ? (hcct_p_contexts *)(void *)memory : NULL;
    for (i = 0; i < sums; i++) memory[i] = 0;
    if (t->sums) {
        t->sums->nodes = callpaths_p_all.nodes;
        t->sums->seed = callpaths_p_all.seed + (uint32_t)number * UINT32_C(0x9E3779B9);
    }
    config.sums = sums ? hcct_p_contexts_numbers : NULL;
    config.sums_user = t->sums;
    room = hcct_init(&t->tree, memory + sums, callpaths_p_all.tree_bytes - sums, &config);
    HCCT_P_PUT(&t->room, room);
}

/* `is_held`: by the thread's event, or by somebody who asks. */
enum { CALLPATHS_P_EVENT = 1, CALLPATHS_P_ASKED = 2, CALLPATHS_P_TRIES = 1000000 };

/* The thread's, or NULL. */
static callpaths_p_thread *callpaths_p_of(uint32_t thread) {
    return thread < callpaths_p_all.thread_room ? &callpaths_p_all.threads[thread] : NULL;
}

/* A longjmp has left an event in the middle. Nobody knows what the tree looks
   like, so a new one begins, and the calls of the old one are lost. */
static void callpaths_p_jumped(callpaths_p_thread *t) {
    uint64_t lost = t->lost + t->calls;
    if (HCCT_P_GET(&t->is_held) != CALLPATHS_P_EVENT) return;
    callpaths_p_make(t);
    t->lost = lost < UINT32_MAX / 2 ? (uint32_t)lost : UINT32_MAX / 2;
    HCCT_P_PUT(&t->is_held, 0);
}

/* In a forked child no other thread is left, and whoever held a tree is
   gone. */
static void callpaths_p_forked(void) {
    uint32_t i;
    callpaths_p_all.seed = bursty_seed();
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = &callpaths_p_all.threads[i];
        if (t->room) callpaths_p_make(t);
        t->is_held = 0;
    }
    callpaths_p_all.lost = 0;
}

static void callpaths_p_on_thread(int what, uint32_t thread) {
    callpaths_p_thread *mine = callpaths_p_of(thread);
    if (what == BURSTY_THREAD_FORKED) callpaths_p_forked();
    if (!mine) return;
    if (what == BURSTY_THREAD_SWITCHED) { /* the next event tells the other fiber's stack */
        mine->follows = 0;
        return;
    }
    if (what == BURSTY_THREAD_BEGINS && !mine->room) callpaths_p_make(mine);
    if (what == BURSTY_THREAD_JUMPED) callpaths_p_jumped(mine);
    mine->follows = 0;
    mine->burst = 0; /* another thread counts its bursts from 1 */
}

/* Scopes that the stack has no room for are one context. */
static uint32_t callpaths_p_depth(uint32_t scopes) {
    return scopes > BURSTY_STACK ? CALLPATHS_P_DEEPEST : scopes;
}

static void callpaths_p_follow(callpaths_p_thread *t, const bursty_event *e, uint32_t depth) {
    uint32_t keys[CALLPATHS_P_DEEPEST], i = 0;
#if BURSTY_STACK > 0
    for (; i < depth && i < BURSTY_STACK; i++) keys[i] = callpaths_p_key(e->stack[i]);
#endif
    if (i < depth) keys[i] = HCCT_KEY_DEEP;
    if (t->burst != e->burst) {
        if (t->sums) hcct_p_contexts_burst(t->sums);
        t->weight = hcct_burst_begin(&t->tree, keys, depth);
    } else if (t->weight) {
        hcct_burst_end(&t->tree);
        for (i = 0; i < depth; i++) hcct_enter(&t->tree, keys[i], 0);
    }
    t->depth = depth;
    t->burst = e->burst;
    t->follows = 1;
}

static void callpaths_p_lose(uint32_t *lost) {
    if (HCCT_P_GET(lost) >= UINT32_MAX / 2) return; /* far from an overflow by many threads */
#if defined(BURSTY_NO_TLS)
    ++*lost;
#elif defined(HCCT_P_GNU)
    (void)__atomic_fetch_add(lost, UINT32_C(1), __ATOMIC_RELAXED);
#else
    (void)_InterlockedExchangeAdd((volatile long *)lost, 1);
#endif
}

static void callpaths_p_event(void *user, const bursty_event *e) {
    callpaths_p_thread *t = callpaths_p_of(e->thread);
    uint32_t depth = callpaths_p_depth(e->depth);
    (void)user;
    if (!t || !t->room) {
        callpaths_p_lose(&callpaths_p_all.lost);
        return;
    }
    if (!callpaths_p_hold(&t->is_held, CALLPATHS_P_EVENT)) { /* for a dump */
        t->follows = 0;
        callpaths_p_lose(&t->lost);
        return;
    }
    if (e->kind & BURSTY_GAP) {
        t->follows = 0; /* calls or their ends are missing: the next one says where it is */
        HCCT_P_PUT(&t->is_held, 0);
        return;
    }
    if (t->burst != e->burst || (t->weight && (!t->follows || t->depth < depth)))
        callpaths_p_follow(t, e, depth);
    if (!t->weight) {
        t->weight_256 += e->weight_256;
        HCCT_P_PUT(&t->is_held, 0);
        return;
    }
    for (; t->depth > depth; t->depth--) hcct_leave(&t->tree);
    hcct_enter(&t->tree, callpaths_p_key(e->site), t->weight);
    if (t->sums) hcct_p_contexts_count(t->sums, &t->tree, callpaths_p_key(e->site), t->weight);
    t->calls++;
    t->weight_256 += e->weight_256;
    if ((e->kind & BURSTY_FRAME) && t->depth < CALLPATHS_P_DEEPEST) t->depth++;
    else hcct_leave(&t->tree); /* a point is over already, and so is a call in "(deep)" */
    HCCT_P_PUT(&t->is_held, 0);
}

/* A tree of so many contexts, with sums or without. */
static size_t callpaths_p_bytes(uint32_t count, int has_sums) {
    hcct_config config;
    unsigned char *byte = (unsigned char *)&config;
    size_t i;
    size_t sums;
    if (count > UINT32_C(1) << (sizeof(size_t) > 4 ? 30 : 24)) return SIZE_MAX;
    sums = has_sums ? hcct_p_contexts_bytes(count) : 0;
    for (i = 0; i < sizeof config; i++) byte[i] = 0;
    config.history = callpaths_p_all.config.history;
    return hcct_bytes(&config, count) + sums;
}

/* Lays threads and trees out in memory. Returns whether there is room for a
   tree of 8 contexts for each thread. */
static int callpaths_p_lay_out(const callpaths_config *config) {
    uint32_t step;
    unsigned char *memory = (unsigned char *)config->memory;
    size_t bytes = config->memory_bytes, skip, i, threads = config->threads;
#if CALLPATHS_MEMORY > 0
    if (!memory) {
        memory = (unsigned char *)callpaths_p_memory;
        bytes = sizeof callpaths_p_memory;
    }
#endif
    if (threads == 0) threads = CALLPATHS_P_THREADS;
#ifdef BURSTY_NO_TLS
    threads = 1;
#endif
    skip = memory ? (0 - (uintptr_t)memory) & 7 : 0;
    if (!memory || bytes < skip || threads > (bytes - skip) / sizeof(callpaths_p_thread)) return 0;
    bytes -= skip + threads * sizeof(callpaths_p_thread);
    callpaths_p_all.threads = (callpaths_p_thread *)(void *)(memory + skip);
    callpaths_p_all.trees = (unsigned char *)(callpaths_p_all.threads + threads);
    callpaths_p_all.tree_bytes = bytes / threads & ~(size_t)7;
    if (callpaths_p_all.tree_bytes < callpaths_p_bytes(8, !config->no_intervals)) return 0;
    callpaths_p_all.nodes = 0;
    for (step = UINT32_C(1) << 30; step && !config->no_intervals; step /= 2) {
        if (callpaths_p_bytes(callpaths_p_all.nodes + step, 1) <= callpaths_p_all.tree_bytes)
            callpaths_p_all.nodes += step;
    }
    for (i = 0; i < threads * sizeof(callpaths_p_thread); i++) (memory + skip)[i] = 0;
    callpaths_p_all.thread_room = (uint32_t)threads;
    return 1;
}

/* bursty_start calls it. Returns 0 if contexts are to be recorded. */
static int callpaths_p_start(const bursty_config *config) {
    callpaths_p_all.thread_room = 0;
    callpaths_p_all.fold = config->fold;
    callpaths_p_all.lost = 0;
    callpaths_p_all.seed = bursty_seed();
    return callpaths_p_lay_out(&callpaths_p_all.config) ? 0 : -1;
}

static int callpaths_p_write(bursty_write_fn write, void *user);

CALLPATHS_API int callpaths_setup(const callpaths_config *config) {
    bursty_companion companion;
    unsigned char *byte = (unsigned char *)&companion, *own;
    size_t i;
    for (i = 0; i < sizeof companion; i++) byte[i] = 0;
    own = (unsigned char *)&callpaths_p_all.config;
    for (i = 0; i < sizeof callpaths_p_all.config; i++) own[i] = 0;
    if (config) callpaths_p_all.config = *config;
    companion.start = callpaths_p_start;
    companion.on_thread = callpaths_p_on_thread;
    companion.write = callpaths_p_write;
    companion.profile = callpaths_p_all.config.profile;
    companion.profile.classes = (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_GAP;
    companion.profile.action = callpaths_p_event;
    bursty_join(&companion);
    callpaths_p_all.is_joined = 1;
    return callpaths_p_lay_out(&callpaths_p_all.config) ? 0 : -1;
}

/* Joins the two before main; in a bare build, when bursty_start asks. */
#if defined(BURSTY_BARE)
#if defined(__ELF__) && !defined(BURSTY_STATIC)
void bursty_joins(void) {
    if (!callpaths_p_all.is_joined) (void)callpaths_setup(NULL);
}
#endif
#elif defined(HCCT_P_GNU)
__attribute__((constructor)) static void callpaths_p_join(void) { (void)callpaths_setup(NULL); }
#elif defined(__cplusplus)
static const int callpaths_p_joined = callpaths_setup(NULL);
#endif

/* Takes the tree of a thread, or NULL if it has none. A thread holds its tree
   for the few instructions of an event. If the holder does not come to an end,
   it is this very thread, which a signal handler has interrupted, or it was put
   aside by the operating system: then *busy is set, and the tree is left
   out. */
static callpaths_p_thread *callpaths_p_take(uint32_t number, int *busy) {
    callpaths_p_thread *t = callpaths_p_of(number);
    uint32_t tries = CALLPATHS_P_TRIES;
    *busy = 0;
    if (!t || !HCCT_P_GET(&t->room)) return NULL;
    while (!callpaths_p_hold(&t->is_held, CALLPATHS_P_ASKED)) {
        if (--tries) continue;
        *busy = 1;
        return NULL;
    }
    return t;
}

CALLPATHS_API const hcct *callpaths_tree(uint32_t thread) {
    int busy;
    callpaths_p_thread *t = callpaths_p_take(thread, &busy);
    if (!t) return NULL;
    hcct_scale_to(&t->tree, t->weight_256 / 256);
    HCCT_P_PUT(&t->is_held, 0);
    return &t->tree;
}

/* What a thread's calls stand for, with so many that it lost, each as heavy as
   the mean. */
static uint64_t callpaths_p_weight(const callpaths_p_thread *t, uint64_t lost) {
    return t->weight_256 / 256 + (t->calls ? t->weight_256 / t->calls * lost / 256 : 0);
}

CALLPATHS_API void callpaths_get_stats(callpaths_stats *out) {
    uint32_t i, others = HCCT_P_GET(&callpaths_p_all.lost);
    int busy;
    out->calls = out->lost = others;
    out->estimated = 0;
    out->contexts = out->threads = 0;
    out->room = 0;
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = callpaths_p_take(i, &busy);
        hcct_stats stats;
        uint32_t lost;
        if (!t) continue;
        hcct_get_stats(&t->tree, &stats);
        out->threads++;
        out->room = t->room;
        out->contexts += stats.nodes;
        lost = HCCT_P_GET(&t->lost);
        out->calls += t->calls + lost;
        out->lost += lost;
        out->estimated += callpaths_p_weight(t, (uint64_t)lost + others);
        others = 0;
        HCCT_P_PUT(&t->is_held, 0);
    }
}

/* Calls without a tree are weight in no context: they stand in the part of the
   first tree, or, if there is none, in that of an empty one. So do the calls of
   a tree that was busy. */
static int callpaths_p_write_tree(hcct *copy, uint64_t lost, uint64_t weight,
                                  bursty_write_fn write, void *user) {
    char name[CALLPATHS_P_NAME];
    copy->stats.total += lost;
    copy->stats.lost += lost;
    if (copy->stats.total == 0) return 0;
    if (weight) hcct_scale_to(copy, weight);
    return hcct_write(copy, callpaths_p_name_and_place, name, write, user);
}

static int callpaths_p_write(bursty_write_fn write, void *user) {
    uint64_t others = HCCT_P_GET(&callpaths_p_all.lost), lost, room[128];
    uint32_t i;
    hcct copy;
    int failed, busy;
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = callpaths_p_take(i, &busy);
        if (busy) others += callpaths_p_all.threads[i].calls + callpaths_p_all.threads[i].lost;
        if (!t) continue;
        lost = (uint64_t)HCCT_P_GET(&t->lost) + others;
        others = 0;
        copy = t->tree;
        failed = callpaths_p_write_tree(&copy, lost, t->calls ? callpaths_p_weight(t, lost) : 0,
                                        write, user);
        HCCT_P_PUT(&t->is_held, 0);
        if (failed) return -1;
    }
    if (others == 0 || hcct_init(&copy, room, sizeof room, NULL) == 0) return 0;
    return callpaths_p_write_tree(&copy, others, 0, write, user);
}

#endif /* BURSTY_H */

#ifdef __cplusplus
}
#endif
#endif /* HCCT_IMPLEMENTATION */

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
