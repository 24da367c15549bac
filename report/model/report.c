/* report.c - building a report: sections one after the other, what they add, and the end of it
 all. */
#include "report/model/report.h"
#include "base/demangle.h"
#include "base/glob.h"
#include "base/tool.h"
#include "report/model/paths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One item more. The room is always a power of two, so that a full list is one whose count is
 one. */
static void *grow(void *list, size_t *count, size_t item_bytes) {
    size_t room = *count ? 2 * *count : 1;
    if ((*count & (*count - 1)) == 0) list = tool_grow(list, room * item_bytes);
    ++*count;
    return list;
}

static char *copy(const char *string) { return text_clean(string, strlen(string)); }

char *report_name(const report *r, const char *name) {
    char *readable = r->options.keeps_mangled ? NULL : demangle(name);
    return readable ? readable : copy(name);
}

void report_add_share(text *out, double share, double low, double high, const char *noun) {
    double width = low < 0 ? 1 : high - low;
    int digits = width > .02 ? 0 : width > .002 ? 1 : 2;
    if (share < .01 && digits == 0) digits = 1;
    text_format(out, "%.*f %% of ", digits, 100 * share);
    text_add(out, noun);
    if (low >= 0 && high > low)
        text_format(out, " (%.*f to %.*f %%)", digits, 100 * low, digits, 100 * high);
    else if (low < 0 && high >= 0) text_format(out, " (at most %.2g %%)", 100 * high);
}

static report_part *part_of(report *r) { return &r->parts[r->part_count - 1]; }

static void free_table(report_table *table) {
    free(table->title);
    free(table->remark);
    free(table->cells);
    report_paths_free(table->paths);
    free(table);
}

static void free_tree(report_tree *tree) {
    size_t i;
    for (i = 0; i < tree->name_count; i++) free(tree->names[i]);
    free(tree->names);
    free(tree->parent);
    free(tree->name);
    free(tree->file);
    free(tree->line);
    free(tree->twin);
    free(tree->squares);
    free(tree->samples);
    free(tree->threads);
    free(tree->lower);
    free(tree->upper);
    free(tree->changes);
    free(tree);
}

static void free_part(report_part *part) {
    size_t i;
    for (i = 0; i < part->table_count; i++) free_table(part->tables[i]);
    for (i = 0; i < part->tree_count; i++) free_tree(part->trees[i]);
    if (part->section->free) part->section->free(part->columns);
    free(part->tables);
    free(part->trees);
    free(part->columns);
}

void *report_begin_part(report *r, const report_section *section) {
    report_part *part;
    r->parts = (report_part *)grow(r->parts, &r->part_count, sizeof *r->parts);
    part = part_of(r);
    memset(part, 0, sizeof *part);
    part->section = section;
    part->columns = tool_alloc(section->columns_bytes);
    return part->columns;
}

void report_end_part(report *r) {
    const report_part *part = part_of(r);
    if (part->table_count || part->tree_count || part->section->json) return;
    free_part(part_of(r));
    r->part_count--;
}

/* ---- losses ------------------------------------------------------------------------------- */

void report_add_loss(report *r, unsigned of, const char *what, uint64_t count, double part,
                     const char *cure) {
    report_loss *loss;
    r->losses = (report_loss *)grow(r->losses, &r->loss_count, sizeof *r->losses);
    loss = &r->losses[r->loss_count - 1];
    loss->what = copy(what);
    loss->cure = copy(cure);
    loss->count = count;
    loss->part = part;
    loss->of = of;
}

int report_misses(const report *r, unsigned of) {
    const double most = .01;
    double known = 0;
    size_t i;
    for (i = 0; i < r->loss_count; i++) {
        if (!(r->losses[i].of & of)) continue;
        if (!(r->losses[i].part >= 0)) return 1;
        known += r->losses[i].part;
    }
    return known > most;
}

void report_add_why(const report *r, unsigned of, text *out) {
    const report_loss *most = NULL;
    size_t i;
    for (i = 0; i < r->loss_count; i++) {
        const report_loss *loss = &r->losses[i];
        const int is_unknown = !(loss->part >= 0); /* and outweighs all */
        if (loss->of & of && (!most || is_unknown || loss->part > most->part)) most = loss;
    }
    if (!most) return;
    text_add(out, "They have no interval, for this reason, said above: ");
    text_add(out, most->what);
    text_add(out, ".");
}

