#!/bin/sh
# test_hcct_ticks.sh - time by ticks from the recorder of -finstrument-functions: shares, stacks,
# threads, fork, exec, exit, longjmp, deep recursion, blocked signals, signals in use, dlclose.
# Programs run until they have used their CPU time, however long that takes.
CC=${CC:-cc} BUILD=${BUILD:-build}
dir=$BUILD/tests/hcct_ticks
. tests/recorder.sh
cat >"$dir/program.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define APART __attribute__((noinline))
#define SILENT __attribute__((no_instrument_function))
static jmp_buf env;
static volatile unsigned sink;
static volatile int signals;
SILENT static void count(int number) {
    (void)number;
    signals = signals + 1;
}
/* A handler before the first hook. */
__attribute__((constructor)) SILENT static void before(void) {
    if (getenv("SIGNAL_IN_USE")) signal(SIGRTMAX - 3, count);
}
/* Milliseconds of the thread's CPU time, but for those in which the machine stood still, as a guest
   of a busy host does: no tick comes then. */
SILENT static long now(void) {
    static __thread long ran, before;
    struct timespec t;
    long us;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    us = (long)t.tv_sec * 1000000 + (long)t.tv_nsec / 1000;
    ran += us - before < 4000 ? us - before : 4000;
    before = us;
    return ran / 1000;
}
/* A busy machine's clock may look at a thread rarely. So time also has to bring its ticks. */
#include "record/inside/core/sampled.h"
const sampled_ticks *thread_ticks(void); /* of this thread; NULL: it has no timer */
int timer_from(int ms); /* the first tick in ms of CPU time, the others as ever; 0: none */
SILENT static inline __attribute__((always_inline)) unsigned long ticks_seen(void) {
    const volatile sampled_ticks *t = thread_ticks();
    unsigned long n = t != NULL;
    uint32_t i;
    for (i = 0; t && i < t->paths_used; i++) n += (unsigned long)t->paths[i].ticks;
    return n;
}
SILENT static int used(long since, int ms) {
    static __thread unsigned long before;
    unsigned long ticks = ticks_seen();
    if (ticks < before) before = 0; /* a child of fork, which begins anew */
    if (now() - since < ms) return 0;
    if (ticks && ticks - before < (unsigned long)ms / 5 && now() - since < 20 * ms) return 0;
    before = ticks;
    return 1;
}
APART static void spin(unsigned n) {
    while (n--) sink = sink + n;
}
APART static void often(void) { spin(28000); sink = 1; }
APART static void seldom(void) { spin(1000); sink = 2; }
APART static unsigned nothing(unsigned a, unsigned b, unsigned c) { return a + b * c; }
APART static void calls(int ms) {
    long start = now();
    unsigned n;
    while (!used(start, ms)) {
        for (n = 0; n < 150000; n++) sink = nothing(n, sink, n);
    }
    sink = 9;
}
/* The clock is read now and then: where a machine has much to do, many of its stops are there. */
APART static void run(int ms) {
    long start = now();
    unsigned n = 0;
    while (n++ % 64 || !used(start, ms)) {
        often();
        seldom();
    }
    sink = 3;
}
APART static void dive(int n) {
    if (n == 0) longjmp(env, 1);
    dive(n - 1);
    sink = 1;
}
APART static void landed(int ms) {
    long start = now();
    while (!used(start, ms)) spin(400000);
    sink = 4;
}
APART static void wide(int ms) { /* its frame reaches below those that the jump has left */
    volatile char room[600];
    room[ms] = 1;
    (void)used(0, 0); /* what comes from now on counts */
    landed(ms);
    sink = room[ms];
}
/* No tick comes while dive runs. Those that come later are its own, for it calls nothing then: not
   even to look whether they came. */
