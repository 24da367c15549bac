/* ---- numbers ---- */

static void hcct_p_zero(void *memory, size_t bytes) {
    while (bytes) ((unsigned char *)memory)[--bytes] = 0;
}

/* a + b, or `most` and the flag that says so. */
static uint64_t hcct_p_add_to(hcct *t, uint64_t a, uint64_t b, uint64_t most) {
    if (b > most || a > most - b) {
        t->stats.saturated = 1;
        return most;
    }
    return a + b;
}

static uint64_t hcct_p_less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* splitmix64: a small state, and any seed will do. */
static uint64_t hcct_p_random(hcct *t) {
    uint64_t z = (t->seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Errors stand in 32 bits as m * 2^e with m of 26 bits, exact below 67 million.
   They are rounded up and guaranteed weights are rounded down, so that bounds
   stay bounds. */
HCCT_P_INLINE uint32_t hcct_p_pack(uint64_t x, int up) {
    uint32_t e = 0;
    for (; x >> 26; e++) x = (x >> 1) + (up ? x & 1 : 0);
    return (uint32_t)x | e << 26;
}

HCCT_P_INLINE uint64_t hcct_p_unpack(uint32_t packed) {
    uint32_t e = packed >> 26;
    if (HCCT_P_LIKELY(e == 0)) return packed;
    return e > 38 ? UINT64_MAX : (uint64_t)(packed & 0x3FFFFFF) << e;
}

/* a * b / c without overflow, if a <= c or the result fits; rounded up or
   down. */
static uint64_t hcct_p_scale(uint64_t a, uint64_t b, uint64_t c, int up) {
    uint64_t result = 0, rest = 0; /* invariant: a * (the bits of b so far) = result * c + rest */
    int bit;
    if (c == 0) return a;
    for (bit = 63; bit >= 0; bit--) {
        uint64_t carry = rest >= c - rest;
        result = result > UINT64_MAX / 2 ? UINT64_MAX : result * 2;
        rest = carry ? rest - (c - rest) : rest * 2;
        result = hcct_p_sat_add(result, carry);
        if ((b >> bit & 1) == 0) continue;
        result = hcct_p_sat_add(result, a / c);
        carry = rest >= c - a % c;
        rest = carry ? rest - (c - a % c) : rest + a % c;
        result = hcct_p_sat_add(result, carry);
    }
    return up && rest ? hcct_p_sat_add(result, 1) : result;
}

/* ln x for x > 0 and x = 2^e m, by the series of 2 artanh((m - 1) / (m + 1));
   good to 1e-13. */
static double hcct_p_ln(double x) {
    double z, power, sum = 0;
    int e = 0, i;
    for (; x >= 4.0 / 3; e++) x /= 2;
    for (; x < 2.0 / 3; e--) x *= 2;
    z = (x - 1) / (x + 1);
    power = z;
    for (i = 1; i < 40; i += 2) {
        sum += power / i;
        power *= z * z;
    }
    return 2 * sum + e * 0.69314718055994530942;
}
