/* settings.c - what the others of this folder stand on: what the environment asks of
   hooks/, the seed of this process, and the bodies of hcct.h. It calls none of them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define HCCT_IMPLEMENTATION
#include "recorder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define BASE_P_SLOW RECORDER_HOOK __attribute__((unused)) static
#define BASE_P_DRAWS_SEED
#define BASE_P_ASKS_LINUX
#include "../../../src/part.c" /* what the headers have, too */
#include "../../../src/chance.c"
#include "../../../src/seed.c"
#include "../../../src/sample.c"

/* A number of the environment; `otherwise` if there is none. */
RECORDER_HOOK static uint64_t number_of(const char *variable, uint64_t least, uint64_t most,
                                        uint64_t otherwise) {
    const char *words = getenv(variable);
    uint64_t number = 0;
    const char *at = words;
    if (!words || !*words) return otherwise;
    for (; *at >= '0' && *at <= '9' && number <= most; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
    }
    if (!*at && number >= least && number <= most) return number;
    fprintf(stderr, "hcct: %s: '%s' is not valid: a number from %lu to %lu is wanted\n", variable,
            words, (unsigned long)least, (unsigned long)most);
    return otherwise;
}

uint64_t recorder_period, recorder_burst;
uint32_t recorder_reenable = RECORDER_STATIC, recorder_ticks, recorder_seed;
static uint32_t seed_is;

RECORDER_HOOK void recorder_take_seed(uint32_t seed) {
    seed_is = seed ? BASE_P_SEED_GIVEN : BASE_P_SEED_DRAWN;
    recorder_seed = seed ? seed : base_p_draw_seed();
}

RECORDER_HOOK void recorder_seed_child(void) {
    recorder_seed = base_p_mix(recorder_seed, base_p_process());
    seed_is = BASE_P_SEED_DRAWN;
}

/* The image is that of the program: its program headers follow the ELF header. */
RECORDER_HOOK int recorder_write_sample(hcct_write_fn write, void *user) {
    const uint32_t sample[3] = {recorder_seed, seed_is, 0};
    uintptr_t image = (uintptr_t)getauxval(AT_PHDR) & ~(uintptr_t)4095;
    return base_p_write_sample(sample, base_p_build_of((const unsigned char *)image),
                               recorder_program(), write, user);
}

RECORDER_HOOK void recorder_options(void) {
    uint64_t every;
    recorder_take_seed((uint32_t)number_of("BURSTY_SEED", 0, UINT32_MAX, 0));
    recorder_burst = number_of("BURSTY_CONTEXTS_BURST", 1, 1 << 30, 100);
    recorder_ticks = (uint32_t)number_of("BURSTY_CONTEXTS_TICKS", 1, 10000, 0);
    every = number_of("BURSTY_CONTEXTS_EVERY", 0, 1 << 30, recorder_ticks ? RECORDER_NEVER : 0);
    recorder_reenable = (uint32_t)number_of("BURSTY_CONTEXTS_REENABLE", 0, 1 << 20,
                                            recorder_reenable);
    recorder_period = every == 0 || every == RECORDER_NEVER ? every : every + recorder_burst;
    if (!recorder_period) recorder_reenable = RECORDER_STATIC;
}
