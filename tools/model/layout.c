/* layout.c - what orders of fields, of blocks and of functions would gain.

   Fields: the words of a block that are used most come first. How many lines a
   window would take then follows from its visits. The order is chosen by all
   groups of bursts but one, and judged by that one; so it gains nothing from
   what happened once. Blocks: at most what is left of the lines if the blocks of
   one site that a window uses lie side by side, each as large as it is.
   Functions: at most the misses of code that a cache without sets does not have.

   All three are ratios of two sums over groups, new to old; their intervals
   follow from how groups differ. */
#include "base/tool.h"
#include "kinds/layout.h"
#include "model/interval.h"
#include "model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 12, FEW = 1000 };
static const double worth = .01;        /* of all lines */

/* What is left of the old sum, by a new order; value < 0: nobody knows. */
typedef struct gain { double value, low, high; } gain;

static double sum_of(const uint64_t *groups) {
    double sum = 0;
    int g;
    for (g = 0; g < LAID_GROUPS; g++) sum += (double)groups[g];
    return sum;
}

/* The part of `was` that is not in `now`. */
static gain gain_of(const double *was, const double *now) {
    gain none = {-1, -1, -1}, found;
    double old = 0, fresh = 0, over = 0, ratio, groups = 0;
    interval i;
    int g;
    for (g = 0; g < LAID_GROUPS; g++) {
        old += was[g];
        fresh += now[g];
        groups += was[g] > 0;
    }
    if (old <= 0) return none;
    ratio = fresh / old;
    if (ratio > 1) ratio = 1;
    for (g = 0; g < LAID_GROUPS; g++) {
        double rest = now[g] - ratio * was[g];
        over += rest * rest / (old * old);
    }
    found.value = 1 - ratio;
    i = interval_of_bursts(ratio, groups, groups, over);
    found.low = i.low < 0 ? -1 : 1 - i.high;
    found.high = i.low < 0 ? -1 : 1 - i.low;
    return found;
}

static gain gain_of_groups(const uint64_t *was, const uint64_t *now) {
    double a[LAID_GROUPS], b[LAID_GROUPS];
    int g;
    for (g = 0; g < LAID_GROUPS; g++) {
        a[g] = (double)was[g];
        b[g] = (double)now[g];
    }
    return gain_of(a, b);
}

/* ---- fields ---- */

typedef struct words {
    uint32_t count;                     /* that a block has */
    uint32_t old[LAID_WORDS];           /* which word is where in the new order */
    uint32_t place[LAID_WORDS];         /* and the other way round */
    double uses[LAID_WORDS];            /* visits that use it */
} words;

/* The order by all groups but `without`; LAID_GROUPS: by all. */
static void order_words(const laid_object *o, int without, words *w) {
    size_t i;
    uint32_t k, n;
    int g;
    memset(w, 0, sizeof *w);
    w->count = (uint32_t)((o->bytes + 7) / 8);
    for (i = 0; i < o->visit_count; i++) {
        const laid_visit *v = &o->visits[i];
        double count = 0;
        for (g = 0; g < LAID_GROUPS; g++) count += g == without ? 0 : (double)v->count[g];
        for (k = 0; k < w->count; k++) w->uses[k] += v->mask >> k & 1 ? count : 0;
    }
    for (k = 0; k < w->count; k++) {    /* equals stay in their order */
        for (n = k; n && w->uses[w->old[n - 1]] < w->uses[k]; n--) w->old[n] = w->old[n - 1];
        w->old[n] = k;
    }
    for (k = 0; k < w->count; k++) w->place[w->old[k]] = k;
}

static uint32_t lines_of(const laid_visit *v, const words *w, int is_new) {
    uint32_t lines = 0, k, count = 0;
    for (k = 0; k < w->count; k++) {
        if (v->mask >> k & 1)
            lines |= 1u << (v->phase + (is_new ? w->place[k] : k)) / (LAID_LINE / 8);
    }
    for (; lines; lines &= lines - 1) count++;
    return count;
}

static gain gain_of_fields(const laid_object *o) {
    double was[LAID_GROUPS] = {0}, now[LAID_GROUPS] = {0};
    words w;
    size_t i;
    int g;
    for (g = 0; g < LAID_GROUPS; g++) {
        order_words(o, g, &w);
        for (i = 0; i < o->visit_count; i++) {
            const laid_visit *v = &o->visits[i];
            if (!v->count[g]) continue;
            was[g] += (double)v->count[g] * lines_of(v, &w, 0);
            now[g] += (double)v->count[g] * lines_of(v, &w, 1);
        }
    }
    return gain_of(was, now);
}

