/* test_x86patch.c - functions of this very program, patched while it runs. Each
   test forks, for a process is patched once; the child tells by its exit status
   which check failed. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#define X86_IMPLEMENTATION
#define X86_STATIC
#include "record/x86/x86.h"
#include "test.h"

#if !defined(__linux__) || !defined(__x86_64__) || !defined(__LP64__) || !defined(__GNUC__)        \
    || defined(__TINYC__)
TEST(says_that_it_is_not_supported) {
    x86_config config;
    memset(&config, 0, sizeof config);
    CHECK_EQ(x86_install(&config), 0);
    CHECK_STR(x86_reason(), "not supported on this system");
    CHECK_EQ(x86_uninstall(), -1);
}
#else
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include "x86patch.inc"

/* ---- what is patched: functions whose names begin with work_ ---- */

static volatile int sink;
static volatile unsigned long calls;               /* of functions whose names begin with work_ */
static unsigned numbers[64];
static int (*volatile through_pointer)(int);

WORK static int work_leaf(int n) { calls++; sink = n; return n * 3; }
static int (*volatile again)(int);                 /* so that no compiler makes a loop of it */
WORK static int work_fib(int n) {
    calls++;
    return n < 2 ? 1 : again(n - 1) + again(n - 2);
}
WORK static int work_switch(int n) {
    switch (n & 15) {
    case 0: return work_leaf(n);
    case 1: return n + 1;
    case 2: return n ^ 5;
    case 3: return n - 7;
    case 4: return n << 1;
    case 5: return n >> 1;
    case 6: return n | 9;
    case 7: return n & 255;
    case 8: return work_leaf(-n);
    case 9: return n % 17;
    case 10: return n * n;
    default: return n;
    }
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"             /* labels as values */
WORK static int work_labels(const unsigned char *p) {
    static const void *const to[] = {&&add, &&twice, &&flip, &&end};
    int a = 1;
    goto *to[*p];
add:
    a += 1;
    p++;
    goto *to[*p];
twice:
    a = (a * 2) & 0xFFFFF;
    p++;
    goto *to[*p];
flip:
    a ^= 0x55;
    p++;
    goto *to[*p];
end:
    return a;
}
/* A threaded interpreter: its bytecode holds addresses of labels. The loop is
   in the bytecode. */
enum { THREAD_OPS = 20, THREAD_LOOP = THREAD_OPS, THREAD_END, THREAD_CALL, THREAD_LABELS };
#define OP(n) op##n: a = (a ^ (unsigned)(n)) * 3 + (unsigned)(7 * (n)); pc++; goto *(void *)*pc;
WORK static unsigned work_thread(const unsigned char *program, unsigned times) {
    static const void *const to[] = {
        &&op0, &&op1, &&op2, &&op3, &&op4, &&op5, &&op6, &&op7, &&op8, &&op9, &&op10, &&op11,
        &&op12, &&op13, &&op14, &&op15, &&op16, &&op17, &&op18, &&op19, &&loop, &&end, &&call};
    uintptr_t code[64];
    const uintptr_t *pc = code;
    unsigned a = 1, n;
    for (n = 0; n < 64; n++) {
        code[n] = (uintptr_t)to[program[n] % THREAD_LABELS];
        if (program[n] == THREAD_END) break;
    }
    goto *(void *)*pc;
    OP(0) OP(1) OP(2) OP(3) OP(4) OP(5) OP(6) OP(7) OP(8) OP(9) OP(10) OP(11) OP(12) OP(13)
    OP(14) OP(15) OP(16) OP(17) OP(18) OP(19)
loop:
    if (times--) pc = code;
    else pc++;
    goto *(void *)*pc;
call:
    a += (unsigned)work_leaf((int)(a & 0xFF));
    pc++;
    goto *(void *)*pc;
end:
    return a;
}
#undef OP
#pragma GCC diagnostic pop
WORK static unsigned work_loop(unsigned n) {
    unsigned i, sum = 0;
    calls++;
    for (i = 0; i < n; i++) {
        numbers[i & 63] += i;
        sum += numbers[(i * 7) & 63] + (unsigned)work_leaf((int)i);
    }
    return sum;
}
static jmp_buf back;
WORK static int work_jump(int n) {
    if (n == 0) longjmp(back, 5);
    return n > 1000 ? 0 : work_jump(n - 1) + 1;
}
WORK static int work_all(void) {
    unsigned char program[200];
    volatile int sum = 0;
    int i;
    memset(numbers, 0, sizeof numbers);
    for (i = 0; i < 199; i++) program[i] = (unsigned char)((i * 5) % 3);
    program[199] = 3;
    for (i = 0; i < 300; i++) sum += work_switch(sum + i) & 0xFFFF;
    for (i = 0; i < 20; i++) sum += work_labels(program);
    for (i = 0; i < 40; i++) program[i] = (unsigned char)((i * 7) % THREAD_OPS);
    program[20] = THREAD_CALL;
    program[40] = THREAD_LOOP;
    program[41] = THREAD_END;
    sum += (int)(work_thread(program, 300) & 0xFFFF);
    sum += (int)work_loop(500) & 0xFFFF;
    sum += work_fib(14);
    if (setjmp(back) == 0) sum += work_jump(20);
    return sum + through_pointer(3);
}

/* ---- what the events say ---- */

typedef struct tally {
    unsigned long entries, exits, loads, stores, blocks, calls, frames, bursts, ended;
} tally;
static tally seen;
static uint64_t stores_in_numbers;

static void take(void *user, const x86_event *e, size_t count, int ended) {
    (void)user;
    seen.ended += ended != 0;
    for (; count--; e++) {
        seen.entries += (e->what & X86_ENTRY) != 0;
        seen.exits += (e->what & X86_EXIT) != 0;
        seen.calls += (e->what & X86_CALL) != 0;
        seen.blocks += (e->what & X86_BLOCK) != 0;
        seen.loads += (e->what & X86_LOAD) != 0;
        seen.stores += (e->what & X86_STORE) != 0;
        if (e->what & X86_STORE && e->value - (uintptr_t)numbers < sizeof numbers)
            stores_in_numbers++;
    }
}
static uint32_t begin(void *user, const x86_frame *frames, size_t count) {
    (void)user;
    (void)frames;
    seen.bursts++;
    seen.frames += count;
    return 1;
}
static int only_work(void *user, const char *module, const char *function) {
    (void)user;
    return !*module && (!function || strncmp(function, "work_", 5) == 0);
}

static x86_config settings(uint32_t check, uint32_t burst, uint32_t events) {
    x86_config c;
    memset(&c, 0, sizeof c);
    c.every = check;
    c.burst = burst;
    c.jitter = -1;
    c.events = events;
    c.want = only_work;
    c.action = take;
    c.begin = begin;
    return c;
}

#define CHILD(name) \
    static int name##_body(void); \
    TEST(name) { \
        through_pointer = work_leaf; \
        again = work_fib; \
        if (SANITIZED) SKIP("a sanitizer has its own idea of the stack"); \
        else if (OTHER_LIBC) SKIP("without glibc nothing is patched: no .eh_frame_hdr is sure"); \
        else CHECK_EQ(in_child(name##_body), 0); \
    } \
    static int name##_body(void)

/* All functions whose names begin with work_. */
static int installs_all(const x86_config *c) { return x86_install(c) == 8; }

/* ---- tests ---- */

CHILD(same_result_in_every_mode_always) {
    x86_config c = settings(X86_ALWAYS, 0, 255);
    int plain = work_all();
    NEED(installs_all(&c));
    NEED(work_all() == plain);
    x86_flush();
    NEED(seen.entries > 600 && seen.loads > 1000 && seen.stores > 500 && seen.blocks > 2000
         && seen.calls > 600);
    NEED(stores_in_numbers >= 500 && stores_in_numbers <= 564);  /* memset may be stores, too */
    return 0;
}

CHILD(every_call_is_counted) {
    x86_config c = settings(X86_ALWAYS, 0, X86_ENTRY | X86_EXIT);
    c.all_checks = 1;
    NEED(installs_all(&c));
    (void)work_fib(15);
    (void)work_loop(100);
    x86_flush();
    NEED(calls > 500 && seen.entries == calls && seen.exits == calls);
    return 0;
}

CHILD(a_leaf_is_recorded_when_called_directly) {
    x86_config c = settings(X86_ALWAYS, 0, X86_ENTRY);
    NEED(installs_all(&c));
    (void)work_loop(100);
    x86_flush();
    NEED(calls == 101 && seen.entries == 101);
    return 0;
}

CHILD(nothing_in_boring_loops_everything_without) {
    x86_config c = settings(X86_ALWAYS, 0, X86_STORE);
    c.k_boring = -1;
    NEED(installs_all(&c));
    (void)work_loop(64);
    x86_flush();
    NEED(stores_in_numbers == 64);
    return 0;
}

CHILD(checks_cross_between_copies_at_every_check) {
    static const uint32_t counts[][2] = {{1, 1}, {2, 2}, {3, 1}, {1, 7}};
    x86_config c = settings(counts[0][0], counts[0][1], 255);
    int plain = work_all(), n;
    c.all_checks = 1;
    NEED(installs_all(&c));
    for (n = 0; n < 50; n++) NEED(work_all() == plain);
    NEED(seen.bursts > 1000 && seen.frames >= seen.bursts);
    return 0;
}

CHILD(the_share_of_bursts_is_what_was_asked_for) {
    x86_config c = settings(90, 10, X86_ENTRY);
    int n;
    c.all_checks = 1;
    NEED(installs_all(&c));
    for (n = 0; n < 20; n++) (void)work_fib(18);
    x86_flush();
    NEED(calls > 20000 && seen.entries * 1000 > calls * 95 && seen.entries * 1000 < calls * 105);
    return 0;
}

CHILD(the_whole_program_but_the_patcher) {
    x86_config c = settings(5, 5, 255);
    int plain = work_all(), n;
    c.want = NULL;
    NEED(x86_install(&c) > 20);
    for (n = 0; n < 50; n++) NEED(work_all() == plain);
    NEED(seen.entries > 100);
    return 0;
}

/* Bytes of a function that differ from `kept`, behind what the jump at its
   entry takes. */
static unsigned different(const unsigned char *code, const unsigned char *kept, unsigned size) {
    unsigned n, count = 0;
    for (n = 16; n < size; n++) count += code[n] != kept[n];
    return count;
}

/* 800 000 dispatches, which only the copy's labels can bring to a check. Most of them go forward in
   the bytecode and have none. */
CHILD(a_threaded_interpreter_stays_in_its_copy) {
    static unsigned char kept[8192];
    x86_config c = settings(50, 5, X86_BLOCK);
    unsigned char program[64];
    const unsigned char *code = (const unsigned char *)(uintptr_t)&work_thread;
    unsigned plain, i, size = 0;
    x86_function f;
    x86_stats stats;
    for (i = 0; i < 40; i++) program[i] = (unsigned char)((i * 7) % THREAD_OPS);
    program[20] = THREAD_CALL;
    program[40] = THREAD_LOOP;
    program[41] = THREAD_END;
    plain = work_thread(program, 20000);
    memcpy(kept, code, sizeof kept);
    NEED(installs_all(&c));
    for (i = 0; x86_get_function(i, &f) == 0; i++) {
        if (f.address == (uintptr_t)code) size = f.size;
    }
    NEED(size > 200 && size < sizeof kept);
    NEED(work_thread(program, 20000) == plain);
    x86_flush();
    x86_get_stats(&stats);
    /* A compiler may leave one jump for all labels; then they are
       translated. */
    if (different(code, kept, size)) {
        /* `loop` and `call` lead to the copy, maybe `end`. The others are plain
           instructions up to the next dispatch, and stay. */
        NEED(different(code, kept, size) >= 6 && different(code, kept, size) <= 5 * 3);
        NEED(stats.checks >= 20000 && stats.checks < 200000);
    }
    NEED(seen.bursts >= 300 && seen.blocks > 1000);
    NEED(x86_uninstall() == 0);
    NEED(different(code, kept, size) == 0);
    NEED(work_thread(program, 300) == work_thread(program, 300));
    NEED(x86_toggle(1) == 0);
    NEED(work_thread(program, 20000) == plain);
    NEED(x86_code_changes(code, size) > 0 && different(code, kept, size) == 0);
    NEED(work_thread(program, 20000) == plain);
    return 0;
}

CHILD(off_and_on_and_away_again) {
    x86_config c = settings(X86_ALWAYS, 0, X86_ENTRY);
    int plain = work_all();
    c.off = 1;
    NEED(installs_all(&c));
    NEED(x86_install(&c) == 0 && x86_reason() != NULL);
    NEED(work_all() == plain);
    x86_flush();
    NEED(seen.entries == 0);
    x86_toggle(1);
    NEED(work_all() == plain);
    x86_flush();
    NEED(seen.entries > 0);
    NEED(x86_uninstall() == 0);
    seen.entries = 0;
    NEED(work_all() == plain);
    x86_flush();
    NEED(seen.entries == 0);
    return 0;
}

/* Where the jump of a patched function stands, behind an endbr64; and whether
   it is there. */
static const unsigned char *entry_of(int (*function)(int)) {
    const unsigned char *p = (const unsigned char *)(uintptr_t)function;
    return p[0] == 0xF3 && p[1] == 0x0F ? p + 4 : p;
}
static int is_patched(int (*function)(int)) { return *entry_of(function) == 0xE9; }

static volatile int toggled;
static void switch_on(int number) { (void)number; toggled = x86_toggle(1) == 0 ? 1 : -1; }

CHILD(off_the_code_is_what_it_was) {
    x86_config c = settings(X86_ALWAYS, 0, X86_ENTRY);
    unsigned char before[16];
    int plain = work_all(), n;
    memcpy(before, entry_of(work_fib), sizeof before);
    c.off = 1;
    NEED(installs_all(&c));
    for (n = 0; n < 3; n++) {
        NEED(memcmp(before, entry_of(work_fib), sizeof before) == 0);
        NEED(work_all() == plain);
        NEED(x86_toggle(1) == 0 && is_patched(work_fib));
        NEED(work_all() == plain);
        NEED(x86_toggle(0) == 0 && is_patched(work_fib));
        NEED(work_all() == plain);
        NEED(x86_uninstall() == 0 && x86_uninstall() == 0);
    }
    signal(SIGUSR1, switch_on);
    raise(SIGUSR1);
    NEED(toggled == 1 && is_patched(work_fib) && work_all() == plain);
    return 0;
}

CHILD(an_entry_that_a_handler_interrupted_keeps_its_code) {
    x86_config c = settings(X86_ALWAYS, 0, X86_ENTRY);
    volatile uintptr_t interrupted = (uintptr_t)entry_of(work_fib) + 1;  /* as the kernel saves it */
    c.off = 1;
    NEED(installs_all(&c));
    NEED(x86_toggle(1) == 0 && !is_patched(work_fib) && is_patched(work_switch));
    interrupted = 0;
    NEED(x86_uninstall() == 0 && x86_toggle(1) == 0);
    NEED(is_patched(work_fib) && interrupted == 0);
    return 0;
}

static unsigned char other_stack[65536];
CHILD(on_another_stack_it_is_not_switched_on) {
    x86_config c = settings(X86_ALWAYS, 0, X86_ENTRY);
    struct sigaction action;
    stack_t stack;
    c.off = 1;
    NEED(installs_all(&c));
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = other_stack;
    stack.ss_size = sizeof other_stack;
    NEED(sigaltstack(&stack, NULL) == 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = switch_on;
    action.sa_flags = SA_ONSTACK;
    NEED(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    NEED(toggled == -1 && !is_patched(work_fib));
    NEED(x86_arm() == 0 && is_patched(work_fib));     /* armed in time, it can be */
    raise(SIGUSR1);
    NEED(toggled == 1);
    return 0;
}

static volatile int thread_waits, thread_may_end;
static void *other_thread(void *unused) {
    thread_waits = 1;
    while (!thread_may_end) sched_yield();
    return unused;
}
CHILD(another_thread_needs_entries_that_are_armed) {
    x86_config c = settings(X86_ALWAYS, 0, X86_ENTRY);
    int plain = work_all(), n;
    pthread_t thread;
    c.off = 1;
    NEED(installs_all(&c));
    NEED(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    while (!thread_waits) sched_yield();
    NEED(x86_arm() == -1 && x86_toggle(1) == -1 && !is_patched(work_fib));
    thread_may_end = 1;
    NEED(pthread_join(thread, NULL) == 0);
    while (x86_p_count_threads() > 1) sched_yield();   /* the kernel may still clear up */
    NEED(x86_arm() == 0 && is_patched(work_fib) && work_all() == plain);
    thread_may_end = thread_waits = 0;
    NEED(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    while (!thread_waits) sched_yield();
    NEED(x86_toggle(1) == 0);
    /* This thread may have checked while it was off: after 65536 checks it
       looks again. */
    for (n = 0; n < 500 && !seen.entries; n++) NEED(work_all() == plain);
    NEED(x86_uninstall() == -1 && is_patched(work_fib) && work_all() == plain);
    thread_may_end = 1;
    NEED(pthread_join(thread, NULL) == 0);
    x86_flush();
    NEED(seen.entries > 0);
    return 0;
}

static volatile int ticks;
static void tick(int number) { (void)number; ticks += work_fib(5) > 0; }
CHILD(a_signal_handler_during_events) {
    x86_config c = settings(7, 5, 255);
    struct itimerval timer = {{0, 200}, {0, 200}};
    int plain = work_all(), n;
    c.all_checks = 1;
    NEED(installs_all(&c));
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (n = 0; n < 300 || (ticks < 20 && n < 100000); n++) NEED(work_all() == plain);
    NEED(ticks >= 20);
    return 0;
}

static sigjmp_buf escape;
static void leap(int number) { (void)number; siglongjmp(escape, 1); }
CHILD(bursts_go_on_after_handlers_that_jump_away) {
    x86_config c = settings(3, 3, 255);
    struct itimerval timer = {{0, 100}, {0, 100}}, none = {{0, 0}, {0, 0}};
    volatile int n = 0;
    unsigned long before;
    NEED(installs_all(&c));
    signal(SIGALRM, leap);
    if (sigsetjmp(escape, 1)) n++;
    setitimer(ITIMER_REAL, &timer, NULL);
    while (n < 300) (void)work_all();
    setitimer(ITIMER_REAL, &none, NULL);
    before = seen.bursts;
    (void)work_all();
    NEED(seen.bursts > before + 10);
    return 0;
}

CHILD(fork_goes_on_in_both) {
    x86_config c = settings(5, 5, 255);
    int plain = work_all(), status = 0;
    pid_t child;
    NEED(installs_all(&c));
    NEED(work_fib(10) == 89);
    child = fork();
    NEED(work_all() == plain);               /* both emit copies into the same arena */
    NEED(work_all() == plain);
    if (child == 0) _exit(0);
    NEED(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}

CHILD(functions_and_modules_are_listed) {
    x86_config c = settings(90, 10, 3);
    x86_function f;
    x86_module m;
    uint32_t n, work = 0, filtered = 0;
    NEED(installs_all(&c));
    for (n = 0; x86_get_function(n, &f) == 0; n++) {
        work += f.reason == X86_PATCHED && f.name && strncmp(f.name, "work_", 5) == 0;
        filtered += f.reason == X86_FILTERED;
        NEED(f.reason != X86_PATCHED || x86_find_function(f.module, f.offset) == n);
        NEED(*x86_reason_text(f.reason));
    }
    NEED(work == 8 && filtered > 20);
    NEED(x86_get_module(0, &m) == 0 && m.functions[X86_PATCHED] == 8 && !m.refusal);
    NEED(x86_get_module(1, &m) == -1);
    NEED(x86_find_function(0, 0xFFFFFFF0) == UINT32_MAX);
    return 0;
}

CHILD(settings_out_of_range_are_refused) {
    x86_config c = settings(1u << 30, 10, 3);
    NEED(x86_install(&c) == 0 && strcmp(x86_reason(), "a setting is out of range") == 0);
    c = settings(10, 10, 3);
    c.jitter = 101;
    NEED(x86_install(&c) == 0);
    return 0;
}
#endif
