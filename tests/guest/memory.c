/* memory.c - takes 40 MB, and eight threads with the stacks that they get. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

APART static int leaf(int n) { return n * 3 + 1; }
APART static int work(int n) {
    int sum = 0;
    while (n-- > 0) sum ^= leaf(n);
    return sum;
}

static void *thread(void *unused) {
    return work(1000) == 7 ? NULL : unused;
}

int main(void) {
    enum { THREADS = 8, BYTES = 40 << 20 };
    pthread_t threads[THREADS];
    char *memory = (char *)malloc(BYTES);
    int n;
    if (!memory) {
        perror("malloc");
        return 3;
    }
    memset(memory, 1, BYTES);
    for (n = 0; n < THREADS; n++) {
        if (pthread_create(&threads[n], NULL, thread, memory) != 0) {
            perror("pthread_create");
            return 2;
        }
    }
    for (n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
    for (n = 0; n < 2000; n++) work(100);
    printf("fine\n");
    return 5;
}
