/* ---- patching: the stack when a burst begins ---- */
/* The copy that holds an address; NULL: none does. */
static const x86_p_copy *x86_p_copy_at(const x86_p_module *m, uint64_t address) {
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
static int x86_p_learn(uint64_t pc, x86_p_known *out) {
    const x86flow_function *f = NULL;
    const uint8_t *fde = NULL;
    uint64_t start = 0;
    uint32_t n;
    int is_known = 0;
    for (n = 0; n < x86_p.module_count && !fde; n++) {
        const x86_p_module *m = &x86_p.modules[n];
        const x86_p_copy *copy = x86_p_copy_at(m, pc);
        out->function = 0;
        if (copy) {
            f = &m->flow.functions[copy->function];
            if (copy->at == m->copy.functions[copy->function].c_at)
                out->function = 1 + copy->function;
            fde = x86flow_find_fde(m->rx + copy->header, pc, &start);
        } else if (x86_p_in_text(m, pc)) {
            f = x86flow_function_at(&m->flow, pc);
            if (!f) continue;
            fde = f->fde;
            start = f->lo;
        }
        out->module = n;
        if (f) out->place = (uint32_t)(f->lo - m->flow.bias);
    }
    for (n = 0; n < x86_p.other_count && !fde; n++) {
        if (pc < x86_p.others[n].lo || pc >= x86_p.others[n].hi) continue;
        fde = x86flow_find_fde(x86_p.others[n].frame_header, pc, &start);
        is_known = 1;
    }
    if (!f && !is_known) return x86_p_learn_late(pc, out);
    if (f && x86_p.looks) {
        x86flow_module *m = &x86_p.modules[out->module].flow;
        out->place = (uint32_t)(x86_p_belongs_to(m, &m->functions[f - m->functions]) - m->bias);
    } else if (f && f->owner) {
        const x86flow_module *m = &x86_p.modules[out->module].flow;
        out->place = (uint32_t)(m->functions[f->owner - 1].lo - m->bias);
    } else if (!f || f->flags & X86FLOW_FRAGMENT) out->place = ~0u;
    return fde ? x86flow_find_rule(fde, pc - start, &out->rule) : -1;
}

/* The same from the thread's table. Each return address has one place in it. */
static const x86_p_known *x86_p_known_at(const x86_p_thread *t, uint64_t pc) {
    uint64_t mixed = (pc * UINT64_C(0x9E3779B97F4A7C15)) >> 54;
    x86_p_known *known = &t->rules[mixed & (X86_P_RULES - 1)];
    if (known->rule.pc != pc) {
        known->rule.pc = 0;
        if (x86_p_learn(pc, known) != 0) return NULL;
        if (!x86_p.looks || known->module < x86_p.first_count) known->rule.pc = pc;
    }
    return known;
}

/* The open functions of a burst stand in the second half of a thread's buffer,
   which is empty then. */
typedef char x86_p_frames_fit[
    X86_FRAMES * sizeof(x86_frame) <= X86_P_BUFFER / 2 ? 1 : -1];

/* A burst begins: what the call that pushed its return address there returns to
   belongs to it. See x86copy_return_in_i. */
static void x86_p_redirect(const x86_p_known *known, uint64_t pushed) {
    uint64_t *place = (uint64_t *)(uintptr_t)pushed, to;
    x86_p_module *m;
    if (!known || !known->function || x86_p.shadow_stack) return;
    m = &x86_p.modules[known->module];
    if (!m->copy.functions[known->function - 1].i_at)
        (void)x86_p_make_i(m, known->function - 1);
    to = x86copy_return_in_i(&m->copy, known->function - 1, *place);
    if (to) *place = to;
}

/* From a site outwards. At the site of an entry the caller's address is on top
   of the stack, and the function is about to report itself. Returns into C are
   led to I. */
static uint32_t x86_p_walk(const x86_p_thread *t, const x86_p_module *m,
                                uint32_t site, const uint64_t *saved, x86_frame *frames) {
    const x86_p_site *y = &m->sites[site];
    const x86flow_function *f = &m->flow.functions[y->function];
    uint64_t rbp = saved[X86COPY_SAVED_RBP], pc = 0;
    uint64_t rsp = x86_p_address(saved + X86COPY_SAVED_COUNT) + 128 + 8 * y->flags;
    x86_p_known here;
    const x86_p_known *known = &here;
    uint64_t end = (uint64_t)getauxval(AT_RANDOM) & ~UINT64_C(7);
    uint32_t count = 0, steps;
    if (rsp >= end || end - rsp > 1u << 26) /* another thread's: glibc has its data above it */
        __asm__("mov %%fs:0, %0" : "=r"(end));
    if (rsp >= end || end - rsp > 1u << 26) end = UINT64_MAX - 7; /* another stack: not known */
    here.module = (uint32_t)(m - x86_p.modules);
    here.place = (uint32_t)(f->lo - m->flow.bias);
    if (y->entry) {
        pc = *(const uint64_t *)(const void *)x86_p_at(rsp);
        rsp += 8;
        known = x86_p_known_at(t, pc - 1);
        x86_p_redirect(known, rsp - 8);
    } else if (x86flow_rule_of(&m->flow, f, y->offset, &here.rule) != 0)
        return 0;
    for (steps = 0; steps < 2 * X86_FRAMES && count < X86_FRAMES && known; steps++) {
        if (x86flow_step(&known->rule, &pc, &rsp, &rbp, end) != 0) break;
        if (known->place != ~0u) {
            frames[count].stack = rsp - 8;
            frames[count].module = known->module;
            frames[count++].place = known->place;
        }
        known = x86_p_known_at(t, pc - 1); /* inside the call */
        x86_p_redirect(known, rsp - 8);
    }
    return count;
}

/* Is a return address believable? It follows a call of code that is
   known. */
static const x86_p_known *x86_p_caller(uint64_t pc, x86_p_known *room) {
    const x86_p_thread *t = &x86_p_tls;
    if (t->rules) return x86_p_known_at(t, pc - 1);
    return x86_p_learn(pc - 1, room) == 0 ? room : NULL;
}

enum { X86_P_EVENT_FRAME = 0x98 };   /* so much lower is the stack where I writes an event */

/* Recursion: what stands three times behind itself, as `a a a` or `a b a b a b`,
   is listed twice, which keeps who calls whom. Returns how many frames stay. */
static uint32_t x86_p_fold(const x86_frame *frames, uint32_t count) {
    enum { LONGEST = 8 };
    uint32_t period, n;
    for (period = 1; period <= LONGEST && 3 * period <= count; period++) {
        for (n = count - 1; n >= count - 2 * period; n--) {
            const x86_frame *a = &frames[n], *b = &frames[n - period];
            if (a->module != b->module || a->place != b->place) break;
        }
        if (n < count - 2 * period) return count - period;
    }
    return count;
}

/* The module whose text has pc, or UINT32_MAX: none has. A few bytes around pc may be
   read then: the last page of a text is there as a whole. */
static uint32_t x86_p_text_module(uint64_t pc) {
    enum { BEFORE = 5, BEHIND = 20 };
    const x86_p_module *m = NULL;
    uint32_t n, count = x86_p.looks ? x86_p.first_count : x86_p.module_count;
    for (n = 0; n < count; n++) {
        m = &x86_p.modules[n];
        if (x86_p_in_text(m, pc) && !x86_p_copy_at(m, pc)) break;
    }
    if (n == count) m = x86_p.looks ? x86_p_late_module(pc) : NULL;
    if (!m || !x86_p_in_text(m, pc) || pc - m->flow.text_lo < BEFORE
        || ((m->flow.text_hi + 4095) & ~UINT64_C(4095)) - pc < BEHIND)
        return UINT32_MAX;
    return (uint32_t)(m - x86_p.modules);
}

/* The `jmp *slot(%rip)` of a stub that pc is in, in front of it; NULL: there is none. */
static const uint8_t *x86_p_stub_jump(uint64_t pc) {
    const uint8_t *at = x86_p_at(pc);
    if (at[0] == 0xF3 && at[1] == 0x0F && at[2] == 0x1E && at[3] == 0xFA) at += 4;
    if (at[0] == 0x41 && at[1] == 0xBB) at += 6;
    if (at[0] == 0xF2) at++;
    return at[0] == 0xFF && at[1] == 0x25 ? at : NULL;
}

/* The same, but UINT32_MAX if pc is in a stub, which only jumps on and belongs to
   whoever calls it. */
static uint32_t x86_p_bare_module(uint64_t pc) {
    const uint8_t *at = x86_p_at(pc);
    uint32_t n = x86_p_text_module(pc);
    if (n == UINT32_MAX || (at[0] == 0xE9 && at[-5] == 0x68) || (at[0] == 0x68 && at[5] == 0xE9))
        return UINT32_MAX;
    return x86_p_stub_jump(pc) ? UINT32_MAX : n;
}

/* Is pc in a section of stubs for which the linker wrote unwind rules? One record has them
   all, of 8 or 16 bytes each. A function that is such a jump and no more has 6 to 11. */
static int x86_p_is_stub_with_rules(uint64_t pc) {
    uint32_t n = x86_p_text_module(pc);
    const uint8_t *fde;
    x86flow_unwind u;
    uint64_t start = 0;
    if (n == UINT32_MAX || !x86_p_stub_jump(pc)) return 0;
    fde = x86flow_find_fde(x86_p.modules[n].flow.frame_header, pc, &start);
    return fde && x86flow_read_fde(fde, &u) == 0 && u.size % 8 == 0 && x86_p_stub_jump(start);
}

/* Where a call of `to` leads: a stub jumps to where its slot says. */
static uint64_t x86_p_behind_stub(uint64_t to) {
    uint32_t n = x86_p_text_module(to);
    const uint8_t *jump = n == UINT32_MAX ? NULL : x86_p_stub_jump(to);
    const x86flow_module *m;
    uint64_t slot;
    if (!jump) return to;
    m = &x86_p.modules[n].flow;
    slot = x86_p_address(jump) + 6 + (uint64_t)(int64_t)x86_p_s32(jump + 2);
    return slot & 7 || slot < m->lo || slot >= m->hi ? to : x86_p_u64(x86_p_at(slot));
}

/* Does a call stand before it? */
static int x86_p_behind_call(uint64_t pc) {
    const uint8_t *at = x86_p_at(pc);
    uint32_t bytes;
    if (at[-5] == 0xE8) return 1;
    for (bytes = 2; bytes <= 7; bytes++) {
        if (at[-(int)bytes] == 0xFF && (at[1 - (int)bytes] & 0x38) == 0x10) return 1;
    }
    return 0;
}

/* Does the call before it lead to the code around `in`, of module `bare`, that has
   no rules? Only a direct call tells, or one of a stub; that code begins not far away. */
static int x86_p_behind_call_of(uint64_t pc, uint64_t in, uint32_t bare) {
    enum { FAR = 1 << 16 };
    const uint8_t *at = x86_p_at(pc);
    uint64_t to;
    x86_p_known room;
    if (at[-5] != 0xE8) return 0;
    to = x86_p_behind_stub(pc + (uint64_t)(int64_t)x86_p_s32(at - 4));
    return in - to < FAR && x86_p_bare_module(to) == bare && x86_p_learn(to, &room) != 0;
}

/* From code without a rule: the next return address on the stack, or the next one
   behind a call of it. *rsp: where it is. NULL: there is none near. */
static const x86_p_known *x86_p_scan(uint64_t pc, uint32_t bare, int is_of, uint64_t *rsp,
                                     uint64_t end, x86_p_known *room, uint64_t *to) {
    enum { WORDS = 64 };
    uint64_t at = *rsp;
    uint32_t n;
    for (n = 0; n < WORDS && at + 8 <= end; n++, at += 8) {
        const x86_p_known *known;
        *to = *(const uint64_t *)(const void *)x86_p_at(at);
        if (*to < 4096 || x86_p_bare_module(*to) == UINT32_MAX) continue;
        if (is_of && !x86_p_behind_call_of(*to, pc, bare)) continue;
        known = x86_p_caller(*to, room);
        if (!known || !x86_p_behind_call(*to)) continue;
        *rsp = at;
        return known;
    }
    return NULL;
}

/* What one walk has learned of return addresses. Recursion comes back to a few of
   them again and again, and must be as quick as a look at memory: who ticks every
   4 ms has no time for more. */
enum { X86_P_NEAR = 16, X86_P_FAR_COST = 16, X86_P_WALK = 1 << 17 };
typedef struct x86_p_near {
    x86_p_known known[X86_P_NEAR];
    uint64_t at[X86_P_NEAR];
} x86_p_near;

static const x86_p_known *x86_p_near_caller(x86_p_near *near, uint64_t pc,
                                                      x86_p_known *room, uint32_t *cost) {
    uint32_t n = (uint32_t)(pc ^ pc >> 4) & (X86_P_NEAR - 1);
    const x86_p_known *known;
    if (!pc) return NULL;                /* as in a place that is empty */
    *cost += 1;
    if (near->at[n] == pc) return &near->known[n];
    *cost += X86_P_FAR_COST;
    known = x86_p_caller(pc, room);
    if (!known) return NULL;
    near->at[n] = pc;
    near->known[n] = *known;
    return &near->known[n];
}

/* seen NULL: all is listed as it stands. */
static uint32_t x86_p_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                 x86_frame *frames, uint32_t max, x86_seen *seen) {
    x86_p_known room, here, entry = {{0, 8, 0, 7, 0, 0}, 0, ~0u, 0};
    const x86_p_known *known = &here, *next;
    x86_p_thread *t = &x86_p_tls;
    uint32_t count = 0, steps, cost = 0, bare = UINT32_MAX;
    uint32_t most = seen ? X86_P_WALK : 1024 * (X86_P_FAR_COST + 1);
    x86_p_near near;
    memset(near.at, 0, sizeof near.at);
    if (rsp < t->busy) return UINT32_MAX; /* else a handler has jumped out of it */
    /* With a buffer a thread also has a memory for what it learns of return
       addresses. */
    if (t->known == X86_P_KNOWN && !t->buffer && !t->busy) (void)x86_p_take_buffer(t);
    /* Stubs have no rule of their own; they stand between a call and its
       function. */
    if (x86_p_learn(pc, &here) != 0) {
        known = &entry;
        if (seen) bare = x86_p_bare_module(pc);
        if (bare != UINT32_MAX && max) {
            frames[0].stack = rsp;
            frames[0].module = bare;
            frames[0].place = (uint32_t)(pc - x86_p.modules[bare].flow.bias);
            count = 1;
        }
    } else if (seen && x86_p_is_stub_with_rules(pc)) here.place = ~0u;
    for (steps = 0; cost < most && count < max && known; steps++) {
        uint64_t to = pc, sp = rsp, bp = rbp;
        x86_p_known now = *known; /* the caller's may take its place in the table */
        if (x86flow_step(&now.rule, &to, &sp, &bp, stack_end) != 0) break;
        next = x86_p_near_caller(&near, to, &room, &cost);
        if (bare != UINT32_MAX && steps == 0) {
            uint64_t of = 0, own = rsp;
            const x86_p_known *found = x86_p_scan(pc, bare, 1, &own, stack_end, &room, &of);
            if (!found && (!next || !x86_p_behind_call(to))) {
                own = rsp;
                found = x86_p_scan(pc, bare, 0, &own, stack_end, &room, &of);
                if (!found) next = NULL;
            }
            if (found) {
                next = found;
                to = of;
                sp = own + 8;
            }
        } else if (!next && steps == 0 && now.rule.reg == 7) {
            to = pc;
            sp = rsp + X86_P_EVENT_FRAME;
            bp = rbp;
            if (x86flow_step(&now.rule, &to, &sp, &bp, stack_end) == 0)
                next = x86_p_caller(to, &room);
        }
        if (now.place != ~0u) {
            frames[count].stack = sp - 8;
            frames[count].module = now.module;
            frames[count++].place = now.place;
            if (seen) count = x86_p_fold(frames, count);
        }
        known = next;
        pc = to;
        rsp = sp;
        rbp = bp;
    }
    if (seen) {
        seen->is_bare = bare != UINT32_MAX;
        seen->is_cut = known && steps && (cost >= most || count == max);
        if (bare != UINT32_MAX && count == 1) seen->is_cut = 1;
    }
    if (!steps && !count && known && known->place != ~0u && max) { /* no stack: the function at least */
        frames[0].stack = rsp;
        frames[0].module = known->module;
        frames[0].place = known->place;
        count = 1;
    }
    return count;
}

