/* ---- basics ---- */

#ifndef HCCT_ASSERT
#define HCCT_ASSERT(condition) ((void)0)
#endif
#ifndef HCCT_ALGORITHMS
#define HCCT_ALGORITHMS 63
#endif
#ifndef HCCT_SAMPLE
#define HCCT_SAMPLE 256
#endif
#if defined(HCCT_P_GNU)
#define HCCT_P_INLINE static inline __attribute__((always_inline))
#define HCCT_P_RARE   static __attribute__((noinline, unused))
#define HCCT_P_LIKELY(x) __builtin_expect(!!(x), 1)
#define HCCT_P_FETCH(address) __builtin_prefetch(address, 1)
#else
#define HCCT_P_INLINE static inline
#define HCCT_P_RARE   static
#define HCCT_P_LIKELY(x) (x)
#define HCCT_P_FETCH(address) ((void)(address))
#endif

#define HCCT_P_BIT  UINT32_C(0x80000000)
#define HCCT_P_LINK UINT32_C(0x7FFFFFFF)
#define HCCT_P_FREE UINT32_MAX              /* parent of a free node */
#define HCCT_P_NONE UINT64_MAX              /* count of a cold node */
#define HCCT_P_WALK 16                      /* siblings to look at before the hash is used */
#define HCCT_P_BLOCK 256                    /* nodes that a sweep looks at before it frees any */
#define HCCT_P_AHEAD 6                      /* nodes that it fetches ahead */
#define HCCT_P_COMPILED ((HCCT_ALGORITHMS) & 57) /* a mask of the algorithms 0, 3, 4 and 5 */
#define HCCT_P_HAS(t, which) ((HCCT_P_COMPILED >> (which) & 1) != 0 && (t)->algorithm == (which))
