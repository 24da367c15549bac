/* ---- functions: one of them, decoded ---- */

static int x86flow_p_in_text(const x86flow_module *m, uint64_t address) {
    return address >= m->text_lo && address < m->text_hi;
}

/* Where the readable range ends that an address lies in; 0: it may not be
   read. */
static uint64_t x86flow_p_readable(const x86flow_module *m, uint64_t address) {
    uint32_t n;
    if (address < m->lo || address >= m->hi) return 0;
    for (n = 0; n < m->readable_count; n++) {
        if (address >= m->readable[n][0] && address < m->readable[n][1]) return m->readable[n][1];
    }
    return m->readable_count ? 0 : m->hi;
}

/* Word n of the index says how many functions start before block n of the text. */
enum { X86FLOW_P_BLOCK = 10 };

X86_API size_t x86flow_index_words(const x86flow_module *m) {
    return (size_t)((m->text_hi - m->text_lo) >> X86FLOW_P_BLOCK) + 2;
}

X86_API void x86flow_index(x86flow_module *m, uint32_t *words) {
    size_t n, count = x86flow_index_words(m);
    uint32_t k = 0;
    for (n = 0; n < count; n++) {
        while (k < m->count && (m->functions[k].lo - m->text_lo) >> X86FLOW_P_BLOCK < n) k++;
        words[n] = k;
    }
    m->near = words;
}

/* The last function that starts at or before the address; NULL if it ends
   before it. */
X86_API x86flow_function *x86flow_function_at(const x86flow_module *m, uint64_t address) {
    uint32_t lo = 0, hi = m->count;
    if (m->near) {
        uint64_t block = (address - m->text_lo) >> X86FLOW_P_BLOCK;
        if (!x86flow_p_in_text(m, address)) return NULL;
        lo = m->near[block];
        hi = m->near[block + 1];
    }
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->functions[mid].lo <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0 || address - m->functions[lo - 1].lo >= m->functions[lo - 1].size) return NULL;
    return &m->functions[lo - 1];
}

enum { X86FLOW_P_WORK = 6 };            /* words of `pending` for each byte of the function */

X86_API size_t x86flow_body_init(x86flow_body *b, void *memory, size_t bytes, size_t largest) {
    size_t n = largest + 64, at = 0, offset[6], size[6];
    uint8_t *p = (uint8_t *)memory;
    int k;
    size[0] = n * sizeof *b->insn;
    size[1] = X86FLOW_TABLES * sizeof *b->tables;
    size[2] = n * sizeof *b->index;
    size[3] = X86FLOW_P_WORK * n * sizeof *b->pending;
    size[4] = n * sizeof *b->mark;
    size[5] = n;
    for (k = 0; k < 6; k++) {
        offset[k] = at;
        at += (size[k] + 63) & ~(size_t)63;
    }
    if (!memory) return at;
    if (bytes < at) return 0;
    memset(b, 0, sizeof *b);
    memset(p + offset[4], 0, size[4]);
    b->text_max = (uint32_t)largest;
    b->insn = (x86flow_insn *)memory;
    b->tables = (x86flow_table *)(void *)(p + offset[1]);
    b->index = (uint32_t *)(void *)(p + offset[2]);
    b->pending = (uint32_t *)(void *)(p + offset[3]);
    b->mark = (uint32_t *)(void *)(p + offset[4]);
    b->text = p + offset[5];
    return at;
}

X86_API uint64_t x86flow_address(const x86flow_body *s, uint32_t offset) {
    return offset < s->f->size || !s->part ? s->f->lo + offset : s->part->lo + offset - s->f->size;
}

X86_API uint32_t x86flow_offset(const x86flow_body *s, uint64_t address) {
    if (address - s->f->lo < s->f->size) return (uint32_t)(address - s->f->lo);
    if (!s->part || address - s->part->lo >= s->part->size) return ~0u;
    return (uint32_t)(address - s->part->lo) + s->f->size;
}

X86_API uint32_t x86flow_insn_at(const x86flow_body *s, uint64_t address) {
    uint32_t offset = x86flow_offset(s, address);
    return offset == ~0u ? ~0u : s->index[offset] - 1;
}

/* Where a direct jump or call leads, and where a RIP-relative operand
   stands. */
