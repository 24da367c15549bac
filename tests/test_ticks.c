/* test_ticks.c - ticks go to the right scopes, from wherever they interrupt; nothing is lost
   uncounted; timers, threads, fork and exec. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "kinds/sampled.h"
#define BURSTY_IMPLEMENTATION
#if defined(__unix__) && defined(__GNUC__) && !defined(__TINYC__)
#define TEST_PTHREAD
#endif
/* ThreadSanitizer keeps signals back until the program calls the C library. An emulator (the slow
   targets have a TEST_SCALE of 10) has no CPU time of a thread. */
#if defined(TEST_SCALE) && TEST_SCALE >= 10
#define TEST_NO_SIGNALS
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef TEST_NO_SIGNALS
#define TEST_NO_SIGNALS
#endif
#elif defined(__SANITIZE_THREAD__)
#undef TEST_NO_SIGNALS
#define TEST_NO_SIGNALS
#endif
#if defined(__linux__) && defined(TEST_PTHREAD) && !defined(TEST_NO_SIGNALS)
#endif
#include "bursty.h"

/* ---- what a dump says ---- */

typedef struct bytes {
    unsigned char data[1 << 18];
    size_t size;
} bytes;
static bytes file;

static int to_file(void *user, const void *data, size_t size) {
    bytes *b = (bytes *)user;
    if (b->size + size > sizeof b->data) return 1;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

/* Everything that bursty_write writes, read and settled by the tool. */
static void read_dump(tally *t) {
    dump d;
    dump_fault fault;
    size_t i;
    memset(t, 0, sizeof *t);
    file.size = 0;
    CHECK_EQ(bursty_write(to_file, &file), 0);
    if (!CHECK(dump_read(&d, file.data, file.size, &fault) == 0)) return;
    CHECK_EQ(d.part_count, 2);
    for (i = 0; i < d.part_count; i++) CHECK_EQ(kind_sampled.read(t, &d, &d.parts[i], &fault), 0);
    kind_sampled.settle(t);
    dump_free(&d);
}

/* "main;update" and so on. */
static const char *path_name(const tally *t, uint32_t path) {
    static char name[4096];
    char inner[4096];
    *name = 0;
    for (; path != TALLY_NO_PATH; path = t->paths.at[path].parent) {
        strcpy(inner, name);
        snprintf(name, sizeof name, "%s%s%.3000s", t->sites.at[t->paths.at[path].site].name,
                 *inner ? ";" : "", inner);
    }
    return name;
}

/* The ticks of a path, in all threads. */
static uint64_t ticks_of(const tally *t, const char *name) {
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < t->paths.count; i++) {
        if (strcmp(path_name(t, (uint32_t)i), name) == 0) sum += t->paths.at[i].ticks;
    }
    return sum;
}

static int start(uint32_t checks, uint32_t bursts, bursty_action action) {
    bursty_config bursty;
    ticks_config config;
    memset(&bursty, 0, sizeof bursty);
    memset(&config, 0, sizeof config);
    bursty.profile.every = checks;
    bursty.profile.burst = bursts;
    bursty.profile.jitter = -1;
    bursty.profile.action = action;
    config.bursty = &bursty;
    config.period_us = UINT32_MAX; /* over an hour: no timer of its own disturbs */
    return ticks_start(&config);
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
    ticks_stats stats;
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
    ticks_get_stats(&stats);
    CHECK_EQ(stats.ticks, 23);
    CHECK_EQ(stats.lost + stats.cut + stats.slow + stats.late, 0);
    CHECK_EQ(stats.paths, 4);
}

TEST(a_pause_charges_nothing) {
    ticks_stats stats;
    tally t;
    ticks_stop();
    ticks_pause(1);
    (void)start(99, 1, NULL);
    outer(3);
    ticks_pause(1);
    ticks_pause(1);
    outer(100);
    bursty_tick(100);
    ticks_pause(0);
    inner(5);
    read_dump(&t);
    CHECK_EQ(ticks_of(&t, "outer"), 2);
    CHECK_EQ(ticks_of(&t, "outer;inner"), 3);
    CHECK_EQ(ticks_of(&t, "inner"), 5);
    kind_sampled.free(&t);
    ticks_stop();
    ticks_pause(0); /* there is nothing to go on with */
    outer(100);
    ticks_get_stats(&stats);
    CHECK_EQ(stats.ticks, 10);
    CHECK_EQ(stats.lost + stats.cut, 0);
}

