/* identities.c - functions of several runs, and which of them are one. Cost: n
   log n. */
#include "report/model/identities.h"
#include "base/text.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static int is_identity(const void *owner, uint32_t number, const void *key) {
    const identity *a = &((const identities *)owner)->at[number - 1], *b = (const identity *)key;
    return a->line == b->line && strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0;
}

static char *copy(const char *string) {
    size_t size = strlen(string) + 1;
    return (char *)memcpy(tool_alloc(size), string, size);
}


uint32_t identities_add(identities *list, const char *name, const char *file, uint32_t line,
                        unsigned side) {
    identity key = {NULL, NULL, 0, 0, 0, 0};
    uint32_t *place;
    key.name = copy(name);
    key.file = copy(file);
    key.line = line;
    place = hash_place(&list->places,
                       hash_numbers(hash_numbers(hash_string(name), hash_string(file)), line),
                       is_identity, list, &key);
    if (*place) {
        free(key.name);
        free(key.file);
    } else {
        TOOL_ROOM(identity, list->at, list->count, list->room);
        key.is = (uint32_t)list->count;
        list->at[list->count++] = key;
        *place = (uint32_t)list->count;
    }
    list->at[*place - 1].sides |= side;
    return *place - 1;
}

static const char *without_folders(const char *file) {
    const char *at, *last = file;
    for (at = file; *at; at++) {
        if (*at == '/' || *at == '\\') last = at + 1;
    }
    return last;
}

char *identity_place(const char *file, uint32_t line) {
    text place = {NULL, 0, 0};
    text_add(&place, without_folders(file));
    if (place.size && line) text_format(&place, ":%lu", (unsigned long)line);
    return text_take(&place);
}

/* ---- matching ----------------------------------------------------------------------------- */

typedef struct entry {
    identity *of;
    uint32_t number;
    const char *file; /* what counts as its file in this pass */
} entry;

static int compare_entries(const void *left, const void *right) {
    const entry *a = (const entry *)left, *b = (const entry *)right;
    int order = strcmp(a->of->name, b->of->name);
    if (!order) order = strcmp(a->file, b->file);
    if (order) return order;
    if (a->of->line != b->of->line) return a->of->line < b->of->line ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int is_open(const identity *f, unsigned side) {
    return f->sides == side;
}

/* Matches functions of one name and file: the k-th of the base is the k-th of the new
   side, if both have the same number of them. */
static void match_group(identities *list, entry *group, size_t count, int is_one) {
    size_t i, k = 0, base = 0, now = 0;
    for (i = 0; i < count; i++) {
        base += (size_t)is_open(group[i].of, IDENTITY_IN_BASE);
        now += (size_t)is_open(group[i].of, IDENTITY_IN_NEW);
    }
    if (base != now || base == 0 || (is_one && base != 1)) return;
    for (i = 0; i < count; i++) {
        identity *to;
        if (!is_open(group[i].of, IDENTITY_IN_BASE)) continue;
        while (!is_open(group[k].of, IDENTITY_IN_NEW)) k++;
        to = &list->at[group[k].number];
        group[i].of->is = group[k].number;
        group[i].of->sides |= IDENTITY_IN_NEW;
        to->sides |= IDENTITY_IN_BASE;
        k++;
    }
}

/* What was matched in an earlier pass is open on no side. */
static void match_pass(identities *list, entry *entries, int pass) {
    size_t first, end, i;
    for (i = 0; i < list->count; i++) {
        entries[i].of = &list->at[i];
        entries[i].number = (uint32_t)i;
        entries[i].file = pass == 0 ? list->at[i].file
                        : pass == 1 ? without_folders(list->at[i].file)
                                    : "";
    }
    if (list->count) qsort(entries, list->count, sizeof *entries, compare_entries);
    for (first = 0; first < list->count; first = end) {
        for (end = first + 1; end < list->count; end++) {
            if (strcmp(entries[end].of->name, entries[first].of->name) != 0) break;
            if (strcmp(entries[end].file, entries[first].file) != 0) break;
        }
        match_group(list, entries + first, end - first, pass > 0);
    }
}

/* In the order of names, after all matches. */
static void find_twins(identities *list, const entry *entries) {
    const entry *last = NULL;
    size_t i;
    for (i = 0; i < list->count; i++) {
        if (entries[i].of->is != entries[i].number) continue;
        if (last && strcmp(last->of->name, entries[i].of->name) == 0)
            last->of->has_twin = entries[i].of->has_twin = 1;
        last = &entries[i];
    }
}

void identities_match(identities *list) {
    entry *entries = (entry *)tool_alloc(list->count * sizeof *entries);
    int pass;
    for (pass = 0; pass < 3; pass++) match_pass(list, entries, pass);
    find_twins(list, entries);
    free(entries);
}

void identities_free(identities *list) {
    size_t i;
    for (i = 0; i < list->count; i++) {
        free(list->at[i].name);
        free(list->at[i].file);
    }
    free(list->at);
    hash_free(&list->places);
    memset(list, 0, sizeof *list);
}
