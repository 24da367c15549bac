/* ---- what the compiler offers ---- */

#ifndef FOOTPRINT_ASSERT
#define FOOTPRINT_ASSERT(x) ((void)0)
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FOOTPRINT_NO_BUILTINS) && \
    !defined(FOOTPRINT_NO_SIMD)
#include <emmintrin.h>
#define FOOTPRINT_P_SIMD
/* Says whether there is BMI2, with a pdep that is not slow as on the first AMD
   Zens. */
static int footprint_p_is_fast(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam17h");
}
#else
static int footprint_p_is_fast(void) { return 0; }
#endif

/* Bit scans are for words that are not 0. */
#if defined(__GNUC__) && !defined(FOOTPRINT_NO_BUILTINS)
#define FOOTPRINT_P_LOG2(v)     (63u ^ (uint32_t)__builtin_clzll(v))
#define FOOTPRINT_P_LOWEST(v)   ((uint32_t)__builtin_ctzll(v))
#define FOOTPRINT_P_PREFETCH(p) __builtin_prefetch(p)
#define FOOTPRINT_P_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FOOTPRINT_P_APART       __attribute__((noinline))
#define FOOTPRINT_P_ALWAYS      inline __attribute__((always_inline))
#else
#define FOOTPRINT_P_LOG2(v)     footprint_p_log2(v)
#define FOOTPRINT_P_LOWEST(v)   footprint_p_log2((v) & (0 - (v)))
#define FOOTPRINT_P_PREFETCH(p) ((void)(p))
#define FOOTPRINT_P_UNLIKELY(x) (x)
#define FOOTPRINT_P_APART
#define FOOTPRINT_P_ALWAYS      inline
static uint32_t footprint_p_log2(uint64_t v) {
    uint32_t log = 0, step;
    for (step = 32; step; step /= 2) log += v >> (log + step) ? step : 0;
    return log;
}
#endif

#if (defined(__clang__) && __clang_major__ >= 10) || (defined(__GNUC__) && __GNUC__ >= 7)
#define FOOTPRINT_P_FALL __attribute__((fallthrough));
#else
#define FOOTPRINT_P_FALL
#endif
