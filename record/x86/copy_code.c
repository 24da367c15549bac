/* ---- copies: instructions, branches, dispatches ---- */
/* An instruction with another displacement of four bytes; rip says that it is
   counted from its end. */
static void x86copy_p_redisplaced(x86copy *s, const x86flow_insn *k, uint64_t target, int rip) {
    const uint8_t *p = s->b->text + k->offset;
    unsigned modrm_at = k->i.displacement_at,
             behind = (unsigned)k->i.displacement_at + k->i.displacement_size;
    if (rip) {
        x86copy_p_out(s, p, k->i.displacement_at);
        x86copy_p_distance(s, target, k->i.length - behind);
    } else {
        unsigned sib = (k->i.modrm & 7) == 4;
        modrm_at -= 1 + sib;
        x86copy_p_out(s, p, modrm_at);
        x86copy_p_out1(s, k->i.base == X86DECODE_NONE ? p[modrm_at] : (p[modrm_at] & 0x3Fu) | 0x80);
        if (sib) x86copy_p_out1(s, p[modrm_at + 1]);
        x86copy_p_out4(s, (uint32_t)target);
    }
    x86copy_p_out(s, p + behind, k->i.length - behind);
}

/* A function that looks at its return address to learn which module calls it
   must see the original one: such a call stays in the original. */
static int x86copy_p_sensitive(const x86copy *s, uint64_t slot) {
    uint32_t n;
    for (n = 0; n < s->m->sensitive_count; n++) {
        if (s->m->sensitive[n] == slot) return 1;
    }
    return 0;
}

X86_API uint32_t x86copy_skips(const x86flow_function *f, int instrumented) {
    if (f->direct || !(f->flags & X86FLOW_CHECK)) return 0;
    return instrumented ? X86COPY_CHECK_I : X86COPY_CHECK_C;
}

/* A direct call or jump to the start of a function of this module: to its copy
   if that is there, else through its stub; the place is remembered so that it
   can be joined later. A distance inside one cache line can be changed while
   other threads run the code: nops move it there. */
static void x86copy_p_link_to(x86copy *s, uint64_t address, unsigned opcode_bytes,
                              const char *opcode) {
    const x86copy_module *m = s->m;
    const x86flow_function *g = x86flow_function_at(m->flow, address);
    const x86copy_function *h = g ? &m->functions[g - m->flow->functions] : NULL;
    uint64_t to = address;
    int linked = h && g->lo == address && h->patched && (s->instrumented || !h->bare);
    while (linked && !s->failed && ((x86copy_p_here(s) + opcode_bytes) & 63) > 60)
        x86copy_p_out1(s, 0x90);
    x86copy_p_out(s, opcode, opcode_bytes);
    if (linked) {
        int in_i = s->instrumented && !g->direct;
        uint32_t made = in_i ? h->i_at : h->c_at;
        if (m->events & X86COPY_LEFT) made = 0; /* its T tells of the entry */
        if (made) made += x86copy_skips(g, in_i);
        to = m->rx + (made ? made : in_i ? h->make_i_at : h->t_at);
        if (g == s->b->f && !in_i) to = m->rx + h->t_at;
        if (!made && !s->failed && !(m->events & X86COPY_LEFT)) {
            x86copy_fixup *x = &s->fixups[s->fixup_count++];
            x->at = s->out_size;
            x->index = (uint32_t)(g - m->flow->functions);
            x->kind = in_i ? X86COPY_JOIN_I : X86COPY_JOIN_C;
        }
    }
    x86copy_p_distance(s, to, 0);
}

static void x86copy_p_copied(x86copy *s, const x86flow_insn *k) {
    if (k->i.memory && k->i.base == X86DECODE_RIP)
        x86copy_p_redisplaced(
            s, k, x86copy_p_address_of(s, k) + k->i.length + (uint64_t)k->i.displacement, 1);
    else
        x86copy_p_out(s, s->b->text + k->offset, k->i.length);
}

