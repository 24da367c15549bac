/* keep.c - tests from inside what an assembly check must keep: every register,
   the red zone, x87, the stack's alignment, and the callers that an unwinder
   finds. The action tramples on every register that a function may change.
   Prints "N passed, N failed". */
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#ifdef BURSTY_CHECKS_ARE_ASSEMBLY
#define ASM 1
#else
#define ASM 0
#endif

typedef struct state {
    uint64_t general[16];               /* rax rbx rcx rdx rsi rdi rbp r8 .. r15 */
    uint64_t mask[8];                   /* k0 .. k7 */
    unsigned char vector[32][64];
    unsigned char x87[80];
} state;

extern int level;                       /* 0 SSE, 1 AVX, 2 AVX-512 */
#if defined(__clang__)
__attribute__((used)) int level;
#else
__attribute__((used, externally_visible)) int level;
#endif
void load_point_store(const state *in, state *out, uint64_t skew);
void point_alone(void);

static int passed, failed;
static void expect(int condition, const char *what, int detail) {
    if (condition) passed++;
    else failed++;
    if (!condition) printf("FAILED: %s (%d)\n", what, detail);
}

#define EACH16(op) \
    op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) \
    op(14) op(15)

/* With HOOKS the compiler calls these from the functions of this file
   (-finstrument-functions,
   -fsanitize-coverage=trace-pc). They trample on vector registers. */
#ifndef BURSTY_P_KEEP_SLOW
#define BURSTY_P_KEEP_SLOW
#endif
#ifdef HOOKS
static long hook_calls;
#define NONE(n) "pxor %xmm" #n ", %xmm" #n "\n"
BURSTY_P_KEEP_SLOW static void trample_vectors(void) {
    hook_calls++;
    __asm__ __volatile__(EACH16(NONE));
}
#undef NONE
void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);
void __sanitizer_cov_trace_pc(void);
BURSTY_P_KEEP_SLOW void __cyg_profile_func_enter(void *function, void *from) {
    (void)function, (void)from;
    trample_vectors();
}
BURSTY_P_KEEP_SLOW void __cyg_profile_func_exit(void *function, void *from) {
    (void)function, (void)from;
    trample_vectors();
}
BURSTY_P_KEEP_SLOW void __sanitizer_cov_trace_pc(void) { trample_vectors(); }
#endif

/* The point under test: a leaf without a frame, and without hooks. */
#if defined(__clang__)
#define FROM_ASM __attribute__((noinline, used))
#else
#define FROM_ASM __attribute__((noinline, used, externally_visible))
#endif
FROM_ASM BURSTY_P_KEEP_SLOW void point_alone(void) { BURST_ENTRY(); }

/* Sets every register, calls point_alone, reads them back. rdi in, rsi out;
   rdx: by how many bytes,
   0 or 8, the stack is off its usual alignment. */
#define HIGH(op) \
    op(16) op(17) op(18) op(19) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27) op(28) \
    op(29) op(30) op(31)
