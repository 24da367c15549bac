/* ---- writing a trace ---- */

/* Tokens are varints, and context tells what they mean:

       where a witness is wanted      0 END, k + 1 witness k
       at an opaque call,             0 END, 1 LEAVE, 2 RESUME serial vertex,
       and where no frame is left     3 + f ENTER function f */

enum { EDGETRACE_P_END = 0, EDGETRACE_P_LEAVE = 1, EDGETRACE_P_RESUME = 2, EDGETRACE_P_ENTER = 3 };

static void edgetrace_p_flush(edgetrace *t) {
    if (t->used && !t->error) t->error = t->write(t->user, t->tokens, t->used);
    t->used = 0;
}

static void edgetrace_p_token(edgetrace *t, uint32_t token) {
    do {
        t->tokens[t->used++] = (unsigned char)((token & 127) | (token > 127 ? 128 : 0));
        if (t->used == sizeof t->tokens) edgetrace_p_flush(t);
        token >>= 7;
    } while (token);
}

EDGEPROF_API void edgetrace_begin(edgetrace *t, edgetrace_write_fn write,
                                   edgetrace_write_fn write_bits, void *user) {
    t->write = write;
    t->write_bits = write_bits;
    t->user = user;
    t->bits = 0;
    t->serials = 0;
    t->error = 0;
    t->outside = 1;
    t->used = t->bits_used = 0;
    t->packed[0] = 0;
}

EDGEPROF_API int edgetrace_end(edgetrace *t) {
    edgetrace_p_token(t, EDGETRACE_P_END);
    edgetrace_p_flush(t);
    if (t->write_bits && !t->error && (t->bits_used || (t->bits & 7)))
        t->error = t->write_bits(t->user, t->packed, (size_t)t->bits_used + ((t->bits & 7) != 0));
    return t->error ? -1 : 0;
}

EDGEPROF_API void edgetrace_witness(edgetrace *t, uint32_t number) {
    edgetrace_p_token(t, number + 1);
}

EDGEPROF_API void edgetrace_choice(edgetrace *t, uint32_t place, uint32_t bits) {
    for (; bits > 0; bits--, place >>= 1) {
        t->packed[t->bits_used] =
            (unsigned char)(t->packed[t->bits_used] | (place & 1) << (t->bits & 7));
        if ((++t->bits & 7) != 0) continue;
        if (++t->bits_used == sizeof t->packed) {
            if (!t->error) t->error = t->write_bits(t->user, t->packed, t->bits_used);
            t->bits_used = 0;
        }
        t->packed[t->bits_used] = 0;
    }
}

EDGEPROF_API int edgetrace_entry(edgetrace *t, uint32_t function) {
    int outside = t->outside;
    if (outside) edgetrace_p_token(t, EDGETRACE_P_ENTER + function);
    t->outside = 0;
    return outside;
}

EDGEPROF_API void edgetrace_return(edgetrace *t, int outside) { t->outside = outside; }

EDGEPROF_API int edgetrace_call(edgetrace *t) {
    int outside = t->outside;
    t->outside = 1;
    return outside;
}

EDGEPROF_API void edgetrace_called(edgetrace *t, int outside) {
    edgetrace_p_token(t, EDGETRACE_P_LEAVE);
    t->outside = outside;
}

EDGEPROF_API uint32_t edgetrace_serial(edgetrace *t) { return t->serials++; }

EDGEPROF_API void edgetrace_resume(edgetrace *t, uint32_t serial, uint32_t block) {
    edgetrace_p_token(t, EDGETRACE_P_RESUME);
    edgetrace_p_token(t, serial);
    edgetrace_p_token(t, block);
    t->outside = 0;
}
