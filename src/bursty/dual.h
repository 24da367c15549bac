/* ---- code in two copies, the second records ---- */

#if defined(BURSTY_P_GNU)
#define BURSTY_P_DUAL_COLD __attribute__((cold, noinline))
#else
#define BURSTY_P_DUAL_COLD
#endif

/* FIRE takes a check and says whether bursty_hit must look closer, which says
   whether a burst is live; if it is not, PLAIN undoes the check. LIVE takes no
   check. */
#define BURSTY_P_DUAL_SITE(name_) \
    static const bursty_site bursty_p_dual_site = { name_, __FILE__, __LINE__, BURSTY_CALL }

/* Takes up to `left` checks that have the same answer, which goes to *live. */
BURSTY_P_INLINE uint32_t bursty_p_dual_take(uint64_t left, uint32_t *live) {
    uint32_t room = BURSTY_P_POLLS ? 4096 : BURSTY_P_HERE.n;
    if (BURSTY_P_POLLS ? BURSTY_P_OPEN() : BURSTY_P_TO(int32_t, room) <= 0) {
        return bursty_p_take(left, live);
    }
    if (left < room) room = BURSTY_P_TO(uint32_t, left);
    if (!BURSTY_P_POLLS) BURSTY_P_HERE.n -= room;
    *live = 0;
    return room;
}

/* ---- events without a check ---- */

/* Control moves between the two copies at checks, and an event is recorded if
   and only if a burst is live, wherever it stands: behind a loop or a call that
   has begun a burst, too. So an event tests the word, in two instructions.
   In the plain copy, directly after a check, the compiler knows the answer and
   leaves the test out. It knows the answer until a call, or until a store that might
   change the word. */
