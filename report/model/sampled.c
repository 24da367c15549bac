/* sampled.c - from rows of threads to hot functions and hot call pairs. */
#include "report/model/sampled.h"
#include "base/tool.h"
#include "report/kinds/contexts.h"
#include "report/model/paths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An item per row, then sorted and folded; cheaper to read than a hash table,
   and rows are few. */
static int compare_place(const void *left, const void *right) {
    const report_item *a = (const report_item *)left, *b = (const report_item *)right;
    if (a->site != b->site) return a->site < b->site ? -1 : 1;
    return a->caller < b->caller ? -1 : a->caller > b->caller;
}

static unsigned class_of(const report_item *item) { return item->kind & SITE_CLASSES; }

static int compare_heat(const void *left, const void *right) {
    const report_item *a = (const report_item *)left, *b = (const report_item *)right;
    if (class_of(a) != class_of(b)) return class_of(a) < class_of(b) ? -1 : 1;
    if (a->heat > b->heat || a->heat < b->heat) return a->heat > b->heat ? -1 : 1;
    if (ranges_estimated(&a->sums) != ranges_estimated(&b->sums))
        return ranges_estimated(&a->sums) > ranges_estimated(&b->sums) ? -1 : 1;
    return compare_place(left, right);
}

static size_t fold(report_item *items, size_t count) {
    size_t i, kept = 0;
    if (count) qsort(items, count, sizeof *items, compare_place);
    for (i = 0; i < count; i++) {
        if (kept && compare_place(&items[kept - 1], &items[i]) == 0) {
            items[kept - 1].orphaned = sampled_add(items[kept - 1].orphaned, items[i].orphaned);
            ranges_join(&items[kept - 1].sums, &items[i].sums);
            items[kept - 1].time_ns += items[i].time_ns;
            items[kept - 1].is_timed |= items[i].is_timed;
        } else items[kept++] = items[i];
    }
    for (i = 0; i < kept; i++) items[i].orphaned /= 256; /* was a weight up to here */
    return kept;
}

/* What all functions of each class make together. */
typedef struct totals { double estimated[SITE_CLASSES + 1], time_ns[SITE_CLASSES + 1]; } totals;

static size_t sort_and_cut(report_item *items, size_t count, const totals *all,
                           double least_share) {
    size_t i, kept = 0;
    for (i = 0; i < count; i++) {
        double estimated = all->estimated[class_of(&items[i])],
               time_ns = all->time_ns[class_of(&items[i])];
        items[i].share = estimated > 0 ? (double)ranges_estimated(&items[i].sums) / estimated : 0;
        items[i].time_share = time_ns > 0 ? items[i].time_ns / time_ns : 0;
        items[i].heat = time_ns > 0 ? items[i].time_share : items[i].share;
        if (items[i].share >= least_share || items[i].time_share >= least_share)
            items[kept++] = items[i];
    }
    if (kept) qsort(items, kept, sizeof *items, compare_heat);
    return kept;
}

/* The part of all checks that a profile asked to be in bursts, 0..1. */
double report_rate(const sampled_profile *profile) {
    double period = (double)profile->check_count + (double)profile->burst_count;
    if (profile->check_count == UINT32_MAX) return 1;                 /* bursty.h: never pause */
    return period > 0 ? (double)profile->burst_count / period : 0;
}

/* Is it on, and without a burst yet? */
static int waits(const sampled_profile *profile) {
    return profile->bursts == 0 && profile->events == 0 && profile->check_count != UINT32_MAX &&
           !(profile->flags & PROFILE_OFF);
}

static void add_up(report_sampled *c) {
    const tally *s = c->tally;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        c->checks = sampled_add(c->checks, s->programs.at[i].checks);
        c->events = sampled_add(c->events, s->programs.at[i].events);
        c->lost = sampled_add(c->lost, s->programs.at[i].lost);
    }
    ranges_make(&c->ranges, s);
    c->rate_seen = c->ranges.checks > 0 ? c->ranges.checks_seen / c->ranges.checks : 0;
}

