/* ---- patching: what is known of a module that is not surveyed ---- */
static void x86_p_filter(x86_p_module *m) {
    const x86_config *c = &x86_p.config;
    uint32_t k;
    for (k = 0; k < m->flow.count; k++) {
        x86flow_function *f = &m->flow.functions[k];
        f->reason = f->reason == X86_STARTUP ? f->reason : 0;
        if (!f->reason && c->want && !c->want(c->user, m->path, f->name ? f->name : ""))
            f->reason = X86_FILTERED;
    }
}

/* Names of functions, for config.want and for who asks. */
static void x86_p_name_functions(x86_p_module *m) {
    x86_p_dynamic y;
    size_t n;
    if (x86_p_open_dynamic(m, &y) != 0) y.count = 0;
    for (n = 0; n < y.count; n++) {
        uint64_t at = m->flow.bias + y.symbols[n].st_value;
        x86flow_function *f;
        if (!y.symbols[n].st_shndx || (y.symbols[n].st_info & 15) != STT_FUNC) continue;
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at && !f->name) f->name = y.names + y.symbols[n].st_name;
    }
    x86_p_read_file(m);
    x86_p_filter(m);
}

/* Functions that forbid system calls by an instruction of their own: see
   x86flow_survey. Without a survey the text is searched for the instruction,
   which is rare outside of the C library. */
static void x86_p_find_filters(const x86_p_module *m, size_t largest) {
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
            const uint8_t *found = (const uint8_t *)memchr(x86_p_at(at), 5,
                                                           (size_t)(end - at));
            if (!found) break;
            at = x86_p_address(found) + 1;         /* syscall is 0F 05 */
            if (at - 2 < m->flow.text_lo || found[-1] != 0x0F) continue;
            f = x86flow_function_at(&m->flow, at - 2);
            if (!f || f == last) continue;
            last = f;
            if (!x86_p.body.text && x86_p_open_scratch(largest) != 0) return;
            if (x86flow_decode(&x86_p.body, &m->flow, f, 0) == X86FLOW_FINE)
                x86_p.filters += x86flow_p_filters_calls(&x86_p.body) ? 1u : 0u;
        }
    }
}

/* Returns how many functions can be told apart. */
static uint32_t x86_p_look(size_t largest) {
    uint32_t n, count = 0;
    for (n = 0; n < x86_p.module_count; n++) {
        x86_p_module *m = &x86_p.modules[n];
        if (m->refusal) continue;
        x86_p_name_functions(m);
        x86_p_find_filters(m, largest);
        count += m->flow.count;
    }
    return count;
}
