/* interleave.c - reading and writing parts of kind 29. */
#include "report/kinds/interleave.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 29, VERSION = 1 };

static void free_part(turned_part *p) {
    size_t i;
    for (i = 0; i < p->count; i++) free(p->threads[i].rows);
    free(p->threads);
    free(p->program);
}

static void get_thread(turned_thread *t, dump_reader *r) {
    uint64_t count = dump_get(r), now = 0;
    size_t room = 0;
    for (; count && !r->reason; count--) {
        uint64_t gap = dump_get(r), span = dump_get(r);
        turn row;
        row.accesses = dump_get(r);
        row.edge = dump_get(r);
        row.from = tool_sum(now, gap);
        row.to = now = tool_sum(row.from, span);
        if (!r->reason && (now == UINT64_MAX || !row.accesses || row.edge > span / 2)) r->reason = "a turn that cannot be";
        if (r->reason) return;
        TOOL_ROOM(turn, t->rows, t->count, room);
        t->rows[t->count++] = row;
        t->accesses = tool_sum(t->accesses, row.accesses);
    }
}

static void get_part(turned_part *p, dump_reader *r) {
    uint64_t count;
    size_t room = 0;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of turns";
    p->program = dump_get_name(r);
    count = dump_get(r);
    for (; count && !r->reason; count--) {
        TOOL_ROOM(turned_thread, p->threads, p->count, room);
        memset(&p->threads[p->count], 0, sizeof *p->threads);
        get_thread(&p->threads[p->count++], r);
    }
    if (!r->reason && r->at != r->size) r->reason = "bytes after the last turn";
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    turned_parts *s = (turned_parts *)state;
    dump_reader r = dump_fields(d, part);
    turned_part p;
    memset(&p, 0, sizeof p);
    get_part(&p, &r);
    if (r.reason) {
        free_part(&p);
        return dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason);
    }
    TOOL_ROOM(turned_part, s->parts, s->count, s->room);
    s->parts[s->count++] = p;
    return 0;
}

static int compare_threads(const turned_thread *a, const turned_thread *b) {
    size_t i;
    int order = tool_order(a->count, b->count);
    for (i = 0; !order && i < a->count; i++) {
        order = tool_order(a->rows[i].from, b->rows[i].from);
        if (!order) order = tool_order(a->rows[i].to, b->rows[i].to);
        if (!order) order = tool_order(a->rows[i].accesses, b->rows[i].accesses);
        if (!order) order = tool_order(a->rows[i].edge, b->rows[i].edge);
    }
    return order;
}

static int compare(const void *left, const void *right) {
    const turned_part *a = (const turned_part *)left, *b = (const turned_part *)right;
    int order = strcmp(a->program, b->program);
    size_t i;
    if (!order) order = tool_order(a->count, b->count);
    for (i = 0; !order && i < a->count; i++) order = compare_threads(&a->threads[i], &b->threads[i]);
    return order;
}

static void settle(void *state) {
    turned_parts *s = (turned_parts *)state;
    if (s->count) qsort(s->parts, s->count, sizeof *s->parts, compare);
}

static void write(void *state, text *out) {
    const turned_parts *s = (const turned_parts *)state;
    size_t i, k, n;
    for (i = 0; i < s->count; i++) {
        const turned_part *p = &s->parts[i];
        dump_writer w;
        dump_begin(&w, out, KIND);
        dump_put(&w, VERSION);
        dump_put_string(&w, p->program);
        dump_put(&w, p->count);
        for (k = 0; k < p->count; k++) {
            uint64_t before = 0;
            dump_put(&w, p->threads[k].count);
            for (n = 0; n < p->threads[k].count; n++) {
                const turn *row = &p->threads[k].rows[n];
                dump_put(&w, row->from - before);
                dump_put(&w, row->to - row->from);
                dump_put(&w, row->accesses);
                dump_put(&w, row->edge);
                before = row->to;
            }
        }
        dump_end(&w);
    }
}

static void free_state(void *state) {
    turned_parts *s = (turned_parts *)state;
    size_t i;
    for (i = 0; i < s->count; i++) free_part(&s->parts[i]);
    free(s->parts);
    memset(s, 0, sizeof *s);
}

const part_kind kind_interleave = {
    KIND, "interleave", sizeof(turned_parts), read, settle, write, free_state, NULL};
