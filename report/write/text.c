/* text.c - the report on a terminal: what is missing, a sentence, facts, then
   tables. Numbers have no blanks in them, and each is one word, so that awk and
   sort can read them; names come last in a line.

   A line should be as wide as options.width. Columns are as wide as their
   widest word. If that is too much, optional columns go, the last first; then
   stacks leave out frames in their middle. No name is cut that people would
   write: a name wider than its column goes on in the lines below, in the same
   column. Where the width is not known, as in a pipe, a row stays one line. */
#include "base/tool.h"
#include "report/model/paths.h"
#include "report/write/writers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK_LEAST = 40,
    NAME_MOST = 60, /* a longer name has several lines; without a width it pushes the rest of its
                       row to the right, not all rows */
    NAME_LEAST = 12, /* columns for a name, however narrow all is */
    NAME_LONGEST = 400, /* than people write: a small file must not fill a disk with them */
    PROSE_WIDTH = 100
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t columns_in(const char *name) {
    size_t columns = 0;
    for (; *name; name++) columns += ((unsigned char)*name & 0xC0) != 0x80;
    return columns;
}

static void add_number(text *out, const report_column *column, const report_cell *cell) {
    if (column->type == REPORT_COUNT) text_number(out, cell->count);
    else if (!(cell->real >= 0) && !(cell->real <= 0))
        text_add(out, column->none ? column->none : "-");
    else if (column->flags & REPORT_SIGNED && fabs(cell->real) < 1e5)
        text_format(out, fabs(cell->real) < .95 ? "%+.2f" : "%+.1f", cell->real);
    else if (column->flags & REPORT_SIGNED) text_format(out, "%+.4g", cell->real);
    else if (column->type == REPORT_SHARE) text_format(out, "%.2f%%", 100 * cell->real);
    else if (column->flags & REPORT_WHOLE) text_format(out, "%.0f", cell->real);
    else if (column->flags & REPORT_FINE && fabs(cell->real) < 1000)
        text_format(out, "%.4g", cell->real);
    else text_format(out, cell->real < 1e6 ? "%.1f" : "%.4g", cell->real);
}

/* ---- widths ------------------------------------------------------------------------------- */

typedef struct layout {
    size_t *width;                                /* of each column; 0: not shown */
    size_t first, step, end;                      /* which rows */
    unsigned char *is_whole; /* of each row: its stack would look as another one if it were short */
} layout;

/* In a table of more rows two stacks may look the same. */
enum { DISTINCT_MOST = 5000 };

static void choose_rows(layout *l, const report *r, const report_table *table) {
    size_t most = table->rows_shown ? table->rows_shown : table->rows;
    memset(l, 0, sizeof *l);
    if (r->options.has_top && table->shape == REPORT_ROWS)
        most = r->options.top ? r->options.top : table->rows;
    l->first = 0;
    l->step = 1;
    l->end = least(most, table->rows);
    if (table->shape == REPORT_ROWS) return;
    l->step = most ? table->rows / most + 1 : 1;      /* a curve is thinned, not cut */
    l->first = l->step - 1;
    l->end = table->rows;
}

static size_t rows_of(const layout *l) {
    return l->end > l->first ? (l->end - l->first + l->step - 1) / l->step : 0;
}

static const report_cell *cell_at(const layout *l, const report_table *table, size_t row,
                                  size_t column) {
    return &table->cells[(l->first + row * l->step) * table->column_count + column];
}

static size_t widest(const layout *l, const report_table *table, size_t column) {
    const report_column *c = &table->columns[column];
    size_t width = columns_in(c->label), row;
    text word = {NULL, 0, 0}, holds = {NULL, 0, 0};
    for (row = 0; row < rows_of(l); row++) {
        const report_cell *cell = cell_at(l, table, row, column);
        size_t columns;
        word.size = 0;
        if (report_is_words(c)) text_plain(&word, report_words(table, column, cell, &holds));
        else add_number(&word, c, cell);
        text_bytes(&word, "", 1);
        columns = columns_in(word.data);
        if (c->type == REPORT_NAME) columns = least(columns, NAME_MOST);
        if (columns > width) width = columns;
    }
    text_free(&word);
    text_free(&holds);
    return width;
}

