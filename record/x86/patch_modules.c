/* ---- patching: modules of this process ---- */

static int x86_p_each_module(struct dl_phdr_info *info, size_t size, void *user) {
    x86_p_module *m = &x86_p.modules[x86_p.module_count];
    x86flow_module *flow = &m->flow;
    uint64_t own = x86_p_address((const void *)(uintptr_t)&x86_p_each_module);
    const char *path = info->dlpi_name ? info->dlpi_name : "", *base;
    int n, own_module = 0, first = x86_p.module_count == 0 && !*path;
    (void)size;
    (void)user;
    if (x86_p.module_count == X86_P_MODULES) {    /* an event has eight bits for it */
        x86_p.modules_left++;
        return 0;
    }
    memset(m, 0, sizeof *m);
    flow->bias = info->dlpi_addr;
    flow->lo = flow->text_lo = ~UINT64_C(0);
    m->path = path;
    for (n = 0; n < info->dlpi_phnum; n++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[n];
        uint64_t lo = flow->bias + p->p_vaddr, hi = lo + p->p_memsz;
        if (p->p_type == PT_DYNAMIC)
            m->dynamic = (const Elf64_Dyn *)(const void *)x86_p_at(lo);
        if (p->p_type == PT_GNU_EH_FRAME) flow->frame_header = x86_p_at(lo);
        if (p->p_type != PT_LOAD) continue;
        if (lo < flow->lo) flow->lo = lo;
        if (hi > flow->hi) flow->hi = hi;
        if (p->p_flags & PF_R && flow->readable_count < 8) {
            flow->readable[flow->readable_count][0] = lo;
            flow->readable[flow->readable_count++][1] = hi;
        }
        if (!(p->p_flags & PF_X) && p->p_flags & PF_R && m->data_count < 8) {
            m->data[m->data_count][0] = lo;
            m->data[m->data_count++][1] = lo + p->p_filesz;
        }
        if (!(p->p_flags & PF_X)) continue;
        if (m->code_count < 8) {
            m->code_offset[m->code_count] = p->p_offset;
            m->code[m->code_count][0] = lo;
            m->code[m->code_count++][1] = hi;
        }
        if (lo < flow->text_lo) flow->text_lo = lo;
        if (hi > flow->text_hi) flow->text_hi = hi;
        if (own >= lo && own < hi) own_module = 1;
    }
    base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!flow->text_hi) return 0;
    if (x86_p.other_count < X86_P_MODULES) {
        x86_p_other *other = &x86_p.others[x86_p.other_count++];
        other->lo = flow->text_lo;
        other->hi = flow->text_hi;
        other->frame_header = flow->frame_header;
    }
    if ((!*path && !first) || (own_module && *path)) return 0;
    if (!strncmp(base, "linux-vdso", 10)) return 0;
    if (!strncmp(base, "ld-linux", 8) && !x86_p.looks) return 0;
    if (x86_p.config.want) {
        if (!x86_p.config.want(x86_p.config.user, path, NULL)) return 0;
    } else if (!strncmp(base, "libc.so", 7) || !strncmp(base, "libgcc_s.", 9))
        return 0;
    x86_p.module_count++;
    return 0;
}

/* What ld.so knows of a module's symbols and relocations. */
typedef struct x86_p_dynamic {
    const Elf64_Sym *symbols;
    const char *names;
    size_t count;
    const Elf64_Rela *rela[2];
    size_t rela_count[2];
    const uint64_t *relr;       /* packed: words that the module's place was added to */
    size_t relr_count;
} x86_p_dynamic;

enum { X86_P_RELRSZ = 35, X86_P_RELR = 36 };  /* older elf.h have no names for them */

/* DT_GNU_HASH does not say how many symbols there are: the end of the last
   chain does. */
static size_t x86_p_count_symbols(const uint32_t *gnu) {
    const uint32_t *buckets = gnu + 4 + gnu[2] * 2, *chain = buckets + gnu[0];
    size_t n, last = 0;
    for (n = 0; n < gnu[0]; n++) {
        if (buckets[n] > last) last = buckets[n];
    }
    if (!last) return 0;
    while (!(chain[last - gnu[1]] & 1)) last++;
    return last + 1;
}

