/* phases.c - reading, choosing and writing parts of kind 16. */
#include "report/kinds/phases.h"
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 16, VERSION = 1, FUNCTIONS_MOST = 64 };

static void free_part(void *part) {
    sliced_part *p = (sliced_part *)part;
    size_t i, k;
    for (i = 0; i < p->count; i++) {
        for (k = 0; k < p->slices[i].count; k++) free(p->slices[i].of[k].name);
        free(p->slices[i].of);
    }
    free(p->slices);
    free(p->program);
}

/* ---- reading ---- */

static void get_slice(sliced *s, dump_reader *r) {
    uint64_t count, named = 0;
    s->accesses = dump_get(r);
    s->misses = dump_get(r);
    count = dump_get(r);
    if (!r->reason && (count > FUNCTIONS_MOST || s->misses > s->accesses))
        r->reason = "a slice of a run that cannot be";
    if (r->reason) return;
    s->of = (sliced_function *)tool_alloc(((size_t)count + 1) * sizeof *s->of);
    for (; count && !r->reason; count--) {
        sliced_function *f = &s->of[s->count++];
        f->name = dump_get_name(r);
        f->misses = dump_get(r);
        named = tool_sum(named, f->misses);
    }
    if (!r->reason && named > s->misses) r->reason = "functions that miss more than their slice";
}

static void get_part(void *part, dump_reader *r) {
    sliced_part *p = (sliced_part *)part;
    uint64_t count;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of phases";
    p->program = dump_get_name(r);
    count = dump_get(r);
    if (!r->reason && count > SLICES_MOST) r->reason = "a run of too many slices";
    if (r->reason) return;
    p->slices = (sliced *)tool_alloc(((size_t)count + 1) * sizeof *p->slices);
    memset(p->slices, 0, ((size_t)count + 1) * sizeof *p->slices);
    for (; count && !r->reason; count--) {
        get_slice(&p->slices[p->count], r);
        p->accesses = tool_sum(p->accesses, p->slices[p->count++].accesses);
    }
    if (!r->reason && r->at != r->size) r->reason = "bytes after the last slice";
}

/* ---- one thread of each program ---- */

static int compare_slices(const sliced *a, const sliced *b) {
    int order = tool_order(a->accesses, b->accesses);
    size_t k;
    if (order == 0) order = tool_order(a->misses, b->misses);
    if (order == 0) order = tool_order(a->count, b->count);
    for (k = 0; order == 0 && k < a->count; k++) {
        order = strcmp(a->of[k].name, b->of[k].name);
        if (order == 0) order = tool_order(a->of[k].misses, b->of[k].misses);
    }
    return order;
}

/* The larger one stays, whichever came first. */
static int compare_parts(const sliced_part *a, const sliced_part *b) {
    int order = tool_order(a->accesses, b->accesses);
    size_t i;
    if (order == 0) order = tool_order(a->count, b->count);
    for (i = 0; order == 0 && i < a->count; i++)
        order = compare_slices(&a->slices[i], &b->slices[i]);
    return order;
}

static int by_key(const void *left, const void *right) {
    return strcmp(((const sliced_part *)left)->program, ((const sliced_part *)right)->program);
}

static void add_part(void *into, void *part) {
    sliced_part *to = (sliced_part *)into, *from = (sliced_part *)part;
    if (compare_parts(to, from) < 0) {
        sliced_part kept = *to;
        *to = *from;
        *from = kept;
    }
    free_part(from);
}

static void fold(void *part, int are_same_bursts) {
    (void)part;
    (void)are_same_bursts;
}

static const part_rules rules = {sizeof(sliced_part), get_part, fold, by_key, add_part, free_part};

/* ---- writing ---- */

static void write_part(const sliced_part *p, text *out) {
    dump_writer w;
    size_t k, n;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put_string(&w, p->program);
    dump_put(&w, p->count);
    for (k = 0; k < p->count; k++) {
        const sliced *slice = &p->slices[k];
        dump_put(&w, slice->accesses);
        dump_put(&w, slice->misses);
        dump_put(&w, slice->count);
        for (n = 0; n < slice->count; n++) {
            dump_put_string(&w, slice->of[n].name);
            dump_put(&w, slice->of[n].misses);
        }
    }
    dump_end(&w);
}

PARTS_STATE(sliced_parts, sliced_part, &rules, write_part)
const part_kind kind_phases = {KIND,  "phases", sizeof(sliced_parts), read, settle,
                               write, free_state, NULL};
