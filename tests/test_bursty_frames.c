/* test_bursty_frames.c - bursty_frame against a slow and obvious count of the
   same frames; what cannot be a frame, and what does not fit; dumps that are
   cut, changed and added up. A bare build, whose clock and ticks are called by
   hand; test_bursty_frames_threads.c has real ones. */
#include "test.h"
#include "kind.inc"
#include "base/input.h"
#include "base/tool.h"
#include "lab/frames.h"
#include "report/model/frames.h"
#define BURSTY_BARE
#define BURSTY_TICKS
#define BURSTY_FRAMES 3
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <math.h>

enum { FUNCTIONS = 4, FRAMES = 3000, DEEP = 5 };

/* ---- a program with a clock of its own ---- */

static uint64_t now_ns, cpu_ns;
static void (*at_clock)(void); /* what a signal handler does, in the middle of bursty_frame */

static uint64_t read_clock(void *user) {
    void (*handler)(void) = at_clock;
    (void)user;
    at_clock = NULL;
    if (handler) handler();
    return now_ns;
}
static uint64_t read_cpu_clock(void *user) {
    (void)user;
    return cpu_ns;
}

static uint32_t start(uint64_t slow_ns) {
    static uint64_t memory[1 << 18];
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.program = "frames";
    config.tick_hz = 100;
    config.frame_slow_ns = slow_ns;
    config.frame_clock = read_clock;
    config.frame_cpu_clock = read_cpu_clock;
    now_ns = 1000000000;
    cpu_ns = 0;
    at_clock = NULL;
    return bursty_start(&config);
}

static void frame_of(const char *name, uint64_t ns, uint32_t ticks) {
    bursty_frame(name);
    now_ns += ns;
    cpu_ns += ns;
    if (ticks) bursty_tick(ticks);
}

/* ---- what a dump says ---- */

static text dumped;

static const frames *read_frames(input *in) {
    memset(in, 0, sizeof *in);
    dumped.size = 0;
    CHECK_EQ(bursty_write(text_write, &dumped), 0);
    CHECK_EQ(input_take(in, "dump", &dumped), TOOL_OK);
    input_settle(in);
    return (const frames *)input_find(in, &kind_frames);
}

static const frames_of_kind *kind_named(const frames *s, const char *name) {
    static frames_of_kind none;
    int found = 0;
    size_t i;
    for (i = 0; s && i < s->kinds.count; i++) {
        if (strcmp(s->kinds.at[i].name, name) == 0) return &s->kinds.at[i];
    }
    CHECK(found); /* a kind of that name */
    return &none;
}

/* ---- the slow and obvious count ---- */

typedef struct one_frame {
    uint64_t ns, wait_ns, began_us;
    int kind, class_number;                 /* 0 slow, 1 other, 2 not told */
    uint32_t self[FUNCTIONS + 1], total[FUNCTIONS + 1]; /* the last: outside */
} one_frame;
static one_frame all[FRAMES];
static size_t all_count;
static one_frame *running;
static int stack[DEEP], depth;
static uint64_t seed;

static void tick(uint32_t n) {
    int i, f, is_met[FUNCTIONS + 1] = {0};
    bursty_tick(n);
    if (!running) return;
    running->self[depth ? stack[depth - 1] : FUNCTIONS] += n;
    if (!depth) running->total[FUNCTIONS] += n;
    for (i = 0; i < depth; i++) is_met[stack[i]] = 1;
    for (f = 0; f < FUNCTIONS; f++) running->total[f] += is_met[f] ? n : 0;
}

static void work(void) {
    uint64_t ns = test_random(&seed) % 400000;
    now_ns += ns;
    cpu_ns += test_random(&seed) % 3 ? ns : ns / 2;
    if (test_random(&seed) % 4 == 0) tick(1 + (uint32_t)(test_random(&seed) % 3));
}

