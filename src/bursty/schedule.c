/* ---- the schedule ---- */

/* word    4 | 3  2  1  0 | -1 -2 -3 | 4  3  2  1  0 | -1 ...     every C = 5, burst
               gap          burst      gap             burst      I = 3
           ^ look         ^ look     ^ look          ^ look
           in bursty_start, before the first check

   A thread looks at its schedule at the first check after a phase of any
   profile has ended. The look computes live (who is in a burst) and span: this
   check and the span - 1 checks after it get the same answer. It sets n = live
   ? 0 : span, and then this check takes its 1. Invariant: at the next look
   exactly span checks have passed, whether n came down from span or from 0. It
   is suspended while the slow path runs (the word is then some large number),
   and a look may come early, from bursty_set_profile for example; then fewer
   have passed: live ? -n : span - n.

   Every profile keeps the sequence that it would have alone: I checks in a
   burst, then a gap, and so on; span is the nearest end of a phase. The length
   of a gap is drawn evenly from C - j to C + j, where j is `jitter` percent of
   C, and is at least 1. A budget multiplies C by the thread's factor first.
   After every awake_count bursts, hibernate_count periods of C + I are added.
   Without jitter the first gap is C - 1, as in bursty-tracing Figure 3. With
   jitter a profile begins anywhere in its period (bursty_p_begin_anywhere), on a
   new thread and after each change.

   New settings are taken over when the caller asks (bursty_p_look_now), and on
   other threads at each 4096th check; so is what a budget has found out. Had they waited for a phase to end,
   profiles would begin anew only where bursts end or are due, and these would
   be missed.

   Cost: a look is O(profiles). There are two in C + I checks.

   With BURSTY_POLL the gap has no length: a look while bursty_p_open is 1
   begins a burst of every profile once in an opening, and the phase after it
   lasts until the next one. */
enum { BURSTY_P_ASKS = 4096 };
#if defined(BURSTY_NO_TLS) || defined(BURSTY_POLL) /* nobody else's settings, or no phases */
enum { BURSTY_P_ALONE = 1 };
#else
enum { BURSTY_P_ALONE = 0 };
#endif

BURSTY_P_SLOW uint32_t bursty_p_mean_gap(const bursty_p_thread *t, const bursty_p_sampler *s) {
    const uint64_t factor = t->factor_used;
    uint64_t gap = s->set.every;
    if (factor) {
        gap = gap >> 20 ? (gap * (factor >> 8)) >> 8 : gap * factor >> 16;
        if (gap < 100) gap = s->set.every < 100 ? s->set.every : 100;
        if (gap > BURSTY_P_BUSY) gap = BURSTY_P_BUSY;
    }
    return (uint32_t)gap;
}

BURSTY_P_SLOW uint32_t bursty_p_gap(bursty_p_thread *t, const bursty_p_sampler *s) {
    if (s->set.jitter <= 0) return s->gap;
    return bursty_p_draw_gap(&t->random, s->gap, (uint32_t)s->set.jitter);
}

/* How many events one of this burst stands for: (C + I) / I, and more with
   hibernation. */
BURSTY_P_SLOW uint32_t bursty_p_weigh(const bursty_p_sampler *s) {
    const bursty_profile *set = &s->set;
    uint64_t weight, periods = (uint64_t)set->awake_count + set->hibernate_count;
    if (set->every == BURSTY_ALWAYS || BURSTY_P_POLLS) return 256;
    weight = ((uint64_t)s->gap + set->burst) * 256 / set->burst;
    if (weight > UINT32_MAX) return UINT32_MAX;
    if (periods >> 31) periods = INT32_MAX;
    if (set->awake_count) weight = weight * periods / set->awake_count;
    return weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
}

BURSTY_P_SLOW void bursty_p_open_burst(bursty_p_sampler *s, uint64_t left) {
    s->in_burst = 1;
    s->left = left;
    s->weight_256 = bursty_p_weigh(s);
}

/* The gap that has begun is the last one before a hibernation. */
BURSTY_P_SLOW void bursty_p_hibernate(bursty_p_sampler *s) {
    s->awake_left = s->set.awake_count;
    s->left += (uint64_t)s->set.hibernate_count * ((uint64_t)s->gap + s->set.burst);
}

BURSTY_P_SLOW void bursty_p_next_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    if (!s->in_burst) {
        bursty_p_open_burst(s, s->set.burst);
        return;
    }
    s->in_burst = 0;
    s->left = BURSTY_P_EVER;
    if (BURSTY_P_POLLS) return;
    s->left = bursty_p_gap(t, s);
    if (s->set.awake_count && --s->awake_left == 0) bursty_p_hibernate(s);
}

