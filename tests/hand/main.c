/* main.c - the events that bursty.h's macros record, against a model.

   PROGRAMS is a file that programs.awk wrote. It is compiled twice: with the
   macros of bursty.h, and with those of the model, which are Figures 2 and 3 of
   "Bursty Tracing" and know nothing of bursty.h: a check says in which copy the
   code goes on, and an event is recorded in the instrumented copy. Each pair of
   nCheck0 and nInstr0 must give the same events in the same order, alone and
   beside a second profile with another pair; and as many, where no action but
   the hot table gets them. Checks are counted as in the model, too. */
#include "bursty.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 1 << 20, ROUNDS = 100, BY_HAND = 1 << 30, SECOND = 1 << 29 };
typedef struct stream {
    uint32_t count, by_hand;
    uint32_t event[EVENTS];
} stream;
static stream seen, wanted;
static char place[100000];
static uint32_t cells[64];
static int fuel;

static void note(stream *s, uint32_t event) {
    if (event & (uint32_t)BY_HAND) s->by_hand++;
    if (s->count < EVENTS) s->event[s->count] = event;
    s->count++;
}

/* ---- the model ---- */

typedef struct model {
    int64_t check_count0, instr_count0, check_count, instr_count;
    int instrumented;
} model;
static uint64_t checks;
static model models[2]; /* one for each profile; a profile that is off has instr_count0 0 */

static void model_step(model *m) { /* Figure 3 */
    m->instrumented = 0;
    if (--m->check_count != 0) return;
    m->check_count = 1;
    if (m->instr_count == 0) {
        m->instr_count = m->instr_count0;
        m->instrumented = 1;
    } else if (--m->instr_count != 0) {
        m->instrumented = 1;
    } else m->check_count = m->check_count0;
}
static int instrumented(void) { return models[0].instrumented | models[1].instrumented; }
static int model_check(void) {
    checks++;
    model_step(&models[0]);
    if (models[1].instr_count0) model_step(&models[1]);
    return instrumented();
}
static void model_event(uint32_t kind, uint32_t n) {
    if (models[0].instrumented) note(&wanted, kind << 20 | n);
    if (models[1].instrumented) note(&wanted, (uint32_t)SECOND | kind << 20 | n);
}
static void model_checked_event(uint32_t kind, uint32_t n) {
    (void)model_check();
    model_event(kind, n);
}

#define F(n) model_##n
#define DECLARE(n) static int model_##n(int d, int x);
#define BODY_OF(n, before, after) \
    static int model_body_##n(int d, int x); \
    static int model_##n(int d, int x) { before; x = model_body_##n(d, x); after; return x; } \
    static int model_body_##n(int d, int x)
#define DUAL(n) BODY_OF(n, model_checked_event(BURSTY_CALL, n), )
#define ENTERED(n) BODY_OF(n, model_checked_event(BURSTY_CALL, n), )
#define SCOPED(n) BODY_OF(n, model_checked_event(BURSTY_CALL, n), model_event(BURSTY_RETURN, n))
#define CHECKING(n) BODY_OF(n, (void)model_check(), )
#define PLAIN(n) static int model_##n(int d, int x)
#define LEAF(n) static int model_##n(int d, int x)
#define BEGINS_DUAL(n)
#define BEGINS_ENTERED(n)
#define BEGINS_SCOPED(n)
#define BEGINS_CHECKING(n)
#define BEGINS_PLAIN(n)
#define BEGINS_LEAF(n)
#define REF(id) model_event(BURSTY_LOAD, id);
#define SOME(id) if (instrumented()) note(&wanted, BY_HAND | id);
#define POINT(id) model_checked_event(BURSTY_USER, id);
#define LOOKS()
#define CHECK() model_check()
#define CHECKED() (void)model_check();
#define LOOP(n) model_checked_event(BURSTY_BACKEDGE, n);
#define BODY(...) { (void)model_check(); __VA_ARGS__ }
#define FOR(i, lo, hi, ...) { int i; for (i = lo; i < hi; i++) BODY(__VA_ARGS__) }
#define FOR_LEAF(i, lo, hi, ...) FOR(i, lo, hi, __VA_ARGS__)
#define CALL(n, d, x) model_##n(d, x)
#define SAME(n, d, x) model_##n(d, x)
#define START static int model_start(int d, int x)
#include PROGRAMS

/* ---- the macros of bursty.h ---- */

