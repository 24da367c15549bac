/* ---- functions: loops and back-edges ---- */
/* The successor of an instruction, or of the node that stands for all indirect
   jumps (its number is count), behind the `from` first ones; ~0: no more. *from
   goes on. */
static uint32_t x86flow_p_successor(const x86flow_body *s, uint32_t v, uint32_t *from) {
    const x86flow_insn *k = &s->insn[v];
    uint32_t to;
    if (v == s->count) {
        while (*from < s->count && !(s->insn[*from].target & X86FLOW_TARGET_TABLE)) ++*from;
        return *from < s->count ? (*from)++ : ~0u;
    }
    if (*from == 0) {
        *from = 1;
        if (x86flow_runs_on(s, v)) return v + 1;
    }
    if (*from > 1) return ~0u;
    *from = 2;
    if (k->i.kind == X86DECODE_JUMP_INDIRECT) return s->count;
    if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_LOOP) return ~0u;
    to = x86flow_goes_to(s, k);
    return to;
}

/* Strongly connected components of the instructions, by Tarjan with a stack of
   its own. Returns an array: two instructions are on one cycle if their numbers
   are equal. */
static const uint32_t *x86flow_p_components(x86flow_body *s) {
    uint32_t nodes = s->count + 1, *number = s->pending, *low = number + nodes;
    uint32_t *component = low + nodes, *stack = component + nodes, *walk = stack + nodes;
    uint32_t *next = walk + nodes, top = 0, order = 0, components = 0, seed;
    memset(number, 0, 3 * (size_t)nodes * sizeof *number);
    for (seed = 0; seed < s->count; seed++) {
        uint32_t depth = 0, fresh = seed;
        if (number[seed]) continue;
        for (;;) {
            uint32_t v, w;
            if (fresh != ~0u) {
                number[fresh] = low[fresh] = ++order;
                next[fresh] = 0;
                stack[top++] = fresh;
                walk[depth++] = fresh;
                fresh = ~0u;
            }
            v = walk[depth - 1];
            w = x86flow_p_successor(s, v, &next[v]);
            if (w != ~0u) {
                if (!number[w]) fresh = w;
                else if (!component[w] && number[w] < low[v]) low[v] = number[w];
                continue;
            }
            if (low[v] == number[v]) {
                components++;
                while (!component[v]) component[stack[--top]] = components;
            }
            if (--depth == 0) break;
            if (low[v] < low[walk[depth - 1]]) low[walk[depth - 1]] = low[v];
        }
    }
    return component;
}

/* A table's dispatch goes back if it follows the target. Of one that was
   not proved every target of a table may be the next. */
static void x86flow_p_check_tables(x86flow_body *s) {
    uint32_t n, e, last = 0;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].i.kind == X86DECODE_JUMP_INDIRECT
            && s->insn[n].dispatch == X86FLOW_TRANSLATE)
            last = n;
    }
    if (last) x86flow_p_check_labels(s, last);
    for (n = 0; n < s->table_count; n++) {
        const x86flow_table *t = &s->tables[n];
        for (e = 0; t->last_jump && e < t->entries; e++) {
            uint32_t to = x86flow_insn_at(s, x86flow_table_target(t, e));
            if (to != ~0u && to <= t->last_jump) s->insn[to].target |= X86FLOW_TARGET_CHECKED;
        }
    }
}

/* Where exceptions land is a check, for nobody can say which copy it is in: an
   unwinder has read return addresses before the burst began, or ended. */
static void x86flow_p_check_pads(x86flow_body *s, const x86flow_function *f) {
    x86flow_unwind u;
    x86flow_lsda l;
    x86flow_call_site c;
    if (!x86flow_p_has_lsda(f) || x86flow_read_fde(f->fde, &u) != 0) return;
    (void)x86flow_open_lsda(s->m, &u, &l);
    while (x86flow_next_call_site(&l, &c)) {
        uint32_t to = c.pad ? x86flow_insn_at(s, c.pad) : ~0u;
        if (to != ~0u) s->insn[to].target |= X86FLOW_TARGET_CHECKED;
    }
}

/* Before both copies: which back-edges are checked, which dispatches are
   proved. A back-edge is a branch to a lower address on a cycle. An exception
   may close a cycle that is not seen here: in a function where one may land
   every branch to a lower address counts; where it lands is a check. A loop is boring if, from its head to
   the branch back, it has no call and at most k memory operands: it gets
   neither. */
X86_API void x86flow_plan(x86flow_body *s, int32_t k_boring) {
    const uint32_t *component = NULL;
    int pads = x86flow_p_may_have_pads(s);
    uint32_t n, j;
    x86flow_p_find_tables(s);
    if (s->table_count) x86flow_p_prove(s);
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        uint32_t to;
        int32_t operands = 0;
        if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_LOOP) continue;
        to = x86flow_goes_to(s, k);
        if (to == ~0u || to > n) continue;
        if (!pads && !component) component = x86flow_p_components(s);
        if (component && component[to] != component[n]) continue;
        for (j = to; j <= n && operands <= k_boring; j++) {
            const x86decode_insn *i = &s->insn[j].i;
            if ((i->kind > X86DECODE_LOOP && i->kind != X86DECODE_TRAP)
                || s->insn[j].target & X86FLOW_TARGET_TABLE)
                operands = INT32_MAX / 2;
            operands += (i->access != 0) + (i->implicit != 0);
        }
        if (operands <= k_boring) {
            for (j = to; j <= n; j++) s->insn[j].boring = 1;
        } else
            s->insn[to].target |= X86FLOW_TARGET_CHECKED;
    }
    x86flow_p_check_tables(s);
    if (pads) {
        x86flow_p_check_pads(s, s->f);
        x86flow_p_check_pads(s, s->part);
    }
    s->flags_at_labels = x86flow_p_flags_at_labels(s);
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & X86FLOW_TARGET_CHECKED && x86flow_flags_live(s, n))
            s->insn[n].target |= X86FLOW_TARGET_FLAGS;
    }
}
