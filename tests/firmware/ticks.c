/* ticks.c - where the time goes on a board: the timer's interrupt charges the
   scope that it interrupts. The first function takes 40 % of the steps, the
   second 60 %; a dump goes to the host. */
#define BURSTY_NO_TLS
#define BURSTY_STACK 8
#define BURSTY_MEMORY 5120
#ifndef WITHOUT_TICKS /* run.sh compares the sizes */
#define BURSTY_TICKS
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "board.h"

static volatile uint32_t sink;

/* The program's own interrupt handler: all that a user writes. */
void board_tick(void) { bursty_tick(1); }

static void steps(uint32_t n) {
    while (n--) sink = sink * 3u + 1u;
}

static void forty(void) {
    BURST_SCOPE("forty");
    steps(400);
    BURST_LEAVE();
}

static void sixty(void) {
    BURST_SCOPE("sixty");
    steps(600);
    BURST_LEAVE();
}

static void frame(void) {
    BURST_SCOPE("frame");
    forty();
    sixty();
    BURST_LEAVE();
}

static int to_board(void *file, const void *data, size_t size) {
    return board_write(*(const int *)file, data, size);
}

int main(void) {
    static bursty_config config;
    static bursty_stats stats;
    uint32_t frames = 0;
    int file;
    config.tick_hz = 1000;
    board_equal("threads that fit", bursty_start(&config), 1);
    board_timer(1);
    do { /* a slow emulator ticks less often */
        frame();
        frames++;
        if (frames % 16 == 0) bursty_get_stats(&stats); /* which takes its time, too */
    } while (stats.ticks < 2000 && frames < 200000);
    board_timer(0);
    bursty_get_stats(&stats);
    board_equal("2000 ticks came", stats.ticks >= 2000, 1);
    board_equal("lost, cut and late",
                (uint32_t)(stats.ticks_lost + stats.ticks_cut + stats.ticks_late), 0);
    board_equal("checks of 3 scopes in each frame, undisturbed", (uint32_t)stats.checks,
                3 * frames);
    file = board_open("ticks.brst");
    board_equal("dump", (uint32_t)bursty_write(to_board, &file), 0);
    board_close(file);
    board_end();
    return 0;
}
