/* ---- functions: jump tables ---- */
/* A table of w = 4 holds distances from its own start, one of w = 8 addresses.
   Candidates are all tables that a lea of the function names and all absolute
   ones beside a jump. A candidate that is none does no harm: it only adds
   places that a translated jump knows. */

X86_API uint64_t x86flow_table_target(const x86flow_table *t, uint32_t n) {
    const uint8_t *p = x86_p_at(t->address + (uint64_t)n * t->width);
    return t->width == 8 ? x86_p_u64(p) : t->address + (uint64_t)(int64_t)x86_p_s32(p);
}

static uint64_t x86flow_p_next_named(const x86flow_module *m, uint64_t address) {
    uint32_t lo = 0, hi = m->named_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->named[mid] <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->named_count ? m->named[lo] : m->hi;
}

static uint32_t x86flow_p_add_table(x86flow_body *s, uint64_t address, uint32_t width, int mark) {
    const x86flow_module *m = s->m;
    x86flow_table *t;
    uint32_t n, inside = 0;
    uint64_t end, last;
    for (n = 0; n < s->table_count; n++) {
        if (s->tables[n].address == address && s->tables[n].width == width) return n;
    }
    if (s->table_count == X86FLOW_TABLES || address & 3) return ~0u;
    if (x86flow_p_in_text(m, address)) return ~0u;
    last = x86flow_p_readable(m, address);
    if (!last) return ~0u;
    t = &s->tables[s->table_count];
    t->address = address;
    t->width = width;
    t->entries = t->last_jump = 0;
    end = x86flow_p_next_named(m, address);
    if (end > last) end = last;
    while (address + (uint64_t)(t->entries + 1) * width <= end && t->entries < 65536) {
        uint64_t to = x86flow_table_target(t, t->entries);
        if (!x86flow_p_in_text(m, to)) break;
        if (x86flow_offset(s, to) != ~0u) {
            uint32_t k = x86flow_insn_at(s, to);
            if (k != ~0u) {
                inside++;
                if (mark) s->insn[k].target |= X86FLOW_TARGET_TABLE;
            } else if (t->entries < 2)
                return ~0u; /* the first entries decide whether it is one */
        }
        t->entries++;
    }
    if (!t->entries || !inside) return ~0u;
    return s->table_count++;
}

/* Which address does the last lea or mov before `at` put into the register? A
   guess, to be proved. */
static uint64_t x86flow_p_guess(const x86flow_body *s, uint32_t at, int reg) {
    while (at--) {
        const x86flow_insn *k = &s->insn[at];
        if (k->i.map == 0 && k->i.opcode == 0x8D && k->i.base == X86DECODE_RIP
            && x86flow_reg_register(&k->i) == reg)
            return x86flow_p_relative(s, k);
        if (k->i.map == 0 && (k->i.opcode & 0xF8) == 0xB8
            && ((k->i.opcode & 7) | (k->i.rex & X86DECODE_REX_B ? 8 : 0)) == reg)
            return (uint64_t)k->i.immediate;
    }
    return 0;
}

/* What looks like the load of a dispatch: *(base + index * width), with a table
   in the base or in the displacement. Returns the width, or 0. */
static uint32_t x86flow_p_reads_table(const x86decode_insn *i) {
    if (!i->memory || i->map != 0 || i->coding != X86DECODE_LEGACY || i->index < 0
        || i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS))
        return 0;
    if (i->base == X86DECODE_NONE ? i->scale != 8 : i->base < 0 || i->displacement != 0) return 0;
    if (i->opcode == 0x63 && i->rex & X86DECODE_REX_W && i->scale == 4) return 4;
    if (i->opcode == 0x8B && i->rex & X86DECODE_REX_W && i->scale == 8) return 8;
    return i->kind == X86DECODE_JUMP_INDIRECT && i->scale == 8 ? 8 : 0;
}

static uint64_t x86flow_p_table_of(const x86flow_body *s, uint32_t at) {
    const x86decode_insn *i = &s->insn[at].i;
    return i->base == X86DECODE_NONE ? (uint64_t)i->displacement
                                     : x86flow_p_guess(s, at, i->base);
}

