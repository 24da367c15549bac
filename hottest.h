/* hottest.h - v0.2.0 - the hottest rows of bursty.h, in the program - MIT, text at end of file

   example:
       #define BURSTY_IMPLEMENTATION
       #include "bursty.h"
       #define HOTTEST_IMPLEMENTATION
       #include "hottest.h"
       #include <stdio.h>
       static void leaf(void) { BURST_ENTRY(); }
       int main(void) {
           bursty_row row[4];
           size_t i, n;
           bursty_start(NULL);
           for (i = 0; i < 1000000; i++) leaf();
           n = bursty_top(row, 4, 0);
           for (i = 0; i < n; i++) {
               printf("%s %.0f\n", row[i].site->name, (double)row[i].weight / 256);
           }
           return 0;
       }
   end of example.

   STEP BY STEP
   1. Include bursty.h and then this header. In one C or C++ file define HOTTEST_IMPLEMENTATION.
   2. Call bursty_top, for an overlay as often as every frame. `bursty report` shows the same
      rows, and more, of a dump. Weights are sums since bursty_start or bursty_clear: for "now",
      clear from time to time. Functions, loops, points and references share the list; site->kind
      tells which a row is.
   3. row.ticks is the time that burstclock.h measures inside bursts; without it, 0. The ticks of
      ticks.h are charged to stacks of scopes, and stand in the dump.

   PROMISES
     - It takes no memory but 3 kB of stack, and no lock. Rows that other threads count at the same
       time may be some events old.

   THREADS
     Any thread may call it.

   OPTIONS
     HOTTEST_STATIC      in every file: makes everything static, for a single file

   COST
     For r rows of the table, with g different sites or pairs: r * (g / 64 + 1) steps of some 20
     instructions. bursty.h's own memory has 730 rows: some 0.1 ms. */

#ifndef HOTTEST_H
#define HOTTEST_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define HOTTEST_P_UNUSED __attribute__((unused))
#else
#define HOTTEST_P_UNUSED
#endif

#ifdef HOTTEST_STATIC
#define HOTTEST_API HOTTEST_P_UNUSED static
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define HOTTEST_API extern __attribute__((visibility("hidden")))
#else
#define HOTTEST_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(BURSTY_H) && defined(BURSTY_OFF)
HOTTEST_P_UNUSED static inline size_t bursty_top(bursty_row *rows, size_t max, int pairs) {
    return (void)rows, (void)max, (void)pairs, 0;
}
#elif defined(BURSTY_H) && !defined(BURSTY_TINY)
/* Fills rows[0..max) with the hottest sites, largest weight first, summed over all threads.
   pairs = 0: one row for each site. A loop is a site of its own; site->kind tells.
   pairs = 1: one row for each pair of calls (caller, site).
   Returns how many rows were filled. */
HOTTEST_API size_t bursty_top(bursty_row *rows, size_t max, int pairs);
#endif

#ifdef __cplusplus
}
#endif
#endif /* HOTTEST_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(HOTTEST_IMPLEMENTATION) && !defined(HOTTEST_IMPLEMENTED)
#define HOTTEST_IMPLEMENTED

#if defined(BURSTY_H) && !defined(BURSTY_OFF) && !defined(BURSTY_TINY)

/* The table has several rows for one site: one for each thread and caller. They are summed up in
   batches, by key (site, caller), with no more memory than a batch:

       keys     a < b < c < d < e < f < g      a batch of 3: walk 1 sums a b c, walk 2 d e f, ...
       walk 2   after = c   [d 5] [f 2] [g 1]  e comes: [d 5] [e 1] [f 2], and g waits for walk 3

   Invariant: a batch holds the smallest keys above `after` that the walk has met, each with all of
   its rows so far. A key that was pushed out is larger than all that stay, so it does not come back
   in this walk. */

enum { HOTTEST_P_BATCH = 64 };

typedef struct hottest_p_batch {
    bursty_row row[HOTTEST_P_BATCH], after; /* after.site NULL: the first walk */
    size_t used;
    int pairs;
} hottest_p_batch;

/* Any order of keys. */
static int hottest_p_compare(const bursty_row *a, const bursty_row *b) {
    if (a->site != b->site) return (uintptr_t)a->site < (uintptr_t)b->site ? -1 : 1;
    if (a->caller != b->caller) return (uintptr_t)a->caller < (uintptr_t)b->caller ? -1 : 1;
    return 0;
}

static uint64_t hottest_p_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

static void hottest_p_visit(void *user, const bursty_row *row) {
    hottest_p_batch *batch = (hottest_p_batch *)user;
    bursty_row add = *row;
    size_t low = 0, high = batch->used, k;
    if (batch->pairs && !(row->caller && (row->site->kind & BURSTY_CALL))) return;
    if (!batch->pairs) add.caller = NULL;
    if (batch->after.site && hottest_p_compare(&add, &batch->after) <= 0) return;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = hottest_p_compare(&add, &batch->row[middle]);
        if (order == 0) {
            bursty_row *sum = &batch->row[middle];
            sum->count = hottest_p_add(sum->count, add.count);
            sum->weight = hottest_p_add(sum->weight, add.weight);
            sum->ticks = hottest_p_add(sum->ticks, add.ticks);
            return;
        }
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    if (low == HOTTEST_P_BATCH) return;
    if (batch->used < HOTTEST_P_BATCH) batch->used++;
    for (k = batch->used - 1; k > low; k--) batch->row[k] = batch->row[k - 1];
    batch->row[low] = add;
}

/* Puts row into best[0..filled), hottest first. Returns the new number of rows, at most max. */
static size_t hottest_p_keep(bursty_row *best, size_t filled, size_t max, const bursty_row *row) {
    size_t k = filled;
    for (; k > 0; k--) {
        const bursty_row *above = &best[k - 1];
        if (row->weight < above->weight) break;
        if (row->weight == above->weight && row->ticks <= above->ticks) break;
        if (k < max) best[k] = *above;
    }
    if (k < max) best[k] = *row;
    return filled < max ? filled + 1 : max;
}

HOTTEST_API size_t bursty_top(bursty_row *rows, size_t max, int pairs) {
    hottest_p_batch batch;
    size_t filled = 0, k;
    batch.after.site = NULL;
    batch.pairs = pairs;
    do {
        batch.used = 0;
        bursty_each(hottest_p_visit, &batch);
        for (k = 0; k < batch.used; k++) filled = hottest_p_keep(rows, filled, max, &batch.row[k]);
        if (batch.used) batch.after = batch.row[batch.used - 1];
    } while (batch.used == HOTTEST_P_BATCH);
    return filled;
}
#endif
#endif /* HOTTEST_IMPLEMENTATION */

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
