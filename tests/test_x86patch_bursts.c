/* test_x86patch_bursts.c - every stretch from one check to the next is sampled
   with the same chance, and whole; the checks are counted. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#define X86_IMPLEMENTATION
#define X86_STATIC
#include "record/x86/x86.h"
#include "test.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if !defined(X86_SUPPORTED) || !defined(__GLIBC__)
TEST(is_not_supported) { SKIP("Linux on x86-64 with glibc only"); }
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) \
    || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
TEST(is_not_for_sanitizers) { SKIP("a sanitizer has its own idea of the stack"); }
#else
#include <pthread.h>
#include <sched.h>
#include "x86patch.inc"

/* ---- what is patched ---- */

static volatile int sink;
static int (*volatile through)(int);
static int (*volatile deeper)(int);

/* Leaves, whose addresses `take` has: only the first call from a copy passes
   their check. */
WORK static int work_inside(int n) { sink = n; return n + 1; }
WORK static int work_behind(int n) { sink = n; return n + 2; }
WORK static int work_middle(int n) { return work_inside(n) + sink; }
/* Two checks each turn: at the entry of work_middle, and of the loop. */
WORK static int work_outer(int n) {
    int i, sum = 0;
    for (i = 0; i < n; i++) {
        sum += through(i) & 7;
        sum += work_behind(i) & 7;
    }
    return sum;
}
/* All calls of work_behind come when the last check is over. */
WORK static int work_deep(int n) {
    int sum = n ? deeper(n - 1) : 0;
    return (sum + work_behind(n)) & 0xFF;
}
WORK static int work_late(int n) { return work_inside(n) + work_behind(sink); }

enum { INSIDE, BEHIND, MIDDLE, DEEP, LATE, FUNCTIONS };
static unsigned long seen[FUNCTIONS], last_halves[FUNCTIONS], middles, ends;
static int halves, is_behind;

static void take(void *user, const x86_event *e, size_t count, int ended) {
    int (*const functions[])(int) = {work_inside, work_behind, work_middle, work_deep, work_late};
    uint64_t bias = x86_p.modules[0].flow.bias;
    int n;
    (void)user;
    for (; count--; e++) {
        for (n = 0; n < FUNCTIONS && e->what & X86_ENTRY; n++) {
            int is_it = bias + e->place == (uint64_t)(uintptr_t)functions[n];
            seen[n] += (unsigned long)is_it;
            last_halves[n] += (unsigned long)(is_it && is_behind);
        }
    }
    middles += ended == X86_MIDDLE;
    ends += ended == 1;
    if (ended) is_behind = ended == X86_MIDDLE;
}
static int only_work(void *user, const char *module, const char *function) {
    (void)user;
    return !*module && (!function || strncmp(function, "work_", 5) == 0);
}

/* One burst in `kept` counts as so many, and the others are left out. */
static uint32_t begun, kept = 1;
static uint32_t begin(void *user, const x86_frame *frames, size_t count) {
    (void)user;
    (void)frames;
    (void)count;
    return begun++ % kept ? 0 : kept;
}

static int install(uint32_t check, uint32_t burst) {
    x86_config c;
    memset(&c, 0, sizeof c);
    c.every = check;
    c.burst = burst;
    c.jitter = -1;
    c.want = only_work;
    c.action = take;
    c.begin = kept > 1 ? begin : NULL;
    c.halves = halves;
    through = work_middle;
    deeper = work_deep;
    return x86_install(&c) == 6;
}

