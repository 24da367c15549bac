/* ---- sums and phases ---- */

static void footprint_p_saturate(footprint_profile *p, uint64_t *sum, uint64_t add) {
    *sum = footprint_p_sat_add(*sum, add);
    if (*sum == UINT64_MAX) p->flags |= FOOTPRINT_SATURATED;
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

FOOTPRINT_API int footprint_subtract(footprint_profile *later,
                                     const footprint_profile *earlier) {
    uint32_t row, column;
    if (later->rows < earlier->rows || later->columns != earlier->columns) return -1;
    if (later->accesses < earlier->accesses) return -1;
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
    later->accesses -= earlier->accesses;
    later->blocks -= earlier->blocks;
    later->forgotten -= earlier->forgotten;
    later->last_window = later->last_blocks = 0;
    later->flags |= FOOTPRINT_DIFFERENCE;
    return 0;
}