/* The first phase of a profile with jitter. Where it hibernates, the place is
   even in the whole cycle: awake_count bursts with their gaps, then the long
   gap. */
static void bursty_p_begin_anywhere(bursty_p_thread *t, bursty_p_sampler *s) {
    uint32_t awake = s->set.awake_count, asleep = awake ? s->set.hibernate_count : 0, period = 0;
    uint64_t mean = (uint64_t)s->gap + s->set.burst;
    if (asleep > UINT32_MAX - awake) asleep = UINT32_MAX - awake;
    if (awake) period = bursty_p_below(&t->random, awake + asleep);
    if (awake && period >= awake) {
        s->left = (period - awake) * mean + bursty_p_below(&t->random, (uint32_t)mean) + 1;
        return;
    }
    s->left = bursty_p_begin(&t->random, s->gap, (uint32_t)s->set.jitter, s->set.burst, &s->in_burst);
    s->awake_left = awake - period;
    if (awake && !s->in_burst && --s->awake_left == 0) bursty_p_hibernate(s);
}

/* A profile's first phase on a thread. */
static void bursty_p_first_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    s->in_burst = 0;
    s->left = BURSTY_P_EVER;
    s->awake_left = s->set.awake_count;
    if (s->set.every == BURSTY_ALWAYS && !BURSTY_P_POLLS) bursty_p_open_burst(s, BURSTY_P_EVER);
    if (s->set.every == BURSTY_ALWAYS || BURSTY_P_POLLS) return;
    bursty_p_count_up(&t->begins[s - t->sampler], 1);
    s->gap = bursty_p_mean_gap(t, s);
    s->weight_256 = bursty_p_weigh(s);
    s->left = s->gap - 1;
    if (s->set.jitter > 0) bursty_p_begin_anywhere(t, s);
}

/* Takes over what bursty_set_profile changed. An action that gets the END of a
   changed profile may change another one, so the settings are read again behind
   it. */
static void bursty_p_take_settings(bursty_p_thread *t) {
    bursty_p_settings now;
    uint32_t ended = 0, p;
    if (t->same_settings) return;
    (void)bursty_p_read_settings(&now);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (now.slot[p].stamp != t->sampler[p].stamp) ended |= 1u << p;
    }
    ended &= t->live;
    if (ended) bursty_p_end(t, ended);
    bursty_p_settle(t);
    t->generation = bursty_p_read_settings(&now);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        const bursty_p_slot *slot = &now.slot[p];
        uint32_t bit = 1u << p;
        if (slot->stamp == s->stamp) continue;
        if (t->live & bit) { /* changed again in between: at the next look */
            t->generation = 0;
            continue;
        }
        s->set = slot->set;
        s->stamp = slot->stamp;
        BURSTY_P_PUT(&t->active, t->active & ~bit); /* bursty_clear reads it */
        t->framed &= ~bit;
        t->acting &= ~bit;
        if (!slot->used || s->set.off || now.paused) continue;
        BURSTY_P_PUT(&t->active, t->active | bit);
        if (s->set.classes & (BURSTY_BEGIN | BURSTY_END)) t->framed |= bit;
        if (s->set.action) t->acting |= bit;
        bursty_p_zero(s->memory, sizeof s->memory);
        bursty_p_first_phase(t, s);
    }
    t->plain = BURSTY_P_KEEP_PLAIN(t);
}

/* A budget's new gaps begin as new settings do, at a check that has nothing to
   do with bursts. The factor never stands still, so a small change waits. */
static void bursty_p_take_factor(bursty_p_thread *t) {
    uint64_t used = t->factor_used ? t->factor_used : 65536;
    uint32_t paced = 0, p;
    if (t->factor > used - used / 8 && t->factor < used + used / 8) return;
    t->factor_used = t->factor;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        if (t->sampler[p].set.every != BURSTY_ALWAYS) paced |= t->active & 1u << p;
    }
    if (t->live & paced) bursty_p_end(t, t->live & paced);
    bursty_p_settle(t);
    for (p = 0; p < BURSTY_PROFILES && paced >> p; p++) {
        if (paced >> p & 1) bursty_p_first_phase(t, &t->sampler[p]);
    }
}

