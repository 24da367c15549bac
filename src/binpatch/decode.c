/* ---- decoder: the instruction, part by part ---- */

static unsigned x86decode_p_evex_scale(const x86decode_p_state *s) {
    const x86decode_insn *i = s->out;
    unsigned wide = i->rex & X86DECODE_REX_W ? 1 : 0,
             element = i->map >= 5 ? 2u
                       : wide      ? 8u
                                   : 4u,
             n, nibble;
    unsigned prefix = i->prefixes & X86DECODE_66   ? 1
                      : i->prefixes & X86DECODE_F3 ? 2
                      : i->prefixes & X86DECODE_F2 ? 3
                                                   : 0;
    for (n = 0; n < sizeof x86decode_p_rows / sizeof *x86decode_p_rows; n++) {
        const x86decode_p_row *row = &x86decode_p_rows[n];
        if (row->map != i->map || i->opcode < row->first || i->opcode > row->last) continue;
        nibble = (unsigned)(row->triples >> (4 * (prefix * 4 + wide * 2 + s->broadcast)) & 15);
        if (nibble) return x86decode_p_scale[nibble][s->vector_length > 2 ? 2 : s->vector_length];
    }
    return s->broadcast ? element : 16u << (s->vector_length > 2 ? 2 : s->vector_length);
}

static unsigned x86decode_p_operand(const x86decode_insn *i) {
    return i->rex & X86DECODE_REX_W ? 8 : i->prefixes & X86DECODE_66 ? 2 : 4;
}

static unsigned x86decode_p_x87_bytes(unsigned op, unsigned reg) {
    switch (op) {
    case 0xD8: case 0xDA: return 4;
    case 0xDC: return 8;
    case 0xDE: return 2;
    case 0xD9: return reg < 4 ? 4 : reg & 1 ? 2 : 28;
    case 0xDB: return reg & 4 ? 10 : 4;
    case 0xDD: return reg == 7 ? 2 : reg & 4 ? 108 : 8;
    default:   return reg < 4 ? 2 : reg & 1 ? 8 : 10;
    }
}

static unsigned x86decode_p_bytes_one(const x86decode_insn *i) {
    unsigned op = i->opcode, reg = i->modrm >> 3 & 7;
    if (x86decode_p_in(op, 0xD8, 0xDF)) return x86decode_p_x87_bytes(op, reg);
    if (op == 0x63) return i->rex & X86DECODE_REX_W ? 4 : x86decode_p_operand(i);
    if (op == 0x8C || op == 0x8E) return 2;
    if (op == 0x8F) return i->prefixes & X86DECODE_66 ? 2 : 8;
    if (op == 0xFF && (reg == 2 || reg == 4 || reg == 6))
        return i->prefixes & X86DECODE_66 && reg == 6 ? 2 : 8;
    if (op == 0xFF && (reg == 3 || reg == 5)) return x86decode_p_operand(i) + 2;
    return op & 1 ? x86decode_p_operand(i) : 1;
}

