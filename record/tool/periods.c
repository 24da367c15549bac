/* periods.c - when the kernel looks at a thread, and what the look is worth.

   The kernel gives each thread a timer of its own on each CPU, which begins when
   the thread begins. All periods of a timer are equal, and it is the one that was
   set when the thread began: no timer can have a first period of its own.

       period 1:       |.........x.........x.........x....
       a thread:       |one          |two   |                  one look, in `one`

   So nobody looks at the beginnings of threads, and short ones are not seen at
   all. Where threads are found to be short, each timer gets a period that is
   drawn from LEAST to MOST, a new one each millisecond:

       threads that    |...x...x...x...x|
       begin later:    |.........x......|
                       |............x...|
                       |.x.x.x.x.x.x.x.x|

   Looks are then more often at some ages of a timer than at others. How often is
   known: at the age t, when periods X have the density 1 / (MOST - LEAST) and a
   look is worth its period, all looks at that age are worth

       D(t) = t / (MOST - LEAST) * sum of 1 / k^2 for LEAST <= t / k <= MOST

   for 1. So the k-th look of a timer, at the age t = k X, is worth X / D(t): the
   estimate of Horvitz and Thompson (1952). It is right for code at any age from
   LEAST on, whatever the threads do; what is younger than LEAST counts as what is
   up to twice as old. The looks of one timer are not independent, but the drawn
   periods are spread evenly (multiples of the golden ratio).

   Where threads are long, periods are drawn within a tenth of the usual one, now
   and then: threads that work for equal times and sleep would keep step with equal
   periods.

   LEAST is a fiftieth of the age that most short threads come to, and 40 us at
   least, for a look may cost 15 us of the thread's own time, in a virtual machine;
   where a thread does not get on, its age says nothing. MOST is the usual period, but
   no more than .5 ms: a thread that ends within its period has no look. It is less
   where no thread comes to a fourth of it, for most timers would have no look then. The
   lowest bits of a period say which, so that a look tells how its timer was set. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/tool.h"
#include <math.h>
#include <string.h>

enum { LEAST_NS = 40000, MOST_NS = 500000, LEVELS = 4, STEADY = 7, LEVEL_MASK = 7, SHIFTS = 4,
       SHIFT_BITS = 3, ALL_BITS = 31, SHORT = 20, LENGTHS = 16, CPUS = 1024, KEPT = 256,
       TIMERS_MOST = 1 << 17 };

typedef struct drawn {              /* a period, and since when */
    uint64_t ns, period;
} drawn;

typedef struct timer {              /* of one thread on one CPU */
    uint64_t id, looks;
} timer;

static struct {
    int level, shift;               /* of the timers that begin now: of LEAST and MOST */
    uint64_t since_ns;              /* when periods were drawn for the first time; 0: never */
    double seen_ns;                 /* what all looks are worth */
    double short_ns[LENGTHS];       /* of timers that are over: those below 40 us, 80, ... */
    double long_ns;
    double phase[CPUS];             /* from 0 up to 1, of the latest period */
    /* Of the timers that have a number, those that were opened and not made with a
       thread: theirs changes at once. */
    drawn log[CPUS][KEPT];
    unsigned logged[CPUS];
    timer *timers;
    size_t count, room;
    hash_table index;
} all = {.level = STEADY};

static double least_of(int level) { return (double)LEAST_NS * (double)(1 << level); }
static double most_of(int shift) {
    return (double)(events.period < MOST_NS ? events.period : MOST_NS) / (1 << shift);
}

/* ---- what is drawn ---- */

static uint64_t draw(unsigned n) {
    const double golden = .6180339887498949, period = (double)events.period;
    double least;
    if (n >= CPUS || all.level == STEADY)
        return (uint64_t)(period * (.9 + .2 * events_draw())) | STEADY;
    if (all.phase[n] == 0) all.phase[n] = events_draw();
    all.phase[n] = fmod(all.phase[n] + golden, 1);
    least = least_of(all.level) + (double)ALL_BITS;
    return ((uint64_t)(least + all.phase[n] * (most_of(all.shift) - least)) & ~(uint64_t)ALL_BITS)
           | (uint64_t)(all.level | all.shift << SHIFT_BITS);
}

uint64_t periods_next(unsigned n) {
    uint64_t period = draw(n);
    drawn *d;
    if (n >= CPUS) return period;
    d = &all.log[n][all.logged[n]++ % KEPT];
    d->ns = events_now_ns();
    d->period = period;
    return period;
}