static void dive(uint32_t depth) {
    BURST_SCOPE("dive");
    if (depth > 1) dive(depth - 1);
    else bursty_tick(1);
    BURST_LEAVE();
}

TEST(deeper_than_the_stack) {
    ticks_stats stats;
    tally t;
    size_t i;
    uint32_t deepest = 0;
    (void)start(99, 1, NULL);
    dive(BURSTY_STACK);
    dive(BURSTY_STACK + 1);
    dive(BURSTY_STACK + 30);
    ticks_get_stats(&stats);
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
    static uint64_t memory[64];
    ticks_config config;
    ticks_stats stats;
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = 64;
    config.period_us = 1000000000;
    CHECK_EQ(ticks_start(&config), -1);
    config.memory_bytes = sizeof memory;
    (void)ticks_start(&config);
    dive(50);
    ticks_get_stats(&stats);
    CHECK_EQ(stats.ticks, 1);
    CHECK_EQ(stats.cut, 1);
    CHECK_EQ(stats.paths, stats.room);
    CHECK(stats.room >= 4 && stats.room < 50);
    bursty_tick(1); /* outside: has no row, and gets none */
    ticks_get_stats(&stats);
    CHECK_EQ(stats.ticks, 1);
    CHECK_EQ(stats.lost, 1);
}

static void ticking_action(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
    bursty_tick(1);
}

TEST(ticks_in_the_recording_are_told_apart) {
    ticks_stats stats;
    (void)start(BURSTY_ALWAYS, 0, ticking_action);
    inner(1); /* its call, this tick, its return */
    ticks_get_stats(&stats);
    CHECK_EQ(stats.ticks, 3);
    CHECK_EQ(stats.slow, 2);
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
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    return NULL;
}

TEST(ticks_of_threads_are_exact) {
    pthread_t thread[THREADS];
    ticks_stats stats;
    tally t;
    size_t i;
    (void)start(99, 1, NULL);
    finished = 0;
    for (i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&thread[i], NULL, ticking_thread, NULL), 0);
    }
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < THREADS) {
        ticks_get_stats(&stats);
        file.size = 0;
        CHECK_EQ(bursty_write(to_file, &file), 0);
    }
    for (i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
    ticks_get_stats(&stats);
    CHECK_EQ(stats.lost + stats.cut, 0);
    read_dump(&t);
    CHECK_EQ(ticks_of(&t, "outer"), THREADS * ROUNDS * 2);
    CHECK_EQ(ticks_of(&t, "outer;inner"), THREADS * ROUNDS * 2);
    CHECK_EQ(ticks_of(&t, "inner"), THREADS * ROUNDS);
    /* The timer of the thread that waits begins at a random moment: its tick is in no scope. */
    CHECK_EQ(stats.ticks, THREADS * ROUNDS * 5 + ticks_of(&t, "(outside)"));
    kind_sampled.free(&t);
}
#endif

/* ---- a tick at every instruction ---- */

#if defined(__x86_64__) && defined(TICKS_TIMERS)
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
        ticks_stats stats;
        bursty_stats plain, stepped;
        uint64_t sum;
        if (start(rates[k][0], rates[k][1], NULL) != 0) {
            SKIP("no timers");
            return;
        }
        events();
        bursty_get_stats(&plain);
        sum = counted_rows();
        CHECK_EQ(start(rates[k][0], rates[k][1], NULL), 0);
        step_through();
        bursty_get_stats(&stepped);
        ticks_get_stats(&stats);
        CHECK(trapped > 3000);
        CHECK_EQ(stats.ticks + stats.lost, trapped);
        CHECK(stats.slow > 0 && stats.slow < stats.ticks);
        CHECK_EQ(stats.cut, 0);
        CHECK_EQ(stepped.checks, plain.checks);
        CHECK_EQ(stepped.events, plain.events);
        CHECK(counted_rows() == sum);
    }
}

/* ---- first and last instructions ---- */

#ifdef TICKS_P_READS_CODE
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define TEST_IS_PLAIN /* the compiler's code is as ticks.h knows it */
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#undef TEST_IS_PLAIN
#endif
#endif

