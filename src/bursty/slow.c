/* ---- the slow path ---- */

/* The word says whether the slow path is running on this thread:

       check fires --> n = hold()  --> look? deliver? --> word = n, or the new one
                       word = BUSY     actions

   hold() is the first act: it takes the word out and puts a large number in, in
   one instruction. From then on the thread's checks stay on the fast path and
   count the large number down, which is dropped in the end. So checks in an
   action, or in a signal handler that lands here, record nothing, are not
   counted, and do not re-enter. (With BURSTY_POLL they do, and get BUSY here.)

     bursty_set_profile in an action  only stores the settings, since in_slow is set; the next look
                                      takes them over. bursty_get_stats and others do not look.
     longjmp out of an action, or of  bursty_set_depth puts the word back: out of an event the word
     a handler that came in between   in `kept`; else 0 with span 0: the next check is a look with
                                      nothing passed, and a burst that goes on begins anew
     a thread without a record        no start yet, or no memory; it asks again in 65 536
                                      checks

   release() gives the word back. If somebody has counted it down meanwhile, checks
   of a handler are missing in the burst; an action's own are taken for such. The
   profiles in a burst get BURSTY_GAP before their next event, which is early
   enough: what is missing lies between two events. */
#if (defined(__x86_64__) || defined(__i386__)) && !defined(BURSTY_NO_TLS) \
    && !defined(BURSTY_P_MSVC) && !defined(BURSTY_POLL) /* xchg locks: 7 ns */
#define BURSTY_P_HOLDS_BY_ADDING
#define BURSTY_P_HELD(n_) ((n_) + BURSTY_P_BUSY) /* the word, where hold() gave n_ */
#else
#define BURSTY_P_HELD(n_) BURSTY_P_BUSY
#endif
#define BURSTY_P_IS_HELD() ((int32_t)BURSTY_P_HERE.n > (int32_t)BURSTY_P_SPAN)
BURSTY_P_STEP uint32_t bursty_p_hold(void) {
    uint32_t n = BURSTY_P_BUSY;
#if defined(BURSTY_NO_TLS)
    n = BURSTY_P_HERE.n;
    BURSTY_P_HERE.n = BURSTY_P_BUSY;
#elif defined(BURSTY_P_MSVC)
    n = (uint32_t)_InterlockedExchange((volatile long *)&BURSTY_P_HERE.n, (long)n);
#elif defined(BURSTY_P_HOLDS_BY_ADDING)
    __asm__ __volatile__("{xaddl %0, %1|xadd %1, %0}" : "+r"(n), "+m"(BURSTY_P_HERE.n) : : "cc", "memory");
#else
    n = __atomic_exchange_n(&BURSTY_P_HERE.n, n, __ATOMIC_RELAXED);
#endif
    return n;
}

/* Events of the profiles in a burst are missing here. */
BURSTY_P_STEP void bursty_p_miss(bursty_p_thread *t) {
    if (t) t->gap |= t->live;
}

BURSTY_P_STEP void bursty_p_release(bursty_p_thread *t, uint32_t held, uint32_t n) {
    if (t && t->live && *(volatile uint32_t *)&BURSTY_P_HERE.n != held) bursty_p_miss(t);
    BURSTY_P_HERE.n = n;
}

BURSTY_P_SLOW void bursty_p_deliver(bursty_p_thread *t, const bursty_site *site, uintptr_t value,
                             uint32_t kind, uint32_t kept) {
    if (bursty_p_mine.only && (kind & BURSTY_ANY)) {
        bursty_p_count_up(bursty_p_mine.only, 1);
        bursty_p_tally(t, site, kind, bursty_p_mine.weight_256);
        return;
    }
    t->in_slow = 1;
    t->kept = kept;
    bursty_p_send(t, t->live, site, value, kind);
    t->in_slow = 0;
}

/* Where bursty_p_mine.only is set, an event whose row is a recent one is
   counted here. n is the word after its check. Both return 0 if it is not
   counted. */
BURSTY_P_STEP int bursty_p_count_known(const bursty_site *site) {
    bursty_p_row *row = bursty_p_recall(site, bursty_p_caller(BURSTY_P_HERE.depth));
    if (!row) return 0;
    bursty_p_count_up(bursty_p_mine.only, 1);
    bursty_p_count_in(row, bursty_p_mine.weight_256);
    return 1;
}

BURSTY_P_STEP int bursty_p_count_recent(const bursty_site *site, uint32_t n) {
    if (bursty_p_mine.epoch != BURSTY_P_GET(&bursty_p_all.epoch)) return 0;
    if (~n >= bursty_p_mine.room) return 0; /* that many checks of the burst have passed */
    return bursty_p_count_known(site);
}

/* Checks of a thread without a record until it asks for one again: before
   bursty_start soon, and where there is no room, hardly ever. */
BURSTY_P_STEP uint32_t bursty_p_until_start(void) {
#ifdef BURSTY_NO_TLS /* bursty_start sets the word of all */
    return BURSTY_P_SPAN;
#else
    return BURSTY_P_GET(&bursty_p_all.epoch) ? BURSTY_P_SPAN : BURSTY_P_UNSTARTED;
#endif
}

