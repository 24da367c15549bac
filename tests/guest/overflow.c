/* overflow.c [plainly] - its stack is full 50 times, and a handler on another
   stack leaves by siglongjmp each time; "plainly": without the signal mask, which
   it does not need. Prints what it is left with, and how many calls there were. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define APART __attribute__((noinline))

static sigjmp_buf again;
static volatile int times, zero;
static volatile long calls;
static char other_stack[65536];

APART static int leaf(int n) {
    calls++;
    return n * 3 + 1;
}
APART static int deeper(int n) {
    volatile char room[16];
    calls++;
    room[0] = (char)n;
    if (n < zero) return 0;
    return deeper(n + 1) + leaf(room[0]);
}

static void full(int signal_number) {
    (void)signal_number;
    times++;
    siglongjmp(again, 1);
}

int main(int count, char **arguments) {
    volatile int n, sum = 0;
    struct sigaction action;
    stack_t stack;
    sigset_t blocked;
    (void)arguments;
    memset(&action, 0, sizeof action);
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = other_stack;
    stack.ss_size = sizeof other_stack;
    sigaltstack(&stack, NULL);
    action.sa_handler = full;
    action.sa_flags = SA_ONSTACK | (count > 1 ? SA_NODEFER : 0);
    sigaction(SIGSEGV, &action, NULL);
    sigsetjmp(again, count == 1);
    if (times < 50) deeper(0);
    for (n = 0; n < 30000; n++) sum += leaf(n);
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    printf("%d times, blocked: %d %d\n", times, sigismember(&blocked, SIGALRM),
           sigismember(&blocked, SIGSEGV));
    fprintf(stderr, "%ld\n", calls);
    return sum == 7 ? 1 : 6;
}
