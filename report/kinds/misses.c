/* misses.c - reading, adding up and writing parts of kind 13. */
#include "report/kinds/misses.h"
#include "base/parts.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KIND = 13, VERSION = 1, SIZES_MOST = 16 };

static void free_row(missed_row *row) {
    free(row->name);
    free(row->other);
    free(row->place);
    free(row->at);
}

static void free_part(void *part) {
    missed_part *p = (missed_part *)part;
    size_t i;
    for (i = 0; i < p->row_count; i++) free_row(&p->rows[i]);
    for (i = 0; i < p->size_count; i++) free(p->sizes[i].label);
    free(p->rows);
    free(p->sizes);
    free(p->program);
}

/* ---- rows of one name ---- */

/* Rows that are one have one name. A place is not part of it, but orders them. */
static int by_name(const void *left, const void *right) {
    const missed_row *a = (const missed_row *)left, *b = (const missed_row *)right;
    int order = tool_order(a->what, b->what);
    if (order == 0) order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->other, b->other);
}

/* Sums over other bursts are added. Of the same bursts nobody knows how often
   both rows missed in one: the sum of squares is at most that of rows in step. */
static void join_rows(missed_row *to, const missed_row *from, const missed_part *p,
                      int are_same_bursts) {
    size_t k;
    for (k = 0; k < p->size_count; k++) {
        missed_sums *a = &to->at[k];
        const missed_sums *b = &from->at[k];
        double both = 2 * sqrt((double)a->yy) * sqrt((double)b->yy);
        a->misses = tool_sum(a->misses, b->misses);
        a->unknown = tool_sum(a->unknown, b->unknown);
        a->bursts = tool_sum(a->bursts, b->bursts);
        a->yy = tool_sum(a->yy, b->yy);
        a->xy = tool_sum(a->xy, b->xy);
        if (!are_same_bursts) continue;
        a->yy = tool_sum(a->yy, both < 1.8e19 ? (uint64_t)both : UINT64_MAX);
        if (a->bursts > p->sizes[k].bursts) a->bursts = p->sizes[k].bursts;
        if (a->misses > p->sizes[k].misses) a->misses = p->sizes[k].misses;
        if (a->unknown > p->sizes[k].unknown) a->unknown = p->sizes[k].unknown;
    }
}

static int by_name_and_place(const void *left, const void *right) {
    int order = by_name(left, right);
    if (order) return order;
    return strcmp(((const missed_row *)left)->place, ((const missed_row *)right)->place);
}

/* Equal rows become one: functions and objects of one name. The last place
   stays, which is not empty if one of them is not. */
static void fold_rows(void *part, int are_same_bursts) {
    missed_part *p = (missed_part *)part;
    size_t i, kept = 0;
    if (p->row_count) qsort(p->rows, p->row_count, sizeof *p->rows, by_name_and_place);
    for (i = 0; i < p->row_count; i++) {
        if (kept == 0 || by_name(&p->rows[kept - 1], &p->rows[i]) != 0) {
            p->rows[kept++] = p->rows[i];
            continue;
        }
        join_rows(&p->rows[kept - 1], &p->rows[i], p, are_same_bursts);
        {
            char *place = p->rows[kept - 1].place;
            p->rows[kept - 1].place = p->rows[i].place;
            p->rows[i].place = place;
        }
        free_row(&p->rows[i]);
    }
    p->row_count = kept;
}

/* ---- reading ---- */

static void get_sizes(missed_part *p, dump_reader *r) {
    uint64_t count = dump_get(r), before = 0;
    size_t i;
    if (!r->reason && (count == 0 || count > SIZES_MOST))
        r->reason = "caches of too many sizes, or of none";
    if (r->reason) return;
    p->sizes = (missed_size *)tool_alloc((size_t)count * sizeof *p->sizes);
    memset(p->sizes, 0, (size_t)count * sizeof *p->sizes);
    for (i = 0; i < count; i++) {
        missed_size *size = &p->sizes[p->size_count++];
        size->bytes = dump_get(r);
        size->label = dump_get_name(r);
        size->misses = dump_get(r);
        size->unknown = dump_get(r);
        size->bursts = dump_get(r);
        size->xx = dump_get(r);
        size->xr = dump_get(r);
        if (!r->reason && size->bytes <= before) r->reason = "sizes of caches that do not ascend";
        if (!r->reason && (size->misses > p->counted || size->bursts > p->bursts))
            r->reason = "more misses than accesses or bursts";
        before = size->bytes;
    }
}

static void get_row(missed_part *p, dump_reader *r) {
    missed_row row;
    size_t i;
    memset(&row, 0, sizeof row);
    row.what = dump_get32(r);
    if (!r->reason && (row.what < MISSED_FUNCTION || row.what > MISSED_SITE))
        r->reason = "a row of misses of an unknown kind";
    row.name = dump_get_name(r);
    row.other = row.what >= MISSED_PAIR ? dump_get_name(r) : text_name("", 0);
    row.place = row.what == MISSED_SITE ? dump_get_name(r) : text_name("", 0);
    row.at = (missed_sums *)tool_alloc(p->size_count * sizeof *row.at);
    for (i = 0; i < p->size_count; i++) {
        row.at[i].misses = dump_get(r);
        row.at[i].unknown = dump_get(r);
        row.at[i].bursts = dump_get(r);
        row.at[i].yy = dump_get(r);
        row.at[i].xy = dump_get(r);
        if (!r->reason && (row.at[i].misses > p->sizes[i].misses
                           || row.at[i].unknown > p->sizes[i].unknown
                           || row.at[i].bursts > p->sizes[i].bursts))
            r->reason = "a row with more misses than there are";
    }
    if (r->reason) {
        free_row(&row);
        return;
    }
    if (p->row_count == p->row_room) {
        p->row_room = 2 * p->row_room + 16;
        p->rows = (missed_row *)tool_grow(p->rows, p->row_room * sizeof *p->rows);
    }
    p->rows[p->row_count++] = row;
}

