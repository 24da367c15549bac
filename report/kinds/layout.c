/* layout.c - reading, adding up and writing parts of kind 15. */
#include "report/kinds/layout.h"
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 15, VERSION = 1, BYTES_MOST = LAID_WORDS * 8 };

#define OF_PART(name) PART_FIELD(laid_part, name)
#define OF_OBJECT(name) PART_FIELD(laid_object, name)
static const part_field part_sums[] = {
    OF_PART(lost), OF_PART(windows), OF_PART(lines), OF_PART(code), OF_PART(placed),
    OF_PART(other), {0, 0}};
static const part_field object_sums[] = {
    OF_OBJECT(blocks), OF_OBJECT(lines), OF_OBJECT(was), OF_OBJECT(then), {0, 0}};

static void free_part(void *part) {
    laid_part *p = (laid_part *)part;
    size_t i;
    for (i = 0; i < p->object_count; i++) free(p->objects[i].name);
    free(p->objects);
    free(p->program);
}

/* ---- rows of one name ---- */

static int by_name(const void *left, const void *right) {
    const laid_object *a = (const laid_object *)left, *b = (const laid_object *)right;
    int order = strcmp(a->name, b->name);
    if (order == 0) order = tool_order(a->bytes, b->bytes);
    return order ? order : tool_order(a->is_block, b->is_block);
}

/* Equal objects become one. Sums by group add up, of the same bursts, too. */
static void fold_objects(void *part, int are_same_bursts) {
    laid_part *p = (laid_part *)part;
    size_t i, k, kept = 0;
    (void)are_same_bursts;
    if (p->object_count) qsort(p->objects, p->object_count, sizeof *p->objects, by_name);
    for (i = 0; i < p->object_count; i++) {
        laid_object *from = &p->objects[i], *to = kept ? &p->objects[kept - 1] : NULL;
        if (!to || by_name(to, from) != 0) {
            p->objects[kept++] = *from;
            continue;
        }
        part_add(to, from, object_sums);
        for (k = 0; k < LAID_WORDS; k++) to->uses[k] = tool_sum(to->uses[k], from->uses[k]);
        free(from->name);
    }
    p->object_count = kept;
}

/* ---- reading ---- */

static uint64_t words_of(const laid_object *o) { return (o->bytes + 7) / 8; }

static void get_object(laid_part *p, dump_reader *r) {
    laid_object o;
    uint64_t k;
    int g;
    memset(&o, 0, sizeof o);
    o.name = dump_get_name(r);
    o.bytes = dump_get(r);
    o.is_block = dump_get32(r);
    part_get(&o, object_sums, r);
    if (!r->reason && (o.bytes > BYTES_MOST || o.is_block > 1))
        r->reason = "an object of a layout that cannot be";
    for (g = 0; g < LAID_GROUPS && !r->reason; g++) {
        if (o.lines[g] > p->lines[g] || o.was[g] > p->lines[g])
            r->reason = "an object with more lines than there are";
    }
    for (k = 0; k < words_of(&o) && !r->reason; k++) o.uses[k] = dump_get(r);
    if (r->reason) {
        free(o.name);
        return;
    }
    TOOL_ROOM(laid_object, p->objects, p->object_count, p->object_room);
    p->objects[p->object_count++] = o;
}

static void get_part(void *part, dump_reader *r) {
    laid_part *p = (laid_part *)part;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of layouts";
    p->flags = dump_get32(r);
    p->program = dump_get_name(r);
    part_get(p, part_sums, r);
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
    part_add(to, from, part_sums);
    to->objects = (laid_object *)parts_join(to->objects, &to->object_count, &to->object_room,
                                            from->objects, &from->object_count,
                                            sizeof *to->objects);
    free_part(from);
}

static const part_rules rules = {sizeof(laid_part), get_part, fold_objects,
                                 by_key, add_part, free_part};

/* ---- writing ---- */

static void write_part(const laid_part *p, text *out) {
    dump_writer w;
    size_t i, k;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put(&w, p->flags);
    dump_put_string(&w, p->program);
    part_put(p, part_sums, &w);
    for (i = 0; i < p->object_count; i++) {
        const laid_object *o = &p->objects[i];
        dump_put_string(&w, o->name);
        dump_put(&w, o->bytes);
        dump_put(&w, o->is_block);
        part_put(o, object_sums, &w);
        for (k = 0; k < words_of(o); k++) dump_put(&w, o->uses[k]);
    }
    dump_end(&w);
}

PARTS_STATE(laid_parts, laid_part, &rules, write_part)
const part_kind kind_layout = {KIND,  "layouts", sizeof(laid_parts), read, settle,
                               write, free_state, NULL};
