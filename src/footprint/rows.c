/* ---- reading rows out ---- */

/* A row says at which ages y its stretches start (+1) and end (-1): the events
   e(y). The sum of e(y) over y <= v is the number of accesses at which the age
   is v. Windows of length w count as >= F at each access of age w or less: they
   are the sum of e(y) (w - y + 1) over y <= w. Over all lengths of a bin low..
   high, of width = high - low + 1,
       an event below the bin adds    (low - y) width + triangle(width)
       an event within it adds        triangle(room), with room = high - y + 1
   The first kind needs two running sums over the bins below: `open`, the sum of
   e(y), and `all`, the sum of e(y) (low - y). For the second kind each bin has
   square, the sum of e triangle(room), and for the sums count, that of e, and
   sum, that of e room.

   A window that ends at access i of a burst has at most i accesses. So a length
   of more than i counts once too often at access i. A second stretch is subtracted
   for that. It has "age" i + 1 at access i, which goes from born + 1 to n + 1 over
   the accesses born..n of a burst. Everything may wrap in between; the results are right
   modulo 2^64. */

/* Adds the windows of the row whose events are in fp->scratch to rows below + 1
   .. bin. No window is longer than `longest`. */
static void footprint_p_add_row(const footprint *fp, uint64_t longest, uint64_t *table,
                                uint32_t below, uint32_t bin) {
    uint64_t all = 0, open = 0;
    uint32_t b, row;
    for (b = 1; b < fp->columns && footprint_bin_low(b) <= longest; b++) {
        const footprint_p_moment *m = &fp->scratch[b];
        uint64_t width = footprint_bin_high(b) - footprint_bin_low(b) + 1;
        uint64_t windows = width * all + open * footprint_p_triangle(width) + m->square;
        for (row = below + 1; row <= bin; row++) table[row * (size_t)fp->columns + b] += windows;
        all += open * width + m->sum;
        open += m->count;
    }
}

/* What all windows are: at each access since start the age is 1. */
static void footprint_p_end_all(const footprint *fp, footprint_p_moment *row) {
    uint64_t n = fp->now - fp->bursts.origin, start = fp->start - fp->bursts.origin;
    footprint_p_event_at(row, fp->columns, 1, n - start);
    footprint_p_event_at(row, fp->columns, 2, start - n);
    footprint_p_event_at(row, fp->columns, start + 2, UINT64_MAX);
    footprint_p_event_at(row, fp->columns, n + 2, 1);
}

/* Ends what a row has under way at the latest access. With `since` a stretch of
   ages ends; if it is 0 there is none. */
static void footprint_p_end_row(const footprint *fp, footprint_p_moment *row, uint64_t born,
                                uint64_t since) {
    uint64_t origin = fp->bursts.origin;
    if (since) footprint_p_event_at(row, fp->columns, fp->now - since + 2, UINT64_MAX);
    footprint_p_event_at(row, fp->columns, born - origin + 1, UINT64_MAX);
    footprint_p_event_at(row, fp->columns, fp->now - origin + 2, 1);
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
    if (F <= fp->filled) footprint_p_end_row(fp, fp->scratch, fp->born[F], fp->top[F - 1].time);
}

/* Adds to the table the windows that ended since sampling last changed.
   Counters must have been folded. */
static void footprint_p_extract(const footprint *fp, uint64_t *table, uint32_t rows) {
    uint32_t k = fp->sample_log2, below = k == 0 && rows > 1, F, j, bin, b;
    uint32_t all = FOOTPRINT_P_T + 1, most = fp->bursts.count ? (uint32_t)FOOTPRINT_P_T : fp->filled;
    uint64_t longest = fp->now - fp->bursts.origin;
    if (longest < fp->bursts.longest) longest = fp->bursts.longest;
    for (b = 0; b < fp->columns; b++) fp->scratch[b] = fp->events[all * (size_t)fp->columns + b];
    footprint_p_end_all(fp, fp->scratch);
    footprint_p_add_row(fp, longest, table, UINT32_MAX, below);
    for (F = k ? 1 : 2; F <= most; F++) {
        if (footprint_bin_low(footprint_bin(F)) != F) continue;    /* 17, 19, ... are no low ends */
        bin = footprint_bin((uint64_t)F << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_load_recent(fp, F);
        footprint_p_add_row(fp, longest, table, below, bin);
        below = bin;
    }
    for (j = 0; j < fp->made; j++) {
        bin = footprint_bin(footprint_p_low(j) << k);
        if (bin >= rows) bin = rows - 1;
        footprint_p_zero(fp->scratch, fp->columns * sizeof *fp->scratch);
        for (b = footprint_bin(footprint_p_low(j)); b < fp->columns; b++)
            fp->scratch[b] = fp->cells[fp->mark[j].row + b];
        if (fp->mark[j].born)
            footprint_p_end_row(fp, fp->scratch, fp->mark[j].born,
                                j < fp->marks ? fp->mark[j].since : 0);
        footprint_p_add_row(fp, longest, table, below, bin);
        below = bin;
    }
}

/* Ends the burst in the tables of all rows. Young ages go to the counters of
   blocks that move on: a block that moved from each place at one age ends one
   row. */
static void footprint_p_end_recent(footprint *fp, uint32_t F, uint64_t y) {
    uint32_t q;
    if (y >= FOOTPRINT_P_YOUNG) footprint_p_event(fp, F, y, UINT64_MAX);
    else for (q = F - 1; q < FOOTPRINT_P_T; q++) fp->shifted[FOOTPRINT_P_AT(q, y)]++;
}

static void footprint_p_end_rows(footprint *fp) {
    uint64_t n = fp->now - fp->bursts.origin;
    uint32_t F, j;
    footprint_p_end_all(fp, fp->events + (FOOTPRINT_P_T + 1) * (size_t)fp->columns);
    for (F = 1; F <= FOOTPRINT_P_T; F++) {
        uint32_t ended = F < fp->filled ? F : fp->filled;  /* rows 1 to F that are under way */
        footprint_p_event_at(fp->events + F * (size_t)fp->columns, fp->columns, n + 2,
                             (uint64_t)0 - ended);
        if (F > fp->filled) continue;
        footprint_p_end_recent(fp, F, fp->now - fp->top[F - 1].time + 2);
        footprint_p_end_recent(fp, F, fp->born[F] - fp->bursts.origin + 1);
    }
    for (j = 0; j < fp->made && fp->mark[j].born; j++) {
        footprint_p_end_row(fp, fp->cells + fp->mark[j].row, fp->mark[j].born,
                            j < fp->marks ? fp->mark[j].since : 0);
        fp->mark[j].born = 0;
        footprint_p_close_mark(fp, j);
    }
    fp->marks = 0;
}
