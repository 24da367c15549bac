/* hcct_measures.c - the measures of section 5.1: both trees are walked side by
   side. */
#include "lab/hcct_measures.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static double off_by(uint64_t weight, uint64_t estimate) {
    uint64_t off = weight > estimate ? weight - estimate : estimate - weight;
    return 100.0 * (double)off / (double)weight;
}

static uint64_t weight_of(const hcct *full, uint32_t node) {
    hcct_context context;
    hcct_get_context(full, node, &context);
    return context.lower;
}

static uint64_t threshold(uint64_t total, hcct_share phi) {
    uint64_t from = phi.b ? contexts_scale(total, phi.a, phi.b, 0) : UINT64_MAX;
    return from ? from : 1;
}

/* A context of t whose true weight is w. */
static void judge(const contexts_tree *t, const contexts_node *n, uint64_t w, uint64_t hot_from,
                  uint64_t bad_below, uint64_t from, hcct_measures *m) {
    uint64_t total = t->field[CONTEXTS_TOTAL], scaled = t->field[CONTEXTS_SCALED];
    uint64_t lower = scaled ? contexts_scale(n->lower, scaled, total, 0) : n->lower;
    uint64_t upper = scaled ? contexts_scale(n->upper, scaled, total, 1) : n->upper;
    int is_hot = w >= hot_from;
    if (upper < w) m->underestimates++;
    if (lower > w) m->overestimates++;
    if (n->lower >= from) {
        m->certain++;
        if (is_hot) m->certain_right++;
        else m->certain_wrong++;
    }
    if (n->cold || n->upper < from) return;
    m->possible++;
    if (w < bad_below) m->bad++;
    if (!is_hot) {
        m->false_positives++;
        return;
    }
    m->hot_found++;
    m->avg_error += off_by(w, upper);
    m->avg_error_lower += off_by(w, lower);
    if (off_by(w, upper) > m->max_error) m->max_error = off_by(w, upper);
    if (off_by(w, lower) > m->max_error_lower) m->max_error_lower = off_by(w, lower);
}

/* R in t, and which nodes of the full tree it has. */
static void reach(const hcct *full, const contexts_tree *t, uint64_t from, unsigned char *in_tree,
                  uint32_t *node_in_full, unsigned char *reached, hcct_measures *m) {
    uint32_t i, k, depth = 0;
    for (i = 1; i < t->count; i++) {
        if (t->nodes[i].cold || t->nodes[i].upper < from) continue;
        for (k = i; k && !in_tree[k]; k = t->nodes[k].parent) {
            in_tree[k] = 1;
            m->tree++;
        }
    }
    for (i = contexts_next(t, 0, &depth); i; i = contexts_next(t, i, &depth)) {
        uint32_t parent = t->nodes[i].parent, above = node_in_full[parent];
        if (parent && !above) continue;
        node_in_full[i] = hcct_find(full, above, t->nodes[i].key);
        if (node_in_full[i] && in_tree[i]) reached[node_in_full[i]] = 1;
    }
}

/* What the full tree has inside and outside of R. */
static void cover(const hcct *full, const unsigned char *reached, hcct_measures *m) {
    static const uint32_t one_over_tau[3] = {10, 20, 100};
    uint64_t covered[3] = {0, 0, 0}, hot[3] = {0, 0, 0}, uncovered = 0, inside = 0, rest = 0,
             most = 0;
    uint32_t i, k, depth = 0;
    for (i = hcct_next(full, 0, &depth); i; i = hcct_next(full, i, &depth)) {
        uint64_t w = weight_of(full, i);
        if (reached[i] && w > m->hottest_found) m->hottest_found = w;
    }
    if (m->tree == 0) m->hottest_found = m->hottest;
    depth = 0;
    for (i = hcct_next(full, 0, &depth); i; i = hcct_next(full, i, &depth)) {
        uint64_t w = weight_of(full, i);
        for (k = 0; k < 3; k++) {
            if (reached[i] && w * one_over_tau[k] >= m->hottest_found) covered[k]++;
            if (w * one_over_tau[k] >= m->hottest) hot[k]++;
        }
        if (reached[i]) {
            inside += w;
            continue;
        }
        uncovered++;
        rest += w;
        if (w > most) most = w;
    }
    for (k = 0; k < 3; k++) m->cover[k] = hot[k] ? 100.0 * (double)covered[k] / (double)hot[k] : 0;
    if (m->total) m->overlap = 100.0 * (double)inside / (double)m->total;
    if (uncovered && m->hottest_found) {
        double average = (double)rest / (double)uncovered;
        m->max_uncovered = 100.0 * (double)most / (double)m->hottest_found;
        m->avg_uncovered = 100.0 * average / (double)m->hottest_found;
    }
}

void hcct_measure(const hcct *full, const contexts_tree *t, hcct_share phi, hcct_share epsilon,
                  unsigned char *in_tree, hcct_measures *m) {
    uint64_t from = threshold(t->field[CONTEXTS_TOTAL], phi), hot_from, bad_below;
    uint64_t less = (uint64_t)phi.a * epsilon.b, more = (uint64_t)epsilon.a * phi.b;
    uint32_t i, depth = 0, *node_in_full;
    unsigned char *reached;
    hcct_stats stats;
    memset(m, 0, sizeof *m);
    hcct_get_stats(full, &stats);
    m->total = stats.total;
    hot_from = threshold(m->total, phi);
    bad_below =
        contexts_scale(m->total, less > more ? less - more : 0, (uint64_t)phi.b * epsilon.b, 0);
    for (i = hcct_next(full, 0, &depth); i; i = hcct_next(full, i, &depth)) {
        uint64_t w = weight_of(full, i);
        m->contexts++;
        if (w >= hot_from) m->hot_true++;
        if (w > m->hottest) m->hottest = w;
    }
    node_in_full = (uint32_t *)tool_alloc(t->count * sizeof *node_in_full);
    reached = (unsigned char *)tool_alloc((size_t)stats.peak_nodes + 1);
    memset(in_tree, 0, t->count);
    reach(full, t, from, in_tree, node_in_full, reached, m);
    for (i = 1; i < t->count; i++) {
        uint64_t w = node_in_full[i] ? weight_of(full, node_in_full[i]) : 0;
        judge(t, &t->nodes[i], w, hot_from, bad_below, from, m);
    }
    cover(full, reached, m);
    free(node_in_full);
    free(reached);
    m->false_negatives = m->hot_true - m->hot_found;
    m->cold = m->tree - m->possible;
    if (m->hot_found) {
        m->avg_error /= (double)m->hot_found;
        m->avg_error_lower /= (double)m->hot_found;
    }
}

contexts_tree *hcct_to_contexts(contexts *c, const hcct *t) {
    contexts_tree *to = contexts_add_tree(c);
    uint32_t *place, i, depth = 0;
    hcct_stats s;
    hcct_get_stats(t, &s);
    to->base = s.bound_of_absent;
    to->field[CONTEXTS_TOTAL] = s.total;
    to->field[CONTEXTS_UNMATCHED] = s.unmatched;
    place = (uint32_t *)tool_alloc(((size_t)s.peak_nodes + 1) * sizeof *place);
    for (i = hcct_next(t, 0, &depth); i; i = hcct_next(t, i, &depth)) {
        hcct_context context;
        contexts_node *n;
        hcct_get_context(t, i, &context);
        place[i] = contexts_add_node(to, place[hcct_parent(t, i)], context.key);
        n = &to->nodes[place[i]];
        n->cold = context.cold;
        n->lower = context.lower;
        n->upper = context.upper;
    }
    free(place);
    return to;
}
