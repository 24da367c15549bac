/* interleave.h - v0.2.0 - counts how two threads interleave in windows - MIT, text at end of file

   example:
       #define INTERLEAVE_IMPLEMENTATION
       #include "interleave.h"
       #include <stdio.h>
       static uint64_t memory[100000], table[100000];
       int main(void) {
           interleave il;
           interleave_profile profile;
           int i;
           if (interleave_init(&il, memory, sizeof memory, NULL) == 0) return 1;
           for (i = 0; i < 10000; i++) interleave_run(&il, i % 2, (uint64_t)(1 + i % 7));
           if (interleave_snapshot(&il, &profile, table, sizeof table) != 0) return 1;
           printf("thread 1 makes up to %u of 100 accesses in half of the windows\n", (unsigned)
                  interleave_bin_high(interleave_percentile(&profile, interleave_bin(100), 50)));
           return 0;
       }
   end of example.

   Two threads make accesses in turns. A window is any stretch of consecutive accesses of the two.
   This header counts, for all windows of each length, how many of their accesses thread 1 made
   (paper: "All-Window Profiling of Concurrent Executions", section 2 and Figure 2).

   STEP BY STEP
   1. Define INTERLEAVE_IMPLEMENTATION before the include in one C or C++ file. Include the file
      plainly everywhere else.
   2. Give interleave_init some memory. interleave_bytes says how much is needed.
   3. Report each run of accesses with interleave_run(&il, thread, count), in the order in which
      they were made. thread is 0 or 1. For the view of the other thread, use a second interleave
      and swap.
   4. interleave_snapshot fills an interleave_profile, as often as you like. Read it with
      interleave_percentile and interleave_windows. interleave_subtract leaves the windows of a
      phase. interleave_write puts a profile into a .brst file, which `bursty report` shows.

   PROMISES
   - A reported count of accesses is within [c, 1] of the truth. This is stronger than the paper's
     (1 - c) times the window length. At c = 1 counts are exact to the bin.
   - No allocation, no abort, no printing, no globals.
   - Full memory: for c < 1, neighbouring runs are merged in a way that keeps the guarantee. At c =
     1 the largest counts are given up and share one open bin; INTERLEAVE_FULL says so.

   THREADS  One thread at a time may use an interleave. Merge the runs of the two threads first.

   OPTIONS  (define them where INTERLEAVE_IMPLEMENTATION is)
     INTERLEAVE_STATIC      makes all functions static; define it before every include of that file
     INTERLEAVE_ASSERT(x)   is called with a caller's mistakes (default: nothing)
     INTERLEAVE_NO_FILES    leaves interleave_write out

   COST  A run of thread 0 costs nothing. A run of thread 1 moves some of the marks: each mark F
   moves once in about (1 - c) F accesses of thread 1. Each run takes 24 bytes; tables take 0.5 MB
   by default. */

#ifndef INTERLEAVE_H
#define INTERLEAVE_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define INTERLEAVE_P_GNU
#endif
#if defined(INTERLEAVE_P_GNU) || defined(__TINYC__)
#define INTERLEAVE_P_UNUSED __attribute__((unused))
#else
#define INTERLEAVE_P_UNUSED
#endif

#ifdef INTERLEAVE_STATIC
#define INTERLEAVE_API INTERLEAVE_P_UNUSED static
#elif defined(INTERLEAVE_P_GNU) && !defined(_WIN32)
#define INTERLEAVE_API extern __attribute__((visibility("hidden")))
#else
#define INTERLEAVE_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---- */

enum {                               /* flags of interleave_stats and of a profile */
    INTERLEAVE_FULL       = 4,       /* runs did not fit; cure: more memory, or c < 1 */
    INTERLEAVE_ENDED      = 8,       /* accesses came after accesses_max; cure: window_max */
    INTERLEAVE_DIFFERENCE = 32       /* windows that ended in a phase, not in the whole run */
};

typedef struct interleave_config {
    double   c;                      /* precision c of the paper: 0.01 to 1; default 0.9 */
    uint64_t window_max;             /* longest window, rounded up to its bin; default 2^32 - 1 */
} interleave_config;

typedef struct interleave_stats {
    uint64_t accesses;               /* counted ones of both threads */
    uint64_t accesses_of_1;          /* those of thread 1 */
    uint64_t lost;                   /* not counted, as they came after accesses_max */
    uint64_t accesses_max;
    uint32_t flags;
} interleave_stats;

