/* context_rows.c - from rows of threads to one sum for each function and each
   pair, by the keys that the tree of contexts has for them. Cost: n log n. */
#include "report/model/context_rows.h"
#include "base/tool.h"
#include "report/model/sampled_ranges.h"
#include <stdlib.h>
#include <string.h>

typedef struct key_name {
    const char *name;
    uint32_t key;
} key_name;

typedef struct sum {
    uint32_t caller, callee; /* keys; caller 0: by all of its callers */
    ranges_sums sums;
} sum;

struct context_rows {
    ranges ranges;
    sum *sums; /* by caller and callee */
    size_t count;
};

static int compare_names(const void *left, const void *right) {
    const key_name *a = (const key_name *)left, *b = (const key_name *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : a->key < b->key ? -1 : a->key > b->key;
}

/* The key of a name; 0 if no key has it, or several have. */
static uint32_t key_of(const key_name *names, size_t count, const char *name) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(names[middle].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    if (low == count || strcmp(names[low].name, name) != 0) return 0;
    if (low + 1 < count && strcmp(names[low + 1].name, name) == 0) return 0;
    return names[low].key;
}

/* The key of each site. If two sites of one name both have calls, neither stands for
   the function. */
static uint32_t *find_keys(const contexts *c, const tally *s) {
    key_name *names = (key_name *)tool_alloc(c->key_count * sizeof *names);
    uint32_t *keys = (uint32_t *)tool_alloc(s->sites.count * sizeof *keys);
    uint32_t *site_of = (uint32_t *)tool_alloc((c->key_count + 1) * sizeof *site_of); /* + 1 */
    size_t i;
    for (i = 0; i < c->key_count; i++) {
        names[i].name = contexts_name(c, (uint32_t)i + 1);
        names[i].key = (uint32_t)i + 1;
    }
    if (c->key_count) qsort(names, c->key_count, sizeof *names, compare_names);
    for (i = 0; i < s->sites.count; i++)
        keys[i] = key_of(names, c->key_count, s->sites.at[i].name);
    for (i = 0; i < s->rows.count; i++) {
        uint32_t site = s->rows.at[i].site, *first = &site_of[keys[site]];
        if (!(s->sites.at[site].kind & SITE_CALL) || !keys[site]) continue;
        if (*first && *first != site + 1) keys[site] = keys[*first - 1] = 0;
        else *first = site + 1;
    }
    free(names);
    free(site_of);
    return keys;
}

static int compare_sums(const void *left, const void *right) {
    const sum *a = (const sum *)left, *b = (const sum *)right;
    if (a->caller != b->caller) return a->caller < b->caller ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static size_t fold(sum *sums, size_t count) {
    size_t i, kept = 0;
    if (count) qsort(sums, count, sizeof *sums, compare_sums);
    for (i = 0; i < count; i++) {
        if (kept && compare_sums(&sums[kept - 1], &sums[i]) == 0)
            ranges_join(&sums[kept - 1].sums, &sums[i].sums);
        else sums[kept++] = sums[i];
    }
    return kept;
}

context_rows *context_rows_make(const contexts *c, const contexts_tree *tree, const tally *s) {
    context_rows *rows;
    uint32_t *keys;
    uint64_t calls = 0;
    size_t i;
    for (i = 0; i < s->rows.count; i++) {
        if ((s->sites.at[s->rows.at[i].site].kind & SITE_CLASSES) == SITE_CALL)
            calls = sampled_add(calls, s->rows.at[i].count);
    }
    if (calls != tree->field[CONTEXTS_TOTAL]) return NULL; /* other bursts have other calls */
    rows = (context_rows *)tool_alloc(sizeof *rows);
    ranges_make(&rows->ranges, s);
    rows->sums = (sum *)tool_alloc(2 * s->rows.count * sizeof *rows->sums);
    keys = find_keys(c, s);
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *row = &s->rows.at[i];
        uint32_t key = keys[row->site], caller = row->caller;
        if ((s->sites.at[row->site].kind & SITE_CLASSES) != SITE_CALL || !key) continue;
        rows->sums[rows->count].callee = key;
        ranges_add(&rows->sums[rows->count++].sums, row, 0);
        if (caller == TALLY_NO_SITE || !keys[caller]) continue;
        rows->sums[rows->count].caller = keys[caller];
        rows->sums[rows->count].callee = key;
        ranges_add(&rows->sums[rows->count++].sums, row, 1);
    }
    rows->count = fold(rows->sums, rows->count);
    free(keys);
    return rows;
}

interval context_rows_find(const context_rows *rows, uint32_t caller, uint32_t callee,
                           uint64_t calls) {
    interval none = {-1, -1};
    const sum *found;
    sum wanted;
    if (!rows || rows->ranges.basis != RANGES_BURSTS || rows->count == 0) return none;
    memset(&wanted, 0, sizeof wanted);
    wanted.caller = caller;
    wanted.callee = callee;
    found = (const sum *)bsearch(&wanted, rows->sums, rows->count, sizeof wanted, compare_sums);
    if (!found || found->sums.sampled != calls) return none;
    return ranges_share(&rows->ranges, &found->sums, SITE_CALL);
}

void context_rows_free(context_rows *rows) {
    if (rows) free(rows->sums);
    free(rows);
}
