/* traced.c - see traced.h. */
#include "report/kinds/traced.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* A number of things that take at least one byte each. */
static uint32_t get_count(dump_reader *r) {
    uint32_t count = dump_get32(r);
    if (!r->reason && count > r->size - r->at) r->reason = "more of something than there are bytes";
    return r->reason ? 0 : count;
}

static void get_unit(dump_reader *r, traced_unit *u) {
    uint32_t low = dump_get32(r), high = dump_get32(r), i, n;
    size_t used = 0, room = 0;
    u->key = (uint64_t)high << 32 | low;
    u->functions = get_count(r);
    u->call_at = (uint32_t *)tool_alloc(((size_t)u->functions + 1) * sizeof *u->call_at);
    for (i = 0; i < u->functions; i++) {
        u->call_at[i] = (uint32_t)used;
        for (n = get_count(r); n > 0; n--) {
            if (used == room)
                u->call = (uint32_t *)tool_grow(u->call, (room = 2 * room + 16) * sizeof *u->call);
            u->call[used++] = dump_get32(r);
        }
    }
    u->call_at[u->functions] = (uint32_t)used;
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    traced_all *all = (traced_all *)state;
    dump_reader r = dump_fields(d, part);
    if (dump_get(&r) != TRACED_VERSION && !r.reason) r.reason = "unknown version of traced units";
    while (r.at < r.size && !r.reason) {
        TOOL_ROOM(traced_unit, all->list, all->count, all->room);
        memset(&all->list[all->count], 0, sizeof *all->list);
        get_unit(&r, &all->list[all->count++]);
    }
    return r.reason ? dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason) : 0;
}

static void free_unit(traced_unit *u) {
    free(u->call_at);
    free(u->call);
}

static int by_key(const void *a, const void *b) {
    const traced_unit *x = (const traced_unit *)a, *y = (const traced_unit *)b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void settle(void *state) {
    traced_all *all = (traced_all *)state;
    size_t i, kept = 0;
    if (all->count) qsort(all->list, all->count, sizeof *all->list, by_key);
    for (i = 0; i < all->count; i++) {
        if (kept && all->list[kept - 1].key == all->list[i].key) free_unit(&all->list[i]);
        else all->list[kept++] = all->list[i];
    }
    all->count = kept;
}

const traced_unit *traced_find(const traced_all *all, uint64_t key) {
    traced_unit wanted;
    wanted.key = key;
    if (!all || !all->count) return NULL;
    return (const traced_unit *)bsearch(&wanted, all->list, all->count, sizeof *all->list, by_key);
}

void traced_put_unit(dump_writer *w, uint64_t key, uint32_t functions) {
    dump_put(w, key & 0xFFFFFFFF);
    dump_put(w, key >> 32);
    dump_put(w, functions);
}

static void write(void *state, text *out) {
    const traced_all *all = (const traced_all *)state;
    dump_writer w;
    uint32_t k, n;
    size_t i;
    dump_begin(&w, out, TRACED_KIND);
    dump_put(&w, TRACED_VERSION);
    for (i = 0; i < all->count; i++) {
        const traced_unit *u = &all->list[i];
        traced_put_unit(&w, u->key, u->functions);
        for (k = 0; k < u->functions; k++) {
            dump_put(&w, u->call_at[k + 1] - u->call_at[k]);
            for (n = u->call_at[k]; n < u->call_at[k + 1]; n++) dump_put(&w, u->call[n]);
        }
    }
    dump_end(&w);
}

static void free_state(void *state) {
    traced_all *all = (traced_all *)state;
    size_t i;
    for (i = 0; i < all->count; i++) free_unit(&all->list[i]);
    free(all->list);
}

const part_kind kind_traced = {TRACED_KIND, "traced", sizeof(traced_all), read, settle,
                               write, free_state, NULL};
