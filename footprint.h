/* footprint.h - v0.1.0 - how much data every window of a program touches, how threads interleave - MIT, text at end of file

   example:
       #define FOOTPRINT_IMPLEMENTATION
       #include "footprint.h"
       #include <stdio.h>
       int main(void) {
           static uint64_t memory[200000], table[200000];
           static int data[50000];
           static const footprint_config config = {0.9, 1 << 20, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL};
           footprint fp;
           footprint_profile profile;
           long i;
           if (footprint_init(&fp, memory, sizeof memory, &config) == 0) return 1;
           for (i = 0; i < 1000000; i++) footprint_reference(&fp, &data[i * i % 50000], sizeof *data);
           if (footprint_snapshot(&fp, &profile, table, sizeof table) != 0) return 1;
           printf("1000 accesses touch %.1f blocks; a cache of 512 misses %.3f\n",
                  footprint_average(&profile, 1000), footprint_miss_ratio(&profile, 512));
           return 0;
       }
   end of example.

   Define FOOTPRINT_IMPLEMENTATION in one C or C++ file before the include; include it plainly anywhere else.

   WHAT IT MEASURES  The footprint of a window (any stretch of consecutive accesses) is the number of different blocks in it.
   All n (n + 1) / 2 windows are counted, not a sample of them (paper: all-window-footprint). Every footprint is known within
   [c, 1] of its true value, c of your choice; c = 1 is exact. Windows are tallied by length and footprint in the paper's
   8-wide logarithmic bins: bin(v) = v below 16, then eight bins to the octave. From that table come percentiles. Beside it,
   from the same pass: the average footprint (exact until FULL), LRU stack distances (exact to the bin at c = 1) with the miss ratio
   of every cache size, fill time, inter-miss time and the miss ratio of programs that share a cache.

   THREE OBJECTS
     footprint           takes accesses: footprint_access, _access_many (fastest), _access_again, _reference (by address)
     footprint_pair      takes the turns of two threads: windows by how many of their accesses are the second thread's
     footprint_profile   the table, by a snapshot of either. Subtract an earlier snapshot: the windows that ended since (a phase).
                         Add those of other threads or runs. Read it with footprint_percentile and its kin; write it to a file

   MEMORY     Yours: footprint_init. 21 to 32 bytes for each different block, and tables: 0.2 MB with a window_max of 1023, 1.2 MB with
              the default one (footprint_bytes tells). Or by config.alloc and release: footprint_open starts with 1000 blocks and
              grows by an eighth to a half at a time; meanwhile old and new blocks stand side by side. Bounded by blocks_max, by
              window_max (blocks that no window of interest can reach are dropped, which costs no accuracy) or by sampling.
   FULL       When blocks no longer fit, FOOTPRINT_FULL is set for good and the tracker goes on with every second, fourth, ...
              block, chosen by hash, each standing for 2, 4, ...: good curves, no guarantee from there on, and the profile says so.
              With FOOTPRINT_FORGET it drops the blocks used least recently instead: footprints of up to as many blocks as
              footprint_init returned stay guaranteed, larger ones become one open bin.
   PROMISES   No allocation but by config.alloc, no abort, no printing, no globals. Totals that a table cannot hold are not
              counted: a tracker stops after accesses_max (6.9e10 by default), counts the rest in `lost` and sets FOOTPRINT_ENDED.
   THREADS    One object per thread; add their profiles. Nothing is shared, nothing is locked. A snapshot uses the tracker's scratch.
   COST       An access is O(1) for c < 1, O(log blocks) for c = 1, whatever their number: 40 to 45 ns of data accesses of gzip at
              c = 0.9 on a 2.3 GHz Xeon, 3 to 4 of its instruction fetches, 60 at c = 1, 6 to 8 for the average alone.

   OPTIONS    define beside FOOTPRINT_IMPLEMENTATION
     FOOTPRINT_STATIC         everything static (define in front of every include of that file)
     FOOTPRINT_ASSERT(x)      what to do with a caller's mistake; nothing by default, memory stays safe
     FOOTPRINT_NO_FILES       leave out footprint_write and footprint_load
     FOOTPRINT_NO_PAIR        leave out footprint_pair
     FOOTPRINT_NO_BUILTINS    plain C instead of the compiler's bit scans and prefetch
    FOOTPRINT_NO_SIMD        no SSE2, and no BMI2 where the processor has it (x86-64 with GCC or Clang)                       */

#ifndef FOOTPRINT_H
#define FOOTPRINT_H
#include <stddef.h>
#include <stdint.h>

#ifdef FOOTPRINT_STATIC
#  if defined(__GNUC__)
#    define FOOTPRINT_API __attribute__((unused)) static
#  else
#    define FOOTPRINT_API static
#  endif
#else
#  define FOOTPRINT_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {                                             /* flags of a config, a tracker and a profile */
    FOOTPRINT_AVERAGE     = 1,                     /* count the average footprint only: no windows, no stack distances */
    FOOTPRINT_FORGET      = 2,                     /* when full, drop the oldest blocks instead of sampling */
    FOOTPRINT_FULL        = 4,                     /* blocks did not fit: sampled or forgotten from there on */
    FOOTPRINT_ENDED       = 8,                     /* accesses came after the last one that can be counted */
    FOOTPRINT_PAIR        = 16,                    /* profile of a footprint_pair */
    FOOTPRINT_DIFFERENCE  = 32,                    /* profile of windows that end in a phase, not of a whole run */
    FOOTPRINT_SATURATED   = 64                     /* profiles were added until a number stuck at its greatest value */
};

typedef struct footprint_config {                  /* every zero is a default */
    double   c;                                    /* 0.9: footprints within [0.9, 1] of the truth; 1: exact */
    uint64_t window_max;                           /* longest window of interest, rounded up to its bin: 2^32 - 1 */
    uint32_t blocks_max;                           /* most blocks to make room for: 2^30 */
    uint32_t flags;                                /* FOOTPRINT_AVERAGE, FOOTPRINT_FORGET */
    uint32_t sample_log2;                          /* k: follow one block in 2^k from the start; at most 24. No guarantee */
    uint32_t block_log2;                           /* bytes of a block, for footprint_reference: 6 */
    uint32_t recent, group;                        /* T: 32, or 16 (half the tables); G: 8, 1 to 64; of the algorithm below */
    void *(*alloc)(void *user, size_t bytes);      /* for footprint_open; may return NULL */
    void  (*release)(void *user, void *memory);
    void  *user;
} footprint_config;

typedef struct footprint_stats {
    uint64_t accesses, lost;                       /* counted; not counted, as they came after accesses_max */
    uint64_t accesses_max;
    uint64_t blocks, forgotten;                    /* different ones (an estimate once sampled); dropped ones count again */
    size_t   memory_bytes, blocks_bytes;           /* all memory; the part that grows with the number of blocks */
    uint32_t flags, sample_log2, marks, renumbered;
} footprint_stats;

typedef struct footprint_entry { uint64_t block, time; } footprint_entry;

typedef struct footprint {                         /* private: read it with footprint_get_stats */
    footprint_entry *top;                          /* the most recent block; `filled` of them follow one another */
    uint64_t now, wake, repeats;                   /* accesses; when to look up from counting; hits at the top */
    uint32_t filled, recent, next, second, slots, buckets, marks, mark_max, mark_young, cap, tracked, columns, rows;
    uint8_t  *near;
    uint32_t *shifted, *reused, *gap_young, *index, *place, *pending, *slack;  /* E, R */
    uint64_t *live, *depth, *born, *before;
    int32_t  *young;                               /* D */
    footprint_entry *slot, *ring;
    struct footprint_p_mark   *mark;
    struct footprint_p_gap    *gap;
    struct footprint_p_moment *cells, *events, *scratch;
    uint64_t start, folded, end, sampled, first, forgotten, forgotten_low, forgotten_high, lost;
    uint32_t fast, flags, sample_log2, renumbered, overfull, top_again, depth_first, exact;
    size_t   table_bytes, blocks_bytes, cell_count;
    void    *tables, *blocks;                      /* what config.release gets */
    footprint_config config;
} footprint;

/* Sums of footprints over all windows of exactly footprint_bin_high(column) accesses; 128 bits, low half first. */
typedef struct footprint_total { uint64_t windows, low, high; } footprint_total;

typedef struct footprint_profile {
    uint64_t accesses, blocks, forgotten;          /* as in footprint_stats */
    uint64_t last_window, last_blocks;             /* the longest window, if it was counted, and its footprint */
    double   c;                                    /* the guarantee; the least of all that were added */
    uint32_t flags, sample_log2, block_log2;
    uint32_t rows, columns;                        /* footprint bins, window length bins */
    uint64_t *at_least;                            /* [row * columns + column]: windows with footprint_bin_low(row) blocks or more */
    uint64_t *depth;                               /* [row]: reuses by LRU stack distance (1: the same block again) */
    footprint_total *total;                        /* [column] */
} footprint_profile;

/* ---- tracking ---- */

/* Lays an empty tracker out in memory[0..bytes). Returns how many different blocks fit before it is FULL; 0: too small, and every
   access will be counted as lost. */
FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes, const footprint_config *config);
/* The same in memory from config->alloc that grows as blocks come. Returns 0 when there is none. */
FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config);
FOOTPRINT_API void     footprint_close(footprint *fp);
/* Bytes that footprint_init needs for so many blocks. */
FOOTPRINT_API size_t   footprint_bytes(const footprint_config *config, uint32_t blocks);

FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block);
FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count);
/* `count` more accesses to the block accessed last. Takes the time of one. */
FOOTPRINT_API void footprint_access_again(footprint *fp, uint64_t count);
/* Every block that address[0..bytes) lies in, upward. */
FOOTPRINT_API void footprint_reference(footprint *fp, const void *address, size_t bytes);

FOOTPRINT_API void     footprint_get_stats(const footprint *fp, footprint_stats *out);
/* Windows that start at or before the access returned, and end now, count as bin's footprints or larger. 0: none do. */
FOOTPRINT_API uint64_t footprint_since(const footprint *fp, uint32_t bin);

/* ---- profiles ---- */

/* Fills *profile, whose tables go to memory[0..bytes), without disturbing fp. 0, or 1: bytes is less than footprint_snapshot_bytes. */
FOOTPRINT_API int    footprint_snapshot(const footprint *fp, footprint_profile *profile, void *memory, size_t bytes);
FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp);
/* An empty profile to add others to. 0, or 1: bytes is less than footprint_profile_bytes. */
FOOTPRINT_API int    footprint_profile_init(footprint_profile *profile, uint32_t rows, uint32_t columns, void *memory, size_t bytes);
FOOTPRINT_API size_t footprint_profile_bytes(uint32_t rows, uint32_t columns);
/* No window of the sum spans two parts. 0, or 1: rows or columns of `into` are too few, or a pair meets a footprint. */
FOOTPRINT_API int    footprint_add(footprint_profile *into, const footprint_profile *other);
/* Leaves the windows that ended between an earlier snapshot of the same tracker and this one. */
FOOTPRINT_API int    footprint_subtract(footprint_profile *later, const footprint_profile *earlier);

FOOTPRINT_API uint32_t footprint_bin(uint64_t value);
FOOTPRINT_API uint64_t footprint_bin_low(uint32_t bin);
FOOTPRINT_API uint64_t footprint_bin_high(uint32_t bin);

/* Windows whose length is in window_bin: all; those whose footprint is in bin. */
FOOTPRINT_API uint64_t footprint_windows(const footprint_profile *p, uint32_t window_bin);
FOOTPRINT_API uint64_t footprint_windows_of(const footprint_profile *p, uint32_t window_bin, uint32_t bin);
/* The bin of the least footprint that `percent` (0..100) of these windows do not exceed; the true value lies in
   [footprint_bin_low(bin), footprint_bin_high(bin) / c]. 0: the least, 100: the largest. No windows: UINT32_MAX. */
FOOTPRINT_API uint32_t footprint_percentile(const footprint_profile *p, uint32_t window_bin, uint32_t percent);

/* Average footprint of windows of so many accesses: exact at the upper ends of bins, linear between. */
FOOTPRINT_API double footprint_average(const footprint_profile *p, double window);
/* The length of window whose average footprint is so many blocks; infinite (HUGE_VAL) when none is. */
FOOTPRINT_API double footprint_fill_time(const footprint_profile *p, double blocks);
/* LRU misses per access in a cache of so many blocks, by stack distances; exact at the upper ends of bins when c = 1. */
FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks);
/* The same by theory, from the average footprint alone: the slope where it reaches `blocks`; and its inverse, in accesses. */
FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks);
FOOTPRINT_API double footprint_inter_miss_time(const footprint_profile *p, double blocks);
/* Several programs that share a cache. Each makes rates[i] of all accesses (any unit; NULL: by their numbers of accesses).
   Average footprint of a window of all; misses per access of all; and of program `which` alone. */
FOOTPRINT_API double footprint_corun_average(const footprint_profile *const *programs, const double *rates, uint32_t count, double window);
FOOTPRINT_API double footprint_corun_miss_ratio(const footprint_profile *const *programs, const double *rates, uint32_t count, double blocks);
FOOTPRINT_API double footprint_corun_miss_ratio_of(const footprint_profile *const *programs, const double *rates, uint32_t count, double blocks, uint32_t which);

#ifndef FOOTPRINT_NO_FILES
/* Writes the profile as one part of a .brst file (docs/formats.md). Returns 0 or what write returned. */
typedef int (*footprint_write_fn)(void *user, const void *data, size_t size);
FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name, footprint_write_fn write, void *user);
/* Reads one such part from data[0..size). Tables go to memory; name may be NULL. Returns NULL or what is wrong, and where in *at;
   on success *at is the number of bytes read. With memory NULL only checks; *need tells how many bytes of memory it takes. */
FOOTPRINT_API const char *footprint_load(footprint_profile *p, const void *data, size_t size, size_t *at,
                                         void *memory, size_t bytes, size_t *need, char *name, size_t name_bytes);
#endif

/* ---- interleaving of two threads ---- */

#ifndef FOOTPRINT_NO_PAIR
typedef struct footprint_pair {                    /* private */
    uint64_t now, number, lost, end, dropped_time;
    struct footprint_p_turn *runs;
    struct footprint_p_pair_mark *edges;
    struct footprint_p_cell *cells, *scratch;
    uint32_t run_count, run_max, edge_count, edge_max, columns, flags, joined, thinned;
    double   c;
    size_t   bytes;
} footprint_pair;

/* Uses c, window_max and nothing else of config. Returns how many turns of thread 1 fit before they are thinned, 0: too small. */
FOOTPRINT_API uint32_t footprint_pair_init(footprint_pair *pair, void *memory, size_t bytes, const footprint_config *config);
FOOTPRINT_API size_t   footprint_pair_bytes(const footprint_config *config, uint32_t turns);
/* The next `count` accesses of the two are thread 0's or thread 1's. Its windows are counted by accesses of thread 1. */
FOOTPRINT_API void     footprint_pair_turn(footprint_pair *pair, int thread, uint64_t count);
FOOTPRINT_API int      footprint_pair_snapshot(const footprint_pair *pair, footprint_profile *profile, void *memory, size_t bytes);
FOOTPRINT_API size_t   footprint_pair_snapshot_bytes(const footprint_pair *pair);
#endif

#ifdef __cplusplus
}
#endif
#endif /* FOOTPRINT_H */

/* ---- implementation --------------------------------------------------------------------- */
#if defined(FOOTPRINT_IMPLEMENTATION) && !defined(FOOTPRINT_IMPLEMENTED)
#define FOOTPRINT_IMPLEMENTED

#ifndef FOOTPRINT_ASSERT
#  define FOOTPRINT_ASSERT(x) ((void)0)
#endif
#undef FOOTPRINT_API
#if !defined(FOOTPRINT_STATIC)
#  define FOOTPRINT_API
#elif defined(__GNUC__)
#  define FOOTPRINT_API __attribute__((unused)) static
#else
#  define FOOTPRINT_API static
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FOOTPRINT_NO_BUILTINS) && !defined(FOOTPRINT_NO_SIMD)
#  include <emmintrin.h>
#  define FOOTPRINT_P_SSE2
#  define FOOTPRINT_P_BMI
#endif

