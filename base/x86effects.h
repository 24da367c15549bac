/* x86effects.h - which general registers an instruction of x86-64 reads and writes,
   and what it does to the six status flags. The instruction is one of binpatch.h's
   decoder. For the engine of `bursty record` and for `bursty place --prove`, each of
   which includes this file in one of its own. */
#ifndef X86EFFECTS_H
#define X86EFFECTS_H
#include "../binpatch.h"

enum { X86DECODE_FLAGS_READ = 1, X86DECODE_FLAGS_WRITE = 2, X86DECODE_FLAGS_KILL = 4 };

typedef struct x86decode_effect {   /* masks: bit 0 is rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp ... 15 r15 */
    uint16_t reads;                 /* may read: never too few                                    */
    uint16_t writes;                /* may write: never too few                                   */
    uint16_t sets;                  /* overwrites whole and always: never too many                */
    uint8_t  flags;                 /* KILL: all six status flags are written; WRITE: some may be */
} x86decode_effect;

enum {
    EFFECTS_RAX = 1,
    EFFECTS_RCX = 2,
    EFFECTS_RDX = 4,
    EFFECTS_RBX = 8,
    EFFECTS_RSP = 16,
    EFFECTS_RBP = 32,
    EFFECTS_RSI = 64,
    EFFECTS_RDI = 128,
    EFFECTS_ALL = 0xFFFF,
    EFFECTS_VOLATILE = 0x0FC7
};

typedef struct effects_of { unsigned reads, writes, sets, flags; } effects_of;

static int effects_in(unsigned value, unsigned first, unsigned last) {
    return value >= first && value <= last;
}
static unsigned effects_if(int condition, unsigned mask) {
    return condition ? mask : 0;
}
static unsigned effects_bit(const x86decode_insn *i, unsigned number, unsigned narrow) {
    if (narrow && !i->rex && number >= 4 && number < 8) number -= 4;        /* ah ch dh bh */
    return 1u << (number & 15);
}
static unsigned effects_reg(const x86decode_insn *i, unsigned narrow) {
    return effects_bit(i, (i->modrm >> 3 & 7) | (i->rex & X86DECODE_REX_R ? 8u : 0), narrow);
}
static unsigned effects_rm(const x86decode_insn *i, unsigned narrow) {
    if (i->memory) return 0;
    return effects_bit(i, (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), narrow);
}

static void effects_unknown(effects_of *e) {
    e->reads = e->writes = EFFECTS_ALL;
    e->sets = 0;
    e->flags = X86DECODE_FLAGS_READ | X86DECODE_FLAGS_WRITE;
}

static void effects_call(effects_of *e) {
    e->reads = EFFECTS_ALL;
    e->writes = EFFECTS_VOLATILE;
    e->flags = X86DECODE_FLAGS_KILL;
}

/* dst = dst op src; whole: the destination is written without being read, and
   all of it */
static void effects_move(effects_of *e, unsigned dst, unsigned src, int whole) {
    e->reads |= src | (whole ? 0 : dst);
    e->writes |= dst;
    if (whole) e->sets |= dst;
}

static void effects_alu(const x86decode_insn *i, effects_of *e) {
    unsigned op = i->opcode, what = op >> 3 & 7, narrow = !(op & 1), form = op & 7;
    unsigned reg = effects_reg(i, narrow), rm = effects_rm(i, narrow);
    unsigned dst = form < 2 ? rm : form < 4 ? reg : 1u, src = form < 2 ? reg : form < 4 ? rm : 0;
    e->flags = X86DECODE_FLAGS_KILL | effects_if(what == 2 || what == 3, X86DECODE_FLAGS_READ);
    e->reads |= src | dst;
    if (what == 7) return;
    e->writes |= dst;
    if (what == 6 && !narrow && dst == src && form < 4
        && !(i->prefixes & X86DECODE_66)) { /* xor %eax,%eax */
        e->reads &= ~dst;
        e->sets |= dst;
    }
}

