/* hand.h - what the shapes with checks by hand share. argv is UNIT FILE; the
   implementation is in an object that all share. EVERY is the gap of the first
   profile, and the seed is fixed: the same run again gives the same dump. */
#ifndef HAND_H
#define HAND_H
#include "bursty.h"
#include "world.h"
#include <string.h>

static inline void begin(uint32_t every, uint32_t burst, uint32_t seed, int ticks) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.seed = seed;
    config.profile.every = every;
    config.profile.burst = burst;
    config.tick_hz = ticks;
    bursty_start(&config);
}

static inline int end(int argc, char **argv) {
    puts("done");
    return argc > 2 && bursty_save(argv[2]) != 0;
}
#endif
