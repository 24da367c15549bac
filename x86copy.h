/* x86copy.h - v0.1.0 - copies of x86-64 functions with checks and events - MIT, text at end of file

   example:
       #define X86DECODE_IMPLEMENTATION
       #define X86FLOW_IMPLEMENTATION
       #define X86COPY_IMPLEMENTATION
       #include "x86decode.h"
       #include "x86flow.h"
       #include "x86copy.h"
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

   STEP BY STEP
   1. x86flow.h decodes a function into a body and plans it. x86copy_emit writes a copy of it into
      `out`, as code for the address that you name. The caller puts the bytes there.
   2. There are two kinds of copies. The checking copy C has a check at the function's entry and at
      the back-edges that need one. The instrumented copy I has the same checks, and writes events
      into a buffer. Both have the same sites, which are the places where the code goes from one
      copy to the other. Registers, flags that matter and the stack are equal there.
   3. x86copy_emit_unwind adds unwind information of the copy's own, with which exceptions and
      backtraces go through it.
   4. x86copy_emit_slow writes the two pieces of code that all copies of a module share.
   5. x86copy_emit_stub writes what a patched entry jumps to. Its first instruction is T, a jump
      through a word of data, the function's slot. The slot leads to C, to code that asks for C, or
      to "plain": the instructions that the patch displaced, and a jump to the rest of the function.

   PROMISES   A copy computes what the function computes: registers, flags, memory and the stack
              above its red zone. Events read no operand. No allocation, no output, no state.
   THREADS    Everything is a function of its arguments.
   OPTIONS    Include it behind x86flow.h: without that it declares nothing.
              X86COPY_IMPLEMENTATION   in one file, before the include: the functions
              X86COPY_STATIC           beside it: all functions are static
              It works where x86flow.h works.
   COST       C is some 1.3 to 2 times as large as the function, I some 5 to 8 times. An event is 8
              instructions, or 12 or 14 where one or both of its registers are in use.
   */

#include <stddef.h>
#include <stdint.h>
#if !defined(X86COPY_H) && defined(X86FLOW_H)
#define X86COPY_H

/* The API macro has the same text in all headers of the family. */
#if defined(__GNUC__) || defined(__clang__)
#define X86COPY_P_GNU
#endif
#if defined(X86COPY_P_GNU) || defined(__TINYC__)
#define X86COPY_P_UNUSED __attribute__((unused))
#else
#define X86COPY_P_UNUSED
#endif
#ifdef X86COPY_STATIC
#define X86COPY_API X86COPY_P_UNUSED static
#elif defined(X86COPY_P_GNU) && !defined(_WIN32)
#define X86COPY_API extern __attribute__((visibility("hidden")))
#else
#define X86COPY_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {                          /* module.events: what an instrumented copy records */
    X86COPY_ENTRY = 1,
    X86COPY_EXIT = 2,
    X86COPY_CALL = 4,
    X86COPY_BLOCK = 8,
    X86COPY_LOAD = 16,
    X86COPY_STORE = 32,
    X86COPY_REPEAT = 64,        /* never asked for: precedes the event of a rep instruction */
    X86COPY_STACK = 128         /* push, pop, call and leave are loads and stores too */
};
/* An event is 16 bytes: u64 value; u32 kind | bytes << 8 | module number << 24; u32 place. It is
   written at the address in the thread's word `position`, whose low 16 bits then go on by 16. */

enum { X86COPY_LIVE = -0x40000000 };    /* the word n inside a burst */

/* What is known of a function's copies. Positions count from module.rx; 0: there is none. */
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
} x86copy_function;

/* So many bytes of C and of I are the check of the entry. Direct calls that need none skip them. */
enum { X86COPY_CHECK_C = 14, X86COPY_CHECK_I = 19 };

/* A call through this GOT slot, by a stub of the PLT or without one, reaches that function. */
typedef struct x86copy_bound {
    uint64_t slot;
    uint32_t function;
} x86copy_bound;

