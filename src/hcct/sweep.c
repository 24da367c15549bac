/* ---- sweeps ---- */

/* A sweep visits all nodes once. In Space-Saving it first makes cold what has a
   count up to T. Then, in every algorithm, it frees the cold leaves and what
   they expose, as above. To unlink each of these would touch three other nodes,
   in no order. Instead a second loop makes all lists of children anew, in order
   of node numbers. Cost: two passes over the nodes in order. To avoid branches
   that no processor can foresee, the first loop begins each block of nodes by
   collecting the numbers of those that must be looked at. */

/* Second loop. A hash that is small against the nodes is filled anew. */
static void hcct_p_relink(hcct *t, int rehash) {
    uint32_t *w = t->words, *hash = t->hash, slots = t->hash_slots, i;
    t->free_list = 0;
    if (rehash && t->hash_fill) {
        for (i = 0; i < slots; i++) hash[i] = 0; /* on locals, so that compilers see a memset */
        t->hash_fill = 0;
    }
    for (i = t->used - 1; i; i--) {
        uint32_t *x = w + (size_t)i * HCCT_P_STRIDE, p = x[HCCT_P_PARENT];
        uint32_t *first = p == HCCT_P_FREE ? &t->free_list
                                           : w + (size_t)p * HCCT_P_STRIDE + HCCT_P_CHILD;
        uint32_t was = *first;
        x[HCCT_P_NEXT] = was & HCCT_P_LINK;
        *first = i | (was & HCCT_P_BIT);
        if (was & HCCT_P_BIT && rehash) hcct_p_hash_put(t, i);
    }
}

/* First loop: collects the nodes of from .. end - 1 to look at, and takes them
   out of the lists. */
HCCT_P_INLINE uint32_t hcct_p_pick(const hcct *t, uint32_t from, uint32_t end, uint64_t T,
                                   uint32_t *gone, int saving) {
    uint32_t *x = hcct_p_node(t, from), i, n = 0;
    for (i = from; i < end; i++, x += HCCT_P_STRIDE) {
        uint64_t count = *(uint64_t *)(void *)(x + HCCT_P_COUNT);
        int leaf = x[HCCT_P_CHILDREN] == 0;
        gone[n] = i; /* T - count is 0 .. T for counts up to T, and T + 1 for a cold node */
        n += saving ? T - count <= T + (uint64_t)leaf : leaf && hcct_p_cold(t, i);
        x[HCCT_P_CHILD] &= HCCT_P_BIT;
    }
    return n;
}

static void hcct_p_sweep(hcct *t, uint64_t T) {
    uint32_t *w = t->words, used = t->used, live = t->stats.nodes, gone[HCCT_P_BLOCK];
    uint32_t evicted = 0, i = 1, k, n;
    int saving = hcct_p_saving(t), rehash = t->hash_slots / 4 < used;
    if (hcct_p_full(t)) return;
    if (hcct_p_base(t) < T) t->floor = T - t->stats.lost;
    hcct_p_pin_all(t, 1);
    w[HCCT_P_CHILD] &= HCCT_P_BIT;
    while (i < used) {
        uint32_t end = used - i > HCCT_P_BLOCK ? i + HCCT_P_BLOCK : used;
        n = saving ? hcct_p_pick(t, i, end, T, gone, 1) : hcct_p_pick(t, i, end, T, gone, 0);
        i = end;
        for (k = 0; k < n; k++) {
            uint32_t at = gone[k], soon = gone[k + HCCT_P_AHEAD < n ? k + HCCT_P_AHEAD : k];
            uint64_t *count = hcct_p_count(t, at);
            uint32_t *x = hcct_p_node(t, at);
            HCCT_P_FETCH(hcct_p_node(t, hcct_p_node(t, soon)[HCCT_P_PARENT]));
            if (saving && *count != HCCT_P_NONE) { /* it becomes cold */
                uint32_t error = x[HCCT_P_ERROR];
                if (HCCT_P_LIKELY((*count | error) >> 26 == 0)) error = (uint32_t)*count - error;
                else error = hcct_p_pack(hcct_p_less(*count, hcct_p_unpack(error)), 0);
                x[HCCT_P_ERROR] = error;
                *count = HCCT_P_NONE;
                evicted++;
            }
            while (x[HCCT_P_CHILDREN] == 0) {
                uint32_t parent = x[HCCT_P_PARENT], *p = w + (size_t)parent * HCCT_P_STRIDE;
                if (!rehash && p[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_take(t, at);
                x[HCCT_P_PARENT] = HCCT_P_FREE;
                x[HCCT_P_CHILD] = 0;
                x[HCCT_P_CHILDREN] = 1;
                *(uint64_t *)(void *)(x + HCCT_P_COUNT) = HCCT_P_NONE;
                live--;
                at = parent;
                x = p;
                if (--x[HCCT_P_CHILDREN] & HCCT_P_LINK) break;
                x[HCCT_P_CHILD] = 0;
                if (!saving && !hcct_p_cold(t, at)) break;
                if (saving && *(uint64_t *)(void *)(x + HCCT_P_COUNT) != HCCT_P_NONE) break;
            }
        }
    }
    hcct_p_pin_all(t, 0);
    hcct_p_relink(t, rehash);
    t->stats.monitored -= evicted;
    t->stats.evictions += evicted;
    t->stats.nodes = live;
    t->stats.visits += used;
    t->stats.sweeps++;
    hcct_p_mode(t); /* recent[] may hold nodes that are cold now */
}
