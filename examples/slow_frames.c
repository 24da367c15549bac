/* slow_frames.c - what do slow frames do that the others do not? A game with a
   hitch: each 40th frame collects garbage, and nobody sees that in the mean.
   Afterwards: bursty report slow_frames.brst */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>

enum { FRAMES = 1000, BLOCKS = 4096 };
static unsigned block[BLOCKS], sum;

static void collect_garbage(void) {
    int i, round;
    BURST_SCOPE("collect_garbage");
    for (round = 0; round < 300; round++)
        for (i = 0; i < BLOCKS; i++) block[i] = block[i] * 1664525u + 1013904223u;
    BURST_LEAVE();
}

static void update(void) {
    int i, round;
    BURST_SCOPE("update");
    for (round = 0; round < 40; round++)
        for (i = 0; i < BLOCKS; i++) sum += block[i] ^ sum >> 3;
    BURST_LEAVE();
}

static void draw(void) {
    int i, round;
    BURST_SCOPE("draw");
    for (round = 0; round < 20; round++)
        for (i = 1; i < BLOCKS; i++) sum ^= block[i] + block[i - 1];
    BURST_LEAVE();
}

/* The last frames as a row of bars, the longest of them as high as a line. */
static void overlay(void) {
    static const char bars[] = " .:-=+*#";
    uint32_t us[60], longest = 1;
    size_t i, n = bursty_frames("frame", us, 60);
    for (i = 0; i < n; i++) longest = us[i] > longest ? us[i] : longest;
    for (i = 0; i < n; i++) putchar(bars[us[i] * 7ull / longest]);
    printf("  longest of the last %u: %u us\n", (unsigned)n, (unsigned)longest);
}

int main(void) {
    static bursty_config config;
    int frame;
    config.program = "slow_frames";
    config.tick_hz = 1000; /* the run is short */
    if (!bursty_start(&config)) return 1;
    for (frame = 1; frame <= FRAMES; frame++) {
        bursty_frame("frame"); /* ends the one before */
        update();
        if (frame % 40 == 0) collect_garbage();
        draw();
        if (frame % 250 == 0) overlay();
    }
    bursty_frame(NULL);
    return bursty_save("slow_frames.brst") != 0 || sum == 1;
}
