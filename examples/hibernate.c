/* hibernate.c - a service that runs for months: sampled closely for a short while, then not at all
   for a long one. Within an awake stretch the bursts stand close together, so that sequences can be
   followed; over the day the cost is a fraction of a percent. Weights make up for the sleep: the
   estimates are those of the whole run. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>

static unsigned long served[2];

static void read_page(void) { BURST_ENTRY(); }
static void write_page(void) { BURST_ENTRY(); }

static void serve(unsigned long i) {
    if (i % 10 == 0) {
        write_page();
        served[1]++;
    } else {
        read_page();
        served[0]++;
    }
}

int main(void) {
    bursty_config config;
    bursty_stats stats;
    bursty_top_row rows[2];
    unsigned long i;
    size_t n, k;
    int wrong = 0;
    memset(&config, 0, sizeof config);
    config.tick_hz = -1; /* rows by calls, not by time */
    config.profile.every = 90; /* awake: one check in ten, for 200 bursts ... */
    config.profile.burst = 10;
    config.profile.awake_count = 200;
    /* ... then asleep for the time of 19 800 bursts: so one check in a thousand is recorded. */
    config.profile.hibernate_count = 19800;
    if (bursty_start(&config) == 0) return 1;
    for (i = 0; i < 40000000; i++) serve(i);
    bursty_get_stats(&stats);
    n = bursty_top(rows, 2);
    printf("%.3f %% of %.0f checks were in bursts\n", stats.rate_ppm / 1e4, (double)stats.checks);
    for (k = 0; k < n; k++) {
        int writes = strcmp(rows[k].site->name, "write_page") == 0;
        double estimate = (double)rows[k].calls.value, truth = (double)served[writes];
        printf("%-11s about %.0f times, in truth %.0f\n", rows[k].site->name, estimate, truth);
        wrong += estimate < 0.9 * truth || estimate > 1.1 * truth;
    }
#ifdef BURSTY_OFF
    return wrong || stats.checks != 0;
#else
    return wrong || n != 2 || stats.rate_ppm > 1100;
#endif
}
