// shared_a.cc - one half of a program or shared object. Prints "N passed, N failed".
#include "whole.h"
#include "shared.hpp"
#include <cstdio>
#include <cstring>

int counted::alive;
static int passed, failed, seen;
static void expect(bool condition, const char *what, int detail) {
    if (condition) passed++;
    else { failed++; std::printf("FAILED: %s (%d)\n", what, detail); }
}

static void action(void *, const bursty_event *event) {
    (void)event;
    seen++;
}

static void start(uint32_t check, uint32_t burst, bursty_action act) {
    bursty_config config;
    std::memset(&config, 0, sizeof config);
    config.profile.every = check;
    config.profile.burst = burst;
    config.profile.action = act;
    bursty_start(&config);
}

static int work(int n) {
    counted c;
    widget w;
    w.name = "widget of a long name that is on the heap";
    int s = inline_one(n) + plus(n, 2) + int(plus(1.5, 0.25)) + w.twice(n) + w.thrice(n);
    return s + other_file(n);
}

#ifndef __OPTIMIZE__
#define TIMES 200
#else
#define TIMES 2000
#endif

extern "C" __attribute__((visibility("default"))) int keep_test(void);
int keep_test(void) {
    const int plain = work(5);
    start(BURSTY_ALWAYS, 1, action);
    int all = work(5);
    expect(all == plain && seen == 23, "events of all points", seen);
    start(7, 3, action);
    int wrong = 0;
    for (int i = 0; i < TIMES; i++) wrong += work(5) != plain;
    expect(wrong == 0, "results while sampling", wrong);
    expect(counted::alive == 0, "destructors without exceptions", counted::alive);
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