static void call(int f);
static void body(int f) {
    int calls = depth < DEEP - 1 ? (int)(test_random(&seed) % 3) : 0;
    stack[depth++] = f;
    work();
    while (calls--) call((int)(test_random(&seed) % FUNCTIONS));
    work();
    depth--;
}
#define FUNCTION(name) \
    static void name(int f) { \
        BURST_SCOPE(#name); \
        body(f); \
        BURST_LEAVE(); \
    }
FUNCTION(f0) FUNCTION(f1) FUNCTION(f2) FUNCTION(f3)
static void call(int f) {
    static void (*const functions[FUNCTIONS])(int) = {f0, f1, f2, f3};
    functions[f](f);
}

/* Where a duration lies: buckets are walked from the first, as docs/formats.md
   says. */
static uint32_t slow_bucket(uint64_t ns) {
    uint64_t end = 0, width = 64;
    uint32_t b = 0;
    for (;; b++) {
        if (b >= 32 && b % 16 == 0) width *= 2;
        end += width;
        if (ns < end || b == FRAMES_BUCKETS - 1) return b;
    }
}

/* The bucket with the 95th percentile of the frames of a kind so far. */
static uint32_t slow_limit(int kind, size_t count) {
    static uint64_t in[FRAMES_BUCKETS];
    uint64_t n = 0, below = 0;
    uint32_t b;
    size_t i;
    memset(in, 0, sizeof in);
    for (i = 0; i < count; i++) {
        if (all[i].kind != kind) continue;
        in[slow_bucket(all[i].ns)]++;
        n++;
    }
    for (b = 0; b < FRAMES_BUCKETS; b++) {
        below += in[b];
        if (below >= n - n / 20) return b;
    }
    return 0;
}

static void play(uint64_t slow_ns, int kinds) {
    static const char *const names[2] = {"frame", "request"};
    uint32_t count[2] = {0, 0}, next[2] = {64, 64}, limit[2] = {0, 0};
    uint64_t began, began_cpu, from = now_ns;
    memset(all, 0, sizeof all);
    for (all_count = 0; all_count < FRAMES; all_count++) {
        int k = kinds > 1 ? (int)(test_random(&seed) % 2) : 0;
        one_frame *one = running = &all[all_count];
        one->kind = k;
        began = now_ns;
        began_cpu = cpu_ns;
        one->began_us = (now_ns - from) / 1000;
        bursty_frame(names[k]);
        work();
        call((int)(test_random(&seed) % FUNCTIONS));
        if (test_random(&seed) % 40 == 0) call(3);
        one->ns = now_ns - began;
        one->wait_ns = one->ns - (cpu_ns - began_cpu);
        running = NULL;
        if (test_random(&seed) % 10 == 0) {
            bursty_frame(NULL);
            work();
        }
        one->class_number = slow_ns ? one->ns <= slow_ns
                            : !limit[k] ? 2 : slow_bucket(one->ns) < limit[k];
        if (++count[k] == next[k]) {
            uint32_t step = count[k] / 32 < 16 ? 16 : count[k] / 32;
            limit[k] = slow_limit(k, all_count + 1) + 1;
            next[k] += step;
        }
    }
    bursty_frame(NULL);
}

static void compare_functions(const frames *s, const frames_of_kind *kind, int k) {
    static const char *const names[FUNCTIONS + 1] = {"f0", "f1", "f2", "f3", "(outside)"};
    size_t i, n;
    int f, c;
    for (f = 0; f <= FUNCTIONS; f++) {
        frames_ticks wanted[2][2] = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}};
        for (i = 0; i < all_count; i++) {
            c = all[i].class_number;
            if (all[i].kind != k || c == 2) continue;
            wanted[c][0].sum += all[i].self[f];
            wanted[c][0].squares += (uint64_t)all[i].self[f] * all[i].self[f];
            wanted[c][1].sum += all[i].total[f];
            wanted[c][1].squares += (uint64_t)all[i].total[f] * all[i].total[f];
        }
        for (n = 0; n < kind->function_count; n++) {
            const frames_function *got = &kind->functions[n];
            if (strcmp(s->sites.at[got->site].name, names[f]) != 0) continue;
            CHECK(memcmp(got->ticks, wanted, sizeof wanted) == 0);
            break;
        }
        CHECK(n < kind->function_count);
    }
}

