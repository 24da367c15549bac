/* coverage_kinds.c - programs whose shares and counts are known, for
   bench/coverage_kinds.sh. Prints what the report should say, a row a line:
   table, name, share, count.

       coverage_kinds PROGRAM SEED WATCH FILE

       tails    functions and loops in runs of Pareto's lengths, at 9900:100
       phases   six phases, each of other functions and loops, at 990:10
       forks    100 children of 750 checks; each saves FILE.NUMBER
       pool     4 threads that steal one another's tasks
       gameN    N frames a second for a second: half update, half draw
       idle     10 threads, of which one sleeps 98 % of the time

   WATCH is config.watch: 0 ticks by timers, 2 at random moments. 9: nothing ticks, as
   `bursty record` looks. */
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 24 };
static uint64_t calls[KINDS], trips[KINDS], state;

static double uniform(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 12) + .5) / 4503599627370496.0;
}

/* ---- what is counted ---- */

static volatile unsigned sink;

#define DEFINE(n) \
    __attribute__((noinline)) static void f##n(unsigned rounds) { \
        BURST_SCOPE("f" #n); \
        calls[n]++; \
        while (rounds--) { \
            BURST_LOOP(); \
            trips[n]++; \
            sink++; \
        } \
        BURST_LEAVE(); \
    }
DEFINE(0) DEFINE(1) DEFINE(2) DEFINE(3) DEFINE(4) DEFINE(5) DEFINE(6) DEFINE(7)
DEFINE(8) DEFINE(9) DEFINE(10) DEFINE(11) DEFINE(12) DEFINE(13) DEFINE(14) DEFINE(15)
DEFINE(16) DEFINE(17) DEFINE(18) DEFINE(19) DEFINE(20) DEFINE(21) DEFINE(22) DEFINE(23)
static void (*const function[KINDS])(unsigned) = {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11,
    f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23};

/* Zipf's law among `among` functions, from `first` on. */
static int chosen(int first, int among) {
    const double u = uniform();
    return first + (int)pow((double)among, u) - 1;
}

static void in_runs(uint64_t checks) {
    uint64_t done = 0;
    while (done < checks) {
        const int n = chosen(0, KINDS);
        double length = pow(uniform(), -1 / 1.2);
        uint64_t left = length < 1e5 ? (uint64_t)length : 100000;
        for (; left; left--) {
            const unsigned rounds = (unsigned)(uniform() * 4);
            function[n](rounds);
            done += 1 + rounds;
        }
    }
}

static void in_phases(uint64_t checks) {
    int phase;
    for (phase = 0; phase < 6; phase++) {
        uint64_t done = 0;
        while (done < checks / 6) {
            const unsigned rounds = (unsigned)(uniform() * (double)(1 + 2 * phase));
            function[chosen(4 * phase, 4)](rounds);
            done += 1 + rounds;
        }
    }
}

static void print_counts(const char *table, const char *prefix, const uint64_t *counts) {
    uint64_t all = 0;
    int n;
    for (n = 0; n < KINDS; n++) all += counts[n];
    for (n = 0; n < KINDS && all; n++)
        printf("%s,%s%d,%.9g,%llu\n", table, prefix, n, (double)counts[n] / (double)all,
               (unsigned long long)counts[n]);
}

static int counted(void) {
    print_counts("functions", "f", calls);
    print_counts("trips", "f", trips);
    return 0;
}

static int in_children(const bursty_config *config, const char *file) {
    uint64_t here = state;
    int child, n;
    if (!bursty_start(config)) return 1;
    for (child = 0; child < 100; child++) {
        char name[512];
        const int first = 6 * (child % 4); /* its own seed decides what the child does */
        pid_t pid = fork();
        snprintf(name, sizeof name, "%s.%d", file, child);
        if (pid < 0) return 1;
        if (pid == 0) {
            bursty_forked();
            state = here + (uint64_t)child * 77;
            for (n = 0; n < 750; n++) function[chosen(first, 6)](0);
            _exit(bursty_save(name) != 0);
        }
        state = here + (uint64_t)child * 77;
        for (n = 0; n < 750; n++) calls[chosen(first, 6)]++;
        state = here;
        if (waitpid(pid, &n, 0) != pid || n) return 1;
    }
    return counted();
}

/* ---- what takes time ---- */

enum { HEAVY, LIGHT, MIX, UPDATE, DRAW, SCOPES };
static const char *const names[SCOPES] = {"heavy", "light", "mix", "update", "draw"};
static uint64_t self_ns[SCOPES], total_ns[SCOPES];

static uint64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t spin(uint64_t us) {
    const uint64_t began = cpu_ns();
    uint64_t now = began;
    while (now - began < us * 1000) {
        unsigned i;
        for (i = 0; i < 10000; i++) sink++;
        now = cpu_ns();
    }
    return now - began;
}

static void add(int scope, uint64_t self, uint64_t total) {
    __atomic_fetch_add(&self_ns[scope], self, __ATOMIC_RELAXED);
    __atomic_fetch_add(&total_ns[scope], total, __ATOMIC_RELAXED);
}

