/* binpatch.h - v0.2.0 - x86-64 code as it is - MIT, text at end of file

   x86decode reads one instruction; its example stands below. What patches a whole
   program, the engine of `bursty record`, is in record/x86.

   PROMISES
   Nothing here has a state, allocates or prints.

   OPTIONS
     BINPATCH_IMPLEMENTATION  in one file: the functions
     BINPATCH_STATIC          makes everything static, for one file

   COST
   The decoder has 2.5 KiB of tables; bench/x86decode_objdump.sh compares it with
   objdump.

   CONTENTS
     language
     options
     one instruction: the decoder
     decoder: what follows an opcode, which operands it has
     decoder: the instruction, part by part
     decoder: registers and flags
*/

#ifndef BINPATCH_H
#define BINPATCH_H
#include <stddef.h>
#include <stdint.h>

/* ---- language ---------------------------------------- src/language.h ---- */

/* Microsoft's compiler and -std=gnu90 say less about themselves, and take
   it. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus) \
    && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "this header is C99 and C++11: compile with -std=c99 or newer in place of -ansi"
#endif

/* ---- options --------------------------------- src/binpatch/options.h ---- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define BINPATCH_P_GNU
#endif
#if defined(BINPATCH_P_GNU) || defined(__TINYC__)
#define BINPATCH_P_UNUSED __attribute__((unused))
#else
#define BINPATCH_P_UNUSED
#endif
#ifdef BINPATCH_STATIC
#define BINPATCH_API BINPATCH_P_UNUSED static
#elif defined(BINPATCH_P_GNU) && !defined(_WIN32)
#define BINPATCH_API extern __attribute__((visibility("hidden")))
#else
#define BINPATCH_API extern
#endif


#ifdef __cplusplus
extern "C" {
#endif

/* ---- one instruction: the decoder ------------- src/binpatch/decode.h ---- */

/* x86decode reads one instruction of 64-bit code. It tells how long the
   instruction is, what kind of jump it is, if any, where a direct jump goes,
   which memory operand it has and whether it reads or writes it. It does not
   tell the mnemonic: map and opcode say that to a caller who needs it.
   x86decode_effects tells which general registers an instruction reads and
   writes, and what it does to the six status flags.

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

enum { X86DECODE_FLAGS_READ = 1, X86DECODE_FLAGS_WRITE = 2, X86DECODE_FLAGS_KILL = 4 };

typedef struct x86decode_effect {   /* masks: bit 0 is rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp ... 15 r15 */
    uint16_t reads;                 /* may read: never too few                                    */
    uint16_t writes;                /* may write: never too few                                   */
    uint16_t sets;                  /* overwrites whole and always: never too many                */
    uint8_t  flags;                 /* KILL: all six status flags are written; WRITE: some may be */
} x86decode_effect;

/* Decodes the instruction at code[0..size). Returns its length, or 0: these
   bytes are not a whole valid instruction, and *out is undefined. */
BINPATCH_API unsigned x86decode(const void *code, size_t size, x86decode_insn *out);
/* Where a direct jump or call at `address` goes. */
BINPATCH_API uint64_t x86decode_target(const x86decode_insn *insn, uint64_t address);
/* Registers and flags. Of what it does not know it says that it reads and
   writes everything. Calls and returns are taken by the System V ABI: a call
   reads everything and may overwrite rax, rcx, rdx, rsi, rdi, r8 to r11 and the
   flags. */
BINPATCH_API void x86decode_effects(const x86decode_insn *insn, x86decode_effect *out);

#ifdef __cplusplus
}
#endif
#endif /* BINPATCH_H */

#if defined(BINPATCH_IMPLEMENTATION) && !defined(BINPATCH_IMPLEMENTED)
#define BINPATCH_IMPLEMENTED

/* ---- decoder: what follows an opcode, which operands it has  src/binpatch/decode_tables.c ---- */
/* One attribute byte per opcode. The low nibble says what follows the operands:
   0 nothing, 1 one byte, 2 z, 3 two bytes, 4 v, 5 an address, 6 and 7 a distance of one or four
   bytes, 8 enter. z is 2 bytes under 66 and 4 otherwise; v is 8 bytes under
   REX.W. 10: ModRM follows; 20, 40: it reads, writes its memory operand; 80:
   invalid here, a prefix or an escape. */
enum {
    X86DECODE_P_MODRM = 0x10,
    X86DECODE_P_READ = 0x20,
    X86DECODE_P_WRITE = 0x40,
    X86DECODE_P_BAD = 0x80
};

static const uint8_t x86decode_p_one[256] = {
    0x70, 0x70, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80, 0x70, 0x70, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80,
    0x70, 0x70, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80, 0x70, 0x70, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80,
    0x70, 0x70, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80, 0x70, 0x70, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80,
    0x70, 0x70, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80, 0x30, 0x30, 0x30, 0x30, 0x01, 0x02, 0x80, 0x80,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x80, 0x80, 0x80, 0x30, 0x80, 0x80, 0x80, 0x80, 0x02, 0x32, 0x01, 0x31, 0x00, 0x00, 0x00, 0x00,
    0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06, 0x06,
    0x71, 0x72, 0x80, 0x71, 0x30, 0x30, 0x70, 0x70, 0x50, 0x50, 0x30, 0x30, 0x50, 0x10, 0x30, 0x50,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x05, 0x05, 0x05, 0x05, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04,
    0x71, 0x71, 0x03, 0x00, 0x80, 0x80, 0x51, 0x52, 0x08, 0x00, 0x03, 0x00, 0x00, 0x01, 0x80, 0x00,
    0x70, 0x70, 0x70, 0x70, 0x80, 0x80, 0x80, 0x00, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
    0x06, 0x06, 0x06, 0x06, 0x01, 0x01, 0x01, 0x01, 0x07, 0x07, 0x80, 0x06, 0x00, 0x00, 0x00, 0x00,
    0x80, 0x00, 0x80, 0x80, 0x00, 0x00, 0x70, 0x70, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x70, 0x70
};
static const uint8_t x86decode_p_two[256] = {
    0x10, 0x10, 0x30, 0x30, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x80, 0x10, 0x00, 0x31,
    0x30, 0x50, 0x30, 0x50, 0x30, 0x30, 0x30, 0x50, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
    0x10, 0x10, 0x10, 0x10, 0x80, 0x80, 0x80, 0x80, 0x30, 0x50, 0x30, 0x50, 0x30, 0x30, 0x30, 0x30,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
    0x10, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
    0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
    0x31, 0x11, 0x11, 0x11, 0x30, 0x30, 0x30, 0x00, 0x50, 0x30, 0x80, 0x80, 0x30, 0x30, 0x50, 0x50,
    0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07,
    0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x50,
    0x00, 0x00, 0x00, 0x30, 0x71, 0x70, 0x10, 0x10, 0x00, 0x00, 0x00, 0x70, 0x71, 0x70, 0x10, 0x30,
    0x70, 0x70, 0x30, 0x70, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x31, 0x70, 0x30, 0x30, 0x30, 0x30,
    0x70, 0x70, 0x31, 0x50, 0x31, 0x11, 0x31, 0x70, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x50, 0x10, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
    0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x50, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
    0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x10, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x10
};

