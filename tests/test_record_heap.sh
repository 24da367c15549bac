#!/bin/sh
# test_record_heap.sh - `bursty record --misses` follows the heap: of programs whose threads come and
# go, that fork in the middle of malloc, that leave malloc by a signal, and whose realloc fails.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_heap
needs_recorder

cat >heap.c <<'P'
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int ended;
static volatile long sum;

static void allocate(int most) {
    void *blocks[64] = {0};
    int n;
    for (n = 0; n < most && !ended; n++) {
        free(blocks[n % 64]);
        blocks[n % 64] = malloc(16 + (size_t)n * 37 % 3000);
    }
    for (n = 0; n < 64; n++) free(blocks[n]);
}

static void *busy(void *argument) {
    (void)argument;
    allocate(1 << 30);
    return NULL;
}

/* Its children allocate, whatever the other threads did at the fork. */
static int forks(void) {
    pthread_t threads[3];
    int n, status, bad = 0;
    for (n = 0; n < 3; n++) pthread_create(&threads[n], NULL, busy, NULL);
    for (n = 0; n < 25 && !bad; n++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(300);
            allocate(500);
            _exit(7);
        }
        waitpid(child, &status, 0);
        bad = status != 7 << 8;
    }
    ended = 1;
    for (n = 0; n < 3; n++) pthread_join(threads[n], NULL);
    printf("%d children\n", n);
    return bad;
}

static void *brief(void *argument) {
    (void)argument;
    allocate(200);
    return NULL;
}

/* Do 600 threads leave more than 40 MiB behind? */
static int threads(void) {
    struct rusage before, after;
    pthread_t all[4];
    int n, k;
    for (n = 0; n < 150; n++) {
        for (k = 0; k < 4; k++) pthread_create(&all[k], NULL, brief, NULL);
        for (k = 0; k < 4; k++) pthread_join(all[k], NULL);
        if (n == 10) getrusage(RUSAGE_SELF, &before);
    }
    getrusage(RUSAGE_SELF, &after);
    return (after.ru_maxrss - before.ru_maxrss) / 1024 > 40;
}

__attribute__((noinline)) static void touch(volatile char *data, size_t size) {
    size_t n;
    for (n = 0; n < size; n += 64) data[n]++;
}

static void *on_stack(void *size) {
    char room[1 << 20];
    memset(room, 0, 1);
    touch(room, size ? sizeof room : 64);
    sum += room[0];
    return NULL;
}

/* The second thread has another stack, and what the first one has left. */
static int stacks(void) {
    pthread_t one;
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, (size_t)64 << 20);
    pthread_create(&one, NULL, on_stack, NULL);
    pthread_join(one, NULL);
    pthread_create(&one, &large, on_stack, &one);
    pthread_join(one, NULL);
    return 0;
}

static sigjmp_buf out;

static void leave(int number) {
    (void)number;
    siglongjmp(out, 1);
}

/* A timer interrupts malloc, again and again, and does not return to it. The C
   library holds no lock here: one thread runs. */
static int jumps(void) {
    struct itimerval often = {{0, 997}, {0, 997}}, never = {{0, 0}, {0, 0}};
    pthread_t other;
    volatile int n = 0;
    signal(SIGALRM, leave);
    setitimer(ITIMER_REAL, &often, NULL);
    if (sigsetjmp(out, 1)) n++;
    while (n < 100) free(calloc(1, 24)), sum++;
    setitimer(ITIMER_REAL, &never, NULL);
    alarm(300);
    signal(SIGALRM, SIG_DFL);
    pthread_create(&other, NULL, brief, NULL);
    pthread_join(other, NULL);
    return 0;
}

/* A block that could not be made larger is where it was, and whose it was. */
__attribute__((noinline)) static char *make(size_t size) {
    char *block = (char *)malloc(size);
    __asm__ volatile("" : "+r"(block)); /* no jump into malloc instead of a call */
    return block;
}

static int fails(void) {
    size_t size = 1 << 20, most = SIZE_MAX / 4;
    char *block = make(size), *other;
    int n;
    other = (char *)realloc(block, most);
    for (n = 0; n < 20000; n++) free(malloc(100));
    touch(block, size);
    sum += block[0] + (other != NULL);
    return other != NULL;
}

/* Threads that are asked to be cancelled, and call nothing that could do it. */
static void *spin(void *argument) {
    (void)argument;
    for (;;) touch((volatile char *)&sum, 1);
    return NULL;
}

static int cancels(void) {
    struct timespec pause = {0, 1000000};
    pthread_t thread;
    int n, status;
    alarm(300);
    for (n = 0; n < 8; n++) {
        pid_t child;
        pthread_create(&thread, NULL, spin, NULL);
        pthread_cancel(thread);
        nanosleep(&pause, NULL);
        child = fork();
        if (child == 0) _exit(0);
        waitpid(child, &status, 0);
    }
    for (n = 0; n < 200; n++) nanosleep(&pause, NULL);
    n = pthread_tryjoin_np(thread, NULL) != EBUSY;      /* the last one goes on */
    _exit(n ? 3 : 0);
}

/* Two that call make() from as deep in the stack. */
__attribute__((noinline)) static void left_one(void) {
    char *block = make(1 << 20);
    touch(block, 1 << 20);
    free(block);
    sum += 1;
}

__attribute__((noinline)) static void right_one(void) {
    char *block = make(1 << 20);
    touch(block, 1 << 20);
    free(block);
    sum += 2;
}

__attribute__((noinline)) static void zeros(void) {
    char *block = (char *)calloc(1 << 14, 64);
    touch(block, 1 << 20);
    free(block);
    sum += 3;
}

static int callers(void) {
    left_one();
    right_one();
    zeros();
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    switch (argv[1][0]) {
    case 'f': return forks();
    case 't': return threads();
    case 's': return stacks();
    case 'j': return jumps();
    case 'r': return fails();
    case 'b': return callers();
    case 'c': return cancels();
    default: return 2;
    }
}
P
$CC -O1 -pthread -o heap heap.c || exit 2

run() { # MODE OPTION...
    mode=$1
    shift
    rm -f x.brst*
    "$bursty" record --quiet --misses "$@" -o x.brst ./heap "$mode" >got 2>err && [ ! -s err ]
}
# How many misses at the smallest cache are of an object.
misses_of() { # PATTERN
    "$bursty" report --csv x.brst | awk -F, -v wanted="$1" '
        /^#/ { on = /^# miss_objects:/ && !seen; seen += on }
        on && $NF ~ wanted { sum += $4 }
        END { print sum + 0 }'
}
check "children of a program whose threads are in malloc" run forks
check "the same with --follow" run forks --follow
check "each child has a file" [ "$(ls x.brst.* | wc -l)" = 25 ]
check "600 threads leave hardly any memory behind" run threads
check "with bursts that begin at once" run threads --every 0
check "stacks of threads" run stacks --every 0
check "of a later thread, too: $(misses_of stack)" [ "$(misses_of stack)" -ge 12000 ]
check "threads that cannot be cancelled go on" run cancels --every 1000 --burst 1000
check "a program that leaves malloc by siglongjmp" run jumps
check "a realloc that fails" run realloc --every 0
check "its block is known: $(misses_of make)" [ "$(misses_of make)" -ge 12000 ]
check "two callers of one function" run both --every 0
check "the first: $(misses_of left_one)" [ "$(misses_of 'make < left_one')" -ge 12000 ]
check "calloc: $(misses_of zeros)" [ "$(misses_of 'zeros < ')" -ge 12000 ]
check "the second: $(misses_of right_one)" [ "$(misses_of 'make < right_one')" -ge 12000 ]
finish
