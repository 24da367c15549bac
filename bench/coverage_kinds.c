/* coverage_kinds.c - programs whose shares and counts are known, for
   bench/coverage_kinds.sh. Prints what the report should say, a row a line:
   table, name, share, count.

       coverage_kinds PROGRAM SEED[:SEED] WATCH FILE

       tails    functions and loops in runs of Pareto's lengths, at 9900:100. Another
                function calls each of them
       phases   six phases, each of other functions and loops, at 990:10
       forks    100 children of 750 checks; each saves FILE.NUMBER
       pool     4 threads that steal one another's tasks
       gameN    N frames a second for a second: half update, half draw
       idle     10 threads, of which one sleeps 98 % of the time
       waits    6 threads that compute, sleep and want one lock
       lines    three loops in one function, one a line
       blocks   phases of Pareto's lengths, each of other data; FILE has footprints of
                bursts of 2000 of 20 000 accesses, and FILE.whole those of all

   tails+P is tails whose function f1 is called P percent more often, in place of f0.
   SEED is what is sampled, and also what the program does; of A:B it is A, and what
   the program does is B.

   WATCH is config.watch: 0 ticks by timers, 1 by a watcher, 2 at random moments. 9:
   nothing ticks, as `bursty record` looks. Threads of bursty.h have the processor at
   once where the system lets us: else looks come late on a busy machine, and then no
   share has an interval. */
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#define FOOTPRINT_IMPLEMENTATION
#include "bursty.h"
#include "footprint.h"
#include "hcct.h"
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 24, CALLERS = 4 };
static uint64_t calls[KINDS], trips[KINDS], pairs[CALLERS][KINDS], state;
static double instead; /* this part of f0's runs are f1's */

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

#define CALLER(n) \
    __attribute__((noinline)) static void g##n(int callee, unsigned rounds) { \
        BURST_SCOPE("g" #n); \
        pairs[n][callee]++; \
        function[callee](rounds); \
        BURST_LEAVE(); \
    }
CALLER(0) CALLER(1) CALLER(2) CALLER(3)
static void (*const through[CALLERS])(int, unsigned) = {g0, g1, g2, g3};

/* Zipf's law among `among` functions, from `first` on. */
static int chosen(int first, int among) {
    const double u = uniform();
    return first + (int)pow((double)among, u) - 1;
}

static void in_runs(uint64_t checks) {
    uint64_t done = 0;
    while (done < checks) {
        const int caller = (int)(uniform() * CALLERS);
        const int drawn = chosen(0, KINDS), is_other = uniform() < instead;
        const int n = drawn == 0 && is_other ? 1 : drawn;
        double length = pow(uniform(), -1 / 1.2);
        uint64_t left = length < 1e5 ? (uint64_t)length : 100000;
        for (; left; left--) {
            const unsigned rounds = (unsigned)(uniform() * 4);
            through[caller](n, rounds);
            done += 2 + rounds;
        }
    }
}

static void in_phases(uint64_t checks) {
    int phase;
    for (phase = 0; phase < 6; phase++) {
        uint64_t done = 0;
        while (done < checks / 6) {
            const unsigned rounds = (unsigned)(uniform() * (double)(1 + 2 * phase));
            through[phase % CALLERS](chosen(4 * phase, 4), rounds);
            done += 2 + rounds;
        }
    }
}

static void print_count(const char *table, char kind, int n, uint64_t count, uint64_t all) {
    printf("%s%c%d,%.9g,%llu\n", table, kind, n, (double)count / (double)all,
           (unsigned long long)count);
}

