/* handover.c - a program may change its root or its user, close all files, or
   forbid itself system calls, all before the recorder writes at its end. So the
   report and FILE.new are mapped before the program begins, shared with the
   files; what is stored there reaches them without any call. The tool cuts
   FILE.new to its size and gives it its name.

   A file system may have no room for a page that is stored into, and the
   program would get SIGBUS. madvise(MADV_POPULATE_WRITE) makes the pages
   before, and says so instead. Kernels before 5.14 do not know it; there the
   file is stored into as it is.

   prctl and syscall are ours, for these two are how a program installs a filter
   of system calls; and so are chroot and the calls that give up a user or a
   group: behind these the files may be out of reach that have the names of
   functions. */
#define _GNU_SOURCE 1
#include "handover.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
enum { ROOM = 1 << 26, PREPARED = 1 << 23, STEP = 1 << 16, POPULATE_WRITE = 23 };

static struct {
    char *report;
    uint32_t *failed;                       /* in the report */
    unsigned char *file;
    size_t said, written, prepared, room;
    int is_closed;                          /* no system calls any more */
} handover;

void (*handover_sandbox)(void), (*handover_names)(void);

/* A file that grows more than it may would end the process by SIGXFSZ. */
static int may_be_so_large(size_t bytes) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

void *handover_map(const char *path, size_t bytes) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    void *memory = MAP_FAILED;
    if (file < 0) return NULL;
    if (size >= (off_t)bytes || (may_be_so_large(bytes) && ftruncate(file, (off_t)bytes) == 0))
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

void handover_open(const char *report, const char *file) {
    handover.report = (char *)handover_map(report, HANDOVER_REPORT);
    /* What the process said when it was another program stays. */
    if (handover.report) {
        handover.said = strnlen(handover.report, HANDOVER_FAILED - 1);
        handover.failed = (uint32_t *)(void *)(handover.report + HANDOVER_FAILED);
    }
    if (file) handover.file = (unsigned char *)handover_map(file, ROOM);
    handover.room = ROOM;
}

void handover_join(const char *report) {
    char *memory = (char *)handover_map(report, HANDOVER_REPORT);
    if (memory) handover.failed = (uint32_t *)(void *)(memory + HANDOVER_FAILED);
}

void handover_failed(void) {
    if (handover.failed) (void)__atomic_fetch_add(handover.failed, 1, __ATOMIC_RELAXED);
}

void handover_line(const char *line) {
    size_t size = strlen(line);
    if (!handover.report || size >= HANDOVER_FAILED - handover.said) return;
    memcpy(handover.report + handover.said, line, size);
    handover.said += size;
}

size_t handover_mark(void) { return handover.said; }

void handover_back(size_t mark) {
    if (!handover.report || mark >= handover.said) return;
    memset(handover.report + mark, 0, handover.said - mark);
    handover.said = mark;
}

/* Makes the pages of the file up to `end`. Returns 0, or -1: there is no
   room. */
static int make_pages(size_t end) {
    size_t from = handover.prepared;
    if (end <= from) return 0;
    end = (end + STEP - 1) / STEP * STEP;
    handover.prepared = end;
    if (madvise(handover.file + from, end - from, POPULATE_WRITE) == 0 || errno == EINVAL) return 0;
    handover.prepared = from;
    errno = ENOSPC;
    return -1;
}

void handover_prepare(void) {
    if (!handover.file || make_pages(PREPARED) != 0) handover.file = NULL;
    handover.room = PREPARED;
    handover.is_closed = 1;
}

int handover_write(void *user, const void *data, size_t size) {
    (void)user;
    if (!handover.file || size > handover.room - handover.written) {
        errno = handover.file ? EFBIG : EACCES;
        return -1;
    }
    if (!handover.is_closed && make_pages(handover.written + size) != 0) return -1;
    memcpy(handover.file + handover.written, data, size);
    handover.written += size;
    return 0;
}

void handover_name(size_t bytes) {
    char line[64];
    snprintf(line, sizeof line, "=%zu\n", bytes);
    handover_line(line);
}

void handover_whole(void) { handover_name(handover.written); }

/* ---- a filter of system calls is installed ---- */

void handover_filter(void);
__attribute__((used)) void handover_filter(void) {
    void (*sandbox)(void) = handover_sandbox;
    int saved = errno;
    handover_sandbox = NULL;                /* once */
    if (sandbox) sandbox();
    errno = saved;
}

/* ---- files go out of reach ---- */

static void read_names(void) {
    int saved = errno;
    if (handover_names) handover_names();
    errno = saved;
}

EXPORTED int chroot(const char *path) {
    read_names();
    return (int)syscall(161, path);
}

/* The C library's own function is called behind it, for it changes all
   threads. */
#define READS_NAMES(name, parameters, arguments)     \
    EXPORTED int name parameters;                    \
    EXPORTED int name parameters {                   \
        int (*real) parameters;                      \
        void *next = dlsym(RTLD_NEXT, #name);        \
        memcpy(&real, &next, sizeof real);           \
        read_names();                                \
        if (real) return real arguments;             \
        errno = ENOSYS;                              \
        return -1;                                   \
    }
READS_NAMES(setuid, (uid_t u), (u))
READS_NAMES(seteuid, (uid_t u), (u))
READS_NAMES(setreuid, (uid_t r, uid_t e), (r, e))
READS_NAMES(setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s))
READS_NAMES(setgid, (gid_t g), (g))
READS_NAMES(setegid, (gid_t g), (g))
READS_NAMES(setregid, (gid_t r, gid_t e), (r, e))
READS_NAMES(setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s))
READS_NAMES(setgroups, (size_t n, const gid_t *list), (n, list))
READS_NAMES(initgroups, (const char *user, gid_t g), (user, g))

EXPORTED int prctl(int option, ...) {
    unsigned long a[4];
    va_list list;
    int n;
    va_start(list, option);
    for (n = 0; n < 4; n++) a[n] = va_arg(list, unsigned long);
    va_end(list);
    return (int)syscall(157, option, a[0], a[1], a[2], a[3]);
}

/* As the C library's, but for a look at seccomp (317) and at prctl (157) with
   PR_SET_SECCOMP (22). In assembly: a call that returns twice, or on another
   stack, finds the stack as it left it. */
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        ".hidden handover_call\n"
        ".hidden handover_call_ends\n"
        "handover_call:\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmp $317, %edi\n"
        "    je 1f\n"
        "    cmp $157, %edi\n"
        "    jne 2f\n"
        "    cmp $22, %esi\n"
        "    jne 2f\n"
        "1:  push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %rcx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 56\n"
        "    call handover_filter\n"
        "    add $8, %rsp\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rcx\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -56\n"
        "2:  mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    cmp $-4095, %rax\n"
        "    jae 3f\n"
        "    ret\n"
        "3:  neg %eax\n"
        "    push %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call __errno_location@PLT\n"
        "    pop %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    mov %ecx, (%rax)\n"
        "    mov $-1, %rax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        "handover_call_ends:\n"
        ".size syscall, .-syscall\n");

extern const char handover_call[] __attribute__((visibility("hidden")));
extern const char handover_call_ends[] __attribute__((visibility("hidden")));

int handover_is_call(uint64_t pc) {
    return pc >= (uintptr_t)handover_call && pc < (uintptr_t)handover_call_ends;
}
