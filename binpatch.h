/* binpatch.h - v0.2.0 - bursty tracing of x86-64 code as it is - MIT, text at end of file

   example:
       #define _GNU_SOURCE 1
       #define X86DECODE_IMPLEMENTATION
       #define BINPATCH_IMPLEMENTATION
       #include "x86decode.h"
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

   STEP BY STEP
   binpatch_install looks at the executable and its libraries in memory, finds their functions by
   their unwind information, and writes a jump over the entry of each that it fully understands. The
   jump leads through a slot, a word of data. A function is copied when it is first called: the
   checking copy has a check at its entry and at its back-edges, where the analysis says that one is
   needed (Equation 3 of bursty-tracing, section 4.1; k-boring loops, section 4.2). When a burst
   begins, an instrumented copy is made of the functions that it reaches. It writes events into a
   buffer of the thread, and your action gets them when the burst ends.
   Call it early in main, or before main from a preloaded library: no other thread may run then.
   binpatch_toggle(0) sets all slots to the original code, binpatch_toggle(1) back. binpatch_flush
   hands over what the calling thread has recorded; call it when a thread ends and before you read
   your results.

   PROMISES   A program does what it did before: registers, flags, memory and the stack above its
              red zone are its own. What is not understood is not touched; binpatch_get_function
              gives the reason. No malloc; memory comes from mmap. No output. errno is not touched
              while the program runs.
   NOT        Code that reads its own instructions, or looks its return address up, sees other
              addresses. Code without unwind information is left alone, and so is what dlopen loads
              later. Exceptions and backtraces go through copies if the process asks
              binpatch_find_copy: interpose _dl_find_object (glibc 2.35) and answer from it, as
              record/patch.c does.
   THREADS    All may run patched code. An action runs on the thread whose events it gets, maybe in
              a signal handler: no locks, no malloc in it. 256 threads have a buffer, later ones are
              not sampled. A fork shares the copies; each process has its own slots and samples.
   OPTIONS    BINPATCH_IMPLEMENTATION in one file, before the include, together with _GNU_SOURCE and
              behind x86decode.h and its implementation; BINPATCH_STATIC makes all functions static.
              Linux on x86-64 with a C library only: elsewhere (and with -ffreestanding)
              binpatch_install returns 0 and says so.
   COST       A check is two instructions. docs/binpatch.md has figures for real programs.
   */

#ifndef BINPATCH_H
#define BINPATCH_H
#include <stddef.h>
#include <stdint.h>

/* The API macro has the same text in all headers of the family. */
#if defined(__GNUC__) || defined(__clang__)
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

/* place: of ENTRY and EXIT the function, of others the instruction; an offset from the module's
   bias. */
typedef struct binpatch_event { uint64_t value; uint32_t what, place; } binpatch_event;
#define BINPATCH_BYTES(what)  ((what) >> 8 & 0xFFF)  /* size of the operand, 0: not known */
#define BINPATCH_MODULE(what) ((what) >> 24)                    /* number of the module */

/* A function that is open: place as in ENTRY, stack as the value of its ENTRY would be. */
typedef struct binpatch_frame { uint64_t stack; uint32_t module, place; } binpatch_frame;

#define BINPATCH_ALWAYS UINT32_MAX  /* as check_count: one burst that never ends, the full trace */

typedef struct binpatch_config {        /* every zero is a default */
    uint32_t check_count, burst_count;  /* nCheck0, nInstr0: 990, 10; at most 2^29 */
    int32_t  jitter_percent;            /* of check_count: 12; -1: none */
    int32_t  k_boring;                  /* loops with at most so many operands: 4; -1: none */
    uint32_t events;                    /* ENTRY | EXIT */
    uint32_t seed;
    int      all_checks;                /* 1: no check is eliminated */
    int      off;                       /* 1: installed, but not switched on */
    /* Which modules (function is NULL) and which functions of them (name or "")? NULL: the
       executable and all libraries but libc, ld.so and libgcc_s. */
    int    (*want)(void *user, const char *module, const char *function);
    /* Takes the events of a burst, in order; ended: this was the last part of the burst. */
    void   (*action)(void *user, const binpatch_event *events, size_t count, int ended);
    /* A burst begins: the open functions, innermost first, at most 256. The innermost may be about
       to report its ENTRY. */
    void   (*begin)(void *user, const binpatch_frame *frames, size_t count);
    void    *user;
} binpatch_config;

enum {                                  /* why a function is not patched */
    BINPATCH_PATCHED = 0, BINPATCH_UNDECODABLE, BINPATCH_INTO_INSTRUCTION, BINPATCH_TRANSACTION,
    BINPATCH_CALLS_ITSELF, BINPATCH_STARTUP, BINPATCH_UNWIND, BINPATCH_NO_ROOM, BINPATCH_FLAGS,
    BINPATCH_TOO_LARGE, BINPATCH_FILTERED, BINPATCH_FRAGMENT, BINPATCH_OWN, BINPATCH_REASONS
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
    uint64_t bias, text_bytes, used_bytes, checking_bytes, instrumented_bytes;
    uint32_t checking_count, instrumented_count;
    uint32_t functions[BINPATCH_REASONS];   /* how many have which reason */
} binpatch_module;

typedef struct binpatch_stats {
    uint64_t bursts, events, lost;      /* lost: records that ran over a full buffer */
    uint32_t threads, lost_threads, modules;
} binpatch_stats;

/* Patches this process. Returns how many functions; 0: none, and binpatch_reason says why. */
BINPATCH_API uint32_t binpatch_install(const binpatch_config *config);
/* Why the last binpatch_install returned 0; NULL otherwise. */
BINPATCH_API const char *binpatch_reason(void);
/* Sends callers to the copies (1) or to the original code (0). Async-signal-safe. A loop that runs
   in a copy goes on there until it returns; it does not sample. */
BINPATCH_API void binpatch_toggle(int on);
/* Writes the original entries back. Copies stay, for who is still in them. Returns 0, or -1: not
   installed, or another thread runs. */
BINPATCH_API int binpatch_uninstall(void);
/* Hands what the calling thread has recorded to the action. */
BINPATCH_API void binpatch_flush(void);
BINPATCH_API void binpatch_get_stats(binpatch_stats *out);
/* Function or module of that number, counted from 0. Returns 0, or -1: there are not so many. */
BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out);
BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out);
/* The number of the function that holds a place of a module, or UINT32_MAX. */
BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place);
/* A reason in words. */
BINPATCH_API const char *binpatch_reason_text(int reason);
/* If pc is inside a copy: its .eh_frame_hdr, and its range. NULL otherwise. */
BINPATCH_API const void *binpatch_find_copy(const void *pc, const void **start, const void **end);

#ifdef __cplusplus
}
#endif
#endif /* BINPATCH_H */

/* ---- implementation ---- */
#if defined(BINPATCH_IMPLEMENTATION) && !defined(BINPATCH_IMPLEMENTED)
#define BINPATCH_IMPLEMENTED

#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) \
    && !defined(__TINYC__) && __STDC_HOSTED__
#ifndef X86DECODE_H
#error "include x86decode.h, with its implementation, before binpatch.h"
#endif
#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first include of the file with BINPATCH_IMPLEMENTATION"
#endif
#include <cpuid.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What memory looks like, for each module whose functions are patched:

       | text of the module | ... within 2 GB ... | slots | code: T stubs, plain stubs, copies ... |

   A function's entry is a jmp to its T stub, which is `jmp *slot`. The slot holds the address of
   one of
       make     the function was never called: emit its checking copy C, then go there
       C        the checking copy: the function with a check at its entry and at its back-edges
       plain    the instructions that the jmp displaced, then the rest of the original
   A check is `decl %fs:n; js slow`. While n >= 0 the thread is not in a burst and n checks remain.
   The slow path answers whether a burst is live; the code then jumps to the same point of the
   instrumented copy I, or goes on in C. Registers, flags that matter and the stack are equal in
   both copies at every check, so the change of copies is nothing but that jump.
   `code` and the tables of functions, sites and links are one memfd, mapped once for writing and
   once for executing. A fork shares them: parent and child use the same copies, under the same
   try-lock. Slots are private to a process. */

enum { BINPATCH_P_MODULES = 64, BINPATCH_P_THREADS = 256, BINPATCH_P_BUFFER = 65536 };
enum { BINPATCH_P_LEAF = 1, BINPATCH_P_ROOT = 2, BINPATCH_P_TAKEN = 4, BINPATCH_P_CALLED = 8,
       BINPATCH_P_CHECK = 16, BINPATCH_P_FRAGMENT = 32, BINPATCH_P_DISPATCH = 64,
       BINPATCH_P_BY_BRANCH = 128 };

typedef struct binpatch_p_function {
    uint64_t lo;
    const uint8_t *fde;
    const char *name;
    uint32_t size, pad;
    uint32_t t_at, make_at, plain_at, make_i_at;    /* positions in code; 0: there is none */
    uint32_t c_at, c_size, i_at, i_size;            /* published by c_at, i_at */
    uint32_t links_c, links_i;                      /* calls to be joined when the copy is there */
    uint32_t first_site, sites;
    uint32_t module;
    uint8_t reason, flags, patch_at, patched, failed;
    uint8_t saved[16];                              /* the original bytes from lo + patch_at */
} binpatch_p_function;

typedef struct binpatch_p_site {
    uint32_t function, i_at;
    uint32_t offset, flags;  /* of the instruction; flags: they were pushed before the site was */
    uint32_t entry;              /* 1: the check of the entry */
} binpatch_p_site;
typedef struct binpatch_p_link { uint32_t at, next; } binpatch_p_link;
typedef struct binpatch_p_copy { uint32_t at, size, header, function; } binpatch_p_copy;
typedef struct binpatch_p_other { uint64_t lo, hi; const uint8_t *frame_header; } binpatch_p_other;

typedef struct binpatch_p_shared {                  /* lies in the memfd */
    uint32_t lock, used, sites, links, copies;
    uint64_t bytes_c, bytes_i, functions_c, functions_i;
} binpatch_p_shared;

typedef struct binpatch_p_module {
    uint64_t bias, text_lo, text_hi, lo, hi;
    const char *path;
    const uint8_t *frame_header;
    const Elf64_Dyn *dynamic;
    uint8_t *rx, *rw;
    size_t code_bytes, file_bytes;
    uint64_t *slots, *islots, *site_slots;          /* per function, per function, per site */
    size_t slots_bytes;
    binpatch_p_shared *shared;
    binpatch_p_site *sites;
    binpatch_p_link *links;
    binpatch_p_copy *copies;
    binpatch_p_function *functions;
    uint32_t count, sites_max, links_max, copies_max;
    uint32_t slow_at, heavy_at;
    uint64_t *named; uint32_t named_count;          /* addresses that a lea names, sorted */
    uint64_t sensitive[16];
    uint32_t sensitive_count; /* GOT slots of functions that ask who calls */
    const char *refusal;
} binpatch_p_module;

typedef struct binpatch_p_thread {                  /* the words that emitted code touches */
    int32_t n, left;
    uintptr_t position;
    uint32_t live, known, random, nested;
    uint64_t bursts;
    uintptr_t busy, locked;  /* how deep the stack was when this thread began to work, to emit */
    uint8_t *buffer;
} binpatch_p_thread;

typedef struct binpatch_p_instruction {
    x86decode_insn i;
    uint32_t offset;
    uint8_t target;              /* 1: of a branch, 2: of a table, 4: of a checked back-edge */
    uint8_t boring;              /* inside a loop that is not checked */
    uint8_t dispatch;            /* 0 none, 1 translated, 2 rewritten load or jump */
    uint32_t table;              /* of a rewritten instruction: number of its table */
    uint32_t at;                 /* in the copy being emitted */
    uint32_t c_at;               /* in the checking copy */
    uint32_t thunk, slow;        /* of a checked target: where its check stands, and its slow end */
    uint32_t site;
    uint32_t first_jump;         /* direct jumps to here: a list, number + 1 */
    uint32_t next_jump;
} binpatch_p_instruction;

typedef struct binpatch_p_table {
    uint64_t address;
    uint32_t entries, width, at, last_jump;
} binpatch_p_table;
typedef struct binpatch_p_fixup { uint32_t at, index, kind; } binpatch_p_fixup;

typedef struct binpatch_p_scratch {
    uint8_t *text;
    binpatch_p_instruction *insn;
    uint32_t *index;             /* offset -> number of the instruction + 1 */
    uint32_t count;
    binpatch_p_table *tables;
    uint32_t table_count;
    binpatch_p_fixup *fixups;
    uint32_t fixup_count;
    uint32_t *pending;           /* stack of walks */
    uint32_t *mark, epoch;
    uint8_t *out;
    uint32_t out_size, out_max;
    uint32_t text_max, indirect_jumps;
    binpatch_p_module *m;
    binpatch_p_function *f;
    uint64_t base;               /* address of out[0] once it is in place */
    uint32_t code_start;         /* tables stand before it; `at` and c_at count from it */
    uint32_t last_jump, translated;
    int instrumented, failed;
    uint32_t first_site, site_count;
} binpatch_p_scratch;

enum { BINPATCH_P_TABLES = 4096 };

static struct {
    binpatch_p_module modules[BINPATCH_P_MODULES];
    binpatch_p_other others[BINPATCH_P_MODULES];     /* modules that are not patched, for stacks */
    uint32_t module_count, other_count;
    binpatch_config config;
    binpatch_p_scratch scratch;
    uint8_t *buffers;
    uint32_t buffers_used;
    int installed, on;
    uint32_t lock;
    unsigned xsave_bytes;
    uint32_t xsave_mask;
    const char *reason;
    uint64_t bursts, events, lost;
    uint32_t threads, lost_threads;
    int32_t offset_n, offset_left, offset_position;
} binpatch_p;

/* A thread that never took a check may find itself inside an instrumented copy, if a coroutine
   moved there from another thread. It then writes here. */
static uint8_t binpatch_p_nowhere[BINPATCH_P_BUFFER] __attribute__((aligned(65536)));
static __thread binpatch_p_thread binpatch_p_tls __attribute__((tls_model("initial-exec"))) =
    {0, 0, ((uintptr_t)binpatch_p_nowhere), 0, 0, 0, 0, 0, 0, 0, NULL};

/* ---- small things ---- */

static uint32_t binpatch_p_u32(const void *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static int32_t  binpatch_p_s32(const void *p) { int32_t v; memcpy(&v, p, 4); return v; }
static uint64_t binpatch_p_u64(const void *p) { uint64_t v; memcpy(&v, p, 8); return v; }
/* How deep the stack is here. */
static uintptr_t binpatch_p_depth(const void *frame) { return (uintptr_t)frame; }
static uint64_t binpatch_p_address(const void *p) { return (uint64_t)(uintptr_t)p; }
static const uint8_t *binpatch_p_at(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
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

static void *binpatch_p_map(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static int binpatch_p_in_text(const binpatch_p_module *m, uint64_t address) {
    return address >= m->text_lo && address < m->text_hi;
}

/* The last function that starts at or before the address; NULL if it ends before it. */
static binpatch_p_function *binpatch_p_function_at(const binpatch_p_module *m, uint64_t address) {
    uint32_t lo = 0, hi = m->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->functions[mid].lo <= address) lo = mid + 1; else hi = mid;
    }
    if (lo == 0 || address - m->functions[lo - 1].lo >= m->functions[lo - 1].size) return NULL;
    return &m->functions[lo - 1];
}

/* ---- .eh_frame ---- */

typedef struct binpatch_p_unwind {
    const uint8_t *cie_begin, *cie_end, *fde_begin, *fde_end;       /* the two programs of CFA */
    uint64_t pc, size, personality, lsda;
    int64_t data_factor;
    int signal_frame, has_personality, has_lsda;
} binpatch_p_unwind;

/* A pointer in one of the encodings that installed files use. *bad is set for any other. */
static uint64_t binpatch_p_encoded(const uint8_t **p, unsigned encoding, int *bad) {
    uint64_t place = binpatch_p_address(*p), value;
    if (encoding == 0xFF) return 0;
    switch (encoding & 15) {
    case 0: case 4: case 12: value = binpatch_p_u64(*p); *p += 8; break;
    case 3:  value = binpatch_p_u32(*p); *p += 4; break;
    case 11: value = (uint64_t)(int64_t)binpatch_p_s32(*p); *p += 4; break;
    default: *bad = 1; return 0;
    }
    if ((encoding & 0x70) == 0x10) { if (value) value += place; }
    else if (encoding & 0x70) *bad = 1;
    if (encoding & 0x80 && value && !*bad) value = binpatch_p_u64(binpatch_p_at(value));
    return value;
}

/* Reads one FDE and its CIE. Returns 0, or -1 for anything unusual. */
static int binpatch_p_read_fde(const uint8_t *fde, binpatch_p_unwind *u) {
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
        if (*text == 'z') { has_z = 1; u->cie_begin = data; (void)binpatch_p_uleb(&data); }
        else if (*text == 'R') pointer = *data++;
        else if (*text == 'L') lsda = *data++;
        else if (*text == 'S') u->signal_frame = 1;
        else if (*text == 'P') {
            unsigned encoding = *data++;
            u->personality = binpatch_p_encoded(&data, encoding, &bad);
            u->has_personality = 1;
        } else return -1;
    }
    if (!has_z || bad) return -1;
    {   const uint8_t *q = u->cie_begin;
        uint64_t size = binpatch_p_uleb(&q);
        u->cie_begin = q + size;
    }
    p += 8;
    u->pc = binpatch_p_encoded(&p, pointer, &bad);
    u->size = binpatch_p_encoded(&p, pointer & 15, &bad);
    {   uint64_t size = binpatch_p_uleb(&p);
        const uint8_t *next = p + size;
        if (lsda != 0xFF && size) {
            u->lsda = binpatch_p_encoded(&p, lsda, &bad);
            u->has_lsda = u->lsda != 0;
        }
        p = next;
    }
    u->fde_begin = p;
    u->fde_end = end;
    return bad || p > end || u->size > 0x7FFFFFFF ? -1 : 0;
}

typedef struct binpatch_p_bytes { uint8_t *p, *end; int full; } binpatch_p_bytes;
static void binpatch_p_put(binpatch_p_bytes *b, unsigned byte) {
    if (b->p < b->end) *b->p++ = (uint8_t)byte; else b->full = 1;
}
static void binpatch_p_put_n(binpatch_p_bytes *b, uint64_t value, unsigned bytes) {
    for (; bytes--; value >>= 8) binpatch_p_put(b, (unsigned)(value & 255));
}
static void binpatch_p_put_uleb(binpatch_p_bytes *b, uint64_t value, unsigned least) {
    unsigned n = 0;
    do {
        unsigned byte = (unsigned)(value & 127);
        value >>= 7;
        n++;
        binpatch_p_put(b, byte | (value || n < least ? 128u : 0));
    } while (value || n < least);
}

/* The offset in the copy of what stands at an offset of the function, or ~0: no instruction there.
   */
static uint32_t binpatch_p_new_offset(const binpatch_p_scratch *s, uint64_t offset) {
    if (offset == s->f->size) return s->insn[s->count].at;
    if (offset > s->f->size || !s->index[offset]) return ~0u;
    return s->insn[s->index[offset] - 1].at;
}

