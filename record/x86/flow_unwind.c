/* ---- functions: unwind information ---- */
/* A pointer in one of the encodings that installed files use. *bad is set for
   any other. */
X86_API uint64_t x86flow_encoded(const uint8_t **p, unsigned encoding, int *bad) {
    uint64_t place = x86_p_address(*p), value;
    if (encoding == 0xFF) return 0;
    switch (encoding & 15) {
    case 0:
    case 4:
    case 12:
        value = x86_p_u64(*p);
        *p += 8;
        break;
    case 3:
        value = x86_p_u32(*p);
        *p += 4;
        break;
    case 11:
        value = (uint64_t)(int64_t)x86_p_s32(*p);
        *p += 4;
        break;
    default: *bad = 1; return 0;
    }
    if ((encoding & 0x70) == 0x10) {
        if (value) value += place;
    } else if (encoding & 0x70)
        *bad = 1;
    if (encoding & 0x80 && value && !*bad) value = x86_p_u64(x86_p_at(value));
    return value;
}

/* Reads one FDE and its CIE. Returns 0, or -1 for anything unusual. */
X86_API int x86flow_read_fde(const uint8_t *fde, x86flow_unwind *u) {
    const uint8_t *p = fde, *cie, *end, *text, *data;
    uint32_t length = x86_p_u32(p), cie_length;
    unsigned pointer = 0, lsda = 0xFF, has_z = 0;
    int bad = 0;
    memset(u, 0, sizeof *u);
    if (length < 12 || length == 0xFFFFFFFF) return -1;
    end = p + 4 + length;
    cie = p + 4 - x86_p_u32(p + 4);
    cie_length = x86_p_u32(cie);
    if (cie_length < 8 || cie_length == 0xFFFFFFFF || x86_p_u32(cie + 4) != 0 || cie[8] != 1)
        return -1;
    u->cie_end = cie + 4 + cie_length;
    text = cie + 9;
    data = text + strlen((const char *)text) + 1;
    if (x86_p_uleb(&data) != 1) return -1;
    u->data_factor = x86_p_sleb(&data);
    if (x86_p_uleb(&data) != 16) return -1;
    for (; *text; text++) {
        if (*text == 'z') {
            has_z = 1;
            u->cie_begin = data;
            (void)x86_p_uleb(&data);
        } else if (*text == 'R')
            pointer = *data++;
        else if (*text == 'L')
            lsda = *data++;
        else if (*text == 'S')
            u->signal_frame = 1;
        else if (*text == 'P') {
            unsigned encoding = *data++;
            u->personality = x86flow_encoded(&data, encoding, &bad);
            u->has_personality = 1;
        } else
            return -1;
    }
    if (!has_z || bad) return -1;
    {
        const uint8_t *q = u->cie_begin;
        uint64_t size = x86_p_uleb(&q);
        u->cie_begin = q + size;
    }
    p += 8;
    u->pc = x86flow_encoded(&p, pointer, &bad);
    u->size = x86flow_encoded(&p, pointer & 15, &bad);
    {
        uint64_t size = x86_p_uleb(&p);
        const uint8_t *next = p + size;
        if (lsda != 0xFF && size) {
            u->lsda = x86flow_encoded(&p, lsda, &bad);
            u->has_lsda = u->lsda != 0;
        }
        p = next;
    }
    u->fde_begin = p;
    u->fde_end = end;
    return bad || p > end || u->size > 0x7FFFFFFF ? -1 : 0;
}

/* The table must stand in memory of the module that may be read. A number has 12
   bytes at most, so that a bad one leads no further than MORE bytes behind the
   table; memory comes in whole pages. */
X86_API int x86flow_open_lsda(const x86flow_module *m, const x86flow_unwind *u,
                                  x86flow_lsda *l) {
    enum { MORE = 48 };
    const uint8_t *p = x86_p_at(u->lsda);
    uint64_t end = x86flow_p_readable(m, u->lsda), size;
    unsigned encoding;
    memset(l, 0, sizeof *l);
    l->bad = 1;
    if (end) end = (end + 4095) & ~UINT64_C(4095);
    if (!end || end - u->lsda < MORE) return -1;
    l->bad = 0;
    encoding = *p++;
    l->pads = encoding == 0xFF ? u->pc : x86flow_encoded(&p, encoding & 0x7F, &l->bad);
    l->type_encoding = *p++;
    if (l->type_encoding != 0xFF) {
        uint64_t to = x86_p_uleb(&p);
        l->types = x86_p_address(p) + to;
    }
    l->site_encoding = *p++;
    size = x86_p_uleb(&p);
    if (encoding != 0xFF && encoding & 0x80) l->bad = 1;
    if (l->site_encoding != 1 && l->site_encoding != 3) l->bad = 1;
    if (size > end - x86_p_address(p) || end - x86_p_address(p) - size < MORE) l->bad = 1;
    if (l->bad) return -1;
    l->sites = p;
    l->sites_end = l->actions = p + size;
    return 0;
}

