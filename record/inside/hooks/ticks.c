/* ticks.c - time for instrument.c: a timer of each thread's CPU time interrupts
   it, and the functions that are open then get the tick.

   The handler reads the open calls where the hooks keep them: no clock and no
   table on any path of the program. It leaves out what longjmp or an exception
   has left, by the addresses and the ends of the frames, as calls.c does. A
   tick that meets a hook is the recorder's own time: it goes to a path
   "(recorder)" and not to a function, and a reader leaves it out. So the shares
   of functions are those of the program without hooks, but for the instructions
   that call them.

   The kernel looks at a thread's CPU time when its own clock ticks, often each
   4 ms. A tick may be due when the thread ends, and nobody knows any more what
   ran then: it goes to "(end of thread)" below the thread's outermost function.

   Ticks of a thread add up in its record, which a later thread takes over. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../core/recorder.h"
#include "../core/sampled.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { KEY_DEEP = RECORDER_FUNCTIONS + 2, KEY_RECORDER, KEY_END };
enum { AROUND = 32 };
enum { TABLES = 1024 }; /* the ticks of so many threads that ran at one time are written */

/* By how many bytes a function's stack pointer may be above the address that its hook
   has noted. */
#if defined(__x86_64__)
enum { SLACK = 0 };
#else
enum { SLACK = 128 };
#endif

RECORDER_NAMES_BEGIN
RECORDER_C_BEGIN
/* Where the section of the two hooks begins and ends. */
extern const char __start_recorder_hooks[] __attribute__((visibility("hidden")));
extern const char __stop_recorder_hooks[] __attribute__((visibility("hidden")));
RECORDER_C_END

RECORDER_HOOK static int is_in_hook(uintptr_t pc) {
    uintptr_t start = (uintptr_t)__start_recorder_hooks, stop = (uintptr_t)__stop_recorder_hooks;
    return pc - start < stop - start;
}
RECORDER_NAMES_END

/* ---- a tick ---- */

typedef struct thread_ticks {
    sampled_ticks sums;
    struct thread_ticks *next;
} thread_ticks;

static thread_ticks *all_ticks; /* of all records; entries are only added */

/* Program counter and stack pointer of the interrupted place; 0: not known on
   this machine. */
RECORDER_HOOK static void interrupted(const ucontext_t *u, uintptr_t *pc, uintptr_t *sp) {
#if defined(__x86_64__) && !defined(__ILP32__)
    *pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    *sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__i386__)
    *pc = (uintptr_t)u->uc_mcontext.gregs[REG_EIP];
    *sp = (uintptr_t)u->uc_mcontext.gregs[REG_ESP];
#elif defined(__aarch64__)
    *pc = (uintptr_t)u->uc_mcontext.pc;
    *sp = (uintptr_t)u->uc_mcontext.sp;
#else
    (void)u;
    *pc = *sp = 0;
#endif
}

/* Whether `outer` is open around `inner`, or (inner == NULL) around the
   interrupted place. end: of the inner one's frame, or 0. */
RECORDER_HOOK static int is_open(const recorder_frame *outer, const recorder_frame *inner,
                                 uintptr_t end, uintptr_t sp) {
    if (!outer->function) return 0; /* its hook is interrupted */
    if (!inner) return outer->address + SLACK >= sp;
    if (end && recorder_is_dead(outer, inner, end)) return 0;
    if (outer->address > inner->address + 15) return 1;
    return outer->address + 15 >= inner->address && outer->site == inner->site &&
           outer->from != inner->from; /* inlined into one frame */
}

/* The next open call outside of `inner` (NULL: of `last + 1`), or NULL. */
RECORDER_HOOK static const recorder_frame *next_open(const recorder_thread *r,
                                                     const recorder_frame *last,
                                                     const recorder_frame *inner, uintptr_t sp) {
    const recorder_frame *f = inner ? inner : last + 1;
    uintptr_t end = inner ? recorder_frame_end(r, inner) : 0;
    while (f-- > r->frames) {
        if (is_open(f, inner, end, sp)) return f;
    }
    return NULL;
}

/* Keys of the open functions, innermost first. If there are too many, "(deep)"
   stands for those between the innermost one and the outermost ones. */
