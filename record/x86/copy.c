/* ---- copies: one pass in linear order ---- */
/* A burst may begin inside a call that C made. The code behind that call
   belongs to the burst, too. So whoever begins a burst exchanges the return
   addresses that C has pushed for those that I would have pushed:
   x86copy_return_in_i. Behind its call I looks whether the burst is still live.

   The list behind the code of I: how many, then for each call that returns two
   words in rising order: where the return address is in C and in I, counted
   from their starts. */

static void x86copy_p_emit_returns(x86copy *s) {
    uint32_t n, count = 0, at;
    while (!s->failed && s->out_size & 3) x86copy_p_out1(s, 0xCC);
    at = s->out_size;
    x86copy_p_out4(s, 0);
    for (n = 0; n < s->fixup_count; n++) {
        const x86copy_fixup *x = &s->fixups[n];
        if (x->kind != X86COPY_P_RETURN) continue;
        x86copy_p_out4(s, s->spot[x->index + 1].c_at);
        x86copy_p_out4(s, x->at);
        count++;
    }
    if (s->failed) return;
    memcpy(s->out + at, &count, 4);
    s->returns_at = at;
}

X86_API uint64_t x86copy_return_in_i(const x86copy_module *m, uint32_t number, uint64_t pc) {
    const x86copy_function *f = &m->functions[number];
    const uint8_t *list = x86_p_at(m->rx + f->returns_at);
    uint64_t at = pc - (m->rx + f->c_at);
    uint32_t lo = 0, hi;
    if (!f->returns_at || !f->i_at) return 0;
    hi = x86_p_u32(list);
    for (list += 4; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2, c_at = x86_p_u32(list + (size_t)mid * 8);
        if (c_at == at) return m->rx + f->i_at + x86_p_u32(list + (size_t)mid * 8 + 4);
        if (c_at < at) lo = mid + 1;
        else hi = mid;
    }
    return 0;
}

/* Behind the last instruction of the function or of its part: on in what stands
   there. */
static void x86copy_p_leave_end(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    if (x86flow_falls_through(k)) x86copy_p_jump(s, x86copy_p_address_of(s, k) + k->i.length);
}

/* Emits one copy into the scratch memory as if it stood at `base`. Sites are
   numbered from first_site in the order entry, then targets of back-edges; so
   both copies agree. */
X86_API int x86copy_emit(x86copy *s, x86copy_module *m, uint64_t base, int instrumented,
                             uint32_t first_site) {
    const x86flow_function *f = s->b->f;
    x86copy_spot *entry = &s->spot[s->b->count + 1];
    uint32_t n, slow = 0, checked = f->flags & X86FLOW_CHECK ? 1u : 0u;
    const x86copy_function *own = &m->functions[f - m->flow->functions];
    s->m = m;
    s->own = &m->functions[f - m->flow->functions];
    s->first_site = first_site;
    s->base = base;
    s->instrumented = instrumented;
    s->out_size = s->fixup_count = 0;
    s->translated = 0;
    s->returns_at = 0;
    s->failed = 0;
    s->site_count = 0;
    for (n = 0; n < s->b->table_count; n++) s->table_at[n] = 0;
    X86COPY_P_CODE(s, "\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC");
    for (n = 0; n < s->b->count; n++) {
        uint32_t number = s->b->insn[n].table;
        const x86flow_table *t = &s->b->tables[number];
        s->spot[n].thunk = 0;
        if (s->b->insn[n].dispatch != X86FLOW_REWRITE || s->table_at[number]) continue;
        while (!s->failed && s->out_size & 7) x86copy_p_out1(s, 0xCC);
        s->table_at[number] = s->out_size;
        if (s->out_max - s->out_size < t->entries * t->width + 64) return -1;
        s->out_size += t->entries * t->width;
    }
    while (!s->failed && s->out_size & 15) x86copy_p_out1(s, 0xCC);
    s->code_start = s->out_size;
    if (checked) {
        entry->site = first_site + s->site_count++;
        x86copy_p_decrement(s);
        X86COPY_P_CODE(s, "\x0F\x88");
        slow = s->out_size;
        x86copy_p_out4(s, 0);
        if (instrumented) x86copy_p_jump(s, s->m->rx + own->c_at + entry->c_at);
    }
    entry->at = x86copy_p_position(s);
    if (instrumented && s->m->events & X86COPY_ENTRY)
        x86copy_p_event_stack(s, s->b->insn, x86copy_p_what(s, X86COPY_ENTRY, 0),
                              (uint32_t)(f->lo - s->m->flow->bias), 0);
    for (n = 0; n < s->b->count; n++) {
        if (s->b->insn[n].target & X86FLOW_TARGET_CHECKED)
            s->spot[n].site = first_site + s->site_count++;
        s->spot[n].begin = x86copy_p_position(s);
        if (s->b->insn[n].target & X86FLOW_TARGET_CHECKED) (void)x86copy_p_inline_check(s, n);
        s->spot[n].at = x86copy_p_position(s);
        x86copy_p_emit_instruction(s, n);
        if (n + 1 == s->b->part_first || n + 1 == s->b->count) x86copy_p_leave_end(s, n);
    }
    s->spot[s->b->count].at = x86copy_p_position(s);
    for (n = 0; n < s->b->count; n++) {
        if (s->b->insn[n].target & X86FLOW_TARGET_CHECKED) x86copy_p_emit_thunk(s, n);
    }
    if (checked) {
        x86copy_p_resolve(s, slow, s->out_size);
        x86copy_p_slow_end(s, entry->site, 0, s->b->count + 1);
    }
    x86copy_p_emit_map(s);
    if (instrumented) x86copy_p_emit_returns(s);
    if (s->failed) return -1;
    for (n = 0; n < s->fixup_count; n++) {
        const x86copy_fixup *x = &s->fixups[n];
        const x86copy_spot *to = &s->spot[x->kind < 4 ? x->index : 0];
        if (x->kind >= X86COPY_P_TO_MAP) continue;
        x86copy_p_resolve(s, x->at,
                          s->code_start
                              + (x->kind == X86COPY_P_TO_BODY    ? to->at
                                 : x->kind == X86COPY_P_TO_THUNK ? to->thunk
                                                                 : to->slow));
    }
    x86copy_p_fill_tables(s);
    return 0;
}