int report_is_part(const tally *s) {
    size_t i, part = 0;
    for (i = 0; i < s->profiles.count; i++) {
        if (s->profiles.at[i].events == 0) continue;
        if (report_rate(&s->profiles.at[i]) >= 1) return 0;
        part++;
    }
    return part > 0;
}

/* bursty.h calls a caller "(deep)" when it is not on the shadow stack. */
static double unknown_part(const tally *s, const report_item *pairs, size_t count) {
    double all = 0, unknown = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        const sampled_site *caller = &s->sites.at[pairs[i].caller];
        all += (double)ranges_estimated(&pairs[i].sums);
        if (strcmp(caller->name, "(deep)") == 0 && !*caller->file)
            unknown += (double)ranges_estimated(&pairs[i].sums);
    }
    return all > 0 ? unknown / all : 0;
}

/* A sentence for people that says why the intervals of events are what they are. */
static const char *basis_words(ranges_basis basis) {
    switch (basis) {
    case RANGES_EXACT: return "Every event that was recorded is counted, so shares and counts are exact.";
    case RANGES_BURSTS:
        return "from and to are 95 % intervals, from how the counts differ between bursts: all of "
               "a thread's first 1024, then one of 8. summed: how many of these saw the row. Below "
               "5, or where one has more than a fifth of it, there is an upper bound alone.";
    default:
        return "from and to are 95 % intervals that take events as independent of one another, "
               "because the dump does not say how counts differ between bursts. They are too "
               "narrow where a burst has more than 10 checks.";
    }
}

/* "calls", "loop trips", ... for a site's kind. */
static const char *class_words(uint32_t kind) {
    switch (kind & SITE_CLASSES) {
    case SITE_CALL:     return "calls";
    case SITE_RETURN:   return "returns";
    case SITE_BACKEDGE: return "loop trips";
    case SITE_LOAD:     return "loads";
    case SITE_STORE:    return "stores";
    default:            return "events";
    }
}

/* A loop's trips happen in a function, which does not call them: they make no
   pair. */
static void make_items(report_sampled *c, double least_share) {
    const tally *s = c->tally;
    totals all = {{0}, {0}};
    size_t i, functions, pairs = 0;
    c->functions = (report_item *)tool_alloc(s->rows.count * sizeof(report_item));
    c->pairs = (report_item *)tool_alloc(s->rows.count * sizeof(report_item));
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *row = &s->rows.at[i];
        uint64_t hz = s->programs.at[s->threads.at[row->thread].program].clock_hz;
        report_item item;
        memset(&item, 0, sizeof item);
        item.site = row->site;
        item.caller = TALLY_NO_SITE;
        item.kind = s->sites.at[row->site].kind;
        item.is_timed = hz && (row->ticks || item.kind & SITE_FRAME);
        if (hz) item.time_ns = (double)row->ticks * 1e9 / (double)hz;
        item.orphaned = row->caller == TALLY_NO_SITE ? row->weight_256 : 0;
        ranges_add(&item.sums, row, 0);
        c->functions[i] = item;
        memset(&item.sums, 0, sizeof item.sums);
        ranges_add(&item.sums, row, 1);
        item.caller = row->caller;
        if (item.caller != TALLY_NO_SITE && class_of(&item) != SITE_BACKEDGE)
            c->pairs[pairs++] = item;
    }
    for (i = 0; i < s->programs.count; i++) c->has_ticks |= s->programs.at[i].has_ticks != 0;
    functions = fold(c->functions, s->rows.count);
    pairs = fold(c->pairs, pairs);
    c->callers_unknown = unknown_part(s, c->pairs, pairs);
    for (i = 0; i < functions; i++) {
        const report_item *item = &c->functions[i];
        all.estimated[class_of(item)] += (double)ranges_estimated(&item->sums);
        all.time_ns[class_of(item)] += item->time_ns;
        if (item->time_ns > 0) c->has_time = 1;
    }
    c->function_count = sort_and_cut(c->functions, functions, &all, least_share);
    c->pair_count = sort_and_cut(c->pairs, pairs, &all, least_share);
    c->functions_left_out = functions - c->function_count;
    c->pairs_left_out = pairs - c->pair_count;
}

