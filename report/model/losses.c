/* losses.c - what is missing in a report, because the recording did not see it.
   All kinds of loss stand here: each kind of part has one function, which calls
   report_add_loss once for each kind of loss. report_make asks them all before
   any table is made, so that a table knows what its totals miss; text, page and
   JSON show the losses before the first number. */
#include "base/tool.h"
#include "report/kinds/contexts.h"
#include "report/kinds/ends.h"
#include "report/kinds/frames.h"
#include "report/kinds/layout.h"
#include "report/kinds/misses.h"
#include "report/kinds/samples.h"
#include "report/kinds/sharing.h"
#include "report/kinds/sampled.h"
#include "report/kinds/streams.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double part_of(uint64_t lost, uint64_t kept) {
    return lost ? (double)lost / ((double)lost + (double)kept) : 0;
}

/* Where the total has what was lost in it. */
static double part_in(uint64_t lost, uint64_t total) {
    return part_of(lost, lost < total ? total - lost : 0);
}

/* ---- kind 1: events and ticks ------------------------------------------------------ */

typedef struct tick_sums {
    /* of the program, of the recorder; of the former without scope */
    uint64_t ticks, own, outside;
    /* of the former in stacks that were cut off further out */
    uint64_t beyond;
    uint64_t lost, late, behind, untimed, astray, cpu_us, seen_us;
    /* of seen_us: looks at random moments vary in number */
    double noise_us;
    int is_random;
} tick_sums;

static int is_called(const sampled_site *site, const char *name) {
    return !*site->file && strcmp(site->name, name) == 0;
}

/* CPU time of the process while it ticked. bursty.h writes it into record 11, `bursty
   record` into record 14, with the kernel's. A watcher looks by wall time: 0. */
static uint64_t cpu_of(const sampled_program *p) {
    if (p->rounds) return 0;
    return p->cpu_us ? p->cpu_us : p->kernel_cpu_us;
}

static tick_sums add_ticks(const tally *s) {
    tick_sums sums;
    uint8_t *beyond = (uint8_t *)tool_alloc(s->paths.count + 1);
    size_t i;
    memset(&sums, 0, sizeof sums);
    for (i = 0; i < s->programs.count; i++) {
        const sampled_program *p = &s->programs.at[i];
        sums.lost = sampled_add(sums.lost, p->ticks_lost);
        sums.late = sampled_add(sums.late, p->ticks_late);
        sums.behind = sampled_add(sums.behind, p->ticks_behind);
        sums.untimed = sampled_add(sums.untimed, p->untimed);
        sums.astray = sampled_add(sums.astray, p->ticks_astray);
        sums.is_random |= (p->tick_ways & TICKS_AT_RANDOM) != 0;
        if (!p->tick_us || !cpu_of(p)) continue;
        sums.cpu_us = sampled_add(sums.cpu_us, cpu_of(p));
        sums.seen_us = sampled_add(
            sums.seen_us, tool_product(sampled_add(sampled_add(p->ticks_lost, p->ticks_late),
                                                 p->looks_late), p->tick_us));
    }
    for (i = 0; i < s->paths.count; i++) {
        const sampled_path *path = &s->paths.at[i];
        const sampled_site *site = &s->sites.at[path->site];
        const sampled_program *p = &s->programs.at[s->threads.at[path->thread].program];
        int is_own = is_called(site, "(recorder)");
        uint64_t *sum = is_own ? &sums.own : &sums.ticks;
        *sum = sampled_add(*sum, path->ticks);
        beyond[i] = path->parent == TALLY_NO_PATH ? (uint8_t)is_called(site, SAMPLED_BEYOND_NAME)
                                                  : beyond[path->parent];
        if (beyond[i]) sums.beyond = sampled_add(sums.beyond, path->ticks);
        if (is_called(site, "(outside)")) sums.outside = sampled_add(sums.outside, path->ticks);
        if (!p->tick_us || !cpu_of(p)) continue;
        sums.seen_us = sampled_add(sums.seen_us, tool_product(path->ticks, p->tick_us));
        if (p->tick_ways & TICKS_AT_RANDOM)
            sums.noise_us += (double)path->squares * (double)p->tick_us * (double)p->tick_us;
    }
    /* four standard deviations: once in 30 000 runs */
    sums.noise_us = 4 * sqrt(sums.noise_us);
    free(beyond);
    return sums;
}

