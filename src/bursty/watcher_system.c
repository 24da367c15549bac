/* ---- the watcher: what it asks of the system ---- */

#ifdef BURSTY_P_WATCHER

/* Each system gives the same few answers:

     wall_ns      a clock that never goes back
     me           a number by which the watcher can ask about the calling thread; 0: none
     forget       gives that number back
     ask          what the thread does, and its CPU time so far
     state        is it blocked (WAITS), or does it run or wait for a processor (READY)?
     processor    where the calling thread finds the number of the processor that it runs on, or NULL
     nap          some 50 us
     slack_ns     how late the timers themselves may be
     sleep        until a moment, or until the watcher's word is not `seen` any more
     begin, end   of the thread that watches; end returns when it has ended

   ANSWERS says how good `ask` is. EXACT: the CPU time moves while the thread
   runs, by nanoseconds. STATE: the system says whether the thread runs. COARSE:
   its CPU time moves by the interrupts of the system's clock, 10 or 16 ms
   apart. */
#define BURSTY_P_COARSE 1
#define BURSTY_P_EXACT 2
#define BURSTY_P_STATE 3
enum { BURSTY_P_WAITS, BURSTY_P_RUNS, BURSTY_P_UNKNOWN, BURSTY_P_READY };

static struct {
    uint32_t word;   /* another one after each new order */
    uint32_t ends;   /* the order to end */
    uint32_t exists; /* there is a thread that somebody must wait for */
    uint32_t rounds; /* that have charged something */
    uint32_t random;
    uint32_t unwatched, unwatched_before;
    uint32_t has_own_files; /* see bursty_p_system_be_prompt */
    uint64_t cost_ns; /* of a round, as a mean of some 64 */
    uint32_t costs;   /* how many of them there are */
    uint32_t own_us;  /* CPU time of its thread, and of those before it */
    bursty_p_tick_count looks, squares, late, cut; /* see watcher.c */
#if defined(_WIN32)
    void *thread, *timer, *event, *library;
    int timer_is_plain;
#else
    pthread_t thread;
#endif
} bursty_p_watcher;

static void bursty_p_watcher_run(void); /* watcher.c */

#if defined(_WIN32)

/* Windows.h is not included: it defines min, max and more in the file of the
   user. These are its declarations, should the user include it. */
#ifdef _WIN64
typedef unsigned long long bursty_p_size;
#else
typedef unsigned long bursty_p_size;
#endif
struct _FILETIME;
struct _SECURITY_ATTRIBUTES;
union _LARGE_INTEGER;
struct HINSTANCE__;
#define BURSTY_P_IMPORT __declspec(dllimport)
BURSTY_P_IMPORT void *__stdcall CreateThread(struct _SECURITY_ATTRIBUTES *security, bursty_p_size stack,
                                             unsigned long(__stdcall *run)(void *), void *user,
                                             unsigned long flags, unsigned long *id);
BURSTY_P_IMPORT void *__stdcall OpenThread(unsigned long access, int inherit, unsigned long id);
BURSTY_P_IMPORT unsigned long __stdcall GetCurrentThreadId(void);
BURSTY_P_IMPORT void *__stdcall GetCurrentProcess(void);
BURSTY_P_IMPORT int __stdcall CloseHandle(void *handle);
BURSTY_P_IMPORT int __stdcall GetThreadTimes(void *thread, struct _FILETIME *began,
                                             struct _FILETIME *ended, struct _FILETIME *kernel,
                                             struct _FILETIME *user);
BURSTY_P_IMPORT int __stdcall GetProcessTimes(void *process, struct _FILETIME *began,
                                              struct _FILETIME *ended, struct _FILETIME *kernel,
                                              struct _FILETIME *user);
BURSTY_P_IMPORT int __stdcall QueryPerformanceCounter(union _LARGE_INTEGER *count);
BURSTY_P_IMPORT int __stdcall QueryPerformanceFrequency(union _LARGE_INTEGER *count);
BURSTY_P_IMPORT void *__stdcall CreateEventW(struct _SECURITY_ATTRIBUTES *security, int manual,
                                             int is_set, const wchar_t *name);
BURSTY_P_IMPORT int __stdcall SetEvent(void *event);
BURSTY_P_IMPORT void *__stdcall CreateWaitableTimerExW(struct _SECURITY_ATTRIBUTES *security,
                                                       const wchar_t *name, unsigned long flags,
                                                       unsigned long access);
BURSTY_P_IMPORT int __stdcall SetWaitableTimer(void *timer, const union _LARGE_INTEGER *due, long period,
                                               void(__stdcall *done)(void *, unsigned long, unsigned long),
                                               void *user, int resume);
BURSTY_P_IMPORT unsigned long __stdcall WaitForMultipleObjects(unsigned long count, void *const *handles,
                                                               int all, unsigned long ms);
