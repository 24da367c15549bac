/* ---- checks that keep registers: where ---- */

#if defined(__has_feature)
#define BURSTY_P_KEEP_HAS(sanitizer) __has_feature(sanitizer)
#else
#define BURSTY_P_KEEP_HAS(sanitizer) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    defined(__SANITIZE_HWADDRESS__) || BURSTY_P_KEEP_HAS(address_sanitizer) || \
    BURSTY_P_KEEP_HAS(thread_sanitizer) || BURSTY_P_KEEP_HAS(memory_sanitizer) || \
    BURSTY_P_KEEP_HAS(hwaddress_sanitizer) || BURSTY_P_KEEP_HAS(dataflow_sanitizer)
#define BURSTY_P_KEEP_SANITIZED
#endif
#if defined(BURSTY_P_SHARED) && !defined(BURSTY_NO_TLS) && !defined(BURSTY_TLS_MODEL)
#define BURSTY_P_KEEP_CALL_FOR_TLS /* the compiler finds the thread's word by a call */
#endif

/* Files whose checks are in C may be linked with others, so the implementation
   of bursty.h has the way in for assembly (IN_BURSTY) in more cases than a file
   has such checks (CHECKS). */
#if defined(__x86_64__) && defined(__LP64__) && defined(__ELF__) && !defined(BURSTY_PORTABLE) && \
    !defined(BURSTY_OFF) && !defined(BURSTY_POLL) && !defined(BURSTY_TINY) && \
    !defined(BURSTY_STATIC) && !defined(__INTEL_COMPILER) && !defined(__NVCOMPILER)
#if defined(__clang__) && __clang_major__ >= 14
#define BURSTY_P_KEEP_ASM __asm__ __volatile__
#define BURSTY_P_KEEP_ORDER(...)
#define BURSTY_P_KEEP_SIZE(name) name " PTR " /* of an operand in Intel's syntax: gcc writes it */
#define BURSTY_P_KEEP_USED used
#define BURSTY_P_KEEP_UNSEEN xray_never_instrument, no_sanitize("coverage")
#if __clang_major__ >= 15
#define BURSTY_P_KEEP_SAVES __attribute__((no_caller_saved_registers, zero_call_used_regs("skip")))
#else
#define BURSTY_P_KEEP_SAVES __attribute__((no_caller_saved_registers))
#endif
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define BURSTY_P_KEEP_ASM __asm__ __inline /* one instruction to gcc, when it inlines */
#define BURSTY_P_KEEP_ORDER(...) __VA_ARGS__
#define BURSTY_P_KEEP_SIZE(name)
#define BURSTY_P_KEEP_USED used, externally_visible
#define BURSTY_P_KEEP_UNSEEN no_sanitize_coverage
/* tune and stringops, which change nothing here: a target of its own. gcc 12
   keeps its table of saved registers by target, and behind a function without
   caller-saved ones it does not always set it back: functions of the same
   target that come next then push what no caller expects, and clobber what
   theirs believe to be kept. */
#define BURSTY_P_KEEP_SAVES \
    __attribute__((no_caller_saved_registers, zero_call_used_regs("skip"), \
                   target("general-regs-only,inline-all-stringops,tune=k8")))
#endif
#endif
#if defined(BURSTY_P_KEEP_ASM) && !defined(BURSTY_P_KEEP_SANITIZED) && \
    !defined(BURSTY_P_KEEP_CALL_FOR_TLS) && !defined(__code_model_large__) && \
    !defined(__AMX_TILE__) && !defined(__APX_F__) && \
    !(defined(__cplusplus) && defined(BURSTY_P_SHARED))
#define BURSTY_CHECKS_ARE_ASSEMBLY
#endif
#if defined(BURSTY_P_KEEP_ASM) && !defined(BURSTY_NO_TLS) && BURSTY_STACK > 0
#define BURSTY_P_KEEP_LEAVES /* scopes, too: the same two cases */
#ifdef BURSTY_CHECKS_ARE_ASSEMBLY
#define BURSTY_P_KEEP_SCOPES
#endif
#endif

#ifdef BURSTY_P_KEEP_ASM
/* For all functions between the thunk and an action. They use general registers
   alone, and the compiler puts no call into them that might use others, such as
   a hook of -finstrument-functions. So while nothing outside bursty.h is
   called, the thunk's registers are all that must be kept. */
#define BURSTY_P_KEEP_SLOW \
    __attribute__((target("general-regs-only"), no_instrument_function, \
                   no_profile_instrument_function, BURSTY_P_KEEP_UNSEEN))
#define BURSTY_P_KEEP_INLINE static inline __attribute__((always_inline)) BURSTY_P_KEEP_SLOW
#define BURSTY_P_KEEP_NOINLINE static __attribute__((noinline)) BURSTY_P_KEEP_SLOW

/* Adds to a counter that saturates. Compilers would take 4 instructions. */
#define BURSTY_P_KEEP_ADDS(c, v) bursty_p_keep_add((c), (v))
BURSTY_P_KEEP_INLINE int bursty_p_keep_add(uint64_t *count, uint64_t more) {
    int over;
    __asm__("{addq\t%2, %0|add\t" BURSTY_P_KEEP_SIZE("QWORD") "%0, %2}"
            : "+m"(*count), "=@ccc"(over) : "er"(more));
    if (__builtin_expect(over, 0)) __atomic_store_n(count, UINT64_MAX, __ATOMIC_RELAXED);
    return 1;
}

/* Does the thread run profile 0 alone, which does no more than count? Then
   bursty_p_kept_hit looks at the schedule by itself: as bursty_p_look, in a
   quarter of the instructions. */
#define BURSTY_P_KEEP_PLAIN(t) \
    ((t)->active == 1 && !((t)->framed | (t)->acting) && !bursty_p_all.budget \
     && (t)->sampler[0].set.classes == BURSTY_ANY && !(t)->sampler[0].set.awake_count \
     && (t)->sampler[0].set.every != BURSTY_ALWAYS)

#if defined(BURSTY_P_KEEP_SANITIZED) || defined(BURSTY_P_KEEP_CALL_FOR_TLS)
#define BURSTY_P_KEEP_ALWAYS 1 /* the compiler's own calls are outside */
#else
#define BURSTY_P_KEEP_ALWAYS 0
#endif

#else
#define BURSTY_P_KEEP_SLOW
#define BURSTY_P_KEEP_ADDS(c, v) 0
#define BURSTY_P_KEEP_PLAIN(t) 0
#endif
