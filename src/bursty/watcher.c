/* ---- the watcher ---- */

#ifdef BURSTY_P_WATCHER

/* One thread looks at the shadow stacks of all others. It stops nobody and
   sends no signal.

       gap          gap      gap            gap           exponential: whatever the program does,
   |----------*---------*---------*------------------*    it cannot know when, nor keep step
              |
              a round:  1. each thread: its CPU time, and a copy of its stack
                        2. each thread that has run since the last round: its CPU time again
                        3. 50 us later: those whose CPU time did not move in between, and that
                           are not known to be blocked

   A look is charged to *running* or *waiting*. A thread runs at the moment of
   the look if its CPU time moves from 1 to 2. If it does not, the thread may be
   blocked; or the watcher has just taken its processor. So the watcher naps,
   and a thread that had nothing but the watcher in its way runs on: its CPU
   time moves by half of the nap or more. (Half: threads that go to sleep in the
   nap and threads that wake in it are mistaken equally often.) A thread that
   ran last on another processor had the watcher not in its way, and needs no
   nap.

   On a busy machine the watcher's turn may end that of the thread, and then
   somebody else runs in the nap: such looks would find half of the running. So
   each look that finds a thread running pays for its part of the thread's CPU
   time. Of a thread that has run since the last round, and that has more unpaid
   than half of what this look counts for, the watcher asks before the nap
   whether it is blocked (Linux, where it gives the watcher files of its own). If
   it is not, but was ready, it ran, also if it gets no turn in the nap. No more
   than 4 gaps are kept, or owed, and none of the time of a late round.

   Where CPU time moves in steps of 10 ms and more (COARSE), a look is running
   as long as CPU time is left that no look has been charged for: the sums are
   right, and scopes shorter than such a step share theirs.

   A round that begins late is not charged. A watcher that gets no processor
   wakes up when others have gone to sleep; or, on a machine with too much to
   do, when its whole process gets its turn, and then sees all of it run. A round
   is late after half a period, or after .5 ms if timers are exact and that is less,
   but not before .25 ms. All looks of the time that has passed count as late.

   When may it read a thread's stack?

       bursty_thread_end ------> CLOSED <------ bursty_stop has waited for the watcher
                                  |   ^
           the thread registers   |   | its end: waits while the watcher looks
                                  v   |
                                  OPEN <----> LOOKING (some hundred nanoseconds)

   Invariant: memory of a thread is read while its record is LOOKING, and then
   the thread has not ended. A thread whose end nobody would notice is never
   opened.

   What is read? A scope takes a check, writes its slot, and then the depth. The
   watcher reads word, slots, depth, slots, word. If the word is the same, no
   scope was entered in between, and the copy was true at one moment. If the
   scopes around the innermost one are the same twice, they stood still while
   the depth was read, and what stands below them was entered under them.
   Otherwise, as in scopes of a few nanoseconds, it looks again, at most 8
   times, and then takes what stood still (`cut`). Where even outer scopes come
   back within some nanoseconds, a few paths in a thousand may have an inner
   scope of another outer one.

   Threads in lockstep are seen in the same scope at the same moment, and such
   looks say less than independent ones. `squares` sums up the squares of how
   many looks of one round met one scope, running or waiting: docs/ticks.md
   makes a factor of it.

   Gaps may be longer, at most .1 s, and for two reasons. If no thread has run
   for half a second, they are 8 times longer until one has run. And if
   config.tick_hz is 0 the watcher may take .1 % of a processor: a mean of its
   own CPU time for a round, over some 64 rounds, says how long gaps have to be,
   from 1 to 8 times.

   A look counts for the mean length of the gap before it, which was chosen
   before anybody knew what the look would find. With exponential gaps that is
   without bias, however the choice depends on what was seen: sum over looks of
   what they found, times the mean gap, is on average the integral over time.

   A thread that has not run since the last look is where it was: its stack is
   not read again.

   With config.watch = 2 nobody asks who waits. Then the thread sends a tick to
   each one that it finds running: SIGURG, whose handler charges it as one of a timer (timers.c), for it
   knows the instruction. Timers keep step with a program that wakes at moments
   of the kernel's clock: they meet each of its frames at the same place.
   Nothing is read of a stack, and a thread that waits is left alone.

       looks of the first second: 256 that count for 1 period of .1 ms, 128 that
       count for 2, 128 for 4, 8, ... up to what the thread may cost (100, or 1 %
       of it)

   Whom the thread displaced when it woke is ready, and gets its tick where it
   was displaced. On a busy machine it may have waited for others: so it is not
   believed if its ticks are ahead of its CPU time by more than one look.

   A round that begins late sends as many ticks as the thread's CPU time since
   the last round is worth: now, if it runs or is ready, else with its next
   tick. So the sum of ticks is the CPU time, however busy the machine is. Such
   ticks are counted: a watcher that gets a processor when a thread gives one up
   finds it there.

   Cost: a wake, which is most of it; a clock reading for each thread, another
   one for those that have run, the path's rows, and at times a second wake. */
