/* ---- reading a trace ---- */

/* The lists of a function, one behind the other in lists[first[f] ..]:
       out_at[V + 1]  out[E]  in_at[V + 1]  in[E]  edge_of[number of witnesses]

   A token that was read and whose edge was not taken yet is held by the top
   frame. Walking back from the source of that edge over edges without witness
   gives, for each vertex that can reach it so, the one edge to follow:
   toward[v]. The plan makes sure that there is one such path, and that no call
   is met on it. */

#define EDGETRACE_P_NONE UINT32_MAX

EDGEPROF_API size_t edgetrace_reader_bytes(const edgetrace_function *functions, uint32_t count,
                                            uint32_t depth) {
    size_t words = count, most = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        words += 2 * ((size_t)functions[i].vertices + 1) + 3 * (size_t)functions[i].edges;
        if (functions[i].vertices > most) most = functions[i].vertices;
    }
    return (words + 2 * most) * sizeof(uint32_t) + (size_t)depth * sizeof(edgetrace_frame) + 16;
}

static uint32_t *edgetrace_p_list(const edgetrace_function *f, uint32_t *at, uint32_t side) {
    uint32_t *list = at + f->vertices + 1, v, e;
    for (v = 0; v <= f->vertices; v++) at[v] = 0;
    for (e = 0; e < f->edges; e++) at[f->ends[2 * (size_t)e + side] + 1]++;
    for (v = 0; v < f->vertices; v++) at[v + 1] += at[v];
    for (e = 0; e < f->edges; e++) list[at[f->ends[2 * (size_t)e + side]]++] = e;
    for (v = f->vertices; v > 0; v--) at[v] = at[v - 1];
    at[0] = 0;
    return list + f->edges;
}

EDGEPROF_API uint32_t edgetrace_reader_init(edgetrace_reader *r,
                                             const edgetrace_function *functions, uint32_t count,
                                             void *memory, size_t bytes) {
    size_t least = edgetrace_reader_bytes(functions, count, 0), depth;
    uint32_t *next, most = 0, i, e;
    r->functions = functions;
    r->count = count;
    r->depth = r->serials = 0;
    r->reason = "";
    r->offset = 0;
    depth = bytes < least ? 0 : (bytes - least) / sizeof(edgetrace_frame);
    r->depth_max = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    if (depth == 0) return 0;
    r->frames = (edgetrace_frame *)memory;
    r->first = (uint32_t *)(void *)(r->frames + depth);
    r->lists = next = r->first + count;
    for (i = 0; i < count; i++) {
        const edgetrace_function *f = &functions[i];
        if (f->root >= f->vertices || f->exit >= f->vertices) return 0;
        for (e = 0; e < 2 * f->edges; e++)
            if (f->ends[e] >= f->vertices) return 0;
        r->first[i] = (uint32_t)(next - r->lists);
        next = edgetrace_p_list(f, next, 0);
        next = edgetrace_p_list(f, next, 1);
        for (e = 0; e < f->edges; e++)
            if (f->witness && f->witness[e]) *next++ = e;
        if (f->vertices > most) most = f->vertices;
    }
    r->toward = next;
    r->queue = next + most;
    return r->depth_max;
}

typedef struct edgetrace_p_stream {
    const unsigned char *tokens, *bits;
    size_t at, size;
    uint64_t bit, bit_count;
    int is_over; /* an END was read, or nothing is left */
} edgetrace_p_stream;

static uint32_t edgetrace_p_next(edgetrace_reader *r, edgetrace_p_stream *s) {
    uint32_t value = 0, shift = 0;
    r->offset = s->at;
    while (s->at < s->size) {
        unsigned char byte = s->tokens[s->at++];
        if (shift < 32) value |= (uint32_t)(byte & 127) << shift;
        shift += 7;
        if (!(byte & 128)) {
            if (shift > 35) r->reason = "a token has too many bytes";
            return value;
        }
    }
    s->is_over = 1;
    return EDGETRACE_P_END;
}

static int edgetrace_p_refuse(edgetrace_reader *r, const char *reason) {
    r->reason = reason;
    return -1;
}

