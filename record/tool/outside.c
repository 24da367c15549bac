/* outside.c - what the files of this folder share: the state of the events, the
   clock of their records, and chance. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include <time.h>

events_state events;

uint64_t events_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t random_state;

static double draw(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

double events_draw(void) {
    struct timespec t;
    int n;
    if (!random_state) {
        clock_gettime(CLOCK_REALTIME, &t);
        random_state = ((uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec) | 1;
        for (n = 0; n < 16; n++) (void)draw();
    }
    return draw();
}
#endif
