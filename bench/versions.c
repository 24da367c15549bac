/* versions.c - one operation of a header, as often as the argument says: compiled with the headers of
   two versions and run with n and 2 n, so that a counter of instructions tells what one operation
   takes (versions.sh). What both versions have is used as both have it. */
#define BURSTY_IMPLEMENTATION
#define BURSTY_NO_TIMERS
#define HCCT_IMPLEMENTATION
#define HCCT_STATIC
#define FOOTPRINT_IMPLEMENTATION
#define FOOTPRINT_STATIC
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "bursty.h"
#if defined(WITH_HCCT)
#include "hcct.h"
#elif defined(WITH_FOOTPRINT)
#include "footprint.h"
#endif
#ifdef BEFORE
#define BURST_ENTRY BURST_HERE
#endif
#define APART __attribute__((noinline, noclone))

static volatile uint32_t sink;
static uint64_t memory[1 << 21];
static uint32_t seed = 1;

APART static uint32_t next(void) { return (seed = seed * 1664525u + 1013904223u) >> 8; }

APART static void plain(uint32_t n) { sink = n; }
APART static void entry(uint32_t n) {
    BURST_ENTRY();
    sink = n;
}
APART static void scope(uint32_t n) {
    BURST_SCOPE("scope");
    sink = n;
}
APART static void plain_loop(uint32_t n) {
    while (n-- > 0) sink = n;
}
APART static void loop(uint32_t n) {
    while (n-- > 0) {
        BURST_LOOP();
        sink = n;
    }
}

#if defined(WITH_HCCT)
/* Calls 20 deep at most of 1000 functions: few hot paths, and many that are rare. */
static void contexts(uint32_t n, uint32_t bytes) {
    static hcct tree;
    uint32_t depth = 0;
    if (hcct_init(&tree, memory, bytes, NULL) == 0) exit(1);
    while (n > 0) {
        uint32_t r = next();
        if (depth < 20 && (r & 1)) {
            hcct_enter(&tree, 1 + (r & 6 ? r >> 3 & 3 : (r >> 3) % 1000), 1);
            depth++;
            n--;
        } else if (depth > 0) {
            hcct_leave(&tree);
            depth--;
        }
    }
}
#elif defined(WITH_FOOTPRINT)
static void accesses(uint32_t n, uint32_t blocks) {
    static footprint fp;
    if (footprint_init(&fp, memory, sizeof memory, NULL) == 0) exit(1);
    while (n-- > 0) footprint_access(&fp, next() % blocks);
}
#endif

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[1] : "";
    uint32_t i, n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (!strncmp(what, "sampled", 7) && !bursty_start(NULL)) return 1;
    if (!strcmp(what, "call")) for (i = 0; i < n; i++) plain(i);
    else if (!strcmp(what, "loop")) plain_loop(n);
    else if (!strcmp(what, "entry") || !strcmp(what, "sampled entry")) for (i = 0; i < n; i++) entry(i);
    else if (!strcmp(what, "scope") || !strcmp(what, "sampled scope")) for (i = 0; i < n; i++) scope(i);
    else if (!strcmp(what, "check loop") || !strcmp(what, "sampled loop")) loop(n);
    else if (!strcmp(what, "random")) for (i = 0; i < n; i++) sink = next();
#if defined(WITH_HCCT)
    else if (!strcmp(what, "contexts")) contexts(n, sizeof memory);
    else if (!strcmp(what, "few contexts")) contexts(n, 65536);
#elif defined(WITH_FOOTPRINT)
    else if (!strcmp(what, "accesses")) accesses(n, 10000);
    else if (!strcmp(what, "far accesses")) accesses(n, 400000);
#endif
    else return 2;
    return 0;
}