static int binpatch_p_copy_cfa(const binpatch_p_scratch *s, const binpatch_p_unwind *u,
                               binpatch_p_bytes *b) {
    const uint8_t *p = u->fde_begin;
    uint64_t old = 0;
    uint32_t done = 0;
    while (p < u->fde_end) {
        const uint8_t *start = p;
        unsigned op = *p++, advance = 0;
        if ((op & 0xC0) == 0x40)      { old += op & 63; advance = 1; }
        else if ((op & 0xC0) == 0x80) (void)binpatch_p_uleb(&p);
        else if (op < 0x40) switch (op) {
        case 0x02: old += *p; p += 1; advance = 1; break;
        case 0x03: old += (unsigned)p[0] | (unsigned)p[1] << 8; p += 2; advance = 1; break;
        case 0x04: old += binpatch_p_u32(p); p += 4; advance = 1; break;
        case 0x00: case 0x0A: case 0x0B: break;
        case 0x05: case 0x09: case 0x0C: case 0x11: case 0x12: case 0x14: case 0x15:
            (void)binpatch_p_uleb(&p);
            (void)binpatch_p_uleb(&p);
            break;
        case 0x06: case 0x07: case 0x08: case 0x0D: case 0x0E: case 0x13: case 0x2E:
            (void)binpatch_p_uleb(&p);
            break;
        case 0x10: case 0x16: case 0x0F: {
            uint64_t size;
            if (op != 0x0F) (void)binpatch_p_uleb(&p);
            size = binpatch_p_uleb(&p);
            p += size;
            break;
        }
        default: return -1;
        }
        if (advance) {
            uint32_t now = binpatch_p_new_offset(s, old);
            if (now == ~0u) return -1;
            if (now != done) {
                binpatch_p_put(b, 0x04);
                binpatch_p_put_n(b, now - done, 4);
                done = now;
            }
        } else for (; start < p; start++) binpatch_p_put(b, *start);
    }
    return p > u->fde_end ? -1 : 0;
}

typedef struct binpatch_p_lsda {
    const uint8_t *sites, *sites_end, *actions;
    uint64_t pads, types;
    unsigned site_encoding, type_encoding;
    int bad;
} binpatch_p_lsda;

static int binpatch_p_open_lsda(const binpatch_p_unwind *u, binpatch_p_lsda *l) {
    const uint8_t *p = binpatch_p_at(u->lsda);
    unsigned encoding = *p++;
    uint64_t size;
    memset(l, 0, sizeof *l);
    l->pads = encoding == 0xFF ? u->pc : binpatch_p_encoded(&p, encoding, &l->bad);
    l->type_encoding = *p++;
    if (l->type_encoding != 0xFF) {
        uint64_t to = binpatch_p_uleb(&p);
        l->types = binpatch_p_address(p) + to;
    }
    l->site_encoding = *p++;
    size = binpatch_p_uleb(&p);
    l->sites = p;
    l->sites_end = l->actions = p + size;
    return l->bad || (l->site_encoding != 1 && l->site_encoding != 3) || size > (1u << 26) ? -1 : 0;
}

static uint64_t binpatch_p_lsda_value(binpatch_p_lsda *l) {
    uint64_t value;
    if (l->site_encoding == 1) return binpatch_p_uleb(&l->sites);
    value = binpatch_p_u32(l->sites);
    l->sites += 4;
    return value;
}

/* The LSDA of a copy: call sites and landing pads are mapped, actions are copied, the types stay
   where they are. A pad in another part of the function (.cold) stays in the original: right, not
   recorded. */
static int binpatch_p_copy_lsda(const binpatch_p_scratch *s, const binpatch_p_unwind *u,
                                uint64_t code, uint64_t place, binpatch_p_bytes *b) {
    binpatch_p_lsda l;
    uint8_t *begin = b->p, *sites;
    uint64_t action_bytes = 0;
    unsigned n;
    if (binpatch_p_open_lsda(u, &l) != 0) return -1;
    binpatch_p_put(b, 0xFF);
    binpatch_p_put(b, l.type_encoding);
    if (l.type_encoding != 0xFF) {
        uint64_t behind = place + (uint64_t)(b->p - begin) + 10;
        binpatch_p_put_uleb(b, l.types - behind, 10);
        action_bytes = l.types - binpatch_p_address(l.actions);
        if (action_bytes > 65536) return -1;
    }
    binpatch_p_put(b, 1);
    binpatch_p_put_uleb(b, 0, 5);
    sites = b->p;
    while (l.sites < l.sites_end) {
        uint64_t start = binpatch_p_lsda_value(&l), size = binpatch_p_lsda_value(&l);
        uint64_t pad = binpatch_p_lsda_value(&l), action = binpatch_p_uleb(&l.sites), to = 0;
        uint32_t new_start = binpatch_p_new_offset(s, start),
                 new_end = binpatch_p_new_offset(s, start + size);
        if (new_start == ~0u || new_end == ~0u || (action && !action_bytes)) return -1;
        if (pad) {
            uint64_t old = l.pads + pad;
            to = old - code;
            if (old >= s->f->lo && old - s->f->lo < s->f->size) {
                uint32_t now = binpatch_p_new_offset(s, old - s->f->lo);
                if (now == ~0u) return -1;
                to = now;
            }
            if (to == 0) return -1;                          /* 0 says that there is no pad */
        }
        binpatch_p_put_uleb(b, new_start, 1);
        binpatch_p_put_uleb(b, new_end - new_start, 1);
        binpatch_p_put_uleb(b, to, 1);
        binpatch_p_put_uleb(b, action, 1);
    }
    if (b->full || b->end - sites < 8) return -1;
    for (n = 0; n < 5; n++)
        sites[-5 + (int)n]
            = (uint8_t)(((uint64_t)(b->p - sites) >> (7 * n) & 127) | (n < 4 ? 128 : 0));
    for (; action_bytes; action_bytes--) binpatch_p_put(b, *l.actions++);
    return b->full ? -1 : 0;
}

/* ---- one function, decoded ---- */

/* Reads the original bytes of f, whatever stands there now, and decodes them in linear order.
   Returns 0 or the reason why this function is left alone. */
static int binpatch_p_decode(binpatch_p_scratch *s, binpatch_p_module *m, binpatch_p_function *f) {
    uint32_t at = 0, n;
    s->m = m;
    s->f = f;
    s->count = s->table_count = s->indirect_jumps = 0;
    if (f->size == 0 || f->size > s->text_max) return BINPATCH_TOO_LARGE;
    memcpy(s->text, binpatch_p_at(f->lo), f->size);
    memset(s->text + f->size, 0xCC, 16);
    if (f->patched)
        for (n = 0; n < 9 && f->patch_at + n < f->size; n++) s->text[f->patch_at + n] = f->saved[n];
    memset(s->index, 0, (size_t)(f->size + 1) * sizeof *s->index);
    while (at < f->size) {
        binpatch_p_instruction *k = &s->insn[s->count];
        unsigned length = x86decode(s->text + at, f->size - at, &k->i);
        if (!length) return BINPATCH_UNDECODABLE;
        k->offset = at;
        k->target = k->boring = k->dispatch = 0;
        k->table = k->thunk = k->site = k->first_jump = k->next_jump = 0;
        s->index[at] = ++s->count;
        if (k->i.kind == X86DECODE_XBEGIN) return BINPATCH_TRANSACTION;
        if (k->i.kind == X86DECODE_JUMP_INDIRECT) s->indirect_jumps++;
        at += length;
    }
    s->insn[s->count].offset = f->size;
    s->insn[s->count].target = 0;
    s->insn[s->count].first_jump = 0;
    for (n = 0; n < s->count; n++) {
        binpatch_p_instruction *k = &s->insn[n];
        uint64_t to;
        if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_CALL) continue;
        to = x86decode_target(&k->i, f->lo + k->offset) - f->lo;
        if (to >= f->size) continue;
        if (!s->index[to]) return BINPATCH_INTO_INSTRUCTION;
        if (k->i.kind == X86DECODE_CALL) { if (to != 0) return BINPATCH_CALLS_ITSELF; continue; }
        s->insn[s->index[to] - 1].target |= 1;
        k->next_jump = s->insn[s->index[to] - 1].first_jump;
        s->insn[s->index[to] - 1].first_jump = n + 1;
    }
    return 0;
}

/* The number of the instruction that a direct jump of this function goes to, or ~0: outside. */
static uint32_t binpatch_p_goes_to(const binpatch_p_scratch *s, const binpatch_p_instruction *k) {
    uint64_t to = x86decode_target(&k->i, s->f->lo + k->offset) - s->f->lo;
    return to < s->f->size ? s->index[to] - 1 : ~0u;
}

static int binpatch_p_falls_through(const binpatch_p_instruction *k) {
    return k->i.kind != X86DECODE_JUMP && k->i.kind != X86DECODE_JUMP_INDIRECT
        && k->i.kind != X86DECODE_RETURN && k->i.kind != X86DECODE_TRAP;
}

/* ---- jump tables ----
   A table of w = 4 holds distances from its own start, one of w = 8 addresses. Candidates are all
   tables that a lea of the function names and all absolute ones beside a jump. A candidate that is
   none does no harm: it only adds places that a translated jump knows. */

static uint64_t binpatch_p_entry(const binpatch_p_table *t, uint32_t n) {
    const uint8_t *p = binpatch_p_at(t->address + (uint64_t)n * t->width);
    return t->width == 8 ? binpatch_p_u64(p) : t->address + (uint64_t)(int64_t)binpatch_p_s32(p);
}

static uint64_t binpatch_p_next_named(const binpatch_p_module *m, uint64_t address) {
    uint32_t lo = 0, hi = m->named_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->named[mid] <= address) lo = mid + 1; else hi = mid;
    }
    return lo < m->named_count ? m->named[lo] : m->hi;
}

static uint32_t binpatch_p_add_table(binpatch_p_scratch *s, uint64_t address, uint32_t width,
                                     int mark) {
    binpatch_p_module *m = s->m;
    binpatch_p_table *t;
    uint32_t n, inside = 0;
    uint64_t end;
    for (n = 0; n < s->table_count; n++) {
        if (s->tables[n].address == address && s->tables[n].width == width) return n;
    }
    if (s->table_count == BINPATCH_P_TABLES || address < m->lo || address >= m->hi
        || binpatch_p_in_text(m, address) || address & 3) return ~0u;
    t = &s->tables[s->table_count];
    t->address = address;
    t->width = width;
    t->entries = t->at = t->last_jump = 0;
    end = binpatch_p_next_named(m, address);
    if (end > m->hi) end = m->hi;
    while (address + (uint64_t)(t->entries + 1) * width <= end && t->entries < 65536) {
        uint64_t to = binpatch_p_entry(t, t->entries);
        if (!binpatch_p_in_text(m, to)) break;
        if (to >= s->f->lo && to - s->f->lo < s->f->size) {
            uint32_t k = s->index[to - s->f->lo];
            if (k) {
                inside++;
                if (mark) s->insn[k - 1].target |= 2;
            } else if (t->entries < 2) return ~0u;  /* the first entries decide whether it is one */
        }
        t->entries++;
    }
    if (!t->entries || !inside) return ~0u;
    return s->table_count++;
}

static void binpatch_p_find_tables(binpatch_p_scratch *s) {
    uint32_t n;
    if (!s->indirect_jumps) return;
    for (n = 0; n < s->count; n++) {
        const binpatch_p_instruction *k = &s->insn[n];
        const x86decode_insn *i = &k->i;
        if (i->map == 0 && i->opcode == 0x8D && i->base == X86DECODE_RIP) {
            uint64_t to = s->f->lo + k->offset + i->length + (uint64_t)i->displacement;
            (void)binpatch_p_add_table(s, to, 4, 1);
            (void)binpatch_p_add_table(s, to, 8, 1);
            if (to >= s->f->lo && to - s->f->lo < s->f->size && s->index[to - s->f->lo])
                s->insn[s->index[to - s->f->lo] - 1].target |= 2;  /* the address of a label */
        }
        if (i->memory && i->base == X86DECODE_NONE && i->index >= 0 && i->scale == 8)
            (void)binpatch_p_add_table(s, (uint64_t)i->displacement, 8, 1);
    }
}

/* What one instruction means for "the register holds the table": 1 it writes just that, 0 it does
   not touch the register, -1 it writes something else. */
static int binpatch_p_writes_table(const binpatch_p_scratch *s, const binpatch_p_instruction *k,
                                   int reg, uint64_t table) {
    uint64_t value;
    x86decode_effect e;
    x86decode_effects(&k->i, &e);
    if (!(e.writes >> reg & 1)) return 0;
    if (!(e.sets >> reg & 1) || k->i.map != 0) return -1;
    if (k->i.opcode == 0x8D && k->i.base == X86DECODE_RIP)
        value = s->f->lo + k->offset + k->i.length + (uint64_t)k->i.displacement;
    else if ((k->i.opcode & 0xF8) == 0xB8)
        value = (uint64_t)k->i.immediate & (k->i.rex & X86DECODE_REX_W ? ~UINT64_C(0) :
        0xFFFFFFFFu);
    else if (k->i.opcode == 0xC7 && !k->i.memory) value = (uint64_t)k->i.immediate;
    else return -1;
    return value == table ? 1 : -1;
}

/* Is `table` what the register holds before instruction `at`, on every path? Walks back over all
   predecessors to the last writes, which must all be a lea or mov of that address. Every indirect
   jump counts as a predecessor of every target of a table. */
static int binpatch_p_holds(binpatch_p_scratch *s, uint32_t at, int reg, uint64_t table) {
    uint32_t top = 0, n, jumps_seen = 0;
    s->epoch++;
    s->pending[top++] = at;
    while (top) {
        uint32_t here = s->pending[--top], from = here, jump = s->insn[here].first_jump, all = 0;
        int any = 0, what;
        if (here == 0) return 0;                                         /* the function's start */
        if (s->insn[here].target & 2 && !jumps_seen) jumps_seen = all = 1;
        if (s->insn[here].target & 2) any = 1;
        for (n = here; ; ) {  /* first what stands before it */
            if (n == here) {
                from = here - 1;
                n = ~0u;
                if (!binpatch_p_falls_through(&s->insn[from])) continue;
            } else if (jump) {
                from = jump - 1;
                jump = s->insn[from].next_jump;
            } else break;
            any = 1;
            what = binpatch_p_writes_table(s, &s->insn[from], reg, table);
            if (what < 0) return 0;
            if (what || s->mark[from] == s->epoch) continue;
            s->mark[from] = s->epoch;
            s->pending[top++] = from;
        }
        for (n = 0; all && n < s->count; n++) {
            if (s->insn[n].i.kind != X86DECODE_JUMP_INDIRECT || s->mark[n] == s->epoch) continue;
            s->mark[n] = s->epoch;
            s->pending[top++] = n;
        }
        if (!any) return 0;  /* a pad, or never reached */
    }
    return 1;
}

static int binpatch_p_rm_register(const x86decode_insn *i) {
    return i->memory ? -1 : (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8 : 0);
}
static int binpatch_p_reg_register(const x86decode_insn *i) {
    return (i->modrm >> 3 & 7) | (i->rex & X86DECODE_REX_R ? 8 : 0);
}

/* Which address does the last lea or mov before `at` put into the register? A guess, to be proved.
   */
static uint64_t binpatch_p_guess(const binpatch_p_scratch *s, uint32_t at, int reg) {
    while (at--) {
        const binpatch_p_instruction *k = &s->insn[at];
        if (k->i.map == 0 && k->i.opcode == 0x8D && k->i.base == X86DECODE_RIP
            && binpatch_p_reg_register(&k->i) == reg)
            return s->f->lo + k->offset + k->i.length + (uint64_t)k->i.displacement;
        if (k->i.map == 0 && (k->i.opcode & 0xF8) == 0xB8
            && ((k->i.opcode & 7) | (k->i.rex & X86DECODE_REX_B ? 8 : 0)) == reg)
            return (uint64_t)k->i.immediate;
    }
    return 0;
}

/* The memory operand that reads a table: *(base + index * width) or *(T + index * width). Returns
   the number of the proved table, or ~0. */
static uint32_t binpatch_p_proved(binpatch_p_scratch *s, uint32_t at, uint32_t width) {
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
        table = binpatch_p_guess(s, at, i->base);
    }
    number = table ? binpatch_p_add_table(s, table, width, 0) : ~0u;
    if (number == ~0u) return ~0u;
    if (i->base >= 0 && !binpatch_p_holds(s, at, i->base, table)) return ~0u;
    return number;
}

/* Finds how an indirect jump at `at` gets its target, proves it and marks the load for rewriting.
   Otherwise the jump is translated when it runs: slower, never wrong. */
static void binpatch_p_dispatch(binpatch_p_scratch *s, uint32_t at) {
    binpatch_p_instruction *jump = &s->insn[at];
    uint32_t n, number, add = ~0u;
    int reg = binpatch_p_rm_register(&jump->i), base = -1;
    jump->dispatch = 1;
    if (jump->i.memory) {
        number = binpatch_p_proved(s, at, 8);
        if (number != ~0u) {
            jump->dispatch = 2;
            jump->table = number;
            if (at > s->tables[number].last_jump) s->tables[number].last_jump = at;
        }
        return;
    }
    for (n = at; n > 0 && at - n < 24; n--) {
        binpatch_p_instruction *k = &s->insn[n - 1];
        const x86decode_insn *i = &k->i;
        x86decode_effect e;
        if (s->insn[n].target || !binpatch_p_falls_through(k) || i->kind != X86DECODE_PLAIN) return;
        x86decode_effects(i, &e);
        if (add == ~0u && i->map == 0 && (i->opcode == 0x01 || i->opcode == 0x03)
            && i->rex & X86DECODE_REX_W && !i->memory && e.writes == 1u << reg) {
            base = i->opcode == 0x01 ? binpatch_p_reg_register(i) : binpatch_p_rm_register(i);
            if (base == reg) return;
            add = n - 1;
            continue;
        }
        if (i->memory && i->map == 0 && i->rex & X86DECODE_REX_W && e.writes >> reg & 1
            && binpatch_p_reg_register(i) == reg
            && ((add != ~0u && i->opcode == 0x63) || (add == ~0u && i->opcode == 0x8B))) {
            number = binpatch_p_proved(s, n - 1, add == ~0u ? 8 : 4);
            if (number == ~0u) return;
            if (add != ~0u && !binpatch_p_holds(s, add, base, s->tables[number].address)) return;
            k->dispatch = 2;
            k->table = number;
            jump->dispatch = 0;
            if (at > s->tables[number].last_jump) s->tables[number].last_jump = at;
            return;
        }
        if (add != ~0u && i->map == 0 && i->opcode == 0x63 && i->memory && i->rex & X86DECODE_REX_W
            && binpatch_p_reg_register(i) == base
            && e.writes == 1u << base) { /* movslq (R,i,4),B; add B,R: the sum is in R */
            number = binpatch_p_proved(s, n - 1, 4);
            if (number == ~0u || !binpatch_p_holds(s, add, reg, s->tables[number].address)) return;
            k->dispatch = 2;
            k->table = number;
            jump->dispatch = 0;
            if (at > s->tables[number].last_jump) s->tables[number].last_jump = at;
            return;
        }
        if ((e.writes | e.reads) >> reg & 1 || (base >= 0 && e.writes >> base & 1)) {
            if (base >= 0 && e.writes >> base & 1 && i->opcode == 0x8D) continue;
            return;
        }
    }
}