/* Bit scans of words that are not 0. */
#if defined(__GNUC__) && !defined(FOOTPRINT_NO_BUILTINS)
#  define FOOTPRINT_P_LOG2(v)     (63u - (uint32_t)__builtin_clzll(v))
#  define FOOTPRINT_P_LOWEST(v)   ((uint32_t)__builtin_ctzll(v))
#  define FOOTPRINT_P_PREFETCH(p) __builtin_prefetch(p)
#  define FOOTPRINT_P_UNLIKELY(x) __builtin_expect(!!(x), 0)
#  define FOOTPRINT_P_APART       __attribute__((noinline))
#  define FOOTPRINT_P_ALWAYS      inline __attribute__((always_inline))
#else
#  define FOOTPRINT_P_LOG2(v)     footprint_p_log2(v)
#  define FOOTPRINT_P_LOWEST(v)   footprint_p_log2((v) & (0 - (v)))
#  define FOOTPRINT_P_PREFETCH(p) ((void)(p))
#  define FOOTPRINT_P_UNLIKELY(x) (x)
#  define FOOTPRINT_P_APART
#  define FOOTPRINT_P_ALWAYS inline
static uint32_t footprint_p_log2(uint64_t v) {
    uint32_t log = 0, step;
    for (step = 32; step; step /= 2) if (v >> step) { v >>= step; log += step; }
    return log;
}
#endif

#if defined(__GNUC__) && __GNUC__ >= 7
#  define FOOTPRINT_P_FALL __attribute__((fallthrough));
#else
#  define FOOTPRINT_P_FALL
#endif

/* ---- bins ----

   bin(v) = v below 16; from there every octave is cut into 8: with k = floor(log2 v) - 3, bin(v) = 8 k + (v >> k).
   0 -> 0, 15 -> 15, 16 and 17 -> 16, 32..35 -> 24, 288..319 -> 49 (the paper, counting from one, calls it 50). An edge is
   the least value of a bin. Twice an edge is an edge. Window lengths and footprints use the same bins.                    */

FOOTPRINT_API uint32_t footprint_bin(uint64_t value) {
    uint32_t k;
    if (value < 16) return (uint32_t)value;
    k = FOOTPRINT_P_LOG2(value) - 3;
    return 8 * k + (uint32_t)(value >> k);
}

FOOTPRINT_API uint64_t footprint_bin_low(uint32_t bin) {
    uint32_t k;
    if (bin < 16) return bin;
    if (bin > 495) return UINT64_MAX;
    k = (bin >> 3) - 1;
    return (uint64_t)(8 + (bin & 7)) << k;
}

FOOTPRINT_API uint64_t footprint_bin_high(uint32_t bin) {
    return bin >= 495 ? UINT64_MAX : footprint_bin_low(bin + 1) - 1;
}

/* ---- numbers ---- */

/* [shared: sat_add] */
static uint64_t footprint_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

typedef struct footprint_p_wide { uint64_t low, high; } footprint_p_wide;         /* 128 bits */

static void footprint_p_wide_add(uint64_t *low, uint64_t *high, uint64_t add_low, uint64_t add_high) {
    *low += add_low;
    *high += add_high + (*low < add_low);
}

static void footprint_p_wide_subtract(uint64_t *low, uint64_t *high, uint64_t less_low, uint64_t less_high) {
    *high -= less_high + (*low < less_low);
    *low -= less_low;
}

static footprint_p_wide footprint_p_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), middle2 = a0 * b1 + (middle & UINT32_MAX);
    footprint_p_wide product;
    product.low = a * b;
    product.high = a1 * b1 + (middle >> 32) + (middle2 >> 32);
    return product;
}

static double footprint_p_wide_double(uint64_t low, uint64_t high) { return (double)high * 18446744073709551616.0 + (double)low; }

/* k (k + 1) / 2 modulo 2^64; 0 for k = 0 and k = -1. */
static uint64_t footprint_p_triangle(uint64_t k) { return ((k + 1) >> 1) * (k | 1); }

/* Windows whose length is in bin, of a trace of n accesses. */
static uint64_t footprint_p_windows(uint64_t n, uint32_t bin) {
    uint64_t low = footprint_bin_low(bin), high = footprint_bin_high(bin), width;
    if (bin == 0 || n < low) return 0;
    width = (high < n ? high : n) - low + 1;
    return width * (n - low + 1) - footprint_p_triangle(width - 1);
}

/* Byte b of the result: how many of the lowest 8 (b + 1) bits of v are set. */
static uint64_t footprint_p_ones(uint64_t v) {
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return v * UINT64_C(0x0101010101010101);
}

/* Which blocks are followed at 2^-k: those whose low k bits are 0 here. Unlike the hash of the index every bit is mixed. */
static uint64_t footprint_p_mix(uint64_t block) {
    block = (block ^ block >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    block = (block ^ block >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return block ^ block >> 33;
}

#if defined(__GNUC__) && !defined(FOOTPRINT_NO_BUILTINS)
#  define footprint_p_zero(memory, bytes)    ((void)__builtin_memset(memory, 0, bytes))
#  define footprint_p_copy(to, from, bytes)  ((void)__builtin_memcpy(to, from, bytes))
#else
static void footprint_p_zero(void *memory, size_t bytes) {
    unsigned char *p = (unsigned char *)memory;
    while (bytes--) *p++ = 0;
}

static void footprint_p_copy(void *to, const void *from, size_t bytes) {
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    while (bytes--) *t++ = *f++;
}
#endif

/* ---- the algorithm ----

   The paper walks O(log) ranges at every access. Here every footprint edge F has one mark instead, the time tau_F:

       accesses   1 . . . . . . . . . . . . . . . . . . now
                        |       |    |    | | ||||||||||         windows that start at or before tau_F count as >= F
                      tau_64  tau_56 tau_48 ...   tau_1 = now

   Let X_F be the last access of the F-th most recently used block: a window touches F blocks or more exactly when it starts at
   or before X_F. A mark may lag behind X_F. Its `pending` accesses since it was last put right, counting those whose block had
   not been used after tau, have each added one to the F - 1 blocks used after it. So with

       K(F) = floor((F-1) / c),  slack(F) = K(F) - (F-1),  pending <= slack(F)

   a window not counted as >= F holds at most K(F) <= (F-1)/c blocks, one that is counted holds F: within [c, 1].

       recent: T blocks, exact                slot: all older blocks, in order of last use (higher = later)
       top[0] top[1] ... top[T-1]  ------->   next   . . # # . # . # # # . . # # . #  2      # = live (bit set)
         b      a          z  leaves                     ^place[0] ^place[1]  ^place[2] ...     . = is back in recent

   Access: found in recent at depth q: move to front. Else it comes from slot p (1: none), its bit is cleared, z gets the next
   slot, and each mark with place >= p has one more pending: marks are counted 16 at a time. They stand in groups of G that share
   the slack of their smallest edge, whose mark is the first to have more pending than that. Then, for the whole group,
   each mark moves up by as many live slots as it has pending: bitmap scans, forward only. Moves per miss: about 4 at c = 0.9,
   one per mark (O(log blocks)) at c = 1.

   While a mark rests, the shortest window that counts as >= F grows by one per access. A rest is therefore one run of ages
   x0..x1, and one update of a histogram row: per bin the number and the sum of the ages. At the end, windows of length w with
   footprint >= F = how many accesses found mark F at age w or less (less those that would begin before access 1).

   Rows F = 1..T need no marks. A block that moves from depth q to q + 1 at age y ends a run of row q + 1 and starts one of row
   q + 2; a block reused at depth q at age y ends a run of row q + 1. E[q][y] and R[q][y] count that. R is at the same time
   the LRU stack distance, and the gap between two uses from which the average footprint follows (Xiang et al.).

   Invariants between accesses, pending == 0 in group g: edge[j] - 1 - T live slots lie strictly after place[j]; place falls as
   j grows, in all groups; index points to the slot of every block that is live, and to nothing it could confuse.           */

#define FOOTPRINT_P_YOUNG 512                      /* ages below it are counted one by one */
#define FOOTPRINT_P_MARK_YOUNG 1024                /* the same for marks of edges below it */
#define FOOTPRINT_P_RING  128                      /* how many misses before `recent` is copied to the ring's end */
#define FOOTPRINT_P_FIRST 8000                     /* blocks that footprint_open makes room for */
#define FOOTPRINT_P_AHEAD 12                       /* accesses between asking memory for a bucket and needing it */
#define FOOTPRINT_P_LARGE ((size_t)1 << 20)         /* bytes of blocks from which on it pays to ask ahead */
#define FOOTPRINT_P_FOLD  UINT64_C(0x80000000)     /* accesses between emptying 32-bit counters */

struct footprint_p_mark   { uint64_t since, born; uint32_t row; };      /* row: its cells, less the bins it has not */
struct footprint_p_cell   { uint64_t count, sum; };
struct footprint_p_gap    { uint64_t count, low, high; };
struct footprint_p_moment { uint64_t count, sum, square; };
typedef struct footprint_p_mark footprint_p_mark;
typedef struct footprint_p_cell footprint_p_cell;
typedef struct footprint_p_gap footprint_p_gap;
typedef struct footprint_p_moment footprint_p_moment;

/* The largest footprint that a window may have without being counted as >= edge. */
static uint64_t footprint_p_reach(double c, uint64_t edge) {
    return c >= 1 ? edge - 1 : (uint64_t)((double)(edge - 1) / c + 1e-9);
}

static uint64_t footprint_p_edge(const footprint *fp, uint32_t j) {
    return footprint_bin_low(footprint_bin(fp->recent) + 1 + j);
}

/* Adds the ages x0..x1, `weight` times each, to a row: their number, and their sum = length * x1 - triangle(length - 1). */
static void footprint_p_run(footprint_p_cell *row, uint32_t columns, uint64_t x0, uint64_t x1, uint64_t weight) {
    uint32_t k = x0 < 16 ? 0 : FOOTPRINT_P_LOG2(x0) - 3, bin = 8 * k + (uint32_t)(x0 >> k);
    uint64_t width = UINT64_C(1) << k, end = (x0 | (width - 1)), length;
    for (; bin < columns; end += width) {
        if (end > x1) end = x1;
        length = end - x0 + 1;
        row[bin].count += weight * length;
        row[bin].sum += weight * (length * end - footprint_p_triangle(length - 1));
        if (end == x1) return;
        x0 = end + 1;
        if (++bin % 8 == 0 && bin > 8) width *= 2;                             /* the next octave */
    }
}

/* The step-th live slot after place: whole words, then whole bytes, then bits. */
static FOOTPRINT_P_APART uint32_t footprint_p_select(const footprint *fp, uint32_t place, uint32_t step) {
    const uint64_t *live = fp->live + (place >> 6);
    uint64_t bits = *live & (~UINT64_C(1) << (place & 63));
    if (step > 11)
        for (;;) {
            uint64_t ones = footprint_p_ones(bits), high = UINT64_C(0x8080808080808080), reached;
            if (ones >> 56 >= step) {
                reached = ((ones | high) - step * UINT64_C(0x0101010101010101)) & high;
                place = FOOTPRINT_P_LOWEST(reached) & 56;                      /* bytes with fewer than step are below it */
                step -= (uint32_t)(ones << 8 >> place & 127);
                bits = bits >> place << place;
                break;
            }
            step -= (uint32_t)(ones >> 56);
            bits = *++live;
        }
    for (;;) {
        while (bits == 0) bits = *++live;
        if (--step == 0) return (uint32_t)(live - fp->live) << 6 | FOOTPRINT_P_LOWEST(bits);
        bits &= bits - 1;
    }
}

/* The step-th set bit of a word, step <= 64; 64 when there is none. */
#if defined(FOOTPRINT_P_BMI)
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_select_fast(uint64_t bits, uint32_t step) {
    uint64_t bit = UINT64_C(1) << (step - 1), found;
    __asm__("pdep %1, %2, %0" : "=r"(bit) : "r"(bits), "r"(bit));
    __asm__("tzcnt %1, %0" : "=r"(found) : "r"(bit) : "cc");
    return (uint32_t)found;
}
static FOOTPRINT_P_APART uint32_t footprint_p_select_far(const footprint *fp, uint32_t place, uint32_t step) {
    const uint64_t *live = fp->live + (place >> 6);
    uint64_t bits = *live & (~UINT64_C(1) << (place & 63)), count;
    for (;; bits = *++live) {
        __asm__("popcnt %1, %0" : "=r"(count) : "r"(bits) : "cc");
        if (count >= step) return (uint32_t)(live - fp->live) << 6 | footprint_p_select_fast(bits, step);
        step -= (uint32_t)count;
    }
}
static int footprint_p_is_fast(void) {                                         /* pdep is slow on the first two AMD Zen */
    __builtin_cpu_init();
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt") && !__builtin_cpu_is("amdfam17h");
}
#else
#  define footprint_p_select_fast(bits, step) 64
#  define footprint_p_select_far footprint_p_select
static int footprint_p_is_fast(void) { return 0; }
#endif

/* Each age once. Mostly they lie in one bin. */
#ifndef FOOTPRINT_NO_PAIR
static inline void footprint_p_run_once(footprint_p_cell *row, uint32_t columns, uint64_t x0, uint64_t x1) {
    uint32_t k = x1 < 16 ? 0 : FOOTPRINT_P_LOG2(x1) - 3;
    if (x0 >> k == x1 >> k && 8 * k + (x1 >> k) < columns) {
        footprint_p_cell *cell = row + 8 * k + (size_t)(x1 >> k);
        uint64_t length = x1 - x0 + 1;
        cell->count += length;
        cell->sum += length * x1 - footprint_p_triangle(length - 1);
    } else footprint_p_run(row, columns, x0, x1, 1);
}
#endif

/* Ages run backwards in shifted and young, so that a time is an index. */
#define FOOTPRINT_P_AT(q, y) ((q) * FOOTPRINT_P_YOUNG + (FOOTPRINT_P_YOUNG - (uint32_t)(y)))

#define FOOTPRINT_P_MARK_AT(j, y) ((j) * (size_t)FOOTPRINT_P_MARK_YOUNG + (FOOTPRINT_P_MARK_YOUNG - (uint32_t)(y)))

/* Adds `count` ages y, as what is left of y's bin: moments of high - y + 1. */
static inline void footprint_p_rest(footprint_p_moment *moments, uint32_t columns, uint64_t y, uint64_t count) {
    uint32_t k = y < 16 ? 0 : FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    uint64_t rest = ((y | ((UINT64_C(1) << k) - 1)) + 1) - y;
    footprint_p_moment *moment = moments + bin;
    if (FOOTPRINT_P_UNLIKELY(bin >= columns)) return;
    moment->count += count;
    moment->sum += rest * count;
    moment->square += (rest * (rest + 1) >> 1) * count;
}

/* A run of mark j starts (+1), or it ended before (-1), at age y. */
static void footprint_p_mark_event(footprint *fp, uint32_t j, uint64_t y, int sign) {
    if (y < FOOTPRINT_P_MARK_YOUNG && j < fp->mark_young) fp->young[FOOTPRINT_P_MARK_AT(j, y)] += sign;
    else footprint_p_rest(fp->cells + fp->mark[j].row, fp->columns, y, (uint64_t)(int64_t)sign);
}

/* A run of mark j ended before age y, the next one starts at a smaller one, not young. */
static inline void footprint_p_mark_moved(footprint_p_moment *row, uint32_t columns, uint64_t y, uint64_t start) {
    uint32_t k = FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    if (y >> k == start >> k && bin < columns) {                               /* the same bin */
        uint64_t rest = (y | ((UINT64_C(1) << k) - 1)) - y + 1, less = y - start;
        row[bin].sum += less;
        row[bin].square += less * (2 * rest + less + 1) >> 1;
        return;
    }
    footprint_p_rest(row, columns, start, 1);
    footprint_p_rest(row, columns, y, UINT64_MAX);
}

/* Mark j moves up by `step` live slots. Its table of young ages ends at `young`. */
static FOOTPRINT_P_ALWAYS void footprint_p_advance(footprint *fp, uint32_t j, uint32_t step, int32_t *young, uint64_t next, int fast) {
    footprint_p_mark *mark = fp->mark + j;
    uint32_t place = fp->place[j] + 1, found = 64;
    uint64_t y, start, bits;
    if (fast) {
        __builtin_memcpy(&bits, (const unsigned char *)fp->live + (place >> 3), 8);
        bits >>= place & 7;
        if (step <= 64) found = footprint_p_select_fast(bits, step);
        place = FOOTPRINT_P_UNLIKELY(found == 64) ? footprint_p_select_far(fp, place - 1, step) : place + found;
    } else {
        bits = fp->live[place >> 6] >> (place & 63) | fp->live[(place >> 6) + 1] << 1 << (~place & 63);
        switch (step) {
            default: bits = 0; break;
            case 8: bits &= bits - 1; FOOTPRINT_P_FALL
            case 7: bits &= bits - 1; FOOTPRINT_P_FALL
            case 6: bits &= bits - 1; FOOTPRINT_P_FALL
            case 5: bits &= bits - 1; FOOTPRINT_P_FALL
            case 4: bits &= bits - 1; FOOTPRINT_P_FALL
            case 3: bits &= bits - 1; FOOTPRINT_P_FALL
            case 2: bits &= bits - 1; FOOTPRINT_P_FALL
            case 1: break;
        }
        place = bits ? place + FOOTPRINT_P_LOWEST(bits) : footprint_p_select(fp, place - 1, step);
    }
    fp->place[j] = place;
    y = next - mark->since;
    start = next - (mark->since = fp->slot[place].time);
    if (start >= FOOTPRINT_P_MARK_YOUNG || j >= fp->mark_young) footprint_p_mark_moved(fp->cells + mark->row, fp->columns, y, start);
    else {
        ++*(young - (size_t)start);
        if (y < FOOTPRINT_P_MARK_YOUNG) --*(young - (size_t)y);
        else footprint_p_rest(fp->cells + mark->row, fp->columns, y, UINT64_MAX);
    }
}

/* Puts the marks of group g right. One of them may overtake the last of the group below, which then is put right as well. */
static FOOTPRINT_P_ALWAYS void footprint_p_flush_with(footprint *fp, uint32_t g, int fast) {
    uint32_t size = fp->config.group, *pending, j;
    uint64_t next = fp->now + 1;
    for (;; g--) {
        uint32_t first = g * size, end = first + size < fp->marks ? first + size : fp->marks;
        int32_t *young = fp->young + (first + 1) * (size_t)FOOTPRINT_P_MARK_YOUNG;
        pending = fp->pending + first;
        if (size == 4 && pending[3]) {                                         /* all four, as mostly */
            footprint_p_advance(fp, first, pending[0], young, next, fast);
            footprint_p_advance(fp, first + 1, pending[1], young + FOOTPRINT_P_MARK_YOUNG, next, fast);
            footprint_p_advance(fp, first + 2, pending[2], young + 2 * FOOTPRINT_P_MARK_YOUNG, next, fast);
            footprint_p_advance(fp, first + 3, pending[3], young + 3 * FOOTPRINT_P_MARK_YOUNG, next, fast);
            pending[0] = pending[1] = pending[2] = pending[3] = 0;
        } else
            for (j = first; j < end && *pending; j++, pending++, young += FOOTPRINT_P_MARK_YOUNG) {
                footprint_p_advance(fp, j, *pending, young, next, fast);
                *pending = 0;
            }
        if (g == 0 || (fp->place[first - 1] > fp->place[first]) | (fp->pending[first - size] == 0)) return;
    }
}

static FOOTPRINT_P_APART void footprint_p_flush_plain(footprint *fp, uint32_t g) { footprint_p_flush_with(fp, g, 0); }
static FOOTPRINT_P_APART void footprint_p_flush_fast(footprint *fp, uint32_t g) { footprint_p_flush_with(fp, g, 1); }
static inline void footprint_p_flush(footprint *fp, uint32_t g) { if (fp->fast) footprint_p_flush_fast(fp, g); else footprint_p_flush_plain(fp, g); }

/* The next live slot after place. */
static inline uint32_t footprint_p_next_live(const uint64_t *live, uint32_t place) {
    uint32_t word = ++place >> 6;
    uint64_t bits = live[word] >> (place & 63);
    if (FOOTPRINT_P_UNLIKELY(bits == 0)) {
        do bits = live[++word]; while (bits == 0);
        place = word << 6;
    }
    return place + FOOTPRINT_P_LOWEST(bits);
}

/* Marks without slack need no counting: each moves to the next live slot. Returns how many did: those with place >= p. */
static FOOTPRINT_P_APART uint32_t footprint_p_count_exact(footprint *fp, uint32_t p) {
    uint32_t most = fp->exact < fp->marks ? fp->exact : fp->marks, young_most = fp->mark_young < most ? fp->mark_young : most;
    uint64_t next = fp->now + 1, y, start;
    const uint64_t *live = fp->live;
    const footprint_entry *slot = fp->slot;
    uint32_t *at = fp->place, *end = at + young_most;
    footprint_p_mark *mark = fp->mark;
    int32_t *young = fp->young + FOOTPRINT_P_MARK_YOUNG;
    for (; at < end && *at >= p; at++, mark++, young += FOOTPRINT_P_MARK_YOUNG) {
        uint32_t place = *at = footprint_p_next_live(live, *at);
        y = next - mark->since;
        start = next - (mark->since = slot[place].time);
        if (y < FOOTPRINT_P_MARK_YOUNG) { ++*(young - (size_t)start); --*(young - (size_t)y); }
        else if (start < FOOTPRINT_P_MARK_YOUNG) {
            ++*(young - (size_t)start);
            footprint_p_rest(fp->cells + mark->row, fp->columns, y, UINT64_MAX);
        } else footprint_p_mark_moved(fp->cells + mark->row, fp->columns, y, start);
    }
    if (at < end) return (uint32_t)(at - fp->place);
    for (end = fp->place + most; at < end && *at >= p; at++, mark++) {
        uint32_t place = *at = footprint_p_next_live(live, *at);
        y = next - mark->since;
        start = next - (mark->since = slot[place].time);
        footprint_p_mark_moved(fp->cells + mark->row, fp->columns, y, start);
    }
    return (uint32_t)(at - fp->place);
}

/* A block came back from slot p (1: a new block). Returns how many marks count that: those with place >= p. */
static inline uint32_t footprint_p_count(footprint *fp, uint32_t p) {
    uint32_t size = fp->config.group, marks = fp->marks, g = 0, first = 0, j;
    const uint32_t *place = fp->place;
    if (fp->exact) {
        first = footprint_p_count_exact(fp, p);
        if (first < fp->exact || first == marks) return first;
        g = first / size;
    }
#if defined(FOOTPRINT_P_SSE2)
    if (16 % size == 0) {
        __m128i least = _mm_set1_epi32((int)p - 1);
        for (;; first += 16) {
            const __m128i *at = (const __m128i *)(const void *)(place + first), *slack = (const __m128i *)(const void *)(fp->slack + first);
            __m128i *pending = (__m128i *)(void *)(fp->pending + first);
            __m128i a = _mm_cmpgt_epi32(_mm_loadu_si128(at), least), b = _mm_cmpgt_epi32(_mm_loadu_si128(at + 1), least);
            __m128i c = _mm_cmpgt_epi32(_mm_loadu_si128(at + 2), least), d = _mm_cmpgt_epi32(_mm_loadu_si128(at + 3), least);
            __m128i i = _mm_sub_epi32(_mm_loadu_si128(pending), a), k = _mm_sub_epi32(_mm_loadu_si128(pending + 1), b);
            __m128i l = _mm_sub_epi32(_mm_loadu_si128(pending + 2), c), m = _mm_sub_epi32(_mm_loadu_si128(pending + 3), d);
            uint32_t counted = ~(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d))), over;
            _mm_storeu_si128(pending, i);
            _mm_storeu_si128(pending + 1, k);
            _mm_storeu_si128(pending + 2, l);
            _mm_storeu_si128(pending + 3, m);
            i = _mm_cmpgt_epi32(i, _mm_loadu_si128(slack));
            k = _mm_cmpgt_epi32(k, _mm_loadu_si128(slack + 1));
            l = _mm_cmpgt_epi32(l, _mm_loadu_si128(slack + 2));
            m = _mm_cmpgt_epi32(m, _mm_loadu_si128(slack + 3));
            over = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(i, k), _mm_packs_epi32(l, m)));
            for (; over; over &= over - 1) footprint_p_flush(fp, (first + FOOTPRINT_P_LOWEST((uint64_t)over)) / size);
            counted = FOOTPRINT_P_LOWEST((uint64_t)counted);                            /* bit 16 is set */
            if (counted < 16) return first + counted;
        }
    }
