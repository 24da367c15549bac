/* make_requests.c [MODE] - an unmodified program for test_record_frames.sh: 50
   requests on one thread (or on each of 4), of which number 30 parses a large
   body. Every function below is known to the compiler as code that it may not
   put into its callers. Prints how long the slow request took. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OWN __attribute__((noinline, used))
#if defined(__clang__)
#define ALONE OWN
#else
#define ALONE __attribute__((noinline, noclone, used))
#endif

static volatile unsigned sum;
static jmp_buf back;
static const char *mode = "";
static double slow_ms;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Busy for that long. */
static void work(double ms) {
    double end = cpu_ms() + ms;
    while (cpu_ms() < end) sum++;
}

ALONE void parse_header(void) { work(1); sum++; }
ALONE void parse_body(void) { work(40); sum++; }
ALONE void answer(void) { work(1); sum++; }
ALONE void never_called(void) { sum = 0; }

ALONE void handle_request(int number) {
    parse_header();
    if (number == 30) parse_body();
    if (number == 31 && !strcmp(mode, "jump")) longjmp(back, 1);
    if (number == 32 && !strcmp(mode, "deep")) handle_request(0);
    answer();
    if (!strcmp(mode, "wait") && number == 35) usleep(60000);
    sum++;
}

static void *serve(void *unused) {
    int i;
    for (i = 0; i < 50; i++) {
        double began = now_ms();
        if (setjmp(back) == 0) handle_request(i);
        if (i == 30) slow_ms = now_ms() - began;
        if (!strcmp(mode, "idle")) usleep(2000);
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread[4];
    int i;
    if (argc > 1) mode = argv[1];
    if (!strcmp(mode, "threads")) {
        for (i = 0; i < 4; i++) pthread_create(&thread[i], NULL, serve, NULL);
        for (i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    } else serve(NULL);
    printf("%.3f\n", slow_ms);
    return sum == 0;
}
