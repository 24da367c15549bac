/* text.c - the report on a terminal. */
#include "model/report.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { COUNT_WIDTH = 16, NAME_WIDTH = 60, MOST_CONTEXTS = 30, LEAST_PARTS = 1000 /* contexts below a thousandth are not listed */ };

static void add_place(const tally_site *site, text *out) {
    const char *slash = strrchr(site->file, '/'), *back = strrchr(site->file, '\\');
    if (!slash || (back && back > slash)) slash = back;
    if (!*site->file) return;
    text_add(out, "  ");
    text_plain(out, slash ? slash + 1 : site->file);
    text_format(out, ":%lu", (unsigned long)site->line);
}

static void add_padded_count(uint64_t count, text *out) {
    size_t start = out->size;
    text_count(out, count);
    text_pad(out, start, COUNT_WIDTH, 1);
}

static uint64_t whole(double number) { return number < 18446744073709549568.0 ? (uint64_t)number : UINT64_MAX; }

static void add_name(const tally_site *site, text *out) {
    text_plain_short(out, *site->name ? site->name : "(no name)", NAME_WIDTH);
}

static void add_numbers(const report *r, const report_item *item, text *out) {
    text_format(out, "%6.2f %%", 100 * item->share);
    if (r->has_time) text_format(out, " %6.2f %%", 100 * item->time_share);
    add_padded_count(item->estimated, out);
    add_padded_count(item->sampled, out);
    if (report_error(item->sampled) > 0) text_format(out, "  +-%4.1f %%  ", 100 * report_error(item->sampled));
    else text_add(out, "  too few  ");
}

/* Before each class of sites. */
static void add_heading(const report *r, const report_item *items, size_t at, const char *what, text *out) {
    if (at && strcmp(report_class(items[at].kind), report_class(items[at - 1].kind)) == 0) return;
    text_format(out, "\n%8s%s%*s%*s  %-9s %s (%s)\n", "share", r->has_time ? "     time" : "", COUNT_WIDTH, "estimated",
                COUNT_WIDTH, "sampled", "error", what, report_class(items[at].kind));
}

static void add_left_out(size_t count, text *out) {
    if (count == 1) text_add(out, "          1 colder one left out; --min 0 shows it\n");
    if (count > 1) text_format(out, "          %lu colder ones left out; --min 0 shows them\n", (unsigned long)count);
}

/* A program's name before what is its own, where there are several. */
static void add_program(const tally *s, uint32_t program, text *out) {
    if (s->programs.count < 2) return;
    text_plain_short(out, *s->programs.at[program].name ? s->programs.at[program].name : "(no name)", NAME_WIDTH);
    text_add(out, " ");
}

static void add_profile(const tally *s, const tally_profile *profile, text *out) {
    const char *budget = profile->flags & PROFILE_BUDGET ? " (held to a budget)" : "";
    add_program(s, profile->program, out);
    text_format(out, "profile %lu: ", (unsigned long)profile->number);
    if (profile->check_count == UINT32_MAX) text_format(out, "always on%s", budget);
    else text_format(out, "%lu checks off, %lu on (%.3g %% asked)%s", (unsigned long)profile->check_count,
                     (unsigned long)profile->burst_count, 100 * report_rate(profile), budget);
    text_format(out, ", jitter %lu %%%s%s; ", (unsigned long)profile->jitter_percent,
                profile->flags & PROFILE_REENABLE ? ", re-enablement" : "", profile->flags & PROFILE_OFF ? ", switched off" : "");
    text_count(out, profile->bursts);
    text_add(out, profile->bursts == 1 ? " burst, " : " bursts, ");
    text_count(out, profile->events);
    text_add(out, profile->events == 1 ? " event\n" : " events\n");
    if (!report_waits(profile)) return;
    text_format(out, "no burst yet: the first comes within about %lu checks of a thread; run longer or lower check_count\n",
                (unsigned long)profile->check_count);
}

