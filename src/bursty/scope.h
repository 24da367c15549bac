/* ---- scopes ---- */

/* The check comes first and the push second, so the depth of a CALL counts the
   scopes around it. Leaving restores the saved depth instead of counting down:
   that repairs whatever a longjmp skipped. The stores are volatile, the stack
   before the depth, for a tick that interrupts. */

enum { BURSTY_P_SCOPE_CALL = BURSTY_CALL | BURSTY_FRAME,
       BURSTY_P_SCOPE_RETURN = BURSTY_RETURN | BURSTY_FRAME };

/* A watcher may read them meanwhile. */
#if defined(BURSTY_P_GNU) && !defined(BURSTY_NO_TLS)
#define BURSTY_P_SHOW(place, v) __atomic_store_n(place, v, __ATOMIC_RELAXED)
#else
#define BURSTY_P_SHOW(place, v) ((void)(*(place) = (v)))
#endif

BURSTY_P_INLINE bursty_p_scope bursty_p_enter(const bursty_site *site) {
    bursty_p_scope scope = { site, 0 };
    volatile bursty_here *here = &BURSTY_P_HERE;
    if (BURSTY_P_FIRE()) bursty_hit(site, 0);
#ifdef BURSTY_TINY
    (void)here;
#else
    scope.depth = here->depth;
#if BURSTY_STACK > 0
    if (scope.depth < BURSTY_STACK) BURSTY_P_SHOW(&here->stack[scope.depth], site);
#endif
    BURSTY_P_SHOW(&here->depth, scope.depth + 1);
#endif
    return scope;
}

BURSTY_P_INLINE void bursty_p_leave(bursty_p_scope *scope) {
#ifndef BURSTY_TINY
    volatile uint32_t *depth = &BURSTY_P_HERE.depth;
    BURSTY_P_SHOW(depth, scope->depth);
#endif
    if (BURSTY_P_LIVE()) bursty_note(scope->site, 0, BURSTY_P_SCOPE_RETURN);
}

/* "" before the name: a name that is no literal is an error, in C++, too, where
   it would be gone when the report is made. */
#define BURSTY_P_SCOPE_SITE(name_, id_) \
    struct BURSTY_P_CAT(bursty_p_here_, id_) { BURSTY_P_NOT_IN_LEAF; }; \
    static const bursty_site BURSTY_P_CAT(bursty_p_site_, id_) = { \
        "" name_, __FILE__, __LINE__, BURSTY_P_SCOPE_CALL }
#define BURST_SCOPE(name_) BURSTY_P_SCOPE(name_, BURSTY_P_UNIQUE)

#if defined(BURSTY_P_KEEP_SCOPES) /* the sequences are explained above, with the check */
#if defined(BURSTY_P_SHARED) /* the offset of the thread's word comes from a table */
#define BURSTY_P_SCOPE_BASE \
    "{movq\t" BURSTY_P_KEEP_NAME "@gottpoff(%%rip), %[base]" \
    "|mov\t%[base], QWORD PTR " BURSTY_P_KEEP_NAME "@gottpoff[rip]}\n\t"
#define BURSTY_P_SCOPE_HAS_BASE uint64_t bursty_p_base;
#define BURSTY_P_SCOPE_BASED , [base] "=&r"(bursty_p_base)
#define BURSTY_P_SCOPE_LEFT [base] "=&r"(bursty_p_base) BURSTY_P_KEEP_ORDER(, BURSTY_P_KEEP_ORDERED)
#define BURSTY_P_SCOPE_ATT(at_) "%%fs:" at_ "(%[base])"
#define BURSTY_P_SCOPE_INTEL(at_) "DWORD PTR fs:" at_ "[%[base]]"
#define BURSTY_P_SCOPE_SLOT_ATT "%%fs:8(%[base],%q[depth],8)"
#define BURSTY_P_SCOPE_SLOT_INTEL "QWORD PTR fs:8[%[base]+%q[depth]*8]"
#else
#define BURSTY_P_SCOPE_BASE ""
#define BURSTY_P_SCOPE_HAS_BASE
#define BURSTY_P_SCOPE_BASED
#define BURSTY_P_SCOPE_LEFT BURSTY_P_KEEP_ORDERED
#define BURSTY_P_SCOPE_ATT(at_) "%%fs:" BURSTY_P_KEEP_NAME "@tpoff+" at_
#define BURSTY_P_SCOPE_INTEL(at_) "DWORD PTR fs:" BURSTY_P_KEEP_NAME "@tpoff+" at_
#define BURSTY_P_SCOPE_SLOT_ATT "%%fs:" BURSTY_P_KEEP_NAME "@tpoff+8(,%q[depth],8)"
#define BURSTY_P_SCOPE_SLOT_INTEL "QWORD PTR fs:" BURSTY_P_KEEP_NAME "@tpoff+8[0+%q[depth]*8]"
#endif
#if defined(__PIC__) || defined(__PIE__)
#define BURSTY_P_SCOPE_HAS_SITE uint64_t bursty_p_at;
#define BURSTY_P_SCOPE_SITED , [at] "=&r"(bursty_p_at)
#define BURSTY_P_SCOPE_PUSH \
    "{leaq\t%c[site](%%rip), %[at]|lea\t%[at], %c[site][rip]}\n\t" \
    "{movq\t%[at], " BURSTY_P_SCOPE_SLOT_ATT "|mov\t" BURSTY_P_SCOPE_SLOT_INTEL ", %[at]}\n"
