/* Phases in an order that chance gives: what misses at 48 kB is known. */
#include <stdio.h>
#include <stdlib.h>
enum { LARGE = 1 << 20, SMALL = 8 << 10 };
static volatile unsigned char window[LARGE], other[LARGE];
static volatile unsigned char table[SMALL];
static volatile unsigned char *block;
static unsigned long seed;
static unsigned at_window, at_other, at_block;

static unsigned below(unsigned n) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(seed >> 40) % n;
}

__attribute__((noinline)) static void walk_window(unsigned n) {
    unsigned i;
    for (i = 0; i < n; i++) (void)window[(at_window += 64) % LARGE];
}

__attribute__((noinline)) static void walk_other(unsigned n) {
    unsigned i;
    for (i = 0; i < n; i++) (void)other[(at_other += 64) % LARGE];
}

__attribute__((noinline)) static void walk_block(unsigned n) {
    unsigned i;
    for (i = 0; i < n; i++) (void)block[(at_block += 64) % LARGE];
}

__attribute__((noinline)) static void walk_table(unsigned n) {
    unsigned i;
    for (i = 0; i < n; i++) (void)table[i * 64 % SMALL];
}

__attribute__((noinline)) static void mixed(unsigned n) {
    unsigned i;
    for (i = 0; i < n; i++) {
        (void)window[(at_window += 64) % LARGE];
        (void)table[i * 64 % SMALL];
        (void)table[i * 4 % SMALL];
    }
}

int main(int argc, char **argv) {
    unsigned r, rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 300;
    seed = argc > 2 ? (unsigned long)atoi(argv[2]) : 1;
    block = calloc(1, LARGE);
    for (r = 0; r < rounds; r++) {
        unsigned n = 1000 + below(60000);
        switch (below(8)) {
        case 0: walk_window(n); break;
        case 1: walk_other(n / 3); break;
        case 2: walk_block(n / 2); break;
        case 3: mixed(n); break;
        default: walk_table(n * 2); break;
        }
    }
    printf("%u\n", at_window + at_other + at_block);
    return 0;
}
