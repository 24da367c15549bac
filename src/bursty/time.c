/* ---- time: start, pause, end ---- */

#if BURSTY_P_TICKS

/* bursty_start asks what can tick here (plan), lays out a table of paths if
   something does, and then begins. Where there are timers, each thread arms its
   own when it registers, and gives it back when it ends. A child of fork has
   none of them: it begins with its one thread. Where there are none, or if
   config.watch asks for it, the watcher looks at all threads (watcher.c).

   The CPU time of the process stands beside the ticks: ticks times period falls
   short of it if a thread made no check, or had no record or timer, if the
   signal was blocked, or if the program took it over. The report says so. */

/* CPU time that was to be seen: of the phases that have ended, and when the
   running one began. */
static struct {
    uint64_t before, since;
} bursty_p_cpu;

/* Without that of the watcher's thread. */
static uint64_t bursty_p_cpu_now(void) {
#ifdef BURSTY_P_WATCHER
    const uint64_t own_us = BURSTY_P_GET(&bursty_p_watcher.own_us), now = bursty_p_cpu_us();
    return now > own_us ? now - own_us : 0;
#else
    return bursty_p_cpu_us();
#endif
}

static uint64_t bursty_p_cpu_seen(void) {
    uint64_t now;
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) != 1) return bursty_p_cpu.before; /* no system call */
    now = bursty_p_cpu_now();
    if (now < bursty_p_cpu.since) return bursty_p_cpu.before;
    return bursty_p_cpu.before + now - bursty_p_cpu.since;
}

#ifdef BURSTY_P_WATCHER
/* Is the watcher's thread there, or to be there? */
static int bursty_p_has_thread(void) { return BURSTY_P_IS_WATCHED || BURSTY_P_IS_SENT; }

static uint32_t bursty_p_wants_watcher(const bursty_config *config) {
#if defined(BURSTY_P_TIMERS) || defined(__linux__)
    return config->tick_hz >= 0 && config->watch == 1;
#else
    return config->tick_hz >= 0 && config->watch >= 0;
#endif
}
#endif

/* Forgets what an earlier start has counted, sets no_time and the period.
   Returns whether a table of paths is needed. */
static int bursty_p_plan_time(const bursty_config *config) {
    int32_t hz = config->tick_hz;
#ifdef BURSTY_P_WATCHER
    bursty_p_ticks.is_watched = bursty_p_wants_watcher(config);
    bursty_p_watcher_forget_counts();
#endif
    bursty_p_ticks.usual = 1;
#ifdef BURSTY_P_TICKER
    bursty_p_ticks.is_sent = hz >= 0 && config->watch == 2;
#endif
    bursty_p_ticks.lost = bursty_p_ticks.cut = bursty_p_ticks.late = bursty_p_ticks.untimed = bursty_p_ticks.astray = 0;
    bursty_p_cpu.before = 0;
    bursty_p_ticks.fold = config->fold;
    bursty_p_ticks.period_us = hz > 0 ? 1000000u / (uint32_t)hz : 10000;
    bursty_p_all.no_time = BURSTY_TIME_IS_ON;
    if (hz < 0) bursty_p_all.no_time = BURSTY_NO_TIME_ASKED;
    if (hz != 0) return hz > 0;
    if (BURSTY_P_IS_WATCHED) return 1;
#if defined(BURSTY_P_TICKER) && !defined(BURSTY_P_APART) && UINTPTR_MAX > UINT32_MAX
    bursty_p_ticks.period_us = BURSTY_P_IS_SENT ? 100 : 10000; /* many looks at the beginning */
    bursty_p_ticks.usual = 10000 / bursty_p_ticks.period_us;
#endif
#if defined(BURSTY_P_TIMERS) && defined(BURSTY_P_APART)
    bursty_p_all.no_time = BURSTY_NO_TIME_SHARED;
#elif defined(BURSTY_BARE)
    bursty_p_all.no_time = BURSTY_NO_TIME_ASKED;
#elif defined(BURSTY_P_POSIX) && defined(__linux__) && !defined(BURSTY_P_TIMERS) && BURSTY_STACK > 0
    bursty_p_all.no_time = BURSTY_NO_TIME_STRICT;
#elif !defined(BURSTY_P_TIMERS)
    bursty_p_all.no_time = BURSTY_NO_TIME_SYSTEM;
#endif
    return bursty_p_all.no_time == BURSTY_TIME_IS_ON;
}

