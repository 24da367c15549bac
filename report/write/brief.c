/* brief.c - where it went, in eight lines: what `bursty record` says when a
   program has ended, and two of its own make ten. First comes what is not covered,
   then the first table of the report that has rows: functions by time, if there
   are ticks. Of what is missing no line is left out: there are more of them then. */
#include "base/tool.h"
#include "report/write/writers.h"
#include <string.h>

enum { LINES = 8, ROWS_LEAST = 3 };

static const report_table *first_table(const report *r) {
    size_t i, k;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            const report_table *table = r->parts[i].tables[k];
            if (!table->rows || table->is_for_programs) continue;
            if (strcmp(table->key, "profiles") != 0) return table; /* it tells nothing of the run */
        }
    }
    return NULL;
}

/* If the report has no rows: what the first table says about itself. */
static void add_remark(const report *r, text *out) {
    text line = {NULL, 0, 0};
    size_t i, k;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            const report_table *table = r->parts[i].tables[k];
            if (table->rows || table->is_for_programs || !table->remark) continue;
            text_add(&line, table->title);
            text_add(&line, ": ");
            text_add(&line, table->remark);
            text_bytes(&line, "", 1);
            text_wrapped(out, r, line.data);
            text_free(&line);
            return;
        }
    }
}

static void add_fact(const report *r, const report_fact *fact, text *out) {
    text line = {NULL, 0, 0};
    if (fact->weight == REPORT_BAD) text_add(&line, "MISSING: ");
    text_add(&line, fact->name);
    text_add(&line, ": ");
    text_add(&line, fact->value);
    text_bytes(&line, "", 1);
    text_wrapped(out, r, line.data);
    text_free(&line);
}

/* The table's labels and how many more there are have a line each, too. */
static size_t rows_of(const report *r, const report_table *table, const text *said) {
    size_t lines = 2, i;
    if (r->options.has_top) return r->options.top ? r->options.top : table->rows;
    for (i = 0; i < said->size; i++) lines += said->data[i] == '\n';
    return lines + ROWS_LEAST < LINES ? LINES - lines : ROWS_LEAST;
}

static void write_brief(const report *r, text *out) {
    const report_table *table = first_table(r);
    int is_sampled = table && strcmp(table->key, "waits") != 0;
    size_t more, i, said;
    text_add(out, "bursty: ");
    text_plain(out, r->title);
    text_add(out, ": ");
    text_plain(out, table ? table->title : "nothing to show");
    text_add(out, is_sampled ? " (from, to: 95 % intervals)\n" : "\n");
    said = out->size;
    text_losses(out, r);
    for (i = 0; i < r->fact_count; i++) {
        if (r->facts[i].weight != REPORT_BAD && r->facts[i].weight != REPORT_TOLD) continue;
        add_fact(r, &r->facts[i], out);
    }
    if (r->slow) text_wrapped(out, r, r->slow);
    if (!table && out->size == said) add_remark(r, out);
    if (!table) return;
    more = text_rows(out, r, table, rows_of(r, table, out)) + table->rows_left_out;
    if (more) text_format(out, "(%lu more rows)\n", (unsigned long)more);
}

const report_writer writer_brief = {
    "brief",
    "the hottest functions, in eight lines, and what was missed",
    REPORT_USES_TITLE | REPORT_USES_NAMES | REPORT_USES_TOP,
    0,
    write_brief,
    NULL,
    NULL,
};
