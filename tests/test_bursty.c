/* test_bursty.c - bursty.h against slow, literal references: schedule, forms, profiles, table, dump. */
#define _XOPEN_SOURCE 700      /* sigaction, setitimer */
#define BURSTY_IMPLEMENTATION
#define BURSTY_STDIO
#include "bursty.h"
#include "test.h"
#include <setjmp.h>

/* ---- references -------------------------------------------------------------------------------------------------------------- */

/* bursty-tracing Figure 3, word for word; 1: instrumented code. */
typedef struct figure3 { int64_t check_count0, instr_count0, n_check, n_instr; } figure3;

static int figure3_check(figure3 *f) {
    f->n_check--;
    if (f->n_check != 0) return 0;
    f->n_check = 1;
    if (f->n_instr == 0) { f->n_instr = f->instr_count0; return 1; }
    f->n_instr--;
    if (f->n_instr != 0) return 1;
    f->n_check = f->check_count0;
    return 0;
}

static figure3 figure3_make(int64_t check_count0, int64_t instr_count0) {
    figure3 f;
    f.check_count0 = f.n_check = check_count0;
    f.instr_count0 = instr_count0;
    f.n_instr = 0;
    return f;
}

static bursty_profile plain_profile(uint32_t checks, uint32_t instrs) {
    bursty_profile p;
    memset(&p, 0, sizeof p);
    p.check_count = checks;
    p.burst_count = instrs;
    p.jitter_percent = -1;
    return p;
}

static uint32_t start_with(const bursty_profile *p, uint32_t seed) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    if (p) config.profile = *p;
    config.seed = seed;
    return bursty_start(&config);
}

/* What an action saw. */
typedef struct log_entry { const bursty_site *site; uintptr_t value; uint32_t kind, depth, burst, weight; } log_entry;
typedef struct event_log { size_t count, room; log_entry *entry; } event_log;

static void log_event(void *user, const bursty_event *e) {
    event_log *log = (event_log *)user;
    if (log->count == log->room) {
        log->room = log->room ? 2 * log->room : 1024;
        log->entry = (log_entry *)realloc(log->entry, log->room * sizeof *log->entry);
        if (!log->entry) abort();
    }
    log->entry[log->count].site = e->site;
    log->entry[log->count].value = e->value;
    log->entry[log->count].kind = e->kind;
    log->entry[log->count].depth = e->depth;
    log->entry[log->count].burst = e->burst;
    log->entry[log->count++].weight = e->weight_256;
}

static void count_event(void *user, const bursty_event *e) { (void)e; ++*(uint64_t *)user; }

/* ---- schedule ---------------------------------------------------------------------------------------------------------------- */

TEST(figure_3_decision_for_decision) {
    uint32_t checks, instrs, i, wrong = 0, compared = 0;
    for (checks = 1; checks <= 40; checks++)
        for (instrs = 1; instrs <= 12; instrs++) {
            bursty_profile p = plain_profile(checks, instrs);
            figure3 f = figure3_make(checks, instrs);
            start_with(&p, 0);
            for (i = 0; i < 2000; i++, compared++) wrong += (BURST_CHECK() != 0) != figure3_check(&f);
        }
    CHECK_EQ(compared, 960000);
    CHECK_EQ(wrong, 0);
}

/* Several profiles, one merged word: each keeps the sequence that it would have alone. */
TEST(merged_profiles_do_not_disturb_one_another) {
    uint64_t random = 7;
    uint32_t round, i, p, wrong = 0;
    for (round = 0; round < 300; round++) {
        figure3 f[BURSTY_PROFILES];
        int on[BURSTY_PROFILES] = { 0 };
        uint64_t events = 0;
        uint32_t n = 1 + round % BURSTY_PROFILES;
        start_with(NULL, round);
        bursty_set_profile(0, NULL);
        for (i = 0; i < 3000; i++) {
            uint32_t wanted = 0;
            if (i == 0 || test_random(&random) % 100 == 0) {                      /* change one in flight */
                bursty_profile set = plain_profile(1 + (uint32_t)(test_random(&random) % 60), 1 + (uint32_t)(test_random(&random) % 9));
                p = (uint32_t)(test_random(&random) % n);
                set.action = count_event;
                set.user = &events;
                on[p] = test_random(&random) % 5 != 0;
                CHECK(bursty_set_profile((int)p, on[p] ? &set : NULL) == 0);
                f[p] = figure3_make(set.check_count, set.burst_count);
            }
            for (p = 0; p < n; p++) if (on[p] && figure3_check(&f[p])) wanted |= 1u << p;
            wrong += (BURST_CHECK() != 0) != (wanted != 0);
            wrong += bursty_in_burst() != wanted;
        }
    }
    CHECK_EQ(wrong, 0);
}

TEST(rates_are_exact_together) {
    static const uint32_t sets[3][2] = { { 990, 10 }, { 4950, 50 }, { 99, 1 } };
    uint64_t seen[3] = { 0, 0, 0 };
    uint32_t i;
    start_with(NULL, 1);
    for (i = 0; i < 3; i++) {
        bursty_profile p = plain_profile(sets[i][0], sets[i][1]);
        p.action = count_event;
        p.user = &seen[i];
        CHECK_EQ(bursty_set_profile((int)i, &p), 0);
    }
    for (i = 0; i < 1000000; i++) { BURST_POINT(BURSTY_USER, "tick", i); }
    for (i = 0; i < 3; i++) CHECK_EQ(seen[i], 10000);
}

