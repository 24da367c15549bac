/* test_x86patch_hooks.c - x86_hook: functions of this very program tell
   each entry and each exit, and do what they did. A test forks, for a process
   is patched once; the child tells by its exit status which check failed. */
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
    uint32_t number = 0;
    int reason = 0;
    CHECK_EQ(x86_hook(&number, 1, NULL, &reason), 0);
    CHECK(reason != 0);
}
#else
#include <pthread.h>
#include <setjmp.h>
#include "x86patch.inc"

static volatile int sink;
static int (*volatile through)(int);
static double (*volatile through_double)(double, double, long, long, long, long, long, long, long);
static jmp_buf back;

WORK static int work_loop(int n) {
    int i, sum = 0;
    for (i = 0; i < n; i++) sum += i ^ sink;
    return sum;
}
/* Returns in several places; calls itself by its pointer. */
WORK static int work_deep(int n) {
    if (n == 0) return 7;
    if (n % 2) return 1 + through(n - 1);
    sink = n;
    return 2 + through(n - 1);
}
WORK static int work_jump(int n) {
    if (n > 2) longjmp(back, n);
    return n;
}
/* Ends in a call, which compilers make a jump of; also of a condition. */
int work_end(int n);
__asm__(".text\n"
        ".type work_end, @function\n"
        "work_end:\n"
        "    .cfi_startproc\n"
        "    add %edi, %edi\n"
        "    cmp $100, %edi\n"
        "    jg work_loop\n"
        "    nop\n"
        "    jmp work_loop\n"
        "    .cfi_endproc\n"
        ".size work_end, .-work_end\n");
WORK static double work_double(double a, double b, long c, long d, long e, long f, long g, long h,
                               long i) {
    return a * 100 + b + (double)(c + d * 2 + e * 3 + f * 4 + g * 5 + h * 6 + i * 7);
}

/* ---- what was told ---- */

static unsigned entries, exits, jumps, frames;
static uint64_t stack[64];
static uint32_t places[64];

static void told(void *user, uint32_t what, const x86_frame *frame) {
    (void)user;
    if (what == X86_ENTRY) {
        stack[frames % 64] = frame->stack;
        places[frames++ % 64] = frame->place;
        entries++;
        return;
    }
    exits++;
    jumps += (what & X86_CALL) != 0;
    while (frames && stack[(frames - 1) % 64] < frame->stack) frames--; /* left by longjmp */
    if (frames && stack[(frames - 1) % 64] == frame->stack
        && places[(frames - 1) % 64] == frame->place)
        frames--;
    else exits += 1000000;
}

static int want(void *user, const char *module, const char *function) {
    (void)user;
    return function || !*module;
}

/* Hooks the functions of these names. Returns how many are. */
static uint32_t hook(const char *const *names, int *reasons) {
    static x86_config config;
    x86_function f;
    uint32_t n, k, count = 0, numbers[8];
    config.no_patches = 1;
    config.want = want;
    if (!x86_install(&config)) return 0;
    for (k = 0; names[k]; k++) {
        for (n = 0; x86_get_function(n, &f) == 0; n++)
            if (f.name && !strcmp(f.name, names[k])) numbers[count++] = n;
    }
    return x86_hook(numbers, count, told, reasons);
}

static const char *const names[]
    = {"work_loop", "work_deep", "work_jump", "work_end", "work_double", NULL};

/* Each line is one check; the number of the first that fails, or 0. */
static int child_counts(void) {
    int reasons[8], i, sum = 0;
    if (hook(names, reasons) != 5) return 1;
    for (i = 0; i < 1000; i++) sum += work_loop(i % 10);
    if (entries != 1000 || exits != 1000 || frames != 0) return 2;
    if (sum != 12000) return 3;
    entries = exits = 0;
    through = work_deep;
    if (work_deep(5) != 14) return 4;       /* recursion tells each call, outermost first */
    if (entries != 6 || exits != 6 || frames != 0) return 5;
    through_double = work_double;
    if (through_double(1.5, 2.25, 1, 1, 1, 1, 1, 1, 1) < 180.24) return 6;
    if (through_double(1.5, 2.25, 1, 1, 1, 1, 1, 1, 1) > 180.26) return 6;
    if (frames != 0) return 7;
    if (test_broken) return 99;
    return 0;
}

static int child_jumps(void) {
    int reasons[8], i, got;
    if (hook(names, reasons) != 5) return 1;
    for (i = 0; i < 5; i++) {
        got = setjmp(back);
        if (got == 0) (void)work_jump(i);
    }
    if (entries != 5 || exits != 3) return 2;
    entries = exits = frames = 0;
    if (work_end(3) != work_loop(6) || work_end(60) != work_loop(120)) return 3;
    if (entries != 6 || exits != 6 || frames != 0) return 4;
    return jumps == 2 ? 0 : 5;
}

static void *run_thread(void *unused) {
    int i;
    for (i = 0; i < 2000; i++) sink = work_loop(3) & 0;
    return unused;
}

static void told_by_threads(void *user, uint32_t what, const x86_frame *frame) {
    (void)user, (void)frame;
    (void)__atomic_fetch_add(what == X86_ENTRY ? &entries : &exits, 1, __ATOMIC_RELAXED);
}

static int child_threads(void) {
    static x86_config config;
    pthread_t thread[4];
    x86_function f;
    int i, reason = 0;
    uint32_t n, number = 0;
    config.no_patches = 1;
    config.want = want;
    if (!x86_install(&config)) return 1;
    for (n = 0; x86_get_function(n, &f) == 0; n++)
        if (f.name && !strcmp(f.name, "work_loop")) number = n;
    if (x86_hook(&number, 1, told_by_threads, &reason) != 1 || reason) return 2;
    for (i = 0; i < 4; i++) pthread_create(&thread[i], NULL, run_thread, NULL);
    for (i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    return entries == 8000 && exits == 8000 ? 0 : 3;
}

/* What cannot be hooked says why, and nothing else is harmed. */
static int child_refuses(void) {
    static x86_config config;
    int reasons[2] = {0, 0};
    uint32_t numbers[2] = {0xFFFFFF, 0};
    if (x86_hook(numbers, 1, told, reasons) != 0 || !reasons[0]) return 1; /* not installed */
    config.no_patches = 1;
    config.want = want;
    if (!x86_install(&config)) return 2;
    if (x86_hook(numbers, 1, told, reasons) != 0 || !reasons[0]) return 3; /* no such function */
    return entries ? 4 : 0;
}

TEST(each_entry_and_each_exit_is_told) {
    if (!SANITIZED && !OTHER_LIBC) CHECK_EQ(in_child(child_counts), 0);
}
TEST(jumps_out_and_calls_at_the_end) {
    if (!SANITIZED && !OTHER_LIBC) CHECK_EQ(in_child(child_jumps), 0);
}
TEST(threads_tell_their_own) {
    if (!SANITIZED && !OTHER_LIBC) CHECK_EQ(in_child(child_threads), 0);
}
TEST(refusals_say_why) {
    if (!SANITIZED && !OTHER_LIBC) CHECK_EQ(in_child(child_refuses), 0);
}
#endif