/* What a watcher did not see. */
static void add_looks(report *r, const tally *s) {
    uint64_t late = 0, looks = 0, cut = 0, unwatched = 0;
    double part;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        const sampled_program *p = &s->programs.at[i];
        late = sampled_add(late, p->looks_late);
        looks = sampled_add(looks, p->looks);
        cut = sampled_add(cut, p->looks_cut);
        unwatched = sampled_add(unwatched, p->unwatched);
    }
    part = part_of(late, looks);
    if (unwatched)
        report_add_loss(r, 0, "threads that were not watched", unwatched, REPORT_NONE,
                        "They never passed a scope or a check, and no share has their "
                        "time or their waiting in it. One BURST_ENTRY in each helps.");
    if (late)
        report_add_loss(r, part > .05 ? REPORT_OF_TIME : 0, "looks that came late", late, part,
                        "They are left out: the thread that looks got no processor in "
                        "time.");
    if (cut)
        report_add_loss(r, 0, "looks charged further out", cut, part_in(cut, looks),
                        "The inner scopes changed too fast to be read together.");
}

/* Why nothing ticks, by the numbers BURSTY_NO_TIME_... of bursty.h. 1 was asked
   for: no loss. */
static void add_no_time(report *r, const tally *s) {
    static const char *const why[] = {
        NULL,
        NULL,
        "There are no timers of the kind it needs on this system, and no thread that "
        "looks.",
        "Strict modes such as -std=c99 hide the timers: compile the file of the "
        "implementation with -std=gnu99 or the like, or define _GNU_SOURCE at its top.",
        "In a shared object nothing ticks unless it is asked for.",
        "The program uses all real-time signals.",
        "The system refused the first timer.",
        "There was too little memory for it: give more memory_bytes.",
        "The system refused a thread that looks at the others.",
    };
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        uint32_t number = s->programs.at[i].no_time;
        if (number < 2) continue;
        report_add_loss(r, REPORT_OF_TIME, "time was not measured", 0, REPORT_NONE,
                        number < sizeof why / sizeof *why ? why[number]
                                                          : "This tool does not know "
                                                            "why.");
        return;
    }
}

/* Code in two copies (docs/cc.md): what has no check is seen only after a check. */
static void add_second_copies(report *r, const tally *s) {
    uint64_t alone = 0;
    size_t i;
    for (i = 0; i < s->sites.count; i++) alone += (s->sites.at[i].kind & SITE_SECOND_COPY) != 0;
    if (alone)
        report_add_loss(r, REPORT_OF_COUNTS, "functions and loops seen behind a check alone", alone,
                        REPORT_NONE,
                        "Not counted is what runs with no check around it, as in main; "
                        "what an outside function calls, as qsort does; and what a "
                        "function of one copy calls, which bursty cc --list names. "
                        "--entries=all gives all of them a check.");
}

/* How many periods of n threads may be unseen by chance. A thread's first tick comes at
   a random moment of a period, so what is left of its last one is random, too. Its
   standard deviation is half a period at most, and that of n threads is half of their
   root. Four of these are exceeded once in 30 000 runs. Two periods more are for clocks
   that are read one after the other. */
static double most_by_chance(size_t n) {
    const double two_each = 2 * (double)n, root = 2 + 2 * sqrt((double)n);
    return two_each < root ? two_each : root;
}

/* The reason stands in the dump: runs of less than two periods on average, or
   threads that ended and had checks, but no tick. */
static void add_unseen(report *r, const tally *s, const tick_sums *t, uint64_t unseen_us) {
    uint64_t period = 0, ended = 0;
    int has_checks = 0;
    const char *why;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        if (s->programs.at[i].tick_us > period) period = s->programs.at[i].tick_us;
    }
    for (i = 0; i < s->threads.count; i++) {
        has_checks |= s->threads.at[i].checks > 0;
        ended += s->threads.at[i].flags & THREAD_ENDED;
    }
    if ((double)unseen_us <= most_by_chance(s->threads.count + 1) * (double)period) return;
    if (t->cpu_us / 2 < tool_product(r->runs, period))
        why = "It passed in runs that were shorter than two ticks: too short for time by "
              "ticks. More ticks a second (config.tick_hz, --ticks) see more of it.";
    else if (!has_checks)
        why = "It passed in threads that ended before their first tick, or while the "
              "timer's signal was blocked. `bursty record` from outside sees both: leave "
              "out --inside, or lower kernel.perf_event_paranoid.";
    else if (ended)
        why = "It passed in threads that ended before their first tick, or that made no "
              "check (one BURST_ENTRY in each helps), or fewer than 1000 behind a late "
              "bursty_start, or the program took the timer's signal. A watcher "
              "(config.watch = 1) sees short threads, too.";
    else
        why = "It passed in threads without a check (one BURST_ENTRY in each helps), or "
              "with fewer than 1000 behind a late bursty_start, or the program took the "
              "timer's signal.";
    report_add_loss(r, REPORT_OF_TIME, "CPU time that no tick saw, in ms", unseen_us / 1000,
                    (double)unseen_us / (double)t->cpu_us, why);
}

/* Which scopes were open there is not known: above one in a thousand no share
   has an interval, and no count of a context or a pair. */
