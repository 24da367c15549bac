/* ---- patching: which entries, and the jumps over them ---- */

static int x86_p_open_scratch(size_t largest) {
    x86flow_body *b = &x86_p.body;
    size_t bytes = x86flow_body_init(b, NULL, 0, largest);
    void *memory = x86_p_map(bytes, -1);
    if (!memory || !x86flow_body_init(b, memory, bytes, largest)) return -1;
    bytes = x86copy_init(&x86_p.copy, b, NULL, 0);
    memory = x86_p_map(bytes, -1);
    return memory && x86copy_init(&x86_p.copy, b, memory, bytes) ? 0 : -1;
}

/* Does anything but the function's callers need what the jump would overwrite?
   Returns a reason, or
   0. The first instructions are in the body then. */
static uint32_t x86_p_check_entry(x86_p_module *m, const x86flow_graph *g,
                                       x86flow_function *f) {
    x86flow_body *b = &x86_p.body;
    uint32_t k, why = (uint32_t)x86flow_decode(b, &m->flow, f, 9);
    if (why) return why;
    f->patch_at = b->insn[0].i.map == 1 && b->insn[0].i.opcode == 0x1E ? 4 : 0; /* endbr64 */
    if (f->size + f->pad < f->patch_at + 5u) return X86_NO_ROOM;
    for (k = 1; k < 5 && f->patch_at + k < f->size; k++) {
        if (x86flow_touched(g, &m->flow, f->lo + f->patch_at + k)) return X86_NO_ROOM;
    }
    if (!f->unsure_entry || b->insn[0].i.kind == X86DECODE_RETURN) return 0;
    why = (uint32_t)x86flow_decode(b, &m->flow, f, 0);
    if (why) return why;
    x86flow_plan(b, -1);
    return x86flow_flags_live(b, 0) ? X86_FLAGS : 0;
}

/* A leaf without a check, whose loops are boring: its checking copy would be as
   it is itself. So copies call the original, and its entry is not patched. Its
   first instructions are in the body then. */
static int x86_p_is_bare(x86_p_module *m, const x86flow_function *f, uint32_t number) {
    const x86flow_body *b = &x86_p.body;
    uint32_t n;
    if ((f->flags & (X86FLOW_LEAF | X86FLOW_CHECK)) != X86FLOW_LEAF) return 0;
    if (x86_p_read(m, number) != 0) return 0;
    for (n = 0; n < b->count; n++) {
        if (b->insn[n].target & X86FLOW_TARGET_CHECKED) return 0;
    }
    return 1;
}

/* Who calls somebody, and runs as it is, calls from outside of all copies: that
   entry needs its check. So it is asked before checks are eliminated whose entry
   cannot be patched. A leaf calls nobody, and may need no patch. */
static void x86_p_find_outside(x86_p_module *m, const x86flow_graph *g) {
    uint32_t n;
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->reason || f->flags & X86FLOW_LEAF) continue;
        if (f->flags & X86FLOW_FRAGMENT) f->reason = X86_FRAGMENT;
        else f->reason = (uint8_t)x86_p_check_entry(m, g, f);
    }
    for (n = 0; n < g->count; n++) {
        if (m->flow.functions[g->from[n]].reason)
            m->flow.functions[g->to[n]].flags |= X86FLOW_TAKEN;
    }
}

