/* html.c - one page that needs nothing else: facts and tables as plain HTML,
   the report as JSON, and the scripts of the folder page, which draw from the
   JSON in the tables' place. Nothing is loaded, and the policy in its head lets
   nothing be. Without scripts the tables stay. */
#include "base/tool.h"
#include "report/model/report.h"
#include "report/write/distinct.h"
#include "report/write/writers.h"
#include <stdlib.h>
#include <string.h>

enum { PLAIN_ROWS = 50, NAME_CHARACTERS = 200 };

static void add_lines(text *out, const char *const *lines) {
    for (; *lines; lines++) {
        text_add(out, *lines);
        text_add(out, "\n");
    }
}

/* What is missing comes before all numbers. */
static void add_losses(text *out, const report *r) {
    size_t i;
    if (r->loss_count == 0) return;
    text_add(out, "<ul class=\"losses\">\n");
    for (i = 0; i < r->loss_count; i++) {
        char *words = report_loss_words(&r->losses[i]);
        text_add(out, "<li><b>Missing:</b> ");
        text_html(out, words);
        text_add(out, "</li>\n");
        free(words);
    }
    text_add(out, "</ul>\n");
}

static void add_facts(text *out, const report *r) {
    static const char *const classes[] = {"", " class=\"note\"", " class=\"bad\"", ""};
    size_t i;
    int notes;
    text_add(out, "<ul class=\"facts\">\n");
    for (notes = 0; notes < 2; notes++) { /* what the user adds comes last */
        for (i = 0; i < r->fact_count; i++) {
            if ((r->facts[i].weight == REPORT_NOTE) != notes) continue;
            text_format(out, "<li%s><span>", classes[r->facts[i].weight]);
            text_html(out, r->facts[i].name);
            text_add(out, "</span><b>");
            text_html(out, r->facts[i].value);
            text_add(out, "</b></li>\n");
        }
    }
    text_add(out, "</ul>\n");
}

static void add_name(text *out, const char *name) {
    text shorter = {NULL, 0, 0};
    text_short(&shorter, name, NAME_CHARACTERS);
    text_bytes(&shorter, "", 1);
    text_html(out, shorter.data);
    text_free(&shorter);
}

static void add_cell(text *out, const report_column *column, const report_cell *cell) {
    const int is_number = column->type == REPORT_COUNT || cell->real >= 0 || cell->real <= 0;
    text_format(out, "<td class=\"number%s\">", column->flags & REPORT_OPTIONAL ? " desk" : "");
    if (!is_number) text_html(out, column->none ? column->none : "");
    else if (column->type == REPORT_COUNT) text_count(out, cell->count);
    else if (column->type == REPORT_SHARE) text_format(out, "%.2f %%", 100 * cell->real);
    else if (column->flags & REPORT_WHOLE) text_count(out, (uint64_t)cell->real);
    else text_format(out, "%.6g", cell->real);
    text_add(out, "</td>");
}

/* The words of a column, to be freed one by one; NULL: they are numbers. Words
   that differ still differ when they are shortened. */
static char **words_of(const report_table *table, size_t column, size_t rows) {
    char **words, **whole;
    text holds = {NULL, 0, 0};
    size_t i;
    if (!report_is_words(&table->columns[column])) return NULL;
    words = (char **)tool_alloc(rows * sizeof *words);
    whole = (char **)tool_alloc(rows * sizeof *whole);
    for (i = 0; i < rows; i++) {
        const report_cell *cell = &table->cells[i * table->column_count + column];
        text word = {NULL, 0, 0};
        text_add(&word, report_words(table, column, cell, &holds));
        words[i] = whole[i] = text_take(&word);
    }
    distinct_names(words, rows, NAME_CHARACTERS);
    for (i = 0; i < rows; i++) free(whole[i]);
    free(whole);
    text_free(&holds);
    return words;
}

/* The name of a row stands first, where a phone shows it: the function, or the first
   words there are. */
static size_t name_of(const report_table *table) {
    size_t k, first = table->column_count;
    for (k = table->column_count; k-- > 0;) {
        if (!report_is_shown(table, k) || !report_is_words(&table->columns[k])) continue;
        if (first == table->column_count || strcmp(table->columns[first].key, "function") != 0)
            first = k;
    }
    return first;
}

/* The column that stands at that place. */
static size_t column_at(size_t place, size_t name, size_t count) {
    if (name == count) return place;
    return !place ? name : place <= name ? place - 1 : place;
}

