/* compare_tables.c - lists of rows that were compared, as tables: what changed
   surely first, then what nobody can tell, each by the size of the change. */
#include "base/tool.h"
#include "report/kinds/sampled.h"
#include "report/model/compare.h"
#include "report/model/paths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 20, CONTEXTS_SHOWN = 10 };

static const struct {
    const char *key, *title, *more, *less;
} words[] = {
    /* by compare_measure */
    {"self_changes", "what changed: time of functions themselves", "slower", "faster"},
    {"total_changes", "what changed: time of functions with all they call", "slower", "faster"},
    {"stack_changes", "what changed: time of stacks, of the last function alone", "slower",
     "faster"},
    {"call_changes", "what changed: calls of functions", "more", "fewer"},
    {"context_changes", "what changed: calls of contexts", "more", "fewer"},
    {"whole_change", "the whole program", "slower", "faster"},
};

typedef struct changed_row {
    difference of;
    size_t row;
    unsigned char is_sure;
} changed_row;

static double size_of(const changed_row *row) { return fabs(row->of.now - row->of.base); }

static int compare_changes(const void *left, const void *right) {
    const changed_row *a = (const changed_row *)left, *b = (const changed_row *)right;
    if (a->is_sure != b->is_sure) return a->is_sure ? -1 : 1;
    if (size_of(a) > size_of(b) || size_of(a) < size_of(b))
        return size_of(a) > size_of(b) ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static const char *verdict_of(const changed_row *row, compare_measure measure) {
    const difference *d = &row->of;
    if (d->chance != d->chance) return "unknown";
    if (row->is_sure && !(d->base > 0)) return "appeared";
    if (row->is_sure && !(d->now > 0)) return "gone";
    if (row->is_sure) return d->now > d->base ? words[measure].more : words[measure].less;
    return d->low < 0 || d->high > 0 ? "unsure" : "same"; /* exact numbers that are equal */
}

/* The differences of a list, judged and sorted. To be freed by the caller. */
static changed_row *changes_of(const comparison *c, const compare_list *list, size_t *sure) {
    changed_row *rows = (changed_row *)tool_alloc(list->rows * sizeof *rows);
    double *chances = (double *)tool_alloc(list->rows * sizeof *chances);
    unsigned char *is_sure = (unsigned char *)tool_alloc(list->rows);
    size_t i;
    for (i = 0; i < list->rows; i++) {
        difference_side base = compare_base(c, list, i), now = compare_new(c, list, i);
        rows[i].of = difference_make(&base, &now);
        rows[i].row = i;
        chances[i] = difference_is_hopeless(&base, &now) ? NAN : rows[i].of.chance;
    }
    difference_judge(chances, list->rows, is_sure);
    for (i = 0, *sure = 0; i < list->rows; i++) {
        rows[i].is_sure = is_sure[i];
        *sure += is_sure[i];
    }
    if (list->rows) qsort(rows, list->rows, sizeof *rows, compare_changes);
    free(chances);
    free(is_sure);
    return rows;
}

static double or_none(double number) {
    return number > -HUGE_VAL && number < HUGE_VAL ? number : REPORT_NONE;
}

enum {
    VERDICT, CHANGE, LOW, HIGH, PERCENT, BASE, NEW, PERCENT_LOW, PERCENT_HIGH, CHANCE, UNIT, NAME,
    PLACE, FILE_NAME, LINE
};

static void fill_row(report_cell *row, const changed_row *from, compare_measure measure,
                     const char *unit) {
    const difference *d = &from->of;
    double factor = d->base > 0 ? d->now / d->base : REPORT_NONE;
    row[VERDICT].name = verdict_of(from, measure);
    row[CHANGE].real = d->now - d->base;
    row[LOW].real = or_none(d->low);
    row[HIGH].real = or_none(d->high);
    row[PERCENT].real = or_none(100 * (factor - 1));
    row[PERCENT_LOW].real = or_none(100 * (d->factor_low - 1));
    row[PERCENT_HIGH].real = or_none(100 * (d->factor_high - 1));
    row[BASE].real = d->base;
    row[NEW].real = d->now;
    row[CHANCE].real = or_none(d->chance);
    row[UNIT].name = unit;
}

static const report_column columns[] = {
    {"verdict", "verdict", REPORT_NAME, 0, NULL},
    {"change", "change", REPORT_REAL, REPORT_SIGNED, NULL},
    {"change_low", "from", REPORT_REAL, REPORT_SIGNED, "unknown"},
    {"change_high", "to", REPORT_REAL, REPORT_SIGNED, "unknown"},
    {"change_percent", "change-%", REPORT_REAL, REPORT_SIGNED, "-"},
    {"base", "base", REPORT_REAL, REPORT_OPTIONAL, NULL},
    {"new", "new", REPORT_REAL, REPORT_OPTIONAL, NULL},
    {"change_percent_low", "from-%", REPORT_REAL, REPORT_SIGNED | REPORT_OPTIONAL, "-"},
    {"change_percent_high", "to-%", REPORT_REAL, REPORT_SIGNED | REPORT_OPTIONAL, "-"},
    {"chance", "chance", REPORT_REAL, REPORT_HIDDEN, "-"},
    {"unit", "unit", REPORT_NAME, REPORT_HIDDEN, NULL},
    {"function", "function", REPORT_NAME, 0, NULL},
    {"place", "place", REPORT_NAME, REPORT_OPTIONAL, NULL},
    {"file", "file", REPORT_NAME, REPORT_HIDDEN, NULL},
    {"line", "line", REPORT_COUNT, REPORT_HIDDEN, NULL},
};
static const report_column path_columns[] = {
    {"verdict", "verdict", REPORT_NAME, 0, NULL},
    {"change", "change", REPORT_REAL, REPORT_SIGNED, NULL},
    {"change_low", "from", REPORT_REAL, REPORT_SIGNED, "unknown"},
    {"change_high", "to", REPORT_REAL, REPORT_SIGNED, "unknown"},
    {"change_percent", "change-%", REPORT_REAL, REPORT_SIGNED | REPORT_OPTIONAL, "-"},
    {"base", "base", REPORT_REAL, REPORT_OPTIONAL, NULL},
    {"new", "new", REPORT_REAL, REPORT_OPTIONAL, NULL},
    {"change_percent_low", "from-%", REPORT_REAL, REPORT_SIGNED | REPORT_HIDDEN, "-"},
    {"change_percent_high", "to-%", REPORT_REAL, REPORT_SIGNED | REPORT_HIDDEN, "-"},
    {"chance", "chance", REPORT_REAL, REPORT_HIDDEN, "-"},
    {"unit", "unit", REPORT_NAME, REPORT_HIDDEN, NULL},
    {"stack", "stack", REPORT_PATH, 0, NULL},
};

/* "CPU ms a run". */
static void add_unit(text *out, const comparison *c, const compare_list *list) {
    int is_mean = c->base_count > 1 || c->new_count > 1;
    if (strcmp(list->unit, "ms") == 0) text_add(out, "milliseconds of CPU time");
    else if (strcmp(list->unit, "%") == 0) text_add(out, "percent of all time");
    else text_add(out, list->unit);
    if (is_mean) text_add(out, ", mean of the runs");
}

static void add_remark(report_table *table, const comparison *c, const compare_list *list,
                       size_t sure, compare_measure measure) {
    text remark = {NULL, 0, 0};
    text_add(&remark, "In ");
    add_unit(&remark, c, list);
    if (measure != COMPARE_WHOLE)
        text_format(&remark, "; %lu of %lu rows changed surely", (unsigned long)sure,
                    (unsigned long)list->rows);
    text_add(&remark, ".");
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
}

/* Rows that are small on both sides and did not surely change are left out. */
static int is_cold(const report *r, const changed_row *row, const double whole[2]) {
    return !row->is_sure && row->of.base < r->options.least_share * whole[0] &&
           row->of.now < r->options.least_share * whole[1];
}

/* The whole tree with the same changes and the same verdicts as the table. */
static void add_tree(report *r, const comparison *c, compare_measure measure,
                     const report_tree *from, const changed_row *rows) {
    const compare_list *list = &c->lists[measure];
    report_tree *tree = report_add_tree(r, from->count, from->name_count);
    size_t i;
    tree->unit = list->unit;
    tree->changes = (report_change *)tool_alloc(from->count * sizeof *tree->changes);
    memcpy(tree->parent, from->parent, from->count * sizeof *tree->parent);
    memcpy(tree->name, from->name, from->count * sizeof *tree->name);
    if (measure == COMPARE_STACKS) {
        tree->file = (const char **)tool_alloc(from->name_count * sizeof *tree->file);
        tree->line = (uint32_t *)tool_alloc(from->name_count * sizeof *tree->line);
    }
    for (i = 0; i < from->name_count; i++) {
        tree->names[i] = text_clean(from->names[i], strlen(from->names[i]));
        if (!tree->file) continue;
        tree->file[i] = c->functions.at[i].file;
        tree->line[i] = c->functions.at[i].line;
    }
    for (i = 0; i < list->rows; i++) {
        const difference *d = &rows[i].of;
        report_change *change = &tree->changes[list->which[rows[i].row]];
        change->base = d->base;
        change->now = d->now;
        change->low = or_none(d->low);
        change->high = or_none(d->high);
        change->way = !rows[i].is_sure ? 0 : d->now > d->base ? 1 : -1;
    }
}

static void add_table(report *r, const comparison *c, compare_measure measure) {
    const compare_list *list = &c->lists[measure];
    const report_tree *tree = measure == COMPARE_STACKS     ? c->stacks
                              : measure == COMPARE_CONTEXTS ? c->contexts
                                                            : NULL;
    double whole[2] = {0, 0};
    uint32_t *shown = (uint32_t *)tool_alloc(list->rows * sizeof *shown);
    size_t sure, i;
    changed_row *rows = changes_of(c, list, &sure);
    report_table *table;
    if (tree)
        table = report_add_table(r, words[measure].key, words[measure].title, path_columns,
                                 sizeof path_columns / sizeof *path_columns);
    else
        table = report_add_table(r, words[measure].key, words[measure].title, columns,
                                 sizeof columns / sizeof *columns);
    add_remark(table, c, list, sure, measure);
    for (i = 0; i < list->rows; i++) {
        whole[0] += rows[i].of.base;
        whole[1] += rows[i].of.now;
    }
    for (i = 0; i < list->rows; i++) {
        report_cell *row;
        if (measure != COMPARE_WHOLE && is_cold(r, &rows[i], whole)) {
            table->rows_left_out++;
            continue;
        }
        row = report_add_row(table);
        fill_row(row, &rows[i], measure, list->unit);
        if (tree) {
            row[NAME].node = shown[table->rows - 1] = list->which[rows[i].row];
        } else if (measure == COMPARE_WHOLE) {
            row[NAME].name = "(all)";
            row[PLACE].name = row[FILE_NAME].name = "";
        } else {
            const identity *f = &c->functions.at[list->which[rows[i].row]];
            row[NAME].name = c->names[list->which[rows[i].row]];
            row[PLACE].name = report_keep(r, identity_place(f->file, f->line));
            row[FILE_NAME].name = f->file;
            row[LINE].count = f->line;
        }
    }
    table->rows_shown = tree ? CONTEXTS_SHOWN : ROWS_SHOWN;
    if (tree) {
        table->paths = report_paths_make(tree, shown, table->rows);
        add_tree(r, c, measure, tree, rows);
    }
    free(rows);
    free(shown);
}

/* ---- the first line ----------------------------------------------------------------------- */

static void add_change(text *out, const difference *d, const char *unit) {
    double apart = d->now - d->base;
    text_format(out, "%+.3g %s (%+.3g to %+.3g)", apart, unit, d->low, d->high);
    if (d->base > 0) text_format(out, ", %+.1f %%", 100 * (d->now / d->base - 1));
}

/* "slower by 12 ms (8 to 16): parse; 3 of 120 functions changed." */
static void add_headline(report *r, const comparison *c) {
    static const compare_measure order[] = {COMPARE_SELF, COMPARE_CALLS, COMPARE_CONTEXTS};
    text line = {NULL, 0, 0};
    size_t i, sure, none = 0;
    const compare_list *whole = &c->lists[COMPARE_WHOLE];
    if (whole->is_there) {
        difference_side base = compare_base(c, whole, 0), now = compare_new(c, whole, 0);
        difference d = difference_make(&base, &now);
        text_add(&line, "The whole: ");
        if (d.chance != d.chance) text_add(&line, "nobody can tell: too much is lost");
        else {
            add_change(&line, &d, whole->unit);
            text_add(&line, d.chance <= DIFFERENCE_LEVEL ? "" : ", which may be luck");
        }
        text_add(&line, ". ");
    }
    for (i = 0; i < sizeof order / sizeof *order; i++) {
        const compare_list *list = &c->lists[order[i]];
        changed_row *rows;
        if (!list->is_there) continue;
        rows = changes_of(c, list, &sure);
        if (sure) {
            uint32_t which = list->which[rows[0].row];
            text_add(&line, order[i] == COMPARE_CONTEXTS
                                ? c->contexts->names[c->contexts->name[which]]
                                : c->names[which]);
            text_add(&line, order[i] == COMPARE_SELF    ? " itself changed most: "
                            : order[i] == COMPARE_CALLS ? " changed most in calls: "
                                                        : " changed most in calls of a context: ");
            add_change(&line, &rows[0].of, list->unit);
            text_format(&line, "; %lu of %lu rows changed surely. ", (unsigned long)sure,
                        (unsigned long)list->rows);
        } else none++;
        free(rows);
    }
    if (none) text_add(&line, line.size ? "No other change is sure." : "No change is sure.");
    text_bytes(&line, "", 1);
    r->headline = text_clean(line.data, strlen(line.data));
    text_free(&line);
}

static void add_facts(report *r, const comparison *c, const compare_input *runs) {
    size_t i, k, first = 0, count = c->base_count;
    for (k = 0; k < 2; k++, first += c->base_count, count = c->new_count) {
        text value = {NULL, 0, 0};
        text_counted(&value, count, "run");
        text_add(&value, ": ");
        for (i = 0; i < count && i < 3; i++) {
            if (i) text_add(&value, ", ");
            text_add(&value, runs[first + i].path);
        }
        if (count > 3) text_format(&value, " and %lu more", (unsigned long)count - 3);
        text_bytes(&value, "", 1);
        report_add_fact(r, REPORT_NOTE, k ? "new" : "base", value.data);
        text_free(&value);
    }
    if (c->base_count + c->new_count == 2)
        report_add_fact(r, REPORT_NOTE, "intervals",
                        "of two single runs, from how well each was sampled. How much runs differ "
                        "from one another shows only in several: give more files, and repeat "
                        "--base");
    else
        report_add_fact(r, REPORT_NOTE, "intervals",
                        "from how much runs of a side differ (Welch) and from how well each was "
                        "sampled, whichever is wider");
    report_add_fact(r, REPORT_NOTE, "verdicts",
                    "from and to are the 95 % interval of a change. A row that is called slower, "
                    "faster, more, fewer, appeared or gone changed surely: in each table the chance "
                    "that any of these is luck is at most 5 % (Holm). \"unsure\" means that the data "
                    "cannot tell");
}

/* ---- the section -------------------------------------------------------------------------- */

static void free_section(void *columns_of_it) { compare_free((comparison *)columns_of_it); }

static const report_section compare_section = {
    &kind_sampled, "changes", sizeof(comparison), NULL, NULL, free_section,
};

int compare_make(report *r, const compare_input *runs, size_t base_count, size_t new_count,
                 int by_share, comparison **made) {
    comparison *c = (comparison *)report_begin_part(r, &compare_section);
    *made = c;
    c->base_count = base_count;
    c->new_count = new_count;
    c->by_share = by_share;
    return compare_gather(c, r, runs);
}

void compare_show(report *r, const comparison *c, const compare_input *runs) {
    static const compare_measure order[] = {COMPARE_WHOLE, COMPARE_SELF,  COMPARE_TOTAL,
                                            COMPARE_STACKS, COMPARE_CALLS, COMPARE_CONTEXTS};
    size_t i;
    add_headline(r, c);
    add_facts(r, c, runs);
    for (i = 0; i < sizeof order / sizeof *order; i++) {
        if (c->lists[order[i]].is_there) add_table(r, c, order[i]);
    }
}