typedef struct x86copy_module {
    const x86flow_module *flow;
    x86copy_function *functions;            /* as many as flow->functions, in the same order */
    uint32_t number, events;
    uint64_t rx;                            /* the address at which position 0 of the code runs */
    uint64_t slots, site_slots;             /* addresses of words: per function, per site */
    uint32_t slow_at, make_common_at, heavy_at, slow_end;
    uint64_t sensitive[16];                 /* GOT slots of functions that ask who calls them */
    uint32_t sensitive_count;
    const x86copy_bound *bound;             /* GOT slots that lead back into this module, sorted */
    uint32_t bound_count;
    int32_t offset_n, offset_left, offset_position;     /* of the thread's words, from %fs:0 */
    uint32_t xsave_bytes, xsave_mask;       /* mask 0: fxsave */
    /* Asked by all copies: code is a site, or MAKE_C or MAKE_I with the number of a function. Of a
       site it returns whether a burst is live, of the others where to go. */
    uint64_t (*heavy)(uint64_t code, void *user, const uint64_t *saved);
    void *user;
} x86copy_module;
enum { X86COPY_MAKE_C = 0x40000000, X86COPY_MAKE_I = 0x20000000, X86COPY_NUMBER = 0x0FFFFFFF };

/* saved: the registers at that moment, in this order; behind them the return address, the code, and
   for a site the 128 bytes of the program's red zone. */
enum {
    X86COPY_SAVED_RBP = 0,
    X86COPY_SAVED_FLAGS = 9,
    X86COPY_SAVED_RAX = 10,
    X86COPY_SAVED_COUNT = 13
};

typedef struct x86copy_spot {   /* of an instruction of the body, in the copy being emitted */
    uint32_t at;
    uint32_t c_at;              /* in the checking copy */
    uint32_t thunk, slow;       /* of a checked target: where its check stands, and its slow end */
    uint32_t site;
} x86copy_spot;
typedef struct x86copy_fixup {
    uint32_t at, index, kind;
} x86copy_fixup;
/* A fixup of these kinds is a call whose distance is to be changed when function `index` has a C or
   an I. `at` counts from out[0]. */
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

/* Lays memory out for copies of what the body can hold. Returns the bytes it takes, or 0: memory is
   too small (memory NULL: only tells how many). */
X86COPY_API size_t x86copy_init(x86copy *s, x86flow_body *body, void *memory, size_t bytes);
/* Emits a copy of the body's function as if out[0] stood at `base`. Sites are numbered from
   first_site in the order entry, then targets of back-edges; both copies agree on them. A copy that
   is emitted again is equal if `base` is a multiple of 64 both times. For an instrumented copy the
   spots must hold the c_at of the checking copy. Returns 0, or -1: it is too large. */
X86COPY_API int x86copy_emit(x86copy *s, x86copy_module *m, uint64_t base, int instrumented,
                             uint32_t first_site);
/* Before I is emitted: the spots get the c_at of C, which is emitted again for that. Returns 0, or
   -1. */
X86COPY_API int x86copy_find_c(x86copy *s, x86copy_module *m, uint64_t base, uint32_t first_site);
/* Does place number n of the spots have a site? Behind the instructions comes their end, and then
   the entry. Returns 1 or 0. */
X86COPY_API int x86copy_is_site(const x86flow_body *b, uint32_t n);
/* How far behind the start of C or I a direct call of f goes: behind the check, or 0. */
X86COPY_API uint32_t x86copy_skips(const x86flow_function *f, int instrumented);
/* A call of C has pushed the return address pc. What would the same call of I have pushed? Wants
   returns_at of the function. Returns 0: pc is not behind a call that returns. */
X86COPY_API uint64_t x86copy_return_in_i(const x86copy_module *m, uint32_t number, uint64_t pc);
/* Behind the code of a copy: its own .eh_frame_hdr (at *header), CIE, FDE, LSDA of both parts.
   Returns 0, or -1. */
