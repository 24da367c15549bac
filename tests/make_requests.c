/* make_requests.c [MODE] - an unmodified program for test_record_frames.sh: 400
   requests, 100 on each of 4 threads, or 10 in any other mode. Each 50th parses
   a large body. The compiler may put none of these functions into its callers.
   Prints how many ms of CPU time the 8 large bodies took, each. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define OWN __attribute__((noinline, used))
#if defined(__clang__)
#define ALONE OWN
#else
#define ALONE __attribute__((noinline, noclone, used))
#endif

static volatile unsigned sum;
static __thread jmp_buf back;
static const char *mode = "";
static unsigned body_us;

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static unsigned rounds_of_ms;

/* Busy for about that long, whatever else the machine does. */
OWN void work(double ms) {
    unsigned i, rounds = (unsigned)(ms * rounds_of_ms), own = sum;
    for (i = 0; i < rounds; i++) own = own * 1664525u + (own >> 7);
    sum = own;
}

static void calibrate(void) {
    double began;
    rounds_of_ms = 1000000;
    work(1);
    began = cpu_ms();
    work(5);
    rounds_of_ms = (unsigned)(5 * rounds_of_ms / (cpu_ms() - began));
}

ALONE void parse_header(void) { work(.2); sum++; }
ALONE void parse_body(void) {
    double began = cpu_ms();
    work(30);
    __atomic_fetch_add(&body_us, (unsigned)((cpu_ms() - began) * 1000), __ATOMIC_RELAXED);
}
ALONE void answer(void) { work(.3); sum++; }
ALONE void never_called(void) { sum = 0; }

ALONE void handle_request(int number) {
    parse_header();
    if (number % 50 == 30) parse_body();
    if (number == 5 && !strcmp(mode, "jump")) longjmp(back, 1);
    if (number == 6 && !strcmp(mode, "deep")) handle_request(0);
    answer();
    sum++;
}

static void *serve(void *unused) {
    volatile int i;
    for (i = 0; i < 400; i++) {
        if (setjmp(back) == 0) handle_request(i);
        if (*mode && i == (strcmp(mode, "threads") ? 9 : 99)) break;
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread[4];
    int i;
    if (argc > 1) mode = argv[1];
    calibrate();
    if (!strcmp(mode, "threads")) {
        for (i = 0; i < 4; i++) pthread_create(&thread[i], NULL, serve, NULL);
        for (i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    } else if (!strcmp(mode, "none")) work(1);
    else serve(NULL);
    printf("%.3f\n", body_us / 8e3);
    return 0;
}
