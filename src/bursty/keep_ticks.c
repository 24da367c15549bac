/* ---- ticks: the scope of an interrupted instruction ---- */

#if defined(BURSTY_P_TIMERS) && defined(BURSTY_P_KEEP_LEAVES)
#define BURSTY_P_READS_CODE

/*     push %rbx ...                   the function begins                  \
       decl %fs:word                                                          } nobody pushed the
       js   ...                                                             } scope yet
       movl, cmpl, jae, leaq, movq     the scope's site is in the leaq      /
       incl %fs:depth
       ...                             the scope is on the stack
       movl %d, %fs:depth
       cmpl $0, %fs:word                                                    \  nobody has it any
       js   ...                                                             }  more
       pop  %rbx ... ret               the function ends                    /

   A tick in the first or the last of these instructions finds the scope around the function on the
   stack, and yet the function is running. A function of 3 ns would lose half of its ticks to its
   caller. But a scope's two sequences are contiguous and always the same (keep_check.h), so they
   are their own signature, and the handler reads the code that it has interrupted:

   1. It looks back 64 bytes for `decl %fs:word`. Inside the sequence that begins there the scope is
      the one whose site the sequence names. Inside the second sequence, behind its store, it is the
      one whose slot was just left. This is right in inlined functions, too.
   2. It goes on from the beginning of the function, which the sorted table of unwinding has
      (.eh_frame_hdr), to the first branch, over at most 48 instructions. If it meets a first
      sequence, what stands in front belongs to that scope.
   3. Behind a second sequence on a straight way to `ret`, the scope is the one just left, if rule 2
      finds the same one at the function's beginning.

   An instruction of the stub behind a check (keep_check.h) counts as the one
   that the stub goes back to. In all other cases the tick goes to the scope on the stack. Nothing but lengths of instructions
   is needed, no value of a register. If something has rewritten the code (a linker, BOLT), nothing
   matches, and scopes on the stack get all ticks.

   Cost: some 500 instructions a tick. Limit: a function without a scope of its own that runs
   straight into one of an inlined function is charged to that one. */
enum { BURSTY_P_CODE_BACK = 64, BURSTY_P_CODE_WAY = 48, BURSTY_P_CODE_END = 24,
       BURSTY_P_CODE_MOST = 24 /* an instruction's bytes, and some; the stubs behind each scope have 30 */ };

/* One instruction. reg, base, index: registers; 16 is none, 17 is rip. */
typedef struct bursty_p_code {
    const unsigned char *next;
    uint32_t op;              /* with 0x100 for 0F, 0x1000 for VEX and the like  */
    uint32_t reg, base, index, scale;
    uint32_t disp, value;     /* value: the constant behind it, at most 32 bits   */
    int has_place, is_fs, is_wide; /* it uses memory; in the thread's; 64 bits   */
} bursty_p_code;

static struct {
    uintptr_t low, high;        /* the code of this program or shared object     */
    uintptr_t image, image_end;
    uintptr_t start;            /* of the table: count pairs of 32-bit numbers   */
    uint32_t count;             /* 0: no table                                   */
    uint32_t word;              /* from %fs:0 to the thread's word               */
} bursty_p_text;

/* The image begins with an ELF header. The linker makes the symbol if that is
   loaded. */
extern const unsigned char bursty_p_image[] __asm__("__ehdr_start")
    __attribute__((weak, visibility("hidden")));

