/* jumps.c [JUMPS MICROSECONDS] - a program whose signal handlers leave by
   siglongjmp, from wherever they come. Prints how many calls of leaf there were,
   and how many jumps: each may have left one call that is not counted here. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define APART __attribute__((noinline))

static sigjmp_buf again;
static volatile sig_atomic_t jumps;
static volatile long calls;
static volatile int wanted = 400;

APART static int leaf(int n) {
    calls++;
    return n * 3 + 1;
}
APART static int work(int n) {
    int sum = 0, i;
    for (i = 0; i < n; i++) sum += leaf(i);
    return sum;
}

/* Every second one from a deeper place than the one before. */
APART static void deeper(int depth) {
    if (wanted < 0) return;
    if (depth > 0) deeper(depth - 1);
    else
        for (;;) work(50);
    work(1);
}

APART static void jump(int signal_number) {
    (void)signal_number;
    jumps++;
    work(2);
    siglongjmp(again, 1);
}

int main(int count, char **arguments) {
    int us = count > 2 ? atoi(arguments[2]) : 100, i;
    struct sigaction action;
    struct itimerval timer;
    if (count > 1) wanted = atoi(arguments[1]);
    memset(&action, 0, sizeof action);
    memset(&timer, 0, sizeof timer);
    action.sa_handler = jump;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGALRM, &action, NULL);
    timer.it_interval.tv_usec = timer.it_value.tv_usec = us;
    sigsetjmp(again, 1);
    if (jumps < wanted) {
        setitimer(ITIMER_REAL, &timer, NULL);
        deeper(jumps % 2 ? 40 : 2);
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (i = 0; i < 3000; i++) work(100);
    printf("%ld %d\n", calls, (int)jumps);
    return 3;
}
