/* input.c - parts of all kinds, each to the kind that knows it. */
#include "base/input.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

const part_kind *kind_of(uint32_t number) {
    size_t i;
    for (i = 0; kind_list[i]; i++) {
        if (kind_list[i]->number == number) return kind_list[i];
    }
    return NULL;
}

const part_kind *kind_after(uint32_t number) {
    const part_kind *next = NULL;
    size_t i;
    for (i = 0; kind_list[i]; i++) {
        if (kind_list[i]->number <= number) continue;
        if (!next || kind_list[i]->number < next->number) next = kind_list[i];
    }
    return next;
}

/* The state of that kind, a new one at its place by number if there is none
   yet. */
static void *state_of(input *in, const part_kind *kind) {
    size_t at = 0;
    while (at < in->state_count && in->states[at].kind->number < kind->number) at++;
    if (at == in->state_count || in->states[at].kind != kind) {
        in->states =
            (input_state *)tool_grow(in->states, (in->state_count + 1) * sizeof *in->states);
        memmove(&in->states[at + 1], &in->states[at], (in->state_count - at) * sizeof *in->states);
        in->states[at].kind = kind;
        in->states[at].state = tool_alloc(kind->state_bytes);
        in->state_count++;
    }
    return in->states[at].state;
}

const void *input_find(const input *in, const part_kind *kind) {
    size_t i;
    for (i = 0; i < in->state_count; i++) {
        if (in->states[i].kind == kind) return in->states[i].state;
    }
    return NULL;
}

void input_drop(input *in, const part_kind *kind) {
    size_t i;
    for (i = 0; i < in->state_count && in->states[i].kind != kind; i++) { }
    if (i == in->state_count) return;
    kind->free(in->states[i].state);
    free(in->states[i].state);
    in->state_count--;
    memmove(&in->states[i], &in->states[i + 1], (in->state_count - i) * sizeof *in->states);
}

static void add_other(input *in, const void *bytes, size_t size) {
    in->other = (struct input_other *)tool_grow(in->other,
                                                (in->other_count + 1) * sizeof *in->other);
    in->other[in->other_count].at = in->others.size;
    in->other[in->other_count++].size = size;
    text_bytes(&in->others, bytes, size);
}

int input_read(input *in, const dump *d, dump_fault *fault) {
    size_t i;
    for (i = 0; i < d->part_count; i++) {
        const dump_part *part = &d->parts[i];
        const part_kind *kind = kind_of(part->kind);
        if (!kind) add_other(in, d->data + part->offset, part->bytes);
        else if (kind->read(state_of(in, kind), d, part, fault) != 0) return -1;
    }
    return 0;
}

int input_repeats(const input *in, const dump *d, const char *path) {
    size_t i;
    for (i = 0; i < in->state_count; i++) {
        const input_state *s = &in->states[i];
        if (s->kind->repeats && s->kind->repeats(s->state, d, path)) return 1;
    }
    return 0;
}

int input_open(input *in, const char *path) {
    dump d;
    dump_fault fault;
    int status = dump_open(&d, path);
    if (status != TOOL_OK) return status;
    if (!input_repeats(in, &d, path) && input_read(in, &d, &fault) != 0)
        status = dump_blame(path, &fault);
    in->programs += (size_t)d.is_program;
    dump_free(&d);
    return status;
}

int input_take(input *in, const char *name, const text *file) {
    dump d;
    dump_fault fault;
    int status = TOOL_OK;
    if (dump_read(&d, (const unsigned char *)file->data, file->size, &fault) != 0)
        return dump_blame(name, &fault);
    if (input_read(in, &d, &fault) != 0) status = dump_blame(name, &fault);
    dump_free(&d);
    return status;
}

static const char *sorted; /* qsort hands nothing through */

static int by_bytes(const void *left, const void *right) {
    const struct input_other *a = (const struct input_other *)left;
    const struct input_other *b = (const struct input_other *)right;
    int order = memcmp(sorted + a->at, sorted + b->at, a->size < b->size ? a->size : b->size);
    return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

/* What this tool cannot read it can put into an order. */
static void settle_others(input *in) {
    text all = {NULL, 0, 0};
    size_t i, at;
    if (in->other_count == 0) return;
    sorted = in->others.data;
    qsort(in->other, in->other_count, sizeof *in->other, by_bytes);
    for (i = 0; i < in->other_count; i++) {
        at = all.size;
        text_bytes(&all, in->others.data + in->other[i].at, in->other[i].size);
        in->other[i].at = at;
    }
    text_free(&in->others);
    in->others = all;
}

void input_settle(input *in) {
    size_t i;
    settle_others(in);
    for (i = 0; i < in->state_count; i++) in->states[i].kind->settle(in->states[i].state);
}

void input_write(input *in, text *out) {
    size_t i;
    for (i = 0; i < in->state_count; i++) in->states[i].kind->write(in->states[i].state, out);
    text_bytes(out, in->others.data, in->others.size);
}

int input_fold(input *in, size_t *size) {
    text sums = {NULL, 0, 0};
    int status;
    input_settle(in);
    input_write(in, &sums);
    input_free(in);
    *size = sums.size;
    status = input_take(in, "what was added up so far", &sums);
    text_free(&sums);
    return status;
}

void input_free(input *in) {
    size_t i;
    for (i = 0; i < in->state_count; i++) {
        in->states[i].kind->free(in->states[i].state);
        free(in->states[i].state);
    }
    free(in->states);
    free(in->other);
    text_free(&in->others);
    memset(in, 0, sizeof *in);
}
