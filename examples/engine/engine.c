/* engine.c - the engine, a shared object: three workers with names, which call a game that may
   come anew between two frames. It has bursty.h's only implementation. */
#define _POSIX_C_SOURCE 200809L
#define BURSTY_IMPLEMENTATION
#include "engine.h"
#include <pthread.h>
#include <time.h>

static pthread_t thread[ENGINE_WORKERS];
static pthread_barrier_t begins, ends;
static engine_game game;
static int number[ENGINE_WORKERS], frame_now, is_over, sum[ENGINE_WORKERS];

void engine_spin(unsigned microseconds) {
    struct timespec now;
    long long end = 0, at;
    do {
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        at = now.tv_sec * 1000000LL + now.tv_nsec / 1000;
        if (!end) end = at + microseconds;
    } while (at < end);
}

static void *work(void *of) {
    static const char *const name[ENGINE_WORKERS] = {"physics", "sound", "paths"};
    const int worker = *(const int *)of;
    bursty_thread_name(name[worker]);
    for (;;) {
        (void)pthread_barrier_wait(&begins);
        if (is_over) return NULL;
        {
            BURST_SCOPE("engine_job");
            engine_spin(300);
            sum[worker] += game(frame_now, worker);
            BURST_LEAVE();
        }
        (void)pthread_barrier_wait(&ends);
    }
}

void engine_start(void) {
    int i;
    (void)pthread_barrier_init(&begins, NULL, ENGINE_WORKERS + 1);
    (void)pthread_barrier_init(&ends, NULL, ENGINE_WORKERS + 1);
    for (i = 0; i < ENGINE_WORKERS; i++) {
        number[i] = i;
        (void)pthread_create(&thread[i], NULL, work, &number[i]);
    }
}

void engine_use(engine_game tick) { game = tick; }

int engine_frame(int frame) {
    int i, all = 0;
    BURST_SCOPE("engine_frame");
    frame_now = frame;
    (void)pthread_barrier_wait(&begins);
    engine_spin(600);
    (void)pthread_barrier_wait(&ends);
    for (i = 0; i < ENGINE_WORKERS; i++) all += sum[i];
    BURST_LEAVE();
    return all;
}

int engine_stop(const char *path) {
    int i;
    is_over = 1;
    (void)pthread_barrier_wait(&begins);
    for (i = 0; i < ENGINE_WORKERS; i++) (void)pthread_join(thread[i], NULL);
    return bursty_save(path);
}
