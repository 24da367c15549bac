/* ticks_overhead.c SECONDS FRAMES - what ticks cost, for bench/ticks.sh. One
   process does the same work again and again, three times a round in an order
   drawn at random: twice without ticks and once with them. So all three meet
   the same machine, addresses and caches. Prints for each round the CPU time
   (user and system, ns) without ticks, without them again, and with them; then
   how many ticks came. $TICKS is the time between two ticks in us, 10000 by
   default. */
#include "ticks_start.h"
#include <stdio.h>
#include <time.h>

static volatile unsigned sink;

#define STEPS(n) for (unsigned i = 0; i < (n); i++) sink = sink * 1664525u + 1013904223u

static void forty(void) {
    BURST_SCOPE("forty");
    STEPS(40000);
}
static void sixty(void) {
    BURST_SCOPE("sixty");
    STEPS(60000);
}
static void frame(void) {
    BURST_SCOPE("frame");
    forty();
    sixty();
}

static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* All three start and stop, so that what that leaves in the caches is alike. */
static uint64_t measure(int has_ticks, long frames, uint64_t *ticks) {
    static bursty_config config;
    bursty_stats stats;
    uint64_t from, to;
    config.tick_hz = ticks_bench_hz();
    if (bursty_start(&config) == 0) abort();
    if (!has_ticks) bursty_p_end_time();
    frame();
    from = cpu_ns();
    while (frames-- > 0) frame();
    to = cpu_ns();
    bursty_get_stats(&stats);
    bursty_stop();
    *ticks = stats.ticks;
    return to - from;
}

int main(int argc, char **argv) {
    time_t end = time(NULL) + (argc > 1 ? atol(argv[1]) : 10);
    long frames = argc > 2 ? atol(argv[2]) : 500;
    uint32_t random = 1;
    do {
        uint64_t ns[3], ticks[3];
        uint32_t first, step, k;
        random = random * 1664525u + 1013904223u;
        first = (random >> 16) % 3;
        step = 1 + (random >> 30 & 1);
        for (k = 0; k < 3; k++) {
            uint32_t arm = (first + k * step) % 3;
            ns[arm] = measure(arm == 2, frames, &ticks[arm]);
        }
        printf("%llu %llu %llu %llu\n", (unsigned long long)ns[0], (unsigned long long)ns[1],
               (unsigned long long)ns[2], (unsigned long long)ticks[2]);
        fflush(stdout);
    } while (time(NULL) < end);
    return 0;
}