enum { BURSTY_P_CLOSED, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING };

static uint32_t bursty_p_watcher_random(void) {
    uint32_t r = bursty_p_watcher.random;
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    return bursty_p_watcher.random = r;
}

typedef struct bursty_p_peek {
    uint32_t depth;
    int is_cut, is_slow;
    const bursty_site *stack[BURSTY_STACK];
} bursty_p_peek;

/* The word belongs to its thread, which counts it down without any atomics. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BURSTY_P_PEEK_ATTRIBUTE __attribute__((noinline, no_sanitize("thread")))
#endif
#elif defined(__SANITIZE_THREAD__)
#define BURSTY_P_PEEK_ATTRIBUTE __attribute__((noinline, no_sanitize_thread))
#endif
#ifndef BURSTY_P_PEEK_ATTRIBUTE
#define BURSTY_P_PEEK_ATTRIBUTE
#endif
BURSTY_P_PEEK_ATTRIBUTE static uint32_t bursty_p_peek_word(const bursty_here *here) {
    return *(const volatile uint32_t *)&here->n;
}

/* The slots, the depth, the slots again. Returns how good the copy is: 3, true
   at one moment; 2, the path of a moment in between, since the scopes around
   the innermost one stood still; 1, that, if they did not come back meanwhile;
   0, they have changed from `stood_still` on. */
static int bursty_p_peek_once(bursty_p_peek *out, const bursty_here *here, uint32_t *stood_still) {
    const bursty_site *before[BURSTY_STACK];
    uint32_t word = bursty_p_peek_word(here), i, kept, checks;
    uint32_t known = BURSTY_P_ACQUIRE(&here->depth) + 2;
    if (known > BURSTY_STACK) known = BURSTY_STACK;
    for (i = 0; i < known; i++) before[i] = BURSTY_P_ACQUIRE(&here->stack[i]);
    out->depth = BURSTY_P_ACQUIRE(&here->depth);
    out->is_slow = bursty_p_is_busy(word);
    kept = out->depth < BURSTY_STACK ? out->depth : BURSTY_STACK;
    for (i = 0; i < kept; i++) out->stack[i] = BURSTY_P_ACQUIRE(&here->stack[i]);
    checks = word - bursty_p_peek_word(here);
    for (i = 0; i < kept && out->stack[i]; i++) { }
    if (i < kept) out->depth = kept = i; /* bursty_set_depth of a depth that never was */
    for (i = 0; i < kept && i < known && before[i] == out->stack[i]; i++) { }
    *stood_still = i;
    if (checks == 0 && !BURSTY_P_POLLS) return 3;
    if (i + 1 < kept) return 0;
    return i >= kept || (checks == 1 && !BURSTY_P_POLLS) ? 2 : 1;
}

static void bursty_p_peek_at(bursty_p_peek *out, const bursty_here *here) {
    uint32_t tries, stood_still = 0;
    int is_good = 0;
    for (tries = 0; tries < 8 && is_good < 2; tries++) is_good = bursty_p_peek_once(out, here, &stood_still);
    out->is_cut = is_good == 0;
    if (out->is_cut) out->depth = stood_still;
}

/* How many looks of this round have met a scope, running or waiting: one of
   weight w adds (2 n + w) w to the sum of squares when it makes n to n + w. Of a round with more
   scopes than there is room for, the rest counts as met once. */
