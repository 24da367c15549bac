/* coverage.c - counts of edges become coverage. Each function is derived from
   its own counters; then everything is gathered by file. A line runs as often
   as its busiest block in each function; functions of one file that share a
   line add up. */
#include "base/tool.h"
#include "report/kinds/edges.h"
#include "report/kinds/unmeasured.h"
#include "report/model/chosen.h"
#include "report/model/coverage.h"
#include "report/model/decisions.h"
#include "report/model/derive.h"
#include <stdlib.h>
#include <string.h>

/* ---- gathering ---- */

/* Room for `more` items behind `count`. The room of a list is always a power of
   two. */
static void *grow(void *list, size_t count, size_t more, size_t item_bytes) {
    size_t room = 1;
    while (room < count) room *= 2;
    if (count && more <= room - count) return list;
    while (room - count < more) room *= 2;
    return tool_grow(list, room * item_bytes);
}

static int by_line(const void *a, const void *b) {
    const coverage_line *x = (const coverage_line *)a, *y = (const coverage_line *)b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->count < y->count) - (x->count > y->count);
}

static uint64_t most_or_sum(uint64_t a, uint64_t b, int sum) {
    if (!sum) return a > b ? a : b;
    return a + b < a ? UINT64_MAX : a + b;
}

/* Sorts, and makes one of several entries of a line: the largest, or their
   sum. */
static size_t join_lines(coverage_line *lines, size_t count, int sum) {
    size_t i, kept = 0;
    if (count) qsort(lines, count, sizeof *lines, by_line);
    for (i = 0; i < count; i++) {
        if (kept && lines[kept - 1].line == lines[i].line) {
            lines[kept - 1].count = most_or_sum(lines[kept - 1].count, lines[i].count, sum);
            lines[kept - 1].is_unmeasured |= lines[i].is_unmeasured;
        } else {
            lines[kept++] = lines[i];
        }
    }
    return kept;
}

/* A counter that wrapped may read 0 where what follows does not: a block ran if
   an edge left it. */
static void reconcile(const edges_function *f, derived *d) {
    uint32_t e, v;
    int has_run = 0;
    for (e = 0; e < f->edges; e++)
        if (d->count[e] && !derived_may_be_below(f, e) && !d->block[f->ends[2 * (size_t)e]]) d->block[f->ends[2 * (size_t)e]] = 1;
    for (v = 0; v < f->vertices - 1; v++) has_run |= d->block[v] != 0;
    if (has_run && !d->count[f->edges]) d->count[f->edges] = 1;
    if (d->count[f->edges] && !d->block[0]) d->block[0] = 1;
}

static void add_lines(coverage_file *to, const edges_function *f, const derived *d) {
    size_t most = f->line_at[f->vertices], n = 0;
    coverage_line *lines = (coverage_line *)tool_alloc((most + 1) * sizeof *lines);
    uint32_t v, k;
    for (v = 0; v < f->vertices - 1; v++)
        for (k = f->line_at[v]; k < f->line_at[v + 1]; k++) {
            if (!f->line[k]) continue;
            lines[n].line = f->line[k];
            lines[n].is_unmeasured = 0;
            lines[n++].count = d->block[v];
        }
    n = join_lines(lines, n, 0);
    to->lines = (coverage_line *)grow(to->lines, to->line_count, n, sizeof *lines);
    if (n) memcpy(to->lines + to->line_count, lines, n * sizeof *lines);
    to->line_count += n;
    free(lines);
}

