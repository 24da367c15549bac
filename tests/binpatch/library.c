/* library.c - each STEP-th function that the C library exports is hooked, its return
   too, while a workload uses the library; then all are unhooked. The workload must
   print what it printed before. For tests/test_binpatch.sh: ./library STEP FIRST */
#define _GNU_SOURCE 1
#include "binpatch.h"
#include <errno.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST = 4000, TEXT = 4096 };
static uint64_t memory[1 << 16];
static uintptr_t functions[MOST];
static const char *names[MOST];
static int found;
static unsigned long told;

static void entered(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
}

/* ---- what is exported ---- */

/* The table of symbols ends behind the longest chain of the table of hashes. */
static uint32_t count_symbols(const uint32_t *hash) {
    const uint32_t *buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chains = buckets + hash[0];
    uint32_t n, count = 0;
    for (n = 0; n < hash[0]; n++) {
        uint32_t at = buckets[n];
        if (at < hash[1]) continue;
        while (!(chains[at - hash[1]] & 1)) at++;
        if (at + 1 > count) count = at + 1;
    }
    return count;
}
static int look_at(struct dl_phdr_info *info, size_t size, void *user) {
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *symbols = NULL;
    const uint32_t *hash = NULL;
    const char *strings = NULL;
    uint32_t n, count;
    (void)size;
    (void)user;
    if (!strstr(info->dlpi_name, "libc.so")) return 0;
    for (n = 0; n < info->dlpi_phnum; n++)
        if (info->dlpi_phdr[n].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[n].p_vaddr);
    for (; d && d->d_tag; d++) {
        if (d->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB) strings = (const char *)d->d_un.d_ptr;
        if (d->d_tag == DT_GNU_HASH) hash = (const uint32_t *)d->d_un.d_ptr;
    }
    if (!symbols || !strings || !hash) return 1;
    count = count_symbols(hash);
    for (n = 0; n < count && found < MOST; n++) {
        const ElfW(Sym) *s = &symbols[n];
        uintptr_t at = info->dlpi_addr + s->st_value;
        if (!s->st_shndx || !s->st_size) continue;
        if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC) at = ((uintptr_t(*)(void))at)();
        else if (ELF64_ST_TYPE(s->st_info) != STT_FUNC) continue;
        names[found] = strings + s->st_name;
        functions[found++] = at;
    }
    return 1;
}

/* They return twice, or ask who called them. */
static int returns_once(uintptr_t function) {
    static const char *const not_these[] = {"setjmp", "vfork", "getcontext", "dlsym",
                                            "dlvsym", "dlopen", "dlmopen", "backtrace"};
    int n;
    size_t k;
    for (n = 0; n < found; n++) {
        if (functions[n] != function) continue;
        for (k = 0; k < sizeof not_these / sizeof *not_these; k++)
            if (strstr(names[n], not_these[k])) return 0;
    }
    return 1;
}

/* ---- the workload ---- */

