/* ---- averages, from gaps ---- */

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