#endif
    for (; first < marks && place[first] >= p; g++, first += size) {           /* groups, upward */
        uint32_t end = first + size < marks ? first + size : marks;
        for (j = first; j < end && place[j] >= p; j++) fp->pending[j]++;
        if (fp->pending[first] > fp->slack[first]) footprint_p_flush(fp, g);
        if (j < end || end == marks) return j;
    }
    return first;
}

static uint32_t footprint_p_slack(const footprint *fp, uint64_t edge) {
    uint64_t slack = footprint_p_reach(fp->config.c, edge) - (edge - 1);
    return slack > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)slack;
}

/* As many blocks are kept as the next edge asks for: its mark starts at the oldest. */
static void footprint_p_add_mark(footprint *fp, uint32_t place, uint64_t from) {
    uint32_t j = fp->marks, g = j / fp->config.group, first = g * fp->config.group;
    footprint_p_mark *mark = &fp->mark[j];
    fp->slack[j] = INT32_MAX;                                                  /* but for the first of a group */
    if (j != first) { if (fp->pending[first]) footprint_p_flush(fp, g); }
    else {
        fp->slack[j] = footprint_p_slack(fp, footprint_p_edge(fp, j));
        if (fp->slack[j] == 0) fp->exact = (g + 1) * fp->config.group;
        else if (j == 0) fp->exact = 0;
        if (g > 0 && fp->pending[first - fp->config.group]) footprint_p_flush(fp, g - 1);
    }
    fp->place[j] = place;
    mark->since = fp->slot[place].time;
    if (mark->born == 0) mark->born = from;
    fp->pending[j] = 0;
    mark->row = j * (fp->columns - footprint_bin(fp->recent) - 1) - j * (j + 1) / 2;    /* row j has j cells less than the first */
    footprint_p_mark_event(fp, j, from - mark->since + 1, 1);
    fp->marks = j + 1;
}

/* ---- blocks ---- */

static uint64_t footprint_p_hash(uint64_t block) { return (block ^ block >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32; }

static uint32_t footprint_p_bucket(const footprint *fp, uint64_t block) { return (uint32_t)(footprint_p_hash(block) * fp->buckets >> 32); }
static uint32_t footprint_p_bucket_of(const footprint *fp, uint64_t hash) { return (uint32_t)(hash * fp->buckets >> 32); }

/* How many recent blocks hash to this: mostly none, and then no search is needed to know that a block is not recent. */
static uint8_t *footprint_p_near(const footprint *fp, uint64_t hash) { return fp->near + (hash >> 22); }

/* The bucket of a block, or the empty one where it belongs. */
static inline uint32_t footprint_p_find_from(const footprint *fp, uint64_t block, uint32_t bucket) {
    uint32_t s;
    while ((s = fp->index[bucket]) != 0 && fp->slot[s].block != block) bucket = bucket + 1 < fp->buckets ? bucket + 1 : 0;
    return bucket;
}
static inline uint32_t footprint_p_find(const footprint *fp, uint64_t block) {
    return footprint_p_find_from(fp, block, footprint_p_bucket(fp, block));
}

static void footprint_p_gap_sum(footprint_p_gap *gaps, uint32_t columns, uint64_t y, uint64_t count) {
    uint32_t bin = footprint_bin(y);
    footprint_p_gap *gap = &gaps[bin < columns ? bin : columns];
    footprint_p_wide sum = footprint_p_product(y, count);
    gap->count += count;
    footprint_p_wide_add(&gap->low, &gap->high, sum.low, sum.high);
}

static void footprint_p_gap_far(footprint *fp, uint64_t y, uint64_t count) {
    footprint_p_gap_sum(fp->gap, fp->columns, y, count);
}

/* A block was not used between two times y - 1 apart. */
static inline void footprint_p_gap_add(footprint *fp, uint64_t y) {
    if (y < FOOTPRINT_P_YOUNG) fp->gap_young[y]++;
    else {
        uint32_t bin = footprint_bin(y);
        footprint_p_gap *gap = &fp->gap[bin < fp->columns ? bin : fp->columns];
        gap->count += UINT64_C(1) << fp->sample_log2;
        footprint_p_wide_add(&gap->low, &gap->high, y << fp->sample_log2, 0);
    }
}

/* The same without a branch, where ages are mostly not young. */
static FOOTPRINT_P_ALWAYS void footprint_p_gap_add_far(footprint_p_gap *gap, uint64_t columns, uint64_t y, uint32_t sample_log2) {
    uint32_t k = FOOTPRINT_P_LOG2(y | 8) - 3;
    uint64_t bin = 8 * (uint64_t)k + (y >> k);
    gap += bin < columns ? bin : columns;
    gap->count += UINT64_C(1) << sample_log2;
    footprint_p_wide_add(&gap->low, &gap->high, y << sample_log2, 0);
}

/* Runs of `row` start at age y. Row F is events[F - 1] - events[F]: a block that moves deeper is one sum for two rows. */
static void footprint_p_event(footprint *fp, uint32_t row, uint64_t y, uint64_t count) {
    for (; row <= fp->recent; row++) footprint_p_rest(fp->events + (size_t)row * fp->columns, fp->columns, y, 0 - count);
}

static void footprint_p_shifted_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_rest(fp->events + (size_t)(q + 1) * fp->columns, fp->columns, y, count);
}

/* Reuses at stack distances of a bin. The last row is open. */
static void footprint_p_depth(footprint *fp, uint32_t bin, uint64_t count) {
    fp->depth[bin < fp->rows ? bin : fp->rows - 1] += count << fp->sample_log2;
}

static void footprint_p_reused_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_event(fp, q + 1, y, 0 - count);
    footprint_p_gap_far(fp, y, count << fp->sample_log2);
    if (q > 0) footprint_p_depth(fp, footprint_bin((uint64_t)(q + 1) << fp->sample_log2), count);      /* 0: repeats */
}

/* Empties the 32-bit counters into the sums. */
static void footprint_p_fold(footprint *fp) {
    uint32_t q, y, j;
    for (q = 0; q < fp->recent && !(fp->flags & FOOTPRINT_AVERAGE); q++)
        for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
            uint32_t *shifted = &fp->shifted[FOOTPRINT_P_AT(q, y)], *reused = &fp->reused[(q) * FOOTPRINT_P_YOUNG + (y)];
            if (*shifted) footprint_p_shifted_far(fp, q, y, *shifted);
            if (*reused) footprint_p_reused_far(fp, q, y, *reused);
            *shifted = *reused = 0;
        }
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        if (fp->gap_young[y]) footprint_p_gap_far(fp, y, (uint64_t)fp->gap_young[y] << fp->sample_log2);
        fp->gap_young[y] = 0;
    }
    for (j = 0; j < fp->mark_young; j++) {                                     /* marks that were closed as well */
        for (y = 1; y < FOOTPRINT_P_MARK_YOUNG; y++) {
            int32_t *young = &fp->young[FOOTPRINT_P_MARK_AT(j, y)];
            if (*young) footprint_p_rest(fp->cells + fp->mark[j].row, fp->columns, y, (uint64_t)(int64_t)*young);
            *young = 0;
        }
    }
}

static void footprint_p_reindex(footprint *fp) {
    uint32_t s, ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE && fp->next > FOOTPRINT_P_AHEAD ? fp->next - FOOTPRINT_P_AHEAD : 0;
    footprint_p_zero(fp->index, (size_t)fp->buckets * sizeof *fp->index);
    for (s = 2; s < fp->next; s++) {
        if (s < ahead) FOOTPRINT_P_PREFETCH(&fp->index[footprint_p_bucket(fp, fp->slot[s + FOOTPRINT_P_AHEAD].block)]);
        fp->index[footprint_p_find(fp, fp->slot[s].block)] = s;
    }
}

/* Moves the live slots together, in place. A mark's place becomes that of the last live slot at or before it. */
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
    for (word = 0; word < w >> 6; word++) fp->live[word] = UINT64_MAX;
    fp->live[word] |= (UINT64_C(1) << (w & 63)) - 1;
    fp->live[0] &= ~UINT64_C(3);
    fp->next = w;
    footprint_p_reindex(fp);
}

