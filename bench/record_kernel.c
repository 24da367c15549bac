/* record_kernel.c - a program that knows how much of its time is in the kernel.

       record_kernel KIND PERCENT THREADS MS

   Turns of .1 to .4 ms of CPU time: first so many percent of each in calls of the
   kernel, then the rest in a loop. It prints the part in calls as it was, and
   what getrusage says. KIND says which calls: "assembly" has one or two
   instructions between two calls of getppid, "short" some ten, those of the C
   library's syscall, and "long" reads 64 KB of zeros at a time. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
enum { THREADS = 4, ROOM = 1 << 16 };
static const char *kind;
static double part, want_ms, in_calls[THREADS], in_turns[THREADS];
static char room[THREADS][ROOM];
static int zero;
static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
__attribute__((noinline)) void loop(long n) {
    volatile long i;
    for (i = 0; i < n; i++) { }
}
#define CALL "mov $110, %%eax\n syscall\n"
__attribute__((noinline)) void calls(char *to, long n) {
    if (!strcmp(kind, "assembly"))
        for (; n > 0; n -= 8)
            __asm__ volatile(CALL CALL CALL CALL CALL CALL CALL CALL :::
                             "rax", "rcx", "r11", "memory");
    else if (!strcmp(kind, "short")) while (n-- > 0) syscall(SYS_getppid);
    else while (n-- > 0) if (read(zero, to, ROOM) != ROOM) exit(3);
    __asm__ volatile("" ::: "memory");
}
static double rate(int me, int is_calls) { /* of rounds in a ms */
    double begin, ms = 0;
    long n;
    for (n = 8; ms < .5; n *= 2) {
        begin = cpu_ms();
        if (is_calls) calls(room[me], n);
        else loop(n);
        ms = cpu_ms() - begin;
    }
    return (double)n / 2 / ms;
}
static void *run(void *number) {
    int me = (int)(long)number;
    unsigned random = 5 + 77 * (unsigned)me;
    double called = rate(me, 1), looped = rate(me, 0), begin, between, end = cpu_ms() + want_ms;
    while (cpu_ms() < end) {
        double ms = .1 + (double)(random >> 16 & 1023) * .3 / 1024;
        random = random * 1103515245 + 12345;
        begin = cpu_ms();
        calls(room[me], (long)(called * ms * part) + 1);
        between = cpu_ms();
        loop((long)(looped * ms * (1 - part)) + 1);
        in_calls[me] += between - begin;
        in_turns[me] += cpu_ms() - begin;
    }
    return NULL;
}
static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }
int main(int count, char **word) {
    pthread_t threads[THREADS];
    double sum = 0, all = 0, kernel;
    struct rusage used;
    int n, wanted = count == 5 ? atoi(word[3]) : 0;
    if (wanted < 1 || wanted > THREADS) return 2;
    kind = word[1];
    part = atof(word[2]) / 100;
    want_ms = atof(word[4]) / wanted;
    zero = open("/dev/zero", O_RDONLY);
    for (n = 1; n < wanted; n++) {
        if (pthread_create(&threads[n], NULL, run, (void *)(long)n)) return 4;
    }
    run(NULL);
    for (n = 1; n < wanted; n++) pthread_join(threads[n], NULL);
    for (n = 0; n < wanted; n++) sum += in_calls[n], all += in_turns[n];
    getrusage(RUSAGE_SELF, &used);
    kernel = seconds(used.ru_stime);
    printf("%f %f\n", sum / all, kernel / (kernel + seconds(used.ru_utime)));
    return 0;
}
