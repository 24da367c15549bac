/* ---- children, and other programs ---- */

/* No number here contains what the children of this process did. If that is a real
   share of the CPU time, the dump says how much (kind 7). The system
   tells it of children that have ended and were waited for; how many there were
   it does not tell. Without timers it is not asked: the program may have forbidden
   itself the call, as under `bursty record --frames`.

   A timer of CPU time looks at ticks of the kernel's clock alone. Where other
   programs want the processor, too, turns on it begin and end there. So the dump
   says how many turns were cut off, if they are worth a word, and whether the
   program slept, too: then these ticks may meet one place of its work. */
#if defined(BURSTY_P_POSIX) && !defined(BURSTY_NO_TIMERS)
#include <sys/resource.h>
static uint64_t bursty_p_children_before_us, bursty_p_turns_before, bursty_p_sleeps_before;

static uint64_t bursty_p_used_us(int is_children) {
    struct rusage used;
    if (getrusage(is_children ? RUSAGE_CHILDREN : RUSAGE_SELF, &used) != 0) return 0;
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000
           + (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* How many turns ended because the program slept, or because others wanted the
   processor. */
static uint64_t bursty_p_turns(int slept) {
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return 0;
    return (uint64_t)(slept ? used.ru_nvcsw : used.ru_nivcsw);
}

/* From here on they count: a program that exec has put in another one's place
   has its children. */
static void bursty_p_begin_children(void) {
    bursty_p_children_before_us = bursty_p_used_us(1);
    bursty_p_turns_before = bursty_p_turns(0);
    bursty_p_sleeps_before = bursty_p_turns(1);
}

static int bursty_p_write_children(bursty_p_dump *d, bursty_write_fn write, void *user) {
    const uint64_t own = bursty_p_used_us(0) / 1000, now = bursty_p_used_us(1);
    const uint64_t theirs = now > bursty_p_children_before_us
                                ? (now - bursty_p_children_before_us) / 1000 : 0;
    const uint64_t says[4] = { 2, 18, theirs, theirs + own }; /* version, why */
    if (theirs < 10 || theirs * 20 < theirs + own) return 0;
    bursty_p_put_begin(&d->out, 7, write, user);
    bursty_p_put_all(d, says, 4);
    bursty_p_put_string(d, bursty_p_all.config.program);
    return bursty_p_put_end(&d->out);
}

#if BURSTY_P_TICKS && defined(BURSTY_P_TIMERS)
static int bursty_p_write_turns(bursty_p_dump *d, bursty_write_fn write, void *user) {
    enum { FEW = 50, PART = 4, CUT = 6, SLEPT = 27 };
    const uint64_t period_us = bursty_p_ticks.usual * bursty_p_ticks.period_us;
    const uint64_t now = bursty_p_turns(0), sleeps = bursty_p_turns(1) - bursty_p_sleeps_before;
    const uint64_t turns = now > bursty_p_turns_before ? now - bursty_p_turns_before : 0;
    const uint64_t ticks = period_us ? bursty_p_cpu_seen() / period_us : 0;
    const uint64_t says[4] = { 2, sleeps < ticks / PART ? CUT : SLEPT,
                               turns < ticks ? turns : ticks, ticks };
    if (BURSTY_P_IS_SENT || BURSTY_P_IS_WATCHED || ticks < FEW || turns < ticks / PART) return 0;
    bursty_p_put_begin(&d->out, 7, write, user);
    bursty_p_put_all(d, says, 4);
    bursty_p_put_string(d, bursty_p_all.config.program);
    return bursty_p_put_end(&d->out);
}
#else
#define bursty_p_write_turns(d, write, user) 0
#endif
#else
static void bursty_p_begin_children(void) { }
#define bursty_p_write_children(d, write, user) 0
#define bursty_p_write_turns(d, write, user) 0
#endif