typedef unsigned (*stepped_function)(unsigned a);
static volatile stepped_function stepped_now;
static volatile uint64_t inside; /* instructions of it */

/* As the timer's handler does it. */
static void trap_reads_code(int number, siginfo_t *info, void *context) {
    ucontext_t *c = (ucontext_t *)context;
    const unsigned char *pc = (const unsigned char *)c->uc_mcontext.gregs[REG_RIP];
    (void)number;
    (void)info;
    if (!stepping) c->uc_mcontext.gregs[REG_EFL] &= ~INT64_C(0x100);
    inside += ticks_p_function(pc) == (const unsigned char *)(uintptr_t)stepped_now;
    ticks_p_charge(1, ticks_p_running(pc));
}

/* Returns the ticks of the scope when each instruction of the call gets one; or -1 where ticks
   cannot be, or cannot read the code. */
static int64_t ticks_of_call(stepped_function function, unsigned a, const char *scope) {
    struct sigaction action, old;
    tally t;
    int64_t ticks;
    if (start(BURSTY_ALWAYS / 8, 1, NULL) != 0 || ticks_p_code.count == 0) return -1;
    stepped_now = function;
    (void)stepped_now(a);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = trap_reads_code;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &old);
    inside = 0;
    stepping = 1;
    __asm__ __volatile__("leaq -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n"
                         "leaq 128(%%rsp), %%rsp" : : : "cc", "memory");
    (void)stepped_now(a);
    stepping = 0;
    __asm__ __volatile__("nop");
    sigaction(SIGTRAP, &old, NULL);
    read_dump(&t);
    ticks = (int64_t)ticks_of(&t, scope);
    kind_sampled.free(&t);
    return ticks;
}

static volatile unsigned stored[8];

__attribute__((noinline)) static unsigned small_scope(unsigned a) {
    BURST_SCOPE("small_scope");
    stored[0] = a;
    return a * 3 + stored[1];
}

__attribute__((noinline)) static unsigned busy_scope(unsigned a) {
    unsigned i, sum = 0;
    BURST_SCOPE("busy_scope");
    for (i = 0; i < 8; i++) sum += stored[i] * a;
    if (sum == 1) return small_scope(sum);
    for (i = 0; i < 8; i++) stored[i] = sum + a + i;
    return sum;
}

__attribute__((noinline)) static unsigned rarely_a_scope(unsigned a) {
    if (a == 0) {
        BURST_SCOPE("rarely");
        stored[0] = 0;
        return 1;
    }
    return a * 3;
}

__attribute__((noinline)) static unsigned a_late_scope(unsigned a) {
    unsigned i;
    for (i = 0; i < 20 * a; i++) stored[i & 7] = a + i;
    {
        BURST_SCOPE("late");
        stored[0] = a;
    }
    return a;
}

__attribute__((noinline)) static unsigned an_early_scope(unsigned a) {
    unsigned i;
    {
        BURST_SCOPE("early");
        stored[0] = a;
    }
    for (i = 0; i < 20 * a; i++) stored[i & 7] = a + i;
    return a;
}

/* Loops whose condition is "above", as that of a scope's depth is. */
__attribute__((noinline)) static unsigned a_later_scope(unsigned a) {
    unsigned n = 20 * a;
    do {
        stored[n & 7] += n;
        n--;
    } while (n >= 8);
    {
        BURST_SCOPE("later");
        stored[0] = a;
    }
    return a;
}

__attribute__((noinline)) static unsigned an_earlier_scope(unsigned a) {
    unsigned n = 20 * a;
    {
        BURST_SCOPE("earlier");
        stored[0] = a;
    }
    do {
        stored[n & 7] += n;
        n--;
    } while (n >= 8);
    return a;
}

TEST(first_and_last_instructions_belong_to_the_function) {
    int64_t ticks = ticks_of_call(small_scope, 7, "small_scope");
    if (ticks < 0) {
        SKIP("no timers, or no sorted table for unwinding");
        return;
    }
    CHECK(ticks > 0 && ticks <= (int64_t)inside);
#ifdef TEST_IS_PLAIN
    CHECK_EQ(ticks, inside);
#endif
    ticks = ticks_of_call(busy_scope, 7, "busy_scope");
    CHECK(ticks > 30 && ticks <= (int64_t)inside);
#ifdef TEST_IS_PLAIN
    CHECK_EQ(ticks, inside);
#endif
}