static jmp_buf back;
static volatile sig_atomic_t handled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;
static void handle(int number) { handled = number; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *thread(void *p) {
    char *text = (char *)malloc(100);
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    sprintf(text, "%d", *(int *)p);
    *(int *)p = atoi(text) + 1;
    free(text);
    pthread_exit(p);
}

static void strings_and_numbers(FILE *f) {
    char text[400], part[] = "a,b,c", *s;
    int v[50], n, number = 0;
    for (n = 0; n < 50; n++) v[n] = n * 37 % 50;
    qsort(v, 50, sizeof *v, compare);
    for (n = 0; n < 50; n++) fprintf(f, "%d ", v[n]);
    memset(text, 'x', 300);
    text[300] = 0;
    memmove(text + 3, text, 200);
    memcpy(text, "hello world", 11);
    fprintf(f, "%s %5.3f %Lg %a %.9s\n", "text", 3.14159, 2.5L, 1.5, strstr(text, "wor"));
    fprintf(f, "%d %d %ld %g\n", (int)strlen(text), strcmp(text, part) > 0,
            strtol("123x", NULL, 0), strtod("1.25e3", NULL));
    for (s = strtok(part, ","); s; s = strtok(NULL, ",")) fputs(s, f);
    if (sscanf("42 foo", "%d %19s", &number, text) == 2) fprintf(f, "%d %s\n", number, text);
    srand(3);
    srandom(4);
    srand48(5);
    fprintf(f, "%d %ld %g %s\n", rand(), random(), drand48(), strerror(ENOENT));
}
static void time_and_memory(FILE *f) {
    time_t t = 86400 * 365;
    struct tm tm;
    char text[100], *p = (char *)malloc(10);
    char *zero = (char *)calloc(10, 10);
    gmtime_r(&t, &tm);
    strftime(text, sizeof text, "%Y-%m-%d %A", &tm);
    p = (char *)realloc(p, 100000);
    fprintf(f, "%s %d %d\n", text, p != NULL, *zero);
    free(p);
    free(zero);
}
static void jumps_and_contexts(FILE *f) {
    ucontext_t here;
    volatile int n = 0;
    if (setjmp(back) == 0) longjmp(back, 1);
    getcontext(&here);
    if (n++ == 0) setcontext(&here);
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    fprintf(f, "%d %d\n", n, (int)handled);
}
static void threads_and_processes(FILE *f) {
    pthread_t t[2];
    int number[2] = {5, 6}, n, status = 0;
    char text[100] = "";
    pid_t child;
    FILE *pipe;
    ready = 0;
    for (n = 0; n < 2; n++) pthread_create(&t[n], NULL, thread, &number[n]);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    for (n = 0; n < 2; n++) pthread_join(t[n], NULL);
    child = fork();
    if (child == 0) _exit(7);
    waitpid(child, &status, 0);
    fprintf(f, "%d %d %d %d\n", number[0], number[1], WEXITSTATUS(status),
            system("exit 3") >> 8);
    child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 5", (char *)0);
        _exit(9);
    }
    waitpid(child, &status, 0);
    pipe = popen("echo from a pipe", "r");
    if (pipe && fgets(text, sizeof text, pipe)) fprintf(f, "%d %s", WEXITSTATUS(status), text);
    if (pipe) pclose(pipe);
}
static size_t work(char *out) {
    FILE *f = fmemopen(out, TEXT, "w");
    long size;
    if (!f) return 0;
    strings_and_numbers(f);
    time_and_memory(f);
    jumps_and_contexts(f);
    threads_and_processes(f);
    size = ftell(f);
    fclose(f);
    return size > 0 ? (size_t)size : 0;
}

static int differs(const char *when, const char *got, const char *wanted, size_t size) {
    if (memcmp(got, wanted, size) == 0) return 0;
    printf("%s:\n%s\nwanted:\n%s\n", when, got, wanted);
    return 1;
}

int main(int count, char **arguments) {
    static char truth[TEXT], hooked[TEXT], behind[TEXT];
    binpatch_config config = {0, 0, 0, 0, 0, 0};
    binpatch_stats s;
    int step = count > 1 ? atoi(arguments[1]) : 1, n = count > 2 ? atoi(arguments[2]) : 0;
    int hooks = 0, refused = 0, bad = 0;
    size_t size = work(truth);
    dl_iterate_phdr(look_at, NULL);
    if (!found) return printf("no table of functions\n") < 0;
    config.returns = 1024;
    if (!size || !binpatch_init(memory, sizeof memory, &config)) return 2;
    for (; n < found; n += step) {
        binpatch_watch w = {0, 0, entered, NULL, NULL};
        int hook;
        w.function = functions[n];
        if (returns_once(functions[n])) w.returned = entered;
        hook = binpatch_hook(&w);
        if (hook >= 0) hooks++;
        else if (hook != -BINPATCH_HOOKED) refused++;
    }
    bad |= work(hooked) != size || differs("hooked", hooked, truth, size);
    for (n = 0; n < hooks; n++) bad |= binpatch_unhook(n) != 0;
    bad |= work(behind) != size || differs("unhooked", behind, truth, size);
    binpatch_get_stats(&s);
    printf("%d hooked, %d refused, of %d; %lu told\n", hooks, refused, found, told);
    return bad || s.functions || s.left || !told || hooks < 10 * refused;
}
