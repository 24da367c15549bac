/* program.c - what a program may do that a recorder inside it could break: one
   word on the command line chooses it. Prints the same whether it is recorded
   or not; 77 is the status of "this system cannot do that". For
   tests/test_record_traps.sh. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define WORK __attribute__((noinline))
enum { NOT_HERE = 77 };

static volatile unsigned sink;
static unsigned table[256];
static int (*volatile order)(const void *, const void *);

WORK static unsigned leaf(unsigned n) {
    sink += n;
    return n ^ 5;
}

/* Calls, loops, references; deep if n is. */
WORK static unsigned work(unsigned n) {
    unsigned i, sum = 0;
    for (i = 0; i < n; i++) {
        table[(i * 7) & 255] += i;
        sum += leaf(i) + work(i / 8);
    }
    return sum;
}

WORK static unsigned deep(unsigned n) {
    return n ? deep(n - 1) + leaf(n) : 1;
}

static int by_value(const void *a, const void *b) {
    return (int)leaf(*(const unsigned *)a) - (int)leaf(*(const unsigned *)b);
}

static void not_here(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(NOT_HERE);
}

/* ---- stacks ---- */

static void *small_thread(void *n) {
    volatile char room[24000];
    room[0] = room[sizeof room - 1] = 1;
    (void)deep(200);
    return (void *)(uintptr_t)(work((unsigned)(uintptr_t)n) + (unsigned)room[0]);
}

/* Threads with 64 KB of stack, 24000 bytes of it in use, many of them one after
   another. */
static void small_stacks(void) {
    pthread_attr_t attributes;
    pthread_t thread[4];
    unsigned long sum = 0;
    int n, k;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, 65536) != 0) not_here("a stack of 64 KB");
    for (k = 0; k < 10; k++) {
        void *result = NULL;
        for (n = 0; n < 4; n++) {
            if (pthread_create(&thread[n], &attributes, small_thread, (void *)200) != 0) abort();
        }
        for (n = 0; n < 4; n++) {
            pthread_join(thread[n], &result);
            sum += (unsigned)(uintptr_t)result;
        }
    }
    printf("%lu\n", sum);
}

WORK static unsigned short_call(unsigned n) {
    return leaf(n) + 1;
}

static void *short_thread(void *n) {
    return (void *)(uintptr_t)(short_call((unsigned)(uintptr_t)n) + short_call(3));
}

/* A thousand threads, four at a time: more than there are buffers for. */
static void short_threads(void) {
    pthread_t thread[4];
    unsigned long sum = 0;
    unsigned n, k;
    for (k = 0; k < 250; k++) {
        void *result = NULL;
        for (n = 0; n < 4; n++) {
            if (pthread_create(&thread[n], NULL, short_thread, (void *)(uintptr_t)k) != 0) abort();
        }
        for (n = 0; n < 4; n++) {
            pthread_join(thread[n], &result);
            sum += (unsigned)(uintptr_t)result;
        }
    }
    printf("%lu\n", sum);
}

static sem_t ready;

static void *until_end(void *end) {
    (void)short_call(1);
    sem_post(&ready);
    while (sem_wait((sem_t *)end) != 0) { }
    return NULL;
}

