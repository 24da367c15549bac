/* keep.c - a process that a signal kills writes nothing. So the recorder writes
   a whole file now and then into memory that it shares with the tool, and the
   tool takes the last one.

   There are two halves: one is whole while the other is written. The first one
   is due 20 ms after the start, then when the time since the start has doubled,
   and at last each second; but never before a thousand times what the last one
   took. The first takes some .3 to .5 ms. A process that ends itself by a signal
   writes one more: deaths.c.

   The thread that finds one due writes it, in the middle of anything that the
   program does: on a small stack, inside malloc, in a signal handler. So it
   writes on a stack of our own, with no signals, no cancellation, no malloc,
   and it waits for nothing.

   A file system may have no room for a page that is stored into, and the
   program would get SIGBUS. madvise(MADV_POPULATE_WRITE) makes the pages
   before; kernels before 5.14 do not know it, and there nothing is kept. */
#define _GNU_SOURCE 1
#include "keep.h"
#include "handover.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { STACK = 1 << 18, STEP = 1 << 16, POPULATE_WRITE = 23 };
#define FIRST_NS UINT64_C(20000000)
#define EACH_NS UINT64_C(1000000000)
#define AGAIN_NS UINT64_C(10000000)        /* if some thread was at work */

static struct {
    keep_head *head;
    unsigned char *half[2];
    size_t prepared[2];                     /* bytes of each that have pages */
    uint64_t start_ns, due_ns;
    uint32_t lock;
    int stopped;
    unsigned which;                         /* the half that is written, */
    size_t written;                         /* so far */
    int (*write_all)(keep_write_fn write, void *user);
    int status;
    unsigned char stack[STACK] __attribute__((aligned(64)));
} kept;

static uint64_t now_of(clockid_t clock) {
    struct timespec t;
    if (clock_gettime(clock, &t) != 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void keep_open(const char *path) {
    unsigned char *file = (unsigned char *)handover_map(path, KEEP_FILE);
    if (!file) return;
    kept.head = (keep_head *)(void *)(file + KEEP_AT);
    kept.half[0] = file + KEEP_AT + KEEP_HEAD;
    kept.half[1] = kept.half[0] + KEEP_HALF;
    if (madvise(kept.head, KEEP_HEAD, POPULATE_WRITE) != 0) {
        kept.head = NULL;
        return;
    }
    kept.head->whole = 0;                   /* another program began in this process */
    kept.start_ns = now_of(CLOCK_MONOTONIC_COARSE);
    kept.due_ns = kept.start_ns + FIRST_NS;
}

int keep_is_due(void) {
    if (!kept.head || kept.stopped) return 0;
    return now_of(CLOCK_MONOTONIC_COARSE) >= __atomic_load_n(&kept.due_ns, __ATOMIC_RELAXED);
}

static int put(void *user, const void *data, size_t size) {
    unsigned char *to = kept.half[kept.which];
    size_t end = kept.written + size, from = kept.prepared[kept.which];
    (void)user;
    if (size > KEEP_HALF - kept.written) return -1;
    if (end > from) {
        end = (end + STEP - 1) / STEP * STEP;
        if (madvise(to + from, end - from, POPULATE_WRITE) != 0) return -1;
        kept.prepared[kept.which] = end;
    }
    memcpy(to + kept.written, data, size);
    kept.written += size;
    return 0;
}

void keep_on_stack(void);
__attribute__((used)) void keep_on_stack(void) { kept.status = kept.write_all(put, NULL); }

/* Calls keep_on_stack with rsp = top. */
void keep_switch(void *top);
__asm__(".text\n"
        ".type keep_switch, @function\n"
        "keep_switch:\n"
        "    .cfi_startproc\n"
        "    push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    mov %rdi, %rsp\n"
        "    call keep_on_stack\n"
        "    mov %rbp, %rsp\n"
        "    pop %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size keep_switch, .-keep_switch\n");

static void write_half(int (*write_all)(keep_write_fn write, void *user)) {
    uint64_t began = now_of(CLOCK_MONOTONIC), cpu = now_of(CLOCK_THREAD_CPUTIME_ID);
    uint64_t wait = began - kept.start_ns, least;
    kept.which = kept.head->whole == 1;     /* the other half */
    kept.written = 0;
    kept.write_all = write_all;
    keep_switch(kept.stack + STACK);
    if (kept.status == 0) {
        kept.head->bytes[kept.which] = kept.written;
        kept.head->time_ns[kept.which] = began;
        __atomic_store_n(&kept.head->whole, kept.which + 1, __ATOMIC_RELEASE);
    }
    least = 1000 * (now_of(CLOCK_THREAD_CPUTIME_ID) - cpu);
    if (wait > EACH_NS) wait = EACH_NS;
    if (kept.status != 0) wait = AGAIN_NS;
    if (wait < least) wait = least;
    __atomic_store_n(&kept.due_ns, began + wait, __ATOMIC_RELAXED);
}

void keep(int (*write_all)(keep_write_fn write, void *user)) {
    sigset_t all, before;
    int state, saved = errno;
    uint32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&kept.lock, &nobody, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return;
    sigfillset(&all);
    if (!__atomic_load_n(&kept.stopped, __ATOMIC_SEQ_CST) && keep_is_due()
        && pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
        write_half(write_all);
        pthread_setcancelstate(state, &state);
        __atomic_store_n(&kept.lock, 0, __ATOMIC_SEQ_CST);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    } else __atomic_store_n(&kept.lock, 0, __ATOMIC_SEQ_CST);
    errno = saved;
}

/* Not for ever: some thread may have stopped in the middle of the recorder. */
void keep_last(int (*write_all)(keep_write_fn write, void *user)) {
    int wait;
    if (!kept.head) return;
    kept.status = -1;
    for (wait = 0; wait < 1000 && kept.status != 0; wait++) {
        if (wait) sched_yield();
        __atomic_store_n(&kept.due_ns, 0, __ATOMIC_RELAXED);
        keep(write_all);
    }
}

/* Not for ever: in a child that was not made by fork() nobody may be at it any
   more. */
void keep_stop(void) {
    int wait;
    __atomic_store_n(&kept.stopped, 1, __ATOMIC_SEQ_CST);
    for (wait = 0; wait < 1000000 && __atomic_load_n(&kept.lock, __ATOMIC_SEQ_CST); wait++)
        sched_yield();
}