APART static int jumps(int ms) {
    const volatile sampled_ticks *t = thread_ticks();
    unsigned long before = ticks_seen(), seen = before;
    int failed = !t || timer_from(0);
    if (!setjmp(env)) dive(5);
    if (failed || timer_from(100)) return 1;
    while (seen < before + 25) {
        uint32_t i;
        for (i = 0; i < 100000; i++) sink = sink + 1;
        for (i = 0, seen = 1; i < t->paths_used; i++) seen += (unsigned long)t->paths[i].ticks;
    }
    wide(ms);
    sink = 5;
    return 0;
}
APART static void deep(int n, int ms) {
    if (n) deep(n - 1, ms);
    else run(ms);
    sink = (unsigned)n;
}
APART static void one(int ms) { landed(ms); sink = 6; }
APART static void two(int ms) { landed(ms); sink = 7; }
static void *first(void *p) { one(150); return p; }
static void *second(void *p) { two(150); return p; }
static void *brief(void *p) { landed(3); return p; }
static void *leaver(void *p) {
    one(120);
    exit(7);
    return p;
}
APART static void blocked(int ms) {
    long start = now();
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    while (now() - start < ms) spin(400000);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    sink = 8;
}
int main(int argc, char **argv) {
    struct itimerval every = {{0, 5000}, {0, 5000}};
    pthread_t t[2];
    int status = 0;
    switch (argc > 1 ? argv[1][0] : 'r') {
    case 'c': calls(600); break;
    case 'j': return jumps(100);
    case 'd': deep(argc > 2 ? atoi(argv[2]) : 1000, 100); break;
    case 't':
        pthread_create(&t[0], 0, first, 0);
        pthread_create(&t[1], 0, second, 0);
        pthread_join(t[0], 0);
        pthread_join(t[1], 0);
        break;
    case 'm': /* many threads, each shorter than the kernel's clock may be */
        for (status = 0; status < 100; status++) {
            pthread_create(&t[0], 0, brief, 0);
            pthread_join(t[0], 0);
        }
        status = 0;
        break;
    case 'l':
        pthread_create(&t[0], 0, leaver, 0);
        pthread_join(t[0], 0);
        break;
    case 'f':
        one(60);
        if (fork() == 0) {
            two(60);
            exit(0);
        }
        wait(&status);
        break;
    case 'x':
        one(30);
        execl(argv[0], argv[0], "2", (char *)NULL);
        return 1;
    case '2': two(60); break;
    case '_': one(60); _exit(9);
    case 'b': blocked(60); (void)used(0, 0); one(300); break; /* at least 60 ticks */
    case 'p': /* the program's own profiling timer */
        signal(SIGPROF, count);
        setitimer(ITIMER_PROF, &every, NULL);
        run(100);
        while (signals == 0 && status++ < 100) run(10); /* the kernel may be late */
        return signals == 0;
    case 's':
        run(30);
        raise(SIGRTMAX - 3);
        return signals != 1;
    default: run(argc > 2 ? atoi(argv[2]) : 300);
    }
    return status;
}
END_OF_FILE
$CC -O1 -I. -c -finstrument-functions -o "$dir/program.o" "$dir/program.c" 2>"$dir/log" &&
    echo 'int main(void) { return 0; }' >"$dir/t.c" &&
    $CC -pthread -include elf.h -include sys/mman.h -include ucontext.h -o "$dir/t" "$dir/t.c" \
        2>/dev/null || {
    leave "$CC has no -finstrument-functions"
}
objects=
for file in instrument settings calls threads names dump ticks sampled; do
    $CC -O1 -I. -c -o "$dir/$file.o" record/inside/[ch]o*/"$file.c"
    ok $? "$file.c does not compile"
    objects="$objects $file.o"
done
cat >"$dir/seen.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include "record/inside/core/recorder.h"
#include "record/inside/core/sampled.h"
#include <sys/syscall.h>
#include <unistd.h>
const sampled_ticks *thread_ticks(void) {
    const recorder_thread *r = recorder_self();
    return r ? (const sampled_ticks *)r->ticks : NULL;
}
int timer_from(int ms) {
    long when[4] = {0, 4000000, 0, ms * 1000000L}; /* the interval; the first */
    return (int)syscall(SYS_timer_settime, 0, 0, when, NULL);
}
END_OF_FILE
$CC -O1 -I. -c -o "$dir/seen.o" "$dir/seen.c"
# shellcheck disable=SC2086
(cd "$dir" && $CC -pthread -o program program.o seen.o $objects)
ok $? "the program does not compile"

out=$dir/out.brst
ticked() { # ARGUMENTS: runs the program with ticks; report's rows go to $dir/text
    rm -f "$out" "$out".*
    BURSTY_CONTEXTS=$out BURSTY_CONTEXTS_TICKS=${HZ:-250} "$dir/program" "$@" 2>"$dir/err"
    status=$?
    read_report "$out"
}
read_report() { "$bursty" report --min 0 "$1" >"$dir/text" 2>&1; }
# Columns: rank self from to total from to ticks function.
share() { # COLUMN FUNCTION
    awk -v c="$1" -v f="$2" '/^rank/ { on = 1; next } /^$/ { on = 0 } on {
        sub("%", "", $c)
        if ($9 == f) n = $c
    } END { print int(n) }' "$dir/text"
}
self() { share 2 "$1"; }
total() { share 5 "$1"; }
count() { sed -n 's/^ticks \([0-9]*\),.*/\1/p' "$dir/text"; }
stacks() { "$bursty" report --collapsed --by ticks "$@" | sed 's/ [0-9]*$//' | LC_ALL=C sort; }

