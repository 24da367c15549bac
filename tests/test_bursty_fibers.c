/* test_bursty_fibers.c - bursty_fiber_switch: scopes, events, contexts and
   ticks belong to the fiber that runs; switches that nobody can follow are
   counted. */
#include "bursty.inc"
#include "report/kinds/ends.h"
#include <pthread.h>

static const bursty_site *last_caller;
static uint32_t last_depth;
static const char *outermost;

static void see(void *user, const bursty_event *e) {
    (void)user;
    last_depth = e->depth;
    last_caller = e->depth ? e->stack[e->depth - 1] : NULL;
    outermost = e->depth ? e->stack[0]->name : "";
}

/* Scopes that open and close where the test says, as those of other stacks do. */
static const bursty_site a = { "a", "x.c", 1, BURSTY_P_SCOPE_CALL };
static const bursty_site b = { "b", "x.c", 2, BURSTY_P_SCOPE_CALL };
static void point(void) { BURST_POINT(BURSTY_USER, "point", 0); }

static void full_profile(bursty_action action) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.seed = 1;
    config.tick_hz = -1;
    config.profile.every = BURSTY_ALWAYS;
    config.profile.action = action;
    CHECK(bursty_start(&config) > 0);
}

TEST(scopes_belong_to_their_fiber) {
    static bursty_fiber one = { "one", 0, { NULL } }, two = { "two", 0, { NULL } };
    bursty_p_scope in_a, in_b;
    full_profile(see);
    CHECK_EQ(bursty_depth(), 0);
    CHECK(bursty_fiber_switch(&one) == NULL);
    in_a = bursty_p_enter(&a);
    point();
    CHECK(last_depth == 2 && last_caller == &a && strcmp(outermost, "one") == 0);
    CHECK(bursty_fiber_switch(&two) == &one);
    point();
    CHECK(last_depth == 1 && strcmp(outermost, "two") == 0);
    in_b = bursty_p_enter(&b);
    point();
    CHECK(last_depth == 2 && last_caller == &b);
    CHECK(bursty_fiber_switch(&one) == &two);
    point();
    CHECK(last_depth == 2 && last_caller == &a);
    bursty_p_leave(&in_a);
    point();
    CHECK_EQ(last_depth, 1);
    CHECK(bursty_fiber_switch(NULL) == &one);
    point();
    CHECK_EQ(last_depth, 0);
    CHECK(bursty_fiber_switch(NULL) == NULL);
    CHECK(bursty_fiber_switch(&two) == NULL);
    CHECK(bursty_fiber_switch(&two) == &two);
    bursty_p_leave(&in_b);
    CHECK_EQ(bursty_depth(), 1);
    (void)bursty_fiber_switch(NULL);
    CHECK_EQ(bursty_depth(), 0);
}

/* Three fibers of random calls, switched at random: each one's stack is that of
   a run alone. */
TEST(random_switches) {
    enum { FIBERS = 3, STEPS = 20000 };
    static bursty_fiber fiber[FIBERS];
    static bursty_p_scope open[FIBERS][100];
    uint32_t depth[FIBERS] = { 0, 0, 0 }, runs = 0, i, wrong = 0;
    uint64_t random = 5;
    full_profile(see);
    memset(fiber, 0, sizeof fiber);
    (void)bursty_fiber_switch(&fiber[0]);
    for (i = 0; i < STEPS; i++) {
        uint32_t draw = (uint32_t)(test_random(&random) % 8);
        if (draw == 0) {
            runs = (uint32_t)(test_random(&random) % FIBERS);
            (void)bursty_fiber_switch(&fiber[runs]);
        } else if (draw < 5 && depth[runs] < 100) {
            open[runs][depth[runs]++] = bursty_p_enter(runs ? &a : &b);
        } else if (depth[runs]) {
            bursty_p_leave(&open[runs][--depth[runs]]);
        }
        point();
        wrong += last_depth != depth[runs];
        wrong += last_depth && last_depth <= BURSTY_STACK && last_caller != (runs ? &a : &b);
    }
    CHECK_EQ(wrong, 0);
    (void)bursty_fiber_switch(NULL);
    CHECK_EQ(bursty_depth(), 0);
}

/* How many such switches the dump has, and of how many; 0 of 0 if it says
   nothing. */
typedef struct wrong_switches { uint64_t count, all; } wrong_switches;
static struct { unsigned char data[1 << 16]; size_t size; } file;
static int to_file(void *user, const void *data, size_t size) {
    (void)user;
    if (size > sizeof file.data - file.size) return -1;
    memcpy(file.data + file.size, data, size);
    file.size += size;
    return 0;
}
static wrong_switches in_dump(uint32_t why) {
    wrong_switches w = { 0, 0 };
    missing_ends ends = { NULL, 0 };
    dump d;
    dump_fault fault;
    size_t i;
    file.size = 0;
    CHECK_EQ(bursty_write(to_file, NULL), 0);
    if (!CHECK(dump_read(&d, file.data, file.size, &fault) == 0)) return w;
    for (i = 0; i < d.part_count; i++)
        if (d.parts[i].kind == 7) CHECK_EQ(kind_ends.read(&ends, &d, &d.parts[i], &fault), 0);
    for (i = 0; i < ends.count; i++) {
        if (ends.at[i].why != why) continue;
        w.count += ends.at[i].missing;
        w.all += ends.at[i].of;
    }
    kind_ends.free(&ends);
    dump_free(&d);
    return w;
}