/* The line of a branch is the last of its block, where its condition stands. */
static void add_branches(coverage_file *to, const edges_function *f, const derived *d,
                         uint32_t first_block) {
    uint32_t edges = f->edges - f->stays, v, e;
    uint32_t *first = (uint32_t *)tool_alloc(((size_t)f->vertices + 1) * sizeof *first);
    uint32_t *list = (uint32_t *)tool_alloc(((size_t)edges + 1) * sizeof *list);
    coverage_branch *branch;
    for (e = 0; e < edges; e++) first[f->ends[2 * (size_t)e] + 1]++;
    for (v = 0; v < f->vertices; v++) first[v + 1] += first[v];
    for (e = 0; e < edges; e++) list[first[f->ends[2 * (size_t)e]]++] = e;
    to->branches =
        (coverage_branch *)grow(to->branches, to->branch_count, edges, sizeof *branch);
    for (v = 0; v < f->vertices - 1; v++) {
        uint32_t from = v ? first[v - 1] : 0, line = f->line_at[v + 1];
        if (first[v] - from < 2 || line == f->line_at[v] || !f->line[line - 1]) continue;
        for (e = from; e < first[v]; e++) {
            branch = &to->branches[to->branch_count++];
            branch->line = f->line[line - 1];
            branch->block = first_block + v;
            branch->way = e - from;
            branch->count = d->count[list[e]];
            branch->is_reached = 0; /* close_file knows */
            to->branches_hit += branch->count != 0;
        }
    }
    free(first);
    free(list);
}

/* Begins a function of the file, or goes on with the latest one if that is the
   same. */
static coverage_function *function_of(coverage_file *to, const edges_function *f, int is_same) {
    coverage_function *function;
    if (is_same) return &to->functions[to->function_count - 1];
    to->functions =
        (coverage_function *)grow(to->functions, to->function_count, 1, sizeof *function);
    function = &to->functions[to->function_count++];
    function->is_chosen = function->is_unmeasured = 0;
    function->name = f->name;
    function->line = f->line_at[f->vertices] ? f->line[0] : 0;
    function->entries = 0;
    function->first_branch = to->branch_count;
    return function;
}

/* Has the file had a function of that name at another line? They come sorted by
   name. */
static int is_again(const coverage_file *to, const edges_function *f) {
    return to->function_count > 0 &&
           strcmp(to->functions[to->function_count - 1].name, f->name) == 0;
}

/* Is a line of the function wanted? One whose first line a marker leaves out is
   not. */
static int is_wanted(chosen *c, const edges_function *f) {
    const chosen_source *source = chosen_open(c, f->file);
    uint32_t count = f->line_at[f->vertices], i;
    if (!c || !count) return 1;
    if (chosen_is_marked(source, f->line[0])) return 0;
    for (i = 0; i < count; i++) {
        if (f->line[i] && chosen_line(c, source, f->line[i])) return 1;
    }
    return 0;
}

/* Lines that a function has in another file, as those of an inlined function. */
static int has_no_name(const edges_function *f) { return !*f->name; }

static void add_function(coverage_file *to, const edges_function *f, const derived *d,
                         uint32_t first_block, int is_same, int is_chosen) {
    coverage_function *function;
    if (has_no_name(f)) {
        add_lines(to, f, d);
        add_branches(to, f, d, first_block);
        return;
    }
    function = function_of(to, f, is_same);
    function->is_chosen |= is_chosen;
    to->functions_hit += function->entries == 0 && d->count[f->edges] != 0;
    function->entries = most_or_sum(function->entries, d->count[f->edges], 1);
    add_lines(to, f, d);
    add_branches(to, f, d, first_block);
    function->branch_count = to->branch_count - function->first_branch;
}

static int by_line_alone(const void *a, const void *b) {
    uint32_t x = ((const coverage_line *)a)->line, y = ((const coverage_line *)b)->line;
    return (x > y) - (x < y);
}

/* Functions that are not wanted go, and lines and branches. What stays is
   counted anew. */
static void drop_unwanted(coverage_all *made, coverage_file *file) {
    chosen *c = made->chosen;
    const chosen_source *source = chosen_open(c, file->name);
    size_t *kept = (size_t *)tool_alloc((file->branch_count + 1) * sizeof *kept);
    size_t i, n = 0;
    for (i = 0; i < file->line_count; i++) {
        if (chosen_line(c, source, file->lines[i].line)) file->lines[n++] = file->lines[i];
        else made->marked_lines += (size_t)chosen_is_marked(source, file->lines[i].line);
    }
    file->line_count = n;
    if (source->change && n) source->change->has_code = 1;
    file->branches_hit = 0;
    for (i = n = 0; i < file->branch_count; i++) {
        kept[i] = n;
        if (!chosen_branch(c, source, file->branches[i].line)) continue;
        file->branches[n] = file->branches[i];
        file->branches_hit += file->branches[n++].count != 0;
    }
    kept[i] = file->branch_count = n;
    file->functions_hit = 0;
    for (i = n = 0; i < file->function_count; i++) {
        coverage_function f = file->functions[i];
        if (!f.is_chosen) continue;
        f.branch_count = kept[f.first_branch + f.branch_count] - kept[f.first_branch];
        f.first_branch = kept[f.first_branch];
        file->functions_hit += f.entries != 0;
        file->functions[n++] = f;
    }
    file->function_count = n;
    free(kept);
}