static void effects_one(const x86decode_insn *i, effects_of *e) {
    unsigned op = i->opcode, narrow = !(op & 1), digit = i->modrm >> 3 & 7;
    unsigned reg = effects_reg(i, narrow), rm = effects_rm(i, narrow);
    unsigned low = effects_bit(i, (op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), 0);
    int wide = !(i->prefixes & X86DECODE_66) || i->rex & X86DECODE_REX_W;
    if (op < 0x40 && (op & 7) < 6) { effects_alu(i, e); return; }
    if (effects_in(op, 0x50, 0x57)) {
        e->reads = low | EFFECTS_RSP;
        e->writes = EFFECTS_RSP;
        return;
    }
    if (effects_in(op, 0x58, 0x5F)) {
        e->reads = EFFECTS_RSP;
        e->writes = low | EFFECTS_RSP;
        if (wide) e->sets = low;
        return;
    }
    if (effects_in(op, 0x70, 0x7F)) { e->flags = X86DECODE_FLAGS_READ; return; }
    if (effects_in(op, 0x90, 0x97)) {
        if (low != EFFECTS_RAX) { e->reads = e->writes = low | EFFECTS_RAX; }
        return;
    }
    if (effects_in(op, 0xB0, 0xB7)) {
        low = effects_bit(i, (op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), 1);
        effects_move(e, low, 0, 0);
        return;
    }
    if (effects_in(op, 0xB8, 0xBF)) { effects_move(e, low, 0, wide); return; }
    if (effects_in(op, 0xD8, 0xDF)) {
        if (op == 0xDF && i->modrm == 0xE0) e->writes |= EFFECTS_RAX;
        if (!i->memory && (op == 0xDB || op == 0xDF) && i->modrm >= 0xE8)
            e->flags = X86DECODE_FLAGS_WRITE;
        if (!i->memory && (op == 0xDA || op == 0xDB) && i->modrm < 0xE0)
            e->flags = X86DECODE_FLAGS_READ;
        return;
    }
    switch (op) {
    case 0x63: effects_move(e, reg, rm, wide); return;
    case 0x68: case 0x6A: e->reads |= EFFECTS_RSP; e->writes |= EFFECTS_RSP; return;
    case 0x69: case 0x6B:
        effects_move(e, effects_reg(i, 0), effects_rm(i, 0), wide);
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xA4:
    case 0xA5:
    case 0xA6:
    case 0xA7:
    case 0xAA:
    case 0xAB:
    case 0xAC:
    case 0xAD:
    case 0xAE:
    case 0xAF:
        e->reads |= EFFECTS_RSI | EFFECTS_RDI | EFFECTS_RCX | EFFECTS_RAX;
        e->writes |= EFFECTS_RSI | EFFECTS_RDI | EFFECTS_RCX | EFFECTS_RAX;
        if ((op & 7) >= 6)
            e->flags = X86DECODE_FLAGS_WRITE; /* cmps, scas: rep 0 times writes none */
        return;
    case 0x80: case 0x81: case 0x83:
        e->reads |= rm = effects_rm(i, op == 0x80);
        if (digit != 7) e->writes |= rm;
        e->flags
            = X86DECODE_FLAGS_KILL | effects_if(digit == 2 || digit == 3, X86DECODE_FLAGS_READ);
        return;
    case 0x84: case 0x85: e->reads |= reg | rm; e->flags = X86DECODE_FLAGS_KILL; return;
    case 0x86: case 0x87: e->reads |= reg | rm; e->writes |= reg | rm; return;
    case 0x88: case 0x89: effects_move(e, rm, reg, op == 0x89 && wide); return;
    case 0x8A: case 0x8B: effects_move(e, reg, rm, op == 0x8B && wide); return;
    case 0x8C: effects_move(e, effects_rm(i, 0), 0, 0); return;
    case 0x8D: effects_move(e, reg, 0, wide); return;
    case 0x8E: e->reads |= effects_rm(i, 0); return;
    case 0x8F: e->reads |= EFFECTS_RSP; e->writes |= EFFECTS_RSP | rm; return;
    case 0x98: e->reads = e->writes = EFFECTS_RAX; return;
    case 0x99: effects_move(e, EFFECTS_RDX, EFFECTS_RAX, wide); return;
    case 0x9B: case 0xFC: case 0xFD: case 0xCC: case 0xF4: return;
    case 0x9C: e->reads = e->writes = EFFECTS_RSP; e->flags = X86DECODE_FLAGS_READ; return;
    case 0x9D: e->reads = e->writes = EFFECTS_RSP; e->flags = X86DECODE_FLAGS_KILL; return;
    case 0x9E: e->reads = EFFECTS_RAX; e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0x9F: e->reads = e->writes = EFFECTS_RAX; e->flags = X86DECODE_FLAGS_READ; return;
    case 0xA0: case 0xA1: e->reads = e->writes = EFFECTS_RAX; return;
    case 0xA2: case 0xA3: e->reads = EFFECTS_RAX; return;
    case 0xA8: case 0xA9: e->reads = EFFECTS_RAX; e->flags = X86DECODE_FLAGS_KILL; return;
    case 0xC0: case 0xC1: case 0xD0: case 0xD1: case 0xD2: case 0xD3:
        e->reads |= rm | effects_if(op >= 0xD2, EFFECTS_RCX);
        e->writes |= rm;
        e->flags = X86DECODE_FLAGS_WRITE
                   | effects_if(digit == 2 || digit == 3, X86DECODE_FLAGS_READ);
        /* A shift by 0 leaves them, and a rotation leaves most of them. */
        if (digit > 3 && op < 0xD2
            && (op >= 0xD0 || i->immediate & (i->rex & X86DECODE_REX_W ? 63 : 31)))
            e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xC6: case 0xC7:
        if (i->kind == X86DECODE_XBEGIN) { effects_unknown(e); return; }
        effects_move(e, rm, 0, op == 0xC7 && wide);
        return;
    case 0xC2: case 0xC3:  /* by the ABI: results and what callers keep */
        e->reads = EFFECTS_ALL & ~(unsigned)EFFECTS_VOLATILE;
        e->reads |= EFFECTS_RAX | EFFECTS_RDX | EFFECTS_RSP;
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xC8: case 0xC9: e->reads = e->writes = EFFECTS_RBP | EFFECTS_RSP; return;
    case 0xE0:
    case 0xE1:
        e->flags = X86DECODE_FLAGS_READ;
        e->reads = e->writes = EFFECTS_RCX;
        return;
    case 0xE2: e->reads = e->writes = EFFECTS_RCX; return;
    case 0xE3: e->reads = EFFECTS_RCX; return;
    case 0xE8: effects_call(e); return;
    case 0xE9: case 0xEB: return;
    case 0xF5: e->flags = X86DECODE_FLAGS_READ | X86DECODE_FLAGS_WRITE; return;
    case 0xF8: case 0xF9: e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0xF6: case 0xF7:
        e->reads |= rm;
        if (digit != 2) e->flags = X86DECODE_FLAGS_KILL;
        if (digit == 2 || digit == 3) e->writes |= rm;
        if (digit >= 4) {
            e->reads |= EFFECTS_RAX | EFFECTS_RDX;
            e->writes |= EFFECTS_RAX | EFFECTS_RDX;
        }
        return;
    case 0xFE: e->reads |= rm; e->writes |= rm; e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0xFF:
        e->reads |= rm;
        if (digit < 2) { e->writes |= rm; e->flags = X86DECODE_FLAGS_WRITE; }
        else if (digit < 4) effects_call(e);
        else if (digit == 6) { e->reads |= EFFECTS_RSP; e->writes |= EFFECTS_RSP; }
        return;
    default: effects_unknown(e); return;
    }
}