X86COPY_API int x86copy_emit_unwind(x86copy *s, uint32_t *header);
/* Adds to m->bound, which stands in `bound` and has room. */
X86COPY_API void x86copy_bind(x86copy_module *m, x86copy_bound *bound, uint64_t slot,
                              uint32_t function);
/* A GOT slot leads to a function of that name. Calls of those that ask who calls them are left to
   the original code. */
X86COPY_API void x86copy_note_import(x86copy_module *m, const char *name, uint64_t slot);
/* How the common code is to save the registers of this processor: xsave_bytes, xsave_mask. */
X86COPY_API void x86copy_find_xsave(x86copy_module *m);
/* The common code of a module, with out[0] at s->base; sets slow_at and so on. */
X86COPY_API void x86copy_emit_slow(x86copy *s, x86copy_module *m);
/* Everything behind a patched entry, for out[0] at s->base and position `at`: T, plain, make C and,
   if direct calls need no check, make I. The body holds the first instructions. Returns 0, or -1:
   they cannot stand anywhere else. */
X86COPY_API int x86copy_emit_stub(x86copy *s, x86copy_module *m, uint32_t number, uint32_t at);

#ifdef __cplusplus
}
#endif
#endif /* X86COPY_H */

/* ---- implementation ---- */
#if defined(X86COPY_IMPLEMENTATION) && !defined(X86COPY_IMPLEMENTED) && defined(X86FLOW_SUPPORTED)
#define X86COPY_IMPLEMENTED
#include <cpuid.h>
#include <string.h>

/* ---- small things ---- */

static uint32_t x86copy_p_u32(const void *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

/* [shared: x86_words] */
static uint64_t x86copy_p_address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}
static const uint8_t *x86copy_p_at(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
}
/* [end shared] */

