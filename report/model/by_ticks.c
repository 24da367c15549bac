/* by_ticks.c - from ticks of paths to "where does it run": self and total time
   of each function with its interval, the part of the recording itself,
   threads, and a tree of whole stacks.

   Recorders charge a tick that met themselves to a path "(recorder)". Such
   ticks say nothing of the program: they are counted, and no share or interval
   is made of them. */
#include "base/hash.h"
#include "base/tool.h"
#include "report/kinds/sampled.h"
#include "report/model/interval.h"
#include "report/model/looks.h"
#include "report/model/pairs_by_ticks.h"
#include "report/model/sampled.h"
#include "report/model/stacks_by_ticks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct timed_function {
    uint32_t site;
    uint64_t self, total;                         /* ticks; total: with callees, once a stack */
    double self_squares, total_squares;           /* sums of squares of what looks counted */
    uint64_t in_cut;                              /* of the total, in stacks that were cut off */
    uint64_t calls;                               /* an estimate times 256, from counts */
    int is_timed;                                 /* it has a scope, or needs none */
    interval self_range, total_range;             /* of the shares */
} timed_function;

/* A path of all threads together. */
typedef struct timed_path {
    uint32_t parent, site;                        /* parent: TALLY_NO_PATH: none */
    uint32_t first, next;                         /* child and sibling, or TALLY_NO_PATH */
    uint64_t ticks, total;                        /* total: with the paths below it */
    double squares, total_squares;
} timed_path;

typedef struct report_ticks {
    const tally *tally;
    char **names;                                 /* of the sites, as people read them */
    timed_function *functions;
    size_t count, left_out;                       /* by the least share */
    uint64_t beyond;                              /* in stacks that were cut off further out */
    uint64_t ticks, slow, squares, cut, tick_us, calls;
    double samples; /* that paths have met at least, each as often as its ticks allow */
    int misses_time;                              /* so much that intervals would not hold */
    uint64_t own_ticks, own_squares;              /* of the recorder, not among these */
    int has_ticks;                                /* they were on */
    int from_outside;                             /* the kernel's events, and no recorder inside */
    int has_checks;                               /* a recorder put checks into the code */
    int is_watched;                               /* by a thread that looks */
    int is_random;                                /* looks at random moments, which count differently */
    uint64_t kernel_us, kernel_cpu_us, look_us;   /* kernel_cpu_us 0: not known */
    double lockstep;                              /* looks_lockstep */
    timed_path *paths;
    size_t path_count;
    uint32_t roots;                               /* the first one */
    uint32_t *joined;                             /* of each of the tally's paths */
} report_ticks;

static int is_recorder(const tally *s, const sampled_path *path) {
    const sampled_site *site = &s->sites.at[path->site];
    return !*site->file && strcmp(site->name, "(recorder)") == 0;
}

static void add_up(report_ticks *c) {
    const tally *s = c->tally;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        const sampled_program *p = &s->programs.at[i];
        if (p->tick_us > c->tick_us) c->tick_us = p->tick_us;
        c->has_ticks |= p->has_ticks != 0;
        c->is_watched |= p->watch_answers != 0;
        c->has_checks |= (p->tick_ways & TICKS_CHECKED) != 0;
        c->is_random |= (p->tick_ways & TICKS_AT_RANDOM) != 0;
        c->from_outside |= (p->tick_ways & TICKS_FROM_OUTSIDE) != 0;
        c->cut = sampled_add(c->cut, p->ticks_cut);
        c->kernel_us = sampled_add(c->kernel_us, p->kernel_us);
        c->kernel_cpu_us = sampled_add(c->kernel_cpu_us, p->kernel_cpu_us);
        if (p->look_us > c->look_us) c->look_us = p->look_us;
    }
    for (i = 0; i < s->paths.count; i++) {
        const sampled_path *path = &s->paths.at[i];
        int own = is_recorder(s, path);
        uint64_t *ticks = own ? &c->own_ticks : &c->ticks;
        uint64_t *squares = own ? &c->own_squares : &c->squares;
        *ticks = sampled_add(*ticks, path->ticks);
        *squares = sampled_add(*squares, path->squares);
        if (own) continue;
        c->slow = sampled_add(c->slow, path->slow);
        if (path->squares)
            c->samples += (double)path->ticks * (double)path->ticks / (double)path->squares;
    }
}

