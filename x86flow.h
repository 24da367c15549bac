/* x86flow.h - v0.1.0 - functions, jumps, loops and calls in x86-64 code - MIT, text at end of file

   example:
       #define X86DECODE_IMPLEMENTATION
       #define X86FLOW_IMPLEMENTATION
       #include "x86decode.h"
       #include "x86flow.h"
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

   STEP BY STEP
   1. A module is a program or a library as it lies in memory. Fill in its ranges and the address
      of its .eh_frame_hdr; x86flow_list_functions then lists its functions, which it knows from
      their unwind information. Stripped files have that, too.
   2. x86flow_decode reads one function into a body: its instructions in linear order, and who
      jumps to which. It returns 0, or the reason why the function is not understood.
   3. x86flow_plan finds the jump tables of a body, its loops, and the back-edges that need a check.
      A loop is k-boring if it makes no call and has at most k memory operands: it needs none
      (bursty-tracing, section 4.2).
   4. For a whole module: call x86flow_survey for each function, x86flow_touch_tables, and then
      x86flow_eliminate. It answers whose entry needs a check by Equation 3 (section 4.1). Compilers
      move what rarely runs out of a function, into a part (.cold) that stands elsewhere. From
      x86flow_touch_tables on, such a part belongs to its function: one body holds both.
   5. x86flow_step goes from a frame of the stack to its caller by the unwind information.

   PROMISES   Memory is read, never written, but for what you hand over. No allocation, no output,
              no state of its own. The unwind information of a module is trusted to be whole, as
              the C library trusts it; code is not trusted.
   THREADS    Everything is a function of its arguments. A body belongs to one thread at a time.
   OPTIONS    Include it behind x86decode.h: without that it declares nothing.
              X86FLOW_IMPLEMENTATION   in one file, before the include: the functions
              X86FLOW_STATIC           beside it: all functions are static
              It works on x86-64 with 64-bit pointers, gcc or clang; X86FLOW_SUPPORTED is 1 there.
   COST       A survey takes some 20 ms for each megabyte of code; bench/record.sh measures it.
   */

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) && !defined(__TINYC__)           \
    && defined(__STDC_HOSTED__) && __STDC_HOSTED__ && defined(X86DECODE_H)
#define X86FLOW_SUPPORTED 1
#endif

#include <stddef.h>
#include <stdint.h>
#if !defined(X86FLOW_H) && defined(X86FLOW_SUPPORTED)
#define X86FLOW_H

/* The API macro has the same text in all headers of the family. */
#if defined(__GNUC__) || defined(__clang__)
#define X86FLOW_P_GNU
#endif
#if defined(X86FLOW_P_GNU) || defined(__TINYC__)
#define X86FLOW_P_UNUSED __attribute__((unused))
#else
#define X86FLOW_P_UNUSED
#endif
#ifdef X86FLOW_STATIC
#define X86FLOW_API X86FLOW_P_UNUSED static
#elif defined(X86FLOW_P_GNU) && !defined(_WIN32)
#define X86FLOW_API extern __attribute__((visibility("hidden")))
#else
#define X86FLOW_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

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
    X86FLOW_TOO_LARGE = 9
};

typedef struct x86flow_function {
    uint64_t lo;                /* its address; it ends at lo + size */
    const uint8_t *fde;
    const char *name;           /* left to the caller */
    uint32_t size;
    uint32_t pad;               /* nops and int3 behind it */
    uint8_t reason, flags;
    uint8_t direct;             /* CHECK, and direct calls need it: it closes a cycle of calls */
    uint8_t unsure_entry;       /* the survey could not tell that the flags are dead at the entry */
    uint8_t patched, patch_at;  /* the caller overwrote up to 9 bytes from lo + patch_at on, */
    uint8_t saved[9];           /* which were these */
    uint32_t part;              /* the number of its part (.cold) + 1; 0: it has none */
    uint32_t owner;             /* of a part: the number of its function + 1; 0: not known */
} x86flow_function;

typedef struct x86flow_module {
    uint64_t bias, lo, hi, text_lo, text_hi;
    uint64_t readable[8][2];                /* ranges of it that may be read; none: all of it */
    uint32_t readable_count;
    const uint8_t *frame_header;
    x86flow_function *functions;            /* in the order of their addresses */
    uint32_t count;
    const uint64_t *named;                  /* addresses of data that the code names, sorted */
    uint32_t named_count;
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
    /* Of an indirect jump: TRANSLATE, its table was not proved. Of a jump or a load: REWRITE, it
       reads an entry of `table`. */
    uint8_t dispatch;
    uint32_t table;
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
    /* The function's part, or NULL. It stands behind the function: its first instruction is number
       part_first, at offset f->size. Without a part, part_first is count. */
    const x86flow_function *part;
    uint32_t part_first, size;          /* size: of both */
    x86flow_table *tables;
    uint32_t table_count;
    uint32_t *pending, *mark, epoch;    /* of walks */
    int proof;                          /* how tables are proved just now */
} x86flow_body;

