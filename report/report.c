/* report.c - bursty report: dumps into something to look at. */
#include "base/glob.h"
#include "base/input.h"
#include "base/pager.h"
#include "base/save.h"
#include "base/terminal.h"
#include "base/tool.h"
#include "report/kinds/decisions.h"
#include "report/kinds/edges.h"
#include "report/model/compare.h"
#include "report/model/fail_if.h"
#include "report/model/replay.h"
#include "report/model/wanted.h"
#include "kinds/decisions.h"
#include "kinds/edges.h"
#include "model/compare.h"
#include "model/fail_if.h"
#include "model/range.h"
#include "model/replay.h"
#include "model/wanted.h"
#include "trace.h"
#include "report/write/writers.h"
#include <stdlib.h>
#include <string.h>

static void help(FILE *to) {
    size_t i;
    fputs("usage: bursty report [OPTIONS] FILE ...          FILE may be -, standard input\n\n"
          "  bursty report game.brst                        what takes the time, or is called most\n"
          "  bursty report --html page.html game.brst       the same as a page, with flame graphs\n"
          "  bursty report new.brst --base old.brst         what changed, and what is luck\n\n"
          "Forms, one at a time:\n",
          to);
    for (i = 0; writer_list[i]; i++) {
        char form[32];
        snprintf(form, sizeof form, "--%s%s", writer_list[i]->name,
                 writer_list[i]->wants_out ? " OUT" : "");
        fprintf(to, "  %-18s %s\n", form, writer_list[i]->about);
    }
    fputs("  -o OUT             where to (-: standard output, the default)\n\n"
          "What is shown:\n"
          "  --top N            N rows of each table; 0: all\n"
          "  --match PATTERN    only functions of such names, and stacks that they are in\n"
          "  --only PATTERN     only tables of such keys or titles, such as time or '*stacks*';\n"
          "                     may be repeated\n"
          "  --not PATTERN      no tables of such keys or titles; may be repeated. In a pattern\n"
          "                     * stands for any characters and ? for one\n"
          "  --from S, --to S   only the time from and to so many seconds of the run (12.5,\n"
          "                     200ms, 3min), of what `bursty record` saw from outside\n"
          "  --min PERCENT      leave out functions and pairs with less than that share (--text:\n"
          "                     0.1, others: 0)\n"
          "  --sort COLUMN      sort tables by a column, as its heading or its key in --csv says\n"
          "  --by UNIT          what stacks count: ticks (the default, if there are any), calls, waits\n"
          "                     or misses.\n"
          "                     With --base: time (of a run, the default) or share (of all time)\n"
          "  --title TEXT       what ran; by default the program's name out of the dump\n"
          "  --note NAME=VALUE  a fact to show at the top, such as 'overhead=+1.2 %'; may be repeated\n"
          "  --unique-cause     MC/DC by unique cause; without it, masking MC/DC\n"
          "  --no-demangle      leave C++, Rust and D names as the linker has them\n"
          "  --whole-stacks     write all stacks, even if the file becomes very large\n"
          "  --source-root DIR  read sources that lie in DIR, and no others, for their text and for\n"
          "                     markers of excluded lines; without it, in the current folder\n\n"
          "Coverage (bursty cc --cover):\n"
          "  --filter FILES     only files of such names (* and ?), as the report shows them; may be\n"
          "                     repeated\n"
          "  --exclude FILES    no files of such names; may be repeated\n"
          "  --map OLD=NEW      sources whose names begin with OLD are in NEW now; may be repeated\n"
          "  --diff FILE        only lines that a unified diff has changed:\n"
          "                     git diff main | bursty report --diff - coverage.brst\n"
          "  --fail-under SHARE end with status 3 if less is covered: 80 (percent of lines), or a\n"
          "                     list such as lines=80,branches=70,functions=90,mcdc=60\n"
          "  --measured-only    leave functions out that have no counters; else their lines stand\n"
          "                     with 0, and --fail-under fails\n"
          "  --failing TESTS    what failing tests ran and others did not: names with commas, a JUnit\n"
          "                     report, or a log of ctest. Samples of one test in each FILE, which\n"
          "                     has the test's name: what failing runs do more\n"
          "  --tests-of FILE:LINE\n"
          "                     which tests ran that line: runs with BURSTY_TEST=name\n\n"
          "Traces (bursty cc --trace); the forms of coverage show its counts:\n"
          "  --last N           so many of the last lines of each thread (20); 0: none\n"
          "  --replay           all lines that ran, in order; with --last the last ones\n"
          "  --function NAMES   only lines and paths of such functions (* and ?)\n"
          "  --top N            N paths (10); 0: all\n\n"
          "Comparing, as --text, --html, --json or --csv:\n"
          "  --base-from S, --base-to S\n"
          "                     only that part of the time of the base, as --from and --to\n"
          "  --base FILE        with this run. Repeat it, and give several FILEs, for several runs\n"
          "                     of a side: then how much runs differ counts, too\n"
          "  --fail-if 'parse>+5%'\n"
          "                     end with status 3 if the time of parse, with all it calls, surely\n"
          "                     grew by more than 5 %. If the data cannot tell, that is said, and\n"
          "                     the status is 0. Also 'self:parse>+2ms', 'calls:*>+0%',\n"
          "                     'total>+10%'; may be repeated\n\n"
          "Several files are added up, unless there is --base. Nothing is written if one of them is\n"
          "bad. An option that changes nothing in the form that was asked for is refused. The text is\n"
          "as wide as the terminal, or as COLUMNS says; NO_COLOR takes its colours away. On a\n"
          "terminal it goes through PAGER, or less; PAGER=cat is none.\n",
          to);
}

