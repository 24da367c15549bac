/* fail_if.c - reading and testing the conditions of --fail-if. */
#include "report/model/fail_if.h"
#include "base/glob.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* The measure that `calls:` and the like name; *at moves behind it. `self::f`
   is a C++ name. */
static compare_measure get_measure(const char **at) {
    static const struct { const char *word; compare_measure measure; } prefixes[] = {
        {"self:", COMPARE_SELF}, {"time:", COMPARE_TOTAL}, {"calls:", COMPARE_CALLS}};
    size_t i;
    for (i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t size = strlen(prefixes[i].word);
        if (strncmp(*at, prefixes[i].word, size) != 0 || (*at)[size] == ':') continue;
        *at = skip_blanks(*at + size);
        return prefixes[i].measure;
    }
    return COMPARE_WHOLE; /* not told */
}

static int refuse(const char *words, const char *why) {
    return tool_error("--fail-if '%s': %s; it has the form '[self:|calls:]NAME>+5%%', with %%, ms, "
                      "us, s, pp or no unit",
                      words, why);
}

/* strtod would take "inf", "nan" and hexadecimal numbers, too. */
static int get_number(const char **at, double *number) {
    char *end;
    const char *digits = skip_blanks(*at);
    if (*digits == '+' || *digits == '-') digits = skip_blanks(digits + 1);
    if (!strchr("0123456789.", *digits) || !*digits || strpbrk(digits, "xXeEnN")) return 0;
    *number = strtod(digits, &end);
    if (end == digits || !(*number < 1e15)) return 0;
    if (*skip_blanks(*at) == '-') *number = -*number;
    *at = skip_blanks(end);
    return 1;
}

static int set_unit(fail_if *f, const char *unit, double number) {
    static const struct { const char *word, *shown; double scale; } units[] = {
        {"ms", "ms", 1}, {"us", "ms", .001}, {"s", "ms", 1000}, {"pp", "pp", 1}, {"", "", 1}};
    size_t i;
    f->factor = 1;
    if (strcmp(unit, "%") == 0) {
        f->factor = 1 + number / 100;
        strcpy(f->unit, "%");
        return f->factor > 0;
    }
    for (i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].word) != 0) continue;
        f->more = number * units[i].scale;
        f->is_absolute = 1;
        strcpy(f->unit, units[i].shown);
        return 1;
    }
    return 0;
}

