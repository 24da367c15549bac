/* by_waiting.c - from the looks of a watcher to "where does it run, and where
   does it wait": shares of the wall time of all threads, each with its
   interval.

   A look is one of R rounds' looks at all threads. With n the looks of a round
   that met a scope, running (or waiting), Q the sum of n * n over rounds and
   scopes, S a scope's sum of n, and T that of all:

       the sum of variances     if looks are independent     T - sum (S * S) / T
                                as they were                 Q - sum (S * S) / R

   The second over the first is how many looks are worth an independent one (Rao
   and Scott's first correction). With one thread n is 0 or 1, Q = T = R, and it
   is 1. */
#include "base/tool.h"
#include "report/model/interval.h"
#include "report/model/looks.h"
#include "report/model/sampled.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct waiting_function {
    uint32_t site;
    uint64_t runs, waits, total_runs, total_waits; /* looks; total: with callees, once a stack */
    size_t last_path;                              /* + 1, that counted in the totals */
} waiting_function;

static const sampled_program *program_of(const tally *s, const sampled_path *path) {
    return &s->programs.at[s->threads.at[path->thread].program];
}

/* The looks of each scope, by site, and their sum. */
static waiting_function *add_looks(const tally *s, uint64_t *all) {
    waiting_function *f = (waiting_function *)tool_alloc(s->sites.count * sizeof *f);
    size_t i, k;
    *all = 0;
    for (i = 0; i < s->sites.count; i++) f[i].site = (uint32_t)i;
    for (i = 0; i < s->paths.count; i++) {
        const sampled_path *path = &s->paths.at[i];
        waiting_function *own = &f[path->site];
        if (!program_of(s, path)->watch_answers) continue;
        own->runs = sampled_add(own->runs, path->ticks);
        own->waits = sampled_add(own->waits, path->waiting);
        *all = sampled_add(*all, sampled_add(path->ticks, path->waiting));
        for (k = i;; k = s->paths.at[k].parent) {
            waiting_function *outer = &f[s->paths.at[k].site];
            if (outer->last_path != i + 1) {
                outer->last_path = i + 1;
                outer->total_runs = sampled_add(outer->total_runs, path->ticks);
                outer->total_waits = sampled_add(outer->total_waits, path->waiting);
            }
            if (s->paths.at[k].parent == TALLY_NO_PATH) break;
        }
    }
    return f;
}

double looks_lockstep(const tally *s) {
    double rounds = 0, looks = 0, squares = 0, sums = 0, as_they_were, independent;
    waiting_function *f;
    uint64_t all;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        rounds += (double)s->programs.at[i].rounds;
        looks += (double)s->programs.at[i].looks;
        squares += (double)s->programs.at[i].look_squares;
    }
    if (!(rounds > 0) || !(looks > rounds)) return 1;
    f = add_looks(s, &all);
    for (i = 0; i < s->sites.count; i++) {
        double runs = (double)f[i].runs, waits = (double)f[i].waits;
        sums += runs * runs + waits * waits;
    }
    free(f);
    as_they_were = squares - sums / rounds;
    independent = looks - sums / looks;
    if (!(independent > 0) || !(as_they_were > independent)) return 1;
    return as_they_were / independent;
}

static int compare(const void *left, const void *right) {
    const waiting_function *a = (const waiting_function *)left;
    const waiting_function *b = (const waiting_function *)right;
    uint64_t of_a = sampled_add(a->runs, a->waits), of_b = sampled_add(b->runs, b->waits);
    if (of_a != of_b) return of_a > of_b ? -1 : 1;
    if (a->total_runs != b->total_runs) return a->total_runs > b->total_runs ? -1 : 1;
    if (a->total_waits != b->total_waits) return a->total_waits > b->total_waits ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

/* Share and interval into row[0..2]. */
static void put_share(report_cell *row, uint64_t part, uint64_t all, double independent) {
    double p = all ? (double)part / (double)all : 0;
    interval range = interval_wilson(p, independent);
    row[0].real = p;
    row[1].real = range.low < 0 ? REPORT_NONE : range.low;
    row[2].real = range.low < 0 ? REPORT_NONE : range.high;
}

static uint32_t answers(const tally *s) {
    uint32_t worst = 0;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        uint32_t one = s->programs.at[i].watch_answers;
        if (one && (!worst || one < worst)) worst = one;
    }
    return worst;
}

