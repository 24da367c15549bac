/* ---- patching: labels of threaded interpreters ---- */

/* An interpreter keeps addresses of its labels in its bytecode, and jumps to
   them. In a copy each such jump would have to be translated, which takes 17
   instructions. But nothing has to be done where the label itself is patched:

       C         jmp *(%r15)  -----.           what the program wrote
       original  label: jmp  <-----'---.       five bytes, as at an entry
       C         check; label  <-------'

   So C's dispatches are as they were. Registers, flags and the stack are equal
   in C and in the original at each instruction, so who jumps to a label by
   other ways, or comes from the original code, may just as well go on in C. A
   target that is no label, or one that cannot be patched, runs in the original
   until the next dispatch. So does a label behind which nothing but plain
   instructions stands, for C has nothing else there: it is not patched. I goes
   on translating: a burst stays in it.

   The invariant: nobody jumps to, returns to or lands in the four bytes behind
   a patched label. A label that is followed by a whole instruction of five
   bytes has nothing there. Otherwise no direct jump, no table, no word of data
   and no lea may name what stands there, none of the distances that the
   function may add to a label of its own, and no exception may land in the
   function.

   C is made at once, while one thread runs; switched off, the label still leads
   to C, which then takes no samples.

   cost: C of such functions at start-up; one instruction for each dispatch to a
   label that has a check or calls something. */

enum { X86_P_BASES = 8 };

/* Labels of its own that the function names by lea: it may add distances to
   them. Returns how many; more than X86_P_BASES: too many to follow. */
static uint32_t x86_p_find_bases(const x86flow_body *b, uint64_t *bases) {
    uint32_t n, k, count = 0;
    for (n = 0; n < b->count; n++) {
        const x86flow_insn *i = &b->insn[n];
        uint64_t to;
        if (i->i.map != 0 || i->i.opcode != 0x8D || i->i.base != X86DECODE_RIP) continue;
        to = x86flow_address(b, i->offset) + i->i.length + (uint64_t)i->i.displacement;
        if (to - b->f->lo >= b->f->size) continue;
        for (k = 0; k < count && k < X86_P_BASES && bases[k] != to; k++) { }
        if (k < count && k < X86_P_BASES) continue;
        if (count < X86_P_BASES) bases[count] = to;
        count++;
    }
    return count;
}

/* Two words of 32 bits in a row that lead from the same label to instructions
   of the function may be a table of distances; what is none only keeps a label
   from being patched. */
static void x86_p_touch_distances(const x86_p_module *m, const x86flow_body *b,
                                       x86flow_graph *g, const uint64_t *bases, uint32_t count) {
    uint32_t n, k;
    for (n = 0; count && n < m->data_count; n++) {
        uint64_t at = (m->data[n][0] + 3) & ~UINT64_C(3), before[X86_P_BASES];
        memset(before, 0, sizeof before);
        for (; at + 4 <= m->data[n][1]; at += 4) {
            int64_t distance = x86_p_s32(x86_p_at(at));
            for (k = 0; k < count; k++) {
                uint64_t to = bases[k] + (uint64_t)distance;
                if (to - b->f->lo >= b->f->size || x86flow_insn_at(b, to) == ~0u) to = 0;
                if (to && before[k]) {
                    x86flow_p_touch(g, &m->flow, before[k]);
                    x86flow_p_touch(g, &m->flow, to);
                }
                before[k] = to;
            }
        }
    }
}

/* May the five bytes at a label be overwritten? */
static int x86_p_label_has_room(const x86_p_module *m, const x86flow_body *b,
                                     const x86flow_graph *g, uint32_t n, int alone) {
    uint32_t at = b->insn[n].offset, k;
    if (at < b->f->patch_at + 5u || at + 5 > b->f->size) return 0;
    for (k = 1; k < 5; k++) {
        uint32_t number = b->index[at + k];
        uint64_t address = b->f->lo + at + k;
        if (x86flow_touched(g, &m->flow, address) || x86flow_p_is_pointed(g, &m->flow, address))
            return 0;
        if (number && (alone || b->insn[number - 1].target)) return 0;
    }
    return 1;
}

/* Does nothing stand between a label and the next dispatches but plain
   instructions and direct jumps, and no check? Then a copy of it would be what
   it is itself. */
