/* ---- returns: the pads ---- */

/* A pad that waits is alive as long as its slot holds its address: a call that
   is left by longjmp or an exception never comes back, and its slot is written
   over some day. Only when no pad is free are the slots looked at, through the
   kernel, for a stack may be gone. */

static uint64_t binpatch_p_pad(uint32_t n) {
    return binpatch_p.pads + (uint64_t)n * BINPATCH_P_PAD;
}

/* The pad with this address, or UINT32_MAX. */
static uint32_t binpatch_p_which(uint64_t address) {
    uint64_t at = address - binpatch_p.pads;
    if (address < binpatch_p.pads || at % BINPATCH_P_PAD
        || at / BINPATCH_P_PAD >= binpatch_p.config.returns) {
        return UINT32_MAX;
    }
    return (uint32_t)(at / BINPATCH_P_PAD);
}

static uint64_t binpatch_p_true_return(uint64_t address) {
    uint32_t n = binpatch_p_which(address);
    return n == UINT32_MAX ? address : binpatch_p.returns[n].to;
}

static void binpatch_p_set(binpatch_p_wait *w, uint64_t state) {
    __atomic_store_n(&w->state, (w->state & ~UINT64_C(3)) | state, __ATOMIC_RELEASE);
}

static void binpatch_p_free(binpatch_p_wait *w) {
    __atomic_store_n(&w->state, (w->state & ~UINT64_C(3)) + 4, __ATOMIC_RELEASE);
}

