/* ---- events ---- */

/* What the fast way leaves: newcomers, other algorithms, counters near their
   end. */
HCCT_P_RARE void hcct_p_credit_slow(hcct *t, uint32_t i, uint64_t w) {
    uint64_t *count;
    hcct_p_sync(t);
    if (w == 0 && !t->zeros) {
        t->zeros = 1;
        hcct_p_mode(t);
    }
    if (w == 0) return;
    if (w > 1) t->stats.weighted = 1;
    if (HCCT_P_HAS(t, HCCT_STICKY)) {
        hcct_p_sticky(t, i, w);
        return;
    }
    t->stats.total = hcct_p_add_to(t, t->stats.total, w, UINT64_MAX);
    count = hcct_p_count(t, i);
    if (hcct_p_saving(t) && *count == HCCT_P_NONE) hcct_p_take_over(t, i, w);
    else *count = hcct_p_add_to(t, *count, w, HCCT_P_NONE - 1);
    if (HCCT_P_HAS(t, HCCT_LOSSY) && t->stats.total >= t->boundary) hcct_p_lossy_boundary(t);
}

HCCT_P_INLINE void hcct_p_credit(hcct *t, uint32_t i, uint64_t w, uint32_t stride) {
    if (stride == HCCT_P_STRIDE_FULL) {
        uint32_t *count = t->words + (size_t)i * HCCT_P_STRIDE_FULL + HCCT_P_COUNT32;
        if (HCCT_P_LIKELY((t->stats.total | w) < UINT64_C(1) << 63)) t->stats.total += w;
        else t->stats.total = hcct_p_add_to(t, t->stats.total, w, UINT64_MAX);
        if (HCCT_P_LIKELY(w <= UINT32_MAX - *count)) *count += (uint32_t)w;
        else *count = (uint32_t)hcct_p_add_to(t, *count, w, UINT32_MAX);
    } else {
        uint64_t *count = hcct_p_count(t, i);
        if (!HCCT_P_LIKELY((*count | w | t->stats.total) < t->fast_below)) {
            hcct_p_credit_slow(t, i, w);
            return;
        }
        *count += w;
        t->stats.total += w;
        if (w > 1) t->stats.weighted = 1;
    }
}

static void hcct_p_credit_any(hcct *t, uint32_t i, uint64_t w) {
    if (hcct_p_full(t)) hcct_p_credit(t, i, w, HCCT_P_STRIDE_FULL);
    else hcct_p_credit(t, i, w, HCCT_P_STRIDE);
}

/* Weight without a node: of calls below the depth limit, or without a place in
   the arena. */
static void hcct_p_account(hcct *t, uint64_t w) {
    hcct_stats *s = &t->stats;
    if (t->run.at.cut) {
        s->below_depth_limit = hcct_p_add_to(t, s->below_depth_limit, w, UINT64_MAX);
    } else {
        s->total = hcct_p_add_to(t, s->total, w, UINT64_MAX);
        s->lost = hcct_p_add_to(t, s->lost, w, UINT64_MAX);
    }
}

/* The call of key is not stored: run.at.over such calls are open. cut: because
   of a limit. */
HCCT_P_RARE void hcct_p_not_stored(hcct *t, uint32_t key, uint64_t w, uint32_t cut) {
    uint32_t over = t->run.at.over;
    if (over == 0) t->run.at.cut = cut;
    if (over < HCCT_UNSTORED_KEYS) t->run.unstored[over] = key;
    if (over != UINT32_MAX) t->run.at.over++;
    hcct_p_account(t, w);
    hcct_p_mode(t);
}

/* The fast way, for full and for pruned trees: stride is a constant. Whatever
   is unusual ends in a call, so that the usual case needs no stack. */
HCCT_P_INLINE void hcct_p_step(hcct *t, uint32_t depth, uint32_t c, uint64_t w, uint32_t stride) {
    depth++;
    t->run.at.depth = depth;
    t->recent[depth % 32] = c;
    hcct_p_credit(t, c, w, stride);
}

/* Whether a newcomer can be counted at once: there is room, and no number is
   near its end. */
HCCT_P_INLINE int hcct_p_plain(const hcct *t, uint64_t w) {
    return hcct_p_saving(t) && w - 1 < UINT32_MAX && t->stats.monitored < t->stats.monitored_max &&
           (t->free_list || t->used <= t->stats.capacity) && t->stats.total >> 62 == 0 &&
           (t->floor | t->stats.lost) >> 25 == 0;
}