static void compare_kind(const frames *s, const char *name, int k) {
    const frames_of_kind *kind = kind_named(s, name);
    static uint64_t in[FRAMES_BUCKETS];
    frames_class classes[3];
    uint64_t longest = 0;
    size_t i, n;
    memset(in, 0, sizeof in);
    memset(classes, 0, sizeof classes);
    for (i = 0; i < all_count; i++) {
        frames_class *of = &classes[all[i].class_number];
        const uint64_t us = all[i].ns / 1000, wait = all[i].wait_ns / 1000;
        if (all[i].kind != k) continue;
        in[slow_bucket(all[i].ns)]++;
        of->frames++;
        of->us += us;
        of->us2 += us * us;
        of->wait_us += wait;
        of->wait_us2 += wait * wait;
    }
    CHECK(memcmp(kind->classes, classes, sizeof kind->classes) == 0);
    CHECK(classes[0].frames > 50);
    for (i = n = 0; i < FRAMES_BUCKETS; i++) {
        if (!in[i]) continue;
        if (!CHECK(n < kind->bucket_count)) return;
        CHECK_EQ(kind->buckets[n].bucket, i);
        CHECK_EQ(kind->buckets[n++].count, in[i]);
    }
    CHECK_EQ(n, kind->bucket_count);
    CHECK_EQ(kind->crowded + kind->unplaced + kind->missed, 0);
    CHECK_EQ(kind->slowest_count, BURSTY_P_SLOWEST);
    for (n = 0; n < kind->slowest_count; n++) { /* each is longer than all that were not named before */
        const frames_one *one = &kind->slowest[n];
        uint64_t next = 0, number = 0, ticks = one->more, wanted = 0;
        size_t p;
        for (i = 0; i < all_count; i++) {
            int f;
            if (all[i].kind != k) continue;
            number++;
            if ((n == 0 || all[i].ns < longest) && all[i].ns > next) next = all[i].ns;
            if (number != one->number) continue;
            CHECK_EQ(one->ns, all[i].ns);
            CHECK_EQ(one->wait_ns, all[i].wait_ns);
            CHECK_EQ(one->began_us, all[i].began_us);
            for (f = 0; f <= FUNCTIONS; f++) wanted += all[i].self[f];
        }
        for (p = 0; p < one->path_count; p++) ticks += s->paths.at[one->first_path + p].ticks;
        CHECK_EQ(one->ns, next);
        CHECK_EQ(ticks, wanted);
        longest = one->ns;
    }
    compare_functions(s, kind, k);
}

TEST(a_budget_and_one_kind) {
    input in;
    const frames *s;
    CHECK(start(3000000) != 0);
    seed = 1;
    play(3000000, 1);
    s = read_frames(&in);
    compare_kind(s, "frame", 0);
    CHECK_EQ(kind_named(s, "frame")->budget_ns, 3000000);
    CHECK_EQ(kind_named(s, "frame")->tick_us, 10000);
    input_free(&in);
}

TEST(percentiles_and_two_kinds) {
    input in;
    const frames *s;
    int i;
    for (i = 0; i < 5; i++) {
        CHECK(start(0) != 0);
        seed = 77 + (uint64_t)i;
        play(0, 2);
        s = read_frames(&in);
        compare_kind(s, "frame", 0);
        compare_kind(s, "request", 1);
        input_free(&in);
    }
}

/* Paths by name are what a person sees in a slow frame. */
TEST(the_slowest_frame_keeps_its_stacks) {
    input in;
    const frames *s;
    const frames_of_kind *kind;
    CHECK(start(0) != 0);
    frame_of("frame", 5000, 0);
    bursty_frame("frame");
    {
        BURST_SCOPE("outer");
        {
            BURST_SCOPE("inner");
            bursty_tick(3);
            BURST_LEAVE();
        }
        bursty_tick(1);
        now_ns += 90000;
        BURST_LEAVE();
    }
    bursty_frame(NULL);
    s = read_frames(&in);
    kind = kind_named(s, "frame");
    if (CHECK_EQ(kind->slowest_count, 2) && CHECK_EQ(kind->slowest[0].path_count, 2)) {
        const frames_path *path = &s->paths.at[kind->slowest[0].first_path];
        CHECK_EQ(path[0].ticks, 3);
        CHECK_EQ(path[0].depth, 2);
        CHECK_STR(s->sites.at[s->stacks.at[path[0].stack]].name, "inner");
        CHECK_STR(s->sites.at[s->stacks.at[path[0].stack + 1]].name, "outer");
        CHECK_EQ(path[1].ticks, 1);
        CHECK_EQ(kind->slowest[0].wait_ns, 90000);
    }
    input_free(&in);
}