static void add_astray(report *r, const tick_sums *t) {
    const uint64_t ticks = sampled_add(t->ticks, t->own);
    text what = {NULL, 0, 0};
    char *words;
    if (!t->astray) return;
    text_format(&what, "ticks on a stack that bursty was not told of (of %llu)", (unsigned long long)ticks);
    words = text_take(&what);
    report_add_loss(r, t->astray > ticks / 1000 ? REPORT_OF_COUNTS | REPORT_OF_TIME : 0, words,
                    t->astray, t->astray > ticks / 1000 ? REPORT_NONE : part_in(t->astray, ticks),
                    "Fibers, coroutines or a longjmp switch stacks, and the scopes of "
                    "one are taken for those of another: shares, callers and contexts "
                    "may be false. Call bursty_fiber_switch in front of each switch.");
    free(words);
}

/* Timers look at where the kernel's clock ticks. If a program wakes in step with
   that, its shares are those of one place of its work: docs/ticks.md. */
static int is_in_step(const sampled_program *p) {
    const double n = (double)p->stepping, share = 1 / (double)p->step, top = (double)p->in_step;
    if (n < 20 || top < .45 * n || top < (share + .25) * n) return 0;
    return top - n * share > 6 * sqrt(n * share * (1 - share));
}

static void add_in_step(report *r, const tally *s) {
    uint64_t in_step = 0, all = 0;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        const sampled_program *p = &s->programs.at[i];
        if (!p->stepping || !is_in_step(p)) continue;
        in_step = sampled_add(in_step, p->in_step);
        all = sampled_add(all, p->stepping);
    }
    if (!all) return;
    report_add_loss(r, REPORT_OF_TIME, "ticks in step with the program's sleeps", in_step,
                    (double)in_step / (double)all,
                    "The program wakes at moments of the kernel's clock, and so do the "
                    "timers: they meet its work at the same place each time. Shares have "
                    "no interval, and may be far off. `bursty record --outside`, or "
                    "under bursty.h config.watch = 2, looks at random moments.");
}

static void add_sampled(report *r, const void *state) {
    const tally *s = (const tally *)state;
    tick_sums t = add_ticks(s);
    uint64_t lost = 0, events = 0, threads = 0, unseen_us;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        lost = sampled_add(lost, s->programs.at[i].lost);
        events = sampled_add(events, s->programs.at[i].events);
        threads = sampled_add(threads, s->programs.at[i].lost_threads);
    }
    add_astray(r, &t);
    add_in_step(r, s);
    if (threads)
        report_add_loss(r, REPORT_OF_COUNTS | REPORT_OF_TIME, "threads without a record", threads,
                        REPORT_NONE, "Nothing is known of them. Give bursty_start more memory, "
                                     "or end threads with bursty_thread_end.");
    if (lost)
        report_add_loss(r, REPORT_OF_COUNTS, "events lost", lost, part_of(lost, events),
                        "Give bursty_start more memory, or define a larger "
                        "BURSTY_MEMORY.");
    add_second_copies(r, s);
    add_no_time(r, s);
    add_looks(r, s);
    if (t.untimed)
        report_add_loss(r, REPORT_OF_TIME, "threads without a timer", t.untimed, REPORT_NONE,
                        "Their time is not in the table. The system has no more timers, "
                        "or does not tell when they end; call bursty_thread_end where "
                        "threads end.");
    if (t.lost)
        report_add_loss(r, REPORT_OF_TIME, "ticks lost", t.lost,
                        part_of(t.lost, sampled_add(t.ticks, t.own)),
                        "They came on threads that had not checked yet, or the table was "
                        "full.");
    if (t.late)
        report_add_loss(r, t.is_random && part_of(t.late, t.ticks) < .05 ? 0 : REPORT_OF_TIME,
                        "ticks late", t.late, part_of(t.late, sampled_add(t.ticks, t.own)),
                        "They are left out: their signal was blocked, or the thread had "
                        "ended before it came.");
    if (part_in(t.behind, t.ticks) > .05)
        report_add_loss(r, REPORT_OF_TIME, "ticks of looks that came late", t.behind,
                        part_in(t.behind, t.ticks),
                        "The machine was busy: the thread that looks got a processor when "
                        "the program gave one up, so that waits and locks have too many "
                        "ticks. Shares may be off by as much, and so they have no "
                        "interval. Record it at rest.");
    /* A thread's last period may be cut, and clocks are read one after the
       other. */
    unseen_us = t.cpu_us > t.seen_us ? t.cpu_us - t.seen_us : 0;
    if (unseen_us > t.cpu_us / 20 && (double)unseen_us > t.noise_us) add_unseen(r, s, &t, unseen_us);
    if (part_in(t.beyond, t.ticks) >= .01)
        report_add_loss(r, 0, "ticks whose outer callers are not known", t.beyond,
                        part_in(t.beyond, t.ticks),
                        "Their stacks were too deep, or code has no unwind tables. A "
                        "function's total may be larger by as much as its interval "
                        "says.");
    if (part_in(t.outside, t.ticks) > .1)
        report_add_loss(r, 0, "ticks that found no scope", t.outside, part_in(t.outside, t.ticks),
                        t.outside < t.ticks
                            ? "They are one row, (outside). Put scopes where the program "
                              "spends time."
                            : "There is no time in this file: no scope stands where it "
                              "is spent. Put BURST_SCOPE there, or leave time out with "
                              "tick_hz = -1.");
    if (part_of(t.own, t.ticks) >= .5)
        report_add_loss(r, 0, "ticks that met the recorder", t.own, part_of(t.own, t.ticks),
                        "Recording takes more time than the program. Sample less, or "
                        "record fewer functions (--only).");
}

