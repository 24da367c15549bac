// through.cc - an action throws at a point of through.c, which knows nothing of exceptions; the
// caller behind it catches, with the values that it had. Built with BURSTY_PORTABLE.
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <cstdio>

extern "C" double through(double a, int n);
static bool armed;

static void action(void *, const bursty_event *) {
    __asm__ __volatile__("pxor %%xmm0, %%xmm0\npxor %%xmm1, %%xmm1\npxor %%xmm2, %%xmm2"
                         : : : "xmm0", "xmm1", "xmm2");
    if (armed) throw 42;
}

__attribute__((noinline)) static double guarded(double a, double b, int c, int d) {
    double x = a * b;
    int y = c * d;
    try {
        BURST_ENTRY();
        x += through(a, d);
    } catch (int code) {
        bursty_set_depth(0);
        return x + y + code;
    }
    return x;
}

__attribute__((noinline)) static double outside(double a, int n) {
    double x = a * n;
    try {
        x += through(a, n);
    } catch (int code) {
        bursty_set_depth(0);
        return x + code;
    }
    return x;
}

int main() {
    bursty_config config = bursty_config();
    config.profile.every = BURSTY_ALWAYS;
    config.profile.burst = 1;
    config.profile.action = action;
    bursty_start(&config);
    int failed = guarded(2, 3, 4, 5) != 16 || outside(1.5, 4) != 12;
    armed = true;
    for (int i = 0; i < 50; i++) failed += guarded(2, 3, 4, 5) != 68 || outside(1.5, 4) != 48;
    std::printf("%d passed, %d failed\n", 51 - failed, failed);
    return failed != 0;
}
