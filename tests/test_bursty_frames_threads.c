/* test_bursty_frames_threads.c - frames of several threads at once, of threads
   that end and of forked children; real clocks and timers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "base/input.h"
#include "base/tool.h"
#include "report/model/frames.h"
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#if defined(__unix__) && defined(__GNUC__) && !defined(__TINYC__) && defined(BURSTY_P_POSIX)
#define TEST_PTHREAD
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static const frames *read_frames(input *in) {
    static text dumped;
    memset(in, 0, sizeof *in);
    dumped.size = 0;
    CHECK_EQ(bursty_write(text_write, &dumped), 0);
    CHECK_EQ(input_take(in, "dump", &dumped), TOOL_OK);
    input_settle(in);
    return (const frames *)input_find(in, &kind_frames);
}

static uint64_t wall_ns(void) { return bursty_p_frame_ns(); }

static void spin_us(uint64_t us) {
    const uint64_t until = wall_ns() + 1000 * us;
    BURST_SCOPE("spin");
    while (wall_ns() < until) BURST_LOOP();
    BURST_LEAVE();
}

/* A clock of this process says how long all frames took together: no less and,
   because of what lies between two readings, hardly more. */
TEST(durations_are_those_of_the_clock) {
    input in;
    const frames *s;
    const frames_of_kind *k;
    uint64_t began, sum_us;
    int i;
    if (wall_ns() == 0) {
        SKIP("no clock");
        return;
    }
    CHECK(bursty_start(NULL) != 0);
    bursty_frame("frame");
    began = wall_ns();
    for (i = 0; i < 200; i++) {
        spin_us(i % 50 == 49 ? 2000 : 200);
        bursty_frame("frame");
    }
    sum_us = (wall_ns() - began) / 1000;
    bursty_frame(NULL);
    s = read_frames(&in);
    if (CHECK(s != NULL) && CHECK_EQ(s->kinds.count, 1)) {
        k = &s->kinds.at[0];
        CHECK_EQ(frames_count(k), 201);
        CHECK(k->slowest[0].ns >= 2000000 && k->slowest[0].ns / 1000 <= sum_us);
        CHECK(frames_quantile(k, .5) > 190000 && frames_quantile(k, .5) < 1000 * (double)sum_us);
        CHECK_EQ(k->classes[0].frames + k->classes[1].frames, 201 - 64);
    }
    input_free(&in);
    bursty_stop();
}

#ifdef BURSTY_P_TIMERS
static uint64_t count_clock(void *user) { return *(uint64_t *)user += 1000; }

/* Ticks interrupt bursty_frame itself, mostly, for its clock is a quick one:
   each is in one frame, the one that ends or the next. */
TEST(no_tick_is_lost_between_two_frames) {
    bursty_config config;
    bursty_stats before, after;
    input in;
    const frames *s;
    uint64_t sum = 0, counted = 0;
    size_t f;
    int i;
    memset(&config, 0, sizeof config);
    config.frame_clock = count_clock;
    config.clock_user = &counted;
    config.tick_hz = 1000;
    config.frame_slow_ns = 1;
    CHECK(bursty_start(&config) != 0);
    bursty_frame("frame");
    bursty_get_stats(&before);
    do {
        for (i = 0; i < 1000; i++) {
            BURST_SCOPE("in a frame");
            bursty_frame("frame");
            BURST_LEAVE();
        }
        bursty_get_stats(&after);
    } while (after.cpu_us < before.cpu_us + 300000);
    bursty_frame(NULL);
    bursty_get_stats(&after);
    bursty_stop();
    s = read_frames(&in);
    if (CHECK(s != NULL)) {
        for (f = 0; f < s->kinds.at[0].function_count; f++) {
            sum += s->kinds.at[0].functions[f].ticks[FRAMES_SLOW][FRAMES_SELF].sum;
            sum += s->kinds.at[0].functions[f].ticks[FRAMES_OTHER][FRAMES_SELF].sum;
        }
    }
    input_free(&in);
    if (after.ticks < 100) {
        SKIP("no timers");
        return;
    }
    CHECK(sum <= after.ticks);
    CHECK(sum + 16 >= after.ticks - before.ticks); /* the last ones came behind the last frame */
}
#endif

#ifdef TEST_PTHREAD
enum { THREADS = 8, FRAMES = 2000 };

static void *serve(void *argument) {
    int i, *failed = (int *)argument;
    for (i = 0; i < FRAMES; i++) {
        uint32_t us[16];
        bursty_frame(i % 2 ? "request" : "job");
        {
            BURST_SCOPE("serve");
            bursty_tick(1);
            BURST_LEAVE();
        }
        if (i % 64 == 0 && bursty_frames("job", us, 16) > 16) *failed = 1;
        if (i % 16 == 0) bursty_frame(NULL);
    }
    bursty_frame(NULL);
    return NULL;
}

