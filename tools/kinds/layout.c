/* layout.c - reading, adding up and writing parts of kind 15. */
#include "kinds/layout.h"
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 15, VERSION = 1, BYTES_MOST = LAID_WORDS * 8 };

static void free_object(laid_object *o) {
    free(o->name);
    free(o->visits);
}

static void free_part(void *part) {
    laid_part *p = (laid_part *)part;
    size_t i;
    for (i = 0; i < p->object_count; i++) free_object(&p->objects[i]);
    free(p->objects);
    free(p->program);
}

static void add_groups(uint64_t *to, const uint64_t *from) {
    int g;
    for (g = 0; g < LAID_GROUPS; g++) to[g] = tool_sum(to[g], from[g]);
}

/* ---- rows of one name ---- */

static int by_mask(const void *left, const void *right) {
    const laid_visit *a = (const laid_visit *)left, *b = (const laid_visit *)right;
    return a->phase != b->phase ? tool_order(a->phase, b->phase) : tool_order(a->mask, b->mask);
}

static void fold_visits(laid_object *o) {
    size_t i, kept = 0;
    if (o->visit_count) qsort(o->visits, o->visit_count, sizeof *o->visits, by_mask);
    for (i = 0; i < o->visit_count; i++) {
        if (kept && by_mask(&o->visits[kept - 1], &o->visits[i]) == 0)
            add_groups(o->visits[kept - 1].count, o->visits[i].count);
        else o->visits[kept++] = o->visits[i];
    }
    o->visit_count = kept;
}

static int by_name(const void *left, const void *right) {
    const laid_object *a = (const laid_object *)left, *b = (const laid_object *)right;
    int order = strcmp(a->name, b->name);
    if (order == 0) order = tool_order(a->bytes, b->bytes);
    return order ? order : tool_order(a->is_block, b->is_block);
}

/* Equal objects become one. Sums by group add up, of the same bursts, too. */
static void fold_objects(void *part, int are_same_bursts) {
    laid_part *p = (laid_part *)part;
    size_t i, kept = 0;
    (void)are_same_bursts;
    if (p->object_count) qsort(p->objects, p->object_count, sizeof *p->objects, by_name);
    for (i = 0; i < p->object_count; i++) {
        laid_object *from = &p->objects[i], *to = kept ? &p->objects[kept - 1] : NULL;
        if (!to || by_name(to, from) != 0) {
            p->objects[kept++] = *from;
            continue;
        }
        add_groups(to->blocks, from->blocks);
        add_groups(to->lines, from->lines);
        add_groups(to->packed, from->packed);
        to->visits = (laid_visit *)parts_join(to->visits, &to->visit_count, &to->visit_room,
                                              from->visits, &from->visit_count,
                                              sizeof *to->visits);
        free_object(from);
    }
    p->object_count = kept;
    for (i = 0; i < kept; i++) fold_visits(&p->objects[i]);
}

/* ---- reading ---- */

static uint64_t get_groups(dump_reader *r, uint64_t *sums) {
    uint64_t all = 0;
    int g;
    for (g = 0; g < LAID_GROUPS; g++) all = tool_sum(all, sums[g] = dump_get(r));
    return all;
}

static void get_visits(laid_object *o, dump_reader *r) {
    uint64_t count = dump_get(r);
    for (; count && !r->reason; count--) {
        laid_visit v;
        v.phase = dump_get32(r);
        v.mask = dump_get(r);
        (void)get_groups(r, v.count);
        if (!r->reason && (v.phase >= LAID_LINE / 8 || !v.mask || !o->bytes
                           || (o->bytes <= BYTES_MOST - 8 && v.mask >> (o->bytes + 7) / 8)))
            r->reason = "a visit of words that the block does not have";
        if (r->reason) return;
        if (o->visit_count == o->visit_room) {
            o->visit_room = 2 * o->visit_room + 16;
            o->visits = (laid_visit *)tool_grow(o->visits, o->visit_room * sizeof v);
        }
        o->visits[o->visit_count++] = v;
    }
}

