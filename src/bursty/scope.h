/* ---- scopes ---- */

/* The check comes first and the push second, so the depth of a CALL counts the scopes around it.
   Leaving restores the saved depth instead of counting down: that repairs whatever a longjmp
   skipped. The stores are volatile, the stack before the depth, for whoever interrupts: ticks.h. */

enum { BURSTY_P_SCOPE_CALL = BURSTY_CALL | BURSTY_FRAME,
       BURSTY_P_SCOPE_RETURN = BURSTY_RETURN | BURSTY_FRAME };

BURSTY_P_INLINE bursty_p_scope bursty_p_enter(const bursty_site *site) {
    bursty_p_scope scope = { site, 0 };
    volatile bursty_p_here_t *here = &BURSTY_P_HERE;
    if (BURSTY_P_FIRE()) bursty_p_hit(site, 0);
#ifdef BURSTY_TINY
    (void)here;
#else
    scope.depth = here->depth;
#if BURSTY_STACK > 0
    if (scope.depth < BURSTY_STACK) here->stack[scope.depth] = site;
#endif
    here->depth = scope.depth + 1;
#endif
    return scope;
}

BURSTY_P_INLINE void bursty_p_leave(bursty_p_scope *scope) {
#ifndef BURSTY_TINY
    volatile uint32_t *depth = &BURSTY_P_HERE.depth;
    *depth = scope->depth;
#endif
    if (BURSTY_P_LIVE()) bursty_p_event(scope->site, 0, BURSTY_P_SCOPE_RETURN);
}

/* "" before the name: a name that is no literal is an error, in C++, too, where it would be gone when
   the report is made. */
#define BURSTY_P_SCOPE_SITE(name_, id_) \
    static const bursty_site BURSTY_P_CAT(bursty_p_site_, id_) = { \
        "" name_, __FILE__, __LINE__, BURSTY_P_SCOPE_CALL }
#define BURST_SCOPE(name_) BURSTY_P_SCOPE(name_, BURSTY_P_UNIQUE)
#if defined(BURSTY_P_GNU)
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
