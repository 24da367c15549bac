/* order.c - an order of functions for the linker, so that those which run one
   after the other lie side by side: one name a line, for ld.lld
   --symbol-ordering-file, or gold --section-ordering-file with ".text." in
   front of each.

   The heaviest edge comes first; two chains become one where an edge joins
   them, turned so that its ends meet if they can. So Pettis and Hansen place
   procedures ("Profile Guided Code Positioning", PLDI 1990). Chains follow by
   their heat. */
#include "base/tool.h"
#include "report/write/affinity.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct chain {
    uint32_t first, last;
    uint64_t heat;
} chain;
typedef struct order {
    chain *chains;
    uint32_t *chain_of, *next;
} order;

static void reverse(order *o, chain *c) {
    uint32_t i = c->first, before = NONE, after;
    c->last = c->first;
    while (i != NONE) {
        after = o->next[i];
        o->next[i] = before;
        before = i;
        i = after;
    }
    c->first = before;
}

static void join(order *o, uint32_t a, uint32_t b) {
    uint32_t name = o->chain_of[a], i;
    chain *x = &o->chains[name], *y = &o->chains[o->chain_of[b]];
    if (x == y) {
        return;
    }
    if (x->first == a && x->last != a) {
        reverse(o, x);
    }
    if (y->last == b && y->first != b) {
        reverse(o, y);
    }
    o->next[x->last] = y->first;
    for (i = y->first; i != NONE; i = o->next[i]) {
        o->chain_of[i] = name;
    }
    x->last = y->last;
    x->heat = x->heat + y->heat < x->heat ? UINT64_MAX : x->heat + y->heat;
    y->first = NONE;
}

static int by_heat(const void *left, const void *right) {
    const chain *x = (const chain *)left, *y = (const chain *)right;
    if (x->heat != y->heat) {
        return x->heat < y->heat ? 1 : -1;
    }
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Without "+0x1f", an instruction's place in its function. */
static size_t without_offset(const char *name, size_t length) {
    size_t at = length;
    while (at > 0 && isxdigit((unsigned char)name[at - 1])) at--;
    return at > 3 && at < length && memcmp(name + at - 3, "+0x", 3) == 0 ? at - 3 : length;
}

/* "name (file:line)" and "name+0x1f" are a line and an instruction of a function
   of that name; other names stand for themselves. */
static size_t function_length(const char *name) {
    size_t length = strlen(name);
    const char *at = name + length;
    if (length && name[length - 1] == ')') {
        while (at > name + 1 && !(at[0] == '(' && at[-1] == ' ')) at--;
        if (at > name + 1 && strchr(at, ':')) length = (size_t)(at - 1 - name);
    }
    return without_offset(name, length);
}

/* The tree with its names cut to functions. */
static report_tree functions_of(const report_tree *tree) {
    report_tree cut = *tree;
    size_t i;
    cut.names = (char **)tool_alloc((tree->name_count + 1) * sizeof *cut.names);
    for (i = 0; i < tree->name_count; i++) {
        cut.names[i] = text_clean(tree->names[i], function_length(tree->names[i]));
    }
    return cut;
}

static void put_order(const affinity *a, text *out) {
    order o;
    uint32_t count = (uint32_t)a->name_count, k;
    size_t i;
    o.chains = (chain *)tool_alloc((count + 1) * sizeof *o.chains);
    o.chain_of = (uint32_t *)tool_alloc((count + 1) * sizeof *o.chain_of);
    o.next = (uint32_t *)tool_alloc((count + 1) * sizeof *o.next);
    for (k = 0; k < count; k++) {
        o.chains[k].first = o.chains[k].last = k;
        o.chains[k].heat = a->heat[k];
        o.chain_of[k] = k;
        o.next[k] = NONE;
    }
    for (i = 0; i < a->edge_count; i++) {
        join(&o, a->edges[i].a, a->edges[i].b);
    }
    if (count) {
        qsort(o.chains, count, sizeof *o.chains, by_heat);
    }
    for (i = 0; i < count; i++) {
        for (k = o.chains[i].first; k != NONE; k = o.next[k]) {
            const char *name = a->names[k];
            if (a->heat[k] == 0 || !*name || *name == '(' || strncmp(name, "0x", 2) == 0) {
                continue;
            }
            text_plain(out, name);
            text_add(out, "\n");
        }
    }
    free(o.chains);
    free(o.chain_of);
    free(o.next);
}

static void write_order(const report *r, text *out) {
    report_tree *cut;
    size_t i, k, count = 0, n = 0;
    affinity a;
    memset(&a, 0, sizeof a);
    for (i = 0; i < r->part_count; i++) {
        count += r->parts[i].tree_count;
    }
    cut = (report_tree *)tool_alloc((count + 1) * sizeof *cut);
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].tree_count; k++) {
            if (!r->parts[i].trees[k]->is_whole) {
                continue;
            } /* objects are no functions */
            cut[n] = functions_of(r->parts[i].trees[k]);
            affinity_add(&a, &cut[n++]);
        }
    }
    affinity_settle(&a);
    put_order(&a, out);
    affinity_free(&a);
    while (n--) {
        for (i = 0; i < cut[n].name_count; i++) {
            free(cut[n].names[i]);
        }
        free(cut[n].names);
    }
    free(cut);
}

static int has_order(const report *r) {
    text out = { NULL, 0, 0 };
    int found;
    write_order(r, &out);
    found = out.size != 0;
    text_free(&out);
    return found;
}

const report_writer writer_order = {
    "order",
    "functions for a linker's order file, those that run together side by side",
    0,
    0,
    write_order,
    has_order,
    NULL,
};
