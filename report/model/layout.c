/* layout.c - what orders of fields, of blocks and of functions would gain.

   The recorder asked at each window how many lines it would have taken if the
   words of a block that were used most before came first, or if the blocks of
   one site lay side by side (record/inside/core/layout.h). Of code it has the misses of
   a cache with sets, and of one without. The difference comes of where functions
   lie, as far as references show code.

   All three are ratios of two sums over groups of bursts, new to old; their
   intervals follow from how groups differ. */
#include "base/tool.h"
#include "report/kinds/layout.h"
#include "report/model/interval.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 12 };
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

/* The gain over all lines of all windows. Lines that were not judged stay as they are. */
static gain gain_of_lines(const laid_part *p, const laid_object *o) {
    double was[LAID_GROUPS], now[LAID_GROUPS];
    int g;
    for (g = 0; g < LAID_GROUPS; g++) {
        was[g] = (double)p->lines[g];
        now[g] = was[g] + (double)o->then[g] - (double)o->was[g];
        if (now[g] < 0) now[g] = 0;
    }
    return gain_of(was, now);
}

/* Which word stands where in the new order; those used alike as they were. */
static uint32_t order_words(const laid_object *o, uint32_t *old) {
    uint32_t count = (uint32_t)((o->bytes + 7) / 8), k, n;
    for (k = 0; k < count; k++) {
        for (n = k; n && o->uses[old[n - 1]] < o->uses[k]; n--) old[n] = old[n - 1];
        old[n] = k;
    }
    return count;
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

static void add_line(report *r, const char *title, const char *words) {
    report_add_fact(r, REPORT_PLAIN, title, words);
}

static void add_fact(report *r, const char *title, const laid_object *o, const gain *g,
                     const char *what) {
    text line = {NULL, 0, 0};
    if (o) {
        text_add(&line, o->name);
        if (o->bytes) text_format(&line, ", %llu bytes", (unsigned long long)o->bytes);
        text_add(&line, ": ");
    }
    text_format(&line, "%.1f %% %s (%.1f to %.1f %%)", 100 * g->value, what, 100 * g->low,
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
    uint32_t old[LAID_WORDS], count = order_words(o, old), k;
    text_format(&title, "order of words of %s, %llu bytes", o->name, (unsigned long long)o->bytes);
    text_bytes(&title, "", 1);
    table = report_add_table(r, "layout_fields", title.data, columns,
                             sizeof columns / sizeof *columns);
    table->rows_shown = ROWS_SHOWN;
    text_format(&remark,
                "In this order windows take %.1f %% fewer lines, of all (%.1f to %.1f %%). used-in: of "
                "all blocks that windows used. Words never used follow as they are.",
                100 * g->value, 100 * g->low, 100 * g->high);
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    for (k = 0; k < count && o->uses[old[k]]; k++) {
        report_cell *row;
        row = report_add_row(table);
        row[0].name = named(r, o);
        row[1].count = o->bytes;
        row[2].count = 8 * (uint64_t)old[k];
        row[3].count = 8 * (uint64_t)k;
        row[4].real = visits > 0 ? (double)o->uses[old[k]] / visits : REPORT_NONE;
        put_gain(row + 5, g);
    }
    text_free(&title);
    text_free(&remark);
}

typedef struct judged {
    const laid_object *object;
    double lines;
    gain gain;
} judged;

static int by_gain(const void *left, const void *right) {
    const judged *a = (const judged *)left, *b = (const judged *)right;
    int order;
    if (a->gain.value < b->gain.value || a->gain.value > b->gain.value)
        return a->gain.value < b->gain.value ? 1 : -1;
    if (a->lines < b->lines || a->lines > b->lines) return a->lines < b->lines ? 1 : -1;
    order = strcmp(a->object->name, b->object->name);
    return order ? order : tool_order(a->object->bytes, b->object->bytes);
}

/* Lists the objects of each site, or of each site and size, by what they gain. The
   largest gain is first. Returns how many objects there are. */
static size_t judge(const laid_part *p, int are_sized, judged *list) {
    size_t i, count = 0;
    for (i = 0; i < p->object_count; i++) {
        const laid_object *o = &p->objects[i];
        judged *j = &list[count];
        gain none = {-1, -1, -1};
        if ((o->bytes != 0) != are_sized) continue;
        j->object = o;
        j->lines = sum_of(o->lines);
        j->gain = sum_of(o->was) > 0 ? gain_of_lines(p, o) : none;
        if (j->lines <= 0 || (are_sized && j->gain.value < 0)) continue;
        count++;
    }
    qsort(list, count, sizeof *list, by_gain);
    return count;
}

static void add_judged(report *r, report_table *table, const laid_part *p, const judged *j) {
    report_cell *row = report_add_row(table);
    double blocks = sum_of(j->object->blocks);
    row[0].real = j->lines / sum_of(p->lines);
    row[1].count = (uint64_t)blocks;
    row[2].count = j->object->bytes;
    put_gain(row + 3, &j->gain);
    row[6].name = named(r, j->object);
}

static void add_objects(report *r, const laid_part *p) {
    static const report_column columns[] = {
        {"lines", "lines", REPORT_SHARE, 0, NULL},
        {"blocks", "blocks", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"bytes", "bytes", REPORT_COUNT, 0, NULL},
        {"less", "less", REPORT_SHARE, 0, "-"},
        {"less_low", "from", REPORT_SHARE, 0, "-"},
        {"less_high", "to", REPORT_SHARE, 0, "-"},
        {"object", "object", REPORT_NAME, 0, NULL},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    judged *list = (judged *)tool_alloc((p->object_count + 1) * sizeof *list);
    size_t i, count;
    report_table *table;
    if (sum_of(p->lines) <= 0) {
        add_line(r, "orders of data",
                 "not known: no burst saw 512 different lines of data (32 KiB). Longer bursts may "
                 "(--burst 100000), or all of it fits into a cache");
        free(list);
        return;
    }
    count = judge(p, 0, list);
    table = report_add_table(r, "layout_sites", "data, and what pools for allocation sites would save",
                             columns, COLUMNS);
    table->rows_shown = ROWS_SHOWN;
    report_remark(table, "lines: of all lines of data that windows take (a window is 512 of them, "
                         "32 KiB). less: so many fewer in all, at most, if the blocks of this site "
                         "lie side by side, as from a pool of their own.");
    for (i = 0; i < count; i++) add_judged(r, table, p, &list[i]);
    if (count && is_certain(&list[0].gain) && list[0].gain.value >= worth)
        add_fact(r, "order of blocks", list[0].object, &list[0].gain,
                 "fewer lines of data at most, from a pool of their own");
    count = judge(p, 1, list);
    if (count) {
        table = report_add_table(r, "layout_sizes", "blocks, and what an order of their fields would "
                                                    "save",
                                 columns, COLUMNS);
        table->rows_shown = ROWS_SHOWN;
        report_remark(table, "less: so many fewer lines of data in all, if the words that are used "
                             "most stand in front (`bursty report --layout`), chosen by what was "
                             "seen before each window.");
    }
    for (i = 0; i < count; i++) add_judged(r, table, p, &list[i]);
    if (count && is_certain(&list[0].gain) && list[0].gain.value >= worth)
        add_fact(r, "order of fields", list[0].object, &list[0].gain,
                 "fewer lines of data with the fields in front that are used most");
    for (i = 0; i < count; i++) {
        if (is_certain(&list[i].gain) && list[i].gain.value >= worth / 2)
            add_fields(r, list[i].object, &list[i].gain);
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
    table = report_add_table(r, "layout_code", "lines of code, and which misses come of where "
                                               "they lie",
                             columns, sizeof columns / sizeof *columns);
    report_remark(table, "Of a cache of 32 KiB with sets of 8 lines, by the instructions that make "
                         "references. order: of the misses seen here, those that a cache without "
                         "sets would not have. Code between references, and libc's, is not seen, so "
                         "an order of functions (`bursty report --order`) may gain more.");
    row = report_add_row(table);
    row[0].count = (uint64_t)lines;
    row[1].count = (uint64_t)all;
    row[2].real = all / lines;
    put_gain(row + 3, &g);
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
