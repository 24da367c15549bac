/* ---- patching: what an earlier run found out ---- */

/* The survey reads every instruction of a module, which takes nine tenths of
   the start-up, and it finds the same each time. So the caller may keep what it
   found (config.keep), and hand it back in a later run (config.recall):

       words: | header | function 0: 9 words | function 1 | ... | named | labels |

       function    lo from m->text_lo on; size; its FDE from the .eh_frame_hdr on; part;
                   owner; changes, reason, flags; direct, unsure_entry, dispatches, patch_at
                   and the bits below; pad, displaced; its name from m->lo on, 0: it has none, or
                   one that does not stand in memory
       named       addresses of data that the code names, from m->lo on
       labels      labels of threaded interpreters, from m->text_lo on

   The invariant: the key stands for all that the survey reads of the module's
   code, for what the GOT binds, for the settings and for this code itself. Data
   of the module's file (unwind information, relocations, words, tables) is not
   read for the key: the caller hands back what it kept of the same file only.
   All numbers are checked against the module before one is used.

   The code need not be read where it is surely that of the file: the kernel says
   of which file it is mapped (/proc/self/maps), that file is still the one at
   the module's path, and no page of it was written to (/proc/self/pagemap: a
   page that was is anonymous). The key then has what identifies the file.
   Otherwise it has the sum of the code.

   cost: eight bytes for each page of text; otherwise the text is read once,
   eight bytes at a time. */

enum { X86_P_KNOWN_HEADER = 8, X86_P_KNOWN_FUNCTION = 9 };
enum { X86_P_KNOWN_PATCHED = 1, X86_P_KNOWN_BARE = 2, X86_P_KNOWN_THREADED = 4 };
enum { X86_P_KNOWN_SYMBOLS = 1 };   /* of the header: the file has more names */
#define X86_P_KNOWN_MAGIC 0x334E4B42u

static uint64_t x86_p_mix_word(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 32;
}

/* Four sums side by side, for one multiplication must wait for the one before
   it. */
static uint64_t x86_p_mix_bytes(uint64_t sum, uint64_t lo, uint64_t hi) {
    uint64_t sums[4] = {1, 2, 3, 4}, at = lo;
    uint32_t k;
    for (; hi - at >= 32; at += 32) {
        for (k = 0; k < 4; k++)
            sums[k] = x86_p_mix_word(sums[k], x86_p_u64(x86_p_at(at + 8 * k)));
    }
    for (; at < hi; at++) sums[0] = x86_p_mix_word(sums[0], *x86_p_at(at));
    for (k = 0; k < 4; k++) sum = x86_p_mix_word(sum, sums[k]);
    return x86_p_mix_word(sum, hi - lo);
}

/* A line of /proc/self/maps. */
static void x86_p_note_mapping(const char *line) {
    unsigned long long lo, hi, offset, inode;
    unsigned major_number, minor_number;
    char execute;
    uint32_t n, k;
    if (sscanf(line, "%llx-%llx %*c%*c%c%*c %llx %x:%x %llu", &lo, &hi, &execute, &offset,
               &major_number, &minor_number, &inode) != 7
        || execute != 'x')
        return;
    for (n = 0; n < x86_p.module_count; n++) {
        x86_p_module *m = &x86_p.modules[n];
        uint64_t device = makedev(major_number, minor_number);
        for (k = 0; k < m->code_count; k++) {
            if (m->code[k][0] < lo || m->code[k][1] > hi) continue;
            if (offset + (m->code[k][0] - lo) != m->code_offset[k]) continue;
            if (m->mapped_count && (m->mapped[0] != device || m->mapped[1] != inode)) continue;
            m->mapped[0] = device;
            m->mapped[1] = inode;
            m->mapped_count++;
        }
    }
}

/* Notes of all modules which files their code is mapped from. */
static void x86_p_find_mappings(void) {
    enum { ROOM = 1 << 16 };
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char *text = (char *)x86_p_map(ROOM, -1), *line, *end;
    size_t have = 0;
    ssize_t got = 1;
    while (file >= 0 && text && got > 0) {
        got = read(file, text + have, ROOM - 1 - have);
        if (got > 0) have += (size_t)got;
        text[have] = 0;
        for (line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            x86_p_note_mapping(line);
        }
        have -= (size_t)(line - text);
        if (have == ROOM - 1) have = 0;         /* no line is that long */
        memmove(text, line, have);
    }
    if (text) munmap(text, ROOM);
    if (file >= 0) close(file);
}

