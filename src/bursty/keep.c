/* ---- checks that keep registers: the way to the slow path ---- */

#ifdef BURSTY_P_KEEP_ASM

/* Vector, mask and x87 registers: xsave's components 0, 1, 2, 5, 6 and 7, in 64
   + 2688 bytes. No processor's layout of them is larger. */
#define BURSTY_P_KEEP_PARTS 0xe7
#define BURSTY_P_KEEP_ROOM (2752 / 8)

/* 0: not asked yet; 1: fxsave does it; 2: xsave does. */
BURSTY_P_KEEP_INLINE uint32_t bursty_p_keep_ask(uint32_t *known) {
    uint32_t has = __atomic_load_n(known, __ATOMIC_RELAXED), a = 1, b, c = 0, d;
    if (has != 0) return has;
    __asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    has = 1 + (c >> 27 & 1);
    __atomic_store_n(known, has, __ATOMIC_RELAXED);
    return has;
}

/* Afterwards the x87 registers are free; x87's and SSE's control words stay. */
BURSTY_P_KEEP_INLINE uint64_t *bursty_p_keep_save(uint64_t *room, uint32_t has) {
    uint64_t *area = room + ((0 - (uintptr_t)room) & 63) / 8;
    uint32_t i;
    for (i = 64; i < 72; i++) *(volatile uint64_t *)&area[i] = 0; /* xrstor wants zeros there */
    if (has == 1) {
        __asm__ __volatile__("fxsave64 {(%0)|[%0]}" : : "r"(area) : "memory");
    } else {
        __asm__ __volatile__("xsave64 {(%0)|[%0]}"
                             : : "r"(area), "a"(BURSTY_P_KEEP_PARTS), "d"(0) : "memory");
    }
    __asm__ __volatile__("emms" : : : "memory");
    return area;
}

BURSTY_P_KEEP_INLINE void bursty_p_keep_restore(const uint64_t *area, uint32_t has) {
    if (has == 1) {
        __asm__ __volatile__("fxrstor64 {(%0)|[%0]}" : : "r"(area) : "memory");
    } else {
        __asm__ __volatile__("xrstor64 {(%0)|[%0]}"
                             : : "r"(area), "a"(BURSTY_P_KEEP_PARTS), "d"(0) : "memory");
    }
}

/* The thunk of a check finds the site and calls bursty_p_kept_count, which
   keeps all registers but rax and rdi. If the event is an unusual one, the
   thunk keeps the other general registers and calls bursty_p_kept_hit. It
   returns over the red zone. The thunk of a scope's end does the same with
   bursty_p_kept_return and bursty_p_kept_leave.

   To an unwinder it looks as if the function that checks had called it right
   behind the js: the stack pointer there is 136 above the one at the thunk's
   entry, and the return address is the target of the stub's jmp: p + 5 +
   *(int32_t *)(p + 1), where p = *(CFA - 136).

   The text is in AT&T's syntax, but the file may be compiled with -masm=intel,
   which no macro tells of. `push 5` tells: it pushes a constant in Intel's
   syntax, in 2 bytes, and what is at address 5 in AT&T's, in more. It never
   runs. clang is told AT&T's; file-scope assembly behind it in the same file
   would have to say so, too. */
#if defined(__clang__) /* which reads it before it knows a length, with -flto */
#define BURSTY_P_KEEP_SYNTAX_BEGIN "\t.att_syntax prefix\n"
#define BURSTY_P_KEEP_SYNTAX_END ""
#else
#define BURSTY_P_KEEP_SYNTAX_BEGIN "771:\tpush\t5\n772:\n\t.att_syntax prefix\n"
#define BURSTY_P_KEEP_SYNTAX_END \
    "\t.if 772b - 771b == 2\n\t.intel_syntax noprefix\n\t.endif\n"
#endif
#define BURSTY_P_KEEP_SITE(at) \
    "\tmov\t" at ", %rdi\n\tmovslq\t5(%rdi), %rax\n\tlea\t5(%rdi,%rax), %rdi\n"
#ifdef __clang__ /* which, at -O0, makes a function that keeps all registers keep rax, too */
#define BURSTY_P_KEEP_ASK(function) \
    "\tpush\t%rdi\n\tmov\t%rsp, %rdi\n\tcall\t" function "\n\tpop\t%rax\n"
#define BURSTY_P_KEEP_ANSWER(function, answer) \
    BURSTY_P_KEEP_ENTRY BURSTY_P_KEEP_SAVES void function(uint64_t *place); \
    void function(uint64_t *place) { \
        *place = answer((const bursty_site *)(uintptr_t)*place); \
    }