static int is_path(const void *owner, uint32_t number, const void *key) {
    const timed_path *a = &((const report_ticks *)owner)->paths[number - 1];
    const timed_path *b = (const timed_path *)key;
    return a->parent == b->parent && a->site == b->site;
}

/* The same path in several threads becomes one. Parents come before their
   children. The recorder's is left out; recorders put nothing below it, and
   what a file has there is outermost. */
static void join_paths(report_ticks *c) {
    const tally *s = c->tally;
    size_t count = s->paths.count, i;
    uint32_t *joined = c->joined = (uint32_t *)tool_alloc(count * sizeof *joined);
    hash_table places = {NULL, 0, 0}; /* number of the path + 1 */
    c->paths = (timed_path *)tool_alloc(count * sizeof *c->paths);
    for (i = 0; i < count; i++) {
        const sampled_path *path = &s->paths.at[i];
        timed_path to = {0, 0, 0, 0, 0, 0, 0, 0};
        uint32_t *place;
        joined[i] = TALLY_NO_PATH;
        if (is_recorder(s, path)) continue;
        to.parent = path->parent == TALLY_NO_PATH ? path->parent : joined[path->parent];
        to.site = path->site;
        place = hash_place(&places, hash_numbers(to.parent, to.site), is_path, c, &to);
        if (*place == 0) {
            c->paths[c->path_count++] = to;
            *place = (uint32_t)c->path_count;
        }
        joined[i] = *place - 1;
        c->paths[joined[i]].ticks = sampled_add(c->paths[joined[i]].ticks, path->ticks);
        c->paths[joined[i]].squares += (double)path->squares;
    }
    hash_free(&places);
}

/* Children come after their parents, so one walk backwards adds up
   subtrees. */
static void link_paths(report_ticks *c) {
    size_t i;
    c->roots = TALLY_NO_PATH;
    for (i = 0; i < c->path_count; i++) c->paths[i].first = TALLY_NO_PATH;
    for (i = c->path_count; i-- > 0;) {
        timed_path *path = &c->paths[i];
        timed_path *parent = path->parent == TALLY_NO_PATH ? NULL : &c->paths[path->parent];
        uint32_t *head = parent ? &parent->first : &c->roots;
        path->total = sampled_add(path->total, path->ticks);
        path->total_squares += path->squares;
        if (parent) parent->total = sampled_add(parent->total, path->total);
        if (parent) parent->total_squares += path->total_squares;
        path->next = *head;
        *head = (uint32_t)i;
    }
}

/* The ticks of each thread, for forms that tell threads apart. place: of each
   joined path, its node. */
static void add_samples(report *r, const report_ticks *c, report_tree *tree,
                        const uint32_t *place) {
    const tally *s = c->tally;
    size_t i;
    tree->samples = (report_sample *)tool_alloc(s->paths.count * sizeof *tree->samples);
    for (i = 0; i < s->paths.count; i++) {
        report_sample *sample = &tree->samples[tree->sample_count];
        if (c->joined[i] == TALLY_NO_PATH || !s->paths.at[i].ticks) continue;
        sample->node = place[c->joined[i]];
        sample->thread = s->paths.at[i].thread;
        sample->count = s->paths.at[i].ticks;
        sample->squares = (double)s->paths.at[i].squares;
        tree->sample_count++;
    }
    tree->thread_count = s->threads.count;
    tree->threads = (const char **)tool_alloc(s->threads.count * sizeof *tree->threads);
    for (i = 0; i < s->threads.count; i++)
        tree->threads[i] = report_thread_name(r, &s->threads.at[i]);
}

/* Functions that share a name and are not one. Sites are sorted by name, file
   and line. */
static void find_twins(const report_ticks *c, report_tree *tree) {
    const sampled_site *sites = c->tally->sites.at, *last = NULL;
    uint32_t number = 0, first = 0, i;
    tree->twin = (uint32_t *)tool_alloc(c->tally->sites.count * sizeof *tree->twin);
    for (i = 0; i < c->tally->sites.count; i++) {
        if (!c->functions[i].is_timed || !*sites[i].file) continue; /* no tick met it; no place */
        if (!last || strcmp(last->name, sites[i].name) != 0) {
            number = 1;
            first = i;
        } else {
            if (last->line != sites[i].line || strcmp(last->file, sites[i].file) != 0) number++;
            if (number > 1) tree->twin[i] = number;
            if (number == 2) tree->twin[first] = 1;
        }
        last = &sites[i];
    }
}

