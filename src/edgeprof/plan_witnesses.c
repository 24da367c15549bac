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

/* Behind a call of class EDGEPLAN_CALL_TOLD the reader must learn that it is
   over before the next call or EXIT, as from a predicate's way out. Where the
   edge behind the call has no place for a witness, the first edges on the ways
   from there that have one get it. */
static int edgeplan_p_is_told(const edgeplan *p, const uint8_t *call_block, uint32_t v) {
    return call_block[v] == EDGEPLAN_CALL_TOLD || edgeplan_is_predicate(p, v);
}

static void edgeplan_p_tell_behind(edgeplan *p, const uint8_t *uncountable, uint32_t edge) {
    uint32_t *seen = p->scratch[3], *queue = p->scratch[4], count = 0, done, v, e, i;
    for (v = 0; v < p->vertices; v++) seen[v] = 0;
    queue[count++] = EDGEPLAN_P_DST(p, edge);
    seen[queue[0]] = 1;
    for (done = 0; done < count; done++) {
        if (queue[done] == p->exit) continue;
        for (i = p->out_at[queue[done]]; i < p->out_at[queue[done] + 1]; i++) {
            e = p->out[i];
            v = EDGEPLAN_P_DST(p, e);
            if (e >= p->edges - p->stays) continue;
            if (!uncountable[e]) p->plan[e] = EDGEPLAN_COUNTED;
            else if (!seen[v]) {
                seen[v] = 1;
                queue[count++] = v;
            }
        }
    }
}

EDGEPROF_API void edgeplan_witnesses(edgeplan *p, const uint8_t *call_block,
                                     const edgeplan_order *order) {
    uint32_t *parent = p->scratch[0], *seen = p->scratch[1], *queue = p->scratch[2];
    uint32_t *sorted = edgeplan_p_sort_edges(p, order), count = 0, done, v, e, i;
    const uint8_t *uncountable = order ? order->uncountable : NULL;
    for (e = 0; e <= p->edges; e++) p->plan[e] = EDGEPLAN_NONE;
    for (v = 0; v < p->vertices; v++) {
        seen[v] = call_block[v] || v == p->exit;
        if (seen[v]) queue[count++] = v;
    }
    for (done = 0; done < count; done++)
        for (i = p->in_at[queue[done]]; i < p->in_at[queue[done] + 1]; i++) {
            e = p->in[i];
            v = EDGEPLAN_P_SRC(p, e);
            if (e >= p->edges - p->stays) continue;
            if (edgeplan_p_is_told(p, call_block, v)) {
                if (uncountable && uncountable[e]) edgeplan_p_tell_behind(p, uncountable, e);
                else p->plan[e] = EDGEPLAN_COUNTED;
            } else if (!seen[v]) {
                seen[v] = 1;
                queue[count++] = v;
            }
        }
    edgeplan_p_singles(p, parent);
    for (e = p->edges - p->stays; e < p->edges; e++)
        if (p->plan[e] == EDGEPLAN_NONE) edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), p->exit);
    for (e = 0; uncountable && e < p->edges - p->stays; e++)
        if (uncountable[e])
            edgeplan_p_join(parent, EDGEPLAN_P_SRC(p, e), EDGEPLAN_P_DST(p, e));
    for (i = 0; i < p->edges; i++) {
        e = sorted[i];
        if (p->plan[e] != EDGEPLAN_NONE || e >= p->edges - p->stays) continue;
        if (uncountable && uncountable[e]) continue;
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