#else
#define BURSTY_P_KEEP_ASK(function) "\tcall\t" function "\n"
#define BURSTY_P_KEEP_ANSWER(function, answer) \
    BURSTY_P_KEEP_ENTRY BURSTY_P_KEEP_SAVES uint64_t function(const bursty_site *site); \
    uint64_t function(const bursty_site *site) { return answer(site); }
#endif
#if BURSTY_P_KEEP_ALWAYS
#define BURSTY_P_KEEP_TRY(site, function) ""
#else
#define BURSTY_P_KEEP_TRY(site, function) \
    site BURSTY_P_KEEP_ASK(function) "\ttest\t%rax, %rax\n\tje\t1f\n"
#endif
#define BURSTY_P_KEEP_FIRST_PUSH(r, at) \
    "\tpush\t%" r "\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_offset " r ", -" at "\n"
#define BURSTY_P_KEEP_PUSH(r, at) "\tpush\t%" r "\n\t.cfi_offset " r ", -" at "\n"
#define BURSTY_P_KEEP_THUNK(name, try_, arguments, function) \
    ".pushsection .text." name ", \"ax\", @progbits\n" \
    "\t.globl\t" name "\n\t.hidden\t" name "\n" \
    BURSTY_P_KEEP_SYNTAX_BEGIN \
    "\t.type\t" name ", @function\n\t.p2align 4\n" name ":\n" \
    "\t.cfi_startproc\n\t.cfi_def_cfa rsp, 136\n" \
    "\t.cfi_escape 0x16, 0x10, 25, 0x0b, 0x78, 0xff, 0x22, 0x06, 0x23, 1, 0x12, 0x94, 4, " \
    "0x0c, 0, 0, 0, 0x80, 0x27, 0x0c, 0, 0, 0, 0x80, 0x1c, 0x22, 0x23, 4\n" \
    BURSTY_P_KEEP_FIRST_PUSH("rax", "144") BURSTY_P_KEEP_FIRST_PUSH("rdi", "152") \
    try_ "\t.cfi_remember_state\n" \
    BURSTY_P_KEEP_FIRST_PUSH("rbp", "160") \
    "\tmov\t%rsp, %rbp\n\t.cfi_def_cfa_register rbp\n" \
    BURSTY_P_KEEP_PUSH("rcx", "168") BURSTY_P_KEEP_PUSH("rdx", "176") BURSTY_P_KEEP_PUSH("rsi", "184") \
    BURSTY_P_KEEP_PUSH("r8", "192") BURSTY_P_KEEP_PUSH("r9", "200") BURSTY_P_KEEP_PUSH("r10", "208") \
    BURSTY_P_KEEP_PUSH("r11", "216") arguments \
    "\tand\t$-16, %rsp\n\tcall\t" function "\n\tlea\t-56(%rbp), %rsp\n" \
    "\tpop\t%r11\n\tpop\t%r10\n\tpop\t%r9\n\tpop\t%r8\n" \
    "\tpop\t%rsi\n\tpop\t%rdx\n\tpop\t%rcx\n\tpop\t%rbp\n\t.cfi_restore_state\n" \
    "1:\tpop\t%rdi\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rdi\n" \
    "\tpop\t%rax\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rax\n\tret\t$128\n" \
    "\t.cfi_endproc\n\t.size\t" name ", . - " name "\n" \
    BURSTY_P_KEEP_SYNTAX_END "\t.popsection\n"
__asm__(BURSTY_P_KEEP_THUNK(
    "bursty_thunk", BURSTY_P_KEEP_TRY(BURSTY_P_KEEP_SITE("16(%rsp)"), "bursty_p_kept_count"),
    "\tmov\t%eax, %esi\n" BURSTY_P_KEEP_SITE("24(%rbp)"), "bursty_p_kept_hit"));
#ifdef BURSTY_P_KEEP_LEAVES
__asm__(BURSTY_P_KEEP_THUNK("bursty_leave_thunk", BURSTY_P_KEEP_TRY("", "bursty_p_kept_return"),
                            "\tmov\t%eax, %edi\n", "bursty_p_kept_leave"));
#endif
__asm__(BURSTY_P_KEEP_THUNK("bursty_check_thunk", "", "", "bursty_p_kept_check"));
__asm__(BURSTY_P_KEEP_THUNK("bursty_point_thunk", "",
                            "\tmov\t%rax, %rsi\n" BURSTY_P_KEEP_SITE("24(%rbp)"), "bursty_p_kept_point"));
__asm__(BURSTY_P_KEEP_THUNK("bursty_event_thunk", "",
                            "\tmov\t%rax, %rsi\n" BURSTY_P_KEEP_SITE("24(%rbp)"), "bursty_p_kept_event"));

