/* hotl.h - v0.2.0 - average footprint and cache misses by reuse times - MIT, text at end of file

   example:
       #define HOTL_IMPLEMENTATION
       #include "hotl.h"
       #include <stdio.h>
       static uint64_t memory[100000], table[1000];
       int main(void) {
           hotl h;
           hotl_profile profile;
           static int data[50000];
           int i;
           if (hotl_init(&h, memory, sizeof memory, NULL) == 0) return 1;
           for (i = 0; i < 40000; i++) hotl_reference(&h, &data[i * i % 50000], sizeof *data);
           if (hotl_snapshot(&h, &profile, table, sizeof table) != 0) return 1;
           printf("1000 accesses touch %.1f blocks\n", hotl_average(&profile, 1000));
           printf("a cache of 512 misses %.3f\n", hotl_miss_ratio(&profile, 512));
           return 0;
       }
   end of example.

   A window is any stretch of consecutive accesses. Its footprint is the number of different blocks
   that it touches. This header gives the average footprint of all windows of a length, exactly, for
   one look-up an access. The higher order theory of locality (HOTL; Xiang et al., ASPLOS 2013)
   derives from it how long a cache takes to fill and how often it misses. footprint.h also gives
   the least, the median and the greatest footprint, at three times the cost.

   STEP BY STEP
   1. Define HOTL_IMPLEMENTATION before the include in one C or C++ file. Include the file plainly
      everywhere else.
   2. Fill a hotl_config if you like. A zero in a field asks for its default.
   3. Give it memory. hotl_init takes memory of yours, and hotl_bytes says how much is needed.
      hotl_open takes memory from config.alloc and grows as blocks come.
   4. Report accesses: hotl_access takes a block number, hotl_reference an address, and
      hotl_access_many an array of block numbers. The array is the fastest way.
   5. hotl_snapshot fills a hotl_profile, as often as you like. Read it with hotl_average,
      hotl_fill_time, hotl_miss_ratio and hotl_inter_miss_time.
   6. hotl_subtract takes an earlier snapshot out of a later one. The rest are the windows that
      ended in between (a phase). hotl_add adds the profiles of threads or of runs. hotl_write puts
      a profile into a .brst file, which `bursty report` shows.
   7. A footprint_profile has these averages as well. Include footprint.h before this file, and
      hotl_of_footprint makes a hotl_profile of it.

   PROMISES
   - The average is exact at the high end of each bin of window lengths: each length below 16 is a
     bin of its own, and each octave from there on has 8 bins.
   - The miss ratio is a theory: it assumes that reuse is alike at all times. footprint.h has one
     from stack distances, which assumes nothing.
   - The header allocates only through config.alloc. It does not abort, print or keep globals.
   - A full table goes on counting, and the profile says so. Every second block is dropped, chosen
     by a hash, and each that is kept counts for two; then three in four, and so on. From there on
     averages are estimates without a guarantee.
   - Counting overflows no sum. After hotl_stats.accesses_max accesses (6.9e10 by default) further
     ones are not counted, but are added up in hotl_stats.lost. Where hotl_add would overflow, the
     number stays at the greatest one, and the profile has the flag HOTL_SATURATED.

   THREADS  Use one hotl for each thread and add their profiles. Nothing is shared or locked. A
   snapshot writes to scratch memory of the hotl, so take it on the thread that counts.

   OPTIONS  (define them where HOTL_IMPLEMENTATION is)
     HOTL_STATIC       makes all functions static; define it before every include of that file
     HOTL_ASSERT(x)    is called with a caller's mistakes (default: nothing)
     HOTL_NO_FILES     leaves hotl_write out
     HOTL_NO_BUILTINS  uses plain C instead of the compiler's bit scans and prefetches

   COST  An access takes a look-up and an addition: 37 instructions on data accesses of gzip
   (bench/footprint_instructions.sh). Each block that fits takes 21 bytes. Tables take 18 kB. */

#ifndef HOTL_H
#define HOTL_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define HOTL_P_GNU
#endif
#if defined(HOTL_P_GNU) || defined(__TINYC__)
#define HOTL_P_UNUSED __attribute__((unused))
#else
#define HOTL_P_UNUSED
#endif

#ifdef HOTL_STATIC
#define HOTL_API HOTL_P_UNUSED static
#elif defined(HOTL_P_GNU) && !defined(_WIN32)
#define HOTL_API extern __attribute__((visibility("hidden")))
#else
#define HOTL_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---- */

enum {                               /* flags of hotl_stats and of a profile; as in footprint.h */
    HOTL_FULL       = 4,             /* blocks did not fit; cure: memory or blocks_max */
    HOTL_ENDED      = 8,             /* accesses came after accesses_max; cure: window_max */
    HOTL_DIFFERENCE = 32,            /* windows that ended in a phase, not in a whole run */
    HOTL_SATURATED  = 64             /* hotl_add left a number at the greatest one */
};

typedef struct hotl_config {
    uint64_t window_max;             /* longest window, rounded up to its bin; default 2^32 - 1 */
    uint32_t blocks_max;             /* makes room for no more blocks than that; default 2^30 */
    uint32_t sample_log2;            /* k <= 24: follows one block in 2^k, no guarantee */
    uint32_t block_log2;             /* bytes of a block, as a power of 2; default 6 (64 bytes) */
    void *(*alloc)(void *user, size_t bytes);            /* for hotl_open; may return NULL */
    void  (*release)(void *user, void *memory);
    void  *user;
} hotl_config;