/* Walks all paths in preorder: functions get their sums, the tree its nodes. A
   function's total counts the outermost of its scopes on a stack alone. */
static void walk(report *r, report_ticks *c, report_tree *tree) {
    const timed_path *paths = c->paths;
    uint32_t *on_stack = (uint32_t *)tool_alloc(c->tally->sites.count * sizeof *on_stack);
    uint32_t *place = (uint32_t *)tool_alloc(c->path_count * sizeof *place), at = c->roots;
    size_t made = 1;
    int is_cut = 0;
    while (at != TALLY_NO_PATH) {
        const timed_path *path = &paths[at];
        timed_function *f = &c->functions[path->site];
        place[at] = (uint32_t)made;
        tree->parent[made] = path->parent == TALLY_NO_PATH ? 0 : place[path->parent];
        tree->name[made] = path->site;
        tree->lower[made] = tree->upper[made] = path->ticks;
        tree->squares[made] = path->squares;
        made++;
        f->is_timed = 1;
        f->self = sampled_add(f->self, path->ticks);
        f->self_squares += path->squares;
        if (path->parent == TALLY_NO_PATH) {
            const sampled_site *site = &c->tally->sites.at[path->site];
            is_cut = !*site->file && strcmp(site->name, SAMPLED_BEYOND_NAME) == 0;
            if (is_cut) c->beyond = path->total;
        }
        if (on_stack[path->site]++ == 0) {
            f->total = sampled_add(f->total, path->total);
            f->total_squares += path->total_squares;
            if (is_cut) f->in_cut = sampled_add(f->in_cut, path->total);
        }
        if (path->first != TALLY_NO_PATH) {
            at = path->first;
            continue;
        }
        for (; at != TALLY_NO_PATH; at = paths[at].parent) {
            on_stack[paths[at].site]--;
            if (paths[at].next != TALLY_NO_PATH) break;
        }
        if (at != TALLY_NO_PATH) at = paths[at].next;
    }
    add_samples(r, c, tree, place);
    find_twins(c, tree);
    free(on_stack);
    free(place);
}

static int compare_self(const void *left, const void *right) {
    const timed_function *a = (const timed_function *)left, *b = (const timed_function *)right;
    if (a->is_timed != b->is_timed) return a->is_timed ? -1 : 1;
    if (a->self != b->self) return a->self > b->self ? -1 : 1;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    if (a->calls != b->calls) return a->calls > b->calls ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static double share(const report_ticks *c, uint64_t ticks) {
    return c->ticks ? (double)ticks / (double)c->ticks : 0;
}

/* Ticks that come several at once say less than as many single ones. */
static double effective_of(uint64_t ticks, uint64_t squares) {
    return squares ? (double)ticks * (double)ticks / (double)squares : 0;
}

/* 0: no interval can be told (report_add_why). */
static double effective(const report_ticks *c) {
    return c->misses_time ? 0 : effective_of(c->ticks, c->squares) / c->lockstep;
}

/* The same for a row. */
static double effective_for(const report_ticks *c, uint64_t ticks, double squares) {
    return effective(c)
           * interval_part_of_worth((double)ticks, squares, (double)c->ticks, (double)c->squares);
}

/* What no tick met: its bound is that of the samples that there were. Where
   ticks come several at once on one path, all others have still had as many as
   they have. It may have run where a look counted most. Each pace has as many looks
   as the one before it, so a look may count up to 1.5 times the mean. */
static interval range_of(const report_ticks *c, uint64_t ticks, double squares) {
    interval range = interval_wilson(share(c, ticks), effective_for(c, ticks, squares)), unmet;
    if (ticks || c->misses_time) return range;
    unmet = interval_unmet(c->is_random ? c->samples / 1.5 : c->samples);
    return unmet.low < 0 ? range : unmet;
}

/* `bursty record` counts a function as one site and times it as another one,
   which has the flag of a scope. Sites are sorted, so the two stand side by
   side. Neither names a file. */
static uint32_t timed_site(const tally *s, uint32_t site) {
    const sampled_site *a = &s->sites.at[site], *b = a + 1;
    if (*a->file || a->kind & SITE_FRAME || site + 1 == s->sites.count) return site;
    return strcmp(a->name, b->name) == 0 && !*b->file && b->kind & SITE_FRAME ? site + 1 : site;
}

/* Functions that counts have seen: those with a scope are timed even if no tick
   met them, and so are those of `bursty record`, which looks at the machine's
   stack and needs no scope. */
static void count_calls(report_ticks *c) {
    const tally *s = c->tally;
    size_t i;
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *row = &s->rows.at[i];
        const sampled_site *site = &s->sites.at[row->site];
        timed_function *f = &c->functions[timed_site(s, row->site)];
        if (!(site->kind & SITE_CALL)) continue;
        f->calls = sampled_add(f->calls, row->weight_256);
        c->calls = sampled_add(c->calls, row->weight_256);
        if (site->kind & SITE_FRAME || !*site->file) f->is_timed = 1;
    }
}

