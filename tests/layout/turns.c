/* Three phases: a walk over much, a small table, a walk over something else. */
#include <stdio.h>
enum { LARGE = 1 << 20, SMALL = 4 << 10 };
static volatile unsigned char first[LARGE], second[LARGE], table[SMALL];
static unsigned long sum;

__attribute__((noinline)) static void walk_first(unsigned n) {
    unsigned i, at = 0;
    for (i = 0; i < n; i++) sum += first[(at += 64) % LARGE];
}

__attribute__((noinline)) static void look_up(unsigned n) {
    unsigned i;
    for (i = 0; i < n; i++) sum += table[i * 64 % SMALL];
}

__attribute__((noinline)) static void walk_second(unsigned n) {
    unsigned i, at = 0;
    for (i = 0; i < n; i++) sum += second[(at += 64) % LARGE];
}

int main(void) {
    walk_first(800000);
    look_up(1600000);
    walk_second(400000);
    printf("%lu\n", sum);
    return 0;
}
