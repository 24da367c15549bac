/* ---- copies: their unwind information ---- */

typedef struct x86copy_p_bytes {
    uint8_t *p, *end;
    int full;
} x86copy_p_bytes;
static void x86copy_p_put(x86copy_p_bytes *b, unsigned byte) {
    if (b->p < b->end)
        *b->p++ = (uint8_t)byte;
    else
        b->full = 1;
}
static void x86copy_p_put_n(x86copy_p_bytes *b, uint64_t value, unsigned bytes) {
    for (; bytes--; value >>= 8) x86copy_p_put(b, (unsigned)(value & 255));
}
static void x86copy_p_put_uleb(x86copy_p_bytes *b, uint64_t value, unsigned least) {
    unsigned n = 0;
    do {
        unsigned byte = (unsigned)(value & 127);
        value >>= 7;
        n++;
        x86copy_p_put(b, byte | (value || n < least ? 128u : 0));
    } while (value || n < least);
}

/* A function or its part: offsets of the body from `from` to `to`, which stand
   in the copy from `start` to `end`. */
typedef struct x86copy_p_range {
    uint32_t from, to, start, end;
} x86copy_p_range;

static x86copy_p_range x86copy_p_range_of(const x86copy *s, int part) {
    const x86flow_body *b = s->b;
    x86copy_p_range r;
    r.from = part ? b->f->size : 0;
    r.to = part ? b->size : b->f->size;
    r.start = part ? s->spot[b->part_first].at : 0;
    r.end = s->spot[part ? b->count : b->part_first].at;
    return r;
}

/* Where in its range of the copy stands what is at an offset of the range, or
   ~0: no instruction is there. */
static uint32_t x86copy_p_new_offset(const x86copy *s, const x86copy_p_range *r, uint64_t offset) {
    if (offset == r->to - r->from) return r->end - r->start;
    if (offset > r->to - r->from || !s->b->index[r->from + offset]) return ~0u;
    return s->spot[s->b->index[r->from + offset] - 1].begin - r->start;
}

static int x86copy_p_copy_cfa(const x86copy *s, const x86copy_p_range *r, const x86flow_unwind *u,
                              x86copy_p_bytes *b) {
    const uint8_t *p = u->fde_begin;
    uint64_t old = 0;
    uint32_t done = 0;
    while (p < u->fde_end) {
        const uint8_t *start = p;
        unsigned op = *p++, advance = 0;
        if ((op & 0xC0) == 0x40) {
            old += op & 63;
            advance = 1;
        } else if ((op & 0xC0) == 0x80)
            (void)x86_p_uleb(&p);
        else if (op < 0x40)
            switch (op) {
            case 0x02:
                old += *p;
                p += 1;
                advance = 1;
                break;
            case 0x03:
                old += (unsigned)p[0] | (unsigned)p[1] << 8;
                p += 2;
                advance = 1;
                break;
            case 0x04:
                old += x86_p_u32(p);
                p += 4;
                advance = 1;
                break;
            case 0x00:
            case 0x0A:
            case 0x0B: break;
            case 0x05:
            case 0x09:
            case 0x0C:
            case 0x11:
            case 0x12:
            case 0x14:
            case 0x15:
                (void)x86_p_uleb(&p);
                (void)x86_p_uleb(&p);
                break;
            case 0x06:
            case 0x07:
            case 0x08:
            case 0x0D:
            case 0x0E:
            case 0x13:
            case 0x2E: (void)x86_p_uleb(&p); break;
            case 0x10:
            case 0x16:
            case 0x0F: {
                uint64_t size;
                if (op != 0x0F) (void)x86_p_uleb(&p);
                size = x86_p_uleb(&p);
                p += size;
                break;
            }
            default: return -1;
            }
        if (advance) {
            uint32_t now = x86copy_p_new_offset(s, r, old);
            if (now == ~0u) return -1;
            if (now != done) {
                x86copy_p_put(b, 0x04);
                x86copy_p_put_n(b, now - done, 4);
                done = now;
            }
        } else
            for (; start < p; start++) x86copy_p_put(b, *start);
    }
    return p > u->fde_end ? -1 : 0;
}

