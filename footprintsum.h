/* footprintsum.h - v0.2.0 - sums and phases of footprint.h's profiles - MIT, text at end of file

   example:
       #define FOOTPRINT_IMPLEMENTATION
       #include "footprint.h"
       #define FOOTPRINTSUM_IMPLEMENTATION
       #include "footprintsum.h"
       #include <stdio.h>
       static uint64_t memory[200000], table[200000], table2[200000];
       static unsigned median(const footprint_profile *p) {
           return (unsigned)footprint_bin_high(footprint_percentile(p, footprint_bin(1000), 50));
       }
       int main(void) {
           footprint fp;
           footprint_profile first, second;
           uint64_t i;
           if (footprint_init(&fp, memory, sizeof memory, NULL) == 0) return 1;
           for (i = 0; i < 40000; i++) footprint_access(&fp, i % 5000);
           if (footprint_snapshot(&fp, &first, table, sizeof table) != 0) return 1;
           for (i = 0; i < 40000; i++) footprint_access(&fp, i % 100);
           if (footprint_snapshot(&fp, &second, table2, sizeof table2) != 0) return 1;
           if (footprint_subtract(&second, &first) != 0) return 1;
           printf("Half of the windows of 1000 accesses touch at most %u blocks, then %u.\n",
                  median(&first), median(&second));
           return 0;
       }
   end of example.

   A profile is a table of counts of windows. Those of several threads or runs can be added up, and
   the one of a phase is the difference of two snapshots.

   STEP BY STEP
   1. Include footprint.h and then this header. In one C or C++ file define
      FOOTPRINTSUM_IMPLEMENTATION.
   2. A sum: footprint_profile_init makes an empty profile in memory of yours, with as many rows and
      columns as the largest profile has. footprint_add adds to it, as often as you like.
   3. A phase: take a footprint_snapshot where it begins and another where it ends.
      footprint_subtract takes the first one out of the second one.
   4. Read and write the result as any other footprint_profile.

   PROMISES
   - What the profiles guarantee holds for the result: c is the least one of those added up.
   - A sum stays at the greatest number, and FOOTPRINT_SATURATED in the profile says so.
   - The header takes no memory. It does not abort, print or keep globals.

   THREADS
     Functions read and write nothing but their two profiles.

   OPTIONS
     FOOTPRINTSUM_STATIC  in every file: makes everything static, for a single file

   COST
     A few instructions for each row and column of the smaller profile. */

#ifndef FOOTPRINTSUM_H
#define FOOTPRINTSUM_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define FOOTPRINTSUM_P_UNUSED __attribute__((unused))
#else
#define FOOTPRINTSUM_P_UNUSED
#endif

#ifdef FOOTPRINTSUM_STATIC
#define FOOTPRINTSUM_API FOOTPRINTSUM_P_UNUSED static
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define FOOTPRINTSUM_API extern __attribute__((visibility("hidden")))
#else
#define FOOTPRINTSUM_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef FOOTPRINT_H
/* Adds all windows of another profile. No window of the sum spans both.
   Returns 0, or -1 if `into` has too few rows or columns, or only one of them is interleaved. */
FOOTPRINTSUM_API int footprint_add(footprint_profile *into, const footprint_profile *other);
/* Leaves in `later` the windows that ended after `earlier`, a snapshot of the same footprint.
   Returns 0, or -1 if `earlier` is not earlier. */
FOOTPRINTSUM_API int footprint_subtract(footprint_profile *later,
                                        const footprint_profile *earlier);
#endif

#ifdef __cplusplus
}
#endif
#endif /* FOOTPRINTSUM_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(FOOTPRINTSUM_IMPLEMENTATION) && !defined(FOOTPRINTSUM_IMPLEMENTED)
#define FOOTPRINTSUM_IMPLEMENTED

#ifdef FOOTPRINT_H

/* [shared: sat_add] */
static uint64_t footprintsum_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

/* [shared: wide] Sums of 128 bits; they may pass below 0 in between. */
typedef struct footprintsum_p_wide { uint64_t low, high; } footprintsum_p_wide;

static void footprintsum_p_wide_add(uint64_t *low, uint64_t *high, uint64_t add_low,
                                    uint64_t add_high) {
    *low += add_low;
    *high += add_high + (*low < add_low);
}

