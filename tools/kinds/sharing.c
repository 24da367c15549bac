/* sharing.c - reading, adding up and writing parts of kind 14. */
#include "kinds/sharing.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KIND = 14, VERSION = 1 };

static uint64_t sat_add(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }
static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

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

static void free_part(shared_part *p) {
    size_t i;
    for (i = 0; i < p->line_count; i++) free_line(&p->lines[i]);
    free(p->lines);
    free(p->program);
}

/* ---- lines with the same objects are one ---- */

static int compare_sides(const void *left, const void *right) {
    const shared_side *a = (const shared_side *)left, *b = (const shared_side *)right;
    int order = strcmp(a->object, b->object);
    if (order == 0) order = compare(a->offset, b->offset);
    if (order == 0) order = compare(a->bytes, b->bytes);
    if (order == 0) order = compare(a->thread, b->thread);
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
        to->loads = sat_add(to->loads, from->loads);
        to->stores = sat_add(to->stores, from->stores);
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
    to->lines = are_same_bursts ? sat_add(to->lines, from->lines)
                : to->lines > from->lines ? to->lines : from->lines;
    if (from->threads > to->threads) to->threads = from->threads;
    to->accesses = sat_add(to->accesses, from->accesses);
    to->contended = sat_add(to->contended, from->contended);
    to->falsely = sat_add(to->falsely, from->falsely);
    to->bursts = sat_add(to->bursts, from->bursts);
    to->together = sat_add(to->together, from->together);
    to->yy = sat_add(to->yy, from->yy);
    to->yr = sat_add(to->yr, from->yr);
    if (are_same_bursts) to->yy = sat_add(to->yy, both < 1.8e19 ? (uint64_t)both : UINT64_MAX);
    to->sides = (shared_side *)tool_grow(to->sides, (count + 1) * sizeof *to->sides);
    if (from->side_count)
        memcpy(to->sides + to->side_count, from->sides, from->side_count * sizeof *to->sides);
    to->side_count = count;
    from->side_count = 0;
    free_line(from);
}

/* Each row of equal lines is joined as a tree, so that many cost n log n. */
static void fold_lines(shared_part *p, int are_same_bursts) {
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

static char *get_name(dump_reader *r) {
    size_t size;
    const unsigned char *name = dump_get_string(r, &size);
    return text_name(name, r->reason ? 0 : size);
}

static void get_side(shared_line *line, dump_reader *r) {
    shared_side *side;
    if ((line->side_count & (line->side_count - 1)) == 0) /* room for 1, 2, 4, ... */
        line->sides = (shared_side *)tool_grow(
            line->sides, (line->side_count ? 2 * line->side_count : 1) * sizeof *side);
    side = &line->sides[line->side_count++];
    memset(side, 0, sizeof *side);
    side->meets = dump_get32(r);
    side->thread = dump_get32(r);
    side->function = get_name(r);
    side->object = get_name(r);
    side->place = get_name(r);
    side->offset = dump_get(r);
    side->bytes = dump_get(r);
    side->loads = dump_get(r);
    side->stores = dump_get(r);
    if (!r->reason && (side->meets == 0 || side->meets > (SHARED_FALSE | SHARED_TRUE)))
        r->reason = "a side of a line that meets nobody";
    if (!r->reason && (side->bytes == 0 || side->bytes > 64))
        r->reason = "more bytes than a line has, or none";
}

static void get_line(shared_part *p, dump_reader *r) {
    shared_line line;
    uint64_t sides;
    memset(&line, 0, sizeof line);
    line.meets = dump_get32(r);
    line.lines = dump_get(r);
    line.threads = dump_get(r);
    line.accesses = dump_get(r);
    line.contended = dump_get(r);
    line.falsely = dump_get(r);
    line.bursts = dump_get(r);
    line.together = dump_get(r);
    line.yy = dump_get(r);
    line.yr = dump_get(r);
    sides = dump_get(r);
    if (!r->reason && (line.meets == 0 || line.meets > (SHARED_FALSE | SHARED_TRUE)))
        r->reason = "a line on which nobody meets";
    if (!r->reason && (line.accesses > p->accesses || line.contended > line.accesses
                       || line.falsely > line.contended))
        r->reason = "a line with more accesses than there are";
    if (!r->reason && line.together > line.bursts) r->reason = "more bursts together than there are";
    for (; !r->reason && sides; sides--) get_side(&line, r);
    if (r->reason) {
        free_line(&line);
        return;
    }
    fold_sides(&line);
    name_objects(&line);
    if (p->line_count == p->line_room) {
        p->line_room = 2 * p->line_room + 16;
        p->lines = (shared_line *)tool_grow(p->lines, p->line_room * sizeof *p->lines);
    }
    p->lines[p->line_count++] = line;
}

static void get_part(shared_part *p, dump_reader *r) {
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of shared lines";
    p->flags = dump_get32(r);
    p->program = get_name(r);
    p->every = dump_get32(r);
    p->burst = dump_get32(r);
    p->near_ms = dump_get(r);
    p->bursts = dump_get(r);
    p->accesses = dump_get(r);
    p->rr = dump_get(r);
    p->slow = dump_get(r);
    p->cut = dump_get(r);
    p->forgotten = dump_get(r);
    p->lost = dump_get(r);
    p->left = dump_get(r);
    while (!r->reason && r->at < r->size) get_line(p, r);
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    shared_parts *s = (shared_parts *)state;
    dump_reader r = {part->payload, part->size, 0, NULL};
    shared_part p;
    memset(&p, 0, sizeof p);
    get_part(&p, &r);
    if (r.reason) {
        free_part(&p);
        return dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason);
    }
    fold_lines(&p, 1);
    if ((s->count & (s->count - 1)) == 0) /* room for 1, 2, 4, ... */
        s->parts = (shared_part *)tool_grow(s->parts, (s->count ? 2 * s->count : 1) * sizeof p);
    s->parts[s->count++] = p;
    return 0;
}

