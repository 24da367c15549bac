/* ---- pruning (section 4, Figure 4) ---- */

/* A node is hot or cold. Cold means: no count (Space-Saving, Sticky Sampling),
   or an upper bound of at most base (Lossy Counting). A cold node earns its
   place only as a caller of a node that is not cold. Two things free cold
   leaves: a sweep, after it has made nodes cold, and a leave, when the cursor
   moves away from a cold leaf. (That happens after enters of weight 0; an enter
   of weight 1 gives the node a count.) Both then look at the caller, which may
   have become a cold leaf by that:

        root                    root               Here c is cold and the cursor has just left
          a 30                    a 30             it; b is cold too, a is counted. c goes, then
          |   \                   |                b, for it has no child any more. The climb
          |    b  (cold)          |                stops wherever a node is counted, has another
          |     \                 |                child, is the cursor, or is pinned.
          d 9    c  (cold)        d 9

   Cost: each freed node was made by one enter, so pruning takes constant time
   per call amortised, but for finding the node in its parent's list. A node
   that is not among the first HCCT_P_WALK siblings stays, as a cold leaf, until
   the next sweep. With several cursors (fibers, folding) a leave frees nothing:
   each cursor must keep its node, and only a sweep pins them all first. */

/* No child, no pin, not the cursor, not the root. */
HCCT_P_INLINE int hcct_p_prunable(const hcct *t, uint32_t i) {
    return hcct_p_node(t, i)[HCCT_P_CHILDREN] == 0 && i != t->run.at.cursor && i != 0;
}

/* i is left for good; it goes if it is a cold leaf, and so do its callers. */
static void hcct_p_prune(hcct *t, uint32_t i) {
    if (hcct_p_full(t) || t->prunes_late) return;
    while (hcct_p_prunable(t, i) && hcct_p_cold(t, i)) {
        uint32_t *n = hcct_p_node(t, i), p = n[HCCT_P_PARENT], before = 0, steps = 0, c;
        uint32_t *parent = hcct_p_node(t, p);
        for (c = hcct_p_child(t, p); c != i; c = hcct_p_node(t, c)[HCCT_P_NEXT]) {
            if (++steps > HCCT_P_WALK) return;
            before = c;
        }
        if (parent[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_take(t, i);
        hcct_p_unlink(t, i, p, before, HCCT_P_STRIDE);
        parent[HCCT_P_CHILDREN]--;
        if (parent[HCCT_P_CHILD] == HCCT_P_BIT) parent[HCCT_P_CHILD] = 0;
        n[HCCT_P_PARENT] = HCCT_P_FREE;
        n[HCCT_P_CHILDREN] = 1;
        n[HCCT_P_NEXT] = t->free_list;
        *hcct_p_count(t, i) = HCCT_P_NONE;
        t->free_list = i;
        t->stats.nodes--;
        i = p;
    }
}

static void hcct_p_pin_stack(hcct *t, const hcct_fiber *f, int on) {
    uint32_t i = f->at.cursor, left = t->config.fold ? f->at.returns : 0;
    for (;; i = f->returns[--left]) {
        uint32_t *n = hcct_p_node(t, i < t->used ? i : 0);
        if (on) n[HCCT_P_CHILDREN] |= HCCT_P_BIT;
        else if (n != t->words) n[HCCT_P_CHILDREN] &= HCCT_P_LINK; /* the root stays pinned */
        if (left == 0) return;
    }
}

/* All cursors: the running one, those of fibers, and nodes that folding comes
   back to. */
static void hcct_p_pin_all(hcct *t, int on) {
    const hcct_fiber *f;
    hcct_p_pin_stack(t, &t->run, on);
    if (t->running) hcct_p_pin_stack(t, &t->main, on);
    for (f = t->fibers; f; f = f->next) {
        if (f != t->running) hcct_p_pin_stack(t, f, on);
    }
}