static int x86_p_open_dynamic(const x86_p_module *m, x86_p_dynamic *y) {
    const Elf64_Dyn *d;
    const uint32_t *hash = NULL, *gnu = NULL;
    memset(y, 0, sizeof *y);
    if (!m->dynamic) return -1;
    for (d = m->dynamic; d->d_tag != DT_NULL; d++) {
        uint64_t at = d->d_un.d_ptr;
        const void *p;
        if (at < m->flow.lo && m->flow.bias) at += m->flow.bias; /* ld.so leaves some as is */
        p = x86_p_at(at);
        switch (d->d_tag) {
        case DT_SYMTAB: y->symbols = (const Elf64_Sym *)p; break;
        case DT_STRTAB: y->names = (const char *)p; break;
        case DT_HASH: hash = (const uint32_t *)p; break;
        case DT_GNU_HASH: gnu = (const uint32_t *)p; break;
        case DT_RELA: y->rela[0] = (const Elf64_Rela *)p; break;
        case DT_RELASZ: y->rela_count[0] = d->d_un.d_val / sizeof(Elf64_Rela); break;
        case DT_JMPREL: y->rela[1] = (const Elf64_Rela *)p; break;
        case X86_P_RELR: y->relr = (const uint64_t *)p; break;
        case X86_P_RELRSZ: y->relr_count = d->d_un.d_val / sizeof *y->relr; break;
        case DT_PLTRELSZ: y->rela_count[1] = d->d_un.d_val / sizeof(Elf64_Rela); break;
        default: break;
        }
    }
    if (hash)
        y->count = hash[1];
    else if (gnu)
        y->count = x86_p_count_symbols(gnu);
    return y->symbols && y->names ? 0 : -1;
}

/* Calls of a module's own exported functions go through its GOT. Does this slot
   lead to its own symbol? ld.so has said so already, or it will when the
   function is first called: then the slot still leads to a stub of the PLT, and
   the name must mean the module's own function to the whole process. */
static int x86_p_leads_home(const x86_p_module *m, uint64_t slot, uint64_t at,
                                 const char *name) {
    uint64_t now = x86_p_u64(x86_p_at(slot));
    if (now == at) return 1;
    if (now && !x86_p_in_text(m, now)) return 0;
    return dlsym(RTLD_DEFAULT, name) == (const void *)x86_p_at(at);
}

static void x86_p_find_own_slots(x86_p_module *m) {
    x86_p_dynamic y;
    size_t part, n, max;
    if (m->own_slots || x86_p_open_dynamic(m, &y) != 0) return;
    max = y.rela_count[0] + y.rela_count[1];
    m->own_slots = (x86_p_own_slot *)x86_p_map((max + 1) * sizeof *m->own_slots, -1);
    for (part = 0; m->own_slots && part < 2; part++) {
        for (n = 0; y.rela[part] && n < y.rela_count[part]; n++) {
            const Elf64_Rela *r = &y.rela[part][n];
            const Elf64_Sym *symbol = &y.symbols[r->r_info >> 32];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            uint64_t slot = m->flow.bias + r->r_offset, at = m->flow.bias + symbol->st_value;
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
            if (!symbol->st_shndx || (symbol->st_info & 15) != STT_FUNC) continue;
            if (!x86_p_leads_home(m, slot, at, y.names + symbol->st_name)) continue;
            m->own_slots[m->own_slot_count].slot = slot;
            m->own_slots[m->own_slot_count++].to = at;
        }
    }
}

/* Copies call directly what such slots lead to. */
static void x86_p_bind(x86_p_module *m) {
    x86flow_bound *bound;
    uint32_t n;
    x86_p_find_own_slots(m);
    m->flow.bound_count = 0;
    bound = (x86flow_bound *)x86_p_map((m->own_slot_count + 1) * sizeof *bound, -1);
    for (n = 0; bound && n < m->own_slot_count; n++) {
        uint64_t to = m->own_slots[n].to;
        const x86flow_function *f = x86flow_function_at(&m->flow, to);
        if (!f || f->lo != to) continue;
        x86flow_bind(&m->flow, bound, m->own_slots[n].slot, (uint32_t)(f - m->flow.functions));
    }
}

