/* footprint.h - v0.2.0 - counts the data every window of a run touches - MIT, text at end of file

   example:
       #define FOOTPRINT_IMPLEMENTATION
       #include "footprint.h"
       #include <stdio.h>
       static uint64_t memory[200000], table[200000];
       int main(void) {
           footprint fp;
           footprint_profile profile;
           static int data[50000];
           int i;
           if (footprint_init(&fp, memory, sizeof memory, NULL) == 0) return 1;
           for (i = 0; i < 40000; i++)
               footprint_reference(&fp, &data[i * i % 50000], sizeof *data);
           if (footprint_snapshot(&fp, &profile, table, sizeof table) != 0) return 1;
           printf("half of all windows of 1000 accesses touch no more than %u blocks\n", (unsigned)
                  footprint_bin_high(footprint_percentile(&profile, footprint_bin(1000), 50)));
           printf("a cache of 512 misses %.3f\n", footprint_miss_ratio(&profile, 512));
           return 0;
       }
   end of example.

   A window is any stretch of consecutive accesses. Its footprint is the number
   of different blocks that it touches. A run of n accesses has n (n + 1) / 2
   windows, and this header counts all of them while the program runs (paper:
   "All-Window Profiling of Concurrent Executions").

   STEP BY STEP
   1. Define FOOTPRINT_IMPLEMENTATION before the include in one C or C++ file.
      Include the file plainly everywhere else.
   2. Choose a counter. All of them take the same footprint_config and fill the
      same footprint_profile.
        footprint           footprints of all windows, and misses of any cache
        footprint_average   average footprints alone, at a third of the cost
        footprint_pair      how two threads interleave in all windows
   3. Fill a footprint_config if you like. A zero in a field asks for its
      default. Two fields matter most: c is the precision of footprints, and a
      smaller window_max makes tables smaller.
   4. Give it memory. footprint_init takes memory of yours, and footprint_bytes
      says how much is needed. footprint_open takes memory from config.alloc,
      for 8000 blocks at first, and grows.
   5. Report accesses. footprint_access takes a block number, and
      footprint_reference an address. footprint_access_many takes an array of
      block numbers, which is fastest.
   6. footprint_snapshot fills a footprint_profile, as often as you like. Read
      it with footprint_percentile, footprint_at_least, footprint_miss_ratio,
      footprint_average_of and footprint_fill_time.
   7. footprint_subtract takes an earlier snapshot out of a later one and leaves
      the windows that ended in between: a phase. footprint_add adds up the
      profiles of threads or of runs. examples/phases_of_data.c does both.
   8. If only bursts of accesses are seen, set FOOTPRINT_BURSTS in config.flags
      and call footprint_burst where accesses were left out. Then ask
      footprint_average_interval and footprint_miss_interval how far the answers
      can be trusted. examples/footprint_of_events.c does that.
   9. footprint_write puts a profile into a .brst file, which `bursty report`
      shows and `bursty corun` compares with those of other programs.

   AVERAGES ALONE  A footprint_average has functions of the same names. The
   theory of locality by averages (HOTL; Xiang et al., ASPLOS 2013) derives from
   them how long a cache takes to fill and how often it misses.

   example:
       #define FOOTPRINT_IMPLEMENTATION
       #include "footprint.h"
       #include <stdio.h>
       static uint64_t memory[100000], table[2000];
       int main(void) {
           footprint_average averages;
           footprint_profile profile;
           uint64_t i;
           if (footprint_average_init(&averages, memory, sizeof memory, NULL) == 0) return 1;
           for (i = 0; i < 40000; i++) footprint_average_access(&averages, i * i % 5000);
           if (footprint_average_snapshot(&averages, &profile, table, sizeof table) != 0) return 1;
           printf("1000 accesses touch %.1f blocks\n", footprint_average_of(&profile, 1000));
           printf("512 blocks are touched in %.0f accesses, and a cache of them misses %.3f\n",
                  footprint_fill_time(&profile, 512),
                  footprint_miss_ratio_by_average(&profile, 512));
           return 0;
       }
   end of example.

   TWO THREADS  make accesses in turns. A footprint_pair counts, for all windows
   of each length, how many of their accesses thread 1 made. Where a profile
   counts blocks, its profile counts accesses of thread 1. Report each run of
   accesses in the order in which they were made. For the view of the other
   thread, use a second footprint_pair and swap.

   example:
       #define FOOTPRINT_IMPLEMENTATION
       #include "footprint.h"
       #include <stdio.h>
       static uint64_t memory[100000], table[100000];
       int main(void) {
           footprint_pair pair;
           footprint_profile profile;
           int i;
           if (footprint_pair_init(&pair, memory, sizeof memory, NULL) == 0) return 1;
           for (i = 0; i < 10000; i++) footprint_pair_run(&pair, i % 2, (uint64_t)(1 + i % 7));
           if (footprint_pair_snapshot(&pair, &profile, table, sizeof table) != 0) return 1;
           printf("thread 1 makes up to %u of 100 accesses in half of the windows\n", (unsigned)
                  footprint_bin_high(footprint_percentile(&profile, footprint_bin(100), 50)));
           return 0;
       }
   end of example.

   PROMISES
   - The footprint that is reported for a window lies between c f and f, where f
     is the true one. With c = 1 it is exact. Windows are counted by length and
     by footprint. Both are put into the paper's bins: each number below 16 is a
     bin of its own, and each octave from there on has 8 bins.
   - A reported count of thread 1's accesses is at least c times the true one,
     and never above it. This is stronger than the paper's (1 - c) times the
     window length.
   - The average footprint is exact at the high end of each bin of window
     lengths. A footprint_average and a footprint have the same averages.
   - footprint_miss_ratio counts stack distances and assumes nothing.
     footprint_miss_ratio_by_average assumes that reuse is alike at all times.
     It never grows with the cache, and first accesses miss in any cache. A ratio
     is between 0 and 1, or -1 if it is not known.
   - The header allocates only through config.alloc. It does not abort, print or
     keep globals.
   - A full table goes on counting, and the profile says so: FOOTPRINT_FULL.
       By default every second block is dropped, chosen by a hash, and each that
       is kept counts for two; then three of four, and so on. From there on
       numbers are estimates without a guarantee.
       With FOOTPRINT_FORGET the least recently used blocks are dropped.
       Footprints up to the number that footprint_init returned stay guaranteed.
       Larger ones share one open bin.
       A footprint_pair with c < 1 merges neighbouring runs in a way that keeps
       the guarantee. At c = 1 it gives up the largest counts, which share one
       open bin.
   - Bursts are runs of their own: windows within them are counted as above, and
     no window spans two. What they say of the whole run is an estimate. Its
     average footprints and miss ratios have 95 % intervals, from how 16 groups
     of bursts differ. What a block's first access in a burst finds in a cache is
     unknown, and taken for that. Nothing is said of windows that are longer, or
     of caches that are larger, than half of the bursts reach, and there is no
     interval from fewer than 8 groups.
   - Blocks that no window up to window_max can reach are dropped without loss
     of accuracy.
   - No counter overflows. After footprint_stats.accesses_max accesses (6.9e10
     by default) further ones are not counted, but are added up in
     footprint_stats.lost. A sum that would overflow stays at the greatest
     number, and the profile has the flag FOOTPRINT_SATURATED.

   THREADS  Use one counter for each thread and add their profiles. Nothing is
   shared or locked. Take a snapshot on the thread that counts. Merge the runs
   of two threads into one order before a footprint_pair gets them.

   OPTIONS  (define it before every include, the same everywhere)
     FOOTPRINT_STATIC       makes all functions static, for one file; several
                            such files keep apart
   OPTIONS  (define them where FOOTPRINT_IMPLEMENTATION is)
     FOOTPRINT_ASSERT(x)    is called with a caller's mistakes (default: nothing)
     FOOTPRINT_NO_FILES     leaves footprint_write out
     FOOTPRINT_NO_BUILTINS  uses plain C instead of the compiler's bit scans and
                            prefetches
     FOOTPRINT_NO_SIMD      does not use SSE2 and BMI2 of x86-64 processors

   COST  An access takes O(1) steps for c < 1 and O(log blocks) for c = 1: 102
   instructions at c = 0.9, 120 at c = 1 and 37 for averages alone on data
   accesses of gzip (bench/footprint_instructions.sh). Each block that fits
   takes 28 bytes, 33 at c = 1, and 21 for averages alone. Tables take 0.3 MB if
   window_max is 1023; 0.7 to 1.8 MB by default; 22 kB for averages alone.
   FOOTPRINT_BURSTS adds 16 times 40 bytes for each bin, some 0.1 MB. Bursts of
   10 000 accesses take 12 more instructions an access than one run, and bursts
   of 1000 take 60. In a footprint_pair a run of thread 0 costs nothing. A run of
   thread 1 moves some of the marks: each mark F moves once in about (1 - c) F
   accesses of thread 1. Each run takes 24 bytes; tables take 0.5 MB by default.

   CONTENTS
     language
     linkage
     types
     functions: all windows (All-Window Profiling, section 3)
     functions: averages alone, at a third of the cost
     functions: two threads (All-Window Profiling, section 2)
     functions: profiles and what they answer
     what the compiler offers
     bins
     sums of 128 bits
     counters that saturate
     what all three counters share
     averages, from gaps
     bursts
     memory layout
     marks
     blocks
     an access
     reading rows out
     snapshots
     full: every second block from here on
     averages alone
     two threads
     profiles
     sums and phases
     samples: what bursts tell
     answers by averages
     writing a .brst part
     dump
*/

#ifndef FOOTPRINT_H
#define FOOTPRINT_H
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
#define FOOTPRINT_P_GNU
#endif
#if defined(FOOTPRINT_P_GNU) || defined(__TINYC__)
#define FOOTPRINT_P_UNUSED __attribute__((unused))
#else
#define FOOTPRINT_P_UNUSED
#endif
#ifdef FOOTPRINT_STATIC
#define FOOTPRINT_API FOOTPRINT_P_UNUSED static
#elif defined(FOOTPRINT_P_GNU) && !defined(_WIN32)
#define FOOTPRINT_API extern __attribute__((visibility("hidden")))
#else
#define FOOTPRINT_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ------------------------------------ src/footprint/types.h ---- */

enum {                               /* flags of a config, of footprint_stats and of a profile */
    FOOTPRINT_AVERAGE     = 1,       /* a profile of a footprint_average: averages alone */
    FOOTPRINT_FORGET      = 2,       /* drops the oldest blocks when full, instead of sampling */
    FOOTPRINT_FULL        = 4,       /* blocks did not fit; cure: memory or blocks_max */
    FOOTPRINT_ENDED       = 8,       /* accesses came after accesses_max; cure: window_max */
    FOOTPRINT_INTERLEAVED = 16,      /* a profile of a footprint_pair */
    FOOTPRINT_DIFFERENCE  = 32,      /* windows that ended in a phase, not in a whole run */
    FOOTPRINT_SATURATED   = 64,      /* a sum of profiles stays at the greatest number */
    FOOTPRINT_BURSTS      = 128      /* a sample: accesses are missing between bursts */
};
enum { FOOTPRINT_GROUPS = 16 };      /* bursts are put into so many groups; their spread tells
                                        how far a sample can be trusted */

/* The settings of all three counters. A zero in a field asks for its default. A
   footprint_average is always exact and samples when it is full: it reads no c.
   A footprint_pair reads c and window_max alone. */
typedef struct footprint_config {
    double   c;                      /* precision c of the paper: 0.01 to 1; default 0.9 */
    uint64_t window_max;             /* longest window, rounded up to its bin; at least
                                        1023; default 2^32 - 1 */
    uint32_t blocks_max;             /* makes room for no more blocks than that; default 2^30 */
    uint32_t flags;                  /* FOOTPRINT_FORGET, FOOTPRINT_BURSTS */
    uint32_t sample_log2;            /* k <= 24: follows one block in 2^k, no guarantee */
    uint32_t block_log2;             /* bytes of a block, as a power of 2; default 6 (64 bytes) */
    void *(*alloc)(void *user, size_t bytes);            /* for an open; may return NULL */
    void  (*release)(void *user, void *memory);
    void  *user;
} footprint_config;

typedef struct footprint_stats {
    uint64_t accesses;               /* counted ones */
    uint64_t lost;                   /* not counted, as they came after accesses_max */
    uint64_t accesses_max;
    uint64_t blocks;                 /* different ones; an estimate if blocks are sampled; of a
                                        footprint_pair: thread 1's accesses */
    uint64_t forgotten;              /* dropped ones; each is a new block when it returns */
    size_t   memory_bytes;           /* all memory */
    size_t   blocks_bytes;           /* the part that grows with the number of blocks */
    uint32_t flags, sample_log2;     /* sample_log2 grows when memory is full */
} footprint_stats;

/* The sum of the footprints of all windows of exactly
   footprint_bin_high(column) accesses. */
typedef struct footprint_total {
    uint64_t windows;                /* how many windows those are; 0 if they were not counted */
    uint64_t low, high;              /* the sum is low + 2^64 high */
} footprint_total;

/* What was counted. All three counters fill one of these, and all answers come
   from it. */
typedef struct footprint_profile {
    uint64_t accesses, blocks, forgotten;                /* as in footprint_stats */
    uint64_t last_window;            /* length of the whole run; 0: it was not counted */
    uint64_t last_blocks;            /* its footprint */
    double   c;                      /* the guarantee; the least one of those added up */
    uint32_t flags, sample_log2, block_log2;
    uint32_t rows;                   /* bins of footprints */
    uint32_t columns;                /* bins of window lengths */
    uint64_t *at_least;              /* [row * columns + column]: see footprint_at_least */
    uint64_t *depth;                 /* [row]: reuses by LRU stack distance (1: a repeat) */
    footprint_total *total;          /* [column] */
    uint64_t *reuse;                 /* [column], and behind them longer ones: reuses by the length
                                        of the window from use to use; NULL: not known */
    uint64_t bursts;                 /* how many there are; 0: one whole run */
    uint32_t groups;                 /* FOOTPRINT_GROUPS, or 0: there are none */
    uint64_t *group_depth;           /* [group * rows + row]: reuses as in depth */
    uint64_t *group_cut;             /* the same of first accesses in bursts: the n-th block of a
                                        burst was used at a stack distance of n or more, if ever */
    footprint_total *group_total;    /* [group * columns + column] */
} footprint_profile;

typedef struct footprint_entry {
    uint64_t block, time;
} footprint_entry;

/* Private: what footprint_burst keeps, for a footprint and for a
   footprint_average. */
typedef struct footprint_bursts {
    struct footprint_p_gap *open;    /* [column]: gaps that are no reuses */
    struct footprint_p_gap *length;  /* [column]: bursts that have ended, by accesses + 2 */
    footprint_total *total;          /* as in a profile; all three are NULL without groups */
    uint64_t *depth, *cut;
    uint64_t origin;                 /* accesses before the burst under way */
    uint64_t first;                  /* first accesses until then */
    uint64_t longest;                /* accesses of the longest burst that has ended */
    uint64_t count;                  /* bursts that have ended */
    uint64_t turned;                 /* access at which the group last changed */
    uint32_t group, rows;
} footprint_bursts;

/* ---- functions: all windows (All-Window Profiling, section 3)  src/footprint/counting.h ---- */

/* You provide the storage. The fields are private; footprint_get_stats reads
   them. */
typedef struct footprint {
    footprint_entry *top;            /* the recent blocks, latest first; there are `filled` */
    uint64_t now;                    /* number of the latest access, from 1 */
    uint64_t wake;                   /* from that access on footprint_p_wake runs first */
    uint64_t repeats;                /* accesses to the same block as the one before */
    uint64_t end, folded;            /* last access to count; next time to empty counters */
    uint64_t start;                  /* access at which the sampling ratio last changed */
    uint64_t sampled;                /* accesses to blocks that are followed, since start */
    uint64_t first, followed;        /* first accesses; of those followed since start */
    uint64_t forgotten, lost;
    uint64_t gone, gone_low, gone_high;                  /* forgotten since start; times' sum */
    footprint_bursts bursts;
    uint32_t filled, tracked;        /* blocks in recent; in recent and slots */
    uint32_t next, slots, cap;       /* next free slot; room; how many live ones make it full */
    uint32_t bottom;                 /* no slot up to this one is live */
    uint32_t buckets;                /* of index */
    uint32_t marks, mark_max, mark_young, exact;         /* exact: so many marks have no slack */
    uint32_t made;                   /* so many marks have a row */
    uint32_t columns, rows, depth_first, flags, sample_log2;
    uint32_t is_fast, is_overfull, is_followed;          /* is_followed: the latest access */
    uint32_t is_thinned;             /* `before` has windows */
    footprint_entry *ring, *slot;
    uint32_t *index, *shifted, *reused;
    uint64_t *live;
    int32_t  *young;
    uint32_t *place, *cut;           /* by mark */
    uint32_t *lead, *pending, *slack;                    /* by group of marks */
    struct footprint_p_mark   *mark;
    struct footprint_p_gap    *gap;
    struct footprint_p_moment *cells, *events, *scratch;
    uint64_t *born, *depth, *before;
    size_t   table_bytes, blocks_bytes, cell_count;
    void     *tables, *blocks;       /* what config.release gets */
    footprint_config config;
    uint8_t  nearby[1024];           /* counts recent blocks by hash */
    uint32_t *after;                 /* of a live slot: the next one. If is_linked */
    uint32_t is_linked;              /* there are marks without slack */
} footprint;

/* Lays an empty footprint out in memory[0..bytes). A config of NULL is all
   defaults. Returns how many different blocks fit, or 0 if none do. Then every
   access counts as lost. */
FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config);
/* The same in memory from config->alloc, which grows as blocks come. Returns 0
   if there is none. */
FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config);
/* From then on, as after an init that failed, all accesses are lost. */
FOOTPRINT_API void     footprint_close(footprint *fp);
/* Returns the number of bytes that footprint_init needs for so many blocks. */
FOOTPRINT_API size_t   footprint_bytes(const footprint_config *config, uint32_t blocks);

FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block);
FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count);
/* Counts `count` more accesses to the block of the latest access, in the time
   of one. */
FOOTPRINT_API void footprint_access_repeat(footprint *fp, uint64_t count);
/* Counts an access to every block that address[0..bytes) lies in, from low to
   high. What lies behind the end of the address space is left out. */
FOOTPRINT_API void footprint_reference(footprint *fp, const void *address, size_t bytes);

/* Accesses were left out here. No window spans the gap, and what a block's
   first access behind it finds in a cache is unknown. Does nothing if there was
   no access since the last call. */
FOOTPRINT_API void footprint_burst(footprint *fp);

FOOTPRINT_API void     footprint_get_stats(const footprint *fp, footprint_stats *out);
/* Returns an access number A: windows from A or earlier up to the latest access
   are counted as touching footprint_bin_low(bin) blocks or more. So a cache of
   that many blocks has forgotten what was last used before A. Returns 0 if
   there is no such window. */
FOOTPRINT_API uint64_t footprint_mark_time(footprint *fp, uint32_t bin);

/* Fills *profile, whose tables go to memory[0..bytes), and counting goes on.
   Returns 0, or -1 if bytes is less than footprint_snapshot_bytes returns. */
FOOTPRINT_API int    footprint_snapshot(footprint *fp, footprint_profile *profile, void *memory,
                                        size_t bytes);
FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp);

/* ---- functions: averages alone, at a third of the cost  src/footprint/average.h ---- */

/* You provide the storage. The fields are private; footprint_average_get_stats
   reads them. */
typedef struct footprint_average {
    footprint_entry *table;          /* open hashing; time is that of the latest use, 0: empty */
    struct footprint_p_gap *gap, *scratch;
    footprint_bursts bursts;
    uint64_t now;                    /* number of the latest access, from 1 */
    uint64_t end;                    /* last access to count */
    uint64_t start;                  /* access at which the sampling ratio last changed */
    uint64_t first, followed;        /* first accesses; of those followed since start */
    uint64_t lost;
    uint32_t tracked, cap, buckets;  /* blocks in the table; so many make it full; its size */
    uint32_t newest, second;         /* buckets of the two latest blocks */
    uint32_t is_followed;            /* the latest access */
    uint32_t columns, flags, sample_log2;
    size_t   bytes, table_bytes;     /* of everything; of the table */
    void    *memory;                 /* what config.release gets */
    footprint_config config;
} footprint_average;

/* These do for a footprint_average what those of the same name do for a
   footprint. Its profile has the flag FOOTPRINT_AVERAGE: footprint_average_of,
   footprint_fill_time and footprint_miss_ratio_by_average read it. */
FOOTPRINT_API uint32_t footprint_average_init(footprint_average *av, void *memory, size_t bytes,
                                              const footprint_config *config);
FOOTPRINT_API uint32_t footprint_average_open(footprint_average *av,
                                              const footprint_config *config);
FOOTPRINT_API void     footprint_average_close(footprint_average *av);
FOOTPRINT_API size_t   footprint_average_bytes(const footprint_config *config, uint32_t blocks);

FOOTPRINT_API void footprint_average_access(footprint_average *av, uint64_t block);
FOOTPRINT_API void footprint_average_access_many(footprint_average *av, const uint64_t *blocks,
                                                 size_t count);
FOOTPRINT_API void footprint_average_access_repeat(footprint_average *av, uint64_t count);
FOOTPRINT_API void footprint_average_reference(footprint_average *av, const void *address,
                                               size_t bytes);
/* It looks at the whole table, unlike footprint_burst. */
FOOTPRINT_API void footprint_average_burst(footprint_average *av);

FOOTPRINT_API void   footprint_average_get_stats(const footprint_average *av,
                                                 footprint_stats *out);
/* It writes to scratch memory of av, so take it on the thread that counts. */
FOOTPRINT_API int    footprint_average_snapshot(const footprint_average *av,
                                                footprint_profile *profile, void *memory,
                                                size_t bytes);
FOOTPRINT_API size_t footprint_average_snapshot_bytes(const footprint_average *av);

/* ---- functions: two threads (All-Window Profiling, section 2)  src/footprint/pair.h ---- */

/* You provide the storage. The fields are private; footprint_pair_get_stats
   reads them. */
typedef struct footprint_pair {
    uint64_t now, number;            /* accesses so far: of both, of thread 1 */
    uint64_t lost, end;
    uint64_t dropped_time;           /* end of the latest run that was dropped */
    struct footprint_p_pair_run  *runs;
    struct footprint_p_pair_mark *marks;
    struct footprint_p_pair_cell *cells, *scratch;
    uint32_t run_count, run_max, mark_count, mark_max, columns, flags;
    uint32_t is_joined, is_thinned;  /* is_joined: the latest access was thread 1's */
    double   c;
    size_t   table_bytes;
} footprint_pair;