char *report_loss_words(const report_loss *loss) {
    text words = {NULL, 0, 0};
    text_add(&words, loss->what);
    if (loss->count) {
        text_add(&words, ": ");
        text_count(&words, loss->count);
    }
    if (loss->part >= 0 && loss->part < .001) text_add(&words, ", below 0.1 % of all");
    else if (loss->part >= 0) text_format(&words, ", %.3g %% of all", 100 * loss->part);
    text_add(&words, ". ");
    text_add(&words, loss->cure);
    return text_take(&words);
}

void report_add_fact(report *r, report_weight weight, const char *name, const char *value) {
    report_fact *fact;
    r->facts = (report_fact *)grow(r->facts, &r->fact_count, sizeof *r->facts);
    fact = &r->facts[r->fact_count - 1];
    fact->weight = weight;
    fact->name = copy(name);
    fact->value = copy(value);
}

void report_add_words(report *r, report_weight weight, const char *name, text *value) {
    text_bytes(value, "", 1);
    report_add_fact(r, weight, name, value->data);
    value->size = 0;
}

void report_add_sum(report *r, const report_sum *sum) {
    report_sum *to;
    r->sums = (report_sum *)grow(r->sums, &r->sum_count, sizeof *r->sums);
    to = &r->sums[r->sum_count - 1];
    *to = *sum;
    to->program = copy(sum->program);
    to->function = copy(sum->function);
    to->file = copy(sum->file);
}

void report_add_name(report *r, const char *name) {
    if (!*name || (r->name_count && strcmp(r->names[r->name_count - 1], name) == 0)) return;
    r->names = (char **)grow(r->names, &r->name_count, sizeof *r->names);
    r->names[r->name_count - 1] = copy(name);
}

report_table *report_add_table(report *r, const char *key, const char *title,
                               const report_column *columns, size_t column_count) {
    report_part *part = part_of(r);
    report_table *table = (report_table *)tool_alloc(sizeof *table);
    part->tables = (report_table **)grow(part->tables, &part->table_count, sizeof(report_table *));
    part->tables[part->table_count - 1] = table;
    table->key = key;
    table->title = copy(title);
    table->columns = columns;
    table->column_count = column_count;
    return table;
}

void report_remark(report_table *table, const char *remark) {
    free(table->remark);
    table->remark = copy(remark);
}

report_cell *report_add_row(report_table *table) {
    size_t row_bytes = table->column_count * sizeof(report_cell);
    report_cell *row;
    if (table->rows == table->room) {
        table->room = 2 * table->room + 16;
        table->cells = (report_cell *)tool_grow(table->cells, table->room * row_bytes);
    }
    row = table->cells + table->rows++ * table->column_count;
    memset(row, 0, row_bytes);
    return row;
}

int report_is_words(const report_column *column) {
    return column->type == REPORT_NAME || column->type == REPORT_PATH;
}

int report_is_shown(const report_table *table, size_t column) {
    size_t i;
    if (table->columns[column].flags & REPORT_HIDDEN) return 0;
    if (table->columns[column].type != REPORT_NAME) return 1;
    for (i = 0; i < table->rows; i++) {
        if (*table->cells[i * table->column_count + column].name) return 1;
    }
    return table->rows == 0;
}

const char *report_words(const report_table *table, size_t column, const report_cell *cell,
                         text *holds) {
    if (table->columns[column].type != REPORT_PATH) return cell->name;
    holds->size = 0;
    report_path(table->paths, cell->node, holds);
    text_bytes(holds, "", 1);
    return holds->data;
}

report_tree *report_add_tree(report *r, size_t nodes, size_t names) {
    report_part *part = part_of(r);
    report_tree *tree = (report_tree *)tool_alloc(sizeof *tree);
    part->trees = (report_tree **)grow(part->trees, &part->tree_count, sizeof(report_tree *));
    part->trees[part->tree_count - 1] = tree;
    tree->count = nodes;
    tree->name_count = names;
    tree->unit = "";
    tree->names = (char **)tool_alloc(names * sizeof *tree->names);
    tree->parent = (uint32_t *)tool_alloc(nodes * sizeof *tree->parent);
    tree->name = (uint32_t *)tool_alloc(nodes * sizeof *tree->name);
    tree->lower = (uint64_t *)tool_alloc(nodes * sizeof *tree->lower);
    tree->upper = (uint64_t *)tool_alloc(nodes * sizeof *tree->upper);
    return tree;
}