/* Was none of these pages written to? */
static int x86_p_is_clean(uint64_t lo, uint64_t hi, int pagemap) {
    enum { ENTRIES = 512 };
    uint64_t entries[ENTRIES], page = lo >> 12, end = (hi + 4095) >> 12, k;
    while (page < end) {
        uint64_t count = end - page < ENTRIES ? end - page : (uint64_t)ENTRIES;
        if (pread(pagemap, entries, 8 * count, (off_t)(8 * page)) != (ssize_t)(8 * count)) return 0;
        for (k = 0; k < count; k++) {
            int present = (entries[k] >> 63 & 1) != 0, of_file = (entries[k] >> 61 & 1) != 0;
            if (entries[k] >> 62 & 1 || (present && !of_file)) return 0;
        }
        page += count;
    }
    return 1;
}

/* Is the module's code that of the file at its path? Then *sum goes on with what
   identifies the file. Returns 1 or 0. */
static int x86_p_is_as_filed(const x86_p_module *m, uint64_t *sum) {
    struct stat s;
    int pagemap, clean;
    uint32_t n;
    if (m->mapped_count != m->code_count || !m->mapped[1]) return 0;
    if (stat(*m->path ? m->path : "/proc/self/exe", &s) != 0) return 0;
    if ((uint64_t)s.st_dev != m->mapped[0] || (uint64_t)s.st_ino != m->mapped[1]) return 0;
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    clean = pagemap >= 0;
    for (n = 0; clean && n < m->code_count; n++)
        clean = x86_p_is_clean(m->code[n][0], m->code[n][1], pagemap);
    if (pagemap >= 0) close(pagemap);
    if (!clean) return 0;
    *sum = x86_p_mix_word(*sum, (uint64_t)s.st_dev);
    *sum = x86_p_mix_word(*sum, (uint64_t)s.st_ino);
    *sum = x86_p_mix_word(*sum, (uint64_t)s.st_size);
    *sum = x86_p_mix_word(*sum, (uint64_t)s.st_mtim.tv_sec ^ (uint64_t)s.st_mtim.tv_nsec << 32);
    *sum = x86_p_mix_word(*sum, (uint64_t)s.st_ctim.tv_sec ^ (uint64_t)s.st_ctim.tv_nsec << 32);
    return 1;
}

/* Behind x86_p_find_own_slots. Only text that may be read is; 0: there is
   no key. */
static uint64_t x86_p_key_of(const x86_p_module *m) {
    const x86flow_module *flow = &m->flow;
    const Elf64_Dyn *d;
    uint64_t sum = X86_P_KNOWN_MAGIC;
    uint32_t n;
    for (d = m->dynamic; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_TEXTREL) return 0;
        if (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL) return 0;
    }
    if (!x86_p.own_sum) {
        uint64_t own = x86_p_address((const void *)(uintptr_t)&x86_p_mix_word);
        for (n = 0; n < x86_p.other_count; n++) {
            const x86_p_other *text = &x86_p.others[n];
            if (own >= text->lo && own < text->hi)
                x86_p.own_sum = x86_p_mix_bytes(1, text->lo, text->hi);
        }
        if (!x86_p.own_sum) return 0;
    }
    sum = x86_p_mix_word(sum, x86_p.own_sum);
    sum = x86_p_mix_word(sum, (uint32_t)x86_p.k_boring);
    sum = x86_p_mix_word(sum, x86_p.config.all_checks != 0);
    sum = x86_p_mix_word(sum, flow->hi - flow->lo);
    sum = x86_p_mix_word(sum, x86_p_address(flow->frame_header) - flow->lo);
    for (n = 0; n < m->own_slot_count; n++) {
        sum = x86_p_mix_word(sum, m->own_slots[n].slot - flow->lo);
        sum = x86_p_mix_word(sum, m->own_slots[n].to - flow->lo);
    }
    if (x86_p_is_as_filed(m, &sum)) return sum ? sum : 1;
    sum = x86_p_mix_word(sum, m->code_count);
    for (n = 0; n < m->code_count; n++)
        sum = x86_p_mix_bytes(sum, m->code[n][0], m->code[n][1]);
    return sum ? sum : 1;
}

/* What one function of the words says; `before` ends at or before it. Returns
   0, or -1: it cannot be so. */
