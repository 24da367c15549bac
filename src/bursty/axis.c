/* ---- ticks in time ---- */

#if BURSTY_FRAMES > 0 || defined(BURSTY_P_AXIS)

#if defined(_WIN32) && !defined(BURSTY_BARE)
#define BURSTY_P_COUNTER
union _LARGE_INTEGER;
__declspec(dllimport) int __stdcall QueryPerformanceCounter(union _LARGE_INTEGER *count);
__declspec(dllimport) int __stdcall QueryPerformanceFrequency(union _LARGE_INTEGER *hertz);
#endif

static uint64_t bursty_p_frame_ns(void) {
    const bursty_config *config = &bursty_p_all.config;
    if (config->frame_clock) return config->frame_clock(config->clock_user);
#if defined(BURSTY_P_POSIX) && defined(CLOCK_MONOTONIC)
    {
        struct timespec now;
        if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    }
#elif defined(BURSTY_P_CLOCK)
    return bursty_p_read_ns(1);
#elif defined(BURSTY_P_COUNTER)
    {
        uint64_t now = 0, hertz = 0;
        (void)QueryPerformanceCounter((union _LARGE_INTEGER *)(void *)&now);
        (void)QueryPerformanceFrequency((union _LARGE_INTEGER *)(void *)&hertz);
        if (hertz == 0) return 0;
        return now / hertz * 1000000000 + now % hertz * 1000000000 / hertz;
    }
#else
    return 0;
#endif
}

/* Without a clock there are no frames. */
BURSTY_P_UNUSED static int bursty_p_has_frame_clock(void) {
#if (defined(BURSTY_P_POSIX) && defined(CLOCK_MONOTONIC)) || defined(BURSTY_P_CLOCK) || \
    defined(BURSTY_P_COUNTER)
    return 1;
#else
    return bursty_p_all.config.frame_clock != NULL;
#endif
}

#endif

#ifdef BURSTY_P_AXIS

/* With config.timeline = n the ticks have their moments: n of them, thinned out
   (moments.c), the waits that the watcher sees, and slow frames. The zero of
   the axis is bursty_start.

       ticks, n places     moment, and the row of the path, which has the thread
       waits, n / 8        from when to when, and the row
       frames, n / 8       the same, and the kind and the thread

   A wait is what looks at one thread have found without a break: in one path,
   and its CPU time did not move. It begins and ends halfway between two
   looks. */
enum { BURSTY_P_AXIS_LEAST = 4, BURSTY_P_AXIS_MOST = 24 }; /* places: powers of 2 */
static struct {
    bursty_p_moment *ticks;
    uint32_t bits;                       /* 2^bits places; 0: nobody asked            */
    bursty_p_tick_count drawn;           /* ticks so far: n of one call are n         */
    uint64_t began_ns;
    bursty_p_spans waits, frames;
} bursty_p_axis;

static size_t bursty_p_axis_bytes(uint32_t bits) {
    return ((size_t)1 << bits) * (sizeof(bursty_p_moment) + sizeof(bursty_p_span) / 4);
}

/* Takes at most `bytes` of memory. Returns how many. */
static size_t bursty_p_lay_out_axis(unsigned char *memory, size_t bytes,
                                    uint32_t wanted) {
    uint32_t bits = BURSTY_P_AXIS_MOST;
    bursty_p_span *spans;
    bursty_p_zero(&bursty_p_axis, sizeof bursty_p_axis);
    while (bits >= BURSTY_P_AXIS_LEAST
           && (wanted < UINT32_C(1) << bits || bytes < bursty_p_axis_bytes(bits))) bits--;
    if (bits < BURSTY_P_AXIS_LEAST) return 0;
#ifndef BURSTY_BARE
    if (!bursty_p_has_frame_clock()) return 0;
#endif
    spans = (bursty_p_span *)(void *)memory;
    bursty_p_axis.waits.room = bursty_p_axis.frames.room = UINT32_C(1) << (bits - 3);
    bursty_p_axis.waits.at = spans;
    bursty_p_axis.frames.at = spans + bursty_p_axis.waits.room;
    spans += (size_t)2 * bursty_p_axis.waits.room;
    bursty_p_axis.ticks = (bursty_p_moment *)(void *)spans;
    bursty_p_axis.bits = bits;
    return bursty_p_axis_bytes(bits);
}

static void bursty_p_zero_axis(void) {
    if (bursty_p_axis.bits)
        bursty_p_zero(bursty_p_axis.waits.at, bursty_p_axis_bytes(bursty_p_axis.bits));
    bursty_p_zero(&bursty_p_axis, sizeof bursty_p_axis);
}

/* For how many ticks there is room to note their moments. */
static uint32_t bursty_p_axis_room(void) {
    return bursty_p_axis.bits ? UINT32_C(1) << bursty_p_axis.bits : 0;
}