/* ---- what every writer shows -------------------------------------------------------------- */

static char *copy(const char *name) { return text_clean(name, strlen(name)); }

/* A number for each site: 1, 2, ... for different functions that share a name, else 0.
   Sites are sorted by name, file and line. A loop that has its function's name is not a
   function, and a site without a file may be any of them. */
static uint32_t *find_twins(const tally *s) {
    uint32_t *twins = (uint32_t *)tool_alloc(s->sites.count * sizeof *twins), number = 0;
    size_t i, first = 0, last = SIZE_MAX;
    for (i = 0; i < s->sites.count; i++) {
        const sampled_site *site = &s->sites.at[i], *before;
        if (!(site->kind & SITE_CALL) || !*site->file) continue;
        before = last == SIZE_MAX ? NULL : &s->sites.at[last];
        if (!before || strcmp(before->name, site->name) != 0) {
            number = 1;
            first = i;
        } else {
            if (before->line != site->line || strcmp(before->file, site->file) != 0) number++;
            if (number > 1) twins[i] = number;
            if (number == 2) twins[first] = 1;
        }
        last = i;
    }
    return twins;
}

/* Pairs and functions without a known caller, as stacks of two and of one; two
   nodes for each pair. No loop trips: a loop often has its function's name, and
   would look like recursion. */
static void add_stacks(report *r, report_sampled *c) {
    size_t i, at = 1, orphans = 0;
    report_tree *tree;
    for (i = 0; i < c->function_count; i++) {
        if (class_of(&c->functions[i]) != SITE_BACKEDGE && c->functions[i].orphaned) orphans++;
    }
    tree = report_add_tree(r, 1 + 2 * c->pair_count + orphans, c->tally->sites.count);
    tree->unit = "events";
    tree->twin = find_twins(c->tally);
    tree->file = (const char **)tool_alloc(c->tally->sites.count * sizeof *tree->file);
    tree->line = (uint32_t *)tool_alloc(c->tally->sites.count * sizeof *tree->line);
    for (i = 0; i < c->tally->sites.count; i++) {
        tree->names[i] = copy(c->names[i]);
        tree->file[i] = c->tally->sites.at[i].file;
        tree->line[i] = c->tally->sites.at[i].line;
    }
    c->stacks = tree;
    for (i = 0; i < c->pair_count; i++, at += 2) {
        tree->name[at] = c->pairs[i].caller;
        tree->name[at + 1] = c->pairs[i].site;
        tree->parent[at + 1] = (uint32_t)at;
        tree->lower[at + 1] = tree->upper[at + 1] = ranges_estimated(&c->pairs[i].sums);
    }
    for (i = 0; i < c->function_count; i++) {
        const report_item *item = &c->functions[i];
        if (class_of(item) == SITE_BACKEDGE || !item->orphaned) continue;
        tree->name[at] = item->site;
        tree->lower[at] = tree->upper[at] = item->orphaned;
        at++;
    }
}

/* "1 %", or "1 %, 0.1 %" where runs at several rates were merged. */
static void add_rates_asked(text *out, const report_sampled *c) {
    const tally *s = c->tally;
    double last = -1;
    size_t i;
    for (i = 0; i < s->profiles.count; i++) {
        double rate = report_rate(&s->profiles.at[i]);
        if (!ranges_fills_table(&c->ranges, &s->profiles.at[i])) continue;
        if (rate >= last && rate <= last) continue;
        text_format(out, "%s%.3g %%%s", last < 0 ? "" : ", ", 100 * rate,
                    s->profiles.at[i].flags & PROFILE_BUDGET ? " (held to a budget)" : "");
        last = rate;
    }
}

/* Ticks of all threads are one list then, and nobody says how many there were. */
static int is_from_outside(const report_sampled *c) {
    size_t i;
    for (i = 0; i < c->tally->programs.count; i++) {
        if (c->tally->programs.at[i].tick_ways & TICKS_FROM_OUTSIDE) return 1;
    }
    return 0;
}