/* EVEX scales a displacement of one byte by N. N is the element under broadcast
   and the vector otherwise, except here. A row covers opcodes of one map. Its
   word holds 16 nibbles: the nibble
   4 * prefix (none, 66, F3, F2) + 2 * W + broadcast picks a triple of x86decode_p_scale (for 128,
   256, 512 bits), 0 means the rule. */
typedef struct x86decode_p_row { uint8_t map, first, last; uint64_t triples; } x86decode_p_row;
static const uint8_t x86decode_p_scale[12][3] = {
    {0, 0, 0}, {4, 4, 4}, {8, 8, 8}, {2, 2, 2}, {1, 1, 1}, {16, 16, 16},
    {32, 32, 32}, {8, 16, 32}, {4, 8, 16}, {2, 4, 8}, {16, 32, 64}, {8, 32, 64}
};
static const x86decode_p_row x86decode_p_rows[] = {
    {1, 0x00, 0x11, UINT64_C(0x0222110100000000)}, {1, 0x12, 0x12, UINT64_C(0xBBBBA0A002220222)},
    {1, 0x13, 0x13, UINT64_C(0x0222110102220222)}, {1, 0x14, 0x15, UINT64_C(0x0222110100000000)},
    {1, 0x16, 0x16, UINT64_C(0xBBBBA0A002220222)}, {1, 0x17, 0x17, UINT64_C(0x0222110102220222)},
    {1, 0x18, 0x29, UINT64_C(0x0222110100000000)}, {1, 0x2A, 0x2A, UINT64_C(0x0201020100000000)},
    {1, 0x2B, 0x2D, UINT64_C(0x0222110100000000)}, {1, 0x2E, 0x2F, UINT64_C(0x0222110102221101)},
    {1, 0x30, 0x59, UINT64_C(0x0222110100000000)}, {1, 0x5A, 0x5A, UINT64_C(0x0222110100201707)},
    {1, 0x5C, 0x6D, UINT64_C(0x0222110100000000)}, {1, 0x6E, 0x6E, UINT64_C(0x0222110102010201)},
    {1, 0x71, 0x77, UINT64_C(0x0222110100000000)}, {1, 0x78, 0x79, UINT64_C(0x0222110100070000)},
    {1, 0x7A, 0x7A, UINT64_C(0x0000000700070000)}, {1, 0x7B, 0x7B, UINT64_C(0x0201020100070007)},
    {1, 0x7C, 0x7D, UINT64_C(0x0222110100000000)}, {1, 0x7E, 0x7E, UINT64_C(0x0201022202010201)},
    {1, 0x80, 0xC3, UINT64_C(0x0222110100000000)}, {1, 0xC4, 0xC5, UINT64_C(0x0222110133333333)},
    {1, 0xC6, 0xD0, UINT64_C(0x0222110100000000)}, {1, 0xD1, 0xD3, UINT64_C(0x0222110155555555)},
    {1, 0xD4, 0xD5, UINT64_C(0x0222110100000000)}, {1, 0xD6, 0xD6, UINT64_C(0x0222110102220222)},
    {1, 0xD7, 0xE0, UINT64_C(0x0222110100000000)}, {1, 0xE1, 0xE2, UINT64_C(0x0222110155555555)},
    {1, 0xE3, 0xE5, UINT64_C(0x0222110100000000)}, {1, 0xE6, 0xE6, UINT64_C(0x0020000700200020)},
    {1, 0xE7, 0xF0, UINT64_C(0x0222110100000000)}, {1, 0xF1, 0xF3, UINT64_C(0x0222110155555555)},
    {1, 0xF4, 0xFF, UINT64_C(0x0222110100000000)}, {2, 0x10, 0x10, UINT64_C(0x0000777700000000)},
    {2, 0x11, 0x11, UINT64_C(0x0000888800000000)}, {2, 0x12, 0x12, UINT64_C(0x0000999900000000)},
    {2, 0x13, 0x13, UINT64_C(0x1707777717071707)}, {2, 0x14, 0x14, UINT64_C(0x0000888800000000)},
    {2, 0x15, 0x15, UINT64_C(0x0000777700000000)}, {2, 0x18, 0x18, UINT64_C(0x1101110111011101)},
    {2, 0x19, 0x19, UINT64_C(0x1202120212021202)}, {2, 0x1A, 0x1A, UINT64_C(0x5555555555555555)},
    {2, 0x1B, 0x1B, UINT64_C(0x6666666666666666)}, {2, 0x20, 0x20, UINT64_C(0x7777777777777777)},
    {2, 0x21, 0x21, UINT64_C(0x8888888888888888)}, {2, 0x22, 0x22, UINT64_C(0x9999999999999999)},
    {2, 0x23, 0x23, UINT64_C(0x7777777777777777)}, {2, 0x24, 0x24, UINT64_C(0x8888888888888888)},
    {2, 0x25, 0x25, UINT64_C(0x7777777777777777)}, {2, 0x2B, 0x2B, UINT64_C(0x1000100010001000)},
    {2, 0x2D, 0x2D, UINT64_C(0x5555020102010201)}, {2, 0x30, 0x30, UINT64_C(0x7777777777777777)},
    {2, 0x31, 0x31, UINT64_C(0x8888888888888888)}, {2, 0x32, 0x32, UINT64_C(0x9999999999999999)},
    {2, 0x33, 0x33, UINT64_C(0x7777777777777777)}, {2, 0x34, 0x34, UINT64_C(0x8888888888888888)},
    {2, 0x35, 0x35, UINT64_C(0x7777777777777777)}, {2, 0x43, 0x43, UINT64_C(0x5555020102010201)},
    {2, 0x4D, 0x4D, UINT64_C(0x5555020102010201)}, {2, 0x4F, 0x4F, UINT64_C(0x5555020102010201)},
    {2, 0x52, 0x53, UINT64_C(0x5555000000000000)}, {2, 0x58, 0x58, UINT64_C(0x1101110111011101)},
    {2, 0x59, 0x59, UINT64_C(0x0222022202220222)}, {2, 0x5A, 0x5A, UINT64_C(0x5555555555555555)},
    {2, 0x5B, 0x5B, UINT64_C(0x6666666666666666)}, {2, 0x62, 0x63, UINT64_C(0x3344334433443344)},
    {2, 0x78, 0x78, UINT64_C(0x4444444444444444)}, {2, 0x79, 0x79, UINT64_C(0x3333333333333333)},
    {2, 0x88, 0x8B, UINT64_C(0x0201020102010201)}, {2, 0x90, 0x93, UINT64_C(0x0201020102010201)},
    {2, 0x99, 0x99, UINT64_C(0x5555020102010201)}, {2, 0x9A, 0x9A, UINT64_C(0x5555000000000000)},
    {2, 0x9B, 0x9B, UINT64_C(0x5555020102010201)}, {2, 0x9D, 0x9D, UINT64_C(0x5555020102010201)},
    {2, 0x9F, 0x9F, UINT64_C(0x5555020102010201)}, {2, 0xA0, 0xA3, UINT64_C(0x0201020102010201)},
    {2, 0xA9, 0xA9, UINT64_C(0x5555020102010201)}, {2, 0xAA, 0xAA, UINT64_C(0x5555000000000000)},
    {2, 0xAB, 0xAB, UINT64_C(0x5555020102010201)}, {2, 0xAD, 0xAD, UINT64_C(0x5555020102010201)},
    {2, 0xAF, 0xAF, UINT64_C(0x5555020102010201)}, {2, 0xB9, 0xB9, UINT64_C(0x5555020102010201)},
    {2, 0xBB, 0xBB, UINT64_C(0x5555020102010201)}, {2, 0xBD, 0xBD, UINT64_C(0x5555020102010201)},
    {2, 0xBF, 0xBF, UINT64_C(0x5555020102010201)}, {2, 0xC6, 0xC7, UINT64_C(0x0201020102010201)},
    {2, 0xCB, 0xCB, UINT64_C(0x5555020102010201)}, {2, 0xCD, 0xCD, UINT64_C(0x5555020102010201)},
    {3, 0x08, 0x08, UINT64_C(0x3030303000003030)}, {3, 0x0A, 0x0A, UINT64_C(0x3333333311013333)},
    {3, 0x0B, 0x0B, UINT64_C(0x0222022202220222)}, {3, 0x14, 0x14, UINT64_C(0x4444444444444444)},
    {3, 0x15, 0x15, UINT64_C(0x3333333333333333)}, {3, 0x16, 0x16, UINT64_C(0x0201020102010201)},
    {3, 0x17, 0x17, UINT64_C(0x1101110111011101)}, {3, 0x18, 0x19, UINT64_C(0x5555555555555555)},
    {3, 0x1A, 0x1B, UINT64_C(0x6666666666666666)}, {3, 0x1D, 0x1D, UINT64_C(0x7777777777777777)},
    {3, 0x20, 0x20, UINT64_C(0x4444444444444444)}, {3, 0x21, 0x21, UINT64_C(0x1101110111011101)},
    {3, 0x22, 0x22, UINT64_C(0x0201020102010201)}, {3, 0x26, 0x26, UINT64_C(0x3030303000003030)},
    {3, 0x27, 0x27, UINT64_C(0x3333333302013333)}, {3, 0x38, 0x39, UINT64_C(0x5555555555555555)},
    {3, 0x3A, 0x3B, UINT64_C(0x6666666666666666)}, {3, 0x51, 0x51, UINT64_C(0x3333333302013333)},
    {3, 0x55, 0x55, UINT64_C(0x3333333302013333)}, {3, 0x56, 0x56, UINT64_C(0x3030303000003030)},
    {3, 0x57, 0x57, UINT64_C(0x3333333302013333)}, {3, 0x66, 0x66, UINT64_C(0x3030303000003030)},
    {3, 0x67, 0x67, UINT64_C(0x3333333302013333)}, {3, 0xC2, 0xC2, UINT64_C(0x0000333300003030)},
    {5, 0x00, 0x1C, UINT64_C(0x0000030300000000)}, {5, 0x1D, 0x1D, UINT64_C(0x1111030310101111)},
    {5, 0x1E, 0x29, UINT64_C(0x0000030300000000)}, {5, 0x2A, 0x2A, UINT64_C(0x0000221100000000)},
    {5, 0x2B, 0x2D, UINT64_C(0x0000030300000000)}, {5, 0x2E, 0x2F, UINT64_C(0x0303030303030303)},
    {5, 0x30, 0x59, UINT64_C(0x0000030300000000)}, {5, 0x5A, 0x5A, UINT64_C(0x2222030320200808)},
    {5, 0x5B, 0x5B, UINT64_C(0x2010070707072010)}, {5, 0x5C, 0x6D, UINT64_C(0x0000030300000000)},
    {5, 0x6E, 0x6E, UINT64_C(0x0303030303030303)}, {5, 0x6F, 0x77, UINT64_C(0x0000030300000000)},
    {5, 0x78, 0x79, UINT64_C(0x0707030308080707)}, {5, 0x7A, 0x7A, UINT64_C(0x2010080808080808)},
    {5, 0x7B, 0x7B, UINT64_C(0x0808221108080808)}, {5, 0x7C, 0x7C, UINT64_C(0x0000030300000000)},
    {5, 0x7E, 0x7E, UINT64_C(0x0303030303030303)}, {5, 0x7F, 0xFF, UINT64_C(0x0000030300000000)},
    {6, 0x13, 0x13, UINT64_C(0x0303030307070303)}, {6, 0x2D, 0x2D, UINT64_C(0x0303030303030303)},
    {6, 0x43, 0x43, UINT64_C(0x0303030303030303)}, {6, 0x4D, 0x4D, UINT64_C(0x0303030303030303)},
    {6, 0x4F, 0x4F, UINT64_C(0x0303030303030303)}, {6, 0x56, 0x56, UINT64_C(0x1010101010101010)},
    {6, 0x57, 0x57, UINT64_C(0x1111111111111111)}, {6, 0x99, 0x99, UINT64_C(0x0303030303030303)},
    {6, 0x9B, 0x9B, UINT64_C(0x0303030303030303)}, {6, 0x9D, 0x9D, UINT64_C(0x0303030303030303)},
    {6, 0x9F, 0x9F, UINT64_C(0x0303030303030303)}, {6, 0xA9, 0xA9, UINT64_C(0x0303030303030303)},
    {6, 0xAB, 0xAB, UINT64_C(0x0303030303030303)}, {6, 0xAD, 0xAD, UINT64_C(0x0303030303030303)},
    {6, 0xAF, 0xAF, UINT64_C(0x0303030303030303)}, {6, 0xB9, 0xB9, UINT64_C(0x0303030303030303)},
    {6, 0xBB, 0xBB, UINT64_C(0x0303030303030303)}, {6, 0xBD, 0xBD, UINT64_C(0x0303030303030303)},
    {6, 0xBF, 0xBF, UINT64_C(0x0303030303030303)}, {6, 0xD6, 0xD6, UINT64_C(0x1010101010101010)},
    {6, 0xD7, 0xD7, UINT64_C(0x1111111111111111)}
};