static unsigned x86decode_p_bytes_two(const x86decode_insn *i, unsigned vector) {
    unsigned op = i->opcode, simd = i->prefixes & (X86DECODE_66 | X86DECODE_F2 | X86DECODE_F3),
             reg = i->modrm >> 3 & 7;
    unsigned element = simd & X86DECODE_F3 ? 4 : 8;
    if (i->coding == X86DECODE_LEGACY) {
        if (x86decode_p_in(op, 0x90, 0x9F) || op == 0xB6 || op == 0xBE || op == 0xB0 || op == 0xC0)
            return 1;
        if (op == 0xB7 || op == 0xBF) return 2;
        if (x86decode_p_in(op, 0x40, 0x4F) || x86decode_p_in(op, 0xA3, 0xAD) || op == 0xAF
            || op == 0xB1 || op == 0xB3 || x86decode_p_in(op, 0xB8, 0xBD) || op == 0xC1)
            return x86decode_p_operand(i);
        if (op == 0xC7)
            return reg == 1 ? 2 * (i->rex & X86DECODE_REX_W ? 8u : 4u) : reg >= 6 ? 8 : 0;
        if (op == 0xAE) return reg < 2 ? 512 : reg < 4 ? 4 : 0;
        if (op < 2 || op == 0x78 || op == 0x79) return 0;
    }
    if (op == 0x12 && simd & (X86DECODE_F2 | X86DECODE_F3))
        return simd & X86DECODE_F2 ? (vector == 16 ? 8 : vector) : vector;
    if (op == 0x16 && simd & X86DECODE_F3) return vector;
    if (op == 0x12 || op == 0x13 || op == 0x16 || op == 0x17 || op == 0xD6) return 8;
    if (op == 0x7E && simd & X86DECODE_F3) return 8;
    if (op == 0x6E || op == 0x7E || op == 0xC3) return i->rex & X86DECODE_REX_W ? 8 : 4;
    if (op == 0x2A && simd & (X86DECODE_F2 | X86DECODE_F3)) return i->rex & X86DECODE_REX_W ? 8 : 4;
    if (op == 0xC4) return 2;
    if (op == 0x2E || op == 0x2F) return simd & X86DECODE_66 ? 8 : 4;
    if (op == 0x2A || op == 0x2C || op == 0x2D)
        return simd & (X86DECODE_F2 | X86DECODE_F3) ? element : simd ? 16u : 8u;
    if (op == 0x5A && !(simd & (X86DECODE_F2 | X86DECODE_F3)))
        return simd & X86DECODE_66 ? vector : vector / 2;
    if (op == 0xE6) return simd & (X86DECODE_F3) ? vector / 2 : vector;
    if (op == 0x6F || op == 0x7F || op == 0x70 || op == 0xF0 || op == 0x7C || op == 0x7D
        || op == 0xD0) {
        return simd || i->coding != X86DECODE_LEGACY ? vector : 8;
    }
    if (i->coding == X86DECODE_VEX && x86decode_p_in(op, 0x90, 0x91))       /* masks */
        return i->rex & X86DECODE_REX_W ? (simd ? 4u : 8u) : simd ? 1u : 2u;
    if ((op == 0x10 || op == 0x11 || op == 0x51 || op == 0x52 || op == 0x53 || op == 0x2B
         || op == 0xC2 || x86decode_p_in(op, 0x58, 0x5F))
        && simd & (X86DECODE_F2 | X86DECODE_F3))
        return element;
    if (i->coding == X86DECODE_LEGACY && !simd
        && (x86decode_p_in(op, 0x60, 0x7F) || x86decode_p_in(op, 0xD0, 0xFF)))
        return x86decode_p_in(op, 0x60, 0x62) ? 4 : 8;
    if (x86decode_p_in(op, 0xD1, 0xD3) || x86decode_p_in(op, 0xE1, 0xE2)
        || x86decode_p_in(op, 0xF1, 0xF3))
        return 16;
    return vector;
}

static unsigned x86decode_p_bytes_three(const x86decode_insn *i, unsigned vector) {
    unsigned op = i->opcode, wide = i->rex & X86DECODE_REX_W ? 8u : 4u;
    if (i->map == 2) {
        static const uint8_t part[6]
            = {2, 4, 8, 2, 4, 2}; /* pmovsx, pmovzx: a part of the vector */
        if (x86decode_p_in(op, 0x20, 0x25) || x86decode_p_in(op, 0x30, 0x35))
            return vector / part[op & 7];
        if (op == 0xF0 || op == 0xF1) {
            if (i->prefixes & X86DECODE_F2 && op == 0xF0) return 1;
            return x86decode_p_operand(i);
        }
        if (x86decode_p_in(op, 0xF2, 0xF7) || x86decode_p_in(op, 0xE0, 0xEF)) return wide;
        if (i->coding == X86DECODE_LEGACY)
            return i->prefixes & X86DECODE_66 || op >= 0xC8 ? (op >= 0xF8 ? 0u : 16u) : 8u;
        if (i->coding == X86DECODE_VEX && (op == 0x49 || op == 0x4B)) return op == 0x49 ? 64 : 0;
        if (op == 0x18 || op == 0x58) return 4;
        if (op == 0x19 || op == 0x59) return 8;
        if (op == 0x1A || op == 0x5A) return 16;
        if (op == 0x78) return 1;
        if (op == 0x79) return 2;
        if (op == 0x13) return vector / 2;
        if (x86decode_p_in(op, 0x90, 0x93)) return wide;
        if (x86decode_p_in(op, 0x96, 0xBF) && op & 1 && (op & 15) >= 9) return wide;
        if (op == 0xDB) return 16;
        return vector;
    }
    if (op == 0x14 || op == 0x20) return 1;
    if (op == 0x15) return 2;
    if (op == 0x16 || op == 0x22) return wide;
    if (op == 0x17 || op == 0x21 || op == 0x0A) return 4;
    if (op == 0x0B) return 8;
    if (op == 0xF0) return wide;
    if (op == 0x18 || op == 0x19 || op == 0x38 || op == 0x39) return 16;
    if (op == 0x1D) return vector / 2;
    if (i->coding == X86DECODE_LEGACY && op == 0x0F && !(i->prefixes & X86DECODE_66)) return 8;
    if (i->coding == X86DECODE_VEX && op >= 0x68 && op < 0x80 && op & 2) return op & 1 ? 8 : 4;
    return vector;
}