static void get_object(laid_part *p, dump_reader *r) {
    laid_object o;
    int g;
    memset(&o, 0, sizeof o);
    o.name = dump_get_name(r);
    o.bytes = dump_get(r);
    o.is_block = dump_get32(r);
    (void)get_groups(r, o.blocks);
    (void)get_groups(r, o.lines);
    (void)get_groups(r, o.packed);
    for (g = 0; g < LAID_GROUPS && !r->reason; g++) {
        if (o.packed[g] > o.lines[g]) r->reason = "more lines side by side than apart";
    }
    if (!r->reason && (o.bytes > BYTES_MOST || o.is_block > 1))
        r->reason = "an object of a layout that cannot be";
    if (!r->reason) get_visits(&o, r);
    if (r->reason) {
        free_object(&o);
        return;
    }
    if (p->object_count == p->object_room) {
        p->object_room = 2 * p->object_room + 16;
        p->objects = (laid_object *)tool_grow(p->objects, p->object_room * sizeof o);
    }
    p->objects[p->object_count++] = o;
}

static void get_part(void *part, dump_reader *r) {
    laid_part *p = (laid_part *)part;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of layouts";
    p->flags = dump_get32(r);
    p->program = dump_get_name(r);
    p->lost = dump_get(r);
    (void)get_groups(r, p->windows);
    (void)get_groups(r, p->lines);
    (void)get_groups(r, p->code);
    (void)get_groups(r, p->placed);
    (void)get_groups(r, p->other);
    while (!r->reason && r->at < r->size) get_object(p, r);
}

/* ---- adding up ---- */

static int by_key(const void *left, const void *right) {
    const laid_part *a = (const laid_part *)left, *b = (const laid_part *)right;
    int order = strcmp(a->program, b->program);
    return order ? order : tool_order(a->flags, b->flags);
}

static void add_part(void *into, void *part) {
    laid_part *to = (laid_part *)into, *from = (laid_part *)part;
    to->lost = tool_sum(to->lost, from->lost);
    add_groups(to->windows, from->windows);
    add_groups(to->lines, from->lines);
    add_groups(to->code, from->code);
    add_groups(to->placed, from->placed);
    add_groups(to->other, from->other);
    to->objects = (laid_object *)parts_join(to->objects, &to->object_count, &to->object_room,
                                            from->objects, &from->object_count,
                                            sizeof *to->objects);
    free_part(from);
}

static const part_rules rules = {sizeof(laid_part), get_part, fold_objects,
                                 by_key, add_part, free_part};

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    laid_parts *s = (laid_parts *)state;
    void *list = s->parts;
    int status = parts_read(&rules, &list, &s->count, d, part, fault);
    s->parts = (laid_part *)list;
    return status;
}

static void settle(void *state) {
    laid_parts *s = (laid_parts *)state;
    s->count = parts_settle(&rules, s->parts, s->count);
}

/* ---- writing ---- */

static void put_groups(dump_writer *w, const uint64_t *sums) {
    int g;
    for (g = 0; g < LAID_GROUPS; g++) dump_put(w, sums[g]);
}

static void write_part(const laid_part *p, text *out) {
    dump_writer w;
    size_t i, k;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put(&w, p->flags);
    dump_put_string(&w, p->program);
    dump_put(&w, p->lost);
    put_groups(&w, p->windows);
    put_groups(&w, p->lines);
    put_groups(&w, p->code);
    put_groups(&w, p->placed);
    put_groups(&w, p->other);
    for (i = 0; i < p->object_count; i++) {
        const laid_object *o = &p->objects[i];
        dump_put_string(&w, o->name);
        dump_put(&w, o->bytes);
        dump_put(&w, o->is_block);
        put_groups(&w, o->blocks);
        put_groups(&w, o->lines);
        put_groups(&w, o->packed);
        dump_put(&w, o->visit_count);
        for (k = 0; k < o->visit_count; k++) {
            dump_put(&w, o->visits[k].phase);
            dump_put(&w, o->visits[k].mask);
            put_groups(&w, o->visits[k].count);
        }
    }
    dump_end(&w);
}

static void write(void *state, text *out) {
    const laid_parts *s = (const laid_parts *)state;
    size_t i;
    for (i = 0; i < s->count; i++) write_part(&s->parts[i], out);
}

static void free_state(void *state) {
    laid_parts *s = (laid_parts *)state;
    parts_free(&rules, s->parts, s->count);
    memset(s, 0, sizeof *s);
}

const part_kind kind_layout = {KIND,  "layouts", sizeof(laid_parts), read, settle,
                               write, free_state};
