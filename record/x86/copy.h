/* ---- copies: code with checks and events ---- */

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
   stack above its red zone. Events read no operand. */

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
    /* Where the thread's words stand, from %fs:0. position: where the next event goes,
       in a buffer of 64 KiB that is aligned to its size; claim: its address + 16. */
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
X86_API size_t x86copy_init(x86copy *s, x86flow_body *body, void *memory, size_t bytes);
/* Emits a copy of the body's function as if out[0] stood at `base`. Sites are
   numbered from first_site in the order entry, then targets of back-edges; both
   copies agree on them. A copy that is emitted again is equal if `base` is a
   multiple of 64 both times. For an instrumented copy the spots must hold the
   c_at of the checking copy. Returns 0, or -1: it is too large. */
X86_API int x86copy_emit(x86copy *s, x86copy_module *m, uint64_t base, int instrumented,
                             uint32_t first_site);
/* Before I is emitted: the spots get the c_at of C, which is emitted again for
   that. Returns 0, or
   -1. */
X86_API int x86copy_find_c(x86copy *s, x86copy_module *m, uint64_t base, uint32_t first_site);
/* Does place number n of the spots have a site? Behind the instructions comes
   their end, and then the entry. Returns 1 or 0. */
X86_API int x86copy_is_site(const x86flow_body *b, uint32_t n);
/* How far behind the start of C or I a direct call of f goes: behind the check,
   or 0. */
X86_API uint32_t x86copy_skips(const x86flow_function *f, int instrumented);
/* A call of C has pushed the return address pc. What would the same call of I
   have pushed? Wants returns_at of the function. Returns 0: pc is not behind a
   call that returns. */
X86_API uint64_t x86copy_return_in_i(const x86copy_module *m, uint32_t number, uint64_t pc);
/* Where the program has what stands `at` bytes behind the start of the copy that
   was emitted last. A return address is that of the program's own call. */
X86_API uint64_t x86copy_origin(const x86copy *s, uint32_t at);
/* Writes unwind tables behind the code of a copy: its own .eh_frame_hdr (at *header),
   and for both parts CIE, FDE and LSDA. Returns 0, or -1. */
X86_API int x86copy_emit_unwind(x86copy *s, uint32_t *header);
/* A GOT slot leads to a function of that name. Calls of those that ask who
   calls them are left to the original code. */
X86_API void x86copy_note_import(x86copy_module *m, const char *name, uint64_t slot);
/* How the common code is to save the registers of this processor: xsave_bytes,
   xsave_mask. */
X86_API void x86copy_find_xsave(x86copy_module *m);
/* The common code of a module, with out[0] at s->base; sets slow_at and so
   on. */
X86_API void x86copy_emit_slow(x86copy *s, x86copy_module *m);
/* How many bytes of whole instructions a jump at patch_at overwrites; 0 if these do not
   run unchanged at another address. The body holds them. */
X86_API uint32_t x86copy_displaced(const x86flow_body *b, uint32_t patch_at);
/* Everything behind a patched entry, for out[0] at s->base and position `at`:
   T, plain, make C and, if direct calls need no check, make I. The body holds
   the first instructions, unless f->displaced tells. Returns 0, or -1: they
   cannot stand anywhere else. */
X86_API int x86copy_emit_stub(x86copy *s, x86copy_module *m, uint32_t number, uint32_t at);
