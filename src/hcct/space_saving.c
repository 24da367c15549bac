/* ---- Space-Saving (section 4.1) ---- */

/* M contexts have a count. One that arrives and has none starts at count = base
   + w with error = base - kept: it may have had up to base before, of which
   `kept` is certain. When M have a count, the smallest must go first, and base
   is raised to it.

   The paper evicts one context at a time. Here a sweep evicts all that have the
   smallest count, T. The estimate max(count, base) of any context is the same;
   the paper's forms merely evict a context with the smallest count later.

   base = floor + lost: weight for which the arena had no place may all belong
   to one context that is not stored. Only sweeps raise the floor. Let S be the
   sum of max(0, count - base) over the counted contexts. Then

       M floor + S <= N - lost

   holds as long as no context is forced out for space. What is counted adds at
   most w to S and w to N. A loss of w adds to N and to lost alike; it raises
   base, and so only lowers S. A sweep raises the floor only if the smallest
   count T is above base, by d = T - base, and takes d from each of M. So floor
   <= (N - lost) / M. Without losses that is base <= N / M; with losses base <=
   (N - lost) / M + lost. When the arena is full and contexts are forced out,
   fewer than M may pay for d, and no bound is known beforehand.
   hcct_stats.bound_of_absent is base, which is right in each case.

   Bounds are of the weight that the tree was offered. Calls that a recorder
   left out before (callpaths_stats.lost) may belong to any context: each may
   have had so many more.

   Cost: a sweep uses up M units of weight and visits the nodes twice: 2 used / M
   visits per unit.

   Weights above 1 make minima unique: a sweep for a single context would not
   pay. So when a sweep evicts fewer than M / 64, T becomes the lower quartile
   of a sample of the counts from then on. This costs a floor of up to 4 (N -
   lost) / (3 M), and 8 used / M visits per eviction. */

/* What to evict by: the count, or, of leaves that may be freed, the upper
   bound. Free and cold nodes and other leaves have the largest one. */
HCCT_P_INLINE uint64_t hcct_p_rank(const hcct *t, uint32_t i, int leaves) {
    if (leaves && !hcct_p_prunable(t, i)) return HCCT_P_NONE;
    return hcct_p_saving(t) ? *hcct_p_count(t, i) : hcct_p_lossy_upper(t, i);
}

/* The smallest, or the first that is small enough. */
static uint64_t hcct_p_smallest(hcct *t, int leaves, uint64_t enough) {
    uint64_t smallest = HCCT_P_NONE, x;
    uint32_t i;
    for (i = 1; i < t->used && smallest > enough; i++) {
        x = hcct_p_rank(t, i, leaves);
        if (x < smallest) smallest = x;
    }
    t->stats.visits += i;
    return smallest;
}

/* The value at 1 / share of up to HCCT_SAMPLE of them, taken at even
   distances. */
static uint64_t hcct_p_quantile(const hcct *t, int leaves, uint32_t share) {
    uint64_t sample[HCCT_SAMPLE], x;
    uint32_t step = t->used / HCCT_SAMPLE + 1, n = 0, i, k, gap;
    for (i = 1; i < t->used && n < HCCT_SAMPLE; i += step) {
        x = hcct_p_rank(t, i, leaves);
        if (x != HCCT_P_NONE) sample[n++] = x;
    }
    for (gap = HCCT_SAMPLE / 2; gap; gap /= 2) { /* Shell sort: no memory, no recursion */
        for (i = gap; i < n; i++) {
            x = sample[i];
            for (k = i; k >= gap && sample[k - gap] > x; k -= gap) sample[k] = sample[k - gap];
            sample[k] = x;
        }
    }
    return n ? sample[n / share] : 0;
}

static void hcct_p_purge(hcct *t) {
    uint64_t before = t->stats.evictions, base = hcct_p_base(t), T = 0;
    if (t->stats.purges_quarters) T = hcct_p_quantile(t, 0, 4);
    /* All counts stand above base since the last sweep, so base + 1 is small
       enough. Counts stop below HCCT_P_NONE, and so does what is enough. */
    if (T == 0) T = hcct_p_smallest(t, 0, base < HCCT_P_NONE - 1 ? base + 1 : HCCT_P_NONE - 1);
    hcct_p_sweep(t, T);
    if (t->stats.weighted && t->stats.evictions - before < t->stats.monitored_max / 64) {
        t->stats.purges_quarters = 1;
    }
}

/* i, cold so far, is counted from now on. */
static void hcct_p_take_over(hcct *t, uint32_t i, uint64_t w) {
    uint64_t kept = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]), base;
    if (t->stats.monitored >= t->stats.monitored_max) hcct_p_purge(t);
    base = hcct_p_base(t);
    *hcct_p_count(t, i) = hcct_p_add_to(t, base, w, HCCT_P_NONE - 1);
    hcct_p_at(t, i)[HCCT_P_ERROR] = hcct_p_pack(hcct_p_less(base, kept), 1);
    t->stats.monitored++;
}