typedef struct hotl_stats {
    uint64_t accesses;               /* counted ones */
    uint64_t lost;                   /* not counted, as they came after accesses_max */
    uint64_t accesses_max;
    uint64_t blocks;                 /* different ones; an estimate if blocks are sampled */
    size_t   memory_bytes;           /* all memory */
    size_t   blocks_bytes;           /* the part that grows with the number of blocks */
    uint32_t flags, sample_log2;     /* sample_log2 grows when memory is full */
} hotl_stats;

/* The sum of the footprints of all windows of exactly hotl_bin_high(column) accesses. */
typedef struct hotl_total {
    uint64_t windows;                /* how many windows those are; 0 if they were not counted */
    uint64_t low, high;              /* the sum is low + 2^64 high */
} hotl_total;

typedef struct hotl_profile {
    uint64_t accesses, blocks;       /* as in hotl_stats */
    uint64_t last_window;            /* length of the whole run; 0: it was not counted */
    uint64_t last_blocks;            /* its footprint */
    uint32_t flags, sample_log2, block_log2;
    uint32_t columns;                /* bins of window lengths */
    hotl_total *total;               /* [column] */
} hotl_profile;

typedef struct hotl_entry { uint64_t block, time; } hotl_entry;

/* You provide the storage. The fields are private; hotl_get_stats reads them. */
typedef struct hotl {
    hotl_entry *table;               /* open hashing; time is that of the latest use, 0: empty */
    struct hotl_p_gap *gap, *scratch;
    hotl_total *before;              /* of the windows up to start */
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
    hotl_config config;
} hotl;

/* ---- functions: counting ---- */

/* Lays an empty hotl out in memory[0..bytes). A config of NULL is all defaults.
   Returns how many different blocks fit before it is full. 0: memory is too small; then every
   access will count as lost. */
HOTL_API uint32_t hotl_init(hotl *h, void *memory, size_t bytes, const hotl_config *config);
/* The same in memory from config->alloc, which grows as blocks come.
   Returns how many different blocks fit at first. 0: config has no alloc, or alloc returned NULL;
   then every access will count as lost. */
HOTL_API uint32_t hotl_open(hotl *h, const hotl_config *config);
/* Gives the memory of hotl_open back. */
HOTL_API void     hotl_close(hotl *h);
/* Returns the number of bytes that hotl_init needs for so many blocks. */
HOTL_API size_t   hotl_bytes(const hotl_config *config, uint32_t blocks);

HOTL_API void hotl_access(hotl *h, uint64_t block);
HOTL_API void hotl_access_many(hotl *h, const uint64_t *blocks, size_t count);
/* Counts `count` more accesses to the block of the latest access, in the time of one. */
HOTL_API void hotl_access_repeat(hotl *h, uint64_t count);
/* Counts an access to every block that address[0..bytes) lies in, from low to high. */
HOTL_API void hotl_reference(hotl *h, const void *address, size_t bytes);

HOTL_API void hotl_get_stats(const hotl *h, hotl_stats *out);

/* ---- functions: profiles ---- */

/* Fills *profile, whose table goes to memory[0..bytes). Counting goes on undisturbed.
   Returns 0, or -1 if bytes is less than hotl_snapshot_bytes returns. */
HOTL_API int    hotl_snapshot(const hotl *h, hotl_profile *profile, void *memory, size_t bytes);
/* Returns the bytes that a snapshot of h needs now. */
HOTL_API size_t hotl_snapshot_bytes(const hotl *h);
/* Makes an empty profile to which others can be added.
   Returns 0, or -1 if bytes is less than hotl_profile_bytes returns. */
HOTL_API int    hotl_profile_init(hotl_profile *profile, uint32_t columns, void *memory,
                                  size_t bytes);
/* Returns the bytes that a profile with so many bins of window lengths needs. */
HOTL_API size_t hotl_profile_bytes(uint32_t columns);
/* Adds all windows of another profile. No window of the sum spans both.
   Returns 0, or -1 if `into` has too few columns. */
HOTL_API int    hotl_add(hotl_profile *into, const hotl_profile *other);
/* Leaves in `later` the windows that ended after `earlier`, a snapshot of the same hotl.
   Returns 0, or -1 if `earlier` is not earlier. */
HOTL_API int    hotl_subtract(hotl_profile *later, const hotl_profile *earlier);

/* Returns the bin of a window length. */
HOTL_API uint32_t hotl_bin(uint64_t length);
/* Return the least and the greatest window length of a bin. */
HOTL_API uint64_t hotl_bin_low(uint32_t bin);
HOTL_API uint64_t hotl_bin_high(uint32_t bin);

/* ---- functions: answers ---- */

/* Returns the average footprint of all windows of `window` accesses (Xiang et al., PACT 2011). It
   is exact at the high ends of bins and interpolated in between. */
HOTL_API double hotl_average(const hotl_profile *p, double window);
/* Returns the window length, in accesses, at which the average footprint reaches `blocks`, or -1
   if it never does. HOTL: fill time. */
HOTL_API double hotl_fill_time(const hotl_profile *p, double blocks);
/* Returns the share of accesses that miss in an LRU cache of so many blocks: the slope of the
   average at the window that fills the cache. HOTL: miss ratio. */
HOTL_API double hotl_miss_ratio(const hotl_profile *p, double blocks);
/* Returns the accesses between two misses, or -1 if there are no misses. HOTL: inter-miss time. */
HOTL_API double hotl_inter_miss_time(const hotl_profile *p, double blocks);

