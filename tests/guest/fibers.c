/* fibers.c HOW - a program that runs on stacks of several kinds. Prints how many
   calls it made on stacks that no thread began with and no handler has, and how
   many calls of leaf in all: test_record_losses.sh.

       context   makecontext and swapcontext, on stacks of the heap
       by-hand   a switch in assembly, on a mapping of its own, in a thread
       nothing   a deep first stack, one of a thread that the program gave memory,
                 and handlers on a stack of theirs: nothing is astray */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))
enum { FIBERS = 4, ROUNDS = 200, STACK = 1 << 16 };

static volatile long leaves, aside;

APART static int leaf(int n) {
    leaves++;
    return n * 3 + 1;
}
APART static int work(int n) {
    int sum = 0;
    while (n-- > 0) sum ^= leaf(n);
    return sum;
}
APART static int deeper(int n) {
    volatile char room[1000];
    room[n % 1000] = 1;
    return n ? deeper(n - 1) + room[n % 1000] : work(10);
}

/* ---- a fiber works and yields, again and again ---- */

static void yield(void);
APART static void body(void) {
    int n;
    aside++;                            /* this call */
    for (n = 0; n < ROUNDS; n++) {
        work(3);
        aside += 4;
        yield();
    }
    for (;;) yield();
}

static ucontext_t home, fibers[FIBERS];
static void *stacks[FIBERS], *home_stack;
static int now, is_by_hand;

void switch_stacks(void **from, void *to);
__asm__(".text\n.globl switch_stacks\n.type switch_stacks,@function\nswitch_stacks:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size switch_stacks,.-switch_stacks\n");

__attribute__((always_inline)) static inline void yield(void) {
    if (is_by_hand) switch_stacks(&stacks[now], home_stack);
    else swapcontext(&fibers[now], &home);
}

static void *run(void *unused) {
    int n, round;
    for (n = 0; n < FIBERS; n++) {
        const int rights = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
        char *memory = (char *)malloc(STACK);
        if (is_by_hand) memory = (char *)mmap(NULL, STACK, rights, kind, -1, 0);
        if (is_by_hand) {
            void **top = (void **)(void *)(memory + STACK) - 2;
            void (*begin)(void) = body;
            memcpy(top, &begin, sizeof begin);
            stacks[n] = top - 6;
        } else {
            getcontext(&fibers[n]);
            fibers[n].uc_stack.ss_sp = memory;
            fibers[n].uc_stack.ss_size = STACK;
            makecontext(&fibers[n], body, 0);
        }
    }
    for (round = 0; round < ROUNDS; round++) {
        for (now = 0; now < FIBERS; now++) {
            if (is_by_hand) switch_stacks(&home_stack, stacks[now]);
            else swapcontext(&home, &fibers[now]);
        }
        work(1);
    }
    return unused;
}

static void in_thread(void *(*what)(void *), void *stack, size_t bytes) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (stack) pthread_attr_setstack(&attributes, stack, bytes);
    if (pthread_create(&thread, &attributes, what, NULL) != 0) exit(1);
    pthread_join(thread, NULL);
}

/* ---- stacks that are known ---- */

static void handler(int number) {
    (void)number;
    work(5);
}
static void *on_all(void *unused) {
    struct sigaction action;
    stack_t stack;
    int n;
    memset(&action, 0, sizeof action);
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = malloc(STACK);
    stack.ss_size = STACK;
    sigaltstack(&stack, NULL);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    for (n = 0; n < 100; n++) {
        work(2);
        raise(SIGUSR1);
    }
    memset(&stack, 0, sizeof stack);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    deeper(500);
    return unused;
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    work(10);
    if (!strcmp(how, "context")) run(NULL);
    else if (!strcmp(how, "by-hand")) {
        is_by_hand = 1;
        in_thread(run, NULL, 0);
    } else if (!strcmp(how, "nothing")) {
        deeper(6000);
        on_all(NULL);
        in_thread(on_all, malloc(1 << 20), 1 << 20);
        in_thread(on_all, NULL, 0);
    } else return 77;
    printf("%ld %ld\n", aside, leaves);
    return 5;
}