/* The LSDA of a copy: call sites and landing pads are mapped, actions are
   copied, the types stay where they are. A pad outside of the body stays in the
   original: right, not recorded. */
static int x86copy_p_copy_lsda(const x86copy *s, const x86copy_p_range *r, const x86flow_unwind *u,
                               uint64_t place, x86copy_p_bytes *b) {
    x86flow_lsda l;
    x86flow_call_site c;
    uint8_t *begin = b->p, *sites;
    uint64_t action_bytes = 0;
    unsigned n;
    if (x86flow_open_lsda(s->b->m, u, &l) != 0) return -1;
    x86copy_p_put(b, 0xFF);
    x86copy_p_put(b, l.type_encoding);
    if (l.type_encoding != 0xFF) {
        uint64_t behind = place + (uint64_t)(b->p - begin) + 10;
        x86copy_p_put_uleb(b, l.types - behind, 10);
        action_bytes = l.types - x86_p_address(l.actions);
        if (action_bytes > 65536) return -1;
    }
    x86copy_p_put(b, 1);
    x86copy_p_put_uleb(b, 0, 5);
    sites = b->p;
    while (x86flow_next_call_site(&l, &c)) {
        uint64_t to = 0;
        uint32_t new_start = x86copy_p_new_offset(s, r, c.start),
                 new_end = x86copy_p_new_offset(s, r, c.start + c.size);
        if (new_start == ~0u || new_end == ~0u || (c.action && !action_bytes)) return -1;
        if (c.pad) {
            uint32_t landing = x86flow_insn_at(s->b, c.pad);
            if (landing != ~0u) {
                const x86copy_spot *spot = &s->spot[landing];
                to = (uint64_t)(spot->thunk ? spot->thunk : spot->at) - r->start;
            }
            else if (x86flow_offset(s->b, c.pad) != ~0u) return -1;
            else to = c.pad - (s->base + s->code_start + r->start);
            if (to == 0) return -1; /* 0 says that there is no pad */
        }
        x86copy_p_put_uleb(b, new_start, 1);
        x86copy_p_put_uleb(b, new_end - new_start, 1);
        x86copy_p_put_uleb(b, to, 1);
        x86copy_p_put_uleb(b, c.action, 1);
    }
    if (l.bad || b->full || b->end - sites < 8) return -1;
    for (n = 0; n < 5; n++)
        sites[-5 + (int)n] =
            (uint8_t)(((uint64_t)(b->p - sites) >> (7 * n) & 127) | (n < 4 ? 128 : 0));
    for (; action_bytes; action_bytes--) x86copy_p_put(b, *l.actions++);
    return b->full ? -1 : 0;
}

/* A CIE and an FDE of a range. Returns where the FDE stands, or NULL. *lsda:
   where its pointer to an LSDA is to be written, or NULL. */
