/* hooked_function.c - how long does each call of one function take? The function is as the compiler made
   it, in this program or in a library without a source. binpatch_hook writes a jump over its entry, and
   tells of each entry and each return at the moment when they happen. Nothing else is changed. */
#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"
#include <stdio.h>
#include <time.h>

static uint64_t memory[2048];
static unsigned long exits;
static clock_t began, longest;

/* On the thread that calls. One thread runs here, and the function does not call itself. */
static void entered(void *user, const binpatch_call *call) {
    (void)user;
    (void)call; /* who calls, with which arguments */
    began = clock();
}
static void left(void *user, const binpatch_call *call) {
    (void)user;
    (void)call; /* and the result */
    exits++;
    if (clock() - began > longest) longest = clock() - began;
}

static unsigned answer(unsigned n) {
    unsigned i = 0, rounds = n % 97 == 0 ? 2000000 : 2000;
    for (; i < rounds; i++) n = n * 1664525u + 1013904223u;
    return n;
}
static unsigned (*volatile run)(unsigned) = answer; /* so that it is not inlined */

int main(void) {
    binpatch_watch watch = {0, 0, entered, left, NULL};
    unsigned n, sum = 0;
    int hook;
    watch.function = (uintptr_t)run;
    (void)binpatch_init(memory, sizeof memory, NULL);
    hook = binpatch_hook(&watch);
    if (hook < 0) {
        printf("not hooked: %s\n", binpatch_reason_text(hook));
        return 0;
    }
    for (n = 1; n <= 300; n++) sum += run(n);
    printf("%lu calls (sum %u), the longest took %.0f us\n", exits, sum,
           (double)longest * 1e6 / CLOCKS_PER_SEC);
    return exits == 300 ? 0 : 1;
}
