/* footprints.c - added-up footprint profiles become curves of the model.

   A curve has a point for each bin of window lengths that some window of the run is in, at the bin's longest window.
   Percentiles are bins of footprints too; the middle of a bin, at most a sixteenth from its ends, is what is drawn, but
   never more than there are blocks. */
#define FOOTPRINT_STATIC
#define FOOTPRINT_IMPLEMENTATION
#include "kinds/footprints.h"
#include "model/report.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static const struct { const char *label; uint32_t percent; } percentiles[REPORT_PERCENTILES] = {
    {"least", 0}, {"5 %", 5}, {"median", 50}, {"95 %", 95}, {"most", 100},
};

static void begin_curve(report_curve *curve, const char *label, size_t room) {
    curve->label = label;
    curve->x = (double *)tool_alloc(room * sizeof *curve->x);
    curve->y = (double *)tool_alloc(room * sizeof *curve->y);
}

static void add_point(report_curve *curve, double x, double y) {
    curve->x[curve->count] = x;
    curve->y[curve->count++] = y;
}

static double middle_of(uint32_t bin, double most) {
    double middle = ((double)footprint_bin_low(bin) + (double)footprint_bin_high(bin)) / 2;
    return middle < most ? middle : most;
}

static void add_windows(const footprint_profile *p, report_footprint *to) {
    uint32_t column, i;
    for (i = 0; i < REPORT_PERCENTILES; i++) begin_curve(&to->percentile[i], percentiles[i].label, p->columns);
    begin_curve(&to->average, "average", p->columns);
    for (column = 0; column < p->columns; column++) {
        uint64_t longest = footprint_bin_high(column);
        if (p->total[column].windows == 0 && footprint_windows(p, column) == 0) continue;
        if (longest > p->accesses) longest = p->accesses;
        add_point(&to->average, (double)longest, footprint_average(p, (double)longest));
        if (footprint_windows(p, column) == 0) continue;
        for (i = 0; i < REPORT_PERCENTILES; i++)
            add_point(&to->percentile[i], (double)longest,
                      middle_of(footprint_percentile(p, column, percentiles[i].percent), (double)p->blocks));
    }
}

static void add_miss_ratios(const footprint_profile *p, report_footprint *to) {
    uint32_t row;
    begin_curve(&to->miss_ratio, "miss ratio", p->rows);
    if (p->flags & FOOTPRINT_PAIR) return;
    for (row = 1; row < p->rows; row++) {
        double blocks = (double)footprint_bin_high(row);
        add_point(&to->miss_ratio, blocks,
                  p->flags & FOOTPRINT_AVERAGE ? footprint_miss_ratio_by_average(p, blocks) : footprint_miss_ratio(p, blocks));
        if (blocks >= (double)p->blocks) break;
    }
}

/* What the numbers are worth, in a few words. */
static const char *worth_of(const footprint_profile *p) {
    if (p->sample_log2 || (p->flags & FOOTPRINT_FULL && !(p->flags & FOOTPRINT_FORGET)))
        return "estimated from a sample of the blocks, without guarantee";
    if (p->flags & FOOTPRINT_FULL) return "guaranteed only for what is smaller than the tracker's memory";
    if (p->flags & FOOTPRINT_AVERAGE) return "averages only, exact";
    return p->c < 1 ? "within c of the truth, never above it" : "exact to the bin, an eighth of an octave";
}

/* Why the least may be above the average. */
static void explain_percentiles(const footprint_profile *p, report_footprint *to) {
    int is_estimate = p->sample_log2 || p->flags & FOOTPRINT_FULL;
    char low[32] = "";
    if (p->c < 1) snprintf(low, sizeof low, " and up to %.3g %% low", 100 * (1 - p->c));
    if (to->percentile[0].count)
        snprintf(to->reading, sizeof to->reading, "percentiles are middles of bins (+- 1/16)%s%s", low,
                 is_estimate ? "" : "; the average is exact");
}

void report_footprints(report *r, const footprints *f) {
    size_t i;
    r->footprints.at = (report_footprint *)tool_alloc(f->count * sizeof *r->footprints.at);
    r->footprints.count = f->count;
    for (i = 0; i < f->count; i++) {
        const footprint_profile *p = &f->parts[i].profile;
        report_footprint *to = &r->footprints.at[i];
        to->title = text_clean(f->parts[i].name, strlen(f->parts[i].name));
        to->worth = worth_of(p);
        to->is_pair = (p->flags & FOOTPRINT_PAIR) != 0;
        to->accesses = p->accesses;
        to->distinct = p->blocks;
        to->block_bytes = to->is_pair ? 1 : (double)(UINT64_C(1) << p->block_log2);
        to->c = p->c;
        add_windows(p, to);
        explain_percentiles(p, to);
        add_miss_ratios(p, to);
    }
}