/* After 0F, and map 1 of VEX and EVEX: most opcodes have vector registers
   only. */
static void effects_two(const x86decode_insn *i, effects_of *e) {
    unsigned op = i->opcode, narrow = op == 0xB0 || op == 0xC0;
    unsigned reg = effects_reg(i, narrow), rm = effects_rm(i, narrow);
    int legacy = i->coding == X86DECODE_LEGACY,
        wide = !(i->prefixes & X86DECODE_66) || i->rex & X86DECODE_REX_W;
    switch (op) {
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x15:
    case 0x16:
    case 0x17:
    case 0x28:
    case 0x29:
    case 0x2B: case 0xC2: case 0xC6: case 0x77: return;
    case 0x2A: case 0x6E: case 0xC4: e->reads |= rm; return;
    case 0x2C: case 0x2D: case 0xC5: case 0xD7: effects_move(e, reg, 0, 1); return;
    case 0x2E: case 0x2F: e->flags = X86DECODE_FLAGS_KILL; return;
    case 0x7E: if (!(i->prefixes & X86DECODE_F3)) effects_move(e, rm, 0, 1); return;
    case 0xF7: e->reads |= EFFECTS_RDI; return;
    default: break;
    }
    if (effects_in(op, 0x51, 0x76) || effects_in(op, 0x7C, 0x7F)
        || effects_in(op, 0xD0, 0xFE))
        return;
    if (op == 0x50) { effects_move(e, reg, 0, 1); return; }
    if (!legacy) {
        if (i->coding == X86DECODE_EVEX && effects_in(op, 0x78, 0x7B)) {
            e->writes |= reg;
            e->reads |= rm;
            return;
        }
        if (i->coding == X86DECODE_VEX
            && (effects_in(op, 0x41, 0x4B) || effects_in(op, 0x90, 0x91)))
            return;
        if (op == 0x92) { e->reads |= rm; return; }
        if (op == 0x93) { effects_move(e, reg, 0, 1); return; }
        if (op == 0x98 || op == 0x99) { e->flags = X86DECODE_FLAGS_KILL; return; }
        effects_unknown(e);
        return;
    }
    if (effects_in(op, 0x80, 0x8F)) { e->flags = X86DECODE_FLAGS_READ; return; }
    if (effects_in(op, 0x40, 0x4F)) {
        effects_move(e, reg, rm, 0);
        e->flags = X86DECODE_FLAGS_READ;
        return;
    }
    if (effects_in(op, 0x90, 0x9F)) {
        effects_move(e, effects_rm(i, 1), 0, 0);
        e->flags = X86DECODE_FLAGS_READ;
        return;
    }
    if (effects_in(op, 0xC8, 0xCF)) {
        unsigned low = effects_bit(i, (op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), 0);
        e->reads = e->writes = low;
        return;
    }
    if (op == 0x0D || (effects_in(op, 0x18, 0x1F) && op != 0x1A && op != 0x1B && op != 0x1E)
        || op == 0x0B)
        return;
    switch (op) {
    case 0x1E:
        if (i->prefixes & X86DECODE_F3 && !i->memory) e->writes |= rm;
        return; /* rdssp, endbr64 */
    case 0x31: e->writes = e->sets = EFFECTS_RAX | EFFECTS_RDX; return;
    case 0xA2: e->reads = EFFECTS_RAX | EFFECTS_RCX; e->writes = 15; e->sets = 15; return;
    case 0xA3: e->reads |= reg | rm; e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0xAB: case 0xB3: case 0xBB: case 0xBA:
        e->reads |= rm | (op == 0xBA ? 0 : reg);
        e->writes |= rm;
        e->flags = X86DECODE_FLAGS_WRITE;
        return;
    case 0xA4: case 0xA5: case 0xAC: case 0xAD:
        e->reads |= rm | reg | EFFECTS_RCX;
        e->writes |= rm;
        e->flags = X86DECODE_FLAGS_WRITE;
        return;
    case 0xAF: effects_move(e, reg, rm, 0); e->flags = X86DECODE_FLAGS_KILL; return;
    case 0xB0: case 0xB1:
        e->reads |= reg | rm | EFFECTS_RAX;
        e->writes |= rm | EFFECTS_RAX;
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xB6: case 0xBE: effects_move(e, reg, effects_rm(i, 1), wide); return;
    case 0xB7: case 0xBF: effects_move(e, reg, rm, wide); return;
    case 0xB8: effects_move(e, reg, rm, wide); e->flags = X86DECODE_FLAGS_KILL; return;
    case 0xBC: case 0xBD: effects_move(e, reg, rm, 0); e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0xC0:
    case 0xC1:
        e->reads |= reg | rm;
        e->writes |= reg | rm;
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xC3: e->reads |= reg; return;
    case 0xC7:
        e->reads |= rm | 15;
        e->writes |= rm | 15;
        e->flags = X86DECODE_FLAGS_WRITE;
        return;
    case 0xAE:
        e->reads |= rm | EFFECTS_RAX | EFFECTS_RDX;
        e->writes |= rm;
        return;
    default: effects_unknown(e); return;
    }
}