#ifdef BURSTY_P_TICKER
/* There is no thread that sends ticks: the system refused it, or this is a
   forked child, which may be in the middle of an allocation. Returns 0 if no
   signal is free. */
static int bursty_p_tick_by_timers(void) {
    bursty_p_uninstall();
    bursty_p_ticks.is_sent = 0;
    return bursty_p_install();
}
#endif

static void bursty_p_begin_time(void) {
    if (bursty_p_ticks.row_room == 0) {
        bursty_p_all.no_time = BURSTY_NO_TIME_MEMORY;
        return;
    }
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && !bursty_p_install()) bursty_p_ticks.is_sent = 0;
#endif
#ifdef BURSTY_P_TIMERS
    if (!BURSTY_P_IS_WATCHED && !BURSTY_P_IS_SENT && !bursty_p_install()) {
        bursty_p_all.no_time = BURSTY_NO_TIME_SIGNALS;
        return;
    }
#endif
#ifdef BURSTY_P_TIMERS
    bursty_p_begin_steps(&bursty_p_stepping);
#endif
    bursty_p_cpu.since = bursty_p_cpu_now();
#ifdef BURSTY_P_AXIS
    bursty_p_axis.began_ns = bursty_p_frame_ns();
#endif
    BURSTY_P_FENCE();
    BURSTY_P_RELEASE(&bursty_p_ticks.on, 1);
#ifdef BURSTY_P_WATCHER
    if (!bursty_p_has_thread() || bursty_p_watcher_begin()) return;
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && bursty_p_tick_by_timers()) return;
#endif
    BURSTY_P_RELEASE(&bursty_p_ticks.on, 0);
    bursty_p_all.no_time = BURSTY_NO_TIME_THREAD;
#endif
}

static void bursty_p_end_time(void) {
    bursty_p_cpu.before = bursty_p_cpu_seen();
    BURSTY_P_RELEASE(&bursty_p_ticks.on, 0);
#ifdef BURSTY_P_WATCHER
    bursty_p_watcher_end();
#endif
#ifdef BURSTY_P_TIMERS
    bursty_p_uninstall();
#endif
}

static void bursty_p_pause_time(int is_paused) {
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) == 0) return;
    bursty_p_cpu.before = bursty_p_cpu_seen();
    bursty_p_cpu.since = bursty_p_cpu_now();
    BURSTY_P_RELEASE(&bursty_p_ticks.on, is_paused ? 2 : 1);
#ifdef BURSTY_P_WATCHER
    if (bursty_p_has_thread()) bursty_p_watcher_order();
#endif
}

static void bursty_p_clear_time(void) {
    uint32_t i, k, rows = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count); /* ticks go on */
    for (i = 0; i < rows; i++) {
        for (k = 0; k < BURSTY_P_TICK_SUMS; k++)
            BURSTY_P_RELEASE(&bursty_p_ticks.rows[i].sum[k], 0);
    }
    BURSTY_P_RELEASE(&bursty_p_ticks.lost, 0);
    BURSTY_P_RELEASE(&bursty_p_ticks.cut, 0);
    BURSTY_P_RELEASE(&bursty_p_ticks.late, 0);
    BURSTY_P_RELEASE(&bursty_p_ticks.astray, 0);
    bursty_p_clear_axis();
#ifdef BURSTY_P_TIMERS
    bursty_p_begin_steps(&bursty_p_stepping);
#endif
#ifdef BURSTY_P_WATCHER
    bursty_p_watcher_forget_counts();
#endif
    bursty_p_cpu.before = 0;
    bursty_p_cpu.since = bursty_p_cpu_now();
}

/* On a thread that registers, that ends, or that is a forked child. A thread
   whose end will not be noticed cannot be watched: its stack would be gone. */