/* Lays an empty footprint_pair out in memory[0..bytes). A config of NULL is
   all defaults. Returns how many runs of thread 1 fit before it is full, or 0
   if memory is too small. Then every access counts as lost. */
FOOTPRINT_API uint32_t footprint_pair_init(footprint_pair *pair, void *memory, size_t bytes,
                                           const footprint_config *config);
/* Returns the number of bytes that footprint_pair_init needs for so many runs
   of thread 1. */
FOOTPRINT_API size_t   footprint_pair_bytes(const footprint_config *config, uint32_t runs);
/* Says that `thread` (0 or 1) made the next `count` accesses. */
FOOTPRINT_API void     footprint_pair_run(footprint_pair *pair, int thread, uint64_t count);
FOOTPRINT_API void     footprint_pair_get_stats(const footprint_pair *pair, footprint_stats *out);
/* Returns an access number A: every window that starts at A or earlier and ends
   at the latest access is counted as holding footprint_bin_low(bin) accesses of
   thread 1 or more. Returns 0 if there is none. */
FOOTPRINT_API uint64_t footprint_pair_mark_time(const footprint_pair *pair, uint32_t bin);

/* Fills *profile, whose table goes to memory[0..bytes), and counting goes on.
   Where a profile counts blocks, this one counts accesses of thread 1.
   Returns 0, or -1 if bytes is less than footprint_pair_snapshot_bytes. */
FOOTPRINT_API int    footprint_pair_snapshot(const footprint_pair *pair,
                                             footprint_profile *profile, void *memory,
                                             size_t bytes);
FOOTPRINT_API size_t footprint_pair_snapshot_bytes(const footprint_pair *pair);

/* ---- functions: profiles and what they answer  src/footprint/profile.h ---- */

/* Makes an empty profile to which others can be added. With FOOTPRINT_BURSTS in
   flags it has room for the groups of samples. Without, a sum of samples has no
   intervals. Returns 0, or -1 if bytes is less than footprint_profile_bytes
   returns. */
FOOTPRINT_API int    footprint_profile_init(footprint_profile *profile, uint32_t rows,
                                            uint32_t columns, uint32_t flags, void *memory,
                                            size_t bytes);
FOOTPRINT_API size_t footprint_profile_bytes(uint32_t rows, uint32_t columns, uint32_t flags);
/* Adds all windows of another profile. No window of the sum spans both.
   Returns 0, or -1 if `into` has too few rows or columns, or holds profiles of
   another kind of counter or of blocks of another size. */
FOOTPRINT_API int footprint_add(footprint_profile *into, const footprint_profile *other);
/* Leaves in `later` the windows that ended after `earlier`, a snapshot of the
   same counter. Returns 0, or -1 if `earlier` is not earlier. */
FOOTPRINT_API int footprint_subtract(footprint_profile *later, const footprint_profile *earlier);

/* Return the bin of a value in the paper's 8-wide histogram; a bin's least and
   greatest value. */
FOOTPRINT_API uint32_t footprint_bin(uint64_t value);
FOOTPRINT_API uint64_t footprint_bin_low(uint32_t bin);
FOOTPRINT_API uint64_t footprint_bin_high(uint32_t bin);

/* Returns how many windows have a length in window_bin: all of them; those
   whose footprint is footprint_bin_low(bin) or more. */
FOOTPRINT_API uint64_t footprint_windows(const footprint_profile *p, uint32_t window_bin);
FOOTPRINT_API uint64_t footprint_at_least(const footprint_profile *p, uint32_t window_bin,
                                          uint32_t bin);
/* The curves of the paper's Figures 1 and 2. Returns the bin of the least
   footprint that `percent` (0 to 100) of the windows do not exceed, or
   UINT32_MAX if there are no windows. The true value lies in
   [footprint_bin_low(bin), footprint_bin_high(bin) / c]. */
FOOTPRINT_API uint32_t footprint_percentile(const footprint_profile *p, uint32_t window_bin,
                                            uint32_t percent);
/* Returns the share of accesses that miss in an LRU cache of so many blocks,
   from stack distances; exact at c = 1 and the high end of a bin. Returns -1
   for less than 2^sample_log2 blocks, where sampling cannot tell. Of bursts it
   is an estimate, and -1 where fewer than half of the bursts touch so many
   blocks: see "samples". */
FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks);
/* The 95 % interval of that, if the profile is a sample of bursts. Returns 0,
   or -1 if it is none, if the ratio is not known, or if there are too few
   bursts. */
FOOTPRINT_API int footprint_miss_interval(const footprint_profile *p, double blocks,
                                          double *low, double *high);

/* Returns the average footprint of all windows of `window` accesses (Xiang et
   al., PACT 2011). It is exact at the high ends of bins and interpolated in
   between. Of bursts it is an estimate, and -1 where fewer than half of the
   bursts are so long. */
FOOTPRINT_API double footprint_average_of(const footprint_profile *p, double window);
/* The 95 % interval of that, as footprint_miss_interval. */
FOOTPRINT_API int footprint_average_interval(const footprint_profile *p, double window,
                                             double *low, double *high);
/* Returns the window length, in accesses, at which the average footprint
   reaches `blocks`, or -1 if it never does (Xiang et al., ASPLOS 2013). */
FOOTPRINT_API double footprint_fill_time(const footprint_profile *p, double blocks);
/* Returns the share of accesses whose block was last used more than `window`
   accesses ago, or never before. Returns -1 if that is not known: of bursts, and
   of profiles that an older version wrote. */
FOOTPRINT_API double footprint_reuse_after(const footprint_profile *p, double window);
/* Returns the share of accesses that miss in an LRU cache of so many blocks,
   as averages estimate it: footprint_reuse_after of the window that fills the
   cache. It assumes that reuse is alike at all times, and never grows with the
   cache. Returns -1 where footprint_reuse_after does, and for less than
   2^sample_log2 blocks, where sampling cannot tell. */
FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks);

#ifndef FOOTPRINT_NO_FILES
/* Writes the profile as one part of a .brst file (docs/formats.md). `write`
   returns 0 to go on. Returns 0, or -1 if write returned anything else. */
FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user);
#endif

#ifdef __cplusplus
}
#endif
#endif /* FOOTPRINT_H */

#if defined(FOOTPRINT_IMPLEMENTATION) && !defined(FOOTPRINT_IMPLEMENTED)
#define FOOTPRINT_IMPLEMENTED

/* ---- what the compiler offers --------------- src/footprint/machine.c ---- */

#ifndef FOOTPRINT_ASSERT
#define FOOTPRINT_ASSERT(x) ((void)0)
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FOOTPRINT_NO_BUILTINS) && \
    !defined(FOOTPRINT_NO_SIMD)
#include <emmintrin.h>
#define FOOTPRINT_P_SIMD
/* Says whether there is BMI2, with a pdep that is not slow as on the first AMD
   Zens. */
static int footprint_p_is_fast(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam17h");
}
#else
static int footprint_p_is_fast(void) { return 0; }
#endif

/* Bit scans are for words that are not 0. */
#if defined(__GNUC__) && !defined(FOOTPRINT_NO_BUILTINS)
#define FOOTPRINT_P_LOG2(v)     (63u ^ (uint32_t)__builtin_clzll(v))
#define FOOTPRINT_P_LOWEST(v)   ((uint32_t)__builtin_ctzll(v))
#define FOOTPRINT_P_PREFETCH(p) __builtin_prefetch(p)
#define FOOTPRINT_P_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FOOTPRINT_P_APART       __attribute__((noinline))
#define FOOTPRINT_P_ALWAYS      inline __attribute__((always_inline))
#else
#define FOOTPRINT_P_LOG2(v)     footprint_p_log2(v)
#define FOOTPRINT_P_LOWEST(v)   footprint_p_log2((v) & (0 - (v)))
#define FOOTPRINT_P_PREFETCH(p) ((void)(p))
#define FOOTPRINT_P_UNLIKELY(x) (x)
#define FOOTPRINT_P_APART
#define FOOTPRINT_P_ALWAYS      inline
static uint32_t footprint_p_log2(uint64_t v) {
    uint32_t log = 0, step;
    for (step = 32; step; step /= 2) log += v >> (log + step) ? step : 0;
    return log;
}
#endif

#if (defined(__clang__) && __clang_major__ >= 10) || (defined(__GNUC__) && __GNUC__ >= 7)
#define FOOTPRINT_P_FALL __attribute__((fallthrough));
#else
#define FOOTPRINT_P_FALL
#endif

/* ---- bins -------------------------------------- src/footprint/bins.c ---- */

/* bin(v) = v below 16. From there every octave is cut into 8 bins: with k =
   floor(log2 v) - 3, v is in bin 8 k + (v >> k). 16 and 17 are in bin 16, 288
   to 319 in bin 49 (50 in the paper, which counts from one). The least value of
   a bin is its low end, the greatest its high end. Twice a low end is a low end
   again. */

FOOTPRINT_API uint32_t footprint_bin(uint64_t value) {
    uint32_t k;
    if (value < 16) return (uint32_t)value;
    k = FOOTPRINT_P_LOG2(value) - 3;
    return 8 * k + (uint32_t)(value >> k);
}

FOOTPRINT_API uint64_t footprint_bin_low(uint32_t bin) {
    if (bin < 16) return bin;
    if (bin > 495) return UINT64_MAX;
    return (uint64_t)(8 + (bin & 7)) << ((bin >> 3) - 1);
}

FOOTPRINT_API uint64_t footprint_bin_high(uint32_t bin) {
    return bin >= 495 ? UINT64_MAX : footprint_bin_low(bin + 1) - 1;
}

/* The same as numbers to count with. */
static double footprint_p_lowest(uint32_t bin) {
    const uint64_t low = footprint_bin_low(bin);
    return (double)low;
}
static double footprint_p_highest(uint32_t bin) {
    const uint64_t high = footprint_bin_high(bin);
    return (double)high;
}

/* Returns 1 + 2 + .. + k modulo 2^64, and 0 for k = -1. */
static uint64_t footprint_p_triangle(uint64_t k) {
    return ((k + 1) >> 1) * (k | 1);
}

/* ---- sums of 128 bits -------------------------- src/footprint/wide.c ---- */

/* They may pass below 0 in between. */
typedef struct footprint_p_wide {
    uint64_t low, high;
} footprint_p_wide;

static void footprint_p_wide_add(uint64_t *low, uint64_t *high,
                                 uint64_t add_low, uint64_t add_high) {
    *low += add_low;
    *high += add_high + (*low < add_low);
}

static void footprint_p_wide_less(uint64_t *low, uint64_t *high,
                                  uint64_t less_low, uint64_t less_high) {
    *high -= less_high + (*low < less_low);
    *low -= less_low;
}

/* b may be negative. */
static footprint_p_wide footprint_p_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t middle2 = a0 * b1 + (middle & UINT32_MAX);
    footprint_p_wide product;
    product.low = a * b;
    product.high = a1 * b1 + (middle >> 32) + (middle2 >> 32) - (b >> 63 ? a : 0);
    return product;
}

/* ---- counters that saturate -------------------------- src/saturate.c ---- */

static uint64_t footprint_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* ---- what all three counters share ----------- src/footprint/basics.c ---- */

enum {
    FOOTPRINT_P_FIRST = 8000,        /* blocks that an open makes room for */
    FOOTPRINT_P_AHEAD = 12           /* accesses from asking memory for a bucket to needing it */
};
#define FOOTPRINT_P_LARGE ((size_t)1 << 20)        /* bytes from which asking ahead pays */

static void footprint_p_zero(void *memory, size_t bytes) {
    unsigned char *p = (unsigned char *)memory;
    while (bytes--) *p++ = 0;
}

static void footprint_p_copy(void *to, const void *from, size_t bytes) {
    uint64_t *t = (uint64_t *)to;                  /* all that is copied are such words */
    const uint64_t *f = (const uint64_t *)from;
    for (; bytes; bytes -= sizeof *t) *t++ = *f++;
}

/* Takes room for `count` things from base + *at on, and returns where it
   begins. If base is NULL only *at moves on. */
static void *footprint_p_take(unsigned char *base, uint64_t *at, uint64_t count,
                              size_t size) {
    void *taken = base ? base + *at : NULL;
    *at += (count * size + 15) & ~UINT64_C(15);
    return taken;
}

static uint64_t footprint_p_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/* With sampling at 2^-k a block is left out unless the low k bits of another
   hash are 0. All bits of this hash are well mixed, so the blocks that remain
   do not cluster. */