typedef struct interleave_profile {
    uint64_t accesses, accesses_of_1;
    double   c;                      /* the guarantee */
    uint32_t flags;
    uint32_t rows;                   /* bins of accesses of thread 1 */
    uint32_t columns;                /* bins of window lengths */
    uint64_t *at_least;              /* [row * columns + column]: see interleave_at_least */
} interleave_profile;

/* You provide the storage. The fields are private; interleave_get_stats reads them. */
typedef struct interleave {
    uint64_t now, number;            /* accesses so far: of both, of thread 1 */
    uint64_t lost, end;
    uint64_t dropped_time;           /* end of the latest run that was dropped */
    struct interleave_p_run  *runs;
    struct interleave_p_mark *marks;
    struct interleave_p_cell *cells, *scratch;
    uint32_t run_count, run_max, mark_count, mark_max, columns, flags;
    uint32_t is_joined, is_thinned;  /* is_joined: the latest access was thread 1's */
    double   c;
    size_t   table_bytes;
} interleave;

/* ---- functions: counting (paper, section 3) ---- */

/* Lays an empty interleave out in memory[0..bytes). A config of NULL is all defaults.
   Returns how many runs of thread 1 fit before it is full. 0: memory is too small; then every
   access will count as lost. */
INTERLEAVE_API uint32_t interleave_init(interleave *il, void *memory, size_t bytes,
                                        const interleave_config *config);
/* Returns the number of bytes that interleave_init needs for so many runs of thread 1. */
INTERLEAVE_API size_t   interleave_bytes(const interleave_config *config, uint32_t runs);
/* Says that `thread` (0 or 1) made the next `count` accesses. */
INTERLEAVE_API void     interleave_run(interleave *il, int thread, uint64_t count);
INTERLEAVE_API void     interleave_get_stats(const interleave *il, interleave_stats *out);
/* Returns an access number A: every window that starts at A or earlier and ends at the latest
   access is counted as holding interleave_bin_low(bin) accesses of thread 1 or more. 0 if there is
   none. */
INTERLEAVE_API uint64_t interleave_mark_time(const interleave *il, uint32_t bin);

/* ---- functions: profiles (paper, section 2) ---- */

/* Fills *profile, whose table goes to memory[0..bytes). Counting goes on undisturbed.
   Returns 0, or -1 if bytes is less than interleave_snapshot_bytes returns. */
INTERLEAVE_API int      interleave_snapshot(const interleave *il, interleave_profile *profile,
                                            void *memory, size_t bytes);
INTERLEAVE_API size_t   interleave_snapshot_bytes(const interleave *il);
/* Leaves in `later` the windows that ended after `earlier`, a snapshot of the same interleave.
   Returns 0, or -1 if `earlier` is not earlier. */
INTERLEAVE_API int      interleave_subtract(interleave_profile *later,
                                            const interleave_profile *earlier);

/* Return the bin of a value in the paper's 8-wide histogram; a bin's least and greatest value. */
INTERLEAVE_API uint32_t interleave_bin(uint64_t value);
INTERLEAVE_API uint64_t interleave_bin_low(uint32_t bin);
INTERLEAVE_API uint64_t interleave_bin_high(uint32_t bin);

/* Returns how many windows have a length in window_bin: all of them; those in which thread 1 made
   interleave_bin_low(bin) accesses or more. */
INTERLEAVE_API uint64_t interleave_windows(const interleave_profile *p, uint32_t window_bin);
INTERLEAVE_API uint64_t interleave_at_least(const interleave_profile *p, uint32_t window_bin,
                                            uint32_t bin);
/* The curves of the paper's Figure 2. Returns the bin of the least count of thread 1's accesses
   that `percent` (0 to 100) of the windows do not exceed, or UINT32_MAX if there are no windows. */
INTERLEAVE_API uint32_t interleave_percentile(const interleave_profile *p, uint32_t window_bin,
                                              uint32_t percent);

#ifndef INTERLEAVE_NO_FILES
/* Writes the profile as one part of a .brst file (docs/formats.md). `write` returns 0 to go on.
   Returns 0, or -1 if write returned anything else. */
