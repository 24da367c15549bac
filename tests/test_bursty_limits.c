/* test_bursty_limits.c - bursty.h at its limits: tables of every size that fill
   up, the ends of a gap, a second start, refusals, what actions may do, the
   answers of bursty_top against slow sums, and that the tool reads whatever is
   written. Without the system's timers: ticks are called by hand. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "report/kinds/sampled.h"
#if defined(__unix__) && defined(__GNUC__) && !defined(__TINYC__)
#define TEST_PTHREAD
#include <pthread.h>
#include <unistd.h>
#endif
#include <signal.h>
#undef SIGRTMAX /* bursty.h finds no signal for timers */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"

/* A loop that never ends is a failure of the test, too. */
static void watch(unsigned seconds) {
#ifdef TEST_PTHREAD
    (void)alarm(seconds);
#else
    (void)seconds;
#endif
}

static uint64_t memory[1 << 19];

static bursty_config settings(uint32_t every, uint32_t burst, int32_t jitter) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.profile.every = every;
    config.profile.burst = burst;
    config.profile.jitter = jitter;
    config.tick_hz = 100;
    config.watch = -1;
    return config;
}

/* ---- a hundred functions ---- */

static void leaf(uint32_t ticks);
typedef void (*call)(uint32_t next, uint32_t ticks);
#define FUNCTION(d, u)                                                                             \
    static void f##d##u(uint32_t next, uint32_t ticks);
#define TEN(what, d)                                                                               \
    what(d, 0) what(d, 1) what(d, 2) what(d, 3) what(d, 4) what(d, 5) what(d, 6) what(d, 7)        \
    what(d, 8) what(d, 9)
#define HUNDRED(what)                                                                              \
    TEN(what, 0) TEN(what, 1) TEN(what, 2) TEN(what, 3) TEN(what, 4) TEN(what, 5) TEN(what, 6)     \
    TEN(what, 7) TEN(what, 8) TEN(what, 9)
HUNDRED(FUNCTION)
#define POINTER(d, u) f##d##u,
static const call function[100] = {HUNDRED(POINTER)};
/* next: what to call, in base 101 (1 + the number of a function), lowest
   first. */
#define BODY(d, u)                                                                                 \
    static void f##d##u(uint32_t next, uint32_t ticks) {                                           \
        BURST_SCOPE("f" #d #u);                                                                    \
        if (next) function[next % 101 - 1](next / 101, ticks);                                     \
        else leaf(ticks);                                                                          \
        BURST_LEAVE();                                                                             \
    }
HUNDRED(BODY)
static void leaf(uint32_t ticks) {
    if (ticks) bursty_tick(ticks);
}

/* ---- tables ---- */

static void add_count(void *user, const bursty_row *row) { *(uint64_t *)user += row->count; }

/* What is counted and what is lost is everything, and every search ends. */
static void fill(uint32_t *full, uint32_t *full_paths) {
    bursty_stats stats;
    uint64_t counted = 0, calls = 0, ticks = 0;
    uint32_t i, k;
    for (i = 0; i < 100; i++) {
        for (k = 0; k < 5; k++, calls += 2, ticks++) function[i](1 + (i * 7 + k * 13) % 100, 1);
    }
    bursty_get_stats(&stats);
    bursty_each(add_count, &counted);
    if (counted + stats.lost != calls || stats.events != 2 * calls) CHECK_EQ(counted, calls);
    if (stats.no_time == BURSTY_TIME_IS_ON) CHECK_EQ(stats.ticks + stats.ticks_lost, ticks);
    *full += stats.lost > 0;
    *full_paths += stats.ticks_cut > 0;
}