RECORDER_HOOK static uint32_t open_functions(const recorder_thread *r, const recorder_frame *last,
                                             uintptr_t sp, uint32_t *keys) {
    const recorder_frame *f;
    uint32_t all = 0, number = 0, count = 0;
    for (f = NULL; (f = next_open(r, last, f, sp)) != NULL;) all++;
    for (f = NULL; (f = next_open(r, last, f, sp)) != NULL; number++) {
        if (all > SAMPLED_DEEP && number && number + SAMPLED_DEEP - 2 < all) continue;
        if (all > SAMPLED_DEEP && count == 1) keys[count++] = KEY_DEEP;
        keys[count++] = recorder_key(f->function);
    }
    return count;
}

/* A function runs a few instructions before it calls the first hook and behind
   the second one. If one of these is interrupted, returns the function's key,
   else 0. keys[0..count) are open. No function with two calls of hooks is
   shorter than AROUND bytes: so an entry right before the interrupted place is
   that of its function. The call that a quick hook has popped still stands
   above the stack, with the place to which the hook returned. */
RECORDER_HOOK static uint32_t half_open(const recorder_frame *popped, uintptr_t pc,
                                        const uint32_t *keys, uint32_t count) {
    uint32_t key = 0, i, back;
    for (back = 0; back < AROUND && back < pc; back++) {
        key = recorder_known_key((void *)(pc - back));
        if (key) break;
    }
    if (popped && popped->address != popped[-1].address && /* the same if it was inlined */
        pc - (uintptr_t)popped->back < back)
        return recorder_key(popped->function);
    for (i = 0; i < 3 && i < count; i++) {
        if (keys[i] == key) return 0; /* it is open, perhaps around others that are inlined */
    }
    return key;
}

static char ours; /* its address marks our timers' signals */
static __thread uint64_t came; /* ticks of this thread's timer */

RECORDER_HOOK static void tick(int number, siginfo_t *info, void *context) {
    recorder_thread *r = recorder_self();
    const recorder_frame *last = recorder_here.top, *popped = NULL;
    uint32_t keys[1 + SAMPLED_DEEP], count = 1, n = 1;
    uintptr_t pc, sp;
    int saved = errno;
    (void)number;
    if (!r || !r->ticks || info->si_code != SI_TIMER || info->si_value.sival_ptr != &ours) return;
    if (info->si_overrun > 0) n += (uint32_t)info->si_overrun;
    came += n;
    interrupted((const ucontext_t *)context, &pc, &sp);
    keys[0] = 0;
    keys[1] = KEY_RECORDER;
    if (!__atomic_load_n(&r->busy, __ATOMIC_RELAXED) && !is_in_hook(pc) &&
        last != &recorder_none) {
        if (!r->lazy && (r->feeding || r->deep)) last = r->frames + r->frame_count - 1;
        else if (last < r->frames + RECORDER_DEPTH - 1) popped = last + 1;
        recorder_copy_stack(r, sp);
        count = open_functions(r, last, sp, keys + 1);
        keys[0] = half_open(popped, pc, keys + 1, count);
    }
    sampled_tick(&((thread_ticks *)r->ticks)->sums, keys + !keys[0], count + !!keys[0], n, 0);
    errno = saved;
}

/* ---- timers ---- */

/* What the kernel reads: C libraries hide the thread's field of struct
   sigevent, and some have wider times than its call. */
typedef struct timer_event {
    const void *value;
    int signal, notify, thread;
    char rest[64 - sizeof(void *) - 3 * sizeof(int)];
} timer_event;
typedef struct timer_times {
    long interval_s, interval_ns, value_s, value_ns;
} timer_times;
enum { THREAD_CPU_TIME = 3, TO_THREAD = 4 };
#ifndef SYS_timer_settime
#define SYS_timer_settime SYS_timer_settime32
#endif

static uint32_t period_us; /* 0: no timer runs */
static uint64_t lost;      /* at least one for each thread without memory or a timer */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int timer_here;   /* 1 + its number, or 0 */
static __thread uint64_t due_us;  /* CPU time of the thread at its first tick */

/* A real-time signal that programs rarely take. */
RECORDER_HOOK static int tick_signal(void) { return SIGRTMAX - 3; }

