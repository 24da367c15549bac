/* ---- the planner: spanning trees (section 3.2) ---- */

/* Counters yield all counts if and only if the edges without one hold no cycle,
   directions ignored. So these edges are a spanning tree, and the cheapest plan
   leaves a maximum one without counters (Kruskal). X and the stay edges cannot
   hold a counter: they are joined first. Ties: critical edges are heavier, for
   a counter there needs a block of its own; then smaller numbers. */

static uint32_t edgeplan_p_find(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Returns 1 if two sets became one. */
static int edgeplan_p_join(uint32_t *parent, uint32_t v, uint32_t w) {
    v = edgeplan_p_find(parent, v);
    w = edgeplan_p_find(parent, w);
    parent[v] = w;
    return v != w;
}

static void edgeplan_p_singles(const edgeplan *p, uint32_t *parent) {
    uint32_t v;
    for (v = 0; v < p->vertices; v++) parent[v] = v;
}

static int edgeplan_p_critical(const edgeplan *p, uint32_t e) {
    uint32_t v = EDGEPLAN_P_SRC(p, e), w = EDGEPLAN_P_DST(p, e);
    return p->out_at[v + 1] - p->out_at[v] > 1 && p->in_at[w + 1] - p->in_at[w] > 1;
}

typedef struct edgeplan_p_keys {
    const uint64_t *count;
    const double *weight;
    const edgeplan *edges_of;
    int minimum;
} edgeplan_p_keys;

/* Does a come before b? Heavier first, or lighter in a minimum tree. */
static int edgeplan_p_before(const edgeplan_p_keys *k, uint32_t a, uint32_t b) {
    if (k->count && k->count[a] != k->count[b]) return (k->count[a] > k->count[b]) != k->minimum;
    if (k->weight[a] < k->weight[b] || k->weight[a] > k->weight[b])
        return (k->weight[a] > k->weight[b]) != k->minimum;
    if (k->edges_of) {
        int critical = edgeplan_p_critical(k->edges_of, a);
        if (critical != edgeplan_p_critical(k->edges_of, b)) return critical;
    }
    return a < b;
}

/* Merge sort of 0 .. n - 1, from runs of one up. Returns where the result
   is. */
static uint32_t *edgeplan_p_sort(const edgeplan *p, uint32_t n, const edgeplan_p_keys *keys) {
    uint32_t *from = p->sort[0], *to = p->sort[1], *swap, width, low, i;
    for (i = 0; i < n; i++) from[i] = i;
    for (width = 1; width < n; width *= 2) {
        for (low = 0; low < n; low += 2 * width) {
            uint32_t middle = n - low < width ? n : low + width,
                     high = n - low < 2 * width ? n : low + 2 * width;
            uint32_t left = low, right = middle;
            for (i = low; i < high; i++)
                to[i] = left < middle &&
                                (right == high || !edgeplan_p_before(keys, from[right], from[left]))
                            ? from[left++]
                            : from[right++];
        }
        swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static uint32_t *edgeplan_p_sort_edges(const edgeplan *p, const edgeplan_order *order) {
    edgeplan_p_keys keys;
    keys.count = order ? order->count : NULL;
    keys.weight = p->weight;
    keys.edges_of = p;
    keys.minimum = order && order->minimum;
    return edgeplan_p_sort(p, p->edges, &keys);
}

static void edgeplan_p_count(edgeplan *p, uint32_t n) {
    uint32_t i;
    p->counters = 0;
    for (i = 0; i < n; i++) p->counters += p->plan[i] == EDGEPLAN_COUNTED;
}

EDGEPROF_API void edgeplan_edges(edgeplan *p, const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *sorted = edgeplan_p_sort_edges(p, order), i, e;
    edgeplan_p_singles(p, parent);
    for (e = p->edges - p->stays; e < p->edges; e++) {
        edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), p->exit);
        p->plan[e] = EDGEPLAN_NONE;
    }
    p->plan[p->edges] =
        edgeplan_p_join(parent, p->root, p->exit) ? EDGEPLAN_NONE : EDGEPLAN_COUNTED;
    for (i = 0; i < p->edges; i++) {
        e = sorted[i];
        if (e >= p->edges - p->stays) continue;
        p->plan[e] = edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e))
                         ? EDGEPLAN_NONE
                         : EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- counters on edges, counts of blocks alone (section 3.4) ---- */

/* Each counted edge closes one cycle with the tree. Where two edges of a cycle
   meet at a vertex, both leave it (fork), both enter it (join), or one does
   each (pipe). If a cycle has no pipe, then adding d and -d in turn around it
   changes no block's sum: its counter is not needed. The heuristic takes
   counters off such cycles, heaviest first, as long as they share no vertex, so
   that no other simple cycle arises. */

/* parent edge and depth of every vertex in the tree, by walking over the edges
   without counters */
static void edgeplan_p_root_tree(const edgeplan *p, uint32_t *up, uint32_t *depth,
                                 uint32_t *queue) {
    uint32_t count = 1, done, v, w, e, i, side;
    for (v = 0; v < p->vertices; v++) depth[v] = EDGEPLAN_P_NO;
    depth[p->exit] = 0;
    up[p->exit] = EDGEPLAN_P_NO;
    queue[0] = p->exit;
    for (done = 0; done < count; done++) {
        v = queue[done];
        for (side = 0; side < 2; side++) {
            const uint32_t *at = side ? p->in_at : p->out_at, *list = side ? p->in : p->out;
            for (i = at[v]; i < at[v + 1]; i++) {
                e = list[i];
                w = side ? EDGEPLAN_P_SRC(p, e) : EDGEPLAN_P_DST(p, e);
                if (p->plan[e] != EDGEPLAN_NONE || depth[w] != EDGEPLAN_P_NO) continue;
                depth[w] = depth[v] + 1;
                up[w] = e;
                queue[count++] = w;
            }
        }
        if (v == p->exit && p->plan[p->edges] == EDGEPLAN_NONE && depth[p->root] == EDGEPLAN_P_NO) {
            depth[p->root] = 1;
            up[p->root] = p->edges;
            queue[count++] = p->root;
        }
    }
}

static uint32_t edgeplan_p_other_end(const edgeplan *p, uint32_t e, uint32_t v) {
    return EDGEPLAN_P_SRC(p, e) == v ? EDGEPLAN_P_DST(p, e) : EDGEPLAN_P_SRC(p, e);
}

/* Walks the cycle of e with the tree. Returns 1 if it has no pipe and no marked
   vertex; with set != 0 marks its vertices. The two paths climb from both ends
   of e until they meet; into[] is the edge over which each came to its
   vertex. */
static int edgeplan_p_pipe_free(const edgeplan *p, uint32_t e, const uint32_t *up,
                                const uint32_t *depth, uint32_t *mark, uint32_t set) {
    uint32_t at[2], into[2], side;
    at[0] = EDGEPLAN_P_SRC(p, e);
    at[1] = EDGEPLAN_P_DST(p, e);
    into[0] = into[1] = e;
    while (at[0] != at[1]) {
        uint32_t v, next;
        side = depth[at[0]] >= depth[at[1]] ? 0 : 1;
        v = at[side];
        next = up[v];
        if (set)
            mark[v] = 1;
        else if (mark[v] || (EDGEPLAN_P_SRC(p, next) == v) != (EDGEPLAN_P_SRC(p, into[side]) == v))
            return 0;
        into[side] = next;
        at[side] = edgeplan_p_other_end(p, next, v);
    }
    if (set) mark[at[0]] = 1;
    return !mark[at[0]] &&
           (EDGEPLAN_P_SRC(p, into[0]) == at[0]) == (EDGEPLAN_P_SRC(p, into[1]) == at[0]);
}

EDGEPROF_API void edgeplan_drop(edgeplan *p, const edgeplan_order *order) {
    uint32_t *up = p->scratch[0], *depth = p->scratch[1], *mark = p->scratch[2], *sorted, i, v;
    edgeplan_p_keys keys;
    edgeplan_p_root_tree(p, up, depth, p->scratch[3]);
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    keys.count = order ? order->count : NULL;
    keys.weight = p->weight;
    keys.edges_of = NULL;
    keys.minimum = 0;
    sorted = edgeplan_p_sort(p, p->edges, &keys);
    for (i = 0; i < p->edges; i++) {
        uint32_t e = sorted[i];
        if (p->plan[e] != EDGEPLAN_COUNTED || EDGEPLAN_P_SRC(p, e) == EDGEPLAN_P_DST(p, e))
            continue;
        if (!edgeplan_p_pipe_free(p, e, up, depth, mark, 0)) continue;
        edgeplan_p_pipe_free(p, e, up, depth, mark, 1);
        p->plan[e] = EDGEPLAN_ZERO;
    }
    edgeplan_p_count(p, p->edges + 1);
}

/* ---- counters in vertices (section 3.5; Knuth and Stevenson) ---- */

/* All successors of a vertex form one class, and classes that overlap are one.
   Every vertex v is an edge from its own class [v] to the class s(v) of its
   successors, and the flow law holds there: what enters a class leaves it. So
   the vertices that lie off a spanning tree of this reduced graph need
   counters. EXIT cannot be counted and joins the tree first. */

EDGEPROF_API void edgeplan_vertices(edgeplan *p, const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *first = p->scratch[1], *sorted, v, e, i;
    edgeplan_p_keys keys;
    edgeplan_p_singles(p, parent);
    for (v = 0; v < p->vertices; v++) {
        first[v] = EDGEPLAN_P_NO;
        p->vertex_weight[v] = v == p->root;
    }
    for (e = 0; e <= p->edges; e++) {
        v = EDGEPLAN_P_SRC(p, e);
        if (first[v] == EDGEPLAN_P_NO) first[v] = EDGEPLAN_P_DST(p, e);
        edgeplan_p_join(parent, first[v], EDGEPLAN_P_DST(p, e));
        if (e < p->edges)
            p->vertex_weight[EDGEPLAN_P_DST(p, e)] =
                edgeplan_p_round(p->vertex_weight[EDGEPLAN_P_DST(p, e)] + p->weight[e]);
    }
    p->classes = 0;
    for (v = 0; v < p->vertices; v++)
        if (parent[v] == v) p->class_of[v] = p->classes++;
    for (v = 0; v < p->vertices; v++) p->class_of[v] = p->class_of[edgeplan_p_find(parent, v)];
    for (v = 0; v < p->vertices; v++) p->class_after[v] = p->class_of[first[v]];

    keys.count = order ? order->count : NULL;
    keys.weight = p->vertex_weight;
    keys.edges_of = NULL;
    keys.minimum = order && order->minimum;
    sorted = edgeplan_p_sort(p, p->vertices, &keys);
    edgeplan_p_singles(p, parent);
    p->plan[p->exit] = edgeplan_p_join(parent, p->class_of[p->exit], p->class_after[p->exit])
                           ? EDGEPLAN_NONE
                           : EDGEPLAN_COUNTED;
    for (i = 0; i < p->vertices; i++) {
        v = sorted[i];
        if (v == p->exit) continue;
        p->plan[v] = edgeplan_p_join(parent, p->class_of[v], p->class_after[v]) ? EDGEPLAN_NONE
                                                                                : EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->vertices);
}