TEST(tables_of_every_size_fill) {
    bursty_config config = settings(BURSTY_ALWAYS, 0, -1);
    uint32_t sizes = 0, full = 0, full_paths = 0;
    size_t least = 0, bytes;
    watch(120);
    for (bytes = 0; bytes <= 40960; bytes += 8) {
        config.memory_bytes = bytes;
        config.tick_hz = bytes & 8 ? 100 : -1;
        config.watch = -1;
        if (bursty_start(&config) == 0) {
            if (least) CHECK_EQ(bytes, 0); /* more memory never fits less */
            continue;
        }
        if (!least) least = bytes;
        sizes++;
        fill(&full, &full_paths);
    }
    watch(0);
    CHECK(least > 0 && least < 8192);
    CHECK(sizes > 4000 && full > 3000 && full_paths > 1000);
}

/* A second start finds nothing of the first one, in the same memory, in other
   memory or in the header's own, and a refused one in between changes
   nothing. */
TEST(a_second_start_is_like_the_first) {
    static uint64_t other[2000];
    bursty_config config;
    bursty_stats stats;
    uint32_t round, i;
    for (round = 0; round < 12; round++) {
        uint64_t counted = 0;
        config = settings(BURSTY_ALWAYS, 0, -1);
        if (round % 3 == 1) {
            config.memory = other;
            config.memory_bytes = sizeof other;
        }
        if (round % 3 == 2) config.memory = NULL;
        CHECK(bursty_start(&config) > 0);
        bursty_get_stats(&stats);
        CHECK_EQ(stats.checks + stats.events + stats.ticks + stats.lost + stats.paths, 0);
        CHECK_EQ(stats.ticks_lost + stats.ticks_cut + stats.ticks_late + stats.untimed, 0);
        CHECK_EQ(stats.threads, 1);
        function[round](1 + round, 3);
        config.profile.jitter = 101;
        CHECK_EQ(bursty_start(&config), 0);
        function[round](1 + round, 4);
        bursty_each(add_count, &counted);
        CHECK_EQ(counted, 4);
        bursty_get_stats(&stats);
        CHECK_EQ(stats.ticks, 7);
        CHECK_EQ(stats.paths, 2);
        CHECK_EQ(stats.checks, 4);
        bursty_tick(0); /* nothing */
        config = settings(BURSTY_ALWAYS, 0, -1);
        config.memory_bytes = 20000;
        CHECK(bursty_start(&config) > 0);
        for (i = 0; i < 100; i++) function[i](1 + i, 1); /* more paths than there is room for */
        bursty_get_stats(&stats);
        CHECK(stats.ticks_lost > 0 && stats.ticks + stats.ticks_lost == 100);
        config.tick_hz = -1;
        CHECK(bursty_start(&config) > 0);
        bursty_get_stats(&stats);
        CHECK_EQ(stats.ticks_lost + stats.ticks + stats.cpu_us, 0);
    }
}

/* What is the limit is taken, and what is one more is refused. */
TEST(limits_are_taken_and_more_is_refused) {
    static const struct {
        uint32_t every, burst;
        int32_t jitter, tick_hz;
        int fits;
    } cases[] = {
        {UINT32_C(1) << 30, 1, 100, 0, 1},        {(UINT32_C(1) << 30) + 1, 1, 0, 0, 0},
        {BURSTY_ALWAYS, 1, 0, 0, 1},              {BURSTY_ALWAYS - 1, 1, 0, 0, 0},
        {1, UINT32_C(1) << 30, 0, 0, 1},          {1, (UINT32_C(1) << 30) + 1, 0, 0, 0},
        {1, UINT32_MAX, 0, 0, 0},                 {0, 0, 101, 0, 0},
        {0, 0, INT32_MAX, 0, 0},                  {0, 0, INT32_MIN, 0, 1},
        {0, 0, 0, -1, 1},                         {0, 0, 0, -2, 0},
        {0, 0, 0, 100000, 1},                     {0, 0, 0, 100001, 0},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        bursty_config config = settings(cases[i].every, cases[i].burst, cases[i].jitter);
        int set;
        config.tick_hz = cases[i].tick_hz;
        config.watch = -1;
        CHECK_EQ(bursty_start(&config) > 0, cases[i].fits);
        config = settings(50, 1, 0);
        CHECK(bursty_start(&config) > 0);
        config.profile.every = cases[i].every;
        config.profile.burst = cases[i].burst;
        config.profile.jitter = cases[i].jitter;
        set = bursty_set_profile(0, &config.profile);
        if (cases[i].tick_hz == 0) CHECK_EQ(set, cases[i].fits ? 0 : -1);
    }
    CHECK_EQ(bursty_set_profile(-1, NULL), -1);
    CHECK_EQ(bursty_set_profile(BURSTY_PROFILES, NULL), -1);
    CHECK_EQ(bursty_set_profile(BURSTY_PROFILES - 1, NULL), 0);
}

