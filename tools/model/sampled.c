/* sampled.c - from rows of threads to hot functions and hot call pairs. */
#include "model/report.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An item per row, then sorted and folded; cheaper to read than a hash table, and rows are few. */
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
    if (a->estimated != b->estimated) return a->estimated > b->estimated ? -1 : 1;
    return compare_place(left, right);
}

static size_t fold(report_item *items, size_t count) {
    size_t i, kept = 0;
    if (count) qsort(items, count, sizeof *items, compare_place);
    for (i = 0; i < count; i++) {
        if (kept && compare_place(&items[kept - 1], &items[i]) == 0) {
            items[kept - 1].sampled = tally_add(items[kept - 1].sampled, items[i].sampled);
            items[kept - 1].estimated = tally_add(items[kept - 1].estimated, items[i].estimated);
            items[kept - 1].orphaned = tally_add(items[kept - 1].orphaned, items[i].orphaned);
            items[kept - 1].time_ns += items[i].time_ns;
        } else items[kept++] = items[i];
    }
    for (i = 0; i < kept; i++) { items[i].estimated /= 256; items[i].orphaned /= 256; }      /* were weights up to here */
    return kept;
}

/* What all functions of each class make together. */
typedef struct totals { double estimated[SITE_CLASSES + 1], time_ns[SITE_CLASSES + 1]; } totals;

static size_t sort_and_cut(report_item *items, size_t count, const totals *all, double least_share) {
    size_t i, kept = 0;
    for (i = 0; i < count; i++) {
        double estimated = all->estimated[class_of(&items[i])], time_ns = all->time_ns[class_of(&items[i])];
        items[i].share = estimated > 0 ? (double)items[i].estimated / estimated : 0;
        items[i].time_share = time_ns > 0 ? items[i].time_ns / time_ns : 0;
        items[i].heat = time_ns > 0 ? items[i].time_share : items[i].share;
        if (items[i].share >= least_share || items[i].time_share >= least_share) items[kept++] = items[i];
    }
    if (kept) qsort(items, kept, sizeof *items, compare_heat);
    return kept;
}

double report_rate(const tally_profile *profile) {
    double period = (double)profile->check_count + (double)profile->burst_count;
    if (profile->check_count == UINT32_MAX) return 1;                 /* bursty.h: never pause */
    return period > 0 ? (double)profile->burst_count / period : 0;
}

int report_waits(const tally_profile *profile) {
    return profile->bursts == 0 && profile->events == 0 && profile->check_count != UINT32_MAX && !(profile->flags & PROFILE_OFF);
}

int report_fills_table(const tally *s, const tally_profile *profile) {
    size_t i;
    for (i = 0; i < s->profiles.count; i++)
        if (s->profiles.at[i].flags & PROFILE_TABLE) return (profile->flags & PROFILE_TABLE) != 0;
    return 1;
}

/* The rate seen is not the threads' burst_checks: those are checks in bursts of any profile. */
static void add_up(report *r) {
    const tally *s = r->sampled;
    double seen = 0;
    size_t i;
    for (i = 0; i < s->programs.count; i++) {
        r->checks = tally_add(r->checks, s->programs.at[i].checks);
        r->events = tally_add(r->events, s->programs.at[i].events);
        r->lost = tally_add(r->lost, s->programs.at[i].lost);
    }
    for (i = 0; i < s->profiles.count; i++) {
        const tally_profile *profile = &s->profiles.at[i];
        if (!report_fills_table(s, profile)) continue;
        seen += profile->check_count == UINT32_MAX ? (double)s->programs.at[profile->program].checks
              : (double)profile->bursts * (double)profile->burst_count;
    }
    r->rate_seen = r->checks && seen < (double)r->checks ? seen / (double)r->checks : r->checks ? 1 : 0;
}

