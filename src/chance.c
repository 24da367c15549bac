/* ---- chance ---- */

BASE_P_SLOW uint32_t base_p_mix(uint32_t h, uint32_t v) {
    h = (h ^ v) * UINT32_C(0x9E3779B1);
    return h ^ h >> 15;
}

/* The state for thread `number` of a process with this seed. A number is given
   again when a thread has ended: `again` says how often it was. */
BASE_P_SLOW uint32_t base_p_state_of(uint32_t seed, uint32_t number, uint32_t again) {
    uint32_t h = base_p_mix(base_p_mix(seed + 1, number + 1), again);
    return h ? h : 1;
}

/* A random number below limit. xorshift: *state is never 0. */
BASE_P_SLOW uint32_t base_p_below(uint32_t *state, uint32_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (uint32_t)((uint64_t)*state * limit >> 32);
}

BASE_P_SLOW uint32_t base_p_spread(uint32_t gap, uint32_t percent) {
    uint32_t spread = (uint32_t)((uint64_t)gap * percent / 100);
    return spread < gap ? spread : gap - 1; /* no gap is 0 */
}

/* The checks to the next burst, drawn evenly from gap - j to gap + j, where j
   is so many percent of gap. */
BASE_P_SLOW uint32_t base_p_draw_gap(uint32_t *state, uint32_t gap, uint32_t percent) {
    uint32_t spread = base_p_spread(gap, percent);
    return spread ? gap - spread + base_p_below(state, 2 * spread + 1) : gap;
}

/* Where a sample begins. Every check must have the same chance to lie in a
   burst, that is I / (C + I), be it the first one of a thread or the last. So a
   thread begins as if it had been running for ever, at an even place v of a
   period, and the longer a period is the likelier it is met:

       | burst, I |     gap, drawn as above    |             longest |
       | . . . . . . . . . v                   |                     |
                           <------ left ------>        v here: draw both again

   Returns the checks that are left of the burst or of the gap. All three are at
   most 2^30. */
BASE_P_SLOW uint32_t base_p_begin(uint32_t *state, uint32_t gap, uint32_t percent, uint32_t burst,
                                  uint32_t *in_burst) {
    uint32_t longest = burst + gap + base_p_spread(gap, percent), period, place;
    do {
        period = burst + base_p_draw_gap(state, gap, percent);
        place = base_p_below(state, longest);
    } while (place >= period);
    *in_burst = place < burst;
    return *in_burst ? burst - place : period - place;
}
