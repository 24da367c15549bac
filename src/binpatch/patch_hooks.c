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
static int binpatch_p_open_hooks(binpatch_p_module *m, x86flow_graph *g) {
    int (*want)(void *, const char *, const char *) = binpatch_p.config.want;
    x86copy *s = &binpatch_p.copy;
    void *memory = binpatch_p_map(x86flow_graph_bytes(&m->flow), -1);
    int bad = !memory || binpatch_p_open_region(m) != 0;
    uint32_t n;
    m->refusal = NULL;
    if (bad) {
        m->shared = NULL;
        return -1;
    }
    binpatch_p_describe(m);
    m->copy.events = X86COPY_LEFT;
    x86flow_graph_init(g, &m->flow, memory);
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->reason == BINPATCH_FILTERED) f->reason = 0;
    }
    binpatch_p.config.want = NULL;      /* a part belongs to its function, whoever is wanted */
    binpatch_p_survey(m, g);
    binpatch_p.config.want = want;
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
static uint32_t binpatch_p_hook(binpatch_p_module *m, const x86flow_graph *g, uint32_t number) {
    x86flow_function *f = &m->flow.functions[number];
    x86copy_function *own = &m->copy.functions[number];
    x86copy *s = &binpatch_p.copy;
    uint32_t at = (m->shared->used + 7) & ~7u, k, why = f->reason;
    if (!why && f->flags & X86FLOW_FRAGMENT) why = BINPATCH_FRAGMENT;
    if (!why && m->code_bytes - at < 4096 + f->size) why = BINPATCH_NO_ROOM;
    if (!why) why = binpatch_p_check_entry(m, g, f);
    if (why) return why;
    f->flags &= (uint8_t)~X86FLOW_CHECK;
    f->direct = 1;
    s->base = m->copy.rx + at;
    if (x86copy_emit_stub(s, &m->copy, number, at) != 0) return BINPATCH_NO_ROOM;
    memcpy(m->rw + at, s->out, s->out_size);
    m->shared->used = at + s->out_size;
    m->aways[number] = m->copy.rx + own->plain_at;
    for (k = 0; k < sizeof f->saved && f->patch_at + k < f->size + f->pad; k++)
        f->saved[k] = binpatch_p_at(f->lo + f->patch_at)[k];
    own->patched = f->patched = 1;
    (void)binpatch_p_make_c(m, number);
    if (!own->c_at) {
        own->patched = f->patched = 0;
        return BINPATCH_TOO_LARGE;
    }
    m->slots[number] = m->copy.rx + own->make_at;
    return 0;
}

static uint32_t binpatch_p_hook_all(binpatch_p_module *m, uint32_t before, const uint32_t *numbers,
                                    uint32_t count, int *reasons) {
    x86flow_graph g;
    uint32_t n, done = 0;
    for (n = 0; n < count && numbers[n] - before >= m->flow.count; n++) { }
    if (n == count || m->refusal || m->shared) return 0;
    if (binpatch_p_open_hooks(m, &g) != 0) return 0;
    for (; n < count; n++) {
        if (numbers[n] - before >= m->flow.count) continue;
        reasons[n] = (int)binpatch_p_hook(m, &g, numbers[n] - before);
        done += reasons[n] == 0;
    }
    if (done && binpatch_p_write_text(m, 0) != 0) {
        (void)binpatch_p_write_text(m, 1);
        for (n = 0; n < count; n++)
            if (numbers[n] - before < m->flow.count) reasons[n] = BINPATCH_NO_ROOM;
        done = 0;
    }
    binpatch_p_filter(m);
    return done;
}

BINPATCH_API uint32_t binpatch_hook(const uint32_t *numbers, uint32_t count, binpatch_hook_fn hook,
                                    int *reasons) {
    uint32_t n, before = 0, done = 0, largest[2] = {0, 0};
    for (n = 0; n < count; n++) reasons[n] = BINPATCH_NO_ROOM;
    if (!binpatch_p.installed || !binpatch_p.looks || binpatch_p.hook) return 0;
    if (binpatch_p_count_threads() > 1) return 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const x86flow_module *m = &binpatch_p.modules[n].flow;
        uint32_t k;
        for (k = 0; k < m->count; k++) {
            int part = (m->functions[k].flags & X86FLOW_FRAGMENT) != 0;
            if (m->functions[k].size > largest[part]) largest[part] = m->functions[k].size;
        }
    }
    largest[0] += largest[1];
    if (binpatch_p_open_scratch(largest[0] < 1u << 21 ? largest[0] : 1u << 21) != 0) return 0;
    binpatch_p.hook = hook;
    for (n = 0; n < binpatch_p.first_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        done += binpatch_p_hook_all(m, before, numbers, count, reasons);
        before += m->flow.count;
    }
    binpatch_p.armed = done != 0;
    return done;
}

/* saved: where `heavy` keeps the registers of the moment. */
static void binpatch_p_tell_hook(const binpatch_p_module *m, uint64_t code, const uint64_t *saved) {
    uint32_t number = (uint32_t)code & X86COPY_NUMBER & ~(uint32_t)X86COPY_LEFT_BY_JUMP;
    uint32_t what = BINPATCH_ENTRY;
    binpatch_frame frame;
    frame.stack = binpatch_p_address(saved + X86COPY_SAVED_COUNT);
    frame.module = m->copy.number;
    frame.place = (uint32_t)(m->flow.functions[number].lo - m->flow.bias);
    if (!(code & X86COPY_MAKE_C)) {
        what = BINPATCH_EXIT;
        if (code & X86COPY_LEFT_BY_JUMP) what |= BINPATCH_CALL;
        frame.stack += X86COPY_LEFT_FRAME - 8;
    }
    binpatch_p.hook(binpatch_p.config.user, what, &frame);
}