/* Drops the `count` oldest blocks. They come back as new ones, which leaves every window right that does not reach them. */
static void footprint_p_forget(footprint *fp, uint32_t count) {
    uint32_t g, word = 0, left;
    for (g = 0; g * fp->config.group < fp->marks; g++) if (fp->pending[g * fp->config.group]) footprint_p_flush(fp, g);
    for (left = count; left > 0; left--) {
        uint64_t time;
        while (fp->live[word] == 0) word++;
        time = fp->slot[word << 6 | FOOTPRINT_P_LOWEST(fp->live[word])].time;
        footprint_p_wide_add(&fp->forgotten_low, &fp->forgotten_high, time, 0);
        fp->live[word] &= fp->live[word] - 1;
    }
    fp->forgotten += count;
    fp->tracked -= count;
    while (fp->marks > 0 && footprint_p_edge(fp, fp->marks - 1) > fp->tracked) {
        footprint_p_mark *mark = &fp->mark[--fp->marks];
        fp->place[fp->marks] = 0;                                              /* counts nothing */
        footprint_p_mark_event(fp, fp->marks, fp->now - mark->since + 1, -1);
    }
}

static int footprint_p_grow(footprint *fp, uint64_t slots);

/* Slots have run out: number them anew, after making room. */
static void footprint_p_renumber(footprint *fp) {
    uint32_t kept = fp->tracked - fp->filled, old = 0, word;
    fp->renumbered++;
    if (fp->now > fp->config.window_max)
        for (word = 0; word <= fp->next >> 6; word++) {
            uint64_t bits = fp->live[word];
            for (; bits; bits &= bits - 1, old++)
                if (fp->slot[word << 6 | FOOTPRINT_P_LOWEST(bits)].time > fp->now - fp->config.window_max) { word = fp->next >> 6; break; }
        }
    if (old) footprint_p_forget(fp, old);
    kept -= old;
    if (kept > fp->cap) footprint_p_grow(fp, (uint64_t)kept + kept / 2);
    if (kept > fp->cap) {
        fp->flags |= FOOTPRINT_FULL;
        if (fp->flags & FOOTPRINT_FORGET) footprint_p_forget(fp, kept - fp->cap);
        else { fp->overfull = 1; fp->wake = 0; }                               /* thins before the next access; for this one the reserve will do */
    }
    footprint_p_compact(fp);
}

/* ---- an access ---- */

/* `block` is not among the recent ones, `out` has just left them. */
static inline void footprint_p_miss(footprint *fp, uint64_t block, uint64_t hash, const footprint_entry *out, uint64_t out_hash) {
    uint64_t now = fp->now;
    uint32_t p, s, marks, bucket;
    if (FOOTPRINT_P_UNLIKELY(fp->next == fp->slots)) footprint_p_renumber(fp);
    p = fp->index[footprint_p_find_from(fp, block, footprint_p_bucket_of(fp, hash))];
    if (p != 0 && fp->live[p >> 6] >> (p & 63) & 1) {
        footprint_p_gap_add_far(fp->gap, fp->columns, now - fp->slot[p].time + 1, fp->sample_log2);
        fp->live[p >> 6] &= ~(UINT64_C(1) << (p & 63));
    } else p = 1;
    bucket = footprint_p_find_from(fp, out->block, footprint_p_bucket_of(fp, out_hash));
    s = fp->next++;
    fp->slot[s] = *out;
    fp->live[s >> 6] |= UINT64_C(1) << (s & 63);
    fp->index[bucket] = s;
    marks = footprint_p_count(fp, p);
    if (p > 1) {
        marks += fp->depth_first;
        fp->depth[marks < fp->rows ? marks : fp->rows - 1] += UINT64_C(1) << fp->sample_log2;
    }
    else {
        footprint_p_gap_add(fp, now + 1);
        fp->first += UINT64_C(1) << fp->sample_log2;
        fp->tracked++;
        if (fp->marks < fp->mark_max && fp->tracked == footprint_p_edge(fp, fp->marks)) {
            uint32_t word = 0;
            while (fp->live[word] == 0) word++;
            footprint_p_add_mark(fp, word << 6 | FOOTPRINT_P_LOWEST(fp->live[word]), now);
        }
    }
}

/* The deepest of the first `count` recent blocks, whose ages (they grow with depth) are not young. Returns how many are left. */
static FOOTPRINT_P_APART uint32_t footprint_p_shift_old(footprint *fp, uint32_t count) {
    const footprint_entry *top = fp->top;
    uint64_t next = fp->now + 1;
    for (; count > 0 && next - top[count - 1].time >= FOOTPRINT_P_YOUNG; count--)
        footprint_p_shifted_far(fp, count - 1, next - top[count - 1].time, 1);
    return count;
}

#define FOOTPRINT_P_UP(X) \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) \
    X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define FOOTPRINT_P_DOWN(X) \
    X(31) X(30) X(29) X(28) X(27) X(26) X(25) X(24) X(23) X(22) X(21) X(20) X(19) X(18) X(17) X(16) X(15) X(14) X(13) \
    X(12) X(11) X(10) X(9) X(8) X(7) X(6) X(5) X(4) X(3) X(2)

/* The first `count` recent blocks move one deeper: two instructions for each. `shifted` is the address of time 0. */
#define FOOTPRINT_P_DEEPER(q)  ++*(uint32_t *)(shifted + (uintptr_t)top[q].time * 4 + (q) * 4 * FOOTPRINT_P_YOUNG);
#define FOOTPRINT_P_DEEPER_CASE(q) FOOTPRINT_P_FALL case q: FOOTPRINT_P_DEEPER(q - 1)
#define FOOTPRINT_P_TIME_0(fp, next) ((uintptr_t)(fp)->shifted + 4 * (uintptr_t)(FOOTPRINT_P_YOUNG - (next)))
static FOOTPRINT_P_ALWAYS void footprint_p_shift(footprint *fp, const footprint_entry *top, uint32_t count) {
    uint64_t next = fp->now + 1;
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp, next);
    if (FOOTPRINT_P_UNLIKELY(next - top[count - 1].time >= FOOTPRINT_P_YOUNG)) count = footprint_p_shift_old(fp, count);
    switch (count) {
        case 32: FOOTPRINT_P_DEEPER(31)
        FOOTPRINT_P_DOWN(FOOTPRINT_P_DEEPER_CASE) FOOTPRINT_P_DEEPER_CASE(1)
        FOOTPRINT_P_FALL
        default: break;
    }
}

/* Access fp->now is to a block that is not recent: it comes to the top, and the last one leaves. */
static FOOTPRINT_P_APART void footprint_p_push(footprint *fp, uint64_t block, uint64_t hash) {
    footprint_entry *top = fp->top;
    uint32_t q;
    FOOTPRINT_P_PREFETCH(&fp->slot[fp->index[footprint_p_bucket_of(fp, hash)]]);   /* while the recent ones move */
    if (fp->filled) footprint_p_shift(fp, top, fp->filled);
    if (FOOTPRINT_P_UNLIKELY(top == fp->ring)) {
        top = fp->ring + FOOTPRINT_P_RING;
        for (q = fp->filled; q-- > 0; ) top[q] = fp->ring[q];
    }
    fp->top = --top;
    top->block = block;
    top->time = fp->now;
    ++*footprint_p_near(fp, hash);
    if (fp->filled == fp->recent) {
        const footprint_entry *out = &top[fp->filled];
        uint64_t out_hash = footprint_p_hash(out->block);
        --*footprint_p_near(fp, out_hash);
        footprint_p_miss(fp, block, hash, out, out_hash);
        return;
    }
    fp->filled++;
    fp->tracked++;
    fp->first += UINT64_C(1) << fp->sample_log2;
    fp->born[fp->filled] = fp->now;
    footprint_p_gap_add(fp, fp->now + 1);
}

/* Rare ones: few blocks are recent, or the one wanted was last used long ago. */
static FOOTPRINT_P_APART void footprint_p_change_far(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top, *entry;
    uint32_t q = 0;
    uint64_t y;
    while (q < fp->filled && top[q].block != block) q++;
    if (q == fp->filled) { footprint_p_push(fp, block, footprint_p_hash(block)); return; }
    if (q > 0) footprint_p_shift(fp, top, q);
    entry = top + q;
    y = fp->now - entry->time + 1;
    if (y >= FOOTPRINT_P_YOUNG) footprint_p_reused_far(fp, q, y, 1);
    else fp->reused[(q) * FOOTPRINT_P_YOUNG + (y)]++;
    for (; entry > top; entry--) entry[0] = entry[-1];
    top->block = block;
    top->time = fp->now;
}

/* Access fp->now is to a block that is not at the top. Written out depth by depth: the one branch that cannot be foreseen is the one
   that finds the block, and from there each step is four instructions. */
#define FOOTPRINT_P_FIND(q) if (top[q].block == block) { \
        y = next - top[q].time; \
        if (FOOTPRINT_P_UNLIKELY(y >= FOOTPRINT_P_YOUNG)) goto far; \
        fp->reused[(q) * FOOTPRINT_P_YOUNG + (y)]++; goto from_##q; }
#define FOOTPRINT_P_STEP(q) from_##q: FOOTPRINT_P_DEEPER(q - 1) top[q] = top[q - 1];
static FOOTPRINT_P_APART void footprint_p_change(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top;
    uint64_t next = fp->now + 1, y, hash = footprint_p_hash(block);
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp, next);
    if (FOOTPRINT_P_UNLIKELY(fp->filled != 32)) goto far;
    if (*footprint_p_near(fp, hash)) {
        FOOTPRINT_P_UP(FOOTPRINT_P_FIND)                                        /* from 2 up */
    }
    footprint_p_push(fp, block, hash);
    return;
far:
    footprint_p_change_far(fp, block);
    return;
    FOOTPRINT_P_DOWN(FOOTPRINT_P_STEP)
    FOOTPRINT_P_DEEPER(0) top[1] = top[0];
    top->block = block;
    top->time = next - 1;
}

/* One access, where nothing else is to be done. Most go to one of the two blocks used last. */
static inline void footprint_p_access(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top;
    uint64_t now = ++fp->now;
    if (top[0].block == block) { top[0].time = now; fp->repeats++; }
    else if (top[1].block == block) {
        if (fp->filled < 2 || now - top[1].time + 1 >= FOOTPRINT_P_YOUNG) { footprint_p_change_far(fp, block); return; }
        fp->shifted[FOOTPRINT_P_AT(0, now - top[0].time + 1)]++;
        fp->reused[FOOTPRINT_P_YOUNG + now - top[1].time + 1]++;
        top[1] = top[0];
        top[0].block = block;
        top[0].time = now;
    } else footprint_p_change(fp, block);
}

/* blocks[0..count), where nothing else is to be done and two blocks are recent. The top one was used at the access before: no time
   need be kept for it. Returns how many were taken: fewer when wake is set. */
static FOOTPRINT_P_ALWAYS size_t footprint_p_access_each(footprint *fp, const uint64_t *blocks, size_t count, int ahead) {
    footprint_entry *top = fp->top;
    uint64_t first = top[0].block, second = top[1].block, time = top[1].time, now = fp->now, start = now, end = now + count;
    uint32_t *reused = fp->reused + FOOTPRINT_P_YOUNG;
    size_t swapped = 0, changed = 0;
    for (; now < end; now++) {
        const uint64_t *at = blocks + (size_t)(now - start);
        uint64_t block = *at;
        if (ahead && end - now > FOOTPRINT_P_AHEAD) {
            uint32_t s = fp->index[footprint_p_bucket(fp, at[FOOTPRINT_P_AHEAD / 2])];
            FOOTPRINT_P_PREFETCH(&fp->index[footprint_p_bucket(fp, at[FOOTPRINT_P_AHEAD])]);
            FOOTPRINT_P_PREFETCH(&fp->slot[s]);
        }
        if (block == first) continue;
        if (block == second && now - time < FOOTPRINT_P_YOUNG - 2) {
            reused[now - time + 2]++;
            swapped++;
            second = first;
            first = block;
            time = now;
        } else {
            top = fp->top;
            top[0].block = first;
            top[0].time = now;
            top[1].block = second;
            top[1].time = time;
            fp->now = now + 1;
            changed++;
            if (block == second) footprint_p_change_far(fp, block);
            else footprint_p_change(fp, block);
            if (FOOTPRINT_P_UNLIKELY(!fp->wake)) end = now;
            top = fp->top;
            first = top[0].block;
            second = top[1].block;
            time = top[1].time;
        }
    }
    count = (size_t)(now - start);
    top = fp->top;
    top[0].block = first;
    top[0].time = now;
    top[1].block = second;
    top[1].time = time;
    fp->shifted[FOOTPRINT_P_AT(0, 2)] += (uint32_t)swapped;
    fp->now = now;
    fp->repeats += count - swapped - changed;
    return count;
}

static FOOTPRINT_P_APART size_t footprint_p_access_plain(footprint *fp, const uint64_t *blocks, size_t count) {
    return footprint_p_access_each(fp, blocks, count, 0);
}
static FOOTPRINT_P_APART size_t footprint_p_access_ahead(footprint *fp, const uint64_t *blocks, size_t count) {
    return footprint_p_access_each(fp, blocks, count, 1);
}

static void footprint_p_thin(footprint *fp);
static int footprint_p_left_out(const footprint *fp, uint64_t block) {
    return (footprint_p_mix(block) & ((UINT64_C(1) << fp->sample_log2) - 1)) != 0;
}

/* ---- average only ----  slot[] is itself the hash table, time 0 is empty, next and second are the buckets of the last two. */

static uint32_t footprint_p_average_find(const footprint *fp, uint64_t block) {
    const footprint_entry *slot = fp->slot, *entry = slot + footprint_p_bucket(fp, block), *end = slot + fp->buckets;
    while (entry->time && entry->block != block) if (++entry == end) entry = slot;
    return (uint32_t)(entry - slot);
}

/* Keeps only the blocks still followed; what lies behind a removed entry is put in anew. */
static void footprint_p_average_thin(footprint *fp) {
    uint32_t empty = 0, i, bucket;
    footprint_p_fold(fp);
    fp->sample_log2++;
    fp->tracked = 0;
    while (fp->slot[empty].time) empty++;                                      /* starts behind a gap: no run is cut in two */
    for (i = 1; i <= fp->buckets; i++) {
        footprint_entry *entry = &fp->slot[(empty + i) % fp->buckets], kept = *entry;
        entry->time = 0;
        if (kept.time == 0 || footprint_p_left_out(fp, kept.block)) continue;
        bucket = footprint_p_average_find(fp, kept.block);
        fp->slot[bucket] = kept;
        fp->tracked++;
    }
}

/* A block that is not one of the last two. */
static FOOTPRINT_P_APART void footprint_p_average_look_up(footprint *fp, uint64_t block) {
    footprint_entry *entry;
    uint64_t now = ++fp->now;
    if (fp->sample_log2 && !(fp->top_again = !footprint_p_left_out(fp, block))) return;
    fp->second = fp->next;
    fp->next = footprint_p_average_find(fp, block);
    entry = &fp->slot[fp->next];
    if (entry->time) footprint_p_gap_add(fp, now - entry->time + 1);
    else {
        if (fp->tracked >= fp->cap) {
            if (!footprint_p_grow(fp, (uint64_t)fp->slots + fp->slots / 2)) {
                fp->flags |= FOOTPRINT_FULL;
                while (fp->tracked >= fp->cap && fp->sample_log2 < 63) footprint_p_average_thin(fp);
                if (!(fp->top_again = !footprint_p_left_out(fp, block))) return;
            }
            fp->second = fp->next = footprint_p_average_find(fp, block);
            entry = &fp->slot[fp->next];
        }
        entry->block = block;
        footprint_p_gap_add(fp, now + 1);
        fp->tracked++;
        fp->first += UINT64_C(1) << fp->sample_log2;
    }
    entry->time = now;
}

