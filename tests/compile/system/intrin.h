/* intrin.h - see stdio.h. Clang knows these as functions of its own. */
#ifndef SYSTEM_INTRIN_H
#define SYSTEM_INTRIN_H
#ifdef __cplusplus
extern "C" {
#endif
void _ReadWriteBarrier(void);
long _InterlockedExchange(volatile long *at, long value);
long _InterlockedExchangeAdd(volatile long *at, long value);
long long _InterlockedExchangeAdd64(volatile long long *at, long long value);
long _InterlockedCompareExchange(volatile long *at, long value, long old);
#ifdef __cplusplus
}
#endif
#endif
