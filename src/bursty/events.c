/* ---- events ---- */

/* The weight of an event that N - behind of the N places of a burst record
   (since.c). */
BURSTY_P_SLOW uint32_t bursty_p_weigh_behind(const bursty_p_sampler *s, uint32_t behind) {
    uint64_t left, weight;
    if (s->set.every == BURSTY_ALWAYS || behind >= s->set.burst) return s->weight_256;
    left = s->set.burst - behind;
    weight = ((uint64_t)s->weight_256 * s->set.burst + left / 2) / left;
    return weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
}

/* BURSTY_GAP, to those of the profiles in mask that ask for it. A handler that
   interrupts may set bits meanwhile. */
BURSTY_P_SLOW void bursty_p_tell_gap(bursty_p_thread *t, uint32_t mask, const bursty_event *next) {
    uint32_t p;
    bursty_event event = *next;
    event.site = &bursty_p_burst_site;
    event.kind = BURSTY_GAP;
    event.value = 0;
    t->gap &= ~mask;
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(mask >> p & 1) || !(s->set.classes & BURSTY_GAP) || !s->set.action) continue;
        event.burst = s->number;
        event.weight_256 = s->weight_256;
        event.memory = s->memory;
        s->set.action(s->set.user, &event);
    }
}

/* Sends one event to every profile in mask whose classes take it. behind: see
   since.c; for others 0. */
BURSTY_P_SLOW void bursty_p_send_behind(bursty_p_thread *t, uint32_t mask, const bursty_site *site,
                                        uintptr_t value, uint32_t kind, uint32_t behind) {
    uint32_t p;
    bursty_event event = { site, value, kind, BURSTY_P_HERE.depth, 0, 0, 0, NULL, NULL };
    event.thread = t->number;
#if BURSTY_STACK > 0
    event.stack = BURSTY_P_HERE.stack;
#endif
    if (t->gap & mask) bursty_p_tell_gap(t, t->gap & mask, &event);
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(mask >> p & 1) || !(s->set.classes & kind)) continue;
        event.burst = s->number;
        event.weight_256 = behind ? bursty_p_weigh_behind(s, behind) : s->weight_256;
        event.memory = s->memory;
        bursty_p_count_up(&t->events[p], 1);
        if (s->set.action) s->set.action(s->set.user, &event);
        else bursty_p_tally(t, site, kind, event.weight_256);
    }
}

BURSTY_P_SLOW void bursty_p_send(bursty_p_thread *t, uint32_t mask, const bursty_site *site,
                                 uintptr_t value, uint32_t kind) {
    bursty_p_send_behind(t, mask, site, value, kind, 0);
}

/* Adds what the bursts of the profiles in mask have counted to the sums. */
BURSTY_P_SLOW void bursty_p_fold_all(bursty_p_thread *t, uint32_t mask) {
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        if ((mask >> p & 1) && !t->sampler[p].set.action) bursty_p_fold(t, &t->sampler[p]);
    }
}

/* Ends the bursts of the profiles in mask. The sums of one that gave a mark wait
   for bursty_p_settle. */
BURSTY_P_SLOW void bursty_p_end(bursty_p_thread *t, uint32_t mask) {
    bursty_p_mine.only = NULL;
    bursty_p_mine.room = 0;
    if (mask & t->framed) bursty_p_send(t, mask & t->framed, &bursty_p_burst_site, 0, BURSTY_END);
    t->live &= ~mask;
    if (bursty_p_mine.marked) return;
    if (bursty_p_mine.touched) bursty_p_fold_all(t, mask);
    bursty_p_mine.summing &= ~mask;
}

/* Before the next burst begins, or somebody reads: what the second copies have
   counted behind the last burst belongs to it. */
BURSTY_P_SLOW void bursty_p_settle(bursty_p_thread *t) {
    if (!bursty_p_mine.marked || t->live) return;
    bursty_p_mine.marked = 0;
    if (bursty_p_mine.touched) bursty_p_fold_all(t, t->active);
    bursty_p_mine.summing = 0;
}
