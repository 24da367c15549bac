/* watcher.c - what the watcher costs, and what it says against the truth (sh
   bench/watcher.sh).

     watcher cost HZ THREADS SECONDS WORK   THREADS threads that all spin (WORK 1), all run .1 ms in
                                            10 ms (WORK 0) or all sleep (WORK 2): CPU time of the
                                            watcher's thread, us for each round and each look
     watcher frames FPS SECONDS             one thread with FPS frames a second, a third of each of
                                            them work: CPU time of frames and of the watcher
     watcher truth HZ SECONDS RUN WAIT      one thread that runs RUN us and waits WAIT us in turn:
                                            shares by its own clocks, and by
   looks
     watcher sent THREADS SECONDS WORK      the same threads as for cost, which get ticks at random
                                            moments: CPU time of the thread that sends them, and of
                                            the signals
     watcher wake HZ SECONDS                a thread that sleeps HZ times a second and does nothing
                                            else: its CPU time, as for cost */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static volatile int ends;
static BURSTY_P_TLS volatile uint32_t sink;

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double wall(void) { return read_clock(CLOCK_MONOTONIC); }

static void run_for(double seconds) {
    double end = wall() + seconds;
    BURST_SCOPE("run");
    while (wall() < end && !ends) {
        int i;
        for (i = 0; i < 500; i++) sink = sink * 1664525u + 1013904223u;
    }
}
static void wait_for(double seconds) {
    struct timespec t;
    BURST_SCOPE("wait");
    t.tv_sec = (time_t)seconds;
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}
enum { BUSY, SPINS, SLEEPS };
static int work;
static void *worker(void *nothing) {
    BURST_SCOPE("worker");
    while (!ends && work == SLEEPS) wait_for(2);
    while (!ends) {
        run_for(work == SPINS ? .05 : .0001);
        if (work != SPINS) wait_for(.01);
    }
    return nothing;
}

static void start(int hz) {
    static bursty_config config;
    config.watch = 1;
    config.tick_hz = hz;
    if (bursty_start(&config) == 0) exit(2);
}

static volatile long wakes;
static void *waker(void *hz) {
    struct timespec at;
    unsigned r = 1;
    clock_gettime(CLOCK_MONOTONIC, &at);
    while (!ends) {
        r = r * 1664525u + 1013904223u;
        at.tv_nsec += (long)((.5 + (double)r / 4294967296.) * 1e9 / *(int *)hz);
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        (void)syscall(SYS_futex, (void *)&wakes, 9L | 128, 0L, &at, NULL, 0xFFFFFFFFl);
        wakes += 1l << 32; /* the word that it waits on stays 0 */
    }
    return NULL;
}
static int wake(int hz, double seconds) {
    pthread_t thread;
    clockid_t clock;
    double used;
    if (pthread_create(&thread, NULL, waker, &hz) != 0) return 2;
    if (pthread_getcpuclockid(thread, &clock) != 0) return 2;
    wait_for(seconds);
    used = read_clock(clock);
    printf("| %d | 0 | a wake alone | %.3f | %.1f | | |\n", hz, 100 * used / seconds,
           1e6 * used / (double)((wakes >> 32) + 1));
    ends = 1;
    pthread_join(thread, NULL);
    return 0;
}

