/* binpatch.h - v0.2.0 - bursty tracing of x86-64 code as it is - MIT, text at end of file

   example:
       #define _GNU_SOURCE 1
       #define X86DECODE_IMPLEMENTATION
       #define X86FLOW_IMPLEMENTATION
       #define X86COPY_IMPLEMENTATION
       #define BINPATCH_IMPLEMENTATION
       #include "x86decode.h"
       #include "x86flow.h"
       #include "x86copy.h"
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
   1. Call binpatch_install early in main, or before main from a preloaded library: no other thread
      may run then. It finds the functions of the executable and its libraries by their unwind
      information, and writes a jump over the entry of each that it fully understands.
   2. The jump leads through a slot, a word of data. A function is copied when it is first called:
      the checking copy has a check at its entry and at its back-edges, where the analysis says that
      one is needed (Equation 3 of bursty-tracing, section 4.1; k-boring loops, section 4.2).
   3. When a burst begins, an instrumented copy is made of the functions that it reaches. It writes
      events into a buffer of the thread, and your action gets them when the burst ends.
   4. binpatch_toggle(0) sends callers to the original code, binpatch_toggle(1) to the copies again.
      binpatch_uninstall also writes the original entries back.
   5. binpatch_flush hands over what the calling thread has recorded. Call it before you read your
      results, and binpatch_leave when a thread ends.

   PROMISES   A program does what it did before: registers, flags, memory and the stack above its
              red zone are its own. What is not understood is not touched; binpatch_get_function
              gives the reason. No malloc; memory comes from mmap. No output. errno is not touched
              while the program runs. It promises nothing to code that reads its own instructions
              or looks its return address up: that sees other addresses, and changing ones. (Where
              the processor checks returns they stay, and short bursts miss calls.) Code without
              unwind information is left alone, as is what dlopen loads later. Exceptions and
              backtraces go through copies if the process asks binpatch_find_copy: interpose
              _dl_find_object (glibc 2.35) and answer from it, as record/patch.c does.
   THREADS    All may run patched code. An action runs on the thread whose events it gets, maybe in
              a signal handler: no locks, no malloc in it. 256 threads at a time have a buffer, more
              are not sampled. A fork shares the copies; each process has its own slots and samples.
   OPTIONS    BINPATCH_IMPLEMENTATION in one file, before the include, together with _GNU_SOURCE and
              behind x86decode.h, x86flow.h and x86copy.h and their implementations (alone the
              header only declares its functions);
              BINPATCH_STATIC makes all functions static.
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
    uint32_t check_count, burst_count;  /* nCheck0, nInstr0: 9900, 100; at most 2^29 */
    int32_t  jitter_percent;            /* of check_count: 12; -1: none */
    int32_t  k_boring;                  /* loops with at most so many operands: 4; -1: none */
    uint32_t events;                    /* ENTRY | EXIT */
    uint32_t seed;
    uint32_t bursts_per_second;         /* of a thread; the gaps follow the clock. 0: they do not */
    int      all_checks;                /* 1: no check is eliminated */
    int      off;                       /* 1: installed, neither armed nor switched on */
    /* Which modules (function is NULL) and which functions of them (name or "")? NULL: the
       executable and all libraries but libc, ld.so and libgcc_s. */
    int    (*want)(void *user, const char *module, const char *function);
    /* Takes the events of a burst, in order; ended: this was the last part of the burst. */
    void   (*action)(void *user, const binpatch_event *events, size_t count, int ended);
    /* A burst begins: the open functions, innermost first, at most 256. The innermost may be about
       to report its ENTRY. */
    void   (*begin)(void *user, const binpatch_frame *frames, size_t count);
    void    *user;
    void (*thread)(void *user); /* NULL, or: on a new thread, at its first check */
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
    uint64_t bias, text_bytes, used_bytes, checking_bytes, instrumented_bytes;
    uint32_t checking_count, instrumented_count;
    uint32_t functions[BINPATCH_REASONS];   /* how many have which reason */
} binpatch_module;

typedef struct binpatch_stats {
    uint64_t bursts, events, lost;      /* lost: records that ran over a full buffer */
    /* Checks of all threads, and how many of them were in bursts; missed: calls that a signal
       handler made while it had interrupted the patcher, or that came while a copy was made. */
    uint64_t checks, burst_checks, missed;
    uint32_t threads, lost_threads, modules;
} binpatch_stats;

/* Patches this process. Returns how many functions; 0: none, and binpatch_reason says why. */
BINPATCH_API uint32_t binpatch_install(const binpatch_config *config);
/* Why the last binpatch_install returned 0; NULL otherwise. */
BINPATCH_API const char *binpatch_reason(void);
/* Sends callers to the copies (1) or to the original code (0). A loop that runs in a copy goes on
   there until it returns; it does not sample. Returns 0, or -1: the entries are as they were, and
   binpatch_arm returned -1. This function and the next two are async-signal-safe. */
BINPATCH_API int binpatch_toggle(int on);
/* Switches off, and writes the original entries back, so that the program costs what it did before.
   Copies stay, for who is still in them. Returns 0, or -1: not installed, or another thread runs,
   and then the entries keep their jumps. */
BINPATCH_API int binpatch_uninstall(void);
/* Writes the jumps over the entries, without switching on: after binpatch_uninstall, or if it was
   installed with config.off. Call it before a second thread starts, for later it is too late.
   Returns 0, or -1: another thread runs, or this is not the stack of the first thread. */
