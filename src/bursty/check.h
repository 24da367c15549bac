/* ---- the check ---- */

/* One 32-bit word per thread, n. While n >= 0 the thread is not sampling, and n
   checks remain until it looks at its schedule. While n < 0 it is inside a
   burst, and every check takes the slow path. It is bursty-tracing's Figure 3,
   decision for decision:

       a check       sub dword [n], 1      x86-64. Cortex-M3: ldr, ldr, subs, str, bmi
                     js cold */

#if defined(BURSTY_P_GNU)
#define BURSTY_P_UNLIKELY(x) __builtin_expect((x), 0)
#define BURSTY_P_INLINE static inline __attribute__((always_inline))
#define BURSTY_P_COLD __attribute__((cold, noinline)) BURSTY_P_KEEP_SLOW
#else
#define BURSTY_P_UNLIKELY(x) (x)
#define BURSTY_P_INLINE static inline
#define BURSTY_P_COLD
#endif

#if !defined(BURSTY_NO_TLS) && !defined(BURSTY_P_GNU) && !defined(BURSTY_P_MSVC)
#define BURSTY_NO_TLS
#endif
#if !defined(BURSTY_TLS_MODEL) && defined(__ELF__) && (!defined(__PIC__) || defined(__PIE__))
#define BURSTY_TLS_MODEL "local-exec" /* gcc would fetch the offset of an extern one from the GOT */
#endif
#if defined(BURSTY_NO_TLS)
#define BURSTY_P_TLS
#define BURSTY_P_KIND BURSTY_P_CAT(global_, BURSTY_STACK)
#else
#define BURSTY_P_KIND BURSTY_P_CAT(tls_, BURSTY_STACK)
#if defined(BURSTY_P_MSVC)
#define BURSTY_P_TLS __declspec(thread)
#elif defined(BURSTY_TLS_MODEL)
#define BURSTY_P_TLS __attribute__((tls_model(BURSTY_TLS_MODEL))) __thread
#else
#define BURSTY_P_TLS __thread /* in C++, too: thread_local would add a call */
#endif
#endif

/* What the inline code touches. Its name has the options in it: files must
   agree, or not link. */
typedef struct bursty_here {
    uint32_t n;
#ifdef BURSTY_TINY
    uint32_t every, burst;
    bursty_action action;
    void *user;
    uint32_t random; /* 0: no jitter */
#else
    uint32_t depth;
#if BURSTY_STACK > 0
    const bursty_site *stack[BURSTY_STACK];
#endif
#endif
} bursty_here;

#if defined(BURSTY_TINY)
#define BURSTY_P_HERE bursty_here_tiny
#elif defined(BURSTY_POLL)
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_poll_, BURSTY_P_KIND)
#else
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_, BURSTY_P_KIND)
#endif
BURSTY_API BURSTY_P_TLS bursty_here BURSTY_P_HERE;

typedef struct bursty_p_scope {
    const bursty_site *site;
    uint32_t depth;
} bursty_p_scope;

/* The slow path. A compiler that puts checks in (`bursty cc`) may write calls
   of the first two, and decrement bursty_here.n itself; nobody else needs them.
   bursty_hit takes a check, sends its event if there is a site and a burst, and
   returns the profiles in a burst. bursty_note sends one without a check. take,
   give_back: for code in two copies; mark, since: for its events without a
   check. */
BURSTY_API BURSTY_P_COLD uint32_t bursty_hit(const bursty_site *site, uintptr_t value);
BURSTY_API BURSTY_P_COLD void bursty_note(const bursty_site *site, uintptr_t value,
                                          uint32_t kind);
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_take(uint64_t left, uint32_t *live);
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live);
#ifndef BURSTY_TINY
BURSTY_API BURSTY_P_COLD uint32_t bursty_note_mark(void);
BURSTY_API BURSTY_P_COLD void bursty_note_since(const bursty_site *site, uintptr_t value,
                                             uint32_t kind, uint32_t mark);
#endif

/* FIRE takes a check and tells whether the slow path must look at it. LIVE
   takes none. */
#ifdef BURSTY_POLL
BURSTY_API uint8_t bursty_p_open;
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_is_live(void); /* its burst may have ended before */
#ifdef BURSTY_P_GNU
#define BURSTY_P_OPEN() (__atomic_load_n(&bursty_p_open, __ATOMIC_RELAXED) != 0)
#else
#define BURSTY_P_OPEN() (*(volatile uint8_t *)&bursty_p_open != 0)
#endif
#define BURSTY_P_POLLS 1
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(BURSTY_P_OPEN())
#define BURSTY_P_LIVE() (BURSTY_P_UNLIKELY(BURSTY_P_OPEN()) && bursty_p_is_live())
#else
#define BURSTY_P_POLLS 0
#define BURSTY_P_OPEN() 0
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(BURSTY_TINY)
/* gcc compares with zero in three instructions and with any other number in two.
   No gap and no hold is within 15 of 2^31. */
#define BURSTY_P_TOP UINT32_C(0x7FFFFFF0)
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY(BURSTY_P_HERE.n > BURSTY_P_TOP)
#else
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY(BURSTY_P_TO(int32_t, BURSTY_P_HERE.n) < 0)
#endif
#if defined(__thumb2__) && defined(__GCC_ASM_FLAG_OUTPUTS__) && !defined(__clang__)
BURSTY_P_INLINE int bursty_p_fire(void) { /* gcc alone would add a cmp */
    uint32_t n = BURSTY_P_HERE.n;
    int fired;
    __asm__("subs %0, %0, #1" : "+l"(n), "=@ccmi"(fired));
    BURSTY_P_HERE.n = n;
    return fired;
}
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(bursty_p_fire())
#elif defined(BURSTY_P_TOP)
BURSTY_P_INLINE int bursty_p_fire(void) { /* what LIVE asks gcc then knows */
    if (BURSTY_P_TO(int32_t, --BURSTY_P_HERE.n) < 0) return 1;
    if (BURSTY_P_HERE.n > BURSTY_P_TOP) __builtin_unreachable();
    return 0;
}
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(bursty_p_fire())
#else
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(BURSTY_P_TO(int32_t, --BURSTY_P_HERE.n) < 0)
#endif
#endif

/* A member of a struct: an error where a BURST_FOR_LEAF is around it (dual.h). */
#ifdef __cplusplus
#define BURSTY_P_NOT_IN_LEAF \
    static_assert(sizeof(struct burst_copy) != 3, "a check in BURST_FOR_LEAF: take BURST_FOR")
#define BURSTY_P_SIZE_IN_LEAF sizeof(char[sizeof(struct burst_copy) == 3 ? -1 : 1])
#else
#define BURSTY_P_NOT_IN_LEAF \
    char bursty_no_check_in_BURST_FOR_LEAF[sizeof(struct burst_copy) == 3 ? -1 : 1]
#define BURSTY_P_SIZE_IN_LEAF sizeof(struct { BURSTY_P_NOT_IN_LEAF; })
#endif

#define BURST_POINT(class_, name_, value_) \
    do { \
        struct bursty_p_here { BURSTY_P_NOT_IN_LEAF; }; \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_FIRE()) { BURSTY_P_HIT(bursty_p_site, BURSTY_P_TO(uintptr_t, value_)); } \
    } while (0)
#define BURST_CHECK() ((void)BURSTY_P_SIZE_IN_LEAF, bursty_p_check())
