/* timer.c - ticks of `bursty record --ticks HZ`: a timer of each thread's CPU
   time interrupts it, and the functions that are open then get the tick. A
   function that is not patched, as those of the C library, gives its time to
   the function that called it.

   A tick that meets the recorder is charged to a path "(recorder)", and a
   reader leaves it out of the time: so the shares are those of the program
   without bursts.

   A thread that begins takes the record of one that has ended, if there is one:
   ticks just add up in it.

   The program may want the timer's signal for itself, or set every signal there
   is. So sigaction and signal are ours while there are ticks: what the program
   sets for this one signal is kept here, and shown to it again. Our handler
   stays, and hands to the program's handler what no timer of ours sent. A
   program that waits for the signal with sigwait sees the ticks of that
   thread. */
#define _GNU_SOURCE 1
#include "timer.h"
#include "axis.h"
#include "lines.h"
#include "recorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "../../../src/cpu_timer.c" /* the timers that bursty.h sets, too */
#include "../../../src/in_step.c"

#define EXPORTED __attribute__((visibility("default")))

typedef struct timed_thread {
    struct timed_thread *next;
    int in_use, timer;                  /* timer -1: none */
    uint32_t number;
    pid_t thread;                       /* the system's number; 0: not known, -1: of several */
    char name[16];                      /* "": it is called as its process is, or has ended */
    uint64_t stack_end;
    uint64_t last_ns;                   /* of its ticks: see in_step.c */
    lines *lines;                       /* NULL: not asked for, or no memory */
    sampled_ticks ticks;
    uint32_t keys[SAMPLED_DEEP];        /* not on the interrupted stack: it may be small */
    uint64_t room[TIMER_ROOM / 8];
} timed_thread;

typedef struct cpu_time {
    uint64_t user_us, kernel_us;
} cpu_time;

static struct {
    uint32_t period_us;
    timer_stack_fn stack;
    pthread_key_t at_end;
    timed_thread *all;
    uint32_t numbers;                   /* records so far */
    uint32_t process;                   /* the system's number, as of the threads' names */
    uint64_t unknown;                   /* threads without memory: a lost tick each, if not more */
    int wants_lines;
    int guarded, stopped;
    cpu_time from, until;               /* until: if it was stopped */
    uint32_t look_us;
    uint64_t seen, behind_calls;        /* ticks, and those that met a return from the kernel */
    base_p_steps steps;
    struct sigaction wanted[2];         /* what the program set for our signal: wanted[which] */
    uint32_t which;
} timed;

void (*timer_ticked)(const uint32_t *keys, uint32_t count, uint32_t n);

static __thread timed_thread *timed_here __attribute__((tls_model("initial-exec")));

/* glibc's own name for sigaction, which nobody else interposes. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

/* A real-time signal that programs rarely take. */
static int timer_signal(void) {
    return SIGRTMAX - 3;
}