/* Since bursty_start. Without a clock of its own a board counts its ticks. */
static uint64_t bursty_p_axis_us(void) {
#ifdef BURSTY_BARE
    if (!bursty_p_all.config.frame_clock)
        return (uint64_t)BURSTY_P_ACQUIRE(&bursty_p_axis.drawn) * bursty_p_ticks.period_us;
#endif
    const uint64_t now = bursty_p_frame_ns();
    return now > bursty_p_axis.began_ns ? (now - bursty_p_axis.began_ns) / 1000 : 0;
}

/* n ticks of a row, on any thread. Of more than 100 at once 100 have moments. */
static void bursty_p_axis_tick(uint32_t row, uint32_t n) {
    const uint32_t usual = bursty_p_ticks.usual;
    bursty_p_tick_count before, at, end;
    uint64_t us;
    if (!bursty_p_axis.bits) return;
    if (BURSTY_P_ACQUIRE(&bursty_p_axis.drawn) > BURSTY_P_TICK_MOST / 2) return;
    before = bursty_p_tick_add_shared(&bursty_p_axis.drawn, n);
    at = before / usual;
    end = (before + n) / usual;
    if (at == end) return;
    if (end - at > 100) at = end - 100;
    for (us = bursty_p_axis_us(); at < end; at++)
        bursty_p_put_moment(bursty_p_axis.ticks, bursty_p_axis.bits, at, row, us);
}

#if BURSTY_FRAMES > 0
/* A slow frame. */
static void bursty_p_axis_frame(uint32_t kind, uint32_t thread, uint64_t began_ns,
                                uint64_t ns) {
    const uint64_t zero_ns = bursty_p_axis.began_ns;
    if (!bursty_p_axis.bits) return;
    bursty_p_add_span(&bursty_p_axis.frames, kind, thread,
                      began_ns > zero_ns ? (began_ns - zero_ns) / 1000 : 0, ns / 1000);
}
#endif

#ifdef BURSTY_P_WATCHER
/* The wait of a thread is over at `us`, if there is one. */
static void bursty_p_axis_end_wait(bursty_p_thread *t, uint64_t us) {
    const uint64_t from_us = BURSTY_P_READ(&t->waits_from);
    const uint32_t row = BURSTY_P_GET(&t->waits_in);
    if (!row) return;
    BURSTY_P_PUT(&t->waits_in, 0);
    bursty_p_add_span(&bursty_p_axis.waits, row, t->number, from_us,
                      us > from_us ? us - from_us : 0);
}

/* A look at a thread: it waits in that row, or 0. woke: its CPU time has moved
   since the last one. On the watcher's thread. */
static void bursty_p_axis_look(bursty_p_thread *t, uint32_t row, int woke) {
    const uint64_t before = BURSTY_P_READ(&t->looked_at);
    uint64_t now, middle;
    if (!bursty_p_axis.bits) return;
    now = bursty_p_axis_us();
    middle = before && before < now ? before + (now - before) / 2 : now;
    if (!row || woke || BURSTY_P_GET(&t->waits_in) != row) {
        bursty_p_axis_end_wait(t, middle);
        BURSTY_P_STORE(&t->waits_from, middle);
        BURSTY_P_PUT(&t->waits_in, row);
    }
    BURSTY_P_STORE(&t->looked_at, now);
}

/* The record of a thread that has ended, or begins. */
static void bursty_p_axis_forget(bursty_p_thread *t) {
    bursty_p_axis_end_wait(t, BURSTY_P_READ(&t->looked_at));
    BURSTY_P_STORE(&t->looked_at, 0);
}
#endif

/* Ticks may come meanwhile. */
static void bursty_p_clear_axis(void) {
    const size_t count = bursty_p_axis.bits ? (size_t)1 << bursty_p_axis.bits : 0;
    size_t i;
    for (i = 0; i < count; i++) BURSTY_P_RELEASE(&bursty_p_axis.ticks[i].serial, 0);
    BURSTY_P_RELEASE(&bursty_p_axis.drawn, 0);
    bursty_p_clear_spans(&bursty_p_axis.waits);
    bursty_p_clear_spans(&bursty_p_axis.frames);
#ifdef BURSTY_P_WATCHER
    for (i = 0; count && i < bursty_p_threads(); i++)
        BURSTY_P_PUT(&bursty_p_all.threads[i].waits_in, 0);
#endif
}

/* In a child of fork, before it is cleared: whoever was at work is gone. */
static void bursty_p_fork_axis(void) {
    bursty_p_axis.waits.busy = bursty_p_axis.frames.busy = 0;
}

#else
static void bursty_p_zero_axis(void) { }
BURSTY_P_UNUSED static void bursty_p_clear_axis(void) { }
static void bursty_p_fork_axis(void) { }
#endif
