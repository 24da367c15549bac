/* contexts.c - two callers of one function: below `wide` it walks over three times as many lines as
   below `small`, and below `calm`, which calls it most, over one that is there already. */
#include <stdio.h>
#include <stdlib.h>
#define LINES 16384
static volatile char table[LINES * 64];
static unsigned sum;
__attribute__((noinline)) static void walk(int from, int to) {
    int i;
    for (i = from; i < to; i++) sum += (unsigned char)table[i * 64]++;
}
__attribute__((noinline)) static void wide(int i) {
    walk(0, LINES * 3 / 4);
    sum += (unsigned)i;
}
__attribute__((noinline)) static void small(int i) {
    walk(LINES * 3 / 4, LINES);
    sum += (unsigned)i;
}
__attribute__((noinline)) static void calm(void) {
    int k;
    for (k = 0; k < 3000; k++) walk(0, 1);
}
int main(int argc, char **argv) {
    int i, n = argc > 1 ? atoi(argv[1]) : 10;
    for (i = 0; i < n; i++) {
        wide(i);
        small(i);
        calm();
    }
    printf("%u\n", sum);
    return 0;
}
