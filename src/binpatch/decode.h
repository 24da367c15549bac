/* ---- one instruction: the decoder ---- */

/* x86decode reads one instruction of 64-bit code. It tells how long the
   instruction is, what kind of jump it is, if any, where a direct jump goes,
   which memory operand it has and whether it reads or writes it. It does not
   tell the mnemonic: map and opcode say that to a caller who needs it.

   It reads at most `size` bytes and at most 15. It may decode what no processor
   accepts. What a processor accepts it decodes with the right length, or
   refuses. It works on every target.

   example:
       #define BINPATCH_IMPLEMENTATION
       #include "binpatch.h"
       #include <stdio.h>
       int main(void) {
           // mov 16(%rbx,%rcx,4),%rax; ret
           const unsigned char code[] = {0x48, 0x8B, 0x44, 0x8B, 0x10, 0xC3};
           x86decode_insn insn;
           size_t at = 0;
           while (at < sizeof code && x86decode(code + at, sizeof code - at, &insn)) {
               printf("%d bytes, base %d, index %d\n", insn.length, insn.base, insn.index);
               at += insn.length;
           }
           return at != sizeof code;
       }
   end of example.
*/

enum {                              /* insn.kind */
    X86DECODE_PLAIN = 0,            /* goes on behind itself */
    X86DECODE_JUMP,                 /* jmp rel: to `target` */
    X86DECODE_BRANCH,               /* jcc rel: to `target` or on */
    X86DECODE_LOOP,  /* jrcxz, loop, loope, loopne: the same, with one byte of distance */
    X86DECODE_CALL,                 /* call rel: to `target`, returns behind itself */
    X86DECODE_RETURN,               /* ret, far ret, iret */
    X86DECODE_JUMP_INDIRECT,        /* jmp *operand */
    X86DECODE_CALL_INDIRECT,        /* call *operand */
    X86DECODE_TRAP,                 /* int3, ud2, hlt: does not go on */
    X86DECODE_SYSCALL,              /* syscall, sysenter, int n */
    X86DECODE_XBEGIN                /* a transaction, which may go on at `target` */
};

enum {                              /* insn.prefixes */
    X86DECODE_66 = 1, X86DECODE_F2 = 2, X86DECODE_F3 = 4, X86DECODE_LOCK = 8, X86DECODE_67 = 16,
    X86DECODE_FS = 32, X86DECODE_GS = 64, X86DECODE_2E_3E = 128
};
enum {                              /* insn.rex */
    X86DECODE_REX_B = 1, X86DECODE_REX_X = 2, X86DECODE_REX_R = 4, X86DECODE_REX_W = 8,
    X86DECODE_REX = 16
};
/* insn.coding */
enum { X86DECODE_LEGACY = 0, X86DECODE_VEX = 1, X86DECODE_EVEX = 2, X86DECODE_XOP = 3 };
enum { X86DECODE_READ = 1, X86DECODE_WRITE = 2 };  /* insn.access */

enum {  /* insn.base, insn.index beside the registers 0 (rax) to 15 (r15) */
    X86DECODE_NONE = -1,
    X86DECODE_RIP = -2              /* base: the address of the next instruction */
};

/* Operands that an instruction names without ModRM: bits of insn.implicit. */
enum {
    X86DECODE_LOAD_RSI = 1, X86DECODE_LOAD_RDI = 2,     /* string instructions */
    X86DECODE_STORE_RDI = 4,                            /* and maskmov         */
    X86DECODE_PUSH = 8, X86DECODE_POP = 16                                      /* the stack */
};

typedef struct x86decode_insn {
    uint8_t  length;                /* 1 to 15 */
    uint8_t  kind;
    uint8_t  coding;
    uint8_t  map;  /* 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A, EVEX 5 and 6, XOP 8 to 10 */
    uint8_t  opcode;
    uint8_t  prefixes;
    uint8_t  rex;  /* W, R, X, B as in REX, from whatever prefix says them; REX: there is one */
    uint8_t  vvvv;  /* the further register of VEX and EVEX, 0 to 15; 16 and up in EVEX */
    uint8_t  has_modrm, modrm;
    uint8_t  memory;  /* 1: ModRM or moffs names memory, also where nothing is accessed (lea) */
    uint8_t  access;  /* of that operand: X86DECODE_READ, X86DECODE_WRITE, both, or 0 */
    uint8_t  implicit;
    int8_t   base, index;           /* registers of the operand */
    uint8_t  scale;                 /* 1, 2, 4, 8 */
    uint8_t  vsib;                  /* index is a vector register */
    uint8_t  displacement_at, displacement_size;    /* where it stands; size 0: there is none */
    uint8_t  immediate_at, immediate_size;           /* of jumps: the distance */
    uint16_t access_bytes;          /* size of the memory operand, 0: not known */
    int64_t  displacement;          /* already scaled; of moffs: the address */
    int64_t  immediate;             /* sign-extended */
} x86decode_insn;

/* Decodes the instruction at code[0..size). Returns its length, or 0: these
   bytes are not a whole valid instruction, and *out is undefined. */
BINPATCH_API unsigned x86decode(const void *code, size_t size, x86decode_insn *out);
/* Where a direct jump or call at `address` goes. */
BINPATCH_API uint64_t x86decode_target(const x86decode_insn *insn, uint64_t address);