TEST(code_outside_of_the_scope_does_not) {
    int64_t ticks = ticks_of_call(rarely_a_scope, 5, "rarely");
    if (ticks < 0) {
        SKIP("no timers, or no sorted table for unwinding");
        return;
    }
    CHECK_EQ(ticks, 0);
    CHECK(ticks_of_call(rarely_a_scope, 0, "rarely") > 0);
    ticks = ticks_of_call(a_late_scope, 5, "late");
    CHECK(ticks > 0 && ticks + 200 < (int64_t)inside);
    ticks = ticks_of_call(an_early_scope, 5, "early");
    CHECK(ticks > 0 && ticks + 200 < (int64_t)inside);
    ticks = ticks_of_call(a_later_scope, 5, "later");
    CHECK(ticks > 0 && ticks + 200 < (int64_t)inside);
    ticks = ticks_of_call(an_earlier_scope, 5, "earlier");
    CHECK(ticks > 0 && ticks + 200 < (int64_t)inside);
}

/* The table's entries as ticks.h takes them, of an object with this table of so many bytes. */
static uint32_t entries_of(unsigned char *table, size_t size, uint32_t count) {
    ElfW(Phdr) parts[2];
    struct dl_phdr_info object;
    uintptr_t low = (uintptr_t)table, high = (uintptr_t)&ticks_p_code;
    uint32_t i;
    if (low > high) {
        high = low;
        low = (uintptr_t)&ticks_p_code;
    }
    memset(parts, 0, sizeof parts);
    memset(&object, 0, sizeof object);
    parts[0].p_type = PT_LOAD;
    parts[0].p_vaddr = low;
    parts[0].p_memsz = high + 100 - low;
    parts[1].p_type = PT_GNU_EH_FRAME;
    parts[1].p_vaddr = (uintptr_t)table;
    parts[1].p_memsz = size;
    object.dlpi_phdr = parts;
    object.dlpi_phnum = 2;
    table[0] = 1;
    table[2] = 3;
    table[3] = 0x3B;
    for (i = 0; i < 4; i++) table[8 + i] = (unsigned char)(count >> 8 * i);
    ticks_p_code.count = 0;
    CHECK_EQ(ticks_p_find_code(&object, sizeof object, NULL), 1);
    return ticks_p_code.count;
}

TEST(a_table_larger_than_its_memory_is_not_used) {
    static unsigned char table[100];
    CHECK_EQ(entries_of(table, 12 + 3 * 8, 3), 3);
    CHECK_EQ(entries_of(table, 12 + 3 * 8, 4), 0);
    CHECK_EQ(entries_of(table, 12 + 3 * 8 - 1, 3), 0);
    CHECK_EQ(entries_of(table, 11, 0), 0);
    CHECK_EQ(entries_of(table, 12, UINT32_MAX), 0);
    CHECK_EQ(entries_of(table, (size_t)1 << 40, 3), 0);
    ticks_p_code.count = 0;
}
#endif
#endif

/* ---- timers ---- */

#ifdef TICKS_TIMERS
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile unsigned sink;
static void burn(unsigned n) {
    while (n--) sink = sink * 1664525u + 1013904223u;
}
static void forty(void) {
    BURST_SCOPE("forty");
    burn(40000);
    BURST_LEAVE();
}
static void sixty(void) {
    BURST_SCOPE("sixty");
    burn(60000);
    BURST_LEAVE();
}
/* A leaf without a call or a check of its own: its stores must not be optimised away. */
static void leaf(void) {
    unsigned i;
    BURST_SCOPE("leaf");
    for (i = 0; i < 100000; i++) sink = sink * 1664525u + 1013904223u;
    BURST_LEAVE();
}

static int start_timers(void) {
    ticks_config config;
    memset(&config, 0, sizeof config);
    config.period_us = 1000;
    return ticks_start(&config);
}

static void run_for(double seconds, int with_leaf) {
    double end = cpu_seconds() + seconds;
    while (cpu_seconds() < end) {
        if (with_leaf) {
            leaf();
            continue;
        }
        forty();
        sixty();
    }
}