static int footprint_p_left_out(uint32_t sample_log2, uint64_t block) {
    block = (block ^ block >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    block = (block ^ block >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    block ^= block >> 33;
    return (block & ((UINT64_C(1) << sample_log2) - 1)) != 0;
}

/* Copies a config and fills in its defaults. Returns how many accesses can be
   counted: until then no cell of a table overflows. */
static uint64_t footprint_p_settings(footprint_config *to, const footprint_config *from,
                                     uint32_t *columns) {
    uint64_t width, window_max, end;
    footprint_p_zero(to, sizeof *to);
    if (from) *to = *from;
    to->c = to->c > 0 ? (to->c > 1 ? 1 : to->c < .01 ? .01 : to->c) : .9;
    window_max = to->window_max ? to->window_max : UINT32_MAX;
    *columns = footprint_bin(window_max < 1023 ? 1023 : window_max) + 1;
    to->window_max = footprint_bin_high(*columns - 1);
    if (to->blocks_max == 0 || to->blocks_max > UINT32_C(1) << 30)
        to->blocks_max = UINT32_C(1) << 30;
    if (to->sample_log2 > 24) to->sample_log2 = 24;
    if (to->block_log2 == 0) to->block_log2 = 6;
    if (to->block_log2 > 63) to->block_log2 = 63;
    width = to->window_max - footprint_bin_low(*columns - 1) + 1;
    end = UINT64_MAX / width;
    return end < (UINT64_C(1) << 34) - 1 ? (UINT64_C(1) << 34) - 1 : end;
}

/* Returns the last block of address[0..bytes). What would lie behind the end of
   the address space is left out. */
static uint64_t footprint_p_last_block(const void *address, size_t bytes,
                                       uint32_t block_log2) {
    uintptr_t first = (uintptr_t)address, last = first + (bytes ? bytes - 1 : 0);
    if (last < first) last = UINTPTR_MAX;
    return (uint64_t)last >> block_log2;
}

/* An estimate of the number of blocks is never above that of accesses. */
static uint64_t footprint_p_blocks(uint64_t estimate, uint64_t accesses) {
    return estimate < accesses ? estimate : accesses;
}

/* Returns the size of a table that is full at three quarters with so many
   blocks. */
static uint32_t footprint_p_slots(const footprint_config *config, uint64_t blocks) {
    if (blocks > config->blocks_max) blocks = config->blocks_max;
    if (blocks < 60) blocks = 60;
    return (uint32_t)(blocks + (blocks + 2) / 3 + 4);
}

/* ---- averages, from gaps ----------------------- src/footprint/gaps.c ---- */

/* A block is missing from exactly those windows that fit strictly between two
   of its accesses. Take every block as accessed at times 0 and n + 1 as well.
   Then

       0 . . . . b . . . b . . . n+1        gaps of b: from 0, between its uses, up to n + 1
         windows without b

   a gap from t to t' holds max(0, t' - t - w) windows of length w. So

       sum of footprints of the windows of length w = blocks (n - w + 1) - sum of max(0, y - 1 - w)

   over all gaps, with y = t' - t + 1 (Xiang et al., PACT 2011). The first term
   is a gap as well, of y = n + 2 and weight -blocks. So all that a run is, and
   all that many bursts are, adds up in one table: for each bin of y the number
   of gaps and the sum of y, which makes this exact for w at the high end of a
   bin. The last cell, `columns`, takes all gaps that are longer than a window.

   Two tables are kept: `gap` has the reuses alone, whose numbers tell what
   misses, and bursts.open has all others. A third one, bursts.length, has
   n + 2 of each burst, which tells how many windows there are.

   When blocks are sampled anew, at access `start`, all gaps are closed as at the
   end of a run, with the weight that a block had. Then the blocks that are kept
   get the same gaps again, with the new weight and a minus, and a first gap
   that would reach back before start is taken off likewise.

   Cost: two additions to a cell for each gap. */
typedef struct footprint_p_gap {
    uint64_t count, low, high;
} footprint_p_gap;

/* Adds `count` gaps of y; count may be negative. */
static void footprint_p_gap_sum(footprint_p_gap *gaps, uint32_t columns, uint64_t y,
                                uint64_t count) {
    uint32_t bin = footprint_bin(y);
    footprint_p_gap *gap = &gaps[bin < columns ? bin : columns];
    footprint_p_wide sum = footprint_p_product(y, count);
    gap->count += count;
    footprint_p_wide_add(&gap->low, &gap->high, sum.low, sum.high);
}

/* The same for one block that is followed, with one branch less. */
static FOOTPRINT_P_ALWAYS void footprint_p_gap_far(footprint_p_gap *gap, uint64_t columns,
                                                   uint64_t y, uint32_t sample_log2) {
    uint32_t k = FOOTPRINT_P_LOG2(y | 8) - 3;
    uint64_t bin = 8 * (uint64_t)k + (y >> k);
    gap += bin < columns ? bin : columns;
    gap->count += UINT64_C(1) << sample_log2;
    footprint_p_wide_add(&gap->low, &gap->high, y << sample_log2, 0);
}

/* The gap before the first access, at `now`, of a block that is followed. Times
   are those in the burst. */
static void footprint_p_first_gap(footprint_p_gap *open, uint32_t columns, uint64_t now,
                                  uint64_t start, uint32_t sample_log2) {
    footprint_p_gap_far(open, columns, now + 1, sample_log2);
    if (start) footprint_p_gap_sum(open, columns, start + 2, 0 - (UINT64_C(1) << sample_log2));
}

/* The first term of the formula, at access n of a burst: `followed` blocks were
   followed since start. */
static void footprint_p_followed_gap(footprint_p_gap *open, uint32_t columns, uint64_t n,
                                     uint64_t start, uint64_t followed) {
    footprint_p_gap_sum(open, columns, n + 2, 0 - followed);
    if (start) footprint_p_gap_sum(open, columns, start + 2, followed);
}

/* Adds the formula above to total, or takes it off: the gaps of two tables, and
   windows of bursts. */
static void footprint_p_sum_gaps(const footprint_p_gap *gap, const footprint_p_gap *open,
                                 const footprint_p_gap *length, uint32_t columns, int is_less,
                                 footprint_total *total) {
    uint64_t count = 0, low = 0, high = 0, bursts = 0, lengths = 0;
    uint32_t b;
    for (b = columns; b-- > 1; ) {
        uint64_t w = footprint_bin_high(b);
        footprint_p_wide sum;
        count += gap[b + 1].count + open[b + 1].count;     /* gaps of more than w, and their sum */
        footprint_p_wide_add(&low, &high, gap[b + 1].low, gap[b + 1].high);
        footprint_p_wide_add(&low, &high, open[b + 1].low, open[b + 1].high);
        bursts += length[b + 1].count;
        lengths += length[b + 1].low;
        if (bursts == 0) continue;
        sum = footprint_p_product(w + 1, count);
        footprint_p_wide_less(&sum.low, &sum.high, low, high);
        if (is_less) {
            total[b].windows -= lengths - (w + 1) * bursts;
            footprint_p_wide_less(&total[b].low, &total[b].high, sum.low, sum.high);
        } else {
            total[b].windows += lengths - (w + 1) * bursts;
            footprint_p_wide_add(&total[b].low, &total[b].high, sum.low, sum.high);
        }
    }
}

/* Bounds an estimate: a window of w accesses touches 1 to w blocks, and no more
   than all. */
static void footprint_p_bound_total(footprint_total *total, uint64_t w, uint64_t blocks) {
    footprint_p_wide most = footprint_p_product(w < blocks ? w : blocks, total->windows);
    uint64_t low = total->low, high = total->high;
    if (high >> 63 || (high == 0 && low < total->windows)) {
        total->low = total->windows;
        total->high = 0;
    } else if (high > most.high || (high == most.high && low > most.low)) {
        total->low = most.low;
        total->high = most.high;
    }
}

/* ---- bursts ---------------------------------- src/footprint/bursts.c ---- */

/* A sample is many bursts, and each of them is a run of its own: its gaps, and
   the stretches of its rows, end with it. Tables add up over bursts, so that
   nothing is read out at the end of one.

   How far a sample can be trusted is what its bursts differ by. Bursts that
   follow each other make up a turn, and turns go to FOOTPRINT_GROUPS groups one
   after the other. What a group has counted is what all had counted when its
   turns ended, less what they had when its turns began: a change of groups adds
   to one and takes off from the next. Between changes there are
   FOOTPRINT_P_TURN accesses, or a 16th of all until then, for a change takes
   30 000 to 90 000 instructions: 4 to 11 for each access. A group whose turns
   are as long as the program's phases differs by phases that all groups
   together have seen in their right part: the interval is then up to five times
   too wide. */
#define FOOTPRINT_P_TURN 8192

/* Lays the groups out, if bursts are announced. Returns where they end. */
static uint64_t footprint_p_layout_bursts(footprint_bursts *bursts, unsigned char *base,
                                          uint64_t at, uint32_t flags, uint32_t rows,
                                          uint32_t columns) {
    uint64_t groups = flags & FOOTPRINT_BURSTS ? FOOTPRINT_GROUPS : 0;
    bursts->rows = rows;
    bursts->open = (footprint_p_gap *)footprint_p_take(base, &at, columns + UINT64_C(1),
                                                       sizeof *bursts->open);
    bursts->length = (footprint_p_gap *)footprint_p_take(base, &at, columns + UINT64_C(1),
                                                         sizeof *bursts->length);
    bursts->total = NULL;
    bursts->depth = bursts->cut = NULL;
    if (groups == 0) return at;
    bursts->total = (footprint_total *)footprint_p_take(base, &at, groups * columns,
                                                        sizeof *bursts->total);
    bursts->depth = (uint64_t *)footprint_p_take(base, &at, groups * rows, sizeof *bursts->depth);
    bursts->cut = (uint64_t *)footprint_p_take(base, &at, groups * rows, sizeof *bursts->cut);
    return at;
}

/* The first accesses of a burst: one at each stack distance from 1 to `count`,
   which is the least that it may have. */
static void footprint_p_cut(uint64_t *cut, uint32_t rows, uint64_t count) {
    uint32_t row;
    for (row = 1; row < rows && footprint_bin_low(row) <= count; row++) {
        uint64_t high = row + 1 < rows ? footprint_bin_high(row) : count;
        cut[row] += (high < count ? high : count) - footprint_bin_low(row) + 1;
    }
}

/* A burst of n accesses has ended; `first` are all first accesses by now.
   Returns whether the next one belongs to another group. */
static int footprint_p_end_burst(footprint_bursts *bursts, uint32_t columns, uint64_t n,
                                 uint64_t first) {
    uint64_t since;
    footprint_p_gap_sum(bursts->length, columns, n + 2, 1);
    if (bursts->cut)
        footprint_p_cut(bursts->cut + bursts->group * (size_t)bursts->rows, bursts->rows,
                        first - bursts->first);
    bursts->origin += n;
    bursts->first = first;
    bursts->count++;
    if (n > bursts->longest) bursts->longest = n;
    since = bursts->origin - bursts->turned;
    return bursts->total && (since >= FOOTPRINT_P_TURN || since >= bursts->origin / 16);
}

static footprint_total *footprint_p_group_total(const footprint_bursts *bursts,
                                                uint32_t columns) {
    return bursts->total + bursts->group * (size_t)columns;
}

/* Copies the groups into a profile, which has as many columns and may have
   fewer rows. What is not in a group yet is not there. */
static void footprint_p_copy_groups(const footprint_bursts *bursts, footprint_profile *p) {
    uint32_t group, row;
    if (!p->groups) return;
    footprint_p_copy(p->group_total, bursts->total,
                     FOOTPRINT_GROUPS * (size_t)p->columns * sizeof *p->group_total);
    for (group = 0; group < FOOTPRINT_GROUPS; group++) {
        for (row = 0; row < bursts->rows; row++) {
            size_t to = group * (size_t)p->rows + (row < p->rows ? row : p->rows - 1);
            size_t from = group * (size_t)bursts->rows + row;
            p->group_depth[to] += bursts->depth[from];
            p->group_cut[to] += bursts->cut[from];
        }
    }
}

/* ---- memory layout --------------------------- src/footprint/memory.c ---- */

enum {
    FOOTPRINT_P_T = 32,              /* recent blocks; the low end of a bin */
    FOOTPRINT_P_GROUP = 4,           /* G: marks that share a slack */
    FOOTPRINT_P_YOUNG = 512,         /* ages below it are counted one by one */
    FOOTPRINT_P_MARK_YOUNG = 1024,   /* the same for the marks of low ends below it */
    FOOTPRINT_P_RING = 128           /* misses until `recent` is copied to the ring's end */
};
#define FOOTPRINT_P_FOLD UINT64_C(0x80000000)      /* accesses until 32-bit counters are emptied */

typedef struct footprint_p_mark {
    uint64_t since, low, high, from, moved;        /* but for since: see "marks without slack" */
    uint64_t born;
    uint32_t row, cell;              /* indices of cells; cell: the bin low .. high */
} footprint_p_mark;
/* sum and square apart: side by side, gcc adds to both at once, which takes
   four instructions more. */
typedef struct footprint_p_moment { uint64_t sum, count, square; } footprint_p_moment;

/* F of mark j: the low end of a bin. */
static uint64_t footprint_p_low(uint32_t j) {
    return footprint_bin_low(footprint_bin(FOOTPRINT_P_T) + 1 + j);
}

/* Its slack: see "marks". */
static uint64_t footprint_p_slack(const footprint *fp, uint32_t j) {
    uint64_t less = footprint_p_low(j) - 1;
    return fp->config.c >= 1 ? 0 : (uint64_t)((double)less / fp->config.c + 1e-9) - less;
}

/* Lays the blocks out from base on. If base is NULL it only returns how many
   bytes they take. */
#define FOOTPRINT_P_TAKE(field, type, count) \
    fp->field = (type *)footprint_p_take(base, &at, (count), sizeof(type))
static uint64_t footprint_p_layout_blocks(footprint *fp, unsigned char *base, uint32_t slots) {
    uint64_t at = 0;
    fp->slots = slots;
    fp->cap = slots - slots / 4;
    fp->buckets = slots + slots / 4;
    FOOTPRINT_P_TAKE(slot, footprint_entry, slots + UINT64_C(1));  /* one in reserve: thinning */
    FOOTPRINT_P_TAKE(index, uint32_t, fp->buckets);
    FOOTPRINT_P_TAKE(live, uint64_t, slots / 64 + 2);
    FOOTPRINT_P_TAKE(after, uint32_t, fp->is_linked ? slots + UINT64_C(2) : 0);
    fp->blocks_bytes = (size_t)at;
    return at;
}

/* The same for the tables. Their size depends on the most slots there can ever
   be. */
static uint64_t footprint_p_layout_tables(footprint *fp, unsigned char *base, uint32_t slots) {
    const uint32_t T = FOOTPRINT_P_T, low = footprint_bin(T), columns = fp->columns;
    uint32_t marks, young;
    uint64_t at = 0, rows, cells;
    int forget = (fp->flags & FOOTPRINT_FORGET) != 0;
    marks = footprint_bin(forget ? (uint64_t)slots - slots / 4 + T - 1 : (uint64_t)slots + T) - low;
    if (marks > columns - 1 - low) marks = columns - 1 - low;   /* no window has so many blocks */
    young = footprint_bin(FOOTPRINT_P_MARK_YOUNG) - 1 - low;
    if (young > marks) young = marks;
    rows = low + marks + 1 + 8 * fp->config.sample_log2 + (forget ? 0u : 64u);  /* to 2^-8 */
    cells = low + 1 + (uint64_t)marks * (columns - low - 1);
    cells -= (uint64_t)marks * (marks ? marks - 1 : 0) / 2;
    fp->mark_max = marks;
    fp->mark_young = young;
    fp->rows = (uint32_t)rows;
    fp->cell_count = (size_t)cells;
    FOOTPRINT_P_TAKE(gap, footprint_p_gap, columns + 1);
    FOOTPRINT_P_TAKE(scratch, footprint_p_moment, columns + 1);
    FOOTPRINT_P_TAKE(ring, footprint_entry, FOOTPRINT_P_RING + T + 4);
    FOOTPRINT_P_TAKE(shifted, uint32_t, T * FOOTPRINT_P_YOUNG);
    FOOTPRINT_P_TAKE(reused, uint32_t, T * FOOTPRINT_P_YOUNG);
    FOOTPRINT_P_TAKE(events, footprint_p_moment, (T + 2) * (uint64_t)columns);
    FOOTPRINT_P_TAKE(born, uint64_t, T + 1);
    FOOTPRINT_P_TAKE(depth, uint64_t, rows);
    at = footprint_p_layout_bursts(&fp->bursts, base, at, fp->flags, fp->rows, columns);
    FOOTPRINT_P_TAKE(before, uint64_t, forget ? 0u : rows * columns);
    FOOTPRINT_P_TAKE(place, uint32_t, marks + 16);
    FOOTPRINT_P_TAKE(cut, uint32_t, marks + 16);
    FOOTPRINT_P_TAKE(lead, uint32_t, marks / FOOTPRINT_P_GROUP + 33);
    FOOTPRINT_P_TAKE(pending, uint32_t, marks / FOOTPRINT_P_GROUP + 33);
    FOOTPRINT_P_TAKE(slack, uint32_t, marks / FOOTPRINT_P_GROUP + 33);
    FOOTPRINT_P_TAKE(mark, footprint_p_mark, marks);
    FOOTPRINT_P_TAKE(young, int32_t, (uint64_t)young * FOOTPRINT_P_MARK_YOUNG);
    FOOTPRINT_P_TAKE(cells, footprint_p_moment, cells);
    fp->table_bytes = (size_t)at;
    return at;
}

static uint64_t footprint_p_measure(footprint *fp, uint32_t slots) {
    return footprint_p_layout_tables(fp, NULL, slots) + footprint_p_layout_blocks(fp, NULL, slots);
}

static uint32_t footprint_p_start(footprint *fp, void *tables, uint32_t most, void *blocks,
                                  uint32_t slots) {
    footprint_p_layout_tables(fp, (unsigned char *)tables, most);
    footprint_p_layout_blocks(fp, (unsigned char *)blocks, slots);
    footprint_p_zero(tables, fp->table_bytes);
    footprint_p_zero(blocks, fp->blocks_bytes);
    fp->top = fp->ring + FOOTPRINT_P_RING;
    if (fp->is_linked) fp->after[fp->bottom] = fp->next;
    return fp->cap;
}

static void footprint_p_configure(footprint *fp, const footprint_config *config) {
    footprint_p_zero(fp, sizeof *fp);
    fp->end = footprint_p_settings(&fp->config, config, &fp->columns);
    fp->flags = fp->config.flags & (FOOTPRINT_FORGET | FOOTPRINT_BURSTS);
    fp->sample_log2 = fp->config.sample_log2;
    fp->depth_first = footprint_bin((uint64_t)FOOTPRINT_P_T << fp->sample_log2);
    fp->next = 2;
    fp->bottom = 1;
    fp->is_followed = 1;
    fp->is_linked = footprint_p_slack(fp, 0) == 0;
    fp->is_fast = (uint32_t)footprint_p_is_fast();
    fp->folded = FOOTPRINT_P_FOLD < fp->end ? FOOTPRINT_P_FOLD : fp->end;
}

FOOTPRINT_API size_t footprint_bytes(const footprint_config *config, uint32_t blocks) {
    footprint fp;
    uint64_t bytes;
    footprint_p_configure(&fp, config);
    bytes = footprint_p_measure(&fp, footprint_p_slots(&fp.config, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config) {
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, room;
    unsigned char *base = (unsigned char *)memory + skip;
    uint32_t slots = 64, step, most;
    footprint_p_configure(fp, config);
    fp->config.alloc = NULL;
    most = footprint_p_slots(&fp->config, UINT64_MAX);
    room = memory != NULL && bytes > skip ? bytes - skip : 0;
    if (footprint_p_measure(fp, slots) > room) {
        footprint_p_zero(fp, sizeof *fp);
        return 0;
    }
    for (step = UINT32_C(1) << 30; step; step /= 2) {
        if (step <= most - slots && footprint_p_measure(fp, slots + step) <= room) slots += step;
    }
    footprint_p_measure(fp, slots);
    return footprint_p_start(fp, base, slots, base + fp->table_bytes, slots);
}

FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config) {
    uint32_t most, slots;
    footprint_p_configure(fp, config);
    most = footprint_p_slots(&fp->config, UINT64_MAX);
    slots = footprint_p_slots(&fp->config, FOOTPRINT_P_FIRST);
    footprint_p_layout_tables(fp, NULL, most);
    footprint_p_layout_blocks(fp, NULL, slots);
    if (fp->config.alloc) {
        fp->tables = fp->config.alloc(fp->config.user, fp->table_bytes);
        fp->blocks = fp->config.alloc(fp->config.user, fp->blocks_bytes);
    }
    if (fp->tables && fp->blocks)
        return footprint_p_start(fp, fp->tables, most, fp->blocks, slots);
    footprint_close(fp);
    return 0;
}

FOOTPRINT_API void footprint_close(footprint *fp) {
    if (fp->tables && fp->config.release) fp->config.release(fp->config.user, fp->tables);
    if (fp->blocks && fp->config.release) fp->config.release(fp->config.user, fp->blocks);
    footprint_p_zero(fp, sizeof *fp);
}

static void footprint_p_grow(footprint *fp, uint64_t slots) {
    footprint old = *fp;
    uint64_t most = footprint_p_slots(&fp->config, UINT64_MAX);
    if (slots > most) slots = most;
    if (slots <= fp->slots || !fp->config.alloc || fp->flags & FOOTPRINT_FULL) return;
    footprint_p_layout_blocks(fp, NULL, (uint32_t)slots);
    fp->blocks = fp->config.alloc(fp->config.user, fp->blocks_bytes);
    if (!fp->blocks) {
        *fp = old;
        return;
    }
    footprint_p_layout_blocks(fp, (unsigned char *)fp->blocks, (uint32_t)slots);
    footprint_p_copy(fp->slot, old.slot, old.next * sizeof *fp->slot);
    footprint_p_zero(fp->live, (fp->slots / 64 + 2) * sizeof *fp->live);
    footprint_p_copy(fp->live, old.live, (old.slots / 64 + 2) * sizeof *fp->live);
    if (fp->config.release) fp->config.release(fp->config.user, old.blocks);
}

/* ---- marks ------------------------------------ src/footprint/marks.c ---- */

/* The paper (section 3) walks O(log) ranges at every access. Here the low end F
   of each bin of footprints has one mark instead, a time tau_F:
       accesses   1 . . . . . . . . . . . . . . . . . . now
                        |       |    |    | | ||||||||||      windows that start at or before tau_F
                      tau_64  tau_56 tau_48 ...   tau_1 = now     count as touching F blocks or more
   Let X_F be the time of the last access to the F-th most recently used block.
   A window touches F blocks or more exactly when it starts at or before X_F. A
   mark may lag behind X_F. Call an access pending if it came after the mark was
   last moved and its block had not been used after tau_F. Each pending access
   has added one to the F - 1 blocks that are used after tau_F. With
       K(F) = floor((F - 1) / c)      slack(F) = K(F) - (F - 1)      pending <= slack(F)
   a window that is not counted as >= F holds at most K(F) <= (F - 1) / c
   blocks. One that is counted holds at least F. So every reported footprint is
   within [c, 1] of the truth.

       recent: T blocks, exact                slot: all older blocks, later used = higher slot
       top[0] top[1] ... top[T-1]  ------->   next   . . # # . # . # # # . . # # . #  2
         b      a          z  leaves                     ^place[0] ^place[1]  ^place[2] ...
                                              # is live (its bit is set), . has gone back to recent
   An access to a block found in recent at depth q moves it to the front. Any
   other block comes from slot p (p = 1: it is new). Its bit is cleared, z gets
   the next free slot, and each mark with place >= p has one more pending. G
   neighbouring marks form a group with the slack of its smallest F, whose mark
   always has the most pending. When that exceeds the slack, each mark of the
   group moves up over as many live slots as it has pending. It may overtake the
   last mark of the group below, which then moves as well. A miss moves about 4
   marks at c = 0.9, and each mark above p (O(log blocks)) at c = 1.

   Invariants between two accesses (for marks that wait for footprint_p_settle:
   after it).
     If nothing is pending, F - 1 - T live slots lie strictly after place[j].
     place[j] falls as j grows, over all groups. lead[g] is that of the first mark of group g.
     index finds each live slot by its block. An entry is stale if its slot holds another block or
     is not live: its block is recent, and the entry goes when that gets a new slot, or its time
     is one before the burst. What is forgotten has no entry.

   While a mark rests, its age (now - tau_F + 1), the shortest window counted as
   >= F, grows by one at each access. A rest is a stretch of ages, and row F of
   the table keeps where they start (+1) and end (-1). "reading rows out" turns
   them into windows. Rows F <= T need no marks: when a block moves from top[q]
   to top[q + 1] at age y, a stretch of row q + 1 ends and one of row q + 2
   starts (shifted[q][y]); when it is used again, a stretch of row q + 1 ends
   (reused[q][y]). */

/* Byte b of the result says how many of the lowest 8 (b + 1) bits of v are
   set. */
static uint64_t footprint_p_ones(uint64_t v) {
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return v * UINT64_C(0x0101010101010101);
}

/* Returns the step-th live slot after place. BMI2 saves 9 of 115 instructions
   an access. */
static FOOTPRINT_P_APART uint32_t footprint_p_select(const footprint *fp, uint32_t place,
                                                     uint32_t step) {
    const uint64_t *live = fp->live + (place >> 6), high = UINT64_C(0x8080808080808080);
    uint64_t bits = *live & (~UINT64_C(1) << (place & 63)), ones, reached;
    while ((ones = footprint_p_ones(bits)) >> 56 < step) {
        step -= (uint32_t)(ones >> 56);
        bits = *++live;
    }
    reached = ((ones | high) - step * UINT64_C(0x0101010101010101)) & high;
    place = FOOTPRINT_P_LOWEST(reached) & 56;              /* bytes below have fewer than step */
    step -= (uint32_t)(ones << 8 >> place & 127);
    for (bits = bits >> place << place; --step; ) bits &= bits - 1;
    return (uint32_t)(live - fp->live) << 6 | FOOTPRINT_P_LOWEST(bits);
}

#ifdef FOOTPRINT_P_SIMD
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_select_fast(const footprint *fp, uint32_t place,
                                                           uint32_t step) {
    for (place++;; place += 64 - (place & 7)) {
        uint64_t bits, bit = UINT64_C(1) << ((step - 1) & 63), found;
        __builtin_memcpy(&bits, (const unsigned char *)fp->live + (place >> 3), 8);
        bits >>= place & 7;
        __asm__("pdep %1, %2, %0" : "=r"(bit) : "r"(bits), "r"(bit));
        __asm__("tzcnt %1, %0" : "=r"(found) : "r"(bit) : "cc");
        if (step <= 64 && found < 64) return place + (uint32_t)found;
        __asm__("popcnt %1, %0" : "=r"(found) : "r"(bits) : "cc");
        step -= (uint32_t)found;
    }
}
#else
#define footprint_p_select_fast footprint_p_select
#endif

/* A mark that counts nothing from now on. */
static void footprint_p_close_mark(footprint *fp, uint32_t j) {
    fp->place[j] = fp->cut[j] = 0;
    if (j % FOOTPRINT_P_GROUP == 0)
        fp->lead[j / FOOTPRINT_P_GROUP] = fp->pending[j / FOOTPRINT_P_GROUP] = 0;
}

/* Counters of ages run backwards, so that a time is an index. Age 0 would be
   counters[age_0]. */
#define FOOTPRINT_P_TIME_0(counters, age_0, next) \
    ((uintptr_t)(counters) + 4 * ((uintptr_t)(age_0) - (uintptr_t)(next)))
#define FOOTPRINT_P_AT(q, y)     ((q) * FOOTPRINT_P_YOUNG + (FOOTPRINT_P_YOUNG - (uint32_t)(y)))
#define FOOTPRINT_P_REUSED(q, y) ((q) * FOOTPRINT_P_YOUNG + (uint32_t)(y))

/* Adds `count` events at age y to the moments of y's bin, see "reading rows
   out". */
static inline void footprint_p_event_at(footprint_p_moment *moments, uint32_t columns, uint64_t y,
                                    uint64_t count) {
    uint32_t k = y < 16 ? 0 : FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    uint64_t room = (y | ((UINT64_C(1) << k) - 1)) - y + 1;
    footprint_p_moment *moment = moments + bin;
    if (FOOTPRINT_P_UNLIKELY(bin >= columns)) return;
    moment->count += count;
    moment->sum += room * count;
    moment->square += (room * (room + 1) >> 1) * count;
}

/* A run of a mark ended before age y, the next starts at age `start`. Neither
   is young, and mostly both are in one bin. */
static FOOTPRINT_P_ALWAYS void footprint_p_put_old(footprint *fp, const footprint_p_mark *mark,
                                                   uint64_t y, uint64_t start) {
    uint32_t k = FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    uint64_t room = (y | ((UINT64_C(1) << k) - 1)) - y + 1, less = y - start;
    footprint_p_moment *row = fp->cells + mark->row;
    if ((y ^ start) >> k == 0 && bin < fp->columns) {
        row[bin].sum += less;
        row[bin].square += less * (2 * room + less + 1) >> 1;
        return;
    }
    footprint_p_event_at(row, fp->columns, start, 1);
    footprint_p_event_at(row, fp->columns, y, UINT64_MAX);
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_next_live(const uint64_t *live, uint32_t place) {
    uint32_t word = ++place >> 6;
    uint64_t bits = live[word] >> (place & 63);
    if (!FOOTPRINT_P_UNLIKELY(bits == 0)) return place + FOOTPRINT_P_LOWEST(bits);
    do bits = live[++word]; while (bits == 0);
    return word << 6 | FOOTPRINT_P_LOWEST(bits);
}

/* ---- marks without slack ----

   They need no counting: each moves to the next live slot at nearly every miss,
   so its ages change slowly, and the moves whose ages are all in the bin low ..
   high wait. A move from time b to time a at an access whose next one is n adds
   a - b to that bin's sum, and to its square
       triangle(high + 1 - n + a) - triangle(high + 1 - n + b)
           = triangle(high + 1 + a) - triangle(high + 1 + b) - n (a - b)
   Over many moves all but the last term is left of the first and the last time.
   So `moved` adds up n (a - b), and `from` is the time before the first of
   these moves. high is 0 if there is no such bin. `to` is the time after the
   last of the moves that are added up. */
static void footprint_p_settle_mark(footprint *fp, footprint_p_mark *mark, uint64_t to) {
    footprint_p_moment *moment = fp->cells + mark->cell;
    if (mark->high == 0) return;
    moment->sum += to - mark->from;
    moment->square += footprint_p_triangle(mark->high + 1 + to) -
                      footprint_p_triangle(mark->high + 1 + mark->from) - mark->moved;
    mark->from = to;
    mark->moved = 0;
}

static void footprint_p_settle(footprint *fp) {
    uint32_t j;
    for (j = 0; j < fp->marks; j++)
        footprint_p_settle_mark(fp, fp->mark + j, fp->mark[j].since);
}

/* A move from an age that is not young to one that is. */
static FOOTPRINT_P_APART void footprint_p_leave_old(footprint *fp, footprint_p_mark *mark,
                                                    uint64_t before, uint64_t next) {
    footprint_p_settle_mark(fp, mark, before);
    footprint_p_event_at(fp->cells + mark->row, fp->columns, next - before, UINT64_MAX);
    mark->high = 0;
}

/* The ages of a move from time `before` are not both in the mark's bin. */
static FOOTPRINT_P_APART void footprint_p_put_elsewhere(footprint *fp, footprint_p_mark *mark,
                                                        uint64_t before, uint64_t next) {
    uint64_t y = next - before, start = next - mark->since;
    uint32_t bin = footprint_bin(y);
    footprint_p_settle_mark(fp, mark, before);
    if (start >= footprint_bin_low(bin) && bin < fp->columns) {
        mark->low = footprint_bin_low(bin);
        mark->high = footprint_bin_high(bin);
        mark->cell = mark->row + bin;
        mark->from = before;
        mark->moved = (y - start) * next;
    } else {
        footprint_p_put_old(fp, mark, y, start);
        mark->high = 0;
    }
}

/* Moves the marks at slot p and above to the next live slot. Returns how many
   did. Those whose ages are young come first. Place 0 behind the last mark ends
   the walk. */
static FOOTPRINT_P_APART uint32_t footprint_p_count_exact(footprint *fp, uint32_t p) {
    uint32_t *at = fp->place, *end = at + fp->exact, behind = *end, place;
    const uint32_t *after = fp->after;
    const footprint_entry *slot = fp->slot;
    uint64_t next = fp->now + 1, since, before;
    uint64_t old = next > FOOTPRINT_P_MARK_YOUNG ? next - FOOTPRINT_P_MARK_YOUNG : 0;
    uintptr_t counters = FOOTPRINT_P_TIME_0(fp->young, FOOTPRINT_P_MARK_YOUNG, next);
    footprint_p_mark *mark = fp->mark;
    *end = 0;
    for (; (place = *at) >= p; at++, mark++, counters += 4 * FOOTPRINT_P_MARK_YOUNG) {
        *at = place = after[place];
        before = mark->since;
        mark->since = since = slot[place].time;
        if (FOOTPRINT_P_UNLIKELY(before <= old)) {
            if (since <= old) goto is_old;
            footprint_p_leave_old(fp, mark, before, next);
        } else --*(int32_t *)(counters + (uintptr_t)before * 4);
        ++*(int32_t *)(counters + (uintptr_t)since * 4);
    }
    for (; (place = *at) >= p; at++, mark++) {
        *at = place = after[place];
        before = mark->since;
        mark->since = since = slot[place].time;
is_old:
        if (next - since >= mark->low && next - before <= mark->high)
            mark->moved += (since - before) * next;
        else footprint_p_put_elsewhere(fp, mark, before, next);
    }
    *end = behind;
    return (uint32_t)(at - fp->place);
}

/* Counts reuses at stack distances of a bin. The last row is open. */
static void footprint_p_depth(footprint *fp, uint32_t bin, uint64_t count) {
    fp->depth[bin < fp->rows ? bin : fp->rows - 1] += count << fp->sample_log2;
}

/* ---- marks with slack ----

   Each group counts what its first mark has pending: pending[g], by lead[g],
   which is that mark's place. A miss that came from between the marks of a
   group counts for the first m of them alone: cut[] of mark m goes up by one.
   So mark i of a group has pending[g] - cut[1] - .. - cut[i]. cut[] of a first
   mark means nothing. */

/* Moves the marks of group g, and those of lower groups that they overtake.
   Marks of low ends that are not young have no counters and need none: a window
   of F blocks has F accesses or more. */
static FOOTPRINT_P_ALWAYS void footprint_p_flush_by(footprint *fp, uint32_t g, int is_fast) {
    const footprint_entry *slot = fp->slot;
    uint64_t next = fp->now + 1, since, before;
    uint64_t old = next > FOOTPRINT_P_MARK_YOUNG ? next - FOOTPRINT_P_MARK_YOUNG : 0;
    for (;; g--) {
        uint32_t first = g * FOOTPRINT_P_GROUP, left = fp->marks - first, step = fp->pending[g];
        uint32_t *at = fp->place + first, *cut = fp->cut + first;
        footprint_p_mark *mark = fp->mark + first;
        size_t age_0 = (first + (size_t)1) * FOOTPRINT_P_MARK_YOUNG;
        uintptr_t counters = FOOTPRINT_P_TIME_0(fp->young, age_0, next);
        if (left > FOOTPRINT_P_GROUP) left = FOOTPRINT_P_GROUP;
        fp->pending[g] = 0;
        for (;; counters += 4 * FOOTPRINT_P_MARK_YOUNG, mark++) {
            *at = is_fast ? footprint_p_select_fast(fp, *at, step)
                          : footprint_p_select(fp, *at, step);
            before = mark->since;
            mark->since = since = slot[*at].time;
            if (since <= old) footprint_p_put_old(fp, mark, next - before, next - since);
            else {
                ++*(int32_t *)(counters + (uintptr_t)since * 4);
                if (before > old) --*(int32_t *)(counters + (uintptr_t)before * 4);
                else footprint_p_event_at(fp->cells + mark->row, fp->columns, next - before,
                                          UINT64_MAX);
            }
            if (--left == 0 || (step -= *++cut) == 0) break;
            at++;
        }
        for (cut = fp->cut + first, left = 1; left < FOOTPRINT_P_GROUP; left++) cut[left] = 0;
        fp->lead[g] = fp->place[first];
        if (g == 0 || fp->place[first - 1] > fp->lead[g] || fp->pending[g - 1] == 0) return;
    }
}

static FOOTPRINT_P_APART void footprint_p_flush(footprint *fp, uint32_t g) {
    if (fp->is_fast) footprint_p_flush_by(fp, g, 1);
    else footprint_p_flush_by(fp, g, 0);
}

/* 16 groups from g on: those with lead >= p have one more pending. Returns how
   many have. `over` gets a bit for each whose pending is more than its slack. */
#ifdef FOOTPRINT_P_SIMD
#define FOOTPRINT_P_PACK(x) (uint32_t)_mm_movemask_epi8( \
    _mm_packs_epi16(_mm_packs_epi32(x[0], x[1]), _mm_packs_epi32(x[2], x[3])))
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_count_16(footprint *fp, uint32_t g, uint32_t p,
                                                        uint32_t *over) {
    const __m128i *lead = (const __m128i *)(const void *)(fp->lead + g);
    const __m128i *slack = (const __m128i *)(const void *)(fp->slack + g);
    __m128i *pending = (__m128i *)(void *)(fp->pending + g), at[4], more[4];
#define FOOTPRINT_P_COUNT_4(i) \
    at[i] = _mm_cmpgt_epi32(_mm_loadu_si128(lead + i), _mm_set1_epi32((int)p - 1)); \
    more[i] = _mm_sub_epi32(_mm_loadu_si128(pending + i), at[i]); \
    _mm_storeu_si128(pending + i, more[i]); \
    more[i] = _mm_cmpgt_epi32(more[i], _mm_loadu_si128(slack + i));
    FOOTPRINT_P_COUNT_4(0) FOOTPRINT_P_COUNT_4(1) FOOTPRINT_P_COUNT_4(2) FOOTPRINT_P_COUNT_4(3)
    *over = FOOTPRINT_P_PACK(more);
    return FOOTPRINT_P_LOWEST((uint64_t)~FOOTPRINT_P_PACK(at));    /* bit 16 is set */
}

/* Returns the first of the marks of a group, from `first` on, with place < p. */
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_before(const footprint *fp, uint32_t first,
                                                      uint32_t p) {
    const __m128i *place = (const __m128i *)(const void *)(fp->place + first);
    __m128i at = _mm_cmpgt_epi32(_mm_loadu_si128(place), _mm_set1_epi32((int)p - 1));
    return first + FOOTPRINT_P_LOWEST(~(uint64_t)(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(at)));
}
#else
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_count_16(footprint *fp, uint32_t g, uint32_t p,
                                                        uint32_t *over) {
    uint32_t j;
    for (*over = 0, j = 0; j < 16 && fp->lead[g + j] >= p; j++) {
        if (++fp->pending[g + j] > fp->slack[g + j]) *over |= UINT32_C(1) << j;
    }
    return j;
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_before(const footprint *fp, uint32_t first,
                                                      uint32_t p) {
    uint32_t j = first;
    while (j < first + FOOTPRINT_P_GROUP && fp->place[j] >= p) j++;
    return j;
}
#endif

/* A block came back from slot p. Returns how many marks count that: not those
   at place 0. There are at most 52 groups. */
static inline uint32_t footprint_p_count(footprint *fp, uint32_t p) {
    uint32_t first = 0, g, j = 0, counted, over;
    uint64_t all;
    if (fp->exact) {
        j = footprint_p_count_exact(fp, p);
        if (j < fp->exact || j == fp->marks) return j;
        first = j / FOOTPRINT_P_GROUP;
    }
    g = first + footprint_p_count_16(fp, first, p, &over);
    for (all = over, counted = 16; FOOTPRINT_P_UNLIKELY(g == first + counted); counted += 16) {
        g += footprint_p_count_16(fp, g, p, &over);
        all |= (uint64_t)over << counted;
    }
    if (g == first) return j;
    j = footprint_p_before(fp, (g - 1) * FOOTPRINT_P_GROUP, p);
    fp->cut[j]++;
    for (; all; all &= all - 1) footprint_p_flush(fp, first + FOOTPRINT_P_LOWEST(all));
    return j;
}

/* Adds the next mark. pending is counted for a group at a time, so that of its
   group must be 0 now, and the last mark of the group below must not lag behind
   the new one. */
static void footprint_p_add_mark(footprint *fp, uint32_t place, uint64_t from) {
    uint32_t j = fp->marks, g = j / FOOTPRINT_P_GROUP, first = g * FOOTPRINT_P_GROUP;
    uint64_t slack;
    footprint_p_mark *mark = &fp->mark[j];
    if (j != first) {
        if (fp->pending[g]) footprint_p_flush(fp, g);
    } else {
        slack = footprint_p_slack(fp, j);
        fp->slack[g] = slack > INT32_MAX ? INT32_MAX : (uint32_t)slack;
        fp->lead[g] = place;
        if (slack == 0) fp->exact = (g + 1) * FOOTPRINT_P_GROUP;
        else if (j == 0) fp->exact = 0;
        if (g > 0 && fp->pending[g - 1]) footprint_p_flush(fp, g - 1);
    }
    fp->place[j] = place;
    mark->since = fp->slot[place].time;
    mark->high = 0;
    if (mark->born == 0) mark->born = from;
    if (fp->made <= j) fp->made = j + 1;
    mark->row = j * (fp->columns - footprint_bin(FOOTPRINT_P_T) - 1) - j * (j + 1) / 2;
    footprint_p_event_at(fp->cells + mark->row, fp->columns, from - mark->since + 1, 1);
    fp->marks = j + 1;
}

/* ---- blocks ---------------------------------- src/footprint/blocks.c ---- */

static uint32_t footprint_p_bucket(const footprint *fp, uint64_t hash) {
    return (uint32_t)(hash * fp->buckets >> 32);
}

/* The number of recent blocks with about this hash; mostly 0, which saves a
   search. */
static uint8_t *footprint_p_near(footprint *fp, uint64_t hash) {
    return fp->nearby + (hash >> 22);
}

/* Returns the bucket of a block, or the empty one where it belongs: from the
   block's first one on. */
static inline uint32_t footprint_p_find(const footprint *fp, uint64_t block, uint32_t bucket) {
    uint32_t s;
    while ((s = fp->index[bucket]) != 0 && fp->slot[s].block != block)
        bucket = bucket + 1 < fp->buckets ? bucket + 1 : 0;
    return bucket;
}

/* Slot s is no longer live. The live slot before it, or bottom, is linked to the
   one behind it. That of the last live slot is always the next slot to be
   filled. */
static inline void footprint_p_unlink(footprint *fp, uint32_t s) {
    uint64_t *live = fp->live;
    uint32_t word = s >> 6, before = fp->bottom;
    uint64_t bit = UINT64_C(1) << (s & 63), bits = live[word] & (bit - 1);
    live[word] &= ~bit;
    if (!fp->is_linked) return;
    while (bits == 0 && word > before >> 6) bits = live[--word];
    if (bits) before = word << 6 | FOOTPRINT_P_LOG2(bits);
    fp->after[before] = fp->after[s];
}

/* The latest access is to a block that is not followed yet, at least not since
   it was forgotten. */
static void footprint_p_new_block(footprint *fp) {
    uint64_t weight = UINT64_C(1) << fp->sample_log2;
    footprint_p_first_gap(fp->bursts.open, fp->columns, fp->now - fp->bursts.origin,
                          fp->start - fp->bursts.origin, fp->sample_log2);
    fp->first += weight;
    fp->followed += weight;
    fp->tracked++;
}

/* Runs of rows `row` and above start at age y. Row F is events[F - 1] -
   events[F]. */
static void footprint_p_event(footprint *fp, uint32_t row, uint64_t y, uint64_t count) {
    for (; row <= FOOTPRINT_P_T; row++)
        footprint_p_event_at(fp->events + row * (size_t)fp->columns, fp->columns, y, 0 - count);
}

static void footprint_p_shifted_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_event_at(fp->events + (q + 1) * (size_t)fp->columns, fp->columns, y, count);
}

static void footprint_p_reused_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_event(fp, q + 1, y, 0 - count);
    footprint_p_gap_sum(fp->gap, fp->columns, y, count << fp->sample_log2);
    if (q > 0) footprint_p_depth(fp, footprint_bin((uint64_t)(q + 1) << fp->sample_log2), count);
}

static void footprint_p_fold(footprint *fp) {
    uint32_t q, y, j;
    footprint_p_settle(fp);
    footprint_p_depth(fp, footprint_bin(UINT64_C(1) << fp->sample_log2), fp->repeats);
    fp->repeats = 0;
    for (q = 0; q < FOOTPRINT_P_T; q++) {
        for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
            uint32_t *shifted = &fp->shifted[FOOTPRINT_P_AT(q, y)];
            uint32_t *reused = &fp->reused[FOOTPRINT_P_REUSED(q, y)];
            if (*shifted) footprint_p_shifted_far(fp, q, y, *shifted);
            if (*reused) footprint_p_reused_far(fp, q, y, *reused);
            *shifted = *reused = 0;
        }
    }
    for (j = 0; j < fp->mark_young; j++) {                 /* those of closed marks, too */
        footprint_p_moment *row = fp->cells + fp->mark[j].row;
        for (y = 1; y < FOOTPRINT_P_MARK_YOUNG; y++) {
            int32_t *young = fp->young + (j + 1) * (size_t)FOOTPRINT_P_MARK_YOUNG - y;
            if (*young) footprint_p_event_at(row, fp->columns, y, (uint64_t)(int64_t)*young);
            *young = 0;
        }
    }
}

static void footprint_p_reindex(footprint *fp) {
    uint32_t s, ahead = 0;
    if (fp->blocks_bytes > FOOTPRINT_P_LARGE && fp->next > FOOTPRINT_P_AHEAD)
        ahead = fp->next - FOOTPRINT_P_AHEAD;
    footprint_p_zero(fp->index, fp->buckets * sizeof *fp->index);
    for (s = 2; s < fp->next; s++) {
        uint32_t bucket = footprint_p_bucket(fp, footprint_p_hash(fp->slot[s].block));
        if (s < ahead) {
            uint64_t hash = footprint_p_hash(fp->slot[s + FOOTPRINT_P_AHEAD].block);
            FOOTPRINT_P_PREFETCH(&fp->index[footprint_p_bucket(fp, hash)]);
        }
        while (fp->index[bucket]) bucket = bucket + 1 < fp->buckets ? bucket + 1 : 0;
        fp->index[bucket] = s;                             /* blocks differ: none is compared */
    }
}

/* Moves the live slots together. A mark goes with the last live slot at or
   before its own. */
static void footprint_p_compact(footprint *fp) {
    uint32_t s, w = 2, j = fp->marks, word, place = j ? fp->place[j - 1] : UINT32_MAX;
    for (word = 0; word <= fp->next >> 6; word++) {
        uint64_t bits = fp->live[word];
        for (fp->live[word] = 0; bits; bits &= bits - 1) {
            s = word << 6 | FOOTPRINT_P_LOWEST(bits);
            while (FOOTPRINT_P_UNLIKELY(place < s)) {
                fp->place[--j] = w - 1;
                place = j ? fp->place[j - 1] : UINT32_MAX;
            }
            fp->slot[w++] = fp->slot[s];
        }
    }
    while (j > 0) fp->place[--j] = w - 1;
    for (j = 0; j < fp->marks; j += FOOTPRINT_P_GROUP)
        fp->lead[j / FOOTPRINT_P_GROUP] = fp->place[j];
    for (word = 0; word < w >> 6; word++) fp->live[word] = UINT64_MAX;
    fp->live[word] |= (UINT64_C(1) << (w & 63)) - 1;
    fp->live[0] &= ~UINT64_C(3);
    fp->next = w;
    fp->bottom = 1;
    if (fp->is_linked) for (s = 1; s < w; s++) fp->after[s] = s + 1;
    footprint_p_reindex(fp);
}

/* Do more blocks live than rows can tell apart? With FOOTPRINT_FORGET there may
   be slots for them, and then they were not dropped yet; their footprints are in
   the open bin. */
static uint32_t footprint_p_full(const footprint *fp) {
    uint32_t bin = footprint_bin(FOOTPRINT_P_T) + 1 + fp->mark_max;
    return fp->flags & FOOTPRINT_FORGET && bin < fp->columns && fp->tracked >= footprint_bin_low(bin)
               ? (uint32_t)FOOTPRINT_FULL : 0u;
}

/* Forgets the `count` oldest blocks. Windows that do not reach their last
   accesses stay right. */
static void footprint_p_forget(footprint *fp, uint32_t count) {
    uint32_t j, left, k = fp->sample_log2;
    for (j = 0; j < fp->marks; j += FOOTPRINT_P_GROUP) {
        if (fp->pending[j / FOOTPRINT_P_GROUP]) footprint_p_flush(fp, j / FOOTPRINT_P_GROUP);
    }
    for (left = count; left > 0; left--) {
        uint32_t s = footprint_p_next_live(fp->live, 1);   /* the oldest */
        footprint_p_wide sum = footprint_p_product(fp->slot[s].time - fp->bursts.origin,
                                                   UINT64_C(1) << k);
        footprint_p_wide_add(&fp->gone_low, &fp->gone_high, sum.low, sum.high);
        footprint_p_unlink(fp, s);
    }
    fp->gone += (uint64_t)count << k;
    fp->forgotten += count;
    fp->tracked -= count;
    while (fp->marks > 0 && footprint_p_low(fp->marks - 1) > fp->tracked) {
        footprint_p_mark *mark = &fp->mark[--fp->marks];
        footprint_p_settle_mark(fp, mark, mark->since);
        footprint_p_close_mark(fp, fp->marks);
        footprint_p_event_at(fp->cells + mark->row, fp->columns, fp->now - mark->since + 1,
                             UINT64_MAX);
    }
}

/* Slots have run out: forgets what is too old, makes room, and numbers the rest
   anew. */
static void footprint_p_renumber(footprint *fp) {
    uint32_t kept = fp->tracked - fp->filled, old = 0, s;
    fp->flags |= footprint_p_full(fp);
    if (fp->now > fp->config.window_max) {
        for (s = 2; s < fp->next && fp->slot[s].time <= fp->now - fp->config.window_max; s++)
            old += (uint32_t)(fp->live[s >> 6] >> (s & 63) & 1);
    }
    if (old) footprint_p_forget(fp, old);
    kept -= old;
    if (kept > fp->cap) footprint_p_grow(fp, (uint64_t)kept + kept / 2);
    if (kept > fp->cap) {
        fp->flags |= FOOTPRINT_FULL;
        if (fp->flags & FOOTPRINT_FORGET) footprint_p_forget(fp, kept - fp->cap);
        else {
            fp->is_overfull = 1;                           /* thins before the next access; */
            fp->wake = 0;                                  /* the reserve will do for this one */
        }
    }
    footprint_p_compact(fp);
}

/* ---- an access ------------------------------- src/footprint/access.c ---- */

/* Counts the deepest blocks, whose ages are not young. Returns how many are
   left to be counted. */
static FOOTPRINT_P_APART uint32_t footprint_p_shift_old(footprint *fp, uint32_t count) {
    const footprint_entry *top = fp->top;
    uint64_t next = fp->now + 1;
    for (; count > 0 && next - top[count - 1].time >= FOOTPRINT_P_YOUNG; count--)
        footprint_p_shifted_far(fp, count - 1, next - top[count - 1].time, 1);
    return count;
}

#define FOOTPRINT_P_UP(X) \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) \
    X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define FOOTPRINT_P_DOWN(X) \
    X(31) X(30) X(29) X(28) X(27) X(26) X(25) X(24) X(23) X(22) X(21) X(20) X(19) X(18) X(17) \
    X(16) X(15) X(14) X(13) X(12) X(11) X(10) X(9) X(8) X(7) X(6) X(5) X(4) X(3) X(2) X(1)

/* The block at place q moves on by one, in two instructions. `shifted` is the
   address of time 0. */
#define FOOTPRINT_P_DEEPER(q) \
    ++*(uint32_t *)(shifted + (uintptr_t)top[q].time * 4 + (q) * 4 * FOOTPRINT_P_YOUNG);
#define FOOTPRINT_P_DEEPER_CASE(q) FOOTPRINT_P_FALL case q: FOOTPRINT_P_DEEPER(q - 1)
/* The first `count` recent blocks move on. */
static FOOTPRINT_P_ALWAYS void footprint_p_shift(footprint *fp, const footprint_entry *top,
                                                 uint32_t count) {
    uint64_t next = fp->now + 1;
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp->shifted, FOOTPRINT_P_YOUNG, next);
    if (FOOTPRINT_P_UNLIKELY(next - top[count - 1].time >= FOOTPRINT_P_YOUNG))
        count = footprint_p_shift_old(fp, count);
    switch (count) {
        case 32: FOOTPRINT_P_DEEPER(31)
        FOOTPRINT_P_DOWN(FOOTPRINT_P_DEEPER_CASE)
        FOOTPRINT_P_FALL
        default: break;
    }
}