BINPATCH_API int binpatch_arm(void);
/* Hands what the calling thread has recorded to the action. */
BINPATCH_API void binpatch_flush(void);
/* The same, and the calling thread is sampled no more: another one gets its buffer. */
BINPATCH_API void binpatch_leave(void);
BINPATCH_API void binpatch_get_stats(binpatch_stats *out);
/* Function or module of that number, counted from 0. Returns 0, or -1: there are not so many. */
BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out);
BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out);
/* The number of the function that holds a place of a module, or UINT32_MAX. */
BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place);
/* For a timer's signal handler: the functions that are open at the place pc that it interrupted,
   innermost first, with the registers of that moment. Nothing is read from stack_end on. Only
   functions of patched modules are listed. Returns how many, at most max; or UINT32_MAX: the
   patcher itself is at work. */
BINPATCH_API uint32_t binpatch_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     binpatch_frame *frames, uint32_t max);
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

#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__)            \
    && !defined(__TINYC__) && __STDC_HOSTED__
#define BINPATCH_P_SUPPORTED
#endif

#if defined(BINPATCH_P_SUPPORTED) && !defined(X86DECODE_H) && !defined(X86FLOW_H)                  \
    && !defined(X86COPY_H)
/* alone: only the declarations */
#elif defined(BINPATCH_P_SUPPORTED)
#if !defined(X86DECODE_H) || !defined(X86FLOW_H) || !defined(X86COPY_H)
#error "include x86decode.h, x86flow.h and x86copy.h, with implementations, before binpatch.h"
#endif
#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first include of the file with BINPATCH_IMPLEMENTATION"
#endif
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

enum { BINPATCH_P_MODULES = 64, BINPATCH_P_THREADS = 256, BINPATCH_P_RULES = 1024 };
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
    binpatch_p_shared *shared;
    binpatch_p_site *sites;
    binpatch_p_link *links;
    binpatch_p_copy *copies;
    uint32_t sites_max, links_max, copies_max;
    const char *refusal;
} binpatch_p_module;

/* What is known of a return address: how to go on from there, and which function it is in. */
typedef struct binpatch_p_known {
    x86flow_rule rule;
    uint32_t module, place; /* place: ~0, no function to report */
    uint32_t function;      /* the code is its C: 1 + its number; 0: it is no C */
} binpatch_p_known;

typedef struct binpatch_p_thread { /* the words that emitted code touches */
    int32_t n, left;
    uintptr_t position;
    uint32_t live, known, random, nested;
    uint64_t bursts;
    uint64_t burst_ns;           /* with bursts_per_second: when the last one ended, and the gap */
    uint32_t gap;
    uint32_t span, counted; /* checks of this burst or gap, and those of them in the statistics */
    uintptr_t busy, locked; /* how deep the stack was when this thread began to work, to emit */
    uint8_t *buffer;
    binpatch_p_known *rules; /* by return address, BINPATCH_P_RULES many */
} binpatch_p_thread;

static struct {
    binpatch_p_module modules[BINPATCH_P_MODULES];
    binpatch_p_other others[BINPATCH_P_MODULES]; /* all modules, for stacks */
    uint32_t module_count, other_count;
    binpatch_config config;
    int32_t k_boring;
    x86flow_body body;
    x86copy copy;
    uint8_t *buffers;
    binpatch_p_known *rules;
    uint8_t taken[BINPATCH_P_THREADS]; /* buffers in use */
    int installed, on, armed;   /* armed: the jumps are in the text */
    int shadow_stack;           /* the processor checks returns: they stay as they are */
    uint8_t *window;            /* for writing text */
    uint32_t lock;
    const char *reason;
    uint64_t bursts, events, lost, missed, checks, burst_checks, far;
    uint32_t threads, lost_threads, waits, stuck;   /* stuck: who kept a lock for too long */
} binpatch_p;

/* A thread that never took a check may find itself inside an instrumented copy, if a coroutine
   moved there from another thread. It then writes here. */
static uint8_t binpatch_p_nowhere[BINPATCH_P_BUFFER] __attribute__((aligned(65536)));
static __thread binpatch_p_thread binpatch_p_tls __attribute__((tls_model("initial-exec"))) = {
    0, 0, ((uintptr_t)binpatch_p_nowhere), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL};

/* ---- small things ---- */

/* [shared: x86_words] */
static uint64_t binpatch_p_address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}
static const uint8_t *binpatch_p_at(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
}
/* [end shared] */

/* How deep the stack is here. */
static uintptr_t binpatch_p_depth(const void *frame) { return (uintptr_t)frame; }

/* Memory far from all code, if it is free: what is near belongs to copies. file -1: none. */
static void *binpatch_p_map(size_t bytes, int file) {
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    size_t at = __atomic_fetch_add(&binpatch_p.far, (bytes | 4095) + 1, __ATOMIC_RELAXED);
    void *p = mmap((void *)(at + (3ul << 44)), bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    return p == MAP_FAILED ? NULL : p;
}

static int binpatch_p_in_text(const binpatch_p_module *m, uint64_t address) {
    return address >= m->flow.text_lo && address < m->flow.text_hi;
}

/* ---- making copies while the program runs ---- */

/* One thread of one process at a time. Who finds a lock taken waits, for plain code records
   nothing. It waits without system calls, and not for ever: the owner may be a process that was
   killed, and then nobody waits for it again. The scratch memory has a lock of this process, the
   arena one that all processes share it with. A handler that left by longjmp may have abandoned a
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

/* Remembers the calls of a copy that are to be joined when their target has one. */
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

/* Puts what was emitted in its place. Returns the position of the copy, or 0. */
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

/* Emits one copy of the body's function behind what there is. Returns its position, or 0. */
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
    if (x86flow_decode(&binpatch_p.body, &m->flow, &m->flow.functions[number], 0) != 0) return -1;
    x86flow_plan(&binpatch_p.body, binpatch_p.k_boring);
    return 0;
}

