/* report.c - bursty report: dumps into something to look at. */
#include "base/input.h"
#include "base/save.h"
#include "base/terminal.h"
#include "base/tool.h"
#include "kinds/decisions.h"
#include "kinds/sources.h"
#include "model/by_tests.h"
#include "model/chosen.h"
#include "model/decisions.h"
#include "model/edges.h"
#include "write/writers.h"
#include <stdlib.h>
#include <string.h>

static void help(FILE *to) {
    size_t i;
    fputs("usage: bursty report [OPTIONS] FILE ...          FILE may be -, standard input\n\n", to);
    for (i = 0; writer_list[i]; i++) {
        char form[32];
        snprintf(form, sizeof form, "--%s%s", writer_list[i]->name,
                 writer_list[i]->wants_out ? " OUT" : "");
        fprintf(to, "  %-18s %s\n", form, writer_list[i]->about);
    }
    fputs("  -o OUT             where to (-: standard output, the default)\n"
          "  --title TEXT       what ran; by default the program's name out of the dump, or the "
          "first file's\n"
          "  --note NAME=VALUE  a fact to show at the top, such as 'overhead=+1.2 %'; may be "
          "repeated\n"
          "  --min PERCENT      leave out functions and pairs with less than that share (--text: "
          "0.1, others: 0)\n"
          "  --sort COLUMN      sort tables by a column, such as share, time_share, estimated or "
          "function\n"
          "  --unique-cause     MC/DC by unique cause; without it, masking MC/DC\n"
          "  --by UNIT          what stacks of --collapsed count: ticks (the default, if there are "
          "any) or calls;\n"
          "                     other forms show both, and take no --by\n"
          "  --no-demangle      leave C++ names as the linker has them\n"
          "  --whole-stacks     write all frames of stacks, even if the file becomes very large\n"
          "  --source-root DIR  read sources that lie in DIR, and no others, for their text and for "
          "markers of\n"
          "                     excluded lines; without it, those in the current folder\n"
          "\n"
          "  of coverage (bursty cc --cover):\n"
          "  --filter PATTERN   only files with such names (* and ?), as the report shows them; may be "
          "repeated\n"
          "  --exclude PATTERN  no files with such names; may be repeated\n"
          "  --diff FILE        only lines that a unified diff has changed: git diff main | bursty "
          "report --diff - ...\n"
          "  --fail-under WANTED  status 3 if there is less: 80 (percent of lines), or a list such "
          "as\n"
          "                     lines=80,branches=70,functions=90,mcdc=60\n"
          "  --tests-of FILE:LINE  which tests ran that line: runs with BURSTY_TEST=name\n"
          "\n"
          "  Several files are added up. Nothing is written if one of them is bad. An option that "
          "changes nothing\n"
          "  in the form that was asked for is refused. The text is as wide as the terminal, or as "
          "COLUMNS says;\n"
          "  NO_COLOR takes its colours away.\n",
          to);
}

typedef struct options {
    const report_writer *writer;
    const char *out, *title, *sort, *source_root, *diff, *fail_under;
    chosen chosen;
    double wanted[4]; /* of lines, branches, functions, mcdc: percent; below 0: nothing */
    int is_of_coverage; /* an option was given that other reports have no use for */
    double min;
    unsigned given; /* options that not every form uses, as in report_writer.uses */
    int forms, outs;
} options;

static const struct {
    const char *name;
    unsigned bit;
} choosy[] = {
    {"title", REPORT_USES_TITLE}, {"note", REPORT_USES_NOTES},
    {"min", REPORT_USES_MIN},     {"sort", REPORT_USES_SORT},
    {"by", REPORT_USES_UNIT},     {"unique-cause", REPORT_USES_CAUSE},
    {"no-demangle", REPORT_USES_NAMES},
    {"source-root", REPORT_USES_SOURCES},
    {"whole-stacks", REPORT_USES_WHOLE},
};

/* Refuses options that would change nothing in what the form writes. Returns a TOOL_ status. */
static int check_uses(const options *o) {
    size_t i, k;
    for (i = 0; i < sizeof choosy / sizeof *choosy; i++) {
        text forms = {NULL, 0, 0};
        int status;
        if (!(o->given & choosy[i].bit & ~o->writer->uses)) continue;
        for (k = 0; writer_list[k]; k++) {
            if (writer_list[k]->uses & choosy[i].bit)
                text_format(&forms, "%s--%s", forms.size ? ", " : "", writer_list[k]->name);
        }
        status = tool_error("--%s changes nothing in --%s; it is for %.*s", choosy[i].name,
                            o->writer->name, (int)forms.size, forms.data);
        text_free(&forms);
        return status;
    }
    return TOOL_OK;
}

