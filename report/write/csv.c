/* csv.c - all tables of a report as comma-separated values: for each table a
   line "# KEY: TITLE", a line with the keys of its columns and a line for each
   row. An empty line stands between two tables. The last one, "losses", has what the
   recording did not see. */
#include "report/model/report.h"
#include <string.h>

/* A number that is not there is an empty field. */
static void add_cell(text *out, const report_table *table, size_t column,
                     const report_cell *cell, text *words) {
    const report_column *of = &table->columns[column];
    if (of->type == REPORT_COUNT) text_number(out, cell->count);
    else if (report_is_words(of)) text_csv(out, report_words(table, column, cell, words));
    else if (cell->real >= 0 || cell->real < 0) text_real(out, cell->real);
}

static void add_table(text *out, const report *r, const report_table *table) {
    size_t row, column;
    text words = {NULL, 0, 0};
    text_format(out, "# %s: ", table->key);
    text_plain(out, table->title);
    text_add(out, "\n");
    for (column = 0; column < table->column_count; column++) {
        if (column) text_add(out, ",");
        text_csv(out, table->columns[column].key);
    }
    text_add(out, "\n");
    for (row = 0; row < table->rows; row++) {
        for (column = 0; column < table->column_count; column++) {
            if (column) text_add(out, ",");
            add_cell(out, table, column, &table->cells[row * table->column_count + column],
                     &words);
        }
        text_add(out, "\n");
        save_some(r->out, out);
    }
    text_free(&words);
}

/* Behind the tables, so that the first one is where it was. */
static void add_losses(text *out, const report *r, size_t tables) {
    size_t i;
    if (!r->loss_count) return;
    text_format(out, "%s# losses: what is missing\nwhat,count,share,cure\n", tables ? "\n" : "");
    for (i = 0; i < r->loss_count; i++) {
        const report_loss *loss = &r->losses[i];
        text_csv(out, loss->what);
        text_add(out, ",");
        text_number(out, loss->count);
        text_add(out, ",");
        if (loss->part >= 0) text_real(out, loss->part);
        text_add(out, ",");
        text_csv(out, loss->cure);
        text_add(out, "\n");
    }
}

static void write_csv(const report *r, text *out) {
    size_t i, k, tables = 0;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            if (tables++) text_add(out, "\n");
            add_table(out, r, r->parts[i].tables[k]);
        }
    }
    add_losses(out, r, tables);
}

/* What is lost is a table, too. */
static int has_tables(const report *r) {
    size_t i;
    if (r->loss_count) return 1;
    for (i = 0; i < r->part_count; i++) {
        if (r->parts[i].table_count) return 1;
    }
    return 0;
}

const report_writer writer_csv = {
    "csv",
    "all tables, comma-separated, for spreadsheets and scripts",
    REPORT_USES_CHANGES | REPORT_USES_ROWS | REPORT_USES_MIN | REPORT_USES_SORT |
        REPORT_USES_CAUSE | REPORT_USES_NAMES | REPORT_USES_SOURCES,
    0,
    write_csv,
    has_tables,
    NULL,
};
