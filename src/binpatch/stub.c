/* ---- stubs and the code that they share ---- */

static void binpatch_p_bytes(binpatch_p_mover *m, const char *hex) {
    unsigned value = 0, digits = 0;
    for (; *hex; hex++) {
        if (*hex == ' ') continue;
        value = value << 4 | (unsigned)(*hex <= '9' ? *hex - '0' : *hex - 'A' + 10);
        if (++digits % 2 == 0) binpatch_p_byte(m, value & 255);
    }
}

/* Saves what a called function may change, and calls to(saved). The registers
   of vectors are saved by xsave, or fxsave where there is none. */
static void binpatch_p_emit_common(binpatch_p_mover *m, void (*to)(uint64_t *),
                                   int is_leaving) {
    int xsave = binpatch_p.save_mask != 0;
    uint32_t n;
    binpatch_p_bytes(m,
                     "50 51 52 56 57 4150 4151 4152 4153 55"); /* push rax .. r11, rbp */
    binpatch_p_bytes(m, "4889E5 4881EC");                      /* mov %rsp,%rbp; sub */
    binpatch_p_word(m, binpatch_p.save_bytes, 4);
    binpatch_p_bytes(m, "4883E4C0 31C0"); /* and $-64,%rsp; rax = 0 */
    for (n = 512; n < 576; n += 8) {
        binpatch_p_bytes(m, "48898424"); /* mov %rax,n(%rsp) */
        binpatch_p_word(m, n, 4);
    }
    binpatch_p_bytes(m, "B8");
    binpatch_p_word(m, binpatch_p.save_mask, 4);
    binpatch_p_bytes(m, xsave ? "31D2 480FAE2424" : "31D2 480FAE0424");
    binpatch_p_bytes(m, "4889EF FC 48B8"); /* rdi = saved; cld */
    binpatch_p_word(m, (uint64_t)(uintptr_t)to, 8);
    binpatch_p_bytes(m, "FFD0 B8"); /* call *%rax */
    binpatch_p_word(m, binpatch_p.save_mask, 4);
    binpatch_p_bytes(m, xsave ? "31D2 480FAE2C24" : "31D2 480FAE0C24");
    binpatch_p_bytes(m, "4889EC 5D 415B 415A 4159 4158 5F 5E 5A 59 58");
    binpatch_p_bytes(m, is_leaving ? "488D642408 C3" : "C3"); /* ret, through the slot */
}

/* Which registers of vectors are there, and how many bytes they take. */
static void binpatch_p_find_vectors(void) {
    uint32_t a, b, c, d, low, high, n;
    binpatch_p.save_mask = 0;
    binpatch_p.save_bytes = 576;
    __cpuid(1, a, b, c, d);
    if (!(c >> 27 & 1)) return; /* OSXSAVE */
    __asm__ volatile(".byte 0x0F, 0x01, 0xD0"
                     : "=a"(low), "=d"(high)
                     : "c"(0)); /* xgetbv */
    (void)high;
    /* x87, SSE, AVX, AVX-512 (three), the registers of APX */
    binpatch_p.save_mask = low & 0x800E7u;
    for (n = 2; n < 32; n++) {
        if (!(binpatch_p.save_mask >> n & 1)) continue;
        __cpuid_count(13, n, a, b, c, d);
        if (a + b > binpatch_p.save_bytes) binpatch_p.save_bytes = a + b;
    }
}

/* The stub of a hook at m->to; code[0..size) is displaced. Returns 0, or the
   reason. */
static int binpatch_p_emit_stub(binpatch_p_mover *m, binpatch_p_hook *h, uint32_t number,
                                uint64_t common, size_t size) {
    uint64_t base, plain = m->to + 14, stub = m->to;
    int64_t words;
    size_t moved;
    int reason = 0;
    __asm__("movq %%fs:0,%0" : "=r"(base));
    words = (int64_t)((uint64_t)(uintptr_t)&binpatch_p_own.n - base);
    h->stub = stub;
    h->plain_word = 0x0CEB; /* jmp plain */
    h->check_word = 0x250CFF64 | (uint64_t)(uint32_t)words << 32;
    binpatch_p_word(m, binpatch_p.on ? h->check_word : h->plain_word, 8);
    binpatch_p_word(m, 0x880F, 2); /* js slow, whose distance is known below */
    binpatch_p_word(m, 0, 4);
    moved = binpatch_move(binpatch_p_code(h->watch.function), size, h->watch.function,
                          m->out + m->used, m->room - m->used, plain, &reason);
    if (reason) return reason;
    m->used += moved;
    binpatch_p_jump(m, h->watch.function + size);
    m->out[10] = (uint8_t)(m->used - 14);
    binpatch_p_byte(m, 0x68);
    binpatch_p_word(m, number, 4);
    binpatch_p_byte(m, 0xE8);
    binpatch_p_distance(m, common, 0);
    binpatch_p_bytes(m, "488D642408");
    binpatch_p_jump(m, plain);
    return m->reason;
}
