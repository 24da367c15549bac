/* misses.c - reading, adding up and writing parts of kind 13. */
#include "report/kinds/misses.h"
#include "base/parts.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KIND = 13, VERSION = 1, SIZES_MOST = 16 };

#define OF_PART(name) PART_FIELD(missed_part, name)
#define OF_SIZE(name) PART_FIELD(missed_size, name)
#define OF_ROW(name) PART_FIELD(missed_sums, name)
static const part_field part_sums[] = {
    OF_PART(bursts), OF_PART(accesses), OF_PART(counted), OF_PART(rr), OF_PART(cut),
    OF_PART(lost), {0, 0}};
static const part_field size_sums[] = {
    OF_SIZE(misses), OF_SIZE(unknown), OF_SIZE(bursts), OF_SIZE(xx), OF_SIZE(xr), {0, 0}};
static const part_field row_sums[] = {
    OF_ROW(misses), OF_ROW(unknown), OF_ROW(bursts), OF_ROW(yy), OF_ROW(xy), {0, 0}};

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
        part_add(a, b, row_sums);
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
        part_get(size, size_sums, r);
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
        part_get(&row.at[i], row_sums, r);
        if (!r->reason && (row.at[i].misses > p->sizes[i].misses
                           || row.at[i].unknown > p->sizes[i].unknown
                           || row.at[i].bursts > p->sizes[i].bursts))
            r->reason = "a row with more misses than there are";
    }
    if (r->reason) {
        free_row(&row);
        return;
    }
    TOOL_ROOM(missed_row, p->rows, p->row_count, p->row_room);
    p->rows[p->row_count++] = row;
}

static void get_part(void *part, dump_reader *r) {
    missed_part *p = (missed_part *)part;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of misses by function";
    p->flags = dump_get32(r);
    p->program = dump_get_name(r);
    p->every = dump_get32(r);
    p->burst = dump_get32(r);
    part_get(p, part_sums, r);
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
    part_add(to, from, part_sums);
    for (i = 0; i < to->size_count; i++)
        part_add(&to->sizes[i], &from->sizes[i], size_sums);
    to->rows = (missed_row *)parts_join(to->rows, &to->row_count, &to->row_room, from->rows,
                                        &from->row_count, sizeof *to->rows);
    free_part(from);
}

static const part_rules rules = {sizeof(missed_part), get_part, fold_rows,
                                 by_key, add_part, free_part};

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
    part_put(p, part_sums, &w);
    dump_put(&w, p->size_count);
    for (i = 0; i < p->size_count; i++) {
        const missed_size *size = &p->sizes[i];
        dump_put(&w, size->bytes);
        dump_put_string(&w, size->label);
        part_put(size, size_sums, &w);
    }
    for (i = 0; i < p->row_count; i++) {
        const missed_row *row = &p->rows[i];
        dump_put(&w, row->what);
        dump_put_string(&w, row->name);
        if (row->what >= MISSED_PAIR) dump_put_string(&w, row->other);
        if (row->what == MISSED_SITE) dump_put_string(&w, row->place);
        for (k = 0; k < p->size_count; k++) part_put(&row->at[k], row_sums, &w);
    }
    dump_end(&w);
}

PARTS_STATE(missed_parts, missed_part, &rules, missed_write)
const part_kind kind_misses = {KIND,  "misses by function", sizeof(missed_parts), read, settle,
                               write, free_state, NULL};
