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
           printf("1000 accesses touch %.1f blocks\n", footprint_average(&profile, 1000));
           printf("a cache of 512 misses %.3f\n", footprint_miss_ratio(&profile, 512));
           return 0;
       }
   end of example.

   A window is any stretch of consecutive accesses. Its footprint is the number of different blocks
   that it touches. A run of n accesses has n (n + 1) / 2 windows, and this header counts all of
   them while the program runs (paper: "All-Window Profiling of Concurrent Executions").

   STEP BY STEP
   1. Define FOOTPRINT_IMPLEMENTATION before the include in one C or C++ file. Include the file
      plainly everywhere else.
   2. Fill a footprint_config. A zero in a field asks for its default. These two matter most:
          footprint_config config;
          memset(&config, 0, sizeof config);
          config.c = 0.95;               footprints are reported within 0.95 to 1 times the truth
          config.window_max = 1000000;   longer windows do not interest us, so tables are smaller
   3. Give it memory. footprint_init takes memory of yours, and footprint_bytes says how much is
      needed. footprint_open takes memory from config.alloc and grows as blocks come.
   4. Report accesses: footprint_access takes a block number, footprint_reference an address, and
      footprint_access_many an array of block numbers. The array is the fastest way.
   5. footprint_snapshot fills a footprint_profile, as often as you like. Read the profile with
      footprint_percentile, footprint_average, footprint_miss_ratio and the functions beside them.
   6. footprint_subtract takes an earlier snapshot out of a later one. The rest are the windows that
      ended in between (a phase). footprint_add adds the profiles of threads or of runs.
      footprint_write puts a profile into a .brst file, which `bursty report` shows.

   PROMISES
   - A reported footprint f of a window is within [c f, f], and exact if c = 1. Windows are counted
     by length and by footprint. Both are put into the paper's bins: each number below 16 is a bin
     of its own, and each octave from there on has 8 bins.
   - The average footprint is exact at the high end of each bin of window lengths.
   - The header allocates only through config.alloc. It does not abort, print or keep globals.
   - A full table goes on counting, and the profile says so. There are two ways to be full:
       By default every second block is dropped, chosen by a hash, and each that is kept counts for
       two; then every fourth, and so on. From there on numbers are estimates without a guarantee.
       With FOOTPRINT_FORGET the least recently used blocks are dropped. Footprints up to the number
       that footprint_init returned stay guaranteed. Larger ones share one open bin.
   - Blocks that no window up to window_max can reach are dropped without loss of accuracy.
   - No cell of a table overflows. After footprint_stats.accesses_max accesses (6.9e10 by default)
     further ones are not counted, but are added up in footprint_stats.lost.

   THREADS  Use one footprint for each thread and add their profiles. Nothing is shared or locked.
   A snapshot writes to scratch memory of the footprint, so take it on the thread that counts.

   OPTIONS  (define them where FOOTPRINT_IMPLEMENTATION is)
     FOOTPRINT_STATIC       makes all functions static; define it before every include of that file
     FOOTPRINT_ASSERT(x)    is called with a caller's mistakes (default: nothing)
     FOOTPRINT_NO_FILES     leaves footprint_write out
     FOOTPRINT_NO_BUILTINS  uses plain C instead of the compiler's bit scans and prefetches
     FOOTPRINT_NO_SIMD      does not use SSE2 and BMI2 of x86-64 processors

   COST  An access takes O(1) steps for c < 1 and O(log blocks) for c = 1. On data accesses of gzip
   it takes 110 instructions at c = 0.9, 164 at c = 1 and 37 for the average alone
   (bench/footprint_instructions.sh). Each block that fits takes 28 bytes, or 21 for the average
   alone. Tables take 0.3 MB if window_max is 1023, and 0.7 to 1.8 MB by default. footprint_open
   makes room for 8000 blocks at first. */

#ifndef FOOTPRINT_H
#define FOOTPRINT_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
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

/* ---- types ---- */

enum {                               /* flags of a config, of footprint_stats and of a profile */
    FOOTPRINT_AVERAGE     = 1,       /* counts the average alone: no windows, no stack distances */
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
    uint32_t flags;                  /* FOOTPRINT_AVERAGE, FOOTPRINT_FORGET */
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
    uint32_t buckets;                /* of index or table */
    uint32_t marks, mark_max, mark_young, exact;         /* exact: so many marks have no slack */
    uint32_t columns, rows, depth_first, flags, sample_log2;
    uint32_t newest, second;         /* average only: buckets of the two latest blocks */
    uint32_t is_fast, is_overfull, is_followed;          /* is_followed: the latest access */
    footprint_entry *ring, *slot, *table;
    uint32_t *index;
    uint64_t *live;
    uint8_t  *near;
    uint32_t *shifted, *reused, *gap_young;
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
} footprint;

/* ---- functions: counting (paper, section 3) ---- */

/* Lays an empty footprint out in memory[0..bytes). A config of NULL is all defaults.
   Returns how many different blocks fit before it is full. 0: memory is too small; then every
   access will count as lost. */
FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config);
/* The same in memory from config->alloc, which grows as blocks come. Returns 0 if there is none. */
FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config);
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
/* Returns an access number A: every window that starts at A or earlier and ends at the latest
   access is counted as touching footprint_bin_low(bin) blocks or more. 0 if there is no such
   window. */
FOOTPRINT_API uint64_t footprint_mark_time(const footprint *fp, uint32_t bin);

/* ---- functions: profiles (paper, section 1) ---- */

/* Fills *profile, whose tables go to memory[0..bytes). Counting goes on undisturbed.
   Returns 0, or -1 if bytes is less than footprint_snapshot_bytes. */
FOOTPRINT_API int    footprint_snapshot(const footprint *fp, footprint_profile *profile,
                                        void *memory, size_t bytes);
FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp);
/* Makes an empty profile to which others can be added.
   Returns 0, or -1 if bytes is less than footprint_profile_bytes. */
FOOTPRINT_API int    footprint_profile_init(footprint_profile *profile, uint32_t rows,
                                            uint32_t columns, void *memory, size_t bytes);
FOOTPRINT_API size_t footprint_profile_bytes(uint32_t rows, uint32_t columns);
/* Adds all windows of another profile. No window of the sum spans both.
   Returns 0, or -1 if `into` has too few rows or columns, or only one of them is interleaved. */
FOOTPRINT_API int    footprint_add(footprint_profile *into, const footprint_profile *other);
/* Leaves in `later` the windows that ended after `earlier`, a snapshot of the same footprint.
   Returns 0, or -1 if `earlier` is not earlier. */
FOOTPRINT_API int    footprint_subtract(footprint_profile *later,
                                        const footprint_profile *earlier);

/* The paper's 8-wide histogram: the bin of a value, and the least and greatest value of a bin. */
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

/* Returns the average footprint of all windows of `window` accesses (Xiang et al., PACT 2011). It
   is exact at the high ends of bins and interpolated in between. */
FOOTPRINT_API double footprint_average(const footprint_profile *p, double window);
/* Returns the window length at which the average footprint reaches `blocks`, or -1 if it never does
   (fill time of HOTL; Xiang et al., ASPLOS 2013). */
FOOTPRINT_API double footprint_fill_time(const footprint_profile *p, double blocks);
/* Returns the share of accesses that miss in an LRU cache of so many blocks, from stack distances.
   At c = 1 it is exact if `blocks` is the high end of a bin. Returns -1 where it cannot be told:
   for caches below 2^sample_log2 blocks if blocks are sampled. */
FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks);
/* The same from the average alone (miss ratio of HOTL). It is good where reuse is alike everywhere.
   */
FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks);
/* Returns the accesses between two misses (inter-miss time of HOTL), or -1 if there are no misses.
   */
FOOTPRINT_API double footprint_inter_miss_time(const footprint_profile *p, double blocks);

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
#undef FOOTPRINT_API
#ifdef FOOTPRINT_STATIC
#define FOOTPRINT_API FOOTPRINT_P_UNUSED static
#else
#define FOOTPRINT_API
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FOOTPRINT_NO_BUILTINS) && \
    !defined(FOOTPRINT_NO_SIMD)
#include <emmintrin.h>
#define FOOTPRINT_P_SIMD
#endif

/* Bit scans are for words that are not 0. */
#if defined(__GNUC__) && !defined(FOOTPRINT_NO_BUILTINS)
#define FOOTPRINT_P_LOG2(v)     (63u - (uint32_t)__builtin_clzll(v))
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
    for (step = 32; step; step /= 2) {
        if (v >> step) {
            v >>= step;
            log += step;
        }
    }
    return log;
}
#endif

#if (defined(__clang__) && __clang_major__ >= 10) || (defined(__GNUC__) && __GNUC__ >= 7)
#define FOOTPRINT_P_FALL __attribute__((fallthrough));
#else
#define FOOTPRINT_P_FALL
#endif

/* ---- shared pieces ---- */

/* [shared: sat_add] */
static uint64_t footprint_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

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
#endif

/* ---- bins and numbers ---- */

/* bin(v) = v below 16. From there every octave is cut into 8 bins: with k = floor(log2 v) - 3, v is
   in bin 8 k + (v >> k). 16 and 17 are in bin 16, 32 to 35 in bin 24, 288 to 319 in bin 49 (the
   paper counts from one and calls it 50). The least value of a bin is called its low end. Twice a
   low end is a low end again. Window lengths and footprints use the same bins. */

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

/* Sums of 128 bits; they may pass below 0 in between. */
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

typedef struct footprint_p_wide { uint64_t low, high; } footprint_p_wide;

