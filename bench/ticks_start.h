/* ticks_start.h - for the programs of bench/ticks.sh: starts ticks and leaves a dump at the end.
   TICKS=off: without ticks. TICKS=MICROSECONDS: the time between two ticks. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>
#include <string.h>

static inline void ticks_bench_end(void) {
    const char *path = getenv("TICKS_DUMP");
    if (path && bursty_save(path) != 0) abort();
}

static void ticks_bench_config(bursty_config *config) {
    const char *how = getenv("TICKS");
    unsigned long period_us = how ? strtoul(how, NULL, 10) : 0;
    if (period_us) config->tick_hz = (int32_t)(1000000 / period_us);
    if (how && strcmp(how, "off") == 0) config->tick_hz = -1;
}

static inline void ticks_bench_start(void) {
    static bursty_config config;
    ticks_bench_config(&config);
    if (bursty_start(&config) == 0) abort();
    atexit(ticks_bench_end);
}
