/* ends.c - which recordings have no end, and how much is missing. */
#include "kinds/ends.h"
#include "model/report.h"
#include <string.h>

static void fill(void *columns, report *r, const void *state, const input *in) {
    static const report_column shown[] = {
        {"missing_s", "seconds", REPORT_REAL, 0, NULL},
        {"why", "why", REPORT_NAME, 0, NULL},
        {"program", "program", REPORT_NAME, 0, NULL},
    };
    const missing_ends *s = (const missing_ends *)state;
    report_table *table;
    size_t i;
    (void)columns;
    (void)in;
    if (s->count == 0) return;
    table = report_add_table(r, "missing_ends", "recordings whose end is missing", shown,
                             sizeof shown / sizeof *shown);
    report_remark(table, "What ran in the last seconds of these programs is in no table.");
    for (i = 0; i < s->count; i++) {
        report_cell *row = report_add_row(table);
        row[0].real = (double)s->at[i].missing_ms / 1000;
        row[1].name = s->at[i].why == END_KILLED ? "killed" : "left";
        row[2].name = *s->at[i].program ? s->at[i].program : "(no name)";
    }
}

const report_section section_ends = {&kind_ends, "missing_ends", 0, fill, NULL, NULL};
