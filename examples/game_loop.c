/* game_loop.c - a game: two threads, callers by BURST_SCOPE, CPU time per function, a budget of
   1 %, an overlay every hundred frames. Build: cc -O2 -pthread. Leave the profiler in what ships;
   with -DBURSTY_OFF no check is left, and the functions of burstclock.h do nothing. */
#define _POSIX_C_SOURCE 200809L
#define BURSTY_IMPLEMENTATION
#define BURSTY_PTHREAD                   /* ends and forks of threads are noticed */
#include "bursty.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BODIES = 300, FRAMES = 400 };
typedef struct body { float x, y, vx, vy; } body;
static body world[BODIES];

/* This thread's CPU time: what others do does not count against the budget. */
static uint64_t cpu_ns(void *user) {
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void push_apart(body *a, body *b) {
    float dx = b->x - a->x, dy = b->y - a->y, d = dx * dx + dy * dy + 1e-3f;
    BURST_SCOPE("push_apart");
    a->vx -= dx / d * 1e-4f;
    a->vy -= dy / d * 1e-4f;
    b->vx += dx / d * 1e-4f;
    b->vy += dy / d * 1e-4f;
    BURST_LEAVE();
}

static void collide(void) {
    int i, j;
    BURST_SCOPE("collide");
    for (i = 0; i < BODIES; i++)
        for (j = i + 1; j < BODIES; j++)
            if (fabsf(world[i].x - world[j].x) < 0.1f) push_apart(&world[i], &world[j]);
    BURST_LEAVE();
}

static void move(body *b) {
    BURST_SCOPE("move");
    b->x += b->vx;
    b->y += b->vy;
    if (b->x < 0 || b->x > 1) b->vx = -b->vx;
    if (b->y < 0 || b->y > 1) b->vy = -b->vy;
    BURST_LEAVE();
}

static void update(void) {
    int i;
    BURST_SCOPE("update");
    collide();
    for (i = 0; i < BODIES; i++) move(&world[i]);
    BURST_LEAVE();
}

static void overlay(int frame) {         /* shares of the time sampled */
    bursty_row row[16];
    bursty_stats stats;
    size_t i, n = bursty_top(row, 16, 0);
    double all = 0;
    bursty_get_stats(&stats);
    for (i = 0; i < n; i++) all += (double)row[i].ticks;
    printf("frame %3d, sampling %.2f %%:", frame, stats.rate_ppm / 1e4);
    for (i = 0; i < n && i < 4; i++) {
        double share = all > 0 ? 100 * (double)row[i].ticks / all : 0;
        printf("  %s %.0f %%", row[i].site->name, share);
    }
    printf("\n");
}

static void *mixer(void *argument) {
    float *sum = (float *)argument;
    int i, k;
    bursty_thread_name("audio");
    for (i = 0; i < 2000; i++) {
        BURST_SCOPE("mix");
        for (k = 0; k < 512; k++) *sum += sinf((float)k);
        BURST_LEAVE();
    }
    return NULL;
}

int main(void) {
    static burstclock clock;
    bursty_config config;
    bursty_profile times;
    pthread_t audio;
    float sum = 0;
    int frame, i;
    memset(&config, 0, sizeof config);
    memset(&times, 0, sizeof times);
    if (burstclock_init(&clock, cpu_ns, NULL, NULL, NULL) != 0) return 1;
    clock.budget_ppm = 10000;
    config.program = "game_loop";
    config.clock_hz = 1000000000;
    config.pace = burstclock_pace;
    config.pace_user = &clock;
    bursty_start(&config);
    times.every = 9900; /* rarer and longer bursts for times */
    times.burst = 100;
    times.classes = (uint32_t)BURSTY_ANY | (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END;
    times.action = burstclock_event;
    times.user = &clock;
    bursty_set_profile(1, &times);
    bursty_thread_name("game");
    for (i = 0; i < BODIES; i++) {
        world[i].x = (float)(i * 37 % BODIES) / (float)BODIES;
        world[i].y = (float)(i * 53 % BODIES) / (float)BODIES;
    }
    if (pthread_create(&audio, NULL, mixer, &sum) != 0) return 1;
    for (frame = 1; frame <= FRAMES; frame++) {
        update();
        if (frame % 100 == 0) overlay(frame);
    }
    pthread_join(audio, NULL);
    return bursty_save("game_loop.brst") != 0;
}
