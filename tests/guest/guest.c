/* guest.c - prints what a program sees of itself. It is to print the same when
   it is recorded. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fenv.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <unwind.h>

#define APART __attribute__((noinline))

extern char **environ;
static const char *where = "main";

/* ---- the stack ---- */

/* An address that the program takes off the stack by itself is that of a copy. */
static void print_place(const void *at, int has_offset) {
    Dl_info about;
    const char *file, *from;
    if (!dladdr(at, &about) || !about.dli_fname) {
        printf("  no file\n");
        return;
    }
    file = strrchr(about.dli_fname, '/');
    from = (const char *)(about.dli_sname ? about.dli_saddr : about.dli_fbase);
    printf("  %s %s", file ? file + 1 : about.dli_fname, about.dli_sname ? about.dli_sname : "?");
    if (has_offset) printf("+%lx", (unsigned long)((const char *)at - from));
    printf("\n");
}

static _Unwind_Reason_Code each(struct _Unwind_Context *context, void *user) {
    int is_before = 0;
    uintptr_t one = _Unwind_GetIP(context), other = _Unwind_GetIPInfo(context, &is_before);
    (void)user;
    if (one != other) printf("  two addresses\n");
    print_place((const void *)one, 1);
    return _URC_NO_REASON;
}

APART void print_stack(void) {
    void *at[64];
    int n, count = backtrace(at, 64);
    char **words;
    printf("%s: %d frames\n", where, count);
    for (n = 0; n < count; n++) print_place(at[n], 1);
    words = backtrace_symbols(at, count);
    for (n = 0; words && n < count; n++) {
        char *name = strchr(words[n], '('), *end = name ? strchr(name, ')') : NULL;
        if (end) *end = 0;
        printf("  %s\n", name ? name : "?");
    }
    free(words);
    printf("%s: as libgcc walks\n", where);
    (void)_Unwind_Backtrace(each, NULL);
    printf("%s: the caller\n", where);
    print_place(__builtin_return_address(0), 0);
    n = backtrace(at, 2);
    printf("%s: %d frames of 2\n", where, n);
}

APART int leaf(int n) { return n * 3 + 1; }
APART int work(int n) {
    int sum = 0;
    while (n-- > 0) sum += leaf(n);
    return sum;
}
APART void deeper(int n) {
    work(20);
    if (n > 0) deeper(n - 1);
    else print_stack();
    work(1);
}
APART int by_value(const void *a, const void *b) {
    static int once;
    work(3);
    if (!once++) print_stack();
    return *(const int *)a - *(const int *)b;
}

static void handler(int signal_number) {
    (void)signal_number;
    where = "handler";
    work(30);
    print_stack();
}

/* ---- the process ---- */

static int each_object(struct dl_phdr_info *info, size_t size, void *user) {
    const char *file = strrchr(info->dlpi_name, '/');
    (void)size, (void)user;
    if (!file || strncmp(file, "/bursty-", 8) != 0) printf("  object %s\n", file ? file + 1 : info->dlpi_name);
    return 0;
}

/* A descriptor is open, and what it is. */
static void print_files(void) {
    int n;
    for (n = 0; n < 1024; n++) {
        struct stat s;
        if (fstat(n, &s) == 0) printf("  file %d %o\n", n, (unsigned)(s.st_mode & S_IFMT));
    }
}

static void print_signals(void) {
    sigset_t blocked, pending;
    stack_t stack;
    int n;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    sigpending(&pending);
    for (n = 1; n <= SIGRTMAX; n++) {
        struct sigaction action;
        if (sigaction(n, NULL, &action) != 0) continue;
        printf("  signal %d %s %x %d %d\n", n,
               action.sa_handler == SIG_DFL ? "default" : action.sa_handler == SIG_IGN ? "ignored"
               : action.sa_handler == handler ? "handler" : "another",
               (unsigned)action.sa_flags, sigismember(&blocked, n), sigismember(&pending, n));
    }
    if (sigaltstack(NULL, &stack) == 0) printf("  other stack %d\n", stack.ss_flags);
}

