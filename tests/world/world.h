/* world.h - what the shapes share: how they burn rounds, and the axes threads
   (THREADS, SHORT) and time (STEPS). argv[1] is the number of rounds of one
   unit. What a shape prints does not depend on it. */
#ifndef WORLD_H
#define WORLD_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone)) /* down.constprop.0 is no row of its own */
#endif
/* Before a declaration: dlsym finds it by its name in C++, too. */
#ifdef __cplusplus
#define PLAIN_NAME extern "C"
#else
#define PLAIN_NAME
#endif
#ifndef THREADS
#define THREADS 1
#endif

/* Nobody can fold it: each round needs the one before, and the compiler knows
   neither the start nor the number. A shift between the products keeps it from
   making one round of eight. Each function has a constant of its own, or two
   functions would be one. */
static volatile unsigned start = 1;
static volatile unsigned unit = 20;
#define ROUNDS(x, n, own) do { \
    unsigned left = (n); \
    while (left--) (x) = ((x) ^ (x) >> 5) * 1664525u + 1013904223u + 2 * (own); \
} while (0)

/* Main gives what is to be done to threads in equal parts: at once, or one
   after the other. */
typedef struct share {
    unsigned calls;
    unsigned (*work)(unsigned calls);
} share;

static void *in_thread(void *given) {
    share *mine = (share *)given;
    mine->work(mine->calls);
    return NULL;
}

static inline unsigned in_threads(unsigned (*work)(unsigned calls), unsigned calls) {
#if THREADS == 1
    (void)in_thread;
    work(calls);
    return 0;
#else
    static pthread_t threads[THREADS];
    static share shares[THREADS];
    pthread_attr_t small;
    unsigned i;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (i = 0; i < THREADS; i++) {
        shares[i].calls = calls / THREADS;
        shares[i].work = work;
        if (pthread_create(&threads[i], &small, in_thread, &shares[i])) return 1;
#ifdef SHORT
        pthread_join(threads[i], NULL);
#endif
    }
#ifndef SHORT
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
#endif
    return 0;
#endif
}

/* With STEPS frames a second, a frame begins at its deadline and ends after
   every so many calls. */
static inline void end_frame(unsigned call, unsigned calls_in_frame) {
#ifdef STEPS
    static struct timespec next;
    if (call % calls_in_frame) return;
    if (!next.tv_sec) {
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec = next.tv_nsec / 4000000 * 4000000;
    }
    next.tv_nsec += 1000000000 / STEPS;
    if (next.tv_nsec >= 1000000000) {
        next.tv_nsec -= 1000000000;
        next.tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
#else
    (void)call;
    (void)calls_in_frame;
#endif
}
#endif
