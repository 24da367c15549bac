/* ---- clocks ---- */

/* CPU time of the process and of the calling thread, 0 where there is none. On
   Linux the system call is made directly: strict modes of the C library hide
   clock_gettime, and a signal handler may call this. */
#ifdef BURSTY_P_CLOCK
#include <sys/auxv.h>
#define BURSTY_P_ASKS_LINUX
extern long syscall(long number, ...);
static uint64_t bursty_p_read_ns(int clock) {
    struct { long s, ns; } now = { 0, 0 };
    if (syscall(SYS_clock_gettime, (long)clock, &now) != 0) return 0;
    return (uint64_t)now.s * 1000000000 + (uint64_t)now.ns;
}
enum { BURSTY_P_PROCESS_CPU = 2, BURSTY_P_THREAD_CPU = 3 }; /* the kernel's numbers */
#elif defined(BURSTY_P_POSIX) && defined(CLOCK_THREAD_CPUTIME_ID)
#define BURSTY_P_CLOCK
static uint64_t bursty_p_read_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#define BURSTY_P_PROCESS_CPU CLOCK_PROCESS_CPUTIME_ID
#define BURSTY_P_THREAD_CPU CLOCK_THREAD_CPUTIME_ID
#endif

static uint64_t bursty_p_thread_ns(void *user) {
    (void)user;
#ifdef BURSTY_P_CLOCK
    return bursty_p_read_ns(BURSTY_P_THREAD_CPU);
#else
    return 0;
#endif
}

#if defined(_WIN32) && defined(BURSTY_P_WATCHER)
static uint64_t bursty_p_cpu_us(void); /* watcher_system.c */
#elif defined(BURSTY_P_TIMERS) || (defined(BURSTY_P_WATCHER) && defined(BURSTY_P_CLOCK))
static uint64_t bursty_p_cpu_us(void) { return bursty_p_read_ns(BURSTY_P_PROCESS_CPU) / 1000; }
#elif !defined(BURSTY_BARE) || defined(BURSTY_TICKS)
static uint64_t bursty_p_cpu_us(void) { return 0; }
#endif
