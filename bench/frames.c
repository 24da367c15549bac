/* frames.c FRAMES TICKS SLOW_US - what bursty_frame costs: FRAMES frames with
   TICKS ticks in each, in one of four stacks of three scopes, and nothing else.
   SLOW_US: the budget, or 0. Prints ns of CPU time a frame. FRAMES below 0: the same
   without frames. bench/frames.sh counts its instructions. */
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <stdlib.h>

static void inner(int ticks, int at) {
    int i;
    if (at & 1) {
        BURST_SCOPE("inner");
        for (i = 0; i < ticks; i++) bursty_tick(1);
        BURST_LEAVE();
    } else {
        BURST_SCOPE("other");
        for (i = 0; i < ticks; i++) bursty_tick(1);
        BURST_LEAVE();
    }
}

static void middle(int ticks, int at) {
    BURST_SCOPE("middle");
    inner(ticks, at);
    BURST_LEAVE();
}

static void outer(int ticks, int at) {
    if (at & 2) {
        BURST_SCOPE("outer");
        middle(ticks, at);
        BURST_LEAVE();
    } else {
        BURST_SCOPE("update");
        middle(ticks, at);
        BURST_LEAVE();
    }
}

int main(int argc, char **argv) {
    static bursty_config config;
    int frames = argc > 1 ? atoi(argv[1]) : 100000, ticks = argc > 2 ? atoi(argv[2]) : 0, i;
    int with_frames = frames > 0;
    uint64_t began;
    if (!with_frames) frames = -frames;
    config.tick_hz = 1; /* ticks by hand; the timer's own come once in a second */
    config.frame_slow_ns = argc > 3 ? (uint64_t)atoi(argv[3]) * 1000 : 0;
    if (!bursty_start(&config)) return 1;
    began = bursty_p_thread_ns(NULL);
    for (i = 0; i < frames; i++) {
        if (with_frames) bursty_frame("frame");
        outer(ticks, i);
    }
    if (with_frames) bursty_frame(NULL);
    if (frames) printf("%.1f\n", (double)(bursty_p_thread_ns(NULL) - began) / frames);
    return 0;
}