enum { BURSTY_P_MET = 256 };
typedef struct bursty_p_met {
    const bursty_site *site;
    uint32_t round, what, count;
} bursty_p_met;

typedef struct bursty_p_round {
    uint32_t number, looks;
    uint32_t gap;                       /* before this round, in periods: what its looks count for */
    uint32_t pace, left;                /* gaps may be so long; rounds until it is twice as much */
    uint32_t is_late;
    uint32_t has_run;                   /* some thread has, since the last round */
    uint64_t idle_ns;                   /* for so long no thread has */
    bursty_p_tick_count squares;
    bursty_p_met met[BURSTY_P_MET];
} bursty_p_round;

#if BURSTY_FRAMES > 0
static void bursty_p_post_frame_tick(uint32_t record, uint32_t row);
#endif
static void bursty_p_watcher_charge(bursty_p_round *round, bursty_p_thread *t, int what) {
    const uint32_t pending = t->pending, row = pending >> 1;
    const bursty_site *site = bursty_p_ticks.rows[row - 1].site;
    uint32_t h = bursty_p_mix((uint32_t)((uintptr_t)site >> 3), (uint32_t)what), i;
    if (what == BURSTY_P_RUNS) {
        bursty_p_tick_charge_row(row, round->gap, pending & 1);
#if BURSTY_FRAMES > 0
        for (i = 0; i < round->gap; i++)
            bursty_p_post_frame_tick(bursty_p_ticks.rows[row - 1].thread - 1, row);
#endif
    } else bursty_p_tick_add(&bursty_p_ticks.rows[row - 1].sum[BURSTY_P_TICK_WAITING], round->gap);
    bursty_p_axis_look(t, what == BURSTY_P_RUNS ? 0 : row, (int)t->woke);
    round->looks += round->gap;
    for (i = 0; i < 16; i++, h++) {
        bursty_p_met *met = &round->met[h % BURSTY_P_MET];
        if (met->round != round->number) {
            met->round = round->number;
            met->site = site;
            met->what = (uint32_t)what;
            met->count = 0;
        } else if (met->site != site || met->what != (uint32_t)what) {
            continue;
        }
        round->squares += (2 * met->count + round->gap) * round->gap;
        met->count += round->gap;
        return;
    }
    round->squares += round->gap * round->gap;
}

/* Runs and waits by CPU time that moves in large steps: gap_ns of it are paid
   for a look. */
static int bursty_p_watcher_pay(bursty_p_thread *t, uint64_t ran_ns, uint64_t gap_ns) {
    const uint64_t most = 2 * gap_ns + 32000000;
    if (ran_ns > t->ran_ns + most) t->ran_ns = ran_ns - most; /* it ran before it was watched */
    if (ran_ns < t->ran_ns + gap_ns / 2) return BURSTY_P_WAITS;
    t->ran_ns += gap_ns;
    return BURSTY_P_RUNS;
}

/* In ns. */
static int64_t bursty_p_watcher_periods(uint32_t count) {
    return (int64_t)bursty_p_ticks.period_us * 1000 * count;
}

/* CPU time that the thread has got, or that a look has paid for; gap in
   periods. */
static void bursty_p_watcher_earn(bursty_p_thread *t, int64_t ns, uint32_t gap) {
    const int64_t most = bursty_p_watcher_periods(BURSTY_P_IS_SENT ? 64 * bursty_p_ticks.usual : 4 * gap);
    t->unpaid_ns += ns;
    if (t->unpaid_ns > most) t->unpaid_ns = most;
    if (t->unpaid_ns < -most) t->unpaid_ns = -most;
}

/* The first look of a round at a thread. It is pending until it is known how
   much it counts. */