#undef DECLARE
#undef DUAL
#undef ENTERED
#undef SCOPED
#undef CHECKING
#undef PLAIN
#undef LEAF
#undef BEGINS_ENTERED
#undef BEGINS_SCOPED
#undef BEGINS_CHECKING
#undef REF
#undef SOME
#undef POINT
#undef LOOKS
#undef CHECK
#undef CHECKED
#undef LOOP
#undef BODY
#undef FOR
#undef FOR_LEAF
#undef CALL
#undef SAME
#undef START
/* A question, or a change of another profile: the schedule goes on as it was. */
static void looks(int x) {
    bursty_stats now;
    bursty_profile off;
    memset(&off, 0, sizeof off);
    off.off = 1;
    if (x & 1) bursty_get_stats(&now);
    else bursty_set_profile(2, &off);
}
#define DECLARE(n) static int on_##n(int d, int x);
#define DUAL(n) static BURST_DUAL(int, on_##n, (int d, int x), (d, x))
#define LEAF(n) static BURST_DUAL_LEAF(int, on_##n, (int d, int x), (d, x))
#define ENTERED(n) static int on_##n(int d, int x)
#define SCOPED(n) static int on_##n(int d, int x)
#define CHECKING(n) static int on_##n(int d, int x)
#define PLAIN(n) static int on_##n(int d, int x)
#define BEGINS_ENTERED(n) BURST_ENTRY();
#define BEGINS_SCOPED(n) BURST_SCOPE("on_" #n);
#define BEGINS_CHECKING(n) BURST_CHECK();
#define REF(id) BURST_REF(BURSTY_LOAD, &place[id]);
#define SOME(id) BURST_IF_RECORDING(note(&seen, BY_HAND | id));
#define POINT(id) BURST_POINT(BURSTY_USER, "point", (uintptr_t)&place[id]);
#define LOOKS() looks(x);
#define CHECK() BURST_CHECK()
#define CHECKED() BURST_CHECK();
#define LOOP(n) BURST_LOOP();
#define BODY(...) BURST_BODY(__VA_ARGS__)
#define FOR(i, lo, hi, ...) BURST_FOR(int, i, lo, hi, __VA_ARGS__)
#define FOR_LEAF(i, lo, hi, ...) BURST_FOR_LEAF(int, i, lo, hi, __VA_ARGS__)
#define CALL(n, d, x) on_##n(d, x)
#define SAME(n, d, x) BURST_SAME(on_##n, (d, x))
#define START static int on_start(int d, int x)
#include PROGRAMS

/* ---- the comparison ---- */

static void action(void *user, const bursty_event *e) {
    const char *digits = strrchr(e->site->name, '_');
    uint32_t n = digits ? (uint32_t)atoi(digits + 1) : 0;
    if (e->kind & ((uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_USER)) {
        n = (uint32_t)(e->value - (uintptr_t)place);
    }
    note(&seen, (user ? (uint32_t)SECOND : 0) | (e->kind & (uint32_t)BURSTY_ANY) << 20 | n);
}

static uint32_t run(int (*first)(int, int), stream *s) {
    uint32_t sum = 0;
    int round;
    memset(cells, 0, sizeof cells);
    s->count = s->by_hand = 0;
    for (round = 0; round < ROUNDS; round++) {
        fuel = 300;
        sum = 31 * sum + (uint32_t)first(7, round);
    }
    return sum;
}

static void setting(bursty_profile *profile, model *m, const uint32_t *every_burst) {
    memset(profile, 0, sizeof *profile);
    profile->every = every_burst[0];
    profile->burst = every_burst[1];
    profile->jitter = -1;
    m->check_count0 = m->check_count = every_burst[0];
    m->instr_count0 = every_burst[1];
}

int main(void) {
    static const uint32_t settings[][2] = {
        { 1, 1 }, { 2, 1 }, { 1, 2 }, { 3, 7 }, { 10, 10 }, { 97, 5 }, { 50, 200 }, { 1000, 30 },
        { 1000, 50 }, { 5000, 50 }, { 300, 1 }, { 13, 1 }, { 64, 64 }, { 100000, 10 }
    };
    size_t i, k, bad = 0, events = 0, sets = sizeof settings / sizeof *settings;
    for (i = 0; i < 3 * sets; i++) {
        bursty_config config;
        bursty_profile second;
        bursty_stats stats;
        uint32_t model_sum, sum, differ = 0;
        memset(&config, 0, sizeof config);
        memset(models, 0, sizeof models);
        config.tick_hz = -1;
        setting(&config.profile, &models[0], settings[i % sets]);
        if (i < 2 * sets) config.profile.action = action;
        setting(&second, &models[1], settings[(i + 5) % sets]);
        second.action = action;
        second.user = &second;
        if (i < sets || i >= 2 * sets) memset(&models[1], 0, sizeof models[1]);
        checks = 0;
        model_sum = run(model_start, &wanted);
        if (bursty_start(&config) == 0) return 2;
        if (i >= sets && i < 2 * sets && bursty_set_profile(1, &second) != 0) return 2;
        sum = run(on_start, &seen);
        bursty_get_stats(&stats);
        if (i >= 2 * sets) {
            differ = stats.events != wanted.count - wanted.by_hand;
        } else {
            for (k = 0; k < wanted.count && k < seen.count && k < EVENTS; k++) {
                if (wanted.event[k] != seen.event[k]) break;
            }
            differ = seen.count != wanted.count || k < wanted.count;
            events += wanted.count;
        }
        if (stats.checks != checks) differ = 1;
        if (sum != model_sum || differ || wanted.count > EVENTS) {
            bad++;
            fprintf(stderr, "%u:%u%s: %lu checks for %lu, %u events, %u wanted%s%s\n",
                    (unsigned)config.profile.every, (unsigned)config.profile.burst, i < sets || i >= 2 * sets ? "" : " and another",
                    (unsigned long)stats.checks, (unsigned long)checks, (unsigned)(i < 2 * sets ? seen.count : stats.events),
                    (unsigned)wanted.count, i < 2 * sets ? "" : " with those by hand",
                    sum == model_sum ? "" : ", another result");
        }
    }
    printf("%lu events, %lu of %lu settings wrong\n", (unsigned long)events, (unsigned long)bad,
           (unsigned long)(3 * sets));
    return bad != 0;
}
