/* ---- dump ---- */

FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user) {
    const uint64_t head[] = {p->flags, p->sample_log2, p->block_log2, (uint64_t)(p->c * 1e9 + .5),
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
    return footprint_p_put_end(&out) ? -1 : 0;
}
