/* ---- snapshots ---- */

/* Adds the gaps that are open at n + 1, of all blocks that are followed,
   `weight` times each. */
static void footprint_p_open_gaps(const footprint *fp, footprint_p_gap *gap, uint64_t weight) {
    uint32_t i, word, columns = fp->columns;
    for (i = 0; i < fp->filled; i++)
        footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->top[i].time, weight);
    for (word = (fp->bottom + 1) >> 6; word <= fp->next >> 6; word++) {
        uint64_t bits = fp->live[word];
        for (; bits; bits &= bits - 1) {
            i = word << 6 | FOOTPRINT_P_LOWEST(bits);
            footprint_p_gap_sum(gap, columns, fp->now + 2 - fp->slot[i].time, weight);
        }
    }
}

/* Adds all that the burst under way has beside its reuses. Blocks that were
   forgotten are missing from all windows after their last access, so their gaps
   are open as well: gone of them, whose last accesses add up to gone_low and
   gone_high. */
static void footprint_p_close_gaps(const footprint *fp, footprint_p_gap *open) {
    footprint_p_gap *longest = open + fp->columns;
    uint64_t n = fp->now - fp->bursts.origin;
    footprint_p_wide gone = footprint_p_product(n + 2, fp->gone);
    footprint_p_open_gaps(fp, open, UINT64_C(1) << fp->sample_log2);
    longest->count += fp->gone;
    footprint_p_wide_less(&gone.low, &gone.high, fp->gone_low, fp->gone_high);
    footprint_p_wide_add(&longest->low, &longest->high, gone.low, gone.high);
    footprint_p_followed_gap(open, fp->columns, n, fp->start - fp->bursts.origin, fp->followed);
}

/* Puts what all groups have by now into group `group`, and takes it off the
   next, whose turn begins. Reuses at young ages are not folded into tables, for
   that would cost ten times as much; they are added up here, by place and by
   age. */
static void footprint_p_turn(footprint *fp, uint32_t group, uint32_t next) {
    footprint_p_gap *gap = (footprint_p_gap *)(void *)fp->scratch;
    uint64_t *depth = fp->bursts.depth + group * (size_t)fp->rows;
    uint64_t *next_depth = fp->bursts.depth + next * (size_t)fp->rows;
    footprint_total *total = fp->bursts.total;
    uint32_t young[FOOTPRINT_P_YOUNG], k = fp->sample_log2, row, q, y;
    footprint_p_zero(young, sizeof young);
    for (row = 0; row < fp->rows; row++) {
        depth[row] += fp->depth[row];
        next_depth[row] -= fp->depth[row];
    }
    for (q = 0; q < FOOTPRINT_P_T; q++) {
        const uint32_t *reused = &fp->reused[FOOTPRINT_P_REUSED(q, 0)];
        uint32_t sum = 0;                                  /* of fewer accesses than it holds */
        uint64_t count;
        for (y = 0; y < FOOTPRINT_P_YOUNG; y++) {
            sum += reused[y];
            young[y] += reused[y];
        }
        row = footprint_bin((uint64_t)(q + 1) << k);
        if (row >= fp->rows) row = fp->rows - 1;
        count = (q ? sum : fp->repeats) << k;
        depth[row] += count;
        next_depth[row] -= count;
    }
    footprint_p_copy(gap, fp->gap, (fp->columns + 1) * sizeof *gap);
    for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
        if (young[y]) footprint_p_gap_sum(gap, fp->columns, y, (uint64_t)young[y] << k);
    }
    footprint_p_sum_gaps(gap, fp->bursts.open, fp->bursts.length, fp->columns, 0,
                         total + group * (size_t)fp->columns);
    footprint_p_sum_gaps(gap, fp->bursts.open, fp->bursts.length, fp->columns, 1,
                         total + next * (size_t)fp->columns);
}

FOOTPRINT_API void footprint_burst(footprint *fp) {
    uint64_t n = fp->now - fp->bursts.origin;
    uint32_t i;
    if (n == 0) return;
    if (fp->is_overfull) footprint_p_thin(fp);
    footprint_p_settle(fp);
    fp->flags |= footprint_p_full(fp);
    footprint_p_close_gaps(fp, fp->bursts.open);
    footprint_p_end_rows(fp);
    for (i = 0; i < fp->filled; i++) --*footprint_p_near(fp, footprint_p_hash(fp->top[i].block));
    for (i = (fp->bottom + 1) >> 6; i <= fp->next >> 6; i++) fp->live[i] = 0;
    fp->bottom = fp->next - 1;
    if (fp->is_linked) fp->after[fp->bottom] = fp->next;
    fp->filled = fp->tracked = 0;
    fp->followed = fp->gone = fp->gone_low = fp->gone_high = 0;
    fp->top = fp->ring + FOOTPRINT_P_RING;
    fp->start = fp->now;
    fp->wake = 0;
    fp->flags |= FOOTPRINT_BURSTS;
    if (fp->folded > fp->now + 1) fp->folded -= 2;         /* rows that end count in counters, too */
    if (!footprint_p_end_burst(&fp->bursts, fp->columns, n, fp->first)) return;
    i = (fp->bursts.group + 1) % FOOTPRINT_GROUPS;
    footprint_p_turn(fp, fp->bursts.group, i);
    fp->bursts.group = i;
    fp->bursts.turned = fp->now;
}

