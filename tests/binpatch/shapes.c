/* shapes.c - functions as a compiler makes them, for tests/test_binpatch.sh. Each
   counts its calls by itself (header.c has the implementation). Each is hooked if it can be, called, and must
   compute what it did and be told as often as it counted. Prints how many were
   hooked, and each refusal; returns 1 if anything differs. */
#include "binpatch.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define WORK __attribute__((noinline))
#else
#define WORK __attribute__((noinline, noclone, noipa))
#endif

static uint64_t memory[8192];
static unsigned long count, told, returned;
static long numbers[64];

static void entered(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    told++;
}
static void left(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    returned++;
}

WORK static long leaf(long n) {
    count++;
    return n * 3 + 1;
}
static long recursive(long n);
static long (*volatile again)(long) = recursive;
WORK static long recursive(long n) {
    count++;
    return n < 2 ? 1 : again(n - 1) + again(n - 2);
}
WORK static long loop(long n) {
    long k, sum = 0;
    count++;
    for (k = 0; k < n; k++) sum += numbers[k & 63] ^ k;
    return sum;
}
static long (*volatile next)(long) = leaf;
WORK static long jumps_on(long n) {
    count++;
    return next(n + 1);
}
WORK static long of_many(long a, long b, long c, long d, long e, long f, long g, long h) {
    count++;
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
WORK static long many(long n) { return of_many(n, 1, 2, 3, 4, 5, 6, 7); }
WORK static double of_doubles(double a, double b, float c, long d) {
    count++;
    return a * b + (double)c - (double)d;
}
WORK static long doubles(long n) { return (long)of_doubles((double)n, 2.5, 3.0f, 1); }
typedef struct big { long a[6]; } big;
WORK static big of_big(long n) {
    big b;
    int k;
    count++;
    for (k = 0; k < 6; k++) b.a[k] = n * k;
    return b;
}
WORK static long bigs(long n) { return of_big(n).a[5]; }
WORK static long choose(long n) {
    count++;
    switch (n) {
    case 0: return 5;
    case 1: return numbers[3];
    case 2: return leaf(9) - 20;
    case 3: return n * n;
    case 4: return -1;
    case 5: return n << 7;
    case 6: return loop(2);
    default: return 0;
    }
}
WORK static long chooses(long n) {
    long k, sum = 0;
    for (k = 0; k < 8; k++) sum += choose((n + k) & 7);
    return sum;
}
static jmp_buf back;
WORK static long leaves(long n) {
    volatile char here[64];
    count++;
    here[n & 63] = 1;
    if (n & 1) longjmp(back, 1);
    return here[n & 63];
}
WORK static long comes_back(long n) {
    volatile long sum = 0, k;
    for (k = 0; k < 4; k++) {
        if (setjmp(back) == 0) sum += leaves(n + k);
        else sum += 100;
    }
    return sum;
}
static int compare(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    count++;
    return x < y ? -1 : x > y;
}
WORK static long sorts(long n) {
    long v[40], k;
    for (k = 0; k < 40; k++) v[k] = (k * 37 + n) % 41;
    qsort(v, 40, sizeof *v, compare);
    for (k = 1; k < 40; k++) if (v[k - 1] > v[k]) return -1;
    return v[7];
}
WORK static long strings(long n) {
    char text[100];
    count++;
    memset(text, 'a' + (int)(n & 7), 50);
    text[50] = 0;
    return (long)strlen(text) + text[3];
}
WORK static long even(long n);
WORK static long odd(long n) {
    count++;
    return n ? even(n - 1) : 0;
}
WORK static long even(long n) {
    count++;
    return n ? odd(n - 1) : 1;
}
WORK static long after_test(long n) {
    if (n == 0) return 17;
    count++;
    return loop(n) + 1;
}

typedef long (*work)(long);
static const struct shape {
    const char *name;
    work call;
    uintptr_t hooked;
    int throws;     /* not all calls return */
    int own_count;  /* every call is counted in it, and nothing else is */
} shapes[] = {
    {"leaf", leaf, (uintptr_t)leaf, 0, 1},
    {"recursive", recursive, (uintptr_t)recursive, 0, 1},
    {"loop", loop, (uintptr_t)loop, 0, 1},
    {"jumps_on", jumps_on, (uintptr_t)jumps_on, 0, 0},
    {"many", many, (uintptr_t)of_many, 0, 1},
    {"doubles", doubles, (uintptr_t)of_doubles, 0, 1},
    {"bigs", bigs, (uintptr_t)of_big, 0, 1},
    {"chooses", chooses, (uintptr_t)choose, 0, 0},
    {"comes_back", comes_back, (uintptr_t)leaves, 1, 1},
    {"sorts", sorts, (uintptr_t)compare, 0, 1},
    {"strings", strings, (uintptr_t)strings, 0, 1},
    {"even", even, (uintptr_t)even, 0, 0},
    {"after_test", after_test, (uintptr_t)after_test, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, ROUNDS = 12 };

static int fail(const char *name, const char *what, long got, long wanted) {
    printf("%s: %s: %ld, wanted %ld\n", name, what, got, wanted);
    return 1;
}

int main(void) {
    static long truth[SHAPES][ROUNDS];
    static unsigned long calls[SHAPES];
    binpatch_config config = {0, 0, 0, 0, 0, 0};
    int n, k, bad = 0, hooked = 0;
    config.returns = 512;
    for (n = 0; n < 64; n++) numbers[n] = n * 7 % 13;
    for (n = 0; n < SHAPES; n++) {
        count = 0;
        for (k = 0; k < ROUNDS; k++) truth[n][k] = shapes[n].call(k);
        calls[n] = count;
    }
    if (!binpatch_init(memory, sizeof memory, &config)) return 2;
    for (n = 0; n < SHAPES; n++) {
        const struct shape *s = &shapes[n];
        binpatch_watch w = {0, 0, entered, left, 0};
        int hook;
        w.function = s->hooked;
        hook = binpatch_hook(&w);
        if (hook < 0) {
            printf("%s is refused: %s\n", s->name, binpatch_reason_text(hook));
            continue;
        }
        hooked++;
        count = told = returned = 0;
        for (k = 0; k < ROUNDS; k++) {
            long got = s->call(k);
            if (got != truth[n][k]) bad |= fail(s->name, "computes", got, truth[n][k]);
        }
        if (count != calls[n]) bad |= fail(s->name, "calls", (long)count, (long)calls[n]);
        if (told == 0) bad |= fail(s->name, "told", 0, 1);
        if (s->own_count && told != count) bad |= fail(s->name, "told", (long)told, (long)count);
        if (!s->throws && returned != told)
            bad |= fail(s->name, "returned", (long)returned, (long)told);
        if (s->throws && returned * 2 != told)
            bad |= fail(s->name, "returned", (long)returned, (long)told / 2);
        if (binpatch_unhook(hook) != 0) bad |= fail(s->name, "unhooks", 1, 0);
        told = 0;
        for (k = 0; k < ROUNDS; k++) (void)s->call(k);
        if (told) bad |= fail(s->name, "told behind unhooking", (long)told, 0);
    }
    printf("%d of %d hooked\n", hooked, SHAPES);
    return bad;
}