INTERLEAVE_API int      interleave_write(const interleave_profile *p, const char *name,
                                         int (*write)(void *user, const void *data, size_t size),
                                         void *user);
#endif

#ifdef __cplusplus
}
#endif
#endif /* INTERLEAVE_H */

#if defined(INTERLEAVE_IMPLEMENTATION) && !defined(INTERLEAVE_IMPLEMENTED)
#define INTERLEAVE_IMPLEMENTED

/* ---- implementation ---- */

#ifndef INTERLEAVE_ASSERT
#define INTERLEAVE_ASSERT(x) ((void)0)
#endif
#undef INTERLEAVE_API
#ifdef INTERLEAVE_STATIC
#define INTERLEAVE_API INTERLEAVE_P_UNUSED static
#else
#define INTERLEAVE_API
#endif

/* ---- shared pieces ---- */

/* [shared: sat_add] */
static uint64_t interleave_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

#ifndef INTERLEAVE_NO_FILES
/* [shared: crc32] CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t interleave_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
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
typedef struct interleave_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} interleave_p_out;

static void interleave_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void interleave_p_put_block(interleave_p_out *out, size_t size) {
    out->crc = interleave_p_crc32(out->crc, out->chunk, size);
    interleave_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void interleave_p_put_flush(interleave_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    interleave_p_little(out->chunk, out->used, 2);
    interleave_p_put_block(out, 2 + out->used);
}

static void interleave_p_put(interleave_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) interleave_p_put_flush(out);
    }
}

static void interleave_p_put_varint(interleave_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        interleave_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void interleave_p_put_begin(interleave_p_out *out, uint32_t kind,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    interleave_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    interleave_p_little(out->chunk + 4, 1, 2);
    interleave_p_little(out->chunk + 6, kind, 2);
    interleave_p_little(out->chunk + 8, 0, 4);
    interleave_p_put_block(out, 12);
}

static int interleave_p_put_end(interleave_p_out *out) {
    interleave_p_put_flush(out);
    interleave_p_little(out->chunk, 0, 2);
    interleave_p_little(out->chunk + 2, out->total, 8);
    interleave_p_put_block(out, 10);
    return out->error;
}
/* [end shared] */
#endif

/* ---- bins and numbers ---- */

/* bin(v) = v below 16. From there every octave is cut into 8 bins: with k = floor(log2 v) - 3, v is
   in bin 8 k + (v >> k). The least value of a bin is called its low end. */

static uint32_t interleave_p_log2(uint64_t v) {
#ifdef INTERLEAVE_P_GNU
    return 63u - (uint32_t)__builtin_clzll(v);
#else
    uint32_t log = 0, step;
    for (step = 32; step; step /= 2) {
        if (v >> step) {
            v >>= step;
            log += step;
        }
    }
    return log;
#endif
}

INTERLEAVE_API uint32_t interleave_bin(uint64_t value) {
    uint32_t k;
    if (value < 16) return (uint32_t)value;
    k = interleave_p_log2(value) - 3;
    return 8 * k + (uint32_t)(value >> k);
}

INTERLEAVE_API uint64_t interleave_bin_low(uint32_t bin) {
    if (bin < 16) return bin;
    if (bin > 495) return UINT64_MAX;
    return (uint64_t)(8 + (bin & 7)) << ((bin >> 3) - 1);
}

INTERLEAVE_API uint64_t interleave_bin_high(uint32_t bin) {
    return bin >= 495 ? UINT64_MAX : interleave_bin_low(bin + 1) - 1;
}

/* Returns 1 + 2 + .. + k modulo 2^64, and 0 for k = -1. */
static uint64_t interleave_p_triangle(uint64_t k) { return ((k + 1) >> 1) * (k | 1); }

/* How many windows of a run of n accesses have a length in bin. */
static uint64_t interleave_p_windows(uint64_t n, uint32_t bin) {
    uint64_t low = interleave_bin_low(bin), high = interleave_bin_high(bin), width;
    if (bin == 0 || n < low) return 0;
    width = (high < n ? high : n) - low + 1;
    return width * (n - low + 1) - interleave_p_triangle(width - 1);
}

static void interleave_p_zero(void *memory, size_t bytes) {
    unsigned char *p = (unsigned char *)memory;
    while (bytes--) *p++ = 0;
}

/* ---- memory layout ---- */

