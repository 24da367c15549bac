/* game_loop.c - a game: two threads, callers and time by BURST_SCOPE, a budget of 1 %, an overlay
   every hundred frames. Leave the profiler in what ships; with -DBURSTY_OFF nothing of it is left.
       cc -O2 -I. examples/game_loop.c -o game_loop -pthread -lm && ./game_loop
       bursty report game_loop.brst */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { BODIES = 300, FRAMES = 400 };
typedef struct body { float x, y, vx, vy; } body;
static body world[BODIES];

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

/* The shares of the time so far, each with its 95 % interval. */
static void overlay(int frame) {
    bursty_top_row row[3];
    size_t i, n = bursty_top(row, 3);
    printf("frame %3d:", frame);
    for (i = 0; i < n; i++) {
        printf("  %s %.0f %% (%.0f to %.0f)", row[i].site->name, (double)row[i].self_ppm.value / 1e4,
               (double)row[i].self_ppm.low / 1e4, (double)row[i].self_ppm.high / 1e4);
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
    static bursty_config config;
    pthread_t audio;
    float sum = 0;
    int frame, i;
    config.program = "game_loop";
    config.budget_ppm = 10000;
    (void)bursty_start(&config);
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
