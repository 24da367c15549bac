/* ---- functions: how far a jump table is read ---- */

/* No word of a program says where a jump table ends. But code that reads one
   bounds its index first:

       cmp $5,%edi; ja default; mov %edi,%edi; jmp *table(,%rdi,8)        6 entries
       movzbl (%rsi),%eax; jmp *table(,%rax,8)                            256 entries
       and $7,%eax; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax   8 entries

   The walk goes back from the load over all paths, and follows the value
   through moves. A word of memory is the same word if what names it is the
   same, also by another register (x86flow_p_through_lea). Each path has to end
   at a bound. The largest one holds. The walk gives up at anything else: at a
   call that may overwrite the value, at the start of the function, at a label
   that a table leads to.

   A comparison of the low byte, word or 32 bits says nothing of the rest. It is
   remembered, and counts when the walk comes to an instruction that cleared the rest:
   a movzx or, for 32 bits, any that writes a register as 32 bits, since the processor
   then clears the upper half. A value that was read or handed
   over as 64 bits is not bounded by a comparison of its lower half.

   cost: a few instructions for each load, for the comparison stands close to
   it; at most STEPS. */

enum { X86FLOW_P_STEPS = 256, X86FLOW_P_STATES = 64, X86FLOW_P_WIDEST = 4096 };

/* Before instruction `at` a value stands in a register, or in memory at base +
   index * scale + disp (reg -1; index -1: none). Only its low bytes count. low:
   the low low_bytes of it are at most this. */
typedef struct x86flow_p_value {
    uint32_t at;
    int reg, base, index;
    int64_t disp;
    unsigned scale, bytes, low_bytes;
    uint32_t low;
    uint32_t most;              /* 0, or a bound that holds whatever is found */
} x86flow_p_value;

typedef struct x86flow_p_bounds {
    x86flow_p_value *state;     /* in the body's memory: stacks may be small */
    uint32_t count, max, done;  /* [0, done) were followed */
    uint32_t entries;           /* so many at least, by the paths that have ended */
    int failed;
} x86flow_p_bounds;

static unsigned x86flow_p_operand_bytes(const x86decode_insn *i, unsigned narrow) {
    if (narrow) return 1;
    return i->rex & X86DECODE_REX_W ? 8 : i->prefixes & X86DECODE_66 ? 2 : 4;
}

/* The path ends: the value is at most `most`. */
static void x86flow_p_ends(x86flow_p_bounds *w, uint64_t most) {
    if (most >= X86FLOW_P_WIDEST) w->failed = 1;
    else if (most >= w->entries) w->entries = (uint32_t)most + 1;
}

/* The path ends without a bound. */
static void x86flow_p_lost(x86flow_p_bounds *w, const x86flow_p_value *v) {
    if (v->most) x86flow_p_ends(w, v->most);
    else w->failed = 1;
}

static void x86flow_p_follow(x86flow_p_bounds *w, const x86flow_p_value *v) {
    uint32_t n;
    for (n = 0; n < w->count; n++) {
        const x86flow_p_value *o = &w->state[n];
        if (o->at == v->at && o->reg == v->reg && o->bytes == v->bytes && o->most == v->most
            && o->low_bytes == v->low_bytes && o->low == v->low
            && (v->reg >= 0
                || (o->base == v->base && o->index == v->index && o->scale == v->scale
                    && o->disp == v->disp)))
            return;
    }
    if (w->count == w->max) w->failed = 1;
    else w->state[w->count++] = *v;
}

/* Is the operand that modrm names the value? Bytes 4 to 7 without REX are ah to
   bh. */
static int x86flow_p_is_value(const x86decode_insn *i, const x86flow_p_value *v, unsigned bytes) {
    if (v->reg >= 0) {
        if (i->memory || x86flow_rm_register(i) != v->reg) return 0;
        return bytes > 1 || i->rex || (i->modrm & 7) < 4;
    }
    return i->memory && i->base == v->base && i->displacement == v->disp
           && (v->index < 0 ? i->index < 0 : i->index == v->index && i->scale == v->scale)
           && !(i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS));
}

/* cmp $immediate with the value. Returns how many bytes it compares, or 0. */
static unsigned x86flow_p_compares(const x86decode_insn *i, const x86flow_p_value *v) {
    unsigned bytes = x86flow_p_operand_bytes(i, !(i->opcode & 1));
    if (i->map != 0 || i->coding != X86DECODE_LEGACY) return 0;
    if (i->immediate < 0 && bytes != 1) return 0;
    if ((i->opcode == 0x3C || i->opcode == 0x3D) && v->reg == 0) return bytes;
    if ((i->opcode == 0x80 || i->opcode == 0x81 || i->opcode == 0x83) && (i->modrm >> 3 & 7) == 7
        && x86flow_p_is_value(i, v, bytes))
        return bytes;
    return 0;
}