/* ---- what is no frame, or a strange one ---- */

TEST(ends_without_a_frame_are_counted) {
    input in;
    const frames *s;
    CHECK(start(0) != 0);
    bursty_frame(NULL);
    frame_of("frame", 1000000, 0);
    bursty_frame(NULL);
    bursty_frame(NULL);
    bursty_frame(NULL);
    now_ns += 5000000;
    s = read_frames(&in);
    CHECK_EQ(s->programs.at[0].idle_ends, 3);
    CHECK_EQ(frames_count(kind_named(s, "frame")), 1);
    CHECK_EQ(kind_named(s, "frame")->slowest[0].ns, 1000000);
    input_free(&in);
}

TEST(one_kind_within_another_ends_it) {
    input in;
    const frames *s;
    char literal_of_another_file[] = "frame";
    CHECK(start(0) != 0);
    frame_of("frame", 1000000, 0);
    frame_of("request", 200000, 0);
    frame_of(literal_of_another_file, 400000, 0);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK_EQ(s->kinds.count, 2);
    CHECK_EQ(kind_named(s, "frame")->slowest[0].ns, 1000000);
    CHECK_EQ(kind_named(s, "frame")->slowest[1].ns, 400000);
    CHECK_EQ(kind_named(s, "request")->slowest[0].ns, 200000);
    input_free(&in);
}

TEST(hours_and_a_clock_that_goes_back) {
    const uint64_t hours = UINT64_C(5) * 3600 * 1000000000;
    input in;
    const frames *s;
    const frames_of_kind *kind;
    uint32_t us[4];
    CHECK(start(0) != 0);
    frame_of("job", hours, 0);
    bursty_frame("job");
    now_ns -= 7;
    bursty_frame(NULL);
    CHECK_EQ(bursty_frames("job", us, 4), 2);
    CHECK_EQ(us[0], UINT32_MAX);
    CHECK_EQ(us[1], 0);
    s = read_frames(&in);
    kind = kind_named(s, "job");
    CHECK_EQ(kind->bucket_count, 2);
    CHECK_EQ(kind->buckets[0].bucket, 0);
    CHECK_EQ(kind->buckets[1].bucket, FRAMES_BUCKETS - 1);
    CHECK_EQ(kind->slowest[0].ns, hours);
    input_free(&in);
}

TEST(sums_of_days_saturate) {
    input in;
    const frames *s;
    int i;
    CHECK(start(1) != 0);
    for (i = 0; i < 3; i++) frame_of("job", UINT64_C(50) * 3600 * 1000000000, 0);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK(kind_named(s, "job")->classes[FRAMES_SLOW].us2 == UINT64_MAX);
    CHECK_EQ(kind_named(s, "job")->classes[FRAMES_SLOW].us, UINT64_C(3) * 50 * 3600 * 1000000);
    input_free(&in);
}

TEST(a_frame_of_the_budget_is_not_slow) {
    input in;
    const frames *s;
    CHECK(start(1000) != 0);
    frame_of("frame", 1000, 0);
    frame_of("frame", 1001, 0);
    frame_of("frame", 999, 0);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK_EQ(kind_named(s, "frame")->classes[FRAMES_SLOW].frames, 1);
    CHECK_EQ(kind_named(s, "frame")->classes[FRAMES_OTHER].frames, 2);
    input_free(&in);
}

TEST(a_frame_that_never_ends_is_said) {
    input in;
    const frames *s;
    CHECK(start(0) != 0);
    frame_of("frame", 1000, 5);
    s = read_frames(&in);
    CHECK_EQ(kind_named(s, "frame")->running, 1);
    CHECK_EQ(frames_count(kind_named(s, "frame")), 0);
    input_free(&in);
}