/* ---- kind 2: calling contexts ------------------------------------------------------ */

/* Calls in stacks that were cut off at their outer end. A node follows the
   one that it is below. */
static uint64_t calls_beyond(const contexts *c, const contexts_tree *t) {
    uint8_t *beyond = (uint8_t *)tool_alloc(t->count + 1);
    uint64_t sum = 0;
    uint32_t n;
    for (n = 1; n < t->count; n++) {
        const contexts_node *node = &t->nodes[n];
        beyond[n] = node->parent ? beyond[node->parent]
                                 : strcmp(contexts_name(c, node->key), SAMPLED_BEYOND_NAME) == 0;
        if (beyond[n]) sum = sampled_add(sum, node->lower);
    }
    free(beyond);
    return sum;
}

/* What is lost in a unit other than calls. */
static void add_weighted(report *r, const char *unit, uint64_t lost, uint64_t total) {
    text what = {NULL, 0, 0};
    if (!lost) return;
    text_format(&what, "%s without a context", unit);
    text_bytes(&what, "", 1);
    report_add_loss(r, 0, what.data, lost, part_in(lost, total), "Give the tree more memory.");
    text_free(&what);
}

/* Bounds of contexts hold all the same: upper bounds contain what was lost. */
static void add_contexts(report *r, const void *state) {
    const contexts *c = (const contexts *)state;
    uint64_t lost = 0, cut = 0, total = 0, beyond = 0, skipped = 0, points = 0;
    size_t i;
    for (i = 0; i < c->count; i++) {
        const uint64_t *f = c->trees[i].field;
        if (c->trees[i].unit) {
            add_weighted(r, c->trees[i].unit, f[CONTEXTS_LOST], f[CONTEXTS_TOTAL]);
            continue;
        }
        if (!c->trees[i].reenable) {
            skipped = sampled_add(skipped, c->trees[i].skipped);
            points = sampled_add(points, c->trees[i].points);
        }
        beyond = sampled_add(beyond, calls_beyond(c, &c->trees[i]));
        lost = sampled_add(lost, f[CONTEXTS_LOST]);
        cut = sampled_add(cut, f[CONTEXTS_CUT]);
        total = sampled_add(total, f[CONTEXTS_TOTAL]);
    }
    if (lost)
        report_add_loss(r, 0, "calls lost", lost, part_in(lost, total),
                        "Give the tree more memory.");
    if (skipped)
        report_add_loss(r, REPORT_OF_COUNTS, "bursts left out, at stacks that had one before",
                        skipped, part_in(skipped, points),
                        "Which contexts there are is known, but those that came often have too "
                        "few calls. Let a known stack have one burst in 20 (bursty record "
                        "--reenable 20; BURSTY_CONTEXTS_REENABLE=20; reenable of "
                        "callpaths_setup).");
    if (beyond)
        report_add_loss(r, 0, "calls whose outer callers are not known", beyond,
                        part_in(beyond, total),
                        "Their stacks were too deep. A function's total may be larger by "
                        "as much: they are below (outer callers not known).");
    if (cut)
        report_add_loss(r, 0, "calls below the depth limit", cut, part_of(cut, total),
                        "They are not counted.");
}

/* ---- kind 5: hot data streams ------------------------------------------------------ */

