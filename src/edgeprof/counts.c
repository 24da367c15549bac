/* ---- counts of one function ---- */

static uint64_t edgeprof_p_mask(const edgeprof_function *f) {
    return f->bits < 64 ? ((uint64_t)1 << f->bits) - 1 : UINT64_MAX;
}

static int edgeprof_p_covers(const edgeprof_function *f) { return f->bits < 16; }

static uint64_t edgeprof_p_slot(const edgeprof_function *f, uint32_t slot) {
    switch (f->bits) {
    case 1: return ((const uint8_t *)f->counters)[slot >> 3] >> (slot & 7) & 1;
    case 8: return ((const uint8_t *)f->counters)[slot];
    case 16: return ((const uint16_t *)f->counters)[slot];
    case 32: return ((const uint32_t *)f->counters)[slot];
    default: return ((const uint64_t *)f->counters)[slot];
    }
}

/* Does edge e, or X, have a counter? */
static int edgeprof_p_counted(const edgeprof_function *f, uint32_t e) {
    if (e == f->edges) return f->counts_entry;
    if (e >= f->edges - f->stays) return 0;
    return f->plan == NULL || f->plan[e];
}

static size_t edgeprof_p_bytes(const edgeprof_function *f) {
    size_t edges = (size_t)f->edges + 1;
    return 8 * edges + 16 * (size_t)f->vertices + edgeprof_solve_bytes(f->vertices) + edges + 16;
}

EDGEPROF_API size_t edgeprof_bytes(const edgeprof_function *const *list, uint32_t count) {
    size_t most = 0, bytes;
    uint32_t i;
    for (i = 0; i < count; i++) {
        bytes = list[i] && list[i]->ends ? edgeprof_p_bytes(list[i]) : 0;
        if (bytes > most) most = bytes;
    }
    return (most + 7) / 8 * 8;
}

/* COVER: what the marks say of straight lines.

       mark -> a -> b -> c -> d -> mark or join

   A line whose first mark is set ran as far as something shows that it did: up
   to a vertex where an activation ended early, or to its end if a mark there is
   set or if nobody ended early in it. So from each mark we go forward, up to
   the next vertex with several out-edges or with an early end; then from each
   edge that was taken, and from each vertex with an early end, back to where
   another way could have led there. Each vertex is passed twice at most.
   only[v] and into[v] are the one edge that leaves v, and the one that leads
   there. */
static int edgeprof_p_ended(const edgeprof_function *f, uint32_t v) {
    return f->early && f->early[v] && f->early[v] <= EDGEPROF_UNKNOWN;
}

static void edgeprof_p_back(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                            const uint32_t *into, uint32_t v) {
    while (!block[v]) {
        uint32_t e = into[v];
        block[v] = 1;
        if (e >= UINT32_MAX - 1 || edgeprof_p_counted(f, e)) return;
        count[e] = 1;
        if (e == f->edges) return;
        v = f->ends[2 * (size_t)e];
    }
}

static void edgeprof_p_close(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                             uint32_t *only) {
    uint32_t *into = only + f->vertices, e, v, w;
    for (v = 0; v < f->vertices; v++) {
        only[v] = into[v] = UINT32_MAX;
        block[v] = 0;
    }
    for (e = 0; e <= f->edges; e++) {
        v = f->ends[2 * (size_t)e];
        w = f->ends[2 * (size_t)e + 1];
        into[w] = into[w] == UINT32_MAX ? e : UINT32_MAX - 1;
        if (e == f->edges) continue;
        only[v] = only[v] == UINT32_MAX ? e : UINT32_MAX - 1;
        if (e >= f->edges - f->stays) only[v] = UINT32_MAX - 1;
    }
    for (w = 0; w <= f->edges + f->vertices; w++) {
        if (w <= f->edges) {
            if (!count[w]) continue;
            v = f->ends[2 * (size_t)w + 1];
        } else {
            v = w - f->edges - 1;
            if (!f->reentry || !f->reentry[v]) continue;
        }
        while (!block[v]) {
            block[v] = 1;
            e = only[v];
            if (e >= UINT32_MAX - 1 || edgeprof_p_counted(f, e) || edgeprof_p_ended(f, v)) break;
            count[e] = 1;
            v = f->ends[2 * (size_t)e + 1];
        }
    }
    for (e = 0; e < f->edges; e++)
        if (count[e]) edgeprof_p_back(f, count, block, into, f->ends[2 * (size_t)e]);
    for (v = 0; v < f->vertices; v++)
        if (edgeprof_p_ended(f, v)) edgeprof_p_back(f, count, block, into, v);
}

typedef struct edgeprof_p_room {
    uint64_t *count, *block, *balance;
    uint32_t *words;
    uint8_t *known;
} edgeprof_p_room;

static int edgeprof_p_lay_out(const edgeprof_function *f, edgeprof_p_room *room, void *memory,
                              size_t bytes) {
    size_t edges = (size_t)f->edges + 1;
    if (!f->ends || bytes < edgeprof_p_bytes(f)) return -1;
    room->count = (uint64_t *)memory;
    room->block = room->count + edges;
    room->balance = room->block + f->vertices;
    room->words = (uint32_t *)(void *)(room->balance + f->vertices);
    room->known = (uint8_t *)(room->words + 3 * (size_t)f->vertices);
    return 0;
}

/* More may have come back than ended: the number is signed. */
static uint64_t edgeprof_p_early(const edgeprof_function *f, uint32_t v) {
    uint64_t early = f->early[v];
    return early & EDGEPROF_UNKNOWN ? early | ~(uint64_t)UINT32_MAX : early;
}

