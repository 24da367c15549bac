/* ---- counters that saturate ---- */

static uint64_t base_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