typedef struct x86flow_graph {
    uint32_t *from, *to, count, max;    /* calls and tail jumps between functions of the module */
    uint8_t *touched;                   /* one bit per byte of text: something goes there */
    uint64_t *named;
    uint32_t named_count, named_max;
} x86flow_graph;

typedef struct x86flow_unwind {         /* an FDE with its CIE */
    const uint8_t *cie_begin, *cie_end, *fde_begin, *fde_end;   /* the two programs of CFA */
    uint64_t pc, size, personality, lsda;
    int64_t data_factor;
    int signal_frame, has_personality, has_lsda;
} x86flow_unwind;

/* ---- functions of a module ---- */

/* Fills m->functions, which has room for `max`, from m->frame_header. Returns how many there are;
   0: none, or the header has an unusual form. With functions NULL it only counts the entries. */
X86FLOW_API uint32_t x86flow_list_functions(x86flow_module *m, x86flow_function *functions,
                                            uint32_t max);
/* The function that holds an address, or NULL. */
X86FLOW_API x86flow_function *x86flow_function_at(const x86flow_module *m, uint64_t address);

/* ---- one function ---- */

/* Lays a body out in memory for functions of up to `largest` bytes. Returns the bytes that it
   takes, or 0: memory is too small (memory NULL: only tells how many). */
X86FLOW_API size_t x86flow_body_init(x86flow_body *b, void *memory, size_t bytes, size_t largest);
/* Decodes f, or with `enough` not 0 only its first instructions, that many bytes and perhaps a few
   more; then nothing is known about jumps. Returns X86FLOW_FINE or why not. */
X86FLOW_API int x86flow_decode(x86flow_body *b, const x86flow_module *m, const x86flow_function *f,
                               uint32_t enough);
/* Fills in target, boring, dispatch and table of all instructions of the body. k_boring: -1, no
   loop is boring. */
X86FLOW_API void x86flow_plan(x86flow_body *b, int32_t k_boring);
/* Must the flags be kept before instruction `at`? Returns 1 or, if they are surely dead, 0. */
X86FLOW_API int x86flow_flags_live(const x86flow_body *b, uint32_t at);
/* The number of the instruction that a direct jump goes to, or ~0: outside of the function. */
X86FLOW_API uint32_t x86flow_goes_to(const x86flow_body *b, const x86flow_insn *k);
/* Where entry n of a table leads. */
X86FLOW_API uint64_t x86flow_table_target(const x86flow_table *t, uint32_t n);
/* May what stands behind an instruction follow it? Returns 1 or 0. */
X86FLOW_API int x86flow_falls_through(const x86flow_insn *k);
/* The same, if the next instruction of the body is what stands behind this one. */
X86FLOW_API int x86flow_runs_on(const x86flow_body *b, uint32_t at);
/* Where an offset of the body stands in memory; the offset of an address, or ~0: it is not in it.
   */
X86FLOW_API uint64_t x86flow_address(const x86flow_body *b, uint32_t offset);
X86FLOW_API uint32_t x86flow_offset(const x86flow_body *b, uint64_t address);
/* The number of the instruction that stands at an address, or ~0: none of the body. */
X86FLOW_API uint32_t x86flow_insn_at(const x86flow_body *b, uint64_t address);
/* Returns 1 for a nop of any length, otherwise 0. */
X86FLOW_API int x86flow_is_nop(const x86decode_insn *i);
/* The general register that modrm names as operand, or -1: it names memory; and the other one. */
X86FLOW_API int x86flow_rm_register(const x86decode_insn *i);
X86FLOW_API int x86flow_reg_register(const x86decode_insn *i);

/* ---- a whole module ---- */

/* The bytes that a graph of a module takes; x86flow_graph_init lays it out in zeroed memory. */
X86FLOW_API size_t x86flow_graph_bytes(const x86flow_module *m);
X86FLOW_API void x86flow_graph_init(x86flow_graph *g, const x86flow_module *m, void *memory);
/* Tells that something leads to an address of code that no direct jump shows: a word of data, a
   relocation, an exported symbol. If a function starts there, it counts as called from anywhere. */