/* A record that no thread uses, or a new one; NULL: no memory. */
static timed_thread *take(void) {
    timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    for (; t; t = t->next) {
        int unused = 0;
        if (__atomic_compare_exchange_n(&t->in_use, &unused, 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return t;
    }
    t = (timed_thread *)recorder_memory(sizeof *t);
    if (!t) return NULL;
    t->in_use = 1;
    t->number = __atomic_fetch_add(&timed.numbers, 1, __ATOMIC_RELAXED);
    if (timed.wants_lines) t->lines = (lines *)recorder_memory(sizeof *t->lines);
    t->next = __atomic_load_n(&timed.all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&timed.all, &t->next, t, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return t;
}

/* The first tick of a thread that a library started before us: only its timer
   is known. Its stack ends below what the C library keeps of it, at fs:0. */
static timed_thread *take_early(void) {
    timed_thread *t = take();
    uint64_t end = 0;
    if (!t) {
        __atomic_fetch_add(&timed.unknown, 1, __ATOMIC_RELAXED);
        return NULL;
    }
#if defined(__x86_64__)
    __asm__("mov %%fs:0, %0" : "=r"(end));
#endif
    t->stack_end = end;
    t->timer = -1;
    timed_here = t;
    return t;
}

/* ---- a tick ---- */

/* The thread has done nothing since it left a call of the kernel, which says in
   rcx where it goes on. */
static int is_behind_call(const greg_t *at) {
    const uint8_t *pc = (const uint8_t *)at[REG_RIP];
    return at[REG_RCX] == at[REG_RIP] && ((uintptr_t)pc & 4095) >= 2 && pc[-2] == 0x0F && pc[-1] == 0x05;
}

static void tick_of(timed_thread *t, const siginfo_t *info, const ucontext_t *u) {
    const greg_t *at = u->uc_mcontext.gregs;
    uint32_t count, n = 1;
    if (info->si_overrun > 0) n += (uint32_t)info->si_overrun;
    __atomic_fetch_add(&timed.seen, n, __ATOMIC_RELAXED);
    if (is_behind_call(at)) __atomic_fetch_add(&timed.behind_calls, n, __ATOMIC_RELAXED);
    base_p_step(&timed.steps, &t->last_ns, (uint64_t)n * timed.period_us);
    count = timed.stack((uint64_t)at[REG_RIP], (uint64_t)at[REG_RSP], (uint64_t)at[REG_RBP],
                        t->stack_end, t->keys, t->room);
    if (count != UINT32_MAX) {
        if (timer_ticked) timer_ticked(t->keys, count, n);
        if (t->lines) {
            uint32_t innermost = count ? t->keys[0] : SAMPLED_OUTSIDE;
            lines_tick(t->lines, (uint64_t)at[REG_RIP], innermost, n);
        }
        axis_tick(t->number, sampled_tick(&t->ticks, t->keys, count, n, 0), n);
    } else {
        t->keys[0] = SAMPLED_RECORDER;
        sampled_tick(&t->ticks, t->keys, 1, n, 1);
    }
}

/* The signal is the program's: it gets it with the mask that it would have
   had. */
static void pass_on(int number, siginfo_t *info, void *context) {
    struct sigaction *wanted = &timed.wanted[__atomic_load_n(&timed.which, __ATOMIC_ACQUIRE)];
    struct sigaction action = *wanted;
    const ucontext_t *u = (const ucontext_t *)context;
    sigset_t mask;
    if (action.sa_handler == SIG_IGN) return;
    if (action.sa_handler == SIG_DFL) {         /* it ends the process once we have returned */
        (void)__sigaction(number, &action, NULL);
        raise(number);
        return;
    }
    if (action.sa_flags & (int)SA_RESETHAND) wanted->sa_handler = SIG_DFL;
    sigorset(&mask, &u->uc_sigmask, &action.sa_mask);
    if (!(action.sa_flags & SA_NODEFER)) sigaddset(&mask, number);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (action.sa_flags & SA_SIGINFO) action.sa_sigaction(number, info, context);
    else action.sa_handler(number);
}

static void tick(int signal_number, siginfo_t *info, void *context) {
    timed_thread *t = timed_here;
    int saved = errno;
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &timed) {
        pass_on(signal_number, info, context);
    } else if (!__atomic_load_n(&timed.stopped, __ATOMIC_RELAXED)) {
        if (!t) t = take_early();
        if (t) tick_of(t, info, (const ucontext_t *)context);
    }
    errno = saved;
}

/* ---- the signal ---- */

static int set_ours(void) {
    const struct sigaction *wanted = &timed.wanted[timed.which];
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    action.sa_sigaction = tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN)
        action.sa_flags = SA_SIGINFO | (wanted->sa_flags & (SA_ONSTACK | SA_RESTART));
    return __sigaction(timer_signal(), &action, NULL);
}

static int is_guarded(int number) {
    return timed.guarded && number == timer_signal();
}

static int guarded_action(const struct sigaction *action, struct sigaction *old) {
    uint32_t which = __atomic_load_n(&timed.which, __ATOMIC_RELAXED);
    struct sigaction before = timed.wanted[which];
    if (action) {
        timed.wanted[!which] = *action;
        __atomic_store_n(&timed.which, !which, __ATOMIC_RELEASE);
        (void)set_ours();
    }
    if (old) *old = before;
    return 0;
}

EXPORTED int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (is_guarded(number)) return guarded_action(action, old);
    return __sigaction(number, action, old);
}

static __sighandler_t guarded_signal(__sighandler_t handler, int flags) {
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    (void)guarded_action(&action, &old);
    return old.sa_handler;
}

typedef __sighandler_t (*signal_fn)(int, __sighandler_t);

static signal_fn find_signal(const char *name) {
    void *real = dlsym(RTLD_NEXT, name);
    signal_fn function;
    memcpy(&function, &real, sizeof function);
    return function;
}

