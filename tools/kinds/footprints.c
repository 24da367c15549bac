/* footprints.c - reading, adding up and writing parts of kind 3. */
#define FOOTPRINT_STATIC
#define FOOTPRINT_IMPLEMENTATION
#include "kinds/footprints.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 1024 };

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    footprints *f = (footprints *)state;
    const unsigned char *data = d->data + part->offset;
    char name[NAME_BYTES];
    size_t at = 0, need = 0;
    footprints_part new_part;
    const char *reason = footprint_load(&new_part.profile, data, part->bytes, &at, NULL, 0, &need, name, sizeof name);
    if (reason) return dump_refuse(fault, part->offset + at, "%s", reason);
    new_part.memory = tool_alloc(need);
    reason = footprint_load(&new_part.profile, data, part->bytes, &at, new_part.memory, need, NULL, name, sizeof name);
    if (reason) { free(new_part.memory); return dump_refuse(fault, part->offset + at, "%s", reason); }
    new_part.name = text_clean(name, strlen(name));
    f->parts = (footprints_part *)tool_grow(f->parts, (f->count + 1) * sizeof *f->parts);
    f->parts[f->count++] = new_part;
    return 0;
}

static int addable(const footprints_part *a, const footprints_part *b) {
    const footprint_profile *p = &a->profile, *q = &b->profile;
    const uint32_t kinds = FOOTPRINT_PAIR | FOOTPRINT_AVERAGE | FOOTPRINT_DIFFERENCE;
    return strcmp(a->name, b->name) == 0 && p->block_log2 == q->block_log2 && p->sample_log2 == q->sample_log2 &&
           !(p->c < q->c || p->c > q->c) && ((p->flags ^ q->flags) & kinds) == 0;
}

static void add(footprints_part *into, footprints_part *other) {
    uint32_t rows = into->profile.rows, columns = into->profile.columns;
    footprint_profile sum;
    size_t bytes;
    void *memory;
    if (rows < other->profile.rows) rows = other->profile.rows;
    if (columns < other->profile.columns) columns = other->profile.columns;
    bytes = footprint_profile_bytes(rows, columns);
    memory = tool_alloc(bytes);
    footprint_profile_init(&sum, rows, columns, memory, bytes);
    footprint_add(&sum, &into->profile);
    footprint_add(&sum, &other->profile);
    free(into->memory);
    into->profile = sum;
    into->memory = memory;
}

static void settle(void *state) {
    footprints *f = (footprints *)state;
    size_t i, k, kept = 0;
    for (i = 0; i < f->count; i++) {
        for (k = 0; k < kept && !addable(&f->parts[k], &f->parts[i]); k++) {}
        if (k == kept) { f->parts[kept++] = f->parts[i]; continue; }
        add(&f->parts[k], &f->parts[i]);
        free(f->parts[i].memory);
        free(f->parts[i].name);
    }
    f->count = kept;
}

static void write(void *state, text *out) {
    const footprints *f = (const footprints *)state;
    size_t i;
    for (i = 0; i < f->count; i++) footprint_write(&f->parts[i].profile, f->parts[i].name, text_write, out);
}

static void free_state(void *state) {
    footprints *f = (footprints *)state;
    size_t i;
    for (i = 0; i < f->count; i++) { free(f->parts[i].memory); free(f->parts[i].name); }
    free(f->parts);
    memset(f, 0, sizeof *f);
}

const part_kind kind_footprints = {
    DUMP_FOOTPRINT, "footprints", sizeof(footprints), read, settle, write, free_state,
};
