/* ---- Sticky Sampling ---- */

/* By Manku and Motwani; the paper names it in section 4 and leaves it out. A
   context that is not counted is sampled with chance 1 / r for each unit of
   weight, and counted exactly from then on. r is 1 for the first 2 t units, t =
   ceil((1 / epsilon) ln(1 / (phi delta))), and doubles at N = 2 r t. At each
   doubling, every count is thinned to what sampling at the new rate would have
   left: with chance 1/2 the first sample stands; else the next stands 1 +
   geo(r) units later, geo(r) being the failures before a success of chance 1 /
   r. (The published rule tosses coins until heads, and so takes off 1 where r /
   2 are due.) It costs a pass. */

static uint64_t hcct_p_geometric(hcct *t) {
    double u = ((double)(hcct_p_random(t) >> 11) + 1) / 9007199254740992.0;
    double x = 1.0 / (double)((uint64_t)1 << t->stats.rate_shift), miss, n;
    if (t->stats.rate_shift == 0) return 0;
    miss = t->stats.rate_shift < 20 ? hcct_p_ln(1 - x) : -x * (1 + x / 2); /* ln(1 - x) */
    n = hcct_p_ln(u) / miss;
    return n >= 9e18 ? UINT64_C(1) << 63 : (uint64_t)n;
}

static void hcct_p_double_rate(hcct *t) {
    uint32_t i;
    t->stats.rate_shift++;
    for (i = 1; i < t->used; i++) {
        uint64_t *count = hcct_p_count(t, i);
        if (hcct_p_is_free(t, i) || *count == 0 || hcct_p_random(t) >> 63) continue;
        *count = hcct_p_less(*count, 1 + hcct_p_geometric(t));
        if (*count) continue;
        t->stats.monitored--;
        t->stats.evictions++;
    }
    hcct_p_sweep(t, 0);
}

/* 2 r t, the N at which the rate doubles. */
static uint64_t hcct_p_rate_end(const hcct *t) {
    double end = (double)t->width * hcct_p_ln((double)t->one_over_phi * t->one_over_delta);
    uint64_t two_t = end >= 4e18 ? UINT64_C(1) << 63 : 2 * ((uint64_t)end + 1);
    uint32_t shift = t->stats.rate_shift;
    return shift >= 62 || two_t > UINT64_MAX >> shift ? UINT64_MAX : two_t << shift;
}

static void hcct_p_sticky(hcct *t, uint32_t i, uint64_t w) {
    while (w > 0) {
        uint64_t *count = hcct_p_count(t, i), part, room, skipped;
        while (t->stats.total >= t->boundary && t->stats.rate_shift < 62) {
            hcct_p_double_rate(t);
            t->boundary = hcct_p_rate_end(t);
        }
        room = t->boundary - t->stats.total;
        part = w < room ? w : room;
        if (part == 0) {
            t->stats.saturated = 1;
            return;
        }
        t->stats.total += part;
        w -= part;
        skipped = *count ? 0 : hcct_p_geometric(t);
        if (skipped >= part) continue;
        if (!*count) t->stats.monitored++;
        *count += part - skipped;
    }
}
