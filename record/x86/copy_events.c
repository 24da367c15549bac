/* ---- copies: events ---- */
/* An event needs two registers, one for its value and one for the place where
   it is written:

       lea operand,%value; mov %fs:claim,%at; xaddw %at,%fs:position;
       mov %value,(%at); movl place,12(%at); movl what,8(%at)

   `claim` is the buffer's address and 16. So one instruction takes the 16 bytes:
   a signal handler that comes before or behind it writes events of its own into
   others. The buffer is 64 KiB and aligned so, and 16 bits stay inside. Where
   flags are live, they are kept on the stack meanwhile. Registers that the
   program writes before it reads them are taken. If there are not two of them,
   others are kept on the stack meanwhile, below the red zone. */

enum { X86COPY_P_EVENT_FRAME = 0x98, X86COPY_P_AHEAD = 12 };
enum { X86COPY_P_SCRATCH = 0x0FC7 };    /* rax rcx rdx rsi rdi r8-r11: what a call may overwrite */

typedef struct x86copy_p_event {
    unsigned value, at;
    int flags;                  /* they are live */
    unsigned kept[2];           /* registers on the stack: 1 + number, or 0 */
    int32_t lower;              /* how much lower rsp is */
} x86copy_p_event;

/* The scratch registers that hold nothing before instruction k: from there on
   in a straight line each is written whole before it is read. Callers and
   handlers of exceptions do not see them. */
static uint32_t x86copy_p_dead(const x86copy *s, const x86flow_insn *k) {
    uint32_t open = X86COPY_P_SCRATCH, dead = 0, n = (uint32_t)(k - s->b->insn), steps;
    for (steps = 0; steps < X86COPY_P_AHEAD && open; steps++, n++) {
        x86decode_effect e;
        if (s->b->insn[n].i.kind != X86DECODE_PLAIN) break;
        x86decode_effects(&s->b->insn[n].i, &e);
        open &= ~(uint32_t)e.reads;
        dead |= open & e.sets;
        open &= ~(uint32_t)e.writes;
        if (!x86flow_runs_on(s->b, n)) break;
    }
    return dead;
}

static void x86copy_p_keep(x86copy *s, const x86copy_p_event *e, int back) {
    unsigned n;
    if (!e->lower) return;
    if (!back) X86COPY_P_CODE(s, "\x48\x8D\xA4\x24\x68\xFF\xFF\xFF"); /* lea -0x98(%rsp),%rsp */
    for (n = 0; n < 2; n++) {
        if (!e->kept[n]) continue;
        x86copy_p_out1(s, 0x48); /* mov between a register and 8n(%rsp) */
        x86copy_p_out1(s, back ? 0x8B : 0x89);
        x86copy_p_out1(s, 0x44 | (e->kept[n] - 1) << 3);
        x86copy_p_out1(s, 0x24);
        x86copy_p_out1(s, 8 * n);
    }
    if (back) X86COPY_P_CODE(s, "\x48\x8D\xA4\x24\x98\x00\x00\x00");
}

/* Before instruction k. value 1 and at 0 are rcx and rax. any: other registers
   do as well. */
static x86copy_p_event x86copy_p_event_begin(x86copy *s, const x86flow_insn *k, int any) {
    int flags = x86flow_flags_live(s->b, (uint32_t)(k - s->b->insn));
    uint32_t dead = any && !flags ? x86copy_p_dead(s, k) : 0, n;
    x86copy_p_event e = {1, 0, flags, {2, 1}, X86COPY_P_EVENT_FRAME};
    for (n = 0; n < 16 && dead; n++) {
        if (!(dead >> n & 1)) continue;
        if (e.kept[0]) {        /* the first one takes the value */
            e.value = n;
            e.at = n == 0 ? 1 : 0;
            e.kept[0] = 0;
            e.kept[1] = e.at + 1;
        } else {
            e.at = n;
            e.kept[1] = 0;
            e.lower = 0;
            break;
        }
    }
    x86copy_p_keep(s, &e, 0);
    return e;
}

