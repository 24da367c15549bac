/* before_after.c - what recursive fib and a recorded event take, for before_after.py, which builds
   it with this bursty.h and, through before_after.h, with that of version 0.1.0.

   before_after ROUNDS      prints nanoseconds of a call of fib and of an event, as race.h does */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "race.h"
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noipa))
#endif

#ifdef BEFORE
#define POINT(name, value) BURST_POINT(name, value)
#else
#define POINT(name, value) BURST_POINT(BURSTY_USER, name, value)
#endif

enum { FIB_OF = 25, EVENTS = 300000 };

static volatile uint32_t sink;
static uint64_t calls;

ALONE static uint32_t fib_plain(uint32_t n) {
    return n < 2 ? n : fib_plain(n - 1) + fib_plain(n - 2);
}
ALONE static uint32_t fib_entry(uint32_t n) {
    BURST_ENTRY();
    return n < 2 ? n : fib_entry(n - 1) + fib_entry(n - 2);
}
/* Below the exit that half of the calls take. */
ALONE static uint32_t fib_below(uint32_t n) {
    if (n < 2) return n;
    BURST_ENTRY();
    return fib_below(n - 1) + fib_below(n - 2);
}
ALONE static BURST_DUAL(uint32_t, fib_dual, (uint32_t n), (n)) {
    return n < 2 ? n : fib_dual(n - 1) + fib_dual(n - 2);
}

static void sample(uint32_t every) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.profile.every = every;
    config.profile.burst = 1;
    config.profile.off = every == 0;
    bursty_start(&config);
    (void)BURST_CHECK(); /* the thread joins */
}

static uint64_t fib_calls(uint32_t n) {
    return n < 2 ? 1 : 1 + fib_calls(n - 1) + fib_calls(n - 2);
}

static uint64_t run_plain(void) {
    sink += fib_plain(FIB_OF);
    return calls;
}
static uint64_t run_entry(void) {
    sink += fib_entry(FIB_OF);
    return calls;
}
static uint64_t run_below(void) {
    sink += fib_below(FIB_OF);
    return calls;
}
static uint64_t run_dual(void) {
    sink += fib_dual(FIB_OF);
    return calls;
}
static uint64_t run_point(void) {
    int k;
    for (k = 0; k < EVENTS; k++) {
        POINT("point", (uintptr_t)k);
    }
    return EVENTS;
}
static uint64_t run_scope(void) {
    int k;
    for (k = 0; k < EVENTS; k++) {
        BURST_SCOPE("scope");
    }
    return EVENTS;
}

int main(int argc, char **argv) {
    const race_rival fib[] = {{"plain", run_plain},
                              {"entry", run_entry},
                              {"below", run_below},
                              {"dual", run_dual}};
    const race_rival event[] = {{"point", run_point}, {"scope", run_scope}};
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    if (rounds < 1 || rounds > RACE_ROUNDS) return 2;
    calls = fib_calls(FIB_OF);
    sample(0);
    race("fib", fib, 4, rounds);
    sample(BURSTY_ALWAYS);
    race("event", event, 2, rounds);
    return 0;
}