static uint64_t x86flow_p_target(const x86flow_body *s, const x86flow_insn *k) {
    return x86decode_target(&k->i, x86flow_address(s, k->offset));
}
static uint64_t x86flow_p_relative(const x86flow_body *s, const x86flow_insn *k) {
    return x86flow_address(s, k->offset) + k->i.length + (uint64_t)k->i.displacement;
}

static int x86flow_p_link_jumps(x86flow_body *s) {
    uint32_t n;
    for (n = 0; n < s->count; n++) {
        x86flow_insn *k = &s->insn[n], *target;
        uint32_t to;
        if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_CALL) continue;
        to = x86flow_offset(s, x86flow_p_target(s, k));
        if (to == ~0u) continue;
        if (!s->index[to]) return X86FLOW_INTO_INSTRUCTION;
        if (k->i.kind == X86DECODE_CALL) {
            if (to != 0) return X86FLOW_CALLS_ITSELF;
            continue;
        }
        target = &s->insn[s->index[to] - 1];
        target->target |= X86FLOW_TARGET_BRANCH;
        k->next_jump = target->first_jump;
        target->first_jump = n + 1;
    }
    return X86FLOW_FINE;
}

/* Decodes what stands at offsets [at, end) of the text, up to the first
   instruction that ends at or behind `enough`. */
static int x86flow_p_decode(x86flow_body *s, uint32_t at, uint32_t end, uint32_t enough) {
    memset(s->index + at, 0, (size_t)(enough + 1 - at) * sizeof *s->index);
    while (at < enough) {
        x86flow_insn *k = &s->insn[s->count];
        unsigned length = x86decode(s->text + at, end - at, &k->i);
        if (!length) return X86FLOW_UNDECODABLE;
        k->offset = at;
        k->target = k->boring = k->dispatch = 0;
        k->table = k->entries = k->first_jump = k->next_jump = 0;
        s->index[at] = ++s->count;
        if (k->i.kind == X86DECODE_XBEGIN) return X86FLOW_TRANSACTION;
        if (k->i.kind == X86DECODE_JUMP_INDIRECT) s->indirect_jumps++;
        at += length;
    }
    s->insn[s->count].offset = end;
    s->insn[s->count].target = 0;
    s->insn[s->count].first_jump = 0;
    return X86FLOW_FINE;
}

static int x86flow_p_decode_part(x86flow_body *s, const x86flow_function *part) {
    uint32_t at = s->f->size, end = at + part->size;
    memcpy(s->text + at, x86_p_at(part->lo), part->size);
    memset(s->text + end, 0xCC, 16);
    s->part = part;
    s->size = end;
    return x86flow_p_decode(s, at, end, end);
}

/* Puts the original bytes of labels back into the text. */
static void x86flow_p_restore_labels(x86flow_body *s) {
    const x86flow_module *m = s->m;
    uint32_t lo = 0, hi = m->label_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->labels[mid].at < s->f->lo) lo = mid + 1;
        else hi = mid;
    }
    for (; lo < m->label_count && m->labels[lo].at - s->f->lo < s->f->size; lo++) {
        const x86flow_label *l = &m->labels[lo];
        memcpy(s->text + (l->at - s->f->lo), l->saved, sizeof l->saved);
    }
}

/* Reads the original bytes of f, whatever stands there now. If its part does
   not fit, f is read alone: jumps to the part leave it then. */
X86_API int x86flow_decode(x86flow_body *s, const x86flow_module *m, const x86flow_function *f,
                               uint32_t enough) {
    const x86flow_function *part = f->part && !enough ? &m->functions[f->part - 1] : NULL;
    uint32_t n;
    int why;
    s->m = m;
    s->f = f;
    s->part = NULL;
    s->size = f->size;
    s->count = 0;
    s->table_count = 0;
    s->indirect_jumps = 0;
    s->flags_at_labels = 0;
    if (f->size == 0 || f->size > s->text_max) return X86FLOW_TOO_LARGE;
    if (enough == 0 || enough > f->size) enough = f->size;
    n = f->size - enough < 16 ? f->size : enough + 16;
    memcpy(s->text, x86_p_at(f->lo), n);
    memset(s->text + n, 0xCC, 16);
    for (n = 0; f->patched && n < sizeof f->saved && f->patch_at + n < f->size; n++)
        s->text[f->patch_at + n] = f->saved[n];
    if (m->label_count) x86flow_p_restore_labels(s);
    why = x86flow_p_decode(s, 0, f->size, enough);
    s->part_first = s->count;
    if (why || enough < f->size) return why;
    if (part && part->size <= s->text_max - f->size) {
        if (x86flow_p_decode_part(s, part) == 0 && x86flow_p_link_jumps(s) == 0)
            return X86FLOW_FINE;
        s->part = NULL;
        s->size = f->size;
        s->count = s->indirect_jumps = 0;
        (void)x86flow_p_decode(s, 0, f->size, f->size);
    }
    return x86flow_p_link_jumps(s);
}

