/* time.h - as macOS has it; see stdio.h. */
#ifndef SYSTEM_TIME_H
#define SYSTEM_TIME_H
#ifdef __cplusplus
extern "C" {
#endif
struct timespec { long tv_sec; long tv_nsec; };
typedef enum { SYSTEM_CLOCK_MONOTONIC = 6, SYSTEM_CLOCK_PROCESS = 12, SYSTEM_CLOCK_THREAD = 16 } clockid_t;
#define CLOCK_PROCESS_CPUTIME_ID SYSTEM_CLOCK_PROCESS
#define CLOCK_THREAD_CPUTIME_ID SYSTEM_CLOCK_THREAD
#define CLOCK_MONOTONIC SYSTEM_CLOCK_MONOTONIC
typedef long time_t;
typedef unsigned long clock_t;
time_t time(time_t *now);
clock_t clock(void);
int nanosleep(const struct timespec *some, struct timespec *rest);
int clock_gettime(clockid_t clock, struct timespec *now);
#ifdef __cplusplus
}
#endif
#endif