#ifndef HOTL_NO_FILES
/* Writes the profile as one part of a .brst file (docs/formats.md). `write` returns 0 to go on.
   Returns 0, or -1 if write returned anything else. */
HOTL_API int hotl_write(const hotl_profile *p, const char *name,
                        int (*write)(void *user, const void *data, size_t size), void *user);
#endif

#ifdef FOOTPRINT_H
/* Makes a profile of the averages in a footprint_profile, in memory[0..bytes).
   Returns 0, or -1 if bytes is less than hotl_profile_bytes(from->columns). */
HOTL_P_UNUSED static inline int hotl_of_footprint(hotl_profile *to, const footprint_profile *from,
                                                  void *memory, size_t bytes) {
    uint32_t column;
    if (hotl_profile_init(to, from->columns, memory, bytes) != 0) return -1;
    to->accesses = from->accesses;
    to->blocks = from->blocks;
    to->last_window = from->last_window;
    to->last_blocks = from->last_blocks;
    to->flags = from->flags & (HOTL_FULL | HOTL_ENDED | HOTL_DIFFERENCE | HOTL_SATURATED);
    to->sample_log2 = from->sample_log2;
    to->block_log2 = from->block_log2;
    for (column = 0; column < from->columns; column++) {
        to->total[column].windows = from->total[column].windows;
        to->total[column].low = from->total[column].low;
        to->total[column].high = from->total[column].high;
    }
    return 0;
}
#endif

#ifdef __cplusplus
}
#endif
#endif /* HOTL_H */

#if defined(HOTL_IMPLEMENTATION) && !defined(HOTL_IMPLEMENTED)
#define HOTL_IMPLEMENTED

/* ---- implementation ---- */

#ifndef HOTL_ASSERT
#define HOTL_ASSERT(x) ((void)0)
#endif

/* Bit scans are for words that are not 0. */
#if defined(__GNUC__) && !defined(HOTL_NO_BUILTINS)
#define HOTL_P_LOG2(v)     (63u - (uint32_t)__builtin_clzll(v))
#define HOTL_P_PREFETCH(p) __builtin_prefetch(p)
#define HOTL_P_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HOTL_P_APART       __attribute__((noinline))
#define HOTL_P_ALWAYS      inline __attribute__((always_inline))
#else
#define HOTL_P_LOG2(v)     hotl_p_log2(v)
#define HOTL_P_PREFETCH(p) ((void)(p))
#define HOTL_P_UNLIKELY(x) (x)
#define HOTL_P_APART
#define HOTL_P_ALWAYS      inline
static uint32_t hotl_p_log2(uint64_t v) {
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

/* ---- shared pieces ---- */

/* [shared: sat_add] */
static uint64_t hotl_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

#ifndef HOTL_NO_FILES
/* [shared: crc32] CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t hotl_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
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
typedef struct hotl_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} hotl_p_out;

static void hotl_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void hotl_p_put_block(hotl_p_out *out, size_t size) {
    out->crc = hotl_p_crc32(out->crc, out->chunk, size);
    hotl_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void hotl_p_put_flush(hotl_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    hotl_p_little(out->chunk, out->used, 2);
    hotl_p_put_block(out, 2 + out->used);
}

static void hotl_p_put(hotl_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) hotl_p_put_flush(out);
    }
}

static void hotl_p_put_varint(hotl_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        hotl_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void hotl_p_put_begin(hotl_p_out *out, uint32_t kind,
                             int (*write)(void *user, const void *data, size_t size),
                             void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    hotl_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    hotl_p_little(out->chunk + 4, 1, 2);
    hotl_p_little(out->chunk + 6, kind, 2);
    hotl_p_little(out->chunk + 8, 0, 4);
    hotl_p_put_block(out, 12);
}

static int hotl_p_put_end(hotl_p_out *out) {
    hotl_p_put_flush(out);
    hotl_p_little(out->chunk, 0, 2);
    hotl_p_little(out->chunk + 2, out->total, 8);
    hotl_p_put_block(out, 10);
    return out->error;
}
/* [end shared] */
#endif

/* ---- bins and numbers ---- */

/* bin(v) = v below 16. From there every octave is cut into 8 bins: with k = floor(log2 v) - 3, v is
   in bin 8 k + (v >> k). The least value of a bin is called its low end, the greatest its high
   end. */

HOTL_API uint32_t hotl_bin(uint64_t value) {
    uint32_t k;
    if (value < 16) return (uint32_t)value;
    k = HOTL_P_LOG2(value) - 3;
    return 8 * k + (uint32_t)(value >> k);
}

HOTL_API uint64_t hotl_bin_low(uint32_t bin) {
    if (bin < 16) return bin;
    if (bin > 495) return UINT64_MAX;
    return (uint64_t)(8 + (bin & 7)) << ((bin >> 3) - 1);
}

HOTL_API uint64_t hotl_bin_high(uint32_t bin) {
    return bin >= 495 ? UINT64_MAX : hotl_bin_low(bin + 1) - 1;
}

/* [shared: wide] Sums of 128 bits; they may pass below 0 in between. */
typedef struct hotl_p_wide { uint64_t low, high; } hotl_p_wide;

static void hotl_p_wide_add(uint64_t *low, uint64_t *high, uint64_t add_low,
                                 uint64_t add_high) {
    *low += add_low;
    *high += add_high + (*low < add_low);
}

static void hotl_p_wide_less(uint64_t *low, uint64_t *high, uint64_t less_low,
                                  uint64_t less_high) {
    *high -= less_high + (*low < less_low);
    *low -= less_low;
}

/* b may be negative. */
static hotl_p_wide hotl_p_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t middle2 = a0 * b1 + (middle & UINT32_MAX);
    hotl_p_wide product;
    product.low = a * b;
    product.high = a1 * b1 + (middle >> 32) + (middle2 >> 32) - (b >> 63 ? a : 0);
    return product;
}
/* [end shared] */

