/* ---- patching: nothing is patched, stacks are looked at ---- */

/* Who only wants x86_stack needs no copies, no jumps and no survey of the
   code: the functions that .eh_frame lists, their names, and the rules of their
   frames. That is ready after some milliseconds for a program of any size.

   A part (.cold) belongs to a function, and a survey would tell which. Without
   one the part itself tells, when it is first met: where it jumps back to. If
   it never does, or to several functions, it counts as a function of its own.

   A library that is loaded later becomes a module when a stack first leads
   there. The C library says which one it is (_dl_find_object, which may be
   called in a handler); that is asked anew each time, for the library may be
   gone the next time, and another one in its place.

       module    from the start: ranges and functions      later: what the C library said
                 [0, first_count)                          [first_count, module_count)

   cost: for each frame in such a library one question more. */

/* The number of the function that a part jumps back into, + 1; ~0: nobody can
   tell. A part is read once, MOST instructions of it at most. */
static uint32_t x86_p_owner_of(const x86flow_module *m, const x86flow_function *part) {
    enum { MOST = 4096 };
    uint64_t at = part->lo, end = part->lo + part->size;
    uint32_t owner = 0, n;
    for (n = 0; at < end && n < MOST; n++) {
        x86decode_insn i;
        const x86flow_function *f;
        unsigned length = x86decode(x86_p_at(at), (size_t)(end - at), &i);
        uint64_t to;
        if (!length) break;
        to = x86decode_target(&i, at);
        at += length;
        if (i.kind != X86DECODE_JUMP && i.kind != X86DECODE_BRANCH) continue;
        f = to - part->lo < part->size ? NULL : x86flow_function_at(m, to);
        if (!f || f->lo == to || f->flags & X86FLOW_FRAGMENT) continue;
        if (owner && owner != (uint32_t)(f - m->functions) + 1) return ~0u;
        owner = (uint32_t)(f - m->functions) + 1;
    }
    return owner ? owner : ~0u;
}

/* Where the function starts that a place of code belongs to. */
static uint64_t x86_p_belongs_to(const x86flow_module *m, x86flow_function *f) {
    if (!(f->flags & X86FLOW_FRAGMENT)) return f->lo;
    if (!f->owner) f->owner = x86_p_owner_of(m, f);
    return f->owner == ~0u ? f->lo : m->functions[f->owner - 1].lo;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

/* The text of a module whose first page has its headers, as a linker makes it. */
static void x86_p_find_late_text(x86flow_module *m) {
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)(const void *)x86_p_at(m->lo);
    const ElfW(Phdr) *part;
    uint32_t n;
    uint64_t lo;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG)
        || head->e_phoff + head->e_phnum * sizeof *part > 4096) return;
    part = (const ElfW(Phdr) *)(const void *)x86_p_at(m->lo + head->e_phoff);
    for (n = 0; n < head->e_phnum; n++, part++) {
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        lo = m->bias + part->p_vaddr;
        if (!m->text_hi) m->text_lo = lo;
        m->text_hi = lo + part->p_memsz;
    }
}

/* The module of an address that none from the start has, or NULL. */
static x86_p_module *x86_p_late_module(uint64_t pc) {
    struct dl_find_object found;
    uint32_t n, count = __atomic_load_n(&x86_p.module_count, __ATOMIC_ACQUIRE);
    uint32_t none = 0;
    x86_p_module *m = NULL;
    uint64_t lo;
    if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)pc, &found) != 0) return NULL;
    if (!found.dlfo_eh_frame || !found.dlfo_link_map) return NULL;
    lo = x86_p_address(found.dlfo_map_start);
    for (n = x86_p.first_count; n < count; n++) {
        m = &x86_p.modules[n];
        if (m->flow.lo == lo && m->flow.hi == x86_p_address(found.dlfo_map_end)
            && m->flow.frame_header == (const uint8_t *)found.dlfo_eh_frame
            && m->late == found.dlfo_link_map)
            return m;
    }
    if (!__atomic_compare_exchange_n(&x86_p.late_lock, &none, 1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return NULL;                    /* another thread is at it; this one is told next time */
    m = NULL;
    if (count == x86_p.module_count && count < X86_P_MODULES) {
        m = &x86_p.modules[count];
        memset(m, 0, sizeof *m);
        m->flow.lo = lo;
        m->flow.hi = x86_p_address(found.dlfo_map_end);
        m->flow.bias = found.dlfo_link_map->l_addr;
        m->flow.frame_header = (const uint8_t *)found.dlfo_eh_frame;
        m->late = found.dlfo_link_map;
        x86_p_find_late_text(&m->flow);
        m->path = "";
        m->refusal = "loaded later";
        __atomic_store_n(&x86_p.module_count, count + 1, __ATOMIC_RELEASE);
    } else if (count == X86_P_MODULES) x86_p.modules_left = 1;
    __atomic_store_n(&x86_p.late_lock, 0, __ATOMIC_RELEASE);
    return m;
}
#else
static x86_p_module *x86_p_late_module(uint64_t pc) { return (void)pc, NULL; }
#endif

/* The same as x86_p_learn, of a library that was loaded later. */
static int x86_p_learn_late(uint64_t pc, x86_p_known *out) {
    const x86_p_module *m = x86_p.looks ? x86_p_late_module(pc) : NULL;
    const uint8_t *fde;
    uint64_t start = 0;
    if (!m) return -1;
    fde = x86flow_find_fde(m->flow.frame_header, pc, &start);
    if (!fde) return -1;
    out->module = (uint32_t)(m - x86_p.modules);
    out->place = (uint32_t)(start - m->flow.bias);
    out->function = 0;
    return x86flow_find_rule(fde, pc - start, &out->rule);
}
