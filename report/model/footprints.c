/* footprints.c - added-up footprint profiles become curves of the model.

   A curve has a point for each bin of window lengths that some window of the
   run is in, at the longest window of the bin. Percentiles are bins of
   footprints too. The middle of a bin, at most a sixteenth from its ends, is
   drawn, but never more than there are blocks.

   A sample of bursts shows only what has an interval: averages of windows that are
   no longer than most bursts, and misses of caches that most bursts would fill. */
#include "base/json.h"
#include "base/tool.h"
#include "report/kinds/footprints.h"
#include "report/kinds/misses.h"
#include "report/model/knees.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A curve: y at each x. */
typedef struct report_curve {
    const char *label;
    double *x, *y;
    double *low, *high;                           /* of samples: 95 % intervals; or NULL */
    size_t count;
} report_curve;

enum { REPORT_PERCENTILES = 5 };                  /* 0, 5, 50, 95 and 100 % */

typedef struct report_footprint {
    char *title;
    char worth[112];                              /* what the numbers are worth */
    uint64_t bursts;                              /* of a sample; 0: a whole run, or not known */
    char reading[112];       /* how percentiles and average go together; or empty */
    int is_pair;             /* two threads: y is how many accesses are the second one's */
    uint64_t accesses, distinct;
    double block_bytes, c;   /* footprints are within [c, 1] of the true ones */
    double bound;            /* c if that is guaranteed for misses; else 0 */
    report_curve percentile[REPORT_PERCENTILES];  /* blocks by window length in accesses */
    report_curve average;                         /* the same */
    report_curve miss_ratio;                      /* 0..1 by cache size in blocks */
} report_footprint;

typedef struct report_footprints {
    report_footprint *list;
    size_t count;
} report_footprints;

static const struct { const char *label; uint32_t percent; } percentiles[REPORT_PERCENTILES] = {
    {"least", 0}, {"5 %", 5}, {"median", 50}, {"95 %", 95}, {"most", 100},
};

enum { ROWS_SHOWN = 16 };

static uint64_t whole(double number) {
    return number < 18446744073709549568.0 ? (uint64_t)number : UINT64_MAX;
}

static void begin_curve(report_curve *curve, const char *label, size_t room) {
    curve->label = label;
    curve->x = (double *)tool_alloc(room * sizeof *curve->x);
    curve->y = (double *)tool_alloc(room * sizeof *curve->y);
}

static void add_point(report_curve *curve, double x, double y) {
    curve->x[curve->count] = x;
    curve->y[curve->count++] = y;
}

static void add_interval(report_curve *curve, double low, double high, size_t room) {
    if (!curve->low) {
        curve->low = (double *)tool_alloc(room * sizeof *curve->low);
        curve->high = (double *)tool_alloc(room * sizeof *curve->high);
    }
    curve->low[curve->count - 1] = low;
    curve->high[curve->count - 1] = high;
}

static double middle_of(uint32_t bin, double most) {
    double middle = ((double)footprint_bin_low(bin) + (double)footprint_bin_high(bin)) / 2;
    return middle < most ? middle : most;
}

static void add_windows(const footprint_profile *p, report_footprint *to) {
    uint32_t column, i;
    for (i = 0; i < REPORT_PERCENTILES; i++)
        begin_curve(&to->percentile[i], percentiles[i].label, p->columns);
    begin_curve(&to->average, "average", p->columns);
    for (column = 0; column < p->columns; column++) {
        uint64_t longest = footprint_bin_high(column);
        double low, high;
        if (p->total[column].windows == 0 && footprint_windows(p, column) == 0) continue;
        if (p->bursts && footprint_average_interval(p, (double)longest, &low, &high)) continue;
        if (longest > p->accesses) longest = p->accesses;
        add_point(&to->average, (double)longest, footprint_average_of(p, (double)longest));
        if (p->bursts) add_interval(&to->average, low, high, p->columns);
        if (footprint_windows(p, column) == 0) continue;
        for (i = 0; i < REPORT_PERCENTILES; i++)
            add_point(&to->percentile[i], (double)longest,
                      middle_of(footprint_percentile(p, column, percentiles[i].percent),
                                (double)p->blocks));
    }
}

