/* parts.c - lists of parts: reading, adding up, freeing. */
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

int parts_read(const part_rules *rules, void **list, size_t *count, const dump *d,
               const dump_part *part, dump_fault *fault) {
    dump_reader r = dump_fields(d, part);
    unsigned char *p;
    if ((*count & (*count - 1)) == 0) /* room for 1, 2, 4, ... */
        *list = tool_grow(*list, (*count ? 2 * *count : 1) * rules->bytes);
    p = (unsigned char *)*list + *count * rules->bytes;
    memset(p, 0, rules->bytes);
    rules->get(p, &r);
    if (r.reason) {
        rules->free(p);
        return dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason);
    }
    rules->fold(p, 1);
    ++*count;
    return 0;
}

size_t parts_settle(const part_rules *rules, void *list, size_t count) {
    unsigned char *first = (unsigned char *)list, *last = first; /* the last one that is kept */
    size_t i, kept = 0;
    if (count) qsort(list, count, rules->bytes, rules->by_key);
    for (i = 0; i < count; i++) {
        unsigned char *p = first + i * rules->bytes;
        if (kept && rules->by_key(last, p) == 0) {
            rules->add(last, p);
            continue;
        }
        last = first + kept++ * rules->bytes;
        if (last != p) memcpy(last, p, rules->bytes);
    }
    for (i = 0; i < kept; i++) rules->fold(first + i * rules->bytes, 0);
    return kept;
}

void parts_free(const part_rules *rules, void *list, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) rules->free((unsigned char *)list + i * rules->bytes);
    free(list);
}

static uint64_t *number(const void *of, const part_field *field, size_t i) {
    return (uint64_t *)(void *)((char *)(uintptr_t)of + field->at) + i;
}

void part_get(void *of, const part_field *fields, dump_reader *r) {
    size_t i;
    for (; fields->count; fields++)
        for (i = 0; i < fields->count; i++) *number(of, fields, i) = dump_get(r);
}

void part_put(const void *of, const part_field *fields, dump_writer *w) {
    size_t i;
    for (; fields->count; fields++)
        for (i = 0; i < fields->count; i++) dump_put(w, *number(of, fields, i));
}

void part_add(void *to, const void *from, const part_field *fields) {
    size_t i;
    for (; fields->count; fields++)
        for (i = 0; i < fields->count; i++) {
            uint64_t *sum = number(to, fields, i);
            *sum = tool_sum(*sum, *number(from, fields, i));
        }
}

void *parts_join(void *list, size_t *count, size_t *room, const void *rows, size_t *row_count,
                 size_t row_bytes) {
    size_t both = *count + *row_count;
    if (both > *room) {
        *room = 2 * both + 16;
        list = tool_grow(list, *room * row_bytes);
    }
    if (*row_count)
        memcpy((unsigned char *)list + *count * row_bytes, rows, *row_count * row_bytes);
    *count = both;
    *row_count = 0;
    return list;
}