/* Names that are too wide together get lines of their own: the widest first. */
static void narrow_names(layout *l, const report_table *table, size_t excess) {
    while (excess) {
        size_t k, widest_name = table->column_count, less;
        for (k = 0; k < table->column_count; k++) {
            if (table->columns[k].type != REPORT_NAME || l->width[k] <= NAME_LEAST) continue;
            if (widest_name == table->column_count || l->width[k] > l->width[widest_name])
                widest_name = k;
        }
        if (widest_name == table->column_count) return;
        less = least(excess, (l->width[widest_name] - NAME_LEAST + 1) / 2);
        l->width[widest_name] -= less;
        excess -= less;
    }
}

/* Optional columns go while the rest is too wide; then the stacks get what is
   left. */
static void choose_widths(layout *l, const report_table *table, size_t width) {
    size_t k, count = table->column_count;
    l->width = (size_t *)tool_alloc(count * sizeof *l->width);
    for (k = 0; k < count; k++) {
        if (report_is_shown(table, k)) l->width[k] = widest(l, table, k);
    }
    while (width) {
        size_t used = 0, optional = count, stack = count;
        for (k = 0; k < count; k++) {
            if (l->width[k] == 0) continue;
            if (table->columns[k].flags & REPORT_OPTIONAL) optional = k;
            if (table->columns[k].type == REPORT_PATH) stack = k;
            used += l->width[k] + 2;
        }
        if (used <= width + 2) return;
        used -= stack < count ? l->width[stack] : 0;
        if (stack < count && (optional == count || used + STACK_LEAST <= width + 2)) {
            l->width[stack] = used < width + 2 ? width + 2 - used : 1;
            return;
        }
        if (optional == count) {
            narrow_names(l, table, used - width - 2);
            return;
        }
        l->width[optional] = 0;
    }
}

static void add_stack(text *out, const report_table *table, const report_cell *cell, size_t width,
                      int is_whole) {
    text holds = {NULL, 0, 0};
    if (is_whole) report_path(table->paths, cell->node, &holds);
    else report_path_fit(table->paths, cell->node, width, &holds);
    text_bytes(&holds, "", 1);
    text_plain(out, holds.data);
    text_free(&holds);
}

typedef struct look { char *stack; size_t row; } look;

static int compare_looks(const void *left, const void *right) {
    return strcmp(((const look *)left)->stack, ((const look *)right)->stack);
}

/* Stacks that would look the same when they are short are shown as they tell
   themselves apart. */
static void find_looks(layout *l, const report_table *table) {
    size_t k, i, count = rows_of(l);
    look *looks;
    l->is_whole = (unsigned char *)tool_alloc(count);
    for (k = 0; k < table->column_count; k++) {
        if (table->columns[k].type != REPORT_PATH || !l->width[k] || count > DISTINCT_MOST) continue;
        looks = (look *)tool_alloc(count * sizeof *looks);
        for (i = 0; i < count; i++) {
            text stack = {NULL, 0, 0};
            add_stack(&stack, table, cell_at(l, table, i, k), l->width[k], 0);
            looks[i].stack = text_take(&stack);
            looks[i].row = i;
        }
        if (count) qsort(looks, count, sizeof *looks, compare_looks);
        for (i = 1; i < count; i++) {
            if (strcmp(looks[i - 1].stack, looks[i].stack) != 0) continue;
            l->is_whole[looks[i - 1].row] = l->is_whole[looks[i].row] = 1;
        }
        for (i = 0; i < count; i++) free(looks[i].stack);
        free(looks);
    }
}

static void free_layout(layout *l) {
    free(l->is_whole);
    free(l->width);
}

/* ---- lines -------------------------------------------------------------------------------- */

static void add_bold(text *out, const report *r, const char *words) {
    if (r->options.is_coloured) text_add(out, "\033[1m");
    text_plain(out, words);
    if (r->options.is_coloured) text_add(out, "\033[0m");
}

/* The end of a word. The blanks within a number, 1 234 567, are no ends. */
static const char *end_of_word(const char *words) {
    const char *digits = "0123456789", *end = words + strcspn(words, " ");
    while (*end && strspn(words, digits) && strspn(end + 1, digits) == 3)
        end += 1 + strcspn(end + 1, " ");
    return end;
}