/* Threads that take steps in turn: 0 enters the fiber, 1 leaves it, 2 opens a
   scope, 3 closes it. */
static bursty_fiber shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_done = PTHREAD_COND_INITIALIZER;
static size_t step; /* how many are done */
enum { STEPS_MOST = 16 };
static const char *steps; /* "a0" and so on: who does what */
static uint32_t depth_seen[STEPS_MOST];
static void take_steps(char who) {
    bursty_p_scope open = { 0 };
    size_t i, count = strlen(steps) / 2;
    for (i = 0; i < count; i++) {
        const char what = steps[2 * i + 1];
        if (steps[2 * i] != who) continue;
        (void)pthread_mutex_lock(&lock);
        while (step < i) (void)pthread_cond_wait(&is_done, &lock);
        if (what == '0') (void)bursty_fiber_switch(&shared);
        if (what == '1') (void)bursty_fiber_switch(NULL);
        if (what == '2') open = bursty_p_enter(who == 'a' ? &a : &b);
        if (what == '3') bursty_p_leave(&open);
        depth_seen[i] = bursty_depth();
        step++;
        (void)pthread_cond_broadcast(&is_done);
        (void)pthread_mutex_unlock(&lock);
    }
}
static void *second(void *unused) {
    take_steps('b');
    return unused;
}
static wrong_switches after(const char *what) {
    pthread_t thread;
    steps = what;
    step = 0;
    memset(&shared, 0, sizeof shared);
    shared.name = "shared";
    full_profile(see);
    CHECK_EQ(pthread_create(&thread, NULL, second, NULL), 0);
    take_steps('a');
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(in_dump(END_INSIDE).count, 0);
    return in_dump(END_TWICE);
}

TEST(a_fiber_that_two_threads_enter) {
    wrong_switches w = after("a0a2a1b0b3b1a0a1"); /* handed over: no fault, though b ends a's scope */
    CHECK_EQ(w.count, 0);
    w = after("a0a2b0b2a3a1b3b1"); /* b enters it while a runs it */
    CHECK(w.count == 2 && w.all == 4); /* b is one that noticed, and so all of its own are in it */
    CHECK_EQ(depth_seen[2], 1); /* b's begins anew: its name alone */
    CHECK_EQ(depth_seen[3], 2);
    CHECK_EQ(depth_seen[7], 0);
    w = after("a0b0b1a1"); /* b comes and goes meanwhile; it may not have said its last switch */
    CHECK(w.count == 2 && w.all >= 3 && w.all <= 4);
    w = after("a0a1b0b1a0b0a1b1a0a1"); /* right, wrong, right */
    CHECK(w.count == 2 && w.all == 10);
    CHECK_EQ(depth_seen[8], 1);
}

/* A thread that ends in a fiber: the next one cannot know. */
TEST(a_thread_that_ends_in_a_fiber) {
    const wrong_switches w = after("b0b2a0a1");
    CHECK_EQ(w.count, 1);
}

TEST(switches_of_many_are_a_part_of_all) {
    static bursty_fiber mine;
    wrong_switches w;
    uint32_t i;
    memset(&mine, 0, sizeof mine);
    memset(&shared, 0, sizeof shared);
    full_profile(see);
    for (i = 0; i < 50000; i++) {
        (void)bursty_fiber_switch(&mine);
        (void)bursty_fiber_switch(NULL);
    }
    CHECK_EQ(in_dump(END_TWICE).all, 0); /* nothing was wrong, nothing is said */
    shared.depth = BURSTY_P_RUNS; /* as if another thread ran it */
    (void)bursty_fiber_switch(&shared);
    (void)bursty_fiber_switch(NULL);
    w = in_dump(END_TWICE);
    CHECK(w.count == 1 && w.all > 98000 && w.all <= 100002);
    bursty_clear();
    CHECK_EQ(in_dump(END_TWICE).count, 0);
}

/* An action that switches, as one that waits for something does. */
static bursty_fiber waiting;
static uint32_t seen;
static void yields(void *user, const bursty_event *e) {
    (void)user;
    if (e->site->line == 0 || seen++ != 1) return;
    (void)bursty_fiber_switch(&waiting);
    point(); /* what runs there while the event waits is not recorded */
    (void)bursty_fiber_switch(NULL);
}
TEST(switches_in_an_action) {
    wrong_switches w;
    bursty_p_scope in_a;
    uint32_t i;
    memset(&waiting, 0, sizeof waiting);
    seen = 0;
    full_profile(yields);
    in_a = bursty_p_enter(&a);
    for (i = 0; i < 3; i++) point();
    CHECK_EQ(bursty_depth(), 1);
    bursty_p_leave(&in_a);
    CHECK_EQ(bursty_depth(), 0);
    w = in_dump(END_INSIDE);
    CHECK(w.count == 2 && w.all == 2);
    CHECK_EQ(in_dump(END_TWICE).count, 0);
    CHECK_EQ(seen, 5); /* the scope's two and three points, but not that of the fiber */
}
