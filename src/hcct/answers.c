/* ---- answers ---- */

HCCT_API void hcct_get_stats(const hcct *t, hcct_stats *out) {
    size_t before_nodes = (size_t)((unsigned char *)t->words - (unsigned char *)t->memory);
    *out = t->stats;
    out->bound_of_absent = hcct_p_base(t);
    if (!out->scaled_total) out->scaled_total = out->total;
    out->bytes = (uint64_t)before_nodes + (uint64_t)t->used * t->stride * 4;
    out->peak_nodes = t->used - 1;
    if (hcct_p_full(t) || HCCT_P_HAS(t, HCCT_LOSSY)) out->monitored = out->nodes;
    out->node_bytes = t->stride * 4;
}

HCCT_API uint64_t hcct_threshold(const hcct *t, uint32_t a, uint32_t b) {
    uint64_t threshold = b ? hcct_p_scale(t->stats.total, a, b, 0) : UINT64_MAX;
    return threshold ? threshold : 1;
}

HCCT_API uint32_t hcct_next(const hcct *t, uint32_t node, uint32_t *depth) {
    uint32_t next = hcct_p_child(t, node), level = *depth + 1;
    for (; !next && node; node = hcct_p_at(t, node)[HCCT_P_PARENT]) {
        level--;
        next = hcct_p_at(t, node)[HCCT_P_NEXT];
    }
    *depth = next ? level : 0;
    return next;
}

HCCT_API uint32_t hcct_parent(const hcct *t, uint32_t node) {
    return node ? hcct_p_at(t, node)[HCCT_P_PARENT] : 0;
}

HCCT_API uint32_t hcct_find(const hcct *t, uint32_t parent, uint32_t key) {
    uint32_t before, steps;
    return hcct_p_look(t, parent, key, t->stride, &before, &steps);
}

HCCT_API void hcct_get_context(const hcct *t, uint32_t node, hcct_context *out) {
    uint64_t scaled = t->stats.scaled_total;
    out->node = node;
    out->key = hcct_p_at(t, node)[HCCT_P_KEY];
    out->depth = 0;
    out->certain = 0;
    out->cold = node == 0 || hcct_p_cold(t, node);
    hcct_p_bounds(t, node, &out->lower, &out->upper);
    if (!scaled) return;
    out->lower = hcct_p_scale(out->lower, scaled, t->stats.total, 0);
    out->upper = hcct_p_scale(out->upper, scaled, t->stats.total, 1);
}

HCCT_API uint32_t hcct_path(const hcct *t, uint32_t node, uint32_t *keys, uint32_t max) {
    uint32_t depth = 0, i;
    for (i = node; i; i = hcct_p_at(t, i)[HCCT_P_PARENT]) depth++;
    for (i = depth < max ? depth : max; i; i--) {
        keys[i - 1] = hcct_p_at(t, node)[HCCT_P_KEY];
        node = hcct_p_at(t, node)[HCCT_P_PARENT];
    }
    return depth;
}

static int hcct_p_hotter(const hcct *t, const hcct_context *a, const hcct_context *b) {
    uint32_t i = a->node, k = b->node;
    if (a->lower != b->lower) return a->lower > b->lower;
    if (a->upper != b->upper) return a->upper > b->upper;
    if (a->depth != b->depth) return a->depth < b->depth;
    while (hcct_parent(t, i) != hcct_parent(t, k)) {
        i = hcct_parent(t, i);
        k = hcct_parent(t, k);
    }
    return hcct_p_at(t, i)[HCCT_P_KEY] < hcct_p_at(t, k)[HCCT_P_KEY];
}

/* rows[0..n) is a heap with the coldest on top, but for element i, which may
   have to sink. */
static void hcct_p_sift(const hcct *t, hcct_context *rows, uint32_t n, uint32_t i) {
    for (;;) {
        uint32_t child = 2 * i + 1;
        hcct_context swap;
        if (child >= n) return;
        if (child + 1 < n && hcct_p_hotter(t, &rows[child], &rows[child + 1])) child++;
        if (!hcct_p_hotter(t, &rows[i], &rows[child])) return;
        swap = rows[i];
        rows[i] = rows[child];
        rows[child] = swap;
        i = child;
    }
}

HCCT_API uint32_t hcct_hottest(const hcct *t, uint32_t a, uint32_t b, hcct_context *rows,
                               uint32_t max) {
    uint64_t threshold = hcct_threshold(t, a, b);
    uint32_t i, k, depth = 0, n = 0;
    for (i = hcct_next(t, 0, &depth); i && max; i = hcct_next(t, i, &depth)) {
        uint64_t lower, upper;
        hcct_context row;
        hcct_p_bounds(t, i, &lower, &upper);
        if (upper < threshold || hcct_p_cold(t, i)) continue;
        hcct_get_context(t, i, &row);
        row.depth = depth;
        row.certain = lower >= threshold;
        if (n < max) {
            rows[n++] = row;
            for (k = n == max ? n / 2 : 0; k; k--) hcct_p_sift(t, rows, n, k - 1);
        } else if (hcct_p_hotter(t, &row, &rows[0])) {
            rows[0] = row;
            hcct_p_sift(t, rows, n, 0);
        }
    }
    for (k = n < max ? n / 2 : 0; k; k--) hcct_p_sift(t, rows, n, k - 1);
    for (k = n; k > 1;) { /* the coldest of the rest goes to the end */
        hcct_context coldest = rows[0];
        rows[0] = rows[--k];
        rows[k] = coldest;
        hcct_p_sift(t, rows, k, 0);
    }
    return n;
}