static int counted(void) {
    uint64_t all = 0, through_all = 0, trips_all = 0, own;
    int n, c;
    for (n = 0; n < KINDS; n++) {
        all += calls[n];
        trips_all += trips[n];
        for (c = 0; c < CALLERS; c++) through_all += pairs[c][n];
    }
    for (n = 0; n < KINDS; n++) {
        print_count("functions,", 'f', n, calls[n], all + through_all);
        if (trips_all) print_count("trips,", 'f', n, trips[n], trips_all);
    }
    for (c = 0; c < CALLERS && through_all; c++) {
        for (own = 0, n = 0; n < KINDS; n++) {
            const double count = (double)pairs[c][n];
            own += pairs[c][n];
            printf("pairs,g%d>f%d,%.9g,%.9g\n", c, n, count / (double)(2 * all), count);
            printf("contexts,g%d > f%d,%.9g,%.9g\n", c, n, count / (double)(2 * all), count);
        }
        print_count("pairs,(none)>", 'g', c, own, 2 * all);
        print_count("functions,", 'g', c, own, 2 * all);
        print_count("contexts,", 'g', c, own, 2 * all);
    }
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

enum { HEAVY, LIGHT, MIX, UPDATE, DRAW, COMPUTE, SLEEP, LOCK, JOIN, SCOPES };
static const char *const names[SCOPES] = {"heavy", "light", "mix", "update", "draw",
    "compute", "sleep", "lock", "join"};
static uint64_t self_ns[SCOPES], total_ns[SCOPES], wait_ns[SCOPES];

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static uint64_t cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

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

/* ---- what waits ---- */

static pthread_mutex_t one_lock = PTHREAD_MUTEX_INITIALIZER;

#define WAITING(function_, scope_, name_, body) \
    static void function_(uint64_t us) { \
        uint64_t wall, cpu; \
        BURST_SCOPE(name_); \
        wall = clock_ns(CLOCK_MONOTONIC); \
        cpu = cpu_ns(); \
        body; \
        cpu = cpu_ns() - cpu; \
        wall = clock_ns(CLOCK_MONOTONIC) - wall; \
        add(scope_, cpu, cpu); \
        if (wall > cpu) __atomic_fetch_add(&wait_ns[scope_], wall - cpu, __ATOMIC_RELAXED); \
        BURST_LEAVE(); \
    }
static void nap(uint64_t us) {
    const struct timespec span = {0, (long)us * 1000};
    nanosleep(&span, NULL);
}
static void with_lock(uint64_t us) {
    pthread_mutex_lock(&one_lock);
    nap(us);
    pthread_mutex_unlock(&one_lock);
}
static pthread_t waiter[6];
static void join_all(void) {
    int k;
    for (k = 1; k < 6; k++) pthread_join(waiter[k], NULL);
}
WAITING(compute, COMPUTE, "compute", spin(us))
WAITING(sleeps, SLEEP, "sleep", nap(us))
WAITING(locks, LOCK, "lock", with_lock(us))
WAITING(joins, JOIN, "join", (void)us; join_all())

static void *waits_some(void *number) {
    uint64_t random = ((uint64_t)(uintptr_t)number + 1) * 0x9E3779B97F4A7C15u ^ state;
    int k;
    for (k = 0; k < 150; k++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        compute(random >> 55);
        sleeps(1000 + (random >> 50 & 4095));
        locks(random >> 40 & 1023);
    }
    if (number) bursty_thread_end();
    return NULL;
}
static void wait_in_turn(void) {
    double all = 0;
    int k;
    for (k = 1; k < 6; k++) pthread_create(&waiter[k], NULL, waits_some, (void *)(intptr_t)k);
    waits_some(NULL);
    joins(0);
    for (k = COMPUTE; k < SCOPES; k++) all += (double)(self_ns[k] + wait_ns[k]);
    for (k = COMPUTE; k < SCOPES; k++) {
        printf("runs,%s,%.9g,0\n", names[k], (double)self_ns[k] / all);
        printf("waits,%s,%.9g,0\n", names[k], (double)wait_ns[k] / all);
    }
}

/* ---- what lines take ---- */

static uint64_t line_ns[3];
static int line_of[3];

#define A_LINE(k, many) \
    line_of[k] = __LINE__; for (i = 0; i < (many); i++) sink++

static void lines(void) {
    uint64_t before = cpu_ns(), now;
    unsigned round, i;
    for (round = 0; round < 80; round++) { /* pieces of some ms: each asks the kernel for a clock */
        const unsigned some = 200000 + (unsigned)(uniform() * 900000);
        A_LINE(0, some);
        now = cpu_ns(), line_ns[0] += now - before, before = now;
        A_LINE(1, 600000);
        now = cpu_ns(), line_ns[1] += now - before, before = now;
        A_LINE(2, round > 60 ? 4000000 : 10000);
        now = cpu_ns(), line_ns[2] += now - before, before = now;
    }
    for (round = 0; round < 3; round++)
        printf("lines,coverage_kinds.c:%d,%.9g,0\n", line_of[round],
               (double)line_ns[round] / (double)(line_ns[0] + line_ns[1] + line_ns[2]));
}

/* ---- what data is touched ---- */

static int write_file(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}
static int save_blocks(footprint *fp, const char *name, const char *end) {
    char path[512];
    footprint_profile profile;
    const size_t bytes = footprint_snapshot_bytes(fp);
    void *table = malloc(bytes);
    FILE *file;
    snprintf(path, sizeof path, "%s%s", name, end);
    file = fopen(path, "wb");
    return !table || !file || footprint_snapshot(fp, &profile, table, bytes)
        || footprint_write(&profile, "blocks", write_file, file) || fclose(file);
}

static int open_blocks(footprint *fp, uint32_t flags) {
    footprint_config config;
    size_t bytes;
    memset(&config, 0, sizeof config);
    config.c = 1;
    config.window_max = 2000;
    config.flags = flags;
    bytes = footprint_bytes(&config, 6000);
    return footprint_init(fp, malloc(bytes), bytes, &config) == 0;
}

static int blocks(const char *name) {
    footprint whole, sampled;
    int was_in = 0, accesses, left = 0, set = 0, first = 0;
    if (open_blocks(&whole, 0) || open_blocks(&sampled, FOOTPRINT_BURSTS)) return 1;
    for (accesses = 0; accesses < 3000000; accesses++) {
        uint64_t block;
        int is_in = BURST_CHECK();
        if (!left) {
            const double length = 1000 * pow(uniform(), -1 / 1.2);
            left = length < 1e5 ? (int)length : 100000;
            set = 8 << (int)(uniform() * 7);
            first = (int)(uniform() * 4096);
        }
        left--;
        block = (uint64_t)(first + (int)(uniform() * uniform() * set));
        footprint_access(&whole, block);
        if (is_in) footprint_access(&sampled, block);
        else if (was_in) footprint_burst(&sampled);
        was_in = is_in;
    }
    return save_blocks(&sampled, name, "") || save_blocks(&whole, name, ".whole");
}

/* Threads that begin now have a processor at once, or not. */
static void at_once(int is_at_once) {
    struct sched_param how;
    memset(&how, 0, sizeof how);
    how.sched_priority = is_at_once;
    sched_setscheduler(0, is_at_once ? SCHED_FIFO : SCHED_OTHER, &how);
}

int main(int argc, char **argv) {
    static uint64_t memory[1 << 18];
    bursty_config config;
    const char *program = argc == 5 ? argv[1] : "", *work;
    int is_game = !strncmp(program, "game", 4);
    int is_timed = is_game || !strcmp(program, "pool") || !strcmp(program, "idle");
    int is_own = !strcmp(program, "waits") || !strcmp(program, "lines");
    memset(&config, 0, sizeof config);
    if (argc != 5) return 2;
    config.program = program;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.seed = (uint32_t)atoi(argv[2]);
    config.watch = atoi(argv[3]);
    config.profile.every = 990;
    config.profile.burst = 10;
    work = strchr(argv[2], ':');
    state = (uint64_t)atoi(work ? work + 1 : argv[2]) * UINT64_C(0x9E3779B97F4A7C15);
    if (!(is_timed || is_own) || config.watch == 9) config.tick_hz = config.watch = -1;
    if (!strncmp(program, "tails", 5)) {
        config.profile.every = 9900;
        config.profile.burst = 100;
        instead = atof(program + 5) / 100 * log(1.5) / log(2); /* Zipf's f1 beside f0 */
    }
    if (!strcmp(program, "forks")) {
        config.seed = 0;
        return in_children(&config, argv[4]);
    }
    if (config.watch > 0) at_once(1);
    if (!strcmp(program, "blocks")) {
        config.profile.every = 18000;
        config.profile.burst = 2000;
    }
    if (!bursty_start(&config)) return 1;
    if (config.watch > 0) at_once(0);
    if (!strcmp(program, "blocks")) return blocks(argv[4]);
    if (!strncmp(program, "tails", 5)) in_runs(10000000);
    else if (!strcmp(program, "phases")) in_phases(5000000);
    else if (!strcmp(program, "pool")) steal();
    else if (is_game && atoi(program + 4) > 0) play(atoi(program + 4));
    else if (!strcmp(program, "idle")) idle();
    else if (!strcmp(program, "waits")) wait_in_turn();
    else if (!strcmp(program, "lines")) lines();
    else return 2;
    if (bursty_save(argv[4])) return 1;
    if (is_timed) print_times();
    return is_timed || is_own ? 0 : counted();
}
