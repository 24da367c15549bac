/* ---- the cursor ---- */
/* Most input repeats what is known. While it does, nothing is appended: a
   cursor walks along an old occurrence, which starts at a node with the symbol
   of the last of S.

       at                         the next node to match, a terminal; 0: no cursor
       way[0] .. way[depth - 1]   the uses that it has descended through
       total                      symbols that a flush would append
       before[d]                  total when it descended through way[d]

   No node changes while the cursor is on. At a mismatch what was passed is
   appended, in pieces as large as they stand in the grammar. A node must be
   left for each of those and two for a rule, so the grammar counts as full when
   RESERVE + 2 * list_max are free. */

/* Returns 1 if the cursor stands on a symbol again. It does not when it met the
   end of S or of a rule that it entered midway (a guard), or a separator, or
   when it is too deep (a use). */
HOTSTREAM_P_INLINE int hotstream_p_step(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t depth = h->depth, next = n[h->at].next, total = h->total + 1;
    while (hotstream_p_is_guard(n[next].symbol) && depth) {             /* ascend */
        total = h->before[--depth] + 1;                     /* the rule counts as one symbol */
        next = n[h->way[depth]].next;
    }
    while (hotstream_p_is_use(n[next].symbol) && depth < HOTSTREAM_P_DEPTH) {     /* descend */
        h->way[depth] = next;
        h->before[depth++] = total;
        next = n[n[next].symbol - HOTSTREAM_P_USE].next;
    }
    h->depth = depth;
    h->total = total;
    h->at = next;
    return n[next].symbol < HOTSTREAM_P_USE;
}

/* The nodes first to end - 1 stand somewhere in the grammar, and they have
   matched; the last of S has the symbol of `first`. They become the body of a
   new rule, whose uses take their place and that of the last of S:

       .. p first .. q ..       S = .. first         p u q        S = .. u      u = first ..

   That is what appending them one by one leads to, since each new digram would
   be found where the one before it was, and the rule would grow by it. Here no
   node is made for any of them, and their digrams keep their entries. Returns 0
   if the rule would be another one, or would overlap its twin: then nothing has
   changed. */
static int hotstream_p_take_run(hotstream *h, uint32_t first, uint32_t end) {
    hotstream_p_node *n = h->nodes;
    uint32_t before = n[first].prev, stop = n[end].prev, last = n[HOTSTREAM_P_START].prev;
    uint32_t g, use;
    if (stop == first || stop == last || n[before].symbol == n[first].symbol ||
        n[stop].symbol == n[end].symbol ||
        (hotstream_p_is_guard(n[before].symbol) && hotstream_p_is_guard(n[end].symbol))) {
        return 0;
    }
    hotstream_p_forget(h, before, HOTSTREAM_P_LEFT);
    hotstream_p_forget(h, stop, HOTSTREAM_P_LEFT);
    g = hotstream_p_take(h, HOTSTREAM_P_GUARD + 2);
    use = hotstream_p_take(h, HOTSTREAM_P_USE + g);
    h->rules++;
    hotstream_p_link(n, before, use);
    hotstream_p_link(n, use, end);
    hotstream_p_link(n, g, first);
    hotstream_p_link(n, stop, g);
    if (!hotstream_p_is_guard(n[before].symbol)) hotstream_p_push(h, before);
    if (!hotstream_p_is_guard(n[end].symbol)) hotstream_p_push(h, use);
    before = n[last].prev;
    hotstream_p_forget(h, before, HOTSTREAM_P_LEFT);
    hotstream_p_drop(h, n[last].symbol);
    n[last].symbol = HOTSTREAM_P_USE + g;
    hotstream_p_push(h, before);
    if (hotstream_p_used(h, n[first].symbol, 1)) hotstream_p_expand(h, first);
    hotstream_p_settle(h);
    return 1;
}

/* Appends what the cursor has passed. The list is complete before the grammar
   changes, and counts as uses of its rules meanwhile, so that none of them is
   expanded or grown. What stands beside `start` becomes a rule as a whole, if
   it can. */
static void hotstream_p_flush(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t d, i, end, stop, count = 0, beside = 0;
    if (!h->at) return;
    i = n[h->start].next;
    end = h->depth ? h->way[0] : h->at;
    for (d = 0; d <= h->depth; d++) {
        stop = d < h->depth ? h->way[d] : h->at;
        while (i != stop) {
            h->list[count++] = n[i].symbol;
            hotstream_p_count_use(h, n[i].symbol);
            i = n[i].next;
        }
        if (d == 0) beside = count;
        if (d < h->depth) i = n[n[i].symbol - HOTSTREAM_P_USE].next;
    }
    h->at = 0;
    h->owed = count;
    if (hotstream_p_take_run(h, h->start, end)) {
        for (i = 0; i < beside; i++) hotstream_p_drop(h, h->list[i]);
        h->owed -= beside;
    } else {
        beside = 0;
    }
    for (i = beside; i < count; i++) {
        hotstream_p_append(h, h->list[i]);
        h->owed--;
    }
}

/* The last of S has become a use of a rule: the digram before it is looked at.
   Mostly the table does not know it, or it is the body of a rule of two, whose
   use then is the last of S. This is what settle does, without what it needs
   elsewhere: behind the last of S there is no digram to forget, and nothing is
   pending. */