typedef struct x86decode_p_state {
    const uint8_t *code;
    unsigned size, at, attributes, vector_length, broadcast, index_5;
    x86decode_insn *out;
} x86decode_p_state;

static unsigned x86decode_p_in(unsigned value, unsigned first, unsigned last) {
    return value >= first && value <= last;
}

static unsigned x86decode_p_if(int condition, unsigned bits) { return condition ? bits : 0; }

static unsigned x86decode_p_attributes_0f38(const x86decode_insn *i) {
    unsigned a = X86DECODE_P_MODRM | X86DECODE_P_READ, op = i->opcode, write = 0, both = 0,
             none = 0;
    if (i->coding == X86DECODE_LEGACY) {
        write = (op == 0xF1 && !(i->prefixes & X86DECODE_F2)) || op == 0xF9
             || op == 0xF5 || (op == 0xF6 && !(i->prefixes & (X86DECODE_66 | X86DECODE_F3)));
        both = op == 0xFC;
    } else if (i->coding == X86DECODE_VEX) {
        write = op == 0x2E || op == 0x2F || op == 0x8E
             || (op == 0x49 && i->prefixes & X86DECODE_66)      /* sttilecfg, tilestored */
             || (op == 0x4B && i->prefixes & X86DECODE_F3);
        both = x86decode_p_in(op, 0xE0, 0xEF);
    } else {
        write = ((i->prefixes & X86DECODE_F3)
                 && (x86decode_p_in(op, 0x10, 0x15) || x86decode_p_in(op, 0x20, 0x25)
                     || x86decode_p_in(op, 0x30, 0x35)))
                || op == 0x63 || op == 0x8A || op == 0x8B || x86decode_p_in(op, 0xA0, 0xA3);
        none = op == 0xC6 || op == 0xC7;
    }
    if (write) a = X86DECODE_P_MODRM | X86DECODE_P_WRITE;
    if (both)  a |= X86DECODE_P_WRITE;
    if (none)  a = X86DECODE_P_MODRM;
    return a;
}