static int x86_p_recall_function(const x86_p_module *m, uint32_t count, const uint32_t *w,
                                      uint64_t before, x86flow_function *out) {
    const x86flow_module *flow = &m->flow;
    uint64_t text = flow->text_hi - flow->text_lo, fde;
    uint32_t bits = w[6] >> 24;
    int patched = (bits & X86_P_KNOWN_PATCHED) != 0;
    memset(out, 0, sizeof *out);
    fde = x86_p_address(flow->frame_header) + (uint64_t)(int64_t)(int32_t)w[2];
    out->lo = flow->text_lo + w[0];
    out->size = w[1];
    out->fde = x86_p_at(fde);
    out->part = w[3];
    out->owner = w[4];
    out->changes = (uint16_t)w[5];
    out->reason = (uint8_t)(w[5] >> 16);
    out->flags = (uint8_t)(w[5] >> 24);
    out->direct = w[6] & 1;
    out->unsure_entry = w[6] >> 1 & 1;
    out->dispatches = (uint8_t)(w[6] >> 8);
    out->patch_at = (uint8_t)(w[6] >> 16);
    out->pad = w[7] & 0xFF;
    out->displaced = (uint8_t)(w[7] >> 8);
    if (w[8]) out->name = (const char *)x86_p_at(flow->lo + w[8]);
    if (bits & X86_P_KNOWN_BARE) out->noted |= X86_P_NOTED_BARE;
    if (bits & X86_P_KNOWN_THREADED) out->noted |= X86_P_NOTED_THREADED;
    if (w[0] >= text || !w[1] || w[1] > text - w[0] || out->lo < before) return -1;
    if (out->pad > text - w[0] - w[1] || fde < flow->lo || fde >= flow->hi) return -1;
    if (w[8] >= flow->hi - flow->lo) return -1;
    if (out->part > count || (out->owner > count && out->owner != ~0u)) return -1;
    if (out->reason >= X86_REASONS || (out->patch_at != 0 && out->patch_at != 4)) return -1;
    if (patched == (out->reason != 0) || bits > 7 || (bits && !patched)) return -1;
    if (out->displaced && (uint32_t)out->patch_at + out->displaced > out->size) return -1;
    if (!patched || bits & X86_P_KNOWN_BARE) return 0;
    if (out->displaced && out->displaced < 5u && out->patch_at + out->displaced != out->size)
        return -1;
    return out->size + out->pad < out->patch_at + 5u ? -1 : 0;
}

/* Lists the functions that the words tell of. Returns 0, or -1: they do not fit
   the module. */
static int x86_p_recall_functions(x86_p_module *m, const uint32_t *w, uint32_t count) {
    x86flow_function *functions;
    uint64_t before = m->flow.text_lo;
    uint32_t n;
    functions = (x86flow_function *)x86_p_map((size_t)count * sizeof *functions, -1);
    if (!functions) return -1;
    for (n = 0; n < count; n++, w += X86_P_KNOWN_FUNCTION) {
        if (x86_p_recall_function(m, count, w, before, &functions[n]) != 0) {
            munmap(functions, (size_t)count * sizeof *functions);
            return -1;
        }
        before = functions[n].lo + 1;   /* odd ones overlap: they are not patched */
    }
    m->flow.functions = functions;
    m->flow.count = count;
    return 0;
}

/* Addresses from `base` on, in rising order. Returns NULL: they are not, or
   there is no memory. */
static uint64_t *x86_p_recall_list(const uint32_t *w, uint32_t count, uint64_t base,
                                        uint64_t bytes) {
    uint64_t *list = (uint64_t *)x86_p_map(((size_t)count + 1) * sizeof *list, -1);
    uint32_t n;
    for (n = 0; list && n < count; n++) {
        if (w[n] > bytes || (n && w[n] < w[n - 1])) {
            munmap(list, ((size_t)count + 1) * sizeof *list);
            return NULL;
        }
        list[n] = base + w[n];
    }
    return list;
}

/* Each label must stand whole in a function. */
static int x86_p_labels_fit(const x86_p_module *m) {
    uint32_t n;
    for (n = 0; n < m->known_label_count; n++) {
        uint64_t at = m->known_labels[n];
        const x86flow_function *in = x86flow_function_at(&m->flow, at);
        if (!in || at + 5 > in->lo + in->size) return 0;
    }
    return 1;
}

/* Takes the words over. Returns 1, or 0: they do not fit the module, which is as
   it was. */