static void add_rows(text *out, const report_table *table, size_t first, size_t step, size_t most) {
    size_t end = table->rows < most * step ? table->rows : most * step, i, k, place;
    size_t name = name_of(table);
    char ***words = (char ***)tool_alloc(table->column_count * sizeof *words);
    for (k = 0; k < table->column_count; k++) words[k] = words_of(table, k, end);
    for (i = first; i < end; i += step) {
        text_add(out, "<tr>");
        for (place = 0; place < table->column_count; place++) {
            k = column_at(place, name, table->column_count);
            if (!report_is_shown(table, k)) continue;
            if (!words[k]) {
                add_cell(out, &table->columns[k], &table->cells[i * table->column_count + k]);
                continue;
            }
            text_add(out, "<td><div class=\"name\">");
            text_html(out, words[k][i]);
            text_add(out, "</div></td>");
        }
        text_add(out, "</tr>\n");
    }
    for (k = 0; k < table->column_count; k++) {
        for (i = 0; words[k] && i < end; i++) free(words[k][i]);
        free(words[k]);
    }
    free(words);
}

static void add_table(text *out, const report_table *table) {
    size_t place, most = table->rows_shown ? table->rows_shown : PLAIN_ROWS, shown, step = 1;
    size_t name = name_of(table);
    if (table->shape != REPORT_ROWS) step = table->rows / most + 1;
    text_format(out, "<section class=\"card\" data-table=\"%s\"><header><h2>", table->key);
    add_name(out, table->title);
    text_add(out, "</h2>");
    if (table->remark) {
        text_add(out, "<p>");
        text_html(out, table->remark);
        text_add(out, "</p>");
    }
    text_add(out, "</header>");
    if (!table->rows) {
        text_add(out, "</section>\n");
        return;
    }
    text_add(out, "<table><thead><tr>");
    for (place = 0; place < table->column_count; place++) {
        size_t k = column_at(place, name, table->column_count);
        const report_column *column = &table->columns[k];
        if (!report_is_shown(table, k)) continue;
        text_format(out, "<th scope=\"col\"%s>",
                    report_is_words(column)           ? ""
                    : column->flags & REPORT_OPTIONAL ? " class=\"number desk\""
                                                      : " class=\"number\"");
        text_html(out, column->label);
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead><tbody>\n");
    add_rows(out, table, step - 1, step, most);
    shown = table->rows / step < most ? table->rows / step : most;
    text_add(out, "</tbody></table>");
    if (step == 1 && shown < table->rows + table->rows_more)
        text_format(out, "<p class=\"soft small\">and %lu more</p>",
                    (unsigned long)(table->rows + table->rows_more - shown));
    text_add(out, "</section>\n");
}

static void write_html(const report *r, text *out) {
    report packed = *r; /* for the script: large trees take little room */
    size_t i, k;
    packed.options.packs_trees = 1;
    text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    text_html(out, r->title);
    text_add(out, " - bursty</title>\n<style>\n");
    add_lines(out, page_style);
    text_add(out, "</style>\n</head>\n<body>\n<main>\n<h1>");
    text_html(out, r->title);
    text_add(out, "</h1>\n");
    add_losses(out, r);
    text_add(out, "<p class=\"lead\" id=\"lead\"></p>\n");
    add_facts(out, r);
    for (i = 0; i < r->part_count; i++) {
        text_format(out, "<div id=\"%s\">\n", r->parts[i].section->key);
        for (k = 0; k < r->parts[i].table_count; k++) {
            if (!r->parts[i].tables[k]->is_for_programs) add_table(out, r->parts[i].tables[k]);
        }
        text_add(out, "</div>\n");
    }
    if (r->made_of) {
        text_add(out, "<footer>");
        text_html(out, r->made_of);
        text_add(out, "</footer>\n");
    }
    text_add(out, "</main>\n<div id=\"tip\" role=\"status\"></div>\n<script "
                  "type=\"application/json\" id=\"data\">\n");
    writer_json.write(&packed, out);
    text_add(out, "</script>\n<script>\n");
    add_lines(out, page_scripts);
    text_add(out, "</script>\n</body>\n</html>\n");
}

const report_writer writer_html = {
    "html",
    "one self-contained page: tables, pictures, flame graph, curves",
    REPORT_USES_TITLE | REPORT_USES_NOTES | REPORT_USES_CHANGES | REPORT_USES_MIN |
        REPORT_USES_SORT | REPORT_USES_CAUSE | REPORT_USES_NAMES | REPORT_USES_SOURCES |
        REPORT_SHOWS_SOURCES,
    1,
    write_html,
    NULL,
    NULL,
};
