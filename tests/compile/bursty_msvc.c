/* bursty_msvc.c - a program with threads of Windows that counts, ticks and
   writes a dump. Compiled by clang with its GNU side hidden (as_msvc.h), in C
   and in C++, and run by wine: so it takes the paths of Microsoft's compiler.
   The counts are exact, for every check is recorded. */
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#include "bursty.h"
#include "hcct.h"
#ifndef BURSTY_P_MSVC
#error "not as Microsoft's compiler sees it"
#endif

enum { THREADS = 8, ROUNDS = 500 };

static int failed;
static void check(const char *what, uint64_t got, uint64_t wanted) {
    if (got == wanted) return;
    failed++;
    printf("%s: got %lu, wanted %lu\n", what, (unsigned long)got, (unsigned long)wanted);
}

/* C has no destructors: it says BURST_LEAVE before each way out. C++ needs
   none. */
#ifdef __cplusplus
#define LEAVE() ((void)0)
#else
#define LEAVE() BURST_LEAVE()
#endif

static uint32_t inner(uint32_t n) {
    BURST_SCOPE("inner");
    bursty_tick(1);
    if (n % 2) {
        LEAVE();
        return 2;
    }
    n = bursty_depth();
    LEAVE();
    return n;
}

static void outer(uint32_t rounds) {
    uint32_t i, depth = 0;
    BURST_SCOPE("outer");
    for (i = 0; i < rounds; i++) depth += inner(i);
    check("depth inside", depth, 2 * rounds);
    LEAVE();
}

#ifdef __cplusplus
static void thrower(void) {
    BURST_SCOPE("thrower");
    throw 1;
}
#endif

/* All threads of a turn are there at once. */
static volatile LONG arrived;
static void meet(LONG turn) {
    (void)InterlockedIncrement(&arrived);
    while (arrived < turn * THREADS) Sleep(1);
}

static DWORD WINAPI thread_main(void *turn) {
    bursty_thread_name("worker");
    check("depth of a new thread", bursty_depth(), 0);
    outer(ROUNDS / 2);
    meet(*(const LONG *)turn);
    outer(ROUNDS / 2);
    check("depth at the end", bursty_depth(), 0);
    return 0;
}

static void run_threads(LONG turn) {
    HANDLE thread[THREADS];
    int i;
    for (i = 0; i < THREADS; i++) {
        thread[i] = CreateThread(NULL, 0, thread_main, &turn, 0, NULL);
        if (!thread[i]) exit(2);
    }
    for (i = 0; i < THREADS; i++) {
        WaitForSingleObject(thread[i], INFINITE);
        CloseHandle(thread[i]);
    }
}

static uint64_t inner_calls, outer_calls;
static void add_row(void *user, const bursty_row *row) {
    (void)user;
    if (!(row->site->kind & BURSTY_CALL)) return;
    if (strcmp(row->site->name, "inner") == 0) inner_calls += row->count;
    if (strcmp(row->site->name, "outer") == 0) outer_calls += row->count;
}

int main(int count, char **argument) {
    static bursty_config config;
    bursty_stats stats;
    if (count != 2) return 2;
#ifndef __cplusplus
    check("callpaths_setup", (uint64_t)callpaths_setup(NULL), 0);
#endif
    config.profile.every = BURSTY_ALWAYS;
    config.profile.classes = BURSTY_CALL;
    config.tick_hz = 100;
    config.watch = -1; /* it ticks itself */
    if (bursty_start(&config) == 0) return 2;
    run_threads(1);
    run_threads(2); /* these take over the records of the first */
    outer(10);
#ifdef __cplusplus
    try {
        thrower();
    } catch (int) {
    }
    check("depth behind an exception", bursty_depth(), 0);
#endif
    bursty_get_stats(&stats);
    check("threads", stats.threads, THREADS + 1);
    check("ended", stats.ended, THREADS);
    check("lost threads", stats.lost_threads, 0);
    check("lost events", stats.lost, 0);
    check("ticks", stats.ticks, 2 * THREADS * ROUNDS + 10);
    check("ticks lost", stats.ticks_lost + stats.ticks_cut, 0);
    check("why no timer ticks", (uint64_t)stats.no_time, BURSTY_TIME_IS_ON);
    bursty_each(add_row, NULL);
    check("calls of inner", inner_calls, 2 * THREADS * ROUNDS + 10);
    check("calls of outer", outer_calls, 4 * THREADS + 1);
    check("saved", (uint64_t)bursty_save(argument[1]), 0);
    check("saved over the old file", (uint64_t)bursty_save(argument[1]), 0);
    check("no such folder", bursty_save("no such folder/x.brst") == -1 && errno != 0, 1);
    return failed != 0;
}
