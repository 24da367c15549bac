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
           for (i = 0; i < 40000; i++) footprint_reference(&fp, &data[i * i % 50000], sizeof *data);
           if (footprint_snapshot(&fp, &profile, table, sizeof table) != 0) return 1;
           printf("half of all windows of 1000 accesses touch no more than %u blocks\n", (unsigned)
                  footprint_bin_high(footprint_percentile(&profile, footprint_bin(1000), 50)));
           printf("a cache of 512 misses %.3f\n", footprint_miss_ratio(&profile, 512));
           return 0;
       }
   end of example.

   A window is any stretch of consecutive accesses. Its footprint is the number of different blocks
   that it touches. A run of n accesses has n (n + 1) / 2 windows, and this header counts all of
   them while the program runs (paper: "All-Window Profiling of Concurrent Executions").

   STEP BY STEP
   1. Define FOOTPRINT_IMPLEMENTATION before the include in one C or C++ file, in no other one.
   2. Fill a footprint_config. A zero in a field asks for its default. These two matter most: c is
      the precision of footprints, and a smaller window_max makes tables smaller.
   3. Give it memory. footprint_init takes memory of yours, and footprint_bytes says how much is
      needed. footprint_open takes memory from config.alloc, for 8000 blocks at first, and grows.
   4. Report accesses: footprint_access takes a block number, footprint_reference an address.
      footprint_access_many takes an array of block numbers, which is fastest.
   5. footprint_snapshot fills a footprint_profile, as often as you like. Read it with
      footprint_percentile, footprint_at_least and footprint_miss_ratio. hotl.h reads averages out
      of it; for averages alone take only hotl.h, at a third of the cost.
   6. footprint_write puts a profile into a .brst file, which `bursty report` shows. footprintsum.h
      adds the profiles of threads or of runs, and gives the windows of a phase.

   PROMISES
   - A reported footprint f of a window is within [c f, f], and exact if c = 1. Windows are counted
     by length and by footprint. Both are put into the paper's bins: each number below 16 is a bin
     of its own, and each octave from there on has 8 bins.
   - The average footprint is exact at the high end of each bin of window lengths.
   - The header allocates only through config.alloc. It does not abort, print or keep globals.
   - A full table goes on counting, and the profile says so. There are two ways to be full:
       By default every second block is dropped, chosen by a hash, and each that is kept counts for
       two; then three of four, and so on. From there on numbers are estimates without a guarantee.
       With FOOTPRINT_FORGET the least recently used blocks are dropped. Footprints up to the number
       that footprint_init returned stay guaranteed. Larger ones share one open bin.
   - Blocks that no window up to window_max can reach are dropped without loss of accuracy.
   - Counting overflows no cell. After footprint_stats.accesses_max accesses (6.9e10 by default)
     further ones are not counted, but are added up in footprint_stats.lost.

   THREADS  Use one footprint for each thread and add their profiles. Nothing is shared or locked.

   OPTIONS  (define them where FOOTPRINT_IMPLEMENTATION is)
     FOOTPRINT_STATIC       makes all functions static; define it before every include of that file
     FOOTPRINT_ASSERT(x)    is called with a caller's mistakes (default: nothing)
     FOOTPRINT_NO_FILES     leaves footprint_write out
     FOOTPRINT_NO_BUILTINS  uses plain C instead of the compiler's bit scans and prefetches
     FOOTPRINT_NO_SIMD      does not use SSE2 and BMI2 of x86-64 processors

   COST  An access takes O(1) steps for c < 1 and O(log blocks) for c = 1: 103 instructions at
   c = 0.9 and 148 at c = 1 on data accesses of gzip (bench/footprint_instructions.sh). Each block
   that fits takes 28 bytes. Tables take 0.3 MB if window_max is 1023; 0.7 to 1.8 MB by default. */

#ifndef FOOTPRINT_H
#define FOOTPRINT_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define FOOTPRINT_P_UNUSED __attribute__((unused))
#else
#define FOOTPRINT_P_UNUSED
#endif

#ifdef FOOTPRINT_STATIC
#define FOOTPRINT_API FOOTPRINT_P_UNUSED static
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define FOOTPRINT_API extern __attribute__((visibility("hidden")))
#else
#define FOOTPRINT_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---- */

enum {                               /* flags of a config, of footprint_stats and of a profile */
    FOOTPRINT_AVERAGE     = 1,       /* a profile of hotl.h: averages alone */
    FOOTPRINT_FORGET      = 2,       /* drops the oldest blocks when full, instead of sampling */
    FOOTPRINT_FULL        = 4,       /* blocks did not fit; cure: memory or blocks_max */
    FOOTPRINT_ENDED       = 8,       /* accesses came after accesses_max; cure: window_max */
    FOOTPRINT_INTERLEAVED = 16,      /* a profile of interleave.h: blocks are a thread's accesses */
    FOOTPRINT_DIFFERENCE  = 32,      /* windows that ended in a phase, not in a whole run */
    FOOTPRINT_SATURATED   = 64       /* a sum of profiles stays at the greatest number */
};

typedef struct footprint_config {
    double   c;                      /* precision c of the paper: 0.01 to 1; default 0.9 */
    uint64_t window_max;             /* longest window, rounded up to its bin; default 2^32 - 1 */
    uint32_t blocks_max;             /* makes room for no more blocks than that; default 2^30 */
    uint32_t flags;                  /* FOOTPRINT_FORGET */
    uint32_t sample_log2;            /* k <= 24: follows one block in 2^k, no guarantee */
    uint32_t block_log2;             /* bytes of a block, as a power of 2; default 6 (64 bytes) */
    void *(*alloc)(void *user, size_t bytes);            /* for footprint_open; may return NULL */
    void  (*release)(void *user, void *memory);
    void  *user;
} footprint_config;

typedef struct footprint_stats {
    uint64_t accesses;               /* counted ones */
    uint64_t lost;                   /* not counted, as they came after accesses_max */
    uint64_t accesses_max;
    uint64_t blocks;                 /* different ones; an estimate if blocks are sampled */
    uint64_t forgotten;              /* dropped ones; each is a new block when it returns */
    size_t   memory_bytes;           /* all memory */
    size_t   blocks_bytes;           /* the part that grows with the number of blocks */
    uint32_t flags, sample_log2;     /* sample_log2 grows when memory is full */
} footprint_stats;

/* The sum of the footprints of all windows of exactly footprint_bin_high(column) accesses. */
typedef struct footprint_total {
    uint64_t windows;                /* how many windows those are; 0 if they were not counted */
    uint64_t low, high;              /* the sum is low + 2^64 high */
} footprint_total;

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
} footprint_profile;

typedef struct footprint_entry { uint64_t block, time; } footprint_entry;

/* You provide the storage. The fields are private; footprint_get_stats reads them. */
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
    uint32_t filled, tracked;        /* blocks in recent; in recent and slots */
    uint32_t next, slots, cap;       /* next free slot; room; how many live ones make it full */
    uint32_t buckets;                /* of index */
    uint32_t marks, mark_max, mark_young, exact;         /* exact: so many marks have no slack */
    uint32_t columns, rows, depth_first, flags, sample_log2;
    uint32_t is_fast, is_overfull, is_followed;          /* is_followed: the latest access */
    footprint_entry *ring, *slot;
    uint32_t *index, *shifted, *reused;
    uint64_t *live;
    int32_t  *young;
    uint32_t *place, *pending, *slack;
    struct footprint_p_mark   *mark;
    struct footprint_p_gap    *gap;
    struct footprint_p_moment *cells, *events, *scratch;
    uint64_t *born, *depth, *before;
    footprint_total *before_total;
    size_t   table_bytes, blocks_bytes, cell_count;
    void     *tables, *blocks;       /* what config.release gets */
    footprint_config config;
    uint8_t  near[1024];             /* counts recent blocks by hash */
    uint64_t came_at[64];            /* misses that wait until there are many */
    uint32_t came_from[64], logged;
    uint32_t wait_from;              /* so many blocks must be tracked before any waits */
} footprint;