static uint64_t hotl_p_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/* With sampling at 2^-k a block is left out unless the low k bits of another hash are 0. All bits
   of this hash are well mixed, so the blocks that remain do not cluster. */
static int hotl_p_left_out(const hotl *h, uint64_t block) {
    block = (block ^ block >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    block = (block ^ block >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    block ^= block >> 33;
    return (block & ((UINT64_C(1) << h->sample_log2) - 1)) != 0;
}

static void hotl_p_zero(void *memory, size_t bytes) {
    unsigned char *p = (unsigned char *)memory;
    while (bytes--) *p++ = 0;
}

static void hotl_p_copy(void *to, const void *from, size_t bytes) {
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    while (bytes--) *t++ = *f++;
}

/* ---- memory ---- */

enum {
    HOTL_P_FIRST = 8000,             /* blocks that hotl_open makes room for */
    HOTL_P_AHEAD = 12                /* accesses from asking memory for a bucket to needing it */
};
#define HOTL_P_LARGE ((size_t)1 << 20)   /* bytes of table from which asking ahead pays */

typedef struct hotl_p_gap { uint64_t count, low, high; } hotl_p_gap;

/* Lays everything out from base on: gap, scratch, before, table. If base is NULL it only returns
   how many bytes that takes. The table is never more than three quarters full. */
static uint64_t hotl_p_layout(hotl *h, unsigned char *base, uint32_t buckets) {
    size_t gaps = (h->columns + 1) * sizeof(hotl_p_gap), fixed, columns = h->columns;
    uint64_t table = (buckets + UINT64_C(1)) * sizeof(hotl_entry);
    fixed = (2 * gaps + columns * sizeof(hotl_total) + 15) & ~(size_t)15;
    h->buckets = buckets;
    h->cap = buckets - buckets / 4;
    h->table_bytes = (size_t)table;
    h->bytes = fixed + (size_t)table;
    if (base) {
        h->gap = (hotl_p_gap *)(void *)base;
        h->scratch = (hotl_p_gap *)(void *)(base + gaps);
        h->before = (hotl_total *)(void *)(base + 2 * gaps);
        h->table = (hotl_entry *)(void *)(base + fixed);
    }
    return fixed + table;
}

/* Fills in the defaults, and what follows from them. */
static void hotl_p_configure(hotl *h, const hotl_config *config) {
    uint64_t width, window_max;
    hotl_p_zero(h, sizeof *h);
    if (config) h->config = *config;
    window_max = h->config.window_max ? h->config.window_max : UINT32_MAX;
    h->columns = hotl_bin(window_max < 1023 ? 1023 : window_max) + 1;
    if (h->config.blocks_max == 0 || h->config.blocks_max > UINT32_C(1) << 30)
        h->config.blocks_max = UINT32_C(1) << 30;
    if (h->config.sample_log2 > 24) h->config.sample_log2 = 24;
    if (h->config.block_log2 == 0) h->config.block_log2 = 6;
    h->sample_log2 = h->config.sample_log2;
    h->is_followed = 1;
    width = hotl_bin_high(h->columns - 1) - hotl_bin_low(h->columns - 1) + 1;
    h->end = UINT64_MAX / width;
    if (h->end < (UINT64_C(1) << 34) - 1) h->end = (UINT64_C(1) << 34) - 1;
}

/* Returns how many buckets make room for so many blocks. */
static uint32_t hotl_p_buckets(const hotl *h, uint64_t blocks) {
    if (blocks > h->config.blocks_max) blocks = h->config.blocks_max;
    if (blocks < 60) blocks = 60;
    return (uint32_t)(blocks + (blocks + 2) / 3 + 4);
}

HOTL_API size_t hotl_bytes(const hotl_config *config, uint32_t blocks) {
    hotl h;
    uint64_t bytes;
    hotl_p_configure(&h, config);
    bytes = hotl_p_layout(&h, NULL, hotl_p_buckets(&h, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

HOTL_API uint32_t hotl_init(hotl *h, void *memory, size_t bytes, const hotl_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, room, least;
    uint32_t most;
    hotl_p_configure(h, config);
    h->config.alloc = NULL;
    least = (size_t)hotl_p_layout(h, NULL, 64);
    room = memory != NULL && bytes > skip ? bytes - skip : 0;
    if (least > room) {
        hotl_p_zero(h, sizeof *h);
        return 0;
    }
    most = hotl_p_buckets(h, UINT64_MAX);
    room = (room - least) / sizeof(hotl_entry);
    hotl_p_layout(h, base + skip, room < most - 64 ? 64 + (uint32_t)room : most);
    hotl_p_zero(base + skip, h->bytes);
    return h->cap;
}

HOTL_API uint32_t hotl_open(hotl *h, const hotl_config *config) {
    hotl_p_configure(h, config);
    hotl_p_layout(h, NULL, hotl_p_buckets(h, HOTL_P_FIRST));
    if (h->config.alloc) h->memory = h->config.alloc(h->config.user, h->bytes);
    if (!h->memory) {
        hotl_p_zero(h, sizeof *h);
        return 0;
    }
    hotl_p_layout(h, (unsigned char *)h->memory, h->buckets);
    hotl_p_zero(h->memory, h->bytes);
    return h->cap;
}

/* A closed hotl, like one whose init failed, counts nothing: all accesses are lost. */
HOTL_API void hotl_close(hotl *h) {
    if (h->memory && h->config.release) h->config.release(h->config.user, h->memory);
    hotl_p_zero(h, sizeof *h);
}

/* Returns the bucket of a block, or the empty one where it belongs. */
static uint32_t hotl_p_find(const hotl *h, uint64_t block) {
    const hotl_entry *table = h->table, *end = table + h->buckets;
    const hotl_entry *entry = table + (hotl_p_hash(block) * h->buckets >> 32);
    while (entry->time && entry->block != block) {
        if (++entry == end) entry = table;
    }
    return (uint32_t)(entry - table);
}

/* Moves everything to larger memory. Returns 1, or 0 if there is none; then nothing has changed. */
static int hotl_p_grow(hotl *h) {
    hotl old = *h;
    uint64_t most = hotl_p_buckets(h, UINT64_MAX), buckets = h->buckets + (uint64_t)h->buckets / 2;
    uint32_t i;
    if (buckets > most) buckets = most;
    if (buckets <= h->buckets || !h->config.alloc || h->flags & HOTL_FULL) return 0;
    hotl_p_layout(h, NULL, (uint32_t)buckets);
    h->memory = h->config.alloc(h->config.user, h->bytes);
    if (!h->memory) {
        *h = old;
        return 0;
    }
    hotl_p_layout(h, (unsigned char *)h->memory, (uint32_t)buckets);
    hotl_p_copy(h->memory, old.memory, h->bytes - h->table_bytes);
    hotl_p_zero(h->table, h->table_bytes);
    for (i = 0; i < old.buckets; i++) {
        uint32_t bucket;
        if (old.table[i].time == 0) continue;
        bucket = hotl_p_find(h, old.table[i].block);
        h->table[bucket] = old.table[i];
        if (i == old.newest) h->newest = bucket;
        if (i == old.second) h->second = bucket;
    }
    if (h->config.release) h->config.release(h->config.user, old.memory);
    return 1;
}

/* ---- gaps ---- */

/* A block is missing from exactly those windows that fit strictly between two of its accesses. Take
   every block as accessed at times 0 and n + 1 as well. Then

       0 . . . . b . . . b . . . n+1        gaps of b: from 0, between its uses, up to n + 1
         windows without b

   a gap from t to t' holds max(0, t' - t - w) windows of length w. So

       sum of footprints of the windows of length w = blocks (n - w + 1) - sum of max(0, y - 1 - w)

   over all gaps, with y = t' - t + 1 (Xiang et al., PACT 2011). For each bin of y the table keeps
   the number of gaps and the sum of y, which makes this exact for w at the high end of a bin.

   Cost: an access is one look-up of the block's latest time, and one addition to a gap. The two
   latest blocks stand at `newest` and `second`. Invariant: outside hotl_p_each their times are
   right; inside, they are kept in registers.

   When blocks are sampled anew (hotl_p_thin), the windows so far are summed up in `before` and
   counting starts again from `start`: an open gap that reaches back before start holds max(0, start
   + 1 - t - w) windows that have been summed up already. They are taken off at once, as a gap of
   weight -1. */

/* Adds a gap of y, `weight` times (it may be negative). The last cell takes all that are longer
   than a window. */
static void hotl_p_gap_sum(const hotl *h, hotl_p_gap *gap, uint64_t y, uint64_t weight) {
    uint32_t bin = hotl_bin(y);
    hotl_p_wide sum = hotl_p_product(y, weight);
    gap += bin < h->columns ? bin : h->columns;
    gap->count += weight;
    hotl_p_wide_add(&gap->low, &gap->high, sum.low, sum.high);
}

/* The same for one block, without a branch. */
static HOTL_P_ALWAYS void hotl_p_gap_add(hotl_p_gap *gap, uint64_t columns, uint64_t y,
                                         uint32_t sample_log2) {
    uint32_t k = HOTL_P_LOG2(y | 8) - 3;
    uint64_t bin = 8 * (uint64_t)k + (y >> k);
    gap += bin < columns ? bin : columns;
    gap->count += UINT64_C(1) << sample_log2;
    hotl_p_wide_add(&gap->low, &gap->high, y << sample_log2, 0);
}

/* Adds the gaps that are open at n + 1, of all blocks that are followed. */
static void hotl_p_open_gaps(const hotl *h, hotl_p_gap *gap, uint64_t weight) {
    uint32_t i;
    for (i = 0; i < h->buckets; i++) {
        if (h->table[i].time) hotl_p_gap_sum(h, gap, h->now + 2 - h->table[i].time, weight);
    }
}

/* The formula above, for the windows since start, on top of those before. */
static void hotl_p_totals(const hotl *h, hotl_total *total) {
    hotl_p_gap *gap = h->scratch;
    uint64_t n = h->now, count = 0, low = 0, high = 0;
    uint32_t b;
    hotl_p_copy(gap, h->gap, (h->columns + 1) * sizeof *gap);
    hotl_p_open_gaps(h, gap, UINT64_C(1) << h->sample_log2);
    for (b = h->columns; b-- > 1; ) {
        uint64_t w = hotl_bin_high(b), windows = n - w + 1;
        hotl_p_wide sum, more;
        count += gap[b + 1].count;                         /* gaps of more than w, and their sum */
        hotl_p_wide_add(&low, &high, gap[b + 1].low, gap[b + 1].high);
        if (w > n) continue;
        sum = hotl_p_product(h->followed, windows - (h->start < w ? 0 : h->start - w + 1));
        hotl_p_wide_less(&sum.low, &sum.high, low, high);
        more = hotl_p_product(w + 1, count);
        hotl_p_wide_add(&sum.low, &sum.high, more.low, more.high);
        hotl_p_wide_add(&sum.low, &sum.high, h->before[b].low, h->before[b].high);
        total[b].windows = windows;
        total[b].low = sum.low;
        total[b].high = sum.high;
    }
}

/* Keeps only the blocks that are still followed. What lies behind a removed entry is put in anew;
   to cut no run of entries in two, this starts behind an empty one. */
static void hotl_p_drop(hotl *h) {
    uint32_t empty = 0, i;
    h->tracked = 0;
    while (h->table[empty].time) empty++;
    for (i = 1; i <= h->buckets; i++) {
        hotl_entry *entry = &h->table[(empty + i) % h->buckets], kept = *entry;
        entry->time = 0;
        if (kept.time == 0 || hotl_p_left_out(h, kept.block)) continue;
        h->table[hotl_p_find(h, kept.block)] = kept;
        h->tracked++;
    }
}

/* The table is full: halves the sampling ratio until the blocks fit. */
static void hotl_p_thin(hotl *h) {
    h->flags |= HOTL_FULL;
    hotl_p_totals(h, h->before);
    do {
        h->sample_log2++;
        hotl_p_drop(h);
    } while (h->tracked >= h->cap && h->sample_log2 < 63);
    h->start = h->now;
    h->followed = (uint64_t)h->tracked << h->sample_log2;
    hotl_p_zero(h->gap, (h->columns + 1) * sizeof *h->gap);
    hotl_p_open_gaps(h, h->gap, 0 - (UINT64_C(1) << h->sample_log2));
}

/* The latest access is to a block that is not followed yet. */
static void hotl_p_new_block(hotl *h) {
    uint64_t weight = UINT64_C(1) << h->sample_log2;
    hotl_p_gap_add(h->gap, h->columns, h->now + 1, h->sample_log2);
    if (h->start) hotl_p_gap_sum(h, h->gap, h->start + 2, 0 - weight);
    h->first += weight;
    h->followed += weight;
    h->tracked++;
}

/* ---- accesses ---- */

/* Any access: the block may be new, or not be followed. */
static HOTL_P_APART void hotl_p_access(hotl *h, uint64_t block) {
    uint64_t now = ++h->now;
    uint32_t bucket;
    h->is_followed = !hotl_p_left_out(h, block);
    if (!h->is_followed) return;
    bucket = hotl_p_find(h, block);
    if (h->table[bucket].time == 0) {
        if (h->tracked >= h->cap) {
            if (!hotl_p_grow(h)) {
                h->now--;                                  /* up to the access before this one */
                hotl_p_thin(h);
                h->now++;
                h->is_followed = !hotl_p_left_out(h, block);
                if (!h->is_followed) return;
            }
            bucket = hotl_p_find(h, block);
        }
        h->table[bucket].block = block;
        hotl_p_new_block(h);
    } else {
        hotl_p_gap_add(h->gap, h->columns, now - h->table[bucket].time + 1, h->sample_log2);
    }
    h->table[bucket].time = now;
    if (bucket != h->newest) h->second = now == 1 ? bucket : h->newest;
    h->newest = bucket;
}

/* blocks[0..count), all of them followed, after a first access. The two latest blocks and the time
   of the second stay in registers. Returns how many accesses were counted: fewer if sampling
   began. */
static HOTL_P_ALWAYS size_t hotl_p_each(hotl *h, const uint64_t *blocks, size_t count, int ahead) {
    hotl_entry *table = h->table, *one = table + h->newest, *two = table + h->second;
    hotl_entry *last = table + h->buckets, *entry;
    hotl_p_gap *gap = h->gap;
    uint64_t first = one->block, second = two->block, time = two->time;
    uint64_t now = h->now, start = now, end = now + count;
    uint64_t columns = h->columns, buckets = h->buckets;
    for (; now < end; now++) {
        const uint64_t *at = blocks + (size_t)(now - start);
        uint64_t block = *at;
        if (ahead && end - now > HOTL_P_AHEAD) {
            uint64_t later = hotl_p_hash(at[HOTL_P_AHEAD]);
            HOTL_P_PREFETCH(table + (later * buckets >> 32));
        }
        if (block == first) continue;
        if (block == second) {
            hotl_p_gap_add(gap, columns, now - time + 2, 0);
            entry = two;
        } else {
            two->time = time;
            one->time = now;
            entry = table + (hotl_p_hash(block) * buckets >> 32);
            while (entry->block != block && entry->time) {
                if (++entry == last) entry = table;
            }
            if (HOTL_P_UNLIKELY(entry->time == 0)) {
                h->newest = (uint32_t)(one - table);
                h->second = (uint32_t)(two - table);
                h->now = now;
                hotl_p_access(h, block);
                if (h->sample_log2) return (size_t)(now + 1 - start);
                table = h->table;
                gap = h->gap;
                buckets = h->buckets;
                last = table + buckets;
                one = table + h->newest;
                two = table + h->second;
                first = block;
                second = two->block;
                time = two->time;
                continue;
            }
            hotl_p_gap_add(gap, columns, now - entry->time + 2, 0);
        }
        two = one;
        one = entry;
        second = first;
        first = block;
        time = now;
    }
    two->time = time;
    one->time = now;
    h->newest = (uint32_t)(one - table);
    h->second = (uint32_t)(two - table);
    h->now = now;
    return count;
}

static HOTL_P_APART size_t hotl_p_plain(hotl *h, const uint64_t *blocks, size_t count) {
    return hotl_p_each(h, blocks, count, 0);
}

static HOTL_P_APART size_t hotl_p_ahead(hotl *h, const uint64_t *blocks, size_t count) {
    return hotl_p_each(h, blocks, count, 1);
}

HOTL_API void hotl_access(hotl *h, uint64_t block) {
    if (h->now < h->end) {
        hotl_p_access(h, block);
        return;
    }
    h->lost = hotl_p_sat_add(h->lost, 1);
    h->flags |= HOTL_ENDED;
}

HOTL_API void hotl_access_many(hotl *h, const uint64_t *blocks, size_t count) {
    const uint64_t *end = blocks + count;
    HOTL_ASSERT(blocks != NULL || count == 0);
    while (blocks < end) {
        size_t most = (size_t)(end - blocks) < 1024 ? (size_t)(end - blocks) : 1024;
        if (h->sample_log2 || h->now == 0 || h->now >= h->end) {
            hotl_access(h, *blocks++);
            continue;
        }
        if (most > h->end - h->now) most = (size_t)(h->end - h->now);
        blocks += h->table_bytes > HOTL_P_LARGE ? hotl_p_ahead(h, blocks, most)
                                                : hotl_p_plain(h, blocks, most);
    }
}

HOTL_API void hotl_access_repeat(hotl *h, uint64_t count) {
    uint64_t most = h->end - h->now;
    if (h->now == 0) return;
    if (count > most) {
        h->flags |= HOTL_ENDED;
        h->lost = hotl_p_sat_add(h->lost, count - most);
        count = most;
    }
    h->now += count;
    if (h->is_followed) h->table[h->newest].time = h->now;
}

HOTL_API void hotl_reference(hotl *h, const void *address, size_t bytes) {
    uint64_t first = (uint64_t)(uintptr_t)address, last = first + (bytes ? bytes - 1 : 0);
    uint64_t block = first >> h->config.block_log2;
    for (;; block++) {
        hotl_access(h, block);
        if (block == last >> h->config.block_log2) break;
    }
}

HOTL_API void hotl_get_stats(const hotl *h, hotl_stats *out) {
    out->accesses = h->now;
    out->lost = h->lost;
    out->accesses_max = h->end;
    out->blocks = h->first;
    out->memory_bytes = h->bytes;
    out->blocks_bytes = h->table_bytes;
    out->flags = h->flags;
    out->sample_log2 = h->sample_log2;
}

/* ---- profiles ---- */

HOTL_API size_t hotl_profile_bytes(uint32_t columns) {
    uint64_t bytes = columns * (uint64_t)sizeof(hotl_total) + 7;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

HOTL_API int hotl_profile_init(hotl_profile *p, uint32_t columns, void *memory, size_t bytes) {
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 7;
    hotl_p_zero(p, sizeof *p);
    if (!memory || bytes < hotl_profile_bytes(columns)) return -1;
    hotl_p_zero(memory, hotl_profile_bytes(columns));
    p->columns = columns;
    p->total = (hotl_total *)(void *)((unsigned char *)memory + skip);
    return 0;
}

/* An estimate of a sum over windows of w accesses: each touches 1 to w blocks, and no more than
   all. */
static void hotl_p_bound(hotl_total *total, uint64_t w, uint64_t blocks) {
    hotl_p_wide most = hotl_p_product(w < blocks ? w : blocks, total->windows);
    uint64_t low = total->low, high = total->high;
    if (high >> 63 || (high == 0 && low < total->windows)) {
        total->low = total->windows;
        total->high = 0;
    } else if (high > most.high || (high == most.high && low > most.low)) {
        total->low = most.low;
        total->high = most.high;
    }
}

HOTL_API size_t hotl_snapshot_bytes(const hotl *h) { return hotl_profile_bytes(h->columns); }

HOTL_API int hotl_snapshot(const hotl *h, hotl_profile *profile, void *memory, size_t bytes) {
    uint32_t b;
    if (hotl_profile_init(profile, h->columns, memory, bytes)) return -1;
    profile->accesses = profile->last_window = h->now;
    profile->blocks = profile->last_blocks = h->first;
    profile->flags = h->flags;
    profile->sample_log2 = h->sample_log2;
    profile->block_log2 = h->config.block_log2;
    if (h->now == 0) return 0;
    if (h->now > hotl_bin_high(h->columns - 1)) profile->last_window = profile->last_blocks = 0;
    hotl_p_totals(h, profile->total);
    for (b = 1; b < h->columns && h->flags & HOTL_FULL; b++)
        hotl_p_bound(&profile->total[b], hotl_bin_high(b), h->first);
    return 0;
}

static void hotl_p_saturate(hotl_profile *p, uint64_t *sum, uint64_t add) {
    *sum = hotl_p_sat_add(*sum, add);
    if (*sum == UINT64_MAX) p->flags |= HOTL_SATURATED;
}

HOTL_API int hotl_add(hotl_profile *into, const hotl_profile *other) {
    uint32_t b;
    int empty = into->accesses == 0;
    if (into->columns < other->columns) return -1;
    for (b = 0; b < other->columns; b++) {
        hotl_total *to = &into->total[b];
        const hotl_total *from = &other->total[b];
        hotl_p_saturate(into, &to->windows, from->windows);
        hotl_p_wide_add(&to->low, &to->high, from->low, from->high);
    }
    hotl_p_saturate(into, &into->accesses, other->accesses);
    hotl_p_saturate(into, &into->blocks, other->blocks);
    if (other->sample_log2 > into->sample_log2) into->sample_log2 = other->sample_log2;
    into->block_log2 = other->block_log2;
    into->flags |= other->flags;
    into->last_window = empty ? other->last_window : 0;
    into->last_blocks = empty ? other->last_blocks : 0;
    return 0;
}

HOTL_API int hotl_subtract(hotl_profile *later, const hotl_profile *earlier) {
    uint32_t b;
    uint64_t blocks = later->blocks;                       /* a phase may use those of before */
    if (later->columns != earlier->columns || later->accesses < earlier->accesses) return -1;
    for (b = 0; b < later->columns; b++) {
        hotl_total *from = &later->total[b];
        const hotl_total *less = &earlier->total[b];
        from->windows -= less->windows;
        hotl_p_wide_less(&from->low, &from->high, less->low, less->high);
        if (later->flags & HOTL_FULL) hotl_p_bound(from, hotl_bin_high(b), blocks);
    }
    later->accesses -= earlier->accesses;
    later->blocks -= earlier->blocks;
    later->last_window = later->last_blocks = 0;
    later->flags |= HOTL_DIFFERENCE;
    return 0;
}

/* ---- answers ---- */

/* The average is known at the high ends of bins, and for the whole run. The line through these
   points and (0, 0) is the average footprint by window length. */
typedef struct hotl_p_piece { double window0, blocks0, window1, blocks1; } hotl_p_piece;

/* Returns whether there is a point n, and gives it in window1 and blocks1. */
static int hotl_p_point(const hotl_profile *p, uint32_t n, hotl_p_piece *to) {
    uint64_t before = hotl_bin_high(n - 1);
    if (n < p->columns && p->total[n].windows) {
        const hotl_total *t = &p->total[n];
        uint64_t high = hotl_bin_high(n);
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
static int hotl_p_find_piece(const hotl_profile *p, double window, double blocks,
                             hotl_p_piece *to) {
    uint32_t n;
    to->window0 = to->blocks0 = to->window1 = to->blocks1 = 0;
    for (n = 1; hotl_p_point(p, n, to); n++) {
        if (blocks < 0 ? to->window1 >= window : to->blocks1 >= blocks) return 1;
        to->window0 = to->window1;
        to->blocks0 = to->blocks1;
    }
    return 0;
}

HOTL_API double hotl_average(const hotl_profile *p, double window) {
    hotl_p_piece at;
    if (window <= 0) return 0;
    if (!hotl_p_find_piece(p, window, -1, &at)) return at.blocks0;
    return at.blocks0 +
           (at.blocks1 - at.blocks0) * (window - at.window0) / (at.window1 - at.window0);
}

HOTL_API double hotl_fill_time(const hotl_profile *p, double blocks) {
    hotl_p_piece at;
    if (blocks <= 0) return 0;
    if (!hotl_p_find_piece(p, 0, blocks, &at)) return -1;
    return at.window0 +
           (at.window1 - at.window0) * (blocks - at.blocks0) / (at.blocks1 - at.blocks0);
}

HOTL_API double hotl_miss_ratio(const hotl_profile *p, double blocks) {
    double time = hotl_fill_time(p, blocks);
    hotl_p_piece at;
    if (time < 0 || !hotl_p_find_piece(p, time, -1, &at)) return 0;
    if (at.blocks1 <= at.blocks0) return 0;
    return (at.blocks1 - at.blocks0) / (at.window1 - at.window0);
}

HOTL_API double hotl_inter_miss_time(const hotl_profile *p, double blocks) {
    double ratio = hotl_miss_ratio(p, blocks);
    return ratio > 0 ? 1 / ratio : -1;
}

/* ---- dump ---- */

#ifndef HOTL_NO_FILES
HOTL_API int hotl_write(const hotl_profile *p, const char *name,
                        int (*write)(void *user, const void *data, size_t size), void *user) {
    hotl_p_out out;
    uint32_t b;
    size_t size = 0;
    hotl_p_put_begin(&out, 3, write, user);
    while (name && name[size]) size++;
    hotl_p_put_varint(&out, size);
    hotl_p_put(&out, name, size);
    hotl_p_put_varint(&out, p->flags | 1);                 /* 1: averages alone */
    hotl_p_put_varint(&out, p->sample_log2);
    hotl_p_put_varint(&out, p->block_log2);
    hotl_p_put_varint(&out, 1000000000);                   /* c = 1 */
    hotl_p_put_varint(&out, p->accesses);
    hotl_p_put_varint(&out, p->blocks);
    hotl_p_put_varint(&out, 0);                            /* none is forgotten */
    hotl_p_put_varint(&out, p->last_window);
    hotl_p_put_varint(&out, p->last_blocks);
    hotl_p_put_varint(&out, 1);                            /* one row: no stack distances */
    hotl_p_put_varint(&out, p->columns);
    hotl_p_put_varint(&out, 0);
    for (b = 0; b < p->columns; b++) {
        hotl_p_put_varint(&out, p->total[b].windows);
        hotl_p_put_varint(&out, p->total[b].low);
        hotl_p_put_varint(&out, p->total[b].high);
        hotl_p_put_varint(&out, 0);                        /* no windows by footprint */
        hotl_p_put_varint(&out, 0);
    }
    return hotl_p_put_end(&out) ? -1 : 0;
}
#endif

#endif /* HOTL_IMPLEMENTATION */

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
