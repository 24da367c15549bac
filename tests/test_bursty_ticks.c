/* test_bursty_ticks.c - ticks go to the right scopes, from wherever they
   interrupt; nothing is lost uncounted. A bare build, whose ticks are called by
   hand; test_bursty_timers.c has the timers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "report/kinds/sampled.h"
#define BURSTY_BARE
#define BURSTY_TICKS
#define BURSTY_IMPLEMENTATION
#if defined(__unix__) && defined(__GNUC__) && !defined(__TINYC__)
#define TEST_PTHREAD
#include <pthread.h>
#endif
#include "bursty.h"
#include <setjmp.h>

/* ---- what a dump says ---- */

#include "ticked_dump.inc"

static uint32_t start(uint32_t every, uint32_t burst, bursty_action action) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.profile.every = every;
    config.profile.burst = burst;
    config.profile.jitter = -1;
    config.profile.action = action;
    config.tick_hz = 100;
    config.watch = -1;
    return bursty_start(&config);
}

/* ---- where a tick goes ---- */

static void inner(uint32_t ticks) {
    BURST_SCOPE("inner");
    bursty_tick(ticks);
    BURST_LEAVE();
}

static void outer(uint32_t ticks) {
    BURST_SCOPE("outer");
    bursty_tick(1);
    inner(ticks);
    bursty_tick(1);
    BURST_LEAVE();
}

TEST(a_tick_goes_to_its_path) {
    bursty_stats stats;
    tally t;
    (void)start(99, 1, NULL);
    bursty_tick(7);
    outer(3);
    inner(5);
    outer(4);
    read_dump(&t);
    CHECK_EQ(ticks_of(&t, "(outside)"), 7);
    CHECK_EQ(ticks_of(&t, "outer"), 4);
    CHECK_EQ(ticks_of(&t, "outer;inner"), 7);
    CHECK_EQ(ticks_of(&t, "inner"), 5);
    CHECK_EQ(t.paths.count, 4);
    kind_sampled.free(&t);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 23);
    CHECK_EQ(stats.ticks_lost + stats.ticks_cut + stats.ticks_slow + stats.ticks_late, 0);
    CHECK_EQ(stats.paths, 4);
}

TEST(a_pause_charges_nothing) {
    bursty_stats stats;
    tally t;
    bursty_stop();
    bursty_pause(1);
    (void)start(99, 1, NULL);
    outer(3);
    bursty_pause(1);
    bursty_pause(1);
    outer(100);
    bursty_tick(100);
    bursty_pause(0);
    inner(5);
    read_dump(&t);
    CHECK_EQ(ticks_of(&t, "outer"), 2);
    CHECK_EQ(ticks_of(&t, "outer;inner"), 3);
    CHECK_EQ(ticks_of(&t, "inner"), 5);
    kind_sampled.free(&t);
    bursty_stop();
    bursty_pause(0); /* there is nothing to go on with */
    outer(100);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 10);
    CHECK_EQ(stats.ticks_lost + stats.ticks_cut, 0);
}

static void dive(uint32_t depth) {
    BURST_SCOPE("dive");
    if (depth > 1) dive(depth - 1);
    else bursty_tick(1);
    BURST_LEAVE();
}

TEST(deeper_than_the_stack) {
    bursty_stats stats;
    tally t;
    size_t i;
    uint32_t deepest = 0;
    (void)start(99, 1, NULL);
    dive(BURSTY_STACK);
    dive(BURSTY_STACK + 1);
    dive(BURSTY_STACK + 30);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 3);
    CHECK_EQ(stats.paths, BURSTY_STACK + 1);
    read_dump(&t);
    for (i = 0; i < t.paths.count; i++) {
        int is_deep = strcmp(t.sites.at[t.paths.at[i].site].name, "(deep)") == 0;
        if (t.paths.at[i].depth > deepest) deepest = t.paths.at[i].depth;
        if (is_deep) CHECK_EQ(t.paths.at[i].ticks, 2);
    }
    CHECK_EQ(deepest, BURSTY_STACK);
    kind_sampled.free(&t);
}

TEST(a_full_table_charges_further_out) {
    static uint64_t memory[(sizeof(bursty_p_thread) + 16 * sizeof(bursty_p_row)) / 8 + 1];
    static uint64_t larger[3 * sizeof memory / 8];
    bursty_config config;
    bursty_stats stats;
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.tick_hz = 1;
    config.watch = -1;
    CHECK(bursty_start(&config) == 1); /* an eighth of so little is room for no path */
    bursty_get_stats(&stats);
    if (stats.no_time == BURSTY_NO_TIME_MEMORY) {
        bursty_tick(1);
        bursty_get_stats(&stats);
        CHECK_EQ(stats.ticks, 0);
    }
    config.memory = larger;
    config.memory_bytes = sizeof larger;
    CHECK(bursty_start(&config) >= 1);
    dive(50);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.no_time, BURSTY_TIME_IS_ON);
    CHECK_EQ(stats.ticks, 1);
    CHECK_EQ(stats.ticks_cut, 1);
    CHECK(stats.paths >= 4 && stats.paths < 50);
    bursty_tick(1); /* outside: has no row, and gets none */
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 1);
    CHECK_EQ(stats.ticks_lost, 1);
}

