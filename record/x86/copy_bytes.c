/* ---- copies: bytes, distances, checks ---- */

enum {
    X86COPY_P_TO_BODY,
    X86COPY_P_TO_THUNK,
    X86COPY_P_TO_SLOW,
    X86COPY_P_TO_MAP,
    X86COPY_P_RETURN,           /* not a distance: behind call `index` of I, `at` is returned to */
    X86COPY_P_JOIN_C = 16,
    X86COPY_P_JOIN_I = 17
};

static void x86copy_p_out(x86copy *s, const void *bytes, unsigned count) {
    if (s->out_max - s->out_size < count) {
        s->failed = 1;
        return;
    }
    memcpy(s->out + s->out_size, bytes, count);
    s->out_size += count;
}
static void x86copy_p_out1(x86copy *s, unsigned byte) {
    uint8_t b = (uint8_t)byte;
    x86copy_p_out(s, &b, 1);
}
static void x86copy_p_out4(x86copy *s, uint32_t value) {
    x86copy_p_out(s, &value, 4);
}
/* Bytes in hex text would be nicer to read and slower to emit: a string literal
   it is. */
#define X86COPY_P_CODE(s, literal) x86copy_p_out(s, literal, (unsigned)sizeof literal - 1)

static uint32_t x86copy_p_position(const x86copy *s) {
    return s->out_size - s->code_start;
}
static uint64_t x86copy_p_here(const x86copy *s) {
    return s->base + s->out_size;
}

/* Four bytes of distance to an address, counted from `behind` bytes after
   them. */
static void x86copy_p_distance(x86copy *s, uint64_t address, unsigned behind) {
    int64_t d = (int64_t)(address - (x86copy_p_here(s) + 4 + behind));
    if (d != (int32_t)d) s->failed = 1;
    x86copy_p_out4(s, (uint32_t)d);
}
static void x86copy_p_jump(x86copy *s, uint64_t address) {
    x86copy_p_out1(s, 0xE9);
    x86copy_p_distance(s, address, 0);
}

static void x86copy_p_later(x86copy *s, uint32_t index, uint32_t kind) {
    x86copy_fixup *x = &s->fixups[s->fixup_count++];
    x->at = s->out_size;
    x->index = index;
    x->kind = kind;
    x86copy_p_out4(s, 0);
}

static void x86copy_p_resolve(x86copy *s, uint32_t at, uint32_t to) {
    uint32_t d = to - (at + 4);
    if (at + 4 <= s->out_max) memcpy(s->out + at, &d, 4);
}

/* The check: decl %fs:n. */
static void x86copy_p_decrement(x86copy *s) {
    X86COPY_P_CODE(s, "\x64\xFF\x0C\x25");
    x86copy_p_out4(s, (uint32_t)s->m->offset_n);
}

static uint64_t x86copy_p_slot(uint64_t slots, uint32_t n) {
    return slots + 8 * (uint64_t)n;
}

/* Behind a check that became negative: ask whether a burst is live. CF set:
   yes. The stack below the red zone is free here, flags are dead. */
static void x86copy_p_ask(x86copy *s, uint32_t site, int flags) {
    if (!flags) X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x80"); /* lea -128(%rsp),%rsp */
    x86copy_p_out1(s, 0x68);                               /* push site           */
    x86copy_p_out4(s, site);
    x86copy_p_out1(s, 0xE8); /* call slow           */
    x86copy_p_distance(s, s->m->rx + s->m->slow_at, 0);
    if (flags)
        X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x08"); /* lea 8(%rsp),%rsp    */
    else
        X86COPY_P_CODE(s, "\x48\x8D\xA4\x24\x88\x00\x00\x00"); /* lea 136(%rsp),%rsp  */
}

/* The slow end of a check at a site. In C: live goes to I through the site's
   slot, otherwise on to `body`. In I: live goes on to `body`, otherwise to the
   same site of C. */