typedef struct options {
    const report_writer *writer;
    const char *out, *title, *sort, *source_root;
    double min;
    unsigned given; /* options that not every form uses, as in report_writer.uses */
    int forms, outs;
    const char **base; /* files of --base */
    size_t base_count;
    fail_if *conditions;
    size_t condition_count;
    const char **only, **not_these; /* each ended by NULL, or NULL */
    size_t only_count, not_count;
    const char *match;
    range range, base_range; /* of the run, and of those of the base */
    wanted wanted; /* of coverage */
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
    {"only", REPORT_USES_ROWS},
    {"not", REPORT_USES_ROWS},
    {"match", REPORT_USES_ROWS},
    {"top", REPORT_USES_TOP},
};

/* Refuses options that would change nothing in what the form writes. Returns a
   TOOL_ status. */
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

/* The names of many programs are no title. "postgres: writer", "postgres: 127.0.0.1
   idle", ... are "postgres, 15 processes"; others are the first three and how many
   more there are. */
static void add_names(const report *r, text *title) {
    enum { MOST = 4, FIRST = 3 };
    size_t word = strcspn(r->names[0], ": "), shown = r->name_count, i;
    if (r->name_count > MOST) {
        for (i = 1; i < r->name_count && strcspn(r->names[i], ": ") == word
                    && strncmp(r->names[i], r->names[0], word) == 0;
             i++) {}
        if (i == r->name_count && word) {
            text_bytes(title, r->names[0], word);
            text_format(title, ", %lu processes", (unsigned long)r->name_count);
            return;
        }
        shown = FIRST;
    }
    for (i = 0; i < shown; i++) {
        if (i) text_add(title, ", ");
        text_add(title, r->names[i]);
    }
    if (shown < r->name_count)
        text_format(title, " and %lu more", (unsigned long)(r->name_count - shown));
}

