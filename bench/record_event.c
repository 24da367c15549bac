/* record_event.c - may `bursty record` take its ticks from perf_event_open in
   the program's own threads? A program's life with a timer of CPU time and
   with an event of the task clock, each 1000 times a second, side by side:
   record_event.sh prints it. Each case runs in a child of its own. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../src/cpu_timer.c"

enum { PERIOD_US = 1000, EXECS = 500 };

static volatile sig_atomic_t came, passed;
static char ours;

static void tick(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    came++;
    passed++;
    if (info->si_code == SI_TIMER && info->si_overrun > 0) passed += info->si_overrun;
}

/* Returns the descriptor, or -1. */
static int open_event(void) {
    struct perf_event_attr a;
    struct f_owner_ex owner;
    int event;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_TASK_CLOCK;
    a.sample_period = PERIOD_US * 1000;
    a.wakeup_events = 1;
    a.exclude_hv = 1;
    event = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0) return -1;
    owner.type = F_OWNER_TID;
    owner.pid = (pid_t)syscall(SYS_gettid);
    if (fcntl(event, F_SETOWN_EX, &owner) != 0 || fcntl(event, F_SETSIG, SIGRTMAX - 3) != 0
        || fcntl(event, F_SETFL, O_ASYNC) != 0)
        return -1;
    return event;
}

static void start(int is_event) {
    struct sigaction action;
    int number;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGRTMAX - 3, &action, NULL);
    if (is_event) {
        if (open_event() >= 0) return;
        perror("perf_event_open");
        exit(3);
    }
    number = base_p_timer_create(SIGRTMAX - 3, &ours);
    if (number < 0 || base_p_timer_start(number, PERIOD_US, 1u << 31) != 0) {
        base_p_timer_delete(number);
        exit(3);
    }
}

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void spin(double seconds) {
    double end = cpu() + seconds;
    while (cpu() < end) {
    }
}

/* ---- cases: what a child says in one line ---- */

static void rate(int is_event) {
    start(is_event);
    spin(1);
    printf("%d signals, %d ticks", (int)came, (int)passed);
}

static void block_all(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

/* A thread that blocks its signals, as workers of servers do. */
static void blocked(int is_event) {
    char line[256];
    FILE *status;
    start(is_event);
    block_all();
    spin(1);
    status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (strncmp(line, "SigQ:", 5) == 0) printf("%d signals wait", atoi(line + 5));
    }
}

/* The same for .4 s where the user may have 100 signals waiting. Then the
   program sends itself one, and takes signals again. */
static void few(int is_event) {
    struct rlimit limit = {100, 100};
    union sigval value;
    sigset_t none;
    memset(&value, 0, sizeof value);
    sigemptyset(&none);
    start(is_event);
    setrlimit(RLIMIT_SIGPENDING, &limit);
    block_all();
    spin(.4);
    printf("sigqueue: %s; it ",
           sigqueue(getpid(), SIGRTMIN, value) == 0 ? "done" : strerror(errno));
    fflush(stdout);
    signal(SIGRTMIN, SIG_IGN);
    sigprocmask(SIG_SETMASK, &none, NULL);
    printf("lives on");
}

static void exec(int is_event) {
    int n, status, killed = 0;
    for (n = 0; n < EXECS; n++) {
        pid_t child = fork();
        if (child == 0) {
            start(is_event);
            spin(.0005 + .000002 * n);
            execl("/bin/true", "true", (char *)NULL);
            _exit(127);
        }
        if (waitpid(child, &status, 0) == child && WIFSIGNALED(status)) killed++;
    }
    printf("%d of %d die by the signal", killed, EXECS);
}

static void closed(int is_event) {
    int before;
    start(is_event);
    spin(.1);
    before = (int)passed;
    (void)syscall(SYS_close_range, 3, ~0u, 0);
    spin(.5);
    printf("%d ticks in .5 s behind it", (int)passed - before);
}

static void numbers(int is_event) {
    start(is_event);
    printf("open() gives %d", open("/dev/null", O_RDONLY));
}

static const struct { const char *what; void (*run)(int is_event); } cases[] = {
    {"a second of CPU time, 1000 ticks asked for", rate},
    {"all signals blocked for a second", blocked},
    {"the same, at most 100 signals may wait", few},
    {"another program in its place (exec)", exec},
    {"it closes all descriptors but 0, 1, 2", closed},
    {"the next file that it opens", numbers},
};

static void show(void (*run)(int), int is_event) {
    int status;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        run(is_event);
        fflush(stdout);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child) exit(2);
    if (WIFSIGNALED(status)) printf("is killed: %s", strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0) exit(2);
}

int main(void) {
    size_t n;
    printf("| what the program does | a timer | an event in the program |\n|---|---|---|\n");
    for (n = 0; n < sizeof cases / sizeof *cases; n++) {
        printf("| %s | ", cases[n].what);
        show(cases[n].run, 0);
        printf(" | ");
        show(cases[n].run, 1);
        printf(" |\n");
    }
    return 0;
}
