/* ends.c - which recordings have no end, which leave threads out, and how much is missing. */
#include "kinds/ends.h"
#include "model/report.h"
#include <string.h>

static void fact(report *r, const char *what, text *value) {
    text_bytes(value, "", 1);
    report_add_fact(r, REPORT_BAD, what, value->data);
    text_free(value);
}

static void tell_ends(report *r, const missing_ends *s, size_t count) {
    text value = {NULL, 0, 0};
    size_t i = 0;
    if (count == 1) {
        while (s->at[i].why == END_QUIET) i++;
        text_format(&value, "%.1f seconds: %s", (double)s->at[i].missing_ms / 1000,
                    s->at[i].why == END_KILLED ? "the program was killed"
                                               : "the program left without the C library");
    } else text_format(&value, "of %lu recordings", (unsigned long)count);
    fact(r, "the end is missing", &value);
}

static void tell_quiet(report *r, const missing_ends *s) {
    text value = {NULL, 0, 0};
    uint64_t ms = 0, of_ms = 0;
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (s->at[i].why != END_QUIET) continue;
        ms += s->at[i].missing_ms;
        of_ms += s->at[i].of_ms;
    }
    text_format(&value,
                "%.0f %% of the CPU time: threads that may be cancelled at any instruction (cure: "
                "record --ticks)",
                of_ms ? 100 * (double)ms / (double)of_ms : 0);
    fact(r, "calls were not sampled in", &value);
}

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
    size_t i, ends = 0;
    (void)columns;
    (void)in;
    if (s->count == 0) return;
    for (i = 0; i < s->count; i++) ends += s->at[i].why != END_QUIET;
    if (ends) tell_ends(r, s, ends);
    if (ends < s->count) tell_quiet(r, s);
    table = report_add_table(r, "missing_ends", "what is missing from recordings", shown,
                             sizeof shown / sizeof *shown);
    report_remark(table, "What ran in the last seconds of programs that were killed or left, and "
                         "the calls of threads that were not sampled, are in no table.");
    for (i = 0; i < s->count; i++) {
        report_cell *row = report_add_row(table);
        row[0].real = (double)s->at[i].missing_ms / 1000;
        row[1].name = why_of(s->at[i].why);
        row[2].name = *s->at[i].program ? s->at[i].program : "(no name)";
    }
}

const report_section section_ends = {&kind_ends, "missing_ends", 0, fill, NULL, NULL};
