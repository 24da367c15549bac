/* ---- functions: all of a module, and who calls whom ---- */
/* Do nops alone stand at `from`, up to `to`? No landing pad may stand at the
   start of a part, so that compilers put one in front of it. */
static int x86flow_p_are_nops(const x86flow_module *m, uint64_t from, uint64_t to) {
    while (from < to && to <= m->text_hi) {
        x86decode_insn i;
        unsigned length = x86decode(x86_p_at(from), (size_t)(to - from), &i);
        if (!length || !x86flow_is_nop(&i)) return 0;
        from += length;
    }
    return from == to;
}

/* A part (.cold) begins with another frame than a function's: its FDE sets the
   rule before it advances, or advances over nops alone. So does _start, which
   has no caller. */
static int x86flow_p_is_fragment(const x86flow_module *m, const x86flow_unwind *u) {
    const uint8_t *p = u->fde_begin;
    unsigned op = p < u->fde_end ? *p : 0;
    if (op > 0x40 && op <= 0x4F) return x86flow_p_are_nops(m, u->pc, u->pc + (op & 63));
    if (op == 2) return x86flow_p_are_nops(m, u->pc, u->pc + p[1]);
    return op && (op & 0xC0) != 0x40 && (op < 2 || op > 4);
}

static void x86flow_p_find_pads(x86flow_module *m) {
    uint32_t n;
    for (n = 0; n < m->count; n++) {
        x86flow_function *f = &m->functions[n];
        uint64_t end = f->lo + f->size, next = n + 1 < m->count ? f[1].lo : end;
        while (end + f->pad < next && f->pad < 16) {
            x86decode_insn i;
            const uint8_t *code = x86_p_at(end + f->pad);
            unsigned length = x86decode(code, (size_t)(next - end - f->pad), &i);
            if (!length || (!x86flow_is_nop(&i) && i.kind != X86DECODE_TRAP)) break;
            f->pad += length;
        }
    }
}