static void ticking_action(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
    bursty_tick(1);
}

TEST(ticks_in_the_recording_are_told_apart) {
    bursty_stats stats;
    (void)start(BURSTY_ALWAYS, 0, ticking_action);
    inner(1); /* its call, this tick, its return */
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 3);
    CHECK_EQ(stats.ticks_slow, 2);
}

TEST(merged_paths_add_up) {
    tally t, twice;
    dump d;
    dump_fault fault;
    text written = {NULL, 0, 0};
    size_t i, k;
    (void)start(99, 1, NULL);
    for (i = 0; i < 3; i++) outer(2);
    read_dump(&t);
    kind_sampled.write(&t, &written);
    memset(&twice, 0, sizeof twice);
    for (k = 0; k < 2; k++) {
        CHECK_EQ(dump_read(&d, (const unsigned char *)written.data, written.size, &fault), 0);
        for (i = 0; i < d.part_count; i++)
            CHECK_EQ(kind_sampled.read(&twice, &d, &d.parts[i], &fault), 0);
        dump_free(&d);
    }
    kind_sampled.settle(&twice);
    CHECK_EQ(twice.paths.count, t.paths.count);
    CHECK_EQ(ticks_of(&twice, "outer"), 12);
    CHECK_EQ(ticks_of(&twice, "outer;inner"), 12);
    kind_sampled.free(&t);
    kind_sampled.free(&twice);
    text_free(&written);
}

/* A thread takes its record and then writes the number into it. */
TEST(a_record_without_a_number_has_no_rows) {
    tally t;
    (void)start(99, 1, NULL);
    outer(2);
    if (bursty_p_threads() == bursty_p_all.thread_room) {
        SKIP("there is room for one thread");
        return;
    }
    (void)BURSTY_P_ADD(&bursty_p_all.thread_count, 1);
    read_dump(&t);
    CHECK_EQ(ticks_of(&t, "outer"), 2);
    CHECK_EQ(ticks_of(&t, "outer;inner"), 2);
    kind_sampled.free(&t);
    bursty_stop();
}

/* ---- threads that tick themselves, while another asks ---- */

#ifdef TEST_PTHREAD
enum { THREADS = 4, ROUNDS = 3000 };
static uint32_t finished;

static void *ticking_thread(void *argument) {
    int i;
    (void)argument;
    for (i = 0; i < ROUNDS; i++) {
        outer(2);
        inner(1);
    }
    bursty_thread_end();
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    return NULL;
}

TEST(ticks_of_threads_are_exact) {
    pthread_t thread[THREADS];
    bursty_stats stats;
    tally t;
    size_t i;
    (void)start(99, 1, NULL);
    finished = 0;
    for (i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&thread[i], NULL, ticking_thread, NULL), 0);
    }
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < THREADS) {
        bursty_get_stats(&stats);
        file.size = 0;
        CHECK_EQ(bursty_write(to_file, &file), 0);
    }
    for (i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks_lost + stats.ticks_cut, 0);
    read_dump(&t);
    CHECK_EQ(ticks_of(&t, "outer"), THREADS * ROUNDS * 2);
    CHECK_EQ(ticks_of(&t, "outer;inner"), THREADS * ROUNDS * 2);
    CHECK_EQ(ticks_of(&t, "inner"), THREADS * ROUNDS);
    CHECK_EQ(stats.ticks, THREADS * ROUNDS * 5);
    kind_sampled.free(&t);
}
#endif

/* ---- a tick at every instruction ---- */

