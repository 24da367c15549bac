/* ---- hooks, taken out and switched ---- */

static int binpatch_p_is_atomic(uint64_t at) {
    return (at & 7) <= 3;
}

/* Five bytes at the entry, in one store if they lie in one aligned word. */
static int binpatch_p_write_entry(const binpatch_p_hook *h, const uint8_t *bytes) {
    uint64_t at = h->watch.function, word, first = at & ~UINT64_C(7);
    unsigned n, shift = (unsigned)(at & 7) * 8;
    if (binpatch_p_protect(at, at + 5, h->protection | BINPATCH_P_W) != 0) {
        (void)binpatch_p_protect(at, at + 5, h->protection);
        return -1;
    }
    if (binpatch_p_is_atomic(at)) {
        word = *(const uint64_t *)(uintptr_t)first;
        for (n = 0; n < 5; n++, shift += 8)
            word = (word & ~(UINT64_C(255) << shift)) | (uint64_t)bytes[n] << shift;
        __atomic_store_n((uint64_t *)(uintptr_t)first, word, __ATOMIC_SEQ_CST);
    } else {
        volatile uint8_t *to = (volatile uint8_t *)(uintptr_t)at;
        for (n = 0; n < 5; n++) to[n] = bytes[n];
    }
    (void)binpatch_p_protect(at, at + 5, h->protection);
    return 0;
}

static int binpatch_p_write_jump(const binpatch_p_hook *h) {
    uint8_t jump[5];
    binpatch_p_mover m = binpatch_p_moving(jump, sizeof jump, h->watch.function);
    binpatch_p_jump(&m, h->stub);
    return binpatch_p_write_entry(h, jump);
}

static void binpatch_p_switch_one(binpatch_p_hook *h, int on) {
    uint64_t page = h->stub & ~UINT64_C(4095);
    if (binpatch_p_protect(page, page + 4096, 7) == 0) {
        __atomic_store_n((uint64_t *)(uintptr_t)h->stub,
                         on ? h->check_word : h->plain_word, __ATOMIC_SEQ_CST);
    }
    binpatch_p_seal(page, 4096);
}

/* A hook that was taken out is put in again; its jump may have been left. */
static int binpatch_p_again(binpatch_p_hook *h, const binpatch_watch *w, int has_jump) {
    uint32_t odd = h->version | 1; /* a fork may have left it odd */
    if (!has_jump) {
        if (!binpatch_p.config.running && !h->alone && binpatch_p_has_threads())
            return BINPATCH_THREADS;
        if (binpatch_p_write_jump(h) != 0) return BINPATCH_READ_ONLY;
    }
    __atomic_store_n(&h->version, odd, __ATOMIC_SEQ_CST);
    h->watch = *w;
    __atomic_store_n(&h->version, odd + 1, __ATOMIC_SEQ_CST);
    binpatch_p_switch_one(h, binpatch_p.on);
    __atomic_store_n(&h->state, BINPATCH_P_ON, __ATOMIC_RELEASE);
    return 0;
}

/* Returns 0 where the address is in code, and *where it is; 1: it is not, as where
   a library is gone, with its hooks; -1: nothing tells. */
static int binpatch_p_find_code(uint64_t at, binpatch_p_place *where) {
    int found = binpatch_p_find(at, where);
    return found ? found : (where->m.protection & BINPATCH_P_CODE) != BINPATCH_P_CODE;
}

static int binpatch_p_has_jump(const binpatch_p_hook *h, const binpatch_p_place *where) {
    uint64_t at = h->watch.function;
    return where->text_hi - at >= 5 && *binpatch_p_code(at) == 0xE9
           && at + 5 + binpatch_p_signed(at + 1) == h->stub;
}

static int binpatch_p_is_as_before(const binpatch_p_hook *h,
                                   const binpatch_p_place *where) {
    unsigned n, bytes = h->displaced;
    if (where->text_hi - h->watch.function < bytes) return 0;
    for (n = 0; n < bytes && binpatch_p_code(h->watch.function)[n] == h->old[n]; n++) {}
    return n == bytes;
}

static int binpatch_p_new_hook(binpatch_p_hook *h, const binpatch_watch *w,
                               uint32_t number, const binpatch_p_place *where,
                               const binpatch_p_target *t) {
    binpatch_p_mover m;
    uint64_t at = w->function, base, to;
    int reason, block, n;
    if (t->calls && binpatch_p.shadow_stack) return BINPATCH_SHADOW_STACK;
    if (number == binpatch_p.room) return BINPATCH_FULL;
    h->version = 0;
    h->watch = *w;
    h->protection = where->m.protection;
    h->alone = t->instructions == 1 && binpatch_p_is_atomic(at);
    h->displaced = (uint8_t)(t->end - at);
    for (n = 0; n < h->displaced; n++) h->old[n] = binpatch_p_code(at)[n];
    if (!binpatch_p.config.running && !h->alone && binpatch_p_has_threads())
        return BINPATCH_THREADS;
    block = binpatch_p_block(at);
    if (block < 0) return BINPATCH_NO_ROOM;
    base = binpatch_p.blocks[block].base;
    to = base + binpatch_p.blocks[block].used;
    m = binpatch_p_moving((void *)(uintptr_t)to, BINPATCH_P_STUB, to);
    reason = binpatch_p_emit_stub(&m, h, number, base, h->displaced);
    binpatch_p_seal(base, BINPATCH_P_BLOCK);
    if (reason) return reason;
    __atomic_store_n(&h->state, BINPATCH_P_ON, __ATOMIC_RELEASE);
    if (binpatch_p_write_jump(h) != 0) {
        h->state = BINPATCH_P_EMPTY;
        return BINPATCH_READ_ONLY;
    }
    binpatch_p.blocks[block].used += BINPATCH_P_STUB;
    return 0;
}