/* bursty_p_kept_count takes the word out and counts the usual event, without a
   call. Its answer is 0; or, if it does not count, 2^32 plus the word, and
   bursty_p_kept_hit goes on from there. In a plain thread without new settings
   it takes the short look. Else it is bursty_p_keep_hit_any, which calls
   nothing outside bursty.h if no profile has an action, there is no budget, and
   a look leaves new settings to the next check (same_settings). In a burst that
   was another profile's, too, `only` may still be NULL. bursty_p_kept_return
   and bursty_p_kept_leave divide the end of a scope in the same way. The scope
   has left the stack, but its slot still holds its site; below the stack it is
   "(deep)". */
#ifdef __cplusplus
#define BURSTY_P_KEEP_ENTRY \
    extern "C" __attribute__((BURSTY_P_KEEP_USED, visibility("hidden"))) BURSTY_P_KEEP_SLOW
#else
#define BURSTY_P_KEEP_ENTRY __attribute__((BURSTY_P_KEEP_USED, visibility("hidden"))) BURSTY_P_KEEP_SLOW
#endif
#define BURSTY_P_KEEP_QUIET
#define BURSTY_P_KEEP_LOUD
#if defined(__has_warning)
#if __has_warning("-Wexcessive-regsave") /* it takes what is inlined there for calls */
#undef BURSTY_P_KEEP_QUIET
#undef BURSTY_P_KEEP_LOUD
#define BURSTY_P_KEEP_QUIET \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wexcessive-regsave\"")
#define BURSTY_P_KEEP_LOUD _Pragma("clang diagnostic pop")
#endif
#endif
#ifdef BURSTY_P_KEEP_LEAVES
BURSTY_P_KEEP_INLINE const bursty_site *bursty_p_keep_left(void) {
    uint32_t depth = BURSTY_P_HERE.depth;
    return depth < BURSTY_STACK ? BURSTY_P_HERE.stack[depth] : &bursty_p_deep_site;
}
#endif

#if BURSTY_P_KEEP_ALWAYS
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_hit_outside(const bursty_site *site, uintptr_t value) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    (void)bursty_hit(site, value);
    bursty_p_keep_restore(area, has);
}
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_note_outside(const bursty_site *site, uintptr_t value,
                                                       uint32_t kind) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    bursty_note(site, value, kind);
    bursty_p_keep_restore(area, has);
}

BURSTY_P_KEEP_ENTRY void bursty_p_kept_hit(const bursty_site *site);
void bursty_p_kept_hit(const bursty_site *site) { bursty_p_keep_hit_outside(site, 0); }

BURSTY_P_KEEP_ENTRY void bursty_p_kept_check(void);
void bursty_p_kept_check(void) { bursty_p_keep_hit_outside(NULL, 0); }

BURSTY_P_KEEP_ENTRY void bursty_p_kept_point(const bursty_site *site, uintptr_t value);
void bursty_p_kept_point(const bursty_site *site, uintptr_t value) {
    bursty_p_keep_hit_outside(site, value);
}

BURSTY_P_KEEP_ENTRY void bursty_p_kept_event(const bursty_site *site, uintptr_t value);
void bursty_p_kept_event(const bursty_site *site, uintptr_t value) {
    bursty_p_keep_note_outside(site, value, site->kind);
}

#ifdef BURSTY_P_KEEP_LEAVES
BURSTY_P_KEEP_ENTRY void bursty_p_kept_leave(void);
void bursty_p_kept_leave(void) {
    bursty_p_keep_note_outside(bursty_p_keep_left(), 0, BURSTY_P_SCOPE_RETURN);
}
#endif

#else /* not BURSTY_P_KEEP_ALWAYS */