ticked run 300
[ "$status" = 0 ] && [ ! -s "$dir/err" ] && [ "$(self spin)" -ge 70 ] &&
    [ "$(total often)" -ge 65 ] && [ "$(total seldom)" -le 20 ] && [ "$(total main)" -ge 98 ]
ok $? "shares: $(cat "$dir/err" "$dir/text")"
# 300 ms are 75 ticks, and however coarse the kernel's clock is, none is lost.
[ "$(count)" -ge 55 ] && [ "$(count)" -le 110 ]
ok $? "$(count) ticks in 300 ms"
stacks "$out" | grep -qx 'main;run;often;spin'
ok $? "stacks: $(stacks "$out")"
stacks "$out" | grep -vE '^(main|\(outside\))$' |
    grep -vE '^main;run(;(often|seldom)(;spin)?)?$' >"$dir/wrong"
[ ! -s "$dir/wrong" ]
ok $? "stacks that do not exist: $(cat "$dir/wrong")"
lacks "$dir/text" ' spin$' 'calling contexts'
ok $? "calls were counted, too"

# Calls and time in one run: all calls, or bursts.
for every in 0 40; do
    export BURSTY_CONTEXTS_EVERY=$every BURSTY_CONTEXTS_BURST=10
    ticked run 100
    unset BURSTY_CONTEXTS_EVERY BURSTY_CONTEXTS_BURST
    [ ! -s "$dir/err" ] && grep -q 'calling contexts' "$dir/text" && [ "$(self spin)" -ge 60 ] &&
        stacks "$out" | grep -qx 'main;run;often;spin'
    ok $? "$every calls between bursts: $(cat "$dir/err" "$dir/text")"
done

# What a jump has left gets no more time: none but jumps ran when its 25 ticks came.
ticked jump
[ "$status" = 0 ] && [ "$(total landed)" -ge 15 ] && [ "$(total landed)" -le 85 ]
ok $? "longjmp: status $status, $(cat "$dir/text")"
if echo | $CC -dM -E - 2>/dev/null | grep -q __x86_64__; then
    "$bursty" report --collapsed --by ticks "$out" >"$dir/stacks"
    own=$(sed -n 's/^main;jumps //p' "$dir/stacks")
    [ "${own:-0}" -ge 25 ] && grep -q '^main;jumps;wide;landed' "$dir/stacks" &&
        ! grep -q dive "$dir/stacks"
    ok $? "longjmp: stacks: $(cat "$dir/stacks")"
fi

# A function that is almost nothing but its entry and exit gets the time that these take.
if echo | $CC -dM -E - 2>/dev/null | grep -q __x86_64__ &&
    ! echo | $CC -dM -E - | grep -q __clang__; then
    ticked calls
    [ "$status" = 0 ] && [ "$(self nothing)" -ge 10 ]
    ok $? "entry and exit of a function: $(cat "$dir/text")"
fi

# Deep recursion: the outermost calls and the innermost one.
for depth in 1000 6000; do
    ticked deep $depth
    [ "$status" = 0 ] && [ "$(total main)" -ge 90 ] &&
        stacks "$out" | grep -q '^main;deep;deep;.*;(deep)'
    ok $? "deep: $(head -n 20 "$dir/text")"
    if [ $depth = 1000 ]; then
        [ "$(self spin)" -ge 60 ]
        ok $? "deep: innermost: $(head -n 20 "$dir/text")"
    fi
done

ticked threads
[ "$status" = 0 ] && [ "$(total one)" -ge 5 ] && [ "$(total two)" -ge 5 ] &&
    stacks "$out" | grep -q '^first;one;landed'
ok $? "threads: $(cat "$dir/text")"
# 100 threads of 3 ms are 75 ticks. Those that are due when a thread ends are not lost.
ticked many
[ "$status" = 0 ] && [ "$(count)" -ge 40 ] && [ "$(count)" -le 150 ] &&
    [ "$(total brief)" -ge 60 ] &&
    stacks "$out" >"$dir/stacks" && ! grep 'end of thread' "$dir/stacks" | grep -qvx 'brief;(end of thread)'