/* The number of a hook that this function had or has; `used` if there is none. A hook
   of a library that was unloaded meanwhile does not count. */
static uint32_t binpatch_p_earlier(uint64_t function,
                                   const binpatch_p_place *where, int *has_jump) {
    uint32_t n, found = binpatch_p.used;
    for (n = 0; n < binpatch_p.used; n++) {
        binpatch_p_hook *h = &binpatch_p.hooks[n];
        if (h->watch.function != function) continue;
        *has_jump = binpatch_p_has_jump(h, where);
        if (*has_jump) return n;
        h->state = BINPATCH_P_TAKEN_OUT;
        if (binpatch_p_is_as_before(h, where)) found = n;
    }
    return found;
}

static int binpatch_p_hook_locked(const binpatch_watch *w, uint32_t *number) {
    binpatch_p_place where;
    binpatch_p_target t;
    int has_jump = 0, reason;
    uint32_t n;
    if (binpatch_p_find_code(w->function, &where) != 0) return BINPATCH_NOT_EXECUTABLE;
    *number = n = binpatch_p_earlier(w->function, &where, &has_jump);
    if (has_jump && binpatch_p.hooks[n].state == BINPATCH_P_ON) return BINPATCH_HOOKED;
    /* Other code may stand there now, with the same beginning. */
    reason = has_jump ? 0 : binpatch_p_judge(w->function, w->bytes, &where, &t);
    if (reason) return reason;
    if (n < binpatch_p.used) return binpatch_p_again(&binpatch_p.hooks[n], w, has_jump);
    reason = binpatch_p_new_hook(&binpatch_p.hooks[n], w, n, &where, &t);
    if (!reason) binpatch_p.used++;
    return reason;
}

BINPATCH_API int binpatch_hook(const binpatch_watch *w) {
    binpatch_p_guard guard;
    uint32_t n = 0;
    int reason;
    if (!binpatch_p.started) return -BINPATCH_NO_START;
    if (w->returned && binpatch_p.shadow_stack) return -BINPATCH_SHADOW_STACK;
    guard = binpatch_p_enter_lock();
    reason = binpatch_p_hook_locked(w, &n);
    binpatch_p_leave_lock(&guard);
    return reason ? -reason : (int)n;
}

BINPATCH_API int binpatch_unhook(int number) {
    binpatch_p_guard guard;
    binpatch_p_place where;
    binpatch_p_hook *h;
    int result = 0, found;
    if (!binpatch_p.started || number < 0 || (uint32_t)number >= binpatch_p.used)
        return -1;
    guard = binpatch_p_enter_lock();
    h = &binpatch_p.hooks[number];
    if (h->state != BINPATCH_P_ON) result = -1;
    else {
        binpatch_p_switch_one(h, 0);
        found = binpatch_p_find_code(h->watch.function, &where);
        /* Nobody stands within the jump: it is one instruction. */
        if (found == 0 && binpatch_p_has_jump(h, &where)) {
            result = (!binpatch_p.config.running
                      && !binpatch_p_is_atomic(h->watch.function)
                      && binpatch_p_has_threads())
                     || binpatch_p_write_entry(h, h->old) != 0;
        } else result = found < 0;
        __atomic_store_n(&h->state, result ? BINPATCH_P_LEFT : BINPATCH_P_TAKEN_OUT,
                         __ATOMIC_RELEASE);
    }
    binpatch_p_leave_lock(&guard);
    return result;
}

BINPATCH_API int binpatch_switch(int on) {
    binpatch_p_guard guard;
    uint32_t n;
    int was;
    if (!binpatch_p.started) return 0;
    guard = binpatch_p_enter_lock();
    was = binpatch_p.on;
    binpatch_p.on = on != 0;
    for (n = 0; n < binpatch_p.used && was != binpatch_p.on; n++) {
        if (binpatch_p.hooks[n].state == BINPATCH_P_ON)
            binpatch_p_switch_one(&binpatch_p.hooks[n], binpatch_p.on);
    }
    binpatch_p_leave_lock(&guard);
    return was;
}

