/* brief.c - where it went, in ten lines: what `bursty record` says when a
   program has ended. First comes what is not covered, then the first table of
   the report that has rows: functions by time, if there are ticks. */
#include "base/tool.h"
#include "write/writers.h"

enum { ROWS = 10 };

static const report_table *first_table(const report *r) {
    size_t i, k;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            const report_table *table = r->parts[i].tables[k];
            if (table->rows && !table->is_for_programs) return table;
        }
    }
    return NULL;
}

static void write_brief(const report *r, text *out) {
    const report_table *table = first_table(r);
    size_t more, i;
    text_add(out, "bursty: ");
    text_plain(out, r->title);
    text_add(out, ": ");
    text_plain(out, table ? table->title : "nothing to show");
    text_add(out, " (from, to: 95 % intervals)\n");
    text_losses(out, r);
    for (i = 0; i < r->fact_count; i++) {
        if (r->facts[i].weight != REPORT_BAD) continue;
        text_add(out, "MISSING: ");
        text_plain(out, r->facts[i].name);
        text_add(out, ": ");
        text_plain(out, r->facts[i].value);
        text_add(out, "\n");
    }
    if (r->slow) text_wrapped(out, r, r->slow);
    if (!table) return;
    more = text_rows(out, r, table, ROWS) + table->rows_left_out;
    if (more) text_format(out, "(%lu more rows)\n", (unsigned long)more);
}

const report_writer writer_brief = {
    "brief",
    "the hottest ten functions, and what was missed",
    REPORT_USES_TITLE | REPORT_USES_NAMES,
    0,
    write_brief,
    NULL,
    NULL,
};
