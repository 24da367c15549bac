/* may_look.c - ends with 0 if this system lets a process count another one's CPU
   time by perf_event_open, and with 1 if not. With an argument: and hands out
   stacks and registers. The tests of `bursty top` and `record -p` ask it what they
   may skip. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct perf_event_attr a;
    pid_t child = fork();
    int event;
    (void)argv;
    if (child == 0) {
        pause();
        _exit(0);
    }
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_TASK_CLOCK;
    a.sample_period = 1000000;
    a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
    if (argc > 1) {
        a.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        a.sample_regs_user = 1 << 8; /* the instruction pointer of x86 */
        a.sample_stack_user = 8192;
    }
    a.exclude_kernel = 1;
    a.exclude_hv = 1;
    event = (int)syscall(SYS_perf_event_open, &a, child, -1, -1, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return event < 0;
}