/* The pads, with what they share in front of them: a page of its own. */
static int binpatch_p_make_pads(uint32_t count) {
    uint64_t bytes = 4096 + (uint64_t)count * BINPATCH_P_PAD,
             base = binpatch_p_map(0, bytes, 3);
    binpatch_p_mover m;
    uint32_t n;
    if (!base) return -1;
    m = binpatch_p_moving((void *)(uintptr_t)base, (size_t)bytes, base);
    binpatch_p_emit_common(&m, binpatch_p_left, 1);
    binpatch_p.pads = base + 4096;
    for (n = 0; n < count; n++) {
        m.used = 4096 + (size_t)n * BINPATCH_P_PAD;
        binpatch_p_bytes(&m, "488D6424F8 E8");
        binpatch_p_distance(&m, base, 0);
    }
    if (binpatch_p_protect(base, base + bytes, BINPATCH_P_CODE) == 0)
        return 0;
    (void)binpatch_p_call(BINPATCH_P_MUNMAP, base, bytes, 0, 0, 0, 0);
    return -1;
}

BINPATCH_API uint32_t binpatch_init(void *memory, size_t bytes,
                                    const binpatch_config *config) {
    static const binpatch_config defaults = {0, 0, 0, 0, 0, 0};
    uintptr_t at = ((uintptr_t)memory + 15) & ~(uintptr_t)15;
    size_t gone = (size_t)(at - (uintptr_t)memory), table;
    uint64_t shadow = 0, n;
    binpatch_config c = config ? *config : defaults;
    if (!c.burst) c.burst = 100;
    if (!c.returns) c.returns = 256;
    if (binpatch_p.started || c.every > 1u << 29 || c.burst > 1u << 29 || c.jitter > 100
        || c.returns > 1u << 20) {
        return 0;
    }
    table = c.returns * (sizeof(binpatch_p_return) + sizeof(binpatch_p_wait));
    if (bytes < gone + table + sizeof(binpatch_p_hook)) return 0;
    if (binpatch_p_call(BINPATCH_P_ARCH_PRCTL, 0x5005 /* ARCH_SHSTK_STATUS */,
                        (uint64_t)(uintptr_t)&shadow, 0, 0, 0, 0)
        == 0) {
        binpatch_p.shadow_stack = (int)(shadow & 1);
    }
    binpatch_p_find_vectors();
    binpatch_p.config = c;
    if (binpatch_p_make_pads(c.returns) != 0) return 0;
    binpatch_p.returns = (binpatch_p_return *)at;
    binpatch_p.waits = (binpatch_p_wait *)(at + c.returns * sizeof(binpatch_p_return));
    binpatch_p.hooks = (binpatch_p_hook *)(at + table);
    for (n = 0; n < table; n++) ((unsigned char *)at)[n] = 0;
    n = (bytes - gone - table) / sizeof(binpatch_p_hook);
    binpatch_p.room = n > 1u << 20 ? 1u << 20 : (uint32_t)n;
    binpatch_p_describe();
    binpatch_p.on = binpatch_p.started = 1;
    return binpatch_p.room;
}

BINPATCH_API void binpatch_get_stats(binpatch_stats *out) {
    binpatch_p_guard guard;
    uint32_t n;
    out->bursts = __atomic_load_n(&binpatch_p.bursts, __ATOMIC_RELAXED);
    out->entries = __atomic_load_n(&binpatch_p.entries, __ATOMIC_RELAXED);
    out->returns = __atomic_load_n(&binpatch_p.told, __ATOMIC_RELAXED);
    out->missed = __atomic_load_n(&binpatch_p.missed, __ATOMIC_RELAXED);
    out->room = binpatch_p.room;
    out->functions = out->left = 0;
    if (!binpatch_p.started) return;
    guard = binpatch_p_enter_lock();
    for (n = 0; n < binpatch_p.used; n++) {
        out->functions += binpatch_p.hooks[n].state == BINPATCH_P_ON;
        out->left += binpatch_p.hooks[n].state == BINPATCH_P_LEFT;
    }
    binpatch_p_leave_lock(&guard);
}

BINPATCH_API const char *binpatch_reason_text(int reason) {
    static const char *const text[BINPATCH_REASONS] = {
        "hooked",
        "not supported here",
        "binpatch_init has given no room",
        "the memory given to binpatch_init is full",
        "there is no code at this address, or /proc/self/maps cannot be read",
        "hooked already",
        "no unwind information tells where it ends: give its bytes",
        "it is shorter than a jump",
        "an instruction is not known",
        "a jump or call leads into the displaced bytes",
        "a jump through a register or a table might lead into the displaced bytes",
        "one of its first instructions cannot run at another place",
        "no memory is free within 2 GB, or all 16 blocks for stubs are used",
        "other threads run, and one may be in the displaced bytes: hook earlier",
        "the processor checks returns",
        "the system does not let code be written"};
    if (reason < 0) reason = -reason;
    return reason < BINPATCH_REASONS ? text[reason] : "no such reason";
}