static int has_time(const tally *t) {
    size_t i;
    for (i = 0; i < t->paths.count; i++)
        if (t->paths.at[i].ticks || t->paths.at[i].waiting) return 1;
    return 0;
}

static void add_facts(report *r, const report_sampled *c) {
    text value = {NULL, 0, 0};
    uint32_t first_burst = 0;
    uint64_t bursts = 0;
    size_t i;
    if (!c->tally->profiles.count && !c->tally->threads.count && !c->checks && !c->events)
        return; /* a part that only names the program */
    if (c->tally->profiles.count) {
        add_rates_asked(&value, c);
        report_add_words(r, REPORT_PLAIN, "sampling asked", &value);
        if (c->checks || !c->events) { /* else they were not counted */
            text_format(&value, "%.3g %%", 100 * c->rate_seen);
            report_add_words(r, REPORT_PLAIN, "sampling seen", &value);
        }
    }
    if (c->checks || c->events || !c->has_ticks) { /* ticks alone: none could be counted */
        if (c->checks || !c->events) {
            text_count(&value, c->checks);
            report_add_words(r, REPORT_PLAIN, "checks", &value);
        }
        text_count(&value, c->events);
        report_add_words(r, REPORT_PLAIN, "events (calls, returns, ...)", &value);
    }
    if (!is_from_outside(c)) {
        text_count(&value, c->tally->threads.count);
        report_add_words(r, REPORT_PLAIN, "threads", &value);
    }
    if (!c->lost && !r->loss_count)
        report_add_fact(r, REPORT_PLAIN, "events lost", "0");
    for (i = 0; i < c->tally->profiles.count; i++) {
        const sampled_profile *profile = &c->tally->profiles.at[i];
        if (waits(profile) && profile->check_count > first_burst)
            first_burst = profile->check_count;
        bursts = sampled_add(bursts, profile->bursts);
    }
    if (bursts && c->checks && !c->events) {
        text_count(&value, bursts);
        text_add(&value, " bursts: a check by hand (BURST_CHECK, BURST_BODY, BURST_FOR) records nothing "
                         "by itself. BURST_ENTRY, BURST_LOOP, BURST_SCOPE, BURST_POINT and BURST_REF are "
                         "events; their classes must be among those of the profile");
        report_add_words(r, REPORT_BAD, "no event in", &value);
    }
    if (first_burst) {
        text_format(
            &value,
            "the first comes within about %lu checks of a thread; run longer, or lower `every` "
            "(bursty record --every N; BURSTY_EVERY=N for a program of bursty cc). Loops and "
            "functions that --boring leaves without a check make none: --boring 0 leaves out none",
            (unsigned long)first_burst);
        report_add_words(r, has_time(c->tally) ? REPORT_PLAIN : REPORT_BAD, "no burst yet", &value);
    }
    text_free(&value);
}

static const char *name_or(const char *name) { return *name ? name : "(no name)"; }

/* The two columns of time come second and third; without a clock they are left
   out. */
static const report_column timed[] = {
    {"rank", "rank", REPORT_NAME, REPORT_OPTIONAL, NULL},
    {"share", "share", REPORT_SHARE, 0, NULL},
    {"share_low", "from", REPORT_SHARE, 0, "few"},
    {"share_high", "to", REPORT_SHARE, 0, "few"},
    {"time_share", "time", REPORT_SHARE, 0, "not-timed"},
    {"time_ns", "time_ns", REPORT_REAL, REPORT_HIDDEN, "not-timed"},
    {"estimated", "estimated", REPORT_COUNT, 0, NULL},
    {"estimated_low", "from", REPORT_REAL, REPORT_OPTIONAL | REPORT_WHOLE, "few"},
    {"estimated_high", "to", REPORT_REAL, REPORT_OPTIONAL | REPORT_WHOLE, "few"},
    {"sampled", "sampled", REPORT_COUNT, REPORT_OPTIONAL, NULL},
    {"bursts", "summed", REPORT_COUNT, REPORT_OPTIONAL, NULL},
    {"caller", "caller", REPORT_NAME, 0, NULL},
    {"function", "function", REPORT_NAME, 0, NULL},
    {"place", "place", REPORT_NAME, REPORT_OPTIONAL, NULL},
    {"file", "file", REPORT_NAME, REPORT_HIDDEN, NULL},
    {"line", "line", REPORT_COUNT, REPORT_HIDDEN, NULL},
};
enum {
    RANK, SHARE, SHARE_LOW, SHARE_HIGH, TIME_SHARE, TIME_NS, ESTIMATED, ESTIMATED_LOW,
    ESTIMATED_HIGH, SAMPLED, BURSTS, CALLER, FUNCTION, PLACE, FILE_NAME, LINE, COLUMNS
};

