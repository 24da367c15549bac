/* threads.c - 400 threads at once, which allocate. Says on standard error how
   many bytes were read by the process, of whatever. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))
enum { THREADS = 400 };

static int shared[64];
static pthread_barrier_t all;

APART static int leaf(int n) {
    return __atomic_add_fetch(&shared[n & 63], 1, __ATOMIC_RELAXED);
}

static void *thread(void *unused) {
    int n;
    for (n = 0; n < 200; n++) {
        char *volatile memory = (char *)malloc(100);
        if (memory) *memory = (char)leaf(n);
        free(memory);
    }
    pthread_barrier_wait(&all);
    return unused;
}

int main(void) {
    static pthread_t threads[THREADS];
    pthread_attr_t small;
    FILE *io;
    unsigned long long bytes;
    int n;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&all, NULL, THREADS);
    for (n = 0; n < THREADS; n++) {
        if (pthread_create(&threads[n], &small, thread, NULL) != 0) return 2;
    }
    for (n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
    io = fopen("/proc/self/io", "r");
    if (!io || fscanf(io, "rchar: %llu", &bytes) != 1) return 3;
    fprintf(stderr, "%llu\n", bytes);
    puts("fine");
    return 0;
}