const char *report_unit(const report *r, const char **other) {
    const char *wanted = r->options.by ? r->options.by : "ticks", *any = NULL, *found = NULL;
    size_t i, k;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            const report_tree *tree = r->parts[i].trees[k];
            if (!tree->is_whole) continue;
            if (strcmp(tree->unit, wanted) == 0) found = tree->unit;
            else if (!any) any = tree->unit;
        }
    }
    if (!found && !r->options.by) {
        found = any;
        any = NULL;
    }
    *other = any;
    return found;
}

const char *report_keep(report *r, char *string) {
    r->kept = (char **)grow(r->kept, &r->kept_count, sizeof *r->kept);
    r->kept[r->kept_count - 1] = string;
    return string;
}

const char *report_keep_text(report *r, text *t) {
    return report_keep(r, text_take(t));
}

const char *report_place(report *r, const char *file, uint32_t line) {
    const char *at;
    text place = {NULL, 0, 0};
    for (at = file; *at; at++) {
        if (*at == '/' || *at == '\\') file = at + 1;
    }
    if (!*file) return "";
    text_short(&place, file, 255); /* the longest that a system has */
    if (line) text_format(&place, ":%lu", (unsigned long)line);
    text_bytes(&place, "", 1);
    return report_keep_text(r, &place);
}

/* ---- sorting ------------------------------------------------------------------------------ */

typedef struct sort_key {
    const report_table *table;
    size_t column, row;
} sort_key;

static int compare_rows(const void *left, const void *right) {
    const sort_key *a = (const sort_key *)left, *b = (const sort_key *)right;
    const report_cell *p = &a->table->cells[a->row * a->table->column_count + a->column];
    const report_cell *q = &b->table->cells[b->row * b->table->column_count + b->column];
    report_type type = a->table->columns[a->column].type;
    int order = 0;
    if (report_is_words(&a->table->columns[a->column])) {
        text x = {NULL, 0, 0}, y = {NULL, 0, 0};
        order = strcmp(report_words(a->table, a->column, p, &x),
                       report_words(b->table, b->column, q, &y));
        text_free(&x);
        text_free(&y);
    } else if (type == REPORT_COUNT) order = p->count > q->count ? -1 : p->count < q->count;
    else {
        double x = p->real >= 0 || p->real <= 0 ? p->real : -HUGE_VAL;
        double y = q->real >= 0 || q->real <= 0 ? q->real : -HUGE_VAL;
        order = x > y ? -1 : x < y;
    }
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

static void sort_table(report_table *table, size_t column) {
    size_t row_bytes = table->column_count * sizeof(report_cell), i;
    sort_key *keys = (sort_key *)tool_alloc(table->rows * sizeof *keys);
    report_cell *sorted = (report_cell *)tool_alloc(table->rows * row_bytes);
    for (i = 0; i < table->rows; i++) {
        keys[i].table = table;
        keys[i].column = column;
        keys[i].row = i;
    }
    if (table->rows) qsort(keys, table->rows, sizeof *keys, compare_rows);
    for (i = 0; i < table->rows; i++)
        memcpy(sorted + i * table->column_count, table->cells + keys[i].row * table->column_count,
               row_bytes);
    free(table->cells);
    free(keys);
    table->cells = sorted;
    table->room = table->rows;
}

/* The column of that key, or else the first of that label, which stands above
   it in the text: several are called "from". */
static size_t find_column(const report_table *table, const char *name) {
    size_t i;
    for (i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].key, name) == 0) return i;
    }
    for (i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].label, name) == 0) return i;
    }
    return i;
}

void report_sort_table(report_table *table, const char *key) {
    sort_table(table, find_column(table, key));
}

size_t report_sort(report *r, const char *key) {
    size_t i, k, found = 0;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            report_table *table = r->parts[i].tables[k];
            size_t column = find_column(table, key);
            if (table->shape != REPORT_ROWS || column == table->column_count) continue;
            sort_table(table, column);
            found++;
        }
    }
    return found;
}

