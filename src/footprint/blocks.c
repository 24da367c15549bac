/* ---- blocks ---- */

static uint32_t footprint_p_bucket(const footprint *fp, uint64_t hash) {
    return (uint32_t)(hash * fp->buckets >> 32);
}

/* The number of recent blocks with about this hash; mostly 0, which saves a
   search. */
static uint8_t *footprint_p_near(footprint *fp, uint64_t hash) {
    return fp->nearby + (hash >> 22);
}

/* Returns the bucket of a block, or the empty one where it belongs: from the
   block's first one on. */
static inline uint32_t footprint_p_find(const footprint *fp, uint64_t block, uint32_t bucket) {
    uint32_t s;
    while ((s = fp->index[bucket]) != 0 && fp->slot[s].block != block)
        bucket = bucket + 1 < fp->buckets ? bucket + 1 : 0;
    return bucket;
}

/* Slot s is no longer live. The live slot before it, or bottom, is linked to the
   one behind it. That of the last live slot is always the next slot to be
   filled. */
static inline void footprint_p_unlink(footprint *fp, uint32_t s) {
    uint64_t *live = fp->live;
    uint32_t word = s >> 6, before = fp->bottom;
    uint64_t bit = UINT64_C(1) << (s & 63), bits = live[word] & (bit - 1);
    live[word] &= ~bit;
    if (!fp->is_linked) return;
    while (bits == 0 && word > before >> 6) bits = live[--word];
    if (bits) before = word << 6 | FOOTPRINT_P_LOG2(bits);
    fp->after[before] = fp->after[s];
}

/* The latest access is to a block that is not followed yet, at least not since
   it was forgotten. */
static void footprint_p_new_block(footprint *fp) {
    uint64_t weight = UINT64_C(1) << fp->sample_log2;
    footprint_p_first_gap(fp->bursts.open, fp->columns, fp->now - fp->bursts.origin,
                          fp->start - fp->bursts.origin, fp->sample_log2);
    fp->first += weight;
    fp->followed += weight;
    fp->tracked++;
}

/* Runs of rows `row` and above start at age y. Row F is events[F - 1] -
   events[F]. */
static void footprint_p_event(footprint *fp, uint32_t row, uint64_t y, uint64_t count) {
    for (; row <= FOOTPRINT_P_T; row++)
        footprint_p_event_at(fp->events + row * (size_t)fp->columns, fp->columns, y, 0 - count);
}

static void footprint_p_shifted_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_event_at(fp->events + (q + 1) * (size_t)fp->columns, fp->columns, y, count);
}

static void footprint_p_reused_far(footprint *fp, uint32_t q, uint64_t y, uint64_t count) {
    footprint_p_event(fp, q + 1, y, 0 - count);
    footprint_p_gap_sum(fp->gap, fp->columns, y, count << fp->sample_log2);
    if (q > 0) footprint_p_depth(fp, footprint_bin((uint64_t)(q + 1) << fp->sample_log2), count);
}

static void footprint_p_fold(footprint *fp) {
    uint32_t q, y, j;
    footprint_p_settle(fp);
    footprint_p_depth(fp, footprint_bin(UINT64_C(1) << fp->sample_log2), fp->repeats);
    fp->repeats = 0;
    for (q = 0; q < FOOTPRINT_P_T; q++) {
        for (y = 1; y < FOOTPRINT_P_YOUNG; y++) {
            uint32_t *shifted = &fp->shifted[FOOTPRINT_P_AT(q, y)];
            uint32_t *reused = &fp->reused[FOOTPRINT_P_REUSED(q, y)];
            if (*shifted) footprint_p_shifted_far(fp, q, y, *shifted);
            if (*reused) footprint_p_reused_far(fp, q, y, *reused);
            *shifted = *reused = 0;
        }
    }
    for (j = 0; j < fp->mark_young; j++) {                 /* those of closed marks, too */
        footprint_p_moment *row = fp->cells + fp->mark[j].row;
        for (y = 1; y < FOOTPRINT_P_MARK_YOUNG; y++) {
            int32_t *young = fp->young + (j + 1) * (size_t)FOOTPRINT_P_MARK_YOUNG - y;
            if (*young) footprint_p_event_at(row, fp->columns, y, (uint64_t)(int64_t)*young);
            *young = 0;
        }
    }
}

static void footprint_p_reindex(footprint *fp) {
    uint32_t s, ahead = 0;
    if (fp->blocks_bytes > FOOTPRINT_P_LARGE && fp->next > FOOTPRINT_P_AHEAD)
        ahead = fp->next - FOOTPRINT_P_AHEAD;
    footprint_p_zero(fp->index, fp->buckets * sizeof *fp->index);
    for (s = 2; s < fp->next; s++) {
        uint32_t bucket = footprint_p_bucket(fp, footprint_p_hash(fp->slot[s].block));
        if (s < ahead) {
            uint64_t hash = footprint_p_hash(fp->slot[s + FOOTPRINT_P_AHEAD].block);
            FOOTPRINT_P_PREFETCH(&fp->index[footprint_p_bucket(fp, hash)]);
        }
        while (fp->index[bucket]) bucket = bucket + 1 < fp->buckets ? bucket + 1 : 0;
        fp->index[bucket] = s;                             /* blocks differ: none is compared */
    }
}

