/* edit.c - insertions into a text. */
#include "cc/put/edit.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

void cc_edit_init(cc_edits *e, const char *source, size_t size) {
    memset(e, 0, sizeof *e);
    e->source = (char *)tool_alloc(size + 1);
    memcpy(e->source, source, size);
    e->size = size;
}

static void add(cc_edits *e, uint32_t at, uint32_t order, const char *words) {
    cc_edit *edit;
    TOOL_ROOM(cc_edit, e->list, e->count, e->room);
    edit = &e->list[e->count++];
    edit->at = at;
    edit->order = order;
    edit->from = e->from;
    edit->to = e->to;
    e->sorted = 0;
    edit->words = (uint32_t)e->words.size;
    edit->size = (uint32_t)strlen(words);
    text_add(&e->words, words);
}

void cc_insert_open(cc_edits *e, uint32_t at, const char *words) {
    add(e, at, (UINT32_C(1) << 31) + e->openers++, words);
}

void cc_insert_close(cc_edits *e, uint32_t at, const char *words) {
    add(e, at, e->closers++, words);
}

void cc_blank(cc_edits *e, uint32_t at, uint32_t size) {
    uint32_t i;
    for (i = at; i < at + size && i < e->size; i++) {
        if (e->source[i] != '\n') e->source[i] = ' ';
    }
}

static int compare(const void *a, const void *b) {
    const cc_edit *x = (const cc_edit *)a, *y = (const cc_edit *)b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void cc_edit_owner(cc_edits *e, uint32_t from, uint32_t to) {
    e->from = from;
    e->to = to;
}

static void sort(cc_edits *e) {
    if (!e->sorted && e->count > 1) qsort(e->list, e->count, sizeof *e->list, compare);
    e->sorted = 1;
}

void cc_edit_part(cc_edits *e, text *out, uint32_t from, uint32_t to) {
    uint32_t low = 0, high, at = from;
    sort(e);
    high = e->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->list[middle].at < from) low = middle + 1;
        else high = middle;
    }
    for (; low < e->count && e->list[low].at <= to; low++) {
        const cc_edit *edit = &e->list[low];
        if (edit->from < from || edit->to > to) continue;
        text_bytes(out, e->source + at, edit->at - at);
        text_bytes(out, e->words.data + edit->words, edit->size);
        at = edit->at;
    }
    text_bytes(out, e->source + at, to - at);
}

void cc_edit_apply(cc_edits *e, text *out, const char *front, size_t front_at) {
    size_t at = 0;
    uint32_t i;
    int done = 0;
    sort(e);
    for (i = 0; i <= e->count; i++) {
        size_t stop = i < e->count ? e->list[i].at : e->size;
        if (!done && stop >= front_at) {
            text_bytes(out, e->source + at, front_at - at);
            text_add(out, front);
            at = front_at;
            done = 1;
        }
        text_bytes(out, e->source + at, stop - at);
        at = stop;
        if (i < e->count) text_bytes(out, e->words.data + e->list[i].words, e->list[i].size);
    }
}

void cc_edit_free(cc_edits *e) {
    free(e->source);
    free(e->list);
    text_free(&e->words);
    memset(e, 0, sizeof *e);
}