static void print_limits(void) {
    struct itimerval timer;
    struct rlimit limit;
    char name[17] = "";
    int n;
    for (n = 0; n < RLIM_NLIMITS; n++) {
        if (getrlimit((__rlimit_resource_t)n, &limit) == 0)
            printf("  limit %d %llx %llx\n", n, (unsigned long long)limit.rlim_cur,
                   (unsigned long long)limit.rlim_max);
    }
    for (n = 0; n < 3; n++) {
        if (getitimer((__itimer_which_t)n, &timer) == 0)
            printf("  timer %d %ld %ld\n", n, (long)timer.it_value.tv_sec, (long)timer.it_value.tv_usec);
    }
    prctl(PR_GET_NAME, name);
    printf("  name %s, dumpable %d, subreaper and securebits %d\n", name,
           prctl(PR_GET_DUMPABLE), prctl(PR_GET_SECUREBITS));
    printf("  umask %o, priority %d\n", (unsigned)umask(022), getpriority(PRIO_PROCESS, 0));
}

static void print_auxv(void) {
    static const unsigned long kinds[] = {AT_PAGESZ, AT_CLKTCK, AT_HWCAP, AT_HWCAP2, AT_SECURE, AT_UID,
                                          AT_GID, AT_PHNUM, AT_PHENT, AT_FLAGS, AT_MINSIGSTKSZ};
    size_t n;
    for (n = 0; n < sizeof kinds / sizeof *kinds; n++)
        printf("  auxv %lu %lx\n", kinds[n], getauxval(kinds[n]));
    printf("  executable %s\n", (const char *)getauxval(AT_EXECFN));
}

static void print_threads(void) {
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;
    while (folder && (entry = readdir(folder)) != NULL) count += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    printf("  threads %d\n", count);
}

/* errno, flags and the floating-point unit behind calls that bursts begin in. */
static void print_state(void) {
    double sum = 0;
    unsigned mxcsr, before;
    int n;
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    __asm__ volatile("stmxcsr %0" : "=m"(before));
    for (n = 0; n < 2000; n++) {
        errno = n;
        sum += work(3) / 3.0;
        if (errno != n) printf("  errno %d became %d\n", n, errno);
    }
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    printf("  sum %a, rounding %d, control %x %x, raised %x\n", sum, fegetround() == FE_UPWARD, before,
           mxcsr, (unsigned)fetestexcept(FE_ALL_EXCEPT));
    fesetround(FE_TONEAREST);
}

/* The environment of a child, and of what it starts. */
static void print_children(void) {
    char line[4096];
    FILE *child = popen("env; sh -c 'ulimit -a; cat /proc/self/status | grep ^Sig[PBIC]'", "r");
    while (child && fgets(line, sizeof line, child)) printf("  child %s", line);
    if (child) printf("  child's status %d\n", pclose(child));
}

static void *thread(void *unused) {
    char name[16] = "";
    where = "thread";
    work(100);
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("thread %s\n", name);
    deeper(2);
    print_signals();
    return unused;
}

int main(int count, char **arguments) {
    int values[] = {5, 3, 8, 1}, n;
    pthread_t other;
    for (n = 0; n < count; n++) printf("argument %s\n", arguments[n]);
    for (n = 0; environ[n]; n++) printf("variable %s\n", environ[n]);
    work(1000);
    deeper(3);
    qsort(values, 4, sizeof *values, by_value);
    print_place((void *)deeper, 1);
    print_place(dlsym(RTLD_DEFAULT, "leaf"), 1);
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    where = "main";
    dl_iterate_phdr(each_object, NULL);
    print_files();
    print_signals();
    print_limits();
    print_auxv();
    print_state();
    print_threads();
    print_children();
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    print_threads();
    print_files();
    return 4;
}