/* Awake for 3 bursts, then asleep for 5 periods. */
TEST(awake_and_hibernate) {
    bursty_profile p = plain_profile(7, 2);
    uint32_t i, wrong = 0, in = 0;
    p.awake_count = 3;
    p.hibernate_count = 5;
    start_with(&p, 0);
    for (i = 1; i <= 7200; i++) {
        uint32_t at = (i - 1) % 72, live = BURST_CHECK() != 0;                     /* 3 (7 + 2) awake, 5 (7 + 2) asleep */
        uint32_t phase = (at + 1) % 72;                                            /* the first gap is one short */
        int wanted = phase < 27 && phase % 9 >= 7;
        wrong += live != (uint32_t)wanted;
        in += live;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(in, 600);
}

TEST(always_is_the_full_profile) {
    event_log log = { 0, 0, NULL };
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    uint32_t i;
    p.action = log_event;
    p.user = &log;
    start_with(&p, 0);
    for (i = 0; i < 200000; i++) { BURST_POINT(BURSTY_USER, "all", i); }
    CHECK_EQ(log.count, 200000);
    CHECK(log.count && log.entry[199999].value == 199999 && log.entry[0].weight == 256);
    free(log.entry);
}

/* Jitter keeps the mean, and the drawn first gap samples threads that are shorter than the period. */
TEST(jitter_keeps_the_rate) {
    uint64_t in = 0, all = 0;
    uint32_t round, i, length;
    start_with(NULL, 3);
    for (i = 0; i < 3000000; i++) in += BURST_CHECK() != 0;
    CHECK(in > 29600 && in < 30400);
    for (length = 5; length <= 500; length *= 10) {
        in = all = 0;
        for (round = 0; round < 20000; round++) {
            start_with(NULL, round + 1);
            for (i = 0; i < length; i++, all++) in += BURST_CHECK() != 0;
        }
        CHECK((double)in / (double)all > 0.008 && (double)in / (double)all < 0.012);
    }
}

/* A period of 200 events against 1:99: without jitter the sample sees the same two events for ever. */
TEST(jitter_breaks_resonance) {
    int jitter;
    for (jitter = -1; jitter <= 12; jitter += 13) {
        uint64_t seen[200] = { 0 }, sum = 0;
        double overlap = 0;
        bursty_profile p = plain_profile(99, 1);
        uint32_t i;
        p.jitter_percent = jitter;
        start_with(&p, 5);
        for (i = 0; i < 4000000; i++) if (BURST_CHECK()) { seen[i % 200]++; sum++; }
        for (i = 0; i < 200; i++) {
            double share = (double)seen[i] / (double)sum;
            overlap += share < 0.005 ? share : 0.005;
        }
        if (jitter < 0) CHECK(overlap < 0.02);
        else            CHECK(overlap > 0.95);
    }
}

/* ---- conditional control: Figure 4 of hybrid-profiling-support, with what P2, P4, P5 and P6 mean -------------------------------- */

TEST(figure_4_equals_figure_3) {
    uint32_t checks, instrs, i, wrong = 0;
    for (checks = 1; checks <= 40; checks++)
        for (instrs = 1; instrs <= 12; instrs++) {
            bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
            bursty_rule rules[4];
            figure3 f = figure3_make(checks, instrs);
            uint64_t events = 0;
            memset(rules, 0, sizeof rules);
            for (i = 0; i < 4; i++) rules[i].classes = (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_BACKEDGE;
            rules[0].when.any[0].not_overflow = 2;                                 /* P1, P2: not sampling       */
            rules[0].op[0].op = BURSTY_INC; rules[0].op[0].counter = 1; rules[0].op_count = 1;
            rules[1].when.any[0].overflow = 2; rules[1].when.any[0].not_overflow = 4;      /* P3, P4: sampling   */
            rules[1].op[0].op = BURSTY_INC; rules[1].op[0].counter = 2; rules[1].op_count = 1;
            rules[2].when.any[0].overflow = 6;                                     /* P5, P6: the burst is over  */
            rules[3].classes = BURSTY_BEGIN;                                       /* initial values             */
            for (i = 2; i < 4; i++) {
                rules[i].op[0].op = rules[i].op[1].op = BURSTY_UNTIL;
                rules[i].op[0].counter = 1; rules[i].op[0].value = checks - 1;
                rules[i].op[1].counter = 2; rules[i].op[1].value = instrs;
                rules[i].op_count = 2;
            }
            p.rules = rules;
            p.rule_count = 4;
            p.when.any[0].overflow = 2;
            p.when.any[0].not_overflow = 4;
            p.action = count_event;
            p.user = &events;
            start_with(&p, 0);
            for (i = 0; i < 2000; i++) {
                uint64_t before = events;
                if (i & 1) BURST_LOOP(); else BURST_ENTRY();
                wrong += (events != before) != figure3_check(&f);
            }
        }
    CHECK_EQ(wrong, 0);
}

TEST(counters_and_flags) {
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    bursty_rule rules[3];
    uint64_t zero = 0;
    int i;
    memset(rules, 0, sizeof rules);
    rules[0].classes = BURSTY_BEGIN;
    rules[0].op[0].op = BURSTY_SET; rules[0].op[0].counter = 3; rules[0].op[0].value = 5; rules[0].op_count = 1;
    rules[1].classes = BURSTY_USER;
    rules[1].when.any[0].not_zero = 8;
    rules[1].op[0].op = BURSTY_DEC; rules[1].op[0].counter = 3; rules[1].op_count = 1;
    rules[2].classes = BURSTY_CALL;
    rules[2].op[0].op = BURSTY_DEC; rules[2].op[0].counter = 3; rules[2].op_count = 1;
    p.rules = rules;
    p.rule_count = 3;
    p.classes = BURSTY_USER;
    p.when.any[0].zero = 8;
    p.action = count_event;
    p.user = &zero;
    start_with(&p, 0);
    for (i = 0; i < 9; i++) { BURST_POINT(BURSTY_USER, "down", 0); }
    CHECK_EQ(bursty_counter(3), 0);
    CHECK_EQ(zero, 4);                                                             /* five downs, four at zero */
    BURST_ENTRY();
    CHECK_EQ(bursty_counter(3), UINT32_MAX);                                       /* wrapped: overflow is set */
    rules[0].op_count = 5;
    CHECK_EQ(bursty_set_profile(0, &p), -1);
    rules[0].op_count = 1;
    rules[0].op[0].counter = 8;
    CHECK_EQ(bursty_set_profile(0, &p), -1);
}

/* ---- forms --------------------------------------------------------------------------------------------------------------------- */

static uint64_t form_random = 11;
static uint32_t *stream, stream_count;

static void note(uint32_t value) { stream[stream_count++] = value; }

/* Every loop twice, with BURST_FOR and with a check per iteration; how names the way out. */
static int naive_loop(uint32_t n, uint32_t stop, int how) {
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (BURST_CHECK()) note(i);
        if (i == stop && how == 0) break;
        if (i == stop && how == 1) return 1;
        if (i == stop && how == 2) goto out;
        if (i % 3 == 0) continue;
        if (i == stop) break;
    }
    return 0;
out:
    return 2;
}

static int strip_loop(uint32_t n, uint32_t stop, int how) {
    BURST_FOR(uint32_t, i, 0, n, {
        BURST_IF_RECORDING(note(i));
        if (i == stop && how == 0) { break; }
        if (i == stop && how == 1) { return 1; }
        if (i == stop && how == 2) { goto out; }
        if (i % 3 == 0) { continue; }
        if (i == stop) { break; }
    })
    return 0;
out:
    return 2;
}

static int body_loop(uint32_t n, uint32_t stop, int how) {
    uint32_t i;
    for (i = 0; i < n; i++) BURST_BODY({
        BURST_IF_RECORDING(note(i));
        if (i == stop && how == 0) { break; }
        if (i == stop && how == 1) { return 1; }
        if (i == stop && how == 2) { goto out; }
        if (i % 3 == 0) { continue; }
        if (i == stop) { break; }
    })
    return 0;
out:
    return 2;
}

static void set_random_profiles(uint32_t seed) {
    uint64_t random = seed;
    uint32_t p, n = 1 + seed % 4;
    start_with(NULL, seed);
    for (p = 0; p < n; p++) {
        bursty_profile set = plain_profile(1 + (uint32_t)(test_random(&random) % 300), 1 + (uint32_t)(test_random(&random) % 40));
        static uint64_t sink;
        set.jitter_percent = (int)(test_random(&random) % 30) - 1;
        set.action = count_event;
        set.user = &sink;
        bursty_set_profile((int)p, &set);
    }
}

TEST(loops_have_the_stream_of_a_check_per_iteration) {
#if defined(__GNUC__) || defined(__clang__) || defined(__cplusplus)
    enum { WAYS_OUT = 4 };
#else
    enum { WAYS_OUT = 1 };                               /* no cleanup, no destructor: checks come back on break alone */
#endif
    enum { SCHEDULES = 1500, LOOPS = 12 };
    static uint32_t a[LOOPS * 2000], b[LOOPS * 2000];
    uint32_t schedule, k, wrong = 0, form;
    for (schedule = 0; schedule < SCHEDULES; schedule++) {
        uint32_t n[LOOPS], stop[LOOPS], a_count, word;
        int how[LOOPS], result = 0;
        for (k = 0; k < LOOPS; k++) {
            n[k] = (uint32_t)(test_random(&form_random) % 2000);
            stop[k] = (uint32_t)(test_random(&form_random) % 4000);
            how[k] = (int)(test_random(&form_random) % WAYS_OUT);
        }
        set_random_profiles(schedule + 1);
        stream = a; stream_count = 0;
        for (k = 0; k < LOOPS; k++) result = 3 * result + naive_loop(n[k], stop[k], how[k]);
        a_count = stream_count;
        word = BURSTY_P_HERE.n;
        for (form = 0; form < 2; form++) {
            int again = 0;
            set_random_profiles(schedule + 1);
            stream = b; stream_count = 0;
            for (k = 0; k < LOOPS; k++) again = 3 * again + (form ? body_loop : strip_loop)(n[k], stop[k], how[k]);
            wrong += again != result || stream_count != a_count || memcmp(a, b, a_count * sizeof *a) != 0;
            bursty_in_burst();
            /* between loops a strip may have reached an edge early by none: the word must agree, too */
            wrong += BURSTY_P_HERE.n != word;
        }
    }
    CHECK_EQ(wrong, 0);
}

TEST(for_takes_any_integer_type) {
    long sum = 0;
    uint32_t bytes = 0;
    start_with(NULL, 9);
    BURST_FOR(int, i, -5, 6, { sum += i; })
    BURST_FOR(uint8_t, c, 3, 255, { bytes += c; })
    BURST_FOR(int64_t, w, INT64_C(-3), INT64_C(100000), { sum += (long)(w % 2); })
    BURST_FOR(size_t, outer, 0, 3, { BURST_FOR(int, inner, 0, 4, { sum += (long)outer * inner; }) })
    BURST_FOR(short, none, 5, 5, { sum += none + 1000000; })
    CHECK_EQ(bytes, (3 + 254) * 252 / 2);
    CHECK_EQ(sum, -2 + 50000 + 18);                         /* -3 % 2 and -1 % 2 are -1 */
}

static uint64_t calls_counted, events_in_f;
static BURST_DUAL(int, dual, (int depth, int width), (depth, width)) {
    int i, sum = 1;
    BURST_IF_RECORDING(events_in_f++);
    for (i = 0; i < width && depth > 0; i++) { sum += dual(depth - 1, width); }
    return sum;
}
static BURST_DUAL(void, dual_void, (int *x), (x)) { BURST_IF_RECORDING(events_in_f++); ++*x; }
static BURST_DUAL(int, dual_none, (void), ()) { BURST_IF_RECORDING(events_in_f++); return 4; }
static BURST_DUAL(void, dual_nothing, (void), ()) { BURST_IF_RECORDING(events_in_f++); }
static BURST_DUAL_LEAF(int, leaf, (int a), (a)) { BURST_IF_RECORDING(events_in_f++); return a + 1; }
static BURST_DUAL_LEAF(void, leaf_void, (int *a), (a)) { BURST_IF_RECORDING(events_in_f++); ++*a; }
static BURST_DUAL_LEAF(int, leaf_none, (void), ()) { BURST_IF_RECORDING(events_in_f++); return 9; }
static BURST_DUAL_LEAF(void, leaf_nothing, (void), ()) { BURST_IF_RECORDING(events_in_f++); }
static BURST_DUAL(int, calls_leaves, (int a), (a)) {
    int x = a;
    BURST_SAME(leaf_void, (&x));
    BURST_SAME(leaf_nothing, ());
    return BURST_SAME(leaf, (x)) + BURST_SAME(leaf_none, ());
}

TEST(dual_functions_check_once_and_record_in_bursts) {
    bursty_profile p = plain_profile(9, 1);
    bursty_stats stats;
    uint32_t i;
    int x = 0;
    p.action = count_event;
    p.user = &calls_counted;
    calls_counted = events_in_f = 0;
    start_with(&p, 0);
    CHECK_EQ(dual(9, 2), 1023);
    for (i = 0; i < 99; i++) { dual_void(&x); CHECK_EQ(dual_none(), 4); dual_nothing(); }
    bursty_get_stats(&stats);
    CHECK_EQ(x, 99);
    CHECK_EQ(stats.checks, 1023 + 3 * 99);
    CHECK_EQ(calls_counted, (1023 + 3 * 99) / 10);
    CHECK_EQ(events_in_f, (1023 + 3 * 99) / 10);
    calls_counted = events_in_f = 0;
    p.check_count = BURSTY_ALWAYS;
    start_with(&p, 0);
    CHECK_EQ(calls_leaves(1), 3 + 9);
    CHECK_EQ(events_in_f, 4);
    bursty_set_profile(0, NULL);
    CHECK_EQ(calls_leaves(1), 3 + 9);
    CHECK_EQ(leaf(1), 2);
    CHECK_EQ(events_in_f, 4);
}

static BURST_DUAL(long, total, (const int *a, int n), (a, n)) {
    long s = 0;
    int i;
    for (i = 0; i < n; i++) BURST_BODY({ BURST_REF(BURSTY_LOAD | BURSTY_STORE, &a[i]); s += a[i]; if (s < 0) break; })
    BURST_FOR(int, j, 0, n, { BURST_REF(BURSTY_LOAD, &a[j]); s += a[j]; })
    return s;
}

TEST(references_carry_addresses) {
    static int data[100];
    event_log log = { 0, 0, NULL };
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    size_t i;
    p.classes = (uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_STORE;
    p.action = log_event;
    p.user = &log;
    for (i = 0; i < 100; i++) data[i] = 1;
    start_with(&p, 0);
    CHECK_EQ(total(data, 100), 200);
    CHECK_EQ(log.count, 200);
    for (i = 0; i < 100 && log.count == 200; i++) {
        CHECK(log.entry[i].value == (uintptr_t)&data[i] && log.entry[i].kind == (uint32_t)(BURSTY_LOAD | BURSTY_STORE));
        CHECK(log.entry[100 + i].value == (uintptr_t)&data[i] && log.entry[100 + i].kind == BURSTY_LOAD);
    }
    CHECK_STR(log.count ? log.entry[0].site->name : "", "&a[i]");
    free(log.entry);
}

/* ---- scopes, depth, stack ------------------------------------------------------------------------------------------------------ */

static jmp_buf scope_jump;
static void scope_leaf(int jump) { BURST_SCOPE("leaf"); BURST_POINT(BURSTY_USER, "inside", 0); if (jump) longjmp(scope_jump, 1); BURST_LEAVE(); }
static int scope_mid(int jump) {
    BURST_SCOPE("mid");
    if (jump == 2) { BURST_LEAVE(); return 1; }
    scope_leaf(jump);
    BURST_LEAVE();
    return 0;
}
static int scope_outer(int jump) {
    int result;
    BURST_SCOPE("outer");
    { uint32_t depth = bursty_depth(); if (setjmp(scope_jump)) { bursty_set_depth(depth); BURST_LEAVE(); return 7; } }
    result = scope_mid(jump);
    BURST_LEAVE();
    return result;
}

TEST(scopes_nest_and_survive_longjmp) {
    static const struct { const char *name; uint32_t kind, depth; } wanted[] = {
        { "outer", 1, 0 }, { "mid", 1, 1 }, { "leaf", 1, 2 }, { "inside", 32, 3 }, { "leaf", 2, 2 }, { "mid", 2, 1 }, { "outer", 2, 0 },
        { "outer", 1, 0 }, { "mid", 1, 1 }, { "leaf", 1, 2 }, { "inside", 32, 3 }, { "outer", 2, 0 },
        { "outer", 1, 0 }, { "mid", 1, 1 }, { "mid", 2, 1 }, { "outer", 2, 0 } };
    event_log log = { 0, 0, NULL };
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    size_t i, n = sizeof wanted / sizeof *wanted;
    p.action = log_event;
    p.user = &log;
    start_with(&p, 0);
    CHECK_EQ(scope_outer(0), 0);
    CHECK_EQ(scope_outer(1), 7);
    CHECK_EQ(scope_outer(2), 1);
    CHECK_EQ(bursty_depth(), 0);
    CHECK_EQ(log.count, n);
    for (i = 0; i < n && log.count == n; i++) {
        CHECK_STR(log.entry[i].site->name, wanted[i].name);
        CHECK_EQ(log.entry[i].kind & 63, wanted[i].kind);
        CHECK_EQ(log.entry[i].depth, wanted[i].depth);
    }
    free(log.entry);
}

static uint32_t dive_depth_wrong;
static void dive_action(void *user, const bursty_event *e) {
    uint32_t i;
    (void)user;
    for (i = 0; i < e->depth && i < BURSTY_STACK && e->stack; i++) dive_depth_wrong += strcmp(e->stack[i]->name, "dive") != 0;
    dive_depth_wrong += e->depth != e->value && (e->kind & BURSTY_USER);
}
static void dive(uint32_t left, uint32_t depth) {
    BURST_SCOPE("dive");
    BURST_POINT(BURSTY_USER, "depth", depth + 1);
    if (left) { dive(left - 1, depth + 1); }
    BURST_LEAVE();
}

TEST(deeper_than_the_stack) {
    bursty_profile p = plain_profile(97, 5);
    bursty_row rows[8];
    size_t n, i;
    int round, deep = 0;
    p.action = dive_action;
    start_with(&p, 0);
    for (round = 0; round < 300; round++) { dive(200, 0); }
    CHECK_EQ(dive_depth_wrong, 0);
    p.action = NULL;
    bursty_set_profile(0, &p);
    for (round = 0; round < 300; round++) { dive(200, 0); }
    n = bursty_top(rows, 8, 1);
    for (i = 0; i < n; i++) deep |= strcmp(rows[i].caller->name, "(deep)") == 0;
    CHECK(deep);
}

/* ---- hot table ------------------------------------------------------------------------------------------------------------------ */

static void work_b(void) { BURST_SCOPE("b"); BURST_LEAVE(); }
static void work_a(int n) { int i; BURST_SCOPE("a"); for (i = 0; i < n; i++) { BURST_LOOP(); work_b(); } BURST_LEAVE(); }
static void work_c(void) { BURST_SCOPE("c"); work_b(); BURST_LEAVE(); }

TEST(full_table_is_exact) {
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    bursty_row rows[16];
    bursty_stats stats;
    size_t n;
    int i;
    start_with(&p, 0);
    for (i = 0; i < 100; i++) { work_a(7); work_c(); }
    n = bursty_top(rows, 16, 0);
    CHECK_EQ(n, 4);                                                                /* b, the loop, a, c */
    CHECK_STR(rows[0].site->name, "b");
    CHECK_EQ(rows[0].count, 800);
    CHECK_EQ(rows[0].weight, 800 * 256);
    CHECK_STR(rows[1].site->name, "work_a");
    CHECK_EQ(rows[1].count, 700);
    n = bursty_top(rows, 16, 1);
    CHECK_EQ(n, 2);
    CHECK_STR(rows[0].caller->name, "a");
    CHECK_STR(rows[0].site->name, "b");
    CHECK_EQ(rows[0].count, 700);
    CHECK_STR(rows[1].caller->name, "c");
    CHECK_EQ(rows[1].count, 100);
    CHECK_EQ(bursty_top(rows, 1, 0), 1);
    CHECK_EQ(rows[0].count, 800);
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 100 + 700 + 700 + 200);
    CHECK_EQ(stats.events, 1700 + 1000);                                           /* and the returns */
    CHECK_EQ(stats.rate_ppm, 1000000);
    bursty_clear();
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 0);
    CHECK_EQ(bursty_top(rows, 16, 0), 0);
    work_c();
    CHECK_EQ(bursty_top(rows, 16, 0), 2);
}

