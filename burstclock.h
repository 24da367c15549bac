/* burstclock.h - v0.2.0 - times inside bursts, and a budget for them - MIT, text at end of file

   example:
       #include <stdio.h>
       #define BURSTCLOCK_IMPLEMENTATION
       #include "burstclock.h"
       static uint64_t now, total[2];
       static uint64_t my_clock(void *user) { (void)user; return now; }
       static void my_charge(void *user, const void *key, const void *caller, uint64_t time) {
           uint64_t *sums = (uint64_t *)user;
           sums[key == caller] += time;
       }
       int main(void) {
           static uint64_t memory[4];
           burstclock c;
           if (burstclock_init(&c, my_clock, NULL, my_charge, total) != 0) return 1;
           burstclock_mark(&c, memory, "a", NULL, 256);
           now += 30;
           burstclock_mark(&c, memory, NULL, NULL, 256);
           printf("30 units passed, %u charged\n", (unsigned)(total[0] + total[1]));
           return total[0] != 30;
       }
   end of example.

   bursty.h counts without a clock. This header adds what a clock can do for it: the time between
   the events of a burst, for questions of microseconds, and a rate of bursts that holds their cost
   at a share of the run time. For "where does the time go" ticks.h is cheaper: a timer interrupts.

   STEP BY STEP
   1. Include bursty.h and then this header; in one C or C++ file define BURSTCLOCK_IMPLEMENTATION.
   2. Give it a clock, the cheapest that you have. For example
         static uint64_t cpu_ns(void *user) {
             struct timespec t;
             (void)user;
             clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
             return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
         }
   3. Times: set config.clock_hz of bursty.h to the clock's units per second, and run one more
      profile with an action of this header. It has bursts of its own, best longer ones, since the
      first and the last interval of a burst are cut.
         burstclock_init(&c, cpu_ns, NULL, NULL, NULL);
         bursty_start(&config);
         profile.action = burstclock_event;
         profile.user = &c;
         profile.classes = BURSTY_ANY | BURSTY_BEGIN | BURSTY_END;
         bursty_set_profile(1, &profile);
      The times are in the hot table then, in units of the clock: bursty_row.ticks. `bursty report`
      shows them as seconds.
   4. A budget: c.budget_ppm = 10000 (1 %), config.pace = burstclock_pace, config.pace_user = &c
      before bursty_start. The clock is best the thread's CPU time, so that what other programs do
      does not count. Each thread then has one factor for the check_count of all its profiles.
   5. Without bursty.h: burstclock_mark says from now on whose time is running, and burstclock_pace
      takes plain numbers.

   PROMISES
     - An interval that is much longer than is usual for its site, as after a preemption, is left
       out and counted in `dropped`. Usual is a mean that moves by an eighth of the difference; much
       longer is 64 times. After a lasting change the mean follows within some ten intervals.
     - The cost of reading the clock is taken off. A function that is shorter than one reading
       still gets an inaccurate time.
     - It allocates nothing. Without bursty.h it calls your clock and your charge alone.

   THREADS
     One burstclock serves all threads, if the clock may be read by all.

   OPTIONS
     BURSTCLOCK_STATIC   in every file: makes everything static, for a single file

   COST
     Two readings of the clock for an event, and two for a burst of the budget. */

#ifndef BURSTCLOCK_H
#define BURSTCLOCK_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define BURSTCLOCK_P_UNUSED __attribute__((unused))
#else
#define BURSTCLOCK_P_UNUSED
#endif

#ifdef BURSTCLOCK_STATIC
#define BURSTCLOCK_API BURSTCLOCK_P_UNUSED static
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define BURSTCLOCK_API extern __attribute__((visibility("hidden")))
#else
#define BURSTCLOCK_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---------------------------------------------------------------------------------- */

/* Returns the calling thread's time, in units of your choice. */
typedef uint64_t (*burstclock_clock)(void *user);
typedef void (*burstclock_charge)(void *user, const void *key, const void *caller, uint64_t time);

typedef struct burstclock {
    burstclock_clock clock;
    void *clock_user;
    burstclock_charge charge;  /* gets the time of a key; with bursty.h NULL: its hot table      */
    void *charge_user;
    uint32_t budget_ppm;       /* above 0: the share of time that bursts may cost                */
    uint32_t dropped;          /* intervals that were left out; it saturates                     */
    uint64_t cost;             /* of one reading of the clock, as burstclock_init measured it    */
    struct {
        uint32_t key, mean_16; /* what is usual, for a hash of the key, in sixteenths of a unit  */
    } usual[128];
} burstclock;

/* ---- functions ------------------------------------------------------------------------------ */

/* charge may be NULL if bursty.h is included before. Returns 0; or -1 if clock is NULL, or if
   charge is NULL without bursty.h. */
BURSTCLOCK_API int burstclock_init(burstclock *c, burstclock_clock clock, void *clock_user,
                                   burstclock_charge charge, void *charge_user);

