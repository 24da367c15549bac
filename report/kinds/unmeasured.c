/* unmeasured.c - see unmeasured.h. */
#include "report/kinds/unmeasured.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static void free_one(unmeasured *u) {
    free(u->file);
    free(u->name);
    free(u->reason);
    free(u->lines);
}

static char *get_name(dump_reader *r) {
    size_t size = 0;
    const unsigned char *name = dump_get_string(r, &size);
    return r->reason ? NULL : text_clean(name, size);
}

/* Lines stand as differences, each of which takes a byte at least. */
static void get_lines(dump_reader *r, unmeasured *u) {
    uint64_t count = dump_get(r), line = 0, i;
    if (r->reason) return;
    if (count > r->size - r->at) {
        r->reason = "more lines than the part has room for";
        return;
    }
    u->lines = (uint32_t *)tool_alloc(((size_t)count + 1) * sizeof *u->lines);
    for (i = 0; i < count && !r->reason; i++) {
        uint64_t more = dump_get(r);
        if (more == 0 || more > UINT32_MAX - line) r->reason = "lines that do not go up";
        line += more;
        u->lines[u->line_count++] = (uint32_t)line;
    }
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    unmeasured_all *all = (unmeasured_all *)state;
    dump_reader r = dump_fields(d, part);
    if (dump_get(&r) != UNMEASURED_VERSION && !r.reason)
        r.reason = "unknown version of functions that are not measured";
    while (r.at < r.size && !r.reason) {
        unmeasured *u;
        TOOL_ROOM(unmeasured, all->list, all->count, all->room);
        u = &all->list[all->count];
        memset(u, 0, sizeof *u);
        u->key = dump_get(&r);
        u->file = get_name(&r);
        u->name = get_name(&r);
        u->reason = get_name(&r);
        get_lines(&r, u);
        if (r.reason) free_one(u);
        else all->count++;
    }
    return r.reason ? dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason) : 0;
}

static int by_lines(const unmeasured *x, const unmeasured *y) {
    uint32_t i;
    for (i = 0; i < x->line_count && i < y->line_count; i++)
        if (x->lines[i] != y->lines[i]) return x->lines[i] < y->lines[i] ? -1 : 1;
    return (x->line_count > y->line_count) - (x->line_count < y->line_count);
}

static int by_place(const void *a, const void *b) {
    const unmeasured *x = (const unmeasured *)a, *y = (const unmeasured *)b;
    int order = strcmp(x->file, y->file);
    if (!order) order = strcmp(x->name, y->name);
    if (!order) order = by_lines(x, y);
    if (!order) order = strcmp(x->reason, y->reason);
    return order ? order : (x->key > y->key) - (x->key < y->key);
}

static void settle(void *state) {
    unmeasured_all *all = (unmeasured_all *)state;
    size_t i, kept = 0;
    if (all->count) qsort(all->list, all->count, sizeof *all->list, by_place);
    for (i = 0; i < all->count; i++) {
        if (kept && by_place(&all->list[kept - 1], &all->list[i]) == 0) free_one(&all->list[i]);
        else all->list[kept++] = all->list[i];
    }
    all->count = kept;
}

void unmeasured_put(dump_writer *w, const unmeasured *u) {
    uint32_t i, before = 0;
    dump_put(w, u->key);
    dump_put_string(w, u->file);
    dump_put_string(w, u->name);
    dump_put_string(w, u->reason);
    dump_put(w, u->line_count);
    for (i = 0; i < u->line_count; i++) {
        dump_put(w, u->lines[i] - before);
        before = u->lines[i];
    }
}

static void write(void *state, text *out) {
    const unmeasured_all *all = (const unmeasured_all *)state;
    dump_writer w;
    size_t i;
    dump_begin(&w, out, UNMEASURED_KIND);
    dump_put(&w, UNMEASURED_VERSION);
    for (i = 0; i < all->count; i++) unmeasured_put(&w, &all->list[i]);
    dump_end(&w);
}

static void free_state(void *state) {
    unmeasured_all *all = (unmeasured_all *)state;
    size_t i;
    for (i = 0; i < all->count; i++) free_one(&all->list[i]);
    free(all->list);
    memset(all, 0, sizeof *all);
}

const part_kind kind_unmeasured = {
    UNMEASURED_KIND, "not measured", sizeof(unmeasured_all), read, settle, write, free_state,
    NULL,
};
