/* ---- patching: on, off, away ---- */
/* The folder has a link for each thread, one for "." and one for "..". */
static uint32_t x86_p_count_threads(void) {
    struct stat s;
    if (stat("/proc/self/task", &s) != 0 || s.st_nlink < 3) return 1;
    return (uint32_t)s.st_nlink - 2;
}

/* Signal handlers may be at work, who interrupted an entry behind its first
   instruction. Such an entry is not patched now: the code would go on in the
   middle of the jump. The interrupted place stands on the stack, so that every
   word of the stack is looked at. Returns 0, or -1: this is not the stack of
   the first thread, and its end is not known. */
static int x86_p_hold_entries(void) {
    uint64_t end = (uint64_t)getauxval(AT_RANDOM) & ~UINT64_C(7), at;
    uint32_t n, k;
    at = x86_p_depth(__builtin_frame_address(0)) & ~UINT64_C(7);
    if (at >= end || end - at > (1u << 26)) return -1;
    for (n = 0; n < x86_p.module_count; n++) {
        const x86_p_module *m = &x86_p.modules[n];
        for (k = 0; !m->refusal && k < m->flow.count; k++) m->copy.functions[k].held = 0;
        for (k = 0; k < m->flow.label_count; k++) m->flow.labels[k].held = 0;
    }
    for (; at < end; at += 8) {
        uint64_t word = *(const uint64_t *)(const void *)x86_p_at(at);
        for (n = 0; n < x86_p.module_count; n++) {
            const x86_p_module *m = &x86_p.modules[n];
            const x86flow_function *f;
            x86flow_label *label;
            if (m->refusal || !x86_p_in_text(m, word)) continue;
            label = x86_p_label_around(m, word);
            if (label) label->held = 1;
            f = x86flow_function_at(&m->flow, word);
            if (!f || word - (f->lo + f->patch_at) - 1 >= 4) continue;
            m->copy.functions[f - m->flow.functions].held = 1;
        }
    }
    return 0;
}

/* Zeros stand for defaults. Returns 0, or -1: a setting is out of range. */
static int x86_p_configure(const x86_config *config) {
    x86_config *c = &x86_p.config;
    if (config) *c = *config;
    if (!c->every) c->every = 9900;
    if (!c->burst) c->burst = 100;
    if (!c->jitter) c->jitter = 12;
    if (c->jitter < 0) c->jitter = 0;
    if (!c->seed) c->seed = base_p_draw_seed();
    if (!c->threads) c->threads = (uint32_t)X86_P_ROOMS * X86_P_THREADS;
    if (!c->events) c->events = X86_ENTRY | X86_EXIT;
    if (c->every == X86_ALWAYS) c->burst = 1u << 29;
    x86_p.k_boring = c->k_boring == 0 ? 4 : c->k_boring;
    if (c->all_checks) x86_p.k_boring = -1;
    if (c->every > (1u << 29) && c->every != X86_ALWAYS) return -1;
    return c->burst > (1u << 29) || c->jitter > 100 ? -1 : 0;
}

/* Patches one module. Returns how many functions. */
static uint32_t x86_p_patch(x86_p_module *m) {
    uint32_t k, patched = 0;
    if (m->refusal || x86_p_open_region(m) != 0) return 0;
    x86_p_describe(m);
    if (x86_p_analyse(m) != 0) return 0;
    x86_p.reason = "text cannot be written";
    if (!x86_p.config.off && x86_p_write_text(m, 0) != 0) {
        (void)x86_p_write_text(m, 1);
        m->refusal = "text cannot be written";
        return 0;
    }
    for (k = 0; k < m->flow.count; k++) patched += m->flow.functions[k].patched;
    return patched;
}

/* Behind the install no reason changes, unless functions are hooked: then
   nothing is counted ahead. */
static void x86_p_count_reasons(void) {
    uint32_t n, k;
    for (n = 0; n < x86_p.module_count; n++) {
        x86_p_module *m = &x86_p.modules[n];
        memset(m->reasons, 0, sizeof m->reasons);
        for (k = 0; k < m->flow.count; k++) m->reasons[m->flow.functions[k].reason]++;
        m->counted = 1;
    }
}

