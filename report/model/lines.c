/* lines.c - time by source line becomes a table, and costs beside the source in
   the page.

   A line's ticks are its own, without those of what it calls. Code that was
   inlined has the line where it was written, and the names of the functions that
   it was inlined into. Shares are of all ticks that met the program, and their
   intervals those of time by function (model/by_ticks.c). */
#include "base/tool.h"
#include "report/kinds/lines.h"
#include "report/model/interval.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 20 };

enum { SHARE, LOW, HIGH, TICKS, PLACE, FUNCTION, INTO, SOURCE, LINE, COLUMNS };

/* The innermost function, and in *into those around it, to the one that the
   linker knows; "" if nothing is inlined. */
static const char *names_of(report *r, const timed_line *row, const char **into) {
    const char *at = row->inlined;
    char *first = NULL;
    text around = {NULL, 0, 0};
    size_t n;
    *into = "";
    if (!*at) return report_keep(r, report_name(r, *row->function ? row->function : "(no name)"));
    for (; *at; at += n + (at[n] == '\t')) {
        char *name, *shown;
        n = strcspn(at, "\t");
        name = text_clean(at, n);
        shown = report_name(r, *name ? name : "?");
        free(name);
        if (!first) {
            first = shown;
            continue;
        }
        text_format(&around, "%s < ", shown);
        free(shown);
    }
    {
        char *outer = report_name(r, row->function);
        text_add(&around, outer);
        free(outer);
    }
    *into = report_keep_text(r, &around);
    return report_keep(r, first);
}

static int by_ticks(const void *left, const void *right) {
    const timed_line *const *a = (const timed_line *const *)left;
    const timed_line *const *b = (const timed_line *const *)right;
    if ((*a)->ticks != (*b)->ticks) return (*a)->ticks > (*b)->ticks ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

/* The table of lines. Where lines are not known, all rows of a function are one row
   without a file. */
static void add_part(report *r, const timed_lines *p) {
    static const report_column columns[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "-"},
        {"share_high", "to", REPORT_SHARE, 0, "-"},
        {"ticks", "ticks", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"place", "line", REPORT_NAME, 0, NULL},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"inlined_into", "inlined-into", REPORT_NAME, REPORT_OPTIONAL, NULL},
        {"file", "file", REPORT_NAME, REPORT_HIDDEN, NULL},
        {"line", "line", REPORT_COUNT, REPORT_HIDDEN, NULL},
    };
    const timed_line **rows = (const timed_line **)tool_alloc((p->count + 1) * sizeof *rows);
    double all = (double)p->lost, squares = (double)p->lost_squares, effective, unknown = 0;
    int misses_time = report_misses(r, REPORT_OF_TIME);
    text remark = {NULL, 0, 0};
    report_table *table;
    size_t i;
    for (i = 0; i < p->count; i++) {
        rows[i] = &p->rows[i];
        all += (double)p->rows[i].ticks;
        squares += (double)p->rows[i].squares;
        if (!p->rows[i].line) unknown += (double)p->rows[i].ticks;
    }
    if (all <= 0) {
        free(rows);
        return;
    }
    unknown += (double)p->lost;
    effective = misses_time ? 0 : all * all / squares;
    qsort(rows, p->count, sizeof *rows, by_ticks);
    table = report_add_table(r, "lines", "time by source line", columns, COLUMNS);
    table->rows_shown = ROWS_SHOWN;
    for (i = 0; i < p->count; i++) {
        double share = (double)rows[i]->ticks / all;
        interval range = interval_wilson(share, effective);
        report_cell *row;
        const char *place;
        if (share < r->options.least_share) {
            table->rows_left_out++;
            continue;
        }
        row = report_add_row(table);
        row[SHARE].real = share;
        row[LOW].real = range.low < 0 ? REPORT_NONE : range.low;
        row[HIGH].real = range.low < 0 ? REPORT_NONE : range.high;
        row[TICKS].count = rows[i]->ticks;
        place = report_place(r, rows[i]->file, rows[i]->line);
        row[PLACE].name = *place ? place : "(not-known)";
        row[FUNCTION].name = names_of(r, rows[i], &row[INTO].name);
        row[SOURCE].name = rows[i]->file;
        row[LINE].count = rows[i]->line;
    }
    text_add(&remark, "Shares of the time, without what a line calls. An optimizer moves "
                      "instructions: neighbours share what one of them costs.");
    if (misses_time) {
        text_add(&remark, " ");
        report_add_why(r, REPORT_OF_TIME, &remark);
    }
    if (unknown > 0) {
        text_format(&remark, unknown < .1 * all ? " %.2g" : " %.0f", 100 * unknown / all);
        text_add(&remark, " % of the time is of code whose line is not known: it needs -g, or its "
                          "debug file.");
    }
    if (p->lost) {
        text_add(&remark, " ");
        text_counted(&remark, p->lost, "tick");
        text_add(&remark, " found no room.");
    }
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
    free(rows);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    const timed_lines_parts *s = (const timed_lines_parts *)state;
    size_t i;
    (void)columns;
    (void)in;
    for (i = 0; i < s->count; i++) add_part(r, &s->parts[i]);
}

const report_section section_lines = {&kind_lines, "lines", 0, fill, NULL, NULL};