/* Does the column say something? Rows that are sorted by time have no rank by
   counts; what is exact has no interval; bursts stand in dumps that have sums
   over them. */
static int is_wanted(const report_sampled *c, int is_pair, int column) {
    switch (column) {
    case RANK:           return !c->has_time && c->ranges.basis != RANGES_EXACT;
    case SHARE_LOW:
    case SHARE_HIGH:     return c->ranges.basis != RANGES_EXACT;
    case ESTIMATED_LOW:
    case ESTIMATED_HIGH: return !c->ranges.is_partial && c->ranges.basis != RANGES_EXACT;
    case BURSTS:         return c->ranges.basis == RANGES_BURSTS;
    case TIME_SHARE:
    case TIME_NS:        return c->has_time;
    case CALLER:         return is_pair;
    case PLACE:
    case FILE_NAME:
    case LINE:           return !is_pair;
    default:             return 1;
    }
}

/* The columns of functions or pairs, made once for each report. */
static const report_column *columns_of(report *r, const report_sampled *c, int is_pair,
                                       size_t *count, int *which) {
    report_column *made = (report_column *)tool_alloc(sizeof timed);
    int i;
    for (i = 0, *count = 0; i < COLUMNS; i++) {
        if (!is_wanted(c, is_pair, i)) continue;
        which[*count] = i;
        made[*count] = timed[i];
        if (is_pair && (i == SHARE_LOW || i == SHARE_HIGH)) made[*count].flags |= REPORT_OPTIONAL;
        (*count)++;
    }
    report_keep(r, (char *)made);
    return made;
}

static interval share_of(const report_sampled *c, const report_item *item) {
    return ranges_share(&c->ranges, &item->sums, item->kind);
}

static double worth_of(const report_sampled *c, const report_item *item) {
    return ranges_worth(&c->ranges, &item->sums, item->kind);
}

/* What two shares have in common is not known. They are compared as if all
   events came in the way of the one that says less. */
static int is_tied(const report_sampled *c, const report_item *a, const report_item *b) {
    double x = worth_of(c, a), y = worth_of(c, b);
    if (class_of(a) != class_of(b) || x < 0 || y < 0) return 0;
    return !interval_differs(a->share, b->share, x < y ? x : y);
}

/* The rank of each function: the place, from 1, of the first one in its class from which
   it cannot be told apart; 0 without an interval. Rows of one rank are a tie. The caller
   frees the result. */
static uint32_t *ranks_of(const report_sampled *c, const report_item *items, size_t count) {
    uint32_t *ranks = (uint32_t *)tool_alloc(count * sizeof *ranks);
    size_t i, table = 0, first = 0;
    for (i = 0; i < count; i++) {
        if (i == 0 || class_of(&items[i]) != class_of(&items[i - 1])) table = i;
        if (i == table || !is_tied(c, &items[first], &items[i])) first = i;
        ranks[i] = share_of(c, &items[i]).low < 0 ? 0 : (uint32_t)(first - table) + 1;
    }
    return ranks;
}

/* "3", or "3=" for rows that cannot be told apart from the third one, and for
   that one; "-" without an interval. */
