/* fleet.c - the dumps of a day: fleet FOLDER COUNT writes
   FOLDER/machine-N.brst, each of a server that has answered other requests than
   the others. Two hundred functions, two threads. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sink;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A layer of the server: it calls the one below as often as its number says. */
#define LAYER(name, below) \
    static void name(unsigned *r) { \
        unsigned n = next_random(r) % 3; \
        BURST_SCOPE(#name); \
        sink += n; \
        while (n-- > 0) below(r); \
        BURST_LEAVE(); \
    }
static void leaf(unsigned *r) {
    BURST_SCOPE("leaf");
    sink += next_random(r);
    BURST_LEAVE();
}
#define REQUEST(n) \
    LAYER(disk_##n, leaf) LAYER(cache_##n, disk_##n) LAYER(query_##n, cache_##n) \
    LAYER(parse_##n, query_##n) LAYER(answer_##n, parse_##n)
#define TEN(n) REQUEST(n##0) REQUEST(n##1) REQUEST(n##2) REQUEST(n##3) REQUEST(n##4) \
    REQUEST(n##5) REQUEST(n##6) REQUEST(n##7) REQUEST(n##8) REQUEST(n##9)
TEN(1) TEN(2) TEN(3) TEN(4)

#define NAMES(n) answer_##n##0, answer_##n##1, answer_##n##2, answer_##n##3, answer_##n##4, \
    answer_##n##5, answer_##n##6, answer_##n##7, answer_##n##8, answer_##n##9
static void (*const answers[])(unsigned *) = {NAMES(1), NAMES(2), NAMES(3), NAMES(4)};

/* A machine sees few kinds of requests often and the others seldom. */
static void *serve(void *seed) {
    unsigned r = *(unsigned *)seed, favourite = next_random(&r) % 40, i;
    for (i = 0; i < 300; i++) {
        unsigned which = next_random(&r) % 4 ? (favourite + next_random(&r) % 6) % 40
                                             : next_random(&r) % 40;
        answers[which](&r);
    }
    return NULL;
}

int main(int argc, char **argv) {
    static bursty_config config;
    int count = argc > 2 ? atoi(argv[2]) : 0, i;
    if (count < 1) {
        fprintf(stderr, "fleet: FOLDER COUNT\n");
        return 2;
    }
    config.profile.every = 9;
    config.profile.burst = 3;
    config.program = "server";
    config.tick_hz = -1; /* the same dumps in every run */
    if (bursty_start(&config) == 0) return 1;
    for (i = 1; i <= count; i++) {
        char path[4096];
        pthread_t thread;
        unsigned mine = (unsigned)i * 2654435761u, other = mine + 1;
        bursty_clear();
        if (pthread_create(&thread, NULL, serve, &other) != 0) return 1;
        serve(&mine);
        pthread_join(thread, NULL);
        snprintf(path, sizeof path, "%s/machine-%d.brst", argv[1], i);
        if (bursty_save(path) != 0) return 1;
    }
    return 0;
}
