/* ---- answers ---- */

BURSTY_API uint32_t bursty_seed(void) { return bursty_p_all.config.seed; }

BURSTY_API void bursty_get_stats(bursty_stats *out) {
    uint64_t in_bursts = 0, checks;
    uint32_t i, p;
    bursty_p_zero(out, sizeof *out);
    if (bursty_p_all.epoch == 0) return;
    bursty_p_look_now();
    out->threads = bursty_p_threads();
    out->lost_threads = BURSTY_P_GET(&bursty_p_all.lost_threads);
    for (i = 0; i < out->threads; i++) {
        const bursty_p_thread *t = &bursty_p_all.threads[i];
        bursty_p_sum(&out->checks, &t->checks);
        bursty_p_sum(&out->lost, &t->lost);
        bursty_p_sum(&in_bursts, &t->burst_checks);
        for (p = 0; p < BURSTY_PROFILES; p++) {
            bursty_p_sum(&out->bursts, &t->bursts[p]);
            bursty_p_sum(&out->events, &t->events[p]);
        }
        if (BURSTY_P_GET(&t->state) == BURSTY_P_ENDED) out->ended++;
    }
    out->no_time = bursty_p_all.no_time;
#if BURSTY_P_TICKS
    bursty_p_time_stats(out);
#endif
    for (checks = out->checks; checks >> 44; checks /= 2) in_bursts /= 2;
    if (checks) out->rate_ppm = (uint32_t)(in_bursts * 1000000 / checks);
}

BURSTY_API void bursty_each(bursty_visit_fn visit, void *user) {
    uint32_t i, rows = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    for (i = 0; i < rows && bursty_p_all.epoch; i++) {
        const bursty_p_row *row = &bursty_p_all.rows[i];
        const bursty_row out = { BURSTY_P_ACQUIRE(&row->site), row->caller,
                                 BURSTY_P_READ(&row->sum[0]), BURSTY_P_READ(&row->sum[1]) };
        if (out.site && out.count) visit(user, &out);
    }
}