TEST(pauses_and_clears_leave_their_frame_out) {
    input in;
    const frames *s;
    CHECK(start(0) != 0);
    frame_of("frame", 1000, 1);
    bursty_pause(1);
    bursty_pause(0);
    frame_of("frame", 2000, 1);
    bursty_pause(1);
    frame_of("frame", 3000, 1);
    bursty_frame("frame");
    bursty_pause(0);
    frame_of("frame", 4000, 1);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK_EQ(kind_named(s, "frame")->left_out, 4);
    CHECK_EQ(frames_count(kind_named(s, "frame")), 1);
    CHECK_EQ(kind_named(s, "frame")->slowest[0].ns, 4000);
    input_free(&in);
    frame_of("frame", 1000, 1);
    bursty_clear();
    frame_of("frame", 6000, 1);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK_EQ(kind_named(s, "frame")->left_out, 1);
    CHECK_EQ(frames_count(kind_named(s, "frame")), 1);
    CHECK_EQ(kind_named(s, "frame")->slowest_count, 1);
    CHECK_EQ(kind_named(s, "frame")->slowest[0].ns, 6000);
    input_free(&in);
}

TEST(without_a_clock_there_is_no_frame) {
    bursty_config config;
    input in;
    const frames *s;
    uint32_t us[4];
    memset(&config, 0, sizeof config);
    config.tick_hz = 100;
    CHECK(bursty_start(&config) != 0);
    bursty_frame("frame");
    bursty_tick(1);
    bursty_frame("frame");
    bursty_frame(NULL);
    CHECK_EQ(bursty_frames("frame", us, 4), 0);
    s = read_frames(&in);
    CHECK_EQ(s->programs.at[0].lost, 2);
    CHECK_EQ(s->programs.at[0].idle_ends, 1);
    CHECK_EQ(s->kinds.count, 0);
    input_free(&in);
}

TEST(a_new_start_forgets_frames) {
    input in;
    CHECK(start(0) != 0);
    frame_of("frame", 1000, 1);
    CHECK(start(0) != 0);
    CHECK(read_frames(&in) == NULL);
    input_free(&in);
}

static void handler(void) {
    bursty_frame("other");
    bursty_tick(2);
}

TEST(a_handler_inside_of_bursty_frame_is_counted) {
    input in;
    const frames *s;
    CHECK(start(1) != 0);
    frame_of("frame", 1000, 1);
    at_clock = handler;
    frame_of("frame", 2000, 1);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK_EQ(s->programs.at[0].nested, 1);
    CHECK_EQ(s->kinds.count, 1);
    CHECK_EQ(frames_count(kind_named(s, "frame")), 2);
    CHECK_EQ(kind_named(s, "frame")->functions[0].ticks[FRAMES_SLOW][FRAMES_SELF].sum, 4);
    CHECK_EQ(kind_named(s, "frame")->functions[0].ticks[FRAMES_SLOW][FRAMES_SELF].squares, 9 + 1);
    input_free(&in);
}

/* ---- what does not fit ---- */

TEST(a_kind_too_many_is_counted) {
    input in;
    const frames *s;
    CHECK(start(0) != 0);
    frame_of("one", 1000, 0);
    frame_of("two", 1000, 0);
    frame_of("three", 1000, 0);
    frame_of("four", 1000, 3);
    bursty_frame("four");
    bursty_frame("one");
    s = read_frames(&in);
    CHECK_EQ(s->kinds.count, 3);
    CHECK_EQ(s->programs.at[0].lost, 2);
    CHECK_EQ(frames_count(kind_named(s, "three")), 1);
    CHECK_EQ(kind_named(s, "three")->function_count, 0);
    input_free(&in);
}

/* What dlopen loads may put another name where one stood that is gone. */
TEST(another_name_at_the_same_address_is_another_kind) {
    char place[16] = "one";
    const char *at = place;
    input in;
    const frames *s;
    CHECK(start(0) != 0);
    frame_of(at, 1000, 0);
    frame_of(at, 1000, 0);
    strcpy(place, "two");
    frame_of(at, 1000, 0);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK_EQ(s->kinds.count, 2);
    CHECK_EQ(frames_count(kind_named(s, "one")), 2);
    CHECK_EQ(frames_count(kind_named(s, "two")), 1);
    input_free(&in);
}

TEST(names_are_cut_to_31_bytes) {
    input in;
    const frames *s;
    CHECK(start(0) != 0);
    frame_of("a name of more than thirty-one bytes: first", 1000, 0);
    frame_of("a name of more than thirty-one bytes: second", 1000, 0);
    frame_of("a name of more than thirty-one ", 1000, 0);
    frame_of("a name of more than thirty-one", 1000, 0);
    bursty_frame(NULL);
    s = read_frames(&in);
    CHECK_EQ(s->kinds.count, 2);
    CHECK_EQ(frames_count(kind_named(s, "a name of more than thirty-one ")), 3);
    input_free(&in);
}