static int edgetrace_p_push(edgetrace_reader *r, uint32_t function) {
    edgetrace_frame *frame;
    if (function >= r->count)
        return edgetrace_p_refuse(r, "a function is entered that is not there");
    if (r->depth == r->depth_max)
        return edgetrace_p_refuse(r, "more calls are open than there is room for");
    frame = &r->frames[r->depth++];
    frame->function = function;
    frame->vertex = r->functions[function].root;
    frame->call = 0;
    frame->held = EDGETRACE_P_NONE;
    frame->serial = r->functions[function].has_serial ? r->serials++ : EDGETRACE_P_NONE;
    return 0;
}

/* Fills toward[] for the witness that the frame holds. */
static void edgetrace_p_aim(edgetrace_reader *r, const edgetrace_function *f, const uint32_t *in_at,
                            uint32_t edge) {
    const uint32_t *in = in_at + f->vertices + 1;
    uint32_t count = 1, done, v, i;
    for (v = 0; v < f->vertices; v++) r->toward[v] = EDGETRACE_P_NONE;
    r->queue[0] = f->ends[2 * (size_t)edge];
    r->toward[r->queue[0]] = edge;
    for (done = 0; done < count; done++)
        for (i = in_at[r->queue[done]]; i < in_at[r->queue[done] + 1]; i++) {
            v = f->ends[2 * (size_t)in[i]];
            if (f->witness[in[i]] || r->toward[v] != EDGETRACE_P_NONE) continue;
            r->toward[v] = in[i];
            r->queue[count++] = v;
        }
}

/* Reads a witness if none is held. Returns 1, 0 at the end of the trace, or
   -1. */
static int edgetrace_p_hold(edgetrace_reader *r, edgetrace_p_stream *s, edgetrace_frame *frame,
                            const uint32_t *in_at) {
    const edgetrace_function *f = &r->functions[frame->function];
    const uint32_t *edge_of = in_at + f->vertices + 1 + f->edges;
    uint32_t token, last = frame->function + 1;
    const uint32_t *end = last < r->count ? r->lists + r->first[last] : r->toward;
    if (frame->held != EDGETRACE_P_NONE) return 1;
    token = edgetrace_p_next(r, s);
    if (token == EDGETRACE_P_END) return 0;
    if (token > (uint32_t)(end - edge_of))
        return edgetrace_p_refuse(r, "a witness that this function does not have");
    frame->held = edge_of[token - 1];
    edgetrace_p_aim(r, f, in_at, frame->held);
    return 1;
}

/* The edge by which the top frame leaves its vertex. Returns 1, 0 at the end of
   the trace, or -1. */
static int edgetrace_p_choose(edgetrace_reader *r, edgetrace_p_stream *s, edgetrace_frame *frame,
                              uint32_t *edge) {
    const edgetrace_function *f = &r->functions[frame->function];
    const uint32_t *out_at = r->lists + r->first[frame->function], *out = out_at + f->vertices + 1;
    const uint32_t *in_at = out + f->edges;
    uint32_t ways = out_at[frame->vertex + 1] - out_at[frame->vertex], place = 0, bit;
    int got;
    if (ways == 0) return edgetrace_p_refuse(r, "a block that returns has no edge to EXIT");
    *edge = out[out_at[frame->vertex]];
    if (ways > 1 && !f->witness) {
        for (bit = 0; bit < 31 && (uint32_t)1 << bit < ways; bit++, s->bit++) {
            if (s->bit >= s->bit_count) {
                s->is_over = 1;
                return 0;
            }
            place |= (uint32_t)(s->bits[s->bit >> 3] >> (s->bit & 7) & 1) << bit;
        }
        if (place >= ways) return edgetrace_p_refuse(r, "a choice among fewer edges");
        *edge = out[out_at[frame->vertex] + place];
    }
    if (!f->witness) return 1;
    if (ways > 1) {
        got = edgetrace_p_hold(r, s, frame, in_at);
        if (got != 1) return got;
        *edge = r->toward[frame->vertex];
        if (*edge == EDGETRACE_P_NONE || f->ends[2 * (size_t)*edge] != frame->vertex)
            return edgetrace_p_refuse(r, "a witness that no path from here reaches");
    }
    if (f->witness[*edge]) {
        got = edgetrace_p_hold(r, s, frame, in_at);
        if (got != 1) return got;
        if (frame->held != *edge)
            return edgetrace_p_refuse(r, "another witness than that of the only way");
        frame->held = EDGETRACE_P_NONE;
    }
    return 1;
}