static footprint_p_wide footprint_p_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t middle2 = a0 * b1 + (middle & UINT32_MAX);
    footprint_p_wide product;
    product.low = a * b;
    product.high = a1 * b1 + (middle >> 32) + (middle2 >> 32);
    return product;
}

/* Returns 1 + 2 + .. + k modulo 2^64, and 0 for k = -1. */
static uint64_t footprint_p_triangle(uint64_t k) { return ((k + 1) >> 1) * (k | 1); }

/* How many windows of a run of n accesses have a length in bin. */
static uint64_t footprint_p_windows(uint64_t n, uint32_t bin) {
    uint64_t low = footprint_bin_low(bin), high = footprint_bin_high(bin), width;
    if (bin == 0 || n < low) return 0;
    width = (high < n ? high : n) - low + 1;
    return width * (n - low + 1) - footprint_p_triangle(width - 1);
}

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

/* With sampling at 2^-k a block is left out unless the low k bits of another hash are 0. All bits
   of this hash are well mixed, so the blocks that remain do not cluster. */
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
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    while (bytes--) *t++ = *f++;
}

/* ---- memory layout ---- */

enum {
    FOOTPRINT_P_T = 32,              /* recent blocks; the low end of a bin */
    FOOTPRINT_P_GROUP = 4,           /* G: marks that share a slack */
    FOOTPRINT_P_YOUNG = 512,         /* ages below it are counted one by one */
    FOOTPRINT_P_MARK_YOUNG = 1024,   /* the same for the marks of low ends below it */
    FOOTPRINT_P_RING = 128,          /* misses until `recent` is copied to the ring's end */
    FOOTPRINT_P_NEAR = 1024,         /* bytes of the filter of recent blocks */
    FOOTPRINT_P_FIRST = 8000,        /* blocks that footprint_open makes room for */
    FOOTPRINT_P_AHEAD = 12           /* accesses from asking memory for a bucket to needing it */
};
#define FOOTPRINT_P_LARGE ((size_t)1 << 20)        /* bytes from which asking ahead pays */
#define FOOTPRINT_P_FOLD UINT64_C(0x80000000)      /* accesses until 32-bit counters are emptied */

typedef struct footprint_p_mark { uint64_t since, born; uint32_t row; } footprint_p_mark;
typedef struct footprint_p_gap { uint64_t count, low, high; } footprint_p_gap;
typedef struct footprint_p_moment { uint64_t count, sum, square; } footprint_p_moment;

/* The largest footprint that a window may have without being counted as >= low: K of the algorithm.
   */
static uint64_t footprint_p_reach(double c, uint64_t low) {
    return c >= 1 ? low - 1 : (uint64_t)((double)(low - 1) / c + 1e-9);
}

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
static uint64_t footprint_p_layout_blocks(footprint *fp, unsigned char *base, uint32_t slots) {
    uint64_t at = 0, one_more = (uint64_t)slots + 1;       /* a reserve until thinning */
    fp->slots = slots;
    fp->cap = slots - slots / 4;
    if (fp->flags & FOOTPRINT_AVERAGE) {
        fp->buckets = slots;
        fp->table = (footprint_entry *)footprint_p_take(base, &at, one_more, sizeof *fp->table);
    } else {
        fp->buckets = slots + slots / 4;
        fp->slot  = (footprint_entry *)footprint_p_take(base, &at, one_more, sizeof *fp->slot);
        fp->index = (uint32_t *)footprint_p_take(base, &at, fp->buckets, sizeof *fp->index);
        fp->live  = (uint64_t *)footprint_p_take(base, &at, slots / 64 + 2, sizeof *fp->live);
    }
    fp->blocks_bytes = (size_t)at;
    return at;
}

/* The same for the tables. Their size depends on the most slots there can ever be. */
static uint64_t footprint_p_layout_tables(footprint *fp, unsigned char *base, uint32_t slots) {
    const uint32_t T = FOOTPRINT_P_T, low = footprint_bin(T), columns = fp->columns;
    uint32_t marks, young;
    uint64_t at = 0, rows = 1, cells;
    int forget = (fp->flags & FOOTPRINT_FORGET) != 0;
    fp->gap     = (footprint_p_gap *)footprint_p_take(base, &at, columns + 1, sizeof *fp->gap);
    fp->scratch = (footprint_p_moment *)footprint_p_take(base, &at, columns + 1,
                                                         sizeof *fp->scratch);
    fp->before_total = (footprint_total *)footprint_p_take(base, &at, columns,
                                                           sizeof(footprint_total));
    fp->gap_young = (uint32_t *)footprint_p_take(base, &at, FOOTPRINT_P_YOUNG, sizeof(uint32_t));
    fp->rows = 1;
    if (fp->flags & FOOTPRINT_AVERAGE) {
        fp->table_bytes = (size_t)at;
        return at;
    }
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
    fp->ring    = (footprint_entry *)footprint_p_take(base, &at, FOOTPRINT_P_RING + T + 4,
                                                      sizeof *fp->ring);
    fp->shifted = (uint32_t *)footprint_p_take(base, &at, T * FOOTPRINT_P_YOUNG, sizeof(uint32_t));
    fp->reused  = (uint32_t *)footprint_p_take(base, &at, T * FOOTPRINT_P_YOUNG, sizeof(uint32_t));
    fp->events  = (footprint_p_moment *)footprint_p_take(base, &at, (T + 2) * (uint64_t)columns,
                                                         sizeof *fp->events);
    fp->near    = (uint8_t *)footprint_p_take(base, &at, FOOTPRINT_P_NEAR, 1);
    fp->born    = (uint64_t *)footprint_p_take(base, &at, T + 1, sizeof *fp->born);
    fp->depth   = (uint64_t *)footprint_p_take(base, &at, rows, sizeof *fp->depth);
    fp->before  = (uint64_t *)footprint_p_take(base, &at, forget ? 0u : rows * columns,
                                               sizeof *fp->before);
    fp->place   = (uint32_t *)footprint_p_take(base, &at, marks + 16, sizeof(uint32_t));
    fp->pending = (uint32_t *)footprint_p_take(base, &at, marks + 16, sizeof(uint32_t));
    fp->slack   = (uint32_t *)footprint_p_take(base, &at, marks + 16, sizeof(uint32_t));
    fp->mark    = (footprint_p_mark *)footprint_p_take(base, &at, marks, sizeof *fp->mark);
    fp->young   = (int32_t *)footprint_p_take(base, &at, (uint64_t)young * FOOTPRINT_P_MARK_YOUNG,
                                              sizeof(int32_t));
    fp->cells   = (footprint_p_moment *)footprint_p_take(base, &at, cells, sizeof *fp->cells);
    fp->table_bytes = (size_t)at;
    return at;
}

static uint64_t footprint_p_layout(footprint *fp, unsigned char *base, uint32_t slots) {
    uint64_t tables = footprint_p_layout_tables(fp, base, slots);
    return tables + footprint_p_layout_blocks(fp, base ? base + (size_t)tables : NULL, slots);
}

static int footprint_p_is_fast(void);

/* Fills in the defaults, and what follows from them. */
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
    fp->flags = fp->config.flags & (FOOTPRINT_AVERAGE | FOOTPRINT_FORGET);
    if (fp->flags & FOOTPRINT_AVERAGE) fp->flags = FOOTPRINT_AVERAGE;
    fp->sample_log2 = fp->config.sample_log2;
    fp->depth_first = footprint_bin((uint64_t)FOOTPRINT_P_T << fp->sample_log2);
    fp->next = 2;
    fp->is_followed = 1;
    fp->is_fast = (uint32_t)footprint_p_is_fast();
    width = fp->config.window_max - footprint_bin_low(fp->columns - 1) + 1;
    fp->end = UINT64_MAX / width;                          /* until then no cell overflows; */
    if (fp->end < (UINT64_C(1) << 34) - 1) fp->end = (UINT64_C(1) << 34) - 1;   /* nor until then */
    fp->folded = FOOTPRINT_P_FOLD < fp->end ? FOOTPRINT_P_FOLD : fp->end;
}

/* Returns how many slots make room for so many blocks. */
static uint32_t footprint_p_slots(const footprint *fp, uint64_t blocks) {
    if (blocks > fp->config.blocks_max) blocks = fp->config.blocks_max;
    if (blocks < 60) blocks = 60;
    return (uint32_t)(blocks + (blocks + 2) / 3 + 4);
}

