/* test_bursty_watcher.c - the thread that looks at the scopes of the others:
   running and waiting against the truth of the program's own clocks, threads
   that come and go, stop, pause, fork, exec, and memory of threads that is gone
   at once. On Linux, macOS and Windows. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "report/kinds/sampled.h"
#define BURSTY_IMPLEMENTATION
#include "bursty.h"

/* ---- what the tool makes of a dump ---- */

/* A part with one thread and one path: info, record 5 if wanted, then `numbers`
   up to UINT64_MAX. */
static int refused(int has_ticks, int has_path, const uint64_t *numbers, const char *reason) {
    text out = { NULL, 0, 0 };
    dump_writer w;
    dump d;
    dump_fault fault;
    tally t;
    int i, failed;
    memset(&t, 0, sizeof t);
    memset(&fault, 0, sizeof fault);
    dump_begin(&w, &out, DUMP_SAMPLED);
    for (i = 0; i < 6; i++) dump_put(&w, i == 0); /* info, an empty name, zeros */
    for (i = 0; i < 5 && has_ticks; i++) dump_put(&w, i == 0 ? 5 : i == 1 ? 10000 : 0);
    for (i = 0; i < 8 && has_path; i++) dump_put(&w, i == 0 ? 3 : 0);
    if (has_path) {
        dump_put(&w, 6);
        dump_put(&w, 1);
        dump_put_string(&w, "f");
        dump_put_string(&w, "f.c");
        for (i = 0; i < 6; i++) dump_put(&w, i < 2 ? 1 : 0);
    }
    for (; *numbers != UINT64_MAX; numbers++) dump_put(&w, *numbers);
    dump_end(&w);
    if (!CHECK(dump_read(&d, (const unsigned char *)out.data, out.size, &fault) == 0)) return 0;
    failed = kind_sampled.read(&t, &d, &d.parts[0], &fault);
    if (failed && !strstr(fault.reason, reason)) printf("refused: %s\n", fault.reason);
    if (failed) failed = strstr(fault.reason, reason) != NULL;
    else if (!*reason) failed = 1;
    kind_sampled.free(&t);
    dump_free(&d);
    text_free(&out);
    return failed;
}

#define END UINT64_MAX
TEST(records_of_a_watcher_are_checked) {
    static const uint64_t good[] = { 12, 1, 2, 5, 5, 5, 0, 0, 0, END };
    static const uint64_t twice[] = { 12, 1, 2, 5, 5, 5, 0, 0, 0, 12, 1, 2, 5, 5, 5, 0, 0, 0, END };
    static const uint64_t newer[] = { 12, 2, 2, 5, 5, 5, 0, 0, 0, END };
    static const uint64_t asks_0[] = { 12, 1, 0, 5, 5, 5, 0, 0, 0, END };
    static const uint64_t asks_4[] = { 12, 1, 4, 5, 5, 5, 0, 0, 0, END };
    static const uint64_t cut[] = { 12, 1, 2, 5, END };
    static const uint64_t waits[] = { 12, 1, 2, 5, 5, 5, 0, 0, 0, 13, 7, END };
    static const uint64_t alone[] = { 13, 7, END };
    CHECK(refused(1, 0, good, ""));
    CHECK(refused(1, 0, twice, "second watcher"));
    CHECK(refused(1, 0, newer, "unknown version"));
    CHECK(refused(1, 0, asks_0, "unknown way"));
    CHECK(refused(1, 0, asks_4, "unknown way"));
    CHECK(refused(1, 0, cut, "middle of a record"));
    CHECK(refused(0, 0, good, "before ticks"));
    CHECK(refused(1, 0, waits, "before the first path"));
    CHECK(refused(1, 1, waits, ""));
    CHECK(refused(1, 1, alone, "without a watcher"));
}

TEST(records_of_the_kernels_part_and_of_checks_are_checked) {
    static const uint64_t good[] = { 14, 100, 100, 0, END };
    static const uint64_t more[] = { 14, 100, 101, 4000, END };
    static const uint64_t twice[] = { 14, 100, 0, 4000, 14, 100, 0, 4000, END };
    static const uint64_t cut[] = { 14, 100, 50, END };
    static const uint64_t checks[] = { 15, 1, END };
    static const uint64_t ways[] = { 15, 3, END };
    static const uint64_t no_way[] = { 15, 0, END }, ways_4[] = { 15, 4, END };
    static const uint64_t random[] = { 15, 8, END }, all_ways[] = { 15, 11, END }, ways_16[] = { 15, 16, END };
    static const uint64_t steps[] = { 19, 5, 100, 99, END }, no_steps[] = { 19, 5, 0, 0, END };
    static const uint64_t more_steps[] = { 19, 5, 100, 101, END }, by_1[] = { 19, 1, 100, 99, END };
    static const uint64_t two_steps[] = { 19, 5, 100, 99, 19, 5, 100, 99, END };
    CHECK(refused(1, 0, random, ""));
    CHECK(refused(1, 0, all_ways, ""));
    CHECK(refused(1, 0, ways_16, "no known way"));
    CHECK(refused(1, 0, steps, ""));
    CHECK(refused(0, 0, steps, "before ticks"));
    CHECK(refused(1, 0, no_steps, "more ticks in step"));
    CHECK(refused(1, 0, more_steps, "more ticks in step"));
    CHECK(refused(1, 0, by_1, "more ticks in step"));
    CHECK(refused(1, 0, two_steps, "a second word"));
    CHECK(refused(1, 0, checks, ""));
    CHECK(refused(1, 0, ways, ""));
    CHECK(refused(1, 0, no_way, "no known way"));
    CHECK(refused(1, 0, ways_4, "no known way"));
    CHECK(refused(0, 0, checks, "before ticks"));
    CHECK(refused(1, 0, good, ""));
    CHECK(refused(1, 0, more, "more time in the kernel"));
    CHECK(refused(1, 0, twice, "second time in the kernel"));
    CHECK(refused(1, 0, cut, "middle of a record"));
    CHECK(refused(0, 0, good, "before ticks"));
}