static void add_streams(report *r, const void *state) {
    const streams *s = (const streams *)state;
    uint64_t lost = 0, heat = 0, dropped = 0, all = 0;
    size_t i;
    for (i = 0; i < s->count; i++) {
        lost = sampled_add(lost, s->parts[i].lost);
        heat = sampled_add(heat, s->parts[i].heat_lost);
        dropped = sampled_add(dropped, s->parts[i].dropped);
        all = sampled_add(all, s->parts[i].references);
    }
    if (lost)
        report_add_loss(r, 0, "references lost", lost, part_of(lost, all),
                        "They found the buffer full. Give a larger buffer_count.");
    if (heat)
        report_add_loss(r, 0, "references of streams that had no room", heat,
                        part_in(heat, all),
                        "Give them more room (bursty record --streams N; streams_max of "
                        "hotstream_config), or record fewer functions (--only).");
    if (dropped)
        report_add_loss(r, 0, "looks left out", dropped, REPORT_NONE,
                        "Repeats may be missing. Define a larger HOTSTREAM_PENDING.");
}

/* ---- kind 7: recordings without an end --------------------------------------------- */

/* Each process of a program tells the same of it: the largest number counts. */
static void add_uncounted(report *r, const missing_ends *s) {
    uint64_t count = 0, of = 0;
    const missing_end *most = NULL;
    size_t i;
    for (i = 0; i < s->count; i++) {
        const missing_end *e = &s->at[i];
        if (e->why != END_UNCOUNTED) continue;
        if (most && strcmp(most->program, e->program) != 0) {
            count = sampled_add(count, most->missing);
            of = sampled_add(of, most->of);
            most = NULL;
        }
        if (!most || e->missing > most->missing) most = e;
    }
    if (!most) return;
    count = sampled_add(count, most->missing);
    of = sampled_add(of, most->of);
    report_add_loss(r, 0, "functions without counts", count,
                    of ? (double)count / (double)of : REPORT_NONE,
                    "They are too short for a jump (5 bytes), or their code is not "
                    "understood: their calls are in no number. bursty record --stats "
                    "says why; --time shows their time.");
}

/* The names of files, each once. */
static void add_files(report *r, const missing_ends *s, uint32_t why, const char *noun,
                      const char *cure) {
    text what = {NULL, 0, 0};
    uint64_t count = 0;
    const char *before = NULL;
    char *words;
    size_t i, named = 0;
    text_add(&what, noun);
    for (i = 0; i < s->count; i++) {
        const missing_end *e = &s->at[i];
        const char *base = strrchr(e->program, '/');
        if (e->why != why || (before && *before && !strcmp(before, e->program))) continue;
        count++;
        before = e->program;
        if (!*before) continue;
        text_add(&what, named++ ? ", " : " (");
        text_add(&what, base ? base + 1 : e->program);
    }
    if (named) text_add(&what, ")");
    words = text_take(&what);
    if (count)
        report_add_loss(r, 0, words, count, REPORT_NONE, cure);
    free(words);
}

/* Adds the turns of all processes up. Where programs sleep, too, they begin to run at
   ticks of the kernel's clock, and timers look there: no share has an interval. */
static void add_turns(report *r, const missing_ends *s, uint32_t why, unsigned takes,
                      const char *cure) {
    text what = {NULL, 0, 0};
    uint64_t turns = 0, ticks = 0;
    char *words;
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (s->at[i].why != why) continue;
        turns = sampled_add(turns, s->at[i].missing);
        ticks = sampled_add(ticks, s->at[i].of);
    }
    if (!turns) return;
    text_format(&what, "turns on the processor that other programs cut short%s, in %llu ticks",
                takes ? " or put off" : "", (unsigned long long)ticks);
    words = text_take(&what);
    report_add_loss(r, takes, words, turns, REPORT_NONE, cure);
    free(words);
}

/* The time of children, in all processes. They may have files of their own. */
static void add_children(report *r, const missing_ends *s) {
    uint64_t theirs = 0, all = 0;
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (s->at[i].why != END_CHILDREN) continue;
        theirs = sampled_add(theirs, s->at[i].missing);
        all = sampled_add(all, s->at[i].of);
    }
    if (theirs)
        report_add_loss(r, 0, "CPU time of its children, in ms", theirs,
                        (double)theirs / (double)all,
                        "What they did is not in its numbers. bursty record --follow "
                        "records them, too; a program with bursty.h saves each into a "
                        "file of its own, and bursty report takes the folder.");
}

/* Says how many of all were lost, over all processes. */
static void add_share(report *r, const missing_ends *s, uint32_t why, unsigned totals,
                      const char *what, const char *cure) {
    uint64_t count = 0, all = 0;
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (s->at[i].why != why) continue;
        count = sampled_add(count, s->at[i].missing);
        all = sampled_add(all, s->at[i].of);
    }
    if (count) report_add_loss(r, totals, what, count, part_in(count, all), cure);
}

/* A file says it once for all of its runs. */
static void add_cut(report *r, const missing_ends *s) {
    size_t i, count = 0;
    for (i = 0; i < s->count; i++) count += s->at[i].why == END_CUT;
    if (count)
        report_add_loss(r, 0, "files with runs that a signal ended in the middle of a function",
                        count, REPORT_NONE,
                        "Lines that the last call of such a function ran may look as if "
                        "nothing had run them. bursty cc --cover=bytes without optimization "
                        "marks them before the signal comes.");
}

