/* ---- patching: room within reach of a module ---- */
/* Below the module, or above a program that stands at a fixed low address: its
   heap grows behind it. Every distance in between must fit into 32 bits. */
static uint8_t *x86_p_find_room(const x86flow_module *m, size_t bytes) {
    uint64_t step = UINT64_C(1) << 21, at = (m->lo - bytes) & ~(step - 1);
    int low = m->hi < 0x80000000u;
    if (low) at = (m->hi + 0x20000000) & ~(step - 1);
    for (;;) {
        uint64_t far = low ? at + bytes - m->lo : m->hi - at;
        void *got;
        if (far > 0x7F000000 || at > UINT64_C(1) << 47) return NULL;
        if (low && at + bytes > 0x7FFF0000) return NULL;
        got = mmap((void *)(uintptr_t)at, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == (void *)(uintptr_t)at) return (uint8_t *)got;
        if (got != MAP_FAILED) munmap(got, bytes);
        if (low)
            at += step;
        else
            at -= step;
    }
}

/* The same memory for executing, at `at`, and for writing, with the tables
   behind it. A file in memory counts against the limit of file sizes (ulimit
   -f), and one who goes beyond that gets a signal: there it is shared memory
   without a file, which lies at two places once it is "moved" from a place of
   no length. It is executable first, for where the system guards that
   (PR_SET_MDWE) nothing may become so. */
static int x86_p_map_twice(x86_p_module *m, uint8_t *at) {
    struct rlimit limit;
    void *whole, *rx;
    int file = -1;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= m->file_bytes) {
        file = (int)syscall(SYS_memfd_create, "binpatch", 0x10 | 1); /* MFD_EXEC, MFD_CLOEXEC */
        if (file < 0) file = (int)syscall(SYS_memfd_create, "binpatch", 1);
        if (file >= 0 && ftruncate(file, (off_t)m->file_bytes) != 0) {
            close(file);
            return -1;
        }
    }
    if (file >= 0) {
        rx = mmap(at, m->code_bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0);
        m->rw = (uint8_t *)x86_p_map(m->file_bytes, file);
        close(file);
    } else {
        whole = mmap(NULL, m->file_bytes, PROT_READ | PROT_EXEC,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (whole == MAP_FAILED) return -1;
        rx = mremap(whole, 0, m->code_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
        if (mprotect(whole, m->file_bytes, PROT_READ | PROT_WRITE) != 0) return -1;
        m->rw = (uint8_t *)whole;
    }
    if (rx == MAP_FAILED || !m->rw) return -1;
    m->rx = (uint8_t *)rx;
    return 0;
}

/* A region has room for so many times the text, of which a run uses a few. All
   regions must be within 2 GB of their modules, which stand side by side: a
   program of a hundred libraries gives each less. */
static size_t x86_p_times_text(void) {
    enum { MOST = 24, LEAST = 5, REACH = 1200 };    /* REACH: in MiB */
    uint64_t sum = 0, times;
    uint32_t n;
    for (n = 0; n < x86_p.module_count; n++)
        sum += x86_p.modules[n].flow.text_hi - x86_p.modules[n].flow.text_lo;
    times = ((uint64_t)REACH << 20) / (sum + 1);
    if (times > MOST) return MOST;
    if (times < LEAST) return LEAST;
    return (size_t)times;
}

static int x86_p_open_region(x86_p_module *m) {
    size_t text = (size_t)(m->flow.text_hi - m->flow.text_lo), slots, tables, page = 4096;
    size_t count = m->flow.count;
    uint8_t *p;
    m->code_bytes = (text * x86_p_times_text() + (1u << 21)) & ~(page - 1);
    if (m->code_bytes > 0x20000000) m->code_bytes = 0x20000000;
    m->sites_max = (uint32_t)(text / 12 + 1024);
    m->links_max = (uint32_t)(text / 8 + 1024);
    m->copies_max = (uint32_t)(2 * count + 2);
    slots = ((2 * count + m->sites_max) * 8 + page - 1) & ~(page - 1);
    tables = sizeof *m->shared + count * sizeof *m->copy.functions + m->sites_max * sizeof *m->sites
             + m->links_max * sizeof *m->links + m->copies_max * sizeof *m->copies;
    tables = (tables + 64 + page - 1) & ~(page - 1);
    m->file_bytes = m->code_bytes + tables;
    m->refusal = "no space in reach";
    p = x86_p_find_room(&m->flow, slots + m->code_bytes);
    if (!p) return -1;
    m->refusal = "no memory for code";
    if (x86_p_map_twice(m, p + slots) != 0) return -1;
    if (mprotect(p, slots, PROT_READ | PROT_WRITE) != 0) return -1;
    m->slots = (uint64_t *)(void *)p;
    m->aways = m->slots + count;
    m->site_slots = m->aways + count;
    m->shared = (x86_p_shared *)(void *)(m->rw + m->code_bytes);
    m->copy.functions = (x86copy_function *)(void *)(m->shared + 1);
    m->sites = (x86_p_site *)(void *)(m->copy.functions + count);
    m->links = (x86_p_link *)(void *)(m->sites + m->sites_max);
    m->copies = (x86_p_copy *)(void *)(m->links + m->links_max);
    m->shared->links = 1;
    m->refusal = NULL;
    return 0;
}

/* What the emitter needs to know. */
static void x86_p_describe(x86_p_module *m) {
    const x86_p_thread *t = &x86_p_tls;
    uint64_t thread = 0;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    m->copy.flow = &m->flow;
    m->copy.number = (uint32_t)(m - x86_p.modules);
    m->copy.events = x86_p.config.events;
    m->copy.rx = x86_p_address(m->rx);
    m->copy.slots = x86_p_address(m->slots);
    m->copy.site_slots = x86_p_address(m->site_slots);
    m->copy.aways = x86_p_address(m->aways);
    m->copy.offset_n = (int32_t)(x86_p_address(&t->n) - thread);
    m->copy.offset_left = (int32_t)(x86_p_address(&t->left) - thread);
    m->copy.offset_position = (int32_t)(x86_p_address(&t->position) - thread);
    m->copy.offset_claim = (int32_t)(x86_p_address(&t->claim) - thread);
    if (!x86_p.xsave_bytes) {      /* a virtual machine takes long to answer cpuid */
        x86copy_find_xsave(&m->copy);
        x86_p.xsave_bytes = m->copy.xsave_bytes;
        x86_p.xsave_mask = m->copy.xsave_mask;
    }
    m->copy.xsave_bytes = x86_p.xsave_bytes;
    m->copy.xsave_mask = x86_p.xsave_mask;
    m->copy.heavy = x86_p_heavy;
    m->copy.user = m;
}
