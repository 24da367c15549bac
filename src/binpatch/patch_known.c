/* ---- patching: what an earlier run found out ---- */

/* The survey reads every instruction of a module, which takes nine tenths of
   the start-up, and it finds the same each time. So the caller may keep what it
   found (config.keep), and hand it back in a later run (config.recall):

       words: | header | function 0: 4 words | function 1 | ... | named | labels |

       function    part; owner; changes, reason, flags; direct, dispatches,
                   unsure_entry, patch_at and the two bits below
       named       addresses of data that the code names, from m->lo on
       labels      labels of threaded interpreters, from m->text_lo on

   The invariant: the key stands for all that the survey reads of the module's
   code, for its functions, for what the GOT binds, for the settings and for
   this code itself. Data of the module's file (relocations, words, tables) is
   not read for the key: the caller hands back what it kept of the same file
   only. All numbers are checked against the module before one is used.

   cost: the text is read once, eight bytes at a time. */

enum { BINPATCH_P_KNOWN_HEADER = 8, BINPATCH_P_KNOWN_FUNCTION = 4 };
enum { BINPATCH_P_KNOWN_PATCHED = 1, BINPATCH_P_KNOWN_BARE = 2 };
#define BINPATCH_P_KNOWN_MAGIC 0x314E4B42u

static uint64_t binpatch_p_mix(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 32;
}

/* Four sums side by side, for one multiplication must wait for the one before
   it. */
static uint64_t binpatch_p_mix_bytes(uint64_t sum, uint64_t lo, uint64_t hi) {
    uint64_t sums[4] = {1, 2, 3, 4}, at = lo;
    uint32_t k;
    for (; hi - at >= 32; at += 32) {
        for (k = 0; k < 4; k++)
            sums[k] = binpatch_p_mix(sums[k], binpatch_p_u64(binpatch_p_at(at + 8 * k)));
    }
    for (; at < hi; at++) sums[0] = binpatch_p_mix(sums[0], *binpatch_p_at(at));
    for (k = 0; k < 4; k++) sum = binpatch_p_mix(sum, sums[k]);
    return binpatch_p_mix(sum, hi - lo);
}

/* Behind binpatch_p_read_dynamic and binpatch_p_read_file. Only text that may be
   read is; 0: there is no key. */
static uint64_t binpatch_p_key_of(const binpatch_p_module *m) {
    const x86flow_module *flow = &m->flow;
    const Elf64_Dyn *d;
    uint64_t sum = BINPATCH_P_KNOWN_MAGIC;
    uint32_t n;
    for (d = m->dynamic; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_TEXTREL) return 0;
        if (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL) return 0;
    }
    if (!binpatch_p.own_sum) {
        uint64_t own = binpatch_p_address((const void *)(uintptr_t)&binpatch_p_mix);
        for (n = 0; n < binpatch_p.other_count; n++) {
            const binpatch_p_other *text = &binpatch_p.others[n];
            if (own >= text->lo && own < text->hi)
                binpatch_p.own_sum = binpatch_p_mix_bytes(1, text->lo, text->hi);
        }
        if (!binpatch_p.own_sum) return 0;
    }
    sum = binpatch_p_mix(sum, binpatch_p.own_sum);
    sum = binpatch_p_mix(sum, (uint32_t)binpatch_p.k_boring);
    sum = binpatch_p_mix(sum, binpatch_p.config.all_checks != 0);
    sum = binpatch_p_mix(sum, flow->hi - flow->lo);
    for (n = 0; n < flow->count; n++) {
        const x86flow_function *f = &flow->functions[n];
        sum = binpatch_p_mix(sum, f->lo - flow->lo);
        sum = binpatch_p_mix(sum, (uint64_t)f->size << 32 | f->pad);
        sum = binpatch_p_mix(sum, (uint64_t)f->reason << 8 | f->flags);
    }
    for (n = 0; n < flow->bound_count; n++) {
        sum = binpatch_p_mix(sum, flow->bound[n].slot - flow->lo);
        sum = binpatch_p_mix(sum, flow->bound[n].function);
    }
    for (n = 0; n < m->code_count; n++)
        sum = binpatch_p_mix_bytes(sum, m->code[n][0], m->code[n][1]);
    return sum ? sum : 1;
}