/* A table is as long as the bound of its index says. What is named behind its
   start may be no more than a number in the code. */
static void x86flow_p_bound_tables(x86flow_body *s) {
    uint32_t n, e, k, width, entries, number;
    for (n = 0; n < s->count; n++) {
        x86flow_table *t;
        uint64_t table;
        width = x86flow_p_reads_table(&s->insn[n].i);
        table = width ? x86flow_p_table_of(s, n) : 0;
        number = table ? x86flow_p_add_table(s, table, width, 1) : ~0u;
        if (number == ~0u) continue;
        entries = x86flow_p_bound(s, n);
        t = &s->tables[number];
        if (!entries || table + (uint64_t)entries * width > x86flow_p_readable(s->m, table))
            continue;
        s->insn[n].entries = entries;
        for (e = t->entries; e < entries; e++) {
            k = x86flow_insn_at(s, x86flow_table_target(t, e));
            if (k != ~0u) s->insn[k].target |= X86FLOW_TARGET_TABLE;
        }
        if (t->entries < entries) t->entries = entries;
    }
}

static void x86flow_p_find_tables(x86flow_body *s) {
    uint32_t n;
    if (!s->indirect_jumps) return;
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        const x86decode_insn *i = &k->i;
        if (i->map == 0 && i->opcode == 0x8D && i->base == X86DECODE_RIP) {
            uint64_t to = x86flow_p_relative(s, k);
            uint32_t label = x86flow_insn_at(s, to);
            (void)x86flow_p_add_table(s, to, 4, 1);
            (void)x86flow_p_add_table(s, to, 8, 1);
            if (label != ~0u) s->insn[label].target |= X86FLOW_TARGET_TABLE;
        }
        if (i->memory && i->base == X86DECODE_NONE && i->index >= 0 && i->scale == 8)
            (void)x86flow_p_add_table(s, (uint64_t)i->displacement, 8, 1);
        if (i->map == 0 && (i->opcode & 0xF8) == 0xB8) {
            (void)x86flow_p_add_table(s, (uint64_t)i->immediate, 4, 1);
            (void)x86flow_p_add_table(s, (uint64_t)i->immediate, 8, 1);
        }
    }
    x86flow_p_bound_tables(s);
}

/* What one instruction means for "the register holds the table": 1 it writes
   just that, 0 it does not touch the register, -1 it writes something else. */
static int x86flow_p_writes_table(const x86flow_body *s, const x86flow_insn *k, int reg,
                                  uint64_t table) {
    uint64_t value;
    x86decode_effect e;
    x86decode_effects(&k->i, &e);
    if (!(e.writes >> reg & 1)) return 0;
    if (!(e.sets >> reg & 1) || k->i.map != 0) return -1;
    if (k->i.opcode == 0x8D && k->i.base == X86DECODE_RIP)
        value = x86flow_p_relative(s, k);
    else if ((k->i.opcode & 0xF8) == 0xB8)
        value =
            (uint64_t)k->i.immediate & (k->i.rex & X86DECODE_REX_W ? ~UINT64_C(0) : 0xFFFFFFFFu);
    else if (k->i.opcode == 0xC7 && !k->i.memory)
        value = (uint64_t)k->i.immediate;
    else
        return -1;
    return value == table ? 1 : -1;
}

/* May an exception land somewhere in the function? */
static int x86flow_p_has_lsda(const x86flow_function *f) {
    x86flow_unwind u;
    return f && f->fde && (x86flow_read_fde(f->fde, &u) != 0 || u.has_lsda);
}
static int x86flow_p_may_have_pads(const x86flow_body *s) {
    return x86flow_p_has_lsda(s->f) || x86flow_p_has_lsda(s->part);
}

/* How an indirect jump counts as a predecessor of the targets of tables. At
   first no table is proved, so that each may lead to each target (DOUBT). If
   all jumps of a function look as if they read one table each (GUESS), they are
   proved together: each counts only for the targets of its own table
   (TOGETHER). That is sound if it succeeds for all of them: the first jump that
   runs has no other before it, and reads its table; the next one has only such
   before it; and so on. */
enum { X86FLOW_P_DOUBT = 0, X86FLOW_P_GUESS = 1, X86FLOW_P_TOGETHER = 2, X86FLOW_P_JOINT = 32 };

