/* overlap.c - overlap of profiles as sums over sorted weights. */
#include "report/model/overlap.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct overlap_weight weight;

void overlap_add(overlap_weights *w, uint64_t key, double added) {
    TOOL_ROOM(weight, w->at, w->count, w->room);
    w->at[w->count].key = key;
    w->at[w->count++].weight = added;
}

static uint64_t key_of(const uint64_t *sites, uint32_t length) {
    uint64_t key = length;
    uint32_t i;
    for (i = 0; i < length; i++) {
        key = (key ^ sites[i]) * UINT64_C(0x9E3779B97F4A7C15);
        key ^= key >> 29;
    }
    return key;
}

void overlap_add_stream(overlap_weights *w, const uint64_t *sites, uint32_t length, double heat) {
    overlap_add(w, key_of(sites, length), heat);
}

void overlap_add_windows(overlap_weights *w, const uint64_t *sites, uint32_t length, double heat,
                         uint32_t window) {
    uint32_t i;
    for (i = 0; i + window <= length; i++) overlap_add(w, key_of(sites + i, window), heat / length);
}

static int by_key(const void *left, const void *right) {
    const weight *a = (const weight *)left, *b = (const weight *)right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->weight < b->weight ? -1 : a->weight > b->weight;
}

static int by_weight(const void *left, const void *right) {
    const weight *a = (const weight *)left, *b = (const weight *)right;
    return a->weight < b->weight ? 1 : a->weight > b->weight ? -1 : by_key(left, right);
}

double overlap_settle(overlap_weights *w) {
    size_t i, kept = 0;
    double sum = 0;
    if (w->count) qsort(w->at, w->count, sizeof *w->at, by_key);
    for (i = 0; i < w->count; i++) {
        sum += w->at[i].weight;
        if (kept && w->at[kept - 1].key == w->at[i].key) w->at[kept - 1].weight += w->at[i].weight;
        else w->at[kept++] = w->at[i];
    }
    w->count = kept;
    return sum;
}

double overlap_of(const overlap_weights *p, double p_total, const overlap_weights *q,
                  double q_total) {
    size_t i, k = 0;
    double sum = 0;
    if (p_total <= 0 || q_total <= 0) return 0;
    for (i = 0; i < p->count; i++) {
        double a, b;
        while (k < q->count && q->at[k].key < p->at[i].key) k++;
        if (k == q->count || q->at[k].key != p->at[i].key) continue;
        a = p->at[i].weight / p_total;
        b = q->at[k].weight / q_total;
        sum += a < b ? a : b;
    }
    return 100 * sum;
}

double overlap_keep(overlap_weights *w, double part) {
    double all = 0, held = 0;
    size_t i;
    for (i = 0; i < w->count; i++) all += w->at[i].weight;
    if (w->count) qsort(w->at, w->count, sizeof *w->at, by_weight);
    for (i = 0;
         i < w->count && (held < part * all || (i && !(w->at[i].weight < w->at[i - 1].weight)));
         i++) {
        held += w->at[i].weight;
    }
    w->count = i;
    if (w->count) qsort(w->at, w->count, sizeof *w->at, by_key);
    return held;
}

void overlap_free(overlap_weights *w) {
    free(w->at);
    memset(w, 0, sizeof *w);
}