/* Makes C of a function. Returns where callers are to go. */
static uint64_t binpatch_p_make_c(binpatch_p_module *m, uint32_t number) {
    x86copy_function *f = &m->copy.functions[number];
    binpatch_p_shared *h = m->shared;
    uint64_t to;
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
    __atomic_store_n(&m->slots[number], to, __ATOMIC_RELEASE);
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

/* ---- the sampler: Figure 3 of bursty-tracing, one word per thread ---- */

static uint32_t binpatch_p_random(binpatch_p_thread *t) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 17;
    t->random ^= t->random << 5;
    return t->random;
}

/* So many bursts a second: if the time since the last one was too long, the next gap is shorter,
   and the other way round, by no more than 8 times at once. */
static uint32_t binpatch_p_follow_clock(binpatch_p_thread *t) {
    uint64_t wanted = 1000000000 / binpatch_p.config.bursts_per_second, now, passed, gap;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    passed = now - t->burst_ns;
    if (!t->burst_ns) t->gap = binpatch_p.config.check_count;
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
    uint32_t gap = binpatch_p.config.check_count, jitter;
    if (gap == BINPATCH_ALWAYS) return 0;
    if (binpatch_p.config.bursts_per_second) gap = binpatch_p_follow_clock(t);
    jitter = (uint32_t)((uint64_t)gap * (uint64_t)binpatch_p.config.jitter_percent / 100);
    if (jitter) gap = gap - jitter + binpatch_p_random(t) % (2 * jitter + 1);
    return (int32_t)gap;
}

/* Hands the buffered events over, but for records that a handler interrupted: their kind is 0. */
static void binpatch_p_flush(binpatch_p_thread *t, int ended) {
    binpatch_event *events = (binpatch_event *)(void *)t->buffer;
    uint32_t count = (uint32_t)(t->position & (BINPATCH_P_BUFFER - 1)) / 16, n, kept = 0;
    enum { LAST = BINPATCH_P_BUFFER / 16 };
    if (!events) return;
    if (events[LAST - 1].what) { /* it ran over: what is older is lost */
        __atomic_fetch_add(&binpatch_p.lost, LAST, __ATOMIC_RELAXED);
        count = LAST;
    }
    while (kept < count && events[kept].what) kept++;
    for (n = kept; n < count; n++)
        if (events[n].what) events[kept++] = events[n];
    t->position = (uintptr_t)t->buffer;
    __atomic_fetch_add(&binpatch_p.events, kept, __ATOMIC_RELAXED);
    if (binpatch_p.config.action && (kept || ended))
        binpatch_p.config.action(binpatch_p.config.user, events, kept, ended);
    memset(events, 0, (size_t)count * sizeof *events);
}

/* What a thread is: not seen yet; seen; counted as one without a buffer; not to be sampled. */
enum { BINPATCH_P_NEW, BINPATCH_P_KNOWN, BINPATCH_P_LOST, BINPATCH_P_QUIET };

/* A thread takes a buffer when its first burst begins, and keeps it until binpatch_leave. */
static int binpatch_p_take_buffer(binpatch_p_thread *t) {
    uint32_t n = 0;
    while (n < BINPATCH_P_THREADS && __atomic_exchange_n(&binpatch_p.taken[n], 1, __ATOMIC_ACQUIRE))
        n++;
    if (n == BINPATCH_P_THREADS) {
        if (t->known != BINPATCH_P_LOST) __atomic_fetch_add(&binpatch_p.lost_threads, 1, 0);
        t->known = BINPATCH_P_LOST;
        return 0;
    }
    t->buffer = binpatch_p.buffers + (size_t)n * BINPATCH_P_BUFFER;
    t->rules = binpatch_p.rules + (size_t)n * BINPATCH_P_RULES;
    t->position = (uintptr_t)t->buffer;
    return 1;
}

/* Counts the checks of the thread's span, of which `left` are still to come. */
static void binpatch_p_count_checks(binpatch_p_thread *t, int32_t left) {
    uint32_t done = t->span ? t->span - (uint32_t)left : 0;
    __atomic_fetch_add(&binpatch_p.checks, done - t->counted, __ATOMIC_RELAXED);
    if (t->live) __atomic_fetch_add(&binpatch_p.burst_checks, done - t->counted, __ATOMIC_RELAXED);
    t->counted = done;
}

/* A gap begins at this check, or a burst, and n or `left` of its checks are still to come. */
static void binpatch_p_begin_span(binpatch_p_thread *t, int live, int32_t n) {
    if (live) __atomic_fetch_add(&binpatch_p.bursts, !t->live, __ATOMIC_RELAXED);
    t->bursts += live && !t->live;
    t->live = (uint32_t)live;
    t->left = live ? n : 0;
    t->n = live ? X86COPY_LIVE : n;
    t->span = (uint32_t)n + 1;
    t->counted = 0;
}

