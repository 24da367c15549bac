/* make_frame_seeds.c DIR KIND FRAMES SEEDS - one dump for each seed of a game
   whose slow frames are slow for what the game says:

       alike   40 functions in each frame; 1 of 20 frames waits. None of the
               functions is to blame
       drift   one function takes 1 to 5 ms and changes slowly, over some 500
               frames; slow frames wait, and come 50 at a time, at any time.
               The function is not to blame
       cause   as drift, and in slow frames collect takes 3 ms. cause1 takes 1 */
#define BURSTY_NO_TIMERS
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t now_ns, cpu_ns, next_ns, state;

static double uniform(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 12) + .5) / 4503599627370496.0;
}
static uint64_t read_clock(void *user) { (void)user; return now_ns; }
static uint64_t read_cpu_clock(void *user) { (void)user; return cpu_ns; }

/* Ticks come after 5 to 15 ms of work. */
static void work(double ms) {
    uint32_t ticks = 0;
    now_ns += (uint64_t)(ms * 1e6);
    cpu_ns += (uint64_t)(ms * 1e6);
    for (; cpu_ns >= next_ns; ticks++) next_ns += (uint64_t)((.5 + uniform()) * 1e7);
    if (ticks) bursty_tick(ticks);
}

#define DEFINE(n) static void part##n(double ms) { BURST_SCOPE("part" #n); work(ms); BURST_LEAVE(); }
#define NAME(n) part##n,
#define TEN(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define FORTY(x) TEN(x, 1) TEN(x, 2) TEN(x, 3) TEN(x, 4)
FORTY(DEFINE)
static void (*const parts[])(double ms) = { FORTY(NAME) };
static void drift(double ms) { BURST_SCOPE("drift"); work(ms); BURST_LEAVE(); }
static void collect(double ms) { BURST_SCOPE("collect"); work(ms); BURST_LEAVE(); }

static int play(const char *file, const char *kind, long frames, uint64_t seed) {
    static uint64_t memory[1 << 19];
    bursty_config config;
    double level = 0, wait, cause = strncmp(kind, "cause", 5) ? 0 : kind[5] ? atof(kind + 5) : 3;
    long i, left = 0;
    int k, status;
    memset(&config, 0, sizeof config);
    config.program = "game";
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.tick_hz = 100;
    config.watch = -1;
    config.frame_clock = read_clock;
    config.frame_cpu_clock = read_cpu_clock;
    config.frame_slow_ns = 20000000;
    state = seed * UINT64_C(0x9E3779B97F4A7C15);
    now_ns = cpu_ns = 1000;
    next_ns = (uint64_t)(uniform() * 1e7);
    if (!bursty_start(&config)) return 1;
    for (i = 0; i < frames; i++) {
        bursty_frame("frame");
        if (!strcmp(kind, "alike")) {
            for (k = 0; k < 40; k++) parts[k](.1 - .1 * log(uniform()));
            wait = uniform() < .05 ? 25 : 1;
        } else {
            level = .998 * level + .045 * (uniform() - .5);
            drift(3 + (level > 0 ? 2 : -2) * (1 - exp(-8 * fabs(level))));
            if (left) left--;
            else if (uniform() < .001) left = 50;
            if (left && cause > 0) collect(cause);
            wait = left ? 25 : 2 + 3 * uniform();
        }
        now_ns += (uint64_t)(wait * 1e6);
    }
    bursty_frame(NULL);
    status = bursty_save(file);
    bursty_stop();
    return status;
}

int main(int argc, char **argv) {
    const int seeds = argc > 4 ? atoi(argv[4]) : 0;
    int seed;
    for (seed = 1; seed <= seeds; seed++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s%d.brst", argv[1], argv[2], seed);
        if (play(name, argv[2], atol(argv[3]), (uint64_t)seed)) return 1;
    }
    return 0;
}
