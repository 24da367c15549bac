/* steps.c HANDLER SIGNAL SIGNALS SEED - a program that is stopped at each
   instruction, and gets a signal there: test_record_steps.sh.

       HANDLER  returns   and does nothing
                calls     calls what the program calls, and returns
                jumps     the same, and leaves by siglongjmp
                throws    the same, and leaves by an exception: compiled as C++ with
                          -fnon-call-exceptions
                forks     the same; a child ends by _exit, exit, exec or abort, in turn
                ends      returns; the signals come while the process ends
                leaves    _exit, exit, quick_exit, exec or abort, by SEED; there is one signal

   The tracer is the same program, started by it: it steps from mark to mark,
   and sends SIGNALS signals. A signal that is blocked is not stepped to: until
   it is delivered nothing else can be. Behind a jump the next signal comes
   after some steps, by chance.

   Prints how many calls of leaf were begun, and how many came as far as to count
   themselves; between them stand those that a jump has left in between. And how
   many signals came, and at how many different places. Ends with 3, or 4: a child
   ended as it should not. */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))
enum { BEGIN = 0x51ed0001, HANDLED, FINISHED };

/* ---- the program ---- */

static sigjmp_buf again;
static volatile long begun, counted, handled, jumped;
static int how, seed, wrong;
#define INCREASE(x) __asm__ volatile("incq %0" : "+m"(x))

static void mark(int what) { __asm__ volatile("int3" : : "a"(what) : "memory"); }

APART static int leaf(int n) {
    INCREASE(counted);
    return n * 3 + 1;
}
APART static int work(int n) {
    int sum = 0, i;
    for (i = 0; i < n; i++) {
        INCREASE(begun);
        sum += leaf(i);
    }
    return sum;
}
APART static int deeper(int depth) {
    int sum = depth ? deeper(depth - 1) : work(40);
    return sum + work(1);
}

/* By another way each time. */
enum { WAYS = 5, LEFT = 9 };
static void leave(int turn) {
    static char name[] = "steps", *words[] = {name, NULL}, *nothing[] = {NULL};
    if (turn % WAYS == 0) _exit(LEFT);
    if (turn % WAYS == 1) exit(LEFT);
    if (turn % WAYS == 2) quick_exit(LEFT);
    if (turn % WAYS == 3) execve("/proc/self/exe", words, nothing);
    abort();
}
static void fork_one(void) {
    const int turn = (int)handled;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        work(2);
        leave(turn);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) wrong++;
    else if (turn % WAYS == 3) wrong += !WIFEXITED(status) || WEXITSTATUS(status) != 77;
    else if (turn % WAYS == 4) wrong += !WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT;
    else wrong += !WIFEXITED(status) || WEXITSTATUS(status) != LEFT;
}

/* From the first mark on an exception finds its way from each instruction. */
#ifdef __cplusplus
static void throw_one(void) {
    INCREASE(jumped);
    throw 1;
}
static void catch_all(long most) {
    void *volatile room = __builtin_alloca((size_t)most);   /* by rbp, the others by rsp */
    (void)room;
    for (;;) {
        try {
            mark(BEGIN);
            while (jumped < most) deeper(jumped % 2 ? 20 : 2);
            return;
        } catch (int) {
        }
    }
}
#else
static void throw_one(void) { }
static void catch_all(long most) { (void)most; }
#endif

APART static void handler(int number) {
    (void)number;
    INCREASE(handled);
    if (how != 'r' && how != 'e') work(3);
    if (how == 'j') {
        INCREASE(jumped);
        siglongjmp(again, 1);
    }
    if (how == 't') throw_one();
    if (how == 'f') fork_one();
    if (how == 'l') {
        printf("%ld %ld 1 0\n", begun, counted);
        fflush(stdout);
        leave((int)handled + seed);
    }
    mark(HANDLED);
}

static void start_tracer(char **arguments) {
    int ready[2];
    char pid[24], file[24], byte, *words[8];
    char *nothing[] = {NULL};
    if (pipe(ready) != 0) exit(1);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    snprintf(file, sizeof file, "%d", ready[1]);
    memcpy(words, arguments, 5 * sizeof *words);
    words[5] = pid;
    words[6] = file;
    words[7] = NULL;
    if (vfork() == 0) {
        execve("/proc/self/exe", words, nothing);
        _exit(1);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) exit(1);
    close(ready[0]);
}

/* ---- the tracer ---- */

enum { PLACES = 1 << 18 };
static pid_t traced;
static struct user_regs_struct now;
static unsigned long seen[PLACES];
static long places;
static unsigned random_state;

static unsigned draw(unsigned below) {
    random_state = random_state * 1664525 + 1013904223;
    return (unsigned)((random_state >> 8) * (unsigned long)below >> 24);
}

/* Goes on, with a signal, and waits. Returns the signal that it stopped for, or
   0: it has ended. A pushf that is stepped over pushes the flag that makes the
   processor step, and popf would set it when nobody steps. */