#ifdef BURSTY_P_WATCHER
#if defined(_WIN32)
#include <windows.h>
#else
#include <pthread.h>
#include <signal.h>
#if defined(__linux__)
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#endif
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

/* ---- threads and clocks of both worlds ---- */

typedef void (*work_fn)(void *user);
typedef struct worker {
    work_fn work;
    void *user;
#if defined(_WIN32)
    HANDLE thread;
#else
    pthread_t thread;
#endif
} worker;

#if defined(_WIN32)
static DWORD WINAPI run_worker(void *user) {
    worker *w = (worker *)user;
    w->work(w->user);
    return 0;
}
static void begin(worker *w, work_fn work, void *user) {
    w->work = work;
    w->user = user;
    w->thread = CreateThread(NULL, 0, run_worker, w, 0, NULL);
    CHECK(w->thread != NULL);
}
static void join(worker *w) {
    WaitForSingleObject(w->thread, INFINITE);
    CloseHandle(w->thread);
}
static double wall(void) {
    LARGE_INTEGER now, hz;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&hz);
    return (double)now.QuadPart / (double)hz.QuadPart;
}
static double cpu(void) {
    FILETIME a, b, kernel, user;
    GetThreadTimes(GetCurrentThread(), &a, &b, &kernel, &user);
    return 1e-7 * ((double)kernel.dwLowDateTime + (double)user.dwLowDateTime);
}
static void rest(double seconds) { Sleep((DWORD)(seconds * 1000 + .5)); }
#else
static void *run_worker(void *user) {
    worker *w = (worker *)user;
    w->work(w->user);
    return NULL;
}
static void begin(worker *w, work_fn work, void *user) {
    w->work = work;
    w->user = user;
    CHECK_EQ(pthread_create(&w->thread, NULL, run_worker, w), 0);
}
static void join(worker *w) { pthread_join(w->thread, NULL); }
static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double wall(void) { return read_clock(CLOCK_MONOTONIC); }
static double cpu(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
static void rest(double seconds) {
    struct timespec t;
    t.tv_sec = (time_t)seconds;
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}
#endif

/* ---- what the tests ask ---- */

static BURSTY_P_TLS volatile uint32_t sink;
static uint32_t stop_word;
static int stops(void) { return BURSTY_P_ACQUIRE(&stop_word) != 0; }
static void stop_all(int yes) { BURSTY_P_RELEASE(&stop_word, (uint32_t)yes); }
static void burn(unsigned n) {
    while (n--) sink = sink * 1664525u + 1013904223u;
}

#include "dump_bytes.inc"

/* Everything that bursty_write writes, read, settled, written again by the tool
   and read again. */
static void read_dump(tally *t) {
    int again;
    for (again = 0; again < 2; again++) {
        text out = { NULL, 0, 0 };
        dump d;
        dump_fault fault;
        size_t i;
        if (!again) {
            file.size = 0;
            CHECK_EQ(bursty_write(to_file, &file), 0);
        } else {
            kind_sampled.write(t, &out);
            CHECK(out.size <= sizeof file.data);
            memcpy(file.data, out.data, out.size);
            file.size = out.size;
            text_free(&out);
            kind_sampled.free(t);
        }
        memset(t, 0, sizeof *t);
        if (!CHECK(dump_read(&d, file.data, file.size, &fault) == 0)) return;
        for (i = 0; i < d.part_count; i++) {
            if (d.parts[i].kind == 24) continue; /* its seed */
            CHECK_EQ(kind_sampled.read(t, &d, &d.parts[i], &fault), 0);
        }
        kind_sampled.settle(t);
        dump_free(&d);
    }
}

/* Looks that found this scope innermost, in all threads. */
static void looks_of(const tally *t, const char *name, uint64_t *runs, uint64_t *waits) {
    size_t i;
    *runs = *waits = 0;
    for (i = 0; i < t->paths.count; i++) {
        if (strcmp(t->sites.at[t->paths.at[i].site].name, name) != 0) continue;
        *runs += t->paths.at[i].ticks;
        *waits += t->paths.at[i].waiting;
    }
}

static bursty_stats stats_now(void) {
    bursty_stats stats;
    bursty_get_stats(&stats);
    return stats;
}
static uint64_t looks_now(void) {
    bursty_stats stats = stats_now();
    return stats.ticks + stats.waiting;
}

static void start_watcher(int32_t hz) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.tick_hz = hz;
    config.watch = 1;
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(stats_now().no_time, BURSTY_TIME_IS_ON);
}

/* ---- running and waiting ---- */

typedef struct truth {
    double ran, wall_ran, wall_waited, of_cpu;
    double run_s, wait_s, end;
} truth;

static void run_a_while(truth *t) {
    double from = wall(), cpu_from = cpu(), now;
    BURST_SCOPE("run_a_while");
    do {
        burn(2000);
        now = wall();
    } while (now - from < t->run_s);
    t->wall_ran += now - from;
    t->ran += cpu() - cpu_from;
    BURST_LEAVE();
}
static void wait_a_while(truth *t) {
    double from = wall();
    BURST_SCOPE("wait_a_while");
    rest(t->wait_s);
    t->wall_waited += wall() - from;
    BURST_LEAVE();
}
static void both(void *user) {
    truth *t = (truth *)user;
    BURST_SCOPE("both");
    while (wall() < t->end || (looks_now() < 100 && wall() < t->end + 10)) {
        run_a_while(t);
        if (t->wait_s > 0) wait_a_while(t);
    }
    BURST_LEAVE();
}

/* `part` of n looks against the true share: 5 standard errors, and what the
   machine may do to the moment at which a look happens. Late looks could have
   been anything. */
static int is_near(double part, double n, double late, double real) {
    double low = part / (n + late), high = (part + late) / (n + late);
    double apart = real < low ? low - real : real > high ? real - high : 0;
    double error = 25 * (real * (1 - real) + .25 / n) / n;
    return apart * apart <= error + .03 * .03;
}