typedef struct interleave_p_run { uint64_t first, time, length; } interleave_p_run;
typedef struct interleave_p_mark {
    uint64_t since, from, low;
    uint64_t x0, x1, times;          /* the latest ages, which are not in the row yet */
    uint64_t born;
    uint32_t row, period_log2;
    uint32_t cursor, stride;         /* run of since; how many runs the mark went on last time */
} interleave_p_mark;
typedef struct interleave_p_cell { uint64_t count, sum; } interleave_p_cell;

static void *interleave_p_take(unsigned char *base, uint64_t *at, uint64_t count, size_t size) {
    void *taken = base ? base + *at : NULL;
    *at += (count * size + 15) & ~UINT64_C(15);
    return taken;
}

/* Lays everything out from base on. If base is NULL it only returns how many bytes that takes. */
static uint64_t interleave_p_layout(interleave *il, unsigned char *base, uint32_t runs,
                                    const interleave_config *config) {
    uint64_t at = 0, cells, width, window_max = config ? config->window_max : 0;
    double c = config ? config->c : 0;
    interleave_p_zero(il, sizeof *il);
    il->c = c > 0 ? (c > 1 ? 1 : c < .01 ? .01 : c) : .9;
    if (window_max == 0) window_max = UINT32_MAX;
    il->columns = interleave_bin(window_max < 1023 ? 1023 : window_max) + 1;
    width = interleave_bin_high(il->columns - 1) - interleave_bin_low(il->columns - 1) + 1;
    il->end = UINT64_MAX / width;                          /* until then no cell overflows */
    if (il->end < (UINT64_C(1) << 34) - 1) il->end = (UINT64_C(1) << 34) - 1;
    il->mark_max = il->columns - 1;
    il->run_max = runs;
    cells = 1 + (uint64_t)il->mark_max * (il->columns - 1);
    cells -= (uint64_t)il->mark_max * (il->mark_max - 1) / 2;
    il->marks   = (interleave_p_mark *)interleave_p_take(base, &at, il->mark_max,
                                                         sizeof *il->marks);
    il->cells   = (interleave_p_cell *)interleave_p_take(base, &at, cells, sizeof *il->cells);
    il->scratch = (interleave_p_cell *)interleave_p_take(base, &at, il->columns, sizeof *il->cells);
    il->table_bytes = (size_t)at;
    il->runs    = (interleave_p_run *)interleave_p_take(base, &at, runs, sizeof *il->runs);
    return at;
}