TEST(sampled_weights_estimate_the_truth) {
    bursty_profile p = plain_profile(97, 3);
    bursty_row rows[16];
    size_t n, i;
    int round;
    p.jitter_percent = 12;
    start_with(&p, 42);
    for (round = 0; round < 100000; round++) { work_a(7); work_c(); }
    n = bursty_top(rows, 16, 0);
    CHECK_EQ(n, 4);
    for (i = 0; i < n; i++) {
        double seen = (double)rows[i].weight / 256, truth = i == 0 ? 800000 : i == 1 ? 700000 : 100000;
        CHECK(seen > 0.97 * truth && seen < 1.03 * truth);
    }
}

TEST(full_memory_loses_counted) {
    static uint64_t memory[1024];
    bursty_config config;
    bursty_stats stats;
    static bursty_site sites[4000];
    uint32_t i;
    memset(&config, 0, sizeof config);
    config.profile = plain_profile(BURSTY_ALWAYS, 0);
    config.memory = memory;
    config.memory_bytes = 64;
    CHECK_EQ(bursty_start(&config), 0);
    config.memory_bytes = sizeof memory;
    CHECK(bursty_start(&config) >= 1);
    for (i = 0; i < 4000; i++) {
        sites[i].name = "many"; sites[i].file = ""; sites[i].line = i; sites[i].kind = BURSTY_USER;
        if (BURSTY_P_FIRE()) { bursty_p_hit(&sites[i], 0); }
    }
    bursty_get_stats(&stats);
    CHECK_EQ(stats.events, 4000);
    CHECK(stats.lost > 0);
    {
        static bursty_row rows[4000];
        CHECK_EQ(bursty_top(rows, 4000, 0) + stats.lost, 4000);
    }
}