#define BURST_IF_RECORDING(...) do { if (BURSTY_P_LIVE()) { __VA_ARGS__; } } while (0)
#define BURST_REF(class_, p_) \
    do { \
        static const bursty_site bursty_p_dual_site = { #p_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_LIVE()) { BURSTY_P_NOTE(bursty_p_dual_site, BURSTY_P_TO(uintptr_t, p_)); } \
    } while (0)

/* ---- dual-path functions (bursty-tracing Figure 2) ---- */

/* The body stands once in the source and twice in the code. The user's braces
   follow the header of an always-inline function with two uses:

       f(a)        a check; plain: body(a)      fires: cold_f(a), a jump
       cold_f(a)   in a burst: body(a)          otherwise: gives its check back and calls f, whose
                                                own check takes it again (no third copy of the body)
*/
#if defined(__clang__)
#define BURSTY_P_DUAL_VOID \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpedantic\"") \
    _Pragma("clang diagnostic ignored \"-Wgcc-compat\"")
#define BURSTY_P_DUAL_VOID_END _Pragma("clang diagnostic pop")
#elif defined(BURSTY_P_GNU) && !defined(__cplusplus) /* "return f();" where f returns void */
#define BURSTY_P_DUAL_VOID \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define BURSTY_P_DUAL_VOID_END _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_DUAL_VOID
#define BURSTY_P_DUAL_VOID_END
#endif
#ifdef __clang__ /* gcc refuses va_start in the body; clang would call it without the arguments */
#define BURSTY_P_DUAL_NO_DOTS(params_) \
    __attribute__((diagnose_if((params_)[sizeof(params_) - 3] == '.', \
        "BURST_DUAL cannot have '...': let it call a function that takes a va_list", "error")))
#else
#define BURSTY_P_DUAL_NO_DOTS(params_)
#endif

#if defined(BURSTY_POLL)
#define BURSTY_P_DUAL_PLAIN(name_, args_) return bursty_p_dual_body_##name_ args_
#else
#define BURSTY_P_DUAL_PLAIN(name_, args_) BURSTY_P_HERE.n++; return name_ args_
#endif

#define BURST_DUAL(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_DUAL_VOID \
    BURSTY_P_INLINE BURSTY_P_DUAL_NO_DOTS(#params_) \
    ret_ bursty_p_dual_body_##name_ params_; \
    static BURSTY_P_DUAL_COLD ret_ bursty_p_dual_cold_##name_ params_ { \
        BURSTY_P_DUAL_SITE(#name_); \
        if (bursty_hit(&bursty_p_dual_site, 0)) { \
            return bursty_p_dual_body_##name_ args_; \
        } else { \
            BURSTY_P_DUAL_PLAIN(name_, args_); \
        } \
    } \
    ret_ name_ params_ { \
        if (BURSTY_P_FIRE()) { \
            return bursty_p_dual_cold_##name_ args_; \
        } else { \
            return bursty_p_dual_body_##name_ args_; \
        } \
    } \
    BURSTY_P_DUAL_VOID_END \
    BURSTY_P_INLINE ret_ bursty_p_dual_body_##name_ params_

/* A function without a check. Called by its name it tests at its events. Where
   BURST_SAME knows or finds that no burst is live, it calls a copy that begins
   with this knowledge. */
#if defined(BURSTY_P_GNU) && !defined(BURSTY_POLL)
#define BURSTY_P_DUAL_KNOWN_PLAIN() if (BURSTY_P_LIVE()) __builtin_unreachable()
#else
#define BURSTY_P_DUAL_KNOWN_PLAIN() (void)0
#endif
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_DUAL_VOID \
    BURSTY_P_INLINE BURSTY_P_DUAL_NO_DOTS(#params_) \
    ret_ bursty_p_dual_body_##name_ params_; \
    BURSTY_P_UNUSED static ret_ bursty_p_same_wants_DUAL_LEAF_##name_ params_ { \
        BURSTY_P_DUAL_KNOWN_PLAIN(); \
        return bursty_p_dual_body_##name_ args_; \
    } \
    ret_ name_ params_ { \
        return bursty_p_dual_body_##name_ args_; \
    } \
    BURSTY_P_DUAL_VOID_END \
    BURSTY_P_INLINE ret_ bursty_p_dual_body_##name_ params_
#define BURST_SAME(name_, args_) \
    (BURSTY_P_LIVE() ? name_ args_ : bursty_p_same_wants_DUAL_LEAF_##name_ args_)

/* ---- dual-path loops ---- */

/* In the second copy a loop within the loop stands once: else n nested loops
   were 2^n copies. A struct tag says which copy a block is in; its size is 2 in
   the second, and 3 in a BURST_FOR_LEAF, where no check may stand. (A local variable would do the same, with a warning of -Wshadow in
   every nesting.) */
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) /* g++: a tag shadows, too */
#define BURSTY_P_DUAL_QUIET \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define BURSTY_P_DUAL_LOUD _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_DUAL_QUIET
#define BURSTY_P_DUAL_LOUD
#endif

struct burst_copy {
    char c[1];
};
#define BURSTY_P_DUAL_TAG(size_) \
    BURSTY_P_DUAL_QUIET struct burst_copy { char c[size_]; }; BURSTY_P_DUAL_LOUD
#define BURSTY_P_DUAL_OUTER_TAG() \
    BURSTY_P_DUAL_QUIET struct burst_outer { \
        char c[sizeof(struct burst_copy)]; \
        BURSTY_P_NOT_IN_LEAF; \
    }; BURSTY_P_DUAL_LOUD
#ifdef __cplusplus
#define BURSTY_P_DUAL_OUTER sizeof(burst_outer::c)
#else
#define BURSTY_P_DUAL_OUTER sizeof(((struct burst_outer *)0)->c)
#endif

#define BURST_BODY(...) \
    { \
        BURSTY_P_DUAL_OUTER_TAG() \
        if (bursty_p_check() && sizeof(struct burst_copy) != 2) { \
            BURSTY_P_DUAL_TAG(2) __VA_ARGS__ \
        } else { \
            BURSTY_P_DUAL_TAG(BURSTY_P_DUAL_OUTER) __VA_ARGS__ \
        } \
    }
#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_dual_hi_##i_ = (hi_); \
        for (; i_ < bursty_p_dual_hi_##i_; i_++) BURST_BODY(__VA_ARGS__) \
    }

/* BURST_FOR_LEAF runs a counted loop in strips: the iterations of a strip get
   the same answer, and their checks are taken at once, so that nothing is left
   per iteration. A check in its body would come after those of the strip. If the
   body leaves by break, return, goto or an exception, the guard gives back the
   checks of the iterations that did not run. It reads i through a pointer to a
   type that may alias any other. */
#ifdef BURSTY_P_GNU
#define BURSTY_P_DUAL_ALIAS __attribute__((may_alias))
#else
#define BURSTY_P_DUAL_ALIAS
#endif
typedef uint8_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any8;
typedef uint16_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any16;
typedef uint32_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any32;
typedef uint64_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any64;

typedef struct bursty_p_dual_guard {
    const void *i; /* NULL: the strip was run to its end */
    uint64_t stop;
    uint32_t size, live;
    void (*give_back)(uint32_t count, uint32_t live);
} bursty_p_dual_guard;

BURSTY_P_INLINE void bursty_p_dual_unguard(bursty_p_dual_guard *guard) {
    uint64_t i = 0, mask = UINT64_MAX;
    if (!guard->i) return;
    if (guard->size == 1) i = *BURSTY_P_CAST(const bursty_p_dual_any8 *, guard->i);
    if (guard->size == 2) i = *BURSTY_P_CAST(const bursty_p_dual_any16 *, guard->i);
    if (guard->size == 4) i = *BURSTY_P_CAST(const bursty_p_dual_any32 *, guard->i);
    if (guard->size == 8) i = *BURSTY_P_CAST(const bursty_p_dual_any64 *, guard->i);
    mask >>= 64 - 8 * guard->size;
    guard->give_back(BURSTY_P_TO(uint32_t, (guard->stop - i - 1) & mask), guard->live);
}

#if defined(BURSTY_P_GNU)
#define BURSTY_P_DUAL_GUARD(guard_) \
    bursty_p_dual_guard guard_ __attribute__((cleanup(bursty_p_dual_unguard)))
#define BURSTY_P_DUAL_BROKE(guard_) break
#elif defined(__cplusplus)
} /* extern "C" */
struct bursty_p_dual_guarded : bursty_p_dual_guard {
    ~bursty_p_dual_guarded() { bursty_p_dual_unguard(this); }
};
extern "C" {
#define BURSTY_P_DUAL_GUARD(guard_) bursty_p_dual_guarded guard_
#define BURSTY_P_DUAL_BROKE(guard_) break
#else
#define BURSTY_P_DUAL_GUARD(guard_) bursty_p_dual_guard guard_
#define BURSTY_P_DUAL_BROKE(guard_) bursty_p_dual_unguard(&guard_); break
#endif

#define BURST_FOR_LEAF(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_dual_hi_##i_ = (hi_); \
        BURSTY_P_DUAL_OUTER_TAG() \
        while (i_ < bursty_p_dual_hi_##i_) { \
            const uint64_t bursty_p_dual_at_##i_ = BURSTY_P_TO(uint64_t, i_); \
            uint32_t bursty_p_dual_live_##i_; \
            const uint32_t bursty_p_dual_count_##i_ = bursty_p_dual_take( \
                BURSTY_P_TO(uint64_t, bursty_p_dual_hi_##i_) - bursty_p_dual_at_##i_, \
                &bursty_p_dual_live_##i_); \
            const T_ bursty_p_dual_stop_##i_ = \
                BURSTY_P_CAST(T_, bursty_p_dual_at_##i_ + bursty_p_dual_count_##i_); \
            BURSTY_P_DUAL_GUARD(bursty_p_dual_guard_##i_); \
            bursty_p_dual_guard_##i_.i = &i_; \
            bursty_p_dual_guard_##i_.size = BURSTY_P_TO(uint32_t, sizeof i_); \
            bursty_p_dual_guard_##i_.stop = BURSTY_P_TO(uint64_t, bursty_p_dual_stop_##i_); \
            bursty_p_dual_guard_##i_.live = bursty_p_dual_live_##i_; \
            bursty_p_dual_guard_##i_.give_back = bursty_p_give_back; \
            if (bursty_p_dual_live_##i_ && sizeof(struct burst_copy) != 2) { \
                BURSTY_P_DUAL_TAG(3) \
                for (; i_ < bursty_p_dual_stop_##i_; i_++) { __VA_ARGS__ } \
            } else { \
                BURSTY_P_DUAL_TAG(3) \
                for (; i_ < bursty_p_dual_stop_##i_; i_++) { __VA_ARGS__ } \
            } \
            if (i_ < bursty_p_dual_stop_##i_) { BURSTY_P_DUAL_BROKE(bursty_p_dual_guard_##i_); } \
            bursty_p_dual_guard_##i_.i = NULL; \
        } \
    }
