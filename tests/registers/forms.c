/* forms.c - functions in which a check stands among live values. Compiled
   twice: with BURSTY_OFF and NAME(f) plain_f, and as it is with NAME(f)
   checked_f. count.c counts what each executes. */
#include "bursty.h"
#include "forms.h"
/* Expands name before BURST_DUAL pastes it. */
#define DUAL(ret, name, ...) BURST_DUAL(ret, name, __VA_ARGS__)

int NAME(six)(int a, int b, int c, int d, int e, int g) {
    BURST_ENTRY();
    return a + b * c - d * e + g;
}

DUAL(int, NAME(six_dual), (int a, int b, int c, int d, int e, int g), (a, b, c, d, e, g)) {
    return a + b * c - d * e + g;
}

int NAME(six_by_hand)(int a, int b, int c, int d, int e, int g) {
    if (BURST_CHECK()) g += b;
    return a + b * c - d * e + g;
}

int NAME(six_check)(int a, int b, int c, int d, int e, int g) {
    BURST_CHECK();
    return a + b * c - d * e + g;
}

int NAME(six_point)(int a, int b, int c, int d, int e, int g) {
    BURST_POINT(BURSTY_USER, "six", (uintptr_t)a);
    return a + b * c - d * e + g;
}

/* An event without a check, of which nothing is known. */
int NAME(six_event)(int a, int b, int c, int d, int e, int g) {
    BURST_REF(BURSTY_LOAD, &numbers[a]);
    return a + b * c - d * e + g;
}

/* A check and an event behind it: the plain copy knows that no burst is live. */
long NAME(loop_of_events)(const int *p, const int *end, long k) {
    long sum = 0;
    for (; p < end; p++) BURST_BODY({
        BURST_REF(BURSTY_LOAD, p);
        sum = (sum ^ *p) * k;
    })
    return sum;
}

/* The same with a store behind the event; and with a second event behind that. */
void NAME(loop_of_stores)(const int *p, const int *end, int *out) {
    for (; p < end; p++) BURST_BODY({
        BURST_REF(BURSTY_LOAD, p);
        out[*p & 7] ^= 3;
    })
}

void NAME(loop_of_two_events)(const int *p, const int *end, int *out) {
    for (; p < end; p++) BURST_BODY({
        BURST_REF(BURSTY_LOAD, p);
        out[*p & 7] ^= 3;
        BURST_REF(BURSTY_STORE, p + 1);
        out[*p & 3] ^= 5;
    })
}

/* A dual-path function, a loop in it without checks, and an event behind it. */
DUAL(long, NAME(behind_loop), (const int *p, const int *end, long k), (p, end, k)) {
    long sum = 0;
    for (; p < end; p++) sum = (sum ^ *p) * k;
    BURST_REF(BURSTY_STORE, end);
    return sum;
}

/* The same behind a call. */
DUAL(int, NAME(behind_call), (int a, int b), (a, b)) {
    int sum = callee(a);
    BURST_REF(BURSTY_LOAD, &numbers[b]);
    return sum + b;
}

int NAME(six_scope)(int a, int b, int c, int d, int e, int g) {
    BURST_SCOPE("six");
    return a + b * c - d * e + g;
}

double NAME(doubles)(double a, double b, const double *p) {
    BURST_ENTRY();
    return a * b + p[1];
}

long NAME(loop)(const int *p, const int *end, long k) {
    long sum = 0;
    for (; p < end; p++) {
        BURST_LOOP();
        sum = (sum ^ *p) * k;
    }
    return sum;
}

double NAME(loop_of_doubles)(const double *p, long n, double k) {
    double sum = 0;
    long i;
    for (i = 0; i < n; i++) {
        BURST_LOOP();
        sum += p[i] * k;
    }
    return sum;
}

/* clang unrolls a loop with a check if it is asked to. */
double NAME(unrolled)(const double *p, long n, double k) {
    double sum = 0;
    long i;
#ifdef __clang__
#pragma clang loop unroll_count(4)
#endif
    for (i = 0; i < n; i++) {
        BURST_LOOP();
        sum += p[i] * k;
    }
    return sum;
}

int NAME(caller)(int a, int b, int c) {
    BURST_ENTRY();
    return callee(a) + callee(b) * c;
}

/* A check below an early exit: calls that take the exit pay nothing for it. */
int NAME(below)(int n) {
    if (n < 2) return n;
    BURST_ENTRY();
    return callee(n - 1) + callee(n - 2);
}

/* A check at the entry, in front of an exit that most calls take. */
int NAME(early_exit)(int n) {
    BURST_ENTRY();
    if (n < 2) {
        return n;
    }
    return NAME(early_exit)(n - 1) + NAME(early_exit)(n - 2);
}