/* In I, behind a call: the burst may have ended meanwhile. Flags are dead
   here. */
static void x86copy_p_after_call(x86copy *s, uint32_t n) {
    x86copy_fixup *x = &s->fixups[s->fixup_count];
    if (!s->instrumented || s->failed || !x86flow_runs_on(s->b, n)) return;
    s->fixup_count++;
    x->at = x86copy_p_position(s);
    x->index = n;
    x->kind = X86COPY_P_RETURN;
    X86COPY_P_CODE(s, "\x64\x83\x3C\x25"); /* cmpl $0,%fs:n */
    x86copy_p_out4(s, (uint32_t)s->m->offset_n);
    X86COPY_P_CODE(s, "\x00\x0F\x89"); /* jns */
    x86copy_p_distance(s, s->m->rx + s->own->c_at + s->spot[n + 1].c_at, 0);
}

/* A dispatch whose table was not proved. The jump's target is looked up; a
   known one leads to the copy through a landing that restores what was saved,
   any other is jumped to as it is. */
static void x86copy_p_translate(x86copy *s, const x86flow_insn *k) {
    uint32_t above, none;
    X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x80"
                      "\x50\x9C\x51"); /* lea -128(%rsp),%rsp; push rax, flags, rcx */
    if (k->i.memory) {
        x86decode_insn plain = k->i;
        x86flow_insn load = *k;
        load.i = plain;
        x86copy_p_lea(s, &load, 128 + 24, 1); /* lea operand,%rcx; mov (%rcx),%rax */
        if (k->i.prefixes & X86DECODE_FS) s->failed = 1;
        X86COPY_P_CODE(s, "\x48\x8B\x01");
    } else {
        int reg = x86flow_rm_register(&k->i);
        if (reg == 4) s->failed = 1;
        x86copy_p_out1(s, reg >= 8 ? 0x4C : 0x48); /* mov reg,%rax */
        x86copy_p_out1(s, 0x89);
        x86copy_p_out1(s, 0xC0 | ((unsigned)reg & 7) << 3);
    }
    X86COPY_P_CODE(s, "\x48\x8D\x0D"); /* lea lo(%rip),%rcx; sub %rcx,%rax */
    x86copy_p_distance(s, s->b->f->lo, 0);
    X86COPY_P_CODE(s, "\x48\x29\xC8\x48\x3D");
    x86copy_p_out4(s, s->b->f->size);
    X86COPY_P_CODE(s, "\x73\x00"); /* jae out */
    above = s->out_size;
    X86COPY_P_CODE(s, "\x48\x8D\x0D"); /* lea map(%rip),%rcx */
    x86copy_p_later(s, 0, X86COPY_P_TO_MAP);
    X86COPY_P_CODE(
        s, "\x48\x63\x04\x81\x85\xC0\x74\x00"); /* movslq (%rcx,%rax,4),%rax; test; jz out */
    none = s->out_size;
    X86COPY_P_CODE(s, "\x48\x01\xC8\xFF\xE0"); /* add %rcx,%rax; jmp *%rax */
    if (!s->failed) {
        s->out[above - 1] = (uint8_t)(s->out_size - above);
        s->out[none - 1] = (uint8_t)(s->out_size - none);
    }
    X86COPY_P_CODE(s, "\x59\x9D\x58\x48\x8D\xA4\x24\x80\x00\x00\x00");
    s->translated = 1;
    x86copy_p_copied(s, k);
}

/* Does a jump to an address outside of the function leave it? A jump to a part
   of it (.cold), or into the middle of anything, does not. A stub of the PLT is
   replaced by what it leads to. */
