/* ---- this process: patched, sampled, switched ---- */

enum {                          /* kinds of events: bits of config.events and of event.what */
    X86_ENTRY  = 1,        /* of a function; value: the stack pointer, which names the frame */
    X86_EXIT   = 2,        /* by return or tail jump; value: the same */
    X86_CALL   = 4,        /* before a call instruction; value: the stack pointer */
    X86_BLOCK  = 8,        /* a basic block begins; value: its address */
    X86_LOAD   = 16,  /* value: the address. LOAD and STORE together: read, then written */
    X86_STORE  = 32,
    X86_REPEAT = 64,       /* never asked for: the next one or two events repeat value times */
    X86_STACK  = 128  /* config only: push, pop, call and leave are loads and stores too */
};

/* place: of ENTRY and EXIT the function, of others the instruction; an offset
   from the module's bias. */
typedef struct x86_event { uint64_t value; uint32_t what, place; } x86_event;
#define X86_BYTES(what)  ((what) >> 8 & 0xFFF)  /* size of the operand, 0: not known */
#define X86_MODULE(what) ((what) >> 24)                    /* number of the module */

/* A function that is open: place as in ENTRY, stack as the value of its ENTRY
   would be. */
typedef struct x86_frame { uint64_t stack; uint32_t module, place; } x86_frame;
enum { X86_FRAMES = 2048 };

#define X86_ALWAYS UINT32_MAX  /* as every: one burst that never ends, the full trace */
enum { X86_MIDDLE = 2 };

typedef struct x86_config {        /* every zero is a default */
    uint32_t every, burst;  /* nCheck0, nInstr0: 9900, 100; at most 2^29 */
    int32_t  jitter;            /* of every: 12; -1: none */
    int32_t  k_boring;                  /* loops with at most so many operands: 4; -1: none */
    uint32_t events;                    /* ENTRY | EXIT */
    uint32_t seed;          /* 0 draws one for this process: x86_stats.seed */
    uint32_t bursts_per_second;         /* of a thread; the gaps follow the clock. 0: they do not */
    int      all_checks;                /* 1: no check is eliminated */
    int      halves;            /* 1: the action hears when half of a burst's checks are done */
    int      off;                       /* 1: installed, neither armed nor switched on */
    int      no_patches;        /* 1: nothing is patched but what x86_hook is given.
                                   x86_stack and names are there */
    /* Which modules (function is NULL) and which functions of them (name or
       "")? NULL: the executable and all libraries but libc, ld.so and
       libgcc_s. */
    int    (*want)(void *user, const char *module, const char *function);
    /* Takes the events of a burst, in order; ended: this was the last part of
       the burst. With halves, X86_MIDDLE: the last one in front of its middle. */
    void   (*action)(void *user, const x86_event *events, size_t count, int ended);
    /* A burst begins: the open functions, innermost first. If they are
       X86_FRAMES, there may be more around them. The innermost may be about
       to report its ENTRY. Returns as how many each check of the burst counts
       in x86_stats.burst_checks, 1 or more; 0: the burst is left out. */
    uint32_t (*begin)(void *user, const x86_frame *frames, size_t count);
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
} x86_config;

enum {                          /* why a function is not patched; x86_reason_text says it */
    X86_PATCHED = 0,
    X86_UNDECODABLE, X86_INTO_INSTRUCTION, X86_TRANSACTION,  /* what the code is */
    X86_CALLS_ITSELF, X86_STARTUP,
    X86_UNWIND,            /* its unwind information is of an unusual form */
    X86_NO_ROOM,           /* it is too short, or something jumps into its first five bytes */
    X86_FLAGS, X86_TOO_LARGE,
    X86_FILTERED,          /* config.want said no */
    X86_FRAGMENT,          /* a part (.cold) of a function that is not known or not patched */
    X86_OWN, X86_PART, /* PART: it belongs to a patched function and is copied with it */
    X86_LOOKED_UP,         /* the program has a table of its return addresses */
    X86_REASONS
};

typedef struct x86_function {
    const char *path, *name;            /* name: NULL if no symbol tells */
    uint64_t address;
    uint32_t module, offset, size;
    int reason, checked, copies;        /* checked: its entry has a check; copies made: 0, 1, 2 */
} x86_function;

typedef struct x86_module {
    const char *path;                   /* "" for the executable */
    const char *refusal;                /* why the whole module is left alone, or NULL */
    uint64_t text;                      /* the address of its code, text_bytes long */
    uint64_t bias, text_bytes, used_bytes, checking_bytes, instrumented_bytes;
    uint32_t checking_count, instrumented_count;
    uint32_t functions[X86_REASONS];   /* how many have which reason */
} x86_module;

typedef struct x86_stats {
    uint64_t bursts, events, lost;      /* lost: records that ran over a full buffer */
    uint64_t broken;            /* bursts that a signal ended where they began */
    /* Checks of all threads, and how many of them were in bursts; missed: calls
       that a signal handler made while it had interrupted the patcher, or that
       came while a copy was made. */
    uint64_t checks, burst_checks, missed;
    uint32_t threads, lost_threads, modules;
    uint32_t modules_left;              /* beyond the 256th: nothing of them is patched */
    uint32_t buffers;                   /* so many threads at a time have one */
    uint32_t filters;                   /* functions that forbid system calls, and ask nobody */
    uint32_t changed;                   /* functions that x86_code_changes gave up */
    uint32_t recalled;                  /* modules that config.recall knew */
    uint32_t seed;                      /* given, drawn, or made of the parent's in a child */
    int on, armed;                      /* armed: the jumps are in the text */
    int shadow_stack;                   /* the processor checks returns: they stay as they are */
} x86_stats;