/* The block in top[0] is neither recent nor known: it is a new one. */
static FOOTPRINT_P_APART void footprint_p_push_new(footprint *fp) {
    footprint_p_new_block(fp);
    if (fp->marks < fp->mark_max && fp->tracked == footprint_p_low(fp->marks))
        footprint_p_add_mark(fp, footprint_p_next_live(fp->live, fp->bottom), fp->now);
}

static FOOTPRINT_P_APART void footprint_p_push(footprint *fp, uint64_t block, uint64_t hash) {
    footprint_entry *top = fp->top, *out;
    uint64_t out_hash, since;
    uint32_t q, p, s, bucket = footprint_p_bucket(fp, hash), marks, filled = fp->filled;
    FOOTPRINT_P_PREFETCH(&fp->slot[fp->index[bucket]]);
    if (filled) footprint_p_shift(fp, top, filled);
    if (FOOTPRINT_P_UNLIKELY(top == fp->ring)) {
        top = fp->ring + FOOTPRINT_P_RING;
        for (q = filled; q-- > 0; ) top[q] = fp->ring[q];
    }
    fp->top = --top;
    top->block = block;
    top->time = fp->now;
    ++*footprint_p_near(fp, hash);
    if (FOOTPRINT_P_UNLIKELY(filled < FOOTPRINT_P_T)) {
        fp->born[++fp->filled] = fp->now;
        footprint_p_new_block(fp);
        return;
    }
    out = top + FOOTPRINT_P_T;
    out_hash = footprint_p_hash(out->block);
    --*footprint_p_near(fp, out_hash);
    if (FOOTPRINT_P_UNLIKELY(fp->next == fp->slots)) {
        footprint_p_renumber(fp);
        bucket = footprint_p_bucket(fp, hash);
    }
    p = fp->index[footprint_p_find(fp, block, bucket)];
    since = fp->slot[p].time;
    if (since > fp->bursts.origin) {               /* it is live: see the invariants */
        footprint_p_gap_far(fp->gap, fp->columns, fp->now - since + 1, fp->sample_log2);
        footprint_p_unlink(fp, p);
    } else p = 1;
    bucket = footprint_p_find(fp, out->block, footprint_p_bucket(fp, out_hash));
    s = fp->next++;
    fp->slot[s] = *out;
    fp->live[s >> 6] |= UINT64_C(1) << (s & 63);
    fp->index[bucket] = s;
    if (fp->is_linked) fp->after[s] = s + 1;
    marks = footprint_p_count(fp, p);
    if (p > 1) footprint_p_depth(fp, marks + fp->depth_first, 1);
    else footprint_p_push_new(fp);
}

