/* ---- finding a child ---- */

/* Programs differ: in a plain list one needs 1 visit a call, another 30 000. So
   there are 3 ways:

     1 cache   cache[some bits of mix(parent, key)] is mix ^ a node number. It counts only if that
               node has this parent and this key, so no entry is ever cleared. An entry of another
               mix mostly gives a number that no node has, and no memory is fetched for it.
     2 walk    along the list of children. What follows the second place moves to the front.
     3 hash    After a walk of more than HCCT_P_WALK steps, all children of that parent are put into
               the hash of node numbers: linear probing, at most 3/4 full even with all nodes.

   Invariant: the children of a parent that has more than HCCT_P_WALK + 1 of
   them are in the hash. hcct_grow suspends it: it empties the hash, and the
   next walk along such a list fills it again.

   Cost: one node in the first way, at most HCCT_P_WALK + 1 nodes in the second,
   about two probes in the third. So a call never pays for the number of
   children that its caller has. */

/* A hash for the cache alone: its low bits say where. */
HCCT_P_INLINE uint32_t hcct_p_mix(uint32_t parent, uint32_t key) {
    return parent + key * UINT32_C(0x85EBCA6B);
}
HCCT_P_INLINE uint32_t *hcct_p_cached(const hcct *t, uint32_t mix) {
    return t->cache + (size_t)(mix & t->cache_mask);
}
static uint32_t hcct_p_home(const hcct *t, uint32_t parent, uint32_t key) {
    uint32_t mix = parent * UINT32_C(0x9E3779B1) + key * UINT32_C(0x85EBCA6B);
    return (uint32_t)((uint64_t)mix * t->hash_slots >> 32);
}
static uint32_t hcct_p_after(const hcct *t, uint32_t slot) {
    return slot + 1 == t->hash_slots ? 0 : slot + 1;
}

static void hcct_p_hash_put(hcct *t, uint32_t i) {
    const uint32_t *n = hcct_p_at(t, i);
    uint32_t slot = hcct_p_home(t, n[HCCT_P_PARENT], n[HCCT_P_KEY]);
    while (t->hash[slot]) slot = hcct_p_after(t, slot);
    t->hash[slot] = i;
    t->hash_fill++;
}

/* An entry behind the gap moves up unless its home is behind it too: no probe
   ends too early. */
static void hcct_p_hash_take(hcct *t, uint32_t i) {
    const uint32_t *n = hcct_p_at(t, i);
    uint32_t slots = t->hash_slots, gap = hcct_p_home(t, n[HCCT_P_PARENT], n[HCCT_P_KEY]), k;
    while (t->hash[gap] != i) gap = hcct_p_after(t, gap);
    for (k = hcct_p_after(t, gap); t->hash[k]; k = hcct_p_after(t, k)) {
        const uint32_t *m = hcct_p_at(t, t->hash[k]);
        uint32_t home = hcct_p_home(t, m[HCCT_P_PARENT], m[HCCT_P_KEY]);
        uint32_t from_home = k >= home ? k - home : k + slots - home;
        uint32_t from_gap = k >= gap ? k - gap : k + slots - gap;
        if (from_home < from_gap) continue;
        t->hash[gap] = t->hash[k];
        gap = k;
    }
    t->hash[gap] = 0;
    t->hash_fill--;
}

static void hcct_p_hash_children(hcct *t, uint32_t p) {
    uint32_t c;
    for (c = hcct_p_child(t, p); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) hcct_p_hash_put(t, c);
    hcct_p_at(t, p)[HCCT_P_CHILD] |= HCCT_P_BIT;
}

/* i becomes the first child of p. */
HCCT_P_INLINE void hcct_p_link(hcct *t, uint32_t i, uint32_t p, uint32_t stride) {
    uint32_t *first = t->words + (size_t)p * stride + HCCT_P_CHILD;
    t->words[(size_t)i * stride + HCCT_P_NEXT] = *first & HCCT_P_LINK;
    *first = i | (*first & HCCT_P_BIT);
}

/* before: the sibling in front of i, or 0. */
HCCT_P_INLINE void hcct_p_unlink(hcct *t, uint32_t i, uint32_t p, uint32_t before,
                                 uint32_t stride) {
    uint32_t *first = t->words + (size_t)p * stride + HCCT_P_CHILD;
    uint32_t *place = before ? t->words + (size_t)before * stride + HCCT_P_NEXT : first;
    *place = t->words[(size_t)i * stride + HCCT_P_NEXT] | (*place & HCCT_P_BIT);
}

/* Ways 3 and 2: the child or 0, the sibling in front of it, and how many were
   looked at. */
HCCT_P_INLINE uint32_t hcct_p_look(const hcct *t, uint32_t p, uint32_t key, uint32_t stride,
                                   uint32_t *before, uint32_t *steps) {
    const uint32_t *words = t->words;
    uint32_t c = words[(size_t)p * stride + HCCT_P_CHILD], last = 0, count = 0;
    if (c & HCCT_P_BIT) {
        uint32_t slot = hcct_p_home(t, p, key);
        for (; (c = t->hash[slot]) != 0; slot = hcct_p_after(t, slot)) {
            const uint32_t *n = words + (size_t)c * stride;
            if (n[HCCT_P_KEY] == key && n[HCCT_P_PARENT] == p) return c;
        }
        return 0;
    }
    for (; c; c = words[(size_t)c * stride + HCCT_P_NEXT]) {
        count++;
        if (words[(size_t)c * stride + HCCT_P_KEY] == key) break;
        last = c;
    }
    *before = last;
    *steps = count;
    return c;
}
