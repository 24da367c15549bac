/* test_bursty_forms.c - loops, dual-path functions, references and scopes
   against a check in every iteration. */
#include "bursty.inc"
#include <setjmp.h>

/* ---- loops and dual-path functions ---- */

static uint64_t form_random = 11;
static uint32_t *stream, stream_count;

static void note(uint32_t value) { stream[stream_count++] = value; }

/* Every loop twice, with BURST_FOR_LEAF and with a check per iteration; how names
   the way out. */
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
    BURST_FOR_LEAF(uint32_t, i, 0, n, {
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
        bursty_profile set = plain_profile(1 + (uint32_t)(test_random(&random) % 300),
                                           1 + (uint32_t)(test_random(&random) % 40));
        static uint64_t sink;
        set.jitter = (int)(test_random(&random) % 30) - 1;
        set.action = count_event;
        set.user = &sink;
        bursty_set_profile((int)p, &set);
    }
}

TEST(loops_have_the_stream_of_a_check_per_iteration) {
#if defined(__GNUC__) || defined(__clang__) || defined(__cplusplus)
    enum { WAYS_OUT = 4 };
#else
    /* No cleanup, no destructor: checks come back on break alone. */
    enum { WAYS_OUT = 1 };
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
        stream = a;
        stream_count = 0;
        for (k = 0; k < LOOPS; k++) result = 3 * result + naive_loop(n[k], stop[k], how[k]);
        a_count = stream_count;
        word = BURSTY_P_HERE.n;
        for (form = 0; form < 2; form++) {
            int again = 0;
            set_random_profiles(schedule + 1);
            stream = b;
            stream_count = 0;
            for (k = 0; k < LOOPS; k++)
                again = 3 * again + (form ? body_loop : strip_loop)(n[k], stop[k], how[k]);
            wrong += again != result || stream_count != a_count
                     || memcmp(a, b, a_count * sizeof *a) != 0;
            bursty_in_burst();
            /* between loops a strip may have reached an edge early by none: the
               word must agree, too */
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
    BURST_FOR_LEAF(uint8_t, c, 3, 255, { bytes += c; })
    BURST_FOR_LEAF(int64_t, w, INT64_C(-3), INT64_C(100000), { sum += (long)(w % 2); })
    BURST_FOR(size_t, outer, 0, 3, { BURST_FOR_LEAF(int, inner, 0, 4, { sum += (long)outer * inner; }) })
    BURST_FOR(short, none, 5, 5, { sum += none + 1000000; })
    CHECK_EQ(bytes, (3 + 254) * 252 / 2);
    CHECK_EQ(sum, -2 + 50000 + 18);                         /* -3 % 2 and -1 % 2 are -1 */
}

/* Leaving a strip early gives back the checks of the iterations that did not
   run, whatever the type of the variable: the guard reads it through a pointer,
   which a compiler may take for a pointer to something else. */
#if defined(__GNUC__) || defined(__clang__)
#define LEAVES_EARLY(name, type) \
    __attribute__((noinline)) static uint32_t name(type lo, type hi, type at) { \
        uint32_t n = 0; \
        BURST_FOR_LEAF(type, i, lo, hi, { \
            n++; \
            if (i == at) { return n; } \
        }) \
        return n; \
    }
LEAVES_EARLY(early_signed_char, signed char)
LEAVES_EARLY(early_short, short)
LEAVES_EARLY(early_int, int)
LEAVES_EARLY(early_unsigned, unsigned)
LEAVES_EARLY(early_long, long)
LEAVES_EARLY(early_unsigned_long, unsigned long)
LEAVES_EARLY(early_long_long, long long)
LEAVES_EARLY(early_unsigned_long_long, unsigned long long)
LEAVES_EARLY(early_uint32, uint32_t)
LEAVES_EARLY(early_uint64, uint64_t)

TEST(checks_come_back_for_every_type) {
    bursty_stats stats;
    uint64_t iterations;
    int i;
#define COUNTS(name) \
    start_with(NULL, 1); \
    for (i = 0, iterations = 0; i < 1000; i++) iterations += name(0, 50, 20); \
    bursty_get_stats(&stats); \
    CHECK_EQ(iterations, 21000); \
    CHECK_EQ(stats.checks, iterations)
    COUNTS(early_signed_char);
    COUNTS(early_short);
    COUNTS(early_int);
    COUNTS(early_unsigned);
    COUNTS(early_long);
    COUNTS(early_unsigned_long);
    COUNTS(early_long_long);
    COUNTS(early_unsigned_long_long);
    COUNTS(early_uint32);
    COUNTS(early_uint64);
}
#endif

static uint64_t calls_counted, events_in_f;
static BURST_DUAL(int, dual, (int depth, int width), (depth, width)) {
    int i, sum = 1;
    BURST_IF_RECORDING(events_in_f++);
    for (i = 0; i < width && depth > 0; i++) { sum += dual(depth - 1, width); }
    return sum;
}
static BURST_DUAL(void, dual_void, (int *x), (x)) {
    BURST_IF_RECORDING(events_in_f++);
    ++*x;
}
static BURST_DUAL(int, dual_none, (void), ()) {
    BURST_IF_RECORDING(events_in_f++);
    return 4;
}
static BURST_DUAL(void, dual_nothing, (void), ()) { BURST_IF_RECORDING(events_in_f++); }
static BURST_DUAL_LEAF(int, leaf, (int a), (a)) {
    BURST_IF_RECORDING(events_in_f++);
    return a + 1;
}
static BURST_DUAL_LEAF(void, leaf_void, (int *a), (a)) {
    BURST_IF_RECORDING(events_in_f++);
    ++*a;
}
static BURST_DUAL_LEAF(int, leaf_none, (void), ()) {
    BURST_IF_RECORDING(events_in_f++);
    return 9;
}
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
    for (i = 0; i < 99; i++) {
        dual_void(&x);
        CHECK_EQ(dual_none(), 4);
        dual_nothing();
    }
    bursty_get_stats(&stats);
    CHECK_EQ(x, 99);
    CHECK_EQ(stats.checks, 1023 + 3 * 99);
    CHECK_EQ(calls_counted, (1023 + 3 * 99) / 10);
    CHECK_EQ(events_in_f, (1023 + 3 * 99) / 10);
    calls_counted = events_in_f = 0;
    p.every = BURSTY_ALWAYS;
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
    for (i = 0; i < n; i++)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD | BURSTY_STORE, &a[i]);
            s += a[i];
            if (s < 0) break;
        })
    BURST_FOR_LEAF(int, j, 0, n, { BURST_REF(BURSTY_LOAD, &a[j]); s += a[j]; })
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
        CHECK(log.entry[i].value == (uintptr_t)&data[i]
              && log.entry[i].kind == (uint32_t)(BURSTY_LOAD | BURSTY_STORE));
        CHECK(log.entry[100 + i].value == (uintptr_t)&data[i]
              && log.entry[100 + i].kind == BURSTY_LOAD);
    }
    CHECK_STR(log.count ? log.entry[0].site->name : "", "&a[i]");
    free(log.entry);
}