static void x86copy_p_event_end(x86copy *s, const x86copy_p_event *e, uint32_t what,
                                uint32_t place) {
    unsigned at = e->at & 7, high = e->at >= 8 ? 1u : 0, wide = e->value >= 8 ? 4u : 0;
    uint32_t field[2];
    unsigned n;
    field[0] = what;
    field[1] = place;
    if (e->flags) x86copy_p_out1(s, 0x9C);      /* pushfq */
    x86copy_p_claim(s, e->at);
    if (e->flags) x86copy_p_out1(s, 0x9D);      /* popfq */
    x86copy_p_out1(s, 0x48 | high | wide);      /* mov %value,(%at) */
    x86copy_p_out1(s, 0x89);
    x86copy_p_out1(s, (e->value & 7) << 3 | at);
    for (n = 2; n-- > 0;) {                     /* movl field,8 + 4n(%at) */
        if (high) x86copy_p_out1(s, 0x41);
        x86copy_p_out1(s, 0xC7);
        x86copy_p_out1(s, 0x40 | at);
        x86copy_p_out1(s, 8 + 4 * n);
        x86copy_p_out4(s, field[n]);
    }
    x86copy_p_keep(s, e, 1);
}

/* An event before instruction k whose value is rsp + more as the program sees
   it. */
static void x86copy_p_event_stack(x86copy *s, const x86flow_insn *k, uint32_t what, uint32_t place,
                                  int32_t more) {
    x86copy_p_event e = x86copy_p_event_begin(s, k, 1);
    x86copy_p_out1(s, 0x48 | (e.value >= 8 ? 4u : 0)); /* lea lower+more(%rsp),%value */
    x86copy_p_out1(s, 0x8D);
    x86copy_p_out1(s, 0x84 | (e.value & 7) << 3);
    x86copy_p_out1(s, 0x24);
    x86copy_p_out4(s, (uint32_t)(e.lower + more));
    x86copy_p_event_end(s, &e, what, place);
}

static uint32_t x86copy_p_what(const x86copy *s, uint32_t kind, uint32_t bytes) {
    return kind | (bytes & 0xFFF) << 8 | s->m->number << 24;
}

static void x86copy_p_event_operand(x86copy *s, const x86flow_insn *k) {
    const x86decode_insn *i = &k->i;
    uint32_t kind = (uint32_t)((i->access & X86DECODE_READ ? X86COPY_LOAD : 0)
                               | (i->access & X86DECODE_WRITE ? X86COPY_STORE : 0));
    uint32_t bytes = i->access_bytes;
    int bit = i->map == 1 && i->coding == X86DECODE_LEGACY
              && (i->opcode == 0xA3 || i->opcode == 0xAB || i->opcode == 0xB3 || i->opcode == 0xBB);
    x86copy_p_event e;
    if (!(kind & s->m->events) || i->prefixes & X86DECODE_GS) return;
    e = x86copy_p_event_begin(s, k, !bit && !(i->prefixes & X86DECODE_FS));
    x86copy_p_lea(s, k, e.lower, e.value);
    if (i->prefixes & X86DECODE_FS) /* mov %fs:0,%rax; lea (%rcx,%rax),%rcx */
        X86COPY_P_CODE(s, "\x64\x48\x8B\x04\x25\x00\x00\x00\x00"
                          "\x48\x8D\x0C\x01");
    if (bit && !(i->prefixes & X86DECODE_66)) { /* bt with a register reaches beyond its operand */
        unsigned reg = (unsigned)x86flow_reg_register(i), wide = i->rex & X86DECODE_REX_W;
        if (reg != 4) {
            if (reg == 1) { /* rcx was saved at (%rsp) */
                x86copy_p_out1(s, 0x48);
                x86copy_p_out1(s, wide ? 0x8B : 0x63);
                X86COPY_P_CODE(s, "\x04\x24");
            } else { /* movslq or mov reg,%rax */
                x86copy_p_out1(s, 0x48 | (reg >= 8 ? 1u : 0));
                x86copy_p_out1(s, wide ? 0x8B : 0x63);
                x86copy_p_out1(s, 0xC0 | (reg & 7));
            }
            X86COPY_P_CODE(s, "\x9C\x48\xC1\xF8\x03\x9D"
                              "\x48\x8D\x0C\x01"); /* pushfq; sar $3,%rax; popfq; lea */
            bytes = 1;
        }
    }
    x86copy_p_event_end(s, &e, x86copy_p_what(s, kind, bytes), x86copy_p_place(s, k));
}

/* An event whose value is what a register holds. */
static void x86copy_p_event_register(x86copy *s, const x86flow_insn *k, uint32_t kind,
                                     unsigned reg) {
    x86copy_p_event e;
    unsigned op = k->i.opcode, bytes = op & 1 ? (k->i.rex & X86DECODE_REX_W     ? 8
                                                 : k->i.prefixes & X86DECODE_66 ? 2
                                                                                : 4)
                                              : 1;
    if (k->i.map == 1) bytes = 16;
    e = x86copy_p_event_begin(s, k, 1);
    x86copy_p_out1(s, 0x48 | (e.value >= 8 ? 1u : 0)); /* mov %reg,%value */
    x86copy_p_out1(s, 0x89);
    x86copy_p_out1(s, 0xC0 | reg << 3 | (e.value & 7));
    x86copy_p_event_end(s, &e, x86copy_p_what(s, kind, bytes), x86copy_p_place(s, k));
}

