/* ---- clocks ---- */

/* CPU time of the process and of the calling thread. The system calls are made
   directly: strict modes of the C library hide clock_gettime, and a signal
   handler may call them. 0 where this header has no timers. */
enum { BURSTY_P_PROCESS_CPU = 2, BURSTY_P_THREAD_CPU = 3 }; /* the kernel's numbers */

#ifdef BURSTY_P_TIMERS
extern long syscall(long number, ...);

static uint64_t bursty_p_read_ns(int clock) {
    struct { long s, ns; } now = { 0, 0 };
    if (syscall(SYS_clock_gettime, (long)clock, &now) != 0) return 0;
    return (uint64_t)now.s * 1000000000 + (uint64_t)now.ns;
}
static uint64_t bursty_p_cpu_us(void) { return bursty_p_read_ns(BURSTY_P_PROCESS_CPU) / 1000; }
static uint64_t bursty_p_thread_ns(void *user) {
    (void)user;
    return bursty_p_read_ns(BURSTY_P_THREAD_CPU);
}
#else
static uint64_t bursty_p_thread_ns(void *user) { return (void)user, 0; }
#if !defined(BURSTY_BARE) || defined(BURSTY_TICKS)
static uint64_t bursty_p_cpu_us(void) { return 0; }
#endif
#endif
