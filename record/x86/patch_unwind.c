/* ---- patching: the way out of code that is ours ---- */
/* A signal may come at any instruction, and its handler may throw an exception
   or ask for a backtrace. C and I have tables that say the same as the program's.
   What else may have been interrupted is described when somebody asks:

       within C or I    the stack is lower there while an event is written
       behind them      checks that stand out of line, and landings
       plain            what the jump at an entry displaced
           These are like a frame of a signal that came at the instruction of
           the program that is next: it leads to exactly that place.

       T, make          the entry of a function
       common           slow, heavy, make_common: called from all of these
           These have a caller as any function has.

   The description is an .eh_frame_hdr without a search table, a CIE and an FDE of
   this one address. It stands in the thread's own memory, and the one before
   stays, for an unwinder reads what it was given before it asks again. */

typedef struct x86_p_way {
    uint64_t to;            /* the next place in the program; 0: there is a return address */
    uint32_t lower;         /* so far is the stack below its place there, or below that address */
    int by_rbp;             /* counted from rbp */
    uint32_t rbp_at;        /* so far below the CFA is the program's rbp; 0: where it was */
} x86_p_way;

/* By how many bytes an instruction of ours moves the stack pointer up. */
static int32_t x86_p_raises(const uint8_t *p) {
    if (p[0] == 0x41) p++;
    if ((p[0] & 0xF8) == 0x50 || p[0] == 0x9C || p[0] == 0x68) return -8;
    if ((p[0] & 0xF8) == 0x58 || p[0] == 0x9D) return 8;
    if (!memcmp(p, "\x48\x8D\x64\x24", 4)) return (int8_t)p[4];
    if (!memcmp(p, "\x48\x8D\xA4\x24", 4)) return x86_p_s32(p + 4);
    return 0;
}

/* The place that is so far behind `at` as four bytes say. */
static uint64_t x86_p_behind(uint64_t at, const uint8_t *distance) {
    return at + (uint64_t)(int64_t)x86_p_s32(distance);
}

static int x86_p_next_insn(uint64_t at, x86decode_insn *i) {
    return x86decode(x86_p_at(at), 16, i) != 0;
}

/* In the code that all copies share: adds up what the piece does before pc. */
static int x86_p_way_in_common(const x86_p_module *m, uint64_t pc, x86_p_way *way) {
    const x86copy_module *c = &m->copy;
    uint32_t at = (uint32_t)(pc - c->rx);
    uint64_t p = c->rx + (at >= c->make_common_at ? c->make_common_at
                          : at >= c->heavy_at ? c->heavy_at : c->slow_at);
    x86decode_insn i;
    if (at >= c->make_common_at) way->lower = 8;    /* what was pushed for it */
    for (; x86_p_next_insn(p, &i) && p + i.length <= pc; p += i.length) {
        const uint8_t *code = x86_p_at(p);
        way->lower -= (uint32_t)x86_p_raises(code);
        if (!memcmp(code, "\x48\x89\xE5", 3)) way->by_rbp = 1;      /* mov %rsp,%rbp */
        if (!memcmp(code, "\x48\x89\xEC", 3)) way->by_rbp = 0;      /* mov %rbp,%rsp */
        if (code[0] == 0x55) way->rbp_at = way->lower + 8;
        if (code[0] == 0x5D) way->rbp_at = 0;
    }
    return 1;
}

/* Behind the body of a copy: a jump leads into a body, and the stack is as it is
   there. */
static int x86_p_way_behind(const x86_p_module *m, uint64_t pc, x86_p_way *way) {
    enum { MOST = 16 };
    const uint8_t *call = x86_p_at(pc - 4);
    x86decode_insn i;
    uint32_t n;
    if (call[0] == 0xE8 && x86_p_behind(pc + 1, call + 1) == m->copy.rx + m->copy.slow_at)
        pc++;               /* from within the call */
    for (n = 0; n < MOST && x86_p_next_insn(pc, &i); n++, pc += i.length) {
        const uint8_t *code = x86_p_at(pc);
        if (i.kind == X86DECODE_JUMP) {
            way->to = x86decode_target(&i, pc);
            return 1;
        }
        if (code[0] == 0xFF && code[1] == 0x25) {   /* jmp *slot(%rip) */
            way->to = x86_p_u64(x86_p_at(x86_p_behind(pc + 6, code + 2)));
            return 1;
        }
        if (i.kind == X86DECODE_RETURN) return 0;
        way->lower += (uint32_t)x86_p_raises(code);
    }
    return 0;
}