/* ---- the whole module: who calls whom, which entries need a check (equation 3) ---- */

typedef struct binpatch_p_graph {
    uint32_t *from, *to, count, max;  /* calls and tail jumps between functions of the module */
    uint8_t *touched;                      /* one bit per byte of text: something goes there */
    uint64_t *named; uint32_t named_count, named_max;
} binpatch_p_graph;

static void binpatch_p_touch(binpatch_p_graph *g, const binpatch_p_module *m, uint64_t address) {
    uint64_t bit = address - m->text_lo;
    if (binpatch_p_in_text(m, address)) g->touched[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

static void binpatch_p_take(binpatch_p_graph *g, binpatch_p_module *m, uint64_t address) {
    binpatch_p_function *f;
    if (!binpatch_p_in_text(m, address)) return;
    binpatch_p_touch(g, m, address);
    f = binpatch_p_function_at(m, address);
    if (f && f->lo == address) f->flags |= BINPATCH_P_TAKEN;
}

/* Called from code that has no copies: a leaf without a check would never be sampled. */
static void binpatch_p_take_outside(binpatch_p_graph *g, binpatch_p_module *m, uint64_t address) {
    binpatch_p_function *f = binpatch_p_function_at(m, address);
    binpatch_p_take(g, m, address);
    if (f && f->lo == address) f->flags |= BINPATCH_P_CHECK;
}

/* Must the flags be kept before instruction `at`? Walks forward until they are overwritten or read;
   in doubt the answer is yes. */
static int binpatch_p_flags_live(const binpatch_p_scratch *s, uint32_t at) {
    uint32_t pending[32], top = 0, steps = 0;
    pending[top++] = at;
    while (top) {
        uint32_t here = pending[--top];
        for (;;) {
            const binpatch_p_instruction *k;
            x86decode_effect e;
            if (here >= s->count || ++steps > 256) return 1;
            k = &s->insn[here];
            x86decode_effects(&k->i, &e);
            if (e.flags & X86DECODE_FLAGS_READ) return 1;
            if (e.flags & X86DECODE_FLAGS_KILL || k->i.kind == X86DECODE_TRAP) break;
            if (k->i.kind == X86DECODE_JUMP_INDIRECT) {
                if (s->table_count) return 1;
                break;
            }
            if (k->i.kind == X86DECODE_JUMP || k->i.kind == X86DECODE_LOOP) {
                uint32_t to = binpatch_p_goes_to(s, k);
                if (to == ~0u) {
                    uint64_t address = x86decode_target(&k->i, s->f->lo + k->offset);
                    const binpatch_p_function *f = binpatch_p_function_at(s->m, address);
                    /* A tail call to a function or to a PLT stub; a part (.cold) may want the
                       flags. */
                    if (k->i.kind != X86DECODE_JUMP) return 1;
                    if (f && f->reason == BINPATCH_STARTUP) break;
                    if (f && f->lo == address
                        && !(f->flags & (BINPATCH_P_FRAGMENT | BINPATCH_P_BY_BRANCH)))
                        break;
                    return 1;
                }
                if (k->i.kind == X86DECODE_LOOP) {
                    if (top == 32) return 1;
                    pending[top++] = here + 1;
                }
                here = to;
                continue;
            }
            here++;
        }
    }
    return 0;
}

static void binpatch_p_edge(binpatch_p_graph *g, const binpatch_p_module *m, uint32_t from,
                            uint64_t to, int call) {
    binpatch_p_function *f = binpatch_p_function_at(m, to);
    if (!f) return;
    if (f->lo == to) f->flags |= (uint8_t)(call ? BINPATCH_P_CALLED : 0);
    if (g->count == g->max) return;
    g->from[g->count] = from;
    g->to[g->count++] = (uint32_t)(f - m->functions);
}

static void binpatch_p_survey(binpatch_p_scratch *s, binpatch_p_graph *g, binpatch_p_module *m,
                              uint32_t number) {
    binpatch_p_function *f = &m->functions[number];
    uint32_t n;
    int leaf = 1, why;
    /* A function that is left alone is read too, as far as it can be: what it calls, it calls from
       outside of all copies. If it is data, a few functions too many count as called. */
    why = binpatch_p_decode(s, m, f);
    if (!f->reason) f->reason = (uint8_t)why;
    for (n = 0; n < s->count; n++) {
        const binpatch_p_instruction *k = &s->insn[n];
        uint64_t here = f->lo + k->offset;
        if (k->i.kind == X86DECODE_CALL_INDIRECT) leaf = 0;
        if (k->i.kind >= X86DECODE_JUMP && k->i.kind <= X86DECODE_CALL) {
            uint64_t to = x86decode_target(&k->i, here);
            binpatch_p_touch(g, m, to);
            if (k->i.kind == X86DECODE_CALL || to - f->lo >= f->size || to == f->lo) {
                int call = k->i.kind == X86DECODE_CALL;
                if (call || to - f->lo >= f->size) leaf = 0;
                if (f->reason) binpatch_p_take_outside(g, m, to);
                else if (call || to != f->lo) binpatch_p_edge(g, m, number, to, call);
                if (!call && k->i.kind != X86DECODE_JUMP) {
                    binpatch_p_function *other = binpatch_p_function_at(m, to);
                    if (other && other != f && other->lo == to)
                        other->flags |= BINPATCH_P_BY_BRANCH;
                }
            }
        }
        if (k->i.memory && k->i.base == X86DECODE_RIP) {
            uint64_t to = here + k->i.length + (uint64_t)k->i.displacement;
            if (k->i.map == 0 && k->i.opcode == 0x8D) {
                binpatch_p_take(g, m, to);
                if (!binpatch_p_in_text(m, to) && g->named_count < g->named_max)
                    g->named[g->named_count++] = to;
            }
        }
        if (k->i.memory && k->i.base == X86DECODE_NONE && k->i.displacement_size == 4
            && g->named_count < g->named_max)
            g->named[g->named_count++] = (uint64_t)k->i.displacement;
        if (k->i.immediate_size >= 4 && k->i.kind == X86DECODE_PLAIN && m->text_hi < 0x80000000u) {
            binpatch_p_take(g, m, (uint64_t)k->i.immediate);
            if (!binpatch_p_in_text(m, (uint64_t)k->i.immediate) && g->named_count < g->named_max
                && (uint64_t)k->i.immediate >= m->lo && (uint64_t)k->i.immediate < m->hi)
                g->named[g->named_count++] = (uint64_t)k->i.immediate;
        }
    }
    if (s->indirect_jumps) { f->flags |= BINPATCH_P_DISPATCH; leaf = 0; }
    if (leaf && !f->reason) f->flags |= BINPATCH_P_LEAF;
}

/* Equation 3: an entry is checked if the function is not a leaf and is a root, has its address
   taken, or closes a cycle of calls: somebody of its own strongly connected component calls it who
   is not nearer to the roots. So every cycle of calls has a check. */
static int binpatch_p_eliminate(binpatch_p_module *m, const binpatch_p_graph *g) {
    uint32_t count = m->count, n, e, top = 0, order = 0, components = 0, head, tail, seed;
    size_t words = (size_t)count * 9 + g->count + 2;
    uint32_t *memory = (uint32_t *)binpatch_p_map(words * sizeof(uint32_t));
    uint32_t *first = memory, *to, *number, *low, *component, *stack, *walk, *next, *distance,
             *queue;
    if (!memory) return -1;
    to = first + count + 1; number = to + g->count; low = number + count; component = low + count;
    stack = component + count; walk = stack + count; next = walk + count; distance = next + count;
    queue = number;  /* numbers are not needed any more by then */
    for (e = 0; e < g->count; e++) first[g->from[e] + 1]++;
    for (n = 0; n < count; n++) first[n + 1] += first[n];
    for (n = 0; n < count; n++) next[n] = first[n];
    for (e = 0; e < g->count; e++) to[next[g->from[e]]++] = g->to[e];
    for (seed = 0; seed < count; seed++) {                 /* Tarjan, with a stack of its own */
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
                } else if (!component[w] && number[w] < low[v]) low[v] = number[w];
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
    for (n = 0; n < count; n++) { m->functions[n].flags |= BINPATCH_P_ROOT; distance[n] = ~0u; }
    for (e = 0; e < g->count; e++) {
        if (g->from[e] != g->to[e]) m->functions[g->to[e]].flags &= (uint8_t)~BINPATCH_P_ROOT;
    }
    head = tail = 0;
    for (n = 0; n < count; n++) {
        if (m->functions[n].flags & (BINPATCH_P_ROOT | BINPATCH_P_TAKEN)) {
            distance[n] = 0;
            queue[tail++] = n;
        }
    }
    for (seed = 0; ; ) {  /* breadth first; cycles that nobody enters one by one */
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
        binpatch_p_function *f = &m->functions[n];
        if (!(f->flags & BINPATCH_P_LEAF) && f->flags & (BINPATCH_P_ROOT | BINPATCH_P_TAKEN))
            f->flags |= BINPATCH_P_CHECK;
    }
    for (e = 0; e < g->count; e++) {
        if (component[g->from[e]] == component[g->to[e]]
            && distance[g->from[e]] >= distance[g->to[e]])
            m->functions[g->to[e]].flags |= BINPATCH_P_CHECK;
    }
    if (binpatch_p.config.all_checks)
        for (n = 0; n < count; n++) m->functions[n].flags |= BINPATCH_P_CHECK;
    munmap(memory, words * sizeof(uint32_t));
    return 0;
}

/* ---- emission: one pass in linear order, distances filled in behind it ---- */

enum { BINPATCH_P_TO_BODY, BINPATCH_P_TO_THUNK, BINPATCH_P_TO_SLOW, BINPATCH_P_TO_MAP,
       BINPATCH_P_JOIN_C = 16, BINPATCH_P_JOIN_I = 17 };

static void binpatch_p_out(binpatch_p_scratch *s, const void *bytes, unsigned count) {
    if (s->out_max - s->out_size < count) { s->failed = 1; return; }
    memcpy(s->out + s->out_size, bytes, count);
    s->out_size += count;
}
static void binpatch_p_out1(binpatch_p_scratch *s, unsigned byte) {
    uint8_t b = (uint8_t)byte;
    binpatch_p_out(s, &b, 1);
}
static void binpatch_p_out4(binpatch_p_scratch *s, uint32_t value) { binpatch_p_out(s, &value, 4); }
/* Bytes in hex text would be nicer to read and slower to emit: a string literal it is. */
#define BINPATCH_P_CODE(s, literal) binpatch_p_out(s, literal, (unsigned)sizeof literal - 1)

static uint32_t binpatch_p_position(const binpatch_p_scratch *s) {
    return s->out_size - s->code_start;
}
static uint64_t binpatch_p_here(const binpatch_p_scratch *s) { return s->base + s->out_size; }

/* Four bytes of distance to an address, counted from `behind` bytes after them. */
static void binpatch_p_distance(binpatch_p_scratch *s, uint64_t address, unsigned behind) {
    int64_t d = (int64_t)(address - (binpatch_p_here(s) + 4 + behind));
    if (d != (int32_t)d) s->failed = 1;
    binpatch_p_out4(s, (uint32_t)d);
}
static void binpatch_p_jump(binpatch_p_scratch *s, uint64_t address) {
    binpatch_p_out1(s, 0xE9);
    binpatch_p_distance(s, address, 0);
}

static void binpatch_p_later(binpatch_p_scratch *s, uint32_t index, uint32_t kind) {
    binpatch_p_fixup *x = &s->fixups[s->fixup_count++];
    x->at = s->out_size;
    x->index = index;
    x->kind = kind;
    binpatch_p_out4(s, 0);
}

static void binpatch_p_resolve(binpatch_p_scratch *s, uint32_t at, uint32_t to) {
    uint32_t d = to - (at + 4);
    if (at + 4 <= s->out_max) memcpy(s->out + at, &d, 4);
}

/* The check: decl %fs:n. */
static void binpatch_p_decrement(binpatch_p_scratch *s) {
    BINPATCH_P_CODE(s, "\x64\xFF\x0C\x25");
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_n);
}

static uint64_t binpatch_p_slot(const uint64_t *slots, uint32_t n) {
    return binpatch_p_address(slots + n);
}

/* Behind a check that became negative: ask whether a burst is live. CF set: yes.
   The stack below the red zone is free here, flags are dead. */
static void binpatch_p_ask(binpatch_p_scratch *s, uint32_t site, int flags) {
    if (!flags) BINPATCH_P_CODE(s, "\x48\x8D\x64\x24\x80");              /* lea -128(%rsp),%rsp */
    binpatch_p_out1(s, 0x68);                                            /* push site           */
    binpatch_p_out4(s, site);
    binpatch_p_out1(s, 0xE8);                                            /* call slow           */
    binpatch_p_distance(s, binpatch_p_address(s->m->rx) + s->m->slow_at, 0);
    if (flags) BINPATCH_P_CODE(s, "\x48\x8D\x64\x24\x08");               /* lea 8(%rsp),%rsp    */
    else BINPATCH_P_CODE(s, "\x48\x8D\xA4\x24\x88\x00\x00\x00");         /* lea 136(%rsp),%rsp  */
}

/* The slow end of a check at a site. In C: live goes to I through the site's slot, otherwise on to
   `body`. In I: live goes on to `body`, otherwise to the same site of C. */
static void binpatch_p_slow_end(binpatch_p_scratch *s, uint32_t site, int flags,
                                uint32_t body_index) {
    uint32_t other;
    binpatch_p_ask(s, site, flags);
    binpatch_p_out1(s, s->instrumented ? 0x73 : 0x72);                   /* jnc, jc */
    other = s->out_size;
    binpatch_p_out1(s, 0);
    if (flags)
        BINPATCH_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00"); /* popfq; lea 128(%rsp),%rsp */
    binpatch_p_out1(s, 0xE9);
    binpatch_p_later(s, body_index, BINPATCH_P_TO_BODY);
    if (s->out_size < s->out_max) s->out[other] = (uint8_t)(s->out_size - other - 1);
    if (flags) BINPATCH_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00");
    if (s->instrumented)
        binpatch_p_jump(s, binpatch_p_address(s->m->rx) + s->f->c_at + s->insn[body_index].c_at);
    else {
        BINPATCH_P_CODE(s, "\xFF\x25");                                  /* jmp *slot(%rip) */
        binpatch_p_distance(s, binpatch_p_slot(s->m->site_slots, site), 0);
    }
}

/* lea of an instruction's operand into rcx. `lower` is how much lower rsp is than the program's. */
static void binpatch_p_lea(binpatch_p_scratch *s, const binpatch_p_instruction *k, int32_t lower) {
    const x86decode_insn *i = &k->i;
    int64_t d = i->displacement;
    unsigned rex = 0x48 | (i->base >= 8 ? 1u : 0) | (i->index >= 8 && !i->vsib ? 2u : 0);
    if (i->base == X86DECODE_RIP) {
        BINPATCH_P_CODE(s, "\x48\x8D\x0D");
        binpatch_p_distance(s, s->f->lo + k->offset + i->length + (uint64_t)d, 0);
        return;
    }
    if (i->has_modrm == 0) {                                             /* moffs */
        BINPATCH_P_CODE(s, "\x48\xB9");
        binpatch_p_out(s, &d, 8);
        return;
    }
    if (i->base == 4) d += lower + (i->opcode == 0x8F && i->map == 0 ? 8 : 0);
    if (i->prefixes & X86DECODE_67) binpatch_p_out1(s, 0x67);
    binpatch_p_out1(s, rex);
    binpatch_p_out1(s, 0x8D);
    if (i->index >= 0 && !i->vsib) {
        unsigned scale = i->scale == 8 ? 3 : i->scale == 4 ? 2 : i->scale == 2 ? 1 : 0;
        binpatch_p_out1(s, i->base < 0 ? 0x0C : 0x8C);
        binpatch_p_out1(s, scale << 6 | ((unsigned)i->index & 7) << 3
                               | (i->base < 0 ? 5 : (unsigned)i->base & 7));
    } else {
        binpatch_p_out1(s, i->base < 0 ? 0x0C : 0x8C);
        binpatch_p_out1(s, 0x20 | (i->base < 0 ? 5 : (unsigned)i->base & 7));
    }
    binpatch_p_out4(s, (uint32_t)(int32_t)d);
}

enum { BINPATCH_P_EVENT_FRAME = 0x98 };

static void binpatch_p_event_begin(binpatch_p_scratch *s) {
    BINPATCH_P_CODE(s, "\x48\x8D\xA4\x24\x68\xFF\xFF\xFF" /* lea -0x98(%rsp),%rsp */
                       "\x48\x89\x0C\x24"
                       "\x48\x89\x44\x24\x08"); /* mov %rcx,(%rsp); mov %rax,8(%rsp) */
}

/* rcx holds the value. The buffer is 64 KiB and aligned so: adding to 16 bits stays inside. */
static void binpatch_p_event_end(binpatch_p_scratch *s, uint32_t what, uint32_t place) {
    BINPATCH_P_CODE(s, "\x64\x48\x8B\x04\x25");                          /* mov %fs:position,%rax */
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_position);
    BINPATCH_P_CODE(s, "\x48\x89\x08" "\xC7\x40\x08");  /* mov %rcx,(%rax); movl what,8(%rax) */
    binpatch_p_out4(s, what);
    BINPATCH_P_CODE(s, "\xC7\x40\x0C");                                  /* movl place,12(%rax) */
    binpatch_p_out4(s, place);
    BINPATCH_P_CODE(s, "\x48\x8D\x48\x10"
                       "\x66\x64\x89\x0C\x25"); /* lea 16(%rax),%rcx; mov %cx,%fs:position */
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_position);
    BINPATCH_P_CODE(s, "\x48\x8B\x0C\x24" "\x48\x8B\x44\x24\x08"
                       "\x48\x8D\xA4\x24\x98\x00\x00\x00");
}

/* An event whose value is rsp + more as the program sees it. */
static void binpatch_p_event_stack(binpatch_p_scratch *s, uint32_t what, uint32_t place,
                                   int32_t more) {
    binpatch_p_event_begin(s);
    BINPATCH_P_CODE(s, "\x48\x8D\x8C\x24");  /* lea 0x98+more(%rsp),%rcx */
    binpatch_p_out4(s, (uint32_t)(BINPATCH_P_EVENT_FRAME + more));
    binpatch_p_event_end(s, what, place);
}

static uint32_t binpatch_p_what(const binpatch_p_scratch *s, uint32_t kind, uint32_t bytes) {
    return kind | (bytes & 0xFFF) << 8 | (uint32_t)(s->m - binpatch_p.modules) << 24;
}