/* Which functions can be patched, and the stubs of those. */
static void x86_p_prepare(x86_p_module *m, const x86flow_graph *g) {
    x86copy *s = &x86_p.copy;
    uint32_t n, k;
    s->base = m->copy.rx;
    s->out_size = 64; /* position 0 means "none" */
    s->failed = 0;
    memset(s->out, 0xCC, 64);
    x86copy_emit_slow(s, &m->copy);
    memcpy(m->rw, s->out, s->out_size);
    m->shared->used = s->out_size;
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        uint32_t at = (m->shared->used + 7) & ~7u;
        if (!f->reason && f->flags & X86FLOW_FRAGMENT) f->reason = X86_FRAGMENT;
        if (f->reason) continue;
        if (m->code_bytes - at < 4096 + f->size)
            f->reason = X86_NO_ROOM;
        else if (m->known) {
            m->copy.functions[n].bare = (f->noted & X86_P_NOTED_BARE) != 0;
            if (!f->displaced)
                f->reason = (uint8_t)x86flow_decode(&x86_p.body, &m->flow, f, 9);
        } else if (!(f->flags & X86FLOW_LEAF)) /* x86_p_find_outside knows the rest */
            f->reason = (uint8_t)x86flow_decode(&x86_p.body, &m->flow, f, 9);
        else if (x86_p_is_bare(m, f, n))
            m->copy.functions[n].bare = 1;
        else
            f->reason = (uint8_t)x86_p_check_entry(m, g, f);
        if (f->reason) continue;
        if (!f->displaced)
            f->displaced = (uint8_t)x86copy_displaced(&x86_p.body, f->patch_at);
        s->base = m->copy.rx + at;
        if (x86copy_emit_stub(s, &m->copy, n, at) != 0) {
            f->reason = X86_NO_ROOM;
            memset(&m->copy.functions[n], 0, sizeof m->copy.functions[n]);
            continue;
        }
        memcpy(m->rw + at, s->out, s->out_size);
        m->shared->used = at + s->out_size;
        m->copy.functions[n].patched = 1;
        m->slots[n] = m->copy.rx + m->copy.functions[n].plain_at;
        if (m->copy.functions[n].bare) m->slots[n] = f->lo;
        m->aways[n] = m->slots[n];
        for (k = 0; k < sizeof f->saved && f->patch_at + k < f->size + f->pad; k++)
            f->saved[k] = x86_p_at(f->lo + f->patch_at)[k];
        f->patched = 1;
    }
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->patched && f->part) m->flow.functions[f->part - 1].reason = X86_PART;
    }
}

/* Text that is being changed: what stands there, and over it the jumps.
   /proc/self/mem writes where text may not be made writable; if there is none,
   mprotect must do. */
typedef struct x86_p_window {
    uint64_t lo;
    uint32_t size, max;
    uint8_t *bytes;
    int file, opened;
} x86_p_window;

