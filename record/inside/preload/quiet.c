/* quiet.c - what is not covered. A thread that may be cancelled at any
   instruction gets no bursts: the unwind information of copies does not say how
   deep the stack is inside an event. Servers ask for that at their start
   (redis-server), and then nothing that they do later is sampled. So the CPU
   time of such threads is measured, and stands in the report and in the file
   beside that of the process.

   A slot belongs to a thread from pthread_setcanceltype until it asks for
   deferred cancelling again, or ends. The clock of a living thread can be read
   from any other one. */
#define _GNU_SOURCE 1
#include "quiet.h"
#include "patch.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
enum { SLOTS = 256, FREE = 0, TAKEN = 1, IN_USE = 2 };

static struct {
    int state;
    clockid_t clock;
    uint64_t from_ns;
} quiet_slot[SLOTS];
static uint64_t quiet_ns;               /* of slots that were given back */
static uint32_t quiet_threads, quiet_unknown;
static __thread int quiet_own __attribute__((tls_model("initial-exec")));    /* slot + 1, 0, -1 */

static uint64_t read_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void quiet_begins(void) {
    int n, was;
    x86_leave();
    if (quiet_own) return;
    __atomic_fetch_add(&quiet_threads, 1, __ATOMIC_RELAXED);
    quiet_own = -1;
    for (n = 0; n < SLOTS && quiet_own < 0; n++) {
        was = FREE;
        if (!__atomic_compare_exchange_n(&quiet_slot[n].state, &was, TAKEN, 0, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        if (pthread_getcpuclockid(pthread_self(), &quiet_slot[n].clock) != 0) break;
        quiet_slot[n].from_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
        quiet_own = n + 1;
        __atomic_store_n(&quiet_slot[n].state, IN_USE, __ATOMIC_RELEASE);
    }
    if (quiet_own < 0) __atomic_fetch_add(&quiet_unknown, 1, __ATOMIC_RELAXED);
}

void quiet_ends(void) {
    int n = quiet_own - 1;
    quiet_own = 0;
    if (n < 0 || record.sandboxed) return;
    __atomic_fetch_add(&quiet_ns, read_ns(CLOCK_THREAD_CPUTIME_ID) - quiet_slot[n].from_ns,
                       __ATOMIC_RELAXED);
    __atomic_store_n(&quiet_slot[n].state, FREE, __ATOMIC_RELEASE);
}

/* In a child of fork there is one thread, and its clocks are new. */
void quiet_in_child(void) {
    int was_quiet = quiet_own != 0;
    memset(quiet_slot, 0, sizeof quiet_slot);
    quiet_ns = quiet_threads = quiet_unknown = 0;
    quiet_own = 0;
    if (was_quiet) quiet_begins();
}

void quiet_get(quiet_time *out) {
    int n;
    memset(out, 0, sizeof *out);
    out->threads = __atomic_load_n(&quiet_threads, __ATOMIC_RELAXED);
    out->unknown = __atomic_load_n(&quiet_unknown, __ATOMIC_RELAXED);
    if (!out->threads || record.sandboxed) return;
    out->all_ns = read_ns(CLOCK_PROCESS_CPUTIME_ID);
    out->ns = __atomic_load_n(&quiet_ns, __ATOMIC_RELAXED);
    for (n = 0; n < SLOTS; n++) {
        uint64_t now;
        if (__atomic_load_n(&quiet_slot[n].state, __ATOMIC_ACQUIRE) != IN_USE) continue;
        now = read_ns(quiet_slot[n].clock);
        if (now > quiet_slot[n].from_ns) out->ns += now - quiet_slot[n].from_ns;
    }
    if (out->ns > out->all_ns) out->ns = out->all_ns;
}

/* Does a child go on that is not recorded? */
int quiet_has_child(void) {
    siginfo_t about;
    memset(&about, 0, sizeof about);
    return !record.sandboxed && !record.follow
           && waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == 0;
}

EXPORTED int pthread_setcanceltype(int type, int *old) {
    static int (*real)(int, int *);
    int status;
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_setcanceltype");
        memcpy(&real, &symbol, sizeof real);
    }
    if (!real) return EINVAL;
    if (record.running && type == PTHREAD_CANCEL_ASYNCHRONOUS) quiet_begins();
    status = real(type, old);
    if (record.running && type == PTHREAD_CANCEL_DEFERRED) {
        quiet_ends();
        x86_rejoin();
    }
    return status;
}