static void bursty_p_watcher_look(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns) {
    bursty_p_peek peek;
    uint64_t ran_ns = 0, before;
    uint32_t row;
    int what, is_same = 0;
    t->pending = 0;
    if (!bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) return;
    what = bursty_p_system_ask(t->system, &ran_ns);
    before = t->ran_ns;
    t->woke = BURSTY_P_ANSWERS != BURSTY_P_STATE && ran_ns != before;
    if (before == 0) bursty_p_axis_forget(t); /* another thread may have been here */
    if (BURSTY_P_ANSWERS == BURSTY_P_EXACT) {
        what = ran_ns == before ? BURSTY_P_WAITS : BURSTY_P_UNKNOWN;
        t->ran_ns = ran_ns;
        is_same = before && ran_ns == before && t->seen; /* before: no other thread was here */
        if (before && ran_ns > before) { /* no more than has passed: there may have been a pause */
            const uint64_t got = ran_ns - before;
            bursty_p_watcher_earn(t, (int64_t)(got < gap_ns ? got : gap_ns), round->gap);
        }
        round->has_run |= ran_ns != before;
    } else if (BURSTY_P_ANSWERS == BURSTY_P_COARSE) {
        what = bursty_p_watcher_pay(t, ran_ns, gap_ns);
    }
    if (!is_same) bursty_p_peek_at(&peek, t->here);
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
    t->found = (uint32_t)what;
    if (is_same) {
        t->pending = t->seen;
        return;
    }
    if (peek.is_cut) bursty_p_tick_add(&bursty_p_watcher.cut, 1);
    row = bursty_p_tick_place(t->number + 1, peek.depth, peek.stack, NULL, round->gap);
    t->seen = 0;
    if (!row) return;
    row = row << 1 | (peek.is_slow ? 1 : 0);
    t->seen = peek.is_cut ? 0 : row;
    t->pending = row;
}

#ifdef BURSTY_P_TICKER
/* ns of CPU time in ticks, rounded at random. */
static uint32_t bursty_p_ticks_of(uint64_t ns) {
    const uint64_t one = (uint64_t)bursty_p_ticks.period_us * 1000;
    return (uint32_t)((ns + (one * (bursty_p_watcher_random() >> 8) >> 24)) / one);
}

/* The same, if ticks are sent. pending: how many. */
static void bursty_p_watcher_look_to_send(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns) {
    uint64_t ran_ns = 0, got;
    t->pending = 0;
    if (!bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) return;
    (void)bursty_p_system_ask(t->system, &ran_ns);
    got = ran_ns - t->ran_ns < gap_ns ? ran_ns - t->ran_ns : gap_ns;
    if (got) {
        t->found = BURSTY_P_UNKNOWN;
        t->pending = round->is_late ? bursty_p_ticks_of(got) : round->gap;
        if (round->is_late) bursty_p_tick_add(&bursty_p_watcher.late, t->pending);
        if (!round->is_late && t->ran_ns) bursty_p_watcher_earn(t, (int64_t)got, round->gap);
        round->has_run = 1;
    }
    t->ran_ns = ran_ns;
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
}
#endif

/* Late looks are not charged. CPU time up to it is paid all the same, or is not
   earned. */
static void bursty_p_watcher_leave_out(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns,
                                       uint32_t looks) {
    uint64_t ran_ns = 0;
    bursty_p_tick_add(&bursty_p_watcher.late, looks);
    t->pending = 0;
    if (BURSTY_P_ANSWERS == BURSTY_P_STATE) {
        bursty_p_axis_forget(t);
        return;
    }
    if (!bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) return;
    (void)bursty_p_system_ask(t->system, &ran_ns);
    if (BURSTY_P_ANSWERS == BURSTY_P_COARSE || ran_ns != t->ran_ns) bursty_p_axis_forget(t);
    if (BURSTY_P_ANSWERS == BURSTY_P_COARSE) {
        (void)bursty_p_watcher_pay(t, ran_ns, gap_ns);
    } else if (ran_ns != t->ran_ns) {
        t->ran_ns = ran_ns;
        t->seen = 0;
        round->has_run = 1;
    }
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
}

/* Does the watcher run on the processor that the thread ran on last, or may it? */
static int bursty_p_watcher_is_in_the_way(const bursty_p_thread *t) {
    const volatile uint32_t *own = bursty_p_system_processor();
    return !own || !t->processor || (int32_t)*own < 0 || (int32_t)*t->processor < 0
           || *own == *t->processor;
}