RECORDER_HOOK static uint64_t cpu_us(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return 0;
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* A signal that is pending comes before the call returns, or never. */
RECORDER_HOOK static void delete_timer(recorder_thread *r) {
    int timer = timer_here;
    uint64_t now, due;
    uint32_t keys[2];
    timer_here = 0;
    if (!timer) return;
    (void)syscall(SYS_timer_delete, timer - 1);
    now = cpu_us();
    due = now < due_us ? 0 : 1 + (now - due_us) / period_us;
    if (!r->ticks || due <= came || !r->frames->function) return;
    keys[0] = KEY_END;
    keys[1] = recorder_key(r->frames->function);
    sampled_tick(&((thread_ticks *)r->ticks)->sums, keys, 2, (uint32_t)(due - came), 0);
}

RECORDER_HOOK static void begin(void) {
    struct sigaction action, old;
    if (sigaction(tick_signal(), NULL, &old) != 0) return;
    if ((old.sa_flags & SA_SIGINFO) || old.sa_handler != SIG_DFL) return;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    recorder_on.thread_end = delete_timer;
    if (sigaction(tick_signal(), &action, NULL) == 0) period_us = 1000000 / recorder_ticks;
}

/* The first tick comes anywhere in the first period: threads that live shorter
   get their share. */
RECORDER_HOOK static int create_timer(void) {
    timer_event event;
    timer_times when;
    uint32_t thread = (uint32_t)syscall(SYS_gettid), first;
    uint64_t random = (thread ^ (uintptr_t)&event) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    int timer = 0;
    memset(&event, 0, sizeof event);
    event.value = &ours;
    event.signal = tick_signal();
    event.notify = TO_THREAD;
    event.thread = (int)thread;
    if (syscall(SYS_timer_create, THREAD_CPU_TIME, &event, &timer) != 0) return -1;
    timer_here = timer + 1;
    first = 1 + (uint32_t)(random * period_us >> 32);
    came = 0;
    due_us = cpu_us() + first;
    when.interval_s = (long)(period_us / 1000000);
    when.interval_ns = (long)(period_us % 1000000 * 1000);
    when.value_s = (long)(first / 1000000);
    when.value_ns = (long)(first % 1000000 * 1000);
    return syscall(SYS_timer_settime, timer, 0, &when, NULL) == 0 ? 0 : -1;
}

RECORDER_HOOK static thread_ticks *new_ticks(void) {
    thread_ticks *t = (thread_ticks *)recorder_memory(sizeof *t);
    if (!t) return NULL;
    t->next = __atomic_load_n(&all_ticks, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all_ticks, &t->next, t, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return t;
}

RECORDER_HOOK void recorder_start_ticks(void) {
    recorder_thread *r = recorder_self();
    pthread_once(&once, begin);
    if (!period_us) return;
    if (r && !r->ticks) r->ticks = new_ticks();
    if (!r || !r->ticks || create_timer() != 0) __atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

/* A signal that is ignored is not pending any more. */
RECORDER_HOOK void recorder_stop_ticks(void) {
    if (period_us) signal(tick_signal(), SIG_IGN);
}

/* A child has no timers, and its parent writes what came before. */
RECORDER_HOOK void recorder_ticks_in_child(void) {
    thread_ticks *t;
    lost = 0;
    for (t = all_ticks; t; t = t->next) {
        if (t->sums.paths_used) memset(&t->sums, 0, sizeof t->sums);
    }
    if (timer_here) (void)create_timer();
}

/* ---- what is written ---- */

RECORDER_HOOK static const char *name_of(void *user, uint32_t key) {
    if (key == KEY_DEEP) return "(deep)";
    if (key == KEY_END) return "(end of thread)";
    return key == KEY_RECORDER ? "(recorder)" : recorder_name(user, key);
}

RECORDER_HOOK int recorder_write_ticks(hcct_write_fn write, void *user) {
    static const sampled_ticks *tables[TABLES];
    const thread_ticks *t = __atomic_load_n(&all_ticks, __ATOMIC_ACQUIRE);
    sampled_profile about;
    uint64_t left_out = __atomic_load_n(&lost, __ATOMIC_RELAXED);
    uint32_t count = 0, i;
    for (; t; t = t->next) {
        if (count < TABLES) tables[count++] = &t->sums;
        else for (i = 0; i < t->sums.paths_used; i++) left_out += t->sums.paths[i].ticks;
    }
    memset(&about, 0, sizeof about);
    about.program = recorder_program();
    about.name = name_of;
    return sampled_write_ticks(&about, period_us, tables, count, left_out, write, user);
}

RECORDER_HOOK int recorder_has_ticks(void) {
    if (period_us) return 1;
    fprintf(stderr, "hcct: no ticks: signal %d is in use\n", tick_signal());
    return 0;
}
