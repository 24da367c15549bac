/* ---- hooks: who is called, who returns ---- */

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