static void hotstream_p_settle_last(hotstream *h) {
    hotstream_p_node *n = h->nodes;
    for (;;) {
        uint32_t last = n[HOTSTREAM_P_START].prev, i = n[last].prev, hash, m, g;
        uint32_t a = n[i].symbol, b = n[last].symbol;
        hotstream_p_slot *slot;
        if (!hotstream_p_pairable(a, b)) return;
        hash = hotstream_p_hash(a, b);
        slot = hotstream_p_find(h, a, b, hash);
        m = slot->node;
        if (!m) {
            slot->hash = hash;
            slot->node = i;
            return;
        }
        if (m == i || n[m].next == i || m == last) return;
        g = n[m].prev;
        if (!hotstream_p_is_guard(n[g].symbol) || g == HOTSTREAM_P_START ||
            n[n[m].next].next != g) {
            hotstream_p_push(h, i);
            hotstream_p_settle(h);
            return;
        }
        hotstream_p_forget(h, n[i].prev, HOTSTREAM_P_LEFT);
        hotstream_p_drop(h, a);
        hotstream_p_drop(h, b);
        n[i].symbol = HOTSTREAM_P_USE + g;
        n[g].symbol++;
        hotstream_p_link(n, i, HOTSTREAM_P_START);
        hotstream_p_release(h, last);
        if (hotstream_p_used(h, n[n[g].next].symbol, 1)) hotstream_p_expand(h, n[g].next);
        if (hotstream_p_used(h, n[n[g].prev].symbol, 1)) hotstream_p_expand(h, n[g].prev);
        hotstream_p_settle(h);
    }
}

/* All of g has matched, and its first symbol is the last of S: that becomes a
   use of g. */
static void hotstream_p_take_rule(hotstream *h, uint32_t g) {
    hotstream_p_node *n = h->nodes;
    uint32_t last = n[HOTSTREAM_P_START].prev;
    hotstream_p_forget(h, n[last].prev, HOTSTREAM_P_LEFT);
    hotstream_p_drop(h, n[last].symbol);
    n[last].symbol = HOTSTREAM_P_USE + g;
    n[g].symbol++;
    if (hotstream_p_used(h, n[n[g].next].symbol, 1)) {
        hotstream_p_expand(h, n[g].next);
        hotstream_p_settle(h);
    }
    hotstream_p_settle_last(h);
}

/* The cursor cannot go on from where a step has brought it, or its list is too
   long. */
HOTSTREAM_P_RARE static void hotstream_p_arrive(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t g = n[h->start].prev;
    if (hotstream_p_is_guard(n[h->at].symbol) && hotstream_p_is_guard(n[g].symbol) &&
        g != HOTSTREAM_P_START) {
        h->at = 0;
        hotstream_p_take_rule(h, g);
    } else {
        hotstream_p_flush(h);
    }
}

HOTSTREAM_P_INLINE void hotstream_p_taken(hotstream *h, uint32_t x) {
    h->hash = h->hash * HOTSTREAM_P_BASE + x + 1;
    h->count++;
}

static void hotstream_p_rebuild(hotstream *h);

/* A symbol that no cursor waits for, behind a separator if references were left
   out. */
HOTSTREAM_P_RARE static int hotstream_p_feed_other(hotstream *h, uint32_t x) {
    const hotstream_p_node *n = h->nodes;
    hotstream_p_slot *slot;
    uint32_t last, hash, m;
    if (h->at) hotstream_p_flush(h);
    if (h->stale) hotstream_p_rebuild(h);
    if (h->free_count < HOTSTREAM_P_RESERVE + 2 * h->list_max + h->separate) return -1;
    if (h->separate) {
        if (h->count) {
            hotstream_p_put_last(h, n[HOTSTREAM_P_START].prev, HOTSTREAM_P_SEPARATOR);
            h->hash = h->hash * HOTSTREAM_P_BASE + HOTSTREAM_P_SEPARATOR + 1;
        }
        h->bursts += h->count || h->taken;
        h->separate = 0;
    }
    hotstream_p_taken(h, x);
    last = n[HOTSTREAM_P_START].prev;
    if (hotstream_p_pairable(n[last].symbol, x)) {
        hash = hotstream_p_hash(n[last].symbol, x);
        slot = hotstream_p_find(h, n[last].symbol, x, hash);
        m = slot->node;
        if (!m) {                                           /* what append would do, sooner */
            slot->hash = hash;
            slot->node = last;
            hotstream_p_put_last(h, last, x);
            return 0;
        }
        if (h->list_max && m != last && n[m].next != last) {
            uint32_t behind = n[n[m].next].next, g = n[m].prev;
            if (hotstream_p_is_guard(n[behind].symbol)) {
                if (g == behind && g != HOTSTREAM_P_START) hotstream_p_take_rule(h, g);
                else hotstream_p_append(h, x);
                return 0;
            }
            h->start = m;
            h->at = n[m].next;
            h->depth = 0;
            h->total = 0;
            if (!hotstream_p_step(h)) hotstream_p_flush(h);
            return 0;
        }
    }
    hotstream_p_append(h, x);
    return 0;
}

HOTSTREAM_API int hotstream_feed(hotstream *h, uint32_t x) {
    if (x >= HOTSTREAM_SYMBOLS) return -1;
    if (h->nodes[h->at].symbol != x) return hotstream_p_feed_other(h, x);
    hotstream_p_taken(h, x);                                /* the walk began with nodes enough */
    if (!hotstream_p_step(h) || h->total >= h->list_max) hotstream_p_arrive(h);
    return 0;
}
