/* sharing.c - reading, adding up and writing parts of kind 14. */
#include "report/kinds/sharing.h"
#include "base/parts.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KIND = 14, VERSION = 1 };

#define OF_PART(name) PART_FIELD(shared_part, name)
#define OF_LINE(name) PART_FIELD(shared_line, name)
static const part_field part_sums[] = {
    OF_PART(bursts), OF_PART(accesses), OF_PART(rr), OF_PART(slow), OF_PART(cut),
    OF_PART(forgotten), OF_PART(lost), OF_PART(left), {0, 0}};
static const part_field line_sums[] = {
    OF_LINE(accesses), OF_LINE(contended), OF_LINE(falsely), OF_LINE(bursts),
    OF_LINE(together), OF_LINE(yy), OF_LINE(yr), {0, 0}};

static void free_side(shared_side *side) {
    free(side->function);
    free(side->object);
    free(side->place);
}

static void free_line(shared_line *line) {
    size_t i;
    for (i = 0; i < line->side_count; i++) free_side(&line->sides[i]);
    free(line->sides);
    free(line->objects);
}

static void free_part(void *part) {
    shared_part *p = (shared_part *)part;
    size_t i;
    for (i = 0; i < p->line_count; i++) free_line(&p->lines[i]);
    free(p->lines);
    free(p->program);
}

/* ---- lines with the same objects are one ---- */

static int compare_sides(const void *left, const void *right) {
    const shared_side *a = (const shared_side *)left, *b = (const shared_side *)right;
    int order = strcmp(a->object, b->object);
    if (order == 0) order = tool_order(a->offset, b->offset);
    if (order == 0) order = tool_order(a->bytes, b->bytes);
    if (order == 0) order = tool_order(a->thread, b->thread);
    if (order == 0) order = strcmp(a->function, b->function);
    return order ? order : strcmp(a->place, b->place);
}

static void fold_sides(shared_line *line) {
    size_t i, kept = 0;
    if (line->side_count) qsort(line->sides, line->side_count, sizeof *line->sides, compare_sides);
    for (i = 0; i < line->side_count; i++) {
        shared_side *to = kept ? &line->sides[kept - 1] : NULL, *from = &line->sides[i];
        if (!to || compare_sides(to, from) != 0) {
            line->sides[kept++] = *from;
            continue;
        }
        to->meets |= from->meets;
        to->loads = tool_sum(to->loads, from->loads);
        to->stores = tool_sum(to->stores, from->stores);
        free_side(from);
    }
    line->side_count = kept;
}

/* Sides are sorted by their objects. */
static void name_objects(shared_line *line) {
    text names = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < line->side_count; i++) {
        const char *object = line->sides[i].object;
        if (i && strcmp(line->sides[i - 1].object, object) == 0) continue;
        if (names.size) text_bytes(&names, "\t", 1);
        text_add(&names, object);
    }
    text_bytes(&names, "", 1);
    free(line->objects);
    line->objects = names.data;
}

static int by_objects(const void *left, const void *right) {
    return strcmp(((const shared_line *)left)->objects, ((const shared_line *)right)->objects);
}

/* Lines of the same bursts: nobody knows in which of them both were used. The
   sum of squares is at most that of lines in step. */
static void join_lines(shared_line *to, shared_line *from, int are_same_bursts) {
    double both = 2 * sqrt((double)to->yy) * sqrt((double)from->yy);
    size_t count = to->side_count + from->side_count;
    to->meets |= from->meets;
    to->lines = are_same_bursts ? tool_sum(to->lines, from->lines)
                : to->lines > from->lines ? to->lines : from->lines;
    if (from->threads > to->threads) to->threads = from->threads;
    part_add(to, from, line_sums);
    if (are_same_bursts) to->yy = tool_sum(to->yy, both < 1.8e19 ? (uint64_t)both : UINT64_MAX);
    if (are_same_bursts && to->yy > to->yr) to->yy = to->yr; /* a burst's y is at most its r */
    to->sides = (shared_side *)tool_grow(to->sides, (count + 1) * sizeof *to->sides);
    if (from->side_count)
        memcpy(to->sides + to->side_count, from->sides, from->side_count * sizeof *to->sides);
    to->side_count = count;
    from->side_count = 0;
    free_line(from);
}

/* Each row of equal lines is joined as a tree, so that many cost n log n. */
static void fold_lines(void *part, int are_same_bursts) {
    shared_part *p = (shared_part *)part;
    size_t i, end, step, k, kept = 0;
    if (p->line_count) qsort(p->lines, p->line_count, sizeof *p->lines, by_objects);
    for (i = 0; i < p->line_count; i = end) {
        for (end = i + 1; end < p->line_count && by_objects(&p->lines[i], &p->lines[end]) == 0;)
            end++;
        for (step = 1; step < end - i; step *= 2) {
            for (k = i; k + step < end; k += 2 * step)
                join_lines(&p->lines[k], &p->lines[k + step], are_same_bursts);
        }
        fold_sides(&p->lines[i]);
        p->lines[kept++] = p->lines[i];
    }
    p->line_count = kept;
}

/* ---- reading ---- */