static void effects_three(const x86decode_insn *i, effects_of *e) {
    unsigned op = i->opcode, reg = effects_reg(i, 0), rm = effects_rm(i, 0);
    if (i->map == 2) {
        if (op == 0x17 || (i->coding == X86DECODE_VEX && (op == 0x0E || op == 0x0F))) {
            e->flags = X86DECODE_FLAGS_KILL;
            return;
        }
        if (op >= 0xE0) {
            if (op < 0xF0 || i->coding == X86DECODE_EVEX) { effects_unknown(e); return; }
            e->reads |= reg | rm | 1u << (i->vvvv & 15) | EFFECTS_RDX | EFFECTS_RAX;
            e->writes |= reg | rm | 1u << (i->vvvv & 15);
            e->flags = X86DECODE_FLAGS_READ | X86DECODE_FLAGS_WRITE;
            if (op >= 0xF8) effects_unknown(e);
            return;
        }
        if (i->coding == X86DECODE_EVEX && effects_in(op, 0x7A, 0x7C)) e->reads |= rm;
        if (op >= 0x80 && op <= 0x82) effects_unknown(e);
        return;
    }
    if (effects_in(op, 0x14, 0x17)) { effects_move(e, rm, 0, 1); return; }
    if (effects_in(op, 0x20, 0x22)) { e->reads |= rm; return; }
    if (effects_in(op, 0x60, 0x63)) {
        e->reads |= EFFECTS_RAX | EFFECTS_RDX;
        e->writes |= EFFECTS_RCX;
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    }
    if (op == 0xF0) { effects_move(e, reg, rm, 1); return; }
}

