/* ---- dump ---- */

/* Returns how many windows of a length in window_bin have a footprint in
   bin. */
static uint64_t footprint_p_windows_in_bin(const footprint_profile *p, uint32_t window_bin,
                                           uint32_t bin) {
    return footprint_at_least(p, window_bin, bin) - footprint_at_least(p, window_bin, bin + 1);
}

/* Among the flags of a dump: the part has what follows the columns. */
#define FOOTPRINT_P_VERSION_2 256

/* Numbers, and before them how many there are. Zeros at the end are left out. */
static void footprint_p_put_list(footprint_p_out *out, const uint64_t *list, uint32_t count) {
    uint32_t i;
    while (count > 0 && list[count - 1] == 0) count--;
    footprint_p_put_varint(out, count);
    for (i = 0; i < count; i++) footprint_p_put_varint(out, list[i]);
}

static void footprint_p_put_group(footprint_p_out *out, const footprint_profile *p, uint32_t g) {
    const footprint_total *total = p->group_total + g * (size_t)p->columns;
    uint32_t i, count = p->columns;
    footprint_p_put_list(out, p->group_depth + g * (size_t)p->rows, p->rows);
    footprint_p_put_list(out, p->group_cut + g * (size_t)p->rows, p->rows);
    while (count > 0 && total[count - 1].windows == 0) count--;
    footprint_p_put_varint(out, count);
    for (i = 0; i < count; i++) {
        footprint_p_put_varint(out, total[i].windows);
        footprint_p_put_varint(out, total[i].low);
        footprint_p_put_varint(out, total[i].high);
    }
}

FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user) {
    const uint64_t head[] = {p->flags | FOOTPRINT_P_VERSION_2, p->sample_log2, p->block_log2, (uint64_t)(p->c * 1e9 + .5),
                             p->accesses, p->blocks, p->forgotten, p->last_window, p->last_blocks,
                             p->rows, p->columns};
    footprint_p_out out;
    uint32_t row, column;
    size_t size = 0;
    footprint_p_put_begin(&out, 3, write, user);
    while (name && name[size]) size++;
    footprint_p_put_varint(&out, size);
    footprint_p_put(&out, name, size);
    for (row = 0; row < sizeof head / sizeof *head; row++) footprint_p_put_varint(&out, head[row]);
    for (row = 0; row < p->rows; row++) footprint_p_put_varint(&out, p->depth[row]);
    for (column = 0; column < p->columns; column++) {
        uint32_t first = 0, last = 0;
        for (row = 0; row < p->rows; row++) {
            if (footprint_p_windows_in_bin(p, column, row) == 0) continue;
            if (last == 0) first = row;
            last = row + 1;
        }
        footprint_p_put_varint(&out, p->total[column].windows);
        footprint_p_put_varint(&out, p->total[column].low);
        footprint_p_put_varint(&out, p->total[column].high);
        footprint_p_put_varint(&out, first);
        footprint_p_put_varint(&out, last - first);
        for (row = first; row < last; row++)
            footprint_p_put_varint(&out, footprint_p_windows_in_bin(p, column, row));
    }
    footprint_p_put_varint(&out, p->reuse != NULL);
    if (p->reuse) footprint_p_put_list(&out, p->reuse, p->columns + 1);
    footprint_p_put_varint(&out, p->bursts);
    footprint_p_put_varint(&out, p->groups);
    for (row = 0; row < p->groups; row++) footprint_p_put_group(&out, p, row);
    return footprint_p_put_end(&out) ? -1 : 0;
}