static void binpatch_p_event_operand(binpatch_p_scratch *s, const binpatch_p_instruction *k) {
    const x86decode_insn *i = &k->i;
    uint32_t kind = (uint32_t)((i->access & X86DECODE_READ ? BINPATCH_LOAD : 0)
                               | (i->access & X86DECODE_WRITE ? BINPATCH_STORE : 0));
    uint32_t bytes = i->access_bytes;
    int bit = i->map == 1 && i->coding == X86DECODE_LEGACY
              && (i->opcode == 0xA3 || i->opcode == 0xAB || i->opcode == 0xB3 || i->opcode == 0xBB);
    if (!(kind & binpatch_p.config.events) || i->prefixes & X86DECODE_GS) return;
    binpatch_p_event_begin(s);
    binpatch_p_lea(s, k, BINPATCH_P_EVENT_FRAME);
    if (i->prefixes & X86DECODE_FS)  /* mov %fs:0,%rax; lea (%rcx,%rax),%rcx */
        BINPATCH_P_CODE(s, "\x64\x48\x8B\x04\x25\x00\x00\x00\x00" "\x48\x8D\x0C\x01");
    if (bit && !(i->prefixes & X86DECODE_66)) {  /* bt with a register reaches beyond its operand */
        unsigned reg = (unsigned)binpatch_p_reg_register(i), wide = i->rex & X86DECODE_REX_W;
        if (reg != 4) {
            if (reg == 1) {  /* rcx was saved at (%rsp) */
                binpatch_p_out1(s, 0x48);
                binpatch_p_out1(s, wide ? 0x8B : 0x63);
                BINPATCH_P_CODE(s, "\x04\x24");
            } else {  /* movslq or mov reg,%rax */
                binpatch_p_out1(s, 0x48 | (reg >= 8 ? 1u : 0));
                binpatch_p_out1(s, wide ? 0x8B : 0x63);
                binpatch_p_out1(s, 0xC0 | (reg & 7));
            }
            BINPATCH_P_CODE(s, "\x9C\x48\xC1\xF8\x03\x9D"
                               "\x48\x8D\x0C\x01"); /* pushfq; sar $3,%rax; popfq; lea */
            bytes = 1;
        }
    }
    binpatch_p_event_end(s, binpatch_p_what(s, kind, bytes),
                         (uint32_t)(s->f->lo - s->m->bias) + k->offset);
}

static void binpatch_p_event_register(binpatch_p_scratch *s, const binpatch_p_instruction *k,
                                      uint32_t kind, const char *lea) {
    unsigned op = k->i.opcode, bytes = op & 1 ? (k->i.rex & X86DECODE_REX_W     ? 8
                                                 : k->i.prefixes & X86DECODE_66 ? 2
                                                                                : 4)
                                              : 1;
    if (k->i.map == 1) bytes = 16;
    binpatch_p_event_begin(s);
    binpatch_p_out(s, lea, 3);
    binpatch_p_event_end(s, binpatch_p_what(s, kind, bytes),
                         (uint32_t)(s->f->lo - s->m->bias) + k->offset);
}

static void binpatch_p_events_of(binpatch_p_scratch *s, const binpatch_p_instruction *k) {
    const x86decode_insn *i = &k->i;
    uint32_t wanted = binpatch_p.config.events,
             place = (uint32_t)(s->f->lo - s->m->bias) + k->offset;
    int string = i->implicit & (X86DECODE_LOAD_RSI | X86DECODE_LOAD_RDI | X86DECODE_STORE_RDI);
    if (k->boring) return;
    if (string && wanted & (BINPATCH_LOAD | BINPATCH_STORE)
        && i->prefixes & (X86DECODE_F2 | X86DECODE_F3) && i->map == 0)
        binpatch_p_event_register(s, k, BINPATCH_REPEAT, "\x48\x89\xC9");       /* mov %rcx,%rcx */
    if (i->implicit & X86DECODE_LOAD_RSI && wanted & BINPATCH_LOAD)
        binpatch_p_event_register(s, k, BINPATCH_LOAD, "\x48\x89\xF1");
    if (i->implicit & X86DECODE_LOAD_RDI && wanted & BINPATCH_LOAD)
        binpatch_p_event_register(s, k, BINPATCH_LOAD, "\x48\x89\xF9");
    if (i->implicit & X86DECODE_STORE_RDI && wanted & BINPATCH_STORE)
        binpatch_p_event_register(s, k, BINPATCH_STORE, "\x48\x89\xF9");
    if (i->memory && i->access & X86DECODE_READ) binpatch_p_event_operand(s, k);
    if (wanted & BINPATCH_STACK) {
        if (i->implicit & X86DECODE_PUSH && i->kind != X86DECODE_CALL
            && i->kind != X86DECODE_CALL_INDIRECT)
            binpatch_p_event_stack(s, binpatch_p_what(s, BINPATCH_STORE, 8), place, -8);
        if (i->implicit & X86DECODE_POP && i->opcode != 0xC9)
            binpatch_p_event_stack(s, binpatch_p_what(s, BINPATCH_LOAD, 8), place, 0);
        if (i->opcode == 0xC9 && i->map == 0) {
            binpatch_p_event_begin(s);
            BINPATCH_P_CODE(s, "\x48\x89\xE9");
            binpatch_p_event_end(s, binpatch_p_what(s, BINPATCH_LOAD, 8), place);
        }
    }
    if (i->memory && i->access == X86DECODE_WRITE) binpatch_p_event_operand(s, k);
    if (wanted & BINPATCH_STACK
        && (i->kind == X86DECODE_CALL || i->kind == X86DECODE_CALL_INDIRECT))
        binpatch_p_event_stack(s, binpatch_p_what(s, BINPATCH_STORE, 8), place, -8);
}

static void binpatch_p_exit_event(binpatch_p_scratch *s) {
    if (s->instrumented && binpatch_p.config.events & BINPATCH_EXIT)
        binpatch_p_event_stack(s, binpatch_p_what(s, BINPATCH_EXIT, 0),
                               (uint32_t)(s->f->lo - s->m->bias), 0);
}

/* An instruction with another displacement of four bytes; rip says that it is counted from its end.
   */
static void binpatch_p_redisplaced(binpatch_p_scratch *s, const binpatch_p_instruction *k,
                                   uint64_t target, int rip) {
    const uint8_t *p = s->text + k->offset;
    unsigned modrm_at = k->i.displacement_at,
             behind = (unsigned)k->i.displacement_at + k->i.displacement_size;
    if (rip) {
        binpatch_p_out(s, p, k->i.displacement_at);
        binpatch_p_distance(s, target, k->i.length - behind);
    } else {
        unsigned sib = (k->i.modrm & 7) == 4;
        modrm_at -= 1 + sib;
        binpatch_p_out(s, p, modrm_at);
        binpatch_p_out1(s,
                        k->i.base == X86DECODE_NONE ? p[modrm_at] : (p[modrm_at] & 0x3Fu) | 0x80);
        if (sib) binpatch_p_out1(s, p[modrm_at + 1]);
        binpatch_p_out4(s, (uint32_t)target);
    }
    binpatch_p_out(s, p + behind, k->i.length - behind);
}

/* A direct call or jump to the start of a function of this module: to its copy if that is there,
   else through its stub; the place is remembered so that it can be joined later. */
static void binpatch_p_link_to(binpatch_p_scratch *s, uint64_t address, unsigned opcode_bytes,
                               const char *opcode) {
    binpatch_p_module *m = s->m;
    binpatch_p_function *g = binpatch_p_function_at(m, address);
    uint64_t to = address;
    binpatch_p_out(s, opcode, opcode_bytes);
    if (g && g->lo == address && g->patched) {
        int in_i = s->instrumented && !(g->flags & BINPATCH_P_CHECK);
        uint32_t made = in_i ? g->i_at : g->c_at;
        to = binpatch_p_address(m->rx) + (made ? made : in_i ? g->make_i_at : g->t_at);
        if (g == s->f && !in_i) to = binpatch_p_address(m->rx) + g->t_at;
        if (!made && (binpatch_p_here(s) & 63) <= 60 && m->shared->links < m->links_max
            && !s->failed) {
            binpatch_p_fixup *x = &s->fixups[s->fixup_count++];
            x->at = s->out_size;
            x->index = (uint32_t)(g - m->functions);
            x->kind = 16 + (uint32_t)in_i;
        }
    }
    binpatch_p_distance(s, to, 0);
}

/* Does this call reach, through a PLT stub or a GOT slot, a function that looks at its return
   address to learn which module calls it? Such a call stays in the original. */
static int binpatch_p_sensitive(const binpatch_p_scratch *s, const binpatch_p_instruction *k) {
    const binpatch_p_module *m = s->m;
    uint64_t slot = 0;
    uint32_t n;
    if (k->i.kind == X86DECODE_CALL) {
        uint64_t to = x86decode_target(&k->i, s->f->lo + k->offset);
        x86decode_insn stub;
        if (!m->sensitive_count || to < m->lo || to + 32 > m->hi) return 0;
        if (!x86decode(binpatch_p_at(to), 16, &stub)) return 0;
        if (stub.map == 1 && stub.opcode == 0x1E) {                      /* endbr64 */
            to += stub.length;
            if (!x86decode(binpatch_p_at(to), 16, &stub)) return 0;
        }
        if (stub.kind != X86DECODE_JUMP_INDIRECT || stub.base != X86DECODE_RIP) return 0;
        slot = to + stub.length + (uint64_t)stub.displacement;
    } else if (k->i.memory && k->i.base == X86DECODE_RIP) {
        slot = s->f->lo + k->offset + k->i.length + (uint64_t)k->i.displacement;
    }
    for (n = 0; n < m->sensitive_count; n++) if (m->sensitive[n] == slot) return 1;
    return 0;
}

static int binpatch_p_is_nop(const x86decode_insn *i) {
    if (i->coding != X86DECODE_LEGACY) return 0;
    if (i->map == 0)
        return i->opcode == 0x90 && !(i->prefixes & X86DECODE_F3) && !(i->rex & X86DECODE_REX_B);
    return i->map == 1 && i->opcode == 0x1F;
}

static void binpatch_p_copied(binpatch_p_scratch *s, const binpatch_p_instruction *k) {
    if (k->i.memory && k->i.base == X86DECODE_RIP)
        binpatch_p_redisplaced(s, k,
                               s->f->lo + k->offset + k->i.length + (uint64_t)k->i.displacement, 1);
    else binpatch_p_out(s, s->text + k->offset, k->i.length);
}

/* In I, behind a call: the burst may have ended meanwhile. Flags are dead here. */
static void binpatch_p_after_call(binpatch_p_scratch *s, uint32_t n) {
    if (!s->instrumented || n + 1 >= s->count) return;
    BINPATCH_P_CODE(s, "\x64\x83\x3C\x25");                              /* cmpl $0,%fs:n */
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_n);
    BINPATCH_P_CODE(s, "\x00\x0F\x89");                                  /* jns */
    binpatch_p_distance(s, binpatch_p_address(s->m->rx) + s->f->c_at + s->insn[n + 1].c_at, 0);
}

/* A dispatch whose table was not proved. The jump's target is looked up; a known one leads to the
   copy through a landing that restores what was saved, any other is jumped to as it is. */
static void binpatch_p_translate(binpatch_p_scratch *s, const binpatch_p_instruction *k) {
    uint32_t above, none;
    BINPATCH_P_CODE(s, "\x48\x8D\x64\x24\x80"
                       "\x50\x9C\x51"); /* lea -128(%rsp),%rsp; push rax, flags, rcx */
    if (k->i.memory) {
        x86decode_insn plain = k->i;
        binpatch_p_instruction load = *k;
        load.i = plain;
        binpatch_p_lea(s, &load, 128 + 24);  /* lea operand,%rcx; mov (%rcx),%rax */
        if (k->i.prefixes & X86DECODE_FS) s->failed = 1;
        BINPATCH_P_CODE(s, "\x48\x8B\x01");
    } else {
        int reg = binpatch_p_rm_register(&k->i);
        if (reg == 4) s->failed = 1;
        binpatch_p_out1(s, reg >= 8 ? 0x4C : 0x48);                      /* mov reg,%rax */
        binpatch_p_out1(s, 0x89);
        binpatch_p_out1(s, 0xC0 | ((unsigned)reg & 7) << 3);
    }
    BINPATCH_P_CODE(s, "\x48\x8D\x0D");  /* lea lo(%rip),%rcx; sub %rcx,%rax */
    binpatch_p_distance(s, s->f->lo, 0);
    BINPATCH_P_CODE(s, "\x48\x29\xC8\x48\x3D");
    binpatch_p_out4(s, s->f->size);
    BINPATCH_P_CODE(s, "\x73\x00");                                      /* jae out */
    above = s->out_size;
    BINPATCH_P_CODE(s, "\x48\x8D\x0D");                                  /* lea map(%rip),%rcx */
    binpatch_p_later(s, 0, BINPATCH_P_TO_MAP);
    BINPATCH_P_CODE(
        s, "\x48\x63\x04\x81\x85\xC0\x74\x00"); /* movslq (%rcx,%rax,4),%rax; test; jz out */
    none = s->out_size;
    BINPATCH_P_CODE(s, "\x48\x01\xC8\xFF\xE0");  /* add %rcx,%rax; jmp *%rax */
    if (!s->failed) {
        s->out[above - 1] = (uint8_t)(s->out_size - above);
        s->out[none - 1] = (uint8_t)(s->out_size - none);
    }
    BINPATCH_P_CODE(s, "\x59\x9D\x58\x48\x8D\xA4\x24\x80\x00\x00\x00");
    s->translated = 1;
    binpatch_p_copied(s, k);
}

static void binpatch_p_emit_branch(binpatch_p_scratch *s, uint32_t n) {
    binpatch_p_instruction *k = &s->insn[n];
    uint32_t to = binpatch_p_goes_to(s, k);
    uint64_t address = x86decode_target(&k->i, s->f->lo + k->offset);
    const binpatch_p_function *g = to == ~0u ? binpatch_p_function_at(s->m, address) : NULL;
    int leaves = g && g->lo == address && !(g->flags & BINPATCH_P_FRAGMENT);
    int checked = to != ~0u && to <= n && s->insn[to].target & 4 && !k->boring;
    uint8_t op[2];
    if (k->i.kind == X86DECODE_LOOP) {
        binpatch_p_out(s, s->text + k->offset, k->i.length - 1u);
        BINPATCH_P_CODE(s, "\x02\xEB\x05\xE9");
        if (to == ~0u) binpatch_p_distance(s, address, 0);
        else binpatch_p_later(s, to, checked ? BINPATCH_P_TO_THUNK : BINPATCH_P_TO_BODY);
        return;
    }
    op[0] = 0x0F;
    op[1] = (uint8_t)(0x80 | (k->i.opcode & 15));
    if (k->i.kind == X86DECODE_JUMP) {
        if (leaves) { binpatch_p_exit_event(s); binpatch_p_link_to(s, address, 1, "\xE9"); return; }
        if (checked && !s->instrumented && !(s->insn[to].target & 8)) {
            binpatch_p_decrement(s);  /* the check in line: one jump less */
            BINPATCH_P_CODE(s, "\x0F\x89");
            binpatch_p_later(s, to, BINPATCH_P_TO_BODY);
            binpatch_p_out1(s, 0xE9);
            binpatch_p_later(s, to, BINPATCH_P_TO_SLOW);
            return;
        }
        binpatch_p_out1(s, 0xE9);
    } else if (leaves && s->instrumented && binpatch_p.config.events & BINPATCH_EXIT) {
        uint32_t over;
        op[1] ^= 1;
        binpatch_p_out(s, op, 2);
        over = s->out_size;
        binpatch_p_out4(s, 0);
        binpatch_p_exit_event(s);
        binpatch_p_link_to(s, address, 1, "\xE9");
        binpatch_p_resolve(s, over, s->out_size);
        return;
    } else if (leaves) {
        binpatch_p_link_to(s, address, 2, (const char *)op);
        return;
    } else binpatch_p_out(s, op, 2);
    if (to == ~0u) binpatch_p_distance(s, address, 0);
    else binpatch_p_later(s, to, checked ? BINPATCH_P_TO_THUNK : BINPATCH_P_TO_BODY);
}

static void binpatch_p_emit_instruction(binpatch_p_scratch *s, uint32_t n) {
    binpatch_p_instruction *k = &s->insn[n];
    uint64_t address = s->f->lo + k->offset;
    uint32_t events = s->instrumented ? binpatch_p.config.events : 0;
    if (n == 0 && k->i.map == 1 && k->i.opcode == 0x1E && k->i.modrm == 0xFA) return;  /* endbr64 */
    if (events & BINPATCH_BLOCK && !k->boring
        && (n == 0 || k->target
            || (k[-1].i.kind != X86DECODE_PLAIN && k[-1].i.kind != X86DECODE_SYSCALL))) {
        binpatch_p_event_begin(s);
        BINPATCH_P_CODE(s, "\x48\x8D\x0D");
        binpatch_p_distance(s, address, 0);
        binpatch_p_event_end(s, binpatch_p_what(s, BINPATCH_BLOCK, 0),
                             (uint32_t)(address - s->m->bias));
    }
    if (binpatch_p_is_nop(&k->i)) return;
    if ((k->i.kind == X86DECODE_CALL || k->i.kind == X86DECODE_CALL_INDIRECT)
        && binpatch_p_sensitive(s, k)) {
        binpatch_p_jump(s, address);
        return;
    }
    if (events) binpatch_p_events_of(s, k);
    switch (k->i.kind) {
    case X86DECODE_JUMP: case X86DECODE_BRANCH: case X86DECODE_LOOP:
        binpatch_p_emit_branch(s, n);
        break;
    case X86DECODE_CALL:
    case X86DECODE_CALL_INDIRECT:
        if (events & BINPATCH_CALL)
            binpatch_p_event_stack(s, binpatch_p_what(s, BINPATCH_CALL, 0),
                                   (uint32_t)(address - s->m->bias), 0);
        if (k->i.kind == X86DECODE_CALL)
            binpatch_p_link_to(s, x86decode_target(&k->i, address), 1, "\xE8");
        else binpatch_p_copied(s, k);
        binpatch_p_after_call(s, n);
        break;
    case X86DECODE_RETURN:
        binpatch_p_exit_event(s);
        binpatch_p_copied(s, k);
        break;
    case X86DECODE_JUMP_INDIRECT:
        if (k->dispatch == 2) {
            const binpatch_p_table *t = &s->tables[k->table];
            uint64_t copy = s->base + t->at;
            binpatch_p_redisplaced(s, k, k->i.base == X86DECODE_NONE ? copy : copy - t->address, 0);
        } else if (k->dispatch == 1) binpatch_p_translate(s, k);
        else {
            if (!s->table_count) binpatch_p_exit_event(s);
            binpatch_p_copied(s, k);
        }
        break;
    default:
        if (k->dispatch == 2) {
            const binpatch_p_table *t = &s->tables[k->table];
            uint64_t copy = s->base + t->at;
            binpatch_p_redisplaced(s, k, k->i.base == X86DECODE_NONE ? copy : copy - t->address, 0);
        } else binpatch_p_copied(s, k);
        break;
    }
}

