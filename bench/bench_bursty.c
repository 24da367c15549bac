/* bench_bursty.c - what each form of bursty.h costs, in-process: rivals of a
   group run in turn, several rounds. Prints

       time   group  rival  nanoseconds of one operation, one number per round
       value  name   number                                  results that are not times

   separated by tabs; bench/micro.py makes figures of them and takes the time of
   a rival called "empty" off the others'. Compiled as it is, with BURSTY_POLL,
   with BURSTY_OFF, and by other compilers with BENCH_BARE and their own ways of
   looking put in: then only plain rivals remain. argv[1] is the number of
   rounds, argv[2] scales the work, in percent. */
#define _POSIX_C_SOURCE 200809L
#ifndef BENCH_BARE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#endif
#include "race.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define ALONE __attribute__((noinline))
#else
#define ALONE                                                                                      \
    __attribute__((                                                                                \
        noinline, noipa)) /* a pure function would be moved out of the loop that times it */
#endif
#define LENGTH 4096 /* elements of the loops' arrays: 16 KiB, in the first-level cache */

static int rounds = 7, scale = 100;
static volatile uint64_t sink;
static uint32_t data[LENGTH], same[LENGTH];

static uint64_t times(uint64_t n) {
    return n * (uint64_t)scale / 100 ? n * (uint64_t)scale / 100 : 1;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* ---- fib: nothing but calls ---- */

#define FIB_OF 27u
static uint64_t fib_calls(uint32_t n) {
    return n < 2 ? 1 : 1 + fib_calls(n - 1) + fib_calls(n - 2);
}
static uint64_t fib_count;

ALONE static uint32_t fib_plain(uint32_t n) {
    return n < 2 ? n : fib_plain(n - 1) + fib_plain(n - 2);
}
static uint64_t run_fib_plain(void) {
    sink += fib_plain(FIB_OF);
    return fib_count;
}

/* ---- three loops ---- */

ALONE static uint32_t sum_plain(const uint32_t *a, int n) {
    uint32_t s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
ALONE static uint32_t hash_plain(const uint32_t *a, int n) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; i++) h = (h ^ a[i]) * 16777619u;
    return h;
}
ALONE static int compare_plain(const uint32_t *a, const uint32_t *b, int n) {
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) return i;
    return n;
}

/* Compilers must not see which array it is and how long: some would compile the
   plain loop for exactly that. */
static const uint32_t *left = data, *right = same;
static int length = LENGTH;
#define HIDE() __asm__ volatile("" : "+m"(left), "+m"(right), "+m"(length))

#define LOOP_RUNS(suffix)                                                                          \
    static uint64_t run_sum_##suffix(void) {                                                       \
        uint64_t n = times(4000);                                                                  \
        for (uint64_t k = 0; k < n; k++) {                                                         \
            HIDE();                                                                                \
            sink += sum_##suffix(left, length);                                                    \
        }                                                                                          \
        return n * LENGTH;                                                                         \
    }                                                                                              \
    static uint64_t run_hash_##suffix(void) {                                                      \
        uint64_t n = times(1000);                                                                  \
        for (uint64_t k = 0; k < n; k++) {                                                         \
            HIDE();                                                                                \
            sink += hash_##suffix(left, length);                                                   \
        }                                                                                          \
        return n * LENGTH;                                                                         \
    }                                                                                              \
    static uint64_t run_compare_##suffix(void) {                                                   \
        uint64_t n = times(3000);                                                                  \
        for (uint64_t k = 0; k < n; k++) {                                                         \
            HIDE();                                                                                \
            sink += (uint64_t)compare_##suffix(left, right, length);                               \
        }                                                                                          \
        return n * LENGTH;                                                                         \
    }
LOOP_RUNS(plain)

#ifndef BENCH_BARE

static uint64_t seen;
static void see(void *user, const bursty_event *event) {
    (void)user;
    seen += event->value + 1;
}

