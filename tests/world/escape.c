/* calls leaf ? | also main work jump | counts itself | status 0
   A timer's handler leaves by siglongjmp, 50 times; then there are 300 000
   calls more. The program counts, and says so. */
#include "world.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
static sigjmp_buf again;
static volatile sig_atomic_t jumps;
static volatile long calls;
KEEP unsigned leaf(unsigned n);
KEEP unsigned work(unsigned n);

KEEP unsigned leaf(unsigned n) {
    calls++;
    return n * 3 + start;
}
KEEP unsigned work(unsigned n) {
    unsigned i;
    unsigned x = 0;
    for (i = 0; i < n; i++) x ^= leaf(i);
    return x;
}
static void jump(int signal) {
    (void)signal;
    jumps++;
    siglongjmp(again, 1);
}
int main(void) {
    struct sigaction action;
    struct itimerval timer;
    volatile unsigned i;
    memset(&action, 0, sizeof action);
    memset(&timer, 0, sizeof timer);
    action.sa_handler = jump;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGALRM, &action, NULL);
    timer.it_interval.tv_usec = timer.it_value.tv_usec = 2000;
    sigsetjmp(again, 1);
    if (jumps < 50) {
        setitimer(ITIMER_REAL, &timer, NULL);
        for (;;) work(50);
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (i = 0; i < 3000; i++) work(100);
    fprintf(stderr, "answer: leaf %ld\n", calls);
    puts("50 jumps");
    return 0;
}