/* LCOV 2 refuses a line that ran with no branch that was reached. A line of
   several blocks may have that: the branches of a line are reached if the line
   is. */
static void close_file(coverage_all *made, coverage_file *file) {
    size_t i;
    file->line_count = join_lines(file->lines, file->line_count, 1);
    if (made->chosen) drop_unwanted(made, file);
    for (i = 0; i < file->line_count; i++) {
        file->lines_hit += file->lines[i].count != 0;
        file->unmeasured_lines += file->lines[i].is_unmeasured && file->lines[i].count == 0;
    }
    for (i = 0; i < file->branch_count; i++) {
        coverage_line wanted = {0, 0, 0}, *line;
        wanted.line = file->branches[i].line;
        line = (coverage_line *)bsearch(&wanted, file->lines, file->line_count, sizeof wanted,
                                       by_line_alone);
        file->branches[i].is_reached = line && line->count != 0;
    }
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Counts whose function no part describes. */
static void count_orphans(coverage_all *made, const edges_all *all) {
    uint64_t *keys = (uint64_t *)tool_alloc((all->function_count + 1) * sizeof *keys);
    size_t i;
    for (i = 0; i < all->function_count; i++) keys[i] = all->functions[i].key;
    qsort(keys, all->function_count, sizeof *keys, by_number);
    for (i = 0; i < all->count; i++)
        made->without_tables +=
            !bsearch(&all->counts[i].key, keys, all->function_count, sizeof *keys, by_number) &&
            !edges_is_left_out(all, all->counts[i].key);
    free(keys);
}

static int compare_arrays(const void *a, const void *b, size_t bytes) {
    return bytes ? memcmp(a, b, bytes) : 0;
}

/* 0: the same graph with the same lines. */
static int by_shape(const void *a, const void *b) {
    const edges_function *x = *(const edges_function *const *)a,
                           *y = *(const edges_function *const *)b;
    uint32_t v = x->line_at[x->vertices], w = y->line_at[y->vertices];
    int order;
    if (x->vertices != y->vertices) return x->vertices < y->vertices ? -1 : 1;
    if (x->edges != y->edges) return x->edges < y->edges ? -1 : 1;
    if (x->stays != y->stays) return x->stays < y->stays ? -1 : 1;
    if (v != w) return v < w ? -1 : 1;
    order = compare_arrays(x->line_at, y->line_at, x->vertices * sizeof *x->line_at);
    if (!order) order = compare_arrays(x->line, y->line, v * sizeof *x->line);
    return order ? order : compare_arrays(x->ends, y->ends, 2 * sizeof *x->ends * x->edges);
}

static int is_same_function(const edges_function *a, const edges_function *b) {
    uint32_t v = a->line_at[a->vertices], w = b->line_at[b->vertices];
    return strcmp(a->file, b->file) == 0 && strcmp(a->name, b->name) == 0 &&
           (v ? a->line[0] : 0) == (w ? b->line[0] : 0);
}

static void add_counts(uint64_t *into, const uint64_t *from, size_t count, int are_marks) {
    size_t i;
    for (i = 0; i < count; i++) into[i] = most_or_sum(into[i], from[i], !are_marks);
}

/* Derives a function. Returns 0, or -1: it cannot be shown. *fault, if it is
   NULL, becomes why none of its copies can. */
static int open_counts(coverage_all *made, derive_all *from, const edges_function *f, derived *d,
                       const char **fault) {
    int has_counts, got = derive_function(from, f, d, fault, &has_counts);
    made->without_counts += !has_counts;
    if (got != 0) {
        made->underivable++;
        return -1;
    }
    reconcile(f, d);
    if (f->bits <= 8)
        made->has_marks = 1;
    else if (has_counts && f->bits < 64 &&
             (!made->wrapping_bits || f->bits < made->wrapping_bits))
        made->wrapping_bits = f->bits;
    return 0;
}

static void refuse(coverage_all *made, const edges_function *f, const char *reason) {
    coverage_refusal *r;
    made->refused =
        (coverage_refusal *)grow(made->refused, made->refused_count, 1, sizeof *made->refused);
    r = &made->refused[made->refused_count++];
    r->name = f->name;
    r->file = f->file;
    r->line = f->line_at[f->vertices] ? f->line[0] : 0;
    r->reason = reason;
    r->is_unmeasured = 0;
}

/* What a gate counts as not covered: wanted lines and branches of a function
   that nobody knows the counts of. */
static void add_unknown(coverage_all *made, const edges_function *f) {
    chosen *c = made->chosen;
    const chosen_source *source = chosen_open(c, f->file);
    derived none;
    coverage_file file;
    size_t i;
    memset(&file, 0, sizeof file);
    none.count = (uint64_t *)tool_alloc(((size_t)f->edges + 1) * sizeof *none.count);
    none.block = (uint64_t *)tool_alloc(((size_t)f->vertices + 1) * sizeof *none.block);
    memset(none.count, 0, ((size_t)f->edges + 1) * sizeof *none.count);
    memset(none.block, 0, ((size_t)f->vertices + 1) * sizeof *none.block);
    add_lines(&file, f, &none);
    add_branches(&file, f, &none, 0);
    for (i = 0; i < file.line_count; i++)
        made->unknown.lines.all += !c || chosen_line(c, source, file.lines[i].line);
    for (i = 0; i < file.branch_count; i++)
        made->unknown.branches.all += !c || chosen_branch(c, source, file.branches[i].line);
    made->unknown.functions.all += !has_no_name(f);
    free(file.lines);
    free(file.branches);
    derived_free(&none);
}

/* One function, which programs or compilation units may have several copies of.
   Copies with the same graph and lines are added up, block by block; others
   stand one behind the other. */
static void gather_function(coverage_all *made, derive_all *from, const edges_function **copies,
                            size_t count, uint32_t *block) {
    derived *of = (derived *)tool_alloc(count * sizeof *of);
    const char *fault = NULL;
    size_t i, end;
    int is_begun = 0, is_chosen = 0, is_derived = 0;
    qsort(copies, count, sizeof *copies, by_shape);
    for (i = 0; i < count; i++) is_chosen |= is_wanted(made->chosen, copies[i]);
    for (i = 0; i < count; i++) {
        if (open_counts(made, from, copies[i], &of[i], &fault) != 0) of[i].count = NULL;
        is_derived |= of[i].count != NULL;
    }
    if (fault && is_chosen && !has_no_name(copies[0])) refuse(made, copies[0], fault);
    if ((fault || !is_derived) && is_chosen) add_unknown(made, copies[0]);
    for (i = 0; i < count; i = end) {
        const edges_function *f = copies[i];
        derived d = {NULL, NULL};
        for (end = i; end < count && by_shape(&copies[i], &copies[end]) == 0; end++) {
            int are_marks = f->bits <= 8 && copies[end]->bits <= 8;
            if (!of[end].count) continue;
            if (!d.count) {
                d = of[end];
                continue;
            }
            add_counts(d.count, of[end].count, (size_t)f->edges + 1, are_marks);
            add_counts(d.block, of[end].block, f->vertices, are_marks);
            derived_free(&of[end]);
        }
        if (fault && d.count) derived_free(&d);
        if (fault || !d.count) continue;
        if (made->count == 0 || strcmp(made->files[made->count - 1].name, f->file) != 0) {
            made->files = (coverage_file *)grow(made->files, made->count, 1, sizeof(coverage_file));
            memset(&made->files[made->count], 0, sizeof *made->files);
            made->files[made->count++].name = f->file;
            *block = 0;
        }
        if (!f->unit && !has_no_name(f))
            made->versions += is_begun || is_again(&made->files[made->count - 1], f) ? 1 : 0;
        add_function(&made->files[made->count - 1], f, &d, *block, is_begun, is_chosen);
        *block += f->vertices;
        is_begun = 1;
        derived_free(&d);
    }
    free(of);
}

/* ---- what is not measured ---- */

/* Is a line of the function wanted? Of a file that is left alone as a whole
   nobody knows the lines. */
static int is_unmeasured_wanted(chosen *c, const unmeasured *u) {
    const chosen_source *source = chosen_open(c, u->file);
    uint32_t i;
    if (!c || u->line_count == 0) return 1;
    if (chosen_is_marked(source, u->lines[0])) return 0;
    for (i = 0; i < u->line_count; i++)
        if (chosen_line(c, source, u->lines[i])) return 1;
    return 0;
}

static int by_name_alone(const void *a, const void *b) {
    return strcmp(((const coverage_function *)a)->name, ((const coverage_function *)b)->name);
}

/* Has one of the file's first functions, which are in the order of their names,
   that name and line? Another object may have counters for it. */
static int has_function(const coverage_file *f, size_t count, const unmeasured *u) {
    coverage_function wanted, *one;
    const coverage_function *end;
    if (!count) return 0;
    end = f->functions + count;
    wanted.name = u->name;
    one = (coverage_function *)bsearch(&wanted, f->functions, count, sizeof wanted, by_name_alone);
    if (!one) return 0;
    while (one > f->functions && by_name_alone(one - 1, &wanted) == 0) one--;
    for (; one < end && by_name_alone(one, &wanted) == 0; one++)
        if (one->line == u->lines[0]) return 1;
    return 0;
}

static uint32_t line_of(const unmeasured *u) { return u->line_count ? u->lines[0] : 0; }

static void add_unmeasured_function(coverage_file *to, const unmeasured *u) {
    coverage_function *f;
    to->functions = (coverage_function *)grow(to->functions, to->function_count, 1, sizeof *f);
    f = &to->functions[to->function_count++];
    memset(f, 0, sizeof *f);
    f->name = u->name;
    f->line = u->lines[0];
    f->first_branch = to->branch_count;
    f->is_chosen = f->is_unmeasured = 1;
}

static void add_unmeasured_lines(coverage_file *to, const unmeasured *u) {
    uint32_t i;
    to->lines = (coverage_line *)grow(to->lines, to->line_count, u->line_count, sizeof *to->lines);
    for (i = 0; i < u->line_count; i++) {
        coverage_line *line = &to->lines[to->line_count++];
        line->line = u->lines[i];
        line->count = 0;
        line->is_unmeasured = 1;
    }
}

static void name_unmeasured(coverage_all *made, const unmeasured *u) {
    coverage_refusal *r;
    made->refused = (coverage_refusal *)grow(made->refused, made->refused_count, 1, sizeof *r);
    r = &made->refused[made->refused_count++];
    r->name = u->name;
    r->file = u->file;
    r->line = line_of(u);
    r->reason = u->reason;
    r->is_unmeasured = 1;
    made->unmeasured_count++;
    made->unmeasured_files += u->line_count == 0;
}

/* All of one file, list[0..count), in the order of their names and lines. */
static void add_unmeasured_of(coverage_all *made, coverage_file *to, const unmeasured *list,
                              size_t count) {
    size_t measured = to->function_count, i;
    const unmeasured *last = NULL;
    for (i = 0; i < count; i++) {
        const unmeasured *u = &list[i];
        int is_again = last && strcmp(last->name, u->name) == 0 && line_of(last) == line_of(u);
        if (chosen_is_older(made->chosen, u->key, u->file)) continue;
        if (!is_unmeasured_wanted(made->chosen, u)) continue;
        add_unmeasured_lines(to, u);
        if (is_again) continue;
        last = u;
        name_unmeasured(made, u);
        if (u->line_count && !has_function(to, measured, u)) add_unmeasured_function(to, u);
    }
}

/* Both lists of files are in the order of names. */
static void add_unmeasured(coverage_all *made) {
    const unmeasured_all *all = made->unmeasured;
    coverage_file *files;
    size_t i, end, at = 0, count = 0;
    if (!all || !all->count) return;
    files = (coverage_file *)tool_alloc((made->count + all->count) * sizeof *files);
    for (i = 0; i < all->count; i = end) {
        const char *name = all->list[i].file;
        for (end = i; end < all->count && strcmp(all->list[end].file, name) == 0; end++) {
        }
        if (!chosen_file(made->chosen, name)) continue;
        while (at < made->count && strcmp(made->files[at].name, name) < 0)
            files[count++] = made->files[at++];
        if (at < made->count && strcmp(made->files[at].name, name) == 0) {
            files[count] = made->files[at++];
        } else {
            memset(&files[count], 0, sizeof *files);
            files[count].name = name;
        }
        add_unmeasured_of(made, &files[count++], all->list + i, end - i);
    }
    while (at < made->count) files[count++] = made->files[at++];
    free(made->files);
    made->files = files;
    made->count = count;
}

/* Files with nothing left of them go. */
static void close_files(coverage_all *made) {
    size_t i, kept = 0;
    for (i = 0; i < made->count; i++) {
        coverage_file *f = &made->files[i];
        close_file(made, f);
        if (f->line_count || f->function_count || !made->chosen) {
            made->files[kept++] = *f;
            continue;
        }
        free(f->functions);
        free(f->lines);
        free(f->branches);
    }
    made->count = kept;
}

static uint64_t object_of(const edges_function *f) { return f->unit ? f->unit : f->key; }

void coverage_gather(coverage_all *made, const edges_all *all) {
    const edges_function **copies =
        (const edges_function **)tool_alloc((all->function_count + 1) * sizeof *copies);
    derive_all *from = derive_open(all, made->decisions);
    uint32_t block = 0;
    size_t i, end, count;
    for (i = 0; i < all->function_count; i = end) {
        const edges_function *first = &all->functions[i];
        int is_wanted_file = chosen_file(made->chosen, first->file);
        for (end = i, count = 0; end < all->function_count; end++) {
            if (!is_same_function(first, &all->functions[end])) break;
            made->with_counts += all->count && edges_has(all, all->functions[end].key);
            if (!is_wanted_file) continue;
            if (chosen_is_older(made->chosen, object_of(&all->functions[end]), first->file))
                made->older++;
            else copies[count++] = &all->functions[end];
        }
        if (count) gather_function(made, from, copies, count, &block);
    }
    derive_close(from);
    free((void *)copies);
    add_unmeasured(made);
    close_files(made);
    count_orphans(made, all);
}

void coverage_free_columns(void *columns) {
    coverage_all *made = (coverage_all *)columns;
    size_t i;
    for (i = 0; i < made->count; i++) {
        free(made->files[i].functions);
        free(made->files[i].lines);
        free(made->files[i].branches);
    }
    free(made->files);
    free(made->refused);
    free(made->suspects);
}

/* ---- sums and tests ---- */

void coverage_add(coverage_totals *t, const coverage_file *f) {
    t->lines.hit += f->lines_hit;
    t->lines.all += f->line_count;
    t->branches.hit += f->branches_hit;
    t->branches.all += f->branch_count;
    t->functions.hit += f->functions_hit;
    t->functions.all += f->function_count;
}

coverage_totals coverage_sum(const coverage_all *made) {
    coverage_totals t;
    size_t i;
    memset(&t, 0, sizeof t);
    for (i = 0; made && i < made->count; i++) coverage_add(&t, &made->files[i]);
    return t;
}

coverage_all *coverage_by_test(const coverage_all *made, size_t test) {
    coverage_all *one = (coverage_all *)tool_alloc(sizeof *one);
    edges_all view;
    memset(one, 0, sizeof *one);
    one->chosen = made->chosen;
    one->decisions = made->decisions;
    one->unmeasured = made->unmeasured;
    edges_view(&view, made->counts, test);
    coverage_gather(one, &view);
    return one;
}

void coverage_free(coverage_all *made) {
    if (made) coverage_free_columns(made);
    free(made);
}
