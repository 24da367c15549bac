/* binpatch.h - v0.2.0 - hooks functions of a running x86-64 program - MIT, text at end of file

   example:
       #define BINPATCH_IMPLEMENTATION
       #include "binpatch.h"
       #include <stdio.h>
       static uint64_t memory[4096];
       static int work(int n) { return n < 2 ? 1 : work(n - 1) + work(n - 2); }
       static int (*volatile run)(int) = work;
       static void entered(void *user, const binpatch_call *call) {
           ++*(int *)user;
           if (call->registers[BINPATCH_RDI] == 20) printf("work(20) by %p\n", (void *)call->from);
       }
       int main(void) {
           static binpatch_config config;
           static binpatch_watch watch;
           int seen = 0, hook;
           config.every = 90;                   // after 90 calls ...
           config.burst = 10;                   // ... the next 10 are told
           watch.function = (uintptr_t)run;
           watch.entered = entered;
           watch.user = &seen;
           binpatch_init(memory, sizeof memory, &config);
           hook = binpatch_hook(&watch);
           if (hook < 0) return printf("not hooked: %s\n", binpatch_reason_text(hook)) < 0;
           printf("%d by %d calls of ten times as many\n", run(20), seen);
           return binpatch_unhook(hook);
       }
   end of example.

   Functions that nobody compiled for it tell who calls them, with what, and
   what they return: functions of the program itself, of its libraries, of the C
   library. Nothing is compiled or linked anew.

   STEP BY STEP
   1. Define BINPATCH_IMPLEMENTATION in one C or C++ file before the include.
      Include the header plainly everywhere else.
   2. Give memory to binpatch_init. It says how many functions fit. Each takes
      104 bytes, and each call that waits for its return 40.
   3. binpatch_hook writes a jump over the first instructions of a function.
      They run in a stub within 2 GB of it, which the header maps, behind a
      check.
   4. The check counts calls. In a gap it is two instructions. In a burst the
      observer is called. With every = 0 all calls are told.
   5. With an observer of returns, a call in a burst gets another return
      address, and the observer sees the result when the call returns.
   6. binpatch_switch(0) lets calls pass and binpatch_switch(1) counts them
      again, at any time. binpatch_unhook writes the instructions back.
   What cannot be done safely is refused, and binpatch_reason_text says why.

   PROMISES
   A hooked function computes what it did: all registers and vectors that may
   hold arguments or results are kept, and errno. Status flags are not kept, as
   in any call. Nothing here calls malloc or prints. Memory: what you give, one
   block of 64 KiB for 500 functions that are near one another, at most 16
   blocks, and 16 bytes for each call that can wait. They stay mapped, since a
   thread may stand in them. Exceptions, longjmp and pthread_exit go through
   calls that wait: such a call is not told as returned, and its place is found
   again when all others are taken. That wants the unwinder of libgcc. A jump to
   the entry, such as a tail call or a loop that begins there, is a call. If a
   waiting call ends in a tail call, both are told at its return.

   LIMITS
   - A function's code must not be read or changed by the program meanwhile.
   - A jump into the displaced bytes from another module, or through a pointer
     elsewhere, is not seen. Compilers make none.
   - Observers of returns: not for functions that return twice (setjmp, vfork,
     getcontext), or that ask who called them (dlsym, dlopen, backtrace).
   - Debuggers and backtraces of other threads or handlers do not go through a
     stub or an observer. An observer must not throw, and needs some 4 KB of
     stack.
   - The file that has the implementation must not be unloaded. No thread may be
     in a hooked function of a library that is. Its hooks end with it.
   - `gcc -static` leaves the table of unwind information out, and most functions
     are refused (NO_END). Link with -Wl,--eh-frame-hdr.

   THREADS
   All threads may call hooked functions, while others hook and unhook. Each has
   its own bursts. The jump is one store of an aligned word of 8 bytes where its
   5 bytes lie in one. A thread that stands between the displaced instructions
   at that moment would go on within the jump. So while there are other threads,
   binpatch_hook takes only functions whose first instruction has 5 bytes or
   more, in one word; others are refused (BINPATCH_THREADS), if config.running
   does not say that you know better. Hook before you start threads.
   binpatch_unhook and binpatch_switch have no such limit. Observers and signal
   handlers may call all three; so may the child of a fork, alone in its process.

   OPTIONS
     BINPATCH_IMPLEMENTATION  in one file: the functions
     BINPATCH_STATIC          makes everything static, for one file
     BINPATCH_OFF             in all files: no hooks; binpatch_hook refuses
   The file compiles on every target. BINPATCH_SUPPORTED is 1 where code can be
   hooked: Linux on x86-64, gcc or clang. x86decode and binpatch_move work
   anywhere.

   COST
   A call in a gap takes 2 instructions and 2 jumps more, 0.7 ns here. One that is
   told takes some 200 ns, and its return as much; most of that saves vectors.
   binpatch_hook reads the code of the module once for jumps, some 1 ms for each
   MB. The decoder has 2.5 KiB of tables; bench/x86decode_objdump.sh compares it
   with objdump.

   CONTENTS
     language
     linkage
     options
     hooks: who is called, who returns
     one instruction: the decoder
     decoder: what follows an opcode, which operands it has
     decoder: the instruction, part by part
     instructions that move to another place
     the system: calls, mappings
     the function: where it ends, what would be displaced
     what memory looks like
     chance
     returns: the pads
     bursts: which calls are told
     stubs and the code that they share
     room near the code
     hooks, taken out and switched
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

/* ---- linkage ------------------------------------------ src/linkage.h ---- */

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

/* ---- options --------------------------------- src/binpatch/options.h ---- */

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) && !defined(__TINYC__)           \
    && defined(__linux__) && defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define BINPATCH_SUPPORTED 1            /* code of this process can be hooked */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- hooks: who is called, who returns ---------- src/binpatch/hook.h ---- */

typedef struct binpatch_config {  /* every zero is a default */
    /* nCheck0, nInstr0: behind `every` calls of a thread its next `burst` calls are
       told. every 0: all are told. burst 0: 100. */
    uint32_t every, burst;
    uint32_t jitter;              /* gaps vary by so many percent of every */
    uint32_t seed;                /* of the gaps */
    uint32_t returns;             /* so many calls can wait for their return: 256 */
    /* 1: you know that no other thread is in the first bytes of what you hook. 0:
       functions where that matters are refused while there are other threads. */
    int running;
} binpatch_config;

enum { BINPATCH_RDI, BINPATCH_RSI, BINPATCH_RDX, BINPATCH_RCX, BINPATCH_R8, BINPATCH_R9,
       BINPATCH_RAX, BINPATCH_REGISTERS };

typedef struct binpatch_call {
    int number;                   /* what binpatch_hook returned */
    uintptr_t function;
    uintptr_t stack;              /* where its return address stands; names the call */
    uintptr_t from;               /* the return address */
    /* At the entry the arguments, behind the return the result (RAX, RDX). */
    uint64_t registers[BINPATCH_REGISTERS];
} binpatch_call;

/* On the thread that calls. errno is kept. Calls that the observer makes itself
   are not told. It must return: a longjmp out of it ends what its thread tells. */
typedef void (*binpatch_observer)(void *user, const binpatch_call *call);

typedef struct binpatch_watch {
    uintptr_t function;           /* its address */
    size_t bytes;                 /* its length; 0: the unwind information tells */
    binpatch_observer entered;    /* or NULL */
    binpatch_observer returned;   /* or NULL. Only calls inside a burst are told */
    void *user;
} binpatch_watch;

/* Why binpatch_hook refuses: it returns one of them, negated. */
enum {
    BINPATCH_UNSUPPORTED = 1,     /* this system, or BINPATCH_OFF */
    BINPATCH_NO_START,            /* binpatch_init was not called, or said 0 */
    BINPATCH_FULL,                /* the given memory holds no more functions */
    BINPATCH_NOT_EXECUTABLE,      /* no code is at this address; or /proc tells nothing */
    BINPATCH_HOOKED,              /* it is hooked already */
    BINPATCH_NO_END,              /* nothing tells where it ends: give its bytes */
    BINPATCH_SHORT,               /* it ends before the jump does */
    BINPATCH_UNKNOWN,             /* the decoder does not know one of its instructions */
    BINPATCH_INSIDE,              /* a jump or call leads into the displaced bytes */
    BINPATCH_INDIRECT,            /* a jump through a register or table might */
    BINPATCH_UNMOVABLE,           /* a displaced instruction cannot run anywhere else */
    BINPATCH_NO_ROOM,             /* no free memory within 2 GB of it, or 16 blocks */
    BINPATCH_THREADS,             /* other threads run; see binpatch_config.running */
    BINPATCH_SHADOW_STACK,        /* the processor checks returns: none can be told */
    BINPATCH_READ_ONLY,           /* the system does not let code be written */
    BINPATCH_REASONS
};

