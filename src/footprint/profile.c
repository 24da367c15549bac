/* ---- profiles ---- */

/* There are 496 bins. A profile has one row and one column at least, so that
   what is written of it can be read. */
static uint32_t footprint_p_bins(uint32_t bins) {
    return bins > 496 ? 496 : bins ? bins : 1;
}

FOOTPRINT_API size_t footprint_profile_bytes(uint32_t wanted_rows, uint32_t wanted_columns,
                                             uint32_t flags) {
    uint32_t rows = footprint_p_bins(wanted_rows), columns = footprint_p_bins(wanted_columns);
    uint64_t cells = (uint64_t)rows * columns + rows, bytes = cells * sizeof(uint64_t) + 15;
    bytes += columns * (uint64_t)sizeof(footprint_total) + (columns + 1) * sizeof(uint64_t);
    if (flags & FOOTPRINT_BURSTS) {
        uint64_t group = columns * (uint64_t)sizeof(footprint_total) + 2 * rows * sizeof(uint64_t);
        bytes += FOOTPRINT_GROUPS * group;
    }
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API int footprint_profile_init(footprint_profile *p, uint32_t rows, uint32_t columns,
                                         uint32_t flags, void *memory, size_t bytes) {
    size_t at = (size_t)(0 - (uintptr_t)memory) & 15;
    rows = footprint_p_bins(rows);
    columns = footprint_p_bins(columns);
    footprint_p_zero(p, sizeof *p);
    if (!memory || bytes < footprint_profile_bytes(rows, columns, flags)) return -1;
    footprint_p_zero(memory, footprint_profile_bytes(rows, columns, flags));
    p->rows = rows;
    p->columns = columns;
    p->total = (footprint_total *)(void *)((unsigned char *)memory + at);
    p->at_least = (uint64_t *)(void *)(p->total + columns);
    p->depth = p->at_least + (size_t)rows * columns;
    p->reuse = p->depth + rows;
    if (flags & FOOTPRINT_BURSTS) {
        p->groups = FOOTPRINT_GROUPS;
        p->group_depth = p->reuse + columns + 1;
        p->group_cut = p->group_depth + FOOTPRINT_GROUPS * (size_t)rows;
        p->group_total = (footprint_total *)(void *)(p->group_cut + FOOTPRINT_GROUPS * (size_t)rows);
    }
    p->c = 1;
    return 0;
}

FOOTPRINT_API uint64_t footprint_at_least(const footprint_profile *p, uint32_t window_bin,
                                          uint32_t bin) {
    if (bin >= p->rows || window_bin >= p->columns) return 0;
    return p->at_least[(size_t)bin * p->columns + window_bin];
}

FOOTPRINT_API uint64_t footprint_windows(const footprint_profile *p, uint32_t window_bin) {
    return footprint_at_least(p, window_bin, 0);
}

FOOTPRINT_API uint32_t footprint_percentile(const footprint_profile *p, uint32_t window_bin,
                                            uint32_t percent) {
    uint64_t all = footprint_windows(p, window_bin), rank;
    uint32_t bin = 0;
    if (all == 0) return UINT32_MAX;
    if (percent > 100) percent = 100;
    rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    if (rank == 0) rank = 1;
    while (all - footprint_at_least(p, window_bin, bin + 1) < rank) bin++;
    return bin;
}

/* Where one block in 2^k is followed, nothing is known of caches of fewer. */
static int footprint_p_is_unknown(const footprint_profile *p, double blocks) {
    return p->sample_log2 && blocks < (double)(UINT64_C(1) << p->sample_log2);
}

static double footprint_p_miss_without(const footprint_profile *p, double blocks, uint32_t group);
FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks) {
    double all = (double)p->blocks, hits = 0;
    uint32_t row;
    if (footprint_p_is_unknown(p, blocks)) return -1;
    if (p->flags & FOOTPRINT_BURSTS) return footprint_p_miss_without(p, blocks, UINT32_MAX);
    for (row = 1; row < p->rows; row++) {
        uint64_t first = footprint_bin_low(row), next = footprint_bin_low(row + 1);
        double low = (double)first, width = (double)(next - first), here = (double)p->depth[row];
        all += here;
        if (blocks - low + 1 >= width) hits += here;
        else if (blocks >= low) hits += here * (blocks - low + 1) / width;
    }
    return all > hits ? 1 - hits / all : 0;
}