/* What one function of the words says. Returns 0, or -1: it cannot be so. */
static int binpatch_p_recall_function(const binpatch_p_module *m, uint32_t n, const uint32_t *w,
                                      x86flow_function *out) {
    uint32_t bits = w[3] >> 24 & 3, count = m->flow.count;
    int patched = (bits & BINPATCH_P_KNOWN_PATCHED) != 0;
    *out = m->flow.functions[n];
    out->part = w[0];
    out->owner = w[1];
    out->changes = (uint16_t)w[2];
    out->reason = (uint8_t)(w[2] >> 16);
    out->flags = (uint8_t)(w[2] >> 24);
    out->direct = w[3] & 1;
    out->dispatches = (uint8_t)(w[3] >> 8);
    out->unsure_entry = w[3] >> 1 & 1;
    out->patch_at = (uint8_t)(w[3] >> 16);
    if (out->part > count || (out->owner > count && out->owner != ~0u)) return -1;
    if (out->reason >= BINPATCH_REASONS || (out->patch_at != 0 && out->patch_at != 4)) return -1;
    if (patched == (out->reason != 0) || (bits && !patched)) return -1;
    if (!patched || bits & BINPATCH_P_KNOWN_BARE) return 0;
    return out->size + out->pad < out->patch_at + 5u ? -1 : 0;
}

/* Do the words fit the module? Nothing of it is changed. */
static int binpatch_p_known_fits(const binpatch_p_module *m, const uint32_t *w, size_t words) {
    const x86flow_module *flow = &m->flow;
    size_t functions, n;
    x86flow_function f;
    uint32_t before = 0;
    if (words < BINPATCH_P_KNOWN_HEADER || w[0] != BINPATCH_P_KNOWN_MAGIC) return 0;
    if (w[1] != flow->count) return 0;
    functions = (size_t)flow->count * BINPATCH_P_KNOWN_FUNCTION;
    if (words != BINPATCH_P_KNOWN_HEADER + functions + w[2] + (size_t)w[3]) return 0;
    w += BINPATCH_P_KNOWN_HEADER;
    for (n = 0; n < flow->count; n++, w += BINPATCH_P_KNOWN_FUNCTION) {
        if (binpatch_p_recall_function(m, (uint32_t)n, w, &f) != 0) return 0;
    }
    words -= BINPATCH_P_KNOWN_HEADER + functions;
    w -= functions + BINPATCH_P_KNOWN_HEADER;
    functions += BINPATCH_P_KNOWN_HEADER;
    for (n = 0; n < words; n++) {
        uint32_t value = w[functions + n];
        if (n == w[2]) before = 0;
        if (n && n != w[2] && value < before) return 0;
        before = value;
        if (n < w[2]) {
            if (value > flow->hi - flow->lo) return 0;
        } else {
            const x86flow_function *in = x86flow_function_at(flow, flow->text_lo + value);
            if (!in || flow->text_lo + value + 5 > in->lo + in->size) return 0;
        }
    }
    return 1;
}

/* Was the function patched, and was it bare, in an earlier run? */
static uint32_t binpatch_p_known_bits(const binpatch_p_module *m, uint32_t number) {
    const uint32_t *w = m->known + BINPATCH_P_KNOWN_HEADER;
    return w[(size_t)number * BINPATCH_P_KNOWN_FUNCTION + 3] >> 24 & 3;
}