static int x86copy_p_leaves(const x86copy *s, uint64_t *address) {
    uint64_t slot = x86flow_stub_slot(s->m->flow, *address);
    const x86flow_function *g;
    *address = x86flow_bound_to(s->m->flow, slot, *address);
    g = x86flow_function_at(s->m->flow, *address);
    if (!g || g->reason == X86FLOW_STARTUP) return slot != 0;
    return g->lo == *address && !(g->flags & X86FLOW_FRAGMENT);
}

static void x86copy_p_emit_branch(x86copy *s, uint32_t n) {
    x86flow_insn *k = &s->b->insn[n];
    uint32_t to = x86flow_goes_to(s->b, k);
    uint64_t address = x86decode_target(&k->i, x86copy_p_address_of(s, k));
    int leaves = to == ~0u && x86copy_p_leaves(s, &address);
    int checked =
        to != ~0u && to <= n && s->b->insn[to].target & X86FLOW_TARGET_CHECKED && !k->boring;
    uint8_t op[2];
    if (k->i.kind == X86DECODE_LOOP) {
        x86copy_p_out(s, s->b->text + k->offset, k->i.length - 1u);
        X86COPY_P_CODE(s, "\x02\xEB\x05\xE9");
        if (to == ~0u)
            x86copy_p_distance(s, address, 0);
        else
            x86copy_p_later(s, to, checked ? X86COPY_P_TO_THUNK : X86COPY_P_TO_BODY);
        return;
    }
    op[0] = 0x0F;
    op[1] = (uint8_t)(0x80 | (k->i.opcode & 15));
    if (k->i.kind == X86DECODE_JUMP) {
        if (leaves) {
            x86copy_p_exit_event(s, k);
            x86copy_p_link_to(s, address, 1, "\xE9");
            return;
        }
        if (checked && !s->instrumented && !(s->b->insn[to].target & X86FLOW_TARGET_FLAGS)) {
            x86copy_p_decrement(s); /* the check in line: one jump less */
            X86COPY_P_CODE(s, "\x0F\x89");
            x86copy_p_later(s, to, X86COPY_P_TO_BODY);
            x86copy_p_out1(s, 0xE9);
            x86copy_p_later(s, to, X86COPY_P_TO_SLOW);
            return;
        }
        x86copy_p_out1(s, 0xE9);
    } else if (leaves && x86copy_p_tells_exits(s)) {
        uint32_t over;
        op[1] ^= 1;
        x86copy_p_out(s, op, 2);
        over = s->out_size;
        x86copy_p_out4(s, 0);
        x86copy_p_exit_event(s, k);
        x86copy_p_link_to(s, address, 1, "\xE9");
        x86copy_p_resolve(s, over, s->out_size);
        return;
    } else if (leaves) {
        x86copy_p_link_to(s, address, 2, (const char *)op);
        return;
    } else if (checked && !s->instrumented
               && !(s->b->insn[to].target & X86FLOW_TARGET_FLAGS)) {
        x86copy_p_out1(s, 0x70 | ((k->i.opcode & 15u) ^ 1)); /* over what follows */
        x86copy_p_out1(s, 8 + 6 + 5);
        x86copy_p_decrement(s);
        X86COPY_P_CODE(s, "\x0F\x89");
        x86copy_p_later(s, to, X86COPY_P_TO_BODY);
        x86copy_p_out1(s, 0xE9);
        x86copy_p_later(s, to, X86COPY_P_TO_SLOW);
        return;
    } else
        x86copy_p_out(s, op, 2);
    if (to == ~0u)
        x86copy_p_distance(s, address, 0);
    else
        x86copy_p_later(s, to, checked ? X86COPY_P_TO_THUNK : X86COPY_P_TO_BODY);
}