int fail_if_read(fail_if *f, const char *words) {
    const char *name = skip_blanks(words), *end = strrchr(words, '>'), *at;
    compare_measure measure;
    double number;
    char *unit;
    size_t size;
    memset(f, 0, sizeof *f);
    f->words = words;
    if (!end) return refuse(words, "there is no '>'");
    measure = get_measure(&name);
    while (end > name && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (end <= name) return refuse(words, "there is no name before the '>'");
    at = strrchr(words, '>') + 1;
    if (!get_number(&at, &number)) return refuse(words, "there is no number after the '>'");
    for (size = strlen(at); size && (at[size - 1] == ' ' || at[size - 1] == '\t'); size--) {}
    unit = text_clean(at, size);
    size = (size_t)set_unit(f, unit, number);
    free(unit);
    if (!size) return refuse(words, "that is no unit, or nothing can shrink so much");
    f->pattern = text_clean(name, (size_t)(end - name));
    f->measure = measure;
    if (measure == COMPARE_WHOLE && strcmp(f->pattern, "total") != 0) f->measure = COMPARE_TOTAL;
    return TOOL_OK;
}

void fail_if_free(fail_if *f) { free(f->pattern); }

enum { LINES_MOST = 5, ROWS_SHOWN = 20 };

/* ---- testing ------------------------------------------------------------------------------ */

static int is_meant(const comparison *c, const fail_if *f, size_t row) {
    const compare_list *list = &c->lists[f->measure];
    const char *shown, *raw;
    if (f->measure == COMPARE_WHOLE) return 1;
    shown = c->names[list->which[row]];
    raw = c->functions.at[list->which[row]].name;
    return glob_matches_function(f->pattern, shown) || glob_matches(f->pattern, raw, strlen(raw));
}

/* Is the condition one that these dumps can be asked? */
static int check_measure(const comparison *c, const fail_if *f) {
    const compare_list *list = &c->lists[f->measure];
    size_t i;
    if (!list->is_there && f->measure == COMPARE_WHOLE && c->by_share)
        return tool_error("--fail-if '%s': the share of the total is always 100 %%; leave out --by "
                          "share",
                          f->words);
    if (!list->is_there)
        return tool_error("--fail-if '%s': %s", f->words,
                          f->measure == COMPARE_CALLS ? "not every run has counted calls"
                                                      : "not every run has ticks");
    if (f->is_absolute) {
        const char *unit = strcmp(list->unit, "ms") == 0 ? "ms"
                           : strcmp(list->unit, "%") == 0 ? "pp"
                                                          : "";
        if (strcmp(unit, f->unit) != 0)
            return tool_error("--fail-if '%s': this is measured in %s; with %% it is a part of the "
                              "base",
                              f->words, strcmp(unit, "pp") == 0 ? "percentage points (pp)"
                                                                : list->unit);
    }
    for (i = 0; i < list->rows && !is_meant(c, f, i); i++) {}
    if (i == list->rows)
        return tool_error("--fail-if '%s': no function of that name has %s on either side",
                          f->words, f->measure == COMPARE_CALLS ? "calls" : "time");
    return TOOL_OK;
}

static void say(const fail_if *f, const char *name, const difference *d,
                const char *unit, fail_if_answer answer) {
    text line = {NULL, 0, 0};
    text_add(&line, name);
    if (d->chance != d->chance) text_add(&line, ": no interval is known");
    else {
        text_format(&line, ": %.4g to %.4g %s", d->base, d->now, unit);
        if (d->base > 0) text_format(&line, ", %+.1f %%", 100 * (d->now / d->base - 1));
        text_format(&line, ", a change of %+.3g %s (95 %% interval %+.3g to %+.3g)",
                    d->now - d->base, unit, d->low, d->high);
    }
    text_add(&line, answer == FAIL_IF_HOLDS
                        ? ". That is surely more than the limit."
                        : ". The data cannot decide whether that is more than the limit: give more "
                          "runs, or longer ones.");
    text_bytes(&line, "", 1);
    tool_error("--fail-if '%s' %s: %s", f->words,
               answer == FAIL_IF_HOLDS ? "FAILS" : "is undecided", line.data);
    text_free(&line);
}

static const report_column columns[] = {
    {"condition", "condition", REPORT_NAME, 0, NULL},
    {"answer", "answer", REPORT_NAME, 0, NULL},
    {"change", "change", REPORT_REAL, REPORT_SIGNED, NULL},
    {"change_low", "from", REPORT_REAL, REPORT_SIGNED, "unknown"},
    {"change_high", "to", REPORT_REAL, REPORT_SIGNED, "unknown"},
    {"base", "base", REPORT_REAL, REPORT_OPTIONAL, NULL},
    {"new", "new", REPORT_REAL, REPORT_OPTIONAL, NULL},
    {"unit", "unit", REPORT_NAME, 0, NULL},
    {"function", "function", REPORT_NAME, 0, NULL},
};

static double or_none(double number) { return number == number ? number : REPORT_NONE; }

static fail_if_answer test(const comparison *c, const fail_if *f, size_t row, double level) {
    const compare_list *list = &c->lists[f->measure];
    difference_side base = compare_base(c, list, row), now = compare_new(c, list, row);
    int exceeds = difference_exceeds(&base, &now, f->factor, f->more, level);
    return exceeds > 0 ? FAIL_IF_HOLDS : exceeds < 0 ? FAIL_IF_NOT : FAIL_IF_UNDECIDED;
}

/* A row of the table, and for what did not pass one of the first lines on
   standard error. */
static void add_answer(report *r, report_table *table, const comparison *c, const fail_if *f,
                       size_t row_of_list, fail_if_answer answer, int is_said) {
    static const char *const answers[] = {"fails", "passes", "undecided"};
    const compare_list *list = &c->lists[f->measure];
    difference_side base = compare_base(c, list, row_of_list);
    difference_side now = compare_new(c, list, row_of_list);
    difference d = difference_make(&base, &now);
    report_cell *row = report_add_row(table);
    const char *name = f->measure == COMPARE_WHOLE ? "(all)" : c->names[list->which[row_of_list]];
    if (is_said) say(f, name, &d, list->unit, answer);
    row[0].name = report_keep(r, text_clean(f->words, strlen(f->words)));
    row[1].name = answers[answer];
    row[2].real = d.now - d.base;
    row[3].real = or_none(d.low);
    row[4].real = or_none(d.high);
    row[5].real = d.base;
    row[6].real = d.now;
    row[7].name = list->unit;
    row[8].name = name;
}

/* What fails comes first, then what nobody can tell. */
static void test_all(report *r, report_table *table, const comparison *c, const fail_if *f,
                     double level, size_t *holds) {
    static const fail_if_answer order[] = {FAIL_IF_HOLDS, FAIL_IF_UNDECIDED, FAIL_IF_NOT};
    const compare_list *list = &c->lists[f->measure];
    int *answers = (int *)tool_alloc(list->rows * sizeof *answers);
    size_t i, k, count;
    for (i = 0; i < list->rows; i++)
        answers[i] = is_meant(c, f, i) ? (int)test(c, f, i, level) : -1;
    for (k = 0; k < sizeof order / sizeof *order; k++) {
        for (i = 0, count = 0; i < list->rows; i++) {
            if (answers[i] != (int)order[k]) continue;
            add_answer(r, table, c, f, i, order[k], order[k] != FAIL_IF_NOT && count < LINES_MOST);
            count++;
        }
        if (order[k] == FAIL_IF_HOLDS) *holds += count != 0;
        if (order[k] != FAIL_IF_NOT && count > LINES_MOST)
            tool_error("--fail-if '%s' %s for %lu more functions; the table \"conditions\" has all",
                       f->words, order[k] == FAIL_IF_HOLDS ? "FAILS" : "is undecided",
                       (unsigned long)(count - LINES_MOST));
    }
    free(answers);
}

int fail_if_check(report *r, const comparison *c, const fail_if *list, size_t count,
                  size_t *holds) {
    report_table *table;
    size_t i, k, tests = 0;
    *holds = 0;
    for (i = 0; i < count; i++) {
        int status = check_measure(c, &list[i]);
        if (status != TOOL_OK) return status;
        for (k = 0; k < c->lists[list[i].measure].rows; k++)
            tests += (size_t)is_meant(c, &list[i], k);
    }
    if (count == 0) return TOOL_OK;
    table = report_add_table(r, "conditions", "conditions of --fail-if", columns,
                             sizeof columns / sizeof *columns);
    report_remark(table, "A condition fails only if the data leave no doubt. \"undecided\" means "
                         "that they cannot tell; the exit status counts that as passed.");
    table->rows_shown = ROWS_SHOWN;
    for (i = 0; i < count; i++)
        test_all(r, table, c, &list[i], DIFFERENCE_LEVEL / (double)tests, holds);
    return TOOL_OK;
}