/* Patches this process. Returns how many functions; 0: none, and
   x86_reason says why. */
X86_API uint32_t x86_install(const x86_config *config);
/* Why the last x86_install returned 0; NULL otherwise. */
X86_API const char *x86_reason(void);
/* Sends callers to the copies (1) or to the original code (0). A loop that runs
   in a copy goes on there until it returns; it does not sample. Returns 0, or
   -1 if x86_arm failed; then the entries are unchanged. This function
   and the next two are async-signal-safe. */
X86_API int x86_toggle(int on);
/* Switches off, and writes the original entries back, so that the program costs
   what it did before. Copies stay, for who is still in them. Returns 0, or -1:
   not installed, or another thread runs, and then the entries keep their
   jumps. */
X86_API int x86_uninstall(void);
/* Writes the jumps over the entries, without switching on: after
   x86_uninstall, or if it was installed with config.off. Call it before a
   second thread starts, for later it is too late. Returns 0, or -1: another
   thread runs, or this is not the stack of the first thread. */
X86_API int x86_arm(void);
/* Before the program writes into its own code there, in whole pages: the
   functions in these pages get their own bytes back, and are sampled no more.
   Returns how many, or -1: some could not. */
X86_API int x86_code_changes(const void *address, size_t bytes);
/* Hands what the calling thread has recorded to the action. */
X86_API void x86_flush(void);
/* So many events of other threads have not been handed over. */
X86_API uint64_t x86_unread(void);
/* The same, and the calling thread is sampled no more: another one gets its
   buffer. */
X86_API void x86_leave(void);
/* Behind x86_leave: the calling thread is sampled again. */
X86_API void x86_rejoin(void);
/* While a thread is at work here, its signals wait. Before the program forbids
   itself system calls: from now on none is made for that, and a handler must not
   leave by siglongjmp. */
X86_API void x86_forbid_calls(void);
/* In a child after fork: bursts and checks count from 0 again, and begin anew
   with this seed. */
X86_API void x86_forked(uint32_t seed);
X86_API void x86_get_stats(x86_stats *out);
/* Function or module of that number, counted from 0. Returns 0, or -1: there
   are not so many. */
X86_API int x86_get_function(uint32_t number, x86_function *out);
X86_API int x86_get_module(uint32_t number, x86_module *out);
/* The number of the function that holds a place of a module, or UINT32_MAX. */
X86_API uint32_t x86_find_function(uint32_t module, uint32_t place);
/* For a timer's signal handler: the functions that are open at the place pc
   that it interrupted, innermost first, with the registers of that moment.
   Nothing is read from stack_end on. Only functions of patched modules are
   listed. Returns how many, at most max; or UINT32_MAX: the patcher itself is
   at work. */
X86_API uint32_t x86_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     x86_frame *frames, uint32_t max);
/* The same with recursion folded: what stands three times behind itself is listed
   twice, so that deep stacks have room. */
typedef struct x86_seen {
    int is_cut;   /* there are more callers */
    int is_bare;  /* .eh_frame has no function at pc: the first frame's place is that of pc */
} x86_seen;
X86_API uint32_t x86_stack_folded(uint64_t pc, uint64_t rsp, uint64_t rbp,
                                            uint64_t stack_end, x86_frame *frames,
                                            uint32_t max, x86_seen *seen);
/* Is pc in the module that holds this header's code, in what copies share to
   save registers, or in what leads to a hooked function? Returns 1 or 0. Async-signal-safe. */
X86_API int x86_is_own(uint64_t pc);
/* Told of entries (what is ENTRY) and exits (EXIT; EXIT | CALL: by a jump into
   another function, as of a call at the very end) at the moment when they
   happen, on the thread that makes them, maybe in a signal handler. An entry and
   its exit have the same frame. Who leaves by longjmp or an exception makes no
   exit. */
typedef void (*x86_hook_fn)(void *user, uint32_t what, const x86_frame *frame);
/* After x86_install with no_patches, once, and while no other thread runs:
   the functions of these numbers tell `hook` (with config.user) of each entry
   and each exit. Returns how many do; reasons[n] is 0, or why numbers[n] does
   not: x86_reason_text. */
X86_API uint32_t x86_hook(const uint32_t *numbers, uint32_t count, x86_hook_fn hook,
                                    int *reasons);
/* A reason in words. */
X86_API const char *x86_reason_text(int reason);
/* Where the program's own code has what stands at pc in a copy; pc itself if it
   is in none. For return addresses: where its own call would return to. The copy
   is made anew for that, which takes as long as making it. Async-signal-safe. */
X86_API const void *x86_origin(const void *pc);
/* If pc is inside a copy: its .eh_frame_hdr, and its range. NULL otherwise. */
X86_API const void *x86_find_copy(const void *pc, const void **start, const void **end);
/* The same of any code that was emitted, for an unwinder that looks for the table
   of pc: a signal may have come there. What is not a copy's own stands in memory
   of the thread until it has asked three times more. */
X86_API const void *x86_find_frame(const void *pc, const void **start, const void **end);