static unsigned x86decode_p_attributes_0f3a(const x86decode_insn *i) {
    unsigned op = i->opcode;
    unsigned write = x86decode_p_in(op, 0x14, 0x17) || op == 0x19 || op == 0x39 || op == 0x1D
             || (i->coding == X86DECODE_EVEX && (op == 0x1B || op == 0x3B));
    return X86DECODE_P_MODRM | 1u | x86decode_p_if(write != 0, X86DECODE_P_WRITE)
           | x86decode_p_if(!write, X86DECODE_P_READ);
}

/* Map 1 under VEX and EVEX: as after 0F, but some opcodes mean something
   else. */
static unsigned x86decode_p_attributes_vector(const x86decode_insn *i) {
    unsigned op = i->opcode, a = x86decode_p_two[op];
    unsigned plain = X86DECODE_P_MODRM | X86DECODE_P_READ;
    if (op == 0x77 && i->coding == X86DECODE_VEX) return 0;
    if (x86decode_p_in(op, 0x71, 0x73)) return plain | 1;
    if ((a & X86DECODE_P_BAD) || (a & 15) == 7 || !(a & X86DECODE_P_MODRM) || op == 0x50
        || x86decode_p_in(op, 0x90, 0x9F) || (x86decode_p_in(op, 0xA0, 0xBF) && op != 0xAE)
        || op == 0xC0 || op == 0xC1 || op == 0xC3 || op == 0xC7 || op == 0xE6
        || (i->coding == X86DECODE_EVEX && (op == 0x78 || op == 0x79))) a = plain;
    a &= ~(unsigned)(X86DECODE_P_READ | X86DECODE_P_WRITE);
    switch (op) {
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2B:
    case 0x7F:
    case 0x91:
    case 0xD6:
    case 0xE7: return a | X86DECODE_P_WRITE;
    case 0x7E: return a | (i->prefixes & X86DECODE_F3 ? 0x20u : 0x40u);
    case 0xAE: return a | ((i->modrm >> 3 & 7) == 3 ? 0x40u : 0x20u);
    default:   return a | X86DECODE_P_READ;
    }
}