/* bursty.h calls a caller "(deep)" when it is not on the shadow stack. */
static double unknown_part(const tally *s, const report_item *pairs, size_t count) {
    double all = 0, unknown = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        const tally_site *caller = &s->sites.at[pairs[i].caller];
        all += (double)pairs[i].estimated;
        if (strcmp(caller->name, "(deep)") == 0 && !*caller->file) unknown += (double)pairs[i].estimated;
    }
    return all > 0 ? unknown / all : 0;
}

/* A loop's trips happen in a function, which does not call them: they make no pair. */
void report_sampled(report *r, const tally *s, double least_share) {
    totals all = {{0}, {0}};
    size_t i, functions, pairs = 0;
    r->sampled = s;
    add_up(r);
    r->functions.at = (report_item *)tool_alloc(s->rows.count * sizeof(report_item));
    r->pairs.at = (report_item *)tool_alloc(s->rows.count * sizeof(report_item));
    for (i = 0; i < s->rows.count; i++) {
        const tally_row *row = &s->rows.at[i];
        uint64_t hz = s->programs.at[s->threads.at[row->thread].program].clock_hz;
        report_item item = {0, TALLY_NO_SITE, 0, 0, 0, 0, 0, 0, 0, 0};
        item.site = row->site;
        item.kind = s->sites.at[row->site].kind;
        item.sampled = row->count;
        item.estimated = row->weight_256;
        if (hz) item.time_ns = (double)row->ticks * 1e9 / (double)hz;
        item.orphaned = row->caller == TALLY_NO_SITE ? row->weight_256 : 0;
        r->functions.at[i] = item;
        item.caller = row->caller;
        if (item.caller != TALLY_NO_SITE && class_of(&item) != SITE_BACKEDGE) r->pairs.at[pairs++] = item;
    }
    functions = fold(r->functions.at, s->rows.count);
    pairs = fold(r->pairs.at, pairs);
    r->callers_unknown = unknown_part(s, r->pairs.at, pairs);
    for (i = 0; i < functions; i++) {
        const report_item *item = &r->functions.at[i];
        all.estimated[class_of(item)] += (double)item->estimated;
        all.time_ns[class_of(item)] += item->time_ns;
        if (item->time_ns > 0) r->has_time = 1;
    }
    r->functions.count = sort_and_cut(r->functions.at, functions, &all, least_share);
    r->pairs.count = sort_and_cut(r->pairs.at, pairs, &all, least_share);
    r->functions_left_out = functions - r->functions.count;
    r->pairs_left_out = pairs - r->pairs.count;
}

double report_error(uint64_t count) { return count > 4 ? 2 / sqrt((double)count) : 0; }

const char *report_class(uint32_t kind) {
    switch (kind & SITE_CLASSES) {
    case SITE_CALL:     return "calls";
    case SITE_RETURN:   return "returns";
    case SITE_BACKEDGE: return "loop trips";
    case SITE_LOAD:     return "loads";
    case SITE_STORE:    return "stores";
    default:            return "events";
    }
}

static void free_curve(report_curve *curve) {
    free(curve->x);
    free(curve->y);
}

void report_free(report *r) {
    size_t i, k;
    for (i = 0; i < r->notes.count; i++) { free(r->notes.at[i].name); free(r->notes.at[i].value); }
    for (i = 0; i < r->trees.count; i++) {
        report_tree *tree = &r->trees.at[i];
        for (k = 0; k < tree->name_count; k++) free(tree->names[k]);
        free(tree->names);
        free(tree->parent);
        free(tree->name);
        free(tree->lower);
        free(tree->upper);
    }
    for (i = 0; i < r->footprints.count; i++) {
        report_footprint *f = &r->footprints.at[i];
        for (k = 0; k < REPORT_PERCENTILES; k++) free_curve(&f->percentile[k]);
        free_curve(&f->average);
        free_curve(&f->miss_ratio);
        free(f->title);
    }
    free(r->functions.at);
    free(r->pairs.at);
    free(r->notes.at);
    free(r->trees.at);
    free(r->footprints.at);
    free(r->title);
    memset(r, 0, sizeof *r);
}