static void x86copy_p_emit_instruction(x86copy *s, uint32_t n) {
    x86flow_insn *k = &s->b->insn[n];
    uint64_t address = x86copy_p_address_of(s, k);
    uint32_t events = s->instrumented ? s->m->events : 0;
    uint64_t to;
    if (n == 0 && k->i.map == 1 && k->i.opcode == 0x1E && k->i.modrm == 0xFA) return; /* endbr64 */
    if (events & X86COPY_BLOCK && !k->boring
        && (n == 0 || n == s->b->part_first || k->target
            || (k[-1].i.kind != X86DECODE_PLAIN && k[-1].i.kind != X86DECODE_SYSCALL))) {
        x86copy_p_event e = x86copy_p_event_begin(s, k, 1);
        x86copy_p_lea_rip(s, e.value, address);
        x86copy_p_event_end(s, &e, x86copy_p_what(s, X86COPY_BLOCK, 0),
                            (uint32_t)(address - s->m->flow->bias));
    }
    /* A landing pad may not stand at the start of a part: a nop keeps it away
       from there. */
    if (x86flow_is_nop(&k->i) && n != s->b->part_first) return;
    if ((k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT)
        && x86copy_p_sensitive(s, x86flow_call_slot(s->m->flow, &k->i, address))) {
        x86copy_p_jump(s, address);
        return;
    }
    if (events) x86copy_p_events_of(s, k);
    switch (k->i.kind) {
    case X86DECODE_JUMP:
    case X86DECODE_BRANCH:
    case X86DECODE_LOOP: x86copy_p_emit_branch(s, n); break;
    case X86DECODE_CALL:
    case X86DECODE_CALL_INDIRECT:
        if (events & X86COPY_CALL)
            x86copy_p_event_stack(s, k, x86copy_p_what(s, X86COPY_CALL, 0),
                                  (uint32_t)(address - s->m->flow->bias), 0);
        to = k->i.kind == X86DECODE_CALL ? x86decode_target(&k->i, address) : 0;
        to = x86flow_bound_to(s->m->flow, x86flow_call_slot(s->m->flow, &k->i, address), to);
        if (to) x86copy_p_link_to(s, to, 1, "\xE8");
        else x86copy_p_copied(s, k);
        x86copy_p_after_call(s, n);
        break;
    case X86DECODE_RETURN:
        x86copy_p_exit_event(s, k);
        x86copy_p_copied(s, k);
        break;
    case X86DECODE_JUMP_INDIRECT:
        if (k->dispatch == X86FLOW_REWRITE) {
            const x86flow_table *t = &s->b->tables[k->table];
            uint64_t copy = s->base + s->table_at[k->table];
            x86copy_p_redisplaced(s, k, k->i.base == X86DECODE_NONE ? copy : copy - t->address, 0);
        } else if (k->dispatch == X86FLOW_TRANSLATE && (s->instrumented || !s->own->threaded))
            x86copy_p_translate(s, k);
        else if (k->dispatch == X86FLOW_TRANSLATE)
            x86copy_p_copied(s, k);     /* the original label jumps to its copy */
        else {
            if (!s->b->table_count) x86copy_p_exit_event(s, k);
            x86copy_p_copied(s, k);
        }
        break;
    default:
        if (k->dispatch == X86FLOW_REWRITE) {
            const x86flow_table *t = &s->b->tables[k->table];
            uint64_t copy = s->base + s->table_at[k->table];
            x86copy_p_redisplaced(s, k, k->i.base == X86DECODE_NONE ? copy : copy - t->address, 0);
        } else
            x86copy_p_copied(s, k);
        break;
    }
}

/* In C: the check of a label in line, which one jump less leads to, where nothing
   falls into it. Returns whether it stands there; its
   slow end is to come. */
static int x86copy_p_inline_check(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    uint32_t before = n;
    if (s->instrumented || n == 0 || n >= s->b->part_first) return 0;
    if (k->target & X86FLOW_TARGET_FLAGS || !(k->target & X86FLOW_TARGET_TABLE)) return 0;
    do before--;
    while (before && x86flow_is_nop(&s->b->insn[before].i) && !s->b->insn[before].target);
    if (x86flow_falls_through(&s->b->insn[before])) return 0;
    s->spot[n].thunk = x86copy_p_position(s);
    x86copy_p_decrement(s);
    X86COPY_P_CODE(s, "\x0F\x88"); /* js slow */
    x86copy_p_later(s, n, X86COPY_P_TO_SLOW);
    return 1;
}