/* .eh_frame_hdr lists the FDEs in the order of their addresses. */
X86_API uint32_t x86flow_list_functions(x86flow_module *m, x86flow_function *functions,
                                            uint32_t max) {
    const uint8_t *h = m->frame_header;
    uint32_t entries, n;
    m->count = 0;
    if (!h || h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return 0;
    entries = x86_p_u32(h + 8);
    if (entries > 4000000) return 0;
    if (!functions) return entries;
    m->functions = functions;
    for (n = 0; n < entries && m->count < max; n++) {
        x86flow_function *f = &functions[m->count];
        const uint8_t *entry = h + 12 + 8 * (size_t)n;
        x86flow_unwind u;
        memset(f, 0, sizeof *f);
        f->lo = x86_p_address(h) + (uint64_t)(int64_t)x86_p_s32(entry);
        f->fde = h + x86_p_s32(entry + 4);
        if (!x86flow_p_in_text(m, f->lo) || (m->count && f->lo <= f[-1].lo)) continue;
        if (x86flow_read_fde(f->fde, &u) != 0 || u.pc != f->lo || u.size == 0
            || u.size > m->text_hi - f->lo) {
            f->reason = X86FLOW_UNWIND;
            f->size = 1;
        } else {
            f->size = (uint32_t)u.size;
            if (u.signal_frame) f->reason = X86FLOW_UNWIND;
            if (x86flow_p_is_fragment(m, &u)) f->flags |= X86FLOW_FRAGMENT;
        }
        if (m->count && f[-1].lo + f[-1].size > f->lo) f->reason = f[-1].reason = X86FLOW_UNWIND;
        m->count++;
    }
    x86flow_p_find_pads(m);
    return m->count;
}

static void x86flow_p_touch(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    uint64_t bit = address - m->text_lo;
    if (x86flow_p_in_text(m, address)) g->touched[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

X86_API void x86flow_take(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    x86flow_function *f;
    if (!x86flow_p_in_text(m, address)) return;
    x86flow_p_touch(g, m, address);
    f = x86flow_function_at(m, address);
    if (f && f->lo == address) f->flags |= X86FLOW_TAKEN;
}

/* Called from code that has no copies: a leaf without a check would never be
   sampled. */
static void x86flow_p_take_outside(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    x86flow_function *f = x86flow_function_at(m, address);
    x86flow_take(g, m, address);
    if (f && f->lo == address) f->flags |= X86FLOW_CHECK;
}

/* Data that the code names: a table ends before the next one. */
static void x86flow_p_name(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    if (x86flow_p_in_text(m, address) || address < m->lo || address >= m->hi) return;
    if (g->named_count < g->named_max) g->named[g->named_count++] = address;
}

/* An edge that a jump makes is marked until the parts are joined. */
#define X86FLOW_P_JUMP UINT32_C(0x80000000)

static void x86flow_p_edge(x86flow_graph *g, const x86flow_module *m, uint32_t from,
                           x86flow_function *to, uint64_t address, int call) {
    if (to->lo == address) to->flags |= (uint8_t)(call ? X86FLOW_CALLED : 0);
    if (g->count == g->max) return;
    g->from[g->count] = from;
    g->to[g->count++] = (uint32_t)(to - m->functions) | (call ? 0 : X86FLOW_P_JUMP);
}

/* Who jumps to a part is its owner, if nobody else does. A part that exceptions
   or tables lead to tells by its jumps back. */
static void x86flow_p_note_owner(x86flow_function *part, uint32_t owner) {
    part->owner = part->owner == 0 || part->owner == owner + 1 ? owner + 1 : ~0u;
}

static void x86flow_p_sort(uint64_t *a, uint32_t count) { /* heapsort: no recursion, no memory */
    uint32_t start = count / 2, end = count;
    while (end > 1) {
        uint32_t root;
        uint64_t v;
        if (start)
            start--;
        else {
            v = a[--end];
            a[end] = a[0];
            a[0] = v;
        }
        for (root = start;;) {
            uint32_t child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && a[child] < a[child + 1]) child++;
            if (a[root] >= a[child]) break;
            v = a[root];
            a[root] = a[child];
            a[child] = v;
            root = child;
        }
    }
}

/* What one instruction names: data, whose addresses bound the tables, and
   functions. */
static void x86flow_p_names(x86flow_graph *g, const x86flow_module *m, const x86flow_insn *k,
                            uint64_t here) {
    uint64_t to;
    if (k->i.memory && k->i.base == X86DECODE_RIP && k->i.map == 0 && k->i.opcode == 0x8D) {
        to = here + k->i.length + (uint64_t)k->i.displacement;
        x86flow_take(g, m, to);
        x86flow_p_name(g, m, to);
    }
    if (k->i.memory && k->i.base == X86DECODE_NONE && k->i.displacement_size == 4)
        x86flow_p_name(g, m, (uint64_t)k->i.displacement);
    if (k->i.immediate_size >= 4 && k->i.kind == X86DECODE_PLAIN && m->text_hi < 0x80000000u) {
        to = (uint64_t)k->i.immediate;
        x86flow_take(g, m, to);
        x86flow_p_name(g, m, to);
    }
}

X86_API void x86flow_bind(x86flow_module *m, x86flow_bound *bound, uint64_t slot,
                              uint32_t function) {
    uint32_t k = m->bound_count++;
    m->bound = bound;
    for (; k > 0 && bound[k - 1].slot > slot; k--) bound[k] = bound[k - 1];
    bound[k].slot = slot;
    bound[k].function = function;
}

X86_API uint64_t x86flow_stub_slot(const x86flow_module *m, uint64_t to) {
    x86decode_insn stub;
    if (to < m->text_lo || to + 32 > m->text_hi) return 0;
    if (!x86decode(x86_p_at(to), 16, &stub)) return 0;
    if (stub.map == 1 && stub.opcode == 0x1E) { /* endbr64 */
        to += stub.length;
        if (!x86decode(x86_p_at(to), 16, &stub)) return 0;
    }
    if (stub.kind != X86DECODE_JUMP_INDIRECT || stub.base != X86DECODE_RIP) return 0;
    return to + stub.length + (uint64_t)stub.displacement;
}

X86_API uint64_t x86flow_call_slot(const x86flow_module *m, const x86decode_insn *i,
                                       uint64_t here) {
    if (i->kind == X86DECODE_CALL) return x86flow_stub_slot(m, x86decode_target(i, here));
    if (!i->memory || i->base != X86DECODE_RIP) return 0;
    return here + i->length + (uint64_t)i->displacement;
}

X86_API uint64_t x86flow_bound_to(const x86flow_module *m, uint64_t slot,
                                      uint64_t otherwise) {
    uint32_t lo = 0, hi = m->bound_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->bound[mid].slot < slot) lo = mid + 1;
        else hi = mid;
    }
    if (!slot || lo == m->bound_count || m->bound[lo].slot != slot) return otherwise;
    return m->functions[m->bound[lo].function].lo;
}