/* The time since the mark before it, times weight_256 / 256, is charged to the key and caller of
   that mark; from now on it runs for these. key NULL: nobody's. memory belongs to the thread and
   begins as zeros. */
BURSTCLOCK_API void burstclock_mark(burstclock *c, uint64_t memory[4], const void *key,
                                    const void *caller, uint32_t weight_256);

/* A bursty_pace_fn; user is the burstclock. A phase of `checks` checks has ended in which profiles
   were in a burst or none was; shares is 2^20 times the sum of burst length by gap.
   Returns 2^16 times the factor for the gaps. */
BURSTCLOCK_API uint64_t burstclock_pace(void *user, uint64_t memory[4], int was_burst,
                                        uint64_t checks, uint64_t shares);

#if defined(BURSTY_H) && !defined(BURSTY_OFF) && !defined(BURSTY_TINY)
/* A bursty_action; user is the burstclock. */
BURSTCLOCK_API void burstclock_event(void *user, const bursty_event *event);
#elif defined(BURSTY_H)
BURSTCLOCK_P_UNUSED static void burstclock_event(void *user, const bursty_event *event) {
    (void)user;
    (void)event;
}
#endif

#ifdef __cplusplus
}
#endif
#endif /* BURSTCLOCK_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(BURSTCLOCK_IMPLEMENTATION) && !defined(BURSTCLOCK_IMPLEMENTED)
#define BURSTCLOCK_IMPLEMENTED

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#if defined(__GNUC__) || defined(__clang__)
#define BURSTCLOCK_P_GET(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define BURSTCLOCK_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#else
#define BURSTCLOCK_P_GET(p) (*(p))
#define BURSTCLOCK_P_PUT(p, v) ((void)(*(p) = (v)))
#endif

BURSTCLOCK_API int burstclock_init(burstclock *c, burstclock_clock clock, void *clock_user,
                                   burstclock_charge charge, void *charge_user) {
    uint64_t a, b;
    int i;
    c->clock = clock;
    c->clock_user = clock_user;
    c->charge = charge;
#if defined(BURSTY_H) && (!defined(BURSTY_TINY) || defined(BURSTY_OFF))
    if (!charge) c->charge = bursty_charge;
#endif
    c->charge_user = charge_user;
    if (!clock || !c->charge) return -1;
    c->budget_ppm = c->dropped = 0;
    c->cost = UINT64_MAX;
    for (i = 0; i < 64; i++) { /* what a reading costs: the least of 64 tries */
        a = clock(clock_user);
        b = clock(clock_user);
        if (b >= a && b - a < c->cost) c->cost = b - a;
    }
    if (c->cost == UINT64_MAX) c->cost = 0;
    for (i = 0; i < 128; i++) c->usual[i].key = c->usual[i].mean_16 = 0;
    return 0;
}

/* A mean that moves by an eighth of the difference. A value above 4 times the mean counts as 4
   times the mean, so that a preemption does little harm. */
static uint64_t burstclock_p_mean(uint64_t mean, uint64_t value) {
    if (mean == 0) return value;
    if (value > 4 * mean) value = 4 * mean;
    return value > mean ? mean + (value - mean + 7) / 8 : mean - (mean - value) / 8;
}