#define CHILD(name)                                                                                \
    static int name##_body(void);                                                                  \
    TEST(name) { CHECK_EQ(in_child(name##_body), 0); }                                             \
    static int name##_body(void)

/* ---- tests ---- */

CHILD(a_call_behind_another_is_sampled_like_any) {
    enum { TURNS = 11000 };
    x86_stats s;
    int n;
    NEED(install(10, 1));
    (void)work_outer(TURNS);
    x86_flush();
    for (n = INSIDE; n <= MIDDLE; n++) {
        if (seen[n] < TURNS / 11 - 2 || seen[n] > TURNS / 11 + 2)
            fprintf(stderr, "function %d: %lu of %d\n", n, seen[n], TURNS);
        NEED(seen[n] >= TURNS / 11 - 2 && seen[n] <= TURNS / 11 + 2);
    }
    x86_get_stats(&s);
    NEED(s.checks >= 2 * TURNS && s.checks <= 2 * TURNS + 4);
    NEED(s.burst_checks == s.bursts && s.checks / 11 == s.bursts);
    return 0;
}

/* What is left out counts in no burst and keeps its place in the period. */
CHILD(a_burst_that_is_left_out_has_no_events) {
    enum { TURNS = 29000, CHECK = 22, BURST = 7, KEPT = 3 };
    unsigned long all = (unsigned long)TURNS * BURST / (CHECK + BURST) / KEPT, whole;
    x86_stats s;
    int n;
    kept = KEPT;
    NEED(install(CHECK, BURST));
    (void)work_outer(TURNS);
    x86_flush();
    for (n = INSIDE; n <= MIDDLE; n++) NEED(seen[n] + 8 >= all && seen[n] <= all + 8);
    x86_get_stats(&s);
    NEED(s.checks >= 2 * TURNS && s.checks <= 2 * TURNS + 4);
    NEED(s.bursts == begun);
    NEED(begun == s.checks / (CHECK + BURST) + (s.checks % (CHECK + BURST) > CHECK));
    whole = (begun + KEPT - 1) / KEPT;
    NEED(ends == whole || ends == whole + 1);           /* x86_flush is an end, too */
    NEED(s.burst_checks <= (uint64_t)whole * BURST * KEPT);
    NEED(s.burst_checks >= (uint64_t)(whole - 1) * BURST * KEPT);
    return 0;
}

/* Every stretch is in the last half of a burst as often as in its first half, also
   where a burst has one check, which is all of the last half. */
static int halved(uint32_t check, uint32_t burst, uint32_t half) {
    enum { TURNS = 29000 };
    unsigned long all = (unsigned long)TURNS * burst / (check + burst);
    unsigned long last = (unsigned long)TURNS * half / (check + burst);
    int n;
    halves = 1;
    NEED(install(check, burst));
    (void)work_outer(TURNS);
    x86_flush();
    for (n = INSIDE; n <= MIDDLE; n++) {
        if (last_halves[n] + 8 < last || last_halves[n] > last + 8)
            fprintf(stderr, "function %d: %lu of %lu\n", n, last_halves[n], last);
        NEED(seen[n] + 8 >= all && seen[n] <= all + 8);
        NEED(last_halves[n] + 8 >= last && last_halves[n] <= last + 8);
    }
    NEED(middles + 1 >= ends && middles <= ends + 1 && middles > 100);
    return 0;
}
CHILD(a_burst_of_eight_checks_has_its_middle_behind_four) { return halved(21, 8, 4); }
CHILD(a_burst_of_seven_checks_has_its_middle_behind_four) { return halved(22, 7, 3); }
CHILD(a_burst_of_one_check_is_behind_its_middle) { return halved(28, 1, 1); }
CHILD(whole_bursts_have_no_middle) {
    NEED(install(21, 8));
    (void)work_outer(2900);
    x86_flush();
    NEED(middles == 0 && ends > 90);
    return 0;
}
CHILD(a_trace_of_all_has_no_middle) {
    halves = 1;
    NEED(install(X86_ALWAYS, 8));
    (void)work_outer(2900);
    x86_flush();
    NEED(middles == 0 && seen[BEHIND] >= 2899);
    return 0;
}

CHILD(a_burst_goes_on_behind_many_returns) {
    enum { DEPTH = 100, TURNS = 1100 };         /* 101 checks each: equal shares of 11 */
    int n;
    unsigned long expected = (DEPTH + 1) * (TURNS / 11);
    NEED(install(10, 1));
    for (n = 0; n < TURNS; n++) (void)work_deep(DEPTH);
    x86_flush();
    NEED(seen[DEEP] + 2 >= expected && seen[DEEP] <= expected + 2);
    NEED(seen[BEHIND] + 2 * DEPTH >= expected && seen[BEHIND] <= expected + 2 * DEPTH);
    return 0;
}

/* Gaps are drawn evenly from C - j to C + j, both ends included. None is 0. */
CHILD(gaps_differ_by_the_jitter) {
    enum { GAP = 20, DRAWS = 41000 };
    static unsigned long drawn[2 * GAP + 1];
    static const int jitters[] = {-1, 50, 100};
    int k, i, j;
    for (k = 0; k < 3; k++) {
        x86_config c;
        x86_p_thread t;
        memset(&c, 0, sizeof c);
        memset(&t, 0, sizeof t);
        memset(drawn, 0, sizeof drawn);
        c.every = GAP;
        c.burst = 1;
        c.jitter = jitters[k];
        c.want = only_work;
        NEED(k > 0 || x86_install(&c) == 6);
        x86_p.config.jitter = k ? jitters[k] : x86_p.config.jitter;
        t.random = 1;
        for (i = 0; i < DRAWS; i++) {
            int32_t gap = x86_p_gap(&t);
            NEED(gap >= 0 && gap <= 2 * GAP);
            drawn[gap]++;
        }
        j = jitters[k] > 0 ? GAP * jitters[k] / 100 : 0;
        j = j < GAP ? j : GAP - 1;
        for (i = 0; i <= 2 * GAP; i++) {
            unsigned long due = i >= GAP - j && i <= GAP + j ? DRAWS / (2 * (unsigned)j + 1) : 0;
            NEED(drawn[i] * 10 >= due * 8 && drawn[i] * 10 <= due * 12);
        }
    }
    return 0;
}

/* Of each check from the first to the 400th as many are in bursts as of all
   others, at any jitter: some 2000 of 20 000 threads, and none is 5.5 standard
   errors away. */
CHILD(a_check_has_the_same_chance_in_each_thread) {
    enum { GAP = 90, BURST = 10, DRAWS = 20000, FIRST = 400 };
    static const int jitters[] = {12, 80, 100};
    static x86_p_thread t;
    int k, draw, n;
    NEED(install(GAP, BURST));
    for (k = 0; k < 3; k++) {
        static unsigned long sampled[FIRST];
        memset(sampled, 0, sizeof sampled);
        x86_p.config.jitter = jitters[k];
        for (draw = 0; draw < DRAWS; draw++) {
            t.random = base_p_state_of(7, (uint32_t)draw, 0);
            t.live = 0;
            x86_p_first_span(&t);
            for (n = 0; n < FIRST;) {
                int32_t left = (t.live ? t.left : t.n) + 1;
                for (; left && n < FIRST; left--) sampled[n++] += t.live;
                if (t.live) x86_p_begin_span(&t, 0, x86_p_gap(&t) - 1);
                else x86_p_begin_span(&t, 1, BURST - 1);
            }
        }
        for (n = 0; n < FIRST; n++) NEED(sampled[n] > 1767 && sampled[n] < 2233);
    }
    return 0;
}

/* Another thread makes a copy when a function is called for the first time. */
static volatile int holds, called;
static void *hold(void *shared) {
    x86_p_shared *s = (x86_p_shared *)shared;
    if (x86_p_lock(s) != 0) return NULL;
    holds = 1;
    while (!called && !__atomic_load_n(&x86_p.waits, __ATOMIC_RELAXED)) sched_yield();
    x86_p_unlock(s);
    return shared;
}

CHILD(who_finds_the_patcher_at_work_waits) {
    pthread_t thread;
    void *shared = NULL;
    x86_stats s;
    NEED(install(X86_ALWAYS, 0));
    NEED(pthread_create(&thread, NULL, hold, x86_p.modules[0].shared) == 0);
    while (!holds) sched_yield();
    (void)work_late(1);
    called = 1;
    NEED(pthread_join(thread, &shared) == 0 && shared);
    (void)work_late(2);
    x86_flush();
    x86_get_stats(&s);
    NEED(seen[LATE] == 2 && seen[BEHIND] == 2 && s.missed == 0);
    return 0;
}

/* What is near to code is left to copies: a program of many libraries needs
   it. */
CHILD(tables_are_far_from_code) {
    const x86_p_module *m = x86_p.modules;
    NEED(install(X86_ALWAYS, 0));
    NEED(m->flow.lo - x86_p_address(m->rw) > UINT64_C(1) << 31);
    NEED(m->flow.lo - x86_p_address(x86_p.rooms[0].rules) > UINT64_C(1) << 31);
    return 0;
}

/* The owner of the lock is gone: nobody waits for it twice, and what is missed
   is counted. */
CHILD(nobody_waits_for_ever) {
    x86_stats s;
    NEED(install(X86_ALWAYS, 0));
    x86_p.lock = x86_p.stuck = 2;
    (void)work_late(1);
    x86_flush();
    x86_get_stats(&s);
    NEED(seen[LATE] == 0 && s.missed == 3);             /* and the leaves that it calls */
    x86_p.lock = 0;
    x86_p.stuck = (uint32_t)((uintptr_t)&x86_p_tls >> 4) | 1; /* us, once: no longer */
    (void)work_late(1);
    x86_flush();
    NEED(seen[LATE] == 1 && x86_p.stuck == 0);
    return 0;
}
#endif
