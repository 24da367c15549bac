/* ends.c - which recordings have no end, which leave threads out, and how much
   is missing. */
#include "report/kinds/ends.h"
#include "report/model/report.h"
#include <string.h>

static const char *why_of(uint32_t why) {
    return why == END_KILLED ? "killed" : why == END_LEFT ? "left" : "not sampled";
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    static const report_column shown[] = {
        {"missing_s", "seconds", REPORT_REAL, 0, NULL},
        {"why", "why", REPORT_NAME, 0, NULL},
        {"program", "program", REPORT_NAME, 0, NULL},
    };
    const missing_ends *s = (const missing_ends *)state;
    report_table *table;
    size_t i, rows = 0;
    (void)columns;
    (void)in;
    for (i = 0; i < s->count; i++) rows += s->at[i].why <= END_QUIET;
    if (rows == 0) return;
    table = report_add_table(r, "missing_ends", "what is missing from recordings", shown,
                             sizeof shown / sizeof *shown);
    report_remark(table, "What ran in the last seconds of programs that were killed or left, and "
                         "the calls of threads that were not sampled, are in no table.");
    for (i = 0; i < s->count; i++) {
        report_cell *row;
        if (s->at[i].why > END_QUIET) continue; /* no time: losses.c says it */
        row = report_add_row(table);
        row[0].real = (double)s->at[i].missing / 1000;
        row[1].name = why_of(s->at[i].why);
        row[2].name = *s->at[i].program ? s->at[i].program : "(no name)";
    }
}

const report_section section_ends = {&kind_ends, "missing_ends", 0, fill, NULL, NULL};