static int x86_p_write_window(x86_p_window *w, const x86_p_module *m) {
    uint64_t lo = m->flow.text_lo & ~UINT64_C(4095);
    size_t text = (size_t)(m->flow.text_hi - lo);
    if (!w->size) return 0;
    if (!w->opened && w->file >= 0
        && pwrite(w->file, w->bytes, w->size, (off_t)w->lo) == (ssize_t)w->size)
        return 0;
    if (!w->opened
        && mprotect((void *)(uintptr_t)lo, text, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return -1;
    w->opened = 1;
    memcpy((void *)(uintptr_t)w->lo, w->bytes, w->size);
    return 0;
}

/* A jump to `to` over the five bytes at `at`, or with `saved` what stood there.
   Places come in rising order. */
static int x86_p_write_jump(x86_p_window *w, const x86_p_module *m, uint64_t at,
                                 uint64_t to, const uint8_t *saved) {
    uint64_t end = w->lo + w->size;
    uint32_t d = (uint32_t)(to - (at + 5));
    int bad = 0;
    if (!w->size || at + 5 - w->lo > w->max || at - end > 4096) {
        bad = x86_p_write_window(w, m);
        w->lo = end = at;
        w->size = 0;
    }
    memcpy(w->bytes + w->size, x86_p_at(end), (size_t)(at - end));
    w->bytes[at - w->lo] = 0xE9;
    memcpy(w->bytes + (at - w->lo) + 1, &d, 4);
    if (saved) memcpy(w->bytes + (at - w->lo), saved, 5);
    w->size = (uint32_t)(at + 5 - w->lo);
    return bad;
}

static int x86_p_write_text(x86_p_module *m, int restore) {
    x86_p_window w;
    uint32_t n;
    uint64_t lo = m->flow.text_lo & ~UINT64_C(4095);
    int bad = 0;
    memset(&w, 0, sizeof w);
    x86_p.writing = 1;
    w.file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    w.bytes = x86_p.window;
    w.max = X86_P_WINDOW;
    for (n = 0; n < m->flow.count && !bad; n++) {
        const x86flow_function *f = &m->flow.functions[n];
        if (!f->patched || m->copy.functions[n].bare) continue;
        if (!restore && m->copy.functions[n].held) continue;
        bad = x86_p_write_jump(&w, m, f->lo + f->patch_at,
                                    m->copy.rx + m->copy.functions[n].t_at,
                                    restore ? f->saved : NULL);
    }
    if (!bad) bad = x86_p_write_window(&w, m);
    w.size = 0;
    for (n = 0; n < m->flow.label_count && !bad; n++) {
        const x86flow_label *l = &m->flow.labels[n];
        if (l->gone || (!restore && l->held)) continue;
        bad = x86_p_write_jump(&w, m, l->at, l->to, restore ? l->saved : NULL);
    }
    if (!bad) bad = x86_p_write_window(&w, m);
    if (w.opened)
        (void)mprotect((void *)(uintptr_t)lo, (size_t)(m->flow.text_hi - lo),
                       PROT_READ | PROT_EXEC);
    if (w.file >= 0) close(w.file);
    x86_p.writing = 0;
    return bad;
}

/* The patcher cannot be patched: what emitted code calls must not come to
   emitted code before it has noted that it is at work. So what x86_p_heavy
   reaches by direct calls is left alone. */
static void x86_p_leave_out_own(x86_p_module *m, const x86flow_graph *g) {
    uint64_t heavy = x86_p_address((const void *)(uintptr_t)&x86_p_heavy);
    x86flow_leave_out(&m->flow, g, heavy, X86_OWN);
}

/* Reads every function once, and decides who is patched and who has a check. */
static void x86_p_survey(x86_p_module *m, x86flow_graph *g) {
    const x86_config *c = &x86_p.config;
    uint32_t k;
    x86_p_take_dynamic(m, g);
    x86_p_read_data(m, g);
    (void)x86flow_find_lookups(&x86_p.body, g, &m->flow);
    for (k = 0; k < m->flow.count; k++) {
        x86flow_function *f = &m->flow.functions[k];
        if (!f->reason && c->want && !(f->flags & X86FLOW_FRAGMENT)
            && !c->want(c->user, m->path, f->name ? f->name : ""))
            f->reason = X86_FILTERED;
        (void)x86flow_survey(&x86_p.body, g, &m->flow, k);
    }
    x86flow_touch_tables(g, &m->flow);
    x86_p.filters += g->filters;
    x86_p_leave_out_own(m, g);
}

static int x86_p_analyse(x86_p_module *m) {
    size_t bytes = x86flow_graph_bytes(&m->flow), more;
    x86flow_graph g;
    void *memory, *scratch;
    uint32_t k;
    x86_p_read_dynamic(m);
    x86_p_read_file(m);
    if (m->known) {
        memset(&g, 0, sizeof g);
        x86_p_prepare(m, &g);
        x86_p_find_labels(m, &g);
        return 0;
    }
    m->refusal = "no memory";
    memory = x86_p_map(bytes, -1);
    if (!memory) return -1;
    x86flow_graph_init(&g, &m->flow, memory);
    x86_p_survey(m, &g);
    x86_p_find_outside(m, &g);
    more = x86flow_eliminate_bytes(&m->flow, &g);
    scratch = x86_p_map(more, -1);
    if (!scratch) return -1;
    x86flow_eliminate(&m->flow, &g, scratch);
    munmap(scratch, more);
    for (k = 0; x86_p.config.all_checks && k < m->flow.count; k++) {
        m->flow.functions[k].flags |= X86FLOW_CHECK;
        m->flow.functions[k].direct = 1;
    }
    x86_p_prepare(m, &g);
    x86_p_find_labels(m, &g);
    m->refusal = NULL;
    x86_p_keep(m, g.filters);
    /* m->flow.named stands first in that memory; the rest is given back. */
    k = (g.named_count * (uint32_t)sizeof *g.named + 4095u) & ~4095u;
    if (k < bytes) munmap((uint8_t *)memory + k, bytes - k);
    return 0;
}