static int ignore(void *user, const void *data, size_t size) {
    (void)user, (void)data, (void)size;
    return 0;
}

/* Ticks by hand: no timer, so each count is known. */
static uint32_t start_by_hand(uint64_t slow_ns) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.frame_slow_ns = slow_ns;
    config.tick_hz = 1;
    return bursty_start(&config);
}

TEST(threads_count_every_frame_and_tick) {
    pthread_t thread[THREADS];
    int i, failed = 0;
    input in;
    const frames *s;
    uint64_t count = 0, ticks = 0, classed = 0, running = 0;
    CHECK(start_by_hand(1) != 0);
    for (i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&thread[i], NULL, serve, &failed), 0);
    for (i = 0; i < 20; i++) CHECK_EQ(bursty_write(ignore, NULL), 0); /* in the middle of it */
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    s = read_frames(&in);
    CHECK_EQ(failed, 0);
    for (i = 0; s && i < (int)s->kinds.count; i++) {
        const frames_of_kind *k = &s->kinds.at[i];
        size_t f;
        count += frames_count(k);
        running += k->running + k->unended + k->left_out;
        classed += k->classes[0].frames + k->classes[1].frames;
        for (f = 0; f < k->function_count; f++) {
            if (strcmp(s->sites.at[k->functions[f].site].name, "serve") != 0) continue;
            ticks += k->functions[f].ticks[0][0].sum + k->functions[f].ticks[1][0].sum;
        }
        CHECK_EQ(k->crowded + k->unplaced, 0);
    }
    CHECK_EQ(count, THREADS * FRAMES);
    CHECK_EQ(classed, THREADS * FRAMES);
    CHECK_EQ(running, 0);
    CHECK(ticks >= THREADS * FRAMES && ticks < THREADS * (FRAMES + 20)); /* a timer ticks at 1 Hz */
    input_free(&in);
}

static uint32_t posts_end;
static void *post(void *argument) {
    uint64_t *count = (uint64_t *)argument;
    while (!__atomic_load_n(&posts_end, __ATOMIC_ACQUIRE)) {
        bursty_p_post_frame_tick(0, 1); /* the first path of the first thread */
        ++*count;
    }
    return NULL;
}

