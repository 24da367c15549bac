/* broken.c - a program deep in its stack that a timer interrupts faster than the
   recorder prepares a burst there. Prints the calls of the leaves, leaf and handler:
   test_record_losses.sh. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define APART __attribute__((noinline))
enum { DEEP = 2000, INTERRUPTS = 1000 };

static volatile long calls, interrupts;

APART static int leaf(int n) {
    calls++;
    return n * 3 + 1;
}
APART static int work(int n) {
    int sum = 0;
    while (n-- > 0) sum ^= leaf(n);
    return sum;
}
APART static int deeper(int n) {
    int sum = 0;
    if (n) return deeper(n - 1) ^ work(1);
    while (interrupts < INTERRUPTS) sum ^= work(50);
    return sum;
}

static void handler(int number) {
    (void)number;
    interrupts++;
}

int main(void) {
    struct sigaction action;
    struct itimerval timer;
    int sum;
    memset(&action, 0, sizeof action);
    memset(&timer, 0, sizeof timer);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    timer.it_interval.tv_usec = timer.it_value.tv_usec = 20;
    setitimer(ITIMER_REAL, &timer, NULL);
    sum = deeper(DEEP);
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%ld\n", calls + interrupts);
    return sum == 7 ? 1 : 5;
}