typedef struct binpatch_stats {
    uint64_t bursts, entries, returns;  /* begun; told */
    uint64_t missed;              /* returns not told: config.returns is too small */
    uint32_t functions, room;     /* hooked now; the memory holds so many */
    uint32_t left;                /* jumps that unhooking left in place */
} binpatch_stats;

/* Moves whole instructions from code[0..size), which runs at address `from`, to
   out[0..room), which will run at `to`. Jumps and operands relative to the
   instruction lead where they led. A call must be the last instruction; it
   becomes a push of the address behind it in the original, and a jump. Returns
   the bytes written, or 0: *reason says why (UNKNOWN, UNMOVABLE or NO_ROOM). */
BINPATCH_API size_t binpatch_move(const void *code, size_t size, uint64_t from, void *out,
                                  size_t room, uint64_t to, int *reason);

#if defined(BINPATCH_SUPPORTED) && !defined(BINPATCH_OFF)
/* Once in a process. The memory stays yours, and must stay. Returns how many
   functions it holds; 0: too small, called before, or not supported. */
BINPATCH_API uint32_t binpatch_init(void *memory, size_t bytes,
                                    const binpatch_config *config);
/* Writes a jump over the entry of w->function. Returns its number, 0 and up; or
   -BINPATCH_..., a reason, and nothing has changed. */
BINPATCH_API int binpatch_hook(const binpatch_watch *w);
/* Writes the entry back, if its jump is still there. Returns 0; 1: it could not be
   taken out safely, and stays as a jump that leads to the same instructions; -1:
   there is no such hook. Other threads may still be in its observers. Calls that
   were told of their entry and return later are not told of that. */
BINPATCH_API int binpatch_unhook(int number);
/* 0: hooked functions go on past their check at once. 1: they check again. A
   new process is on. Returns what it was. */
BINPATCH_API int binpatch_switch(int on);
BINPATCH_API void binpatch_get_stats(binpatch_stats *out);
/* A reason in words. */
BINPATCH_API const char *binpatch_reason_text(int reason);
#else
/* Nothing is hooked, and nothing of the header is in the program. */
BINPATCH_P_UNUSED static uint32_t binpatch_init(void *memory, size_t bytes,
                                                const binpatch_config *config) {
    (void)memory; (void)bytes; (void)config;
    return 0;
}
BINPATCH_P_UNUSED static int binpatch_hook(const binpatch_watch *w) {
    (void)w;
    return -BINPATCH_UNSUPPORTED;
}
BINPATCH_P_UNUSED static int binpatch_unhook(int number) {
    (void)number;
    return -1;
}
BINPATCH_P_UNUSED static int binpatch_switch(int on) {
    (void)on;
    return 0;
}
BINPATCH_P_UNUSED static void binpatch_get_stats(binpatch_stats *out) {
    static const binpatch_stats none = {0, 0, 0, 0, 0, 0, 0};
    *out = none;
}
BINPATCH_P_UNUSED static const char *binpatch_reason_text(int reason) {
    return reason ? "not supported here" : "hooked";
}
#endif

/* ---- one instruction: the decoder ------------- src/binpatch/decode.h ---- */

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

/* ---- instructions that move to another place ---- src/binpatch/move.c ---- */

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

#if defined(BINPATCH_SUPPORTED) && !defined(BINPATCH_OFF)
#include <cpuid.h>
#include <errno.h>
#define BINPATCH_P_SLOW BINPATCH_P_UNUSED static
/* mcount and its kin may be hooked. */
#define BINPATCH_P_BARE __attribute__((no_instrument_function))

/* ---- the system: calls, mappings -------------- src/binpatch/system.c ---- */

/* Calls of the kernel without the C library: its functions may be hooked, and
   errno belongs to the program. */
enum {
    BINPATCH_P_READ = 0,
    BINPATCH_P_OPEN = 2,
    BINPATCH_P_CLOSE = 3,
    BINPATCH_P_MMAP = 9,
    BINPATCH_P_MPROTECT = 10,
    BINPATCH_P_MUNMAP = 11,
    BINPATCH_P_SIGPROCMASK = 14,
    BINPATCH_P_YIELD = 24,
    BINPATCH_P_GETPID = 39,
    BINPATCH_P_ARCH_PRCTL = 158,
    BINPATCH_P_READ_PROCESS = 310
};
enum { BINPATCH_P_R = 1, BINPATCH_P_W = 2, BINPATCH_P_X = 4, BINPATCH_P_CODE = 5 }; /* as in mmap */