TEST(counts_saturate) {
    bursty_p_count c;
    c.half[0] = UINT32_MAX; c.half[1] = 0;
    bursty_p_count_up(&c, 1);
    CHECK_EQ(bursty_p_read(&c), INT64_C(1) << 32);
    c.half[0] = 5; c.half[1] = UINT32_MAX - 1;
    bursty_p_count_up(&c, UINT64_C(1) << 40);
    CHECK(bursty_p_read(&c) == UINT64_MAX);
    bursty_p_count_up(&c, 1);
    CHECK(bursty_p_read(&c) == UINT64_MAX);
}

/* ---- bursts ---------------------------------------------------------------------------------------------------------------------- */

TEST(begin_and_end_frame_every_burst) {
    event_log log = { 0, 0, NULL };
    bursty_profile p = plain_profile(20, 4);
    uint32_t i, inside = 0, number = 0, wrong = 0, in_burst = 0;
    p.classes = (uint32_t)BURSTY_ANY | (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END;
    p.action = log_event;
    p.user = &log;
    start_with(&p, 0);
    for (i = 0; i < 2400; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    for (i = 0; i < log.count; i++) {
        const log_entry *e = &log.entry[i];
        if (e->kind == BURSTY_BEGIN)    { wrong += in_burst; in_burst = 1; inside = 0; number++; wrong += strcmp(e->site->name, "(burst)") != 0; }
        else if (e->kind == BURSTY_END) { wrong += !in_burst || inside != 4; in_burst = 0; }
        else                            { wrong += !in_burst; inside++; }
        wrong += e->burst != number;
        wrong += e->weight != 24 * 256 / 4;
    }
    CHECK_EQ(number, 100);
    CHECK_EQ(wrong, 0);
    log.count = 0;
    for (i = 0; i < 20; i++) { BURST_POINT(BURSTY_USER, "p", i); }                              /* the last END, then into the next burst */
    bursty_set_profile(0, NULL);                                                            /* a change ends the burst */
    CHECK(log.count > 2);
    CHECK_EQ(log.entry[log.count - 1].kind, BURSTY_END);
    free(log.entry);
}

/* Checks inside an action neither sample nor count. */
static BURST_DUAL(int, called_by_action, (int n), (n)) { return n; }
static void checking_action(void *user, const bursty_event *e) {
    uint64_t *count = (uint64_t *)user;
    int i;
    (void)e;
    ++*count;
    for (i = 0; i < 50; i++) { called_by_action(i); BURST_POINT(BURSTY_USER, "in action", i); }
    BURST_FOR(int, k, 0, 100, { if (k == 50) { break; } })
}

TEST(actions_may_check) {
    bursty_profile p = plain_profile(7, 3);
    uint64_t count = 0;
    bursty_stats stats;
    uint32_t i;
    p.action = checking_action;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 100000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 100000);
    CHECK_EQ(count, 30000);
}

static void setting_action(void *user, const bursty_event *e) {
    bursty_profile p = plain_profile(3, 1);
    ++*(uint64_t *)user;
    (void)e;
    p.action = count_event;
    p.user = user;
    bursty_set_profile(0, &p);
}

TEST(an_action_may_set_its_own_profile) {
    bursty_profile p = plain_profile(100, 10);
    uint64_t count = 0;
    uint32_t i;
    p.action = setting_action;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 109; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 10);
    for (i = 0; i < 400; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 110);
}