/* The programs' names; else the first file's, without folders. */
static char *make_title(const report *r, const char *path) {
    const char *file = path, *at;
    char *clean;
    text title = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < r->name_count; i++) {
        if (i) text_add(&title, ", ");
        text_add(&title, r->names[i]);
    }
    for (at = path; *at; at++) {
        if (*at == '/' || *at == '\\') file = at + 1;
    }
    if (title.size == 0) text_add(&title, file);
    clean = text_clean(title.data, title.size);
    text_free(&title);
    return clean;
}

static int add_note(report *r, const char *argument) {
    const char *equals = strchr(argument, '=');
    char *name, *value;
    if (!equals || equals == argument)
        return tool_error("--note %s: NAME=VALUE is wanted", argument);
    name = text_clean(argument, (size_t)(equals - argument));
    value = text_clean(equals + 1, strlen(equals + 1));
    report_add_fact(r, REPORT_NOTE, name, value);
    free(name);
    free(value);
    return TOOL_OK;
}

static int set_min(options *o, const char *value) {
    char *end;
    o->min = strtod(value, &end);
    if (end != value && !*end && o->min >= 0 && o->min <= 100) return TOOL_OK;
    return tool_error("--min %s: a percentage is wanted", value);
}

/* ---- coverage: what is told of it, and how much is wanted ---- */

enum { LINES, BRANCHES, FUNCTIONS, MCDC };
static const char *const wanted_names[] = {"lines", "branches", "functions", "mcdc"};

/* "80", or "lines=80,mcdc=60". */
static int set_wanted(options *o, const char *value) {
    const char *at = value;
    o->fail_under = value;
    for (;;) {
        size_t size = strcspn(at, "=,"), which = LINES;
        const char *number = at;
        char *end;
        if (at[size] == '=') {
            for (which = 0; which < 4; which++) {
                if (strlen(wanted_names[which]) == size &&
                    memcmp(wanted_names[which], at, size) == 0) break;
            }
            number = at + size + 1;
        }
        if (which == 4 || *number < '0' || *number > '9') break;
        if (o->wanted[which] >= 0)
            return tool_error("--fail-under %s: %s stand twice", value, wanted_names[which]);
        o->wanted[which] = strtod(number, &end);
        if (!(o->wanted[which] <= 100) || (*end && *end != ',')) break;
        if (!*end) return TOOL_OK;
        at = end + 1;
    }
    return tool_error("--fail-under %s: a percentage is wanted, or a list such as "
                      "lines=80,branches=70,functions=90,mcdc=60", value);
}

static int add_pattern(const char ***list, const char *name, const char *pattern) {
    size_t count = 0;
    if (!*pattern) return tool_error("--%s: a pattern of files' names is wanted", name);
    while (*list && (*list)[count]) count++;
    *list = (const char **)tool_grow((void *)*list, (count + 2) * sizeof **list);
    (*list)[count] = pattern;
    (*list)[count + 1] = NULL;
    return TOOL_OK;
}

/* Returns a TOOL_ status, or -1: it is another option. */
static int set_coverage(options *o, report *r, tool_option *option) {
    static const char *const names[] = {"filter", "exclude", "diff", "fail-under", "tests-of"};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !tool_is(option, "--", names[i])) i++;
    if (i == sizeof names / sizeof *names) return -1;
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    o->is_of_coverage = 1;
    if (i == 0) return add_pattern(&o->chosen.filter, names[i], option->value);
    if (i == 1) return add_pattern(&o->chosen.exclude, names[i], option->value);
    if (i == 3) return set_wanted(o, option->value);
    if (i == 2) o->diff = option->value;
    else r->options.tests_of = option->value;
    return TOOL_OK;
}

/* Options of coverage for a dump that has some. Returns a TOOL_ status. */
static int check_coverage(const options *o, const report *r, const char *file) {
    const covered_all *all = covered_in(r);
    const char *fault;
    if (o->is_of_coverage && !all)
        return tool_error("%s: has no coverage, which --filter, --exclude, --diff, --fail-under and "
                          "--tests-of are of", file);
    if (o->wanted[MCDC] >= 0 && !shown_in(r))
        return tool_error("--fail-under %s: %s has no decisions for MC/DC; bursty cc --cover=mcdc "
                          "makes them", o->fail_under, file);
    if (o->is_of_coverage && all->count == 0 && !o->diff)
        return tool_error("%s: no file of it is left by --filter and --exclude", file);
    fault = r->options.tests_of ? by_tests_refuse(all, r->options.tests_of) : NULL;
    if (fault) return tool_error("--tests-of %s: %s", r->options.tests_of, fault);
    return TOOL_OK;
}

