/* ---- a full arena ---- */

/* When a node is wanted and none is left, cold leaves go first. If there are
   none, all leaves up to the 1/16 quantile of their upper bounds are forced
   out, and base is raised to it. base / N tells the truth then, though it may
   pass epsilon. If every leaf is pinned, one path fills the arena. What cannot
   be stored is `lost`. As all of it might belong to one context, base grows by
   it. */

/* Returns whether a node was freed. */
static int hcct_p_make_space(hcct *t) {
    uint32_t live = t->stats.nodes;
    uint64_t T, sampled;
    if (hcct_p_full(t)) return 0;
    hcct_p_sweep(t, 0);
    if (t->stats.nodes < live) return 1;
    if (HCCT_P_HAS(t, HCCT_STICKY)) {
        for (; t->stats.nodes == live && t->stats.rate_shift < 62; t->stats.evicted_for_space++) {
            hcct_p_double_rate(t);
        }
        t->boundary = hcct_p_rate_end(t);
        return t->stats.nodes < live;
    }
    hcct_p_pin_all(t, 1);
    T = hcct_p_smallest(t, 1, 0);
    sampled = hcct_p_quantile(t, 1, 16);
    hcct_p_pin_all(t, 0);
    if (T == HCCT_P_NONE) return 0;
    if (sampled > T) T = sampled;
    hcct_p_sweep(t, T);
    t->stats.evicted_for_space += live - t->stats.nodes;
    return t->stats.nodes < live;
}

/* Makes a first child of p out of a free node. The caller puts it into the
   hash, if p has one. */
HCCT_P_INLINE uint32_t hcct_p_place(hcct *t, uint32_t p, uint32_t key, uint32_t stride) {
    uint32_t *parent = t->words + (size_t)p * stride, child = parent[HCCT_P_CHILD];
    uint32_t i = t->free_list ? t->free_list : t->used++, *n = t->words + (size_t)i * stride;
    if (t->free_list) t->free_list = n[HCCT_P_NEXT];
    n[HCCT_P_KEY] = key;
    n[HCCT_P_PARENT] = p;
    n[HCCT_P_CHILD] = 0;
    n[HCCT_P_NEXT] = child & HCCT_P_LINK;
    parent[HCCT_P_CHILD] = i | (child & HCCT_P_BIT);
    if (stride == HCCT_P_STRIDE) {
        n[HCCT_P_CHILDREN] = 0;
        parent[HCCT_P_CHILDREN]++;
    }
    t->stats.nodes++;
    return i;
}

/* A new first child of p. Returns 0 if there is no place. */
HCCT_P_RARE uint32_t hcct_p_new(hcct *t, uint32_t p, uint32_t key) {
    uint32_t i;
    if (!t->free_list && t->used > t->stats.capacity && !hcct_p_make_space(t)) return 0;
    if (hcct_p_full(t)) {
        i = hcct_p_place(t, p, key, HCCT_P_STRIDE_FULL);
        hcct_p_at(t, i)[HCCT_P_COUNT32] = 0;
    } else {
        i = hcct_p_place(t, p, key, HCCT_P_STRIDE);
        hcct_p_node(t, i)[HCCT_P_ERROR] =
            HCCT_P_HAS(t, HCCT_LOSSY) ? hcct_p_pack(hcct_p_base(t), 1) : 0;
        *hcct_p_count(t, i) = hcct_p_saving(t) ? HCCT_P_NONE : 0;
    }
    if (hcct_p_at(t, p)[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_put(t, i);
    return i;
}
