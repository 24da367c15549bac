/* tree_json.c - columns of trees for programs and for the page. */
#include "report/model/tree_json.h"
#include "base/deflate.h"
#include "base/json.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PACKS_FROM = 4096 };

/* ---- the order of the page: preorder, the hottest child first ---- */

static const uint64_t *sums_of_nodes; /* qsort hands nothing through */

static int by_sum(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (sums_of_nodes[a] != sums_of_nodes[b]) return sums_of_nodes[a] > sums_of_nodes[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/* The children of node i are child[first[i]] to child[first[i + 1] - 1], the
   hottest first. Both are to be freed by the caller. */
static uint32_t *children_of(const report_tree *tree, uint32_t **first_child) {
    uint64_t *sum = (uint64_t *)tool_alloc(tree->count * sizeof *sum);
    uint32_t *child = (uint32_t *)tool_alloc(tree->count * sizeof *child);
    uint32_t *first = (uint32_t *)tool_alloc((tree->count + 2) * sizeof *first);
    size_t i;
    memcpy(sum, tree->lower, tree->count * sizeof *sum);
    for (i = tree->count; i-- > 1;) {
        uint64_t *up = &sum[tree->parent[i]];
        *up = *up + sum[i] < *up ? UINT64_MAX : *up + sum[i];
        first[tree->parent[i] + 2]++;
    }
    for (i = 1; i <= tree->count; i++) first[i + 1] += first[i];
    for (i = 1; i < tree->count; i++) child[first[tree->parent[i] + 1]++] = (uint32_t)i;
    sums_of_nodes = sum;
    for (i = 0; i < tree->count; i++) {
        if (first[i + 1] - first[i] > 1)
            qsort(child + first[i], first[i + 1] - first[i], sizeof *child, by_sum);
    }
    free(sum);
    *first_child = first;
    return child;
}

/* The nodes in that order, and the depth of each. Both are to be freed by the
   caller. */
static uint32_t *hottest_first(const report_tree *tree, uint32_t **depth_of) {
    uint32_t *first, *child = children_of(tree, &first);
    uint32_t *order = (uint32_t *)tool_alloc(tree->count * sizeof *order);
    uint32_t *depth = (uint32_t *)tool_alloc(tree->count * sizeof *depth);
    uint32_t *next = NULL, node = 0; /* next[d]: where the children of the open node there go on */
    size_t made = 1, room = 0, level = 0;
    for (;;) { /* node has just been put in order */
        if (level == room) next = (uint32_t *)tool_grow(next, (room = 2 * room + 64) * sizeof *next);
        next[level] = first[node];
        while (next[level] == first[node + 1] && level) {
            node = tree->parent[node];
            level--;
        }
        if (next[level] == first[node + 1]) break;
        node = child[next[level]++];
        order[made++] = node;
        depth[node] = (uint32_t)++level;
    }
    free(next);
    free(child);
    free(first);
    *depth_of = depth;
    return order;
}

/* ---- packed columns ---- */

/* As json_count: readers keep numbers in doubles. */
static uint64_t kept(uint64_t count) {
    const uint64_t most = ((uint64_t)1 << 53) - 1;
    return count < most ? count : most;
}

/* 0: none; else 1 + millionths, so rounded that the interval does not become
   smaller. */
static uint64_t millionths(double part, int is_high) {
    if (!(part <= 1)) return 0;
    return 1 + (uint64_t)(is_high ? ceil(part * 1e6) : floor(part * 1e6));
}

/* What each column has of the i-th node: levels up from the node before, name,
   counts; ends of the interval, or squares. */
typedef struct packed_tree {
    const report_tree *tree;
    const double *low, *high;
    const uint32_t *order, *depth;
} packed_tree;

static uint64_t value_of(const packed_tree *p, int column, size_t i) {
    uint32_t node = p->order[i];
    uint64_t lower = kept(p->tree->lower[node]);
    switch (column) {
    case 0: return i ? p->depth[p->order[i - 1]] + 1 - p->depth[node] : 0;
    case 1: return p->tree->name[node];
    case 2: return lower;
    case 3: return kept(p->tree->upper[node]) - lower;
    case 4: return p->low ? millionths(p->low[node], 0) : kept((uint64_t)p->tree->squares[node]);
    default: return millionths(p->high[node], 1);
    }
}

/* Seven bits of each value, the lowest first; 128 says that more follow. First
   stands the first byte of all values, then the second byte of all that have
   one, and so on: bytes of one kind stand together, so one Huffman code fits
   them. */
static void put_column(const packed_tree *p, int column, text *out) {
    size_t i;
    int shift, is_more = 1;
    for (shift = 0; is_more; shift += 7) {
        is_more = 0;
        for (i = 0; i < p->tree->count; i++) {
            uint64_t rest = value_of(p, column, i) >> shift;
            char byte = (char)(unsigned char)((rest & 127) | (rest > 127 ? 128 : 0));
            if (shift && !rest) continue;
            if (rest > 127) is_more = 1;
            text_bytes(out, &byte, 1);
        }
    }
}

/* Frees the columns. */
static void add_packed(text *raw, size_t count, int columns, text *out) {
    text small = {NULL, 0, 0};
    deflate_bytes(&small, (const unsigned char *)raw->data, raw->size);
    text_free(raw);
    text_format(out, "\"packed\":{\"count\":%lu,\"columns\":%d,\"data\":\"", (unsigned long)count,
                columns);
    deflate_base64(out, (const unsigned char *)small.data, small.size);
    text_add(out, "\"}");
    text_free(&small);
}

/* Do looks count differently? Else the squares are the counts. */
static int has_squares(const report_tree *tree) {
    size_t i;
    for (i = 0; tree->squares && i < tree->count; i++)
        if (tree->squares[i] > (double)tree->lower[i]) return 1;
    return 0;
}

/* With threads, returns the number that the page knows each node by, to be
   freed by the caller; else NULL. */
static uint32_t *pack(const report_tree *tree, const double *low, const double *high, text *out) {
    uint32_t *depth, *order = hottest_first(tree, &depth), *place = NULL;
    int columns = low ? 6 : has_squares(tree) ? 5 : 4, column;
    text raw = {NULL, 0, 0};
    packed_tree packed;
    size_t i;
    packed.tree = tree;
    packed.low = low;
    packed.high = high;
    packed.order = order;
    packed.depth = depth;
    for (column = 0; column < columns; column++) put_column(&packed, column, &raw);
    if (tree->thread_count > 1) {
        place = depth; /* it has served */
        for (i = 0; i < tree->count; i++) place[order[i]] = (uint32_t)i;
    } else {
        free(depth);
    }
    free(order);
    add_packed(&raw, tree->count, columns, out);
    return place;
}

/* ---- places and threads ---- */

void report_tree_places(const report_tree *tree, text *out) {
    text place = {NULL, 0, 0};
    size_t i;
    if (!tree->file) return;
    text_add(out, "\"places\":[");
    for (i = 0; i < tree->name_count; i++) {
        if (i) text_add(out, ",");
        place.size = 0;
        text_add(&place, tree->file[i]);
        if (place.size) text_format(&place, ":%lu", (unsigned long)tree->line[i]);
        text_bytes(&place, "", 1);
        text_json(out, place.data);
    }
    text_add(out, "],\n");
    text_free(&place);
}

/* place: the number that the page knows each node by; NULL: its own. */
static void add_threads(const report_tree *tree, const uint32_t *place, text *out) {
    size_t i;
    int column;
    static const char *const names[] = {"thread", "node", "count", "squares"};
    const int columns = has_squares(tree) ? 4 : 3;
    text_add(out, ",\n\"threads\":{\"names\":[");
    for (i = 0; i < tree->thread_count; i++) {
        if (i) text_add(out, ",");
        text_json(out, tree->threads[i]);
    }
    text_add(out, "]");
    for (column = 0; column < columns; column++) {
        text_format(out, ",\n\"%s\":[", names[column]);
        for (i = 0; i < tree->sample_count; i++) {
            const report_sample *item = &tree->samples[i];
            if (i) text_add(out, ",");
            if (column == 0) text_number(out, item->thread);
            else if (column == 1) text_number(out, place ? place[item->node] : item->node);
            else if (column == 2) json_count(out, item->count);
            else json_real(out, item->squares);
        }
        text_add(out, "]");
    }
    text_add(out, "}");
}

void report_tree_json(const report *r, const report_tree *tree, const double *low, const double *high,
                      text *out) {
    uint32_t *place = NULL;
    if (r->options.packs_trees && tree->count >= PACKS_FROM && tree->count < UINT32_MAX / 40) {
        place = pack(tree, low, high, out);
    } else {
        text_add(out, "\"parent\":");
        json_list32(out, tree->parent, tree->count);
        text_add(out, ",\n\"name\":");
        json_list32(out, tree->name, tree->count);
        text_add(out, ",\n\"lower\":");
        json_list64(out, tree->lower, tree->count);
        text_add(out, ",\n\"upper\":");
        json_list64(out, tree->upper, tree->count);
        if (low) {
            text_add(out, ",\n\"share_low\":");
            json_list_real(out, low, tree->count);
            text_add(out, ",\n\"share_high\":");
            json_list_real(out, high, tree->count);
        } else if (has_squares(tree)) {
            text_add(out, ",\n\"squares\":");
            json_list_real(out, tree->squares, tree->count);
        }
    }
    if (tree->thread_count > 1) add_threads(tree, place, out);
    free(place);
}
