/* ---- fibers ---- */

/* The inline code has its scopes at a fixed place of the thread. So a switch
   moves them: what is open on the stack that is left goes into its fiber, and
   what is open on the other one comes out of it.

       thread's place    [ a | leaf_a ]           [ b ]
                            |      switch(&B)       ^
                            v                       |
       fiber A           [ a | leaf_a ]         fiber B [ b ]

   Invariant: depth is 0 while scopes move, so that a tick, a watcher or an
   interrupt finds a whole stack or none. A burst goes on: its events have the
   scopes of the fiber that runs. Who follows the stack from event to event (a
   companion) is told. Cost: two copies of the open scopes, without a lock.

   While a fiber runs its depth is BURSTY_P_RUNS. Who enters it then, on another
   thread, and who leaves one that another thread has left meanwhile, is counted
   (switches.c): of two threads that are in a fiber at once one notices at least.
   The second one begins with no scope. */

#define BURSTY_P_RUNS UINT32_MAX

#if BURSTY_STACK > 0
#ifdef BURSTY_BARE
enum { BURSTY_P_FIBERS = 8 };
#else
enum { BURSTY_P_FIBERS = 64 };
#endif

/* The names of fibers, each once: a fiber's memory may be gone when a dump is
   written. A place that two threads take for one name at once is harmless. */
static struct {
    bursty_site site[BURSTY_P_FIBERS];
    uint32_t count;
} bursty_p_fibers;

static int bursty_p_is_equal(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

BURSTY_P_COLD static const bursty_site *bursty_p_fiber_site(const char *name) {
    static const bursty_site other = { "(other fibers)", "", 0, BURSTY_P_SCOPE_CALL };
    uint32_t i, count = BURSTY_P_ACQUIRE(&bursty_p_fibers.count);
    for (i = 0; i < count && i < BURSTY_P_FIBERS; i++) {
        const char *known = BURSTY_P_ACQUIRE(&bursty_p_fibers.site[i].name);
        if (known && bursty_p_is_equal(known, name)) return &bursty_p_fibers.site[i];
    }
    if (count >= BURSTY_P_FIBERS) return &other;
    i = BURSTY_P_ADD(&bursty_p_fibers.count, 1);
    if (i >= BURSTY_P_FIBERS) {
        BURSTY_P_RELEASE(&bursty_p_fibers.count, (uint32_t)BURSTY_P_FIBERS);
        return &other;
    }
    bursty_p_fibers.site[i].file = "";
    bursty_p_fibers.site[i].kind = BURSTY_P_SCOPE_CALL;
    BURSTY_P_RELEASE(&bursty_p_fibers.site[i].name, name);
    return &bursty_p_fibers.site[i];
}
#endif

static BURSTY_P_TLS struct {
    bursty_fiber *runs; /* NULL: the thread itself */
    bursty_fiber own;   /* its scopes meanwhile */
} bursty_p_fiber;

#ifdef BURSTY_BARE
/* An RTOS switches tasks at any instruction. One that is left in the slow path has
   the word, and what others would record could come into the middle of what it
   records. So they have a large word until it goes on: their checks are counted
   then, and record nothing. A task that is left between the load and the store of
   a check puts an old word back later. If that is the large one, nobody would
   sample again: the next switch notices it, and the gap goes on in its middle. */
BURSTY_P_COLD static void bursty_p_switch_word(const bursty_fiber *from, const bursty_fiber *to) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n = BURSTY_P_HERE.n;
    if (bursty_p_away.task && t && BURSTY_P_AWAY - n < BURSTY_P_BUSY / 4)
        bursty_p_count_up(&t->checks, BURSTY_P_AWAY - n);
    if (!bursty_p_away.task && BURSTY_P_IS_HELD()) {
        if (n <= BURSTY_P_BUSY) {
            bursty_p_away.task = from;
            bursty_p_away.word = n;
        } else n = !t ? BURSTY_P_SPAN : t->live ? 0 : t->span / 2;
    }
    if (bursty_p_away.task == to) {
        n = bursty_p_away.word;
        bursty_p_away.task = NULL;
    }
    BURSTY_P_HERE.n = bursty_p_away.task ? BURSTY_P_AWAY : n;
}
#else
#define bursty_p_switch_word(from, to) ((void)0)
#endif

BURSTY_P_INLINE void bursty_p_move_scopes(bursty_fiber *from, const bursty_fiber *to) {
    volatile bursty_here *here = &BURSTY_P_HERE;
    const uint32_t was = here->depth, now = to->depth;
    BURSTY_P_SHOW(&here->depth, 0);
#if BURSTY_STACK > 0
    {
        int32_t i = (int32_t)(was < BURSTY_STACK ? was : BURSTY_STACK);
        while (--i >= 0) from->stack[i] = here->stack[i];
        i = (int32_t)(now < BURSTY_STACK ? now : BURSTY_STACK);
        while (--i >= 0) BURSTY_P_SHOW(&here->stack[i], to->stack[i]);
    }
#endif
    BURSTY_P_SHOW(&from->depth, was); /* last: whoever enters it too early finds whole scopes */
    BURSTY_P_SHOW(&here->depth, now);
}

BURSTY_P_COLD static void bursty_p_tell_switch(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (t && bursty_p_all.companion.on_thread)
        bursty_p_all.companion.on_thread(BURSTY_THREAD_SWITCHED, t->number);
}

BURSTY_API bursty_fiber *bursty_fiber_switch(bursty_fiber *fiber) {
    bursty_fiber *was = bursty_p_fiber.runs;
    bursty_fiber *to = fiber ? fiber : &bursty_p_fiber.own;
    uint32_t n = BURSTY_P_HERE.n;
    int is_twice;
    if (fiber == was) return was;
    is_twice = was && was->depth != BURSTY_P_RUNS;
    if (fiber && BURSTY_P_UNLIKELY(fiber->depth == BURSTY_P_RUNS)) {
        is_twice = 1;
        fiber->depth = 0;
    }
    bursty_p_count_switch(is_twice, n);
#ifdef BURSTY_P_KNOWS_STACKS
    bursty_p_own_stack.told = 1;
#endif
#if BURSTY_STACK > 0
    if (fiber && BURSTY_P_UNLIKELY(fiber->depth == 0) && fiber->name) { /* its name is its outermost scope */
        fiber->stack[0] = bursty_p_fiber_site(fiber->name);
        fiber->depth = 1;
    }
#endif
    bursty_p_switch_word(was ? was : &bursty_p_fiber.own, to);
    bursty_p_move_scopes(was ? was : &bursty_p_fiber.own, to);
    if (fiber) BURSTY_P_SHOW(&fiber->depth, BURSTY_P_RUNS);
    bursty_p_fiber.runs = fiber;
    if (BURSTY_P_UNLIKELY(BURSTY_P_POLLS || n > BURSTY_P_SPAN)) bursty_p_tell_switch(); /* in a burst */
    return was;
}