INTERLEAVE_API size_t interleave_bytes(const interleave_config *config, uint32_t runs) {
    interleave il;
    uint64_t bytes = interleave_p_layout(&il, NULL, runs < 64 ? 64 : runs, config) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

INTERLEAVE_API uint32_t interleave_init(interleave *il, void *memory, size_t bytes,
                                        const interleave_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, least = interleave_bytes(config, 64), runs;
    if (memory == NULL || bytes < least) {
        interleave_p_zero(il, sizeof *il);
        return 0;
    }
    runs = 64 + (bytes - least) / sizeof(interleave_p_run);
    if (runs > UINT32_C(1) << 30) runs = UINT32_C(1) << 30;
    interleave_p_layout(il, base + skip, (uint32_t)runs, config);
    interleave_p_zero(base + skip, il->table_bytes);
    return il->run_max;
}

/* ---- marks ---- */

/* Each low end F of a bin of counts has one mark, a time tau_F: windows that start at or before
   tau_F count as holding F accesses of thread 1 or more. Thread 1's accesses have the numbers 0, 1,
   2, ..., and X_F is the time of number (count so far - F). A window holds F or more exactly when
   it starts at or before X_F. No search is needed to find X_F, only the runs in which the numbers
   lie:

       accesses   b b b b a a a b b b b b a b a b b b        a: thread 0, b: thread 1
       numbers    0 1 2 3       4 5 6 7 8   9   10 ..
       runs [0: 4] [4: 5] [9: 1] [10: 3] first number: length, and its first time

   A mark may lag behind X_F until pending, the number of thread 1's accesses since it was moved,
   would be more than slack(F) = floor((F - 1) / c) - (F - 1). Then a window that is not counted as
   >= F holds at most (F - 1) / c, so counts are within [c, 1] of the truth. A mark moves exactly
   when the count reaches a multiple of its period, the largest power of two <= slack(F) + 1.

   Invariant after each run: tau_F falls as F grows. Powers of two nest, so whenever a mark moves
   all marks of smaller F with the same or a shorter period move as well, and the order needs no
   test.

   While a mark rests, its age (now - tau_F + 1) grows by one at each access. A rest adds the ages
   of one run to the row of F: for each bin their number and their sum. If thread 1 runs for long,
   mark and thread advance in step, and the same ages come again and again: one addition with a
   weight deals with them all.

   Full: runs that no window of interest reaches are dropped, and those before the largest mark if
   no larger mark can come. If that is not enough and c < 1, runs are thinned from new to old: a
   dropped run counts as the end of the run before it, which takes at most half of the slack of the
   marks that look there; the other half remains for their period. At c = 1 the largest mark is
   given up with its row. Cost: for c < 1 a few moves for each access of thread 1, for c = 1 one for
   each mark. */

/* The largest count that a window may have without being counted as >= low. */
static uint64_t interleave_p_slack(const interleave *il, uint64_t low) {
    if (il->c >= 1) return 0;
    return (uint64_t)((double)(low - 1) / il->c + 1e-9) - (low - 1);
}

static uint32_t interleave_p_period_log2(const interleave *il, uint64_t low) {
    uint64_t slack = interleave_p_slack(il, low);
    return interleave_p_log2((il->is_thinned ? slack - slack / 2 : slack) + 1);
}

/* Adds the ages x0..x1, `weight` times each, to a row. */
static void interleave_p_add_ages(interleave_p_cell *row, uint32_t columns, uint64_t x0,
                                  uint64_t x1, uint64_t weight) {
    uint32_t bin = interleave_bin(x0);
    for (; bin < columns && x0 <= x1; bin++) {
        uint64_t high = interleave_bin_high(bin), end = high < x1 ? high : x1;
        uint64_t length = end - x0 + 1;
        row[bin].count += weight * length;
        row[bin].sum += weight * (length * end - interleave_p_triangle(length - 1));
        x0 = end + 1;
    }
}

/* A rest of a mark has ended: its ages were x0..x1. Where threads take turns of one length, a mark
   has the same ages again and again. They go to the row once, with their weight. */
static inline void interleave_p_end_rest(const interleave *il, interleave_p_mark *mark, uint64_t x0,
                                         uint64_t x1) {
    if (x0 == mark->x0 && x1 == mark->x1) {
        mark->times++;
        return;
    }
    interleave_p_add_ages(il->cells + mark->row, il->columns, mark->x0, mark->x1, mark->times);
    mark->x0 = x0;
    mark->x1 = x1;
    mark->times = 1;
}

/* Drops the first `count` runs. All that marks need to know of them is that they are old. */
static void interleave_p_drop_runs(interleave *il, uint32_t count) {
    uint32_t i;
    if (count == 0) return;
    il->dropped_time = il->runs[count - 1].time + il->runs[count - 1].length - 1;
    for (i = count; i < il->run_count; i++) il->runs[i - count] = il->runs[i];
    il->run_count -= count;
    for (i = 0; i < il->mark_count; i++) {
        uint32_t cursor = il->marks[i].cursor;
        il->marks[i].cursor = cursor > count ? cursor - count : 0;
    }
}

/* Drops runs, from new to old, whose numbers may as well count as the end of the run before. The
   kept ones gather at the end; the two newest and the oldest always stay. */
static void interleave_p_thin_runs(interleave *il) {
    uint32_t i, w = il->run_count - 2;
    if (!il->is_thinned) {
        il->is_thinned = 1;
        for (i = 0; i < il->mark_count; i++)
            il->marks[i].period_log2 = interleave_p_period_log2(il, il->marks[i].low);
    }
    for (i = w; i-- > 0; ) {
        uint64_t first = il->runs[w].first, slack = interleave_p_slack(il, il->number - first);
        if (i > 0 && first - (il->runs[i - 1].first + il->runs[i - 1].length) <= slack / 2)
            continue;
        il->runs[--w] = il->runs[i];
    }
    for (i = w; i < il->run_count; i++) il->runs[i - w] = il->runs[i];
    il->run_count -= w;
    for (i = 0; i < il->mark_count; i++) {                 /* the last run that began by then */
        interleave_p_mark *mark = &il->marks[i];
        uint32_t low = 0, high = il->run_count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (il->runs[middle].time <= mark->since) low = middle;
            else high = middle;
        }
        mark->cursor = low;
    }
}

