/* ---- the budget ---- */

/*      gap (C checks)          burst (I checks)           gap
   | plain: u per check | u + x per check, 2 clocks |  plain ...
   ^ since              ^ u is updated              ^ x is updated, then C

   u is the time per check between bursts, x what a check costs more in a burst, both as
   bursty_p_mean. One profile alone spends I x beside C u. Its share is the budget b
   when C = I (x / (b u) - 1). Several profiles share one factor f: each uses C f.
       f = (x / (b u) - 1) * sum of I / C        b = budget_ppm / 1 000 000
   In the code: memory is { 2^16 f, 256 u, 256 x, since }, most = 16 x / (b u), and shares = 2^20
   times the sum. The factor changes at most by 2 in one step. A phase in which the clock went back
   or jumped (by 2^48) is left out. */

static uint64_t bursty_p_clock_cost; /* of one reading */

/* A mean that moves by an eighth of the difference. A value above 4 times the
   mean counts as 4 times the mean, so that a preemption does little harm. */
static uint64_t bursty_p_mean(uint64_t mean, uint64_t value) {
    if (mean == 0) return value;
    if (value > 4 * mean) value = 4 * mean;
    return value > mean ? mean + (value - mean + 7) / 8 : mean - (mean - value) / 8;
}

static uint64_t bursty_p_clip(uint64_t value, uint64_t least, uint64_t most) {
    return value < least ? least : value > most ? most : value;
}

static int bursty_p_has_clock(const bursty_config *config) {
#ifdef BURSTY_P_CLOCK
    (void)config;
    return 1;
#else
    return config->clock != NULL;
#endif
}

static void bursty_p_begin_budget(const bursty_config *config) {
    bursty_config *own = &bursty_p_all.config;
    uint64_t a, b;
    int i;
    bursty_p_all.budget = config->budget_ppm;
    if (!config->clock) own->clock = bursty_p_thread_ns;
    bursty_p_clock_cost = UINT64_MAX;
    for (i = 0; i < 64 && bursty_p_all.budget; i++) { /* the least of 64 tries */
        a = own->clock(own->clock_user);
        b = own->clock(own->clock_user);
        if (b >= a && b - a < bursty_p_clock_cost) bursty_p_clock_cost = b - a;
    }
    if (bursty_p_clock_cost == UINT64_MAX) bursty_p_clock_cost = 0;
}

/* A phase of `checks` checks has ended, in which profiles were in a burst or
   none was; shares is 2^20 times the sum of I / C. Returns 2^16 times the
   factor for the gaps. */
static uint64_t bursty_p_budget(uint64_t memory[4], int was_burst, uint64_t checks,
                                uint64_t shares) {
    const bursty_config *config = &bursty_p_all.config;
    uint64_t now = config->clock(config->clock_user), elapsed = now - memory[3], goal, most;
    int first = memory[0] == 0;
    if (first) memory[0] = 65536;
    memory[3] = now;
    if (first || checks == 0 || elapsed >> 48) return memory[0];
    if (!was_burst) {
        memory[1] = bursty_p_mean(memory[1], elapsed * 256 / checks);
        return memory[0];
    }
    elapsed = elapsed * 256 + 512 * bursty_p_clock_cost;
    goal = checks * memory[1];
    memory[2] = bursty_p_mean(memory[2], elapsed > goal ? (elapsed - goal) / checks : 0);
    if (memory[1] == 0) return memory[0];
    most = UINT64_C(1) << 40;
    if (memory[2] < most) most = memory[2] * 1000000 / bursty_p_all.budget;
    most = bursty_p_clip(most * 16 / memory[1], 0, UINT64_C(1) << 32);
    shares = bursty_p_clip(shares, 0, UINT64_C(1) << 34);
    most -= most > 16 ? 16 : most; /* from here on 16 (x / (b u) - 1) */
    goal = (most >> 8) * shares + ((most & 255) * shares >> 8);
    goal = bursty_p_clip(goal, memory[0] / 2, 2 * memory[0]);
    return memory[0] = bursty_p_clip(goal, 16, UINT64_C(1) << 46);
}