EXPORTED __sighandler_t signal(int number, __sighandler_t handler) {
    static signal_fn real;
    if (is_guarded(number)) return guarded_signal(handler, SA_RESTART);
    if (!real) real = find_signal("signal");
    return real ? real(number, handler) : SIG_ERR;
}

/* The signal() of programs that are compiled for System V. */
EXPORTED __sighandler_t __sysv_signal(int number, __sighandler_t handler) {
    static signal_fn real;
    if (is_guarded(number)) return guarded_signal(handler, (int)(SA_RESETHAND | SA_NODEFER));
    if (!real) real = find_signal("__sysv_signal");
    return real ? real(number, handler) : SIG_ERR;
}

/* ---- timers ---- */

static void stop(void *thread) {
    timed_thread *t = (timed_thread *)thread;
    timed_here = NULL;
    if (t->timer >= 0 && !timed.stopped) base_p_timer_delete(t->timer);
    t->timer = -1;
    __atomic_store_n(&t->in_use, 0, __ATOMIC_RELEASE);
}

static uint32_t any_moment(pid_t thread) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((((uint64_t)now.tv_nsec + (uint64_t)thread) * UINT64_C(0x9E3779B97F4A7C15))
                      >> 32);
}

/* The first tick comes at a random moment of the first period, so that threads and
   runs do not beat in step, and threads that live shorter than a period get their
   share. */
static void begin(int timer, pid_t thread) {
    const uint64_t period_ns = (uint64_t)timed.period_us * 1000;
    (void)base_p_timer_set(timer, 0, 1 + (period_ns * any_moment(thread) >> 32), period_ns);
}

/* Starts the timer of the calling thread. */
static void start(timed_thread *t) {
    const pid_t own = (pid_t)syscall(SYS_gettid);
    timed_here = t;
    t->thread = t->ticks.paths_used && t->thread != own ? -1 : own;
    t->timer = base_p_timer_create(timer_signal(), &timed);
    if (t->timer >= 0)
        begin(t->timer, own);
}

/* The same for another thread, which takes its record when it ticks. */
static void start_other(pid_t thread) {
    /* A thread's clock of CPU time, by its number: see clock_getcpuclockid. */
    clockid_t clock = (clockid_t)(~(unsigned)thread << 3 | 6);
    struct sigevent event;
    int timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = timer_signal();
    event.sigev_value.sival_ptr = &timed;
    event._sigev_un._tid = thread;
    if (syscall(SYS_timer_create, clock, &event, &timer) != 0) return;
    begin(timer, thread);
}

void timer_thread(uint64_t stack_end) {
    timed_thread *t;
    if (!timed.period_us || timed.stopped || timed_here) return;
    t = take();
    if (!t) {
        __atomic_fetch_add(&timed.unknown, 1, __ATOMIC_RELAXED);
        return;
    }
    t->stack_end = stack_end;
    pthread_setspecific(timed.at_end, t);
    start(t);
}

/* Libraries may have started threads before us. Each gets a timer from here;
   its record is taken when it ticks. */
static void time_others(void) {
    struct linux_entry {
        uint64_t inode;
        int64_t next;
        unsigned short size;
        unsigned char type;
        char name[1];
    };
    static char room[4096];
    pid_t own = (pid_t)syscall(SYS_gettid);
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long got, at;
    while (folder >= 0 && (got = syscall(SYS_getdents64, folder, room, sizeof room)) > 0) {
        for (at = 0; at < got;) {
            const struct linux_entry *e = (const struct linux_entry *)(const void *)(room + at);
            pid_t thread = (pid_t)atoi(e->name);
            if (thread > 0 && thread != own) start_other(thread);
            at += e->size;
        }
    }
    if (folder >= 0) close(folder);
}

/* ---- CPU time, and the kernel's part of it ---- */

/* A handler runs when the thread is back in the program, and cannot tell
   whether the kernel was at work when the tick was due. But the kernel itself
   looks at that, with each tick of its own clock, and shares the CPU time of the
   process out between the two. While it leaves a call it lets no clock in, so it
   takes that time for the program's. But then the handler finds the thread right
   behind the call. So the kernel had at least as much as these ticks. */
static cpu_time cpu_now(void) {
    cpu_time t = {0, 0};
    struct rusage u;
    if (getrusage(RUSAGE_SELF, &u) != 0) return t;
    t.user_us = (uint64_t)u.ru_utime.tv_sec * 1000000 + (uint64_t)u.ru_utime.tv_usec;
    t.kernel_us = (uint64_t)u.ru_stime.tv_sec * 1000000 + (uint64_t)u.ru_stime.tv_usec;
    return t;
}