/* [shared: uleb] */
static uint64_t x86copy_p_uleb(const uint8_t **p) {
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

/* ---- unwind information of a copy ---- */

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

/* A function or its part: offsets of the body from `from` to `to`, which stand in the copy from
   `start` to `end`. */
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

/* Where in its range of the copy stands what is at an offset of the range, or ~0: no instruction is
   there. */
static uint32_t x86copy_p_new_offset(const x86copy *s, const x86copy_p_range *r, uint64_t offset) {
    if (offset == r->to - r->from) return r->end - r->start;
    if (offset > r->to - r->from || !s->b->index[r->from + offset]) return ~0u;
    return s->spot[s->b->index[r->from + offset] - 1].at - r->start;
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
            (void)x86copy_p_uleb(&p);
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
                old += x86copy_p_u32(p);
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
                (void)x86copy_p_uleb(&p);
                (void)x86copy_p_uleb(&p);
                break;
            case 0x06:
            case 0x07:
            case 0x08:
            case 0x0D:
            case 0x0E:
            case 0x13:
            case 0x2E: (void)x86copy_p_uleb(&p); break;
            case 0x10:
            case 0x16:
            case 0x0F: {
                uint64_t size;
                if (op != 0x0F) (void)x86copy_p_uleb(&p);
                size = x86copy_p_uleb(&p);
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

typedef struct x86copy_p_lsda {
    const uint8_t *sites, *sites_end, *actions;
    uint64_t pads, types;
    unsigned site_encoding, type_encoding;
    int bad;
} x86copy_p_lsda;

static int x86copy_p_open_lsda(const x86flow_unwind *u, x86copy_p_lsda *l) {
    const uint8_t *p = x86copy_p_at(u->lsda);
    unsigned encoding = *p++;
    uint64_t size;
    memset(l, 0, sizeof *l);
    l->pads = encoding == 0xFF ? u->pc : x86flow_encoded(&p, encoding, &l->bad);
    l->type_encoding = *p++;
    if (l->type_encoding != 0xFF) {
        uint64_t to = x86copy_p_uleb(&p);
        l->types = x86copy_p_address(p) + to;
    }
    l->site_encoding = *p++;
    size = x86copy_p_uleb(&p);
    l->sites = p;
    l->sites_end = l->actions = p + size;
    return l->bad || (l->site_encoding != 1 && l->site_encoding != 3) || size > (1u << 26) ? -1 : 0;
}

static uint64_t x86copy_p_lsda_value(x86copy_p_lsda *l) {
    uint64_t value;
    if (l->site_encoding == 1) return x86copy_p_uleb(&l->sites);
    value = x86copy_p_u32(l->sites);
    l->sites += 4;
    return value;
}

/* The LSDA of a copy: call sites and landing pads are mapped, actions are copied, the types stay
   where they are. A pad outside of the body stays in the original: right, not recorded. */
static int x86copy_p_copy_lsda(const x86copy *s, const x86copy_p_range *r, const x86flow_unwind *u,
                               uint64_t place, x86copy_p_bytes *b) {
    x86copy_p_lsda l;
    uint8_t *begin = b->p, *sites;
    uint64_t action_bytes = 0;
    unsigned n;
    if (x86copy_p_open_lsda(u, &l) != 0) return -1;
    x86copy_p_put(b, 0xFF);
    x86copy_p_put(b, l.type_encoding);
    if (l.type_encoding != 0xFF) {
        uint64_t behind = place + (uint64_t)(b->p - begin) + 10;
        x86copy_p_put_uleb(b, l.types - behind, 10);
        action_bytes = l.types - x86copy_p_address(l.actions);
        if (action_bytes > 65536) return -1;
    }
    x86copy_p_put(b, 1);
    x86copy_p_put_uleb(b, 0, 5);
    sites = b->p;
    while (l.sites < l.sites_end) {
        uint64_t start = x86copy_p_lsda_value(&l), size = x86copy_p_lsda_value(&l);
        uint64_t pad = x86copy_p_lsda_value(&l), action = x86copy_p_uleb(&l.sites), to = 0;
        uint32_t new_start = x86copy_p_new_offset(s, r, start),
                 new_end = x86copy_p_new_offset(s, r, start + size);
        if (new_start == ~0u || new_end == ~0u || (action && !action_bytes)) return -1;
        if (pad) {
            uint64_t old = l.pads + pad;
            uint32_t landing = x86flow_insn_at(s->b, old);
            if (landing != ~0u) to = (uint64_t)s->spot[landing].at - r->start;
            else if (x86flow_offset(s->b, old) != ~0u) return -1;
            else to = old - (s->base + s->code_start + r->start);
            if (to == 0) return -1; /* 0 says that there is no pad */
        }
        x86copy_p_put_uleb(b, new_start, 1);
        x86copy_p_put_uleb(b, new_end - new_start, 1);
        x86copy_p_put_uleb(b, to, 1);
        x86copy_p_put_uleb(b, action, 1);
    }
    if (b->full || b->end - sites < 8) return -1;
    for (n = 0; n < 5; n++)
        sites[-5 + (int)n] =
            (uint8_t)(((uint64_t)(b->p - sites) >> (7 * n) & 127) | (n < 4 ? 128 : 0));
    for (; action_bytes; action_bytes--) x86copy_p_put(b, *l.actions++);
    return b->full ? -1 : 0;
}

/* ---- emission: one pass in linear order, distances filled in behind it ---- */

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
/* Bytes in hex text would be nicer to read and slower to emit: a string literal it is. */
#define X86COPY_P_CODE(s, literal) x86copy_p_out(s, literal, (unsigned)sizeof literal - 1)

static uint32_t x86copy_p_position(const x86copy *s) {
    return s->out_size - s->code_start;
}
static uint64_t x86copy_p_here(const x86copy *s) {
    return s->base + s->out_size;
}

/* Four bytes of distance to an address, counted from `behind` bytes after them. */
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

/* Behind a check that became negative: ask whether a burst is live. CF set: yes.
   The stack below the red zone is free here, flags are dead. */
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

/* The slow end of a check at a site. In C: live goes to I through the site's slot, otherwise on to
   `body`. In I: live goes on to `body`, otherwise to the same site of C. */
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

/* Where an instruction stands in the original, and the same as events name it. */
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

/* mov between %fs:position and a register. */
static void x86copy_p_position_of(x86copy *s, unsigned opcode, unsigned reg) {
    x86copy_p_out1(s, 0x64);
    x86copy_p_out1(s, 0x48 | (reg >= 8 ? 4u : 0));
    x86copy_p_out1(s, opcode);
    x86copy_p_out1(s, 0x04 | (reg & 7) << 3);
    x86copy_p_out1(s, 0x25);
    x86copy_p_out4(s, (uint32_t)s->m->offset_position);
}

/* lea of an instruction's operand into a register. `lower` is how much lower rsp is than the
   program's. */
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

/* ---- events ----
   An event needs two registers, one for its value and one for the place where it is written:

       lea operand,%value; mov %fs:position,%at; mov %value,(%at); movl what,8(%at);
       movl place,12(%at); lea 16(%at),%value; movw %value,%at; mov %at,%fs:position

   No flag is touched. Registers that the program writes before it reads them are taken. If there
   are not two of them, others are kept on the stack meanwhile, below the red zone. */

enum { X86COPY_P_EVENT_FRAME = 0x98, X86COPY_P_AHEAD = 12 };
enum { X86COPY_P_SCRATCH = 0x0FC7 };    /* rax rcx rdx rsi rdi r8-r11: what a call may overwrite */

typedef struct x86copy_p_event {
    unsigned value, at;
    unsigned kept[2];           /* registers on the stack: 1 + number, or 0 */
    int32_t lower;              /* how much lower rsp is */
} x86copy_p_event;

/* The scratch registers that hold nothing before instruction k: from there on in a straight line
   each is written whole before it is read. Callers and handlers of exceptions do not see them. */
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

/* Before instruction k. value 1 and at 0 are rcx and rax. any: other registers do as well. */
static x86copy_p_event x86copy_p_event_begin(x86copy *s, const x86flow_insn *k, int any) {
    uint32_t dead = any ? x86copy_p_dead(s, k) : 0, n;
    x86copy_p_event e = {1, 0, {2, 1}, X86COPY_P_EVENT_FRAME};
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
    x86copy_p_position_of(s, 0x8B, e->at); /* mov %fs:position,%at */
    x86copy_p_out1(s, 0x48 | high | wide); /* mov %value,(%at) */
    x86copy_p_out1(s, 0x89);
    x86copy_p_out1(s, (e->value & 7) << 3 | at);
    for (n = 0; n < 2; n++) { /* movl field,8 + 4n(%at) */
        if (high) x86copy_p_out1(s, 0x41);
        x86copy_p_out1(s, 0xC7);
        x86copy_p_out1(s, 0x40 | at);
        x86copy_p_out1(s, 8 + 4 * n);
        x86copy_p_out4(s, field[n]);
    }
    /* lea 16(%at),%value; mov of its low 16 bits to %at: the buffer is 64 KiB and aligned so, and
       this stays inside. All 64 bits are stored, for a load that is wider than the store before it
       would wait for that. */
    x86copy_p_out1(s, 0x48 | high | wide);
    x86copy_p_out1(s, 0x8D);
    x86copy_p_out1(s, 0x40 | (e->value & 7) << 3 | at);
    x86copy_p_out1(s, 16);
    x86copy_p_out1(s, 0x66);
    if (high | wide) x86copy_p_out1(s, 0x40 | high | wide);
    x86copy_p_out1(s, 0x89);
    x86copy_p_out1(s, 0xC0 | (e->value & 7) << 3 | at);
    x86copy_p_position_of(s, 0x89, e->at);
    x86copy_p_keep(s, e, 1);
}

/* An event before instruction k whose value is rsp + more as the program sees it. */
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

static void x86copy_p_exit_event(x86copy *s, const x86flow_insn *k) {
    if (s->instrumented && s->m->events & X86COPY_EXIT)
        x86copy_p_event_stack(s, k, x86copy_p_what(s, X86COPY_EXIT, 0),
                              (uint32_t)(s->b->f->lo - s->m->flow->bias), 0);
}

/* An instruction with another displacement of four bytes; rip says that it is counted from its end.
   */
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

/* The GOT slot that a stub of the PLT jumps through, or 0: there is no such stub. */
static uint64_t x86copy_p_stub_slot(const x86flow_module *m, uint64_t to) {
    x86decode_insn stub;
    if (to < m->text_lo || to + 32 > m->text_hi) return 0;
    if (!x86decode(x86copy_p_at(to), 16, &stub)) return 0;
    if (stub.map == 1 && stub.opcode == 0x1E) { /* endbr64 */
        to += stub.length;
        if (!x86decode(x86copy_p_at(to), 16, &stub)) return 0;
    }
    if (stub.kind != X86DECODE_JUMP_INDIRECT || stub.base != X86DECODE_RIP) return 0;
    return to + stub.length + (uint64_t)stub.displacement;
}

/* The GOT slot that a call goes through, or 0. */
static uint64_t x86copy_p_call_slot(const x86copy *s, const x86flow_insn *k) {
    uint64_t here = x86copy_p_address_of(s, k);
    if (k->i.kind == X86DECODE_CALL)
        return x86copy_p_stub_slot(s->m->flow, x86decode_target(&k->i, here));
    if (!k->i.memory || k->i.base != X86DECODE_RIP) return 0;
    return here + k->i.length + (uint64_t)k->i.displacement;
}

/* A function that looks at its return address to learn which module calls it must see the original
   one: such a call stays in the original. */
static int x86copy_p_sensitive(const x86copy *s, uint64_t slot) {
    uint32_t n;
    for (n = 0; n < s->m->sensitive_count; n++) {
        if (s->m->sensitive[n] == slot) return 1;
    }
    return 0;
}

/* The function of this module that a GOT slot leads to, or `otherwise`. */
static uint64_t x86copy_p_bound_to(const x86copy_module *m, uint64_t slot, uint64_t otherwise) {
    uint32_t lo = 0, hi = m->bound_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->bound[mid].slot < slot) lo = mid + 1;
        else hi = mid;
    }
    if (!slot || lo == m->bound_count || m->bound[lo].slot != slot) return otherwise;
    return m->flow->functions[m->bound[lo].function].lo;
}

X86COPY_API uint32_t x86copy_skips(const x86flow_function *f, int instrumented) {
    if (f->direct || !(f->flags & X86FLOW_CHECK)) return 0;
    return instrumented ? X86COPY_CHECK_I : X86COPY_CHECK_C;
}

/* A direct call or jump to the start of a function of this module: to its copy if that is there,
   else through its stub; the place is remembered so that it can be joined later. A distance inside
   one cache line can be changed while other threads run the code: nops move it there. */
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
        if (made) made += x86copy_skips(g, in_i);
        to = m->rx + (made ? made : in_i ? h->make_i_at : h->t_at);
        if (g == s->b->f && !in_i) to = m->rx + h->t_at;
        if (!made && !s->failed) {
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

/* In I, behind a call: the burst may have ended meanwhile. Flags are dead here. */
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

/* A dispatch whose table was not proved. The jump's target is looked up; a known one leads to the
   copy through a landing that restores what was saved, any other is jumped to as it is. */
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

/* Does a jump to an address outside of the function leave it? A jump to a part of it (.cold), or
   into the middle of anything, does not. A stub of the PLT is replaced by what it leads to. */
static int x86copy_p_leaves(const x86copy *s, uint64_t *address) {
    uint64_t slot = x86copy_p_stub_slot(s->m->flow, *address);
    const x86flow_function *g;
    *address = x86copy_p_bound_to(s->m, slot, *address);
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
    } else if (leaves && s->instrumented && s->m->events & X86COPY_EXIT) {
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
    /* A landing pad may not stand at the start of a part: a nop keeps it away from there. */
    if (x86flow_is_nop(&k->i) && n != s->b->part_first) return;
    if ((k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT)
        && x86copy_p_sensitive(s, x86copy_p_call_slot(s, k))) {
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
        to = x86copy_p_bound_to(s->m, x86copy_p_call_slot(s, k), to);
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
        } else if (k->dispatch == X86FLOW_TRANSLATE)
            x86copy_p_translate(s, k);
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

/* The check of a back-edge's target, out of line; all back-edges to it come here. */
static void x86copy_p_emit_thunk(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    x86copy_spot *spot = &s->spot[n];
    int flags = (k->target & X86FLOW_TARGET_FLAGS) != 0;
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

/* The landings of translated jumps, and the map from offsets of the function to them. A jump to
   its part goes to the original. */
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

/* ---- returns ----
   A burst may begin inside a call that C made. The code behind that call belongs to the burst, too.
   So whoever begins a burst exchanges the return addresses that C has pushed for those that I would
   have pushed: x86copy_return_in_i. Behind its call I looks whether the burst is still live.

   The list behind the code of I: how many, then for each call that returns two words in rising
   order: where the return address is in C and in I, counted from their starts. */

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

X86COPY_API uint64_t x86copy_return_in_i(const x86copy_module *m, uint32_t number, uint64_t pc) {
    const x86copy_function *f = &m->functions[number];
    const uint8_t *list = x86copy_p_at(m->rx + f->returns_at);
    uint64_t at = pc - (m->rx + f->c_at);
    uint32_t lo = 0, hi;
    if (!f->returns_at || !f->i_at) return 0;
    hi = x86copy_p_u32(list);
    for (list += 4; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2, c_at = x86copy_p_u32(list + (size_t)mid * 8);
        if (c_at == at) return m->rx + f->i_at + x86copy_p_u32(list + (size_t)mid * 8 + 4);
        if (c_at < at) lo = mid + 1;
        else hi = mid;
    }
    return 0;
}

/* Behind the last instruction of the function or of its part: on in what stands there. */
static void x86copy_p_leave_end(x86copy *s, uint32_t n) {
    const x86flow_insn *k = &s->b->insn[n];
    if (x86flow_falls_through(k)) x86copy_p_jump(s, x86copy_p_address_of(s, k) + k->i.length);
}

/* Emits one copy into the scratch memory as if it stood at `base`. Sites are numbered from
   first_site in the order entry, then targets of back-edges; so both copies agree. */
X86COPY_API int x86copy_emit(x86copy *s, x86copy_module *m, uint64_t base, int instrumented,
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

X86COPY_API int x86copy_find_c(x86copy *s, x86copy_module *m, uint64_t base, uint32_t first_site) {
    uint32_t n;
    if (x86copy_emit(s, m, base, 0, first_site) != 0) return -1;
    for (n = 0; n < s->b->count + 2; n++) s->spot[n].c_at = s->spot[n].at;
    return 0;
}

X86COPY_API int x86copy_is_site(const x86flow_body *b, uint32_t n) {
    if (n == b->count + 1) return (b->f->flags & X86FLOW_CHECK) != 0;
    return n < b->count && b->insn[n].target & X86FLOW_TARGET_CHECKED;
}

/* A CIE and an FDE of a range. Returns where the FDE stands, or NULL. *lsda: where its pointer to
   an LSDA is to be written, or NULL. */
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

/* Behind the code of a copy: its own .eh_frame_hdr; a CIE, an FDE and an LSDA for the function and
   for its part. */
X86COPY_API int x86copy_emit_unwind(x86copy *s, uint32_t *header) {
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

/* Functions that look at their return address to learn which module calls them. */
static int x86copy_p_asks_who_calls(const char *name) {
    static const char *const asks[] = {"dlsym", "dlvsym", "dlopen", "dlmopen", "mcount", "_mcount"};
    size_t n;
    for (n = 0; n < sizeof asks / sizeof *asks; n++) {
        if (!strcmp(name, asks[n])) return 1;
    }
    return 0;
}

X86COPY_API void x86copy_bind(x86copy_module *m, x86copy_bound *bound, uint64_t slot,
                              uint32_t function) {
    uint32_t k = m->bound_count++;
    for (; k > 0 && bound[k - 1].slot > slot; k--) bound[k] = bound[k - 1];
    bound[k].slot = slot;
    bound[k].function = function;
}

X86COPY_API void x86copy_note_import(x86copy_module *m, const char *name, uint64_t slot) {
    if (!x86copy_p_asks_who_calls(name)) return;
    if (m->sensitive_count < sizeof m->sensitive / sizeof *m->sensitive)
        m->sensitive[m->sensitive_count++] = slot;
}

X86COPY_API void x86copy_find_xsave(x86copy_module *m) {
    unsigned a, b, c, d, mask = 0;
    m->xsave_mask = 0;
    m->xsave_bytes = 576;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) return; /* OSXSAVE */
    __asm__ volatile("xgetbv" : "=a"(mask), "=d"(d) : "c"(0));
    m->xsave_mask = mask & 0xE7;
    if (__get_cpuid_count(13, 0, &a, &b, &c, &d)) m->xsave_bytes = b < 4096 ? b : 4096;
    if (m->xsave_bytes < 832) m->xsave_bytes = 832;
}

/* `slow` answers most checks inside a burst in a few instructions; `heavy` saves all registers and
   asks the module. Both answer in CF. The stack then holds, upwards: the return address, what was
   pushed, the program's red zone. */
static void x86copy_p_emit_answers(x86copy *s, x86copy_module *m, uint32_t heavy[3]) {
    m->slow_at = s->out_size;
    X86COPY_P_CODE(s, "\x50\x64\x8B\x04\x25"); /* push %rax; mov left,%eax */
    x86copy_p_out4(s, (uint32_t)m->offset_left);
    X86COPY_P_CODE(s, "\xFF\xC8\x0F\x88"); /* dec %eax; js heavy */
    heavy[0] = s->out_size;
    x86copy_p_out4(s, 0);
    X86COPY_P_CODE(s, "\x64\x89\x04\x25"); /* mov %eax,%fs:left */
    x86copy_p_out4(s, (uint32_t)m->offset_left);
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

X86COPY_API void x86copy_emit_slow(x86copy *s, x86copy_module *m) {
    uint64_t function = x86copy_p_address((const void *)(uintptr_t)m->heavy);
    uint64_t user = x86copy_p_address(m->user);
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

/* push $code; jmp make_common. At an entry nobody uses what is below the stack pointer. */
static void x86copy_p_emit_make(x86copy *s, uint32_t code) {
    x86copy_p_out1(s, 0x68);
    x86copy_p_out4(s, code);
    x86copy_p_jump(s, s->m->rx + s->m->make_common_at);
}

/* What the jmp at an entry displaces, at another place, then on in the original. A call pushes the
   address behind the original call, so that an unwinder finds its way. Returns 0, or -1. */
static int x86copy_p_emit_plain(x86copy *s, uint32_t patch_at) {
    uint32_t n, at = 0;
    for (n = 0; n < s->b->count && s->b->insn[n].offset < patch_at + 5; n++) {
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
    x86copy_p_jump(s, s->b->f->lo + at);
    return 0;
}

X86COPY_API int x86copy_emit_stub(x86copy *s, x86copy_module *m, uint32_t number, uint32_t at) {
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
    bad = x86copy_p_emit_plain(s, f->patch_at);
    own->make_at = at + s->out_size;
    x86copy_p_emit_make(s, X86COPY_MAKE_C | number);
    if (!f->direct) {
        own->make_i_at = at + s->out_size;
        x86copy_p_emit_make(s, X86COPY_MAKE_I | number);
    }
    return bad || s->failed ? -1 : 0;
}

X86COPY_API size_t x86copy_init(x86copy *s, x86flow_body *body, void *memory, size_t bytes) {
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

#endif /* X86COPY_IMPLEMENTATION */

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
