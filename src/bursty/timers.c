/* ---- timers ---- */

/* A thread's CPU time is divided into periods, and a tick is due at a random moment
   of each:

       CPU time:   |  x      |      x  |x        |    x    |

   Ticks one period apart would be in step with a loop whose rounds take that much:
   of a game with 10 ms of work in each frame one function had 60 to 73 % for 50. The
   first period has begun at a random moment before the thread; a tick that was due
   before is left out. Cost: two system calls a tick. */
#ifdef BURSTY_P_TIMERS
enum { BURSTY_P_TICK_CAP = 100 };

static int bursty_p_tick_signal; /* 0: no timer is started any more */
static bursty_p_steps bursty_p_stepping;
static BURSTY_P_TLS struct {
    uint64_t last_ns;    /* when it ticked last, by the coarse clock */
    int64_t period_at;   /* the CPU time at which the period of the next tick begins */
    uint32_t random;     /* never 0 */
} bursty_p_timed;

static int64_t bursty_p_timer_period(void) {
    return (int64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual * 1000;
}

/* A random moment of that many ns. */
static int64_t bursty_p_any_moment(int64_t ns) {
    return ns * (int64_t)bursty_p_below(&bursty_p_timed.random, 1 << 16) / (1 << 16);
}

/* Plans the next tick. Returns how many periods had theirs up to now, or -1: the
   system refuses. */
static int bursty_p_timer_next(int timer) {
    const int64_t period = bursty_p_timer_period(), now = (int64_t)bursty_p_thread_ns(NULL);
    const int64_t most = 1 << 24;
    int64_t passed = 0, due;
    if (now > bursty_p_timed.period_at + 2 * period) { /* its signal was blocked */
        passed = (now - bursty_p_timed.period_at) / period - 1;
        bursty_p_timed.period_at += passed * period;
    }
    do {
        bursty_p_timed.period_at += period;
        passed++;
        due = bursty_p_timed.period_at + bursty_p_any_moment(period);
    } while (due <= now);
    /* The timer repeats: if the program has taken the signal, nothing plans the next
       one, and it comes all the same. */
    if (bursty_p_timer_set(timer, 1, (uint64_t)due, 2 * (uint64_t)period) != 0) return -1;
    return (int)(passed < most ? passed : most);
}

static int bursty_p_timer_begin(int timer, uint32_t random) {
    const int64_t period = bursty_p_timer_period();
    bursty_p_timed.random = random ? random : 1;
    /* One period more, as if the last one's tick had been now. */
    bursty_p_timed.period_at =
        (int64_t)bursty_p_thread_ns(NULL) - bursty_p_any_moment(period) - period;
    return bursty_p_timer_next(timer) < 0 ? -1 : 0;
}

/* How many ticks this signal is. One of the watcher's thread has left their
   number in the record. */
static uint32_t bursty_p_tick_number(const siginfo_t *info) {
#ifdef BURSTY_P_TICKER
    if (bursty_p_ticks.is_sent) {
        bursty_p_thread *t = bursty_p_registered();
        return t ? __atomic_exchange_n(&t->owed, 0, __ATOMIC_SEQ_CST) : 0;
    }
#endif
    if (info->si_code == SI_TIMER) {
        const bursty_p_thread *t = bursty_p_registered();
        const uint32_t timer = t ? __atomic_load_n(&t->timer, __ATOMIC_SEQ_CST) : 0;
        const int passed = timer ? bursty_p_timer_next((int)timer - 1) : 1;
        return bursty_p_ticks.usual * (passed > 0 ? (uint32_t)passed : 1);
    }
    return bursty_p_ticks.usual;
}

static void bursty_p_tick_handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    const uint32_t most = BURSTY_P_TICK_CAP * bursty_p_ticks.usual;
    uint32_t n = bursty_p_tick_number(info);
    if (n == 0 || number != bursty_p_tick_signal) return; /* nobody of ours sent it */
    if (!BURSTY_P_IS_SENT)
        bursty_p_step(&bursty_p_stepping, &bursty_p_timed.last_ns,
                      (uint64_t)n * bursty_p_ticks.period_us);
    if (n > most) {
        bursty_p_tick_add_shared(&bursty_p_ticks.late, n - most);
        n = most;
    }
#ifdef BURSTY_P_KNOWS_STACKS
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) == 1
        && bursty_p_is_astray(__builtin_frame_address(0)))
        bursty_p_tick_add_shared(&bursty_p_ticks.astray, n);
