/* coverage_start.c - starts and saves bursty.h in the programs of
   bench/coverage_intervals.sh.

   COVERAGE="EVERY BURST SEED FILE": checks between bursts (0: all of them
   count), checks in a burst, the seed, the dump. Without it nothing is
   sampled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef COVERAGE_WHOLE /* demo/index has checks and no runtime of its own */
#define BURSTY_IMPLEMENTATION
#endif
#include "bursty.h"

static const char *file;
static uint64_t memory[1 << 17];

static void save(void) {
    if (bursty_save(file) != 0) perror(file);
}

__attribute__((constructor)) static void start(void) {
    const char *given = getenv("COVERAGE");
    bursty_config config;
    char *at;
    unsigned long every;
    if (!given) return;
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    every = strtoul(given, &at, 10);
    config.profile.every = every ? (uint32_t)every : BURSTY_ALWAYS;
    config.profile.burst = (uint32_t)strtoul(at, &at, 10);
    config.seed = (uint32_t)strtoul(at, &at, 10);
    file = at + strspn(at, " ");
    config.program = "coverage";
    if (bursty_start(&config)) atexit(save);
}

#ifdef COVERAGE_WHOLE
#include "demo/profile.h"
void profile_start(void) {}
int profile_end(void) { return 0; }
#endif