BURSTY_P_STEP uint32_t bursty_p_hit_of(bursty_p_thread *t, const bursty_site *site,
                                       uintptr_t value, uint32_t n) {
    uint32_t held = BURSTY_P_HELD(n - !BURSTY_P_POLLS); /* n was the word before this check */
    if (!t) {
        BURSTY_P_HERE.n = bursty_p_until_start() - 1;
        return 0;
    }
    n = bursty_p_advance(t, n) - 1;
    if (t->live && site) bursty_p_deliver(t, site, value, site->kind, n);
    bursty_p_release(t, held, n);
    return t->live;
}

static BURSTY_P_COLD uint32_t bursty_p_rest(const bursty_site *site, uintptr_t value, uint32_t n) {
    return bursty_p_hit_of(bursty_p_me(), site, value, n);
}

BURSTY_API uint32_t bursty_hit(const bursty_site *site, uintptr_t value) {
    uint32_t n = bursty_p_hold();
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) {
        bursty_p_miss(bursty_p_registered());
        return 0;
    }
    if (!site || !bursty_p_count_recent(site, n)) {
        return bursty_p_rest(site, value, n + !BURSTY_P_POLLS);
    }
    BURSTY_P_HERE.n = n;
    return bursty_p_mine.thread->live;
}

/* A RETURN that the hot table alone would get is counted, and goes no
   further. */
BURSTY_P_STEP int bursty_p_count_return(void) {
    if (!bursty_p_mine.only || bursty_p_mine.epoch != BURSTY_P_GET(&bursty_p_all.epoch)) return 0;
    bursty_p_count_up(bursty_p_mine.only, 1);
    return 1;
}

/* n is the word, which was taken out. */
BURSTY_P_STEP void bursty_p_event_of(bursty_p_thread *t, const bursty_site *site, uintptr_t value,
                                     uint32_t kind, uint32_t n) {
    if (t && t->live && !bursty_p_reopened(t)) bursty_p_deliver(t, site, value, kind, n);
    bursty_p_release(t, BURSTY_P_HELD(n), n);
}

BURSTY_API void bursty_note(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t n = bursty_p_hold();
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) {
        bursty_p_miss(bursty_p_registered());
        return;
    }
    if ((kind & BURSTY_RETURN) && !BURSTY_P_POLLS && bursty_p_count_return()) {
        BURSTY_P_HERE.n = n;
        return;
    }
    bursty_p_event_of(bursty_p_me(), site, value, kind, n);
}

#ifdef BURSTY_POLL
BURSTY_API uint32_t bursty_p_is_live(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (t && t->in_slow) bursty_p_miss(t);
    return t && t->live && !t->in_slow && !bursty_p_reopened(t);
}
#endif

BURSTY_API uint32_t bursty_p_take(uint64_t left, uint32_t *live) {
    uint32_t n = bursty_p_hold(), held = BURSTY_P_HELD(n), room = BURSTY_P_SPAN;
    bursty_p_thread *t = NULL;
    if (!BURSTY_P_POLLS || n != BURSTY_P_BUSY) {
        t = bursty_p_me();
        n = room = t ? bursty_p_advance(t, n) : bursty_p_until_start();
    }
    *live = t ? t->live : 0;
    if (*live) room = t->span - (0 - n);
    if (left < room) room = (uint32_t)left;
    if (t || n != BURSTY_P_BUSY) bursty_p_release(t, held, n - room);
    return room;
}

/* Unused checks are given back unless checks in the body have begun or ended a
   burst since. */
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    uint32_t n = BURSTY_P_HERE.n, back = n + count;
    bursty_p_thread *t = bursty_p_registered();
    if (!t || t->in_slow || !live != !t->live || (BURSTY_P_POLLS && !live)) return;
    if (live ? 0 - n <= t->span && 0 - back <= t->span : back <= t->span) BURSTY_P_HERE.n = back;
}

/* After a look in the middle of a burst the word would be 0 until the next
   check, and events before it would be lost. So it becomes -1: the last check
   comes again, without being counted again, and the next one looks. */
static uint32_t bursty_p_step_back(bursty_p_thread *t) {
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        if (t->sampler[p].left != BURSTY_P_EVER) t->sampler[p].left++;
    }
    t->counted = t->span = 1;
    bursty_p_mine.room = 0;
    return (uint32_t)-1;
}

/* Looks at the schedule now, so that a change takes effect at once and counts
   are exact. */
static void bursty_p_look_now(void) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n, was;
    if (t) t->until_new = 0;
    if ((t && t->in_slow) || BURSTY_P_IS_HELD()) return;
    was = n = bursty_p_hold();
    t = bursty_p_me();
    if (t) {
        t->until_new = 0;
        n = bursty_p_look(t, t->live ? 0 - n : t->span - n, (int32_t)was < 0 && !BURSTY_P_POLLS);
        if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
            n = bursty_p_look(t, 0, (int32_t)n < 0);
        }
        if ((int32_t)n < 0) n = bursty_p_step_back(t);
        bursty_p_settle(t);
    }
    BURSTY_P_HERE.n = n;
}
