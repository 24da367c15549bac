/* ---- full: every second block from here on ---- */

/* When blocks no longer fit, the sampling ratio 2^-k is halved until they do.
   Windows that ended so far are read out into `before`, with rows F 2^k for the
   old k. Then recent and slot keep only the blocks that are
   still followed, and all rows and marks start anew: a row F of a block that is
   there starts a run with that block's age, and each mark stands exactly at X_F.
   Gaps are closed and opened again, see "averages, from gaps". Invariant: every
   window is counted once, by the k at its end. */

static void footprint_p_thin(footprint *fp) {
    uint32_t q, j, s, kept;
    fp->flags |= FOOTPRINT_FULL;
    footprint_p_fold(fp);
    footprint_p_close_gaps(fp, fp->bursts.open);
    footprint_p_extract(fp, fp->before, fp->rows);
    fp->marks = fp->made = 0;
    fp->is_thinned = 1;
    do {
        fp->sample_log2++;
        for (kept = 0, q = 0; q < fp->filled; q++) {
            if (!footprint_p_left_out(fp->sample_log2,
                                      fp->top[q].block)) fp->top[kept++] = fp->top[q];
        }
        fp->filled = kept;
        for (s = 2; s < fp->next; s++) {
            if (footprint_p_left_out(fp->sample_log2, fp->slot[s].block))
                fp->live[s >> 6] &= ~(UINT64_C(1) << (s & 63));
        }
        footprint_p_compact(fp);
    } while (fp->next - 2 > fp->cap && fp->sample_log2 < 63);
    while (fp->filled < FOOTPRINT_P_T && fp->next > 2) {
        fp->top[fp->filled++] = fp->slot[--fp->next];
        fp->live[fp->next >> 6] &= ~(UINT64_C(1) << (fp->next & 63));
    }
    footprint_p_reindex(fp);
    fp->start = fp->now;
    fp->tracked = fp->filled + fp->next - 2;
    fp->followed = (uint64_t)fp->tracked << fp->sample_log2;
    fp->depth_first = footprint_bin((uint64_t)FOOTPRINT_P_T << fp->sample_log2);
    fp->gone = fp->gone_low = fp->gone_high = fp->sampled = 0;
    fp->is_overfull = 0;
    footprint_p_zero(fp->nearby, sizeof fp->nearby);
    footprint_p_zero(fp->events, (FOOTPRINT_P_T + 2) * (size_t)fp->columns * sizeof *fp->events);
    footprint_p_zero(fp->cells, fp->cell_count * sizeof *fp->cells);
    for (q = 0; q < fp->filled; q++) {
        ++*footprint_p_near(fp, footprint_p_hash(fp->top[q].block));
        footprint_p_event(fp, q + 1, fp->now - fp->top[q].time + 2, 1);
        fp->born[q + 1] = fp->now + 1;
    }
    for (j = 0; j < fp->mark_max; j++) {
        fp->mark[j].born = 0;
        footprint_p_close_mark(fp, j);
    }
    for (j = 0; j < fp->mark_max && footprint_p_low(j) <= fp->tracked; j++)
        footprint_p_add_mark(fp, fp->next + FOOTPRINT_P_T - (uint32_t)footprint_p_low(j),
                             fp->now + 1);
    footprint_p_open_gaps(fp, fp->bursts.open, 0 - (UINT64_C(1) << fp->sample_log2));
}