/* ---- adding up ---- */

/* 0 for parts that are added up. */
static int compare_keys(const shared_part *a, const shared_part *b) {
    int order = strcmp(a->program, b->program);
    if (order == 0) order = compare(a->flags, b->flags);
    if (order == 0) order = compare(a->every, b->every);
    if (order == 0) order = compare(a->burst, b->burst);
    return order ? order : compare(a->near_ms, b->near_ms);
}

static int by_key(const void *a, const void *b) {
    return compare_keys((const shared_part *)a, (const shared_part *)b);
}

static void add_part(shared_part *to, shared_part *from) {
    size_t count = to->line_count + from->line_count;
    to->bursts = sat_add(to->bursts, from->bursts);
    to->accesses = sat_add(to->accesses, from->accesses);
    to->rr = sat_add(to->rr, from->rr);
    to->slow = sat_add(to->slow, from->slow);
    to->cut = sat_add(to->cut, from->cut);
    to->forgotten = sat_add(to->forgotten, from->forgotten);
    to->lost = sat_add(to->lost, from->lost);
    to->left = sat_add(to->left, from->left);
    if (count > to->line_room) {
        to->line_room = 2 * count + 16;
        to->lines = (shared_line *)tool_grow(to->lines, to->line_room * sizeof *to->lines);
    }
    if (from->line_count)
        memcpy(to->lines + to->line_count, from->lines, from->line_count * sizeof *to->lines);
    to->line_count = count;
    from->line_count = 0;
    free_part(from);
}

static void settle(void *state) {
    shared_parts *s = (shared_parts *)state;
    size_t i, kept = 0;
    if (s->count) qsort(s->parts, s->count, sizeof *s->parts, by_key);
    for (i = 0; i < s->count; i++) {
        if (kept == 0 || compare_keys(&s->parts[kept - 1], &s->parts[i]) != 0)
            s->parts[kept++] = s->parts[i];
        else add_part(&s->parts[kept - 1], &s->parts[i]);
    }
    s->count = kept;
    for (i = 0; i < kept; i++) fold_lines(&s->parts[i], 0);
}

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
    dump_put(&w, p->bursts);
    dump_put(&w, p->accesses);
    dump_put(&w, p->rr);
    dump_put(&w, p->slow);
    dump_put(&w, p->cut);
    dump_put(&w, p->forgotten);
    dump_put(&w, p->lost);
    dump_put(&w, p->left);
    for (i = 0; i < p->line_count; i++) {
        const shared_line *line = &p->lines[i];
        dump_put(&w, line->meets);
        dump_put(&w, line->lines);
        dump_put(&w, line->threads);
        dump_put(&w, line->accesses);
        dump_put(&w, line->contended);
        dump_put(&w, line->falsely);
        dump_put(&w, line->bursts);
        dump_put(&w, line->together);
        dump_put(&w, line->yy);
        dump_put(&w, line->yr);
        dump_put(&w, line->side_count);
        for (k = 0; k < line->side_count; k++) put_side(&w, &line->sides[k]);
    }
    dump_end(&w);
}

static void write(void *state, text *out) {
    const shared_parts *s = (const shared_parts *)state;
    size_t i;
    for (i = 0; i < s->count; i++) shared_write(&s->parts[i], out);
}

static void free_state(void *state) {
    shared_parts *s = (shared_parts *)state;
    size_t i;
    for (i = 0; i < s->count; i++) free_part(&s->parts[i]);
    free(s->parts);
    memset(s, 0, sizeof *s);
}

const part_kind kind_sharing = {KIND,  "shared lines", sizeof(shared_parts), read, settle,
                                write, free_state};