/* ---- gaps and bursts ---- */

typedef struct gaps {
    uint64_t last, sum;
    uint32_t least, most, count;
} gaps;

static void note_gap(void *user, const bursty_event *e) {
    gaps *g = (gaps *)user;
    uint32_t gap = (uint32_t)(e->value - g->last - 1);
    if (g->last) {
        if (gap < g->least) g->least = gap;
        if (gap > g->most) g->most = gap;
        g->sum += gap;
        g->count++;
    }
    g->last = e->value;
}

/* Gaps are drawn evenly from C - j to C + j, both ends included, and are never
   0. */
static void check_gaps(uint32_t every, int32_t jitter, uint32_t least, uint32_t most) {
    bursty_config config = settings(every, 1, jitter);
    gaps g = {0, 0, UINT32_MAX, 0, 0};
    double mean;
    uint32_t i;
    config.profile.action = note_gap;
    config.profile.user = &g;
    CHECK(bursty_start(&config) > 0);
    for (i = 1; i < 400000; i++) BURST_POINT(BURSTY_USER, "gap", i);
    CHECK_EQ(g.least, least);
    CHECK_EQ(g.most, most);
    mean = (double)g.sum / g.count;
    if (least) CHECK(mean > (least + most) * .49 && mean < (least + most) * .51);
}

TEST(gaps_reach_both_ends) {
    check_gaps(10, -1, 10, 10);
    check_gaps(10, 50, 5, 15);
    check_gaps(100, 12, 88, 112);
    check_gaps(100, 99, 1, 199);
    check_gaps(20, 80, 4, 36);
    check_gaps(7, 10, 7, 7); /* 10 % of 7 are 0 */
}

/* ---- actions ---- */

static uint32_t seen, depth_of_action;

static void looping_action(void *user, const bursty_event *e) {
    (void)user;
    (void)e;
    seen++;
    if (depth_of_action) return;
    depth_of_action = 1;
    BURST_FOR(uint32_t, i, 0, 1000, if (i == 3) break; BURST_POINT(BURSTY_USER, "in action", i););
    BURST_FOR_LEAF(uint32_t, k, 0, 1000, (void)k;);
    depth_of_action = 0;
}

/* Loops in an action record nothing, are not counted, and leave the schedule as
   it is, whether they run to their end or give checks back. */
TEST(loops_in_an_action_change_nothing) {
    uint32_t i, checks = 0, events[2];
    int loops;
    for (loops = 0; loops < 2; loops++) {
        bursty_config config = settings(20, 3, -1);
        bursty_stats stats;
        config.profile.action = looping_action;
        CHECK(bursty_start(&config) > 0);
        seen = 0;
        depth_of_action = !loops;
        for (i = 0; i < 100000; i++) BURST_POINT(BURSTY_USER, "event", i);
        bursty_get_stats(&stats);
        events[loops] = seen;
        checks = (uint32_t)stats.checks;
        CHECK_EQ(checks, 100000);
    }
    CHECK_EQ(events[0], events[1]);
}

/* ---- bursty_top ---- */

static text file;

