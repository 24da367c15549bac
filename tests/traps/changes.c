/* changes.c - a program that patches itself while it runs: a function becomes a
   jump to another one, and its old self again. A child does so alone: in the
   parent nothing has changed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone, aligned(4096)))
#define NEAR __attribute__((noinline, noclone))

FAR int victim(int n);
NEAR int other(int n);
FAR int through(int n);
FAR int victim(int n) { return n < 1 ? 1 : (n & 7) + other(n - 1) + victim(n - 3); }
static volatile int calls;                      /* else the compiler calls them once */
NEAR int other(int n) { return calls++, n * 1000; }
FAR int through(int n) { return n < 1 ? 0 : victim(n) + through(n - 1); }

static void change(const unsigned char *code, unsigned char *old) {
    static unsigned char *volatile text;
    unsigned char *at;
    void *page;
    text = (unsigned char *)(uintptr_t)victim;          /* the compiler is not to know */
    at = text;
    page = (void *)((uintptr_t)at & ~(uintptr_t)4095);
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    if (old) memcpy(old, at, 5);
    memcpy(at, code, 5);
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

int main(void) {
    unsigned char jump[5] = {0xE9}, old[5];
    int32_t distance = (int32_t)((intptr_t)(uintptr_t)other - (intptr_t)(uintptr_t)victim - 5);
    int n, sum = 0, status = 0;
    memcpy(jump + 1, &distance, 4);
    for (n = 0; n < 300; n++) sum += through(20);
    printf("before %d\n", sum);
    fflush(stdout);
    if (fork() == 0) {
        change(jump, old);
        for (n = 0; n < 300; n++) sum += through(20);
        printf("in the child %d\n", sum);
        change(old, NULL);
        for (n = 0; n < 300; n++) sum += through(20);
        printf("and again %d\n", sum);
        fflush(stdout);
        _exit(0);
    }
    wait(&status);
    for (n = 0; n < 300; n++) sum += through(20);
    printf("in the parent %d, %d\n", sum, status);
    change(jump, old);
    for (n = 0; n < 300; n++) sum += through(20);
    printf("after %d\n", sum);
    return 0;
}