/* Profile 0 as given; every 0: started, but switched off. */
static void sample(uint32_t every, uint32_t burst, bursty_action action) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.profile.every = every;
    config.profile.burst = burst;
    config.profile.action = action;
    config.profile.off = every == 0;
    bursty_start(&config);
}

ALONE static uint32_t fib_here(uint32_t n) {
    BURST_ENTRY();
    return n < 2 ? n : fib_here(n - 1) + fib_here(n - 2);
}
/* The check below the exit that half of the calls take. */
ALONE static uint32_t fib_below(uint32_t n) {
    if (n < 2) return n;
    BURST_ENTRY();
    return fib_below(n - 1) + fib_below(n - 2);
}
ALONE static uint32_t fib_scope(uint32_t n) {
    BURST_SCOPE("fib");
    return n < 2 ? n : fib_scope(n - 1) + fib_scope(n - 2);
}
ALONE static uint32_t fib_check(uint32_t n) {
    if (BURST_CHECK()) {
        seen++;
    }
    return n < 2 ? n : fib_check(n - 1) + fib_check(n - 2);
}
ALONE static BURST_DUAL(uint32_t, fib_fn, (uint32_t n), (n)) {
    return n < 2 ? n : fib_fn(n - 1) + fib_fn(n - 2);
}
static uint64_t run_fib_here(void) {
    sink += fib_here(FIB_OF);
    return fib_count;
}
static uint64_t run_fib_below(void) {
    sink += fib_below(FIB_OF);
    return fib_count;
}
static uint64_t run_fib_scope(void) {
    sink += fib_scope(FIB_OF);
    return fib_count;
}
static uint64_t run_fib_check(void) {
    sink += fib_check(FIB_OF);
    return fib_count;
}
static uint64_t run_fib_fn(void) {
    sink += fib_fn(FIB_OF);
    return fib_count;
}

ALONE static uint32_t sum_loop(const uint32_t *a, int n) {
    uint32_t s = 0;
    for (int i = 0; i < n; i++) {
        BURST_LOOP();
        s += a[i];
    }
    return s;
}
ALONE static uint32_t hash_loop(const uint32_t *a, int n) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; i++) {
        BURST_LOOP();
        h = (h ^ a[i]) * 16777619u;
    }
    return h;
}
ALONE static int compare_loop(const uint32_t *a, const uint32_t *b, int n) {
    for (int i = 0; i < n; i++) {
        BURST_LOOP();
        if (a[i] != b[i]) return i;
    }
    return n;
}
ALONE static uint32_t sum_body(const uint32_t *a, int n) {
    uint32_t s = 0;
    for (int i = 0; i < n; i++)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD, &a[i]);
            s += a[i];
        })
    return s;
}
ALONE static uint32_t hash_body(const uint32_t *a, int n) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; i++)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD, &a[i]);
            h = (h ^ a[i]) * 16777619u;
        })
    return h;
}
ALONE static int compare_body(const uint32_t *a, const uint32_t *b, int n) {
    for (int i = 0; i < n; i++)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD, &a[i]);
            if (a[i] != b[i]) return i;
        })
    return n;
}
ALONE static uint32_t sum_for(const uint32_t *a, int n) {
    uint32_t s = 0;
    BURST_FOR_LEAF(int, i, 0, n, {
        BURST_REF(BURSTY_LOAD, &a[i]);
        s += a[i];
    })
    return s;
}
ALONE static uint32_t hash_for(const uint32_t *a, int n) {
    uint32_t h = 2166136261u;
    BURST_FOR_LEAF(int, i, 0, n, {
        BURST_REF(BURSTY_LOAD, &a[i]);
        h = (h ^ a[i]) * 16777619u;
    })
    return h;
}
ALONE static int compare_for(const uint32_t *a, const uint32_t *b, int n) {
    BURST_FOR_LEAF(int, i, 0, n, {
        BURST_REF(BURSTY_LOAD, &a[i]);
        if (a[i] != b[i]) return i;
    })
    return n;
}
LOOP_RUNS(loop)
LOOP_RUNS(body)
LOOP_RUNS(for)

/* ---- each form on its own: a call that does next to nothing, in a chain of calls ---- */

