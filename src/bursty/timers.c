/* ---- timers ---- */

#ifdef BURSTY_P_TIMERS
/* One timer for each thread, CLOCK_THREAD_CPUTIME_ID with SIGEV_THREAD_ID: it runs while the thread
   runs and interrupts that thread and no other. The system calls are made directly, since C
   libraries hide the field of the thread's id. */
typedef struct bursty_p_tick_event {
    void *value;
    int signal, notify, thread;
    char rest[64 - sizeof(void *) - 3 * sizeof(int)];
} bursty_p_tick_event;
typedef struct bursty_p_tick_times {
    long interval_s, interval_ns, value_s, value_ns;
} bursty_p_tick_times;
enum { BURSTY_P_THREAD_ID = 4, BURSTY_P_TICK_CAP = 100 };

static int bursty_p_tick_signal; /* 0: no timer is started any more */

static void bursty_p_tick_handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    uint32_t n = 1 + (uint32_t)(info->si_code == SI_TIMER ? info->si_overrun : 0);
    (void)number;
    if (n > BURSTY_P_TICK_CAP) {
        bursty_p_tick_add_shared(&bursty_p_ticks.late, n - BURSTY_P_TICK_CAP);
        n = BURSTY_P_TICK_CAP;
    }
    bursty_p_tick_charge(n, bursty_p_interrupted(context));
    errno = error;
}

/* Whoever takes the timer out of the record deletes it. */
static void bursty_p_disarm(bursty_p_thread *t) {
    uint32_t timer = __atomic_exchange_n(&t->timer, 0, __ATOMIC_SEQ_CST);
    if (timer) (void)syscall(SYS_timer_delete, (long)timer - 1);
}

/* The first tick comes at a random moment, so that threads and runs do not beat in step.
   bursty_p_uninstall on another thread forgets the signal first and then empties the records; here
   the timer gets into the record first. So one of the two deletes it before it can tick. Returns 0
   if the system has no timer. */
static int bursty_p_arm(bursty_p_thread *t) {
    bursty_p_tick_event event;
    bursty_p_tick_times times;
    int signal = __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST), timer;
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    uint32_t random = (thread ^ (uint32_t)(uintptr_t)&event >> 4) * UINT32_C(0x9E3779B1), first;
    bursty_p_disarm(t);
    if (!signal) return 1;
    memset(&event, 0, sizeof event);
    event.signal = signal;
    event.notify = BURSTY_P_THREAD_ID;
    event.thread = (int)thread;
    if (syscall(SYS_timer_create, (long)BURSTY_P_THREAD_CPU, &event, &timer) != 0) return 0;
    __atomic_store_n(&t->timer, (uint32_t)timer + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST) != signal) {
        bursty_p_disarm(t);
        return 1;
    }
    first = 1 + (uint32_t)((uint64_t)random * bursty_p_ticks.period_us >> 32);
    times.interval_s = (long)(bursty_p_ticks.period_us / 1000000);
    times.interval_ns = (long)(bursty_p_ticks.period_us % 1000000 * 1000);
    times.value_s = (long)(first / 1000000);
    times.value_ns = (long)(first % 1000000 * 1000);
    if (syscall(SYS_timer_settime, (long)timer, 0L, &times, (void *)0) == 0) return 1;
    return __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST) != signal;
}

/* Takes the highest real-time signal that has no handler. Returns 0 if there is none. The highest
   four are left to others: debuggers, valgrind and `bursty record` use them. */
static int bursty_p_install(void) {
    struct sigaction action, old;
    int number;
    for (number = SIGRTMAX - 4; number > SIGRTMIN; number--) {
        if (sigaction(number, NULL, &old) != 0) continue;
        if (!(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL) break;
    }
    if (number <= SIGRTMIN) return 0;
    bursty_p_find_code();
    memset(&action, 0, sizeof action);
    action.sa_sigaction = bursty_p_tick_handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (sigaction(number, &action, NULL) != 0) return 0;
    __atomic_store_n(&bursty_p_tick_signal, number, __ATOMIC_SEQ_CST);
    return 1;
}

/* Without timers no signal follows; one that is ignored is not pending any more. Timers go first:
   Linux from 6.13 keeps the signal of a timer that is ignored, and sends it when it is not. */
static void bursty_p_uninstall(void) {
    struct sigaction action, old;
    uint32_t i;
    int number = __atomic_exchange_n(&bursty_p_tick_signal, 0, __ATOMIC_SEQ_CST);
    if (!number || sigaction(number, NULL, &old) != 0) return;
    if (!(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != bursty_p_tick_handle) number = 0;
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_disarm(&bursty_p_all.threads[i]);
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    if (number) (void)sigaction(number, &action, NULL);
    action.sa_handler = SIG_DFL;
    if (number) (void)sigaction(number, &action, NULL);
}
#endif /* BURSTY_P_TIMERS */
