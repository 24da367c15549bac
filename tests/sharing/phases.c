/* phases.c - two threads side by side, in 400 phases of random length: in one
   phase in five each counts in its own word of a line, in one in five both count
   in one word, and always each walks its own table. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
static volatile uint64_t tally[2] __attribute__((aligned(64)));
static volatile uint64_t both __attribute__((aligned(64)));
static uint64_t table[2][4096];
static pthread_barrier_t beside;
static __attribute__((noinline)) void count_own(int who) { tally[who]++; }
static __attribute__((noinline)) void count_both(void) { both++; }
static __attribute__((noinline)) uint64_t walk(int who, unsigned n) {
    return table[who][n % 4096]++;
}
static void *work(void *number) {
    int who = (int)(intptr_t)number, phase;
    uint64_t s = 5 + 77 * (uint64_t)who, sum = 0;
    for (phase = 0; phase < 400; phase++) {
        unsigned n, length, kind;
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        length = 200 + (unsigned)(s >> 40) % 8000;
        kind = (unsigned)(s >> 33) % 5;
        pthread_barrier_wait(&beside);
        for (n = 0; n < length; n++) {
            if (kind == 0) count_own(who);
            if (kind == 1) count_both();
            sum += walk(who, n * (kind + 1));
        }
    }
    return (void *)(intptr_t)(sum & 1);
}
int main(void) {
    pthread_t threads[2];
    int n;
    pthread_barrier_init(&beside, NULL, 2);
    for (n = 0; n < 2; n++) {
        if (pthread_create(&threads[n], NULL, work, (void *)(intptr_t)n) != 0) return 2;
    }
    for (n = 0; n < 2; n++) pthread_join(threads[n], NULL);
    return 0;
}