static FOOTPRINT_P_APART void footprint_p_change_far(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top, *entry;
    uint32_t q = 0;
    uint64_t y;
    while (q < fp->filled && top[q].block != block) q++;
    if (q == fp->filled) {
        footprint_p_push(fp, block, footprint_p_hash(block));
        return;
    }
    footprint_p_shift(fp, top, q);
    entry = top + q;
    y = fp->now - entry->time + 1;
    if (y >= FOOTPRINT_P_YOUNG) footprint_p_reused_far(fp, q, y, 1);
    else fp->reused[FOOTPRINT_P_REUSED(q, y)]++;
    for (; entry > top; entry--) entry[0] = entry[-1];
    top->block = block;
    top->time = fp->now;
}

/* The block is not at the top, and T blocks are recent. Only the branch that
   finds the block cannot be foreseen, and from there each step is four
   instructions. */
#define FOOTPRINT_P_FIND(q) \
    if (top[q].block == block) { \
        y = next - top[q].time; \
        if (FOOTPRINT_P_UNLIKELY(y >= FOOTPRINT_P_YOUNG)) goto older; \
        fp->reused[FOOTPRINT_P_REUSED(q, y)]++; \
        goto from_##q; \
    }
#define FOOTPRINT_P_STEP(q) from_##q: FOOTPRINT_P_DEEPER(q - 1) top[q] = top[q - 1];
static FOOTPRINT_P_APART void footprint_p_change(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top;
    uint64_t next = fp->now + 1, y, hash = footprint_p_hash(block);
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp->shifted, FOOTPRINT_P_YOUNG, next);
    if (*footprint_p_near(fp, hash)) {
        FOOTPRINT_P_UP(FOOTPRINT_P_FIND)
    }
    footprint_p_push(fp, block, hash);
    return;
older:
    footprint_p_change_far(fp, block);
    return;
    FOOTPRINT_P_DOWN(FOOTPRINT_P_STEP)
    top->block = block;
    top->time = next - 1;
}

static FOOTPRINT_P_ALWAYS void footprint_p_access_each(footprint *fp, const uint64_t *blocks,
                                                       size_t count, int ahead) {
    footprint_entry *top = fp->top;
    uint64_t first = top->block, now = fp->now, start = now, end = now + count;
    uint32_t *reused = fp->reused + FOOTPRINT_P_REUSED(1, 2);
    size_t swapped = 0, changed = 0;
    for (; now < end; now++) {
        const uint64_t *at = blocks + (size_t)(now - start);
        uint64_t block = *at;
        if (ahead && end - now > FOOTPRINT_P_AHEAD) {
            uint64_t soon = footprint_p_hash(at[FOOTPRINT_P_AHEAD / 2]);
            uint64_t later = footprint_p_hash(at[FOOTPRINT_P_AHEAD]);
            uint32_t s = fp->index[footprint_p_bucket(fp, soon)];
            FOOTPRINT_P_PREFETCH(&fp->index[footprint_p_bucket(fp, later)]);
            FOOTPRINT_P_PREFETCH(&fp->slot[s]);
        }
        if (block == first) continue;
        if (block == top[1].block && now - top[1].time < FOOTPRINT_P_YOUNG - 2) {
            reused[now - top[1].time]++;
            swapped++;
            top[1].block = first;
            top[1].time = now;
            top->block = first = block;
            continue;
        }
        top->time = now;
        fp->now = now + 1;
        changed++;
        footprint_p_change(fp, block);
        top = fp->top;
        first = block;
    }
    top->time = fp->now = now;
    fp->shifted[FOOTPRINT_P_AT(0, 2)] += (uint32_t)swapped;
    fp->repeats += count - swapped - changed;
}

/* ---- entries ---- */

/* Does what is due before an access. Returns 0 if the access has been dealt
   with. */
static void footprint_p_thin(footprint *fp);
static FOOTPRINT_P_APART int footprint_p_wake(footprint *fp, uint64_t block) {
    if (fp->now >= fp->end) {
        fp->lost = footprint_p_sat_add(fp->lost, 1);
        fp->flags |= FOOTPRINT_ENDED;
        return 0;
    }
    if (fp->now >= fp->folded) {
        footprint_p_fold(fp);
        fp->folded = fp->now + FOOTPRINT_P_FOLD;
    }
    if (fp->is_overfull) footprint_p_thin(fp);
    fp->wake = fp->folded < fp->end ? fp->folded : fp->end;
    if (fp->sample_log2 || fp->filled < FOOTPRINT_P_T) fp->wake = 0;
    fp->is_followed = fp->sample_log2 == 0 || !footprint_p_left_out(fp->sample_log2, block);
    if (!fp->is_followed) {
        fp->now++;
        return 0;
    }
    if (fp->filled && fp->top->block == block) {           /* there may be accesses in between */
        footprint_access_repeat(fp, 1);
        return 0;
    }
    fp->sampled++;
    if (fp->filled == FOOTPRINT_P_T) return 1;
    fp->now++;
    footprint_p_change_far(fp, block);
    return 0;
}

FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block) {
    if (FOOTPRINT_P_UNLIKELY(fp->now >= fp->wake) && !footprint_p_wake(fp, block)) return;
    fp->now++;
    if (fp->top->block != block) {
        footprint_p_change(fp, block);
        return;
    }
    fp->top->time = fp->now;
    fp->repeats++;
}

FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count) {
    const uint64_t *end = blocks + count;
    int ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE;
    FOOTPRINT_ASSERT(blocks != NULL || count == 0);
    while (blocks < end) {
        size_t most = (size_t)(end - blocks) < 1024 ? (size_t)(end - blocks) : 1024;
        uint32_t next = fp->next;
        if (fp->now >= fp->wake || next == fp->slots) {
            footprint_access(fp, *blocks++);
            continue;
        }
        if (most > fp->wake - fp->now) most = (size_t)(fp->wake - fp->now);
        if (most > fp->slots - next) most = fp->slots - next;
        if (ahead) footprint_p_access_each(fp, blocks, most, 1);
        else footprint_p_access_each(fp, blocks, most, 0);
        blocks += most;
        /* Asking ahead pays where there are many misses. Renumbering looks like
           many. */
        ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE && fp->next - next > 128;
    }
}

FOOTPRINT_API void footprint_access_repeat(footprint *fp, uint64_t count) {
    uint64_t most = fp->end - fp->now;
    if (fp->now == fp->bursts.origin) return;
    if (count > most) {
        fp->flags |= FOOTPRINT_ENDED;
        fp->lost = footprint_p_sat_add(fp->lost, count - most);
        count = most;
    }
    fp->now += count;
    if (!fp->is_followed) return;
    if (fp->sample_log2 && count) {
        footprint_p_reused_far(fp, 0, fp->now - count - fp->top->time + 2, 1);
        footprint_p_reused_far(fp, 0, 2, count - 1);
        fp->sampled += count;
    }
    fp->top->time = fp->now;
    fp->repeats += count;
}

FOOTPRINT_API void footprint_reference(footprint *fp, const void *address, size_t bytes) {
    uint64_t block = (uint64_t)(uintptr_t)address >> fp->config.block_log2;
    uint64_t last = footprint_p_last_block(address, bytes, fp->config.block_log2);
    for (; block < last; block++) footprint_access(fp, block);
    footprint_access(fp, last);
}

/* ---- reading rows out -------------------------- src/footprint/rows.c ---- */

/* A row says at which ages y its stretches start (+1) and end (-1): the events
   e(y). The sum of e(y) over y <= v is the number of accesses at which the age
   is v. Windows of length w count as >= F at each access of age w or less: they
   are the sum of e(y) (w - y + 1) over y <= w. Over all lengths of a bin low..
   high, of width = high - low + 1,
       an event below the bin adds    (low - y) width + triangle(width)
       an event within it adds        triangle(room), with room = high - y + 1
   The first kind needs two running sums over the bins below: `open`, the sum of
   e(y), and `all`, the sum of e(y) (low - y). For the second kind each bin has
   square, the sum of e triangle(room), and for the sums count, that of e, and
   sum, that of e room.

   A window that ends at access i of a burst has at most i accesses. So a length
   of more than i counts once too often at access i. A second stretch is subtracted
   for that. It has "age" i + 1 at access i, which goes from born + 1 to n + 1 over
   the accesses born..n of a burst. Everything may wrap in between; the results are right
   modulo 2^64. */

/* Adds the windows of the row whose events are in fp->scratch to rows below + 1
   .. bin. No window is longer than `longest`. */
static void footprint_p_add_row(const footprint *fp, uint64_t longest, uint64_t *table,
                                uint32_t below, uint32_t bin) {
    uint64_t all = 0, open = 0;
    uint32_t b, row;
    for (b = 1; b < fp->columns && footprint_bin_low(b) <= longest; b++) {
        const footprint_p_moment *m = &fp->scratch[b];
        uint64_t width = footprint_bin_high(b) - footprint_bin_low(b) + 1;
        uint64_t windows = width * all + open * footprint_p_triangle(width) + m->square;
        for (row = below + 1; row <= bin; row++) table[row * (size_t)fp->columns + b] += windows;
        all += open * width + m->sum;
        open += m->count;
    }
}

/* What all windows are: at each access since start the age is 1. */
static void footprint_p_end_all(const footprint *fp, footprint_p_moment *row) {
    uint64_t n = fp->now - fp->bursts.origin, start = fp->start - fp->bursts.origin;
    footprint_p_event_at(row, fp->columns, 1, n - start);
    footprint_p_event_at(row, fp->columns, 2, start - n);
    footprint_p_event_at(row, fp->columns, start + 2, UINT64_MAX);
    footprint_p_event_at(row, fp->columns, n + 2, 1);
}

/* Ends what a row has under way at the latest access. With `since` a stretch of
   ages ends; if it is 0 there is none. */
static void footprint_p_end_row(const footprint *fp, footprint_p_moment *row, uint64_t born,
                                uint64_t since) {
    uint64_t origin = fp->bursts.origin;
    if (since) footprint_p_event_at(row, fp->columns, fp->now - since + 2, UINT64_MAX);
    footprint_p_event_at(row, fp->columns, born - origin + 1, UINT64_MAX);
    footprint_p_event_at(row, fp->columns, fp->now - origin + 2, 1);
}

/* Row F <= T: starts are blocks that came to depth F, ends are those that left
   it. */
static void footprint_p_load_recent(const footprint *fp, uint32_t F) {
    const footprint_p_moment *ends = &fp->events[F * (size_t)fp->columns];
    const footprint_p_moment *starts = ends - fp->columns;
    uint32_t b;
    for (b = 0; b < fp->columns; b++) {
        fp->scratch[b].count = starts[b].count - ends[b].count;
        fp->scratch[b].sum = starts[b].sum - ends[b].sum;
        fp->scratch[b].square = starts[b].square - ends[b].square;
    }
    if (F == 1) footprint_p_event_at(fp->scratch, fp->columns, 1, fp->sampled);
    if (F <= fp->filled) footprint_p_end_row(fp, fp->scratch, fp->born[F], fp->top[F - 1].time);
}

/* Adds to the table the windows that ended since sampling last changed.
   Counters must have been folded. */
static void footprint_p_extract(const footprint *fp, uint64_t *table, uint32_t rows) {
    uint32_t k = fp->sample_log2, below = k == 0 && rows > 1, F, j, bin, b;
    uint32_t all = FOOTPRINT_P_T + 1, most = fp->bursts.count ? (uint32_t)FOOTPRINT_P_T : fp->filled;
    uint64_t longest = fp->now - fp->bursts.origin;
    if (longest < fp->bursts.longest) longest = fp->bursts.longest;
    for (b = 0; b < fp->columns; b++) fp->scratch[b] = fp->events[all * (size_t)fp->columns + b];
    footprint_p_end_all(fp, fp->scratch);
    footprint_p_add_row(fp, longest, table, UINT32_MAX, below);
    for (F = k ? 1 : 2; F <= most; F++) {
        if (footprint_bin_low(footprint_bin(F)) != F) continue;    /* 17, 19, ... are no low ends */
        bin = footprint_bin((uint64_t)F << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_load_recent(fp, F);
        footprint_p_add_row(fp, longest, table, below, bin);
        below = bin;
    }
    for (j = 0; j < fp->made; j++) {
        bin = footprint_bin(footprint_p_low(j) << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_zero(fp->scratch, fp->columns * sizeof *fp->scratch);
        for (b = footprint_bin(footprint_p_low(j)); b < fp->columns; b++)
            fp->scratch[b] = fp->cells[fp->mark[j].row + b];
        if (fp->mark[j].born)
            footprint_p_end_row(fp, fp->scratch, fp->mark[j].born,
                                j < fp->marks ? fp->mark[j].since : 0);
        footprint_p_add_row(fp, longest, table, below, bin);
        below = bin;
    }
}

/* Ends the burst in the tables of all rows. Young ages go to the counters of
   blocks that move on: a block that moved from each place at one age ends one
   row. */
static void footprint_p_end_recent(footprint *fp, uint32_t F, uint64_t y) {
    uint32_t q;
    if (y >= FOOTPRINT_P_YOUNG) footprint_p_event(fp, F, y, UINT64_MAX);
    else for (q = F - 1; q < FOOTPRINT_P_T; q++) fp->shifted[FOOTPRINT_P_AT(q, y)]++;
}

static void footprint_p_end_rows(footprint *fp) {
    uint64_t n = fp->now - fp->bursts.origin;
    uint32_t F, j;
    footprint_p_end_all(fp, fp->events + (FOOTPRINT_P_T + 1) * (size_t)fp->columns);
    for (F = 1; F <= FOOTPRINT_P_T; F++) {
        uint32_t ended = F < fp->filled ? F : fp->filled;  /* rows 1 to F that are under way */
        footprint_p_event_at(fp->events + F * (size_t)fp->columns, fp->columns, n + 2,
                             (uint64_t)0 - ended);
        if (F > fp->filled) continue;
        footprint_p_end_recent(fp, F, fp->now - fp->top[F - 1].time + 2);
        footprint_p_end_recent(fp, F, fp->born[F] - fp->bursts.origin + 1);
    }
    for (j = 0; j < fp->made && fp->mark[j].born; j++) {
        footprint_p_end_row(fp, fp->cells + fp->mark[j].row, fp->mark[j].born,
                            j < fp->marks ? fp->mark[j].since : 0);
        fp->mark[j].born = 0;
        footprint_p_close_mark(fp, j);
    }
    fp->marks = 0;
}

/* ---- snapshots ----------------------------- src/footprint/snapshot.c ---- */

/* Adds the gaps that are open at n + 1, of all blocks that are followed,
   `weight` times each. */
static void footprint_p_open_gaps(const footprint *fp, footprint_p_gap *gap, uint64_t weight) {
    uint32_t i, word, columns = fp->columns;
    for (i = 0; i < fp->filled; i++)
        footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->top[i].time, weight);
    for (word = (fp->bottom + 1) >> 6; word <= fp->next >> 6; word++) {
        uint64_t bits = fp->live[word];
        for (; bits; bits &= bits - 1) {
            i = word << 6 | FOOTPRINT_P_LOWEST(bits);
            footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->slot[i].time, weight);
        }
    }
}

/* Adds all that the burst under way has beside its reuses. Blocks that were
   forgotten are missing from all windows after their last access, so their gaps
   are open as well: gone of them, whose last accesses add up to gone_low and
   gone_high. */
static void footprint_p_close_gaps(const footprint *fp, footprint_p_gap *open) {
    footprint_p_gap *longest = open + fp->columns;
    uint64_t n = fp->now - fp->bursts.origin;
    footprint_p_wide gone = footprint_p_product(n + 2, fp->gone);
    footprint_p_open_gaps(fp, open, UINT64_C(1) << fp->sample_log2);
    longest->count += fp->gone;
    footprint_p_wide_less(&gone.low, &gone.high, fp->gone_low, fp->gone_high);
    footprint_p_wide_add(&longest->low, &longest->high, gone.low, gone.high);
    footprint_p_followed_gap(open, fp->columns, n, fp->start - fp->bursts.origin, fp->followed);
}

/* Puts what all groups have by now into group `group`, and takes it off the
   next, whose turn begins. Reuses at young ages are not folded into tables, for
   that would cost ten times as much; they are added up here, by place and by
   age. */
static void footprint_p_turn(footprint *fp, uint32_t group, uint32_t next) {
    footprint_p_gap *gap = (footprint_p_gap *)(void *)fp->scratch;
    uint64_t *depth = fp->bursts.depth + group * (size_t)fp->rows;
    uint64_t *next_depth = fp->bursts.depth + next * (size_t)fp->rows;
    footprint_total *total = fp->bursts.total;
    uint32_t young[FOOTPRINT_P_YOUNG], k = fp->sample_log2, row, q, y;
    footprint_p_zero(young, sizeof young);
    for (row = 0; row < fp->rows; row++) {
        depth[row] += fp->depth[row];
        next_depth[row] -= fp->depth[row];
    }
    for (q = 0; q < FOOTPRINT_P_T; q++) {
        const uint32_t *reused = &fp->reused[FOOTPRINT_P_REUSED(q, 0)];
        uint32_t sum = 0;                                  /* of fewer accesses than it holds */
        uint64_t count;
        for (y = 0; y < FOOTPRINT_P_YOUNG; y++) {
            sum += reused[y];
            young[y] += reused[y];
        }
        row = footprint_bin((uint64_t)(q + 1) << k);
        if (row >= fp->rows) row = fp->rows - 1;
        count = (q ? sum : fp->repeats) << k;
        depth[row] += count;
        next_depth[row] -= count;
    }
    footprint_p_copy(gap, fp->gap, (fp->columns + 1) * sizeof *gap);
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        if (young[y]) footprint_p_gap_sum(gap, fp->columns, y, (uint64_t)young[y] << k);
    }
    footprint_p_sum_gaps(gap, fp->bursts.open, fp->bursts.length, fp->columns, 0,
                         total + group * (size_t)fp->columns);
    footprint_p_sum_gaps(gap, fp->bursts.open, fp->bursts.length, fp->columns, 1,
                         total + next * (size_t)fp->columns);
}

FOOTPRINT_API void footprint_burst(footprint *fp) {
    uint64_t n = fp->now - fp->bursts.origin;
    uint32_t i;
    if (n == 0) return;
    if (fp->is_overfull) footprint_p_thin(fp);
    footprint_p_settle(fp);
    fp->flags |= footprint_p_full(fp);
    footprint_p_close_gaps(fp, fp->bursts.open);
    footprint_p_end_rows(fp);
    for (i = 0; i < fp->filled; i++) --*footprint_p_near(fp, footprint_p_hash(fp->top[i].block));
    for (i = (fp->bottom + 1) >> 6; i <= fp->next >> 6; i++) fp->live[i] = 0;
    fp->bottom = fp->next - 1;
    if (fp->is_linked) fp->after[fp->bottom] = fp->next;
    fp->filled = fp->tracked = 0;
    fp->followed = fp->gone = fp->gone_low = fp->gone_high = 0;
    fp->top = fp->ring + FOOTPRINT_P_RING;
    fp->start = fp->now;
    fp->wake = 0;
    fp->flags |= FOOTPRINT_BURSTS;
    if (fp->folded > fp->now + 1) fp->folded -= 2;         /* rows that end count in counters, too */
    if (!footprint_p_end_burst(&fp->bursts, fp->columns, n, fp->first)) return;
    i = (fp->bursts.group + 1) % FOOTPRINT_GROUPS;
    footprint_p_turn(fp, fp->bursts.group, i);
    fp->bursts.group = i;
    fp->bursts.turned = fp->now;
}

/* Returns the rows that a snapshot needs: up to the largest mark there ever
   was. */
static uint32_t footprint_p_rows(const footprint *fp) {
    uint32_t j = fp->made;
    uint64_t low;
    if (fp->is_thinned) return fp->rows;
    low = j > 0 ? footprint_p_low(j - 1) : (uint64_t)FOOTPRINT_P_T;
    return footprint_bin(low << fp->sample_log2) + 1;
}

/* The averages of all windows so far. The burst under way counts as ended; its
   open gaps are added in scratch. */
static void footprint_p_snapshot_gaps(const footprint *fp, footprint_profile *p) {
    footprint_p_gap *open = (footprint_p_gap *)(void *)fp->scratch;
    footprint_bursts bursts = fp->bursts;
    uint64_t n = fp->now - bursts.origin;
    uint32_t b;
    footprint_p_copy(open, bursts.open, (fp->columns + 1) * sizeof *open);
    footprint_p_close_gaps(fp, open);
    if (n) footprint_p_gap_sum(bursts.length, fp->columns, n + 2, 1);
    footprint_p_sum_gaps(fp->gap, open, bursts.length, fp->columns, 0, p->total);
    for (b = 0; b <= fp->columns; b++) p->reuse[b] = fp->gap[b].count;
    if (p->groups) {
        footprint_p_copy_groups(&bursts, p);
        footprint_p_sum_gaps(fp->gap, open, bursts.length, fp->columns, 0,
                             p->group_total + bursts.group * (size_t)fp->columns);
        footprint_p_cut(p->group_cut + bursts.group * (size_t)p->rows, p->rows,
                        fp->first - bursts.first);
    }
    if (n) footprint_p_gap_sum(bursts.length, fp->columns, n + 2, UINT64_MAX);
}

FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp) {
    return footprint_profile_bytes(footprint_p_rows(fp), fp->columns,
                                   fp->bursts.total ? FOOTPRINT_BURSTS : 0);
}

