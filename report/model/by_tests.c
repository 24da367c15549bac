/* by_tests.c - see by_tests.h.

   The coverage of each test is gathered on its own, from its own counts, and
   freed again. What stays is a bit for each line of the whole: did the test run
   it? */
#include "report/model/by_tests.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { TESTS_SHOWN = 50 };

const char *by_tests_name(const coverage_all *made, size_t test) {
    return test < made->counts->test_count ? made->counts->tests[test].name : "(without a test)";
}

size_t by_tests_count(const coverage_all *made) {
    if (!made->counts->test_count) return 0;
    return made->counts->test_count + (made->counts->unnamed.count != 0);
}

/* ---- one line ---- */

/* Does the place "x.c:12" name that file? */
static int is_file(const char *file, const char *place, size_t size) {
    size_t whole = strlen(file);
    if (whole < size || memcmp(file + whole - size, place, size) != 0) return 0;
    return whole == size || file[whole - size - 1] == '/';
}

/* Has one of the files just that name? Then no other is meant. */
static int is_whole_name(const coverage_all *made, const char *place, size_t size) {
    size_t i;
    for (i = 0; i < made->count; i++) {
        const char *seen = tool_seen_from_here(made->files[i].name);
        if (strlen(seen) == size && memcmp(seen, place, size) == 0) return 1;
    }
    return 0;
}

/* The number of "x.c:12", or 0. */
static uint32_t line_in(const char *place, size_t *size) {
    const char *colon = strrchr(place, ':');
    char *end;
    unsigned long line;
    if (!colon || colon == place || colon[1] < '0' || colon[1] > '9') return 0;
    line = strtoul(colon + 1, &end, 10);
    *size = (size_t)(colon - place);
    return *end || line > UINT32_MAX ? 0 : (uint32_t)line;
}

static const coverage_line *find_line(const coverage_file *f, uint32_t line) {
    size_t low = 0, high = f->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->lines[middle].line < line) low = middle + 1;
        else high = middle;
    }
    return low < f->line_count && f->lines[low].line == line ? &f->lines[low] : NULL;
}

/* How often the place ran, as one part of the whole says. *is_there: it is a
   line of the program. */
static uint64_t runs_of(const coverage_all *made, const coverage_all *whole, const char *place,
                        int *is_there) {
    size_t size = 0, i;
    uint32_t line = line_in(place, &size);
    int is_whole = line && is_whole_name(whole, place, size);
    uint64_t runs = 0;
    *is_there = 0;
    for (i = 0; line && i < made->count; i++) {
        const coverage_line *found;
        const char *name = made->files[i].name;
        if (!is_file(is_whole ? tool_seen_from_here(name) : name, place, size)) continue;
        if (is_whole && strlen(tool_seen_from_here(name)) != size) continue;
        found = find_line(&made->files[i], line);
        if (!found) continue;
        *is_there = 1;
        runs += found->count;
    }
    return runs;
}

const char *by_tests_refuse(const coverage_all *made, const char *place) {
    size_t size = 0;
    int is_there = 0;
    if (!line_in(place, &size)) return "FILE:LINE is wanted";
    if (!by_tests_count(made)) return "no run had a test's name in BURSTY_TEST";
    (void)runs_of(made, made, place, &is_there);
    return is_there ? NULL : "no code of the program stands there";
}

/* ---- all lines ---- */

/* Each test has a bit for each line of the whole. */
typedef struct line_sets {
    uint8_t *bits;
    size_t bytes;              /* of one test */
    size_t *first;             /* of each file of the whole, the number of its first line */
    coverage_totals *totals;    /* of each test */
    uint64_t *runs;            /* of the line that was asked for */
} line_sets;