/* The programs' names; else the first file's, without folders. */
static char *make_title(const report *r, const char *path) {
    const char *file = path, *at;
    char *clean;
    text title = {NULL, 0, 0};
    if (r->name_count) add_names(r, &title);
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

static int set_out(options *o, const char *value) {
    o->out = value;
    o->outs++;
    return TOOL_OK;
}

/* A form that wants no OUT may still be told one: --json=OUT. One that wants it may
   have it from the next option: --pprof -o OUT. */
static int set_form(options *o, tool_option *option, const report_writer *writer) {
    int is_next = !option->value && option->at < option->argc
                  && !strcmp(option->argv[option->at], "-o");
    int is_wanted = writer->wants_out && !is_next;
    const char *value = is_wanted ? tool_value(option) : option->value;
    if (is_wanted && !value) return TOOL_BAD_INPUT;
    option->is_taken = 1;
    o->writer = writer;
    o->forms++;
    return value ? set_out(o, value) : TOOL_OK;
}

/* Adds to a list that ends with NULL. */
static int add_pattern(const char ***list, size_t *count, const char *pattern) {
    *list = (const char **)tool_grow(*list, (*count + 2) * sizeof **list);
    (*list)[(*count)++] = pattern;
    (*list)[*count] = NULL;
    return TOOL_OK;
}

static int set_top(report *r, const char *value) {
    char *end;
    unsigned long rows = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || rows > 1000000000)
        return tool_error("--top %s: a number of rows is wanted; 0 means all", value);
    r->options.has_top = 1;
    r->options.top = rows;
    return TOOL_OK;
}

static int add_base(options *o, const char *file) {
    o->base = (const char **)tool_grow(o->base, (o->base_count + 1) * sizeof *o->base);
    o->base[o->base_count++] = file;
    return TOOL_OK;
}

static int add_condition(options *o, const char *words) {
    o->conditions = (fail_if *)tool_grow(o->conditions,
                                         (o->condition_count + 1) * sizeof *o->conditions);
    return fail_if_read(&o->conditions[o->condition_count++], words);
}

/* -1: it is another option. */
static int set_range(options *o, tool_option *option) {
    static const char *const names[] = {"from", "to", "base-from", "base-to"};
    range *g;
    int i;
    for (i = 0; i < 4 && !tool_is(option, "--", names[i]); i++) { }
    if (i == 4) return -1;
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    g = i < 2 ? &o->range : &o->base_range;
    if (i % 2) g->has_to = 1;
    else g->has_from = 1;
    return range_read(names[i], option->value, i % 2 ? &g->to : &g->from);
}

static int set_option(options *o, report *r, tool_option *option) {
    size_t i;
    int status = wanted_option(&o->wanted, r, option);
    if (status != -1) return status;
    if ((status = set_range(o, option)) != -1) return status;
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
    if (tool_is(option, "--", "base"))
        return tool_value(option) ? add_base(o, option->value) : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "fail-if"))
        return tool_value(option) ? add_condition(o, option->value) : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "top"))
        return tool_value(option) ? set_top(r, option->value) : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "only"))
        return tool_value(option) ? add_pattern(&o->only, &o->only_count, option->value)
                                  : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "not"))
        return tool_value(option) ? add_pattern(&o->not_these, &o->not_count, option->value)
                                  : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "match")) {
        o->match = tool_value(option);
        return o->match ? TOOL_OK : TOOL_BAD_INPUT;
    }
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

/* Refuses forms that a comparison has not, and options that it does not use. */
static int check_comparison(const options *o, const report *r) {
    static const unsigned useless = REPORT_USES_CAUSE | REPORT_USES_WHOLE | REPORT_USES_SOURCES;
    size_t i;
    if (!(o->writer->uses & REPORT_USES_CHANGES))
        return tool_error("--base: a comparison has no form --%s; it has --text, --html, --json and "
                          "--csv",
                          o->writer->name);
    for (i = 0; i < sizeof choosy / sizeof *choosy; i++) {
        if (o->given & choosy[i].bit & useless)
            return tool_error("--%s changes nothing with --base", choosy[i].name);
    }
    if (o->wanted.is_given || o->wanted.failing.given)
        return tool_error("--filter, --exclude, --map, --diff, --fail-under, --failing, "
                          "--measured-only and --tests-of change nothing with --base");
    if (r->options.by && strcmp(r->options.by, "time") != 0 && strcmp(r->options.by, "share") != 0)
        return tool_error("--by %s: with --base, time or share is wanted", r->options.by);
    return TOOL_OK;
}

/* Takes the options out of argv, so that files are left. Returns a TOOL_
   status. */
