/* ---- events ---- */

/* Credits weight to i, where the running stack stands, in any state. */
HCCT_P_RARE void hcct_p_credit_slow(hcct *t, uint32_t i, uint64_t w) {
    uint32_t *full = hcct_p_at(t, i) + HCCT_P_COUNT32;
    uint64_t *count;
    hcct_p_sync(t);
    if (w == 0) {
        if (hcct_p_cold(t, i)) hcct_p_mode(t); /* its leave is not plain */
        return;
    }
    if (HCCT_P_HAS(t, HCCT_STICKY)) {
        if (w > 1) t->stats.weighted = 1;
        hcct_p_sticky(t, i, w);
        if (hcct_p_cold(t, i)) hcct_p_mode(t);
        return;
    }
    t->stats.total = hcct_p_add_to(t, t->stats.total, w, UINT64_MAX);
    if (t->stats.total >> 60 && t->stop_any) hcct_p_mode(t);
    if (hcct_p_full(t)) {
        *full = (uint32_t)hcct_p_add_to(t, *full, w, UINT32_MAX);
        return;
    }
    if (w > 1) t->stats.weighted = 1;
    count = hcct_p_count(t, i);
    if (hcct_p_saving(t) && *count == HCCT_P_NONE) hcct_p_take_over(t, i, w);
    else *count = hcct_p_add_to(t, *count, w, HCCT_P_NONE - 1);
    if (!HCCT_P_HAS(t, HCCT_LOSSY)) return;
    if (t->stats.total >= t->boundary) hcct_p_lossy_boundary(t);
    if (hcct_p_cold(t, i)) hcct_p_mode(t);
}

/* The same, and quick in full trees and Space-Saving where no counter is near its
   end and i is counted: the count of a cold node is no number below 2^60. */
