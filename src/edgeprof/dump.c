/* ---- the dump (docs/formats.md, kind 4) ---- */

/* FNV-1a. */
EDGEPROF_API uint64_t edgeprof_key(const edgeprof_function *f) {
    uint64_t key = UINT64_C(0xCBF29CE484222325);
    const char *at;
    int i;
    for (at = f->name; *at; at++) key = (key ^ (unsigned char)*at) * UINT64_C(0x100000001B3);
    for (i = 0; i < 32; i += 8) key = (key ^ (f->hash >> i & 255)) * UINT64_C(0x100000001B3);
    key = (key ^ f->bits) * UINT64_C(0x100000001B3);
    key = (key ^ (f->slots & 255)) * UINT64_C(0x100000001B3);
    return key;
}

static void edgeprof_p_put_key(edgeprof_p_out *out, const edgeprof_function *f) {
    unsigned char key[8];
    edgeprof_p_little(key, edgeprof_key(f), 8);
    edgeprof_p_put(out, key, 8);
}

static void edgeprof_p_put_string(edgeprof_p_out *out, const char *string) {
    size_t size = 0;
    while (string[size]) size++;
    edgeprof_p_put_varint(out, size);
    edgeprof_p_put(out, string, size);
}

static void edgeprof_p_put_table(edgeprof_p_out *out, const edgeprof_function *f) {
    uint32_t v, e;
    edgeprof_p_put_varint(out, 1);
    edgeprof_p_put_key(out, f);
    edgeprof_p_put_string(out, f->name);
    edgeprof_p_put_string(out, f->file);
    edgeprof_p_put_varint(out, f->bits);
    edgeprof_p_put_varint(out, 0); /* its first slot and first vertex in the record of counts */
    edgeprof_p_put_varint(out, 0);
    edgeprof_p_put_varint(out, f->vertices);
    edgeprof_p_put_varint(out, f->edges);
    edgeprof_p_put_varint(out, f->stays);
    edgeprof_p_put_varint(out, f->counts_entry);
    for (v = 0; v < f->vertices; v++) {
        edgeprof_p_put_varint(out, f->lines[v] != 0);
        if (f->lines[v]) edgeprof_p_put_varint(out, f->lines[v]);
    }
    for (e = 0; e < f->edges; e++) {
        edgeprof_p_put_varint(out, 2 * (uint64_t)f->ends[2 * (size_t)e] +
                                       (unsigned)edgeprof_p_counted(f, e));
        edgeprof_p_put_varint(out, f->ends[2 * (size_t)e + 1]);
    }
}

static void edgeprof_p_put_counts(edgeprof_p_out *out, const edgeprof_function *f) {
    uint32_t exits = 0, i, again;
    edgeprof_p_put_varint(out, 2);
    edgeprof_p_put_key(out, f);
    edgeprof_p_put_varint(out, f->bits);
    edgeprof_p_put_varint(out, f->slots);
    for (i = 0; i < f->slots; i++) edgeprof_p_put_varint(out, edgeprof_p_slot(f, i));
    for (i = 0; f->early && i < f->vertices; i++)
        exits += f->early[i] || (f->reentry && f->reentry[i]);
    edgeprof_p_put_varint(out, exits);
    for (i = 0; f->early && i < f->vertices; i++) {
        again = f->reentry ? f->reentry[i] : 0;
        if (!f->early[i] && !again) continue;
        edgeprof_p_put_varint(out, i);
        edgeprof_p_put_varint(out, f->early[i]);
        edgeprof_p_put_varint(out, again);
    }
}

EDGEPROF_API int edgeprof_write_test(const char *test, const edgeprof_function *const *list,
                                     uint32_t count, edgeprof_write_fn write, void *user) {
    edgeprof_p_out out;
    uint32_t i;
    edgeprof_p_put_begin(&out, 4, write, user);
    if (test && *test) {
        edgeprof_p_put_varint(&out, 3);
        edgeprof_p_put_string(&out, test);
    }
    for (i = 0; i < count; i++) {
        if (!list[i]) continue;
        if (list[i]->ends) edgeprof_p_put_table(&out, list[i]);
        edgeprof_p_put_counts(&out, list[i]);
    }
    return edgeprof_p_put_end(&out) ? -1 : 0;
}

EDGEPROF_API int edgeprof_write(const edgeprof_function *const *list, uint32_t count,
                                edgeprof_write_fn write, void *user) {
    return edgeprof_write_test(NULL, list, count, write, user);
}
