/* footprint_check.c - the marks of footprint.h beside a true LRU list. */
#include "lab/footprint_check.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

const uint32_t check_percents[CHECK_CURVES] = {0, 5, 50, 95, 100};

/* The largest footprint that a window may have without being counted as >=
   low. */
static uint64_t reach(double c, uint64_t low) {
    return c >= 1 ? low - 1 : (uint64_t)((double)(low - 1) / c + 1e-9);
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t number_of(const uint64_t *depth, uint32_t count, uint64_t value) {
    const void *found = bsearch(&value, depth, count, sizeof *depth, by_value);
    return (uint32_t)((const uint64_t *)found - depth);
}

void check_start(footprint_check *k, double c, uint64_t window_max) {
    uint64_t depth[1000];
    uint32_t count = 0, unique = 0, b;
    memset(k, 0, sizeof *k);
    k->must_agree = c >= 1;
    k->window_max = footprint_bin_high(footprint_bin(window_max ? window_max : UINT32_MAX));
    if (k->window_max < 1023) k->window_max = 1023;
    k->bins = footprint_bin(UINT64_C(1) << 31);
    for (b = 1; b < k->bins; b++) {
        depth[count++] = footprint_bin_low(b);
        depth[count++] = reach(c, footprint_bin_low(b)) + 1;
    }
    qsort(depth, count, sizeof *depth, by_value);
    for (b = 0; b < count; b++) {
        if (b == 0 || depth[b] != depth[unique - 1]) depth[unique++] = depth[b];
    }
    k->at = (uint32_t *)tool_alloc(k->bins * sizeof *k->at);
    k->reach = (uint32_t *)tool_alloc(k->bins * sizeof *k->reach);
    for (b = 1; b < k->bins; b++) {
        k->at[b] = number_of(depth, unique, footprint_bin_low(b));
        k->reach[b] = number_of(depth, unique, reach(c, footprint_bin_low(b)) + 1);
    }
    exact_start(&k->exact, depth, unique);
}

/* Windows are nested by their starts, so two times tell how many are counted
   wrongly. An access to a block at depth d changes nothing below that depth: of
   deeper marks only one access in 64 looks whether they stayed.
   At c = 1 the tables must agree to the last window in the end, so marks at one
   access in 64 are enough. To ask for a mark makes footprint.h count what it had
   put off, which would be most of the time. */
void check_access(footprint_check *k, footprint *fp, uint64_t now, uint64_t block) {
    /* windows from there on are too long */
    uint64_t far = now > k->window_max ? now - k->window_max : 0;
    uint32_t b;
    exact_access(&k->exact, block);
    if (k->must_agree && now % 64) return;
    for (b = 1; b < k->bins; b++) {
        uint64_t since = footprint_mark_time(fp, b), least = exact_time(&k->exact, k->reach[b]);
        uint64_t most = exact_time(&k->exact, k->at[b]);
        if (since > most) k->too_large += since - most;
        if (since < far) since = far;
        if (since < least) k->too_small += least - since;
        if (most <= far || (k->at[b] > k->exact.moved && now % 64)) break;
    }
}

static uint32_t exact_percentile(const footprint_check *k, uint32_t column, uint64_t all,
                                 uint32_t percent) {
    uint64_t rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    uint32_t bin = 0;
    if (rank == 0) rank = 1;
    for (;; bin++) {
        uint64_t above = bin + 1 < k->bins ? exact_at_least(&k->exact, k->at[bin + 1], column) : 0;
        if (all - above >= rank) return bin;
    }
}

static double middle(uint32_t bin) {
    uint64_t low = footprint_bin_low(bin), high = footprint_bin_high(bin);
    return ((double)low + (double)high) / 2;
}

static double distance(double a, double b) { return a > b ? a - b : b - a; }

/* Compares percentiles at the middles of bins, where a reader of the curves sees them. */
static void compare_percentiles(footprint_check *k, const footprint_profile *p) {
    uint32_t column, i, columns = 0;
    for (column = 1; column < p->columns && footprint_windows(p, column); column++, columns++) {
        uint64_t all = footprint_windows(p, column);
        for (i = 0; i < CHECK_CURVES; i++) {
            double is = middle(footprint_percentile(p, column, check_percents[i]));
            double was = middle(exact_percentile(k, column, all, check_percents[i]));
            if (was > 0) k->percentile_error[i] += distance(is, was) / was;
        }
    }
    for (i = 0; i < CHECK_CURVES && columns; i++) k->percentile_error[i] /= columns;
}

static void compare_misses(footprint_check *k, const footprint_profile *p) {
    uint64_t below = 0, misses = k->exact.cold, misses_got = p->blocks;
    uint32_t row, i;
    for (i = 0; i <= k->exact.depth_count; i++) misses += k->exact.reuse[i];
    for (row = 0; row < p->rows; row++) misses_got += p->depth[row];
    /* a cache of high(row) blocks */
    for (row = 1, i = 0; row + 1 < p->rows && p->accesses; row++) {
        misses_got -= p->depth[row];
        /* those that are not at low(row + 1) or deeper */
        for (; i <= k->at[row + 1]; i++) below += k->exact.reuse[i];
        k->miss_error += distance((double)misses_got, (double)(misses - below)) /
                         (double)p->accesses / (p->rows - 2);
    }
}

void check_end(footprint_check *k, const footprint_profile *p) {
    uint32_t row, column;
    for (column = 1; column < p->columns && footprint_windows(p, column); column++) {
        for (row = 1; row < p->rows; row++, k->cells++) {
            uint64_t exact = exact_at_least(&k->exact, k->at[row], column);
            k->cells_wrong += footprint_at_least(p, column, row) != exact;
        }
    }
    compare_percentiles(k, p);
    compare_misses(k, p);
    exact_free(&k->exact);
    free(k->at);
    free(k->reach);
}

int check_failed(const footprint_check *k) {
    return k->too_large || k->too_small || (k->must_agree && k->cells_wrong);
}

uint64_t check_pair(const footprint_pair *pair, double c, const uint64_t *times,
                    uint64_t number) {
    uint64_t wrong = 0;
    uint32_t b;
    for (b = 1; footprint_bin_low(b) <= number; b++) {
        uint64_t F = footprint_bin_low(b), K = reach(c, F);
        uint64_t since = footprint_pair_mark_time(pair, b);
        uint64_t most = times[number - F], least = K + 1 <= number ? times[number - K - 1] : 0;
        if (since == 0) break;                    /* given up: an open bin */
        if (since > most) wrong += since - most;
        if (since < least) wrong += least - since;
    }
    return wrong;
}