static const char *rank_of(report *r, const report_item *items, const uint32_t *ranks, size_t count,
                           size_t i) {
    text rank = {NULL, 0, 0};
    int tied = i > 0 && class_of(&items[i]) == class_of(&items[i - 1]) && ranks[i] == ranks[i - 1];
    if (i + 1 < count && class_of(&items[i]) == class_of(&items[i + 1]))
        tied |= ranks[i] == ranks[i + 1];
    if (ranks[i] == 0) return "-";
    text_format(&rank, "%lu%s", (unsigned long)ranks[i], tied ? "=" : "");
    return report_keep_text(r, &rank);
}

static double or_none(double bound) { return bound < 0 ? REPORT_NONE : bound; }

/* In a table of pairs no column says where a function is. */
static const char *pair_name(report *r, const report_sampled *c, uint32_t site) {
    if (!c->stacks->twin[site]) return name_or(c->names[site]);
    return report_keep(r, report_frame(c->stacks, site));
}

static report_cell cell_of(report *r, const report_sampled *c, const report_item *items,
                           size_t count, size_t at, int column, const uint32_t *ranks) {
    report_cell cell;
    const sampled_site *sites = c->tally->sites.at;
    const report_item *item = &items[at];
    interval range = ranges_count(&c->ranges, &item->sums, item->kind);
    cell.count = 0;
    switch (column) {
    case RANK:       cell.name = rank_of(r, items, ranks, count, at); break;
    case SHARE:      cell.real = item->share; break;
    case SHARE_LOW:  cell.real = or_none(share_of(c, item).low); break;
    case SHARE_HIGH: cell.real = or_none(share_of(c, item).high); break;
    case ESTIMATED_LOW:  cell.real = or_none(range.low); break;
    case ESTIMATED_HIGH: cell.real = or_none(range.high); break;
    case BURSTS:     cell.count = item->sums.bursts; break;
    case TIME_SHARE: cell.real = item->is_timed ? item->time_share : REPORT_NONE; break;
    case TIME_NS:    cell.real = item->is_timed ? item->time_ns : REPORT_NONE; break;
    case ESTIMATED:  cell.count = ranges_estimated(&item->sums); break;
    case SAMPLED:    cell.count = item->sums.sampled; break;
    case CALLER:     cell.name = pair_name(r, c, item->caller); break;
    case FUNCTION:
        cell.name = item->caller == TALLY_NO_SITE ? name_or(c->names[item->site])
                                                  : pair_name(r, c, item->site);
        break;
    case FILE_NAME:  cell.name = sites[item->site].file; break;
    case LINE:       cell.count = sites[item->site].line; break;
    default:         cell.name = report_place(r, sites[item->site].file, sites[item->site].line); break;
    }
    return cell;
}

/* A table for each class of sites. */
static void add_items(report *r, const report_sampled *c, int is_pair) {
    const report_item *items = is_pair ? c->pairs : c->functions;
    size_t count = is_pair ? c->pair_count : c->function_count;
    size_t column_count, i, k;
    int which[COLUMNS];
    const report_column *columns = columns_of(r, c, is_pair, &column_count, which);
    uint32_t *ranks = ranks_of(c, items, count);
    report_table *table = NULL;
    for (i = 0; i < count; i++) {
        report_cell *row;
        if (!table || class_of(&items[i]) != class_of(&items[i - 1])) {
            char title[64];
            snprintf(title, sizeof title, "%s: %s", is_pair ? "callers and callees" : "functions",
                     class_words(items[i].kind));
            table =
                report_add_table(r, is_pair ? "pairs" : "functions", title, columns, column_count);
        }
        if (table->rows == 0 && i == 0 && c->has_time && !is_pair)
            report_remark(table, "Time is rough: it includes what recording costs, and functions "
                                 "shorter than a clock "
                                 "reading come out too long.");
        if (table->rows == 0 && !c->has_time && !is_pair && class_of(&items[i]) == SITE_CALL)
            report_remark(table, c->has_ticks
                                     ? "Shares are of calls, not of time. A function without a "
                                       "check is not counted."
                                     : "Shares are of calls, not of time: nothing ticked. A function "
                                       "without a check is not counted.");
        if (table->rows == 0 && i == 0 && is_pair)
            report_remark(table, "A caller without a check is skipped: the nearest one around it "
                                 "that has a check stands for it.");
        row = report_add_row(table);
        for (k = 0; k < column_count; k++) row[k] = cell_of(r, c, items, count, i, which[k], ranks);
    }
    free(ranks);
    if (table) table->rows_left_out = is_pair ? c->pairs_left_out : c->functions_left_out;
    if (table && is_pair && c->callers_unknown > .5)
        report_remark(table, "Most callers are unknown: the stack is deeper than BURSTY_STACK, or "
                             "BURST_LEAVE is missing.");
}