/* Does the instruction change the value? */
static int x86flow_p_changes(const x86flow_insn *k, const x86flow_p_value *v) {
    x86decode_effect e;
    x86decode_effects(&k->i, &e);
    if (v->reg >= 0) return e.writes >> v->reg & 1;
    return (v->base >= 0 && e.writes >> v->base & 1) || (v->index >= 0 && e.writes >> v->index & 1)
           || k->i.access & X86DECODE_WRITE
           || k->i.implicit & (X86DECODE_STORE_RDI | X86DECODE_PUSH)
           || k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT
           || k->i.kind == X86DECODE_SYSCALL;
}

/* lea 12(%rdx),%rcx: what stands at (%rax,%rcx,4) behind it is what stands at
   48(%rax,%rdx,4) before it. Returns whether that was such a lea. */
static int x86flow_p_through_lea(const x86decode_insn *i, x86flow_p_value *v) {
    int64_t disp = v->disp + i->displacement * (int64_t)v->scale;
    if (v->reg >= 0 || v->index < 0 || v->index == v->base) return 0;
    if (i->map != 0 || i->coding != X86DECODE_LEGACY || i->opcode != 0x8D) return 0;
    if (!(i->rex & X86DECODE_REX_W) || i->prefixes & (X86DECODE_66 | X86DECODE_67)) return 0;
    if (x86flow_reg_register(i) != v->index || i->base < 0 || i->base == 4 || i->index >= 0)
        return 0;
    if (disp != (int32_t)disp) return 0;
    v->index = i->base;
    v->disp = disp;
    return 1;
}

/* Before instruction `at`, in a straight line: are two registers the two sides
   of one mov? */
static int x86flow_p_are_copies(const x86flow_body *s, uint32_t at, int a, int b) {
    uint32_t n;
    for (n = 0; n < 8 && at > 0; n++) {
        const x86decode_insn *i;
        x86decode_effect e;
        int reg, rm;
        if (s->insn[at].target || !x86flow_runs_on(s, at - 1)) return 0;
        i = &s->insn[--at].i;
        reg = x86flow_reg_register(i);
        rm = x86flow_rm_register(i);
        if (i->map == 0 && i->coding == X86DECODE_LEGACY && (i->opcode == 0x89 || i->opcode == 0x8B)
            && x86flow_p_operand_bytes(i, 0) >= 4
            && ((reg == a && rm == b) || (reg == b && rm == a)))
            return 1;
        x86decode_effects(i, &e);
        if (e.writes >> a & 1 || e.writes >> b & 1) return 0;
    }
    return 0;
}

/* cmp $immediate with the value, or with a register that holds the same. */
static unsigned x86flow_p_compares_it(const x86flow_body *s, uint32_t at,
                                      const x86flow_p_value *v) {
    const x86decode_insn *i = &s->insn[at].i;
    unsigned bytes = x86flow_p_compares(i, v);
    x86flow_p_value other = *v;
    if (bytes || v->reg < 0 || i->map != 0) return bytes;
    other.reg = i->opcode == 0x3D ? 0 : x86flow_rm_register(i);
    if (other.reg < 0 || !(i->opcode & 1)) return 0;
    bytes = x86flow_p_compares(i, &other);
    return bytes >= 4 && x86flow_p_are_copies(s, at, v->reg, other.reg) ? bytes : 0;
}

/* A conditional branch was taken, or not, with the value in its place: what
   does that say? *bytes: of so many low bytes; 0: nothing. */
static uint64_t x86flow_p_condition(const x86flow_body *s, uint32_t branch, int taken,
                                    const x86flow_p_value *v, unsigned *bytes) {
    unsigned condition = s->insn[branch].i.opcode & 15;
    x86flow_p_value before = *v;
    uint32_t n, at = branch;
    uint64_t number;
    *bytes = 0;
    if (!taken) condition ^= 1;
    /* below, equal, not above */
    if (condition != 2 && condition != 4 && condition != 6) return 0;
    for (n = 0; n < 8 && at > 0; n++) {
        const x86flow_insn *k = &s->insn[--at];
        x86decode_effect e;
        if (s->insn[at + 1].target || !x86flow_runs_on(s, at)) return 0;
        x86decode_effects(&k->i, &e);
        if (e.flags & (X86DECODE_FLAGS_WRITE | X86DECODE_FLAGS_KILL)) {
            *bytes = x86flow_p_compares_it(s, at, &before);
            if (condition == 2 && k->i.immediate == 0) *bytes = 0;      /* never taken */
            number = (uint64_t)k->i.immediate;
            if (*bytes == 1) number &= 0xFF; /* it is sign-extended */
            return number - (condition == 2);
        }
        if (!x86flow_p_through_lea(&k->i, &before) && x86flow_p_changes(k, &before)) return 0;
    }
    return 0;
}