/* Words, broken into lines that are not wider than the report. */
void text_wrapped(text *out, const report *r, const char *words) {
    size_t at = 0, width = r->options.width ? r->options.width : PROSE_WIDTH;
    while (*words) {
        const char *end = end_of_word(words);
        char *word = text_clean(words, (size_t)(end - words));
        size_t columns = columns_in(word);
        if (at && at + 1 + columns > width) {
            text_add(out, "\n");
            at = 0;
        }
        if (at) text_add(out, " ");
        text_plain(out, word);
        at += columns + (at > 0);
        free(word);
        words = *end ? end + 1 : end;
    }
    text_add(out, "\n");
}

static void end_line(text *out) {
    while (out->size && out->data[out->size - 1] == ' ') out->size--;
    text_add(out, "\n");
}

static int is_of_word(char c) {
    return (unsigned char)c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
           || (c >= 'A' && c <= 'Z');
}

/* How many bytes of a name go into a line of so many columns: all; or up to a
   blank, or the end of a word, in its second half; or what fits. */
static size_t bytes_in(const char *name, size_t columns) {
    size_t i, at = 0, blank = 0, word = 0;
    for (i = 0; name[i]; i++) {
        if (i && name[i - 1] == ' ') blank = i;
        if (i && !(is_of_word(name[i - 1]) && is_of_word(name[i])) && name[i] != ':') word = i;
        at += ((unsigned char)name[i] & 0xC0) != 0x80;
        if (at > columns) return blank > i / 2 ? blank : word > i / 2 ? word : i;
    }
    return i;
}

/* indent: the column it begins in; room: how many it has; 0: as many as it
   needs. Returns where the last line of it begins in `out`. */
static size_t add_name(text *out, const report_table *table, size_t column,
                       const report_cell *cell, size_t indent, size_t room) {
    text holds = {NULL, 0, 0}, name = {NULL, 0, 0};
    size_t start = out->size, at = 0;
    text_plain_short(&name, report_words(table, column, cell, &holds), NAME_LONGEST);
    text_bytes(&name, "", 1);
    while (room && columns_in(name.data + at) > room) {
        size_t piece = bytes_in(name.data + at, room);
        text_bytes(out, name.data + at, piece);
        at += piece;
        while (out->data[out->size - 1] == ' ') out->size--;
        text_add(out, "\n");
        start = out->size;
        text_pad(out, start, indent, 0);
        start = out->size;
    }
    text_add(out, name.data + at);
    text_free(&name);
    text_free(&holds);
    return start;
}

/* What a name of a column has, which begins in column `indent`. */
static size_t room_of(const report_table *table, const layout *l, size_t column, size_t indent,
                      size_t width) {
    size_t k;
    if (!width) return 0;
    for (k = column + 1; k < table->column_count; k++) {
        if (l->width[k]) return l->width[column];
    }
    return width > indent + NAME_LEAST ? width - indent : NAME_LEAST;
}

/* A line of column labels, if `row` is no row of the layout. */
static void add_line(text *out, const report *r, const report_table *table, const layout *l,
                     size_t row) {
    size_t k, shown = 0, indent = 0;
    int is_labels = row >= rows_of(l);
    for (k = 0; k < table->column_count; k++) {
        const report_column *column = &table->columns[k];
        size_t start;
        if (l->width[k] == 0) continue;
        if (shown++) text_add(out, "  ");
        start = out->size;
        if (is_labels) text_add(out, column->label);
        else if (column->type == REPORT_PATH)
            add_stack(out, table, cell_at(l, table, row, k), l->width[k], l->is_whole[row]);
        else if (column->type == REPORT_NAME)
            start = add_name(out, table, k, cell_at(l, table, row, k), indent,
                             room_of(table, l, k, indent, r->options.width));
        else add_number(out, column, cell_at(l, table, row, k));
        text_pad(out, start, l->width[k], !report_is_words(column));
        indent += l->width[k] + 2;
    }
    end_line(out);
}

/* What the rows from `first` on have together, in a column of which all rows
   are parts of one whole. */
static void add_share_of_rest(text *out, const report_table *table, size_t first) {
    size_t row, k;
    double sum = 0;
    for (k = 0; k < table->column_count; k++) {
        if (strcmp(table->columns[k].key, "self_share") == 0) break;
        if (strcmp(table->key, "stack_time") == 0 && table->columns[k].type == REPORT_SHARE) break;
    }
    if (k == table->column_count || table->rows_more) return;
    for (row = first; row < table->rows; row++) {
        double share = table->cells[row * table->column_count + k].real;
        if (share > 0) sum += share;
    }
    text_format(out, ", together %.2g %%", 100 * sum);
}