#define K(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define SSE_IN(n) "movdqu 192+64*" #n "(%rdi), %xmm" #n "\n"
#define AVX_IN(n) "vmovdqu 192+64*" #n "(%rdi), %ymm" #n "\n"
#define ZMM_IN(n) "vmovdqu64 192+64*" #n "(%rdi), %zmm" #n "\n"
#define SSE_OUT(n) "movdqu %xmm" #n ", 192+64*" #n "(%rdi)\n"
#define AVX_OUT(n) "vmovdqu %ymm" #n ", 192+64*" #n "(%rdi)\n"
#define ZMM_OUT(n) "vmovdqu64 %zmm" #n ", 192+64*" #n "(%rdi)\n"
#define K_IN(n) "kmovw 128+8*" #n "(%rdi), %k" #n "\n"
#define K_OUT(n) "kmovw %k" #n ", 128+8*" #n "(%rdi)\n"
__asm__(
    ".text\n.globl load_point_store\n.type load_point_store, @function\nload_point_store:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "push %rsi\nsub %rdx, %rsp\npush %rdx\n"
    "mov level@GOTPCREL(%rip), %rax\nmov (%rax), %eax\n"
    "cmp $2, %eax\nje 2f\ncmp $1, %eax\nje 1f\n"
    EACH16(SSE_IN) "jmp 3f\n"
    "1:" EACH16(AVX_IN) "jmp 3f\n"
    "2:" EACH16(ZMM_IN) HIGH(ZMM_IN) K(K_IN)
    "3:\nfninit\nfldpi\nfldl2e\nfldlg2\nfld1\nfldz\nfldln2\nfldl2t\nfldpi\n"
    "mov 0(%rdi), %rax\nmov 8(%rdi), %rbx\nmov 16(%rdi), %rcx\nmov 24(%rdi), %rdx\n"
    "mov 32(%rdi), %rsi\nmov 48(%rdi), %rbp\nmov 56(%rdi), %r8\nmov 64(%rdi), %r9\n"
    "mov 72(%rdi), %r10\nmov 80(%rdi), %r11\nmov 88(%rdi), %r12\nmov 96(%rdi), %r13\n"
    "mov 104(%rdi), %r14\nmov 112(%rdi), %r15\nmov 40(%rdi), %rdi\n"
    "call point_alone\n"
    "push %rdi\nmov 8(%rsp), %rdi\nadd %rsp, %rdi\nmov 16(%rdi), %rdi\n" /* above the skew: out */
    "mov %rax, 0(%rdi)\nmov %rbx, 8(%rdi)\nmov %rcx, 16(%rdi)\nmov %rdx, 24(%rdi)\n"
    "mov %rsi, 32(%rdi)\nmov %rbp, 48(%rdi)\nmov %r8, 56(%rdi)\nmov %r9, 64(%rdi)\n"
    "mov %r10, 72(%rdi)\nmov %r11, 80(%rdi)\nmov %r12, 88(%rdi)\nmov %r13, 96(%rdi)\n"
    "mov %r14, 104(%rdi)\nmov %r15, 112(%rdi)\npop %rax\nmov %rax, 40(%rdi)\n"
    "mov level@GOTPCREL(%rip), %rax\nmov (%rax), %eax\n"
    "cmp $2, %eax\nje 2f\ncmp $1, %eax\nje 1f\n"
    EACH16(SSE_OUT) "jmp 3f\n"
    "1:" EACH16(AVX_OUT) "jmp 3f\n"
    "2:" EACH16(ZMM_OUT) HIGH(ZMM_OUT) K(K_OUT)
    "3:\nfstpt 2240(%rdi)\nfstpt 2250(%rdi)\nfstpt 2260(%rdi)\nfstpt 2270(%rdi)\n"
    "fstpt 2280(%rdi)\nfstpt 2290(%rdi)\nfstpt 2300(%rdi)\nfstpt 2310(%rdi)\n"
    "pop %rdx\nadd %rdx, %rsp\npop %rsi\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n"
    "cmp $0, %eax\nje 4f\nvzeroupper\n4: ret\n.size load_point_store, . - load_point_store\n");

/* ---- what the action does ---- */

static long seen, misaligned;
static int wants_frames;
static uintptr_t frames[64];
static int frame_count;

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *user) {
    (void)user;
    if (frame_count < 64) frames[frame_count++] = (uintptr_t)_Unwind_GetIP(context);
    return _URC_NO_REASON;
}

static long double x87_sum;
#define SSE_NAMES \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
    "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define NONE(n) "pxor %%xmm" #n ", %%xmm" #n "\n"