/* Who called there is not known: above one in a thousand no call has an
   interval. */
static void add_astray_calls(report *r, const missing_ends *s) {
    uint64_t count = 0, all = 0;
    int is_much;
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (s->at[i].why != END_ASTRAY) continue;
        count = sampled_add(count, s->at[i].missing);
        all = sampled_add(all, s->at[i].of);
    }
    if (!count) return;
    is_much = count > all / 1000;
    report_add_loss(r, is_much ? REPORT_OF_COUNTS : 0,
                    "callers of calls on stacks of the program's own", count,
                    is_much ? REPORT_NONE : part_in(count, all),
                    "The program switches stacks by itself (fibers, coroutines). Calls that "
                    "are open on one are taken for callers on another, so contexts and pairs "
                    "may be false; and bursts miss what comes right behind a switch. How "
                    "often each function was called is right with --every 0. bursty.h with "
                    "bursty_fiber_switch knows the callers.");
}

/* Adds what was lost in all processes up. */
static void add_lost(report *r, const missing_ends *s) {
    static const char *const what[] = {
        "threads that were not recorded all the time", "events that are lost, or more",
        "calls that are lost", "threads for which there was no memory",
        "functions of which the program changed the code", "libraries without room",
        "blocks of the heap that nobody is known to have allocated",
        "references in streams that are known by their address alone",
        "calls too deep to follow", "ticks are missing", "sampling could not be switched on",
    };
    static const char *const cure[] = {
        "So many ran beside them that there was no room: 16384 threads are recorded at a "
        "time if there is memory, and 256 where references are asked for. Start fewer at "
        "once.",
        "A buffer ran over in code without checks (--all-checks, or --not for a long "
        "function without calls and loops), a thread was at its end or still there when "
        "the program ended, or its stack was full and it went on: what it had recorded "
        "is given up then. Of an event that a signal handler left by siglongjmp nothing is "
        "known; fewer bursts (--every) meet fewer signals.",
        "They were made in the middle of the recorder, or while code was copied.",
        "What they did is in no number. A larger limit (ulimit -v), or fewer kinds of "
        "profiles at once.",
        "From then on they were not sampled. --time sees them.",
        "256 are recorded. --time sees them all.",
        "There is room for a million at a time. Record fewer functions (--only).",
        "Each thread has room for so many pairs of an instruction and an object. Record "
        "fewer functions (--only).",
        "Contexts end there.",
        "The system has no timer for it, or the program limited its system calls "
        "(seccomp). Time alone, without --inside, is taken from outside.",
        "Threads ran that were started without pthread_create, or on another stack. "
        "Record from the start, without --off.",
    };
    uint32_t why;
    size_t i;
    for (why = END_THREADS; why <= END_SWITCH; why++) {
        uint64_t count = 0, of = 0;
        for (i = 0; i < s->count; i++) {
            if (s->at[i].why != why) continue;
            count = sampled_add(count, s->at[i].missing);
            of = sampled_add(of, s->at[i].of);
        }
        if (count)
            report_add_loss(r, why < END_CHANGED ? REPORT_OF_COUNTS : 0, what[why - END_THREADS],
                            count, why < END_CHANGED ? (double)count / (double)of : REPORT_NONE,
                            cure[why - END_THREADS]);
    }
}