static void read_dump(tally *t) {
    dump d;
    dump_fault fault;
    size_t i;
    memset(t, 0, sizeof *t);
    file.size = 0;
    CHECK_EQ(bursty_write(text_write, &file), 0);
    if (!CHECK(dump_read(&d, (const unsigned char *)file.data, file.size, &fault) == 0)) return;
    for (i = 0; i < d.part_count; i++) {
        int bad = d.parts[i].kind == 24 ? 0 : kind_sampled.read(t, &d, &d.parts[i], &fault);
        CHECK_EQ(bad, 0);
        if (bad) printf("    %s\n", fault.reason);
    }
    kind_sampled.settle(t);
    dump_free(&d);
}

typedef struct slow_row {
    const char *name;
    uint64_t weight, self, total, passed;
} slow_row;
static slow_row slow[128];
static size_t slow_count;

static slow_row *slow_of(const char *name) {
    size_t i;
    for (i = 0; i < slow_count; i++) {
        if (strcmp(slow[i].name, name) == 0) return &slow[i];
    }
    if (slow_count == 128) abort();
    memset(&slow[slow_count], 0, sizeof *slow);
    slow[slow_count].name = name;
    return &slow[slow_count++];
}

static void add_weight(void *user, const bursty_row *row) {
    (void)user;
    slow_of(row->site->name)->weight += row->weight;
}

/* Sums of the rows, and of the paths that the dump has. Returns all ticks. */
static uint64_t sum_slowly(tally *t) {
    uint64_t all = 0;
    size_t i;
    bursty_each(add_weight, NULL);
    read_dump(t);
    for (i = 0; i < t->paths.count; i++) {
        const char *name = t->sites.at[t->paths.at[i].site].name, *met[128];
        uint32_t at = (uint32_t)i, count = 0, k;
        all += t->paths.at[i].ticks;
        slow_of(name)->self += t->paths.at[i].ticks;
        for (; at != TALLY_NO_PATH; at = t->paths.at[at].parent) {
            name = t->sites.at[t->paths.at[at].site].name;
            for (k = 0; k < count && strcmp(met[k], name) != 0; k++) continue;
            if (k < count) continue;
            met[count++] = name;
            slow_of(name)->total += t->paths.at[i].ticks;
        }
    }
    return all;
}

static int is_share(const bursty_range *range, uint64_t part, uint64_t all) {
    uint64_t ppm = all ? (uint64_t)(1e6 * (double)part / (double)all + .5) : 0;
    if (range->value != ppm || range->low > ppm || range->high < ppm) return 0;
    return range->high <= 1000000 && (part || range->low == 0);
}

/* Returns how many intervals of calls contain what was passed, or all rows if
   nothing is sampled. */
static size_t check_top(int is_exact) {
    static bursty_top_row rows[128], few[128];
    size_t n = bursty_top(rows, 128), max, i, inside = 0;
    tally t;
    uint64_t all = sum_slowly(&t);
    for (i = 0; i < n; i++) {
        const slow_row *s = slow_of(rows[i].site->name);
        const bursty_top_row *row = &rows[i];
        CHECK_EQ(row->calls.value, s->weight / 256);
        CHECK(row->calls.low <= row->calls.value && row->calls.value <= row->calls.high);
        if (is_exact) CHECK(row->calls.low == s->passed && row->calls.high == s->passed);
        inside += row->calls.low <= s->passed && s->passed <= row->calls.high;
        CHECK_EQ(row->ticks, s->self);
        CHECK(is_share(&row->self_ppm, s->self, all));
        CHECK(is_share(&row->total_ppm, s->total, all));
        if (i == 0) continue;
        CHECK(row->ticks < row[-1].ticks ||
              (row->ticks == row[-1].ticks && row->calls.value <= row[-1].calls.value));
    }
    for (max = 0; max <= n + 1; max++) { /* fewer rows are the first of these */
        size_t got = bursty_top(few, max);
        CHECK_EQ(got, max < n ? max : n);
        for (i = 0; i < got; i++) {
            if (few[i].ticks != rows[i].ticks || few[i].calls.value != rows[i].calls.value)
                CHECK_EQ(max, n);
        }
    }
    for (i = 0, max = 0; i < slow_count; i++) max += slow[i].weight || slow[i].total;
    CHECK_EQ(n, max); /* none is missing */
    kind_sampled.free(&t);
    return inside;
}

