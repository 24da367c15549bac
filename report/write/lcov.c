/* lcov.c - coverage as LCOV's tracefile, for genhtml and many services. LCOV 2
   refuses what contradicts itself: a line that ran, and none of its branches; two
   functions of one name; a function that did not run, in which a line did, where
   a function ends at the next one. So branches that nothing reached, on a line that
   ran for something else, are left out; of functions of one name each has its line
   behind its name; and a function that did not run is left out if a line ran between
   it and the next one, as behind a member of a local class. Branches of a line that
   did not run are "-". */
#include "base/tool.h"
#include "report/model/by_tests.h"
#include "report/model/decisions.h"
#include "report/model/coverage.h"
#include <stdlib.h>
#include <string.h>

static void add_name(text *out, const char *name) {
    for (; *name; name++) {
        char c = (unsigned char)*name < 32 ? '?' : *name;
        text_bytes(out, &c, 1);
    }
}

static void add_row(text *out, const char *what, uint64_t number) {
    text_add(out, what);
    text_number(out, number);
}

static void add_total(text *out, const char *what, uint64_t number) {
    add_row(out, what, number);
    text_add(out, "\n");
}

static int by_name(const void *a, const void *b) {
    const coverage_function *x = *(const coverage_function *const *)a;
    const coverage_function *y = *(const coverage_function *const *)b;
    return strcmp(x->name, y->name);
}

/* For each function, whether another one has its name. The caller frees it. */
static uint8_t *find_twins(const coverage_file *f) {
    const coverage_function **list =
        (const coverage_function **)tool_alloc((f->function_count + 1) * sizeof *list);
    uint8_t *is_twin = (uint8_t *)tool_alloc(f->function_count + 1);
    size_t i;
    memset(is_twin, 0, f->function_count + 1);
    for (i = 0; i < f->function_count; i++) list[i] = &f->functions[i];
    if (i) qsort((void *)list, i, sizeof *list, by_name);
    for (i = 1; i < f->function_count; i++)
        if (by_name(&list[i - 1], &list[i]) == 0)
            is_twin[list[i - 1] - f->functions] = is_twin[list[i] - f->functions] = 1;
    free((void *)list);
    return is_twin;
}

static uint32_t start_of(const coverage_function *f) { return f->line ? f->line : 1; }

static int by_start(const void *a, const void *b) {
    const coverage_function *x = *(const coverage_function *const *)a;
    const coverage_function *y = *(const coverage_function *const *)b;
    return (start_of(x) > start_of(y)) - (start_of(x) < start_of(y));
}

/* A lambda ends no function for LCOV, and is not held to this. */
static int is_lambda(const char *name) {
    const char *at = strstr(name, "{lambda(");
    return at && strstr(at, "}::operator()") != NULL;
}

/* For each function, whether it did not run although a line did between it and the
   next one; the caller frees it. *crossed: how many these are. Functions that begin on
   one line share their lines, and are not asked. */
static uint8_t *find_crossed(const coverage_file *f, size_t *crossed) {
    const coverage_function **list =
        (const coverage_function **)tool_alloc((f->function_count + 1) * sizeof *list);
    uint8_t *is_crossed = (uint8_t *)tool_alloc(f->function_count + 1);
    size_t count = 0, line = f->line_count, i;
    uint32_t next = UINT32_MAX, ran = UINT32_MAX; /* the next function, and line that ran */
    memset(is_crossed, 0, f->function_count + 1);
    *crossed = 0;
    for (i = 0; i < f->function_count; i++)
        if (!is_lambda(f->functions[i].name)) list[count++] = &f->functions[i];
    if (count) qsort((void *)list, count, sizeof *list, by_start);
    for (i = count; i-- > 0;) {
        uint32_t start = start_of(list[i]);
        int is_alone = (i == 0 || start_of(list[i - 1]) != start) &&
                       (i + 1 == count || start_of(list[i + 1]) != start);
        for (; line > 0 && f->lines[line - 1].line >= start; line--)
            if (f->lines[line - 1].count) ran = f->lines[line - 1].line;
        if (list[i]->entries || !is_alone || ran >= next) {
            next = start;
            continue;
        }
        is_crossed[list[i] - f->functions] = 1;
        ++*crossed;
    }
    free((void *)list);
    return is_crossed;
}

static int by_name_and_line(const void *a, const void *b) {
    const int order = by_name(a, b);
    return order ? order : by_start(a, b);
}