/* Returns the rows that a snapshot needs: up to the largest mark there ever
   was. */
static uint32_t footprint_p_rows(const footprint *fp) {
    uint32_t j = fp->made;
    uint64_t low;
    if (fp->is_thinned) return fp->rows;
    low = j > 0 ? footprint_p_low(j - 1) : (uint64_t)FOOTPRINT_P_T;
    return footprint_bin(low << fp->sample_log2) + 1;
}

/* The averages of all windows so far. The burst under way counts as ended; its
   open gaps are added in scratch. */
static void footprint_p_snapshot_gaps(const footprint *fp, footprint_profile *p) {
    footprint_p_gap *open = (footprint_p_gap *)(void *)fp->scratch;
    footprint_bursts bursts = fp->bursts;
    uint64_t n = fp->now - bursts.origin;
    uint32_t b;
    footprint_p_copy(open, bursts.open, (fp->columns + 1) * sizeof *open);
    footprint_p_close_gaps(fp, open);
    if (n) footprint_p_gap_sum(bursts.length, fp->columns, n + 2, 1);
    footprint_p_sum_gaps(fp->gap, open, bursts.length, fp->columns, 0, p->total);
    for (b = 0; b <= fp->columns; b++) p->reuse[b] = fp->gap[b].count;
    if (p->groups) {
        footprint_p_copy_groups(&bursts, p);
        footprint_p_sum_gaps(fp->gap, open, bursts.length, fp->columns, 0,
                             p->group_total + bursts.group * (size_t)fp->columns);
        footprint_p_cut(p->group_cut + bursts.group * (size_t)p->rows, p->rows,
                        fp->first - bursts.first);
    }
    if (n) footprint_p_gap_sum(bursts.length, fp->columns, n + 2, UINT64_MAX);
}

FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp) {
    return footprint_profile_bytes(footprint_p_rows(fp), fp->columns,
                                   fp->bursts.total ? FOOTPRINT_BURSTS : 0);
}

FOOTPRINT_API int footprint_snapshot(footprint *fp, footprint_profile *profile, void *memory,
                                     size_t bytes) {
    uint32_t rows = footprint_p_rows(fp), row, b;
    FOOTPRINT_ASSERT(memory != NULL);
    if (footprint_profile_init(profile, rows, fp->columns,
                               fp->bursts.total ? FOOTPRINT_BURSTS : 0, memory, bytes)) return -1;
    rows = profile->rows;
    profile->accesses = fp->now;
    profile->blocks = footprint_p_blocks(fp->first, fp->now);
    profile->forgotten = fp->forgotten;
    if (fp->columns) profile->c = fp->config.c;    /* else init failed */
    profile->flags = fp->flags | footprint_p_full(fp);
    profile->sample_log2 = fp->sample_log2;
    profile->block_log2 = fp->config.block_log2;
    if (fp->now == 0) return 0;
    if (fp->flags & FOOTPRINT_BURSTS)
        profile->bursts = fp->bursts.count + (fp->now > fp->bursts.origin);
    else if (fp->now <= fp->config.window_max) {
        profile->last_window = fp->now;
        profile->last_blocks = profile->blocks;
    }
    footprint_p_fold(fp);
    footprint_p_snapshot_gaps(fp, profile);
    for (b = 1; b < fp->columns && (fp->sample_log2 || fp->flags & FOOTPRINT_FULL); b++)
        footprint_p_bound_total(&profile->total[b], footprint_bin_high(b), profile->blocks);
    if (fp->is_thinned)
        footprint_p_copy(profile->at_least, fp->before, rows * fp->columns * sizeof(uint64_t));
    footprint_p_extract(fp, profile->at_least, rows);
    for (row = 0; row < fp->rows; row++) {
        size_t to = row < rows ? row : rows - 1;
        profile->depth[to] += fp->depth[row];
        if (profile->groups)
            profile->group_depth[fp->bursts.group * (size_t)rows + to] += fp->depth[row];
    }
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
    out->flags = fp->flags | footprint_p_full(fp);
    out->sample_log2 = fp->sample_log2;
}

FOOTPRINT_API uint64_t footprint_mark_time(footprint *fp, uint32_t bin) {
    uint32_t k = fp->sample_log2, j;
    uint64_t F = (footprint_bin_low(bin) + ((UINT64_C(1) << k) - 1)) >> k;
    if (F == 0) return fp->now;
    if (F <= FOOTPRINT_P_T) return F <= fp->filled ? fp->top[F - 1].time : 0;
    j = footprint_bin(F) - footprint_bin(FOOTPRINT_P_T) - 1;
    return j < fp->marks ? fp->mark[j].since : 0;
}
