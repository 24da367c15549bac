/* function_sums.c - of each function of each program: time and calls as counts,
   sums, sums of squares and sums of products of what was seen independently,
   which add up over files; and what all functions of a program make together.
   For --sums alone.

   Ticks that come several at once are one piece; so are the calls of one burst.
   Calls without sums over bursts are taken as pieces of their own. */
#include "base/hash.h"
#include "base/tool.h"
#include "report/kinds/sampled.h"
#include "report/model/report.h"
#include "report/model/sampled_ranges.h"
#include <stdlib.h>
#include <string.h>

enum { SELF, TOTAL, CALLS, MEASURES };

typedef struct function_sum {
    uint32_t program, site; /* the first site of its name, file and line */
    uint32_t open;          /* on the stack that is being walked */
    int has[MEASURES];
    report_sum of[MEASURES];
} function_sum;

/* The sums of a program; the shares of its functions are parts of them. */
typedef struct program_sums {
    report_sum time, calls, gaps, checks;
    int has_time, has_calls, has_gaps;
} program_sums;

typedef struct function_sums {
    const tally *tally;
    program_sums *programs;
    function_sum *at;
    size_t count, room;
    hash_table places;
} function_sums;

static int is_sum(const void *owner, uint32_t number, const void *key) {
    const function_sums *c = (const function_sums *)owner;
    const function_sum *a = &c->at[number - 1], *b = (const function_sum *)key;
    const sampled_site *x = &c->tally->sites.at[a->site], *y = &c->tally->sites.at[b->site];
    return a->program == b->program && x->line == y->line && strcmp(x->name, y->name) == 0 &&
           strcmp(x->file, y->file) == 0;
}

/* A number, for the list moves. */
static size_t sum_of(function_sums *c, uint32_t program, uint32_t site) {
    const sampled_site *s = &c->tally->sites.at[site];
    function_sum key;
    uint32_t *place;
    uint64_t hash = hash_numbers(hash_string(s->name), hash_string(s->file));
    memset(&key, 0, sizeof key);
    key.program = program;
    key.site = site;
    place = hash_place(&c->places, hash_numbers(hash, (uint64_t)s->line << 32 | program), is_sum, c,
                       &key);
    if (*place) return *place - 1;
    TOOL_ROOM(function_sum, c->at, c->count, c->room);
    c->at[c->count++] = key;
    *place = (uint32_t)c->count;
    return c->count - 1;
}

/* The numbers of a row alone; its words come when it is shown. */
static void add(report_sum *to, const report_sum *from) {
    to->count += from->count;
    to->sum += from->sum;
    to->squares += from->squares;
    to->products += from->products;
    to->sampled += from->sampled;
}

static void add_to(function_sums *c, size_t at, int measure, const report_sum *from) {
    c->at[at].has[measure] = 1;
    add(&c->at[at].of[measure], from);
}

/* Ticks are parts of one whole, and no burst holds several of them: they need
   no products. */
static report_sum time_of(double ticks, double squares, double ms) {
    report_sum of;
    memset(&of, 0, sizeof of);
    of.count = of.sampled = ticks;
    of.sum = ticks * ms;
    of.squares = squares * ms * ms;
    return of;
}

static double period_of(const tally *s, const sampled_path *path) {
    uint64_t us = s->programs.at[s->threads.at[path->thread].program].tick_us;
    return us ? (double)us / 1000 : 1;
}

/* Ticks of the recorder say nothing of the program. */
static int is_counted(const tally *s, const sampled_path *path) {
    const sampled_site *site = &s->sites.at[path->site];
    return *site->file || strcmp(site->name, "(recorder)") != 0;
}

/* A path stands after its parent in the list. So one walk backwards links children and
   adds up what is below them. A second walk, in preorder, knows which functions are
   open on each stack. */