static void add_miss_ratios(const footprint_profile *p, report_footprint *to) {
    int average = (p->flags & FOOTPRINT_AVERAGE) != 0;
    uint32_t row, rows = average ? footprint_bin(p->blocks) + 1 : p->rows;
    begin_curve(&to->miss_ratio, "miss ratio", rows);
    if (p->flags & FOOTPRINT_INTERLEAVED) return;
    /* an older version did not know where bursts end */
    if (p->flags & FOOTPRINT_BURSTS && p->bursts == 0) return;
    for (row = 1; row < rows; row++) {
        double blocks = (double)footprint_bin_high(row), ratio, low, high;
        if (p->bursts && footprint_miss_interval(p, blocks, &low, &high)) continue;
        ratio = average ? footprint_miss_ratio_by_average(p, blocks)
                        : footprint_miss_ratio(p, blocks);
        /* sampling cannot tell of small caches */
        if (ratio >= 0) add_point(&to->miss_ratio, blocks, ratio);
        if (ratio >= 0 && p->bursts) add_interval(&to->miss_ratio, low, high, rows);
        if (blocks >= (double)p->blocks) break;
    }
}

/* What the numbers are worth, in a few words. */
static const char *worth_of_run(const footprint_profile *p) {
    if (p->flags & FOOTPRINT_BURSTS)
        return "bursts one behind the other, without guarantee: longer windows span gaps";
    if (p->sample_log2 || (p->flags & FOOTPRINT_FULL && !(p->flags & FOOTPRINT_FORGET)))
        return "estimated from a sample, without guarantee";
    if (p->flags & FOOTPRINT_FULL)
        return "guaranteed only for what is smaller than the tracker's memory";
    if (p->flags & FOOTPRINT_AVERAGE) return "averages only, exact";
    if (p->c < 1) return "within c of the truth, never above it";
    return "exact to the bin, an eighth of an octave";
}

static void add_worth(const footprint_profile *p, report_footprint *to) {
    if (p->bursts)
        snprintf(to->worth, sizeof to->worth,
                 "estimated from %llu bursts, with 95 %% intervals; percentiles are of windows seen",
                 (unsigned long long)p->bursts);
    else snprintf(to->worth, sizeof to->worth, "%s", worth_of_run(p));
}

/* Why the least may be above the average. */
static void explain_percentiles(const footprint_profile *p, report_footprint *to) {
    int is_estimate = p->sample_log2 || p->flags & (FOOTPRINT_FULL | FOOTPRINT_BURSTS);
    char low[32] = "";
    if (p->c < 1) snprintf(low, sizeof low, " and up to %.3g %% low", 100 * (1 - p->c));
    if (to->percentile[0].count)
        snprintf(to->reading, sizeof to->reading, "percentiles are middles of bins (+- 1/16)%s%s",
                 low, is_estimate ? "" : "; the average is exact");
}

/* ---- tables ------------------------------------------------------------------------------- */

static void add_header(text *out, const report_footprint *f) {
    text_counted(out, f->accesses, "access");
    if (f->is_pair) {
        text_add(out, " of two threads. Below: how many of a window's accesses are the");
        text_add(out, " second's");
    } else if (f->bursts) {
        text_format(out, " in bursts, each to %.4g blocks of %.0f bytes on average. Below: blocks "
                    "in a window of so many accesses", (double)f->distinct / (double)f->bursts,
                    f->block_bytes);
    } else {
        text_add(out, " to ");
        text_counted(out, f->distinct, "block");
        text_format(out, " of %.0f bytes. Below: blocks in a window of so many accesses",
                    f->block_bytes);
    }
    if (f->bursts) text_format(out, " (%s)", f->worth);
    else text_format(out, " (c = %.3g: %s)", f->c, f->worth);
    if (*f->reading) text_format(out, "; %s", f->reading);
    text_bytes(out, "", 1);
}