/* The coarse clock moves with the kernel's own. */
static void begin_cpu_time(void) {
    struct timespec look;
    timed.from = cpu_now();
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &look) == 0 && look.tv_sec == 0)
        timed.look_us = (uint32_t)(look.tv_nsec / 1000);
}

static void say_cpu_time(sampled_profile *about) {
    cpu_time to = timed.stopped ? timed.until : cpu_now();
    if (!timed.look_us || to.user_us < timed.from.user_us || to.kernel_us < timed.from.kernel_us)
        return;
    about->kernel_us = to.kernel_us - timed.from.kernel_us;
    about->cpu_us = about->kernel_us + to.user_us - timed.from.user_us;
    about->look_us = timed.look_us;
    if (timed.seen) {
        double part = (double)timed.behind_calls / (double)timed.seen;
        uint64_t least = (uint64_t)(part * (double)about->cpu_us);
        if (least > about->kernel_us) about->kernel_us = least;
    }
}

int timer_begin(uint32_t ticks_per_second, timer_stack_fn stack) {
    timed.stack = stack;
    timed.period_us = 1000000 / ticks_per_second;
    base_p_begin_steps(&timed.steps);
    if (pthread_key_create(&timed.at_end, stop) != 0) return -1;
    if (__sigaction(timer_signal(), NULL, &timed.wanted[0]) != 0 || set_ours() != 0) return -1;
    timed.guarded = 1;
    timer_thread((uint64_t)getauxval(AT_RANDOM) & ~UINT64_C(15));
    time_others();
    begin_cpu_time();
    return timed_here && timed_here->timer >= 0 ? 0 : -1;
}

void timer_in_child(void) {
    timed_thread *t = timed_here;
    if (!timed.period_us) return;
    base_p_begin_steps(&timed.steps);
    timed.from = cpu_now();
    timed.seen = timed.behind_calls = 0;
    axis_in_child();
    __atomic_store_n(&timed.all, t, __ATOMIC_RELAXED);
    if (!t) return;
    t->next = NULL;
    memset(&t->ticks, 0, sizeof t->ticks);
    if (t->lines) memset(t->lines, 0, sizeof *t->lines);
    start(t);                                   /* a child has no timers */
}

void timer_each(void (*each)(void *user, uint32_t key, uint64_t ticks), void *user) {
    const timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    for (; t; t = t->next) {
        uint32_t i, used = __atomic_load_n(&t->ticks.paths_used, __ATOMIC_ACQUIRE);
        for (i = 0; i < used; i++) each(user, t->ticks.paths[i].key, t->ticks.paths[i].ticks);
    }
}

int timer_write(const sampled_profile *about, int (*write)(void *, const void *, size_t),
                void *user) {
    static const sampled_ticks *tables[TIMER_THREADS];
    const timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    uint32_t first = TIMER_THREADS;             /* the newest thread comes first in the list */
    uint64_t lost = __atomic_load_n(&timed.unknown, __ATOMIC_RELAXED);
    sampled_profile with_time = *about;
    if (!timed.period_us) return 0;
    say_cpu_time(&with_time);
    with_time.stepping = timed.steps.count;
    with_time.in_step = base_p_worst_step(&timed.steps, &with_time.step);
    for (; t && first > 0; t = t->next) tables[--first] = &t->ticks;
    for (; t; t = t->next) {
        uint32_t i, used = __atomic_load_n(&t->ticks.paths_used, __ATOMIC_ACQUIRE);
        for (i = 0; i < used; i++) lost += t->ticks.paths[i].ticks;
    }
    return sampled_write_ticks(&with_time, timed.period_us, tables + first, TIMER_THREADS - first, lost,
                               write, user);
}

static void read_name(pid_t thread, char name[16]) {
    char path[48];
    ssize_t got = 0;
    int file;
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/comm", (long)thread);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        got = read(file, name, 15);
        close(file);
    }
    name[got > 0 ? got : 0] = 0;
    name[strcspn(name, "\n")] = 0;
}

/* What threads are called that have not ended. Not once the timer has stopped: the
   program may have forbidden itself system calls. */
