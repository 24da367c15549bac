/* ---- a timer of a thread's CPU time ---- */

/* CLOCK_THREAD_CPUTIME_ID with SIGEV_THREAD_ID: it runs while the thread runs,
   and interrupts that thread and no other. The system calls are made directly,
   since C libraries hide the field of the thread's id. */
typedef struct base_p_timer_event {
    void *value;
    int signal, notify, thread;
    char rest[64 - sizeof(void *) - 3 * sizeof(int)];
} base_p_timer_event;
typedef struct base_p_timer_times {
    long interval_s, interval_ns, value_s, value_ns;
} base_p_timer_times;

/* Returns the number of a timer of the calling thread, or -1: the system has
   none. Its signals carry `value`. */
static int base_p_timer_create(int signal, void *value) {
    enum { THREAD_CPU = 3, THREAD_ID = 4 }; /* the kernel's numbers */
    base_p_timer_event event;
    int timer;
    memset(&event, 0, sizeof event);
    event.value = value;
    event.signal = signal;
    event.notify = THREAD_ID;
    event.thread = (int)syscall(SYS_gettid);
    return syscall(SYS_timer_create, (long)THREAD_CPU, &event, &timer) == 0 ? timer : -1;
}

/* Its first tick comes at a random moment of the first period, so that threads
   and runs do not beat in step, and threads that live shorter than a period get
   their share. Returns 0, or -1. */
static int base_p_timer_start(int timer, uint32_t period_us, uint32_t random) {
    base_p_timer_times times;
    uint64_t first_ns = 1 + (period_us * UINT64_C(1000) * random >> 32);
    times.interval_s = (long)(period_us / 1000000);
    times.interval_ns = (long)(period_us % 1000000 * 1000);
    times.value_s = (long)(first_ns / 1000000000);
    times.value_ns = (long)(first_ns % 1000000000);
    return (int)syscall(SYS_timer_settime, (long)timer, 0L, &times, (void *)0);
}

static void base_p_timer_delete(int timer) {
    (void)syscall(SYS_timer_delete, (long)timer);
}
