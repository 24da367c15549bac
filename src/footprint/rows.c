/* ---- reading rows out ---- */

/* A row says at which ages y its stretches start (+1) and end (-1): the events
   e(y). N(w) is the sum of e(y) over y <= w. At N(w) accesses the age is w or
   less, and the windows of length w that count as >= F are one for each of
   them: the sum of e(y) (w - y + 1) over y <= w. A bin of lengths low..high,
   cut at limit = min(high, now), has width = limit - low + 1 lengths. Over all
   of them
       an event below the bin adds    (low - y) width + triangle(width)
       an event within it adds        triangle(limit - y + 1)
   The first kind needs two running sums over the bins below: `open`, the sum of
   e(y), and `all`, the sum of e(y) (low - y). For the second kind write room =
   high - y + 1 and less = high - limit:
       triangle(room - less) = triangle(room) - less room + triangle(less - 1)
   so count = sum of e, sum = sum of e room and square = sum of e triangle(room)
   give any limit. A window that ends at access i has at most i accesses. So at
   each of the accesses born..w - 1 the length w was counted once too often;
   `early` is the sum of w - born over the lengths of the bin. Everything may
   wrap in between; the results are right modulo 2^64. */

/* Adds the windows of the row whose events are in fp->scratch to rows below + 1
   .. bin. */
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

/* Row F <= T: starts are blocks that came to depth F, ends are those that left
   it. */
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

/* Adds to the table the windows that ended since fp->start. Counters must have
   been folded. */
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
