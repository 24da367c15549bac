/* ---- dump: a .brst part of kind 2 (docs/formats.md) ---- */

#define HCCT_P_NAMES 256
enum { HCCT_P_KEPT, HCCT_P_BOUNDED, HCCT_P_EXACT }; /* what is written of a node */

/* Puts key into keys[0..n), which ascends, unless it is there. Keys that do not
   fit are dropped, the largest first. Returns the new n. */
static uint32_t hcct_p_note_key(uint32_t *keys, uint32_t n, uint32_t key) {
    uint32_t low = 0, high = n, k;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    if (low == HCCT_P_NAMES || (low < n && keys[low] == key)) return n;
    if (n < HCCT_P_NAMES) n++;
    for (k = n - 1; k > low; k--) keys[k] = keys[k - 1];
    keys[low] = key;
    return n;
}

/* Key and name of every key in use, each once, keys ascending. There is no
   memory for all of them, so each walk over the nodes finds the next
   HCCT_P_NAMES. */
static void hcct_p_put_names(const hcct *t, hcct_p_out *out, hcct_name_fn name, void *name_user) {
    uint32_t keys[HCCT_P_NAMES], n, i, k, last = 0;
    do {
        for (n = 0, i = 1; i < t->used; i++) {
            uint32_t key = hcct_p_at(t, i)[HCCT_P_KEY];
            if (key > last && !hcct_p_is_free(t, i)) n = hcct_p_note_key(keys, n, key);
        }
        for (k = 0; k < n && !out->error; k++) {
            const char *text = name(name_user, keys[k]);
            size_t length = 0;
            last = keys[k];
            if (!text) continue;
            while (text[length]) length++;
            hcct_p_put_varint(out, last);
            hcct_p_put_varint(out, length);
            hcct_p_put(out, text, length);
        }
    } while (n == HCCT_P_NAMES && !out->error);
}

static void hcct_p_put_node(const hcct *t, hcct_p_out *out, uint32_t i) {
    int cold = hcct_p_saving(t) && hcct_p_cold(t, i), full = hcct_p_full(t);
    uint64_t error = cold || full ? 0 : hcct_p_error(t, i), value;
    if (cold) value = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]);
    else value = full ? hcct_p_at(t, i)[HCCT_P_COUNT32] : *hcct_p_count(t, i);
    hcct_p_put_varint(out, cold ? HCCT_P_KEPT : error ? HCCT_P_BOUNDED : HCCT_P_EXACT);
    hcct_p_put_varint(out, value);
    if (error) hcct_p_put_varint(out, error);
}

HCCT_API int hcct_write(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write,
                        void *user) {
    const hcct_stats *s = &t->stats;
    const char *unit = t->config.unit;
    const uint32_t version = t->config.sums ? 5 : unit || t->config.history ? 4 : 1, pieces = 1;
    const uint32_t flags = (s->saturated ? 1u : 0) | (s->weighted ? 2u : 0) |
                           (s->purges_quarters ? 4u : 0);
    const uint64_t fields[] = {
        version, t->algorithm, s->monitored_max, t->width, t->one_over_phi, t->one_over_delta,
        t->config.depth_limit, t->config.fold, s->total, t->floor, s->lost, s->below_depth_limit,
        s->outside_any_context, s->scaled_total, s->rate_shift, pieces, flags, s->unmatched,
        s->repaired, s->sweeps, s->evictions, s->evicted_for_space, s->nodes
    };
    uint32_t i = 0, k, before = 0, depth = 0;
    uint64_t sums[HCCT_SUMS];
    hcct_p_out out;
    hcct_p_put_begin(&out, 2, write, user);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) hcct_p_put_varint(&out, fields[i]);
    if (version >= 4) {
        for (k = 0; unit && unit[k]; k++) {}
        hcct_p_put_varint(&out, k);
        if (k) hcct_p_put(&out, unit, k);
        hcct_p_put_varint(&out, t->config.sums != 0);
        hcct_p_put_varint(&out, s->burst_points);
        hcct_p_put_varint(&out, s->burst_skipped);
        hcct_p_put_varint(&out, t->config.reenable);
    }
    if (name) hcct_p_put_names(t, &out, name, name_user);
    hcct_p_put_varint(&out, 0);
    for (i = hcct_next(t, 0, &depth); i && !out.error; i = hcct_next(t, i, &depth)) {
        hcct_p_put_varint(&out, before + 1 - depth); /* the levels to climb from the last node */
        before = depth;
        hcct_p_put_varint(&out, hcct_p_at(t, i)[HCCT_P_KEY]);
        hcct_p_put_node(t, &out, i);
    }
    if (t->config.sums) do {
        t->config.sums(t->config.sums_user, i, sums);
        for (k = 0; k < HCCT_SUMS; k++) hcct_p_put_varint(&out, sums[k]);
        i = hcct_next(t, i, &depth);
    } while (i && !out.error);
    return hcct_p_put_end(&out) ? -1 : 0;
}