static struct { double runs, looks, late, real; } compared;
static void compare_with_truth(double run_s, double wait_s, double seconds) {
    bursty_stats stats;
    uint64_t runs, waits, run_of_wait, wait_of_wait;
    double all, looks, late;
    truth t;
    tally dumped;
    worker w;
    memset(&t, 0, sizeof t);
    t.run_s = run_s;
    t.wait_s = wait_s;
    start_watcher(400);
    t.end = wall() + seconds;
    begin(&w, both, &t);
    join(&w);
    bursty_stop();
    stats = stats_now();
    read_dump(&dumped);
    looks_of(&dumped, "run_a_while", &runs, &waits);
    looks_of(&dumped, "wait_a_while", &run_of_wait, &wait_of_wait);
    looks = (double)(runs + waits + run_of_wait + wait_of_wait);
    all = t.wall_ran + t.wall_waited;
    late = (double)stats.looks_late;
    printf("  %g ms and %g ms: truth %.1f %% in run, CPU %.1f %%; %.0f looks: %.1f %% in run, "
           "running %.1f and %.1f %%, late %lu\n", 1e3 * run_s, 1e3 * wait_s, 100 * t.wall_ran / all,
           100 * t.ran / all, looks, 100 * (double)(runs + waits) / looks, 100 * (double)runs / looks,
           100 * (double)run_of_wait / looks, (unsigned long)stats.looks_late);
    compared.runs = (double)(runs + run_of_wait);
    compared.looks = looks;
    compared.late = late;
    compared.real = t.ran / all;
    CHECK(looks > 20);
    CHECK(is_near((double)(runs + waits), looks, late, t.wall_ran / all));
    CHECK(is_near((double)(runs + run_of_wait), looks, late, t.ran / all));
    if (BURSTY_P_ANSWERS != BURSTY_P_COARSE) CHECK((double)run_of_wait <= .03 * looks + 3);
    CHECK_EQ(dumped.programs.at[0].watch_answers, BURSTY_P_ANSWERS);
    CHECK(dumped.programs.at[0].rounds > 0);
    CHECK_EQ(dumped.programs.at[0].looks, stats.ticks + stats.waiting);
    kind_sampled.free(&dumped);
}

TEST(running_and_waiting_are_told_apart) {
    compare_with_truth(.1, .1, .8);
    compare_with_truth(.003, .012, .8);
}
TEST(who_spins_runs) { compare_with_truth(.2, 0, .4); }
TEST(who_sleeps_waits) { compare_with_truth(0, .1, .4); }

#if defined(__linux__)
/* More busy processes than processors. The watcher's turn then often ends that
   of the thread, and somebody else runs behind it. 8 looks: 4 may be owed. */
