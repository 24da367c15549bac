/* coverage_step.c - a frame loop with the same number of checks in each frame:
   ten functions, each called as often as the others.

       coverage_step CHECKS EVERY BURST JITTER SEED FRAMES DUMP */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>

static volatile int sink;
#define FUNCTION(n) \
    __attribute__((noinline)) static void f##n(void) { BURST_SCOPE("f" #n); sink++; }
FUNCTION(0) FUNCTION(1) FUNCTION(2) FUNCTION(3) FUNCTION(4)
FUNCTION(5) FUNCTION(6) FUNCTION(7) FUNCTION(8) FUNCTION(9)

int main(int argc, char **argv) {
    static void (*const call[10])(void) = {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9};
    static bursty_config config;
    int checks, i;
    long frame, frames;
    if (argc != 8) return 2;
    checks = atoi(argv[1]);
    config.profile.every = (uint32_t)atoi(argv[2]);
    config.profile.burst = (uint32_t)atoi(argv[3]);
    config.profile.jitter = atoi(argv[4]);
    config.seed = (uint32_t)atoi(argv[5]);
    config.tick_hz = -1;
    frames = atol(argv[6]);
    if (bursty_start(&config) == 0) return 1;
    for (frame = 0; frame < frames; frame++) {
        for (i = 0; i < checks; i++) call[i * 10 / checks]();
    }
    return bursty_save(argv[7]) != 0;
}