void periods_move(unsigned from, unsigned to) {
    if (to < CPUS && to != from) {
        all.logged[to] = from < CPUS ? all.logged[from] : 0;
        if (from < CPUS) memcpy(all.log[to], all.log[from], sizeof all.log[to]);
    }
    if (from < CPUS) all.logged[from] = 0;
}

/* Below which length has that part of the time of short timers been? */
static double length_below(double part, double in_short) {
    double below = 0;
    int n;
    for (n = 0; n + 1 < LENGTHS; n++) {
        below += all.short_ns[n];
        if (below >= part * in_short) break;
    }
    return least_of(n);
}

/* Threads that are short have to be worth it, for short periods cost more. */
int periods_change(void) {
    const double worth = .02, few = .05, ages = 50, births = 4;
    double in_short = 0, shortest, longest;
    int level = 0, shift = 0, n;
    for (n = 0; n < LENGTHS; n++) in_short += all.short_ns[n];
    if (!events.has_clock || in_short <= 0
        || in_short < worth * (in_short + all.long_ns + all.seen_ns))
        return 0;
    shortest = length_below(few, in_short) / 2;
    longest = length_below(1 - few, in_short);
    while (level + 1 < LEVELS && ages * least_of(level + 1) <= shortest
           && births * least_of(level + 1) <= most_of(0))
        level++;
    while (shift + 1 < SHIFTS && births * longest <= most_of(shift + 1)
           && births * least_of(level) <= most_of(shift + 1))
        shift++;
    if (level == all.level && shift == all.shift) return 0;
    if (all.level == STEADY) all.since_ns = events_now_ns();
    all.level = level;
    all.shift = shift;
    return 1;
}

int periods_are_drawn(void) { return all.level != STEADY; }

void periods_ended(uint64_t ns) {
    int n = 0;
    while (n + 1 < LENGTHS && (double)ns >= least_of(n)) n++;
    if (periods_are_many((double)ns)) all.long_ns += (double)ns;
    else all.short_ns[n] += (double)ns;
}

int periods_are_many(double ns) { return ns >= (double)SHORT * (double)events.period; }

int periods_are_of_short(uint32_t period) { return (period & LEVEL_MASK) < LEVELS && period; }

int periods_is_short(const thread_time *t) {
    return all.since_ns && t->born_ns >= all.since_ns && t->ns < SHORT * events.period;
}

int periods_is_too_short(const thread_time *t) {
    return periods_is_short(t) && t->ends >= events.of_thread && t->ns < 2 * LEAST_NS;
}

/* ---- what a look is worth ---- */

static int is_timer(const void *owner, uint32_t number, const void *key) {
    (void)owner;
    return all.timers[number - 1].id == *(const uint64_t *)key;
}

/* The number of this look of its timer, from 1 on. Nobody says which timers are gone.
   So when there are TIMERS_MOST all are forgotten, and those that go on count their
   looks from 1 again. */
static uint64_t look_of(uint64_t id) {
    uint32_t *at;
    if (all.count == TIMERS_MOST) {
        all.count = 0;
        hash_empty(&all.index);
    }
    at = hash_place(&all.index, hash_numbers(id, 0), is_timer, NULL, &id);
    if (!*at) {
        TOOL_ROOM(timer, all.timers, all.count, all.room);
        all.timers[all.count].id = id;
        all.timers[all.count++].looks = 0;
        *at = (uint32_t)all.count;
    }
    return ++all.timers[*at - 1].looks;
}

/* What looks at that age are worth, if each is worth its period. */
static double density(double age, double least, double most) {
    double first = ceil(age / most), last = floor(age / least), k, sum = 0;
    for (k = first; k <= last && k < first + 8; k++) sum += 1 / (k * k);
    if (k <= last) sum += 1 / (k - .5) - 1 / (last + .5);
    return sum > 0 ? age / (most - least) * sum : 1;
}

static double period_at(unsigned n, uint64_t ns) {
    unsigned back, of = all.logged[n];
    for (back = 1; back <= of && back <= KEPT; back++) {
        const drawn *d = &all.log[n][(of - back) % KEPT];
        if (d->ns <= ns) return (double)d->period;
    }
    return (double)events.period;
}

double periods_worth(uint64_t id, unsigned own, uint64_t period, uint64_t ns) {
    int level = (int)(period & LEVEL_MASK), shift = (int)(period & ALL_BITS) >> SHIFT_BITS;
    double worth = (double)period, least, age;
    if (own < CPUS) worth = period_at(own, ns);
    else if (level < LEVELS && shift < SHIFTS) {
        age = worth * (double)look_of(id);
        least = least_of(level);
        worth /= density(age, least, most_of(shift));
        if (age < 2 * least) worth *= 2;
    }
    all.seen_ns += worth;
    return worth;
}
#endif
