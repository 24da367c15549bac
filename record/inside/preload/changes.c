/* changes.c - programs that change their own code: hot patches, tracing hooks.
   mprotect is how code becomes writable, so it is ours, and the functions there
   are given up before. What is written by other ways (/proc/self/mem, a system
   call of the program's own) is not noticed. */
#define _GNU_SOURCE 1
#include "patch.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
enum { CALL_MPROTECT = 10, CALL_PKEY_MPROTECT = 329 };

static void note(const void *address, size_t bytes, int protection) {
    int saved = errno;
    if (protection & PROT_WRITE && record.running && !record.sandboxed)
        (void)x86_code_changes(address, bytes);
    errno = saved;
}

EXPORTED int mprotect(void *address, size_t bytes, int protection) {
    note(address, bytes, protection);
    return (int)syscall(CALL_MPROTECT, address, bytes, protection);
}
EXPORTED int pkey_mprotect(void *address, size_t bytes, int protection, int key) {
    note(address, bytes, protection);
    if (key == -1) return (int)syscall(CALL_MPROTECT, address, bytes, protection);
    return (int)syscall(CALL_PKEY_MPROTECT, address, bytes, protection, key);
}
