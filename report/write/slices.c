/* slices.c - see slices.h. */
#include "report/write/slices.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* Ticks are drawn one in each cell of CPU time, so that two of a busy thread are
   less than two periods apart; a look more, and what the kernel takes. */
enum { PERIODS_APART = 3 };

uint32_t *slices_order(const report_axis *a, size_t **first) {
    uint32_t *order = (uint32_t *)tool_alloc((a->count + 1) * sizeof *order);
    size_t *at = (size_t *)tool_alloc((a->thread_count + 2) * sizeof *at), i;
    for (i = 0; i < a->count; i++) at[a->moments[i].thread + 2]++;
    for (i = 2; i < a->thread_count + 2; i++) at[i] += at[i - 1];
    for (i = 0; i < a->count; i++) order[at[a->moments[i].thread + 1]++] = (uint32_t)i;
    *first = at;
    return order;
}

uint32_t *slices_by_thread(const report_axis *a, const report_stretch *s, size_t count,
                           size_t **first) {
    uint32_t *order = (uint32_t *)tool_alloc((count + 1) * sizeof *order);
    size_t *at = (size_t *)tool_alloc((a->thread_count + 2) * sizeof *at), i;
    for (i = 0; i < count; i++) at[s[i].thread + 2]++;
    for (i = 2; i < a->thread_count + 2; i++) at[i] += at[i - 1];
    for (i = 0; i < count; i++) order[at[s[i].thread + 1]++] = (uint32_t)i;
    *first = at;
    return order;
}

uint64_t slices_begin(const report_axis *a, const report_moment *before,
                      const report_moment *tick) {
    uint64_t own = tick->us > a->tick_us ? tick->us - a->tick_us : 0;
    if (own < a->from_us) own = a->from_us;
    if (!before) return own < tick->us ? own : tick->us;
    if ((tick->us - before->us) / PERIODS_APART < a->tick_us) return before->us;
    return own > before->us ? own : before->us;
}

typedef struct walking {
    const report_axis *a;
    uint32_t *depth;                              /* of each node */
    uint64_t *from;                               /* of each depth that is open */
    uint32_t node, thread;                        /* node 0: nothing is open */
    size_t count, most;
    void (*each)(void *user, const slice *s);
    void *user;
} walking;

/* Closes what is open but is not around `to`, and opens the rest of that. */
static void go_to(walking *w, uint32_t to, uint64_t us) {
    const uint32_t *parent = w->a->tree->parent;
    uint32_t target = to;
    while (w->node != to && (!w->most || w->count <= w->most)) {
        if (w->depth[to] > w->depth[w->node]) {
            w->from[w->depth[to]] = us;
            to = parent[to];
            continue;
        }
        if (w->each) {
            slice s;
            s.thread = w->thread;
            s.node = w->node;
            s.depth = w->depth[w->node];
            s.from = w->from[s.depth];
            s.to = us;
            w->each(w->user, &s);
        }
        w->count++;
        if (w->depth[to] == w->depth[w->node]) {
            w->from[w->depth[to]] = us;
            to = parent[to];
        }
        w->node = parent[w->node];
    }
    w->node = target;
}

static void walk_thread(walking *w, const uint32_t *order, size_t begin, size_t end) {
    const report_moment *before = NULL;
    size_t i;
    for (i = begin; i < end && (!w->most || w->count <= w->most); i++) {
        const report_moment *tick = &w->a->moments[order[i]];
        uint64_t from = slices_begin(w->a, before, tick);
        if (before && from > before->us) go_to(w, 0, before->us);
        go_to(w, tick->node, from);
        before = tick;
    }
    if (before) go_to(w, 0, before->us);
}

size_t slices_of(const report_axis *a, size_t most,
                 void (*each)(void *user, const slice *s), void *user) {
    walking w;
    size_t *first, i, deepest = 0;
    uint32_t *order = slices_order(a, &first);
    memset(&w, 0, sizeof w);
    w.a = a;
    w.most = most;
    w.each = each;
    w.user = user;
    w.depth = (uint32_t *)tool_alloc(a->tree->count * sizeof *w.depth);
    for (i = 1; i < a->tree->count; i++) {
        w.depth[i] = w.depth[a->tree->parent[i]] + 1;
        if (w.depth[i] > deepest) deepest = w.depth[i];
    }
    w.from = (uint64_t *)tool_alloc((deepest + 2) * sizeof *w.from);
    for (i = 0; i < a->thread_count && (!most || w.count <= most); i++) {
        w.thread = (uint32_t)i;
        w.node = 0;
        walk_thread(&w, order, first[i], first[i + 1]);
    }
    free(w.depth);
    free(w.from);
    free(order);
    free(first);
    return w.count;
}

int slices_are_there(const report *r) {
    return r->axis && (r->axis->count || r->axis->wait_count || r->axis->late_count);
}