static void add_time(function_sums *c) {
    const tally *s = c->tally;
    size_t n = s->paths.count, i;
    uint32_t *first = (uint32_t *)tool_alloc((n + 1) * sizeof *first); /* numbers + 1; n: roots */
    uint32_t *next = (uint32_t *)tool_alloc((n + 1) * sizeof *next), at;
    uint32_t *of = (uint32_t *)tool_alloc((n + 1) * sizeof *of);
    double *ticks = (double *)tool_alloc((n + 1) * sizeof *ticks);
    double *squares = (double *)tool_alloc((n + 1) * sizeof *squares);
    for (i = n; i-- > 0;) {
        const sampled_path *path = &s->paths.at[i];
        size_t parent = path->parent == TALLY_NO_PATH ? n : path->parent;
        double ms = period_of(s, path);
        program_sums *all = &c->programs[s->threads.at[path->thread].program];
        report_sum self;
        next[i] = first[parent];
        first[parent] = (uint32_t)i + 1;
        if (!is_counted(s, path)) continue;
        of[i] = (uint32_t)sum_of(c, s->threads.at[path->thread].program, path->site);
        self = time_of((double)path->ticks, (double)path->squares, ms);
        add_to(c, of[i], SELF, &self);
        add(&all->time, &self);
        all->has_time = 1;
        ticks[i] += (double)path->ticks;
        squares[i] += (double)path->squares;
        ticks[parent] += ticks[i];
        squares[parent] += squares[i];
    }
    for (at = first[n]; at;) {
        const sampled_path *path = &s->paths.at[at - 1];
        double ms = period_of(s, path);
        if (is_counted(s, path)) {
            if (c->at[of[at - 1]].open++ == 0) {
                const report_sum total = time_of(ticks[at - 1], squares[at - 1], ms);
                add_to(c, of[at - 1], TOTAL, &total);
            }
        }
        if (first[at - 1]) {
            at = first[at - 1];
            continue;
        }
        for (;;) {
            path = &s->paths.at[at - 1];
            if (is_counted(s, path)) c->at[of[at - 1]].open--;
            if (next[at - 1] || path->parent == TALLY_NO_PATH) break;
            at = path->parent + 1;
        }
        at = next[at - 1];
    }
    free(first);
    free(next);
    free(of);
    free(ticks);
    free(squares);
}

/* A row's calls, by what intervals rest on. Events that are taken as independent
   have the product with all events that they have with themselves, for each is
   a burst of its own. */
static report_sum calls_of(const sampled_record *row, ranges_basis basis) {
    ranges_sums sums;
    report_sum of;
    double each;
    memset(&sums, 0, sizeof sums);
    memset(&of, 0, sizeof of);
    ranges_add(&sums, row, 0);
    of.sum = (double)sums.weight_256 / 256;
    of.sampled = (double)sums.sampled;
    if (basis == RANGES_BURSTS) {
        of.count = (double)sums.bursts;
        of.squares = sums.yy;
        of.products = sums.xy;
    } else if (basis == RANGES_EVENTS) {
        each = sums.sampled ? of.sum / of.sampled : 0;
        of.count = of.sampled;
        of.squares = of.products = each * each * of.sampled;
    }
    return of;
}

static void add_calls(function_sums *c) {
    const tally *s = c->tally;
    size_t i;
    ranges of;
    ranges_make(&of, s);
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *row = &s->rows.at[i];
        uint32_t program = s->threads.at[row->thread].program;
        program_sums *all = &c->programs[program];
        report_sum calls;
        if (!(s->sites.at[row->site].kind & SITE_CALL)) continue;
        calls = calls_of(row, of.basis);
        add_to(c, sum_of(c, program, row->site), CALLS, &calls);
        all->has_calls = 1;
        if (of.basis == RANGES_BURSTS) calls.count = calls.squares = calls.products = 0;
        add(&all->calls, &calls);
    }
    for (i = 0; i < s->classes.count && of.basis == RANGES_BURSTS; i++) {
        const sampled_class *from = &s->classes.at[i];
        report_sum *to = &c->programs[s->threads.at[from->thread].program].calls;
        if (from->class_bit != SITE_CALL) continue;
        to->count += (double)from->bursts;
        to->squares += (double)from->xx;
        to->products += (double)from->xx;
    }
    for (i = 0; i < s->profiles.count; i++) {
        const sampled_profile *profile = &s->profiles.at[i];
        program_sums *all = &c->programs[profile->program];
        ranges_gaps gaps;
        if (!ranges_fills_table(&of, profile) || of.basis == RANGES_EXACT) continue;
        gaps = ranges_gaps_of(profile);
        all->has_gaps |= gaps.checks > 0;
        all->gaps.sum += gaps.checks;
        all->gaps.squares += gaps.variance;
        if (profile->classes & SITE_CALL) all->gaps.count += (double)profile->bursts;
    }
    for (i = 0; i < s->programs.count; i++)
        c->programs[i].checks.sum = (double)s->programs.at[i].checks;
}

