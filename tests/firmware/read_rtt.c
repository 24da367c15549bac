/* read_rtt.c - read_rtt ADDRESS <memory >bytes: what a debug probe does that knows no symbol of the
   program. It searches the memory, which begins at ADDRESS, for the block that examples/board/rtt.h
   makes, and writes the bytes that its ring holds. Status 1 and a line if there is no such block, or
   more than one, or if one of its numbers leads out of the memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char memory[1 << 20];
static uint32_t size, base;

static void no(const char *why) {
    fprintf(stderr, "read_rtt: %s\n", why);
    exit(1);
}

static uint32_t word(uint32_t at) {
    const unsigned char *b = memory + at;
    if (size < 4 || at > size - 4) no("a word outside of the memory");
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

int main(int argc, char **argv) {
    static const char id[16] = "SEGGER RTT";
    uint32_t at, block = 0, found = 0, bytes, ring, written, read;
    if (argc != 2) no("ADDRESS <memory >bytes");
    base = (uint32_t)strtoul(argv[1], NULL, 0);
    size = (uint32_t)fread(memory, 1, sizeof memory, stdin);
    for (at = 0; at + sizeof id <= size; at++) {
        if (memcmp(memory + at, id, 10) != 0) continue;
        block = at;
        found++;
    }
    if (found != 1) no(found ? "more than one block" : "no block");
    if (memcmp(memory + block, id, sizeof id) != 0) no("no zeros behind the words");
    if (word(block + 16) != 1 || word(block + 20) != 0) no("not one buffer up and none down");
    bytes = word(block + 28) - base;
    ring = word(block + 32);
    written = word(block + 36);
    read = word(block + 40);
    if (bytes > size || ring > size - bytes) no("the ring is outside of the memory");
    if (written >= ring || read >= ring) no("an offset outside of the ring");
    if (word(block + 44) != 2) no("the program does not wait");
    for (; read != written; read = read + 1 < ring ? read + 1 : 0) putchar(memory[bytes + read]);
    return 0;
}