static int parse(options *o, report *r, int argc, char **argv, int *files) {
    tool_option option;
    int status = TOOL_OK;
    tool_options_once(&option, argc, argv, "--note --base --fail-if --only --not " WANTED_MANY);
    while (status == TOOL_OK && tool_next(&option)) status = set_option(o, r, &option);
    *files = option.files;
    if (status != TOOL_OK) return status;
    if (o->forms > 1)
        return tool_error("one form at a time: --text, --html, --collapsed, --json, ...");
    if (o->outs > 1) return tool_error("one place to write to: --html OUT or -o OUT");
    if (*files == 0) return tool_no_input("report", "FILE ...");
    if (o->condition_count && !o->base_count)
        return tool_error("--fail-if compares with --base FILE, which is missing");
    if ((o->base_range.has_from || o->base_range.has_to) && !o->base_count)
        return tool_error("--base-from and --base-to are for --base FILE, which is missing");
    return o->base_count ? check_comparison(o, r) : check_uses(o);
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

/* ---- a part of the time ---- */

static int is_given(const range *g) { return g->has_from || g->has_to; }

/* What the range has nothing of is said, once. */
static int apply_range(const range *g, input *in, report *r, const char *path) {
    char *note;
    int status;
    if (!is_given(g)) return TOOL_OK;
    status = range_apply(g, in, path, &note);
    if (note && *note)
        report_add_fact(r, REPORT_TOLD, "not in the range, for it has no moments", note);
    free(note);
    return status;
}

/* ---- one report of all files --------------------------------------------------------------- */

static void set_options(report *r, const options *o) {
    r->options.least_share = (o->min >= 0 ? o->min : o->writer == &writer_text ? 0.1 : 0) / 100;
    r->options.wants_all_rows = o->writer == &writer_csv || o->sort || o->match ||
                                r->options.has_top;
    r->options.keeps_mangled |= o->writer == &writer_order; /* linkers want their own names */
    r->options.wants_sums = strcmp(o->writer->name, "sums") == 0;
    r->options.width = terminal_width(o->out);
    r->options.is_coloured = terminal_has_colour(o->out);
}

static void note_others(const input *in) {
    if (in->others.size)
        tool_error("note: %lu bytes of parts of unknown kinds are left out",
                   (unsigned long)in->others.size);
}

static int make_report(report *r, input *in, options *o, char **argv, int files) {
    const char *other;
    int i, status = wanted_open(&o->wanted, r, o->source_root);
    for (i = 0; i < files && status == TOOL_OK; i++) {
        uint64_t time = tool_file_time(argv[i]);
        if (time > r->made_at) r->made_at = time;
        status = replay_is(argv[i]) ? trace_counts(in, argv[i]) : input_open(in, argv[i]);
    }
    if (status != TOOL_OK) return status;
    note_others(in);
    wanted_rename(&o->wanted, in);
    input_settle(in);
    wanted_take(&o->wanted, in);
    status = apply_range(&o->range, in, r, argv[0]);
    if (status != TOOL_OK) return status;
    report_make(r, in);
    r->made_of = describe_files(argv, files);
    r->title = o->title ? text_clean(o->title, strlen(o->title)) : make_title(r, argv[0]);
    if (r->options.by && !report_unit(r, &other)) return refuse_unit(r);
    if (r->options.wants_unique_cause && !input_find(in, &kind_decisions))
        return tool_error("--unique-cause: %s has no decisions for MC/DC", argv[0]);
    status = wanted_check(&o->wanted, r, in, o->writer, argv[0]);
    if (status != TOOL_OK || o->wanted.diff) return status; /* of a diff nothing is enough */
    return report_check(r, o->writer, argv[0]);
}

/* ---- a comparison -------------------------------------------------------------------------- */

/* Base files first. Each has an input of its own: it is a run. */
static int open_runs(compare_input *runs, input *inputs, report *r, const options *o,
                     size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        int status = input_open(&inputs[i], runs[i].path);
        if (status != TOOL_OK) return status;
        note_others(&inputs[i]);
        input_settle(&inputs[i]);
        status = apply_range(i < o->base_count ? &o->base_range : &o->range, &inputs[i], r,
                             runs[i].path);
        if (status != TOOL_OK) return status;
        runs[i].in = &inputs[i];
    }
    return TOOL_OK;
}