/* The check of a back-edge's target, out of line; all back-edges to it come here. */
static void binpatch_p_emit_thunk(binpatch_p_scratch *s, uint32_t n) {
    binpatch_p_instruction *k = &s->insn[n];
    int flags = (k->target & 8) != 0;
    k->thunk = binpatch_p_position(s);
    if (flags) BINPATCH_P_CODE(s, "\x48\x8D\x64\x24\x80\x9C");  /* lea -128(%rsp),%rsp; pushfq */
    binpatch_p_decrement(s);
    BINPATCH_P_CODE(s, "\x0F\x88");                                      /* js slow */
    {   uint32_t at = s->out_size;
        binpatch_p_out4(s, 0);
        if (flags) BINPATCH_P_CODE(s, "\x9D\x48\x8D\xA4\x24\x80\x00\x00\x00");
        if (s->instrumented)
            binpatch_p_jump(s, binpatch_p_address(s->m->rx) + s->f->c_at + k->c_at);
        else { binpatch_p_out1(s, 0xE9); binpatch_p_later(s, n, BINPATCH_P_TO_BODY); }
        k->slow = binpatch_p_position(s);
        binpatch_p_resolve(s, at, s->out_size);
    }
    binpatch_p_slow_end(s, k->site, flags, n);
}

static void binpatch_p_fill_tables(binpatch_p_scratch *s) {
    uint32_t n, e;
    for (n = 0; n < s->table_count; n++) {
        const binpatch_p_table *t = &s->tables[n];
        if (!t->at) continue;
        for (e = 0; e < t->entries; e++) {
            uint64_t to = binpatch_p_entry(t, e), copy = to;
            if (to - s->f->lo < s->f->size && s->index[to - s->f->lo]) {
                const binpatch_p_instruction *k = &s->insn[s->index[to - s->f->lo] - 1];
                copy = s->base + s->code_start + (k->target & 4 && k->thunk ? k->thunk : k->at);
            }
            if (t->width == 4) copy -= t->address;
            memcpy(s->out + t->at + e * t->width, &copy, t->width);
        }
    }
}

/* The landings of translated jumps, and the map from offsets of the function to them. */
static void binpatch_p_emit_map(binpatch_p_scratch *s) {
    uint32_t n, map, landing;
    if (!s->translated || s->failed) return;
    while (s->out_size & 3) binpatch_p_out1(s, 0xCC);
    map = s->out_size;
    if (s->out_max - s->out_size < s->f->size * 4 + 64) { s->failed = 1; return; }
    memset(s->out + map, 0, (size_t)s->f->size * 4);
    s->out_size += s->f->size * 4;
    for (n = 0; n < s->count; n++) {
        if (!(s->insn[n].target & 2)) continue;
        landing = s->out_size - map;
        memcpy(s->out + map + s->insn[n].offset * 4, &landing, 4);
        BINPATCH_P_CODE(s, "\x59\x9D\x58\x48\x8D\xA4\x24\x80\x00\x00\x00\xE9");
        binpatch_p_later(s, n, s->insn[n].target & 4 ? BINPATCH_P_TO_THUNK : BINPATCH_P_TO_BODY);
    }
    for (n = 0; n < s->fixup_count; n++) {
        if (s->fixups[n].kind == BINPATCH_P_TO_MAP) binpatch_p_resolve(s, s->fixups[n].at, map);
    }
}

/* Emits one copy into the scratch memory as if it stood at `base`. Sites are numbered from
   first_site in the order entry, then targets of back-edges; so both copies agree. */
static int binpatch_p_emit(binpatch_p_scratch *s, uint64_t base, int instrumented,
                           uint32_t first_site) {
    binpatch_p_function *f = s->f;
    binpatch_p_instruction *entry = &s->insn[s->count + 1];
    uint32_t n, slow = 0, checked = f->flags & BINPATCH_P_CHECK;
    s->base = base;
    s->instrumented = instrumented;
    s->out_size = s->fixup_count = s->translated = 0;
    s->failed = 0;
    s->site_count = 0;
    for (n = 0; n < s->table_count; n++) s->tables[n].at = 0;
    BINPATCH_P_CODE(s, "\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC");
    for (n = 0; n < s->count; n++) {
        binpatch_p_table *t = &s->tables[s->insn[n].table];
        if (s->insn[n].dispatch != 2 || t->at) continue;
        while (s->out_size & 7) binpatch_p_out1(s, 0xCC);
        t->at = s->out_size;
        if (s->out_max - s->out_size < t->entries * t->width + 64) return -1;
        s->out_size += t->entries * t->width;
    }
    while (s->out_size & 15) binpatch_p_out1(s, 0xCC);
    s->code_start = s->out_size;
    if (checked) {
        entry->site = first_site + s->site_count++;
        binpatch_p_decrement(s);
        BINPATCH_P_CODE(s, "\x0F\x88");
        slow = s->out_size;
        binpatch_p_out4(s, 0);
        if (instrumented) binpatch_p_jump(s, binpatch_p_address(s->m->rx) + f->c_at + entry->c_at);
    }
    entry->at = binpatch_p_position(s);
    if (instrumented && binpatch_p.config.events & BINPATCH_ENTRY)
        binpatch_p_event_stack(s, binpatch_p_what(s, BINPATCH_ENTRY, 0),
                               (uint32_t)(f->lo - s->m->bias), 0);
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & 4) s->insn[n].site = first_site + s->site_count++;
        s->insn[n].at = binpatch_p_position(s);
        binpatch_p_emit_instruction(s, n);
    }
    s->insn[s->count].at = binpatch_p_position(s);
    if (binpatch_p_falls_through(&s->insn[s->count - 1])) binpatch_p_jump(s, f->lo + f->size);
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & 4) binpatch_p_emit_thunk(s, n);
    }
    if (checked) {
        binpatch_p_resolve(s, slow, s->out_size);
        binpatch_p_slow_end(s, entry->site, 0, s->count + 1);
    }
    binpatch_p_emit_map(s);
    if (s->failed) return -1;
    for (n = 0; n < s->fixup_count; n++) {
        const binpatch_p_fixup *x = &s->fixups[n];
        const binpatch_p_instruction *to = &s->insn[x->kind < 4 ? x->index : 0];
        if (x->kind >= BINPATCH_P_TO_MAP) continue;
        binpatch_p_resolve(s, x->at,
                           s->code_start
                               + (x->kind == BINPATCH_P_TO_BODY    ? to->at
                                  : x->kind == BINPATCH_P_TO_THUNK ? to->thunk
                                                                   : to->slow));
    }
    binpatch_p_fill_tables(s);
    return 0;
}

/* Before both copies: which back-edges are checked, which dispatches are proved. A loop is boring
   if, from its head to the branch back, it has no call and at most k memory operands: it gets
   neither. */
static void binpatch_p_plan(binpatch_p_scratch *s) {
    uint32_t n, j;
    int32_t k_boring = binpatch_p.config.k_boring == 0 ? 4 : binpatch_p.config.k_boring;
    if (binpatch_p.config.all_checks) k_boring = -1;
    binpatch_p_find_tables(s);
    s->last_jump = 0;
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].i.kind != X86DECODE_JUMP_INDIRECT) continue;
        s->last_jump = n;
        if (s->table_count) binpatch_p_dispatch(s, n);
    }
    for (n = 0; n < s->count; n++) {
        const binpatch_p_instruction *k = &s->insn[n];
        uint32_t to;
        int32_t operands = 0;
        if (k->i.kind < X86DECODE_JUMP || k->i.kind > X86DECODE_LOOP) continue;
        to = binpatch_p_goes_to(s, k);
        if (to == ~0u || to > n) continue;
        for (j = to; j <= n && operands <= k_boring; j++) {
            const x86decode_insn *i = &s->insn[j].i;
            if ((i->kind > X86DECODE_LOOP && i->kind != X86DECODE_TRAP) || s->insn[j].target & 2)
                operands = INT32_MAX / 2;
            operands += (i->access != 0) + (i->implicit != 0);
        }
        if (operands <= k_boring) { for (j = to; j <= n; j++) s->insn[j].boring = 1; }
        else s->insn[to].target |= 4;
    }
    for (n = 0; n < s->count; n++) {
        if (s->insn[n].target & 2 && n <= s->last_jump && s->table_count) s->insn[n].target |= 4;
        if (s->insn[n].target & 4 && binpatch_p_flags_live(s, n)) s->insn[n].target |= 8;
    }
}

/* Behind the code of a copy: its own .eh_frame_hdr of one entry, CIE, FDE and LSDA. */
static int binpatch_p_emit_unwind(binpatch_p_scratch *s, uint32_t *header) {
    binpatch_p_unwind u;
    binpatch_p_bytes b;
    uint64_t code = s->base + s->code_start;
    uint8_t *cie, *fde, *lsda_at = NULL;
    uint32_t at;
    while (s->out_size & 7) binpatch_p_out1(s, 0xCC);
    if (s->failed || binpatch_p_read_fde(s->f->fde, &u) != 0) return -1;
    at = s->out_size;
    b.p = s->out + at;
    b.end = s->out + s->out_max;
    b.full = 0;
    binpatch_p_put_n(&b, UINT64_C(0x3B031B01), 4);
    binpatch_p_put_n(&b, 0, 4);
    binpatch_p_put_n(&b, 1, 4);
    binpatch_p_put_n(&b, code - (s->base + at), 4);
    binpatch_p_put_n(&b, 0, 4);
    binpatch_p_put_n(&b, 0, 4);  /* so that the CIE stands at a multiple of 8 */
    cie = b.p;
    binpatch_p_put_n(&b, 0, 4);
    binpatch_p_put_n(&b, 0, 4);
    binpatch_p_put(&b, 1);
    binpatch_p_put(&b, 'z');
    if (u.has_personality) binpatch_p_put(&b, 'P');
    if (u.has_lsda) binpatch_p_put(&b, 'L');
    binpatch_p_put(&b, 'R');
    if (u.signal_frame) binpatch_p_put(&b, 'S');
    binpatch_p_put(&b, 0);
    binpatch_p_put(&b, 1);
    binpatch_p_put(&b, (unsigned)u.data_factor & 0x7F);
    binpatch_p_put(&b, 16);
    binpatch_p_put(&b, (u.has_personality ? 9u : 0) + (u.has_lsda ? 1u : 0) + 1);
    if (u.has_personality) { binpatch_p_put(&b, 0); binpatch_p_put_n(&b, u.personality, 8); }
    if (u.has_lsda) binpatch_p_put(&b, 0);
    binpatch_p_put(&b, 0);
    if (u.data_factor < -64 || u.data_factor > 63) return -1;
    for (; u.cie_begin < u.cie_end; u.cie_begin++) binpatch_p_put(&b, *u.cie_begin);
    while ((b.p - cie) & 7) binpatch_p_put(&b, 0);
    if (b.full) return -1;
    at = (uint32_t)(b.p - cie) - 4;
    memcpy(cie, &at, 4);
    fde = b.p;
    binpatch_p_put_n(&b, 0, 4);
    binpatch_p_put_n(&b, (uint64_t)(b.p - cie), 4);
    binpatch_p_put_n(&b, code, 8);
    binpatch_p_put_n(&b, s->insn[s->count].at, 8);
    binpatch_p_put(&b, u.has_lsda ? 8 : 0);
    if (u.has_lsda) { lsda_at = b.p; binpatch_p_put_n(&b, 0, 8); }
    if (binpatch_p_copy_cfa(s, &u, &b) != 0) return -1;
    while ((b.p - fde) & 7) binpatch_p_put(&b, 0);
    if (b.full) return -1;
    at = (uint32_t)(b.p - fde) - 4;
    memcpy(fde, &at, 4);
    binpatch_p_put_n(&b, 0, 8);                              /* the end of this .eh_frame */
    if (lsda_at) {
        uint64_t place = s->base + (uint64_t)(b.p - s->out);
        if (b.full) return -1;
        memcpy(lsda_at, &place, 8);
        if (binpatch_p_copy_lsda(s, &u, code, place, &b) != 0) return -1;
    }
    if (b.full) return -1;
    *header = s->out_size;
    {
        uint32_t frame = (uint32_t)(cie - s->out) - (s->out_size + 4),
                 table = (uint32_t)(fde - s->out) - s->out_size;
        memcpy(s->out + s->out_size + 4, &frame, 4);
        memcpy(s->out + s->out_size + 16, &table, 4);
    }
    s->out_size = (uint32_t)(b.p - s->out);
    return 0;
}

/* ---- making copies while the program runs ---- */

/* One thread of one process at a time. Who finds a lock taken runs plain code meanwhile. The
   scratch memory has a lock of this process, the arena one that all processes share it with. A
   handler that left by longjmp may have abandoned a lock of its own thread: nothing was published,
   it starts again. */