/* A thread begins anywhere in a burst or in the gap behind it. */
static void binpatch_p_first_span(binpatch_p_thread *t) {
    uint32_t gap = binpatch_p.config.check_count, burst = binpatch_p.config.burst_count,
             at = binpatch_p_random(t) % (gap + burst);
    if (!binpatch_p.config.jitter_percent) at = burst + gap - 1;
    if (at >= burst) binpatch_p_begin_span(t, 0, (int32_t)(at - burst));
    else if (t->buffer || binpatch_p_take_buffer(t)) binpatch_p_begin_span(t, 1, (int32_t)at);
}

/* A check of the calling thread that the fast answers do not cover. Returns 1 if a burst is live.
   */
static uint32_t binpatch_p_edge_of_burst(binpatch_p_thread *t) {
    uint32_t burst = binpatch_p.config.burst_count;
    if (t->n == X86COPY_LIVE) { /* inside a burst: full buffer, or I is to be made */
        if ((t->position & (BINPATCH_P_BUFFER - 1)) >= 0xC000) binpatch_p_flush(t, 0);
        return 1;
    }
    if (!t->known) {
        t->known = BINPATCH_P_KNOWN;
        t->random = __atomic_fetch_add(&binpatch_p.threads, 1, __ATOMIC_RELAXED);
        t->random = (binpatch_p.config.seed + t->random) * 2654435761u | 1;
        if (binpatch_p.config.thread) binpatch_p.config.thread(binpatch_p.config.user);
        if (binpatch_p.on && binpatch_p.config.check_count != BINPATCH_ALWAYS)
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
    if (t->live) {
        int32_t gap = binpatch_p_gap(t);
        binpatch_p_flush(t, gap != 0);
        if (gap > 0) {
            binpatch_p_begin_span(t, 0, gap - 1);
            return 0;
        }
    }
    binpatch_p_begin_span(t, 1, (int32_t)burst - 1);
    return 1;
}

/* ---- the stack when a burst begins ---- */

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
        if (pc >= binpatch_p.others[n].lo && pc < binpatch_p.others[n].hi)
            fde = x86flow_find_fde(binpatch_p.others[n].frame_header, pc, &start);
    }
    if (f && f->owner) {
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
        known->rule.pc = pc;
    }
    return known;
}

enum { BINPATCH_P_FRAMES = 256 };

/* A burst begins: what the call that pushed its return address there returns to belongs to it. See
   "returns" in x86copy.h. */
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

/* From a site outwards. At the site of an entry the caller's address is on top of the stack, and
   the function is about to report itself. Returns into C are led to I. */
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
    for (steps = 0; steps < 2 * BINPATCH_P_FRAMES && count < BINPATCH_P_FRAMES && known; steps++) {
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

/* Is a return address believable? It stands behind a call of code that is known. */
static const binpatch_p_known *binpatch_p_caller(uint64_t pc, binpatch_p_known *room) {
    const binpatch_p_thread *t = &binpatch_p_tls;
    if (t->rules) return binpatch_p_known_at(t, pc - 1);
    return binpatch_p_learn(pc - 1, room) == 0 ? room : NULL;
}

enum { BINPATCH_P_EVENT_FRAME = 0x98 };   /* so much lower is the stack where I writes an event */

BINPATCH_API uint32_t binpatch_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     binpatch_frame *frames, uint32_t max) {
    binpatch_p_known room, here, entry = {{0, 8, 0, 7, 0}, 0, ~0u, 0};
    const binpatch_p_known *known = &here, *next;
    uint32_t count = 0, steps;
    if (binpatch_p_tls.busy) return UINT32_MAX;
    /* Stubs have no rule of their own; they stand between a call and its function. */
    if (binpatch_p_learn(pc, &here) != 0) known = &entry;
    for (steps = 0; steps < 1024 && count < max && known; steps++) {
        uint64_t to = pc, sp = rsp, bp = rbp;
        if (x86flow_step_inside(&known->rule, &to, &sp, &bp, stack_end) != 0) break;
        next = binpatch_p_caller(to, &room);
        if (!next && steps == 0 && known->rule.reg == 7) {
            to = pc;
            sp = rsp + BINPATCH_P_EVENT_FRAME;
            bp = rbp;
            if (x86flow_step_inside(&known->rule, &to, &sp, &bp, stack_end) == 0)
                next = binpatch_p_caller(to, &room);
        }
        if (known->place != ~0u) {
            frames[count].stack = sp - 8;
            frames[count].module = known->module;
            frames[count++].place = known->place;
        }
        if (next == &room) {
            here = room;
            next = &here;
        }
        known = next;
        pc = to;
        rsp = sp;
        rbp = bp;
    }
    if (!steps && known && known->place != ~0u && max) {    /* no stack: the function at least */
        frames[0].stack = rsp;
        frames[0].module = known->module;
        frames[0].place = known->place;
        count = 1;
    }
    return count;
}

/* The emitted code comes here with what it pushed, a site or a function to be made, and with where
   it saved the registers. */
static uint64_t binpatch_p_heavy(uint64_t code, void *user, const uint64_t *saved) {
    binpatch_p_module *m = (binpatch_p_module *)user;
    binpatch_p_thread *t = &binpatch_p_tls;
    uint32_t number = (uint32_t)code & X86COPY_NUMBER;
    uintptr_t depth = binpatch_p_depth(__builtin_frame_address(0));
    const x86copy_function *f = &m->copy.functions[number];
    uint64_t answer = 0, bursts = t->bursts;
    int refused = !binpatch_p.installed;
    /* A signal handler inside of us gets no burst. If this goes on for ever, it was none: a handler
       left us by longjmp, and the stack is deeper now than it was then. */
    if (t->busy && depth < t->busy && t->nested++ < 65536) refused = 1;
    if (refused && binpatch_p.on) __atomic_fetch_add(&binpatch_p.missed, 1, __ATOMIC_RELAXED);
    if (code & X86COPY_MAKE_C && refused) return m->copy.rx + f->plain_at;
    if (code & X86COPY_MAKE_I && refused) return m->copy.rx + f->t_at;
    if (refused) return 0;
    t->nested = 0;
    t->busy = depth;
    if (code & X86COPY_MAKE_C)
        answer = binpatch_p_make_c(m, number);
    else if (code & X86COPY_MAKE_I) {
        answer = binpatch_p_make_i(m, number);
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
        }
    }
    t->busy = 0;
    return answer;
}