/* Moves the live slots together. A mark goes with the last live slot at or
   before its own. */
static void footprint_p_compact(footprint *fp) {
    uint32_t s, w = 2, j = fp->marks, word, place = j ? fp->place[j - 1] : UINT32_MAX;
    for (word = 0; word <= fp->next >> 6; word++) {
        uint64_t bits = fp->live[word];
        for (fp->live[word] = 0; bits; bits &= bits - 1) {
            s = word << 6 | FOOTPRINT_P_LOWEST(bits);
            while (FOOTPRINT_P_UNLIKELY(place < s)) {
                fp->place[--j] = w - 1;
                place = j ? fp->place[j - 1] : UINT32_MAX;
            }
            fp->slot[w++] = fp->slot[s];
        }
    }
    while (j > 0) fp->place[--j] = w - 1;
    for (j = 0; j < fp->marks; j += FOOTPRINT_P_GROUP)
        fp->lead[j / FOOTPRINT_P_GROUP] = fp->place[j];
    for (word = 0; word < w >> 6; word++) fp->live[word] = UINT64_MAX;
    fp->live[word] |= (UINT64_C(1) << (w & 63)) - 1;
    fp->live[0] &= ~UINT64_C(3);
    fp->next = w;
    fp->bottom = 1;
    if (fp->is_linked) for (s = 1; s < w; s++) fp->after[s] = s + 1;
    footprint_p_reindex(fp);
}

/* Do more blocks live than rows can tell apart? With FOOTPRINT_FORGET there may
   be slots for them, and then they were not dropped yet; their footprints are in
   the open bin. */
static uint32_t footprint_p_full(const footprint *fp) {
    uint32_t bin = footprint_bin(FOOTPRINT_P_T) + 1 + fp->mark_max;
    return fp->flags & FOOTPRINT_FORGET && bin < fp->columns && fp->tracked >= footprint_bin_low(bin)
               ? (uint32_t)FOOTPRINT_FULL : 0u;
}

/* Forgets the `count` oldest blocks. Windows that do not reach their last
   accesses stay right. */
static void footprint_p_forget(footprint *fp, uint32_t count) {
    uint32_t j, left, k = fp->sample_log2;
    for (j = 0; j < fp->marks; j += FOOTPRINT_P_GROUP) {
        if (fp->pending[j / FOOTPRINT_P_GROUP]) footprint_p_flush(fp, j / FOOTPRINT_P_GROUP);
    }
    for (left = count; left > 0; left--) {
        uint32_t s = footprint_p_next_live(fp->live, 1);   /* the oldest */
        footprint_p_wide sum = footprint_p_product(fp->slot[s].time - fp->bursts.origin,
                                                   UINT64_C(1) << k);
        footprint_p_wide_add(&fp->gone_low, &fp->gone_high, sum.low, sum.high);
        footprint_p_unlink(fp, s);
    }
    fp->gone += (uint64_t)count << k;
    fp->forgotten += count;
    fp->tracked -= count;
    while (fp->marks > 0 && footprint_p_low(fp->marks - 1) > fp->tracked) {
        footprint_p_mark *mark = &fp->mark[--fp->marks];
        footprint_p_settle_mark(fp, mark, mark->since);
        footprint_p_close_mark(fp, fp->marks);
        footprint_p_event_at(fp->cells + mark->row, fp->columns, fp->now - mark->since + 1,
                             UINT64_MAX);
    }
}

/* Slots have run out: forgets what is too old, makes room, and numbers the rest
   anew. */
static void footprint_p_renumber(footprint *fp) {
    uint32_t kept = fp->tracked - fp->filled, old = 0, s;
    fp->flags |= footprint_p_full(fp);
    if (fp->now > fp->config.window_max) {
        for (s = 2; s < fp->next && fp->slot[s].time <= fp->now - fp->config.window_max; s++)
            old += (uint32_t)(fp->live[s >> 6] >> (s & 63) & 1);
    }
    if (old) footprint_p_forget(fp, old);
    kept -= old;
    if (kept > fp->cap) footprint_p_grow(fp, (uint64_t)kept + kept / 2);
    if (kept > fp->cap) {
        fp->flags |= FOOTPRINT_FULL;
        if (fp->flags & FOOTPRINT_FORGET) footprint_p_forget(fp, kept - fp->cap);
        else {
            fp->is_overfull = 1;                           /* thins before the next access; */
            fp->wake = 0;                                  /* the reserve will do for this one */
        }
    }
    footprint_p_compact(fp);
}
