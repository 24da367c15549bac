/* tree_json.c - columns of trees for programs and for the page. */
#include "model/tree_json.h"
#include "base/deflate.h"
#include "base/json.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PACKS_FROM = 4096 };

/* ---- the order of the page: preorder, the hottest child first ---- */

typedef struct heavy_node {
    uint64_t sum;
    uint32_t parent, node;
} heavy_node;

static int by_parent_and_sum(const void *left, const void *right) {
    const heavy_node *a = (const heavy_node *)left, *b = (const heavy_node *)right;
    if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
    if (a->sum != b->sum) return a->sum > b->sum ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The nodes in that order, and the depth of each. To be freed by the caller. */
static uint32_t *hottest_first(const report_tree *tree, uint32_t *depth) {
    heavy_node *list = (heavy_node *)tool_alloc(tree->count * sizeof *list);
    uint32_t *first = (uint32_t *)tool_alloc((tree->count + 1) * sizeof *first);
    uint32_t *order = (uint32_t *)tool_alloc(tree->count * sizeof *order);
    uint32_t *waiting = (uint32_t *)tool_alloc(tree->count * sizeof *waiting);
    size_t i, count = 0, made = 0;
    for (i = 0; i < tree->count; i++) {
        list[i].node = (uint32_t)i;
        list[i].parent = tree->parent[i];
        list[i].sum = tree->lower[i];
    }
    for (i = tree->count; i-- > 1;) {
        uint64_t *up = &list[tree->parent[i]].sum;
        *up = *up + list[i].sum < *up ? UINT64_MAX : *up + list[i].sum;
    }
    if (tree->count > 1) qsort(list + 1, tree->count - 1, sizeof *list, by_parent_and_sum);
    for (i = 1; i < tree->count; i++) first[list[i].parent + 1]++;
    first[0] = 1; /* behind the root */
    for (i = 0; i < tree->count; i++) first[i + 1] += first[i];
    waiting[count++] = 0;
    while (count) {
        uint32_t node = waiting[--count], k;
        order[made++] = node;
        depth[node] = node ? depth[tree->parent[node]] + 1 : 0;
        for (k = first[node + 1]; k > first[node]; k--) waiting[count++] = list[k - 1].node;
    }
    free(list);
    free(first);
    free(waiting);
    return order;
}

/* ---- packed columns ---- */

static void put_number(text *out, uint64_t number) {
    char bytes[10];
    size_t size = 0;
    for (; number >= 128; number >>= 7) bytes[size++] = (char)(unsigned char)((number & 127) | 128);
    bytes[size++] = (char)number;
    text_bytes(out, bytes, size);
}

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

/* Columns have their length before them, in four bytes. */
static size_t begin_column(text *out) {
    text_bytes(out, "\0\0\0\0", 4);
    return out->size;
}
static void end_column(text *out, size_t from) {
    size_t size = out->size - from;
    int i;
    for (i = 0; i < 4; i++) out->data[from - 4 + (size_t)i] = (char)(unsigned char)(size >> 8 * i & 255);
}

static void add_packed(const report_tree *tree, const double *low, const double *high,
                       const uint32_t *order, const uint32_t *depth, text *out) {
    text raw = {NULL, 0, 0}, small = {NULL, 0, 0};
    size_t from = begin_column(&raw), i;
    int column;
    for (i = 0; i < tree->count; i++)
        put_number(&raw, i ? depth[order[i - 1]] + 1 - depth[order[i]] : 0);
    end_column(&raw, from);
    for (column = 0; column < (low ? 5 : 3); column++) {
        from = begin_column(&raw);
        for (i = 0; i < tree->count; i++) {
            uint32_t node = order[i];
            uint64_t lower = kept(tree->lower[node]), upper = kept(tree->upper[node]);
            put_number(&raw, column == 0   ? tree->name[node]
                             : column == 1 ? lower
                             : column == 2 ? upper - lower
                             : column == 3 ? millionths(low[node], 0)
                                           : millionths(high[node], 1));
        }
        end_column(&raw, from);
    }
    deflate_bytes(&small, (const unsigned char *)raw.data, raw.size);
    text_free(&raw);
    text_format(out, "\"packed\":{\"count\":%lu,\"columns\":%d,\"data\":\"",
                (unsigned long)tree->count, low ? 6 : 4);
    deflate_base64(out, (const unsigned char *)small.data, small.size);
    text_add(out, "\"}");
    text_free(&small);
}

/* ---- threads ---- */

/* place: the number that the page knows each node by; NULL: its own. */
static void add_threads(const report_tree *tree, const uint32_t *place, text *out) {
    size_t i;
    int column;
    static const char *const names[] = {"thread", "node", "count"};
    text_add(out, ",\n\"threads\":{\"names\":[");
    for (i = 0; i < tree->thread_count; i++) {
        if (i) text_add(out, ",");
        text_json(out, tree->threads[i]);
    }
    text_add(out, "]");
    for (column = 0; column < 3; column++) {
        text_format(out, ",\n\"%s\":[", names[column]);
        for (i = 0; i < tree->sample_count; i++) {
            const report_sample *item = &tree->samples[i];
            if (i) text_add(out, ",");
            if (column == 0) text_number(out, item->thread);
            else if (column == 1) text_number(out, place ? place[item->node] : item->node);
            else json_count(out, item->count);
        }
        text_add(out, "]");
    }
    text_add(out, "}");
}

void report_tree_json(const report *r, const report_tree *tree, const double *low, const double *high,
                      text *out) {
    uint32_t *place = NULL;
    size_t i;
    if (r->options.packs_trees && tree->count >= PACKS_FROM && tree->count < UINT32_MAX / 40) {
        uint32_t *depth = (uint32_t *)tool_alloc(tree->count * sizeof *depth);
        uint32_t *order = hottest_first(tree, depth);
        add_packed(tree, low, high, order, depth, out);
        place = depth; /* it has served */
        for (i = 0; i < tree->count; i++) place[order[i]] = (uint32_t)i;
        free(order);
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
        }
    }
    if (tree->thread_count > 1) add_threads(tree, place, out);
    free(place);
}