/* A word for each instruction with a bit for each table that leads there, in TOGETHER. */
static uint32_t *x86flow_p_leads(const x86flow_body *s) {
    return s->pending + 3 * ((size_t)s->text_max + 64);
}

/* Which tables have led to an instruction: the bits that are new in *seen. */
static uint32_t x86flow_p_new_tables(const x86flow_body *s, uint32_t here, uint32_t *seen) {
    uint32_t bits = s->proof == X86FLOW_P_TOGETHER ? x86flow_p_leads(s)[here] : 0, fresh;
    if (!bits) bits = ~0u; /* the address of a label, or doubt: every jump */
    fresh = bits & ~*seen;
    *seen |= bits;
    return fresh;
}

/* Is `table` what the register holds before instruction `at`, on every path?
   Walks back over all predecessors to the last writes, which must all be a lea
   or mov of that address. */
static int x86flow_p_holds(x86flow_body *s, uint32_t at, int reg, uint64_t table) {
    uint32_t top = 0, n, tables_seen = 0;
    int pads = x86flow_p_may_have_pads(s);
    if (s->proof == X86FLOW_P_GUESS) return 1;
    s->epoch++;
    s->pending[top++] = at;
    while (top) {
        uint32_t here = s->pending[--top], from = here, jump = s->insn[here].first_jump, all = 0;
        int any = 0, what;
        if (here == 0) return 0; /* the function's start */
        if (s->insn[here].target & X86FLOW_TARGET_TABLE)
            all = x86flow_p_new_tables(s, here, &tables_seen);
        if (s->insn[here].target & X86FLOW_TARGET_TABLE) any = 1;
        for (n = here;;) { /* first what stands before it */
            if (n == here) {
                from = here - 1;
                n = ~0u;
                if (!x86flow_runs_on(s, from)) continue;
            } else if (jump) {
                from = jump - 1;
                jump = s->insn[from].next_jump;
            } else
                break;
            any = 1;
            what = x86flow_p_writes_table(s, &s->insn[from], reg, table);
            if (what < 0) return 0;
            if (what || s->mark[from] == s->epoch) continue;
            s->mark[from] = s->epoch;
            s->pending[top++] = from;
        }
        for (n = 0; all && n < s->count; n++) {
            if (s->insn[n].i.kind != X86DECODE_JUMP_INDIRECT || s->mark[n] == s->epoch) continue;
            if (s->proof == X86FLOW_P_TOGETHER && !(all >> s->insn[n].table & 1)) continue;
            s->mark[n] = s->epoch;
            s->pending[top++] = n;
        }
        if (any || (!pads && x86flow_is_nop(&s->insn[here].i))) continue;
        return 0; /* a pad, or never reached, as nops between two parts of the code are */
    }
    return 1;
}

/* The memory operand that reads a table: *(base + index * width) or *(T + index
   * width), with an index that is bound. Returns the number of the proved
   table, or ~0. */
static uint32_t x86flow_p_proved(x86flow_body *s, uint32_t at, uint32_t width) {
    const x86decode_insn *i = &s->insn[at].i;
    uint64_t table;
    uint32_t number;
    if (x86flow_p_reads_table(i) != width || !s->insn[at].entries) return ~0u;
    table = x86flow_p_table_of(s, at);
    number = table ? x86flow_p_add_table(s, table, width, 0) : ~0u;
    if (number == ~0u) return ~0u;
    if (i->base >= 0 && !x86flow_p_holds(s, at, i->base, table)) return ~0u;
    return number;
}

static void x86flow_p_uses(x86flow_body *s, uint32_t jump, uint32_t table) {
    s->insn[jump].table = table;
    if (jump > s->tables[table].last_jump) s->tables[table].last_jump = jump;
}

/* Finds how an indirect jump at `at` gets its target, proves it and marks the
   load for rewriting. Otherwise the jump is translated when it runs: slower,
   never wrong. */
