/* distinct.c - names shortened for a column. Names are sorted by how they look,
   so those that look the same stand side by side. Cost: n log n comparisons. */
#include "report/write/distinct.h"
#include "base/text.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *name;
    char *look;
    size_t row;
} entry;

static int compare_looks(const void *left, const void *right) {
    const entry *a = (const entry *)left, *b = (const entry *)right;
    int order = strcmp(a->look, b->look);
    if (!order) order = strcmp(a->name, b->name);
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

static int is_inside_character(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

static size_t characters_in(const char *name) {
    size_t count = 0;
    for (; *name; name++) count += !is_inside_character(*name);
    return count;
}

/* Where so many characters have passed. */
static const char *skip(const char *name, size_t characters) {
    for (; *name; name++) {
        if (!is_inside_character(*name) && characters-- == 0) break;
    }
    return name;
}

static const char *first_difference(const char *a, const char *b) {
    const char *at = a;
    while (*at && *at == *b) at++, b++;
    while (at > a && is_inside_character(*at)) at--;
    return at;
}

/* `main > r...eval_and > (3...ext > get`: an end, what begins at `from`, and
   the other end. */
static char *keep_part(const char *name, const char *from, size_t most) {
    size_t length = characters_in(name), end = most >= 24 ? most / 4 : 0;
    size_t window = most > 2 * end + 8 ? most - 2 * end - 6 : 2, start;
    text look = {NULL, 0, 0};
    const char *at;
    if (length <= most) {
        text_add(&look, name);
        return text_take(&look);
    }
    start = length - characters_in(from);
    for (at = from; at > name && at[-1] != ' ' && length - characters_in(at) + window > start + 4;)
        at--; /* to where a word begins, if it is not far */
    if (at > name && at[-1] == ' ') start = length - characters_in(at);
    if (start + window > length - end) start = length - end - window;
    if (start < end) start = end;
    text_bytes(&look, name, (size_t)(skip(name, end) - name));
    if (start > end) text_add(&look, "...");
    text_bytes(&look, skip(name, start), (size_t)(skip(name, start + window) - skip(name, start)));
    if (start + window < length - end) text_add(&look, "...");
    text_add(&look, skip(name, length - end));
    return text_take(&look);
}

static char *add_number(const char *look, size_t most, size_t number) {
    text made = {NULL, 0, 0}, mark = {NULL, 0, 0};
    text_format(&mark, "#%lu", (unsigned long)number);
    text_bytes(&mark, "", 1);
    text_bytes(&made, look,
               (size_t)(skip(look, most > mark.size ? most - mark.size + 1 : 0) - look));
    text_add(&made, mark.data);
    text_free(&mark);
    return text_take(&made);
}

/* The end of the names that look as the first one does. */
static size_t end_of_look(const entry *entries, size_t count, size_t first) {
    size_t end = first + 1;
    while (end < count && strcmp(entries[end].look, entries[first].look) == 0) end++;
    return end;
}

static void set_look(entry *e, char *look) {
    free(e->look);
    e->look = look;
}

static void number_equals(entry *entries, size_t count, size_t most) {
    size_t first, end, i, number;
    qsort(entries, count, sizeof *entries, compare_looks);
    for (first = 0; first < count; first = end) {
        end = end_of_look(entries, count, first);
        if (strcmp(entries[first].name, entries[end - 1].name) == 0) continue;
        for (i = first, number = 0; i < end; i++) {
            number += i == first || strcmp(entries[i].name, entries[i - 1].name) != 0;
            set_look(&entries[i], add_number(entries[i].look, most, number));
        }
    }
}

void distinct_names(char **names, size_t count, size_t most) {
    entry *entries = (entry *)tool_alloc(count * sizeof *entries);
    size_t first, end, i;
    for (i = 0; i < count; i++) {
        text look = {NULL, 0, 0};
        text_short(&look, names[i], most);
        entries[i].name = names[i];
        entries[i].row = i;
        entries[i].look = text_take(&look);
    }
    if (count) qsort(entries, count, sizeof *entries, compare_looks);
    for (first = 0; first < count; first = end) {
        const char *a = entries[first].name, *b;
        end = end_of_look(entries, count, first);
        b = entries[end - 1].name; /* by names, so all have what the first and the last share */
        if (strcmp(a, b) == 0) continue;
        for (i = first; i < end; i++) {
            const char *from = entries[i].name + (first_difference(a, b) - a);
            set_look(&entries[i], keep_part(entries[i].name, from, most));
        }
    }
    number_equals(entries, count, most);
    for (i = 0; i < count; i++) names[entries[i].row] = entries[i].look;
    free(entries);
}