ALONE static uint32_t leaf_plain(uint32_t x) { return x * 3 + 1; }
ALONE static uint32_t leaf_check(uint32_t x) {
    if (BURST_CHECK()) {
        seen++;
    }
    return x * 3 + 1;
}
ALONE static uint32_t leaf_point(uint32_t x) {
    BURST_POINT(BURSTY_USER, "leaf", x);
    return x * 3 + 1;
}
ALONE static uint32_t leaf_scope(uint32_t x) {
    BURST_SCOPE("leaf");
    return x * 3 + 1;
}
ALONE static BURST_DUAL(uint32_t, leaf_fn, (uint32_t x), (x)) {
    BURST_REF(BURSTY_LOAD, &sink);
    return x * 3 + 1;
}
ALONE static BURST_DUAL_LEAF(uint32_t, leaf_sub, (uint32_t x), (x)) {
    BURST_REF(BURSTY_LOAD, &sink);
    return x * 3 + 1;
}

#define CALL_RUN(name, call)                                                                       \
    static uint64_t run_leaf_##name(void) {                                                        \
        uint64_t n = times(8000000);                                                               \
        uint32_t x = 1;                                                                            \
        for (uint64_t k = 0; k < n; k++) {                                                         \
            call;                                                                                  \
        }                                                                                          \
        sink += x;                                                                                 \
        return n;                                                                                  \
    }
CALL_RUN(empty, __asm__ volatile("" : "+r"(x)))
CALL_RUN(plain, x = leaf_plain(x))
CALL_RUN(check, x = leaf_check(x))
CALL_RUN(point, x = leaf_point(x))
CALL_RUN(scope, x = leaf_scope(x))
CALL_RUN(fn, x = leaf_fn(x))
CALL_RUN(sub, x = BURST_SAME(leaf_sub, (x)))
CALL_RUN(event, x = leaf_plain(x); BURST_IF_RECORDING(seen++))

/* ---- profiles at once ---- */

#if !defined(BURSTY_POLL) && !defined(BURSTY_OFF)
static uint64_t run_points(void) {
    uint64_t n = times(20000000);
    for (uint64_t k = 0; k < n; k++) {
        BURST_POINT(BURSTY_USER, "point", k);
    }
    return n;
}

static void with_profiles(int count, uint32_t every, uint32_t burst) {
    sample(every, burst, see);
    for (int p = 1; p < count; p++) {
        bursty_profile profile;
        memset(&profile, 0, sizeof profile);
        profile.every = every + (uint32_t)p * 97; /* no two in step */
        profile.burst = burst;
        profile.action = see;
        bursty_set_profile(p, &profile);
    }
}

static uint64_t run_profiles_1(void) {
    with_profiles(1, 1000000, 1);
    return run_points();
}
static uint64_t run_profiles_2(void) {
    with_profiles(2, 1000000, 1);
    return run_points();
}
static uint64_t run_profiles_3(void) {
    with_profiles(3, 1000000, 1);
    return run_points();
}
static uint64_t run_profiles_5(void) {
    with_profiles(5, 1000000, 1);
    return run_points();
}
static uint64_t run_profiles_8(void) {
    with_profiles(8, 1000000, 1);
    return run_points();
}
static uint64_t run_rate_off(void) {
    sample(0, 0, NULL);
    return run_points();
}
static uint64_t run_rate_001(void) {
    sample(99990, 10, NULL);
    return run_points();
}
static uint64_t run_rate_01(void) {
    sample(9990, 10, NULL);
    return run_points();
}
static uint64_t run_rate_1(void) {
    sample(990, 10, NULL);
    return run_points();
}
static uint64_t run_rate_1_burst_1(void) {
    sample(99, 1, NULL);
    return run_points();
}
static uint64_t run_rate_1_see(void) {
    sample(990, 10, see);
    return run_points();
}
static uint64_t run_rate_8_profiles(void) {
    with_profiles(8, 990, 10);
    return run_points();
}

