/* ---- functions: threaded interpreters ---- */

/* An interpreter with a jump at the end of each instruction of its bytecode:

       add:   mov (%r14),%rax                   jump:  movslq 4(%r15),%rax
              add %rax,%rbx                            lea 4(%r15,%rax,4),%r15
              add $8,%r15                              movslq (%r15),%rax
              movslq (%r15),%rax                       add %rdx,%rax
              add %rdx,%rax                            jmp *%rax
              jmp *%rax

   Each jump may lead to each label, so that a cycle may pass any of them, and a
   check at each label would cost as much as the work there. But the jumps read
   where a register points into the bytecode, the walker (r15 above). A piece of
   code that has only added to the walker when it comes to the next jump, and
   reads the next label through it, cannot close a cycle alone: the bytecode
   ends. Some other label of the cycle sets the walker, and keeps its check.

   So for each label it is followed on all paths which registers hold the walker
   as it was at the label, plus a distance; and what was read through them:

       label      r15 = W                  mov %r15,%rax          rax = W
                                           lea 4(%r15),%r15       r15 = W + 4
                                           movslq (%rax),%rax     rax = READ
                                           add %rdx,%rax          rax = READ
       jmp *%rax  forward: the target is READ, and r15 = W + more than 0

   The invariant: every cycle of dispatches passes a label with a check. It
   rests on calls that keep the registers that the ABI has them keep. Of those
   inside the module the callee is looked at: it pushes a register before it
   writes it. If one breaks that below its callees, a loop has no check: no
   bursts begin there, and the program runs as it did.

   cost: for each label, and each register that may be the walker, the
   instructions up to the next dispatches. */

enum { X86FLOW_P_PIECE = 4096, X86FLOW_P_CALLEE = 2048 };
enum { X86FLOW_P_KEPT = 0xF028 };               /* rbx, rbp, r12 to r15 */
/* A register holds the walker of the label + 4 * so much; what was read there;
   anything. */
enum { X86FLOW_P_READ = 127, X86FLOW_P_ANY = -128 };
typedef struct x86flow_p_held { int8_t at[16]; } x86flow_p_held;

static int8_t x86flow_p_moved(int8_t from, int64_t by) {
    int64_t to = from + by / 4;
    if (from == X86FLOW_P_ANY || from == X86FLOW_P_READ || by % 4) return X86FLOW_P_ANY;
    return (int8_t)(to > -127 && to < X86FLOW_P_READ ? to : (int)X86FLOW_P_ANY);
}

static int x86flow_p_is_walker(int8_t held) {
    return held != X86FLOW_P_ANY && held != X86FLOW_P_READ;
}

/* Which registers does a function write before it pushes them? Its bytes are
   read once, before anything is patched, so that every copy is planned
   alike. */
static uint16_t x86flow_p_changes_of(const x86flow_function *f) {
    uint64_t at = f->lo, end = f->lo + f->size;
    uint32_t pushed = 0, written = 0, n;
    for (n = 0; at < end; n++) {
        x86decode_insn i;
        x86decode_effect e;
        unsigned length = x86decode(x86_p_at(at), (size_t)(end - at), &i);
        if (!length || n == X86FLOW_P_CALLEE) return 0xFFFF;
        at += length;
        if (i.map == 0 && (i.opcode & 0xF8) == 0x50)
            pushed |= 1u << ((i.opcode & 7) | (i.rex & X86DECODE_REX_B ? 8 : 0));
        x86decode_effects(&i, &e);
        written |= e.writes & ~pushed;
    }
    return (uint16_t)written;
}

X86_API void x86flow_note_callees(const x86flow_body *s, x86flow_module *m) {
    uint32_t n;
    for (n = 0; n < s->count; n++) {
        x86flow_function *f;
        if (s->insn[n].i.kind != X86DECODE_CALL) continue;
        f = x86flow_function_at(m, x86flow_p_target(s, &s->insn[n]));
        if (f && !f->changes) f->changes = x86flow_p_changes_of(f);
    }
}