/* In a body: is pc between an instruction of ours that lowers the stack and the
   one that raises it again? */
static int x86_p_way_within(const x86_p_module *m, const x86_p_copy *copy, uint64_t pc,
                            x86_p_way *way) {
    enum { BACK = 200, MOST = 32 };
    uint64_t from = pc - 5, least = m->copy.rx + copy->at, p;
    x86decode_insn i;
    if (pc - least > BACK) least = pc - BACK;
    for (; from >= least; from--) {
        const uint8_t *code = x86_p_at(from);
        uint32_t lower, n;
        if (memcmp(code, "\x48\x8D\x64\x24\x80", 5)
            && memcmp(code, "\x48\x8D\xA4\x24\x68\xFF\xFF\xFF", 8)) continue;
        way->to = way->lower = 0;
        lower = (uint32_t)-x86_p_raises(code);
        p = from + (code[2] == 0x64 ? 5 : 8);
        for (n = 0; n < MOST && lower && p <= pc + BACK && x86_p_next_insn(p, &i); n++) {
            code = x86_p_at(p);
            if (i.kind == X86DECODE_RETURN || i.kind == X86DECODE_JUMP) break;
            if (i.kind == X86DECODE_JUMP_INDIRECT && (code[0] != 0xFF || code[1] != 0xE0)) break;
            if (p <= pc && pc < p + i.length) way->lower = lower;
            lower -= (uint32_t)x86_p_raises(code);
            p += i.length;
        }
        if (lower || !way->lower || p <= pc) continue;
        way->to = p;
        return 1;
    }
    return 0;
}

/* The instructions that the jump at the entry displaced stand in `plain` in the
   same order. Of a call there are four, behind the first of which the stack is
   lower. */
static int x86_p_way_in_plain(const x86_p_module *m, uint32_t number, uint64_t pc,
                              x86_p_way *way) {
    const x86flow_function *f = &m->flow.functions[number];
    uint64_t p = m->copy.rx + m->copy.functions[number].plain_at, from = f->lo + f->patch_at;
    uint8_t own[5 + 16];
    size_t most = sizeof own, at = 0;
    x86decode_insn i, k;
    if (m->flow.text_hi - from < most) most = (size_t)(m->flow.text_hi - from);
    memcpy(own, x86_p_at(from), most);
    memcpy(own, f->saved, 5);
    while (at < 5 && x86decode(own + at, most - at, &i) && x86_p_next_insn(p, &k)) {
        if (pc < p + k.length) break;
        if (i.kind == X86DECODE_CALL) {
            way->lower = 8;
            break;
        }
        at += i.length;
        p += k.length;
    }
    way->to = from + at;
    return 1;
}

/* What an entry leads to. */
static int x86_p_way_in_stub(const x86_p_module *m, uint64_t pc, x86_p_way *way) {
    uint32_t at = (uint32_t)(pc - m->copy.rx), n, found = UINT32_MAX, start = 0;
    for (n = 0; n < m->flow.count; n++) {
        const x86copy_function *own = &m->copy.functions[n];
        if (!own->t_at || own->t_at > at || own->t_at < start) continue;
        found = n;
        start = own->t_at;
    }
    if (found == UINT32_MAX) return 0;
    n = m->copy.functions[found].make_at;
    if (at >= m->copy.functions[found].plain_at && at < n)
        return x86_p_way_in_plain(m, found, pc, way);
    if (at >= n && x86_p_at(pc)[0] == 0xE9) way->lower = 8;     /* behind a push */
    return 1;
}

/* The copy that begins last at or before an address, or NULL: a stub follows it,
   or there is none. */
