/* ---- stacks that nobody has told of ---- */

/* A program may switch stacks without bursty_fiber_switch. The thread's open
   scopes are then those of whoever opened them last, on any stack, and a tick
   is charged to them. No depth shows it: every scope may end where it began.
   But a tick knows its stack pointer, and on which stack it should be:

       main's stack    ends at __libc_stack_end, and grows down as far as a limit
       other threads'  glibc has pthread_self() at the top of the mapping
       sigaltstack     a signal handler's, on which the thread is for the moment

   A tick elsewhere, while scopes are open, is *astray*. A thread that has called
   bursty_fiber_switch is not asked: between that call and the switch itself it
   stands on the other stack. What cannot be told is not astray: other C
   libraries, and a stack less than 64 KB below pthread_self().

   Cost: nothing on checks and scopes, some instructions for a tick; a system
   call if the tick seems astray, and once for a thread a look at its mappings. */
#if defined(BURSTY_P_TIMERS) && defined(__GLIBC__) && defined(SS_ONSTACK) && \
    defined(SYS_prlimit64) && defined(SYS_openat) && defined(BURSTY_P_GNU)
#define BURSTY_P_KNOWS_STACKS
extern void *bursty_p_stack_end __asm__("__libc_stack_end") __attribute__((weak));

/* Its own without a look. */
enum { BURSTY_P_MAIN_LEAST = 8 << 20, BURSTY_P_THREAD_LEAST = 1 << 16 };
enum { BURSTY_P_NOT_ASKED, BURSTY_P_MAIN, BURSTY_P_NOT_MAIN };
static BURSTY_P_TLS struct {
    uint32_t is;       /* BURSTY_P_MAIN, ... */
    uint32_t told;     /* it has called bursty_fiber_switch */
    uintptr_t low;     /* of its stack; 0: not asked */
} bursty_p_own_stack;

/* On a thread that gets a timer. */
static void bursty_p_ask_stack(void) {
    if (bursty_p_own_stack.is != BURSTY_P_NOT_ASKED) return; /* a forked child's thread, too */
    bursty_p_own_stack.is = BURSTY_P_NOT_MAIN;
    if (syscall(SYS_gettid) == (long)getpid()) bursty_p_own_stack.is = BURSTY_P_MAIN;
}

static int bursty_p_is_on_main_stack(uintptr_t at) {
    uint64_t limit[2] = { 0, 0 };
    const uintptr_t end = &bursty_p_stack_end ? (uintptr_t)bursty_p_stack_end : UINTPTR_MAX;
    if (at > end) return 0;
    if (end == UINTPTR_MAX || end - at < BURSTY_P_MAIN_LEAST) return 1;
    return syscall(SYS_prlimit64, 0L, 3L, (void *)0, limit) != 0 || end - at < limit[0];
}

/* Where the readable memory begins that has `at` in it: mappings in a row, as
   mlock makes several of one stack, up to a guard page. 1: not known, so all may
   be its own. Without the C library's files, since it may be in the middle of
   anything. */
static uintptr_t bursty_p_memory_of(uintptr_t at) {
    char bytes[512];
    uintptr_t low = 0, high = 0, begin = 0, end = 0, found = 1;
    int part = 0; /* of a line: 0 low, 1 high, 2 may it be read, 3 the rest */
    long got, i, file = syscall(SYS_openat, -100L, "/proc/self/maps", 0L);
    if (file < 0) return found;
    while (found == 1 && (got = syscall(SYS_read, file, bytes, sizeof bytes)) > 0) {
        for (i = 0; i < got && found == 1; i++) {
            const char c = bytes[i];
            const uintptr_t digit = (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
            if (c == '\n') {
                low = high = 0;
                part = 0;
            } else if (part < 2 && (c == '-' || c == ' ')) {
                part++;
            } else if (part == 0) {
                low = low << 4 | digit;
            } else if (part == 1) {
                high = high << 4 | digit;
            } else if (part == 2) {
                if (low != end) begin = low;
                end = c == 'r' ? high : 0;
                if (end && low <= at && at < high) found = begin;
                part = 3;
            }
        }
    }
    (void)syscall(SYS_close, file);
    return found;
}

static int bursty_p_is_on_thread_stack(uintptr_t at) {
    const uintptr_t top = (uintptr_t)pthread_self();
    if (at > top) return 0;
    if (top - at < BURSTY_P_THREAD_LEAST) return 1;
    if (!bursty_p_own_stack.low) bursty_p_own_stack.low = bursty_p_memory_of(top);
    return at >= bursty_p_own_stack.low;
}

static int bursty_p_is_astray(const void *frame) {
    const uintptr_t at = (uintptr_t)frame;
    stack_t handlers;
    if (BURSTY_P_HERE.depth == 0 || bursty_p_own_stack.told) return 0;
    if (bursty_p_own_stack.is == BURSTY_P_NOT_ASKED) return 0;
    if (bursty_p_own_stack.is == BURSTY_P_MAIN ? bursty_p_is_on_main_stack(at)
                                               : bursty_p_is_on_thread_stack(at)) return 0;
    return sigaltstack(NULL, &handlers) == 0 && !(handlers.ss_flags & SS_ONSTACK);
}
#endif
