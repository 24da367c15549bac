/* firmware.c - a microcontroller: no libc, no files, one byte out at a time. The hot functions are
   counted in 4 KiB, and a dump goes out over the serial line, from which `bursty report` reads it
   as a file. The interrupt would have a context of its own: another file with BURSTY_STATIC. Here
   uart_put writes a file; tests/firmware/dump.c is this on boards.

   Where 4 KiB are too much: BURSTY_TINY takes 24 bytes and calls an action for each sample,
   tests/firmware/points.c. */
#define BURSTY_NO_TLS
#define BURSTY_STACK 8
#define BURSTY_MEMORY 0
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>

static FILE *line;
static int uart_put(unsigned char byte) { return fputc(byte, line) == EOF; }

static int to_uart(void *user, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    (void)user;
    while (size-- > 0) {
        if (uart_put(*byte++)) return 1; /* not 0: the dump is broken off */
    }
    return 0;
}

static int filter(int sample) {
    BURST_ENTRY();
    return sample / 2;
}

static int control(int sample) {
    int output;
    BURST_SCOPE("control");
    output = filter(sample) + filter(sample + 1);
    BURST_LEAVE();
    return output;
}

int main(void) {
    static uint64_t memory[512];
    static bursty_config config; /* static: all zero */
    int tick, output = 0, failed;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    if (bursty_start(&config) == 0) return 1;
    for (tick = 0; tick < 100000; tick++) output += control(tick) & 1;
    line = fopen("firmware.brst",
        "wb"); /* a terminal program that logs the line's bytes does this on a desk */
    if (!line) return 1;
    failed = bursty_write(to_uart, NULL);
    return fclose(line) != 0 || failed || output == 0;
}