TEST(who_is_displaced_runs_as_much_as_its_cpu_time) {
    enum { MOST = 130 };
    pid_t busy[MOST];
    long count = sysconf(_SC_NPROCESSORS_ONLN) + 2, i;
    if (count > MOST) count = MOST;
    for (i = 0; i < count; i++) {
        busy[i] = fork();
        if (busy[i] == 0) {
            const double end = wall() + 60;
            while (wall() < end && getppid() != 1) burn(1000);
            _exit(0);
        }
    }
    compare_with_truth(.2, 0, .8);
    if (bursty_p_watcher.has_own_files)
        CHECK(compared.runs + compared.late + 8 >= .7 * compared.real * (compared.looks + compared.late));
    for (i = 0; i < count; i++) {
        if (busy[i] <= 0) continue;
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
}

static int next_file(void) {
    const int number = open("/dev/null", O_RDONLY);
    close(number);
    return number;
}
static void say_number_and_rest(void *user) {
    BURSTY_P_RELEASE((uint32_t *)user, bursty_p_system_me());
    while (!stops()) rest(.2);
}
/* A blocked thread waits, whatever its unpaid time. */
static void blocked_is_charged(uint32_t number) {
    static bursty_p_round round;
    const double end = wall() + 20;
    bursty_p_thread t;
    uint64_t waiting;
    int is_pending;
    start_watcher(100);
    bursty_stop();
    BURST_ENTRY();
    memset(&round, 0, sizeof round);
    round.gap = 1;
    BURSTY_P_RELEASE(&bursty_p_watcher.has_own_files, 1);
    do {
        memset(&t, 0, sizeof t);
        t.asks = number;
        t.found = BURSTY_P_UNKNOWN;
        t.pending = bursty_p_tick_place(1, 0, NULL, NULL, 1) << 1;
        waiting = stats_now().waiting;
        is_pending = bursty_p_watcher_ask(&round, &t);
    } while (is_pending && wall() < end);
    CHECK_EQ(is_pending, 0);
    CHECK_EQ(t.pending, 0);
    CHECK_EQ(stats_now().waiting, waiting + 1);
}
TEST(what_the_system_says_of_a_thread) {
    const uint32_t me = bursty_p_system_me(), had = bursty_p_watcher.has_own_files;
    const double end = wall() + 20;
    uint32_t number = 0;
    int state;
    const int next = next_file();
    char name[17] = "";
    struct stat tasks;
    worker w;
    bursty_p_watcher.has_own_files = 0;
    CHECK_EQ(bursty_p_system_state(me), BURSTY_P_UNKNOWN);
    bursty_p_watcher.has_own_files = 1;
    if (stat("/proc/self/task", &tasks) == 0) {
        prctl(PR_GET_NAME, name);
        prctl(PR_SET_NAME, "a) S (b) T");
        CHECK_EQ(bursty_p_system_state(me), BURSTY_P_READY);
        prctl(PR_SET_NAME, name);
        CHECK_EQ(bursty_p_system_state(4194305), BURSTY_P_UNKNOWN); /* above any number */
        stop_all(0);
        begin(&w, say_number_and_rest, &number);
        while (!BURSTY_P_ACQUIRE(&number) && wall() < end) rest(.001);
        do state = bursty_p_system_state(number);
        while (state != BURSTY_P_WAITS && wall() < end);
        CHECK_EQ(state, BURSTY_P_WAITS);
        blocked_is_charged(number);
        stop_all(1);
        join(&w);
        CHECK_EQ(next_file(), next);
    }
    bursty_p_watcher.has_own_files = had;
}

/* How many files the watcher's thread has; -1: there is no such thread. */
static int files_of_watcher(void) {
    DIR *tasks = opendir("/proc/self/task"), *files = NULL;
    const struct dirent *entry;
    char path[300];
    int count = 0;
    while (tasks && !files && (entry = readdir(tasks)) != NULL) {
        char name[32] = "";
        FILE *comm;
        snprintf(path, sizeof path, "/proc/self/task/%.200s/comm", entry->d_name);
        comm = fopen(path, "r");
        if (!comm) continue;
        if (!fgets(name, sizeof name, comm)) *name = 0;
        fclose(comm);
        if (strcmp(name, "bursty watcher\n") != 0) continue;
        snprintf(path, sizeof path, "/proc/self/task/%.200s/fd", entry->d_name);
        files = opendir(path);
    }
    if (tasks) closedir(tasks);
    if (!files) return -1;
    while ((entry = readdir(files)) != NULL) {
        if (*entry->d_name != '.') count++;
    }
    closedir(files);
    return count;
}
static void watcher_has_few_files(void) {
    const int count = files_of_watcher();
    CHECK(count >= 0 && count <= BURSTY_P_FIRST_FILE + 1); /* one, while it asks */
}

/* The program's files are not the watcher's: an end that is closed is closed,
   and the lowest number that is free stays free. */
static void open_and_close(void *user) {
    const double end = wall() + .4;
    uint64_t *others = (uint64_t *)user;
    const int first = next_file();
    BURST_SCOPE("open_and_close");
    while (wall() < end) {
        *others += next_file() != first;
        rest(.0002);
    }
    BURST_LEAVE();
}
TEST(the_watcher_holds_no_file_of_the_program) {
    const double end = wall() + 20;
    uint64_t others = 0;
    int ends[2], has_own;
    struct stat tasks;
    char byte;
    worker w;
    CHECK_EQ(pipe(ends), 0);
    start_watcher(1000);
    BURST_ENTRY();
    while (!BURSTY_P_ACQUIRE(&bursty_p_watcher.has_own_files) && wall() < end
           && !BURSTY_P_GET(&bursty_p_watcher.rounds)) rest(.001);
    has_own = (int)BURSTY_P_ACQUIRE(&bursty_p_watcher.has_own_files) && stat("/proc/self/task", &tasks) == 0;
    if (has_own) watcher_has_few_files();
    close(ends[1]);
    CHECK_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    CHECK_EQ(read(ends[0], &byte, 1), 0);
    begin(&w, open_and_close, &others);
    join(&w);
    if (has_own) watcher_has_few_files();
    bursty_stop();
    close(ends[0]);
    CHECK_EQ(others, 0);
}
#endif

/* 10 ms make a period of 100 Hz. A gap of 2 keeps at most 80 ms. */
TEST(unpaid_time_has_bounds) {
    bursty_p_thread t;
    memset(&t, 0, sizeof t);
    start_watcher(100);
    bursty_stop();
    bursty_p_watcher_earn(&t, 7000000, 1);
    CHECK_EQ(t.unpaid_ns, 7000000);
    bursty_p_watcher_earn(&t, 34000000, 1);
    CHECK_EQ(t.unpaid_ns, 40000000);
    bursty_p_watcher_earn(&t, 34000000, 2);
    CHECK_EQ(t.unpaid_ns, 74000000);
    bursty_p_watcher_earn(&t, -44000000, 1);
    CHECK_EQ(t.unpaid_ns, 30000000);
    bursty_p_watcher_earn(&t, -150000000, 2);
    CHECK_EQ(t.unpaid_ns, -80000000);
}

/* The thread of this test is ready whenever it is asked, and runs; so it is told
   that its CPU time has not moved. */
static void make_pending(bursty_p_round *round, bursty_p_thread *t, int64_t unpaid_ns) {
    t->pending = 0;
    bursty_p_watcher_look(round, t, 10000000);
    CHECK(t->pending);
    t->unpaid_ns = unpaid_ns;
    t->found = BURSTY_P_UNKNOWN;
}
static bursty_p_thread *looked_at(bursty_p_round *round, int32_t hz) {
    bursty_p_thread *t;
    memset(round, 0, sizeof *round);
    round->gap = 1;
    start_watcher(hz);
    BURST_ENTRY();
    bursty_stop();
    t = bursty_p_registered();
    if (!CHECK(t != NULL)) return NULL;
    t->ran_ns = 0;
    t->system = bursty_p_system_me();
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
    return t;
}
static int says(uint32_t found) {
    static const int64_t unpaid[] = { 5000000, 5000001 };
    static bursty_p_round round;
    bursty_p_thread *t = looked_at(&round, 100);
    int i, right = 1;
    if (!t) return 0;
    for (i = 0; i < 2; i++) {
        make_pending(&round, t, unpaid[i]);
        if (found != BURSTY_P_READY) t->system = 4194305; /* above any number */
        right &= bursty_p_watcher_look_again(&round, t, UINT64_MAX, 0) == 1;
        right &= t->asks == (i == 1 ? t->system : 0);
        right &= bursty_p_watcher_ask(&round, t) == 1;
        right &= t->found == (i == 1 ? found : BURSTY_P_UNKNOWN);
        t->system = bursty_p_system_me();
    }
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_CLOSED);
    return right;
}
TEST(who_has_unpaid_time_is_asked_for) {
    static bursty_p_round round;
    const uint32_t had = bursty_p_watcher.has_own_files;
    uint64_t waiting;
    bursty_p_thread *t;
    if (BURSTY_P_ANSWERS != BURSTY_P_EXACT) {
        SKIP("CPU time is not exact here");
        return;
    }
    CHECK(says(BURSTY_P_UNKNOWN));
    t = looked_at(&round, 100);
    if (!t) return;
    waiting = stats_now().waiting;
    make_pending(&round, t, 20000000);
    CHECK_EQ(bursty_p_watcher_look_again(&round, t, UINT64_MAX, 1), 0); /* nobody said that it was ready */
    CHECK_EQ(stats_now().waiting, waiting + 1);
    CHECK_EQ(t->unpaid_ns, 20000000);
    make_pending(&round, t, 20000000);
    t->found = BURSTY_P_READY;
    CHECK_EQ(bursty_p_watcher_look_again(&round, t, UINT64_MAX, 1), 0);
    CHECK_EQ(stats_now().waiting, waiting + 1);
    CHECK_EQ(stats_now().ticks, 1);
    CHECK_EQ(t->unpaid_ns, 10000000);
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_CLOSED);
    if (had) CHECK(says(BURSTY_P_READY));
}

