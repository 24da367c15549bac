/* ticks_start.h - for the programs of bench/ticks.sh: starts ticks and leaves a dump at the end.
   TICKS=off: bursty.h alone. TICKS=MICROSECONDS: the time between two ticks. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define TICKS_MEMORY 1048576
#include <stdlib.h>
#include <string.h>

static void ticks_bench_end(void) {
    const char *path = getenv("TICKS_DUMP");
    if (path && bursty_save(path) != 0) abort();
}

static void ticks_bench_start(void) {
    static ticks_config config;
    const char *how = getenv("TICKS");
    if (how) config.period_us = (uint32_t)strtoul(how, NULL, 10);
    if (how && strcmp(how, "off") == 0) {
        if (bursty_start(NULL) == 0) abort();
    } else if (ticks_start(&config) != 0) abort();
    atexit(ticks_bench_end);
}