static inline void footprint_p_average_access(footprint *fp, uint64_t block) {
    footprint_entry *entry = &fp->slot[fp->next];
    uint32_t second = fp->second;
    if (entry->block != block || entry->time == 0) {
        entry = &fp->slot[second];
        if (entry->block != block || entry->time == 0) { footprint_p_average_look_up(fp, block); return; }
        fp->second = fp->next;
        fp->next = second;
        footprint_p_gap_add(fp, fp->now - entry->time + 2);
    } else if (FOOTPRINT_P_UNLIKELY(entry->time != fp->now)) footprint_p_gap_add(fp, fp->now - entry->time + 2);   /* others were left out */
    entry->time = ++fp->now;
    fp->top_again = 1;
}

/* ---- entries ---- */

/* What is to be done before an access: once in a while, or always while blocks are sampled or averaged. 0: that was all. */
static int footprint_p_wake(footprint *fp, uint64_t block) {
    if (fp->now >= fp->end) {
        fp->lost = footprint_p_sat_add(fp->lost, 1);
        fp->flags |= FOOTPRINT_ENDED;
        return 0;
    }
    if (fp->now >= fp->folded) {
        footprint_p_fold(fp);
        fp->folded = fp->now + FOOTPRINT_P_FOLD;
    }
    if (fp->flags & FOOTPRINT_AVERAGE) { footprint_p_average_access(fp, block); return 0; }
    if (fp->overfull) footprint_p_thin(fp);
    fp->wake = fp->sample_log2 ? 0 : fp->folded < fp->end ? fp->folded : fp->end;
    if (fp->sample_log2) {
        fp->top_again = !footprint_p_left_out(fp, block);
        if (!fp->top_again) { fp->now++; return 0; }
        fp->sampled++;
        if (fp->filled && fp->top->block == block) {                           /* row 1 has an event here: windows without */
            uint64_t y = ++fp->now - fp->top->time + 1;
            if (y < FOOTPRINT_P_YOUNG) fp->reused[y]++;
            else footprint_p_reused_far(fp, 0, y, 1);
            fp->top->time = fp->now;
            fp->repeats++;
            return 0;
        }
    }
    if (fp->filled == 0) fp->top->block = ~block;
    return 1;
}

FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block) {
    if (FOOTPRINT_P_UNLIKELY(fp->now >= fp->wake) && !footprint_p_wake(fp, block)) return;
    footprint_p_access(fp, block);
}

/* The same for blocks[0..count), none left out: the last two blocks and the time of the second stay at hand. No branch on the size
   of a gap. Returns how many were taken: fewer when sampling began. */
static FOOTPRINT_P_ALWAYS size_t footprint_p_average_each(footprint *fp, const uint64_t *blocks, size_t count, int ahead) {
    footprint_entry *slot = fp->slot, *one = slot + fp->next, *two = slot + fp->second, *last = slot + fp->buckets, *entry;
    footprint_p_gap *gap = fp->gap;
    uint64_t first = one->block, second = two->block, time = two->time, now = fp->now, start = now, end = now + count, y;
    uint64_t columns = fp->columns, buckets = fp->buckets;
    for (; now < end; now++) {
        const uint64_t *at = blocks + (size_t)(now - start);
        uint64_t block = *at;
        if (ahead && end - now > FOOTPRINT_P_AHEAD) FOOTPRINT_P_PREFETCH(slot + (footprint_p_hash(at[FOOTPRINT_P_AHEAD]) * buckets >> 32));
        if (block == first) continue;
        if (block == second) {
            footprint_p_gap_add_far(gap, columns, now - time + 2, 0);
            entry = two;
            two = one;
        } else {
            two->time = time;
            one->time = now;
            entry = slot + (footprint_p_hash(block) * buckets >> 32);
            while (entry->block != block && entry->time) if (++entry == last) entry = slot;
            if (FOOTPRINT_P_UNLIKELY(entry->time == 0)) {                      /* new */
                fp->next = (uint32_t)(one - slot);
                fp->second = (uint32_t)(two - slot);
                fp->now = now;
                footprint_p_average_look_up(fp, block);
                if (fp->sample_log2) return (size_t)(now + 1 - start);
                slot = fp->slot;
                buckets = fp->buckets;
                last = slot + buckets;
                one = slot + fp->next;
                two = slot + fp->second;
                first = block;
                second = two->block;
                time = two->time;
                continue;
            }
            y = now - entry->time + 2;
            footprint_p_gap_add_far(gap, columns, y, 0);
            two = one;
        }
        one = entry;
        second = first;
        first = block;
        time = now;
    }
    two->time = time;
    one->time = now;
    fp->next = (uint32_t)(one - slot);
    fp->second = (uint32_t)(two - slot);
    fp->now = now;
    fp->top_again = 1;
    return count;
}

static FOOTPRINT_P_APART size_t footprint_p_average_plain(footprint *fp, const uint64_t *blocks, size_t count) {
    return footprint_p_average_each(fp, blocks, count, 0);
}
static FOOTPRINT_P_APART size_t footprint_p_average_ahead(footprint *fp, const uint64_t *blocks, size_t count) {
    return footprint_p_average_each(fp, blocks, count, 1);
}

FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count) {
    const uint64_t *end = blocks + count, *stop;
    int large = fp->blocks_bytes > FOOTPRINT_P_LARGE, ahead = large;
    FOOTPRINT_ASSERT(blocks != NULL || count == 0);
    while (blocks < end) {
        uint64_t until = fp->folded < fp->end ? fp->folded : fp->end, left;
        uint32_t next = fp->next;
        if (fp->now >= fp->wake && !((fp->flags & FOOTPRINT_AVERAGE) && fp->now < until)) { footprint_access(fp, *blocks++); continue; }
        left = until - fp->now < 1024 ? until - fp->now : 1024;
        stop = left < (uint64_t)(end - blocks) ? blocks + (size_t)left : end;
        if (fp->flags & FOOTPRINT_AVERAGE) {
            if (fp->now == 0 || fp->sample_log2) for (; blocks < stop && (fp->now == 0 || fp->sample_log2); blocks++) footprint_p_average_access(fp, *blocks);
            else blocks += (large ? footprint_p_average_ahead : footprint_p_average_plain)(fp, blocks, (size_t)(stop - blocks));
            large = fp->blocks_bytes > FOOTPRINT_P_LARGE;
            continue;
        }
        if (fp->filled < 2) { footprint_access(fp, *blocks++); continue; }
        blocks += (ahead ? footprint_p_access_ahead : footprint_p_access_plain)(fp, blocks, (size_t)(stop - blocks));
        ahead = large && fp->next - next > 128;                                /* renumbering counts as many */
    }
}

FOOTPRINT_API void footprint_access_again(footprint *fp, uint64_t count) {
    uint64_t most = fp->end - fp->now;
    if (fp->now == 0) return;
    if (count > most) {
        fp->flags |= FOOTPRINT_ENDED;
        fp->lost = footprint_p_sat_add(fp->lost, count - most);
        count = most;
    }
    fp->now += count;
    if (fp->flags & FOOTPRINT_AVERAGE) { if (fp->top_again) fp->slot[fp->next].time = fp->now; return; }
    if (!fp->top_again) return;
    if (fp->sample_log2 && count) {
        footprint_p_reused_far(fp, 0, fp->now - count - fp->top->time + 2, 1);
        if (count > 1) footprint_p_reused_far(fp, 0, 2, count - 1);
        fp->sampled += count;
    }
    fp->top->time = fp->now;
    fp->repeats += count;
}

FOOTPRINT_API void footprint_reference(footprint *fp, const void *address, size_t bytes) {
    uint64_t first = (uint64_t)(uintptr_t)address, last = first + (bytes ? bytes - 1 : 0);
    uint64_t block = first >> fp->config.block_log2;
    for (;; block++) {
        footprint_access(fp, block);
        if (block == last >> fp->config.block_log2) break;
    }
}

/* ---- reading the state ---- */

/* A mark's row counts, at every time i since born, all lengths from its age on, also those longer than i: these too many. */
static uint64_t footprint_p_early(uint64_t low, uint64_t limit, uint64_t born) {
    uint64_t from = low > born ? low : born + 1, width;
    if (limit <= born) return 0;
    width = limit - from + 1;
    return width * (from - born) + footprint_p_triangle(width - 1);
}

/* Adds windows to rows below + 1 .. bin of a column: no footprint lies between two edges that are followed. */
static void footprint_p_add_windows(uint64_t *table, uint32_t columns, uint32_t below, uint32_t bin, uint32_t column, uint64_t windows) {
    uint32_t row;
    for (row = below + 1; row <= bin; row++) table[(size_t)row * columns + column] += windows;
}

/* Row of ages -> windows: one of length w is counted at every time whose age is w or less. `open`: ages below the bin. */
static void footprint_p_add_row(const footprint_p_cell *row, uint64_t now, uint64_t born, uint64_t *table, uint32_t columns,
                                uint32_t below, uint32_t bin) {
    uint32_t b;
    uint64_t open = 0;
    for (b = 1; b < columns && footprint_bin_low(b) <= now; b++) {
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b), limit = high < now ? high : now;
        uint64_t rests = row[b].count * (limit + 1) - row[b].sum;              /* sum of limit - age + 1 */
        footprint_p_add_windows(table, columns, below, bin, b,
                                (limit - low + 1) * open + rests - footprint_p_early(low, limit, born));
        open += row[b].count;
    }
}

/* fp->scratch: the ages at which runs of a row start and, negative, end. `all`: ages below the bin, summed over its lengths. */
static void footprint_p_add_moments(const footprint *fp, uint64_t born, uint64_t *table, uint32_t below, uint32_t bin) {
    uint64_t now = fp->now, all = 0, open = 0;
    uint32_t b;
    for (b = 1; b < fp->columns && footprint_bin_low(b) <= now; b++) {
        const footprint_p_moment *m = &fp->scratch[b];
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b), limit = high < now ? high : now;
        uint64_t width = limit - low + 1, less = high - limit;
        footprint_p_add_windows(table, fp->columns, below, bin, b,
            width * all + open * footprint_p_triangle(width) + m->square - less * m->sum
            + footprint_p_triangle(less - 1) * m->count - footprint_p_early(low, limit, born));
        all += open * (high - low + 1) + m->sum;
        open += m->count;
    }
}

/* Row F <= T. */
static void footprint_p_add_recent(const footprint *fp, uint32_t F, uint64_t *table, uint32_t below, uint32_t bin) {
    footprint_p_moment *moments = fp->scratch;
    uint32_t y, b;
    for (b = 0; b < fp->columns; b++) {
        const footprint_p_moment *ends = &fp->events[(size_t)F * fp->columns + b], *starts = ends - fp->columns;
        moments[b].count = starts->count - ends->count;
        moments[b].sum = starts->sum - ends->sum;
        moments[b].square = starts->square - ends->square;
    }
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        uint64_t starts = F > 1 ? fp->shifted[FOOTPRINT_P_AT(F - 2, y)] : 0;
        footprint_p_rest(moments, fp->columns, y, starts - fp->shifted[FOOTPRINT_P_AT(F - 1, y)] - fp->reused[(F - 1) * FOOTPRINT_P_YOUNG + y]);
    }
    if (F == 1) footprint_p_rest(moments, fp->columns, 1, fp->sampled);
    footprint_p_rest(moments, fp->columns, fp->now - fp->top[F - 1].time + 2, UINT64_MAX);
    footprint_p_add_moments(fp, fp->born[F], table, below, bin);
}

static void footprint_p_add_mark_row(const footprint *fp, uint32_t j, uint64_t *table, uint32_t below, uint32_t bin) {
    const footprint_p_mark *mark = &fp->mark[j];
    footprint_p_moment *moments = fp->scratch;
    uint32_t b, first = footprint_bin(footprint_p_edge(fp, j)), y;
    for (b = 0; b < fp->columns; b++) {
        if (b >= first) moments[b] = fp->cells[mark->row + b];
        else moments[b].count = moments[b].sum = moments[b].square = 0;
    }
    for (y = 1; y < FOOTPRINT_P_MARK_YOUNG && j < fp->mark_young; y++)
        footprint_p_rest(moments, fp->columns, y, (uint64_t)(int64_t)fp->young[FOOTPRINT_P_MARK_AT(j, y)]);
    if (j < fp->marks) footprint_p_rest(moments, fp->columns, fp->now - mark->since + 2, UINT64_MAX);    /* the run under way */
    footprint_p_add_moments(fp, mark->born, table, below, bin);
}

/* Adds to the table the windows that ended since fp->start. */
static void footprint_p_extract(const footprint *fp, uint64_t *table, uint32_t rows) {
    uint32_t below = 0, F, j, b, bin;
    for (b = 1; b < fp->columns && !(fp->flags & FOOTPRINT_AVERAGE); b++) {
        uint64_t windows = footprint_p_windows(fp->now, b) - footprint_p_windows(fp->start, b);
        table[b] += windows;
        if (fp->sample_log2 == 0 && rows > 1) table[fp->columns + b] += windows;
    }
    for (F = fp->sample_log2 ? 1 : 2; F <= fp->filled && !(fp->flags & FOOTPRINT_AVERAGE); F++) {
        if (footprint_bin_low(footprint_bin(F)) != F) continue;                /* 17, 19, ... are no edges */
        bin = footprint_bin((uint64_t)F << fp->sample_log2);
        if (F == 2 && fp->sample_log2 == 0) below = 1;
        if (bin >= rows) bin = rows - 1;
        footprint_p_add_recent(fp, F, table, below, bin);
        below = bin;
    }
    for (j = 0; j < fp->mark_max && fp->mark[j].born; j++) {
        bin = footprint_bin(footprint_p_edge(fp, j) << fp->sample_log2);
        if (bin >= rows) bin = rows - 1;
        footprint_p_add_mark_row(fp, j, table, below, bin);
        below = bin;
    }
}

/* An estimate of a sum over `windows` windows of w accesses: in each there are 1 to w different blocks, and no more than there are. */
static void footprint_p_bound_total(footprint_total *total, uint64_t w, uint64_t blocks) {
    footprint_p_wide most = footprint_p_product(w < blocks ? w : blocks, total->windows);
    if (total->high >> 63 || (total->high == 0 && total->low < total->windows)) { total->low = total->windows; total->high = 0; }
    else if (total->high > most.high || (total->high == most.high && total->low > most.low)) { total->low = most.low; total->high = most.high; }
}

/* Windows of exactly the high length of each bin, and the sum of their footprints. A block is missing from just those that fit
   between two of its uses, or before the first, or after the last: max(0, y - 1 - w) windows of length w to a gap of y.        */
static void footprint_p_average_totals(const footprint *fp, footprint_total *total) {
    footprint_p_gap *gap = (footprint_p_gap *)(void *)fp->scratch;
    uint64_t n = fp->now, weight = UINT64_C(1) << fp->sample_log2, count = 0, low = 0, high = 0;
    uint32_t b, q, y, s;
    for (b = 0; b <= fp->columns; b++) gap[b] = fp->gap[b];
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        uint64_t times = fp->gap_young[y];
        for (q = 0; q < fp->recent && !(fp->flags & FOOTPRINT_AVERAGE); q++) times += fp->reused[(q) * FOOTPRINT_P_YOUNG + (y)];
        footprint_p_gap_sum(gap, fp->columns, y, times << fp->sample_log2);
    }
    for (q = 0; q < fp->filled; q++) footprint_p_gap_sum(gap, fp->columns, n + 2 - fp->top[q].time, weight);
    if (fp->flags & FOOTPRINT_AVERAGE) {
        for (s = 0; s < fp->buckets; s++)
            if (fp->slot[s].time) footprint_p_gap_sum(gap, fp->columns, n + 2 - fp->slot[s].time, weight);
    } else {
        for (s = 2; s < fp->next; s++)
            if (fp->live[s >> 6] >> (s & 63) & 1) footprint_p_gap_sum(gap, fp->columns, n + 2 - fp->slot[s].time, weight);
    }
    for (b = fp->columns; b-- > 1; ) {
        uint64_t w = footprint_bin_high(b);
        footprint_p_wide sum, less;
        count += gap[b + 1].count;
        footprint_p_wide_add(&low, &high, gap[b + 1].low, gap[b + 1].high);
        if (w > n) continue;
        sum = footprint_p_product(fp->first, n - w + 1);
        footprint_p_wide_subtract(&sum.low, &sum.high, low, high);
        less = footprint_p_product(count, w + 1);
        footprint_p_wide_add(&sum.low, &sum.high, less.low, less.high);
        less = footprint_p_product(fp->forgotten, n + 1 - w);                  /* gaps of the forgotten: n + 2 - time each */
        footprint_p_wide_subtract(&sum.low, &sum.high, less.low, less.high);
        footprint_p_wide_add(&sum.low, &sum.high, fp->forgotten_low, fp->forgotten_high);
        total[b].windows = n - w + 1;
        total[b].low = sum.low;
        total[b].high = sum.high;
        if (fp->flags & FOOTPRINT_FULL) footprint_p_bound_total(&total[b], w, fp->first);
    }
}

