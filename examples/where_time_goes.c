/* where_time_goes.c - "where does the time go, and how sure is that?" On Linux a timer interrupts
   each thread a hundred times in a second of its CPU time and charges the innermost scope; on
   Windows and macOS another thread looks which scope that is. Nothing of it is on a path of the
   program. Afterwards: bursty report where_time_goes.brst

   Elsewhere set config.tick_hz and call bursty_tick(1) so often, from a timer of your own. Here the
   work itself does it. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>

static volatile unsigned sink;
static int by_hand; /* nothing else ticks here */

static void work(unsigned n) {
    while (n-- > 0) {
        sink = sink * 1664525u + 1013904223u;
        if (by_hand && n % 10000 == 0) bursty_tick(1);
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
    static bursty_config config;
    bursty_stats stats;
    int i;
    bursty_start(NULL);
    bursty_get_stats(&stats);
    if (stats.no_time) {
        by_hand = 1;
        config.tick_hz = 1000;
        bursty_start(&config);
    }
    for (i = 0; i < 3000; i++) frame();
    bursty_get_stats(&stats);
    printf("%.0f ticks in %u paths%s\n", (double)stats.ticks, (unsigned)stats.paths,
           by_hand ? ", none of a timer" : "");
    return bursty_save("where_time_goes.brst") != 0;
}
