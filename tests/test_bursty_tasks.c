/* test_bursty_tasks.c - tasks of an RTOS that are switched in the middle of an event,
   played by an action: what others do meanwhile is counted and said, and sampling
   goes on, with a task that was deleted there, too. A bare build;
   tests/firmware/tasks.c has true interrupts. */
#define BURSTY_BARE
#define BURSTY_NO_TLS
#define BURSTY_TICKS
#define BURSTY_STACK 8
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "test.h"
#include "dump_bytes.inc"
#include "report/kinds/ends.h"
#include <setjmp.h>

static bursty_fiber one, two, three;
static void point(void) { BURST_POINT(BURSTY_USER, "point", 0); }
static void points(uint32_t count) {
    while (count--) point();
}

static void start(uint32_t every, uint32_t burst, bursty_action action) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    memset(&three, 0, sizeof three);
    one.name = "one";
    two.name = "two";
    three.name = "three";
    config.seed = 1;
    config.tick_hz = 100;
    config.profile.every = every;
    config.profile.burst = burst;
    config.profile.jitter = -1;
    config.profile.action = action;
    CHECK_EQ(bursty_start(&config), 1);
    (void)bursty_fiber_switch(&one);
}

/* What the dump says of checks that met no burst; 0 of 0: nothing. */
typedef struct unmet { uint64_t count, all; } unmet;
static unmet in_dump(void) {
    unmet u = { 0, 0 };
    missing_ends ends = { NULL, 0 };
    dump d;
    dump_fault fault;
    size_t i;
    file.size = 0;
    CHECK_EQ(bursty_write(to_file, &file), 0);
    if (!CHECK(dump_read(&d, file.data, file.size, &fault) == 0)) return u;
    for (i = 0; i < d.part_count; i++)
        if (d.parts[i].kind == 7) CHECK_EQ(kind_ends.read(&ends, &d, &d.parts[i], &fault), 0);
    CHECK(ends.count <= 1);
    for (i = 0; i < ends.count; i++) {
        CHECK_EQ(ends.at[i].why, END_AWAY);
        u.count += ends.at[i].missing;
        u.all += ends.at[i].of;
    }
    kind_ends.free(&ends);
    dump_free(&d);
    return u;
}

static bursty_stats stats(void) {
    bursty_stats s;
    bursty_get_stats(&s);
    return s;
}

enum { MEANWHILE = 100 };
static uint32_t seen, preempted_at;
static jmp_buf gone; /* stands for: this task never goes on */
static enum { COMES_BACK, LOOKS, IS_DELETED, LOOKS_AND_IS_DELETED } what;

/* An interrupt in the event preempted_at: the task two has its turn. */
static void see(void *user, const bursty_event *e) {
    (void)user;
    if (e->kind != BURSTY_USER || seen++ != preempted_at) return;
    (void)bursty_fiber_switch(&two);
    points(MEANWHILE);
    bursty_tick(1);
    /* Checks that were left between their load and their store. */
    if (what == LOOKS || what == LOOKS_AND_IS_DELETED) {
        (void)bursty_fiber_switch(&three);
        BURSTY_P_HERE.n = 0;
        points(1);
        BURSTY_P_HERE.n = (uint32_t)-60;
        points(2);
    }
    if (what == IS_DELETED || what == LOOKS_AND_IS_DELETED) longjmp(gone, 1);
    (void)bursty_fiber_switch(&one);
}

TEST(a_task_that_is_left_in_an_event) {
    unmet u;
    seen = 0;
    preempted_at = 5;
    what = COMES_BACK;
    start(BURSTY_ALWAYS, 0, see);
    points(5);
    CHECK_EQ(in_dump().all, 0); /* nothing is wrong, nothing is said */
    points(15);
    CHECK_EQ(seen, 20);
    u = in_dump();
    CHECK(u.count == MEANWHILE && u.all == 20 + MEANWHILE);
    CHECK(stats().checks == 20 + MEANWHILE && stats().events == 20);
    CHECK(stats().ticks == 1 && stats().ticks_slow == 0); /* two was not recording */
    bursty_clear();
    CHECK_EQ(in_dump().all, 0);
    preempted_at = seen;
    points(1);
    CHECK_EQ(in_dump().count, MEANWHILE);
    start(BURSTY_ALWAYS, 0, see);
    CHECK_EQ(in_dump().all, 0);
}

TEST(a_check_that_was_left_there_records_nothing) {
    seen = 0;
    preempted_at = 7;
    what = LOOKS;
    start(40, 10, see); /* bursts at checks 40, 90, 140, ... */
    points(1000);
    CHECK_EQ(seen, 200);
    CHECK_EQ(in_dump().count, MEANWHILE);
}

static void in_scope(uint32_t count) {
    BURST_SCOPE("scope");
    points(count);
    BURST_LEAVE();
}
TEST(a_task_that_is_left_in_a_scope) {
    seen = 0;
    preempted_at = 5;
    what = LOOKS;
    start(BURSTY_ALWAYS, 0, see);
    in_scope(20);
    CHECK_EQ(seen, 20);
    CHECK_EQ(in_dump().count, MEANWHILE);
    CHECK_EQ(in_dump().all, 21 + MEANWHILE);
}

