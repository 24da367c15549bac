/* points.c - the least that firmware with points links; run.sh adds up the size
   of what it brought of bursty.h. */
#define BURSTY_TINY
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "board.h"

static void seen(void *user, const bursty_event *event) {
    (void)user;
    board_print(event->site->name);
}

void board_tick(void) { }

int main(void) {
    static bursty_profile profile;
    uint32_t i;
    profile.every = 9;
    profile.burst = 1;
    profile.jitter = -1;
    profile.action = seen;
    if (bursty_set_profile(0, &profile) != 0) board_exit(1);
    for (i = 0; i < 30; i++) BURST_POINT(BURSTY_USER, "x", i);
    board_print("\n");
    board_exit(0);
    return 0;
}