/* Judges a thread whose CPU time has not moved. */
static int bursty_p_watcher_judge(const bursty_p_round *round, bursty_p_thread *t, int is_last) {
    if (is_last) return t->found == BURSTY_P_READY ? BURSTY_P_RUNS : BURSTY_P_WAITS;
    t->asks = t->system;
    if (round->is_late) return BURSTY_P_UNKNOWN;
    if (!bursty_p_watcher_is_in_the_way(t)) return BURSTY_P_WAITS;
    if (BURSTY_P_IS_SENT) return BURSTY_P_UNKNOWN;
    t->asks = 2 * t->unpaid_ns > bursty_p_watcher_periods(round->gap) ? t->system : 0;
    return BURSTY_P_UNKNOWN;
}

/* It is known what a pending thread does. Ticks that were sent are not pending
   any more. */
static void bursty_p_watcher_settle(bursty_p_round *round, bursty_p_thread *t, int what) {
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT) {
        if (what == BURSTY_P_RUNS) bursty_p_tick_add_shared(&bursty_p_ticks.late, t->pending); /* it has ended */
        else if (round->is_late && t->carried < UINT32_MAX / 2) t->carried += t->pending;
        t->pending = 0;
        return;
    }
#endif
    bursty_p_watcher_charge(round, t, what);
    t->pending = 0;
}

/* Looks at a pending thread again, least_ns after the time that ran_ns tells.
   Returns whether it is pending still. A thread that has ended meanwhile was
   running. */
static int bursty_p_watcher_look_again(bursty_p_round *round, bursty_p_thread *t, uint64_t least_ns,
                                       int is_last) {
    uint64_t ran_ns = UINT64_MAX;
    int what = BURSTY_P_RUNS;
    if (!t->pending) return 0;
    if (t->found == BURSTY_P_RUNS || t->found == BURSTY_P_WAITS) what = (int)t->found;
    else if (bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) {
        (void)bursty_p_system_ask(t->system, &ran_ns);
        if (ran_ns - t->ran_ns < least_ns) what = bursty_p_watcher_judge(round, t, is_last);
        if (what == BURSTY_P_RUNS && !round->is_late)
            bursty_p_watcher_earn(t, -bursty_p_watcher_periods(round->gap), round->gap);
#ifdef BURSTY_P_TICKER
        if (what == BURSTY_P_RUNS && BURSTY_P_IS_SENT) {
            bursty_p_send_ticks(t, t->system, t->pending + t->carried);
            t->pending = t->carried = 0;
        }
#endif
        BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
    }
    if (what == BURSTY_P_UNKNOWN) return 1;
    bursty_p_watcher_settle(round, t, what);
    return 0;
}

/* Asks about a pending thread with unpaid time. Returns whether it is pending still.
   Nobody waits for this, so the thread may end meanwhile, and its record be that
   of another: nothing is read here but what the watcher alone writes. If another
   has its number, one look is mistaken. */
static int bursty_p_watcher_ask(bursty_p_round *round, bursty_p_thread *t) {
    if (!t->pending) return 0;
    if (!t->asks) return 1;
    t->found = (uint32_t)bursty_p_system_state(t->asks);
    if (BURSTY_P_IS_SENT && t->found == BURSTY_P_READY && !round->is_late
        && t->unpaid_ns < -bursty_p_watcher_periods(round->gap)) t->found = BURSTY_P_WAITS;
    if (t->found != BURSTY_P_WAITS) return 1;
    bursty_p_watcher_settle(round, t, BURSTY_P_WAITS);
    return 0;
}

/* Threads that never checked, the most that two counts in a row have met. */
static void bursty_p_watcher_count_threads(uint32_t watched) {
    uint32_t all = bursty_p_system_threads(), now = all > watched + 1 ? all - watched - 1 : 0;
    uint32_t both = now < bursty_p_watcher.unwatched_before ? now : bursty_p_watcher.unwatched_before;
    bursty_p_watcher.unwatched_before = now;
    if (both > BURSTY_P_GET(&bursty_p_watcher.unwatched)) BURSTY_P_PUT(&bursty_p_watcher.unwatched, both);
}

/* The time to the next look, from an exponential distribution: how long the thread
   has waited already says nothing about it. It is -ln of a random number below 1 of 32
   bits. In place of log2(1 + f) stands f + f (1 - f) (.4427 - .1977 f), which has the
   same mean and differs from it by at most .0026. */
