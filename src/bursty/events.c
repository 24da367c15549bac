/* ---- events ---- */

/* Sends one event to every profile in mask whose classes take it. */
BURSTY_P_SLOW void bursty_p_send(bursty_p_thread *t, uint32_t mask, const bursty_site *site,
                                 uintptr_t value, uint32_t kind) {
    uint32_t p;
    bursty_event event = { site, value, kind, BURSTY_P_HERE.depth, 0, 0, 0, NULL, NULL };
    event.thread = t->number;
#if BURSTY_STACK > 0
    event.stack = BURSTY_P_HERE.stack;
#endif
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(mask >> p & 1) || !(s->set.classes & kind)) continue;
        event.burst = s->number;
        event.weight_256 = s->weight_256;
        event.memory = s->memory;
        bursty_p_count_up(&t->events[p], 1);
        if (s->set.action) s->set.action(s->set.user, &event);
        else bursty_p_tally(t, site, kind, s->weight_256);
    }
}

/* Adds what the bursts of the profiles in mask have counted to the sums. */
BURSTY_P_SLOW void bursty_p_fold_all(bursty_p_thread *t, uint32_t mask) {
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        if ((mask >> p & 1) && !t->sampler[p].set.action) bursty_p_fold(t, &t->sampler[p]);
    }
}

/* Ends the bursts of the profiles in mask. */
BURSTY_P_SLOW void bursty_p_end(bursty_p_thread *t, uint32_t mask) {
    bursty_p_mine.only = NULL;
    bursty_p_mine.room = 0;
    if (mask & t->framed) bursty_p_send(t, mask & t->framed, &bursty_p_burst_site, 0, BURSTY_END);
    if (bursty_p_mine.touched) bursty_p_fold_all(t, mask);
    t->live &= ~mask;
    bursty_p_mine.summing &= ~mask;
}