static void branch(int left) {
    BURST_SCOPE("branch");
    if (left % 3 == 1) {
        BURST_SCOPE("one");
        if (left > 2) branch(left / 3);
        else bursty_tick(1);
        BURST_LEAVE();
    } else if (left % 3 == 2) {
        BURST_SCOPE("two");
        if (left > 2) branch(left / 3);
        else bursty_tick(1);
        BURST_LEAVE();
    } else {
        BURST_SCOPE("three");
        if (left > 2) branch(left / 3);
        else bursty_tick(1);
        BURST_LEAVE();
    }
    BURST_LEAVE();
}

TEST(ticks_of_a_65th_stack_are_counted) {
    input in;
    const frames *s;
    const frames_of_kind *kind;
    bursty_stats stats;
    int i;
    CHECK(start(1) != 0);
    bursty_frame("frame");
    now_ns += 1000;
    for (i = 0; i < 81; i++) branch(81 + i);
    bursty_frame(NULL);
    s = read_frames(&in);
    kind = kind_named(s, "frame");
    bursty_get_stats(&stats);
    CHECK_EQ(stats.ticks_cut + stats.ticks_lost, 0);
    CHECK_EQ(kind->crowded, 81 - 64);
    CHECK_EQ(kind->slowest[0].path_count, BURSTY_P_SLOWEST_PATHS);
    CHECK_EQ(kind->slowest[0].more, 81 - BURSTY_P_SLOWEST_PATHS);
    input_free(&in);
}

#define TINY(n) static void tiny##n(void) { BURST_SCOPE("tiny" #n); bursty_tick(2); BURST_LEAVE(); }
TINY(0) TINY(1) TINY(2) TINY(3) TINY(4) TINY(5) TINY(6) TINY(7) TINY(8) TINY(9) TINY(10) TINY(11)
TINY(12) TINY(13) TINY(14) TINY(15) TINY(16) TINY(17) TINY(18) TINY(19) TINY(20) TINY(21) TINY(22)
TINY(23) TINY(24) TINY(25)

TEST(a_function_too_many_is_counted) {
    static void (*const tiny[])(void) = {
        tiny0, tiny1, tiny2, tiny3, tiny4, tiny5, tiny6, tiny7, tiny8, tiny9, tiny10, tiny11, tiny12,
        tiny13, tiny14, tiny15, tiny16, tiny17, tiny18, tiny19, tiny20, tiny21, tiny22, tiny23, tiny24,
        tiny25};
    input in;
    const frames *s;
    uint64_t sum = 0;
    size_t i;
    CHECK(start(1) != 0);
    bursty_frame("frame");
    now_ns += 1000;
    for (i = 0; i < 26; i++) tiny[i]();
    bursty_frame(NULL);
    s = read_frames(&in);
    for (i = 0; i < kind_named(s, "frame")->function_count; i++)
        sum += kind_named(s, "frame")->functions[i].ticks[FRAMES_SLOW][FRAMES_SELF].sum;
    CHECK_EQ(kind_named(s, "frame")->function_count, BURSTY_P_FRAME_ROWS);
    CHECK_EQ(kind_named(s, "frame")->unplaced, 2 * (26 - BURSTY_P_FRAME_ROWS));
    CHECK_EQ(sum + kind_named(s, "frame")->unplaced, 52);
    input_free(&in);
}

TEST(an_overlay_gets_the_last_durations) {
    uint32_t us[256], i;
    size_t n;
    CHECK(start(0) != 0);
    CHECK_EQ(bursty_frames("frame", us, 256), 0);
    for (i = 0; i < 1000; i++) frame_of("frame", UINT64_C(1000) * i, 0);
    bursty_frame(NULL);
    CHECK_EQ(bursty_frames("request", us, 256), 0);
    CHECK_EQ(bursty_frames(NULL, us, 256), 0);
    n = bursty_frames("frame", us, 256);
    CHECK_EQ(n, BURSTY_P_LAST_FRAMES);
    for (i = 0; i < n; i++) CHECK_EQ(us[i], 1000 - n + i);
    CHECK_EQ(bursty_frames("frame", us, 3), 3);
    CHECK_EQ(us[2], 999);
}