/* Does the instruction write all of the register `reg`, as 32 bits? Then the
   upper half is zero behind it. Only what surely does is listed. */
static int x86flow_p_clears_above(const x86decode_insn *i, int reg) {
    unsigned op = i->opcode, digit = i->modrm >> 3 & 7;
    int to_rm, to_reg;
    if (i->coding != X86DECODE_LEGACY || i->rex & X86DECODE_REX_W) return 0;
    if (i->prefixes & X86DECODE_66) return 0;
    if (i->map == 1) {                          /* cmov, imul, movzx, movsx */
        if ((op & 0xF0) != 0x40 && op != 0xAF && (op & 0xF6) != 0xB6) return 0;
        return !(i->prefixes & (X86DECODE_F2 | X86DECODE_F3)) && x86flow_reg_register(i) == reg;
    }
    if (i->map != 0) return 0;
    if ((op & 0xF8) == 0xB8) return (int)((op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0u)) == reg;
    if (op < 0x40 && (op & 7) == 5 && op != 0x3D) return reg == 0;      /* op $imm,%eax */
    to_rm = (op < 0x40 && (op & 7) == 1 && op != 0x39) || op == 0x89 || (op == 0xC7 && digit == 0)
            || ((op == 0x81 || op == 0x83) && digit != 7)
            || (op == 0xC1 && digit != 6 && i->immediate & 31)
            || (op == 0xF7 && (digit == 2 || digit == 3)) || (op == 0xFF && digit < 2);
    to_reg = (op < 0x40 && (op & 7) == 3 && op != 0x3B) || op == 0x8B || op == 0x8D || op == 0x63
             || op == 0x69 || op == 0x6B;
    if (to_rm) return !i->memory && x86flow_rm_register(i) == reg;
    return to_reg && x86flow_reg_register(i) == reg;
}

/* The value is what the instruction writes. Follows where it comes from, or
   ends the path. */
static void x86flow_p_origin(x86flow_p_bounds *w, const x86flow_insn *k, x86flow_p_value v) {
    const x86decode_insn *i = &k->i;
    unsigned op = i->opcode, digit = i->modrm >> 3 & 7;
    unsigned bytes = x86flow_p_operand_bytes(i, 0), from = bytes;
    int reg = x86flow_reg_register(i), rm = x86flow_rm_register(i);
    int plain = i->coding == X86DECODE_LEGACY && v.reg >= 0, zeroes = 0;
    if (x86flow_p_through_lea(i, &v)) {
        x86flow_p_follow(w, &v);
        return;
    }
    if (v.reg >= 0 && v.low_bytes == 4 && x86flow_p_clears_above(i, v.reg)) {
        x86flow_p_ends(w, v.low);
        return;
    }
    if (!plain || bytes < 4 || i->map > 1) { x86flow_p_lost(w, &v); return; }
    if (i->map == 0 && (op & 0xF8) == 0xB8) {
        if (i->immediate < 0) x86flow_p_lost(w, &v);
        else x86flow_p_ends(w, (uint64_t)i->immediate);
        return;
    }
    if (i->map == 0 && (op == 0x31 || op == 0x33) && rm == reg) { x86flow_p_ends(w, 0); return; }
    if (i->map == 0 && i->immediate >= 0
        && ((op == 0x25 && v.reg == 0)
            || ((op == 0x81 || op == 0x83) && digit == 4 && rm == v.reg))) {
        if (i->immediate < X86FLOW_P_WIDEST) x86flow_p_ends(w, (uint64_t)i->immediate);
        else x86flow_p_lost(w, &v);
        return;
    }
    if (i->map == 0 && op == 0xC1 && digit == 5 && rm == v.reg) {       /* shr */
        uint64_t most = (bytes == 8 ? ~UINT64_C(0) : 0xFFFFFFFFu) >> (i->immediate & 63);
        if (most < X86FLOW_P_WIDEST) x86flow_p_ends(w, most);
        else x86flow_p_lost(w, &v);
        return;
    }
    if (i->map == 0 && op == 0x98 && bytes == 8 && v.reg == 0) {        /* cltq */
        if (v.bytes > 4) v.bytes = 4;
        x86flow_p_follow(w, &v);
        return;
    }
    if (i->map == 0 && op == 0x89 && rm == v.reg) rm = reg;
    else if (reg != v.reg) { x86flow_p_lost(w, &v); return; }
    else if (i->map == 0 && op == 0x8B) from = bytes;
    else if (i->map == 0 && op == 0x63 && bytes == 8) from = 4;
    else if (i->map == 1 && (op == 0xB6 || op == 0xBE)) from = 1;
    else if (i->map == 1 && (op == 0xB7 || op == 0xBF)) from = 2;
    else { x86flow_p_lost(w, &v); return; }
    zeroes = i->map == 1 && op < 0xB8;
    if (zeroes && v.low_bytes >= from) { x86flow_p_ends(w, v.low); return; }
    if (zeroes && from == 1 && !v.most) v.most = 255;
    if (v.bytes > from) v.bytes = from;
    if (v.low_bytes > from) v.low_bytes = 0;
    if (i->memory && !(i->map == 0 && op == 0x89)) {
        if (i->base < 0 || i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS)) {
            x86flow_p_lost(w, &v);
            return;
        }
        v.reg = -1;
        v.base = i->base;
        v.index = i->index;
        v.scale = i->index >= 0 ? i->scale : 0;
        v.disp = i->displacement;
    } else {
        if (from == 1 && !i->rex && (i->modrm & 7) >= 4) { x86flow_p_lost(w, &v); return; }
        v.reg = rm;
    }
    x86flow_p_follow(w, &v);
}

