/* calls inner 2000 middle 2000 | time inner 1 | also main print_signals | status 0 | link -rdynamic -ldl
   Prints what a program can see of itself: its backtrace, descriptors, signals,
   timers. A guest that is profiled sees the same. */
#include "world.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
KEEP unsigned inner(unsigned n);
KEEP unsigned middle(unsigned n);
KEEP void print_signals(void);

KEEP unsigned inner(unsigned n) {
    unsigned x = n;
    void *at[8];
    int got = n == 1999 ? backtrace(at, 8) : 0;
    int i;
    Dl_info found;
    for (i = 0; i < got && i < 3; i++)
        puts(dladdr(at[i], &found) && found.dli_sname ? found.dli_sname : "no name");
    ROUNDS(x, unit * 20, 1);
    return x;
}
KEEP unsigned middle(unsigned n) {
    unsigned x = inner(n);
    return x ^ start;
}
KEEP void print_signals(void) {
    struct sigaction action;
    static const int timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    struct itimerval timer;
    sigset_t blocked;
    int i;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (i = 1; i < 32; i++) {
        sigaction(i, NULL, &action);
        if (action.sa_handler != SIG_DFL || sigismember(&blocked, i)) printf("signal %d\n", i);
    }
    for (i = 0; i < 3; i++) {
        getitimer(timers[i], &timer);
        if (timer.it_value.tv_usec) printf("timer %d\n", i);
    }
    for (i = 3; i < 20; i++)
        if (fcntl(i, F_GETFD) != -1) printf("descriptor %d\n", i);
}
int main(int argc, char **argv) {
    unsigned i;
    unsigned x = 0;
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    for (i = 0; i < 2000; i++) x ^= middle(i);
    print_signals();
    printf("errno %d%s\n", errno, x == 7 ? "" : ".");
    return 0;
}
