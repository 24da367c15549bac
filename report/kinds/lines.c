/* lines.c - reading, adding up and writing parts of kind 18.

   Parts of one program are added up. If they ticked at different rates, the
   common tick is the greatest of which all periods are multiples: a tick each
   10 ms is worth ten that come each ms, all at once, so it counts 10, and its
   square 100. No order of files makes another sum. */
#include "report/kinds/lines.h"
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 18, VERSION = 1 };

static void free_row(timed_line *row) {
    free(row->function);
    free(row->file);
    free(row->inlined);
}

static void free_part(void *part) {
    timed_lines *p = (timed_lines *)part;
    size_t i;
    for (i = 0; i < p->count; i++) free_row(&p->rows[i]);
    free(p->rows);
    free(p->program);
}

/* ---- rows ---- */

static int compare_rows(const void *left, const void *right) {
    const timed_line *a = (const timed_line *)left, *b = (const timed_line *)right;
    int order = strcmp(a->function, b->function);
    if (order == 0) order = strcmp(a->file, b->file);
    if (order == 0) order = tool_order(a->line, b->line);
    return order ? order : strcmp(a->inlined, b->inlined);
}

void lines_fold(timed_lines *p) {
    size_t i, kept = 0;
    if (p->count) qsort(p->rows, p->count, sizeof *p->rows, compare_rows);
    for (i = 0; i < p->count; i++) {
        timed_line *last = kept ? &p->rows[kept - 1] : NULL;
        if (!last || compare_rows(last, &p->rows[i]) != 0) {
            p->rows[kept++] = p->rows[i];
            continue;
        }
        last->ticks = tool_sum(last->ticks, p->rows[i].ticks);
        last->squares = tool_sum(last->squares, p->rows[i].squares);
        free_row(&p->rows[i]);
    }
    p->count = kept;
}

static void fold(void *part, int are_same_bursts) {
    (void)are_same_bursts;
    lines_fold((timed_lines *)part);
}

/* ---- reading ---- */

static void get_row(timed_lines *p, dump_reader *r) {
    timed_line row;
    memset(&row, 0, sizeof row);
    row.function = dump_get_name(r);
    row.file = dump_get_name(r);
    row.line = dump_get32(r);
    row.inlined = dump_get_name(r);
    row.ticks = dump_get(r);
    row.squares = dump_get(r);
    if (!r->reason && (row.ticks == 0 || row.squares < row.ticks))
        r->reason = "a line without a tick, or squares below its ticks";
    if (!r->reason && row.line && (!*row.file || strchr(row.file, '\t')))
        r->reason = "a line of no file";
    if (r->reason) {
        free_row(&row);
        return;
    }
    TOOL_ROOM(timed_line, p->rows, p->count, p->room);
    p->rows[p->count++] = row;
}

static void get_part(void *part, dump_reader *r) {
    timed_lines *p = (timed_lines *)part;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of time by line";
    p->program = dump_get_name(r);
    p->tick_us = dump_get(r);
    p->lost = dump_get(r);
    p->lost_squares = dump_get(r);
    if (!r->reason && (p->tick_us == 0 || p->lost_squares < p->lost))
        r->reason = "ticks without a period, or squares below them";
    while (!r->reason && r->at < r->size) get_row(p, r);
}

/* ---- adding up ---- */

static int by_key(const void *left, const void *right) {
    return strcmp(((const timed_lines *)left)->program, ((const timed_lines *)right)->program);
}

/* unit divides the period. */
static void count_in(timed_lines *p, uint64_t unit) {
    uint64_t worth = p->tick_us / unit;
    size_t i;
    if (worth < 2) return;
    for (i = 0; i < p->count; i++) {
        p->rows[i].ticks = tool_product(p->rows[i].ticks, worth);
        p->rows[i].squares = tool_product(tool_product(p->rows[i].squares, worth), worth);
    }
    p->lost = tool_product(p->lost, worth);
    p->lost_squares = tool_product(tool_product(p->lost_squares, worth), worth);
    p->tick_us = unit;
}

static void add_part(void *into, void *part) {
    timed_lines *to = (timed_lines *)into, *from = (timed_lines *)part;
    uint64_t unit = tool_divisor(to->tick_us, from->tick_us);
    count_in(to, unit);
    count_in(from, unit);
    to->lost = tool_sum(to->lost, from->lost);
    to->lost_squares = tool_sum(to->lost_squares, from->lost_squares);
    to->rows = (timed_line *)parts_join(to->rows, &to->count, &to->room, from->rows, &from->count,
                                        sizeof *to->rows);
    free_part(from);
}

static const part_rules rules = {sizeof(timed_lines), get_part, fold, by_key, add_part, free_part};

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    timed_lines_parts *s = (timed_lines_parts *)state;
    void *list = s->parts;
    int status = parts_read(&rules, &list, &s->count, d, part, fault);
    s->parts = (timed_lines *)list;
    return status;
}

static void settle(void *state) {
    timed_lines_parts *s = (timed_lines_parts *)state;
    size_t i, k;
    for (i = 0; i < s->count; i++) {
        /* An address of which `bursty record` could make no line. */
        for (k = 0; k < s->parts[i].count; k++) {
            char *tab = strchr(s->parts[i].rows[k].file, '\t');
            if (tab) *s->parts[i].rows[k].file = 0;
        }
    }
    s->count = parts_settle(&rules, s->parts, s->count);
}

/* ---- writing ---- */

void lines_part_write(const timed_lines *p, text *out) {
    dump_writer w;
    size_t i;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put_string(&w, p->program);
    dump_put(&w, p->tick_us);
    dump_put(&w, p->lost);
    dump_put(&w, p->lost_squares);
    for (i = 0; i < p->count; i++) {
        const timed_line *row = &p->rows[i];
        dump_put_string(&w, row->function);
        dump_put_string(&w, row->file);
        dump_put(&w, row->line);
        dump_put_string(&w, row->inlined);
        dump_put(&w, row->ticks);
        dump_put(&w, row->squares);
    }
    dump_end(&w);
}

static void write(void *state, text *out) {
    const timed_lines_parts *s = (const timed_lines_parts *)state;
    size_t i;
    for (i = 0; i < s->count; i++) lines_part_write(&s->parts[i], out);
}

static void free_state(void *state) {
    timed_lines_parts *s = (timed_lines_parts *)state;
    parts_free(&rules, s->parts, s->count);
    memset(s, 0, sizeof *s);
}

const part_kind kind_lines = {KIND,  "time by line", sizeof(timed_lines_parts), read, settle,
                              write, free_state, NULL};