BURSTY_P_IMPORT unsigned long __stdcall WaitForSingleObject(void *handle, unsigned long ms);
BURSTY_P_IMPORT void __stdcall Sleep(unsigned long ms);
BURSTY_P_IMPORT int __stdcall GetModuleHandleExW(unsigned long flags, const wchar_t *name,
                                                 struct HINSTANCE__ **module);
BURSTY_P_IMPORT int __stdcall FreeLibrary(struct HINSTANCE__ *module);

#define BURSTY_P_ANSWERS BURSTY_P_COARSE

static uint64_t bursty_p_wall_ns(void) {
    static uint64_t hz;
    uint64_t now = 0;
    if (hz == 0) (void)QueryPerformanceFrequency((union _LARGE_INTEGER *)(void *)&hz);
    (void)QueryPerformanceCounter((union _LARGE_INTEGER *)(void *)&now);
    return hz ? now / hz * 1000000000 + now % hz * 1000000000 / hz : 0;
}

/* Kernel and user time, in units of 100 ns. */
static uint64_t bursty_p_cpu_us(void) {
    uint64_t t[4] = { 0, 0, 0, 0 };
    struct _FILETIME *at[4];
    int i;
    for (i = 0; i < 4; i++) at[i] = (struct _FILETIME *)(void *)&t[i];
    if (!GetProcessTimes(GetCurrentProcess(), at[0], at[1], at[2], at[3])) return 0;
    return (t[2] + t[3]) / 10;
}

/* Handles have 32 bits that count. The access is
   THREAD_QUERY_LIMITED_INFORMATION. */
static uint32_t bursty_p_system_me(void) {
    return (uint32_t)(uintptr_t)OpenThread(0x0800, 0, GetCurrentThreadId());
}
static void *bursty_p_system_handle(uint32_t number) {
    return (void *)(uintptr_t)number;
}
static void bursty_p_system_forget(uint32_t number) {
    (void)CloseHandle(bursty_p_system_handle(number));
}

static int bursty_p_system_ask(uint32_t number, uint64_t *ran_ns) {
    uint64_t t[4] = { 0, 0, 0, 0 };
    struct _FILETIME *at[4];
    int i;
    for (i = 0; i < 4; i++) at[i] = (struct _FILETIME *)(void *)&t[i];
    if (!GetThreadTimes(bursty_p_system_handle(number), at[0], at[1], at[2], at[3])) return BURSTY_P_WAITS;
    *ran_ns = (t[2] + t[3]) * 100;
    return BURSTY_P_UNKNOWN;
}

static int bursty_p_system_state(uint32_t number) {
    (void)number;
    return BURSTY_P_UNKNOWN;
}
static const volatile uint32_t *bursty_p_system_processor(void) { return NULL; }
static void bursty_p_system_nap(void) { Sleep(1); }
static uint64_t bursty_p_system_slack_ns(void) { return bursty_p_watcher.timer_is_plain ? 16000000 : 0; }

static void bursty_p_system_sleep(uint32_t seen, uint64_t until) {
    void *const both[2] = { bursty_p_watcher.event, bursty_p_watcher.timer };
    uint64_t now = bursty_p_wall_ns();
    int64_t due = until > now ? -(int64_t)((until - now + 99) / 100) : 0;
    (void)seen; /* the event stays set until somebody has waited for it */
    if (until && until <= now) return;
    if (until && !SetWaitableTimer(both[1], (const union _LARGE_INTEGER *)(const void *)&due, 0, NULL, NULL, 0))
        Sleep(1);
    else (void)WaitForMultipleObjects(until ? 2 : 1, both, 0, 0xFFFFFFFFul);
}
static void bursty_p_system_wake(void) { (void)SetEvent(bursty_p_watcher.event); }

static uint32_t bursty_p_system_threads(void) { return 0; }

static unsigned long __stdcall bursty_p_watcher_thread(void *nothing) {
    (void)nothing;
    bursty_p_watcher_run();
    return 0;
}

/* Flag 2 of the timer: below a millisecond; older systems refuse it. The
   library with this code stays loaded until bursty_stop. */
static int bursty_p_system_begin(void) {
    struct HINSTANCE__ *library = NULL;
    union { unsigned long(__stdcall *run)(void *); const wchar_t *address; } here;
    unsigned long id;
    here.run = bursty_p_watcher_thread;
    if (!bursty_p_watcher.event) bursty_p_watcher.event = CreateEventW(NULL, 0, 0, NULL);
    if (!bursty_p_watcher.timer)
        bursty_p_watcher.timer = CreateWaitableTimerExW(NULL, NULL, 2, 0x1F0003);
    if (!bursty_p_watcher.timer) {
        bursty_p_watcher.timer = CreateWaitableTimerExW(NULL, NULL, 0, 0x1F0003);
        bursty_p_watcher.timer_is_plain = 1;
    }
    if (!bursty_p_watcher.event || !bursty_p_watcher.timer) return 0;
    (void)GetModuleHandleExW(4, here.address, &library);
    bursty_p_watcher.library = library;
    bursty_p_watcher.thread = CreateThread(NULL, 0, bursty_p_watcher_thread, NULL, 0, &id);
    if (bursty_p_watcher.thread) return 1;
    if (library) (void)FreeLibrary(library);
    return 0;
}
/* Where a process exits, Windows ends all other threads wherever they are, and
   only then says so to this one. 258: it still runs. */