/* A call or a jump through a GOT slot that leads back into the module: the
   copies go there directly, past the check of an entry that closes no cycle. */
static void x86flow_p_through_slot(x86flow_graph *g, const x86flow_module *m, uint32_t number,
                                   uint64_t slot, int call) {
    uint64_t to = slot ? x86flow_bound_to(m, slot, 0) : 0;
    x86flow_function *other = to ? x86flow_function_at(m, to) : NULL;
    if (other && other->lo == to) x86flow_p_edge(g, m, number, other, to, call);
}

/* A direct jump or call. Returns whether it leaves the function. */
static int x86flow_p_goes(x86flow_graph *g, const x86flow_module *m, uint32_t number,
                          const x86flow_insn *k, uint64_t here) {
    x86flow_function *f = &m->functions[number], *other;
    uint64_t to = x86decode_target(&k->i, here);
    int call = k->i.kind == X86DECODE_CALL, outside = to - f->lo >= f->size;
    x86flow_p_touch(g, m, to);
    if (!call && !outside && to != f->lo) return 0;
    other = outside ? x86flow_function_at(m, to) : f;
    if (outside && m->bound_count && (!other || other->reason == X86FLOW_STARTUP))
        x86flow_p_through_slot(g, m, number, x86flow_stub_slot(m, to), call);
    if (f->reason)
        x86flow_p_take_outside(g, m, to);
    else if (other && (call || outside))
        x86flow_p_edge(g, m, number, other, to, call);
    if (!call && outside && other) {
        if (f->flags & X86FLOW_FRAGMENT && !(other->flags & X86FLOW_FRAGMENT)) {
            if (to != other->lo) x86flow_p_note_owner(f, (uint32_t)(other - m->functions));
        } else x86flow_p_note_owner(other, number);
    }
    if (call || k->i.kind == X86DECODE_JUMP) return call || outside;
    if (outside && other && other->lo == to) other->flags |= X86FLOW_BY_BRANCH;
    return outside;
}

/* Where tables with a bound lead. Of one without a bound that is not known, and
   a few entries too many are taken. */
static void x86flow_p_touch_bounds(x86flow_graph *g, const x86flow_body *s) {
    enum { ENOUGH = 1024 };
    uint32_t n, e;
    for (n = 0; n < s->count && s->indirect_jumps; n++) {
        x86flow_table t;
        uint32_t bound;
        uint64_t last;
        t.width = x86flow_p_reads_table(&s->insn[n].i);
        t.address = t.width ? x86flow_p_table_of(s, n) : 0;
        last = t.address && !(t.address & 3) ? x86flow_p_readable(s->m, t.address) : 0;
        if (!last || x86flow_p_in_text(s->m, t.address)) continue;
        bound = x86flow_p_bound(s, n);
        for (e = 0; e < (bound ? bound : (uint32_t)ENOUGH); e++) {
            uint64_t to;
            if (t.address + (uint64_t)(e + 1) * t.width > last) break;
            to = x86flow_table_target(&t, e);
            if (!bound && !x86flow_p_in_text(s->m, to)) break;
            x86flow_p_touch(g, s->m, to);
        }
    }
}