static void footprintsum_p_wide_less(uint64_t *low, uint64_t *high, uint64_t less_low,
                                     uint64_t less_high) {
    *high -= less_high + (*low < less_low);
    *low -= less_low;
}

/* b may be negative. */
static footprintsum_p_wide footprintsum_p_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t middle2 = a0 * b1 + (middle & UINT32_MAX);
    footprintsum_p_wide product;
    product.low = a * b;
    product.high = a1 * b1 + (middle >> 32) + (middle2 >> 32) - (b >> 63 ? a : 0);
    return product;
}
/* [end shared] */

/* [shared: bound_total] Bounds an estimate: a window of w accesses touches 1 to w blocks, and no
   more than all. */
static void footprintsum_p_bound_total(footprint_total *total, uint64_t w, uint64_t blocks) {
    footprintsum_p_wide most = footprintsum_p_product(w < blocks ? w : blocks, total->windows);
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

static void footprintsum_p_saturate(footprint_profile *p, uint64_t *sum, uint64_t add) {
    *sum = footprintsum_p_sat_add(*sum, add);
    if (*sum == UINT64_MAX) p->flags |= FOOTPRINT_SATURATED;
}

FOOTPRINTSUM_API int footprint_add(footprint_profile *into, const footprint_profile *other) {
    uint32_t row, column;
    int empty = into->accesses == 0;
    if (into->rows < other->rows || into->columns < other->columns) return -1;
    if (!empty && (into->flags ^ other->flags) & FOOTPRINT_INTERLEAVED) return -1;
    for (column = 0; column < other->columns; column++) {
        footprint_total *to = &into->total[column];
        const footprint_total *from = &other->total[column];
        for (row = 0; row < other->rows; row++)
            footprintsum_p_saturate(into, &into->at_least[row * (size_t)into->columns + column],
                                    other->at_least[row * (size_t)other->columns + column]);
        footprintsum_p_saturate(into, &to->windows, from->windows);
        footprintsum_p_wide_add(&to->low, &to->high, from->low, from->high);
    }
    for (row = 0; row < other->rows; row++)
        footprintsum_p_saturate(into, &into->depth[row], other->depth[row]);
    footprintsum_p_saturate(into, &into->accesses, other->accesses);
    footprintsum_p_saturate(into, &into->blocks, other->blocks);
    footprintsum_p_saturate(into, &into->forgotten, other->forgotten);
    if (other->c < into->c) into->c = other->c;
    if (other->sample_log2 > into->sample_log2) into->sample_log2 = other->sample_log2;
    into->block_log2 = other->block_log2;
    into->flags |= other->flags;
    into->last_window = empty ? other->last_window : 0;
    into->last_blocks = empty ? other->last_blocks : 0;
    return 0;
}

FOOTPRINTSUM_API int footprint_subtract(footprint_profile *later,
                                        const footprint_profile *earlier) {
    uint32_t row, column;
    if (later->rows < earlier->rows || later->columns != earlier->columns) return -1;
    if (later->accesses < earlier->accesses) return -1;
    for (column = 0; column < later->columns; column++) {
        footprint_total *from = &later->total[column];
        const footprint_total *less = &earlier->total[column];
        for (row = 0; row < earlier->rows; row++)
            later->at_least[row * (size_t)later->columns + column] -=
                earlier->at_least[row * (size_t)later->columns + column];
        from->windows -= less->windows;
        footprintsum_p_wide_less(&from->low, &from->high, less->low, less->high);
        if (later->flags & FOOTPRINT_FULL)                 /* blocks: also those of before */
            footprintsum_p_bound_total(from, footprint_bin_high(column), later->blocks);
    }
    for (row = 0; row < earlier->rows; row++) later->depth[row] -= earlier->depth[row];
    later->accesses -= earlier->accesses;
    later->blocks -= earlier->blocks;
    later->forgotten -= earlier->forgotten;
    later->last_window = later->last_blocks = 0;
    later->flags |= FOOTPRINT_DIFFERENCE;
    return 0;
}
#endif
#endif /* FOOTPRINTSUM_IMPLEMENTATION */

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