#endif
    bursty_p_tick_charge(n, bursty_p_interrupted(context));
    errno = error;
}

/* Whoever takes the timer out of the record deletes it. */
static void bursty_p_disarm(bursty_p_thread *t) {
    uint32_t timer = __atomic_exchange_n(&t->timer, 0, __ATOMIC_SEQ_CST);
    if (timer) bursty_p_timer_delete((int)timer - 1);
}

/* bursty_p_uninstall on another thread forgets the signal first and then
   empties the records; here the timer gets into the record first. So one of the
   two deletes it before it can tick. Returns 0 if the system has no timer. */
static int bursty_p_arm(bursty_p_thread *t) {
    int signal = __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST), timer;
    uint32_t place = (uint32_t)(uintptr_t)&timer >> 4;
    uint32_t random = ((uint32_t)syscall(SYS_gettid) ^ place) * UINT32_C(0x9E3779B1);
    bursty_p_disarm(t);
    if (!signal) return 1;
#ifdef BURSTY_P_KNOWS_STACKS
    bursty_p_ask_stack();
#endif
    timer = bursty_p_timer_create(signal, NULL);
    if (timer < 0) return 0;
    __atomic_store_n(&t->timer, (uint32_t)timer + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST) != signal) {
        bursty_p_disarm(t);
        return 1;
    }
    if (bursty_p_timer_begin(timer, random) == 0) return 1;
    return __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST) != signal;
}

static int bursty_p_is_free(int number) {
    struct sigaction old;
    return sigaction(number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO)
           && old.sa_handler == SIG_DFL;
}

/* For timers: the highest real-time signal that has no handler. The highest four
   are left to others: debuggers, valgrind and `bursty record` use them. A tick
   that is sent may arrive while another program takes this one's place, which
   has no handler: SIGURG is ignored there. (A timer's signal is dropped.)
   Returns 0 if there is none. */
static int bursty_p_install(void) {
    struct sigaction action;
    int number = BURSTY_P_IS_SENT ? SIGURG : SIGRTMAX - 4;
    while (number > SIGRTMIN && !bursty_p_is_free(number)) number--;
    if (number == SIGRTMIN || !bursty_p_is_free(number)) return 0;
    bursty_p_find_code();
    memset(&action, 0, sizeof action);
    action.sa_sigaction = bursty_p_tick_handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (sigaction(number, &action, NULL) != 0) return 0;
    __atomic_store_n(&bursty_p_tick_signal, number, __ATOMIC_SEQ_CST);
    return 1;
}

/* Without timers no signal follows; one that is ignored is not pending any
   more. Timers go first: Linux from 6.13 keeps the signal of a timer that is
   ignored, and sends it when it is not. */
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

#ifdef BURSTY_P_TICKER
/* To a thread that has not ended; on the watcher's thread. One signal waits at
   most, whatever the thread blocks: the number of its ticks goes on. It is sent
   again if it seems to be lost. */
static void bursty_p_send_ticks(bursty_p_thread *t, uint32_t thread, uint32_t n) {
    const uint32_t most = BURSTY_P_TICK_CAP * bursty_p_ticks.usual;
    const int number = __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST);
    struct sigaction now;
    uint32_t before;
    if (!number || sigaction(number, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO)
        || now.sa_sigaction != bursty_p_tick_handle) return; /* the program has taken it */
    before = __atomic_fetch_add(&t->owed, n, __ATOMIC_SEQ_CST);
    if (before > UINT32_MAX / 2) (void)__atomic_fetch_sub(&t->owed, n, __ATOMIC_SEQ_CST);
    if (before == 0 || before > most)
        (void)syscall(SYS_tgkill, (long)getpid(), (long)thread, (long)number);
}
#endif
#endif /* BURSTY_P_TIMERS */
