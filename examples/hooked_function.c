/* hooked_function.c - how long does each call of one function take? The function is as the compiler made
   it, in this program or in a library without a source. binpatch_hook writes a jump over its entry, and
   tells of each entry and each return at the moment when they happen. Nothing else is changed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* before the first include: binpatch.h wants it */
#endif
#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"
#include <stdio.h>
#include <time.h>

static unsigned long entries, exits;
static double began, longest;

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* On the thread that calls. One thread runs here; with several, `began` would be
   of each thread. */
static void seen(void *user, uint32_t what, const binpatch_frame *frame) {
    (void)user;
    (void)frame; /* the same for an entry and its exit: recursion is told apart by it */
    if (what & BINPATCH_ENTRY) {
        entries++;
        began = now_us();
    } else { /* BINPATCH_EXIT, and BINPATCH_CALL too if it left by a jump */
        double took = now_us() - began;
        exits++;
        if (took > longest) longest = took;
    }
}

static unsigned answer(unsigned n) {
    unsigned i = 0, rounds = n % 97 == 0 ? 2000000 : 2000;
    for (; i < rounds; i++) n = n * 1664525u + 1013904223u;
    return n;
}
static unsigned (*volatile run)(unsigned) = answer; /* so that it is not inlined */

/* The number of the function that begins there, by which the header knows it. */
static uint32_t number_of(uint64_t address) {
    binpatch_function f;
    uint32_t n;
    for (n = 0; binpatch_get_function(n, &f) == 0; n++) {
        if (f.address == address) return n;
    }
    return UINT32_MAX;
}

int main(void) {
    static binpatch_config config;
    uint32_t number;
    unsigned n, sum = 0;
    int reason = 0;
    config.no_patches = 1; /* but what is hooked */
    if (!binpatch_install(&config)) {
        printf("not patched: %s\n", binpatch_reason());
        return 0;
    }
    number = number_of((uint64_t)(uintptr_t)run);
    if (!binpatch_hook(&number, 1, seen, &reason)) {
        printf("not hooked: %s\n", binpatch_reason_text(reason));
        return 0;
    }
    for (n = 1; n <= 300; n++) sum += run(n);
    printf("%lu calls (sum %u), the longest took %.0f us\n", entries, sum, longest);
    return entries == 300 && exits == 300 ? 0 : 1;
}
