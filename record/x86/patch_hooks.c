/* ---- patching: functions that tell each entry and each exit ---- */

/* Bursts tell of calls in order and later. Who wants to know when a call begins
   and ends, as for the frames of a game, has the function hooked:

       entry   jmp T      T   jmp *slot      slot   make: it asks for C, each time
                                                      |
       C       the function as it was, and before    v
               each ret a call of `heavy`            heavy tells of the entry, and leads to C

   So nothing else of the program is patched, and C has no checks. Of the whole
   module nothing but the survey is needed, which tells whether anybody jumps
   into the bytes that the jump overwrites.

   cost: some 20 ms for each megabyte of the module's code at the start; two
   times saving all registers for a call. */

/* The region of the module, what copies share, and the survey. Returns 0, or
   -1. */
static int x86_p_open_hooks(x86_p_module *m, x86flow_graph *g) {
    int (*want)(void *, const char *, const char *) = x86_p.config.want;
    x86copy *s = &x86_p.copy;
    void *memory = x86_p_map(x86flow_graph_bytes(&m->flow), -1);
    int bad = !memory || x86_p_open_region(m) != 0;
    uint32_t n;
    m->refusal = NULL;
    if (bad) {
        m->shared = NULL;
        return -1;
    }
    x86_p_describe(m);
    m->copy.events = X86COPY_LEFT;
    x86flow_graph_init(g, &m->flow, memory);
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->reason == X86_FILTERED) f->reason = 0;
    }
    x86_p.config.want = NULL;      /* a part belongs to its function, whoever is wanted */
    x86_p_survey(m, g);
    x86_p.config.want = want;
    s->base = m->copy.rx;
    s->out_size = 64;                   /* position 0 means "none" */
    s->failed = 0;
    memset(s->out, 0xCC, 64);
    x86copy_emit_slow(s, &m->copy);
    memcpy(m->rw, s->out, s->out_size);
    m->shared->used = s->out_size;
    return 0;
}

/* Returns 0, or a reason. */
static uint32_t x86_p_hook(x86_p_module *m, const x86flow_graph *g, uint32_t number) {
    x86flow_function *f = &m->flow.functions[number];
    x86copy_function *own = &m->copy.functions[number];
    x86copy *s = &x86_p.copy;
    uint32_t at = (m->shared->used + 7) & ~7u, k, why = f->reason;
    if (!why && f->flags & X86FLOW_FRAGMENT) why = X86_FRAGMENT;
    if (!why && m->code_bytes - at < 4096 + f->size) why = X86_NO_ROOM;
    if (!why) why = x86_p_check_entry(m, g, f);
    if (why) return why;
    f->flags &= (uint8_t)~X86FLOW_CHECK;
    f->direct = 1;
    s->base = m->copy.rx + at;
    if (x86copy_emit_stub(s, &m->copy, number, at) != 0) return X86_NO_ROOM;
    memcpy(m->rw + at, s->out, s->out_size);
    m->shared->used = at + s->out_size;
    m->aways[number] = m->copy.rx + own->plain_at;
    for (k = 0; k < sizeof f->saved && f->patch_at + k < f->size + f->pad; k++)
        f->saved[k] = x86_p_at(f->lo + f->patch_at)[k];
    own->patched = f->patched = 1;
    (void)x86_p_make_c(m, number);
    if (!own->c_at) {
        own->patched = f->patched = 0;
        return X86_TOO_LARGE;
    }
    m->slots[number] = m->copy.rx + own->make_at;
    return 0;
}

static uint32_t x86_p_hook_all(x86_p_module *m, uint32_t before, const uint32_t *numbers,
                                    uint32_t count, int *reasons) {
    x86flow_graph g;
    uint32_t n, done = 0;
    for (n = 0; n < count && numbers[n] - before >= m->flow.count; n++) { }
    if (n == count || m->refusal || m->shared) return 0;
    if (x86_p_open_hooks(m, &g) != 0) return 0;
    for (; n < count; n++) {
        if (numbers[n] - before >= m->flow.count) continue;
        reasons[n] = (int)x86_p_hook(m, &g, numbers[n] - before);
        done += reasons[n] == 0;
    }
    if (done && x86_p_write_text(m, 0) != 0) {
        (void)x86_p_write_text(m, 1);
        for (n = 0; n < count; n++)
            if (numbers[n] - before < m->flow.count) reasons[n] = X86_NO_ROOM;
        done = 0;
    }
    x86_p_filter(m);
    return done;
}

X86_API uint32_t x86_hook(const uint32_t *numbers, uint32_t count, x86_hook_fn hook,
                                    int *reasons) {
    uint32_t n, before = 0, done = 0, largest[2] = {0, 0};
    for (n = 0; n < count; n++) reasons[n] = X86_NO_ROOM;
    if (!x86_p.installed || !x86_p.looks || x86_p.hook) return 0;
    if (x86_p_count_threads() > 1) return 0;
    for (n = 0; n < x86_p.module_count; n++) {
        const x86flow_module *m = &x86_p.modules[n].flow;
        uint32_t k;
        for (k = 0; k < m->count; k++) {
            int part = (m->functions[k].flags & X86FLOW_FRAGMENT) != 0;
            if (m->functions[k].size > largest[part]) largest[part] = m->functions[k].size;
        }
    }
    largest[0] += largest[1];
    if (x86_p_open_scratch(largest[0] < 1u << 21 ? largest[0] : 1u << 21) != 0) return 0;
    x86_p.hook = hook;
    for (n = 0; n < x86_p.first_count; n++) {
        x86_p_module *m = &x86_p.modules[n];
        done += x86_p_hook_all(m, before, numbers, count, reasons);
        before += m->flow.count;
    }
    x86_p.armed = done != 0;
    return done;
}

/* saved: where `heavy` keeps the registers of the moment. */
static void x86_p_tell_hook(const x86_p_module *m, uint64_t code, const uint64_t *saved) {
    uint32_t number = (uint32_t)code & X86COPY_NUMBER & ~(uint32_t)X86COPY_LEFT_BY_JUMP;
    uint32_t what = X86_ENTRY;
    x86_frame frame;
    frame.stack = x86_p_address(saved + X86COPY_SAVED_COUNT);
    frame.module = m->copy.number;
    frame.place = (uint32_t)(m->flow.functions[number].lo - m->flow.bias);
    if (!(code & X86COPY_MAKE_C)) {
        what = X86_EXIT;
        if (code & X86COPY_LEFT_BY_JUMP) what |= X86_CALL;
        frame.stack += X86COPY_LEFT_FRAME - 8;
    }
    x86_p.hook(x86_p.config.user, what, &frame);
}