static const x86_p_copy *x86_p_copy_before(const x86_p_module *m, uint64_t pc) {
    uint32_t at = (uint32_t)(pc - m->copy.rx), n, lo = 0;
    uint32_t hi = __atomic_load_n(&m->shared->copies, __ATOMIC_ACQUIRE);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->copies[mid].at <= at) lo = mid + 1;
        else hi = mid;
    }
    if (!lo) return NULL;
    for (n = 0; x86_p.looks && n < m->flow.count; n++) {
        uint32_t t_at = m->copy.functions[n].t_at;
        if (t_at > m->copies[lo - 1].at && t_at <= at) return NULL;
    }
    return &m->copies[lo - 1];
}

/* Returns 0: there is nothing to add to the tables of C and I. */
static int x86_p_way_of(const x86_p_module *m, uint64_t pc, x86_p_way *way) {
    uint64_t at = pc - m->copy.rx;
    const x86_p_copy *copy;
    memset(way, 0, sizeof *way);
    if (m->refusal || !m->shared || x86_p.shadow_stack || at >= m->shared->used) return 0;
    if (at < m->copy.slow_at) return 0;
    if (at < m->copy.slow_end) return x86_p_way_in_common(m, pc, way);
    copy = x86_p_copy_before(m, pc);
    if (!copy) return x86_p_way_in_stub(m, pc, way);
    if (at - copy->at < copy->size) return x86_p_way_within(m, copy, pc, way);
    return x86_p_way_behind(m, pc, way);
}

/* With a factor of -1: offsets are below the CFA. To a place of the program the
   CFA is a byte above the stack pointer, for frames of no size look like one. */
static const void *x86_p_describe_way(const x86_p_way *way, uint64_t pc) {
    enum { ROOMS = 4, ROOM = 128 };
    static __thread uint8_t rooms[ROOMS][ROOM]
        __attribute__((tls_model("initial-exec"), aligned(8)));
    static __thread uint32_t turn __attribute__((tls_model("initial-exec")));
    uint8_t *room = rooms[turn++ % ROOMS], *cie = room + 16, *fde = cie + 24;
    x86copy_p_bytes b;
    b.p = room;
    b.end = room + ROOM;
    b.full = 0;
    memset(room, 0, ROOM);
    x86copy_p_put_n(&b, 0xFFFF0001, 4);             /* no count and no table */
    x86copy_p_put_n(&b, x86_p_address(cie), 8);
    b.p = cie;
    x86copy_p_put_n(&b, 20, 8);                     /* how long, and that it is a CIE */
    x86copy_p_put(&b, 1);
    x86copy_p_put(&b, 'z');
    x86copy_p_put(&b, 'R');
    if (way->to) x86copy_p_put(&b, 'S');
    x86copy_p_put_n(&b, UINT64_C(0x0001107F0100), 6);   /* end; factors 1, -1; rip; 1 byte: 0 */
    b.p = fde;
    x86copy_p_put_n(&b, 60, 4);
    x86copy_p_put_n(&b, (uint64_t)(fde + 4 - cie), 4);
    x86copy_p_put_n(&b, pc, 8);
    x86copy_p_put_n(&b, 1, 8);
    x86copy_p_put(&b, 0);
    x86copy_p_put(&b, 0x0C);                        /* the CFA */
    x86copy_p_put(&b, way->by_rbp ? 6 : 7);
    x86copy_p_put_uleb(&b, way->lower + (way->to ? 1 : 8), 1);
    if (way->to) {
        x86copy_p_put_n(&b, 0x010714, 3);           /* rsp is the CFA - 1 */
        x86copy_p_put_n(&b, 0x03091016, 4);         /* rip is this address */
        x86copy_p_put_n(&b, way->to, 8);
    } else x86copy_p_put_n(&b, 0x0890, 2);          /* rip is below the CFA */
    if (way->rbp_at) {
        x86copy_p_put(&b, 0x86);
        x86copy_p_put_uleb(&b, way->rbp_at, 1);
    }
    return room;
}

X86_API const void *x86_find_frame(const void *pc, const void **start, const void **end) {
    uint64_t address = x86_p_address(pc);
    x86_p_way way;
    uint32_t n;
    for (n = 0; n < x86_p.module_count; n++) {
        if (!x86_p_way_of(&x86_p.modules[n], address, &way)) continue;
        *start = pc;
        *end = x86_p_at(address + 1);
        return x86_p_describe_way(&way, address);
    }
    return x86_find_copy(pc, start, end);
}
