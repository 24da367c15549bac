/* share.c - a function of 3 ns must get its share of the ticks. The program
   alternates between calls of it and other work, and reads its own CPU time at
   the borders: that is the truth, with the loop and the calls around the
   function, which are a part of it. It waits for ticks, not for time. Prints
   "N passed, N failed". Exit status 3: nothing ticks here.

   The interval of bursty_top is one of 95 %, two deviations to each side. It
   is asked here with 5.2 of them, outside of which a right share is once in
   five million runs. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>

#if !defined(BURSTY_P_READS_CODE) || !defined(BURSTY_P_KEEP_SCOPES)
int main(void) { return 3; }
#else
#include <time.h>

static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
#define STEP(x) \
    x = x * UINT64_C(6364136223846793005) + 1; \
    __asm__ __volatile__("" : "+r"(x))
__attribute__((noinline)) static uint64_t small(uint64_t x) {
    BURST_SCOPE("small");
    STEP(x);
    STEP(x);
    return x;
}
__attribute__((noinline)) static uint64_t other(uint64_t x, int n) {
    int i;
    BURST_SCOPE("other");
    for (i = 0; i < n; i++) { STEP(x); }
    return x;
}

int main(void) {
    bursty_config config;
    bursty_stats stats;
    bursty_top_row rows[4];
    uint64_t in_small = 0, in_other = 0, x = 1, t, u;
    size_t count, k;
    double share = -1, low = 0, high = 0, truth;
    int i, is_right;
    memset(&config, 0, sizeof config);
    config.tick_hz = 1000; /* the system gives fewer */
    config.profile.off = 1;
    if (bursty_start(&config) == 0) return 1;
    {
        BURST_SCOPE("loop");
        do {
            /* Ticks come each 4 ms: rounds of one length would keep step. */
            const int rounds = (int)(x >> 40) % 1000000 + 500000;
            t = cpu_ns();
            for (i = 0; i < rounds; i++) x = small(x);
            u = cpu_ns();
            x = other(x, (int)(x >> 40) % 2000000 + 1000000);
            in_small += u - t;
            in_other += cpu_ns() - u;
            bursty_get_stats(&stats);
            if (stats.no_time) return 3;
        } while (stats.ticks < 600 && in_other < UINT64_C(20000000000));
    }
    if (stats.ticks < 600) return 3;
    count = bursty_top(rows, 4);
    for (k = 0; k < count; k++) {
        if (strcmp(rows[k].site->name, "small") != 0) continue;
        share = rows[k].self_ppm.value / 1e4;
        low = rows[k].self_ppm.low / 1e4;
        high = rows[k].self_ppm.high / 1e4;
    }
    truth = 100.0 * (double)in_small / (double)(in_small + in_other);
    /* A fifth of the truth may be the loop's. */
    is_right = share > 0 && low < share && share < high && high < 70 &&
               share + 5.2 / 2 * (high - share) > 0.8 * truth &&
               share - 5.2 / 2 * (share - low) < truth;
    printf("%.1f %% by ticks (%.1f to %.1f), %.1f %% with the loop around it; %lu ticks, %lu\n", share,
           low, high, truth, (unsigned long)stats.ticks, (unsigned long)(x & 1));
    printf("%d passed, %d failed\n", is_right, !is_right);
    return !is_right;
}
#endif