static unsigned x86decode_p_bytes(const x86decode_insn *i, unsigned vector) {
    if (i->map == 0) return x86decode_p_bytes_one(i);
    if (i->map == 1) return x86decode_p_bytes_two(i, vector);
    if (i->map <= 3) return x86decode_p_bytes_three(i, vector);
    return 0;
}

static unsigned x86decode_p_prefixes(x86decode_p_state *s) {
    x86decode_insn *i = s->out;
    for (; s->at < s->size; s->at++) {
        unsigned byte = s->code[s->at];
        if (byte >= 0x40 && byte <= 0x4F) {
            i->rex = (uint8_t)(byte & 15) | X86DECODE_REX;
            continue;
        }
        switch (byte) {
        case 0x66: i->prefixes |= X86DECODE_66; break;
        case 0x67: i->prefixes |= X86DECODE_67; break;
        case 0xF0: i->prefixes |= X86DECODE_LOCK; break;
        case 0xF2: i->prefixes = (uint8_t)((i->prefixes & ~X86DECODE_F3) | X86DECODE_F2); break;
        case 0xF3: i->prefixes = (uint8_t)((i->prefixes & ~X86DECODE_F2) | X86DECODE_F3); break;
        case 0x64: i->prefixes = (uint8_t)((i->prefixes & ~X86DECODE_GS) | X86DECODE_FS); break;
        case 0x65: i->prefixes = (uint8_t)((i->prefixes & ~X86DECODE_FS) | X86DECODE_GS); break;
        case 0x26: case 0x2E: case 0x36: case 0x3E: i->prefixes |= X86DECODE_2E_3E; break;
        default: return 1;
        }
        i->rex = 0;  /* REX counts only right before the opcode */
    }
    return 0;
}

static int x86decode_p_need(const x86decode_p_state *s, unsigned bytes) {
    return s->size - s->at >= bytes;
}

/* C5, C4 and 8F: bits that REX has are stored inverted, `pp` names a prefix, L
   the vector's length. */
static int x86decode_p_vex(x86decode_p_state *s) {
    x86decode_insn *i = s->out;
    static const uint8_t prefix[4] = {0, X86DECODE_66, X86DECODE_F3, X86DECODE_F2};
    const uint8_t *p = s->code + s->at;
    unsigned last;
    if (i->rex || i->prefixes & (X86DECODE_66 | X86DECODE_F2 | X86DECODE_F3 | X86DECODE_LOCK))
        return 0;
    i->coding = p[0] == 0x8F ? X86DECODE_XOP : X86DECODE_VEX;
    if (p[0] == 0xC5) {
        if (!x86decode_p_need(s, 3)) return 0;
        i->map = 1;
        i->rex = p[1] & 0x80 ? 0 : X86DECODE_REX_R;
        last = p[1];
        s->at += 2;
    } else {
        if (!x86decode_p_need(s, 4)) return 0;
        i->map = p[1] & 31;
        if (i->coding == X86DECODE_VEX ? i->map < 1 || i->map > 3 : i->map < 8 || i->map > 10)
            return 0;
        i->rex = (uint8_t)((~p[1] >> 5 & 7) | (p[2] & 0x80 ? X86DECODE_REX_W : 0));
        last = p[2];
        s->at += 3;
    }
    i->vvvv = (uint8_t)(~last >> 3 & 15);
    i->prefixes |= prefix[last & 3];
    s->vector_length = last >> 2 & 1;
    i->opcode = s->code[s->at++];
    return 1;
}

