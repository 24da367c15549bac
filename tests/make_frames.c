/* make_frames.c FILE [budget [MS]] - a dump of 1000 frames of 10 ms on a clock of
   its own, each 50th of 30 ms: 20 ms more, of which collect has 16 and waiting
   4. With a budget frames above 20 ms are slow; 0 is none. Each frame waits MS
   more. */
#define BURSTY_BARE
#define BURSTY_TICKS
#define BURSTY_FRAMES 2
#define BURSTY_STACK 8
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t now, cpu;
static uint64_t clock_of(void *user) { (void)user; return now; }
static uint64_t cpu_clock_of(void *user) { (void)user; return cpu; }
static void run(unsigned ms) {
    for (; ms; ms--) {
        now += 1000000;
        cpu += 1000000;
        bursty_tick(1);
    }
}
static void update(void) { BURST_SCOPE("update"); run(7); BURST_LEAVE(); }
static void draw(void) { BURST_SCOPE("draw"); run(3); BURST_LEAVE(); }
static void collect(void) { BURST_SCOPE("collect"); run(16); now += 4000000; BURST_LEAVE(); }
static int to_file(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) != size;
}
int main(int argc, char **argv) {
    static bursty_config config;
    FILE *file = fopen(argv[1], "wb");
    const uint64_t more = argc > 3 ? 1000000 * strtoull(argv[3], NULL, 10) : 0;
    int i;
    config.program = "game";
    config.tick_hz = 1000;
    config.frame_slow_ns = argc > 2 && strcmp(argv[2], "0") != 0 ? 20000000 : 0;
    config.frame_clock = clock_of;
    config.frame_cpu_clock = cpu_clock_of;
    if (!file || !bursty_start(&config)) return 1;
    for (i = 1; i <= 1000; i++) {
        bursty_frame("frame");
        update();
        if (i % 50 == 0) collect();
        draw();
        now += more;
    }
    bursty_frame(NULL);
    bursty_frame(NULL);
    bursty_frame("load");
    return bursty_write(to_file, file) || fclose(file);
}
