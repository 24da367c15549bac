/* instruction.c - one instruction, by the decoder of binpatch.h. */
#include "cc/prove/instruction.h"
#include <string.h>
#define BINPATCH_STATIC
#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"
#include "base/x86effects.h"

static unsigned kind_of(const x86decode_insn *i) {
    switch (i->kind) {
    case X86DECODE_JUMP: return INSN_JUMP;
    case X86DECODE_BRANCH:
    case X86DECODE_LOOP: return INSN_BRANCH;
    case X86DECODE_CALL: return INSN_CALL;
    case X86DECODE_RETURN: return INSN_RETURN;
    case X86DECODE_JUMP_INDIRECT: return INSN_JUMP_ANY;
    case X86DECODE_CALL_INDIRECT: return INSN_CALL_ANY;
    case X86DECODE_TRAP: return INSN_TRAP;
    case X86DECODE_XBEGIN: return INSN_BEGIN;
    default: return INSN_PLAIN;
    }
}

unsigned prove_instruction(const unsigned char *code, size_t size, prove_insn *out) {
    x86decode_insn i;
    x86decode_effect e;
    memset(out, 0, sizeof *out);
    if (!x86decode(code, size, &i)) return 0;
    x86decode_effects(&i, &e);
    out->length = i.length;
    out->kind = kind_of(&i);
    out->map = i.map;
    out->opcode = i.opcode;
    out->digit = i.modrm >> 3 & 7;
    out->is_legacy = i.coding == X86DECODE_LEGACY;
    out->narrow = i.map == 0 && !(i.opcode & 1);
    out->bytes = i.rex & X86DECODE_REX_W ? 8 : i.prefixes & X86DECODE_66 ? 2 : 4;
    out->has_modrm = i.has_modrm;
    out->memory = i.memory;
    out->writes_memory = (i.access & X86DECODE_WRITE) != 0 ||
                         (i.implicit & X86DECODE_STORE_RDI) != 0;
    out->sets_flags = (e.flags & (X86DECODE_FLAGS_WRITE | X86DECODE_FLAGS_KILL)) != 0;
    out->fs = (i.prefixes & X86DECODE_FS) != 0;
    out->reg = (int)out->digit | (i.rex & X86DECODE_REX_R ? 8 : 0);
    out->rm = i.memory ? -1 : (i.modrm & 7) | (i.rex & X86DECODE_REX_B ? 8 : 0);
    if (!i.has_modrm) out->rm = (i.opcode & 7) | (i.rex & X86DECODE_REX_B ? 8 : 0);
    out->base = i.base;
    out->index = i.vsib ? BASE_RIP : i.index;
    out->scale = i.scale;
    out->displacement = i.displacement;
    out->displacement_size = i.displacement_size;
    out->immediate = i.immediate;
    out->immediate_size = i.immediate_size;
    out->reads = e.reads;
    out->writes = e.writes;
    return i.length;
}