HCCT_P_INLINE void hcct_p_credit(hcct *t, uint32_t i, uint64_t w, uint32_t stride) {
    uint64_t before = t->stats.total, total = before + w;
    if (stride == HCCT_P_STRIDE_FULL) {
        uint32_t *count = t->words + (size_t)i * HCCT_P_STRIDE_FULL + HCCT_P_COUNT32;
        if (HCCT_P_LIKELY((before | total) >> 60 == 0 && w <= UINT32_MAX - *count)) {
            *count += (uint32_t)w;
            t->stats.total = total;
            return;
        }
    } else if (HCCT_P_LIKELY(hcct_p_saving(t))) {
        uint64_t *count = hcct_p_count(t, i);
        if (HCCT_P_LIKELY((*count | w | before | total) >> 60 == 0)) {
            *count += w;
            t->stats.total = total;
            if (w > 1) t->stats.weighted = 1;
            return;
        }
    }
    hcct_p_credit_slow(t, i, w);
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

/* Whether a newcomer can be counted at once: there is room, and no number is
   near its end. */
HCCT_P_INLINE int hcct_p_has_room(const hcct *t, uint64_t w) {
    return hcct_p_saving(t) && w - 1 < UINT32_MAX && t->stats.monitored < t->stats.monitored_max &&
           (t->free_list || t->used <= t->stats.capacity) && (t->floor | t->stats.lost) >> 25 == 0;
}

/* hcct_p_new and hcct_p_take_over in one. */
HCCT_P_INLINE uint32_t hcct_p_arrive(hcct *t, uint32_t p, uint32_t key, uint64_t w) {
    uint64_t base = t->floor + t->stats.lost;
    uint32_t i = hcct_p_place(t, p, key, HCCT_P_STRIDE);
    *hcct_p_count(t, i) = base + w;
    hcct_p_node(t, i)[HCCT_P_ERROR] = (uint32_t)base;
    t->stats.monitored++;
    t->stats.total += w;
    if (w > 1) t->stats.weighted = 1;
    if (hcct_p_node(t, p)[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_put(t, i);
    return i;
}

/* The cache does not know the child: looks for it. Returns 0 if it is not there. */
HCCT_P_INLINE uint32_t hcct_p_search(hcct *t, uint32_t p, uint32_t key, uint32_t stride) {
    uint32_t before = 0, steps = 0, c = hcct_p_look(t, p, key, stride, &before, &steps);
    if (c && steps > 2) {
        hcct_p_unlink(t, c, p, before, stride);
        hcct_p_link(t, c, p, stride);
    }
    if (steps > HCCT_P_WALK) hcct_p_hash_children(t, p);
    return c;
}

/* The call of node c begins. */
HCCT_P_RARE void hcct_p_step_slow(hcct *t, uint32_t c, uint64_t w) {
    hcct_p_down(t, c);
    hcct_p_credit_slow(t, c, w);
}
HCCT_P_INLINE void hcct_p_step(hcct *t, uint32_t c, uint64_t w, uint32_t stride) {
    if (HCCT_P_LIKELY(t->at < t->stop_any)) {
        t->recent[++t->at] = c;
        hcct_p_credit(t, c, w, stride);
    } else hcct_p_step_slow(t, c, w);
}

/* The cache does not know the child of key. */
HCCT_P_INLINE void hcct_p_enter_searched(hcct *t, uint32_t key, uint64_t w, uint32_t p,
                                         uint32_t mix, uint32_t stride) {
    uint32_t c = hcct_p_search(t, p, key, stride);
    if (!c && stride == HCCT_P_STRIDE && t->at < t->stop_any && hcct_p_has_room(t, w)) {
        c = hcct_p_arrive(t, p, key, w);
        *hcct_p_cached(t, mix) = c ^ mix;
        t->recent[++t->at] = c;
        return;
    }
    if (!c) {
        hcct_p_sync(t);
        c = hcct_p_new(t, p, key);
    }
    *hcct_p_cached(t, mix) = c ^ mix;
    if (c) hcct_p_step(t, c, w, stride);
    else hcct_p_not_stored(t, key, w, 0);
}
HCCT_P_RARE void hcct_p_enter_searched_full(hcct *t, uint32_t key, uint64_t w, uint32_t p,
                                            uint32_t mix) {
    hcct_p_enter_searched(t, key, w, p, mix, HCCT_P_STRIDE_FULL);
}
HCCT_P_RARE void hcct_p_enter_searched_pruned(hcct *t, uint32_t key, uint64_t w, uint32_t p,
                                              uint32_t mix) {
    hcct_p_enter_searched(t, key, w, p, mix, HCCT_P_STRIDE);
}

/* c's count was at its end, or it was cold: takes the plain count back. */
HCCT_P_RARE void hcct_p_uncounted(hcct *t, uint32_t c) {
    if (hcct_p_full(t)) hcct_p_at(t, c)[HCCT_P_COUNT32]--;
    else --*hcct_p_count(t, c);
    t->stats.total--;
    hcct_p_credit_slow(t, c, 1);
}

/* Counts a plain call of c, with its node n. Returns whether that was all. */
HCCT_P_INLINE int hcct_p_count_plain(hcct *t, ptrdiff_t at, uint32_t c, uint32_t *n,
                                     uint32_t stride) {
    t->recent[at + 1] = c;
    t->at = at + 1;
    t->stats.total++;
    if (stride == HCCT_P_STRIDE_FULL) return ++n[HCCT_P_COUNT32] != 0;
    return ++*(uint64_t *)(void *)(n + HCCT_P_COUNT) != 0;
}

/* An enter in a node of `stride` words, a constant; as is `ones`: it is plain, and
   w is 1. Whatever is unusual ends in a call, so that the usual case needs no
   stack. */
HCCT_P_INLINE void hcct_p_enter(hcct *t, ptrdiff_t at, uint32_t key, uint64_t w, uint32_t stride,
                                int ones) {
    uint32_t p = t->recent[at], mix = hcct_p_mix(p, key);
    size_t c = *hcct_p_cached(t, mix) ^ (size_t)mix;
    if (HCCT_P_LIKELY(c < t->used)) {
        uint32_t *n = t->words + c * stride;
        if (HCCT_P_LIKELY(n[HCCT_P_KEY] == key && n[HCCT_P_PARENT] == p)) {
            if (!ones) hcct_p_step(t, (uint32_t)c, w, stride);
            else if (!HCCT_P_LIKELY(hcct_p_count_plain(t, at, (uint32_t)c, n, stride))) {
                hcct_p_uncounted(t, (uint32_t)c);
            }
            return;
        }
    }
    if (stride == HCCT_P_STRIDE_FULL) hcct_p_enter_searched_full(t, key, w, p, mix);
    else hcct_p_enter_searched_pruned(t, key, w, p, mix);
}
HCCT_P_RARE void hcct_p_enter_full(hcct *t, uint32_t key, uint64_t w) {
    hcct_p_enter(t, t->at, key, w, HCCT_P_STRIDE_FULL, 0);
}
HCCT_P_RARE void hcct_p_enter_pruned(hcct *t, uint32_t key, uint64_t w) {
    hcct_p_enter(t, t->at, key, w, HCCT_P_STRIDE, 0);
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
        if (hcct_p_full(t)) hcct_p_enter_full(t, key, w);
        else hcct_p_enter_pruned(t, key, w);
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
    hcct_p_credit_slow(t, to, w);
}

HCCT_P_RARE void hcct_p_enter_rest(hcct *t, uint32_t key, uint64_t w) {
    if (t->at < t->stop_any) hcct_p_enter_pruned(t, key, w); /* Lossy and Sticky */
    else hcct_p_enter_slow(t, key, w);
}

HCCT_API void hcct_enter(hcct *t, uint32_t key, uint64_t weight) {
    ptrdiff_t at = t->at;
    HCCT_ASSERT(key != 0);
    if (HCCT_P_LIKELY(at < t->stop)) {
        if (HCCT_P_LIKELY(weight == 1)) hcct_p_enter(t, at, key, 1, HCCT_P_STRIDE, 1);
        else hcct_p_enter_pruned(t, key, weight);
    } else if (at < t->stop_full) {
        if (HCCT_P_LIKELY(weight == 1)) hcct_p_enter(t, at, key, 1, HCCT_P_STRIDE_FULL, 1);
        else hcct_p_enter_full(t, key, weight);
    } else hcct_p_enter_rest(t, key, weight);
}

HCCT_P_RARE void hcct_p_leave_slow(hcct *t) {
    hcct_fiber *run = &t->run;
    uint32_t i;
    t->at = 0;
    hcct_p_sync(t);
    i = run->at.cursor;
    if (run->at.over) {
        if (--run->at.over == 0) hcct_p_mode(t);
        return;
    }
    if (i == 0 || (t->config.fold && run->at.returns == 0)) {
        t->stats.unmatched++;
        return;
    }
    run->at.cursor = t->config.fold ? run->returns[--run->at.returns]
                                    : hcct_p_at(t, i)[HCCT_P_PARENT];
    run->at.depth--;
    hcct_p_prune(t, i);
    hcct_p_learn(t);
}

HCCT_API void hcct_leave(hcct *t) {
    if (!HCCT_P_LIKELY(--t->at >= 0)) hcct_p_leave_slow(t);
}

HCCT_P_RARE void hcct_p_enter_at_slow(hcct *t, uint32_t depth, uint32_t key, uint64_t weight) {
    uint64_t open = (uint64_t)t->low + (uint32_t)t->at + t->run.at.over;
    for (; open > depth; open--) hcct_leave(t);
    hcct_enter(t, key, weight);
}

/* A plain leave only lowers `at`, so one store does the work of several leaves. */
HCCT_API void hcct_enter_at(hcct *t, uint32_t depth, uint32_t key, uint64_t weight) {
    ptrdiff_t at = (ptrdiff_t)depth - (ptrdiff_t)t->low;
    HCCT_ASSERT(key != 0);
    if (HCCT_P_LIKELY(at >= 0 && at < t->stop && weight == 1)) {
        t->at = at;
        hcct_p_enter(t, at, key, 1, HCCT_P_STRIDE, 1);
    } else hcct_p_enter_at_slow(t, depth, key, weight);
}

HCCT_API int hcct_enter_known(hcct *t, uint32_t depth, uint32_t key) {
    size_t at = depth - t->low, c;
    uint32_t p, mix, *n;
    if (at >= (size_t)t->stop) return 0;
    p = t->recent[at];
    mix = hcct_p_mix(p, key);
    c = *hcct_p_cached(t, mix) ^ (size_t)mix;
    if (c >= t->used) return 0;
    n = t->words + c * HCCT_P_STRIDE;
    if (n[HCCT_P_KEY] != key || n[HCCT_P_PARENT] != p) return 0;
    if (*(uint64_t *)(void *)(n + HCCT_P_COUNT) == HCCT_P_NONE) return 0;
    (void)hcct_p_count_plain(t, (ptrdiff_t)at, (uint32_t)c, n, HCCT_P_STRIDE);
    return 1;
}

HCCT_API void hcct_add(hcct *t, uint64_t weight) {
    uint32_t i = t->recent[t->at];
    uint64_t *outside = &t->stats.outside_any_context;
    if (t->run.at.over) hcct_p_account(t, weight);
    else if (i == 0) *outside = hcct_p_add_to(t, *outside, weight, UINT64_MAX);
    else if (hcct_p_full(t)) hcct_p_credit(t, i, weight, HCCT_P_STRIDE_FULL);
    else hcct_p_credit(t, i, weight, HCCT_P_STRIDE);
}

/* Calls that are not stored are searched first, the innermost one first. */
HCCT_API int hcct_leave_key(hcct *t, uint32_t key) {
    uint32_t over = t->run.at.over, i = t->recent[t->at], left = t->run.at.returns;
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
    place.cursor = t->recent[t->at];
    place.depth = t->low + (uint32_t)t->at;
    return place;
}

HCCT_API void hcct_return_to(hcct *t, const hcct_place *place) {
    uint32_t i = t->recent[t->at], to = place->cursor;
    int known = to < t->used && !(to && hcct_p_is_free(t, to));
    if (place->returns > t->run.at.returns) known = 0;
    HCCT_ASSERT(known);
    if (!known) return;
    t->run.at = *place;
    hcct_p_mode(t);
    hcct_p_prune(t, i);
}