size_t text_rows(text *out, const report *r, const report_table *table, size_t most) {
    layout l;
    size_t i, more;
    choose_rows(&l, r, table);
    if (most && l.step == 1 && l.end > most) l.end = most;
    choose_widths(&l, table, r->options.width);
    find_looks(&l, table);
    if (rows_of(&l)) add_line(out, r, table, &l, rows_of(&l));
    for (i = 0; i < rows_of(&l); i++) add_line(out, r, table, &l, i);
    more = l.step == 1 ? table->rows + table->rows_more - l.end : 0;
    free_layout(&l);
    return more;
}

static void add_table(text *out, const report *r, const report_table *table) {
    layout l;
    size_t i;
    text_add(out, "\n");
    add_bold(out, r, table->title);
    text_add(out, "\n");
    if (table->remark) text_wrapped(out, r, table->remark);
    choose_rows(&l, r, table);
    choose_widths(&l, table, r->options.width);
    find_looks(&l, table);
    if (rows_of(&l)) add_line(out, r, table, &l, rows_of(&l));
    for (i = 0; i < rows_of(&l); i++) {
        add_line(out, r, table, &l, i);
        save_some(r->out, out);
    }
    if (l.step == 1 && l.end < table->rows + table->rows_more) {
        text_format(out, "(%lu more",
                    (unsigned long)(table->rows + table->rows_more - l.end));
        add_share_of_rest(out, table, l.end);
        text_add(out, "; --top 0 shows all)\n");
    }
    if (table->rows_left_out)
        text_format(out, "(%lu colder left out; --min 0 shows all)\n",
                    (unsigned long)table->rows_left_out);
    if (table->rows_unmatched)
        text_format(out, "(%lu do not match)\n", (unsigned long)table->rows_unmatched);
    free_layout(&l);
}

static void add_fact(text *out, const report *r, const report_fact *fact) {
    text line = {NULL, 0, 0};
    text_add(&line, fact->name);
    text_add(&line, ": ");
    text_add(&line, fact->value);
    text_bytes(&line, "", 1);
    text_wrapped(out, r, line.data);
    text_free(&line);
}

void text_losses(text *out, const report *r) {
    size_t i;
    for (i = 0; i < r->loss_count; i++) {
        char *words = report_loss_words(&r->losses[i]);
        text line = {NULL, 0, 0};
        text_add(&line, "MISSING: ");
        text_add(&line, words);
        text_bytes(&line, "", 1);
        text_wrapped(out, r, line.data);
        text_free(&line);
        free(words);
    }
}

/* Notes and what is wrong have a line each; the rest share some. */
static void add_facts(text *out, const report *r) {
    text line = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < r->fact_count; i++) {
        const report_fact *fact = &r->facts[i];
        if (fact->weight != REPORT_PLAIN) {
            add_fact(out, r, fact);
            continue;
        }
        if (line.size) text_add(&line, "; ");
        text_add(&line, fact->name);
        text_add(&line, " ");
        text_add(&line, fact->value);
    }
    text_bytes(&line, "", 1);
    if (line.size > 1) text_wrapped(out, r, line.data);
    text_free(&line);
}

static void write_text(const report *r, text *out) {
    size_t i, k;
    add_bold(out, r, r->title);
    text_add(out, "\n");
    text_losses(out, r);
    if (r->headline) text_wrapped(out, r, r->headline);
    add_facts(out, r);
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            if (!r->parts[i].tables[k]->is_for_programs) add_table(out, r, r->parts[i].tables[k]);
        }
    }
}

const report_writer writer_text = {
    "text",
    "tables for the terminal (the default)",
    REPORT_USES_TITLE | REPORT_USES_NOTES | REPORT_USES_CHANGES | REPORT_USES_ROWS |
        REPORT_USES_TOP | REPORT_USES_MIN | REPORT_USES_SORT | REPORT_USES_CAUSE |
        REPORT_USES_NAMES | REPORT_USES_SOURCES,
    0,
    write_text,
    NULL,
    NULL,
};
