/* scopes.c - says what scopes tell of: a hash of all events (kind, depth,
   number of the burst, weight, names of the site and of the scopes around it)
   and of the dump, at several rates, with an action that spoils vector
   registers and with none. Built with scopes in assembly and in C, it must
   print the same. One thing differs by design: the end of a scope below the
   stack has the site "(deep)"; both count as that here. */
#include "whole.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash, events;
static void mix(uint64_t v) {
    hash = (hash ^ v) * UINT64_C(0x100000001B3);
    hash ^= hash >> 29;
}
static void mix_text(const char *s) {
    while (*s) mix((unsigned char)*s++);
}

static volatile double spoil;
static void action(void *user, const bursty_event *event) {
    uint32_t i, n = event->depth < BURSTY_STACK ? event->depth : BURSTY_STACK;
    const int is_deep = (event->kind & BURSTY_RETURN) && event->depth >= BURSTY_STACK;
    (void)user;
    spoil = spoil * 1.5 + 3.25;
    events++;
    mix(event->kind);
    mix(event->depth);
    mix(event->burst);
    mix(event->weight_256);
    mix_text(is_deep ? "(deep)" : event->site->name);
    for (i = 0; i < n; i++) mix_text(event->stack[i]->name);
}

static int mix_bytes(void *user, const void *data, size_t size) {
    static int is_last;
    const unsigned char *byte = (const unsigned char *)data;
    (void)user;
    if (size == 16 && byte[0] == 'B' && byte[1] == 'R' && byte[2] == 'S' && byte[3] == 'T') {
        is_last = byte[6] == 24; /* it names the build */
    }
    if (is_last) return 0;
    while (size--) mix(*byte++);
    return 0;
}

#define APART __attribute__((noinline))
APART static int six(int a, int b, int c, int d, int e, int g) {
    BURST_SCOPE("six");
    return a + b * c - d * e + g;
}
APART static double reals(double a, double b, const double *p) {
    BURST_SCOPE("reals");
    return a * b + p[1];
}
APART static long double wide(long double a) {
    BURST_SCOPE("wide");
    return a * 1.25L;
}
typedef struct pair {
    long a, b;
} pair;
APART static pair two_registers(long a, long b) {
    pair r;
    BURST_SCOPE("two registers");
    r.a = a + b;
    r.b = a - b;
    return r;
}
typedef struct five {
    long at[5];
} five;
APART static five in_memory(long a) {
    five r;
    int i;
    BURST_SCOPE("in memory");
    for (i = 0; i < 5; i++) r.at[i] = a + i;
    return r;
}
/* Several ways out, a scope in a block, one in a loop's body; two on one
   line. */
APART static int ways(int n) {
    int i;
    BURST_SCOPE("ways"); BURST_SCOPE("ways again");
    if (n % 7 == 0) return n;
    {
        BURST_SCOPE("block");
        if (n % 5 == 0) return six(n, 1, 2, 3, 4, 5);
        n += six(1, n, 3, 4, n, 6);
    }
    for (i = 0; i < n % 4; i++) {
        BURST_SCOPE("turn");
        if (i == 2) break;
        if (i == 1) continue;
        n += i;
    }
    return n;
}
APART static int deep(int n) {
    BURST_SCOPE("deep");
    return n > 0 ? deep(n - 1) + n % 3 : six(n, 2, 3, 4, 5, 6);
}
static inline int small(int n) {
    BURST_SCOPE("small");
    return n * 3 + 1;
}
APART static int ten_small(int n) { /* ten events, also if a compiler could move a scope out */
    int i, sum = 0;
    for (i = 0; i < 10; i++) {
        BURST_LOOP();
        sum += small(n);
    }
    return sum;
}
APART static int variadic(int n, ...) {
    va_list list;
    double sum = 0;
    int i;
    BURST_SCOPE("variadic");
    va_start(list, n);
    for (i = 0; i < n; i++) sum += va_arg(list, double);
    va_end(list);
    return (int)sum;
}
APART static int dynamic(int n) {
    char *p;
    BURST_SCOPE("dynamic");
    p = (char *)__builtin_alloca((size_t)(n & 63) + 1);
    memset(p, n, (size_t)(n & 63) + 1);
    return p[n & 63];
}
APART static int red_zone(int n) {
    volatile int zone[28];
    int i, r = 0;
    BURST_SCOPE("red zone");
    for (i = 0; i < 28; i++) zone[i] = n * i;
    {
        BURST_SCOPE("inside the red zone");
        r = zone[3];
    }
    for (i = 0; i < 28; i++) r = r * 31 + zone[i];
    return r;
}
static jmp_buf before;
static volatile int bottom;
APART static void jumper(int n) {
    BURST_SCOPE("jumper");
    if (n == bottom) longjmp(before, 1);
    if (n > 0) jumper(n - 1);
}
APART static int catcher(int n) { /* its end repairs the depth */
    volatile int r = n;
    BURST_SCOPE("catcher");
    if (setjmp(before) == 0) jumper(n % 5);
    return six(r, 1, 1, 1, 1, 1);
}

static uint64_t result;
static void add(int64_t v) { result = result * 31 + (uint64_t)v; }
static void work(int n) {
    static const double numbers[2] = { 1, 2 };
    int i;
    for (i = 0; i < n; i++) {
        pair p;
        five f;
        BURST_SCOPE("work");
        add(six(i, 2, 3, i, 5, 6));
        add((int64_t)reals(i, 2.5, numbers));
        add((int64_t)wide(i));
        add(red_zone(i));
        p = two_registers(i, n);
        add(p.a * 3 + p.b);
        f = in_memory(i);
        add(f.at[4]);
        add(ways(i));
        if (i % 50 == 0) add(deep(i % 200));
        add(ten_small(i));
        add(variadic(3, 1.0, 2.0, (double)i));
        add(dynamic(i));
        if (i % 3 == 0) add(catcher(i));
    }
}

int main(void) {
    static const uint32_t rates[][2] = { { 0, 0 }, { 990, 10 }, { 100, 100 }, { 7, 3 }, { 1, 1 },
                                         { BURSTY_ALWAYS, 0 } };
    unsigned k, with;
    for (k = 0; k < sizeof rates / sizeof *rates; k++) {
        for (with = 0; with < 2; with++) {
            bursty_config config;
            bursty_stats stats;
            memset(&config, 0, sizeof config);
            config.profile.every = rates[k][0];
            config.profile.burst = rates[k][1];
            config.profile.action = with ? action : NULL;
            config.profile.classes = with ? BURSTY_ANY | BURSTY_BEGIN | BURSTY_END : 0;
            config.seed = 5;
            config.tick_hz = -1;
            hash = events = result = 0;
            if (!bursty_start(&config)) return 2;
            work(2000);
            bursty_get_stats(&stats);
            if (!with) (void)bursty_write(mix_bytes, NULL);
            printf("%u/%u, action %u: %016llx depth %u checks %llu events %llu %016llx\n",
                   rates[k][0], rates[k][1], with, (unsigned long long)result, bursty_depth(),
                   (unsigned long long)stats.checks, (unsigned long long)stats.events,
                   (unsigned long long)hash);
        }
    }
    return 0;
}
