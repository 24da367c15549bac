/* ---- switches of fibers that nobody can follow ---- */

/* The dump says how many there were, of all (kind 7): switches to a fiber that
   another thread runs, and those in the middle of an event, from an action or a
   signal handler. Until the thread comes back to that event, it records no other.
   A thread adds its switches to those of all from time to time, and before it
   counts a wrong one: so all are a little too few, and never fewer than these.
   On bare metal nothing is counted. */
#ifdef BURSTY_BARE
#define bursty_p_count_switch(twice) ((void)(twice))
#define bursty_p_begin_fibers() ((void)0)
#define bursty_p_write_fibers(d, write, user) 0
#else
enum { BURSTY_P_ALL_SWITCHES, BURSTY_P_TWICE, BURSTY_P_INSIDE, BURSTY_P_SWITCHES };
enum { BURSTY_P_SWITCHES_A_FLUSH = 1024 };
static uint32_t bursty_p_switches[BURSTY_P_SWITCHES];
static BURSTY_P_TLS uint32_t bursty_p_uncounted; /* of the thread: not in all yet */

static void bursty_p_begin_fibers(void) {
    uint32_t i;
    for (i = 0; i < BURSTY_P_SWITCHES; i++) BURSTY_P_RELEASE(&bursty_p_switches[i], 0);
    bursty_p_uncounted = 0;
}

/* Stops at its greatest value: the sum of a thread is small. */
BURSTY_P_COLD static void bursty_p_add_switches(uint32_t *count, uint32_t n) {
    if (BURSTY_P_ACQUIRE(count) < UINT32_MAX / 2) (void)BURSTY_P_ADD(count, n);
}

static void bursty_p_count_switch(int is_twice) {
    const bursty_p_thread *t = bursty_p_registered();
    const int is_inside = t && t->in_slow;
    if (++bursty_p_uncounted < BURSTY_P_SWITCHES_A_FLUSH && !is_twice && !is_inside) return;
    bursty_p_add_switches(&bursty_p_switches[BURSTY_P_ALL_SWITCHES], bursty_p_uncounted);
    bursty_p_uncounted = 0;
    if (is_twice) bursty_p_add_switches(&bursty_p_switches[BURSTY_P_TWICE], 1);
    if (is_inside) bursty_p_add_switches(&bursty_p_switches[BURSTY_P_INSIDE], 1);
}

/* Parts of kind 7. */
static int bursty_p_write_fibers(bursty_p_dump *d, bursty_write_fn write, void *user) {
    uint32_t what;
    bursty_p_add_switches(&bursty_p_switches[BURSTY_P_ALL_SWITCHES], bursty_p_uncounted);
    bursty_p_uncounted = 0;
    for (what = BURSTY_P_TWICE; what < BURSTY_P_SWITCHES; what++) {
        const uint64_t says[4] = { 2, what + 19, BURSTY_P_ACQUIRE(&bursty_p_switches[what]),
                                   BURSTY_P_ACQUIRE(&bursty_p_switches[BURSTY_P_ALL_SWITCHES]) };
        if (!says[2]) continue;
        bursty_p_put_begin(&d->out, 7, write, user);
        bursty_p_put_all(d, says, 4);
        bursty_p_put_string(d, bursty_p_all.config.program);
        if (bursty_p_put_end(&d->out)) return -1;
    }
    return 0;
}
#endif