static void name_threads(void) {
    timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    char of_process[16];
    if (!axis_is_wanted()) return;
    timed.process = (uint32_t)getpid();
    read_name(getpid(), of_process);
    for (; t; t = t->next) {
        if (t->thread <= 0 || t->number >= TIMER_THREADS) continue;
        read_name(t->thread, t->name);
        if (strcmp(t->name, of_process) == 0) *t->name = 0;
    }
}

int timer_write_axis(const sampled_profile *about, const axis_kind *kinds,
                     uint32_t kind_count, int (*write)(void *, const void *, size_t),
                     void *user) {
    static const sampled_ticks *tables[TIMER_THREADS];
    static axis_thread threads[TIMER_THREADS];
    const timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    uint32_t count = 0;
    if (!timed.period_us) return 0;
    if (!timed.stopped) name_threads();
    for (; t; t = t->next) {
        axis_thread *to;
        if (t->number >= TIMER_THREADS) continue;
        tables[t->number] = &t->ticks;
        if (t->number >= count) count = t->number + 1;
        to = &threads[t->number];
        to->number = t->thread > 0 ? (uint32_t)t->thread : t->number;
        if (t->thread > 0) memcpy(to->name, t->name, sizeof to->name);
        else if (t->thread < 0) memcpy(to->name, "in turn", sizeof "in turn");
    }
    return axis_write(about, timed.process, timed.period_us, tables, threads, count, kinds,
                      kind_count, write, user);
}

uint32_t timer_number(void) { return timed_here ? timed_here->number : UINT32_MAX; }

static const lines *next_lines(void *unused, const lines *l) {
    const timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    (void)unused;
    while (l && t && t->lines != l) t = t->next;
    if (l && t) t = t->next;
    while (t && !t->lines) t = t->next;
    return t ? t->lines : NULL;
}

void timer_want_lines(void) { timed.wants_lines = 1; }

int timer_write_lines(const sampled_profile *about, 
                      const char *(*place)(void *user, uint32_t key, uint64_t pc),
                      int (*write)(void *, const void *, size_t), void *user) {
    lines_about l;
    if (!timed.period_us || !timed.wants_lines) return 0;
    memset(&l, 0, sizeof l);
    l.program = about->program;
    l.period_us = timed.period_us;
    l.name = about->name;
    l.place = place;
    l.user = about->name_user;
    return lines_write(&l, next_lines, NULL, write, user);
}

void timer_stop(int timers) {
    timed_thread *t = __atomic_load_n(&timed.all, __ATOMIC_ACQUIRE);
    if (!timed.period_us) return;
    if (!timed.stopped) {
        timed.until = cpu_now();
        name_threads();
    }
    for (; timers && t; t = t->next) {
        if (t->in_use && t->timer >= 0) base_p_timer_delete(t->timer);
        t->timer = -1;
    }
    __atomic_store_n(&timed.stopped, 1, __ATOMIC_RELAXED);
}

/* ---- threads of the program ---- */

typedef struct thread_start {
    void *(*start)(void *);
    void *argument;
} thread_start;

thread_start timer_prepare_thread(void *memory);
__attribute__((used)) thread_start timer_prepare_thread(void *memory) {
    thread_start s = *(thread_start *)memory;
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    free(memory);
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) != 0) lowest = NULL;
        pthread_attr_destroy(&attributes);
    }
    timer_thread(lowest ? (uint64_t)(uintptr_t)lowest + size : 0);
    return s;
}

/* Goes on in the program's function, so that its backtraces do not show us. */
void *timer_begin_thread(void *memory);
#if defined(__x86_64__)
__asm__(".text\n"
        ".type timer_begin_thread, @function\n"
        "timer_begin_thread:\n"
        "    .cfi_startproc\n"
        "    sub $8, %rsp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    call timer_prepare_thread\n"
        "    add $8, %rsp\n"
        "    .cfi_def_cfa_offset 8\n"
        "    mov %rdx, %rdi\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size timer_begin_thread, .-timer_begin_thread\n");
#else
void *timer_begin_thread(void *memory) {
    thread_start s = timer_prepare_thread(memory);
    return s.start(s.argument);
}
#endif

int timer_create_thread(timer_create_fn create, pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*run)(void *), void *argument) {
    int timers = timed.period_us && !timed.stopped;
    thread_start *s = timers ? (thread_start *)malloc(sizeof *s) : NULL;
    int status;
    if (!s) return create(thread, attributes, run, argument);
    s->start = run;
    s->argument = argument;
    status = create(thread, attributes, timer_begin_thread, s);
    if (status != 0) free(s);
    return status;
}