/* What one recorded event costs: always in a burst. */
static uint64_t always(bursty_action action, int how) {
    uint64_t n = times(1000000);
    sample(BURSTY_ALWAYS, 1, action);
    (void)BURST_CHECK(); /* the thread joins */
    if (how == 0)
        for (uint64_t k = 0; k < n; k++) {
            BURST_POINT(BURSTY_USER, "point", k);
        }
    if (how == 1)
        for (uint64_t k = 0; k < n; k++) {
            BURST_REF(BURSTY_LOAD, &sink);
        }
    if (how == 2)
        for (uint64_t k = 0; k < n; k++) {
            BURST_SCOPE("scope");
        }
    return n;
}
static uint64_t run_always_see(void) { return always(see, 0); }
static uint64_t run_always_table(void) { return always(NULL, 0); }
static uint64_t run_always_load(void) { return always(see, 1); }
static uint64_t run_always_scope(void) { return always(NULL, 2); }

/* ---- jitter against a periodic program: 200 sites in a ring, 1 of 100 checks recorded ---- */

#define RING 200
static uint64_t ring_seen[RING];
static void see_ring(void *user, const bursty_event *event) {
    (void)user;
    ring_seen[event->value]++;
}

static double ring_overlap(int32_t jitter) {
    bursty_config config;
    uint64_t n = 20000000, total = 0;
    double overlap = 0;
    memset(&config, 0, sizeof config);
    memset(ring_seen, 0, sizeof ring_seen);
    config.profile.every = 99;
    config.profile.burst = 1;
    config.profile.jitter = jitter;
    config.profile.action = see_ring;
    bursty_start(&config);
    for (uint64_t k = 0, at = 0; k < n; k++) {
        BURST_POINT(BURSTY_USER, "ring", at);
        at = at + 1 == RING ? 0 : at + 1;
    }
    for (int i = 0; i < RING; i++) total += ring_seen[i];
    for (int i = 0; i < RING; i++) {
        double share = (double)ring_seen[i] / (double)total;
        overlap += share < 1.0 / RING ? share : 1.0 / RING;
    }
    return overlap;
}

/* ---- threads: time per check while others check too, and every check counted ---- */

static void *check_thread(void *ns) {
    double start = race_now_ns();
    uint64_t n = run_points();
    *(double *)ns = (race_now_ns() - start) / (double)n;
    return NULL;
}

static void race_threads(void) {
    for (int count = 1; count <= 4; count *= 2) {
        double ns[RACE_ROUNDS];
        char name[32];
        uint64_t missing = 0;
        for (int r = 0; r < rounds; r++) {
            double each[4];
            pthread_t thread[4];
            bursty_stats stats;
            sample(990, 10, NULL);
            for (int i = 0; i < count; i++)
                pthread_create(&thread[i], NULL, check_thread, &each[i]);
            for (int i = 0; i < count; i++) pthread_join(thread[i], NULL);
            ns[r] = 0;
            for (int i = 0; i < count; i++) ns[r] += each[i] / count;
            bursty_get_stats(&stats);
            missing += times(20000000) * (uint64_t)count - stats.checks;
        }
        snprintf(name, sizeof name, "%d thread%s", count, count > 1 ? "s" : "");
        race_print("threads", name, ns, rounds);
        printf("value\tchecks not counted, %s\t%llu\n", name, (unsigned long long)missing);
    }
}
#endif
#endif

#ifndef BENCH_BARE
/* Every form computes what the plain one does, sampled or not. */
static int same_results(void) {
    for (int rate = 0; rate < 3; rate++) {
        uint32_t f = fib_plain(20), a = sum_plain(left, length), h = hash_plain(left, length);
        int c = compare_plain(left, right, length);
        sample(rate == 0 ? 0 : rate == 1 ? 97 : 7, 3, see);
        if (fib_check(20) != f || fib_here(20) != f || fib_fn(20) != f || fib_scope(20) != f ||
            fib_below(20) != f)
            return 0;
        if (sum_loop(left, length) != a || sum_body(left, length) != a ||
            sum_for(left, length) != a)
            return 0;
        if (hash_loop(left, length) != h || hash_body(left, length) != h ||
            hash_for(left, length) != h)
            return 0;
        if (compare_loop(left, right, length) != c || compare_body(left, right, length) != c ||
            compare_for(left, right, length) != c)
            return 0;
    }
    return 1;
}
#endif

