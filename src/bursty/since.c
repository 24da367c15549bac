/* ---- events behind a check ---- */

/* In code of two copies a burst of N checks enters the second copy at a check,
   number s of the thread. An event there that has no check of its own, and
   before which check number t was the last one, is recorded by bursts that
   began at s or earlier, and that still run behind t:

       checks     ... | s |   |   | t | ...         k = t - s: those that stand between
       bursts     |<---- N ---->|                    ends too early
                     |<---- N ---->|                 records the event
                      |<---- N ---->|                the last one that does
                          |<---- N ---->|            began behind s: this run is in the first copy

   These are N - k of the N places at which an event with a check of its own is
   recorded. So it stands for N / (N - k) times as many (Horvitz and Thompson).
   A run that a former burst has led into the second copy is there by another
   chance, and its event is left out. mark() gives s, to be called behind the
   check; it is 0 where no burst is live, which no burst began before. Numbers
   are of 32 bits and wrap.

   Cost: what the event alone costs and 20 instructions, within bursts. */
BURSTY_API uint32_t bursty_note_mark(void) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n = BURSTY_P_HERE.n;
    if (!t || !t->live || (int32_t)n > 0) return 0;
    return (uint32_t)BURSTY_P_READ(&t->checks) - n;
}

BURSTY_API void bursty_note_since(const bursty_site *site, uintptr_t value, uint32_t kind,
                               uint32_t mark) {
    uint32_t n, p, now, behind, seen = 0;
    bursty_p_thread *t;
    if (BURSTY_P_POLLS) {
        bursty_note(site, value, kind);
        return;
    }
    n = bursty_p_hold();
    t = bursty_p_me();
    if (t && t->live && mark) {
        now = (uint32_t)BURSTY_P_READ(&t->checks) - n;
        behind = now - mark;
        for (p = 0; p < BURSTY_PROFILES; p++) {
            const bursty_p_sampler *s = &t->sampler[p];
            if (!(t->live >> p & 1) || behind >= now - s->began) continue;
            if (s->set.every == BURSTY_ALWAYS || behind < s->set.burst) seen |= 1u << p;
        }
        t->in_slow = 1;
        t->kept = n;
        if (seen) bursty_p_send_behind(t, seen, site, value, kind, behind);
        t->in_slow = 0;
    }
    BURSTY_P_HERE.n = n;
}
