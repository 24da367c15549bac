/* ---- functions: return addresses that the program looks up ---- */

/* A collector that walks the stack finds each frame's layout by its return
   address, in a table that the compiler wrote (native OCaml: caml_frametable).
   In a copy the same call pushes another address, which stands in no table, and
   the collector reads what is not there. Such functions are left as they are.
   The table gives them away: words of data that point behind their calls.

       .data   .quad L1    <- a word of data            .text   call caml_call_gc
               .word 24                                 L1:     mov 8(%rsp),%rbx

   Tables of a switch hold addresses inside a function, too, and a case may
   follow a call that does not return. So a function with an indirect jump
   is left alone only if there is such a table, which functions without one show. MANY
   of them must have words that point into them, for single words may be numbers.

   cost: nothing but for functions that data points into; those are decoded once
   more. */

enum { X86FLOW_P_MANY = 4 };

X86_API void x86flow_point(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    uint64_t bit = address - m->text_lo;
    if (x86flow_p_in_text(m, address)) g->pointed[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

static int x86flow_p_is_pointed(const x86flow_graph *g, const x86flow_module *m,
                                uint64_t address) {
    uint64_t bit = address - m->text_lo;
    return x86flow_p_in_text(m, address) && (g->pointed[bit >> 3] >> (bit & 7) & 1);
}

/* Does data point into the function, behind its first byte? */
static int x86flow_p_is_pointed_into(const x86flow_graph *g, const x86flow_module *m,
                                     const x86flow_function *f) {
    uint64_t at = f->lo + 1, end = f->lo + f->size;
    for (; at < end && at < m->text_hi; at++) {
        uint64_t bit = at - m->text_lo;
        if ((bit & 7) == 0 && !g->pointed[bit >> 3]) at += 7;
        else if (x86flow_p_is_pointed(g, m, at)) return 1;
    }
    return 0;
}

/* Returns how many calls of the body return to where data points. */
static uint32_t x86flow_p_pointed_returns(const x86flow_graph *g, const x86flow_body *s) {
    uint32_t n, count = 0;
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        if (k->i.kind != X86DECODE_CALL && k->i.kind != X86DECODE_CALL_INDIRECT) continue;
        if (x86flow_p_is_pointed(g, s->m, x86flow_address(s, k->offset) + k->i.length)) count++;
    }
    return count;
}

X86_API uint32_t x86flow_find_lookups(x86flow_body *b, const x86flow_graph *g,
                                           x86flow_module *m) {
    uint32_t n, sure = 0, found = 0;
    int round;
    for (round = 0; round < 2; round++) {
        for (n = 0; n < m->count; n++) {
            x86flow_function *f = &m->functions[n];
            if (f->reason || f->flags & X86FLOW_FRAGMENT || !x86flow_p_is_pointed_into(g, m, f))
                continue;
            if (x86flow_decode(b, m, f, 0) != X86FLOW_FINE || !x86flow_p_pointed_returns(g, b))
                continue;
            if (round == 0) sure += !b->indirect_jumps;
            else {
                f->reason = X86FLOW_LOOKED_UP;
                found++;
            }
        }
        if (sure < X86FLOW_P_MANY) return 0;
    }
    return found;
}