/* Rows that a snapshot needs: to the largest edge that was ever followed. */
static uint32_t footprint_p_rows(const footprint *fp) {
    uint32_t j = fp->marks;
    uint64_t edge = fp->recent;
    if (fp->flags & FOOTPRINT_AVERAGE) return 1;
    if (fp->start) return fp->rows;
    while (j < fp->mark_max && fp->mark[j].born) j++;
    if (j > 0) edge = footprint_p_edge(fp, j - 1);
    return footprint_bin(edge << fp->sample_log2) + 1;
}

FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp) {
    return footprint_profile_bytes(footprint_p_rows(fp), fp->columns);
}

FOOTPRINT_API int footprint_snapshot(const footprint *fp, footprint_profile *profile, void *memory, size_t bytes) {
    uint32_t rows = footprint_p_rows(fp), row, q, y;
    size_t i, cells = (size_t)rows * fp->columns;
    FOOTPRINT_ASSERT(memory != NULL);
    if (footprint_profile_init(profile, rows, fp->columns, memory, bytes)) return 1;
    profile->accesses = fp->now;
    profile->blocks = fp->first;
    profile->forgotten = fp->forgotten;
    profile->c = fp->config.c;
    profile->flags = fp->flags;
    profile->sample_log2 = fp->sample_log2;
    profile->block_log2 = fp->config.block_log2;
    profile->last_window = fp->now;
    profile->last_blocks = fp->first;
    if (fp->now) {
        if (fp->start) for (i = 0; i < cells; i++) profile->at_least[i] = fp->before[i];
        footprint_p_extract(fp, profile->at_least, rows);
        footprint_p_average_totals(fp, profile->total);
    }
    if (fp->now > footprint_bin_high(fp->columns - 1)) profile->last_window = profile->last_blocks = 0;
    if (fp->flags & FOOTPRINT_AVERAGE) return 0;
    for (row = 0; row < fp->rows; row++) profile->depth[row < rows ? row : rows - 1] += fp->depth[row];
    row = footprint_bin(UINT64_C(1) << fp->sample_log2);
    profile->depth[row < rows ? row : rows - 1] += fp->repeats << fp->sample_log2;
    for (q = 1; q < fp->recent; q++) {
        row = footprint_bin((uint64_t)(q + 1) << fp->sample_log2);
        for (y = 1; y < FOOTPRINT_P_YOUNG; y++)
            profile->depth[row < rows ? row : rows - 1] += (uint64_t)fp->reused[(q) * FOOTPRINT_P_YOUNG + (y)] << fp->sample_log2;
    }
    return 0;
}

/* ---- full: every second block from here on ----

   The windows that ended so far are added to `before`, at edges F * 2^k. Then k grows, recent and slot keep only the blocks still
   followed, and counting starts anew in that state: each row of a block that is there opens with its age, marks stand exactly.   */

static void footprint_p_thin(footprint *fp) {
    uint32_t s, q, kept, j;
    size_t i;
    footprint_p_fold(fp);
    footprint_p_extract(fp, fp->before, fp->rows);
    footprint_p_depth(fp, footprint_bin(UINT64_C(1) << fp->sample_log2), fp->repeats);
    fp->repeats = fp->sampled = 0;
    fp->marks = 0;
    do {
        fp->sample_log2++;
        for (q = kept = 0; q < fp->filled; q++) if (!footprint_p_left_out(fp, fp->top[q].block)) fp->top[kept++] = fp->top[q];
        fp->filled = kept;
        for (s = 2; s < fp->next; s++)
            if (footprint_p_left_out(fp, fp->slot[s].block)) fp->live[s >> 6] &= ~(UINT64_C(1) << (s & 63));
        footprint_p_compact(fp);
    } while (fp->next - 2 > fp->cap && fp->sample_log2 < 63);
    while (fp->filled < fp->recent && fp->next > 2) {
        fp->top[fp->filled++] = fp->slot[--fp->next];
        fp->live[fp->next >> 6] &= ~(UINT64_C(1) << (fp->next & 63));
    }
    footprint_p_reindex(fp);
    footprint_p_zero(fp->near, 1024);
    for (q = 0; q < fp->filled; q++) ++*footprint_p_near(fp, footprint_p_hash(fp->top[q].block));
    fp->tracked = fp->filled + fp->next - 2;
    fp->overfull = 0;
    fp->depth_first = footprint_bin((uint64_t)fp->recent << fp->sample_log2);
    fp->start = fp->now;
    footprint_p_zero(fp->events, (fp->recent + 2) * (size_t)fp->columns * sizeof *fp->events);
    for (i = 0; i < fp->cell_count; i++) fp->cells[i].count = fp->cells[i].sum = fp->cells[i].square = 0;
    for (q = 0; q < fp->filled; q++) {
        footprint_p_event(fp, q + 1, fp->now - fp->top[q].time + 2, 1);
        fp->born[q + 1] = fp->now + 1;
    }
    for (j = 0; j < fp->mark_max; j++) { fp->mark[j].born = 0; fp->place[j] = fp->pending[j] = 0; }
    for (j = 0; j < fp->mark_max && footprint_p_edge(fp, j) <= fp->tracked; j++)
        footprint_p_add_mark(fp, fp->next - (uint32_t)(footprint_p_edge(fp, j) - fp->recent), fp->now + 1);
}

/* ---- memory ---- */

static void *footprint_p_take(unsigned char *base, uint64_t *at, uint64_t count, size_t size) {
    void *taken = base ? base + *at : NULL;
    *at += (count * size + 15) & ~UINT64_C(15);
    return taken;
}

/* Lays the blocks out from base on, or only (base NULL) says how many bytes so many slots take. */
static uint64_t footprint_p_layout_blocks(footprint *fp, unsigned char *base, uint32_t slots) {
    uint64_t at = 0;
    int average = (fp->flags & FOOTPRINT_AVERAGE) != 0;
    fp->slots = slots;
    fp->cap = slots - slots / 4;
    fp->buckets = average ? slots : slots + slots / 4;
    fp->slot  = (footprint_entry *)footprint_p_take(base, &at, (uint64_t)slots + 1, sizeof *fp->slot);   /* one in reserve: see thin */
    fp->index = (uint32_t *)footprint_p_take(base, &at, average ? 0 : fp->buckets, sizeof *fp->index);
    fp->live  = (uint64_t *)footprint_p_take(base, &at, average ? 0 : slots / 64 + 2, sizeof *fp->live);
    fp->blocks_bytes = (size_t)at;
    return at;
}

/* The same for the tables, whose size depends on the most slots there can ever be. */
static uint64_t footprint_p_layout_tables(footprint *fp, unsigned char *base, uint32_t slots) {
    uint64_t at = 0, cells, rows;
    uint32_t T = fp->recent, low = footprint_bin(T), columns = fp->columns, marks = 0, young;
    int average = (fp->flags & FOOTPRINT_AVERAGE) != 0, forget = (fp->flags & FOOTPRINT_FORGET) != 0;
    if (average) T = 0;
    else {
        marks = footprint_bin(forget ? (uint64_t)slots - slots / 4 + T - 1 : (uint64_t)slots + T) - low;
        if (marks > columns - 1 - low) marks = columns - 1 - low;              /* no window of interest has so many blocks */
    }
    young = footprint_bin(FOOTPRINT_P_MARK_YOUNG) - 1 - low;
    if (young > marks) young = marks;
    rows = average ? 1 : low + marks + 1 + 8 * fp->config.sample_log2 + (forget ? 0 : 64);     /* 64: sampled down to 1/256 */
    cells = average ? 0 : low + 1 + (uint64_t)marks * (columns - low - 1) - (uint64_t)marks * (marks ? marks - 1 : 0) / 2;
    fp->mark_max = marks;
    fp->mark_young = young;
    fp->rows = (uint32_t)rows;
    fp->cell_count = (size_t)cells;
    fp->ring      = (footprint_entry *)footprint_p_take(base, &at, FOOTPRINT_P_RING + T + 4, sizeof *fp->ring);
    fp->shifted   = (uint32_t *)footprint_p_take(base, &at, (uint64_t)T * FOOTPRINT_P_YOUNG, sizeof *fp->shifted);
    fp->reused    = (uint32_t *)footprint_p_take(base, &at, (uint64_t)T * FOOTPRINT_P_YOUNG, sizeof *fp->reused);
    fp->gap_young = (uint32_t *)footprint_p_take(base, &at, FOOTPRINT_P_YOUNG, sizeof *fp->gap_young);
    fp->gap       = (footprint_p_gap *)footprint_p_take(base, &at, (uint64_t)columns + 1, sizeof *fp->gap);
    fp->scratch   = (footprint_p_moment *)footprint_p_take(base, &at, (uint64_t)columns + 1, sizeof *fp->scratch);
    fp->events    = (footprint_p_moment *)footprint_p_take(base, &at, average ? 0 : (T + 2) * (uint64_t)columns, sizeof *fp->events);
    fp->near      = (uint8_t *)footprint_p_take(base, &at, average ? 0 : 1024, 1);
    fp->born      = (uint64_t *)footprint_p_take(base, &at, (uint64_t)T + 1, sizeof *fp->born);
    fp->depth     = (uint64_t *)footprint_p_take(base, &at, rows, sizeof *fp->depth);
    fp->before    = (uint64_t *)footprint_p_take(base, &at, average || forget ? 0 : rows * columns, sizeof *fp->before);
    fp->place     = (uint32_t *)footprint_p_take(base, &at, marks + 16, sizeof *fp->place);        /* 16 at a time are looked at */
    fp->pending   = (uint32_t *)footprint_p_take(base, &at, marks + 16, sizeof *fp->pending);
    fp->slack     = (uint32_t *)footprint_p_take(base, &at, marks + 16, sizeof *fp->slack);
    fp->mark      = (footprint_p_mark *)footprint_p_take(base, &at, marks, sizeof *fp->mark);
    fp->young     = (int32_t *)footprint_p_take(base, &at, (uint64_t)young * FOOTPRINT_P_MARK_YOUNG, sizeof *fp->young);
    fp->cells     = (footprint_p_moment *)footprint_p_take(base, &at, cells, sizeof *fp->cells);
    fp->table_bytes = (size_t)at;
    return at;
}

/* The defaults, and what follows from them. */
static void footprint_p_configure(footprint *fp, const footprint_config *config) {
    uint64_t width;
    footprint_p_zero(fp, sizeof *fp);
    if (config) fp->config = *config;
    config = &fp->config;
    fp->config.c = config->c > 0 ? config->c > 1 ? 1 : config->c < .01 ? .01 : config->c : .9;
    fp->columns = footprint_bin(config->window_max == 0 ? UINT32_MAX : config->window_max < 1023 ? 1023 : config->window_max) + 1;
    fp->config.window_max = footprint_bin_high(fp->columns - 1);
    if (config->blocks_max == 0 || config->blocks_max > UINT32_C(1) << 30) fp->config.blocks_max = UINT32_C(1) << 30;
    if (config->sample_log2 > 24) fp->config.sample_log2 = 24;
    if (config->block_log2 == 0) fp->config.block_log2 = 6;
    fp->recent = config->recent == 16 ? 16 : 32;
    if (config->group == 0 || config->group > 64) fp->config.group = 4;
    fp->flags = config->flags & (FOOTPRINT_AVERAGE | FOOTPRINT_FORGET);
    if (fp->flags & FOOTPRINT_AVERAGE) fp->flags = FOOTPRINT_AVERAGE;
    fp->sample_log2 = config->sample_log2;
    fp->depth_first = footprint_bin((uint64_t)fp->recent << fp->sample_log2);
    fp->next = fp->flags & FOOTPRINT_AVERAGE ? 0 : 2;
    fp->top_again = 1;
    fp->fast = (uint32_t)footprint_p_is_fast();
    width = fp->config.window_max - footprint_bin_low(fp->columns - 1) + 1;
    fp->end = UINT64_MAX / width;
    if (fp->end < (UINT64_C(1) << 34) - 1) fp->end = (UINT64_C(1) << 34) - 1;  /* shorter than window_max: no cell fills before */
    fp->folded = FOOTPRINT_P_FOLD < fp->end ? FOOTPRINT_P_FOLD : fp->end;
}

/* Slots for so many blocks before the table is full. */
static uint32_t footprint_p_slots(const footprint *fp, uint64_t blocks) {
    if (blocks > fp->config.blocks_max) blocks = fp->config.blocks_max;
    if (blocks < 60) blocks = 60;
    return (uint32_t)(blocks + (blocks + 2) / 3 + 4);
}

static uint64_t footprint_p_layout(footprint *fp, unsigned char *base, uint32_t slots) {
    uint64_t tables = footprint_p_layout_tables(fp, base, slots);
    return tables + footprint_p_layout_blocks(fp, base ? base + (size_t)tables : NULL, slots);
}