/* ---- modules of this process ---- */

static int binpatch_p_each_module(struct dl_phdr_info *info, size_t size, void *user) {
    binpatch_p_module *m = &binpatch_p.modules[binpatch_p.module_count];
    x86flow_module *flow = &m->flow;
    uint64_t own = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_each_module);
    const char *path = info->dlpi_name ? info->dlpi_name : "", *base;
    int n, own_module = 0, first = binpatch_p.module_count == 0 && !*path;
    (void)size;
    (void)user;
    if (binpatch_p.module_count == BINPATCH_P_MODULES) return 1;
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
        if (!(p->p_flags & PF_X)) continue;
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
    if (!strncmp(base, "ld-linux", 8) || !strncmp(base, "linux-vdso", 10)) return 0;
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
} binpatch_p_dynamic;

/* DT_GNU_HASH does not say how many symbols there are: the end of the last chain does. */
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

/* Calls of a module's own exported functions go through its GOT. If the name means the module's own
   function to the whole process, too, copies call it directly. */
static void binpatch_p_bind(binpatch_p_module *m, const binpatch_p_dynamic *y) {
    x86copy_bound *bound;
    size_t part, n, max = y->rela_count[0] + y->rela_count[1];
    m->copy.bound_count = 0;
    bound = (x86copy_bound *)binpatch_p_map((max + 1) * sizeof *bound, -1);
    m->copy.bound = bound;
    for (part = 0; bound && part < 2; part++) {
        for (n = 0; y->rela[part] && n < y->rela_count[part]; n++) {
            const Elf64_Rela *r = &y->rela[part][n];
            const Elf64_Sym *symbol = &y->symbols[r->r_info >> 32];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            uint64_t slot = m->flow.bias + r->r_offset, at = m->flow.bias + symbol->st_value;
            const x86flow_function *f;
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
            if (!symbol->st_shndx || (symbol->st_info & 15) != STT_FUNC) continue;
            f = x86flow_function_at(&m->flow, at);
            if (!f || f->lo != at) continue;
            if (dlsym(RTLD_DEFAULT, y->names + symbol->st_name) != (const void *)binpatch_p_at(at))
                continue;
            x86copy_bind(&m->copy, bound, slot, (uint32_t)(f - m->flow.functions));
        }
    }
}

/* Exported functions may be called by anybody; their names serve the filter. So may those whose
   addresses stand in data. */
static void binpatch_p_read_dynamic(binpatch_p_module *m, x86flow_graph *g) {
    binpatch_p_dynamic y;
    size_t n, part;
    if (binpatch_p_open_dynamic(m, &y) != 0) return;
    for (n = 0; n < y.count; n++) {
        unsigned type = y.symbols[n].st_info & 15;
        uint64_t at = m->flow.bias + y.symbols[n].st_value;
        x86flow_function *f;
        if (!y.symbols[n].st_shndx) continue;
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
        x86flow_take(g, &m->flow, at);
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at && !f->name) f->name = y.names + y.symbols[n].st_name;
    }
    binpatch_p_bind(m, &y);
    for (part = 0; part < 2; part++) {
        for (n = 0; y.rela[part] && n < y.rela_count[part]; n++) {
            const Elf64_Rela *r = &y.rela[part][n];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            if (type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE)
                x86flow_take(g, &m->flow, m->flow.bias + (uint64_t)r->r_addend);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
            x86copy_note_import(&m->copy, y.names + y.symbols[r->r_info >> 32].st_name,
                                m->flow.bias + r->r_offset);
        }
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
    if (binpatch_p_open_file(*m->path ? m->path : "/proc/self/exe", &file) != 0) return;
    for (n = 0; n < file.count; n++) {
        const Elf64_Shdr *h = &file.sections[n];
        const char *name = h->sh_name < file.names_size ? file.names + h->sh_name : "";
        if (h->sh_type == SHT_SYMTAB) binpatch_p_read_symbols(m, &file, h);
        if (strncmp(name, ".plt", 4) && strcmp(name, ".init") && strcmp(name, ".fini")) continue;
        for (k = 0; k < m->flow.count; k++) {
            x86flow_function *f = &m->flow.functions[k];
            if (f->lo - m->flow.bias - h->sh_addr < h->sh_size) f->reason = BINPATCH_STARTUP;
        }
    }
}

static int binpatch_p_list_functions(binpatch_p_module *m) {
    uint32_t max = x86flow_list_functions(&m->flow, NULL, 0), n, largest[2] = {0, 0};
    x86flow_function *functions;
    m->refusal = "no .eh_frame_hdr";
    if (!max) return -1;
    m->refusal = "no memory";
    functions = (x86flow_function *)binpatch_p_map((size_t)max * sizeof *functions, -1);
    if (!functions) return -1;
    m->refusal = "no functions in .eh_frame";
    if (!x86flow_list_functions(&m->flow, functions, max)) return -1;
    m->refusal = NULL;
    for (n = 0; n < m->flow.count; n++) {
        int part = (functions[n].flags & X86FLOW_FRAGMENT) != 0;
        if (functions[n].size > largest[part]) largest[part] = functions[n].size;
    }
    return (int)(largest[0] + largest[1]);
}

