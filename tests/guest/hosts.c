/* hosts.c HOW - a program that makes its own world an uncommon one, works on,
   prints what it got, and ends with status 7. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static volatile unsigned long calls;

APART static int leaf(int n) {
    calls++;
    return n * 3 + 1;
}
APART static int work(int n) {
    int sum = 0;
    while (n-- > 0) sum ^= leaf(n);
    return sum;
}

static void say(const char *words) {
    char line[80];
    int size = snprintf(line, sizeof line, "%s %lu\n", words, calls);
    if (write(1, line, (size_t)size) < 0 && errno != EBADF) _exit(8);
}

static void *in_thread(void *unused) {
    work(5000);
    return unused;
}
static void start_thread(void) {
    pthread_t other;
    if (pthread_create(&other, NULL, in_thread, NULL) != 0) say("no thread");
    else pthread_join(other, NULL);
}

/* ---- forbidden system calls ---- */

static void strict(void) {
    work(5000);
    say("before");
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    work(50000);
    say("strict");
    syscall(SYS_exit, 7);
}

/* Of any system call but these the program dies. */
static void filter(void) {
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), \
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_write), ALLOW(SYS_exit_group), ALLOW(SYS_rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    static struct sock_fprog program = {sizeof code / sizeof *code, code};
    work(5000);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(9);
    work(50000);
    say("filter");
    _exit(7);
}

/* ---- limits that it sets itself ---- */

static void limit(int resource, rlim_t value) {
    struct rlimit l = {value, value};
    if (setrlimit((__rlimit_resource_t)resource, &l) != 0) say("no limit");
}
static void limits(void) {
    int file;
    void *memory;
    limit(RLIMIT_NOFILE, 5);
    limit(RLIMIT_STACK, 1 << 18);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NPROC, 4096);
    limit(RLIMIT_MEMLOCK, 0);
    work(5000);
    file = open("/dev/null", O_RDONLY);
    say(file == 3 ? "descriptor 3" : "another descriptor");
    start_thread();
    memory = malloc(1 << 20);
    say(memory ? "memory" : "no memory");
    free(memory);
}

/* ---- other stacks ---- */

static ucontext_t first, second;

static void handler(int signal_number) {
    (void)signal_number;
    work(5000);
    say("handler");
}
static void aside(void) {
    work(5000);
    swapcontext(&second, &first);
    work(5000);
}
static void stacks(void) {
    static char small[1 << 14], other[1 << 16];
    struct sigaction action;
    stack_t stack;
    int n;
    memset(&action, 0, sizeof action);
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = small;
    stack.ss_size = sizeof small;
    sigaltstack(&stack, NULL);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    for (n = 0; n < 20; n++) raise(SIGUSR1);
    getcontext(&second);
    second.uc_stack.ss_sp = other;
    second.uc_stack.ss_size = sizeof other;
    second.uc_link = &first;
    makecontext(&second, aside, 0);
    swapcontext(&first, &second);
    say("first");
    swapcontext(&first, &second);
    say("second");
    start_thread();
}

/* ---- descriptors ---- */

static void closes(void) {
    int n, file;
    work(5000);
    say("before");
    for (n = 0; n < 3; n++) close(n);
    work(5000);
    file = open("opened", O_RDWR | O_CREAT | O_TRUNC, 0600);
    n = dup(file);
    dprintf(file, "%d %d %lu\n", file, n, calls);
    start_thread();
}

/* ---- whoever starts it decides ---- */

static void plain(void) {
    char *memory = (char *)malloc(1000);
    work(5000);
    say(memory ? "works" : "no memory");
    free(memory);
    printf("%s\n", getenv("GLIBC_TUNABLES") ? getenv("GLIBC_TUNABLES") : "no tunables");
    printf("%s\n", getpid() < 10 ? "alone" : "one of many");
    start_thread();
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    if (!strcmp(how, "strict")) strict();
    else if (!strcmp(how, "filter")) filter();
    else if (!strcmp(how, "limits")) limits();
    else if (!strcmp(how, "stacks")) stacks();
    else if (!strcmp(how, "closes")) closes();
    else plain();
    return 7;
}