static int binpatch_p_take_lock(uint32_t *lock, uint32_t me, int abandoned) {
    uint32_t owner = 0;
    if (__atomic_compare_exchange_n(lock, &owner, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    return owner == me && abandoned ? 0 : -1;
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
    t->locked = depth;
    return 0;
}
static void binpatch_p_unlock(binpatch_p_shared *shared) {
    binpatch_p_tls.locked = 0;
    __atomic_store_n(&shared->lock, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&binpatch_p.lock, 0, __ATOMIC_RELEASE);
}

static int binpatch_p_place(binpatch_p_scratch *s, uint32_t base, uint32_t header, uint32_t *at,
                            uint32_t *size) {
    binpatch_p_module *m = s->m;
    binpatch_p_shared *h = m->shared;
    binpatch_p_copy *copy = &m->copies[h->copies];
    uint32_t n;
    if (h->copies == m->copies_max) return -1;
    memcpy(m->rw + base, s->out, s->out_size);
    for (n = 0; n < s->fixup_count; n++) {                   /* calls to be joined later */
        const binpatch_p_fixup *x = &s->fixups[n];
        binpatch_p_function *g;
        uint32_t link;
        if (x->kind < BINPATCH_P_JOIN_C || h->links >= m->links_max) continue;
        g = &m->functions[x->index];
        link = h->links++;
        m->links[link].at = base + x->at;
        if (x->kind == BINPATCH_P_JOIN_C) { m->links[link].next = g->links_c; g->links_c = link; }
        else { m->links[link].next = g->links_i; g->links_i = link; }
    }
    copy->at = base + s->code_start;
    copy->size = s->insn[s->count].at;
    copy->header = base + header;
    copy->function = (uint32_t)(s->f - m->functions);
    h->used = base + s->out_size;
    __atomic_store_n(&h->copies, h->copies + 1, __ATOMIC_RELEASE);
    *size = s->out_size;
    __atomic_store_n(at, base + s->code_start, __ATOMIC_RELEASE);
    return 0;
}

static void binpatch_p_join(binpatch_p_module *m, uint32_t *list, uint32_t to) {
    uint32_t link, d;
    for (link = *list; link; link = m->links[link].next) {
        d = to - (m->links[link].at + 4);
        memcpy(m->rw + m->links[link].at, &d, 4);  /* inside one cache line: whole for all */
    }
    *list = 0;
}

static uint32_t binpatch_p_aligned(uint32_t at) { return (at + 15) & ~15u; }

/* Makes C of a function. Returns 1, or 0: plain code is to run. */
static uint32_t binpatch_p_make_c(binpatch_p_module *m, binpatch_p_function *f) {
    uint32_t number = (uint32_t)(f - m->functions), base, header, n, at = 0;
    binpatch_p_scratch *s = &binpatch_p.scratch;
    binpatch_p_shared *h = m->shared;
    if (!f->c_at && !f->failed) {
        if (binpatch_p_lock(h) != 0) return 0;
        if (!f->c_at && !f->failed) {
            int bad = binpatch_p_decode(s, m, f);
            base = binpatch_p_aligned(h->used);
            if (!bad) binpatch_p_plan(s);
            f->first_site = h->sites;
            if (bad || binpatch_p_emit(s, binpatch_p_address(m->rx) + base, 0, h->sites) != 0
                || h->sites + s->site_count > m->sites_max
                || binpatch_p_emit_unwind(s, &header) != 0 || s->out_size > m->code_bytes - base)
                f->failed = 1;
            else {
                for (n = 0; n < s->count + 2; n++) {
                    const binpatch_p_instruction *k = &s->insn[n];
                    binpatch_p_site *site = &m->sites[k->site];
                    int entry = n == s->count + 1;
                    if (n == s->count
                        || (entry ? !(f->flags & BINPATCH_P_CHECK) : !(k->target & 4)))
                        continue;
                    site->function = number;
                    site->entry = (uint32_t)entry;
                    site->offset = entry ? 0 : k->offset;
                    site->flags = !entry && k->target & 8 ? 1 : 0;
                }
                f->sites = s->site_count;
                h->sites += s->site_count;
                if (binpatch_p_place(s, base, header, &at, &f->c_size) != 0) f->failed = 1;
                else {
                    h->bytes_c += s->out_size;
                    h->functions_c++;
                    __atomic_store_n(&f->c_at, at, __ATOMIC_RELEASE);
                    binpatch_p_join(m, &f->links_c, at);
                }
            }
        }
        binpatch_p_unlock(h);
    }
    __atomic_store_n(&m->slots[number],
                     binpatch_p_address(m->rx) + (f->c_at && !f->failed ? f->c_at : f->plain_at),
                     __ATOMIC_RELEASE);
    return 1;
}

/* Makes I of a function that has a C. Returns 1, or 0: C is to run. */
static uint32_t binpatch_p_make_i(binpatch_p_module *m, binpatch_p_function *f) {
    uint32_t number = (uint32_t)(f - m->functions), base, header, n, at = 0;
    binpatch_p_scratch *s = &binpatch_p.scratch;
    binpatch_p_shared *h = m->shared;
    if (!f->c_at) { (void)binpatch_p_make_c(m, f); if (!f->c_at) return 0; }
    if (!f->i_at && !(f->failed & 2)) {
        if (binpatch_p_lock(h) != 0) return 0;
        if (!f->i_at && !(f->failed & 2)) {
            int bad = binpatch_p_decode(s, m, f);
            if (!bad) binpatch_p_plan(s);
            if (!bad)
                bad = binpatch_p_emit(s, binpatch_p_address(m->rx) + binpatch_p_aligned(h->used), 0,
                                      f->first_site);
            for (n = 0; n < s->count + 2; n++) s->insn[n].c_at = s->insn[n].at;
            base = binpatch_p_aligned(h->used);
            if (bad || binpatch_p_emit(s, binpatch_p_address(m->rx) + base, 1, f->first_site) != 0
                || binpatch_p_emit_unwind(s, &header) != 0 || s->out_size > m->code_bytes - base
                || binpatch_p_place(s, base, header, &at, &f->i_size) != 0) f->failed |= 2;
            else {
                if (f->flags & BINPATCH_P_CHECK)
                    m->sites[s->insn[s->count + 1].site].i_at = at + s->insn[s->count + 1].at;
                for (n = 0; n < s->count; n++) {
                    if (s->insn[n].target & 4) m->sites[s->insn[n].site].i_at = at + s->insn[n].at;
                }
                h->bytes_i += s->out_size;
                h->functions_i++;
                __atomic_store_n(&f->i_at, at, __ATOMIC_RELEASE);
                binpatch_p_join(m, &f->links_i, at);
            }
        }
        binpatch_p_unlock(h);
    }
    if (!f->i_at) return 0;
    for (n = 0; n < f->sites; n++) {
        uint32_t site = f->first_site + n;
        __atomic_store_n(&m->site_slots[site], binpatch_p_address(m->rx) + m->sites[site].i_at,
                         __ATOMIC_RELEASE);
    }
    __atomic_store_n(&m->islots[number], binpatch_p_address(m->rx) + f->i_at, __ATOMIC_RELEASE);
    return 1;
}

/* ---- the sampler: Figure 3 of bursty-tracing, one word per thread ---- */

enum { BINPATCH_P_LIVE = -0x40000000, BINPATCH_P_REST = 0x3FFFFFFF };

static uint32_t binpatch_p_random(binpatch_p_thread *t) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 17;
    t->random ^= t->random << 5;
    return t->random;
}

static int32_t binpatch_p_gap(binpatch_p_thread *t) {
    uint32_t gap = binpatch_p.config.check_count, jitter;
    if (gap == BINPATCH_ALWAYS) return 0;
    jitter = (uint32_t)((uint64_t)gap * (uint64_t)binpatch_p.config.jitter_percent / 100);
    if (jitter) gap = gap - jitter + binpatch_p_random(t) % (2 * jitter + 1);
    return (int32_t)gap;
}

/* Hands the buffered events over. A record that a handler interrupted has kind 0 and is left out.
   */
static void binpatch_p_flush(binpatch_p_thread *t, int ended) {
    binpatch_event *events = (binpatch_event *)(void *)t->buffer;
    uint32_t count = (uint32_t)(t->position & (BINPATCH_P_BUFFER - 1)) / 16, n, kept = 0;
    enum { LAST = BINPATCH_P_BUFFER / 16 };
    if (!events) return;
    if (events[LAST - 1].what) {  /* it ran over: what is older is lost */
        __atomic_fetch_add(&binpatch_p.lost, LAST, __ATOMIC_RELAXED);
        count = LAST;
    }
    for (n = 0; n < count; n++) if (events[n].what) events[kept++] = events[n];
    t->position = (uintptr_t)t->buffer;
    __atomic_fetch_add(&binpatch_p.events, kept, __ATOMIC_RELAXED);
    if (binpatch_p.config.action && (kept || ended))
        binpatch_p.config.action(binpatch_p.config.user, events, kept, ended);
    memset(events, 0, (size_t)count * sizeof *events);
}

static void binpatch_p_thread_begin(binpatch_p_thread *t) {
    uint32_t number = __atomic_fetch_add(&binpatch_p.buffers_used, 1, __ATOMIC_RELAXED);
    t->known = 1;
    if (number >= BINPATCH_P_THREADS) {
        __atomic_fetch_add(&binpatch_p.lost_threads, 1, __ATOMIC_RELAXED);
        return;
    }
    __atomic_fetch_add(&binpatch_p.threads, 1, __ATOMIC_RELAXED);
    t->random = (binpatch_p.config.seed + number) * 2654435761u | 1;
    t->buffer = binpatch_p.buffers + (size_t)number * BINPATCH_P_BUFFER;
    t->position = (uintptr_t)t->buffer;
    t->live = 0;
    t->left = 0;
}

/* A check of the calling thread that the fast answers do not cover. Returns 1 if a burst is live.
   */
static uint32_t binpatch_p_edge_of_burst(binpatch_p_thread *t) {
    uint32_t burst = binpatch_p.config.burst_count;
    if (t->n == BINPATCH_P_LIVE) {  /* inside a burst: full buffer, or I is to be made */
        if ((t->position & (BINPATCH_P_BUFFER - 1)) >= 0xC000) binpatch_p_flush(t, 0);
        return 1;
    }
    if (!t->known) {
        binpatch_p_thread_begin(t);
        if (t->buffer && binpatch_p.on && binpatch_p.config.check_count != BINPATCH_ALWAYS) {
            t->n = (int32_t)(binpatch_p_random(t) % (binpatch_p.config.check_count + burst));
            if (!binpatch_p.config.jitter_percent)
                t->n = (int32_t)binpatch_p.config.check_count - 1;
            if (t->n > 0) return 0;
        }
    }
    if (!t->buffer || !binpatch_p.on) {
        if (t->live) binpatch_p_flush(t, 1);
        t->live = 0;
        t->left = 0;
        t->n = 65536;  /* look again whether it was switched on */
        return 0;
    }
    if (t->live) {
        int32_t gap = binpatch_p_gap(t);
        binpatch_p_flush(t, gap != 0);
        if (gap > 0) {
            t->live = 0;
            t->left = 0;
            t->n = gap - 1;
            return 0;
        }
    }
    if (!t->live) {
        __atomic_fetch_add(&binpatch_p.bursts, 1, __ATOMIC_RELAXED);
        t->bursts++;
    }
    t->live = 1;
    t->left = (int32_t)burst - 1;
    t->n = BINPATCH_P_LIVE;
    return 1;
}

/* ---- the stack when a burst begins ----
   Who called whom is read from the unwind information: the rule for the CFA, and where rbp is
   saved. What needs more than that (expressions, other registers) ends the walk; the outer
   functions are not known then. */

typedef struct binpatch_p_rule {
    unsigned reg;
    int64_t offset;
    int64_t rbp;
    int rbp_saved;
} binpatch_p_rule;

/* Runs a CFA program up to a place, counted from the function's start. Returns 0, or -1: not
   understood. */
static int binpatch_p_run_cfa(const uint8_t *p, const uint8_t *end, int64_t factor, uint64_t place,
                              binpatch_p_rule *now) {
    binpatch_p_rule kept[4], initial = *now;
    unsigned depth = 0;
    uint64_t at = 0;
    while (p < end) {
        unsigned op = *p++;
        uint64_t reg;
        if ((op & 0xC0) == 0x40) at += op & 63;
        else if ((op & 0xC0) == 0x80) {
            int64_t offset = (int64_t)binpatch_p_uleb(&p) * factor;
            if ((op & 63) == 6) { now->rbp = offset; now->rbp_saved = 1; }
        } else if ((op & 0xC0) == 0xC0) {
            if ((op & 63) == 6) { now->rbp = initial.rbp; now->rbp_saved = initial.rbp_saved; }
        } else switch (op) {
        case 0x00: break;
        case 0x2E: (void)binpatch_p_uleb(&p); break;
        case 0x02: at += *p; p += 1; break;
        case 0x03: at += (unsigned)p[0] | (unsigned)p[1] << 8; p += 2; break;
        case 0x04: at += binpatch_p_u32(p); p += 4; break;
        case 0x0A:
            if (depth == 4) return -1;
            kept[depth++] = *now;
            break;
        case 0x0B:
            if (!depth) return -1;
            *now = kept[--depth];
            break;
        case 0x0C:
            now->reg = (unsigned)binpatch_p_uleb(&p);
            now->offset = (int64_t)binpatch_p_uleb(&p);
            break;
        case 0x0D: now->reg = (unsigned)binpatch_p_uleb(&p); break;
        case 0x0E: now->offset = (int64_t)binpatch_p_uleb(&p); break;
        case 0x08:
            if (binpatch_p_uleb(&p) == 6) now->rbp_saved = 0;
            break;
        case 0x07:
            reg = binpatch_p_uleb(&p);
            if (reg == 16) return -1;                        /* nobody called this */
            break;
        case 0x10: case 0x16: {
            uint64_t size;
            if (binpatch_p_uleb(&p) == 6) return -1;
            size = binpatch_p_uleb(&p);
            p += size;
            break;
        }
        default: return -1;
        }
        if (at > place) return 0;
    }
    return 0;
}

/* The function's caller, from its registers. Returns 0, or -1. */
static int binpatch_p_step(const uint8_t *fde, uint64_t place, uint64_t *pc, uint64_t *rsp,
                           uint64_t *rbp) {
    binpatch_p_unwind u;
    binpatch_p_rule rule = {7, 8, 0, 0};
    uint64_t cfa;
    if (binpatch_p_read_fde(fde, &u) != 0 || u.signal_frame) return -1;
    if (binpatch_p_run_cfa(u.cie_begin, u.cie_end, u.data_factor, ~UINT64_C(0), &rule) != 0
        || binpatch_p_run_cfa(u.fde_begin, u.fde_end, u.data_factor, place, &rule) != 0) return -1;
    if (rule.reg != 6 && rule.reg != 7) return -1;
    cfa = (rule.reg == 6 ? *rbp : *rsp) + (uint64_t)rule.offset;
    if (cfa <= *rsp || cfa - *rsp > (1u << 23) || cfa & 7) return -1;
    *pc = binpatch_p_u64(binpatch_p_at(cfa - 8));
    if (rule.rbp_saved) *rbp = binpatch_p_u64(binpatch_p_at(cfa + (uint64_t)rule.rbp));
    *rsp = cfa;
    return 0;
}

/* The FDE in a .eh_frame_hdr that covers pc; NULL: none. */
static const uint8_t *binpatch_p_find_fde(const uint8_t *h, uint64_t pc, uint64_t *start) {
    uint32_t lo = 0, hi;
    if (!h || h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return NULL;
    hi = binpatch_p_u32(h + 8);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        uint64_t at = binpatch_p_address(h) + (uint64_t)(int64_t)binpatch_p_s32(h + 12 + 8 *
        (size_t)mid); if (at <= pc) lo = mid + 1; else hi = mid;
    }
    if (!lo) return NULL;
    *start
        = binpatch_p_address(h) + (uint64_t)(int64_t)binpatch_p_s32(h + 12 + 8 * (size_t)(lo - 1));
    return h + binpatch_p_s32(h + 12 + 8 * (size_t)(lo - 1) + 4);
}

/* The copy that holds an address; NULL: none does. */
static const binpatch_p_copy *binpatch_p_copy_at(const binpatch_p_module *m, uint64_t address) {
    uint64_t at = address - binpatch_p_address(m->rx);
    uint32_t lo = 0, hi;
    if (m->refusal || !m->shared || at >= m->code_bytes) return NULL;
    hi = __atomic_load_n(&m->shared->copies, __ATOMIC_ACQUIRE);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->copies[mid].at <= at) lo = mid + 1; else hi = mid;
    }
    if (!lo || at - m->copies[lo - 1].at > m->copies[lo - 1].size) return NULL;
    return &m->copies[lo - 1];
}

enum { BINPATCH_P_FRAMES = 256 };

static uint32_t binpatch_p_walk(const binpatch_p_module *m, uint32_t site, const uint64_t *saved,
                                binpatch_frame *frames) {
    const binpatch_p_site *y = &m->sites[site];
    const binpatch_p_function *f = &m->functions[y->function];
    uint64_t rbp = saved[0], rsp = binpatch_p_address(saved) + 104 + 128 + 8 * y->flags, pc = 0;
    const uint8_t *fde = f->fde;
    uint64_t place = y->offset;
    uint32_t count = 0, steps, n;
    for (steps = 0; steps < 2 * BINPATCH_P_FRAMES && count < BINPATCH_P_FRAMES; steps++) {
        uint64_t start = 0;
        if (y->entry && steps == 0) { pc = binpatch_p_u64(binpatch_p_at(rsp)); rsp += 8; }
        else if (binpatch_p_step(fde, place, &pc, &rsp, &rbp) != 0) break;
        if (f && !(y->entry && steps == 0)) {                /* the entry's own event is still to
        come */
            frames[count].stack = rsp - 8;
            frames[count].module = (uint32_t)(m - binpatch_p.modules);
            frames[count++].place = (uint32_t)(f->lo - m->bias);
        }
        pc--;                                                /* into the call */
        f = NULL;
        fde = NULL;
        for (n = 0; n < binpatch_p.module_count && !fde; n++) {
            const binpatch_p_module *other = &binpatch_p.modules[n];
            const binpatch_p_copy *copy = binpatch_p_copy_at(other, pc);
            if (copy) {
                f = &other->functions[copy->function];
                fde = binpatch_p_find_fde(other->rx + copy->header, pc, &start);
            } else if (binpatch_p_in_text(other, pc)) {
                f = binpatch_p_function_at(other, pc);
                if (f) { fde = f->fde; start = f->lo; }
            }
            if (fde) m = other;
        }
        for (n = 0; n < binpatch_p.other_count && !fde; n++) {
            if (pc >= binpatch_p.others[n].lo && pc < binpatch_p.others[n].hi)
                fde = binpatch_p_find_fde(binpatch_p.others[n].frame_header, pc, &start);
        }
        if (!fde) break;
        if (f && f->flags & BINPATCH_P_FRAGMENT) f = NULL;
        place = pc - start;
    }
    return count;
}

/* The emitted code comes here with what it pushed, a site or a function to be made, and with where
   it saved the registers. */
static uint32_t binpatch_p_heavy(uint32_t code, binpatch_p_module *m, const uint64_t *saved) {
    binpatch_p_thread *t = &binpatch_p_tls;
    uintptr_t depth = binpatch_p_depth(__builtin_frame_address(0));
    uint32_t answer;
    if (!binpatch_p.installed) return 0;
    /* A signal handler inside of us gets no burst. If this goes on for ever, it was none: a handler
       left us by longjmp, and the stack is deeper now than it was then. */
    if (t->busy && depth < t->busy && t->nested++ < 65536) return 0;
    t->nested = 0;
    t->busy = depth;
    if (code & 0x40000000) answer = binpatch_p_make_c(m, &m->functions[code & 0x0FFFFFFF]);
    else if (code & 0x20000000) answer = binpatch_p_make_i(m, &m->functions[code & 0x0FFFFFFF]);
    else {
        uint64_t bursts = t->bursts;
        answer = binpatch_p_edge_of_burst(t);
        if (answer && !m->site_slots[code])
            answer = binpatch_p_make_i(m, &m->functions[m->sites[code].function]);
        if (t->bursts != bursts && binpatch_p.config.begin) {
            binpatch_frame *frames = (binpatch_frame *)(void *)(t->buffer + BINPATCH_P_BUFFER / 2);
            uint32_t count = binpatch_p_walk(m, code, saved, frames);
            binpatch_p.config.begin(binpatch_p.config.user, frames, count);
            memset(frames, 0, count * sizeof *frames);
        }
    }
    t->busy = 0;
    return answer;
}

/* Two pieces of code that every module has: `slow` answers most checks inside a burst in a few
   instructions; `heavy` saves all registers and calls binpatch_p_heavy. Both answer in CF.
   The stack then holds, upwards: the return address, what was pushed, the program's red zone. */
static void binpatch_p_emit_slow(binpatch_p_scratch *s, binpatch_p_module *m) {
    uint64_t function = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_heavy),
             self = binpatch_p_address(m);
    uint32_t bytes = (binpatch_p.xsave_bytes + 63) & ~63u, heavy[3], n, to;
    m->slow_at = s->out_size;
    BINPATCH_P_CODE(s, "\x50\x64\x8B\x04\x25");  /* push %rax; mov %fs:left,%eax */
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_left);
    BINPATCH_P_CODE(s, "\xFF\xC8\x0F\x88");                              /* dec %eax; js heavy */
    heavy[0] = s->out_size;
    binpatch_p_out4(s, 0);
    BINPATCH_P_CODE(s, "\x64\x89\x04\x25");                              /* mov %eax,%fs:left */
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_left);
    BINPATCH_P_CODE(s, "\x64\xC7\x04\x25");                              /* movl $LIVE,%fs:n */
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_n);
    binpatch_p_out4(s, (uint32_t)BINPATCH_P_LIVE);
    BINPATCH_P_CODE(s, "\x64\x66\x81\x3C\x25");  /* cmpw $0xC000,%fs:position */
    binpatch_p_out4(s, (uint32_t)binpatch_p.offset_position);
    BINPATCH_P_CODE(s, "\x00\xC0\x0F\x83");                              /* jae heavy */
    heavy[1] = s->out_size;
    binpatch_p_out4(s, 0);
    BINPATCH_P_CODE(
        s, "\x51\x8B\x4C\x24\x18\x48\x8D\x05"); /* push %rcx; mov 24(%rsp),%ecx; lea slots,%rax */
    binpatch_p_distance(s, binpatch_p_address(m->site_slots), 0);
    BINPATCH_P_CODE(
        s, "\x48\x83\x3C\xC8\x00\x59\x0F\x84"); /* cmpq $0,(%rax,%rcx,8); pop %rcx; je heavy */
    heavy[2] = s->out_size;
    binpatch_p_out4(s, 0);
    BINPATCH_P_CODE(s, "\x58\xF9\xC3");                                  /* pop %rax; stc; ret */
    m->heavy_at = s->out_size;
    BINPATCH_P_CODE(s, "\x50");
    for (n = 0, to = s->out_size; n < 3; n++) binpatch_p_resolve(s, heavy[n], to);
    BINPATCH_P_CODE(
        s,
        "\x9C\x51\x52\x56\x57\x41\x50\x41\x51\x41\x52\x41\x53\x55" 
        "\x48\x89\xE5\x48\x81\xEC"); /* mov %rsp,%rbp; sub $bytes,%rsp */
    binpatch_p_out4(s, bytes);
    BINPATCH_P_CODE(s, "\x48\x83\xE4\xC0\x31\xC0");  /* and $-64,%rsp; xor %eax,%eax */
    for (n = 0; n < 8; n++) {  /* the header of the area is zero */
        BINPATCH_P_CODE(s, "\x48\x89\x84\x24");
        binpatch_p_out4(s, 512 + 8 * n);
    }
    binpatch_p_out1(s, 0xB8);
    binpatch_p_out4(s, binpatch_p.xsave_mask);
    if (binpatch_p.xsave_mask)
        BINPATCH_P_CODE(s, "\x31\xD2\x48\x0F\xAE\x24\x24"); /* xsave64 (%rsp) */
    else BINPATCH_P_CODE(s, "\x48\x0F\xAE\x04\x24");  /* fxsave64 (%rsp) */
    BINPATCH_P_CODE(
        s, "\xFC\x48\x89\xEA\x8B\x7D\x60\x48\xBE"); /* cld; mov 96(%rbp),%edi; mov $m,%rsi */
    binpatch_p_out(s, &self, 8);
    BINPATCH_P_CODE(s, "\x48\xB8");
    binpatch_p_out(s, &function, 8);
    BINPATCH_P_CODE(s, "\xFF\xD0\x89\x45\x60\xB8");  /* call *%rax; mov %eax,96(%rbp) */
    binpatch_p_out4(s, binpatch_p.xsave_mask);
    if (binpatch_p.xsave_mask) BINPATCH_P_CODE(s, "\x31\xD2\x48\x0F\xAE\x2C\x24");
    else BINPATCH_P_CODE(s, "\x48\x0F\xAE\x0C\x24");
    BINPATCH_P_CODE(s, "\x48\x89\xEC\x5D\x41\x5B\x41\x5A\x41\x59\x41\x58\x5F\x5E\x5A\x59\x9D\x58"
                       "\x0F\xBA\x64\x24\x08\x00\xC3");  /* ...; btl $0,8(%rsp); ret */
}