X86_API int x86copy_find_c(x86copy *s, x86copy_module *m, uint64_t base, uint32_t first_site) {
    uint32_t n;
    if (x86copy_emit(s, m, base, 0, first_site) != 0) return -1;
    for (n = 0; n < s->b->count + 2; n++) s->spot[n].c_at = s->spot[n].at;
    return 0;
}

X86_API uint64_t x86copy_origin(const x86copy *s, uint32_t at) {
    uint32_t lo = 0, hi = s->b->count;
    const x86flow_insn *k;
    uint64_t address;
    while (lo < hi) { /* the first instruction that begins there or behind it */
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->spot[mid].begin < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo) return s->b->f->lo;
    k = &s->b->insn[lo - 1];
    address = x86flow_address(s->b, k->offset);
    if (k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT)
        return address + k->i.length;
    if (lo < s->b->count && s->spot[lo].begin == at) k++;
    return x86flow_address(s->b, k->offset);
}

X86_API int x86copy_is_site(const x86flow_body *b, uint32_t n) {
    if (n == b->count + 1) return (b->f->flags & X86FLOW_CHECK) != 0;
    return n < b->count && b->insn[n].target & X86FLOW_TARGET_CHECKED;
}

/* Functions that look at their return address to learn which module calls
   them. */
static int x86copy_p_asks_who_calls(const char *name) {
    static const char *const asks[] = {"dlsym", "dlvsym", "dlopen", "dlmopen", "mcount", "_mcount"};
    size_t n;
    for (n = 0; n < sizeof asks / sizeof *asks; n++) {
        if (!strcmp(name, asks[n])) return 1;
    }
    return 0;
}

X86_API void x86copy_note_import(x86copy_module *m, const char *name, uint64_t slot) {
    if (!x86copy_p_asks_who_calls(name)) return;
    if (m->sensitive_count < sizeof m->sensitive / sizeof *m->sensitive)
        m->sensitive[m->sensitive_count++] = slot;
}

X86_API void x86copy_find_xsave(x86copy_module *m) {
    unsigned a, b, c, d, mask = 0;
    m->xsave_mask = 0;
    m->xsave_bytes = 576;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) return; /* OSXSAVE */
    __asm__ volatile("xgetbv" : "=a"(mask), "=d"(d) : "c"(0));
    m->xsave_mask = mask & 0xE7;
    if (__get_cpuid_count(13, 0, &a, &b, &c, &d)) m->xsave_bytes = b < 4096 ? b : 4096;
    if (m->xsave_bytes < 832) m->xsave_bytes = 832;
}

X86_API size_t x86copy_init(x86copy *s, x86flow_body *body, void *memory, size_t bytes) {
    size_t n = (size_t)body->text_max + 64, at = 0, offset[4], size[4];
    uint8_t *p = (uint8_t *)memory;
    int k;
    size[0] = n * sizeof *s->spot;
    size[1] = X86FLOW_TABLES * sizeof *s->table_at;
    size[2] = n * 4 * sizeof *s->fixups;
    size[3] = n < (1u << 20) ? n * 96 + 4096 : n * 40;
    for (k = 0; k < 4; k++) {
        offset[k] = at;
        at += (size[k] + 63) & ~(size_t)63;
    }
    if (!memory) return at;
    if (bytes < at) return 0;
    memset(s, 0, sizeof *s);
    s->b = body;
    s->spot = (x86copy_spot *)memory;
    s->table_at = (uint32_t *)(void *)(p + offset[1]);
    s->fixups = (x86copy_fixup *)(void *)(p + offset[2]);
    s->out = p + offset[3];
    s->out_max = (uint32_t)size[3];
    return at;
}