static void add_threads(const tally *s, text *out) {
    size_t i;
    if (s->threads.count < 2) return;
    text_format(out, "\n%*s%*s%*s  thread\n", COUNT_WIDTH, "checks", COUNT_WIDTH, "events", COUNT_WIDTH, "lost");
    for (i = 0; i < s->threads.count; i++) {
        const tally_thread *thread = &s->threads.at[i];
        add_padded_count(thread->checks, out);
        add_padded_count(thread->events, out);
        add_padded_count(thread->lost, out);
        text_add(out, "  ");
        add_program(s, thread->program, out);
        if (*thread->name) text_plain_short(out, thread->name, NAME_WIDTH);
        else text_format(out, "thread %lu", (unsigned long)thread->number);
        text_add(out, thread->flags & THREAD_ENDED ? ", ended\n" : "\n");
    }
}

static void add_summary(const report *r, text *out) {
    const tally *s = r->sampled;
    size_t i;
    text_count(out, r->events);
    text_add(out, " events (calls, returns, ...) recorded; ");
    text_count(out, r->checks);
    text_format(out, " checks in %lu thread%s; ", (unsigned long)s->threads.count, s->threads.count == 1 ? "" : "s");
    if (r->lost) { text_count(out, r->lost); text_add(out, " lost\n"); } else text_add(out, "none lost\n");
    for (i = 0; i < s->profiles.count; i++) add_profile(s, &s->profiles.at[i], out);
    if (s->profiles.count) text_format(out, "sampling seen: %.3g %% of checks\n", 100 * r->rate_seen);
    if (r->has_time) text_add(out, "time is rough: it includes what recording costs; functions shorter than a clock reading "
                              "come out too long\n");
    add_threads(s, out);
}

static void add_sampled(const report *r, text *out) {
    const tally_site *sites = r->sampled->sites.at;
    size_t i;
    add_summary(r, out);
    for (i = 0; i < r->functions.count; i++) {
        add_heading(r, r->functions.at, i, "function", out);
        const tally_site *site = &sites[r->functions.at[i].site];
        add_numbers(r, &r->functions.at[i], out);
        add_name(site, out);
        add_place(site, out);
        text_add(out, "\n");
    }
    add_left_out(r->functions_left_out, out);
    if (r->callers_unknown > .5) text_add(out, "\ncallers unknown: stack deeper than BURSTY_STACK, or BURST_LEAVE missing\n");
    for (i = 0; i < r->pairs.count; i++) {
        add_heading(r, r->pairs.at, i, "caller -> callee", out);
        add_numbers(r, &r->pairs.at[i], out);
        add_name(&sites[r->pairs.at[i].caller], out);
        text_add(out, " -> ");
        add_name(&sites[r->pairs.at[i].site], out);
        text_add(out, "\n");
    }
    add_left_out(r->pairs_left_out, out);
}

/* ---- contexts --------------------------------------------------------------------------- */

typedef struct hot_context { uint64_t lower, upper; uint32_t node; } hot_context;

