/* suspects.c - what failing tests ran and others did not, as lines that editors
   jump along: FILE:LINE: note: WORDS. */
#include "base/tool.h"
#include "report/model/coverage.h"
#include "report/model/report.h"
#include <string.h>

enum { SHOWN = 20 };

/* "lines 5 to 7", "this line". */
static void add_what(text *out, const coverage_suspect *s) {
    switch (*s->what) {
    case 'f':
        text_add(out, "entered ");
        text_plain(out, s->name);
        break;
    case 'b': text_add(out, "took a branch of this line"); break;
    default:
        if (s->last == s->line) text_add(out, "ran this line");
        else text_format(out, "ran lines %lu to %lu", (unsigned long)s->line, (unsigned long)s->last);
    }
}

static void add_one(text *out, const coverage_all *made, const coverage_suspect *s) {
    text_plain(out, tool_seen_from_here(s->file->name));
    text_format(out, ":%lu: note: %lu of %lu failing and %lu of %lu passing tests ",
                (unsigned long)(s->line ? s->line : 1), (unsigned long)s->failing,
                (unsigned long)made->tests_failed, (unsigned long)s->passing,
                (unsigned long)made->tests_passed);
    add_what(out, s);
    text_format(out, " (Ochiai %.0f %%%s)\n", 100 * s->ochiai, s->is_sure ? ", sure" : "");
}

static void write_suspects(const report *r, text *out) {
    const coverage_all *made = coverage_in(r);
    size_t i, most = !r->options.has_top ? SHOWN : r->options.top ? r->options.top : (size_t)-1;
    for (i = 0; made && i < made->suspect_count && i < most; i++)
        add_one(out, made, &made->suspects[i]);
}

static int has_suspects(const report *r) {
    const coverage_all *made = coverage_in(r);
    return made && made->suspect_count;
}

const report_writer writer_suspects = {
    "suspects",
    "--failing as FILE:LINE: note: ..., which editors jump along",
    REPORT_USES_TOP | REPORT_USES_SOURCES,
    0,
    write_suspects,
    has_suspects,
    NULL,
};
