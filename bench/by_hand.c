/* by_hand.c - the main function for the programs of by_hand.sh, whose own one is PROGRAM.

     EVERY, BURST     checks between bursts and of a burst; EVERY 0: one burst that never ends;
                      without EVERY bursty.h is not started
     STREAMS=FILE     hot data streams go there
     DUMP=FILE        counts go there, without time
     SEED             of the bursts; without it one is drawn */
#define BURSTY_IMPLEMENTATION
#include "by_hand.h"
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int PROGRAM(int, char **);
unsigned long by_hand_ran[16384];

static int put(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) != size;
}

int main(int count, char **arguments) {
    static uint64_t memory[1 << 26]; /* pages are touched when they are needed */
    static char name[HOTSTREAM_NAME_BYTES];
    static hotstream h;
    const char *every = getenv("EVERY"), *burst = getenv("BURST"), *streams = getenv("STREAMS");
    bursty_config config;
    bursty_profile both; /* of streams, beside the counts */
    int status, line;
    FILE *f;
    memset(&config, 0, sizeof config);
    config.tick_hz = -1;
    if (getenv("SEED")) config.seed = (uint32_t)atoi(getenv("SEED"));
    if (every) config.profile.every = atoi(every) ? (uint32_t)atoi(every) : BURSTY_ALWAYS;
    if (burst) config.profile.burst = (uint32_t)atoi(burst);
    both = config.profile;
    if (streams && hotstream_init(&h, memory, sizeof memory, NULL)) {
        hotstream_attach(&h, getenv("DUMP") ? &both : &config.profile);
    }
    if (every) bursty_start(&config);
    if (streams && getenv("DUMP")) bursty_set_profile(1, &both);
    status = PROGRAM(count, arguments);
    for (line = 0; line < 16384; line++) {
        if (by_hand_ran[line]) fprintf(stderr, "%d %lu\n", line, by_hand_ran[line]);
    }
    if (streams) {
        f = fopen(streams, "wb");
        if (!f || hotstream_write(&h, "by hand", hotstream_site_name, name, put, f) != 0 || fclose(f) != 0) return 1;
    }
    if (every && getenv("DUMP")) {
        bursty_save(getenv("DUMP"));
    }
    return status;
}
