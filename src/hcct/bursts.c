/* ---- bursts (section 5.5) ---- */

/* The calls that are open when a burst begins only say where it is: they
   happened outside of it.

   Adaptive bursting with re-enablement (Zhuang et al.): the history is a set of
   signatures of stacks, open addressing, at most 3/4 full. A stack in it gets a
   burst once in k times, whose events then have weight k. A stack met n times
   so contributes 1 + (n - 1) k / k = n bursts on average, and the answer stays
   unbiased. When the history is full, every stack counts as known. */

static int hcct_p_history_known(hcct *t, uint64_t signature) {
    uint32_t slots = t->config.history, slot = (uint32_t)((signature >> 32) * slots >> 32);
    uint32_t steps = 1; /* a history of fewer than 4 slots can be full */
    signature += signature == 0;
    while (t->history[slot] && t->history[slot] != signature && steps++ < slots) {
        slot = slot + 1 == slots ? 0 : slot + 1;
    }
    if (t->history[slot] || t->history_fill >= slots - slots / 4) return 1;
    t->history[slot] = signature;
    t->history_fill++;
    return 0;
}

HCCT_API uint32_t hcct_burst_begin(hcct *t, const uint32_t *stack, uint32_t depth) {
    uint64_t signature = UINT64_C(0xCBF29CE484222325);
    uint32_t i, weight = 1, k = t->config.reenable;
    t->stats.burst_points++;
    for (i = 0; i < depth && t->config.history; i++) {
        signature = (signature ^ stack[i]) * UINT64_C(0x9E3779B97F4A7C15);
        signature ^= signature >> 29;
    }
    signature *= UINT64_C(0xBF58476D1CE4E5B9);
    if (t->config.history && hcct_p_history_known(t, signature)) {
        if (k == 0 || hcct_p_random(t) % k != 0) {
            t->stats.burst_skipped++;
            return 0;
        }
        t->stats.burst_again++;
        weight = k;
    } else if (t->config.history) {
        t->stats.burst_new++;
    }
    hcct_burst_end(t);
    for (i = 0; i < depth; i++) hcct_enter(t, stack[i], 0);
    return weight;
}

HCCT_API void hcct_burst_end(hcct *t) {
    static const hcct_place root = {0, 0, 0, 0, 0};
    hcct_return_to(t, &root);
}

HCCT_API void hcct_scale_to(hcct *t, uint64_t total) { t->stats.scaled_total = total; }