static int go(enum __ptrace_request request, int number) {
    int status, pushes = 0;
    if (request == PTRACE_SINGLESTEP)
        pushes = (ptrace(PTRACE_PEEKTEXT, traced, now.rip, 0) & 0xFF) == 0x9C;
    if (ptrace(request, traced, 0, number) != 0) return 0;
    do {
        if (waitpid(traced, &status, __WALL) != traced || !WIFSTOPPED(status)) return 0;
    } while (status >> 16 && ptrace(PTRACE_CONT, traced, 0, 0) == 0);
    ptrace(PTRACE_GETREGS, traced, 0, &now);
    if (pushes) {
        long flags = ptrace(PTRACE_PEEKDATA, traced, now.rsp, 0);
        ptrace(PTRACE_POKEDATA, traced, now.rsp, flags & ~0x100L);
    }
    return WSTOPSIG(status);
}
static int is_marked(int stopped, int what) {
    siginfo_t about;
    return stopped == SIGTRAP && (int)now.rax == what
           && ptrace(PTRACE_GETSIGINFO, traced, 0, &about) == 0 && about.si_code == SI_KERNEL;
}

static void note_place(unsigned long at) {
    unsigned long n = at * 0x9E3779B97F4A7C15u >> 46;
    while (seen[n] && seen[n] != at) n = (n + 1) % PLACES;
    if (!seen[n] && places < PLACES / 2) {
        seen[n] = at;
        places++;
    }
}

/* Runs until `what` or the end, whatever it gets. */
static int until(int stopped, int what) {
    while (stopped && !is_marked(stopped, what) && !is_marked(stopped, FINISHED))
        stopped = go(PTRACE_CONT, stopped == SIGTRAP ? 0 : stopped);
    return stopped;
}

/* Sends the signal, and sees it handled. Returns what go returns: it stands
   where it was interrupted, or behind BEGIN. */
static int interrupt(int number, int mode) {
    const int leaves = mode == 'j' || mode == 't';
    struct user_regs_struct at;
    int stopped;
    if (syscall(SYS_tgkill, traced, traced, number) != 0) return 0;
    stopped = go(PTRACE_SINGLESTEP, 0);
    while (stopped && stopped != number) stopped = go(PTRACE_CONT, stopped == SIGTRAP ? 0 : stopped);
    at = now;
    note_place(at.rip);
    if (!stopped) return 0;
    stopped = until(go(PTRACE_CONT, number), leaves ? BEGIN : HANDLED);
    while (stopped && !leaves && (now.rip != at.rip || now.rsp != at.rsp))
        stopped = go(PTRACE_SINGLESTEP, 0);
    return stopped;
}

static int trace(char **arguments) {
    int mode = arguments[1][0], number = atoi(arguments[2]), stopped, status;
    long left = atol(arguments[3]), steps;
    random_state = (unsigned)atoi(arguments[4]) * 2654435761u;
    traced = (pid_t)atol(arguments[5]);
    if (ptrace(PTRACE_SEIZE, traced, 0, PTRACE_O_EXITKILL) != 0) return 1;
    if (ptrace(PTRACE_INTERRUPT, traced, 0, 0) != 0) return 1;
    if (waitpid(traced, &status, __WALL) != traced) return 1;
    if (write(atoi(arguments[6]), "", 1) != 1) return 1;
    close(atoi(arguments[6]));
    stopped = until(go(PTRACE_CONT, 0), BEGIN);
    while (stopped && left > 0 && !is_marked(stopped, FINISHED)) {
        steps = mode == 'j' || mode == 't' ? 1 + draw(1u << draw(11))
                : mode == 'e' ? 1 + draw(50) : mode == 'l' ? 1 + draw(16u << draw(11)) : 1;
        while (stopped && steps-- > 0 && !is_marked(stopped, FINISHED))
            stopped = go(PTRACE_SINGLESTEP, stopped == SIGTRAP ? 0 : stopped);
        if (!stopped || is_marked(stopped, FINISHED)) break;
        stopped = interrupt(number, mode);
        left--;
    }
    if (mode != 'e' && mode != 'l') {
        stopped = until(stopped, FINISHED);
        now.rax = (unsigned long)places;
        if (stopped) ptrace(PTRACE_SETREGS, traced, 0, &now);
    }
    ptrace(PTRACE_DETACH, traced, 0, 0);
    return 0;
}

/* ---- both ---- */

int main(int count, char **arguments) {
    struct sigaction action;
    int n;
    long places_seen = 0, most;
    if (count == 7) return trace(arguments);
    if (count != 5) return 77;
    how = arguments[1][0];
    seed = atoi(arguments[4]);
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_NODEFER;
    sigaction(atoi(arguments[2]), &action, NULL);
    start_tracer(arguments);
    if (how == 'e') {
        work(1000);
        printf("%ld %ld\n", begun, counted);
        fflush(stdout);
        mark(BEGIN);
        return 3;
    }
    if (how == 'l') deeper(2); /* later is all as it will be */
    most = atol(arguments[3]);
    if (how == 't') catch_all(most);
    else {
        sigsetjmp(again, 1);
        mark(BEGIN);
    }
    for (n = 0; n < 5 && jumped < most; n++) deeper(jumped % 2 ? 20 : 2);
    __asm__ volatile("int3" : "=a"(places_seen) : "a"(FINISHED) : "memory");
    printf("%ld %ld %ld %ld\n", begun, counted, handled, places_seen);
    return wrong ? 4 : 3;
}
