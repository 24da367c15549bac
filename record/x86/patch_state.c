/* ---- patching: what memory looks like ---- */
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

enum { X86_P_MODULES = 256, X86_P_THREADS = 256, X86_P_RULES = 1024 };
enum { X86_P_ROOMS = 64 };
enum { X86_P_BUFFER = 65536, X86_P_WINDOW = 65536, X86_P_PATIENCE = 1 << 24 };

typedef struct x86_p_site {
    uint32_t function, i_at;
    uint32_t offset; /* of the instruction */
    uint32_t flags;  /* 1: they were pushed before the site was */
    uint32_t entry;  /* 1: the check of the entry */
} x86_p_site;

typedef struct x86_p_link {
    uint32_t at, next;
} x86_p_link;

typedef struct x86_p_copy {
    uint32_t at, size, header, function;
} x86_p_copy;

typedef struct x86_p_own_slot {    /* a slot of the GOT that leads back into its module */
    uint64_t slot, to;
} x86_p_own_slot;

typedef struct x86_p_other {
    uint64_t lo, hi;
    const uint8_t *frame_header;
} x86_p_other;

typedef struct x86_p_shared { /* lies in the memfd */
    uint32_t lock, used, sites, links, copies;
    uint64_t bytes_c, bytes_i, functions_c, functions_i;
} x86_p_shared;

typedef struct x86_p_module {
    x86flow_module flow;
    x86copy_module copy;
    const char *path;
    const Elf64_Dyn *dynamic;
    uint8_t *rx, *rw;
    size_t code_bytes, file_bytes;
    uint64_t *slots, *site_slots; /* per function, per site */
    uint64_t *aways;              /* per function: what its slot is when code changes */
    x86_p_shared *shared;
    x86_p_site *sites;
    x86_p_link *links;
    x86_p_copy *copies;
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
    x86_p_own_slot *own_slots; /* of the GOT; NULL: not yet looked for */
    uint32_t own_slot_count;
    uint64_t key;                 /* see x86_p_key_of; 0: there is none */
    uint32_t reasons[X86_REASONS];     /* how many functions have which, if counted */
    int counted;
    int has_symbols;              /* its file has names that do not stand in memory */
    int known;                    /* an earlier run found out all that stands in flow */
    uint64_t *known_labels;       /* those that were patched then, in rising order */
    uint32_t known_label_count;
} x86_p_module;

/* What is known of a return address: how to go on from there, and which
   function it is in. */
typedef struct x86_p_known {
    x86flow_rule rule;
    uint32_t module, place; /* place: ~0, no function to report */
    uint32_t function;      /* the code is its C: 1 + its number; 0: it is no C */
} x86_p_known;

/* What X86_P_THREADS threads at a time need. The first room is opened at the
   start, each other one when all before it are full. */
typedef struct x86_p_room {
    uint32_t state;             /* 0: not open; 1: it is being opened; 2: open; 3: no memory */
    uint8_t *buffers;
    x86_p_known *rules;
    uint8_t taken[X86_P_THREADS];  /* buffers in use */
} x86_p_room;

typedef struct x86_p_thread { /* the words that emitted code touches */
    int32_t n, left;
    uintptr_t position, claim;  /* claim: the buffer + 16 */
    uint32_t live, known, random, nested;
    uint64_t bursts;
    uint64_t burst_ns;           /* with bursts_per_second: when the last one ended, and the gap */
    uint32_t gap;
    uint32_t span, counted; /* checks of this burst or gap, and those of them in the statistics */
    uint32_t behind;         /* with halves: checks of the burst behind its middle, or 0 */
    uint32_t weight;         /* of each check of the burst */
    uintptr_t busy, locked; /* how deep the stack was when this thread began to work, to emit */
    uint64_t held;           /* its signal mask, while it is at work here */
    uint8_t *buffer, *taken; /* taken: its word in the room */
    x86_p_known *rules; /* by return address, X86_P_RULES many */
} x86_p_thread;

static struct {
    x86_p_module modules[X86_P_MODULES];
    x86_p_other others[X86_P_MODULES]; /* all modules, for stacks */
    uint32_t module_count, other_count, modules_left;
    x86_config config;
    int32_t k_boring;
    x86flow_body body;
    x86copy copy;
    x86_p_room rooms[X86_P_ROOMS];
    int installed, on, armed;   /* armed: the jumps are in the text */
    int shadow_stack;           /* the processor checks returns: they stay as they are */
    uint8_t *window;            /* for writing text */
    uint32_t lock;
    uint32_t filters;           /* functions that forbid system calls */
    uint32_t changed;           /* functions whose code the program has made writable */
    int no_calls;               /* x86_forbid_calls */
    int writing;                /* we write text just now */
    int looks;                  /* nothing is patched but hooks: config.no_patches */
    x86_hook_fn hook;      /* who is told of entries and exits, or NULL */
    uint32_t ends[X86_P_MODULES];  /* of the modules from the start: functions up to there */
    uint32_t first_count, late_lock;    /* modules from the start; who adds one */
    uint64_t own_sum;                   /* of the code that this is itself; 0: not yet made */
    uint32_t recalled;                  /* modules that an earlier run knew */
    uint32_t xsave_bytes, xsave_mask;   /* of this processor; 0 bytes: not yet asked */
    const char *reason;
    uint64_t bursts, broken, events, lost, missed, checks, burst_checks, far;
    uint32_t threads, lost_threads, waits, stuck;   /* stuck: who kept a lock for too long */
} x86_p;