TEST(switching_and_bad_settings) {
    bursty_profile p = plain_profile(9, 1);
    uint64_t count = 0;
    uint32_t i;
    p.action = count_event;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 100; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 10);
    CHECK_EQ(bursty_enable(0, 0), 0);
    for (i = 0; i < 100000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 10);
    CHECK_EQ(bursty_enable(0, 1), 0);
    for (i = 0; i < 100; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 20);
    CHECK_EQ(bursty_enable(1, 1), -1);
    CHECK_EQ(bursty_enable(-1, 1), -1);
    CHECK_EQ(bursty_set_profile(BURSTY_PROFILES, &p), -1);
    p.check_count = (1u << 30) + 1;
    CHECK_EQ(bursty_set_profile(0, &p), -1);
    p = plain_profile(10, 1);
    p.jitter_percent = 101;
    CHECK_EQ(bursty_set_profile(0, &p), -1);
}

TEST(switching_on_what_runs_changes_nothing) {
    bursty_profile p = plain_profile(990, 10);
    uint64_t count = 0;
    uint32_t i;
    p.action = count_event;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 100000; i++) { if (i % 900 == 0) { CHECK_EQ(bursty_enable(0, 1), 0); } BURST_POINT(BURSTY_USER, "p", i); }
    CHECK_EQ(count, 1000);
}

