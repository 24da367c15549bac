/* where_time_goes.c - "where does the time go, and how sure is that?" A timer interrupts the
   program a hundred times a second of CPU time and charges the innermost scope. Nothing of it is on
   a path of the program. Afterwards: bursty report where_time_goes.brst

   On other systems than Linux call bursty_tick(1) from a timer of your own. Here the work itself
   does it, once for each 10 000 steps. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#if defined(__linux__) && defined(__GNUC__)
#endif
#include <stdio.h>

static volatile unsigned sink;

static void work(unsigned n) {
    while (n-- > 0) {
        sink = sink * 1664525u + 1013904223u;
#ifndef TICKS_TIMERS
        if (n % 10000 == 0) bursty_tick(1);
#endif
    }
}

static void physics(void) {
    BURST_SCOPE("physics");
    work(60000);
    BURST_LEAVE();
}

static void drawing(void) {
    BURST_SCOPE("drawing");
    work(40000);
    BURST_LEAVE();
}

static void frame(void) {
    BURST_SCOPE("frame");
    physics();
    drawing();
    BURST_LEAVE();
}

int main(void) {
    ticks_stats stats;
    int i, failed;
    failed = ticks_start(NULL);
    for (i = 0; i < 3000; i++) frame();
    ticks_get_stats(&stats);
    printf("%.0f ticks in %u paths%s\n", (double)stats.ticks, (unsigned)stats.paths,
           failed ? ", none of a timer" : "");
#ifdef BURSTY_OFF
    return bursty_save("where_time_goes.brst") != 0;
#else
    return bursty_save("where_time_goes.brst") != 0 || (stats.ticks == 0 && !failed);
#endif
}
