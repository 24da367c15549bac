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
   the word, and what others record could come into the middle of what it records. So
   until it goes on, the others have a large word, which counts their checks, and the
   record says that a burst of no profile is live, which does not end. A check of
   theirs may have been left with an old word, and come to the slow path: it
   records nothing there, and does not look. The dump says how many checks met no burst
   for that (kind 7).

   Such a check may also put its old word back later. If the schedule cannot have that
   word, the next switch notices it: a burst goes on in its middle, and a gap begins anew.

   A task that is deleted in the slow path never goes on. The program says so by the
   depth of its fiber, which it sets to 0. The slow path is left then as by a longjmp.

   All of this is in functions that only a switch calls: a linker that collects
   garbage leaves nothing of it in a program without tasks. */
#define BURSTY_P_AWAY UINT32_C(0x1FFFFFFF) /* ticks do not take it for the slow path */
#define BURSTY_P_NOBODY (UINT32_C(1) << 31) /* as a set of profiles */
#if BURSTY_PROFILES > 31
#error "BURSTY_PROFILES: in a bare build at most 31"
#endif
static struct {
    const bursty_fiber *task; /* the one that was left in the slow path, or NULL */
    uint32_t depth, word, live, span, in_slow, kept, room; /* as it had them */
    bursty_p_count *only;
    uint32_t epoch, cleared; /* the start, and the clear since, to which checks belong */
    uint64_t checks;
    int (*write)(bursty_write_fn write, void *user); /* the companion's own */
} bursty_p_away;

static int bursty_p_is_away_of_now(void) {
    return bursty_p_away.epoch == bursty_p_all.epoch && bursty_p_away.cleared == bursty_p_all.cleared;
}

/* In front of the companion's part. */
static int bursty_p_write_away(bursty_write_fn write, void *user) {
    bursty_p_out out;
    uint64_t checks = 0;
    const char *program = bursty_p_all.config.program;
    uint32_t i, length = 0;
    if (bursty_p_is_away_of_now() && bursty_p_away.checks) {
        for (i = 0; i < bursty_p_threads(); i++) bursty_p_sum(&checks, &bursty_p_all.threads[i].checks);
        while (program && program[length]) length++;
        bursty_p_put_begin(&out, 7, write, user);
        bursty_p_put_varint(&out, 2);
        bursty_p_put_varint(&out, 25);
        bursty_p_put_varint(&out, bursty_p_away.checks);
        bursty_p_put_varint(&out, checks);
        bursty_p_put_varint(&out, length);
        bursty_p_put(&out, program, length);
        if (bursty_p_put_end(&out)) return -1;
    }
    return bursty_p_away.write ? bursty_p_away.write(write, user) : 0;
}

BURSTY_P_COLD static void bursty_p_leave_slow(bursty_p_thread *t, const bursty_fiber *task) {
    if (!bursty_p_is_away_of_now()) bursty_p_away.checks = 0;
    bursty_p_away.epoch = bursty_p_all.epoch;
    bursty_p_away.cleared = bursty_p_all.cleared;
    if (bursty_p_all.companion.write != bursty_p_write_away) {
        bursty_p_away.write = bursty_p_all.companion.write;
        bursty_p_all.companion.write = bursty_p_write_away;
    }
    bursty_p_away.task = task;
    bursty_p_away.depth = BURSTY_P_HERE.depth;
    bursty_p_away.word = BURSTY_P_HERE.n;
    bursty_p_away.live = t->live;
    bursty_p_away.span = t->span;
    bursty_p_away.in_slow = t->in_slow;
    bursty_p_away.kept = t->kept;
    bursty_p_away.only = bursty_p_mine.only;
    bursty_p_away.room = bursty_p_mine.room;
    t->live = BURSTY_P_NOBODY;
    t->span = UINT32_MAX;
    bursty_p_mine.only = NULL;
    bursty_p_mine.room = 0;
    BURSTY_P_HERE.n = BURSTY_P_AWAY;
}

BURSTY_P_COLD static void bursty_p_go_on(bursty_p_thread *t) {
    BURSTY_P_HERE.n = bursty_p_away.word;
    t->live = bursty_p_away.live;
    t->span = bursty_p_away.span;
    t->in_slow = bursty_p_away.in_slow;
    t->kept = bursty_p_away.kept;
    bursty_p_mine.only = bursty_p_away.only;
    bursty_p_mine.room = bursty_p_away.room;
    bursty_p_away.task = NULL;
}

BURSTY_P_COLD static void bursty_p_switch_word(const bursty_fiber *from, const bursty_fiber *to) {
    bursty_p_thread *t = bursty_p_registered();
    const uint32_t n = BURSTY_P_HERE.n;
    int is_deleted;
    if (bursty_p_away.epoch != bursty_p_all.epoch) bursty_p_away.task = NULL;
    if (!t) return;
    if (bursty_p_away.task) {
        is_deleted = bursty_p_away.task->depth != bursty_p_away.depth;
        if (n <= BURSTY_P_AWAY && n > BURSTY_P_SPAN) {
            bursty_p_count_up(&t->checks, BURSTY_P_AWAY - n);
            bursty_p_away.checks += BURSTY_P_AWAY - n;
        }
        BURSTY_P_HERE.n = BURSTY_P_AWAY;
        if (is_deleted || bursty_p_away.task == to) bursty_p_go_on(t);
        if (is_deleted) bursty_set_depth(BURSTY_P_HERE.depth);
    } else if (n <= BURSTY_P_BUSY && n > BURSTY_P_BUSY / 2) {
        bursty_p_leave_slow(t, from);
    } else if ((t->live ? 0 - n : n) > t->span) {
        BURSTY_P_HERE.n = t->live ? 0 - t->span / 2 : t->span;
    }
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
    bursty_p_switch_word(was ? was : &bursty_p_fiber.own, to);
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
    bursty_p_move_scopes(was ? was : &bursty_p_fiber.own, to);
    if (fiber) BURSTY_P_SHOW(&fiber->depth, BURSTY_P_RUNS);
    bursty_p_fiber.runs = fiber;
    if (BURSTY_P_UNLIKELY(BURSTY_P_POLLS || n > BURSTY_P_SPAN)) bursty_p_tell_switch(); /* in a burst */
    return was;
}
