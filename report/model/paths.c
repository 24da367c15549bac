/* paths.c - stacks as text that fits a table.

   A stack is written outermost first and keeps its two ends: who began it and
   what is hot. Two rows that differ in the middle alone would look the same.
   Such rows stand side by side when rows are sorted by their text. In preorder,
   each of them also shows the frames at which it leaves its neighbours' stacks:

       main > run > (9 more) > eval_and > (3 more) > eval > call > step > next > get > hash
       main > run > (9 more) > eval_or > (3 more) > eval > call > step > next > get > hash

   Finding these frames walks up both stacks. All walks together take at most
   WALK steps for each row; rows that are left get numbers, (1), (2). Functions
   that share a name have numbers, too: init #2. */
#include "report/model/paths.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/tool.h"
#include "report/model/identities.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST = 2, LAST = 6, WALK = 64 };

/* Longer names than people write: a small file must not fill a disk with
   them. */
enum { NAME_MOST = 400 };

/* A walk outwards for each row would take too long in a deep tree. */
typedef struct path_start {
    uint32_t depth, first[FIRST];
} path_start;

/* What a row shows that its short text would not tell. */
typedef struct path_mark {
    uint32_t node, number; /* number 0: none */
    uint32_t at[2];        /* frames in the middle; 0: none */
} path_mark;

struct report_paths {
    const report_tree *tree;
    path_start *starts;
    path_mark *marks; /* by node */
    size_t mark_count;
};

void report_path_name(const report_tree *tree, uint32_t name, text *out) {
    text_add(out, tree->names[name]);
    if (!tree->twin || !tree->twin[name]) return;
    if (tree->file && *tree->file[name]) {
        char *place = identity_place(tree->file[name], tree->line[name]);
        text_add(out, " (");
        text_add(out, place);
        text_add(out, ")");
        free(place);
    } else if (tree->twin[name] > 1) text_format(out, " #%lu", (unsigned long)tree->twin[name]);
}

/* ---- text --------------------------------------------------------------------------------- */

char *report_frame(const report_tree *tree, uint32_t name) {
    text frame = {NULL, 0, 0};
    report_path_name(tree, name, &frame);
    return text_take(&frame);
}

static void add_frame(const report_paths *p, text *out, uint32_t node, uint32_t *depth) {
    uint32_t skipped = p->starts[node].depth - *depth - 1;
    if (*depth) text_add(out, " > ");
    if (skipped) text_format(out, "(%lu more) > ", (unsigned long)skipped);
    if (strlen(p->tree->names[p->tree->name[node]]) <= NAME_MOST)
        report_path_name(p->tree, p->tree->name[node], out);
    else text_short(out, p->tree->names[p->tree->name[node]], NAME_MOST);
    *depth = p->starts[node].depth;
}

/* The outermost `first` frames, the innermost `kept`, and what the mark wants
   between them. */
static void add_ends(const report_paths *p, const path_mark *mark, uint32_t node, uint32_t first,
                     uint32_t kept, text *out) {
    uint32_t last[LAST], at, i, k, count = 0, depth = 0;
    uint32_t outer = p->starts[node].depth > kept ? p->starts[node].depth - kept : 0;
    for (at = node; at && count < kept; at = p->tree->parent[at]) last[count++] = at;
    for (i = 0; i < outer && i < first; i++) add_frame(p, out, p->starts[node].first[i], &depth);
    for (i = 0; mark && i < 2; i++) {
        k = mark->at[i];
        if (k && p->starts[k].depth > depth && p->starts[k].depth <= outer)
            add_frame(p, out, k, &depth);
    }
    while (count--) add_frame(p, out, last[count], &depth);
    if (mark && mark->number) text_format(out, " (%lu)", (unsigned long)mark->number);
}

static void add_path(const report_paths *p, const path_mark *mark, uint32_t node, text *out) {
    add_ends(p, mark, node, FIRST, LAST, out);
}

static int compare_marks(const void *left, const void *right) {
    const path_mark *a = (const path_mark *)left, *b = (const path_mark *)right;
    return a->node < b->node ? -1 : a->node > b->node;
}

static const path_mark *find_mark(const report_paths *p, uint32_t node) {
    path_mark key = {0, 0, {0, 0}};
    key.node = node;
    if (!p->mark_count) return NULL;
    return (const path_mark *)bsearch(&key, p->marks, p->mark_count, sizeof key, compare_marks);
}

void report_path(const report_paths *p, uint32_t node, text *out) {
    add_path(p, find_mark(p, node), node, out);
}

static size_t columns_of(const text *t, size_t from) {
    size_t columns = 0;
    for (; from < t->size; from++) columns += ((unsigned char)t->data[from] & 0xC0) != 0x80;
    return columns;
}