static uint64_t bursty_p_watcher_gap(uint32_t periods) {
    uint32_t r = bursty_p_watcher_random(), whole = 1, f;
    uint64_t e; /* in 1/65536 */
    for (; r >> 31 == 0; r <<= 1) whole++;
    f = r >> 15 & 0xffff;
    f += (uint32_t)((uint64_t)f * (65536 - f) * (29013 - (12957 * f >> 16)) >> 32);
    e = (((uint64_t)whole << 16) - f) * 45426 >> 16;
    return (uint64_t)bursty_p_ticks.period_us * 1000 * periods * e >> 16;
}

/* ---- how long gaps are ---- */

#define BURSTY_P_WATCHER_PPM 1000u
#define BURSTY_P_LONGEST 8u /* usual gaps */
#define BURSTY_P_FIRST 256u /* looks at the first pace; half as many at each pace behind it */

/* In periods. Who sends ticks may take gaps twice as long for what they cost. */
static uint32_t bursty_p_watcher_longest(uint32_t times) {
    const uint32_t usual = bursty_p_ticks.usual, most = times * 12500 / (bursty_p_ticks.period_us * usual);
    return most < 2 ? usual : most < times ? most * usual : times * usual;
}
static uint32_t bursty_p_watcher_most(void) {
    return bursty_p_watcher_longest(BURSTY_P_IS_SENT ? 2 * BURSTY_P_LONGEST : BURSTY_P_LONGEST);
}

/* Returns how many periods the next gap is to be, on average: such that a round
   costs its share of it. A mean of 2.3 is 2 in seven of ten cases, else 3. */
static uint32_t bursty_p_watcher_affords(uint64_t cost_ns) {
    const uint64_t one = (uint64_t)bursty_p_ticks.period_us * BURSTY_P_WATCHER_PPM / 1000;
    const uint32_t usual = bursty_p_ticks.usual;
    uint64_t gap_256 = 256 * cost_ns;
    gap_256 = one ? gap_256 / one : 10 * gap_256;
    if (bursty_p_all.config.tick_hz > 0 || gap_256 < 256 * usual) return usual;
    gap_256 += bursty_p_watcher_random() >> 24;
    gap_256 >>= 8;
    return gap_256 < bursty_p_watcher_most() ? (uint32_t)gap_256 : bursty_p_watcher_most();
}

/* Once it is known who has run. */
static uint32_t bursty_p_watcher_next_gap(bursty_p_round *round, uint64_t gap_ns) {
    const uint64_t quarter = 4 * bursty_p_watcher.cost_ns / ((uint64_t)bursty_p_ticks.period_us * 1000);
    uint32_t next = bursty_p_watcher_affords(bursty_p_watcher.cost_ns), pace;
    if (round->pace < bursty_p_watcher_most() && --round->left == 0) {
        round->pace *= 2;
        round->left = BURSTY_P_FIRST / 2;
    }
    pace = round->pace;
    round->idle_ns = round->has_run ? 0 : round->idle_ns + gap_ns;
    if (BURSTY_P_ANSWERS == BURSTY_P_EXACT && round->idle_ns >= 500000000) {
        next = bursty_p_watcher_longest(BURSTY_P_LONGEST);
        pace *= BURSTY_P_LONGEST;
    }
    /* The first looks may take a quarter of a processor. */
    if (pace < quarter) pace = quarter < next ? (uint32_t)quarter : next;
    return next < pace ? next : pace;
}

/* A mean over some 64 rounds; of the first 64, of all so far. */
static void bursty_p_watcher_count_cost(uint64_t *before) {
    const uint64_t now = bursty_p_thread_ns(NULL), mean = bursty_p_watcher.cost_ns;
    uint32_t costs = BURSTY_P_GET(&bursty_p_watcher.costs);
    if (*before && now > *before) {
        if (costs < 64) BURSTY_P_PUT(&bursty_p_watcher.costs, ++costs);
        bursty_p_watcher.cost_ns = mean - mean / costs + (now - *before) / costs;
        BURSTY_P_PUT(&bursty_p_watcher.own_us, BURSTY_P_GET(&bursty_p_watcher.own_us)
                                               + (uint32_t)(now / 1000 - *before / 1000));
    }
    *before = now;
}