static unsigned x86decode_p_attributes(const x86decode_insn *i) {
    unsigned op = i->opcode;
    switch (i->map) {
    case 0: return x86decode_p_one[op];
    case 1:
        return i->coding == X86DECODE_LEGACY ? x86decode_p_two[op]
                                             : x86decode_p_attributes_vector(i);
    case 2: return x86decode_p_attributes_0f38(i);
    case 3: return x86decode_p_attributes_0f3a(i);
    case 5: return X86DECODE_P_MODRM | (op == 0x11 || op == 0x7E ? 0x40u : 0x20u);
    case 6: return X86DECODE_P_MODRM | X86DECODE_P_READ;
    case 8: return X86DECODE_P_MODRM | X86DECODE_P_READ | 1;
    case 9: return X86DECODE_P_MODRM | X86DECODE_P_READ;
    default: return X86DECODE_P_MODRM | X86DECODE_P_READ | 2;
    }
}

/* Where bits 3 to 5 of ModRM are part of the opcode, they decide what happens
   to the operand. */
static unsigned x86decode_p_group(const x86decode_insn *i, unsigned a) {
    unsigned reg = i->modrm >> 3 & 7, op = i->opcode;
    const unsigned read = X86DECODE_P_READ, write = X86DECODE_P_WRITE, both = read | write,
                   keep = a & ~both;
    if (i->coding != X86DECODE_LEGACY) return a;
    if (i->map == 0) switch (op) {
    case 0x80: case 0x81: case 0x83: return keep | (reg == 7 ? read : both);
    case 0xF6: case 0xF7: return keep | (reg < 2 || reg > 3 ? read : both);
    case 0xFE: return keep | both;
    case 0xFF: return keep | (reg < 2 ? both : read);
    case 0xD8: case 0xDA: case 0xDC: case 0xDE: return keep | read;
    case 0xD9: return keep | (reg == 2 || reg == 3 || reg == 6 || reg == 7 ? write : read);
    case 0xDB: return keep | (x86decode_p_in(reg, 1, 3) || reg == 7 ? write : read);
    case 0xDD: case 0xDF:
        return keep | (x86decode_p_in(reg, 1, 3) || reg >= 6 ? write : read);
    default: return a;
    }
    if (i->map == 1) switch (op) {
    case 0x7E: return i->prefixes & X86DECODE_F3 ? keep | read : a;
    case 0xBA: return keep | (reg == 4 ? read : both);
    case 0xAE:
        if (reg == 7 || (reg == 6 && i->prefixes & X86DECODE_66)) return keep;    /* clwb */
        return keep | (reg == 0 || reg == 3 || reg == 4 || reg == 6 ? write : read);
    case 0xC7: return keep | (reg == 1 ? both : reg == 4 || reg == 5 || reg == 7 ? write : read);
    case 0x00: return keep | (reg < 2 ? write : read);
    case 0x01:
        if (reg == 7) return keep;
        return keep | (reg == 0 || reg == 1 || reg == 4 ? write : read);
    default: return a;
    }
    return a;
}

/* ---- decoder: the instruction, part by part --- src/binpatch/decode.c ---- */

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

/* 1: the opcode is read and s->at stands behind it. */
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
    case 0xC2:
    case 0xC3:
    case 0xCA:
    case 0xCB:
    case 0xCF:
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

/* ---- decoder: registers and flags ----- src/binpatch/decode_effects.c ---- */

enum {
    X86DECODE_P_RAX = 1,
    X86DECODE_P_RCX = 2,
    X86DECODE_P_RDX = 4,
    X86DECODE_P_RBX = 8,
    X86DECODE_P_RSP = 16,
    X86DECODE_P_RBP = 32,
    X86DECODE_P_RSI = 64,
    X86DECODE_P_RDI = 128,
    X86DECODE_P_ALL = 0xFFFF,
    X86DECODE_P_VOLATILE = 0x0FC7
};

typedef struct x86decode_p_effect { unsigned reads, writes, sets, flags; } x86decode_p_effect;

static unsigned x86decode_p_bit(const x86decode_insn *i, unsigned number, unsigned narrow) {
    if (narrow && !i->rex && number >= 4 && number < 8) number -= 4;        /* ah ch dh bh */
    return 1u << (number & 15);
}
static unsigned x86decode_p_reg(const x86decode_insn *i, unsigned narrow) {
    return x86decode_p_bit(i, (i->modrm >> 3 & 7) | (i->rex & X86DECODE_REX_R ? 8u : 0), narrow);
}
static unsigned x86decode_p_rm(const x86decode_insn *i, unsigned narrow) {
    if (i->memory) return 0;
    return x86decode_p_bit(i, (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), narrow);
}

static void x86decode_p_unknown(x86decode_p_effect *e) {
    e->reads = e->writes = X86DECODE_P_ALL;
    e->sets = 0;
    e->flags = X86DECODE_FLAGS_READ | X86DECODE_FLAGS_WRITE;
}

