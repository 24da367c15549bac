/* ends.c - reading and writing parts of kind 7: `bursty record` puts one behind
   what it kept of a program that was killed. Each recording keeps its own part;
   parts of several recordings are not added up. */
#include "report/kinds/ends.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 7, VERSION = 1, VERSION_OF = 2 }; /* 2: with what it is a part of */

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    missing_ends *s = (missing_ends *)state;
    dump_reader r = dump_fields(d, part);
    missing_end end;
    const unsigned char *program;
    size_t size;
    uint64_t version = dump_get(&r);
    if (!r.reason && version != VERSION && version != VERSION_OF)
        r.reason = "unknown version of a missing end";
    end.why = dump_get32(&r);
    if (!r.reason && (version == VERSION ? end.why != END_KILLED && end.why != END_LEFT
                                         : end.why < END_QUIET || end.why >= END_REASONS))
        r.reason = "unknown reason of a missing end";
    end.missing = dump_get(&r);
    end.of = version == VERSION_OF ? dump_get(&r) : 0;
    if (!r.reason && version == VERSION_OF && end.of < end.missing)
        r.reason = "more is missing than there was";
    program = dump_get_string(&r, &size);
    if (!r.reason && r.at != part->size) r.reason = "bytes behind a missing end";
    if (r.reason) return dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason);
    if ((s->count & (s->count - 1)) == 0) /* room for 1, 2, 4, ... */
        s->at = (missing_end *)tool_grow(s->at, (s->count ? 2 * s->count : 1) * sizeof end);
    end.program = text_name(program, size);
    s->at[s->count++] = end;
    return 0;
}

static int compare(const void *left, const void *right) {
    const missing_end *a = (const missing_end *)left, *b = (const missing_end *)right;
    int order = strcmp(a->program, b->program);
    if (order) return order;
    if (a->why != b->why) return a->why < b->why ? -1 : 1;
    if (a->missing != b->missing) return a->missing < b->missing ? -1 : 1;
    return (a->of > b->of) - (a->of < b->of);
}

static void settle(void *state) {
    missing_ends *s = (missing_ends *)state;
    if (s->count) qsort(s->at, s->count, sizeof *s->at, compare);
}

void ends_write(const missing_end *end, text *out) {
    dump_writer w;
    dump_begin(&w, out, KIND);
    dump_put(&w, end->why >= END_QUIET ? VERSION_OF : VERSION);
    dump_put(&w, end->why);
    dump_put(&w, end->missing);
    if (end->why >= END_QUIET) dump_put(&w, end->of);
    dump_put_string(&w, end->program);
    dump_end(&w);
}

static void write(void *state, text *out) {
    const missing_ends *s = (const missing_ends *)state;
    size_t i;
    for (i = 0; i < s->count; i++) ends_write(&s->at[i], out);
}

static void free_state(void *state) {
    missing_ends *s = (missing_ends *)state;
    size_t i;
    for (i = 0; i < s->count; i++) free(s->at[i].program);
    free(s->at);
    memset(s, 0, sizeof *s);
}

const part_kind kind_ends = {KIND,  "missing ends", sizeof(missing_ends), read, settle,
                             write, free_state, NULL};
