/* ---- patching: the sampler (figure 3 of bursty-tracing) ---- */

/* So many bursts a second: if the time since the last one was too long, the
   next gap is shorter, and the other way round, by no more than 8 times at
   once. */
static uint32_t x86_p_follow_clock(x86_p_thread *t) {
    uint64_t wanted = 1000000000 / x86_p.config.bursts_per_second, now, passed, gap;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    passed = now - t->burst_ns;
    if (!t->burst_ns) t->gap = x86_p.config.every;
    else {
        if (passed < wanted / 8 + 1) passed = wanted / 8 + 1;
        if (passed > wanted * 8) passed = wanted * 8;
        gap = (uint64_t)t->gap * wanted / passed;
        t->gap = gap < 1 ? 1 : gap > (1u << 29) ? 1u << 29 : (uint32_t)gap;
    }
    t->burst_ns = now;
    return t->gap;
}

static int32_t x86_p_gap(x86_p_thread *t) {
    uint32_t gap = x86_p.config.every;
    if (gap == X86_ALWAYS) return 0;
    if (x86_p.config.bursts_per_second) gap = x86_p_follow_clock(t);
    return (int32_t)base_p_draw_gap(&t->random, gap, (uint32_t)x86_p.config.jitter);
}

/* Hands the buffered events over, but for records of kind 0. There a handler has
   interrupted, and has left by a jump, or has come here. Meanwhile handlers of
   signals that do not wait write elsewhere. */
static void x86_p_flush(x86_p_thread *t, int ended) {
    x86_event *events = (x86_event *)(void *)t->buffer;
    uint32_t count = (uint32_t)(t->position & (X86_P_BUFFER - 1)) / 16, n, kept = 0;
    enum { LAST = X86_P_BUFFER / 16 };
    if (!events) return;
    x86_p_write_to(t, x86_p_nowhere);
    if (events[LAST - 1].what) { /* it ran over: what is older is lost */
        __atomic_fetch_add(&x86_p.lost, LAST, __ATOMIC_RELAXED);
        count = LAST;
    }
    while (kept < count && events[kept].what) kept++;
    for (n = kept; n < count; n++)
        if (events[n].what) events[kept++] = events[n];
    if (kept < count) __atomic_fetch_add(&x86_p.lost, count - kept, __ATOMIC_RELAXED);
    __atomic_fetch_add(&x86_p.events, kept, __ATOMIC_RELAXED);
    if (x86_p.config.action && (kept || ended))
        x86_p.config.action(x86_p.config.user, events, kept, ended);
    memset(events, 0, (size_t)count * sizeof *events);
    count = (uint32_t)(t->position & (X86_P_BUFFER - 1)) / 16;
    if (count) __atomic_fetch_add(&x86_p.lost, count, __ATOMIC_RELAXED);
    x86_p_write_to(t, t->buffer);
}

/* What a thread is: not seen yet; seen; counted as one without a buffer; not to
   be sampled. */
enum { X86_P_NEW, X86_P_KNOWN, X86_P_LOST, X86_P_QUIET };

/* A thread takes a buffer when its first burst begins, and keeps it until
   x86_leave. */
static int x86_p_take_buffer(x86_p_thread *t) {
    uint32_t k, n;
    for (k = 0; k < X86_P_ROOMS && k * X86_P_THREADS < x86_p.config.threads
                && x86_p_open_room(&x86_p.rooms[k]); k++) {
        x86_p_room *room = &x86_p.rooms[k];
        for (n = 0; n < X86_P_THREADS; n++) {
            if (k * X86_P_THREADS + n == x86_p.config.threads) break;
            if (room->taken[n] || __atomic_exchange_n(&room->taken[n], 1, __ATOMIC_ACQUIRE)) continue;
            t->buffer = room->buffers + (size_t)n * X86_P_BUFFER;
            t->taken = &room->taken[n];
            t->rules = room->rules + (size_t)n * X86_P_RULES;
            x86_p_write_to(t, t->buffer);
            return 1;
        }
    }
    if (t->known != X86_P_LOST) __atomic_fetch_add(&x86_p.lost_threads, 1, 0);
    t->known = X86_P_LOST;
    return 0;
}

/* Counts the checks of the thread's span, of which `left` are still to come. */
static void x86_p_count_checks(x86_p_thread *t, int32_t left) {
    uint32_t done = t->span ? t->span - (uint32_t)(left < 0 ? 0 : left) : 0;
    __atomic_fetch_add(&x86_p.checks, done - t->counted, __ATOMIC_RELAXED);
    if (t->live)
        __atomic_fetch_add(&x86_p.burst_checks, (uint64_t)(done - t->counted) * t->weight,
                           __ATOMIC_RELAXED);
    t->counted = done;
}

/* A gap begins at this check, or a burst, and n or `left` of its checks are
   still to come. */
static void x86_p_begin_span(x86_p_thread *t, int live, int32_t n) {
    if (live) __atomic_fetch_add(&x86_p.bursts, !t->live, __ATOMIC_RELAXED);
    if (live && !t->live) t->weight = 1;
    t->bursts += live && !t->live;
    t->live = (uint32_t)live;
    t->left = live ? n : 0;
    t->n = live ? X86COPY_LIVE : n;
    t->span = (uint32_t)n + 1;
    t->counted = 0;
}