static void add_ends(report *r, const void *state) {
    const missing_ends *s = (const missing_ends *)state;
    uint64_t quiet_ms = 0, of_ms = 0, ends = 0;
    int killed = 0;
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (s->at[i].why == END_QUIET) {
            quiet_ms = sampled_add(quiet_ms, s->at[i].missing);
            of_ms = sampled_add(of_ms, s->at[i].of);
        } else if (s->at[i].why < END_QUIET) {
            ends++;
            killed |= s->at[i].why == END_KILLED;
        }
    }
    if (ends)
        report_add_loss(r, REPORT_OF_COUNTS | REPORT_OF_TIME, "recordings of which the end is missing",
                        ends, REPORT_NONE,
                        killed ? "The program was killed. A table says how much."
                               : "The program left without the C library. A table says "
                                 "how much.");
    if (quiet_ms)
        report_add_loss(r, REPORT_OF_COUNTS, "ms of CPU time in which calls were not sampled",
                        quiet_ms, of_ms ? (double)quiet_ms / (double)of_ms : REPORT_NONE,
                        "Those threads may be cancelled at any instruction. Record with "
                        "--ticks.");
    add_uncounted(r, s);
    add_files(r, s, END_LATER, "libraries that the program loaded later",
              "Their calls are in no number. With LD_PRELOAD=LIBRARY in the environment "
              "of bursty record they are there from the start; --time sees them as they "
              "are.");
    add_files(r, s, END_REPLACED, "files that were replaced or removed while the program ran",
              "What is not in their dynamic symbols shows as a number, and nothing of "
              "them has a line. Leave them in place until the recording is written, or "
              "take the time from outside, without --inside: that keeps them open.");
    add_children(r, s);
    add_turns(r, s, END_TURNS, 0,
              "The machine was busy. Shares may be off by more than their "
              "intervals say: record it at rest, or from outside (docs/ticks.md).");
    add_turns(r, s, END_WOKEN, REPORT_OF_TIME,
              "The machine was busy, and the program sleeps: so it begins to run where the kernel's "
              "clock ticks, as timers do. Shares have no interval, and may be far off. Record it at "
              "rest, or from outside; bursty.h has config.watch = 2 (docs/ticks.md).");
    add_share(r, s, END_TWICE, REPORT_OF_COUNTS | REPORT_OF_TIME,
              "switches to a fiber that another thread ran",
              "Each thread took the scopes of the other one for its own. Leave a fiber "
              "(bursty_fiber_switch) before another thread enters it, and before its thread "
              "ends.");
    add_share(r, s, END_INSIDE, REPORT_OF_COUNTS,
              "switches of fibers in an action, or in the middle of an event",
              "Until the thread comes back, it records no event. Switch outside of actions.");
    add_share(r, s, END_AWAY, REPORT_OF_COUNTS,
              "checks of tasks that met no burst, for another task was left in an event",
              "Counts are too low by about this part of them. Bursts that are rarer lose less "
              "(profile.every). If a task was deleted, set the depth of its fiber to 0.");
    add_astray_calls(r, s);
    add_share(r, s, END_BROKEN, 0, "bursts without a call, for a signal came where they began",
              "Signals wait while a burst is prepared, which takes longest on a deep stack. "
              "Fewer signals meet it if bursts are longer and further apart (--burst, --every).");
    add_share(r, s, END_UNHOOKED, 0, "functions of --frames that begin no frame",
              "A pattern names them, and they cannot be hooked: bursty record says which and "
              "why. Name functions that call them.");
    add_cut(r, s);
    add_lost(r, s);
}

/* ---- kind 8: frames ---------------------------------------------------------------- */

static void add_frames(report *r, const void *state) {
    const frames *s = (const frames *)state;
    uint64_t lost = 0, nested = 0, count = 0, crowded = 0, unplaced = 0, missed = 0, ticks = 0;
    size_t i, k;
    for (i = 0; i < s->programs.count; i++) {
        lost = sampled_add(lost, s->programs.at[i].lost);
        nested = sampled_add(nested, s->programs.at[i].nested);
    }
    for (i = 0; i < s->kinds.count; i++) {
        const frames_of_kind *kind = &s->kinds.at[i];
        count = sampled_add(count, frames_count(kind));
        crowded = sampled_add(crowded, kind->crowded);
        unplaced = sampled_add(unplaced, kind->unplaced);
        missed = sampled_add(missed, kind->missed);
        for (k = 0; k < kind->function_count; k++) {
            ticks = sampled_add(ticks, kind->functions[k].ticks[FRAMES_SLOW][FRAMES_SELF].sum);
            ticks = sampled_add(ticks, kind->functions[k].ticks[FRAMES_OTHER][FRAMES_SELF].sum);
        }
    }
    if (lost)
        report_add_loss(r, 0, "frames without a record", lost, part_of(lost, count),
                        "Their threads or kinds found no room, or there is no clock. At "
                        "most 64 threads are in frames at once; for more kinds define a "
                        "larger BURSTY_FRAMES; a bare build needs config.frame_clock.");
    if (nested)
        report_add_loss(r, 0, "frames of signal handlers", nested, part_of(nested, count),
                        "The handlers interrupted bursty_frame itself.");
    if (crowded)
        report_add_loss(r, 0, "ticks of crowded frames", crowded, part_of(crowded, ticks),
                        "A frame keeps the ticks of 64 different stacks. These are in no "
                        "row of the functions in slow frames.");
    if (unplaced)
        report_add_loss(r, 0, "ticks of functions in frames that had no room", unplaced,
                        part_of(unplaced, ticks), "The table of functions in frames was full.");
    if (missed)
        report_add_loss(r, 0, "frames that may be missing among the slowest", missed,
                        part_of(missed, count),
                        "Another thread was keeping one. They are in all other tables.");
}

/* ---- kind 13: misses --------------------------------------------------------------- */