static void get_side(shared_line *line, dump_reader *r) {
    shared_side *side;
    if ((line->side_count & (line->side_count - 1)) == 0) /* room for 1, 2, 4, ... */
        line->sides = (shared_side *)tool_grow(
            line->sides, (line->side_count ? 2 * line->side_count : 1) * sizeof *side);
    side = &line->sides[line->side_count++];
    memset(side, 0, sizeof *side);
    side->meets = dump_get32(r);
    side->thread = dump_get32(r);
    side->function = dump_get_name(r);
    side->object = dump_get_name(r);
    side->place = dump_get_name(r);
    side->offset = dump_get(r);
    side->bytes = dump_get(r);
    side->loads = dump_get(r);
    side->stores = dump_get(r);
    if (!r->reason && (side->meets == 0 || side->meets > (SHARED_FALSE | SHARED_TRUE)))
        r->reason = "a side of a line that meets nobody";
    if (!r->reason && (side->bytes == 0 || side->bytes > 64))
        r->reason = "more bytes than a line has, or none";
}

/* *left: accesses of the part that no line before this one had. Each access was
   to one line; so what equal lines have together is no more than there is,
   either, and a sum of such parts can be read again. */
static void get_line(shared_part *p, uint64_t *left, dump_reader *r) {
    shared_line line;
    uint64_t sides;
    memset(&line, 0, sizeof line);
    line.meets = dump_get32(r);
    line.lines = dump_get(r);
    line.threads = dump_get(r);
    part_get(&line, line_sums, r);
    sides = dump_get(r);
    if (!r->reason && (line.meets == 0 || line.meets > (SHARED_FALSE | SHARED_TRUE)))
        r->reason = "a line on which nobody meets";
    if (!r->reason && (line.accesses > *left || line.contended > line.accesses
                       || line.falsely > line.contended))
        r->reason = "lines with more accesses than there are";
    if (*left != UINT64_MAX) *left -= line.accesses; /* no more than that can be counted */
    if (!r->reason && line.together > line.bursts)
        r->reason = "more bursts together than there are";
    for (; !r->reason && sides; sides--) get_side(&line, r);
    if (r->reason) {
        free_line(&line);
        return;
    }
    fold_sides(&line);
    name_objects(&line);
    TOOL_ROOM(shared_line, p->lines, p->line_count, p->line_room);
    p->lines[p->line_count++] = line;
}

static void get_part(void *part, dump_reader *r) {
    shared_part *p = (shared_part *)part;
    uint64_t left;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of shared lines";
    p->flags = dump_get32(r);
    p->program = dump_get_name(r);
    p->every = dump_get32(r);
    p->burst = dump_get32(r);
    p->near_ms = dump_get(r);
    part_get(p, part_sums, r);
    left = p->accesses;
    while (!r->reason && r->at < r->size) get_line(p, &left, r);
}

/* ---- adding up ---- */

/* 0 for parts that are added up. */
static int by_key(const void *left, const void *right) {
    const shared_part *a = (const shared_part *)left, *b = (const shared_part *)right;
    int order = strcmp(a->program, b->program);
    if (order == 0) order = tool_order(a->flags, b->flags);
    if (order == 0) order = tool_order(a->every, b->every);
    if (order == 0) order = tool_order(a->burst, b->burst);
    return order ? order : tool_order(a->near_ms, b->near_ms);
}

static void add_part(void *into, void *part) {
    shared_part *to = (shared_part *)into, *from = (shared_part *)part;
    part_add(to, from, part_sums);
    to->lines = (shared_line *)parts_join(to->lines, &to->line_count, &to->line_room, from->lines,
                                          &from->line_count, sizeof *to->lines);
    free_part(from);
}

static const part_rules rules = {sizeof(shared_part), get_part, fold_lines,
                                 by_key, add_part, free_part};

/* ---- writing ---- */

static void put_side(dump_writer *w, const shared_side *side) {
    dump_put(w, side->meets);
    dump_put(w, side->thread);
    dump_put_string(w, side->function);
    dump_put_string(w, side->object);
    dump_put_string(w, side->place);
    dump_put(w, side->offset);
    dump_put(w, side->bytes);
    dump_put(w, side->loads);
    dump_put(w, side->stores);
}

void shared_write(const shared_part *p, text *out) {
    dump_writer w;
    size_t i, k;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put(&w, p->flags);
    dump_put_string(&w, p->program);
    dump_put(&w, p->every);
    dump_put(&w, p->burst);
    dump_put(&w, p->near_ms);
    part_put(p, part_sums, &w);
    for (i = 0; i < p->line_count; i++) {
        const shared_line *line = &p->lines[i];
        dump_put(&w, line->meets);
        dump_put(&w, line->lines);
        dump_put(&w, line->threads);
        part_put(line, line_sums, &w);
        dump_put(&w, line->side_count);
        for (k = 0; k < line->side_count; k++) put_side(&w, &line->sides[k]);
    }
    dump_end(&w);
}

PARTS_STATE(shared_parts, shared_part, &rules, shared_write)
const part_kind kind_sharing = {KIND,  "shared lines", sizeof(shared_parts), read, settle,
                                write, free_state, NULL};