/* A burst begins, or what is left of one: so many checks. With halves it is two
   spans, and the second one is the last half of a whole burst: any check is as
   likely to lie there as any other. */
static void x86_p_begin_burst(x86_p_thread *t, uint32_t checks) {
    uint32_t half = x86_p.config.burst / 2;
    int is_halved = x86_p.config.halves && x86_p.config.every != X86_ALWAYS;
    t->behind = is_halved && checks > half ? half : 0;
    x86_p_begin_span(t, 1, (int32_t)(checks - t->behind) - 1);
    if (is_halved && !t->behind) x86_p_flush(t, X86_MIDDLE);
}

/* A thread begins anywhere in its period, when it is new and when the sampler
   was switched on again. Without jitter it begins with a whole gap. */
static void x86_p_first_span(x86_p_thread *t) {
    uint32_t burst = x86_p.config.burst, left = x86_p.config.every, live = 0;
    uint32_t jitter = (uint32_t)x86_p.config.jitter;
    if (jitter) left = base_p_begin(&t->random, left, jitter, burst, &live);
    if (!live) x86_p_begin_span(t, 0, (int32_t)left - 1);
    else if (t->buffer || x86_p_take_buffer(t)) x86_p_begin_burst(t, left);
}

/* The burst ends here, and its check counts as one of the gap. So a burst that
   ends where it began had none. */
static void x86_p_break_off(x86_p_thread *t, int has_just_begun) {
    int32_t gap = x86_p_gap(t);
    __atomic_fetch_add(&x86_p.broken, 1, __ATOMIC_RELAXED);
    t->live = 0;
    x86_p_count_checks(t, t->left + has_just_begun);
    x86_p_flush(t, 1);
    x86_p_begin_span(t, 0, gap > 0 ? gap - 1 : 0);
}

/* The burst that begins at this check is left out. The next one is due when it
   would have been over, and a gap. */
static void x86_p_leave_out(x86_p_thread *t) {
    int32_t gap = x86_p_gap(t);
    t->behind = 0;
    x86_p_begin_span(t, 0, (gap > 0 ? gap - 1 : 0) + (int32_t)x86_p.config.burst);
}

/* A handler has left us by siglongjmp: of SIGSEGV, where the stack was full, or
   of any signal where none waits. Nothing here is half done that matters but the
   buffer; the caller repairs what is its own. Returns the signals that are to be
   held when we are left: those from before, if they are still held. */
static uint64_t x86_p_repair(x86_p_thread *t, uint64_t held) {
    uint64_t at_once = X86_P_AT_ONCE | X86_P_NEVER;
    int32_t gap = x86_p_gap(t);
    uint32_t count = (uint32_t)(t->position & (X86_P_BUFFER - 1)) / 16;
    __atomic_fetch_add(&x86_p.lost, count ? count : 1, __ATOMIC_RELAXED);
    if (t->buffer) {
        memset(t->buffer, 0, X86_P_BUFFER);
        x86_p_write_to(t, t->buffer);
    }
    x86_p_begin_span(t, 0, gap > 0 ? gap - 1 : 0);
    t->busy = 0;
    t->nested = 0;
    if (x86_p.config.abandoned) x86_p.config.abandoned(x86_p.config.user);
    return (held | at_once) == UINT64_MAX && !x86_p.no_calls ? t->held : held;
}

/* A check of the calling thread that the fast answers do not cover. Returns 1
   if a burst is live. */
static uint32_t x86_p_edge_of_burst(x86_p_thread *t) {
    uint32_t number;
    if (t->n == X86COPY_LIVE) { /* inside a burst: full buffer, or I is to be made */
        if ((t->position & (X86_P_BUFFER - 1)) >= 0xC000) x86_p_flush(t, 0);
        return 1;
    }
    if (t->n >= 0) return 0;    /* a handler came between, and a gap has begun for it */
    if (!t->known) {
        t->known = X86_P_KNOWN;
        number = __atomic_fetch_add(&x86_p.threads, 1, __ATOMIC_RELAXED);
        t->random = base_p_state_of(x86_p.config.seed, number, 0);
        if (x86_p.config.thread) x86_p.config.thread(x86_p.config.user);
    }
    if (!t->span && x86_p.on && t->known != X86_P_QUIET
        && x86_p.config.every != X86_ALWAYS) {
        x86_p_first_span(t);
        if (t->span) return t->live;
    }
    x86_p_count_checks(t, 0);
    if (!x86_p.on || t->known == X86_P_QUIET
        || (!t->buffer && !x86_p_take_buffer(t))) {
        if (t->live) x86_p_flush(t, 1);
        x86_p_begin_span(t, 0, 65536); /* look again whether it was switched on */
        t->span = 0;
        return 0;
    }
    if (t->live && t->behind) {
        uint32_t behind = t->behind;
        t->behind = 0;
        x86_p_flush(t, X86_MIDDLE);
        x86_p_begin_span(t, 1, (int32_t)behind - 1);
        return 1;
    }
    if (t->live) {
        int32_t gap = x86_p_gap(t);
        x86_p_flush(t, gap != 0);
        if (gap > 0) {
            x86_p_begin_span(t, 0, gap - 1);
            return 0;
        }
    }
    x86_p_begin_burst(t, x86_p.config.burst);
    return 1;
}
