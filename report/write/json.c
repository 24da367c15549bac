/* json.c - the report as JSON (docs/formats.md); also what the HTML page
   carries and draws. */
#include "base/json.h"
#include "report/model/report.h"
#include "report/model/tree_json.h"
#include "report/write/texts.h"

static void add_cell(text *out, const report_table *table, size_t column,
                     const report_cell *cell, text *words) {
    const report_column *of = &table->columns[column];
    if (of->type == REPORT_COUNT) json_count(out, cell->count);
    else if (report_is_words(of)) text_json(out, report_words(table, column, cell, words));
    else json_real(out, cell->real);
}

/* A list for each column, under its key. */
static void add_table(text *out, const report_table *table) {
    size_t i, k, n = 0;
    text words = {NULL, 0, 0};
    text_add(out, "{");
    json_field_string(out, &n, "key", table->key);
    json_field_string(out, &n, "title", table->title);
    json_field_string(out, &n, "remark", table->remark ? table->remark : "");
    json_field(out, &n, "left_out", table->rows_left_out);
    for (k = 0; k < table->column_count; k++) {
        text_add(out, ",\n");
        n = 0;
        json_name(out, &n, table->columns[k].key);
        text_add(out, "[");
        for (i = 0; i < table->rows; i++) {
            if (i) text_add(out, ",");
            add_cell(out, table, k, &table->cells[i * table->column_count + k], &words);
        }
        text_add(out, "]");
    }
    text_add(out, "}");
    text_free(&words);
}

/* What changed in each node, a list for each column. */
static void add_changes(text *out, const report_tree *tree) {
    static const char *const keys[] = {"base", "new", "change_low", "change_high", "way"};
    size_t i, k;
    text_add(out, "\"parent\":");
    json_list32(out, tree->parent, tree->count);
    text_add(out, ",\n\"name\":");
    json_list32(out, tree->name, tree->count);
    for (k = 0; k < sizeof keys / sizeof *keys; k++) {
        text_format(out, ",\n\"%s\":[", keys[k]);
        for (i = 0; i < tree->count; i++) {
            const report_change *c = &tree->changes[i];
            if (i) text_add(out, ",");
            if (k == 4) text_format(out, "%d", c->way);
            else json_real(out, k == 0 ? c->base : k == 1 ? c->now : k == 2 ? c->low : c->high);
        }
        text_add(out, "]");
    }
}

static void add_tree(const report *r, text *out, const report_tree *tree) {
    size_t n = 0;
    text_add(out, "{");
    json_field_string(out, &n, "unit", tree->unit);
    if (tree->effective > 0) text_format(out, ",\"effective\":%.6g", tree->effective);
    text_add(out, ",\n\"names\":");
    json_list_strings(out, tree->names, tree->name_count);
    text_add(out, ",\n");
    report_tree_places(tree, out);
    if (tree->changes) add_changes(out, tree);
    else report_tree_json(r, tree, NULL, NULL, out);
    text_add(out, "}");
}

/* Writes the tables of a section that has no JSON of its own. */
static void add_part(const report *r, text *out, const report_part *part) {
    size_t i;
    text_add(out, "{\"tables\":[");
    for (i = 0; i < part->table_count; i++) {
        json_comma(out, i);
        add_table(out, part->tables[i]);
    }
    text_add(out, "],\n\"trees\":[");
    for (i = 0; i < part->tree_count; i++) {
        json_comma(out, i);
        add_tree(r, out, part->trees[i]);
    }
    text_add(out, "]}");
}

static void add_losses(text *out, const report *r) {
    size_t i;
    text_add(out, ",\n\"losses\":[");
    for (i = 0; i < r->loss_count; i++) {
        const report_loss *loss = &r->losses[i];
        size_t n = 0;
        json_comma(out, i);
        text_add(out, "{");
        json_field_string(out, &n, "what", loss->what);
        json_field(out, &n, "count", loss->count);
        json_field_real(out, &n, "part", loss->part);
        text_format(out, ",\"of_counts\":%s,\"of_time\":%s",
                    loss->of & REPORT_OF_COUNTS ? "true" : "false",
                    loss->of & REPORT_OF_TIME ? "true" : "false");
        json_field_string(out, &n, "cure", loss->cure);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void write_json(const report *r, text *out) {
    size_t i, notes = 0, n = 0;
    text_add(out, "{\"bursty\":2,\n\"title\":");
    text_json(out, r->title);
    if (r->headline) {
        text_add(out, ",\n\"headline\":");
        text_json(out, r->headline);
    }
    add_losses(out, r);
    text_add(out, ",\n\"notes\":[");
    for (i = 0; i < r->fact_count; i++) {
        size_t fields = 0;
        if (r->facts[i].weight != REPORT_NOTE) continue;
        json_comma(out, notes++);
        text_add(out, "{");
        json_field_string(out, &fields, "name", r->facts[i].name);
        json_field_string(out, &fields, "value", r->facts[i].value);
        text_add(out, "}");
    }
    text_add(out, "]");
    for (i = 0; i < r->part_count; i++) {
        const report_section *section = r->parts[i].section;
        text_add(out, ",\n");
        n = 0;
        json_name(out, &n, section->key);
        if (section->json) section->json(r->parts[i].columns, r, out);
        else add_part(r, out, &r->parts[i]);
    }
    texts_json(r, out);
    text_add(out, "}\n");
}

const report_writer writer_json = {
    "json",
    "everything, as docs/formats.md says",
    REPORT_USES_TITLE | REPORT_USES_NOTES | REPORT_USES_CHANGES | REPORT_USES_MIN |
        REPORT_USES_CAUSE | REPORT_USES_NAMES | REPORT_USES_SOURCES | REPORT_SHOWS_SOURCES,
    0,
    write_json,
    NULL,
    NULL,
};
