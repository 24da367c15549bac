/* ---- patching: copies are made while the program runs ---- */
/* One thread of one process at a time. Who finds a lock taken waits, for plain
   code records nothing. It waits without system calls, and not for ever: the
   owner may be a process that was killed, and then nobody waits for it again.
   The scratch memory has a lock of this process, the arena one that all
   processes share it with. A handler that left by longjmp may have abandoned a
   lock of its own thread: nothing was published, it starts again. */
static int x86_p_take_lock(uint32_t *lock, uint32_t me, int abandoned) {
    uint32_t owner = 0, turns;
    for (turns = 0; turns < X86_P_PATIENCE; turns++, owner = 0) {
        if (__atomic_compare_exchange_n(lock, &owner, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return 0;
        if (owner == me && abandoned) return 0;
        if (owner == me || owner == __atomic_load_n(&x86_p.stuck, __ATOMIC_RELAXED)) return -1;
        if (!turns) __atomic_fetch_add(&x86_p.waits, 1, __ATOMIC_RELAXED);
        __builtin_ia32_pause();
    }
    __atomic_store_n(&x86_p.stuck, __atomic_load_n(lock, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    return -1;
}

static int x86_p_lock(x86_p_shared *shared) {
    x86_p_thread *t = &x86_p_tls;
    uint32_t me = (uint32_t)(x86_p_address(t) >> 4) | 1;
    uintptr_t depth = x86_p_depth(__builtin_frame_address(0));
    int abandoned = t->locked && depth >= t->locked;
    if (t->locked && !abandoned) return -1;
    if (x86_p_take_lock(&x86_p.lock, me, abandoned) != 0) return -1;
    if (x86_p_take_lock(&shared->lock, me, abandoned) != 0) {
        __atomic_store_n(&x86_p.lock, 0, __ATOMIC_RELEASE);
        return -1;
    }
    if (x86_p.stuck == me) __atomic_store_n(&x86_p.stuck, 0, __ATOMIC_RELAXED);
    t->locked = depth;
    return 0;
}
static void x86_p_unlock(x86_p_shared *shared) {
    x86_p_tls.locked = 0;
    __atomic_store_n(&shared->lock, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&x86_p.lock, 0, __ATOMIC_RELEASE);
}

/* Remembers the calls of a copy that are to be joined when their target has
   one. */
static void x86_p_note_links(x86_p_module *m, const x86copy *s, uint32_t base) {
    uint32_t n;
    for (n = 0; n < s->fixup_count; n++) {
        const x86copy_fixup *x = &s->fixups[n];
        x86copy_function *g;
        uint32_t *list, link;
        if (x->kind < X86COPY_JOIN_C || m->shared->links >= m->links_max) continue;
        g = &m->copy.functions[x->index];
        list = x->kind == X86COPY_JOIN_C ? &g->links_c : &g->links_i;
        link = m->shared->links++;
        m->links[link].at = base + x->at;
        m->links[link].next = *list;
        *list = link;
    }
}

/* Puts what was emitted in its place. Returns the position of the copy, or
   0. */
static uint32_t x86_p_place(x86_p_module *m, const x86copy *s, uint32_t base,
                                 uint32_t header) {
    x86_p_shared *h = m->shared;
    x86_p_copy *copy = &m->copies[h->copies];
    if (h->copies == m->copies_max) return 0;
    memcpy(m->rw + base, s->out, s->out_size);
    x86_p_note_links(m, s, base);
    copy->at = base + s->code_start;
    copy->size = s->spot[s->b->count].at;
    copy->header = base + header;
    copy->function = (uint32_t)(s->b->f - m->flow.functions);
    h->used = base + s->out_size;
    __atomic_store_n(&h->copies, h->copies + 1, __ATOMIC_RELEASE);
    return copy->at;
}

static void x86_p_join(x86_p_module *m, uint32_t *list, uint32_t to) {
    uint32_t link, d;
    for (link = *list; link; link = m->links[link].next) {
        d = to - (m->links[link].at + 4);
        memcpy(m->rw + m->links[link].at, &d, 4); /* inside one cache line: whole for all */
    }
    *list = 0;
}

static uint32_t x86_p_aligned(uint32_t at) { return (at + 63) & ~63u; }

/* Emits one copy of the body's function behind what there is. Returns its
   position, or 0. */
static uint32_t x86_p_emit(x86_p_module *m, int instrumented, uint32_t first_site) {
    x86copy *s = &x86_p.copy;
    uint32_t base = x86_p_aligned(m->shared->used), header = 0;
    if (x86copy_emit(s, &m->copy, m->copy.rx + base, instrumented, first_site) != 0) return 0;
    if (m->shared->sites + s->site_count > m->sites_max) return 0;
    if (x86copy_emit_unwind(s, &header) != 0 || s->out_size > m->code_bytes - base) return 0;
    return x86_p_place(m, s, base, header);
}

static void x86_p_note_sites(x86_p_module *m, uint32_t number) {
    const x86flow_body *b = &x86_p.body;
    uint32_t n;
    for (n = 0; n < b->count + 2; n++) {
        x86_p_site *site = &m->sites[x86_p.copy.spot[n].site];
        int entry = n == b->count + 1;
        if (!x86copy_is_site(b, n)) continue;
        site->function = number;
        site->entry = (uint32_t)entry;
        site->offset = entry ? 0 : b->insn[n].offset;
        site->flags = !entry && b->insn[n].target & X86FLOW_TARGET_FLAGS ? 1 : 0;
    }
}

static int x86_p_read(x86_p_module *m, uint32_t number) {
    uint32_t n;
    if (x86flow_decode(&x86_p.body, &m->flow, &m->flow.functions[number], 0) != 0) return -1;
    x86flow_plan(&x86_p.body, x86_p.k_boring);
    for (n = 0; x86_p.looks && n < x86_p.body.count; n++)    /* hooks have no checks */
        x86_p.body.insn[n].target &= (uint8_t)~X86FLOW_TARGET_CHECKED;
    return 0;
}

/* Makes C of a function. Returns where callers are to go. */
static uint64_t x86_p_make_c(x86_p_module *m, uint32_t number) {
    x86copy_function *f = &m->copy.functions[number];
    x86_p_shared *h = m->shared;
    uint64_t to;
    if (!m->flow.functions[number].patched) return m->flow.functions[number].lo;
    if (!f->c_at && !f->failed) {
        if (x86_p_lock(h) != 0) {
            __atomic_fetch_add(&x86_p.missed, 1, __ATOMIC_RELAXED);
            return m->copy.rx + f->plain_at;
        }
        if (!f->c_at && !f->failed) {
            uint32_t at = 0;
            f->first_site = h->sites;
            if (x86_p_read(m, number) == 0) at = x86_p_emit(m, 0, h->sites);
            if (at) {
                x86_p_note_sites(m, number);
                f->sites = x86_p.copy.site_count;
                f->c_size = x86_p.copy.out_size;
                h->sites += f->sites;
                h->bytes_c += f->c_size;
                h->functions_c++;
                __atomic_store_n(&f->c_at, at, __ATOMIC_RELEASE);
                at += x86copy_skips(&m->flow.functions[number], 0);
                x86_p_join(m, &f->links_c, at);
            } else
                f->failed = 1;
        }
        x86_p_unlock(h);
    }
    if (f->bare) return m->flow.functions[number].lo;
    to = m->copy.rx + (f->c_at && !(f->failed & 1) ? f->c_at : f->plain_at);
    if (!x86_p.looks) __atomic_store_n(&m->slots[number], to, __ATOMIC_RELEASE);
    return to;
}

static void x86_p_note_i(x86_p_module *m, uint32_t at) {
    const x86copy *s = &x86_p.copy;
    uint32_t n;
    for (n = 0; n < s->b->count + 2; n++) {
        if (x86copy_is_site(s->b, n)) m->sites[s->spot[n].site].i_at = at + s->spot[n].at;
    }
}

/* Makes I of a function. Returns 1, or 0: there is none, C is to run. */
static uint32_t x86_p_make_i(x86_p_module *m, uint32_t number) {
    x86copy_function *f = &m->copy.functions[number];
    x86_p_shared *h = m->shared;
    x86copy *s = &x86_p.copy;
    uint32_t n;
    if (!m->flow.functions[number].patched) return 0;
    if (!f->c_at) (void)x86_p_make_c(m, number);
    if (!f->c_at) return 0;
    if (!f->i_at && !(f->failed & 2)) {
        if (x86_p_lock(h) != 0) return 0;
        if (!f->i_at && !(f->failed & 2)) {
            uint64_t base = m->copy.rx + x86_p_aligned(h->used);
            uint32_t at = 0;
            if (x86_p_read(m, number) == 0
                && x86copy_find_c(s, &m->copy, base, f->first_site) == 0)
                at = x86_p_emit(m, 1, f->first_site);
            if (at) {
                x86_p_note_i(m, at);
                f->i_size = s->out_size;
                f->returns_at = at - s->code_start + s->returns_at;
                h->bytes_i += f->i_size;
                h->functions_i++;
                __atomic_store_n(&f->i_at, at, __ATOMIC_RELEASE);
                at += x86copy_skips(&m->flow.functions[number], 1);
                x86_p_join(m, &f->links_i, at);
            } else
                f->failed |= 2;
        }
        x86_p_unlock(h);
    }
    if (!f->i_at) return 0;
    for (n = f->first_site; n < f->first_site + f->sites; n++)
        __atomic_store_n(&m->site_slots[n], m->copy.rx + m->sites[n].i_at, __ATOMIC_RELEASE);
    return 1;
}