/* ThreadSanitizer's own code between instructions does not bear a handler that
   it sees too. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_NO_TRAPS
#endif
#elif defined(__SANITIZE_THREAD__)
#define TEST_NO_TRAPS
#endif

#ifdef TEST_NO_TRAPS
TEST(a_tick_behind_every_instruction_disturbs_nothing) { SKIP("ThreadSanitizer bears no handler"); }
#elif defined(__x86_64__) && defined(__linux__) && defined(TEST_PTHREAD)
#include <signal.h>
#include <ucontext.h>

static volatile uint64_t trapped;
static volatile int stepping;

static void trap(int number, siginfo_t *info, void *context) {
    ucontext_t *c = (ucontext_t *)context;
    (void)number;
    (void)info;
    if (!stepping) c->uc_mcontext.gregs[REG_EFL] &= ~INT64_C(0x100);
    trapped++;
    bursty_tick(1);
}

static void events(void) {
    int i;
    BURST_SCOPE("events");
    for (i = 0; i < 40; i++) {
        BURST_LOOP();
        inner(0);
        BURST_POINT(BURSTY_USER, "point", i);
    }
    BURST_LEAVE();
}

/* The processor traps behind each instruction while its flag TF is set. */
static void step_through(void) {
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &old);
    trapped = 0;
    stepping = 1;
    __asm__ __volatile__("leaq -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n"
                         "leaq 128(%%rsp), %%rsp" : : : "cc", "memory");
    events();
    stepping = 0;
    __asm__ __volatile__("nop");
    sigaction(SIGTRAP, &old, NULL);
}

static uint64_t counted_rows(void) {
    uint64_t sum = 0;
    tally t;
    size_t i;
    read_dump(&t);
    for (i = 0; i < t.rows.count; i++) {
        sum = sum * 31 + t.rows.at[i].count * 7 + t.rows.at[i].weight_256;
    }
    kind_sampled.free(&t);
    return sum;
}

TEST(a_tick_behind_every_instruction_disturbs_nothing) {
    static const uint32_t rates[3][2] = { { 5, 3 }, { BURSTY_ALWAYS, 0 }, { 7, 1 } };
    int k;
    for (k = 0; k < 3; k++) {
        bursty_stats plain, stepped;
        uint64_t sum;
        CHECK(start(rates[k][0], rates[k][1], NULL) > 0);
        events();
        bursty_get_stats(&plain);
        sum = counted_rows();
        CHECK(start(rates[k][0], rates[k][1], NULL) > 0);
        step_through();
        bursty_get_stats(&stepped);
        CHECK(trapped > 3000);
        CHECK_EQ(stepped.ticks + stepped.ticks_lost, trapped);
        CHECK(stepped.ticks_slow > 0 && stepped.ticks_slow < stepped.ticks);
        CHECK_EQ(stepped.ticks_cut, 0);
        CHECK_EQ(stepped.checks, plain.checks);
        CHECK_EQ(stepped.events, plain.events);
        CHECK(counted_rows() == sum);
    }
}
#endif

/* ---- longjmp, with ticks of its own --------------------------------------------------------- */

static jmp_buf before;
static volatile int dives, deepest, jumps = 1;

static void jump_from(int depth) {
    BURST_SCOPE("jump");
    dives++;
    if (depth < deepest) jump_from(depth + 1);
    else if (jumps) longjmp(before, 1);
    BURST_LEAVE();
}

/* The paths of all ticks: after the jump they must be those of the scope that
   is running. */
TEST(a_longjmp_needs_the_depth) {
    volatile uint32_t depth;
    bursty_config config;
    bursty_stats stats;
    volatile int way;
    for (way = 0; way < 2; way++) {
        memset(&config, 0, sizeof config);
        config.tick_hz = 1;
        config.watch = -1;
        deepest = 4;
        CHECK(bursty_start(&config) > 0);
        depth = bursty_depth();
        if (setjmp(before) == 0) jump_from(0);
        if (way == 0) bursty_set_depth(depth);
        bursty_tick(1);
        bursty_get_stats(&stats);
        CHECK_EQ(stats.ticks, 1);
        CHECK_EQ(stats.paths, way == 0 ? 1 : 5); /* "(outside)", or five dives: the manual */
        bursty_set_depth(depth);
    }
    CHECK_EQ(dives, 10);
}

TEST(folding_is_on_request) {
    bursty_config config;
    bursty_stats stats;
    volatile uint32_t fold;
    for (fold = 0; fold < 2; fold++) {
        volatile uint32_t depth;
        memset(&config, 0, sizeof config);
        config.tick_hz = 1;
        config.watch = -1;
        config.fold = fold;
        deepest = 9;
        CHECK(bursty_start(&config) > 0);
        depth = bursty_depth();
        if (setjmp(before) == 0) jump_from(0);
        bursty_tick(3); /* the stack is still as deep as the jump has left it */
        bursty_set_depth(depth);
        bursty_get_stats(&stats);
        CHECK_EQ(stats.ticks, 3);
        CHECK_EQ(stats.paths, fold ? 1 : 10);
    }
}

TEST(stop_charges_nothing_and_keeps_what_there_is) {
    bursty_stats stats;
    (void)start(99, 1, NULL);
    bursty_tick(5);
    bursty_stop();
    bursty_tick(7);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 5);
    bursty_stop();
    (void)start(99, 1, NULL);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks, 0);
}