/* A look pays for what it counts for. */
TEST(long_gaps_may_owe_more) {
    static bursty_p_round round;
    bursty_p_thread *t;
    if (BURSTY_P_ANSWERS != BURSTY_P_EXACT) {
        SKIP("CPU time is not exact here");
        return;
    }
    t = looked_at(&round, 100);
    if (!t) return;
    round.gap = 8;
    make_pending(&round, t, 0);
    CHECK_EQ(bursty_p_watcher_look_again(&round, t, 0, 1), 0);
    CHECK_EQ(t->unpaid_ns, -80000000);
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_CLOSED);
}

/* Long gaps: a look counts for 8 periods. A thread that is always ready, and
   gets a share of the processor, is found running in that share of the looks. */
TEST(sums_are_right_with_long_gaps) {
    static const double shares[] = { .05, .1, .33, .5, .9, .98 };
    static bursty_p_round round;
    bursty_p_thread t;
    size_t k;
    start_watcher(100);
    bursty_stop();
    for (k = 0; k < sizeof shares / sizeof *shares; k++) {
        uint32_t looks, runs = 0;
        double apart;
        memset(&t, 0, sizeof t);
        round.gap = 8;
        for (looks = 0; looks < 1000; looks++) {
            bursty_p_watcher_earn(&t, (int64_t)(shares[k] * 80000000), round.gap);
            if (2 * t.unpaid_ns <= bursty_p_watcher_periods(round.gap)) continue;
            runs++;
            bursty_p_watcher_earn(&t, -bursty_p_watcher_periods(round.gap), round.gap);
        }
        apart = runs - 1000 * shares[k];
        CHECK(apart > -4.5 && apart < 4.5);
    }
}
TEST(looks_earn_and_pay_and_late_ones_do_not) {
    static bursty_p_round round;
    bursty_p_thread *t;
    if (BURSTY_P_ANSWERS != BURSTY_P_EXACT) {
        SKIP("CPU time is not exact here");
        return;
    }
    start_watcher(100);
    BURST_ENTRY();
    bursty_stop();
    t = bursty_p_registered();
    if (!CHECK(t != NULL)) return;
    t->system = bursty_p_system_me();
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
    while (cpu() < .05) burn(1000);
    memset(&round, 0, sizeof round);
    round.gap = 1;
    t->unpaid_ns = 0;
    t->ran_ns = 0; /* no look has been at it: who knows since when it has run? */
    bursty_p_watcher_look(&round, t, 10000000);
    CHECK_EQ(t->unpaid_ns, 0);
    t->ran_ns -= 7000000;
    bursty_p_watcher_look(&round, t, 10000000);
    CHECK(t->unpaid_ns >= 7000000 && t->unpaid_ns < 40000000 && t->pending);
    t->unpaid_ns = 7000000;
    CHECK_EQ(bursty_p_watcher_look_again(&round, t, 0, 1), 0);
    CHECK_EQ(t->unpaid_ns, -3000000);
    t->ran_ns -= 7000000;
    t->seen = 9;
    round.has_run = 0;
    bursty_p_watcher_leave_out(&round, t, 10000000, 1);
    CHECK_EQ(t->unpaid_ns, -3000000);
    CHECK_EQ(t->seen, 0);
    CHECK_EQ(round.has_run, 1);
    bursty_p_watcher_look(&round, t, 10000000);
    CHECK(t->unpaid_ns < 4000000);
    t->unpaid_ns = 0; /* a pause of a minute, in which it ran, and a gap of 10 ms */
    t->ran_ns = 1;
    bursty_p_watcher_look(&round, t, 1000000);
    CHECK_EQ(t->unpaid_ns, 1000000);
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_CLOSED);
}

/* Who does nothing for half a second is looked at less often, and such a look
   counts for as many. A look that finds somebody running ends that. */
TEST(who_does_nothing_is_looked_at_less_often) {
    double began, idle_s, looks, expected;
    uint32_t rounds;
    bursty_stats stats;
    if (BURSTY_P_ANSWERS != BURSTY_P_EXACT) {
        SKIP("it is not known here that no thread has run");
        return;
    }
    start_watcher(1000);
    BURST_ENTRY();
    began = wall();
    rest(1.3);
    idle_s = wall() - began;
    rounds = BURSTY_P_GET(&bursty_p_watcher.rounds);
    bursty_get_stats(&stats);
    looks = (double)(stats.ticks + stats.waiting);
    expected = 1000 * idle_s;
    CHECK(looks + (double)stats.looks_late < 1.5 * expected + 16);
    if ((double)stats.looks_late > .2 * expected) { /* then it begins anew each time */
        SKIP("the machine is too busy for that");
        bursty_stop();
        return;
    }
    CHECK(looks + (double)stats.looks_late > .5 * expected);
    CHECK(rounds < .75 * looks);
    bursty_stop();
}

