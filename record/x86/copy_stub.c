/* ---- copies: what they share, and the stubs of entries ---- */
/* `slow` answers most checks inside a burst in a few instructions; `heavy`
   saves all registers and asks the module. Both answer in CF. The stack then
   holds, upwards: the return address, what was pushed, the program's red
   zone. */
static void x86copy_p_emit_answers(x86copy *s, x86copy_module *m, uint32_t heavy[3]) {
    m->slow_at = s->out_size;
    X86COPY_P_CODE(s, "\x50\x64\xFF\x0C\x25"); /* push %rax; decl %fs:left */
    x86copy_p_out4(s, (uint32_t)m->offset_left);
    X86COPY_P_CODE(s, "\x0F\x88"); /* js heavy */
    heavy[0] = s->out_size;
    x86copy_p_out4(s, 0);
    X86COPY_P_CODE(s, "\x64\xC7\x04\x25"); /* movl $LIVE,%fs:n */
    x86copy_p_out4(s, (uint32_t)m->offset_n);
    x86copy_p_out4(s, (uint32_t)X86COPY_LIVE);
    X86COPY_P_CODE(s, "\x64\x66\x81\x3C\x25"); /* cmpw $0xC000,%fs:position */
    x86copy_p_out4(s, (uint32_t)m->offset_position);
    X86COPY_P_CODE(s, "\x00\xC0\x0F\x83"); /* jae heavy */
    heavy[1] = s->out_size;
    x86copy_p_out4(s, 0);
    X86COPY_P_CODE(s, "\x51\x8B\x4C\x24\x18\x48\x8D\x05"); /* push %rcx; mov 24(%rsp),%ecx */
    x86copy_p_distance(s, m->site_slots, 0);               /* lea slots(%rip),%rax */
    X86COPY_P_CODE(
        s, "\x48\x83\x3C\xC8\x00\x59\x0F\x84"); /* cmpq $0,(%rax,%rcx,8); pop %rcx; je heavy */
    heavy[2] = s->out_size;
    x86copy_p_out4(s, 0);
    X86COPY_P_CODE(s, "\x58\xF9\xC3"); /* pop %rax; stc; ret */
}

X86_API void x86copy_emit_slow(x86copy *s, x86copy_module *m) {
    uint64_t function = x86_p_address((const void *)(uintptr_t)m->heavy);
    uint64_t user = x86_p_address(m->user);
    uint32_t bytes = (m->xsave_bytes + 63) & ~63u, heavy[3], n, to;
    s->m = m;
    x86copy_p_emit_answers(s, m, heavy);
    m->heavy_at = s->out_size;
    X86COPY_P_CODE(s, "\x50"); /* push %rax */
    for (n = 0, to = s->out_size; n < 3; n++) x86copy_p_resolve(s, heavy[n], to);
    X86COPY_P_CODE(s, "\x9C\x51\x52\x56\x57\x41\x50\x41\x51\x41\x52\x41\x53\x55");
    X86COPY_P_CODE(s, "\x48\x89\xE5\x48\x81\xEC"); /* mov %rsp,%rbp; sub $bytes,%rsp */
    x86copy_p_out4(s, bytes);
    X86COPY_P_CODE(s, "\x48\x83\xE4\xC0\x31\xC0"); /* and $-64,%rsp; xor %eax,%eax */
    for (n = 0; n < 8; n++) {                      /* the area's header is zero */
        X86COPY_P_CODE(s, "\x48\x89\x84\x24");
        x86copy_p_out4(s, 512 + 8 * n);
    }
    x86copy_p_out1(s, 0xB8);
    x86copy_p_out4(s, m->xsave_mask);
    if (m->xsave_mask)
        X86COPY_P_CODE(s, "\x31\xD2\x48\x0F\xAE\x24\x24"); /* xsave64 (%rsp) */
    else
        X86COPY_P_CODE(s, "\x48\x0F\xAE\x04\x24");             /* fxsave64 (%rsp) */
    X86COPY_P_CODE(s, "\xFC\x48\x89\xEA\x8B\x7D\x60\x48\xBE"); /* cld; saved, code, user */
    x86copy_p_out(s, &user, 8);
    X86COPY_P_CODE(s, "\x48\xB8");
    x86copy_p_out(s, &function, 8);
    X86COPY_P_CODE(s, "\xFF\xD0\x48\x89\x45\x60\xB8"); /* call *%rax; mov %rax,96(%rbp) */
    x86copy_p_out4(s, m->xsave_mask);
    if (m->xsave_mask)
        X86COPY_P_CODE(s, "\x31\xD2\x48\x0F\xAE\x2C\x24"); /* xrstor64 (%rsp) */
    else
        X86COPY_P_CODE(s, "\x48\x0F\xAE\x0C\x24");
    X86COPY_P_CODE(s, "\x48\x89\xEC\x5D\x41\x5B\x41\x5A\x41\x59\x41\x58\x5F\x5E\x5A\x59\x9D\x58");
    X86COPY_P_CODE(s, "\x0F\xBA\x64\x24\x08\x00\xC3"); /* btl $0,8(%rsp); ret */
    m->make_common_at = s->out_size; /* the word that was pushed becomes the answer */
    x86copy_p_out1(s, 0xE8);
    x86copy_p_distance(s, m->rx + m->heavy_at, 0);
    X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x08\xFF\x64\x24\xF8"); /* lea 8(%rsp),%rsp; jmp *-8(%rsp) */
    m->slow_end = s->out_size;
}