static void x86decode_p_call(x86decode_p_effect *e) {
    e->reads = X86DECODE_P_ALL;
    e->writes = X86DECODE_P_VOLATILE;
    e->flags = X86DECODE_FLAGS_KILL;
}

/* dst = dst op src; whole: the destination is written without being read, and
   all of it */
static void x86decode_p_move(x86decode_p_effect *e, unsigned dst, unsigned src, int whole) {
    e->reads |= src | (whole ? 0 : dst);
    e->writes |= dst;
    if (whole) e->sets |= dst;
}

static void x86decode_p_effect_alu(const x86decode_insn *i, x86decode_p_effect *e) {
    unsigned op = i->opcode, what = op >> 3 & 7, narrow = !(op & 1), form = op & 7;
    unsigned reg = x86decode_p_reg(i, narrow), rm = x86decode_p_rm(i, narrow);
    unsigned dst = form < 2 ? rm : form < 4 ? reg : 1u, src = form < 2 ? reg : form < 4 ? rm : 0;
    e->flags = X86DECODE_FLAGS_KILL | x86decode_p_if(what == 2 || what == 3, X86DECODE_FLAGS_READ);
    e->reads |= src | dst;
    if (what == 7) return;
    e->writes |= dst;
    if (what == 6 && !narrow && dst == src && form < 4
        && !(i->prefixes & X86DECODE_66)) { /* xor %eax,%eax */
        e->reads &= ~dst;
        e->sets |= dst;
    }
}

static void x86decode_p_effect_one(const x86decode_insn *i, x86decode_p_effect *e) {
    unsigned op = i->opcode, narrow = !(op & 1), digit = i->modrm >> 3 & 7;
    unsigned reg = x86decode_p_reg(i, narrow), rm = x86decode_p_rm(i, narrow);
    unsigned low = x86decode_p_bit(i, (op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), 0);
    int wide = !(i->prefixes & X86DECODE_66) || i->rex & X86DECODE_REX_W;
    if (op < 0x40 && (op & 7) < 6) { x86decode_p_effect_alu(i, e); return; }
    if (x86decode_p_in(op, 0x50, 0x57)) {
        e->reads = low | X86DECODE_P_RSP;
        e->writes = X86DECODE_P_RSP;
        return;
    }
    if (x86decode_p_in(op, 0x58, 0x5F)) {
        e->reads = X86DECODE_P_RSP;
        e->writes = low | X86DECODE_P_RSP;
        if (wide) e->sets = low;
        return;
    }
    if (x86decode_p_in(op, 0x70, 0x7F)) { e->flags = X86DECODE_FLAGS_READ; return; }
    if (x86decode_p_in(op, 0x90, 0x97)) {
        if (low != X86DECODE_P_RAX) { e->reads = e->writes = low | X86DECODE_P_RAX; }
        return;
    }
    if (x86decode_p_in(op, 0xB0, 0xB7)) {
        low = x86decode_p_bit(i, (op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), 1);
        x86decode_p_move(e, low, 0, 0);
        return;
    }
    if (x86decode_p_in(op, 0xB8, 0xBF)) { x86decode_p_move(e, low, 0, wide); return; }
    if (x86decode_p_in(op, 0xD8, 0xDF)) {
        if (op == 0xDF && i->modrm == 0xE0) e->writes |= X86DECODE_P_RAX;
        if (!i->memory && (op == 0xDB || op == 0xDF) && i->modrm >= 0xE8)
            e->flags = X86DECODE_FLAGS_WRITE;
        if (!i->memory && (op == 0xDA || op == 0xDB) && i->modrm < 0xE0)
            e->flags = X86DECODE_FLAGS_READ;
        return;
    }
    switch (op) {
    case 0x63: x86decode_p_move(e, reg, rm, wide); return;
    case 0x68: case 0x6A: e->reads |= X86DECODE_P_RSP; e->writes |= X86DECODE_P_RSP; return;
    case 0x69: case 0x6B:
        x86decode_p_move(e, x86decode_p_reg(i, 0), x86decode_p_rm(i, 0), wide);
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
        e->reads |= X86DECODE_P_RSI | X86DECODE_P_RDI | X86DECODE_P_RCX | X86DECODE_P_RAX;
        e->writes |= X86DECODE_P_RSI | X86DECODE_P_RDI | X86DECODE_P_RCX | X86DECODE_P_RAX;
        if ((op & 7) >= 6)
            e->flags = X86DECODE_FLAGS_WRITE; /* cmps, scas: rep 0 times writes none */
        return;
    case 0x80: case 0x81: case 0x83:
        e->reads |= rm = x86decode_p_rm(i, op == 0x80);
        if (digit != 7) e->writes |= rm;
        e->flags
            = X86DECODE_FLAGS_KILL | x86decode_p_if(digit == 2 || digit == 3, X86DECODE_FLAGS_READ);
        return;
    case 0x84: case 0x85: e->reads |= reg | rm; e->flags = X86DECODE_FLAGS_KILL; return;
    case 0x86: case 0x87: e->reads |= reg | rm; e->writes |= reg | rm; return;
    case 0x88: case 0x89: x86decode_p_move(e, rm, reg, op == 0x89 && wide); return;
    case 0x8A: case 0x8B: x86decode_p_move(e, reg, rm, op == 0x8B && wide); return;
    case 0x8C: x86decode_p_move(e, x86decode_p_rm(i, 0), 0, 0); return;
    case 0x8D: x86decode_p_move(e, reg, 0, wide); return;
    case 0x8E: e->reads |= x86decode_p_rm(i, 0); return;
    case 0x8F: e->reads |= X86DECODE_P_RSP; e->writes |= X86DECODE_P_RSP | rm; return;
    case 0x98: e->reads = e->writes = X86DECODE_P_RAX; return;
    case 0x99: x86decode_p_move(e, X86DECODE_P_RDX, X86DECODE_P_RAX, wide); return;
    case 0x9B: case 0xFC: case 0xFD: case 0xCC: case 0xF4: return;
    case 0x9C: e->reads = e->writes = X86DECODE_P_RSP; e->flags = X86DECODE_FLAGS_READ; return;
    case 0x9D: e->reads = e->writes = X86DECODE_P_RSP; e->flags = X86DECODE_FLAGS_KILL; return;
    case 0x9E: e->reads = X86DECODE_P_RAX; e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0x9F: e->reads = e->writes = X86DECODE_P_RAX; e->flags = X86DECODE_FLAGS_READ; return;
    case 0xA0: case 0xA1: e->reads = e->writes = X86DECODE_P_RAX; return;
    case 0xA2: case 0xA3: e->reads = X86DECODE_P_RAX; return;
    case 0xA8: case 0xA9: e->reads = X86DECODE_P_RAX; e->flags = X86DECODE_FLAGS_KILL; return;
    case 0xC0: case 0xC1: case 0xD0: case 0xD1: case 0xD2: case 0xD3:
        e->reads |= rm | x86decode_p_if(op >= 0xD2, X86DECODE_P_RCX);
        e->writes |= rm;
        e->flags = X86DECODE_FLAGS_WRITE
                   | x86decode_p_if(digit == 2 || digit == 3, X86DECODE_FLAGS_READ);
        /* A shift by 0 leaves them, and a rotation leaves most of them. */
        if (digit > 3 && op < 0xD2
            && (op >= 0xD0 || i->immediate & (i->rex & X86DECODE_REX_W ? 63 : 31)))
            e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xC6: case 0xC7:
        if (i->kind == X86DECODE_XBEGIN) { x86decode_p_unknown(e); return; }
        x86decode_p_move(e, rm, 0, op == 0xC7 && wide);
        return;
    case 0xC2: case 0xC3:  /* by the ABI: results and what callers keep */
        e->reads = X86DECODE_P_ALL & ~(unsigned)X86DECODE_P_VOLATILE;
        e->reads |= X86DECODE_P_RAX | X86DECODE_P_RDX | X86DECODE_P_RSP;
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xC8: case 0xC9: e->reads = e->writes = X86DECODE_P_RBP | X86DECODE_P_RSP; return;
    case 0xE0:
    case 0xE1:
        e->flags = X86DECODE_FLAGS_READ;
        e->reads = e->writes = X86DECODE_P_RCX;
        return;
    case 0xE2: e->reads = e->writes = X86DECODE_P_RCX; return;
    case 0xE3: e->reads = X86DECODE_P_RCX; return;
    case 0xE8: x86decode_p_call(e); return;
    case 0xE9: case 0xEB: return;
    case 0xF5: e->flags = X86DECODE_FLAGS_READ | X86DECODE_FLAGS_WRITE; return;
    case 0xF8: case 0xF9: e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0xF6: case 0xF7:
        e->reads |= rm;
        if (digit != 2) e->flags = X86DECODE_FLAGS_KILL;
        if (digit == 2 || digit == 3) e->writes |= rm;
        if (digit >= 4) {
            e->reads |= X86DECODE_P_RAX | X86DECODE_P_RDX;
            e->writes |= X86DECODE_P_RAX | X86DECODE_P_RDX;
        }
        return;
    case 0xFE: e->reads |= rm; e->writes |= rm; e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0xFF:
        e->reads |= rm;
        if (digit < 2) { e->writes |= rm; e->flags = X86DECODE_FLAGS_WRITE; }
        else if (digit < 4) x86decode_p_call(e);
        else if (digit == 6) { e->reads |= X86DECODE_P_RSP; e->writes |= X86DECODE_P_RSP; }
        return;
    default: x86decode_p_unknown(e); return;
    }
}

