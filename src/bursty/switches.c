/* ---- switches of fibers that nobody can follow ---- */

/* The dump says how many there were, of all (kind 7): switches to a fiber that
   another thread runs, and those in the middle of an event, from an action or a
   signal handler. Until the thread comes back to that event, it records no other.
   A thread adds its switches to the total from time to time, and always before it
   counts a wrong one. So the total is a little too small, but never smaller than the
   number of wrong ones.
   On bare metal nothing is counted. */
#ifdef BURSTY_BARE
#define bursty_p_count_switch(twice, n) ((void)(twice))
#define bursty_p_begin_fibers() ((void)0)
#define bursty_p_write_fibers(d, write, user) 0
#else
enum { BURSTY_P_ALL_SWITCHES, BURSTY_P_TWICE, BURSTY_P_INSIDE, BURSTY_P_SWITCHES };
enum { BURSTY_P_SWITCHES_GIVEN = 1023 };
static uint32_t bursty_p_switches[BURSTY_P_SWITCHES];
/* How many switches the thread may count before it adds them to those of all, and how
   many it was given at first. */
static BURSTY_P_TLS struct { int32_t left, given; } bursty_p_uncounted;

static void bursty_p_begin_fibers(void) {
    uint32_t i;
    for (i = 0; i < BURSTY_P_SWITCHES; i++) BURSTY_P_RELEASE(&bursty_p_switches[i], 0);
    bursty_p_uncounted.left = bursty_p_uncounted.given = 0;
}

/* Stops at its greatest value: the sum of a thread is small. */
BURSTY_P_COLD static void bursty_p_add_switches(uint32_t *count, uint32_t n) {
    if (BURSTY_P_ACQUIRE(count) < UINT32_MAX / 2) (void)BURSTY_P_ADD(count, n);
}

static void bursty_p_add_uncounted(void) {
    const int32_t n = bursty_p_uncounted.given - bursty_p_uncounted.left;
    bursty_p_add_switches(&bursty_p_switches[BURSTY_P_ALL_SWITCHES], (uint32_t)n);
    bursty_p_uncounted.left = bursty_p_uncounted.given = BURSTY_P_SWITCHES_GIVEN;
}

BURSTY_P_COLD static void bursty_p_count_switches(int is_twice) {
    const bursty_p_thread *t = bursty_p_registered();
    bursty_p_add_uncounted();
    if (is_twice) bursty_p_add_switches(&bursty_p_switches[BURSTY_P_TWICE], 1);
    if (t && t->in_slow) bursty_p_add_switches(&bursty_p_switches[BURSTY_P_INSIDE], 1);
}

/* n: the thread's word; it is usual outside of bursts and events. */
BURSTY_P_INLINE void bursty_p_count_switch(int is_twice, uint32_t n) {
    if (BURSTY_P_UNLIKELY(--bursty_p_uncounted.left < 0)
        || BURSTY_P_UNLIKELY(BURSTY_P_POLLS || n > BURSTY_P_SPAN) || BURSTY_P_UNLIKELY(is_twice))
        bursty_p_count_switches(is_twice);
}

/* Parts of kind 7. */
static int bursty_p_write_fibers(bursty_p_dump *d, bursty_write_fn write, void *user) {
    uint32_t what;
    bursty_p_add_uncounted();
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