static void get_part(void *part, dump_reader *r) {
    missed_part *p = (missed_part *)part;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of misses by function";
    p->flags = dump_get32(r);
    p->program = dump_get_name(r);
    p->every = dump_get32(r);
    p->burst = dump_get32(r);
    p->bursts = dump_get(r);
    p->accesses = dump_get(r);
    p->counted = dump_get(r);
    p->rr = dump_get(r);
    p->cut = dump_get(r);
    p->lost = dump_get(r);
    if (!r->reason && p->counted > p->accesses) r->reason = "more accesses were judged than made";
    if (!r->reason) get_sizes(p, r);
    while (!r->reason && r->at < r->size) get_row(p, r);
}

/* ---- adding up ---- */

/* 0 for parts that are added up. */
static int by_key(const void *left, const void *right) {
    const missed_part *a = (const missed_part *)left, *b = (const missed_part *)right;
    int order = strcmp(a->program, b->program);
    size_t i;
    if (order == 0) order = tool_order(a->flags, b->flags);
    if (order == 0) order = tool_order(a->every, b->every);
    if (order == 0) order = tool_order(a->burst, b->burst);
    if (order == 0) order = tool_order(a->size_count, b->size_count);
    for (i = 0; order == 0 && i < a->size_count; i++) {
        order = tool_order(a->sizes[i].bytes, b->sizes[i].bytes);
        if (order == 0) order = strcmp(a->sizes[i].label, b->sizes[i].label);
    }
    return order;
}

static void add_part(void *into, void *part) {
    missed_part *to = (missed_part *)into, *from = (missed_part *)part;
    size_t i;
    to->bursts = tool_sum(to->bursts, from->bursts);
    to->accesses = tool_sum(to->accesses, from->accesses);
    to->counted = tool_sum(to->counted, from->counted);
    to->rr = tool_sum(to->rr, from->rr);
    to->cut = tool_sum(to->cut, from->cut);
    to->lost = tool_sum(to->lost, from->lost);
    for (i = 0; i < to->size_count; i++) {
        missed_size *a = &to->sizes[i];
        const missed_size *b = &from->sizes[i];
        a->misses = tool_sum(a->misses, b->misses);
        a->unknown = tool_sum(a->unknown, b->unknown);
        a->bursts = tool_sum(a->bursts, b->bursts);
        a->xx = tool_sum(a->xx, b->xx);
        a->xr = tool_sum(a->xr, b->xr);
    }
    to->rows = (missed_row *)parts_join(to->rows, &to->row_count, &to->row_room, from->rows,
                                        &from->row_count, sizeof *to->rows);
    free_part(from);
}

static const part_rules rules = {sizeof(missed_part), get_part, fold_rows,
                                 by_key, add_part, free_part};

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    missed_parts *s = (missed_parts *)state;
    void *list = s->parts;
    int status = parts_read(&rules, &list, &s->count, d, part, fault);
    s->parts = (missed_part *)list;
    return status;
}

static void settle(void *state) {
    missed_parts *s = (missed_parts *)state;
    s->count = parts_settle(&rules, s->parts, s->count);
}

/* ---- writing ---- */

void missed_write(const missed_part *p, text *out) {
    dump_writer w;
    size_t i, k;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put(&w, p->flags);
    dump_put_string(&w, p->program);
    dump_put(&w, p->every);
    dump_put(&w, p->burst);
    dump_put(&w, p->bursts);
    dump_put(&w, p->accesses);
    dump_put(&w, p->counted);
    dump_put(&w, p->rr);
    dump_put(&w, p->cut);
    dump_put(&w, p->lost);
    dump_put(&w, p->size_count);
    for (i = 0; i < p->size_count; i++) {
        const missed_size *size = &p->sizes[i];
        dump_put(&w, size->bytes);
        dump_put_string(&w, size->label);
        dump_put(&w, size->misses);
        dump_put(&w, size->unknown);
        dump_put(&w, size->bursts);
        dump_put(&w, size->xx);
        dump_put(&w, size->xr);
    }
    for (i = 0; i < p->row_count; i++) {
        const missed_row *row = &p->rows[i];
        dump_put(&w, row->what);
        dump_put_string(&w, row->name);
        if (row->what >= MISSED_PAIR) dump_put_string(&w, row->other);
        if (row->what == MISSED_SITE) dump_put_string(&w, row->place);
        for (k = 0; k < p->size_count; k++) {
            dump_put(&w, row->at[k].misses);
            dump_put(&w, row->at[k].unknown);
            dump_put(&w, row->at[k].bursts);
            dump_put(&w, row->at[k].yy);
            dump_put(&w, row->at[k].xy);
        }
    }
    dump_end(&w);
}

static void write(void *state, text *out) {
    const missed_parts *s = (const missed_parts *)state;
    size_t i;
    for (i = 0; i < s->count; i++) missed_write(&s->parts[i], out);
}

static void free_state(void *state) {
    missed_parts *s = (missed_parts *)state;
    parts_free(&rules, s->parts, s->count);
    memset(s, 0, sizeof *s);
}

const part_kind kind_misses = {KIND,  "misses by function", sizeof(missed_parts), read, settle,
                               write, free_state};