/* The names of exported functions, which serve the filter; and where the GOT
   leads. */
static void x86_p_read_dynamic(x86_p_module *m) {
    x86_p_dynamic y;
    size_t n, part;
    if (x86_p_open_dynamic(m, &y) != 0) return;
    for (n = 0; !m->known && n < y.count; n++) {
        unsigned type = y.symbols[n].st_info & 15;
        uint64_t at = m->flow.bias + y.symbols[n].st_value;
        x86flow_function *f;
        if (!y.symbols[n].st_shndx) continue;
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at && !f->name) f->name = y.names + y.symbols[n].st_name;
    }
    x86_p_bind(m);
    for (part = 0; part < 2; part++) {
        for (n = 0; y.rela[part] && n < y.rela_count[part]; n++) {
            const Elf64_Rela *r = &y.rela[part][n];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
            x86copy_note_import(&m->copy, y.names + y.symbols[r->r_info >> 32].st_name,
                                m->flow.bias + r->r_offset);
        }
    }
}

/* Packed relocations (DT_RELR). An even entry is the place of a word; each odd
   one behind it has a bit for each of the next 63 words. The words themselves
   hold addresses by now. */
static void x86_p_take_packed(const x86_p_module *m, const x86_p_dynamic *y,
                                   x86flow_graph *g) {
    uint64_t at = m->flow.bias, bits;
    size_t n, k;
    for (n = 0; y->relr && n < y->relr_count; n++) {
        if (y->relr[n] & 1) {
            for (k = 0, bits = y->relr[n] >> 1; bits; k++, bits >>= 1) {
                if (bits & 1) x86flow_take(g, &m->flow, x86_p_u64(x86_p_at(at + 8 * k)));
            }
            at += 63 * 8;
        } else {
            at = m->flow.bias + y->relr[n];
            x86flow_take(g, &m->flow, x86_p_u64(x86_p_at(at)));
            at += 8;
        }
    }
}

/* Exported functions may be called by anybody, and so may those whose addresses
   stand in data. */
static void x86_p_take_dynamic(const x86_p_module *m, x86flow_graph *g) {
    x86_p_dynamic y;
    size_t n, part;
    if (x86_p_open_dynamic(m, &y) != 0) return;
    for (n = 0; n < y.count; n++) {
        unsigned type = y.symbols[n].st_info & 15;
        if (!y.symbols[n].st_shndx) continue;
        if (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE)
            x86flow_take(g, &m->flow, m->flow.bias + y.symbols[n].st_value);
    }
    for (part = 0; part < 2; part++) {
        for (n = 0; y.rela[part] && n < y.rela_count[part]; n++) {
            const Elf64_Rela *r = &y.rela[part][n];
            unsigned type = (unsigned)(r->r_info & 0xFFFFFFFF);
            if (type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE)
                x86flow_take(g, &m->flow, m->flow.bias + (uint64_t)r->r_addend);
        }
    }
    x86_p_take_packed(m, &y, g);
}

/* Words of data that hold addresses of the module's code. */
static void x86_p_read_data(const x86_p_module *m, x86flow_graph *g) {
    uint32_t n;
    for (n = 0; n < m->data_count; n++) {
        uint64_t at = (m->data[n][0] + 7) & ~UINT64_C(7);
        for (; at + 8 <= m->data[n][1]; at += 8)
            x86flow_point(g, &m->flow, x86_p_u64(x86_p_at(at)));
    }
}

/* A module's file. Sections are checked before they are used. */
typedef struct x86_p_file {
    const uint8_t *p;
    uint64_t size;
    const Elf64_Shdr *sections;
    uint32_t count;
    const char *names;
    uint64_t names_size;
} x86_p_file;

static int x86_p_inside(const x86_p_file *file, const Elf64_Shdr *h) {
    return h->sh_offset < file->size && h->sh_size <= file->size - h->sh_offset;
}

