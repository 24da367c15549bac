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
   chance, and its event is left out.

   After N checks or more no burst that began at s is left. But N bursts have begun
   early enough to lead the run into the second copy, where it still is. So each of
   them records such an event, with the weight of other events. It
   belongs to the burst that gave the mark: the sums of that burst wait for it
   until the next one begins. With several profiles nobody knows whose burst
   gave the mark, and it is left out.

   mark() gives s, to be called behind the check; it is 0 where no burst is
   live, which no burst began before. Numbers are of 32 bits and wrap.

   An event that a burst leaves out is a gap in it, of which BURSTY_GAP tells.

   Cost: what the event alone costs and 20 instructions, in second copies. */
BURSTY_API uint32_t bursty_note_mark(void) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n = BURSTY_P_HERE.n;
    if (!t || !t->live || (int32_t)n > 0) return 0;
    if (t->live == t->active && !(t->live & (t->live - 1))) bursty_p_mine.marked = 1;
    return (uint32_t)BURSTY_P_READ(&t->checks) - t->counted - n;
}

/* The profiles that record an event now, `behind` checks behind the mark. now:
   checks of the thread. */
BURSTY_P_SLOW uint32_t bursty_p_who_sees(const bursty_p_thread *t, uint32_t now, uint32_t behind) {
    uint32_t p, seen = 0;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        const bursty_p_sampler *s = &t->sampler[p];
        uint32_t bit = 1u << p;
        if (!(t->active & bit)) continue;
        if (s->set.every == BURSTY_ALWAYS) seen |= t->live & bit;
        else if (behind >= s->set.burst) seen |= t->active == bit ? bit : 0;
        else if (t->live & bit && behind < now - s->began) seen |= bit;
    }
    return seen;
}

BURSTY_API void bursty_note_since(const bursty_site *site, uintptr_t value, uint32_t kind,
                               uint32_t mark) {
    uint32_t n, now, seen;
    bursty_p_thread *t;
    if (BURSTY_P_POLLS) {
        bursty_note(site, value, kind);
        return;
    }
    n = bursty_p_hold();
    t = bursty_p_me();
    if (t && mark && (int32_t)n <= (int32_t)BURSTY_P_SPAN) { /* it was not held */
        now = (uint32_t)BURSTY_P_READ(&t->checks) - t->counted + (t->live ? 0 : t->span) - n;
        seen = bursty_p_who_sees(t, now, now - mark);
        t->in_slow = 1;
        t->kept = n;
        if (seen) bursty_p_send_behind(t, seen, site, value, kind, now - mark);
        t->in_slow = 0;
        t->gap |= t->live & ~seen;
    } else {
        bursty_p_miss(t); /* nobody knows by which check this run came here */
    }
    bursty_p_release(t, BURSTY_P_HELD(n), n);
}