/* As if an interrupt had come in the middle of counting: the word is out. */
TEST(a_task_that_is_left_while_it_counts) {
    uint32_t word;
    start(40, 10, NULL); /* bursts at checks 40, 90, 140, ... */
    points(45);
    CHECK_EQ(bursty_in_burst(), 1);
    word = BURSTY_P_HERE.n;
    BURSTY_P_HERE.n = BURSTY_P_BUSY;
    (void)bursty_fiber_switch(&two);
    points(MEANWHILE);
    (void)bursty_fiber_switch(&three);
    BURSTY_P_HERE.n = word;
    points(3); /* of which each comes to the slow path */
    (void)bursty_fiber_switch(&one);
    CHECK_EQ(BURSTY_P_HERE.n, BURSTY_P_BUSY);
    BURSTY_P_HERE.n = word;
    points(955);
    CHECK_EQ(stats().events, 200);
    CHECK_EQ(stats().checks, 1000 + MEANWHILE);
    CHECK_EQ(in_dump().count, MEANWHILE);
}

/* An old word comes back when nobody is in an event any more: one of the time when a
   task was, and one of another gap. */
TEST(a_word_that_comes_late) {
    static const uint32_t late[2] = { UINT32_C(0x1FFFFFF0), 60000 };
    uint32_t i;
    for (i = 0; i < 2; i++) {
        seen = 0;
        preempted_at = 7;
        what = COMES_BACK;
        start(40, 10, see);
        points(60);
        BURSTY_P_HERE.n = late[i];
        points(5);
        (void)bursty_fiber_switch(&three);
        points(1000);
        CHECK(seen >= 200 && seen <= 220);
    }
}

static void delete_one(void) {
    seen = 0;
    preempted_at = 5;
    what = IS_DELETED;
    start(BURSTY_ALWAYS, 0, see);
    if (setjmp(gone) == 0) points(20);
    CHECK_EQ(seen, 6);
}

TEST(a_task_that_is_deleted_in_an_event) {
    unmet u;
    delete_one();
    points(50);
    one.depth = 0; /* as its program says */
    points(50);
    (void)bursty_fiber_switch(&three);
    CHECK_EQ(bursty_depth(), 1);
    points(30);
    CHECK_EQ(seen, 36);
    u = in_dump();
    CHECK(u.count == 2 * MEANWHILE && u.all == 36 + 2 * MEANWHILE);
    (void)bursty_fiber_switch(&one); /* a new task has its fiber */
    points(30);
    CHECK_EQ(seen, 66);
    CHECK_EQ(in_dump().count, 2 * MEANWHILE);
}

/* The burst goes on behind the event of the task that is gone. */
TEST(a_deleted_task_leaves_the_rest_of_its_burst) {
    seen = 0;
    preempted_at = 7;
    what = LOOKS_AND_IS_DELETED;
    start(40, 10, see); /* a burst at checks 40 to 49 */
    if (setjmp(gone) == 0) points(1000);
    one.depth = 0;
    (void)bursty_fiber_switch(&two);
    CHECK_EQ(seen, 8);
    points(2);
    CHECK_EQ(seen, 10);
    points(40);
    CHECK_EQ(seen, 10);
    points(10);
    CHECK_EQ(seen, 20);
}

TEST(a_start_while_a_task_is_left) {
    delete_one();
    seen = 0;
    preempted_at = UINT32_MAX;
    start(40, 10, see);
    points(1000);
    (void)bursty_fiber_switch(&two);
    points(1000);
    CHECK_EQ(seen, 400);
    CHECK_EQ(in_dump().all, 0);
}

/* Nobody said so: what the others do is told as not met. */
TEST(a_deleted_task_of_which_nobody_tells) {
    unmet u;
    delete_one();
    (void)bursty_fiber_switch(&three);
    points(1000);
    (void)bursty_fiber_switch(&two);
    CHECK_EQ(seen, 6);
    u = in_dump();
    CHECK(u.count == 1000 + MEANWHILE && u.all == u.count); /* one's wait for a look */
}

/* A companion's part stays behind it. */
static uint32_t written;
static int write_part(bursty_write_fn write, void *user) {
    (void)write;
    (void)user;
    return ++written == 2 ? -1 : 0;
}
TEST(a_companion_still_writes) {
    bursty_companion companion;
    memset(&companion, 0, sizeof companion);
    companion.write = write_part;
    bursty_join(&companion);
    seen = 0;
    preempted_at = 5;
    what = COMES_BACK;
    start(BURSTY_ALWAYS, 0, see);
    points(20);
    CHECK_EQ(in_dump().count, MEANWHILE);
    CHECK_EQ(written, 1);
    file.size = 0;
    CHECK_EQ(bursty_write(to_file, &file), -1);
}