#ifdef BURSTY_P_WATCHER
static void bursty_p_watch_on_thread(int what, bursty_p_thread *t, int is_noticed) {
    if (what == BURSTY_THREAD_FORKED) {
        bursty_p_ticks.untimed = 0;
        bursty_p_watcher_forked();
    }
    if (what == BURSTY_THREAD_ENDS) bursty_p_watcher_close(t);
    if (what != BURSTY_THREAD_BEGINS && what != BURSTY_THREAD_FORKED) return;
    if (!BURSTY_P_ACQUIRE(&bursty_p_ticks.on)) return;
    if (is_noticed) bursty_p_watcher_open(t);
    if (BURSTY_P_ACQUIRE(&t->watched) == BURSTY_P_CLOSED)
        bursty_p_tick_add_shared(&bursty_p_ticks.untimed, 1);
}
#endif
#ifdef BURSTY_P_TIMERS
static void bursty_p_timer_on_thread(int what, bursty_p_thread *t) {
    uint32_t i;
    if (what == BURSTY_THREAD_FORKED) { /* a child inherits no timer */
        for (i = 0; i < bursty_p_threads(); i++) bursty_p_all.threads[i].timer = 0;
        bursty_p_ticks.untimed = 0;
    }
    if (what == BURSTY_THREAD_ENDS) bursty_p_disarm(t);
    if (what != BURSTY_THREAD_BEGINS && what != BURSTY_THREAD_FORKED) return;
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) && !bursty_p_arm(t))
        bursty_p_tick_add_shared(&bursty_p_ticks.untimed, 1);
}
#endif
static void bursty_p_time_on_thread(int what, bursty_p_thread *t, int is_noticed) {
    (void)what;
    (void)t;
    (void)is_noticed;
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && what == BURSTY_THREAD_FORKED) {
        bursty_p_watcher_forked();
        if (!bursty_p_tick_by_timers()) bursty_p_all.no_time = BURSTY_NO_TIME_SIGNALS;
    }
#endif
#ifdef BURSTY_P_WATCHER
    if (bursty_p_has_thread()) {
        bursty_p_watch_on_thread(what, t, is_noticed);
        return;
    }
#endif
#ifdef BURSTY_P_TIMERS
    bursty_p_timer_on_thread(what, t);
#endif
}

BURSTY_API void bursty_tick(uint32_t n) { bursty_p_tick_charge(n, NULL); }
#ifndef BURSTY_BARE
BURSTY_API void bursty_tick_at(const bursty_site *const *stack, uint32_t depth, uint32_t n) {
    bursty_p_tick_charge_at(n, depth, stack, NULL, 0);
}
#endif

static void bursty_p_time_stats(bursty_stats *out) {
    uint32_t i, count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    out->ticks_lost = BURSTY_P_ACQUIRE(&bursty_p_ticks.lost);
    out->ticks_cut = BURSTY_P_ACQUIRE(&bursty_p_ticks.cut);
    out->ticks_late = BURSTY_P_ACQUIRE(&bursty_p_ticks.late);
    out->untimed = BURSTY_P_ACQUIRE(&bursty_p_ticks.untimed);
    out->cpu_us = bursty_p_cpu_seen();
    out->paths = count;
#ifdef BURSTY_P_AXIS
    out->timeline = bursty_p_axis_room();
#endif
#ifdef BURSTY_P_WATCHER
    out->looks_late = BURSTY_P_ACQUIRE(&bursty_p_watcher.late);
    out->looks_cut = BURSTY_P_ACQUIRE(&bursty_p_watcher.cut);
    out->unwatched = BURSTY_P_GET(&bursty_p_watcher.unwatched);
#endif
    for (i = 0; i < count; i++) {
        const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
#ifdef BURSTY_P_WATCHER
        out->waiting = bursty_p_sat_add(out->waiting, BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_WAITING]));
#endif
        out->ticks = bursty_p_sat_add(out->ticks, BURSTY_P_ACQUIRE(&row->sum[0]));
        out->ticks_slow = bursty_p_sat_add(out->ticks_slow, BURSTY_P_ACQUIRE(&row->sum[1]));
    }
}

/* The part of a dump: rows of one thread. Each says how many rows before it its parent
   stands. (`thread` is the index of a record, which may be so new that
   it has no number yet.) */