/* Random chains of up to four functions, some of them recursive, the hottest
   ones last in memory. */
static void random_chains(uint64_t *seed, uint32_t rounds, uint32_t functions, slow_row *passed) {
    uint32_t round;
    for (round = 0; round < rounds; round++) {
        uint32_t depth = (uint32_t)(test_random(seed) % 4), first, next = 0, k;
        uint32_t ticks = test_random(seed) % 8 ? 0 : (uint32_t)(1 + test_random(seed) % 3);
        for (k = 0; k < depth; k++) {
            uint64_t r = test_random(seed);
            uint32_t number = (uint32_t)((r >> 32) % functions);
            if (r & 1) number = functions - 1 - number % 7;
            next = next * 101 + number + 1;
            passed[number].passed++;
        }
        first = (uint32_t)(test_random(seed) % functions);
        passed[first].passed++;
        function[first](next, ticks);
    }
}

static void count_passed(const slow_row *passed) {
    char name[8];
    static char names[100][8];
    uint32_t i;
    for (i = 0; i < 100; i++) {
        if (!passed[i].passed) continue;
        snprintf(name, sizeof name, "f%02u", (unsigned)i);
        memcpy(names[i], name, sizeof name);
        slow_of(names[i])->passed += passed[i].passed;
    }
}

TEST(top_is_the_slow_sum) {
    static const uint32_t functions[] = {1, 3, 63, 64, 65, 100};
    uint64_t seed = 5;
    uint32_t i, sampled;
    size_t inside = 0, rows = 0;
    for (i = 0; i < 6; i++) {
        for (sampled = 0; sampled < 2; sampled++) {
            slow_row passed[100];
            bursty_config config = settings(sampled ? 97 : BURSTY_ALWAYS, 5, 0);
            size_t n;
            memset(passed, 0, sizeof passed);
            slow_count = 0;
            CHECK(bursty_start(&config) > 0);
            random_chains(&seed, sampled ? 60000 : 3000, functions[i], passed);
            count_passed(passed);
            n = check_top(!sampled);
            if (!sampled) continue;
            inside += n;
            rows += slow_count;
        }
    }
    CHECK(inside > rows * 9 / 10);
}

TEST(top_without_ticks_or_rows) {
    bursty_config config = settings(BURSTY_ALWAYS, 0, -1);
    bursty_top_row rows[4];
    CHECK(bursty_start(&config) > 0);
    CHECK_EQ(bursty_top(rows, 4), 0);
    function[7](0, 0);
    function[8](0, 0);
    function[8](0, 0);
    CHECK_EQ(bursty_top(rows, 4), 2);
    CHECK_STR(rows[0].site->name, "f08");
    CHECK(rows[0].self_ppm.high == 0 && rows[0].total_ppm.value == 0 && rows[0].ticks == 0);
    bursty_tick(1); /* now one place has time, and it is no function */
    CHECK_EQ(bursty_top(rows, 4), 3);
    CHECK_STR(rows[0].site->name, "(outside)");
    CHECK(rows[0].self_ppm.value == 1000000 && rows[0].calls.value == 0);
    bursty_clear();
    CHECK_EQ(bursty_top(rows, 4), 0);
}

/* Ticks that come several at once are fewer observations: n * n / (sum of
   squares). */
