/* x86decode_zydis.c - x86decode_zydis COUNT [SEED]: the decoder against Zydis
   on random strings. Zydis knows which instructions exist; x86decode knows only
   how long they are and what they touch. So a string counts if both take it.
   Prints the first differences of each kind and a closing line; the exit status
   is 1 if there was a difference.

   One difference is known and explained, and is counted apart. In an
   instruction with the prefix 67, REX.B, ModRM of mod 0 and rm 4, and a SIB
   byte whose base is 5, there is no base, and a displacement of four bytes.
   Zydis 4 says r13d and no displacement, and has the length right all the same.
   The processor itself is asked who is right: see the_processor_agrees. */
#define BINPATCH_IMPLEMENTATION
#define BINPATCH_STATIC
#include "binpatch.h"
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH, OPERAND, ACCESS, TARGET, KINDS };
static const char *const names[KINDS] = {"length", "operand", "access", "target"};
static unsigned long differences[KINDS], both, only_ours, only_theirs, explained;
static uint64_t state;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void differs(int kind, const unsigned char *code, const x86decode_insn *i,
                    const ZydisDecodedInstruction *z) {
    static unsigned char shown[KINDS][ZYDIS_MNEMONIC_MAX_VALUE + 1];
    unsigned n;
    differences[kind]++;
    if (shown[kind][z->mnemonic]++ >= 1) {
        shown[kind][z->mnemonic] = 1;
        return;
    }
    printf("%s:", names[kind]);
    for (n = 0; n < z->length || n < i->length; n++) printf(" %02x", code[n]);
    printf("  %s, length %u and %u, access %d\n", ZydisMnemonicGetString(z->mnemonic), i->length,
           z->length, i->access);
}

/* A general register's number, or what x86decode says instead. */
static int number_of(ZydisRegister r) {
    if (r == ZYDIS_REGISTER_NONE) return X86DECODE_NONE;
    if (r == ZYDIS_REGISTER_RIP || r == ZYDIS_REGISTER_EIP) return X86DECODE_RIP;
    return ZydisRegisterGetId(r);
}

/* The operand that ModRM or moffs names: explicit for Zydis, too. */
static const ZydisDecodedOperand *memory_of(const ZydisDecodedInstruction *z,
                                            const ZydisDecodedOperand *operands) {
    unsigned n;
    for (n = 0; n < z->operand_count; n++) {
        const ZydisDecodedOperand *o = &operands[n];
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
        if (o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) return o;
        if (z->attributes & ZYDIS_ATTRIB_HAS_MODRM && o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
            return o;
    }
    return NULL;
}

/* What Zydis calls a read or a write, and is none: nops, prefetches and cache
   lines that are moved without being looked at. */
static int touches_nothing(const ZydisDecodedInstruction *z) {
    switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE:
    case ZYDIS_MNEMONIC_INVLPG: return 1;
    default: return !strncmp(ZydisMnemonicGetString(z->mnemonic), "bnd", 3) /* nops by now */
                    || !strncmp(ZydisMnemonicGetString(z->mnemonic), "prefetch", 8)
                    || strstr(ZydisMnemonicGetString(z->mnemonic), "pf0")
                    || strstr(ZydisMnemonicGetString(z->mnemonic), "pf1");
    }
}

/* That one encoding, and those two readings of it. */
static int is_explained(const unsigned char *code, const x86decode_insn *i,
                        const ZydisDecodedOperand *o) {
    if (!(i->prefixes & X86DECODE_67) || !(i->rex & X86DECODE_REX_B)) return 0;
    if (!i->has_modrm || (i->modrm & 0xC7) != 0x04) return 0;
    if (i->displacement_size != 4 || (code[i->displacement_at - 1] & 7) != 5) return 0;
    return i->base == X86DECODE_NONE && o->mem.base == ZYDIS_REGISTER_R13D && !o->mem.disp.value
           && number_of(o->mem.index) == i->index;
}

/* lea 0x3dc80801(,%esi,2),%rax with that encoding, where r13 is not 0. Returns
   1 if our reading is the processor's. */