/* A round's first look at a thread. Returns whether it is pending. */
static int bursty_p_watcher_look_first(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns,
                                       uint32_t late) {
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT) {
        bursty_p_watcher_look_to_send(round, t, gap_ns);
        return t->pending != 0;
    }
#endif
    if (late) bursty_p_watcher_leave_out(round, t, gap_ns, late);
    else bursty_p_watcher_look(round, t, gap_ns);
    return t->pending != 0;
}

/* late: how many rounds, up to this one, came too late. */
static void bursty_p_watcher_round(bursty_p_round *round, uint64_t gap_ns, uint32_t late, int counts) {
    bursty_p_thread *first = bursty_p_all.threads, *end = first + bursty_p_threads(), *t;
    uint32_t watched = 0;
    uint64_t began = 0;
    int is_pending = 0, naps = 0;
    round->number++;
    round->is_late = late != 0;
    round->looks = round->has_run = 0;
    round->squares = 0;
    for (t = first; t < end; t++) {
        if (BURSTY_P_ACQUIRE(&t->watched) == BURSTY_P_CLOSED) {
            bursty_p_axis_forget(t);
            continue;
        }
        watched++;
        is_pending |= bursty_p_watcher_look_first(round, t, gap_ns, late);
    }
    if (is_pending) {
        is_pending = 0;
        for (t = first; t < end; t++) is_pending |= bursty_p_watcher_look_again(round, t, 1, 0);
    }
    if (is_pending) {
        is_pending = 0;
        for (t = first; t < end; t++) {
            is_pending |= bursty_p_watcher_ask(round, t);
            naps |= t->pending && t->found != BURSTY_P_READY;
        }
    }
    if (is_pending) {
        began = bursty_p_wall_ns();
        if (naps) bursty_p_system_nap();
        began = naps ? bursty_p_wall_ns() - began : 0;
        for (t = first; t < end; t++) (void)bursty_p_watcher_look_again(round, t, began / 2, 1);
    }
    if (counts) bursty_p_watcher_count_threads(watched);
    if (!round->looks) return;
    bursty_p_tick_add(&bursty_p_watcher.looks, round->looks);
    bursty_p_tick_add(&bursty_p_watcher.squares, round->squares);
    BURSTY_P_PUT(&bursty_p_watcher.rounds, BURSTY_P_GET(&bursty_p_watcher.rounds) + 1);
}

static uint64_t bursty_p_watcher_late_ns(void) {
    uint64_t ns = (uint64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual * 500;
    if (BURSTY_P_ANSWERS == BURSTY_P_EXACT && ns > 500000) ns = 500000;
    if (ns < 250000) ns = 250000;
    return ns + bursty_p_system_slack_ns();
}

/* The thread. */
static void bursty_p_watcher_run(void) {
    static bursty_p_round round;
    const uint64_t late_ns = bursty_p_watcher_late_ns();
    uint64_t now = bursty_p_wall_ns(), due = now, last = now, counted = 0, own_ns = 0, missed;
    bursty_p_mine.epoch = BURSTY_P_GET(&bursty_p_all.epoch);
    bursty_p_mine.ended = 1; /* should anything here be instrumented, it is no thread of the program */
    bursty_p_zero(&round, sizeof round);
    round.pace = bursty_p_ticks.usual > 1 ? 1 : BURSTY_P_LONGEST;
    round.left = BURSTY_P_FIRST;
    round.gap = bursty_p_ticks.usual > 1 ? 1 : bursty_p_ticks.usual;
    for (;;) {
        const uint32_t word = BURSTY_P_ACQUIRE(&bursty_p_watcher.word);
        if (BURSTY_P_ACQUIRE(&bursty_p_watcher.ends)) return;
        if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) != 1) {
            bursty_p_system_sleep(word, 0);
            last = due = bursty_p_wall_ns();
            round.idle_ns = 0;
            continue;
        }
        due += bursty_p_watcher_gap(round.gap);
        do {
            bursty_p_system_sleep(word, due);
            now = bursty_p_wall_ns();
        } while (now < due && BURSTY_P_ACQUIRE(&bursty_p_watcher.word) == word);
        if (BURSTY_P_ACQUIRE(&bursty_p_watcher.word) != word) continue;
        missed = 0;
        if (now - due > late_ns) {
            missed = round.gap + (now - due) / ((uint64_t)bursty_p_ticks.period_us * 1000);
            due = now;
        }
        bursty_p_watcher_round(&round, now - last, missed < 1000000 ? (uint32_t)missed : 1000000,
                               now - counted >= 500000000);
        if (now - counted >= 500000000) counted = now;
        bursty_p_watcher_count_cost(&own_ns);
        round.gap = bursty_p_watcher_next_gap(&round, missed ? 0 : now - last);
        last = now;
    }
}

