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

/* It ticks when the thread's CPU time is at_ns, or has grown by that unless
   is_absolute, and then each each_ns of it; 0: once. Returns 0, or -1. */
static int base_p_timer_set(int timer, int is_absolute, uint64_t at_ns, uint64_t each_ns) {
    base_p_timer_times times;
    times.interval_s = (long)(each_ns / 1000000000);
    times.interval_ns = (long)(each_ns % 1000000000);
    times.value_s = (long)(at_ns / 1000000000);
    times.value_ns = (long)(at_ns % 1000000000);
    return (int)syscall(SYS_timer_settime, (long)timer, (long)is_absolute, &times, (void *)0);
}

static void base_p_timer_delete(int timer) {
    (void)syscall(SYS_timer_delete, (long)timer);
}
