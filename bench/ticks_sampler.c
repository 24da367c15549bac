/* ticks_sampler.c - preloaded by bench/ticks.sh: a native sampler to compare
   ticks with. After each 4 ms of CPU time of the process it notes the
   interrupted instruction and the return addresses on the stack, found by the
   unwinding tables of program and libraries, which are right at each
   instruction. PC_SAMPLES=FILE gets them: for each sample how many there are,
   and FRAMES words. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { FRAMES = 200, WORDS = 1 << 21 };
static uint64_t words[WORDS];
static size_t used;

static void note(int number, siginfo_t *info, void *context) {
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    size_t at = __atomic_fetch_add(&used, 1 + FRAMES, __ATOMIC_RELAXED), k = 0;
    void *frames[FRAMES + 4];
    int count = backtrace(frames, FRAMES + 4), i = 0;
    (void)number;
    (void)info;
    if (at + 1 + FRAMES > WORDS) return;
    while (i < count && (uint64_t)frames[i] != (uint64_t)registers[REG_RIP]) i++;
    for (; i < count && k < FRAMES; i++) words[at + 1 + k++] = (uint64_t)frames[i];
    if (k == 0) words[at + 1 + k++] = (uint64_t)registers[REG_RIP];
    words[at] = k;
}

__attribute__((constructor)) static void begin(void) {
    struct sigaction action;
    struct sigevent event;
    struct itimerspec every = {{0, 4000000}, {0, 4000000}};
    timer_t timer;
    void *first[1];
    if (!getenv("PC_SAMPLES")) return;
    (void)backtrace(first, 1); /* loads what it needs */
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