FOOTPRINT_API int footprint_snapshot(footprint *fp, footprint_profile *profile, void *memory,
                                     size_t bytes) {
    uint32_t rows = footprint_p_rows(fp), row, b;
    FOOTPRINT_ASSERT(memory != NULL);
    if (footprint_profile_init(profile, rows, fp->columns,
                               fp->bursts.total ? FOOTPRINT_BURSTS : 0, memory, bytes)) return -1;
    rows = profile->rows;
    profile->accesses = fp->now;
    profile->blocks = footprint_p_blocks(fp->first, fp->now);
    profile->forgotten = fp->forgotten;
    if (fp->columns) profile->c = fp->config.c;    /* else init failed */
    profile->flags = fp->flags | footprint_p_full(fp);
    profile->sample_log2 = fp->sample_log2;
    profile->block_log2 = fp->config.block_log2;
    if (fp->now == 0) return 0;
    if (fp->flags & FOOTPRINT_BURSTS)
        profile->bursts = fp->bursts.count + (fp->now > fp->bursts.origin);
    else if (fp->now <= fp->config.window_max) {
        profile->last_window = fp->now;
        profile->last_blocks = profile->blocks;
    }
    footprint_p_fold(fp);
    footprint_p_snapshot_gaps(fp, profile);
    for (b = 1; b < fp->columns && (fp->sample_log2 || fp->flags & FOOTPRINT_FULL); b++)
        footprint_p_bound_total(&profile->total[b], footprint_bin_high(b), profile->blocks);
    if (fp->is_thinned)
        footprint_p_copy(profile->at_least, fp->before, rows * fp->columns * sizeof(uint64_t));
    footprint_p_extract(fp, profile->at_least, rows);
    for (row = 0; row < fp->rows; row++) {
        size_t to = row < rows ? row : rows - 1;
        profile->depth[to] += fp->depth[row];
        if (profile->groups)
            profile->group_depth[fp->bursts.group * (size_t)rows + to] += fp->depth[row];
    }
    return 0;
}

FOOTPRINT_API void footprint_get_stats(const footprint *fp, footprint_stats *out) {
    out->accesses = fp->now;
    out->lost = fp->lost;
    out->accesses_max = fp->end;
    out->blocks = footprint_p_blocks(fp->first, fp->now);
    out->forgotten = fp->forgotten;
    out->memory_bytes = fp->table_bytes + fp->blocks_bytes;
    out->blocks_bytes = fp->blocks_bytes;
    out->flags = fp->flags | footprint_p_full(fp);
    out->sample_log2 = fp->sample_log2;
}

FOOTPRINT_API uint64_t footprint_mark_time(footprint *fp, uint32_t bin) {
    uint32_t k = fp->sample_log2, j;
    uint64_t F = (footprint_bin_low(bin) + ((UINT64_C(1) << k) - 1)) >> k;
    if (F == 0) return fp->now;
    if (F <= FOOTPRINT_P_T) return F <= fp->filled ? fp->top[F - 1].time : 0;
    j = footprint_bin(F) - footprint_bin(FOOTPRINT_P_T) - 1;
    return j < fp->marks ? fp->mark[j].since : 0;
}

/* ---- full: every second block from here on ----- src/footprint/thin.c ---- */

/* When blocks no longer fit, the sampling ratio 2^-k is halved until they do.
   Windows that ended so far are read out into `before`, with rows F 2^k for the
   old k. Then recent and slot keep only the blocks that are
   still followed, and all rows and marks start anew: a row F of a block that is
   there starts a run with that block's age, and each mark stands exactly at X_F.
   Gaps are closed and opened again, see "averages, from gaps". Invariant: every
   window is counted once, by the k at its end. */

static void footprint_p_thin(footprint *fp) {
    uint32_t q, j, s, kept;
    fp->flags |= FOOTPRINT_FULL;
    footprint_p_fold(fp);
    footprint_p_close_gaps(fp, fp->bursts.open);
    footprint_p_extract(fp, fp->before, fp->rows);
    fp->marks = fp->made = 0;
    fp->is_thinned = 1;
    do {
        fp->sample_log2++;
        for (kept = 0, q = 0; q < fp->filled; q++) {
            if (!footprint_p_left_out(fp->sample_log2,
                                      fp->top[q].block)) fp->top[kept++] = fp->top[q];
        }
        fp->filled = kept;
        for (s = 2; s < fp->next; s++) {
            if (footprint_p_left_out(fp->sample_log2, fp->slot[s].block))
                fp->live[s >> 6] &= ~(UINT64_C(1) << (s & 63));
        }
        footprint_p_compact(fp);
    } while (fp->next - 2 > fp->cap && fp->sample_log2 < 63);
    while (fp->filled < FOOTPRINT_P_T && fp->next > 2) {
        fp->top[fp->filled++] = fp->slot[--fp->next];
        fp->live[fp->next >> 6] &= ~(UINT64_C(1) << (fp->next & 63));
    }
    footprint_p_reindex(fp);
    fp->start = fp->now;
    fp->tracked = fp->filled + fp->next - 2;
    fp->followed = (uint64_t)fp->tracked << fp->sample_log2;
    fp->depth_first = footprint_bin((uint64_t)FOOTPRINT_P_T << fp->sample_log2);
    fp->gone = fp->gone_low = fp->gone_high = fp->sampled = 0;
    fp->is_overfull = 0;
    footprint_p_zero(fp->nearby, sizeof fp->nearby);
    footprint_p_zero(fp->events, (FOOTPRINT_P_T + 2) * (size_t)fp->columns * sizeof *fp->events);
    footprint_p_zero(fp->cells, fp->cell_count * sizeof *fp->cells);
    for (q = 0; q < fp->filled; q++) {
        ++*footprint_p_near(fp, footprint_p_hash(fp->top[q].block));
        footprint_p_event(fp, q + 1, fp->now - fp->top[q].time + 2, 1);
        fp->born[q + 1] = fp->now + 1;
    }
    for (j = 0; j < fp->mark_max; j++) {
        fp->mark[j].born = 0;
        footprint_p_close_mark(fp, j);
    }
    for (j = 0; j < fp->mark_max && footprint_p_low(j) <= fp->tracked; j++)
        footprint_p_add_mark(fp, fp->next + FOOTPRINT_P_T - (uint32_t)footprint_p_low(j),
                             fp->now + 1);
    footprint_p_open_gaps(fp, fp->bursts.open, 0 - (UINT64_C(1) << fp->sample_log2));
}

/* ---- averages alone ------------------------- src/footprint/average.c ---- */

/* Lays everything out from base on: tables of gaps, groups, the table of
   blocks. If base is NULL it only returns how many bytes that takes. The table
   is never more than three quarters full. */
static uint64_t footprint_p_average_layout(footprint_average *av, unsigned char *base,
                                           uint32_t buckets) {
    uint64_t at = 0, fixed, columns = av->columns;
    av->buckets = buckets;
    av->cap = buckets - buckets / 4;
    av->gap = (footprint_p_gap *)footprint_p_take(base, &at, columns + 1, sizeof *av->gap);
    av->scratch = (footprint_p_gap *)footprint_p_take(base, &at, columns + 1, sizeof *av->gap);
    at = footprint_p_layout_bursts(&av->bursts, base, at, av->flags, 1, av->columns);
    fixed = at;
    av->table = (footprint_entry *)footprint_p_take(base, &at, buckets + UINT64_C(1),
                                                    sizeof *av->table);
    av->table_bytes = (size_t)(at - fixed);
    av->bytes = (size_t)at;
    return at;
}

static void footprint_p_average_configure(footprint_average *av, const footprint_config *config) {
    footprint_p_zero(av, sizeof *av);
    av->end = footprint_p_settings(&av->config, config, &av->columns);
    av->flags = av->config.flags & FOOTPRINT_BURSTS;
    av->sample_log2 = av->config.sample_log2;
    av->is_followed = 1;
}