static void trample(void *user, const bursty_event *event) {
    char aligned[64] __attribute__((aligned(16)));
    long double a = (long double)(uintptr_t)event, b = a * 3, c = b / 7, d = c - a, e = d * d;
    (void)user;
    seen++;
    x87_sum = a + b * c - d / e + (e + 1) * (e / a);
    __asm__ __volatile__("movaps %%xmm0, %0" : "=m"(aligned)); /* faults on an unaligned stack */
    misaligned += ((uintptr_t)__builtin_frame_address(0) & 15) != 0;
    __asm__ __volatile__(EACH16(NONE) : : : SSE_NAMES);
    if (level >= 1) __asm__ __volatile__("vzeroall" : : : SSE_NAMES);
    if (level == 2) {
        __asm__ __volatile__("vpxorq %zmm16, %zmm16, %zmm16\nvpxorq %zmm31, %zmm31, %zmm31\n"
                             "kxorw %k1, %k1, %k1\nkxorw %k7, %k7, %k7");
    }
    __asm__ __volatile__("xor %%ecx, %%ecx\nxor %%edx, %%edx\nxor %%esi, %%esi\nxor %%edi, %%edi\n"
                         "xor %%r8d, %%r8d\nxor %%r9d, %%r9d\nxor %%r10d, %%r10d\n"
                         "xor %%r11d, %%r11d"
                         : : : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
    if (wants_frames) {
        frame_count = 0;
        _Unwind_Backtrace(frame, NULL);
        wants_frames = 0;
    }
}

/* check 0: never. */
static void set(uint32_t check, uint32_t burst, bursty_action action) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.seed = 1;
    config.profile.every = check;
    config.profile.burst = burst;
    config.profile.action = action;
    config.profile.off = check == 0;
    config.tick_hz = -1;
    bursty_start(&config);
}

static int differences(const state *a, const state *b) {
    static const size_t width[3] = { 16, 32, 64 };
    int n, bad = 0;
    for (n = 0; n < 15; n++) bad |= a->general[n] != b->general[n];
    for (n = 0; n < (level == 2 ? 32 : 16); n++) {
        bad |= memcmp(a->vector[n], b->vector[n], width[level]) ? 2 : 0;
    }
    for (n = 0; n < 8 && level == 2; n++) bad |= a->mask[n] != b->mask[n] ? 4 : 0;
    bad |= memcmp(a->x87, b->x87, sizeof a->x87) ? 8 : 0;
    return bad;
}

/* Fills the registers and passes the point on the fast path: what comes out
   must come out always (an unoptimised function uses a register for its own
   sake). Then passes it 600 times at the rate check : burst. */
__attribute__((unused)) static void registers(uint32_t check, uint32_t burst,
                                                 bursty_action action) {
    static state given, plain, out;
    unsigned char *byte = (unsigned char *)&given;
    size_t i;
    for (i = 0; i < sizeof given; i++) byte[i] = (unsigned char)(i * 37 + (i >> 6) * 11 + 5);
    for (i = 0; i < 8; i++) given.mask[i] &= 0xffff;
    for (level = 0; level < 3; level++) {
        int round, n, changed = 0, bad = 0;
        if (level == 1 && !__builtin_cpu_supports("avx")) break;
        if (level == 2 && !__builtin_cpu_supports("avx512f")) break;
        set(0, 0, NULL);
        (void)BURST_CHECK();
        memset(&plain, 0, sizeof plain);
        load_point_store(&given, &plain, 0);
        for (n = 0; n < 15; n++) changed += plain.general[n] != given.general[n];
        expect(changed <= 4, "the fast path leaves the registers alone", changed);
        expect(plain.x87[9] || plain.x87[8], "x87 is read", level);
        set(check, burst, action);
        for (round = 0; round < 600 && !bad; round++) {
            memset(&out, 0, sizeof out);
            load_point_store(&given, &out, (uint64_t)(round & 1) * 8);
            bad = differences(&plain, &out);
        }
        expect(!bad, "registers kept; 1 general, 2 vector, 4 mask, 8 x87", bad);
    }
    level = 0;
}