static int bursty_p_system_is_gone(void) { return WaitForSingleObject(bursty_p_watcher.thread, 0) != 258; }
static void bursty_p_system_end(void) {
    (void)WaitForSingleObject(bursty_p_watcher.thread, 0xFFFFFFFFul);
    (void)CloseHandle(bursty_p_watcher.thread);
    if (bursty_p_watcher.library) (void)FreeLibrary((struct HINSTANCE__ *)bursty_p_watcher.library);
}

#else /* POSIX */

/* The watcher must wake when it wants to, and not when the thread that has its
   processor goes to sleep: it would see nobody run. So it asks Linux for exact
   timers and, by the one value that needs no rights, for turns of 0.1 ms: from
   6.12 on who has short turns is let in at once. Kernels that do not know this
   ignore it. The name is for ps and debuggers. From 5.9 on (CLOSE_RANGE_UNSHARE)
   the thread has an empty table of files of its own. So what it opens takes no
   number from the program, and it does not keep open what the program closes. Sanitizers
   write what they find where it happens: there the first three files stay. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BURSTY_P_FIRST_FILE 3L
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define BURSTY_P_FIRST_FILE 3L
#endif
#endif
#ifndef BURSTY_P_FIRST_FILE
#define BURSTY_P_FIRST_FILE 0L
#endif
static void bursty_p_system_be_prompt(void) {
#if defined(__linux__)
    (void)syscall(SYS_prctl, 29L, 1L, 0L, 0L, 0L);
    (void)syscall(SYS_prctl, 15L, "bursty watcher", 0L, 0L, 0L);
#ifdef SYS_close_range
    BURSTY_P_RELEASE(&bursty_p_watcher.has_own_files,
                     syscall(SYS_close_range, BURSTY_P_FIRST_FILE, 0xFFFFFFFFL, 2L) == 0);
#endif
#if defined(SYS_sched_getattr) && defined(SYS_sched_setattr)
    struct { uint32_t size, policy; uint64_t flags; uint32_t nice, priority; uint64_t turn, deadline, period; } how;
    memset(&how, 0, sizeof how);
    if (syscall(SYS_sched_getattr, 0L, &how, (long)sizeof how, 0L) != 0 || how.policy != 0) return;
    how.size = (uint32_t)sizeof how;
    how.turn = 100000;
    (void)syscall(SYS_sched_setattr, 0L, &how, 0L);
#endif
#endif
}

static uint64_t bursty_p_system_slack_ns(void) { return 0; }

static void *bursty_p_watcher_thread(void *nothing) {
    bursty_p_system_be_prompt();
    bursty_p_watcher_run();
    return nothing;
}

/* The program's signals are not for this thread. (The C library keeps its own
   out of the set.) */
static int bursty_p_system_begin(void) {
    sigset_t all, old;
    int error;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0) return 0;
    error = pthread_create(&bursty_p_watcher.thread, NULL, bursty_p_watcher_thread, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error == 0;
}
static int bursty_p_system_is_gone(void) { return 0; }
static void bursty_p_system_end(void) { (void)pthread_join(bursty_p_watcher.thread, NULL); }

#if defined(__linux__)

#define BURSTY_P_ANSWERS BURSTY_P_EXACT
enum { BURSTY_P_MONOTONIC = 1 }; /* the kernel's number */
static uint64_t bursty_p_wall_ns(void) { return bursty_p_read_ns(BURSTY_P_MONOTONIC); }

static uint32_t bursty_p_system_me(void) { return (uint32_t)syscall(SYS_gettid); }
static void bursty_p_system_forget(uint32_t number) { (void)number; }

/* Linux writes the number into each thread's struct rseq, which the GNU C
   library from 2.35 on keeps at a fixed distance from the thread pointer. */
