#!/bin/sh
# test_record_kernel.sh - how much of the time is in the kernel, and who called there: of programs that
# measure it themselves, with short calls and long ones, some time there or most, one thread and four;
# from outside, without rights, and by a timer inside. getrusage is no truth: most kernels sample it.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_kernel
needs_recorder
shown=err

# Turns of .1 to .4 ms: first so much of each in calls of the kernel, then the rest in a loop. An
# instruction or two stand between two calls in assembly, and some ten between those by `syscall`. A
# read clears 64 KB.
cat >share.c <<'P'
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
enum { THREADS = 4, ROOM = 1 << 16 };
static const char *kind;
static double part, want_ms, in_calls[THREADS], in_turns[THREADS];
static char room[THREADS][ROOM];
static int zero;
static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
__attribute__((noinline)) void loop(long n) {
    volatile long i;
    for (i = 0; i < n; i++) { }
}
#define CALL "mov $110, %%eax\n syscall\n"
__attribute__((noinline)) void calls(char *to, long n) {
    if (!strcmp(kind, "assembly"))
        for (; n > 0; n -= 8)
            __asm__ volatile(CALL CALL CALL CALL CALL CALL CALL CALL ::: "rax", "rcx", "r11", "memory");
    else if (!strcmp(kind, "short")) while (n-- > 0) syscall(SYS_getppid);
    else while (n-- > 0) if (read(zero, to, ROOM) != ROOM) exit(3);
    __asm__ volatile("" ::: "memory");
}
static double rate(int me, int is_calls) { /* of rounds in a ms */
    double begin, ms = 0;
    long n;
    for (n = 8; ms < .5; n *= 2) {
        begin = cpu_ms();
        if (is_calls) calls(room[me], n);
        else loop(n);
        ms = cpu_ms() - begin;
    }
    return (double)n / 2 / ms;
}
static void *run(void *number) {
    int me = (int)(long)number;
    unsigned random = 5 + 77 * (unsigned)me;
    double called = rate(me, 1), looped = rate(me, 0), begin, between, end = cpu_ms() + want_ms;
    while (cpu_ms() < end) {
        double ms = .1 + (double)(random >> 16 & 1023) * .3 / 1024;
        random = random * 1103515245 + 12345;
        begin = cpu_ms();
        calls(room[me], (long)(called * ms * part) + 1);
        between = cpu_ms();
        loop((long)(looped * ms * (1 - part)) + 1);
        in_calls[me] += between - begin;
        in_turns[me] += cpu_ms() - begin;
    }
    return NULL;
}
int main(int count, char **word) {
    pthread_t threads[THREADS];
    double sum = 0, all = 0;
    int n, wanted = atoi(word[3]);
    (void)count;
    kind = word[1];
    part = atof(word[2]) / 100;
    want_ms = atof(word[4]) / wanted;
    zero = open("/dev/zero", O_RDONLY);
    for (n = 1; n < wanted; n++) if (pthread_create(&threads[n], NULL, run, (void *)(long)n)) return 4;
    run(NULL);
    for (n = 1; n < wanted; n++) pthread_join(threads[n], NULL);
    for (n = 0; n < wanted; n++) sum += in_calls[n], all += in_turns[n];
    printf("%f\n", sum / all);
    return 0;
}
P
$CC -O1 -g -pthread -o share share.c || exit 2

# Is a row's total the truth? Ticks of one look count as one: Hoeffding's bound for half of the ticks
# leaves a chance below 10^-6.
is_true() { # ROW
    "$bursty" report --min 0 --csv x.brst >csv || return 1
    awk -F, -v truth="$(cat said)" -v row="$1" '
        { all += $8 }
        $9 == row { share = $5 }
        END {
            far = share > truth ? share - truth : truth - share
            printf "%s: %.3f for %.3f, %d ticks\n", row, share, truth, all
            exit !(all > 200 && far < sqrt(log(2000000) / all))
        }' csv >>err
}
# The kernel's part and that of who calls there.
from_outside() { # KIND PERCENT THREADS
    "$bursty" record --ticks 6000 -o x.brst ./share "$@" 400 >said 2>err || return 1
    grep -q 'from outside' err && is_true '(kernel)' && is_true calls
}
if may_look . stacks; then
    check "short calls, most of the time" from_outside assembly 90 1
    check "short calls, four threads" from_outside assembly 70 4
    check "short calls, a tenth of the time" from_outside assembly 10 1
    check "long calls, half of the time" from_outside long 50 1
    check "long calls, most of it, four threads" from_outside long 90 4
    "$bursty" record --ticks 6000 -o x.brst ./share short 90 1 400 >said 2>err
    check "who calls by the C library's syscall" is_true calls
    "$bursty" report --min 0 x.brst >text
    check "the way back has a row" grep -q ' (return to the program)$' text
    if command -v setpriv >/dev/null && setpriv --bounding-set=-all ./may_look . stacks 2>log; then
        setpriv --bounding-set=-all "$bursty" record --ticks 6000 -o x.brst ./share assembly 90 1 400 >said 2>err
        check "without rights" is_true '(kernel)'
    else skip "no setpriv"
    fi
else skip "this system does not allow it"
fi

inside() { # KIND
    "$bursty" record --inside -o x.brst ./share "$1" 90 1 1000 >said 2>err && is_true calls
}
check "inside: long calls" inside long
check "inside: the C library's syscall, which the recorder has, too" inside short
check "inside: none of it was the recorder" lacks err 'in the kernel' 'met the recorder'
check "inside: short calls" inside assembly
# The handler finds the thread behind a call for all that `calls` has, but for the instructions between
# two of them: 5 percent points would be five times as much as they take.
no_less() {
    awk -F, '$9 == "calls" { print int(100 * $5 + .5) }' csv >least
    sed -n 's/^in the kernel: \([0-9]*\) %.*/\1/p' err >said
    [ "$(cat said)" -ge $(($(cat least) - 5)) ]
}
check "inside: the kernel has what is found behind its calls" no_less
finish