#define RACE(group, ...)                                                                           \
    do {                                                                                           \
        const race_rival rivals[] = { __VA_ARGS__ };                                               \
        race(group, rivals, COUNT(rivals), rounds);                                                \
    } while (0)

int main(int argc, char **argv) {
    if (argc > 1) rounds = atoi(argv[1]) < RACE_ROUNDS ? atoi(argv[1]) : RACE_ROUNDS;
    if (argc > 2) scale = atoi(argv[2]);
    for (int i = 0; i < LENGTH; i++) data[i] = same[i] = (uint32_t)i * 2654435761u;
    fib_count = fib_calls(FIB_OF);
#ifdef BENCH_BARE
    RACE("fib", { "plain", run_fib_plain });
    RACE("sum", { "plain", run_sum_plain });
    RACE("hash", { "plain", run_hash_plain });
    RACE("compare", { "plain", run_compare_plain });
#else
    if (!same_results())
        return fprintf(stderr, "bench_bursty: a form computes something else\n"), 1;
    sample(0, 0, NULL);
    RACE("fib", { "plain", run_fib_plain }, { "BURST_CHECK", run_fib_check },
        { "BURST_ENTRY", run_fib_here }, { "BURST_ENTRY below the exit", run_fib_below },
        { "BURST_DUAL", run_fib_fn },
        { "BURST_SCOPE", run_fib_scope });
    RACE("sum", { "plain", run_sum_plain }, { "BURST_LOOP", run_sum_loop },
        { "BURST_BODY", run_sum_body }, { "BURST_FOR_LEAF", run_sum_for });
    RACE("hash", { "plain", run_hash_plain }, { "BURST_LOOP", run_hash_loop },
        { "BURST_BODY", run_hash_body }, { "BURST_FOR_LEAF", run_hash_for });
    RACE("compare", { "plain", run_compare_plain }, { "BURST_LOOP", run_compare_loop },
        { "BURST_BODY", run_compare_body }, { "BURST_FOR_LEAF", run_compare_for });
    RACE("leaf call", { "empty", run_leaf_empty }, { "plain", run_leaf_plain },
        { "BURST_CHECK", run_leaf_check }, { "BURST_POINT", run_leaf_point },
        { "BURST_DUAL", run_leaf_fn }, { "BURST_DUAL_LEAF, BURST_SAME", run_leaf_sub },
        { "BURST_IF_RECORDING", run_leaf_event }, { "BURST_SCOPE", run_leaf_scope });
#if !defined(BURSTY_POLL) && !defined(BURSTY_OFF)
    RACE("profiles at 1000000 : 1", { "1 profile", run_profiles_1 },
        { "2 profiles", run_profiles_2 }, { "3 profiles", run_profiles_3 },
        { "5 profiles", run_profiles_5 }, { "8 profiles", run_profiles_8 });
    RACE("point in an empty loop", { "off", run_rate_off }, { "99990 : 10", run_rate_001 },
        { "9990 : 10", run_rate_01 }, { "990 : 10", run_rate_1 },
        { "990 : 10, callback", run_rate_1_see }, { "99 : 1", run_rate_1_burst_1 },
        { "8 profiles of about 990 : 10", run_rate_8_profiles });
    RACE("recorded event", { "point, callback", run_always_see },
        { "point, hot table", run_always_table }, { "load, callback", run_always_load },
        { "scope, hot table", run_always_scope });
    printf("value\toverlap, period 200 at 99 : 1, no jitter\t%.4f\n", ring_overlap(-1));
    printf("value\toverlap, period 200 at 99 : 1, jitter 12 %%\t%.4f\n", ring_overlap(0));
    race_threads();
#endif
#endif
    return 0;
}
