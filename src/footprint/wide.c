/* ---- sums of 128 bits ---- */

/* They may pass below 0 in between. */
typedef struct footprint_p_wide {
    uint64_t low, high;
} footprint_p_wide;

static void footprint_p_wide_add(uint64_t *low, uint64_t *high,
                                 uint64_t add_low, uint64_t add_high) {
    *low += add_low;
    *high += add_high + (*low < add_low);
}

static void footprint_p_wide_less(uint64_t *low, uint64_t *high,
                                  uint64_t less_low, uint64_t less_high) {
    *high -= less_high + (*low < less_low);
    *low -= less_low;
}

/* b may be negative. */
static footprint_p_wide footprint_p_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t middle2 = a0 * b1 + (middle & UINT32_MAX);
    footprint_p_wide product;
    product.low = a * b;
    product.high = a1 * b1 + (middle >> 32) + (middle2 >> 32) - (b >> 63 ? a : 0);
    return product;
}