static int x86decode_p_evex(x86decode_p_state *s) {
    x86decode_insn *i = s->out;
    static const uint8_t prefix[4] = {0, X86DECODE_66, X86DECODE_F3, X86DECODE_F2};
    const uint8_t *p = s->code + s->at;
    if (i->rex || i->prefixes & (X86DECODE_66 | X86DECODE_F2 | X86DECODE_F3 | X86DECODE_LOCK))
        return 0;
    if (!x86decode_p_need(s, 5) || p[1] & 8 || !(p[2] & 4)) return 0;
    i->coding = X86DECODE_EVEX;
    i->map = p[1] & 7;
    if (i->map == 0 || i->map == 4 || i->map == 7) return 0;
    i->rex = (uint8_t)((~p[1] >> 5 & 7) | (p[2] & 0x80 ? X86DECODE_REX_W : 0));
    i->vvvv = (uint8_t)((~p[2] >> 3 & 15) | (p[3] & 8 ? 0 : 16));
    s->index_5 = p[3] & 8 ? 0 : 16;
    i->prefixes |= prefix[p[2] & 3];
    s->vector_length = p[3] >> 5 & 3;
    s->broadcast = p[3] >> 4 & 1;
    i->opcode = p[4];
    s->at += 5;
    return 1;
}

/* 1: the opcode is read and s->at follows it. */
static int x86decode_p_opcode(x86decode_p_state *s) {
    x86decode_insn *i = s->out;
    unsigned byte = s->code[s->at];
    if (byte == 0xC4 || byte == 0xC5) return x86decode_p_vex(s);
    if (byte == 0x8F && x86decode_p_need(s, 2) && (s->code[s->at + 1] & 31) >= 8)
        return x86decode_p_vex(s);
    if (byte == 0x62) return x86decode_p_evex(s);
    s->at++;
    if (byte == 0x0F) {
        if (!x86decode_p_need(s, 1)) return 0;
        byte = s->code[s->at++];
        i->map = 1;
        if (byte == 0x38 || byte == 0x3A) {
            i->map = byte == 0x38 ? 2 : 3;
            if (!x86decode_p_need(s, 1)) return 0;
            byte = s->code[s->at++];
        }
    }
    i->opcode = (uint8_t)byte;
    return 1;
}

static int64_t x86decode_p_signed(const uint8_t *p, unsigned bytes) {
    uint64_t value = 0;
    unsigned n;
    if (bytes == 0) return 0;
    if (bytes == 1) return (int64_t)(p[0] ^ 0x80u) - 0x80;
    if (bytes == 4) {
        value = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        return (int64_t)(value ^ 0x80000000u) - INT64_C(0x80000000);
    }
    for (n = 0; n < bytes; n++) value |= (uint64_t)p[n] << (8 * n);
    if (bytes < 8 && bytes && p[bytes - 1] & 0x80) value |= ~UINT64_C(0) << (8 * bytes);
    return (int64_t)value;
}

static int x86decode_p_modrm(x86decode_p_state *s) {
    x86decode_insn *i = s->out;
    unsigned mod, rm, size = 0;
    if (!x86decode_p_need(s, 1)) return 0;
    i->has_modrm = 1;
    i->modrm = s->code[s->at++];
    mod = i->modrm >> 6;
    rm = i->modrm & 7;
    if (mod == 3) return 1;
    if (i->map == 1 && i->coding == X86DECODE_LEGACY && x86decode_p_in(i->opcode, 0x20, 0x23))
        return 1;
    i->memory = 1;
    i->base = (int8_t)(rm | (i->rex & X86DECODE_REX_B ? 8u : 0));
    size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    if (rm == 4) {
        unsigned sib;
        if (!x86decode_p_need(s, 1)) return 0;
        sib = s->code[s->at++];
        i->scale = (uint8_t)(1u << (sib >> 6));
        i->index = (int8_t)((sib >> 3 & 7) | (i->rex & X86DECODE_REX_X ? 8u : 0));
        i->base = (int8_t)((sib & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0));
        if ((sib & 7) == 5 && mod == 0) { i->base = X86DECODE_NONE; size = 4; }
        i->vsib = i->coding != X86DECODE_LEGACY && i->map == 2
                  && (x86decode_p_in(i->opcode, 0x90, 0x93)
                      || (i->coding == X86DECODE_EVEX
                          && (x86decode_p_in(i->opcode, 0xA0, 0xA3) || i->opcode == 0xC6
                              || i->opcode == 0xC7)));
        if (i->vsib) i->index = (int8_t)((unsigned)i->index | s->index_5);
        else if (i->index == 4) i->index = X86DECODE_NONE;
    } else if (rm == 5 && mod == 0) {
        i->base = X86DECODE_RIP;
        size = 4;
    }
    if (!x86decode_p_need(s, size)) return 0;
    i->displacement_at = (uint8_t)s->at;
    i->displacement_size = (uint8_t)size;
    i->displacement = x86decode_p_signed(s->code + s->at, size);
    if (size == 1 && i->coding == X86DECODE_EVEX)
        i->displacement *= (int64_t)x86decode_p_evex_scale(s);
    s->at += size;
    return 1;
}