static void interleave_p_make_room(interleave *il) {
    uint64_t longest = interleave_bin_high(il->columns - 1);
    uint32_t old = 0, b;
    while (old + 1 < il->run_count &&
           il->runs[old].time + il->runs[old].length - 1 + longest <= il->now) old++;
    if (il->mark_count == il->mark_max && old < il->marks[il->mark_count - 1].cursor)
        old = il->marks[il->mark_count - 1].cursor;
    interleave_p_drop_runs(il, old);
    if (il->run_count == il->run_max && il->c < 1) interleave_p_thin_runs(il);
    while (il->run_count == il->run_max && il->mark_count > 1) {
        interleave_p_mark *largest = &il->marks[--il->mark_count];
        for (b = il->mark_count + 1; b < il->columns; b++)
            il->cells[largest->row + b].count = il->cells[largest->row + b].sum = 0;
        il->mark_max = il->mark_count;
        il->flags |= INTERLEAVE_FULL;
        interleave_p_drop_runs(il, il->marks[il->mark_count - 1].cursor);
    }
    if (il->run_count == il->run_max) interleave_p_drop_runs(il, il->run_count - 1);
}

/* Makes the marks that are due once thread 1 has made so many accesses. `time` and `number` are
   those before its run. A new mark starts at number 0. */
static void interleave_p_add_marks(interleave *il, uint64_t time, uint64_t number) {
    uint32_t j;
    for (j = il->mark_count; j < il->mark_max; j++) {
        interleave_p_mark *mark = &il->marks[j];
        mark->low = interleave_bin_low(j + 1);
        if (mark->low > il->number) return;
        mark->since = il->runs[0].first == 0 ? il->runs[0].time : il->dropped_time;
        mark->from = mark->born = time + mark->low - number;
        mark->period_log2 = interleave_p_period_log2(il, mark->low);
        mark->cursor = mark->stride = 0;
        mark->row = j * (il->columns - 1) - j * (j + 1) / 2;
        il->mark_count = j + 1;
    }
}