X86_API uint32_t x86_install(const x86_config *config) {
    uint32_t n, patched = 0;
    uint64_t shadow = 0;
    int largest = 0;
    x86_p.reason = "already installed";
    if (x86_p.installed) return 0;
    memset(&x86_p, 0, sizeof x86_p);
    x86_p.reason = "a setting is out of range";
    if (x86_p_configure(config) != 0) return 0;
    x86_p.looks = x86_p.config.no_patches != 0;
    x86_p.reason = "another thread runs";
    if (!x86_p.looks && x86_p_count_threads() > 1) return 0;
    x86_p.reason = "no memory";
    if (syscall(SYS_arch_prctl, 0x5005, &shadow) == 0) /* ARCH_SHSTK_STATUS */
        x86_p.shadow_stack = (shadow & 1) != 0;
    x86_p.window = (uint8_t *)x86_p_map(X86_P_WINDOW, -1);
    if (!x86_p.window || !x86_p_open_room(&x86_p.rooms[0])) return 0;
    dl_iterate_phdr(x86_p_each_module, NULL);
    if (x86_p.config.recall || x86_p.config.keep) x86_p_find_mappings();
    for (n = 0; n < x86_p.module_count; n++) {
        x86_p_module *m = &x86_p.modules[n];
        int size = x86_p_recall(m) ? x86_p_largest(&m->flow) : x86_p_list_functions(m);
        if (size > largest) largest = size;
        if (m->flow.count) {
            uint32_t *near = (uint32_t *)x86_p_map(x86flow_index_words(&m->flow) * 4, -1);
            if (near) x86flow_index(&m->flow, near);
        }
        x86_p.ends[n] = m->flow.count + (n ? x86_p.ends[n - 1] : 0);
    }
    x86_p.reason = "no function has unwind information";
    if (!largest) return 0;
    x86_p.first_count = x86_p.module_count;
    if (x86_p.looks) {
        patched = x86_p_look((size_t)largest < 1u << 21 ? (size_t)largest : 1u << 21);
        if (!patched) return 0;
        x86_p.reason = NULL;
        x86_p.installed = 1;
        return patched;
    }
    x86_p.reason = "no memory";
    if (x86_p_open_scratch((size_t)largest < 1u << 21 ? (size_t)largest : 1u << 21) != 0)
        return 0;
    for (n = 0; n < x86_p.module_count; n++)
        patched += x86_p_patch(&x86_p.modules[n]);
    if (!patched) return 0;
    x86_p.reason = NULL;
    x86_p.installed = 1;
    x86_p.armed = !x86_p.config.off;
    x86_p_count_reasons();
    (void)x86_toggle(!x86_p.config.off);
    return patched;
}

X86_API int x86_arm(void) {
    uint32_t n;
    if (x86_p.armed) return 0;
    if (!x86_p.installed || x86_p.looks || x86_p_count_threads() > 1) return -1;
    if (x86_p_hold_entries() != 0) return -1;
    for (n = 0; n < x86_p.module_count; n++) {
        if (x86_p.modules[n].refusal) continue;
        if (x86_p_write_text(&x86_p.modules[n], 0) == 0) continue;
        for (;; n--) {
            (void)x86_p_write_text(&x86_p.modules[n], 1);
            if (n == 0) return -1;
        }
    }
    x86_p.armed = 1;
    return 0;
}