/* ---- dumps ---- */

static void add_up(text *out, const text *const *dumps, int count) {
    input in;
    int i;
    memset(&in, 0, sizeof in);
    for (i = 0; i < count; i++) CHECK_EQ(input_take(&in, "dump", dumps[i]), TOOL_OK);
    input_settle(&in);
    input_write(&in, out);
    input_free(&in);
}

TEST(dumps_add_up_in_any_order) {
    text from[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}}, sum[4], pair = {NULL, 0, 0};
    static const int order[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    uint64_t frames_in[3], slow_in[3];
    input in;
    const frames *s;
    int i, k;
    for (i = 0; i < 3; i++) {
        CHECK(start(0) != 0);
        seed = 5 + (uint64_t)i;
        play(0, 2);
        s = read_frames(&in);
        frames_in[i] = frames_count(kind_named(s, "frame"));
        slow_in[i] = kind_named(s, "frame")->classes[FRAMES_SLOW].frames;
        input_free(&in);
        text_bytes(&from[i], dumped.data, dumped.size);
    }
    memset(sum, 0, sizeof sum);
    for (i = 0; i < 3; i++) {
        const text *in_order[3];
        for (k = 0; k < 3; k++) in_order[k] = &from[order[i][k]];
        add_up(&sum[i], in_order, 3);
    }
    {
        const text *first[2] = {&from[2], &from[1]}, *then[2] = {&pair, &from[0]};
        add_up(&pair, first, 2);
        add_up(&sum[3], then, 2);
    }
    for (i = 1; i < 4; i++)
        CHECK(sum[i].size == sum[0].size && memcmp(sum[i].data, sum[0].data, sum[0].size) == 0);
    memset(&in, 0, sizeof in);
    CHECK_EQ(input_take(&in, "sum", &sum[0]), TOOL_OK);
    input_settle(&in);
    s = (const frames *)input_find(&in, &kind_frames);
    CHECK_EQ(s->kinds.count, 2);
    CHECK_EQ(frames_count(kind_named(s, "frame")), frames_in[0] + frames_in[1] + frames_in[2]);
    CHECK_EQ(kind_named(s, "frame")->classes[FRAMES_SLOW].frames, slow_in[0] + slow_in[1] + slow_in[2]);
    CHECK_EQ(kind_named(s, "frame")->slowest_count, 3 * BURSTY_P_SLOWEST);
    CHECK(kind_named(s, "frame")->least_limit_ns <= kind_named(s, "frame")->most_limit_ns);
    input_free(&in);
    for (i = 0; i < 4; i++) text_free(&sum[i]);
    for (i = 0; i < 3; i++) text_free(&from[i]);
    text_free(&pair);
}

/* The payload of the part of frames in what was dumped last. */
static const dump_part *frames_part(dump *d) {
    dump_fault fault;
    size_t i;
    CHECK_EQ(dump_read(d, (const unsigned char *)dumped.data, dumped.size, &fault), 0);
    for (i = 0; i < d->part_count; i++) {
        if (d->parts[i].kind == kind_frames.number) return &d->parts[i];
    }
    return NULL;
}

TEST(cut_and_changed_parts_are_refused_or_read) {
    const dump_part *part;
    unsigned char *changed;
    size_t i, refused = 0;
    dump d;
    CHECK(start(0) != 0);
    seed = 3;
    play(0, 2);
    dumped.size = 0;
    CHECK_EQ(bursty_write(text_write, &dumped), 0);
    part = frames_part(&d);
    if (!CHECK(part != NULL)) return;
    CHECK(kind_reads(&kind_frames, part->payload, part->size));
    for (i = 0; i < part->size; i++) CHECK(!kind_reads(&kind_frames, part->payload, i));
    changed = (unsigned char *)malloc(part->size);
    if (!changed) abort();
    for (i = 0; i < 20000; i++) {
        size_t at = (size_t)(test_random(&seed) % part->size);
        memcpy(changed, part->payload, part->size);
        changed[at] = (unsigned char)test_random(&seed);
        if (i % 2) changed[(size_t)(test_random(&seed) % part->size)] ^= 0x80;
        refused += !kind_reads(&kind_frames, changed, part->size);
    }
    CHECK(refused > 100 && refused < 20000);
    free(changed);
    dump_free(&d);
}