#else
#define BURSTY_P_SCOPE_HAS_SITE
#define BURSTY_P_SCOPE_SITED
#define BURSTY_P_SCOPE_PUSH \
    "{movq\t$%c[site], " BURSTY_P_SCOPE_SLOT_ATT \
    "|mov\t" BURSTY_P_SCOPE_SLOT_INTEL ", OFFSET %c[site]}\n"
#endif

#define BURSTY_P_SCOPE_ENTER(depth_, site_) \
    BURSTY_P_KEEP_ASM(BURSTY_P_SCOPE_BASE \
                      "{decl\t" BURSTY_P_SCOPE_ATT("0") "|dec\t" BURSTY_P_SCOPE_INTEL("0") "}" \
                      "\n\tjs\t771f\n772:\t" \
                      "{movl\t" BURSTY_P_SCOPE_ATT("4") ", %k[depth]" \
                      "|mov\t%k[depth], " BURSTY_P_SCOPE_INTEL("4") "}\n\t" \
                      "{cmpl\t%[room], %k[depth]|cmp\t%k[depth], %[room]}\n\tjae\t774f\n\t" \
                      BURSTY_P_SCOPE_PUSH \
                      "774:\t{incl\t" BURSTY_P_SCOPE_ATT("4") "|inc\t" BURSTY_P_SCOPE_INTEL("4") "}" \
                      "\n\t" BURSTY_P_KEEP_RARE \
                      : [depth] "=&r"(depth_) BURSTY_P_SCOPE_SITED BURSTY_P_SCOPE_BASED \
                        BURSTY_P_KEEP_ORDER(, BURSTY_P_KEEP_ORDERED) \
                      : [site] "i"(site_), [room] "i"(BURSTY_STACK) \
                      : "cc", "memory")

BURSTY_P_INLINE void bursty_p_end_scope(const uint32_t *depth) {
    BURSTY_P_SCOPE_HAS_BASE
    BURSTY_P_KEEP_ASM(BURSTY_P_SCOPE_BASE
                      "{movl\t%k[depth], " BURSTY_P_SCOPE_ATT("4")
                      "|mov\t" BURSTY_P_SCOPE_INTEL("4") ", %k[depth]}\n\t"
                      "{cmpl\t$0, " BURSTY_P_SCOPE_ATT("0")
                      "|cmp\t" BURSTY_P_SCOPE_INTEL("0") ", 0}\n\t"
                      "js\t775f\n776:\t.subsection 1\n775:\t"
                      BURSTY_P_KEEP_STUB("bursty_leave_thunk", "776b") ".previous"
                      : BURSTY_P_SCOPE_LEFT
                      : [depth] "r"(*depth)
                      : "cc", "memory");
}

#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    uint32_t BURSTY_P_CAT(bursty_p_scope_, id_) \
        __attribute__((cleanup(bursty_p_end_scope), unused)) = __extension__({ \
            uint32_t bursty_p_depth_; \
            BURSTY_P_SCOPE_HAS_SITE BURSTY_P_SCOPE_HAS_BASE \
            BURSTY_P_SCOPE_ENTER(bursty_p_depth_, &BURSTY_P_CAT(bursty_p_site_, id_)); \
            bursty_p_depth_; \
        })
#define BURST_LEAVE() do { } while (0)
#elif defined(BURSTY_P_GNU)
#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    bursty_p_scope BURSTY_P_CAT(bursty_p_scope_, id_) \
        __attribute__((cleanup(bursty_p_leave), unused)) = \
        bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, id_))
#define BURST_LEAVE() do { } while (0)
#elif defined(__cplusplus)
struct bursty_p_scope_guard {
    bursty_p_scope scope;
    explicit bursty_p_scope_guard(const bursty_site *site) : scope(bursty_p_enter(site)) {}
    ~bursty_p_scope_guard() { bursty_p_leave(&scope); }
};
#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    bursty_p_scope_guard BURSTY_P_CAT(bursty_p_scope_, id_)(&BURSTY_P_CAT(bursty_p_site_, id_))
#define BURST_LEAVE() do { } while (0)
#else /* other C compilers: write BURST_LEAVE() before each way out of a scope */
#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    bursty_p_scope bursty_p_scope_here = bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, id_))
#define BURST_LEAVE() bursty_p_leave(&bursty_p_scope_here)
#endif