/* More threads at once than there are buffers for. */
static void many_threads(void) {
    enum { MANY = 300 };
    static pthread_t thread[MANY];
    pthread_attr_t attributes;
    sem_t end;
    int n, count;
    sem_init(&end, 0, 0);
    sem_init(&ready, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    for (count = 0; count < MANY; count++) {
        if (pthread_create(&thread[count], &attributes, until_end, &end) != 0) break;
    }
    for (n = 0; n < count; n++) while (sem_wait(&ready) != 0) { }
    for (n = 0; n < count; n++) sem_post(&end);
    for (n = 0; n < count; n++) pthread_join(thread[n], NULL);
    if (count < MANY) not_here("300 threads");
}

static volatile unsigned handled;
static sigjmp_buf away;

static void on_other_stack(int number) {
    handled += work(60);
    if (number == SIGUSR2) siglongjmp(away, 1);
}

/* Handlers on a stack of their own, as small as the system names it; out of
   some they jump. */
static void other_stack(void) {
    struct sigaction action;
    stack_t stack;
    volatile int n;
    memset(&stack, 0, sizeof stack);
    stack.ss_size = (size_t)sysconf(_SC_SIGSTKSZ);
    if (stack.ss_size < 8192) stack.ss_size = 8192;
    stack.ss_sp = malloc(stack.ss_size);
    if (sigaltstack(&stack, NULL) != 0) not_here("sigaltstack");
    memset(&action, 0, sizeof action);
    action.sa_handler = on_other_stack;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    for (n = 0; n < 300; n++) {
        (void)work(20);
        raise(SIGUSR1);
        if (sigsetjmp(away, 1) == 0) raise(SIGUSR2);
    }
    printf("%u\n", handled);
}

static ucontext_t first_context, other_context;

static void coroutine(void) {
    for (;;) {
        handled += work(40) + deep(20);
        swapcontext(&other_context, &first_context);
    }
}

static void coroutines(void) {
    int n;
    getcontext(&other_context);
    other_context.uc_stack.ss_size = 65536;
    other_context.uc_stack.ss_sp = malloc(65536);
    other_context.uc_link = NULL;
    makecontext(&other_context, coroutine, 0);
    for (n = 0; n < 100; n++) {
        (void)work(40);
        swapcontext(&first_context, &other_context);
    }
    printf("%u\n", handled);
}

/* ---- threads that are cancelled ---- */

static volatile int cleaned;

static void clean(void *unused) {
    (void)unused;
    cleaned++;
    (void)work(20);
}

static void *until_cancelled(void *at_once) {
    int unused;
    if (at_once) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &unused);
    pthread_cleanup_push(clean, NULL);
    sem_post(&ready);
    for (;;) {
        (void)work(30);
        if (!at_once) pthread_testcancel();
    }
    pthread_cleanup_pop(1);
    return NULL;
}

/* A second handler of the thread, so that the stack is unwound step by step,
   and a key. */
static void *with_key(void *at_once) {
    pthread_cleanup_push(clean, NULL);
    (void)until_cancelled(at_once);
    pthread_cleanup_pop(1);
    return NULL;
}

static void cancel(void *at_once) {
    int n, count = 60, ended = 0;
    sem_init(&ready, 0, 0);
    for (n = 0; n < count; n++) {
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, NULL, with_key, at_once) != 0) abort();
        while (sem_wait(&ready) != 0) { }
        if (n % 3) sched_yield();
        (void)work((unsigned)n);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        ended += result == PTHREAD_CANCELED;
    }
    printf("%d %d\n", ended == count, cleaned == 2 * count);
}

/* ---- files and folders ---- */

static void close_all(void) {
    int file;
    printf("%u\n", work(200));
    fflush(stdout);
    for (file = 0; file < 1024; file++) close(file);
    (void)work(300);
}

static void close_other(void) {
    int file, open_files = 0;
    for (file = 3; file < 1024; file++) {
        if (fcntl(file, F_GETFD) >= 0) open_files++;
        close(file);
    }
    printf("%u %d\n", work(200), open_files);
}

static void change_folder(void) {
    printf("%u\n", work(200));
    if (chdir("/") != 0) not_here("/");
}

static void change_root(void) {
    if (mkdir("empty", 0755) != 0 && errno != EEXIST) not_here("empty");
    if (geteuid() != 0 && unshare(CLONE_NEWUSER) != 0) not_here("unshare");
    if (chroot("empty") != 0 || chdir("/") != 0) not_here("chroot");
    printf("%u\n", work(200));
}

static void other_user(void) {
    if (setgid(65534) != 0 || setuid(65534) != 0) not_here("setuid");
    printf("%u\n", work(200));
}