/* lea -128(%rsp),%rsp; push code; call heavy; lea 136(%rsp),%rsp; jc 5; jmp otherwise; jmp *slot */
static void binpatch_p_emit_make(binpatch_p_scratch *s, uint32_t code, uint64_t otherwise,
                                 uint64_t slot) {
    BINPATCH_P_CODE(s, "\x48\x8D\x64\x24\x80\x68");
    binpatch_p_out4(s, code);
    binpatch_p_out1(s, 0xE8);
    binpatch_p_distance(s, binpatch_p_address(s->m->rx) + s->m->heavy_at, 0);
    BINPATCH_P_CODE(s, "\x48\x8D\xA4\x24\x88\x00\x00\x00\x72\x05");
    binpatch_p_jump(s, otherwise);
    BINPATCH_P_CODE(s, "\xFF\x25");
    binpatch_p_distance(s, slot, 0);
}

/* What the jmp at an entry displaces, at another place, then on in the original. A call pushes the
   address behind the original call, so that an unwinder finds its way. Returns 0, or a reason to
   refuse. */
static int binpatch_p_emit_plain(binpatch_p_scratch *s, uint32_t patch_at) {
    uint32_t n, at = 0;
    for (n = 0; n < s->count && s->insn[n].offset < patch_at + 5; n++) {
        binpatch_p_instruction *k = &s->insn[n];
        uint64_t address = s->f->lo + k->offset, to = x86decode_target(&k->i, address),
                 behind = address + k->i.length;
        uint8_t op[2];
        if (k->offset < patch_at) continue;
        at = k->offset + k->i.length;
        switch (k->i.kind) {
        case X86DECODE_LOOP: case X86DECODE_CALL_INDIRECT: return BINPATCH_NO_ROOM;
        case X86DECODE_CALL:  /* lea -8(%rsp); movl low,(%rsp); movl high,4(%rsp) */
            BINPATCH_P_CODE(s, "\x48\x8D\x64\x24\xF8\xC7\x04\x24");
            binpatch_p_out4(s, (uint32_t)behind);
            BINPATCH_P_CODE(s, "\xC7\x44\x24\x04");
            binpatch_p_out4(s, (uint32_t)(behind >> 32));
            binpatch_p_jump(s, to);
            return 0;
        case X86DECODE_BRANCH:
            op[0] = 0x0F;
            op[1] = (uint8_t)(0x80 | (k->i.opcode & 15));
            binpatch_p_out(s, op, 2);
            binpatch_p_distance(s, to, 0);
            break;
        case X86DECODE_JUMP: binpatch_p_jump(s, to); break;
        default: binpatch_p_copied(s, k); break;
        }
    }
    binpatch_p_jump(s, s->f->lo + at);
    return 0;
}

/* ---- modules and functions of this process ---- */

static int binpatch_p_each_module(struct dl_phdr_info *info, size_t size, void *user) {
    binpatch_p_module *m = &binpatch_p.modules[binpatch_p.module_count];
    uint64_t own = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_each_module);
    const char *path = info->dlpi_name ? info->dlpi_name : "", *base;
    int n, own_module = 0, first = binpatch_p.module_count == 0 && !*path;
    (void)size;
    (void)user;
    if (binpatch_p.module_count == BINPATCH_P_MODULES) return 1;
    memset(m, 0, sizeof *m);
    m->bias = info->dlpi_addr;
    m->path = path;
    m->lo = m->text_lo = ~UINT64_C(0);
    for (n = 0; n < info->dlpi_phnum; n++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[n];
        uint64_t lo = m->bias + p->p_vaddr, hi = lo + p->p_memsz;
        if (p->p_type == PT_DYNAMIC)
            m->dynamic = (const Elf64_Dyn *)(const void *)binpatch_p_at(lo);
        if (p->p_type == PT_GNU_EH_FRAME) m->frame_header = binpatch_p_at(lo);
        if (p->p_type != PT_LOAD) continue;
        if (lo < m->lo) m->lo = lo;
        if (hi > m->hi) m->hi = hi;
        if (!(p->p_flags & PF_X)) continue;
        if (lo < m->text_lo) m->text_lo = lo;
        if (hi > m->text_hi) m->text_hi = hi;
        if (own >= lo && own < hi) own_module = 1;
    }
    base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!m->text_hi) return 0;
    if (binpatch_p.other_count < BINPATCH_P_MODULES) {
        binpatch_p_other *other = &binpatch_p.others[binpatch_p.other_count++];
        other->lo = m->text_lo;
        other->hi = m->text_hi;
        other->frame_header = m->frame_header;
    }
    if ((!*path && !first) || (own_module && *path)) return 0;
    if (!strncmp(base, "ld-linux", 8) || !strncmp(base, "linux-vdso", 10)) return 0;
    if (binpatch_p.config.want) {
        if (!binpatch_p.config.want(binpatch_p.config.user, path, NULL)) return 0;
    } else if (!strncmp(base, "libc.so", 7) || !strncmp(base, "libgcc_s.", 9)) return 0;
    binpatch_p.module_count++;
    return 0;
}

/* Symbols in memory: exported functions may be called by anybody; their names serve the filter. */
static void binpatch_p_read_dynamic(binpatch_p_module *m, binpatch_p_graph *g) {
    static const char *const asks[] = {"dlsym", "dlvsym", "dlopen", "dlmopen", "mcount", "_mcount"};
    const Elf64_Dyn *d;
    const Elf64_Sym *symbols = NULL;
    const Elf64_Rela *rela[2] = {NULL, NULL};
    const char *names = NULL;
    const uint32_t *hash = NULL, *gnu = NULL;
    size_t bytes[2] = {0, 0}, count = 0, n, part;
    if (!m->dynamic) return;
    for (d = m->dynamic; d->d_tag != DT_NULL; d++) {
        uint64_t at = d->d_un.d_ptr;
        if (at < m->lo && m->bias) at += m->bias;  /* ld.so leaves some entries as they were */
        switch (d->d_tag) {
        case DT_SYMTAB: symbols = (const Elf64_Sym *)(const void *)binpatch_p_at(at); break;
        case DT_STRTAB: names = (const char *)binpatch_p_at(at); break;
        case DT_HASH: hash = (const uint32_t *)(const void *)binpatch_p_at(at); break;
        case DT_GNU_HASH: gnu = (const uint32_t *)(const void *)binpatch_p_at(at); break;
        case DT_RELA: rela[0] = (const Elf64_Rela *)(const void *)binpatch_p_at(at); break;
        case DT_RELASZ: bytes[0] = d->d_un.d_val; break;
        case DT_JMPREL: rela[1] = (const Elf64_Rela *)(const void *)binpatch_p_at(at); break;
        case DT_PLTRELSZ: bytes[1] = d->d_un.d_val; break;
        default: break;
        }
    }
    if (hash) count = hash[1];
    else if (gnu) {  /* the last chain tells how many there are */
        const uint32_t *buckets = gnu + 4 + gnu[2] * 2, *chain = buckets + gnu[0];
        for (n = 0; n < gnu[0]; n++) if (buckets[n] > count) count = buckets[n];
        if (count) { while (!(chain[count - gnu[1]] & 1)) count++; count++; }
    }
    for (n = 0; symbols && n < count; n++) {
        unsigned type = symbols[n].st_info & 15;
        uint64_t at = m->bias + symbols[n].st_value;
        binpatch_p_function *f;
        if (!symbols[n].st_shndx
            || (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
            continue;
        binpatch_p_take(g, m, at);
        f = binpatch_p_function_at(m, at);
        if (f && f->lo == at && !f->name) f->name = names + symbols[n].st_name;
    }
    for (part = 0; part < 2; part++)
        for (n = 0; rela[part] && n < bytes[part] / sizeof(Elf64_Rela); n++) {
            const Elf64_Rela *r = &rela[part][n];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            size_t k;
            if (type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE)
                binpatch_p_take(g, m, m->bias + (uint64_t)r->r_addend);
            if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || !symbols || !names)
                continue;
            for (k = 0; k < sizeof asks / sizeof *asks; k++) {
                if (!strcmp(names + symbols[r->r_info >> 32].st_name, asks[k])
                    && m->sensitive_count < 16)
                    m->sensitive[m->sensitive_count++] = m->bias + r->r_offset;
            }
        }
}

/* The module's file, if it can be read: names from .symtab, and ranges that are no functions. */
static void binpatch_p_read_file(binpatch_p_module *m) {
    const char *path = *m->path ? m->path : "/proc/self/exe";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    const uint8_t *p;
    const Elf64_Ehdr *e;
    const Elf64_Shdr *sections;
    size_t n, k;
    uint64_t end = size > 0 ? (uint64_t)size : 0;
    if (end < sizeof *e) { if (file >= 0) close(file); return; }
    p = (const uint8_t *)mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (p == (const uint8_t *)MAP_FAILED) return;
    e = (const Elf64_Ehdr *)(const void *)p;
    if (e->e_shoff >= end || (end - e->e_shoff) / sizeof *sections < e->e_shnum
        || e->e_shstrndx >= e->e_shnum)
        return;
    sections = (const Elf64_Shdr *)(const void *)(p + e->e_shoff);
    for (n = 0; n < e->e_shnum; n++) {
        const Elf64_Shdr *h = &sections[n], *names = &sections[e->e_shstrndx];
        const char *name;
        if (names->sh_offset >= end || h->sh_name >= names->sh_size
            || names->sh_size > end - names->sh_offset)
            return;
        name = (const char *)p + names->sh_offset + h->sh_name;
        if (!strncmp(name, ".plt", 4) || !strcmp(name, ".init") || !strcmp(name, ".fini")) {
            for (k = 0; k < m->count; k++) {
                if (m->functions[k].lo - m->bias - h->sh_addr < h->sh_size)
                    m->functions[k].reason = BINPATCH_STARTUP;
            }
        }
        if (h->sh_type != SHT_SYMTAB || h->sh_link >= e->e_shnum || h->sh_offset >= end
            || h->sh_size > end - h->sh_offset)
            continue;
        names = &sections[h->sh_link];
        if (names->sh_offset >= end || names->sh_size > end - names->sh_offset || !names->sh_size
            || p[names->sh_offset + names->sh_size - 1]) continue;
        for (k = 0; k < h->sh_size / sizeof(Elf64_Sym); k++) {
            const Elf64_Sym *y = (const Elf64_Sym *)(const void *)(p + h->sh_offset) + k;
            binpatch_p_function *f;
            if ((y->st_info & 15) != STT_FUNC || !y->st_shndx || y->st_name >= names->sh_size)
                continue;
            f = binpatch_p_function_at(m, m->bias + y->st_value);
            if (f && f->lo == m->bias + y->st_value)
                f->name = (const char *)p + names->sh_offset + y->st_name;
        }
    }
}

/* Functions are the FDEs that .eh_frame_hdr lists, which it does in the order of their addresses.
   */
static int binpatch_p_list_functions(binpatch_p_module *m) {
    const uint8_t *h = m->frame_header;
    uint32_t entries, n, largest = 0;
    m->refusal = "no .eh_frame_hdr";
    if (!h) return -1;
    if (h[0] != 1 || h[2] != 3 || h[3] != 0x3B) return -1;
    entries = binpatch_p_u32(h + 8);
    if (entries == 0 || entries > 4000000) return -1;
    m->functions = (binpatch_p_function *)binpatch_p_map((size_t)entries * sizeof *m->functions);
    m->refusal = "no memory";
    if (!m->functions) return -1;
    for (n = 0; n < entries; n++) {
        binpatch_p_function *f = &m->functions[m->count];
        const uint8_t *entry = h + 12 + 8 * (size_t)n;
        binpatch_p_unwind u;
        memset(f, 0, sizeof *f);
        f->lo = binpatch_p_address(h) + (uint64_t)(int64_t)binpatch_p_s32(entry);
        f->fde = h + binpatch_p_s32(entry + 4);
        if (!binpatch_p_in_text(m, f->lo) || (m->count && f->lo <= f[-1].lo)) continue;
        if (binpatch_p_read_fde(f->fde, &u) != 0 || u.pc != f->lo || u.size == 0
            || u.size > m->text_hi - f->lo) {
            f->reason = BINPATCH_UNWIND;
            f->size = 1;
        } else {
            f->size = (uint32_t)u.size;
            if (u.signal_frame) f->reason = BINPATCH_UNWIND;
            /* A part (.cold) begins with another frame than a function's; _start has no caller. */
            if (u.fde_begin < u.fde_end && *u.fde_begin && (*u.fde_begin & 0xC0) != 0x40
                && *u.fde_begin != 2 && *u.fde_begin != 3 && *u.fde_begin != 4)
                f->flags |= BINPATCH_P_FRAGMENT;
        }
        if (m->count && f[-1].lo + f[-1].size > f->lo) {
            f->reason = BINPATCH_UNWIND;
            f[-1].reason = BINPATCH_UNWIND;
        }
        if (f->size > largest) largest = f->size;
        m->count++;
    }
    for (n = 0; n < m->count; n++) {
        binpatch_p_function *f = &m->functions[n];
        uint64_t end = f->lo + f->size, next = n + 1 < m->count ? f[1].lo : end;
        while (end + f->pad < next && f->pad < 16) {         /* room behind it: nops and int3 */
            x86decode_insn i;
            unsigned length
                = x86decode(binpatch_p_at(end + f->pad), (size_t)(next - end - f->pad), &i);
            if (!length || (!binpatch_p_is_nop(&i) && i.kind != X86DECODE_TRAP)) break;
            f->pad += length;
        }
        f->module = (uint32_t)(m - binpatch_p.modules);
    }
    m->refusal = m->count ? NULL : "no functions in .eh_frame";
    return m->count ? (int)largest : -1;
}

/* ---- room within reach of the module ---- */

static int binpatch_p_open_region(binpatch_p_module *m) {
    size_t text = (size_t)(m->text_hi - m->text_lo), slots, tables, page = 4096;
    uint64_t at, step = UINT64_C(1) << 21, reach;
    uint8_t *p = NULL;
    int file, low = m->hi < 0x80000000u;
    m->refusal = "no memory";
    m->code_bytes = (text * 24 + (1u << 21)) & ~(page - 1);
    if (m->code_bytes > 0x20000000) m->code_bytes = 0x20000000;
    m->sites_max = (uint32_t)(text / 12 + 1024);
    m->links_max = (uint32_t)(text / 8 + 1024);
    m->copies_max = 2 * m->count + 2;
    slots = ((2 * (size_t)m->count + m->sites_max) * 8 + page - 1) & ~(page - 1);
    tables = sizeof *m->shared + m->sites_max * sizeof *m->sites + m->links_max * sizeof *m->links
           + m->copies_max * sizeof *m->copies + m->count * sizeof *m->functions;
    tables = (tables + 64 + page - 1) & ~(page - 1);
    reach = slots + m->code_bytes;
    /* Below the module, or above a program that stands at a fixed low address: its heap grows
       behind it. */
    for (at = low ? ((m->hi + 0x20000000) & ~(step - 1)) : ((m->lo - reach) & ~(step - 1)); !p; ) {
        uint64_t far = low ? at + reach - m->lo : m->hi - at;
        void *got;
        if (far > 0x7F000000 || at > UINT64_C(1) << 47 || (low && at + reach > 0x7FFF0000)) break;
        got = mmap((void *)(uintptr_t)at, (size_t)reach, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == (void *)(uintptr_t)at) p = (uint8_t *)got;
        else if (got != MAP_FAILED) munmap(got, (size_t)reach);
        if (low) at += step; else at -= step;
    }
    m->refusal = "no space in reach";
    if (!p) return -1;
    m->refusal = "no memory for code";
    file = (int)syscall(SYS_memfd_create, "binpatch", 0x10 | 1);        /* MFD_EXEC, MFD_CLOEXEC */
    if (file < 0) file = (int)syscall(SYS_memfd_create, "binpatch", 1);
    m->file_bytes = m->code_bytes + tables;
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)m->file_bytes) != 0) { close(file); return -1; }
    m->rx = (uint8_t *)mmap(p + slots, m->code_bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED,
                            file, 0);
    m->rw = (uint8_t *)mmap(NULL, m->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (m->rx == (uint8_t *)MAP_FAILED || m->rw == (uint8_t *)MAP_FAILED) return -1;
    if (mprotect(p, slots, PROT_READ | PROT_WRITE) != 0) return -1;
    m->slots = (uint64_t *)(void *)p;
    m->slots_bytes = slots;
    m->islots = m->slots + m->count;
    m->site_slots = m->islots + m->count;
    m->shared = (binpatch_p_shared *)(void *)(m->rw + m->code_bytes);
    {   binpatch_p_function *old = m->functions;
        m->functions = (binpatch_p_function *)(void *)(m->shared + 1);
        memcpy(m->functions, old, m->count * sizeof *old);
        munmap(old, m->count * sizeof *old);
    }
    m->sites = (binpatch_p_site *)(void *)(m->functions + m->count);
    m->links = (binpatch_p_link *)(void *)(m->sites + m->sites_max);
    m->copies = (binpatch_p_copy *)(void *)(m->links + m->links_max);
    m->shared->links = 1;
    m->refusal = NULL;
    return 0;
}

/* ---- installation ---- */

static int binpatch_p_open_scratch(uint32_t largest) {
    binpatch_p_scratch *s = &binpatch_p.scratch;
    size_t n = (size_t)largest + 64, at = 0, offsets[8];
    size_t sizes[8];
    uint8_t *p;
    int k;
    s->text_max = largest;
    s->out_max = largest < (1u << 20) ? largest * 96 + (1u << 20) : largest * 40;
    sizes[0] = n;                        sizes[1] = n * sizeof *s->insn;
    sizes[2] = n * sizeof *s->index;     sizes[3] = BINPATCH_P_TABLES * sizeof *s->tables;
    sizes[4] = n * 4 * sizeof *s->fixups; sizes[5] = 2 * n * sizeof *s->pending;
    sizes[6] = n * sizeof *s->mark;      sizes[7] = s->out_max;
    for (k = 0; k < 8; k++) { offsets[k] = at; at += (sizes[k] + 63) & ~(size_t)63; }
    p = (uint8_t *)binpatch_p_map(at);
    if (!p) return -1;
    s->text = p;
    s->insn = (binpatch_p_instruction *)(void *)(p + offsets[1]);
    s->index = (uint32_t *)(void *)(p + offsets[2]);
    s->tables = (binpatch_p_table *)(void *)(p + offsets[3]);
    s->fixups = (binpatch_p_fixup *)(void *)(p + offsets[4]);
    s->pending = (uint32_t *)(void *)(p + offsets[5]);
    s->mark = (uint32_t *)(void *)(p + offsets[6]);
    s->out = p + offsets[7];
    return 0;
}

