/* ---- changing the grammar ---- */

/* The digram at i becomes one use of g. The table must not name i for that
   digram any more. */
static void hotstream_p_substitute(hotstream *h, uint32_t i, uint32_t g) {
    hotstream_p_node *n = h->nodes;
    uint32_t j = n[i].next;
    hotstream_p_forget(h, n[i].prev, HOTSTREAM_P_LEFT);
    hotstream_p_forget(h, j, HOTSTREAM_P_RIGHT);
    hotstream_p_drop(h, n[i].symbol);
    hotstream_p_drop(h, n[j].symbol);
    n[i].symbol = HOTSTREAM_P_USE + g;
    n[g].symbol++;
    hotstream_p_link(n, i, n[j].next);
    hotstream_p_release(h, j);
}

/* u is the only use of its rule: the body takes its place. Digrams inside keep
   their entries. */
static void hotstream_p_expand(hotstream *h, uint32_t u) {
    hotstream_p_node *n = h->nodes;
    uint32_t g = n[u].symbol - HOTSTREAM_P_USE, first = n[g].next, last = n[g].prev;
    uint32_t before = n[u].prev, after = n[u].next;
    hotstream_p_forget(h, before, HOTSTREAM_P_LEFT);
    hotstream_p_forget(h, u, HOTSTREAM_P_RIGHT);
    hotstream_p_link(n, before, first);
    hotstream_p_link(n, last, after);
    hotstream_p_release(h, u);
    hotstream_p_release(h, g);
    h->rules--;
    if (!hotstream_p_is_guard(n[before].symbol)) hotstream_p_push(h, before);
    if (!hotstream_p_is_guard(n[after].symbol)) hotstream_p_push(h, last);
}

/* Growing, the fast path for repeats: without it each symbol of a repeat makes
   a rule and expands the one before. Rule g is used exactly at i and m, and
   both uses are followed by b: g swallows b. (The mirror image is so rare that
   the general way below is as fast.) */
static void hotstream_p_grow(hotstream *h, uint32_t i, uint32_t m, hotstream_p_slot *slot) {
    hotstream_p_node *n = h->nodes;
    uint32_t j = n[i].next, k = n[m].next, b = n[j].symbol;
    uint32_t g = n[i].symbol - HOTSTREAM_P_USE, last = n[g].prev;
    hotstream_p_delete(h, slot);
    hotstream_p_forget(h, k, HOTSTREAM_P_RIGHT);
    hotstream_p_link(n, m, n[k].next);
    hotstream_p_forget(h, j, HOTSTREAM_P_RIGHT);
    hotstream_p_link(n, i, n[j].next);
    hotstream_p_release(h, j);
    hotstream_p_drop(h, b);
    hotstream_p_link(n, last, k);
    hotstream_p_link(n, k, g);
    hotstream_p_push(h, m);
    hotstream_p_push(h, i);
    hotstream_p_push(h, last);
    if (hotstream_p_used(h, b, 1)) hotstream_p_expand(h, k);
}

/* Is the digram at i the whole body of a rule? */
HOTSTREAM_P_INLINE int hotstream_p_whole(const hotstream_p_node *n, uint32_t i) {
    uint32_t g = n[i].prev;
    return hotstream_p_is_guard(n[g].symbol) && g != HOTSTREAM_P_START && n[n[i].next].next == g;
}

/* The digrams at i and m are equal and apart: a rule takes the place of
   both. */
static void hotstream_p_match(hotstream *h, uint32_t i, uint32_t m, hotstream_p_slot *slot) {
    hotstream_p_node *n = h->nodes;
    uint32_t a = n[i].symbol, b = n[n[i].next].symbol, g, left;
    int old_is_rule = hotstream_p_whole(n, m), new_is_rule = hotstream_p_whole(n, i);
    if (old_is_rule && new_is_rule) {           /* would leave a body of one; never seen */
        h->dropped++;
        return;
    }
    if (old_is_rule) {
        g = n[m].prev;
        hotstream_p_substitute(h, i, g);
        left = i;
    } else if (new_is_rule) {
        g = n[i].prev;
        slot->node = i;
        hotstream_p_substitute(h, m, g);
        left = m;
    } else if (hotstream_p_used(h, a, 2)) {
        hotstream_p_grow(h, i, m, slot);
        return;
    } else if (h->free_count < 3 + h->owed) {
        h->dropped++;
        return;
    } else {
        g = hotstream_p_take(h, HOTSTREAM_P_GUARD);
        slot->node = hotstream_p_take(h, a);    /* first: from now on the entry lives in the rule */
        left = hotstream_p_take(h, b);
        hotstream_p_link(n, g, slot->node);
        hotstream_p_link(n, slot->node, left);
        hotstream_p_link(n, left, g);
        hotstream_p_count_use(h, a);
        hotstream_p_count_use(h, b);
        h->rules++;
        hotstream_p_substitute(h, m, g);
        hotstream_p_push(h, m);
        hotstream_p_push(h, n[m].prev);
        hotstream_p_substitute(h, i, g);
        left = i;
    }
    if (!hotstream_p_is_guard(n[n[left].next].symbol)) hotstream_p_push(h, left);
    hotstream_p_push(h, n[left].prev);          /* last in, first out: the left one comes first */
    /* Only the first or the last symbol of g can have lost all uses but this
       one. */
    if (hotstream_p_used(h, n[n[g].next].symbol, 1)) hotstream_p_expand(h, n[g].next);
    if (hotstream_p_used(h, n[n[g].prev].symbol, 1)) hotstream_p_expand(h, n[g].prev);
}

static void hotstream_p_settle(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    while (h->pending_count) {
        uint32_t i = h->pending[--h->pending_count], j = n[i].next, hash, m;
        uint32_t a = n[i].symbol, b = n[j].symbol;
        hotstream_p_slot *slot;
        if (!hotstream_p_pairable(a, b)) continue;
        hash = hotstream_p_hash(a, b);
        slot = hotstream_p_find(h, a, b, hash);
        m = slot->node;
        if (!m) {
            slot->hash = hash;
            slot->node = i;
        } else if (m != i && n[m].next != i && j != m) {    /* not itself, not the overlap of aaa */
            hotstream_p_match(h, i, m, slot);
        }
    }
}

/* A node at the end of S, whose digram the table does not know yet. */
HOTSTREAM_P_INLINE void hotstream_p_put_last(hotstream *h, uint32_t last, uint32_t symbol) {
    uint32_t i = hotstream_p_take(h, symbol);
    hotstream_p_link(h->nodes, last, i);
    hotstream_p_link(h->nodes, i, HOTSTREAM_P_START);
}

/* A use is counted already: by the list of a flush. */
static void hotstream_p_append(hotstream *h, uint32_t symbol) {
    uint32_t last = h->nodes[HOTSTREAM_P_START].prev;
    hotstream_p_put_last(h, last, symbol);
    hotstream_p_push(h, last);
    hotstream_p_settle(h);
}