static void take_test(line_sets *sets, const coverage_all *made, size_t test, const char *place) {
    coverage_all *one = coverage_by_test(made, test);
    uint8_t *bits = sets->bits + test * sets->bytes;
    size_t i, k, whole = 0;
    int is_there;
    sets->totals[test] = coverage_sum(one);
    if (place) sets->runs[test] = runs_of(one, made, place, &is_there);
    for (i = 0; i < one->count; i++) {
        const coverage_file *f = &one->files[i];
        while (whole < made->count && strcmp(made->files[whole].name, f->name) < 0) whole++;
        if (whole == made->count || strcmp(made->files[whole].name, f->name) != 0) continue;
        for (k = 0; k < f->line_count; k++) {
            const coverage_line *line = find_line(&made->files[whole], f->lines[k].line);
            size_t number;
            if (!f->lines[k].count || !line) continue;
            number = sets->first[whole] + (size_t)(line - made->files[whole].lines);
            bits[number / 8] |= (uint8_t)(1 << number % 8);
        }
    }
    coverage_free(one);
}

/* Lines that this test ran, and no other did. */
static size_t alone(const line_sets *sets, size_t count, size_t test) {
    size_t found = 0, i, k;
    for (i = 0; i < sets->bytes; i++) {
        uint8_t bits = sets->bits[test * sets->bytes + i];
        for (k = 0; k < count && bits; k++) {
            if (k != test) bits &= (uint8_t)~sets->bits[k * sets->bytes + i];
        }
        for (; bits; bits &= (uint8_t)(bits - 1)) found++;
    }
    return found;
}

static void add_tests(report *r, const coverage_all *made, const line_sets *sets, size_t count) {
    static const report_column columns[] = {
        {"lines_hit", "lines", REPORT_COUNT, 0, NULL},
        {"lines_alone", "alone", REPORT_COUNT, 0, NULL},
        {"branches_hit", "branches", REPORT_COUNT, 0, NULL},
        {"functions_hit", "functions", REPORT_COUNT, 0, NULL},
        {"test", "test", REPORT_NAME, 0, NULL},
    };
    report_table *table = report_add_table(r, "tests", "Tests", columns,
                                           sizeof columns / sizeof *columns);
    size_t i;
    table->rows_shown = TESTS_SHOWN;
    report_remark(table, "What each test ran; alone: lines that no other test ran.");
    for (i = 0; i < count; i++) {
        report_cell *row = report_add_row(table);
        row[0].count = sets->totals[i].lines.hit;
        row[1].count = alone(sets, count, i);
        row[2].count = sets->totals[i].branches.hit;
        row[3].count = sets->totals[i].functions.hit;
        row[4].name = by_tests_name(made, i);
    }
}

static void add_line(report *r, const coverage_all *made, const line_sets *sets, size_t count) {
    static const report_column columns[] = {
        {"runs", "runs", REPORT_COUNT, 0, NULL},
        {"test", "test", REPORT_NAME, 0, NULL},
    };
    text title = {NULL, 0, 0};
    report_table *table;
    size_t i;
    text_add(&title, "Tests that ran ");
    text_add(&title, r->options.tests_of);
    text_bytes(&title, "", 1);
    table = report_add_table(r, "tests_of", title.data, columns, sizeof columns / sizeof *columns);
    table->rows_shown = TESTS_SHOWN;
    text_free(&title);
    for (i = 0; i < count; i++) {
        report_cell *row;
        if (!sets->runs[i]) continue;
        row = report_add_row(table);
        row[0].count = sets->runs[i];
        row[1].name = by_tests_name(made, i);
    }
    if (!table->rows) report_remark(table, "No test ran it.");
}

void by_tests_tables(report *r, const coverage_all *made) {
    size_t count = by_tests_count(made), lines = 0, i;
    const char *place = r->options.tests_of;
    line_sets sets;
    if (!count || (place && by_tests_refuse(made, place))) return;
    sets.first = (size_t *)tool_alloc((made->count + 1) * sizeof *sets.first);
    for (i = 0; i < made->count; i++) {
        sets.first[i] = lines;
        lines += made->files[i].line_count;
    }
    sets.bytes = lines / 8 + 1;
    sets.bits = (uint8_t *)tool_alloc(count * sets.bytes);
    sets.totals = (coverage_totals *)tool_alloc(count * sizeof *sets.totals);
    sets.runs = (uint64_t *)tool_alloc(count * sizeof *sets.runs);
    for (i = 0; i < count; i++) take_test(&sets, made, i, place);
    if (place) add_line(r, made, &sets, count);
    add_tests(r, made, &sets, count);
    free(sets.first);
    free(sets.bits);
    free(sets.totals);
    free(sets.runs);
}
