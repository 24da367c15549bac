/* ---- what threads share ---- */

#ifdef BURSTY_NO_TLS
#define BURSTY_P_GET(p) (*(p))
#define BURSTY_P_PUT(p, v) ((void)(*(p) = (v)))
#define BURSTY_P_ACQUIRE(p) (*(p))
#define BURSTY_P_RELEASE(p, v) ((void)(*(p) = (v)))
#define BURSTY_P_FENCE() ((void)0)
#define BURSTY_P_ADD(p, v) ((*(p) += (v)) - (v))
#define BURSTY_P_MOST 1 /* thread */
BURSTY_P_STEP int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    if (*p != old) return 0;
    *p = v;
    return 1;
}
#elif defined(BURSTY_P_MSVC) /* x86: plain loads acquire and plain stores release */
#include <intrin.h>
#define BURSTY_P_GET(p) (_ReadWriteBarrier(), *(p))
#define BURSTY_P_PUT(p, v) ((void)(*(p) = (v)), _ReadWriteBarrier())
#define BURSTY_P_ACQUIRE(p) BURSTY_P_GET(p)
#define BURSTY_P_RELEASE(p, v) (_ReadWriteBarrier(), BURSTY_P_PUT(p, v))
#define BURSTY_P_FENCE() _ReadWriteBarrier()
#define BURSTY_P_ADD(p, v) ((uint32_t)_InterlockedExchangeAdd((volatile long *)(p), (long)(v)))
#define BURSTY_P_MOST 65535
BURSTY_P_STEP int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return (uint32_t)_InterlockedCompareExchange((volatile long *)p, (long)v, (long)old) == old;
}
#else
#define BURSTY_P_GET(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define BURSTY_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define BURSTY_P_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define BURSTY_P_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define BURSTY_P_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define BURSTY_P_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define BURSTY_P_MOST 65535
BURSTY_P_STEP int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif

/* A count has one writer, its thread, and any reader. A 32-bit machine without
   64-bit atomics may read one that is 2^32 off, in the moment in which it
   passes a multiple of 2^32. */
#if !defined(BURSTY_NO_TLS) && defined(BURSTY_P_GNU) && __GCC_ATOMIC_LLONG_LOCK_FREE == 2
typedef uint64_t bursty_p_count __attribute__((aligned(8)));
#define BURSTY_P_READ(c) BURSTY_P_GET(c)
#define BURSTY_P_STORE(c, v) BURSTY_P_PUT(c, v)
#else
typedef uint64_t bursty_p_count;
#define BURSTY_P_READ(c) (*(const volatile bursty_p_count *)(c))
#define BURSTY_P_STORE(c, v) ((void)(*(volatile bursty_p_count *)(c) = (v)))
#endif

BURSTY_P_STEP void bursty_p_count_up(bursty_p_count *c, uint64_t v) {
    if (BURSTY_P_KEEP_ADDS(c, v)) return;
    uint64_t sum = BURSTY_P_READ(c) + v;
    BURSTY_P_STORE(c, sum < v ? UINT64_MAX : sum);
}

BURSTY_P_INLINE void bursty_p_sum(uint64_t *sum, const bursty_p_count *c) {
    uint64_t more = BURSTY_P_READ(c);
    *sum = *sum + more < more ? UINT64_MAX : *sum + more;
}
