/* count.c - counts the instructions that each function of forms.c executes,
   from its entry to its return, and prints

       form <tab> instructions without a check <tab> with one

   and for a loop the instructions of one iteration. A child runs the function,
   and its parent lets it go on step by step (ptrace). x86-64 Linux. Exit status
   3: no process may be traced here. */
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "forms.h"
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT = 48, LONG = 80 };               /* iterations; a loop is judged by the difference */

const int numbers[LONG + 1];
static int out[8];
static const double reals[LONG];
static volatile double sink;

int callee(int x) { return x ^ 1; }

#define RUN(prefix) \
    static void run_##prefix(int form, int n) { \
        switch (form) { \
        case 0: sink = prefix##_six(n, 2, 3, 4, 5, 6); break; \
        case 1: sink = prefix##_six_dual(n, 2, 3, 4, 5, 6); break; \
        case 2: sink = prefix##_six_scope(n, 2, 3, 4, 5, 6); break; \
        case 3: sink = prefix##_doubles(n, 2, reals); break; \
        case 4: sink = prefix##_caller(n, 2, 3); break; \
        case 5: sink = prefix##_early_exit(1); break; \
        case 6: sink = prefix##_early_exit(2); break; \
        case 7: sink = prefix##_below(1); break; \
        case 8: sink = prefix##_below(2); break; \
        case 9: sink = prefix##_six_by_hand(n, 2, 3, 4, 5, 6); break; \
        case 10: sink = prefix##_six_check(n, 2, 3, 4, 5, 6); break; \
        case 11: sink = prefix##_six_point(n, 2, 3, 4, 5, 6); break; \
        case 12: sink = prefix##_six_event(n, 2, 3, 4, 5, 6); break; \
        case 13: sink = (double)prefix##_behind_loop(numbers, numbers + n, 3); break; \
        case 14: sink = prefix##_behind_call(n, 2); break; \
        case 15: sink = (double)prefix##_loop(numbers, numbers + n, 3); break; \
        case 16: sink = (double)prefix##_loop_of_events(numbers, numbers + n, 3); break; \
        case 17: prefix##_loop_of_stores(numbers, numbers + n, out); break; \
        case 18: prefix##_loop_of_two_events(numbers, numbers + n, out); break; \
        case 19: sink = prefix##_loop_of_doubles(reals, n, 3); break; \
        default: sink = prefix##_unrolled(reals, n, 3); break; \
        } \
    } \
    static uintptr_t entry_of_##prefix(int form) { \
        switch (form) { \
        case 0: return (uintptr_t)prefix##_six; \
        case 1: return (uintptr_t)prefix##_six_dual; \
        case 2: return (uintptr_t)prefix##_six_scope; \
        case 3: return (uintptr_t)prefix##_doubles; \
        case 4: return (uintptr_t)prefix##_caller; \
        case 5: case 6: return (uintptr_t)prefix##_early_exit; \
        case 7: case 8: return (uintptr_t)prefix##_below; \
        case 9: return (uintptr_t)prefix##_six_by_hand; \
        case 10: return (uintptr_t)prefix##_six_check; \
        case 11: return (uintptr_t)prefix##_six_point; \
        case 12: return (uintptr_t)prefix##_six_event; \
        case 13: return (uintptr_t)prefix##_behind_loop; \
        case 14: return (uintptr_t)prefix##_behind_call; \
        case 15: return (uintptr_t)prefix##_loop; \
        case 16: return (uintptr_t)prefix##_loop_of_events; \
        case 17: return (uintptr_t)prefix##_loop_of_stores; \
        case 18: return (uintptr_t)prefix##_loop_of_two_events; \
        case 19: return (uintptr_t)prefix##_loop_of_doubles; \
        default: return (uintptr_t)prefix##_unrolled; \
        } \
    }
RUN(plain)
RUN(checked)

static const char *const names[] = {
    "six live arguments", "six live arguments, dual path", "six live arguments, scope",
    "double arguments", "caller of another function", "early exit, taken",
    "early exit, two calls behind it", "check below the early exit, taken",
    "check below the early exit, two calls behind it",
    "six live arguments, check by hand", "six live arguments, check as a statement",
    "six live arguments, point", "six live arguments, event without a check",
    "dual path, event behind a loop", "dual path, event behind a call",
    "loop with four live values, an iteration",
    "loop in two copies, an event, an iteration",
    "loop in two copies, an event and a store, an iteration",
    "loop in two copies, two events and stores, an iteration",
    "loop of doubles, an iteration",
    "loop of doubles that is unrolled by a pragma, an iteration"
};
enum { FORMS_COUNT = 21, FIRST_LOOP = 15 };

static uintptr_t peek(pid_t child, size_t where) {
    return (uintptr_t)ptrace(PTRACE_PEEKUSER, child, (void *)where, NULL);
}
#define PC(child) peek(child, offsetof(struct user, regs.rip))
#define SP(child) peek(child, offsetof(struct user, regs.rsp))

/* One instruction of the child. Returns 0 when it has ended. */
static int step(pid_t child) {
    int status;
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child) {
        exit(3);
    }
    return WIFSTOPPED(status);
}

static long count(void (*run)(int, int), uintptr_t entry, int form, int n) {
    long steps = 0;
    uintptr_t back, top;
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
            _exit(3);
        }
        raise(SIGSTOP);
        run(form, n);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        exit(3);
    }
    while (PC(child) != entry) {
        if (!step(child)) {
            exit(3);
        }
    }
    top = SP(child);
    back = (uintptr_t)ptrace(PTRACE_PEEKDATA, child, (void *)top, NULL);
    while (PC(child) != back || SP(child) != top + 8) {
        if (!step(child)) {
            exit(3);
        }
        steps++;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return steps;
}

static double instructions(void (*run)(int, int), uintptr_t entry, int form) {
    long first = count(run, entry, form, SHORT);
    if (form < FIRST_LOOP) {
        return (double)first;
    }
    return (double)(count(run, entry, form, LONG) - first) / (LONG - SHORT);
}

int main(void) {
    bursty_config config;
    int form;
    memset(&config, 0, sizeof config);
    config.profile.off = 1;
    config.tick_hz = -1; /* a tick would be counted, too */
    bursty_start(&config);
    (void)BURST_CHECK();                    /* the thread joins; what follows takes the fast path */
    for (form = 0; form < FORMS_COUNT; form++) {
        double plain = instructions(run_plain, entry_of_plain(form), form);
        double checked = instructions(run_checked, entry_of_checked(form), form);
        printf("%s\t%.4g\t%.4g\n", names[form], plain, checked);
    }
    return 0;
}
