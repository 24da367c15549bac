/* ---- chance ---- */

/* A random number below limit. xorshift: *state is never 0. */
BASE_P_SLOW uint32_t base_p_below(uint32_t *state, uint32_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (uint32_t)((uint64_t)*state * limit >> 32);
}

/* The checks to the next burst, drawn evenly from gap - j to gap + j, where j
   is so many percent of gap. */
BASE_P_SLOW uint32_t base_p_draw_gap(uint32_t *state, uint32_t gap, uint32_t percent) {
    uint32_t spread = (uint32_t)((uint64_t)gap * percent / 100);
    return spread ? gap - spread + base_p_below(state, 2 * spread + 1) : gap;
}
