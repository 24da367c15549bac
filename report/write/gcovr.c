/* gcovr.c - coverage as gcovr's JSON, format 0.3 (gcovr 5.1 and 5.2): `gcovr -a
   FILE` reads it, adds several up and makes its own reports of them, and
   scripts that read gcovr's output read this. */
#include "base/json.h"
#include "base/tool.h"
#include "report/model/coverage.h"
#include <stdlib.h>

static int by_line(const void *a, const void *b) {
    const coverage_branch *x = *(const coverage_branch *const *)a,
                         *y = *(const coverage_branch *const *)b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->way > y->way) - (x->way < y->way);
}

static void add_lines(text *out, const coverage_file *f) {
    const coverage_branch **list =
        (const coverage_branch **)tool_alloc((f->branch_count + 1) * sizeof *list);
    size_t i, at = 0;
    for (i = 0; i < f->branch_count; i++) list[i] = &f->branches[i];
    if (f->branch_count) qsort(list, f->branch_count, sizeof *list, by_line);
    for (i = 0; i < f->line_count; i++) {
        const coverage_line *line = &f->lines[i];
        size_t n = 0;
        text_add(out, i ? ",\n{" : "\n{");
        json_field(out, &n, "line_number", line->line);
        json_field(out, &n, "count", line->count);
        json_name(out, &n, "branches");
        text_add(out, "[");
        n = 0;
        while (at < f->branch_count && list[at]->line < line->line) at++;
        for (; at < f->branch_count && list[at]->line == line->line; at++) {
            size_t fields = 0;
            json_comma(out, n++);
            text_add(out, "{");
            json_field(out, &fields, "count", list[at]->is_reached ? list[at]->count : 0);
            text_add(out, ",\"fallthrough\":false,\"throw\":false}");
        }
        text_add(out, "],\"gcovr/noncode\":false,\"gcovr/excluded\":false}");
    }
    free((void *)list);
}

static void add_functions(text *out, const coverage_file *f) {
    size_t i;
    for (i = 0; i < f->function_count; i++) {
        size_t n = 0;
        text_add(out, i ? ",\n{" : "\n{");
        json_field_string(out, &n, "name", f->functions[i].name);
        json_field(out, &n, "lineno", f->functions[i].line);
        json_field(out, &n, "execution_count", f->functions[i].entries);
        text_add(out, "}");
    }
}

static void write_gcovr(const report *r, text *out) {
    const coverage_all *all = coverage_in(r);
    size_t i;
    coverage_say_refused(all);
    text_add(out, "{\"gcovr/format_version\":\"0.3\",\"files\":[");
    for (i = 0; all && i < all->count; i++) {
        size_t n = 0;
        text_add(out, i ? ",\n{" : "\n{");
        json_field_string(out, &n, "file", tool_seen_from_here(all->files[i].name));
        json_name(out, &n, "lines");
        text_add(out, "[");
        add_lines(out, &all->files[i]);
        text_add(out, "],");
        n = 0;
        json_name(out, &n, "functions");
        text_add(out, "[");
        add_functions(out, &all->files[i]);
        text_add(out, "]}");
        save_some(r->out, out);
    }
    text_add(out, "]}\n");
}

const report_writer writer_gcovr = {
    "gcovr",
    "coverage as gcovr's JSON (edgeprof.h)",
    REPORT_USES_SOURCES,
    0,
    write_gcovr,
    coverage_is_there,
    NULL,
};