enum { FEW = 8 };

static void add_profiles(report *r, const report_sampled *c) {
    static const report_column columns[] = {
        {"profile", "profile", REPORT_COUNT, 0, NULL},
        {"asked", "asked", REPORT_SHARE, 0, NULL},
        {"checks_off", "checks-off", REPORT_COUNT, 0, NULL},
        {"checks_on", "checks-on", REPORT_COUNT, 0, NULL},
        {"jitter_percent", "jitter-%", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"bursts", "bursts", REPORT_COUNT, 0, NULL},
        {"events", "events", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"records", "records", REPORT_NAME, 0, NULL},
        {"state", "state", REPORT_NAME, 0, NULL},
        {"program", "program", REPORT_NAME, REPORT_OPTIONAL, NULL},
    };
    const tally *s = c->tally;
    size_t i, count = sizeof columns / sizeof *columns - (s->programs.count < 2);
    report_column *made;
    report_table *table;
    text remark = {NULL, 0, 0};
    int has_others = 0; /* profiles that do not fill the tables of functions */
    if (s->profiles.count == 0) return;
    for (i = 0; i < s->profiles.count; i++) {
        const char *to = ranges_records(&c->ranges, s, c->has_contexts, &s->profiles.at[i]);
        has_others |= strcmp(to, "functions") != 0;
    }
    made = (report_column *)tool_alloc(sizeof columns);
    report_keep(r, (char *)made);
    memcpy(made, columns, sizeof columns);
    if (!has_others) made[7].flags = REPORT_HIDDEN;
    table = report_add_table(r, "profiles", "how it was sampled", made, count);
    table->rows_shown = FEW;
    if (c->ranges.basis != RANGES_EXACT)
        text_add(&remark, "An estimated count is a sampled one times the gap before its burst. ");
    text_add(&remark, basis_words(c->ranges.basis));
    if (c->ranges.basis != RANGES_EXACT && !c->has_time)
        text_add(&remark, " Rows of one rank with a = cannot be told from the first of them.");
    if (has_others)
        text_add(&remark, " records says what a profile's events are for: the tables of functions, "
                          "the tree of contexts, or the program's own use.");
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
    for (i = 0; i < s->profiles.count; i++) {
        const sampled_profile *profile = &s->profiles.at[i];
        report_cell *row = report_add_row(table);
        text state = {NULL, 0, 0};
        row[0].count = profile->number;
        row[1].real = report_rate(profile);
        row[2].count = profile->check_count == UINT32_MAX ? 0 : profile->check_count;
        row[3].count = profile->burst_count;
        row[4].count = profile->jitter_percent;
        row[5].count = profile->bursts;
        row[6].count = profile->events;
        text_add(&state, profile->check_count == UINT32_MAX ? "always on" : "in bursts");
        if (profile->flags & PROFILE_BUDGET) text_add(&state, ", held to a budget");
        if (profile->flags & PROFILE_REENABLE) text_add(&state, ", bursts re-enabled by place");
        if (profile->flags & PROFILE_OFF) text_add(&state, ", switched off");
        if (waits(profile)) text_add(&state, ", no burst yet");
        row[7].name = ranges_records(&c->ranges, c->tally, c->has_contexts, profile);
        row[8].name = report_keep_text(r, &state);
        if (count > 9) row[9].name = name_or(s->programs.at[profile->program].name);
    }
}