/* Who has less than the least share of the time is left out; for who is not
   timed, or has a scope that no tick met, the share of the calls decides. Zeros
   are for --min 0. */
static void make_functions(report_ticks *c, double least_share) {
    const tally *s = c->tally;
    size_t i, kept = 0;
    for (i = 0; i < s->sites.count; i++) {
        timed_function f = c->functions[i];
        double calls = c->calls ? (double)f.calls / (double)c->calls : 0;
        int by_calls = f.total == 0 && (*s->sites.at[i].file || !f.is_timed);
        if (f.total == 0 && f.calls == 0) continue;
        int is_unmet = f.total == 0 && f.is_timed && least_share > 0; /* no tick met it */
        if (is_unmet || (by_calls ? calls : share(c, f.total)) < least_share) {
            c->left_out++;
            continue;
        }
        f.self_range = range_of(c, f.self, f.self_squares);
        f.total_range = range_of(c, f.total, f.total_squares);
        /* It may stand beyond where stacks were cut. */
        if (c->beyond > f.in_cut && f.total_range.low >= 0)
            f.total_range.high = range_of(c, f.total + (c->beyond - f.in_cut), f.total_squares).high;
        c->functions[kept++] = f;
    }
    c->count = kept;
    if (kept) qsort(c->functions, kept, sizeof *c->functions, compare_self);
}

/* ---- what every writer shows -------------------------------------------------------------- */

/* Two digits, or "100". */
static void add_percent(text *out, double part) {
    text_format(out, part < .1 ? "%.2g" : "%.0f", part > 1e-9 ? 100 * part : 0);
}

static void add_range(text *out, interval range) {
    if (range.low < 0) return;
    text_add(out, " (");
    add_percent(out, range.low);
    text_add(out, " to ");
    add_percent(out, range.high);
    text_add(out, " %)");
}

/* The kernel knows it from looks of its own, one each look_us. Of a few looks
   nothing is said. */
static void add_kernel(report *r, const report_ticks *c, text *value) {
    enum { LEAST_LOOKS = 10 };
    double part = c->kernel_cpu_us ? (double)c->kernel_us / (double)c->kernel_cpu_us : 0;
    double looks = c->look_us ? (double)c->kernel_cpu_us / (double)c->look_us : HUGE_VAL;
    if (!c->kernel_cpu_us || looks < (double)LEAST_LOOKS) return;
    /* On a busy machine its looks stand for turns, as our ticks do. */
    if (c->squares) looks *= effective_of(c->ticks, c->squares) / (double)c->ticks / c->lockstep;
    add_percent(value, part);
    text_add(value, " %");
    if (c->look_us) add_range(value, interval_wilson(part, looks));
    text_format(value, " of %.3g s of CPU time; it is in %s", (double)c->kernel_cpu_us / 1e6,
                c->from_outside ? "the rows below (kernel)" : "the shares of those who called");
    report_add_words(r, REPORT_TOLD, "in the kernel", value);
}

/* The first looks of a run count for less than later ones. */
static int counts_differently(const report_ticks *c) {
    return c->ticks && c->is_random && c->squares > c->ticks;
}