/* The folder that both files are in stands in no title. */
static char *comparison_title(const compare_input *runs, size_t base_count) {
    const char *now = runs[base_count].path, *base = runs[0].path;
    text title = {NULL, 0, 0};
    size_t at, folder = 0;
    char *clean;
    for (at = 0; now[at] && now[at] == base[at]; at++) {
        if (now[at] == '/') folder = at + 1;
    }
    text_add(&title, now + folder);
    text_add(&title, " against ");
    text_add(&title, base + folder);
    clean = text_clean(title.data, title.size);
    text_free(&title);
    return clean;
}

/* ---- failing runs against passing ones ---- */

/* The file's name without folders and its end. To be freed. */
static char *test_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = strlen(name);
    if (size > 5 && strcmp(name + size - 5, ".brst") == 0) size -= 5;
    return text_clean(name, size);
}

/* Do the files hold samples, a run each, and no coverage? Those of standard input
   cannot be looked at twice. */
static int are_runs(const options *o, char **argv, int files) {
    input first;
    int i, are = files > 1 && o->wanted.failing.count && !o->base_count;
    for (i = 0; i < files && are; i++) are = strcmp(argv[i], "-") != 0 && !replay_is(argv[i]);
    if (!are) return 0;
    memset(&first, 0, sizeof first);
    are = input_open(&first, argv[0]) == TOOL_OK && first.state_count &&
          !input_find(&first, &kind_edges);
    input_free(&first);
    return are;
}

/* Runs of passing tests become the base. Returns a TOOL_ status. */
static int split_runs(options *o, report *r, char **argv, int *files) {
    verdicts *v = &o->wanted.failing;
    char *ambiguous = NULL;
    size_t left_out = 0;
    int i, kept = 0, status;
    for (i = 0; i < *files; i++) {
        char *test = test_of(argv[i]);
        int fate = verdicts_of(v, test);
        left_out += fate == VERDICT_UNKNOWN;
        if (fate == VERDICT_PASSED) add_base(o, argv[i]);
        if (fate == VERDICT_FAILED) argv[kept++] = argv[i];
        if (!ambiguous && verdicts_differ(v, test)) ambiguous = test;
        else free(test);
    }
    status = verdicts_check(v, "file is called", "", left_out, ambiguous);
    free(ambiguous);
    if (status != TOOL_OK) return status;
    if (!o->base_count) return tool_error("--failing %s: no file is of a test that passed", v->given);
    if (!o->title) {
        text title = {NULL, 0, 0};
        text_format(&title, "%d failing %s against %lu passing", kept, kept == 1 ? "run" : "runs",
                    (unsigned long)o->base_count);
        r->title = text_take(&title);
    }
    *files = kept;
    v->given = NULL; /* answered */
    return check_comparison(o, r);
}

static int make_comparison(report *r, const options *o, char **argv, int files, size_t *holds) {
    size_t i, count = o->base_count + (size_t)files;
    compare_input *runs = (compare_input *)tool_alloc(count * sizeof *runs);
    input *inputs = (input *)tool_alloc(count * sizeof *inputs);
    comparison *made;
    int status;
    for (i = 0; i < count; i++)
        runs[i].path = i < o->base_count ? o->base[i] : argv[i - o->base_count];
    status = open_runs(runs, inputs, r, o, count);
    if (status == TOOL_OK) {
        r->made_of = describe_files(argv, files);
        if (o->title) r->title = text_clean(o->title, strlen(o->title));
        else if (!r->title) r->title = comparison_title(runs, o->base_count);
        status = compare_make(r, runs, o->base_count, (size_t)files,
                              r->options.by && strcmp(r->options.by, "share") == 0, &made);
    }
    if (status == TOOL_OK)
        status = fail_if_check(r, made, o->conditions, o->condition_count, holds);
    if (status == TOOL_OK) compare_show(r, made, runs);
    for (i = 0; i < count; i++) input_free(&inputs[i]);
    free(inputs);
    free(runs);
    return status;
}

/* ---- what is shown of it ------------------------------------------------------------------ */