/* ---- room within reach of the module ---- */

/* Below the module, or above a program that stands at a fixed low address: its heap grows behind
   it. Every distance in between must fit into 32 bits. */
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

static int binpatch_p_open_region(binpatch_p_module *m) {
    size_t text = (size_t)(m->flow.text_hi - m->flow.text_lo), slots, tables, page = 4096;
    size_t count = m->flow.count;
    uint8_t *p;
    int file;
    m->code_bytes = (text * 24 + (1u << 21)) & ~(page - 1);
    if (m->code_bytes > 0x20000000) m->code_bytes = 0x20000000;
    m->sites_max = (uint32_t)(text / 12 + 1024);
    m->links_max = (uint32_t)(text / 8 + 1024);
    m->copies_max = (uint32_t)(2 * count + 2);
    slots = ((count + m->sites_max) * 8 + page - 1) & ~(page - 1);
    tables = sizeof *m->shared + count * sizeof *m->copy.functions + m->sites_max * sizeof *m->sites
             + m->links_max * sizeof *m->links + m->copies_max * sizeof *m->copies;
    tables = (tables + 64 + page - 1) & ~(page - 1);
    m->file_bytes = m->code_bytes + tables;
    m->refusal = "no space in reach";
    p = binpatch_p_find_room(&m->flow, slots + m->code_bytes);
    if (!p) return -1;
    m->refusal = "no memory for code";
    file = (int)syscall(SYS_memfd_create, "binpatch", 0x10 | 1); /* MFD_EXEC, MFD_CLOEXEC */
    if (file < 0) file = (int)syscall(SYS_memfd_create, "binpatch", 1);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)m->file_bytes) != 0) {
        close(file);
        return -1;
    }
    m->rx = (uint8_t *)mmap(p + slots, m->code_bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED,
                            file, 0);
    m->rw = (uint8_t *)binpatch_p_map(m->file_bytes, file);
    close(file);
    if (m->rx == (uint8_t *)MAP_FAILED || !m->rw) return -1;
    if (mprotect(p, slots, PROT_READ | PROT_WRITE) != 0) return -1;
    m->slots = (uint64_t *)(void *)p;
    m->site_slots = m->slots + count;
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
    m->copy.offset_n = (int32_t)(binpatch_p_address(&t->n) - thread);
    m->copy.offset_left = (int32_t)(binpatch_p_address(&t->left) - thread);
    m->copy.offset_position = (int32_t)(binpatch_p_address(&t->position) - thread);
    x86copy_find_xsave(&m->copy);
    m->copy.heavy = binpatch_p_heavy;
    m->copy.user = m;
}

/* ---- installation ---- */

static int binpatch_p_open_scratch(size_t largest) {
    x86flow_body *b = &binpatch_p.body;
    size_t bytes = x86flow_body_init(b, NULL, 0, largest);
    void *memory = binpatch_p_map(bytes, -1);
    if (!memory || !x86flow_body_init(b, memory, bytes, largest)) return -1;
    bytes = x86copy_init(&binpatch_p.copy, b, NULL, 0);
    memory = binpatch_p_map(bytes, -1);
    return memory && x86copy_init(&binpatch_p.copy, b, memory, bytes) ? 0 : -1;
}

/* Does anything but the function's callers need what the jump would overwrite? Returns a reason, or
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

/* A leaf without a check, whose loops are boring: its checking copy would be as it is itself. So
   copies call the original, and its entry is not patched. Its first instructions are in the body
   then. */
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
        else if (binpatch_p_is_bare(m, f, n))
            m->copy.functions[n].bare = 1;
        else
            f->reason = (uint8_t)binpatch_p_check_entry(m, g, f);
        if (f->reason) continue;
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
        for (k = 0; k < sizeof f->saved && f->patch_at + k < f->size + f->pad; k++)
            f->saved[k] = binpatch_p_at(f->lo + f->patch_at)[k];
        f->patched = 1;
    }
    for (n = 0; n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        if (f->patched && f->part) m->flow.functions[f->part - 1].reason = BINPATCH_PART;
    }
}

/* Text that is being changed: what stands there, and over it the jumps. /proc/self/mem writes where
   text may not be made writable; if there is none, mprotect must do. */
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

static int binpatch_p_write_text(binpatch_p_module *m, int restore) {
    binpatch_p_window w;
    uint32_t n;
    uint64_t lo = m->flow.text_lo & ~UINT64_C(4095);
    int bad = 0;
    memset(&w, 0, sizeof w);
    w.file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    w.bytes = binpatch_p.window;
    w.max = BINPATCH_P_WINDOW;
    for (n = 0; n < m->flow.count && !bad; n++) {
        x86flow_function *f = &m->flow.functions[n];
        uint64_t at = f->lo + f->patch_at, end = w.lo + w.size;
        uint32_t d = (uint32_t)(m->copy.rx + m->copy.functions[n].t_at - (at + 5));
        if (!f->patched || m->copy.functions[n].bare) continue;
        if (!restore && m->copy.functions[n].held) continue;
        if (!w.size || at + 5 - w.lo > w.max || at - end > 4096) {
            bad = binpatch_p_write_window(&w, m);
            w.lo = end = at;
            w.size = 0;
        }
        memcpy(w.bytes + w.size, binpatch_p_at(end), (size_t)(at - end));
        w.bytes[at - w.lo] = 0xE9;
        memcpy(w.bytes + (at - w.lo) + 1, &d, 4);
        if (restore) memcpy(w.bytes + (at - w.lo), f->saved, 5);
        w.size = (uint32_t)(at + 5 - w.lo);
    }
    if (!bad) bad = binpatch_p_write_window(&w, m);
    if (w.opened)
        (void)mprotect((void *)(uintptr_t)lo, (size_t)(m->flow.text_hi - lo),
                       PROT_READ | PROT_EXEC);
    if (w.file >= 0) close(w.file);
    return bad;
}

