/* slow_requests.c - a server of four threads: one request in twenty reads a file while it holds the
   lock that all others need. CPU time does not show it. The watcher shows who waits, and where;
   frames show what slow requests do more. Afterwards: bursty report slow_requests.brst */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nanosleep, also with -std=c99 */
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <pthread.h>
#include <time.h>

enum { THREADS = 4, REQUESTS = 250 };
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static unsigned sums[THREADS];
static unsigned answer(unsigned n) {
    unsigned i = 0;
    BURST_SCOPE("answer");
    for (; i < 200000; i++) n = n * 1664525u + 1013904223u;
    return n;
}

static void read_file(void) {
    const struct timespec some = { 0, 4000000 };
    BURST_SCOPE("read_file");
    (void)nanosleep(&some, NULL);
}

static void use_cache(unsigned request) {
    BURST_SCOPE("use_cache");
    pthread_mutex_lock(&cache);
    if (request % 20 == 0) read_file(); /* the fault: it should not hold the lock */
    pthread_mutex_unlock(&cache);
}

static void *serve(void *own) {
    unsigned *sum = (unsigned *)own, i;
    BURST_SCOPE("serve");
    bursty_thread_name("worker");
    for (i = 0; i < REQUESTS; i++) {
        bursty_frame("request"); /* ends the one before */
        use_cache(i + (unsigned)(sum - sums));
        *sum += answer(i);
    }
    bursty_frame(NULL);
    return NULL;
}

int main(void) {
    static bursty_config config;
    pthread_t thread[THREADS];
    int i;
    config.watch = 1;
    config.tick_hz = 500;
    bursty_start(&config);
    for (i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, serve, &sums[i]);
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    return bursty_save("slow_requests.brst") != 0;
}