/* One event at an opaque call or where no frame is left. Returns 1: a block was
   entered; 2: LEAVE; 0: the end; or -1. */
static int edgetrace_p_event(edgetrace_reader *r, edgetrace_p_stream *s) {
    uint32_t token = edgetrace_p_next(r, s), vertex, depth;
    if (token == EDGETRACE_P_END) return 0;
    if (token == EDGETRACE_P_LEAVE)
        return r->depth ? 2 : edgetrace_p_refuse(r, "LEAVE where nothing was called");
    if (token >= EDGETRACE_P_ENTER) return edgetrace_p_push(r, token - EDGETRACE_P_ENTER) ? -1 : 1;
    token = edgetrace_p_next(r, s);
    vertex = edgetrace_p_next(r, s);
    if (s->is_over) return 0;
    for (depth = r->depth; depth > 0 && r->frames[depth - 1].serial != token; depth--) {
    }
    if (depth == 0 || vertex >= r->functions[r->frames[depth - 1].function].vertices)
        return edgetrace_p_refuse(r, "longjmp came back to an activation that is not there");
    r->depth = depth;
    r->frames[depth - 1].vertex = vertex;
    r->frames[depth - 1].call = 0;
    r->frames[depth - 1].held = EDGETRACE_P_NONE;
    return 1;
}

/* One step of the top frame. Returns 1: a block was entered; 2: go on; 0: the
   end; or -1. */
static int edgetrace_p_step(edgetrace_reader *r, edgetrace_p_stream *s) {
    edgetrace_frame *frame = &r->frames[r->depth - 1];
    const edgetrace_function *f = &r->functions[frame->function];
    uint32_t calls = f->call_at ? f->call_at[frame->vertex + 1] - f->call_at[frame->vertex] : 0,
             edge;
    int ends_here = f->never_returns && f->never_returns[frame->vertex], got;
    if (frame->call < calls) {
        uint32_t callee = f->call[f->call_at[frame->vertex] + frame->call];
        if (callee == EDGETRACE_SILENT && !ends_here) {
            frame->call++;
            return 2;
        }
        if (callee < EDGETRACE_SILENT) {
            frame->call++;
            return edgetrace_p_push(r, callee) ? -1 : 1;
        }
        got = edgetrace_p_event(r, s);
        if (got == 2) r->frames[r->depth - 1].call++;
        return got;
    }
    if (ends_here) {
        got = edgetrace_p_event(r, s);
        return got == 2 ? edgetrace_p_refuse(r, "LEAVE in a block that never returns") : got;
    }
    got = edgetrace_p_choose(r, s, frame, &edge);
    if (got != 1) return got;
    frame->vertex = f->ends[2 * (size_t)edge + 1];
    frame->call = 0;
    if (frame->vertex != f->exit) return 1;
    r->depth--;
    return 2;
}

EDGEPROF_API int edgetrace_read(edgetrace_reader *r, const void *tokens, size_t size,
                                 const void *bits, uint64_t bit_count, uint64_t most,
                                 int (*block)(void *user, uint32_t function, uint32_t vertex,
                                              int is_certain),
                                 void *user) {
    edgetrace_p_stream s;
    int got = 1;
    s.tokens = (const unsigned char *)tokens;
    s.bits = (const unsigned char *)bits;
    s.at = 0;
    s.size = size;
    s.bit = 0;
    s.bit_count = bit_count;
    s.is_over = 0;
    r->depth = r->serials = 0;
    r->reason = NULL;
    while (most > 0) {
        int is_certain = s.at < size || s.bit < bit_count;
        got = r->depth ? edgetrace_p_step(r, &s) : edgetrace_p_event(r, &s);
        if (got < 0 || r->reason) return -1;
        if (got == 0) return 0;
        if (got == 2) continue;
        is_certain |= r->depth && r->frames[r->depth - 1].held != EDGETRACE_P_NONE;
        most--;
        if (block(user, r->frames[r->depth - 1].function, r->frames[r->depth - 1].vertex,
                  is_certain))
            return 0;
    }
    return 0;
}