FOOTPRINT_API size_t footprint_bytes(const footprint_config *config, uint32_t blocks) {
    footprint fp;
    uint64_t bytes;
    footprint_p_configure(&fp, config);
    bytes = footprint_p_layout(&fp, NULL, footprint_p_slots(&fp, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes, const footprint_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15;
    uint32_t slots = 64, step, most;
    footprint_p_configure(fp, config);
    fp->config.alloc = NULL;
    most = footprint_p_slots(fp, UINT64_MAX);
    if (memory == NULL || bytes < skip || footprint_p_layout(fp, NULL, slots) > bytes - skip) { footprint_p_zero(fp, sizeof *fp); return 0; }
    for (step = UINT32_C(1) << 30; step; step /= 2)
        if (step <= most - slots && footprint_p_layout(fp, NULL, slots + step) <= bytes - skip) slots += step;
    footprint_p_zero(base + skip, (size_t)footprint_p_layout(fp, base + skip, slots));
    fp->top = fp->ring + FOOTPRINT_P_RING;
    return fp->cap;
}

FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config) {
    footprint_p_configure(fp, config);
    if (!fp->config.alloc) { footprint_p_zero(fp, sizeof *fp); return 0; }
    footprint_p_layout_tables(fp, NULL, footprint_p_slots(fp, UINT64_MAX));
    footprint_p_layout_blocks(fp, NULL, footprint_p_slots(fp, FOOTPRINT_P_FIRST));
    fp->tables = fp->config.alloc(fp->config.user, fp->table_bytes);
    fp->blocks = fp->config.alloc(fp->config.user, fp->blocks_bytes);
    if (!fp->tables || !fp->blocks) { footprint_close(fp); return 0; }
    footprint_p_layout_tables(fp, (unsigned char *)fp->tables, footprint_p_slots(fp, UINT64_MAX));
    footprint_p_layout_blocks(fp, (unsigned char *)fp->blocks, footprint_p_slots(fp, FOOTPRINT_P_FIRST));
    footprint_p_zero(fp->tables, fp->table_bytes);
    footprint_p_zero(fp->blocks, fp->blocks_bytes);
    fp->top = fp->ring + FOOTPRINT_P_RING;
    return fp->cap;
}

FOOTPRINT_API void footprint_close(footprint *fp) {
    if (fp->tables && fp->config.release) fp->config.release(fp->config.user, fp->tables);
    if (fp->blocks && fp->config.release) fp->config.release(fp->config.user, fp->blocks);
    footprint_p_zero(fp, sizeof *fp);                                          /* in this state nothing is counted: all is `lost` */
}

/* Moves the blocks to larger memory; the index is left empty. Returns 0, and changes nothing, if there is none. */
static int footprint_p_grow(footprint *fp, uint64_t slots) {
    footprint old = *fp;
    uint32_t i;
    if (slots > footprint_p_slots(fp, UINT64_MAX)) slots = footprint_p_slots(fp, UINT64_MAX);
    if (slots <= fp->slots || !fp->config.alloc || fp->flags & FOOTPRINT_FULL) return 0;
    fp->blocks = fp->config.alloc(fp->config.user, (size_t)footprint_p_layout_blocks(fp, NULL, (uint32_t)slots));
    if (!fp->blocks) { *fp = old; return 0; }
    footprint_p_layout_blocks(fp, (unsigned char *)fp->blocks, (uint32_t)slots);
    if (fp->flags & FOOTPRINT_AVERAGE) {
        footprint_p_zero(fp->slot, fp->slots * sizeof *fp->slot);
        for (i = 0; i < old.buckets; i++)
            if (old.slot[i].time) {
                uint32_t bucket = footprint_p_average_find(fp, old.slot[i].block);
                fp->slot[bucket] = old.slot[i];
                if (i == old.next) fp->next = bucket;
                if (i == old.second) fp->second = bucket;
            }
    } else {
        footprint_p_copy(fp->slot, old.slot, old.next * sizeof *fp->slot);
        footprint_p_zero(fp->live, (fp->slots / 64 + 2) * sizeof *fp->live);
        footprint_p_copy(fp->live, old.live, (old.slots / 64 + 2) * sizeof *fp->live);
    }
    if (fp->config.release) fp->config.release(fp->config.user, old.blocks);
    return 1;
}

FOOTPRINT_API void footprint_get_stats(const footprint *fp, footprint_stats *out) {
    out->accesses = fp->now;
    out->lost = fp->lost;
    out->accesses_max = fp->end;
    out->blocks = fp->first;
    out->forgotten = fp->forgotten;
    out->memory_bytes = fp->table_bytes + fp->blocks_bytes;
    out->blocks_bytes = fp->blocks_bytes;
    out->flags = fp->flags;
    out->sample_log2 = fp->sample_log2;
    out->marks = fp->marks;
    out->renumbered = fp->renumbered;
}

FOOTPRINT_API uint64_t footprint_since(const footprint *fp, uint32_t bin) {
    uint32_t k = fp->sample_log2;
    uint64_t F = (footprint_bin_low(bin) + ((UINT64_C(1) << k) - 1)) >> k;
    if (F == 0) return fp->now;
    if (F <= fp->recent) return F <= fp->filled ? fp->top[F - 1].time : 0;
    bin = footprint_bin(F) - footprint_bin(fp->recent) - 1;
    return bin < fp->marks ? fp->mark[bin].since : 0;
}

/* ---- profiles ---- */

FOOTPRINT_API size_t footprint_profile_bytes(uint32_t rows, uint32_t columns) {
    uint64_t bytes = ((uint64_t)rows * columns + rows) * sizeof(uint64_t) + columns * (uint64_t)sizeof(footprint_total) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API int footprint_profile_init(footprint_profile *p, uint32_t rows, uint32_t columns, void *memory, size_t bytes) {
    size_t at = (size_t)(0 - (uintptr_t)memory) & 15;
    footprint_p_zero(p, sizeof *p);
    if (!memory || bytes < footprint_profile_bytes(rows, columns)) return 1;
    footprint_p_zero(memory, footprint_profile_bytes(rows, columns));
    p->rows = rows;
    p->columns = columns;
    p->total = (footprint_total *)(void *)((unsigned char *)memory + at);
    p->at_least = (uint64_t *)(void *)(p->total + columns);
    p->depth = p->at_least + (size_t)rows * columns;
    p->c = 1;
    return 0;
}

static void footprint_p_saturate(footprint_profile *p, uint64_t *sum, uint64_t add) {
    *sum = footprint_p_sat_add(*sum, add);
    if (*sum == UINT64_MAX) p->flags |= FOOTPRINT_SATURATED;
}

FOOTPRINT_API int footprint_add(footprint_profile *into, const footprint_profile *other) {
    uint32_t row, column;
    int empty = into->accesses == 0;
    if (into->rows < other->rows || into->columns < other->columns) return 1;
    if (!empty && (into->flags ^ other->flags) & FOOTPRINT_PAIR) return 1;
    for (row = 0; row < other->rows; row++) {
        for (column = 0; column < other->columns; column++)
            footprint_p_saturate(into, &into->at_least[(size_t)row * into->columns + column],
                                 other->at_least[(size_t)row * other->columns + column]);
        footprint_p_saturate(into, &into->depth[row], other->depth[row]);
    }
    for (column = 0; column < other->columns; column++) {
        footprint_p_saturate(into, &into->total[column].windows, other->total[column].windows);
        footprint_p_wide_add(&into->total[column].low, &into->total[column].high, other->total[column].low, other->total[column].high);
    }
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

FOOTPRINT_API int footprint_subtract(footprint_profile *later, const footprint_profile *earlier) {
    uint32_t row, column;
    uint64_t blocks = later->blocks;               /* of the whole run: a phase may touch old ones */
    if (later->rows < earlier->rows || later->columns != earlier->columns || later->accesses < earlier->accesses) return 1;
    for (row = 0; row < earlier->rows; row++) {
        for (column = 0; column < later->columns; column++)
            later->at_least[(size_t)row * later->columns + column] -= earlier->at_least[(size_t)row * later->columns + column];
        later->depth[row] -= earlier->depth[row];
    }
    for (column = 0; column < later->columns; column++) {
        later->total[column].windows -= earlier->total[column].windows;
        footprint_p_wide_subtract(&later->total[column].low, &later->total[column].high, earlier->total[column].low, earlier->total[column].high);
        if (later->flags & FOOTPRINT_FULL) footprint_p_bound_total(&later->total[column], footprint_bin_high(column), blocks);
    }
    later->accesses -= earlier->accesses;
    later->blocks -= earlier->blocks;
    later->forgotten -= earlier->forgotten;
    later->last_window = later->last_blocks = 0;
    later->flags |= FOOTPRINT_DIFFERENCE;
    return 0;
}

static uint64_t footprint_p_at_least(const footprint_profile *p, uint32_t row, uint32_t column) {
    return row < p->rows && column < p->columns ? p->at_least[(size_t)row * p->columns + column] : 0;
}

FOOTPRINT_API uint64_t footprint_windows(const footprint_profile *p, uint32_t window_bin) {
    return footprint_p_at_least(p, 0, window_bin);
}

FOOTPRINT_API uint64_t footprint_windows_of(const footprint_profile *p, uint32_t window_bin, uint32_t bin) {
    return footprint_p_at_least(p, bin, window_bin) - footprint_p_at_least(p, bin + 1, window_bin);
}

FOOTPRINT_API uint32_t footprint_percentile(const footprint_profile *p, uint32_t window_bin, uint32_t percent) {
    uint64_t all = footprint_windows(p, window_bin), rank;
    uint32_t bin = 0;
    if (all == 0) return UINT32_MAX;
    if (percent > 100) percent = 100;
    rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    if (rank == 0) rank = 1;
    while (all - footprint_p_at_least(p, bin + 1, window_bin) < rank) bin++;
    return bin;
}

/* ---- what follows from the average (Xiang et al., HOTL) ---- */

/* The n-th point of the average: (0, 0), the high ends of bins, and the whole trace. Returns 0 behind the last. */
static int footprint_p_point(const footprint_profile *p, uint32_t n, double *window, double *blocks) {
    *window = *blocks = 0;
    if (n == 0) return 1;
    if (n < p->columns && p->total[n].windows) {
        uint64_t high = footprint_bin_high(n);
        *window = (double)high;
        *blocks = footprint_p_wide_double(p->total[n].low, p->total[n].high) / (double)p->total[n].windows;
        return 1;
    }
    if (p->last_window == 0 || n > p->columns || (n > 1 && p->total[n - 1].windows == 0) || (n > 1 && p->last_window <= footprint_bin_high(n - 1))) return 0;
    *window = (double)p->last_window;
    *blocks = (double)p->last_blocks;
    return 1;
}

/* The piece of the average that holds a window (blocks < 0) or reaches so many blocks. Returns 0 behind the last. */
static int footprint_p_piece(const footprint_profile *p, double window, double blocks, double *w0, double *b0, double *w1, double *b1) {
    uint32_t n;
    *w0 = *b0 = *w1 = *b1 = 0;
    for (n = 1; footprint_p_point(p, n, w1, b1); n++) {
        if (blocks < 0 ? *w1 >= window : *b1 >= blocks) return 1;
        *w0 = *w1;
        *b0 = *b1;
    }
    return 0;
}

FOOTPRINT_API double footprint_average(const footprint_profile *p, double window) {
    double w0, b0, w1, b1;
    if (window <= 0) return 0;
    if (!footprint_p_piece(p, window, -1, &w0, &b0, &w1, &b1)) return b0;
    return b0 + (b1 - b0) * (window - w0) / (w1 - w0);
}

static double footprint_p_slope(const footprint_profile *p, double window) {
    double w0, b0, w1, b1;
    return footprint_p_piece(p, window, -1, &w0, &b0, &w1, &b1) && b1 > b0 ? (b1 - b0) / (w1 - w0) : 0;
}

FOOTPRINT_API double footprint_fill_time(const footprint_profile *p, double blocks) {
    double w0, b0, w1, b1;
    if (blocks <= 0) return 0;
    if (!footprint_p_piece(p, 0, blocks, &w0, &b0, &w1, &b1)) return -1;
    return w0 + (w1 - w0) * (blocks - b0) / (b1 - b0);
}

FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks) {
    double time = footprint_fill_time(p, blocks);
    return time < 0 ? 0 : footprint_p_slope(p, time);
}

FOOTPRINT_API double footprint_inter_miss_time(const footprint_profile *p, double blocks) {
    double ratio = footprint_miss_ratio_by_average(p, blocks);
    return ratio > 0 ? 1 / ratio : -1;
}

FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks) {
    double all = (double)p->blocks, hits = 0;
    uint32_t row;
    for (row = 1; row < p->rows; row++) {
        uint64_t first = footprint_bin_low(row), next = footprint_bin_low(row + 1);
        double low = (double)first, width = (double)(next - first), here = (double)p->depth[row];
        all += here;
        if (blocks >= low) hits += blocks - low + 1 >= width ? here : here * (blocks - low + 1) / width;
    }
    return all > 0 ? 1 - hits / all : 0;
}

/* ---- programs that share a cache: footprints add, each with its share of the window ---- */

static double footprint_p_share(const footprint_profile *const *programs, const double *rates, uint32_t count, uint32_t which) {
    double all = 0, mine = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        double rate = rates ? rates[i] : (double)programs[i]->accesses;
        if (rate > 0) all += rate;
        if (i == which && rate > 0) mine = rate;
    }
    return all > 0 ? mine / all : 0;
}

FOOTPRINT_API double footprint_corun_average(const footprint_profile *const *programs, const double *rates, uint32_t count, double window) {
    double sum = 0;
    uint32_t i;
    for (i = 0; i < count; i++) sum += footprint_average(programs[i], window * footprint_p_share(programs, rates, count, i));
    return sum;
}

/* The window that fills the cache, or -1: all of them fit. */
static double footprint_p_corun_fill(const footprint_profile *const *programs, const double *rates, uint32_t count, double blocks) {
    double low = 0, high = 1;
    int i;
    while (high < 1e19 && footprint_corun_average(programs, rates, count, high) < blocks) high *= 2;
    if (high >= 1e19) return -1;
    for (i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        if (footprint_corun_average(programs, rates, count, middle) < blocks) low = middle; else high = middle;
    }
    return high;
}

FOOTPRINT_API double footprint_corun_miss_ratio_of(const footprint_profile *const *programs, const double *rates, uint32_t count, double blocks,
                                                   uint32_t which) {
    double window = footprint_p_corun_fill(programs, rates, count, blocks);
    return window < 0 || which >= count ? 0 : footprint_p_slope(programs[which], window * footprint_p_share(programs, rates, count, which));
}

FOOTPRINT_API double footprint_corun_miss_ratio(const footprint_profile *const *programs, const double *rates, uint32_t count, double blocks) {
    double sum = 0;
    uint32_t i;
    for (i = 0; i < count; i++)
        sum += footprint_p_share(programs, rates, count, i) * footprint_corun_miss_ratio_of(programs, rates, count, blocks, i);
    return sum;
}

/* ---- files: docs/formats.md, kind 3 ---- */

#ifndef FOOTPRINT_NO_FILES
#define FOOTPRINT_P_KIND 3

/* [shared: crc32] CRC-32 (IEEE 802.3, reflected), four bits at a time. */
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
/* [end shared] */

/* [shared: put] Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
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
/* [end shared] */

FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name, footprint_write_fn write, void *user) {
    footprint_p_out out;
    uint32_t row, column;
    size_t size = 0;
    footprint_p_put_begin(&out, FOOTPRINT_P_KIND, write, user);
    while (name && name[size]) size++;
    footprint_p_put_varint(&out, size);
    footprint_p_put(&out, name, size);
    footprint_p_put_varint(&out, p->flags);
    footprint_p_put_varint(&out, p->sample_log2);
    footprint_p_put_varint(&out, p->block_log2);
    footprint_p_put_varint(&out, (uint64_t)(p->c * 1e9 + .5));
    footprint_p_put_varint(&out, p->accesses);
    footprint_p_put_varint(&out, p->blocks);
    footprint_p_put_varint(&out, p->forgotten);
    footprint_p_put_varint(&out, p->last_window);
    footprint_p_put_varint(&out, p->last_blocks);
    footprint_p_put_varint(&out, p->rows);
    footprint_p_put_varint(&out, p->columns);
    for (row = 0; row < p->rows; row++) footprint_p_put_varint(&out, p->depth[row]);
    for (column = 0; column < p->columns; column++) {
        uint32_t first = 0, last = 0;
        footprint_p_put_varint(&out, p->total[column].windows);
        footprint_p_put_varint(&out, p->total[column].low);
        footprint_p_put_varint(&out, p->total[column].high);
        for (row = 0; row < p->rows; row++)
            if (footprint_windows_of(p, column, row)) { if (last == 0) first = row; last = row + 1; }
        footprint_p_put_varint(&out, first);
        footprint_p_put_varint(&out, last - first);
        for (row = first; row < last; row++) footprint_p_put_varint(&out, footprint_windows_of(p, column, row));
    }
    return footprint_p_put_end(&out);
}

/* Reads a part's bytes with their crc, and its payload from chunk to chunk. The first fault stays; then everything reads as 0. */
typedef struct footprint_p_in {
    const unsigned char *data;
    size_t size, at;
    const char *fault;
    uint64_t payload_bytes;
    uint32_t crc, left;
} footprint_p_in;

static uint64_t footprint_p_in_raw(footprint_p_in *in, uint32_t size, int counted) {
    uint64_t value = 0;
    uint32_t i;
    if (in->fault) return 0;
    if (in->size - in->at < size) { in->fault = "cut short"; return 0; }
    if (counted) in->crc = footprint_p_crc32(in->crc, in->data + in->at, size);
    for (i = size; i-- > 0; ) value = value << 8 | in->data[in->at + i];
    in->at += size;
    return value;
}

static void footprint_p_in_crc(footprint_p_in *in) {
    size_t at = in->at;
    uint32_t crc = in->crc;
    if (footprint_p_in_raw(in, 4, 0) != crc && !in->fault) { in->fault = "wrong crc"; in->at = at; }
}

static uint32_t footprint_p_in_byte(footprint_p_in *in) {
    if (in->left == 0) {
        in->left = (uint32_t)footprint_p_in_raw(in, 2, 1);
        if (!in->fault && in->left == 0) { in->fault = "payload is too short"; in->at -= 2; }
        if (!in->fault) {
            if (in->size - in->at < in->left) in->fault = "cut short";         /* the whole chunk is checked before it is believed */
            else {
                size_t at = in->at;
                in->crc = footprint_p_crc32(in->crc, in->data + at, in->left);
                in->at += in->left;
                footprint_p_in_crc(in);
                if (!in->fault) in->at = at;
            }
        }
        if (in->fault) return 0;
        in->payload_bytes += in->left;
    }
    if (--in->left == 0) { in->at += 5; return in->data[in->at - 5]; }
    return in->data[in->at++];
}

static uint64_t footprint_p_in_varint(footprint_p_in *in) {
    uint64_t value = 0;
    uint32_t shift, byte;
    for (shift = 0; !in->fault; shift += 7) {
        byte = footprint_p_in_byte(in);
        if (shift == 63 && byte > 1) { if (!in->fault) in->fault = "number is too large"; break; }
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return in->fault ? 0 : value;
    }
    return 0;
}

