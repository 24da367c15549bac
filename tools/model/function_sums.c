/* function_sums.c - of each function of each program: time and calls as counts,
   sums and sums of squares of what was seen independently, which add up over
   files. For --sums alone.

   Ticks that come several at once are one piece; so are the calls of one burst.
   Calls without sums over bursts are taken as pieces of their own. */
#include "base/hash.h"
#include "base/tool.h"
#include "kinds/sampled.h"
#include "model/report.h"
#include "model/sampled_ranges.h"
#include <stdlib.h>
#include <string.h>

enum { SELF, TOTAL, CALLS, MEASURES };

typedef struct function_sum {
    uint32_t program, site; /* the first site of its name, file and line */
    uint32_t open;          /* on the stack that is being walked */
    int has[MEASURES];
    double count[MEASURES], sum[MEASURES], squares[MEASURES];
} function_sum;

typedef struct function_sums {
    const tally *tally;
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
    if (c->count == c->room) {
        c->room = 2 * c->room + 64;
        c->at = (function_sum *)tool_grow(c->at, c->room * sizeof *c->at);
    }
    c->at[c->count++] = key;
    *place = (uint32_t)c->count;
    return c->count - 1;
}

static void add(function_sums *c, size_t at, int measure, double count, double sum,
                double squares) {
    function_sum *to = &c->at[at];
    to->has[measure] = 1;
    to->count[measure] += count;
    to->sum[measure] += sum;
    to->squares[measure] += squares;
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

/* Paths have their parents in front of them: one walk backwards links children
   and adds up what is below, one in preorder knows what is open on each
   stack. */
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
        next[i] = first[parent];
        first[parent] = (uint32_t)i + 1;
        if (!is_counted(s, path)) continue;
        of[i] = (uint32_t)sum_of(c, s->threads.at[path->thread].program, path->site);
        add(c, of[i], SELF, (double)path->ticks, (double)path->ticks * ms,
            (double)path->squares * ms * ms);
        ticks[i] += (double)path->ticks;
        squares[i] += (double)path->squares;
        ticks[parent] += ticks[i];
        squares[parent] += squares[i];
    }
    for (at = first[n]; at;) {
        const sampled_path *path = &s->paths.at[at - 1];
        double ms = period_of(s, path);
        if (is_counted(s, path)) {
            if (c->at[of[at - 1]].open++ == 0)
                add(c, of[at - 1], TOTAL, ticks[at - 1], ticks[at - 1] * ms, squares[at - 1] * ms * ms);
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

static void add_calls(function_sums *c) {
    const tally *s = c->tally;
    ranges of;
    size_t i;
    ranges_make(&of, s);
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *row = &s->rows.at[i];
        ranges_sums sums;
        double count, each;
        if (!(s->sites.at[row->site].kind & SITE_CALL)) continue;
        memset(&sums, 0, sizeof sums);
        ranges_add(&sums, row, 0);
        count = (double)sums.weight_256 / 256;
        each = sums.sampled ? count / (double)sums.sampled : 0;
        add(c, sum_of(c, s->threads.at[row->thread].program, row->site), CALLS,
            of.basis == RANGES_EXACT    ? 0
            : of.basis == RANGES_BURSTS ? (double)sums.bursts
                                        : (double)sums.sampled,
            count,
            of.basis == RANGES_EXACT    ? 0
            : of.basis == RANGES_BURSTS ? sums.yy
                                        : each * each * (double)sums.sampled);
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
            report_sum sum;
            if (!c->at[i].has[m]) continue;
            memset(&sum, 0, sizeof sum);
            sum.measure = measures[m];
            sum.unit = m == CALLS ? "calls" : program->tick_us ? "ms" : "ticks";
            sum.program = program->name;
            sum.function = name;
            sum.file = site->file;
            sum.line = site->line;
            sum.count = c->at[i].count[m];
            sum.sum = c->at[i].sum[m];
            sum.squares = c->at[i].squares[m];
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
    add_time(&c);
    add_calls(&c);
    show(r, &c);
    free(c.at);
    hash_free(&c.places);
}

const report_section section_function_sums = {
    &kind_sampled, "function_sums", 0, fill, NULL, NULL,
};