static uint64_t burstclock_p_clip(uint64_t value, uint64_t least, uint64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* ---- times ---------------------------------------------------------------------------------- */

/* Is the interval much longer than those of this key before it? The table remembers one key for
   each value of a hash; a key that takes the place of another is new. */
static int burstclock_p_unusual(burstclock *c, uintptr_t key, uint64_t elapsed) {
    uint32_t name = (uint32_t)(key >> 3) * UINT32_C(0x9E3779B1) | 1, at = name >> 25, mean;
    uint64_t value = burstclock_p_clip(elapsed, 1, UINT32_C(0x01FFFFFF)) * 16;
    int unusual;
    mean = BURSTCLOCK_P_GET(&c->usual[at].mean_16);
    if (BURSTCLOCK_P_GET(&c->usual[at].key) != name) mean = 0;
    unusual = mean != 0 && value / 64 > mean;
    BURSTCLOCK_P_PUT(&c->usual[at].key, name);
    BURSTCLOCK_P_PUT(&c->usual[at].mean_16,
                     (uint32_t)burstclock_p_clip(burstclock_p_mean(mean, value), 1, UINT32_MAX));
    return unusual;
}

BURSTCLOCK_API void burstclock_mark(burstclock *c, uint64_t memory[4], const void *key,
                                    const void *caller, uint32_t weight_256) {
    const void *last = (const void *)(uintptr_t)memory[0];
    uint64_t now = c->clock(c->clock_user), elapsed = now - memory[2];
    if (last && now > memory[2] && elapsed > c->cost) {
        elapsed = burstclock_p_clip(elapsed - c->cost, 0, (UINT64_C(1) << 39) - 1);
        if (burstclock_p_unusual(c, (uintptr_t)last, elapsed)) {
            uint32_t dropped = BURSTCLOCK_P_GET(&c->dropped);
            if (dropped != UINT32_MAX) BURSTCLOCK_P_PUT(&c->dropped, dropped + 1);
        } else {
            elapsed = elapsed >> 32 ? (elapsed >> 8) * weight_256 : elapsed * weight_256 >> 8;
            c->charge(c->charge_user, last, (const void *)(uintptr_t)memory[1], elapsed);
        }
    }
    memory[0] = (uintptr_t)key;
    memory[1] = (uintptr_t)caller;
    memory[2] = c->clock(c->clock_user);
}

#if defined(BURSTY_H) && !defined(BURSTY_OFF) && !defined(BURSTY_TINY)
/* The time between two events of one burst belongs to a site and its caller:

       main {   a {    loop   point  }      p   }
       BEGIN   CALL a  BACK.  USER  RETURN a  USER  END
       |  main |   a   |  a   |  a  |  main  | main |        the innermost scope around the moment
       outside of all scopes the time belongs to the point that was seen last

     an event outside of all scopes, or the entry of a scope   the event's own site
     the return of a scope, or a point inside a scope          the innermost scope around it

   Between BEGIN and the first event it is the innermost scope of the moment. In a gap no time runs.
   (The call itself may lie in an earlier, unsampled interval.) */

/* The innermost of depth scopes; NULL outside of all, and beyond the stack. */
static const bursty_site *burstclock_p_scope(const bursty_event *e, uint32_t depth) {
    if (depth == 0 || depth > BURSTY_STACK || !e->stack) return NULL;
    return e->stack[depth - 1];
}

BURSTCLOCK_API void burstclock_event(void *user, const bursty_event *e) {
    burstclock *c = (burstclock *)user;
    const bursty_site *scope = burstclock_p_scope(e, e->depth), *site = e->site;
    uint32_t depth = e->depth;
    if (scope && (e->kind & (BURSTY_CALL | BURSTY_FRAME)) != (BURSTY_CALL | BURSTY_FRAME)) {
        site = scope;
        depth--;
    } else if (e->kind & BURSTY_BEGIN) {
        site = NULL;
    }
    if (e->kind & BURSTY_END) site = NULL;
    burstclock_mark(c, e->memory, site, burstclock_p_scope(e, depth), e->weight_256);
}
#endif

/* ---- the budget ----------------------------------------------------------------------------- */

/*      gap (C checks)          burst (I checks)           gap
   | plain: u per check | u + x per check, 2 clocks |  plain ...
   ^ since              ^ u is updated              ^ x is updated, then C

   u is the time per check between bursts, x what a check costs more in a burst, both as
   burstclock_p_mean. A profile alone spends I x on C u of time. Its share is the budget b when
   C = I (x / (b u) - 1). Several profiles share one factor f: each uses C f.
       f = (x / (b u) - 1) * sum of I / C        b = budget_ppm / 1 000 000
   In the code: memory is { 2^16 f, 256 u, 256 x, since }, most = 16 x / (b u), and shares = 2^20
   times the sum. The factor changes at most by 2 in one step. A phase in which the clock went back
   or jumped (by 2^48) is left out. */

BURSTCLOCK_API uint64_t burstclock_pace(void *user, uint64_t memory[4], int was_burst,
                                        uint64_t checks, uint64_t shares) {
    burstclock *c = (burstclock *)user;
    uint64_t now = c->clock(c->clock_user), elapsed = now - memory[3], goal, most;
    int first = memory[0] == 0;
    if (first) memory[0] = 65536;
    memory[3] = now;
    if (first || checks == 0 || elapsed >> 48 || c->budget_ppm == 0) return memory[0];
    if (!was_burst) {
        memory[1] = burstclock_p_mean(memory[1], elapsed * 256 / checks);
        return memory[0];
    }
    elapsed = elapsed * 256 + 512 * c->cost;
    goal = checks * memory[1];
    memory[2] = burstclock_p_mean(memory[2], elapsed > goal ? (elapsed - goal) / checks : 0);
    if (memory[1] == 0) return memory[0];
    most = UINT64_C(1) << 40;
    if (memory[2] < most) most = memory[2] * 1000000 / c->budget_ppm;
    most = burstclock_p_clip(most * 16 / memory[1], 0, UINT64_C(1) << 32);
    shares = burstclock_p_clip(shares, 0, UINT64_C(1) << 34);
    goal = most > 16 ? (most - 16) * (shares >> 4) / 16 : 0;
    goal = burstclock_p_clip(goal, memory[0] / 2, 2 * memory[0]);
    return memory[0] = burstclock_p_clip(goal, 16, UINT64_C(1) << 46);
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* BURSTCLOCK_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
