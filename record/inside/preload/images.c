/* images.c - a process that becomes another program by exec loses what was
   recorded. So the calls of the exec family are ours, and write it before: into
   FILE.PID.1, FILE.PID.2 and so on, one for each program that the process was.
   The last one writes FILE, as any process does. If the call fails, the file is
   removed, and recording goes on as if nothing had been. posix_spawn and
   children of vfork are other processes: there is nothing of theirs to write.

   A program that is started with an environment of its own does not have the
   recorder. Then what there is so far is all that there will be: it is FILE,
   and the tool says so. */
#define _GNU_SOURCE 1
#include "handover.h"
#include "patch.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
enum { IMAGES = 100000 };

static int keeps_the_recorder(char *const *environment) {
    int has_preload = 0, has_options = 0;
    for (; environment && *environment; environment++) {
        if (!strncmp(*environment, "LD_PRELOAD=", 11)) has_preload = 1;
        if (!strncmp(*environment, OPTIONS_VARIABLE "=", sizeof OPTIONS_VARIABLE)) has_options = 1;
    }
    return has_preload && has_options;
}

/* A name that no file has yet. Returns 0, or -1. */
static int new_name(char *path, size_t size) {
    int n, file = -1;
    for (n = 1; n < IMAGES && file < 0; n++) {
        snprintf(path, size, "%.4000s.%ld.%d", record.path, (long)record.pid, n);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) break;
    }
    if (file < 0) return -1;
    close(file);
    return 0;
}

/* What exec has to take back if it fails: the file, or "", and where the report
   ended. */
typedef struct image {
    char path[4200];
    size_t said;
} image;

int record_write_last(void) {
    char path[4200], whole[4300];
    if (record.pid == record.owner) snprintf(path, sizeof path, "%.4095s", record.path);
    else snprintf(path, sizeof path, "%.4095s.%ld", record.path, (long)record.pid);
    snprintf(whole, sizeof whole, "%s.new", path);
    if (record_write_image(whole) == 0 && rename(whole, path) == 0) return 0;
    unlink(whole);
    return -1;
}

/* A child that did nothing but fork and exec. */
static int is_empty(void) {
    x86_stats stats;
    struct timespec cpu;
    if (!record.is_child) return 0;
    x86_get_stats(&stats);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return !stats.bursts && !cpu.tv_sec
           && (uint64_t)cpu.tv_nsec * record.ticks < UINT64_C(1000000000);
}

/* Before exec. */
static void image_ends(image *i, const char *next, char *const *environment) {
    char line[8192];
    int saved = errno, is_last = !keeps_the_recorder(environment), failed;
    i->path[0] = 0;
    i->said = handover_mark();
    if (!record.running || record.done || record.sandboxed) return;
    if (!record.follow || record.direct) return;
    if (getpid() != record.pid || is_empty()) return;   /* the first: a child of vfork */
    x86_flush();
    failed = is_last ? record_write_last() : new_name(i->path, sizeof i->path);
    if (!failed && !is_last) failed = record_write_image(i->path);
    if (failed) unlink(i->path);
    line[0] = 0;
    if (failed)
        snprintf(line, sizeof line,
                 "!what the process was before it became %.4000s was not written\n", next);
    else if (is_last)
        snprintf(line, sizeof line,
                 "?the process became %.4000s with an environment of its own: from there on "
                 "nothing is recorded\n",
                 next);
    else snprintf(line, sizeof line, "+%.4100s\n", i->path);
    if (record.pid == record.owner) handover_line(line);
    if (failed) i->path[0] = 0;
    errno = saved;
}

/* exec has failed. */
static int goes_on(const image *i) {
    int saved = errno;
    if (i->path[0]) unlink(i->path);
    handover_back(i->said);
    errno = saved;
    return -1;
}

static void *next_function(const char *name) {
    void *next = dlsym(RTLD_NEXT, name);
    if (!next) errno = ENOSYS;
    return next;
}

/* What all of them come to: the C library's NAME, which takes an
   environment. */
#define BECOMES(function, type, said, environment, call)                                           \
    image now;                                                                                     \
    type real;                                                                                     \
    void *found = next_function(function);                                                         \
    memcpy(&real, &found, sizeof real);                                                            \
    if (!found) return -1;                                                                         \
    image_ends(&now, said, environment);                                                           \
    (void)call;                                                                                    \
    return goes_on(&now)

typedef int (*by_path)(const char *, char *const *, char *const *);
typedef int (*by_file)(int, char *const *, char *const *);

EXPORTED int execve(const char *file, char *const *arguments, char *const *environment) {
    BECOMES("execve", by_path, file, environment, real(file, arguments, environment));
}
EXPORTED int execvpe(const char *file, char *const *arguments, char *const *environment) {
    BECOMES("execvpe", by_path, file, environment, real(file, arguments, environment));
}
EXPORTED int fexecve(int file, char *const *arguments, char *const *environment) {
    BECOMES("fexecve", by_file, "another program", environment,
            real(file, arguments, environment));
}
EXPORTED int execv(const char *file, char *const *arguments) {
    return execve(file, arguments, environ);
}
EXPORTED int execvp(const char *file, char *const *arguments) {
    return execvpe(file, arguments, environ);
}

/* The arguments of a list, up to NULL, as an array on the stack. */
#define LIST(first, list, array)                                                                   \
    size_t count = 1, n;                                                                           \
    char **array;                                                                                  \
    va_list list, again;                                                                           \
    va_start(list, first);                                                                         \
    va_copy(again, list);                                                                          \
    while (va_arg(again, char *)) count++;                                                         \
    va_end(again);                                                                                 \
    array = (char **)__builtin_alloca((count + 1) * sizeof *array);                                \
    memcpy(&array[0], &first, sizeof array[0]);                                                    \
    for (n = 1; n <= count; n++) array[n] = va_arg(list, char *)

EXPORTED int execl(const char *file, const char *first, ...) {
    LIST(first, list, arguments);
    va_end(list);
    return execve(file, arguments, environ);
}
EXPORTED int execlp(const char *file, const char *first, ...) {
    LIST(first, list, arguments);
    va_end(list);
    return execvpe(file, arguments, environ);
}
EXPORTED int execle(const char *file, const char *first, ...) {
    char *const *environment;
    LIST(first, list, arguments);
    environment = va_arg(list, char *const *);
    va_end(list);
    return execve(file, arguments, environment);
}