static void show_one(report *r, const report_sum *numbers, const char *measure, const char *unit,
                     const char *program) {
    report_sum sum = *numbers;
    sum.measure = measure;
    sum.unit = unit;
    sum.program = program;
    sum.function = sum.file = "";
    report_add_sum(r, &sum);
}

/* What a program's functions make together, and what intervals of counts
   need. */
static void show_programs(report *r, const function_sums *c) {
    size_t i;
    for (i = 0; i < c->tally->programs.count; i++) {
        const sampled_program *of = &c->tally->programs.at[i];
        const program_sums *all = &c->programs[i];
        if (all->has_time)
            show_one(r, &all->time, "all_time", of->tick_us ? "ms" : "ticks", of->name);
        if (!all->has_calls) continue;
        show_one(r, &all->calls, "all_calls", "calls", of->name);
        show_one(r, &all->checks, "checks", "checks", of->name);
        if (all->has_gaps) show_one(r, &all->gaps, "gaps", "checks", of->name);
    }
}

/* What is missing in the rows above. */
static void show_losses(report *r) {
    static const char *const units[] = {"-", "counts", "time", "counts and time"};
    size_t i;
    if (r->sum_count == 0) return;
    for (i = 0; i < r->loss_count; i++) {
        const report_loss *loss = &r->losses[i];
        report_sum sum;
        memset(&sum, 0, sizeof sum);
        sum.measure = "lost";
        sum.unit = units[loss->of & (REPORT_OF_COUNTS | REPORT_OF_TIME)];
        sum.program = sum.file = "";
        sum.function = loss->what;
        sum.sum = loss->count ? (double)loss->count : 1; /* 0: that it happened is all one knows */
        report_add_sum(r, &sum);
    }
}

/* A function that is never the last of a stack has a self time of 0, which adds
   up, too. */
static void show(report *r, const function_sums *c) {
    static const char *const measures[] = {"self_time", "total_time", "calls"};
    size_t i;
    int m;
    for (i = 0; i < c->count; i++) {
        const sampled_site *site = &c->tally->sites.at[c->at[i].site];
        const sampled_program *program = &c->tally->programs.at[c->at[i].program];
        char *name = report_name(r, site->name);
        for (m = 0; m < MEASURES; m++) {
            report_sum sum = c->at[i].of[m];
            if (!c->at[i].has[m]) continue;
            sum.measure = measures[m];
            sum.unit = m == CALLS ? "calls" : program->tick_us ? "ms" : "ticks";
            sum.program = program->name;
            sum.function = name;
            sum.file = site->file;
            sum.line = site->line;
            report_add_sum(r, &sum);
        }
        free(name);
    }
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    function_sums c;
    (void)columns;
    (void)in;
    if (!r->options.wants_sums) return;
    memset(&c, 0, sizeof c);
    c.tally = (const tally *)state;
    c.programs = (program_sums *)tool_alloc(c.tally->programs.count * sizeof *c.programs);
    add_time(&c);
    add_calls(&c);
    show(r, &c);
    show_programs(r, &c);
    show_losses(r);
    free(c.programs);
    free(c.at);
    hash_free(&c.places);
}

const report_section section_function_sums = {
    &kind_sampled, "function_sums", 0, fill, NULL, NULL,
};