X86_API uint32_t x86_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     x86_frame *frames, uint32_t max) {
    return x86_p_stack(pc, rsp, rbp, stack_end, frames, max, NULL);
}

X86_API uint32_t x86_stack_folded(uint64_t pc, uint64_t rsp, uint64_t rbp,
                                            uint64_t stack_end, x86_frame *frames,
                                            uint32_t max, x86_seen *seen) {
    seen->is_bare = seen->is_cut = 0;
    return x86_p_stack(pc, rsp, rbp, stack_end, frames, max, seen);
}

static void x86_p_tell_hook(const x86_p_module *m, uint64_t code, const uint64_t *saved);

/* Signals that came while a burst was prepared are handled as soon as it is:
   right at its start, as if they were a hundred times as many as in the rest of
   the run. Such a burst is broken off. */
static int x86_p_is_disturbed(const x86_p_thread *t, uint64_t held) {
    return t->live && x86_p.config.every != X86_ALWAYS
           && (x86_p_waiting() & ~held) != 0;
}

/* outer: where the thread was at work already, or 0; then it is from now on. */
static uint64_t x86_p_answer(x86_p_module *m, uint64_t code, const uint64_t *saved,
                                  uint64_t held, uintptr_t outer) {
    x86_p_thread *t = &x86_p_tls;
    uint32_t number = (uint32_t)code & X86COPY_NUMBER;
    uintptr_t depth = x86_p_depth(saved);
    const x86copy_function *f = &m->copy.functions[number & ~(uint32_t)X86COPY_LEFT_BY_JUMP];
    uint64_t answer = 0, bursts = t->bursts;
    int refused = !x86_p.installed;
    /* A handler inside of us, of a signal that does not wait, gets no burst. If
       this goes on for ever, it was none: it left us by longjmp, and the stack is
       deeper now than it was then. */
    if (outer && depth < outer && t->nested++ < 65536) refused = 1;
    if (refused) t->busy = outer;
    if (refused && x86_p.on) __atomic_fetch_add(&x86_p.missed, 1, __ATOMIC_RELAXED);
    if (code & X86COPY_MAKE_C && refused) return m->copy.rx + f->plain_at;
    if (code & X86COPY_MAKE_I && refused) return m->copy.rx + f->t_at;
    if (refused) return 0;
    t->nested = 0;
    t->busy = depth;
    if (x86_p.looks) {
        x86_p_tell_hook(m, code, saved);
        answer = m->copy.rx + f->c_at;
    } else if (code & X86COPY_MAKE_C)
        answer = x86_p_make_c(m, number);
    else if (code & X86COPY_MAKE_I) {
        answer = x86_p_make_i(m, number);
        if (answer && x86_p_is_disturbed(t, held)) {
            x86_p_break_off(t, 0);
            answer = 0;
        }
        if (answer) answer = f->i_at + x86copy_skips(&m->flow.functions[number], 1);
        answer = m->copy.rx + (answer ? answer : f->t_at);
    } else {
        answer = x86_p_edge_of_burst(t);
        if (answer && !m->site_slots[code]) answer = x86_p_make_i(m, m->sites[code].function);
        if (t->bursts != bursts) {
            x86_frame *frames = (x86_frame *)(void *)(t->buffer + X86_P_BUFFER / 2);
            uint32_t count = x86_p_walk(t, m, number, saved, frames);
            if (x86_p.config.begin)
                t->weight = x86_p.config.begin(x86_p.config.user, frames, count);
            memset(frames, 0, count * sizeof *frames);
            if (!t->weight) x86_p_leave_out(t);
            else if (x86_p_is_disturbed(t, held)) x86_p_break_off(t, 1);
            if (!t->live) answer = 0;
        }
    }
    t->busy = 0;
    return answer;
}

/* The emitted code comes here with what it pushed, a site or a function to be
   made, and with where it saved the registers. */
static uint64_t x86_p_heavy(uint64_t code, void *user, const uint64_t *saved) {
    x86_p_thread *t = &x86_p_tls;
    uint64_t held = x86_p_hold(), answer;
    uintptr_t outer;
    if (t->busy && x86_p_depth(saved) >= t->busy)
        held = x86_p_repair(t, held);
    outer = t->busy;
    if (!outer) { /* at once: signals wait now, and any call may fill the stack */
        t->held = held;
        t->busy = x86_p_depth(saved);
    }
    answer = x86_p_answer((x86_p_module *)user, code, saved, held, outer);
    x86_p_release(held);
    return answer;
}
