/* sampled_checks.c - which checks of bursty.h run most often, so that a person
   can take out those that say nothing. */
#include "base/tool.h"
#include "report/model/report.h"
#include "report/model/sampled.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5 };
static const double least_part = .05; /* of all checks */

typedef struct load {
    uint32_t site;
    ranges_sums sums;
    double checks;
} load;

static int compare_load(const void *left, const void *right) {
    const load *a = (const load *)left, *b = (const load *)right;
    if (a->checks > b->checks || a->checks < b->checks) return a->checks > b->checks ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

/* Every check of an entry, a scope, a loop or a point is an event while a burst
   is live, so a row's weight estimates how often its site's check ran.
   References have no check of their own. What `bursty record` saw stands in no
   file: there is no check that a person could take out. */
static int has_check(const sampled_site *site) {
    if (site->kind & SITE_EVENT_ALONE) return 0;
    return (site->kind & (SITE_CALL | SITE_BACKEDGE | SITE_USER)) != 0 && *site->file != 0;
}

static const report_column columns[] = {
    {"checks", "checks", REPORT_COUNT, 0, NULL},
    {"share", "of-all", REPORT_SHARE, 0, NULL},
    {"share_low", "from", REPORT_SHARE, REPORT_OPTIONAL, "few"},
    {"share_high", "to", REPORT_SHARE, REPORT_OPTIONAL, "few"},
    {"function", "function", REPORT_NAME, 0, NULL},
    {"place", "place", REPORT_NAME, REPORT_OPTIONAL, NULL},
};

static const report_column exact_columns[] = {
    {"checks", "checks", REPORT_COUNT, 0, NULL},
    {"share", "of-all", REPORT_SHARE, 0, NULL},
    {"function", "function", REPORT_NAME, 0, NULL},
    {"place", "place", REPORT_NAME, REPORT_OPTIONAL, NULL},
};

static void add_row(report *r, report_table *table, const sampled_site *site, const load *one,
                    const ranges *known) {
    report_cell *row = report_add_row(table);
    interval range = ranges_count(known, &one->sums, site->kind);
    double all = known->checks;
    text place = {NULL, 0, 0};
    row[0].count = (uint64_t)one->checks;
    row[1].real = one->checks < all ? one->checks / all : 1;
    if (known->basis != RANGES_EXACT) {
        row[2].real = range.low < 0 ? REPORT_NONE : range.low < all ? range.low / all : 1;
        row[3].real = range.high < 0 ? REPORT_NONE : range.high < all ? range.high / all : 1;
        row += 2;
    }
    row[2].name = report_keep(r, report_name(r, *site->name ? site->name : "(no name)"));
    text_add(&place, site->file);
    if (*site->file) text_format(&place, ":%lu", (unsigned long)site->line);
    row[3].name = place.size ? report_keep_text(r, &place) : "";
}

/* The most bursts that a class had. With few bursts, checks that seem to be missing may
   just be those of the gap before a burst. */
static double most_bursts(const ranges *known) {
    double most = known->basis == RANGES_EXACT ? 100 : 0;
    size_t i;
    for (i = 0; i <= SITE_CLASSES; i++) {
        if (known->bursts[i] > most) most = known->bursts[i];
    }
    return most;
}

/* What a person can do about these checks: those of `bursty cc` stand in no
   source. */
static void add_cure(text *out, const tally *s, const load *loads, size_t count) {
    const sampled_site *entry = NULL, *loop = NULL;
    size_t i, by_hand = 0;
    for (i = 0; i < count; i++) {
        const sampled_site *site = &s->sites.at[loads[i].site];
        if (!(site->kind & SITE_PLACED)) by_hand++;
        else if (site->kind & SITE_BACKEDGE) loop = loop ? loop : site;
        else entry = entry ? entry : site;
    }
    if (by_hand)
        text_add(out, " Delete those in small functions and short loops that tell you nothing.");
    if (!entry && !loop) return;
    text_add(out, by_hand ? " Those of bursty cc"
                          : " bursty cc placed these: those in small functions and short loops that "
                            "tell you nothing");
    text_add(out, " go if you build with ");
    text_add(out, "--not=");
    text_shell(out, (entry ? entry : loop)->name);
    text_add(out, loop ? ", with --loops=LN (no loops) or L10 (fewer)," : "");
    text_add(out, " or with a plan for the whole program (bursty place).");
}

static void fill(void *unused, report *r, const void *state, const input *in) {
    const tally *s = (const tally *)state;
    double all, with_site = 0;
    ranges known;
    load *loads = (load *)tool_alloc((s->sites.count + 1) * sizeof *loads);
    report_table *table = NULL;
    text remark = {NULL, 0, 0};
    size_t i;
    (void)unused, (void)in;
    ranges_make(&known, s);
    all = known.checks;
    for (i = 0; i < s->sites.count; i++) loads[i].site = (uint32_t)i;
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *row = &s->rows.at[i];
        if (!has_check(&s->sites.at[row->site])) continue;
        ranges_add(&loads[row->site].sums, row, 0);
        loads[row->site].checks += (double)row->weight_256 / 256;
        with_site += (double)row->weight_256 / 256;
    }
    qsort(loads, s->sites.count, sizeof *loads, compare_load);
    for (i = 0; i < s->sites.count && i < MOST && loads[i].checks >= least_part * all; i++) {
        if (loads[i].checks < 1) break;
        if (!table)
            table = report_add_table(r, "checks", "checks: where most of them are",
                                     known.basis == RANGES_EXACT ? exact_columns : columns,
                                     known.basis == RANGES_EXACT ? 4 : 6);
        add_row(r, table, &s->sites.at[loads[i].site], &loads[i], &known);
    }
    if (table) {
        text_add(&remark, "A check costs about two instructions each time.");
        add_cure(&remark, s, loads, table->rows);
        if (with_site < (1 - least_part) * all && most_bursts(&known) >= 100)
            text_format(&remark,
                        " %.0f %% of the checks are in no row of calls or loops: BURST_CHECK, "
                        "BURST_BODY and BURST_FOR count no events, and points of loads and stores "
                        "have tables of their own.",
                        100 * (1 - with_site / all));
        text_bytes(&remark, "", 1);
        report_remark(table, remark.data);
    }
    text_free(&remark);
    free(loads);
}

const report_section section_checks = {&kind_sampled, "checks", 0, fill, NULL, NULL};
