/* ---- what memory looks like ---- */

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
