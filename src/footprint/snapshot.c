/* ---- snapshots ---- */

/* Adds the gaps that are open at n + 1, of all blocks that are followed,
   `weight` times each. */
static void footprint_p_open_gaps(const footprint *fp, footprint_p_gap *gap, uint64_t weight) {
    uint32_t i, columns = fp->columns;
    for (i = 0; i < fp->filled; i++)
        footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->top[i].time, weight);
    for (i = 2; i < fp->next; i++) {
        if (fp->live[i >> 6] >> (i & 63) & 1)
            footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->slot[i].time, weight);
    }
}

/* The averages of all windows so far. Blocks that were forgotten are missing
   from all windows after their last access, so their gaps are open as well:
   gone of them, whose last accesses add up to gone_low and gone_high. */
static void footprint_p_sum_averages(const footprint *fp, footprint_total *total) {
    footprint_p_gap *gap = (footprint_p_gap *)(void *)fp->scratch, *longest = gap + fp->columns;
    footprint_p_wide gone = footprint_p_product(fp->now + 2, fp->gone);
    footprint_p_copy(gap, fp->gap, (fp->columns + 1) * sizeof *gap);
    footprint_p_open_gaps(fp, gap, UINT64_C(1) << fp->sample_log2);
    longest->count += fp->gone;
    footprint_p_wide_less(&gone.low, &gone.high, fp->gone_low, fp->gone_high);
    footprint_p_wide_add(&longest->low, &longest->high, gone.low, gone.high);
    footprint_p_sum_gaps(gap, fp->columns, fp->now, fp->start, fp->followed, fp->before_total,
                         total);
}

/* Returns the rows that a snapshot needs: up to the largest mark there ever
   was. */
static uint32_t footprint_p_rows(const footprint *fp) {
    uint32_t j = fp->marks;
    uint64_t low;
    if (fp->start) return fp->rows;
    while (j < fp->mark_max && fp->mark[j].born) j++;
    low = j > 0 ? footprint_p_low(j - 1) : (uint64_t)FOOTPRINT_P_T;
    return footprint_bin(low << fp->sample_log2) + 1;
}

FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp) {
    return footprint_profile_bytes(footprint_p_rows(fp), fp->columns);
}

FOOTPRINT_API int footprint_snapshot(footprint *fp, footprint_profile *profile, void *memory,
                                     size_t bytes) {
    uint32_t rows = footprint_p_rows(fp), row, b;
    FOOTPRINT_ASSERT(memory != NULL);
    if (footprint_profile_init(profile, rows, fp->columns, memory, bytes)) return -1;
    rows = profile->rows;
    profile->accesses = profile->last_window = fp->now;
    profile->blocks = profile->last_blocks = footprint_p_blocks(fp->first, fp->now);
    profile->forgotten = fp->forgotten;
    if (fp->columns) profile->c = fp->config.c;    /* else init failed */
    profile->flags = fp->flags;
    profile->sample_log2 = fp->sample_log2;
    profile->block_log2 = fp->config.block_log2;
    if (fp->now == 0) return 0;
    if (fp->now > fp->config.window_max) profile->last_window = profile->last_blocks = 0;
    footprint_p_fold(fp);
    footprint_p_sum_averages(fp, profile->total);
    for (b = 1; b < fp->columns && (fp->sample_log2 || fp->flags & FOOTPRINT_FULL); b++)
        footprint_p_bound_total(&profile->total[b], footprint_bin_high(b), profile->blocks);
    if (fp->start)
        footprint_p_copy(profile->at_least, fp->before, rows * fp->columns * sizeof(uint64_t));
    footprint_p_extract(fp, profile->at_least, rows);
    for (row = 0; row < fp->rows; row++)
        profile->depth[row < rows ? row : rows - 1] += fp->depth[row];
    return 0;
}

FOOTPRINT_API void footprint_get_stats(const footprint *fp, footprint_stats *out) {
    out->accesses = fp->now;
    out->lost = fp->lost;
    out->accesses_max = fp->end;
    out->blocks = footprint_p_blocks(fp->first, fp->now);
    out->forgotten = fp->forgotten;
    out->memory_bytes = fp->table_bytes + fp->blocks_bytes;
    out->blocks_bytes = fp->blocks_bytes;
    out->flags = fp->flags;
    out->sample_log2 = fp->sample_log2;
}

FOOTPRINT_API uint64_t footprint_mark_time(footprint *fp, uint32_t bin) {
    uint32_t k = fp->sample_log2, j;
    uint64_t F = (footprint_bin_low(bin) + ((UINT64_C(1) << k) - 1)) >> k;
    if (F == 0) return fp->now;
    if (F <= FOOTPRINT_P_T) return F <= fp->filled ? fp->top[F - 1].time : 0;
    j = footprint_bin(F) - footprint_bin(FOOTPRINT_P_T) - 1;
    footprint_p_settle(fp);
    return j < fp->marks ? fp->mark[j].since : 0;
}