/* ---- tables ---- */

static double or_none(double bound) { return bound < 0 ? REPORT_NONE : bound; }

static void put_gain(report_cell *row, const gain *g) {
    row[0].real = or_none(g->value);
    row[1].real = or_none(g->low);
    row[2].real = or_none(g->high);
}

static const char *named(report *r, const laid_object *o) {
    text t = {NULL, 0, 0};
    text_add(&t, *o->name ? o->name : "?");
    return report_keep_text(r, &t);
}

/* Is there a gain for certain? */
static int is_certain(const gain *g) { return g->value > 0 && g->low > 0; }

static void add_fact(report *r, const char *title, const laid_object *o, const gain *g,
                     const char *what) {
    text line = {NULL, 0, 0};
    if (o) {
        text_add(&line, o->name);
        if (o->bytes) text_format(&line, ", %llu bytes", (unsigned long long)o->bytes);
        text_add(&line, ": ");
    }
    text_format(&line, "%.0f %% %s (%.0f to %.0f %%)", 100 * g->value, what, 100 * g->low,
                100 * g->high);
    text_bytes(&line, "", 1);
    report_add_fact(r, REPORT_PLAIN, title, line.data);
    text_free(&line);
}

static void add_fields(report *r, const laid_object *o, const gain *g) {
    static const report_column columns[] = {
        {"object", "object", REPORT_NAME, REPORT_HIDDEN, NULL},
        {"bytes", "bytes", REPORT_COUNT, REPORT_HIDDEN, NULL},
        {"offset", "offset", REPORT_COUNT, 0, NULL},
        {"becomes", "becomes", REPORT_COUNT, 0, NULL},
        {"uses", "used-in", REPORT_SHARE, 0, NULL},
        {"less", "less", REPORT_SHARE, REPORT_HIDDEN, NULL},
        {"less_low", "from", REPORT_SHARE, REPORT_HIDDEN, "-"},
        {"less_high", "to", REPORT_SHARE, REPORT_HIDDEN, "-"},
    };
    text title = {NULL, 0, 0}, remark = {NULL, 0, 0};
    report_table *table;
    double visits = sum_of(o->blocks);
    words w;
    uint32_t k;
    text_format(&title, "order of words of %s, %llu bytes", o->name, (unsigned long long)o->bytes);
    text_bytes(&title, "", 1);
    table = report_add_table(r, "layout_fields", title.data, columns,
                             sizeof columns / sizeof *columns);
    table->rows_shown = ROWS_SHOWN;
    text_format(&remark,
                "In this order a window takes %.1f %% fewer lines for such blocks (%.1f to %.1f "
                "%%). used-in: of all visits of a block by a window. Words never used follow as "
                "they are.",
                100 * g->value, 100 * g->low, 100 * g->high);
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    order_words(o, LAID_GROUPS, &w);
    for (k = 0; k < w.count; k++) {
        report_cell *row;
        if (w.uses[w.old[k]] <= 0) break;
        row = report_add_row(table);
        row[0].name = named(r, o);
        row[1].count = o->bytes;
        row[2].count = 8 * (uint64_t)w.old[k];
        row[3].count = 8 * (uint64_t)k;
        row[4].real = visits > 0 ? w.uses[w.old[k]] / visits : REPORT_NONE;
        put_gain(row + 5, g);
    }
    text_free(&title);
    text_free(&remark);
}

typedef struct judged {
    const laid_object *object;
    double lines;
    gain fields, blocks;
} judged;

static int by_lines(const void *left, const void *right) {
    const judged *a = (const judged *)left, *b = (const judged *)right;
    if (a->lines != b->lines) return a->lines < b->lines ? 1 : -1;
    return strcmp(a->object->name, b->object->name);
}