/* Takes a pad from the state in which it was seen. Returns 1 or 0. */
static int binpatch_p_take(binpatch_p_wait *w, uint64_t seen) {
    return __atomic_compare_exchange_n(&w->state, &seen,
                                       (seen & ~UINT64_C(3)) | BINPATCH_P_BUSY, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Returns how many pads it has freed. */
static uint32_t binpatch_p_sweep(void) {
    uint64_t pid = (uint64_t)binpatch_p_call(BINPATCH_P_GETPID, 0, 0, 0, 0, 0, 0);
    uint32_t n, next, freed = 0;
    for (n = 0; n < binpatch_p.config.returns; n++) {
        binpatch_p_wait *w = &binpatch_p.waits[n];
        uint64_t state = __atomic_load_n(&w->state, __ATOMIC_ACQUIRE), value = 0;
        struct {
            uint64_t base, bytes;
        } ours, theirs;
        long got;
        if ((state & 3) != BINPATCH_P_WAITS) continue;
        ours.base = (uint64_t)(uintptr_t)&value;
        theirs.base = binpatch_p.returns[n].slot;
        ours.bytes = theirs.bytes = 8;
        got = binpatch_p_call(BINPATCH_P_READ_PROCESS, pid, (uint64_t)(uintptr_t)&ours, 1,
                              (uint64_t)(uintptr_t)&theirs, 1, 0);
        if (got == 8 ? value == binpatch_p_pad(n) : got != -14 /* EFAULT: it is gone */)
            continue;
        if (!binpatch_p_take(w, state)) continue;
        for (next = n + 1; next;) {
            w = &binpatch_p.waits[next - 1];
            next = w->below;
            binpatch_p_free(w);
            freed++;
        }
    }
    return freed;
}

/* A pad that is ours now, or UINT32_MAX. */
static uint32_t binpatch_p_new_pad(void) {
    uint32_t count = binpatch_p.config.returns, n, k, again;
    for (again = 0; again < 2; again++) {
        uint32_t hint = __atomic_load_n(&binpatch_p.hint, __ATOMIC_RELAXED);
        for (k = 0; k < count; k++) {
            uint64_t state;
            n = (hint + k) % count;
            state = __atomic_load_n(&binpatch_p.waits[n].state, __ATOMIC_ACQUIRE);
            if ((state & 3) == BINPATCH_P_FREE
                && binpatch_p_take(&binpatch_p.waits[n], state)) {
                __atomic_store_n(&binpatch_p.hint, (n + 1) % count, __ATOMIC_RELAXED);
                return n;
            }
        }
        /* A look at all takes long: not soon again where it has found little. */
        if (again || __atomic_fetch_sub(&binpatch_p.patience, 1, __ATOMIC_RELAXED) > 0)
            break;
        __atomic_store_n(&binpatch_p.patience,
                         binpatch_p_sweep() < (count + 7) / 8 ? (int64_t)count : 0,
                         __ATOMIC_RELAXED);
    }
    return UINT32_MAX;
}

/* The call whose return address stands in the slot is to be told of. */
static void binpatch_p_await(uint32_t number, uint32_t version, uint64_t *slot) {
    uint32_t old = binpatch_p_which(*slot), n;
    binpatch_p_wait *w;
    uint64_t to = *slot;
    /* By a jump from a call that waits in the same slot: from itself, or another
       one, whose pad is told of together with this one. */
    if (old != UINT32_MAX) {
        w = &binpatch_p.waits[old];
        to = binpatch_p.returns[old].to;
        if ((w->state & 3) != BINPATCH_P_WAITS
            || binpatch_p.returns[old].slot != (uint64_t)(uintptr_t)slot) {
            __atomic_fetch_add(&binpatch_p.missed, 1, __ATOMIC_RELAXED);
            return;
        }
        if (w->hook == number && w->version == version && w->times < UINT32_MAX) {
            w->times++;
            return;
        }
    }
    n = binpatch_p_new_pad();
    if (n == UINT32_MAX) {
        __atomic_fetch_add(&binpatch_p.missed, 1, __ATOMIC_RELAXED);
        return;
    }
    binpatch_p.returns[n].to = to;
    binpatch_p.returns[n].slot = (uint64_t)(uintptr_t)slot;
    w = &binpatch_p.waits[n];
    w->hook = number;
    w->version = version;
    w->times = 1;
    w->below = old == UINT32_MAX ? 0 : old + 1;
    /* in this order: while it waits, its slot holds its address */
    if (old != UINT32_MAX) binpatch_p_set(&binpatch_p.waits[old], BINPATCH_P_BELOW);
    __atomic_store_n(slot, binpatch_p_pad(n), __ATOMIC_RELEASE);
    binpatch_p_set(w, BINPATCH_P_WAITS);
}

/* Tells the unwinder, if there is one: in a frame whose address is that of a pad,
   the caller's stack pointer is that of now, and its address stands in the table. The
   frame names itself by the stack pointer and 1, as its caller does without 1. */
#ifdef __cplusplus
extern "C"
#endif
void binpatch_p_register_frame(void *) __asm__("__register_frame") __attribute__((weak));

static void binpatch_p_describe(void) {
    static const uint8_t fixed[] = {
        1,    0,  1,  0x78, 16, /* version 1, no augmentation, 1, -8, rip */
        0x0C, 7,  1,            /* DW_CFA_def_cfa rsp, 1 */
        0x16, 7,  2,  0x77, 0,  /* DW_CFA_val_expression rsp: DW_OP_breg7 0 */
        0x10, 16, 11, 0x80      /* DW_CFA_expression rip: DW_OP_breg16, a distance */
    };
    uint8_t *p = (uint8_t *)binpatch_p.frame;
    uint64_t distance = (uint64_t)(uintptr_t)binpatch_p.returns - binpatch_p.pads;
    unsigned n;
    if (!binpatch_p_register_frame) return;
    p[0] = 36; /* CIE: length, and 4 of zeros */
    for (n = 0; n < sizeof fixed; n++) p[8 + n] = fixed[n];
    for (n = 0; n < 9; n++) p[25 + n] = (uint8_t)((distance >> 7 * n & 127) | 128);
    p[34] = (uint8_t)(distance >> 63 ? 127 : 0);
    p[40] = 28; /* FDE: length, the way back to the CIE */
    p[44] = 44;
    for (n = 0; n < 8; n++) {
        p[48 + n] = (uint8_t)((binpatch_p.pads - 8) >> 8 * n);
        p[56 + n] = (uint8_t)(((uint64_t)binpatch_p.config.returns * BINPATCH_P_PAD + 8)
                              >> 8 * n);
    }
    binpatch_p_register_frame(p); /* four zeros behind them end the list */
}