static uint64_t x86flow_p_site_value(x86flow_lsda *l) {
    uint64_t value;
    if (l->site_encoding == 1) return x86_p_uleb(&l->sites);
    value = x86_p_u32(l->sites);
    l->sites += 4;
    return value;
}

X86_API int x86flow_next_call_site(x86flow_lsda *l, x86flow_call_site *out) {
    if (l->bad || l->sites >= l->sites_end) return 0;
    out->start = x86flow_p_site_value(l);
    out->size = x86flow_p_site_value(l);
    out->pad = x86flow_p_site_value(l);
    out->action = x86_p_uleb(&l->sites);
    if (out->pad) out->pad += l->pads;
    if (l->sites > l->sites_end) l->bad = 1;
    return !l->bad;
}

/* From a frame to its caller. A rule says where the CFA is, and where rbp is
   saved. What needs more than that (other expressions, other registers) has none,
   and the walk over the stack ends there. */

typedef struct x86flow_p_state {
    unsigned reg;
    int64_t offset, rbp;
    int rbp_saved, cfa_saved;
} x86flow_p_state;

static const uint8_t *x86flow_p_skip(const uint8_t *p) {
    uint64_t size = x86_p_uleb(&p);
    return p + size;
}

/* An expression of rbp alone: rbp + *offset, or the word there if `deref`.
   Returns what stands behind it, or NULL: it is another. */
static const uint8_t *x86flow_p_of_frame(const uint8_t *p, int deref, int64_t *offset) {
    enum { RBP_PLUS = 0x76, DEREF = 0x06 };
    const uint8_t *end = x86flow_p_skip(p);
    (void)x86_p_uleb(&p);
    if (*p++ != RBP_PLUS) return NULL;
    *offset = x86_p_sleb(&p);
    if (deref && *p++ != DEREF) return NULL;
    return p == end ? p : NULL;
}

/* An operation of a CFA program that does not advance. Returns what stands
   behind it, or NULL. */
static const uint8_t *x86flow_p_operate(unsigned op, const uint8_t *p, x86flow_p_state *now) {
    switch (op) {
    case 0x00: return p;
    case 0x2E: (void)x86_p_uleb(&p); return p;
    case 0x0C:
        now->reg = (unsigned)x86_p_uleb(&p);
        now->offset = (int64_t)x86_p_uleb(&p);
        now->cfa_saved = 0;
        return p;
    case 0x0D: now->reg = (unsigned)x86_p_uleb(&p); return p;
    case 0x0E: now->offset = (int64_t)x86_p_uleb(&p); return p;
    case 0x08:
        if (x86_p_uleb(&p) == 6) now->rbp_saved = 0;
        return p;
    case 0x07: return x86_p_uleb(&p) == 16 ? NULL : p; /* nobody called this */
    case 0x0F:
        now->reg = 6;
        now->cfa_saved = 1;
        return x86flow_p_of_frame(p, 1, &now->offset);
    case 0x10:
    case 0x16:
        if (x86_p_uleb(&p) != 6) return x86flow_p_skip(p);
        now->rbp_saved = 2;
        return op == 0x10 ? x86flow_p_of_frame(p, 0, &now->rbp) : NULL;
    default: return NULL;
    }
}

/* Runs a CFA program up to a place, counted from the function's start. Returns
   0, or -1. */