const char *report_thread_name(report *r, const sampled_thread *thread) {
    text name = {NULL, 0, 0};
    if (*thread->name) text_add(&name, thread->name);
    else text_format(&name, "thread %lu", (unsigned long)thread->number);
    if (thread->flags & THREAD_ENDED) text_add(&name, " (ended)");
    return report_keep_text(r, &name);
}

static void add_threads(report *r, const report_sampled *c) {
    static const report_column columns[] = {
        {"checks", "checks", REPORT_COUNT, 0, NULL},
        {"events", "events", REPORT_COUNT, 0, NULL},
        {"lost", "lost", REPORT_COUNT, 0, NULL},
        {"thread", "thread", REPORT_NAME, 0, NULL},
        {"program", "program", REPORT_NAME, REPORT_OPTIONAL, NULL},
    };
    const tally *s = c->tally;
    size_t i, count = sizeof columns / sizeof *columns - (s->programs.count < 2);
    report_table *table;
    for (i = 0; i < s->threads.count && !s->threads.at[i].checks && !s->threads.at[i].events; i++) { }
    if (s->threads.count < 2 || i == s->threads.count) return; /* or of ticks alone */
    table = report_add_table(r, "threads", "threads", columns, count);
    table->rows_shown = FEW;
    for (i = 0; i < s->threads.count; i++) {
        const sampled_thread *thread = &s->threads.at[i];
        report_cell *row = report_add_row(table);
        row[0].count = thread->checks;
        row[1].count = thread->events;
        row[2].count = thread->lost;
        row[3].name = report_thread_name(r, thread);
        if (count > 4) row[4].name = name_or(s->programs.at[thread->program].name);
    }
}

/* Names the function with most calls, unless the headline of time has said more. */
static void add_headline(report *r, const report_sampled *c) {
    const report_item *most = NULL;
    text line = {NULL, 0, 0};
    interval range;
    size_t i;
    for (i = 0; i < c->function_count; i++) {
        const report_item *item = &c->functions[i];
        if (class_of(item) == SITE_CALL && (!most || item->share > most->share)) most = item;
    }
    if (!most || r->headline) return;
    range = share_of(c, most);
    text_add(&line, name_or(c->names[most->site]));
    text_add(&line, " is called most: ");
    report_add_share(&line, most->share, range.low, range.high, "all calls");
    if (range.low < 0) text_add(&line, " that were seen, too few for an interval");
    text_add(&line, ".");
    text_bytes(&line, "", 1);
    r->headline = text_clean(line.data, strlen(line.data));
    text_free(&line);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    report_sampled *c = (report_sampled *)columns;
    size_t i;
    c->tally = (const tally *)state;
    c->has_contexts = input_find(in, &kind_contexts) != NULL;
    for (i = 0; i < c->tally->programs.count; i++)
        report_add_name(r, c->tally->programs.at[i].name);
    c->names = (char **)tool_alloc(c->tally->sites.count * sizeof *c->names);
    for (i = 0; i < c->tally->sites.count; i++)
        c->names[i] = report_name(r, c->tally->sites.at[i].name);
    add_up(c);
    c->ranges.is_partial = report_misses(r, REPORT_OF_COUNTS);
    make_items(c, r->options.least_share);
    add_headline(r, c);
    add_facts(r, c);
    add_stacks(r, c);
    add_items(r, c, 0);
    add_items(r, c, 1);
    add_profiles(r, c);
    add_threads(r, c);
}

static void free_columns(void *columns) {
    report_sampled *c = (report_sampled *)columns;
    size_t i;
    for (i = 0; c->tally && i < c->tally->sites.count; i++) free(c->names[i]);
    free(c->names);
    free(c->functions);
    free(c->pairs);
}

const report_section section_sampled = {
    &kind_sampled, "sampled", sizeof(report_sampled), fill, sampled_json, free_columns,
};