/* ---- intervals ---- */

TEST(a_difference_is_what_the_formula_says) {
    const frames_amount slow = {400, 6000, 0}, other = {1000, 20000, 0};
    const frames_amount few = {30, 300, 400}, none = {0, 0, 100};
    frames_difference d = frames_differ(50, &slow, 1000, &other);
    double variance = (60 - 40. * 40 / 50) / 49 / 50 + (200 - 100. * 100 / 1000) / 999 / 1000;
    CHECK(fabs(d.slow - 8) < 1e-9 && fabs(d.other - 1) < 1e-9 && fabs(d.more - 7) < 1e-9);
    CHECK(fabs(d.high - d.more - 20 * sqrt(variance)) < 1e-9 && fabs(d.low + d.high - 14) < 1e-9);
    d = frames_differ(5, &few, 1000, &none); /* t of 4 degrees of freedom; 3 ticks, and one more */
    CHECK(fabs(d.high - d.more - 10 * 2.776 * sqrt(4. / 25 + 1e-6)) < 1e-3);
    CHECK_EQ(frames_differ(1, &few, 1000, &none).has_range, 0);
}

/* 40 ticks of 10 ms came in slow frames that had 100 ms of CPU time together:
   they stand for that. */
TEST(ticks_stand_for_the_cpu_time_of_their_class) {
    frames_of_kind kind;
    frames_function f[2];
    frames_units units;
    memset(&kind, 0, sizeof kind);
    memset(f, 0, sizeof f);
    kind.functions = f;
    kind.function_count = 2;
    kind.tick_us = 10000;
    kind.classes[FRAMES_SLOW].us = 900000;
    kind.classes[FRAMES_SLOW].wait_us = 800000;
    f[0].ticks[FRAMES_SLOW][FRAMES_SELF].sum = 30;
    f[1].ticks[FRAMES_SLOW][FRAMES_SELF].sum = 10;
    f[1].ticks[FRAMES_SLOW][FRAMES_TOTAL].sum = 40;
    units = frames_units_of(&kind);
    CHECK(units.ms[FRAMES_SLOW] == 10); /* nobody knows the CPU time */
    kind.knows_waiting = 1;
    units = frames_units_of(&kind);
    CHECK(units.ms[FRAMES_SLOW] == 2.5);
    CHECK(units.ms[FRAMES_OTHER] == 10); /* too few ticks */
}

/* Frames of .2 ms on a machine where others have the processor half of the
   time: what makes a frame slow is waiting, and the functions in it are not
   blamed for that. */
TEST(intervals_hold_the_truth_on_a_busy_machine) {
    game_options o = {3600, 1000, 0, 1, 40};
    game_cause causes[GAME_CAUSES];
    int k;
    if (!CHECK_EQ(game_play(&o, 100, causes), 0)) return;
    for (k = 0; k < GAME_CAUSES; k++) CHECK(causes[k].held >= 88);
    for (k = 0; k < GAME_LOAD; k++) CHECK(fabs(causes[k].sum / 100 - causes[k].truth) < .02);
    CHECK_EQ(causes[GAME_WAITING].told, 100);
    o.divisor = 1;
    o.tick_us = 10000;
    if (!CHECK_EQ(game_play(&o, 40, causes), 0)) return;
    for (k = 0; k < GAME_CAUSES; k++) CHECK(causes[k].held >= 34);
    CHECK_EQ(causes[GAME_COLLECT].told, 40);
}

TEST(intervals_hold_the_truth) {
    game_options o = {3600, 10000, 0, 0, 1};
    game_cause causes[GAME_CAUSES];
    int k;
    if (!CHECK_EQ(game_play(&o, 40, causes), 0)) return;
    for (k = 0; k < GAME_CAUSES; k++) {
        CHECK(causes[k].held >= 36);
        CHECK(fabs(causes[k].sum / 40 - causes[k].truth) < causes[k].sum_of_halves / 40 / 2);
    }
    CHECK_EQ(causes[GAME_COLLECT].told, 40);
    CHECK(causes[GAME_UPDATE].told <= 4 && causes[GAME_DRAW].told <= 4);
}
