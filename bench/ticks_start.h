/* ticks_start.h - for the programs of bench/ticks.sh: starts ticks and leaves a
   dump at the end. TICKS=off: counts alone. TICKS=MICROSECONDS: the time
   between two ticks. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>
#include <string.h>

static void ticks_bench_end(void) {
    const char *path = getenv("TICKS_DUMP");
    if (path && bursty_save(path) != 0) abort();
}

/* The hertz that TICKS asks for; 0: the default. */
static int32_t ticks_bench_hz(void) {
    const char *how = getenv("TICKS");
    if (how && strcmp(how, "off") == 0) return -1;
    return how && atol(how) > 0 ? (int32_t)(1000000 / atol(how)) : 0;
}

static void ticks_bench_start(void) {
    static bursty_config config;
    bursty_stats stats;
    config.tick_hz = ticks_bench_hz();
    if (bursty_start(&config) == 0) abort();
    bursty_get_stats(&stats);
    if (stats.no_time > BURSTY_NO_TIME_ASKED) abort();
    atexit(ticks_bench_end);
}
