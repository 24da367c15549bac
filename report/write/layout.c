/* layout.c - orders of fields and of allocations, as lines of a file: what to
   declare first, and which sites want a pool. model/layout.c judges them. */
#include "report/model/report.h"
#include <math.h>
#include <string.h>

static const report_cell *cell_of(const report_table *table, size_t row, const char *key) {
    size_t i;
    for (i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].key, key) == 0)
            return &table->cells[row * table->column_count + i];
    }
    return NULL;
}

static void add_gain(text *out, const report_table *table, size_t row, const char *const *keys) {
    text_format(out, "%.1f %% fewer lines", 100 * cell_of(table, row, keys[0])->real);
    text_format(out, " (%.1f to %.1f %%)", 100 * cell_of(table, row, keys[1])->real,
                100 * cell_of(table, row, keys[2])->real);
}

static void add_name(text *out, const report_table *table, size_t row) {
    text_plain(out, cell_of(table, row, "object")->name);
}

/* offset becomes: a line for each word. */
static void write_fields(const report_table *table, text *out) {
    static const char *const keys[] = {"less", "less_low", "less_high"};
    size_t i;
    if (!table->rows) return;
    text_add(out, "# fields of ");
    add_name(out, table, 0);
    text_format(out, ", %llu bytes: ", (unsigned long long)cell_of(table, 0, "bytes")->count);
    add_gain(out, table, 0, keys);
    text_add(out, "\n");
    for (i = 0; i < table->rows; i++) {
        text_format(out, "%llu %llu\n", (unsigned long long)cell_of(table, i, "offset")->count,
                    (unsigned long long)cell_of(table, i, "becomes")->count);
    }
}

/* A site a line, those first that save the most lines. */
static void write_blocks(const report_table *table, text *out) {
    static const char *const keys[] = {"less", "less_low", "less_high"};
    size_t i;
    for (i = 0; i < table->rows; i++) {
        double low = cell_of(table, i, keys[1])->real, lines = cell_of(table, i, "lines")->real;
        if (!(low > 0) || !(cell_of(table, i, keys[0])->real >= .005)) continue;
        text_format(out, "# a pool for these blocks, now in %.1f %% of all lines: at most ",
                    100 * lines);
        add_gain(out, table, i, keys);
        text_add(out, "\n");
        add_name(out, table, i);
        text_add(out, "\n");
    }
}

static void write_layout(const report *r, text *out) {
    size_t i, k;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            const report_table *table = r->parts[i].tables[k];
            if (strcmp(table->key, "layout_fields") == 0) write_fields(table, out);
            if (strcmp(table->key, "layout_sites") == 0) write_blocks(table, out);
        }
    }
}

static int has_layout(const report *r) {
    text out = {NULL, 0, 0};
    int found;
    write_layout(r, &out);
    found = out.size != 0;
    text_free(&out);
    return found;
}

const report_writer writer_layout = {
    "layout",
    "orders of fields, and sites whose blocks want a pool, with what they gain",
    REPORT_USES_MIN | REPORT_USES_NAMES,
    0,
    write_layout,
    has_layout,
    NULL,
};