static void bursty_p_pace(bursty_p_thread *t, int was_burst) {
    uint64_t shares = 0;
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES; p++) {
        const bursty_profile *set = &t->sampler[p].set;
        if (!(t->active >> p & 1) || set->every == BURSTY_ALWAYS) continue;
        shares += ((uint64_t)set->burst << 20) / set->every;
    }
    t->factor = bursty_p_budget(t->pace, was_burst, t->phase_checks, shares);
    t->phase_checks = 0;
}

BURSTY_P_SLOW void bursty_p_go_live(bursty_p_thread *t, uint32_t live) {
    uint32_t was = t->live, begun = live & ~was, p;
    if (was & ~live) bursty_p_end(t, was & ~live);
    else bursty_p_settle(t);
    if (bursty_p_all.budget && !was != !live) bursty_p_pace(t, was != 0);
    t->live = live;
    bursty_p_mine.only = NULL;
    for (p = 0; p < BURSTY_PROFILES && live >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (begun >> p & 1) bursty_p_number(t, s, p);
        if (live != 1u << p || s->set.action || s->set.classes != BURSTY_ANY) continue;
        bursty_p_mine.only = &t->events[p];
        bursty_p_mine.weight_256 = s->weight_256;
    }
    begun &= t->framed;
    if (begun) bursty_p_send(t, begun, &bursty_p_burst_site, 0, BURSTY_BEGIN);
}

/* An opening of bursty_poll that this thread has not seen. */
BURSTY_P_STEP int bursty_p_reopened(const bursty_p_thread *t) {
    return BURSTY_P_POLLS && BURSTY_P_OPEN() && t->opening != BURSTY_P_GET(&bursty_p_all.opening);
}

BURSTY_P_SLOW void bursty_p_begin_opening(bursty_p_thread *t) {
    uint32_t p;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening);
    bursty_p_go_live(t, 0);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (t->active >> p & 1) bursty_p_open_burst(&t->sampler[p], t->sampler[p].set.burst);
    }
}

/* Looks at the schedule after so many checks. Returns the value of the word from which
   the check that asked will subtract 1. With `stays` no check has asked: while a
   burst is live no phase ends before the next check, and the look returns -1. */
BURSTY_P_SLOW uint32_t bursty_p_look(bursty_p_thread *t, uint32_t passed, int stays) {
    uint32_t live = 0, p;
    uint64_t span = BURSTY_P_SPAN;
    int is_asked, is_due;
    uint32_t more;
    t->in_slow = 2;
    if (passed > t->span) passed = t->span; /* a fresh record has span 0 and any word */
    more = passed > t->counted ? passed - t->counted : 0;
    t->counted = 0;
    bursty_p_count_up(&t->checks, more);
    if (t->live) bursty_p_count_up(&t->burst_checks, more);
    t->phase_checks += more;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        if (t->sampler[p].left != BURSTY_P_EVER) t->sampler[p].left -= passed;
    }
    t->until_new = passed < t->until_new ? t->until_new - passed : 0;
    is_asked = t->until_new == 0;
    if (is_asked) t->until_new = BURSTY_P_ASKS;
    is_due = BURSTY_P_ALONE || is_asked || t->generation == 0;
    if (is_due && t->generation != BURSTY_P_GET(&bursty_p_all.generation)) bursty_p_take_settings(t);
    if (is_asked && t->factor) bursty_p_take_factor(t);
    if (bursty_p_reopened(t)) bursty_p_begin_opening(t);
    stays = stays && t->live;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(t->active >> p & 1)) continue;
        while (s->left == 0 && !stays) bursty_p_next_phase(t, s);
        if (s->in_burst) live |= 1u << p;
        if (s->left < span) span = s->left;
    }
    if (is_due && t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
        t->until_new = t->generation ? 256 : 1; /* 1: it has no settings yet */
    }
    span = t->until_new < span ? t->until_new : span;
    if (live != t->live) bursty_p_go_live(t, live);
    t->span = (uint32_t)span;
    bursty_p_mine.room = bursty_p_mine.only && !BURSTY_P_POLLS ? t->span : 0;
    t->in_slow = 0;
    if (stays) return (uint32_t)-1;
    return live ? 0 : t->span;
}

/* n is the word before the next check. Returns it, after a look if one is
   due. */
BURSTY_P_STEP uint32_t bursty_p_advance(bursty_p_thread *t, uint32_t n) {
    uint32_t passed = t->live ? 0 - n : t->span - n;
    if (passed < t->span && !bursty_p_reopened(t)) return n;
    return bursty_p_look(t, passed, 0);
}
