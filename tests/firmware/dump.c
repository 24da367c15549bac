/* dump.c - the whole of bursty.h on a board, without TLS: hot functions counted
   in memory that the program hands over, dumped in mid-run, at the end, and
   once with the power cut in the middle. run.sh lets build/bursty read the
   files. */
#define BURSTY_NO_TLS
#define BURSTY_STACK 8
#define BURSTY_MEMORY 0
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "board.h"
#include "isr.h"

static uint64_t memory[4096 / sizeof(uint64_t)];
static volatile uint32_t sink;

static __attribute__((noinline)) void collide(uint32_t n) {
    BURST_SCOPE("collide");
    sink += n;
}
static __attribute__((noinline)) void update(uint32_t n) {
    uint32_t i;
    BURST_SCOPE("update");
    for (i = 0; i < 3; i++) collide(n + i);
}
static __attribute__((noinline)) void frames(uint32_t count) {
    uint32_t i;
    for (i = 0; i < count; i++) update(i);
}

static int to_file(void *user, const void *data, size_t size) {
    return board_write(*(int *)user, data, size);
}

/* Power fails behind the first 60 bytes. */
static uint32_t cut_left = 60;
static int to_cut_file(void *user, const void *data, size_t size) {
    size_t part = size < cut_left ? size : cut_left;
    cut_left -= (uint32_t)part;
    if (board_write(*(int *)user, data, part)) return 2;
    return cut_left ? 0 : 1;
}

/* Rows of the hot table, and what they counted. */
static uint32_t row_count, calls;
static void add_row(void *user, const bursty_row *row) {
    (void)user;
    row_count++;
    calls += (uint32_t)row->count;
}

static void dump(const char *path, bursty_write_fn write, int wanted) {
    int file = board_open(path);
    board_equal(path, (uint32_t)bursty_write(write, &file), (uint32_t)wanted);
    board_close(file);
}

int main(void) {
    static bursty_config config;
    bursty_stats stats;

    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.profile.every = 97;
    config.profile.burst = 3;
    config.profile.jitter = -1;
    board_equal("threads that fit", bursty_start(&config), 1);
    isr_start(11, 2);
    board_timer(1);
    frames(2500);                               /* 4 checks a frame: 10000, a hundred periods */
    board_timer(0);
    dump("middle.brst", to_file, 0);
    board_timer(1);
    frames(2500);
    board_timer(0);
    dump("end.brst", to_file, 0);
    dump("cut.brst", to_cut_file, -1);

    bursty_get_stats(&stats);
    /* A burst is update, collide, collide and the returns of both collides; the
       next check ends it:
       200 bursts of 5. */
    board_equal("events", (uint32_t)stats.events, 1000);
    board_equal("lost", (uint32_t)stats.lost, 0);
    bursty_each(add_row, NULL);
    board_equal("functions seen", row_count, 2);
    board_equal("their calls add up", calls, 600);
    board_equal("the interrupt came often", isr_ticks > 100u, 1);
    board_end();
    return 0;
}
