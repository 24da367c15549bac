/* steps.c - lets functions with a scope go step by step (the processor's trap
   flag), and asks at each instruction which scope runs: by the stack of scopes
   alone, and as a tick does. A tick must be right at every instruction, also
   where each check takes its stub. Prints
   "N passed, N failed". Exit status 3: the build reads no code. */
#include "whole.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

#if !defined(BURSTY_P_READS_CODE) || !defined(BURSTY_P_KEEP_SCOPES)
int main(void) { return 3; }
#else

#define IN(name) __attribute__((noinline, section("t_" #name)))
#define EACH(X) X(six) X(caller) X(hash) X(early) X(reals) X(vectors) X(blocks) X(buffer)
#define DECLARE(name) extern char __start_t_##name[], __stop_t_##name[];
EACH(DECLARE)

static volatile int sink;
__attribute__((noinline)) static int callee(int x) { return x ^ sink; }
IN(six) int six(int a, int b, int c, int d, int e, int g);
IN(six) int six(int a, int b, int c, int d, int e, int g) {
    BURST_SCOPE("six");
    return a + b * c - d * e + g;
}
IN(caller) static int caller(int a, int b, int c) {
    BURST_SCOPE("caller");
    return callee(a) + callee(b) * c;
}
IN(hash) static uint64_t hash(uint64_t x) {
    BURST_SCOPE("hash");
    x ^= x >> 12;
    x *= UINT64_C(0x9E3779B97F4A7C15);
    x ^= x << 25;
    x *= UINT64_C(0x2545F4914F6CDD1D);
    return x ^ x >> 31;
}
IN(early) static int early(int n) {
    BURST_SCOPE("early");
    if (n < 2) return n;
    return callee(n) + callee(n - 1) * n;
}
IN(reals) static double reals(double a, double b, const double *p) {
    BURST_SCOPE("reals");
    return a * b + p[1];
}
IN(vectors) static void vectors(int *p, const int *q, int n) {
    int i;
    BURST_SCOPE("vectors");
    for (i = 0; i < n; i++) p[i] += q[i] * 3;
}
/* Only "blocks": the inner scope has the same name. */
IN(blocks) static int blocks(int n) {
    BURST_SCOPE("blocks");
    n = callee(n);
    {
        BURST_SCOPE("blocks");
        n = callee(n) * 3;
    }
    return n + 1;
}
IN(buffer) static int buffer(int n) { /* with a stack protector, if there is one */
    volatile char room[40];
    BURST_SCOPE("buffer");
    room[n & 31] = (char)n;
    return room[n & 15];
}

static struct place {
    const char *name;
    const char *from, *to;
    int steps, by_stack, by_tick;
} places[8];
static int place_count, elsewhere;

static void on_trap(int number, siginfo_t *info, void *context) {
    const char *pc = (const char *)((uintptr_t *)context)[5 + 16], *top = "";
    const bursty_site *found = bursty_p_interrupted(context);
    int k;
    (void)number;
    (void)info;
    if (BURSTY_P_HERE.depth) top = BURSTY_P_HERE.stack[BURSTY_P_HERE.depth - 1]->name;
    for (k = 0; k < place_count; k++) {
        struct place *p = &places[k];
        if (pc < p->from || pc >= p->to) continue;
        p->steps++;
        p->by_stack += !strcmp(top, p->name);
        p->by_tick += !strcmp(found ? found->name : top, p->name);
        return;
    }
    if (found) elsewhere++;
}

#define TRAP(att, intel)                                                                           \
    __asm__ __volatile__("{pushfq\n\t" att " $0x100, (%%rsp)\n\tpopfq"                             \
                         "|pushfq\n\t" intel " QWORD PTR [rsp], 0x100\n\tpopfq}"                   \
                         : : : "cc", "memory")

static void run(void) {
    static const double numbers[2] = { 1, 2 };
    static const int from[4] = { 1, 2, 3, 4 };
    static int to[4];
    static volatile double out;
    BURST_SCOPE("run");
    TRAP("orq", "or");
    out = six(1, 2, 3, 4, 5, 6);
    out = caller(1, 2, 3);
    out = (double)hash(77);
    out = early(1);
    out = early(5);
    out = reals(1, 2, numbers);
    vectors(to, from, 4);
    out = blocks(5);
    out = buffer(9);
    TRAP("xorq", "xor");
    (void)out;
}

static int test(void) {
    struct sigaction action;
    bursty_config config;
    int k, steps = 0, by_stack = 0, by_tick = 0;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGTRAP, &action, NULL);
    memset(&config, 0, sizeof config);
    config.seed = 1;
    config.profile.off = 1;
    config.tick_hz = 1; /* there are timers, but no tick comes in between */
    if (bursty_start(&config) == 0) return 1;
    (void)BURST_CHECK();
    if (!bursty_p_text.high) return 3;
#define ADD(place)                                                                                 \
    places[place_count].name = #place;                                                             \
    places[place_count].from = __start_t_##place;                                                  \
    places[place_count++].to = __stop_t_##place;
    EACH(ADD)
    run();
    config.profile.off = 0;
    config.profile.every = BURSTY_ALWAYS;
    if (bursty_set_profile(0, &config.profile) != 0) return 1;
    (void)BURST_CHECK();
    run();
    bursty_stop();
    for (k = 0; k < place_count; k++) {
        const struct place *p = &places[k];
        steps += p->steps;
        by_stack += p->by_stack;
        by_tick += p->by_tick;
        if (p->by_tick < p->steps || p->steps < 10)
            printf("FAILED: %s: %d of %d instructions\n", p->name, p->by_tick, p->steps);
    }
    printf("%d instructions: by the stack %d right, by a tick %d, %d others charged to a scope\n",
           steps, by_stack, by_tick, elsewhere);
    printf("%d passed, %d failed\n", by_tick == steps && steps > 80, by_tick != steps || steps <= 80);
    return by_tick != steps || steps <= 80;
}

#ifdef STEPS_SHARED
int steps_test(void);
__attribute__((visibility("default"))) int steps_test(void) { return test(); }
#else
int main(void) { return test(); }
#endif
#endif