/* After 0F, and map 1 of VEX and EVEX: most opcodes have vector registers
   only. */
static void x86decode_p_effect_two(const x86decode_insn *i, x86decode_p_effect *e) {
    unsigned op = i->opcode, narrow = op == 0xB0 || op == 0xC0;
    unsigned reg = x86decode_p_reg(i, narrow), rm = x86decode_p_rm(i, narrow);
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
    case 0x2C: case 0x2D: case 0xC5: case 0xD7: x86decode_p_move(e, reg, 0, 1); return;
    case 0x2E: case 0x2F: e->flags = X86DECODE_FLAGS_KILL; return;
    case 0x7E: if (!(i->prefixes & X86DECODE_F3)) x86decode_p_move(e, rm, 0, 1); return;
    case 0xF7: e->reads |= X86DECODE_P_RDI; return;
    default: break;
    }
    if (x86decode_p_in(op, 0x51, 0x76) || x86decode_p_in(op, 0x7C, 0x7F)
        || x86decode_p_in(op, 0xD0, 0xFE))
        return;
    if (op == 0x50) { x86decode_p_move(e, reg, 0, 1); return; }
    if (!legacy) {
        if (i->coding == X86DECODE_EVEX && x86decode_p_in(op, 0x78, 0x7B)) {
            e->writes |= reg;
            e->reads |= rm;
            return;
        }
        if (i->coding == X86DECODE_VEX
            && (x86decode_p_in(op, 0x41, 0x4B) || x86decode_p_in(op, 0x90, 0x91)))
            return;
        if (op == 0x92) { e->reads |= rm; return; }
        if (op == 0x93) { x86decode_p_move(e, reg, 0, 1); return; }
        if (op == 0x98 || op == 0x99) { e->flags = X86DECODE_FLAGS_KILL; return; }
        x86decode_p_unknown(e);
        return;
    }
    if (x86decode_p_in(op, 0x80, 0x8F)) { e->flags = X86DECODE_FLAGS_READ; return; }
    if (x86decode_p_in(op, 0x40, 0x4F)) {
        x86decode_p_move(e, reg, rm, 0);
        e->flags = X86DECODE_FLAGS_READ;
        return;
    }
    if (x86decode_p_in(op, 0x90, 0x9F)) {
        x86decode_p_move(e, x86decode_p_rm(i, 1), 0, 0);
        e->flags = X86DECODE_FLAGS_READ;
        return;
    }
    if (x86decode_p_in(op, 0xC8, 0xCF)) {
        unsigned low = x86decode_p_bit(i, (op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0), 0);
        e->reads = e->writes = low;
        return;
    }
    if (op == 0x0D || (x86decode_p_in(op, 0x18, 0x1F) && op != 0x1A && op != 0x1B && op != 0x1E)
        || op == 0x0B)
        return;
    switch (op) {
    case 0x1E:
        if (i->prefixes & X86DECODE_F3 && !i->memory) e->writes |= rm;
        return; /* rdssp, endbr64 */
    case 0x31: e->writes = e->sets = X86DECODE_P_RAX | X86DECODE_P_RDX; return;
    case 0xA2: e->reads = X86DECODE_P_RAX | X86DECODE_P_RCX; e->writes = 15; e->sets = 15; return;
    case 0xA3: e->reads |= reg | rm; e->flags = X86DECODE_FLAGS_WRITE; return;
    case 0xAB: case 0xB3: case 0xBB: case 0xBA:
        e->reads |= rm | (op == 0xBA ? 0 : reg);
        e->writes |= rm;
        e->flags = X86DECODE_FLAGS_WRITE;
        return;
    case 0xA4: case 0xA5: case 0xAC: case 0xAD:
        e->reads |= rm | reg | X86DECODE_P_RCX;
        e->writes |= rm;
        e->flags = X86DECODE_FLAGS_WRITE;
        return;
    case 0xAF: x86decode_p_move(e, reg, rm, 0); e->flags = X86DECODE_FLAGS_KILL; return;
    case 0xB0: case 0xB1:
        e->reads |= reg | rm | X86DECODE_P_RAX;
        e->writes |= rm | X86DECODE_P_RAX;
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    case 0xB6: case 0xBE: x86decode_p_move(e, reg, x86decode_p_rm(i, 1), wide); return;
    case 0xB7: case 0xBF: x86decode_p_move(e, reg, rm, wide); return;
    case 0xB8: x86decode_p_move(e, reg, rm, wide); e->flags = X86DECODE_FLAGS_KILL; return;
    case 0xBC: case 0xBD: x86decode_p_move(e, reg, rm, 0); e->flags = X86DECODE_FLAGS_WRITE; return;
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
        e->reads |= rm | X86DECODE_P_RAX | X86DECODE_P_RDX;
        e->writes |= rm;
        return;
    default: x86decode_p_unknown(e); return;
    }
}