static void add_misses(report *r, const void *state) {
    const missed_parts *s = (const missed_parts *)state;
    uint64_t lost = 0, cut = 0, all = 0, bursts = 0;
    size_t i;
    for (i = 0; i < s->count; i++) {
        lost = sampled_add(lost, s->parts[i].lost);
        cut = sampled_add(cut, s->parts[i].cut);
        bursts = sampled_add(bursts, s->parts[i].bursts);
        if (s->parts[i].size_count) all = sampled_add(all, s->parts[i].sizes[0].misses);
    }
    if (lost)
        report_add_loss(r, 0, "misses without a row", lost, part_in(lost, all),
                        "The shares of caches have them, those of functions and data may "
                        "not. Record fewer functions (--only).");
    if (cut)
        report_add_loss(r, 0, "bursts cut short", cut, part_in(cut, bursts),
                        "The log of misses was full, and they ended there. Give a "
                        "shorter --burst.");
}

/* ---- kind 14: shared lines --------------------------------------------------------- */

static void add_sharing(report *r, const void *state) {
    const shared_parts *s = (const shared_parts *)state;
    uint64_t cut = 0, bursts = 0, forgotten = 0, lost = 0, all = 0, left = 0;
    size_t i;
    for (i = 0; i < s->count; i++) {
        cut = sampled_add(cut, s->parts[i].cut);
        bursts = sampled_add(bursts, s->parts[i].bursts);
        forgotten = sampled_add(forgotten, s->parts[i].forgotten);
        lost = sampled_add(lost, s->parts[i].lost);
        all = sampled_add(all, s->parts[i].accesses);
        left = sampled_add(left, s->parts[i].left);
    }
    if (cut)
        report_add_loss(r, 0, "bursts of shared lines cut short", cut, part_in(cut, bursts),
                        "They used more lines than a burst has room for, and ended "
                        "there. Give a shorter --burst.");
    if (forgotten)
        report_add_loss(r, 0, "lines forgotten early", forgotten, REPORT_NONE,
                        "One thread alone had used them until then. If another one used "
                        "them less than a quarter of a second later, that is not in the "
                        "tables. Give a shorter --burst.");
    if (lost)
        report_add_loss(r, 0, "accesses without a line", lost, part_in(lost, all),
                        "So many lines are shared that the table is full. Record fewer "
                        "functions (--only).");
    if (left)
        report_add_loss(r, 0, "shared lines left out", left, REPORT_NONE,
                        "The file has the 4096 lines or so that are used most, and some "
                        "of those that are used alike. Upper bounds of shares hold the "
                        "rest.");
}

/* ---- kind 15: layouts -------------------------------------------------------------- */

static void add_layout(report *r, const void *state) {
    const laid_parts *s = (const laid_parts *)state;
    uint64_t lost = 0;
    size_t i;
    for (i = 0; i < s->count; i++) lost = sampled_add(lost, s->parts[i].lost);
    if (lost)
        report_add_loss(r, 0, "references without an object's row", lost, REPORT_NONE,
                        "More allocation sites and sizes were used than the table of "
                        "layouts has room for. Record fewer functions (--only).");
}

/* Sums over functions that are none. The first such name tells. */
static void add_builds(report *r, const samples *all, const tally *s, const contexts *c) {
    size_t count, i;
    sample_build *list = samples_builds(all, &count);
    const sample_build *found = NULL;
    for (i = 0; s && i < s->sites.count && !(found && found->has_several); i++)
        found = samples_build_of(list, count, s->sites.at[i].name);
    for (i = 0; c && i < c->key_count && !(found && found->has_several); i++)
        found = samples_build_of(list, count, contexts_name(c, (uint32_t)i + 1));
    if (found && found->has_several)
        report_add_loss(r, REPORT_OF_COUNTS | REPORT_OF_TIME,
                        "names of functions, in runs of several builds of the program", 0, REPORT_NONE,
                        "NAME+0xOFFSET is a place in the file, and another function in "
                        "another build: such rows are sums of what does not belong "
                        "together. Report the runs of each build alone, or record a "
                        "program that is not stripped.");
    free(list);
}

void report_add_losses(report *r, const input *in) {
    static const struct {
        const part_kind *kind;
        void (*add)(report *r, const void *state);
    } kinds[] = {
        {&kind_sampled, add_sampled},
        {&kind_contexts, add_contexts},
        {&kind_streams, add_streams},
        {&kind_ends, add_ends},
        {&kind_frames, add_frames},
        {&kind_misses, add_misses},
        {&kind_sharing, add_sharing},
        {&kind_layout, add_layout},
    };
    const samples *all = (const samples *)input_find(in, &kind_samples);
    size_t i;
    r->runs = all && all->count ? all->count : 1;
    if (all)
        add_builds(r, all, (const tally *)input_find(in, &kind_sampled),
                   (const contexts *)input_find(in, &kind_contexts));
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const void *state = input_find(in, kinds[i].kind);
        if (state) kinds[i].add(r, state);
    }
}