static uint32_t bursty_p_word_at(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static uint64_t bursty_p_long_at(const unsigned char *at) {
    return bursty_p_word_at(at) | (uint64_t)bursty_p_word_at(at + 4) << 32;
}
static uintptr_t bursty_p_extend(uint32_t word) { return (uintptr_t)(intptr_t)(int32_t)word; }

/* Where the code is, and the table. Every number is checked: a tick reads
   nothing outside. */
static void bursty_p_find_code(void) {
    enum { LOAD = 1, TABLE = 0x6474e550, RUNS = 1 };
    const unsigned char *head = bursty_p_image, *table;
    const uintptr_t here = (uintptr_t)&bursty_p_find_code;
    uintptr_t base = 0, at, bytes, fs, table_at = 0, table_bytes = 0;
    uint32_t i, count;
    bursty_p_zero(&bursty_p_text, sizeof bursty_p_text);
    if (!head || head[0] != 0x7f || head[1] != 'E' || head[2] != 'L' || head[3] != 'F') return;
    if (head[4] != 2 || bursty_p_long_at(head + 32) != 64 || head[54] != 56) return;
    count = (uint32_t)head[56] | (uint32_t)head[57] << 8;
    /* The header is at the beginning of the file. So is, by its words, a
       segment without a byte of the file, such as one of zeros with an
       alignment of its own. */
    for (i = 0; i < count && i < 32; i++) {
        const unsigned char *p = head + 64 + i * 56;
        if (bursty_p_word_at(p) == LOAD && bursty_p_long_at(p + 8) == 0 && bursty_p_long_at(p + 32))
            base = (uintptr_t)head - (uintptr_t)bursty_p_long_at(p + 16);
    }
    for (i = 0; i < count && i < 32; i++) {
        const unsigned char *p = head + 64 + i * 56;
        at = base + (uintptr_t)bursty_p_long_at(p + 16);
        bytes = (uintptr_t)bursty_p_long_at(p + 40);
        if (bursty_p_word_at(p) == TABLE) {
            table_at = at;
            table_bytes = bytes;
        }
        if (bursty_p_word_at(p) != LOAD) continue;
        if (!bursty_p_text.image || at < bursty_p_text.image) bursty_p_text.image = at;
        if (at + bytes > bursty_p_text.image_end) bursty_p_text.image_end = at + bytes;
        if (!(bursty_p_word_at(p + 4) & RUNS) || here < at || here - at >= bytes) continue;
        bursty_p_text.low = at & ~(uintptr_t)4095; /* whole pages are there */
        bursty_p_text.high = (at + bytes + 4095) & ~(uintptr_t)4095;
    }
    __asm__("{movq\t%%fs:0, %0|mov\t%0, QWORD PTR fs:0}" : "=r"(fs));
    bursty_p_text.word = (uint32_t)((uintptr_t)&BURSTY_P_HERE.n - fs);
    if (table_bytes < 12 || table_at < bursty_p_text.image) return;
    if (table_at + table_bytes > bursty_p_text.image_end) return;
    table = (const unsigned char *)table_at;
    if (table[0] != 1 || table[2] != 3 || table[3] != 0x3B) return;
    count = bursty_p_word_at(table + 8);
    if (count > (table_bytes - 12) / 8) return;
    bursty_p_text.start = table_at;
    bursty_p_text.count = count;
}

/* The beginning of the function that pc is in, or NULL. */
static const unsigned char *bursty_p_function_of(const unsigned char *pc) {
    const unsigned char *table = (const unsigned char *)bursty_p_text.start + 12, *about;
    uint32_t first = 0, behind = bursty_p_text.count;
    uintptr_t begin, at;
    if (behind == 0) return NULL;
    while (behind - first > 1) {
        uint32_t middle = first + (behind - first) / 2;
        at = bursty_p_text.start + bursty_p_extend(bursty_p_word_at(table + (size_t)middle * 8));
        if (at <= (uintptr_t)pc) first = middle;
        else behind = middle;
    }
    table += (size_t)first * 8;
    begin = bursty_p_text.start + bursty_p_extend(bursty_p_word_at(table));
    at = bursty_p_text.start + bursty_p_extend(bursty_p_word_at(table + 4));
    if (at < bursty_p_text.image || at + 16 > bursty_p_text.image_end) return NULL;
    about = (const unsigned char *)at; /* length, -, begin from here, bytes */
    if (at + 8 + bursty_p_extend(bursty_p_word_at(about + 8)) != begin) return NULL;
    if ((uintptr_t)pc - begin >= bursty_p_word_at(about + 12)) return NULL;
    return begin >= bursty_p_text.low ? (const unsigned char *)begin : NULL;
}

/* How many bytes of constants follow an opcode; BURSTY_P_CODE_STOP for
   one that is not known or does not go on to the next instruction. *has_place:
   does it have a ModRM byte? */
enum { BURSTY_P_CODE_STOP = 16 };
static uint32_t bursty_p_constants_0f(uint32_t op, int *has_place) {
    if ((op >= 0x80 && op <= 0x8f) || op == 0x05 || op == 0x0b || op == 0x34 || op == 0x35)
        return BURSTY_P_CODE_STOP;
    if (op == 0x06 || op == 0x08 || op == 0x09 || (op >= 0x30 && op <= 0x33) || op == 0x77
        || (op >= 0xa0 && op <= 0xa2) || (op >= 0xc8 && op <= 0xcf)) {
        *has_place = 0;
    }
    return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2
           || (op >= 0xc4 && op <= 0xc6);
}
static uint32_t bursty_p_constants(uint32_t op, uint32_t reg, uint32_t wide, int is_wide,
                                   int *has_place) {
    if (op < 0x40) {
        if ((op & 7) > 5) return BURSTY_P_CODE_STOP;
        if ((op & 7) < 4) return 0;
        *has_place = 0;
        return (op & 7) == 4 ? 1 : wide;
    }
    if ((op >= 0x50 && op <= 0x5f) || (op >= 0x90 && op <= 0x99) || op == 0xc9) {
        *has_place = 0;
        return 0;
    }
    if (op == 0x68 || op == 0xa9 || op == 0x6a || op == 0xa8 || (op >= 0xb0 && op <= 0xbf)) {
        *has_place = 0;
        if (op >= 0xb8) return is_wide ? 8 : wide;
        return op == 0x68 || op == 0xa9 ? wide : 1;
    }
    switch (op) {
    case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6:
        return 1;
    case 0x69: case 0x81: case 0xc7:
        return wide;
    case 0xf6: return reg > 1 ? 0 : 1;
    case 0xf7: return reg > 1 ? 0 : wide;
    case 0xff: return reg >= 2 && reg <= 5 ? BURSTY_P_CODE_STOP : 0;
    default: break;
    }
    if (op == 0x63 || op == 0xfe || (op >= 0x84 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3)
        || (op >= 0xd8 && op <= 0xdf)) {
        return 0;
    }
    return BURSTY_P_CODE_STOP;
}

/* Reads the instruction at p. Returns 0 if it is unknown, or a branch, a call
   or a return. */
static int bursty_p_read(bursty_p_code *c, const unsigned char *p) {
    uint32_t rex = 0, is_short = 0, constants, mod, reg;
    int has_place = 1;
    bursty_p_zero(c, sizeof *c);
    c->base = c->index = 16;
    for (;; p++) {
        if (*p == 0x66) is_short = 1;
        else if (*p == 0x64) c->is_fs = 1;
        else if (*p != 0xf2 && *p != 0xf3 && *p != 0x2e && *p != 0x3e) break;
    }
    if ((*p & 0xf0) == 0x40) rex = *p++;
    c->is_wide = rex >> 3 & 1;
    c->op = *p++;
    if (c->op == 0xc4 || c->op == 0xc5) { /* VEX */
        uint32_t map = c->op == 0xc5 ? 1 : *p & 31u;
        p += c->op == 0xc5 ? 1 : 2;
        c->op = 0x1000u | *p++;
        if (map < 1 || map > 3) return 0;
        has_place = c->op != 0x1077 || map != 1;
        constants = map == 1 ? bursty_p_constants_0f(c->op & 0xff, &has_place) : map == 3;
        if (map == 1 && c->op != 0x1077) has_place = 1;
    } else if (c->op == 0x0f) {
        c->op = 0x100u | *p++;
        if (c->op == 0x138 || c->op == 0x13a) {
            constants = c->op == 0x13a;
            p++;
        } else {
            constants = bursty_p_constants_0f(c->op & 0xff, &has_place);
        }
    } else {
        reg = *p >> 3 & 7u;
        constants = bursty_p_constants(c->op, reg, is_short ? 2 : 4, c->is_wide, &has_place);
    }
    if (constants == BURSTY_P_CODE_STOP) return 0;
    if (has_place) {
        mod = *p >> 6;
        c->reg = (*p >> 3 & 7u) | (rex & 4) << 1;
        c->base = *p++ & 7u;
        c->has_place = mod != 3;
        if (mod != 3 && c->base == 4) {
            c->index = (*p >> 3 & 7u) | (rex & 2) << 2;
            if (c->index == 4) c->index = 16;
            c->scale = *p >> 6;
            c->base = *p++ & 7u;
            if (mod == 0 && c->base == 5) mod = 4;
        } else if (mod == 0 && c->base == 5) {
            mod = 5;
        }
        c->base |= (rex & 1) << 3;
        if (mod >= 4) c->base = mod == 4 ? 16 : 17;
        if (mod == 1) c->disp = (uint32_t)(int32_t)(int8_t)*p++;
        if (mod == 2 || mod >= 4) {
            c->disp = bursty_p_word_at(p);
            p += 4;
        }
    }
    if (constants == 1) c->value = (uint32_t)(int32_t)(int8_t)*p;
    if (constants == 4) c->value = bursty_p_word_at(p);
    c->next = p + constants;
    return 1;
}

/* Does c use what is `offset` bytes behind the thread's word? In an executable
   the place is written out; in a shared object a register has it, which the
   instruction in front has set. */
static int bursty_p_is_place(const bursty_p_code *c, uint32_t base, uint32_t offset) {
    if (!c->has_place || !c->is_fs || c->base != base) return 0;
    return c->disp == (base == 16 ? bursty_p_text.word + offset : offset);
}

/* Behind a jump on a negative result, or NULL. */
static const unsigned char *bursty_p_behind_js(const unsigned char *p) {
    return p[0] == 0x78 ? p + 2 : p[0] == 0x0f && p[1] == 0x88 ? p + 6 : NULL;
}

/* The register that the instruction at p sets to the offset of the word, as a
   shared object does;
   16 if it does not: the place is written out. The linker may have replaced the
   load. */
static uint32_t bursty_p_base_of(const unsigned char *p) {
    bursty_p_code c;
    uintptr_t at;
    if ((p[0] & 0xf8) != 0x48 || !bursty_p_read(&c, p) || c.next != p + 7) return 16;
    if (c.op == 0xc7 && !c.has_place && c.value == bursty_p_text.word) return c.base;
    if (c.op == 0x8d && c.value == 0 && c.disp == bursty_p_text.word) return c.reg;
    if (c.op != 0x8b || !c.has_place || c.base != 17) return 16;
    at = (uintptr_t)c.next + bursty_p_extend(c.disp);
    if (at < bursty_p_text.image || at + 8 > bursty_p_text.image_end) return 16;
    return *(const uint64_t *)at == (uint64_t)bursty_p_extend(bursty_p_text.word) ? c.reg : 16;
}

/* If a scope's first sequence has its `decl` at p: its end. *begin: with the
   load in front. */
static const unsigned char *bursty_p_is_enter(const unsigned char *p, const unsigned char **begin,
                                              uintptr_t *site) {
    bursty_p_code c;
    uint32_t base, depth;
    if (p[0] != 0x64 || !bursty_p_read(&c, p) || c.op != 0xff || (c.reg & 7) != 1) return NULL;
    base = c.base;
    if (!bursty_p_is_place(&c, base, 0) || c.index != 16) return NULL;
    *begin = p;
    if (base != 16) {
        *begin = p - 7;
        if (bursty_p_base_of(p - 7) != base) return NULL;
    }
    p = bursty_p_behind_js(c.next);
    if (!p || !bursty_p_read(&c, p) || c.op != 0x8b || !bursty_p_is_place(&c, base, 4)) return NULL;
    depth = c.reg;
    if (!bursty_p_read(&c, c.next) || c.value != (uint32_t)BURSTY_STACK) return NULL;
    if (c.op != 0x83 && c.op != 0x81 && c.op != 0x3d) return NULL;
    p = c.next[0] == 0x73 ? c.next + 2 : c.next[0] == 0x0f && c.next[1] == 0x83 ? c.next + 6 : NULL;
    if (!p || !bursty_p_read(&c, p)) return NULL; /* behind jae */
    if (c.op == 0x8d && c.base == 17) {
        *site = (uintptr_t)c.next + bursty_p_extend(c.disp);
        if (!bursty_p_read(&c, c.next) || c.op != 0x89) return NULL;
    } else {
        if (c.op != 0xc7) return NULL;
        *site = bursty_p_extend(c.value);
    }
    if (c.index != depth || c.scale != 3 || !bursty_p_is_place(&c, base, 8)) return NULL;
    if (!bursty_p_read(&c, c.next) || c.op != 0xff || (c.reg & 7) != 0) return NULL;
    if (!bursty_p_is_place(&c, base, 4) || *site < bursty_p_text.image) return NULL;
    return *site <= bursty_p_text.image_end - sizeof(bursty_site) ? c.next : NULL;
}

/* If a scope's second sequence has its `cmpl` at p: its end. */
static const unsigned char *bursty_p_is_leave(const unsigned char *p) {
    const unsigned char *store;
    bursty_p_code c;
    uint32_t base;
    if (p[0] != 0x64 || !bursty_p_read(&c, p) || c.op != 0x83 || (c.reg & 7) != 7) return NULL;
    base = c.base;
    if (c.value != 0 || !bursty_p_is_place(&c, base, 0)) return NULL;
    for (store = p - 4; store >= p - 9; store--) { /* movl %d, %fs:depth */
        bursty_p_code s;
        if (store[0] != 0x64 || !bursty_p_read(&s, store) || s.next != p) continue;
        if (s.op == 0x89 && bursty_p_is_place(&s, base, 4)) return bursty_p_behind_js(c.next);
    }
    return NULL;
}

/* Goes straight from p to `ret`. Is pc on the way? A jump to elsewhere is
   followed; the test of a stack protector is passed. */
static int bursty_p_is_last(const unsigned char *p, const unsigned char *pc) {
    int i, is_met = 0;
    for (i = 0; i < BURSTY_P_CODE_END; i++) {
        bursty_p_code c;
        is_met |= p == pc;
        if ((uintptr_t)p < bursty_p_text.low || (uintptr_t)p + BURSTY_P_CODE_MOST > bursty_p_text.high) return 0;
        if (*p == 0xc3) return is_met;
        if (*p == 0xf3 && p[1] == 0xc3) return is_met;
        if (*p == 0xeb) p += 2 + (int8_t)p[1];
        else if (*p == 0xe9) p += 5 + (int32_t)bursty_p_word_at(p + 1);
        else if (*p == 0x74 && p[1] == 5 && p[2] == 0xe8) p += 7;
        else if (*p == 0x75 && p[1] < 0x80) p += 2;
        else if (*p == 0x0f && p[1] == 0x85 && p[5] < 0x80) p += 6;
        else if (bursty_p_read(&c, p)) p = c.next;
        else return 0;
    }
    return 0;
}

/* pc, or in a stub the instruction that it goes back to. The stub:
   addq $-128, %rsp; call; jmp. */
static const unsigned char *bursty_p_behind_stub(const unsigned char *pc) {
    static const uint8_t begins[3] = { 0, 4, 9 };
    uint32_t i;
    for (i = 0; i < 3; i++) {
        const unsigned char *p = pc - begins[i];
        if (bursty_p_word_at(p) == 0x80c48348 && p[4] == 0xe8 && p[9] == 0xe9)
            return p + 14 + (int32_t)bursty_p_word_at(p + 10);
    }
    return pc;
}

static int bursty_p_has_room(const unsigned char *pc) {
    return (uintptr_t)pc >= bursty_p_text.low + 2 * BURSTY_P_CODE_BACK
           && (uintptr_t)pc + BURSTY_P_CODE_MOST <= bursty_p_text.high;
}

/* The scope of the function whose first or last instructions pc is in, or
   NULL. */
static const bursty_site *bursty_p_running(const unsigned char *pc) {
    const unsigned char *p, *end, *begin = NULL;
    const uint32_t depth = BURSTY_P_HERE.depth;
    const bursty_site *left = depth < BURSTY_STACK ? BURSTY_P_HERE.stack[depth] : NULL;
    uintptr_t site = 0;
    int i, is_on_way = 0;
    if (!bursty_p_has_room(pc)) return NULL;
    pc = bursty_p_behind_stub(pc);
    if (!bursty_p_has_room(pc)) return NULL;
    for (p = pc + 7; p > pc - BURSTY_P_CODE_BACK; p--) {
        if (*p != 0x64) continue;
        end = bursty_p_is_enter(p, &begin, &site);
        if (end && pc >= begin && pc < end) return (const bursty_site *)site;
        end = p <= pc ? bursty_p_is_leave(p) : NULL;
        if (end && pc < end) return left;
    }
    site = 0;
    p = bursty_p_function_of(pc);
    for (i = 0; p && i < BURSTY_P_CODE_WAY; i++) {
        bursty_p_code c;
        if ((uintptr_t)p + BURSTY_P_CODE_MOST > bursty_p_text.high) return NULL;
        if (*p == 0x64 && bursty_p_is_enter(p, &begin, &site)) break;
        is_on_way |= p == pc;
        site = 0;
        if (!bursty_p_read(&c, p)) return NULL;
        p = c.next;
    }
    if (!site) return NULL;
    if (is_on_way) return (const bursty_site *)site;
    if ((const bursty_site *)site != left) return NULL;
    for (p = pc; p > pc - 3 * BURSTY_P_CODE_BACK / 2; p--) {
        end = *p == 0x64 ? bursty_p_is_leave(p) : NULL;
        if (end) return bursty_p_is_last(end, pc) ? left : NULL;
    }
    return NULL;
}

/* The same for a signal handler's context: rip is the 17th word of the
   machine's part, behind 40 bytes. ucontext_t itself is hidden under some
   standards. */
static const bursty_site *bursty_p_interrupted(const void *context) {
    uintptr_t pc = ((const uintptr_t *)context)[5 + 16];
    return bursty_p_text.high ? bursty_p_running((const unsigned char *)pc) : NULL;
}

#else
#define bursty_p_find_code() ((void)0)
#define bursty_p_interrupted(context) ((void)(context), BURSTY_P_CAST(const bursty_site *, NULL))
#endif