static void x86decode_p_effect_three(const x86decode_insn *i, x86decode_p_effect *e) {
    unsigned op = i->opcode, reg = x86decode_p_reg(i, 0), rm = x86decode_p_rm(i, 0);
    if (i->map == 2) {
        if (op == 0x17 || (i->coding == X86DECODE_VEX && (op == 0x0E || op == 0x0F))) {
            e->flags = X86DECODE_FLAGS_KILL;
            return;
        }
        if (op >= 0xE0) {
            if (op < 0xF0 || i->coding == X86DECODE_EVEX) { x86decode_p_unknown(e); return; }
            e->reads |= reg | rm | 1u << (i->vvvv & 15) | X86DECODE_P_RDX | X86DECODE_P_RAX;
            e->writes |= reg | rm | 1u << (i->vvvv & 15);
            e->flags = X86DECODE_FLAGS_READ | X86DECODE_FLAGS_WRITE;
            if (op >= 0xF8) x86decode_p_unknown(e);
            return;
        }
        if (i->coding == X86DECODE_EVEX && x86decode_p_in(op, 0x7A, 0x7C)) e->reads |= rm;
        if (op >= 0x80 && op <= 0x82) x86decode_p_unknown(e);
        return;
    }
    if (x86decode_p_in(op, 0x14, 0x17)) { x86decode_p_move(e, rm, 0, 1); return; }
    if (x86decode_p_in(op, 0x20, 0x22)) { e->reads |= rm; return; }
    if (x86decode_p_in(op, 0x60, 0x63)) {
        e->reads |= X86DECODE_P_RAX | X86DECODE_P_RDX;
        e->writes |= X86DECODE_P_RCX;
        e->flags = X86DECODE_FLAGS_KILL;
        return;
    }
    if (op == 0xF0) { x86decode_p_move(e, reg, rm, 1); return; }
}

BINPATCH_API void x86decode_effects(const x86decode_insn *i, x86decode_effect *out) {
    x86decode_p_effect e = {0, 0, 0, 0};
    if (i->coding == X86DECODE_XOP) x86decode_p_unknown(&e);
    else if (i->kind == X86DECODE_SYSCALL || i->kind == X86DECODE_XBEGIN) x86decode_p_unknown(&e);
    else if (i->kind == X86DECODE_RETURN && i->opcode != 0xC2 && i->opcode != 0xC3)
        x86decode_p_unknown(&e);
    else if (i->map == 0) x86decode_p_effect_one(i, &e);
    else if (i->map == 1) x86decode_p_effect_two(i, &e);
    else if (i->map <= 3) x86decode_p_effect_three(i, &e);
    if (i->memory && i->base >= 0) e.reads |= 1u << i->base;
    if (i->memory && i->index >= 0 && !i->vsib) e.reads |= 1u << i->index;
    out->reads = (uint16_t)e.reads;
    out->writes = (uint16_t)(e.writes | e.sets);
    out->sets = (uint16_t)e.sets;
    out->flags = (uint8_t)e.flags;
}
#endif /* BINPATCH_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a
   copy of this software and associated documentation files (the "Software"),
   to deal in the Software without restriction, including without limitation
   the rights to use, copy, modify, merge, publish, distribute, sublicense,
   and/or sell copies of the Software, and to permit persons to whom the
   Software is furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in
   all copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
   THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
   DEALINGS IN THE SOFTWARE. */
