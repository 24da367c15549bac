/* isr.c - a second context: BURSTY_STATIC gives this file a word, a profile and
   a slow path of its own, so an interrupt that comes between the load and the
   store of the main program's decrement takes nothing away from it. */
#define BURSTY_TINY
#define BURSTY_STATIC
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "board.h"
#include "isr.h"

volatile uint32_t isr_ticks, isr_events, isr_value_sum;

static void seen(void *user, const bursty_event *event) {
    (void)user;
    isr_events++;
    isr_value_sum += (uint32_t)event->value;
}

void isr_start(uint32_t every, uint32_t burst) {
    static bursty_profile profile;
    profile.every = every;
    profile.burst = burst;
    profile.jitter = -1;
    profile.action = seen;
    bursty_set_profile(0, &profile);
}

void board_tick(void) {
    uint32_t i;
    for (i = 0; i < ISR_CHECKS; i++) BURST_POINT(BURSTY_USER, "tick", isr_ticks * ISR_CHECKS + i);
    isr_ticks++;
}
