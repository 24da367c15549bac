/* binpatch.h - v0.2.0 - bursty tracing of x86-64 code as it is - MIT, text at end of file

   example:
       #define _GNU_SOURCE 1
       #define BINPATCH_IMPLEMENTATION
       #include "binpatch.h"
       #include <stdio.h>
       static unsigned long entries;
       static void seen(void *user, const binpatch_event *e, size_t count, int ended) {
           (void)user; (void)ended;
           while (count--) entries += (e++->what & BINPATCH_ENTRY) != 0;
       }
       static int work(int n) { return n < 2 ? 1 : work(n - 1) + work(n - 2); }
       static int (*volatile run)(int) = work;
       int main(void) {
           static binpatch_config config;
           config.action = seen;
           if (!binpatch_install(&config)) {
               printf("not patched: %s\n", binpatch_reason());
               return 0;
           }
           printf("%d\n", run(20));
           binpatch_flush();
           printf("%lu calls were sampled\n", entries);
           return 0;
       }
   end of example.

   The header patches the machine code of the process that it runs in. Three
   things that it needs for that are public, too, each with its own example
   below: x86decode reads one instruction, x86flow_ reads the functions of a
   module, and x86copy_ writes a copy of a function to another place.

   STEP BY STEP
   1. Define BINPATCH_IMPLEMENTATION in one C or C++ file before the include, and
      _GNU_SOURCE before the first include of that file. Include the header
      plainly everywhere else.
   2. Call binpatch_install early in main, or before main from a preloaded
      library: no other thread may run then. It finds the functions of the
      executable and its libraries by their unwind information, and writes a jump
      over the entry of each that it fully understands.
   3. The jump leads through a slot, a word of data. A function is copied when it
      is first called: the checking copy has a check at its entry and at its
      back-edges, where the analysis says that one is needed (Equation 3 of
      bursty-tracing, section 4.1; k-boring loops, section 4.2).
   4. When a burst begins, an instrumented copy is made of the functions that it
      reaches. It writes events into a buffer of the thread, and your action gets
      them when the burst ends.
   5. binpatch_toggle(0) sends callers to the original code, binpatch_toggle(1) to
      the copies again. binpatch_uninstall also writes the original entries back.
   6. binpatch_flush hands over what the calling thread has recorded. Call it
      before you read your results, and binpatch_leave when a thread ends.

   PROMISES
   A program does what it did before: registers, flags, memory and the stack above
   its red zone are its own. What is not understood is not touched, and
   binpatch_get_function gives the reason. Nothing here calls malloc; memory comes
   from mmap. There is no output. errno is not touched while the program runs.
   The header promises nothing to code that reads its own instructions, or that
   looks its return address up without a table of them in its data: that sees other
   addresses, and changing ones. (Functions of such a table are left alone.) Where
   the processor checks returns they stay, and short bursts miss calls. A program
   that changes its own code says so before: binpatch_code_changes. Code without
   unwind information is left alone, as is what dlopen loads later. Exceptions and
   backtraces go through copies if the process asks binpatch_find_copy: interpose
   _dl_find_object (glibc 2.35) and answer from it, as `bursty record` does.
   binpatch_origin tells what the addresses are without copies.
   x86decode, x86flow_ and x86copy_ have no state of their own.

   THREADS
   All threads may run patched code. An action runs on the thread whose events it
   gets, maybe in a signal handler: no locks and no malloc in it. Signals wait
   meanwhile, so that no handler can leave it by siglongjmp. 16384 threads at
   a time have a buffer, if there is memory; more are not sampled. A fork shares the copies; each process
   has its own slots and samples. A body and a copy belong to one thread at a time.

   OPTIONS
     BINPATCH_IMPLEMENTATION  in one file: the functions
     BINPATCH_STATIC          makes everything static, for one file
   The whole file compiles on every target. Without _GNU_SOURCE, on other systems
   than Linux on x86-64, and with -ffreestanding, binpatch_install returns 0 and
   binpatch_reason says why. x86flow_ and x86copy_ are there on x86-64 with 64-bit
   pointers, gcc or clang and a C library; X86FLOW_SUPPORTED is 1 there, and
   BINPATCH_SUPPORTED on Linux alone. x86decode is there always.

   COST
   A check is two instructions. A survey takes some 20 ms for each megabyte of
   code. C is 1.3 to 2 times as large as the function, I is 5 to 8 times as large.
   An event is 8 instructions, or 12 or 14 where one or both of its registers are in
   use. The decoder has 2.5 KiB of tables; bench/x86decode_objdump.sh compares it
   with objdump. docs/binpatch.md has figures for real programs.

   CONTENTS
     language
     options
     this process: patched, sampled, switched
     one instruction: the decoder
     functions: jumps, loops, calls, unwinding
     copies: code with checks and events
     decoder: what follows an opcode, which operands it has
     decoder: the instruction, part by part
     decoder: registers and flags
     words and addresses
     functions: one of them, decoded
     functions: unwind information
     functions: how far a jump table is read
     functions: jump tables
     functions: threaded interpreters
     functions: loops and back-edges
     functions: return addresses that the program looks up
     functions: all of a module, and who calls whom
     functions: which entries need a check (equation 3)
     copies: bytes, distances, checks
     copies: events
     copies: instructions, branches, dispatches
     copies: one pass in linear order
     copies: their unwind information
     copies: what they share, and the stubs of entries
     patching: what memory looks like
     patching: copies are made while the program runs
     chance
     a seed for this process
     patching: the sampler (figure 3 of bursty-tracing)
     patching: nothing is patched, stacks are looked at
     patching: the stack when a burst begins
     patching: modules of this process
     patching: room within reach of a module
     patching: what an earlier run found out
     patching: labels of threaded interpreters
     patching: which entries, and the jumps over them
     patching: what is known of a module that is not surveyed
     patching: code that the program changes
     patching: on, off, away
     patching: functions that tell each entry and each exit
     patching: on other systems
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

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) && !defined(__TINYC__)           \
    && defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define X86FLOW_SUPPORTED 1             /* code of this process can be read and copied */
#endif
#if defined(X86FLOW_SUPPORTED) && defined(__linux__)
#define BINPATCH_SUPPORTED 1            /* and patched */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- this process: patched, sampled, switched -- src/binpatch/patch.h ---- */

enum {                          /* kinds of events: bits of config.events and of event.what */
    BINPATCH_ENTRY  = 1,        /* of a function; value: the stack pointer, which names the frame */
    BINPATCH_EXIT   = 2,        /* by return or tail jump; value: the same */
    BINPATCH_CALL   = 4,        /* before a call instruction; value: the stack pointer */
    BINPATCH_BLOCK  = 8,        /* a basic block begins; value: its address */
    BINPATCH_LOAD   = 16,  /* value: the address. LOAD and STORE together: read, then written */
    BINPATCH_STORE  = 32,
    BINPATCH_REPEAT = 64,       /* never asked for: the next one or two events repeat value times */
    BINPATCH_STACK  = 128  /* config only: push, pop, call and leave are loads and stores too */
};

/* place: of ENTRY and EXIT the function, of others the instruction; an offset
   from the module's bias. */
typedef struct binpatch_event { uint64_t value; uint32_t what, place; } binpatch_event;
#define BINPATCH_BYTES(what)  ((what) >> 8 & 0xFFF)  /* size of the operand, 0: not known */
#define BINPATCH_MODULE(what) ((what) >> 24)                    /* number of the module */

/* A function that is open: place as in ENTRY, stack as the value of its ENTRY
   would be. */
typedef struct binpatch_frame { uint64_t stack; uint32_t module, place; } binpatch_frame;
enum { BINPATCH_FRAMES = 2048 };

#define BINPATCH_ALWAYS UINT32_MAX  /* as every: one burst that never ends, the full trace */
enum { BINPATCH_MIDDLE = 2 };

typedef struct binpatch_config {        /* every zero is a default */
    uint32_t every, burst;  /* nCheck0, nInstr0: 9900, 100; at most 2^29 */
    int32_t  jitter;            /* of every: 12; -1: none */
    int32_t  k_boring;                  /* loops with at most so many operands: 4; -1: none */
    uint32_t events;                    /* ENTRY | EXIT */
    uint32_t seed;          /* 0 draws one for this process: binpatch_stats.seed */
    uint32_t bursts_per_second;         /* of a thread; the gaps follow the clock. 0: they do not */
    int      all_checks;                /* 1: no check is eliminated */
    int      halves;            /* 1: the action hears when half of a burst's checks are done */
    int      off;                       /* 1: installed, neither armed nor switched on */
    int      no_patches;        /* 1: nothing is patched but what binpatch_hook is given.
                                   binpatch_stack and names are there */
    /* Which modules (function is NULL) and which functions of them (name or
       "")? NULL: the executable and all libraries but libc, ld.so and
       libgcc_s. */
    int    (*want)(void *user, const char *module, const char *function);
    /* Takes the events of a burst, in order; ended: this was the last part of
       the burst. With halves, BINPATCH_MIDDLE: the last one in front of its middle. */
    void   (*action)(void *user, const binpatch_event *events, size_t count, int ended);
    /* A burst begins: the open functions, innermost first. If they are
       BINPATCH_FRAMES, there may be more around them. The innermost may be about
       to report its ENTRY. */
    void   (*begin)(void *user, const binpatch_frame *frames, size_t count);
    /* Start-up is ten times faster where an earlier run is remembered. keep
       takes what was found out about a module: words that mean something to
       recall alone, which hands them back, or NULL. key: of its code and of the
       settings. Both must be of the same unchanged file (path, "": the
       executable). want must say the same as it did then. The words that recall
       returns are read before it is called again. */
    const uint32_t *(*recall)(void *user, const char *path, uint64_t key, size_t *words);
    void   (*keep)(void *user, const char *path, uint64_t key, const uint32_t *words,
                   size_t count);
    uint32_t threads;           /* so many at a time have a buffer: 16384 */
    void    *user;
    void (*thread)(void *user); /* NULL, or: on a new thread, at its first check */
    /* NULL, or: on a thread that a handler has taken out of action, begin or
       hook by siglongjmp (of a signal that an instruction caused, such as the
       SIGSEGV of a stack that is full). */
    void (*abandoned)(void *user);
} binpatch_config;

enum {                          /* why a function is not patched; binpatch_reason_text says it */
    BINPATCH_PATCHED = 0,
    BINPATCH_UNDECODABLE, BINPATCH_INTO_INSTRUCTION, BINPATCH_TRANSACTION,  /* what the code is */
    BINPATCH_CALLS_ITSELF, BINPATCH_STARTUP,
    BINPATCH_UNWIND,            /* its unwind information is of an unusual form */
    BINPATCH_NO_ROOM,           /* it is too short, or something jumps into its first five bytes */
    BINPATCH_FLAGS, BINPATCH_TOO_LARGE,
    BINPATCH_FILTERED,          /* config.want said no */
    BINPATCH_FRAGMENT,          /* a part (.cold) of a function that is not known or not patched */
    BINPATCH_OWN, BINPATCH_PART, /* PART: it belongs to a patched function and is copied with it */
    BINPATCH_LOOKED_UP,         /* the program has a table of its return addresses */
    BINPATCH_REASONS
};

typedef struct binpatch_function {
    const char *path, *name;            /* name: NULL if no symbol tells */
    uint64_t address;
    uint32_t module, offset, size;
    int reason, checked, copies;        /* checked: its entry has a check; copies made: 0, 1, 2 */
} binpatch_function;

typedef struct binpatch_module {
    const char *path;                   /* "" for the executable */
    const char *refusal;                /* why the whole module is left alone, or NULL */
    uint64_t text;                      /* the address of its code, text_bytes long */
    uint64_t bias, text_bytes, used_bytes, checking_bytes, instrumented_bytes;
    uint32_t checking_count, instrumented_count;
    uint32_t functions[BINPATCH_REASONS];   /* how many have which reason */
} binpatch_module;

typedef struct binpatch_stats {
    uint64_t bursts, events, lost;      /* lost: records that ran over a full buffer */
    /* Checks of all threads, and how many of them were in bursts; missed: calls
       that a signal handler made while it had interrupted the patcher, or that
       came while a copy was made. */
    uint64_t checks, burst_checks, missed;
    uint32_t threads, lost_threads, modules;
    uint32_t modules_left;              /* beyond the 256th: nothing of them is patched */
    uint32_t buffers;                   /* so many threads at a time have one */
    uint32_t filters;                   /* functions that forbid system calls, and ask nobody */
    uint32_t changed;                   /* functions that binpatch_code_changes gave up */
    uint32_t recalled;                  /* modules that config.recall knew */
    uint32_t seed;                      /* given, drawn, or made of the parent's in a child */
    int on, armed;                      /* armed: the jumps are in the text */
    int shadow_stack;                   /* the processor checks returns: they stay as they are */
} binpatch_stats;

/* Patches this process. Returns how many functions; 0: none, and
   binpatch_reason says why. */
BINPATCH_API uint32_t binpatch_install(const binpatch_config *config);
/* Why the last binpatch_install returned 0; NULL otherwise. */
BINPATCH_API const char *binpatch_reason(void);
/* Sends callers to the copies (1) or to the original code (0). A loop that runs
   in a copy goes on there until it returns; it does not sample. Returns 0, or
   -1: the entries are as they were, and binpatch_arm returned -1. This function
   and the next two are async-signal-safe. */
BINPATCH_API int binpatch_toggle(int on);
/* Switches off, and writes the original entries back, so that the program costs
   what it did before. Copies stay, for who is still in them. Returns 0, or -1:
   not installed, or another thread runs, and then the entries keep their
   jumps. */
BINPATCH_API int binpatch_uninstall(void);
/* Writes the jumps over the entries, without switching on: after
   binpatch_uninstall, or if it was installed with config.off. Call it before a
   second thread starts, for later it is too late. Returns 0, or -1: another
   thread runs, or this is not the stack of the first thread. */
BINPATCH_API int binpatch_arm(void);
/* Before the program writes into its own code there, in whole pages: the
   functions in these pages get their own bytes back, and are sampled no more.
   Returns how many, or -1: some could not. */
BINPATCH_API int binpatch_code_changes(const void *address, size_t bytes);
/* Hands what the calling thread has recorded to the action. */
BINPATCH_API void binpatch_flush(void);
/* So many events of other threads have not been handed over. */
BINPATCH_API uint64_t binpatch_unread(void);
/* The same, and the calling thread is sampled no more: another one gets its
   buffer. */
BINPATCH_API void binpatch_leave(void);
/* Behind binpatch_leave: the calling thread is sampled again. */
BINPATCH_API void binpatch_rejoin(void);
/* While a thread is at work here, its signals wait. Before the program forbids
   itself system calls: from now on none is made for that, and a handler must not
   leave by siglongjmp. */
BINPATCH_API void binpatch_forbid_calls(void);
/* In a child after fork: bursts and checks count from 0 again, and begin anew
   with this seed. */
BINPATCH_API void binpatch_forked(uint32_t seed);
BINPATCH_API void binpatch_get_stats(binpatch_stats *out);
/* Function or module of that number, counted from 0. Returns 0, or -1: there
   are not so many. */
BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out);
BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out);
/* The number of the function that holds a place of a module, or UINT32_MAX. */
BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place);
/* For a timer's signal handler: the functions that are open at the place pc
   that it interrupted, innermost first, with the registers of that moment.
   Nothing is read from stack_end on. Only functions of patched modules are
   listed. Returns how many, at most max; or UINT32_MAX: the patcher itself is
   at work. */
BINPATCH_API uint32_t binpatch_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     binpatch_frame *frames, uint32_t max);
/* The same with recursion folded: what stands three times behind itself is listed
   twice, so that deep stacks have room. */
typedef struct binpatch_seen {
    int is_cut;   /* there are more callers */
    int is_bare;  /* .eh_frame has no function at pc: the first frame's place is that of pc */
} binpatch_seen;
BINPATCH_API uint32_t binpatch_stack_folded(uint64_t pc, uint64_t rsp, uint64_t rbp,
                                            uint64_t stack_end, binpatch_frame *frames,
                                            uint32_t max, binpatch_seen *seen);
/* Is pc in the module that holds this header's code, in what copies share to
   save registers, or in what leads to a hooked function? Returns 1 or 0. Async-signal-safe. */
BINPATCH_API int binpatch_is_own(uint64_t pc);
/* Told of entries (what is ENTRY) and exits (EXIT; EXIT | CALL: by a jump into
   another function, as of a call at the very end) at the moment when they
   happen, on the thread that makes them, maybe in a signal handler. An entry and
   its exit have the same frame. Who leaves by longjmp or an exception makes no
   exit. */
typedef void (*binpatch_hook_fn)(void *user, uint32_t what, const binpatch_frame *frame);
/* After binpatch_install with no_patches, once, and while no other thread runs:
   the functions of these numbers tell `hook` (with config.user) of each entry
   and each exit. Returns how many do; reasons[n] is 0, or why numbers[n] does
   not: binpatch_reason_text. */
BINPATCH_API uint32_t binpatch_hook(const uint32_t *numbers, uint32_t count, binpatch_hook_fn hook,
                                    int *reasons);
/* A reason in words. */
BINPATCH_API const char *binpatch_reason_text(int reason);
/* Where the program's own code has what stands at pc in a copy; pc itself if it
   is in none. For return addresses: where its own call would return to. The copy
   is made anew for that, which takes as long as making it. Async-signal-safe. */
BINPATCH_API const void *binpatch_origin(const void *pc);
/* If pc is inside a copy: its .eh_frame_hdr, and its range. NULL otherwise. */
BINPATCH_API const void *binpatch_find_copy(const void *pc, const void **start, const void **end);

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

#ifdef X86FLOW_SUPPORTED

/* ---- functions: jumps, loops, calls, unwinding -- src/binpatch/flow.h ---- */

/* 1. A module is a program or a library as it lies in memory. Fill in its ranges
      and the address of its .eh_frame_hdr. Then x86flow_list_functions lists its
      functions, which it knows from their unwind information. Stripped files
      have that, too.
   2. x86flow_decode reads one function into a body: its instructions in linear
      order, and who jumps to which. It returns 0, or the reason why the function
      is not understood.
   3. x86flow_plan finds the jump tables of a body, its loops, and the back-edges
      that need a check. A loop is k-boring if it makes no call and has at most k
      memory operands: it needs none (bursty-tracing, section 4.2).
   4. For a whole module: call x86flow_survey for each function, then
      x86flow_touch_tables, and then x86flow_eliminate. It answers whose entry
      needs a check by Equation 3 (section 4.1). Compilers move what rarely runs
      out of a function, into a part (.cold) that stands elsewhere. From
      x86flow_touch_tables on, such a part belongs to its function: one body
      holds both.
   5. x86flow_step goes from a frame of the stack to its caller by the unwind
      information.

   Memory is read, never written, but for what you hand over. The unwind
   information of a module is trusted to be whole, as the C library trusts it;
   code is not trusted.

   example:
       #define BINPATCH_IMPLEMENTATION
       #include "binpatch.h"
       #include <stdio.h>
       int main(void) {
           // loop: dec %edi; jnz loop; ret
           static const unsigned char code[] = {0xFF, 0xCF, 0x75, 0xFC, 0xC3};
           static uint64_t memory[32768];
           static x86flow_function f;
           static x86flow_module m;
           static x86flow_body body;
           uint32_t n;
           if (x86flow_body_init(&body, memory, sizeof memory, sizeof code) == 0) return 1;
           f.lo = m.lo = m.text_lo = (uint64_t)(uintptr_t)code;
           m.hi = m.text_hi = m.lo + sizeof code;
           f.size = sizeof code;
           m.functions = &f;
           m.count = 1;
           if (x86flow_decode(&body, &m, &f, 0) != 0) return 1;
           x86flow_plan(&body, -1);
           for (n = 0; n < body.count; n++) {
               printf("%u: %d bytes%s\n", body.insn[n].offset, body.insn[n].i.length,
                      body.insn[n].target & X86FLOW_TARGET_CHECKED ? ", a loop" : "");
           }
           return 0;
       }
   end of example.
*/

enum {                          /* function.flags */
    X86FLOW_LEAF = 1,           /* calls nobody */
    X86FLOW_ROOT = 2,           /* no direct caller */
    X86FLOW_TAKEN = 4,          /* its address is taken, or it is exported */
    X86FLOW_CALLED = 8,         /* by a direct call */
    X86FLOW_CHECK = 16,         /* its entry needs a check: Equation 3 */
    X86FLOW_FRAGMENT = 32,      /* a part (.cold) of another function */
    X86FLOW_DISPATCH = 64,      /* has an indirect jump */
    X86FLOW_BY_BRANCH = 128     /* the target of a conditional jump of another function */
};

enum {                          /* what x86flow_decode and x86flow_list_functions refuse */
    X86FLOW_FINE = 0,
    X86FLOW_UNDECODABLE = 1,
    X86FLOW_INTO_INSTRUCTION = 2,
    X86FLOW_TRANSACTION = 3,
    X86FLOW_CALLS_ITSELF = 4,   /* a call into its own middle */
    X86FLOW_STARTUP = 5,        /* set by the caller, for .init, .fini and stubs of the PLT */
    X86FLOW_UNWIND = 6,
    X86FLOW_TOO_LARGE = 9,
    X86FLOW_LOOKED_UP = 14      /* data says where its calls return to: x86flow_find_lookups */
};

typedef struct x86flow_function {
    uint64_t lo;                /* its address; it ends at lo + size */
    const uint8_t *fde;
    const char *name;           /* left to the caller */
    uint32_t size;
    uint32_t pad;               /* nops and int3 behind it */
    uint8_t reason, flags;
    uint8_t direct;             /* CHECK, and direct calls need it: it closes a cycle of calls */
    uint8_t dispatches;         /* indirect jumps; 255: or more */
    uint8_t unsure_entry;       /* the survey could not tell that the flags are dead at the entry */
    uint8_t patched, patch_at;  /* the caller overwrote up to 9 bytes from lo + patch_at on, */
    uint8_t saved[9];           /* which were these */
    uint16_t changes;           /* x86flow_note_callees: registers that it does not keep; 0: not
                                   known */
    uint8_t displaced;          /* the instructions that the jump overwrites are so many bytes, and
                                   run anywhere else as they are; 0: not known */
    uint8_t noted;              /* left to the caller */
    uint32_t part;              /* the number of its part (.cold) + 1; 0: it has none */
    uint32_t owner;             /* of a part: the number of its function + 1; 0: not known */
} x86flow_function;

/* A call through this GOT slot, by a stub of the PLT or without one, reaches
   that function. */
typedef struct x86flow_bound {
    uint64_t slot;
    uint32_t function;
} x86flow_bound;

/* A label of a threaded interpreter where the caller may have overwritten these
   bytes. */
typedef struct x86flow_label {
    uint64_t at;
    uint64_t to;                /* left to the caller, as the next two */
    uint32_t function;
    uint8_t held, gone;
    uint8_t saved[5];
} x86flow_label;
enum { X86FLOW_THREADED = 16 };         /* so many dispatches make a threaded interpreter */

typedef struct x86flow_module {
    uint64_t bias, lo, hi, text_lo, text_hi;
    uint64_t readable[8][2];                /* ranges of it that may be read; none: all of it */
    uint32_t readable_count;
    const uint8_t *frame_header;
    x86flow_function *functions;            /* in the order of their addresses */
    uint32_t count;
    const uint64_t *named;                  /* addresses of data that the code names, sorted */
    uint32_t named_count;
    const x86flow_bound *bound;             /* GOT slots that lead back into this module, sorted */
    uint32_t bound_count;
    x86flow_label *labels;                  /* in the order of their addresses */
    uint32_t label_count;
    uint32_t *near;                         /* x86flow_index made it, or NULL */
} x86flow_module;

enum {                          /* insn.target: who comes here */
    X86FLOW_TARGET_BRANCH = 1,
    X86FLOW_TARGET_TABLE = 2,
    X86FLOW_TARGET_CHECKED = 4, /* a back-edge that needs a check */
    X86FLOW_TARGET_FLAGS = 8    /* and the flags are live there */
};

enum { X86FLOW_PROVED = 0, X86FLOW_TRANSLATE = 1, X86FLOW_REWRITE = 2 };    /* insn.dispatch */

typedef struct x86flow_insn {
    x86decode_insn i;
    uint32_t offset;
    uint8_t target;
    uint8_t boring;             /* inside a loop that is not checked */
    /* Of an indirect jump: TRANSLATE, its table was not proved. Of a jump or a
       load: REWRITE, it reads an entry of `table`. */
    uint8_t dispatch;
    uint32_t table;
    uint32_t entries;           /* of a load: it reads so many entries of a table; 0: not known */
    uint32_t first_jump;        /* direct jumps to here: a list, number + 1 */
    uint32_t next_jump;
} x86flow_insn;

/* width 4: distances from its own start; width 8: addresses. */
typedef struct x86flow_table {
    uint64_t address;
    uint32_t entries, width, last_jump;
} x86flow_table;
enum { X86FLOW_TABLES = 4096 };

typedef struct x86flow_body {
    const x86flow_module *m;
    const x86flow_function *f;
    uint8_t *text;              /* the original bytes */
    x86flow_insn *insn;         /* insn[count].offset is the end */
    uint32_t *index;            /* offset -> number of the instruction + 1 */
    uint32_t count, text_max, indirect_jumps;
    /* The function's part, or NULL. It stands behind the function: its first
       instruction is number part_first, at offset f->size. Without a part,
       part_first is count. */
    const x86flow_function *part;
    uint32_t part_first, size;          /* size: of both */
    x86flow_table *tables;
    uint32_t table_count;
    int flags_at_labels;                /* are the flags live at any label of a table? */
    uint32_t *pending, *mark, epoch;    /* of walks */
    int proof;                          /* how tables are proved just now */
} x86flow_body;

typedef struct x86flow_graph {
    uint32_t *from, *to, count, max;    /* calls and tail jumps between functions of the module */
    uint8_t *touched;                   /* one bit per byte of text: something goes there */
    uint8_t *pointed;                   /* the same: a word of data holds this address */
    uint64_t *named;
    uint32_t named_count, named_max;
    uint32_t filters;           /* functions that forbid system calls, and ask nobody */
} x86flow_graph;

typedef struct x86flow_unwind {         /* an FDE with its CIE */
    const uint8_t *cie_begin, *cie_end, *fde_begin, *fde_end;   /* the two programs of CFA */
    uint64_t pc, size, personality, lsda;
    int64_t data_factor;
    int signal_frame, has_personality, has_lsda;
} x86flow_unwind;

typedef struct x86flow_lsda {           /* where exceptions land: the table of a function */
    const uint8_t *sites, *sites_end, *actions;
    uint64_t pads, types;
    unsigned site_encoding, type_encoding;
    int bad;                            /* it has another form, or does not end in time */
} x86flow_lsda;

typedef struct x86flow_call_site {      /* start: from the function's start on */
    uint64_t start, size, pad, action;  /* pad: an address, or 0 */
} x86flow_call_site;

/* Functions of a module: */

/* Fills m->functions, which has room for `max`, from m->frame_header. Returns
   how many there are; 0: none, or the header has an unusual form. With
   functions NULL it only counts the entries. */
BINPATCH_API uint32_t x86flow_list_functions(x86flow_module *m, x86flow_function *functions,
                                            uint32_t max);
/* x86flow_function_at is quicker with an index of that many words, which is for
   the functions that are listed now. */
BINPATCH_API size_t x86flow_index_words(const x86flow_module *m);
BINPATCH_API void x86flow_index(x86flow_module *m, uint32_t *words);
/* The function that holds an address, or NULL. */
BINPATCH_API x86flow_function *x86flow_function_at(const x86flow_module *m, uint64_t address);

/* One function: */

/* Lays a body out in memory for functions of up to `largest` bytes. Returns the
   bytes that it takes, or 0: memory is too small (memory NULL: only tells how
   many). */
BINPATCH_API size_t x86flow_body_init(x86flow_body *b, void *memory, size_t bytes, size_t largest);
/* Decodes f, or with `enough` not 0 only its first instructions, that many
   bytes and perhaps a few more; then nothing is known about jumps. Returns
   X86FLOW_FINE or why not. */
BINPATCH_API int x86flow_decode(x86flow_body *b, const x86flow_module *m, const x86flow_function *f,
                               uint32_t enough);
/* Fills in target, boring, dispatch and table of all instructions of the body.
   k_boring: -1, no loop is boring. */
BINPATCH_API void x86flow_plan(x86flow_body *b, int32_t k_boring);
/* For x86flow_plan of an interpreter, before anything is patched: what the
   functions that it calls do to registers. Without it each label gets a check
   whose code makes a call. */
BINPATCH_API void x86flow_note_callees(const x86flow_body *b, x86flow_module *m);
/* Must the flags be kept before instruction `at`? Returns 1 or, if they are
   surely dead, 0. */
BINPATCH_API int x86flow_flags_live(const x86flow_body *b, uint32_t at);
/* The number of the instruction that a direct jump goes to, or ~0: outside of
   the function. */
BINPATCH_API uint32_t x86flow_goes_to(const x86flow_body *b, const x86flow_insn *k);
/* Where entry n of a table leads. */
BINPATCH_API uint64_t x86flow_table_target(const x86flow_table *t, uint32_t n);
/* May what stands behind an instruction follow it? Returns 1 or 0. */
BINPATCH_API int x86flow_falls_through(const x86flow_insn *k);
/* The same, if the next instruction of the body is what stands behind this
   one. */
BINPATCH_API int x86flow_runs_on(const x86flow_body *b, uint32_t at);
/* Where an offset of the body stands in memory; the offset of an address, or
   ~0: it is not in it. */
BINPATCH_API uint64_t x86flow_address(const x86flow_body *b, uint32_t offset);
BINPATCH_API uint32_t x86flow_offset(const x86flow_body *b, uint64_t address);
/* The number of the instruction that stands at an address, or ~0: none of the
   body. */
BINPATCH_API uint32_t x86flow_insn_at(const x86flow_body *b, uint64_t address);
/* Returns 1 for a nop of any length, otherwise 0. */
BINPATCH_API int x86flow_is_nop(const x86decode_insn *i);
/* The general register that modrm names as operand, or -1: it names memory; and
   the other one. */
BINPATCH_API int x86flow_rm_register(const x86decode_insn *i);
BINPATCH_API int x86flow_reg_register(const x86decode_insn *i);

/* A whole module: */

/* The bytes that a graph of a module takes; x86flow_graph_init lays it out in
   zeroed memory. */
BINPATCH_API size_t x86flow_graph_bytes(const x86flow_module *m);
BINPATCH_API void x86flow_graph_init(x86flow_graph *g, const x86flow_module *m, void *memory);
/* Tells that something leads to an address of code that no direct jump shows: a
   word of data, a relocation, an exported symbol. If a function starts there,
   it counts as called from anywhere. */
BINPATCH_API void x86flow_take(x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* A word of data holds this address. */
BINPATCH_API void x86flow_point(x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* Before all surveys, if data was told: functions whose return addresses stand
   in data get the reason X86FLOW_LOOKED_UP, for the program looks them up.
   Returns how many. */
BINPATCH_API uint32_t x86flow_find_lookups(x86flow_body *b, const x86flow_graph *g,
                                           x86flow_module *m);
/* Before all surveys: adds to m->bound, which stands in `bound` and has
   room. */
BINPATCH_API void x86flow_bind(x86flow_module *m, x86flow_bound *bound, uint64_t slot,
                              uint32_t function);
/* The GOT slot that a stub of the PLT at `to` jumps through, or 0: there is no
   such stub. */
BINPATCH_API uint64_t x86flow_stub_slot(const x86flow_module *m, uint64_t to);
/* The GOT slot that a call at `here` goes through, or 0. */
BINPATCH_API uint64_t x86flow_call_slot(const x86flow_module *m, const x86decode_insn *i,
                                       uint64_t here);
/* The function of this module that a GOT slot leads to, or `otherwise`. */
BINPATCH_API uint64_t x86flow_bound_to(const x86flow_module *m, uint64_t slot,
                                      uint64_t otherwise);
/* Decodes function `number` once, and notes what it calls and names. Returns 0
   or why it is not understood; f->reason is set if it was 0. */
BINPATCH_API int x86flow_survey(x86flow_body *b, x86flow_graph *g, x86flow_module *m,
                               uint32_t number);
/* Behind all surveys: joins parts to their functions, sorts what is named
   (m->named), and notes where tables lead. */
BINPATCH_API void x86flow_touch_tables(x86flow_graph *g, x86flow_module *m);
/* Does anything lead to this byte of the module's text? Returns 1 or 0. */
BINPATCH_API int x86flow_touched(const x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* Equation 3: sets X86FLOW_CHECK. memory: zeroed, x86flow_eliminate_bytes
   many. */
BINPATCH_API size_t x86flow_eliminate_bytes(const x86flow_module *m, const x86flow_graph *g);
BINPATCH_API void x86flow_eliminate(const x86flow_module *m, const x86flow_graph *g, void *memory);
/* The function at an address, and all that it reaches by direct calls, get this
   reason. */
BINPATCH_API void x86flow_leave_out(x86flow_module *m, const x86flow_graph *g, uint64_t address,
                                   uint8_t reason);

/* Unwind information: */

/* Reads one FDE and its CIE. Returns 0, or -1 for anything unusual. */
BINPATCH_API int x86flow_read_fde(const uint8_t *fde, x86flow_unwind *out);
/* The FDE in an .eh_frame_hdr that covers pc, and where its function starts;
   NULL: none. */
BINPATCH_API const uint8_t *x86flow_find_fde(const uint8_t *frame_header, uint64_t pc,
                                            uint64_t *start);
/* A pointer in one of the encodings that installed files use. *bad is set for
   any other. */
BINPATCH_API uint64_t x86flow_encoded(const uint8_t **p, unsigned encoding, int *bad);
/* The table of landing pads of an FDE that has one. Returns 0, or -1: it has
   another form. */
BINPATCH_API int x86flow_open_lsda(const x86flow_module *m, const x86flow_unwind *u,
                                  x86flow_lsda *out);
/* Returns 1, or 0: there is none any more, or the table is bad. */
BINPATCH_API int x86flow_next_call_site(x86flow_lsda *l, x86flow_call_site *out);

/* How to get from a place of a function to its caller: cfa = register + offset;
   the caller's rbp stands at cfa + rbp, if rbp_saved. */
typedef struct x86flow_rule {
    uint64_t pc;                        /* left to the caller, for a table of rules */
    int32_t offset, rbp;
    uint8_t reg, rbp_saved;             /* reg: 6 is rbp, 7 rsp; 0: it is not known */
} x86flow_rule;
/* The rule at a place of the function, counted from its start. Returns 0, or
   -1: it needs more than a rule can say. */
BINPATCH_API int x86flow_find_rule(const uint8_t *fde, uint64_t place, x86flow_rule *out);
/* The same at an offset of the body of f: behind its own bytes follow those of
   its part. */
BINPATCH_API int x86flow_rule_of(const x86flow_module *m, const x86flow_function *f,
                                uint32_t offset, x86flow_rule *out);
/* Applies a rule: the caller's pc, rsp and rbp. Returns 0, or -1: the stack is
   not like that. */
BINPATCH_API int x86flow_step(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp, uint64_t *rbp);
/* The same; nothing is read from outside of [*rsp, end). */
BINPATCH_API int x86flow_step_inside(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp,
                                    uint64_t *rbp, uint64_t end);

/* ---- copies: code with checks and events -------- src/binpatch/copy.h ---- */

/* 1. x86copy_emit writes a copy of a body that was planned into `out`, as code for
      the address that you name. The caller puts the bytes there.
   2. There are two kinds of copies. The checking copy C has a check at the
      function's entry and at the back-edges that need one. The instrumented copy
      I has the same checks, and writes events into a buffer. Both have the same
      sites, which are the places where the code goes from one copy to the other.
      Registers, flags that matter and the stack are equal there.
   3. x86copy_emit_unwind adds unwind information of the copy's own, with which
      exceptions and backtraces go through it.
   4. x86copy_emit_slow writes the two pieces of code that all copies of a module
      share.
   5. x86copy_emit_stub writes what a patched entry jumps to. Its first instruction
      is T, a jump through a word of data, the function's slot. The slot leads to
      C, to code that asks for C, or to "plain": the instructions that the patch
      displaced, and a jump to the rest of the function.

   A copy computes what the function computes: registers, flags, memory and the
   stack above its red zone. Events read no operand.

   example:
       #define BINPATCH_IMPLEMENTATION
       #include "binpatch.h"
       #include <stdio.h>
       int main(void) {
           // loop: dec %edi; jnz loop; mov counter(%rip),%eax; ret
           static const unsigned char code[] = {0xFF, 0xCF, 0x75, 0xFC, 0x8B, 0x05,
                                                0x10, 0,    0,    0,    0xC3};
           static uint64_t memory[65536], room[16384];
           static x86flow_function f;
           static x86copy_function own;
           static x86flow_module flow;
           static x86copy_module module;
           static x86flow_body body;
           static x86copy copy;
           if (!x86flow_body_init(&body, memory, sizeof memory, sizeof code)) return 0;
           if (!x86copy_init(&copy, &body, room, sizeof room)) return 1;
           f.lo = flow.lo = flow.text_lo = (uint64_t)(uintptr_t)code;
           flow.hi = flow.text_hi = flow.lo + sizeof code;
           f.size = sizeof code;
           flow.functions = &f;
           flow.count = 1;
           module.flow = &flow;
           module.functions = &own;
           module.rx = flow.hi + 4096;         // as if the copy stood there
           module.slots = module.site_slots = module.rx + 65536;
           if (x86flow_decode(&body, &flow, &f, 0) != 0) return 1;
           x86flow_plan(&body, -1);
           if (x86copy_emit(&copy, &module, module.rx + 64, 0, 0) != 0) return 1;
           printf("%u bytes, %u checks\n", copy.out_size, copy.site_count);
           return 0;
       }
   end of example.
*/

enum {                          /* module.events: what an instrumented copy records */
    X86COPY_ENTRY = 1,
    X86COPY_EXIT = 2,
    X86COPY_CALL = 4,
    X86COPY_BLOCK = 8,
    X86COPY_LOAD = 16,
    X86COPY_STORE = 32,
    X86COPY_REPEAT = 64,        /* never asked for: precedes the event of a rep instruction */
    X86COPY_STACK = 128,        /* push, pop, call and leave are loads and stores too */
    X86COPY_LEFT = 256          /* of C: each exit asks heavy */
};
/* An event is 16 bytes: u64 value; u32 kind | bytes << 8 | module number << 24;
   u32 place. It is written at the address in the thread's word `position`,
   whose low 16 bits then go on by 16. */

enum { X86COPY_LIVE = -0x40000000 };    /* the word n inside a burst */

/* What is known of a function's copies. Positions count from module.rx; 0:
   there is none. */
typedef struct x86copy_function {
    uint32_t t_at;              /* T, jmp *slot: what the patched entry jumps to */
    uint32_t plain_at;          /* the displaced instructions, then on in the original */
    uint32_t make_at;           /* asks for C */
    uint32_t make_i_at;         /* asks for I; only where direct calls need no check */
    uint32_t c_at, c_size, i_at, i_size;
    uint32_t links_c, links_i;  /* left to the caller, as the next three: calls to be joined */
    uint32_t first_site, sites;
    uint32_t failed;
    uint32_t patched;           /* its entry is patched: others may be linked to its copies */
    uint32_t held;              /* left to the caller */
    uint32_t bare;              /* no check anywhere: its original is what C would be */
    uint32_t returns_at;        /* of I: x86copy.returns_at as a position; 0: not known */
    uint32_t threaded;          /* C's dispatches are as they were: labels lead back to it */
    uint32_t away_at;           /* a jump through the function's word of `aways`; 0: none */
} x86copy_function;

/* So many bytes of C and of I are the check of the entry. Direct calls that
   need none skip them. */
enum { X86COPY_CHECK_C = 14, X86COPY_CHECK_I = 19 };

typedef struct x86copy_module {
    const x86flow_module *flow;
    x86copy_function *functions;            /* as many as flow->functions, in the same order */
    uint32_t number, events;
    uint64_t rx;                            /* the address at which position 0 of the code runs */
    uint64_t slots, site_slots;             /* addresses of words: per function, per site */
    uint64_t aways;                         /* per function: where to when its copies go; or 0 */
    uint32_t slow_at, make_common_at, heavy_at, slow_end;
    uint64_t sensitive[16];                 /* GOT slots of functions that ask who calls them */
    uint32_t sensitive_count;
    /* Of the thread's words, from %fs:0. position: where the next event goes, in a
       buffer of 64 KiB that is aligned so; claim: the buffer's address + 16. */
    int32_t offset_n, offset_left, offset_position, offset_claim;
    uint32_t xsave_bytes, xsave_mask;       /* mask 0: fxsave */
    /* Asked by all copies: code is a site, or MAKE_C, MAKE_I or LEAVES with the
       number of a function. Of a site it returns whether a burst is live, of
       MAKE where to go. */
    uint64_t (*heavy)(uint64_t code, void *user, const uint64_t *saved);
    void *user;
} x86copy_module;
enum { X86COPY_MAKE_C = 0x40000000, X86COPY_MAKE_I = 0x20000000, X86COPY_NUMBER = 0x0FFFFFFF };
/* An exit of C; by a jump into another function. The stack pointer is lower by
   FRAME then. */
enum { X86COPY_LEAVES = 0x10000000, X86COPY_LEFT_BY_JUMP = 0x08000000, X86COPY_LEFT_FRAME = 0x98 };

/* saved: the registers at that moment, in this order; behind them the return
   address, the code, and for a site the 128 bytes of the program's red zone. */
enum {
    X86COPY_SAVED_RBP = 0,
    X86COPY_SAVED_FLAGS = 9,
    X86COPY_SAVED_RAX = 10,
    X86COPY_SAVED_COUNT = 13
};

typedef struct x86copy_spot {   /* of an instruction of the body, in the copy being emitted */
    uint32_t at, begin;         /* begin: of its check, if that stands in line before it */
    uint32_t c_at;              /* in the checking copy */
    uint32_t thunk, slow;       /* of a checked target: where its check stands, and its slow end */
    uint32_t site;
} x86copy_spot;
typedef struct x86copy_fixup {
    uint32_t at, index, kind;
} x86copy_fixup;
/* A fixup of these kinds is a call whose distance is to be changed when
   function `index` has a C or an I. `at` counts from out[0]. */
enum { X86COPY_JOIN_C = 16, X86COPY_JOIN_I = 17 };

typedef struct x86copy {
    x86flow_body *b;
    x86copy_module *m;
    x86copy_function *own;
    x86copy_spot *spot;         /* spot[count + 1] is the entry behind its check */
    uint32_t *table_at;
    x86copy_fixup *fixups;
    uint32_t fixup_count;
    uint8_t *out;
    uint32_t out_size, out_max;
    uint64_t base;              /* the address of out[0] once it is in place */
    uint32_t code_start;        /* tables stand before it; `at` and c_at count from it */
    uint32_t first_site, site_count;
    uint32_t returns_at;        /* in `out`, of I: where its calls return to; 0: in C */
    int instrumented, translated, failed;
} x86copy;

/* Lays memory out for copies of what the body can hold. Returns the bytes it
   takes, or 0: memory is too small (memory NULL: only tells how many). */
BINPATCH_API size_t x86copy_init(x86copy *s, x86flow_body *body, void *memory, size_t bytes);
/* Emits a copy of the body's function as if out[0] stood at `base`. Sites are
   numbered from first_site in the order entry, then targets of back-edges; both
   copies agree on them. A copy that is emitted again is equal if `base` is a
   multiple of 64 both times. For an instrumented copy the spots must hold the
   c_at of the checking copy. Returns 0, or -1: it is too large. */
BINPATCH_API int x86copy_emit(x86copy *s, x86copy_module *m, uint64_t base, int instrumented,
                             uint32_t first_site);
/* Before I is emitted: the spots get the c_at of C, which is emitted again for
   that. Returns 0, or
   -1. */
BINPATCH_API int x86copy_find_c(x86copy *s, x86copy_module *m, uint64_t base, uint32_t first_site);
/* Does place number n of the spots have a site? Behind the instructions comes
   their end, and then the entry. Returns 1 or 0. */
BINPATCH_API int x86copy_is_site(const x86flow_body *b, uint32_t n);
/* How far behind the start of C or I a direct call of f goes: behind the check,
   or 0. */
BINPATCH_API uint32_t x86copy_skips(const x86flow_function *f, int instrumented);
/* A call of C has pushed the return address pc. What would the same call of I
   have pushed? Wants returns_at of the function. Returns 0: pc is not behind a
   call that returns. */
BINPATCH_API uint64_t x86copy_return_in_i(const x86copy_module *m, uint32_t number, uint64_t pc);
/* Where the program has what stands `at` bytes behind the start of the copy that
   was emitted last. A return address is that of the program's own call. */
BINPATCH_API uint64_t x86copy_origin(const x86copy *s, uint32_t at);
/* Behind the code of a copy: its own .eh_frame_hdr (at *header), CIE, FDE, LSDA
   of both parts. Returns 0, or -1. */
BINPATCH_API int x86copy_emit_unwind(x86copy *s, uint32_t *header);
/* A GOT slot leads to a function of that name. Calls of those that ask who
   calls them are left to the original code. */
BINPATCH_API void x86copy_note_import(x86copy_module *m, const char *name, uint64_t slot);
/* How the common code is to save the registers of this processor: xsave_bytes,
   xsave_mask. */
BINPATCH_API void x86copy_find_xsave(x86copy_module *m);
/* The common code of a module, with out[0] at s->base; sets slow_at and so
   on. */
BINPATCH_API void x86copy_emit_slow(x86copy *s, x86copy_module *m);
/* How many bytes of whole instructions a jump at patch_at overwrites, if they
   run anywhere else as they are; 0: they do not. The body holds them. */
BINPATCH_API uint32_t x86copy_displaced(const x86flow_body *b, uint32_t patch_at);
/* Everything behind a patched entry, for out[0] at s->base and position `at`:
   T, plain, make C and, if direct calls need no check, make I. The body holds
   the first instructions, unless f->displaced tells. Returns 0, or -1: they
   cannot stand anywhere else. */
BINPATCH_API int x86copy_emit_stub(x86copy *s, x86copy_module *m, uint32_t number, uint32_t at);

#endif /* X86FLOW_SUPPORTED */

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

#ifdef X86FLOW_SUPPORTED
#include <cpuid.h>
#include <string.h>

/* ---- words and addresses ----------------------- src/binpatch/words.c ---- */

static uint32_t binpatch_p_u32(const void *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

static uint64_t binpatch_p_address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}
static const uint8_t *binpatch_p_at(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
}

static int32_t binpatch_p_s32(const void *p) {
    return (int32_t)binpatch_p_u32(p);
}
static uint64_t binpatch_p_u64(const void *p) {
    uint64_t value;
    memcpy(&value, p, 8);
    return value;
}

static uint64_t binpatch_p_uleb(const uint8_t **p) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*p)++;
        if (shift < 64) value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && shift < 80);
    return value;
}

static int64_t binpatch_p_sleb(const uint8_t **p) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*p)++;
        if (shift < 64) value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && shift < 80);
    if (shift < 64 && byte & 64) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

/* ---- functions: one of them, decoded ------- src/binpatch/flow_body.c ---- */

static int x86flow_p_in_text(const x86flow_module *m, uint64_t address) {
    return address >= m->text_lo && address < m->text_hi;
}

/* Where the readable range ends that an address lies in; 0: it may not be
   read. */
static uint64_t x86flow_p_readable(const x86flow_module *m, uint64_t address) {
    uint32_t n;
    if (address < m->lo || address >= m->hi) return 0;
    for (n = 0; n < m->readable_count; n++) {
        if (address >= m->readable[n][0] && address < m->readable[n][1]) return m->readable[n][1];
    }
    return m->readable_count ? 0 : m->hi;
}

/* Word n of the index: so many functions start before block n of the text. */
enum { X86FLOW_P_BLOCK = 10 };

BINPATCH_API size_t x86flow_index_words(const x86flow_module *m) {
    return (size_t)((m->text_hi - m->text_lo) >> X86FLOW_P_BLOCK) + 2;
}

BINPATCH_API void x86flow_index(x86flow_module *m, uint32_t *words) {
    size_t n, count = x86flow_index_words(m);
    uint32_t k = 0;
    for (n = 0; n < count; n++) {
        while (k < m->count && (m->functions[k].lo - m->text_lo) >> X86FLOW_P_BLOCK < n) k++;
        words[n] = k;
    }
    m->near = words;
}

/* The last function that starts at or before the address; NULL if it ends
   before it. */
BINPATCH_API x86flow_function *x86flow_function_at(const x86flow_module *m, uint64_t address) {
    uint32_t lo = 0, hi = m->count;
    if (m->near) {
        uint64_t block = (address - m->text_lo) >> X86FLOW_P_BLOCK;
        if (!x86flow_p_in_text(m, address)) return NULL;
        lo = m->near[block];
        hi = m->near[block + 1];
    }
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->functions[mid].lo <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0 || address - m->functions[lo - 1].lo >= m->functions[lo - 1].size) return NULL;
    return &m->functions[lo - 1];
}

enum { X86FLOW_P_WORK = 6 };            /* words of `pending` for each byte of the function */

BINPATCH_API size_t x86flow_body_init(x86flow_body *b, void *memory, size_t bytes, size_t largest) {
    size_t n = largest + 64, at = 0, offset[6], size[6];
    uint8_t *p = (uint8_t *)memory;
    int k;
    size[0] = n * sizeof *b->insn;
    size[1] = X86FLOW_TABLES * sizeof *b->tables;
    size[2] = n * sizeof *b->index;
    size[3] = X86FLOW_P_WORK * n * sizeof *b->pending;
    size[4] = n * sizeof *b->mark;
    size[5] = n;
    for (k = 0; k < 6; k++) {
        offset[k] = at;
        at += (size[k] + 63) & ~(size_t)63;
    }
    if (!memory) return at;
    if (bytes < at) return 0;
    memset(b, 0, sizeof *b);
    memset(p + offset[4], 0, size[4]);
    b->text_max = (uint32_t)largest;
    b->insn = (x86flow_insn *)memory;
    b->tables = (x86flow_table *)(void *)(p + offset[1]);
    b->index = (uint32_t *)(void *)(p + offset[2]);
    b->pending = (uint32_t *)(void *)(p + offset[3]);
    b->mark = (uint32_t *)(void *)(p + offset[4]);
    b->text = p + offset[5];
    return at;
}

BINPATCH_API uint64_t x86flow_address(const x86flow_body *s, uint32_t offset) {
    return offset < s->f->size || !s->part ? s->f->lo + offset : s->part->lo + offset - s->f->size;
}

BINPATCH_API uint32_t x86flow_offset(const x86flow_body *s, uint64_t address) {
    if (address - s->f->lo < s->f->size) return (uint32_t)(address - s->f->lo);
    if (!s->part || address - s->part->lo >= s->part->size) return ~0u;
    return (uint32_t)(address - s->part->lo) + s->f->size;
}

BINPATCH_API uint32_t x86flow_insn_at(const x86flow_body *s, uint64_t address) {
    uint32_t offset = x86flow_offset(s, address);
    return offset == ~0u ? ~0u : s->index[offset] - 1;
}

/* Where a direct jump or call leads, and where a RIP-relative operand
   stands. */
static uint64_t x86flow_p_target(const x86flow_body *s, const x86flow_insn *k) {
    return x86decode_target(&k->i, x86flow_address(s, k->offset));
}
static uint64_t x86flow_p_relative(const x86flow_body *s, const x86flow_insn *k) {
    return x86flow_address(s, k->offset) + k->i.length + (uint64_t)k->i.displacement;
}

static int x86flow_p_link_jumps(x86flow_body *s) {
    uint32_t n;
    for (n = 0; n < s->count; n++) {
        x86flow_insn *k = &s->insn[n], *target;
        uint32_t to;
        if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_CALL) continue;
        to = x86flow_offset(s, x86flow_p_target(s, k));
        if (to == ~0u) continue;
        if (!s->index[to]) return X86FLOW_INTO_INSTRUCTION;
        if (k->i.kind == X86DECODE_CALL) {
            if (to != 0) return X86FLOW_CALLS_ITSELF;
            continue;
        }
        target = &s->insn[s->index[to] - 1];
        target->target |= X86FLOW_TARGET_BRANCH;
        k->next_jump = target->first_jump;
        target->first_jump = n + 1;
    }
    return X86FLOW_FINE;
}

/* Decodes what stands at offsets [at, end) of the text, up to the first
   instruction that ends at or behind `enough`. */
static int x86flow_p_decode(x86flow_body *s, uint32_t at, uint32_t end, uint32_t enough) {
    memset(s->index + at, 0, (size_t)(enough + 1 - at) * sizeof *s->index);
    while (at < enough) {
        x86flow_insn *k = &s->insn[s->count];
        unsigned length = x86decode(s->text + at, end - at, &k->i);
        if (!length) return X86FLOW_UNDECODABLE;
        k->offset = at;
        k->target = k->boring = k->dispatch = 0;
        k->table = k->entries = k->first_jump = k->next_jump = 0;
        s->index[at] = ++s->count;
        if (k->i.kind == X86DECODE_XBEGIN) return X86FLOW_TRANSACTION;
        if (k->i.kind == X86DECODE_JUMP_INDIRECT) s->indirect_jumps++;
        at += length;
    }
    s->insn[s->count].offset = end;
    s->insn[s->count].target = 0;
    s->insn[s->count].first_jump = 0;
    return X86FLOW_FINE;
}

static int x86flow_p_decode_part(x86flow_body *s, const x86flow_function *part) {
    uint32_t at = s->f->size, end = at + part->size;
    memcpy(s->text + at, binpatch_p_at(part->lo), part->size);
    memset(s->text + end, 0xCC, 16);
    s->part = part;
    s->size = end;
    return x86flow_p_decode(s, at, end, end);
}

/* Puts the original bytes of labels back into the text. */
static void x86flow_p_restore_labels(x86flow_body *s) {
    const x86flow_module *m = s->m;
    uint32_t lo = 0, hi = m->label_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->labels[mid].at < s->f->lo) lo = mid + 1;
        else hi = mid;
    }
    for (; lo < m->label_count && m->labels[lo].at - s->f->lo < s->f->size; lo++) {
        const x86flow_label *l = &m->labels[lo];
        memcpy(s->text + (l->at - s->f->lo), l->saved, sizeof l->saved);
    }
}

/* Reads the original bytes of f, whatever stands there now. If its part does
   not fit, f is read alone: jumps to the part leave it then. */
BINPATCH_API int x86flow_decode(x86flow_body *s, const x86flow_module *m, const x86flow_function *f,
                               uint32_t enough) {
    const x86flow_function *part = f->part && !enough ? &m->functions[f->part - 1] : NULL;
    uint32_t n;
    int why;
    s->m = m;
    s->f = f;
    s->part = NULL;
    s->size = f->size;
    s->count = 0;
    s->table_count = 0;
    s->indirect_jumps = 0;
    s->flags_at_labels = 0;
    if (f->size == 0 || f->size > s->text_max) return X86FLOW_TOO_LARGE;
    if (enough == 0 || enough > f->size) enough = f->size;
    n = f->size - enough < 16 ? f->size : enough + 16;
    memcpy(s->text, binpatch_p_at(f->lo), n);
    memset(s->text + n, 0xCC, 16);
    for (n = 0; f->patched && n < sizeof f->saved && f->patch_at + n < f->size; n++)
        s->text[f->patch_at + n] = f->saved[n];
    if (m->label_count) x86flow_p_restore_labels(s);
    why = x86flow_p_decode(s, 0, f->size, enough);
    s->part_first = s->count;
    if (why || enough < f->size) return why;
    if (part && part->size <= s->text_max - f->size) {
        if (x86flow_p_decode_part(s, part) == 0 && x86flow_p_link_jumps(s) == 0)
            return X86FLOW_FINE;
        s->part = NULL;
        s->size = f->size;
        s->count = s->indirect_jumps = 0;
        (void)x86flow_p_decode(s, 0, f->size, f->size);
    }
    return x86flow_p_link_jumps(s);
}

/* The number of the instruction that a direct jump of this body goes to, or ~0:
   outside. */
BINPATCH_API uint32_t x86flow_goes_to(const x86flow_body *s, const x86flow_insn *k) {
    return x86flow_insn_at(s, x86flow_p_target(s, k));
}

BINPATCH_API int x86flow_falls_through(const x86flow_insn *k) {
    return k->i.kind != X86DECODE_JUMP && k->i.kind != X86DECODE_JUMP_INDIRECT
           && k->i.kind != X86DECODE_RETURN && k->i.kind != X86DECODE_TRAP;
}

BINPATCH_API int x86flow_runs_on(const x86flow_body *s, uint32_t at) {
    return at + 1 < s->count && at + 1 != s->part_first && x86flow_falls_through(&s->insn[at]);
}

/* Walks forward until the flags are overwritten or read. early: other functions
   and tables are not known yet. at_labels: are they live where a dispatch may
   lead to? */
static int x86flow_p_flags(const x86flow_body *s, uint32_t at, int early, int at_labels) {
    enum { MOST = 128 };
    uint32_t pending[MOST], top = 0, steps = 0;
    pending[top++] = at;
    while (top) {
        uint32_t here = pending[--top];
        for (;;) {
            const x86flow_insn *k;
            x86decode_effect e;
            if (here >= s->count || ++steps > 1024) return 1;
            k = &s->insn[here];
            x86decode_effects(&k->i, &e);
            if (e.flags & X86DECODE_FLAGS_READ) return 1;
            if (e.flags & X86DECODE_FLAGS_KILL || k->i.kind == X86DECODE_TRAP) break;
            if (k->i.kind == X86DECODE_JUMP_INDIRECT) {
                if (early || at_labels) return 1;
                break;
            }
            if (k->i.kind == X86DECODE_JUMP || k->i.kind == X86DECODE_LOOP) {
                uint32_t to = x86flow_goes_to(s, k);
                if (to == ~0u) {
                    uint64_t address = x86flow_p_target(s, k);
                    const x86flow_function *f = x86flow_function_at(s->m, address);
                    /* A tail call to a function or to a PLT stub; a part
                       (.cold) may want the flags. */
                    if (early || k->i.kind != X86DECODE_JUMP) return 1;
                    if (f && f->reason == X86FLOW_STARTUP) break;
                    if (f && f->lo == address
                        && !(f->flags & (X86FLOW_FRAGMENT | X86FLOW_BY_BRANCH)))
                        break;
                    return 1;
                }
                if (k->i.kind == X86DECODE_LOOP) {
                    if (top == MOST || here + 1 == s->part_first) return 1;
                    pending[top++] = here + 1;
                }
                here = to;
                continue;
            }
            here = here + 1 == s->part_first ? s->count : here + 1;
        }
    }
    return 0;
}

/* Are the flags live at any label of a table? From there to the next dispatch:
   that one leads to the same labels. */
static int x86flow_p_flags_at_labels(const x86flow_body *s) {
    uint32_t n;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & X86FLOW_TARGET_TABLE && x86flow_p_flags(s, n, 0, 0)) return 1;
    }
    return 0;
}

BINPATCH_API int x86flow_flags_live(const x86flow_body *s, uint32_t at) {
    return x86flow_p_flags(s, at, 0, s->flags_at_labels);
}

BINPATCH_API int x86flow_is_nop(const x86decode_insn *i) {
    if (i->coding != X86DECODE_LEGACY) return 0;
    if (i->map == 0)
        return i->opcode == 0x90 && !(i->prefixes & X86DECODE_F3) && !(i->rex & X86DECODE_REX_B);
    return i->map == 1 && i->opcode == 0x1F;
}

BINPATCH_API int x86flow_rm_register(const x86decode_insn *i) {
    return i->memory ? -1 : (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8 : 0);
}
BINPATCH_API int x86flow_reg_register(const x86decode_insn *i) {
    return (i->modrm >> 3 & 7) | (i->rex & X86DECODE_REX_R ? 8 : 0);
}

/* ---- functions: unwind information ------- src/binpatch/flow_unwind.c ---- */
/* A pointer in one of the encodings that installed files use. *bad is set for
   any other. */
BINPATCH_API uint64_t x86flow_encoded(const uint8_t **p, unsigned encoding, int *bad) {
    uint64_t place = binpatch_p_address(*p), value;
    if (encoding == 0xFF) return 0;
    switch (encoding & 15) {
    case 0:
    case 4:
    case 12:
        value = binpatch_p_u64(*p);
        *p += 8;
        break;
    case 3:
        value = binpatch_p_u32(*p);
        *p += 4;
        break;
    case 11:
        value = (uint64_t)(int64_t)binpatch_p_s32(*p);
        *p += 4;
        break;
    default: *bad = 1; return 0;
    }
    if ((encoding & 0x70) == 0x10) {
        if (value) value += place;
    } else if (encoding & 0x70)
        *bad = 1;
    if (encoding & 0x80 && value && !*bad) value = binpatch_p_u64(binpatch_p_at(value));
    return value;
}

/* Reads one FDE and its CIE. Returns 0, or -1 for anything unusual. */
BINPATCH_API int x86flow_read_fde(const uint8_t *fde, x86flow_unwind *u) {
    const uint8_t *p = fde, *cie, *end, *text, *data;
    uint32_t length = binpatch_p_u32(p), cie_length;
    unsigned pointer = 0, lsda = 0xFF, has_z = 0;
    int bad = 0;
    memset(u, 0, sizeof *u);
    if (length < 12 || length == 0xFFFFFFFF) return -1;
    end = p + 4 + length;
    cie = p + 4 - binpatch_p_u32(p + 4);
    cie_length = binpatch_p_u32(cie);
    if (cie_length < 8 || cie_length == 0xFFFFFFFF || binpatch_p_u32(cie + 4) != 0 || cie[8] != 1)
        return -1;
    u->cie_end = cie + 4 + cie_length;
    text = cie + 9;
    data = text + strlen((const char *)text) + 1;
    if (binpatch_p_uleb(&data) != 1) return -1;
    u->data_factor = binpatch_p_sleb(&data);
    if (binpatch_p_uleb(&data) != 16) return -1;
    for (; *text; text++) {
        if (*text == 'z') {
            has_z = 1;
            u->cie_begin = data;
            (void)binpatch_p_uleb(&data);
        } else if (*text == 'R')
            pointer = *data++;
        else if (*text == 'L')
            lsda = *data++;
        else if (*text == 'S')
            u->signal_frame = 1;
        else if (*text == 'P') {
            unsigned encoding = *data++;
            u->personality = x86flow_encoded(&data, encoding, &bad);
            u->has_personality = 1;
        } else
            return -1;
    }
    if (!has_z || bad) return -1;
    {
        const uint8_t *q = u->cie_begin;
        uint64_t size = binpatch_p_uleb(&q);
        u->cie_begin = q + size;
    }
    p += 8;
    u->pc = x86flow_encoded(&p, pointer, &bad);
    u->size = x86flow_encoded(&p, pointer & 15, &bad);
    {
        uint64_t size = binpatch_p_uleb(&p);
        const uint8_t *next = p + size;
        if (lsda != 0xFF && size) {
            u->lsda = x86flow_encoded(&p, lsda, &bad);
            u->has_lsda = u->lsda != 0;
        }
        p = next;
    }
    u->fde_begin = p;
    u->fde_end = end;
    return bad || p > end || u->size > 0x7FFFFFFF ? -1 : 0;
}

/* The table must stand in memory of the module that may be read. A number has 12
   bytes at most, so that a bad one leads no further than MORE bytes behind the
   table; memory comes in whole pages. */
BINPATCH_API int x86flow_open_lsda(const x86flow_module *m, const x86flow_unwind *u,
                                  x86flow_lsda *l) {
    enum { MORE = 48 };
    const uint8_t *p = binpatch_p_at(u->lsda);
    uint64_t end = x86flow_p_readable(m, u->lsda), size;
    unsigned encoding;
    memset(l, 0, sizeof *l);
    l->bad = 1;
    if (end) end = (end + 4095) & ~UINT64_C(4095);
    if (!end || end - u->lsda < MORE) return -1;
    l->bad = 0;
    encoding = *p++;
    l->pads = encoding == 0xFF ? u->pc : x86flow_encoded(&p, encoding & 0x7F, &l->bad);
    l->type_encoding = *p++;
    if (l->type_encoding != 0xFF) {
        uint64_t to = binpatch_p_uleb(&p);
        l->types = binpatch_p_address(p) + to;
    }
    l->site_encoding = *p++;
    size = binpatch_p_uleb(&p);
    if (encoding != 0xFF && encoding & 0x80) l->bad = 1;
    if (l->site_encoding != 1 && l->site_encoding != 3) l->bad = 1;
    if (size > end - binpatch_p_address(p) || end - binpatch_p_address(p) - size < MORE) l->bad = 1;
    if (l->bad) return -1;
    l->sites = p;
    l->sites_end = l->actions = p + size;
    return 0;
}

static uint64_t x86flow_p_site_value(x86flow_lsda *l) {
    uint64_t value;
    if (l->site_encoding == 1) return binpatch_p_uleb(&l->sites);
    value = binpatch_p_u32(l->sites);
    l->sites += 4;
    return value;
}

BINPATCH_API int x86flow_next_call_site(x86flow_lsda *l, x86flow_call_site *out) {
    if (l->bad || l->sites >= l->sites_end) return 0;
    out->start = x86flow_p_site_value(l);
    out->size = x86flow_p_site_value(l);
    out->pad = x86flow_p_site_value(l);
    out->action = binpatch_p_uleb(&l->sites);
    if (out->pad) out->pad += l->pads;
    if (l->sites > l->sites_end) l->bad = 1;
    return !l->bad;
}

/* From a frame to its caller. A rule says where the CFA is, and where rbp is
   saved. What needs more than that (expressions, other registers) has none, and
   the walk over the stack ends there. */

typedef struct x86flow_p_state {
    unsigned reg;
    int64_t offset, rbp;
    int rbp_saved;
} x86flow_p_state;

static const uint8_t *x86flow_p_skip(const uint8_t *p) {
    uint64_t size = binpatch_p_uleb(&p);
    return p + size;
}

/* An operation of a CFA program that does not advance. Returns what stands
   behind it, or NULL. */
static const uint8_t *x86flow_p_operate(unsigned op, const uint8_t *p, x86flow_p_state *now) {
    switch (op) {
    case 0x00: return p;
    case 0x2E: (void)binpatch_p_uleb(&p); return p;
    case 0x0C:
        now->reg = (unsigned)binpatch_p_uleb(&p);
        now->offset = (int64_t)binpatch_p_uleb(&p);
        return p;
    case 0x0D: now->reg = (unsigned)binpatch_p_uleb(&p); return p;
    case 0x0E: now->offset = (int64_t)binpatch_p_uleb(&p); return p;
    case 0x08:
        if (binpatch_p_uleb(&p) == 6) now->rbp_saved = 0;
        return p;
    case 0x07: return binpatch_p_uleb(&p) == 16 ? NULL : p; /* nobody called this */
    case 0x10:
    case 0x16:
        if (binpatch_p_uleb(&p) == 6) return NULL;
        return x86flow_p_skip(p);
    default: return NULL;
    }
}

/* Runs a CFA program up to a place, counted from the function's start. Returns
   0, or -1. */
static int x86flow_p_run(const uint8_t *p, const uint8_t *end, int64_t factor, uint64_t place,
                         x86flow_p_state *now) {
    x86flow_p_state kept[4], initial = *now;
    unsigned depth = 0;
    uint64_t at = 0;
    while (p && p < end && at <= place) {
        unsigned op = *p++;
        if ((op & 0xC0) == 0x40)
            at += op & 63;
        else if ((op & 0xC0) == 0x80) {
            int64_t offset = (int64_t)binpatch_p_uleb(&p) * factor;
            if ((op & 63) != 6) continue;
            now->rbp = offset;
            now->rbp_saved = 1;
        } else if ((op & 0xC0) == 0xC0) {
            if ((op & 63) != 6) continue;
            now->rbp = initial.rbp;
            now->rbp_saved = initial.rbp_saved;
        } else if (op == 0x02)
            at += *p++;
        else if (op == 0x03) {
            at += (unsigned)p[0] | (unsigned)p[1] << 8;
            p += 2;
        } else if (op == 0x04) {
            at += binpatch_p_u32(p);
            p += 4;
        } else if (op == 0x0A) {
            if (depth == 4) return -1;
            kept[depth++] = *now;
        } else if (op == 0x0B) {
            if (!depth) return -1;
            *now = kept[--depth];
        } else
            p = x86flow_p_operate(op, p, now);
    }
    return p ? 0 : -1;
}

BINPATCH_API int x86flow_find_rule(const uint8_t *fde, uint64_t place, x86flow_rule *out) {
    x86flow_unwind u;
    x86flow_p_state now = {7, 8, 0, 0};
    out->reg = 0;
    if (x86flow_read_fde(fde, &u) != 0 || u.signal_frame) return -1;
    if (x86flow_p_run(u.cie_begin, u.cie_end, u.data_factor, ~UINT64_C(0), &now) != 0) return -1;
    if (x86flow_p_run(u.fde_begin, u.fde_end, u.data_factor, place, &now) != 0) return -1;
    if (now.offset != (int32_t)now.offset || now.rbp != (int32_t)now.rbp) return -1;
    if (now.reg != 6 && now.reg != 7) return -1;
    out->offset = (int32_t)now.offset;
    out->rbp = (int32_t)now.rbp;
    out->rbp_saved = now.rbp_saved ? 1 : 0;
    out->reg = (uint8_t)now.reg;
    return 0;
}

BINPATCH_API int x86flow_rule_of(const x86flow_module *m, const x86flow_function *f,
                                uint32_t offset, x86flow_rule *out) {
    if (offset < f->size || !f->part) return x86flow_find_rule(f->fde, offset, out);
    return x86flow_find_rule(m->functions[f->part - 1].fde, offset - f->size, out);
}

BINPATCH_API int x86flow_step(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp,
                              uint64_t *rbp) {
    uint64_t cfa = (rule->reg == 6 ? *rbp : *rsp) + (uint64_t)(int64_t)rule->offset;
    if (!rule->reg || cfa <= *rsp || cfa - *rsp > (1u << 23) || cfa & 7) return -1;
    *pc = binpatch_p_u64(binpatch_p_at(cfa - 8));
    if (rule->rbp_saved) *rbp = binpatch_p_u64(binpatch_p_at(cfa + (uint64_t)(int64_t)rule->rbp));
    *rsp = cfa;
    return 0;
}

BINPATCH_API int x86flow_step_inside(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp,
                                    uint64_t *rbp, uint64_t end) {
    uint64_t cfa = (rule->reg == 6 ? *rbp : *rsp) + (uint64_t)(int64_t)rule->offset;
    uint64_t saved = cfa + (uint64_t)(int64_t)rule->rbp;
    if (cfa > end || cfa < *rsp + 8) return -1;
    if (rule->rbp_saved && (saved < *rsp || saved > end - 8)) return -1;
    return x86flow_step(rule, pc, rsp, rbp);
}

/* The FDE in a .eh_frame_hdr that covers pc; NULL: none. */
BINPATCH_API const uint8_t *x86flow_find_fde(const uint8_t *h, uint64_t pc, uint64_t *start) {
    const uint8_t *table = h;
    uint32_t lo = 0, hi;
    if (!h || h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return NULL;
    hi = binpatch_p_u32(h + 8);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        uint64_t at =
            binpatch_p_address(h) + (uint64_t)(int64_t)binpatch_p_s32(h + 12 + 8 * (size_t)mid);
        if (at <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo) return NULL;
    h += 12 + 8 * (size_t)(lo - 1);
    *start = binpatch_p_address(table) + (uint64_t)(int64_t)binpatch_p_s32(h);
    return table + binpatch_p_s32(h + 4);
}

/* ---- functions: how far a jump table is read  src/binpatch/flow_bounds.c ---- */

/* No word of a program says where a jump table ends. But code that reads one
   bounds its index first:

       cmp $5,%edi; ja default; mov %edi,%edi; jmp *table(,%rdi,8)        6 entries
       movzbl (%rsi),%eax; jmp *table(,%rax,8)                            256 entries
       and $7,%eax; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax   8 entries

   The walk goes back from the load over all paths, and follows the value
   through moves. A word of memory is the same word if what names it is the
   same, also by another register (x86flow_p_through_lea). Each path has to end
   at a bound. The largest one holds. The walk gives up at anything else: at a
   call that may overwrite the value, at the start of the function, at a label
   that a table leads to.

   A comparison of the low byte, word or 32 bits says nothing of the rest. It is
   remembered, and counts where the walk comes to what cleared the rest: a
   movzx, or for 32 bits any instruction that writes a register as 32 bits, for
   the processor clears the upper half then. A value that was read or handed
   over as 64 bits is not bounded by a comparison of its lower half.

   cost: a few instructions for each load, for the comparison stands close to
   it; at most STEPS. */

enum { X86FLOW_P_STEPS = 256, X86FLOW_P_STATES = 64, X86FLOW_P_WIDEST = 4096 };

/* Before instruction `at` a value stands in a register, or in memory at base +
   index * scale + disp (reg -1; index -1: none). Only its low bytes count. low:
   the low low_bytes of it are at most this. */
typedef struct x86flow_p_value {
    uint32_t at;
    int reg, base, index;
    int64_t disp;
    unsigned scale, bytes, low_bytes;
    uint32_t low;
    uint32_t most;              /* 0, or a bound that holds whatever is found */
} x86flow_p_value;

typedef struct x86flow_p_bounds {
    x86flow_p_value *state;     /* in the body's memory: stacks may be small */
    uint32_t count, max, done;  /* [0, done) were followed */
    uint32_t entries;           /* so many at least, by the paths that have ended */
    int failed;
} x86flow_p_bounds;

static unsigned x86flow_p_operand_bytes(const x86decode_insn *i, unsigned narrow) {
    if (narrow) return 1;
    return i->rex & X86DECODE_REX_W ? 8 : i->prefixes & X86DECODE_66 ? 2 : 4;
}

/* The path ends: the value is at most `most`. */
static void x86flow_p_ends(x86flow_p_bounds *w, uint64_t most) {
    if (most >= X86FLOW_P_WIDEST) w->failed = 1;
    else if (most >= w->entries) w->entries = (uint32_t)most + 1;
}

/* The path ends without a bound. */
static void x86flow_p_lost(x86flow_p_bounds *w, const x86flow_p_value *v) {
    if (v->most) x86flow_p_ends(w, v->most);
    else w->failed = 1;
}

static void x86flow_p_follow(x86flow_p_bounds *w, const x86flow_p_value *v) {
    uint32_t n;
    for (n = 0; n < w->count; n++) {
        const x86flow_p_value *o = &w->state[n];
        if (o->at == v->at && o->reg == v->reg && o->bytes == v->bytes && o->most == v->most
            && o->low_bytes == v->low_bytes && o->low == v->low
            && (v->reg >= 0
                || (o->base == v->base && o->index == v->index && o->scale == v->scale
                    && o->disp == v->disp)))
            return;
    }
    if (w->count == w->max) w->failed = 1;
    else w->state[w->count++] = *v;
}

/* Is the operand that modrm names the value? Bytes 4 to 7 without REX are ah to
   bh. */
static int x86flow_p_is_value(const x86decode_insn *i, const x86flow_p_value *v, unsigned bytes) {
    if (v->reg >= 0) {
        if (i->memory || x86flow_rm_register(i) != v->reg) return 0;
        return bytes > 1 || i->rex || (i->modrm & 7) < 4;
    }
    return i->memory && i->base == v->base && i->displacement == v->disp
           && (v->index < 0 ? i->index < 0 : i->index == v->index && i->scale == v->scale)
           && !(i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS));
}

/* cmp $immediate with the value. Returns how many bytes it compares, or 0. */
static unsigned x86flow_p_compares(const x86decode_insn *i, const x86flow_p_value *v) {
    unsigned bytes = x86flow_p_operand_bytes(i, !(i->opcode & 1));
    if (i->map != 0 || i->coding != X86DECODE_LEGACY) return 0;
    if (i->immediate < 0 && bytes != 1) return 0;
    if ((i->opcode == 0x3C || i->opcode == 0x3D) && v->reg == 0) return bytes;
    if ((i->opcode == 0x80 || i->opcode == 0x81 || i->opcode == 0x83) && (i->modrm >> 3 & 7) == 7
        && x86flow_p_is_value(i, v, bytes))
        return bytes;
    return 0;
}

/* Does the instruction change the value? */
static int x86flow_p_changes(const x86flow_insn *k, const x86flow_p_value *v) {
    x86decode_effect e;
    x86decode_effects(&k->i, &e);
    if (v->reg >= 0) return e.writes >> v->reg & 1;
    return (v->base >= 0 && e.writes >> v->base & 1) || (v->index >= 0 && e.writes >> v->index & 1)
           || k->i.access & X86DECODE_WRITE
           || k->i.implicit & (X86DECODE_STORE_RDI | X86DECODE_PUSH)
           || k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT
           || k->i.kind == X86DECODE_SYSCALL;
}

/* lea 12(%rdx),%rcx: what stands at (%rax,%rcx,4) behind it is what stands at
   48(%rax,%rdx,4) before it. Returns whether that was such a lea. */
static int x86flow_p_through_lea(const x86decode_insn *i, x86flow_p_value *v) {
    int64_t disp = v->disp + i->displacement * (int64_t)v->scale;
    if (v->reg >= 0 || v->index < 0 || v->index == v->base) return 0;
    if (i->map != 0 || i->coding != X86DECODE_LEGACY || i->opcode != 0x8D) return 0;
    if (!(i->rex & X86DECODE_REX_W) || i->prefixes & (X86DECODE_66 | X86DECODE_67)) return 0;
    if (x86flow_reg_register(i) != v->index || i->base < 0 || i->base == 4 || i->index >= 0)
        return 0;
    if (disp != (int32_t)disp) return 0;
    v->index = i->base;
    v->disp = disp;
    return 1;
}

/* Before instruction `at`, in a straight line: are two registers the two sides
   of one mov? */
static int x86flow_p_are_copies(const x86flow_body *s, uint32_t at, int a, int b) {
    uint32_t n;
    for (n = 0; n < 8 && at > 0; n++) {
        const x86decode_insn *i;
        x86decode_effect e;
        int reg, rm;
        if (s->insn[at].target || !x86flow_runs_on(s, at - 1)) return 0;
        i = &s->insn[--at].i;
        reg = x86flow_reg_register(i);
        rm = x86flow_rm_register(i);
        if (i->map == 0 && i->coding == X86DECODE_LEGACY && (i->opcode == 0x89 || i->opcode == 0x8B)
            && x86flow_p_operand_bytes(i, 0) >= 4
            && ((reg == a && rm == b) || (reg == b && rm == a)))
            return 1;
        x86decode_effects(i, &e);
        if (e.writes >> a & 1 || e.writes >> b & 1) return 0;
    }
    return 0;
}

/* cmp $immediate with the value, or with a register that holds the same. */
static unsigned x86flow_p_compares_it(const x86flow_body *s, uint32_t at,
                                      const x86flow_p_value *v) {
    const x86decode_insn *i = &s->insn[at].i;
    unsigned bytes = x86flow_p_compares(i, v);
    x86flow_p_value other = *v;
    if (bytes || v->reg < 0 || i->map != 0) return bytes;
    other.reg = i->opcode == 0x3D ? 0 : x86flow_rm_register(i);
    if (other.reg < 0 || !(i->opcode & 1)) return 0;
    bytes = x86flow_p_compares(i, &other);
    return bytes >= 4 && x86flow_p_are_copies(s, at, v->reg, other.reg) ? bytes : 0;
}

/* A conditional branch was taken, or not, with the value in its place: what
   does that say? *bytes: of so many low bytes; 0: nothing. */
static uint64_t x86flow_p_condition(const x86flow_body *s, uint32_t branch, int taken,
                                    const x86flow_p_value *v, unsigned *bytes) {
    unsigned condition = s->insn[branch].i.opcode & 15;
    x86flow_p_value before = *v;
    uint32_t n, at = branch;
    uint64_t number;
    *bytes = 0;
    if (!taken) condition ^= 1;
    /* below, equal, not above */
    if (condition != 2 && condition != 4 && condition != 6) return 0;
    for (n = 0; n < 8 && at > 0; n++) {
        const x86flow_insn *k = &s->insn[--at];
        x86decode_effect e;
        if (s->insn[at + 1].target || !x86flow_runs_on(s, at)) return 0;
        x86decode_effects(&k->i, &e);
        if (e.flags & (X86DECODE_FLAGS_WRITE | X86DECODE_FLAGS_KILL)) {
            *bytes = x86flow_p_compares_it(s, at, &before);
            if (condition == 2 && k->i.immediate == 0) *bytes = 0;      /* never taken */
            number = (uint64_t)k->i.immediate;
            if (*bytes == 1) number &= 0xFF; /* it is sign-extended */
            return number - (condition == 2);
        }
        if (!x86flow_p_through_lea(&k->i, &before) && x86flow_p_changes(k, &before)) return 0;
    }
    return 0;
}

/* Does the instruction write all of the register `reg`, as 32 bits? Then the
   upper half is zero behind it. Only what surely does is listed. */
static int x86flow_p_clears_above(const x86decode_insn *i, int reg) {
    unsigned op = i->opcode, digit = i->modrm >> 3 & 7;
    int to_rm, to_reg;
    if (i->coding != X86DECODE_LEGACY || i->rex & X86DECODE_REX_W) return 0;
    if (i->prefixes & X86DECODE_66) return 0;
    if (i->map == 1) {                          /* cmov, imul, movzx, movsx */
        if ((op & 0xF0) != 0x40 && op != 0xAF && (op & 0xF6) != 0xB6) return 0;
        return !(i->prefixes & (X86DECODE_F2 | X86DECODE_F3)) && x86flow_reg_register(i) == reg;
    }
    if (i->map != 0) return 0;
    if ((op & 0xF8) == 0xB8) return (int)((op & 7) | (i->rex & X86DECODE_REX_B ? 8u : 0u)) == reg;
    if (op < 0x40 && (op & 7) == 5 && op != 0x3D) return reg == 0;      /* op $imm,%eax */
    to_rm = (op < 0x40 && (op & 7) == 1 && op != 0x39) || op == 0x89 || (op == 0xC7 && digit == 0)
            || ((op == 0x81 || op == 0x83) && digit != 7)
            || (op == 0xC1 && digit != 6 && i->immediate & 31)
            || (op == 0xF7 && (digit == 2 || digit == 3)) || (op == 0xFF && digit < 2);
    to_reg = (op < 0x40 && (op & 7) == 3 && op != 0x3B) || op == 0x8B || op == 0x8D || op == 0x63
             || op == 0x69 || op == 0x6B;
    if (to_rm) return !i->memory && x86flow_rm_register(i) == reg;
    return to_reg && x86flow_reg_register(i) == reg;
}

/* The value is what the instruction writes. Follows where it comes from, or
   ends the path. */
static void x86flow_p_origin(x86flow_p_bounds *w, const x86flow_insn *k, x86flow_p_value v) {
    const x86decode_insn *i = &k->i;
    unsigned op = i->opcode, digit = i->modrm >> 3 & 7;
    unsigned bytes = x86flow_p_operand_bytes(i, 0), from = bytes;
    int reg = x86flow_reg_register(i), rm = x86flow_rm_register(i);
    int plain = i->coding == X86DECODE_LEGACY && v.reg >= 0, zeroes = 0;
    if (x86flow_p_through_lea(i, &v)) {
        x86flow_p_follow(w, &v);
        return;
    }
    if (v.reg >= 0 && v.low_bytes == 4 && x86flow_p_clears_above(i, v.reg)) {
        x86flow_p_ends(w, v.low);
        return;
    }
    if (!plain || bytes < 4 || i->map > 1) { x86flow_p_lost(w, &v); return; }
    if (i->map == 0 && (op & 0xF8) == 0xB8) {
        if (i->immediate < 0) x86flow_p_lost(w, &v);
        else x86flow_p_ends(w, (uint64_t)i->immediate);
        return;
    }
    if (i->map == 0 && (op == 0x31 || op == 0x33) && rm == reg) { x86flow_p_ends(w, 0); return; }
    if (i->map == 0 && i->immediate >= 0
        && ((op == 0x25 && v.reg == 0)
            || ((op == 0x81 || op == 0x83) && digit == 4 && rm == v.reg))) {
        if (i->immediate < X86FLOW_P_WIDEST) x86flow_p_ends(w, (uint64_t)i->immediate);
        else x86flow_p_lost(w, &v);
        return;
    }
    if (i->map == 0 && op == 0xC1 && digit == 5 && rm == v.reg) {       /* shr */
        uint64_t most = (bytes == 8 ? ~UINT64_C(0) : 0xFFFFFFFFu) >> (i->immediate & 63);
        if (most < X86FLOW_P_WIDEST) x86flow_p_ends(w, most);
        else x86flow_p_lost(w, &v);
        return;
    }
    if (i->map == 0 && op == 0x98 && bytes == 8 && v.reg == 0) {        /* cltq */
        if (v.bytes > 4) v.bytes = 4;
        x86flow_p_follow(w, &v);
        return;
    }
    if (i->map == 0 && op == 0x89 && rm == v.reg) rm = reg;
    else if (reg != v.reg) { x86flow_p_lost(w, &v); return; }
    else if (i->map == 0 && op == 0x8B) from = bytes;
    else if (i->map == 0 && op == 0x63 && bytes == 8) from = 4;
    else if (i->map == 1 && (op == 0xB6 || op == 0xBE)) from = 1;
    else if (i->map == 1 && (op == 0xB7 || op == 0xBF)) from = 2;
    else { x86flow_p_lost(w, &v); return; }
    zeroes = i->map == 1 && op < 0xB8;
    if (zeroes && v.low_bytes >= from) { x86flow_p_ends(w, v.low); return; }
    if (zeroes && from == 1 && !v.most) v.most = 255;
    if (v.bytes > from) v.bytes = from;
    if (v.low_bytes > from) v.low_bytes = 0;
    if (i->memory && !(i->map == 0 && op == 0x89)) {
        if (i->base < 0 || i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS)) {
            x86flow_p_lost(w, &v);
            return;
        }
        v.reg = -1;
        v.base = i->base;
        v.index = i->index;
        v.scale = i->index >= 0 ? i->scale : 0;
        v.disp = i->displacement;
    } else {
        if (from == 1 && !i->rex && (i->modrm & 7) >= 4) { x86flow_p_lost(w, &v); return; }
        v.reg = rm;
    }
    x86flow_p_follow(w, &v);
}

/* One step back from a value, over what stands before it (`taken` 0) or over a
   jump to it. */
static void x86flow_p_step_back(const x86flow_body *s, x86flow_p_bounds *w, x86flow_p_value v,
                                uint32_t from, int taken) {
    const x86flow_insn *k = &s->insn[from];
    v.at = from;
    if (k->i.kind == X86DECODE_BRANCH) {
        unsigned bytes;
        uint64_t most = x86flow_p_condition(s, from, taken, &v, &bytes);
        if (bytes && bytes >= v.bytes) {
            x86flow_p_ends(w, most);
            return;
        }
        if (bytes && most < X86FLOW_P_WIDEST
            && (bytes > v.low_bytes || (bytes == v.low_bytes && most < v.low))) {
            v.low_bytes = bytes;
            v.low = (uint32_t)most;
        }
    }
    if (!x86flow_p_changes(k, &v)) x86flow_p_follow(w, &v);
    else x86flow_p_origin(w, k, v);
}

/* How many entries of a table may the load at `at` read, by the register that
   is its index? Returns 0: that cannot be proved. */
static uint32_t x86flow_p_bound(const x86flow_body *s, uint32_t at) {
    x86flow_p_bounds w;
    x86flow_p_value v;
    uint32_t steps;
    memset(&v, 0, sizeof v);
    v.at = at;
    v.reg = s->insn[at].i.index;
    v.bytes = 8;
    w.state = (x86flow_p_value *)(void *)s->pending;
    w.max = X86FLOW_P_WORK * (s->text_max + 64) * 4 / (uint32_t)sizeof *w.state;
    if (w.max > X86FLOW_P_STATES) w.max = X86FLOW_P_STATES;
    w.count = w.done = w.entries = 0;
    w.failed = 0;
    x86flow_p_follow(&w, &v);
    for (steps = 0; w.done < w.count && !w.failed; steps++) {
        uint32_t jump;
        int any = 0;
        v = w.state[w.done++];
        if (v.at == 0 || s->insn[v.at].target & X86FLOW_TARGET_TABLE || steps == X86FLOW_P_STEPS) {
            x86flow_p_lost(&w, &v);
            continue;
        }
        if (x86flow_runs_on(s, v.at - 1)) {
            any = 1;
            x86flow_p_step_back(s, &w, v, v.at - 1, 0);
        }
        for (jump = s->insn[v.at].first_jump; jump; jump = s->insn[jump - 1].next_jump) {
            any = 1;
            x86flow_p_step_back(s, &w, v, jump - 1, 1);
        }
        if (!any) x86flow_p_lost(&w, &v);
    }
    return w.failed ? 0 : w.entries;
}

/* ---- functions: jump tables -------------- src/binpatch/flow_tables.c ---- */
/* A table of w = 4 holds distances from its own start, one of w = 8 addresses.
   Candidates are all tables that a lea of the function names and all absolute
   ones beside a jump. A candidate that is none does no harm: it only adds
   places that a translated jump knows. */

BINPATCH_API uint64_t x86flow_table_target(const x86flow_table *t, uint32_t n) {
    const uint8_t *p = binpatch_p_at(t->address + (uint64_t)n * t->width);
    return t->width == 8 ? binpatch_p_u64(p) : t->address + (uint64_t)(int64_t)binpatch_p_s32(p);
}

static uint64_t x86flow_p_next_named(const x86flow_module *m, uint64_t address) {
    uint32_t lo = 0, hi = m->named_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->named[mid] <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->named_count ? m->named[lo] : m->hi;
}

static uint32_t x86flow_p_add_table(x86flow_body *s, uint64_t address, uint32_t width, int mark) {
    const x86flow_module *m = s->m;
    x86flow_table *t;
    uint32_t n, inside = 0;
    uint64_t end, last;
    for (n = 0; n < s->table_count; n++) {
        if (s->tables[n].address == address && s->tables[n].width == width) return n;
    }
    if (s->table_count == X86FLOW_TABLES || address & 3) return ~0u;
    if (x86flow_p_in_text(m, address)) return ~0u;
    last = x86flow_p_readable(m, address);
    if (!last) return ~0u;
    t = &s->tables[s->table_count];
    t->address = address;
    t->width = width;
    t->entries = t->last_jump = 0;
    end = x86flow_p_next_named(m, address);
    if (end > last) end = last;
    while (address + (uint64_t)(t->entries + 1) * width <= end && t->entries < 65536) {
        uint64_t to = x86flow_table_target(t, t->entries);
        if (!x86flow_p_in_text(m, to)) break;
        if (x86flow_offset(s, to) != ~0u) {
            uint32_t k = x86flow_insn_at(s, to);
            if (k != ~0u) {
                inside++;
                if (mark) s->insn[k].target |= X86FLOW_TARGET_TABLE;
            } else if (t->entries < 2)
                return ~0u; /* the first entries decide whether it is one */
        }
        t->entries++;
    }
    if (!t->entries || !inside) return ~0u;
    return s->table_count++;
}

/* Which address does the last lea or mov before `at` put into the register? A
   guess, to be proved. */
static uint64_t x86flow_p_guess(const x86flow_body *s, uint32_t at, int reg) {
    while (at--) {
        const x86flow_insn *k = &s->insn[at];
        if (k->i.map == 0 && k->i.opcode == 0x8D && k->i.base == X86DECODE_RIP
            && x86flow_reg_register(&k->i) == reg)
            return x86flow_p_relative(s, k);
        if (k->i.map == 0 && (k->i.opcode & 0xF8) == 0xB8
            && ((k->i.opcode & 7) | (k->i.rex & X86DECODE_REX_B ? 8 : 0)) == reg)
            return (uint64_t)k->i.immediate;
    }
    return 0;
}

/* What looks like the load of a dispatch: *(base + index * width), with a table
   in the base or in the displacement. Returns the width, or 0. */
static uint32_t x86flow_p_reads_table(const x86decode_insn *i) {
    if (!i->memory || i->map != 0 || i->coding != X86DECODE_LEGACY || i->index < 0
        || i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS))
        return 0;
    if (i->base == X86DECODE_NONE ? i->scale != 8 : i->base < 0 || i->displacement != 0) return 0;
    if (i->opcode == 0x63 && i->rex & X86DECODE_REX_W && i->scale == 4) return 4;
    if (i->opcode == 0x8B && i->rex & X86DECODE_REX_W && i->scale == 8) return 8;
    return i->kind == X86DECODE_JUMP_INDIRECT && i->scale == 8 ? 8 : 0;
}

static uint64_t x86flow_p_table_of(const x86flow_body *s, uint32_t at) {
    const x86decode_insn *i = &s->insn[at].i;
    return i->base == X86DECODE_NONE ? (uint64_t)i->displacement
                                     : x86flow_p_guess(s, at, i->base);
}

/* A table is as long as the bound of its index says. What is named behind its
   start may be no more than a number in the code. */
static void x86flow_p_bound_tables(x86flow_body *s) {
    uint32_t n, e, k, width, entries, number;
    for (n = 0; n < s->count; n++) {
        x86flow_table *t;
        uint64_t table;
        width = x86flow_p_reads_table(&s->insn[n].i);
        table = width ? x86flow_p_table_of(s, n) : 0;
        number = table ? x86flow_p_add_table(s, table, width, 1) : ~0u;
        if (number == ~0u) continue;
        entries = x86flow_p_bound(s, n);
        t = &s->tables[number];
        if (!entries || table + (uint64_t)entries * width > x86flow_p_readable(s->m, table))
            continue;
        s->insn[n].entries = entries;
        for (e = t->entries; e < entries; e++) {
            k = x86flow_insn_at(s, x86flow_table_target(t, e));
            if (k != ~0u) s->insn[k].target |= X86FLOW_TARGET_TABLE;
        }
        if (t->entries < entries) t->entries = entries;
    }
}

static void x86flow_p_find_tables(x86flow_body *s) {
    uint32_t n;
    if (!s->indirect_jumps) return;
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        const x86decode_insn *i = &k->i;
        if (i->map == 0 && i->opcode == 0x8D && i->base == X86DECODE_RIP) {
            uint64_t to = x86flow_p_relative(s, k);
            uint32_t label = x86flow_insn_at(s, to);
            (void)x86flow_p_add_table(s, to, 4, 1);
            (void)x86flow_p_add_table(s, to, 8, 1);
            if (label != ~0u) s->insn[label].target |= X86FLOW_TARGET_TABLE;
        }
        if (i->memory && i->base == X86DECODE_NONE && i->index >= 0 && i->scale == 8)
            (void)x86flow_p_add_table(s, (uint64_t)i->displacement, 8, 1);
        if (i->map == 0 && (i->opcode & 0xF8) == 0xB8) {
            (void)x86flow_p_add_table(s, (uint64_t)i->immediate, 4, 1);
            (void)x86flow_p_add_table(s, (uint64_t)i->immediate, 8, 1);
        }
    }
    x86flow_p_bound_tables(s);
}

/* What one instruction means for "the register holds the table": 1 it writes
   just that, 0 it does not touch the register, -1 it writes something else. */
static int x86flow_p_writes_table(const x86flow_body *s, const x86flow_insn *k, int reg,
                                  uint64_t table) {
    uint64_t value;
    x86decode_effect e;
    x86decode_effects(&k->i, &e);
    if (!(e.writes >> reg & 1)) return 0;
    if (!(e.sets >> reg & 1) || k->i.map != 0) return -1;
    if (k->i.opcode == 0x8D && k->i.base == X86DECODE_RIP)
        value = x86flow_p_relative(s, k);
    else if ((k->i.opcode & 0xF8) == 0xB8)
        value =
            (uint64_t)k->i.immediate & (k->i.rex & X86DECODE_REX_W ? ~UINT64_C(0) : 0xFFFFFFFFu);
    else if (k->i.opcode == 0xC7 && !k->i.memory)
        value = (uint64_t)k->i.immediate;
    else
        return -1;
    return value == table ? 1 : -1;
}

/* May an exception land somewhere in the function? */
static int x86flow_p_has_lsda(const x86flow_function *f) {
    x86flow_unwind u;
    return f && f->fde && (x86flow_read_fde(f->fde, &u) != 0 || u.has_lsda);
}
static int x86flow_p_may_have_pads(const x86flow_body *s) {
    return x86flow_p_has_lsda(s->f) || x86flow_p_has_lsda(s->part);
}

/* How an indirect jump counts as a predecessor of the targets of tables. At
   first no table is proved, so that each may lead to each target (DOUBT). If
   all jumps of a function look as if they read one table each (GUESS), they are
   proved together: each counts only for the targets of its own table
   (TOGETHER). That is sound if it succeeds for all of them: the first jump that
   runs has no other before it, and reads its table; the next one has only such
   before it; and so on. */
enum { X86FLOW_P_DOUBT = 0, X86FLOW_P_GUESS = 1, X86FLOW_P_TOGETHER = 2, X86FLOW_P_JOINT = 32 };

/* Of each instruction, in TOGETHER: a bit for each table that leads there. */
static uint32_t *x86flow_p_leads(const x86flow_body *s) {
    return s->pending + 3 * ((size_t)s->text_max + 64);
}

/* Which tables have led to an instruction: the bits that are new in *seen. */
static uint32_t x86flow_p_new_tables(const x86flow_body *s, uint32_t here, uint32_t *seen) {
    uint32_t bits = s->proof == X86FLOW_P_TOGETHER ? x86flow_p_leads(s)[here] : 0, fresh;
    if (!bits) bits = ~0u; /* the address of a label, or doubt: every jump */
    fresh = bits & ~*seen;
    *seen |= bits;
    return fresh;
}

/* Is `table` what the register holds before instruction `at`, on every path?
   Walks back over all predecessors to the last writes, which must all be a lea
   or mov of that address. */
static int x86flow_p_holds(x86flow_body *s, uint32_t at, int reg, uint64_t table) {
    uint32_t top = 0, n, tables_seen = 0;
    int pads = x86flow_p_may_have_pads(s);
    if (s->proof == X86FLOW_P_GUESS) return 1;
    s->epoch++;
    s->pending[top++] = at;
    while (top) {
        uint32_t here = s->pending[--top], from = here, jump = s->insn[here].first_jump, all = 0;
        int any = 0, what;
        if (here == 0) return 0; /* the function's start */
        if (s->insn[here].target & X86FLOW_TARGET_TABLE)
            all = x86flow_p_new_tables(s, here, &tables_seen);
        if (s->insn[here].target & X86FLOW_TARGET_TABLE) any = 1;
        for (n = here;;) { /* first what stands before it */
            if (n == here) {
                from = here - 1;
                n = ~0u;
                if (!x86flow_runs_on(s, from)) continue;
            } else if (jump) {
                from = jump - 1;
                jump = s->insn[from].next_jump;
            } else
                break;
            any = 1;
            what = x86flow_p_writes_table(s, &s->insn[from], reg, table);
            if (what < 0) return 0;
            if (what || s->mark[from] == s->epoch) continue;
            s->mark[from] = s->epoch;
            s->pending[top++] = from;
        }
        for (n = 0; all && n < s->count; n++) {
            if (s->insn[n].i.kind != X86DECODE_JUMP_INDIRECT || s->mark[n] == s->epoch) continue;
            if (s->proof == X86FLOW_P_TOGETHER && !(all >> s->insn[n].table & 1)) continue;
            s->mark[n] = s->epoch;
            s->pending[top++] = n;
        }
        if (any || (!pads && x86flow_is_nop(&s->insn[here].i))) continue;
        return 0; /* a pad, or never reached, as nops between two parts of the code are */
    }
    return 1;
}

/* The memory operand that reads a table: *(base + index * width) or *(T + index
   * width), with an index that is bound. Returns the number of the proved
   table, or ~0. */
static uint32_t x86flow_p_proved(x86flow_body *s, uint32_t at, uint32_t width) {
    const x86decode_insn *i = &s->insn[at].i;
    uint64_t table;
    uint32_t number;
    if (x86flow_p_reads_table(i) != width || !s->insn[at].entries) return ~0u;
    table = x86flow_p_table_of(s, at);
    number = table ? x86flow_p_add_table(s, table, width, 0) : ~0u;
    if (number == ~0u) return ~0u;
    if (i->base >= 0 && !x86flow_p_holds(s, at, i->base, table)) return ~0u;
    return number;
}

static void x86flow_p_uses(x86flow_body *s, uint32_t jump, uint32_t table) {
    s->insn[jump].table = table;
    if (jump > s->tables[table].last_jump) s->tables[table].last_jump = jump;
}

/* Finds how an indirect jump at `at` gets its target, proves it and marks the
   load for rewriting. Otherwise the jump is translated when it runs: slower,
   never wrong. */
static void x86flow_p_dispatch(x86flow_body *s, uint32_t at) {
    x86flow_insn *jump = &s->insn[at];
    uint32_t n, number, add = ~0u;
    int reg = x86flow_rm_register(&jump->i), base = -1;
    jump->dispatch = X86FLOW_TRANSLATE;
    if (jump->i.memory) {
        number = x86flow_p_proved(s, at, 8);
        if (number != ~0u) {
            jump->dispatch = X86FLOW_REWRITE;
            x86flow_p_uses(s, at, number);
        }
        return;
    }
    for (n = at; n > 0 && at - n < 24; n--) {
        x86flow_insn *k = &s->insn[n - 1];
        const x86decode_insn *i = &k->i;
        x86decode_effect e;
        if (s->insn[n].target || !x86flow_runs_on(s, n - 1) || i->kind != X86DECODE_PLAIN) return;
        x86decode_effects(i, &e);
        if (add == ~0u && i->map == 0 && (i->opcode == 0x01 || i->opcode == 0x03)
            && i->rex & X86DECODE_REX_W && !i->memory && e.writes == 1u << reg) {
            base = i->opcode == 0x01 ? x86flow_reg_register(i) : x86flow_rm_register(i);
            if (base == reg) return;
            add = n - 1;
            continue;
        }
        if (i->memory && i->map == 0 && i->rex & X86DECODE_REX_W && e.writes >> reg & 1
            && x86flow_reg_register(i) == reg
            && ((add != ~0u && i->opcode == 0x63) || (add == ~0u && i->opcode == 0x8B))) {
            number = x86flow_p_proved(s, n - 1, add == ~0u ? 8 : 4);
            if (number == ~0u) return;
            if (add != ~0u && !x86flow_p_holds(s, add, base, s->tables[number].address)) return;
            k->dispatch = X86FLOW_REWRITE;
            k->table = number;
            jump->dispatch = X86FLOW_PROVED;
            x86flow_p_uses(s, at, number);
            return;
        }
        if (add != ~0u && i->map == 0 && i->opcode == 0x63 && i->memory && i->rex & X86DECODE_REX_W
            && x86flow_reg_register(i) == base
            && e.writes == 1u << base) { /* movslq (R,i,4),B; add B,R: the sum is in R */
            number = x86flow_p_proved(s, n - 1, 4);
            if (number == ~0u || !x86flow_p_holds(s, add, reg, s->tables[number].address)) return;
            k->dispatch = X86FLOW_REWRITE;
            k->table = number;
            jump->dispatch = X86FLOW_PROVED;
            x86flow_p_uses(s, at, number);
            return;
        }
        if ((e.writes | e.reads) >> reg & 1 || (base >= 0 && e.writes >> base & 1)) {
            if (base >= 0 && e.writes >> base & 1 && i->opcode == 0x8D) continue;
            return;
        }
    }
}

/* Looks at all indirect jumps in one way of proving. Returns whether each has a
   table. */
static int x86flow_p_prove_by(x86flow_body *s, int proof) {
    uint32_t n;
    int all = 1;
    s->proof = proof;
    for (n = 0; n < s->table_count; n++) s->tables[n].last_jump = 0;
    for (n = 0; n < s->count; n++) s->insn[n].dispatch = X86FLOW_PROVED;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].i.kind != X86DECODE_JUMP_INDIRECT) continue;
        x86flow_p_dispatch(s, n);
        if (s->insn[n].dispatch == X86FLOW_TRANSLATE) all = 0;
    }
    return all;
}

static void x86flow_p_prove(x86flow_body *s) {
    uint32_t *leads = x86flow_p_leads(s), n, e;
    if (x86flow_p_prove_by(s, X86FLOW_P_DOUBT)) return;
    if (x86flow_p_prove_by(s, X86FLOW_P_GUESS) && s->table_count <= X86FLOW_P_JOINT) {
        memset(leads, 0, s->count * sizeof *leads);
        for (n = 0; n < s->table_count; n++) {
            for (e = 0; e < s->tables[n].entries; e++) {
                uint32_t to = x86flow_insn_at(s, x86flow_table_target(&s->tables[n], e));
                if (to != ~0u) leads[to] |= 1u << n;
            }
        }
        if (x86flow_p_prove_by(s, X86FLOW_P_TOGETHER)) return;
    }
    (void)x86flow_p_prove_by(s, X86FLOW_P_DOUBT);
}

/* ---- functions: threaded interpreters --- src/binpatch/flow_threads.c ---- */

/* An interpreter with a jump at the end of each instruction of its bytecode:

       add:   mov (%r14),%rax                   jump:  movslq 4(%r15),%rax
              add %rax,%rbx                            lea 4(%r15,%rax,4),%r15
              add $8,%r15                              movslq (%r15),%rax
              movslq (%r15),%rax                       add %rdx,%rax
              add %rdx,%rax                            jmp *%rax
              jmp *%rax

   Each jump may lead to each label, so that a cycle may pass any of them, and a
   check at each label would cost as much as the work there. But the jumps read
   where a register points into the bytecode, the walker (r15 above). A piece of
   code that has only added to the walker when it comes to the next jump, and
   reads the next label through it, cannot close a cycle alone: the bytecode
   ends. Some other label of the cycle sets the walker, and keeps its check.

   So for each label it is followed on all paths which registers hold the walker
   as it was at the label, plus a distance; and what was read through them:

       label      r15 = W                  mov %r15,%rax          rax = W
                                           lea 4(%r15),%r15       r15 = W + 4
                                           movslq (%rax),%rax     rax = READ
                                           add %rdx,%rax          rax = READ
       jmp *%rax  forward: the target is READ, and r15 = W + more than 0

   The invariant: every cycle of dispatches passes a label with a check. It
   rests on calls that keep the registers that the ABI has them keep. Of those
   inside the module the callee is looked at: it pushes a register before it
   writes it. If one breaks that below its callees, a loop has no check: no
   bursts begin there, and the program runs as it did.

   cost: for each label, and each register that may be the walker, the
   instructions up to the next dispatches. */

enum { X86FLOW_P_PIECE = 4096, X86FLOW_P_CALLEE = 2048 };
enum { X86FLOW_P_KEPT = 0xF028 };               /* rbx, rbp, r12 to r15 */
/* A register holds the walker of the label + 4 * so much; what was read there;
   anything. */
enum { X86FLOW_P_READ = 127, X86FLOW_P_ANY = -128 };
typedef struct x86flow_p_held { int8_t at[16]; } x86flow_p_held;

static int8_t x86flow_p_moved(int8_t from, int64_t by) {
    int64_t to = from + by / 4;
    if (from == X86FLOW_P_ANY || from == X86FLOW_P_READ || by % 4) return X86FLOW_P_ANY;
    return (int8_t)(to > -127 && to < X86FLOW_P_READ ? to : (int)X86FLOW_P_ANY);
}

static int x86flow_p_is_walker(int8_t held) {
    return held != X86FLOW_P_ANY && held != X86FLOW_P_READ;
}

/* Which registers does a function write before it pushes them? Its bytes are
   read once, before anything is patched, so that every copy is planned
   alike. */
static uint16_t x86flow_p_changes_of(const x86flow_function *f) {
    uint64_t at = f->lo, end = f->lo + f->size;
    uint32_t pushed = 0, written = 0, n;
    for (n = 0; at < end; n++) {
        x86decode_insn i;
        x86decode_effect e;
        unsigned length = x86decode(binpatch_p_at(at), (size_t)(end - at), &i);
        if (!length || n == X86FLOW_P_CALLEE) return 0xFFFF;
        at += length;
        if (i.map == 0 && (i.opcode & 0xF8) == 0x50)
            pushed |= 1u << ((i.opcode & 7) | (i.rex & X86DECODE_REX_B ? 8 : 0));
        x86decode_effects(&i, &e);
        written |= e.writes & ~pushed;
    }
    return (uint16_t)written;
}

BINPATCH_API void x86flow_note_callees(const x86flow_body *s, x86flow_module *m) {
    uint32_t n;
    for (n = 0; n < s->count; n++) {
        x86flow_function *f;
        if (s->insn[n].i.kind != X86DECODE_CALL) continue;
        f = x86flow_function_at(m, x86flow_p_target(s, &s->insn[n]));
        if (f && !f->changes) f->changes = x86flow_p_changes_of(f);
    }
}

/* What registers hold behind an instruction. */
static void x86flow_p_hold(const x86flow_body *s, const x86flow_insn *k, x86flow_p_held *h) {
    const x86decode_insn *i = &k->i;
    unsigned op = i->opcode, digit = i->modrm >> 3 & 7;
    int rm = x86flow_rm_register(i), reg = x86flow_reg_register(i), to = -1, r;
    int8_t value = X86FLOW_P_ANY;
    x86decode_effect e;
    x86decode_effects(i, &e);
    if (i->kind == X86DECODE_CALL) {
        const x86flow_function *f = x86flow_function_at(s->m, x86flow_p_target(s, k));
        uint16_t changes = X86FLOW_P_KEPT;
        if (!f || f->reason == X86FLOW_STARTUP) changes = 0;    /* a stub of the PLT */
        else if (f->lo == x86flow_p_target(s, k) && f->changes) changes = f->changes;
        e.writes |= (uint16_t)(changes & X86FLOW_P_KEPT);
    }
    if (i->map == 0 && i->coding == X86DECODE_LEGACY && i->rex & X86DECODE_REX_W
        && !(i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS | X86DECODE_LOCK))) {
        int64_t by = digit == 0 ? i->immediate : -i->immediate;
        if ((op == 0x89 || op == 0x8B) && rm >= 0) {
            to = op == 0x89 ? rm : reg;
            value = h->at[op == 0x89 ? reg : rm];
        } else if ((op == 0x8B || op == 0x63) && i->base >= 0 && i->index < 0) {
            to = reg;
            if (x86flow_p_is_walker(h->at[i->base])) value = X86FLOW_P_READ;
        } else if (op == 0x8D && i->base >= 0 && i->index < 0) {
            to = reg;
            value = x86flow_p_moved(h->at[i->base], i->displacement);
        } else if ((op == 0x83 || op == 0x81) && rm >= 0 && (digit == 0 || digit == 5)) {
            to = rm;
            value = x86flow_p_moved(h->at[rm], by);
        } else if ((op == 0x01 || op == 0x03) && rm >= 0) {     /* a distance and its base */
            to = op == 0x01 ? rm : reg;
            if (h->at[rm] == X86FLOW_P_READ || h->at[reg] == X86FLOW_P_READ)
                value = X86FLOW_P_READ;
        }
    }
    for (r = 0; r < 16; r++) {
        if (e.writes >> r & 1) h->at[r] = r == to ? value : (int8_t)X86FLOW_P_ANY;
    }
}

/* A path comes to instruction n. What all paths agree on is kept; n is looked
   at again if that became less. */
static void x86flow_p_meet(x86flow_body *s, x86flow_p_held *all, uint32_t n,
                           const x86flow_p_held *h, uint32_t *top) {
    int r, less = 0;
    if (s->mark[n] != s->epoch) {
        s->mark[n] = s->epoch;
        all[n] = *h;
        less = 1;
    } else {
        for (r = 0; r < 16; r++) {
            if (all[n].at[r] == h->at[r] || all[n].at[r] == X86FLOW_P_ANY) continue;
            all[n].at[r] = X86FLOW_P_ANY;
            less = 1;
        }
    }
    if (less) s->pending[(*top)++] = n;
}

/* Does all that can run from a label to the next dispatches only go forward? */
static int x86flow_p_only_forward(x86flow_body *s, uint32_t label, int walker) {
    uint32_t room = s->text_max + 64, top = 0, steps = 0;
    x86flow_p_held *all = (x86flow_p_held *)(void *)(s->pending + 2 * (size_t)room), h;
    memset(h.at, X86FLOW_P_ANY, sizeof h.at);
    h.at[walker] = 0;
    s->epoch++;
    x86flow_p_meet(s, all, label, &h, &top);
    while (top) {
        uint32_t n = s->pending[--top], to;
        const x86flow_insn *k = &s->insn[n];
        const x86decode_insn *i = &k->i;
        if (++steps > X86FLOW_P_PIECE || top + 2 > 2 * room) return 0;
        h = all[n];
        if (i->kind == X86DECODE_JUMP_INDIRECT) {
            int r = i->memory ? i->base : x86flow_rm_register(i);
            if (k->dispatch != X86FLOW_TRANSLATE || r < 0 || (i->memory && i->index >= 0)) return 0;
            if (i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS)) return 0;
            if (i->memory ? !x86flow_p_is_walker(h.at[r]) : h.at[r] != X86FLOW_P_READ) return 0;
            if (!x86flow_p_is_walker(h.at[walker]) || h.at[walker] <= 0) return 0;
            continue;
        }
        x86flow_p_hold(s, k, &h);
        if (i->kind == X86DECODE_JUMP || i->kind == X86DECODE_BRANCH
            || i->kind == X86DECODE_LOOP) {
            to = x86flow_goes_to(s, k);
            if (to == ~0u) return 0;
            x86flow_p_meet(s, all, to, &h, &top);
        }
        if (x86flow_runs_on(s, n)) x86flow_p_meet(s, all, n + 1, &h, &top);
        else if (x86flow_falls_through(k)) return 0;
    }
    return 1;
}

/* Labels of dispatches that are not proved, up to the last such dispatch, get a
   check, but for those that only go forward. */
static void x86flow_p_check_labels(x86flow_body *s, uint32_t last) {
    uint32_t n, jumps = 0, forward, most = 0;
    int walker = -1, r;
    for (n = 0; n < s->count; n++)
        jumps += s->insn[n].i.kind == X86DECODE_JUMP_INDIRECT
                 && s->insn[n].dispatch == X86FLOW_TRANSLATE;
    for (r = 0; r < 16 && jumps >= X86FLOW_THREADED; r++) {
        if (r == 4) continue;                           /* the stack pointer */
        for (n = forward = 0; n < last; n++)
            forward += s->insn[n].target & X86FLOW_TARGET_TABLE && x86flow_p_only_forward(s, n, r);
        if (forward <= most) continue;
        most = forward;
        walker = r;
    }
    for (n = 0; n < last; n++) {
        if (!(s->insn[n].target & X86FLOW_TARGET_TABLE)) continue;
        if (walker >= 0 && x86flow_p_only_forward(s, n, walker)) continue;
        s->insn[n].target |= X86FLOW_TARGET_CHECKED;
    }
}

/* ---- functions: loops and back-edges ------ src/binpatch/flow_loops.c ---- */
/* The successor of an instruction, or of the node that stands for all indirect
   jumps (its number is count), behind the `from` first ones; ~0: no more. *from
   goes on. */
static uint32_t x86flow_p_successor(const x86flow_body *s, uint32_t v, uint32_t *from) {
    const x86flow_insn *k = &s->insn[v];
    uint32_t to;
    if (v == s->count) {
        while (*from < s->count && !(s->insn[*from].target & X86FLOW_TARGET_TABLE)) ++*from;
        return *from < s->count ? (*from)++ : ~0u;
    }
    if (*from == 0) {
        *from = 1;
        if (x86flow_runs_on(s, v)) return v + 1;
    }
    if (*from > 1) return ~0u;
    *from = 2;
    if (k->i.kind == X86DECODE_JUMP_INDIRECT) return s->count;
    if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_LOOP) return ~0u;
    to = x86flow_goes_to(s, k);
    return to;
}

/* Strongly connected components of the instructions, by Tarjan with a stack of
   its own. Returns an array: two instructions are on one cycle if their numbers
   are equal. */
static const uint32_t *x86flow_p_components(x86flow_body *s) {
    uint32_t nodes = s->count + 1, *number = s->pending, *low = number + nodes;
    uint32_t *component = low + nodes, *stack = component + nodes, *walk = stack + nodes;
    uint32_t *next = walk + nodes, top = 0, order = 0, components = 0, seed;
    memset(number, 0, 3 * (size_t)nodes * sizeof *number);
    for (seed = 0; seed < s->count; seed++) {
        uint32_t depth = 0, fresh = seed;
        if (number[seed]) continue;
        for (;;) {
            uint32_t v, w;
            if (fresh != ~0u) {
                number[fresh] = low[fresh] = ++order;
                next[fresh] = 0;
                stack[top++] = fresh;
                walk[depth++] = fresh;
                fresh = ~0u;
            }
            v = walk[depth - 1];
            w = x86flow_p_successor(s, v, &next[v]);
            if (w != ~0u) {
                if (!number[w]) fresh = w;
                else if (!component[w] && number[w] < low[v]) low[v] = number[w];
                continue;
            }
            if (low[v] == number[v]) {
                components++;
                while (!component[v]) component[stack[--top]] = components;
            }
            if (--depth == 0) break;
            if (low[v] < low[walk[depth - 1]]) low[walk[depth - 1]] = low[v];
        }
    }
    return component;
}

/* A table's dispatch goes back if it stands behind the target. Of one that was
   not proved every target of a table may be the next. */
static void x86flow_p_check_tables(x86flow_body *s) {
    uint32_t n, e, last = 0;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].i.kind == X86DECODE_JUMP_INDIRECT
            && s->insn[n].dispatch == X86FLOW_TRANSLATE)
            last = n;
    }
    if (last) x86flow_p_check_labels(s, last);
    for (n = 0; n < s->table_count; n++) {
        const x86flow_table *t = &s->tables[n];
        for (e = 0; t->last_jump && e < t->entries; e++) {
            uint32_t to = x86flow_insn_at(s, x86flow_table_target(t, e));
            if (to != ~0u && to <= t->last_jump) s->insn[to].target |= X86FLOW_TARGET_CHECKED;
        }
    }
}

/* Where exceptions land is a check, for nobody can say which copy it is in: an
   unwinder has read return addresses before the burst began, or ended. */
static void x86flow_p_check_pads(x86flow_body *s, const x86flow_function *f) {
    x86flow_unwind u;
    x86flow_lsda l;
    x86flow_call_site c;
    if (!x86flow_p_has_lsda(f) || x86flow_read_fde(f->fde, &u) != 0) return;
    (void)x86flow_open_lsda(s->m, &u, &l);
    while (x86flow_next_call_site(&l, &c)) {
        uint32_t to = c.pad ? x86flow_insn_at(s, c.pad) : ~0u;
        if (to != ~0u) s->insn[to].target |= X86FLOW_TARGET_CHECKED;
    }
}

/* Before both copies: which back-edges are checked, which dispatches are
   proved. A back-edge is a branch to a lower address on a cycle. An exception
   may close a cycle that is not seen here: in a function where one may land
   every branch to a lower address counts; where it lands is a check. A loop is boring if, from its head to
   the branch back, it has no call and at most k memory operands: it gets
   neither. */
BINPATCH_API void x86flow_plan(x86flow_body *s, int32_t k_boring) {
    const uint32_t *component = NULL;
    int pads = x86flow_p_may_have_pads(s);
    uint32_t n, j;
    x86flow_p_find_tables(s);
    if (s->table_count) x86flow_p_prove(s);
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        uint32_t to;
        int32_t operands = 0;
        if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_LOOP) continue;
        to = x86flow_goes_to(s, k);
        if (to == ~0u || to > n) continue;
        if (!pads && !component) component = x86flow_p_components(s);
        if (component && component[to] != component[n]) continue;
        for (j = to; j <= n && operands <= k_boring; j++) {
            const x86decode_insn *i = &s->insn[j].i;
            if ((i->kind > X86DECODE_LOOP && i->kind != X86DECODE_TRAP)
                || s->insn[j].target & X86FLOW_TARGET_TABLE)
                operands = INT32_MAX / 2;
            operands += (i->access != 0) + (i->implicit != 0);
        }
        if (operands <= k_boring) {
            for (j = to; j <= n; j++) s->insn[j].boring = 1;
        } else
            s->insn[to].target |= X86FLOW_TARGET_CHECKED;
    }
    x86flow_p_check_tables(s);
    if (pads) {
        x86flow_p_check_pads(s, s->f);
        x86flow_p_check_pads(s, s->part);
    }
    s->flags_at_labels = x86flow_p_flags_at_labels(s);
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & X86FLOW_TARGET_CHECKED && x86flow_flags_live(s, n))
            s->insn[n].target |= X86FLOW_TARGET_FLAGS;
    }
}

/* ---- functions: return addresses that the program looks up  src/binpatch/flow_lookups.c ---- */

/* A collector that walks the stack finds each frame's layout by its return
   address, in a table that the compiler wrote (native OCaml: caml_frametable).
   In a copy the same call pushes another address, which stands in no table, and
   the collector reads what is not there. Such functions are left as they are.
   The table gives them away: words of data that point behind their calls.

       .data   .quad L1    <- a word of data            .text   call caml_call_gc
               .word 24                                 L1:     mov 8(%rsp),%rbx

   Tables of a switch hold addresses inside a function, too, and a case may
   stand behind a call that does not return. So a function with an indirect jump
   is left alone only if others without one give the table away: MANY of them,
   for single words may be numbers.

   cost: nothing but for functions that data points into; those are decoded once
   more. */

enum { X86FLOW_P_MANY = 4 };

BINPATCH_API void x86flow_point(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    uint64_t bit = address - m->text_lo;
    if (x86flow_p_in_text(m, address)) g->pointed[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

static int x86flow_p_is_pointed(const x86flow_graph *g, const x86flow_module *m,
                                uint64_t address) {
    uint64_t bit = address - m->text_lo;
    return x86flow_p_in_text(m, address) && (g->pointed[bit >> 3] >> (bit & 7) & 1);
}

/* Does data point into the function, behind its first byte? */
static int x86flow_p_is_pointed_into(const x86flow_graph *g, const x86flow_module *m,
                                     const x86flow_function *f) {
    uint64_t at = f->lo + 1, end = f->lo + f->size;
    for (; at < end && at < m->text_hi; at++) {
        uint64_t bit = at - m->text_lo;
        if ((bit & 7) == 0 && !g->pointed[bit >> 3]) at += 7;
        else if (x86flow_p_is_pointed(g, m, at)) return 1;
    }
    return 0;
}

/* Returns how many calls of the body return to where data points. */
static uint32_t x86flow_p_pointed_returns(const x86flow_graph *g, const x86flow_body *s) {
    uint32_t n, count = 0;
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        if (k->i.kind != X86DECODE_CALL && k->i.kind != X86DECODE_CALL_INDIRECT) continue;
        if (x86flow_p_is_pointed(g, s->m, x86flow_address(s, k->offset) + k->i.length)) count++;
    }
    return count;
}

BINPATCH_API uint32_t x86flow_find_lookups(x86flow_body *b, const x86flow_graph *g,
                                           x86flow_module *m) {
    uint32_t n, sure = 0, found = 0;
    int round;
    for (round = 0; round < 2; round++) {
        for (n = 0; n < m->count; n++) {
            x86flow_function *f = &m->functions[n];
            if (f->reason || f->flags & X86FLOW_FRAGMENT || !x86flow_p_is_pointed_into(g, m, f))
                continue;
            if (x86flow_decode(b, m, f, 0) != X86FLOW_FINE || !x86flow_p_pointed_returns(g, b))
                continue;
            if (round == 0) sure += !b->indirect_jumps;
            else {
                f->reason = X86FLOW_LOOKED_UP;
                found++;
            }
        }
        if (sure < X86FLOW_P_MANY) return 0;
    }
    return found;
}

/* ---- functions: all of a module, and who calls whom  src/binpatch/flow_module.c ---- */
/* Do nops alone stand at `from`, up to `to`? No landing pad may stand at the
   start of a part, so that compilers put one in front of it. */
static int x86flow_p_are_nops(const x86flow_module *m, uint64_t from, uint64_t to) {
    while (from < to && to <= m->text_hi) {
        x86decode_insn i;
        unsigned length = x86decode(binpatch_p_at(from), (size_t)(to - from), &i);
        if (!length || !x86flow_is_nop(&i)) return 0;
        from += length;
    }
    return from == to;
}

/* A part (.cold) begins with another frame than a function's: its FDE sets the
   rule before it advances, or advances over nops alone. So does _start, which
   has no caller. */
static int x86flow_p_is_fragment(const x86flow_module *m, const x86flow_unwind *u) {
    const uint8_t *p = u->fde_begin;
    unsigned op = p < u->fde_end ? *p : 0;
    if (op > 0x40 && op <= 0x4F) return x86flow_p_are_nops(m, u->pc, u->pc + (op & 63));
    if (op == 2) return x86flow_p_are_nops(m, u->pc, u->pc + p[1]);
    return op && (op & 0xC0) != 0x40 && (op < 2 || op > 4);
}

static void x86flow_p_find_pads(x86flow_module *m) {
    uint32_t n;
    for (n = 0; n < m->count; n++) {
        x86flow_function *f = &m->functions[n];
        uint64_t end = f->lo + f->size, next = n + 1 < m->count ? f[1].lo : end;
        while (end + f->pad < next && f->pad < 16) {
            x86decode_insn i;
            const uint8_t *code = binpatch_p_at(end + f->pad);
            unsigned length = x86decode(code, (size_t)(next - end - f->pad), &i);
            if (!length || (!x86flow_is_nop(&i) && i.kind != X86DECODE_TRAP)) break;
            f->pad += length;
        }
    }
}

/* .eh_frame_hdr lists the FDEs in the order of their addresses. */
BINPATCH_API uint32_t x86flow_list_functions(x86flow_module *m, x86flow_function *functions,
                                            uint32_t max) {
    const uint8_t *h = m->frame_header;
    uint32_t entries, n;
    m->count = 0;
    if (!h || h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return 0;
    entries = binpatch_p_u32(h + 8);
    if (entries > 4000000) return 0;
    if (!functions) return entries;
    m->functions = functions;
    for (n = 0; n < entries && m->count < max; n++) {
        x86flow_function *f = &functions[m->count];
        const uint8_t *entry = h + 12 + 8 * (size_t)n;
        x86flow_unwind u;
        memset(f, 0, sizeof *f);
        f->lo = binpatch_p_address(h) + (uint64_t)(int64_t)binpatch_p_s32(entry);
        f->fde = h + binpatch_p_s32(entry + 4);
        if (!x86flow_p_in_text(m, f->lo) || (m->count && f->lo <= f[-1].lo)) continue;
        if (x86flow_read_fde(f->fde, &u) != 0 || u.pc != f->lo || u.size == 0
            || u.size > m->text_hi - f->lo) {
            f->reason = X86FLOW_UNWIND;
            f->size = 1;
        } else {
            f->size = (uint32_t)u.size;
            if (u.signal_frame) f->reason = X86FLOW_UNWIND;
            if (x86flow_p_is_fragment(m, &u)) f->flags |= X86FLOW_FRAGMENT;
        }
        if (m->count && f[-1].lo + f[-1].size > f->lo) f->reason = f[-1].reason = X86FLOW_UNWIND;
        m->count++;
    }
    x86flow_p_find_pads(m);
    return m->count;
}

static void x86flow_p_touch(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    uint64_t bit = address - m->text_lo;
    if (x86flow_p_in_text(m, address)) g->touched[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

BINPATCH_API void x86flow_take(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    x86flow_function *f;
    if (!x86flow_p_in_text(m, address)) return;
    x86flow_p_touch(g, m, address);
    f = x86flow_function_at(m, address);
    if (f && f->lo == address) f->flags |= X86FLOW_TAKEN;
}

/* Called from code that has no copies: a leaf without a check would never be
   sampled. */
static void x86flow_p_take_outside(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    x86flow_function *f = x86flow_function_at(m, address);
    x86flow_take(g, m, address);
    if (f && f->lo == address) f->flags |= X86FLOW_CHECK;
}

/* Data that the code names: a table ends before the next one. */
static void x86flow_p_name(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    if (x86flow_p_in_text(m, address) || address < m->lo || address >= m->hi) return;
    if (g->named_count < g->named_max) g->named[g->named_count++] = address;
}

/* An edge that a jump makes is marked until the parts are joined. */
#define X86FLOW_P_JUMP UINT32_C(0x80000000)

static void x86flow_p_edge(x86flow_graph *g, const x86flow_module *m, uint32_t from,
                           x86flow_function *to, uint64_t address, int call) {
    if (to->lo == address) to->flags |= (uint8_t)(call ? X86FLOW_CALLED : 0);
    if (g->count == g->max) return;
    g->from[g->count] = from;
    g->to[g->count++] = (uint32_t)(to - m->functions) | (call ? 0 : X86FLOW_P_JUMP);
}

/* Who jumps to a part is its owner, if nobody else does. A part that exceptions
   or tables lead to tells by its jumps back. */
static void x86flow_p_note_owner(x86flow_function *part, uint32_t owner) {
    part->owner = part->owner == 0 || part->owner == owner + 1 ? owner + 1 : ~0u;
}

static void x86flow_p_sort(uint64_t *a, uint32_t count) { /* heapsort: no recursion, no memory */
    uint32_t start = count / 2, end = count;
    while (end > 1) {
        uint32_t root;
        uint64_t v;
        if (start)
            start--;
        else {
            v = a[--end];
            a[end] = a[0];
            a[0] = v;
        }
        for (root = start;;) {
            uint32_t child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && a[child] < a[child + 1]) child++;
            if (a[root] >= a[child]) break;
            v = a[root];
            a[root] = a[child];
            a[child] = v;
            root = child;
        }
    }
}

/* What one instruction names: data, whose addresses bound the tables, and
   functions. */
static void x86flow_p_names(x86flow_graph *g, const x86flow_module *m, const x86flow_insn *k,
                            uint64_t here) {
    uint64_t to;
    if (k->i.memory && k->i.base == X86DECODE_RIP && k->i.map == 0 && k->i.opcode == 0x8D) {
        to = here + k->i.length + (uint64_t)k->i.displacement;
        x86flow_take(g, m, to);
        x86flow_p_name(g, m, to);
    }
    if (k->i.memory && k->i.base == X86DECODE_NONE && k->i.displacement_size == 4)
        x86flow_p_name(g, m, (uint64_t)k->i.displacement);
    if (k->i.immediate_size >= 4 && k->i.kind == X86DECODE_PLAIN && m->text_hi < 0x80000000u) {
        to = (uint64_t)k->i.immediate;
        x86flow_take(g, m, to);
        x86flow_p_name(g, m, to);
    }
}

BINPATCH_API void x86flow_bind(x86flow_module *m, x86flow_bound *bound, uint64_t slot,
                              uint32_t function) {
    uint32_t k = m->bound_count++;
    m->bound = bound;
    for (; k > 0 && bound[k - 1].slot > slot; k--) bound[k] = bound[k - 1];
    bound[k].slot = slot;
    bound[k].function = function;
}

BINPATCH_API uint64_t x86flow_stub_slot(const x86flow_module *m, uint64_t to) {
    x86decode_insn stub;
    if (to < m->text_lo || to + 32 > m->text_hi) return 0;
    if (!x86decode(binpatch_p_at(to), 16, &stub)) return 0;
    if (stub.map == 1 && stub.opcode == 0x1E) { /* endbr64 */
        to += stub.length;
        if (!x86decode(binpatch_p_at(to), 16, &stub)) return 0;
    }
    if (stub.kind != X86DECODE_JUMP_INDIRECT || stub.base != X86DECODE_RIP) return 0;
    return to + stub.length + (uint64_t)stub.displacement;
}

BINPATCH_API uint64_t x86flow_call_slot(const x86flow_module *m, const x86decode_insn *i,
                                       uint64_t here) {
    if (i->kind == X86DECODE_CALL) return x86flow_stub_slot(m, x86decode_target(i, here));
    if (!i->memory || i->base != X86DECODE_RIP) return 0;
    return here + i->length + (uint64_t)i->displacement;
}

BINPATCH_API uint64_t x86flow_bound_to(const x86flow_module *m, uint64_t slot,
                                      uint64_t otherwise) {
    uint32_t lo = 0, hi = m->bound_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->bound[mid].slot < slot) lo = mid + 1;
        else hi = mid;
    }
    if (!slot || lo == m->bound_count || m->bound[lo].slot != slot) return otherwise;
    return m->functions[m->bound[lo].function].lo;
}

/* A call or a jump through a GOT slot that leads back into the module: the
   copies go there directly, past the check of an entry that closes no cycle. */
static void x86flow_p_through_slot(x86flow_graph *g, const x86flow_module *m, uint32_t number,
                                   uint64_t slot, int call) {
    uint64_t to = slot ? x86flow_bound_to(m, slot, 0) : 0;
    x86flow_function *other = to ? x86flow_function_at(m, to) : NULL;
    if (other && other->lo == to) x86flow_p_edge(g, m, number, other, to, call);
}

/* A direct jump or call. Returns whether it leaves the function. */
static int x86flow_p_goes(x86flow_graph *g, const x86flow_module *m, uint32_t number,
                          const x86flow_insn *k, uint64_t here) {
    x86flow_function *f = &m->functions[number], *other;
    uint64_t to = x86decode_target(&k->i, here);
    int call = k->i.kind == X86DECODE_CALL, outside = to - f->lo >= f->size;
    x86flow_p_touch(g, m, to);
    if (!call && !outside && to != f->lo) return 0;
    other = outside ? x86flow_function_at(m, to) : f;
    if (outside && m->bound_count && (!other || other->reason == X86FLOW_STARTUP))
        x86flow_p_through_slot(g, m, number, x86flow_stub_slot(m, to), call);
    if (f->reason)
        x86flow_p_take_outside(g, m, to);
    else if (other && (call || outside))
        x86flow_p_edge(g, m, number, other, to, call);
    if (!call && outside && other) {
        if (f->flags & X86FLOW_FRAGMENT && !(other->flags & X86FLOW_FRAGMENT)) {
            if (to != other->lo) x86flow_p_note_owner(f, (uint32_t)(other - m->functions));
        } else x86flow_p_note_owner(other, number);
    }
    if (call || k->i.kind == X86DECODE_JUMP) return call || outside;
    if (outside && other && other->lo == to) other->flags |= X86FLOW_BY_BRANCH;
    return outside;
}

/* Where tables with a bound lead. Of one without a bound that is not known, and
   a few entries too many are taken. */
static void x86flow_p_touch_bounds(x86flow_graph *g, const x86flow_body *s) {
    enum { ENOUGH = 1024 };
    uint32_t n, e;
    for (n = 0; n < s->count && s->indirect_jumps; n++) {
        x86flow_table t;
        uint32_t bound;
        uint64_t last;
        t.width = x86flow_p_reads_table(&s->insn[n].i);
        t.address = t.width ? x86flow_p_table_of(s, n) : 0;
        last = t.address && !(t.address & 3) ? x86flow_p_readable(s->m, t.address) : 0;
        if (!last || x86flow_p_in_text(s->m, t.address)) continue;
        bound = x86flow_p_bound(s, n);
        for (e = 0; e < (bound ? bound : (uint32_t)ENOUGH); e++) {
            uint64_t to;
            if (t.address + (uint64_t)(e + 1) * t.width > last) break;
            to = x86flow_table_target(&t, e);
            if (!bound && !x86flow_p_in_text(s->m, to)) break;
            x86flow_p_touch(g, s->m, to);
        }
    }
}

/* seccomp (317), or prctl (157) with PR_SET_SECCOMP (22): the numbers and a
   syscall instruction stand in the same function. */
static int x86flow_p_filters_calls(const x86flow_body *s) {
    uint32_t n;
    int calls = 0, seccomp = 0, prctl = 0, set = 0;
    for (n = 0; n < s->count; n++) {
        const x86decode_insn *i = &s->insn[n].i;
        if (i->kind == X86DECODE_SYSCALL && i->map == 1) calls = 1;
        if (i->map != 0 || (i->opcode & 0xF8) != 0xB8 || i->rex & X86DECODE_REX_B) continue;
        if (i->opcode == 0xB8 && i->immediate == 317) seccomp = 1;
        if (i->opcode == 0xB8 && i->immediate == 157) prctl = 1;
        if (i->opcode == 0xBF && i->immediate == 22) set = 1;
    }
    return calls && (seccomp || (prctl && set));
}

/* Exceptions land there, with the frame of the function that they land in. What
   begins with a landing pad is part of one. */
static void x86flow_p_touch_pads(x86flow_graph *g, x86flow_module *m, x86flow_function *f) {
    x86flow_unwind u;
    x86flow_lsda l;
    x86flow_call_site c;
    if (!f->fde || x86flow_read_fde(f->fde, &u) != 0 || !u.has_lsda) return;
    (void)x86flow_open_lsda(m, &u, &l);
    while (x86flow_next_call_site(&l, &c)) {
        x86flow_function *in = c.pad ? x86flow_function_at(m, c.pad) : NULL;
        if (!in) continue;
        x86flow_p_touch(g, m, c.pad);
        if (x86flow_p_are_nops(m, in->lo, c.pad)) in->flags |= X86FLOW_FRAGMENT;
    }
    if (l.bad && !f->reason) f->reason = X86FLOW_UNWIND;
}

/* A function that is left alone is read too, as far as it can be: what it
   calls, it calls from outside of all copies. If it is data, a few functions
   too many count as called. */
BINPATCH_API int x86flow_survey(x86flow_body *s, x86flow_graph *g, x86flow_module *m,
                               uint32_t number) {
    x86flow_function *f = &m->functions[number];
    uint32_t n;
    int leaf = 1, why = x86flow_decode(s, m, f, 0);
    x86flow_p_touch_pads(g, m, f);
    if (!f->reason) f->reason = (uint8_t)why;
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        uint64_t here = f->lo + k->offset;
        if (k->i.kind == X86DECODE_CALL_INDIRECT) {
            leaf = 0;
            if (m->bound_count)
                x86flow_p_through_slot(g, m, number, x86flow_call_slot(m, &k->i, here), 1);
        }
        if (k->i.kind >= X86DECODE_JUMP && k->i.kind <= X86DECODE_CALL) {
            if (x86flow_p_goes(g, m, number, k, here)) leaf = 0;
        } else if (k->i.memory || k->i.immediate_size >= 4)
            x86flow_p_names(g, m, k, here);
    }
    x86flow_p_touch_bounds(g, s);
    g->filters += x86flow_p_filters_calls(s) ? 1u : 0u;
    if (s->indirect_jumps) {
        f->dispatches = (uint8_t)(s->indirect_jumps < 255 ? s->indirect_jumps : 255);
        f->flags |= X86FLOW_DISPATCH;
        leaf = 0;
    }
    if (leaf && !f->reason) f->flags |= X86FLOW_LEAF;
    f->unsure_entry = f->reason || x86flow_p_flags(s, 0, 1, 1) ? 1 : 0;
    return why;
}

BINPATCH_API int x86flow_touched(const x86flow_graph *g, const x86flow_module *m,
                                 uint64_t address) {
    uint64_t bit = address - m->text_lo;
    return x86flow_p_in_text(m, address) && (g->touched[bit >> 3] >> (bit & 7) & 1);
}

/* Joins the parts to their functions. What is reached by conditional jumps
   alone is one, too. For the graph of calls a part is its function; a jump
   between the two is no call. */
static void x86flow_p_join_parts(x86flow_graph *g, x86flow_module *m) {
    uint32_t n, kept = 0;
    for (n = 0; n < m->count; n++) {
        x86flow_function *f = &m->functions[n];
        if ((f->flags & (X86FLOW_BY_BRANCH | X86FLOW_CALLED | X86FLOW_TAKEN)) == X86FLOW_BY_BRANCH)
            f->flags |= X86FLOW_FRAGMENT;
    }
    for (n = 0; n < m->count; n++) {
        x86flow_function *f = &m->functions[n];
        x86flow_function *owner = f->owner && f->owner != ~0u ? &m->functions[f->owner - 1] : NULL;
        f->owner = 0;
        if (!owner || !(f->flags & X86FLOW_FRAGMENT) || owner->flags & X86FLOW_FRAGMENT) continue;
        if (f->reason || owner->reason || owner->part || f->flags & X86FLOW_CALLED) continue;
        f->owner = (uint32_t)(owner - m->functions) + 1;
        owner->part = n + 1;
    }
    for (n = 0; n < g->count; n++) {
        uint32_t jump = g->to[n] & X86FLOW_P_JUMP, from = g->from[n], to = g->to[n] - jump;
        if (m->functions[from].owner) from = m->functions[from].owner - 1;
        if (m->functions[to].owner) to = m->functions[to].owner - 1;
        if (jump && from == to) continue;
        g->from[kept] = from;
        g->to[kept++] = to;
    }
    g->count = kept;
}

/* Whatever the code names may be a table of either width; its end is the next
   thing that is named. What is none does no harm: it touches a few bytes too
   many. */
BINPATCH_API void x86flow_touch_tables(x86flow_graph *g, x86flow_module *m) {
    uint32_t n, width, e;
    x86flow_p_join_parts(g, m);
    x86flow_p_sort(g->named, g->named_count);
    m->named = g->named;
    m->named_count = g->named_count;
    for (n = 0; n < g->named_count; n++) {
        x86flow_table t;
        uint64_t end = n + 1 < g->named_count ? g->named[n + 1] : m->hi, last;
        t.address = g->named[n];
        last = x86flow_p_readable(m, t.address);
        if (t.address & 3 || !last) continue;
        if (end > last) end = last;
        for (width = 4; width <= 8; width += 4) {
            t.width = width;
            for (e = 0; t.address + (uint64_t)(e + 1) * width <= end; e++) {
                uint64_t to = x86flow_table_target(&t, e);
                if (!x86flow_p_in_text(m, to)) break;
                x86flow_p_touch(g, m, to);
            }
        }
    }
}

BINPATCH_API size_t x86flow_graph_bytes(const x86flow_module *m) {
    size_t text = (size_t)(m->text_hi - m->text_lo);
    return (text / 4 + 1024) * 8 + (text / 6 + 1024) * 8 + 2 * (text / 8 + 64);
}

BINPATCH_API void x86flow_graph_init(x86flow_graph *g, const x86flow_module *m, void *memory) {
    size_t text = (size_t)(m->text_hi - m->text_lo);
    g->count = g->named_count = g->filters = 0;
    g->max = (uint32_t)(text / 4 + 1024);
    g->named_max = (uint32_t)(text / 6 + 1024);
    g->named = (uint64_t *)memory;
    g->from = (uint32_t *)(void *)(g->named + g->named_max);
    g->to = g->from + g->max;
    g->touched = (uint8_t *)(g->to + g->max);
    g->pointed = g->touched + text / 8 + 64;
}

BINPATCH_API void x86flow_leave_out(x86flow_module *m, const x86flow_graph *g, uint64_t address,
                                   uint8_t reason) {
    x86flow_function *f = x86flow_function_at(m, address);
    uint32_t e, changed = 1;
    if (f) f->reason = reason;
    while (f && changed) {
        for (e = changed = 0; e < g->count; e++) {
            x86flow_function *to = &m->functions[g->to[e]];
            if (m->functions[g->from[e]].reason != reason || to->reason == reason) continue;
            to->reason = reason;
            changed = 1;
        }
    }
}

/* ---- functions: which entries need a check (equation 3)  src/binpatch/flow_eliminate.c ---- */
/* Equation 3: an entry is checked if the function is not a leaf and is a root,
   has its address taken, or closes a cycle of calls: somebody of its own
   strongly connected component calls it who is not nearer to the roots. So
   every cycle of calls has a check. Who calls a function directly passes the
   check only in the last of these cases (`direct`): a cycle without one goes
   through a pointer somewhere, and there it passes a check. */
BINPATCH_API size_t x86flow_eliminate_bytes(const x86flow_module *m, const x86flow_graph *g) {
    return ((size_t)m->count * 9 + g->count + 2) * sizeof(uint32_t);
}

BINPATCH_API void x86flow_eliminate(const x86flow_module *m, const x86flow_graph *g, void *memory) {
    uint32_t count = m->count, n, e, top = 0, order = 0, components = 0, head, tail, seed;
    uint32_t *first = (uint32_t *)memory, *to, *number, *low, *component, *stack, *walk, *next,
             *distance, *queue;
    to = first + count + 1;
    number = to + g->count;
    low = number + count;
    component = low + count;
    stack = component + count;
    walk = stack + count;
    next = walk + count;
    distance = next + count;
    queue = number; /* numbers are not needed any more by then */
    for (e = 0; e < g->count; e++) first[g->from[e] + 1]++;
    for (n = 0; n < count; n++) first[n + 1] += first[n];
    for (n = 0; n < count; n++) next[n] = first[n];
    for (e = 0; e < g->count; e++) to[next[g->from[e]]++] = g->to[e];
    for (seed = 0; seed < count; seed++) { /* Tarjan, with a stack of its own */
        uint32_t depth = 0;
        if (number[seed]) continue;
        walk[depth++] = seed;
        number[seed] = low[seed] = ++order;
        next[seed] = first[seed];
        stack[top++] = seed;
        while (depth) {
            uint32_t v = walk[depth - 1];
            if (next[v] < first[v + 1]) {
                uint32_t w = to[next[v]++];
                if (!number[w]) {
                    number[w] = low[w] = ++order;
                    next[w] = first[w];
                    stack[top++] = w;
                    walk[depth++] = w;
                } else if (!component[w] && number[w] < low[v])
                    low[v] = number[w];
                continue;
            }
            depth--;
            if (depth && low[v] < low[walk[depth - 1]]) low[walk[depth - 1]] = low[v];
            if (low[v] == number[v]) {
                components++;
                while (top && !component[v]) component[stack[--top]] = components;
            }
        }
    }
    for (n = 0; n < count; n++) {
        m->functions[n].flags |= X86FLOW_ROOT;
        distance[n] = ~0u;
    }
    for (e = 0; e < g->count; e++) {
        if (g->from[e] != g->to[e]) m->functions[g->to[e]].flags &= (uint8_t)~X86FLOW_ROOT;
    }
    head = tail = 0;
    for (n = 0; n < count; n++) {
        if (m->functions[n].flags & (X86FLOW_ROOT | X86FLOW_TAKEN)) {
            distance[n] = 0;
            queue[tail++] = n;
        }
    }
    for (seed = 0;;) { /* breadth first; cycles that nobody enters one by one */
        while (head < tail) {
            uint32_t v = queue[head++];
            for (e = first[v]; e < first[v + 1]; e++) {
                if (distance[to[e]] != ~0u) continue;
                distance[to[e]] = distance[v] + 1;
                queue[tail++] = to[e];
            }
        }
        while (seed < count && distance[seed] != ~0u) seed++;
        if (seed == count) break;
        distance[seed] = 0;
        queue[tail++] = seed;
    }
    for (n = 0; n < count; n++) {
        x86flow_function *f = &m->functions[n];
        if (!(f->flags & X86FLOW_LEAF) && f->flags & (X86FLOW_ROOT | X86FLOW_TAKEN))
            f->flags |= X86FLOW_CHECK;
    }
    for (e = 0; e < g->count; e++) {
        if (component[g->from[e]] == component[g->to[e]]
            && distance[g->from[e]] >= distance[g->to[e]]) {
            m->functions[g->to[e]].flags |= X86FLOW_CHECK;
            m->functions[g->to[e]].direct = 1;
        }
    }
}

/* ---- copies: bytes, distances, checks ----- src/binpatch/copy_bytes.c ---- */

enum {
    X86COPY_P_TO_BODY,
    X86COPY_P_TO_THUNK,
    X86COPY_P_TO_SLOW,
    X86COPY_P_TO_MAP,
    X86COPY_P_RETURN,           /* not a distance: behind call `index` of I, `at` is returned to */
    X86COPY_P_JOIN_C = 16,
    X86COPY_P_JOIN_I = 17
};

static void x86copy_p_out(x86copy *s, const void *bytes, unsigned count) {
    if (s->out_max - s->out_size < count) {
        s->failed = 1;
        return;
    }
    memcpy(s->out + s->out_size, bytes, count);
    s->out_size += count;
}
static void x86copy_p_out1(x86copy *s, unsigned byte) {
    uint8_t b = (uint8_t)byte;
    x86copy_p_out(s, &b, 1);
}
static void x86copy_p_out4(x86copy *s, uint32_t value) {
    x86copy_p_out(s, &value, 4);
}
/* Bytes in hex text would be nicer to read and slower to emit: a string literal
   it is. */
#define X86COPY_P_CODE(s, literal) x86copy_p_out(s, literal, (unsigned)sizeof literal - 1)

static uint32_t x86copy_p_position(const x86copy *s) {
    return s->out_size - s->code_start;
}
static uint64_t x86copy_p_here(const x86copy *s) {
    return s->base + s->out_size;
}

/* Four bytes of distance to an address, counted from `behind` bytes after
   them. */
static void x86copy_p_distance(x86copy *s, uint64_t address, unsigned behind) {
    int64_t d = (int64_t)(address - (x86copy_p_here(s) + 4 + behind));
    if (d != (int32_t)d) s->failed = 1;
    x86copy_p_out4(s, (uint32_t)d);
}
static void x86copy_p_jump(x86copy *s, uint64_t address) {
    x86copy_p_out1(s, 0xE9);
    x86copy_p_distance(s, address, 0);
}

static void x86copy_p_later(x86copy *s, uint32_t index, uint32_t kind) {
    x86copy_fixup *x = &s->fixups[s->fixup_count++];
    x->at = s->out_size;
    x->index = index;
    x->kind = kind;
    x86copy_p_out4(s, 0);
}

static void x86copy_p_resolve(x86copy *s, uint32_t at, uint32_t to) {
    uint32_t d = to - (at + 4);
    if (at + 4 <= s->out_max) memcpy(s->out + at, &d, 4);
}

/* The check: decl %fs:n. */
static void x86copy_p_decrement(x86copy *s) {
    X86COPY_P_CODE(s, "\x64\xFF\x0C\x25");
    x86copy_p_out4(s, (uint32_t)s->m->offset_n);
}

static uint64_t x86copy_p_slot(uint64_t slots, uint32_t n) {
    return slots + 8 * (uint64_t)n;
}

/* Behind a check that became negative: ask whether a burst is live. CF set:
   yes. The stack below the red zone is free here, flags are dead. */
static void x86copy_p_ask(x86copy *s, uint32_t site, int flags) {
    if (!flags) X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x80"); /* lea -128(%rsp),%rsp */
    x86copy_p_out1(s, 0x68);                               /* push site           */
    x86copy_p_out4(s, site);
    x86copy_p_out1(s, 0xE8); /* call slow           */
    x86copy_p_distance(s, s->m->rx + s->m->slow_at, 0);
    if (flags)
        X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x08"); /* lea 8(%rsp),%rsp    */
    else
        X86COPY_P_CODE(s, "\x48\x8D\xA4\x24\x88\x00\x00\x00"); /* lea 136(%rsp),%rsp  */
}

/* The slow end of a check at a site. In C: live goes to I through the site's
   slot, otherwise on to `body`. In I: live goes on to `body`, otherwise to the
   same site of C. */
static void x86copy_p_slow_end(x86copy *s, uint32_t site, int flags, uint32_t body_index) {
    uint32_t other;
    x86copy_p_ask(s, site, flags);
    x86copy_p_out1(s, s->instrumented ? 0x73 : 0x72); /* jnc, jc */
    other = s->out_size;
    x86copy_p_out1(s, 0);
    if (flags)
        X86COPY_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00"); /* popfq; lea 128(%rsp),%rsp */
    x86copy_p_out1(s, 0xE9);
    x86copy_p_later(s, body_index, X86COPY_P_TO_BODY);
    if (s->out_size < s->out_max) s->out[other] = (uint8_t)(s->out_size - other - 1);
    if (flags) X86COPY_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00");
    if (s->instrumented)
        x86copy_p_jump(s, s->m->rx + s->own->c_at + s->spot[body_index].c_at);
    else {
        X86COPY_P_CODE(s, "\xFF\x25"); /* jmp *slot(%rip) */
        x86copy_p_distance(s, x86copy_p_slot(s->m->site_slots, site), 0);
    }
}

/* Where an instruction stands in the original, and the same as events name
   it. */
static uint64_t x86copy_p_address_of(const x86copy *s, const x86flow_insn *k) {
    return x86flow_address(s->b, k->offset);
}
static uint32_t x86copy_p_place(const x86copy *s, const x86flow_insn *k) {
    return (uint32_t)(x86copy_p_address_of(s, k) - s->m->flow->bias);
}

/* lea of an address near the code into a register. */
static void x86copy_p_lea_rip(x86copy *s, unsigned to, uint64_t address) {
    x86copy_p_out1(s, 0x48 | (to >= 8 ? 4u : 0));
    x86copy_p_out1(s, 0x8D);
    x86copy_p_out1(s, 0x05 | (to & 7) << 3);
    x86copy_p_distance(s, address, 0);
}

/* mov %fs:claim,%reg; xaddw %reg,%fs:position */
static void x86copy_p_claim(x86copy *s, unsigned reg) {
    x86copy_p_out1(s, 0x64);
    x86copy_p_out1(s, 0x48 | (reg >= 8 ? 4u : 0));
    x86copy_p_out1(s, 0x8B);
    x86copy_p_out1(s, 0x04 | (reg & 7) << 3);
    x86copy_p_out1(s, 0x25);
    x86copy_p_out4(s, (uint32_t)s->m->offset_claim);
    X86COPY_P_CODE(s, "\x66\x64");
    if (reg >= 8) x86copy_p_out1(s, 0x44);
    X86COPY_P_CODE(s, "\x0F\xC1");
    x86copy_p_out1(s, 0x04 | (reg & 7) << 3);
    x86copy_p_out1(s, 0x25);
    x86copy_p_out4(s, (uint32_t)s->m->offset_position);
}

/* lea of an instruction's operand into a register. `lower` is how much lower
   rsp is than the program's. */
static void x86copy_p_lea(x86copy *s, const x86flow_insn *k, int32_t lower, unsigned to) {
    const x86decode_insn *i = &k->i;
    int64_t d = i->displacement;
    unsigned rex = 0x48 | (to >= 8 ? 4u : 0) | (i->base >= 8 ? 1u : 0)
                   | (i->index >= 8 && !i->vsib ? 2u : 0);
    unsigned reg = (to & 7) << 3;
    if (i->base == X86DECODE_RIP) {
        x86copy_p_lea_rip(s, to, x86copy_p_address_of(s, k) + i->length + (uint64_t)d);
        return;
    }
    if (i->has_modrm == 0) { /* moffs */
        x86copy_p_out1(s, 0x48 | (to >= 8 ? 1u : 0));
        x86copy_p_out1(s, 0xB8 | (to & 7));
        x86copy_p_out(s, &d, 8);
        return;
    }
    if (i->base == 4) d += lower + (i->opcode == 0x8F && i->map == 0 ? 8 : 0);
    if (i->prefixes & X86DECODE_67) x86copy_p_out1(s, 0x67);
    x86copy_p_out1(s, rex);
    x86copy_p_out1(s, 0x8D);
    x86copy_p_out1(s, (i->base < 0 ? 0x04 : 0x84) | reg);
    if (i->index >= 0 && !i->vsib) {
        unsigned scale = i->scale == 8 ? 3 : i->scale == 4 ? 2 : i->scale == 2 ? 1 : 0;
        x86copy_p_out1(s, scale << 6 | ((unsigned)i->index & 7) << 3
                              | (i->base < 0 ? 5 : (unsigned)i->base & 7));
    } else
        x86copy_p_out1(s, 0x20 | (i->base < 0 ? 5 : (unsigned)i->base & 7));
    x86copy_p_out4(s, (uint32_t)(int32_t)d);
}

/* ---- copies: events ---------------------- src/binpatch/copy_events.c ---- */
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

/* ---- copies: instructions, branches, dispatches  src/binpatch/copy_code.c ---- */
/* An instruction with another displacement of four bytes; rip says that it is
   counted from its end. */
static void x86copy_p_redisplaced(x86copy *s, const x86flow_insn *k, uint64_t target, int rip) {
    const uint8_t *p = s->b->text + k->offset;
    unsigned modrm_at = k->i.displacement_at,
             behind = (unsigned)k->i.displacement_at + k->i.displacement_size;
    if (rip) {
        x86copy_p_out(s, p, k->i.displacement_at);
        x86copy_p_distance(s, target, k->i.length - behind);
    } else {
        unsigned sib = (k->i.modrm & 7) == 4;
        modrm_at -= 1 + sib;
        x86copy_p_out(s, p, modrm_at);
        x86copy_p_out1(s, k->i.base == X86DECODE_NONE ? p[modrm_at] : (p[modrm_at] & 0x3Fu) | 0x80);
        if (sib) x86copy_p_out1(s, p[modrm_at + 1]);
        x86copy_p_out4(s, (uint32_t)target);
    }
    x86copy_p_out(s, p + behind, k->i.length - behind);
}

/* A function that looks at its return address to learn which module calls it
   must see the original one: such a call stays in the original. */
static int x86copy_p_sensitive(const x86copy *s, uint64_t slot) {
    uint32_t n;
    for (n = 0; n < s->m->sensitive_count; n++) {
        if (s->m->sensitive[n] == slot) return 1;
    }
    return 0;
}

BINPATCH_API uint32_t x86copy_skips(const x86flow_function *f, int instrumented) {
    if (f->direct || !(f->flags & X86FLOW_CHECK)) return 0;
    return instrumented ? X86COPY_CHECK_I : X86COPY_CHECK_C;
}

/* A direct call or jump to the start of a function of this module: to its copy
   if that is there, else through its stub; the place is remembered so that it
   can be joined later. A distance inside one cache line can be changed while
   other threads run the code: nops move it there. */
static void x86copy_p_link_to(x86copy *s, uint64_t address, unsigned opcode_bytes,
                              const char *opcode) {
    const x86copy_module *m = s->m;
    const x86flow_function *g = x86flow_function_at(m->flow, address);
    const x86copy_function *h = g ? &m->functions[g - m->flow->functions] : NULL;
    uint64_t to = address;
    int linked = h && g->lo == address && h->patched && (s->instrumented || !h->bare);
    while (linked && !s->failed && ((x86copy_p_here(s) + opcode_bytes) & 63) > 60)
        x86copy_p_out1(s, 0x90);
    x86copy_p_out(s, opcode, opcode_bytes);
    if (linked) {
        int in_i = s->instrumented && !g->direct;
        uint32_t made = in_i ? h->i_at : h->c_at;
        if (m->events & X86COPY_LEFT) made = 0; /* its T tells of the entry */
        if (made) made += x86copy_skips(g, in_i);
        to = m->rx + (made ? made : in_i ? h->make_i_at : h->t_at);
        if (g == s->b->f && !in_i) to = m->rx + h->t_at;
        if (!made && !s->failed && !(m->events & X86COPY_LEFT)) {
            x86copy_fixup *x = &s->fixups[s->fixup_count++];
            x->at = s->out_size;
            x->index = (uint32_t)(g - m->flow->functions);
            x->kind = in_i ? X86COPY_JOIN_I : X86COPY_JOIN_C;
        }
    }
    x86copy_p_distance(s, to, 0);
}

static void x86copy_p_copied(x86copy *s, const x86flow_insn *k) {
    if (k->i.memory && k->i.base == X86DECODE_RIP)
        x86copy_p_redisplaced(
            s, k, x86copy_p_address_of(s, k) + k->i.length + (uint64_t)k->i.displacement, 1);
    else
        x86copy_p_out(s, s->b->text + k->offset, k->i.length);
}

/* In I, behind a call: the burst may have ended meanwhile. Flags are dead
   here. */
static void x86copy_p_after_call(x86copy *s, uint32_t n) {
    x86copy_fixup *x = &s->fixups[s->fixup_count];
    if (!s->instrumented || s->failed || !x86flow_runs_on(s->b, n)) return;
    s->fixup_count++;
    x->at = x86copy_p_position(s);
    x->index = n;
    x->kind = X86COPY_P_RETURN;
    X86COPY_P_CODE(s, "\x64\x83\x3C\x25"); /* cmpl $0,%fs:n */
    x86copy_p_out4(s, (uint32_t)s->m->offset_n);
    X86COPY_P_CODE(s, "\x00\x0F\x89"); /* jns */
    x86copy_p_distance(s, s->m->rx + s->own->c_at + s->spot[n + 1].c_at, 0);
}

/* A dispatch whose table was not proved. The jump's target is looked up; a
   known one leads to the copy through a landing that restores what was saved,
   any other is jumped to as it is. */
static void x86copy_p_translate(x86copy *s, const x86flow_insn *k) {
    uint32_t above, none;
    X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x80"
                      "\x50\x9C\x51"); /* lea -128(%rsp),%rsp; push rax, flags, rcx */
    if (k->i.memory) {
        x86decode_insn plain = k->i;
        x86flow_insn load = *k;
        load.i = plain;
        x86copy_p_lea(s, &load, 128 + 24, 1); /* lea operand,%rcx; mov (%rcx),%rax */
        if (k->i.prefixes & X86DECODE_FS) s->failed = 1;
        X86COPY_P_CODE(s, "\x48\x8B\x01");
    } else {
        int reg = x86flow_rm_register(&k->i);
        if (reg == 4) s->failed = 1;
        x86copy_p_out1(s, reg >= 8 ? 0x4C : 0x48); /* mov reg,%rax */
        x86copy_p_out1(s, 0x89);
        x86copy_p_out1(s, 0xC0 | ((unsigned)reg & 7) << 3);
    }
    X86COPY_P_CODE(s, "\x48\x8D\x0D"); /* lea lo(%rip),%rcx; sub %rcx,%rax */
    x86copy_p_distance(s, s->b->f->lo, 0);
    X86COPY_P_CODE(s, "\x48\x29\xC8\x48\x3D");
    x86copy_p_out4(s, s->b->f->size);
    X86COPY_P_CODE(s, "\x73\x00"); /* jae out */
    above = s->out_size;
    X86COPY_P_CODE(s, "\x48\x8D\x0D"); /* lea map(%rip),%rcx */
    x86copy_p_later(s, 0, X86COPY_P_TO_MAP);
    X86COPY_P_CODE(
        s, "\x48\x63\x04\x81\x85\xC0\x74\x00"); /* movslq (%rcx,%rax,4),%rax; test; jz out */
    none = s->out_size;
    X86COPY_P_CODE(s, "\x48\x01\xC8\xFF\xE0"); /* add %rcx,%rax; jmp *%rax */
    if (!s->failed) {
        s->out[above - 1] = (uint8_t)(s->out_size - above);
        s->out[none - 1] = (uint8_t)(s->out_size - none);
    }
    X86COPY_P_CODE(s, "\x59\x9D\x58\x48\x8D\xA4\x24\x80\x00\x00\x00");
    s->translated = 1;
    x86copy_p_copied(s, k);
}

/* Does a jump to an address outside of the function leave it? A jump to a part
   of it (.cold), or into the middle of anything, does not. A stub of the PLT is
   replaced by what it leads to. */
static int x86copy_p_leaves(const x86copy *s, uint64_t *address) {
    uint64_t slot = x86flow_stub_slot(s->m->flow, *address);
    const x86flow_function *g;
    *address = x86flow_bound_to(s->m->flow, slot, *address);
    g = x86flow_function_at(s->m->flow, *address);
    if (!g || g->reason == X86FLOW_STARTUP) return slot != 0;
    return g->lo == *address && !(g->flags & X86FLOW_FRAGMENT);
}

static void x86copy_p_emit_branch(x86copy *s, uint32_t n) {
    x86flow_insn *k = &s->b->insn[n];
    uint32_t to = x86flow_goes_to(s->b, k);
    uint64_t address = x86decode_target(&k->i, x86copy_p_address_of(s, k));
    int leaves = to == ~0u && x86copy_p_leaves(s, &address);
    int checked =
        to != ~0u && to <= n && s->b->insn[to].target & X86FLOW_TARGET_CHECKED && !k->boring;
    uint8_t op[2];
    if (k->i.kind == X86DECODE_LOOP) {
        x86copy_p_out(s, s->b->text + k->offset, k->i.length - 1u);
        X86COPY_P_CODE(s, "\x02\xEB\x05\xE9");
        if (to == ~0u)
            x86copy_p_distance(s, address, 0);
        else
            x86copy_p_later(s, to, checked ? X86COPY_P_TO_THUNK : X86COPY_P_TO_BODY);
        return;
    }
    op[0] = 0x0F;
    op[1] = (uint8_t)(0x80 | (k->i.opcode & 15));
    if (k->i.kind == X86DECODE_JUMP) {
        if (leaves) {
            x86copy_p_exit_event(s, k);
            x86copy_p_link_to(s, address, 1, "\xE9");
            return;
        }
        if (checked && !s->instrumented && !(s->b->insn[to].target & X86FLOW_TARGET_FLAGS)) {
            x86copy_p_decrement(s); /* the check in line: one jump less */
            X86COPY_P_CODE(s, "\x0F\x89");
            x86copy_p_later(s, to, X86COPY_P_TO_BODY);
            x86copy_p_out1(s, 0xE9);
            x86copy_p_later(s, to, X86COPY_P_TO_SLOW);
            return;
        }
        x86copy_p_out1(s, 0xE9);
    } else if (leaves && x86copy_p_tells_exits(s)) {
        uint32_t over;
        op[1] ^= 1;
        x86copy_p_out(s, op, 2);
        over = s->out_size;
        x86copy_p_out4(s, 0);
        x86copy_p_exit_event(s, k);
        x86copy_p_link_to(s, address, 1, "\xE9");
        x86copy_p_resolve(s, over, s->out_size);
        return;
    } else if (leaves) {
        x86copy_p_link_to(s, address, 2, (const char *)op);
        return;
    } else if (checked && !s->instrumented
               && !(s->b->insn[to].target & X86FLOW_TARGET_FLAGS)) {
        x86copy_p_out1(s, 0x70 | ((k->i.opcode & 15u) ^ 1)); /* over what follows */
        x86copy_p_out1(s, 8 + 6 + 5);
        x86copy_p_decrement(s);
        X86COPY_P_CODE(s, "\x0F\x89");
        x86copy_p_later(s, to, X86COPY_P_TO_BODY);
        x86copy_p_out1(s, 0xE9);
        x86copy_p_later(s, to, X86COPY_P_TO_SLOW);
        return;
    } else
        x86copy_p_out(s, op, 2);
    if (to == ~0u)
        x86copy_p_distance(s, address, 0);
    else
        x86copy_p_later(s, to, checked ? X86COPY_P_TO_THUNK : X86COPY_P_TO_BODY);
}

static void x86copy_p_emit_instruction(x86copy *s, uint32_t n) {
    x86flow_insn *k = &s->b->insn[n];
    uint64_t address = x86copy_p_address_of(s, k);
    uint32_t events = s->instrumented ? s->m->events : 0;
    uint64_t to;
    if (n == 0 && k->i.map == 1 && k->i.opcode == 0x1E && k->i.modrm == 0xFA) return; /* endbr64 */
    if (events & X86COPY_BLOCK && !k->boring
        && (n == 0 || n == s->b->part_first || k->target
            || (k[-1].i.kind != X86DECODE_PLAIN && k[-1].i.kind != X86DECODE_SYSCALL))) {
        x86copy_p_event e = x86copy_p_event_begin(s, k, 1);
        x86copy_p_lea_rip(s, e.value, address);
        x86copy_p_event_end(s, &e, x86copy_p_what(s, X86COPY_BLOCK, 0),
                            (uint32_t)(address - s->m->flow->bias));
    }
    /* A landing pad may not stand at the start of a part: a nop keeps it away
       from there. */
    if (x86flow_is_nop(&k->i) && n != s->b->part_first) return;
    if ((k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT)
        && x86copy_p_sensitive(s, x86flow_call_slot(s->m->flow, &k->i, address))) {
        x86copy_p_jump(s, address);
        return;
    }
    if (events) x86copy_p_events_of(s, k);
    switch (k->i.kind) {
    case X86DECODE_JUMP:
    case X86DECODE_BRANCH:
    case X86DECODE_LOOP: x86copy_p_emit_branch(s, n); break;
    case X86DECODE_CALL:
    case X86DECODE_CALL_INDIRECT:
        if (events & X86COPY_CALL)
            x86copy_p_event_stack(s, k, x86copy_p_what(s, X86COPY_CALL, 0),
                                  (uint32_t)(address - s->m->flow->bias), 0);
        to = k->i.kind == X86DECODE_CALL ? x86decode_target(&k->i, address) : 0;
        to = x86flow_bound_to(s->m->flow, x86flow_call_slot(s->m->flow, &k->i, address), to);
        if (to) x86copy_p_link_to(s, to, 1, "\xE8");
        else x86copy_p_copied(s, k);
        x86copy_p_after_call(s, n);
        break;
    case X86DECODE_RETURN:
        x86copy_p_exit_event(s, k);
        x86copy_p_copied(s, k);
        break;
    case X86DECODE_JUMP_INDIRECT:
        if (k->dispatch == X86FLOW_REWRITE) {
            const x86flow_table *t = &s->b->tables[k->table];
            uint64_t copy = s->base + s->table_at[k->table];
            x86copy_p_redisplaced(s, k, k->i.base == X86DECODE_NONE ? copy : copy - t->address, 0);
        } else if (k->dispatch == X86FLOW_TRANSLATE && (s->instrumented || !s->own->threaded))
            x86copy_p_translate(s, k);
        else if (k->dispatch == X86FLOW_TRANSLATE)
            x86copy_p_copied(s, k);     /* the original label jumps to its copy */
        else {
            if (!s->b->table_count) x86copy_p_exit_event(s, k);
            x86copy_p_copied(s, k);
        }
        break;
    default:
        if (k->dispatch == X86FLOW_REWRITE) {
            const x86flow_table *t = &s->b->tables[k->table];
            uint64_t copy = s->base + s->table_at[k->table];
            x86copy_p_redisplaced(s, k, k->i.base == X86DECODE_NONE ? copy : copy - t->address, 0);
        } else
            x86copy_p_copied(s, k);
        break;
    }
}

/* In C: the check of a label in line, which one jump less leads to, where nothing
   falls into it. Returns whether it stands there; its
   slow end is to come. */
static int x86copy_p_inline_check(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    uint32_t before = n;
    if (s->instrumented || n == 0 || n >= s->b->part_first) return 0;
    if (k->target & X86FLOW_TARGET_FLAGS || !(k->target & X86FLOW_TARGET_TABLE)) return 0;
    do before--;
    while (before && x86flow_is_nop(&s->b->insn[before].i) && !s->b->insn[before].target);
    if (x86flow_falls_through(&s->b->insn[before])) return 0;
    s->spot[n].thunk = x86copy_p_position(s);
    x86copy_p_decrement(s);
    X86COPY_P_CODE(s, "\x0F\x88"); /* js slow */
    x86copy_p_later(s, n, X86COPY_P_TO_SLOW);
    return 1;
}

/* The check of a back-edge's target, out of line; all back-edges to it come
   here. */
static void x86copy_p_emit_thunk(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    x86copy_spot *spot = &s->spot[n];
    int flags = (k->target & X86FLOW_TARGET_FLAGS) != 0;
    if (spot->thunk) {                  /* x86copy_p_inline_check */
        spot->slow = x86copy_p_position(s);
        x86copy_p_slow_end(s, spot->site, 0, n);
        return;
    }
    spot->thunk = x86copy_p_position(s);
    if (flags) X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x80\x9C"); /* lea -128(%rsp),%rsp; pushfq */
    x86copy_p_decrement(s);
    X86COPY_P_CODE(s, "\x0F\x88"); /* js slow */
    {
        uint32_t at = s->out_size;
        x86copy_p_out4(s, 0);
        if (flags) X86COPY_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00");
        if (s->instrumented)
            x86copy_p_jump(s, s->m->rx + s->own->c_at + spot->c_at);
        else {
            x86copy_p_out1(s, 0xE9);
            x86copy_p_later(s, n, X86COPY_P_TO_BODY);
        }
        spot->slow = x86copy_p_position(s);
        x86copy_p_resolve(s, at, s->out_size);
    }
    x86copy_p_slow_end(s, spot->site, flags, n);
}

static void x86copy_p_fill_tables(x86copy *s) {
    uint32_t n, e;
    for (n = 0; n < s->b->table_count; n++) {
        const x86flow_table *t = &s->b->tables[n];
        if (!s->table_at[n]) continue;
        for (e = 0; e < t->entries; e++) {
            uint64_t to = x86flow_table_target(t, e), copy = to;
            uint32_t k = x86flow_insn_at(s->b, to);
            if (k != ~0u) {
                const x86copy_spot *spot = &s->spot[k];
                int checked = s->b->insn[k].target & X86FLOW_TARGET_CHECKED && spot->thunk;
                copy = s->base + s->code_start + (checked ? spot->thunk : spot->at);
            }
            if (t->width == 4) copy -= t->address;
            memcpy(s->out + s->table_at[n] + e * t->width, &copy, t->width);
        }
    }
}

/* The landings of translated jumps, and the map from offsets of the function to
   them. A jump to its part goes to the original. */
static void x86copy_p_emit_map(x86copy *s) {
    uint32_t n, map, landing;
    if (!s->translated || s->failed) return;
    while (!s->failed && s->out_size & 3) x86copy_p_out1(s, 0xCC);
    map = s->out_size;
    if (s->out_max - s->out_size < s->b->f->size * 4 + 64) {
        s->failed = 1;
        return;
    }
    memset(s->out + map, 0, (size_t)s->b->f->size * 4);
    s->out_size += s->b->f->size * 4;
    for (n = 0; n < s->b->part_first; n++) {
        if (!(s->b->insn[n].target & X86FLOW_TARGET_TABLE)) continue;
        landing = s->out_size - map;
        memcpy(s->out + map + s->b->insn[n].offset * 4, &landing, 4);
        X86COPY_P_CODE(s, "\x59\x9D\x58\x48\x8D\xA4\x24\x80\x00\x00\x00\xE9");
        x86copy_p_later(s, n,
                        s->b->insn[n].target & X86FLOW_TARGET_CHECKED ? X86COPY_P_TO_THUNK
                                                                      : X86COPY_P_TO_BODY);
    }
    for (n = 0; n < s->fixup_count; n++) {
        if (s->fixups[n].kind == X86COPY_P_TO_MAP) x86copy_p_resolve(s, s->fixups[n].at, map);
    }
}

/* ---- copies: one pass in linear order ----------- src/binpatch/copy.c ---- */
/* A burst may begin inside a call that C made. The code behind that call
   belongs to the burst, too. So whoever begins a burst exchanges the return
   addresses that C has pushed for those that I would have pushed:
   x86copy_return_in_i. Behind its call I looks whether the burst is still live.

   The list behind the code of I: how many, then for each call that returns two
   words in rising order: where the return address is in C and in I, counted
   from their starts. */

static void x86copy_p_emit_returns(x86copy *s) {
    uint32_t n, count = 0, at;
    while (!s->failed && s->out_size & 3) x86copy_p_out1(s, 0xCC);
    at = s->out_size;
    x86copy_p_out4(s, 0);
    for (n = 0; n < s->fixup_count; n++) {
        const x86copy_fixup *x = &s->fixups[n];
        if (x->kind != X86COPY_P_RETURN) continue;
        x86copy_p_out4(s, s->spot[x->index + 1].c_at);
        x86copy_p_out4(s, x->at);
        count++;
    }
    if (s->failed) return;
    memcpy(s->out + at, &count, 4);
    s->returns_at = at;
}

BINPATCH_API uint64_t x86copy_return_in_i(const x86copy_module *m, uint32_t number, uint64_t pc) {
    const x86copy_function *f = &m->functions[number];
    const uint8_t *list = binpatch_p_at(m->rx + f->returns_at);
    uint64_t at = pc - (m->rx + f->c_at);
    uint32_t lo = 0, hi;
    if (!f->returns_at || !f->i_at) return 0;
    hi = binpatch_p_u32(list);
    for (list += 4; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2, c_at = binpatch_p_u32(list + (size_t)mid * 8);
        if (c_at == at) return m->rx + f->i_at + binpatch_p_u32(list + (size_t)mid * 8 + 4);
        if (c_at < at) lo = mid + 1;
        else hi = mid;
    }
    return 0;
}

/* Behind the last instruction of the function or of its part: on in what stands
   there. */
static void x86copy_p_leave_end(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    if (x86flow_falls_through(k)) x86copy_p_jump(s, x86copy_p_address_of(s, k) + k->i.length);
}

/* Emits one copy into the scratch memory as if it stood at `base`. Sites are
   numbered from first_site in the order entry, then targets of back-edges; so
   both copies agree. */
BINPATCH_API int x86copy_emit(x86copy *s, x86copy_module *m, uint64_t base, int instrumented,
                             uint32_t first_site) {
    const x86flow_function *f = s->b->f;
    x86copy_spot *entry = &s->spot[s->b->count + 1];
    uint32_t n, slow = 0, checked = f->flags & X86FLOW_CHECK ? 1u : 0u;
    const x86copy_function *own = &m->functions[f - m->flow->functions];
    s->m = m;
    s->own = &m->functions[f - m->flow->functions];
    s->first_site = first_site;
    s->base = base;
    s->instrumented = instrumented;
    s->out_size = s->fixup_count = 0;
    s->translated = 0;
    s->returns_at = 0;
    s->failed = 0;
    s->site_count = 0;
    for (n = 0; n < s->b->table_count; n++) s->table_at[n] = 0;
    X86COPY_P_CODE(s, "\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC");
    for (n = 0; n < s->b->count; n++) {
        uint32_t number = s->b->insn[n].table;
        const x86flow_table *t = &s->b->tables[number];
        s->spot[n].thunk = 0;
        if (s->b->insn[n].dispatch != X86FLOW_REWRITE || s->table_at[number]) continue;
        while (!s->failed && s->out_size & 7) x86copy_p_out1(s, 0xCC);
        s->table_at[number] = s->out_size;
        if (s->out_max - s->out_size < t->entries * t->width + 64) return -1;
        s->out_size += t->entries * t->width;
    }
    while (!s->failed && s->out_size & 15) x86copy_p_out1(s, 0xCC);
    s->code_start = s->out_size;
    if (checked) {
        entry->site = first_site + s->site_count++;
        x86copy_p_decrement(s);
        X86COPY_P_CODE(s, "\x0F\x88");
        slow = s->out_size;
        x86copy_p_out4(s, 0);
        if (instrumented) x86copy_p_jump(s, s->m->rx + own->c_at + entry->c_at);
    }
    entry->at = x86copy_p_position(s);
    if (instrumented && s->m->events & X86COPY_ENTRY)
        x86copy_p_event_stack(s, s->b->insn, x86copy_p_what(s, X86COPY_ENTRY, 0),
                              (uint32_t)(f->lo - s->m->flow->bias), 0);
    for (n = 0; n < s->b->count; n++) {
        if (s->b->insn[n].target & X86FLOW_TARGET_CHECKED)
            s->spot[n].site = first_site + s->site_count++;
        s->spot[n].begin = x86copy_p_position(s);
        if (s->b->insn[n].target & X86FLOW_TARGET_CHECKED) (void)x86copy_p_inline_check(s, n);
        s->spot[n].at = x86copy_p_position(s);
        x86copy_p_emit_instruction(s, n);
        if (n + 1 == s->b->part_first || n + 1 == s->b->count) x86copy_p_leave_end(s, n);
    }
    s->spot[s->b->count].at = x86copy_p_position(s);
    for (n = 0; n < s->b->count; n++) {
        if (s->b->insn[n].target & X86FLOW_TARGET_CHECKED) x86copy_p_emit_thunk(s, n);
    }
    if (checked) {
        x86copy_p_resolve(s, slow, s->out_size);
        x86copy_p_slow_end(s, entry->site, 0, s->b->count + 1);
    }
    x86copy_p_emit_map(s);
    if (instrumented) x86copy_p_emit_returns(s);
    if (s->failed) return -1;
    for (n = 0; n < s->fixup_count; n++) {
        const x86copy_fixup *x = &s->fixups[n];
        const x86copy_spot *to = &s->spot[x->kind < 4 ? x->index : 0];
        if (x->kind >= X86COPY_P_TO_MAP) continue;
        x86copy_p_resolve(s, x->at,
                          s->code_start
                              + (x->kind == X86COPY_P_TO_BODY    ? to->at
                                 : x->kind == X86COPY_P_TO_THUNK ? to->thunk
                                                                 : to->slow));
    }
    x86copy_p_fill_tables(s);
    return 0;
}

BINPATCH_API int x86copy_find_c(x86copy *s, x86copy_module *m, uint64_t base, uint32_t first_site) {
    uint32_t n;
    if (x86copy_emit(s, m, base, 0, first_site) != 0) return -1;
    for (n = 0; n < s->b->count + 2; n++) s->spot[n].c_at = s->spot[n].at;
    return 0;
}

BINPATCH_API uint64_t x86copy_origin(const x86copy *s, uint32_t at) {
    uint32_t lo = 0, hi = s->b->count;
    const x86flow_insn *k;
    uint64_t address;
    while (lo < hi) { /* the first instruction that begins there or behind it */
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->spot[mid].begin < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo) return s->b->f->lo;
    k = &s->b->insn[lo - 1];
    address = x86flow_address(s->b, k->offset);
    if (k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT)
        return address + k->i.length;
    if (lo < s->b->count && s->spot[lo].begin == at) k++;
    return x86flow_address(s->b, k->offset);
}

BINPATCH_API int x86copy_is_site(const x86flow_body *b, uint32_t n) {
    if (n == b->count + 1) return (b->f->flags & X86FLOW_CHECK) != 0;
    return n < b->count && b->insn[n].target & X86FLOW_TARGET_CHECKED;
}

/* Functions that look at their return address to learn which module calls
   them. */
static int x86copy_p_asks_who_calls(const char *name) {
    static const char *const asks[] = {"dlsym", "dlvsym", "dlopen", "dlmopen", "mcount", "_mcount"};
    size_t n;
    for (n = 0; n < sizeof asks / sizeof *asks; n++) {
        if (!strcmp(name, asks[n])) return 1;
    }
    return 0;
}

BINPATCH_API void x86copy_note_import(x86copy_module *m, const char *name, uint64_t slot) {
    if (!x86copy_p_asks_who_calls(name)) return;
    if (m->sensitive_count < sizeof m->sensitive / sizeof *m->sensitive)
        m->sensitive[m->sensitive_count++] = slot;
}

BINPATCH_API void x86copy_find_xsave(x86copy_module *m) {
    unsigned a, b, c, d, mask = 0;
    m->xsave_mask = 0;
    m->xsave_bytes = 576;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) return; /* OSXSAVE */
    __asm__ volatile("xgetbv" : "=a"(mask), "=d"(d) : "c"(0));
    m->xsave_mask = mask & 0xE7;
    if (__get_cpuid_count(13, 0, &a, &b, &c, &d)) m->xsave_bytes = b < 4096 ? b : 4096;
    if (m->xsave_bytes < 832) m->xsave_bytes = 832;
}

BINPATCH_API size_t x86copy_init(x86copy *s, x86flow_body *body, void *memory, size_t bytes) {
    size_t n = (size_t)body->text_max + 64, at = 0, offset[4], size[4];
    uint8_t *p = (uint8_t *)memory;
    int k;
    size[0] = n * sizeof *s->spot;
    size[1] = X86FLOW_TABLES * sizeof *s->table_at;
    size[2] = n * 4 * sizeof *s->fixups;
    size[3] = n < (1u << 20) ? n * 96 + 4096 : n * 40;
    for (k = 0; k < 4; k++) {
        offset[k] = at;
        at += (size[k] + 63) & ~(size_t)63;
    }
    if (!memory) return at;
    if (bytes < at) return 0;
    memset(s, 0, sizeof *s);
    s->b = body;
    s->spot = (x86copy_spot *)memory;
    s->table_at = (uint32_t *)(void *)(p + offset[1]);
    s->fixups = (x86copy_fixup *)(void *)(p + offset[2]);
    s->out = p + offset[3];
    s->out_max = (uint32_t)size[3];
    return at;
}

/* ---- copies: their unwind information ---- src/binpatch/copy_unwind.c ---- */

typedef struct x86copy_p_bytes {
    uint8_t *p, *end;
    int full;
} x86copy_p_bytes;
static void x86copy_p_put(x86copy_p_bytes *b, unsigned byte) {
    if (b->p < b->end)
        *b->p++ = (uint8_t)byte;
    else
        b->full = 1;
}
static void x86copy_p_put_n(x86copy_p_bytes *b, uint64_t value, unsigned bytes) {
    for (; bytes--; value >>= 8) x86copy_p_put(b, (unsigned)(value & 255));
}
static void x86copy_p_put_uleb(x86copy_p_bytes *b, uint64_t value, unsigned least) {
    unsigned n = 0;
    do {
        unsigned byte = (unsigned)(value & 127);
        value >>= 7;
        n++;
        x86copy_p_put(b, byte | (value || n < least ? 128u : 0));
    } while (value || n < least);
}

/* A function or its part: offsets of the body from `from` to `to`, which stand
   in the copy from `start` to `end`. */
typedef struct x86copy_p_range {
    uint32_t from, to, start, end;
} x86copy_p_range;

static x86copy_p_range x86copy_p_range_of(const x86copy *s, int part) {
    const x86flow_body *b = s->b;
    x86copy_p_range r;
    r.from = part ? b->f->size : 0;
    r.to = part ? b->size : b->f->size;
    r.start = part ? s->spot[b->part_first].at : 0;
    r.end = s->spot[part ? b->count : b->part_first].at;
    return r;
}

/* Where in its range of the copy stands what is at an offset of the range, or
   ~0: no instruction is there. */
static uint32_t x86copy_p_new_offset(const x86copy *s, const x86copy_p_range *r, uint64_t offset) {
    if (offset == r->to - r->from) return r->end - r->start;
    if (offset > r->to - r->from || !s->b->index[r->from + offset]) return ~0u;
    return s->spot[s->b->index[r->from + offset] - 1].begin - r->start;
}

static int x86copy_p_copy_cfa(const x86copy *s, const x86copy_p_range *r, const x86flow_unwind *u,
                              x86copy_p_bytes *b) {
    const uint8_t *p = u->fde_begin;
    uint64_t old = 0;
    uint32_t done = 0;
    while (p < u->fde_end) {
        const uint8_t *start = p;
        unsigned op = *p++, advance = 0;
        if ((op & 0xC0) == 0x40) {
            old += op & 63;
            advance = 1;
        } else if ((op & 0xC0) == 0x80)
            (void)binpatch_p_uleb(&p);
        else if (op < 0x40)
            switch (op) {
            case 0x02:
                old += *p;
                p += 1;
                advance = 1;
                break;
            case 0x03:
                old += (unsigned)p[0] | (unsigned)p[1] << 8;
                p += 2;
                advance = 1;
                break;
            case 0x04:
                old += binpatch_p_u32(p);
                p += 4;
                advance = 1;
                break;
            case 0x00:
            case 0x0A:
            case 0x0B: break;
            case 0x05:
            case 0x09:
            case 0x0C:
            case 0x11:
            case 0x12:
            case 0x14:
            case 0x15:
                (void)binpatch_p_uleb(&p);
                (void)binpatch_p_uleb(&p);
                break;
            case 0x06:
            case 0x07:
            case 0x08:
            case 0x0D:
            case 0x0E:
            case 0x13:
            case 0x2E: (void)binpatch_p_uleb(&p); break;
            case 0x10:
            case 0x16:
            case 0x0F: {
                uint64_t size;
                if (op != 0x0F) (void)binpatch_p_uleb(&p);
                size = binpatch_p_uleb(&p);
                p += size;
                break;
            }
            default: return -1;
            }
        if (advance) {
            uint32_t now = x86copy_p_new_offset(s, r, old);
            if (now == ~0u) return -1;
            if (now != done) {
                x86copy_p_put(b, 0x04);
                x86copy_p_put_n(b, now - done, 4);
                done = now;
            }
        } else
            for (; start < p; start++) x86copy_p_put(b, *start);
    }
    return p > u->fde_end ? -1 : 0;
}

/* The LSDA of a copy: call sites and landing pads are mapped, actions are
   copied, the types stay where they are. A pad outside of the body stays in the
   original: right, not recorded. */
static int x86copy_p_copy_lsda(const x86copy *s, const x86copy_p_range *r, const x86flow_unwind *u,
                               uint64_t place, x86copy_p_bytes *b) {
    x86flow_lsda l;
    x86flow_call_site c;
    uint8_t *begin = b->p, *sites;
    uint64_t action_bytes = 0;
    unsigned n;
    if (x86flow_open_lsda(s->b->m, u, &l) != 0) return -1;
    x86copy_p_put(b, 0xFF);
    x86copy_p_put(b, l.type_encoding);
    if (l.type_encoding != 0xFF) {
        uint64_t behind = place + (uint64_t)(b->p - begin) + 10;
        x86copy_p_put_uleb(b, l.types - behind, 10);
        action_bytes = l.types - binpatch_p_address(l.actions);
        if (action_bytes > 65536) return -1;
    }
    x86copy_p_put(b, 1);
    x86copy_p_put_uleb(b, 0, 5);
    sites = b->p;
    while (x86flow_next_call_site(&l, &c)) {
        uint64_t to = 0;
        uint32_t new_start = x86copy_p_new_offset(s, r, c.start),
                 new_end = x86copy_p_new_offset(s, r, c.start + c.size);
        if (new_start == ~0u || new_end == ~0u || (c.action && !action_bytes)) return -1;
        if (c.pad) {
            uint32_t landing = x86flow_insn_at(s->b, c.pad);
            if (landing != ~0u) {
                const x86copy_spot *spot = &s->spot[landing];
                to = (uint64_t)(spot->thunk ? spot->thunk : spot->at) - r->start;
            }
            else if (x86flow_offset(s->b, c.pad) != ~0u) return -1;
            else to = c.pad - (s->base + s->code_start + r->start);
            if (to == 0) return -1; /* 0 says that there is no pad */
        }
        x86copy_p_put_uleb(b, new_start, 1);
        x86copy_p_put_uleb(b, new_end - new_start, 1);
        x86copy_p_put_uleb(b, to, 1);
        x86copy_p_put_uleb(b, c.action, 1);
    }
    if (l.bad || b->full || b->end - sites < 8) return -1;
    for (n = 0; n < 5; n++)
        sites[-5 + (int)n] =
            (uint8_t)(((uint64_t)(b->p - sites) >> (7 * n) & 127) | (n < 4 ? 128 : 0));
    for (; action_bytes; action_bytes--) x86copy_p_put(b, *l.actions++);
    return b->full ? -1 : 0;
}

/* A CIE and an FDE of a range. Returns where the FDE stands, or NULL. *lsda:
   where its pointer to an LSDA is to be written, or NULL. */
static uint8_t *x86copy_p_emit_fde(const x86copy *s, const x86copy_p_range *r, x86flow_unwind *u,
                                   x86copy_p_bytes *b, uint8_t **lsda) {
    uint8_t *cie = b->p, *fde;
    uint32_t size;
    if (u->data_factor < -64 || u->data_factor > 63) return NULL;
    x86copy_p_put_n(b, 0, 8);
    x86copy_p_put(b, 1);
    x86copy_p_put(b, 'z');
    if (u->has_personality) x86copy_p_put(b, 'P');
    if (u->has_lsda) x86copy_p_put(b, 'L');
    x86copy_p_put(b, 'R');
    if (u->signal_frame) x86copy_p_put(b, 'S');
    x86copy_p_put(b, 0);
    x86copy_p_put(b, 1);
    x86copy_p_put(b, (unsigned)u->data_factor & 0x7F);
    x86copy_p_put(b, 16);
    x86copy_p_put(b, (u->has_personality ? 9u : 0) + (u->has_lsda ? 1u : 0) + 1);
    if (u->has_personality) {
        x86copy_p_put(b, 0);
        x86copy_p_put_n(b, u->personality, 8);
    }
    if (u->has_lsda) x86copy_p_put(b, 0);
    x86copy_p_put(b, 0);
    for (; u->cie_begin < u->cie_end; u->cie_begin++) x86copy_p_put(b, *u->cie_begin);
    while ((b->p - cie) & 7) x86copy_p_put(b, 0);
    if (b->full) return NULL;
    size = (uint32_t)(b->p - cie) - 4;
    memcpy(cie, &size, 4);
    fde = b->p;
    x86copy_p_put_n(b, 0, 4);
    x86copy_p_put_n(b, (uint64_t)(b->p - cie), 4);
    x86copy_p_put_n(b, s->base + s->code_start + r->start, 8);
    x86copy_p_put_n(b, r->end - r->start, 8);
    x86copy_p_put(b, u->has_lsda ? 8 : 0);
    *lsda = u->has_lsda ? b->p : NULL;
    if (u->has_lsda) x86copy_p_put_n(b, 0, 8);
    if (x86copy_p_copy_cfa(s, r, u, b) != 0) return NULL;
    while ((b->p - fde) & 7) x86copy_p_put(b, 0);
    if (b->full) return NULL;
    size = (uint32_t)(b->p - fde) - 4;
    memcpy(fde, &size, 4);
    return fde;
}

/* Behind the code of a copy: its own .eh_frame_hdr; a CIE, an FDE and an LSDA
   for the function and for its part. */
BINPATCH_API int x86copy_emit_unwind(x86copy *s, uint32_t *header) {
    int count = s->b->part ? 2 : 1, k;
    x86flow_unwind u[2];
    x86copy_p_range r[2];
    x86copy_p_bytes b;
    uint8_t *lsda[2], *fde;
    uint32_t at, table[4];
    while (!s->failed && s->out_size & 7) x86copy_p_out1(s, 0xCC);
    if (s->failed || x86flow_read_fde(s->b->f->fde, &u[0]) != 0) return -1;
    if (count == 2 && x86flow_read_fde(s->b->part->fde, &u[1]) != 0) return -1;
    at = s->out_size;
    b.p = s->out + at;
    b.end = s->out + s->out_max;
    b.full = 0;
    x86copy_p_put_n(&b, UINT64_C(0x3B031B01), 4);
    x86copy_p_put_n(&b, count == 2 ? 28 : 20, 4); /* where the first CIE stands */
    x86copy_p_put_n(&b, (unsigned)count, 4);
    for (k = 0; k < 8 * count; k++) x86copy_p_put(&b, 0);
    if (b.full) return -1;
    while ((b.p - s->out) & 7) x86copy_p_put(&b, 0); /* a CIE stands at a multiple of 8 */
    for (k = 0; k < count; k++) {
        r[k] = x86copy_p_range_of(s, k);
        fde = x86copy_p_emit_fde(s, &r[k], &u[k], &b, &lsda[k]);
        if (!fde) return -1;
        table[2 * k] = s->code_start + r[k].start - at;
        table[2 * k + 1] = (uint32_t)(fde - s->out) - at;
    }
    memcpy(s->out + at + 12, table, 8 * (size_t)count);
    x86copy_p_put_n(&b, 0, 8); /* the end of this .eh_frame */
    for (k = 0; k < count; k++) {
        uint64_t place = s->base + (uint64_t)(b.p - s->out);
        if (b.full) return -1;
        if (!lsda[k]) continue;
        memcpy(lsda[k], &place, 8);
        if (x86copy_p_copy_lsda(s, &r[k], &u[k], place, &b) != 0) return -1;
    }
    if (b.full) return -1;
    *header = at;
    s->out_size = (uint32_t)(b.p - s->out);
    return 0;
}

/* ---- copies: what they share, and the stubs of entries  src/binpatch/copy_stub.c ---- */
/* `slow` answers most checks inside a burst in a few instructions; `heavy`
   saves all registers and asks the module. Both answer in CF. The stack then
   holds, upwards: the return address, what was pushed, the program's red
   zone. */
static void x86copy_p_emit_answers(x86copy *s, x86copy_module *m, uint32_t heavy[3]) {
    m->slow_at = s->out_size;
    X86COPY_P_CODE(s, "\x50\x64\xFF\x0C\x25"); /* push %rax; decl %fs:left */
    x86copy_p_out4(s, (uint32_t)m->offset_left);
    X86COPY_P_CODE(s, "\x0F\x88"); /* js heavy */
    heavy[0] = s->out_size;
    x86copy_p_out4(s, 0);
    X86COPY_P_CODE(s, "\x64\xC7\x04\x25"); /* movl $LIVE,%fs:n */
    x86copy_p_out4(s, (uint32_t)m->offset_n);
    x86copy_p_out4(s, (uint32_t)X86COPY_LIVE);
    X86COPY_P_CODE(s, "\x64\x66\x81\x3C\x25"); /* cmpw $0xC000,%fs:position */
    x86copy_p_out4(s, (uint32_t)m->offset_position);
    X86COPY_P_CODE(s, "\x00\xC0\x0F\x83"); /* jae heavy */
    heavy[1] = s->out_size;
    x86copy_p_out4(s, 0);
    X86COPY_P_CODE(s, "\x51\x8B\x4C\x24\x18\x48\x8D\x05"); /* push %rcx; mov 24(%rsp),%ecx */
    x86copy_p_distance(s, m->site_slots, 0);               /* lea slots(%rip),%rax */
    X86COPY_P_CODE(
        s, "\x48\x83\x3C\xC8\x00\x59\x0F\x84"); /* cmpq $0,(%rax,%rcx,8); pop %rcx; je heavy */
    heavy[2] = s->out_size;
    x86copy_p_out4(s, 0);
    X86COPY_P_CODE(s, "\x58\xF9\xC3"); /* pop %rax; stc; ret */
}

BINPATCH_API void x86copy_emit_slow(x86copy *s, x86copy_module *m) {
    uint64_t function = binpatch_p_address((const void *)(uintptr_t)m->heavy);
    uint64_t user = binpatch_p_address(m->user);
    uint32_t bytes = (m->xsave_bytes + 63) & ~63u, heavy[3], n, to;
    s->m = m;
    x86copy_p_emit_answers(s, m, heavy);
    m->heavy_at = s->out_size;
    X86COPY_P_CODE(s, "\x50"); /* push %rax */
    for (n = 0, to = s->out_size; n < 3; n++) x86copy_p_resolve(s, heavy[n], to);
    X86COPY_P_CODE(s, "\x9C\x51\x52\x56\x57\x41\x50\x41\x51\x41\x52\x41\x53\x55");
    X86COPY_P_CODE(s, "\x48\x89\xE5\x48\x81\xEC"); /* mov %rsp,%rbp; sub $bytes,%rsp */
    x86copy_p_out4(s, bytes);
    X86COPY_P_CODE(s, "\x48\x83\xE4\xC0\x31\xC0"); /* and $-64,%rsp; xor %eax,%eax */
    for (n = 0; n < 8; n++) {                      /* the area's header is zero */
        X86COPY_P_CODE(s, "\x48\x89\x84\x24");
        x86copy_p_out4(s, 512 + 8 * n);
    }
    x86copy_p_out1(s, 0xB8);
    x86copy_p_out4(s, m->xsave_mask);
    if (m->xsave_mask)
        X86COPY_P_CODE(s, "\x31\xD2\x48\x0F\xAE\x24\x24"); /* xsave64 (%rsp) */
    else
        X86COPY_P_CODE(s, "\x48\x0F\xAE\x04\x24");             /* fxsave64 (%rsp) */
    X86COPY_P_CODE(s, "\xFC\x48\x89\xEA\x8B\x7D\x60\x48\xBE"); /* cld; saved, code, user */
    x86copy_p_out(s, &user, 8);
    X86COPY_P_CODE(s, "\x48\xB8");
    x86copy_p_out(s, &function, 8);
    X86COPY_P_CODE(s, "\xFF\xD0\x48\x89\x45\x60\xB8"); /* call *%rax; mov %rax,96(%rbp) */
    x86copy_p_out4(s, m->xsave_mask);
    if (m->xsave_mask)
        X86COPY_P_CODE(s, "\x31\xD2\x48\x0F\xAE\x2C\x24"); /* xrstor64 (%rsp) */
    else
        X86COPY_P_CODE(s, "\x48\x0F\xAE\x0C\x24");
    X86COPY_P_CODE(s, "\x48\x89\xEC\x5D\x41\x5B\x41\x5A\x41\x59\x41\x58\x5F\x5E\x5A\x59\x9D\x58");
    X86COPY_P_CODE(s, "\x0F\xBA\x64\x24\x08\x00\xC3"); /* btl $0,8(%rsp); ret */
    m->make_common_at = s->out_size; /* the word that was pushed becomes the answer */
    x86copy_p_out1(s, 0xE8);
    x86copy_p_distance(s, m->rx + m->heavy_at, 0);
    X86COPY_P_CODE(s, "\x48\x8D\x64\x24\x08\xFF\x64\x24\xF8"); /* lea 8(%rsp),%rsp; jmp *-8(%rsp) */
    m->slow_end = s->out_size;
}

/* push $code; jmp make_common. At an entry nobody uses what is below the stack
   pointer. */
static void x86copy_p_emit_make(x86copy *s, uint32_t code) {
    x86copy_p_out1(s, 0x68);
    x86copy_p_out4(s, code);
    x86copy_p_jump(s, s->m->rx + s->m->make_common_at);
}

/* What the jmp at an entry displaces, at another place, then on in the
   original. A call pushes the address behind the original call, so that an
   unwinder finds its way. Returns 0, or -1. */
static int x86copy_p_emit_plain(x86copy *s, const x86flow_function *f) {
    uint32_t n, at = 0, patch_at = f->patch_at;
    if (f->displaced) {
        at = patch_at + f->displaced;
        x86copy_p_out(s, binpatch_p_at(f->lo + patch_at), f->displaced);
    }
    for (n = 0; !f->displaced && n < s->b->count && s->b->insn[n].offset < patch_at + 5; n++) {
        x86flow_insn *k = &s->b->insn[n];
        uint64_t address = s->b->f->lo + k->offset, to = x86decode_target(&k->i, address),
                 behind = address + k->i.length;
        uint8_t op[2];
        if (k->offset < patch_at) continue;
        at = k->offset + k->i.length;
        switch (k->i.kind) {
        case X86DECODE_LOOP:
        case X86DECODE_CALL_INDIRECT: return -1;
        case X86DECODE_CALL: /* lea -8(%rsp); movl low,(%rsp); movl high,4(%rsp) */
            X86COPY_P_CODE(s, "\x48\x8D\x64\x24\xF8\xC7\x04\x24");
            x86copy_p_out4(s, (uint32_t)behind);
            X86COPY_P_CODE(s, "\xC7\x44\x24\x04");
            x86copy_p_out4(s, (uint32_t)(behind >> 32));
            x86copy_p_jump(s, to);
            return 0;
        case X86DECODE_BRANCH:
            op[0] = 0x0F;
            op[1] = (uint8_t)(0x80 | (k->i.opcode & 15));
            x86copy_p_out(s, op, 2);
            x86copy_p_distance(s, to, 0);
            break;
        case X86DECODE_JUMP: x86copy_p_jump(s, to); break;
        default: x86copy_p_copied(s, k); break;
        }
    }
    x86copy_p_jump(s, f->lo + at);
    return 0;
}

BINPATCH_API uint32_t x86copy_displaced(const x86flow_body *b, uint32_t patch_at) {
    uint32_t n, at = 0;
    for (n = 0; n < b->count && b->insn[n].offset < patch_at + 5; n++) {
        const x86flow_insn *k = &b->insn[n];
        if (k->offset < patch_at) continue;
        if (k->i.memory && k->i.base == X86DECODE_RIP) return 0;
        if (k->i.kind == X86DECODE_LOOP || k->i.kind == X86DECODE_CALL_INDIRECT) return 0;
        if (k->i.kind >= X86DECODE_JUMP && k->i.kind <= X86DECODE_CALL) return 0;
        at = k->offset + k->i.length;
    }
    return at ? at - patch_at : 0;
}

BINPATCH_API int x86copy_emit_stub(x86copy *s, x86copy_module *m, uint32_t number, uint32_t at) {
    const x86flow_function *f = &m->flow->functions[number];
    x86copy_function *own = &m->functions[number];
    int bad;
    s->m = m;
    s->own = own;
    s->out_size = 0;
    s->failed = 0;
    own->t_at = at;
    X86COPY_P_CODE(s, "\xFF\x25"); /* jmp *slot(%rip) */
    x86copy_p_distance(s, x86copy_p_slot(m->slots, number), 0);
    own->plain_at = at + s->out_size;
    bad = x86copy_p_emit_plain(s, f);
    own->make_at = at + s->out_size;
    x86copy_p_emit_make(s, X86COPY_MAKE_C | number);
    if (!f->direct) {
        own->make_i_at = at + s->out_size;
        x86copy_p_emit_make(s, X86COPY_MAKE_I | number);
    }
    if (m->aways) {
        own->away_at = at + s->out_size;
        X86COPY_P_CODE(s, "\xFF\x25"); /* jmp *away(%rip) */
        x86copy_p_distance(s, x86copy_p_slot(m->aways, number), 0);
    }
    return bad || s->failed ? -1 : 0;
}

#endif /* X86FLOW_SUPPORTED */

#if defined(BINPATCH_SUPPORTED) && defined(_GNU_SOURCE)
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* ---- patching: what memory looks like ---- src/binpatch/patch_state.c ---- */
/* What memory looks like, for each module whose functions are patched:

       | text of the module | ... within 2 GB ... | slots | code: common, stubs, copies ... |

   A function's entry is a jmp to its T stub, which is `jmp *slot`. The slot holds the address of
   one of
       make     the function was never called: emit its checking copy C, then go there
       C        the checking copy: the function with a check at its entry and at its back-edges
       plain    the instructions that the jmp displaced, then the rest of the original
   A check is `decl %fs:n; js slow`. While n >= 0 the thread is not in a burst and n checks remain.
   The slow path answers whether a burst is live; the code then jumps to the same point of the
   instrumented copy I, or goes on in C. Registers, flags that matter and the stack are equal in
   both copies at every check, so the change of copies is nothing but that jump. When a burst
   begins, open calls of C get the return addresses of I; when it is over, I goes back to C.
   `code` and the tables of copies, sites and links are one memfd, mapped once for writing and
   once for executing. A fork shares them: parent and child use the same copies, under the same
   try-lock. Slots are private to a process. */

enum { BINPATCH_P_MODULES = 256, BINPATCH_P_THREADS = 256, BINPATCH_P_RULES = 1024 };
enum { BINPATCH_P_ROOMS = 64 };
enum { BINPATCH_P_BUFFER = 65536, BINPATCH_P_WINDOW = 65536, BINPATCH_P_PATIENCE = 1 << 24 };

typedef struct binpatch_p_site {
    uint32_t function, i_at;
    uint32_t offset; /* of the instruction */
    uint32_t flags;  /* 1: they were pushed before the site was */
    uint32_t entry;  /* 1: the check of the entry */
} binpatch_p_site;

typedef struct binpatch_p_link {
    uint32_t at, next;
} binpatch_p_link;

typedef struct binpatch_p_copy {
    uint32_t at, size, header, function;
} binpatch_p_copy;

typedef struct binpatch_p_own_slot {    /* a slot of the GOT that leads back into its module */
    uint64_t slot, to;
} binpatch_p_own_slot;

typedef struct binpatch_p_other {
    uint64_t lo, hi;
    const uint8_t *frame_header;
} binpatch_p_other;

typedef struct binpatch_p_shared { /* lies in the memfd */
    uint32_t lock, used, sites, links, copies;
    uint64_t bytes_c, bytes_i, functions_c, functions_i;
} binpatch_p_shared;

typedef struct binpatch_p_module {
    x86flow_module flow;
    x86copy_module copy;
    const char *path;
    const Elf64_Dyn *dynamic;
    uint8_t *rx, *rw;
    size_t code_bytes, file_bytes;
    uint64_t *slots, *site_slots; /* per function, per site */
    uint64_t *aways;              /* per function: what its slot is when code changes */
    binpatch_p_shared *shared;
    binpatch_p_site *sites;
    binpatch_p_link *links;
    binpatch_p_copy *copies;
    uint32_t sites_max, links_max, copies_max;
    const char *refusal;
    const void *late;             /* what the C library calls it, if it was loaded later */
    uint64_t data[8][2];          /* segments without code, as far as they come from the file */
    uint32_t data_count;
    uint32_t labels_max;          /* room in flow.labels */
    uint64_t code[8][2];          /* segments of code */
    uint32_t code_count;
    uint64_t code_offset[8];      /* where they stand in the file */
    uint64_t mapped[2];           /* the device and the inode that they are mapped from */
    uint32_t mapped_count;        /* so many of them are */
    binpatch_p_own_slot *own_slots; /* of the GOT; NULL: not yet looked for */
    uint32_t own_slot_count;
    uint64_t key;                 /* see binpatch_p_key_of; 0: there is none */
    uint32_t reasons[BINPATCH_REASONS];     /* how many functions have which, if counted */
    int counted;
    int has_symbols;              /* its file has names that do not stand in memory */
    int known;                    /* an earlier run found out all that stands in flow */
    uint64_t *known_labels;       /* those that were patched then, in rising order */
    uint32_t known_label_count;
} binpatch_p_module;

/* What is known of a return address: how to go on from there, and which
   function it is in. */
typedef struct binpatch_p_known {
    x86flow_rule rule;
    uint32_t module, place; /* place: ~0, no function to report */
    uint32_t function;      /* the code is its C: 1 + its number; 0: it is no C */
} binpatch_p_known;

/* What BINPATCH_P_THREADS threads at a time need. The first room is opened at the
   start, each other one when all before it are full. */
typedef struct binpatch_p_room {
    uint32_t state;             /* 0: not open; 1: it is being opened; 2: open; 3: no memory */
    uint8_t *buffers;
    binpatch_p_known *rules;
    uint8_t taken[BINPATCH_P_THREADS];  /* buffers in use */
} binpatch_p_room;

typedef struct binpatch_p_thread { /* the words that emitted code touches */
    int32_t n, left;
    uintptr_t position, claim;  /* claim: the buffer + 16 */
    uint32_t live, known, random, nested;
    uint64_t bursts;
    uint64_t burst_ns;           /* with bursts_per_second: when the last one ended, and the gap */
    uint32_t gap;
    uint32_t span, counted; /* checks of this burst or gap, and those of them in the statistics */
    uint32_t behind;         /* with halves: checks of the burst behind its middle, or 0 */
    uintptr_t busy, locked; /* how deep the stack was when this thread began to work, to emit */
    uint64_t held;           /* its signal mask, while it is at work here */
    uint8_t *buffer, *taken; /* taken: its word in the room */
    binpatch_p_known *rules; /* by return address, BINPATCH_P_RULES many */
} binpatch_p_thread;

static struct {
    binpatch_p_module modules[BINPATCH_P_MODULES];
    binpatch_p_other others[BINPATCH_P_MODULES]; /* all modules, for stacks */
    uint32_t module_count, other_count, modules_left;
    binpatch_config config;
    int32_t k_boring;
    x86flow_body body;
    x86copy copy;
    binpatch_p_room rooms[BINPATCH_P_ROOMS];
    int installed, on, armed;   /* armed: the jumps are in the text */
    int shadow_stack;           /* the processor checks returns: they stay as they are */
    uint8_t *window;            /* for writing text */
    uint32_t lock;
    uint32_t filters;           /* functions that forbid system calls */
    uint32_t changed;           /* functions whose code the program has made writable */
    int no_calls;               /* binpatch_forbid_calls */
    int writing;                /* we write text just now */
    int looks;                  /* nothing is patched but hooks: config.no_patches */
    binpatch_hook_fn hook;      /* who is told of entries and exits, or NULL */
    uint32_t ends[BINPATCH_P_MODULES];  /* of the modules from the start: functions up to there */
    uint32_t first_count, late_lock;    /* modules from the start; who adds one */
    uint64_t own_sum;                   /* of the code that this is itself; 0: not yet made */
    uint32_t recalled;                  /* modules that an earlier run knew */
    uint32_t xsave_bytes, xsave_mask;   /* of this processor; 0 bytes: not yet asked */
    const char *reason;
    uint64_t bursts, events, lost, missed, checks, burst_checks, far;
    uint32_t threads, lost_threads, waits, stuck;   /* stuck: who kept a lock for too long */
} binpatch_p;

/* A thread that never took a check may find itself inside an instrumented copy,
   if a coroutine moved there from another thread. It then writes here. */
static uint8_t binpatch_p_nowhere[BINPATCH_P_BUFFER] __attribute__((aligned(65536)));
static __thread binpatch_p_thread binpatch_p_tls __attribute__((tls_model("initial-exec"))) = {
    0, 0, ((uintptr_t)binpatch_p_nowhere), ((uintptr_t)binpatch_p_nowhere + 16),
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL};

/* Where the thread's events go. Those that are there are forgotten. */
static void binpatch_p_write_to(binpatch_p_thread *t, uint8_t *buffer) {
    t->position = (uintptr_t)buffer;
    t->claim = t->position + 16;
}

/* How deep the stack is here. */
static uintptr_t binpatch_p_depth(const void *frame) { return (uintptr_t)frame; }

/* A signal handler may leave by siglongjmp, whatever it has interrupted. So all
   signals wait while a thread is at work here, but for those that an instruction
   causes. Five system calls for a burst, two for a copy that is made. */
static uint64_t binpatch_p_call(uint64_t number, uint64_t a, uint64_t b, uint64_t c) {
    register uint64_t bytes __asm__("r10") = 8;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(bytes)
                     : "rcx", "r11", "memory");
    return number;
}
static uint64_t binpatch_p_mask(uint64_t how, uint64_t mask) {
    uint64_t before = 0;
    (void)binpatch_p_call(SYS_rt_sigprocmask, how, binpatch_p_address(&mask),
                          binpatch_p_address(&before));
    return before;
}
/* The signals that have come meanwhile. */
static uint64_t binpatch_p_waiting(void) {
    uint64_t waiting = 0;
    if (!binpatch_p.no_calls)
        (void)binpatch_p_call(SYS_rt_sigpending, binpatch_p_address(&waiting), 8, 0);
    return waiting;
}
/* ILL, TRAP, BUS, FPE, SEGV and SYS; KILL and STOP */
#define BINPATCH_P_AT_ONCE UINT64_C(0x400004D8)
#define BINPATCH_P_NEVER UINT64_C(0x40100)
static uint64_t binpatch_p_hold(void) {
    if (binpatch_p.no_calls) return 0;
    return binpatch_p_mask(0, ~BINPATCH_P_AT_ONCE);                                /* SIG_BLOCK */
}
static void binpatch_p_release(uint64_t held) {
    if (!binpatch_p.no_calls) (void)binpatch_p_mask(2, held);                      /* SIG_SETMASK */
}

enum { BINPATCH_P_NOTED_BARE = 1, BINPATCH_P_NOTED_THREADED = 2 };   /* x86flow_function.noted */

/* Memory far from all code, if it is free: what is near belongs to copies. file
   -1: none. */
static void *binpatch_p_map(size_t bytes, int file) {
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    size_t at = __atomic_fetch_add(&binpatch_p.far, (bytes | 4095) + 1, __ATOMIC_RELAXED);
    void *p = mmap((void *)(at + (3ul << 44)), bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Returns 1, or 0: there is no memory. */
static int binpatch_p_open_room(binpatch_p_room *room) {
    size_t mask = BINPATCH_P_BUFFER - 1,
           bytes = (size_t)BINPATCH_P_THREADS * BINPATCH_P_RULES * sizeof *room->rules;
    uint32_t turns, state = 0;
    uint8_t *p;
    if (__atomic_compare_exchange_n(&room->state, &state, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        p = binpatch_p.no_calls ? NULL
                                : (uint8_t *)binpatch_p_map(
                                      (size_t)(BINPATCH_P_THREADS + 1) * BINPATCH_P_BUFFER, -1);
        room->rules = p ? (binpatch_p_known *)binpatch_p_map(bytes, -1) : NULL;
        if (room->rules) room->buffers = p + (BINPATCH_P_BUFFER - ((uintptr_t)p & mask));
        state = room->rules ? 2 : 3;
        __atomic_store_n(&room->state, state, __ATOMIC_RELEASE);
    }
    for (turns = 0; state == 1 && turns < BINPATCH_P_PATIENCE; turns++) {
        __builtin_ia32_pause();
        state = __atomic_load_n(&room->state, __ATOMIC_ACQUIRE);
    }
    return state == 2;
}

static int binpatch_p_in_text(const binpatch_p_module *m, uint64_t address) {
    return address >= m->flow.text_lo && address < m->flow.text_hi;
}

/* ---- patching: copies are made while the program runs  src/binpatch/patch_copies.c ---- */
/* One thread of one process at a time. Who finds a lock taken waits, for plain
   code records nothing. It waits without system calls, and not for ever: the
   owner may be a process that was killed, and then nobody waits for it again.
   The scratch memory has a lock of this process, the arena one that all
   processes share it with. A handler that left by longjmp may have abandoned a
   lock of its own thread: nothing was published, it starts again. */
static int binpatch_p_take_lock(uint32_t *lock, uint32_t me, int abandoned) {
    uint32_t owner = 0, turns;
    for (turns = 0; turns < BINPATCH_P_PATIENCE; turns++, owner = 0) {
        if (__atomic_compare_exchange_n(lock, &owner, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return 0;
        if (owner == me && abandoned) return 0;
        if (owner == me || owner == __atomic_load_n(&binpatch_p.stuck, __ATOMIC_RELAXED)) return -1;
        if (!turns) __atomic_fetch_add(&binpatch_p.waits, 1, __ATOMIC_RELAXED);
        __builtin_ia32_pause();
    }
    __atomic_store_n(&binpatch_p.stuck, __atomic_load_n(lock, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    return -1;
}

static int binpatch_p_lock(binpatch_p_shared *shared) {
    binpatch_p_thread *t = &binpatch_p_tls;
    uint32_t me = (uint32_t)(binpatch_p_address(t) >> 4) | 1;
    uintptr_t depth = binpatch_p_depth(__builtin_frame_address(0));
    int abandoned = t->locked && depth >= t->locked;
    if (t->locked && !abandoned) return -1;
    if (binpatch_p_take_lock(&binpatch_p.lock, me, abandoned) != 0) return -1;
    if (binpatch_p_take_lock(&shared->lock, me, abandoned) != 0) {
        __atomic_store_n(&binpatch_p.lock, 0, __ATOMIC_RELEASE);
        return -1;
    }
    if (binpatch_p.stuck == me) __atomic_store_n(&binpatch_p.stuck, 0, __ATOMIC_RELAXED);
    t->locked = depth;
    return 0;
}
static void binpatch_p_unlock(binpatch_p_shared *shared) {
    binpatch_p_tls.locked = 0;
    __atomic_store_n(&shared->lock, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&binpatch_p.lock, 0, __ATOMIC_RELEASE);
}

/* Remembers the calls of a copy that are to be joined when their target has
   one. */
static void binpatch_p_note_links(binpatch_p_module *m, const x86copy *s, uint32_t base) {
    uint32_t n;
    for (n = 0; n < s->fixup_count; n++) {
        const x86copy_fixup *x = &s->fixups[n];
        x86copy_function *g;
        uint32_t *list, link;
        if (x->kind < X86COPY_JOIN_C || m->shared->links >= m->links_max) continue;
        g = &m->copy.functions[x->index];
        list = x->kind == X86COPY_JOIN_C ? &g->links_c : &g->links_i;
        link = m->shared->links++;
        m->links[link].at = base + x->at;
        m->links[link].next = *list;
        *list = link;
    }
}

/* Puts what was emitted in its place. Returns the position of the copy, or
   0. */
static uint32_t binpatch_p_place(binpatch_p_module *m, const x86copy *s, uint32_t base,
                                 uint32_t header) {
    binpatch_p_shared *h = m->shared;
    binpatch_p_copy *copy = &m->copies[h->copies];
    if (h->copies == m->copies_max) return 0;
    memcpy(m->rw + base, s->out, s->out_size);
    binpatch_p_note_links(m, s, base);
    copy->at = base + s->code_start;
    copy->size = s->spot[s->b->count].at;
    copy->header = base + header;
    copy->function = (uint32_t)(s->b->f - m->flow.functions);
    h->used = base + s->out_size;
    __atomic_store_n(&h->copies, h->copies + 1, __ATOMIC_RELEASE);
    return copy->at;
}

static void binpatch_p_join(binpatch_p_module *m, uint32_t *list, uint32_t to) {
    uint32_t link, d;
    for (link = *list; link; link = m->links[link].next) {
        d = to - (m->links[link].at + 4);
        memcpy(m->rw + m->links[link].at, &d, 4); /* inside one cache line: whole for all */
    }
    *list = 0;
}

static uint32_t binpatch_p_aligned(uint32_t at) { return (at + 63) & ~63u; }

/* Emits one copy of the body's function behind what there is. Returns its
   position, or 0. */
static uint32_t binpatch_p_emit(binpatch_p_module *m, int instrumented, uint32_t first_site) {
    x86copy *s = &binpatch_p.copy;
    uint32_t base = binpatch_p_aligned(m->shared->used), header = 0;
    if (x86copy_emit(s, &m->copy, m->copy.rx + base, instrumented, first_site) != 0) return 0;
    if (m->shared->sites + s->site_count > m->sites_max) return 0;
    if (x86copy_emit_unwind(s, &header) != 0 || s->out_size > m->code_bytes - base) return 0;
    return binpatch_p_place(m, s, base, header);
}

static void binpatch_p_note_sites(binpatch_p_module *m, uint32_t number) {
    const x86flow_body *b = &binpatch_p.body;
    uint32_t n;
    for (n = 0; n < b->count + 2; n++) {
        binpatch_p_site *site = &m->sites[binpatch_p.copy.spot[n].site];
        int entry = n == b->count + 1;
        if (!x86copy_is_site(b, n)) continue;
        site->function = number;
        site->entry = (uint32_t)entry;
        site->offset = entry ? 0 : b->insn[n].offset;
        site->flags = !entry && b->insn[n].target & X86FLOW_TARGET_FLAGS ? 1 : 0;
    }
}

static int binpatch_p_read(binpatch_p_module *m, uint32_t number) {
    uint32_t n;
    if (x86flow_decode(&binpatch_p.body, &m->flow, &m->flow.functions[number], 0) != 0) return -1;
    x86flow_plan(&binpatch_p.body, binpatch_p.k_boring);
    for (n = 0; binpatch_p.looks && n < binpatch_p.body.count; n++)    /* hooks have no checks */
        binpatch_p.body.insn[n].target &= (uint8_t)~X86FLOW_TARGET_CHECKED;
    return 0;
}

/* Makes C of a function. Returns where callers are to go. */
static uint64_t binpatch_p_make_c(binpatch_p_module *m, uint32_t number) {
    x86copy_function *f = &m->copy.functions[number];
    binpatch_p_shared *h = m->shared;
    uint64_t to;
    if (!m->flow.functions[number].patched) return m->flow.functions[number].lo;
    if (!f->c_at && !f->failed) {
        if (binpatch_p_lock(h) != 0) {
            __atomic_fetch_add(&binpatch_p.missed, 1, __ATOMIC_RELAXED);
            return m->copy.rx + f->plain_at;
        }
        if (!f->c_at && !f->failed) {
            uint32_t at = 0;
            f->first_site = h->sites;
            if (binpatch_p_read(m, number) == 0) at = binpatch_p_emit(m, 0, h->sites);
            if (at) {
                binpatch_p_note_sites(m, number);
                f->sites = binpatch_p.copy.site_count;
                f->c_size = binpatch_p.copy.out_size;
                h->sites += f->sites;
                h->bytes_c += f->c_size;
                h->functions_c++;
                __atomic_store_n(&f->c_at, at, __ATOMIC_RELEASE);
                at += x86copy_skips(&m->flow.functions[number], 0);
                binpatch_p_join(m, &f->links_c, at);
            } else
                f->failed = 1;
        }
        binpatch_p_unlock(h);
    }
    if (f->bare) return m->flow.functions[number].lo;
    to = m->copy.rx + (f->c_at && !(f->failed & 1) ? f->c_at : f->plain_at);
    if (!binpatch_p.looks) __atomic_store_n(&m->slots[number], to, __ATOMIC_RELEASE);
    return to;
}

static void binpatch_p_note_i(binpatch_p_module *m, uint32_t at) {
    const x86copy *s = &binpatch_p.copy;
    uint32_t n;
    for (n = 0; n < s->b->count + 2; n++) {
        if (x86copy_is_site(s->b, n)) m->sites[s->spot[n].site].i_at = at + s->spot[n].at;
    }
}

/* Makes I of a function. Returns 1, or 0: there is none, C is to run. */
static uint32_t binpatch_p_make_i(binpatch_p_module *m, uint32_t number) {
    x86copy_function *f = &m->copy.functions[number];
    binpatch_p_shared *h = m->shared;
    x86copy *s = &binpatch_p.copy;
    uint32_t n;
    if (!m->flow.functions[number].patched) return 0;
    if (!f->c_at) (void)binpatch_p_make_c(m, number);
    if (!f->c_at) return 0;
    if (!f->i_at && !(f->failed & 2)) {
        if (binpatch_p_lock(h) != 0) return 0;
        if (!f->i_at && !(f->failed & 2)) {
            uint64_t base = m->copy.rx + binpatch_p_aligned(h->used);
            uint32_t at = 0;
            if (binpatch_p_read(m, number) == 0
                && x86copy_find_c(s, &m->copy, base, f->first_site) == 0)
                at = binpatch_p_emit(m, 1, f->first_site);
            if (at) {
                binpatch_p_note_i(m, at);
                f->i_size = s->out_size;
                f->returns_at = at - s->code_start + s->returns_at;
                h->bytes_i += f->i_size;
                h->functions_i++;
                __atomic_store_n(&f->i_at, at, __ATOMIC_RELEASE);
                at += x86copy_skips(&m->flow.functions[number], 1);
                binpatch_p_join(m, &f->links_i, at);
            } else
                f->failed |= 2;
        }
        binpatch_p_unlock(h);
    }
    if (!f->i_at) return 0;
    for (n = f->first_site; n < f->first_site + f->sites; n++)
        __atomic_store_n(&m->site_slots[n], m->copy.rx + m->sites[n].i_at, __ATOMIC_RELEASE);
    return 1;
}

#define BINPATCH_P_SLOW static
#define BINPATCH_P_DRAWS_SEED
#define BINPATCH_P_ASKS_LINUX

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

/* ---- a seed for this process ----------------------------- src/seed.c ---- */

/* Seed 0 draws one for the process, for runs that have one seed are one sample,
   however many they are. It is written into the dump (docs/formats.md, kind
   24): given as a seed it makes the same sample again. Where there is no
   operating system nothing is drawn, and the dump says that none was given. */
enum { BINPATCH_P_NO_SEED, BINPATCH_P_SEED_GIVEN, BINPATCH_P_SEED_DRAWN };

#ifdef BINPATCH_P_DRAWS_SEED
#ifdef _WIN32
__declspec(dllimport) unsigned long __stdcall GetCurrentProcessId(void);
#endif
BINPATCH_P_SLOW uint32_t binpatch_p_process(void) {
#if defined(_WIN32)
    return (uint32_t)GetCurrentProcessId();
#elif defined(__unix__) || defined(__APPLE__)
    return (uint32_t)getpid();
#else
    return 0;
#endif
}

BINPATCH_P_SLOW uint32_t binpatch_p_draw_seed(void) {
    uint32_t seed = 0;
    uintptr_t place = (uintptr_t)&seed; /* where the system puts a stack */
#ifdef BINPATCH_P_ASKS_LINUX
    struct { long s, ns; } now = { 0, 0 };
    const unsigned char *random = (const unsigned char *)(uintptr_t)getauxval(AT_RANDOM);
    int i;
    for (i = 0; random && i < 16; i++) seed = binpatch_p_mix(seed, random[i]);
    (void)syscall(SYS_clock_gettime, 0L, &now);
    seed = binpatch_p_mix(binpatch_p_mix(seed, (uint32_t)now.s), (uint32_t)now.ns);
#else
    seed = binpatch_p_mix(binpatch_p_mix(seed, (uint32_t)time(NULL)), (uint32_t)clock());
#endif
    seed = binpatch_p_mix(binpatch_p_mix(seed, binpatch_p_process()), (uint32_t)place);
    return seed ? seed : 1;
}
#endif

/* ---- patching: the sampler (figure 3 of bursty-tracing)  src/binpatch/patch_sampler.c ---- */

/* So many bursts a second: if the time since the last one was too long, the
   next gap is shorter, and the other way round, by no more than 8 times at
   once. */
static uint32_t binpatch_p_follow_clock(binpatch_p_thread *t) {
    uint64_t wanted = 1000000000 / binpatch_p.config.bursts_per_second, now, passed, gap;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    passed = now - t->burst_ns;
    if (!t->burst_ns) t->gap = binpatch_p.config.every;
    else {
        if (passed < wanted / 8 + 1) passed = wanted / 8 + 1;
        if (passed > wanted * 8) passed = wanted * 8;
        gap = (uint64_t)t->gap * wanted / passed;
        t->gap = gap < 1 ? 1 : gap > (1u << 29) ? 1u << 29 : (uint32_t)gap;
    }
    t->burst_ns = now;
    return t->gap;
}

static int32_t binpatch_p_gap(binpatch_p_thread *t) {
    uint32_t gap = binpatch_p.config.every;
    if (gap == BINPATCH_ALWAYS) return 0;
    if (binpatch_p.config.bursts_per_second) gap = binpatch_p_follow_clock(t);
    return (int32_t)binpatch_p_draw_gap(&t->random, gap, (uint32_t)binpatch_p.config.jitter);
}

/* Hands the buffered events over, but for records of kind 0. There a handler has
   interrupted, and has left by a jump, or has come here. Meanwhile handlers of
   signals that do not wait write elsewhere. */
static void binpatch_p_flush(binpatch_p_thread *t, int ended) {
    binpatch_event *events = (binpatch_event *)(void *)t->buffer;
    uint32_t count = (uint32_t)(t->position & (BINPATCH_P_BUFFER - 1)) / 16, n, kept = 0;
    enum { LAST = BINPATCH_P_BUFFER / 16 };
    if (!events) return;
    binpatch_p_write_to(t, binpatch_p_nowhere);
    if (events[LAST - 1].what) { /* it ran over: what is older is lost */
        __atomic_fetch_add(&binpatch_p.lost, LAST, __ATOMIC_RELAXED);
        count = LAST;
    }
    while (kept < count && events[kept].what) kept++;
    for (n = kept; n < count; n++)
        if (events[n].what) events[kept++] = events[n];
    if (kept < count) __atomic_fetch_add(&binpatch_p.lost, count - kept, __ATOMIC_RELAXED);
    __atomic_fetch_add(&binpatch_p.events, kept, __ATOMIC_RELAXED);
    if (binpatch_p.config.action && (kept || ended))
        binpatch_p.config.action(binpatch_p.config.user, events, kept, ended);
    memset(events, 0, (size_t)count * sizeof *events);
    count = (uint32_t)(t->position & (BINPATCH_P_BUFFER - 1)) / 16;
    if (count) __atomic_fetch_add(&binpatch_p.lost, count, __ATOMIC_RELAXED);
    binpatch_p_write_to(t, t->buffer);
}

/* What a thread is: not seen yet; seen; counted as one without a buffer; not to
   be sampled. */
enum { BINPATCH_P_NEW, BINPATCH_P_KNOWN, BINPATCH_P_LOST, BINPATCH_P_QUIET };

/* A thread takes a buffer when its first burst begins, and keeps it until
   binpatch_leave. */
static int binpatch_p_take_buffer(binpatch_p_thread *t) {
    uint32_t k, n;
    for (k = 0; k < BINPATCH_P_ROOMS && k * BINPATCH_P_THREADS < binpatch_p.config.threads
                && binpatch_p_open_room(&binpatch_p.rooms[k]); k++) {
        binpatch_p_room *room = &binpatch_p.rooms[k];
        for (n = 0; n < BINPATCH_P_THREADS; n++) {
            if (k * BINPATCH_P_THREADS + n == binpatch_p.config.threads) break;
            if (room->taken[n] || __atomic_exchange_n(&room->taken[n], 1, __ATOMIC_ACQUIRE)) continue;
            t->buffer = room->buffers + (size_t)n * BINPATCH_P_BUFFER;
            t->taken = &room->taken[n];
            t->rules = room->rules + (size_t)n * BINPATCH_P_RULES;
            binpatch_p_write_to(t, t->buffer);
            return 1;
        }
    }
    if (t->known != BINPATCH_P_LOST) __atomic_fetch_add(&binpatch_p.lost_threads, 1, 0);
    t->known = BINPATCH_P_LOST;
    return 0;
}

/* Counts the checks of the thread's span, of which `left` are still to come. */
static void binpatch_p_count_checks(binpatch_p_thread *t, int32_t left) {
    uint32_t done = t->span ? t->span - (uint32_t)(left < 0 ? 0 : left) : 0;
    __atomic_fetch_add(&binpatch_p.checks, done - t->counted, __ATOMIC_RELAXED);
    if (t->live) __atomic_fetch_add(&binpatch_p.burst_checks, done - t->counted, __ATOMIC_RELAXED);
    t->counted = done;
}

/* A gap begins at this check, or a burst, and n or `left` of its checks are
   still to come. */
static void binpatch_p_begin_span(binpatch_p_thread *t, int live, int32_t n) {
    if (live) __atomic_fetch_add(&binpatch_p.bursts, !t->live, __ATOMIC_RELAXED);
    t->bursts += live && !t->live;
    t->live = (uint32_t)live;
    t->left = live ? n : 0;
    t->n = live ? X86COPY_LIVE : n;
    t->span = (uint32_t)n + 1;
    t->counted = 0;
}

/* A burst begins, or what is left of one: so many checks. With halves it is two
   spans, and the second one is the last half of a whole burst: any check is as
   likely to lie there as any other. */
static void binpatch_p_begin_burst(binpatch_p_thread *t, uint32_t checks) {
    uint32_t half = binpatch_p.config.burst / 2;
    int is_halved = binpatch_p.config.halves && binpatch_p.config.every != BINPATCH_ALWAYS;
    t->behind = is_halved && checks > half ? half : 0;
    binpatch_p_begin_span(t, 1, (int32_t)(checks - t->behind) - 1);
    if (is_halved && !t->behind) binpatch_p_flush(t, BINPATCH_MIDDLE);
}

/* A thread begins anywhere in its period, when it is new and when the sampler
   was switched on again. Without jitter it begins with a whole gap. */
static void binpatch_p_first_span(binpatch_p_thread *t) {
    uint32_t burst = binpatch_p.config.burst, left = binpatch_p.config.every, live = 0;
    uint32_t jitter = (uint32_t)binpatch_p.config.jitter;
    if (jitter) left = binpatch_p_begin(&t->random, left, jitter, burst, &live);
    if (!live) binpatch_p_begin_span(t, 0, (int32_t)left - 1);
    else if (t->buffer || binpatch_p_take_buffer(t)) binpatch_p_begin_burst(t, left);
}

/* The burst ends here. */
static void binpatch_p_break_off(binpatch_p_thread *t) {
    int32_t gap = binpatch_p_gap(t);
    binpatch_p_count_checks(t, t->left);
    binpatch_p_flush(t, 1);
    binpatch_p_begin_span(t, 0, gap > 0 ? gap - 1 : 0);
}

/* A handler has left us by siglongjmp: of SIGSEGV, where the stack was full, or
   of any signal where none waits. Nothing here is half done that matters but the
   buffer; the caller repairs what is its own. Returns the signals that are to be
   held when we are left: those from before, if they are still held. */
static uint64_t binpatch_p_repair(binpatch_p_thread *t, uint64_t held) {
    uint64_t at_once = BINPATCH_P_AT_ONCE | BINPATCH_P_NEVER;
    int32_t gap = binpatch_p_gap(t);
    uint32_t count = (uint32_t)(t->position & (BINPATCH_P_BUFFER - 1)) / 16;
    if (t->buffer) {
        __atomic_fetch_add(&binpatch_p.lost, count, __ATOMIC_RELAXED);
        memset(t->buffer, 0, BINPATCH_P_BUFFER);
        binpatch_p_write_to(t, t->buffer);
    }
    binpatch_p_begin_span(t, 0, gap > 0 ? gap - 1 : 0);
    t->busy = 0;
    t->nested = 0;
    if (binpatch_p.config.abandoned) binpatch_p.config.abandoned(binpatch_p.config.user);
    return (held | at_once) == UINT64_MAX && !binpatch_p.no_calls ? t->held : held;
}

/* A check of the calling thread that the fast answers do not cover. Returns 1
   if a burst is live. */
static uint32_t binpatch_p_edge_of_burst(binpatch_p_thread *t) {
    uint32_t number;
    if (t->n == X86COPY_LIVE) { /* inside a burst: full buffer, or I is to be made */
        if ((t->position & (BINPATCH_P_BUFFER - 1)) >= 0xC000) binpatch_p_flush(t, 0);
        return 1;
    }
    if (t->n >= 0) return 0;    /* a handler came between, and a gap has begun for it */
    if (!t->known) {
        t->known = BINPATCH_P_KNOWN;
        number = __atomic_fetch_add(&binpatch_p.threads, 1, __ATOMIC_RELAXED);
        t->random = binpatch_p_state_of(binpatch_p.config.seed, number, 0);
        if (binpatch_p.config.thread) binpatch_p.config.thread(binpatch_p.config.user);
    }
    if (!t->span && binpatch_p.on && t->known != BINPATCH_P_QUIET
        && binpatch_p.config.every != BINPATCH_ALWAYS) {
        binpatch_p_first_span(t);
        if (t->span) return t->live;
    }
    binpatch_p_count_checks(t, 0);
    if (!binpatch_p.on || t->known == BINPATCH_P_QUIET
        || (!t->buffer && !binpatch_p_take_buffer(t))) {
        if (t->live) binpatch_p_flush(t, 1);
        binpatch_p_begin_span(t, 0, 65536); /* look again whether it was switched on */
        t->span = 0;
        return 0;
    }
    if (t->live && t->behind) {
        uint32_t behind = t->behind;
        t->behind = 0;
        binpatch_p_flush(t, BINPATCH_MIDDLE);
        binpatch_p_begin_span(t, 1, (int32_t)behind - 1);
        return 1;
    }
    if (t->live) {
        int32_t gap = binpatch_p_gap(t);
        binpatch_p_flush(t, gap != 0);
        if (gap > 0) {
            binpatch_p_begin_span(t, 0, gap - 1);
            return 0;
        }
    }
    binpatch_p_begin_burst(t, binpatch_p.config.burst);
    return 1;
}

/* ---- patching: nothing is patched, stacks are looked at  src/binpatch/patch_look.c ---- */

/* Who only wants binpatch_stack needs no copies, no jumps and no survey of the
   code: the functions that .eh_frame lists, their names, and the rules of their
   frames. That is ready after some milliseconds for a program of any size.

   A part (.cold) belongs to a function, and a survey would tell which. Without
   one the part itself tells, when it is first met: where it jumps back to. If
   it never does, or to several functions, it counts as a function of its own.

   A library that is loaded later becomes a module when a stack first leads
   there. The C library says which one it is (_dl_find_object, which may be
   called in a handler); that is asked anew each time, for the library may be
   gone the next time, and another one in its place.

       module    from the start: ranges and functions      later: what the C library said
                 [0, first_count)                          [first_count, module_count)

   cost: for each frame in such a library one question more. */

/* The number of the function that a part jumps back into, + 1; ~0: nobody can
   tell. A part is read once, MOST instructions of it at most. */
static uint32_t binpatch_p_owner_of(const x86flow_module *m, const x86flow_function *part) {
    enum { MOST = 4096 };
    uint64_t at = part->lo, end = part->lo + part->size;
    uint32_t owner = 0, n;
    for (n = 0; at < end && n < MOST; n++) {
        x86decode_insn i;
        const x86flow_function *f;
        unsigned length = x86decode(binpatch_p_at(at), (size_t)(end - at), &i);
        uint64_t to;
        if (!length) break;
        to = x86decode_target(&i, at);
        at += length;
        if (i.kind != X86DECODE_JUMP && i.kind != X86DECODE_BRANCH) continue;
        f = to - part->lo < part->size ? NULL : x86flow_function_at(m, to);
        if (!f || f->lo == to || f->flags & X86FLOW_FRAGMENT) continue;
        if (owner && owner != (uint32_t)(f - m->functions) + 1) return ~0u;
        owner = (uint32_t)(f - m->functions) + 1;
    }
    return owner ? owner : ~0u;
}

/* Where the function starts that a place of code belongs to. */
static uint64_t binpatch_p_belongs_to(const x86flow_module *m, x86flow_function *f) {
    if (!(f->flags & X86FLOW_FRAGMENT)) return f->lo;
    if (!f->owner) f->owner = binpatch_p_owner_of(m, f);
    return f->owner == ~0u ? f->lo : m->functions[f->owner - 1].lo;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

/* The module of an address that none from the start has, or NULL. */
static binpatch_p_module *binpatch_p_late_module(uint64_t pc) {
    struct dl_find_object found;
    uint32_t n, count = __atomic_load_n(&binpatch_p.module_count, __ATOMIC_ACQUIRE);
    uint32_t none = 0;
    binpatch_p_module *m = NULL;
    uint64_t lo;
    if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)pc, &found) != 0) return NULL;
    if (!found.dlfo_eh_frame || !found.dlfo_link_map) return NULL;
    lo = binpatch_p_address(found.dlfo_map_start);
    for (n = binpatch_p.first_count; n < count; n++) {
        m = &binpatch_p.modules[n];
        if (m->flow.lo == lo && m->flow.hi == binpatch_p_address(found.dlfo_map_end)
            && m->flow.frame_header == (const uint8_t *)found.dlfo_eh_frame
            && m->late == found.dlfo_link_map)
            return m;
    }
    if (!__atomic_compare_exchange_n(&binpatch_p.late_lock, &none, 1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return NULL;                    /* another thread is at it; this one is told next time */
    m = NULL;
    if (count == binpatch_p.module_count && count < BINPATCH_P_MODULES) {
        m = &binpatch_p.modules[count];
        memset(m, 0, sizeof *m);
        m->flow.lo = lo;
        m->flow.hi = binpatch_p_address(found.dlfo_map_end);
        m->flow.bias = found.dlfo_link_map->l_addr;
        m->flow.frame_header = (const uint8_t *)found.dlfo_eh_frame;
        m->late = found.dlfo_link_map;
        m->path = "";
        m->refusal = "loaded later";
        __atomic_store_n(&binpatch_p.module_count, count + 1, __ATOMIC_RELEASE);
    } else if (count == BINPATCH_P_MODULES) binpatch_p.modules_left = 1;
    __atomic_store_n(&binpatch_p.late_lock, 0, __ATOMIC_RELEASE);
    return m;
}
#else
static binpatch_p_module *binpatch_p_late_module(uint64_t pc) { return (void)pc, NULL; }
#endif

/* The same as binpatch_p_learn, of a library that was loaded later. */
static int binpatch_p_learn_late(uint64_t pc, binpatch_p_known *out) {
    const binpatch_p_module *m = binpatch_p.looks ? binpatch_p_late_module(pc) : NULL;
    x86flow_unwind u;
    const uint8_t *fde;
    uint64_t start = 0;
    if (!m) return -1;
    fde = x86flow_find_fde(m->flow.frame_header, pc, &start);
    if (!fde || x86flow_read_fde(fde, &u) != 0 || pc - start >= u.size) return -1;
    out->module = (uint32_t)(m - binpatch_p.modules);
    out->place = (uint32_t)(start - m->flow.bias);
    out->function = 0;
    return x86flow_find_rule(fde, pc - start, &out->rule);
}

/* ---- patching: the stack when a burst begins  src/binpatch/patch_stack.c ---- */
/* The copy that holds an address; NULL: none does. */
static const binpatch_p_copy *binpatch_p_copy_at(const binpatch_p_module *m, uint64_t address) {
    uint64_t at = address - m->copy.rx;
    uint32_t lo = 0, hi;
    if (m->refusal || !m->shared || at >= m->code_bytes) return NULL;
    hi = __atomic_load_n(&m->shared->copies, __ATOMIC_ACQUIRE);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->copies[mid].at <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo || at - m->copies[lo - 1].at > m->copies[lo - 1].size) return NULL;
    return &m->copies[lo - 1];
}

/* Fills in what is known of the code at pc. Returns 0, or -1: nothing. */
static int binpatch_p_learn(uint64_t pc, binpatch_p_known *out) {
    const x86flow_function *f = NULL;
    const uint8_t *fde = NULL;
    uint64_t start = 0;
    uint32_t n;
    int is_known = 0;
    for (n = 0; n < binpatch_p.module_count && !fde; n++) {
        const binpatch_p_module *m = &binpatch_p.modules[n];
        const binpatch_p_copy *copy = binpatch_p_copy_at(m, pc);
        out->function = 0;
        if (copy) {
            f = &m->flow.functions[copy->function];
            if (copy->at == m->copy.functions[copy->function].c_at)
                out->function = 1 + copy->function;
            fde = x86flow_find_fde(m->rx + copy->header, pc, &start);
        } else if (binpatch_p_in_text(m, pc)) {
            f = x86flow_function_at(&m->flow, pc);
            if (!f) continue;
            fde = f->fde;
            start = f->lo;
        }
        out->module = n;
        if (f) out->place = (uint32_t)(f->lo - m->flow.bias);
    }
    for (n = 0; n < binpatch_p.other_count && !fde; n++) {
        if (pc < binpatch_p.others[n].lo || pc >= binpatch_p.others[n].hi) continue;
        fde = x86flow_find_fde(binpatch_p.others[n].frame_header, pc, &start);
        is_known = 1;
    }
    if (!f && !is_known) return binpatch_p_learn_late(pc, out);
    if (f && binpatch_p.looks) {
        x86flow_module *m = &binpatch_p.modules[out->module].flow;
        out->place = (uint32_t)(binpatch_p_belongs_to(m, &m->functions[f - m->functions]) - m->bias);
    } else if (f && f->owner) {
        const x86flow_module *m = &binpatch_p.modules[out->module].flow;
        out->place = (uint32_t)(m->functions[f->owner - 1].lo - m->bias);
    } else if (!f || f->flags & X86FLOW_FRAGMENT) out->place = ~0u;
    return fde ? x86flow_find_rule(fde, pc - start, &out->rule) : -1;
}

/* The same from the thread's table. Each return address has one place in it. */
static const binpatch_p_known *binpatch_p_known_at(const binpatch_p_thread *t, uint64_t pc) {
    uint64_t mixed = (pc * UINT64_C(0x9E3779B97F4A7C15)) >> 54;
    binpatch_p_known *known = &t->rules[mixed & (BINPATCH_P_RULES - 1)];
    if (known->rule.pc != pc) {
        known->rule.pc = 0;
        if (binpatch_p_learn(pc, known) != 0) return NULL;
        if (!binpatch_p.looks || known->module < binpatch_p.first_count) known->rule.pc = pc;
    }
    return known;
}

/* The open functions of a burst stand in the second half of a thread's buffer,
   which is empty then. */
typedef char binpatch_p_frames_fit[
    BINPATCH_FRAMES * sizeof(binpatch_frame) <= BINPATCH_P_BUFFER / 2 ? 1 : -1];

/* A burst begins: what the call that pushed its return address there returns to
   belongs to it. See x86copy_return_in_i. */
static void binpatch_p_redirect(const binpatch_p_known *known, uint64_t pushed) {
    uint64_t *place = (uint64_t *)(uintptr_t)pushed, to;
    binpatch_p_module *m;
    if (!known || !known->function || binpatch_p.shadow_stack) return;
    m = &binpatch_p.modules[known->module];
    if (!m->copy.functions[known->function - 1].i_at)
        (void)binpatch_p_make_i(m, known->function - 1);
    to = x86copy_return_in_i(&m->copy, known->function - 1, *place);
    if (to) *place = to;
}

/* From a site outwards. At the site of an entry the caller's address is on top
   of the stack, and the function is about to report itself. Returns into C are
   led to I. */
static uint32_t binpatch_p_walk(const binpatch_p_thread *t, const binpatch_p_module *m,
                                uint32_t site, const uint64_t *saved, binpatch_frame *frames) {
    const binpatch_p_site *y = &m->sites[site];
    const x86flow_function *f = &m->flow.functions[y->function];
    uint64_t rbp = saved[X86COPY_SAVED_RBP], pc = 0;
    uint64_t rsp = binpatch_p_address(saved + X86COPY_SAVED_COUNT) + 128 + 8 * y->flags;
    binpatch_p_known here;
    const binpatch_p_known *known = &here;
    uint64_t end = (uint64_t)getauxval(AT_RANDOM) & ~UINT64_C(7);
    uint32_t count = 0, steps;
    if (rsp >= end || end - rsp > 1u << 26) /* another thread's: glibc has its data above it */
        __asm__("mov %%fs:0, %0" : "=r"(end));
    if (rsp >= end || end - rsp > 1u << 26) end = UINT64_MAX - 7; /* another stack: not known */
    here.module = (uint32_t)(m - binpatch_p.modules);
    here.place = (uint32_t)(f->lo - m->flow.bias);
    if (y->entry) {
        pc = *(const uint64_t *)(const void *)binpatch_p_at(rsp);
        rsp += 8;
        known = binpatch_p_known_at(t, pc - 1);
        binpatch_p_redirect(known, rsp - 8);
    } else if (x86flow_rule_of(&m->flow, f, y->offset, &here.rule) != 0)
        return 0;
    for (steps = 0; steps < 2 * BINPATCH_FRAMES && count < BINPATCH_FRAMES && known; steps++) {
        if (x86flow_step_inside(&known->rule, &pc, &rsp, &rbp, end) != 0) break;
        if (known->place != ~0u) {
            frames[count].stack = rsp - 8;
            frames[count].module = known->module;
            frames[count++].place = known->place;
        }
        known = binpatch_p_known_at(t, pc - 1); /* inside the call */
        binpatch_p_redirect(known, rsp - 8);
    }
    return count;
}

/* Is a return address believable? It stands behind a call of code that is
   known. */
static const binpatch_p_known *binpatch_p_caller(uint64_t pc, binpatch_p_known *room) {
    const binpatch_p_thread *t = &binpatch_p_tls;
    if (t->rules) return binpatch_p_known_at(t, pc - 1);
    return binpatch_p_learn(pc - 1, room) == 0 ? room : NULL;
}

enum { BINPATCH_P_EVENT_FRAME = 0x98 };   /* so much lower is the stack where I writes an event */

/* Recursion: what stands three times behind itself, as `a a a` or `a b a b a b`,
   is listed twice, which keeps who calls whom. Returns how many frames stay. */
static uint32_t binpatch_p_fold(const binpatch_frame *frames, uint32_t count) {
    enum { LONGEST = 8 };
    uint32_t period, n;
    for (period = 1; period <= LONGEST && 3 * period <= count; period++) {
        for (n = count - 1; n >= count - 2 * period; n--) {
            const binpatch_frame *a = &frames[n], *b = &frames[n - period];
            if (a->module != b->module || a->place != b->place) break;
        }
        if (n < count - 2 * period) return count - period;
    }
    return count;
}

/* The module whose text has pc, or UINT32_MAX: none, or pc is in a stub that only
   jumps on, which belongs to whoever calls it. */
static uint32_t binpatch_p_bare_module(uint64_t pc) {
    const uint8_t *at = binpatch_p_at(pc);
    const binpatch_p_module *m = NULL;
    uint32_t n;
    for (n = 0; n < binpatch_p.module_count; n++) {
        m = &binpatch_p.modules[n];
        if (binpatch_p_in_text(m, pc) && !binpatch_p_copy_at(m, pc)) break;
    }
    if (n == binpatch_p.module_count || !m || pc - m->flow.text_lo < 5 || m->flow.text_hi - pc < 16)
        return UINT32_MAX;
    if (at[0] == 0xE9 && at[-5] == 0x68) return UINT32_MAX;
    if (at[0] == 0x68 && at[5] == 0xE9) return UINT32_MAX;
    if (at[0] == 0xF3 && at[1] == 0x0F && at[2] == 0x1E && at[3] == 0xFA) at += 4;
    if (at[0] == 0x41 && at[1] == 0xBB) at += 6;
    return at[0] == 0xFF && at[1] == 0x25 ? UINT32_MAX : n;
}

/* Does a call stand before it? */
static int binpatch_p_behind_call(uint64_t pc) {
    const uint8_t *at = binpatch_p_at(pc);
    uint32_t bytes;
    if (at[-5] == 0xE8) return 1;
    for (bytes = 2; bytes <= 7; bytes++) {
        if (at[-(int)bytes] == 0xFF && (at[1 - (int)bytes] & 0x38) == 0x10) return 1;
    }
    return 0;
}

/* From code without a rule: the next return address on the stack. *rsp: where it
   is. NULL: there is none near. */
static const binpatch_p_known *binpatch_p_scan(uint64_t *rsp, uint64_t end,
                                               binpatch_p_known *room, uint64_t *to) {
    enum { WORDS = 64 };
    uint64_t at = *rsp;
    uint32_t n;
    for (n = 0; n < WORDS && at + 8 <= end; n++, at += 8) {
        const binpatch_p_known *known;
        *to = *(const uint64_t *)(const void *)binpatch_p_at(at);
        if (*to < 4096 || binpatch_p_bare_module(*to) == UINT32_MAX) continue;
        known = binpatch_p_caller(*to, room);
        if (!known || !binpatch_p_behind_call(*to)) continue;
        *rsp = at;
        return known;
    }
    return NULL;
}

/* What one walk has learned of return addresses. Recursion comes back to a few of
   them again and again, and must be as quick as a look at memory: who ticks every
   4 ms has no time for more. */
enum { BINPATCH_P_NEAR = 16, BINPATCH_P_FAR_COST = 16, BINPATCH_P_WALK = 1 << 17 };
typedef struct binpatch_p_near {
    binpatch_p_known known[BINPATCH_P_NEAR];
    uint64_t at[BINPATCH_P_NEAR];
} binpatch_p_near;

static const binpatch_p_known *binpatch_p_near_caller(binpatch_p_near *near, uint64_t pc,
                                                      binpatch_p_known *room, uint32_t *cost) {
    uint32_t n = (uint32_t)(pc ^ pc >> 4) & (BINPATCH_P_NEAR - 1);
    const binpatch_p_known *known;
    *cost += 1;
    if (near->at[n] == pc) return &near->known[n];
    *cost += BINPATCH_P_FAR_COST;
    known = binpatch_p_caller(pc, room);
    if (!known) return NULL;
    near->at[n] = pc;
    near->known[n] = *known;
    return &near->known[n];
}

/* seen NULL: all is listed as it stands. */
static uint32_t binpatch_p_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                 binpatch_frame *frames, uint32_t max, binpatch_seen *seen) {
    binpatch_p_known room, here, entry = {{0, 8, 0, 7, 0}, 0, ~0u, 0};
    const binpatch_p_known *known = &here, *next;
    binpatch_p_thread *t = &binpatch_p_tls;
    uint32_t count = 0, steps, cost = 0, bare = UINT32_MAX;
    uint32_t most = seen ? BINPATCH_P_WALK : 1024 * (BINPATCH_P_FAR_COST + 1);
    binpatch_p_near near;
    memset(near.at, 0, sizeof near.at);
    if (rsp < t->busy) return UINT32_MAX; /* else a handler has jumped out of it */
    /* With a buffer a thread also has a memory for what it learns of return
       addresses. */
    if (t->known == BINPATCH_P_KNOWN && !t->buffer && !t->busy) (void)binpatch_p_take_buffer(t);
    /* Stubs have no rule of their own; they stand between a call and its
       function. */
    if (binpatch_p_learn(pc, &here) != 0) {
        known = &entry;
        if (seen) bare = binpatch_p_bare_module(pc);
        if (bare != UINT32_MAX && max) {
            frames[0].stack = rsp;
            frames[0].module = bare;
            frames[0].place = (uint32_t)(pc - binpatch_p.modules[bare].flow.bias);
            count = 1;
        }
    }
    for (steps = 0; cost < most && count < max && known; steps++) {
        uint64_t to = pc, sp = rsp, bp = rbp;
        binpatch_p_known now = *known; /* the caller's may take its place in the table */
        if (x86flow_step_inside(&now.rule, &to, &sp, &bp, stack_end) != 0) break;
        next = binpatch_p_near_caller(&near, to, &room, &cost);
        if (bare != UINT32_MAX && steps == 0 && (!next || !binpatch_p_behind_call(to))) {
            sp = rsp;
            next = binpatch_p_scan(&sp, stack_end, &room, &to);
            sp += 8;
        } else if (!next && steps == 0 && now.rule.reg == 7) {
            to = pc;
            sp = rsp + BINPATCH_P_EVENT_FRAME;
            bp = rbp;
            if (x86flow_step_inside(&now.rule, &to, &sp, &bp, stack_end) == 0)
                next = binpatch_p_caller(to, &room);
        }
        if (now.place != ~0u) {
            frames[count].stack = sp - 8;
            frames[count].module = now.module;
            frames[count++].place = now.place;
            if (seen) count = binpatch_p_fold(frames, count);
        }
        known = next;
        pc = to;
        rsp = sp;
        rbp = bp;
    }
    if (seen) {
        seen->is_bare = bare != UINT32_MAX;
        seen->is_cut = known && steps && (cost >= most || count == max);
    }
    if (!steps && !count && known && known->place != ~0u && max) { /* no stack: the function at least */
        frames[0].stack = rsp;
        frames[0].module = known->module;
        frames[0].place = known->place;
        count = 1;
    }
    return count;
}

BINPATCH_API uint32_t binpatch_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     binpatch_frame *frames, uint32_t max) {
    return binpatch_p_stack(pc, rsp, rbp, stack_end, frames, max, NULL);
}

BINPATCH_API uint32_t binpatch_stack_folded(uint64_t pc, uint64_t rsp, uint64_t rbp,
                                            uint64_t stack_end, binpatch_frame *frames,
                                            uint32_t max, binpatch_seen *seen) {
    seen->is_bare = seen->is_cut = 0;
    return binpatch_p_stack(pc, rsp, rbp, stack_end, frames, max, seen);
}

static void binpatch_p_tell_hook(const binpatch_p_module *m, uint64_t code, const uint64_t *saved);

/* Signals that came while a burst was prepared are handled as soon as it is:
   right at its start, as if they were a hundred times as many as in the rest of
   the run. Such a burst is broken off. */
static int binpatch_p_is_disturbed(const binpatch_p_thread *t, uint64_t held) {
    return t->live && binpatch_p.config.every != BINPATCH_ALWAYS
           && (binpatch_p_waiting() & ~held) != 0;
}

static uint64_t binpatch_p_answer(binpatch_p_module *m, uint64_t code, const uint64_t *saved,
                                  uint64_t held) {
    binpatch_p_thread *t = &binpatch_p_tls;
    uint32_t number = (uint32_t)code & X86COPY_NUMBER;
    uintptr_t depth = binpatch_p_depth(saved);
    const x86copy_function *f = &m->copy.functions[number & ~(uint32_t)X86COPY_LEFT_BY_JUMP];
    uint64_t answer = 0, bursts = t->bursts;
    int refused = !binpatch_p.installed;
    /* A handler inside of us, of a signal that does not wait, gets no burst. If
       this goes on for ever, it was none: it left us by longjmp, and the stack is
       deeper now than it was then. */
    if (t->busy && depth < t->busy && t->nested++ < 65536) refused = 1;
    if (refused && binpatch_p.on) __atomic_fetch_add(&binpatch_p.missed, 1, __ATOMIC_RELAXED);
    if (code & X86COPY_MAKE_C && refused) return m->copy.rx + f->plain_at;
    if (code & X86COPY_MAKE_I && refused) return m->copy.rx + f->t_at;
    if (refused) return 0;
    t->nested = 0;
    t->busy = depth;
    if (binpatch_p.looks) {
        binpatch_p_tell_hook(m, code, saved);
        answer = m->copy.rx + f->c_at;
    } else if (code & X86COPY_MAKE_C)
        answer = binpatch_p_make_c(m, number);
    else if (code & X86COPY_MAKE_I) {
        answer = binpatch_p_make_i(m, number);
        if (answer && binpatch_p_is_disturbed(t, held)) {
            binpatch_p_break_off(t);
            answer = 0;
        }
        if (answer) answer = f->i_at + x86copy_skips(&m->flow.functions[number], 1);
        answer = m->copy.rx + (answer ? answer : f->t_at);
    } else {
        answer = binpatch_p_edge_of_burst(t);
        if (answer && !m->site_slots[code]) answer = binpatch_p_make_i(m, m->sites[code].function);
        if (t->bursts != bursts) {
            binpatch_frame *frames = (binpatch_frame *)(void *)(t->buffer + BINPATCH_P_BUFFER / 2);
            uint32_t count = binpatch_p_walk(t, m, number, saved, frames);
            if (binpatch_p.config.begin)
                binpatch_p.config.begin(binpatch_p.config.user, frames, count);
            memset(frames, 0, count * sizeof *frames);
            if (binpatch_p_is_disturbed(t, held)) {
                binpatch_p_break_off(t);
                answer = 0;
            }
        }
    }
    t->busy = 0;
    return answer;
}

/* The emitted code comes here with what it pushed, a site or a function to be
   made, and with where it saved the registers. */
static uint64_t binpatch_p_heavy(uint64_t code, void *user, const uint64_t *saved) {
    binpatch_p_thread *t = &binpatch_p_tls;
    uint64_t held = binpatch_p_hold(), answer;
    if (t->busy && binpatch_p_depth(saved) >= t->busy)
        held = binpatch_p_repair(t, held);
    if (!t->busy) t->held = held;
    answer = binpatch_p_answer((binpatch_p_module *)user, code, saved, held);
    binpatch_p_release(held);
    return answer;
}

/* ---- patching: modules of this process - src/binpatch/patch_modules.c ---- */

static int binpatch_p_each_module(struct dl_phdr_info *info, size_t size, void *user) {
    binpatch_p_module *m = &binpatch_p.modules[binpatch_p.module_count];
    x86flow_module *flow = &m->flow;
    uint64_t own = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_each_module);
    const char *path = info->dlpi_name ? info->dlpi_name : "", *base;
    int n, own_module = 0, first = binpatch_p.module_count == 0 && !*path;
    (void)size;
    (void)user;
    if (binpatch_p.module_count == BINPATCH_P_MODULES) {    /* an event has eight bits for it */
        binpatch_p.modules_left++;
        return 0;
    }
    memset(m, 0, sizeof *m);
    flow->bias = info->dlpi_addr;
    flow->lo = flow->text_lo = ~UINT64_C(0);
    m->path = path;
    for (n = 0; n < info->dlpi_phnum; n++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[n];
        uint64_t lo = flow->bias + p->p_vaddr, hi = lo + p->p_memsz;
        if (p->p_type == PT_DYNAMIC)
            m->dynamic = (const Elf64_Dyn *)(const void *)binpatch_p_at(lo);
        if (p->p_type == PT_GNU_EH_FRAME) flow->frame_header = binpatch_p_at(lo);
        if (p->p_type != PT_LOAD) continue;
        if (lo < flow->lo) flow->lo = lo;
        if (hi > flow->hi) flow->hi = hi;
        if (p->p_flags & PF_R && flow->readable_count < 8) {
            flow->readable[flow->readable_count][0] = lo;
            flow->readable[flow->readable_count++][1] = hi;
        }
        if (!(p->p_flags & PF_X) && p->p_flags & PF_R && m->data_count < 8) {
            m->data[m->data_count][0] = lo;
            m->data[m->data_count++][1] = lo + p->p_filesz;
        }
        if (!(p->p_flags & PF_X)) continue;
        if (m->code_count < 8) {
            m->code_offset[m->code_count] = p->p_offset;
            m->code[m->code_count][0] = lo;
            m->code[m->code_count++][1] = hi;
        }
        if (lo < flow->text_lo) flow->text_lo = lo;
        if (hi > flow->text_hi) flow->text_hi = hi;
        if (own >= lo && own < hi) own_module = 1;
    }
    base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!flow->text_hi) return 0;
    if (binpatch_p.other_count < BINPATCH_P_MODULES) {
        binpatch_p_other *other = &binpatch_p.others[binpatch_p.other_count++];
        other->lo = flow->text_lo;
        other->hi = flow->text_hi;
        other->frame_header = flow->frame_header;
    }
    if ((!*path && !first) || (own_module && *path)) return 0;
    if (!strncmp(base, "linux-vdso", 10)) return 0;
    if (!strncmp(base, "ld-linux", 8) && !binpatch_p.looks) return 0;
    if (binpatch_p.config.want) {
        if (!binpatch_p.config.want(binpatch_p.config.user, path, NULL)) return 0;
    } else if (!strncmp(base, "libc.so", 7) || !strncmp(base, "libgcc_s.", 9))
        return 0;
    binpatch_p.module_count++;
    return 0;
}

/* What ld.so knows of a module's symbols and relocations. */
typedef struct binpatch_p_dynamic {
    const Elf64_Sym *symbols;
    const char *names;
    size_t count;
    const Elf64_Rela *rela[2];
    size_t rela_count[2];
    const uint64_t *relr;       /* packed: words that the module's place was added to */
    size_t relr_count;
} binpatch_p_dynamic;

enum { BINPATCH_P_RELRSZ = 35, BINPATCH_P_RELR = 36 };  /* older elf.h have no names for them */

/* DT_GNU_HASH does not say how many symbols there are: the end of the last
   chain does. */
static size_t binpatch_p_count_symbols(const uint32_t *gnu) {
    const uint32_t *buckets = gnu + 4 + gnu[2] * 2, *chain = buckets + gnu[0];
    size_t n, last = 0;
    for (n = 0; n < gnu[0]; n++) {
        if (buckets[n] > last) last = buckets[n];
    }
    if (!last) return 0;
    while (!(chain[last - gnu[1]] & 1)) last++;
    return last + 1;
}

static int binpatch_p_open_dynamic(const binpatch_p_module *m, binpatch_p_dynamic *y) {
    const Elf64_Dyn *d;
    const uint32_t *hash = NULL, *gnu = NULL;
    memset(y, 0, sizeof *y);
    if (!m->dynamic) return -1;
    for (d = m->dynamic; d->d_tag != DT_NULL; d++) {
        uint64_t at = d->d_un.d_ptr;
        const void *p;
        if (at < m->flow.lo && m->flow.bias) at += m->flow.bias; /* ld.so leaves some as is */
        p = binpatch_p_at(at);
        switch (d->d_tag) {
        case DT_SYMTAB: y->symbols = (const Elf64_Sym *)p; break;
        case DT_STRTAB: y->names = (const char *)p; break;
        case DT_HASH: hash = (const uint32_t *)p; break;
        case DT_GNU_HASH: gnu = (const uint32_t *)p; break;
        case DT_RELA: y->rela[0] = (const Elf64_Rela *)p; break;
        case DT_RELASZ: y->rela_count[0] = d->d_un.d_val / sizeof(Elf64_Rela); break;
        case DT_JMPREL: y->rela[1] = (const Elf64_Rela *)p; break;
        case BINPATCH_P_RELR: y->relr = (const uint64_t *)p; break;
        case BINPATCH_P_RELRSZ: y->relr_count = d->d_un.d_val / sizeof *y->relr; break;
        case DT_PLTRELSZ: y->rela_count[1] = d->d_un.d_val / sizeof(Elf64_Rela); break;
        default: break;
        }
    }
    if (hash)
        y->count = hash[1];
    else if (gnu)
        y->count = binpatch_p_count_symbols(gnu);
    return y->symbols && y->names ? 0 : -1;
}

/* Calls of a module's own exported functions go through its GOT. Does this slot
   lead to its own symbol? ld.so has said so already, or it will when the
   function is first called: then the slot still leads to a stub of the PLT, and
   the name must mean the module's own function to the whole process. */
static int binpatch_p_leads_home(const binpatch_p_module *m, uint64_t slot, uint64_t at,
                                 const char *name) {
    uint64_t now = binpatch_p_u64(binpatch_p_at(slot));
    if (now == at) return 1;
    if (now && !binpatch_p_in_text(m, now)) return 0;
    return dlsym(RTLD_DEFAULT, name) == (const void *)binpatch_p_at(at);
}

static void binpatch_p_find_own_slots(binpatch_p_module *m) {
    binpatch_p_dynamic y;
    size_t part, n, max;
    if (m->own_slots || binpatch_p_open_dynamic(m, &y) != 0) return;
    max = y.rela_count[0] + y.rela_count[1];
    m->own_slots = (binpatch_p_own_slot *)binpatch_p_map((max + 1) * sizeof *m->own_slots, -1);
    for (part = 0; m->own_slots && part < 2; part++) {
        for (n = 0; y.rela[part] && n < y.rela_count[part]; n++) {
            const Elf64_Rela *r = &y.rela[part][n];
            const Elf64_Sym *symbol = &y.symbols[r->r_info >> 32];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            uint64_t slot = m->flow.bias + r->r_offset, at = m->flow.bias + symbol->st_value;
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
            if (!symbol->st_shndx || (symbol->st_info & 15) != STT_FUNC) continue;
            if (!binpatch_p_leads_home(m, slot, at, y.names + symbol->st_name)) continue;
            m->own_slots[m->own_slot_count].slot = slot;
            m->own_slots[m->own_slot_count++].to = at;
        }
    }
}

/* Copies call directly what such slots lead to. */
static void binpatch_p_bind(binpatch_p_module *m) {
    x86flow_bound *bound;
    uint32_t n;
    binpatch_p_find_own_slots(m);
    m->flow.bound_count = 0;
    bound = (x86flow_bound *)binpatch_p_map((m->own_slot_count + 1) * sizeof *bound, -1);
    for (n = 0; bound && n < m->own_slot_count; n++) {
        uint64_t to = m->own_slots[n].to;
        const x86flow_function *f = x86flow_function_at(&m->flow, to);
        if (!f || f->lo != to) continue;
        x86flow_bind(&m->flow, bound, m->own_slots[n].slot, (uint32_t)(f - m->flow.functions));
    }
}

/* The names of exported functions, which serve the filter; and where the GOT
   leads. */
static void binpatch_p_read_dynamic(binpatch_p_module *m) {
    binpatch_p_dynamic y;
    size_t n, part;
    if (binpatch_p_open_dynamic(m, &y) != 0) return;
    for (n = 0; !m->known && n < y.count; n++) {
        unsigned type = y.symbols[n].st_info & 15;
        uint64_t at = m->flow.bias + y.symbols[n].st_value;
        x86flow_function *f;
        if (!y.symbols[n].st_shndx) continue;
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at && !f->name) f->name = y.names + y.symbols[n].st_name;
    }
    binpatch_p_bind(m);
    for (part = 0; part < 2; part++) {
        for (n = 0; y.rela[part] && n < y.rela_count[part]; n++) {
            const Elf64_Rela *r = &y.rela[part][n];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
            x86copy_note_import(&m->copy, y.names + y.symbols[r->r_info >> 32].st_name,
                                m->flow.bias + r->r_offset);
        }
    }
}

/* Packed relocations (DT_RELR). An even entry is the place of a word; each odd
   one behind it has a bit for each of the next 63 words. The words themselves
   hold addresses by now. */
static void binpatch_p_take_packed(const binpatch_p_module *m, const binpatch_p_dynamic *y,
                                   x86flow_graph *g) {
    uint64_t at = m->flow.bias, bits;
    size_t n, k;
    for (n = 0; y->relr && n < y->relr_count; n++) {
        if (y->relr[n] & 1) {
            for (k = 0, bits = y->relr[n] >> 1; bits; k++, bits >>= 1) {
                if (bits & 1) x86flow_take(g, &m->flow, binpatch_p_u64(binpatch_p_at(at + 8 * k)));
            }
            at += 63 * 8;
        } else {
            at = m->flow.bias + y->relr[n];
            x86flow_take(g, &m->flow, binpatch_p_u64(binpatch_p_at(at)));
            at += 8;
        }
    }
}

/* Exported functions may be called by anybody, and so may those whose addresses
   stand in data. */
static void binpatch_p_take_dynamic(const binpatch_p_module *m, x86flow_graph *g) {
    binpatch_p_dynamic y;
    size_t n, part;
    if (binpatch_p_open_dynamic(m, &y) != 0) return;
    for (n = 0; n < y.count; n++) {
        unsigned type = y.symbols[n].st_info & 15;
        if (!y.symbols[n].st_shndx) continue;
        if (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE)
            x86flow_take(g, &m->flow, m->flow.bias + y.symbols[n].st_value);
    }
    for (part = 0; part < 2; part++) {
        for (n = 0; y.rela[part] && n < y.rela_count[part]; n++) {
            const Elf64_Rela *r = &y.rela[part][n];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            if (type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE)
                x86flow_take(g, &m->flow, m->flow.bias + (uint64_t)r->r_addend);
        }
    }
    binpatch_p_take_packed(m, &y, g);
}

/* Words of data that hold addresses of the module's code. */
static void binpatch_p_read_data(const binpatch_p_module *m, x86flow_graph *g) {
    uint32_t n;
    for (n = 0; n < m->data_count; n++) {
        uint64_t at = (m->data[n][0] + 7) & ~UINT64_C(7);
        for (; at + 8 <= m->data[n][1]; at += 8)
            x86flow_point(g, &m->flow, binpatch_p_u64(binpatch_p_at(at)));
    }
}

/* A module's file. Sections are checked before they are used. */
typedef struct binpatch_p_file {
    const uint8_t *p;
    uint64_t size;
    const Elf64_Shdr *sections;
    uint32_t count;
    const char *names;
    uint64_t names_size;
} binpatch_p_file;

static int binpatch_p_inside(const binpatch_p_file *file, const Elf64_Shdr *h) {
    return h->sh_offset < file->size && h->sh_size <= file->size - h->sh_offset;
}

static int binpatch_p_open_file(const char *path, binpatch_p_file *out) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    const Elf64_Ehdr *e;
    const Elf64_Shdr *names;
    void *p = MAP_FAILED;
    memset(out, 0, sizeof *out);
    if (size >= (off_t)sizeof *e) p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) close(file);
    if (p == MAP_FAILED) return -1;
    e = (const Elf64_Ehdr *)p;
    out->p = (const uint8_t *)p;
    out->size = (uint64_t)size;
    if (e->e_shoff >= out->size || (out->size - e->e_shoff) / sizeof *names < e->e_shnum) return -1;
    if (e->e_shstrndx >= e->e_shnum) return -1;
    out->sections = (const Elf64_Shdr *)(const void *)(out->p + e->e_shoff);
    out->count = e->e_shnum;
    names = &out->sections[e->e_shstrndx];
    if (!binpatch_p_inside(out, names) || !names->sh_size) return -1;
    out->names = (const char *)out->p + names->sh_offset;
    out->names_size = names->sh_size;
    return out->names[names->sh_size - 1] ? -1 : 0;
}

static void binpatch_p_read_symbols(binpatch_p_module *m, const binpatch_p_file *file,
                                    const Elf64_Shdr *h) {
    const Elf64_Shdr *text = h->sh_link < file->count ? &file->sections[h->sh_link] : NULL;
    size_t k;
    if (!text || !binpatch_p_inside(file, h) || !binpatch_p_inside(file, text)) return;
    if (!text->sh_size || file->p[text->sh_offset + text->sh_size - 1]) return;
    for (k = 0; k < h->sh_size / sizeof(Elf64_Sym); k++) {
        const Elf64_Sym *y = (const Elf64_Sym *)(const void *)(file->p + h->sh_offset) + k;
        uint64_t at = m->flow.bias + y->st_value;
        x86flow_function *f;
        if ((y->st_info & 15) != STT_FUNC || !y->st_shndx || y->st_name >= text->sh_size) continue;
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at) f->name = (const char *)file->p + text->sh_offset + y->st_name;
    }
}

/* Names from .symtab, and ranges that are no functions. */
static void binpatch_p_read_file(binpatch_p_module *m) {
    binpatch_p_file file;
    uint32_t n, k;
    if (m->known && !m->has_symbols) return;
    if (binpatch_p_open_file(*m->path ? m->path : "/proc/self/exe", &file) != 0) return;
    for (n = 0; n < file.count; n++) {
        const Elf64_Shdr *h = &file.sections[n];
        const char *name = h->sh_name < file.names_size ? file.names + h->sh_name : "";
        if (h->sh_type == SHT_SYMTAB) {
            binpatch_p_read_symbols(m, &file, h);
            m->has_symbols = 1;
        }
        if (strncmp(name, ".plt", 4) && strcmp(name, ".init") && strcmp(name, ".fini")) continue;
        for (k = 0; k < m->flow.count; k++) {
            x86flow_function *f = &m->flow.functions[k];
            if (f->lo - m->flow.bias - h->sh_addr < h->sh_size) f->reason = BINPATCH_STARTUP;
        }
    }
}

/* The size of the largest function with the largest part (.cold). */
static int binpatch_p_largest(const x86flow_module *flow) {
    uint32_t n, largest[2] = {0, 0};
    for (n = 0; n < flow->count; n++) {
        int part = (flow->functions[n].flags & X86FLOW_FRAGMENT) != 0;
        if (flow->functions[n].size > largest[part]) largest[part] = flow->functions[n].size;
    }
    return (int)(largest[0] + largest[1]);
}

static int binpatch_p_list_functions(binpatch_p_module *m) {
    uint32_t max = x86flow_list_functions(&m->flow, NULL, 0);
    x86flow_function *functions;
    m->refusal = "no .eh_frame_hdr";
    if (!max) return -1;
    m->refusal = "no memory";
    functions = (x86flow_function *)binpatch_p_map((size_t)max * sizeof *functions, -1);
    if (!functions) return -1;
    m->refusal = "no functions in .eh_frame";
    if (!x86flow_list_functions(&m->flow, functions, max)) return -1;
    m->refusal = NULL;
    return binpatch_p_largest(&m->flow);
}

/* ---- patching: room within reach of a module  src/binpatch/patch_room.c ---- */
/* Below the module, or above a program that stands at a fixed low address: its
   heap grows behind it. Every distance in between must fit into 32 bits. */
static uint8_t *binpatch_p_find_room(const x86flow_module *m, size_t bytes) {
    uint64_t step = UINT64_C(1) << 21, at = (m->lo - bytes) & ~(step - 1);
    int low = m->hi < 0x80000000u;
    if (low) at = (m->hi + 0x20000000) & ~(step - 1);
    for (;;) {
        uint64_t far = low ? at + bytes - m->lo : m->hi - at;
        void *got;
        if (far > 0x7F000000 || at > UINT64_C(1) << 47) return NULL;
        if (low && at + bytes > 0x7FFF0000) return NULL;
        got = mmap((void *)(uintptr_t)at, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == (void *)(uintptr_t)at) return (uint8_t *)got;
        if (got != MAP_FAILED) munmap(got, bytes);
        if (low)
            at += step;
        else
            at -= step;
    }
}

/* The same memory for executing, at `at`, and for writing, with the tables
   behind it. A file in memory counts against the limit of file sizes (ulimit
   -f), and one who goes beyond that gets a signal: there it is shared memory
   without a file, which lies at two places once it is "moved" from a place of
   no length. It is executable first, for where the system guards that
   (PR_SET_MDWE) nothing may become so. */
static int binpatch_p_map_twice(binpatch_p_module *m, uint8_t *at) {
    struct rlimit limit;
    void *whole, *rx;
    int file = -1;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= m->file_bytes) {
        file = (int)syscall(SYS_memfd_create, "binpatch", 0x10 | 1); /* MFD_EXEC, MFD_CLOEXEC */
        if (file < 0) file = (int)syscall(SYS_memfd_create, "binpatch", 1);
        if (file >= 0 && ftruncate(file, (off_t)m->file_bytes) != 0) {
            close(file);
            return -1;
        }
    }
    if (file >= 0) {
        rx = mmap(at, m->code_bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0);
        m->rw = (uint8_t *)binpatch_p_map(m->file_bytes, file);
        close(file);
    } else {
        whole = mmap(NULL, m->file_bytes, PROT_READ | PROT_EXEC,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (whole == MAP_FAILED) return -1;
        rx = mremap(whole, 0, m->code_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
        if (mprotect(whole, m->file_bytes, PROT_READ | PROT_WRITE) != 0) return -1;
        m->rw = (uint8_t *)whole;
    }
    if (rx == MAP_FAILED || !m->rw) return -1;
    m->rx = (uint8_t *)rx;
    return 0;
}

/* A region has room for so many times the text, of which a run uses a few. All
   regions must be within 2 GB of their modules, which stand side by side: a
   program of a hundred libraries gives each less. */
static size_t binpatch_p_times_text(void) {
    enum { MOST = 24, LEAST = 5, REACH = 1200 };    /* REACH: in MiB */
    uint64_t sum = 0, times;
    uint32_t n;
    for (n = 0; n < binpatch_p.module_count; n++)
        sum += binpatch_p.modules[n].flow.text_hi - binpatch_p.modules[n].flow.text_lo;
    times = ((uint64_t)REACH << 20) / (sum + 1);
    if (times > MOST) return MOST;
    if (times < LEAST) return LEAST;
    return (size_t)times;
}

static int binpatch_p_open_region(binpatch_p_module *m) {
    size_t text = (size_t)(m->flow.text_hi - m->flow.text_lo), slots, tables, page = 4096;
    size_t count = m->flow.count;
    uint8_t *p;
    m->code_bytes = (text * binpatch_p_times_text() + (1u << 21)) & ~(page - 1);
    if (m->code_bytes > 0x20000000) m->code_bytes = 0x20000000;
    m->sites_max = (uint32_t)(text / 12 + 1024);
    m->links_max = (uint32_t)(text / 8 + 1024);
    m->copies_max = (uint32_t)(2 * count + 2);
    slots = ((2 * count + m->sites_max) * 8 + page - 1) & ~(page - 1);
    tables = sizeof *m->shared + count * sizeof *m->copy.functions + m->sites_max * sizeof *m->sites
             + m->links_max * sizeof *m->links + m->copies_max * sizeof *m->copies;
    tables = (tables + 64 + page - 1) & ~(page - 1);
    m->file_bytes = m->code_bytes + tables;
    m->refusal = "no space in reach";
    p = binpatch_p_find_room(&m->flow, slots + m->code_bytes);
    if (!p) return -1;
    m->refusal = "no memory for code";
    if (binpatch_p_map_twice(m, p + slots) != 0) return -1;
    if (mprotect(p, slots, PROT_READ | PROT_WRITE) != 0) return -1;
    m->slots = (uint64_t *)(void *)p;
    m->aways = m->slots + count;
    m->site_slots = m->aways + count;
    m->shared = (binpatch_p_shared *)(void *)(m->rw + m->code_bytes);
    m->copy.functions = (x86copy_function *)(void *)(m->shared + 1);
    m->sites = (binpatch_p_site *)(void *)(m->copy.functions + count);
    m->links = (binpatch_p_link *)(void *)(m->sites + m->sites_max);
    m->copies = (binpatch_p_copy *)(void *)(m->links + m->links_max);
    m->shared->links = 1;
    m->refusal = NULL;
    return 0;
}

/* What the emitter needs to know. */
static void binpatch_p_describe(binpatch_p_module *m) {
    const binpatch_p_thread *t = &binpatch_p_tls;
    uint64_t thread = 0;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    m->copy.flow = &m->flow;
    m->copy.number = (uint32_t)(m - binpatch_p.modules);
    m->copy.events = binpatch_p.config.events;
    m->copy.rx = binpatch_p_address(m->rx);
    m->copy.slots = binpatch_p_address(m->slots);
    m->copy.site_slots = binpatch_p_address(m->site_slots);
    m->copy.aways = binpatch_p_address(m->aways);
    m->copy.offset_n = (int32_t)(binpatch_p_address(&t->n) - thread);
    m->copy.offset_left = (int32_t)(binpatch_p_address(&t->left) - thread);
    m->copy.offset_position = (int32_t)(binpatch_p_address(&t->position) - thread);
    m->copy.offset_claim = (int32_t)(binpatch_p_address(&t->claim) - thread);
    if (!binpatch_p.xsave_bytes) {      /* a virtual machine takes long to answer cpuid */
        x86copy_find_xsave(&m->copy);
        binpatch_p.xsave_bytes = m->copy.xsave_bytes;
        binpatch_p.xsave_mask = m->copy.xsave_mask;
    }
    m->copy.xsave_bytes = binpatch_p.xsave_bytes;
    m->copy.xsave_mask = binpatch_p.xsave_mask;
    m->copy.heavy = binpatch_p_heavy;
    m->copy.user = m;
}

/* ---- patching: what an earlier run found out  src/binpatch/patch_known.c ---- */

/* The survey reads every instruction of a module, which takes nine tenths of
   the start-up, and it finds the same each time. So the caller may keep what it
   found (config.keep), and hand it back in a later run (config.recall):

       words: | header | function 0: 9 words | function 1 | ... | named | labels |

       function    lo from m->text_lo on; size; its FDE from the .eh_frame_hdr on; part;
                   owner; changes, reason, flags; direct, unsure_entry, dispatches, patch_at
                   and the bits below; pad, displaced; its name from m->lo on, 0: it has none, or
                   one that does not stand in memory
       named       addresses of data that the code names, from m->lo on
       labels      labels of threaded interpreters, from m->text_lo on

   The invariant: the key stands for all that the survey reads of the module's
   code, for what the GOT binds, for the settings and for this code itself. Data
   of the module's file (unwind information, relocations, words, tables) is not
   read for the key: the caller hands back what it kept of the same file only.
   All numbers are checked against the module before one is used.

   The code need not be read where it is surely that of the file: the kernel says
   of which file it is mapped (/proc/self/maps), that file is still the one at
   the module's path, and no page of it was written to (/proc/self/pagemap: a
   page that was is anonymous). The key then has what identifies the file.
   Otherwise it has the sum of the code.

   cost: eight bytes for each page of text; otherwise the text is read once,
   eight bytes at a time. */

enum { BINPATCH_P_KNOWN_HEADER = 8, BINPATCH_P_KNOWN_FUNCTION = 9 };
enum { BINPATCH_P_KNOWN_PATCHED = 1, BINPATCH_P_KNOWN_BARE = 2, BINPATCH_P_KNOWN_THREADED = 4 };
enum { BINPATCH_P_KNOWN_SYMBOLS = 1 };   /* of the header: the file has more names */
#define BINPATCH_P_KNOWN_MAGIC 0x334E4B42u

static uint64_t binpatch_p_mix_word(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 32;
}

/* Four sums side by side, for one multiplication must wait for the one before
   it. */
static uint64_t binpatch_p_mix_bytes(uint64_t sum, uint64_t lo, uint64_t hi) {
    uint64_t sums[4] = {1, 2, 3, 4}, at = lo;
    uint32_t k;
    for (; hi - at >= 32; at += 32) {
        for (k = 0; k < 4; k++)
            sums[k] = binpatch_p_mix_word(sums[k], binpatch_p_u64(binpatch_p_at(at + 8 * k)));
    }
    for (; at < hi; at++) sums[0] = binpatch_p_mix_word(sums[0], *binpatch_p_at(at));
    for (k = 0; k < 4; k++) sum = binpatch_p_mix_word(sum, sums[k]);
    return binpatch_p_mix_word(sum, hi - lo);
}

/* A line of /proc/self/maps. */
static void binpatch_p_note_mapping(const char *line) {
    unsigned long long lo, hi, offset, inode;
    unsigned major_number, minor_number;
    char execute;
    uint32_t n, k;
    if (sscanf(line, "%llx-%llx %*c%*c%c%*c %llx %x:%x %llu", &lo, &hi, &execute, &offset,
               &major_number, &minor_number, &inode) != 7
        || execute != 'x')
        return;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        uint64_t device = makedev(major_number, minor_number);
        for (k = 0; k < m->code_count; k++) {
            if (m->code[k][0] < lo || m->code[k][1] > hi) continue;
            if (offset + (m->code[k][0] - lo) != m->code_offset[k]) continue;
            if (m->mapped_count && (m->mapped[0] != device || m->mapped[1] != inode)) continue;
            m->mapped[0] = device;
            m->mapped[1] = inode;
            m->mapped_count++;
        }
    }
}

/* Notes of all modules which files their code is mapped from. */
static void binpatch_p_find_mappings(void) {
    enum { ROOM = 1 << 16 };
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char *text = (char *)binpatch_p_map(ROOM, -1), *line, *end;
    size_t have = 0;
    ssize_t got = 1;
    while (file >= 0 && text && got > 0) {
        got = read(file, text + have, ROOM - 1 - have);
        if (got > 0) have += (size_t)got;
        text[have] = 0;
        for (line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            binpatch_p_note_mapping(line);
        }
        have -= (size_t)(line - text);
        if (have == ROOM - 1) have = 0;         /* no line is that long */
        memmove(text, line, have);
    }
    if (text) munmap(text, ROOM);
    if (file >= 0) close(file);
}

/* Was none of these pages written to? */
static int binpatch_p_is_clean(uint64_t lo, uint64_t hi, int pagemap) {
    enum { ENTRIES = 512 };
    uint64_t entries[ENTRIES], page = lo >> 12, end = (hi + 4095) >> 12, k;
    while (page < end) {
        uint64_t count = end - page < ENTRIES ? end - page : (uint64_t)ENTRIES;
        if (pread(pagemap, entries, 8 * count, (off_t)(8 * page)) != (ssize_t)(8 * count)) return 0;
        for (k = 0; k < count; k++) {
            int present = (entries[k] >> 63 & 1) != 0, of_file = (entries[k] >> 61 & 1) != 0;
            if (entries[k] >> 62 & 1 || (present && !of_file)) return 0;
        }
        page += count;
    }
    return 1;
}

/* Is the module's code that of the file at its path? Then *sum goes on with what
   identifies the file. Returns 1 or 0. */
static int binpatch_p_is_as_filed(const binpatch_p_module *m, uint64_t *sum) {
    struct stat s;
    int pagemap, clean;
    uint32_t n;
    if (m->mapped_count != m->code_count || !m->mapped[1]) return 0;
    if (stat(*m->path ? m->path : "/proc/self/exe", &s) != 0) return 0;
    if ((uint64_t)s.st_dev != m->mapped[0] || (uint64_t)s.st_ino != m->mapped[1]) return 0;
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    clean = pagemap >= 0;
    for (n = 0; clean && n < m->code_count; n++)
        clean = binpatch_p_is_clean(m->code[n][0], m->code[n][1], pagemap);
    if (pagemap >= 0) close(pagemap);
    if (!clean) return 0;
    *sum = binpatch_p_mix_word(*sum, (uint64_t)s.st_dev);
    *sum = binpatch_p_mix_word(*sum, (uint64_t)s.st_ino);
    *sum = binpatch_p_mix_word(*sum, (uint64_t)s.st_size);
    *sum = binpatch_p_mix_word(*sum, (uint64_t)s.st_mtim.tv_sec ^ (uint64_t)s.st_mtim.tv_nsec << 32);
    *sum = binpatch_p_mix_word(*sum, (uint64_t)s.st_ctim.tv_sec ^ (uint64_t)s.st_ctim.tv_nsec << 32);
    return 1;
}

/* Behind binpatch_p_find_own_slots. Only text that may be read is; 0: there is
   no key. */
static uint64_t binpatch_p_key_of(const binpatch_p_module *m) {
    const x86flow_module *flow = &m->flow;
    const Elf64_Dyn *d;
    uint64_t sum = BINPATCH_P_KNOWN_MAGIC;
    uint32_t n;
    for (d = m->dynamic; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_TEXTREL) return 0;
        if (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL) return 0;
    }
    if (!binpatch_p.own_sum) {
        uint64_t own = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_mix_word);
        for (n = 0; n < binpatch_p.other_count; n++) {
            const binpatch_p_other *text = &binpatch_p.others[n];
            if (own >= text->lo && own < text->hi)
                binpatch_p.own_sum = binpatch_p_mix_bytes(1, text->lo, text->hi);
        }
        if (!binpatch_p.own_sum) return 0;
    }
    sum = binpatch_p_mix_word(sum, binpatch_p.own_sum);
    sum = binpatch_p_mix_word(sum, (uint32_t)binpatch_p.k_boring);
    sum = binpatch_p_mix_word(sum, binpatch_p.config.all_checks != 0);
    sum = binpatch_p_mix_word(sum, flow->hi - flow->lo);
    sum = binpatch_p_mix_word(sum, binpatch_p_address(flow->frame_header) - flow->lo);
    for (n = 0; n < m->own_slot_count; n++) {
        sum = binpatch_p_mix_word(sum, m->own_slots[n].slot - flow->lo);
        sum = binpatch_p_mix_word(sum, m->own_slots[n].to - flow->lo);
    }
    if (binpatch_p_is_as_filed(m, &sum)) return sum ? sum : 1;
    sum = binpatch_p_mix_word(sum, m->code_count);
    for (n = 0; n < m->code_count; n++)
        sum = binpatch_p_mix_bytes(sum, m->code[n][0], m->code[n][1]);
    return sum ? sum : 1;
}

/* What one function of the words says; `before` ends at or before it. Returns
   0, or -1: it cannot be so. */
static int binpatch_p_recall_function(const binpatch_p_module *m, uint32_t count, const uint32_t *w,
                                      uint64_t before, x86flow_function *out) {
    const x86flow_module *flow = &m->flow;
    uint64_t text = flow->text_hi - flow->text_lo, fde;
    uint32_t bits = w[6] >> 24;
    int patched = (bits & BINPATCH_P_KNOWN_PATCHED) != 0;
    memset(out, 0, sizeof *out);
    fde = binpatch_p_address(flow->frame_header) + (uint64_t)(int64_t)(int32_t)w[2];
    out->lo = flow->text_lo + w[0];
    out->size = w[1];
    out->fde = binpatch_p_at(fde);
    out->part = w[3];
    out->owner = w[4];
    out->changes = (uint16_t)w[5];
    out->reason = (uint8_t)(w[5] >> 16);
    out->flags = (uint8_t)(w[5] >> 24);
    out->direct = w[6] & 1;
    out->unsure_entry = w[6] >> 1 & 1;
    out->dispatches = (uint8_t)(w[6] >> 8);
    out->patch_at = (uint8_t)(w[6] >> 16);
    out->pad = w[7] & 0xFF;
    out->displaced = (uint8_t)(w[7] >> 8);
    if (w[8]) out->name = (const char *)binpatch_p_at(flow->lo + w[8]);
    if (bits & BINPATCH_P_KNOWN_BARE) out->noted |= BINPATCH_P_NOTED_BARE;
    if (bits & BINPATCH_P_KNOWN_THREADED) out->noted |= BINPATCH_P_NOTED_THREADED;
    if (w[0] >= text || !w[1] || w[1] > text - w[0] || out->lo < before) return -1;
    if (out->pad > text - w[0] - w[1] || fde < flow->lo || fde >= flow->hi) return -1;
    if (w[8] >= flow->hi - flow->lo) return -1;
    if (out->part > count || (out->owner > count && out->owner != ~0u)) return -1;
    if (out->reason >= BINPATCH_REASONS || (out->patch_at != 0 && out->patch_at != 4)) return -1;
    if (patched == (out->reason != 0) || bits > 7 || (bits && !patched)) return -1;
    if (out->displaced && (uint32_t)out->patch_at + out->displaced > out->size) return -1;
    if (!patched || bits & BINPATCH_P_KNOWN_BARE) return 0;
    if (out->displaced && out->displaced < 5u && out->patch_at + out->displaced != out->size)
        return -1;
    return out->size + out->pad < out->patch_at + 5u ? -1 : 0;
}

/* Lists the functions that the words tell of. Returns 0, or -1: they do not fit
   the module. */
static int binpatch_p_recall_functions(binpatch_p_module *m, const uint32_t *w, uint32_t count) {
    x86flow_function *functions;
    uint64_t before = m->flow.text_lo;
    uint32_t n;
    functions = (x86flow_function *)binpatch_p_map((size_t)count * sizeof *functions, -1);
    if (!functions) return -1;
    for (n = 0; n < count; n++, w += BINPATCH_P_KNOWN_FUNCTION) {
        if (binpatch_p_recall_function(m, count, w, before, &functions[n]) != 0) {
            munmap(functions, (size_t)count * sizeof *functions);
            return -1;
        }
        before = functions[n].lo + 1;   /* odd ones overlap: they are not patched */
    }
    m->flow.functions = functions;
    m->flow.count = count;
    return 0;
}

/* Addresses from `base` on, in rising order. Returns NULL: they are not, or
   there is no memory. */
static uint64_t *binpatch_p_recall_list(const uint32_t *w, uint32_t count, uint64_t base,
                                        uint64_t bytes) {
    uint64_t *list = (uint64_t *)binpatch_p_map(((size_t)count + 1) * sizeof *list, -1);
    uint32_t n;
    for (n = 0; list && n < count; n++) {
        if (w[n] > bytes || (n && w[n] < w[n - 1])) {
            munmap(list, ((size_t)count + 1) * sizeof *list);
            return NULL;
        }
        list[n] = base + w[n];
    }
    return list;
}

/* Each label must stand whole in a function. */
static int binpatch_p_labels_fit(const binpatch_p_module *m) {
    uint32_t n;
    for (n = 0; n < m->known_label_count; n++) {
        uint64_t at = m->known_labels[n];
        const x86flow_function *in = x86flow_function_at(&m->flow, at);
        if (!in || at + 5 > in->lo + in->size) return 0;
    }
    return 1;
}

/* Takes the words over. Returns 1, or 0: they do not fit the module, which is as
   it was. */
static int binpatch_p_take_known(binpatch_p_module *m, const uint32_t *w, size_t words) {
    x86flow_module *flow = &m->flow;
    size_t functions;
    const uint32_t *named;
    uint64_t *list;
    if (words < BINPATCH_P_KNOWN_HEADER || w[0] != BINPATCH_P_KNOWN_MAGIC || !w[1]) return 0;
    functions = (size_t)w[1] * BINPATCH_P_KNOWN_FUNCTION;
    if (words != BINPATCH_P_KNOWN_HEADER + functions + w[2] + (size_t)w[3]) return 0;
    named = w + BINPATCH_P_KNOWN_HEADER + functions;
    list = binpatch_p_recall_list(named, w[2], flow->lo, flow->hi - flow->lo);
    m->known_label_count = w[3];
    m->known_labels = binpatch_p_recall_list(named + w[2], w[3], flow->text_lo,
                                             flow->text_hi - flow->text_lo);
    if (list && m->known_labels
        && binpatch_p_recall_functions(m, w + BINPATCH_P_KNOWN_HEADER, w[1]) == 0) {
        flow->named = list;
        flow->named_count = w[2];
        if (binpatch_p_labels_fit(m)) return 1;
    }
    flow->functions = NULL;
    flow->named = NULL;
    flow->count = flow->named_count = 0;
    return 0;
}

/* Was a label patched there in an earlier run? */
static int binpatch_p_known_label(const binpatch_p_module *m, uint64_t at) {
    uint32_t lo = 0, hi = m->known_label_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->known_labels[mid] < at) lo = mid + 1;
        else hi = mid;
    }
    return lo < m->known_label_count && m->known_labels[lo] == at;
}

/* Takes over what an earlier run found out, the list of functions too. Returns
   1, or 0: nothing is known, and the module is as it was. */
static int binpatch_p_recall(binpatch_p_module *m) {
    const binpatch_config *c = &binpatch_p.config;
    const uint32_t *w;
    size_t words = 0;
    if ((!c->recall && !c->keep) || binpatch_p.looks || !m->flow.frame_header) return 0;
    binpatch_p_find_own_slots(m);
    m->key = binpatch_p_key_of(m);
    w = c->recall && m->key ? c->recall(c->user, m->path, m->key, &words) : NULL;
    m->known = w && binpatch_p_take_known(m, w, words);
    if (!m->known) return 0;
    m->has_symbols = (w[5] & BINPATCH_P_KNOWN_SYMBOLS) != 0;
    binpatch_p.filters += w[4];
    binpatch_p.recalled++;
    return 1;
}

/* Hands out what was found. */
static void binpatch_p_keep(const binpatch_p_module *m, uint32_t filters) {
    const binpatch_config *c = &binpatch_p.config;
    const x86flow_module *flow = &m->flow;
    size_t words = BINPATCH_P_KNOWN_HEADER + (size_t)flow->count * BINPATCH_P_KNOWN_FUNCTION
                   + flow->named_count + flow->label_count;
    uint32_t n, *memory, *w;
    if (!c->keep || !m->key || flow->hi - flow->lo > INT32_MAX) return;
    memory = w = (uint32_t *)binpatch_p_map(words * sizeof *w, -1);
    if (!w) return;
    w[0] = BINPATCH_P_KNOWN_MAGIC;
    w[1] = flow->count;
    w[2] = flow->named_count;
    w[3] = flow->label_count;
    w[4] = filters;
    w[5] = m->has_symbols ? BINPATCH_P_KNOWN_SYMBOLS : 0;
    w += BINPATCH_P_KNOWN_HEADER;
    for (n = 0; n < flow->count; n++) {
        const x86flow_function *f = &flow->functions[n];
        uint64_t name = f->name ? binpatch_p_address(f->name) - flow->lo : 0;
        uint32_t bits = 0;
        if (f->patched) bits |= BINPATCH_P_KNOWN_PATCHED;
        if (m->copy.functions[n].bare) bits |= BINPATCH_P_KNOWN_BARE;
        if (f->patched && f->noted & BINPATCH_P_NOTED_THREADED) bits |= BINPATCH_P_KNOWN_THREADED;
        *w++ = (uint32_t)(f->lo - flow->text_lo);
        *w++ = f->size;
        *w++ = (uint32_t)(f->fde - flow->frame_header);
        *w++ = f->part;
        *w++ = f->owner;
        *w++ = f->changes | (uint32_t)f->reason << 16 | (uint32_t)f->flags << 24;
        *w++ = (f->direct ? 1u : 0) | (f->unsure_entry ? 2u : 0) | (uint32_t)f->dispatches << 8
               | (uint32_t)f->patch_at << 16 | bits << 24;
        *w++ = f->pad | (uint32_t)f->displaced << 8;
        *w++ = name < flow->hi - flow->lo ? (uint32_t)name : 0;
    }
    for (n = 0; n < flow->named_count; n++) *w++ = (uint32_t)(flow->named[n] - flow->lo);
    for (n = 0; n < flow->label_count; n++)
        *w++ = (uint32_t)(flow->labels[n].at - flow->text_lo);
    c->keep(c->user, m->path, m->key, memory, words);
    munmap(memory, words * sizeof *w);
}

/* ---- patching: labels of threaded interpreters  src/binpatch/patch_labels.c ---- */

/* An interpreter keeps addresses of its labels in its bytecode, and jumps to
   them. In a copy each such jump would have to be translated, which takes 17
   instructions. But nothing has to be done where the label itself is patched:

       C         jmp *(%r15)  -----.           what the program wrote
       original  label: jmp  <-----'---.       five bytes, as at an entry
       C         check; label  <-------'

   So C's dispatches are as they were. Registers, flags and the stack are equal
   in C and in the original at each instruction, so who jumps to a label by
   other ways, or comes from the original code, may just as well go on in C. A
   target that is no label, or one that cannot be patched, runs in the original
   until the next dispatch. So does a label behind which nothing but plain
   instructions stands, for C has nothing else there: it is not patched. I goes
   on translating: a burst stays in it.

   The invariant: nobody jumps to, returns to or lands in the four bytes behind
   a patched label. A label that is followed by a whole instruction of five
   bytes has nothing there. Otherwise no direct jump, no table, no word of data
   and no lea may name what stands there, none of the distances that the
   function may add to a label of its own, and no exception may land in the
   function.

   C is made at once, while one thread runs; switched off, the label still leads
   to C, which then takes no samples.

   cost: C of such functions at start-up; one instruction for each dispatch to a
   label that has a check or calls something. */

enum { BINPATCH_P_BASES = 8 };

/* Labels of its own that the function names by lea: it may add distances to
   them. Returns how many; more than BINPATCH_P_BASES: too many to follow. */
static uint32_t binpatch_p_find_bases(const x86flow_body *b, uint64_t *bases) {
    uint32_t n, k, count = 0;
    for (n = 0; n < b->count; n++) {
        const x86flow_insn *i = &b->insn[n];
        uint64_t to;
        if (i->i.map != 0 || i->i.opcode != 0x8D || i->i.base != X86DECODE_RIP) continue;
        to = x86flow_address(b, i->offset) + i->i.length + (uint64_t)i->i.displacement;
        if (to - b->f->lo >= b->f->size) continue;
        for (k = 0; k < count && k < BINPATCH_P_BASES && bases[k] != to; k++) { }
        if (k < count && k < BINPATCH_P_BASES) continue;
        if (count < BINPATCH_P_BASES) bases[count] = to;
        count++;
    }
    return count;
}

/* Two words of 32 bits in a row that lead from the same label to instructions
   of the function may be a table of distances; what is none only keeps a label
   from being patched. */
static void binpatch_p_touch_distances(const binpatch_p_module *m, const x86flow_body *b,
                                       x86flow_graph *g, const uint64_t *bases, uint32_t count) {
    uint32_t n, k;
    for (n = 0; count && n < m->data_count; n++) {
        uint64_t at = (m->data[n][0] + 3) & ~UINT64_C(3), before[BINPATCH_P_BASES];
        memset(before, 0, sizeof before);
        for (; at + 4 <= m->data[n][1]; at += 4) {
            int64_t distance = binpatch_p_s32(binpatch_p_at(at));
            for (k = 0; k < count; k++) {
                uint64_t to = bases[k] + (uint64_t)distance;
                if (to - b->f->lo >= b->f->size || x86flow_insn_at(b, to) == ~0u) to = 0;
                if (to && before[k]) {
                    x86flow_p_touch(g, &m->flow, before[k]);
                    x86flow_p_touch(g, &m->flow, to);
                }
                before[k] = to;
            }
        }
    }
}

/* May the five bytes at a label be overwritten? */
static int binpatch_p_label_has_room(const binpatch_p_module *m, const x86flow_body *b,
                                     const x86flow_graph *g, uint32_t n, int alone) {
    uint32_t at = b->insn[n].offset, k;
    if (at < b->f->patch_at + 5u || at + 5 > b->f->size) return 0;
    for (k = 1; k < 5; k++) {
        uint32_t number = b->index[at + k];
        uint64_t address = b->f->lo + at + k;
        if (x86flow_touched(g, &m->flow, address) || x86flow_p_is_pointed(g, &m->flow, address))
            return 0;
        if (number && (alone || b->insn[number - 1].target)) return 0;
    }
    return 1;
}

/* Does nothing stand between a label and the next dispatches but plain
   instructions and direct jumps, and no check? Then a copy of it would be what
   it is itself. */
static int binpatch_p_is_plain_piece(x86flow_body *s, uint32_t label) {
    uint32_t top = 0, most = 2 * (s->text_max + 64);
    s->epoch++;
    s->pending[top++] = label;
    while (top) {
        uint32_t n = s->pending[--top], to;
        const x86flow_insn *k = &s->insn[n];
        if (s->mark[n] == s->epoch) continue;
        s->mark[n] = s->epoch;
        if (k->target & X86FLOW_TARGET_CHECKED || top + 2 > most) return 0;
        if (k->i.kind == X86DECODE_JUMP_INDIRECT && k->dispatch == X86FLOW_TRANSLATE) continue;
        if (k->i.kind != X86DECODE_PLAIN && k->i.kind != X86DECODE_JUMP
            && k->i.kind != X86DECODE_BRANCH)
            return 0;
        if (k->i.kind != X86DECODE_PLAIN) {
            to = x86flow_goes_to(s, k);
            if (to == ~0u) return 0;
            s->pending[top++] = to;
        }
        if (x86flow_runs_on(s, n)) s->pending[top++] = n + 1;
        else if (x86flow_falls_through(k)) return 0;
    }
    return 1;
}

/* Adds the labels of a function whose C was emitted just now. */
static void binpatch_p_take_labels(binpatch_p_module *m, x86flow_graph *g, uint32_t number) {
    const x86flow_body *b = &binpatch_p.body;
    const x86copy_function *own = &m->copy.functions[number];
    uint64_t bases[BINPATCH_P_BASES];
    uint32_t n, count = binpatch_p_find_bases(b, bases);
    int alone = x86flow_p_may_have_pads(b) || count > BINPATCH_P_BASES;
    if (!alone && !m->known) binpatch_p_touch_distances(m, b, g, bases, count);
    for (n = 1; n < b->part_first; n++) {
        const x86copy_spot *spot = &binpatch_p.copy.spot[n];
        x86flow_label *l = &m->flow.labels[m->flow.label_count];
        int checked = b->insn[n].target & X86FLOW_TARGET_CHECKED && spot->thunk;
        if (m->flow.label_count == m->labels_max) return;
        if (!(b->insn[n].target & X86FLOW_TARGET_TABLE)) continue;
        if (!m->known && binpatch_p_is_plain_piece(&binpatch_p.body, n)) continue;
        if (m->known ? !binpatch_p_known_label(m, b->f->lo + b->insn[n].offset)
                     : !binpatch_p_label_has_room(m, b, g, n, alone))
            continue;
        memset(l, 0, sizeof *l);
        l->at = b->f->lo + b->insn[n].offset;
        l->to = m->copy.rx + own->c_at + (checked ? spot->thunk : spot->at);
        l->function = number;
        memcpy(l->saved, b->text + b->insn[n].offset, sizeof l->saved);
        m->flow.label_count++;
    }
}

/* Does the function that was read dispatch as an interpreter does? */
static int binpatch_p_is_threaded(const x86flow_body *b) {
    uint32_t n, dispatches = 0, labels = 0;
    for (n = 0; n < b->part_first; n++) {
        dispatches += b->insn[n].i.kind == X86DECODE_JUMP_INDIRECT
                      && b->insn[n].dispatch == X86FLOW_TRANSLATE;
        labels += (b->insn[n].target & X86FLOW_TARGET_TABLE) != 0;
    }
    return dispatches >= X86FLOW_THREADED && labels >= X86FLOW_THREADED;
}

static int binpatch_p_may_be_threaded(const binpatch_p_module *m, const x86flow_function *f) {
    if (m->known) return (f->noted & BINPATCH_P_NOTED_THREADED) != 0;
    return f->dispatches >= X86FLOW_THREADED;
}

/* Makes C of threaded functions, and lists their labels. */
static void binpatch_p_find_labels(binpatch_p_module *m, x86flow_graph *g) {
    uint32_t n, bytes = 0;
    for (n = 0; n < m->flow.count; n++) {
        const x86flow_function *f = &m->flow.functions[n];
        if (f->patched && !m->copy.functions[n].bare && binpatch_p_may_be_threaded(m, f))
            bytes += f->size;
    }
    m->labels_max = bytes / 5;
    if (!bytes) return;
    m->flow.labels = (x86flow_label *)binpatch_p_map(m->labels_max * sizeof *m->flow.labels, -1);
    for (n = 0; m->flow.labels && n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        x86copy_function *own = &m->copy.functions[n];
        if (!f->patched || own->bare || !binpatch_p_may_be_threaded(m, f)) continue;
        if (x86flow_decode(&binpatch_p.body, &m->flow, f, 0) != 0) continue;
        x86flow_note_callees(&binpatch_p.body, &m->flow);
        if (binpatch_p_read(m, n) != 0 || !binpatch_p_is_threaded(&binpatch_p.body)) continue;
        own->threaded = 1;
        f->noted |= BINPATCH_P_NOTED_THREADED;
        (void)binpatch_p_make_c(m, n);
        if (own->c_at) binpatch_p_take_labels(m, g, n);
    }
}

/* The label whose five bytes, but the first, a word points to; or NULL. */
static x86flow_label *binpatch_p_label_around(const binpatch_p_module *m, uint64_t word) {
    uint32_t lo = 0, hi = m->flow.label_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->flow.labels[mid].at < word) lo = mid + 1;
        else hi = mid;
    }
    return lo && word - m->flow.labels[lo - 1].at < 5 ? &m->flow.labels[lo - 1] : NULL;
}

/* ---- patching: which entries, and the jumps over them  src/binpatch/patch_entries.c ---- */

static int binpatch_p_open_scratch(size_t largest) {
    x86flow_body *b = &binpatch_p.body;
    size_t bytes = x86flow_body_init(b, NULL, 0, largest);
    void *memory = binpatch_p_map(bytes, -1);
    if (!memory || !x86flow_body_init(b, memory, bytes, largest)) return -1;
    bytes = x86copy_init(&binpatch_p.copy, b, NULL, 0);
    memory = binpatch_p_map(bytes, -1);
    return memory && x86copy_init(&binpatch_p.copy, b, memory, bytes) ? 0 : -1;
}

/* Does anything but the function's callers need what the jump would overwrite?
   Returns a reason, or
   0. The first instructions are in the body then. */
static uint32_t binpatch_p_check_entry(binpatch_p_module *m, const x86flow_graph *g,
                                       x86flow_function *f) {
    x86flow_body *b = &binpatch_p.body;
    uint32_t k, why = (uint32_t)x86flow_decode(b, &m->flow, f, 9);
    if (why) return why;
    f->patch_at = b->insn[0].i.map == 1 && b->insn[0].i.opcode == 0x1E ? 4 : 0; /* endbr64 */
    if (f->size + f->pad < f->patch_at + 5u) return BINPATCH_NO_ROOM;
    for (k = 1; k < 5 && f->patch_at + k < f->size; k++) {
        if (x86flow_touched(g, &m->flow, f->lo + f->patch_at + k)) return BINPATCH_NO_ROOM;
    }
    if (!f->unsure_entry || b->insn[0].i.kind == X86DECODE_RETURN) return 0;
    why = (uint32_t)x86flow_decode(b, &m->flow, f, 0);
    if (why) return why;
    x86flow_plan(b, -1);
    return x86flow_flags_live(b, 0) ? BINPATCH_FLAGS : 0;
}

/* A leaf without a check, whose loops are boring: its checking copy would be as
   it is itself. So copies call the original, and its entry is not patched. Its
   first instructions are in the body then. */
static int binpatch_p_is_bare(binpatch_p_module *m, const x86flow_function *f, uint32_t number) {
    const x86flow_body *b = &binpatch_p.body;
    uint32_t n;
    if ((f->flags & (X86FLOW_LEAF | X86FLOW_CHECK)) != X86FLOW_LEAF) return 0;
    if (binpatch_p_read(m, number) != 0) return 0;
    for (n = 0; n < b->count; n++) {
        if (b->insn[n].target & X86FLOW_TARGET_CHECKED) return 0;
    }
    return 1;
}

/* Who calls somebody, and runs as it is, calls from outside of all copies: that
   entry needs its check. So it is asked before checks are eliminated whose entry
   cannot be patched. A leaf calls nobody, and may need no patch. */
static void binpatch_p_find_outside(binpatch_p_module *m, const x86flow_graph *g) {
    uint32_t n;
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->reason || f->flags & X86FLOW_LEAF) continue;
        if (f->flags & X86FLOW_FRAGMENT) f->reason = BINPATCH_FRAGMENT;
        else f->reason = (uint8_t)binpatch_p_check_entry(m, g, f);
    }
    for (n = 0; n < g->count; n++) {
        if (m->flow.functions[g->from[n]].reason)
            m->flow.functions[g->to[n]].flags |= X86FLOW_TAKEN;
    }
}

/* Which functions can be patched, and the stubs of those. */
static void binpatch_p_prepare(binpatch_p_module *m, const x86flow_graph *g) {
    x86copy *s = &binpatch_p.copy;
    uint32_t n, k;
    s->base = m->copy.rx;
    s->out_size = 64; /* position 0 means "none" */
    s->failed = 0;
    memset(s->out, 0xCC, 64);
    x86copy_emit_slow(s, &m->copy);
    memcpy(m->rw, s->out, s->out_size);
    m->shared->used = s->out_size;
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        uint32_t at = (m->shared->used + 7) & ~7u;
        if (!f->reason && f->flags & X86FLOW_FRAGMENT) f->reason = BINPATCH_FRAGMENT;
        if (f->reason) continue;
        if (m->code_bytes - at < 4096 + f->size)
            f->reason = BINPATCH_NO_ROOM;
        else if (m->known) {
            m->copy.functions[n].bare = (f->noted & BINPATCH_P_NOTED_BARE) != 0;
            if (!f->displaced)
                f->reason = (uint8_t)x86flow_decode(&binpatch_p.body, &m->flow, f, 9);
        } else if (!(f->flags & X86FLOW_LEAF)) /* binpatch_p_find_outside knows the rest */
            f->reason = (uint8_t)x86flow_decode(&binpatch_p.body, &m->flow, f, 9);
        else if (binpatch_p_is_bare(m, f, n))
            m->copy.functions[n].bare = 1;
        else
            f->reason = (uint8_t)binpatch_p_check_entry(m, g, f);
        if (f->reason) continue;
        if (!f->displaced)
            f->displaced = (uint8_t)x86copy_displaced(&binpatch_p.body, f->patch_at);
        s->base = m->copy.rx + at;
        if (x86copy_emit_stub(s, &m->copy, n, at) != 0) {
            f->reason = BINPATCH_NO_ROOM;
            memset(&m->copy.functions[n], 0, sizeof m->copy.functions[n]);
            continue;
        }
        memcpy(m->rw + at, s->out, s->out_size);
        m->shared->used = at + s->out_size;
        m->copy.functions[n].patched = 1;
        m->slots[n] = m->copy.rx + m->copy.functions[n].plain_at;
        if (m->copy.functions[n].bare) m->slots[n] = f->lo;
        m->aways[n] = m->slots[n];
        for (k = 0; k < sizeof f->saved && f->patch_at + k < f->size + f->pad; k++)
            f->saved[k] = binpatch_p_at(f->lo + f->patch_at)[k];
        f->patched = 1;
    }
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->patched && f->part) m->flow.functions[f->part - 1].reason = BINPATCH_PART;
    }
}

/* Text that is being changed: what stands there, and over it the jumps.
   /proc/self/mem writes where text may not be made writable; if there is none,
   mprotect must do. */
typedef struct binpatch_p_window {
    uint64_t lo;
    uint32_t size, max;
    uint8_t *bytes;
    int file, opened;
} binpatch_p_window;

static int binpatch_p_write_window(binpatch_p_window *w, const binpatch_p_module *m) {
    uint64_t lo = m->flow.text_lo & ~UINT64_C(4095);
    size_t text = (size_t)(m->flow.text_hi - lo);
    if (!w->size) return 0;
    if (!w->opened && w->file >= 0
        && pwrite(w->file, w->bytes, w->size, (off_t)w->lo) == (ssize_t)w->size)
        return 0;
    if (!w->opened
        && mprotect((void *)(uintptr_t)lo, text, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return -1;
    w->opened = 1;
    memcpy((void *)(uintptr_t)w->lo, w->bytes, w->size);
    return 0;
}

/* A jump to `to` over the five bytes at `at`, or with `saved` what stood there.
   Places come in rising order. */
static int binpatch_p_write_jump(binpatch_p_window *w, const binpatch_p_module *m, uint64_t at,
                                 uint64_t to, const uint8_t *saved) {
    uint64_t end = w->lo + w->size;
    uint32_t d = (uint32_t)(to - (at + 5));
    int bad = 0;
    if (!w->size || at + 5 - w->lo > w->max || at - end > 4096) {
        bad = binpatch_p_write_window(w, m);
        w->lo = end = at;
        w->size = 0;
    }
    memcpy(w->bytes + w->size, binpatch_p_at(end), (size_t)(at - end));
    w->bytes[at - w->lo] = 0xE9;
    memcpy(w->bytes + (at - w->lo) + 1, &d, 4);
    if (saved) memcpy(w->bytes + (at - w->lo), saved, 5);
    w->size = (uint32_t)(at + 5 - w->lo);
    return bad;
}

static int binpatch_p_write_text(binpatch_p_module *m, int restore) {
    binpatch_p_window w;
    uint32_t n;
    uint64_t lo = m->flow.text_lo & ~UINT64_C(4095);
    int bad = 0;
    memset(&w, 0, sizeof w);
    binpatch_p.writing = 1;
    w.file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    w.bytes = binpatch_p.window;
    w.max = BINPATCH_P_WINDOW;
    for (n = 0; n < m->flow.count && !bad; n++) {
        const x86flow_function *f = &m->flow.functions[n];
        if (!f->patched || m->copy.functions[n].bare) continue;
        if (!restore && m->copy.functions[n].held) continue;
        bad = binpatch_p_write_jump(&w, m, f->lo + f->patch_at,
                                    m->copy.rx + m->copy.functions[n].t_at,
                                    restore ? f->saved : NULL);
    }
    if (!bad) bad = binpatch_p_write_window(&w, m);
    w.size = 0;
    for (n = 0; n < m->flow.label_count && !bad; n++) {
        const x86flow_label *l = &m->flow.labels[n];
        if (l->gone || (!restore && l->held)) continue;
        bad = binpatch_p_write_jump(&w, m, l->at, l->to, restore ? l->saved : NULL);
    }
    if (!bad) bad = binpatch_p_write_window(&w, m);
    if (w.opened)
        (void)mprotect((void *)(uintptr_t)lo, (size_t)(m->flow.text_hi - lo),
                       PROT_READ | PROT_EXEC);
    if (w.file >= 0) close(w.file);
    binpatch_p.writing = 0;
    return bad;
}

/* The patcher cannot be patched: what emitted code calls must not come to
   emitted code before it has noted that it is at work. So what binpatch_p_heavy
   reaches by direct calls is left alone. */
static void binpatch_p_leave_out_own(binpatch_p_module *m, const x86flow_graph *g) {
    uint64_t heavy = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_heavy);
    x86flow_leave_out(&m->flow, g, heavy, BINPATCH_OWN);
}

/* Reads every function once, and decides who is patched and who has a check. */
static void binpatch_p_survey(binpatch_p_module *m, x86flow_graph *g) {
    const binpatch_config *c = &binpatch_p.config;
    uint32_t k;
    binpatch_p_take_dynamic(m, g);
    binpatch_p_read_data(m, g);
    (void)x86flow_find_lookups(&binpatch_p.body, g, &m->flow);
    for (k = 0; k < m->flow.count; k++) {
        x86flow_function *f = &m->flow.functions[k];
        if (!f->reason && c->want && !(f->flags & X86FLOW_FRAGMENT)
            && !c->want(c->user, m->path, f->name ? f->name : ""))
            f->reason = BINPATCH_FILTERED;
        (void)x86flow_survey(&binpatch_p.body, g, &m->flow, k);
    }
    x86flow_touch_tables(g, &m->flow);
    binpatch_p.filters += g->filters;
    binpatch_p_leave_out_own(m, g);
}

static int binpatch_p_analyse(binpatch_p_module *m) {
    size_t bytes = x86flow_graph_bytes(&m->flow), more;
    x86flow_graph g;
    void *memory, *scratch;
    uint32_t k;
    binpatch_p_read_dynamic(m);
    binpatch_p_read_file(m);
    if (m->known) {
        memset(&g, 0, sizeof g);
        binpatch_p_prepare(m, &g);
        binpatch_p_find_labels(m, &g);
        return 0;
    }
    m->refusal = "no memory";
    memory = binpatch_p_map(bytes, -1);
    if (!memory) return -1;
    x86flow_graph_init(&g, &m->flow, memory);
    binpatch_p_survey(m, &g);
    binpatch_p_find_outside(m, &g);
    more = x86flow_eliminate_bytes(&m->flow, &g);
    scratch = binpatch_p_map(more, -1);
    if (!scratch) return -1;
    x86flow_eliminate(&m->flow, &g, scratch);
    munmap(scratch, more);
    for (k = 0; binpatch_p.config.all_checks && k < m->flow.count; k++) {
        m->flow.functions[k].flags |= X86FLOW_CHECK;
        m->flow.functions[k].direct = 1;
    }
    binpatch_p_prepare(m, &g);
    binpatch_p_find_labels(m, &g);
    m->refusal = NULL;
    binpatch_p_keep(m, g.filters);
    /* m->flow.named stands first in that memory; the rest is given back. */
    k = (g.named_count * (uint32_t)sizeof *g.named + 4095u) & ~4095u;
    if (k < bytes) munmap((uint8_t *)memory + k, bytes - k);
    return 0;
}

/* ---- patching: what is known of a module that is not surveyed  src/binpatch/patch_names.c ---- */
static void binpatch_p_filter(binpatch_p_module *m) {
    const binpatch_config *c = &binpatch_p.config;
    uint32_t k;
    for (k = 0; k < m->flow.count; k++) {
        x86flow_function *f = &m->flow.functions[k];
        f->reason = f->reason == BINPATCH_STARTUP ? f->reason : 0;
        if (!f->reason && c->want && !c->want(c->user, m->path, f->name ? f->name : ""))
            f->reason = BINPATCH_FILTERED;
    }
}

/* Names of functions, for config.want and for who asks. */
static void binpatch_p_name_functions(binpatch_p_module *m) {
    binpatch_p_dynamic y;
    size_t n;
    if (binpatch_p_open_dynamic(m, &y) != 0) y.count = 0;
    for (n = 0; n < y.count; n++) {
        uint64_t at = m->flow.bias + y.symbols[n].st_value;
        x86flow_function *f;
        if (!y.symbols[n].st_shndx || (y.symbols[n].st_info & 15) != STT_FUNC) continue;
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at && !f->name) f->name = y.names + y.symbols[n].st_name;
    }
    binpatch_p_read_file(m);
    binpatch_p_filter(m);
}

/* Functions that forbid system calls by an instruction of their own: see
   x86flow_survey. Without a survey the text is searched for the instruction,
   which is rare outside of the C library. */
static void binpatch_p_find_filters(const binpatch_p_module *m, size_t largest) {
    const x86flow_function *last = NULL;
    const char *base = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;
    uint32_t n;
    if (!strncmp(base, "libc.so", 7) || !strncmp(base, "ld-linux", 8)) return;
    for (n = 0; n < m->flow.readable_count; n++) {      /* between two of them may be nothing */
        uint64_t at = m->flow.readable[n][0], end = m->flow.readable[n][1];
        if (at < m->flow.text_lo) at = m->flow.text_lo;
        if (end > m->flow.text_hi) end = m->flow.text_hi;
        while (at < end) {
            const x86flow_function *f;
            const uint8_t *found = (const uint8_t *)memchr(binpatch_p_at(at), 5,
                                                           (size_t)(end - at));
            if (!found) break;
            at = binpatch_p_address(found) + 1;         /* syscall is 0F 05 */
            if (at - 2 < m->flow.text_lo || found[-1] != 0x0F) continue;
            f = x86flow_function_at(&m->flow, at - 2);
            if (!f || f == last) continue;
            last = f;
            if (!binpatch_p.body.text && binpatch_p_open_scratch(largest) != 0) return;
            if (x86flow_decode(&binpatch_p.body, &m->flow, f, 0) == X86FLOW_FINE)
                binpatch_p.filters += x86flow_p_filters_calls(&binpatch_p.body) ? 1u : 0u;
        }
    }
}

/* Returns how many functions can be told apart. */
static uint32_t binpatch_p_look(size_t largest) {
    uint32_t n, count = 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        if (m->refusal) continue;
        binpatch_p_name_functions(m);
        binpatch_p_find_filters(m, largest);
        count += m->flow.count;
    }
    return count;
}

/* ---- patching: code that the program changes  src/binpatch/patch_changes.c ---- */

/* A program that makes its own code writable is about to change it, and a copy
   would go on doing what the old code did. So before that the functions in
   these pages get their own bytes back, and no copy of theirs is entered any
   more:

       entry    original bytes                  slot     the original function
       C, I     their first instruction, and the one behind the check, become a jump to away_at;
                there stands `jmp *away`, and this process's word `away` is the original

   Copies are shared with other processes of a fork, and they did not change
   their code. Their word `away` leads to "plain", which is what they would run
   without sampling. Nobody makes further copies of such a function. Who is
   inside a copy stays there until it returns, as code that is changed while it
   runs may do in any program.

   cost: a look at all functions of the module, for each call that makes some of
   its code writable. */

/* A jump over the first bytes of a copy at a position. Eight bytes are written
   at once. */
static void binpatch_p_lead_away(binpatch_p_module *m, uint32_t at, uint32_t away_at) {
    uint64_t bytes;
    uint32_t d = away_at - (at + 5);
    memcpy(&bytes, m->rw + at, 8);
    bytes = (bytes & ~UINT64_C(0xFFFFFFFFFF)) | 0xE9 | (uint64_t)d << 8;
    memcpy(m->rw + at, &bytes, 8);
}

static void binpatch_p_take_away(binpatch_p_module *m, uint32_t number) {
    x86flow_function *f = &m->flow.functions[number];
    x86copy_function *own = &m->copy.functions[number];
    __atomic_store_n(&m->aways[number], f->lo, __ATOMIC_RELEASE);
    __atomic_store_n(&m->slots[number], f->lo, __ATOMIC_RELEASE);
    if (own->c_at) {
        binpatch_p_lead_away(m, own->c_at + x86copy_skips(f, 0), own->away_at);
        if (x86copy_skips(f, 0)) binpatch_p_lead_away(m, own->c_at, own->away_at);
    } else own->failed |= 1;
    if (own->i_at) {
        binpatch_p_lead_away(m, own->i_at + x86copy_skips(f, 1), own->away_at);
        if (x86copy_skips(f, 1)) binpatch_p_lead_away(m, own->i_at, own->away_at);
    } else own->failed |= 2;
    f->patched = 0;
    binpatch_p.changed++;
}

/* Puts the original bytes of an entry back. Returns 0, or -1. */
static int binpatch_p_restore(const x86flow_function *f, int file) {
    return pwrite(file, f->saved, 5, (off_t)(f->lo + f->patch_at)) == 5 ? 0 : -1;
}

/* The labels of a function lead to its C no more. Returns 0, or -1. */
static int binpatch_p_restore_labels(const binpatch_p_module *m, uint32_t number, int file) {
    uint32_t n;
    int failed = 0;
    for (n = 0; n < m->flow.label_count; n++) {
        x86flow_label *l = &m->flow.labels[n];
        if (l->function != number || l->gone) continue;
        l->gone = 1;
        if (binpatch_p.armed && !l->held && pwrite(file, l->saved, 5, (off_t)l->at) != 5) failed = -1;
    }
    return failed;
}

BINPATCH_API int binpatch_code_changes(const void *address, size_t bytes) {
    uint64_t lo = binpatch_p_address(address) & ~UINT64_C(4095);
    uint64_t hi = (binpatch_p_address(address) + bytes + 4095) & ~UINT64_C(4095);
    uint32_t n, k;
    int file = -1, failed = 0, count = 0;
    if (!binpatch_p.installed || binpatch_p.writing) return 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        int locked;
        if (m->refusal || !m->shared || hi <= m->flow.text_lo || lo >= m->flow.text_hi) continue;
        if (file < 0) file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        locked = binpatch_p_lock(m->shared) == 0;
        for (k = 0; k < m->flow.count; k++) {
            x86flow_function *f = &m->flow.functions[k];
            const x86flow_function *part = f->part ? &m->flow.functions[f->part - 1] : NULL;
            int inside = f->lo < hi && f->lo + f->size > lo;
            if (part && part->lo < hi && part->lo + part->size > lo) inside = 1;
            if (!f->patched || !inside) continue;
            binpatch_p_take_away(m, k);
            count++;
            if (m->copy.functions[k].threaded && binpatch_p_restore_labels(m, k, file) != 0)
                failed = 1;
            if (!binpatch_p.armed || m->copy.functions[k].bare) continue;
            if (m->copy.functions[k].held) continue;
            if (binpatch_p_restore(f, file) != 0) failed = 1;
        }
        if (locked) binpatch_p_unlock(m->shared);
    }
    if (file >= 0) close(file);
    return failed ? -1 : count;
}

/* ---- patching: on, off, away ----------- src/binpatch/patch_install.c ---- */
/* The folder has a link for each thread, one for "." and one for "..". */
static uint32_t binpatch_p_count_threads(void) {
    struct stat s;
    if (stat("/proc/self/task", &s) != 0 || s.st_nlink < 3) return 1;
    return (uint32_t)s.st_nlink - 2;
}

/* Signal handlers may be at work, who interrupted an entry behind its first
   instruction. Such an entry is not patched now: the code would go on in the
   middle of the jump. The interrupted place stands on the stack, so that every
   word of the stack is looked at. Returns 0, or -1: this is not the stack of
   the first thread, and its end is not known. */
static int binpatch_p_hold_entries(void) {
    uint64_t end = (uint64_t)getauxval(AT_RANDOM) & ~UINT64_C(7), at;
    uint32_t n, k;
    at = binpatch_p_depth(__builtin_frame_address(0)) & ~UINT64_C(7);
    if (at >= end || end - at > (1u << 26)) return -1;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const binpatch_p_module *m = &binpatch_p.modules[n];
        for (k = 0; !m->refusal && k < m->flow.count; k++) m->copy.functions[k].held = 0;
        for (k = 0; k < m->flow.label_count; k++) m->flow.labels[k].held = 0;
    }
    for (; at < end; at += 8) {
        uint64_t word = *(const uint64_t *)(const void *)binpatch_p_at(at);
        for (n = 0; n < binpatch_p.module_count; n++) {
            const binpatch_p_module *m = &binpatch_p.modules[n];
            const x86flow_function *f;
            x86flow_label *label;
            if (m->refusal || !binpatch_p_in_text(m, word)) continue;
            label = binpatch_p_label_around(m, word);
            if (label) label->held = 1;
            f = x86flow_function_at(&m->flow, word);
            if (!f || word - (f->lo + f->patch_at) - 1 >= 4) continue;
            m->copy.functions[f - m->flow.functions].held = 1;
        }
    }
    return 0;
}

/* Zeros stand for defaults. Returns 0, or -1: a setting is out of range. */
static int binpatch_p_configure(const binpatch_config *config) {
    binpatch_config *c = &binpatch_p.config;
    if (config) *c = *config;
    if (!c->every) c->every = 9900;
    if (!c->burst) c->burst = 100;
    if (!c->jitter) c->jitter = 12;
    if (c->jitter < 0) c->jitter = 0;
    if (!c->seed) c->seed = binpatch_p_draw_seed();
    if (!c->threads) c->threads = (uint32_t)BINPATCH_P_ROOMS * BINPATCH_P_THREADS;
    if (!c->events) c->events = BINPATCH_ENTRY | BINPATCH_EXIT;
    if (c->every == BINPATCH_ALWAYS) c->burst = 1u << 29;
    binpatch_p.k_boring = c->k_boring == 0 ? 4 : c->k_boring;
    if (c->all_checks) binpatch_p.k_boring = -1;
    if (c->every > (1u << 29) && c->every != BINPATCH_ALWAYS) return -1;
    return c->burst > (1u << 29) || c->jitter > 100 ? -1 : 0;
}

/* Patches one module. Returns how many functions. */
static uint32_t binpatch_p_patch(binpatch_p_module *m) {
    uint32_t k, patched = 0;
    if (m->refusal || binpatch_p_open_region(m) != 0) return 0;
    binpatch_p_describe(m);
    if (binpatch_p_analyse(m) != 0) return 0;
    binpatch_p.reason = "text cannot be written";
    if (!binpatch_p.config.off && binpatch_p_write_text(m, 0) != 0) {
        (void)binpatch_p_write_text(m, 1);
        m->refusal = "text cannot be written";
        return 0;
    }
    for (k = 0; k < m->flow.count; k++) patched += m->flow.functions[k].patched;
    return patched;
}

/* Behind the install no reason changes, unless functions are hooked: then
   nothing is counted ahead. */
static void binpatch_p_count_reasons(void) {
    uint32_t n, k;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        memset(m->reasons, 0, sizeof m->reasons);
        for (k = 0; k < m->flow.count; k++) m->reasons[m->flow.functions[k].reason]++;
        m->counted = 1;
    }
}

BINPATCH_API uint32_t binpatch_install(const binpatch_config *config) {
    uint32_t n, patched = 0;
    uint64_t shadow = 0;
    int largest = 0;
    binpatch_p.reason = "already installed";
    if (binpatch_p.installed) return 0;
    memset(&binpatch_p, 0, sizeof binpatch_p);
    binpatch_p.reason = "a setting is out of range";
    if (binpatch_p_configure(config) != 0) return 0;
    binpatch_p.looks = binpatch_p.config.no_patches != 0;
    binpatch_p.reason = "another thread runs";
    if (!binpatch_p.looks && binpatch_p_count_threads() > 1) return 0;
    binpatch_p.reason = "no memory";
    if (syscall(SYS_arch_prctl, 0x5005, &shadow) == 0) /* ARCH_SHSTK_STATUS */
        binpatch_p.shadow_stack = (shadow & 1) != 0;
    binpatch_p.window = (uint8_t *)binpatch_p_map(BINPATCH_P_WINDOW, -1);
    if (!binpatch_p.window || !binpatch_p_open_room(&binpatch_p.rooms[0])) return 0;
    dl_iterate_phdr(binpatch_p_each_module, NULL);
    if (binpatch_p.config.recall || binpatch_p.config.keep) binpatch_p_find_mappings();
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        int size = binpatch_p_recall(m) ? binpatch_p_largest(&m->flow) : binpatch_p_list_functions(m);
        if (size > largest) largest = size;
        if (m->flow.count) {
            uint32_t *near = (uint32_t *)binpatch_p_map(x86flow_index_words(&m->flow) * 4, -1);
            if (near) x86flow_index(&m->flow, near);
        }
        binpatch_p.ends[n] = m->flow.count + (n ? binpatch_p.ends[n - 1] : 0);
    }
    binpatch_p.reason = "no function has unwind information";
    if (!largest) return 0;
    binpatch_p.first_count = binpatch_p.module_count;
    if (binpatch_p.looks) {
        patched = binpatch_p_look((size_t)largest < 1u << 21 ? (size_t)largest : 1u << 21);
        if (!patched) return 0;
        binpatch_p.reason = NULL;
        binpatch_p.installed = 1;
        return patched;
    }
    binpatch_p.reason = "no memory";
    if (binpatch_p_open_scratch((size_t)largest < 1u << 21 ? (size_t)largest : 1u << 21) != 0)
        return 0;
    for (n = 0; n < binpatch_p.module_count; n++)
        patched += binpatch_p_patch(&binpatch_p.modules[n]);
    if (!patched) return 0;
    binpatch_p.reason = NULL;
    binpatch_p.installed = 1;
    binpatch_p.armed = !binpatch_p.config.off;
    binpatch_p_count_reasons();
    (void)binpatch_toggle(!binpatch_p.config.off);
    return patched;
}

BINPATCH_API int binpatch_arm(void) {
    uint32_t n;
    if (binpatch_p.armed) return 0;
    if (!binpatch_p.installed || binpatch_p.looks || binpatch_p_count_threads() > 1) return -1;
    if (binpatch_p_hold_entries() != 0) return -1;
    for (n = 0; n < binpatch_p.module_count; n++) {
        if (binpatch_p.modules[n].refusal) continue;
        if (binpatch_p_write_text(&binpatch_p.modules[n], 0) == 0) continue;
        for (;; n--) {
            (void)binpatch_p_write_text(&binpatch_p.modules[n], 1);
            if (n == 0) return -1;
        }
    }
    binpatch_p.armed = 1;
    return 0;
}

BINPATCH_API int binpatch_toggle(int on) {
    uint32_t n, k;
    if (on && binpatch_arm() != 0) return -1;
    if (binpatch_p.looks) return 0;
    binpatch_p.on = on != 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const binpatch_p_module *m = &binpatch_p.modules[n];
        if (m->refusal) continue;
        for (k = 0; k < m->flow.count; k++) {
            const x86copy_function *f = &m->copy.functions[k];
            uint32_t at = f->plain_at;
            if (!f->patched || f->bare) continue;
            if (on && !(f->failed & 1)) at = f->c_at ? f->c_at : f->make_at;
            __atomic_store_n(&m->slots[k], m->copy.rx + at, __ATOMIC_RELEASE);
        }
    }
    return 0;
}

BINPATCH_API int binpatch_uninstall(void) {
    uint32_t n;
    int status = 0;
    if (!binpatch_p.installed) return -1;
    (void)binpatch_toggle(0);
    if (!binpatch_p.armed) return 0;
    if (binpatch_p_count_threads() > 1) return -1;
    binpatch_p.armed = 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        if (!binpatch_p.modules[n].refusal && binpatch_p_write_text(&binpatch_p.modules[n], 1) != 0)
            status = -1;
    }
    return status;
}

BINPATCH_API void binpatch_flush(void) {
    binpatch_p_thread *t = &binpatch_p_tls;
    uint64_t held;
    if (t->busy) return;
    held = binpatch_p_hold();
    t->busy = binpatch_p_depth(__builtin_frame_address(0));
    t->held = held;
    binpatch_p_count_checks(t, t->live ? t->left : t->n);
    binpatch_p_flush(t, 1);
    t->busy = 0;
    binpatch_p_release(held);
}

BINPATCH_API uint64_t binpatch_unread(void) {
    uint64_t unread = 0;
    uint32_t k, n, at;
    for (k = 0; k < BINPATCH_P_ROOMS && binpatch_p.rooms[k].state == 2; k++) {
        for (n = 0; n < BINPATCH_P_THREADS; n++) {
            const uint8_t *buffer = binpatch_p.rooms[k].buffers + (size_t)n * BINPATCH_P_BUFFER;
            const binpatch_event *events = (const binpatch_event *)(const void *)buffer;
            if (!binpatch_p.rooms[k].taken[n] || buffer == binpatch_p_tls.buffer) continue;
            for (at = 0; at < BINPATCH_P_BUFFER / 16 && events[at].what; at++) unread++;
        }
    }
    return unread;
}

BINPATCH_API void binpatch_forbid_calls(void) { binpatch_p.no_calls = 1; }

BINPATCH_API void binpatch_leave(void) {
    binpatch_p_thread *t = &binpatch_p_tls;
    uint8_t *taken = t->taken;
    uint64_t held = binpatch_p_hold();
    t->busy = 0;
    binpatch_flush();
    t->known = BINPATCH_P_QUIET;
    t->buffer = t->taken = NULL;
    t->rules = NULL;
    binpatch_p_write_to(t, binpatch_p_nowhere);
    t->live = 0;
    t->left = 0;
    t->span = 0;
    t->counted = 0;
    t->n = 65536;
    if (taken) __atomic_store_n(taken, 0, __ATOMIC_RELEASE);
    binpatch_p_release(held);
}

BINPATCH_API void binpatch_rejoin(void) {
    binpatch_p_thread *t = &binpatch_p_tls;
    if (t->known != BINPATCH_P_QUIET) return;
    t->known = BINPATCH_P_NEW;
    t->n = 0;
}

BINPATCH_API void binpatch_forked(uint32_t seed) {
    binpatch_p_thread *t = &binpatch_p_tls;
    binpatch_p.bursts = binpatch_p.checks = binpatch_p.burst_checks = 0;
    binpatch_p.events = binpatch_p.lost = binpatch_p.missed = binpatch_p.lost_threads = 0;
    binpatch_p.config.seed = seed;
    if (t->known == BINPATCH_P_NEW || t->known == BINPATCH_P_QUIET) return;
    if (t->buffer) memset(t->buffer, 0, BINPATCH_P_BUFFER); /* the parent has these events */
    binpatch_p_write_to(t, t->buffer ? t->buffer : binpatch_p_nowhere);
    if (binpatch_p.config.every == BINPATCH_ALWAYS) return;
    t->random = binpatch_p_state_of(seed, 0, 0);
    t->live = t->span = t->counted = 0;
    t->left = t->n = 0; /* the next check begins anew */
}

/* Beside the copies of hooked functions there is code of ours alone. */
BINPATCH_API int binpatch_is_own(uint64_t pc) {
    uint64_t here = binpatch_p_address((const void *)(uintptr_t)&binpatch_is_own);
    uint32_t n;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const x86copy_module *m = &binpatch_p.modules[n].copy;
        uint64_t at = pc - m->rx;
        if (!m->rx || at >= binpatch_p.modules[n].code_bytes) continue;
        if (at >= m->slow_at && at < m->slow_end) return 1;
        if (binpatch_p.looks && !binpatch_p_copy_at(&binpatch_p.modules[n], pc)) return 1;
    }
    for (n = 0; n < binpatch_p.other_count; n++) {
        const binpatch_p_other *text = &binpatch_p.others[n];
        if (here >= text->lo && here < text->hi) return pc >= text->lo && pc < text->hi;
    }
    return 0;
}

BINPATCH_API const char *binpatch_reason(void) { return binpatch_p.reason; }

BINPATCH_API const char *binpatch_reason_text(int reason) {
    static const char *const text[BINPATCH_REASONS] = {
        "patched", "undecodable", "branch into an instruction", "transaction (xbegin)",
        "calls into itself", "startup", "odd unwind information", "no room for the jump",
        "flags are live at the entry", "too large", "filtered",
        "part of another function, left as it is", "part of the patcher",
        "part of another function, copied with it",
        "the program looks its return addresses up in a table"};
    return reason >= 0 && reason < BINPATCH_REASONS ? text[reason] : "unknown";
}

BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out) {
    uint32_t n = 0;
    while (n < binpatch_p.first_count && number >= binpatch_p.ends[n]) n++;
    if (n) number -= binpatch_p.ends[n - 1];
    for (; n < binpatch_p.module_count; n++) {
        const binpatch_p_module *m = &binpatch_p.modules[n];
        const x86flow_function *f = &m->flow.functions[number];
        const x86copy_function *copies = &m->copy.functions[number];
        if (number >= m->flow.count) {
            number -= m->flow.count;
            continue;
        }
        out->module = n;
        out->path = m->path;
        out->name = f->name;
        out->address = f->lo;
        out->offset = (uint32_t)(f->lo - m->flow.bias);
        out->size = f->size;
        out->reason = f->reason;
        if (m->refusal && !f->reason) out->reason = BINPATCH_NO_ROOM;
        out->checked = (f->flags & X86FLOW_CHECK) != 0;
        out->copies = !m->shared ? 0 : (copies->c_at ? 1 : 0) + (copies->i_at ? 1 : 0);
        return 0;
    }
    return -1;
}

BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place) {
    uint32_t n = module < binpatch_p.first_count ? module : binpatch_p.first_count;
    uint32_t before = n ? binpatch_p.ends[n - 1] : 0;
    for (; n < module && n < binpatch_p.module_count; n++)
        before += binpatch_p.modules[n].flow.count;
    if (module < binpatch_p.module_count) {
        const binpatch_p_module *m = &binpatch_p.modules[module];
        const x86flow_function *f = x86flow_function_at(&m->flow, m->flow.bias + place);
        if (f) return before + (uint32_t)(f - m->flow.functions);
    }
    return UINT32_MAX;
}

BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out) {
    const binpatch_p_module *m = &binpatch_p.modules[number];
    uint32_t n;
    if (number >= binpatch_p.module_count) return -1;
    memset(out, 0, sizeof *out);
    out->path = m->path;
    out->bias = m->flow.bias;
    out->refusal = m->refusal;
    out->text = m->flow.text_lo;
    out->text_bytes = m->flow.text_hi - m->flow.text_lo;
    for (n = 0; m->counted && n < BINPATCH_REASONS; n++) out->functions[n] = m->reasons[n];
    for (n = 0; !m->counted && n < m->flow.count; n++)
        out->functions[m->flow.functions[n].reason]++;
    if (!m->shared) return 0;
    out->used_bytes = m->shared->used;
    out->checking_bytes = m->shared->bytes_c;
    out->instrumented_bytes = m->shared->bytes_i;
    out->checking_count = (uint32_t)m->shared->functions_c;
    out->instrumented_count = (uint32_t)m->shared->functions_i;
    return 0;
}

BINPATCH_API void binpatch_get_stats(binpatch_stats *out) {
    uint32_t n;
    out->bursts = __atomic_load_n(&binpatch_p.bursts, __ATOMIC_RELAXED);
    out->events = __atomic_load_n(&binpatch_p.events, __ATOMIC_RELAXED);
    out->lost = __atomic_load_n(&binpatch_p.lost, __ATOMIC_RELAXED);
    out->missed = __atomic_load_n(&binpatch_p.missed, __ATOMIC_RELAXED);
    out->checks = __atomic_load_n(&binpatch_p.checks, __ATOMIC_RELAXED);
    out->burst_checks = __atomic_load_n(&binpatch_p.burst_checks, __ATOMIC_RELAXED);
    out->threads = binpatch_p.threads;
    out->lost_threads = binpatch_p.lost_threads;
    out->modules = binpatch_p.module_count;
    out->modules_left = binpatch_p.modules_left;
    for (n = 0; n < BINPATCH_P_ROOMS && binpatch_p.rooms[n].state == 2; n++) { }
    out->buffers = n * BINPATCH_P_THREADS;
    if (out->buffers > binpatch_p.config.threads) out->buffers = binpatch_p.config.threads;
    out->changed = binpatch_p.changed;
    out->recalled = binpatch_p.recalled;
    out->filters = binpatch_p.filters;
    out->seed = binpatch_p.config.seed;
    out->on = binpatch_p.on;
    out->armed = binpatch_p.armed;
    out->shadow_stack = binpatch_p.shadow_stack;
}

/* Emits a copy again into the scratch memory, and looks there. */
static uint64_t binpatch_p_origin(binpatch_p_module *m, const binpatch_p_copy *copy, uint64_t pc) {
    const x86copy_function *f = &m->copy.functions[copy->function];
    uint64_t at = pc - (m->copy.rx + copy->at), base = m->copy.rx + binpatch_p_aligned(copy->at);
    x86copy *s = &binpatch_p.copy;
    int bad = binpatch_p_read(m, copy->function);
    if (!bad && copy->at == f->c_at) bad = x86copy_emit(s, &m->copy, base, 0, f->first_site);
    else if (!bad && copy->at == f->i_at)
        bad = x86copy_find_c(s, &m->copy, base, f->first_site) != 0
              || x86copy_emit(s, &m->copy, base, 1, f->first_site) != 0;
    else bad = 1;
    return bad ? pc : x86copy_origin(s, (uint32_t)at);
}

BINPATCH_API const void *binpatch_origin(const void *pc) {
    uint64_t address = binpatch_p_address(pc), held;
    uint32_t n;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        const binpatch_p_copy *copy = binpatch_p_copy_at(m, address);
        if (!copy) continue;
        held = binpatch_p_hold();
        if (binpatch_p_lock(m->shared) == 0) {
            address = binpatch_p_origin(m, copy, address);
            binpatch_p_unlock(m->shared);
        }
        binpatch_p_release(held);
        break;
    }
    return binpatch_p_at(address);
}

BINPATCH_API const void *binpatch_find_copy(const void *pc, const void **start, const void **end) {
    uint32_t n;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const binpatch_p_module *m = &binpatch_p.modules[n];
        const binpatch_p_copy *copy = binpatch_p_copy_at(m, binpatch_p_address(pc));
        if (!copy) continue;
        *start = m->rx + copy->at;
        *end = m->rx + copy->at + copy->size;
        return m->rx + copy->header;
    }
    return NULL;
}

/* ---- patching: functions that tell each entry and each exit  src/binpatch/patch_hooks.c ---- */

/* Bursts tell of calls in order and later. Who wants to know when a call begins
   and ends, as for the frames of a game, has the function hooked:

       entry   jmp T      T   jmp *slot      slot   make: it asks for C, each time
                                                      |
       C       the function as it was, and before    v
               each ret a call of `heavy`            heavy tells of the entry, and leads to C

   So nothing else of the program is patched, and C has no checks. Of the whole
   module nothing but the survey is needed, which tells whether anybody jumps
   into the bytes that the jump overwrites.

   cost: some 20 ms for each megabyte of the module's code at the start; two
   times saving all registers for a call. */

/* The region of the module, what copies share, and the survey. Returns 0, or
   -1. */
static int binpatch_p_open_hooks(binpatch_p_module *m, x86flow_graph *g) {
    int (*want)(void *, const char *, const char *) = binpatch_p.config.want;
    x86copy *s = &binpatch_p.copy;
    void *memory = binpatch_p_map(x86flow_graph_bytes(&m->flow), -1);
    int bad = !memory || binpatch_p_open_region(m) != 0;
    uint32_t n;
    m->refusal = NULL;
    if (bad) {
        m->shared = NULL;
        return -1;
    }
    binpatch_p_describe(m);
    m->copy.events = X86COPY_LEFT;
    x86flow_graph_init(g, &m->flow, memory);
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->reason == BINPATCH_FILTERED) f->reason = 0;
    }
    binpatch_p.config.want = NULL;      /* a part belongs to its function, whoever is wanted */
    binpatch_p_survey(m, g);
    binpatch_p.config.want = want;
    s->base = m->copy.rx;
    s->out_size = 64;                   /* position 0 means "none" */
    s->failed = 0;
    memset(s->out, 0xCC, 64);
    x86copy_emit_slow(s, &m->copy);
    memcpy(m->rw, s->out, s->out_size);
    m->shared->used = s->out_size;
    return 0;
}

/* Returns 0, or a reason. */
static uint32_t binpatch_p_hook(binpatch_p_module *m, const x86flow_graph *g, uint32_t number) {
    x86flow_function *f = &m->flow.functions[number];
    x86copy_function *own = &m->copy.functions[number];
    x86copy *s = &binpatch_p.copy;
    uint32_t at = (m->shared->used + 7) & ~7u, k, why = f->reason;
    if (!why && f->flags & X86FLOW_FRAGMENT) why = BINPATCH_FRAGMENT;
    if (!why && m->code_bytes - at < 4096 + f->size) why = BINPATCH_NO_ROOM;
    if (!why) why = binpatch_p_check_entry(m, g, f);
    if (why) return why;
    f->flags &= (uint8_t)~X86FLOW_CHECK;
    f->direct = 1;
    s->base = m->copy.rx + at;
    if (x86copy_emit_stub(s, &m->copy, number, at) != 0) return BINPATCH_NO_ROOM;
    memcpy(m->rw + at, s->out, s->out_size);
    m->shared->used = at + s->out_size;
    m->aways[number] = m->copy.rx + own->plain_at;
    for (k = 0; k < sizeof f->saved && f->patch_at + k < f->size + f->pad; k++)
        f->saved[k] = binpatch_p_at(f->lo + f->patch_at)[k];
    own->patched = f->patched = 1;
    (void)binpatch_p_make_c(m, number);
    if (!own->c_at) {
        own->patched = f->patched = 0;
        return BINPATCH_TOO_LARGE;
    }
    m->slots[number] = m->copy.rx + own->make_at;
    return 0;
}

static uint32_t binpatch_p_hook_all(binpatch_p_module *m, uint32_t before, const uint32_t *numbers,
                                    uint32_t count, int *reasons) {
    x86flow_graph g;
    uint32_t n, done = 0;
    for (n = 0; n < count && numbers[n] - before >= m->flow.count; n++) { }
    if (n == count || m->refusal || m->shared) return 0;
    if (binpatch_p_open_hooks(m, &g) != 0) return 0;
    for (; n < count; n++) {
        if (numbers[n] - before >= m->flow.count) continue;
        reasons[n] = (int)binpatch_p_hook(m, &g, numbers[n] - before);
        done += reasons[n] == 0;
    }
    if (done && binpatch_p_write_text(m, 0) != 0) {
        (void)binpatch_p_write_text(m, 1);
        for (n = 0; n < count; n++)
            if (numbers[n] - before < m->flow.count) reasons[n] = BINPATCH_NO_ROOM;
        done = 0;
    }
    binpatch_p_filter(m);
    return done;
}

BINPATCH_API uint32_t binpatch_hook(const uint32_t *numbers, uint32_t count, binpatch_hook_fn hook,
                                    int *reasons) {
    uint32_t n, before = 0, done = 0, largest[2] = {0, 0};
    for (n = 0; n < count; n++) reasons[n] = BINPATCH_NO_ROOM;
    if (!binpatch_p.installed || !binpatch_p.looks || binpatch_p.hook) return 0;
    if (binpatch_p_count_threads() > 1) return 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const x86flow_module *m = &binpatch_p.modules[n].flow;
        uint32_t k;
        for (k = 0; k < m->count; k++) {
            int part = (m->functions[k].flags & X86FLOW_FRAGMENT) != 0;
            if (m->functions[k].size > largest[part]) largest[part] = m->functions[k].size;
        }
    }
    largest[0] += largest[1];
    if (binpatch_p_open_scratch(largest[0] < 1u << 21 ? largest[0] : 1u << 21) != 0) return 0;
    binpatch_p.hook = hook;
    for (n = 0; n < binpatch_p.first_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        done += binpatch_p_hook_all(m, before, numbers, count, reasons);
        before += m->flow.count;
    }
    binpatch_p.armed = done != 0;
    return done;
}

/* saved: where `heavy` keeps the registers of the moment. */
static void binpatch_p_tell_hook(const binpatch_p_module *m, uint64_t code, const uint64_t *saved) {
    uint32_t number = (uint32_t)code & X86COPY_NUMBER & ~(uint32_t)X86COPY_LEFT_BY_JUMP;
    uint32_t what = BINPATCH_ENTRY;
    binpatch_frame frame;
    frame.stack = binpatch_p_address(saved + X86COPY_SAVED_COUNT);
    frame.module = m->copy.number;
    frame.place = (uint32_t)(m->flow.functions[number].lo - m->flow.bias);
    if (!(code & X86COPY_MAKE_C)) {
        what = BINPATCH_EXIT;
        if (code & X86COPY_LEFT_BY_JUMP) what |= BINPATCH_CALL;
        frame.stack += X86COPY_LEFT_FRAME - 8;
    }
    binpatch_p.hook(binpatch_p.config.user, what, &frame);
}

#else

/* ---- patching: on other systems ------ src/binpatch/patch_elsewhere.c ---- */

BINPATCH_API uint32_t binpatch_install(const binpatch_config *config) { return (void)config, 0; }
BINPATCH_API const char *binpatch_reason(void) {
#ifdef BINPATCH_SUPPORTED
    return "compiled without _GNU_SOURCE, which stands before the first include";
#else
    return "not supported on this system";
#endif
}
BINPATCH_API int binpatch_toggle(int on) { return (void)on, -1; }
BINPATCH_API int binpatch_arm(void) { return -1; }
BINPATCH_API int binpatch_uninstall(void) { return -1; }
BINPATCH_API int binpatch_code_changes(const void *address, size_t bytes) {
    (void)address, (void)bytes;
    return 0;
}
BINPATCH_API uint32_t binpatch_hook(const uint32_t *numbers, uint32_t count, binpatch_hook_fn hook,
                                    int *reasons) {
    (void)numbers, (void)hook;
    while (count--) reasons[count] = BINPATCH_NO_ROOM;
    return 0;
}
BINPATCH_API void binpatch_flush(void) {}
BINPATCH_API uint64_t binpatch_unread(void) { return 0; }
BINPATCH_API void binpatch_forbid_calls(void) {}
BINPATCH_API void binpatch_leave(void) {}
BINPATCH_API void binpatch_rejoin(void) {}
BINPATCH_API void binpatch_forked(uint32_t seed) { (void)seed; }
BINPATCH_API int binpatch_is_own(uint64_t pc) { return (void)pc, 0; }
BINPATCH_API void binpatch_get_stats(binpatch_stats *out) {
    static binpatch_stats none;
    *out = none;
}
BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out) {
    (void)number, (void)out;
    return -1;
}
BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place) {
    (void)module, (void)place;
    return UINT32_MAX;
}
BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out) {
    (void)number, (void)out;
    return -1;
}
BINPATCH_API uint32_t binpatch_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     binpatch_frame *frames, uint32_t max) {
    (void)pc, (void)rsp, (void)rbp, (void)stack_end, (void)frames, (void)max;
    return 0;
}
BINPATCH_API uint32_t binpatch_stack_folded(uint64_t pc, uint64_t rsp, uint64_t rbp,
                                            uint64_t stack_end, binpatch_frame *frames,
                                            uint32_t max, binpatch_seen *seen) {
    (void)pc, (void)rsp, (void)rbp, (void)stack_end, (void)frames, (void)max;
    seen->is_cut = seen->is_bare = 0;
    return 0;
}
BINPATCH_API const char *binpatch_reason_text(int reason) { return (void)reason, "unknown"; }
BINPATCH_API const void *binpatch_origin(const void *pc) { return pc; }
BINPATCH_API const void *binpatch_find_copy(const void *pc, const void **start, const void **end) {
    (void)pc, (void)start, (void)end;
    return NULL;
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
