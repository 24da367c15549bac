/* losses.c HOW - a program of which the recorder loses something, and has to say
   so: test_record_losses.sh. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))
static volatile unsigned sum;

APART static unsigned leaf(unsigned n) {
    sum += n;
    return n * 3 + 1;
}
APART static void work(unsigned n) {
    while (n-- > 0) leaf(n);
}

/* ---- more threads than have room, all at once; and threads without memory ---- */

enum { THREADS = 300, FEW_THREADS = 12, STACK = 1 << 17 };
static pthread_barrier_t all;
static void *in_thread(void *unused) {
    pthread_barrier_wait(&all);
    work(2000);
    pthread_barrier_wait(&all);
    return unused;
}
static void start_threads(unsigned count, char *stacks) {
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    unsigned n;
    pthread_barrier_init(&all, NULL, count);
    pthread_attr_init(&attributes);
    for (n = 0; n < count; n++) {
        if (stacks) pthread_attr_setstack(&attributes, stacks + n * STACK, STACK);
        if (pthread_create(&threads[n], &attributes, in_thread, NULL) != 0) exit(1);
    }
    for (n = 0; n < count; n++) pthread_join(threads[n], NULL);
}

/* One that waits when the program ends. */
static void *parked(void *unused) {
    work(1000);
    pthread_barrier_wait(&all);
    for (;;) pause();
    return unused;
}
static void park(void) {
    pthread_t thread;
    pthread_barrier_init(&all, NULL, 2);
    if (pthread_create(&thread, NULL, parked, NULL) != 0) exit(1);
    pthread_barrier_wait(&all);
}

/* What it has now, with stacks for threads, and a little more: the program needs no
   more, and a recorder finds no room. */
static void limit_memory(void) {
    static char stacks[FEW_THREADS * STACK] __attribute__((aligned(4096)));
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1) exit(1);
    fclose(file);
    limit.rlim_cur = limit.rlim_max = 4096 * pages + (8u << 20);
    setrlimit(RLIMIT_AS, &limit);
    start_threads(FEW_THREADS, stacks);
}

/* ---- references without a check between them ---- */

#define TEN(x) x x x x x x x x x x
static volatile int words[16];
APART static int straight(void) {
    int s = 0;
    TEN(TEN(TEN(s += words[1]; s ^= words[2]; s += words[3]; s ^= words[4]; s += words[5];)))
    return s;
}

/* ---- blocks, and instructions with what they use ---- */

#define THOUSAND(n)                                       \
    APART static int thousand_##n(void) {                 \
        int s = 0;                                        \
        TEN(TEN(TEN(s += words[n];)))                     \
        return s;                                         \
    }
#define EACH(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
EACH(THOUSAND)
#define CALL(n) sum += (unsigned)thousand_##n();

static void *fill(unsigned count) {
    void **last = NULL;
    while (count-- > 0) {
        void **block = (void **)malloc(16);
        if (!block) exit(1);
        *block = last;
        last = block;
    }
    return last;
}
APART static void visit(void *first) {
    void **block;
    for (block = (void **)first; block; block = (void **)*block) sum++;
}

/* ---- more lines, instructions and rows of references than have room ---- */

enum { LINE = 64, LINES = 200000 };
static volatile char memory[LINES * LINE];
APART static void over(unsigned lines) {
    unsigned n;
    for (n = 0; n < lines; n++) memory[n * LINE]++;
}
#define COLD(n)                                              \
    APART static void cold_##n(volatile char *at) {          \
        TEN(TEN(TEN((*at)++; at += LINE;)))                  \
    }
EACH(COLD)
#define CALL_COLD(n) cold_##n(memory + n * 1000 * LINE);

/* Two threads write to the same lines, a few at a time. */
static void *in_step(void *unused) {
    enum { FEW = 500 };
    unsigned from;
    for (from = 0; from < 40000; from += FEW) {
        unsigned n, turn;
        for (turn = 0; turn < 4; turn++) {
            pthread_barrier_wait(&all);
            for (n = from; n < from + FEW; n++) memory[n * LINE]++;
        }
    }
    return unused;
}
static void together(void) {
    pthread_t other;
    pthread_barrier_init(&all, NULL, 2);
    if (pthread_create(&other, NULL, in_step, NULL) != 0) exit(1);
    in_step(NULL);
    pthread_join(other, NULL);
}

/* Forty rows of references, each again and again. */
APART static void row(volatile char *at, unsigned count) {
    while (count-- > 0) sum += (unsigned)at[count * count % 97 * LINE];
}
static void rows(void) {
    unsigned n, turn;
    for (turn = 0; turn < 50; turn++)
        for (n = 0; n < 40; n++) row(memory + n * 100 * LINE, 30);
}

/* ---- the rest ---- */

APART static unsigned deeper(unsigned n) {
    unsigned s = n ? deeper(n - 1) : leaf(1);
    return s + leaf(n);
}

static ucontext_t first, second;
static void on_its_stack(void) {
    raise(SIGUSR2);
    work(1000);
}
static void switch_stacks(void) {
    getcontext(&second);
    second.uc_stack.ss_sp = malloc(1 << 18);
    second.uc_stack.ss_size = 1 << 18;
    second.uc_link = &first;
    makecontext(&second, on_its_stack, 0);
    swapcontext(&first, &second);
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    pthread_attr_t small;
    unsigned n;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    pthread_setattr_default_np(&small);
    work(100);
    if (!strcmp(how, "threads")) start_threads(THREADS, NULL);
    else if (!strcmp(how, "memory")) limit_memory();
    else if (!strcmp(how, "straight")) for (n = 0; n < 20; n++) sum += (unsigned)straight();
    else if (!strcmp(how, "blocks")) visit(fill(1100000));
    else if (!strcmp(how, "places")) for (n = 0; n < 20; n++) { EACH(CALL) }
    else if (!strcmp(how, "parked")) park();
    else if (!strcmp(how, "lines")) over(LINES);
    else if (!strcmp(how, "cold")) { EACH(CALL_COLD) }
    else if (!strcmp(how, "together")) together();
    else if (!strcmp(how, "rows")) rows();
    else if (!strcmp(how, "deep")) sum += deeper(9000);
    else if (!strcmp(how, "switch")) switch_stacks();
    else return 77;
    puts("done");
    return 5;
}
