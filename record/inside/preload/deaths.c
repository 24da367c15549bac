/* deaths.c - a process that ends itself by a signal: abort, a failed assert, an
   exception that nobody catches, raise. It has no exit, and what was kept for
   the case of a kill may be old, or not there yet. So these functions are ours:
   what was recorded is kept once more, and then the C library's function is
   entered by a jump, as if nobody had stood before it. The process may go on all
   the same, if a handler leaves by siglongjmp. A child that is recorded has no
   tool that waits for it, and writes its file. */
#define _GNU_SOURCE 1
#include "keep.h"
#include "patch.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

static void note(void) {
    int saved = errno;
    if (!record.running || record.done || record.sandboxed) return;
    if (getpid() != record.pid) return;                     /* a child of vfork */
    x86_flush();
    if (record.pid == record.owner) keep_last(record_write_kept);
    else if (record.follow && !record.direct) (void)record_write_last();
    errno = saved;
}

static int kills(int number) {
    struct sigaction now;
    int saved = errno, is_default;
    if (number == 0 || number == SIGCHLD || number == SIGCONT || number == SIGURG
        || number == SIGWINCH || number == SIGSTOP || number == SIGTSTP || number == SIGTTIN
        || number == SIGTTOU || record.sandboxed)
        return 0;
    is_default = sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
    errno = saved;
    return is_default;
}

/* NAME calls deaths_NAME with its arguments, and goes on as the C library's
   NAME. */
#define BEFORE(name)                                                                               \
    __asm__(".text\n"                                                                              \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", @function\n" #name ":\n"                                             \
            "    .cfi_startproc\n"                                                                 \
            "    endbr64\n"                                                                        \
            "    push %rdi\n"                                                                      \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    push %rsi\n"                                                                      \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    push %rdx\n"                                                                      \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    push %rcx\n"                                                                      \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    sub $8, %rsp\n"                                                                   \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    call deaths_" #name "\n"                                                          \
            "    add $8, %rsp\n"                                                                   \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    pop %rcx\n"                                                                       \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    pop %rdx\n"                                                                       \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    pop %rsi\n"                                                                       \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    pop %rdi\n"                                                                       \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    jmp *%rax\n"                                                                      \
            "    .cfi_endproc\n"                                                                   \
            ".size " #name ", .-" #name "\n")

/* Returns where to go on: nothing is looked up twice, and not in a process that
   is about to die. */
#define DEATH(name, parameters, condition)                                                         \
    static void *next_##name;                                                                      \
    __attribute__((constructor)) static void find_##name(void) {                                   \
        next_##name = dlsym(RTLD_NEXT, #name);                                                     \
    }                                                                                              \
    void *deaths_##name parameters;                                                                \
    __attribute__((used, visibility("hidden"))) void *deaths_##name parameters {                   \
        if (condition) note();                                                                     \
        if (!next_##name) find_##name();                                                           \
        return next_##name;                                                                        \
    }                                                                                              \
    BEFORE(name)

RECORDER_NAMES_BEGIN
DEATH(abort, (void), 1);
DEATH(__assert_fail, (void), 1);
DEATH(__assert_perror_fail, (void), 1);
DEATH(__stack_chk_fail, (void), 1);
DEATH(raise, (int number), kills(number));
DEATH(gsignal, (int number), kills(number));
DEATH(kill, (pid_t process, int number), (process == 0 || process == getpid()) && kills(number));
DEATH(pthread_kill, (pthread_t thread, int number), thread && kills(number));
RECORDER_NAMES_END