static void x86copy_p_events_of(x86copy *s, const x86flow_insn *k) {
    const x86decode_insn *i = &k->i;
    uint32_t wanted = s->m->events, place = x86copy_p_place(s, k);
    int string = i->implicit & (X86DECODE_LOAD_RSI | X86DECODE_LOAD_RDI | X86DECODE_STORE_RDI);
    if (k->boring) return;
    if (string && wanted & (X86COPY_LOAD | X86COPY_STORE)
        && i->prefixes & (X86DECODE_F2 | X86DECODE_F3) && i->map == 0)
        x86copy_p_event_register(s, k, X86COPY_REPEAT, 1);
    if (i->implicit & X86DECODE_LOAD_RSI && wanted & X86COPY_LOAD)
        x86copy_p_event_register(s, k, X86COPY_LOAD, 6);
    if (i->implicit & X86DECODE_LOAD_RDI && wanted & X86COPY_LOAD)
        x86copy_p_event_register(s, k, X86COPY_LOAD, 7);
    if (i->implicit & X86DECODE_STORE_RDI && wanted & X86COPY_STORE)
        x86copy_p_event_register(s, k, X86COPY_STORE, 7);
    if (i->memory && i->access & X86DECODE_READ) x86copy_p_event_operand(s, k);
    if (wanted & X86COPY_STACK) {
        if (i->implicit & X86DECODE_PUSH && i->kind != X86DECODE_CALL
            && i->kind != X86DECODE_CALL_INDIRECT)
            x86copy_p_event_stack(s, k, x86copy_p_what(s, X86COPY_STORE, 8), place, -8);
        if (i->implicit & X86DECODE_POP && i->opcode != 0xC9)
            x86copy_p_event_stack(s, k, x86copy_p_what(s, X86COPY_LOAD, 8), place, 0);
        if (i->opcode == 0xC9 && i->map == 0) { /* mov %rbp,%rcx */
            x86copy_p_event e = x86copy_p_event_begin(s, k, 0);
            X86COPY_P_CODE(s, "\x48\x89\xE9");
            x86copy_p_event_end(s, &e, x86copy_p_what(s, X86COPY_LOAD, 8), place);
        }
    }
    if (i->memory && i->access == X86DECODE_WRITE) x86copy_p_event_operand(s, k);
    if (wanted & X86COPY_STACK && (i->kind == X86DECODE_CALL || i->kind == X86DECODE_CALL_INDIRECT))
        x86copy_p_event_stack(s, k, x86copy_p_what(s, X86COPY_STORE, 8), place, -8);
}

/* Nothing of what stands below the stack pointer is needed at an exit, and no
   flag. */
static void x86copy_p_tell_exit(x86copy *s, const x86flow_insn *k) {
    uint32_t code = (uint32_t)(s->own - s->m->functions) | X86COPY_LEAVES;
    if (k->i.kind != X86DECODE_RETURN) code |= X86COPY_LEFT_BY_JUMP;
    X86COPY_P_CODE(s, "\x48\x8D\xA4\x24\x68\xFF\xFF\xFF"); /* lea -0x98(%rsp),%rsp */
    X86COPY_P_CODE(s, "\x48\xC7\x04\x24");                 /* movq $code,(%rsp); call heavy */
    x86copy_p_out4(s, code);
    x86copy_p_out1(s, 0xE8);
    x86copy_p_distance(s, s->m->rx + s->m->heavy_at, 0);
    X86COPY_P_CODE(s, "\x48\x8D\xA4\x24\x98\x00\x00\x00");
}

static int x86copy_p_tells_exits(const x86copy *s) {
    return s->instrumented ? (s->m->events & X86COPY_EXIT) != 0 : (s->m->events & X86COPY_LEFT) != 0;
}

static void x86copy_p_exit_event(x86copy *s, const x86flow_insn *k) {
    if (!s->instrumented && s->m->events & X86COPY_LEFT) x86copy_p_tell_exit(s, k);
    if (s->instrumented && s->m->events & X86COPY_EXIT)
        x86copy_p_event_stack(s, k, x86copy_p_what(s, X86COPY_EXIT, 0),
                              (uint32_t)(s->b->f->lo - s->m->flow->bias), 0);
}