TEST(ticks_at_once_widen_intervals) {
    bursty_top_row rows[2];
    uint64_t width[3];
    uint32_t kind, i;
    for (kind = 0; kind < 3; kind++) {
        bursty_config config = settings(BURSTY_ALWAYS, 0, -1);
        uint32_t at_once = kind == 0 ? 1 : kind == 1 ? 4 : 100;
        tally t;
        uint64_t squares = 0;
        CHECK(bursty_start(&config) > 0);
        for (i = 0; i < 400 / at_once; i++) function[i % 2](0, at_once);
        CHECK_EQ(bursty_top(rows, 2), 2);
        CHECK_EQ(rows[0].self_ppm.value, 500000);
        width[kind] = rows[0].self_ppm.high - rows[0].self_ppm.low;
        read_dump(&t);
        for (i = 0; i < t.paths.count; i++) squares += t.paths.at[i].squares;
        CHECK_EQ(squares, 400 * at_once);
        kind_sampled.free(&t);
    }
    /* Wilson's interval at z = 2 of 1/2 of n is 1 / sqrt(1 + n / 4) wide: n is
       400, 100 and 4. */
    CHECK(width[0] > 99000 && width[0] < 100100);
    CHECK(width[1] > 195000 && width[1] < 197000);
    CHECK(width[2] > 707000 && width[2] < 707200);
}

#ifdef TEST_PTHREAD
static slow_row passed_in[4][100];
static uint32_t threads_started;

static void *chains_of_a_thread(void *argument) {
    uint64_t seed = 1 + __atomic_fetch_add(&threads_started, 1, __ATOMIC_RELAXED);
    random_chains(&seed, 3000, 100, (slow_row *)argument);
    return NULL;
}

TEST(top_sums_over_threads) {
    bursty_config config = settings(BURSTY_ALWAYS, 0, -1);
    bursty_stats stats;
    pthread_t thread[4];
    uint32_t i;
    slow_count = 0;
    CHECK(bursty_start(&config) >= 5);
    memset(passed_in, 0, sizeof passed_in);
    for (i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, chains_of_a_thread, passed_in[i]), 0);
    for (i = 0; i < 4; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
    for (i = 0; i < 4; i++) count_passed(passed_in[i]);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.lost + stats.lost_threads + stats.ticks_lost + stats.ticks_cut, 0);
    CHECK(check_top(1) >= 100);
}
#endif

/* ---- merging ---- */

/* Of two dumps of one thread, one of which says that it has ended, the sum does
   not. */
TEST(a_merged_thread_has_ended_if_it_has_in_all) {
    bursty_config config = settings(BURSTY_ALWAYS, 0, -1);
    int both;
    for (both = 0; both < 2; both++) {
        tally t;
        dump d;
        dump_fault fault;
        size_t i;
        int k;
        memset(&t, 0, sizeof t);
        for (k = 0; k < 2; k++) {
            config.tick_hz = -1;
            CHECK(bursty_start(&config) > 0);
            function[1](0, 0);
            if (k || both) bursty_thread_end();
            file.size = 0;
            CHECK_EQ(bursty_write(text_write, &file), 0);
            CHECK_EQ(dump_read(&d, (const unsigned char *)file.data, file.size, &fault), 0);
            for (i = 0; i < d.part_count; i++)
                CHECK(d.parts[i].kind == 24 || kind_sampled.read(&t, &d, &d.parts[i], &fault) == 0);
            dump_free(&d);
        }
        kind_sampled.settle(&t);
        CHECK_EQ(t.threads.count, 1);
        CHECK_EQ(t.threads.at[0].flags, both ? THREAD_ENDED : 0);
        CHECK_EQ(t.threads.at[0].checks, 2);
        kind_sampled.free(&t);
    }
}

/* ---- what is written is read, whatever the configuration ---- */

static uint64_t any(uint64_t *seed) { /* of every size, and the ends often */
    uint64_t r = test_random(seed);
    switch (r & 7) {
    case 0: return 0;
    case 1: return UINT64_MAX;
    case 2: return (UINT64_C(1) << 30) + (r >> 8 & 1);
    default: return test_random(seed) >> (r >> 8 & 63);
    }
}

