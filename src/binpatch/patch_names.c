/* ---- patching: what is known of a module that is not surveyed ---- */
static void binpatch_p_filter(binpatch_p_module *m) {
    const binpatch_config *c = &binpatch_p.config;
    uint32_t k;
    for (k = 0; k < m->flow.count; k++) {
        x86flow_function *f = &m->flow.functions[k];
        f->reason = f->reason == BINPATCH_STARTUP ? f->reason : 0;
        if (!f->reason && c->want && !c->want(c->user, m->path, f->name ? f->name : ""))
            f->reason = BINPATCH_FILTERED;
    }
}

/* Names of functions, for config.want and for who asks. */
static void binpatch_p_name_functions(binpatch_p_module *m) {
    binpatch_p_dynamic y;
    size_t n;
    if (binpatch_p_open_dynamic(m, &y) != 0) y.count = 0;
    for (n = 0; n < y.count; n++) {
        uint64_t at = m->flow.bias + y.symbols[n].st_value;
        x86flow_function *f;
        if (!y.symbols[n].st_shndx || (y.symbols[n].st_info & 15) != STT_FUNC) continue;
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at && !f->name) f->name = y.names + y.symbols[n].st_name;
    }
    binpatch_p_read_file(m);
    binpatch_p_filter(m);
}

/* Functions that forbid system calls by an instruction of their own: see
   x86flow_survey. Without a survey the text is searched for the instruction,
   which is rare outside of the C library. */
static void binpatch_p_find_filters(const binpatch_p_module *m, size_t largest) {
    const x86flow_function *last = NULL;
    const char *base = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;
    uint32_t n;
    if (!strncmp(base, "libc.so", 7) || !strncmp(base, "ld-linux", 8)) return;
    for (n = 0; n < m->flow.readable_count; n++) {      /* between two of them may be nothing */
        uint64_t at = m->flow.readable[n][0], end = m->flow.readable[n][1];
        if (at < m->flow.text_lo) at = m->flow.text_lo;
        if (end > m->flow.text_hi) end = m->flow.text_hi;
        while (at < end) {
            const x86flow_function *f;
            const uint8_t *found = (const uint8_t *)memchr(binpatch_p_at(at), 5,
                                                           (size_t)(end - at));
            if (!found) break;
            at = binpatch_p_address(found) + 1;         /* syscall is 0F 05 */
            if (at - 2 < m->flow.text_lo || found[-1] != 0x0F) continue;
            f = x86flow_function_at(&m->flow, at - 2);
            if (!f || f == last) continue;
            last = f;
            if (!binpatch_p.body.text && binpatch_p_open_scratch(largest) != 0) return;
            if (x86flow_decode(&binpatch_p.body, &m->flow, f, 0) == X86FLOW_FINE)
                binpatch_p.filters += x86flow_p_filters_calls(&binpatch_p.body) ? 1u : 0u;
        }
    }
}

/* Returns how many functions can be told apart. */
static uint32_t binpatch_p_look(size_t largest) {
    uint32_t n, count = 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        if (m->refusal) continue;
        binpatch_p_name_functions(m);
        binpatch_p_find_filters(m, largest);
        count += m->flow.count;
    }
    return count;
}
