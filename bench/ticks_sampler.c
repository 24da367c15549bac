/* ticks_sampler.c - preloaded by bench/ticks.sh: a native sampler to compare ticks.h with. After
   each 4 ms of CPU time of the process it notes the interrupted instruction, the words on top of the
   stack and the return addresses along the frame pointers. PC_SAMPLES=FILE gets them: for each
   sample the program counter, TOP words, the number of return addresses, and these. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { TOP = 256, FRAMES = 200, WORDS = 1 << 23 };
static uint64_t words[WORDS];
static size_t used;

/* Reads words of this process, or fewer where memory ends. A frame pointer may be anything. */
static size_t peek(uint64_t *to, uint64_t from, size_t count) {
    struct iovec local = {to, count * 8}, remote = {(void *)from, count * 8};
    ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    return got < 0 ? 0 : (size_t)got / 8;
}

static void note(int number, siginfo_t *info, void *context) {
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t stack = (uint64_t)registers[REG_RSP], frame = (uint64_t)registers[REG_RBP];
    size_t at = __atomic_fetch_add(&used, 2 + TOP + FRAMES, __ATOMIC_RELAXED), frames = 0;
    uint64_t *sample = words + at, pair[2];
    (void)number;
    (void)info;
    if (at + 2 + TOP + FRAMES > WORDS) return;
    sample[0] = (uint64_t)registers[REG_RIP];
    (void)peek(sample + 1, stack, TOP);
    while (frames < FRAMES && frame >= stack && frame % 8 == 0 && peek(pair, frame, 2) == 2) {
        sample[2 + TOP + frames++] = pair[1];
        if (pair[0] <= frame) break;
        frame = pair[0];
    }
    sample[1 + TOP] = frames;
}

__attribute__((constructor)) static void begin(void) {
    struct sigaction action;
    struct sigevent event;
    struct itimerspec every = {{0, 4000000}, {0, 4000000}};
    timer_t timer;
    if (!getenv("PC_SAMPLES")) return;
    memset(&action, 0, sizeof action);
    memset(&event, 0, sizeof event);
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR2;
    if (sigaction(SIGUSR2, &action, NULL) != 0) return;
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) return;
    (void)timer_settime(timer, 0, &every, NULL);
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("PC_SAMPLES");
    FILE *out;
    signal(SIGUSR2, SIG_IGN);
    out = path ? fopen(path, "wb") : NULL;
    if (!out) return;
    fwrite(words, 8, used < WORDS ? used : WORDS, out);
    fclose(out);
}
