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
