/* ---- changes ---- */

/* Changes settings until nobody else has come in between. */
BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    bursty_p_settings now;
    uint32_t old;
    if (profile < 0 || profile >= BURSTY_PROFILES || bursty_p_all.epoch == 0) return -1;
    if (p && !bursty_p_valid(p)) return -1;
    do {
        old = bursty_p_read_settings(&now);
        if (p && bursty_p_counted_twice(&now, profile, p)) return -1;
        bursty_p_put_slot(&now.slot[profile], p, old + 1);
    } while (!bursty_p_publish(&now, old));
    bursty_p_look_now();
    return 0;
}

BURSTY_API void bursty_pause(int is_paused) {
    bursty_p_settings now;
    uint32_t old, i;
    if (bursty_p_all.epoch == 0) return;
    do {
        old = bursty_p_read_settings(&now);
        now.paused = is_paused != 0;
        for (i = 0; i < BURSTY_PROFILES; i++) now.slot[i].stamp = old + 1;
    } while (!bursty_p_publish(&now, old));
    bursty_p_pause_time(is_paused);
    bursty_p_pause_frames(is_paused);
    bursty_p_look_now();
}

BURSTY_API void bursty_stop(void) {
    bursty_pause(1);
    bursty_p_end_time();
}

BURSTY_API uint32_t bursty_in_burst(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (!t || (BURSTY_P_POLLS && (!BURSTY_P_OPEN() || bursty_p_reopened(t)))) return 0;
    return t->live;
}

BURSTY_API void bursty_poll(int on) {
    (void)on;
#ifdef BURSTY_POLL
    if (on && !BURSTY_P_OPEN()) (void)BURSTY_P_ADD(&bursty_p_all.opening, 1);
    BURSTY_P_PUT(&bursty_p_open, (uint8_t)(on != 0));
#endif
}

BURSTY_API uint32_t bursty_depth(void) { return BURSTY_P_HERE.depth; }
BURSTY_API void bursty_set_depth(uint32_t depth) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t i, left = t ? t->in_slow : 0;
    BURSTY_P_PUT(&BURSTY_P_HERE.depth, depth);
    if (t) t->in_slow = t->same_settings = 0;
    if (left == 1) bursty_p_tell(BURSTY_THREAD_JUMPED, t, 1);
    if (!left && !BURSTY_P_IS_HELD()) return;
    BURSTY_P_HERE.n = left == 1 ? t->kept : 0;
    if (t && left == 1) bursty_p_miss(t);
    if (!t || left == 1) return;
    bursty_p_fold_all(t, t->live);
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) { /* left in the middle of it? */
        if (bursty_p_all.rows[i].thread == t->number) bursty_p_all.rows[i].touched = NULL;
    }
    bursty_p_mine.only = NULL;
    bursty_p_mine.touched = NULL;
    t->live = t->span = bursty_p_mine.summing = bursty_p_mine.marked = bursty_p_mine.room = 0;
}

BURSTY_API void bursty_thread_name(const char *name) {
    bursty_p_thread *t = bursty_p_me();
    if (t) bursty_p_put_name(t, name);
}

BURSTY_API void bursty_thread_end(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (!t) return;
    bursty_p_tell(BURSTY_THREAD_ENDS, t, 1);
    bursty_p_look_now();
    bursty_p_leave_frames();
    t->in_slow = 2;
    bursty_p_go_live(t, 0);
    bursty_p_mine.thread = NULL;
    bursty_p_mine.ended = 1;
    BURSTY_P_HERE.n = BURSTY_P_SPAN;
    BURSTY_P_RELEASE(&t->state, BURSTY_P_ENDED);
}

/* A child's seed is made of its parent's and of the fork's number. Where the
   parent's was drawn, or nobody has counted the fork, its process number is
   mixed in, too; children of a seed that was given are the same in each run. */
static void bursty_p_seed_child(void) {
    uint32_t seed = bursty_p_mix(bursty_p_all.config.seed, bursty_p_all.forks + 1);
#ifdef BURSTY_P_DRAWS_SEED
    if (bursty_p_all.seed_is == BURSTY_P_SEED_DRAWN || bursty_p_all.forks == bursty_p_all.forks_known)
        seed = bursty_p_mix(seed, bursty_p_process());
#endif
    bursty_p_all.forks_known = bursty_p_all.forks;
    bursty_p_all.config.seed = seed;
}

BURSTY_API void bursty_forked(void) {
    bursty_p_thread *mine = bursty_p_registered();
    uint32_t i;
    if (bursty_p_all.epoch == 0) return;
    for (i = 0; i < BURSTY_P_BUFFERS; i++) bursty_p_buffer[i].busy = 0; /* of threads that are gone */
    bursty_p_seed_child();
    if (mine) { /* its profiles begin anew: the parent goes on where it was */
        mine->reuses += mine->random;
        bursty_p_seed(mine);
        mine->generation = 0;
        for (i = 0; i < BURSTY_PROFILES; i++) mine->sampler[i].stamp = 0;
    }
    bursty_p_fork_axis();
    bursty_clear();
    bursty_p_fork_frames();
    for (i = 0; i < bursty_p_threads(); i++) {
        if (&bursty_p_all.threads[i] != mine) bursty_p_all.threads[i].state = BURSTY_P_ENDED;
    }
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) {
        bursty_p_row *row = &bursty_p_all.rows[i];
        if (!mine || row->thread != mine->number) row->touched = NULL;
    }
    bursty_p_all.lost_threads = bursty_p_all.cleared = 0;
    if (mine) bursty_p_tell(BURSTY_THREAD_FORKED, mine, 1);
}

BURSTY_API void bursty_clear(void) {
    uint32_t i, p;
    if (bursty_p_all.epoch == 0) return;
    bursty_p_all.cleared++;
    bursty_p_look_now();
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_thread *t = &bursty_p_all.threads[i];
        BURSTY_P_STORE(&t->checks, 0);
        BURSTY_P_STORE(&t->burst_checks, 0);
        BURSTY_P_STORE(&t->lost, 0);
        for (p = 0; p < BURSTY_PROFILES; p++) {
            BURSTY_P_STORE(&t->bursts[p], 0);
            BURSTY_P_STORE(&t->events[p], 0);
            BURSTY_P_STORE(&t->begins[p], BURSTY_P_GET(&t->active) >> p & 1);
        }
        for (p = 0; p < 2 * BURSTY_P_CLASSES; p++) BURSTY_P_STORE(&t->class_sum[p], 0);
    }
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) {
        for (p = 0; p < BURSTY_P_SUMS; p++) BURSTY_P_STORE(&bursty_p_all.rows[i].sum[p], 0);
    }
    bursty_p_begin_children();
    bursty_p_begin_fibers();
    bursty_p_clear_time();
    bursty_p_clear_frames();
}
