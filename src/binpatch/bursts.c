/* ---- bursts: which calls are told ---- */

/* While n is above 0 the thread is in a gap, and n checks of it remain. Inside a
   burst n is 0, so that each check comes here. While an observer runs, n is so
   large that its own calls pass. */

static int32_t binpatch_p_gap_of(const binpatch_config *c) {
    return (int32_t)binpatch_p_draw_gap(&binpatch_p_own.random, c->every, c->jitter);
}

/* Returns whether this call is told, and *next, which n is then. */
static int binpatch_p_sample(int32_t n, int32_t *next) {
    const binpatch_config *c = &binpatch_p.config;
    *next = 0;
    if (!binpatch_p_own.random) {
        uint32_t number = __atomic_fetch_add(&binpatch_p.threads, 1, __ATOMIC_RELAXED);
        binpatch_p_own.random = binpatch_p_state_of(c->seed, number, 0);
        if (c->every) n = binpatch_p_gap_of(c);
        else __atomic_fetch_add(&binpatch_p.bursts, 1, __ATOMIC_RELAXED);
    }
    if (n > 0) { /* a new thread, or a signal handler was here since the check */
        *next = n - 1;
        return 0;
    }
    if (!c->every) return 1;
    if (!binpatch_p_own.left) {
        binpatch_p_own.left = c->burst;
        __atomic_fetch_add(&binpatch_p.bursts, 1, __ATOMIC_RELAXED);
    }
    if (--binpatch_p_own.left == 0) *next = binpatch_p_gap_of(c);
    return 1;
}

/* What the common code pushed, in this order. */
enum { BINPATCH_P_R9 = 3, BINPATCH_P_R8, BINPATCH_P_RDI, BINPATCH_P_RSI, BINPATCH_P_RDX,
       BINPATCH_P_RCX, BINPATCH_P_RAX, BINPATCH_P_BACK, BINPATCH_P_BEHIND };

/* What is watched now, as one. Returns 0: nothing, or it is being changed. */
static int binpatch_p_read_watch(const binpatch_p_hook *h, binpatch_watch *out,
                                 uint32_t *version) {
    *version = __atomic_load_n(&h->version, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&h->state, __ATOMIC_ACQUIRE) != BINPATCH_P_ON) return 0;
    out->function = __atomic_load_n(&h->watch.function, __ATOMIC_RELAXED);
    out->entered = __atomic_load_n(&h->watch.entered, __ATOMIC_RELAXED);
    out->returned = __atomic_load_n(&h->watch.returned, __ATOMIC_RELAXED);
    out->user = __atomic_load_n(&h->watch.user, __ATOMIC_ACQUIRE);
    return *version % 2 == 0
           && __atomic_load_n(&h->version, __ATOMIC_ACQUIRE) == *version;
}

static void binpatch_p_tell(uint32_t number, const binpatch_watch *w,
                            binpatch_observer observer, const uint64_t *saved,
                            uint64_t slot, uint64_t from) {
    static const uint8_t order[BINPATCH_REGISTERS]
        = {BINPATCH_P_RDI, BINPATCH_P_RSI, BINPATCH_P_RDX, BINPATCH_P_RCX,
           BINPATCH_P_R8,  BINPATCH_P_R9,  BINPATCH_P_RAX};
    binpatch_call call;
    int n;
    call.number = (int)number;
    call.function = w->function;
    call.stack = (uintptr_t)slot;
    call.from = (uintptr_t)from;
    for (n = 0; n < BINPATCH_REGISTERS; n++) call.registers[n] = saved[order[n]];
    observer(w->user, &call);
}

/* Called by the common code of a block; behind what it pushed are the way back
   into the stub, the hook's number, and the slot of the return address. */
BINPATCH_P_BARE static void binpatch_p_entered(uint64_t *saved) {
    uint32_t number = (uint32_t)saved[BINPATCH_P_BEHIND];
    const binpatch_p_hook *h = &binpatch_p.hooks[number];
    uint64_t *slot = &saved[BINPATCH_P_BEHIND + 1];
    int32_t n = binpatch_p_own.n, next;
    binpatch_watch w;
    uint32_t version;
    binpatch_p_own.n = BINPATCH_P_QUIET;
    if (binpatch_p_own.inside) return;
    if (!binpatch_p_read_watch(h, &w, &version)) next = n + 1;
    else if (binpatch_p_sample(n, &next)) {
        int error = errno;
        binpatch_p_own.inside = 1;
        __atomic_fetch_add(&binpatch_p.entries, 1, __ATOMIC_RELAXED);
        if (w.entered) {
            binpatch_p_tell(number, &w, w.entered, saved, (uint64_t)(uintptr_t)slot,
                            binpatch_p_true_return(*slot));
        }
        if (w.returned) binpatch_p_await(number, version, slot);
        binpatch_p_own.inside = 0;
        errno = error;
    }
    binpatch_p_own.n = next;
}

/* Called by the common code of the pads; behind what it pushed are the way back
   into the pad, and the slot. */
BINPATCH_P_BARE static void binpatch_p_left(uint64_t *saved) {
    uint64_t pad = (saved[BINPATCH_P_BACK] - binpatch_p.pads) / BINPATCH_P_PAD;
    uint64_t slot = (uint64_t)(uintptr_t)&saved[BINPATCH_P_BEHIND];
    uint64_t to = binpatch_p.returns[pad].to;
    int32_t n = binpatch_p_own.n;
    uint32_t next = (uint32_t)pad + 1;
    int error;
    binpatch_p_own.n = BINPATCH_P_QUIET;
    error = errno;
    /* Who returns twice (setjmp) finds a pad that waits for nobody. */
    if ((binpatch_p.waits[pad].state & 3) == BINPATCH_P_WAITS) {
        binpatch_p_set(&binpatch_p.waits[pad], BINPATCH_P_BUSY);
        while (next) {
            binpatch_p_wait *w = &binpatch_p.waits[next - 1];
            binpatch_watch about;
            uint32_t version;
            for (; w->times > 0; w->times--) {
                if (!binpatch_p_read_watch(&binpatch_p.hooks[w->hook], &about, &version)
                    || version != w->version) {
                    break;
                }
                __atomic_fetch_add(&binpatch_p.told, 1, __ATOMIC_RELAXED);
                binpatch_p_own.inside++;
                binpatch_p_tell(w->hook, &about, about.returned, saved, slot, to);
                binpatch_p_own.inside--;
            }
            next = w->below;
            binpatch_p_free(w);
        }
    }
    saved[BINPATCH_P_BEHIND] = to;
    errno = error;
    binpatch_p_own.n = n;
}