/* The number of the instruction that a direct jump of this body goes to, or ~0:
   outside. */
X86_API uint32_t x86flow_goes_to(const x86flow_body *s, const x86flow_insn *k) {
    return x86flow_insn_at(s, x86flow_p_target(s, k));
}

X86_API int x86flow_falls_through(const x86flow_insn *k) {
    return k->i.kind != X86DECODE_JUMP && k->i.kind != X86DECODE_JUMP_INDIRECT
           && k->i.kind != X86DECODE_RETURN && k->i.kind != X86DECODE_TRAP;
}

X86_API int x86flow_runs_on(const x86flow_body *s, uint32_t at) {
    return at + 1 < s->count && at + 1 != s->part_first && x86flow_falls_through(&s->insn[at]);
}

/* Walks forward until the flags are overwritten or read. early: other functions
   and tables are not known yet. at_labels: are they live where a dispatch may
   lead to? */
static int x86flow_p_flags(const x86flow_body *s, uint32_t at, int early, int at_labels) {
    enum { MOST = 128 };
    uint32_t pending[MOST], top = 0, steps = 0;
    pending[top++] = at;
    while (top) {
        uint32_t here = pending[--top];
        for (;;) {
            const x86flow_insn *k;
            x86decode_effect e;
            if (here >= s->count || ++steps > 1024) return 1;
            k = &s->insn[here];
            x86decode_effects(&k->i, &e);
            if (e.flags & X86DECODE_FLAGS_READ) return 1;
            if (e.flags & X86DECODE_FLAGS_KILL || k->i.kind == X86DECODE_TRAP) break;
            if (k->i.kind == X86DECODE_JUMP_INDIRECT) {
                if (early || at_labels) return 1;
                break;
            }
            if (k->i.kind == X86DECODE_JUMP || k->i.kind == X86DECODE_LOOP) {
                uint32_t to = x86flow_goes_to(s, k);
                if (to == ~0u) {
                    uint64_t address = x86flow_p_target(s, k);
                    const x86flow_function *f = x86flow_function_at(s->m, address);
                    /* A tail call to a function or to a PLT stub; a part
                       (.cold) may want the flags. */
                    if (early || k->i.kind != X86DECODE_JUMP) return 1;
                    if (f && f->reason == X86FLOW_STARTUP) break;
                    if (f && f->lo == address
                        && !(f->flags & (X86FLOW_FRAGMENT | X86FLOW_BY_BRANCH)))
                        break;
                    return 1;
                }
                if (k->i.kind == X86DECODE_LOOP) {
                    if (top == MOST || here + 1 == s->part_first) return 1;
                    pending[top++] = here + 1;
                }
                here = to;
                continue;
            }
            here = here + 1 == s->part_first ? s->count : here + 1;
        }
    }
    return 0;
}

/* Are the flags live at any label of a table? From there to the next dispatch:
   that one leads to the same labels. */
static int x86flow_p_flags_at_labels(const x86flow_body *s) {
    uint32_t n;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & X86FLOW_TARGET_TABLE && x86flow_p_flags(s, n, 0, 0)) return 1;
    }
    return 0;
}

X86_API int x86flow_flags_live(const x86flow_body *s, uint32_t at) {
    return x86flow_p_flags(s, at, 0, s->flags_at_labels);
}

X86_API int x86flow_is_nop(const x86decode_insn *i) {
    if (i->coding != X86DECODE_LEGACY) return 0;
    if (i->map == 0)
        return i->opcode == 0x90 && !(i->prefixes & X86DECODE_F3) && !(i->rex & X86DECODE_REX_B);
    return i->map == 1 && i->opcode == 0x1F;
}

X86_API int x86flow_rm_register(const x86decode_insn *i) {
    return i->memory ? -1 : (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8 : 0);
}
X86_API int x86flow_reg_register(const x86decode_insn *i) {
    return (i->modrm >> 3 & 7) | (i->rex & X86DECODE_REX_R ? 8 : 0);
}