/* A thread that has checked before the start still has a word of its own. */
TEST(checks_before_a_start_do_not_count) {
    bursty_profile p = plain_profile(1000, 1);
    bursty_stats stats;
    uint32_t i;
    start_with(&p, 0);
    for (i = 0; i < 500; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    bursty_thread_end();
    for (i = 0; i < 500; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    start_with(&p, 0);
    BURSTY_P_HERE.n = 12345;                                                       /* as if bursty_start had run on another thread */
    bursty_p_mine.thread = NULL;
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 0);
}

TEST(a_refused_start_changes_nothing) {
    static uint64_t memory[8];
    bursty_config config;
    bursty_stats stats;
    uint32_t i;
    start_with(NULL, 0);
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.reenable_percent = 10;
    CHECK_EQ(bursty_start(&config), 0);
    config.memory = NULL;
    config.reenable_percent = 101;
    CHECK_EQ(bursty_start(&config), 0);
    for (i = 0; i < 5000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 5000);
}

static uint64_t set_at_end_count;
static void set_at_end(void *user, const bursty_event *e) {
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    (void)user;
    if (e->kind != BURSTY_END) return;
    p.action = count_event;
    p.user = &set_at_end_count;
    bursty_set_profile(1, &p);
}

TEST(an_end_action_may_set_another_profile) {
    bursty_profile p = plain_profile(990, 10);
    uint32_t i;
    p.action = set_at_end;
    p.classes = BURSTY_END;
    set_at_end_count = 0;
    start_with(&p, 0);
    for (i = 0; i < 995; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    bursty_set_profile(0, NULL);                                                           /* ends the burst, whose END sets profile 1 */
    for (i = 0; i < 100000; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    CHECK(set_at_end_count > 99000);
}

static jmp_buf action_jump;
static void jumping_action(void *user, const bursty_event *e) { (void)e; ++*(uint64_t *)user; longjmp(action_jump, 1); }

TEST(longjmp_out_of_an_action) {
    bursty_profile p = plain_profile(90, 10);
    uint64_t count = 0;
    volatile uint32_t i;
    p.action = jumping_action;
    p.user = &count;
    start_with(&p, 0);
    for (i = 0; i < 10000; i++) {
        if (setjmp(action_jump)) { bursty_set_depth(0); continue; }
        BURST_POINT(BURSTY_USER, "p", 0);
    }
    CHECK(count > 90 && count < 1100);
}

TEST(a_failed_save_leaves_the_file) {
    char text[8] = "";
    FILE *file = fopen("test_bursty.tmp", "wb");
    CHECK(file != NULL);
    if (!file) return;
    CHECK_EQ(fwrite("before", 1, 6, file), 6);
    fclose(file);
    bursty_p_all.epoch = 0;                                                        /* not started */
    CHECK_EQ(bursty_save("test_bursty.tmp"), -1);
    start_with(NULL, 0);
    CHECK_EQ(bursty_save("no-such-folder/x.brst"), -1);
    file = fopen("test_bursty.tmp", "rb");
    CHECK(file && fread(text, 1, 7, file) == 6);
    CHECK_STR(text, "before");
    if (file) fclose(file);
    CHECK_EQ(bursty_save("test_bursty.tmp"), 0);
    file = fopen("test_bursty.tmp", "rb");
    CHECK(file && fread(text, 1, 4, file) == 4 && memcmp(text, "BRST", 4) == 0);
    if (file) fclose(file);
    remove("test_bursty.tmp");
}

/* Re-enablement leaves the estimate unbiased, with fewer events. */
TEST(reenablement_is_unbiased) {
    bursty_config config;
    double estimate = 0, truth = 0;
    uint64_t events = 0;
    uint32_t seed;
    for (seed = 1; seed <= 40; seed++) {
        bursty_row rows[8];
        bursty_stats stats;
        size_t n, k;
        int i;
        memset(&config, 0, sizeof config);
        config.profile = plain_profile(45, 5);
        config.profile.jitter_percent = 12;
        config.reenable_percent = 20;
        config.seed = seed;
        CHECK(bursty_start(&config) > 0);
        for (i = 0; i < 20000; i++) { work_a(3); work_c(); }
        n = bursty_top(rows, 8, 0);
        for (k = 0; k < n; k++) estimate += (double)rows[k].weight / 256;
        bursty_get_stats(&stats);
        events += stats.events;
        truth += 20000.0 * (1 + 3 + 3 + 2);
    }
    CHECK(estimate > 0.97 * truth && estimate < 1.03 * truth);
    CHECK((double)events < 0.2 * 0.25 * truth * 1.6);      /* a fifth of a tenth of the checks, returns too; burst ends vary */
}

/* ---- budget: a simulated clock; every event costs heavily ------------------------------------------------------------------------- */

static uint64_t now_ns, event_cost_ns;
static uint64_t simulated_clock(void *user) { (void)user; return now_ns += 20; }
static void costly_action(void *user, const bursty_event *e) { (void)e; ++*(uint64_t *)user; now_ns += event_cost_ns; }

TEST(budget_is_held_when_costs_jump) {
    uint32_t ppm, phase;
    for (ppm = 10000; ppm <= 20000; ppm += 10000) {
        bursty_config config;
        uint64_t events = 0;
        memset(&config, 0, sizeof config);
        config.profile.action = costly_action;
        config.profile.user = &events;
        config.clock = simulated_clock;
        config.budget_ppm = ppm;
        CHECK(bursty_start(&config) > 0);
        for (phase = 0; phase < 3; phase++) {
            uint64_t i, start, checks = 20000000;
            double overhead;
            event_cost_ns = phase == 1 ? 20000 : 500;
            for (i = 0; i < checks / 4; i++) { BURST_POINT(BURSTY_USER, "p", i); now_ns += 10; }        /* settle */
            start = now_ns;
            for (i = 0; i < checks; i++) { BURST_POINT(BURSTY_USER, "p", i); now_ns += 10; }
            overhead = (double)(now_ns - start) / (10.0 * (double)checks) - 1;
            CHECK(overhead > 0.3 * ppm / 1e6 && overhead < 1.6 * ppm / 1e6);
        }
        CHECK(events > 100);
    }
    memset(&now_ns, 0, sizeof now_ns);
    {
        bursty_config config;
        memset(&config, 0, sizeof config);
        config.budget_ppm = 100;
        CHECK_EQ(bursty_start(&config), 0);                                        /* a budget needs a clock */
    }
}

/* ---- time ------------------------------------------------------------------------------------------------------------------------- */

static uint64_t plain_clock(void *user) { (void)user; return now_ns; }
static void timed_inner(void) { BURST_SCOPE("inner"); now_ns += 30; BURST_LEAVE(); }
static void timed_outer(void) { BURST_SCOPE("outer"); now_ns += 5; timed_inner(); now_ns += 7; BURST_LEAVE(); }

TEST(time_goes_to_the_innermost_scope) {
    bursty_config config;
    bursty_row rows[4];
    int i;
    memset(&config, 0, sizeof config);
    config.profile = plain_profile(BURSTY_ALWAYS, 0);
    config.clock = plain_clock;
    config.clock_hz = 1000000000;
    CHECK(bursty_start(&config) > 0);
    for (i = 0; i < 1000; i++) { timed_outer(); }
    CHECK_EQ(bursty_top(rows, 4, 0), 2);
    CHECK_STR(rows[0].site->name, "inner");
    CHECK_EQ(rows[0].ticks, 30000);
    CHECK_EQ(rows[1].ticks, 12000);
}

/* ---- dump ------------------------------------------------------------------------------------------------------------------------- */

typedef struct bytes { unsigned char data[65536]; size_t size; int fail_after; } bytes;
static int to_bytes(void *user, const void *data, size_t size) {
    bytes *b = (bytes *)user;
    if (b->fail_after && --b->fail_after == 0) return 77;
    if (b->size + size > sizeof b->data) return 1;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

static void dump_workload(uint32_t seed) {
    bursty_profile p = plain_profile(97, 3);
    int i;
    p.jitter_percent = 20;
    start_with(&p, seed);
    bursty_thread_name("main");
    for (i = 0; i < 10000; i++) { work_a(7); work_c(); }
}

static uint64_t varint(const bytes *b, size_t *at) {
    uint64_t v = 0;
    int shift = 0;
    while (b->data[*at] & 128) { v |= (uint64_t)(b->data[(*at)++] & 127) << shift; shift += 7; }
    return v | (uint64_t)b->data[(*at)++] << shift;
}

static void read_site(const bytes *b, size_t *at) {
    if (varint(b, at) != 1) return;
    *at += (size_t)varint(b, at);
    *at += (size_t)varint(b, at);
    (void)varint(b, at);
    (void)varint(b, at);
}

TEST(same_events_same_bytes) {
    static bytes a, b, payload;
    bursty_stats stats;
    bursty_row rows[8];
    size_t at, i, n;
    uint64_t rows_seen = 0, count = 0, wanted = 0, checks = 0;
    a.size = b.size = payload.size = 0;
    dump_workload(4);
    CHECK_EQ(bursty_write(to_bytes, &a), 0);
    dump_workload(4);
    CHECK_EQ(bursty_write(to_bytes, &b), 0);
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    bursty_get_stats(&stats);
    n = bursty_top(rows, 8, 0);
    for (i = 0; i < n; i++) wanted += rows[i].count;
    CHECK(memcmp(a.data, "BRST\1\0\1\0\0\0\0\0", 12) == 0);
    for (at = 16; a.data[at] || a.data[at + 1]; ) {                                /* join the chunks */
        size_t length = a.data[at] | (size_t)a.data[at + 1] << 8;
        memcpy(payload.data + payload.size, a.data + at + 2, length);
        payload.size += length;
        at += 2 + length + 4;
    }
    CHECK_EQ(at + 14, a.size);
    for (at = 0; at < payload.size; ) {
        uint64_t tag = varint(&payload, &at);
        int k;
        if (tag == 1) { (void)varint(&payload, &at); at += (size_t)varint(&payload, &at); for (k = 0; k < 3; k++) (void)varint(&payload, &at); }
        else if (tag == 2) for (k = 0; k < 8; k++) (void)varint(&payload, &at);
        else if (tag == 3) {
            (void)varint(&payload, &at); (void)varint(&payload, &at);
            CHECK_EQ(varint(&payload, &at), 4);
            at += 4;
            checks += varint(&payload, &at);
            for (k = 0; k < 3; k++) (void)varint(&payload, &at);
        } else if (tag == 4) {
            read_site(&payload, &at); read_site(&payload, &at);
            count += varint(&payload, &at);
            (void)varint(&payload, &at); (void)varint(&payload, &at);
            rows_seen++;
        } else { CHECK(0); break; }
    }
    CHECK_EQ(count, wanted);
    CHECK_EQ(checks, stats.checks);
    CHECK_EQ(rows_seen, 5);                                                        /* a, loop, b by a, c, b by c */
    a.size = 0;
    a.fail_after = 2;
    CHECK_EQ(bursty_write(to_bytes, &a), 77);
    a.fail_after = 0;
}

/* ---- signals and fork --------------------------------------------------------------------------------------------------------------- */

#if defined(__unix__) && !defined(TEST_NO_SIGNALS)
#include <signal.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint32_t handled;
static void handler(int number) {
    int i;
    (void)number;
    for (i = 0; i < 7; i++) { BURST_POINT(BURSTY_USER, "handler", i); called_by_action(i); }
    handled++;
}

TEST(signal_handlers_may_check) {
    bursty_profile p = plain_profile(18, 7);
    bursty_stats stats;
    uint64_t count = 0, i, checks = 20000000;
    struct itimerval timer;
    struct sigaction action;
    p.action = checking_action;
    p.user = &count;
    p.jitter_percent = 12;
    memset(&timer, 0, sizeof timer);
    start_with(&p, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    timer.it_interval.tv_usec = timer.it_value.tv_usec = 100;
    setitimer(ITIMER_REAL, &timer, NULL);
    p.action = count_event;
    bursty_set_profile(0, &p);
    for (i = 0; i < checks; i++) { BURST_POINT(BURSTY_USER, "p", i); }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    bursty_get_stats(&stats);
    CHECK(stats.checks >= checks && stats.checks <= checks + UINT64_C(14) * handled);
    CHECK((double)count > 0.275 * (double)checks && (double)count < 0.285 * (double)checks + 14.0 * handled);
    CHECK(stats.events >= count);
}

TEST(a_forked_child_counts_from_zero) {
    int pipe_ends[2], status = 0;
    bursty_stats stats;
    uint32_t parent_random, child_random = 0;
    pid_t child;
    dump_workload(8);
    CHECK_EQ(pipe(pipe_ends), 0);
    parent_random = bursty_p_mine.thread->random;
    child = fork();
    if (child == 0) {
        bursty_row rows[4];
        int ok;
        bursty_forked();
        bursty_get_stats(&stats);
        ok = stats.checks == 0 && bursty_top(rows, 4, 0) == 0;
        child_random = bursty_p_mine.thread->random;
        work_a(1000);
        bursty_get_stats(&stats);
        ok = ok && stats.checks == 2001 && bursty_top(rows, 4, 0) > 0;
        if (write(pipe_ends[1], &child_random, sizeof child_random) != sizeof child_random) ok = 0;
        _exit(!ok);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ(read(pipe_ends[0], &child_random, sizeof child_random), sizeof child_random);
    CHECK(child_random != parent_random && child_random != 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}
#endif