static long binpatch_p_call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                            uint64_t e, uint64_t f) {
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = e;
    register uint64_t r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static int binpatch_p_protect(uint64_t lo, uint64_t hi, unsigned protection) {
    lo &= ~UINT64_C(4095);
    hi = (hi + 4095) & ~UINT64_C(4095);
    return binpatch_p_call(BINPATCH_P_MPROTECT, lo, hi - lo, protection, 0, 0, 0) ? -1
                                                                                  : 0;
}

/* A file of /proc, read through a window. */
typedef struct binpatch_p_file {
    long fd, at, end;
    char text[1024];
} binpatch_p_file;

static int binpatch_p_open(binpatch_p_file *f, const char *path) {
    f->at = f->end = 0;
    f->fd = binpatch_p_call(BINPATCH_P_OPEN, (uint64_t)(uintptr_t)path,
                            0x80000 /* O_CLOEXEC */, 0, 0, 0, 0);
    return f->fd < 0 ? -1 : 0;
}

static void binpatch_p_close(binpatch_p_file *f) {
    (void)binpatch_p_call(BINPATCH_P_CLOSE, (uint64_t)f->fd, 0, 0, 0, 0, 0);
}

static int binpatch_p_next(binpatch_p_file *f) { /* -1: the end */
    if (f->at == f->end) {
        f->at = 0;
        f->end = binpatch_p_call(BINPATCH_P_READ, (uint64_t)f->fd,
                                 (uint64_t)(uintptr_t)f->text, sizeof f->text, 0, 0, 0);
        if (f->end <= 0) return (int)(f->end = 0) - 1;
    }
    return (unsigned char)f->text[f->at++];
}

typedef struct binpatch_p_mapping {
    uint64_t lo, hi, offset, device, inode;
    unsigned protection;
    int is_stack;
} binpatch_p_mapping;

static uint64_t binpatch_p_number(binpatch_p_file *f, unsigned base, int *end) {
    uint64_t value = 0;
    int c;
    for (;;) {
        c = binpatch_p_next(f);
        if (c >= '0' && c <= '9') value = value * base + (unsigned)(c - '0');
        else if (base == 16 && c >= 'a' && c <= 'f')
            value = value * 16 + (unsigned)(c - 'a' + 10);
        else break;
    }
    *end = c;
    return value;
}

/* lo-hi rwxp offset major:minor inode  path. Returns 1, or 0: there is no more. */
static int binpatch_p_next_mapping(binpatch_p_file *f, binpatch_p_mapping *m) {
    int c, n;
    m->lo = binpatch_p_number(f, 16, &c);
    if (c != '-') return 0;
    m->hi = binpatch_p_number(f, 16, &c);
    m->protection = 0;
    for (n = 0; n < 3; n++)
        if (binpatch_p_next(f) != '-') m->protection |= 1u << n;
    (void)binpatch_p_next(f);
    (void)binpatch_p_next(f);
    m->offset = binpatch_p_number(f, 16, &c);
    m->device = binpatch_p_number(f, 16, &c) << 32;
    m->device |= binpatch_p_number(f, 16, &c);
    m->inode = binpatch_p_number(f, 10, &c);
    m->is_stack = 0;
    while (c != '\n' && c >= 0) {
        if (c == '[' && (c = binpatch_p_next(f)) == 's') m->is_stack = 1;
        else if (c != '\n') c = binpatch_p_next(f);
    }
    return 1;
}

/* Has this process other threads? What cannot be read is answered with 1. */
static int binpatch_p_has_threads(void) {
    static const char word[] = "Threads:\t";
    binpatch_p_file f;
    unsigned matched = 0;
    int c;
    uint64_t count = 2;
    if (binpatch_p_open(&f, "/proc/self/status") != 0) return 1;
    while ((c = binpatch_p_next(&f)) >= 0) {
        matched = c == word[matched] ? matched + 1 : c == word[0];
        if (matched + 1 < sizeof word) continue;
        count = binpatch_p_number(&f, 10, &c);
        break;
    }
    binpatch_p_close(&f);
    return count != 1;
}

/* ---- the function: where it ends, what would be displaced  src/binpatch/function.c ---- */

/* An executable or library begins with its program headers in memory. One of
   them leads to .eh_frame_hdr: for each function a pair of distances, in rising
   order, to its code and to what tells its length. */

typedef struct binpatch_p_place {
    binpatch_p_mapping m; /* of an address */
    uint64_t text_lo, text_hi;
    uint64_t base, base_bytes; /* its file's first mapping; 0: no file begins there */
} binpatch_p_place;

static uint64_t binpatch_p_read(uint64_t address, unsigned bytes) {
    const uint8_t *p = (const uint8_t *)(uintptr_t)address;
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | p[bytes];
    return value;
}

static uint64_t binpatch_p_signed(uint64_t address) {
    typedef int32_t __attribute__((aligned(1), may_alias)) anywhere;
    return (uint64_t)(int64_t)*(const anywhere *)(uintptr_t)address;
}

/* Code of one file may stand in several mappings that touch: pages that were
   written are told apart. text_lo, text_hi: all of them. Returns 0; 1: there is no
   such mapping; -1: they cannot be read. */
static int binpatch_p_find(uint64_t address, binpatch_p_place *out) {
    binpatch_p_file f;
    binpatch_p_mapping m, first;
    uint64_t lo = 0, hi = 0, device = 0, inode = 0;
    int found = 0;
    first.lo = first.hi = first.device = first.inode = 0;
    if (binpatch_p_open(&f, "/proc/self/maps") != 0) return -1;
    while (binpatch_p_next_mapping(&f, &m)) {
        int is_code = (m.protection & BINPATCH_P_CODE) == BINPATCH_P_CODE;
        int goes_on = is_code && m.lo == hi && m.device == device && m.inode == inode;
        if (found && !goes_on) break;
        if (m.offset == 0 && m.inode && m.protection & BINPATCH_P_R) first = m;
        if (!goes_on) lo = m.lo;
        hi = is_code ? m.hi : 0;
        device = m.device;
        inode = m.inode;
        if (found || (address >= m.lo && address < m.hi)) {
            if (!found) {
                out->m = m;
                out->base = m.inode && m.inode == first.inode && m.device == first.device
                                ? first.lo
                                : 0;
                out->base_bytes = first.hi - first.lo;
            }
            found = 1;
            out->text_lo = lo;
            out->text_hi = m.hi;
        }
    }
    binpatch_p_close(&f);
    return !found;
}

/* The range in the table of unwind information that holds the address. */
static int binpatch_p_range(const binpatch_p_place *where, uint64_t address, uint64_t *lo,
                            uint64_t *hi) {
    uint64_t base = where->base, header = 0, bias = base, table, low = 0, high, at, begin;
    uint64_t headers, n, count;
    if (!base || binpatch_p_read(base, 4) != 0x464C457F) return -1;
    headers = base + binpatch_p_read(base + 32, 8);
    count = binpatch_p_read(base + 56, 2);
    if (headers - base + count * 56 > where->base_bytes) return -1;
    for (n = 0; n < count; n++) {
        uint64_t h = headers + n * 56, type = binpatch_p_read(h, 4);
        if (type == 1 && binpatch_p_read(h + 8, 8) == 0)
            bias = base - binpatch_p_read(h + 16, 8);
        if (type == 0x6474E550) header = binpatch_p_read(h + 16, 8);
    }
    if (!header) return -1;
    header += bias;
    /* version 1; .eh_frame by 4 bytes; their count; pairs of 4 bytes from the header */
    if (binpatch_p_read(header, 1) != 1 || (binpatch_p_read(header + 1, 1) & 15) % 8 != 3
        || binpatch_p_read(header + 2, 2) != 0x3B03) {
        return -1;
    }
    table = header + 12;
    high = binpatch_p_read(header + 8, 4);
    while (low < high) { /* pairs before low begin at the address or before it */
        uint64_t middle = low + (high - low) / 2;
        if (header + binpatch_p_signed(table + middle * 8) <= address) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return -1;
    begin = header + binpatch_p_signed(table + (low - 1) * 8);
    at = header + binpatch_p_signed(table + (low - 1) * 8 + 4)
         + 8; /* behind length and CIE */
    *lo = begin;
    if (at + binpatch_p_signed(at) == begin) *hi = begin + binpatch_p_read(at + 4, 4);
    else if (binpatch_p_read(at, 8) == begin) *hi = begin + binpatch_p_read(at + 8, 8);
    else return -1;
    return address < *hi ? 0 : -1;
}

typedef struct binpatch_p_target {
    uint64_t lo, hi;       /* the function */
    uint64_t end;          /* of the displaced bytes */
    uint32_t instructions; /* that are displaced */
    int calls;             /* the last one calls */
} binpatch_p_target;

static const uint8_t *binpatch_p_code(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
}

/* Are these bytes the distance of a jump or call? The byte before must fit, and
   then the code decides, read from the start of its function. */
static int binpatch_p_is_distance(const binpatch_p_place *where, uint64_t at,
                                  unsigned bytes) {
    const uint8_t *p = binpatch_p_code(at);
    uint64_t lo, hi;
    x86decode_insn i;
    if (bytes == 4) {
        if (p[-1] != 0xE8 && p[-1] != 0xE9 && (p[-2] != 0x0F || (p[-1] & 0xF0) != 0x80))
            return 0;
    } else if (p[-1] != 0xEB && (p[-1] & 0xF0) != 0x70 && (p[-1] & 0xFC) != 0xE0)
        return 0;
    if (binpatch_p_range(where, at, &lo, &hi) != 0) return 1;
    while (lo <= at) {
        if (!x86decode(binpatch_p_code(lo), (size_t)(hi - lo), &i)) return 1;
        lo += i.length;
        if (lo == at + bytes)
            return i.immediate_size == bytes && i.kind != X86DECODE_PLAIN;
    }
    return 0;
}

/* Does any code of the module jump between the displaced instructions? Parts of
   the function may stand elsewhere (.cold), and assembly has several entries. */
static int binpatch_p_is_entered(const binpatch_p_place *where,
                                 const binpatch_p_target *t) {
    uint64_t inside = t->lo + 1, bytes = t->end - inside, at;
    uint64_t near_lo = t->lo - 128, near_hi = t->end + 128;
    if (t->instructions == 1) return 0;
    for (at = where->text_lo + 2; at + 4 <= where->text_hi; at++) {
        if (at + 4 + binpatch_p_signed(at) - inside < bytes
            && binpatch_p_is_distance(where, at, 4)) {
            return 1;
        }
    }
    if (near_lo < where->text_lo + 2) near_lo = where->text_lo + 2;
    if (near_hi > where->text_hi) near_hi = where->text_hi;
    for (at = near_lo; at < near_hi; at++) {
        uint64_t to = at + 1 + (uint64_t)(int64_t)(int8_t)*binpatch_p_code(at);
        if (to - inside < bytes && binpatch_p_is_distance(where, at, 1)) return 1;
    }
    return 0;
}

/* The function itself must be known whole, and not jump who knows where. */
static int binpatch_p_look(const binpatch_p_target *t) {
    uint64_t at;
    x86decode_insn i;
    for (at = t->lo; at < t->hi; at += i.length) {
        if (!x86decode(binpatch_p_code(at), (size_t)(t->hi - at), &i))
            return BINPATCH_UNKNOWN;
        if (i.kind == X86DECODE_JUMP_INDIRECT && t->instructions > 1
            && !(i.memory && i.base == X86DECODE_RIP)) {
            return BINPATCH_INDIRECT;
        }
    }
    return 0;
}

/* Returns 0 and fills in t, or the reason why nothing is displaced there. */
static int binpatch_p_judge(uint64_t function, size_t bytes,
                            const binpatch_p_place *where, binpatch_p_target *t) {
    x86decode_insn i;
    uint64_t lo = 0, limit = where->text_hi - function;
    int reason, leaves = 0;
    t->lo = t->end = function;
    t->hi = 0;
    t->instructions = 0;
    if (bytes) t->hi = function + (bytes < limit ? bytes : limit);
    else if (binpatch_p_range(where, function, &lo, &t->hi) != 0 || lo != function)
        t->hi = 0;
    do {
        uint64_t room = (t->hi ? t->hi : where->text_hi) - t->end;
        if (t->hi && room == 0) return BINPATCH_SHORT;
        if (!t->hi && leaves) return BINPATCH_NO_END;
        if (!x86decode(binpatch_p_code(t->end), (size_t)room, &i))
            return BINPATCH_UNKNOWN;
        t->end += i.length;
        t->instructions++;
        leaves = i.kind == X86DECODE_JUMP || i.kind == X86DECODE_RETURN
                 || i.kind == X86DECODE_JUMP_INDIRECT || i.kind == X86DECODE_TRAP;
        t->calls = i.kind == X86DECODE_CALL || i.kind == X86DECODE_CALL_INDIRECT;
    } while (t->end < function + 5);
    /* No table has the stubs of the PLT. A stub is the code that leads to its jump. */
    if (!t->hi && leaves) t->hi = t->end;
    if (!t->hi) return BINPATCH_NO_END;
    reason = binpatch_p_look(t);
    return reason ? reason : binpatch_p_is_entered(where, t) ? BINPATCH_INSIDE : 0;
}

/* ---- what memory looks like -------------------- src/binpatch/state.c ---- */

/*     | the program's code |  ... within 2 GB ...  | block: common | stub | stub | ... |

   The first instructions of a hooked function are displaced by a jump to its stub:

             decl %fs:n          n checks remain      or, off:  jmp plain
             js slow             below 0: look at the schedule
       plain: the displaced instructions
             jmp back            to what was not displaced
       slow: push $number
             call common         saves registers, calls binpatch_p_entered
             lea 8(%rsp),%rsp
             jmp plain

   The stub's first instruction is one aligned word of 8 bytes, so it is switched
   by one store, whoever is there. A stub is never given to another function, for
   a thread may stand in it for any time.

   A call whose return is to be told gets a *pad* as its return address, and the
   table keeps the true one. Entry k of the table stands k * 16 bytes behind its
   start, as pad k behind the first pad: so one entry of unwind information says
   where the true address of each pad is, and exceptions go through.

             lea -8(%rsp),%rsp   the slot keeps the pad's address until it is free
             call leaving        saves registers, calls binpatch_p_left */

enum {
    BINPATCH_P_BLOCK = 65536,
    BINPATCH_P_BLOCKS = 16,
    BINPATCH_P_COMMON = 512,
    BINPATCH_P_STUB = 128,
    BINPATCH_P_PAD = 16,
    BINPATCH_P_QUIET = 0x7FFFFFFF
};
enum { BINPATCH_P_EMPTY, BINPATCH_P_ON, BINPATCH_P_TAKEN_OUT, BINPATCH_P_LEFT };

typedef struct binpatch_p_hook {
    binpatch_watch watch;
    uint64_t stub, plain_word, check_word; /* the stub's first word: off, on */
    uint8_t old[19], displaced;            /* the first instructions; their bytes */
    uint8_t alone;                         /* one instruction in one word: safe beside threads */
    uint32_t protection;
    int state;
    uint32_t version; /* of watch; odd while it is written */
} binpatch_p_hook;

typedef struct binpatch_p_return { /* the table of true addresses */
    uint64_t to, slot;             /* slot: where it stood */
} binpatch_p_return;

enum { BINPATCH_P_FREE, BINPATCH_P_BUSY, BINPATCH_P_WAITS, BINPATCH_P_BELOW };

typedef struct binpatch_p_wait { /* beside it */
    uint64_t state;              /* one of the four, and 4 times how often it was free */
    uint32_t hook, version, times;
    uint32_t below; /* 1 + the pad whose call became this by a jump */
} binpatch_p_wait;

static struct {
    binpatch_config config;
    int started, on, lock, shadow_stack;
    binpatch_p_hook *hooks;
    uint32_t room, used, threads;
    binpatch_p_return *returns;
    binpatch_p_wait *waits;
    uint64_t pads;
    uint32_t hint;
    struct {
        uint64_t base;
        uint32_t used;
    } blocks[BINPATCH_P_BLOCKS];
    uint32_t block_count, save_mask, save_bytes;
    uint64_t bursts, entries, told, missed;
    int64_t patience;   /* so many calls find no pad before all are looked at */
    uint64_t frame[16]; /* the pads' unwind information */
} binpatch_p;

static __thread struct {
    int32_t n;
    uint32_t left, random, inside; /* left: calls of this burst */
} binpatch_p_own __attribute__((tls_model("initial-exec")));

/* Who holds the lock has its signals blocked, and its calls are not told. So no
   handler or observer waits for a thread that waits for it. The lock holds a
   process id: after a fork it may be that of a thread that is not here. */
typedef struct binpatch_p_guard {
    uint64_t signals;
    int32_t n;
} binpatch_p_guard;

static void binpatch_p_block_signals(const uint64_t *set, uint64_t *was) {
    (void)binpatch_p_call(BINPATCH_P_SIGPROCMASK, 2 /* SIG_SETMASK */,
                          (uint64_t)(uintptr_t)set, (uint64_t)(uintptr_t)was, 8, 0, 0);
}

static binpatch_p_guard binpatch_p_enter_lock(void) {
    static const uint64_t all = ~UINT64_C(0);
    binpatch_p_guard g;
    int pid = (int)binpatch_p_call(BINPATCH_P_GETPID, 0, 0, 0, 0, 0, 0), owner = 0;
    binpatch_p_block_signals(&all, &g.signals);
    g.n = binpatch_p_own.n;
    binpatch_p_own.n = BINPATCH_P_QUIET;
    while (!__atomic_compare_exchange_n(&binpatch_p.lock, &owner, pid, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (owner != pid) continue;
        (void)binpatch_p_call(BINPATCH_P_YIELD, 0, 0, 0, 0, 0, 0);
        owner = 0;
    }
    return g;
}
static void binpatch_p_leave_lock(const binpatch_p_guard *g) {
    __atomic_store_n(&binpatch_p.lock, 0, __ATOMIC_RELEASE);
    binpatch_p_own.n = g->n;
    binpatch_p_block_signals(&g->signals, NULL);
}

/* ---- chance -------------------------------------------- src/chance.c ---- */

BINPATCH_P_SLOW uint32_t binpatch_p_mix(uint32_t h, uint32_t v) {
    h = (h ^ v) * UINT32_C(0x9E3779B1);
    return h ^ h >> 15;
}

/* The state for thread `number` of a process with this seed. A number is given
   again when a thread has ended: `again` says how often it was. */
BINPATCH_P_SLOW uint32_t binpatch_p_state_of(uint32_t seed, uint32_t number, uint32_t again) {
    uint32_t h = binpatch_p_mix(binpatch_p_mix(seed + 1, number + 1), again);
    return h ? h : 1;
}

/* A random number below limit. xorshift: *state is never 0. */
BINPATCH_P_SLOW uint32_t binpatch_p_below(uint32_t *state, uint32_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (uint32_t)((uint64_t)*state * limit >> 32);
}

BINPATCH_P_SLOW uint32_t binpatch_p_spread(uint32_t gap, uint32_t percent) {
    uint32_t spread = (uint32_t)((uint64_t)gap * percent / 100);
    return spread < gap ? spread : gap - 1; /* no gap is 0 */
}

/* The checks to the next burst, drawn evenly from gap - j to gap + j, where j
   is so many percent of gap. */
BINPATCH_P_SLOW uint32_t binpatch_p_draw_gap(uint32_t *state, uint32_t gap, uint32_t percent) {
    uint32_t spread = binpatch_p_spread(gap, percent);
    return spread ? gap - spread + binpatch_p_below(state, 2 * spread + 1) : gap;
}

/* Where a sample begins. Every check must have the same chance to lie in a
   burst, that is I / (C + I), be it the first one of a thread or the last. So a
   thread begins as if it had been running for ever, at an even place v of a
   period, and the longer a period is the likelier it is met:

       | burst, I |     gap, drawn as above    |             longest |
       | . . . . . . . . . v                   |                     |
                           <------ left ------>        v here: draw both again

   Returns the checks that are left of the burst or of the gap. All three are at
   most 2^30. */
BINPATCH_P_SLOW uint32_t binpatch_p_begin(uint32_t *state, uint32_t gap, uint32_t percent, uint32_t burst,
                                  uint32_t *in_burst) {
    uint32_t longest = burst + gap + binpatch_p_spread(gap, percent), period, place;
    do {
        period = burst + binpatch_p_draw_gap(state, gap, percent);
        place = binpatch_p_below(state, longest);
    } while (place >= period);
    *in_burst = place < burst;
    return *in_burst ? burst - place : period - place;
}

/* ---- returns: the pads ----------------------- src/binpatch/returns.c ---- */

/* A pad that waits is alive as long as its slot holds its address: a call that
   is left by longjmp or an exception never comes back, and its slot is written
   over some day. Only when no pad is free are the slots looked at, through the
   kernel, for a stack may be gone. */

static uint64_t binpatch_p_pad(uint32_t n) {
    return binpatch_p.pads + (uint64_t)n * BINPATCH_P_PAD;
}

/* The pad with this address, or UINT32_MAX. */
static uint32_t binpatch_p_which(uint64_t address) {
    uint64_t at = address - binpatch_p.pads;
    if (address < binpatch_p.pads || at % BINPATCH_P_PAD
        || at / BINPATCH_P_PAD >= binpatch_p.config.returns) {
        return UINT32_MAX;
    }
    return (uint32_t)(at / BINPATCH_P_PAD);
}

static uint64_t binpatch_p_true_return(uint64_t address) {
    uint32_t n = binpatch_p_which(address);
    return n == UINT32_MAX ? address : binpatch_p.returns[n].to;
}

static void binpatch_p_set(binpatch_p_wait *w, uint64_t state) {
    __atomic_store_n(&w->state, (w->state & ~UINT64_C(3)) | state, __ATOMIC_RELEASE);
}

static void binpatch_p_free(binpatch_p_wait *w) {
    __atomic_store_n(&w->state, (w->state & ~UINT64_C(3)) + 4, __ATOMIC_RELEASE);
}

/* Takes a pad from the state in which it was seen. Returns 1 or 0. */
static int binpatch_p_take(binpatch_p_wait *w, uint64_t seen) {
    return __atomic_compare_exchange_n(&w->state, &seen,
                                       (seen & ~UINT64_C(3)) | BINPATCH_P_BUSY, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Returns how many pads it has freed. */
static uint32_t binpatch_p_sweep(void) {
    uint64_t pid = (uint64_t)binpatch_p_call(BINPATCH_P_GETPID, 0, 0, 0, 0, 0, 0);
    uint32_t n, next, freed = 0;
    for (n = 0; n < binpatch_p.config.returns; n++) {
        binpatch_p_wait *w = &binpatch_p.waits[n];
        uint64_t state = __atomic_load_n(&w->state, __ATOMIC_ACQUIRE), value = 0;
        struct {
            uint64_t base, bytes;
        } ours, theirs;
        long got;
        if ((state & 3) != BINPATCH_P_WAITS) continue;
        ours.base = (uint64_t)(uintptr_t)&value;
        theirs.base = binpatch_p.returns[n].slot;
        ours.bytes = theirs.bytes = 8;
        got = binpatch_p_call(BINPATCH_P_READ_PROCESS, pid, (uint64_t)(uintptr_t)&ours, 1,
                              (uint64_t)(uintptr_t)&theirs, 1, 0);
        if (got == 8 ? value == binpatch_p_pad(n) : got != -14 /* EFAULT: it is gone */)
            continue;
        if (!binpatch_p_take(w, state)) continue;
        for (next = n + 1; next;) {
            w = &binpatch_p.waits[next - 1];
            next = w->below;
            binpatch_p_free(w);
            freed++;
        }
    }
    return freed;
}

/* A pad that is ours now, or UINT32_MAX. */
static uint32_t binpatch_p_new_pad(void) {
    uint32_t count = binpatch_p.config.returns, n, k, again;
    for (again = 0; again < 2; again++) {
        uint32_t hint = __atomic_load_n(&binpatch_p.hint, __ATOMIC_RELAXED);
        for (k = 0; k < count; k++) {
            uint64_t state;
            n = (hint + k) % count;
            state = __atomic_load_n(&binpatch_p.waits[n].state, __ATOMIC_ACQUIRE);
            if ((state & 3) == BINPATCH_P_FREE
                && binpatch_p_take(&binpatch_p.waits[n], state)) {
                __atomic_store_n(&binpatch_p.hint, (n + 1) % count, __ATOMIC_RELAXED);
                return n;
            }
        }
        /* A look at all takes long: not soon again where it has found little. */
        if (again || __atomic_fetch_sub(&binpatch_p.patience, 1, __ATOMIC_RELAXED) > 0)
            break;
        __atomic_store_n(&binpatch_p.patience,
                         binpatch_p_sweep() < (count + 7) / 8 ? (int64_t)count : 0,
                         __ATOMIC_RELAXED);
    }
    return UINT32_MAX;
}

/* The call whose return address stands in the slot is to be told of. */
static void binpatch_p_await(uint32_t number, uint32_t version, uint64_t *slot) {
    uint32_t old = binpatch_p_which(*slot), n;
    binpatch_p_wait *w;
    uint64_t to = *slot;
    /* By a jump from a call that waits in the same slot: from itself, or another
       one, whose pad is told of together with this one. */
    if (old != UINT32_MAX) {
        w = &binpatch_p.waits[old];
        to = binpatch_p.returns[old].to;
        if ((w->state & 3) != BINPATCH_P_WAITS
            || binpatch_p.returns[old].slot != (uint64_t)(uintptr_t)slot) {
            __atomic_fetch_add(&binpatch_p.missed, 1, __ATOMIC_RELAXED);
            return;
        }
        if (w->hook == number && w->version == version && w->times < UINT32_MAX) {
            w->times++;
            return;
        }
    }
    n = binpatch_p_new_pad();
    if (n == UINT32_MAX) {
        __atomic_fetch_add(&binpatch_p.missed, 1, __ATOMIC_RELAXED);
        return;
    }
    binpatch_p.returns[n].to = to;
    binpatch_p.returns[n].slot = (uint64_t)(uintptr_t)slot;
    w = &binpatch_p.waits[n];
    w->hook = number;
    w->version = version;
    w->times = 1;
    w->below = old == UINT32_MAX ? 0 : old + 1;
    /* in this order: while it waits, its slot holds its address */
    if (old != UINT32_MAX) binpatch_p_set(&binpatch_p.waits[old], BINPATCH_P_BELOW);
    __atomic_store_n(slot, binpatch_p_pad(n), __ATOMIC_RELEASE);
    binpatch_p_set(w, BINPATCH_P_WAITS);
}

/* Tells the unwinder, if there is one: in a frame whose address is that of a pad,
   the caller's stack pointer is that of now, and its address stands in the table. The
   frame names itself by the stack pointer and 1, as its caller does without 1. */
#ifdef __cplusplus
extern "C"
#endif
void binpatch_p_register_frame(void *) __asm__("__register_frame") __attribute__((weak));

static void binpatch_p_describe(void) {
    static const uint8_t fixed[] = {
        1,    0,  1,  0x78, 16, /* version 1, no augmentation, 1, -8, rip */
        0x0C, 7,  1,            /* DW_CFA_def_cfa rsp, 1 */
        0x16, 7,  2,  0x77, 0,  /* DW_CFA_val_expression rsp: DW_OP_breg7 0 */
        0x10, 16, 11, 0x80      /* DW_CFA_expression rip: DW_OP_breg16, a distance */
    };
    uint8_t *p = (uint8_t *)binpatch_p.frame;
    uint64_t distance = (uint64_t)(uintptr_t)binpatch_p.returns - binpatch_p.pads;
    unsigned n;
    if (!binpatch_p_register_frame) return;
    p[0] = 36; /* CIE: length, and 4 of zeros */
    for (n = 0; n < sizeof fixed; n++) p[8 + n] = fixed[n];
    for (n = 0; n < 9; n++) p[25 + n] = (uint8_t)((distance >> 7 * n & 127) | 128);
    p[34] = (uint8_t)(distance >> 63 ? 127 : 0);
    p[40] = 28; /* FDE: length, the way back to the CIE */
    p[44] = 44;
    for (n = 0; n < 8; n++) {
        p[48 + n] = (uint8_t)((binpatch_p.pads - 8) >> 8 * n);
        p[56 + n] = (uint8_t)(((uint64_t)binpatch_p.config.returns * BINPATCH_P_PAD + 8)
                              >> 8 * n);
    }
    binpatch_p_register_frame(p); /* four zeros behind them end the list */
}

/* ---- bursts: which calls are told ------------- src/binpatch/bursts.c ---- */

/* While n is above 0 the thread is in a gap, and n checks of it remain. Inside a
   burst n is 0, so that each check comes here. While an observer runs, n is so
   large that its own calls pass. */

static int32_t binpatch_p_gap_of(const binpatch_config *c) {
    return (int32_t)binpatch_p_draw_gap(&binpatch_p_own.random, c->every, c->jitter);
}

/* Returns whether this call is told, and *next, which n is then. */
static int binpatch_p_sample(int32_t n, int32_t *next) {
    const binpatch_config *c = &binpatch_p.config;
    *next = 0;
    if (!binpatch_p_own.random) {
        uint32_t number = __atomic_fetch_add(&binpatch_p.threads, 1, __ATOMIC_RELAXED);
        binpatch_p_own.random = binpatch_p_state_of(c->seed, number, 0);
        if (c->every) n = binpatch_p_gap_of(c);
        else __atomic_fetch_add(&binpatch_p.bursts, 1, __ATOMIC_RELAXED);
    }
    if (n > 0) { /* a new thread, or a signal handler was here since the check */
        *next = n - 1;
        return 0;
    }
    if (!c->every) return 1;
    if (!binpatch_p_own.left) {
        binpatch_p_own.left = c->burst;
        __atomic_fetch_add(&binpatch_p.bursts, 1, __ATOMIC_RELAXED);
    }
    if (--binpatch_p_own.left == 0) *next = binpatch_p_gap_of(c);
    return 1;
}

/* What the common code pushed, in this order. */
enum { BINPATCH_P_R9 = 3, BINPATCH_P_R8, BINPATCH_P_RDI, BINPATCH_P_RSI, BINPATCH_P_RDX,
       BINPATCH_P_RCX, BINPATCH_P_RAX, BINPATCH_P_BACK, BINPATCH_P_BEHIND };

/* What is watched now, as one. Returns 0: nothing, or it is being changed. */
static int binpatch_p_read_watch(const binpatch_p_hook *h, binpatch_watch *out,
                                 uint32_t *version) {
    *version = __atomic_load_n(&h->version, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&h->state, __ATOMIC_ACQUIRE) != BINPATCH_P_ON) return 0;
    out->function = __atomic_load_n(&h->watch.function, __ATOMIC_RELAXED);
    out->entered = __atomic_load_n(&h->watch.entered, __ATOMIC_RELAXED);
    out->returned = __atomic_load_n(&h->watch.returned, __ATOMIC_RELAXED);
    out->user = __atomic_load_n(&h->watch.user, __ATOMIC_ACQUIRE);
    return *version % 2 == 0
           && __atomic_load_n(&h->version, __ATOMIC_ACQUIRE) == *version;
}

static void binpatch_p_tell(uint32_t number, const binpatch_watch *w,
                            binpatch_observer observer, const uint64_t *saved,
                            uint64_t slot, uint64_t from) {
    static const uint8_t order[BINPATCH_REGISTERS]
        = {BINPATCH_P_RDI, BINPATCH_P_RSI, BINPATCH_P_RDX, BINPATCH_P_RCX,
           BINPATCH_P_R8,  BINPATCH_P_R9,  BINPATCH_P_RAX};
    binpatch_call call;
    int n;
    call.number = (int)number;
    call.function = w->function;
    call.stack = (uintptr_t)slot;
    call.from = (uintptr_t)from;
    for (n = 0; n < BINPATCH_REGISTERS; n++) call.registers[n] = saved[order[n]];
    observer(w->user, &call);
}

/* Called by the common code of a block; behind what it pushed are the way back
   into the stub, the hook's number, and the slot of the return address. */
BINPATCH_P_BARE static void binpatch_p_entered(uint64_t *saved) {
    uint32_t number = (uint32_t)saved[BINPATCH_P_BEHIND];
    const binpatch_p_hook *h = &binpatch_p.hooks[number];
    uint64_t *slot = &saved[BINPATCH_P_BEHIND + 1];
    int32_t n = binpatch_p_own.n, next;
    binpatch_watch w;
    uint32_t version;
    binpatch_p_own.n = BINPATCH_P_QUIET;
    if (binpatch_p_own.inside) return;
    if (!binpatch_p_read_watch(h, &w, &version)) next = n + 1;
    else if (binpatch_p_sample(n, &next)) {
        int error = errno;
        binpatch_p_own.inside = 1;
        __atomic_fetch_add(&binpatch_p.entries, 1, __ATOMIC_RELAXED);
        if (w.entered) {
            binpatch_p_tell(number, &w, w.entered, saved, (uint64_t)(uintptr_t)slot,
                            binpatch_p_true_return(*slot));
        }
        if (w.returned) binpatch_p_await(number, version, slot);
        binpatch_p_own.inside = 0;
        errno = error;
    }
    binpatch_p_own.n = next;
}

/* Called by the common code of the pads; behind what it pushed are the way back
   into the pad, and the slot. */
BINPATCH_P_BARE static void binpatch_p_left(uint64_t *saved) {
    uint64_t pad = (saved[BINPATCH_P_BACK] - binpatch_p.pads) / BINPATCH_P_PAD;
    uint64_t slot = (uint64_t)(uintptr_t)&saved[BINPATCH_P_BEHIND];
    uint64_t to = binpatch_p.returns[pad].to;
    int32_t n = binpatch_p_own.n;
    uint32_t next = (uint32_t)pad + 1;
    int error;
    binpatch_p_own.n = BINPATCH_P_QUIET;
    error = errno;
    /* Who returns twice (setjmp) finds a pad that waits for nobody. */
    if ((binpatch_p.waits[pad].state & 3) == BINPATCH_P_WAITS) {
        binpatch_p_set(&binpatch_p.waits[pad], BINPATCH_P_BUSY);
        while (next) {
            binpatch_p_wait *w = &binpatch_p.waits[next - 1];
            binpatch_watch about;
            uint32_t version;
            for (; w->times > 0; w->times--) {
                if (!binpatch_p_read_watch(&binpatch_p.hooks[w->hook], &about, &version)
                    || version != w->version) {
                    break;
                }
                __atomic_fetch_add(&binpatch_p.told, 1, __ATOMIC_RELAXED);
                binpatch_p_own.inside++;
                binpatch_p_tell(w->hook, &about, about.returned, saved, slot, to);
                binpatch_p_own.inside--;
            }
            next = w->below;
            binpatch_p_free(w);
        }
    }
    saved[BINPATCH_P_BEHIND] = to;
    errno = error;
    binpatch_p_own.n = n;
}

/* ---- stubs and the code that they share --------- src/binpatch/stub.c ---- */

static void binpatch_p_bytes(binpatch_p_mover *m, const char *hex) {
    unsigned value = 0, digits = 0;
    for (; *hex; hex++) {
        if (*hex == ' ') continue;
        value = value << 4 | (unsigned)(*hex <= '9' ? *hex - '0' : *hex - 'A' + 10);
        if (++digits % 2 == 0) binpatch_p_byte(m, value & 255);
    }
}

/* Saves what a called function may change, and calls to(saved). The registers
   of vectors are saved by xsave, or fxsave where there is none. */
static void binpatch_p_emit_common(binpatch_p_mover *m, void (*to)(uint64_t *),
                                   int is_leaving) {
    int xsave = binpatch_p.save_mask != 0;
    uint32_t n;
    binpatch_p_bytes(m,
                     "50 51 52 56 57 4150 4151 4152 4153 55"); /* push rax .. r11, rbp */
    binpatch_p_bytes(m, "4889E5 4881EC");                      /* mov %rsp,%rbp; sub */
    binpatch_p_word(m, binpatch_p.save_bytes, 4);
    binpatch_p_bytes(m, "4883E4C0 31C0"); /* and $-64,%rsp; rax = 0 */
    for (n = 512; n < 576; n += 8) {
        binpatch_p_bytes(m, "48898424"); /* mov %rax,n(%rsp) */
        binpatch_p_word(m, n, 4);
    }
    binpatch_p_bytes(m, "B8");
    binpatch_p_word(m, binpatch_p.save_mask, 4);
    binpatch_p_bytes(m, xsave ? "31D2 480FAE2424" : "31D2 480FAE0424");
    binpatch_p_bytes(m, "4889EF FC 48B8"); /* rdi = saved; cld */
    binpatch_p_word(m, (uint64_t)(uintptr_t)to, 8);
    binpatch_p_bytes(m, "FFD0 B8"); /* call *%rax */
    binpatch_p_word(m, binpatch_p.save_mask, 4);
    binpatch_p_bytes(m, xsave ? "31D2 480FAE2C24" : "31D2 480FAE0C24");
    binpatch_p_bytes(m, "4889EC 5D 415B 415A 4159 4158 5F 5E 5A 59 58");
    binpatch_p_bytes(m, is_leaving ? "488D642408 C3" : "C3"); /* ret, through the slot */
}

/* Which registers of vectors are there, and how many bytes they take. */
static void binpatch_p_find_vectors(void) {
    uint32_t a, b, c, d, low, high, n;
    binpatch_p.save_mask = 0;
    binpatch_p.save_bytes = 576;
    __cpuid(1, a, b, c, d);
    if (!(c >> 27 & 1)) return; /* OSXSAVE */
    __asm__ volatile(".byte 0x0F, 0x01, 0xD0"
                     : "=a"(low), "=d"(high)
                     : "c"(0)); /* xgetbv */
    (void)high;
    /* x87, SSE, AVX, AVX-512 (three), the registers of APX */
    binpatch_p.save_mask = low & 0x800E7u;
    for (n = 2; n < 32; n++) {
        if (!(binpatch_p.save_mask >> n & 1)) continue;
        __cpuid_count(13, n, a, b, c, d);
        if (a + b > binpatch_p.save_bytes) binpatch_p.save_bytes = a + b;
    }
}

/* The stub of a hook at m->to; code[0..size) is displaced. Returns 0, or the
   reason. */
static int binpatch_p_emit_stub(binpatch_p_mover *m, binpatch_p_hook *h, uint32_t number,
                                uint64_t common, size_t size) {
    uint64_t base, plain = m->to + 14, stub = m->to;
    int64_t words;
    size_t moved;
    int reason = 0;
    __asm__("movq %%fs:0,%0" : "=r"(base));
    words = (int64_t)((uint64_t)(uintptr_t)&binpatch_p_own.n - base);
    h->stub = stub;
    h->plain_word = 0x0CEB; /* jmp plain */
    h->check_word = 0x250CFF64 | (uint64_t)(uint32_t)words << 32;
    binpatch_p_word(m, binpatch_p.on ? h->check_word : h->plain_word, 8);
    binpatch_p_word(m, 0x880F, 2); /* js slow, whose distance is known below */
    binpatch_p_word(m, 0, 4);
    moved = binpatch_move(binpatch_p_code(h->watch.function), size, h->watch.function,
                          m->out + m->used, m->room - m->used, plain, &reason);
    if (reason) return reason;
    m->used += moved;
    binpatch_p_jump(m, h->watch.function + size);
    m->out[10] = (uint8_t)(m->used - 14);
    binpatch_p_byte(m, 0x68);
    binpatch_p_word(m, number, 4);
    binpatch_p_byte(m, 0xE8);
    binpatch_p_distance(m, common, 0);
    binpatch_p_bytes(m, "488D642408");
    binpatch_p_jump(m, plain);
    return m->reason;
}

/* ---- room near the code ------------------------- src/binpatch/room.c ---- */

static int binpatch_p_reaches(uint64_t a, uint64_t b) {
    uint64_t far = a > b ? a - b : b - a;
    return far < INT32_MAX - 2 * (uint64_t)BINPATCH_P_BLOCK;
}

static uint64_t binpatch_p_map(uint64_t at, uint64_t bytes, unsigned protection) {
    /* private, anonymous; at a fixed place, but over nothing else */
    long got = binpatch_p_call(BINPATCH_P_MMAP, at, bytes, protection,
                               at ? 0x100022 : 0x22, ~UINT64_C(0), 0);
    if (got < 0 && got > -4096) return 0;
    if (at && (uint64_t)got != at) { /* a kernel before 4.17 takes it for a wish */
        (void)binpatch_p_call(BINPATCH_P_MUNMAP, (uint64_t)got, bytes, 0, 0, 0, 0);
        return 0;
    }
    return (uint64_t)got;
}

/* The free place for a block that is nearest to `at`, and directly below a
   mapping; 0: none within reach. */
static uint64_t binpatch_p_gap(uint64_t at) {
    binpatch_p_file f;
    binpatch_p_mapping m;
    uint64_t end = 65536, best = 0;
    if (binpatch_p_open(&f, "/proc/self/maps") != 0) return 0;
    while (binpatch_p_next_mapping(&f, &m)) {
        if (!m.is_stack && m.lo >= end + BINPATCH_P_BLOCK) { /* a stack grows down */
            uint64_t place = m.lo - BINPATCH_P_BLOCK;
            if (binpatch_p_reaches(place, at)
                && (!best
                    || (place > at ? place - at : at - place)
                           < (best > at ? best - at : at - best))) {
                best = place;
            }
        }
        end = m.hi;
    }
    binpatch_p_close(&f);
    return best;
}

/* The number of a block near the code that has room for a stub, or -1. It is
   writable then. */
static int binpatch_p_block(uint64_t at) {
    uint32_t n;
    uint64_t base;
    for (n = 0; n < binpatch_p.block_count; n++) {
        base = binpatch_p.blocks[n].base;
        if (binpatch_p_reaches(base, at)
            && binpatch_p.blocks[n].used + BINPATCH_P_STUB <= BINPATCH_P_BLOCK) {
            return binpatch_p_protect(base, base + BINPATCH_P_BLOCK, 7) == 0 ? (int)n
                                                                             : -1;
        }
    }
    if (n == BINPATCH_P_BLOCKS || !(base = binpatch_p_gap(at))
        || !(base = binpatch_p_map(base, BINPATCH_P_BLOCK, 7))) {
        return -1;
    }
    {
        binpatch_p_mover m
            = binpatch_p_moving((void *)(uintptr_t)base, BINPATCH_P_COMMON, base);
        binpatch_p_emit_common(&m, binpatch_p_entered, 0);
    }
    binpatch_p.blocks[n].base = base;
    binpatch_p.blocks[n].used = BINPATCH_P_COMMON;
    binpatch_p.block_count++;
    return (int)n;
}

static void binpatch_p_seal(uint64_t at, uint64_t bytes) {
    (void)binpatch_p_protect(at, at + bytes, BINPATCH_P_CODE);
}

/* ---- hooks, taken out and switched -------------- src/binpatch/hook.c ---- */

static int binpatch_p_is_atomic(uint64_t at) {
    return (at & 7) <= 3;
}

/* Five bytes at the entry, in one store if they lie in one aligned word. */
static int binpatch_p_write_entry(const binpatch_p_hook *h, const uint8_t *bytes) {
    uint64_t at = h->watch.function, word, first = at & ~UINT64_C(7);
    unsigned n, shift = (unsigned)(at & 7) * 8;
    if (binpatch_p_protect(at, at + 5, h->protection | BINPATCH_P_W) != 0) {
        (void)binpatch_p_protect(at, at + 5, h->protection);
        return -1;
    }
    if (binpatch_p_is_atomic(at)) {
        word = *(const uint64_t *)(uintptr_t)first;
        for (n = 0; n < 5; n++, shift += 8)
            word = (word & ~(UINT64_C(255) << shift)) | (uint64_t)bytes[n] << shift;
        __atomic_store_n((uint64_t *)(uintptr_t)first, word, __ATOMIC_SEQ_CST);
    } else {
        volatile uint8_t *to = (volatile uint8_t *)(uintptr_t)at;
        for (n = 0; n < 5; n++) to[n] = bytes[n];
    }
    (void)binpatch_p_protect(at, at + 5, h->protection);
    return 0;
}

static int binpatch_p_write_jump(const binpatch_p_hook *h) {
    uint8_t jump[5];
    binpatch_p_mover m = binpatch_p_moving(jump, sizeof jump, h->watch.function);
    binpatch_p_jump(&m, h->stub);
    return binpatch_p_write_entry(h, jump);
}

static void binpatch_p_switch_one(binpatch_p_hook *h, int on) {
    uint64_t page = h->stub & ~UINT64_C(4095);
    if (binpatch_p_protect(page, page + 4096, 7) == 0) {
        __atomic_store_n((uint64_t *)(uintptr_t)h->stub,
                         on ? h->check_word : h->plain_word, __ATOMIC_SEQ_CST);
    }
    binpatch_p_seal(page, 4096);
}

/* A hook that was taken out is put in again; its jump may have been left. */
static int binpatch_p_again(binpatch_p_hook *h, const binpatch_watch *w, int has_jump) {
    uint32_t odd = h->version | 1; /* a fork may have left it odd */
    if (!has_jump) {
        if (!binpatch_p.config.running && !h->alone && binpatch_p_has_threads())
            return BINPATCH_THREADS;
        if (binpatch_p_write_jump(h) != 0) return BINPATCH_READ_ONLY;
    }
    __atomic_store_n(&h->version, odd, __ATOMIC_SEQ_CST);
    h->watch = *w;
    __atomic_store_n(&h->version, odd + 1, __ATOMIC_SEQ_CST);
    binpatch_p_switch_one(h, binpatch_p.on);
    __atomic_store_n(&h->state, BINPATCH_P_ON, __ATOMIC_RELEASE);
    return 0;
}

/* Returns 0 where the address is in code, and *where it is; 1: it is not, as where
   a library is gone, with its hooks; -1: nothing tells. */
static int binpatch_p_find_code(uint64_t at, binpatch_p_place *where) {
    int found = binpatch_p_find(at, where);
    return found ? found : (where->m.protection & BINPATCH_P_CODE) != BINPATCH_P_CODE;
}

static int binpatch_p_has_jump(const binpatch_p_hook *h, const binpatch_p_place *where) {
    uint64_t at = h->watch.function;
    return where->text_hi - at >= 5 && *binpatch_p_code(at) == 0xE9
           && at + 5 + binpatch_p_signed(at + 1) == h->stub;
}

static int binpatch_p_is_as_before(const binpatch_p_hook *h,
                                   const binpatch_p_place *where) {
    unsigned n, bytes = h->displaced;
    if (where->text_hi - h->watch.function < bytes) return 0;
    for (n = 0; n < bytes && binpatch_p_code(h->watch.function)[n] == h->old[n]; n++) {}
    return n == bytes;
}

static int binpatch_p_new_hook(binpatch_p_hook *h, const binpatch_watch *w,
                               uint32_t number, const binpatch_p_place *where,
                               const binpatch_p_target *t) {
    binpatch_p_mover m;
    uint64_t at = w->function, base, to;
    int reason, block, n;
    if (t->calls && binpatch_p.shadow_stack) return BINPATCH_SHADOW_STACK;
    if (number == binpatch_p.room) return BINPATCH_FULL;
    h->version = 0;
    h->watch = *w;
    h->protection = where->m.protection;
    h->alone = t->instructions == 1 && binpatch_p_is_atomic(at);
    h->displaced = (uint8_t)(t->end - at);
    for (n = 0; n < h->displaced; n++) h->old[n] = binpatch_p_code(at)[n];
    if (!binpatch_p.config.running && !h->alone && binpatch_p_has_threads())
        return BINPATCH_THREADS;
    block = binpatch_p_block(at);
    if (block < 0) return BINPATCH_NO_ROOM;
    base = binpatch_p.blocks[block].base;
    to = base + binpatch_p.blocks[block].used;
    m = binpatch_p_moving((void *)(uintptr_t)to, BINPATCH_P_STUB, to);
    reason = binpatch_p_emit_stub(&m, h, number, base, h->displaced);
    binpatch_p_seal(base, BINPATCH_P_BLOCK);
    if (reason) return reason;
    __atomic_store_n(&h->state, BINPATCH_P_ON, __ATOMIC_RELEASE);
    if (binpatch_p_write_jump(h) != 0) {
        h->state = BINPATCH_P_EMPTY;
        return BINPATCH_READ_ONLY;
    }
    binpatch_p.blocks[block].used += BINPATCH_P_STUB;
    return 0;
}

/* The number of a hook that this function had or has; `used` if there is none. A hook
   of a library that was unloaded meanwhile does not count. */
static uint32_t binpatch_p_earlier(uint64_t function,
                                   const binpatch_p_place *where, int *has_jump) {
    uint32_t n, found = binpatch_p.used;
    for (n = 0; n < binpatch_p.used; n++) {
        binpatch_p_hook *h = &binpatch_p.hooks[n];
        if (h->watch.function != function) continue;
        *has_jump = binpatch_p_has_jump(h, where);
        if (*has_jump) return n;
        h->state = BINPATCH_P_TAKEN_OUT;
        if (binpatch_p_is_as_before(h, where)) found = n;
    }
    return found;
}

static int binpatch_p_hook_locked(const binpatch_watch *w, uint32_t *number) {
    binpatch_p_place where;
    binpatch_p_target t;
    int has_jump = 0, reason;
    uint32_t n;
    if (binpatch_p_find_code(w->function, &where) != 0) return BINPATCH_NOT_EXECUTABLE;
    *number = n = binpatch_p_earlier(w->function, &where, &has_jump);
    if (has_jump && binpatch_p.hooks[n].state == BINPATCH_P_ON) return BINPATCH_HOOKED;
    /* Other code may stand there now, with the same beginning. */
    reason = has_jump ? 0 : binpatch_p_judge(w->function, w->bytes, &where, &t);
    if (reason) return reason;
    if (n < binpatch_p.used) return binpatch_p_again(&binpatch_p.hooks[n], w, has_jump);
    reason = binpatch_p_new_hook(&binpatch_p.hooks[n], w, n, &where, &t);
    if (!reason) binpatch_p.used++;
    return reason;
}

BINPATCH_API int binpatch_hook(const binpatch_watch *w) {
    binpatch_p_guard guard;
    uint32_t n = 0;
    int reason;
    if (!binpatch_p.started) return -BINPATCH_NO_START;
    if (w->returned && binpatch_p.shadow_stack) return -BINPATCH_SHADOW_STACK;
    guard = binpatch_p_enter_lock();
    reason = binpatch_p_hook_locked(w, &n);
    binpatch_p_leave_lock(&guard);
    return reason ? -reason : (int)n;
}

BINPATCH_API int binpatch_unhook(int number) {
    binpatch_p_guard guard;
    binpatch_p_place where;
    binpatch_p_hook *h;
    int result = 0, found;
    if (!binpatch_p.started || number < 0 || (uint32_t)number >= binpatch_p.used)
        return -1;
    guard = binpatch_p_enter_lock();
    h = &binpatch_p.hooks[number];
    if (h->state != BINPATCH_P_ON) result = -1;
    else {
        binpatch_p_switch_one(h, 0);
        found = binpatch_p_find_code(h->watch.function, &where);
        /* Nobody stands within the jump: it is one instruction. */
        if (found == 0 && binpatch_p_has_jump(h, &where)) {
            result = (!binpatch_p.config.running
                      && !binpatch_p_is_atomic(h->watch.function)
                      && binpatch_p_has_threads())
                     || binpatch_p_write_entry(h, h->old) != 0;
        } else result = found < 0;
        __atomic_store_n(&h->state, result ? BINPATCH_P_LEFT : BINPATCH_P_TAKEN_OUT,
                         __ATOMIC_RELEASE);
    }
    binpatch_p_leave_lock(&guard);
    return result;
}

BINPATCH_API int binpatch_switch(int on) {
    binpatch_p_guard guard;
    uint32_t n;
    int was;
    if (!binpatch_p.started) return 0;
    guard = binpatch_p_enter_lock();
    was = binpatch_p.on;
    binpatch_p.on = on != 0;
    for (n = 0; n < binpatch_p.used && was != binpatch_p.on; n++) {
        if (binpatch_p.hooks[n].state == BINPATCH_P_ON)
            binpatch_p_switch_one(&binpatch_p.hooks[n], binpatch_p.on);
    }
    binpatch_p_leave_lock(&guard);
    return was;
}

/* The pads, with what they share in front of them: a page of its own. */
static int binpatch_p_make_pads(uint32_t count) {
    uint64_t bytes = 4096 + (uint64_t)count * BINPATCH_P_PAD,
             base = binpatch_p_map(0, bytes, 3);
    binpatch_p_mover m;
    uint32_t n;
    if (!base) return -1;
    m = binpatch_p_moving((void *)(uintptr_t)base, (size_t)bytes, base);
    binpatch_p_emit_common(&m, binpatch_p_left, 1);
    binpatch_p.pads = base + 4096;
    for (n = 0; n < count; n++) {
        m.used = 4096 + (size_t)n * BINPATCH_P_PAD;
        binpatch_p_bytes(&m, "488D6424F8 E8");
        binpatch_p_distance(&m, base, 0);
    }
    if (binpatch_p_protect(base, base + bytes, BINPATCH_P_CODE) == 0)
        return 0;
    (void)binpatch_p_call(BINPATCH_P_MUNMAP, base, bytes, 0, 0, 0, 0);
    return -1;
}

BINPATCH_API uint32_t binpatch_init(void *memory, size_t bytes,
                                    const binpatch_config *config) {
    static const binpatch_config defaults = {0, 0, 0, 0, 0, 0};
    uintptr_t at = ((uintptr_t)memory + 15) & ~(uintptr_t)15;
    size_t gone = (size_t)(at - (uintptr_t)memory), table;
    uint64_t shadow = 0, n;
    binpatch_config c = config ? *config : defaults;
    if (!c.burst) c.burst = 100;
    if (!c.returns) c.returns = 256;
    if (binpatch_p.started || c.every > 1u << 29 || c.burst > 1u << 29 || c.jitter > 100
        || c.returns > 1u << 20) {
        return 0;
    }
    table = c.returns * (sizeof(binpatch_p_return) + sizeof(binpatch_p_wait));
    if (bytes < gone + table + sizeof(binpatch_p_hook)) return 0;
    if (binpatch_p_call(BINPATCH_P_ARCH_PRCTL, 0x5005 /* ARCH_SHSTK_STATUS */,
                        (uint64_t)(uintptr_t)&shadow, 0, 0, 0, 0)
        == 0) {
        binpatch_p.shadow_stack = (int)(shadow & 1);
    }
    binpatch_p_find_vectors();
    binpatch_p.config = c;
    if (binpatch_p_make_pads(c.returns) != 0) return 0;
    binpatch_p.returns = (binpatch_p_return *)at;
    binpatch_p.waits = (binpatch_p_wait *)(at + c.returns * sizeof(binpatch_p_return));
    binpatch_p.hooks = (binpatch_p_hook *)(at + table);
    for (n = 0; n < table; n++) ((unsigned char *)at)[n] = 0;
    n = (bytes - gone - table) / sizeof(binpatch_p_hook);
    binpatch_p.room = n > 1u << 20 ? 1u << 20 : (uint32_t)n;
    binpatch_p_describe();
    binpatch_p.on = binpatch_p.started = 1;
    return binpatch_p.room;
}

BINPATCH_API void binpatch_get_stats(binpatch_stats *out) {
    binpatch_p_guard guard;
    uint32_t n;
    out->bursts = __atomic_load_n(&binpatch_p.bursts, __ATOMIC_RELAXED);
    out->entries = __atomic_load_n(&binpatch_p.entries, __ATOMIC_RELAXED);
    out->returns = __atomic_load_n(&binpatch_p.told, __ATOMIC_RELAXED);
    out->missed = __atomic_load_n(&binpatch_p.missed, __ATOMIC_RELAXED);
    out->room = binpatch_p.room;
    out->functions = out->left = 0;
    if (!binpatch_p.started) return;
    guard = binpatch_p_enter_lock();
    for (n = 0; n < binpatch_p.used; n++) {
        out->functions += binpatch_p.hooks[n].state == BINPATCH_P_ON;
        out->left += binpatch_p.hooks[n].state == BINPATCH_P_LEFT;
    }
    binpatch_p_leave_lock(&guard);
}

BINPATCH_API const char *binpatch_reason_text(int reason) {
    static const char *const text[BINPATCH_REASONS] = {
        "hooked",
        "not supported here",
        "binpatch_init has given no room",
        "the memory given to binpatch_init is full",
        "there is no code at this address, or /proc/self/maps cannot be read",
        "hooked already",
        "no unwind information tells where it ends: give its bytes",
        "it is shorter than a jump",
        "an instruction is not known",
        "a jump or call leads into the displaced bytes",
        "a jump through a register or a table might lead into the displaced bytes",
        "one of its first instructions cannot run at another place",
        "no memory is free within 2 GB, or all 16 blocks for stubs are used",
        "other threads run, and one may be in the displaced bytes: hook earlier",
        "the processor checks returns",
        "the system does not let code be written"};
    if (reason < 0) reason = -reason;
    return reason < BINPATCH_REASONS ? text[reason] : "no such reason";
}

#endif
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
