/* ---- the axis of time in a dump ---- */

#ifdef BURSTY_P_AXIS

typedef struct bursty_p_axis_end {
    uint64_t span_us;                 /* nothing is behind it */
    uint32_t threads, rows;           /* that the part has    */
} bursty_p_axis_end;

static void bursty_p_put_span(bursty_p_dump *d, const bursty_p_axis_end *end,
                              uint32_t thread, uint64_t from_us, uint64_t us,
                              uint32_t what) {
    const uint64_t from = from_us < end->span_us ? from_us : end->span_us;
    const uint64_t v[4] = { thread + (uint64_t)1, from,
                            us < end->span_us - from ? us : end->span_us - from, what };
    if (thread < end->threads) bursty_p_put_all(d, v, 4);
}

/* How many were left out, and their sum; then each. `rows`: what is a row. */
static void bursty_p_put_spans(bursty_p_dump *d, bursty_p_spans *s,
                               const bursty_p_axis_end *end, uint32_t rows) {
    uint32_t i, tries = 1000;
    while (tries && !bursty_p_cas(&s->busy, 0, 1)) tries--;
    bursty_p_put_varint(&d->out, s->left + BURSTY_P_GET(&s->missed));
    bursty_p_put_varint(&d->out, s->left_us);
    for (i = 0; tries && i < s->count; i++) {
        const bursty_p_span *one = &s->at[i];
        if (rows && one->what > rows) continue;
        bursty_p_put_span(d, end, one->thread, one->from_us, one->us, one->what);
    }
    if (tries) BURSTY_P_RELEASE(&s->busy, 0);
}

static void bursty_p_put_waits(bursty_p_dump *d, const bursty_p_axis_end *end) {
#ifdef BURSTY_P_WATCHER
    uint32_t i;
    bursty_p_put_varint(&d->out, (uint64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual);
    bursty_p_put_spans(d, &bursty_p_axis.waits, end, end->rows);
    for (i = 0; i < end->threads; i++) { /* those that go on */
        const bursty_p_thread *t = &bursty_p_all.threads[i];
        const uint32_t row = BURSTY_P_GET(&t->waits_in);
        const uint64_t from = BURSTY_P_READ(&t->waits_from);
        const uint64_t to = BURSTY_P_READ(&t->looked_at);
        if (row && row <= end->rows && to > from)
            bursty_p_put_span(d, end, i, from, to - from, row);
    }
#else
    bursty_p_put_varint(&d->out, 0);
    bursty_p_put_spans(d, &bursty_p_axis.waits, end, end->rows);
#endif
    bursty_p_put_varint(&d->out, 0);
}

static void bursty_p_put_late_frames(bursty_p_dump *d, const bursty_p_axis_end *end) {
#if BURSTY_FRAMES > 0
    uint32_t k, kinds = 0;
    while (kinds < BURSTY_FRAMES
           && BURSTY_P_ACQUIRE(&bursty_p_frames.kind[kinds].state) == 2) kinds++;
    bursty_p_put_varint(&d->out, kinds);
    for (k = 0; k < kinds; k++) {
        const bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        const uint32_t limit = BURSTY_P_GET(&kind->limit);
        uint64_t slow_ns = bursty_p_all.config.frame_slow_ns;
        if (!slow_ns && limit) slow_ns = bursty_p_bucket_ns(limit);
        bursty_p_put_string(d, kind->name);
        bursty_p_put_varint(&d->out, slow_ns / 1000);
    }
#else
    bursty_p_put_varint(&d->out, 0);
#endif
    bursty_p_put_spans(d, &bursty_p_axis.frames, end, 0);
    bursty_p_put_varint(&d->out, 0);
}

/* Each path has a function of its own; a reader knows equal ones. A row that is
   being made has no ticks yet. */
static void bursty_p_put_axis_paths(bursty_p_dump *d, uint32_t rows) {
    uint32_t i, pass;
    for (pass = 0; pass < 2; pass++) {
        bursty_p_put_varint(&d->out, rows);
        for (i = 0; i < rows; i++) {
            const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
            const bursty_site *site = BURSTY_P_ACQUIRE(&row->site);
            const uint32_t parent = site ? row->parent : 0;
            if (!site) site = &bursty_p_outside;
            if (pass) {
                bursty_p_put_varint(&d->out, i);
                bursty_p_put_varint(&d->out, parent ? i + 1 - parent : 0);
                continue;
            }
            bursty_p_put_string(d, site->name);
            bursty_p_put_string(d, site->file);
            bursty_p_put_varint(&d->out, site->line);
        }
    }
}

static void bursty_p_put_moments_of(bursty_p_dump *d, const bursty_p_axis_end *end,
                                    bursty_p_serial drawn) {
    const uint32_t groups = bursty_p_groups(bursty_p_axis.bits, drawn);
    uint64_t us, before = 0;
    uint32_t i, row;
    for (i = 0; i < groups; i++) {
        const bursty_p_tick_row *at;
        if (!bursty_p_get_moment(bursty_p_axis.ticks, bursty_p_axis.bits, drawn, i, &row,
                                 &us)) continue;
        if (row == 0 || row > end->rows) continue;
        at = &bursty_p_ticks.rows[row - 1];
        if (at->thread == 0 || at->thread > end->threads) continue;
        if (us > end->span_us) us = end->span_us;
        if (us < before) us = before; /* of threads at once */
        bursty_p_put_varint(&d->out, us - before);
        bursty_p_put_varint(&d->out, 2 * (uint64_t)(at->thread - 1) + 1);
        bursty_p_put_varint(&d->out, row - 1);
        before = us;
    }
}

/* Since 1970 in us, of the axis's zero; 0: not known. */
static uint64_t bursty_p_axis_began(uint64_t now_us) {
#if defined(BURSTY_P_CLOCK) && defined(CLOCK_REALTIME)
    if (!bursty_p_all.config.frame_clock)
        return bursty_p_read_ns(CLOCK_REALTIME) / 1000 - now_us;
#endif
    (void)now_us;
    return 0;
}

static int bursty_p_write_axis(bursty_p_dump *d, bursty_write_fn write, void *user) {
    const bursty_p_serial drawn =
        BURSTY_P_ACQUIRE(&bursty_p_axis.drawn) / bursty_p_ticks.usual;
    const uint32_t level = drawn ? bursty_p_level(bursty_p_axis.bits, drawn - 1) : 0;
    bursty_p_axis_end end;
    uint32_t i;
    if (!bursty_p_axis.bits) return 0;
    end.span_us = bursty_p_axis_us();
    end.threads = bursty_p_threads();
    end.rows = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    const uint64_t info[6] = { 0, bursty_p_axis_began(end.span_us), end.span_us,
                               (uint64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual,
                               (uint64_t)1 << level, 0 };
    bursty_p_put_begin(&d->out, 26, write, user);
    bursty_p_put_varint(&d->out, 2);
    bursty_p_put_string(d, bursty_p_all.config.program);
    bursty_p_put_all(d, info, 6);
    bursty_p_put_varint(&d->out, end.threads);
    for (i = 0; i < end.threads; i++) {
        bursty_p_put_varint(&d->out, i);
        bursty_p_put_name_of(d, &bursty_p_all.threads[i]);
    }
    bursty_p_put_axis_paths(d, end.rows);
    bursty_p_put_waits(d, &end);
    bursty_p_put_late_frames(d, &end);
    bursty_p_put_moments_of(d, &end, drawn);
    return bursty_p_put_end(&d->out);
}

#endif
