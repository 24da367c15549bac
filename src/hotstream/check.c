/* ---- the self-check ---- */

/* Links and names of rules, which everything else follows. That each node is
   the `prev` of its `next` makes the other direction right, too. */
static uint64_t hotstream_p_check_links(const hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t i;
    uint64_t bad = 0;
    for (i = 1; i <= h->used; i++) {
        uint32_t next = n[i].next, g = n[i].symbol - HOTSTREAM_P_USE;
        if (n[i].symbol == HOTSTREAM_P_FREE) continue;
        bad += next - 1 >= h->used || n[next].symbol == HOTSTREAM_P_FREE || n[next].prev != i;
        if (!hotstream_p_is_use(n[i].symbol)) continue;
        bad += g - 1 >= h->used || n[g].symbol == HOTSTREAM_P_FREE ||
               !hotstream_p_is_guard(n[g].symbol);
    }
    return bad;
}

/* Each digram against the table. */
static uint64_t hotstream_p_check_digrams(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t i, found = 0;
    uint64_t bad = 0;
    for (i = 1; i <= h->used; i++) {
        uint32_t a = n[i].symbol, b = n[n[i].next].symbol, m;
        if (!hotstream_p_pairable(a, b)) continue;
        m = hotstream_p_find(h, a, b, hotstream_p_hash(a, b))->node;
        found += m == i;
        if (h->dropped) continue;
        bad += m == 0 || (m != i && n[m].next != i && n[i].next != m);
    }
    for (i = 0; i < h->slots; i++) found -= h->table[i].node != 0;
    return bad + (found != 0);                              /* an entry that no digram finds */
}

/* Rings and numbers of uses, which are counted in the memory of the table. */
static uint64_t hotstream_p_check_rules(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t *counts = (uint32_t *)(void *)h->table, i, k, rules = 0, reached = 0, live = 0;
    uint64_t bad = 0;
    h->stale = 1;
    hotstream_p_zero(counts, ((size_t)h->used + 1) * sizeof *counts);
    for (i = 1; i <= h->used; i++) {
        live += n[i].symbol != HOTSTREAM_P_FREE;
        if (hotstream_p_is_use(n[i].symbol)) counts[n[i].symbol - HOTSTREAM_P_USE]++;
    }
    for (i = 1; i <= h->used; i++) {
        int is_start = i == HOTSTREAM_P_START;
        uint32_t length = 0;
        if (n[i].symbol == HOTSTREAM_P_FREE || !hotstream_p_is_guard(n[i].symbol)) continue;
        rules++;
        for (k = n[i].next; k != i && length <= h->used; k = n[k].next) {
            bad += n[k].symbol >= HOTSTREAM_P_SEPARATOR + (uint32_t)is_start;
            length++;
        }
        reached += length + 1;
        bad += n[i].symbol != HOTSTREAM_P_GUARD + counts[i] + (uint32_t)is_start;
        bad += !is_start && (length < 2 || counts[i] < 2);
    }
    bad += rules != h->rules + 1 || live != h->capacity - h->free_count;
    return bad + (reached != live);
}

/* The hash of what S stands for: that of a rule is x -> scale * x + sum. */
static uint64_t hotstream_p_check_meaning(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint64_t *sum, *scale, steps = UINT64_MAX;
    uint32_t k, i;
    hotstream_p_walk_begin(h);
    if (!hotstream_p_walk_on(h, &steps) || h->finished) return 1;
    sum = h->cold;
    scale = sum + h->rule_count;                            /* the walk's other half */
    for (k = h->rule_count; k-- > 0; ) {
        uint64_t add = 0, times = 1;
        for (i = n[h->rule_guard[k]].next; i != h->rule_guard[k]; i = n[i].next) {
            if (hotstream_p_is_use(n[i].symbol)) {
                uint32_t child = hotstream_p_rule_of(h, n[i].symbol);
                add = add * scale[child] + sum[child];
                times *= scale[child];
            } else {
                add = add * HOTSTREAM_P_BASE + n[i].symbol + 1;
                times *= HOTSTREAM_P_BASE;
            }
        }
        sum[k] = add;
        scale[k] = times;
    }
    if (h->count < UINT32_MAX && h->rule_length[0] != h->count) return 1;
    return sum[0] != h->hash;
}

HOTSTREAM_API uint64_t hotstream_check(hotstream *h) {
    uint64_t bad;
    hotstream_p_stand(h);
    bad = hotstream_p_check_links(h);
    if (!bad) bad = hotstream_p_check_digrams(h);
    if (!bad) bad = hotstream_p_check_rules(h);
    if (!bad) bad = hotstream_p_check_meaning(h);
    if (!bad) hotstream_p_rebuild(h);
    return bad;
}