static void add_functions(report *r, const tally *s, waiting_function *f, uint64_t all,
                          double independent) {
    static const report_column columns[] = {
        {"run_share", "runs", REPORT_SHARE, 0, NULL},
        {"run_low", "from", REPORT_SHARE, 0, "-"},
        {"run_high", "to", REPORT_SHARE, 0, "-"},
        {"wait_share", "waits", REPORT_SHARE, 0, NULL},
        {"wait_low", "from", REPORT_SHARE, 0, "-"},
        {"wait_high", "to", REPORT_SHARE, 0, "-"},
        {"total_run_share", "all-runs", REPORT_SHARE, REPORT_OPTIONAL, NULL},
        {"total_run_low", "from", REPORT_SHARE, REPORT_HIDDEN, "-"},
        {"total_run_high", "to", REPORT_SHARE, REPORT_HIDDEN, "-"},
        {"total_wait_share", "all-waits", REPORT_SHARE, REPORT_OPTIONAL, NULL},
        {"total_wait_low", "from", REPORT_SHARE, REPORT_HIDDEN, "-"},
        {"total_wait_high", "to", REPORT_SHARE, REPORT_HIDDEN, "-"},
        {"run_looks", "run-looks", REPORT_COUNT, REPORT_HIDDEN, NULL},
        {"wait_looks", "wait-looks", REPORT_COUNT, REPORT_HIDDEN, NULL},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"file", "file", REPORT_NAME, REPORT_HIDDEN, NULL},
        {"line", "line", REPORT_COUNT, REPORT_HIDDEN, NULL},
    };
    report_table *table = report_add_table(r, "waiting", "where does it run, and where does it wait",
                                           columns, sizeof columns / sizeof *columns);
    text words = {NULL, 0, 0};
    size_t i;
    text_add(&words, "Shares of the wall time of all threads together, each with its 95 % interval. "
                     "A thread that is ready and gets no processor waits, too.");
    if (answers(s) == WATCH_COARSE)
        text_add(&words, " This system tells CPU time in steps of 10 ms or more: scopes that are "
                         "shorter share their running and waiting with those around them.");
    text_bytes(&words, "", 1);
    report_remark(table, words.data);
    text_free(&words);
    qsort(f, s->sites.count, sizeof *f, compare);
    for (i = 0; i < s->sites.count; i++) {
        const sampled_site *site = &s->sites.at[f[i].site];
        uint64_t total = sampled_add(f[i].total_runs, f[i].total_waits);
        report_cell *row;
        if (total == 0) continue;
        if ((double)total < r->options.least_share * (double)all) {
            table->rows_left_out++;
            continue;
        }
        row = report_add_row(table);
        put_share(row, f[i].runs, all, independent);
        put_share(row + 3, f[i].waits, all, independent);
        put_share(row + 6, f[i].total_runs, all, independent);
        put_share(row + 9, f[i].total_waits, all, independent);
        row[12].count = f[i].runs;
        row[13].count = f[i].waits;
        row[14].name = report_keep(r, report_name(r, site->name));
        row[15].name = site->file;
        row[16].count = site->line;
    }
}

/* Stacks by the looks that found a thread waiting there, in preorder: paths of
   one thread stand in the order in which they were first seen. */