static uint64_t mix(uint64_t us) {
    uint64_t took;
    BURST_SCOPE("mix");
    took = spin(us);
    add(MIX, took, took);
    BURST_LEAVE();
    return took;
}
static void heavy(void) {
    uint64_t own, below;
    BURST_SCOPE("heavy");
    own = spin(300);
    below = mix(100);
    add(HEAVY, own, own + below);
    BURST_LEAVE();
}
static void light(void) {
    uint64_t own, below;
    BURST_SCOPE("light");
    own = spin(60);
    below = mix(60);
    add(LIGHT, own, own + below);
    BURST_LEAVE();
}
#define HALF(function_, scope_, name_) \
    __attribute__((noinline)) static void function_(uint64_t us) { \
        uint64_t took; \
        BURST_SCOPE(name_); \
        took = spin(us); \
        add(scope_, took, took); \
        BURST_LEAVE(); \
    }
HALF(update, UPDATE, "update")
HALF(draw, DRAW, "draw")

static void print_times(void) {
    uint64_t all = 0;
    int k;
    for (k = 0; k < SCOPES; k++) all += self_ns[k];
    for (k = 0; k < SCOPES; k++) {
        if (!total_ns[k]) continue;
        printf("time,%s,%.9g,0\n", names[k], (double)self_ns[k] / (double)all);
        printf("scopes,%s,%.9g,0\n", names[k], (double)total_ns[k] / (double)all);
    }
}

enum { WORKERS = 4, TASKS = 600 };
static struct { pthread_mutex_t lock; int left[2]; } queue[WORKERS];

/* From its own end, or the other end of a queue that has more. */
static int take(int me) {
    int k, what = -1;
    for (k = 0; k < WORKERS && what < 0; k++) {
        const int from = (me + k) % WORKERS;
        pthread_mutex_lock(&queue[from].lock);
        what = queue[from].left[0] ? 0 : queue[from].left[1] ? 1 : -1;
        if (what >= 0 && k && queue[from].left[1]) what = 1;
        if (what >= 0) queue[from].left[what]--;
        pthread_mutex_unlock(&queue[from].lock);
    }
    return what;
}
static void *worker(void *number) {
    const int me = (int)(intptr_t)number;
    int what;
    while ((what = take(me)) >= 0) {
        if (what == 0) heavy();
        else light();
    }
    bursty_thread_end();
    return NULL;
}
static void steal(void) {
    pthread_t thread[WORKERS];
    int k;
    for (k = 0; k < WORKERS; k++) {
        pthread_mutex_init(&queue[k].lock, NULL);
        queue[k].left[0] = k ? TASKS / 10 : TASKS; /* the first has nearly all the work */
        queue[k].left[1] = TASKS;
    }
    for (k = 0; k < WORKERS; k++) pthread_create(&thread[k], NULL, worker, (void *)(intptr_t)k);
    for (k = 0; k < WORKERS; k++) pthread_join(thread[k], NULL);
}

/* Six tenths of each frame. */
static void play(int frames) {
    struct timespec due;
    int frame;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (frame = 0; frame < frames; frame++) {
        update(300000 / (unsigned)frames);
        draw(300000 / (unsigned)frames);
        due.tv_nsec += 1000000000 / frames;
        if (due.tv_nsec >= 1000000000) { due.tv_nsec -= 1000000000; due.tv_sec++; }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }
}

static void *idler(void *number) {
    int k;
    for (k = 0; k < 100; k++) {
        if (number) {
            if (k % 3) light();
            else heavy();
        } else {
            const struct timespec nap = {0, 5940000};
            light();
            nanosleep(&nap, NULL);
        }
    }
    bursty_thread_end();
    return NULL;
}
static void idle(void) {
    pthread_t thread[10];
    int k;
    for (k = 0; k < 10; k++) pthread_create(&thread[k], NULL, idler, (void *)(intptr_t)k);
    for (k = 0; k < 10; k++) pthread_join(thread[k], NULL);
}

int main(int argc, char **argv) {
    static uint64_t memory[1 << 18];
    bursty_config config;
    const char *program = argc == 5 ? argv[1] : "";
    int is_game = !strncmp(program, "game", 4);
    int is_timed = is_game || !strcmp(program, "pool") || !strcmp(program, "idle");
    memset(&config, 0, sizeof config);
    if (argc != 5) return 2;
    config.program = program;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.seed = (uint32_t)atoi(argv[2]);
    config.watch = atoi(argv[3]);
    config.profile.every = 990;
    config.profile.burst = 10;
    state = config.seed * UINT64_C(0x9E3779B97F4A7C15);
    if (!is_timed || config.watch == 9) config.tick_hz = config.watch = -1;
    if (!strcmp(program, "tails")) {
        config.profile.every = 9900;
        config.profile.burst = 100;
    }
    if (!strcmp(program, "forks")) {
        config.seed = 0;
        return in_children(&config, argv[4]);
    }
    if (!bursty_start(&config)) return 1;
    if (!strcmp(program, "tails")) in_runs(10000000);
    else if (!strcmp(program, "phases")) in_phases(5000000);
    else if (!strcmp(program, "pool")) steal();
    else if (is_game && atoi(program + 4) > 0) play(atoi(program + 4));
    else if (!strcmp(program, "idle")) idle();
    else return 2;
    if (bursty_save(argv[4])) return 1;
    if (is_timed) print_times();
    else return counted();
    return 0;
}