static void x86copy_p_slow_end(x86copy *s, uint32_t site, int flags, uint32_t body_index) {
    uint32_t other;
    x86copy_p_ask(s, site, flags);
    x86copy_p_out1(s, s->instrumented ? 0x73 : 0x72); /* jnc, jc */
    other = s->out_size;
    x86copy_p_out1(s, 0);
    if (flags)
        X86COPY_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00"); /* popfq; lea 128(%rsp),%rsp */
    x86copy_p_out1(s, 0xE9);
    x86copy_p_later(s, body_index, X86COPY_P_TO_BODY);
    if (s->out_size < s->out_max) s->out[other] = (uint8_t)(s->out_size - other - 1);
    if (flags) X86COPY_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00");
    if (s->instrumented)
        x86copy_p_jump(s, s->m->rx + s->own->c_at + s->spot[body_index].c_at);
    else {
        X86COPY_P_CODE(s, "\xFF\x25"); /* jmp *slot(%rip) */
        x86copy_p_distance(s, x86copy_p_slot(s->m->site_slots, site), 0);
    }
}

/* Where an instruction stands in the original, and the same as events name
   it. */
static uint64_t x86copy_p_address_of(const x86copy *s, const x86flow_insn *k) {
    return x86flow_address(s->b, k->offset);
}
static uint32_t x86copy_p_place(const x86copy *s, const x86flow_insn *k) {
    return (uint32_t)(x86copy_p_address_of(s, k) - s->m->flow->bias);
}

/* lea of an address near the code into a register. */
static void x86copy_p_lea_rip(x86copy *s, unsigned to, uint64_t address) {
    x86copy_p_out1(s, 0x48 | (to >= 8 ? 4u : 0));
    x86copy_p_out1(s, 0x8D);
    x86copy_p_out1(s, 0x05 | (to & 7) << 3);
    x86copy_p_distance(s, address, 0);
}

/* mov %fs:claim,%reg; xaddw %reg,%fs:position */
static void x86copy_p_claim(x86copy *s, unsigned reg) {
    x86copy_p_out1(s, 0x64);
    x86copy_p_out1(s, 0x48 | (reg >= 8 ? 4u : 0));
    x86copy_p_out1(s, 0x8B);
    x86copy_p_out1(s, 0x04 | (reg & 7) << 3);
    x86copy_p_out1(s, 0x25);
    x86copy_p_out4(s, (uint32_t)s->m->offset_claim);
    X86COPY_P_CODE(s, "\x66\x64");
    if (reg >= 8) x86copy_p_out1(s, 0x44);
    X86COPY_P_CODE(s, "\x0F\xC1");
    x86copy_p_out1(s, 0x04 | (reg & 7) << 3);
    x86copy_p_out1(s, 0x25);
    x86copy_p_out4(s, (uint32_t)s->m->offset_position);
}

/* lea of an instruction's operand into a register. `lower` is how much lower
   rsp is than the program's. */
static void x86copy_p_lea(x86copy *s, const x86flow_insn *k, int32_t lower, unsigned to) {
    const x86decode_insn *i = &k->i;
    int64_t d = i->displacement;
    unsigned rex = 0x48 | (to >= 8 ? 4u : 0) | (i->base >= 8 ? 1u : 0)
                   | (i->index >= 8 && !i->vsib ? 2u : 0);
    unsigned reg = (to & 7) << 3;
    if (i->base == X86DECODE_RIP) {
        x86copy_p_lea_rip(s, to, x86copy_p_address_of(s, k) + i->length + (uint64_t)d);
        return;
    }
    if (i->has_modrm == 0) { /* moffs */
        x86copy_p_out1(s, 0x48 | (to >= 8 ? 1u : 0));
        x86copy_p_out1(s, 0xB8 | (to & 7));
        x86copy_p_out(s, &d, 8);
        return;
    }
    if (i->base == 4) d += lower + (i->opcode == 0x8F && i->map == 0 ? 8 : 0);
    if (i->prefixes & X86DECODE_67) x86copy_p_out1(s, 0x67);
    x86copy_p_out1(s, rex);
    x86copy_p_out1(s, 0x8D);
    x86copy_p_out1(s, (i->base < 0 ? 0x04 : 0x84) | reg);
    if (i->index >= 0 && !i->vsib) {
        unsigned scale = i->scale == 8 ? 3 : i->scale == 4 ? 2 : i->scale == 2 ? 1 : 0;
        x86copy_p_out1(s, scale << 6 | ((unsigned)i->index & 7) << 3
                              | (i->base < 0 ? 5 : (unsigned)i->base & 7));
    } else
        x86copy_p_out1(s, 0x20 | (i->base < 0 ? 5 : (unsigned)i->base & 7));
    x86copy_p_out4(s, (uint32_t)(int32_t)d);
}