/* ---- scopes, depth, stack ---- */

static jmp_buf scope_jump;
static void scope_leaf(int jump) {
    BURST_SCOPE("leaf");
    BURST_POINT(BURSTY_USER, "inside", 0);
    if (jump) longjmp(scope_jump, 1);
    BURST_LEAVE();
}
static int scope_mid(int jump) {
    BURST_SCOPE("mid");
    if (jump == 2) {
        BURST_LEAVE();
        return 1;
    }
    scope_leaf(jump);
    BURST_LEAVE();
    return 0;
}
static int scope_outer(int jump) {
    int result;
    BURST_SCOPE("outer");
    {
        uint32_t depth = bursty_depth();
        if (setjmp(scope_jump)) {
            bursty_set_depth(depth);
            BURST_LEAVE();
            return 7;
        }
    }
    result = scope_mid(jump);
    BURST_LEAVE();
    return result;
}

TEST(scopes_nest_and_survive_longjmp) {
    static const struct {
        const char *name;
        uint32_t kind, depth;
    } wanted[] = {{"outer", 1, 0}, {"mid", 1, 1},  {"leaf", 1, 2},    {"inside", 32, 3},
                  {"leaf", 2, 2},  {"mid", 2, 1},  {"outer", 2, 0},   {"outer", 1, 0},
                  {"mid", 1, 1},   {"leaf", 1, 2}, {"inside", 32, 3}, {"outer", 2, 0},
                  {"outer", 1, 0}, {"mid", 1, 1},  {"mid", 2, 1},     {"outer", 2, 0}};
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
    for (i = 0; i < e->depth && i < BURSTY_STACK && e->stack; i++)
        dive_depth_wrong += strcmp(e->stack[i]->name, "dive") != 0;
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
    n = hottest(rows, 8, 1);
    for (i = 0; i < n; i++) deep |= strcmp(rows[i].caller->name, "(deep)") == 0;
    CHECK(deep);
}

/* Checks of iterations that did not run are given back, whatever the type of i. */
TEST(short_types_below_zero_give_back_what_did_not_run) {
    bursty_profile p = plain_profile(1000, 10);
    bursty_stats stats;
    int sum = 0;
    start_with(&p, 0);
    BURST_FOR_LEAF(signed char, i, -100, 20, {
        sum += i;
        if (i == -50) break;
    })
    BURST_FOR_LEAF(short, i, -300, 20, {
        sum += i;
        if (i == -281) break;
    })
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 51 + 20);
    CHECK_EQ(sum, -51 * 75 - 10 * 581);
}