/* Moves a mark to number x at time now. Returns how many numbers of its run come after x. */
static inline uint64_t interleave_p_step(interleave *il, interleave_p_mark *mark, uint64_t x,
                                         uint64_t now) {
    const interleave_p_run *runs = il->runs, *run;
    uint32_t cursor = mark->cursor, guess = cursor + mark->stride;
    uint64_t at;
    if (now > mark->from)
        interleave_p_end_rest(il, mark, mark->from - mark->since + 1, now - mark->since);
    mark->from = now;
    if (guess < il->run_count && runs[guess].first <= x) cursor = guess;
    while (x - runs[cursor].first >= runs[cursor].length) {
        if (cursor + 1 == il->run_count || runs[cursor + 1].first > x) break;
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
    mark->since = x < run->first ? il->dropped_time : run->time + run->length - 1;
    return 0;
}

/* Moves a mark at each multiple t of its period up to `end`, the count of thread 1 by now. */
static void interleave_p_move_mark(interleave *il, interleave_p_mark *mark, uint64_t t,
                                   uint64_t end, uint64_t time, uint64_t number) {
    uint64_t period = UINT64_C(1) << mark->period_log2, steps, more;
    for (; t <= end; t += period) {
        uint64_t now = time + t - number;
        steps = interleave_p_step(il, mark, t - mark->low, now) >> mark->period_log2;
        more = (end - t) >> mark->period_log2;             /* in step with the thread */
        if (more < steps) steps = more;
        if (steps == 0) continue;
        now -= mark->since;
        interleave_p_add_ages(il->cells + mark->row, il->columns, now + 1, now + period, steps);
        mark->since += steps << mark->period_log2;
        mark->from += steps << mark->period_log2;
        t += steps << mark->period_log2;
    }
}

INTERLEAVE_API void interleave_run(interleave *il, int thread, uint64_t count) {
    uint64_t time = il->now, number = il->number, most = il->end - il->now, end, t;
    interleave_p_mark *mark, *last;
    uint32_t old;
    INTERLEAVE_ASSERT(thread == 0 || thread == 1);
    if (count > most) {
        il->flags |= INTERLEAVE_ENDED;
        il->lost = interleave_p_sat_add(il->lost, count - most);
        count = most;
    }
    if (count == 0) return;
    if (thread == 0) {
        il->now += count;
        il->is_joined = 0;
        return;
    }
    if (!il->is_joined) {
        interleave_p_run *run;
        if (il->run_count == il->run_max) interleave_p_make_room(il);
        run = &il->runs[il->run_count++];
        run->first = number;
        run->time = time + 1;
        run->length = 0;
    }
    il->runs[il->run_count - 1].length += count;
    il->is_joined = 1;
    il->now += count;
    il->number += count;
    old = il->mark_count;
    interleave_p_add_marks(il, time, number);
    end = il->number;
    for (mark = il->marks, last = mark + old; mark < last; mark++) {
        t = ((number >> mark->period_log2) + 1) << mark->period_log2;
        if (t > end) break;                                /* no larger one is due */
        if ((end - t) >> mark->period_log2 == 0)           /* it moves once */
            interleave_p_step(il, mark, t - mark->low, time + t - number);
        else interleave_p_move_mark(il, mark, t, end, time, number);
    }
    for (mark = last, last = il->marks + il->mark_count; mark < last; mark++) {
        t = ((mark->low >> mark->period_log2) + 1) << mark->period_log2;
        interleave_p_move_mark(il, mark, t, end, time, number);
    }
}

/* ---- answers ---- */

INTERLEAVE_API void interleave_get_stats(const interleave *il, interleave_stats *out) {
    out->accesses = il->now;
    out->accesses_of_1 = il->number;
    out->lost = il->lost;
    out->accesses_max = il->end;
    out->flags = il->flags;
}

INTERLEAVE_API uint64_t interleave_mark_time(const interleave *il, uint32_t bin) {
    if (bin == 0) return il->now;
    return bin <= il->mark_count ? il->marks[bin - 1].since : 0;
}

/* Turns a row of ages into windows. A window of length w is counted at every access at which the
   age is w or less. For lengths low..limit of a bin, the ages of the bins below (`open` many) count
   at each length, and an age x of this bin at limit - x + 1 lengths. This also counts lengths w > i
   at an access i, though such windows would start before access 1: `early` of them, w - born for
   each w > born. */
static void interleave_p_add_row(const interleave_p_cell *row, uint64_t now, uint64_t born,
                                 uint64_t *windows, uint32_t columns) {
    uint64_t open = 0;
    uint32_t b;
    for (b = 1; b < columns && interleave_bin_low(b) <= now; b++) {
        uint64_t low = interleave_bin_low(b), high = interleave_bin_high(b);
        uint64_t limit = high < now ? high : now, from = low > born ? low : born + 1, early = 0;
        if (limit > born) {
            early = (limit - from + 1) * (from - born);
            early += interleave_p_triangle(limit - from);
        }
        windows[b] += (limit - low + 1) * open + row[b].count * (limit + 1) - row[b].sum - early;
        open += row[b].count;
    }
}

INTERLEAVE_API size_t interleave_snapshot_bytes(const interleave *il) {
    uint64_t bytes = (il->mark_count + UINT64_C(1)) * il->columns * sizeof(uint64_t) + 7;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

INTERLEAVE_API int interleave_snapshot(const interleave *il, interleave_profile *profile,
                                       void *memory, size_t bytes) {
    uint32_t b, j;
    interleave_p_zero(profile, sizeof *profile);
    if (!memory || bytes < interleave_snapshot_bytes(il)) return -1;
    interleave_p_zero(memory, interleave_snapshot_bytes(il));
    memory = (unsigned char *)memory + ((size_t)(0 - (uintptr_t)memory) & 7);
    profile->at_least = (uint64_t *)memory;
    profile->rows = il->mark_count + 1;
    profile->columns = il->columns;
    profile->accesses = il->now;
    profile->accesses_of_1 = il->number;
    profile->c = il->c;
    profile->flags = il->flags;
    for (b = 1; b < il->columns; b++) profile->at_least[b] = interleave_p_windows(il->now, b);
    for (j = 0; j < il->mark_count; j++) {
        const interleave_p_mark *mark = &il->marks[j];
        interleave_p_zero(il->scratch, il->columns * sizeof *il->scratch);
        for (b = j + 1; b < il->columns; b++) il->scratch[b] = il->cells[mark->row + b];
        interleave_p_add_ages(il->scratch, il->columns, mark->x0, mark->x1, mark->times);
        if (mark->from <= il->now)                         /* the rest under way ends here */
            interleave_p_add_ages(il->scratch, il->columns, mark->from - mark->since + 1,
                                  il->now - mark->since + 1, 1);
        interleave_p_add_row(il->scratch, il->now, mark->born,
                             profile->at_least + (j + 1) * (size_t)il->columns, il->columns);
    }
    return 0;
}

INTERLEAVE_API int interleave_subtract(interleave_profile *later,
                                       const interleave_profile *earlier) {
    uint32_t row, column;
    if (later->rows < earlier->rows || later->columns != earlier->columns) return -1;
    if (later->accesses < earlier->accesses) return -1;
    for (row = 0; row < earlier->rows; row++) {
        for (column = 0; column < later->columns; column++) {
            size_t cell = row * (size_t)later->columns + column;
            later->at_least[cell] -= earlier->at_least[cell];
        }
    }
    later->accesses -= earlier->accesses;
    later->accesses_of_1 -= earlier->accesses_of_1;
    later->flags |= INTERLEAVE_DIFFERENCE;
    return 0;
}

INTERLEAVE_API uint64_t interleave_at_least(const interleave_profile *p, uint32_t window_bin,
                                            uint32_t bin) {
    if (bin >= p->rows || window_bin >= p->columns) return 0;
    return p->at_least[(size_t)bin * p->columns + window_bin];
}

INTERLEAVE_API uint64_t interleave_windows(const interleave_profile *p, uint32_t window_bin) {
    return interleave_at_least(p, window_bin, 0);
}

INTERLEAVE_API uint32_t interleave_percentile(const interleave_profile *p, uint32_t window_bin,
                                              uint32_t percent) {
    uint64_t all = interleave_windows(p, window_bin), rank;
    uint32_t bin = 0;
    if (all == 0) return UINT32_MAX;
    if (percent > 100) percent = 100;
    rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    if (rank == 0) rank = 1;
    while (all - interleave_at_least(p, window_bin, bin + 1) < rank) bin++;
    return bin;
}

/* ---- dump ---- */

#ifndef INTERLEAVE_NO_FILES
INTERLEAVE_API int interleave_write(const interleave_profile *p, const char *name,
                                    int (*write)(void *user, const void *data, size_t size),
                                    void *user) {
    interleave_p_out out;
    uint32_t row, column;
    size_t size = 0;
    interleave_p_put_begin(&out, 3, write, user);
    while (name && name[size]) size++;
    interleave_p_put_varint(&out, size);
    interleave_p_put(&out, name, size);
    interleave_p_put_varint(&out, p->flags | 16);          /* 16: two threads */
    interleave_p_put_varint(&out, 0);
    interleave_p_put_varint(&out, 0);
    interleave_p_put_varint(&out, (uint64_t)(p->c * 1e9 + .5));
    interleave_p_put_varint(&out, p->accesses);
    interleave_p_put_varint(&out, p->accesses_of_1);
    for (row = 0; row < 3; row++) interleave_p_put_varint(&out, 0);    /* forgotten, last window */
    interleave_p_put_varint(&out, p->rows);
    interleave_p_put_varint(&out, p->columns);
    for (row = 0; row < p->rows; row++) interleave_p_put_varint(&out, 0);  /* no stack distances */
    for (column = 0; column < p->columns; column++) {
        uint32_t first = 0, last = 0;
        for (row = 0; row < p->rows; row++) {
            if (interleave_at_least(p, column, row) == interleave_at_least(p, column, row + 1))
                continue;
            if (last == 0) first = row;
            last = row + 1;
        }
        for (row = 0; row < 3; row++) interleave_p_put_varint(&out, 0);    /* no average */
        interleave_p_put_varint(&out, first);
        interleave_p_put_varint(&out, last - first);
        for (row = first; row < last; row++)
            interleave_p_put_varint(&out, interleave_at_least(p, column, row) -
                                          interleave_at_least(p, column, row + 1));
    }
    return interleave_p_put_end(&out) ? -1 : 0;
}
#endif

#endif /* INTERLEAVE_IMPLEMENTATION */

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