X86FLOW_API void x86flow_take(x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* Decodes function `number` once, and notes what it calls and names. Returns 0 or why it is not
   understood; f->reason is set if it was 0. */
X86FLOW_API int x86flow_survey(x86flow_body *b, x86flow_graph *g, x86flow_module *m,
                               uint32_t number);
/* Behind all surveys: joins parts to their functions, sorts what is named (m->named), and notes
   where tables lead. */
X86FLOW_API void x86flow_touch_tables(x86flow_graph *g, x86flow_module *m);
/* Does anything lead to this byte of the module's text? Returns 1 or 0. */
X86FLOW_API int x86flow_touched(const x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* Equation 3: sets X86FLOW_CHECK. memory: zeroed, x86flow_eliminate_bytes many. */
X86FLOW_API size_t x86flow_eliminate_bytes(const x86flow_module *m, const x86flow_graph *g);
X86FLOW_API void x86flow_eliminate(const x86flow_module *m, const x86flow_graph *g, void *memory);
/* The function at an address, and all that it reaches by direct calls, get this reason. */
X86FLOW_API void x86flow_leave_out(x86flow_module *m, const x86flow_graph *g, uint64_t address,
                                   uint8_t reason);

/* ---- unwind information ---- */

/* Reads one FDE and its CIE. Returns 0, or -1 for anything unusual. */
X86FLOW_API int x86flow_read_fde(const uint8_t *fde, x86flow_unwind *out);
/* The FDE in an .eh_frame_hdr that covers pc, and where its function starts; NULL: none. */
X86FLOW_API const uint8_t *x86flow_find_fde(const uint8_t *frame_header, uint64_t pc,
                                            uint64_t *start);
/* A pointer in one of the encodings that installed files use. *bad is set for any other. */
X86FLOW_API uint64_t x86flow_encoded(const uint8_t **p, unsigned encoding, int *bad);

/* How to get from a place of a function to its caller: cfa = register + offset; the caller's rbp
   stands at cfa + rbp, if rbp_saved. */
typedef struct x86flow_rule {
    uint64_t pc;                        /* left to the caller, for a table of rules */
    int32_t offset, rbp;
    uint8_t reg, rbp_saved;             /* reg: 6 is rbp, 7 rsp; 0: it is not known */
} x86flow_rule;
/* The rule at a place of the function, counted from its start. Returns 0, or -1: it needs more
   than a rule can say. */
X86FLOW_API int x86flow_find_rule(const uint8_t *fde, uint64_t place, x86flow_rule *out);
/* The same at an offset of the body of f: behind its own bytes follow those of its part. */
X86FLOW_API int x86flow_rule_of(const x86flow_module *m, const x86flow_function *f,
                                uint32_t offset, x86flow_rule *out);
/* Applies a rule: the caller's pc, rsp and rbp. Returns 0, or -1: the stack is not like that. */
X86FLOW_API int x86flow_step(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp, uint64_t *rbp);
/* The same; nothing is read from outside of [*rsp, end). */
X86FLOW_API int x86flow_step_inside(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp,
                                    uint64_t *rbp, uint64_t end);

#ifdef __cplusplus
}
#endif
#endif /* X86FLOW_H */

/* ---- implementation ---- */
#if defined(X86FLOW_IMPLEMENTATION) && !defined(X86FLOW_IMPLEMENTED) && defined(X86FLOW_SUPPORTED)
#define X86FLOW_IMPLEMENTED
#include <string.h>

/* ---- small things ---- */

static uint32_t x86flow_p_u32(const void *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

/* [shared: x86_words] */
static uint64_t x86flow_p_address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}
static const uint8_t *x86flow_p_at(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
}
/* [end shared] */

static int32_t x86flow_p_s32(const void *p) {
    return (int32_t)x86flow_p_u32(p);
}
static uint64_t x86flow_p_u64(const void *p) {
    uint64_t value;
    memcpy(&value, p, 8);
    return value;
}

/* [shared: uleb] */
static uint64_t x86flow_p_uleb(const uint8_t **p) {
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
/* [end shared] */

static int64_t x86flow_p_sleb(const uint8_t **p) {
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

static int x86flow_p_in_text(const x86flow_module *m, uint64_t address) {
    return address >= m->text_lo && address < m->text_hi;
}

/* The last function that starts at or before the address; NULL if it ends before it. */
X86FLOW_API x86flow_function *x86flow_function_at(const x86flow_module *m, uint64_t address) {
    uint32_t lo = 0, hi = m->count;
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

/* ---- .eh_frame ---- */

/* A pointer in one of the encodings that installed files use. *bad is set for any other. */
X86FLOW_API uint64_t x86flow_encoded(const uint8_t **p, unsigned encoding, int *bad) {
    uint64_t place = x86flow_p_address(*p), value;
    if (encoding == 0xFF) return 0;
    switch (encoding & 15) {
    case 0:
    case 4:
    case 12:
        value = x86flow_p_u64(*p);
        *p += 8;
        break;
    case 3:
        value = x86flow_p_u32(*p);
        *p += 4;
        break;
    case 11:
        value = (uint64_t)(int64_t)x86flow_p_s32(*p);
        *p += 4;
        break;
    default: *bad = 1; return 0;
    }
    if ((encoding & 0x70) == 0x10) {
        if (value) value += place;
    } else if (encoding & 0x70)
        *bad = 1;
    if (encoding & 0x80 && value && !*bad) value = x86flow_p_u64(x86flow_p_at(value));
    return value;
}

/* Reads one FDE and its CIE. Returns 0, or -1 for anything unusual. */
X86FLOW_API int x86flow_read_fde(const uint8_t *fde, x86flow_unwind *u) {
    const uint8_t *p = fde, *cie, *end, *text, *data;
    uint32_t length = x86flow_p_u32(p), cie_length;
    unsigned pointer = 0, lsda = 0xFF, has_z = 0;
    int bad = 0;
    memset(u, 0, sizeof *u);
    if (length < 12 || length == 0xFFFFFFFF) return -1;
    end = p + 4 + length;
    cie = p + 4 - x86flow_p_u32(p + 4);
    cie_length = x86flow_p_u32(cie);
    if (cie_length < 8 || cie_length == 0xFFFFFFFF || x86flow_p_u32(cie + 4) != 0 || cie[8] != 1)
        return -1;
    u->cie_end = cie + 4 + cie_length;
    text = cie + 9;
    data = text + strlen((const char *)text) + 1;
    if (x86flow_p_uleb(&data) != 1) return -1;
    u->data_factor = x86flow_p_sleb(&data);
    if (x86flow_p_uleb(&data) != 16) return -1;
    for (; *text; text++) {
        if (*text == 'z') {
            has_z = 1;
            u->cie_begin = data;
            (void)x86flow_p_uleb(&data);
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
        uint64_t size = x86flow_p_uleb(&q);
        u->cie_begin = q + size;
    }
    p += 8;
    u->pc = x86flow_encoded(&p, pointer, &bad);
    u->size = x86flow_encoded(&p, pointer & 15, &bad);
    {
        uint64_t size = x86flow_p_uleb(&p);
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

/* ---- one function, decoded ---- */

enum { X86FLOW_P_WORK = 6 };            /* words of `pending` for each byte of the function */

X86FLOW_API size_t x86flow_body_init(x86flow_body *b, void *memory, size_t bytes, size_t largest) {
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

X86FLOW_API uint64_t x86flow_address(const x86flow_body *s, uint32_t offset) {
    return offset < s->f->size || !s->part ? s->f->lo + offset : s->part->lo + offset - s->f->size;
}

X86FLOW_API uint32_t x86flow_offset(const x86flow_body *s, uint64_t address) {
    if (address - s->f->lo < s->f->size) return (uint32_t)(address - s->f->lo);
    if (!s->part || address - s->part->lo >= s->part->size) return ~0u;
    return (uint32_t)(address - s->part->lo) + s->f->size;
}

X86FLOW_API uint32_t x86flow_insn_at(const x86flow_body *s, uint64_t address) {
    uint32_t offset = x86flow_offset(s, address);
    return offset == ~0u ? ~0u : s->index[offset] - 1;
}

/* Where a direct jump or call leads, and where a RIP-relative operand stands. */
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

/* Decodes what stands at offsets [at, end) of the text, up to the first instruction that ends at or
   behind `enough`. */
static int x86flow_p_decode(x86flow_body *s, uint32_t at, uint32_t end, uint32_t enough) {
    memset(s->index + at, 0, (size_t)(enough + 1 - at) * sizeof *s->index);
    while (at < enough) {
        x86flow_insn *k = &s->insn[s->count];
        unsigned length = x86decode(s->text + at, end - at, &k->i);
        if (!length) return X86FLOW_UNDECODABLE;
        k->offset = at;
        k->target = k->boring = k->dispatch = 0;
        k->table = k->first_jump = k->next_jump = 0;
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
    memcpy(s->text + at, x86flow_p_at(part->lo), part->size);
    memset(s->text + end, 0xCC, 16);
    s->part = part;
    s->size = end;
    return x86flow_p_decode(s, at, end, end);
}

/* Reads the original bytes of f, whatever stands there now. If its part does not fit, f is read
   alone: jumps to the part leave it then. */
X86FLOW_API int x86flow_decode(x86flow_body *s, const x86flow_module *m, const x86flow_function *f,
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
    if (f->size == 0 || f->size > s->text_max) return X86FLOW_TOO_LARGE;
    if (enough == 0 || enough > f->size) enough = f->size;
    n = f->size - enough < 16 ? f->size : enough + 16;
    memcpy(s->text, x86flow_p_at(f->lo), n);
    memset(s->text + n, 0xCC, 16);
    for (n = 0; f->patched && n < sizeof f->saved && f->patch_at + n < f->size; n++)
        s->text[f->patch_at + n] = f->saved[n];
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

/* The number of the instruction that a direct jump of this body goes to, or ~0: outside. */
X86FLOW_API uint32_t x86flow_goes_to(const x86flow_body *s, const x86flow_insn *k) {
    return x86flow_insn_at(s, x86flow_p_target(s, k));
}

X86FLOW_API int x86flow_falls_through(const x86flow_insn *k) {
    return k->i.kind != X86DECODE_JUMP && k->i.kind != X86DECODE_JUMP_INDIRECT
           && k->i.kind != X86DECODE_RETURN && k->i.kind != X86DECODE_TRAP;
}

X86FLOW_API int x86flow_runs_on(const x86flow_body *s, uint32_t at) {
    return at + 1 < s->count && at + 1 != s->part_first && x86flow_falls_through(&s->insn[at]);
}

/* ---- jump tables ----
   A table of w = 4 holds distances from its own start, one of w = 8 addresses. Candidates are all
   tables that a lea of the function names and all absolute ones beside a jump. A candidate that is
   none does no harm: it only adds places that a translated jump knows. */

X86FLOW_API uint64_t x86flow_table_target(const x86flow_table *t, uint32_t n) {
    const uint8_t *p = x86flow_p_at(t->address + (uint64_t)n * t->width);
    return t->width == 8 ? x86flow_p_u64(p) : t->address + (uint64_t)(int64_t)x86flow_p_s32(p);
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

/* Where the readable range ends that an address lies in; 0: it may not be read. */
static uint64_t x86flow_p_readable(const x86flow_module *m, uint64_t address) {
    uint32_t n;
    if (address < m->lo || address >= m->hi) return 0;
    for (n = 0; n < m->readable_count; n++) {
        if (address >= m->readable[n][0] && address < m->readable[n][1]) return m->readable[n][1];
    }
    return m->readable_count ? 0 : m->hi;
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
}

/* What one instruction means for "the register holds the table": 1 it writes just that, 0 it does
   not touch the register, -1 it writes something else. */
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

/* How an indirect jump counts as a predecessor of the targets of tables. At first no table is
   proved, so that each may lead to each target (DOUBT). If all jumps of a function look as if they
   read one table each (GUESS), they are proved together: each counts only for the targets of
   its own table
   (TOGETHER). That is sound if it succeeds for all of them: the first jump that runs has no other
   before it, and reads its table; the next one has only such before it; and so on. */
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

/* Is `table` what the register holds before instruction `at`, on every path? Walks back over all
   predecessors to the last writes, which must all be a lea or mov of that address. */
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

X86FLOW_API int x86flow_rm_register(const x86decode_insn *i) {
    return i->memory ? -1 : (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8 : 0);
}
X86FLOW_API int x86flow_reg_register(const x86decode_insn *i) {
    return (i->modrm >> 3 & 7) | (i->rex & X86DECODE_REX_R ? 8 : 0);
}

/* Which address does the last lea or mov before `at` put into the register? A guess, to be proved.
   */
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

/* The memory operand that reads a table: *(base + index * width) or *(T + index * width). Returns
   the number of the proved table, or ~0. */
static uint32_t x86flow_p_proved(x86flow_body *s, uint32_t at, uint32_t width) {
    const x86decode_insn *i = &s->insn[at].i;
    uint64_t table;
    uint32_t number;
    if (!i->memory || i->index < 0 || i->scale != width
        || i->prefixes & (X86DECODE_67 | X86DECODE_FS | X86DECODE_GS))
        return ~0u;
    if (i->base == X86DECODE_NONE) {
        if (width != 8) return ~0u;
        table = (uint64_t)i->displacement;
    } else {
        if (i->base < 0 || i->displacement != 0) return ~0u;
        table = x86flow_p_guess(s, at, i->base);
    }
    number = table ? x86flow_p_add_table(s, table, width, 0) : ~0u;
    if (number == ~0u) return ~0u;
    if (i->base >= 0 && !x86flow_p_holds(s, at, i->base, table)) return ~0u;
    return number;
}

static void x86flow_p_uses(x86flow_body *s, uint32_t jump, uint32_t table) {
    s->insn[jump].table = table;
    if (jump > s->tables[table].last_jump) s->tables[table].last_jump = jump;
}

/* Finds how an indirect jump at `at` gets its target, proves it and marks the load for rewriting.
   Otherwise the jump is translated when it runs: slower, never wrong. */
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

/* ---- the whole module: who calls whom, which entries need a check (equation 3) ---- */

static void x86flow_p_touch(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    uint64_t bit = address - m->text_lo;
    if (x86flow_p_in_text(m, address)) g->touched[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

X86FLOW_API void x86flow_take(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    x86flow_function *f;
    if (!x86flow_p_in_text(m, address)) return;
    x86flow_p_touch(g, m, address);
    f = x86flow_function_at(m, address);
    if (f && f->lo == address) f->flags |= X86FLOW_TAKEN;
}

/* Called from code that has no copies: a leaf without a check would never be sampled. */
static void x86flow_p_take_outside(x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    x86flow_function *f = x86flow_function_at(m, address);
    x86flow_take(g, m, address);
    if (f && f->lo == address) f->flags |= X86FLOW_CHECK;
}

/* Walks forward until the flags are overwritten or read. early: other functions and tables are not
   known yet. */
static int x86flow_p_flags(const x86flow_body *s, uint32_t at, int early) {
    enum { MOST = 128 };
    uint32_t pending[MOST], top = 0, steps = 0, n;
    int dispatched = 0;
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
                if (early) return 1;
                for (n = 0; n < s->count && !dispatched; n++) { /* every target of a table */
                    if (!(s->insn[n].target & X86FLOW_TARGET_TABLE)) continue;
                    if (top == MOST) return 1;
                    pending[top++] = n;
                }
                dispatched = 1;
                break;
            }
            if (k->i.kind == X86DECODE_JUMP || k->i.kind == X86DECODE_LOOP) {
                uint32_t to = x86flow_goes_to(s, k);
                if (to == ~0u) {
                    uint64_t address = x86flow_p_target(s, k);
                    const x86flow_function *f = x86flow_function_at(s->m, address);
                    /* A tail call to a function or to a PLT stub; a part (.cold) may want the
                       flags. */
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

X86FLOW_API int x86flow_flags_live(const x86flow_body *s, uint32_t at) {
    return x86flow_p_flags(s, at, 0);
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

/* Who jumps to a part is its owner, if nobody else does. A part that exceptions or tables lead to
   tells by its jumps back. */
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

/* What one instruction names: data, whose addresses bound the tables, and functions. */
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

/* A direct jump or call. Returns whether it leaves the function. */
static int x86flow_p_goes(x86flow_graph *g, const x86flow_module *m, uint32_t number,
                          const x86flow_insn *k, uint64_t here) {
    x86flow_function *f = &m->functions[number], *other;
    uint64_t to = x86decode_target(&k->i, here);
    int call = k->i.kind == X86DECODE_CALL, outside = to - f->lo >= f->size;
    x86flow_p_touch(g, m, to);
    if (!call && !outside && to != f->lo) return 0;
    other = outside ? x86flow_function_at(m, to) : f;
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

/* A function that is left alone is read too, as far as it can be: what it calls, it calls from
   outside of all copies. If it is data, a few functions too many count as called. */
X86FLOW_API int x86flow_survey(x86flow_body *s, x86flow_graph *g, x86flow_module *m,
                               uint32_t number) {
    x86flow_function *f = &m->functions[number];
    uint32_t n;
    int leaf = 1, why = x86flow_decode(s, m, f, 0);
    if (!f->reason) f->reason = (uint8_t)why;
    for (n = 0; n < s->count; n++) {
        const x86flow_insn *k = &s->insn[n];
        uint64_t here = f->lo + k->offset;
        if (k->i.kind == X86DECODE_CALL_INDIRECT) leaf = 0;
        if (k->i.kind >= X86DECODE_JUMP && k->i.kind <= X86DECODE_CALL) {
            if (x86flow_p_goes(g, m, number, k, here)) leaf = 0;
        } else if (k->i.memory || k->i.immediate_size >= 4)
            x86flow_p_names(g, m, k, here);
    }
    if (s->indirect_jumps) {
        f->flags |= X86FLOW_DISPATCH;
        leaf = 0;
    }
    if (leaf && !f->reason) f->flags |= X86FLOW_LEAF;
    f->unsure_entry = f->reason || x86flow_p_flags(s, 0, 1) ? 1 : 0;
    return why;
}

X86FLOW_API int x86flow_touched(const x86flow_graph *g, const x86flow_module *m, uint64_t address) {
    uint64_t bit = address - m->text_lo;
    return x86flow_p_in_text(m, address) && (g->touched[bit >> 3] >> (bit & 7) & 1);
}

/* Joins the parts to their functions. What is reached by conditional jumps alone is one, too. For
   the graph of calls a part is its function; a jump between the two is no call. */
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

/* Whatever the code names may be a table of either width; its end is the next thing that is named.
   What is none does no harm: it touches a few bytes too many. */
X86FLOW_API void x86flow_touch_tables(x86flow_graph *g, x86flow_module *m) {
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

X86FLOW_API size_t x86flow_graph_bytes(const x86flow_module *m) {
    size_t text = (size_t)(m->text_hi - m->text_lo);
    return (text / 4 + 1024) * 8 + (text / 6 + 1024) * 8 + text / 8 + 64;
}

X86FLOW_API void x86flow_graph_init(x86flow_graph *g, const x86flow_module *m, void *memory) {
    size_t text = (size_t)(m->text_hi - m->text_lo);
    g->count = g->named_count = 0;
    g->max = (uint32_t)(text / 4 + 1024);
    g->named_max = (uint32_t)(text / 6 + 1024);
    g->named = (uint64_t *)memory;
    g->from = (uint32_t *)(void *)(g->named + g->named_max);
    g->to = g->from + g->max;
    g->touched = (uint8_t *)(g->to + g->max);
}

X86FLOW_API void x86flow_leave_out(x86flow_module *m, const x86flow_graph *g, uint64_t address,
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

/* Equation 3: an entry is checked if the function is not a leaf and is a root, has its address
   taken, or closes a cycle of calls: somebody of its own strongly connected component calls it who
   is not nearer to the roots. So every cycle of calls has a check. Who calls a function directly
   passes the check only in the last of these cases (`direct`): a cycle without one goes through a
   pointer somewhere, and there it passes a check. */
X86FLOW_API size_t x86flow_eliminate_bytes(const x86flow_module *m, const x86flow_graph *g) {
    return ((size_t)m->count * 9 + g->count + 2) * sizeof(uint32_t);
}

X86FLOW_API void x86flow_eliminate(const x86flow_module *m, const x86flow_graph *g, void *memory) {
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

X86FLOW_API int x86flow_is_nop(const x86decode_insn *i) {
    if (i->coding != X86DECODE_LEGACY) return 0;
    if (i->map == 0)
        return i->opcode == 0x90 && !(i->prefixes & X86DECODE_F3) && !(i->rex & X86DECODE_REX_B);
    return i->map == 1 && i->opcode == 0x1F;
}

/* The successor of an instruction, or of the node that stands for all indirect jumps (its number is
   count), behind the `from` first ones; ~0: no more. *from goes on. */
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

/* Strongly connected components of the instructions, by Tarjan with a stack of its own. Returns an
   array: two instructions are on one cycle if their numbers are equal. */
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

/* A table's dispatch goes back if it stands behind the target. Of one that was not proved every
   target of a table may be the next. */
static void x86flow_p_check_tables(x86flow_body *s) {
    uint32_t n, e, last = 0;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].i.kind == X86DECODE_JUMP_INDIRECT
            && s->insn[n].dispatch == X86FLOW_TRANSLATE)
            last = n;
    }
    for (n = 0; n < last; n++) {
        if (s->insn[n].target & X86FLOW_TARGET_TABLE) s->insn[n].target |= X86FLOW_TARGET_CHECKED;
    }
    for (n = 0; n < s->table_count; n++) {
        const x86flow_table *t = &s->tables[n];
        for (e = 0; t->last_jump && e < t->entries; e++) {
            uint32_t to = x86flow_insn_at(s, x86flow_table_target(t, e));
            if (to != ~0u && to <= t->last_jump) s->insn[to].target |= X86FLOW_TARGET_CHECKED;
        }
    }
}

/* Looks at all indirect jumps in one way of proving. Returns whether each has a table. */
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

/* Before both copies: which back-edges are checked, which dispatches are proved. A back-edge is a
   branch to a lower address on a cycle. An exception may close a cycle that is not seen here: in
   a function where one may land every branch to a lower address counts. A loop is boring if, from
   its head to the branch back, it has no call and at most k memory operands: it gets neither. */
X86FLOW_API void x86flow_plan(x86flow_body *s, int32_t k_boring) {
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
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & X86FLOW_TARGET_CHECKED && x86flow_flags_live(s, n))
            s->insn[n].target |= X86FLOW_TARGET_FLAGS;
    }
}

/* ---- from a frame to its caller ----
   A rule says where the CFA is, and where rbp is saved. What needs more than that (expressions,
   other registers) has none, and the walk over the stack ends there. */

typedef struct x86flow_p_state {
    unsigned reg;
    int64_t offset, rbp;
    int rbp_saved;
} x86flow_p_state;

static const uint8_t *x86flow_p_skip(const uint8_t *p) {
    uint64_t size = x86flow_p_uleb(&p);
    return p + size;
}

/* An operation of a CFA program that does not advance. Returns what stands behind it, or NULL. */
static const uint8_t *x86flow_p_operate(unsigned op, const uint8_t *p, x86flow_p_state *now) {
    switch (op) {
    case 0x00: return p;
    case 0x2E: (void)x86flow_p_uleb(&p); return p;
    case 0x0C:
        now->reg = (unsigned)x86flow_p_uleb(&p);
        now->offset = (int64_t)x86flow_p_uleb(&p);
        return p;
    case 0x0D: now->reg = (unsigned)x86flow_p_uleb(&p); return p;
    case 0x0E: now->offset = (int64_t)x86flow_p_uleb(&p); return p;
    case 0x08:
        if (x86flow_p_uleb(&p) == 6) now->rbp_saved = 0;
        return p;
    case 0x07: return x86flow_p_uleb(&p) == 16 ? NULL : p; /* nobody called this */
    case 0x10:
    case 0x16:
        if (x86flow_p_uleb(&p) == 6) return NULL;
        return x86flow_p_skip(p);
    default: return NULL;
    }
}

/* Runs a CFA program up to a place, counted from the function's start. Returns 0, or -1. */
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
            int64_t offset = (int64_t)x86flow_p_uleb(&p) * factor;
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
            at += x86flow_p_u32(p);
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

X86FLOW_API int x86flow_find_rule(const uint8_t *fde, uint64_t place, x86flow_rule *out) {
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

X86FLOW_API int x86flow_rule_of(const x86flow_module *m, const x86flow_function *f,
                                uint32_t offset, x86flow_rule *out) {
    if (offset < f->size || !f->part) return x86flow_find_rule(f->fde, offset, out);
    return x86flow_find_rule(m->functions[f->part - 1].fde, offset - f->size, out);
}

X86FLOW_API int x86flow_step(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp, uint64_t *rbp) {
    uint64_t cfa = (rule->reg == 6 ? *rbp : *rsp) + (uint64_t)(int64_t)rule->offset;
    if (!rule->reg || cfa <= *rsp || cfa - *rsp > (1u << 23) || cfa & 7) return -1;
    *pc = x86flow_p_u64(x86flow_p_at(cfa - 8));
    if (rule->rbp_saved) *rbp = x86flow_p_u64(x86flow_p_at(cfa + (uint64_t)(int64_t)rule->rbp));
    *rsp = cfa;
    return 0;
}

X86FLOW_API int x86flow_step_inside(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp,
                                    uint64_t *rbp, uint64_t end) {
    uint64_t cfa = (rule->reg == 6 ? *rbp : *rsp) + (uint64_t)(int64_t)rule->offset;
    uint64_t saved = cfa + (uint64_t)(int64_t)rule->rbp;
    if (cfa > end || cfa < *rsp + 8) return -1;
    if (rule->rbp_saved && (saved < *rsp || saved > end - 8)) return -1;
    return x86flow_step(rule, pc, rsp, rbp);
}

/* The FDE in a .eh_frame_hdr that covers pc; NULL: none. */
X86FLOW_API const uint8_t *x86flow_find_fde(const uint8_t *h, uint64_t pc, uint64_t *start) {
    uint32_t lo = 0, hi;
    if (!h || h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return NULL;
    hi = x86flow_p_u32(h + 8);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        uint64_t at =
            x86flow_p_address(h) + (uint64_t)(int64_t)x86flow_p_s32(h + 12 + 8 * (size_t)mid);
        if (at <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo) return NULL;
    *start = x86flow_p_address(h) + (uint64_t)(int64_t)x86flow_p_s32(h + 12 + 8 * (size_t)(lo - 1));
    return h + x86flow_p_s32(h + 12 + 8 * (size_t)(lo - 1) + 4);
}

/* A part (.cold) begins with another frame than a function's: its FDE sets the rule before it
   advances. So does _start, which has no caller. */
static int x86flow_p_is_fragment(const x86flow_unwind *u) {
    unsigned op = u->fde_begin < u->fde_end ? *u->fde_begin : 0;
    return op && (op & 0xC0) != 0x40 && (op < 2 || op > 4);
}

static void x86flow_p_find_pads(x86flow_module *m) {
    uint32_t n;
    for (n = 0; n < m->count; n++) {
        x86flow_function *f = &m->functions[n];
        uint64_t end = f->lo + f->size, next = n + 1 < m->count ? f[1].lo : end;
        while (end + f->pad < next && f->pad < 16) {
            x86decode_insn i;
            const uint8_t *code = x86flow_p_at(end + f->pad);
            unsigned length = x86decode(code, (size_t)(next - end - f->pad), &i);
            if (!length || (!x86flow_is_nop(&i) && i.kind != X86DECODE_TRAP)) break;
            f->pad += length;
        }
    }
}

/* .eh_frame_hdr lists the FDEs in the order of their addresses. */
X86FLOW_API uint32_t x86flow_list_functions(x86flow_module *m, x86flow_function *functions,
                                            uint32_t max) {
    const uint8_t *h = m->frame_header;
    uint32_t entries, n;
    m->count = 0;
    if (!h || h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return 0;
    entries = x86flow_p_u32(h + 8);
    if (entries > 4000000) return 0;
    if (!functions) return entries;
    m->functions = functions;
    for (n = 0; n < entries && m->count < max; n++) {
        x86flow_function *f = &functions[m->count];
        const uint8_t *entry = h + 12 + 8 * (size_t)n;
        x86flow_unwind u;
        memset(f, 0, sizeof *f);
        f->lo = x86flow_p_address(h) + (uint64_t)(int64_t)x86flow_p_s32(entry);
        f->fde = h + x86flow_p_s32(entry + 4);
        if (!x86flow_p_in_text(m, f->lo) || (m->count && f->lo <= f[-1].lo)) continue;
        if (x86flow_read_fde(f->fde, &u) != 0 || u.pc != f->lo || u.size == 0
            || u.size > m->text_hi - f->lo) {
            f->reason = X86FLOW_UNWIND;
            f->size = 1;
        } else {
            f->size = (uint32_t)u.size;
            if (u.signal_frame) f->reason = X86FLOW_UNWIND;
            if (x86flow_p_is_fragment(&u)) f->flags |= X86FLOW_FRAGMENT;
        }
        if (m->count && f[-1].lo + f[-1].size > f->lo) f->reason = f[-1].reason = X86FLOW_UNWIND;
        m->count++;
    }
    x86flow_p_find_pads(m);
    return m->count;
}

#endif /* X86FLOW_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy
   of this software and associated documentation files (the "Software"), to deal
   in the Software without restriction, including without limitation the rights
   to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
   copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all
   copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
   SOFTWARE.
*/
