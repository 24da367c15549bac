/* make_bursty_frame_losses.c WHAT FILE - a dump of frames that lost something, by a clock
   of its own. WHAT, and how many are lost:
       kinds       3 frames of a kind without room
       handlers    4 frames that handlers ended in the middle of bursty_frame
       crowded     36 ticks of one frame with 100 stacks
       functions   7 ticks of 31 functions, in a table of 24
       slowest     2 frames that end while another thread keeps one
       nothing     none */
#define BURSTY_BARE
#define BURSTY_TICKS
#define BURSTY_FRAMES 4
#define BURSTY_STACK 128
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>
static uint64_t now;
static int handlers;
static uint64_t clock_of(void *user) {
    (void)user;
    if (handlers) {
        handlers--;
        bursty_frame("handler");
    }
    return now;
}
static int to_file(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) != size;
}
static void run(void) {
    now += 1000000;
    bursty_tick(1);
}
#define ONE(name) do { BURST_SCOPE(name); run(); BURST_LEAVE(); } while (0)
static void frames(const char *name, int count) {
    for (; count; count--) {
        bursty_frame(name);
        ONE("work");
    }
    bursty_frame(NULL);
}
/* A stack of its own for each depth. */
static void down(int depth) {
    BURST_SCOPE("down");
    run();
    if (depth > 1) down(depth - 1);
    BURST_LEAVE();
}
#define FIVE(of) ONE(of "0"); ONE(of "1"); ONE(of "2"); ONE(of "3"); ONE(of "4")
static void many(void) {
    FIVE("a"); FIVE("b"); FIVE("c"); FIVE("d"); FIVE("e"); FIVE("f");
}
int main(int argc, char **argv) {
    static bursty_config config;
    const char *what = argv[1];
    FILE *file = argc > 2 ? fopen(argv[2], "wb") : NULL;
    int n;
    config.program = "game";
    config.tick_hz = 1000;
    config.frame_slow_ns = 20000000;
    config.frame_clock = clock_of;
    if (!file || !bursty_start(&config)) return 1;
    frames("frame", 20);
    if (!strcmp(what, "kinds")) {
        frames("two", 1);
        frames("three", 1);
        frames("four", 1);
        frames("five", 3);
    }
    if (!strcmp(what, "handlers")) {
        for (n = 0; n < 4; n++) {
            bursty_frame("frame");
            now += 1000000;
            handlers = 1;
        }
        bursty_frame(NULL);
    }
    if (!strcmp(what, "crowded")) {
        bursty_frame("frame");
        down(100);
        bursty_frame(NULL);
    }
    if (!strcmp(what, "functions")) {
        bursty_frame("frame");
        many();
        bursty_frame(NULL);
    }
    if (!strcmp(what, "slowest")) {
        bursty_p_frames.kind[0].slowest_busy = 1;
        for (n = 0; n < 2; n++) {
            bursty_frame("frame");
            now += 50000000;
        }
        bursty_frame(NULL);
        bursty_p_frames.kind[0].slowest_busy = 0;
    }
    return bursty_write(to_file, file) || fclose(file);
}