ok $? "short threads: $(cat "$dir/text")"
ticked leaver
[ "$status" = 7 ] && [ "$(total one)" -ge 60 ]
ok $? "exit in a thread: status $status, $(cat "$dir/text")"

ticked fork
[ "$status" = 0 ] && [ "$(total one)" -ge 60 ] && [ "$(total two)" = 0 ]
ok $? "fork: the parent: $(cat "$dir/text")"
set -- "$out".*
read_report "$1"
[ $# = 1 ] && [ "$(total two)" -ge 60 ] && [ "$(total one)" = 0 ]
ok $? "fork: the child: $(cat "$dir/text")"

# The program that exec starts has timers of its own, and none of before.
HZ=10000 ticked x
[ "$status" = 0 ] && [ "$(total two)" -ge 60 ] && [ "$(total one)" = 0 ]
ok $? "exec: status $status, $(cat "$dir/text")"
ticked _exit
[ "$status" = 9 ] && [ "$(total one)" -ge 60 ]
ok $? "_exit: status $status, $(cat "$dir/text")"

# 60 ms without signals come as one: at most 100 of its ticks count.
HZ=10000 ticked blocked
[ "$status" = 0 ] && grep -q 'ticks late' "$dir/text" && [ "$(total one)" -ge 30 ]
ok $? "blocked signals: $(cat "$dir/text")"

ticked profiling
[ "$status" = 0 ] && [ "$(self spin)" -ge 60 ]
ok $? "the program's SIGPROF: status $status, $(cat "$dir/text")"
export SIGNAL_IN_USE=1
ticked signal
unset SIGNAL_IN_USE
[ "$status" = 0 ] && grep -q '^hcct: no ticks: signal [0-9]* is in use$' "$dir/err"
ok $? "its handler: status $status, $(cat "$dir/err")"

for hz in x 0 10001; do
    HZ=$hz ticked run 10
    grep -q "^hcct: BURSTY_CONTEXTS_TICKS: '$hz' is not valid" "$dir/err"
    ok $? "$hz: $(cat "$dir/err")"
done

# Libraries: one is unloaded, and another one comes, perhaps to its place.
cat >"$dir/host.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <time.h>
static int run(const char *path) {
    clock_t start = clock();
    void *library = dlopen(path, RTLD_NOW);
    void (*call)(void);
    if (!library) return 1;
    *(void **)&call = dlsym(library, "entry");
    while ((clock() - start) / (CLOCKS_PER_SEC / 1000) < 300) call();
    return dlclose(library);
}
int main(int argc, char **argv) { return argc < 3 || run(argv[1]) || run(argv[2]); }
END_OF_FILE
cat >"$dir/plug.c" <<'END_OF_FILE'
void entry(void);
static volatile int sink;
__attribute__((noinline)) static void NAME(int n) { while (n--) sink = n; }
void entry(void) { NAME(500000); sink = 1; }
END_OF_FILE
# Each has half of 150 ticks; below a tenth it is once in 10^20 runs, and once in 10^6 if three in four
# ticks come late and at once, as they may on a busy machine.
runs_host() {
    BURSTY_CONTEXTS=$out BURSTY_CONTEXTS_TICKS=250 "$dir/host" "$dir/libearly.so" \
        "$dir/liblater.so" 2>/dev/null && read_report "$out"
}
# shellcheck disable=SC2086
if (cd "$dir" && for name in early later; do
    $CC -O1 -fPIC -shared -DNAME=$name -o lib$name.so plug.c || exit 1
done && $CC -o host host.c -ldl && ./host ./libearly.so ./liblater.so) 2>/dev/null; then
    (cd "$dir" && for name in early later; do
        $CC -O1 -fPIC -shared -finstrument-functions -DNAME=$name -o lib$name.so plug.c || exit 1
    done && $CC -O1 -finstrument-functions -c host.c &&
        $CC -rdynamic -pthread -o host host.o $objects -ldl) && runs_host
    ok $? "dlclose: the program"
    [ "$(self early)" -ge 10 ] && [ "$(self later)" -ge 10 ] && [ "$(total run)" -ge 90 ]
    ok $? "dlclose: $(cat "$dir/text")"
else
    skip "$CC makes no libraries to load"
fi
finish
