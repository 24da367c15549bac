/* slow_frames.c - what do slow frames do that the others do not? A game with two hitches: each 40th
   frame collects garbage, each 60th reads a file, and nobody sees that in the mean. Afterwards:
   bursty report slow_frames.brst */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>

enum { FRAMES = 1000, BLOCKS = 4096 };
static unsigned block[BLOCKS], sum;
static FILE *chunk;

static unsigned work(unsigned rounds) {
    unsigned i, of_all = 0;
    while (rounds--)
        for (i = 0; i < BLOCKS; i++) of_all += block[i] ^ of_all >> 3;
    return of_all;
}
static void update(void) { BURST_SCOPE("update"); sum += work(40); BURST_LEAVE(); }
static void draw(void) { BURST_SCOPE("draw"); sum ^= work(20); BURST_LEAVE(); }

static void collect_garbage(void) {
    BURST_SCOPE("collect_garbage");
    block[sum % BLOCKS] += work(900);
    BURST_LEAVE();
}
static void load_chunk(void) {
    BURST_SCOPE("load_chunk");
    rewind(chunk);
    while (fread(block, sizeof block, 1, chunk) == 1) sum += work(1);
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
    if (!(chunk = tmpfile())) return 1;
    for (frame = 0; frame < 400; frame++) (void)fwrite(block, sizeof block, 1, chunk);
    config.tick_hz = 1000; /* the run is short */
    if (!bursty_start(&config)) return 1;
    for (frame = 1; frame <= FRAMES; frame++) {
        bursty_frame("frame"); /* ends the one before */
        update();
        if (frame % 40 == 0) collect_garbage();
        if (frame % 60 == 0) load_chunk();
        draw();
        if (frame % 250 == 0) overlay();
    }
    bursty_frame(NULL);
    return bursty_save("slow_frames.brst") != 0 || fclose(chunk) != 0 || sum == 1;
}
