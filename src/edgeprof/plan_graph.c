/* ---- the planner: memory and the graph ---- */

#define EDGEPLAN_P_NO        UINT32_MAX
#define EDGEPLAN_P_SRC(p, e) ((p)->ends[2 * (size_t)(e)])
#define EDGEPLAN_P_DST(p, e) ((p)->ends[2 * (size_t)(e) + 1])

/* ---- memory ---- */

/* There is at most one stay edge a vertex, and X. */
static uint64_t edgeplan_p_edge_room(uint32_t vertices, uint32_t edges) {
    return (uint64_t)edges + vertices + 1;
}

EDGEPROF_API size_t edgeplan_bytes(uint32_t vertices, uint32_t edges) {
    uint64_t room = edgeplan_p_edge_room(vertices, edges);
    uint64_t bytes = 8 * room + 8 * (uint64_t)vertices      /* weight, vertex_weight */
                     + 4 * (2 * room + 2 * room + 2 * room) /* ends, out and in, sort */
                     + 4 * (10 * (uint64_t)vertices + 2)    /* out_at, in_at, scratch, classes */
                     + room + 64;                           /* plan */
    return bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)bytes;
}

static uint32_t *edgeplan_p_words(uint32_t **at, uint64_t count) {
    uint32_t *words = *at;
    *at += count;
    return words;
}

/* ---- the graph ---- */

/* Lists of edges by vertex: those of v are list[at[v]] .. list[at[v + 1] - 1],
   in the order of their numbers. X is in none. */
static void edgeplan_p_list(const edgeplan *p, uint32_t side, uint32_t *at, uint32_t *list) {
    uint32_t v, e;
    for (v = 0; v <= p->vertices; v++) at[v] = 0;
    for (e = 0; e < p->edges; e++) at[p->ends[2 * (size_t)e + side] + 1]++;
    for (v = 0; v < p->vertices; v++) at[v + 1] += at[v];
    for (e = 0; e < p->edges; e++) list[at[p->ends[2 * (size_t)e + side]]++] = e;
    for (v = p->vertices; v > 0; v--) at[v] = at[v - 1];
    at[0] = 0;
}

static void edgeplan_p_adjacency(edgeplan *p) {
    edgeplan_p_list(p, 0, p->out_at, p->out);
    edgeplan_p_list(p, 1, p->in_at, p->in);
}

/* Sets mark[w] = 1 for v and whatever is reached from it (forward), or reaches
   it (not forward), over unmarked vertices. */
static void edgeplan_p_flood(const edgeplan *p, uint32_t v, int forward, uint32_t *mark,
                             uint32_t *queue) {
    const uint32_t *at = forward ? p->out_at : p->in_at, *list = forward ? p->out : p->in;
    uint32_t count = 1, i;
    mark[v] = 1;
    queue[0] = v;
    while (count > 0) {
        v = queue[--count];
        for (i = at[v]; i < at[v + 1]; i++) {
            uint32_t w = p->ends[2 * (size_t)list[i] + (forward ? 1 : 0)];
            if (mark[w]) continue;
            mark[w] = 1;
            queue[count++] = w;
        }
    }
}

static uint32_t edgeplan_p_refuse(edgeplan *p, uint32_t reason, uint32_t at) {
    p->reason = reason;
    p->at = at;
    return 0;
}

/* Vertices that cannot reach EXIT, as those of an endless loop, break the flow
   law: activations that end there vanish. A stay edge v -> EXIT for one v in
   each component that nothing leaves mends it. The last finisher of a
   depth-first search over reversed edges lies in such a component. It should
   not be the root, for a stay edge root -> EXIT and X are a cycle. */
static void edgeplan_p_add_stays(edgeplan *p) {
    uint32_t *reached = p->scratch[0], *stack = p->scratch[1], *next = p->scratch[2],
             *order = p->scratch[3];
    uint32_t *seen = p->scratch[4], finished = 0, depth, v, w, i;
    for (v = 0; v < p->vertices; v++) seen[v] = reached[v];
    for (w = 0; w < p->vertices; w++) {
        if (seen[w]) continue;
        seen[w] = 1;
        next[w] = p->in_at[w];
        stack[0] = w;
        depth = 1;
        while (depth > 0) {
            v = stack[depth - 1];
            if (next[v] == p->in_at[v + 1]) {
                order[finished++] = v;
                depth--;
                continue;
            }
            i = EDGEPLAN_P_SRC(p, p->in[next[v]++]);
            if (seen[i]) continue;
            seen[i] = 1;
            next[i] = p->in_at[i];
            stack[depth++] = i;
        }
    }
    for (i = finished; i > 0; i--) {
        v = order[i - 1];
        if (reached[v]) continue;
        if (v == p->root)
            for (w = i - 1; w > 0 && v == p->root; w--)
                if (!reached[order[w - 1]]) v = order[w - 1];
        EDGEPLAN_P_SRC(p, p->edges) = v;
        EDGEPLAN_P_DST(p, p->edges) = p->exit;
        p->edges++;
        p->stays++;
        edgeplan_p_flood(p, v, 0, reached, stack);
    }
}

