/* ---- the hottest functions ---- */

#ifndef BURSTY_BARE

/* One site has several rows: one for each thread and caller, and one for each
   path. They are summed up in batches of sites, in the order of their
   addresses, with no more memory than a batch:

       sites    a < b < c < d < e < f < g      a batch of 3: walk 1 sums a b c, walk 2 d e f, ...
       walk 2   after = c   [d] [f] [g]        e comes: [d] [e] [f], and g waits for walk 3

   Invariant: a batch holds the smallest sites above `after` that the walk has
   met. Cost: for r rows and g sites, r * (g / 64 + 1) steps of some 20
   instructions, and for each path its depth.

   calls: the sum of weights W and, over the bursts that were summed up, the sum
   of squares Q of what a burst saw of the site (the table's fifth sum, ys).
   Bursts are independent, so the variance of W is Q - W * W / B for B bursts;
   and gaps are drawn, so that as many bursts stand for more or fewer checks
   (report/model/sampled_ranges.c has the formula). time: k of n ticks are a
   binomial share, whose interval is Wilson's; ticks that came several at once
   count as n * n / (sum of squares). Both at z = 2. */

enum { BURSTY_P_BATCH = 64 };

typedef struct bursty_p_top_sums {
    const bursty_site *site;
    uint64_t count, weight, squares, bursts, self, total;
    double self_squares, total_squares; /* of what looks counted */
} bursty_p_top_sums;

typedef struct bursty_p_batch {
    bursty_p_top_sums sums[BURSTY_P_BATCH];
    const bursty_site *after; /* NULL: the first walk */
    size_t used;
} bursty_p_batch;

/* The place of the site in the batch; if it has none, where it would stand. */
static size_t bursty_p_batch_place(const bursty_p_batch *batch, const bursty_site *site) {
    size_t low = 0, high = batch->used;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)batch->sums[middle].site < (uintptr_t)site) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void bursty_p_batch_add(bursty_p_batch *batch, const bursty_site *site) {
    size_t at = bursty_p_batch_place(batch, site), k;
    if ((uintptr_t)site <= (uintptr_t)batch->after || !(site->kind & BURSTY_CALL)) return;
    if (at < batch->used && batch->sums[at].site == site) return;
    if (at == BURSTY_P_BATCH) return;
    if (batch->used < BURSTY_P_BATCH) batch->used++;
    for (k = batch->used - 1; k > at; k--) batch->sums[k] = batch->sums[k - 1];
    memset(&batch->sums[at], 0, sizeof batch->sums[at]);
    batch->sums[at].site = site;
}

/* The sums of a site, if it belongs to this batch. */
static bursty_p_top_sums *bursty_p_batch_find(bursty_p_batch *batch, const bursty_site *site) {
    size_t at = bursty_p_batch_place(batch, site);
    return at < batch->used && batch->sums[at].site == site ? &batch->sums[at] : NULL;
}

static void bursty_p_top_row(bursty_p_batch *batch, const bursty_p_row *row) {
    bursty_p_top_sums *s = bursty_p_batch_find(batch, BURSTY_P_ACQUIRE(&row->site));
    if (!s) return;
    bursty_p_sum(&s->count, &row->sum[0]);
    bursty_p_sum(&s->weight, &row->sum[1]);
    bursty_p_sum(&s->bursts, &row->sum[4]);
    bursty_p_sum(&s->squares, &row->sum[6]);
}

/* A tick belongs to each site of its path once, however often it stands
   there. */
static void bursty_p_top_path(bursty_p_batch *batch, const bursty_p_tick_row *row) {
    uint64_t ticks = BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_COUNT]);
    const double squares = (double)BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_SQUARES]);
    const bursty_p_tick_row *at = row, *below;
    bursty_p_top_sums *s = bursty_p_batch_find(batch, row->site);
    if (ticks == 0) return;
    if (s) s->self = bursty_p_sat_add(s->self, ticks);
    if (s) s->self_squares += squares;
    for (;; at = &bursty_p_ticks.rows[at->parent - 1]) {
        s = bursty_p_batch_find(batch, at->site);
        for (below = row; s && below != at; below = &bursty_p_ticks.rows[below->parent - 1]) {
            if (below->site == at->site) s = NULL;
        }
        if (s) s->total = bursty_p_sat_add(s->total, ticks);
        if (s) s->total_squares += squares;
        if (at->parent == 0) return;
    }
}

static double bursty_p_root(double x) {
    double root = x > 1 ? x : 1;
    int i;
    if (!(x > 0)) return 0;
    for (i = 0; i < 600 && root * root > x * (1 + 1e-9); i++) root = (root + x / root) / 2;
    return root;
}

/* A row whose looks count more than others is less sure: its variance is that of
   its own looks and of the others. squares: of the row; all_squares: of all. */