/* Behind a look: how long the next gap is. */
static uint32_t next_gap(uint64_t idle_ns, uint32_t has_run) {
    static bursty_p_round round;
    uint32_t next;
    round.pace = BURSTY_P_LONGEST;
    round.has_run = has_run;
    round.idle_ns = idle_ns;
    next = bursty_p_watcher_next_gap(&round, 10000000);
    CHECK_EQ(round.idle_ns, has_run ? 0 : idle_ns + 10000000);
    return next;
}
TEST(who_does_nothing_has_long_gaps) {
    const uint32_t most = BURSTY_P_ANSWERS == BURSTY_P_EXACT ? 8 : 1;
    start_watcher(100);
    bursty_stop();
    CHECK_EQ(next_gap(0, 1), 1);
    CHECK_EQ(next_gap(0, 0), 1);
    CHECK_EQ(next_gap(489999999, 0), 1);
    CHECK_EQ(next_gap(490000000, 0), most);
    CHECK_EQ(next_gap(600000000, 1), 1);
}

/* The mean is one period and the standard deviation, too; 5 % are longer than
   three. Of 200 000 gaps the errors are .22, .5 and 1 %: five of each are
   allowed. */
TEST(gaps_are_exponential) {
    enum { N = 200000 };
    double sum = 0, squares = 0, mean, deviation;
    int i, below = 0, above = 0;
    start_watcher(100);
    bursty_stop();
    bursty_p_watcher.random = 12345;
    for (i = 0; i < N; i++) {
        const double gap = (double)bursty_p_watcher_gap(3) / 30000000;
        sum += gap;
        squares += gap * gap;
        below += gap < .1;
        above += gap > 3;
    }
    mean = sum / N;
    deviation = squares / N - mean * mean;
    CHECK(mean > .989 && mean < 1.011);
    CHECK(deviation > .95 && deviation < 1.05);
    CHECK(above > .0473 * N && above < .0523 * N);
    CHECK(below > .0910 * N && below < .0993 * N);
}

static double mean_gap(uint64_t cost_ns) {
    double sum = 0;
    int i;
    for (i = 0; i < 4000; i++) sum += bursty_p_watcher_affords(cost_ns);
    return sum / 4000;
}
/* .1 % of a processor: 10 us of each period of 10 ms. */
TEST(gaps_are_as_long_as_the_watcher_costs) {
    start_watcher(0);
    bursty_stop();
    CHECK(mean_gap(0) == 1);
    CHECK(mean_gap(10000) == 1);
    CHECK(mean_gap(20000) == 2);
    CHECK(mean_gap(23000) > 2.25 && mean_gap(23000) < 2.35);
    CHECK(mean_gap(1000000) == 8);
    start_watcher(100); /* who asks for a rate gets it */
    bursty_stop();
    CHECK(mean_gap(20000) == 1);
    CHECK(mean_gap(1000000) == 1);
}
#if defined(__linux__)
TEST(the_watcher_knows_what_it_costs) {
    double end = wall() + 10;
    bursty_p_watcher.costs = 0;
    bursty_p_watcher.cost_ns = 0;
    start_watcher(0);
    BURST_ENTRY();
    while (BURSTY_P_GET(&bursty_p_watcher.costs) < 8 && wall() < end) rest(.01);
    bursty_stop();
    CHECK(bursty_p_watcher.costs >= 8);
    CHECK(bursty_p_watcher.cost_ns > 1000);
    CHECK(bursty_p_watcher.cost_ns < 50000000);
}
#endif

/* Which path a look finds: the innermost scope, under those around it. */
static void inner(void) {
    BURST_SCOPE("inner");
    burn(100000);
    BURST_LEAVE();
}
static void outer(void) {
    BURST_SCOPE("outer");
    inner();
    BURST_LEAVE();
}
TEST(paths_are_whole) {
    double end = wall() + 10;
    tally t;
    size_t i;
    start_watcher(1000);
    while (looks_now() < 50 && wall() < end) outer();
    bursty_stop();
    CHECK(looks_now() >= 50);
    read_dump(&t);
    for (i = 0; i < t.paths.count; i++) {
        const sampled_path *p = &t.paths.at[i];
        const char *name = t.sites.at[p->site].name;
        if (strcmp(name, "inner") == 0) {
            CHECK(p->parent != TALLY_NO_PATH);
            CHECK(strcmp(t.sites.at[t.paths.at[p->parent].site].name, "outer") == 0);
        } else {
            CHECK(p->parent == TALLY_NO_PATH);
        }
    }
    kind_sampled.free(&t);
}

/* a calls c alone, and b calls d alone, all as fast as they can: no other pair
   may be seen. */
static void leaf_c(void) {
    BURST_SCOPE("leaf_c");
    sink++;
    BURST_LEAVE();
}
static void leaf_d(void) {
    BURST_SCOPE("leaf_d");
    sink++;
    BURST_LEAVE();
}
static void fast_a(void) {
    BURST_SCOPE("fast_a");
    leaf_c();
    BURST_LEAVE();
}
static void fast_b(void) {
    BURST_SCOPE("fast_b");
    leaf_d();
    BURST_LEAVE();
}
static void spin_fast(void *user) {
    (void)user;
    BURST_SCOPE("fast");
    while (!stops()) {
        fast_a();
        fast_b();
    }
    BURST_LEAVE();
}
static void wait_for_looks(uint64_t n);
TEST(scopes_of_nanoseconds_give_no_path_that_is_none) {
    worker w[2];
    tally t;
    size_t i;
    uint64_t wrong = 0, all = 0;
    stop_all(0);
    start_watcher(10000);
    begin(&w[0], spin_fast, NULL);
    begin(&w[1], spin_fast, NULL);
    rest(.5);
    wait_for_looks(100);
    stop_all(1);
    join(&w[0]);
    join(&w[1]);
    bursty_stop();
    read_dump(&t);
    for (i = 0; i < t.paths.count; i++) {
        const sampled_path *p = &t.paths.at[i];
        const char *name = t.sites.at[p->site].name, *around;
        all += p->ticks;
        if (strncmp(name, "leaf", 4) != 0) continue;
        around = p->parent == TALLY_NO_PATH ? "" : t.sites.at[t.paths.at[p->parent].site].name;
        if (strcmp(around, name[5] == 'c' ? "fast_a" : "fast_b") != 0) wrong += p->ticks + p->waiting;
    }
    printf("  %lu of %lu looks at scopes of nanoseconds gave another path, %lu were cut\n",
           (unsigned long)wrong, (unsigned long)all, (unsigned long)stats_now().looks_cut);
    CHECK(all > 10);
    CHECK(wrong * 100 <= all + 100);
    kind_sampled.free(&t);
}