static void add_window_table(report *r, const report_footprint *f) {
    static const report_column columns[] = {
        {"window_accesses", "window", REPORT_COUNT, 0, NULL},
        {"least", "least", REPORT_REAL, 0, "-"},
        {"percent_5", "5%", REPORT_REAL, 0, "-"},
        {"median", "median", REPORT_REAL, 0, "-"},
        {"percent_95", "95%", REPORT_REAL, 0, "-"},
        {"most", "most", REPORT_REAL, 0, "-"},
        {"average", "average", REPORT_REAL, 0, NULL},
        {"average_low", "low", REPORT_REAL, 0, NULL},
        {"average_high", "high", REPORT_REAL, 0, NULL},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    report_table *table;
    text title = {NULL, 0, 0};
    size_t i, k;
    if (f->average.count == 0) return;
    text_add(&title, f->is_pair ? "interleaving" : "footprint");
    if (*f->title) text_add(&title, " of ");
    text_add(&title, f->title);
    text_bytes(&title, "", 1);
    table = report_add_table(r, "windows", title.data, columns, f->bursts ? COLUMNS : COLUMNS - 2);
    table->shape = REPORT_CURVE_LOG_Y;
    table->rows_shown = ROWS_SHOWN;
    title.size = 0;
    add_header(&title, f);
    report_remark(table, title.data);
    for (i = 0; i < f->average.count; i++) {
        report_cell *row = report_add_row(table);
        row[0].count = whole(f->average.x[i]);
        for (k = 0; k < REPORT_PERCENTILES; k++)
            row[1 + k].real = i < f->percentile[k].count ? f->percentile[k].y[i] : REPORT_NONE;
        row[6].real = f->is_pair ? REPORT_NONE : f->average.y[i];
        if (!f->bursts) continue;
        row[7].real = f->average.low[i];
        row[8].real = f->average.high[i];
    }
    text_free(&title);
}

/* Where the curve falls, and the caches that the recording was for. */
static void say_knees(report_table *table, const report_footprint *f, const input *in) {
    enum { LEVELS = 8 };
    const missed_parts *m = (const missed_parts *)input_find(in, &kind_misses);
    knees_size levels[LEVELS];
    knees_curve curve;
    text words = {NULL, 0, 0};
    size_t n = 0;
    for (; m && m->count && n < m->parts[0].size_count && n < LEVELS; n++) {
        levels[n].bytes = (double)m->parts[0].sizes[n].bytes;
        levels[n].label = m->parts[0].sizes[n].label;
    }
    curve.blocks = f->miss_ratio.x;
    curve.misses = f->miss_ratio.y;
    curve.low = f->miss_ratio.low;
    curve.high = f->miss_ratio.high;
    curve.count = f->miss_ratio.count;
    curve.block_bytes = f->block_bytes;
    curve.c = f->bound;
    knees_say(&curve, levels, n, &words);
    if (words.size) {
        text_bytes(&words, "", 1);
        report_remark(table, words.data);
    }
    text_free(&words);
}

static void add_miss_table(report *r, const report_footprint *f, const input *in) {
    static const report_column columns[] = {
        {"cache_bytes", "cache-bytes", REPORT_COUNT, 0, NULL},
        {"miss_ratio", "misses", REPORT_SHARE, 0, NULL},
        {"miss_low", "low", REPORT_SHARE, 0, NULL},
        {"miss_high", "high", REPORT_SHARE, 0, NULL},
    };
    report_table *table;
    size_t i;
    if (f->miss_ratio.count == 0) return;
    table = report_add_table(r, "misses", "misses of a cache that keeps what was used last",
                             columns, f->bursts ? 4 : 2);
    table->shape = REPORT_CURVE;
    table->rows_shown = ROWS_SHOWN;
    say_knees(table, f, in);
    for (i = 0; i < f->miss_ratio.count; i++) {
        report_cell *row = report_add_row(table);
        row[0].count = whole(f->miss_ratio.x[i] * f->block_bytes);
        row[1].real = f->miss_ratio.y[i];
        if (!f->bursts) continue;
        row[2].real = f->miss_ratio.low[i];
        row[3].real = f->miss_ratio.high[i];
    }
}

/* What a sample cannot say, and what would help. */
static void add_limits(report *r, const report_footprint *f) {
    text line = {NULL, 0, 0};
    if (f->bursts == 0) return;
    if (f->average.count == 0) {
        text_counted(&line, f->bursts, "burst");
        text_add(&line, " are too few, or too unlike each other in length, for an estimate with an "
                        "interval; more of them help (--every), or all accesses (--every 0)");
    } else if (f->miss_ratio.count == 0) {
        text_add(&line, "bursts touch too little data to tell what a cache misses; longer ones "
                        "help (--burst), or all accesses (--every 0)");
    } else {
        text_format(&line, "caches of more than %.0f bytes are not known, because fewer than half "
                    "of the bursts touch so much; longer ones help (--burst), or all accesses "
                    "(--every 0)", f->miss_ratio.x[f->miss_ratio.count - 1] * f->block_bytes);
    }
    text_bytes(&line, "", 1);
    report_add_fact(r, REPORT_NOTE, "footprint of a sample", line.data);
    text_free(&line);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    report_footprints *made = (report_footprints *)columns;
    const footprints *f = (const footprints *)state;
    size_t i;
    made->list = (report_footprint *)tool_alloc(f->count * sizeof *made->list);
    made->count = f->count;
    for (i = 0; i < f->count; i++) {
        void *memory;
        footprint_profile laid_out = footprints_lay_out(&f->parts[i], &memory);
        const footprint_profile *p = &laid_out;
        report_footprint *to = &made->list[i];
        to->title = text_clean(f->parts[i].name, f->parts[i].name_size);
        to->bursts = p->bursts;
        to->is_pair = (p->flags & FOOTPRINT_INTERLEAVED) != 0;
        to->accesses = p->accesses;
        to->distinct = p->blocks;
        to->block_bytes = to->is_pair ? 1 : (double)(UINT64_C(1) << p->block_log2);
        to->c = p->c;
        if (!p->sample_log2 && !(p->flags & (FOOTPRINT_AVERAGE | FOOTPRINT_FULL))) to->bound = p->c;
        add_windows(p, to);
        add_worth(p, to);
        explain_percentiles(p, to);
        add_miss_ratios(p, to);
        add_window_table(r, to);
        add_miss_table(r, to, in);
        add_limits(r, to);
        free(memory);
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void add_curve(text *out, const report_curve *curve) {
    text_add(out, "{\"label\":");
    text_json(out, curve->label);
    text_add(out, ",\"x\":");
    json_list_real(out, curve->x, curve->count);
    text_add(out, ",\"y\":");
    json_list_real(out, curve->y, curve->count);
    if (curve->low) {
        text_add(out, ",\"low\":");
        json_list_real(out, curve->low, curve->count);
        text_add(out, ",\"high\":");
        json_list_real(out, curve->high, curve->count);
    }
    text_add(out, "}");
}

static void add_footprint(text *out, const report_footprint *f) {
    size_t i, n = 0;
    text_add(out, "{");
    json_field_string(out, &n, "title", f->title);
    json_field(out, &n, "accesses", f->accesses);
    json_field(out, &n, "distinct", f->distinct);
    text_format(out, ",\"block_bytes\":%.0f,\"c\":%.6g,\"pair\":%s", f->block_bytes, f->c,
                f->is_pair ? "true" : "false");
    if (f->bursts) json_field(out, &n, "bursts", f->bursts);
    json_field_string(out, &n, "worth", f->worth);
    json_field_string(out, &n, "reading", f->reading);
    text_add(out, ",\n\"percentiles\":[");
    for (i = 0; i < REPORT_PERCENTILES; i++) {
        json_comma(out, i);
        add_curve(out, &f->percentile[i]);
    }
    text_add(out, "],\n\"average\":");
    add_curve(out, &f->average);
    text_add(out, ",\n\"miss_ratio\":");
    add_curve(out, &f->miss_ratio);
    text_add(out, "}");
}

static void write_json(const void *columns, const report *r, text *out) {
    const report_footprints *f = (const report_footprints *)columns;
    size_t i;
    (void)r;
    text_add(out, "[");
    for (i = 0; i < f->count; i++) {
        json_comma(out, i);
        add_footprint(out, &f->list[i]);
    }
    text_add(out, "]");
}

static void free_curve(report_curve *curve) {
    free(curve->x);
    free(curve->y);
    free(curve->low);
    free(curve->high);
}

static void free_columns(void *columns) {
    report_footprints *made = (report_footprints *)columns;
    size_t i, k;
    for (i = 0; i < made->count; i++) {
        report_footprint *f = &made->list[i];
        for (k = 0; k < REPORT_PERCENTILES; k++) free_curve(&f->percentile[k]);
        free_curve(&f->average);
        free_curve(&f->miss_ratio);
        free(f->title);
    }
    free(made->list);
}

const report_section section_footprints = {
    &kind_footprints, "footprints", sizeof(report_footprints), fill, write_json, free_columns,
};