static int x86flow_p_run(const uint8_t *p, const uint8_t *end, int64_t factor, uint64_t place,
                         x86flow_p_state *now) {
    x86flow_p_state kept[4], initial = *now;
    unsigned depth = 0;
    uint64_t at = 0;
    while (p && p < end && at <= place) {
        unsigned op = *p++;
        if ((op & 0xC0) == 0x40)
            at += op & 63;
        else if ((op & 0xC0) == 0x80) {
            int64_t offset = (int64_t)x86_p_uleb(&p) * factor;
            if ((op & 63) != 6) continue;
            now->rbp = offset;
            now->rbp_saved = 1;
        } else if ((op & 0xC0) == 0xC0) {
            if ((op & 63) != 6) continue;
            now->rbp = initial.rbp;
            now->rbp_saved = initial.rbp_saved;
        } else if (op == 0x02)
            at += *p++;
        else if (op == 0x03) {
            at += (unsigned)p[0] | (unsigned)p[1] << 8;
            p += 2;
        } else if (op == 0x04) {
            at += x86_p_u32(p);
            p += 4;
        } else if (op == 0x0A) {
            if (depth == 4) return -1;
            kept[depth++] = *now;
        } else if (op == 0x0B) {
            if (!depth) return -1;
            *now = kept[--depth];
        } else
            p = x86flow_p_operate(op, p, now);
    }
    return p ? 0 : -1;
}

X86_API int x86flow_find_rule(const uint8_t *fde, uint64_t place, x86flow_rule *out) {
    x86flow_unwind u;
    x86flow_p_state now = {7, 8, 0, 0, 0};
    out->reg = 0;
    if (x86flow_read_fde(fde, &u) != 0 || u.signal_frame) return -1;
    if (x86flow_p_run(u.cie_begin, u.cie_end, u.data_factor, ~UINT64_C(0), &now) != 0) return -1;
    if (x86flow_p_run(u.fde_begin, u.fde_end, u.data_factor, place, &now) != 0) return -1;
    if (now.offset != (int32_t)now.offset || now.rbp != (int32_t)now.rbp) return -1;
    if (now.reg != 6 && now.reg != 7) return -1;
    out->offset = (int32_t)now.offset;
    out->rbp = (int32_t)now.rbp;
    out->rbp_saved = (uint8_t)now.rbp_saved;
    out->cfa_saved = (uint8_t)now.cfa_saved;
    out->reg = (uint8_t)now.reg;
    return 0;
}

X86_API int x86flow_rule_of(const x86flow_module *m, const x86flow_function *f,
                                uint32_t offset, x86flow_rule *out) {
    if (offset < f->size || !f->part) return x86flow_find_rule(f->fde, offset, out);
    return x86flow_find_rule(m->functions[f->part - 1].fde, offset - f->size, out);
}

/* Where the rule finds the CFA, or its word; end: of what may be read. 0: nowhere. */
static uint64_t x86flow_p_cfa(const x86flow_rule *rule, uint64_t rsp, uint64_t rbp, uint64_t end) {
    uint64_t cfa = (rule->reg == 6 ? rbp : rsp) + (uint64_t)(int64_t)rule->offset;
    if (!rule->cfa_saved) return cfa;
    if (cfa & 7 || cfa < rsp || cfa > end - 8) return 0;
    return x86_p_u64(x86_p_at(cfa));
}

X86_API int x86flow_step(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp, uint64_t *rbp,
                         uint64_t end) {
    uint64_t cfa = x86flow_p_cfa(rule, *rsp, *rbp, end);
    uint64_t saved = (rule->rbp_saved == 2 ? *rbp : cfa) + (uint64_t)(int64_t)rule->rbp;
    if (!rule->reg || cfa > end || cfa < *rsp + 8 || cfa - *rsp > (1u << 23) || cfa & 7) return -1;
    if (rule->rbp_saved && (saved < *rsp || saved > end - 8)) return -1;
    *pc = x86_p_u64(x86_p_at(cfa - 8));
    if (rule->rbp_saved) *rbp = x86_p_u64(x86_p_at(saved));
    *rsp = cfa;
    return 0;
}

/* The FDE in a .eh_frame_hdr that covers pc; NULL: none. The table says only where each
   function begins, and assembly without an FDE may stand behind one. */
X86_API const uint8_t *x86flow_find_fde(const uint8_t *h, uint64_t pc, uint64_t *start) {
    const uint8_t *table = h, *fde;
    x86flow_unwind u;
    uint32_t lo = 0, hi;
    if (!h || h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return NULL;
    hi = x86_p_u32(h + 8);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        uint64_t at =
            x86_p_address(h) + (uint64_t)(int64_t)x86_p_s32(h + 12 + 8 * (size_t)mid);
        if (at <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo) return NULL;
    h += 12 + 8 * (size_t)(lo - 1);
    *start = x86_p_address(table) + (uint64_t)(int64_t)x86_p_s32(h);
    fde = table + x86_p_s32(h + 4);
    return x86flow_read_fde(fde, &u) == 0 && pc - *start < u.size ? fde : NULL;
}
