/* frames_game.c SEED FRAMES DUMP [SHORTER HZ] - a game with two hitches at random and real
   timers, for bench/frames_game.sh: 4 ms of updating and 2 ms of drawing; one
   frame of 25 collects 6 to 12 ms, one of 40 loads 3 ms. Its frames are
   measured by the thread's CPU time, so that other work on the machine makes
   none of them slow. With SHORTER they are measured by the wall clock, all
   durations are so many times shorter, and HZ ticks come in a second. Prints
   what each function takes more in frames above 8 ms: the truth. */
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <stdlib.h>

enum { UPDATE, DRAW, COLLECT, LOAD, CAUSES, SLOW_NS = 8000000 };
static uint64_t spent[CAUSES];
static uint32_t seed, divisor = 1;

static uint32_t below(uint32_t limit) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * limit >> 32);
}

static void run(int cause, uint64_t us) {
    const uint64_t began = bursty_p_thread_ns(NULL);
    uint64_t now = began;
    while (now < began + us * 1000 / divisor) now = bursty_p_thread_ns(NULL);
    spent[cause] += now - began;
}

static void update(void) { BURST_SCOPE("update"); run(UPDATE, 3500 + below(1000)); BURST_LEAVE(); }
static void draw(void) { BURST_SCOPE("draw"); run(DRAW, 1800 + below(400)); BURST_LEAVE(); }
static void collect(void) { BURST_SCOPE("collect"); run(COLLECT, 6000 + below(6000)); BURST_LEAVE(); }
static void load(void) {
    BURST_SCOPE("load");
    run(LOAD, 3000);
    BURST_LEAVE();
}

int main(int argc, char **argv) {
    static const char *const names[CAUSES] = {"update", "draw", "collect", "load"};
    static bursty_config config;
    double sum[2][CAUSES] = {{0}}, count[2] = {0, 0};
    int i, k, frames = argc > 2 ? atoi(argv[2]) : 400;
    seed = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
    config.program = "frames_game";
    config.frame_slow_ns = SLOW_NS;
    if (argc > 5) {
        divisor = (uint32_t)atoi(argv[4]);
        config.tick_hz = atoi(argv[5]);
        config.frame_slow_ns /= divisor;
    } else {
        config.frame_clock = bursty_p_thread_ns;
    }
    if (!bursty_start(&config)) return 1;
    for (i = 0; i < frames; i++) {
        uint64_t ns;
        int is_slow;
        for (k = 0; k < CAUSES; k++) spent[k] = 0;
        bursty_frame("frame");
        ns = bursty_p_frame_ns();
        update();
        if (below(25) == 0) collect();
        if (below(40) == 0) load();
        draw();
        ns = bursty_p_frame_ns() - ns;
        bursty_frame(NULL);
        is_slow = ns > config.frame_slow_ns;
        count[is_slow]++;
        for (k = 0; k < CAUSES; k++) sum[is_slow][k] += (double)spent[k] / 1e6;
    }
    for (k = 0; k < CAUSES; k++)
        printf("%s %.4f\n", names[k], sum[1][k] / count[1] - sum[0][k] / count[0]);
    return argc > 3 && bursty_save(argv[3]) != 0;
}