/* Registers and flags. Of what it does not know it says that it reads and
   writes everything. Calls and returns are taken by the System V ABI: a call
   reads everything and may overwrite rax, rcx, rdx, rsi, rdi, r8 to r11 and the
   flags. */
static void x86decode_effects(const x86decode_insn *i, x86decode_effect *out) {
    effects_of e = {0, 0, 0, 0};
    if (i->coding == X86DECODE_XOP) effects_unknown(&e);
    else if (i->kind == X86DECODE_SYSCALL || i->kind == X86DECODE_XBEGIN) effects_unknown(&e);
    else if (i->kind == X86DECODE_RETURN && i->opcode != 0xC2 && i->opcode != 0xC3)
        effects_unknown(&e);
    else if (i->map == 0) effects_one(i, &e);
    else if (i->map == 1) effects_two(i, &e);
    else if (i->map <= 3) effects_three(i, &e);
    if (i->memory && i->base >= 0) e.reads |= 1u << i->base;
    if (i->memory && i->index >= 0 && !i->vsib) e.reads |= 1u << i->index;
    out->reads = (uint16_t)e.reads;
    out->writes = (uint16_t)(e.writes | e.sets);
    out->sets = (uint16_t)e.sets;
    out->flags = (uint8_t)e.flags;
}
#endif