/* What registers hold behind an instruction. */
static void x86flow_p_hold(const x86flow_body *s, const x86flow_insn *k, x86flow_p_held *h) {
    const x86decode_insn *i = &k->i;
    unsigned op = i->opcode, digit = i->modrm >> 3 & 7;
    int rm = x86flow_rm_register(i), reg = x86flow_reg_register(i), to = -1, r;
    int8_t value = X86FLOW_P_ANY;
    x86decode_effect e;
    x86decode_effects(i, &e);
    if (i->kind == X86DECODE_CALL) {
        const x86flow_function *f = x86flow_function_at(s->m, x86flow_p_target(s, k));
        uint16_t changes = X86FLOW_P_KEPT;
        if (!f || f->reason == X86FLOW_STARTUP) changes = 0;    /* a stub of the PLT */
        else if (f->lo == x86flow_p_target(s, k) && f->changes) changes = f->changes;
        e.writes |= (uint16_t)(changes & X86FLOW_P_KEPT);
    }
    if (i->map == 0 && i->coding == X86DECODE_LEGACY && i->rex & X86DECODE_REX_W
        && !(i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS | X86DECODE_LOCK))) {
        int64_t by = digit == 0 ? i->immediate : -i->immediate;
        if ((op == 0x89 || op == 0x8B) && rm >= 0) {
            to = op == 0x89 ? rm : reg;
            value = h->at[op == 0x89 ? reg : rm];
        } else if ((op == 0x8B || op == 0x63) && i->base >= 0 && i->index < 0) {
            to = reg;
            if (x86flow_p_is_walker(h->at[i->base])) value = X86FLOW_P_READ;
        } else if (op == 0x8D && i->base >= 0 && i->index < 0) {
            to = reg;
            value = x86flow_p_moved(h->at[i->base], i->displacement);
        } else if ((op == 0x83 || op == 0x81) && rm >= 0 && (digit == 0 || digit == 5)) {
            to = rm;
            value = x86flow_p_moved(h->at[rm], by);
        } else if ((op == 0x01 || op == 0x03) && rm >= 0) {     /* a distance and its base */
            to = op == 0x01 ? rm : reg;
            if (h->at[rm] == X86FLOW_P_READ || h->at[reg] == X86FLOW_P_READ)
                value = X86FLOW_P_READ;
        }
    }
    for (r = 0; r < 16; r++) {
        if (e.writes >> r & 1) h->at[r] = r == to ? value : (int8_t)X86FLOW_P_ANY;
    }
}

/* A path comes to instruction n. What all paths agree on is kept; n is looked
   at again if that became less. */
static void x86flow_p_meet(x86flow_body *s, x86flow_p_held *all, uint32_t n,
                           const x86flow_p_held *h, uint32_t *top) {
    int r, less = 0;
    if (s->mark[n] != s->epoch) {
        s->mark[n] = s->epoch;
        all[n] = *h;
        less = 1;
    } else {
        for (r = 0; r < 16; r++) {
            if (all[n].at[r] == h->at[r] || all[n].at[r] == X86FLOW_P_ANY) continue;
            all[n].at[r] = X86FLOW_P_ANY;
            less = 1;
        }
    }
    if (less) s->pending[(*top)++] = n;
}

/* Does all that can run from a label to the next dispatches only go forward? */
static int x86flow_p_only_forward(x86flow_body *s, uint32_t label, int walker) {
    uint32_t room = s->text_max + 64, top = 0, steps = 0;
    x86flow_p_held *all = (x86flow_p_held *)(void *)(s->pending + 2 * (size_t)room), h;
    memset(h.at, X86FLOW_P_ANY, sizeof h.at);
    h.at[walker] = 0;
    s->epoch++;
    x86flow_p_meet(s, all, label, &h, &top);
    while (top) {
        uint32_t n = s->pending[--top], to;
        const x86flow_insn *k = &s->insn[n];
        const x86decode_insn *i = &k->i;
        if (++steps > X86FLOW_P_PIECE || top + 2 > 2 * room) return 0;
        h = all[n];
        if (i->kind == X86DECODE_JUMP_INDIRECT) {
            int r = i->memory ? i->base : x86flow_rm_register(i);
            if (k->dispatch != X86FLOW_TRANSLATE || r < 0 || (i->memory && i->index >= 0)) return 0;
            if (i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS)) return 0;
            if (i->memory ? !x86flow_p_is_walker(h.at[r]) : h.at[r] != X86FLOW_P_READ) return 0;
            if (!x86flow_p_is_walker(h.at[walker]) || h.at[walker] <= 0) return 0;
            continue;
        }
        x86flow_p_hold(s, k, &h);
        if (i->kind == X86DECODE_JUMP || i->kind == X86DECODE_BRANCH
            || i->kind == X86DECODE_LOOP) {
            to = x86flow_goes_to(s, k);
            if (to == ~0u) return 0;
            x86flow_p_meet(s, all, to, &h, &top);
        }
        if (x86flow_runs_on(s, n)) x86flow_p_meet(s, all, n + 1, &h, &top);
        else if (x86flow_falls_through(k)) return 0;
    }
    return 1;
}

/* Labels of dispatches that are not proved, up to the last such dispatch, get a
   check, but for those that only go forward. */
static void x86flow_p_check_labels(x86flow_body *s, uint32_t last) {
    uint32_t n, jumps = 0, forward, most = 0;
    int walker = -1, r;
    for (n = 0; n < s->count; n++)
        jumps += s->insn[n].i.kind == X86DECODE_JUMP_INDIRECT
                 && s->insn[n].dispatch == X86FLOW_TRANSLATE;
    for (r = 0; r < 16 && jumps >= X86FLOW_THREADED; r++) {
        if (r == 4) continue;                           /* the stack pointer */
        for (n = forward = 0; n < last; n++)
            forward += s->insn[n].target & X86FLOW_TARGET_TABLE && x86flow_p_only_forward(s, n, r);
        if (forward <= most) continue;
        most = forward;
        walker = r;
    }
    for (n = 0; n < last; n++) {
        if (!(s->insn[n].target & X86FLOW_TARGET_TABLE)) continue;
        if (walker >= 0 && x86flow_p_only_forward(s, n, walker)) continue;
        s->insn[n].target |= X86FLOW_TARGET_CHECKED;
    }
}