static int compare_contexts(const void *left, const void *right) {
    const hot_context *a = (const hot_context *)left, *b = (const hot_context *)right;
    if (a->lower != b->lower) return a->lower > b->lower ? -1 : 1;
    if (a->upper != b->upper) return a->upper > b->upper ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void add_key(const report_tree *tree, uint32_t node, text *out) {
    text_plain_short(out, tree->names[tree->name[node]], NAME_WIDTH);
}

/* Outermost first. A long path keeps its two ends: who began it and what is hot. */
static void add_path(const report_tree *tree, uint32_t node, text *out) {
    enum { FIRST = 2, LAST = 6 };
    uint32_t last[LAST], first[FIRST] = {0, 0}, at;
    size_t depth = 0, outer, i;
    for (at = node; at != 0; at = tree->parent[at], depth++) {
        if (depth < LAST) last[depth] = at;
        first[1] = first[0];
        first[0] = at;
    }
    outer = depth > LAST ? depth - LAST : 0;
    for (i = 0; i < outer && i < FIRST; i++) { add_key(tree, first[i], out); text_add(out, " > "); }
    if (outer > FIRST) text_format(out, "(%lu more) > ", (unsigned long)(outer - FIRST));
    for (i = depth - outer; i--;) {
        add_key(tree, last[i], out);
        text_add(out, i ? " > " : "\n");
    }
}

static void add_tree(const report_tree *tree, text *out) {
    hot_context *hot = (hot_context *)tool_alloc(tree->count * sizeof *hot);
    size_t i, count = 0;
    for (i = 1; i < tree->count; i++) {
        if (tree->lower[i] == 0 || tree->lower[i] < tree->total / LEAST_PARTS) continue;
        hot[count].lower = tree->lower[i];
        hot[count].upper = tree->upper[i];
        hot[count++].node = (uint32_t)i;
    }
    if (count) qsort(hot, count, sizeof *hot, compare_contexts);
    text_add(out, "\nhot calling contexts: ");
    text_count(out, tree->total);
    text_format(out, " counted by %s; none left out has more than ", tree->algorithm);
    text_count(out, tree->absent);
    text_add(out, "\n");
    if (tree->unmatched) {
        text_count(out, tree->unmatched);
        text_format(out, " leave%s without an enter: the tree may be wrong\n", tree->unmatched == 1 ? "" : "s");
    }
    if (tree->is_of_sample) text_add(out, "counts are of sampled calls, not scaled up\n");
    text_format(out, "%8s%*s%*s  %s\n", "share", COUNT_WIDTH, "at least", COUNT_WIDTH, "at most", "context");
    for (i = 0; i < count && i < MOST_CONTEXTS; i++) {
        text_format(out, "%6.2f %%", tree->total ? 100 * (double)hot[i].lower / (double)tree->total : 0);
        add_padded_count(hot[i].lower, out);
        add_padded_count(hot[i].upper, out);
        text_add(out, "  ");
        add_path(tree, hot[i].node, out);
    }
    if (count > MOST_CONTEXTS)
        text_format(out, "          %lu more; --html and --collapsed show all\n", (unsigned long)(count - MOST_CONTEXTS));
    free(hot);
}

/* ---- footprint -------------------------------------------------------------------------- */

static void add_footprint(const report_footprint *f, text *out) {
    enum { ROWS = 16 };
    size_t i, k, step = f->average.count / ROWS + 1;
    text_add(out, f->is_pair ? "\ninterleaving" : "\nfootprint");
    if (*f->title) { text_add(out, " of "); text_plain(out, f->title); }
    text_add(out, ": ");
    text_count(out, f->accesses);
    if (f->is_pair) text_add(out, " accesses of two threads; those of the second in a window of both");
    else {
        text_add(out, " accesses to ");
        text_count(out, f->distinct);
        text_format(out, " blocks of %.0f bytes; blocks in a window", f->block_bytes);
    }
    text_format(out, " (c = %.3g: %s)\n", f->c, f->worth);
    if (*f->reading) text_format(out, "%s\n", f->reading);
    text_format(out, "%*s", COUNT_WIDTH, "window");
    for (k = 0; k < REPORT_PERCENTILES; k++) if (f->percentile[k].count) text_format(out, "%12s", f->percentile[k].label);
    text_format(out, "%12s\n", f->average.label);
    for (i = step - 1; i < f->average.count; i += step) {
        add_padded_count(whole(f->average.x[i]), out);
        for (k = 0; k < REPORT_PERCENTILES; k++)
            if (i < f->percentile[k].count) text_format(out, "%12.0f", f->percentile[k].y[i]);
        text_format(out, "%12.1f\n", f->average.y[i]);
    }
    if (f->miss_ratio.count == 0) return;
    text_format(out, "%*s%12s\n", COUNT_WIDTH, "cache, bytes", f->miss_ratio.label);
    step = f->miss_ratio.count / ROWS + 1;
    for (i = step - 1; i < f->miss_ratio.count; i += step) {
        add_padded_count(whole(f->miss_ratio.x[i] * f->block_bytes), out);
        text_format(out, "%10.2f %%\n", 100 * f->miss_ratio.y[i]);
    }
}

void report_text(const report *r, text *out) {
    size_t i;
    text_plain(out, r->title);
    text_add(out, "\n");
    for (i = 0; i < r->notes.count; i++) {
        text_plain(out, r->notes.at[i].name);
        text_add(out, ": ");
        text_plain(out, r->notes.at[i].value);
        text_add(out, "\n");
    }
    if (r->sampled->programs.count) add_sampled(r, out);
    for (i = 0; i < r->trees.count; i++) add_tree(&r->trees.at[i], out);
    for (i = 0; i < r->footprints.count; i++) add_footprint(&r->footprints.at[i], out);
}