/* hcct_p_new and hcct_p_take_over in one. */
HCCT_P_INLINE uint32_t hcct_p_arrive(hcct *t, uint32_t key, uint64_t w, uint32_t p) {
    uint64_t base = t->floor + t->stats.lost;
    uint32_t i = hcct_p_place(t, p, key, HCCT_P_STRIDE);
    *hcct_p_count(t, i) = base + w;
    hcct_p_node(t, i)[HCCT_P_ERROR] = (uint32_t)base;
    t->stats.monitored++;
    t->stats.total += w;
    if (w > 1) t->stats.weighted = 1;
    t->recent[++t->run.at.depth % 32] = i;
    if (hcct_p_node(t, p)[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_put(t, i);
    return i;
}

/* A child that the cache does not know. */
HCCT_P_INLINE void hcct_p_search(hcct *t, uint32_t key, uint64_t w, uint32_t p, uint32_t mix,
                                 uint32_t stride) {
    uint32_t depth = t->run.at.depth, before = 0, steps = 0;
    uint32_t c = hcct_p_look(t, p, key, stride, &before, &steps);
    if (c && steps > 2) {
        hcct_p_unlink(t, c, p, before, stride);
        hcct_p_link(t, c, p, stride);
    }
    if (steps > HCCT_P_WALK) hcct_p_hash_children(t, p);
    if (!c && stride == HCCT_P_STRIDE && hcct_p_plain(t, w)) {
        *hcct_p_cached(t, mix) = hcct_p_arrive(t, key, w, p) ^ mix;
        return;
    }
    if (!c) {
        t->run.at.cursor = p;
        c = hcct_p_new(t, p, key);
    }
    *hcct_p_cached(t, mix) = c ^ mix;
    if (c) hcct_p_step(t, depth, c, w, stride);
    else hcct_p_not_stored(t, key, w, 0);
}

HCCT_P_RARE void hcct_p_search_full(hcct *t, uint32_t key, uint64_t w, uint32_t p, uint32_t mix) {
    hcct_p_search(t, key, w, p, mix, HCCT_P_STRIDE_FULL);
}
HCCT_P_RARE void hcct_p_search_pruned(hcct *t, uint32_t key, uint64_t w, uint32_t p, uint32_t mix) {
    hcct_p_search(t, key, w, p, mix, HCCT_P_STRIDE);
}

HCCT_P_INLINE void hcct_p_enter(hcct *t, uint32_t key, uint64_t w, uint32_t stride) {
    uint32_t depth = t->run.at.depth, p = t->recent[depth % 32];
    uint32_t mix = hcct_p_mix(p, key), c = *hcct_p_cached(t, mix) ^ mix;
    size_t n = (size_t)c * stride; /* no pointer yet: c may be anything */
    int hit = c < t->used && t->words[n + HCCT_P_KEY] == key && t->words[n + HCCT_P_PARENT] == p;
    if (HCCT_P_LIKELY(hit)) hcct_p_step(t, depth, c, w, stride);
    else if (stride == HCCT_P_STRIDE_FULL) hcct_p_search_full(t, key, w, p, mix);
    else hcct_p_search_pruned(t, key, w, p, mix);
}

/* With folding, the call goes back to the nearest of `fold` open contexts with
   its key. It leaves the node that it came from on `returns`. A sweep pins what
   is there. */
HCCT_P_RARE void hcct_p_enter_slow(hcct *t, uint32_t key, uint64_t w) {
    hcct_fiber *run = &t->run;
    uint32_t from, i, fold = t->config.fold, k, to = 0, before, steps = 0;
    int full_returns = fold && run->at.returns >= run->return_max;
    hcct_p_sync(t);
    if (run->at.over || run->at.depth >= t->depth_limit || full_returns) {
        hcct_p_not_stored(t, key, w, 1);
        return;
    }
    if (!fold) {
        t->recent_from = run->at.depth - 15; /* recent[] is full: forget half of it */
        hcct_p_window(t);
        if (hcct_p_full(t)) hcct_p_enter(t, key, w, HCCT_P_STRIDE_FULL);
        else hcct_p_enter(t, key, w, HCCT_P_STRIDE);
        return;
    }
    i = from = run->at.cursor;
    for (k = 0; i && k < fold && !to; k++) {
        if (hcct_p_at(t, i)[HCCT_P_KEY] == key) to = i;
        i = hcct_p_at(t, i)[HCCT_P_PARENT];
    }
    run->returns[run->at.returns++] = from;
    if (!to) to = hcct_p_look(t, from, key, t->stride, &before, &steps);
    if (steps > HCCT_P_WALK) hcct_p_hash_children(t, from);
    if (!to) to = hcct_p_new(t, from, key);
    if (!to) {
        run->at.returns--;
        hcct_p_not_stored(t, key, w, 0);
        return;
    }
    run->at.cursor = to;
    run->at.depth++;
    hcct_p_mode(t);
    hcct_p_credit_any(t, to, w);
}

HCCT_P_RARE void hcct_p_enter_rest(hcct *t, uint32_t key, uint64_t w) {
    if (t->run.at.depth < t->stop_full) hcct_p_enter(t, key, w, HCCT_P_STRIDE_FULL);
    else hcct_p_enter_slow(t, key, w);
}

HCCT_API void hcct_enter(hcct *t, uint32_t key, uint64_t weight) {
    HCCT_ASSERT(key != 0);
    if (HCCT_P_LIKELY(t->run.at.depth < t->stop)) hcct_p_enter(t, key, weight, HCCT_P_STRIDE);
    else hcct_p_enter_rest(t, key, weight);
}

HCCT_P_RARE void hcct_p_leave_slow(hcct *t) {
    hcct_fiber *run = &t->run;
    uint32_t i = t->recent[run->at.depth % 32], k, up;
    run->at.cursor = i;
    if (run->at.over) {
        if (--run->at.over == 0) hcct_p_mode(t);
        return;
    }
    if (i == 0 || (t->config.fold && run->at.returns == 0)) {
        t->stats.unmatched++;
        return;
    }
    up = t->config.fold ? run->returns[--run->at.returns] : hcct_p_at(t, i)[HCCT_P_PARENT];
    run->at.cursor = up;
    run->at.depth--;
    t->recent[run->at.depth % 32] = up;
    t->recent_from = run->at.depth;
    if (t->stay != UINT32_MAX) { /* learn more callers at once, so that the next leaves are fast */
        for (k = 0; k < 16 && up; k++) {
            up = hcct_p_at(t, up)[HCCT_P_PARENT];
            t->recent[--t->recent_from % 32] = up;
        }
    } else {
        hcct_p_prune(t, i);
    }
    hcct_p_window(t);
}

HCCT_API void hcct_leave(hcct *t) {
    uint32_t depth = t->run.at.depth;
    if (HCCT_P_LIKELY(depth > t->stay)) t->run.at.depth = depth - 1;
    else hcct_p_leave_slow(t);
}

HCCT_P_RARE void hcct_p_enter_at_slow(hcct *t, uint32_t depth, uint32_t key, uint64_t weight) {
    uint64_t open = (uint64_t)t->run.at.depth + t->run.at.over;
    for (; open > depth; open--) hcct_leave(t);
    hcct_enter(t, key, weight);
}

/* Plain leaves only lower the depth: one store does for all of them. */
HCCT_API void hcct_enter_at(hcct *t, uint32_t depth, uint32_t key, uint64_t weight) {
    HCCT_ASSERT(key != 0);
    if (HCCT_P_LIKELY(depth >= t->stay && depth < t->stop)) {
        t->run.at.depth = depth;
        hcct_p_enter(t, key, weight, HCCT_P_STRIDE);
    } else hcct_p_enter_at_slow(t, depth, key, weight);
}

HCCT_API int hcct_enter_known(hcct *t, uint32_t depth, uint32_t key) {
    uint32_t p = t->recent[depth % 32], mix = hcct_p_mix(p, key), c = *hcct_p_cached(t, mix) ^ mix;
    uint32_t *n = t->words + (size_t)c * HCCT_P_STRIDE;
    uint64_t *count = (uint64_t *)(void *)(n + HCCT_P_COUNT);
    if (depth < t->stay || depth >= t->stop || c >= t->used) return 0;
    if (n[HCCT_P_KEY] != key || n[HCCT_P_PARENT] != p) return 0;
    if ((*count | t->stats.total) >= t->fast_below) return 0;
    ++*count;
    t->stats.total++;
    t->run.at.depth = ++depth;
    t->recent[depth % 32] = c;
    return 1;
}

HCCT_API void hcct_add(hcct *t, uint64_t weight) {
    hcct_stats *s = &t->stats;
    hcct_p_sync(t);
    if (t->run.at.over) hcct_p_account(t, weight);
    else if (t->run.at.cursor) hcct_p_credit_any(t, t->run.at.cursor, weight);
    else s->outside_any_context = hcct_p_add_to(t, s->outside_any_context, weight, UINT64_MAX);
}

/* Calls that are not stored are searched first, the innermost one first. */
HCCT_API int hcct_leave_key(hcct *t, uint32_t key) {
    uint32_t over = t->run.at.over, i = t->recent[t->run.at.depth % 32], left = t->run.at.returns;
    uint32_t levels = 1, k;
    for (k = over; k; k--) {
        if (k <= HCCT_UNSTORED_KEYS && t->run.unstored[k - 1] != key) continue;
        t->stats.repaired += over - k;
        t->run.at.over = k;
        hcct_leave(t);
        return 1;
    }
    while (i && hcct_p_at(t, i)[HCCT_P_KEY] != key) {
        if (!t->config.fold) i = hcct_p_at(t, i)[HCCT_P_PARENT];
        else i = left ? t->run.returns[--left] : 0;
        levels++;
    }
    if (i == 0 || (t->config.fold && left == 0)) {
        t->stats.unmatched++;
        return 0;
    }
    t->stats.repaired += over + levels - 1;
    if (over) {
        t->run.at.over = 1;
        hcct_leave(t);
    }
    for (; levels; levels--) hcct_leave(t);
    return 1;
}

HCCT_API hcct_place hcct_position(const hcct *t) {
    hcct_place place = t->run.at;
    place.cursor = t->recent[place.depth % 32];
    return place;
}

HCCT_API void hcct_return_to(hcct *t, const hcct_place *place) {
    uint32_t i = t->recent[t->run.at.depth % 32], to = place->cursor;
    int known = to < t->used && !(to && hcct_p_is_free(t, to));
    if (place->returns > t->run.at.returns) known = 0;
    HCCT_ASSERT(known);
    if (!known) return;
    t->run.at = *place;
    hcct_p_mode(t);
    hcct_p_prune(t, i);
}