static uint64_t any_time;
static uint64_t any_clock(void *user) {
    (void)user;
    return any_time += 1000;
}

static bursty_profile any_profile(uint64_t *seed) {
    bursty_profile p;
    memset(&p, 0, sizeof p);
    p.every = (uint32_t)(test_random(seed) % 2 ? test_random(seed) % 50 : any(seed));
    p.burst = (uint32_t)(test_random(seed) % 2 ? test_random(seed) % 50 : any(seed));
    p.jitter = (int32_t)(test_random(seed) % 2 ? test_random(seed) % 101 : any(seed));
    p.awake_count = (uint32_t)any(seed);
    p.hibernate_count = (uint32_t)any(seed);
    p.classes = (uint32_t)any(seed);
    if (test_random(seed) % 3 == 0) p.action = note_gap;
    p.off = test_random(seed) % 5 == 0;
    return p;
}

static const char *any_name(uint64_t *seed) {
    static const char *const names[] = {NULL, "", "a program", "\xFF\xFE\x80", "a;b\n\"<&>",
                                        "a name of more than thirty-one bytes, and more"};
    return names[test_random(seed) % 6];
}

TEST(whatever_is_written_is_read) {
    uint64_t seed = 29;
    uint32_t round, fits = 0;
    gaps g = {0, 0, 0, 0, 0};
    watch(120);
    for (round = 0; round < 600; round++) {
        bursty_config config;
        bursty_stats stats;
        slow_row passed[100];
        tally t;
        uint64_t count = 0, sum = 0;
        uint32_t i;
        memset(&config, 0, sizeof config);
        config.profile = any_profile(&seed);
        config.profile.user = &g;
        config.memory = memory;
        config.memory_bytes = (size_t)(test_random(&seed) % (sizeof memory / 4) >> test_random(&seed) % 6);
        config.tick_hz = (int32_t)(test_random(&seed) % 3 ? test_random(&seed) % 1000 : any(&seed));
        config.watch = -1;
        config.fold = (uint32_t)any(&seed);
        if (test_random(&seed) % 2) config.budget_ppm = (uint32_t)any(&seed);
        config.clock = any_clock;
        config.seed = (uint32_t)any(&seed);
        config.program = any_name(&seed);
        if (bursty_start(&config) == 0) continue;
        fits++;
        bursty_thread_name(any_name(&seed));
        for (i = 0; i < 5; i++) {
            random_chains(&seed, 100, 100, passed);
            if (test_random(&seed) % 2) {
                bursty_profile p = any_profile(&seed);
                p.user = &g;
                (void)bursty_set_profile((int)(test_random(&seed) % BURSTY_PROFILES), &p);
            }
            bursty_tick((uint32_t)any(&seed));
            if (test_random(&seed) % 20 == 0) bursty_clear();
        }
        read_dump(&t);
        bursty_get_stats(&stats);
        CHECK_EQ(t.programs.count, 1);
        CHECK_EQ(t.threads.count, stats.threads);
        CHECK(t.programs.at[0].checks == stats.checks && t.programs.at[0].events == stats.events);
        CHECK(t.programs.at[0].lost == stats.lost && t.programs.at[0].ticks_lost == stats.ticks_lost);
        bursty_each(add_count, &count);
        for (i = 0; i < t.rows.count; i++) sum = sampled_add(sum, t.rows.at[i].count);
        CHECK(count == sum);
        for (i = 0, sum = 0; i < t.paths.count; i++) sum = sampled_add(sum, t.paths.at[i].ticks);
        CHECK(sum == stats.ticks);
        kind_sampled.free(&t);
    }
    watch(0);
    CHECK(fits > 50 && fits < 600);
    text_free(&file);
}
