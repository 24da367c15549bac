/* ticks_forty.c - a program of which is known where it spends its time: 40 % of
   the steps of one loop are in forty, 60 % in sixty, a third of those in its
   callee. For bench/ticks.sh. */
#include "ticks_start.h"

static volatile unsigned sink;

#define STEPS(n) for (unsigned i = 0; i < (n); i++) sink = sink * 1664525u + 1013904223u

static void forty(void) {
    BURST_SCOPE("forty");
    STEPS(40000);
}
static void twenty(void) {
    BURST_SCOPE("twenty");
    STEPS(20000);
}
static void sixty(void) {
    BURST_SCOPE("sixty");
    STEPS(20000);
    twenty();
    STEPS(20000);
}
static void frame(void) {
    BURST_SCOPE("frame");
    forty();
    sixty();
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 10000;
    ticks_bench_start();
    while (n-- > 0) frame();
    return 0;
}