/* What is left out of all tests together is left out of each of them: LCOV adds them up. */
static void add_crossed(const coverage_file *f, const coverage_file *whole, uint8_t *is_crossed,
                        size_t *crossed) {
    size_t count, found = 0, i;
    uint8_t *in_whole = find_crossed(whole, &count);
    const coverage_function **list =
        (const coverage_function **)tool_alloc((count + 1) * sizeof *list);
    for (i = 0; found < count; i++)
        if (in_whole[i]) list[found++] = &whole->functions[i];
    if (count) qsort((void *)list, count, sizeof *list, by_name_and_line);
    for (i = 0; count && i < f->function_count; i++) {
        const coverage_function *key = &f->functions[i];
        if (is_crossed[i] || !bsearch(&key, list, count, sizeof *list, by_name_and_line)) continue;
        is_crossed[i] = 1;
        ++*crossed;
    }
    free((void *)list);
    free(in_whole);
}

/* "pick", or "pick (a.c:8)". */
static void add_function(text *out, const coverage_file *f, size_t i, int is_twin) {
    const char *slash = strrchr(f->name, '/');
    text_add(out, ",");
    add_name(out, f->functions[i].name);
    if (is_twin) {
        text_add(out, " (");
        add_name(out, slash ? slash + 1 : f->name);
        add_row(out, ":", f->functions[i].line);
        text_add(out, ")");
    }
    text_add(out, "\n");
}

