/* wanted.c - see wanted.h. */
#include "report/model/wanted.h"
#include "base/tool.h"
#include "report/kinds/edges.h"
#include "report/kinds/sources.h"
#include "report/kinds/unmeasured.h"
#include "report/model/by_tests.h"
#include "report/model/decisions.h"
#include "report/model/coverage.h"
#include "report/model/failing.h"
#include "report/model/match.h"
#include "report/model/roots.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[WANTED_SHARES] = {"lines", "branches", "functions", "mcdc"};

void wanted_begin(wanted *w) {
    size_t i;
    memset(w, 0, sizeof *w);
    for (i = 0; i < WANTED_SHARES; i++) w->percent[i] = -1;
}

void wanted_end(wanted *w) {
    chosen_end(&w->chosen);
    verdicts_free(&w->failing);
    free((void *)w->maps);
}

/* ---- options ---- */

/* "80", or "lines=80,mcdc=60". */
static int set_percent(wanted *w, const char *value) {
    const char *at = value;
    w->fail_under = value;
    for (;;) {
        size_t size = strcspn(at, "=,"), which = WANTED_LINES;
        const char *number = at;
        char *end;
        if (at[size] == '=') {
            for (which = 0; which < WANTED_SHARES; which++) {
                if (strlen(names[which]) == size && memcmp(names[which], at, size) == 0) break;
            }
            number = at + size + 1;
        }
        if (which == WANTED_SHARES || *number < '0' || *number > '9') break;
        if (w->percent[which] >= 0)
            return tool_error("--fail-under %s: %s stand twice", value, names[which]);
        w->percent[which] = strtod(number, &end);
        if (!(w->percent[which] <= 100) || (*end && *end != ',')) break;
        if (!*end) return TOOL_OK;
        at = end + 1;
    }
    return tool_error("--fail-under %s: a percentage is wanted, or a list such as "
                      "lines=80,branches=70,functions=90,mcdc=60",
                      value);
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

int wanted_option(wanted *w, report *r, tool_option *option) {
    enum { FILTER, EXCLUDE, DIFF, FAIL_UNDER, TESTS_OF, MAP, FAILING, OPTIONS };
    static const char *const options[OPTIONS] = {"filter", "exclude", "diff", "fail-under",
                                                 "tests-of", "map", "failing"};
    size_t i = 0;
    if (tool_is(option, "--", "measured-only")) {
        w->is_given = r->options.wants_measured = 1;
        return TOOL_OK;
    }
    while (i < OPTIONS && !tool_is(option, "--", options[i])) i++;
    if (i == OPTIONS) return -1;
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    w->is_given |= i != FAILING;
    switch (i) {
    case FILTER: return add_pattern(&w->chosen.filter, options[i], option->value);
    case EXCLUDE: return add_pattern(&w->chosen.exclude, options[i], option->value);
    case FAIL_UNDER: return set_percent(w, option->value);
    case DIFF: w->diff = option->value; break;
    case FAILING:
        r->options.failing = &w->failing;
        return verdicts_read(&w->failing, option->value);
    case MAP:
        if (roots_check(option->value) != TOOL_OK) return TOOL_BAD_INPUT;
        return add_pattern(&w->maps, options[i], option->value);
    default: r->options.tests_of = option->value; break;
    }
    return TOOL_OK;
}

int wanted_open(wanted *w, report *r, const char *source_root) {
    int status = chosen_begin(&w->chosen, source_root);
    if (status == TOOL_OK && w->diff) status = chosen_read_diff(&w->chosen, w->diff);
    r->options.chosen = &w->chosen;
    return status;
}

/* Finds the file of each change. */
static void take_diff(wanted *w, const input *in) {
    const edges_all *edges = (const edges_all *)input_find(in, &kind_edges);
    const unmeasured_all *left = (const unmeasured_all *)input_find(in, &kind_unmeasured);
    size_t most = (edges ? edges->function_count : 0) + (left ? left->count : 0), i, count = 0;
    const char **files = (const char **)tool_alloc((most + 1) * sizeof *files);
    for (i = 0; edges && i < edges->function_count; i++) files[count++] = edges->functions[i].file;
    for (i = 0; left && i < left->count; i++) files[count++] = left->list[i].file;
    if (count) qsort((void *)files, count, sizeof *files, tool_by_string);
    for (i = most = 0; i < count; i++)
        if (!most || strcmp(files[most - 1], files[i]) != 0) files[most++] = files[i];
    match_changes(&w->chosen, files, most);
    free((void *)files);
}

void wanted_rename(const wanted *w, input *in) {
    roots_rename(in, (const char *const *)w->maps);
}

void wanted_take(wanted *w, const input *in) {
    w->chosen.compiled = (const struct sourced_all *)input_find(in, &kind_sources);
    if (w->diff) take_diff(w, in);
}

/* ---- checks ---- */

/* Counts that no table at all belongs to say nothing. */
static int check_tables(const report *r, const input *in, const report_writer *writer,
                        const char *file) {
    const coverage_all *all = coverage_in(r);
    int is_of_coverage = writer->has && writer->uses & REPORT_USES_SOURCES;
    if (!all || !all->without_tables || all->with_counts) return TOOL_OK;
    if (in->programs)
        return tool_error("%s: its counts are of another build than the program: run that again",
                          file);
    if (all->counts->function_count || !is_of_coverage) return TOOL_OK;
    return tool_error("%s: has counts, but no tables of functions: give the program that "
                      "counted, or its objects, behind it",
                      file);
}

int wanted_check(const wanted *w, const report *r, const input *in, const report_writer *writer,
                 const char *file) {
    const coverage_all *all = coverage_in(r);
    const char *place = r->options.tests_of, *fault;
    int status = check_tables(r, in, writer, file);
    if (status != TOOL_OK || (!w->is_given && !w->failing.given)) return status;
    if (!all)
        return tool_error("%s: has no coverage, which --filter, --exclude, --map, --diff, --fail-under, "
                          "--measured-only, --failing and --tests-of are of",
                          file);
    if (w->percent[WANTED_MCDC] >= 0 && !decisions_in(r))
        return tool_error("--fail-under %s: %s has no decisions for MC/DC; bursty cc --cover=mcdc "
                          "makes them",
                          w->fail_under, file);
    if (all->count == 0 && !all->unmeasured_count && !w->diff)
        return tool_error("%s: no file of it is left by --filter, --exclude and --measured-only",
                          file);
    if (failing_check(r, all) != TOOL_OK) return TOOL_BAD_INPUT;
    fault = place ? by_tests_refuse(all, place) : NULL;
    return fault ? tool_error("--tests-of %s: %s", place, fault) : TOOL_OK;
}

static void add_part(coverage_part *to, const coverage_part *unknown) { to->all += unknown->all; }

/* What the shares do not show, in front of them. Returns a TOOL_ status: what
   nobody knows the lines of, no share can be told of. */
static int judge_unknown(const coverage_all *all, coverage_totals *sum) {
    const coverage_totals *u = &all->unknown;
    char *uncovered = coverage_uncovered(all), *unmatched = coverage_unmatched(all);
    int status = TOOL_OK;
    if (uncovered) tool_error("note: --fail-under: changed, but without coverage, and not counted: %s",
                              uncovered);
    free(uncovered);
    if (unmatched) {
        tool_error("--fail-under: changed, but nobody can tell whether the program has it: %s; "
                   "--source-root names the folder that the diff is of, --map OLD=NEW where "
                   "sources are now", unmatched);
        status = TOOL_FOUND;
    }
    free(unmatched);
    if (u->functions.all)
        tool_error("note: --fail-under: what has no counts that can be shown is not covered: "
                   "functions %lu, lines %lu, branches %lu",
                   (unsigned long)u->functions.all, (unsigned long)u->lines.all,
                   (unsigned long)u->branches.all);
    add_part(&sum->lines, &u->lines);
    add_part(&sum->branches, &u->branches);
    add_part(&sum->functions, &u->functions);
    if (all->unmeasured_count) {
        const coverage_refusal *first = all->refused;
        while (!first->is_unmeasured) first++;
        tool_error("--fail-under: %lu %s not measured, as %s of %s (%s): --measured-only leaves %s "
                   "out", (unsigned long)all->unmeasured_count,
                   all->unmeasured_count == 1 ? "function is" : "functions are",
                   *first->name ? first->name : "all", tool_seen_from_here(first->file),
                   first->reason, all->unmeasured_count == 1 ? "it" : "them");
        status = TOOL_FOUND;
    }
    if (!all->without_tables) return status;
    tool_error("--fail-under: nobody knows the lines of objects that have counts, but no tables "
               "(%lu): give the programs that counted, or the objects, behind the dump",
               (unsigned long)all->without_tables);
    return TOOL_FOUND;
}

/* Changed lines that no test ran: "; not run: a.c:7, b.c:10-13 and 2 more". */
static void add_not_run(text *out, const coverage_all *all) {
    enum { SHOWN = 20 };
    size_t i, k, end, count = 0;
    for (i = 0; i < all->count; i++) {
        const coverage_file *f = &all->files[i];
        for (k = 0; k < f->line_count; k = end) {
            for (end = k; end < f->line_count && f->lines[end].count == 0; end++) { }
            if (end == k) end++;
            else if (count++ < SHOWN) {
                text_format(out, "%s%s:%u", count > 1 ? ", " : "; not run: ",
                            tool_seen_from_here(f->name), f->lines[k].line);
                if (end - k > 1) text_format(out, "-%u", f->lines[end - 1].line);
            }
        }
    }
    if (count > SHOWN) text_format(out, " and %lu more", (unsigned long)(count - SHOWN));
}

/* One line for each that is too low. Where there is nothing to be covered,
   nothing is missing. */
int wanted_judge(const wanted *w, const report *r) {
    const coverage_all *all = coverage_in(r);
    coverage_totals sum = coverage_sum(all);
    const decisions_report *shown = decisions_in(r);
    coverage_part of[WANTED_SHARES];
    int status = TOOL_OK;
    size_t i;
    if (w->fail_under && all) status = judge_unknown(all, &sum);
    of[WANTED_LINES] = sum.lines;
    of[WANTED_BRANCHES] = sum.branches;
    of[WANTED_FUNCTIONS] = sum.functions;
    of[WANTED_MCDC].hit = shown ? shown->outcomes_shown : 0;
    of[WANTED_MCDC].all = shown ? shown->outcomes : 0;
    for (i = 0; i < WANTED_SHARES; i++) {
        text places = {NULL, 0, 0};
        char *said;
        double percent = of[i].all ? 100 * (double)of[i].hit / (double)of[i].all : 100;
        if (!(percent < w->percent[i])) continue;
        if (i == WANTED_LINES && w->diff) add_not_run(&places, all);
        said = text_take(&places);
        tool_error("--fail-under: %s: %lu of %lu, %.2f %%, is less than %g %%%s", names[i],
                   (unsigned long)of[i].hit, (unsigned long)of[i].all, percent, w->percent[i],
                   said);
        free(said);
        status = TOOL_FOUND;
    }
    return status;
}