static int x86_p_is_plain_piece(x86flow_body *s, uint32_t label) {
    uint32_t top = 0, most = 2 * (s->text_max + 64);
    s->epoch++;
    s->pending[top++] = label;
    while (top) {
        uint32_t n = s->pending[--top], to;
        const x86flow_insn *k = &s->insn[n];
        if (s->mark[n] == s->epoch) continue;
        s->mark[n] = s->epoch;
        if (k->target & X86FLOW_TARGET_CHECKED || top + 2 > most) return 0;
        if (k->i.kind == X86DECODE_JUMP_INDIRECT && k->dispatch == X86FLOW_TRANSLATE) continue;
        if (k->i.kind != X86DECODE_PLAIN && k->i.kind != X86DECODE_JUMP
            && k->i.kind != X86DECODE_BRANCH)
            return 0;
        if (k->i.kind != X86DECODE_PLAIN) {
            to = x86flow_goes_to(s, k);
            if (to == ~0u) return 0;
            s->pending[top++] = to;
        }
        if (x86flow_runs_on(s, n)) s->pending[top++] = n + 1;
        else if (x86flow_falls_through(k)) return 0;
    }
    return 1;
}

/* Adds the labels of a function whose C was emitted just now. */
static void x86_p_take_labels(x86_p_module *m, x86flow_graph *g, uint32_t number) {
    const x86flow_body *b = &x86_p.body;
    const x86copy_function *own = &m->copy.functions[number];
    uint64_t bases[X86_P_BASES];
    uint32_t n, count = x86_p_find_bases(b, bases);
    int alone = x86flow_p_may_have_pads(b) || count > X86_P_BASES;
    if (!alone && !m->known) x86_p_touch_distances(m, b, g, bases, count);
    for (n = 1; n < b->part_first; n++) {
        const x86copy_spot *spot = &x86_p.copy.spot[n];
        x86flow_label *l = &m->flow.labels[m->flow.label_count];
        int checked = b->insn[n].target & X86FLOW_TARGET_CHECKED && spot->thunk;
        if (m->flow.label_count == m->labels_max) return;
        if (!(b->insn[n].target & X86FLOW_TARGET_TABLE)) continue;
        if (!m->known && x86_p_is_plain_piece(&x86_p.body, n)) continue;
        if (m->known ? !x86_p_known_label(m, b->f->lo + b->insn[n].offset)
                     : !x86_p_label_has_room(m, b, g, n, alone))
            continue;
        memset(l, 0, sizeof *l);
        l->at = b->f->lo + b->insn[n].offset;
        l->to = m->copy.rx + own->c_at + (checked ? spot->thunk : spot->at);
        l->function = number;
        memcpy(l->saved, b->text + b->insn[n].offset, sizeof l->saved);
        m->flow.label_count++;
    }
}

/* Does the function that was read dispatch as an interpreter does? */
static int x86_p_is_threaded(const x86flow_body *b) {
    uint32_t n, dispatches = 0, labels = 0;
    for (n = 0; n < b->part_first; n++) {
        dispatches += b->insn[n].i.kind == X86DECODE_JUMP_INDIRECT
                      && b->insn[n].dispatch == X86FLOW_TRANSLATE;
        labels += (b->insn[n].target & X86FLOW_TARGET_TABLE) != 0;
    }
    return dispatches >= X86FLOW_THREADED && labels >= X86FLOW_THREADED;
}

static int x86_p_may_be_threaded(const x86_p_module *m, const x86flow_function *f) {
    if (m->known) return (f->noted & X86_P_NOTED_THREADED) != 0;
    return f->dispatches >= X86FLOW_THREADED;
}

/* Makes C of threaded functions, and lists their labels. */
static void x86_p_find_labels(x86_p_module *m, x86flow_graph *g) {
    uint32_t n, bytes = 0;
    for (n = 0; n < m->flow.count; n++) {
        const x86flow_function *f = &m->flow.functions[n];
        if (f->patched && !m->copy.functions[n].bare && x86_p_may_be_threaded(m, f))
            bytes += f->size;
    }
    m->labels_max = bytes / 5;
    if (!bytes) return;
    m->flow.labels = (x86flow_label *)x86_p_map(m->labels_max * sizeof *m->flow.labels, -1);
    for (n = 0; m->flow.labels && n < m->flow.count; n++) {
        x86flow_function *f = &m->flow.functions[n];
        x86copy_function *own = &m->copy.functions[n];
        if (!f->patched || own->bare || !x86_p_may_be_threaded(m, f)) continue;
        if (x86flow_decode(&x86_p.body, &m->flow, f, 0) != 0) continue;
        x86flow_note_callees(&x86_p.body, &m->flow);
        if (x86_p_read(m, n) != 0 || !x86_p_is_threaded(&x86_p.body)) continue;
        own->threaded = 1;
        f->noted |= X86_P_NOTED_THREADED;
        (void)x86_p_make_c(m, n);
        if (own->c_at) x86_p_take_labels(m, g, n);
    }
}

/* The label whose five bytes, but the first, a word points to; or NULL. */
static x86flow_label *x86_p_label_around(const x86_p_module *m, uint64_t word) {
    uint32_t lo = 0, hi = m->flow.label_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->flow.labels[mid].at < word) lo = mid + 1;
        else hi = mid;
    }
    return lo && word - m->flow.labels[lo - 1].at < 5 ? &m->flow.labels[lo - 1] : NULL;
}
