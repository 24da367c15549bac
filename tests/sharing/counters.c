/* counters.c - two threads that share in different ways: counters ROUNDS. Compiled
   with -DPADDED nothing of it is false.

   tally[]     each thread counts in its own element
   pool        each thread counts in its own block of the heap
   total       all threads count in one variable: shared in truth
   table[]     written by main long before, then read by all: not shared
   own[]       each thread's own stack: not shared */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef PADDED
enum { STEP = 64 / sizeof(uint64_t) };
#else
enum { STEP = 1 };
#endif
enum { THREADS = 2, BLOCK = 2000 };

static volatile uint64_t tally[8 * THREADS] __attribute__((aligned(64)));
static uint64_t total __attribute__((aligned(64)));
static uint64_t table[1024] __attribute__((aligned(64)));
static volatile uint64_t *pool;
static long rounds;
static pthread_barrier_t beside;

static __attribute__((noinline)) void count_one(unsigned who) { tally[who * STEP]++; }
static __attribute__((noinline)) void count_pool(unsigned who) { pool[who * STEP]++; }
static __attribute__((noinline)) void count_all(void) {
    __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}
static __attribute__((noinline)) uint64_t look(uint64_t n) {
    volatile uint64_t own[4] = {0};
    own[n % 4] = table[n % 1024];
    return own[n % 4];
}
static __attribute__((noinline)) void make_table(void) {
    unsigned n;
    for (n = 0; n < 1024; n++) table[n] = n * n;
}

static void *work(void *number) {
    unsigned who = (unsigned)(uintptr_t)number;
    uint64_t sum = 0;
    long n;
    for (n = 0; n < rounds; n++) {
        if (n % BLOCK == 0) pthread_barrier_wait(&beside);  /* however busy the machine is */
        count_one(who);
        count_pool(who);
        if (n % 8 == 0) count_all();
        sum += look((uint64_t)n);
    }
    return (void *)(uintptr_t)(sum & 1);
}

int main(int argc, char **argv) {
    struct timespec wait = {0, 400000000};
    pthread_t threads[THREADS];
    void *block = NULL;
    unsigned n;
    rounds = argc > 1 ? atol(argv[1]) : 1000000;
    make_table();
    if (posix_memalign(&block, 64, 64 * THREADS) != 0) return 2;
    memset(block, 0, 64 * THREADS);
    pool = (uint64_t *)block;
    pthread_barrier_init(&beside, NULL, THREADS);
    nanosleep(&wait, NULL);
    for (n = 0; n < THREADS; n++) {
        if (pthread_create(&threads[n], NULL, work, (void *)(uintptr_t)n) != 0) return 2;
    }
    for (n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
    printf("%llu %llu %llu\n", (unsigned long long)tally[0], (unsigned long long)pool[0],
           (unsigned long long)total);
    free(block);
    return 0;
}
