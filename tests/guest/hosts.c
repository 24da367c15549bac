/* hosts.c HOW - a program that makes its own world an uncommon one, works on,
   prints what it got, and ends with status 7. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/* All at once, and again when there is nothing left but what it opens then. */
static void closes_range(void) {
    int file;
    work(5000);
    syscall(SYS_close_range, 3, ~0u, 0);
    work(5000);
    say("others");
    syscall(SYS_close_range, 0, ~0u, 0);
    work(5000);
    file = open("opened", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dprintf(file, "%d %lu\n", file, calls);
}

/* ---- children of all kinds ---- */

static int ended_with(pid_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
/* No files, no other process, a small stack: fork fails for who is not root. */
static void nothing_left(void) {
    pid_t child;
    int n;
    work(1000);
    for (n = 3; n < 64; n++) close(n);
    limit(RLIMIT_NOFILE, 3);
    limit(RLIMIT_NPROC, 1);
    limit(RLIMIT_STACK, 1 << 16);
    work(5000);
    say(open("/dev/null", O_RDONLY) < 0 ? "no file" : "a file");
    child = fork();
    if (child == 0) {
        work(100);
        _exit(2);
    }
    say(child < 0 ? "no child" : ended_with(child) == 2 ? "a child" : "a lost child");
}
/* On the stack of handlers, before and behind a filter of system calls. */
static void vfork_there(int signal_number) {
    pid_t child;
    (void)signal_number;
    work(2000);
    child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
        _exit(3);
    }
    say(ended_with(child) == 6 ? "child" : "no child");
}
static void vforks(void) {
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    static struct sock_fprog program = {sizeof code / sizeof *code, code};
    static char small[1 << 16];
    struct sigaction action;
    stack_t stack;
    int n;
    memset(&action, 0, sizeof action);
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = small;
    stack.ss_size = sizeof small;
    sigaltstack(&stack, NULL);
    action.sa_handler = vfork_there;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    for (n = 0; n < 3; n++) raise(SIGUSR1);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(9);
    for (n = 0; n < 3; n++) raise(SIGUSR1);
}
/* A process in the same memory, which is no thread. */
static int in_clone(void *unused) {
    (void)unused;
    work(3000);
    return 6;
}
static void clones(void) {
    static char room[1 << 18] __attribute__((aligned(64)));
    int n;
    for (n = 0; n < 3; n++) {
        int flags = CLONE_VM | (n == 1 ? CLONE_FS | CLONE_FILES : 0) | SIGCHLD;
        pid_t child;
        work(2000);
        child = clone(in_clone, room + sizeof room, flags, NULL);
        say(ended_with(child) == 6 ? "clone" : "no clone");
    }
}
static void daemons(void) {
    char got = 0;
    int ends[2];
    if (pipe(ends) != 0) _exit(9);
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            work(2000);
            if (daemon(1, 1) != 0) _exit(9);
            work(2000);
            if (write(ends[1], "x", 1) != 1) _exit(9);
        }
        _exit(0);
    }
    wait(NULL);
    close(ends[1]);
    say(read(ends[0], &got, 1) == 1 && got == 'x' ? "daemon" : "no daemon");
    work(1000);
}
/* It starts itself again, with an environment of its own. */
static void again(char **arguments) {
    static char word[] = "AGAIN=1", *mine[] = {word, NULL};
    work(2000);
    if (getenv("AGAIN")) {
        say(environ[1] ? "more" : "again");
        return;
    }
    say("first");
    execve("/proc/self/exe", arguments, mine);
    say("no exec");
}

/* ---- threads and jumps ---- */

static void *turns(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) work(100);
    return unused;
}
static void cancels(void) {
    int n, cancelled = 0;
    for (n = 0; n < 50; n++) {
        pthread_t thread;
        void *result = NULL;
        pthread_create(&thread, NULL, turns, NULL);
        usleep((useconds_t)(200 + n * 37 % 500));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    calls = (unsigned long)cancelled;
    say("cancelled");
}
/* Each of four threads opens and closes a library, again and again, and calls it. */
static void *plugs(void *unused) {
    int n;
    for (n = 0; n < 100; n++) {
        void *library = dlopen("./plug.so", RTLD_NOW), *found;
        int (*plug)(int);
        if (!library) _exit(9);
        found = dlsym(library, "plug");
        memcpy(&plug, &found, sizeof plug);
        if (plug(20) != 190) _exit(10);
        dlclose(library);
    }
    return unused;
}
static void plugins(void) {
    pthread_t threads[4];
    int n;
    for (n = 0; n < 4; n++) pthread_create(&threads[n], NULL, plugs, NULL);
    work(20000);
    for (n = 0; n < 4; n++) pthread_join(threads[n], NULL);
    say("plugins");
}
/* Two stacks that go to one another by longjmp. */
static jmp_buf here, there;
static void coroutine(void) {
    if (_setjmp(there) == 0) swapcontext(&second, &first);
    for (;;) {
        work(50);
        if (_setjmp(there) == 0) _longjmp(here, 1);
    }
}
static void coroutines(void) {
    static char other[1 << 16];
    volatile int n;
    getcontext(&second);
    second.uc_stack.ss_sp = other;
    second.uc_stack.ss_size = sizeof other;
    makecontext(&second, coroutine, 0);
    swapcontext(&first, &second);
    for (n = 0; n < 500; n++) {
        work(20);
        if (_setjmp(here) == 0) _longjmp(there, 1);
    }
    say("coroutines");
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
    else if (!strcmp(how, "closes-range")) closes_range();
    else if (!strcmp(how, "nothing-left")) nothing_left();
    else if (!strcmp(how, "vforks")) vforks();
    else if (!strcmp(how, "clones")) clones();
    else if (!strcmp(how, "daemons")) daemons();
    else if (!strcmp(how, "again")) again(arguments);
    else if (!strcmp(how, "cancels")) cancels();
    else if (!strcmp(how, "plugins")) plugins();
    else if (!strcmp(how, "coroutines")) coroutines();
    else plain();
    return 7;
}