void report_path_fit(const report_paths *p, uint32_t node, size_t most, text *out) {
    const path_mark *mark = find_mark(p, node);
    size_t start = out->size;
    uint32_t kept, first = FIRST;
    for (kept = LAST; kept; kept--) {
        out->size = start;
        add_ends(p, mark, node, first, kept, out);
        if (columns_of(out, start) <= most) return;
        if (kept == 2) first = 1;
    }
}

int report_path_matches(const report_paths *p, uint32_t node, const char *pattern) {
    text name = {NULL, 0, 0};
    int found = 0;
    for (; node && !found; node = p->tree->parent[node]) {
        name.size = 0;
        report_path_name(p->tree, p->tree->name[node], &name);
        text_bytes(&name, "", 1);
        found = glob_matches_function(pattern, name.data);
    }
    text_free(&name);
    return found;
}

/* ---- rows that would look the same -------------------------------------------------------- */

typedef struct hashed_path {
    uint64_t hash;
    path_mark mark;
} hashed_path;

static int compare_hashes(const void *left, const void *right) {
    const hashed_path *a = (const hashed_path *)left, *b = (const hashed_path *)right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return compare_marks(&a->mark, &b->mark);
}

/* Rows of one text come side by side, in preorder. Two texts of one hash would
   at worst show more than they need. */
static void sort_by_text(const report_paths *p, hashed_path *rows, size_t count) {
    text line = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < count; i++) {
        line.size = 0;
        add_path(p, &rows[i].mark, rows[i].mark.node, &line);
        rows[i].hash = hash_fnv(line.data, line.size, 0);
    }
    text_free(&line);
    if (count) qsort(rows, count, sizeof *rows, compare_hashes);
}

/* Marks of a and b, of one depth and a before b in preorder, the frames where
   they part. */
static void mark_parting(const report_tree *tree, path_mark *a, path_mark *b, uint64_t *steps) {
    uint32_t left = a->node, right = b->node;
    for (; *steps && left && right && tree->parent[left] != tree->parent[right]; --*steps) {
        left = tree->parent[left];
        right = tree->parent[right];
    }
    if (!*steps || left == right || !left || !right) return;
    a->at[1] = left;
    b->at[0] = right;
}

/* The outer one first, and none twice. */
static void put_in_order(const report_paths *p, path_mark *mark) {
    uint32_t outer = mark->at[0];
    if (!mark->at[0] || !mark->at[1]) return;
    if (p->starts[outer].depth <= p->starts[mark->at[1]].depth) return;
    mark->at[0] = mark->at[1];
    mark->at[1] = outer;
}

/* The end of the rows that have the text of the row `first`. */
static size_t end_of_equals(const hashed_path *rows, size_t count, size_t first) {
    size_t end = first + 1;
    while (end < count && rows[end].hash == rows[first].hash) end++;
    return end;
}

static void mark_equals(report_paths *p, hashed_path *rows, size_t count) {
    uint64_t steps = (uint64_t)WALK * count + 4096;
    size_t first, end, i, k;
    sort_by_text(p, rows, count);
    for (first = 0; first < count; first = end) {
        end = end_of_equals(rows, count, first);
        for (i = first + 1; i < end; i++)
            mark_parting(p->tree, &rows[i - 1].mark, &rows[i].mark, &steps);
        for (i = first; i < end; i++) put_in_order(p, &rows[i].mark);
    }
    sort_by_text(p, rows, count);
    for (first = 0; first < count; first = end) {
        end = end_of_equals(rows, count, first);
        for (i = first; i < end && end - first > 1; i++)
            rows[i].mark.number = (uint32_t)(i - first) + 1;
    }
    for (i = 0, k = 0; i < count; i++) k += rows[i].mark.number || rows[i].mark.at[0] ||
                                            rows[i].mark.at[1];
    p->marks = (path_mark *)tool_alloc(k * sizeof *p->marks);
    for (i = 0; i < count; i++) {
        if (rows[i].mark.number || rows[i].mark.at[0] || rows[i].mark.at[1])
            p->marks[p->mark_count++] = rows[i].mark;
    }
    if (k) qsort(p->marks, k, sizeof *p->marks, compare_marks);
}

report_paths *report_paths_make(const report_tree *tree, const uint32_t *nodes, size_t count) {
    report_paths *p = (report_paths *)tool_alloc(sizeof *p);
    hashed_path *rows = (hashed_path *)tool_alloc(count * sizeof *rows);
    uint32_t i;
    size_t k;
    p->tree = tree;
    p->starts = (path_start *)tool_alloc(tree->count * sizeof *p->starts);
    for (i = 1; i < tree->count; i++) {
        p->starts[i] = p->starts[tree->parent[i]];
        if (p->starts[i].depth < FIRST) p->starts[i].first[p->starts[i].depth] = i;
        p->starts[i].depth++;
    }
    for (k = 0; k < count; k++) rows[k].mark.node = nodes[k];
    mark_equals(p, rows, count);
    free(rows);
    return p;
}

void report_paths_free(report_paths *p) {
    if (!p) return;
    free(p->starts);
    free(p->marks);
    free(p);
}
