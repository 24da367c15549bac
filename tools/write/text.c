/* text.c - the report on a terminal: facts, then tables. Numbers have no blanks in them, and each
   is one word, so that awk and sort can read them; names come last in a line.

   A line is as wide as options.width. Columns of numbers are as wide as their widest number; names
   share what is left. If that is too little, optional columns go, the last first. */
#include "base/tool.h"
#include "write/distinct.h"
#include "write/writers.h"
#include <stdlib.h>
#include <string.h>

enum { NAME_LEAST = 24, NAME_MOST = 200, PROSE_WIDTH = 100 };

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
    else if (column->type == REPORT_SHARE) text_format(out, "%.2f%%", 100 * cell->real);
    else if (column->flags & REPORT_WHOLE) text_format(out, "%.0f", cell->real);
    else text_format(out, cell->real < 1e6 ? "%.1f" : "%.4g", cell->real);
}

/* ---- widths ------------------------------------------------------------------------------- */

typedef struct layout {
    size_t *width;                                /* of each column; 0: not shown */
    size_t first, step, end;                      /* which rows */
    char ***words;                                /* of each column, row by row; NULL: not kept */
} layout;

/* In a table of more rows names are made when they are written, each for itself. */
enum { DISTINCT_MOST = 5000 };

static void choose_rows(layout *l, const report_table *table) {
    size_t most = table->rows_shown ? table->rows_shown : table->rows;
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

static size_t widest(const layout *l, const report_table *table, size_t column) {
    const report_column *c = &table->columns[column];
    size_t width = columns_in(c->label), i;
    for (i = l->first; i < l->end; i += l->step) {
        const report_cell *cell = &table->cells[i * table->column_count + column];
        text number = {NULL, 0, 0};
        size_t columns;
        if (l->words[column]) {
            columns = least(columns_in(l->words[column][(i - l->first) / l->step]), NAME_MOST);
        } else if (report_is_words(c)) {
            columns = least(columns_in(report_words(table, column, cell, &number)), NAME_MOST);
            text_free(&number);
        } else {
            add_number(&number, c, cell);
            columns = number.size;
            text_free(&number);
        }
        if (columns > width) width = columns;
    }
    return width;
}

/* Names get what they want where there is room, else equal parts of what numbers leave. */
static void choose_widths(layout *l, const report_table *table, size_t width) {
    size_t k, optional, count = table->column_count;
    l->width = (size_t *)tool_alloc(count * sizeof *l->width);
    for (k = 0; k < count; k++) {
        if (report_is_shown(table, k)) l->width[k] = widest(l, table, k);
    }
    if (width == 0) return;
    for (;;) {
        size_t used = 0, wanted = 0, names = 0, left, share;
        optional = count;
        for (k = 0; k < count; k++) {
            if (l->width[k] == 0) continue;
            if (table->columns[k].flags & REPORT_OPTIONAL) optional = k;
            used += 2;
            if (report_is_words(&table->columns[k])) {
                names++;
                wanted += l->width[k];
            } else used += l->width[k];
        }
        left = width > used ? width - used : 0;
        if (names == 0 || wanted <= left) return;
        if (left < names * NAME_LEAST && optional < count) {
            l->width[optional] = 0;
            continue;
        }
        share = left / names > 8 ? left / names : 8;
        for (k = 0; k < count; k++) { /* what short names leave goes to the longer ones */
            if (!l->width[k] || !report_is_words(&table->columns[k]) || l->width[k] > share)
                continue;
            left -= l->width[k];
            names--;
        }
        share = names && left / names > 8 ? left / names : 8;
        for (k = 0; k < count; k++) {
            if (report_is_words(&table->columns[k]) && l->width[k] > share) l->width[k] = share;
        }
        return;
    }
}

static void make_words(layout *l, const report_table *table) {
    size_t i, k, count = rows_of(l);
    l->words = (char ***)tool_alloc(table->column_count * sizeof *l->words);
    for (k = 0; k < table->column_count; k++) {
        text holds = {NULL, 0, 0};
        l->words[k] = NULL;
        if (!report_is_words(&table->columns[k]) || count > DISTINCT_MOST) continue;
        l->words[k] = (char **)tool_alloc(count * sizeof **l->words);
        for (i = 0; i < count; i++) {
            size_t row = l->first + i * l->step;
            const report_cell *cell = &table->cells[row * table->column_count + k];
            text plain = {NULL, 0, 0};
            text_plain(&plain, report_words(table, k, cell, &holds));
            l->words[k][i] = text_take(&plain);
        }
        text_free(&holds);
    }
}

/* Words as wide as their columns. Those that differ still do. */
static void fit_words(layout *l, const report_table *table) {
    size_t i, k, count = rows_of(l);
    for (k = 0; k < table->column_count; k++) {
        char **whole;
        if (!l->words[k] || l->width[k] == 0) continue;
        whole = (char **)tool_alloc(count * sizeof *whole);
        memcpy(whole, l->words[k], count * sizeof *whole);
        distinct_names(l->words[k], count, l->width[k] < 8 ? 8 : l->width[k]);
        for (i = 0; i < count; i++) free(whole[i]);
        free(whole);
    }
}

static void free_layout(layout *l, const report_table *table) {
    size_t i, k, count = rows_of(l);
    for (k = 0; k < table->column_count; k++) {
        for (i = 0; l->words[k] && i < count; i++) free(l->words[k][i]);
        free(l->words[k]);
    }
    free(l->words);
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
static void add_wrapped(text *out, const report *r, const char *words) {
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

static void add_words(text *out, const report_table *table, size_t column, const report_cell *cell,
                      size_t width) {
    text holds = {NULL, 0, 0};
    text_plain_short(out, report_words(table, column, cell, &holds), width < 8 ? 8 : width);
    text_free(&holds);
}

/* A line of column labels, if `row` is no row of the layout. */
static void add_line(text *out, const report_table *table, const layout *l, size_t row) {
    size_t k, shown = 0, at = (l->first + row * l->step) * table->column_count;
    int is_labels = row >= rows_of(l);
    for (k = 0; k < table->column_count; k++) {
        const report_column *column = &table->columns[k];
        int has_words = report_is_words(column);
        size_t start;
        if (l->width[k] == 0) continue;
        if (shown++) text_add(out, "  ");
        start = out->size;
        if (is_labels) text_add(out, column->label);
        else if (l->words[k]) text_add(out, l->words[k][row]);
        else if (has_words) add_words(out, table, k, &table->cells[at + k], l->width[k]);
        else add_number(out, column, &table->cells[at + k]);
        text_pad(out, start, l->width[k], !has_words);
    }
    end_line(out);
}

size_t text_rows(text *out, const report *r, const report_table *table, size_t most) {
    layout l;
    size_t i;
    choose_rows(&l, table);
    if (most && l.step == 1 && l.end > most) l.end = most;
    make_words(&l, table);
    choose_widths(&l, table, r->options.width);
    fit_words(&l, table);
    add_line(out, table, &l, rows_of(&l));
    for (i = 0; i < rows_of(&l); i++) {
        add_line(out, table, &l, i);
        save_some(r->out, out);
    }
    free_layout(&l, table);
    return l.step == 1 ? table->rows + table->rows_more - l.end : 0;
}

static void add_table(text *out, const report *r, const report_table *table) {
    size_t more;
    text_add(out, "\n");
    add_bold(out, r, table->title);
    text_add(out, "\n");
    if (table->remark) add_wrapped(out, r, table->remark);
    more = text_rows(out, r, table, 0);
    if (more) text_format(out, "(%lu more; --csv shows all)\n", (unsigned long)more);
    if (table->rows_left_out)
        text_format(out, "(%lu colder left out; --min 0 shows all)\n",
                    (unsigned long)table->rows_left_out);
}

static void add_fact(text *out, const report *r, const report_fact *fact) {
    text line = {NULL, 0, 0};
    text_add(&line, fact->name);
    text_add(&line, ": ");
    text_add(&line, fact->value);
    text_bytes(&line, "", 1);
    add_wrapped(out, r, line.data);
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
        add_wrapped(out, r, line.data);
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
    if (line.size > 1) add_wrapped(out, r, line.data);
    text_free(&line);
}

static void write_text(const report *r, text *out) {
    size_t i, k;
    add_bold(out, r, r->title);
    text_add(out, "\n");
    text_losses(out, r);
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
    REPORT_USES_TITLE | REPORT_USES_NOTES | REPORT_USES_MIN | REPORT_USES_SORT |
        REPORT_USES_CAUSE | REPORT_USES_NAMES,
    0,
    write_text,
    NULL,
};