/* The check of a back-edge's target, out of line; all back-edges to it come
   here. */
static void x86copy_p_emit_thunk(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    x86copy_spot *spot = &s->spot[n];
    int flags = (k->target & X86FLOW_TARGET_FLAGS) != 0;
    if (spot->thunk) {                  /* x86copy_p_inline_check */
        spot->slow = x86copy_p_position(s);
        x86copy_p_slow_end(s, spot->site, 0, n);
        return;
    }
    spot->thunk = x86copy_p_position(s);
    if (flags) X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x80\x9C"); /* lea -128(%rsp),%rsp; pushfq */
    x86copy_p_decrement(s);
    X86COPY_P_CODE(s, "\x0F\x88"); /* js slow */
    {
        uint32_t at = s->out_size;
        x86copy_p_out4(s, 0);
        if (flags) X86COPY_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00");
        if (s->instrumented)
            x86copy_p_jump(s, s->m->rx + s->own->c_at + spot->c_at);
        else {
            x86copy_p_out1(s, 0xE9);
            x86copy_p_later(s, n, X86COPY_P_TO_BODY);
        }
        spot->slow = x86copy_p_position(s);
        x86copy_p_resolve(s, at, s->out_size);
    }
    x86copy_p_slow_end(s, spot->site, flags, n);
}

static void x86copy_p_fill_tables(x86copy *s) {
    uint32_t n, e;
    for (n = 0; n < s->b->table_count; n++) {
        const x86flow_table *t = &s->b->tables[n];
        if (!s->table_at[n]) continue;
        for (e = 0; e < t->entries; e++) {
            uint64_t to = x86flow_table_target(t, e), copy = to;
            uint32_t k = x86flow_insn_at(s->b, to);
            if (k != ~0u) {
                const x86copy_spot *spot = &s->spot[k];
                int checked = s->b->insn[k].target & X86FLOW_TARGET_CHECKED && spot->thunk;
                copy = s->base + s->code_start + (checked ? spot->thunk : spot->at);
            }
            if (t->width == 4) copy -= t->address;
            memcpy(s->out + s->table_at[n] + e * t->width, &copy, t->width);
        }
    }
}

/* The landings of translated jumps, and the map from offsets of the function to
   them. A jump to its part goes to the original. */
static void x86copy_p_emit_map(x86copy *s) {
    uint32_t n, map, landing;
    if (!s->translated || s->failed) return;
    while (!s->failed && s->out_size & 3) x86copy_p_out1(s, 0xCC);
    map = s->out_size;
    if (s->out_max - s->out_size < s->b->f->size * 4 + 64) {
        s->failed = 1;
        return;
    }
    memset(s->out + map, 0, (size_t)s->b->f->size * 4);
    s->out_size += s->b->f->size * 4;
    for (n = 0; n < s->b->part_first; n++) {
        if (!(s->b->insn[n].target & X86FLOW_TARGET_TABLE)) continue;
        landing = s->out_size - map;
        memcpy(s->out + map + s->b->insn[n].offset * 4, &landing, 4);
        X86COPY_P_CODE(s, "\x59\x9D\x58\x48\x8D\xA4\x24\x80\x00\x00\x00\xE9");
        x86copy_p_later(s, n,
                        s->b->insn[n].target & X86FLOW_TARGET_CHECKED ? X86COPY_P_TO_THUNK
                                                                      : X86COPY_P_TO_BODY);
    }
    for (n = 0; n < s->fixup_count; n++) {
        if (s->fixups[n].kind == X86COPY_P_TO_MAP) x86copy_p_resolve(s, s->fixups[n].at, map);
    }
}