/* seccomp (317), or prctl (157) with PR_SET_SECCOMP (22): the numbers and a
   syscall instruction stand in the same function. */
static int x86flow_p_filters_calls(const x86flow_body *s) {
    uint32_t n;
    int calls = 0, seccomp = 0, prctl = 0, set = 0;
    for (n = 0; n < s->count; n++) {
        const x86decode_insn *i = &s->insn[n].i;
        if (i->kind == X86DECODE_SYSCALL && i->map == 1) calls = 1;
        if (i->map != 0 || (i->opcode & 0xF8) != 0xB8 || i->rex & X86DECODE_REX_B) continue;
        if (i->opcode == 0xB8 && i->immediate == 317) seccomp = 1;
        if (i->opcode == 0xB8 && i->immediate == 157) prctl = 1;
        if (i->opcode == 0xBF && i->immediate == 22) set = 1;
    }
    return calls && (seccomp || (prctl && set));
}

/* Exceptions land there, with the frame of the function that they land in. What
   begins with a landing pad is part of one. */
static void x86flow_p_touch_pads(x86flow_graph *g, x86flow_module *m, x86flow_function *f) {
    x86flow_unwind u;
    x86flow_lsda l;
    x86flow_call_site c;
    if (!f->fde || x86flow_read_fde(f->fde, &u) != 0 || !u.has_lsda) return;
    (void)x86flow_open_lsda(m, &u, &l);
    while (x86flow_next_call_site(&l, &c)) {
        x86flow_function *in = c.pad ? x86flow_function_at(m, c.pad) : NULL;
        if (!in) continue;
        x86flow_p_touch(g, m, c.pad);
        if (x86flow_p_are_nops(m, in->lo, c.pad)) in->flags |= X86FLOW_FRAGMENT;
    }
    if (l.bad && !f->reason) f->reason = X86FLOW_UNWIND;
}

/* A function that is left alone is read too, as far as it can be: what it
   calls, it calls from outside of all copies. If it is data, a few functions
   too many count as called. */
X86_API int x86flow_survey(x86flow_body *s, x86flow_graph *g, x86flow_module *m,
                               uint32_t number) {
    x86flow_function *f = &m->functions[number];
    uint32_t n;
    int leaf = 1, why = x86flow_decode(s, m, f, 0);
    x86flow_p_touch_pads(g, m, f);
    if (!f->reason) f->reason = (uint8_t)why;
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        uint64_t here = f->lo + k->offset;
        if (k->i.kind == X86DECODE_CALL_INDIRECT) {
            leaf = 0;
            if (m->bound_count)
                x86flow_p_through_slot(g, m, number, x86flow_call_slot(m, &k->i, here), 1);
        }
        if (k->i.kind >= X86DECODE_JUMP && k->i.kind <= X86DECODE_CALL) {
            if (x86flow_p_goes(g, m, number, k, here)) leaf = 0;
        } else if (k->i.memory || k->i.immediate_size >= 4)
            x86flow_p_names(g, m, k, here);
    }
    x86flow_p_touch_bounds(g, s);
    g->filters += x86flow_p_filters_calls(s) ? 1u : 0u;
    if (s->indirect_jumps) {
        f->dispatches = (uint8_t)(s->indirect_jumps < 255 ? s->indirect_jumps : 255);
        f->flags |= X86FLOW_DISPATCH;
        leaf = 0;
    }
    if (leaf && !f->reason) f->flags |= X86FLOW_LEAF;
    f->unsure_entry = f->reason || x86flow_p_flags(s, 0, 1, 1) ? 1 : 0;
    return why;
}

X86_API int x86flow_touched(const x86flow_graph *g, const x86flow_module *m,
                                 uint64_t address) {
    uint64_t bit = address - m->text_lo;
    return x86flow_p_in_text(m, address) && (g->touched[bit >> 3] >> (bit & 7) & 1);
}

/* Joins the parts to their functions. What is reached by conditional jumps
   alone is one, too. For the graph of calls a part is its function; a jump
   between the two is no call. */
