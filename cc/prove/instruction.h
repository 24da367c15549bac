/* instruction.h - one instruction of x86-64, as the proof asks for it. */
#ifndef PROVE_INSTRUCTION_H
#define PROVE_INSTRUCTION_H
#include <stddef.h>
#include <stdint.h>


typedef struct prove_insn {
    unsigned length, kind;                      /* kind: INSN_... */
    unsigned map, opcode, digit, bytes;         /* digit: the middle of modrm */
    unsigned has_modrm, memory, writes_memory, sets_flags, fs, is_legacy;
    int reg, rm, base, index, scale, narrow;    /* rm: -1 is memory; base -2 is rip */
    int64_t displacement, immediate;
    unsigned immediate_size, displacement_size;
    unsigned reads, writes;                     /* registers */
} prove_insn;
enum { INSN_PLAIN, INSN_JUMP, INSN_BRANCH, INSN_CALL, INSN_RETURN, INSN_JUMP_ANY, INSN_CALL_ANY,
       INSN_TRAP, INSN_BEGIN };
enum { BASE_NONE = -1, BASE_RIP = -2 };
/* Returns its length, or 0. */
unsigned prove_instruction(const unsigned char *code, size_t size, prove_insn *out);
#endif