X86_API int x86_toggle(int on) {
    uint32_t n, k;
    if (on && x86_arm() != 0) return -1;
    if (x86_p.looks) return 0;
    x86_p.on = on != 0;
    for (n = 0; n < x86_p.module_count; n++) {
        const x86_p_module *m = &x86_p.modules[n];
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

X86_API int x86_uninstall(void) {
    uint32_t n;
    int status = 0;
    if (!x86_p.installed) return -1;
    (void)x86_toggle(0);
    if (!x86_p.armed) return 0;
    if (x86_p_count_threads() > 1) return -1;
    x86_p.armed = 0;
    for (n = 0; n < x86_p.module_count; n++) {
        if (!x86_p.modules[n].refusal && x86_p_write_text(&x86_p.modules[n], 1) != 0)
            status = -1;
    }
    return status;
}

X86_API void x86_flush(void) {
    x86_p_thread *t = &x86_p_tls;
    uint64_t held;
    if (t->busy) return;
    held = x86_p_hold();
    t->busy = x86_p_depth(__builtin_frame_address(0));
    t->held = held;
    x86_p_count_checks(t, t->live ? t->left : t->n);
    x86_p_flush(t, 1);
    t->busy = 0;
    x86_p_release(held);
}

X86_API uint64_t x86_unread(void) {
    uint64_t unread = 0;
    uint32_t k, n, at;
    for (k = 0; k < X86_P_ROOMS && x86_p.rooms[k].state == 2; k++) {
        for (n = 0; n < X86_P_THREADS; n++) {
            const uint8_t *buffer = x86_p.rooms[k].buffers + (size_t)n * X86_P_BUFFER;
            const x86_event *events = (const x86_event *)(const void *)buffer;
            if (!x86_p.rooms[k].taken[n] || buffer == x86_p_tls.buffer) continue;
            for (at = 0; at < X86_P_BUFFER / 16 && events[at].what; at++) unread++;
        }
    }
    return unread;
}

X86_API void x86_forbid_calls(void) { x86_p.no_calls = 1; }

X86_API void x86_leave(void) {
    x86_p_thread *t = &x86_p_tls;
    uint8_t *taken = t->taken;
    uint64_t held = x86_p_hold();
    t->busy = 0;
    x86_flush();
    t->known = X86_P_QUIET;
    t->buffer = t->taken = NULL;
    t->rules = NULL;
    x86_p_write_to(t, x86_p_nowhere);
    t->live = 0;
    t->left = 0;
    t->span = 0;
    t->counted = 0;
    t->n = 65536;
    if (taken) __atomic_store_n(taken, 0, __ATOMIC_RELEASE);
    x86_p_release(held);
}

X86_API void x86_rejoin(void) {
    x86_p_thread *t = &x86_p_tls;
    if (t->known != X86_P_QUIET) return;
    t->known = X86_P_NEW;
    t->n = 0;
}

X86_API void x86_forked(uint32_t seed) {
    x86_p_thread *t = &x86_p_tls;
    x86_p.bursts = x86_p.broken = x86_p.checks = x86_p.burst_checks = 0;
    x86_p.events = x86_p.lost = x86_p.missed = x86_p.lost_threads = 0;
    x86_p.config.seed = seed;
    if (t->known == X86_P_NEW || t->known == X86_P_QUIET) return;
    if (t->buffer) memset(t->buffer, 0, X86_P_BUFFER); /* the parent has these events */
    x86_p_write_to(t, t->buffer ? t->buffer : x86_p_nowhere);
    if (x86_p.config.every == X86_ALWAYS) return;
    t->random = base_p_state_of(seed, 0, 0);
    t->live = t->span = t->counted = 0;
    t->left = t->n = 0; /* the next check begins anew */
}

/* Beside the copies of hooked functions there is code of ours alone. */
X86_API int x86_is_own(uint64_t pc) {
    uint64_t here = x86_p_address((const void *)(uintptr_t)&x86_is_own);
    uint32_t n;
    for (n = 0; n < x86_p.module_count; n++) {
        const x86copy_module *m = &x86_p.modules[n].copy;
        uint64_t at = pc - m->rx;
        if (!m->rx || at >= x86_p.modules[n].code_bytes) continue;
        if (at >= m->slow_at && at < m->slow_end) return 1;
        if (x86_p.looks && !x86_p_copy_at(&x86_p.modules[n], pc)) return 1;
    }
    for (n = 0; n < x86_p.other_count; n++) {
        const x86_p_other *text = &x86_p.others[n];
        if (here >= text->lo && here < text->hi) return pc >= text->lo && pc < text->hi;
    }
    return 0;
}

X86_API const char *x86_reason(void) { return x86_p.reason; }

X86_API const char *x86_reason_text(int reason) {
    static const char *const text[X86_REASONS] = {
        "patched", "undecodable", "branch into an instruction", "transaction (xbegin)",
        "calls into itself", "startup", "odd unwind information", "no room for the jump",
        "flags are live at the entry", "too large", "filtered",
        "part of another function, left as it is", "part of the patcher",
        "part of another function, copied with it",
        "the program looks its return addresses up in a table"};
    return reason >= 0 && reason < X86_REASONS ? text[reason] : "unknown";
}

X86_API int x86_get_function(uint32_t number, x86_function *out) {
    uint32_t n = 0;
    while (n < x86_p.first_count && number >= x86_p.ends[n]) n++;
    if (n) number -= x86_p.ends[n - 1];
    for (; n < x86_p.module_count; n++) {
        const x86_p_module *m = &x86_p.modules[n];
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
        if (m->refusal && !f->reason) out->reason = X86_NO_ROOM;
        out->checked = (f->flags & X86FLOW_CHECK) != 0;
        out->copies = !m->shared ? 0 : (copies->c_at ? 1 : 0) + (copies->i_at ? 1 : 0);
        return 0;
    }
    return -1;
}

X86_API uint32_t x86_find_function(uint32_t module, uint32_t place) {
    uint32_t n = module < x86_p.first_count ? module : x86_p.first_count;
    uint32_t before = n ? x86_p.ends[n - 1] : 0;
    for (; n < module && n < x86_p.module_count; n++)
        before += x86_p.modules[n].flow.count;
    if (module < x86_p.module_count) {
        const x86_p_module *m = &x86_p.modules[module];
        const x86flow_function *f = x86flow_function_at(&m->flow, m->flow.bias + place);
        if (f) return before + (uint32_t)(f - m->flow.functions);
    }
    return UINT32_MAX;
}

X86_API int x86_get_module(uint32_t number, x86_module *out) {
    const x86_p_module *m = &x86_p.modules[number];
    uint32_t n;
    if (number >= x86_p.module_count) return -1;
    memset(out, 0, sizeof *out);
    out->path = m->path;
    out->bias = m->flow.bias;
    out->refusal = m->refusal;
    out->text = m->flow.text_lo;
    out->text_bytes = m->flow.text_hi - m->flow.text_lo;
    for (n = 0; m->counted && n < X86_REASONS; n++) out->functions[n] = m->reasons[n];
    for (n = 0; !m->counted && n < m->flow.count; n++)
        out->functions[m->flow.functions[n].reason]++;
    if (!m->shared) return 0;
    out->used_bytes = m->shared->used;
    out->checking_bytes = m->shared->bytes_c;
    out->instrumented_bytes = m->shared->bytes_i;
    out->checking_count = (uint32_t)m->shared->functions_c;
    out->instrumented_count = (uint32_t)m->shared->functions_i;
    return 0;
}

X86_API void x86_get_stats(x86_stats *out) {
    uint32_t n;
    out->bursts = __atomic_load_n(&x86_p.bursts, __ATOMIC_RELAXED);
    out->events = __atomic_load_n(&x86_p.events, __ATOMIC_RELAXED);
    out->lost = __atomic_load_n(&x86_p.lost, __ATOMIC_RELAXED);
    out->broken = __atomic_load_n(&x86_p.broken, __ATOMIC_RELAXED);
    out->missed = __atomic_load_n(&x86_p.missed, __ATOMIC_RELAXED);
    out->checks = __atomic_load_n(&x86_p.checks, __ATOMIC_RELAXED);
    out->burst_checks = __atomic_load_n(&x86_p.burst_checks, __ATOMIC_RELAXED);
    out->threads = x86_p.threads;
    out->lost_threads = x86_p.lost_threads;
    out->modules = x86_p.module_count;
    out->modules_left = x86_p.modules_left;
    for (n = 0; n < X86_P_ROOMS && x86_p.rooms[n].state == 2; n++) { }
    out->buffers = n * X86_P_THREADS;
    if (out->buffers > x86_p.config.threads) out->buffers = x86_p.config.threads;
    out->changed = x86_p.changed;
    out->recalled = x86_p.recalled;
    out->filters = x86_p.filters;
    out->seed = x86_p.config.seed;
    out->on = x86_p.on;
    out->armed = x86_p.armed;
    out->shadow_stack = x86_p.shadow_stack;
}

/* Emits a copy again into the scratch memory, and looks there. */
static uint64_t x86_p_origin(x86_p_module *m, const x86_p_copy *copy, uint64_t pc) {
    const x86copy_function *f = &m->copy.functions[copy->function];
    uint64_t at = pc - (m->copy.rx + copy->at), base = m->copy.rx + x86_p_aligned(copy->at);
    x86copy *s = &x86_p.copy;
    int bad = x86_p_read(m, copy->function);
    if (!bad && copy->at == f->c_at) bad = x86copy_emit(s, &m->copy, base, 0, f->first_site);
    else if (!bad && copy->at == f->i_at)
        bad = x86copy_find_c(s, &m->copy, base, f->first_site) != 0
              || x86copy_emit(s, &m->copy, base, 1, f->first_site) != 0;
    else bad = 1;
    return bad ? pc : x86copy_origin(s, (uint32_t)at);
}

X86_API const void *x86_origin(const void *pc) {
    uint64_t address = x86_p_address(pc), held;
    uint32_t n;
    for (n = 0; n < x86_p.module_count; n++) {
        x86_p_module *m = &x86_p.modules[n];
        const x86_p_copy *copy = x86_p_copy_at(m, address);
        if (!copy) continue;
        held = x86_p_hold();
        if (x86_p_lock(m->shared) == 0) {
            address = x86_p_origin(m, copy, address);
            x86_p_unlock(m->shared);
        }
        x86_p_release(held);
        break;
    }
    return x86_p_at(address);
}

X86_API const void *x86_find_copy(const void *pc, const void **start, const void **end) {
    uint32_t n;
    for (n = 0; n < x86_p.module_count; n++) {
        const x86_p_module *m = &x86_p.modules[n];
        const x86_p_copy *copy = x86_p_copy_at(m, x86_p_address(pc));
        if (!copy) continue;
        *start = m->rx + copy->at;
        *end = m->rx + copy->at + copy->size;
        return m->rx + copy->header;
    }
    return NULL;
}