/* The patcher cannot be patched: what emitted code calls must not come to emitted code before it
   has noted that it is at work. So what binpatch_p_heavy reaches by direct calls is left alone. */
static void binpatch_p_leave_out_own(binpatch_p_module *m, const x86flow_graph *g) {
    uint64_t heavy = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_heavy);
    x86flow_leave_out(&m->flow, g, heavy, BINPATCH_OWN);
}

/* Reads every function once, and decides who is patched and who has a check. */
static void binpatch_p_survey(binpatch_p_module *m, x86flow_graph *g) {
    const binpatch_config *c = &binpatch_p.config;
    uint32_t k;
    binpatch_p_read_dynamic(m, g);
    binpatch_p_read_file(m);
    for (k = 0; k < m->flow.count; k++) {
        x86flow_function *f = &m->flow.functions[k];
        if (!f->reason && c->want && !(f->flags & X86FLOW_FRAGMENT)
            && !c->want(c->user, m->path, f->name ? f->name : ""))
            f->reason = BINPATCH_FILTERED;
        (void)x86flow_survey(&binpatch_p.body, g, &m->flow, k);
    }
    x86flow_touch_tables(g, &m->flow);
    binpatch_p_leave_out_own(m, g);
}

static int binpatch_p_analyse(binpatch_p_module *m) {
    size_t bytes = x86flow_graph_bytes(&m->flow), more;
    x86flow_graph g;
    void *memory = binpatch_p_map(bytes, -1), *scratch;
    uint32_t k;
    m->refusal = "no memory";
    if (!memory) return -1;
    x86flow_graph_init(&g, &m->flow, memory);
    binpatch_p_survey(m, &g);
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
    m->refusal = NULL;
    /* m->flow.named stands first in that memory; the rest is given back. */
    k = (g.named_count * (uint32_t)sizeof *g.named + 4095u) & ~4095u;
    if (k < bytes) munmap((uint8_t *)memory + k, bytes - k);
    return 0;
}

/* The folder has a link for each thread, one for "." and one for "..". */
static uint32_t binpatch_p_count_threads(void) {
    struct stat s;
    if (stat("/proc/self/task", &s) != 0 || s.st_nlink < 3) return 1;
    return (uint32_t)s.st_nlink - 2;
}

/* Signal handlers may be at work, who interrupted an entry behind its first instruction. Such an
   entry is not patched now: the code would go on in the middle of the jump. The interrupted place
   stands on the stack, so that every word of the stack is looked at. Returns 0, or -1: this is
   not the stack of the first thread, and its end is not known. */
