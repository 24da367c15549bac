/* sources.c - see sources.h. */
#include "report/kinds/sources.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static uint64_t get_eight(dump_reader *r) {
    uint64_t value = 0;
    int i;
    if (r->reason) return 0;
    if (r->size - r->at < 8) {
        r->reason = "ends within eight bytes";
        return 0;
    }
    for (i = 0; i < 8; i++) value |= (uint64_t)r->data[r->at++] << 8 * i;
    return value;
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    sourced_all *all = (sourced_all *)state;
    dump_reader r = dump_fields(d, part);
    if (dump_get(&r) != SOURCED_VERSION && !r.reason) r.reason = "unknown version of sources";
    while (r.at < r.size && !r.reason) {
        sourced *s;
        const unsigned char *name;
        size_t size;
        TOOL_ROOM(sourced, all->list, all->count, all->room);
        s = &all->list[all->count];
        s->key = get_eight(&r);
        s->hash = get_eight(&r);
        name = dump_get_string(&r, &size);
        if (r.reason) break;
        s->file = text_clean(name, size);
        all->count++;
    }
    return r.reason ? dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason) : 0;
}

static int by_place(const void *a, const void *b) {
    const sourced *x = (const sourced *)a, *y = (const sourced *)b;
    int order = strcmp(x->file, y->file);
    if (order) return order;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static void settle(void *state) {
    sourced_all *all = (sourced_all *)state;
    size_t i, kept = 0;
    if (all->count) qsort(all->list, all->count, sizeof *all->list, by_place);
    for (i = 0; i < all->count; i++) {
        if (kept && by_place(&all->list[kept - 1], &all->list[i]) == 0) free(all->list[i].file);
        else all->list[kept++] = all->list[i];
    }
    all->count = kept;
}

void sourced_put(dump_writer *w, const sourced *s) {
    dump_put_eight(w, s->key);
    dump_put_eight(w, s->hash);
    dump_put_string(w, s->file);
}

static void write(void *state, text *out) {
    const sourced_all *all = (const sourced_all *)state;
    dump_writer w;
    size_t i;
    dump_begin(&w, out, SOURCED_KIND);
    dump_put(&w, SOURCED_VERSION);
    for (i = 0; i < all->count; i++) sourced_put(&w, &all->list[i]);
    dump_end(&w);
}

static void free_state(void *state) {
    sourced_all *all = (sourced_all *)state;
    size_t i;
    for (i = 0; i < all->count; i++) free(all->list[i].file);
    free(all->list);
    memset(all, 0, sizeof *all);
}

/* ---- asking ---- */

/* The first record of that file. */
static size_t first_of(const sourced_all *all, const char *file) {
    size_t low = 0, high = all ? all->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(all->list[middle].file, file) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

int sourced_knows(const sourced_all *all, const char *file) {
    size_t i = first_of(all, file);
    return all && i < all->count && strcmp(all->list[i].file, file) == 0;
}

int sourced_has(const sourced_all *all, const char *file, uint64_t hash) {
    size_t i = first_of(all, file);
    for (; all && i < all->count && strcmp(all->list[i].file, file) == 0; i++) {
        if (all->list[i].hash == hash) return 1;
    }
    return 0;
}

int sourced_differs(const sourced_all *all, uint64_t key, const char *file, uint64_t hash) {
    size_t i = first_of(all, file);
    int found = 0;
    for (; all && i < all->count && strcmp(all->list[i].file, file) == 0; i++) {
        if (all->list[i].key != key) continue;
        if (all->list[i].hash == hash) return 0;
        found = 1;
    }
    return found;
}

const part_kind kind_sources = {
    SOURCED_KIND, "sources", sizeof(sourced_all), read, settle, write, free_state, NULL,
};