static int x86decode_p_immediate(x86decode_p_state *s) {
    x86decode_insn *i = s->out;
    unsigned what = s->attributes & 15, size = 0, reg = i->modrm >> 3 & 7;
    unsigned narrow = i->prefixes & X86DECODE_66 && !(i->rex & X86DECODE_REX_W);
    if (i->map == 0 && i->coding == X86DECODE_LEGACY && (i->opcode == 0xF6 || i->opcode == 0xF7))
        what = reg >= 2 ? 0 : i->opcode == 0xF6 ? 1 : 2;
    if (i->map == 1 && i->coding == X86DECODE_LEGACY && i->opcode == 0x78
        && i->prefixes & (X86DECODE_66 | X86DECODE_F2)) what = 3;
    switch (what) {
    case 1: case 6: size = 1; break;
    case 2: size = narrow && i->coding == X86DECODE_LEGACY ? 2 : 4; break;
    case 3: size = 2; break;
    case 4: size = i->rex & X86DECODE_REX_W ? 8 : narrow ? 2 : 4; break;
    case 5: size = i->prefixes & X86DECODE_67 ? 4 : 8; break;
    case 7: size = 4; break;
    case 8: size = 3; break;
    default: break;
    }
    if (!x86decode_p_need(s, size)) return 0;
    i->immediate_at = (uint8_t)s->at;
    i->immediate_size = (uint8_t)size;
    i->immediate = x86decode_p_signed(s->code + s->at, size);
    s->at += size;
    if (what == 5) {
        i->memory = 1;
        i->displacement = size == 4 ? (int64_t)(uint32_t)i->immediate : i->immediate;
        i->access = i->opcode < 0xA2 ? X86DECODE_READ : X86DECODE_WRITE;
    }
    return 1;
}