static int binpatch_p_hold_entries(void) {
    uint64_t end = (uint64_t)getauxval(AT_RANDOM) & ~UINT64_C(7), at;
    uint32_t n, k;
    at = binpatch_p_depth(__builtin_frame_address(0)) & ~UINT64_C(7);
    if (at >= end || end - at > (1u << 26)) return -1;
    for (n = 0; n < binpatch_p.module_count; n++) {
        const binpatch_p_module *m = &binpatch_p.modules[n];
        for (k = 0; !m->refusal && k < m->flow.count; k++) m->copy.functions[k].held = 0;
    }
    for (; at < end; at += 8) {
        uint64_t word = *(const uint64_t *)(const void *)binpatch_p_at(at);
        for (n = 0; n < binpatch_p.module_count; n++) {
            const binpatch_p_module *m = &binpatch_p.modules[n];
            const x86flow_function *f;
            if (m->refusal || !binpatch_p_in_text(m, word)) continue;
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
    if (!c->check_count) c->check_count = 9900;
    if (!c->burst_count) c->burst_count = 100;
    if (!c->jitter_percent) c->jitter_percent = 12;
    if (c->jitter_percent < 0) c->jitter_percent = 0;
    if (!c->events) c->events = BINPATCH_ENTRY | BINPATCH_EXIT;
    if (c->check_count == BINPATCH_ALWAYS) c->burst_count = 1u << 29;
    binpatch_p.k_boring = c->k_boring == 0 ? 4 : c->k_boring;
    if (c->all_checks) binpatch_p.k_boring = -1;
    if (c->check_count > (1u << 29) && c->check_count != BINPATCH_ALWAYS) return -1;
    return c->burst_count > (1u << 29) || c->jitter_percent > 100 ? -1 : 0;
}

static int binpatch_p_open_buffers(void) {
    size_t bytes = (size_t)(BINPATCH_P_THREADS + 1) * BINPATCH_P_BUFFER,
           mask = BINPATCH_P_BUFFER - 1;
    uint8_t *p = (uint8_t *)binpatch_p_map(bytes, -1);
    bytes = (size_t)BINPATCH_P_THREADS * BINPATCH_P_RULES * sizeof *binpatch_p.rules;
    binpatch_p.rules = (binpatch_p_known *)binpatch_p_map(bytes, -1);
    binpatch_p.window = (uint8_t *)binpatch_p_map(BINPATCH_P_WINDOW, -1);
    if (!p || !binpatch_p.rules || !binpatch_p.window) return -1;
    binpatch_p.buffers = p + (BINPATCH_P_BUFFER - ((uintptr_t)p & mask));
    return 0;
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

BINPATCH_API uint32_t binpatch_install(const binpatch_config *config) {
    uint32_t n, patched = 0;
    uint64_t shadow = 0;
    int largest = 0;
    binpatch_p.reason = "already installed";
    if (binpatch_p.installed) return 0;
    memset(&binpatch_p, 0, sizeof binpatch_p);
    binpatch_p.reason = "a setting is out of range";
    if (binpatch_p_configure(config) != 0) return 0;
    binpatch_p.reason = "another thread runs";
    if (binpatch_p_count_threads() > 1) return 0;
    binpatch_p.reason = "no memory";
    if (syscall(SYS_arch_prctl, 0x5005, &shadow) == 0) /* ARCH_SHSTK_STATUS */
        binpatch_p.shadow_stack = (shadow & 1) != 0;
    if (binpatch_p_open_buffers() != 0) return 0;
    dl_iterate_phdr(binpatch_p_each_module, NULL);
    for (n = 0; n < binpatch_p.module_count; n++) {
        int size = binpatch_p_list_functions(&binpatch_p.modules[n]);
        if (size > largest) largest = size;
    }
    binpatch_p.reason = "no function has unwind information";
    if (!largest) return 0;
    binpatch_p.reason = "no memory";
    if (binpatch_p_open_scratch((size_t)largest < 1u << 21 ? (size_t)largest : 1u << 21) != 0)
        return 0;
    for (n = 0; n < binpatch_p.module_count; n++)
        patched += binpatch_p_patch(&binpatch_p.modules[n]);
    if (!patched) return 0;
    binpatch_p.reason = NULL;
    binpatch_p.installed = 1;
    binpatch_p.armed = !binpatch_p.config.off;
    (void)binpatch_toggle(!binpatch_p.config.off);
    return patched;
}

BINPATCH_API int binpatch_arm(void) {
    uint32_t n;
    if (binpatch_p.armed) return 0;
    if (!binpatch_p.installed || binpatch_p_count_threads() > 1) return -1;
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
    if (t->busy) return;
    t->busy = binpatch_p_depth(__builtin_frame_address(0));
    binpatch_p_count_checks(t, t->live ? t->left : t->n);
    binpatch_p_flush(t, 1);
    t->busy = 0;
}

BINPATCH_API void binpatch_leave(void) {
    binpatch_p_thread *t = &binpatch_p_tls;
    size_t at = t->buffer ? (size_t)(t->buffer - binpatch_p.buffers) : 0;
    uint8_t *taken = t->buffer ? &binpatch_p.taken[at / BINPATCH_P_BUFFER] : NULL;
    t->busy = 0;
    binpatch_flush();
    t->known = BINPATCH_P_QUIET;
    t->buffer = NULL;
    t->rules = NULL;
    t->position = (uintptr_t)binpatch_p_nowhere;
    t->live = 0;
    t->left = 0;
    t->span = 0;
    t->counted = 0;
    t->n = 65536;
    if (taken) __atomic_store_n(taken, 0, __ATOMIC_RELEASE);
}

BINPATCH_API const char *binpatch_reason(void) { return binpatch_p.reason; }

BINPATCH_API const char *binpatch_reason_text(int reason) {
    static const char *const text[BINPATCH_REASONS] = {
        "patched", "undecodable", "branch into an instruction", "transaction (xbegin)",
        "calls into itself", "startup", "odd unwind information", "no room for the jump",
        "flags are live at the entry", "too large", "filtered",
        "part of another function, left as it is", "part of the patcher",
        "part of another function, copied with it"};
    return reason >= 0 && reason < BINPATCH_REASONS ? text[reason] : "unknown";
}

BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out) {
    uint32_t n;
    for (n = 0; n < binpatch_p.module_count; n++) {
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
    uint32_t n, before = 0;
    for (n = 0; n < module && n < binpatch_p.module_count; n++)
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
    out->text_bytes = m->flow.text_hi - m->flow.text_lo;
    for (n = 0; n < m->flow.count; n++) out->functions[m->flow.functions[n].reason]++;
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
    out->missed = __atomic_load_n(&binpatch_p.missed, __ATOMIC_RELAXED);
    out->checks = __atomic_load_n(&binpatch_p.checks, __ATOMIC_RELAXED);
    out->burst_checks = __atomic_load_n(&binpatch_p.burst_checks, __ATOMIC_RELAXED);
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

BINPATCH_API uint32_t binpatch_install(const binpatch_config *config) { return (void)config, 0; }
BINPATCH_API const char *binpatch_reason(void) { return "not supported on this system"; }
BINPATCH_API int binpatch_toggle(int on) { return (void)on, -1; }
BINPATCH_API int binpatch_arm(void) { return -1; }
BINPATCH_API int binpatch_uninstall(void) { return -1; }
BINPATCH_API void binpatch_flush(void) {}
BINPATCH_API void binpatch_leave(void) {}
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
BINPATCH_API const char *binpatch_reason_text(int reason) { return (void)reason, "unknown"; }
BINPATCH_API const void *binpatch_find_copy(const void *pc, const void **start, const void **end) {
    (void)pc, (void)start, (void)end;
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