static void x86flow_p_dispatch(x86flow_body *s, uint32_t at) {
    x86flow_insn *jump = &s->insn[at];
    uint32_t n, number, add = ~0u;
    int reg = x86flow_rm_register(&jump->i), base = -1;
    jump->dispatch = X86FLOW_TRANSLATE;
    if (jump->i.memory) {
        number = x86flow_p_proved(s, at, 8);
        if (number != ~0u) {
            jump->dispatch = X86FLOW_REWRITE;
            x86flow_p_uses(s, at, number);
        }
        return;
    }
    for (n = at; n > 0 && at - n < 24; n--) {
        x86flow_insn *k = &s->insn[n - 1];
        const x86decode_insn *i = &k->i;
        x86decode_effect e;
        if (s->insn[n].target || !x86flow_runs_on(s, n - 1) || i->kind != X86DECODE_PLAIN) return;
        x86decode_effects(i, &e);
        if (add == ~0u && i->map == 0 && (i->opcode == 0x01 || i->opcode == 0x03)
            && i->rex & X86DECODE_REX_W && !i->memory && e.writes == 1u << reg) {
            base = i->opcode == 0x01 ? x86flow_reg_register(i) : x86flow_rm_register(i);
            if (base == reg) return;
            add = n - 1;
            continue;
        }
        if (i->memory && i->map == 0 && i->rex & X86DECODE_REX_W && e.writes >> reg & 1
            && x86flow_reg_register(i) == reg
            && ((add != ~0u && i->opcode == 0x63) || (add == ~0u && i->opcode == 0x8B))) {
            number = x86flow_p_proved(s, n - 1, add == ~0u ? 8 : 4);
            if (number == ~0u) return;
            if (add != ~0u && !x86flow_p_holds(s, add, base, s->tables[number].address)) return;
            k->dispatch = X86FLOW_REWRITE;
            k->table = number;
            jump->dispatch = X86FLOW_PROVED;
            x86flow_p_uses(s, at, number);
            return;
        }
        if (add != ~0u && i->map == 0 && i->opcode == 0x63 && i->memory && i->rex & X86DECODE_REX_W
            && x86flow_reg_register(i) == base
            && e.writes == 1u << base) { /* movslq (R,i,4),B; add B,R: the sum is in R */
            number = x86flow_p_proved(s, n - 1, 4);
            if (number == ~0u || !x86flow_p_holds(s, add, reg, s->tables[number].address)) return;
            k->dispatch = X86FLOW_REWRITE;
            k->table = number;
            jump->dispatch = X86FLOW_PROVED;
            x86flow_p_uses(s, at, number);
            return;
        }
        if ((e.writes | e.reads) >> reg & 1 || (base >= 0 && e.writes >> base & 1)) {
            if (base >= 0 && e.writes >> base & 1 && i->opcode == 0x8D) continue;
            return;
        }
    }
}

/* Looks at all indirect jumps in one way of proving. Returns whether each has a
   table. */
static int x86flow_p_prove_by(x86flow_body *s, int proof) {
    uint32_t n;
    int all = 1;
    s->proof = proof;
    for (n = 0; n < s->table_count; n++) s->tables[n].last_jump = 0;
    for (n = 0; n < s->count; n++) s->insn[n].dispatch = X86FLOW_PROVED;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].i.kind != X86DECODE_JUMP_INDIRECT) continue;
        x86flow_p_dispatch(s, n);
        if (s->insn[n].dispatch == X86FLOW_TRANSLATE) all = 0;
    }
    return all;
}

static void x86flow_p_prove(x86flow_body *s) {
    uint32_t *leads = x86flow_p_leads(s), n, e;
    if (x86flow_p_prove_by(s, X86FLOW_P_DOUBT)) return;
    if (x86flow_p_prove_by(s, X86FLOW_P_GUESS) && s->table_count <= X86FLOW_P_JOINT) {
        memset(leads, 0, s->count * sizeof *leads);
        for (n = 0; n < s->table_count; n++) {
            for (e = 0; e < s->tables[n].entries; e++) {
                uint32_t to = x86flow_insn_at(s, x86flow_table_target(&s->tables[n], e));
                if (to != ~0u) leads[to] |= 1u << n;
            }
        }
        if (x86flow_p_prove_by(s, X86FLOW_P_TOGETHER)) return;
    }
    (void)x86flow_p_prove_by(s, X86FLOW_P_DOUBT);
}
