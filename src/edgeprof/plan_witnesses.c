/* ---- the planner: witnesses (section 4) and marks ---- */

/* An edge with a witness writes a token when it is taken. A reader that stands
   at a predicate holds the next token and must know from it which way to go; so
   of all paths that leave the predicate, at most one may reach each token
   without passing another. The complement of an undirected forest will do.
   Where another function's tokens may come, no token may be held: there must be
   no path without witness from a predicate to such a call block. Walking back
   from the call blocks, an in-edge from a predicate gets a witness and is not
   crossed; one from any other vertex is crossed. These come first, for they
   break cycles on the way; the forest is made of what is left, without X. */

EDGEPROF_API void edgeplan_witnesses(edgeplan *p, const uint8_t *call_block,
                                     const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *seen = p->scratch[1], *queue = p->scratch[2];
    uint32_t *sorted = edgeplan_p_sort_edges(p, order), count = 0, done, v, e, i;
    for (e = 0; e <= p->edges; e++) p->plan[e] = EDGEPLAN_NONE;
    for (v = 0; v < p->vertices; v++) {
        seen[v] = call_block[v] || v == p->exit;
        if (seen[v]) queue[count++] = v;
    }
    for (done = 0; done < count; done++)
        for (i = p->in_at[queue[done]]; i < p->in_at[queue[done] + 1]; i++) {
            e = p->in[i];
            v = EDGEPLAN_P_SRC(p, e);
            if (edgeplan_is_predicate(p, v))
                p->plan[e] = EDGEPLAN_COUNTED;
            else if (!seen[v]) {
                seen[v] = 1;
                queue[count++] = v;
            }
        }
    edgeplan_p_singles(p, parent);
    for (e = p->edges - p->stays; e < p->edges; e++)
        if (p->plan[e] == EDGEPLAN_NONE) edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), p->exit);
    for (i = 0; i < p->edges; i++) {
        e = sorted[i];
        if (p->plan[e] != EDGEPLAN_NONE || e >= p->edges - p->stays) continue;
        if (!edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e)))
            p->plan[e] = EDGEPLAN_COUNTED;
    }
    edgeplan_p_count(p, p->edges);
}

/* ---- coverage ---- */

EDGEPROF_API void edgeplan_marks(edgeplan *p) {
    uint32_t e;
    for (e = 0; e < p->edges; e++)
        p->plan[e] = edgeplan_is_predicate(p, EDGEPLAN_P_SRC(p, e)) && e < p->edges - p->stays
                         ? EDGEPLAN_COUNTED
                         : EDGEPLAN_NONE;
    p->plan[p->edges] = EDGEPLAN_COUNTED;
    edgeplan_p_count(p, p->edges + 1);
}