static void x86flow_p_join_parts(x86flow_graph *g, x86flow_module *m) {
    uint32_t n, kept = 0;
    for (n = 0; n < m->count; n++) {
        x86flow_function *f = &m->functions[n];
        if ((f->flags & (X86FLOW_BY_BRANCH | X86FLOW_CALLED | X86FLOW_TAKEN)) == X86FLOW_BY_BRANCH)
            f->flags |= X86FLOW_FRAGMENT;
    }
    for (n = 0; n < m->count; n++) {
        x86flow_function *f = &m->functions[n];
        x86flow_function *owner = f->owner && f->owner != ~0u ? &m->functions[f->owner - 1] : NULL;
        f->owner = 0;
        if (!owner || !(f->flags & X86FLOW_FRAGMENT) || owner->flags & X86FLOW_FRAGMENT) continue;
        if (f->reason || owner->reason || owner->part || f->flags & X86FLOW_CALLED) continue;
        f->owner = (uint32_t)(owner - m->functions) + 1;
        owner->part = n + 1;
    }
    for (n = 0; n < g->count; n++) {
        uint32_t jump = g->to[n] & X86FLOW_P_JUMP, from = g->from[n], to = g->to[n] - jump;
        if (m->functions[from].owner) from = m->functions[from].owner - 1;
        if (m->functions[to].owner) to = m->functions[to].owner - 1;
        if (jump && from == to) continue;
        g->from[kept] = from;
        g->to[kept++] = to;
    }
    g->count = kept;
}

/* Whatever the code names may be a table of either width; its end is the next
   thing that is named. What is none does no harm: it touches a few bytes too
   many. */
X86_API void x86flow_touch_tables(x86flow_graph *g, x86flow_module *m) {
    uint32_t n, width, e;
    x86flow_p_join_parts(g, m);
    x86flow_p_sort(g->named, g->named_count);
    m->named = g->named;
    m->named_count = g->named_count;
    for (n = 0; n < g->named_count; n++) {
        x86flow_table t;
        uint64_t end = n + 1 < g->named_count ? g->named[n + 1] : m->hi, last;
        t.address = g->named[n];
        last = x86flow_p_readable(m, t.address);
        if (t.address & 3 || !last) continue;
        if (end > last) end = last;
        for (width = 4; width <= 8; width += 4) {
            t.width = width;
            for (e = 0; t.address + (uint64_t)(e + 1) * width <= end; e++) {
                uint64_t to = x86flow_table_target(&t, e);
                if (!x86flow_p_in_text(m, to)) break;
                x86flow_p_touch(g, m, to);
            }
        }
    }
}

X86_API size_t x86flow_graph_bytes(const x86flow_module *m) {
    size_t text = (size_t)(m->text_hi - m->text_lo);
    return (text / 4 + 1024) * 8 + (text / 6 + 1024) * 8 + 2 * (text / 8 + 64);
}

X86_API void x86flow_graph_init(x86flow_graph *g, const x86flow_module *m, void *memory) {
    size_t text = (size_t)(m->text_hi - m->text_lo);
    g->count = g->named_count = g->filters = 0;
    g->max = (uint32_t)(text / 4 + 1024);
    g->named_max = (uint32_t)(text / 6 + 1024);
    g->named = (uint64_t *)memory;
    g->from = (uint32_t *)(void *)(g->named + g->named_max);
    g->to = g->from + g->max;
    g->touched = (uint8_t *)(g->to + g->max);
    g->pointed = g->touched + text / 8 + 64;
}

X86_API void x86flow_leave_out(x86flow_module *m, const x86flow_graph *g, uint64_t address,
                                   uint8_t reason) {
    x86flow_function *f = x86flow_function_at(m, address);
    uint32_t e, changed = 1;
    if (f) f->reason = reason;
    while (f && changed) {
        for (e = changed = 0; e < g->count; e++) {
            x86flow_function *to = &m->functions[g->to[e]];
            if (m->functions[g->from[e]].reason != reason || to->reason == reason) continue;
            to->reason = reason;
            changed = 1;
        }
    }
}