/* Was a label patched there in an earlier run? */
static int binpatch_p_known_label(const binpatch_p_module *m, uint64_t at) {
    const uint32_t *w = m->known;
    const uint32_t *labels = w + BINPATCH_P_KNOWN_HEADER
                             + (size_t)w[1] * BINPATCH_P_KNOWN_FUNCTION + w[2];
    uint32_t lo = 0, hi = w[3];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (labels[mid] < at - m->flow.text_lo) lo = mid + 1;
        else hi = mid;
    }
    return lo < w[3] && labels[lo] == at - m->flow.text_lo;
}

/* Takes over what an earlier run found out. Returns 1, or 0: nothing is known,
   and the module is as it was. */
static int binpatch_p_recall(binpatch_p_module *m, uint64_t key) {
    const binpatch_config *c = &binpatch_p.config;
    x86flow_module *flow = &m->flow;
    const uint32_t *w, *named;
    uint64_t *list;
    size_t words = 0;
    uint32_t n;
    if (!c->recall || !key) return 0;
    w = c->recall(c->user, m->path, key, &words);
    if (!w || !binpatch_p_known_fits(m, w, words)) return 0;
    list = (uint64_t *)binpatch_p_map(((size_t)w[2] + 1) * sizeof *list, -1);
    if (!list) return 0;
    m->known = w;
    for (n = 0; n < flow->count; n++)
        (void)binpatch_p_recall_function(
            m, n, w + BINPATCH_P_KNOWN_HEADER + (size_t)n * BINPATCH_P_KNOWN_FUNCTION,
            &flow->functions[n]);
    named = w + BINPATCH_P_KNOWN_HEADER + (size_t)flow->count * BINPATCH_P_KNOWN_FUNCTION;
    for (n = 0; n < w[2]; n++) list[n] = flow->lo + named[n];
    flow->named = list;
    flow->named_count = w[2];
    binpatch_p.filters += w[4];
    binpatch_p.recalled++;
    return 1;
}

/* Hands out what was found. */
static void binpatch_p_keep(const binpatch_p_module *m, uint64_t key, uint32_t filters) {
    const binpatch_config *c = &binpatch_p.config;
    const x86flow_module *flow = &m->flow;
    size_t words = BINPATCH_P_KNOWN_HEADER + (size_t)flow->count * BINPATCH_P_KNOWN_FUNCTION
                   + flow->named_count + flow->label_count;
    uint32_t n, *memory, *w;
    if (!c->keep || !key || flow->hi - flow->lo > UINT32_MAX) return;
    memory = w = (uint32_t *)binpatch_p_map(words * sizeof *w, -1);
    if (!w) return;
    w[0] = BINPATCH_P_KNOWN_MAGIC;
    w[1] = flow->count;
    w[2] = flow->named_count;
    w[3] = flow->label_count;
    w[4] = filters;
    w += BINPATCH_P_KNOWN_HEADER;
    for (n = 0; n < flow->count; n++) {
        const x86flow_function *f = &flow->functions[n];
        const x86copy_function *copies = &m->copy.functions[n];
        uint32_t bits = 0;
        if (f->patched) bits |= BINPATCH_P_KNOWN_PATCHED;
        if (copies->bare) bits |= BINPATCH_P_KNOWN_BARE;
        *w++ = f->part;
        *w++ = f->owner;
        *w++ = f->changes | (uint32_t)f->reason << 16 | (uint32_t)f->flags << 24;
        *w++ = (f->direct ? 1u : 0) | (f->unsure_entry ? 2u : 0) | (uint32_t)f->dispatches << 8
               | (uint32_t)f->patch_at << 16 | bits << 24;
    }
    for (n = 0; n < flow->named_count; n++) *w++ = (uint32_t)(flow->named[n] - flow->lo);
    for (n = 0; n < flow->label_count; n++)
        *w++ = (uint32_t)(flow->labels[n].at - flow->text_lo);
    c->keep(c->user, m->path, key, memory, words);
    munmap(memory, words * sizeof *w);
}
