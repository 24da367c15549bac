#!/bin/sh
# test_record_outside.sh - `bursty record --outside`: time of a program that is started, by the
# kernel's events. A game in step with the scheduler, threads of 1 to 3 ms, a static program.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_outside
needs_recorder
shown=err

refused() { # TEXT OPTION...
    text=$1
    shift
    "$bursty" record "$@" >got 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$text" err && [ ! -s got ]
}
check "calls" refused 'records time alone' --outside --calls true
check "children" refused 'records time alone' --outside --follow true
check "no ticks" refused 'records time alone' --outside --ticks 0 true
check "a process that runs" refused 'looks from outside always' --outside -p 1
may_look . stacks || leave "this system does not allow it"
check "no program" refused 'No such file' --outside ./none
echo text >mine
check "the output is something else" refused 'mine' --outside -o mine true
check "and stays" [ "$(cat mine)" = text ]

# Both parts take the same CPU time, but for what the machine does to them: so they say how much.
cat >parts.c <<'P'
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double cpu_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
static volatile unsigned sink;
static double of_update, of_job;
__attribute__((noinline)) static double spin(double ms) {
    double begin = cpu_ms(CLOCK_THREAD_CPUTIME_ID), now = begin;
    while (now < begin + ms) {
        int i;
        for (i = 0; i < 20000; i++) sink++;
        now = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
    }
    return now - begin;
}
__attribute__((noinline)) void update(double ms) { of_update += spin(ms); sink = 1; }
__attribute__((noinline)) void job(double ms) { of_job += spin(ms); sink = 2; }
static void *run(void *ms) { job(*(double *)ms); return NULL; }
int main(int argc, char **argv) {
    static double ms[] = {1, 2, 3};
    int n, rounds = atoi(argv[2]);
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec = t.tv_nsec / 4000000 * 4000000 + 100000;     /* behind a tick of the scheduler */
    for (n = 0; n < rounds; n++) {
        pthread_t thread;
        if (!strcmp(argv[1], "game")) {                     /* 50 frames a second */
            t.tv_nsec += 20000000;
            if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
            update(1.8);
            job(1.8);
        } else {
            if (pthread_create(&thread, NULL, run, &ms[n % 3])) return 1;
            pthread_join(thread, NULL);
            update(ms[n % 3]);
        }
    }
    printf("%f %f\n", of_job / (of_job + of_update), cpu_ms(CLOCK_PROCESS_CPUTIME_ID));
    return 6 + argc / 3;
}
P
$CC -O1 -g -pthread -o parts parts.c || exit 2

# The share that the report gives to job, of both; and all ticks, one each ms. Ticks of one look
# count as one: Hoeffding's bound for half of the ticks leaves a chance below 10^-6.
is_true() { # CASE ROUNDS
    "$bursty" record --outside -o x.brst "$3" "$1" "$2" >said 2>err
    [ $? = 7 ] || return 1
    "$bursty" report --csv x.brst >csv || return 1
    awk -F, -v said="$(cat said)" '
        { all += $8 }
        $9 == "job" { job = $5 }
        $9 == "update" { update = $5 }
        END {
            split(said, truth, " ")
            share = job / (job + update)
            far = share > truth[1] ? share - truth[1] : truth[1] - share
            printf "%.3f for %.3f, %d ticks for %d ms\n", share, truth[1], all, truth[2]
            if (far >= sqrt(log(2000000) / all)) exit 1
            exit !(all > .8 * truth[2] && all < 1.25 * truth[2] + 20)
        }' csv >>err
}
check "a game in step with the scheduler" is_true game 100 ./parts
check "it says how it looked" grep -q 'from outside, nothing was preloaded' err
"$bursty" report x.brst >all
check "the report says it, too" grep -q 'by looks from outside' all
check "with places" grep -q 'job,parts.c:' csv
check "threads of 1 to 3 ms" is_true threads 150 ./parts
grep -v '^_=' <<E >plain
$(env)
E
"$bursty" record --outside --quiet -o x.brst env 2>err | grep -v '^_=' >seen
check "the program's environment is as it is" cmp plain seen
"$bursty" record --outside -o x.brst sh -c './parts game 10; kill -9 $$' >got 2>err
check "it dies as the program does" [ $? = 137 ]
check "the time of children is said" grep -q 'the programs that it started used' err
if $CC -O1 -g -static -pthread -o static parts.c 2>log; then
    check "a static program" is_true threads 60 ./static
else skip "no static C library"
fi
finish
