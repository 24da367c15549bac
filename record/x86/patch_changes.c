/* ---- patching: code that the program changes ---- */

/* A program that makes its own code writable is about to change it, and a copy
   would go on doing what the old code did. So before that the functions in
   these pages get their own bytes back, and no copy of theirs is entered any
   more:

       entry    original bytes                  slot     the original function
       C, I     their first instruction, and the one behind the check, become a jump to away_at;
                there stands `jmp *away`, and this process's word `away` is the original

   Copies are shared with other processes of a fork, and they did not change
   their code. Their word `away` leads to "plain", which is what they would run
   without sampling. Nobody makes further copies of such a function. Who is
   inside a copy stays there until it returns, as code that is changed while it
   runs may do in any program.

   cost: a look at all functions of the module, for each call that makes some of
   its code writable. */

/* A jump over the first bytes of a copy at a position. Eight bytes are written
   at once. */
static void x86_p_lead_away(x86_p_module *m, uint32_t at, uint32_t away_at) {
    uint64_t bytes;
    uint32_t d = away_at - (at + 5);
    memcpy(&bytes, m->rw + at, 8);
    bytes = (bytes & ~UINT64_C(0xFFFFFFFFFF)) | 0xE9 | (uint64_t)d << 8;
    memcpy(m->rw + at, &bytes, 8);
}

static void x86_p_take_away(x86_p_module *m, uint32_t number) {
    x86flow_function *f = &m->flow.functions[number];
    x86copy_function *own = &m->copy.functions[number];
    __atomic_store_n(&m->aways[number], f->lo, __ATOMIC_RELEASE);
    __atomic_store_n(&m->slots[number], f->lo, __ATOMIC_RELEASE);
    if (own->c_at) {
        x86_p_lead_away(m, own->c_at + x86copy_skips(f, 0), own->away_at);
        if (x86copy_skips(f, 0)) x86_p_lead_away(m, own->c_at, own->away_at);
    } else own->failed |= 1;
    if (own->i_at) {
        x86_p_lead_away(m, own->i_at + x86copy_skips(f, 1), own->away_at);
        if (x86copy_skips(f, 1)) x86_p_lead_away(m, own->i_at, own->away_at);
    } else own->failed |= 2;
    f->patched = 0;
    x86_p.changed++;
}

/* Puts the original bytes of an entry back. Returns 0, or -1. */
static int x86_p_restore(const x86flow_function *f, int file) {
    return pwrite(file, f->saved, 5, (off_t)(f->lo + f->patch_at)) == 5 ? 0 : -1;
}

/* The labels of a function lead to its C no more. Returns 0, or -1. */
static int x86_p_restore_labels(const x86_p_module *m, uint32_t number, int file) {
    uint32_t n;
    int failed = 0;
    for (n = 0; n < m->flow.label_count; n++) {
        x86flow_label *l = &m->flow.labels[n];
        if (l->function != number || l->gone) continue;
        l->gone = 1;
        if (x86_p.armed && !l->held && pwrite(file, l->saved, 5, (off_t)l->at) != 5) failed = -1;
    }
    return failed;
}

X86_API int x86_code_changes(const void *address, size_t bytes) {
    uint64_t lo = x86_p_address(address) & ~UINT64_C(4095);
    uint64_t hi = (x86_p_address(address) + bytes + 4095) & ~UINT64_C(4095);
    uint32_t n, k;
    int file = -1, failed = 0, count = 0;
    if (!x86_p.installed || x86_p.writing) return 0;
    for (n = 0; n < x86_p.module_count; n++) {
        x86_p_module *m = &x86_p.modules[n];
        int locked;
        if (m->refusal || !m->shared || hi <= m->flow.text_lo || lo >= m->flow.text_hi) continue;
        if (file < 0) file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        locked = x86_p_lock(m->shared) == 0;
        for (k = 0; k < m->flow.count; k++) {
            x86flow_function *f = &m->flow.functions[k];
            const x86flow_function *part = f->part ? &m->flow.functions[f->part - 1] : NULL;
            int inside = f->lo < hi && f->lo + f->size > lo;
            if (part && part->lo < hi && part->lo + part->size > lo) inside = 1;
            if (!f->patched || !inside) continue;
            x86_p_take_away(m, k);
            count++;
            if (m->copy.functions[k].threaded && x86_p_restore_labels(m, k, file) != 0)
                failed = 1;
            if (!x86_p.armed || m->copy.functions[k].bare) continue;
            if (m->copy.functions[k].held) continue;
            if (x86_p_restore(f, file) != 0) failed = 1;
        }
        if (locked) x86_p_unlock(m->shared);
    }
    if (file >= 0) close(file);
    return failed ? -1 : count;
}