BURSTY_P_KEEP_QUIET
BURSTY_P_KEEP_INLINE uint64_t bursty_p_keep_count(const bursty_site *site) {
    uint32_t n = bursty_p_hold();
    if (BURSTY_P_UNLIKELY(!bursty_p_count_recent(site, n))) return (uint64_t)1 << 32 | n;
    BURSTY_P_HERE.n = n;
    return 0;
}
BURSTY_P_KEEP_ANSWER(bursty_p_kept_count, bursty_p_keep_count)
BURSTY_P_KEEP_LOUD
BURSTY_P_COLD static void bursty_p_keep_hit_outside(const bursty_site *site, uintptr_t value,
                                                           uint32_t n) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    (void)bursty_p_rest(site, value, n + 1);
    bursty_p_keep_restore(area, has);
}
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_hit_any(const bursty_site *site, uintptr_t value,
                                                  uint32_t n) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t outer = t ? t->same_settings : 0;
    if (t) t->same_settings = 1;
    BURSTY_P_FENCE(); /* a signal handler may set a profile from here on */
    if (t && !t->acting && !bursty_p_all.budget
        && t->generation == BURSTY_P_GET(&bursty_p_all.generation)) {
        (void)bursty_p_hit_of(t, site, value, n + 1);
        t->same_settings = outer;
        return;
    }
    if (t) t->same_settings = outer;
    bursty_p_keep_hit_outside(site, value, n);
}
BURSTY_P_KEEP_INLINE uint32_t bursty_p_keep_look(bursty_p_thread *t) {
    bursty_p_sampler *s = t->sampler;
    uint32_t span = t->span, live = s->in_burst;
    uint64_t left = s->left - span;
    bursty_p_count_up(&t->checks, span - t->counted);
    if (t->live) bursty_p_count_up(&t->burst_checks, span - t->counted);
    t->counted = 0;
    if (left == 0) {
        s->in_burst = live = !live;
        left = live ? s->set.burst : bursty_p_gap(t, s);
    }
    s->left = left;
    t->until_new -= span;
    if (t->until_new == 0) t->until_new = BURSTY_P_ASKS;
    if (t->live != live) {
        if (live || !bursty_p_mine.marked) {
            if (bursty_p_mine.touched) bursty_p_fold(t, s);
            bursty_p_mine.summing = bursty_p_mine.marked = 0;
        }
        t->live = live;
        bursty_p_mine.only = live ? t->events : NULL;
        bursty_p_mine.weight_256 = s->weight_256;
        if (live) bursty_p_number(t, s, 0);
    }
    t->span = span = left < t->until_new ? (uint32_t)left : t->until_new;
    bursty_p_mine.room = bursty_p_mine.only ? span : 0;
    return live ? 0 : span;
}
BURSTY_P_KEEP_ENTRY void bursty_p_kept_hit(const bursty_site *site, uint32_t n);
void bursty_p_kept_hit(const bursty_site *site, uint32_t n) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t passed = t ? (t->live ? 0 : t->span) - (n + 1) : 0;
    if (!t || !t->plain || t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
        bursty_p_keep_hit_any(site, 0, n);
        return;
    }
    if (passed >= t->span) n = bursty_p_keep_look(t) - 1;
    if (t->live && !(bursty_p_mine.only && bursty_p_count_known(site))) {
        bursty_p_deliver(t, site, 0, site->kind, n);
    }
    BURSTY_P_HERE.n = n;
}

BURSTY_P_KEEP_ENTRY void bursty_p_kept_check(void);
void bursty_p_kept_check(void) { bursty_p_keep_hit_any(NULL, 0, bursty_p_hold()); }

BURSTY_P_KEEP_ENTRY void bursty_p_kept_point(const bursty_site *site, uintptr_t value);
void bursty_p_kept_point(const bursty_site *site, uintptr_t value) {
    uint32_t n = bursty_p_hold();
    if (bursty_p_count_recent(site, n)) BURSTY_P_HERE.n = n;
    else bursty_p_keep_hit_any(site, value, n);
}

BURSTY_P_COLD static void bursty_p_keep_note_outside(const bursty_site *site, uintptr_t value,
                                                     uint32_t kind, uint32_t n) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    bursty_p_event_of(bursty_p_me(), site, value, kind, n);
    bursty_p_keep_restore(area, has);
}
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_note(const bursty_site *site, uintptr_t value,
                                               uint32_t kind, uint32_t n) {
    bursty_p_thread *t = bursty_p_registered();
    if (t && !t->acting) bursty_p_event_of(t, site, value, kind, n);
    else bursty_p_keep_note_outside(site, value, kind, n);
}
BURSTY_P_KEEP_ENTRY void bursty_p_kept_event(const bursty_site *site, uintptr_t value);
void bursty_p_kept_event(const bursty_site *site, uintptr_t value) {
    bursty_p_keep_note(site, value, site->kind, bursty_p_hold());
}

#ifdef BURSTY_P_KEEP_LEAVES
BURSTY_P_KEEP_QUIET
BURSTY_P_KEEP_INLINE uint64_t bursty_p_keep_return(const bursty_site *site) {
    uint32_t n = bursty_p_hold();
    (void)site;
    if (BURSTY_P_UNLIKELY(!bursty_p_count_return())) return (uint64_t)1 << 32 | n;
    BURSTY_P_HERE.n = n;
    return 0;
}
BURSTY_P_KEEP_ANSWER(bursty_p_kept_return, bursty_p_keep_return)
BURSTY_P_KEEP_LOUD

BURSTY_P_KEEP_ENTRY void bursty_p_kept_leave(uint32_t n);
void bursty_p_kept_leave(uint32_t n) {
    bursty_p_keep_note(bursty_p_keep_left(), 0, BURSTY_P_SCOPE_RETURN, n);
}
#endif

#endif /* BURSTY_P_KEEP_ALWAYS */

#endif /* BURSTY_P_KEEP_ASM */