/* One step back from a value, over what stands before it (`taken` 0) or over a
   jump to it. */
static void x86flow_p_step_back(const x86flow_body *s, x86flow_p_bounds *w, x86flow_p_value v,
                                uint32_t from, int taken) {
    const x86flow_insn *k = &s->insn[from];
    v.at = from;
    if (k->i.kind == X86DECODE_BRANCH) {
        unsigned bytes;
        uint64_t most = x86flow_p_condition(s, from, taken, &v, &bytes);
        if (bytes && bytes >= v.bytes) {
            x86flow_p_ends(w, most);
            return;
        }
        if (bytes && most < X86FLOW_P_WIDEST
            && (bytes > v.low_bytes || (bytes == v.low_bytes && most < v.low))) {
            v.low_bytes = bytes;
            v.low = (uint32_t)most;
        }
    }
    if (!x86flow_p_changes(k, &v)) x86flow_p_follow(w, &v);
    else x86flow_p_origin(w, k, v);
}

/* How many entries of a table may the load at `at` read, by the register that
   is its index? Returns 0: that cannot be proved. */
static uint32_t x86flow_p_bound(const x86flow_body *s, uint32_t at) {
    x86flow_p_bounds w;
    x86flow_p_value v;
    uint32_t steps;
    memset(&v, 0, sizeof v);
    v.at = at;
    v.reg = s->insn[at].i.index;
    v.bytes = 8;
    w.state = (x86flow_p_value *)(void *)s->pending;
    w.max = X86FLOW_P_WORK * (s->text_max + 64) * 4 / (uint32_t)sizeof *w.state;
    if (w.max > X86FLOW_P_STATES) w.max = X86FLOW_P_STATES;
    w.count = w.done = w.entries = 0;
    w.failed = 0;
    x86flow_p_follow(&w, &v);
    for (steps = 0; w.done < w.count && !w.failed; steps++) {
        uint32_t jump;
        int any = 0;
        v = w.state[w.done++];
        if (v.at == 0 || s->insn[v.at].target & X86FLOW_TARGET_TABLE || steps == X86FLOW_P_STEPS) {
            x86flow_p_lost(&w, &v);
            continue;
        }
        if (x86flow_runs_on(s, v.at - 1)) {
            any = 1;
            x86flow_p_step_back(s, &w, v, v.at - 1, 0);
        }
        for (jump = s->insn[v.at].first_jump; jump; jump = s->insn[jump - 1].next_jump) {
            any = 1;
            x86flow_p_step_back(s, &w, v, jump - 1, 1);
        }
        if (!any) x86flow_p_lost(&w, &v);
    }
    return w.failed ? 0 : w.entries;
}