EDGEPROF_API uint32_t edgeplan_init(edgeplan *p, void *memory, size_t bytes,
                                    const edgeplan_graph *graph) {
    uint64_t room = edgeplan_p_edge_room(graph->vertices, graph->edges), i;
    uint32_t *words = (uint32_t *)memory, *mark, v, e;
    p->vertices = graph->vertices;
    p->edges = graph->edges;
    p->root = graph->root;
    p->exit = graph->exit;
    p->stays = graph->stays;
    p->counters = p->classes = p->reason = p->at = 0;
    if (bytes < edgeplan_bytes(p->vertices, p->edges) || room >= (uint32_t)1 << 30)
        return edgeplan_p_refuse(p, EDGEPLAN_NO_MEMORY, 0);
    if (p->root >= p->vertices || p->exit >= p->vertices || p->root == p->exit ||
        p->stays > p->edges)
        return edgeplan_p_refuse(p, EDGEPLAN_NO_VERTEX, 0);
    p->weight = (double *)memory;
    words += 2 * room;
    p->vertex_weight = (double *)(void *)words;
    words += 2 * (size_t)p->vertices;
    p->ends = edgeplan_p_words(&words, 2 * room);
    p->out = edgeplan_p_words(&words, room);
    p->in = edgeplan_p_words(&words, room);
    for (i = 0; i < 2; i++) p->sort[i] = edgeplan_p_words(&words, room);
    p->out_at = edgeplan_p_words(&words, (uint64_t)p->vertices + 1);
    p->in_at = edgeplan_p_words(&words, (uint64_t)p->vertices + 1);
    for (i = 0; i < 6; i++) p->scratch[i] = edgeplan_p_words(&words, p->vertices);
    p->class_of = edgeplan_p_words(&words, p->vertices);
    p->class_after = edgeplan_p_words(&words, p->vertices);
    p->plan = (uint8_t *)words;
    for (i = 0; i < room; i++) {
        p->plan[i] = EDGEPLAN_NONE;
        p->weight[i] = 0;
    }
    for (e = 0; e < p->edges; e++) {
        uint32_t from = graph->ends[2 * (size_t)e], to = graph->ends[2 * (size_t)e + 1];
        if (from >= p->vertices || to >= p->vertices)
            return edgeplan_p_refuse(p, EDGEPLAN_NO_VERTEX, e);
        if (from == p->exit) return edgeplan_p_refuse(p, EDGEPLAN_EXIT_LEFT, e);
        if (e >= p->edges - p->stays && to != p->exit)
            return edgeplan_p_refuse(p, EDGEPLAN_BAD_STAY, e);
        EDGEPLAN_P_SRC(p, e) = from;
        EDGEPLAN_P_DST(p, e) = to;
    }
    edgeplan_p_adjacency(p);
    mark = p->scratch[0];
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    edgeplan_p_flood(p, p->root, 1, mark, p->scratch[1]);
    /* A function that never returns does not reach EXIT before it has a stay
       edge. */
    for (v = 0; v < p->vertices; v++)
        if (!mark[v] && (v != p->exit || !graph->add_stays))
            return edgeplan_p_refuse(p, EDGEPLAN_UNREACHED, v);
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    edgeplan_p_flood(p, p->exit, 0, mark, p->scratch[1]);
    for (v = 0; v < p->vertices && mark[v]; v++) {
    }
    if (v < p->vertices) {
        if (!graph->add_stays) return edgeplan_p_refuse(p, EDGEPLAN_ENDLESS, v);
        edgeplan_p_add_stays(p);
        edgeplan_p_adjacency(p);
    }
    for (v = 0; v < p->vertices; v++) mark[v] = 0;
    for (e = p->edges - p->stays; e < p->edges; e++)
        if (mark[EDGEPLAN_P_SRC(p, e)]++) return edgeplan_p_refuse(p, EDGEPLAN_BAD_STAY, e);
    EDGEPLAN_P_SRC(p, p->edges) = p->exit;
    EDGEPLAN_P_DST(p, p->edges) = p->root;
    return p->edges;
}

EDGEPROF_API int64_t edgeplan_unreached(const edgeplan_graph *graph, uint8_t *mark, void *memory,
                                        size_t bytes) {
    uint32_t *head = (uint32_t *)memory, *next, *stack, count = 0, left = graph->vertices, v, e;
    if (bytes < edgeplan_bytes(graph->vertices, graph->edges) || graph->root >= graph->vertices)
        return -1;
    next = head + graph->vertices;
    stack = next + graph->edges;
    for (v = 0; v < graph->vertices; v++) {
        head[v] = EDGEPLAN_P_NO;
        mark[v] = 1;
    }
    for (e = 0; e < graph->edges; e++) {
        v = graph->ends[2 * (size_t)e];
        if (v >= graph->vertices || graph->ends[2 * (size_t)e + 1] >= graph->vertices) return -1;
        next[e] = head[v];
        head[v] = e;
    }
    mark[graph->root] = 0;
    stack[count++] = graph->root;
    while (count > 0) {
        left--;
        for (e = head[stack[--count]]; e != EDGEPLAN_P_NO; e = next[e]) {
            v = graph->ends[2 * (size_t)e + 1];
            if (mark[v]) stack[count++] = v;
            mark[v] = 0;
        }
    }
    return left;
}

EDGEPROF_API int edgeplan_is_predicate(const edgeplan *p, uint32_t v) {
    return p->out_at[v + 1] - p->out_at[v] > 1;
}