static bursty_range bursty_p_share(uint64_t part, uint64_t all, double squares, double all_squares) {
    bursty_range range = { 0, 0, 0 };
    double p, n, variance, middle, half;
    if (all == 0 || !(all_squares > 0)) return range;
    p = (double)part / (double)all;
    n = (double)all * (double)all / all_squares;
    variance = squares * (1 - p) * (1 - p) + (all_squares - squares) * p * p;
    if (p > 0 && p < 1 && variance > p * (1 - p) * all_squares) n *= p * (1 - p) * all_squares / variance;
    middle = (p + 2 / n) / (1 + 4 / n);
    half = 2 * bursty_p_root(p * (1 - p) / n + 1 / (n * n)) / (1 + 4 / n);
    range.low = middle > half ? (uint64_t)(1e6 * (middle - half)) : 0;
    range.value = (uint64_t)(1e6 * p + .5);
    range.high = middle + half < 1 ? (uint64_t)(1e6 * (middle + half) + 1) : 1000000;
    if (part == 0) range.low = 0;
    return range;
}

/* bursts: all that were summed up, of all threads. */
static bursty_range bursty_p_calls(const bursty_p_top_sums *s, double bursts,
                                   const bursty_profile *set) {
    bursty_range range;
    double value = (double)s->weight / 256, half, gap = (double)set->every;
    range.low = range.high = range.value = s->weight / 256;
    if (set->every == BURSTY_ALWAYS || s->count == 0) return range;
    range.low = s->count;
    range.high = UINT64_MAX;
    if (s->bursts < 5 || s->squares == UINT64_MAX || bursts < 2) return range;
    half = (double)s->squares - value * value / bursts;
    gap *= (double)set->jitter / 100 / (gap + (double)set->burst);
    half = (half > 0 ? half : 0) + value * value * gap * gap / (3 * bursts);
    half = 2 * bursty_p_root(half);
    if (value - half > (double)s->count) range.low = (uint64_t)(value - half);
    if (value + half < 1.8e19) range.high = (uint64_t)(value + half) + 1;
    return range;
}

/* Puts row into best[0..filled), hottest first. Returns the new number of rows,
   at most max. */
static size_t bursty_p_top_keep(bursty_top_row *best, size_t filled, size_t max,
                                const bursty_top_row *row) {
    size_t k = filled;
    for (; k > 0; k--) {
        const bursty_top_row *above = &best[k - 1];
        if (row->ticks < above->ticks) break;
        if (row->ticks == above->ticks && row->calls.value <= above->calls.value) break;
        if (k < max) best[k] = *above;
    }
    if (k < max) best[k] = *row;
    return filled < max ? filled + 1 : max;
}

BURSTY_API size_t bursty_top(bursty_top_row *rows, size_t max) {
    uint32_t i, row_count, path_count;
    size_t filled = 0, k;
    double bursts = 0, squares = 0;
    uint64_t ticks = 0;
    bursty_p_batch batch;
    bursty_p_settings now;
    if (bursty_p_all.epoch == 0) return 0;
    bursty_p_look_now();
    (void)bursty_p_read_settings(&now);
    row_count = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    path_count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    for (i = 0; i < bursty_p_threads(); i++)
        bursts += (double)BURSTY_P_READ(&bursty_p_all.threads[i].bursts[0]);
    for (i = 0; i < path_count; i++) {
        const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
        ticks = bursty_p_sat_add(ticks, BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_COUNT]));
        squares += (double)BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_SQUARES]);
    }
    batch.after = NULL;
    do {
        batch.used = 0;
        for (i = 0; i < row_count; i++)
            bursty_p_batch_add(&batch, BURSTY_P_ACQUIRE(&bursty_p_all.rows[i].site));
        for (i = 0; i < path_count; i++)
            bursty_p_batch_add(&batch, BURSTY_P_ACQUIRE(&bursty_p_ticks.rows[i].site));
        for (i = 0; i < row_count; i++) bursty_p_top_row(&batch, &bursty_p_all.rows[i]);
        for (i = 0; i < path_count; i++) {
            if (BURSTY_P_ACQUIRE(&bursty_p_ticks.rows[i].site))
                bursty_p_top_path(&batch, &bursty_p_ticks.rows[i]);
        }
        for (k = 0; k < batch.used; k++) {
            const bursty_p_top_sums *s = &batch.sums[k];
            bursty_top_row row;
            row.site = s->site;
            row.calls = bursty_p_calls(s, bursts, &now.slot[0].set);
            row.self_ppm = bursty_p_share(s->self, ticks, s->self_squares, squares);
            row.total_ppm = bursty_p_share(s->total, ticks, s->total_squares, squares);
            row.ticks = s->self;
            if (s->count || s->total) filled = bursty_p_top_keep(rows, filled, max, &row);
        }
        if (batch.used) batch.after = batch.sums[batch.used - 1].site;
    } while (batch.used == BURSTY_P_BATCH);
    return filled;
}
#endif
