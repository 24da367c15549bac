/* ---- sums and phases ---- */

static void footprint_p_saturate(footprint_profile *p, uint64_t *sum, uint64_t add) {
    *sum = footprint_p_sat_add(*sum, add);
    if (*sum == UINT64_MAX) p->flags |= FOOTPRINT_SATURATED;
}

/* The last cell, of reuses that are longer than the table, follows its
   columns. */
static void footprint_p_add_reuses(footprint_profile *into, const footprint_profile *other) {
    uint32_t column;
    if (!other->reuse || !into->reuse) into->reuse = NULL;
    for (column = 0; into->reuse && column <= other->columns; column++) {
        uint32_t to = column < other->columns ? column : into->columns;
        footprint_p_saturate(into, &into->reuse[to], other->reuse[column]);
    }
}

static void footprint_p_add_groups(footprint_profile *into, const footprint_profile *other) {
    uint32_t g, row, column;
    for (g = 0; g < into->groups && g < other->groups; g++) {
        for (row = 0; row < other->rows; row++) {
            size_t to = g * (size_t)into->rows + row, from = g * (size_t)other->rows + row;
            footprint_p_saturate(into, &into->group_depth[to], other->group_depth[from]);
            footprint_p_saturate(into, &into->group_cut[to], other->group_cut[from]);
        }
        for (column = 0; column < other->columns; column++) {
            footprint_total *to = &into->group_total[g * (size_t)into->columns + column];
            const footprint_total *from = &other->group_total[g * (size_t)other->columns + column];
            footprint_p_saturate(into, &to->windows, from->windows);
            footprint_p_wide_add(&to->low, &to->high, from->low, from->high);
        }
    }
}

FOOTPRINT_API int footprint_add(footprint_profile *into, const footprint_profile *other) {
    uint32_t row, column;
    int empty = into->accesses == 0;
    if (into->rows < other->rows || into->columns < other->columns) return -1;
    if (!empty && (into->flags ^ other->flags) & (FOOTPRINT_INTERLEAVED | FOOTPRINT_AVERAGE))
        return -1;
    if (!empty && into->block_log2 != other->block_log2) return -1;
    for (column = 0; column < other->columns; column++) {
        footprint_total *to = &into->total[column];
        const footprint_total *from = &other->total[column];
        for (row = 0; row < other->rows; row++)
            footprint_p_saturate(into, &into->at_least[row * (size_t)into->columns + column],
                                 other->at_least[row * (size_t)other->columns + column]);
        footprint_p_saturate(into, &to->windows, from->windows);
        footprint_p_wide_add(&to->low, &to->high, from->low, from->high);
    }
    for (row = 0; row < other->rows; row++)
        footprint_p_saturate(into, &into->depth[row], other->depth[row]);
    footprint_p_add_reuses(into, other);
    footprint_p_add_groups(into, other);
    footprint_p_saturate(into, &into->bursts, other->bursts);
    footprint_p_saturate(into, &into->accesses, other->accesses);
    footprint_p_saturate(into, &into->blocks, other->blocks);
    footprint_p_saturate(into, &into->forgotten, other->forgotten);
    if (other->c < into->c) into->c = other->c;
    if (other->sample_log2 > into->sample_log2) into->sample_log2 = other->sample_log2;
    into->block_log2 = other->block_log2;
    into->flags |= other->flags;
    into->last_window = empty ? other->last_window : 0;
    into->last_blocks = empty ? other->last_blocks : 0;
    return 0;
}

static void footprint_p_subtract_groups(footprint_profile *later,
                                        const footprint_profile *earlier) {
    uint32_t g, row, column;
    for (g = 0; g < later->groups; g++) {
        for (row = 0; row < earlier->rows; row++) {
            size_t to = g * (size_t)later->rows + row, from = g * (size_t)earlier->rows + row;
            later->group_depth[to] -= earlier->group_depth[from];
            later->group_cut[to] -= earlier->group_cut[from];
        }
        for (column = 0; column < later->columns; column++) {
            size_t at = g * (size_t)later->columns + column;
            footprint_total *total = &later->group_total[at];
            const footprint_total *less = &earlier->group_total[at];
            total->windows -= less->windows;
            footprint_p_wide_less(&total->low, &total->high, less->low, less->high);
        }
    }
}

FOOTPRINT_API int footprint_subtract(footprint_profile *later,
                                     const footprint_profile *earlier) {
    uint32_t row, column;
    if (later->rows < earlier->rows || later->columns != earlier->columns) return -1;
    if (later->accesses < earlier->accesses || later->groups != earlier->groups) return -1;
    for (column = 0; column < later->columns; column++) {
        footprint_total *from = &later->total[column];
        const footprint_total *less = &earlier->total[column];
        for (row = 0; row < earlier->rows; row++)
            later->at_least[row * (size_t)later->columns + column] -=
                earlier->at_least[row * (size_t)later->columns + column];
        from->windows -= less->windows;
        footprint_p_wide_less(&from->low, &from->high, less->low, less->high);
        if (later->sample_log2 || later->flags & FOOTPRINT_FULL) /* blocks: of before, too */
            footprint_p_bound_total(from, footprint_bin_high(column), later->blocks);
    }
    for (row = 0; row < earlier->rows; row++) later->depth[row] -= earlier->depth[row];
    for (column = 0; later->reuse && earlier->reuse && column <= later->columns; column++)
        later->reuse[column] -= earlier->reuse[column];
    footprint_p_subtract_groups(later, earlier);
    later->bursts -= earlier->bursts;
    later->accesses -= earlier->accesses;
    later->blocks -= earlier->blocks;
    later->forgotten -= earlier->forgotten;
    later->last_window = later->last_blocks = 0;
    later->flags |= FOOTPRINT_DIFFERENCE;
    return 0;
}
