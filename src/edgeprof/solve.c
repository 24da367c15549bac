/* ---- deriving counts (section 3.2) ---- */

/* At each vertex the sum of the in-edges equals the sum of the out-edges. A
   vertex with one unknown edge gives that edge; the unknown edges are a forest,
   so there is always such a vertex, a leaf. No list of neighbours is needed:
   who[v], the exclusive or of the numbers of v's unknown edges, is the edge
   itself when one is left. An edge from a vertex to itself enters no sum; it
   must be known.

       left[v]      number of unknown edges at v
       who[v]       exclusive or of their numbers
       balance[v]   what is known to come in, less what is known to go out

   Everything is modulo 2^64, and so right modulo 2^bits. */

EDGEPROF_API size_t edgeprof_solve_bytes(uint32_t vertices) { return 12 * (size_t)vertices; }

typedef struct edgeprof_p_solver {
    uint32_t *left, *who, *queue, queued;
    uint64_t *balance;
} edgeprof_p_solver;

static void edgeprof_p_settle(edgeprof_p_solver *s, uint32_t v, uint32_t e, uint64_t change) {
    s->left[v]--;
    s->who[v] ^= e;
    s->balance[v] += change;
    if (s->left[v] == 1) s->queue[s->queued++] = v;
}

EDGEPROF_API int edgeprof_solve(const edgeprof_index *ends, uint32_t vertices, uint32_t edges,
                                const uint8_t *known, uint64_t *count, uint64_t *balance,
                                uint32_t bits, void *memory, size_t bytes) {
    edgeprof_p_solver s;
    uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    uint32_t e, v, from, to, unknown = 0;
    if (bytes < edgeprof_solve_bytes(vertices)) return -1;
    s.left = (uint32_t *)memory;
    s.who = s.left + vertices;
    s.queue = s.who + vertices;
    s.queued = 0;
    s.balance = balance;
    for (v = 0; v < vertices; v++) s.left[v] = s.who[v] = 0;
    for (e = 0; e < edges; e++) {
        from = ends[2 * (size_t)e];
        to = ends[2 * (size_t)e + 1];
        if (known[e]) {
            balance[to] += count[e];
            balance[from] -= count[e];
            continue;
        }
        if (from == to) return -1;
        unknown++;
        s.left[from]++;
        s.left[to]++;
        s.who[from] ^= e;
        s.who[to] ^= e;
    }
    for (v = 0; v < vertices; v++)
        if (s.left[v] == 1) s.queue[s.queued++] = v;
    while (s.queued > 0) {
        v = s.queue[--s.queued];
        if (s.left[v] != 1) continue;
        e = s.who[v];
        from = ends[2 * (size_t)e];
        to = ends[2 * (size_t)e + 1];
        count[e] = (from == v ? balance[v] : 0 - balance[v]) & mask;
        edgeprof_p_settle(&s, from, e, 0 - count[e]);
        edgeprof_p_settle(&s, to, e, count[e]);
        unknown--;
    }
    return unknown ? -1 : 0;
}