static void binpatch_p_sort(uint64_t *a, uint32_t count) {  /* heapsort: no recursion, no memory */
    uint32_t start = count / 2, end = count;
    while (end > 1) {
        uint32_t root;
        uint64_t v;
        if (start) start--;
        else { v = a[--end]; a[end] = a[0]; a[0] = v; }
        for (root = start; ; ) {
            uint32_t child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && a[child] < a[child + 1]) child++;
            if (a[root] >= a[child]) break;
            v = a[root]; a[root] = a[child]; a[child] = v;
            root = child;
        }
    }
}

/* Which functions can be patched, and the stubs of those. */
static void binpatch_p_prepare(binpatch_p_module *m, const binpatch_p_graph *g) {
    binpatch_p_scratch *s = &binpatch_p.scratch;
    uint32_t n, k, reason;
    s->m = m;
    s->base = binpatch_p_address(m->rx);
    s->out_size = 64;                                        /* position 0 means "none" */
    s->failed = 0;
    binpatch_p_emit_slow(s, m);
    memcpy(m->rw, s->out, s->out_size);
    m->shared->used = s->out_size;
    for (n = 0; n < m->count; n++) {
        binpatch_p_function *f = &m->functions[n];
        uint32_t t_at, at = binpatch_p_aligned(m->shared->used);
        if ((f->flags & (BINPATCH_P_BY_BRANCH | BINPATCH_P_CALLED | BINPATCH_P_TAKEN))
            == BINPATCH_P_BY_BRANCH)
            f->flags |= BINPATCH_P_FRAGMENT;
        if (!f->reason && f->flags & BINPATCH_P_FRAGMENT) f->reason = BINPATCH_FRAGMENT;
        if (f->reason) continue;
        reason = (uint32_t)binpatch_p_decode(s, m, f);
        f->patch_at = s->count && s->insn[0].i.map == 1 && s->insn[0].i.opcode == 0x1E ? 4 : 0;
        if (!reason && f->size + f->pad < f->patch_at + 5u) reason = BINPATCH_NO_ROOM;
        if (!reason && m->code_bytes - at < 4096 + f->size) reason = BINPATCH_NO_ROOM;
        for (k = 1; !reason && k < 5; k++) {
            uint64_t bit = f->lo + f->patch_at + k - m->text_lo;
            if (g->touched[bit >> 3] >> (bit & 7) & 1 && f->patch_at + k < f->size)
                reason = BINPATCH_NO_ROOM;
        }
        for (k = 0; !reason && k < s->count && s->insn[k].offset < f->patch_at + 5u; k++) {
            if (s->insn[k].offset > f->patch_at && s->insn[k].target) reason = BINPATCH_NO_ROOM;
        }
        if (!reason && s->insn[0].i.kind != X86DECODE_RETURN && binpatch_p_flags_live(s, 0))
            reason = BINPATCH_FLAGS;
        if (reason) { f->reason = (uint8_t)reason; continue; }
        s->base = binpatch_p_address(m->rx) + at;
        s->out_size = 0;
        s->failed = 0;
        t_at = at;
        BINPATCH_P_CODE(s, "\xFF\x25");
        binpatch_p_distance(s, binpatch_p_slot(m->slots, n), 0);
        f->plain_at = at + s->out_size;
        reason = (uint32_t)binpatch_p_emit_plain(s, f->patch_at);
        f->make_at = at + s->out_size;
        binpatch_p_emit_make(s, 0x40000000 | n, binpatch_p_address(m->rx) + f->plain_at,
                             binpatch_p_slot(m->slots, n));
        if (!(f->flags & BINPATCH_P_CHECK)) {
            f->make_i_at = at + s->out_size;
            binpatch_p_emit_make(s, 0x20000000 | n, binpatch_p_address(m->rx) + t_at,
                                 binpatch_p_slot(m->islots, n));
        }
        if (s->failed && !reason) reason = BINPATCH_NO_ROOM;
        if (reason) { f->reason = (uint8_t)reason; continue; }
        f->t_at = t_at;
        f->patched = 1;
        memcpy(m->rw + at, s->out, s->out_size);
        m->shared->used = at + s->out_size;
        m->slots[n] = binpatch_p_address(m->rx) + f->plain_at;
        for (k = 0; k < 9 && f->patch_at + k < f->size + f->pad; k++)
            f->saved[k] = binpatch_p_at(f->lo + f->patch_at)[k];
    }
}

/* Writes over text, page by page. /proc/self/mem does that where text may not be made writable. */
static int binpatch_p_write_text(binpatch_p_module *m, int restore) {
    int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC), bad = 0, opened = 0;
    uint32_t n;
    uint64_t lo = m->text_lo & ~UINT64_C(4095);
    size_t bytes = (size_t)(m->text_hi - lo);
    for (n = 0; n < m->count && !bad; n++) {
        binpatch_p_function *f = &m->functions[n];
        uint64_t at = f->lo + f->patch_at;
        uint8_t jump[5];
        uint32_t d = (uint32_t)(binpatch_p_address(m->rx) + f->t_at - (at + 5));
        if (!f->patched) continue;
        jump[0] = 0xE9;
        memcpy(jump + 1, &d, 4);
        if (restore) memcpy(jump, f->saved, 5);
        if (!opened && (file < 0 || pwrite(file, jump, 5, (off_t)at) != 5)) {
            if (mprotect((void *)(uintptr_t)lo, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
                bad = 1;
                break;
            }
            opened = 1;
        }
        if (opened) memcpy((void *)(uintptr_t)at, jump, 5);
    }
    if (opened) (void)mprotect((void *)(uintptr_t)lo, bytes, PROT_READ | PROT_EXEC);
    if (file >= 0) close(file);
    return bad ? -1 : 0;
}

/* The patcher cannot be patched: what emitted code calls must not come to emitted code before it
   has noted that it is at work. So what binpatch_p_heavy reaches by direct calls is left alone. */
static void binpatch_p_leave_out_own(binpatch_p_module *m, const binpatch_p_graph *g) {
    uint64_t heavy = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_heavy);
    binpatch_p_function *f = binpatch_p_function_at(m, heavy);
    uint32_t e, changed = 1;
    if (f) f->reason = BINPATCH_OWN;
    while (f && changed) {
        for (e = changed = 0; e < g->count; e++) {
            binpatch_p_function *to = &m->functions[g->to[e]];
            if (m->functions[g->from[e]].reason != BINPATCH_OWN || to->reason == BINPATCH_OWN)
                continue;
            to->reason = BINPATCH_OWN;
            changed = 1;
        }
    }
}

static int binpatch_p_survey_module(binpatch_p_module *m) {
    size_t text = (size_t)(m->text_hi - m->text_lo), bits = text / 8 + 64;
    binpatch_p_graph g;
    uint32_t k;
    int status = -1;
    memset(&g, 0, sizeof g);
    g.max = (uint32_t)(text / 4 + 1024);
    g.named_max = (uint32_t)(text / 6 + 1024);
    g.from = (uint32_t *)binpatch_p_map(g.max * sizeof *g.from);
    g.to = (uint32_t *)binpatch_p_map(g.max * sizeof *g.to);
    g.touched = (uint8_t *)binpatch_p_map(bits);
    g.named = (uint64_t *)binpatch_p_map(g.named_max * sizeof *g.named);
    m->refusal = "no memory";
    if (g.from && g.to && g.touched && g.named) {
        binpatch_p_read_dynamic(m, &g);
        binpatch_p_read_file(m);
        for (k = 0; k < m->count; k++) {
            binpatch_p_function *f = &m->functions[k];
            if (!f->reason && binpatch_p.config.want
                && !binpatch_p.config.want(binpatch_p.config.user, m->path, f->name ? f->name : ""))
                f->reason = BINPATCH_FILTERED;
            binpatch_p_survey(&binpatch_p.scratch, &g, m, k);
        }
        binpatch_p_sort(g.named, g.named_count);
        m->named = g.named;
        m->named_count = g.named_count;
        for (k = 0; k < m->count; k++) {  /* tables know targets that nothing else names */
            uint32_t at;
            if (m->functions[k].reason || !(m->functions[k].flags & BINPATCH_P_DISPATCH)) continue;
            if (binpatch_p_decode(&binpatch_p.scratch, m, &m->functions[k]) != 0) continue;
            binpatch_p_find_tables(&binpatch_p.scratch);
            for (at = 0; at < binpatch_p.scratch.count; at++) {
                if (binpatch_p.scratch.insn[at].target & 2)
                    binpatch_p_touch(&g, m,
                                     m->functions[k].lo + binpatch_p.scratch.insn[at].offset);
            }
        }
        binpatch_p_leave_out_own(m, &g);
        if (binpatch_p_eliminate(m, &g) == 0) {
            binpatch_p_prepare(m, &g);
            m->refusal = NULL;
            status = 0;
        }
    }
    if (g.from) munmap(g.from, g.max * sizeof *g.from);
    if (g.to) munmap(g.to, g.max * sizeof *g.to);
    if (g.touched) munmap(g.touched, bits);
    if (g.named && !m->named) munmap(g.named, g.named_max * sizeof *g.named);
    return status;
}

static uint32_t binpatch_p_count_threads(void) {
    DIR *d = opendir("/proc/self/task");
    uint32_t count = 0;
    if (!d) return 1;
    for (;;) {
        const struct dirent *e = readdir(d);
        if (!e) break;
        if (e->d_name[0] != '.') count++;
    }
    closedir(d);
    return count;
}

static void binpatch_p_find_xsave(void) {
    unsigned a, b, c, d, mask = 0;
    binpatch_p.xsave_mask = 0;
    binpatch_p.xsave_bytes = 576;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) return;     /* OSXSAVE */
    __asm__ volatile("xgetbv" : "=a"(mask), "=d"(d) : "c"(0));
    binpatch_p.xsave_mask = mask & 0xE7;
    if (__get_cpuid_count(13, 0, &a, &b, &c, &d)) binpatch_p.xsave_bytes = b < 4096 ? b : 4096;
    if (binpatch_p.xsave_bytes < 832) binpatch_p.xsave_bytes = 832;
}

BINPATCH_API uint32_t binpatch_install(const binpatch_config *config) {
    uint32_t n, k, patched = 0;
    int largest = 0;
    uint64_t thread = 0;
    if (binpatch_p.installed) { binpatch_p.reason = "already installed"; return 0; }
    memset(&binpatch_p, 0, sizeof binpatch_p);
    if (config) binpatch_p.config = *config;
    if (!binpatch_p.config.check_count) binpatch_p.config.check_count = 990;
    if (!binpatch_p.config.burst_count) binpatch_p.config.burst_count = 10;
    if (!binpatch_p.config.jitter_percent) binpatch_p.config.jitter_percent = 12;
    if (binpatch_p.config.jitter_percent < 0) binpatch_p.config.jitter_percent = 0;
    if (!binpatch_p.config.events) binpatch_p.config.events = BINPATCH_ENTRY | BINPATCH_EXIT;
    if (binpatch_p.config.check_count == BINPATCH_ALWAYS) binpatch_p.config.burst_count = 1u << 29;
    binpatch_p.reason = "a setting is out of range";
    if ((binpatch_p.config.check_count > (1u << 29)
         && binpatch_p.config.check_count != BINPATCH_ALWAYS)
        || binpatch_p.config.burst_count > (1u << 29) || binpatch_p.config.jitter_percent > 100)
        return 0;
    binpatch_p.reason = "another thread runs";
    if (binpatch_p_count_threads() > 1) return 0;
    binpatch_p.reason = "no memory";
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    binpatch_p.offset_n = (int32_t)(binpatch_p_address(&binpatch_p_tls.n) - thread);
    binpatch_p.offset_left = (int32_t)(binpatch_p_address(&binpatch_p_tls.left) - thread);
    binpatch_p.offset_position = (int32_t)(binpatch_p_address(&binpatch_p_tls.position) - thread);
    binpatch_p_find_xsave();
    {
        uint8_t *p
            = (uint8_t *)binpatch_p_map((size_t)(BINPATCH_P_THREADS + 1) * BINPATCH_P_BUFFER);
        if (!p) return 0;
        binpatch_p.buffers = p + (BINPATCH_P_BUFFER - ((uintptr_t)p & (BINPATCH_P_BUFFER - 1)));
    }
    dl_iterate_phdr(binpatch_p_each_module, NULL);
    for (n = 0; n < binpatch_p.module_count; n++) {
        int size = binpatch_p_list_functions(&binpatch_p.modules[n]);
        if (size > largest) largest = size;
    }
    if (largest > (1 << 21)) largest = 1 << 21;
    binpatch_p.reason = "no function has unwind information";
    if (!largest) return 0;
    binpatch_p.reason = "no memory";
    if (binpatch_p_open_scratch((uint32_t)largest) != 0) return 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        if (m->refusal || binpatch_p_open_region(m) != 0 || binpatch_p_survey_module(m) != 0)
            continue;
        binpatch_p.reason = "text cannot be written";
        if (binpatch_p_write_text(m, 0) != 0) {
            (void)binpatch_p_write_text(m, 1);
            m->refusal = "text cannot be written";
            continue;
        }
        for (k = 0; k < m->count; k++) patched += m->functions[k].patched;
    }
    if (!patched) return 0;
    binpatch_p.reason = NULL;
    binpatch_p.installed = 1;
    binpatch_toggle(!binpatch_p.config.off);
    return patched;
}

BINPATCH_API void binpatch_toggle(int on) {
    uint32_t n, k;
    binpatch_p.on = on != 0;
    for (n = 0; n < binpatch_p.module_count; n++) {
        binpatch_p_module *m = &binpatch_p.modules[n];
        if (m->refusal) continue;
        for (k = 0; k < m->count; k++) {
            const binpatch_p_function *f = &m->functions[k];
            uint32_t at = on && !(f->failed & 1) ? (f->c_at ? f->c_at : f->make_at) : f->plain_at;
            if (!f->patched) continue;
            if (!m->islots[k])
                m->islots[k] = binpatch_p_address(m->rx) + (f->make_i_at ? f->make_i_at : f->t_at);
            __atomic_store_n(&m->slots[k], binpatch_p_address(m->rx) + at, __ATOMIC_RELEASE);
        }
    }
}

BINPATCH_API int binpatch_uninstall(void) {
    uint32_t n;
    int status = 0;
    if (!binpatch_p.installed || binpatch_p_count_threads() > 1) return -1;
    binpatch_toggle(0);
    for (n = 0; n < binpatch_p.module_count; n++) {
        if (!binpatch_p.modules[n].refusal && binpatch_p_write_text(&binpatch_p.modules[n], 1) != 0)
            status = -1;
    }
    return status;
}

BINPATCH_API void binpatch_flush(void) {
    binpatch_p_thread *t = &binpatch_p_tls;
    if (t->busy || !t->buffer) return;
    t->busy = binpatch_p_depth(__builtin_frame_address(0));
    binpatch_p_flush(t, 1);
    t->busy = 0;
}

BINPATCH_API const char *binpatch_reason(void) { return binpatch_p.reason; }

BINPATCH_API const char *binpatch_reason_text(int reason) {
    static const char *const text[BINPATCH_REASONS] = {"patched",
                                                       "undecodable",
                                                       "branch into an instruction",
                                                       "transaction (xbegin)",
                                                       "calls into itself",
                                                       "startup",
                                                       "odd unwind information",
                                                       "no room for the jump",
                                                       "flags are live at the entry",
                                                       "too large",
                                                       "filtered",
                                                       "part of another function",
                                                       "part of the patcher"};
    return reason >= 0 && reason < BINPATCH_REASONS ? text[reason] : "unknown";
}

BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out) {
    uint32_t n;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const binpatch_p_module *m = &binpatch_p.modules[n];
        const binpatch_p_function *f = &m->functions[number];
        if (number >= m->count) { number -= m->count; continue; }
        out->module = n;
        out->path = m->path;
        out->name = f->name;
        out->address = f->lo;
        out->offset = (uint32_t)(f->lo - m->bias);
        out->size = f->size;
        out->reason = f->reason;
        if (m->refusal && !f->reason) out->reason = BINPATCH_NO_ROOM;
        out->checked = (f->flags & BINPATCH_P_CHECK) != 0;
        out->copies = (f->c_at ? 1 : 0) + (f->i_at ? 1 : 0);
        return 0;
    }
    return -1;
}

BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place) {
    uint32_t n, before = 0;
    for (n = 0; n < module && n < binpatch_p.module_count; n++)
        before += binpatch_p.modules[n].count;
    if (module < binpatch_p.module_count) {
        const binpatch_p_module *m = &binpatch_p.modules[module];
        const binpatch_p_function *f = binpatch_p_function_at(m, m->bias + place);
        if (f) return before + (uint32_t)(f - m->functions);
    }
    return UINT32_MAX;
}

BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out) {
    const binpatch_p_module *m = &binpatch_p.modules[number];
    uint32_t n;
    if (number >= binpatch_p.module_count) return -1;
    memset(out, 0, sizeof *out);
    out->path = m->path;
    out->bias = m->bias;
    out->refusal = m->refusal;
    out->text_bytes = m->text_hi - m->text_lo;
    for (n = 0; n < m->count; n++) out->functions[m->functions[n].reason]++;
    if (!m->shared) return 0;
    out->used_bytes = m->shared->used;
    out->checking_bytes = m->shared->bytes_c;
    out->instrumented_bytes = m->shared->bytes_i;
    out->checking_count = (uint32_t)m->shared->functions_c;
    out->instrumented_count = (uint32_t)m->shared->functions_i;
    return 0;
}

BINPATCH_API void binpatch_get_stats(binpatch_stats *out) {
    out->bursts = __atomic_load_n(&binpatch_p.bursts, __ATOMIC_RELAXED);
    out->events = __atomic_load_n(&binpatch_p.events, __ATOMIC_RELAXED);
    out->lost = __atomic_load_n(&binpatch_p.lost, __ATOMIC_RELAXED);
    out->threads = binpatch_p.threads;
    out->lost_threads = binpatch_p.lost_threads;
    out->modules = binpatch_p.module_count;
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

#else /* not Linux on x86-64: the same functions, which say so */

BINPATCH_API uint32_t binpatch_install(const binpatch_config *config) { (void)config; return 0; }
BINPATCH_API const char *binpatch_reason(void) { return "not supported on this system"; }
BINPATCH_API void binpatch_toggle(int on) { (void)on; }
BINPATCH_API int binpatch_uninstall(void) { return -1; }
BINPATCH_API void binpatch_flush(void) { }
BINPATCH_API void binpatch_get_stats(binpatch_stats *out) {
    out->bursts = out->events = out->lost = 0;
    out->threads = out->lost_threads = out->modules = 0;
}
BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out) {
    (void)number;
    (void)out;
    return -1;
}
BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place) {
    (void)module;
    (void)place;
    return UINT32_MAX;
}
BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out) {
    (void)number;
    (void)out;
    return -1;
}
BINPATCH_API const char *binpatch_reason_text(int reason) { (void)reason; return "unknown"; }
BINPATCH_API const void *binpatch_find_copy(const void *pc, const void **start, const void **end) {
    (void)pc;
    (void)start;
    (void)end;
    return NULL;
}

#endif
#endif /* BINPATCH_IMPLEMENTATION */

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
