/* hot_functions.c - where are my hot functions, in what I ship, at 1 %? One include, one line per
   function, one at start, one at exit. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>

static int is_prime(int n) {
    int i;
    BURST_ENTRY();
    for (i = 2; i * i <= n; i++) if (n % i == 0) return 0;
    return n > 1;
}

static int next_prime(int n) {
    BURST_ENTRY();
    while (!is_prime(++n)) {}
    return n;
}

int main(void) {
    bursty_top_row hot[5];
    size_t i, n;
    int p = 0, k;
    bursty_start(NULL);
    for (k = 0; k < 20000; k++) p = next_prime(p);
    n = bursty_top(hot, 5);
    for (i = 0; i < n; i++)
        printf("%-12s about %.0f calls (%.0f to %.0f)\n", hot[i].site->name,
               (double)hot[i].calls.value, (double)hot[i].calls.low, (double)hot[i].calls.high);
    /* `bursty report hot_functions.brst` shows what the next line writes. */
    return p != 224737 || bursty_save("hot_functions.brst") != 0;
}
