/* texts.c - the source text of functions that a report names, where the file is
   found: the page shows what the hottest functions do without coverage, too.

   A function's text ends with the first line behind its head that begins with a
   closing brace, or after MOST_LINES. Only the first rows of each table have a
   text, none is longer than TEXT_BYTES, and all together have ALL_BYTES, so that
   a page stays small however many functions it has, and however long a line
   is. */
#include "report/write/texts.h"
#include "base/json.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 100, MOST_LINES = 400, LINES_BEFORE = 2 };
enum { TEXT_BYTES = 1 << 16, ALL_BYTES = 1 << 22 };

typedef struct place {
    const char *file;
    uint32_t line;
} place;

typedef struct file_text {
    text bytes;
    size_t *starts; /* of each line, and behind the last one */
    size_t count;
} file_text;

static int by_place(const void *left, const void *right) {
    const place *a = (const place *)left, *b = (const place *)right;
    int order = strcmp(a->file, b->file);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static size_t column_of(const report_table *table, const char *key, report_type type) {
    size_t k;
    for (k = 0; k < table->column_count; k++) {
        if (table->columns[k].type == type && strcmp(table->columns[k].key, key) == 0) break;
    }
    return k;
}

static void add_rows(const report_table *table, place **list, size_t *count) {
    size_t file = column_of(table, "file", REPORT_NAME);
    size_t line = column_of(table, "line", REPORT_COUNT), i;
    if (strcmp(table->key, "lines") == 0) return; /* of functions that other tables have */
    if (file == table->column_count || line == table->column_count) return;
    for (i = 0; i < table->rows && i < MOST_ROWS; i++) {
        const report_cell *row = &table->cells[i * table->column_count];
        if (!*row[file].name || !row[line].count || row[line].count > UINT32_MAX) continue;
        *list = (place *)tool_grow(*list, (*count + 1) * sizeof **list);
        (*list)[*count].file = row[file].name;
        (*list)[(*count)++].line = (uint32_t)row[line].count;
    }
}

static void read_file(file_text *f, const sources *door, const char *name) {
    FILE *file = sources_open(door, name);
    char block[4096];
    size_t got, i, lines = 1;
    memset(f, 0, sizeof *f);
    while (file && f->bytes.size < SOURCE_MOST && (got = fread(block, 1, sizeof block, file)) > 0)
        text_bytes(&f->bytes, block, got);
    if (file) fclose(file);
    for (i = 0; i < f->bytes.size; i++) lines += f->bytes.data[i] == '\n';
    f->starts = (size_t *)tool_alloc((lines + 1) * sizeof *f->starts);
    if (!f->bytes.size) return;
    f->starts[f->count++] = 0;
    for (i = 0; i < f->bytes.size; i++) {
        if (f->bytes.data[i] == '\n' && i + 1 < f->bytes.size) f->starts[f->count++] = i + 1;
    }
    f->starts[f->count] = f->bytes.size;
}

static void free_file(file_text *f) {
    text_free(&f->bytes);
    free(f->starts);
}

/* The last line of the function whose name stands in that line, from 1. */
static size_t end_of(const file_text *f, size_t line) {
    size_t end = line;
    while (end < f->count && end < line + MOST_LINES) {
        if (f->bytes.data[f->starts[end++]] == '}') break;
    }
    return end;
}

static size_t first_of(const place *at) {
    return at->line > LINES_BEFORE ? at->line - LINES_BEFORE : 1;
}

static size_t bytes_of(const file_text *f, const place *at) {
    return f->starts[end_of(f, at->line)] - f->starts[first_of(at) - 1];
}

static void add_text(text *out, const file_text *f, const place *at, size_t item) {
    size_t first = first_of(at), end = end_of(f, at->line), i, n = 0;
    json_comma(out, item);
    text_add(out, "{");
    json_field_string(out, &n, "file", at->file);
    json_field(out, &n, "line", first);
    text_add(out, ",\"lines\":[");
    for (i = first; i <= end; i++) {
        size_t from = f->starts[i - 1], to = f->starts[i];
        char *clean;
        while (to > from && (f->bytes.data[to - 1] == '\n' || f->bytes.data[to - 1] == '\r')) to--;
        clean = text_clean(f->bytes.data + from, to - from);
        if (i > first) text_add(out, ",");
        text_json(out, clean);
        free(clean);
    }
    text_add(out, "]}");
}

void texts_json(const report *r, text *out) {
    place *list = NULL;
    file_text file;
    size_t count = 0, items = 0, i, k, left = ALL_BYTES, bytes;
    if (!r->options.sources) return;
    for (i = 0; i < r->part_count; i++) {
        if (strcmp(r->parts[i].section->key, "edges") == 0) count = SIZE_MAX;
    }
    if (count) return;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) add_rows(r->parts[i].tables[k], &list, &count);
    }
    if (count) qsort(list, count, sizeof *list, by_place);
    for (i = 0; i < count; i++) {
        int is_new = !i || strcmp(list[i].file, list[i - 1].file) != 0;
        if (is_new) {
            if (i) free_file(&file);
            if (!sources_check(r->options.sources, list[i].file))
                read_file(&file, r->options.sources, list[i].file);
            else memset(&file, 0, sizeof file);
        }
        if (list[i].line > file.count || (!is_new && list[i].line == list[i - 1].line)) continue;
        bytes = bytes_of(&file, &list[i]);
        if (bytes <= TEXT_BYTES && bytes <= left) {
            left -= bytes;
            if (!items) text_add(out, ",\n\"texts\":[");
            add_text(out, &file, &list[i], items++);
        }
        save_some(r->out, out);
    }
    if (count) free_file(&file);
    if (items) text_add(out, "]");
    free(list);
}