/* Ticks of another thread: each is in a frame, or counted as crowded. */
TEST(ticks_are_posted_from_another_thread) {
    pthread_t thread;
    uint64_t posted = 0, sum = 0;
    input in;
    const frames *s;
    size_t f;
    int i, c;
    CHECK(start_by_hand(1) != 0);
    bursty_frame("frame");
    bursty_tick(1);
    posts_end = 0;
    CHECK_EQ(pthread_create(&thread, NULL, post, &posted), 0);
    for (i = 0; i < 200; i++) {
        usleep(100);
        bursty_frame("frame");
    }
    __atomic_store_n(&posts_end, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    bursty_frame(NULL);
    s = read_frames(&in);
    if (CHECK(s != NULL)) {
        const frames_of_kind *k = &s->kinds.at[0];
        for (f = 0; f < k->function_count; f++) {
            for (c = 0; c < FRAMES_CLASSES; c++) sum += k->functions[f].ticks[c][FRAMES_SELF].sum;
        }
        CHECK(posted > 100 && sum > 100);
        CHECK(sum + k->crowded >= posted + 1 && sum + k->crowded <= posted + 20);
    }
    input_free(&in);
}

static void *leave(void *argument) {
    bursty_frame("frame");
    if (argument) bursty_frame(NULL);
    return NULL;
}

/* More threads one after the other than there are places at once; each second
   one leaves its frame open, which is said. */
TEST(threads_that_end_give_their_place_back) {
    pthread_t thread;
    int i;
    input in;
    const frames *s;
    CHECK(start_by_hand(0) != 0);
    for (i = 0; i < 300; i++) {
        CHECK_EQ(pthread_create(&thread, NULL, leave, i % 2 ? &i : NULL), 0);
        pthread_join(thread, NULL);
    }
    s = read_frames(&in);
    if (CHECK(s != NULL)) {
        CHECK_EQ(s->programs.at[0].lost, 0);
        CHECK_EQ(s->kinds.at[0].unended, 150);
        CHECK_EQ(frames_count(&s->kinds.at[0]), 150);
        CHECK_EQ(s->kinds.at[0].running, 0);
    }
    input_free(&in);
}

static pthread_barrier_t all_are_there;
static void *stay(void *argument) {
    (void)argument;
    bursty_frame("frame");
    pthread_barrier_wait(&all_are_there);
    bursty_frame(NULL);
    return NULL;
}

TEST(a_thread_too_many_is_counted) {
    enum { MANY = BURSTY_P_FRAMED + 5 };
    pthread_t thread[MANY];
    int i;
    input in;
    const frames *s;
    CHECK(start_by_hand(0) != 0);
    CHECK_EQ(pthread_barrier_init(&all_are_there, NULL, MANY), 0);
    for (i = 0; i < MANY; i++) CHECK_EQ(pthread_create(&thread[i], NULL, stay, NULL), 0);
    for (i = 0; i < MANY; i++) pthread_join(thread[i], NULL);
    s = read_frames(&in);
    if (CHECK(s != NULL)) {
        CHECK_EQ(s->programs.at[0].lost, 5);
        CHECK_EQ(s->programs.at[0].idle_ends, 5);
        CHECK_EQ(frames_count(&s->kinds.at[0]), BURSTY_P_FRAMED);
    }
    input_free(&in);
}

/* A stack that somebody else knows, deeper than the shadow stack. */
TEST(ticks_of_a_given_stack) {
    static bursty_site site[3] = {{"outer", "", 0, BURSTY_CALL | BURSTY_FRAME},
                                  {"middle", "", 0, BURSTY_CALL | BURSTY_FRAME},
                                  {"inner", "", 0, BURSTY_CALL | BURSTY_FRAME}};
    const bursty_site *stack[100];
    input in;
    const frames *s;
    int i;
    for (i = 0; i < 100; i++) stack[i] = i == 0 ? &site[0] : i < 99 ? &site[1] : &site[2];
    CHECK(start_by_hand(1) != 0);
    bursty_tick_at(stack, 1, 1); /* the thread is not known yet: it is lost */
    bursty_frame("frame");
    bursty_tick_at(stack, 1, 2);
    stack[1] = &site[2];
    bursty_tick_at(stack, 2, 3);
    stack[1] = &site[1];
    bursty_tick_at(stack, 100, 4);
    bursty_tick_at(NULL, 0, 5);
    bursty_frame(NULL);
    s = read_frames(&in);
    if (CHECK(s != NULL) && CHECK_EQ(s->kinds.count, 1)) {
        const frames_of_kind *k = &s->kinds.at[0];
        size_t n;
        uint64_t self = 0, outer = 0, inner = 0;
        for (n = 0; n < k->function_count; n++) {
            const char *name = s->sites.at[k->functions[n].site].name;
            uint64_t own = k->functions[n].ticks[0][0].sum + k->functions[n].ticks[1][0].sum;
            self += own;
            if (strcmp(name, "outer") == 0) outer = own;
            if (strcmp(name, "inner") == 0) inner = own;
        }
        CHECK_EQ(outer, 2);
        CHECK_EQ(inner, 3);
        CHECK_EQ(self, 14);
    }
    input_free(&in);
    bursty_stop();
}

TEST(a_forked_child_counts_its_own_frames) {
    int i, status = 0;
    pid_t child;
    CHECK(start_by_hand(0) != 0);
    for (i = 0; i < 10; i++) bursty_frame("frame");
    child = fork();
    if (child == 0) {
        input in;
        const frames *s;
        int ok;
        for (i = 0; i < 3; i++) bursty_frame("frame");
        s = read_frames(&in);
        ok = s && s->kinds.count == 1 && frames_count(&s->kinds.at[0]) == 2 &&
             s->kinds.at[0].left_out == 1 && s->kinds.at[0].running == 1;
        _exit(ok && !test_broken ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    {
        input in;
        const frames *s = read_frames(&in);
        if (CHECK(s != NULL)) CHECK_EQ(frames_count(&s->kinds.at[0]), 9);
        input_free(&in);
    }
    bursty_frame(NULL); /* the frame that was open at fork: the parent counts it */
    {
        input in;
        const frames *s = read_frames(&in);
        if (CHECK(s != NULL)) {
            CHECK_EQ(frames_count(&s->kinds.at[0]), 10);
            CHECK_EQ(s->kinds.at[0].left_out, 0);
        }
        input_free(&in);
    }
    bursty_stop();
}

/* Waiting is the time that no CPU was used. */
TEST(waiting_is_what_a_frame_slept) {
    input in;
    const frames *s;
    uint64_t began, all_us;
    int i;
    CHECK(start_by_hand(1) != 0);
    began = wall_ns();
    for (i = 0; i < 10; i++) {
        bursty_frame("frame");
        usleep(5000);
    }
    bursty_frame(NULL);
    all_us = (wall_ns() - began) / 1000;
    s = read_frames(&in);
    if (CHECK(s != NULL) && s->kinds.at[0].knows_waiting) {
        CHECK(s->kinds.at[0].classes[FRAMES_SLOW].wait_us >= 48000);
        CHECK(s->kinds.at[0].classes[FRAMES_SLOW].wait_us <= all_us);
    }
    input_free(&in);
    bursty_stop();
}
#endif