static void add_stacks(report *r, const tally *s) {
    size_t count = s->paths.count, i;
    uint32_t *first = (uint32_t *)tool_alloc((count + 1) * sizeof *first); /* + 1: a path */
    uint32_t *next = (uint32_t *)tool_alloc((count + 1) * sizeof *next);
    uint32_t *place = (uint32_t *)tool_alloc((count + 1) * sizeof *place), at, parent;
    report_tree *tree = report_add_tree(r, count + 1, s->sites.count);
    tree->unit = "waits";
    tree->is_whole = 1;
    for (i = 0; i < s->sites.count; i++) tree->names[i] = report_name(r, s->sites.at[i].name);
    for (i = count; i; i--) {
        parent = s->paths.at[i - 1].parent;
        parent = parent == TALLY_NO_PATH ? 0 : parent + 1;
        next[i] = first[parent];
        first[parent] = (uint32_t)i;
    }
    tree->count = 1;
    for (at = first[0]; at;) {
        const sampled_path *path = &s->paths.at[at - 1];
        parent = path->parent == TALLY_NO_PATH ? 0 : path->parent + 1;
        place[at] = (uint32_t)tree->count;
        tree->parent[tree->count] = place[parent];
        tree->name[tree->count] = path->site;
        tree->lower[tree->count] = tree->upper[tree->count] = path->waiting;
        tree->count++;
        if (first[at]) {
            at = first[at];
            continue;
        }
        while (at && !next[at]) {
            parent = s->paths.at[at - 1].parent;
            at = parent == TALLY_NO_PATH ? 0 : parent + 1;
        }
        at = next[at];
    }
    free(first);
    free(next);
    free(place);
}

/* Each thread's own time: looks at one thread are one a round, so they are in
   no lockstep. */
static void add_threads(report *r, const tally *s, int misses_time) {
    static const report_column columns[] = {
        {"run_share", "runs", REPORT_SHARE, 0, NULL},
        {"run_low", "from", REPORT_SHARE, 0, "-"},
        {"run_high", "to", REPORT_SHARE, 0, "-"},
        {"wait_share", "waits", REPORT_SHARE, 0, NULL},
        {"wait_low", "from", REPORT_SHARE, 0, "-"},
        {"wait_high", "to", REPORT_SHARE, 0, "-"},
        {"looks", "looks", REPORT_COUNT, 0, NULL},
        {"thread", "thread", REPORT_NAME, 0, NULL},
    };
    report_table *table = report_add_table(r, "thread_waiting", "running and waiting of threads",
                                           columns, sizeof columns / sizeof *columns);
    size_t i, at = 0;
    report_remark(table, "Shares of each thread's own wall time.");
    table->rows_shown = 8;
    for (i = 0; i < s->threads.count; i++) {
        uint64_t runs = 0, waits = 0, looks;
        report_cell *row;
        for (; at < s->paths.count && s->paths.at[at].thread == i; at++) {
            if (!program_of(s, &s->paths.at[at])->watch_answers) continue;
            runs = sampled_add(runs, s->paths.at[at].ticks);
            waits = sampled_add(waits, s->paths.at[at].waiting);
        }
        looks = sampled_add(runs, waits);
        if (looks == 0) continue;
        row = report_add_row(table);
        put_share(row, runs, looks, misses_time ? 0 : (double)looks);
        put_share(row + 3, waits, looks, misses_time ? 0 : (double)looks);
        row[6].count = looks;
        row[7].name = report_thread_name(r, &s->threads.at[i]);
    }
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    const tally *s = (const tally *)state;
    const int misses_time = report_misses(r, REPORT_OF_TIME);
    text value = {NULL, 0, 0};
    waiting_function *f;
    uint64_t all, runs = 0;
    double factor;
    size_t i;
    (void)columns;
    (void)in;
    if (!answers(s)) return;
    f = add_looks(s, &all);
    if (all) {
        factor = looks_lockstep(s);
        for (i = 0; i < s->sites.count; i++) runs = sampled_add(runs, f[i].runs);
        text_count(&value, all);
        text_format(&value, ": %.1f %% found a thread running, %.1f %% waiting",
                    100 * (double)runs / (double)all, 100 - 100 * (double)runs / (double)all);
        if (factor > 1.05)
            text_format(&value, "; threads in lockstep: %.1f looks are worth one", factor);
        text_bytes(&value, "", 1);
        report_add_fact(r, REPORT_PLAIN, "looks", value.data);
        text_free(&value);
        add_functions(r, s, f, all, misses_time ? 0 : (double)all / factor);
        add_threads(r, s, misses_time);
        if (runs < all) add_stacks(r, s);
    }
    free(f);
}

const report_section section_by_waiting = {&kind_sampled, "waiting", 0, fill, NULL, NULL};