/* push $code; jmp make_common. At an entry nobody uses what is below the stack
   pointer. */
static void x86copy_p_emit_make(x86copy *s, uint32_t code) {
    x86copy_p_out1(s, 0x68);
    x86copy_p_out4(s, code);
    x86copy_p_jump(s, s->m->rx + s->m->make_common_at);
}

/* What the jmp at an entry displaces, at another place, then on in the
   original. A call pushes the address behind the original call, so that an
   unwinder finds its way. Returns 0, or -1. */
static int x86copy_p_emit_plain(x86copy *s, const x86flow_function *f) {
    uint32_t n, at = 0, patch_at = f->patch_at;
    if (f->displaced) {
        at = patch_at + f->displaced;
        x86copy_p_out(s, x86_p_at(f->lo + patch_at), f->displaced);
    }
    for (n = 0; !f->displaced && n < s->b->count && s->b->insn[n].offset < patch_at + 5; n++) {
        x86flow_insn *k = &s->b->insn[n];
        uint64_t address = s->b->f->lo + k->offset, to = x86decode_target(&k->i, address),
                 behind = address + k->i.length;
        uint8_t op[2];
        if (k->offset < patch_at) continue;
        at = k->offset + k->i.length;
        switch (k->i.kind) {
        case X86DECODE_LOOP:
        case X86DECODE_CALL_INDIRECT: return -1;
        case X86DECODE_CALL: /* lea -8(%rsp); movl low,(%rsp); movl high,4(%rsp) */
            X86COPY_P_CODE(s, "\x48\x8D\x64\x24\xF8\xC7\x04\x24");
            x86copy_p_out4(s, (uint32_t)behind);
            X86COPY_P_CODE(s, "\xC7\x44\x24\x04");
            x86copy_p_out4(s, (uint32_t)(behind >> 32));
            x86copy_p_jump(s, to);
            return 0;
        case X86DECODE_BRANCH:
            op[0] = 0x0F;
            op[1] = (uint8_t)(0x80 | (k->i.opcode & 15));
            x86copy_p_out(s, op, 2);
            x86copy_p_distance(s, to, 0);
            break;
        case X86DECODE_JUMP: x86copy_p_jump(s, to); break;
        default: x86copy_p_copied(s, k); break;
        }
    }
    x86copy_p_jump(s, f->lo + at);
    return 0;
}

X86_API uint32_t x86copy_displaced(const x86flow_body *b, uint32_t patch_at) {
    uint32_t n, at = 0;
    for (n = 0; n < b->count && b->insn[n].offset < patch_at + 5; n++) {
        const x86flow_insn *k = &b->insn[n];
        if (k->offset < patch_at) continue;
        if (k->i.memory && k->i.base == X86DECODE_RIP) return 0;
        if (k->i.kind == X86DECODE_LOOP || k->i.kind == X86DECODE_CALL_INDIRECT) return 0;
        if (k->i.kind >= X86DECODE_JUMP && k->i.kind <= X86DECODE_CALL) return 0;
        at = k->offset + k->i.length;
    }
    return at ? at - patch_at : 0;
}

X86_API int x86copy_emit_stub(x86copy *s, x86copy_module *m, uint32_t number, uint32_t at) {
    const x86flow_function *f = &m->flow->functions[number];
    x86copy_function *own = &m->functions[number];
    int bad;
    s->m = m;
    s->own = own;
    s->out_size = 0;
    s->failed = 0;
    own->t_at = at;
    X86COPY_P_CODE(s, "\xFF\x25"); /* jmp *slot(%rip) */
    x86copy_p_distance(s, x86copy_p_slot(m->slots, number), 0);
    own->plain_at = at + s->out_size;
    bad = x86copy_p_emit_plain(s, f);
    own->make_at = at + s->out_size;
    x86copy_p_emit_make(s, X86COPY_MAKE_C | number);
    if (!f->direct) {
        own->make_i_at = at + s->out_size;
        x86copy_p_emit_make(s, X86COPY_MAKE_I | number);
    }
    if (m->aways) {
        own->away_at = at + s->out_size;
        X86COPY_P_CODE(s, "\xFF\x25"); /* jmp *away(%rip) */
        x86copy_p_distance(s, x86copy_p_slot(m->aways, number), 0);
    }
    return bad || s->failed ? -1 : 0;
}