/* ---- threads that come and go ---- */

static void short_life(void *user) {
    (void)user;
    BURST_SCOPE("short_life");
    burn(2000);
    BURST_LEAVE();
}

TEST(threads_end_a_thousand_times) {
    bursty_stats stats;
    double began = wall(), end = wall() + 20;
    int count = 0, i;
    worker w[8];
    start_watcher(20000);
    while (count < 1000 && wall() < end) {
        for (i = 0; i < 8; i++) begin(&w[i], short_life, NULL);
        for (i = 0; i < 8; i++) join(&w[i]);
        count += 8;
    }
    stats = stats_now();
    printf("  %d threads in %.2f s, %lu looks\n", count, wall() - began,
           (unsigned long)(stats.ticks + stats.waiting));
    CHECK_EQ(stats.lost_threads, 0);
    CHECK_EQ(stats.untimed, 0);
    CHECK_EQ(stats.threads - stats.ended, 1);
    bursty_stop();
}

#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)
/* The stack of a thread, which has its thread-local variables in it, is
   unmapped as soon as the thread is joined. A look at it would end the
   program. */
TEST(stacks_are_unmapped_at_once) {
    const size_t size = 1 << 18;
    double end = wall() + 1;
    int count = 0;
    start_watcher(50000);
    while (wall() < end || (looks_now() == 0 && wall() < end + 10)) {
        worker w[4];
        void *stack[4];
        int i;
        for (i = 0; i < 4; i++) {
            pthread_attr_t attributes;
            stack[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (!CHECK(stack[i] != MAP_FAILED)) return;
            pthread_attr_init(&attributes);
            CHECK_EQ(pthread_attr_setstack(&attributes, stack[i], size), 0);
            w[i].work = short_life;
            CHECK_EQ(pthread_create(&w[i].thread, &attributes, run_worker, &w[i]), 0);
            pthread_attr_destroy(&attributes);
        }
        for (i = 0; i < 4; i++) {
            join(&w[i]);
            munmap(stack[i], size);
        }
        count += 4;
    }
    CHECK(count > 100);
    CHECK(looks_now() > 0);
    bursty_stop();
}
#endif

/* ---- orders ---- */

TEST(who_begins_it) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.watch = 3;
    CHECK_EQ(bursty_start(&config), 0);
    config.watch = -2;
    CHECK_EQ(bursty_start(&config), 0);
    config.watch = 1;
    config.tick_hz = -1;
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(stats_now().no_time, BURSTY_NO_TIME_ASKED);
    CHECK_EQ(bursty_p_watcher.exists, 0);
    config.tick_hz = 0;
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(bursty_p_watcher.exists, 1);
    config.watch = -1;
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(bursty_p_watcher.exists, 0);
    CHECK(bursty_start(NULL) > 0);
#if defined(BURSTY_P_TIMERS)
    CHECK_EQ(bursty_p_watcher.exists, 0);
#else
    CHECK_EQ(bursty_p_watcher.exists, 1);
    CHECK_EQ(stats_now().no_time, BURSTY_TIME_IS_ON);
#endif
#if defined(BURSTY_P_TICKER)
    config.watch = 2;
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(bursty_p_watcher.exists, 1);
    CHECK(bursty_p_ticks.is_sent && !bursty_p_ticks.is_watched);
#endif
    bursty_stop();
    CHECK_EQ(bursty_p_watcher.exists, 0);
}

static void wait_for_looks(uint64_t n) {
    double end = wall() + 10;
    uint64_t from = looks_now();
    while (looks_now() < from + n && wall() < end) rest(.002);
    CHECK(looks_now() >= from + n);
}

TEST(pause_stop_clear_and_start) {
    uint64_t before;
    int i;
    start_watcher(1000);
    wait_for_looks(5);
    bursty_pause(1);
    rest(.01); /* a round that has begun may end */
    before = looks_now();
    rest(.05);
    CHECK_EQ(looks_now(), before);
    bursty_pause(0);
    wait_for_looks(5);
    bursty_tick(1000); /* the watcher alone charges */
    CHECK(looks_now() < before + 1000);
    bursty_clear();
    wait_for_looks(5);
    bursty_stop();
    before = looks_now();
    rest(.02);
    CHECK_EQ(looks_now(), before);
    bursty_stop();
    for (i = 0; i < 50; i++) start_watcher(i % 2 ? 1000 : 1);
    start_watcher(1000);
    wait_for_looks(5);
    bursty_stop();
}

/* Threads outlive a stop and a start, and end in between. */
static void checks_until_stop(void *user) {
    (void)user;
    BURST_SCOPE("checks_until_stop");
    while (!stops()) {
        BURST_ENTRY();
        burn(100);
    }
    BURST_LEAVE();
}
TEST(threads_end_behind_a_stop) {
    worker w[4];
    int i;
    stop_all(0);
    start_watcher(5000);
    for (i = 0; i < 4; i++) begin(&w[i], checks_until_stop, NULL);
    wait_for_looks(20);
    bursty_stop();
    stop_all(1);
    for (i = 0; i < 4; i++) join(&w[i]);
    CHECK_EQ(stats_now().threads - stats_now().ended, 1);
}