/* The kernel may be late with a tick: until n ticks have come, or 10 s of CPU time are gone. */
static void run_until(uint64_t n, int with_leaf) {
    double end = cpu_seconds() + 10;
    ticks_stats stats;
    uint64_t first;
    ticks_get_stats(&stats);
    first = stats.ticks;
    while (stats.ticks - first < n && cpu_seconds() < end) {
        run_for(0.02, with_leaf);
        ticks_get_stats(&stats);
    }
}

TEST(forty_to_sixty) {
    ticks_stats stats;
    double forties, all, p;
    tally t;
    if (start_timers() != 0) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_for(0.3, 0);
    run_until(30, 0);
    ticks_get_stats(&stats);
    read_dump(&t);
    forties = (double)ticks_of(&t, "forty");
    all = forties + (double)ticks_of(&t, "sixty");
    kind_sampled.free(&t);
    CHECK(all > 10); /* the kernel's own tick may be as rare as 10 ms */
    p = forties / all;
    CHECK((p - 0.4) * (p - 0.4) < 16 * 0.24 / 30 + 0.001); /* 4 standard errors of 30 ticks */
    CHECK((double)stats.ticks > 0.9 * all);
    CHECK_EQ(stats.lost, 0);
}

TEST(a_leaf_keeps_its_ticks) {
    uint64_t own;
    tally t;
    if (start_timers() != 0) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_until(600, 1); /* one signal may stand for 100 ticks where a machine stood still */
    read_dump(&t);
    own = ticks_of(&t, "leaf");
    CHECK(own > 3);
    CHECK(10 * ticks_of(&t, "(outside)") <= 3 * own + 10);
    kind_sampled.free(&t);
}

static void *worker(void *argument) {
    (void)argument;
    run_until(4, 0);
    return NULL;
}

TEST(every_thread_has_its_own_timer) {
    pthread_t thread[3];
    tally t;
    uint64_t of_thread[4] = { 0, 0, 0, 0 };
    size_t i;
    if (start_timers() != 0) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    for (i = 0; i < 3; i++) { /* one at a time, so that the ticks that it waits for are its own */
        CHECK_EQ(pthread_create(&thread[i], NULL, worker, NULL), 0);
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    }
    read_dump(&t);
    for (i = 0; i < t.paths.count; i++) {
        uint32_t number = t.threads.at[t.paths.at[i].thread].number;
        if (number < 4) of_thread[number] += t.paths.at[i].ticks;
    }
    for (i = 1; i < t.threads.count && i < 4; i++) CHECK(of_thread[i] >= 4);
    CHECK(of_thread[0] < of_thread[1] + of_thread[2] + of_thread[3]);
    kind_sampled.free(&t);
}

TEST(a_forked_child_ticks_from_zero) {
    int status = -1;
    pid_t child;
    if (start_timers() != 0) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_until(200, 0);
    child = fork();
    if (child == 0) {
        ticks_stats before, after;
        ticks_get_stats(&before);
        run_until(3, 0);
        ticks_get_stats(&after);
        _exit(before.ticks > 100 ? 1 : after.ticks < before.ticks + 3 ? 2 : 0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}

TEST(exec_removes_the_timers) {
    int status = -1;
    pid_t child;
    if (start_timers() != 0) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    child = fork();
    if (child == 0) {
        run_for(0.02, 0);
        execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done",
              (char *)0);
        _exit(99);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}

static volatile int mine;
static void my_handler(int number) {
    (void)number;
    mine++;
}

TEST(a_signal_in_use_is_left_alone) {
    struct sigaction action, old;
    ticks_config config;
    memset(&action, 0, sizeof action);
    memset(&config, 0, sizeof config);
    action.sa_handler = my_handler;
    sigaction(SIGUSR1, &action, &old);
    config.signal = SIGUSR1;
    CHECK_EQ(ticks_start(&config), -1);
    raise(SIGUSR1);
    CHECK_EQ(mine, 1);
    sigaction(SIGUSR1, &old, NULL);
}

TEST(waiting_is_not_interrupted) {
    struct timespec wait = { 0, 30000000 };
    if (start_timers() != 0) {
        SKIP("no timers of threads' CPU time here");
        return;
    }
    run_for(0.02, 0);
    CHECK_EQ(nanosleep(&wait, NULL), 0);
}
#endif
