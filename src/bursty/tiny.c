/* ---- the tiny build ---- */

/* The word tells everything; d is the length of a gap, I of a burst:

       gap     d - 1, ..., 1, 0    the check that takes 0 to -1 is the first of a burst
       burst   -1, -2, ..., -I     the check that takes -I to -I - 1 is the first of a gap
       action  2^31 - 2^24, ...    its checks count down; no gap that can be set is above 3 * 2^29

   Without settings I is 0: no burst ever begins. The jitter is fixed: a gap is
   C - mask / 2 plus a random number from 0 to mask, where mask is the smallest
   2^k - 1 that is at least C / 8. A division would cost 100 bytes. Flash and
   RAM: tests/firmware/run.sh. */

/* The word at the start of a gap: its length less one, 2^31 - 1 before the
   first settings. */
static uint32_t bursty_p_gap(void) {
    uint32_t n = BURSTY_P_HERE.every, r = BURSTY_P_HERE.random, mask = 1;
    if (r != 0) {
        r ^= r << 13;
        r ^= r >> 17;
        r ^= r << 5;
        BURSTY_P_HERE.random = r;
        while (mask < n / 8) mask += mask + 1; /* 2^k - 1 < C / 4: C - mask / 2 + [0, mask] */
        n += (r & mask) - mask / 2;
    }
    return (n - 1) & INT32_MAX;
}

BURSTY_P_INLINE void bursty_p_send(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t keep = BURSTY_P_HERE.n;
    const bursty_event event = { site, value, kind, 0, 0, 0, 0, NULL, NULL };
    BURSTY_P_HERE.n = 0x7F000000; /* instructions can hold it */
    BURSTY_P_HERE.action(BURSTY_P_HERE.user, &event);
    if (BURSTY_P_HERE.n >> 29 == 3) BURSTY_P_HERE.n = keep; /* else the action has set a profile */
}

BURSTY_API void bursty_note(const bursty_site *site, uintptr_t value, uint32_t kind) {
    bursty_p_send(site, value, kind);
}

BURSTY_API uint32_t bursty_hit(const bursty_site *site, uintptr_t value) {
    if (0 - BURSTY_P_HERE.n > BURSTY_P_HERE.burst) {
        BURSTY_P_HERE.n = bursty_p_gap();
        return 0;
    }
    if (site) bursty_p_send(site, value, site->kind);
    return 1;
}

BURSTY_API uint32_t bursty_p_take(uint64_t left, uint32_t *live) {
    (void)left;
    BURSTY_P_HERE.n--;
    *live = bursty_hit(NULL, 0);
    return 1;
}

BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    if (!live && (int32_t)BURSTY_P_HERE.n >= 0) BURSTY_P_HERE.n += count;
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    BURSTY_P_HERE.burst = BURSTY_P_HERE.n = 0;
    if (profile != 0) return -1;
    if (p && (!p->action || p->every > BURSTY_P_BUSY)) return -1;
    if (p && (int32_t)p->burst < 0) return -1;
    if (!p || p->off) return 0;
    BURSTY_P_HERE.every = p->every ? p->every : 990;
    BURSTY_P_HERE.action = p->action;
    BURSTY_P_HERE.user = p->user;
    BURSTY_P_HERE.random = p->jitter >= 0;
    BURSTY_P_HERE.n = bursty_p_gap();
    BURSTY_P_HERE.burst = p->burst ? p->burst : 10;
    return 0;
}

BURSTY_API uint32_t bursty_in_burst(void) { return (int32_t)BURSTY_P_HERE.n < 0; }