static void add_facts(report *r, const report_ticks *c) {
    text value = {NULL, 0, 0};
    if (c->ticks == 0 && c->own_ticks) text_add(&value, "none met the program");
    else if (c->ticks == 0 && c->is_watched)
        text_add(&value, "none came: all looks found threads waiting, or the run was too short");
    else if (c->ticks == 0 && c->tick_us && report_misses(r, REPORT_OF_TIME))
        text_add(&value, "none came; what is missing is said above");
    else if (c->ticks == 0 && c->from_outside)
        text_add(&value, "none came: the run was shorter than one tick");
    else if (c->ticks == 0 && c->tick_us)
        text_add(&value, "none came: the signal is blocked or was taken by the program, or the run "
                         "was shorter than one tick");
    else if (c->ticks == 0)
        text_add(&value, "none came: there are no timers, and nobody called bursty_tick");
    else text_count(&value, c->ticks);
    if (c->ticks && c->tick_us)
        text_format(&value, ", one in %lu us of CPU time", (unsigned long)c->tick_us);
    if (c->own_ticks) {
        text_add(&value, "; beside them ");
        text_count(&value, c->own_ticks);
        text_add(&value, " met the recorder");
    }
    if (c->ticks && c->is_watched) text_add(&value, ", by a thread that looks");
    if (c->ticks && c->is_random) text_add(&value, ", at random moments");
    if (counts_differently(c))
        text_format(&value, "; looks count differently, and all are worth %.0f equal ones",
                    effective_of(c->ticks, c->squares));
    if (c->ticks && c->from_outside)
        text_add(&value, ", by looks from outside, with nothing changed in the program");
    else if (c->ticks && c->kernel_cpu_us)
        text_add(&value, ", by a timer in the program");
    report_add_words(r, c->ticks || c->is_watched ? REPORT_PLAIN : REPORT_BAD, "ticks", &value);
    add_kernel(r, c, &value);
    if (c->has_checks && c->ticks) {
        text_add(&value, "of code with checks in it: functions of short loops and calls come out too "
                         "large, by more than intervals say. Time alone, or with --off, is the "
                         "program's own (docs/ticks.md)");
        report_add_words(r, REPORT_TOLD, "time", &value);
    }
    if (c->slow) {
        add_percent(&value, share(c, c->slow));
        text_add(&value, " % of the time");
        add_range(&value, interval_wilson(share(c, c->slow), effective(c)));
        report_add_words(r, REPORT_PLAIN, "recording of events", &value);
    }
    if (c->cut) {
        text_count(&value, c->cut);
        text_add(&value, " (charged further out; cure: more memory for ticks)");
        report_add_words(r, REPORT_BAD, "ticks cut", &value);
    }
    text_free(&value);
}

/* With its place, if another function in the table has the name. */
static void add_name(text *line, report *r, const report_ticks *c, const timed_function *f) {
    const char *name = c->names[f->site], *place = report_place(r, c->tally->sites.at[f->site].file, c->tally->sites.at[f->site].line);
    size_t i, same = 0;
    for (i = 0; i < c->count; i++) same += strcmp(c->names[c->functions[i].site], name) == 0;
    text_add(line, *name ? name : "(no name)");
    if (same > 1 && *place) text_format(line, " (%s)", place);
}

/* "parse takes 44 % of the time (41 to 47 %)", of the function that takes most
   itself. */
static void add_headline(report *r, const report_ticks *c) {
    uint64_t all = sampled_add(c->ticks, c->own_ticks);
    double own = all ? (double)c->own_ticks / (double)all : 0;
    text line = {NULL, 0, 0};
    const timed_function *f = c->functions;
    if (c->count && f->is_timed) {
        add_name(&line, r, c, f);
        text_add(&line, " takes ");
        report_add_share(&line, share(c, f->self), f->self_range.low, f->self_range.high,
                         c->misses_time ? "the time that was seen" : "the time");
        text_add(&line, " itself, by ");
        if (counts_differently(c)) {
            text_format(&line, "looks that are worth %.0f equal ones.", effective_of(c->ticks, c->squares));
        } else {
            text_count(&line, c->ticks);
            text_add(&line, c->ticks == 1 ? " tick." : " ticks.");
        }
    }
    if (own >= .25) {
        text_add(&line, line.size ? " " : "");
        add_percent(&line, own);
        text_add(&line, " % of all ticks met the recorder and say nothing of the program: record "
                        "less.");
    }
    if (line.size) {
        text_bytes(&line, "", 1);
        r->headline = text_clean(line.data, strlen(line.data));
    }
    text_free(&line);
}

/* Functions of which nobody can tell which takes more time than the first of
   them. */
typedef struct tie { size_t first, end; } tie;

static tie tie_at(const report_ticks *c, size_t first) {
    const timed_function *f = c->functions;
    tie t;
    t.first = first;
    for (t.end = first + 1; t.end < c->count && f[t.end].is_timed; t.end++) {
        const double a = effective_for(c, f[first].self, f[first].self_squares);
        const double b = effective_for(c, f[t.end].self, f[t.end].self_squares);
        if (interval_differs(share(c, f[first].self), share(c, f[t.end].self), a < b ? a : b)) break;
    }
    return t;
}

