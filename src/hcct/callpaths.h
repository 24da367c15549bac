/* ---- contexts of a program that bursty.h samples ---- */

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