FOOTPRINT_API size_t footprint_average_bytes(const footprint_config *config, uint32_t blocks) {
    footprint_average av;
    uint64_t bytes;
    footprint_p_average_configure(&av, config);
    bytes = footprint_p_average_layout(&av, NULL, footprint_p_slots(&av.config, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_average_init(footprint_average *av, void *memory, size_t bytes,
                                              const footprint_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, room, least;
    uint32_t most;
    footprint_p_average_configure(av, config);
    av->config.alloc = NULL;
    least = (size_t)footprint_p_average_layout(av, NULL, 64);
    room = memory != NULL && bytes > skip ? bytes - skip : 0;
    if (least > room) {
        footprint_p_zero(av, sizeof *av);
        return 0;
    }
    most = footprint_p_slots(&av->config, UINT64_MAX);
    room = (room - least) / sizeof(footprint_entry);
    footprint_p_average_layout(av, base + skip, room < most - 64 ? 64 + (uint32_t)room : most);
    footprint_p_zero(base + skip, av->bytes);
    return av->cap;
}

FOOTPRINT_API uint32_t footprint_average_open(footprint_average *av,
                                              const footprint_config *config) {
    footprint_p_average_configure(av, config);
    footprint_p_average_layout(av, NULL, footprint_p_slots(&av->config, FOOTPRINT_P_FIRST));
    if (av->config.alloc) av->memory = av->config.alloc(av->config.user, av->bytes);
    if (!av->memory) {
        footprint_p_zero(av, sizeof *av);
        return 0;
    }
    footprint_p_average_layout(av, (unsigned char *)av->memory, av->buckets);
    footprint_p_zero(av->memory, av->bytes);
    return av->cap;
}

/* A closed footprint_average, like one whose init failed, counts nothing: all
   accesses are lost. */
FOOTPRINT_API void footprint_average_close(footprint_average *av) {
    if (av->memory && av->config.release) av->config.release(av->config.user, av->memory);
    footprint_p_zero(av, sizeof *av);
}

/* Returns the bucket of a block, or the empty one where it belongs. */
static uint32_t footprint_p_average_find(const footprint_average *av, uint64_t block) {
    const footprint_entry *table = av->table, *end = table + av->buckets;
    const footprint_entry *entry = table + (footprint_p_hash(block) * av->buckets >> 32);
    while (entry->time && entry->block != block) {
        if (++entry == end) entry = table;
    }
    return (uint32_t)(entry - table);
}

/* Moves everything to larger memory. Returns 1, or 0 if there is none; then
   nothing has changed. */
static int footprint_p_average_grow(footprint_average *av) {
    footprint_average old = *av;
    uint64_t most = footprint_p_slots(&av->config, UINT64_MAX);
    uint64_t buckets = av->buckets + (uint64_t)av->buckets / 2;
    uint32_t i;
    if (buckets > most) buckets = most;
    if (buckets <= av->buckets || !av->config.alloc || av->flags & FOOTPRINT_FULL) return 0;
    footprint_p_average_layout(av, NULL, (uint32_t)buckets);
    av->memory = av->config.alloc(av->config.user, av->bytes);
    if (!av->memory) {
        *av = old;
        return 0;
    }
    footprint_p_average_layout(av, (unsigned char *)av->memory, (uint32_t)buckets);
    footprint_p_copy(av->memory, old.memory, av->bytes - av->table_bytes);
    footprint_p_zero(av->table, av->table_bytes);
    for (i = 0; i < old.buckets; i++) {
        uint32_t bucket;
        if (old.table[i].time == 0) continue;
        bucket = footprint_p_average_find(av, old.table[i].block);
        av->table[bucket] = old.table[i];
        if (i == old.newest) av->newest = bucket;
        if (i == old.second) av->second = bucket;
    }
    if (av->config.release) av->config.release(av->config.user, old.memory);
    return 1;
}

/* An access is one look-up of the block's latest time, and one addition to a
   gap ("averages, from gaps"). The two latest blocks stand at `newest` and
   `second`. Invariant: outside footprint_p_average_each their times are right;
   inside, they are kept in registers. */

/* Adds the gaps that are open at n + 1, of all blocks that are followed. */
static void footprint_p_average_open_gaps(const footprint_average *av, footprint_p_gap *gap,
                                          uint64_t weight) {
    uint32_t i;
    for (i = 0; i < av->buckets; i++) {
        const footprint_entry *entry = &av->table[i];
        if (entry->time)
            footprint_p_gap_sum(gap, av->columns, av->now + 2 - entry->time, weight);
    }
}

/* Adds all that the burst under way has beside its reuses. */
static void footprint_p_average_close_gaps(const footprint_average *av, footprint_p_gap *open) {
    uint64_t origin = av->bursts.origin;
    footprint_p_average_open_gaps(av, open, UINT64_C(1) << av->sample_log2);
    footprint_p_followed_gap(open, av->columns, av->now - origin, av->start - origin,
                             av->followed);
}

FOOTPRINT_API void footprint_average_burst(footprint_average *av) {
    footprint_bursts *bursts = &av->bursts;
    uint64_t n = av->now - bursts->origin;
    if (n == 0) return;
    footprint_p_average_close_gaps(av, bursts->open);
    footprint_p_zero(av->table, av->table_bytes);
    av->tracked = av->newest = av->second = 0;
    av->followed = 0;
    av->start = av->now;
    av->flags |= FOOTPRINT_BURSTS;
    if (!footprint_p_end_burst(bursts, av->columns, n, av->first)) return;
    footprint_p_sum_gaps(av->gap, bursts->open, bursts->length, av->columns, 0,
                         footprint_p_group_total(bursts, av->columns));
    bursts->group = (bursts->group + 1) % FOOTPRINT_GROUPS;
    bursts->turned = av->now;
    footprint_p_sum_gaps(av->gap, bursts->open, bursts->length, av->columns, 1,
                         footprint_p_group_total(bursts, av->columns));
}

/* Keeps only the blocks that are still followed. What lies behind a removed
   entry is put in anew; to cut no run of entries in two, this starts behind an
   empty one. */
static void footprint_p_average_drop(footprint_average *av) {
    uint32_t empty = 0, i;
    av->tracked = 0;
    while (av->table[empty].time) empty++;
    for (i = 1; i <= av->buckets; i++) {
        footprint_entry *entry = &av->table[(empty + i) % av->buckets], kept = *entry;
        entry->time = 0;
        if (kept.time == 0 || footprint_p_left_out(av->sample_log2, kept.block)) continue;
        av->table[footprint_p_average_find(av, kept.block)] = kept;
        av->tracked++;
    }
}

/* The table is full: halves the sampling ratio until the blocks fit. */
static void footprint_p_average_thin(footprint_average *av) {
    av->flags |= FOOTPRINT_FULL;
    footprint_p_average_close_gaps(av, av->bursts.open);
    do {
        av->sample_log2++;
        footprint_p_average_drop(av);
    } while (av->tracked >= av->cap && av->sample_log2 < 63);
    av->start = av->now;
    av->followed = (uint64_t)av->tracked << av->sample_log2;
    footprint_p_average_open_gaps(av, av->bursts.open, 0 - (UINT64_C(1) << av->sample_log2));
}

/* The latest access is to a block that is not followed yet. */
static void footprint_p_average_new_block(footprint_average *av) {
    uint64_t weight = UINT64_C(1) << av->sample_log2;
    footprint_p_first_gap(av->bursts.open, av->columns, av->now - av->bursts.origin,
                          av->start - av->bursts.origin, av->sample_log2);
    av->first += weight;
    av->followed += weight;
    av->tracked++;
}

/* Any access: the block may be new, or not be followed. */
static FOOTPRINT_P_APART void footprint_p_average_access(footprint_average *av, uint64_t block) {
    uint64_t now = ++av->now;
    uint32_t bucket;
    av->is_followed = !footprint_p_left_out(av->sample_log2, block);
    if (!av->is_followed) return;
    bucket = footprint_p_average_find(av, block);
    if (av->table[bucket].time == 0) {
        if (av->tracked >= av->cap) {
            if (!footprint_p_average_grow(av)) {
                av->now--;                                  /* up to the access before this one */
                footprint_p_average_thin(av);
                av->now++;
                av->is_followed = !footprint_p_left_out(av->sample_log2, block);
                if (!av->is_followed) return;
            }
            bucket = footprint_p_average_find(av, block);
        }
        av->table[bucket].block = block;
        footprint_p_average_new_block(av);
    } else {
        footprint_p_gap_far(av->gap, av->columns, now - av->table[bucket].time + 1,
                            av->sample_log2);
    }
    av->table[bucket].time = now;
    if (bucket != av->newest) av->second = av->tracked == 1 ? bucket : av->newest;
    av->newest = bucket;
}

/* blocks[0..count), all of them followed, after a first access. The two latest
   blocks and the time of the second stay in registers. Returns how many
   accesses were counted: fewer if sampling began. */
static FOOTPRINT_P_ALWAYS size_t footprint_p_average_each(footprint_average *av,
                                                          const uint64_t *blocks, size_t count,
                                                          int ahead) {
    footprint_entry *table = av->table, *one = table + av->newest, *two = table + av->second;
    footprint_entry *last = table + av->buckets, *entry;
    footprint_p_gap *gap = av->gap;
    uint64_t first = one->block, second = two->block, time = two->time;
    uint64_t now = av->now, start = now, end = now + count;
    uint64_t columns = av->columns, buckets = av->buckets;
    for (; now < end; now++) {
        const uint64_t *at = blocks + (size_t)(now - start);
        uint64_t block = *at;
        if (ahead && end - now > FOOTPRINT_P_AHEAD) {
            uint64_t later = footprint_p_hash(at[FOOTPRINT_P_AHEAD]);
            FOOTPRINT_P_PREFETCH(table + (later * buckets >> 32));
        }
        if (block == first) continue;
        if (block == second) {
            footprint_p_gap_far(gap, columns, now - time + 2, 0);
            entry = two;
        } else {
            two->time = time;
            one->time = now;
            entry = table + (footprint_p_hash(block) * buckets >> 32);
            while (entry->block != block && entry->time) {
                if (++entry == last) entry = table;
            }
            if (FOOTPRINT_P_UNLIKELY(entry->time == 0)) {
                av->newest = (uint32_t)(one - table);
                av->second = (uint32_t)(two - table);
                av->now = now;
                footprint_p_average_access(av, block);
                if (av->sample_log2) return (size_t)(now + 1 - start);
                table = av->table;
                gap = av->gap;
                buckets = av->buckets;
                last = table + buckets;
                one = table + av->newest;
                two = table + av->second;
                first = block;
                second = two->block;
                time = two->time;
                continue;
            }
            footprint_p_gap_far(gap, columns, now - entry->time + 2, 0);
        }
        two = one;
        one = entry;
        second = first;
        first = block;
        time = now;
    }
    two->time = time;
    one->time = now;
    av->newest = (uint32_t)(one - table);
    av->second = (uint32_t)(two - table);
    av->now = now;
    return count;
}

static FOOTPRINT_P_APART size_t footprint_p_average_plain(footprint_average *av,
                                                          const uint64_t *blocks, size_t count) {
    return footprint_p_average_each(av, blocks, count, 0);
}

static FOOTPRINT_P_APART size_t footprint_p_average_ahead(footprint_average *av,
                                                          const uint64_t *blocks, size_t count) {
    return footprint_p_average_each(av, blocks, count, 1);
}

FOOTPRINT_API void footprint_average_access(footprint_average *av, uint64_t block) {
    if (av->now < av->end) {
        footprint_p_average_access(av, block);
        return;
    }
    av->lost = footprint_p_sat_add(av->lost, 1);
    av->flags |= FOOTPRINT_ENDED;
}

FOOTPRINT_API void footprint_average_access_many(footprint_average *av, const uint64_t *blocks,
                                                 size_t count) {
    const uint64_t *end = blocks + count;
    FOOTPRINT_ASSERT(blocks != NULL || count == 0);
    while (blocks < end) {
        size_t most = (size_t)(end - blocks) < 1024 ? (size_t)(end - blocks) : 1024;
        if (av->sample_log2 || av->now == av->bursts.origin || av->now >= av->end) {
            footprint_average_access(av, *blocks++);
            continue;
        }
        if (most > av->end - av->now) most = (size_t)(av->end - av->now);
        blocks += av->table_bytes > FOOTPRINT_P_LARGE ? footprint_p_average_ahead(av, blocks, most)
                                                : footprint_p_average_plain(av, blocks, most);
    }
}

FOOTPRINT_API void footprint_average_access_repeat(footprint_average *av, uint64_t count) {
    uint64_t most = av->end - av->now;
    if (av->now == av->bursts.origin) return;
    if (count > most) {
        av->flags |= FOOTPRINT_ENDED;
        av->lost = footprint_p_sat_add(av->lost, count - most);
        count = most;
    }
    av->now += count;
    if (av->is_followed) av->table[av->newest].time = av->now;
}

FOOTPRINT_API void footprint_average_reference(footprint_average *av, const void *address,
                                               size_t bytes) {
    uint64_t block = (uint64_t)(uintptr_t)address >> av->config.block_log2;
    uint64_t last = footprint_p_last_block(address, bytes, av->config.block_log2);
    for (; block < last; block++) footprint_average_access(av, block);
    footprint_average_access(av, last);
}

FOOTPRINT_API void footprint_average_get_stats(const footprint_average *av, footprint_stats *out) {
    out->accesses = av->now;
    out->lost = av->lost;
    out->accesses_max = av->end;
    out->blocks = footprint_p_blocks(av->first, av->now);
    out->forgotten = 0;
    out->memory_bytes = av->bytes;
    out->blocks_bytes = av->table_bytes;
    out->flags = av->flags;
    out->sample_log2 = av->sample_log2;
}



FOOTPRINT_API size_t footprint_average_snapshot_bytes(const footprint_average *av) {
    return footprint_profile_bytes(1, av->columns, av->bursts.total ? FOOTPRINT_BURSTS : 0);
}

FOOTPRINT_API int footprint_average_snapshot(const footprint_average *av,
                                             footprint_profile *profile, void *memory,
                                             size_t bytes) {
    footprint_bursts bursts = av->bursts;
    uint64_t n = av->now - bursts.origin;
    uint32_t b;
    if (footprint_profile_init(profile, 1, av->columns, bursts.total ? FOOTPRINT_BURSTS : 0,
                               memory, bytes)) return -1;
    profile->accesses = av->now;
    profile->blocks = footprint_p_blocks(av->first, av->now);
    profile->flags = av->flags | FOOTPRINT_AVERAGE;
    profile->sample_log2 = av->sample_log2;
    profile->block_log2 = av->config.block_log2;
    if (av->now == 0) return 0;
    if (av->flags & FOOTPRINT_BURSTS) profile->bursts = bursts.count + (n > 0);
    else if (av->now <= av->config.window_max) {
        profile->last_window = av->now;
        profile->last_blocks = profile->blocks;
    }
    footprint_p_copy(av->scratch, bursts.open, (av->columns + 1) * sizeof *av->scratch);
    footprint_p_average_close_gaps(av, av->scratch);
    if (n) footprint_p_gap_sum(bursts.length, av->columns, n + 2, 1);
    footprint_p_sum_gaps(av->gap, av->scratch, bursts.length, av->columns, 0, profile->total);
    footprint_p_copy_groups(&bursts, profile);
    if (profile->groups)
        footprint_p_sum_gaps(av->gap, av->scratch, bursts.length, av->columns, 0,
                             profile->group_total + bursts.group * (size_t)av->columns);
    if (n) footprint_p_gap_sum(bursts.length, av->columns, n + 2, UINT64_MAX);
    for (b = 0; b <= av->columns; b++) profile->reuse[b] = av->gap[b].count;
    for (b = 1; b < av->columns && av->sample_log2; b++)
        footprint_p_bound_total(&profile->total[b], footprint_bin_high(b), profile->blocks);
    return 0;
}

/* ---- two threads ------------------------------- src/footprint/pair.c ---- */

typedef struct footprint_p_pair_run { uint64_t first, time, length; } footprint_p_pair_run;
typedef struct footprint_p_pair_mark {
    uint64_t since, from, low;
    uint64_t x0, x1, times;          /* the latest ages, which are not in the row yet */
    uint64_t born;
    uint32_t row, period_log2;
    uint32_t cursor, stride;         /* run of since; how many runs the mark went on last time */
} footprint_p_pair_mark;
typedef struct footprint_p_pair_cell { uint64_t count, sum; } footprint_p_pair_cell;

/* Lays everything out from base on. If base is NULL it only returns how many
   bytes that takes. */
static uint64_t footprint_p_pair_layout(footprint_pair *pair, unsigned char *base, uint32_t runs,
                                        const footprint_config *config) {
    footprint_config settings;
    uint64_t at = 0, cells;
    footprint_p_zero(pair, sizeof *pair);
    pair->end = footprint_p_settings(&settings, config, &pair->columns);
    pair->c = settings.c;
    pair->mark_max = pair->columns - 1;
    pair->run_max = runs;
    cells = 1 + (uint64_t)pair->mark_max * (pair->columns - 1);
    cells -= (uint64_t)pair->mark_max * (pair->mark_max - 1) / 2;
    pair->marks   = (footprint_p_pair_mark *)footprint_p_take(base, &at, pair->mark_max,
                                                              sizeof *pair->marks);
    pair->cells   = (footprint_p_pair_cell *)footprint_p_take(base, &at, cells,
                                                              sizeof *pair->cells);
    pair->scratch = (footprint_p_pair_cell *)footprint_p_take(base, &at, pair->columns,
                                                              sizeof *pair->cells);
    pair->table_bytes = (size_t)at;
    pair->runs    = (footprint_p_pair_run *)footprint_p_take(base, &at, runs, sizeof *pair->runs);
    return at;
}

FOOTPRINT_API size_t footprint_pair_bytes(const footprint_config *config, uint32_t runs) {
    footprint_pair pair;
    uint64_t bytes = footprint_p_pair_layout(&pair, NULL, runs < 64 ? 64 : runs, config) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_pair_init(footprint_pair *pair, void *memory, size_t bytes,
                                           const footprint_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, least, runs;
    least = footprint_pair_bytes(config, 64);
    if (memory == NULL || bytes < least) {
        footprint_p_zero(pair, sizeof *pair);
        return 0;
    }
    runs = 64 + (bytes - least) / sizeof(footprint_p_pair_run);
    if (runs > UINT32_C(1) << 30) runs = UINT32_C(1) << 30;
    footprint_p_pair_layout(pair, base + skip, (uint32_t)runs, config);
    footprint_p_zero(base + skip, pair->table_bytes);
    return pair->run_max;
}

/* Each low end F of a bin of counts has one mark, a time tau_F: windows that
   start at or before tau_F count as holding F accesses of thread 1 or more.
   Thread 1's accesses have the numbers 0, 1, 2, ..., and X_F is the time of
   number (count so far - F). A window holds F or more exactly when it starts at
   or before X_F. No search is needed to find X_F, only the runs in which the
   numbers lie:

       accesses   b b b b a a a b b b b b a b a b b b        a: thread 0, b: thread 1
       numbers    0 1 2 3       4 5 6 7 8   9   10 ..
       runs [0: 4] [4: 5] [9: 1] [10: 3] first number: length, and its first time

   A mark may lag behind X_F until pending, the number of thread 1's accesses
   since it was moved, would be more than slack(F) = floor((F - 1) / c) - (F -
   1). Then a window that is not counted as >= F holds at most (F - 1) / c, so
   counts are within [c, 1] of the truth. A mark moves exactly when the count
   reaches a multiple of its period, the largest power of two <= slack(F) + 1.

   Invariant after each run: tau_F falls as F grows. Powers of two nest, so
   whenever a mark moves all marks of smaller F with the same or a shorter
   period move as well, and the order needs no test.

   While a mark rests, its age (now - tau_F + 1) grows by one at each access. A
   rest adds the ages of one run to the row of F: for each bin their number and
   their sum. If thread 1 runs for long, mark and thread advance in step, and
   the same ages come again and again: one addition with a weight deals with
   them all.

   When memory is full, runs are dropped: those that no window of interest reaches,
   and those before the largest mark if no larger mark can come. If that is not enough and c < 1,
   runs are thinned from new to old: a dropped run counts as the end of the run
   before it, which takes at most half of the slack of the marks that look
   there; the other half remains for their period. At c = 1 the largest mark is
   given up with its row.

   Cost: for c < 1 a few moves for each access of thread 1, for c = 1 one for
   each mark. */

/* The largest count that a window may have without being counted as >= low. */
static uint64_t footprint_p_pair_slack(const footprint_pair *pair, uint64_t low) {
    if (pair->c >= 1) return 0;
    return (uint64_t)((double)(low - 1) / pair->c + 1e-9) - (low - 1);
}

static uint32_t footprint_p_pair_period_log2(const footprint_pair *pair, uint64_t low) {
    uint64_t slack = footprint_p_pair_slack(pair, low);
    return FOOTPRINT_P_LOG2((pair->is_thinned ? slack - slack / 2 : slack) + 1);
}

/* Adds the ages x0..x1, `weight` times each, to a row. */
static void footprint_p_pair_add_ages(footprint_p_pair_cell *row, uint32_t columns, uint64_t x0,
                                      uint64_t x1, uint64_t weight) {
    uint32_t bin = footprint_bin(x0);
    for (; bin < columns && x0 <= x1; bin++) {
        uint64_t high = footprint_bin_high(bin), end = high < x1 ? high : x1;
        uint64_t length = end - x0 + 1;
        row[bin].count += weight * length;
        row[bin].sum += weight * (length * end - footprint_p_triangle(length - 1));
        x0 = end + 1;
    }
}

/* What was left of a mark has ended; its ages were x0..x1. Where threads take turns of
   one length, a mark has the same ages again and again. They go to the row
   once, with their weight. */
static inline void footprint_p_pair_end_rest(const footprint_pair *pair,
                                             footprint_p_pair_mark *mark, uint64_t x0,
                                             uint64_t x1) {
    if (x0 == mark->x0 && x1 == mark->x1) {
        mark->times++;
        return;
    }
    footprint_p_pair_add_ages(pair->cells + mark->row, pair->columns, mark->x0, mark->x1,
                              mark->times);
    mark->x0 = x0;
    mark->x1 = x1;
    mark->times = 1;
}

/* Drops the first `count` runs. All that marks need to know of them is that
   they are old. */
static void footprint_p_pair_drop_runs(footprint_pair *pair, uint32_t count) {
    uint32_t i;
    if (count == 0) return;
    pair->dropped_time = pair->runs[count - 1].time + pair->runs[count - 1].length - 1;
    for (i = count; i < pair->run_count; i++) pair->runs[i - count] = pair->runs[i];
    pair->run_count -= count;
    for (i = 0; i < pair->mark_count; i++) {
        uint32_t cursor = pair->marks[i].cursor;
        pair->marks[i].cursor = cursor > count ? cursor - count : 0;
    }
}

/* Drops runs, from new to old, whose numbers may as well count as the end of
   the run before. The kept ones gather at the end; the two newest and the
   oldest always stay. */
static void footprint_p_pair_thin_runs(footprint_pair *pair) {
    uint32_t i, w = pair->run_count - 2;
    if (!pair->is_thinned) {
        pair->is_thinned = 1;
        for (i = 0; i < pair->mark_count; i++)
            pair->marks[i].period_log2 = footprint_p_pair_period_log2(pair, pair->marks[i].low);
    }
    for (i = w; i-- > 0; ) {
        uint64_t first = pair->runs[w].first;
        uint64_t slack = footprint_p_pair_slack(pair, pair->number - first);
        if (i > 0 && first - (pair->runs[i - 1].first + pair->runs[i - 1].length) <= slack / 2)
            continue;
        pair->runs[--w] = pair->runs[i];
    }
    for (i = w; i < pair->run_count; i++) pair->runs[i - w] = pair->runs[i];
    pair->run_count -= w;
    for (i = 0; i < pair->mark_count; i++) {                 /* the last run that began by then */
        footprint_p_pair_mark *mark = &pair->marks[i];
        uint32_t low = 0, high = pair->run_count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (pair->runs[middle].time <= mark->since) low = middle;
            else high = middle;
        }
        mark->cursor = low;
    }
}

static void footprint_p_pair_make_room(footprint_pair *pair) {
    uint64_t longest = footprint_bin_high(pair->columns - 1);
    uint32_t old = 0, b;
    while (old + 1 < pair->run_count &&
           pair->runs[old].time + pair->runs[old].length - 1 + longest <= pair->now) old++;
    if (pair->mark_count == pair->mark_max && old < pair->marks[pair->mark_count - 1].cursor)
        old = pair->marks[pair->mark_count - 1].cursor;
    footprint_p_pair_drop_runs(pair, old);
    if (pair->run_count == pair->run_max && pair->c < 1) footprint_p_pair_thin_runs(pair);
    while (pair->run_count == pair->run_max && pair->mark_count > 1) {
        footprint_p_pair_mark *largest = &pair->marks[--pair->mark_count];
        for (b = pair->mark_count + 1; b < pair->columns; b++)
            pair->cells[largest->row + b].count = pair->cells[largest->row + b].sum = 0;
        pair->mark_max = pair->mark_count;
        pair->flags |= FOOTPRINT_FULL;
        footprint_p_pair_drop_runs(pair, pair->marks[pair->mark_count - 1].cursor);
    }
    if (pair->run_count == pair->run_max) footprint_p_pair_drop_runs(pair, pair->run_count - 1);
}

/* Makes the marks that are due once thread 1 has made so many accesses. `time`
   and `number` are those before its run. A new mark starts at number 0. */
static void footprint_p_pair_add_marks(footprint_pair *pair, uint64_t time, uint64_t number) {
    uint32_t j;
    for (j = pair->mark_count; j < pair->mark_max; j++) {
        footprint_p_pair_mark *mark = &pair->marks[j];
        mark->low = footprint_bin_low(j + 1);
        if (mark->low > pair->number) return;
        mark->since = pair->runs[0].first == 0 ? pair->runs[0].time : pair->dropped_time;
        mark->from = mark->born = time + mark->low - number;
        mark->period_log2 = footprint_p_pair_period_log2(pair, mark->low);
        mark->cursor = mark->stride = 0;
        mark->row = j * (pair->columns - 1) - j * (j + 1) / 2;
        pair->mark_count = j + 1;
    }
}

/* Moves a mark to number x at time now. Returns how many numbers of its run
   come after x. */
static inline uint64_t footprint_p_pair_step(footprint_pair *pair, footprint_p_pair_mark *mark,
                                             uint64_t x, uint64_t now) {
    const footprint_p_pair_run *runs = pair->runs, *run;
    uint32_t cursor = mark->cursor, guess = cursor + mark->stride;
    uint64_t at;
    if (now > mark->from)
        footprint_p_pair_end_rest(pair, mark, mark->from - mark->since + 1, now - mark->since);
    mark->from = now;
    if (guess < pair->run_count && runs[guess].first <= x) cursor = guess;
    while (x - runs[cursor].first >= runs[cursor].length) {
        if (cursor + 1 == pair->run_count || runs[cursor + 1].first > x) break;
        cursor++;                                          /* x lies in a later run */
    }
    mark->stride = cursor - mark->cursor;
    mark->cursor = cursor;
    run = runs + cursor;
    at = x - run->first;
    if (at < run->length) {
        mark->since = run->time + at;
        return run->length - 1 - at;
    }
    mark->since = x < run->first ? pair->dropped_time : run->time + run->length - 1;
    return 0;
}

/* Moves a mark at each multiple t of its period up to `end`, the count of
   thread 1 by now. */
static void footprint_p_pair_move_mark(footprint_pair *pair, footprint_p_pair_mark *mark,
                                       uint64_t t, uint64_t end, uint64_t time,
                                       uint64_t number) {
    uint64_t period = UINT64_C(1) << mark->period_log2, steps, more;
    for (; t <= end; t += period) {
        uint64_t now = time + t - number;
        steps = footprint_p_pair_step(pair, mark, t - mark->low, now) >> mark->period_log2;
        more = (end - t) >> mark->period_log2;             /* in step with the thread */
        if (more < steps) steps = more;
        if (steps == 0) continue;
        now -= mark->since;
        footprint_p_pair_add_ages(pair->cells + mark->row, pair->columns, now + 1, now + period,
                                  steps);
        mark->since += steps << mark->period_log2;
        mark->from += steps << mark->period_log2;
        t += steps << mark->period_log2;
    }
}

FOOTPRINT_API void footprint_pair_run(footprint_pair *pair, int thread, uint64_t count) {
    uint64_t time = pair->now, number = pair->number, most = pair->end - pair->now, end, t;
    footprint_p_pair_mark *mark, *last;
    uint32_t old;
    FOOTPRINT_ASSERT(thread == 0 || thread == 1);
    if (count > most) {
        pair->flags |= FOOTPRINT_ENDED;
        pair->lost = footprint_p_sat_add(pair->lost, count - most);
        count = most;
    }
    if (count == 0) return;
    if (thread == 0) {
        pair->now += count;
        pair->is_joined = 0;
        return;
    }
    if (!pair->is_joined) {
        footprint_p_pair_run *run;
        if (pair->run_count == pair->run_max) footprint_p_pair_make_room(pair);
        run = &pair->runs[pair->run_count++];
        run->first = number;
        run->time = time + 1;
        run->length = 0;
    }
    pair->runs[pair->run_count - 1].length += count;
    pair->is_joined = 1;
    pair->now += count;
    pair->number += count;
    old = pair->mark_count;
    footprint_p_pair_add_marks(pair, time, number);
    end = pair->number;
    for (mark = pair->marks, last = mark + old; mark < last; mark++) {
        t = ((number >> mark->period_log2) + 1) << mark->period_log2;
        if (t > end) break;                                /* no larger one is due */
        if ((end - t) >> mark->period_log2 == 0)           /* it moves once */
            footprint_p_pair_step(pair, mark, t - mark->low, time + t - number);
        else footprint_p_pair_move_mark(pair, mark, t, end, time, number);
    }
    for (mark = last, last = pair->marks + pair->mark_count; mark < last; mark++) {
        t = ((mark->low >> mark->period_log2) + 1) << mark->period_log2;
        footprint_p_pair_move_mark(pair, mark, t, end, time, number);
    }
}

FOOTPRINT_API void footprint_pair_get_stats(const footprint_pair *pair, footprint_stats *out) {
    footprint_p_zero(out, sizeof *out);
    out->accesses = pair->now;
    out->lost = pair->lost;
    out->accesses_max = pair->end;
    out->blocks = pair->number;
    out->memory_bytes = pair->table_bytes + pair->run_max * sizeof *pair->runs;
    out->flags = pair->flags;
}

FOOTPRINT_API uint64_t footprint_pair_mark_time(const footprint_pair *pair, uint32_t bin) {
    if (bin == 0) return pair->now;
    return bin <= pair->mark_count ? pair->marks[bin - 1].since : 0;
}

/* How many windows of a run of n accesses have a length in bin. */
static uint64_t footprint_p_pair_windows(uint64_t n, uint32_t bin) {
    uint64_t low = footprint_bin_low(bin), high = footprint_bin_high(bin), width;
    if (bin == 0 || n < low) return 0;
    width = (high < n ? high : n) - low + 1;
    return width * (n - low + 1) - footprint_p_triangle(width - 1);
}

/* Turns a row of ages into windows. A window of length w is counted at every
   access at which the age is w or less. For lengths low..limit of a bin, the
   ages of the bins below (`open` many) count at each length, and an age x of
   this bin at limit - x + 1 lengths. This also counts lengths w > i at an
   access i, though such windows would start before access 1: `early` of
   them, (w - born) for each w > born. */
static void footprint_p_pair_add_row(const footprint_p_pair_cell *row, uint64_t now, uint64_t born,
                                     uint64_t *windows, uint32_t columns) {
    uint64_t open = 0;
    uint32_t b;
    for (b = 1; b < columns && footprint_bin_low(b) <= now; b++) {
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b);
        uint64_t limit = high < now ? high : now, from = low > born ? low : born + 1, early = 0;
        if (limit > born) {
            early = (limit - from + 1) * (from - born);
            early += footprint_p_triangle(limit - from);
        }
        windows[b] += (limit - low + 1) * open + row[b].count * (limit + 1) - row[b].sum - early;
        open += row[b].count;
    }
}

FOOTPRINT_API size_t footprint_pair_snapshot_bytes(const footprint_pair *pair) {
    return footprint_profile_bytes(pair->mark_count + 1, pair->columns, 0);
}

FOOTPRINT_API int footprint_pair_snapshot(const footprint_pair *pair, footprint_profile *profile,
                                          void *memory, size_t bytes) {
    uint32_t b, j;
    if (footprint_profile_init(profile, pair->mark_count + 1, pair->columns, 0, memory, bytes))
        return -1;
    profile->accesses = pair->now;
    profile->blocks = pair->number;
    if (pair->columns) profile->c = pair->c;       /* else init failed */
    profile->flags = pair->flags | FOOTPRINT_INTERLEAVED;
    for (b = 1; b < pair->columns; b++)
        profile->at_least[b] = footprint_p_pair_windows(pair->now, b);
    for (j = 0; j < pair->mark_count; j++) {
        const footprint_p_pair_mark *mark = &pair->marks[j];
        footprint_p_zero(pair->scratch, pair->columns * sizeof *pair->scratch);
        for (b = j + 1; b < pair->columns; b++) pair->scratch[b] = pair->cells[mark->row + b];
        footprint_p_pair_add_ages(pair->scratch, pair->columns, mark->x0, mark->x1, mark->times);
        if (mark->from <= pair->now)                         /* the rest under way ends here */
            footprint_p_pair_add_ages(pair->scratch, pair->columns, mark->from - mark->since + 1,
                                      pair->now - mark->since + 1, 1);
        footprint_p_pair_add_row(pair->scratch, pair->now, mark->born,
                                 profile->at_least + (j + 1) * (size_t)pair->columns,
                                 pair->columns);
    }
    return 0;
}

/* ---- profiles ------------------------------- src/footprint/profile.c ---- */

/* There are 496 bins. A profile has one row and one column at least, so that
   what is written of it can be read. */
static uint32_t footprint_p_bins(uint32_t bins) {
    return bins > 496 ? 496 : bins ? bins : 1;
}

FOOTPRINT_API size_t footprint_profile_bytes(uint32_t wanted_rows, uint32_t wanted_columns,
                                             uint32_t flags) {
    uint32_t rows = footprint_p_bins(wanted_rows), columns = footprint_p_bins(wanted_columns);
    uint64_t cells = (uint64_t)rows * columns + rows, bytes = cells * sizeof(uint64_t) + 15;
    bytes += columns * (uint64_t)sizeof(footprint_total) + (columns + 1) * sizeof(uint64_t);
    if (flags & FOOTPRINT_BURSTS) {
        uint64_t group = columns * (uint64_t)sizeof(footprint_total) + 2 * rows * sizeof(uint64_t);
        bytes += FOOTPRINT_GROUPS * group;
    }
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API int footprint_profile_init(footprint_profile *p, uint32_t rows, uint32_t columns,
                                         uint32_t flags, void *memory, size_t bytes) {
    size_t at = (size_t)(0 - (uintptr_t)memory) & 15;
    rows = footprint_p_bins(rows);
    columns = footprint_p_bins(columns);
    footprint_p_zero(p, sizeof *p);
    if (!memory || bytes < footprint_profile_bytes(rows, columns, flags)) return -1;
    footprint_p_zero(memory, footprint_profile_bytes(rows, columns, flags));
    p->rows = rows;
    p->columns = columns;
    p->total = (footprint_total *)(void *)((unsigned char *)memory + at);
    p->at_least = (uint64_t *)(void *)(p->total + columns);
    p->depth = p->at_least + (size_t)rows * columns;
    p->reuse = p->depth + rows;
    if (flags & FOOTPRINT_BURSTS) {
        p->groups = FOOTPRINT_GROUPS;
        p->group_depth = p->reuse + columns + 1;
        p->group_cut = p->group_depth + FOOTPRINT_GROUPS * (size_t)rows;
        p->group_total = (footprint_total *)(void *)(p->group_cut + FOOTPRINT_GROUPS * (size_t)rows);
    }
    p->c = 1;
    return 0;
}

FOOTPRINT_API uint64_t footprint_at_least(const footprint_profile *p, uint32_t window_bin,
                                          uint32_t bin) {
    if (bin >= p->rows || window_bin >= p->columns) return 0;
    return p->at_least[(size_t)bin * p->columns + window_bin];
}

FOOTPRINT_API uint64_t footprint_windows(const footprint_profile *p, uint32_t window_bin) {
    return footprint_at_least(p, window_bin, 0);
}

FOOTPRINT_API uint32_t footprint_percentile(const footprint_profile *p, uint32_t window_bin,
                                            uint32_t percent) {
    uint64_t all = footprint_windows(p, window_bin), rank;
    uint32_t bin = 0;
    if (all == 0) return UINT32_MAX;
    if (percent > 100) percent = 100;
    rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    if (rank == 0) rank = 1;
    while (all - footprint_at_least(p, window_bin, bin + 1) < rank) bin++;
    return bin;
}

/* Where one block in 2^k is followed, nothing is known of caches of fewer. */
static int footprint_p_is_unknown(const footprint_profile *p, double blocks) {
    return p->sample_log2 && blocks < (double)(UINT64_C(1) << p->sample_log2);
}

static double footprint_p_miss_without(const footprint_profile *p, double blocks, uint32_t group);
FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks) {
    double all = (double)p->blocks, hits = 0;
    uint32_t row;
    if (footprint_p_is_unknown(p, blocks)) return -1;
    if (p->flags & FOOTPRINT_BURSTS) return footprint_p_miss_without(p, blocks, UINT32_MAX);
    for (row = 1; row < p->rows; row++) {
        uint64_t first = footprint_bin_low(row), next = footprint_bin_low(row + 1);
        double low = (double)first, width = (double)(next - first), here = (double)p->depth[row];
        all += here;
        if (blocks - low + 1 >= width) hits += here;
        else if (blocks >= low) hits += here * (blocks - low + 1) / width;
    }
    return all > hits ? 1 - hits / all : 0;
}

/* ---- sums and phases --------------------------- src/footprint/sums.c ---- */

static void footprint_p_saturate(footprint_profile *p, uint64_t *sum, uint64_t add) {
    *sum = footprint_p_sat_add(*sum, add);
    if (*sum == UINT64_MAX) p->flags |= FOOTPRINT_SATURATED;
}

/* The last cell, of reuses that are longer than the table, follows its
   columns. */
static void footprint_p_add_reuses(footprint_profile *into, const footprint_profile *other) {
    uint32_t column;
    if (!other->reuse || !into->reuse) into->reuse = NULL;
    for (column = 0; into->reuse && column <= other->columns; column++) {
        uint32_t to = column < other->columns ? column : into->columns;
        footprint_p_saturate(into, &into->reuse[to], other->reuse[column]);
    }
}

static void footprint_p_add_groups(footprint_profile *into, const footprint_profile *other) {
    uint32_t g, row, column;
    for (g = 0; g < into->groups && g < other->groups; g++) {
        for (row = 0; row < other->rows; row++) {
            size_t to = g * (size_t)into->rows + row, from = g * (size_t)other->rows + row;
            footprint_p_saturate(into, &into->group_depth[to], other->group_depth[from]);
            footprint_p_saturate(into, &into->group_cut[to], other->group_cut[from]);
        }
        for (column = 0; column < other->columns; column++) {
            footprint_total *to = &into->group_total[g * (size_t)into->columns + column];
            const footprint_total *from = &other->group_total[g * (size_t)other->columns + column];
            footprint_p_saturate(into, &to->windows, from->windows);
            footprint_p_wide_add(&to->low, &to->high, from->low, from->high);
        }
    }
}

FOOTPRINT_API int footprint_add(footprint_profile *into, const footprint_profile *other) {
    uint32_t row, column;
    int empty = into->accesses == 0;
    if (into->rows < other->rows || into->columns < other->columns) return -1;
    if (!empty && (into->flags ^ other->flags) & (FOOTPRINT_INTERLEAVED | FOOTPRINT_AVERAGE))
        return -1;
    if (!empty && into->block_log2 != other->block_log2) return -1;
    for (column = 0; column < other->columns; column++) {
        footprint_total *to = &into->total[column];
        const footprint_total *from = &other->total[column];
        for (row = 0; row < other->rows; row++)
            footprint_p_saturate(into, &into->at_least[row * (size_t)into->columns + column],
                                 other->at_least[row * (size_t)other->columns + column]);
        footprint_p_saturate(into, &to->windows, from->windows);
        footprint_p_wide_add(&to->low, &to->high, from->low, from->high);
    }
    for (row = 0; row < other->rows; row++)
        footprint_p_saturate(into, &into->depth[row], other->depth[row]);
    footprint_p_add_reuses(into, other);
    footprint_p_add_groups(into, other);
    footprint_p_saturate(into, &into->bursts, other->bursts);
    footprint_p_saturate(into, &into->accesses, other->accesses);
    footprint_p_saturate(into, &into->blocks, other->blocks);
    footprint_p_saturate(into, &into->forgotten, other->forgotten);
    if (other->c < into->c) into->c = other->c;
    if (other->sample_log2 > into->sample_log2) into->sample_log2 = other->sample_log2;
    into->block_log2 = other->block_log2;
    into->flags |= other->flags;
    into->last_window = empty ? other->last_window : 0;
    into->last_blocks = empty ? other->last_blocks : 0;
    return 0;
}

static void footprint_p_subtract_groups(footprint_profile *later,
                                        const footprint_profile *earlier) {
    uint32_t g, row, column;
    for (g = 0; g < later->groups; g++) {
        for (row = 0; row < earlier->rows; row++) {
            size_t to = g * (size_t)later->rows + row, from = g * (size_t)earlier->rows + row;
            later->group_depth[to] -= earlier->group_depth[from];
            later->group_cut[to] -= earlier->group_cut[from];
        }
        for (column = 0; column < later->columns; column++) {
            size_t at = g * (size_t)later->columns + column;
            footprint_total *total = &later->group_total[at];
            const footprint_total *less = &earlier->group_total[at];
            total->windows -= less->windows;
            footprint_p_wide_less(&total->low, &total->high, less->low, less->high);
        }
    }
}

FOOTPRINT_API int footprint_subtract(footprint_profile *later,
                                     const footprint_profile *earlier) {
    uint32_t row, column;
    if (later->rows < earlier->rows || later->columns != earlier->columns) return -1;
    if (later->accesses < earlier->accesses || later->groups != earlier->groups) return -1;
    for (column = 0; column < later->columns; column++) {
        footprint_total *from = &later->total[column];
        const footprint_total *less = &earlier->total[column];
        for (row = 0; row < earlier->rows; row++)
            later->at_least[row * (size_t)later->columns + column] -=
                earlier->at_least[row * (size_t)later->columns + column];
        from->windows -= less->windows;
        footprint_p_wide_less(&from->low, &from->high, less->low, less->high);
        if (later->sample_log2 || later->flags & FOOTPRINT_FULL) /* blocks: of before, too */
            footprint_p_bound_total(from, footprint_bin_high(column), later->blocks);
    }
    for (row = 0; row < earlier->rows; row++) later->depth[row] -= earlier->depth[row];
    for (column = 0; later->reuse && earlier->reuse && column <= later->columns; column++)
        later->reuse[column] -= earlier->reuse[column];
    footprint_p_subtract_groups(later, earlier);
    later->bursts -= earlier->bursts;
    later->accesses -= earlier->accesses;
    later->blocks -= earlier->blocks;
    later->forgotten -= earlier->forgotten;
    later->last_window = later->last_blocks = 0;
    later->flags |= FOOTPRINT_DIFFERENCE;
    return 0;
}

/* ---- samples: what bursts tell ------------- src/footprint/sampling.c ---- */

/* What the first access to a block in a burst finds in a cache is not known:
   its last use was before the burst. The n-th such block has been used at a
   stack distance of n or more, for n - 1 other blocks came in between. That is
   what life tables call a life that is cut off, and the estimator of Kaplan and
   Meier takes such lives for what they are (lives: accesses; age: distance):

       S(d) = S(d - 1) (1 - reuses at distance d / accesses known to be at d or more)

   S(C) is the share of accesses that miss in an LRU cache of C blocks. A row has
   several distances. Of the lives that end in it by a cut, those cut at its low
   end count for none of its distances, and those cut at its high end for nearly
   all; half of them in the middle. Nothing is said of distances that fewer than
   half of the bursts reach: there, few unusual bursts would speak for all.

   How far off that may be is estimated by leaving out one group of bursts at a
   time (the jackknife): with answers e_1 .. e_G the variance is (G - 1) / G
   times the sum of squared distances from their mean, and the 95 % interval
   takes Student's t with G - 1 degrees of freedom. Bursts of one group need not
   be independent of one another. Neighbouring bursts are in different groups, so
   that each group has seen the whole run. */
enum { FOOTPRINT_P_LEAST_GROUPS = 8 };

/* Returns the share of misses without one group, or -1 if it is not known. A
   group of UINT32_MAX leaves none out, and looks whether enough bursts go so
   far. */
static double footprint_p_miss_without(const footprint_profile *p, double blocks,
                                       uint32_t group) {
    double reuses = 0, cuts = 0, survive = 1;
    uint32_t row, g, pass;
    if (p->groups == 0 || p->accesses == 0) return -1;
    for (pass = 0; pass < 2; pass++) {
        for (row = 1; row < p->rows; row++) {
            double low = footprint_p_lowest(row), here = 0, cut = 0, risk, part, width;
            width = (double)(footprint_bin_low(row + 1) - footprint_bin_low(row));
            for (g = 0; g < p->groups; g++) {
                if (g == group) continue;
                here += (double)p->group_depth[g * (size_t)p->rows + row];
                cut += (double)p->group_cut[g * (size_t)p->rows + row];
            }
            if (pass == 0) {
                reuses += here;
                cuts += cut;
                continue;
            }
            if (low > blocks) return survive;
            if (group == UINT32_MAX &&
                (row + 1 == p->rows || cut < width * (double)p->bursts / 2)) return -1;
            part = blocks - low + 1 < width ? (blocks - low + 1) / width : 1;
            risk = reuses + cuts - cut + cut * (width - 1) / (2 * width);
            if (here > 0) survive *= risk > here ? 1 - part * here / risk : 1 - part;
            reuses -= here;
            cuts -= cut;
        }
    }
    return group == UINT32_MAX ? -1 : survive;
}

/* The average footprint at the high end of a column, without one group; or -1.
   The windows of two columns differ by the bursts that reach the second one,
   once for each length in between. */
static double footprint_p_average_without(const footprint_profile *p, uint32_t column,
                                          uint32_t group) {
    footprint_total t = p->total[column];
    if (group == UINT32_MAX) {
        double lengths = (double)(footprint_bin_high(column) - footprint_bin_high(column - 1));
        double windows = (double)p->total[column - 1].windows;
        if (column == 1) windows = (double)p->accesses + (double)p->bursts;
        if (windows - (double)t.windows < lengths * (double)p->bursts / 2) return -1;
    } else {
        const footprint_total *less = p->group_total + group * (size_t)p->columns + column;
        t.windows -= less->windows;
        footprint_p_wide_less(&t.low, &t.high, less->low, less->high);
    }
    if (t.windows == 0) return -1;
    return ((double)t.high * 18446744073709551616.0 + (double)t.low) / (double)t.windows;
}

static double footprint_p_root(double square) {
    double root = square > 1 ? square : 1, next;
    if (square <= 0) return 0;
    while ((next = (root + square / root) / 2) < root) root = next;
    return root;
}

/* The interval around `middle` from answers that each leave one group out.
   Returns 0, or -1 if there are too few. */
static int footprint_p_jackknife(const double *answer, uint32_t count, double middle,
                                 double *low, double *high) {
    static const double student[] = {2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                     2.131};
    double mean = 0, square = 0;
    uint32_t i;
    if (count < FOOTPRINT_P_LEAST_GROUPS) return -1;
    for (i = 0; i < count; i++) mean += answer[i] / count;
    for (i = 0; i < count; i++) square += (answer[i] - mean) * (answer[i] - mean);
    square = footprint_p_root(square * (count - 1) / count);
    square *= student[count - FOOTPRINT_P_LEAST_GROUPS];
    *low = middle - square;
    *high = middle + square;
    return 0;
}

/* Groups without a burst do not count. */
static int footprint_p_has_bursts(const footprint_profile *p, uint32_t group) {
    return p->columns > 1 && p->group_total[group * (size_t)p->columns + 1].windows != 0;
}

static int footprint_p_miss_interval(const footprint_profile *p, double blocks, double *low,
                                     double *high) {
    double answer[FOOTPRINT_GROUPS], ratio = -1;
    uint32_t g, count = 0;
    if (p->flags & FOOTPRINT_BURSTS) ratio = footprint_miss_ratio(p, blocks);
    if (ratio < 0) return -1;
    for (g = 0; g < p->groups; g++) {
        if (!footprint_p_has_bursts(p, g)) continue;
        answer[count++] = footprint_p_miss_without(p, blocks, g);
    }
    if (footprint_p_jackknife(answer, count, ratio, low, high)) return -1;
    if (*low < 0) *low = 0;
    if (*high > 1) *high = 1;
    return 0;
}

/* Distances are short by up to c, and never too long. So a cache of so many
   blocks misses at least as often as it seems, and at most as often as one of c
   times as many seems to. */
FOOTPRINT_API int footprint_miss_interval(const footprint_profile *p, double blocks, double *low,
                                          double *high) {
    double lower, higher;
    if (footprint_p_miss_interval(p, blocks, low, high)) return -1;
    if (!(p->c < 1) || blocks < 1) return 0;
    if (footprint_p_miss_interval(p, blocks * p->c, &lower, &higher)) higher = 1;
    if (higher > *high) *high = higher;
    return 0;
}

FOOTPRINT_API int footprint_average_interval(const footprint_profile *p, double window,
                                             double *low, double *high) {
    double answer[FOOTPRINT_GROUPS], average = -1, from, part;
    uint32_t g, b = 1, count = 0;
    if (p->flags & FOOTPRINT_BURSTS) average = footprint_average_of(p, window);
    if (average < 0 || window <= 0) return -1;
    while (b < p->columns && footprint_p_highest(b) < window) b++;
    if (b >= p->columns) return -1;
    from = footprint_p_highest(b - 1);
    part = (window - from) / (footprint_p_highest(b) - from);
    for (g = 0; g < p->groups; g++) {
        double before, here;
        if (!footprint_p_has_bursts(p, g)) continue;
        before = b > 1 ? footprint_p_average_without(p, b - 1, g) : 0;
        here = footprint_p_average_without(p, b, g);
        if (before >= 0 && here >= 0) answer[count++] = before + (here - before) * part;
    }
    if (footprint_p_jackknife(answer, count, average, low, high)) return -1;
    if (*low < 0) *low = 0;
    if (*low > window) *low = window;
    if (*high > window) *high = window;
    return 0;
}

/* ---- answers by averages -------------------- src/footprint/answers.c ---- */

/* The average is known at the high ends of bins, and for the whole run. The
   line through these points and (0, 0) is the average footprint by window
   length. */
typedef struct footprint_p_piece { double window0, blocks0, window1, blocks1; } footprint_p_piece;

/* Returns whether there is a point n, and gives it in window1 and blocks1. */
static int footprint_p_point(const footprint_profile *p, uint32_t n, footprint_p_piece *to) {
    uint64_t before = footprint_bin_high(n - 1);
    if (p->flags & FOOTPRINT_BURSTS) {
        to->window1 = footprint_p_highest(n);
        to->blocks1 = n < p->columns ? footprint_p_average_without(p, n, UINT32_MAX) : -1;
        return to->blocks1 >= 0;
    }
    if (n < p->columns && p->total[n].windows) {
        const footprint_total *t = &p->total[n];
        uint64_t high = footprint_bin_high(n);
        to->window1 = (double)high;
        to->blocks1 = (double)t->high * 18446744073709551616.0 + (double)t->low;
        to->blocks1 /= (double)t->windows;
        return 1;
    }
    if (p->last_window == 0 || n > p->columns) return 0;
    if (n > 1 && (p->total[n - 1].windows == 0 || p->last_window <= before)) return 0;
    to->window1 = (double)p->last_window;
    to->blocks1 = (double)p->last_blocks;
    return 1;
}

/* Finds the piece of the line that holds a window or, if blocks >= 0, reaches
   so many blocks. Returns 0 behind the last; then window0 and blocks0 are the
   last point. */
static int footprint_p_find_piece(const footprint_profile *p, double window, double blocks,
                                  footprint_p_piece *to) {
    uint32_t n;
    to->window0 = to->blocks0 = to->window1 = to->blocks1 = 0;
    for (n = 1; footprint_p_point(p, n, to); n++) {
        if (blocks < 0 ? to->window1 >= window : to->blocks1 >= blocks) return 1;
        to->window0 = to->window1;
        to->blocks0 = to->blocks1;
    }
    return 0;
}

FOOTPRINT_API double footprint_average_of(const footprint_profile *p, double window) {
    footprint_p_piece at;
    if (window <= 0) return 0;
    if (!footprint_p_find_piece(p, window, -1, &at))
        return p->flags & FOOTPRINT_BURSTS ? -1 : at.blocks0;
    return at.blocks0 +
           (at.blocks1 - at.blocks0) * (window - at.window0) / (at.window1 - at.window0);
}

FOOTPRINT_API double footprint_fill_time(const footprint_profile *p, double blocks) {
    footprint_p_piece at;
    if (blocks <= 0) return 0;
    if (!footprint_p_find_piece(p, 0, blocks, &at)) return -1;
    return at.window0 +
           (at.window1 - at.window0) * (blocks - at.blocks0) / (at.blocks1 - at.blocks0);
}

/* Reuses whose window is longer than the high end of bin b are those of more
   than high(b) - 1 accesses: the line through these points and (0, 1) is the
   share of accesses by reuse. First accesses are never reuses. */
FOOTPRINT_API double footprint_reuse_after(const footprint_profile *p, double window) {
    double all = (double)p->accesses, longer = (double)p->blocks, from, to, before, after, share;
    uint32_t b, n;
    if (!p->reuse || p->flags & FOOTPRINT_BURSTS) return -1;
    if (p->accesses == 0) return 0;
    if (window <= 0) return 1;
    for (b = 2; b < p->columns && footprint_p_highest(b) - 1 < window; b++) {}
    for (n = b + 1; n <= p->columns; n++) longer += (double)p->reuse[n];
    after = longer / all;
    if (b >= p->columns) share = after;            /* the table ends here */
    else {
        before = b > 2 ? after + (double)p->reuse[b] / all : 1;
        from = b > 2 ? footprint_p_highest(b - 1) - 1 : 0;
        to = footprint_p_highest(b) - 1;
        if (before > 1) before = 1;
        share = before + (after - before) * (window - from) / (to - from);
    }
    return share < 0 ? 0 : share < 1 ? share : 1;  /* estimates may be above it */
}

FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks) {
    double time = footprint_fill_time(p, blocks);
    if (footprint_p_is_unknown(p, blocks)) return -1;
    return footprint_reuse_after(p, time < 0 ? 18446744073709551616.0 : time);
}

#ifndef FOOTPRINT_NO_FILES

/* ---- writing a .brst part -------------------------------- src/part.c ---- */

/* CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t footprint_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
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
typedef struct footprint_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} footprint_p_out;

static void footprint_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void footprint_p_put_block(footprint_p_out *out, size_t size) {
    out->crc = footprint_p_crc32(out->crc, out->chunk, size);
    footprint_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void footprint_p_put_flush(footprint_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    footprint_p_little(out->chunk, out->used, 2);
    footprint_p_put_block(out, 2 + out->used);
}

static void footprint_p_put(footprint_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) footprint_p_put_flush(out);
    }
}

static void footprint_p_put_varint(footprint_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        footprint_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void footprint_p_put_begin(footprint_p_out *out, uint32_t kind,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    footprint_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    footprint_p_little(out->chunk + 4, 1, 2);
    footprint_p_little(out->chunk + 6, kind, 2);
    footprint_p_little(out->chunk + 8, 0, 4);
    footprint_p_put_block(out, 12);
}

static int footprint_p_put_end(footprint_p_out *out) {
    footprint_p_put_flush(out);
    footprint_p_little(out->chunk, 0, 2);
    footprint_p_little(out->chunk + 2, out->total, 8);
    footprint_p_put_block(out, 10);
    return out->error;
}

/* ---- dump -------------------------------------- src/footprint/dump.c ---- */

/* Returns how many windows of a length in window_bin have a footprint in
   bin. */
static uint64_t footprint_p_windows_in_bin(const footprint_profile *p, uint32_t window_bin,
                                           uint32_t bin) {
    return footprint_at_least(p, window_bin, bin) - footprint_at_least(p, window_bin, bin + 1);
}

/* Among the flags of a dump: the part has what follows the columns. */
#define FOOTPRINT_P_VERSION_2 256

/* Numbers, and before them how many there are. Zeros at the end are left out. */
static void footprint_p_put_list(footprint_p_out *out, const uint64_t *list, uint32_t count) {
    uint32_t i;
    while (count > 0 && list[count - 1] == 0) count--;
    footprint_p_put_varint(out, count);
    for (i = 0; i < count; i++) footprint_p_put_varint(out, list[i]);
}

static void footprint_p_put_group(footprint_p_out *out, const footprint_profile *p, uint32_t g) {
    const footprint_total *total = p->group_total + g * (size_t)p->columns;
    uint32_t i, count = p->columns;
    footprint_p_put_list(out, p->group_depth + g * (size_t)p->rows, p->rows);
    footprint_p_put_list(out, p->group_cut + g * (size_t)p->rows, p->rows);
    while (count > 0 && total[count - 1].windows == 0) count--;
    footprint_p_put_varint(out, count);
    for (i = 0; i < count; i++) {
        footprint_p_put_varint(out, total[i].windows);
        footprint_p_put_varint(out, total[i].low);
        footprint_p_put_varint(out, total[i].high);
    }
}

FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user) {
    const uint64_t head[] = {p->flags | FOOTPRINT_P_VERSION_2, p->sample_log2, p->block_log2, (uint64_t)(p->c * 1e9 + .5),
                             p->accesses, p->blocks, p->forgotten, p->last_window, p->last_blocks,
                             p->rows, p->columns};
    footprint_p_out out;
    uint32_t row, column;
    size_t size = 0;
    footprint_p_put_begin(&out, 3, write, user);
    while (name && name[size]) size++;
    footprint_p_put_varint(&out, size);
    footprint_p_put(&out, name, size);
    for (row = 0; row < sizeof head / sizeof *head; row++) footprint_p_put_varint(&out, head[row]);
    for (row = 0; row < p->rows; row++) footprint_p_put_varint(&out, p->depth[row]);
    for (column = 0; column < p->columns; column++) {
        uint32_t first = 0, last = 0;
        for (row = 0; row < p->rows; row++) {
            if (footprint_p_windows_in_bin(p, column, row) == 0) continue;
            if (last == 0) first = row;
            last = row + 1;
        }
        footprint_p_put_varint(&out, p->total[column].windows);
        footprint_p_put_varint(&out, p->total[column].low);
        footprint_p_put_varint(&out, p->total[column].high);
        footprint_p_put_varint(&out, first);
        footprint_p_put_varint(&out, last - first);
        for (row = first; row < last; row++)
            footprint_p_put_varint(&out, footprint_p_windows_in_bin(p, column, row));
    }
    footprint_p_put_varint(&out, p->reuse != NULL);
    if (p->reuse) footprint_p_put_list(&out, p->reuse, p->columns + 1);
    footprint_p_put_varint(&out, p->bursts);
    footprint_p_put_varint(&out, p->groups);
    for (row = 0; row < p->groups; row++) footprint_p_put_group(&out, p, row);
    return footprint_p_put_end(&out) ? -1 : 0;
}

#endif /* FOOTPRINT_NO_FILES */
#endif /* FOOTPRINT_IMPLEMENTATION */

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