/* Counts that no table at all belongs to say nothing. Returns a TOOL_ status. */
static int check_tables(const options *o, const report *r, const input *in, const char *file) {
    const covered_all *all = covered_in(r);
    int is_of_coverage = o->writer->has && o->writer->uses & REPORT_USES_SOURCES;
    if (!all || !all->without_tables || all->with_counts) return TOOL_OK;
    if (in->programs)
        return tool_error("%s: its counts are of another build than the program: run that again",
                          file);
    if (all->counts->function_count || !is_of_coverage) return TOOL_OK;
    return tool_error("%s: has counts, but no tables of functions: give the program that counted, or "
                      "its objects, behind it", file);
}

/* One line for each that is too low. Where there is nothing to be covered, nothing is missing. */
static int judge(const options *o, const report *r) {
    covered_totals sum = covered_sum(covered_in(r));
    const shown_all *shown = shown_in(r);
    covered_part of[4];
    int status = TOOL_OK;
    size_t i;
    of[LINES] = sum.lines;
    of[BRANCHES] = sum.branches;
    of[FUNCTIONS] = sum.functions;
    of[MCDC].hit = shown ? shown->outcomes_shown : 0;
    of[MCDC].all = shown ? shown->outcomes : 0;
    for (i = 0; i < 4; i++) {
        double percent = of[i].all ? 100 * (double)of[i].hit / (double)of[i].all : 100;
        if (!(percent < o->wanted[i])) continue;
        tool_error("--fail-under: %s: %lu of %lu, %.2f %%, is less than %g %%", wanted_names[i],
                   (unsigned long)of[i].hit, (unsigned long)of[i].all, percent, o->wanted[i]);
        status = TOOL_UNDER;
    }
    return status;
}

static int set_out(options *o, const char *value) {
    o->out = value;
    o->outs++;
    return TOOL_OK;
}

/* A form that wants no OUT may still be told one: --json=OUT. */
static int set_form(options *o, tool_option *option, const report_writer *writer) {
    const char *value = writer->wants_out ? tool_value(option) : option->value;
    if (writer->wants_out && !value) return TOOL_BAD_INPUT;
    option->is_taken = 1;
    o->writer = writer;
    o->forms++;
    return value ? set_out(o, value) : TOOL_OK;
}