static int x86_p_open_file(const char *path, x86_p_file *out) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    const Elf64_Ehdr *e;
    const Elf64_Shdr *names;
    void *p = MAP_FAILED;
    memset(out, 0, sizeof *out);
    if (size >= (off_t)sizeof *e) p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) close(file);
    if (p == MAP_FAILED) return -1;
    e = (const Elf64_Ehdr *)p;
    out->p = (const uint8_t *)p;
    out->size = (uint64_t)size;
    if (e->e_shoff >= out->size || (out->size - e->e_shoff) / sizeof *names < e->e_shnum) return -1;
    if (e->e_shstrndx >= e->e_shnum) return -1;
    out->sections = (const Elf64_Shdr *)(const void *)(out->p + e->e_shoff);
    out->count = e->e_shnum;
    names = &out->sections[e->e_shstrndx];
    if (!x86_p_inside(out, names) || !names->sh_size) return -1;
    out->names = (const char *)out->p + names->sh_offset;
    out->names_size = names->sh_size;
    return out->names[names->sh_size - 1] ? -1 : 0;
}

static void x86_p_read_symbols(x86_p_module *m, const x86_p_file *file,
                                    const Elf64_Shdr *h) {
    const Elf64_Shdr *text = h->sh_link < file->count ? &file->sections[h->sh_link] : NULL;
    size_t k;
    if (!text || !x86_p_inside(file, h) || !x86_p_inside(file, text)) return;
    if (!text->sh_size || file->p[text->sh_offset + text->sh_size - 1]) return;
    for (k = 0; k < h->sh_size / sizeof(Elf64_Sym); k++) {
        const Elf64_Sym *y = (const Elf64_Sym *)(const void *)(file->p + h->sh_offset) + k;
        uint64_t at = m->flow.bias + y->st_value;
        x86flow_function *f;
        if ((y->st_info & 15) != STT_FUNC || !y->st_shndx || y->st_name >= text->sh_size) continue;
        f = x86flow_function_at(&m->flow, at);
        if (f && f->lo == at) f->name = (const char *)file->p + text->sh_offset + y->st_name;
    }
}

/* Names from .symtab, and ranges that are no functions. */
static void x86_p_read_file(x86_p_module *m) {
    x86_p_file file;
    uint32_t n, k;
    if (m->known && !m->has_symbols) return;
    if (x86_p_open_file(*m->path ? m->path : "/proc/self/exe", &file) != 0) return;
    for (n = 0; n < file.count; n++) {
        const Elf64_Shdr *h = &file.sections[n];
        const char *name = h->sh_name < file.names_size ? file.names + h->sh_name : "";
        if (h->sh_type == SHT_SYMTAB) {
            x86_p_read_symbols(m, &file, h);
            m->has_symbols = 1;
        }
        if (strncmp(name, ".plt", 4) && strcmp(name, ".init") && strcmp(name, ".fini")) continue;
        for (k = 0; k < m->flow.count; k++) {
            x86flow_function *f = &m->flow.functions[k];
            if (f->lo - m->flow.bias - h->sh_addr < h->sh_size) f->reason = X86_STARTUP;
        }
    }
}

/* The size of the largest function with the largest part (.cold). */
static int x86_p_largest(const x86flow_module *flow) {
    uint32_t n, largest[2] = {0, 0};
    for (n = 0; n < flow->count; n++) {
        int part = (flow->functions[n].flags & X86FLOW_FRAGMENT) != 0;
        if (flow->functions[n].size > largest[part]) largest[part] = flow->functions[n].size;
    }
    return (int)(largest[0] + largest[1]);
}

static int x86_p_list_functions(x86_p_module *m) {
    uint32_t max = x86flow_list_functions(&m->flow, NULL, 0);
    x86flow_function *functions;
    m->refusal = "no .eh_frame_hdr";
    if (!max) return -1;
    m->refusal = "no memory";
    functions = (x86flow_function *)x86_p_map((size_t)max * sizeof *functions, -1);
    if (!functions) return -1;
    m->refusal = "no functions in .eh_frame";
    if (!x86flow_list_functions(&m->flow, functions, max)) return -1;
    m->refusal = NULL;
    return x86_p_largest(&m->flow);
}