#if defined(__has_builtin) && defined(__GLIBC__) && !defined(__TINYC__)
#if __has_builtin(__builtin_thread_pointer)
#define BURSTY_P_RSEQ
extern const ptrdiff_t bursty_p_rseq_offset __asm__("__rseq_offset") __attribute__((weak));
extern const unsigned bursty_p_rseq_size __asm__("__rseq_size") __attribute__((weak));
#endif
#endif
static const volatile uint32_t *bursty_p_system_processor(void) {
#ifdef BURSTY_P_RSEQ
    if (&bursty_p_rseq_offset && &bursty_p_rseq_size && bursty_p_rseq_size)
        return (const volatile uint32_t *)(const void *)((const char *)__builtin_thread_pointer()
                                                         + bursty_p_rseq_offset + 4);
#endif
    return NULL;
}

/* The kernel makes the number of a thread's CPU clock like this, and so does
   the C library. */
static int bursty_p_system_ask(uint32_t number, uint64_t *ran_ns) {
    *ran_ns = bursty_p_read_ns((int)(~number << 3 | 6u));
    return BURSTY_P_UNKNOWN;
}

/* "12 (name) R 1 ...": the name may have any character, but behind it are
   numbers. */
static int bursty_p_system_state(uint32_t number) {
    char path[40] = "/proc/self/task/", line[64] = "";
    uint32_t unit = 1000000000, at = 16;
    long file, end;
    if (!BURSTY_P_ACQUIRE(&bursty_p_watcher.has_own_files)) return BURSTY_P_UNKNOWN;
    for (; unit; unit /= 10) {
        if (number >= unit) path[at++] = (char)('0' + number / unit % 10);
    }
    memcpy(path + at, "/stat", 6);
    file = syscall(SYS_openat, -100L, path, 0L, 0L); /* AT_FDCWD, which the path has no use for */
    if (file < 0) return BURSTY_P_UNKNOWN;
    end = syscall(SYS_read, file, line, sizeof line) - 3;
    (void)syscall(SYS_close, file);
    while (end > 0 && line[end] != ')') end--;
    if (end <= 0) return BURSTY_P_UNKNOWN;
    return line[end + 2] == 'R' ? BURSTY_P_READY : BURSTY_P_WAITS;
}

static void bursty_p_system_sleep(uint32_t seen, uint64_t until) {
    struct { long s, ns; } at = { (long)(until / 1000000000), (long)(until % 1000000000) };
    (void)syscall(SYS_futex, &bursty_p_watcher.word, 9L | 128, (long)seen, until ? (void *)&at : NULL,
                  NULL, 0xFFFFFFFFl); /* FUTEX_WAIT_BITSET, private: until a moment of the clock */
}
static void bursty_p_system_wake(void) {
    (void)syscall(SYS_futex, &bursty_p_watcher.word, 1L | 128, 1L, NULL, NULL, 0L);
}
static void bursty_p_system_nap(void) {
    struct { long s, ns; } some = { 0, 50000 };
    (void)syscall(SYS_nanosleep, &some, NULL);
}

/* How many threads the process has; 0: not known. */
static uint32_t bursty_p_system_threads(void) {
    struct stat tasks;
    if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < 3) return 0;
    return (uint32_t)tasks.st_nlink - 2;
}

#else /* macOS */

#define BURSTY_P_ANSWERS BURSTY_P_STATE
static uint64_t bursty_p_wall_ns(void) { return bursty_p_read_ns(CLOCK_MONOTONIC); }
static uint32_t bursty_p_system_me(void) { return (uint32_t)pthread_mach_thread_np(pthread_self()); }
static void bursty_p_system_forget(uint32_t number) { (void)number; }
static int bursty_p_system_ask(uint32_t number, uint64_t *ran_ns) {
    struct thread_basic_info info;
    mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
    (void)ran_ns;
    if (thread_info((thread_act_t)number, THREAD_BASIC_INFO, (thread_info_t)&info, &count) != 0)
        return BURSTY_P_WAITS;
    return info.run_state == TH_STATE_RUNNING ? BURSTY_P_RUNS : BURSTY_P_WAITS;
}
static int bursty_p_system_state(uint32_t number) {
    (void)number;
    return BURSTY_P_UNKNOWN;
}
static const volatile uint32_t *bursty_p_system_processor(void) { return NULL; }
static void bursty_p_system_nap(void) {
    struct timespec some = { 0, 50000 };
    (void)nanosleep(&some, NULL);
}
/* In pieces of at most 10 ms, since nobody can wake it. */
static void bursty_p_system_sleep(uint32_t seen, uint64_t until) {
    while (BURSTY_P_ACQUIRE(&bursty_p_watcher.word) == seen) {
        uint64_t now = bursty_p_wall_ns(), ns = 10000000;
        struct timespec some = { 0, 0 };
        if (until && now >= until) return;
        if (until && until - now < ns) ns = until - now;
        some.tv_nsec = (long)ns;
        (void)nanosleep(&some, NULL);
    }
}
static void bursty_p_system_wake(void) { }
static uint32_t bursty_p_system_threads(void) { return 0; }

#endif
#endif
#endif /* BURSTY_P_WATCHER */