static void add_functions(text *out, const coverage_file *f, const coverage_file *whole) {
    size_t crossed, i;
    uint8_t *is_twin = find_twins(f), *is_crossed = find_crossed(f, &crossed);
    if (whole) add_crossed(f, whole, is_crossed, &crossed);
    for (i = 0; i < f->function_count; i++) {
        if (is_crossed[i]) continue;
        add_row(out, "FN:", start_of(&f->functions[i]));
        add_function(out, f, i, is_twin[i]);
    }
    for (i = 0; i < f->function_count; i++) {
        if (is_crossed[i]) continue;
        add_row(out, "FNDA:", f->functions[i].entries);
        add_function(out, f, i, is_twin[i]);
    }
    free(is_twin);
    free(is_crossed);
    add_total(out, "FNF:", f->function_count - crossed);
    add_total(out, "FNH:", f->functions_hit);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The lines of branches that were taken, sorted; to be freed. */
static uint32_t *lines_taken(const coverage_file *f) {
    uint32_t *lines = (uint32_t *)tool_alloc((f->branches_hit + 1) * sizeof *lines);
    size_t i, count = 0;
    for (i = 0; i < f->branch_count; i++)
        if (f->branches[i].count) lines[count++] = f->branches[i].line;
    if (count) qsort(lines, count, sizeof *lines, by_number);
    return lines;
}

static void add_branches(text *out, const coverage_file *f) {
    uint32_t *taken = lines_taken(f);
    size_t i, count = 0;
    for (i = 0; i < f->branch_count; i++) {
        const coverage_branch *b = &f->branches[i];
        if (b->is_reached &&
            !bsearch(&b->line, taken, f->branches_hit, sizeof *taken, by_number))
            continue;
        count++;
        add_row(out, "BRDA:", b->line);
        add_row(out, ",", b->block);
        add_row(out, ",", b->way);
        if (b->is_reached)
            add_row(out, ",", b->count);
        else
            text_add(out, ",-");
        text_add(out, "\n");
    }
    free(taken);
    add_total(out, "BRF:", count);
    add_total(out, "BRH:", f->branches_hit);
}

/* ---- MC/DC, from LCOV 2.2 on ---- */

static int is_told(const decisions_judged *s, const char *file) {
    return strcmp(s->file, file) == 0 && s->d->line && s->d->form <= DECISION_OUTCOMES;
}

static void add_sense(text *out, const decisions_judged *s, uint32_t size, uint32_t i, int way,
                      size_t index) {
    const decisions_condition *c = &s->d->conditions[i];
    text name = {NULL, 0, 0};
    add_row(out, "MCDC:", s->d->line);
    add_row(out, ",", size);
    text_add(out, way ? ",t," : ",f,");
    text_number(out, s->shown[way] >> i & 1);
    add_row(out, ",", index);
    text_add(out, ",");
    text_bytes(&name, s->d->text + c->text_at, c->text_size);
    text_bytes(&name, "", 1);
    add_name(out, *name.data ? name.data : "?");
    text_add(out, "\n");
    text_free(&name);
}

/* LCOV keeps the conditions of one line and one size under their indices. So
   decisions of one line are one group there, whose size is their sum. Decisions
   are in order of files and lines. */
static void add_decisions(text *out, const decisions_report *shown, size_t *at, const char *file) {
    size_t found = 0, hit = 0, i, end, index;
    uint32_t size, k;
    while (shown && *at < shown->count && strcmp(shown->list[*at].file, file) < 0) ++*at;
    if (!shown) return;
    for (i = *at; i < shown->count && strcmp(shown->list[i].file, file) == 0; i = end) {
        size = 0;
        index = 0;
        for (end = i; end < shown->count && strcmp(shown->list[end].file, file) == 0 &&
                      shown->list[end].d->line == shown->list[i].d->line; end++) {
            if (is_told(&shown->list[end], file)) size += shown->list[end].d->count;
        }
        for (; i < end; i++) {
            const decisions_judged *s = &shown->list[i];
            for (k = 0; is_told(s, file) && k < s->d->count; k++, index++) {
                add_sense(out, s, size, k, 1, index);
                add_sense(out, s, size, k, 0, index);
                found += 2;
                hit += (size_t)(s->shown[1] >> k & 1) + (size_t)(s->shown[0] >> k & 1);
            }
        }
    }
    *at = i;
    if (found == 0) return;
    add_total(out, "MCF:", found);
    add_total(out, "MCH:", hit);
}

/* ---- files, of all runs or of each test ---- */

/* In the name of a test LCOV allows letters, digits and '_'. */
static void add_test(text *out, const char *name) {
    text_add(out, "TN:");
    for (; *name; name++) {
        int is_fine = (*name >= '0' && *name <= '9') || (*name >= 'A' && *name <= 'Z') ||
                      (*name >= 'a' && *name <= 'z');
        char c = is_fine ? *name : '_';
        text_bytes(out, &c, 1);
    }
    text_add(out, "\n");
}

/* whole: the file in all tests together, if f is that of one. shown: decisions of all
   tests together, or NULL. */
static void add_file(text *out, const coverage_file *f, const coverage_file *whole,
                     const char *test, const decisions_report *shown, size_t *at) {
    size_t k;
    add_test(out, test);
    text_add(out, "SF:");
    add_name(out, f->name);
    text_add(out, "\n");
    add_functions(out, f, whole);
    add_branches(out, f);
    add_decisions(out, shown, at, f->name);
    for (k = 0; k < f->line_count; k++) {
        add_row(out, "DA:", f->lines[k].line);
        add_total(out, ",", f->lines[k].count);
    }
    add_total(out, "LF:", f->line_count);
    add_total(out, "LH:", f->lines_hit);
    text_add(out, "end_of_record\n");
}

/* The files that a test ran something of. Marks them in has_run, whose list of
   files is that of all runs together. */
static void add_one_test(const report *r, text *out, const coverage_all *all, size_t test,
                         uint8_t *has_run) {
    coverage_all *one = coverage_by_test(all, test);
    const char *name = test < all->counts->test_count ? by_tests_name(all, test) : "";
    size_t i, whole = 0, none = 0;
    for (i = 0; i < one->count; i++) {
        const coverage_file *f = &one->files[i];
        int is_in_whole;
        if (!f->lines_hit && !f->functions_hit) continue;
        while (whole < all->count && strcmp(all->files[whole].name, f->name) < 0) whole++;
        is_in_whole = whole < all->count && strcmp(all->files[whole].name, f->name) == 0;
        if (is_in_whole) has_run[whole] = 1;
        add_file(out, f, is_in_whole ? &all->files[whole] : NULL, name, NULL, &none);
        save_some(r->out, out);
    }
    coverage_free(one);
}

/* MC/DC is of all tests together: two of them may show a condition that neither
   shows alone. */
static void add_joint_decisions(text *out, const char *file, const decisions_report *shown,
                                size_t *at) {
    if (!shown) return;
    add_test(out, "");
    text_add(out, "SF:");
    add_name(out, file);
    text_add(out, "\n");
    add_decisions(out, shown, at, file);
    text_add(out, "end_of_record\n");
}

/* Nothing is left out in silence. */
static void say_crossed(const coverage_all *all) {
    size_t sum = 0, crossed, i;
    for (i = 0; i < all->count; i++) {
        free(find_crossed(&all->files[i], &crossed));
        sum += crossed;
    }
    if (sum)
        tool_error("note: --lcov leaves %lu function%s out that did not run: LCOV 2 would take "
                   "lines behind %s, which ran, for %s",
                   (unsigned long)sum, sum == 1 ? "" : "s", sum == 1 ? "it" : "them",
                   sum == 1 ? "its own" : "theirs");
}

static void write_lcov(const report *r, text *out) {
    const coverage_all *all = coverage_in(r);
    size_t tests = all ? by_tests_count(all) : 0, at = 0, i;
    uint8_t *has_run;
    coverage_say_refused(all);
    if (!all) return;
    say_crossed(all);
    has_run = (uint8_t *)tool_alloc(all->count + 1);
    for (i = 0; i < tests; i++) add_one_test(r, out, all, i, has_run);
    for (i = 0; i < all->count; i++) {
        if (has_run[i]) {
            add_joint_decisions(out, all->files[i].name, decisions_in(r), &at);
            continue;
        }
        add_file(out, &all->files[i], NULL, "", decisions_in(r), &at);
        save_some(r->out, out);
    }
    free(has_run);
}

const report_writer writer_lcov = {
    "lcov",
    "coverage for genhtml and others (edgeprof.h)",
    REPORT_USES_CAUSE | REPORT_USES_SOURCES,
    0,
    write_lcov,
    coverage_is_there,
    NULL,
};
