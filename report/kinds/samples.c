/* samples.c - reading and writing parts of kind 24. A sample is a seed in a
   build: two dumps of one tell no more than one of them. */
#include "report/kinds/samples.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 24, VERSION = 1, IMAGE = 1024 }; /* IMAGE: what its build is made of */

static const char *take(sample *one, dump_reader *r) {
    size_t size;
    const unsigned char *program;
    one->program = NULL;
    one->seed = dump_get32(r);
    one->how = dump_get32(r);
    one->again = dump_get32(r);
    one->build = dump_get32(r);
    program = dump_get_string(r, &size);
    if (!r->reason && one->how > SAMPLE_BY_LOOKS) r->reason = "unknown way to a seed";
    if (!r->reason) one->program = text_name(program, size);
    return r->reason;
}

static void add(samples *s, const sample *one) {
    if ((s->count & (s->count - 1)) == 0) /* room for 1, 2, 4, ... */
        s->at = (sample *)tool_grow(s->at, (s->count ? 2 * s->count : 1) * sizeof *one);
    s->at[s->count++] = *one;
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    dump_reader r = dump_fields(d, part);
    uint64_t version = dump_get(&r);
    if (!r.reason && version != VERSION) r.reason = "unknown version of samples";
    while (!r.reason && r.at < part->size) {
        sample one;
        if (!take(&one, &r)) add((samples *)state, &one);
    }
    if (r.reason) return dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason);
    return 0;
}

static int compare(const void *left, const void *right) {
    const sample *a = (const sample *)left, *b = (const sample *)right;
    int order = strcmp(a->program, b->program);
    if (order) return order;
    if (a->build != b->build) return a->build < b->build ? -1 : 1;
    if (a->seed != b->seed) return a->seed < b->seed ? -1 : 1;
    if (a->again != b->again) return a->again < b->again ? -1 : 1;
    return (a->how > b->how) - (a->how < b->how);
}

/* How the seed came about makes no other sample of it. */
static int is_same(const sample *a, const sample *b) {
    return a->seed == b->seed && a->again == b->again && a->build == b->build
           && strcmp(a->program, b->program) == 0;
}

static void settle(void *state) {
    samples *s = (samples *)state;
    size_t i, kept = 0;
    if (s->count) qsort(s->at, s->count, sizeof *s->at, compare);
    for (i = 0; i < s->count; i++) {
        if (kept && is_same(&s->at[kept - 1], &s->at[i])) {
            free(s->at[i].program);
            continue;
        }
        s->at[kept++] = s->at[i];
    }
    if (kept < s->count) { /* room for 1, 2, 4, ... again */
        size_t room = 1;
        while (room < kept) room *= 2;
        s->at = (sample *)tool_grow(s->at, room * sizeof *s->at);
    }
    s->count = kept;
}

static void write(void *state, text *out) {
    const samples *s = (const samples *)state;
    dump_writer w;
    size_t i;
    if (s->count == 0) return;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    for (i = 0; i < s->count; i++) {
        dump_put(&w, s->at[i].seed);
        dump_put(&w, s->at[i].how);
        dump_put(&w, s->at[i].again);
        dump_put(&w, s->at[i].build);
        dump_put_string(&w, s->at[i].program);
    }
    dump_end(&w);
}

void samples_write_looks(const char *program, const unsigned char *image, size_t size, text *out) {
    dump_writer w;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put(&w, 0);
    dump_put(&w, SAMPLE_BY_LOOKS);
    dump_put(&w, 0);
    dump_put(&w, size < IMAGE ? 0 : dump_crc(0, image, IMAGE));
    dump_put_string(&w, program);
    dump_end(&w);
}

static void free_state(void *state) {
    samples *s = (samples *)state;
    size_t i;
    for (i = 0; i < s->count; i++) free(s->at[i].program);
    free(s->at);
    memset(s, 0, sizeof *s);
}

static int has(const samples *s, const sample *one) {
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (is_same(&s->at[i], one)) return 1;
    }
    return 0;
}

/* Are all samples that the file is made of known already? Then *one is one of them, to be
   freed with its program. */
static int have(const samples *s, const dump *d, sample *one) {
    size_t i, seen = 0;
    int all = 1;
    memset(one, 0, sizeof *one);
    for (i = 0; i < d->part_count && all; i++) {
        dump_reader r = dump_fields(d, &d->parts[i]);
        if (d->parts[i].kind != KIND) continue;
        (void)dump_get(&r);
        while (all && !r.reason && r.at < d->parts[i].size) {
            free(one->program);
            all = !take(one, &r) && (one->how == SAMPLE_GIVEN || one->how == SAMPLE_DRAWN)
                  && has(s, one);
            seen++;
        }
    }
    if (all && seen) return 1;
    free(one->program);
    one->program = NULL;
    return 0;
}

void samples_say(const sample *one, text *out) {
    if (one->how == SAMPLE_NO_SEED) text_add(out, "none given");
    else text_format(out, "%lu", (unsigned long)one->seed);
    if (one->how == SAMPLE_DRAWN) text_add(out, " (drawn)");
    if (one->again) text_format(out, ", cleared %lu times", (unsigned long)one->again);
}

static int repeats(const void *state, const dump *d, const char *path) {
    text seed = {NULL, 0, 0};
    sample one;
    if (!have((const samples *)state, d, &one)) return 0;
    samples_say(&one, &seed);
    text_bytes(&seed, "", 1);
    tool_error("note: %s: is left out, for it is the same sample as a file before it: seed %s of "
               "one build%s%s. Seed 0 draws one for each process",
               path, seed.data, *one.program ? " of " : "", one.program);
    text_free(&seed);
    free(one.program);
    return 1;
}

static int compare_programs(const void *left, const void *right) {
    return strcmp(((const sample_build *)left)->program, ((const sample_build *)right)->program);
}

sample_build *samples_builds(const samples *s, size_t *count) {
    sample_build *list = (sample_build *)tool_alloc((s->count + 1) * sizeof *list);
    size_t i, kept = 0;
    for (i = 0; i < s->count; i++) {
        list[i].program = s->at[i].program;
        list[i].build = s->at[i].build;
    }
    if (s->count) qsort(list, s->count, sizeof *list, compare_programs);
    for (i = 0; i < s->count; i++) {
        sample_build *last = kept ? &list[kept - 1] : NULL;
        if (!last || strcmp(last->program, list[i].program) != 0) list[kept++] = list[i];
        else if (!list[i].build || last->build == list[i].build) continue;
        else if (!last->build && !last->has_several) last->build = list[i].build;
        else {
            last->has_several = 1;
            last->build = 0;
        }
    }
    *count = kept;
    return list;
}

const sample_build *samples_build_of(const sample_build *list, size_t count, const char *name) {
    const char *end = strstr(name, "+0x");
    size_t low = 0, high = count, length = end ? (size_t)(end - name) : 0;
    while (length && low < high) {
        size_t middle = low + (high - low) / 2;
        const char *program = list[middle].program;
        int order = strncmp(program, name, length);
        if (!order) order = program[length] != 0;
        if (!order) return &list[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

const part_kind kind_samples = {KIND,  "samples", sizeof(samples), read, settle,
                                write, free_state, repeats};