/* "3", or "3=" in a tie of several. */
static const char *rank_of(report *r, const report_ticks *c, size_t i, tie *at) {
    text rank = {NULL, 0, 0};
    if (!c->functions[i].is_timed || c->misses_time) return "-";
    if (i == at->end) *at = tie_at(c, i);
    text_format(&rank, "%lu%s", (unsigned long)at->first + 1,
                at->end > at->first + 1 ? "=" : "");
    return report_keep_text(r, &rank);
}

static double low(interval i) { return i.low < 0 ? REPORT_NONE : i.low; }
static double high(interval i) { return i.low < 0 ? REPORT_NONE : i.high; }

static void add_functions(report *r, const report_ticks *c) {
    static const report_column columns[] = {
        {"rank", "rank", REPORT_NAME, REPORT_OPTIONAL, NULL},
        {"self_share", "self", REPORT_SHARE, 0, "not-timed"},
        {"self_low", "from", REPORT_SHARE, 0, "-"},
        {"self_high", "to", REPORT_SHARE, 0, "-"},
        {"total_share", "total", REPORT_SHARE, 0, "not-timed"},
        {"total_low", "from", REPORT_SHARE, REPORT_OPTIONAL, "-"},
        {"total_high", "to", REPORT_SHARE, REPORT_OPTIONAL, "-"},
        {"self_ticks", "ticks", REPORT_REAL, REPORT_OPTIONAL | REPORT_WHOLE, "-"},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"place", "place", REPORT_NAME, REPORT_OPTIONAL, NULL},
        {"file", "file", REPORT_NAME, REPORT_HIDDEN, NULL},
        {"line", "line", REPORT_COUNT, REPORT_HIDDEN, NULL},
    };
    report_table *table = report_add_table(r, "time", "where does it run: time by ticks", columns,
                                           sizeof columns / sizeof *columns);
    tie ties = {0, 0};
    text remark = {NULL, 0, 0};
    size_t i, k;
    if (c->misses_time) {
        text_add(&remark, "Shares of the time that was seen. ");
        report_add_why(r, REPORT_OF_TIME, &remark);
    } else
        text_add(&remark,
                 "Shares of the time, with the 95 % interval of each. A function's time includes "
                 "what was inlined into it and what it calls without a scope or an entry of its own; "
                 "such functions are not timed. Rows of one rank with a = cannot be told from the "
                 "first of them.");
    report_remark(table, report_keep_text(r, &remark));
    table->rows_left_out = c->left_out;
    for (i = 0; i < c->count; i++) {
        const timed_function *f = &c->functions[i];
        report_cell *row = report_add_row(table);
        row[0].name = rank_of(r, c, i, &ties);
        row[8].name = c->names[f->site];
        row[9].name = report_place(r, c->tally->sites.at[f->site].file, c->tally->sites.at[f->site].line);
        row[10].name = c->tally->sites.at[f->site].file;
        row[11].count = c->tally->sites.at[f->site].line;
        for (k = 1; k < 8 && !f->is_timed; k++) row[k].real = REPORT_NONE;
        if (!f->is_timed) continue;
        row[1].real = share(c, f->self);
        row[2].real = low(f->self_range);
        row[3].real = high(f->self_range);
        row[4].real = share(c, f->total);
        row[5].real = low(f->total_range);
        row[6].real = high(f->total_range);
        row[7].real = (double)f->self;
    }
}

/* What the recording itself takes, as a share of all ticks. */
static void add_recorder(report *r, const report_ticks *c) {
    static const report_column columns[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "unknown"},
        {"share_high", "to", REPORT_SHARE, 0, "unknown"},
        {"ticks", "ticks", REPORT_COUNT, 0, NULL},
        {"of_ticks", "of", REPORT_COUNT, 0, NULL},
    };
    uint64_t ticks = sampled_add(c->ticks, c->own_ticks);
    uint64_t squares = sampled_add(c->squares, c->own_squares);
    double part = ticks ? (double)c->own_ticks / (double)ticks : 0;
    interval range = interval_wilson(part, effective_of(ticks, squares));
    report_table *table;
    report_cell *row;
    if (!c->own_ticks) return;
    table = report_add_table(r, "recorder_time", "time of the recorder itself", columns,
                             sizeof columns / sizeof *columns);
    report_remark(table, "Of all ticks. The shares of all other tables are of the rest.");
    row = report_add_row(table);
    row[0].real = part;
    row[1].real = low(range);
    row[2].real = high(range);
    row[3].count = c->own_ticks;
    row[4].count = ticks;
}