FOOTPRINT_API size_t footprint_bytes(const footprint_config *config, uint32_t blocks) {
    footprint fp;
    uint64_t bytes;
    footprint_p_configure(&fp, config);
    bytes = footprint_p_layout(&fp, NULL, footprint_p_slots(&fp, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, room;
    uint32_t slots = 64, step, most;
    footprint_p_configure(fp, config);
    fp->config.alloc = NULL;
    most = footprint_p_slots(fp, UINT64_MAX);
    room = memory != NULL && bytes > skip ? bytes - skip : 0;
    if (footprint_p_layout(fp, NULL, slots) > room) {
        footprint_p_zero(fp, sizeof *fp);
        return 0;
    }
    for (step = UINT32_C(1) << 30; step; step /= 2) {
        if (step > most - slots) continue;
        if (footprint_p_layout(fp, NULL, slots + step) <= room) slots += step;
    }
    footprint_p_zero(base + skip, (size_t)footprint_p_layout(fp, base + skip, slots));
    if (fp->ring) fp->top = fp->ring + FOOTPRINT_P_RING;
    return fp->cap;
}

FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config) {
    uint32_t most, slots;
    footprint_p_configure(fp, config);
    if (!fp->config.alloc) {
        footprint_p_zero(fp, sizeof *fp);
        return 0;
    }
    most = footprint_p_slots(fp, UINT64_MAX);
    slots = footprint_p_slots(fp, FOOTPRINT_P_FIRST);
    footprint_p_layout_tables(fp, NULL, most);
    footprint_p_layout_blocks(fp, NULL, slots);
    fp->tables = fp->config.alloc(fp->config.user, fp->table_bytes);
    fp->blocks = fp->config.alloc(fp->config.user, fp->blocks_bytes);
    if (!fp->tables || !fp->blocks) {
        footprint_close(fp);
        return 0;
    }
    footprint_p_layout_tables(fp, (unsigned char *)fp->tables, most);
    footprint_p_layout_blocks(fp, (unsigned char *)fp->blocks, slots);
    footprint_p_zero(fp->tables, fp->table_bytes);
    footprint_p_zero(fp->blocks, fp->blocks_bytes);
    if (fp->ring) fp->top = fp->ring + FOOTPRINT_P_RING;
    return fp->cap;
}

/* A closed footprint, like one whose init failed, counts nothing: all accesses are lost. */
FOOTPRINT_API void footprint_close(footprint *fp) {
    if (fp->tables && fp->config.release) fp->config.release(fp->config.user, fp->tables);
    if (fp->blocks && fp->config.release) fp->config.release(fp->config.user, fp->blocks);
    footprint_p_zero(fp, sizeof *fp);
}

static uint32_t footprint_p_average_find(const footprint *fp, uint64_t block);

/* Moves the blocks to larger memory and leaves the index empty. Returns 1, or 0 if there is no
   larger memory; then nothing has changed. */
static int footprint_p_grow(footprint *fp, uint64_t slots) {
    footprint old = *fp;
    uint64_t most = footprint_p_slots(fp, UINT64_MAX);
    uint32_t i;
    if (slots > most) slots = most;
    if (slots <= fp->slots || !fp->config.alloc || fp->flags & FOOTPRINT_FULL) return 0;
    footprint_p_layout_blocks(fp, NULL, (uint32_t)slots);
    fp->blocks = fp->config.alloc(fp->config.user, fp->blocks_bytes);
    if (!fp->blocks) {
        *fp = old;
        return 0;
    }
    footprint_p_layout_blocks(fp, (unsigned char *)fp->blocks, (uint32_t)slots);
    if (fp->flags & FOOTPRINT_AVERAGE) {
        footprint_p_zero(fp->table, fp->slots * sizeof *fp->table);
        for (i = 0; i < old.buckets; i++) {
            uint32_t bucket;
            if (old.table[i].time == 0) continue;
            bucket = footprint_p_average_find(fp, old.table[i].block);
            fp->table[bucket] = old.table[i];
            if (i == old.newest) fp->newest = bucket;
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
   place >= p has one more pending. G neighbouring marks form a group. A group has the slack of its
   smallest F, whose mark always has the most pending. When that mark exceeds the slack, each mark
   of the group moves up over as many live slots as it has pending. This takes scans of the bitmap,
   forward only. A moved mark may overtake the last mark of the group below, which then moves as
   well. A miss moves about 4 marks at c = 0.9, and each mark above p (O(log blocks)) at c = 1.

   Invariants between two accesses. They are suspended inside footprint_p_miss.
     If pending[j] is 0, F - 1 - T live slots lie strictly after place[j].
     place[j] falls as j grows, over all groups.
     For every live slot, index finds it by its block. Other entries of index may be stale: their
     slot then holds another block or is not live. A stale entry goes when its block gets a new
     slot.

   While a mark rests, the age of tau_F (now - tau_F + 1), which is the shortest window counted as
   >= F, grows by one at each access. A rest is a stretch of ages: it starts at one age and ends
   before another. Row F of the table keeps these starts (+1) and ends (-1). "reading rows out"
   turns them into windows. Rows F <= T need no marks. Here q is a place in top[], from 0. When a
   block moves from place q to q + 1 at age y, a stretch of row q + 1 ends and one of row q + 2
   starts; shifted[q][y] counts that. When a block at place q is used again at age y, a stretch of
   row q + 1 ends; reused[q][y] counts that. These are the LRU stack distances as well, and the
   times between two uses from which the average follows. */

/* Returns the step-th live slot after place: by whole words, then by bytes, then by bits. */
static FOOTPRINT_P_APART uint32_t footprint_p_select(const footprint *fp, uint32_t place,
                                                     uint32_t step) {
    const uint64_t *live = fp->live + (place >> 6);
    uint64_t bits = *live & (~UINT64_C(1) << (place & 63));
    while (step > 11) {
        uint64_t ones = footprint_p_ones(bits);
        if (ones >> 56 >= step) {
            uint64_t high = UINT64_C(0x8080808080808080), reached;
            reached = ((ones | high) - step * UINT64_C(0x0101010101010101)) & high;
            place = FOOTPRINT_P_LOWEST(reached) & 56;      /* bytes below have fewer than step */
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

/* The same with BMI2, where the processor has it and pdep is not slow (as on the first AMD Zens).
   It saves 9 of 115 instructions an access. */
#ifdef FOOTPRINT_P_SIMD
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_select_bit(uint64_t bits, uint32_t step) {
    uint64_t bit = UINT64_C(1) << (step - 1), found;
    __asm__("pdep %1, %2, %0" : "=r"(bit) : "r"(bits), "r"(bit));
    __asm__("tzcnt %1, %0" : "=r"(found) : "r"(bit) : "cc");
    return (uint32_t)found;                                /* 64: there are not so many bits */
}

static FOOTPRINT_P_APART uint32_t footprint_p_select_far(const footprint *fp, uint32_t place,
                                                         uint32_t step) {
    const uint64_t *live = fp->live + (place >> 6);
    uint64_t bits = *live & (~UINT64_C(1) << (place & 63)), count;
    for (;; bits = *++live) {
        __asm__("popcnt %1, %0" : "=r"(count) : "r"(bits) : "cc");
        if (count >= step)
            return (uint32_t)(live - fp->live) << 6 | footprint_p_select_bit(bits, step);
        step -= (uint32_t)count;
    }
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_select_fast(const footprint *fp, uint32_t place,
                                                           uint32_t step) {
    uint32_t found = 64;
    uint64_t bits;
    __builtin_memcpy(&bits, (const unsigned char *)fp->live + ((place + 1) >> 3), 8);
    if (step <= 64) found = footprint_p_select_bit(bits >> ((place + 1) & 7), step);
    if (FOOTPRINT_P_UNLIKELY(found == 64)) return footprint_p_select_far(fp, place, step);
    return place + 1 + found;
}

static int footprint_p_is_fast(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt") && !__builtin_cpu_is("amdfam17h");
}
#else
#define footprint_p_select_fast footprint_p_select
static int footprint_p_is_fast(void) { return 0; }
#endif

/* Counters of ages run backwards, so that a time is an index. */
#define FOOTPRINT_P_AT(q, y)      ((q) * FOOTPRINT_P_YOUNG + (FOOTPRINT_P_YOUNG - (uint32_t)(y)))
#define FOOTPRINT_P_MARK_AT(j, y) \
    ((j) * (size_t)FOOTPRINT_P_MARK_YOUNG + (FOOTPRINT_P_MARK_YOUNG - (uint32_t)(y)))
#define FOOTPRINT_P_REUSED(q, y)  ((q) * FOOTPRINT_P_YOUNG + (uint32_t)(y))

/* Adds `count` events at age y to the moments of y's bin: their number, and the sums of rest and
   triangle(rest), where rest is the distance from y to the bin above. */
static inline void footprint_p_rest(footprint_p_moment *moments, uint32_t columns, uint64_t y,
                                    uint64_t count) {
    uint32_t k = y < 16 ? 0 : FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    uint64_t rest = (y | ((UINT64_C(1) << k) - 1)) - y + 1;
    footprint_p_moment *moment = moments + bin;
    if (FOOTPRINT_P_UNLIKELY(bin >= columns)) return;
    moment->count += count;
    moment->sum += rest * count;
    moment->square += (rest * (rest + 1) >> 1) * count;
}

/* A run of mark j starts (+1) at age y, or ended before y (-1). */
static void footprint_p_mark_event(footprint *fp, uint32_t j, uint64_t y, int sign) {
    if (y < FOOTPRINT_P_MARK_YOUNG && j < fp->mark_young) {
        fp->young[FOOTPRINT_P_MARK_AT(j, y)] += sign;
        return;
    }
    footprint_p_rest(fp->cells + fp->mark[j].row, fp->columns, y, (uint64_t)(int64_t)sign);
}

/* A run ended before age y and the next one starts at a smaller age. Neither is young. */
static inline void footprint_p_mark_moved(footprint_p_moment *row, uint32_t columns, uint64_t y,
                                          uint64_t start) {
    uint32_t k = FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    if (y >> k == start >> k && bin < columns) {           /* both are in one bin, as mostly */
        uint64_t rest = (y | ((UINT64_C(1) << k) - 1)) - y + 1, less = y - start;
        row[bin].sum += less;
        row[bin].square += less * (2 * rest + less + 1) >> 1;
        return;
    }
    footprint_p_rest(row, columns, start, 1);
    footprint_p_rest(row, columns, y, UINT64_MAX);
}

/* Mark j now rests on another slot. `young` is the end of its counters if it has any. */
static FOOTPRINT_P_ALWAYS void footprint_p_put_mark(footprint *fp, footprint_p_mark *mark,
                                                    uint32_t place, int32_t *young, uint64_t next) {
    uint64_t y = next - mark->since, start;
    mark->since = fp->slot[place].time;
    start = next - mark->since;
    if (start >= FOOTPRINT_P_MARK_YOUNG || !young) {
        footprint_p_mark_moved(fp->cells + mark->row, fp->columns, y, start);
        return;
    }
    ++*(young - (size_t)start);
    if (y < FOOTPRINT_P_MARK_YOUNG) --*(young - (size_t)y);
    else footprint_p_rest(fp->cells + mark->row, fp->columns, y, UINT64_MAX);
}

static FOOTPRINT_P_ALWAYS void footprint_p_advance(footprint *fp, uint32_t j, int32_t *young,
                                                   uint64_t next) {
    uint32_t place = fp->place[j], step = fp->pending[j], p = place + 1, left;
    uint64_t bits;
    fp->pending[j] = 0;
    if (fp->is_fast) place = footprint_p_select_fast(fp, place, step);
    else {
        bits = fp->live[p >> 6] >> (p & 63) | fp->live[(p >> 6) + 1] << 1 << (~p & 63);
        for (left = step > 8 ? 9 : step; bits && --left; ) bits &= bits - 1;
        if (bits && step <= 8) place = p + FOOTPRINT_P_LOWEST(bits);
        else place = footprint_p_select(fp, place, step);
    }
    fp->place[j] = place;
    footprint_p_put_mark(fp, fp->mark + j, place, j < fp->mark_young ? young : NULL, next);
}

/* Moves the marks of group g, and those of lower groups that they overtake. */
static FOOTPRINT_P_APART void footprint_p_flush(footprint *fp, uint32_t g) {
    uint64_t next = fp->now + 1;
    for (;; g--) {
        uint32_t first = g * FOOTPRINT_P_GROUP, end = first + FOOTPRINT_P_GROUP, j;
        int32_t *young = fp->young + (first + 1) * (size_t)FOOTPRINT_P_MARK_YOUNG;
        if (end > fp->marks) end = fp->marks;
        for (j = first; j < end && fp->pending[j]; j++, young += FOOTPRINT_P_MARK_YOUNG)
            footprint_p_advance(fp, j, young, next);
        if (g == 0 || fp->place[first - 1] > fp->place[first]) return;
        if (fp->pending[first - FOOTPRINT_P_GROUP] == 0) return;
    }
}

/* Marks without slack need no counting: each moves to the next live slot. Returns how many did. */
static FOOTPRINT_P_APART uint32_t footprint_p_count_exact(footprint *fp, uint32_t p) {
    uint32_t most = fp->exact < fp->marks ? fp->exact : fp->marks, j;
    uint64_t next = fp->now + 1;
    int32_t *young = fp->young + FOOTPRINT_P_MARK_YOUNG;
    for (j = 0; j < most && fp->place[j] >= p; j++, young += FOOTPRINT_P_MARK_YOUNG) {
        uint32_t place = fp->place[j] + 1, word = place >> 6;
        uint64_t bits = fp->live[word] >> (place & 63);
        if (FOOTPRINT_P_UNLIKELY(bits == 0)) {
            do bits = fp->live[++word]; while (bits == 0);
            place = word << 6;
        }
        place += FOOTPRINT_P_LOWEST(bits);
        fp->place[j] = place;
        footprint_p_put_mark(fp, fp->mark + j, place, j < fp->mark_young ? young : NULL, next);
    }
    return j;
}

/* 16 marks from `first` on: those with place >= p have one more pending. Returns how many have.
   `over` gets a bit for each first mark of a group whose pending is more than its slack. */
#ifdef FOOTPRINT_P_SIMD
static FOOTPRINT_P_ALWAYS __m128i footprint_p_count_4(footprint *fp, uint32_t j, __m128i least,
                                                      __m128i *over) {
    __m128i *pending = (__m128i *)(void *)(fp->pending + j), sum;
    __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(fp->place + j));
    at = _mm_cmpgt_epi32(at, least);
    sum = _mm_sub_epi32(_mm_loadu_si128(pending), at);
    _mm_storeu_si128(pending, sum);
    *over = _mm_loadu_si128((const __m128i *)(const void *)(fp->slack + j));
    *over = _mm_cmpgt_epi32(sum, *over);
    return at;
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_pack(__m128i a, __m128i b, __m128i c, __m128i d) {
    a = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
    return (uint32_t)_mm_movemask_epi8(a);
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_count_16(footprint *fp, uint32_t first, uint32_t p,
                                                        uint32_t *over) {
    __m128i least = _mm_set1_epi32((int)p - 1), over_a, over_b, over_c, over_d;
    __m128i a = footprint_p_count_4(fp, first, least, &over_a);
    __m128i b = footprint_p_count_4(fp, first + 4, least, &over_b);
    __m128i c = footprint_p_count_4(fp, first + 8, least, &over_c);
    __m128i d = footprint_p_count_4(fp, first + 12, least, &over_d);
    *over = footprint_p_pack(over_a, over_b, over_c, over_d);
    return FOOTPRINT_P_LOWEST((uint64_t)~footprint_p_pack(a, b, c, d));    /* bit 16 is set */
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

/* A block came back from slot p (1: it is new). Returns how many marks count that. Behind the last
   mark place[] is 0 for 16 more, which counts nothing. */
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
    fp->slack[j] = INT32_MAX;                              /* but for the first of a group */
    if (j != first) {
        if (fp->pending[first]) footprint_p_flush(fp, g);
    } else {
        slack = footprint_p_reach(fp->config.c, low) - (low - 1);
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
    footprint_p_mark_event(fp, j, from - mark->since + 1, 1);
    fp->marks = j + 1;
}

/* ---- blocks ---- */

static uint32_t footprint_p_bucket(const footprint *fp, uint64_t hash) {
    return (uint32_t)(hash * fp->buckets >> 32);
}

/* Says how many recent blocks have about this hash. Mostly there are none, and then we know without
   a search that a block is not recent. */
static uint8_t *footprint_p_near(const footprint *fp, uint64_t hash) {
    return fp->near + (hash >> 22);
}

/* Returns the bucket of a block, or the empty one where it belongs. */
static inline uint32_t footprint_p_find(const footprint *fp, uint64_t block, uint64_t hash) {
    uint32_t bucket = footprint_p_bucket(fp, hash), s;
    while ((s = fp->index[bucket]) != 0 && fp->slot[s].block != block)
        bucket = bucket + 1 < fp->buckets ? bucket + 1 : 0;
    return bucket;
}

/* Adds `count` gaps of y; see "average". The last gap cell takes all that are longer than a window.
   */
static void footprint_p_gap_sum(footprint_p_gap *gaps, uint32_t columns, uint64_t y,
                                uint64_t count) {
    uint32_t bin = footprint_bin(y);
    footprint_p_gap *gap = &gaps[bin < columns ? bin : columns];
    footprint_p_wide sum = footprint_p_product(y, count);
    gap->count += count;
    footprint_p_wide_add(&gap->low, &gap->high, sum.low, sum.high);
}

/* The same for one block, without a branch. */
static FOOTPRINT_P_ALWAYS void footprint_p_gap_far(footprint_p_gap *gap, uint64_t columns,
                                                   uint64_t y, uint32_t sample_log2) {
    uint32_t k = FOOTPRINT_P_LOG2(y | 8) - 3;
    uint64_t bin = 8 * (uint64_t)k + (y >> k);
    gap += bin < columns ? bin : columns;
    gap->count += UINT64_C(1) << sample_log2;
    footprint_p_wide_add(&gap->low, &gap->high, y << sample_log2, 0);
}

static inline void footprint_p_gap_add(footprint *fp, uint64_t y) {
    if (y < FOOTPRINT_P_YOUNG) fp->gap_young[y]++;
    else footprint_p_gap_far(fp->gap, fp->columns, y, fp->sample_log2);
}

static void footprint_p_gap_less(footprint *fp, uint64_t y) {
    uint32_t bin = footprint_bin(y);
    footprint_p_gap *gap = &fp->gap[bin < fp->columns ? bin : fp->columns];
    footprint_p_wide sum = footprint_p_product(y, UINT64_C(1) << fp->sample_log2);
    gap->count -= UINT64_C(1) << fp->sample_log2;
    footprint_p_wide_less(&gap->low, &gap->high, sum.low, sum.high);
}

/* The latest access is to a block that is not followed yet, at least not since it was forgotten. */
static void footprint_p_new_block(footprint *fp) {
    footprint_p_gap_add(fp, fp->now + 1);
    if (fp->start) footprint_p_gap_less(fp, fp->start + 2);
    fp->first += UINT64_C(1) << fp->sample_log2;
    fp->followed += UINT64_C(1) << fp->sample_log2;
    fp->tracked++;
}

/* Runs of rows `row` and above start at age y. Row F is events[F - 1] - events[F], so that a block
   that moves one deeper is one addition for two rows. */
static void footprint_p_event(footprint *fp, uint32_t row, uint64_t y, uint64_t count) {
    for (; row <= FOOTPRINT_P_T; row++)
        footprint_p_rest(fp->events + row * (size_t)fp->columns, fp->columns, y, 0 - count);
}

static void footprint_p_shifted_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_rest(fp->events + (q + 1) * (size_t)fp->columns, fp->columns, y, count);
}

/* Counts reuses at stack distances of a bin. The last row is open. */
static void footprint_p_depth(footprint *fp, uint32_t bin, uint64_t count) {
    fp->depth[bin < fp->rows ? bin : fp->rows - 1] += count << fp->sample_log2;
}

/* Repeats (q = 0) have a counter of their own for their depth. */
static void footprint_p_reused_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_event(fp, q + 1, y, 0 - count);
    footprint_p_gap_sum(fp->gap, fp->columns, y, count << fp->sample_log2);
    if (q > 0) footprint_p_depth(fp, footprint_bin((uint64_t)(q + 1) << fp->sample_log2), count);
}

/* Empties the 32-bit counters into the sums. */
static void footprint_p_fold(footprint *fp) {
    uint32_t q, y, j;
    for (q = 0; q < FOOTPRINT_P_T && fp->shifted; q++) {
        for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
            uint32_t *shifted = &fp->shifted[FOOTPRINT_P_AT(q, y)];
            uint32_t *reused = &fp->reused[FOOTPRINT_P_REUSED(q, y)];
            if (*shifted) footprint_p_shifted_far(fp, q, y, *shifted);
            if (*reused) footprint_p_reused_far(fp, q, y, *reused);
            *shifted = *reused = 0;
        }
    }
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        uint64_t count = (uint64_t)fp->gap_young[y] << fp->sample_log2;
        if (count) footprint_p_gap_sum(fp->gap, fp->columns, y, count);
        fp->gap_young[y] = 0;
    }
    for (j = 0; j < fp->mark_young; j++) {                 /* those of closed marks, too */
        footprint_p_moment *row = fp->cells + fp->mark[j].row;
        for (y = 1; y < FOOTPRINT_P_MARK_YOUNG; y++) {
            int32_t *young = &fp->young[FOOTPRINT_P_MARK_AT(j, y)];
            if (*young) footprint_p_rest(row, fp->columns, y, (uint64_t)(int64_t)*young);
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
        uint64_t block = fp->slot[s].block;
        if (s < ahead) {
            uint64_t hash = footprint_p_hash(fp->slot[s + FOOTPRINT_P_AHEAD].block);
            FOOTPRINT_P_PREFETCH(&fp->index[footprint_p_bucket(fp, hash)]);
        }
        fp->index[footprint_p_find(fp, block, footprint_p_hash(block))] = s;
    }
}

/* Moves the live slots together, in place. A mark moves to the new place of the last live slot at
   or before its own. */
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

static uint32_t footprint_p_oldest(const footprint *fp) {
    uint32_t word = 0;
    while (fp->live[word] == 0) word++;
    return word << 6 | FOOTPRINT_P_LOWEST(fp->live[word]);
}

/* Forgets the `count` oldest blocks. They come back as new ones. Every window that does not reach
   their last accesses stays right. */
static void footprint_p_forget(footprint *fp, uint32_t count) {
    uint32_t j, left, k = fp->sample_log2;
    for (j = 0; j < fp->marks; j += FOOTPRINT_P_GROUP) {
        if (fp->pending[j]) footprint_p_flush(fp, j / FOOTPRINT_P_GROUP);
    }
    for (left = count; left > 0; left--) {
        uint32_t s = footprint_p_oldest(fp);
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
        footprint_p_mark_event(fp, fp->marks, fp->now - mark->since + 1, -1);
    }
}

/* Slots have run out: forgets what is too old, makes room, and numbers the rest anew. */
static void footprint_p_renumber(footprint *fp) {
    uint32_t kept = fp->tracked - fp->filled, old = 0, s;
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

/* `block` is not recent, and `out` has just left the recent ones. */
static inline void footprint_p_miss(footprint *fp, uint64_t block, uint64_t hash,
                                    const footprint_entry *out, uint64_t out_hash) {
    uint64_t now = fp->now;
    uint32_t p, s, marks, bucket;
    if (FOOTPRINT_P_UNLIKELY(fp->next == fp->slots)) footprint_p_renumber(fp);
    p = fp->index[footprint_p_find(fp, block, hash)];
    if (p != 0 && fp->live[p >> 6] >> (p & 63) & 1) {
        footprint_p_gap_far(fp->gap, fp->columns, now - fp->slot[p].time + 1, fp->sample_log2);
        fp->live[p >> 6] &= ~(UINT64_C(1) << (p & 63));
    } else p = 1;
    bucket = footprint_p_find(fp, out->block, out_hash);
    s = fp->next++;
    fp->slot[s] = *out;
    fp->live[s >> 6] |= UINT64_C(1) << (s & 63);
    fp->index[bucket] = s;
    marks = footprint_p_count(fp, p);
    if (p > 1) {
        footprint_p_depth(fp, marks + fp->depth_first, 1);
        return;
    }
    footprint_p_new_block(fp);
    if (fp->marks < fp->mark_max && fp->tracked == footprint_p_low(fp->marks))
        footprint_p_add_mark(fp, footprint_p_oldest(fp), now);
}

/* Counts the deepest of the first `count` recent blocks, whose ages are not young (ages grow with
   depth). Returns how many blocks are left to be counted. */
static FOOTPRINT_P_APART uint32_t footprint_p_shift_old(footprint *fp, uint32_t count) {
    const footprint_entry *top = fp->top;
    uint64_t next = fp->now + 1;
    for (; count > 0 && next - top[count - 1].time >= FOOTPRINT_P_YOUNG; count--)
        footprint_p_shifted_far(fp, count - 1, next - top[count - 1].time, 1);
    return count;
}

#define FOOTPRINT_P_UP(X) \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) \
    X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define FOOTPRINT_P_DOWN(X) \
    X(31) X(30) X(29) X(28) X(27) X(26) X(25) X(24) X(23) X(22) X(21) X(20) X(19) X(18) X(17) \
    X(16) X(15) X(14) X(13) X(12) X(11) X(10) X(9) X(8) X(7) X(6) X(5) X(4) X(3) X(2)

/* The block at depth q moves one deeper, in two instructions. `shifted` is the address of time 0.
   */
#define FOOTPRINT_P_TIME_0(fp, next) \
    ((uintptr_t)(fp)->shifted + 4 * (uintptr_t)(FOOTPRINT_P_YOUNG - (next)))
#define FOOTPRINT_P_DEEPER(q) \
    ++*(uint32_t *)(shifted + (uintptr_t)top[q].time * 4 + (q) * 4 * FOOTPRINT_P_YOUNG);
#define FOOTPRINT_P_DEEPER_CASE(q) FOOTPRINT_P_FALL case q: FOOTPRINT_P_DEEPER(q - 1)
static FOOTPRINT_P_ALWAYS void footprint_p_shift(footprint *fp, const footprint_entry *top,
                                                 uint32_t count) {
    uint64_t next = fp->now + 1;
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp, next);
    if (FOOTPRINT_P_UNLIKELY(next - top[count - 1].time >= FOOTPRINT_P_YOUNG))
        count = footprint_p_shift_old(fp, count);
    switch (count) {
        case 32: FOOTPRINT_P_DEEPER(31)
        FOOTPRINT_P_DOWN(FOOTPRINT_P_DEEPER_CASE)
        FOOTPRINT_P_DEEPER_CASE(1)
        FOOTPRINT_P_FALL
        default: break;
    }
}

/* The latest access is to a block that is not recent. It comes to the top, and the last one leaves.
   */
static FOOTPRINT_P_APART void footprint_p_push(footprint *fp, uint64_t block, uint64_t hash) {
    footprint_entry *top = fp->top;
    uint32_t q;
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
    if (fp->filled == FOOTPRINT_P_T) {
        const footprint_entry *out = &top[fp->filled];
        uint64_t out_hash = footprint_p_hash(out->block);
        --*footprint_p_near(fp, out_hash);
        footprint_p_miss(fp, block, hash, out, out_hash);
        return;
    }
    fp->filled++;
    fp->born[fp->filled] = fp->now;
    footprint_p_new_block(fp);
}

/* The rare ones: few blocks are recent, or the block was used long ago. */
static FOOTPRINT_P_APART void footprint_p_change_far(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top, *entry;
    uint32_t q = 0;
    uint64_t y;
    while (q < fp->filled && top[q].block != block) q++;
    if (q == fp->filled) {
        footprint_p_push(fp, block, footprint_p_hash(block));
        return;
    }
    if (q > 0) footprint_p_shift(fp, top, q);
    entry = top + q;
    y = fp->now - entry->time + 1;
    if (y >= FOOTPRINT_P_YOUNG) footprint_p_reused_far(fp, q, y, 1);
    else fp->reused[FOOTPRINT_P_REUSED(q, y)]++;
    for (; entry > top; entry--) entry[0] = entry[-1];
    top->block = block;
    top->time = fp->now;
}

/* The latest access is to a block that is not at the top. This is written out depth by depth: only
   the branch that finds the block cannot be foreseen, and from there each step is four
   instructions. */
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
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp, next);
    if (FOOTPRINT_P_UNLIKELY(fp->filled != FOOTPRINT_P_T)) goto far;
    if (*footprint_p_near(fp, hash)) {
        FOOTPRINT_P_UP(FOOTPRINT_P_FIND)
    }
    footprint_p_push(fp, block, hash);
    return;
far:
    footprint_p_change_far(fp, block);
    return;
    FOOTPRINT_P_DOWN(FOOTPRINT_P_STEP)
    FOOTPRINT_P_DEEPER(0)
    top[1] = top[0];
    top->block = block;
    top->time = next - 1;
}

/* blocks[0..count), where nothing else is to be done and two blocks are recent. While the top one
   was used at the access before, no time need be kept for it. Returns how many accesses were
   counted: fewer if wake was set. */
static FOOTPRINT_P_ALWAYS size_t footprint_p_access_each(footprint *fp, const uint64_t *blocks,
                                                         size_t count, int ahead) {
    footprint_entry *top = fp->top;
    uint64_t first = top[0].block, second = top[1].block, time = top[1].time;
    uint64_t now = fp->now, start = now, end = now + count;
    uint32_t *reused = fp->reused + FOOTPRINT_P_YOUNG;     /* of depth 1 */
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
        if (block == second && now - time < FOOTPRINT_P_YOUNG - 2) {
            reused[now - time + 2]++;
            swapped++;
            second = first;
            first = block;
            time = now;
            continue;
        }
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

static FOOTPRINT_P_APART size_t footprint_p_access_plain(footprint *fp, const uint64_t *blocks,
                                                         size_t count) {
    return footprint_p_access_each(fp, blocks, count, 0);
}

static FOOTPRINT_P_APART size_t footprint_p_access_ahead(footprint *fp, const uint64_t *blocks,
                                                         size_t count) {
    return footprint_p_access_each(fp, blocks, count, 1);
}

/* ---- average ---- */

/* A block is missing from exactly those windows that fit strictly between two of its accesses. Take
   every block as accessed at times 0 and n + 1 as well. Then

       0 . . . . b . . . b . . . n+1        gaps of b: from 0, between its uses, up to n + 1
         windows without b

   a gap from t to t' holds max(0, t' - t - w) windows of length w. So

       sum of footprints of the windows of length w = blocks (n - w + 1) - sum of max(0, y - 1 - w)

   over all gaps, with y = t' - t + 1 (Xiang et al., PACT 2011). For each bin of y the table keeps
   the number of gaps and the sum of y, which makes this exact for w at the high end of a bin.

   With FOOTPRINT_AVERAGE nothing else is counted. Then one open hash table holds each block with
   its time (0: empty). The two latest blocks stand at `newest` and `second`, whose times may lag:
   newest was used at the latest access. An access costs one look-up and one addition to a gap.

   When blocks are sampled anew (below), the windows so far are summed up in before_total and
   counting starts again from `start`: an open gap that reaches back before start holds max(0, start
   + 1 - t - w) windows that have been summed up already. They are taken off at once, as a gap of
   weight -1. */

static uint32_t footprint_p_average_find(const footprint *fp, uint64_t block) {
    const footprint_entry *table = fp->table, *end = table + fp->buckets;
    const footprint_entry *entry = table + footprint_p_bucket(fp, footprint_p_hash(block));
    while (entry->time && entry->block != block) {
        if (++entry == end) entry = table;
    }
    return (uint32_t)(entry - table);
}

/* Keeps only the blocks that are still followed. What lies behind a removed entry is put in anew;
   to cut no run of entries in two, this starts behind an empty one. */
static void footprint_p_average_drop(footprint *fp) {
    uint32_t empty = 0, i;
    fp->tracked = 0;
    while (fp->table[empty].time) empty++;
    for (i = 1; i <= fp->buckets; i++) {
        footprint_entry *entry = &fp->table[(empty + i) % fp->buckets], kept = *entry;
        entry->time = 0;
        if (kept.time == 0 || footprint_p_left_out(fp, kept.block)) continue;
        fp->table[footprint_p_average_find(fp, kept.block)] = kept;
        fp->tracked++;
    }
}

static void footprint_p_thin(footprint *fp);

/* Any access: the block may be new, or not be followed. */
static FOOTPRINT_P_APART void footprint_p_average_access(footprint *fp, uint64_t block) {
    uint64_t now = ++fp->now;
    uint32_t bucket;
    fp->is_followed = !footprint_p_left_out(fp, block);
    if (!fp->is_followed) return;
    bucket = footprint_p_average_find(fp, block);
    if (fp->table[bucket].time == 0) {
        if (fp->tracked >= fp->cap) {
            if (!footprint_p_grow(fp, (uint64_t)fp->slots + fp->slots / 2)) {
                fp->now--;                                 /* up to the access before this one */
                footprint_p_thin(fp);
                fp->now++;
                fp->is_followed = !footprint_p_left_out(fp, block);
                if (!fp->is_followed) return;
            }
            bucket = footprint_p_average_find(fp, block);
        }
        fp->table[bucket].block = block;
        footprint_p_new_block(fp);
    } else footprint_p_gap_add(fp, now - fp->table[bucket].time + 1);
    fp->table[bucket].time = now;
    if (bucket != fp->newest) fp->second = now == 1 ? bucket : fp->newest;
    fp->newest = bucket;
}

/* blocks[0..count), all of them followed, after a first access. The two latest blocks and the time
   of the second stay in registers. Returns how many accesses were counted: fewer if sampling began.
   */
static FOOTPRINT_P_ALWAYS size_t footprint_p_average_each(footprint *fp, const uint64_t *blocks,
                                                          size_t count, int ahead) {
    footprint_entry *table = fp->table, *one = table + fp->newest, *two = table + fp->second;
    footprint_entry *last = table + fp->buckets, *entry;
    footprint_p_gap *gap = fp->gap;
    uint64_t first = one->block, second = two->block, time = two->time;
    uint64_t now = fp->now, start = now, end = now + count;
    uint64_t columns = fp->columns, buckets = fp->buckets;
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
                fp->newest = (uint32_t)(one - table);
                fp->second = (uint32_t)(two - table);
                fp->now = now;
                footprint_p_average_access(fp, block);
                if (fp->sample_log2) return (size_t)(now + 1 - start);
                table = fp->table;
                buckets = fp->buckets;
                last = table + buckets;
                one = table + fp->newest;
                two = table + fp->second;
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
    fp->newest = (uint32_t)(one - table);
    fp->second = (uint32_t)(two - table);
    fp->now = now;
    return count;
}

static FOOTPRINT_P_APART size_t footprint_p_average_plain(footprint *fp, const uint64_t *blocks,
                                                          size_t count) {
    return footprint_p_average_each(fp, blocks, count, 0);
}

static FOOTPRINT_P_APART size_t footprint_p_average_ahead(footprint *fp, const uint64_t *blocks,
                                                          size_t count) {
    return footprint_p_average_each(fp, blocks, count, 1);
}

/* ---- entries ---- */

/* Does what is due before an access: once in a while, or at every access while blocks are sampled
   or only the average is counted. Returns 0 if the access has been dealt with. */
static int footprint_p_wake(footprint *fp, uint64_t block) {
    uint64_t y;
    if (fp->now >= fp->end) {
        fp->lost = footprint_p_sat_add(fp->lost, 1);
        fp->flags |= FOOTPRINT_ENDED;
        return 0;
    }
    if (fp->now >= fp->folded) {
        footprint_p_fold(fp);
        fp->folded = fp->now + FOOTPRINT_P_FOLD;
    }
    if (fp->flags & FOOTPRINT_AVERAGE) {
        footprint_p_average_access(fp, block);
        return 0;
    }
    if (fp->is_overfull) footprint_p_thin(fp);
    if (fp->sample_log2 == 0) fp->wake = fp->folded < fp->end ? fp->folded : fp->end;
    else {
        fp->wake = 0;
        fp->is_followed = !footprint_p_left_out(fp, block);
        if (!fp->is_followed) {
            fp->now++;
            return 0;
        }
        fp->sampled++;
        if (fp->filled && fp->top->block == block) {       /* there may be accesses in between */
            y = ++fp->now - fp->top->time + 1;
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

/* Most accesses are to one of the two blocks used last. */
FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block) {
    footprint_entry *top;
    uint64_t now;
    if (FOOTPRINT_P_UNLIKELY(fp->now >= fp->wake) && !footprint_p_wake(fp, block)) return;
    top = fp->top;
    now = ++fp->now;
    if (top[0].block == block) {
        top[0].time = now;
        fp->repeats++;
    } else if (top[1].block == block) {
        if (fp->filled < 2 || now - top[1].time + 1 >= FOOTPRINT_P_YOUNG) {
            footprint_p_change_far(fp, block);
            return;
        }
        fp->shifted[FOOTPRINT_P_AT(0, now - top[0].time + 1)]++;
        fp->reused[FOOTPRINT_P_REUSED(1, now - top[1].time + 1)]++;
        top[1] = top[0];
        top[0].block = block;
        top[0].time = now;
    } else footprint_p_change(fp, block);
}

FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count) {
    const uint64_t *end = blocks + count;
    int ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE, average = fp->flags & FOOTPRINT_AVERAGE;
    FOOTPRINT_ASSERT(blocks != NULL || count == 0);
    while (blocks < end) {
        uint64_t until = fp->folded < fp->end ? fp->folded : fp->end;
        size_t most = (size_t)(end - blocks) < 1024 ? (size_t)(end - blocks) : 1024;
        uint32_t next = fp->next;
        int one_by_one = fp->sample_log2 || fp->now >= until;
        one_by_one |= average ? fp->now == 0 : fp->filled < 2 || fp->now >= fp->wake;
        if (one_by_one) {
            footprint_access(fp, *blocks++);
            continue;
        }
        if (most > until - fp->now) most = (size_t)(until - fp->now);
        if (average) {
            blocks += ahead ? footprint_p_average_ahead(fp, blocks, most)
                            : footprint_p_average_plain(fp, blocks, most);
            ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE;
            continue;
        }
        blocks += ahead ? footprint_p_access_ahead(fp, blocks, most)
                        : footprint_p_access_plain(fp, blocks, most);
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
    if (fp->flags & FOOTPRINT_AVERAGE) {
        fp->table[fp->newest].time = fp->now;
        return;
    }
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

/* ---- reading rows out ---- */

/* A row says at which ages y its stretches start (+1) and end (-1). Call these events e(y):

       age    1 . . . x0 . . . . x1  .           one rest of a mark: +1 at x0, -1 at x1 + 1
       events         +1            -1
       N(w)   0 0 0 0  1 2 3 4 5  6  6 ...       accesses at which the age is w or less

   The windows of length w that count as >= F are one for each access at which the age is w or less:
   N(w) = sum of e(y) (w - y + 1) over y <= w. A bin of lengths low..high, cut at limit = min(high,
   now), has width = limit - low + 1 lengths and holds the sum of N(w) over low..limit:

       an event below the bin adds    (low - y) width + triangle(width)
       an event within it adds        triangle(limit - y + 1)

   For the first kind two running sums over the bins below are enough: `open`, the sum of e(y), and
   `all`, the sum of e(y) (low - y). For the second kind write room = high - y + 1, the distance to
   the bin above, and less = high - limit, so that limit - y + 1 = room - less. As

       triangle(room - less) = triangle(room) - less room + triangle(less - 1)

   the moments count = sum of e, sum = sum of e room and square = sum of e triangle(room) give it
   for any limit. From one bin to the next `open` grows by count, and `all` by open (high - low + 1)
   + sum.

   The sum is over all accesses since the row began (`born`) and over all lengths up to the limit.
   But a window that ends at access i has at most i accesses. So at each of the accesses born..w - 1
   the length w was counted once although no such window exists: w - born times too often, if
   w > born. `early` is the sum of w - born over the lengths of the bin. Everything may wrap in
   between; the results are right modulo 2^64. Cost: rows times columns. */

static uint64_t footprint_p_early(uint64_t low, uint64_t limit, uint64_t born) {
    uint64_t from = low > born ? low : born + 1, width;
    if (limit <= born) return 0;
    width = limit - from + 1;
    return width * (from - born) + footprint_p_triangle(width - 1);
}

/* Adds windows to rows below + 1 .. bin of a column: rows in between are not followed on their own.
   */
static void footprint_p_add_windows(uint64_t *table, uint32_t columns, uint32_t below, uint32_t bin,
                                    uint32_t column, uint64_t windows) {
    uint32_t row;
    for (row = below + 1; row <= bin; row++) table[(size_t)row * columns + column] += windows;
}

/* Adds the windows of the row whose events are in fp->scratch. */
static void footprint_p_add_row(const footprint *fp, uint64_t born, uint64_t *table, uint32_t below,
                                uint32_t bin) {
    uint64_t now = fp->now, all = 0, open = 0, windows;
    uint32_t b;
    for (b = 1; b < fp->columns && footprint_bin_low(b) <= now; b++) {
        const footprint_p_moment *m = &fp->scratch[b];
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b);
        uint64_t limit = high < now ? high : now, width = limit - low + 1, less = high - limit;
        windows = width * all + open * footprint_p_triangle(width);
        windows += m->square - less * m->sum + footprint_p_triangle(less - 1) * m->count;
        windows -= footprint_p_early(low, limit, born);
        footprint_p_add_windows(table, fp->columns, below, bin, b, windows);
        all += open * (high - low + 1) + m->sum;
        open += m->count;
    }
}

/* Row F <= T: starts are blocks that came to depth F, ends are those that left it. */
static void footprint_p_add_recent(const footprint *fp, uint32_t F, uint64_t *table, uint32_t below,
                                   uint32_t bin) {
    footprint_p_moment *moments = fp->scratch;
    uint32_t y, b;
    for (b = 0; b < fp->columns; b++) {
        const footprint_p_moment *ends = &fp->events[F * (size_t)fp->columns + b];
        const footprint_p_moment *starts = ends - fp->columns;
        moments[b].count = starts->count - ends->count;
        moments[b].sum = starts->sum - ends->sum;
        moments[b].square = starts->square - ends->square;
    }
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        uint64_t starts = F > 1 ? fp->shifted[FOOTPRINT_P_AT(F - 2, y)] : 0;
        uint64_t ends = fp->shifted[FOOTPRINT_P_AT(F - 1, y)];
        ends += fp->reused[FOOTPRINT_P_REUSED(F - 1, y)];
        footprint_p_rest(moments, fp->columns, y, starts - ends);
    }
    if (F == 1) footprint_p_rest(moments, fp->columns, 1, fp->sampled);
    footprint_p_rest(moments, fp->columns, fp->now - fp->top[F - 1].time + 2, UINT64_MAX);
    footprint_p_add_row(fp, fp->born[F], table, below, bin);
}

static void footprint_p_add_mark_row(const footprint *fp, uint32_t j, uint64_t *table,
                                     uint32_t below, uint32_t bin) {
    const footprint_p_mark *mark = &fp->mark[j];
    footprint_p_moment *moments = fp->scratch;
    uint32_t b, y, first = footprint_bin(footprint_p_low(j));
    footprint_p_zero(moments, first * sizeof *moments);
    for (b = first; b < fp->columns; b++) moments[b] = fp->cells[mark->row + b];
    for (y = 1; y < FOOTPRINT_P_MARK_YOUNG && j < fp->mark_young; y++) {
        int32_t count = fp->young[FOOTPRINT_P_MARK_AT(j, y)];
        footprint_p_rest(moments, fp->columns, y, (uint64_t)(int64_t)count);
    }
    if (j < fp->marks)                                     /* the rest under way ends here */
        footprint_p_rest(moments, fp->columns, fp->now - mark->since + 2, UINT64_MAX);
    footprint_p_add_row(fp, mark->born, table, below, bin);
}

/* Adds to the table the windows that ended since fp->start. */
static void footprint_p_extract(const footprint *fp, uint64_t *table, uint32_t rows) {
    uint32_t below = 0, k = fp->sample_log2, F, j, b, bin;
    for (b = 1; b < fp->columns; b++) {
        uint64_t windows = footprint_p_windows(fp->now, b) - footprint_p_windows(fp->start, b);
        table[b] += windows;
        if (k == 0 && rows > 1) table[fp->columns + b] += windows;
    }
    if (k == 0) below = 1;
    for (F = k ? 1 : 2; F <= fp->filled; F++) {
        if (footprint_bin_low(footprint_bin(F)) != F) continue;    /* 17, 19, ... are no low ends */
        bin = footprint_bin((uint64_t)F << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_add_recent(fp, F, table, below, bin);
        below = bin;
    }
    for (j = 0; j < fp->mark_max && fp->mark[j].born; j++) {
        bin = footprint_bin(footprint_p_low(j) << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_add_mark_row(fp, j, table, below, bin);
        below = bin;
    }
}

/* Adds the gaps that are open at n + 1, of all blocks that are followed. */
static void footprint_p_open_gaps(const footprint *fp, footprint_p_gap *gap) {
    uint64_t n = fp->now, weight = UINT64_C(1) << fp->sample_log2;
    uint32_t i, columns = fp->columns;
    for (i = 0; i < fp->filled; i++)
        footprint_p_gap_sum(gap, columns, n + 2 - fp->top[i].time, weight);
    for (i = 2; fp->slot && i < fp->next; i++) {
        if (fp->live[i >> 6] >> (i & 63) & 1)
            footprint_p_gap_sum(gap, columns, n + 2 - fp->slot[i].time, weight);
    }
    for (i = 0; fp->table && i < fp->buckets; i++) {
        if (fp->table[i].time) footprint_p_gap_sum(gap, columns, n + 2 - fp->table[i].time, weight);
    }
}

/* An estimate of a sum over windows of w accesses: each touches 1 to w blocks, and no more than
   all. */
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

/* The formula of "average", for the windows since start, on top of those before. */
static void footprint_p_average_totals(const footprint *fp, footprint_total *total) {
    footprint_p_gap *gap = (footprint_p_gap *)(void *)fp->scratch;
    uint64_t n = fp->now, count = 0, low = 0, high = 0, times;
    uint32_t b, q, y, k = fp->sample_log2;
    footprint_p_copy(gap, fp->gap, (fp->columns + 1) * sizeof *gap);
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        times = fp->gap_young[y];
        for (q = 0; q < FOOTPRINT_P_T && fp->reused; q++)
            times += fp->reused[FOOTPRINT_P_REUSED(q, y)];
        footprint_p_gap_sum(gap, fp->columns, y, times << k);
    }
    footprint_p_open_gaps(fp, gap);
    for (b = fp->columns; b-- > 1; ) {
        uint64_t w = footprint_bin_high(b), windows = n - w + 1;
        footprint_p_wide sum, less;
        count += gap[b + 1].count;                         /* gaps of more than w, and their sum */
        footprint_p_wide_add(&low, &high, gap[b + 1].low, gap[b + 1].high);
        if (w > n) continue;
        sum = footprint_p_product(fp->followed, windows - (fp->start < w ? 0 : fp->start - w + 1));
        footprint_p_wide_less(&sum.low, &sum.high, low, high);
        less = footprint_p_product(count, w + 1);
        if (count >> 63) less.high -= w + 1;               /* it is negative */
        footprint_p_wide_add(&sum.low, &sum.high, less.low, less.high);
        less = footprint_p_product(fp->gone, n + 1 - w);   /* gaps of forgotten ones are long */
        footprint_p_wide_less(&sum.low, &sum.high, less.low, less.high);
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
    if (fp->flags & FOOTPRINT_AVERAGE) return 1;
    if (fp->start) return fp->rows;
    while (j < fp->mark_max && fp->mark[j].born) j++;
    low = j > 0 ? footprint_p_low(j - 1) : (uint64_t)FOOTPRINT_P_T;
    return footprint_bin(low << fp->sample_log2) + 1;
}

FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp) {
    return footprint_profile_bytes(footprint_p_rows(fp), fp->columns);
}

FOOTPRINT_API int footprint_snapshot(const footprint *fp, footprint_profile *profile, void *memory,
                                     size_t bytes) {
    uint32_t rows = footprint_p_rows(fp), k = fp->sample_log2, row, q, y, b;
    FOOTPRINT_ASSERT(memory != NULL);
    if (footprint_profile_init(profile, rows, fp->columns, memory, bytes)) return -1;
    profile->accesses = profile->last_window = fp->now;
    profile->blocks = profile->last_blocks = fp->first;
    profile->forgotten = fp->forgotten;
    profile->c = fp->config.c;
    profile->flags = fp->flags;
    profile->sample_log2 = k;
    profile->block_log2 = fp->config.block_log2;
    if (fp->now == 0) return 0;
    if (fp->now > footprint_bin_high(fp->columns - 1))
        profile->last_window = profile->last_blocks = 0;
    footprint_p_average_totals(fp, profile->total);
    for (b = 1; b < fp->columns && fp->flags & FOOTPRINT_FULL; b++)
        footprint_p_bound_total(&profile->total[b], footprint_bin_high(b), fp->first);
    if (fp->flags & FOOTPRINT_AVERAGE) return 0;
    if (fp->start)
        footprint_p_copy(profile->at_least, fp->before, rows * fp->columns * sizeof(uint64_t));
    footprint_p_extract(fp, profile->at_least, rows);
    for (row = 0; row < fp->rows; row++)
        profile->depth[row < rows ? row : rows - 1] += fp->depth[row];
    for (q = 0; q < FOOTPRINT_P_T; q++) {
        uint64_t count = q == 0 ? fp->repeats : 0;
        row = footprint_bin((uint64_t)(q + 1) << k);
        for (y = 1; y < FOOTPRINT_P_YOUNG && q > 0; y++)
            count += fp->reused[FOOTPRINT_P_REUSED(q, y)];
        profile->depth[row < rows ? row : rows - 1] += count << k;
    }
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

FOOTPRINT_API uint64_t footprint_mark_time(const footprint *fp, uint32_t bin) {
    uint32_t k = fp->sample_log2, j;
    uint64_t F = (footprint_bin_low(bin) + ((UINT64_C(1) << k) - 1)) >> k;
    if (F == 0) return fp->now;
    if (F <= FOOTPRINT_P_T) return F <= fp->filled ? fp->top[F - 1].time : 0;
    j = footprint_bin(F) - footprint_bin(FOOTPRINT_P_T) - 1;
    return j < fp->marks ? fp->mark[j].since : 0;
}

/* ---- full: every second block from here on ---- */

/* When blocks no longer fit, the sampling ratio 2^-k is halved until they do:

       k       accesses 1 .......... start | start + 1 .......... now
       before  windows that ended here, at rows F 2^k (old k)
                                           | rows, marks and gaps count anew at rows F 2^k (new k)

   The windows that ended so far are read out into `before` and before_total. Then recent and slot
   keep only the blocks that are still followed, in their order. All rows start anew in this state:
   a row F of a block that is there starts a run with that block's age, and each mark stands exactly
   at X_F. The open gap of a block that is kept is taken off, as "average" says. The gap of a block
   that is dropped is closed with the windows before, so nothing is left of it in the sums.
   Invariant: every window is counted once, by the k at the time of its end. Cost: one snapshot for
   each halving, and there is one each time that the number of different blocks has doubled. */

static void footprint_p_start_rows(footprint *fp) {
    uint32_t q, j;
    footprint_p_zero(fp->near, FOOTPRINT_P_NEAR);
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
}

static void footprint_p_drop(footprint *fp) {
    uint32_t s, q, kept = 0;
    for (q = 0; q < fp->filled; q++) {
        if (!footprint_p_left_out(fp, fp->top[q].block)) fp->top[kept++] = fp->top[q];
    }
    fp->filled = kept;
    for (s = 2; s < fp->next; s++) {
        if (footprint_p_left_out(fp, fp->slot[s].block))
            fp->live[s >> 6] &= ~(UINT64_C(1) << (s & 63));
    }
    footprint_p_compact(fp);
}

static void footprint_p_thin(footprint *fp) {
    footprint_p_gap *gap = fp->gap;
    uint32_t b, average = fp->flags & FOOTPRINT_AVERAGE;
    fp->flags |= FOOTPRINT_FULL;
    footprint_p_fold(fp);
    footprint_p_average_totals(fp, fp->before_total);
    if (!average) {
        footprint_p_extract(fp, fp->before, fp->rows);
        footprint_p_depth(fp, footprint_bin(UINT64_C(1) << fp->sample_log2), fp->repeats);
        fp->repeats = fp->sampled = 0;
        fp->marks = 0;
    }
    if (average) {
        do {
            fp->sample_log2++;
            footprint_p_average_drop(fp);
        } while (fp->tracked >= fp->cap && fp->sample_log2 < 63);
    } else {
        do {
            fp->sample_log2++;
            footprint_p_drop(fp);
        } while (fp->next - 2 > fp->cap && fp->sample_log2 < 63);
        while (fp->filled < FOOTPRINT_P_T && fp->next > 2) {
            fp->top[fp->filled++] = fp->slot[--fp->next];
            fp->live[fp->next >> 6] &= ~(UINT64_C(1) << (fp->next & 63));
        }
        footprint_p_reindex(fp);
        fp->tracked = fp->filled + fp->next - 2;
        fp->is_overfull = 0;
        fp->depth_first = footprint_bin((uint64_t)FOOTPRINT_P_T << fp->sample_log2);
        footprint_p_start_rows(fp);
    }
    fp->start = fp->now;
    fp->followed = (uint64_t)fp->tracked << fp->sample_log2;
    fp->gone = fp->gone_low = fp->gone_high = 0;
    footprint_p_zero(gap, (fp->columns + 1) * sizeof *gap);
    footprint_p_open_gaps(fp, gap);
    for (b = 0; b <= fp->columns; b++) {
        uint64_t low = 0, high = 0;
        footprint_p_wide_less(&low, &high, gap[b].low, gap[b].high);
        gap[b].count = 0 - gap[b].count;
        gap[b].low = low;
        gap[b].high = high;
    }
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

static void footprint_p_saturate(footprint_profile *p, uint64_t *sum, uint64_t add) {
    *sum = footprint_p_sat_add(*sum, add);
    if (*sum == UINT64_MAX) p->flags |= FOOTPRINT_SATURATED;
}

FOOTPRINT_API int footprint_add(footprint_profile *into, const footprint_profile *other) {
    uint32_t row, column;
    int empty = into->accesses == 0;
    if (into->rows < other->rows || into->columns < other->columns) return -1;
    if (!empty && (into->flags ^ other->flags) & FOOTPRINT_INTERLEAVED) return -1;
    for (row = 0; row < other->rows; row++) {
        uint64_t *to = into->at_least + (size_t)row * into->columns;
        const uint64_t *from = other->at_least + (size_t)row * other->columns;
        for (column = 0; column < other->columns; column++)
            footprint_p_saturate(into, &to[column], from[column]);
        footprint_p_saturate(into, &into->depth[row], other->depth[row]);
    }
    for (column = 0; column < other->columns; column++) {
        footprint_total *to = &into->total[column];
        const footprint_total *from = &other->total[column];
        footprint_p_saturate(into, &to->windows, from->windows);
        footprint_p_wide_add(&to->low, &to->high, from->low, from->high);
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
    uint64_t blocks = later->blocks;                       /* a phase may use those of before */
    if (later->rows < earlier->rows || later->columns != earlier->columns) return -1;
    if (later->accesses < earlier->accesses) return -1;
    for (row = 0; row < earlier->rows; row++) {
        uint64_t *from = later->at_least + (size_t)row * later->columns;
        const uint64_t *less = earlier->at_least + (size_t)row * later->columns;
        for (column = 0; column < later->columns; column++) from[column] -= less[column];
        later->depth[row] -= earlier->depth[row];
    }
    for (column = 0; column < later->columns; column++) {
        footprint_total *from = &later->total[column];
        const footprint_total *less = &earlier->total[column];
        from->windows -= less->windows;
        footprint_p_wide_less(&from->low, &from->high, less->low, less->high);
        if (later->flags & FOOTPRINT_FULL)
            footprint_p_bound_total(from, footprint_bin_high(column), blocks);
    }
    later->accesses -= earlier->accesses;
    later->blocks -= earlier->blocks;
    later->forgotten -= earlier->forgotten;
    later->last_window = later->last_blocks = 0;
    later->flags |= FOOTPRINT_DIFFERENCE;
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

/* ---- answers from the average ---- */

/* The average is known at the high ends of bins, and for the whole run. The line through these
   points and (0, 0) is the average footprint by window length. */
typedef struct footprint_p_piece { double window0, blocks0, window1, blocks1; } footprint_p_piece;

/* Returns whether there is a point n, and gives it in window1 and blocks1. */
static int footprint_p_point(const footprint_profile *p, uint32_t n, footprint_p_piece *to) {
    uint64_t before = footprint_bin_high(n - 1);
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

/* Finds the piece of the line that holds a window or, if blocks >= 0, reaches so many blocks.
   Returns 0 behind the last; then window0 and blocks0 are the last point. */
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

FOOTPRINT_API double footprint_average(const footprint_profile *p, double window) {
    footprint_p_piece at;
    if (window <= 0) return 0;
    if (!footprint_p_find_piece(p, window, -1, &at)) return at.blocks0;
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

/* The slope of the average at the window that fills the cache. */
FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks) {
    double time = footprint_fill_time(p, blocks);
    footprint_p_piece at;
    if (time < 0 || !footprint_p_find_piece(p, time, -1, &at)) return 0;
    if (at.blocks1 <= at.blocks0) return 0;
    return (at.blocks1 - at.blocks0) / (at.window1 - at.window0);
}

FOOTPRINT_API double footprint_inter_miss_time(const footprint_profile *p, double blocks) {
    double ratio = footprint_miss_ratio_by_average(p, blocks);
    return ratio > 0 ? 1 / ratio : -1;
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
FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user) {
    footprint_p_out out;
    uint32_t row, column;
    size_t size = 0;
    footprint_p_put_begin(&out, 3, write, user);
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
