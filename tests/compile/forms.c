/* forms.c - every BURST_ form once, in a program whose result does not depend
   on them. Compiled three ways: on, with BURSTY_OFF, and with FORMS_BY_HAND,
   where the forms are what they should vanish into. Off and by hand must make
   the same code. test_compile.sh looks here for every public macro and function
   of bursty.h. */
#include <stddef.h>

#if defined(FORMS_BY_HAND)
static int unchecked(void) { return 0; }
#define BURST_CHECK() unchecked()
#define BURST_POINT(class, name, value) ((void)0)
#define BURST_ENTRY() ((void)0)
#define BURST_LOOP() ((void)0)
#define BURST_SCOPE(name) ((void)0)
#define BURST_LEAVE() ((void)0)
#define BURST_DUAL(ret, name, params, args) ret name params
#define BURST_DUAL_LEAF(ret, name, params, args) ret name params
#define BURST_SAME(f, args) f args
#define BURST_IF_RECORDING(statements) ((void)0)
#define BURST_REF(class, p) ((void)0)
#define BURST_BODY(...) __VA_ARGS__
#define BURST_FOR(T, i, lo, hi, ...)                                                               \
    for (T i = (lo), end = (hi); i < end; i++) __VA_ARGS__
#define BURST_FOR_LEAF BURST_FOR
#else
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#endif

static int cells[100];
static long seen;

static BURST_DUAL_LEAF(int, cell, (int i), (i)) {
    BURST_REF(BURSTY_LOAD, &cells[i]);
    return cells[i];
}
static BURST_DUAL_LEAF(int, first, (void), ()) { return cells[0]; }
static BURST_DUAL_LEAF(void, put, (int i, int value), (i, value)) {
    BURST_REF(BURSTY_STORE, &cells[i]);
    cells[i] = value;
}
static BURST_DUAL_LEAF(void, bump, (void), ()) { cells[1]++; }

static BURST_DUAL(int, total, (int n), (n)) {
    int i, sum = 0;
    for (i = 0; i < n; i++)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD | BURSTY_STORE, &cells[i]);
            if (cells[i] < 0) continue;
            if (cells[i] > 1000) break;
            sum += BURST_SAME(cell, (i));
        })
    return sum;
}

static BURST_DUAL(int, answer, (void), ()) {
    BURST_IF_RECORDING(seen++);
    return 42 + first();
}

static BURST_DUAL(void, fill, (int from, int to), (from, to)) {
    BURST_FOR(int, i, from, to, { put(i, i * 3 % 17); })
    BURST_FOR_LEAF(int, k, from, to, { if (k == 1000) cells[0]++; })
}

static BURST_DUAL(void, tick, (void), ()) {
    BURST_POINT(BURSTY_USER, "tick", cells[0]);
    bump();
}

/* Parameters whose text begins like (void), results that do, and functions that
   other files see. */
static BURST_DUAL(void *, same, (void *p, const unsigned long *q), (p, q)) { return q ? p : NULL; }
static BURST_DUAL_LEAF(const int *, cell_at, (int (*f)(int), unsigned i), (f, i)) {
    return f && i < 100 ? &cells[i] : NULL;
}
int whole(void);
BURST_DUAL(int, whole, (void), ()) { return BURST_SAME(first, ()) + *cell_at(cell, 2); }

static int scoped(int n) {
    BURST_SCOPE("scoped");
    if (n == 0) {
        BURST_LEAVE();
        return 0;
    }
    n = scoped(n - 1) + 1;
    BURST_LEAVE();
    return n;
}

static int loops(int n) {
    int sum = 0;
    BURST_ENTRY();
    while (n-- > 0) {
        BURST_LOOP();
        BURST_POINT(2, "loops", n);
        if (BURST_CHECK()) seen++;
        BURST_CHECK();
        sum += n;
    }
    return sum;
}

int forms_result(void);
int forms_result(void) {
    fill(0, 100);
    tick();
    same(cells, NULL);
    BURST_SAME(bump, ());
    cells[1]--;
    return total(100) + answer() + scoped(9) + loops(20) + whole();
}

#ifdef FORMS_MAIN
#ifdef FORMS_BY_HAND
static int start(void) { return 0; }
#else
static uint32_t events;
static void action(void *user, const bursty_event *event) {
    (void)user;
    events += event->site != NULL;
}

/* Every burst starts and ends somewhere else, in one check out of three a burst
   is live. */
static int start(void) {
    static bursty_config config;
    config.profile.every = 20;
    config.profile.burst = 11;
    config.profile.action = action;
#ifdef BURSTY_TINY
    return bursty_set_profile(0, &config.profile);
#else
    return bursty_start(&config) == 0;
#endif
}
#endif

int main(void) {
    int i, first_result = forms_result();
    start();
    for (i = 0; i < 1000; i++)
        if (forms_result() != first_result) return 1;
#if !defined(FORMS_BY_HAND) && !defined(BURSTY_OFF) && !defined(BURSTY_POLL)
    if (events < 1000) return 3;
#endif
    return first_result == 1039 ? 0 : 2;
}
#endif