/* ---- functions: counting (paper, section 3) ---- */

/* Lays an empty footprint out in memory[0..bytes). A config of NULL is all defaults.
   Returns how many different blocks fit, or 0 if none do. Then every access counts as lost. */
FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config);
/* The same in memory from config->alloc, which grows as blocks come. Returns 0 if there is none. */
FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config);
/* From then on, as after an init that failed, all accesses are lost. */
FOOTPRINT_API void     footprint_close(footprint *fp);
/* Returns the number of bytes that footprint_init needs for so many blocks. */
FOOTPRINT_API size_t   footprint_bytes(const footprint_config *config, uint32_t blocks);

FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block);
FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count);
/* Counts `count` more accesses to the block of the latest access, in the time of one. */
FOOTPRINT_API void footprint_access_repeat(footprint *fp, uint64_t count);
/* Counts an access to every block that address[0..bytes) lies in, from low to high. */
FOOTPRINT_API void footprint_reference(footprint *fp, const void *address, size_t bytes);

FOOTPRINT_API void     footprint_get_stats(const footprint *fp, footprint_stats *out);
/* Returns an access number A: windows from A or earlier up to the latest access are counted as
   touching footprint_bin_low(bin) blocks or more. Returns 0 if there is no such window. */
FOOTPRINT_API uint64_t footprint_mark_time(footprint *fp, uint32_t bin);

/* ---- functions: profiles (paper, section 1) ---- */

/* Fills *profile, whose tables go to memory[0..bytes), and counting goes on.
   Returns 0, or -1 if bytes is less than footprint_snapshot_bytes returns. */
FOOTPRINT_API int    footprint_snapshot(footprint *fp, footprint_profile *profile, void *memory,
                                        size_t bytes);
FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp);
/* Makes an empty profile to which others can be added.
   Returns 0, or -1 if bytes is less than footprint_profile_bytes returns. */
FOOTPRINT_API int    footprint_profile_init(footprint_profile *profile, uint32_t rows,
                                            uint32_t columns, void *memory, size_t bytes);
FOOTPRINT_API size_t footprint_profile_bytes(uint32_t rows, uint32_t columns);

/* Return the bin of a value in the paper's 8-wide histogram; a bin's least and greatest value. */
FOOTPRINT_API uint32_t footprint_bin(uint64_t value);
FOOTPRINT_API uint64_t footprint_bin_low(uint32_t bin);
FOOTPRINT_API uint64_t footprint_bin_high(uint32_t bin);

/* Returns how many windows have a length in window_bin: all of them; those whose footprint is
   footprint_bin_low(bin) or more; those whose footprint is in bin. */
FOOTPRINT_API uint64_t footprint_windows(const footprint_profile *p, uint32_t window_bin);
FOOTPRINT_API uint64_t footprint_at_least(const footprint_profile *p, uint32_t window_bin,
                                          uint32_t bin);
FOOTPRINT_API uint64_t footprint_windows_in_bin(const footprint_profile *p, uint32_t window_bin,
                                                uint32_t bin);
/* The curves of the paper's Figure 1. Returns the bin of the least footprint that `percent` (0 to
   100) of the windows do not exceed, or UINT32_MAX if there are no windows. The true value lies in
   [footprint_bin_low(bin), footprint_bin_high(bin) / c]. */
FOOTPRINT_API uint32_t footprint_percentile(const footprint_profile *p, uint32_t window_bin,
                                            uint32_t percent);

/* Returns the share of accesses that miss in an LRU cache of so many blocks; exact at c = 1 and the
   high end of a bin. Returns -1 for less than 2^sample_log2 blocks, where sampling cannot tell. */
FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks);
#ifndef FOOTPRINT_NO_FILES
/* Writes the profile as one part of a .brst file (docs/formats.md). `write` returns 0 to go on.
   Returns 0, or -1 if write returned anything else. */
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

/* ---- implementation ---- */

#ifndef FOOTPRINT_ASSERT
#define FOOTPRINT_ASSERT(x) ((void)0)
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FOOTPRINT_NO_BUILTINS) && \
    !defined(FOOTPRINT_NO_SIMD)
#include <emmintrin.h>
#define FOOTPRINT_P_SIMD
/* Says whether there is BMI2, with a pdep that is not slow as on the first AMD Zens. */
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

/* ---- bins and numbers ---- */

/* bin(v) = v below 16. From there every octave is cut into 8 bins: with k = floor(log2 v) - 3, v is
   in bin 8 k + (v >> k). 16 and 17 are in bin 16, 288 to 319 in bin 49 (50 in the paper, counted
   from one). The least value of a bin is its low end; twice a low end is a low end again. */

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

/* [shared: sat_add] */
static uint64_t footprint_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

/* [shared: wide] Sums of 128 bits; they may pass below 0 in between. */
typedef struct footprint_p_wide { uint64_t low, high; } footprint_p_wide;

static void footprint_p_wide_add(uint64_t *low, uint64_t *high, uint64_t add_low,
                                 uint64_t add_high) {
    *low += add_low;
    *high += add_high + (*low < add_low);
}