static void x86decode_p_kind(x86decode_insn *i) {
    unsigned op = i->opcode, reg = i->modrm >> 3 & 7;
    if (i->coding != X86DECODE_LEGACY) {
        if (i->map == 1 && op == 0xF7) i->implicit = X86DECODE_STORE_RDI;
        return;
    }
    if (i->map == 1) {
        if (x86decode_p_in(op, 0x80, 0x8F)) i->kind = X86DECODE_BRANCH;
        else if (op == 0x0B || op == 0xB9 || op == 0xFF) i->kind = X86DECODE_TRAP;
        else if (op == 0x05 || op == 0x34) i->kind = X86DECODE_SYSCALL;
        else if (op == 0x07 || op == 0x35) i->kind = X86DECODE_RETURN;
        else if (op == 0xA0 || op == 0xA8) i->implicit = X86DECODE_PUSH;
        else if (op == 0xA1 || op == 0xA9) i->implicit = X86DECODE_POP;
        else if (op == 0xF7) i->implicit = X86DECODE_STORE_RDI;
        return;
    }
    if (i->map != 0 || op < 0x50 || x86decode_p_in(op, 0x80, 0x8E)) return;
    if (x86decode_p_in(op, 0x50, 0x57) || op == 0x68 || op == 0x6A || op == 0x9C || op == 0xC8)
        i->implicit = X86DECODE_PUSH;
    if (x86decode_p_in(op, 0x58, 0x5F) || op == 0x9D || op == 0xC9 || op == 0x8F)
        i->implicit = X86DECODE_POP;
    if (x86decode_p_in(op, 0x70, 0x7F)) i->kind = X86DECODE_BRANCH;
    switch (op) {
    case 0xEB: case 0xE9: i->kind = X86DECODE_JUMP; break;
    case 0xE0: case 0xE1: case 0xE2: case 0xE3: i->kind = X86DECODE_LOOP; break;
    case 0xE8: i->kind = X86DECODE_CALL; i->implicit = X86DECODE_PUSH; break;
    case 0xC2: case 0xC3: case 0xCA: case 0xCB: case 0xCF:
        i->kind = X86DECODE_RETURN;
        i->implicit = X86DECODE_POP;
        break;
    case 0xCC: case 0xF4: i->kind = X86DECODE_TRAP; break;
    case 0xCD: case 0xF1: i->kind = X86DECODE_SYSCALL; break;
    case 0xC7: if (i->modrm == 0xF8) i->kind = X86DECODE_XBEGIN; break;
    case 0xFF:
        if (reg == 2 || reg == 3) {
            i->kind = X86DECODE_CALL_INDIRECT;
            i->implicit = X86DECODE_PUSH;
        }
        if (reg == 4 || reg == 5) i->kind = X86DECODE_JUMP_INDIRECT;
        if (reg == 6) i->implicit = X86DECODE_PUSH;
        break;
    case 0x6C: case 0x6D: case 0xAA: case 0xAB: i->implicit = X86DECODE_STORE_RDI; break;
    case 0x6E: case 0x6F: case 0xAC: case 0xAD: i->implicit = X86DECODE_LOAD_RSI; break;
    case 0xA4: case 0xA5: i->implicit = X86DECODE_LOAD_RSI | X86DECODE_STORE_RDI; break;
    case 0xA6: case 0xA7: i->implicit = X86DECODE_LOAD_RSI | X86DECODE_LOAD_RDI; break;
    case 0xAE: case 0xAF: i->implicit = X86DECODE_LOAD_RDI; break;
    default: break;
    }
}

BINPATCH_API unsigned x86decode(const void *code, size_t size, x86decode_insn *out) {
    x86decode_p_state s;
    unsigned a;
    static const x86decode_insn empty
        = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    s.code = (const uint8_t *)code;
    s.size = size > 15 ? 15 : (unsigned)size;
    s.at = s.attributes = s.vector_length = s.broadcast = s.index_5 = 0;
    s.out = out;
    *out = empty;
    if (!x86decode_p_prefixes(&s) || !x86decode_p_opcode(&s)) return 0;
    if (s.at < s.size) out->modrm = s.code[s.at];                   /* VEX AE looks at it */
    a = x86decode_p_attributes(out);
    if (a & X86DECODE_P_BAD) return 0;
    if (a & X86DECODE_P_MODRM) {
        if (!x86decode_p_modrm(&s)) return 0;
        a = x86decode_p_group(out, a);
    } else out->modrm = 0;
    s.attributes = a;
    if (!x86decode_p_immediate(&s)) return 0;
    if (out->displacement_size || out->memory) {
        if (a & X86DECODE_P_MODRM) {
            out->access = (uint8_t)(a >> 5 & 3);  /* the attribute's bits, in the same order */
        }
        if (!out->access) out->access_bytes = 0;
        else if (out->coding == X86DECODE_EVEX)
            out->access_bytes = (uint16_t)x86decode_p_evex_scale(&s);
        else
            out->access_bytes = (uint16_t)x86decode_p_bytes(
                out, s.vector_length && out->coding != X86DECODE_LEGACY ? 32 : 16);
    }
    x86decode_p_kind(out);
    /* Under 66 without REX.W the distance has two bytes on AMD and four on
       Intel. */
    if (x86decode_p_in(out->kind, X86DECODE_JUMP, X86DECODE_CALL) && out->prefixes & X86DECODE_66
        && !(out->rex & X86DECODE_REX_W) && out->immediate_size == 4) return 0;
    out->length = (uint8_t)s.at;
    return s.at;
}

BINPATCH_API uint64_t x86decode_target(const x86decode_insn *insn, uint64_t address) {
    return address + insn->length + (uint64_t)insn->immediate;
}
