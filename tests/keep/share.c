/* share.c - a function of 3 ns must get each tick that meets it. A handler of
   our own stands before bursty's and looks at the instruction that the tick has
   interrupted: that is the truth, signal by signal (how many ticks it is bursty
   says), and no luck is in it. In the
   function's first and last instructions its scope is not on the stack: 600
   ticks are 150 looks of the kernel, and each eleventh is there. A tool that
   takes no notice of that would pass once in a million runs. Prints "N passed, N
   failed". Exit status 3: nothing ticks here. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>

#if !defined(BURSTY_P_READS_CODE) || !defined(BURSTY_P_KEEP_SCOPES) || !defined(BURSTY_P_TIMERS)
int main(void) { return 3; }
#else
#include <signal.h>
#include <ucontext.h>

#define STEP(x) \
    x = x * UINT64_C(6364136223846793005) + 1; \
    __asm__ __volatile__("" : "+r"(x))
__attribute__((noinline, section("smalltext"))) static uint64_t small(uint64_t x) {
    BURST_SCOPE("small");
    STEP(x);
    STEP(x);
    return x;
}
extern const char __start_smalltext[], __stop_smalltext[]; /* the linker's */
__attribute__((noinline)) static uint64_t other(uint64_t x, int n) {
    int i;
    BURST_SCOPE("other");
    for (i = 0; i < n; i++) { STEP(x); }
    return x;
}

static struct sigaction bursty;
static volatile uint64_t met_small, met;
static uint64_t counted(void) {
    bursty_stats stats;
    bursty_get_stats(&stats); /* no lock */
    return stats.ticks;
}
static void look(int number, siginfo_t *info, void *context) {
    const ucontext_t *u = (const ucontext_t *)context;
    uintptr_t at = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    uint64_t n = counted();
    bursty.sa_sigaction(number, info, context);
    n = counted() - n;
    met += n;
    if (at >= (uintptr_t)__start_smalltext && at < (uintptr_t)__stop_smalltext) met_small += n;
}

int main(void) {
    bursty_config config;
    bursty_stats stats;
    bursty_top_row rows[4];
    struct sigaction own;
    uint64_t x = 1, ticks = 0, turns = 0;
    size_t count, k;
    int i, is_right;

    memset(&config, 0, sizeof config);
    config.seed = 1;
    config.tick_hz = 1000; /* the system gives fewer */
    config.profile.off = 1;
    if (bursty_start(&config) == 0) return 1;
    if (!bursty_p_tick_signal || sigaction(bursty_p_tick_signal, NULL, &bursty) != 0) return 3;
    own = bursty;
    own.sa_sigaction = look;
    sigaction(bursty_p_tick_signal, &own, NULL);
    {
        BURST_SCOPE("loop");
        do {
            /* Ticks come each 4 ms: rounds of one length would keep step. */
            const int rounds = (int)(x >> 40) % 1000000 + 500000;
            for (i = 0; i < rounds; i++) x = small(x);
            x = other(x, (int)(x >> 40) % 2000000 + 1000000);
            bursty_get_stats(&stats);
            if (stats.no_time) return 3;
        } while (stats.ticks < 600 && ++turns < 4000);
    }
    if (stats.ticks < 600) return 3;
    bursty_stop();
    count = bursty_top(rows, 4);
    for (k = 0; k < count; k++) {
        if (strcmp(rows[k].site->name, "small") == 0) ticks = rows[k].ticks;
    }
    is_right = ticks > 0 && ticks == met_small;
    printf("%lu ticks by bursty, %lu of %lu by our handler, %lu\n", (unsigned long)ticks,
           (unsigned long)met_small, (unsigned long)met, (unsigned long)(x & 1));
    printf("%d passed, %d failed\n", is_right, !is_right);
    return !is_right;
}
#endif