static int set_option(options *o, report *r, tool_option *option) {
    size_t i;
    int status = set_coverage(o, r, option);
    if (status != -1) return status;
    for (i = 0; i < sizeof choosy / sizeof *choosy; i++) {
        if (tool_is(option, "--", choosy[i].name)) o->given |= choosy[i].bit;
    }
    for (i = 0; writer_list[i]; i++) {
        if (tool_is(option, "--", writer_list[i]->name)) return set_form(o, option, writer_list[i]);
    }
    if (tool_is(option, "", "-o"))
        return tool_value(option) ? set_out(o, option->value) : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "note"))
        return tool_value(option) ? add_note(r, option->value) : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "min"))
        return tool_value(option) ? set_min(o, option->value) : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "title")) {
        o->title = tool_value(option);
        return o->title ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (tool_is(option, "--", "sort")) {
        o->sort = tool_value(option);
        return o->sort ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (tool_is(option, "--", "unique-cause")) {
        r->options.wants_unique_cause = 1;
        return TOOL_OK;
    }
    if (tool_is(option, "--", "by")) {
        r->options.by = tool_value(option);
        return r->options.by ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (tool_is(option, "--", "whole-stacks")) {
        r->options.wants_whole_stacks = 1;
        return TOOL_OK;
    }
    if (tool_is(option, "--", "source-root")) {
        o->source_root = tool_value(option);
        return o->source_root ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (tool_is(option, "--", "no-demangle")) {
        r->options.keeps_mangled = 1;
        return TOOL_OK;
    }
    return tool_no_option(option, "report");
}

/* Takes the options out of argv, so that files are left. Returns a TOOL_ status. */
static int parse(options *o, report *r, int argc, char **argv, int *files) {
    tool_option option;
    int status = TOOL_OK;
    tool_options_once(&option, argc, argv, "--note --filter --exclude");
    while (status == TOOL_OK && tool_next(&option)) status = set_option(o, r, &option);
    *files = option.files;
    if (status != TOOL_OK) return status;
    if (o->forms > 1)
        return tool_error("one form at a time: --text, --html, --collapsed, --json, ...");
    if (o->outs > 1) return tool_error("one place to write to: --html OUT or -o OUT");
    if (*files == 0) return tool_no_input("report", "FILE ...");
    return check_uses(o);
}

/* --by names a unit that no whole stacks have. */
static int refuse_unit(const report *r) {
    text units = { NULL, 0, 0 };
    size_t i, k, count = 0;
    int status;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            const report_tree *tree = r->parts[i].trees[k];
            if (!tree->is_whole) continue;
            text_bytes(&units, "", 1);
            units.size--;
            if (strstr(units.data, tree->unit)) continue;
            text_format(&units, "%s%s", count++ ? ", " : "", tree->unit);
        }
    }
    text_bytes(&units, "", 1);
    if (count == 0) status = tool_error("--by %s: there are no whole stacks", r->options.by);
    else status = tool_error("--by %s: whole stacks here count %s", r->options.by, units.data);
    text_free(&units);
    return status;
}

/* "bursty 0.2.0, from game.brst of 2026-11-22 14:03 UTC". */
static char *describe_files(char *const *paths, int count) {
    text line = {NULL, 0, 0};
    char *clean;
    int i;
    text_add(&line, "bursty " TOOL_VERSION ", from ");
    for (i = 0; i < count && i < 3; i++) {
        char date[32];
        if (i) text_add(&line, ", ");
        text_add(&line, paths[i]);
        if (tool_file_date(paths[i], date, sizeof date)) {
            text_add(&line, " of ");
            text_add(&line, date);
        }
    }
    if (count > 3) text_format(&line, " and %d more", count - 3);
    clean = text_clean(line.data, line.size);
    text_free(&line);
    return clean;
}

static int run(int argc, char **argv) {
    options o;
    report r;
    input in;
    sources door = {NULL, 0};
    text out = {NULL, 0, 0};
    save to;
    const char *other;
    int i, files, status;
    if (tool_wants_help(argc, argv)) {
        help(stdout);
        return TOOL_OK;
    }
    memset(&o, 0, sizeof o);
    o.writer = &writer_text;
    o.min = -1;
    for (i = 0; i < 4; i++) o.wanted[i] = -1;
    memset(&r, 0, sizeof r);
    memset(&in, 0, sizeof in);
    status = parse(&o, &r, argc, argv, &files);
    if (status == TOOL_OK && o.writer->uses & REPORT_SHOWS_SOURCES) {
        status = sources_begin(&door, o.source_root);
        r.options.sources = &door;
    }
    if (status == TOOL_OK) status = chosen_begin(&o.chosen, o.source_root);
    if (status == TOOL_OK && o.diff) status = chosen_read_diff(&o.chosen, o.diff);
    r.options.chosen = &o.chosen;
    for (i = 0; i < files && status == TOOL_OK; i++) status = input_open(&in, argv[i]);
    if (status == TOOL_OK) {
        if (in.others.size)
            tool_error("note: %lu bytes of parts of unknown kinds are left out",
                       (unsigned long)in.others.size);
        input_settle(&in);
        o.chosen.compiled = (const struct sourced_all *)input_find(&in, &kind_sources);
        r.options.least_share = (o.min >= 0 ? o.min : o.writer == &writer_text ? 0.1 : 0) / 100;
        r.options.wants_all_rows = o.writer == &writer_csv || o.sort;
        r.options.keeps_mangled |= o.writer == &writer_order; /* linkers want their own names */
        r.options.width = terminal_width(o.out);
        r.options.is_coloured = terminal_has_colour(o.out);
        report_make(&r, &in);
        r.made_of = describe_files(argv, files);
        for (i = 0; i < files; i++) {
            uint64_t time = tool_file_time(argv[i]);
            if (time > r.made_at) r.made_at = time;
        }
        r.title = o.title ? text_clean(o.title, strlen(o.title)) : make_title(&r, argv[0]);
        if (o.sort && report_sort(&r, o.sort) == 0)
            status = tool_error("--sort %s: no table has that column", o.sort);
        if (status == TOOL_OK && r.options.by && !report_unit(&r, &other))
            status = refuse_unit(&r);
        if (status == TOOL_OK && r.options.wants_unique_cause && !input_find(&in, &kind_decisions))
            status = tool_error("--unique-cause: %s has no decisions for MC/DC", argv[0]);
    }
    if (status == TOOL_OK) status = check_tables(&o, &r, &in, argv[0]);
    if (status == TOOL_OK) status = check_coverage(&o, &r, argv[0]);
    if (status == TOOL_OK && !o.diff) status = report_check(&r, o.writer, argv[0]);
    if (status == TOOL_OK) status = save_open(&to, o.out, (const char *const *)argv, files, 0);
    if (status == TOOL_OK) {
        r.out = &to;
        o.writer->write(&r, &out);
        status = save_close(&to, &out);
    }
    if (status == TOOL_OK) status = judge(&o, &r);
    text_free(&out);
    chosen_end(&o.chosen);
    report_free(&r);
    input_free(&in);
    sources_end(&door);
    return status;
}

const tool_command command_report = {
    "report", "what dumps (.brst) say, as text, HTML, stacks, JSON, ...", run};