__attribute__((noinline)) static long red_zone(long a) {
    volatile long zone[14];
    long sum = 0;
    int i;
    for (i = 0; i < 14; i++) zone[i] = a + i;
    BURST_ENTRY();
    for (i = 0; i < 14; i++) sum += zone[i] * (i + 1);
    return sum;
}

__attribute__((noinline)) static double mixed(const double *p, long n, double k, long double x) {
    double s = 0, t = 1, u = 2, v = 3;
    long i;
    for (i = 0; i < n; i++) {
        BURST_LOOP();
        s += p[i] * k;
        t += s * 0.5;
        u -= t / k;
        v += u * s;
        x += v / 3;
    }
    return s + t + u + v + (double)x;
}

#if defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif
APART static int inner(int n) {
    int r;
    BURST_ENTRY();
    r = n * 2;
    __asm__ __volatile__("" : "+r"(r));
    return r;
}
APART static int middle(int n) {
    volatile char *room = (char *)__builtin_alloca((size_t)n);
    room[0] = 1;
    return inner(n) + room[0];
}
APART static int outer(int n) { return middle(n + 1) + 1; }

#define IN(at, function) \
    (_Unwind_FindEnclosingFunction((void *)(frames[at] - 1)) == (void *)(uintptr_t)(function))

static void count_row(void *user, const bursty_row *row) { *(int *)user += row->count > 0; }

int main(void) {
    static double numbers[300];
    double off, on;
    long first, registers_seen;
    int i, at;
    for (i = 0; i < 300; i++) numbers[i] = i * 0.25 + 1;

    off = mixed(numbers, 300, 1.5, 1);
    first = red_zone(7);
#ifdef BURSTY_CHECKS_ARE_ASSEMBLY /* a point in C keeps what a call keeps */
    registers(BURSTY_ALWAYS, 1, trample);
#endif
    set(BURSTY_ALWAYS, 1, trample);
    registers_seen = seen;
    expect(registers_seen >= 600 || !ASM, "events arrive", (int)registers_seen);
    expect(misaligned == 0, "the action's stack is aligned", (int)misaligned);
    expect(red_zone(7) == first, "red zone", 0);
    on = mixed(numbers, 300, 1.5, 1);
    expect(on == off, "floating point across points", 0);
    wants_frames = 1;
    seen = 0;
    at = outer(40);
    expect(at == 84, "value", at);
#ifdef BURSTY_CHECKS_ARE_ASSEMBLY /* gcc moves the call of a point in C to inner.cold */
    for (at = 0; at < frame_count && !IN(at, inner); at++) continue;
    expect(at + 3 < frame_count && IN(at + 1, middle) && IN(at + 2, outer) && IN(at + 3, main),
           "the unwinder finds inner, middle, outer", at);
#endif

    /* The hot table. Sampling at 9 : 1 with jitter takes every way of the slow
       path. */
    set(9, 1, NULL);
    for (i = 0; i < 3000; i++) {
        (void)red_zone(i);
        (void)inner(i);
    }
    {
        bursty_stats stats;
        int rows = 0;
        bursty_each(count_row, &rows);
        bursty_get_stats(&stats);
        expect(rows == 2, "two functions", rows);
        expect(stats.checks == 6000, "every check counted", (int)stats.checks);
        expect(stats.events > 500 && stats.events < 700, "one in ten", (int)stats.events);
    }
#ifdef BURSTY_CHECKS_ARE_ASSEMBLY
    registers(9, 1, trample);
    registers(BURSTY_ALWAYS, 1, NULL);
    registers(9, 1, NULL);
#endif
    set(9, 1, trample);
    expect(mixed(numbers, 300, 1.5, 1) == off, "floating point across points, sampled", 0);
#ifdef HOOKS
    expect(hook_calls > 1000, "hooks are called", (int)hook_calls);
#endif
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
