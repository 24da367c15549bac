/* joined.cc - small functions in blocks, loops and calls that do not come back: counters that the
   plugin joins (cc/plugin/gcc_join.h) tell what comments say here. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
#include <vector>
extern "C" void __gcov_dump(void);
static volatile int zero;
static jmp_buf out;
struct list {
    int values[8];
    int count;
    list() : count(0) {}
    int size() const { return count; }                      /* runs 1500 */
    bool empty() const { return size() == 0; }              /* runs 400 */
    int at(int i) const { return values[i]; }               /* runs 700 */
    void add(int v) { values[count++] = v; }                /* runs 700 */
};
static inline int twice(int n) { return n + n; }            /* runs 12883 */
static inline int small(int n) {
    if (n % 3 == 0)                                         /* runs 2500 */
        return twice(n);                                    /* runs 1033 */
    return n + 1;                                           /* runs 1467 */
}
static inline int four(int n) { return twice(twice(n)); }   /* runs 2600 */
__attribute__((noinline)) static void leaves(int n) {
    if (n == 5 + zero)                                      /* runs 1300 */
        longjmp(out, 1);                                    /* runs 200 */
    if (n == 6 + zero)                                      /* runs 1100 */
        throw n;                                            /* runs 200 */
}
/* The counts behind a call that leaves are others than those before it. */
__attribute__((noinline)) static int passes(int n) {
    int x = four(n);                                        /* runs 700 */
    leaves(n);                                              /* runs 700 */
    x += twice(n) + small(n);                               /* runs 500 */
    return x;                                               /* runs 500 */
}
/* What changes nothing may leave, too. gcc does not see that `outside` is this function, whose
   counters change something. */
extern "C" __attribute__((noinline, used)) int bursty_test_checked(int n) {
    if (n == 4)                                             /* runs 700 */
        throw n;                                            /* runs 100 */
    return n + 1;                                           /* runs 600 */
}
__attribute__((pure)) int outside(int n) __asm__("bursty_test_checked");
__attribute__((noinline)) static int around(int n) {
    int x = four(n);                                        /* runs 700 */
    x += outside(n);                                        /* runs 700 */
    return x + twice(n);                                    /* runs 600 */
}
/* What throws nothing may leave by a jump. */
__attribute__((noinline)) static void jumps(int n) noexcept {
    if (n == 5)                                             /* runs 700 */
        longjmp(out, 2);                                    /* runs 100 */
}
__attribute__((noinline)) static int beside(int n) {
    int x = four(n);                                        /* runs 700 */
    if (n & 1)                                              /* runs 700 */
        zero = 0;                                           /* runs 300 */
    jumps(n);                                               /* runs 700 */
    if (n & 2)                                              /* runs 600 */
        zero = 0;                                           /* runs 300 */
    return x + twice(n);                                    /* runs 600 */
}
/* The same with ways around, and with a call on one of two ways. */
__attribute__((noinline)) static int between(int n) {
    int x = four(n);                                        /* runs 500 */
    if (n & 1)                                              /* runs 500 */
        x ^= 5;                                             /* runs 300 */
    leaves(n);                                              /* runs 500 */
    x += twice(n);                                          /* runs 400 */
    if (n == 3 + zero)                                      /* runs 400 */
        leaves(n + 3);                                      /* runs 100 */
    return x + twice(zero);                                 /* runs 300 */
}
/* A loop's head counts more often than what leads to it. */
__attribute__((noinline)) static int sum(const list &l) {
    int i, x = twice(zero);                                 /* runs 400 */
    for (i = 0; i < l.size(); i++) {                        /* runs 1100 */
        x += twice(l.at(i));                                /* runs 700 */
    }
    if (l.empty())                                          /* runs 400 */
        x += 3;                                             /* runs 275 */
    return x;                                               /* runs 400 */
}
/* Diamonds, with and without code on both ways, and a way into their middle. */
__attribute__((noinline)) static int ways(int n) {
    int x = small(n);                                       /* runs 1000 */
    if (n & 1)                                              /* runs 1000 */
        x = small(x) - twice(zero);                         /* runs 500 */
    if (n & 2) {                                            /* runs 1000 */
        x ^= 3;                                             /* runs 500 */
    middle:
        x += n & 3;                                         /* runs 550 */
    } else {
        x = small(n + 1) & 7;                               /* runs 500 */
        if (n % 10 == 0 && x >= 0) {                        /* runs 500 */
            n++;
            goto middle;                                    /* runs 50 */
        }
    }
    switch (n & 3) {                                        /* runs 1000 */
    case 0: return twice(x);                                /* runs 200 */
    case 1: x++;                                            /* runs 300 */
    case 2: return twice(x) + 1;                            /* runs 550 */
    }
    return x;
}
/* A way from before the first count into the middle. */
__attribute__((noinline)) static int enters(int n) {
    int x = 1;
    if (n % 5 == 0)                                         /* runs 1000 */
        goto inside;                                        /* runs 200 */
    x = twice(n);                                           /* runs 800 */
    if (n & 1) {                                            /* runs 800 */
    inside:
        zero = 0;                                           /* runs 600 */
    }
    return x + twice(n);                                    /* runs 1000 */
}
/* One condition decides another. */
__attribute__((noinline)) static int decided(int n, int times) {
    int x = 0, y = 0;
    for (int i = 0; i < times; i++) {                           /* runs 600 */
        if (n > 5)                                              /* runs 500 */
            y++;                                                /* runs 200 */
        if (n > 7)                                              /* runs 500 */
            x++;                                                /* runs 100 */
        x += i;                                                 /* runs 500 */
        if (x == 3 && n < 3)                                    /* runs 500 */
            y += 2;                                             /* runs 30 */
    }
    return x + y + twice(zero);                                 /* runs 100 */
}
int main(int argc, char **) {
    volatile int round;
    volatile long x = 0;
    for (round = 0; round < 400; round++) {
        list l;
        for (int i = 0; i < round % 16 - 4; i++) {
            if (i < 8 && round % 2 == 0) l.add(i);
        }
        x = x + sum(l);
    }
    for (round = 0; round < 1000; round++) x = x + ways(round) + enters(round);
    for (round = 0; round < 700; round++) {
        if (!setjmp(out)) x = x + beside(round % 7);
    }
    for (round = 0; round < 700; round++) {
        try {
            x = x + around(round % 7);
        } catch (int n) {
            x = x + n;
        }
    }
    for (round = 0; round < 700; round++) {
        if (setjmp(out)) continue;
        try {
            x = x + passes(round % 7) + between(round % 5 + 1);
        } catch (int n) {
            x = x + n;
        }
    }
    for (round = 0; round < 100; round++) x = x + decided(round % 10, 5);
    printf("%ld\n", (long)x);
    if (argc > 1) {
        pid_t child;
        fflush(stdout);
        __gcov_dump();                                      /* what follows is another run */
        child = fork();
        if (child == 0) {
            list l;
            for (int i = 0; i < 5; i++) l.add(i);
            _exit(sum(l) == 20 && l.size() == 5 ? 0 : 1);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
