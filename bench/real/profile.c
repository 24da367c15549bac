/* profile.c - linked into every instrumented program. The environment says how it samples, so that
   one binary serves all rows: BENCH_RATE "C:I" (not set: never), BENCH_POLL "open:closed" in
   microseconds (poll builds), BENCH_STATS a file to write stats to at exit, and BENCH_ROWS one for
   the hot table: kind, weight, function and caller of every row, with memory enough to lose
   none. */
#define BURSTY_IMPLEMENTATION
#include "keepregs.h"
#include "bursty.h"
#define HOTTEST_IMPLEMENTATION
#include "hottest.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static const char *stats_path, *rows_path;
static uint64_t big_memory[1 << 20];

#ifdef BURSTY_POLL
static long open_us, closed_us;

static void flip(int signal_number) {
    static int on;
    struct itimerval next = { { 0, 0 }, { 0, 0 } };
    on = !on;
    bursty_poll(on);
    next.it_value.tv_usec = on ? open_us : closed_us;
    setitimer(ITIMER_REAL, &next, NULL);
    (void)signal_number;
}

static void start_timer(const char *text) {
    struct sigaction action = { 0 };
    if (!text || sscanf(text, "%ld:%ld", &open_us, &closed_us) != 2) return;
    action.sa_handler = flip;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    flip(0);
}
#else
static void start_timer(const char *text) { (void)text; }
#endif

static void save_stats(void) {
    bursty_stats s;
    FILE *file = fopen(stats_path, "w");
    if (!file) return;
    bursty_get_stats(&s);
    fprintf(file, "%llu %llu %llu %llu\n", (unsigned long long)s.checks,
        (unsigned long long)s.bursts, (unsigned long long)s.events, (unsigned long long)s.lost);
    fclose(file);
}

static void save_rows(void) {
    static bursty_row rows[1 << 16];
    FILE *file = fopen(rows_path, "w");
    if (!file) return;
    for (int pairs = 0; pairs < 2; pairs++)
        for (size_t i = 0, n = bursty_top(rows, sizeof rows / sizeof rows[0], pairs); i < n; i++)
            fprintf(file, "%d %u %llu %s:%s:%u %s\n", pairs, (unsigned)rows[i].site->kind,
                (unsigned long long)rows[i].weight, rows[i].site->file, rows[i].site->name,
                (unsigned)rows[i].site->line, rows[i].caller ? rows[i].caller->name : "-");
    fclose(file);
}

__attribute__((constructor)) static void start(void) {
    static bursty_config config;
    const char *rate = getenv("BENCH_RATE");
    unsigned check_count, burst_count;
    stats_path = getenv("BENCH_STATS");
    rows_path = getenv("BENCH_ROWS");
    if (rows_path) {
        config.memory = big_memory;
        config.memory_bytes = sizeof big_memory;
        atexit(save_rows);
    }
    if (rate && sscanf(rate, "%u:%u", &check_count, &burst_count) == 2) {
        config.profile.check_count = check_count;
        config.profile.burst_count = burst_count;
    } else {
        config.profile.off = 1;
    }
    bursty_start(&config);
    start_timer(getenv("BENCH_POLL"));
    if (stats_path) atexit(save_stats);
}