static int x86_p_take_known(x86_p_module *m, const uint32_t *w, size_t words) {
    x86flow_module *flow = &m->flow;
    size_t functions;
    const uint32_t *named;
    uint64_t *list;
    if (words < X86_P_KNOWN_HEADER || w[0] != X86_P_KNOWN_MAGIC || !w[1]) return 0;
    functions = (size_t)w[1] * X86_P_KNOWN_FUNCTION;
    if (words != X86_P_KNOWN_HEADER + functions + w[2] + (size_t)w[3]) return 0;
    named = w + X86_P_KNOWN_HEADER + functions;
    list = x86_p_recall_list(named, w[2], flow->lo, flow->hi - flow->lo);
    m->known_label_count = w[3];
    m->known_labels = x86_p_recall_list(named + w[2], w[3], flow->text_lo,
                                             flow->text_hi - flow->text_lo);
    if (list && m->known_labels
        && x86_p_recall_functions(m, w + X86_P_KNOWN_HEADER, w[1]) == 0) {
        flow->named = list;
        flow->named_count = w[2];
        if (x86_p_labels_fit(m)) return 1;
    }
    flow->functions = NULL;
    flow->named = NULL;
    flow->count = flow->named_count = 0;
    return 0;
}

/* Was a label patched there in an earlier run? */
static int x86_p_known_label(const x86_p_module *m, uint64_t at) {
    uint32_t lo = 0, hi = m->known_label_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->known_labels[mid] < at) lo = mid + 1;
        else hi = mid;
    }
    return lo < m->known_label_count && m->known_labels[lo] == at;
}

/* Takes over what an earlier run found out, the list of functions too. Returns
   1, or 0: nothing is known, and the module is as it was. */
static int x86_p_recall(x86_p_module *m) {
    const x86_config *c = &x86_p.config;
    const uint32_t *w;
    size_t words = 0;
    if ((!c->recall && !c->keep) || x86_p.looks || !m->flow.frame_header) return 0;
    x86_p_find_own_slots(m);
    m->key = x86_p_key_of(m);
    w = c->recall && m->key ? c->recall(c->user, m->path, m->key, &words) : NULL;
    m->known = w && x86_p_take_known(m, w, words);
    if (!m->known) return 0;
    m->has_symbols = (w[5] & X86_P_KNOWN_SYMBOLS) != 0;
    x86_p.filters += w[4];
    x86_p.recalled++;
    return 1;
}

/* Hands out what was found. */
static void x86_p_keep(const x86_p_module *m, uint32_t filters) {
    const x86_config *c = &x86_p.config;
    const x86flow_module *flow = &m->flow;
    size_t words = X86_P_KNOWN_HEADER + (size_t)flow->count * X86_P_KNOWN_FUNCTION
                   + flow->named_count + flow->label_count;
    uint32_t n, *memory, *w;
    if (!c->keep || !m->key || flow->hi - flow->lo > INT32_MAX) return;
    memory = w = (uint32_t *)x86_p_map(words * sizeof *w, -1);
    if (!w) return;
    w[0] = X86_P_KNOWN_MAGIC;
    w[1] = flow->count;
    w[2] = flow->named_count;
    w[3] = flow->label_count;
    w[4] = filters;
    w[5] = m->has_symbols ? X86_P_KNOWN_SYMBOLS : 0;
    w += X86_P_KNOWN_HEADER;
    for (n = 0; n < flow->count; n++) {
        const x86flow_function *f = &flow->functions[n];
        uint64_t name = f->name ? x86_p_address(f->name) - flow->lo : 0;
        uint32_t bits = 0;
        if (f->patched) bits |= X86_P_KNOWN_PATCHED;
        if (m->copy.functions[n].bare) bits |= X86_P_KNOWN_BARE;
        if (f->patched && f->noted & X86_P_NOTED_THREADED) bits |= X86_P_KNOWN_THREADED;
        *w++ = (uint32_t)(f->lo - flow->text_lo);
        *w++ = f->size;
        *w++ = (uint32_t)(f->fde - flow->frame_header);
        *w++ = f->part;
        *w++ = f->owner;
        *w++ = f->changes | (uint32_t)f->reason << 16 | (uint32_t)f->flags << 24;
        *w++ = (f->direct ? 1u : 0) | (f->unsure_entry ? 2u : 0) | (uint32_t)f->dispatches << 8
               | (uint32_t)f->patch_at << 16 | bits << 24;
        *w++ = f->pad | (uint32_t)f->displaced << 8;
        *w++ = name < flow->hi - flow->lo ? (uint32_t)name : 0;
    }
    for (n = 0; n < flow->named_count; n++) *w++ = (uint32_t)(flow->named[n] - flow->lo);
    for (n = 0; n < flow->label_count; n++)
        *w++ = (uint32_t)(flow->labels[n].at - flow->text_lo);
    c->keep(c->user, m->path, m->key, memory, words);
    munmap(memory, words * sizeof *w);
}
