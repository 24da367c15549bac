/* trained.c - a run's counts of edges as the weights of the next plan. */
#define EDGEPROF_WIDE
#include "cc/put/trained.h"
#include "base/input.h"
#include "base/tool.h"
#include "edgeprof.h"
#include "report/kinds/decisions.h"
#include "report/model/derive.h"
#include <stdlib.h>
#include <string.h>

struct cc_trained {
    input in;
    const edges_all *all;
    derive_all *derive;
    const edges_function **by_name; /* those that have one */
    size_t count;
};

static int compare(const edges_function *a, const char *name, const char *file) {
    int order = strcmp(a->name, name);
    return order ? order : strcmp(a->file, file);
}

static int by_name(const void *left, const void *right) {
    const edges_function *a = *(const edges_function *const *)left;
    const edges_function *b = *(const edges_function *const *)right;
    int order = compare(a, b->name, b->file);
    if (order) return order;
    return a->key < b->key ? -1 : a->key > b->key;
}

cc_trained *cc_trained_read(const char *path) {
    cc_trained *t = (cc_trained *)tool_alloc(sizeof *t);
    size_t i;
    memset(t, 0, sizeof *t);
    if (input_open(&t->in, path) != TOOL_OK) {
        cc_trained_free(t);
        return NULL;
    }
    input_settle(&t->in);
    t->all = (const edges_all *)input_find(&t->in, &kind_edges);
    if (!t->all || !t->all->function_count || !t->all->count) {
        tool_error("%s: no counts of bursty cc --cover with tables of functions", path);
        cc_trained_free(t);
        return NULL;
    }
    t->derive = derive_open(t->all,
                            (const decisions_all *)input_find(&t->in, &kind_decisions));
    t->by_name = (const edges_function **)tool_alloc((t->all->function_count + 1) *
                                                     sizeof *t->by_name);
    for (i = 0; i < t->all->function_count; i++)
        if (*t->all->functions[i].name) t->by_name[t->count++] = &t->all->functions[i];
    if (t->count) qsort((void *)t->by_name, t->count, sizeof *t->by_name, by_name);
    return t;
}

/* Functions of one name and file: copies of a header's in several objects. */
static size_t first_of(const cc_trained *t, const char *name, const char *file) {
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(t->by_name[middle], name, file) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

int cc_trained_weigh(const cc_trained *t, const char *name, const char *file, edgeplan *plan) {
    size_t i;
    int found = 0;
    for (i = first_of(t, name, file); i < t->count; i++) {
        const edges_function *f = t->by_name[i];
        const char *fault = NULL;
        int has_counts;
        derived d;
        uint32_t e;
        if (compare(f, name, file) != 0) break;
        if (f->bits <= 8 || f->vertices != plan->vertices || f->edges != plan->edges ||
            memcmp(f->ends, plan->ends, 2 * (size_t)f->edges * sizeof *f->ends) != 0)
            continue;
        if (derive_function(t->derive, f, &d, &fault, &has_counts) != 0) continue;
        for (e = 0; e <= plan->edges && !fault && has_counts; e++) {
            double rule = found ? 0 : plan->weight[e] / (1 + plan->weight[e]) - plan->weight[e];
            plan->weight[e] += rule + (double)d.count[e];
        }
        found |= !fault && has_counts;
        derived_free(&d);
    }
    return found;
}

void cc_trained_free(cc_trained *t) {
    if (!t) return;
    if (t->derive) derive_close(t->derive);
    free((void *)t->by_name);
    input_free(&t->in);
    free(t);
}