/* ---- choosing ----------------------------------------------------------------------------- */

static int is_chosen(const report_table *table, const char *const *only,
                     const char *const *not_these) {
    size_t key = strlen(table->key), title = strlen(table->title);
    if (only && *only && !glob_any_matches(only, table->key, key) &&
        !glob_any_matches(only, table->title, title))
        return 0;
    return !glob_any_matches(not_these, table->key, key) &&
           !glob_any_matches(not_these, table->title, title);
}

size_t report_choose(report *r, const char *const *only, const char *const *not_these) {
    size_t i, k, left = 0;
    for (i = 0; i < r->part_count; i++) {
        report_part *part = &r->parts[i];
        size_t kept = 0;
        for (k = 0; k < part->table_count; k++) {
            if (is_chosen(part->tables[k], only, not_these)) part->tables[kept++] = part->tables[k];
            else free_table(part->tables[k]);
        }
        part->table_count = kept;
        left += kept;
    }
    return left;
}

static int row_matches(const report_table *table, size_t row, const char *pattern) {
    size_t k;
    for (k = 0; k < table->column_count; k++) {
        const report_cell *cell = &table->cells[row * table->column_count + k];
        if (table->columns[k].type == REPORT_PATH &&
            report_path_matches(table->paths, cell->node, pattern))
            return 1;
        if (table->columns[k].type == REPORT_NAME &&
            glob_matches_function(pattern, cell->name))
            return 1;
    }
    return 0;
}

/* A table is of functions if a column says so; threads and settings stay. */
static int has_functions(const report_table *table) {
    static const char *const keys[] = {"function", "stack", "context", "caller", "callee"};
    size_t i, k;
    for (k = 0; k < table->column_count; k++) {
        for (i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strcmp(table->columns[k].key, keys[i]) == 0) return 1;
    }
    return 0;
}

size_t report_match(report *r, const char *pattern) {
    size_t i, k, row, found = 0;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            report_table *table = r->parts[i].tables[k];
            size_t kept = 0, bytes = table->column_count * sizeof(report_cell);
            if (!has_functions(table)) continue;
            for (row = 0; row < table->rows; row++) {
                if (!row_matches(table, row, pattern)) continue;
                memmove(table->cells + kept++ * table->column_count,
                        table->cells + row * table->column_count, bytes);
            }
            table->rows_unmatched += table->rows - kept;
            table->rows = kept;
            found += kept;
        }
    }
    return found;
}

/* ---- the end ------------------------------------------------------------------------------ */

void report_free(report *r) {
    size_t i;
    for (i = 0; i < r->part_count; i++) free_part(&r->parts[i]);
    for (i = 0; i < r->loss_count; i++) {
        free(r->losses[i].what);
        free(r->losses[i].cure);
    }
    free(r->losses);
    for (i = 0; i < r->sum_count; i++) {
        free((void *)(uintptr_t)r->sums[i].program);
        free((void *)(uintptr_t)r->sums[i].function);
        free((void *)(uintptr_t)r->sums[i].file);
    }
    free(r->sums);
    for (i = 0; i < r->fact_count; i++) {
        free(r->facts[i].name);
        free(r->facts[i].value);
    }
    for (i = 0; i < r->name_count; i++) free(r->names[i]);
    for (i = 0; i < r->kept_count; i++) free(r->kept[i]);
    free(r->parts);
    free(r->facts);
    free(r->names);
    free(r->kept);
    free(r->title);
    free(r->made_of);
    free(r->headline);
    free(r->slow);
    memset(r, 0, sizeof *r);
}

int report_check(const report *r, const report_writer *writer, const char *file) {
    text line = {NULL, 0, 0};
    size_t i;
    if (!writer->has || writer->has(r)) return writer->refuse ? writer->refuse(r) : TOOL_OK;
    for (i = 0; i < r->part_count; i++) {
        if (i && r->parts[i].section->kind == r->parts[i - 1].section->kind) continue;
        if (i) text_add(&line, ", ");
        text_add(&line, r->parts[i].section->kind->name);
    }
    if (!r->part_count) text_add(&line, "nothing");
    tool_error("%s: nothing in it can be shown as --%s (it has: %.*s)", file, writer->name,
               (int)line.size, line.data);
    text_free(&line);
    return TOOL_BAD_INPUT;
}
