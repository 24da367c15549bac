/* ---- the planner: weights by loop nesting (section 5) ---- */

/* A depth-first search finds the back-edges (an edge to a vertex that is still
   on the stack) and a topological order of the others. The target of a
   back-edge is a loop entry y; its natural loop is y and all vertices that
   reach the source of a back-edge without passing y. In that order each vertex
   v hands its weight W, the sum over its in-edges that are no back-edges, to
   its out-edges:

       If v is a loop entry, the edges that leave its loop share W, unless an outer loop has given
       them a weight before. What is inside runs ten times as often: W becomes 10 W.
       The loop exits among v's own out-edges are taken off W. The other out-edges share the rest.

   The rest is at least 0: an exit deep inside of conditionals may weigh more
   than its source. Cost: each loop entry walks its own loop. Weights stop
   growing at 1e300, so that no depth of loops makes an infinity. */

/* Some machines compute with more digits than a double holds. A plan must not
   depend on that. */
static double edgeplan_p_round(double x) {
    volatile double rounded = x > 1e300 ? 1e300 : x;
    return rounded;
}

/* Fills back[e] and the order; returns how many vertices it has, which is all
   of them. */
static uint32_t edgeplan_p_topological(const edgeplan *p, uint8_t *back, uint32_t *order) {
    uint32_t *stack = p->scratch[1], *next = p->scratch[2], *state = p->scratch[3];
    uint32_t depth = 1, at = p->vertices, v, e;
    for (v = 0; v < p->vertices; v++) state[v] = 0;
    for (e = 0; e < p->edges; e++) back[e] = 0;
    stack[0] = p->root;
    state[p->root] = 1;
    next[p->root] = p->out_at[p->root];
    while (depth > 0) {
        v = stack[depth - 1];
        if (next[v] == p->out_at[v + 1]) {
            state[v] = 2;
            order[--at] = v;
            depth--;
            continue;
        }
        e = p->out[next[v]++];
        v = EDGEPLAN_P_DST(p, e);
        back[e] = state[v] == 1;
        if (state[v] != 0) continue;
        state[v] = 1;
        next[v] = p->out_at[v];
        stack[depth++] = v;
    }
    return p->vertices - at;
}

/* Is v a loop entry? Then queue[0 .. *count) is its natural loop, and inside[]
   of its members is v + 1. */
static int edgeplan_p_loop(const edgeplan *p, uint32_t v, const uint8_t *back, uint32_t *inside,
                           uint32_t *queue, uint32_t *count) {
    uint32_t done = 1, i, w;
    int is_entry = 0;
    queue[0] = v;
    *count = 1;
    for (i = p->in_at[v]; i < p->in_at[v + 1]; i++) {
        if (!back[p->in[i]]) continue;
        is_entry = 1;
        inside[v] = v + 1;
        w = EDGEPLAN_P_SRC(p, p->in[i]);
        if (inside[w] == v + 1) continue;
        inside[w] = v + 1;
        queue[(*count)++] = w;
    }
    if (!is_entry) return 0;
    for (; done < *count; done++)
        for (i = p->in_at[queue[done]]; i < p->in_at[queue[done] + 1]; i++) {
            w = EDGEPLAN_P_SRC(p, p->in[i]);
            if (inside[w] == v + 1) continue;
            inside[w] = v + 1;
            queue[(*count)++] = w;
        }
    return 1;
}

/* Rule 2: edges from the loop to outside share W. */
static void edgeplan_p_loop_exits(edgeplan *p, double W, uint32_t stamp, const uint32_t *inside,
                                  const uint32_t *loop, uint32_t count) {
    uint32_t exits = 0, pass, k, i;
    for (pass = 0; pass < 2; pass++)
        for (k = 0; k < count; k++)
            for (i = p->out_at[loop[k]]; i < p->out_at[loop[k] + 1]; i++) {
                uint32_t e = p->out[i];
                if (inside[EDGEPLAN_P_DST(p, e)] == stamp) continue;
                if (pass == 0)
                    exits++;
                else if (p->weight[e] < 0)
                    p->weight[e] = edgeplan_p_round(W / exits);
            }
}

EDGEPROF_API void edgeplan_weigh(edgeplan *p, const double *probability) {
    uint32_t *order = p->scratch[0], *inside = p->scratch[4], *loop = p->scratch[5];
    uint32_t count = edgeplan_p_topological(p, p->plan, order), in_loop, k, i, e, v;
    const uint8_t *back = p->plan;
    for (e = 0; e < p->edges; e++) p->weight[e] = -1;
    for (v = 0; v < p->vertices; v++) inside[v] = 0;
    for (k = 0; k < count; k++) {
        double W, set = 0, all = 0;
        uint32_t unset = 0;
        v = order[k];
        W = v == p->root;
        for (i = p->in_at[v]; i < p->in_at[v + 1]; i++)
            if (!back[p->in[i]]) W = edgeplan_p_round(W + p->weight[p->in[i]]);
        if (edgeplan_p_loop(p, v, back, inside, loop, &in_loop)) {
            edgeplan_p_loop_exits(p, W, v + 1, inside, loop, in_loop);
            W = edgeplan_p_round(10 * W);
        }
        for (i = p->out_at[v]; i < p->out_at[v + 1]; i++) {
            e = p->out[i];
            if (p->weight[e] >= 0)
                set = edgeplan_p_round(set + p->weight[e]);
            else {
                unset++;
                if (probability) all += probability[e];
            }
        }
        W = W > set ? edgeplan_p_round(W - set) : 0;
        for (i = p->out_at[v]; i < p->out_at[v + 1]; i++) {
            e = p->out[i];
            if (p->weight[e] >= 0) continue;
            p->weight[e] = probability && all > 0 ? edgeplan_p_round(W * (probability[e] / all))
                                                  : edgeplan_p_round(W / unset);
        }
    }
    for (e = 0; e < p->edges; e++) {
        if (p->weight[e] < 0) p->weight[e] = 0;
        p->plan[e] = EDGEPLAN_NONE;
    }
}
