/* through.c - C functions that a C++ exception passes; see through.cc. */
#include "bursty.h"
double through(double a, int n);
static double __attribute__((noinline)) deeper(double a, int n) {
    double sum = a;
    BURST_ENTRY();
    for (; n > 1; n--) {
        BURST_LOOP();
        sum += a;
    }
    return sum;
}
double through(double a, int n) { return deeper(a, n + 0) + 0; }
