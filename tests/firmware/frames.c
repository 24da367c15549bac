/* frames.c - a control loop with a deadline: each period is a frame. Each 25th
   period calibrates its sensor, and is late; the dump tells which function did
   it. The timer's interrupt is the clock, and charges the ticks. */
#define BURSTY_NO_TLS
#define BURSTY_STACK 8
#define BURSTY_MEMORY 5120
#define BURSTY_TICKS
#ifndef WITHOUT_FRAMES /* run.sh compares the sizes */
#define BURSTY_FRAMES 1
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "board.h"

enum { PERIODS = 400, LATE = 25, NS_OF_TICK = 10000 };
static volatile uint32_t sink, ticks;
/* The program's own interrupt handler, and its clock. */
void board_tick(void) {
    ticks++;
    bursty_tick(1);
}
static uint64_t clock_ns(void *user) { return (void)user, (uint64_t)ticks * NS_OF_TICK; }

static void work(uint32_t n) {
    while (n--) sink = sink * 3u + 1u;
}
static void read_sensor(void) { BURST_SCOPE("read_sensor"); work(300); BURST_LEAVE(); }
static void set_valve(void) { BURST_SCOPE("set_valve"); work(500); BURST_LEAVE(); }
static void calibrate(void) { BURST_SCOPE("calibrate"); work(4000); BURST_LEAVE(); }

static void period(uint32_t number) {
    read_sensor();
    if (number % LATE == LATE - 1) calibrate(); /* the fault: it belongs between periods */
    set_valve();
}

static int to_board(void *file, const void *data, size_t size) {
    return board_write(*(const int *)file, data, size);
}

int main(void) {
    static bursty_config config;
    uint32_t i, last_us[64];
    int file;
    board_timer(1);
    for (i = 0; i < 10; i++) period(0);
    config.tick_hz = 1000000000 / NS_OF_TICK;
    config.frame_clock = clock_ns;
    config.frame_slow_ns = (uint64_t)ticks * NS_OF_TICK / 10 * 6; /* the deadline */
    board_equal("threads that fit", bursty_start(&config), 1);
    for (i = 0; i < PERIODS; i++) bursty_frame("period"), period(i);
    bursty_frame(NULL);
    board_timer(0);
    board_equal("last durations", (uint32_t)bursty_frames("period", last_us, 64), 64);
    file = board_open("frames.brst");
    board_equal("dump", (uint32_t)bursty_write(to_board, &file), 0);
    board_close(file);
    board_end();
    return 0;
}
