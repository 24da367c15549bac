/* firmware.c - a microcontroller: no libc, no files, 24 bytes of RAM, one byte out at a time. The interrupt would have a context of
   its own: another file with BURSTY_STATIC and BURSTY_TINY. Here uart_put is standard output; tests/firmware runs it on boards. */
#define BURSTY_IMPLEMENTATION
#define BURSTY_TINY
#include "bursty.h"
#include <stdio.h>

static void uart_put(char c) { putchar(c); }

static void seen(void *user, const bursty_event *event) {
    const char *name = event->site->name;
    (void)user;
    while (*name) uart_put(*name++);
    uart_put('\n');
}

static int filter(int sample) { BURST_ENTRY(); return sample / 2; }
static int control(int sample) { BURST_ENTRY(); return filter(sample) + filter(sample + 1); }

int main(void) {
    bursty_profile profile = { 0 };
    int tick, output = 0;
    profile.check_count = 999;
    profile.burst_count = 1;
    profile.action = seen;
    bursty_set_profile(0, &profile);
    for (tick = 0; tick < 5000; tick++) output += control(tick);
    return output == 0;
}