static void footprint_p_wide_less(uint64_t *low, uint64_t *high, uint64_t less_low,
                                  uint64_t less_high) {
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
/* [end shared] */

/* Returns 1 + 2 + .. + k modulo 2^64, and 0 for k = -1. */
static uint64_t footprint_p_triangle(uint64_t k) { return ((k + 1) >> 1) * (k | 1); }

/* Byte b of the result says how many of the lowest 8 (b + 1) bits of v are set. */
static uint64_t footprint_p_ones(uint64_t v) {
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return v * UINT64_C(0x0101010101010101);
}

static uint64_t footprint_p_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/* With sampling at 2^-k a block is left out unless the low k bits of this well mixed hash are 0. */
static int footprint_p_left_out(const footprint *fp, uint64_t block) {
    block = (block ^ block >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    block = (block ^ block >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    block ^= block >> 33;
    return (block & ((UINT64_C(1) << fp->sample_log2) - 1)) != 0;
}

static void footprint_p_zero(void *memory, size_t bytes) {
    unsigned char *p = (unsigned char *)memory;
    while (bytes--) *p++ = 0;
}

static void footprint_p_copy(void *to, const void *from, size_t bytes) {
    uint64_t *t = (uint64_t *)to;                          /* all that is copied are such words */
    const uint64_t *f = (const uint64_t *)from;
    for (; bytes; bytes -= sizeof *t) *t++ = *f++;
}

/* ---- memory layout ---- */

enum {
    FOOTPRINT_P_T = 32,              /* recent blocks; the low end of a bin */
    FOOTPRINT_P_GROUP = 4,           /* G: marks that share a slack */
    FOOTPRINT_P_YOUNG = 512,         /* ages below it are counted one by one */
    FOOTPRINT_P_MARK_YOUNG = 1024,   /* the same for the marks of low ends below it */
    FOOTPRINT_P_RING = 128,          /* misses until `recent` is copied to the ring's end */
    FOOTPRINT_P_FIRST = 8000,        /* blocks that footprint_open makes room for */
    FOOTPRINT_P_LOG = 64,            /* misses that may wait; */
    FOOTPRINT_P_MANY = 32768,        /* with so many blocks few come from between the marks */
    FOOTPRINT_P_AHEAD = 12           /* accesses from asking memory for a bucket to needing it */
};
#define FOOTPRINT_P_LARGE ((size_t)1 << 20)        /* bytes from which asking ahead pays */
#define FOOTPRINT_P_FOLD UINT64_C(0x80000000)      /* accesses until 32-bit counters are emptied */

typedef struct footprint_p_mark { uint64_t since, born; uint32_t row; } footprint_p_mark;
typedef struct footprint_p_gap { uint64_t count, low, high; } footprint_p_gap;
typedef struct footprint_p_moment { uint64_t count, sum, square; } footprint_p_moment;

/* F of mark j: the low end of a bin. */
static uint64_t footprint_p_low(uint32_t j) {
    return footprint_bin_low(footprint_bin(FOOTPRINT_P_T) + 1 + j);
}

static void *footprint_p_take(unsigned char *base, uint64_t *at, uint64_t count, size_t size) {
    void *taken = base ? base + *at : NULL;
    *at += (count * size + 15) & ~UINT64_C(15);
    return taken;
}

/* Lays the blocks out from base on. If base is NULL it only returns how many bytes they take. */
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
    fp->blocks_bytes = (size_t)at;
    return at;
}

/* The same for the tables. Their size depends on the most slots there can ever be. */
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
    FOOTPRINT_P_TAKE(before_total, footprint_total, columns);
    FOOTPRINT_P_TAKE(ring, footprint_entry, FOOTPRINT_P_RING + T + 4);
    FOOTPRINT_P_TAKE(shifted, uint32_t, T * FOOTPRINT_P_YOUNG);
    FOOTPRINT_P_TAKE(reused, uint32_t, T * FOOTPRINT_P_YOUNG);
    FOOTPRINT_P_TAKE(events, footprint_p_moment, (T + 2) * (uint64_t)columns);
    FOOTPRINT_P_TAKE(born, uint64_t, T + 1);
    FOOTPRINT_P_TAKE(depth, uint64_t, rows);
    FOOTPRINT_P_TAKE(before, uint64_t, forget ? 0u : rows * columns);
    FOOTPRINT_P_TAKE(place, uint32_t, marks + 16);
    FOOTPRINT_P_TAKE(pending, uint32_t, marks + 16);
    FOOTPRINT_P_TAKE(slack, uint32_t, marks + 16);
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
    return fp->cap;
}

static void footprint_p_configure(footprint *fp, const footprint_config *config) {
    uint64_t width, window_max;
    double c;
    footprint_p_zero(fp, sizeof *fp);
    if (config) fp->config = *config;
    c = fp->config.c;
    fp->config.c = c > 0 ? (c > 1 ? 1 : c < .01 ? .01 : c) : .9;
    window_max = fp->config.window_max ? fp->config.window_max : UINT32_MAX;
    fp->columns = footprint_bin(window_max < 1023 ? 1023 : window_max) + 1;
    fp->config.window_max = footprint_bin_high(fp->columns - 1);
    if (fp->config.blocks_max == 0 || fp->config.blocks_max > UINT32_C(1) << 30)
        fp->config.blocks_max = UINT32_C(1) << 30;
    if (fp->config.sample_log2 > 24) fp->config.sample_log2 = 24;
    if (fp->config.block_log2 == 0) fp->config.block_log2 = 6;
    fp->flags = fp->config.flags & FOOTPRINT_FORGET;
    fp->sample_log2 = fp->config.sample_log2;
    fp->depth_first = footprint_bin((uint64_t)FOOTPRINT_P_T << fp->sample_log2);
    fp->next = 2;
    fp->is_followed = 1;
    fp->wait_from = fp->config.c >= 1 ? (uint32_t)FOOTPRINT_P_MANY : UINT32_MAX;
    fp->is_fast = (uint32_t)footprint_p_is_fast();
    width = fp->config.window_max - footprint_bin_low(fp->columns - 1) + 1;
    fp->end = UINT64_MAX / width;                          /* until then no cell overflows; */
    if (fp->end < (UINT64_C(1) << 34) - 1) fp->end = (UINT64_C(1) << 34) - 1;   /* nor until then */
    fp->folded = FOOTPRINT_P_FOLD < fp->end ? FOOTPRINT_P_FOLD : fp->end;
}

static uint32_t footprint_p_slots(const footprint *fp, uint64_t blocks) {
    if (blocks > fp->config.blocks_max) blocks = fp->config.blocks_max;
    if (blocks < 60) blocks = 60;
    return (uint32_t)(blocks + (blocks + 2) / 3 + 4);
}

FOOTPRINT_API size_t footprint_bytes(const footprint_config *config, uint32_t blocks) {
    footprint fp;
    uint64_t bytes;
    footprint_p_configure(&fp, config);
    bytes = footprint_p_measure(&fp, footprint_p_slots(&fp, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config) {
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, room;
    unsigned char *base = (unsigned char *)memory + skip;
    uint32_t slots = 64, step, most;
    footprint_p_configure(fp, config);
    fp->config.alloc = NULL;
    most = footprint_p_slots(fp, UINT64_MAX);
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
    most = footprint_p_slots(fp, UINT64_MAX);
    slots = footprint_p_slots(fp, FOOTPRINT_P_FIRST);
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
    uint64_t most = footprint_p_slots(fp, UINT64_MAX);
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

/* ---- marks ---- */

/* The paper (section 3) walks O(log) ranges at every access. Here the low end F of each bin of
   footprints has one mark instead, a time tau_F:
       accesses   1 . . . . . . . . . . . . . . . . . . now
                        |       |    |    | | ||||||||||      windows that start at or before tau_F
                      tau_64  tau_56 tau_48 ...   tau_1 = now     count as touching F blocks or more
   Let X_F be the time of the last access to the F-th most recently used block. A window touches F
   blocks or more exactly when it starts at or before X_F. A mark may lag behind X_F. Call an access
   pending if it came after the mark was last moved and its block had not been used after tau_F.
   Each pending access has added one to the F - 1 blocks that are used after tau_F. With
       K(F) = floor((F - 1) / c)      slack(F) = K(F) - (F - 1)      pending <= slack(F)
   a window that is not counted as >= F holds at most K(F) <= (F - 1) / c blocks. One that is
   counted holds at least F. So every reported footprint is within [c, 1] of the truth.

       recent: T blocks, exact                slot: all older blocks, later used = higher slot
       top[0] top[1] ... top[T-1]  ------->   next   . . # # . # . # # # . . # # . #  2
         b      a          z  leaves                     ^place[0] ^place[1]  ^place[2] ...
                                              # is live (its bit is set), . has gone back to recent
   An access to a block found in recent at depth q moves it to the front. Any other block comes from
   slot p (p = 1: it is new). Its bit is cleared, z gets the next free slot, and each mark with
   place >= p has one more pending. G neighbouring marks form a group with the slack of its smallest
   F, whose mark always has the most pending. When that exceeds the slack, each mark of the group
   moves up over as many live slots as it has pending. It may overtake the last mark of the group
   below, which then moves as well. A miss moves about 4 marks at c = 0.9, and each mark above p
   (O(log blocks)) at c = 1.
   Invariants between two accesses (for marks that wait for footprint_p_settle: after it).
     If pending[j] is 0, F - 1 - T live slots lie strictly after place[j].
     place[j] falls as j grows, over all groups.
     index finds each live slot by its block. An entry is stale if its slot holds another block or
     is not live. It goes when its block gets a new slot.

   While a mark rests, its age (now - tau_F + 1), the shortest window counted as >= F, grows by one
   at each access. A rest is a stretch of ages, and row F of the table keeps where they start (+1)
   and end (-1). "reading rows out" turns them into windows. Rows F <= T need no marks: when a block
   moves from top[q] to top[q + 1] at age y, a stretch of row q + 1 ends and one of row q + 2 starts
   (shifted[q][y]); when it is used again, a stretch of row q + 1 ends (reused[q][y]). */

/* Returns the step-th live slot after place. BMI2 saves 9 of 115 instructions an access. */
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

/* Counters of ages run backwards, so that a time is an index. Age 0 would be counters[age_0]. */
#define FOOTPRINT_P_TIME_0(counters, age_0, next) \
    ((uintptr_t)(counters) + 4 * ((uintptr_t)(age_0) - (uintptr_t)(next)))
#define FOOTPRINT_P_AT(q, y)     ((q) * FOOTPRINT_P_YOUNG + (FOOTPRINT_P_YOUNG - (uint32_t)(y)))
#define FOOTPRINT_P_REUSED(q, y) ((q) * FOOTPRINT_P_YOUNG + (uint32_t)(y))

/* Adds `count` events at age y to the moments of y's bin, see "reading rows out". */
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

/* A mark now rests on a slot of time `since`: a run ended before age y, the next starts at `start`.
   Where neither is young, both are mostly in one bin. Marks of low ends that are not young have no
   counters and need none: a window of F blocks has F accesses or more. */
static FOOTPRINT_P_ALWAYS void footprint_p_put_mark(footprint *fp, footprint_p_mark *mark,
                                                    uint64_t since, uintptr_t counters,
                                                    uint64_t next) {
    uint64_t before = mark->since, ages = FOOTPRINT_P_MARK_YOUNG - 1;
    uint64_t young = next > ages ? next - ages : 0;        /* times from there on have counters */
    mark->since = since;
    if (since < young) {
        uint64_t y = next - before, start = next - since;
        uint32_t k = FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
        uint64_t room = (y | ((UINT64_C(1) << k) - 1)) - y + 1, less = y - start;
        footprint_p_moment *row = fp->cells + mark->row, *moment = row + bin;
        if ((y ^ start) >> k == 0 && bin < fp->columns) {
            moment->sum += less;
            moment->square += less * (2 * room + less + 1) >> 1;
            return;
        }
        footprint_p_event_at(row, fp->columns, start, 1);
    } else {
        ++*(int32_t *)(counters + (uintptr_t)since * 4);
        if (before >= young) {
            --*(int32_t *)(counters + (uintptr_t)before * 4);
            return;
        }
    }
    footprint_p_event_at(fp->cells + mark->row, fp->columns, next - before, UINT64_MAX);
}

/* Moves the marks of group g, and those of lower groups that they overtake. */
static FOOTPRINT_P_APART void footprint_p_flush(footprint *fp, uint32_t g) {
    uint64_t next = fp->now + 1;
    for (;; g--) {
        uint32_t first = g * FOOTPRINT_P_GROUP, end = first + FOOTPRINT_P_GROUP, j;
        size_t age_0 = (first + (size_t)1) * FOOTPRINT_P_MARK_YOUNG;
        uintptr_t counters = FOOTPRINT_P_TIME_0(fp->young, age_0, next);
        if (end > fp->marks) end = fp->marks;
        for (j = first; j < end && fp->pending[j]; j++, counters += 4 * FOOTPRINT_P_MARK_YOUNG) {
            uint32_t place = fp->place[j], step = fp->pending[j];
            place = fp->is_fast ? footprint_p_select_fast(fp, place, step)
                                : footprint_p_select(fp, place, step);
            fp->pending[j] = 0;
            fp->place[j] = place;
            footprint_p_put_mark(fp, fp->mark + j, fp->slot[place].time, counters, next);
        }
        if (g == 0 || fp->place[first - 1] > fp->place[first]) return;
        if (fp->pending[first - FOOTPRINT_P_GROUP] == 0) return;
    }
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_next_live(const uint64_t *live, uint32_t place) {
    uint32_t word = ++place >> 6;
    uint64_t bits = live[word] >> (place & 63);
    if (!FOOTPRINT_P_UNLIKELY(bits == 0)) return place + FOOTPRINT_P_LOWEST(bits);
    do bits = live[++word]; while (bits == 0);
    return word << 6 | FOOTPRINT_P_LOWEST(bits);
}

/* Marks without slack need no counting: each moves to the next live slot. Returns how many did. */
static FOOTPRINT_P_APART uint32_t footprint_p_count_exact(footprint *fp, uint32_t p) {
    uint32_t *at = fp->place, *end = at + (fp->exact < fp->marks ? fp->exact : fp->marks);
    uint64_t next = fp->now + 1;
    uintptr_t counters = FOOTPRINT_P_TIME_0(fp->young, FOOTPRINT_P_MARK_YOUNG, next);
    footprint_p_mark *mark = fp->mark;
    for (; at < end && *at >= p; at++, mark++, counters += 4 * FOOTPRINT_P_MARK_YOUNG) {
        uint32_t place = *at = footprint_p_next_live(fp->live, *at);
        footprint_p_put_mark(fp, mark, fp->slot[place].time, counters, next);
    }
    return (uint32_t)(at - fp->place);
}

/* While few of these misses come from between the marks, they wait, and footprint_p_settle moves
   mark by mark, each over all of them (came_from: the slot p of a miss, came_at: its time). Each
   mark leaves the misses that moved it to the next one; no others move that. A slot after the mark
   was live until its miss, so its bit is set until then. If the miss did not move an earlier mark,
   this one cannot be there sooner. F - 1 - T live slots keep a mark off slots not yet filled.

   When mark j has moved n times, since[1..n] are the times of its slots. If all ages on the way are
   in one bin, footprint_p_put_mark's terms add up: with a step for each move, square grows by
   triangle(room + all steps) - triangle(room) - sum of (step * time since the first move). */
static void footprint_p_put_moves(footprint *fp, uint32_t j, const uint64_t *since, uint32_t n) {
    const uint64_t *at = fp->came_at;
    footprint_p_mark *mark = fp->mark + j;
    uint64_t y = at[n - 1] + 1 - since[0], less = since[n] - since[0];
    uint32_t k = FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k), i;
    if ((y ^ (at[0] + 1 - since[n])) >> k == 0 && bin < fp->columns) {
        footprint_p_moment *moment = fp->cells + mark->row + bin;
        uint64_t room = (y | ((UINT64_C(1) << k) - 1)) + since[0] - at[0];
        uint64_t square = less * (2 * room + less + 1) >> 1;
        for (i = 1; i < n; i++) square -= (since[i + 1] - since[i]) * (at[i] - at[0]);
        moment->sum += less;
        moment->square += square;
        mark->since = since[n];
        return;
    }
    for (i = 0; i < n; i++) {
        size_t age_0 = (j + (size_t)1) * FOOTPRINT_P_MARK_YOUNG;
        uintptr_t counters = FOOTPRINT_P_TIME_0(fp->young, age_0, at[i] + 1);
        footprint_p_put_mark(fp, mark, since[i + 1], counters, at[i] + 1);
    }
}

/* Counts reuses at stack distances of a bin. The last row is open. */
static void footprint_p_depth(footprint *fp, uint32_t bin, uint64_t count) {
    fp->depth[bin < fp->rows ? bin : fp->rows - 1] += count << fp->sample_log2;
}

static FOOTPRINT_P_APART void footprint_p_settle(footprint *fp) {
    uint64_t *live = fp->live, since[FOOTPRINT_P_LOG + 1];
    uint32_t n = fp->logged, i, j, most = UINT32_MAX;
    for (j = 0; j < fp->marks && n > 0; j++) {
        uint32_t first = fp->place[j], place = first, word = first >> 6, kept = 0;
        uint64_t bits = live[word] & (~UINT64_C(1) << (first & 63));
        since[0] = fp->mark[j].since;
        if (most <= first) {
            for (i = 1; i <= n; i++, bits &= bits - 1) {
                while (bits == 0) bits = live[++word];
                place = word << 6 | FOOTPRINT_P_LOWEST(bits);
                since[i] = fp->slot[place].time;
            }
        } else {
            for (i = 0; i < n; i++) {
                uint32_t p = fp->came_from[i];
                if (p > first) live[p >> 6] |= UINT64_C(1) << (p & 63);
            }
            for (most = 0, i = 0; i < n; i++) {
                uint32_t p = fp->came_from[i];
                if (p > first) live[p >> 6] &= ~(UINT64_C(1) << (p & 63));
                if (p > place) continue;
                place = footprint_p_next_live(live, place);
                fp->came_at[kept] = fp->came_at[i];
                fp->came_from[kept++] = p;
                since[kept] = fp->slot[place].time;
                most = p > most ? p : most;
            }
            footprint_p_depth(fp, fp->depth_first + j, n - kept);
            n = kept;
        }
        fp->place[j] = place;
        if (n) footprint_p_put_moves(fp, j, since, n);
    }
    for (i = 0; i < n; i++) footprint_p_depth(fp, fp->depth_first + j, fp->came_from[i] > 1);
    fp->logged = 0;
}

/* 16 marks from `first` on: those with place >= p have one more pending. Returns how many have.
   `over` gets a bit for each first mark of a group whose pending is more than its slack. */
#ifdef FOOTPRINT_P_SIMD
#define FOOTPRINT_P_PACK(x) (uint32_t)_mm_movemask_epi8( \
    _mm_packs_epi16(_mm_packs_epi32(x[0], x[1]), _mm_packs_epi32(x[2], x[3])))
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_count_16(footprint *fp, uint32_t first, uint32_t p,
                                                        uint32_t *over) {
    const __m128i *place = (const __m128i *)(const void *)(fp->place + first);
    const __m128i *slack = (const __m128i *)(const void *)(fp->slack + first);
    __m128i *pending = (__m128i *)(void *)(fp->pending + first), at[4], more[4];
#define FOOTPRINT_P_COUNT_4(i) \
    at[i] = _mm_cmpgt_epi32(_mm_loadu_si128(place + i), _mm_set1_epi32((int)p - 1)); \
    more[i] = _mm_sub_epi32(_mm_loadu_si128(pending + i), at[i]); \
    _mm_storeu_si128(pending + i, more[i]); \
    more[i] = _mm_cmpgt_epi32(more[i], _mm_loadu_si128(slack + i));
    FOOTPRINT_P_COUNT_4(0) FOOTPRINT_P_COUNT_4(1) FOOTPRINT_P_COUNT_4(2) FOOTPRINT_P_COUNT_4(3)
    *over = FOOTPRINT_P_PACK(more);
    return FOOTPRINT_P_LOWEST((uint64_t)~FOOTPRINT_P_PACK(at));    /* bit 16 is set */
}
#else
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_count_16(footprint *fp, uint32_t first, uint32_t p,
                                                        uint32_t *over) {
    uint32_t j;
    for (*over = 0, j = 0; j < 16 && fp->place[first + j] >= p; j++) {
        if (++fp->pending[first + j] > fp->slack[first + j]) *over |= UINT32_C(1) << j;
    }
    return j;
}
#endif

/* A block came back from slot p. Returns how many marks count that: not those at place 0. */
static inline uint32_t footprint_p_count(footprint *fp, uint32_t p) {
    uint32_t first = 0, counted, over;
    if (fp->exact) {
        first = footprint_p_count_exact(fp, p);
        if (first < fp->exact || first == fp->marks) return first;
    }
    for (;; first += 16) {
        counted = footprint_p_count_16(fp, first, p, &over);
        for (; over; over &= over - 1)
            footprint_p_flush(fp, (first + FOOTPRINT_P_LOWEST((uint64_t)over)) / FOOTPRINT_P_GROUP);
        if (counted < 16) return first + counted;
    }
}

/* Adds the next mark. pending is counted for a group at a time, so that of its group must be 0 now,
   and the last mark of the group below must not lag behind the new one. */
static void footprint_p_add_mark(footprint *fp, uint32_t place, uint64_t from) {
    uint32_t j = fp->marks, g = j / FOOTPRINT_P_GROUP, first = g * FOOTPRINT_P_GROUP;
    uint64_t low = footprint_p_low(j), slack;
    footprint_p_mark *mark = &fp->mark[j];
    footprint_p_settle(fp);
    fp->slack[j] = INT32_MAX;                              /* but for the first of a group */
    if (j != first) {
        if (fp->pending[first]) footprint_p_flush(fp, g);
    } else {
        slack = (uint64_t)((double)(low - 1) / fp->config.c + 1e-9) - (low - 1);   /* see above */
        if (fp->config.c >= 1) slack = 0;
        fp->slack[j] = slack > INT32_MAX ? INT32_MAX : (uint32_t)slack;
        if (slack == 0) fp->exact = (g + 1) * FOOTPRINT_P_GROUP;
        else if (j == 0) fp->exact = 0;
        if (g > 0 && fp->pending[first - FOOTPRINT_P_GROUP]) footprint_p_flush(fp, g - 1);
    }
    fp->place[j] = place;
    fp->pending[j] = 0;
    mark->since = fp->slot[place].time;
    if (mark->born == 0) mark->born = from;
    mark->row = j * (fp->columns - footprint_bin(FOOTPRINT_P_T) - 1) - j * (j + 1) / 2;
    footprint_p_event_at(fp->cells + mark->row, fp->columns, from - mark->since + 1, 1);
    fp->marks = j + 1;
}

/* ---- blocks ---- */

static uint32_t footprint_p_bucket(const footprint *fp, uint64_t hash) {
    return (uint32_t)(hash * fp->buckets >> 32);
}

/* The number of recent blocks with about this hash; mostly 0, which saves a search. */
static uint8_t *footprint_p_near(footprint *fp, uint64_t hash) {
    return fp->near + (hash >> 22);
}

/* Returns the bucket of a block, or the empty one where it belongs. */
static inline uint32_t footprint_p_find(const footprint *fp, uint64_t block, uint64_t hash) {
    uint32_t bucket = footprint_p_bucket(fp, hash), s;
    while ((s = fp->index[bucket]) != 0 && fp->slot[s].block != block)
        bucket = bucket + 1 < fp->buckets ? bucket + 1 : 0;
    return bucket;
}

/* Adds `count` gaps of y, see "averages". The last cell takes all that are longer than a window. */
static void footprint_p_gap_sum(footprint_p_gap *gaps, uint32_t columns, uint64_t y,
                                uint64_t count) {
    uint32_t bin = footprint_bin(y);
    footprint_p_gap *gap = &gaps[bin < columns ? bin : columns];
    footprint_p_wide sum = footprint_p_product(y, count);
    gap->count += count;
    footprint_p_wide_add(&gap->low, &gap->high, sum.low, sum.high);
}

static FOOTPRINT_P_ALWAYS void footprint_p_gap_far(footprint_p_gap *gap, uint64_t columns,
                                                   uint64_t y, uint32_t sample_log2) {
    uint32_t k = FOOTPRINT_P_LOG2(y | 8) - 3;
    uint64_t bin = 8 * (uint64_t)k + (y >> k);
    gap += bin < columns ? bin : columns;
    gap->count += UINT64_C(1) << sample_log2;
    footprint_p_wide_add(&gap->low, &gap->high, y << sample_log2, 0);
}

/* The latest access is to a block that is not followed yet, at least not since it was forgotten. */
static void footprint_p_new_block(footprint *fp) {
    uint64_t weight = UINT64_C(1) << fp->sample_log2;
    footprint_p_gap_far(fp->gap, fp->columns, fp->now + 1, fp->sample_log2);
    if (fp->start) footprint_p_gap_sum(fp->gap, fp->columns, fp->start + 2, 0 - weight);
    fp->first += weight;
    fp->followed += weight;
    fp->tracked++;
}

/* Runs of rows `row` and above start at age y. Row F is events[F - 1] - events[F]. */
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

/* Moves the live slots together. A mark goes with the last live slot at or before its own. */
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

/* Forgets the `count` oldest blocks. Windows that do not reach their last accesses stay right. */
static void footprint_p_forget(footprint *fp, uint32_t count) {
    uint32_t j, left, k = fp->sample_log2;
    for (j = 0; j < fp->marks; j += FOOTPRINT_P_GROUP) {
        if (fp->pending[j]) footprint_p_flush(fp, j / FOOTPRINT_P_GROUP);
    }
    for (left = count; left > 0; left--) {
        uint32_t s = footprint_p_next_live(fp->live, 1);   /* the oldest */
        footprint_p_wide sum = footprint_p_product(fp->slot[s].time, UINT64_C(1) << k);
        footprint_p_wide_add(&fp->gone_low, &fp->gone_high, sum.low, sum.high);
        fp->live[s >> 6] &= fp->live[s >> 6] - 1;
    }
    fp->gone += (uint64_t)count << k;
    fp->forgotten += count;
    fp->tracked -= count;
    while (fp->marks > 0 && footprint_p_low(fp->marks - 1) > fp->tracked) {
        footprint_p_mark *mark = &fp->mark[--fp->marks];
        fp->place[fp->marks] = 0;                          /* counts nothing */
        footprint_p_event_at(fp->cells + mark->row, fp->columns, fp->now - mark->since + 1,
                             UINT64_MAX);
    }
}

/* Slots have run out: forgets what is too old, makes room, and numbers the rest anew. */
static void footprint_p_renumber(footprint *fp) {
    uint32_t kept = fp->tracked - fp->filled, old = 0, s;
    footprint_p_settle(fp);
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

/* ---- an access ---- */

/* Counts the deepest blocks, whose ages are not young. Returns how many are left to be counted. */
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

/* The block at place q moves on by one, in two instructions. `shifted` is the address of time 0. */
#define FOOTPRINT_P_DEEPER(q) \
    ++*(uint32_t *)(shifted + (uintptr_t)top[q].time * 4 + (q) * 4 * FOOTPRINT_P_YOUNG);
#define FOOTPRINT_P_DEEPER_CASE(q) FOOTPRINT_P_FALL case q: FOOTPRINT_P_DEEPER(q - 1)
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

static FOOTPRINT_P_APART void footprint_p_push(footprint *fp, uint64_t block, uint64_t hash) {
    footprint_entry *top = fp->top, *out;
    uint64_t out_hash;
    uint32_t q, p, s, bucket, marks;
    FOOTPRINT_P_PREFETCH(&fp->slot[fp->index[footprint_p_bucket(fp, hash)]]);
    if (fp->filled) footprint_p_shift(fp, top, fp->filled);
    if (FOOTPRINT_P_UNLIKELY(top == fp->ring)) {
        top = fp->ring + FOOTPRINT_P_RING;
        for (q = fp->filled; q-- > 0; ) top[q] = fp->ring[q];
    }
    fp->top = --top;
    top->block = block;
    top->time = fp->now;
    ++*footprint_p_near(fp, hash);
    if (fp->filled < FOOTPRINT_P_T) {
        fp->born[++fp->filled] = fp->now;
        footprint_p_new_block(fp);
        return;
    }
    out = top + FOOTPRINT_P_T;
    out_hash = footprint_p_hash(out->block);
    --*footprint_p_near(fp, out_hash);
    if (FOOTPRINT_P_UNLIKELY(fp->next == fp->slots)) footprint_p_renumber(fp);
    p = fp->index[footprint_p_find(fp, block, hash)];
    if (p != 0 && fp->live[p >> 6] >> (p & 63) & 1) {
        footprint_p_gap_far(fp->gap, fp->columns, fp->now - fp->slot[p].time + 1, fp->sample_log2);
        fp->live[p >> 6] &= ~(UINT64_C(1) << (p & 63));
    } else p = 1;
    bucket = footprint_p_find(fp, out->block, out_hash);
    s = fp->next++;
    fp->slot[s] = *out;
    fp->live[s >> 6] |= UINT64_C(1) << (s & 63);
    fp->index[bucket] = s;
    if (FOOTPRINT_P_UNLIKELY(fp->tracked >= fp->wait_from)) {
        fp->came_from[fp->logged] = p;
        fp->came_at[fp->logged] = fp->now;
        if (++fp->logged == FOOTPRINT_P_LOG) footprint_p_settle(fp);
    } else {
        marks = footprint_p_count(fp, p);
        if (p > 1) footprint_p_depth(fp, marks + fp->depth_first, 1);
    }
    if (p > 1) return;
    footprint_p_new_block(fp);
    if (fp->marks < fp->mark_max && fp->tracked == footprint_p_low(fp->marks))
        footprint_p_add_mark(fp, footprint_p_next_live(fp->live, 1), fp->now);
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

/* The block is not at the top, and T blocks are recent. Only the branch that finds the block cannot
   be foreseen, and from there each step is four instructions. */
#define FOOTPRINT_P_FIND(q) \
    if (top[q].block == block) { \
        y = next - top[q].time; \
        if (FOOTPRINT_P_UNLIKELY(y >= FOOTPRINT_P_YOUNG)) goto far; \
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
far:
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

/* Does what is due before an access. Returns 0 if the access has been dealt with. */
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
    fp->is_followed = !footprint_p_left_out(fp, block);
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
        /* Asking ahead pays where there are many misses. Renumbering looks like many. */
        ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE && fp->next - next > 128;
    }
}

FOOTPRINT_API void footprint_access_repeat(footprint *fp, uint64_t count) {
    uint64_t most = fp->end - fp->now;
    if (fp->now == 0) return;
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
    uint64_t first = (uint64_t)(uintptr_t)address, last = first + (bytes ? bytes - 1 : 0);
    uint64_t block = first >> fp->config.block_log2;
    do footprint_access(fp, block); while (block++ != last >> fp->config.block_log2);
}

/* ---- reading rows out ---- */

/* A row says at which ages y its stretches start (+1) and end (-1): the events e(y). N(w) is the
   sum of e(y) over y <= w. At N(w) accesses the age is w or less, and the windows of length w that
   count as >= F are one for each of them: the sum of e(y) (w - y + 1) over y <= w. A bin of lengths
   low..high, cut at limit = min(high, now), has width = limit - low + 1 lengths. Over all of them
       an event below the bin adds    (low - y) width + triangle(width)
       an event within it adds        triangle(limit - y + 1)
   The first kind needs two running sums over the bins below: `open`, the sum of e(y), and `all`,
   the sum of e(y) (low - y). For the second kind write room = high - y + 1 and less = high - limit:
       triangle(room - less) = triangle(room) - less room + triangle(less - 1)
   so count = sum of e, sum = sum of e room and square = sum of e triangle(room) give any limit.
   A window that ends at access i has at most i accesses. So at each of the accesses born..w - 1
   the length w was counted once too often; `early` is the sum of w - born over the lengths of the
   bin. Everything may wrap in between; the results are right modulo 2^64. */

/* Adds the windows of the row whose events are in fp->scratch to rows below + 1 .. bin. */
static void footprint_p_add_row(const footprint *fp, uint64_t born, uint64_t *table, uint32_t below,
                                uint32_t bin) {
    uint64_t now = fp->now, all = 0, open = 0, windows;
    uint32_t b, row;
    for (b = 1; b < fp->columns && footprint_bin_low(b) <= now; b++) {
        const footprint_p_moment *m = &fp->scratch[b];
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b);
        uint64_t limit = high < now ? high : now, width = limit - low + 1, less = high - limit;
        windows = width * all + open * footprint_p_triangle(width);
        windows += m->square - less * m->sum + footprint_p_triangle(less - 1) * m->count;
        if (limit > born) {                                /* less `early` */
            uint64_t from = low > born ? low : born + 1;
            windows -= (limit - from + 1) * (from - born) + footprint_p_triangle(limit - from);
        }
        for (row = below + 1; row <= bin; row++) table[row * (size_t)fp->columns + b] += windows;
        all += open * (high - low + 1) + m->sum;
        open += m->count;
    }
}

/* Row F <= T: starts are blocks that came to depth F, ends are those that left it. */
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
    footprint_p_event_at(fp->scratch, fp->columns, fp->now - fp->top[F - 1].time + 2, UINT64_MAX);
}

/* Adds to the table the windows that ended since fp->start. Counters must have been folded. */
static void footprint_p_extract(const footprint *fp, uint64_t *table, uint32_t rows) {
    uint32_t k = fp->sample_log2, below = k == 0 && rows > 1, F, j, bin, b;
    footprint_p_zero(fp->scratch, fp->columns * sizeof *fp->scratch);
    footprint_p_event_at(fp->scratch, fp->columns, 1, fp->now - fp->start);
    footprint_p_event_at(fp->scratch, fp->columns, 2, fp->start - fp->now);
    footprint_p_add_row(fp, fp->start + 1, table, UINT32_MAX, below);  /* all: the age is 1 */
    for (F = k ? 1 : 2; F <= fp->filled; F++) {
        if (footprint_bin_low(footprint_bin(F)) != F) continue;    /* 17, 19, ... are no low ends */
        bin = footprint_bin((uint64_t)F << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_load_recent(fp, F);
        footprint_p_add_row(fp, fp->born[F], table, below, bin);
        below = bin;
    }
    for (j = 0; j < fp->mark_max && fp->mark[j].born; j++) {
        bin = footprint_bin(footprint_p_low(j) << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_zero(fp->scratch, fp->columns * sizeof *fp->scratch);
        for (b = footprint_bin(footprint_p_low(j)); b < fp->columns; b++)
            fp->scratch[b] = fp->cells[fp->mark[j].row + b];
        if (j < fp->marks)                                 /* the rest under way ends here */
            footprint_p_event_at(fp->scratch, fp->columns, fp->now - fp->mark[j].since + 2,
                                 UINT64_MAX);
        footprint_p_add_row(fp, fp->mark[j].born, table, below, bin);
        below = bin;
    }
}

/* ---- averages ---- */

/* The average footprint (Xiang et al., PACT 2011): a block is missing from exactly those windows
   that fit strictly between two of its accesses, if it counts as accessed at times 0 and n + 1 as
   well. A gap from t to t' holds max(0, t' - t - w) windows of length w. With y = t' - t + 1
       sum of footprints of the windows of length w = blocks (n - w + 1) - sum of max(0, y - 1 - w)
   For each bin of y the table keeps the number of gaps and the sum of y, which makes this exact for
   w at the high end of a bin. */

/* Adds the gaps that are open at n + 1, of all blocks that are followed, `weight` times each. */
static void footprint_p_open_gaps(const footprint *fp, footprint_p_gap *gap, uint64_t weight) {
    uint32_t i, columns = fp->columns;
    for (i = 0; i < fp->filled; i++)
        footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->top[i].time, weight);
    for (i = 2; i < fp->next; i++) {
        if (fp->live[i >> 6] >> (i & 63) & 1)
            footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->slot[i].time, weight);
    }
}

/* [shared: bound_total] Bounds an estimate: a window of w accesses touches 1 to w blocks, and no
   more than all. */
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
/* [end shared] */

/* The formula above, for the windows since start, on top of those before. */
static void footprint_p_sum_averages(const footprint *fp, footprint_total *total) {
    footprint_p_gap *gap = (footprint_p_gap *)(void *)fp->scratch;
    uint64_t n = fp->now, count = 0, low = 0, high = 0;
    uint32_t b;
    footprint_p_copy(gap, fp->gap, (fp->columns + 1) * sizeof *gap);
    footprint_p_open_gaps(fp, gap, UINT64_C(1) << fp->sample_log2);
    for (b = fp->columns; b-- > 1; ) {
        uint64_t w = footprint_bin_high(b), windows = n - w + 1;
        footprint_p_wide sum, more;
        count += gap[b + 1].count;                         /* gaps of more than w, and their sum */
        footprint_p_wide_add(&low, &high, gap[b + 1].low, gap[b + 1].high);
        if (w > n) continue;
        sum = footprint_p_product(fp->followed, windows - (fp->start < w ? 0 : fp->start - w + 1));
        footprint_p_wide_less(&sum.low, &sum.high, low, high);
        more = footprint_p_product(w + 1, count);
        footprint_p_wide_add(&sum.low, &sum.high, more.low, more.high);
        more = footprint_p_product(n + 1 - w, 0 - fp->gone);    /* forgotten: their gaps are long */
        footprint_p_wide_add(&sum.low, &sum.high, more.low, more.high);
        footprint_p_wide_add(&sum.low, &sum.high, fp->gone_low, fp->gone_high);
        footprint_p_wide_add(&sum.low, &sum.high, fp->before_total[b].low,
                             fp->before_total[b].high);
        total[b].windows = windows;
        total[b].low = sum.low;
        total[b].high = sum.high;
    }
}

/* Returns the rows that a snapshot needs: up to the largest mark there ever was. */
static uint32_t footprint_p_rows(const footprint *fp) {
    uint32_t j = fp->marks;
    uint64_t low;
    if (fp->start) return fp->rows;
    while (j < fp->mark_max && fp->mark[j].born) j++;
    low = j > 0 ? footprint_p_low(j - 1) : (uint64_t)FOOTPRINT_P_T;
    return footprint_bin(low << fp->sample_log2) + 1;
}

FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp) {
    return footprint_profile_bytes(footprint_p_rows(fp), fp->columns);
}

FOOTPRINT_API int footprint_snapshot(footprint *fp, footprint_profile *profile, void *memory,
                                     size_t bytes) {
    uint32_t rows = footprint_p_rows(fp), row, b;
    FOOTPRINT_ASSERT(memory != NULL);
    if (footprint_profile_init(profile, rows, fp->columns, memory, bytes)) return -1;
    profile->accesses = profile->last_window = fp->now;
    profile->blocks = profile->last_blocks = fp->first;
    profile->forgotten = fp->forgotten;
    profile->c = fp->config.c;
    profile->flags = fp->flags;
    profile->sample_log2 = fp->sample_log2;
    profile->block_log2 = fp->config.block_log2;
    if (fp->now == 0) return 0;
    if (fp->now > fp->config.window_max) profile->last_window = profile->last_blocks = 0;
    footprint_p_fold(fp);
    footprint_p_sum_averages(fp, profile->total);
    for (b = 1; b < fp->columns && fp->flags & FOOTPRINT_FULL; b++)
        footprint_p_bound_total(&profile->total[b], footprint_bin_high(b), fp->first);
    if (fp->start)
        footprint_p_copy(profile->at_least, fp->before, rows * fp->columns * sizeof(uint64_t));
    footprint_p_extract(fp, profile->at_least, rows);
    for (row = 0; row < fp->rows; row++)
        profile->depth[row < rows ? row : rows - 1] += fp->depth[row];
    return 0;
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
}

FOOTPRINT_API uint64_t footprint_mark_time(footprint *fp, uint32_t bin) {
    uint32_t k = fp->sample_log2, j;
    uint64_t F = (footprint_bin_low(bin) + ((UINT64_C(1) << k) - 1)) >> k;
    if (F == 0) return fp->now;
    if (F <= FOOTPRINT_P_T) return F <= fp->filled ? fp->top[F - 1].time : 0;
    j = footprint_bin(F) - footprint_bin(FOOTPRINT_P_T) - 1;
    footprint_p_settle(fp);
    return j < fp->marks ? fp->mark[j].since : 0;
}

/* ---- full: every second block from here on ---- */

/* When blocks no longer fit, the sampling ratio 2^-k is halved until they do. Windows that ended
   so far are read out into `before` and before_total, with rows F 2^k for the old k. Then recent
   and slot keep only the blocks that are still followed, and all rows, marks and gaps start anew: a
   row F of a block that is there starts a run with that block's age, and each mark stands exactly
   at X_F. The open gap of a block that is kept is taken off; that of one that is dropped is closed
   with the windows before. Invariant: every window is counted once, by the k at its end. */

static void footprint_p_thin(footprint *fp) {
    uint32_t q, j, s, kept;
    fp->flags |= FOOTPRINT_FULL;
    footprint_p_fold(fp);
    footprint_p_sum_averages(fp, fp->before_total);
    footprint_p_extract(fp, fp->before, fp->rows);
    fp->marks = 0;
    do {
        fp->sample_log2++;
        for (kept = 0, q = 0; q < fp->filled; q++) {
            if (!footprint_p_left_out(fp, fp->top[q].block)) fp->top[kept++] = fp->top[q];
        }
        fp->filled = kept;
        for (s = 2; s < fp->next; s++) {
            if (footprint_p_left_out(fp, fp->slot[s].block))
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
    footprint_p_zero(fp->near, sizeof fp->near);
    footprint_p_zero(fp->events, (FOOTPRINT_P_T + 2) * (size_t)fp->columns * sizeof *fp->events);
    footprint_p_zero(fp->cells, fp->cell_count * sizeof *fp->cells);
    for (q = 0; q < fp->filled; q++) {
        ++*footprint_p_near(fp, footprint_p_hash(fp->top[q].block));
        footprint_p_event(fp, q + 1, fp->now - fp->top[q].time + 2, 1);
        fp->born[q + 1] = fp->now + 1;
    }
    for (j = 0; j < fp->mark_max; j++) fp->mark[j].born = fp->place[j] = fp->pending[j] = 0;
    for (j = 0; j < fp->mark_max && footprint_p_low(j) <= fp->tracked; j++)
        footprint_p_add_mark(fp, fp->next + FOOTPRINT_P_T - (uint32_t)footprint_p_low(j),
                             fp->now + 1);
    footprint_p_zero(fp->gap, (fp->columns + 1) * sizeof *fp->gap);
    footprint_p_open_gaps(fp, fp->gap, 0 - (UINT64_C(1) << fp->sample_log2));
}

/* ---- profiles ---- */

FOOTPRINT_API size_t footprint_profile_bytes(uint32_t rows, uint32_t columns) {
    uint64_t cells = (uint64_t)rows * columns + rows, bytes = cells * sizeof(uint64_t) + 15;
    bytes += columns * (uint64_t)sizeof(footprint_total);
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API int footprint_profile_init(footprint_profile *p, uint32_t rows, uint32_t columns,
                                         void *memory, size_t bytes) {
    size_t at = (size_t)(0 - (uintptr_t)memory) & 15;
    footprint_p_zero(p, sizeof *p);
    if (!memory || bytes < footprint_profile_bytes(rows, columns)) return -1;
    footprint_p_zero(memory, footprint_profile_bytes(rows, columns));
    p->rows = rows;
    p->columns = columns;
    p->total = (footprint_total *)(void *)((unsigned char *)memory + at);
    p->at_least = (uint64_t *)(void *)(p->total + columns);
    p->depth = p->at_least + (size_t)rows * columns;
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

FOOTPRINT_API uint64_t footprint_windows_in_bin(const footprint_profile *p, uint32_t window_bin,
                                                uint32_t bin) {
    return footprint_at_least(p, window_bin, bin) - footprint_at_least(p, window_bin, bin + 1);
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

FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks) {
    double all = (double)p->blocks, hits = 0;
    uint32_t row;
    if (p->sample_log2 && blocks < (double)(UINT64_C(1) << p->sample_log2)) return -1;
    for (row = 1; row < p->rows; row++) {
        uint64_t first = footprint_bin_low(row), next = footprint_bin_low(row + 1);
        double low = (double)first, width = (double)(next - first), here = (double)p->depth[row];
        all += here;
        if (blocks - low + 1 >= width) hits += here;
        else if (blocks >= low) hits += here * (blocks - low + 1) / width;
    }
    return all > 0 ? 1 - hits / all : 0;
}

/* ---- dump ---- */

#ifndef FOOTPRINT_NO_FILES
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

FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user) {
    const uint64_t head[] = {p->flags, p->sample_log2, p->block_log2, (uint64_t)(p->c * 1e9 + .5),
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
            if (footprint_windows_in_bin(p, column, row) == 0) continue;
            if (last == 0) first = row;
            last = row + 1;
        }
        footprint_p_put_varint(&out, p->total[column].windows);
        footprint_p_put_varint(&out, p->total[column].low);
        footprint_p_put_varint(&out, p->total[column].high);
        footprint_p_put_varint(&out, first);
        footprint_p_put_varint(&out, last - first);
        for (row = first; row < last; row++)
            footprint_p_put_varint(&out, footprint_windows_in_bin(p, column, row));
    }
    return footprint_p_put_end(&out) ? -1 : 0;
}
#endif

#endif /* FOOTPRINT_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