static uint8_t *x86copy_p_emit_fde(const x86copy *s, const x86copy_p_range *r, x86flow_unwind *u,
                                   x86copy_p_bytes *b, uint8_t **lsda) {
    uint8_t *cie = b->p, *fde;
    uint32_t size;
    if (u->data_factor < -64 || u->data_factor > 63) return NULL;
    x86copy_p_put_n(b, 0, 8);
    x86copy_p_put(b, 1);
    x86copy_p_put(b, 'z');
    if (u->has_personality) x86copy_p_put(b, 'P');
    if (u->has_lsda) x86copy_p_put(b, 'L');
    x86copy_p_put(b, 'R');
    if (u->signal_frame) x86copy_p_put(b, 'S');
    x86copy_p_put(b, 0);
    x86copy_p_put(b, 1);
    x86copy_p_put(b, (unsigned)u->data_factor & 0x7F);
    x86copy_p_put(b, 16);
    x86copy_p_put(b, (u->has_personality ? 9u : 0) + (u->has_lsda ? 1u : 0) + 1);
    if (u->has_personality) {
        x86copy_p_put(b, 0);
        x86copy_p_put_n(b, u->personality, 8);
    }
    if (u->has_lsda) x86copy_p_put(b, 0);
    x86copy_p_put(b, 0);
    for (; u->cie_begin < u->cie_end; u->cie_begin++) x86copy_p_put(b, *u->cie_begin);
    while ((b->p - cie) & 7) x86copy_p_put(b, 0);
    if (b->full) return NULL;
    size = (uint32_t)(b->p - cie) - 4;
    memcpy(cie, &size, 4);
    fde = b->p;
    x86copy_p_put_n(b, 0, 4);
    x86copy_p_put_n(b, (uint64_t)(b->p - cie), 4);
    x86copy_p_put_n(b, s->base + s->code_start + r->start, 8);
    x86copy_p_put_n(b, r->end - r->start, 8);
    x86copy_p_put(b, u->has_lsda ? 8 : 0);
    *lsda = u->has_lsda ? b->p : NULL;
    if (u->has_lsda) x86copy_p_put_n(b, 0, 8);
    if (x86copy_p_copy_cfa(s, r, u, b) != 0) return NULL;
    while ((b->p - fde) & 7) x86copy_p_put(b, 0);
    if (b->full) return NULL;
    size = (uint32_t)(b->p - fde) - 4;
    memcpy(fde, &size, 4);
    return fde;
}

/* Behind the code of a copy: its own .eh_frame_hdr; a CIE, an FDE and an LSDA
   for the function and for its part. */
X86_API int x86copy_emit_unwind(x86copy *s, uint32_t *header) {
    int count = s->b->part ? 2 : 1, k;
    x86flow_unwind u[2];
    x86copy_p_range r[2];
    x86copy_p_bytes b;
    uint8_t *lsda[2], *fde;
    uint32_t at, table[4];
    while (!s->failed && s->out_size & 7) x86copy_p_out1(s, 0xCC);
    if (s->failed || x86flow_read_fde(s->b->f->fde, &u[0]) != 0) return -1;
    if (count == 2 && x86flow_read_fde(s->b->part->fde, &u[1]) != 0) return -1;
    at = s->out_size;
    b.p = s->out + at;
    b.end = s->out + s->out_max;
    b.full = 0;
    x86copy_p_put_n(&b, UINT64_C(0x3B031B01), 4);
    x86copy_p_put_n(&b, count == 2 ? 28 : 20, 4); /* where the first CIE stands */
    x86copy_p_put_n(&b, (unsigned)count, 4);
    for (k = 0; k < 8 * count; k++) x86copy_p_put(&b, 0);
    if (b.full) return -1;
    while ((b.p - s->out) & 7) x86copy_p_put(&b, 0); /* a CIE stands at a multiple of 8 */
    for (k = 0; k < count; k++) {
        r[k] = x86copy_p_range_of(s, k);
        fde = x86copy_p_emit_fde(s, &r[k], &u[k], &b, &lsda[k]);
        if (!fde) return -1;
        table[2 * k] = s->code_start + r[k].start - at;
        table[2 * k + 1] = (uint32_t)(fde - s->out) - at;
    }
    memcpy(s->out + at + 12, table, 8 * (size_t)count);
    x86copy_p_put_n(&b, 0, 8); /* the end of this .eh_frame */
    for (k = 0; k < count; k++) {
        uint64_t place = s->base + (uint64_t)(b.p - s->out);
        if (b.full) return -1;
        if (!lsda[k]) continue;
        memcpy(lsda[k], &place, 8);
        if (x86copy_p_copy_lsda(s, &r[k], &u[k], place, &b) != 0) return -1;
    }
    if (b.full) return -1;
    *header = at;
    s->out_size = (uint32_t)(b.p - s->out);
    return 0;
}
