/* failing.c - see failing.h.

   For something that n of all tests ran, f of them failing ones, of F that failed:

       Ochiai    f / sqrt(F n): 1 if all failing tests ran it and no other did
       chance    Fisher's exact test: the chance that f or more of n tests are
                 among the F, if what ran it had nothing to do with failing

   Lines that the same tests ran make one question. The chance that any question is
   answered "yes" by luck is at most 5 % (Holm). */
#include "report/model/failing.h"
#include "base/tool.h"
#include "report/model/by_tests.h"
#include "report/model/difference.h"
#include "report/model/verdicts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef coverage_suspect suspect;

typedef struct desk {
    suspect *list;             /* lines of all files, then branches, then functions */
    size_t count;
    uint32_t failed, passed;
} desk;

static uint64_t hash_of(size_t test) {
    uint64_t x = (uint64_t)test + UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static void hit(suspect *s, size_t test, int has_failed) {
    s->failing += (uint32_t)has_failed;
    s->passing += (uint32_t)!has_failed;
    s->tests += hash_of(test);
}

static const coverage_file *file_in(const coverage_all *one, const char *name) {
    size_t low = 0, high = one->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(one->files[middle].name, name);
        if (order == 0) return &one->files[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

static suspect *add_all(desk *d, const coverage_all *made) {
    size_t i, k, most = 0;
    for (i = 0; i < made->count; i++) {
        const coverage_file *f = &made->files[i];
        most += f->line_count + f->branch_count + f->function_count;
    }
    d->list = (suspect *)tool_alloc((most + 1) * sizeof *d->list);
    memset(d->list, 0, (most + 1) * sizeof *d->list);
    for (i = 0; i < made->count; i++) {
        const coverage_file *f = &made->files[i];
        for (k = 0; k < f->line_count; k++, d->count++) {
            d->list[d->count].what = "line";
            d->list[d->count].line = f->lines[k].line;
            d->list[d->count].file = f;
        }
        for (k = 0; k < f->branch_count; k++, d->count++) {
            d->list[d->count].what = "branch";
            d->list[d->count].line = f->branches[k].line;
            d->list[d->count].file = f;
        }
        for (k = 0; k < f->function_count; k++, d->count++) {
            d->list[d->count].what = "function";
            d->list[d->count].name = f->functions[k].name;
            d->list[d->count].line = f->functions[k].line;
            d->list[d->count].file = f;
        }
    }
    return d->list;
}

/* One test has the same files and functions as all together, if its counts prove
   no fault; what they refuse is in no row. */
static void take_test(desk *d, const coverage_all *made, size_t test, int has_failed) {
    coverage_all *one = coverage_by_test(made, test);
    suspect *s = d->list;
    size_t i, k;
    for (i = 0; i < made->count; i++) {
        const coverage_file *f = &made->files[i], *of = file_in(one, f->name);
        size_t at = 0;
        for (k = 0; k < f->line_count; k++, s++) {
            uint32_t line = f->lines[k].line;
            while (of && at < of->line_count && of->lines[at].line < line) at++;
            if (!of || at == of->line_count || of->lines[at].line != line) continue;
            if (of->lines[at].count) hit(s, test, has_failed);
        }
        for (k = 0; k < f->branch_count; k++, s++)
            if (of && of->branch_count == f->branch_count && of->branches[k].count)
                hit(s, test, has_failed);
        for (k = 0; k < f->function_count; k++, s++)
            if (of && of->function_count == f->function_count && of->functions[k].entries)
                hit(s, test, has_failed);
    }
    coverage_free(one);
}

static double log_choose(double n, double k) {
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static double chance_of(const desk *d, const suspect *s) {
    double all = d->failed + d->passed, n = s->failing + s->passing, sum = 0, f;
    for (f = s->failing; f <= d->failed && f <= n; f++) {
        if (n - f > d->passed) continue;
        sum += exp(log_choose(d->failed, f) + log_choose(d->passed, n - f) - log_choose(all, n));
    }
    return sum > 1 ? 1 : sum;
}

static int by_tests(const void *a, const void *b) {
    const suspect *x = *(const suspect *const *)a, *y = *(const suspect *const *)b;
    return (x->tests > y->tests) - (x->tests < y->tests);
}

/* Each set of tests is judged once. */
static void judge(desk *d) {
    suspect **list = (suspect **)tool_alloc((d->count + 1) * sizeof *list);
    double *chances = (double *)tool_alloc((d->count + 1) * sizeof *chances);
    unsigned char *sure = (unsigned char *)tool_alloc(d->count + 1);
    size_t i, questions = 0;
    for (i = 0; i < d->count; i++) list[i] = &d->list[i];
    if (d->count) qsort(list, d->count, sizeof *list, by_tests);
    for (i = 0; i < d->count; i++)
        if (i == 0 || by_tests(&list[i - 1], &list[i]) != 0) chances[questions++] = list[i]->chance;
    difference_judge(chances, questions, sure);
    for (i = 0, questions = 0; i < d->count; i++) {
        if (i > 0 && by_tests(&list[i - 1], &list[i]) != 0) questions++;
        list[i]->is_sure = sure[questions];
    }
    free(list);
    free(chances);
    free(sure);
}

/* Lines one behind the other that the same tests ran are one row; what no
   failing test ran is none. */
static void join(desk *d) {
    size_t i, kept = 0;
    for (i = 0; i < d->count; i++) {
        suspect *s = &d->list[i], *before = kept ? &d->list[kept - 1] : NULL;
        if (before && *s->what == 'l' && *before->what == 'l' && before->file == s->file &&
            before->tests == s->tests) {
            before->last = s->line;
            continue;
        }
        d->list[kept] = *s;
        d->list[kept++].last = s->line;
    }
    d->count = kept;
    for (i = kept = 0; i < d->count; i++)
        if (d->list[i].failing) d->list[kept++] = d->list[i];
    d->count = kept;
}

static int by_rank(const void *a, const void *b) {
    const suspect *x = (const suspect *)a, *y = (const suspect *)b;
    int order;
    if (x->ochiai != y->ochiai) return x->ochiai > y->ochiai ? -1 : 1;
    order = strcmp(y->what, x->what); /* lines, functions, branches */
    if (!order) order = strcmp(x->file->name, y->file->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void add_rows(report *r, const desk *d) {
    static const report_column columns[] = {
        {"ochiai", "ochiai", REPORT_SHARE, 0, "-"},
        {"chance", "chance", REPORT_SHARE, 0, "-"},
        {"sure", "sure", REPORT_NAME, 0, NULL},
        {"failing", "failing", REPORT_COUNT, 0, NULL},
        {"passing", "passing", REPORT_COUNT, 0, NULL},
        {"what", "what", REPORT_NAME, 0, NULL},
        {"place", "place", REPORT_NAME, 0, NULL},
        {"function", "function", REPORT_NAME, 0, NULL},
    };
    report_table *table = report_add_table(r, "failing", "What failing tests run and others do not",
                                           columns, sizeof columns / sizeof *columns);
    text remark = {NULL, 0, 0};
    size_t i;
    text_format(&remark,
                "Of %lu failing and %lu passing tests, how many ran it; ochiai is 100 %% if all "
                "failing ones did and no other. chance: Fisher's exact test; sure: the chance "
                "that any \"yes\" here is luck is at most 5 %%.",
                (unsigned long)d->failed, (unsigned long)d->passed);
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
    table->rows_shown = 20;
    for (i = 0; i < d->count; i++) {
        const suspect *s = &d->list[i];
        report_cell *row = report_add_row(table);
        text place = {NULL, 0, 0};
        text_add(&place, tool_seen_from_here(s->file->name));
        text_format(&place, ":%lu", (unsigned long)s->line);
        if (s->last > s->line) text_format(&place, "-%lu", (unsigned long)s->last);
        row[0].real = s->ochiai;
        row[1].real = s->chance;
        row[2].name = s->is_sure ? "yes" : "no";
        row[3].count = s->failing;
        row[4].count = s->passing;
        row[5].name = s->what;
        row[6].name = report_keep_text(r, &place);
        row[7].name = s->name ? s->name : "";
    }
}

void failing_table(report *r, coverage_all *made) {
    verdicts *v = r->options.failing;
    size_t tests = made->counts->test_count, i;
    desk d;
    if (!v || !tests) return;
    memset(&d, 0, sizeof d);
    add_all(&d, made);
    for (i = 0; i < tests; i++) {
        int fate = verdicts_of(v, by_tests_name(made, i));
        if (fate == VERDICT_UNKNOWN) continue;
        d.failed += fate == VERDICT_FAILED;
        d.passed += fate == VERDICT_PASSED;
        take_test(&d, made, i, fate == VERDICT_FAILED);
    }
    for (i = 0; i < d.count; i++) {
        suspect *s = &d.list[i];
        double n = s->failing + s->passing;
        s->ochiai = n > 0 && d.failed ? s->failing / sqrt((double)d.failed * n) : 0;
        s->chance = chance_of(&d, s);
    }
    judge(&d);
    join(&d);
    if (d.count) qsort(d.list, d.count, sizeof *d.list, by_rank);
    made->suspects = d.list;
    made->suspect_count = d.count;
    made->tests_failed = d.failed;
    made->tests_passed = d.passed;
    if (d.failed) add_rows(r, &d);
}

int failing_check(const report *r, const coverage_all *made) {
    verdicts *v = r->options.failing;
    const char *ambiguous = NULL;
    size_t tests = made->counts->test_count, i, left_out = 0;
    if (!v) return TOOL_OK;
    if (!tests)
        return tool_error("--failing %s: no run had a test's name in BURSTY_TEST", v->given);
    for (i = 0; i < tests; i++) {
        const char *name = by_tests_name(made, i);
        left_out += verdicts_of(v, name) == VERDICT_UNKNOWN;
        if (!ambiguous && verdicts_differ(v, name)) ambiguous = name;
    }
    return verdicts_check(v, "run had in BURSTY_TEST the name",
                          "; BURSTY_COVERAGE_SIGNALS=1 keeps runs that a signal ends", left_out,
                          ambiguous);
}