#if defined(_WIN32)
/* A process that exits has no other thread when its last one is told to end. */
static void ended_while_looked_at(void *user) {
    (void)user;
    BURST_SCOPE("looked_at");
    bursty_p_me()->watched = BURSTY_P_LOOKING;
    BURST_LEAVE();
    bursty_thread_end();
    CHECK_EQ(BURSTY_P_HERE.n, BURSTY_P_SPAN);
}
TEST(a_watcher_that_the_system_ended_keeps_nobody) {
    worker w;
    start_watcher(10);
    TerminateThread(bursty_p_watcher.thread, 0);
    begin(&w, ended_while_looked_at, NULL);
    CHECK_EQ(WaitForSingleObject(w.thread, 20000), WAIT_OBJECT_0);
    bursty_p_all.threads[0].watched = BURSTY_P_LOOKING;
    bursty_stop();
    CHECK_EQ(bursty_p_all.threads[0].watched, BURSTY_P_CLOSED);
    CHECK_EQ(stats_now().threads - stats_now().ended, 1);
}
#endif

TEST(memory_is_bounded) {
    static uint64_t small[8192 / 8];
    bursty_config config;
    bursty_stats stats;
    memset(&config, 0, sizeof config);
    config.memory = small;
    config.memory_bytes = sizeof small;
    config.watch = 1;
    config.tick_hz = 2000;
    CHECK(bursty_start(&config) > 0);
    wait_for_looks(5);
    stats = stats_now();
    CHECK(stats.threads >= 1);
    bursty_stop();
    CHECK(bursty_start(NULL) > 0); /* gives the memory back */
    bursty_stop();
}

/* An emulator of programs (the slow targets have a TEST_SCALE of 10) has threads
   of its own, and falls over when a forked child makes one. */
#if TEST_SCALE >= 10
#define IS_EMULATED
#endif

#if defined(__linux__) && !defined(IS_EMULATED)
static void no_scope(void *user) {
    (void)user;
    while (!stops()) rest(.01);
}
TEST(threads_that_never_checked_are_counted) {
    worker w[3];
    double end = wall() + 20;
    int i;
    stop_all(0);
    start_watcher(200);
    for (i = 0; i < 3; i++) begin(&w[i], no_scope, NULL);
    while (stats_now().unwatched < 3 && wall() < end) rest(.05);
#if defined(__SANITIZE_THREAD__)
    CHECK(stats_now().unwatched >= 3); /* it has threads of its own */
#else
    CHECK_EQ(stats_now().unwatched, 3);
#endif
    stop_all(1);
    for (i = 0; i < 3; i++) join(&w[i]);
    bursty_stop();
}
#endif

#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__) && !defined(IS_EMULATED)
TEST(a_forked_child_has_a_watcher_of_its_own) {
    int status = -1;
    pid_t child;
    start_watcher(1000);
    wait_for_looks(20);
    child = fork();
    if (child == 0) {
        bursty_stats before = stats_now(), after;
        double end = wall() + 10;
        int failed;
        do after = stats_now();
        while (after.ticks + after.waiting < 5 && wall() < end);
        failed = before.ticks + before.waiting > 15 ? 1 : after.ticks + after.waiting < 5 ? 2 : 0;
        bursty_stop();
        _exit(failed);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    wait_for_looks(5);
    bursty_stop();
}

/* Forked again and again while the watcher is in the middle of looks. */
TEST(forks_in_the_middle_of_looks) {
    int i, status = -1;
    start_watcher(50000);
    for (i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            worker w;
            alarm(300);
            begin(&w, short_life, NULL);
            join(&w);
            bursty_thread_end();
            _exit(0);
        }
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(status, 0);
    }
    bursty_stop();
}
#endif

#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)
static volatile sig_atomic_t handled;
static pthread_t handled_by;
static void note_thread(int number) {
    (void)number;
    handled_by = pthread_self();
    handled = 1;
}
TEST(signals_of_the_program_are_not_for_it) {
    sigset_t set;
    int i;
    signal(SIGUSR1, note_thread);
    start_watcher(1000);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    for (i = 0; i < 20; i++) {
        CHECK_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
        handled = 0;
        kill(getpid(), SIGUSR1);
        rest(.002);
        CHECK_EQ(handled, 0); /* the watcher would take it */
        CHECK_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
        CHECK_EQ(handled, 1);
        CHECK(pthread_equal(handled_by, pthread_self()));
    }
    bursty_stop();
    signal(SIGUSR1, SIG_DFL);
}
#endif

/* ---- lockstep ---- */

/* Four threads that do the same at the same time are worth about one; the
   factor says so. */
static void in_step(void *user) {
    double began = *(double *)user, end = began + 1;
    while (wall() < end) {
        double at = wall() - began;
        int turn = (int)(at * 50);
        if (turn % 2) {
            BURST_SCOPE("odd");
            rest((turn + 1) / 50. - at);
            BURST_LEAVE();
        } else {
            BURST_SCOPE("even");
            rest((turn + 1) / 50. - at);
            BURST_LEAVE();
        }
    }
}
TEST(lockstep_is_seen) {
    worker w[4];
    double began;
    tally t;
    int i;
    start_watcher(1000);
    bursty_thread_end(); /* the test's own thread is not in step */
    began = wall();
    for (i = 0; i < 4; i++) begin(&w[i], in_step, &began);
    for (i = 0; i < 4; i++) join(&w[i]);
    bursty_stop();
    read_dump(&t);
    if (CHECK(t.programs.count == 1)) {
        const sampled_program *p = &t.programs.at[0];
        double rounds = (double)p->rounds, looks = (double)p->looks;
        CHECK(looks > 2.5 * rounds);
        CHECK((double)p->look_squares > 2.5 * looks); /* 1 to 4 */
    }
    kind_sampled.free(&t);
}

#else
TEST(there_is_no_watcher_here) {
    bursty_config config;
    bursty_stats stats;
    memset(&config, 0, sizeof config);
    config.watch = 1;
    CHECK(bursty_start(&config) > 0);
    bursty_get_stats(&stats);
    CHECK(stats.no_time != BURSTY_TIME_IS_ON);
    CHECK_EQ(stats.waiting, 0);
    bursty_stop();
}
#endif