static int cost(int hz, int threads, double seconds) {
    static const char *const names[] = {"1 % busy", "spin", "sleep"};
    pthread_t *thread = (pthread_t *)calloc((size_t)threads, sizeof *thread);
    bursty_stats s;
    clockid_t clock;
    double began, used;
    char rate[16];
    int i;
    if (!thread) return 2;
    start(hz);
    bursty_thread_end(); /* this thread is not looked at */
    for (i = 0; i < threads; i++) {
        if (pthread_create(&thread[i], NULL, worker, NULL) != 0) return 2;
    }
    if (pthread_getcpuclockid(bursty_p_watcher.thread, &clock) != 0) return 2;
    wait_for(work == SLEEPS ? 1 : .2);
    bursty_clear();
    used = read_clock(clock);
    began = wall();
    wait_for(seconds);
    used = read_clock(clock) - used;
    began = wall() - began;
    bursty_get_stats(&s);
    snprintf(rate, sizeof rate, hz ? "%d" : "default", hz);
    printf("| %s | %d | %s | %.3f | %.1f | %.2f | %.1f |\n", rate, threads, names[work],
           100 * used / began, 1e6 * used / (double)(bursty_p_watcher.rounds + 1),
           1e6 * used / (double)(s.ticks + s.waiting + 1),
           100 * (double)s.looks_late / (double)(s.looks_late + s.ticks + s.waiting + 1));
    bursty_stop();
    ends = 1;
    for (i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    free(thread);
    return 0;
}

/* Of the whole process a signal takes so much: sent by the thread to itself. */
static double signal_s(void) {
    enum { SIGNALS = 2000 };
    double from = read_clock(CLOCK_THREAD_CPUTIME_ID);
    int i;
    for (i = 0; i < SIGNALS; i++) raise(bursty_p_tick_signal);
    return (read_clock(CLOCK_THREAD_CPUTIME_ID) - from) / SIGNALS;
}
static double looks_of_ticks(void) { /* signals that threads have got */
    double sum = 0;
    uint32_t i;
    for (i = 0; i < bursty_p_ticks.row_count; i++) {
        const double n = (double)bursty_p_ticks.rows[i].sum[0], squares = (double)bursty_p_ticks.rows[i].sum[2];
        if (squares > 0) sum += n * n / squares;
    }
    return sum;
}
static int sent(int threads, double seconds) {
    static const char *const names[] = {"1 % busy", "spin", "sleep"};
    static const double phases[] = {.04, .96, 19}; /* and then `seconds` */
    pthread_t *thread = (pthread_t *)calloc((size_t)threads, sizeof *thread);
    double each, before, used[4], passed[4];
    clockid_t clock;
    int i;
    if (!thread || bursty_start(NULL) == 0) return 2;
    if (!bursty_p_ticks.is_sent) return 2;
    BURST_ENTRY();
    each = signal_s();
    bursty_stop();
    if (bursty_start(NULL) == 0) return 2;
    for (i = 0; i < threads; i++) {
        if (pthread_create(&thread[i], NULL, worker, NULL) != 0) return 2;
    }
    if (pthread_getcpuclockid(bursty_p_watcher.thread, &clock) != 0) return 2;
    for (i = 0; i < 4; i++) {
        used[i] = read_clock(clock);
        passed[i] = wall();
        if (i == 3) bursty_clear();
        wait_for(i < 3 ? phases[i] : seconds);
        used[i] = read_clock(clock) - used[i];
        passed[i] = wall() - passed[i];
    }
    before = looks_of_ticks();
    printf("| %d | %s | %.1f | %.2f | %.2f | %.3f | %.1f | %.1f | %.3f |\n", threads, names[work],
           100 * used[0] / passed[0], 100 * used[1] / passed[1], 100 * used[2] / passed[2],
           100 * used[3] / passed[3], before / passed[3], 1e6 * each,
           100 * (used[3] + before * each) / passed[3]);
    bursty_stop();
    ends = 1;
    for (i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    free(thread);
    return 0;
}

/* What a frame takes is what two readings of a clock tell, less what they tell of nothing. */
static double frame_s(void) {
    double from = read_clock(CLOCK_THREAD_CPUTIME_ID);
    bursty_frame("frame");
    return read_clock(CLOCK_THREAD_CPUTIME_ID) - from;
}
static double nothing_s(void) {
    double sum = 0;
    int i;
    for (i = 0; i < 1000; i++) {
        double from = read_clock(CLOCK_THREAD_CPUTIME_ID);
        sum += read_clock(CLOCK_THREAD_CPUTIME_ID) - from;
    }
    return sum / 1000;
}
static int frames(double fps, double seconds) {
    double began, in_frames = 0, by_watcher, now, share[2];
    clockid_t clock;
    long n = 0;
    start(0);
    if (pthread_getcpuclockid(bursty_p_watcher.thread, &clock) != 0) return 2;
    began = wall();
    by_watcher = read_clock(clock);
    while ((now = wall() - began) < seconds) {
        in_frames += frame_s();
        run_for(.3 / fps);
        if ((double)++n / fps > wall() - began) wait_for((double)n / fps - (wall() - began));
    }
    by_watcher = read_clock(clock) - by_watcher;
    in_frames -= (double)n * nothing_s();
    share[0] = 100 * in_frames / now;
    share[1] = 100 * by_watcher / now;
    printf("| %g | %.0f | %.3f | %.3f | %.3f |\n", fps, 1e9 * in_frames / (double)n, share[0], share[1],
           share[0] + share[1]);
    bursty_stop();
    return 0;
}

static void add_row(double *ran, double *waited, double run_us, double wait_us) {
    double a = wall(), b, c;
    run_for(1e-6 * run_us);
    b = wall();
    if (wait_us > 0) wait_for(1e-6 * wait_us);
    c = wall();
    *ran += b - a;
    *waited += c - b;
}

static int truth(int hz, double seconds, double run_us, double wait_us) {
    double ran = 0, waited = 0, end, cpu;
    bursty_stats s;
    start(hz);
    end = wall() + seconds;
    cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
    while (wall() < end) add_row(&ran, &waited, run_us, wait_us);
    cpu = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
    bursty_stop();
    bursty_get_stats(&s);
    printf("| %g | %g | %d | %.1f | %.1f | %.1f | %.0f | %.1f |\n", run_us, wait_us, hz,
           100 * ran / (ran + waited), 100 * cpu / (ran + waited),
           100 * (double)s.ticks / (double)(s.ticks + s.waiting + 1), (double)(s.ticks + s.waiting),
           100 * (double)s.looks_late / (double)(s.looks_late + s.ticks + s.waiting + 1));
    return 0;
}

int main(int count, char **argument) {
    if (count == 6 && strcmp(argument[1], "cost") == 0) {
        work = atoi(argument[5]) % 3;
        return cost(atoi(argument[2]), atoi(argument[3]), atof(argument[4]));
    }
    if (count == 5 && strcmp(argument[1], "sent") == 0) {
        work = atoi(argument[4]) % 3;
        return sent(atoi(argument[2]), atof(argument[3]));
    }
    if (count == 4 && strcmp(argument[1], "wake") == 0) return wake(atoi(argument[2]), atof(argument[3]));
    if (count == 4 && strcmp(argument[1], "frames") == 0)
        return frames(atof(argument[2]), atof(argument[3]));
    if (count == 6 && strcmp(argument[1], "truth") == 0)
        return truth(atoi(argument[2]), atof(argument[3]), atof(argument[4]), atof(argument[5]));
    fprintf(stderr, "watcher cost HZ THREADS SECONDS WORK, frames FPS SECONDS, or truth HZ SECONDS RUN_US WAIT_US\n");
    return 2;
}