static void add_objects(report *r, const laid_part *p) {
    static const report_column columns[] = {
        {"lines", "lines", REPORT_SHARE, 0, NULL},
        {"visits", "visits", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"bytes", "bytes", REPORT_COUNT, 0, NULL},
        {"fields_less", "fields", REPORT_SHARE, 0, "-"},
        {"fields_low", "from", REPORT_SHARE, 0, "-"},
        {"fields_high", "to", REPORT_SHARE, 0, "-"},
        {"blocks_less", "blocks", REPORT_SHARE, 0, "-"},
        {"blocks_low", "from", REPORT_SHARE, 0, "-"},
        {"blocks_high", "to", REPORT_SHARE, 0, "-"},
        {"object", "object", REPORT_NAME, 0, NULL},
    };
    judged *list = (judged *)tool_alloc((p->object_count + 1) * sizeof *list);
    const judged *best_fields = NULL, *best_blocks = NULL;
    double all = sum_of(p->lines);
    gain none = {-1, -1, -1};
    report_table *table;
    size_t i, count = 0;
    for (i = 0; i < p->object_count; i++) {
        const laid_object *o = &p->objects[i];
        judged *j = &list[count];
        j->object = o;
        j->lines = sum_of(o->lines);
        j->fields = j->blocks = none;
        if (j->lines <= 0) continue;
        if (o->bytes > LAID_LINE / 2 && o->visit_count) j->fields = gain_of_fields(o);
        if (o->is_block) j->blocks = gain_of_groups(o->lines, o->packed);
        count++;
    }
    qsort(list, count, sizeof *list, by_lines);
    table = report_add_table(r, "layout_objects", "lines of data, and what other orders would save",
                             columns, sizeof columns / sizeof *columns);
    table->rows_shown = ROWS_SHOWN;
    report_remark(table, "lines: of all lines that windows take, a window being 512 lines (32 KiB), "
                         "or what is left of a burst. fields: so much less with the words that are "
                         "used most in front (`bursty report --layout`). blocks: at most so much "
                         "less if blocks of this site lie side by side, as from a pool of their "
                         "own.");
    for (i = 0; i < count; i++) {
        const judged *j = &list[i];
        report_cell *row = report_add_row(table);
        row[0].real = all > 0 ? j->lines / all : REPORT_NONE;
        row[1].count = (uint64_t)sum_of(j->object->blocks);
        row[2].count = j->object->bytes;
        put_gain(row + 3, &j->fields);
        put_gain(row + 6, &j->blocks);
        row[9].name = named(r, j->object);
        if (all <= 0 || j->lines / all < worth) continue;
        if (is_certain(&j->fields)
            && (!best_fields
                || j->lines * j->fields.value > best_fields->lines * best_fields->fields.value))
            best_fields = j;
        if (is_certain(&j->blocks)
            && (!best_blocks
                || j->lines * j->blocks.value > best_blocks->lines * best_blocks->blocks.value))
            best_blocks = j;
    }
    if (best_fields)
        add_fact(r, "order of fields", best_fields->object, &best_fields->fields,
                 "fewer lines with the fields used most in front");
    if (best_blocks)
        add_fact(r, "order of blocks", best_blocks->object, &best_blocks->blocks,
                 "fewer lines at most, from a pool of their own");
    for (i = 0; i < count; i++) {
        if (list[i].lines / all >= worth && is_certain(&list[i].fields))
            add_fields(r, list[i].object, &list[i].fields);
    }
    free(list);
}

static void add_code(report *r, const laid_part *p) {
    static const report_column columns[] = {
        {"code_lines", "lines", REPORT_COUNT, 0, NULL},
        {"misses", "misses", REPORT_COUNT, 0, NULL},
        {"miss_ratio", "missing", REPORT_SHARE, 0, "-"},
        {"order_less", "order", REPORT_SHARE, 0, "-"},
        {"order_low", "from", REPORT_SHARE, 0, "-"},
        {"order_high", "to", REPORT_SHARE, 0, "-"},
    };
    uint64_t misses[LAID_GROUPS];
    double lines = sum_of(p->code), all;
    report_table *table;
    report_cell *row;
    gain g = {-1, -1, -1};
    int k;
    for (k = 0; k < LAID_GROUPS; k++) misses[k] = tool_sum(p->placed[k], p->other[k]);
    all = sum_of(misses);
    if (lines <= 0) return;
    if (all > 0) g = gain_of_groups(misses, p->other);
    table = report_add_table(r, "layout_code", "lines of code, and what an order of functions "
                                               "would save",
                             columns, sizeof columns / sizeof *columns);
    report_remark(table, "Of a cache of 32 KiB with sets of 8 lines, by the code that makes "
                         "references. order: at most so many of its misses come of where functions "
                         "lie (`bursty report --order`); the others are of too much code.");
    row = report_add_row(table);
    row[0].count = (uint64_t)lines;
    row[1].count = (uint64_t)all;
    row[2].real = all / lines;
    put_gain(row + 3, &g);
    if (all >= FEW && is_certain(&g))
        add_fact(r, "order of functions", NULL, &g, "fewer misses of code in 32 KiB at most");
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    const laid_parts *s = (const laid_parts *)state;
    size_t i;
    (void)columns;
    (void)in;
    for (i = 0; i < s->count; i++) {
        add_objects(r, &s->parts[i]);
        add_code(r, &s->parts[i]);
    }
}

const report_section section_layout = {&kind_layout, "layout", 0, fill, NULL, NULL};