static void add_threads(report *r, const report_ticks *c) {
    static const report_column columns[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "unknown"},
        {"share_high", "to", REPORT_SHARE, 0, "unknown"},
        {"ticks", "ticks", REPORT_COUNT, 0, NULL},
        {"thread", "thread", REPORT_NAME, 0, NULL},
        {"program", "program", REPORT_NAME, REPORT_OPTIONAL, NULL},
    };
    const tally *s = c->tally;
    report_table *table;
    size_t i, at = 0, count = sizeof columns / sizeof *columns - (s->programs.count < 2);
    if (s->threads.count < 2) return;
    table = report_add_table(r, "thread_time", "time of threads", columns, count);
    table->rows_shown = 8;
    for (i = 0; i < s->threads.count; i++) {
        const sampled_thread *thread = &s->threads.at[i];
        const char *program = s->programs.at[thread->program].name;
        uint64_t ticks = 0;
        double squares = 0;
        interval range;
        report_cell *row;
        for (; at < s->paths.count && s->paths.at[at].thread == i; at++) {
            if (is_recorder(s, &s->paths.at[at])) continue;
            ticks = sampled_add(ticks, s->paths.at[at].ticks);
            squares += (double)s->paths.at[at].squares;
        }
        if (r->options.least_share > 0 && share(c, ticks) < r->options.least_share) {
            table->rows_left_out++;
            continue;
        }
        range = interval_wilson(share(c, ticks), effective_for(c, ticks, squares));
        row = report_add_row(table);
        row[0].real = share(c, ticks);
        row[1].real = low(range);
        row[2].real = high(range);
        row[3].count = ticks;
        row[4].name = report_thread_name(r, thread);
        if (count > 5) row[5].name = *program ? program : "(no name)";
    }
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    report_ticks *c = (report_ticks *)columns;
    const tally *s = (const tally *)state;
    report_tree *tree;
    size_t i;
    (void)in;
    c->tally = s;
    c->misses_time = report_misses(r, REPORT_OF_TIME);
    c->lockstep = looks_lockstep(s);
    add_up(c);
    if (c->ticks == 0) {
        add_headline(r, c);
        if (c->has_ticks || c->own_ticks) add_facts(r, c);
        add_recorder(r, c);
        return;
    }
    c->names = (char **)tool_alloc(s->sites.count * sizeof *c->names);
    c->functions = (timed_function *)tool_alloc(s->sites.count * sizeof *c->functions);
    join_paths(c);
    link_paths(c);
    tree = report_add_tree(r, c->path_count + 1, s->sites.count);
    tree->unit = "ticks";
    tree->effective = effective(c);
    tree->squares = (double *)tool_alloc((c->path_count + 1) * sizeof *tree->squares);
    tree->is_whole = 1;
    tree->file = (const char **)tool_alloc(s->sites.count * sizeof *tree->file);
    tree->line = (uint32_t *)tool_alloc(s->sites.count * sizeof *tree->line);
    for (i = 0; i < s->sites.count; i++) {
        c->names[i] = report_name(r, s->sites.at[i].name);
        tree->names[i] = report_name(r, s->sites.at[i].name);
        tree->file[i] = s->sites.at[i].file;
        tree->line[i] = s->sites.at[i].line;
        c->functions[i].site = (uint32_t)i;
    }
    tree->period_us = c->tick_us;
    walk(r, c, tree);
    count_calls(c);
    make_functions(c, r->options.least_share);
    add_headline(r, c);
    add_facts(r, c);
    add_functions(r, c);
    add_recorder(r, c);
    report_add_pairs_by_ticks(r, tree, r->options.least_share);
    report_add_stacks_by_ticks(r, tree, r->options.least_share);
    add_threads(r, c);
}

static void free_columns(void *columns) {
    report_ticks *c = (report_ticks *)columns;
    size_t i;
    for (i = 0; c->names && i < c->tally->sites.count; i++) free(c->names[i]);
    free(c->names);
    free(c->functions);
    free(c->paths);
    free(c->joined);
}

const report_section section_by_ticks = {
    &kind_sampled, "ticks", sizeof(report_ticks), fill, NULL, free_columns,
};