/* A thread that never took a check may find itself inside an instrumented copy,
   if a coroutine moved there from another thread. It then writes here. */
static uint8_t x86_p_nowhere[X86_P_BUFFER] __attribute__((aligned(65536)));
static __thread x86_p_thread x86_p_tls __attribute__((tls_model("initial-exec"))) = {
    0, 0, ((uintptr_t)x86_p_nowhere), ((uintptr_t)x86_p_nowhere + 16),
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL};

/* The thread writes its next events to this buffer. Those that it holds are lost. */
static void x86_p_write_to(x86_p_thread *t, uint8_t *buffer) {
    t->position = (uintptr_t)buffer;
    t->claim = t->position + 16;
}

/* How deep the stack is here. */
static uintptr_t x86_p_depth(const void *frame) { return (uintptr_t)frame; }

/* A signal handler may leave by siglongjmp, whatever it has interrupted. So all
   signals wait while a thread is at work here, but for those that an instruction
   causes. Five system calls for a burst, two for a copy that is made. */
static uint64_t x86_p_call(uint64_t number, uint64_t a, uint64_t b, uint64_t c) {
    register uint64_t bytes __asm__("r10") = 8;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(bytes)
                     : "rcx", "r11", "memory");
    return number;
}
static uint64_t x86_p_mask(uint64_t how, uint64_t mask) {
    uint64_t before = 0;
    (void)x86_p_call(SYS_rt_sigprocmask, how, x86_p_address(&mask),
                          x86_p_address(&before));
    return before;
}
/* The signals that have come meanwhile. */
static uint64_t x86_p_waiting(void) {
    uint64_t waiting = 0;
    if (!x86_p.no_calls)
        (void)x86_p_call(SYS_rt_sigpending, x86_p_address(&waiting), 8, 0);
    return waiting;
}
/* ILL, TRAP, BUS, FPE, SEGV and SYS; KILL and STOP */
#define X86_P_AT_ONCE UINT64_C(0x400004D8)
#define X86_P_NEVER UINT64_C(0x40100)
static uint64_t x86_p_hold(void) {
    if (x86_p.no_calls) return 0;
    return x86_p_mask(0, ~X86_P_AT_ONCE);                                /* SIG_BLOCK */
}
static void x86_p_release(uint64_t held) {
    if (!x86_p.no_calls) (void)x86_p_mask(2, held);                      /* SIG_SETMASK */
}

enum { X86_P_NOTED_BARE = 1, X86_P_NOTED_THREADED = 2 };   /* x86flow_function.noted */

/* Memory far from all code, if it is free: what is near belongs to copies. file
   -1: none. */
static void *x86_p_map(size_t bytes, int file) {
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    size_t at = __atomic_fetch_add(&x86_p.far, (bytes | 4095) + 1, __ATOMIC_RELAXED);
    void *p = mmap((void *)(at + (3ul << 44)), bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Returns 1, or 0: there is no memory. */
static int x86_p_open_room(x86_p_room *room) {
    size_t mask = X86_P_BUFFER - 1,
           bytes = (size_t)X86_P_THREADS * X86_P_RULES * sizeof *room->rules;
    uint32_t turns, state = 0;
    uint8_t *p;
    if (__atomic_compare_exchange_n(&room->state, &state, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        p = x86_p.no_calls ? NULL
                                : (uint8_t *)x86_p_map(
                                      (size_t)(X86_P_THREADS + 1) * X86_P_BUFFER, -1);
        room->rules = p ? (x86_p_known *)x86_p_map(bytes, -1) : NULL;
        if (room->rules) room->buffers = p + (X86_P_BUFFER - ((uintptr_t)p & mask));
        state = room->rules ? 2 : 3;
        __atomic_store_n(&room->state, state, __ATOMIC_RELEASE);
    }
    for (turns = 0; state == 1 && turns < X86_P_PATIENCE; turns++) {
        __builtin_ia32_pause();
        state = __atomic_load_n(&room->state, __ATOMIC_ACQUIRE);
    }
    return state == 2;
}

static int x86_p_in_text(const x86_p_module *m, uint64_t address) {
    return address >= m->flow.text_lo && address < m->flow.text_hi;
}