static void bursty_p_put_paths(bursty_p_dump *d, uint32_t thread, uint32_t count) {
    uint32_t i, k, back, some = 0;
    for (i = 0; i < count; i++) {
        const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
        const bursty_site *site = BURSTY_P_ACQUIRE(&row->site);
        if (!site || row->thread != thread + 1) continue;
        if (!some) { /* its record adds nothing to that of the other part */
            const uint64_t v[3] = { 3, thread, 1 };
            bursty_p_put_all(d, v, 3);
            bursty_p_put_name_of(d, &bursty_p_all.threads[thread]);
            for (k = 0; k < 4; k++) bursty_p_put_varint(&d->out, 0);
            some = 1;
        }
        bursty_p_put_varint(&d->out, 6);
        d->sites = 0; /* each site in full, as version 0.1.0 wants it */
        bursty_p_put_site(d, site);
        back = row->parent ? row->order - bursty_p_ticks.rows[row->parent - 1].order : 0;
        bursty_p_put_varint(&d->out, back);
        for (k = 0; k < BURSTY_P_TICK_WRITTEN; k++)
            bursty_p_put_varint(&d->out, BURSTY_P_ACQUIRE(&row->sum[k]));
#ifdef BURSTY_P_WATCHER
        const uint64_t waiting[2] = { 13, BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_WAITING]) };
        if (waiting[1]) bursty_p_put_all(d, waiting, 2);
#endif
    }
}

static int bursty_p_write_time(bursty_p_dump *d, bursty_write_fn write, void *user) {
    const uint64_t info[2] = { 1, 0 }, none[3] = { 0, 0, 0 };
    const uint64_t ticks[5] = { 5, bursty_p_ticks.period_us, BURSTY_P_ACQUIRE(&bursty_p_ticks.lost),
                                BURSTY_P_ACQUIRE(&bursty_p_ticks.cut),
                                BURSTY_P_ACQUIRE(&bursty_p_ticks.late) };
    const uint64_t untimed[2] = { 9, BURSTY_P_ACQUIRE(&bursty_p_ticks.untimed) };
    const uint64_t cpu[2] = { 11, bursty_p_cpu_seen() };
    const uint64_t random[2] = { 15, 8 };
    const uint64_t astray[2] = { 17, BURSTY_P_ACQUIRE(&bursty_p_ticks.astray) };
    uint32_t i, count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    bursty_p_put_begin(&d->out, 1, write, user);
    bursty_p_put_all(d, info, 2);
    bursty_p_put_string(d, bursty_p_all.config.program);
    bursty_p_put_all(d, none, 3);
    bursty_p_put_all(d, ticks, 5);
    if (untimed[1]) bursty_p_put_all(d, untimed, 2);
    if (cpu[1]) bursty_p_put_all(d, cpu, 2);
    if (astray[1]) bursty_p_put_all(d, astray, 2);
    if (BURSTY_P_IS_SENT) bursty_p_put_all(d, random, 2);
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && BURSTY_P_ACQUIRE(&bursty_p_watcher.late)) {
        const uint64_t behind[2] = { 21, BURSTY_P_ACQUIRE(&bursty_p_watcher.late) };
        bursty_p_put_all(d, behind, 2);
    }
#endif
#ifdef BURSTY_P_TIMERS
    if (BURSTY_P_GET(&bursty_p_stepping.count)) {
        uint32_t step, same = bursty_p_worst_step(&bursty_p_stepping, &step);
        const uint64_t steps[4] = { 19, step, BURSTY_P_GET(&bursty_p_stepping.count), same };
        bursty_p_put_all(d, steps, 4);
    }
#endif
#ifdef BURSTY_P_WATCHER
    if (bursty_p_ticks.is_watched) {
        const uint64_t watch[9] = { 12, 1, BURSTY_P_ANSWERS, BURSTY_P_GET(&bursty_p_watcher.rounds),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.looks),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.squares),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.late),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.cut),
                                    BURSTY_P_GET(&bursty_p_watcher.unwatched) };
        bursty_p_put_all(d, watch, 9);
    }
#endif
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_put_paths(d, i, count);
    return bursty_p_put_end(&d->out);
}

#else /* nothing ticks in this build */

static int bursty_p_plan_time(const bursty_config *config) {
    (void)config;
    bursty_p_all.no_time = BURSTY_NO_TIME_ASKED;
    return 0;
}
static void bursty_p_begin_time(void) { }
static void bursty_p_end_time(void) { }
static void bursty_p_clear_time(void) { }
static void bursty_p_pause_time(int is_paused) { (void)is_paused; }
static void bursty_p_zero_paths(void) { }
static size_t bursty_p_lay_out_paths(unsigned char *memory, size_t bytes) {
    return (void)memory, (void)bytes, 0;
}
static void bursty_p_time_on_thread(int what, bursty_p_thread *t, int is_noticed) {
    (void)what, (void)t, (void)is_noticed;
}
BURSTY_API void bursty_tick(uint32_t n) { (void)n; }

#endif