static void edgeprof_p_balance(const edgeprof_function *f, uint64_t *balance) {
    uint32_t v, e, last = f->vertices - 1;
    for (v = 0; v < f->vertices; v++) balance[v] = 0;
    if (!f->early) return;
    for (v = 0; v < last; v++) {
        uint64_t left = edgeprof_p_early(f, v) - (f->reentry ? f->reentry[v] : 0);
        balance[v] -= left;
        balance[last] += left;
    }
    for (e = f->edges - f->stays; e < f->edges; e++) { /* early is what a stay edge derives */
        v = f->ends[2 * (size_t)e];
        balance[v] += edgeprof_p_early(f, v);
        balance[last] -= edgeprof_p_early(f, v);
    }
}

static void edgeprof_p_blocks(const edgeprof_function *f, const uint64_t *count, uint64_t *block) {
    uint64_t mask = edgeprof_p_mask(f);
    uint32_t v, e;
    for (v = 0; v < f->vertices; v++) block[v] = f->reentry ? f->reentry[v] : 0;
    for (e = 0; e <= f->edges; e++) {
        v = f->ends[2 * (size_t)e + 1];
        block[v] = (block[v] + count[e]) & mask;
    }
}

/* Fills room->count and room->block. */
static int edgeprof_p_derive(const edgeprof_function *f, edgeprof_p_room *room) {
    uint32_t slot = 0, e;
    for (e = 0; e <= f->edges; e++) {
        room->known[e] = (uint8_t)edgeprof_p_counted(f, e);
        room->count[e] = room->known[e] ? edgeprof_p_slot(f, slot++) : 0;
        if (edgeprof_p_covers(f) && room->count[e]) room->count[e] = 1;
    }
    if (edgeprof_p_covers(f)) {
        edgeprof_p_close(f, room->count, room->block, room->words);
        return 0;
    }
    edgeprof_p_balance(f, room->balance);
    if (f->plan &&
        edgeprof_solve(f->ends, f->vertices, f->edges + 1, room->known, room->count, room->balance,
                       f->bits, room->words, edgeprof_solve_bytes(f->vertices)) != 0)
        return -1;
    edgeprof_p_blocks(f, room->count, room->block);
    return 0;
}

EDGEPROF_API int edgeprof_counts(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                                 void *memory, size_t bytes) {
    edgeprof_p_room room;
    uint32_t i;
    if (!f || edgeprof_p_lay_out(f, &room, memory, bytes) != 0 || edgeprof_p_derive(f, &room) != 0)
        return -1;
    for (i = 0; count && i <= f->edges; i++) count[i] = room.count[i];
    for (i = 0; block && i < f->vertices; i++) block[i] = room.block[i];
    return 0;
}

EDGEPROF_API int edgeprof_check(const edgeprof_function *f, const uint8_t *plan,
                                edgeprof_fault *fault, void *memory, size_t bytes) {
    edgeprof_p_room room;
    uint64_t mask;
    uint32_t v, e;
    fault->vertex = fault->line = 0;
    fault->vertex_name = "";
    fault->in = fault->out = 0;
    fault->edge = UINT32_MAX;
    if (!f) return 0;
    if (edgeprof_p_covers(f) || edgeprof_p_lay_out(f, &room, memory, bytes) != 0 ||
        edgeprof_p_derive(f, &room) != 0)
        return -1;
    mask = edgeprof_p_mask(f);
    edgeprof_p_balance(f, room.balance);
    for (e = 0; e <= f->edges; e++) {
        room.balance[f->ends[2 * (size_t)e]] -= room.count[e];
        room.balance[f->ends[2 * (size_t)e + 1]] += room.count[e];
    }
    for (v = 0; v < f->vertices; v++) {
        if ((room.balance[v] & mask) == 0) continue;
        fault->vertex = v;
        fault->line = f->lines[v];
        if (f->vertex_names) fault->vertex_name = f->vertex_names[v];
        fault->in = room.block[v];
        fault->out = (room.block[v] - room.balance[v]) & mask;
        return -1;
    }
    if (!plan) return 0;
    for (e = 0; e <= f->edges; e++) room.known[e] = plan[e];
    edgeprof_p_balance(f, room.balance);
    if (edgeprof_solve(f->ends, f->vertices, f->edges + 1, plan, room.count, room.balance, f->bits,
                       room.words, edgeprof_solve_bytes(f->vertices)) != 0)
        return -1;
    for (e = 0; e <= f->edges; e++) {
        if (room.count[e] == edgeprof_p_slot(f, e)) continue;
        fault->edge = e;
        fault->in = room.count[e];
        fault->out = edgeprof_p_slot(f, e);
        return -1;
    }
    return 0;
}

EDGEPROF_API void edgeprof_reset(const edgeprof_function *const *list, uint32_t count) {
    uint32_t i, v;
    for (i = 0; i < count; i++) {
        size_t size, at;
        if (!list[i]) continue;
        size = list[i]->bits == 1 ? (list[i]->slots + 7) / 8
                                  : (size_t)list[i]->slots * (list[i]->bits / 8);
        for (at = 0; at < size; at++) ((unsigned char *)list[i]->counters)[at] = 0;
        for (v = 0; list[i]->early && v < list[i]->vertices; v++) list[i]->early[v] = 0;
        for (v = 0; list[i]->reentry && v < list[i]->vertices; v++) list[i]->reentry[v] = 0;
    }
}
