/* ---- what is known of a context ---- */

/* For each context in the tree, lower <= true weight <= upper. For all others,
   weight <= base; this is bound_of_absent. base = floor + lost, where floor
   grows with what is evicted. */

static uint64_t hcct_p_base(const hcct *t) {
    uint64_t base = t->floor;
    if (HCCT_P_HAS(t, HCCT_STICKY) && t->stats.rate_shift) { /* what samples may have missed */
        double miss = hcct_p_ln((double)t->one_over_phi * t->one_over_delta);
        miss *= (double)((uint64_t)1 << t->stats.rate_shift);
        base = miss >= 9e18 ? UINT64_MAX : (uint64_t)miss + 1;
    }
    base = hcct_p_sat_add(base, t->stats.lost);
    return HCCT_P_HAS(t, HCCT_STICKY) && base > t->stats.total ? t->stats.total : base;
}

HCCT_P_INLINE uint64_t hcct_p_error(const hcct *t, uint32_t i) {
    uint64_t error = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]), count = *hcct_p_count(t, i);
    return hcct_p_saving(t) && error > count ? count : error;
}
HCCT_P_INLINE uint64_t hcct_p_lossy_upper(const hcct *t, uint32_t i) {
    return hcct_p_sat_add(*hcct_p_count(t, i), hcct_p_error(t, i));
}

static int hcct_p_cold(const hcct *t, uint32_t i) {
    if (hcct_p_full(t)) return 0;
    if (hcct_p_saving(t)) return *hcct_p_count(t, i) == HCCT_P_NONE;
    if (HCCT_P_HAS(t, HCCT_STICKY)) return *hcct_p_count(t, i) == 0;
    return hcct_p_lossy_upper(t, i) <= hcct_p_base(t);
}

static void hcct_p_bounds(const hcct *t, uint32_t i, uint64_t *lower, uint64_t *upper) {
    uint64_t base = hcct_p_base(t);
    if (hcct_p_full(t)) {
        *lower = hcct_p_at(t, i)[HCCT_P_COUNT32];
        *upper = hcct_p_sat_add(*lower, t->stats.lost);
        if (*lower == UINT32_MAX) *upper = t->stats.total; /* 32 bits were full: it may be all */
    } else if (!hcct_p_saving(t)) {
        *lower = *hcct_p_count(t, i);
        *upper = hcct_p_lossy_upper(t, i);
        if (HCCT_P_HAS(t, HCCT_STICKY)) *upper = hcct_p_sat_add(*lower, base);
    } else if (hcct_p_cold(t, i)) {
        *lower = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]);
        *upper = base;
    } else {
        *upper = *hcct_p_count(t, i);
        *lower = *upper - hcct_p_error(t, i);
    }
}
