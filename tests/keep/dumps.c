/* dumps.c FILE - a program whose dump must be the same with checks in assembly
   and in C: functions and loops, three profiles that come and go, also in
   bursts of others, and a scope around them. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <string.h>

static int tree(int n) {
    BURST_ENTRY();
    return n < 2 ? n : tree(n - 1) + tree(n - 2);
}

static long rows(long n) {
    long i, sum = 0;
    for (i = 0; i < n; i++) {
        BURST_LOOP();
        sum += tree((int)(i % 12));
    }
    return sum;
}

static long scopes(int round) {
    BURST_SCOPE("scopes");
    return rows(round % 40) + tree(round % 7);
}

static void seen(void *user, const bursty_event *event) { *(long *)user += (long)event->burst; }

int main(int count, char **words) {
    bursty_profile dense, second, third;
    bursty_config config;
    long bursts = 0;
    long sum = 0;
    int round;
    memset(&dense, 0, sizeof dense);
    dense.every = 90;
    dense.jitter = -1;
    memset(&second, 0, sizeof second);
    second.every = 333;
    second.burst = 7;
    second.classes = BURSTY_BACKEDGE;
    memset(&third, 0, sizeof third);
    third.every = third.burst = 50;
    third.action = seen;
    third.user = &bursts;
    memset(&config, 0, sizeof config);
    config.seed = 1;
    config.tick_hz = -1; /* ticks differ from run to run */
    if (count != 2 || bursty_start(&config) == 0) return 1;
    for (round = 0; round < 2000; round++) {
        sum += scopes(round);
        if (round % 4 < 2) bursty_set_profile(2, round % 4 ? NULL : &third);
        if (round % 500 != 250) continue;
        bursty_set_profile(0, NULL);
        bursty_set_profile(1, round % 1000 == 250 ? &second : NULL);
        if (round % 1000 != 250) bursty_set_profile(0, &dense);
    }
    return bursty_save(words[1]) != 0 || sum == 0 || bursts == 0;
}
