/* ---- instructions that move to another place ---- */

/* What is relative to its own place is written anew, with 32 bits of distance:

       jcc rel8       0F 8x rel32               lea d(%rip)    the same, d - (to - from)
       loop rel8      loop 1f; jmp 2f; 1: jmp rel32; 2:
       call f         push $back; jmp f         call *m        push $back; jmp *m

   A call that pushed its own place would return into the copy, where no unwind
   information is. It pushes the address behind it in the original instead, so it
   has to be the last instruction that moves. */

typedef struct binpatch_p_mover {
    uint8_t *out;
    size_t used, room;
    uint64_t to;
    int reason;
} binpatch_p_mover;

static binpatch_p_mover binpatch_p_moving(void *out, size_t room, uint64_t to) {
    binpatch_p_mover m;
    m.out = (uint8_t *)out;
    m.used = 0;
    m.room = room;
    m.to = to;
    m.reason = 0;
    return m;
}

static void binpatch_p_byte(binpatch_p_mover *m, unsigned value) {
    if (m->used < m->room) m->out[m->used] = (uint8_t)value;
    else if (!m->reason) m->reason = BINPATCH_NO_ROOM;
    m->used++;
}

static void binpatch_p_word(binpatch_p_mover *m, uint64_t value, unsigned bytes) {
    for (; bytes-- > 0; value >>= 8) binpatch_p_byte(m, (unsigned)(value & 255));
}

/* The distance from the end of these four bytes, and `behind` more, to target. */
static void binpatch_p_distance(binpatch_p_mover *m, uint64_t target, unsigned behind) {
    int64_t d = (int64_t)(target - (m->to + m->used + 4 + behind));
    if (d != (int32_t)d && !m->reason) m->reason = BINPATCH_NO_ROOM;
    binpatch_p_word(m, (uint64_t)d & 0xFFFFFFFFu, 4);
}

static void binpatch_p_jump(binpatch_p_mover *m, uint64_t target) {
    binpatch_p_byte(m, 0xE9);
    binpatch_p_distance(m, target, 0);
}

static void binpatch_p_push(binpatch_p_mover *m, uint64_t value) {
    binpatch_p_byte(m, 0x68); /* push $low, sign-extended */
    binpatch_p_word(m, value & 0xFFFFFFFFu, 4);
    binpatch_p_word(m, 0x042444C7, 4); /* movl $high,4(%rsp) */
    binpatch_p_word(m, value >> 32, 4);
}

/* The instruction as it is, with another distance to what is relative to rip. */
static void binpatch_p_same(binpatch_p_mover *m, const uint8_t *code,
                            const x86decode_insn *i, uint64_t from, int to_jump) {
    unsigned n;
    for (n = 0; n < i->length; n++) {
        if (i->base == X86DECODE_RIP && i->memory && n == i->displacement_at) {
            uint64_t target = from + i->length + (uint64_t)i->displacement;
            binpatch_p_distance(m, target, i->length - n - 4u);
            n += 3;
        } else if (to_jump && n == (unsigned)to_jump) {
            binpatch_p_byte(m, (code[n] & ~0x38u) | 0x20); /* FF /2 becomes FF /4 */
        } else binpatch_p_byte(m, code[n]);
    }
}

static void binpatch_p_move_one(binpatch_p_mover *m, const uint8_t *code,
                                const x86decode_insn *i, uint64_t from, int last) {
    uint64_t target = x86decode_target(i, from), back = from + i->length;
    int kind = i->kind, relative = kind == X86DECODE_JUMP || kind == X86DECODE_BRANCH
                                   || kind == X86DECODE_LOOP || kind == X86DECODE_CALL;
    unsigned n;
    if (kind == X86DECODE_XBEGIN || kind == X86DECODE_TRAP
        || (relative && i->prefixes & X86DECODE_66)
        || ((kind == X86DECODE_CALL || kind == X86DECODE_CALL_INDIRECT) && !last)
        || (i->memory && i->base == X86DECODE_RIP && i->displacement_size != 4)
        || (i->memory && i->base == X86DECODE_RIP && i->prefixes & X86DECODE_67)) {
        m->reason = BINPATCH_UNMOVABLE;
    } else if (kind == X86DECODE_JUMP) {
        binpatch_p_jump(m, target);
    } else if (kind == X86DECODE_BRANCH) {
        binpatch_p_byte(m, 0x0F);
        binpatch_p_byte(m, 0x80 | (i->opcode & 15u));
        binpatch_p_distance(m, target, 0);
    } else if (kind == X86DECODE_LOOP) {
        for (n = 0; n + 1u < i->length; n++) binpatch_p_byte(m, code[n]);
        binpatch_p_word(m, 0x05EB02, 3); /* to the jump; jmp over it */
        binpatch_p_jump(m, target);
    } else if (kind == X86DECODE_CALL) {
        binpatch_p_push(m, back);
        binpatch_p_jump(m, target);
    } else if (kind == X86DECODE_CALL_INDIRECT) {
        /* far calls, and operands that count from the pushed address, stay */
        if (!i->has_modrm || (i->modrm >> 3 & 7) != 2 || i->base == 4
            || (!i->memory && (i->modrm & 7) == 4 && !(i->rex & X86DECODE_REX_B))) {
            m->reason = BINPATCH_UNMOVABLE;
            return;
        }
        for (n = 0; code[n] != 0xFF; n++) {} /* the opcode; no prefix is FF */
        binpatch_p_push(m, back);
        binpatch_p_same(m, code, i, from, (int)n + 1);
    } else binpatch_p_same(m, code, i, from, 0);
}

BINPATCH_API size_t binpatch_move(const void *code, size_t size, uint64_t from, void *out,
                                  size_t room, uint64_t to, int *reason) {
    binpatch_p_mover m = binpatch_p_moving(out, room, to);
    x86decode_insn i;
    size_t at = 0;
    while (at < size && !m.reason) {
        const uint8_t *byte = (const uint8_t *)code + at;
        if (!x86decode(byte, size - at, &i)) m.reason = BINPATCH_UNKNOWN;
        else {
            binpatch_p_move_one(&m, byte, &i, from + at, at + i.length == size);
            at += i.length;
        }
    }
    if (reason) *reason = m.reason;
    return m.reason ? 0 : m.used;
}