static void file_limit(void) {
    printf("%u\n", work(200));
    umask(0777);
}

/* ---- processes ---- */

static void children(void) {
    char *arguments[] = {(char *)"true", NULL}, *nothing[] = {NULL};
    volatile int n, good = 0;
    int status;
    pid_t child;
    fflush(stdout);
    for (n = 0; n < 5; n++) {
        child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(9);
        }
        (void)work(50);
        if (waitpid(child, &status, 0) == child && status == 0) good++;
        child = fork();
        if (child == 0) {
            (void)work(100);
            exit(n);
        }
        (void)work(100);
        if (waitpid(child, &status, 0) == child && WEXITSTATUS(status) == n) good++;
        if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, nothing) != 0) abort();
        if (waitpid(child, &status, 0) == child && status == 0) good++;
    }
    printf("%d\n", good);
}

static int done_for_now(int rounds) {
    struct timespec used;
    if (rounds < 20000 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
    return used.tv_sec > 0 || used.tv_nsec > 50000000;
}

/* Goes on until it is killed. The thread has functions of its own. */
static void *deep_for_ever(void *unused) {
    int n;
    for (n = 0; !done_for_now(n); n++) (void)deep(20);
    sem_post(&ready);
    for (;;) (void)deep(20);
    return unused;
}

/* The file tells that both threads have been sampled, and had ticks, surely. */
static void until_killed(void) {
    pthread_t thread;
    FILE *file;
    int n;
    sem_init(&ready, 0, 0);
    if (pthread_create(&thread, NULL, deep_for_ever, NULL) != 0) abort();
    for (n = 0; !done_for_now(n); n++) (void)work(20);
    while (sem_wait(&ready) != 0) { }
    file = fopen("pid", "w");
    if (!file || fprintf(file, "%ld\n", (long)getpid()) < 0 || fclose(file) != 0) abort();
    if (rename("pid", "pid.whole") != 0) abort();
    for (;;) (void)work(20);
}

/* Another program takes its place as soon as there is a file of the name
   `go`. */
static void until_exec(void) {
    while (access("go", F_OK) != 0) (void)work(100);
    execl("/bin/true", "true", (char *)NULL);
}

static void killed(void) {
    (void)work(200);
    kill(getpid(), SIGKILL);
}

/* ---- signals ---- */

static void count_signal(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    handled += info->si_code == SI_QUEUE ? 1u : 1000000u;
}

/* Takes every signal there is, as some daemons do, and sends some of them to
   itself. */
static void all_signals(void) {
    struct sigaction action, before;
    union sigval value = {0};
    int n, kept = 0, count = 0;
    clock_t began;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = count_signal;
    action.sa_flags = SA_SIGINFO;
    for (n = 1; n <= SIGRTMAX; n++) {
        if (n == SIGKILL || n == SIGSTOP || n == 32 || n == 33) continue;
        if (sigaction(n, &action, NULL) != 0) abort();
        if (sigaction(n, NULL, &before) != 0) abort();
        kept += before.sa_sigaction == count_signal && before.sa_flags & SA_SIGINFO;
    }
    for (n = SIGRTMIN; n <= SIGRTMAX; n++) {
        (void)work(100);
        if (sigqueue(getpid(), n, value) != 0) abort();
        count++;
    }
    for (n = 1; n <= SIGRTMAX; n++) {
        if (n != SIGKILL && n != SIGSTOP) signal(n, SIG_DFL);
    }
    for (began = clock(); clock() - began < CLOCKS_PER_SEC / 50;) (void)work(100);
    printf("%d %u %d\n", kept, handled, count);
}

/* Ends by a real-time signal that nothing handles. */
static void real_time_signal(void) {
    printf("%u\n", work(100));
    fflush(stdout);
    signal(SIGRTMAX - 3, SIG_DFL);
    raise(SIGRTMAX - 3);
}

static void toggle_in_recursion(unsigned n) {
    if (n % 16 == 0) raise(SIGUSR2);
    if (n) toggle_in_recursion(n - 1);
    sink += leaf(n);
}

static void toggles(void) {
    struct sigaction old;
    int n;
    sigaction(SIGUSR2, NULL, &old);
    if (old.sa_handler == SIG_DFL) signal(SIGUSR2, SIG_IGN);
    for (n = 0; n < 20; n++) {
        toggle_in_recursion(100 + (unsigned)n);
        (void)work(100);
    }
    printf("%u\n", work(200));
}

/* ---- system calls that are forbidden ---- */

static void forbid(unsigned how, unsigned only_memory) {
    /* Allowed are write, exit, exit_group and futex; with only_memory, all but
       what makes memory, opens files or makes timers. */
    enum { ALLOW = SECCOMP_RET_ALLOW };
    struct sock_filter allow_few[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, ALLOW),
    };
    struct sock_filter forbid_some[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rename, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program;
    program.len = only_memory ? sizeof forbid_some / sizeof *forbid_some
                              : sizeof allow_few / sizeof *allow_few;
    program.filter = only_memory ? forbid_some : allow_few;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) not_here("no new privileges");
    if (how == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) not_here("seccomp");
    if (how == 1 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        not_here("seccomp");
}

WORK static unsigned after_the_filter(unsigned n) {
    return work(n) + deep(30);
}

static void sandbox(unsigned how, unsigned only_memory) {
    printf("%u\n", work(200));
    fflush(stdout);
    forbid(how, only_memory);
    printf("%u\n", after_the_filter(800));
    fflush(stdout);
}

/* ---- code that is mapped later ---- */

static void later_library(void) {
    int n;
    unsigned long sum = 0;
    for (n = 0; n < 20; n++) {
        void *library = dlopen("./later.so", RTLD_NOW), *symbol;
        unsigned (*of)(unsigned (*)(unsigned), unsigned);
        if (!library) abort();
        symbol = dlsym(library, "later_call");
        memcpy(&of, &symbol, sizeof of);
        sum += of(work, 50);
        dlclose(library);
        (void)work(50);
    }
    printf("%lu\n", sum);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    unsigned values[100], n;
    order = by_value;
    for (n = 0; n < 100; n++) values[n] = (n * 7919) % 1009;
    qsort(values, 100, sizeof *values, order);
    printf("%u %u\n", work(100), values[7]);
    if (!strcmp(what, "small-stacks")) small_stacks();
    else if (!strcmp(what, "short-threads")) short_threads();
    else if (!strcmp(what, "many-threads")) many_threads();
    else if (!strcmp(what, "other-stack")) other_stack();
    else if (!strcmp(what, "coroutines")) coroutines();
    else if (!strcmp(what, "cancel")) cancel(NULL);
    else if (!strcmp(what, "cancel-at-once")) cancel(&ready);
    else if (!strcmp(what, "close-all")) close_all();
    else if (!strcmp(what, "close-other")) close_other();
    else if (!strcmp(what, "folder")) change_folder();
    else if (!strcmp(what, "root")) change_root();
    else if (!strcmp(what, "user")) other_user();
    else if (!strcmp(what, "umask")) file_limit();
    else if (!strcmp(what, "children")) children();
    else if (!strcmp(what, "killed")) killed();
    else if (!strcmp(what, "until-killed")) until_killed();
    else if (!strcmp(what, "until-exec")) until_exec();
    else if (!strcmp(what, "all-signals")) all_signals();
    else if (!strcmp(what, "signal")) real_time_signal();
    else if (!strcmp(what, "toggles")) toggles();
    else if (!strcmp(what, "few-calls")) sandbox(0, 0);
    else if (!strcmp(what, "few-calls-2")) sandbox(1, 0);
    else if (!strcmp(what, "no-memory")) sandbox(0, 1);
    else if (!strcmp(what, "later")) later_library();
    return 0;
}