static uint32_t footprint_p_in_most(footprint_p_in *in, uint32_t least, uint32_t most, const char *fault) {
    uint64_t value = footprint_p_in_varint(in);
    if (!in->fault && (value < least || value > most)) in->fault = fault;
    return in->fault ? least : (uint32_t)value;
}

FOOTPRINT_API const char *footprint_load(footprint_profile *p, const void *data, size_t size, size_t *at, void *memory, size_t bytes,
                                         size_t *need, char *name, size_t name_bytes) {
    footprint_p_in in;
    footprint_profile head;
    uint64_t length, i, payload;
    uint32_t rows, columns, row, column;
    int keep = 0;
    footprint_p_zero(&in, sizeof in);
    footprint_p_zero(&head, sizeof head);
    in.data = (const unsigned char *)data;
    in.size = size;
    if (need) *need = 0;
    if (footprint_p_in_raw(&in, 4, 1) != 0x54535242 && !in.fault) { in.fault = "not a .brst part"; in.at = 0; }
    if (footprint_p_in_raw(&in, 2, 1) != 1 && !in.fault) in.fault = "newer version";
    if (footprint_p_in_raw(&in, 2, 1) != FOOTPRINT_P_KIND && !in.fault) in.fault = "not a footprint";
    if (footprint_p_in_raw(&in, 4, 1) != 0 && !in.fault) in.fault = "unknown flags";
    footprint_p_in_crc(&in);
    length = footprint_p_in_varint(&in);
    if (!in.fault && length > size) in.fault = "name is too long";
    for (i = 0; i < length && !in.fault; i++) {
        uint32_t byte = footprint_p_in_byte(&in);
        if (name && i + 1 < name_bytes) name[i] = (char)byte;
    }
    if (name && name_bytes) name[i < name_bytes ? i : name_bytes - 1] = 0;
    head.flags = footprint_p_in_most(&in, 0, 2 * FOOTPRINT_SATURATED - 1, "unknown flags");
    head.sample_log2 = footprint_p_in_most(&in, 0, 63, "sampling ratio is too large");
    head.block_log2 = footprint_p_in_most(&in, 0, 63, "blocks are too large");
    head.c = footprint_p_in_most(&in, 1, 1000000000, "c is not in (0, 1]") / 1e9;
    head.accesses = footprint_p_in_varint(&in);
    head.blocks = footprint_p_in_varint(&in);
    head.forgotten = footprint_p_in_varint(&in);
    head.last_window = footprint_p_in_varint(&in);
    head.last_blocks = footprint_p_in_varint(&in);
    rows = footprint_p_in_most(&in, 1, 496, "rows are not 1..496");
    columns = footprint_p_in_most(&in, 1, 496, "columns are not 1..496");
    if (!in.fault) {
        size_t needed = footprint_profile_bytes(rows, columns);
        if (need) *need = needed;
        keep = memory != NULL;
        if (keep && bytes < needed) in.fault = "memory is too small";
        else if (keep) {
            footprint_profile_init(p, rows, columns, memory, bytes);
            head.rows = rows;
            head.columns = columns;
            head.total = p->total;
            head.at_least = p->at_least;
            head.depth = p->depth;
        }
    }
    for (row = 0; row < rows && !in.fault; row++) {
        uint64_t count = footprint_p_in_varint(&in);
        if (keep) head.depth[row] = count;
    }
    for (column = 0; column < columns && !in.fault; column++) {
        footprint_total total;
        uint32_t first, count;
        uint64_t windows = 0;
        total.windows = footprint_p_in_varint(&in);
        total.low = footprint_p_in_varint(&in);
        total.high = footprint_p_in_varint(&in);
        if (keep) head.total[column] = total;
        first = footprint_p_in_most(&in, 0, rows, "more rows than there are");
        count = footprint_p_in_most(&in, 0, rows - first, "more rows than there are");
        for (row = first; row < first + count && !in.fault; row++) {
            uint64_t cell = footprint_p_in_varint(&in);
            if (cell > UINT64_MAX - windows) in.fault = "more windows than can be";
            windows += cell;
            if (keep) head.at_least[(size_t)row * columns + column] = cell;
        }
        if (!in.fault && keep)
            for (row = first + count, windows = 0; row-- > 0; ) {              /* from cells to sums, from the last row to the first */
                uint64_t *cell = &head.at_least[(size_t)row * columns + column];
                *cell = windows += *cell;
            }
    }
    if (!in.fault && in.left) in.fault = "payload is too long";
    payload = in.payload_bytes;
    if (footprint_p_in_raw(&in, 2, 1) != 0 && !in.fault) { in.fault = "payload is too long"; in.at -= 2; }
    if (footprint_p_in_raw(&in, 8, 1) != payload && !in.fault) { in.fault = "wrong length"; in.at -= 8; }
    footprint_p_in_crc(&in);
    if (!in.fault && keep) *p = head;
    if (at) *at = in.at;
    return in.fault;
}
#endif

/* ---- interleaving of two threads ----

   The windows are those of the merged trace, "footprint" is the number of accesses by thread 1, numbered 0, 1, ... Its X_F is the
   time of number (count - F): no search is needed, only the turns in which the numbers lie:

       runs     0..9  A..A  10..14  A.A  15 16 17 ...      first number, first time, length of every turn of thread 1

   So a mark is put right exactly when the count reaches a multiple of its period, the largest power of two <= slack + 1. Powers
   of two nest: whenever a mark moves, all of smaller edges move too, and their order holds without a test. Every count is
   within [c, 1] of the truth, which is stronger than the (1 - c) w that the paper asks for.

   Runs that no window of interest reaches are dropped, or those before the largest mark when no larger can come. If they still
   do not fit and c < 1, runs are thinned: a dropped one is taken for the end of the run before it, which costs the marks that
   look there at most half of their slack. At c = 1 the largest mark is given up; from its edge on there is one open bin.        */

#ifndef FOOTPRINT_NO_PAIR
struct footprint_p_turn { uint64_t first, time, length; };
struct footprint_p_pair_mark { uint64_t since, from, born, edge; uint32_t cursor, row, period_log2; };
typedef struct footprint_p_turn footprint_p_turn;
typedef struct footprint_p_pair_mark footprint_p_pair_mark;

static uint32_t footprint_p_period_log2(const footprint_pair *pair, uint64_t edge) {
    uint64_t slack = footprint_p_reach(pair->c, edge) - (edge - 1);
    return FOOTPRINT_P_LOG2((pair->thinned ? slack - slack / 2 : slack) + 1);
}

static uint64_t footprint_p_pair_layout(footprint_pair *pair, unsigned char *base, uint32_t runs, const footprint_config *config) {
    uint64_t at = 0, cells;
    footprint fp;
    footprint_p_configure(&fp, config);
    footprint_p_zero(pair, sizeof *pair);
    pair->c = fp.config.c;
    pair->columns = fp.columns;
    pair->end = fp.end;
    pair->edge_max = fp.columns - 1;
    pair->run_max = runs;
    cells = 1 + (uint64_t)pair->edge_max * (pair->columns - 1) - (uint64_t)pair->edge_max * (pair->edge_max - 1) / 2;
    pair->edges   = (footprint_p_pair_mark *)footprint_p_take(base, &at, pair->edge_max, sizeof *pair->edges);
    pair->cells   = (footprint_p_cell *)footprint_p_take(base, &at, cells, sizeof *pair->cells);
    pair->scratch = (footprint_p_cell *)footprint_p_take(base, &at, pair->columns, sizeof *pair->scratch);
    pair->bytes = (size_t)at;
    pair->runs    = (footprint_p_turn *)footprint_p_take(base, &at, runs, sizeof *pair->runs);     /* last: the part not zeroed */
    return at;
}

FOOTPRINT_API size_t footprint_pair_bytes(const footprint_config *config, uint32_t turns) {
    footprint_pair pair;
    uint64_t bytes = footprint_p_pair_layout(&pair, NULL, turns < 64 ? 64 : turns, config) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_pair_init(footprint_pair *pair, void *memory, size_t bytes, const footprint_config *config) {
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, least = footprint_pair_bytes(config, 64), turns;
    if (memory == NULL || bytes < least) { footprint_p_zero(pair, sizeof *pair); return 0; }
    turns = 64 + (bytes - least) / sizeof(footprint_p_turn);
    if (turns > UINT32_C(1) << 30) turns = UINT32_C(1) << 30;
    footprint_p_pair_layout(pair, (unsigned char *)memory + skip, (uint32_t)turns, config);
    footprint_p_zero((unsigned char *)memory + skip, pair->bytes);
    return pair->run_max;
}

/* Drops the first `count` runs, of which no mark needs more than that they are old. */
static void footprint_p_drop_runs(footprint_pair *pair, uint32_t count) {
    uint32_t i;
    if (count == 0) return;
    pair->dropped_time = pair->runs[count - 1].time + pair->runs[count - 1].length - 1;
    for (i = count; i < pair->run_count; i++) pair->runs[i - count] = pair->runs[i];
    pair->run_count -= count;
    for (i = 0; i < pair->edge_count; i++) pair->edges[i].cursor = pair->edges[i].cursor > count ? pair->edges[i].cursor - count : 0;
}

/* From new to old, drops runs whose numbers may as well count as the end of the run before. */
static void footprint_p_thin_runs(footprint_pair *pair) {
    uint32_t i, w;
    if (!pair->thinned) {
        pair->thinned = 1;
        for (i = 0; i < pair->edge_count; i++) pair->edges[i].period_log2 = footprint_p_period_log2(pair, pair->edges[i].edge);
    }
    w = pair->run_count - 2;                                                   /* kept ones gather at the end: the two newest stay */
    for (i = w; i-- > 0; ) {
        uint64_t first = pair->runs[w].first, edge = pair->number - first, slack = footprint_p_reach(pair->c, edge) - (edge - 1);
        if (i > 0 && first - (pair->runs[i - 1].first + pair->runs[i - 1].length) <= slack / 2) continue;
        pair->runs[--w] = pair->runs[i];
    }
    for (i = w; i < pair->run_count; i++) pair->runs[i - w] = pair->runs[i];
    pair->run_count -= w;
    for (i = 0; i < pair->edge_count; i++) {                                   /* the last run that began when the mark's access was made */
        footprint_p_pair_mark *mark = &pair->edges[i];
        uint32_t low = 0, high = pair->run_count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (pair->runs[middle].time <= mark->since) low = middle; else high = middle;
        }
        mark->cursor = low;
    }
}

static void footprint_p_make_room(footprint_pair *pair) {
    uint64_t longest = footprint_bin_high(pair->columns - 1);
    uint32_t old = 0;
    while (old + 1 < pair->run_count && pair->runs[old].time + pair->runs[old].length - 1 + longest <= pair->now) old++;
    if (pair->edge_count == pair->edge_max && old < pair->edges[pair->edge_count - 1].cursor) old = pair->edges[pair->edge_count - 1].cursor;
    footprint_p_drop_runs(pair, old);
    if (pair->run_count == pair->run_max && pair->c < 1) footprint_p_thin_runs(pair);
    while (pair->run_count == pair->run_max && pair->edge_count > 1) {
        footprint_p_pair_mark *largest = &pair->edges[--pair->edge_count];
        uint32_t b;
        for (b = pair->edge_count + 1; b < pair->columns; b++)
            pair->cells[largest->row + b].count = pair->cells[largest->row + b].sum = 0;
        pair->edge_max = pair->edge_count;
        pair->flags |= FOOTPRINT_FULL;
        footprint_p_drop_runs(pair, pair->edges[pair->edge_count - 1].cursor);
    }
    if (pair->run_count == pair->run_max) footprint_p_drop_runs(pair, pair->run_count - 1);
}

FOOTPRINT_API void footprint_pair_turn(footprint_pair *pair, int thread, uint64_t count) {
    uint64_t time = pair->now, number = pair->number, most = pair->end - pair->now;
    uint32_t j, old = pair->edge_count;
    FOOTPRINT_ASSERT(thread == 0 || thread == 1);
    if (count > most) {
        pair->flags |= FOOTPRINT_ENDED;
        pair->lost = footprint_p_sat_add(pair->lost, count - most);
        count = most;
    }
    if (count == 0) return;
    if (thread == 0) { pair->now += count; pair->joined = 0; return; }
    if (!pair->joined && pair->run_count == pair->run_max) { footprint_p_make_room(pair); old = pair->edge_count; }
    if (pair->joined) pair->runs[pair->run_count - 1].length += count;
    else {
        footprint_p_turn *run = &pair->runs[pair->run_count++];
        run->first = number;
        run->time = time + 1;
        run->length = count;
    }
    pair->joined = 1;
    pair->now += count;
    pair->number += count;
    for (j = old; j < pair->edge_max && footprint_bin_low(j + 1) <= pair->number; j++) {
        footprint_p_pair_mark *mark = &pair->edges[j];
        mark->since = pair->runs[0].first == 0 ? pair->runs[0].time : pair->dropped_time;
        mark->from = mark->born = time + footprint_bin_low(j + 1) - number;
        mark->edge = footprint_bin_low(j + 1);
        mark->period_log2 = footprint_p_period_log2(pair, mark->edge);
        mark->cursor = 0;
        mark->row = j * (pair->columns - 1) - j * (j + 1) / 2;
        pair->edge_count = j + 1;
    }
    for (j = 0; j < pair->edge_count; j++) {
        footprint_p_pair_mark *mark = &pair->edges[j];
        uint64_t F = mark->edge, period = UINT64_C(1) << mark->period_log2, t = ((j < old ? number : F) | (period - 1)) + 1;
        if (t > pair->number) { if (j < old) j = old - 1; continue; }          /* larger ones are not due either, but new ones may be */
        for (; t <= pair->number; t += period) {
            uint64_t now = time + t - number, x = t - F, last, steps, more;
            const footprint_p_turn *run;
            if (now > mark->from)
                footprint_p_run_once(pair->cells + mark->row, pair->columns, mark->from - mark->since + 1, now - mark->since);
            mark->from = now;
            while (mark->cursor + 1 < pair->run_count && pair->runs[mark->cursor + 1].first <= x) mark->cursor++;
            run = &pair->runs[mark->cursor];
            if (x < run->first) { mark->since = pair->dropped_time; continue; }
            last = run->first + run->length - 1;
            mark->since = run->time + ((x < last ? x : last) - run->first);
            if (x >= last) continue;
            steps = (last - x) >> mark->period_log2;                           /* in step with the thread: the same ages again */
            more = (pair->number - t) >> mark->period_log2;
            if (more < steps) steps = more;
            if (steps == 0) continue;
            footprint_p_run(pair->cells + mark->row, pair->columns, now - mark->since + 1, now - mark->since + period, steps);
            mark->since += steps << mark->period_log2;
            mark->from += steps << mark->period_log2;
            t += steps << mark->period_log2;
        }
    }
}

FOOTPRINT_API size_t footprint_pair_snapshot_bytes(const footprint_pair *pair) {
    return footprint_profile_bytes(pair->edge_count + 1, pair->columns);
}

FOOTPRINT_API int footprint_pair_snapshot(const footprint_pair *pair, footprint_profile *profile, void *memory, size_t bytes) {
    uint32_t b, j;
    if (footprint_profile_init(profile, pair->edge_count + 1, pair->columns, memory, bytes)) return 1;
    profile->accesses = pair->now;
    profile->blocks = pair->number;
    profile->c = pair->c;
    profile->flags = pair->flags | FOOTPRINT_PAIR;
    for (b = 1; b < pair->columns; b++) profile->at_least[b] = footprint_p_windows(pair->now, b);
    for (j = 0; j < pair->edge_count; j++) {
        const footprint_p_pair_mark *mark = &pair->edges[j];
        for (b = 0; b < pair->columns; b++) {
            pair->scratch[b].count = b < j + 1 ? 0 : pair->cells[mark->row + b].count;
            pair->scratch[b].sum = b < j + 1 ? 0 : pair->cells[mark->row + b].sum;
        }
        if (mark->from <= pair->now)
            footprint_p_run(pair->scratch, pair->columns, mark->from - mark->since + 1, pair->now - mark->since + 1, 1);
        footprint_p_add_row(pair->scratch, pair->now, mark->born, profile->at_least, pair->columns, j, j + 1);
    }
    return 0;
}
#endif
#endif /* FOOTPRINT_IMPLEMENTATION */

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
