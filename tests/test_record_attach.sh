#!/bin/sh
# test_record_attach.sh - `bursty record -p PID`: time of a process that runs already; and the names of
# code that a program makes itself, there and where bursty starts it.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_attach
needs_recorder
shown=err
says() { grep -q -- "$1" err; }

# ---- bad input -------------------------------------------------------------------------------------
refused() { # TEXT OPTION...
    text=$1
    shift
    "$bursty" record "$@" >got 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && says "$text" && [ ! -s got ]
}
check "no such process" refused 'there is no process 2147483646' -p 2147483646
check "no number" refused 'is not a number' -p x
check "process 0" refused 'wants the number' -p 0
check "calls" refused 'records time alone' -p 1 --calls
check "no ticks" refused 'records time alone' -p 1 --ticks 0
check "a program, too" refused 'there is no program to start' -p 1 ls
check "seconds of a program" refused 'how long -p looks' --seconds 3 ls
check "no seconds" refused 'at least 1' -p 1 --seconds 0
echo text >mine
check "the output is something else" refused 'mine' -p $$ -o mine
check "and stays" [ "$(cat mine)" = text ]

cat >thread.c <<'P'
#include <pthread.h>
#include <unistd.h>
static void *wait(void *unused) { (void)unused; sleep(20); return NULL; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, wait, NULL);
    pthread_join(t, NULL);
    return 0;
}
P
$CC -pthread -o thread thread.c || exit 2
./thread &
pid=$! n=0
while [ "$(ls "/proc/$pid/task" | wc -l)" != 2 ] && [ $n -lt 100 ]; do sleep 0.05; n=$((n + 1)); done
thread=$(ls "/proc/$pid/task" | grep -vx "$pid")
check "a thread" refused "is a thread of process $pid" -p "$thread" --seconds 1
kill "$pid"

# ---- a process with threads, code of its own making, and a child ------------------------------------
cat >spin.c <<'P'
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int stop;
static void (*made)(int);
__attribute__((noinline)) void hot(void) { int i; for (i = 0; i < 6000; i++) __asm__ volatile(""); }
__attribute__((noinline)) void warm(void) { int i; for (i = 0; i < 2000; i++) __asm__ volatile(""); }
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static void *run(void *a) {
    while (!stop) {
        hot();
        warm();
        if (made) made(4000);
    }
    return a;
}
int main(int count, char **word) {
    static const unsigned char code[] = {0x89, 0xF9, 0xFF, 0xC9, 0x75, 0xFC, 0xC3};
    double end = now() + atof(word[1]);
    pthread_t t;
    pid_t child = 0;
    if (count > 2) {                    /* code of its own, and its names */
        unsigned char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(p + 64, code, sizeof code);
        made = (void (*)(int))(void *)(p + 64);
        if (!strcmp(word[2], "named")) {
            char path[64];
            FILE *f;
            snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
            f = fopen(path, "w");
            fprintf(f, "%lx 40 an older name\n%lx 80 JS:*made it\n", (long)p + 64, (long)p + 64);
            fclose(f);
        }
        if (!strcmp(word[2], "pipe")) {     /* a pipe that nobody writes has its name */
            char path[64];
            snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
            mkfifo(path, 0600);
        }
    }
    child = fork();
    if (child == 0) {
        made = NULL;
        while (now() < end) warm();
        _exit(0);
    }
    pthread_create(&t, NULL, run, NULL);
    printf("%ld\n", (long)getpid());
    fflush(stdout);
    while (now() < end) { hot(); warm(); if (made) made(4000); }
    stop = 1;
    pthread_join(t, NULL);
    waitpid(child, NULL, 0);
    return 7;
}
P
$CC -O1 -o spin spin.c -lpthread || exit 2
start() { # ARGUMENT...
    rm -f ready
    ./spin "$@" >ready &
    pid=$!
    n=0
    while [ ! -s ready ] && [ $n -lt 200 ]; do sleep 0.02; n=$((n + 1)); done
}
share() { # FUNCTION: its own time in percent
    "$bursty" report --brief x.brst 2>/dev/null | awk -v name="$1" '
        substr($0, length($0) - length(name)) == " " name { printf "%d", $2; exit }'
}
may_look . || leave "this system does not allow it"
start 1.8 named
"$bursty" record -p $pid --seconds 1 --ticks 500 -o x.brst 2>err
status=$?
check "attached" [ $status = 0 ]
check "ten lines" says ' hot$'
check "no hint, for there are names" lacks err ' hot$' 'made itself'
hot=$(share hot) warm=$(share warm) made=$(share 'JS:*made it')
# hot, warm and made run 6, 2 and 4 thousand rounds.
check "hot is more than warm: $hot, $warm" [ "${hot:-0}" -gt "${warm:-99}" ]
check "the code of its own has its latest name: $made" [ "${made:-0}" -ge 10 ]
check "warm is not the child's: $warm" [ "${warm:-99}" -lt 40 ]
wait $pid
check "the program ends as ever" [ $? = 7 ]
rm -f "/tmp/perf-$pid.map"

start .6 nameless
"$bursty" record -p $pid --seconds 30 -o x.brst 2>err
check "a process that ends ends it" [ $? = 0 ]
check "the hint names the cure" says 'perf-basic-prof'
check "one row" says '(code made at run time)'
wait $pid

start .6 pipe
"$bursty" record -p $pid --seconds 30 -o x.brst 2>err
check "a pipe in the place of the names" [ $? = 0 ]
check "is no file of names" says '(code made at run time)'
wait $pid
rm -f "/tmp/perf-$pid.map"

start 1.4
"$bursty" record -p $pid --seconds 30 --quiet -o x.brst 2>err &
tool=$!
sleep 0.6
kill -TERM $tool
wait $tool
check "who stops it gets what there is" [ $? = 0 ]
check "in silence" [ ! -s err ]
check "and the file" [ "$(share hot)" -gt 30 ]
wait $pid

sleep 5 &
check "a process that waits" refused 'no CPU time' -p $! --seconds 1 -o y.brst
check "leaves no file" [ ! -e y.brst ]

# ---- the same code where bursty starts the program ---------------------------------------------------
started() { # HOW: its status in $status; what the program leaves in /tmp goes
    "$bursty" record -o x.brst ./spin 0.5 "$1" >got 2>err
    status=$?
    read -r made <got && rm -f "/tmp/perf-$made.map"
}
started named
check "started" [ $status = 7 ]
check "the code has its name" says 'JS:\*made it'
started nameless
check "started without names" [ $status = 7 ]
check "one row, started" says '(code made at run time)'
check "and the cure, started" says 'perf-basic-prof'
started pipe
check "a pipe in the place of the names is not opened" [ $status = 7 ]
check "and names nothing" says '(code made at run time)'
finish
