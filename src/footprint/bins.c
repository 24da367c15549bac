/* ---- bins ---- */

/* bin(v) = v below 16. From there every octave is cut into 8 bins: with k =
   floor(log2 v) - 3, v is in bin 8 k + (v >> k). 16 and 17 are in bin 16, 288
   to 319 in bin 49 (50 in the paper, which counts from one). The least value of
   a bin is its low end, the greatest its high end. Twice a low end is a low end
   again. */

FOOTPRINT_API uint32_t footprint_bin(uint64_t value) {
    uint32_t k;
    if (value < 16) return (uint32_t)value;
    k = FOOTPRINT_P_LOG2(value) - 3;
    return 8 * k + (uint32_t)(value >> k);
}

FOOTPRINT_API uint64_t footprint_bin_low(uint32_t bin) {
    if (bin < 16) return bin;
    if (bin > 495) return UINT64_MAX;
    return (uint64_t)(8 + (bin & 7)) << ((bin >> 3) - 1);
}

FOOTPRINT_API uint64_t footprint_bin_high(uint32_t bin) {
    return bin >= 495 ? UINT64_MAX : footprint_bin_low(bin + 1) - 1;
}

/* The same as numbers to count with. */
static double footprint_p_lowest(uint32_t bin) {
    const uint64_t low = footprint_bin_low(bin);
    return (double)low;
}
static double footprint_p_highest(uint32_t bin) {
    const uint64_t high = footprint_bin_high(bin);
    return (double)high;
}

/* Returns 1 + 2 + .. + k modulo 2^64, and 0 for k = -1. */
static uint64_t footprint_p_triangle(uint64_t k) {
    return ((k + 1) >> 1) * (k | 1);
}