static int refuse_tables(const report *r, const char *pattern) {
    text keys = {NULL, 0, 0};
    size_t i, k;
    int status;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++)
            text_format(&keys, "%s%s", keys.size ? ", " : "", r->parts[i].tables[k]->key);
    }
    if (!keys.size) return tool_error("--only %s: the report has no table", pattern);
    text_bytes(&keys, "", 1);
    status = tool_error("--only %s: no table is called that (there are: %s); --match chooses "
                        "functions",
                        pattern, keys.data);
    text_free(&keys);
    return status;
}

/* Each pattern of --only must choose something, or else it is misspelt. */
static int choose(report *r, const options *o) {
    size_t i, k, n;
    for (n = 0; n < o->only_count; n++) {
        size_t found = 0;
        for (i = 0; i < r->part_count; i++) {
            for (k = 0; k < r->parts[i].table_count; k++) {
                const report_table *table = r->parts[i].tables[k];
                found += (size_t)(glob_matches(o->only[n], table->key, strlen(table->key)) ||
                                  glob_matches(o->only[n], table->title, strlen(table->title)));
            }
        }
        if (!found) return refuse_tables(r, o->only[n]);
    }
    if ((o->only_count || o->not_count) && !report_choose(r, o->only, o->not_these))
        return tool_error("--only and --not leave no table");
    if (o->match && !report_match(r, o->match))
        return tool_error("--match %s: no function has that name; * stands for any characters",
                          o->match);
    return TOOL_OK;
}

/* ---- both ---------------------------------------------------------------------------------- */

/* No output may be one of the inputs. The inputs of the base follow the others. */
static int open_output(save *to, const options *o, char **argv, int files) {
    size_t count = (size_t)files + o->base_count, i;
    const char **inputs = (const char **)tool_alloc(count * sizeof *inputs);
    int status;
    for (i = 0; i < count; i++)
        inputs[i] = i < (size_t)files ? argv[i] : o->base[i - (size_t)files];
    status = save_open(to, o->out, inputs, (int)count, 0);
    free(inputs);
    return status;
}

static int run(int argc, char **argv) {
    options o;
    report r;
    input in;
    sources door = {NULL, 0};
    text out = {NULL, 0, 0};
    save to;
    size_t holds = 0, k;
    int files, status;
    if (tool_wants_help(argc, argv)) {
        help(stdout);
        return TOOL_OK;
    }
    if (trace_is_wanted(argc, argv)) return trace_report(argc, argv);
    memset(&o, 0, sizeof o);
    memset(&r, 0, sizeof r);
    memset(&in, 0, sizeof in);
    o.writer = &writer_text;
    o.min = -1;
    wanted_begin(&o.wanted);
    status = parse(&o, &r, argc, argv, &files);
    if (status == TOOL_OK && are_runs(&o, argv, files)) status = split_runs(&o, &r, argv, &files);
    if (status == TOOL_OK && o.writer->uses & REPORT_SHOWS_SOURCES) {
        status = sources_begin(&door, o.source_root);
        r.options.sources = &door;
    }
    if (status == TOOL_OK) {
        set_options(&r, &o);
        status = o.base_count ? make_comparison(&r, &o, argv, files, &holds)
                              : make_report(&r, &in, &o, argv, files);
    }
    if (status == TOOL_OK && o.sort && report_sort(&r, o.sort) == 0)
        status = tool_error("--sort %s: no table has that column", o.sort);
    if (status == TOOL_OK) status = choose(&r, &o);
    if (status == TOOL_OK) status = open_output(&to, &o, argv, files);
    if (status == TOOL_OK) {
        if (o.writer == &writer_text) pager_begin(o.out);
        r.out = &to;
        o.writer->write(&r, &out);
        status = save_close(&to, &out);
        pager_end();
    }
    if (status == TOOL_OK) status = wanted_judge(&o.wanted, &r);
    if (status == TOOL_OK && holds) status = TOOL_FOUND;
    wanted_end(&o.wanted);
    text_free(&out);
    report_free(&r);
    input_free(&in);
    sources_end(&door);
    for (k = 0; k < o.condition_count; k++) fail_if_free(&o.conditions[k]);
    free(o.conditions);
    free(o.base);
    free(o.only);
    free(o.not_these);
    return status;
}

const tool_command command_report = {
    "report", "what dumps (.brst) say, as text, HTML, stacks, JSON, ...", run};