static int the_processor_agrees(void) {
    uint64_t rax = 0, rsi = 3;
    __asm__ volatile("mov $4096, %%r13d\n\t.byte 0x67, 0x49, 0x8d, 0x04, 0x75, 0x01, 0x08, 0xc8, 0x3d"
                     : "=a"(rax) : "S"(rsi) : "r13");
    return rax == 0x3dc80801 + 2 * rsi;
}

static void compare(const unsigned char *code, const x86decode_insn *i,
                    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands) {
    const ZydisDecodedOperand *o = memory_of(z, operands);
    int64_t displacement = i->displacement;
    int reads, writes, string = i->implicit & ~(X86DECODE_PUSH | X86DECODE_POP);
    if (i->length != z->length) {
        differs(LENGTH, code, i, z);
        return;
    }
    if (i->kind >= X86DECODE_JUMP && i->kind <= X86DECODE_CALL) {
        ZyanU64 to = 0;
        if (!z->raw.imm[0].is_relative
            || !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(z, &operands[0], 0x10000, &to))
            || to != x86decode_target(i, 0x10000))
            differs(TARGET, code, i, z);
        return;
    }
    if (!o || string) {
        if (i->memory && i->access && !string) differs(OPERAND, code, i, z);
        return;
    }
    if (!i->memory) {
        differs(OPERAND, code, i, z);
        return;
    }
    if (!i->has_modrm && i->prefixes & X86DECODE_67)      /* Zydis takes this address as signed */
        displacement = (int64_t)(int32_t)displacement;
    if (number_of(o->mem.base) != i->base || o->mem.disp.value != displacement
        || number_of(o->mem.index) != i->index
        || (i->index != X86DECODE_NONE && o->mem.scale != i->scale)) {
        if (is_explained(code, i, o)) explained++;
        else differs(OPERAND, code, i, z);
    }
    if (o->mem.type != ZYDIS_MEMOP_TYPE_MEM && o->mem.type != ZYDIS_MEMOP_TYPE_VSIB) return;
    reads = (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    writes = (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (touches_nothing(z)) reads = writes = 0;
    if (!strncmp(ZydisMnemonicGetString(z->mnemonic), "xsave", 5)) reads = 0;    /* its header */
    if (reads != (i->access & X86DECODE_READ) || writes != (i->access & X86DECODE_WRITE) >> 1)
        differs(ACCESS, code, i, z);
}

int main(int argc, char **argv) {
    unsigned long n, count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, bad = 0;
    ZydisDecoder decoder;
    int kind;
    state = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        return 2;
    for (n = 0; n < count; n++) {
        unsigned char code[16];
        ZydisDecodedInstruction z;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        x86decode_insn i;
        uint64_t words[2];
        unsigned k, ours;
        int theirs;
        words[0] = next();
        words[1] = next();
        for (k = 0; k < 16; k++) code[k] = (unsigned char)(words[k / 8] >> (8 * (k % 8)));
        switch (next() & 7) {               /* the larger maps would be rare */
        case 0: code[0] = 0x0F; break;
        case 1: code[0] = 0xC4; break;
        case 2: code[0] = 0x62; break;
        case 3: code[0] = 0x66; code[1] = 0x0F; break;
        default: break;
        }
        ours = x86decode(code, 15, &i);
        theirs = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, 15, &z, operands));
        only_ours += ours && !theirs;
        only_theirs += !ours && theirs;
        if (!ours || !theirs) continue;
        /* Jumps of Knights Corner alone, whose opcodes mean nothing
           elsewhere. */
        if (z.mnemonic == ZYDIS_MNEMONIC_JKZD || z.mnemonic == ZYDIS_MNEMONIC_JKNZD) continue;
        both++;
        compare(code, &i, &z, operands);
    }
    for (kind = 0; kind < KINDS; kind++) bad += differences[kind];
    printf("%lu strings, valid for both %lu, only here %lu, only for Zydis %lu; differences: length "
           "%lu, operand %lu, access %lu, target %lu; explained %lu\n",
           count, both, only_ours, only_theirs, differences[LENGTH], differences[OPERAND],
           differences[ACCESS], differences[TARGET], explained);
    if (explained && !the_processor_agrees()) {
        printf("the processor agrees with Zydis\n");
        return 1;
    }
    return bad != 0 || both == 0;
}
