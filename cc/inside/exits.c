/* exits.c - what `bursty cc --cover` links beside edges.c and edges_file.c, so
   that counts are right where a call does not return: exit, _exit, quick_exit,
   abort, longjmp, exec, pthread_exit. After fork each process writes what it
   did itself.

   The rewritten code has a map in the section bursty_calls: for each vertex
   with calls the place where its code begins, and its number early[]. When a
   stack is left, we walk it and add 1 to the number of the vertex in which each
   frame stands. It is taken off again where control comes back behind the call.
   So for each vertex: in = out + early.

       stack      code                          map
       main       0x1040 in [0x1020 .. 0x1060)  0x1020 -> early[3]    early[3] += 1
       work       0x10c8 in [0x10c0 .. 0x10f0)  0x10c0 -> early[7]    early[7] += 1
       exit

   exit, _exit         all frames + 1, then the dump
   longjmp             frames up to that of setjmp + 1, then the vertex of setjmp - 1
   exec, a dump that   all frames + 1, the dump, all counters to 0, all frames - 1
     the program asks for
   a child of fork     all counters to 0, all frames - 1: what its parent did is not its own
   vfork               its child has the parent's memory and stack: where it calls
                       exec or _exit, frames up to that of vfork + 1, the vertex of
                       vfork - 1, for that returns again; the other way round if
                       exec comes back
   swapcontext         all frames + 1, and - 1 when somebody swaps back

   Threads that still run when the program ends are asked by a signal to walk
   their own stacks. A thread does so in the handler, waits for the dump and
   goes on; one that slept in a system call which the signal ended goes on
   sleeping, for it must not wake up as the program ends.

   Nothing runs while calls return. A walk takes a microsecond a frame. The
   linker's --wrap leads calls of those functions here; a library that was not
   linked by `bursty cc` is not seen. Where a longjmp leads to a setjmp that we
   do not know, nobody knows which frames it leaves: the vertices of all of them
   become EDGEPROF_UNKNOWN, and a report refuses their functions. So does a
   function that a signal interrupted between two calls, if it is left then; and
   so do those that wait behind code without unwind tables. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "calls.h"
#include "edges.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* What is unknown stays so. */
static void add_early(uint32_t *early, uint32_t by) {
    uint32_t old = __atomic_load_n(early, __ATOMIC_RELAXED), sum;
    do sum = by == EDGEPROF_UNKNOWN || old == EDGEPROF_UNKNOWN ? EDGEPROF_UNKNOWN : old + by;
    while (!__atomic_compare_exchange_n(early, &old, sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void add(const call *c, uint32_t by) { add_early(early_of(c), by); }

/* ---- functions with one call ---- */

/* The compiler may inline them: then the frame is that of the caller, and a
   vertex of the function implies the vertex `at` with its call. All three are
   distances from themselves, to numbers early[]. */
typedef struct inlined {
    int32_t first, end, at;
} inlined;

extern const inlined __start_bursty_inlined[] __attribute__((weak)) HIDDEN;
extern const inlined __stop_bursty_inlined[] __attribute__((weak)) HIDDEN;

static uintptr_t target(const int32_t *distance) {
    return (uintptr_t)distance + (uintptr_t)(intptr_t)*distance;
}

/* The number of the vertex with the only call of the function that has this
   number, or NULL. */
static uint32_t *only_call_of(const uint32_t *early) {
    static int is_sorted; /* 1: yes, 2: no */
    const inlined *all = __start_bursty_inlined;
    size_t low = 0, high = (size_t)(__stop_bursty_inlined - all), i;
    int known = __atomic_load_n(&is_sorted, __ATOMIC_RELAXED);
    if (!known) {
        for (i = 1; i < high && target(&all[i - 1].end) <= target(&all[i].first); i++) {
        }
        known = i < high ? 2 : 1;
        __atomic_store_n(&is_sorted, known, __ATOMIC_RELAXED);
    }
    while (known == 1 && high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (target(&all[middle].first) <= (uintptr_t)early) low = middle;
        else high = middle;
    }
    for (i = low; i < high; i++) {
        if ((uintptr_t)early >= target(&all[i].first) && (uintptr_t)early < target(&all[i].end))
            return (uint32_t *)target(&all[i].at);
    }
    return NULL;
}

/* A call c of a frame, and that of the next frame or NULL: up to the function that
   has the frame, for that one's call is in the next. */
static void add_inlined(const call *c, const call *next, uint32_t by) {
    uint32_t *at = only_call_of(early_of(c));
    int depth;
    for (depth = 0; at && depth < 1000; depth++) {
        if (next && early_of(next) == at) return;
        add_early(at, by);
        at = only_call_of(at);
    }
}

/* ---- walking the stack ---- */

/* Did a signal come to counted code? Counters stand on edges that may come later, so
   nobody knows which lines it has run of that function, or of one that was inlined. */
static int is_cut;

/* Is it code of this program or library? Where the linker does not say, it may be. */
static int is_own(uintptr_t at) {
    extern const char __ehdr_start[] __attribute__((weak)) HIDDEN;
    extern const char etext[] __attribute__((weak)) HIDDEN;
    return at >= (uintptr_t)__ehdr_start && (!etext || at < (uintptr_t)etext);
}

#define BACK UINT32_MAX /* - 1 */

/* A frame is dealt with when the next one is seen: the last one has no tables
   that tell how to leave it. */
typedef struct walk {
    uint32_t by;
    uintptr_t stop; /* the frame whose stack pointer is at or below it is the last; 0: none is */
    uintptr_t at, cfa;
    const call *c;
    int is_before, is_over;
} walk;

static void pass_one(const walk *w, const call *next) {
    /* A signal came between calls: there is no marker for that. */
    uint32_t by = w->is_before ? EDGEPROF_UNKNOWN : w->by;
    if (w->is_before && w->by != BACK && is_own(w->at))
        __atomic_store_n(&is_cut, 1, __ATOMIC_RELAXED);
    if (!w->c) return;
    add(w->c, by);
    add_inlined(w->c, next, by);
}

static _Unwind_Reason_Code pass(struct _Unwind_Context *context, void *user) {
    walk *w = (walk *)user;
    int is_before = 0;
    uintptr_t at = _Unwind_GetIPInfo(context, &is_before), start = _Unwind_GetRegionStart(context);
    const call *c = at && start ? find(is_before ? at : at - 1, start) : NULL;
    if (w->at) pass_one(w, c);
    w->at = at;
    w->c = c;
    w->is_before = is_before;
    w->cfa = _Unwind_GetCFA(context);
    w->is_over = w->at == 0 || (w->stop && w->cfa > w->stop);
    return w->is_over ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* The end of the memory that holds an address, or 0. No buffer of the C
   library's: a signal handler comes here, too. */
static uintptr_t end_of_memory(uintptr_t at) {
    char text[1024];
    uintptr_t number[2] = {0, 0};
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), field = 0;
    ssize_t got, i;
    if (maps < 0) return 0;
    while ((got = read(maps, text, sizeof text)) > 0) {
        for (i = 0; i < got; i++) {
            char c = text[i];
            if (c == '\n') {
                if (at >= number[0] && at < number[1]) break;
                number[0] = number[1] = 0;
                field = 0;
            } else if (c == '-' || c == ' ') {
                field++;
            } else if (field < 2) {
                number[field] = number[field] * 16 + (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
            }
        }
        if (i < got) break;
    }
    close(maps);
    return at >= number[0] && at < number[1] ? number[1] : 0;
}

/* A stack's memory may be one with what lies above it. */
#define FARTHEST ((uintptr_t)64 << 20)

/* Does the vertex of a call belong to an object whose lines have marks? */
static int has_marks(const call *c) {
    const edgeprof_unit *unit;
    uint32_t n, i;
    for (n = 0; (unit = edgeprof_units_at(n)) != NULL; n++) {
        for (i = 0; i < unit->count; i++) {
            const edgeprof_function *f = unit->functions[i];
            if (f && f->early && early_of(c) >= f->early && early_of(c) < f->early + f->vertices)
                return f->bits <= 8;
        }
    }
    return 0;
}

/* Is in programs whose marks of a loop may wait for its end. */
extern const char bursty_cc_waits __attribute__((weak)) HIDDEN;

HIDDEN int edgeprof_exits_cut(void);
/* Since the last time. Marks that do not wait know the lines up to the signal. */
HIDDEN int edgeprof_exits_cut(void) {
    const edgeprof_unit *unit;
    uint32_t n, i;
    if (!__atomic_exchange_n(&is_cut, 0, __ATOMIC_RELAXED)) return 0;
    if (&bursty_cc_waits) return 1;
    for (n = 0; (unit = edgeprof_units_at(n)) != NULL; n++) {
        for (i = 0; i < unit->count; i++)
            if (unit->functions[i] && unit->functions[i]->bits > 8) return 1;
    }
    return 0;
}

/* Below code without unwind tables (a program may make code as it runs) nobody
   knows frames. But the address to which each of them returns stands on
   the stack: what looks like one, up to the end, makes its vertex unknown.
   Behind a call that never returns the next function may begin at once, and
   then a pointer to that function looks so, too. A vertex that is unknown for
   no reason refuses a count, but would make a mark: there it is left out. */
static void search(uintptr_t from, uintptr_t end) {
    const uintptr_t *word = (const uintptr_t *)((from + sizeof from - 1) & ~(sizeof from - 1));
    for (; (uintptr_t)word + sizeof *word <= end; word++) {
        const call *c = *word ? find(*word - 1, 0) : NULL;
        uintptr_t start = c ? (uintptr_t)_Unwind_FindEnclosingFunction((void *)*word) : 0;
        if (!start || code_of(c) < start) continue;
        if ((uintptr_t)_Unwind_FindEnclosingFunction((void *)(*word + 1)) == *word && has_marks(c))
            continue;
        add(c, EDGEPROF_UNKNOWN);
        add_inlined(c, NULL, EDGEPROF_UNKNOWN);
    }
}

/* Nothing is lost in silence. */
static void say(const char *words) {
    size_t size = 0;
    while (words[size]) size++;
    if (write(2, words, size) < 0) return;
}

static void leave(uint32_t by, uintptr_t stop) {
    walk w;
    uintptr_t end;
    int is_whole;
    __builtin_memset(&w, 0, sizeof w);
    w.by = by;
    w.stop = stop;
    _Unwind_Backtrace(pass, &w);
    if (w.is_over || w.at == 0) return;
    if ((uintptr_t)__start_bursty_calls == (uintptr_t)__stop_bursty_calls) return;
    end = end_of_memory(w.cfa);
    if (stop > w.cfa && (end == 0 || stop < end)) end = stop;
    is_whole = end > w.cfa && end - w.cfa <= FARTHEST;
    search(w.cfa, is_whole || end == 0 ? end : w.cfa + FARTHEST);
    if (!is_whole)
        say("coverage: calls in front of code without unwind tables were not found; "
            "functions may count one too few or too many\n");
}

/* ---- other threads at the end ---- */

enum { THREADS = 1024, WAIT_MS = 100 };

static struct {
    int asked, answered, is_over;
} others;

/* Did the signal end a system call, so that it returns EINTR? */
static int was_asleep(const ucontext_t *at) {
#if defined(__x86_64__)
    const unsigned char *next = (const unsigned char *)at->uc_mcontext.gregs[REG_RIP];
    return at->uc_mcontext.gregs[REG_RAX] == -4 && next[-2] == 0x0F && next[-1] == 0x05;
#elif defined(__aarch64__)
    return (int64_t)at->uc_mcontext.regs[0] == -4 &&
           ((const uint32_t *)at->uc_mcontext.pc)[-1] == 0xD4000001;
#else
    (void)at;
    return 0;
#endif
}

static void doze(void) {
    struct timespec a_while = {0, 200000};
    nanosleep(&a_while, NULL);
}

static void answer(int number, siginfo_t *info, void *context) {
    int error = errno;
    (void)number;
    (void)info;
    leave(1, 0);
    __atomic_fetch_add(&others.answered, 1, __ATOMIC_ACQ_REL);
    if (was_asleep((const ucontext_t *)context))
        for (;;) pause();
    while (!__atomic_load_n(&others.is_over, __ATOMIC_ACQUIRE)) doze();
    errno = error;
}

/* The threads of this process but this one: how many there are. */
static int list_threads(pid_t *list) {
    char entries[2048];
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0;
    pid_t me = (pid_t)syscall(SYS_gettid);
    long got, at;
    if (folder < 0) return 0;
    while ((got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
        for (at = 0; at < got;) {
            unsigned short size;
            const char *name = entries + at + 19;
            pid_t number = 0;
            __builtin_memcpy(&size, entries + at + 16, sizeof size);
            at += size;
            for (; *name >= '0' && *name <= '9'; name++) number = number * 10 + (*name - '0');
            if (number > 0 && number != me && count < THREADS) list[count++] = number;
        }
    }
    close(folder);
    return count;
}

/* Asks all other threads, if this is the program: a shared library writes its
   own dump. A thread that blocks the signal does not answer; its
   functions count what they would without us. Returns how many did not. */
static int ask_others(void) {
    static pid_t list[THREADS];
    struct sigaction mine, theirs;
    int number, count, i, waited;
    if (!is_program() || (uintptr_t)__start_bursty_calls == (uintptr_t)__stop_bursty_calls) return 0;
    count = list_threads(list);
    if (count == 0) return 0;
    for (number = SIGRTMAX - 1; number >= SIGRTMIN; number--) {
        if (sigaction(number, NULL, &theirs) == 0 && theirs.sa_handler == SIG_DFL) break;
    }
    if (number < SIGRTMIN) return count;
    __builtin_memset(&mine, 0, sizeof mine);
    mine.sa_sigaction = answer;
    mine.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&mine.sa_mask);
    if (sigaction(number, &mine, NULL) != 0) return count;
    for (i = 0; i < count; i++)
        others.asked += syscall(SYS_tgkill, getpid(), list[i], number) == 0;
    for (waited = 0; waited < WAIT_MS * 5; waited++) {
        if (__atomic_load_n(&others.answered, __ATOMIC_ACQUIRE) == others.asked) break;
        doze();
    }
    return others.asked - __atomic_load_n(&others.answered, __ATOMIC_ACQUIRE);
}

static void release_others(void) { __atomic_store_n(&others.is_over, 1, __ATOMIC_RELEASE); }

/* ---- writing ---- */

static pid_t owner;    /* whose counts these are: a child of vfork has none of its own */
static int is_written; /* at the end, once */

static int is_owner(void) { return owner == getpid(); }

static void begin_anew(void) {
    owner = getpid();
    is_written = 0;
    edgeprof_units_reset();
    leave(BACK, 0);
}

static void at_quick_end(void);
static int flush(void);

/* With BURSTY_COVERAGE_SIGNALS in the environment the program writes its counts
   before a signal ends it. It was not asked for otherwise: a handler is
   something that a program can see. */
static void at_fatal(int number) {
    flush();
    raise(number); /* SA_RESETHAND has put the default back */
}

static void catch_signals(void) {
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
                                  SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS};
    struct sigaction mine, theirs;
    size_t i;
    __builtin_memset(&mine, 0, sizeof mine);
    mine.sa_handler = at_fatal;
    mine.sa_flags = (int)(SA_RESETHAND | SA_ONSTACK);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (sigaction(numbers[i], NULL, &theirs) == 0 && theirs.sa_handler == SIG_DFL)
            sigaction(numbers[i], &mine, NULL);
    }
}

/* In front of what the program itself does before main. */
__attribute__((constructor(101))) static void start(void) {
    const char *signals = getenv("BURSTY_COVERAGE_SIGNALS");
    owner = getpid();
    if (signals && *signals && is_program()) catch_signals();
    pthread_atfork(NULL, NULL, begin_anew);
    at_quick_exit(at_quick_end);
}

/* The program may go on behind it. */
static int flush(void) {
    int failed;
    if (!is_owner() || is_written) return 0;
    leave(1, 0);
    failed = edgeprof_units_append();
    edgeprof_units_reset();
    leave(BACK, 0);
    return failed;
}

static void end(void) {
    int silent;
    if (!is_owner() || is_written) return;
    is_written = 1;
    leave(1, 0);
    silent = ask_others();
    edgeprof_units_append();
    release_others();
    if (silent)
        say("coverage: threads that block all signals still ran at the end; "
            "functions that they were in may count one too few or too many\n");
}

HIDDEN void edgeprof_exits_end(void);
HIDDEN void edgeprof_exits_end(void) { end(); }
static void at_quick_end(void) { end(); }

HIDDEN int bursty_cover_write(void);
HIDDEN void bursty_cover_reset(void);
HIDDEN int bursty_cover_write(void) { return flush(); }
HIDDEN void bursty_cover_reset(void) {
    edgeprof_units_reset();
    leave(BACK, 0);
}

/* ---- setjmp and longjmp ---- */

/* setjmp(b) has become setjmp(bursty_landing(b, frame)), which notes b, the
   frame and the place in it. Frames grow downwards: an entry whose frame is
   below the stack pointer has returned. */
enum { LANDINGS = 256 };

typedef struct landing {
    const void *buffer;
    uintptr_t frame, at;
} landing;

static __thread landing landings[LANDINGS];
static __thread unsigned landing_count;

HIDDEN void *bursty_landing(void *buffer, const void *frame);
HIDDEN __attribute__((noinline)) void *bursty_landing(void *buffer, const void *frame) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    unsigned i;
    while (landing_count && landings[landing_count - 1].frame < here) landing_count--;
    for (i = landing_count; i > 0 && landings[i - 1].buffer != buffer; i--) {
    }
    if (i == 0 && landing_count < LANDINGS) i = ++landing_count;
    if (i > 0) {
        landings[i - 1].buffer = buffer;
        landings[i - 1].frame = (uintptr_t)frame;
        landings[i - 1].at = (uintptr_t)__builtin_return_address(0);
    }
    return buffer;
}

static void jump(const void *buffer) {
    unsigned i;
    const call *c;
    for (i = landing_count; i > 0 && landings[i - 1].buffer != buffer; i--) {
    }
    if (i == 0) {
        leave(EDGEPROF_UNKNOWN, 0);
        return;
    }
    leave(1, landings[i - 1].frame);
    c = find(landings[i - 1].at - 1, 0);
    if (c) add(c, BACK);
}

/* ---- a child of vfork ---- */

/* NULL: nobody noted where it was called. */
static const landing *place_of_vfork(void) {
    unsigned i;
    for (i = landing_count; i > 0 && landings[i - 1].buffer; i--) {
    }
    return i > 0 ? &landings[i - 1] : NULL;
}

/* by: 1 when the child leaves the parent's stack, BACK when it does not after
   all. */
static void leave_parent(uint32_t by) {
    const landing *at = place_of_vfork();
    const call *c = at ? find(at->at - 1, 0) : NULL;
    if (!c) {
        leave(EDGEPROF_UNKNOWN, 0);
        return;
    }
    leave(by, at->frame);
    add(c, by == 1 ? BACK : 1);
}

/* In front of exec, and behind one that failed. */
static void depart(void) {
    if (is_owner()) flush();
    else leave_parent(1);
}

static void come_back(void) {
    int error = errno;
    if (!is_owner()) leave_parent(BACK);
    errno = error;
}

static void leave_process(void) {
    if (is_owner()) end();
    else leave_parent(1);
}

/* ---- what the linker leads here ---- */

LEAVES(longjmp, (void *b, int v)) { jump(b); __real_longjmp(b, v); }
LEAVES(_longjmp, (void *b, int v)) { jump(b); __real__longjmp(b, v); }
LEAVES(siglongjmp, (void *b, int v)) { jump(b); __real_siglongjmp(b, v); }
#ifdef __GLIBC__ /* others have none */
LEAVES(__longjmp_chk, (void *b, int v)) { jump(b); __real___longjmp_chk(b, v); }
#endif
LEAVES(_exit, (int status)) { leave_process(); __real__exit(status); }
LEAVES(_Exit, (int status)) { leave_process(); __real__Exit(status); }
LEAVES(abort, (void)) { flush(); __real_abort(); }
LEAVES(__assert_fail, (const char *what, const char *file, unsigned line, const char *function)) {
    flush();
    __real___assert_fail(what, file, line, function);
}
LEAVES(pthread_exit, (void *result)) { leave(1, 0); __real_pthread_exit(result); }

/* Another stack: this one is left, until somebody comes back to it. setcontext
   may lead to a place in this one, and nobody knows which frames stay. */
#ifdef __GLIBC__
WRAP(int, swapcontext, (ucontext_t *from, const ucontext_t *to)) {
    int failed;
    leave(1, 0);
    failed = __real_swapcontext(from, to);
    leave(BACK, 0);
    return failed;
}
WRAP(int, setcontext, (const ucontext_t *to)) {
    leave(EDGEPROF_UNKNOWN, 0);
    return __real_setcontext(to);
}
#endif

/* Its parent's side ends inside of the C library. */
WRAP(int, daemon, (int stay, int keep)) {
    flush();
    return __real_daemon(stay, keep);
}
#define AWAY(call) \
    int failed; \
    depart(); \
    failed = call; \
    come_back(); \
    return failed

WRAP(int, execve, (const char *path, char *const *words, char *const *environment)) {
    AWAY(__real_execve(path, words, environment));
}
WRAP(int, fexecve, (int file, char *const *words, char *const *environment)) {
    AWAY(__real_fexecve(file, words, environment));
}
WRAP(int, execv, (const char *path, char *const *words)) {
    AWAY(__real_execv(path, words));
}
WRAP(int, execvp, (const char *name, char *const *words)) {
    AWAY(__real_execvp(name, words));
}
WRAP(int, execvpe, (const char *name, char *const *words, char *const *environment)) {
    AWAY(__real_execvpe(name, words, environment));
}

/* The functions below call these in place of execl and its kin. With -static lld takes
   a function out of an archive only if something names it without __real_. */
__attribute__((used)) static int (*const by_path[])(const char *, char *const *) = {execv, execvp};
__attribute__((used)) static int (*const by_environment)(const char *, char *const *,
                                                         char *const *) = execve;

/* The words of execl as a list, in a variable of the caller's; behind them may
   stand the environment. */
#define LIST(first, list, behind) \
    va_list counted, taken; \
    size_t count = 1, i; \
    char **list; \
    va_start(counted, first); \
    va_copy(taken, counted); \
    while (va_arg(counted, char *) != NULL) count++; \
    va_end(counted); \
    list = (char **)__builtin_alloca((count + 1) * sizeof *list); \
    list[0] = (char *)(uintptr_t)(first); \
    for (i = 1; i <= count; i++) list[i] = va_arg(taken, char *); \
    behind; \
    va_end(taken)

HIDDEN int __wrap_execl(const char *path, const char *first, ...);
HIDDEN int __wrap_execlp(const char *name, const char *first, ...);
HIDDEN int __wrap_execle(const char *path, const char *first, ...);
HIDDEN int __wrap_execl(const char *path, const char *first, ...) {
    LIST(first, list, (void)0);
    AWAY(__real_execv(path, list));
}
HIDDEN int __wrap_execlp(const char *name, const char *first, ...) {
    LIST(first, list, (void)0);
    AWAY(__real_execvp(name, list));
}
HIDDEN int __wrap_execle(const char *path, const char *first, ...) {
    char *const *environment;
    LIST(first, list, environment = va_arg(taken, char **));
    AWAY(__real_execve(path, list, environment));
}