/* ---- its orders ---- */

static void bursty_p_watcher_order(void) {
    (void)BURSTY_P_ADD(&bursty_p_watcher.word, 1);
    bursty_p_system_wake();
}

static void bursty_p_watcher_forget_counts(void) {
    BURSTY_P_PUT(&bursty_p_watcher.rounds, 0);
    BURSTY_P_PUT(&bursty_p_watcher.unwatched, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.looks, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.squares, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.late, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.cut, 0);
}

/* Returns 0 if the system gives no thread. */
static int bursty_p_watcher_begin(void) {
    uint32_t seed = bursty_p_mix((uint32_t)bursty_p_wall_ns(), bursty_p_all.config.seed + 1);
    bursty_p_watcher.random = seed ? seed : 1;
    bursty_p_watcher.ends = bursty_p_watcher.has_own_files = 0;
    if (!bursty_p_system_begin()) return 0;
    BURSTY_P_RELEASE(&bursty_p_watcher.exists, 1);
    return 1;
}

static void bursty_p_watcher_end(void) {
    uint32_t i;
    if (!bursty_p_cas(&bursty_p_watcher.exists, 1, 0)) return;
    BURSTY_P_RELEASE(&bursty_p_watcher.ends, 1);
    bursty_p_watcher_order();
    bursty_p_system_end();
    for (i = 0; i < bursty_p_threads(); i++) { /* a thread that ends meanwhile does the same */
        bursty_p_thread *t = &bursty_p_all.threads[i];
        if (bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_CLOSED)
            || bursty_p_cas(&t->watched, BURSTY_P_LOOKING, BURSTY_P_CLOSED)) /* the system ended it there */
            bursty_p_system_forget(t->system);
    }
}

/* ---- threads that it may look at ---- */

static void bursty_p_watcher_open(bursty_p_thread *t) {
#ifdef BURSTY_P_TICKER
    t->owed = t->carried = 0;
#endif
#ifdef BURSTY_P_KNOWS_STACKS
    bursty_p_ask_stack();
#endif
    t->here = &BURSTY_P_HERE;
    t->ran_ns = 0;
    t->unpaid_ns = 0;
    t->processor = bursty_p_system_processor();
    t->system = bursty_p_system_me();
    if (t->system) BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
}

static void bursty_p_watcher_close(bursty_p_thread *t) {
    uint32_t tries = 0;
    while (BURSTY_P_ACQUIRE(&t->watched) != BURSTY_P_CLOSED) {
        if (bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_CLOSED)) {
            bursty_p_system_forget(t->system);
#ifdef BURSTY_P_TICKER
            bursty_p_tick_add_shared(&bursty_p_ticks.late, t->carried);
#endif
            return;
        }
        if (++tries <= 100) continue;
        if (bursty_p_system_is_gone()) (void)bursty_p_cas(&t->watched, BURSTY_P_LOOKING, BURSTY_P_OPEN_TO_LOOKS);
        else bursty_p_system_nap();
    }
}

/* In a child of fork, which has one thread. */
static void bursty_p_watcher_forked(void) {
    uint32_t i;
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_all.threads[i].watched = BURSTY_P_CLOSED;
    bursty_p_watcher.exists = bursty_p_watcher.own_us = 0;
    if (BURSTY_P_IS_WATCHED && bursty_p_ticks.on && !bursty_p_watcher_begin()) bursty_p_all.no_time = BURSTY_NO_TIME_THREAD;
}

#endif /* BURSTY_P_WATCHER */
