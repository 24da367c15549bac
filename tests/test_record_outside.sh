#!/bin/sh
# test_record_outside.sh - time of a program that is started, by the kernel's events: a game in step
# with the scheduler, threads of 1 to 3 ms, 20 000 threads, a static program, children, programs that
# become others, lines, code without tables, handlers of signals; and what happens where the system
# forbids it.
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
check "frames" refused 'records time alone' --outside --frames main true
check "no ticks" refused 'records time alone' --outside --ticks 0 true
check "a process that runs" refused 'looks from outside always' --outside -p 1
check "a process that runs, inside" refused 'looks from outside always' --inside -p 1

# ---- where the system forbids it: a filter of system calls, as in a container ------------------------
cat >forbid.c <<'P'
#define _GNU_SOURCE 1
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **word) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {4, code};
    if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 99;
    execvp(word[1], word + 1);
    return 98;
}
P
cat >burn.c <<'P'
#include <time.h>
static volatile unsigned sink;
__attribute__((noinline)) void hot(void) { int i; for (i = 0; i < 20000; i++) sink++; }
int main(void) { while (clock() < CLOCKS_PER_SEC / 5) hot(); return 7; }
P
$CC -O1 -g -o burn burn.c || exit 2
"$bursty" record --inside -o x.brst ./burn 2>err
check "inside: it ends as ever" [ $? = 7 ]
grep '^bursty: wrote x' err >last
check "inside: nothing is said of it" lacks last 'wrote x' 'outside\|for kernel'
"$bursty" report x.brst >all
check "inside: the report says it" grep -q 'by a timer in the program' all
"$bursty" record --frames hot -o x.brst ./burn 2>err
check "an option that needs a recorder" grep -q 'by a timer in the program, for --frames needs a recorder there' err
if $CC -O1 -o forbid forbid.c 2>log && ./forbid true; then
    ./forbid "$bursty" record -o x.brst ./burn 2>err
    check "forbidden: it ends as ever" [ $? = 7 ]
    check "forbidden: the other way" grep -q '^bursty: wrote x.brst, by a timer in the program, for kernel.perf_event_paranoid is too high (-*[0-9]*); ' err
    ./forbid "$bursty" record --quiet -o x.brst ./burn 2>err
    check "forbidden: in silence" empty err
    ./forbid "$bursty" record --outside -o y.brst ./burn 2>err
    check "forbidden, and nothing else is wanted" [ "$? $(wc -l <err)" = '2 1' -a ! -e y.brst ]
    check "forbidden: the reason" grep -q 'may not be looked at from outside, for kernel.perf_event_paranoid' err
else skip "no seccomp"
fi
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
is_true() { # CASE ROUNDS PROGRAM
    "$bursty" record -o x.brst "$3" "$1" "$2" >said 2>err
    [ $? = 7 ] || return 1
    "$bursty" report --csv --only time x.brst >csv || return 1
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
"$bursty" record --quiet -o x.brst env 2>err | grep -v '^_=' >seen
check "the program's environment is as it is" cmp plain seen
"$bursty" record -o x.brst sh -c './parts game 10; kill -9 $$' >got 2>err
check "it dies as the program does" [ $? = 137 ]
check "the time of children is said" grep -q 'the programs that it started used' err
if $CC -O1 -g -static -pthread -o static parts.c 2>log; then
    check "a static program" is_true threads 60 ./static
else skip "no static C library"
fi

# 20 000 threads, most of which end before the first look: together they have what they had.
cat >many.c <<'P'
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static volatile unsigned sink;
static double in_threads;
static double cpu_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
__attribute__((noinline)) void job(void) { int i; for (i = 0; i < 20000; i++) sink++; }
static void *run(void *unused) {
    job();
    in_threads += cpu_ms(CLOCK_THREAD_CPUTIME_ID);
    return unused;
}
int main(void) {
    int n;
    for (n = 0; n < 20000; n++) {
        pthread_t t;
        if (pthread_create(&t, NULL, run, NULL)) return 1;
        pthread_join(t, NULL);
    }
    printf("%f %f\n", in_threads / cpu_ms(CLOCK_PROCESS_CPUTIME_ID), cpu_ms(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
P
$CC -O1 -g -pthread -o many many.c || exit 2
"$bursty" record -o x.brst ./many >said 2>err
"$bursty" report --min 0 --csv --only time x.brst >csv
# What a thread does behind its last look at the clock is not in the truth. What the kernel does before
# a thread begins and when it has ended, some 20 us of each, is in no event.
threads_are_true() {
    awk -F, -v truth="$(cat said)" '
        { all += $8 }
        $9 == "(threads that ended before a look)" { none = $5 }
        $9 == "job" { job = $5 }
        END {
            share = none + job
            split(truth, t, " ")
            printf "%.3f for %.3f, %d ticks for %d ms\n", share, t[1], all, t[2]
            exit !(share > t[1] - .1 && share < t[1] + .25 && all > .5 * t[2] && all < 1.25 * t[2] + 20)
        }' csv >>err
}
check "20 000 threads" threads_are_true

# Threads of .15 ms that change what they do, by their own clocks, and processes of 1 ms. What looks at
# them is worth is in the intervals: made 4 times as wide, they miss the truth once in 10^9.
cat >change.c <<'P'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sink;
static double *ns;
static unsigned rounds;
static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
__attribute__((noinline)) void one(void) {
    unsigned n;
    for (n = 0; n < 2 * rounds; n++) sink += n;
}
__attribute__((noinline)) void two(void) {
    unsigned n;
    for (n = 0; n < rounds; n++) sink += 3 * n;
}
static void *run(void *unused) {
    double began = cpu_ns(), middle;
    one();
    middle = cpu_ns();
    two();
    ns[0] += middle - began;
    ns[1] += cpu_ns() - middle;
    return unused;
}
static int begin_late(void) {
    cpu_set_t processor;
    while (cpu_ns() < 3e8) sink++;
    CPU_ZERO(&processor);
    CPU_SET(sched_getcpu(), &processor);
    return sched_setaffinity(0, sizeof processor, &processor);
}
int main(int count, char **word) {
    int n;
    ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (count > 3 && word[3][0] == 'l') {
        if (begin_late()) return 1;
        count = 3;
    }
    rounds = (unsigned)atoi(word[1]);
    for (n = 0; n < atoi(word[2]); n++) {
        pthread_t t;
        if (count > 3 && fork() == 0) {
            run(NULL);
            _exit(0);
        }
        if (count > 3) wait(NULL);
        else if (pthread_create(&t, NULL, run, NULL)) return 1;
        else pthread_join(t, NULL);
    }
    printf("%f %f\n", ns[0] / (ns[0] + ns[1]), (cpu_ns() + ns[0] + ns[1]) / 1e6);
    return 0;
}
P
$CC -O1 -g -pthread -o change change.c || exit 2
# change WHAT ROUNDS THREADS [fork or late]: the share of `one` in the time of both, and all of the time.
# late: the first thread has worked for .3 s by then, and all have one processor
change() {
    what=$1
    shift
    rm -f x.brst x.brst.*
    "$bursty" record --follow --quiet -o x.brst ./change "$@" >said 2>err
    "$bursty" merge -o sum.brst $(ls x.brst x.brst.* 2>/dev/null) 2>>err
    "$bursty" report --min 0 --csv --only time sum.brst >csv
    awk -F, -v said="$(cat said)" '
        BEGIN { split(said, is, " "); truth = is[1]; ms = is[2] }
        { all += $8 }
        $9 == "one" { one = $8; low = $2 - $3; high = $4 - $2; claims = $3 != "" }
        $9 == "two" { two = $8 }
        $9 == "(threads that ended before a look)" { none = $8 }
        END {
            share = one / (one + two)
            off = 4 * (share > truth ? low : high) * all / (one + two) + .02
            printf "%.3f for %.3f, off by at most %.3f, of %d ticks in %d ms %d unknown\n", share, truth, off,
                all, ms, none
            exit !(all > 100 && all > .75 * ms && none < .25 * all && (!claims || (share > truth - off && share < truth + off)))
        }' csv >>err
    check "$what that change what they do: $(tail -n 1 err)" [ $? = 0 ]
}
change 'threads of .15 ms' 25000 4000
change 'threads of 1 ms' 200000 600
change 'threads of 1 ms, late' 200000 300 late
change 'processes of 1 ms' 200000 400 fork

# Threads that take turns on one processor: their timers are not stopped and started at each switch,
# which took 9 times as long.
cat >turns.c <<'P'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static int there[2], back[2];
static void *answer(void *unused) {
    char c;
    int n;
    for (n = 0; n < 50000 && read(there[0], &c, 1) == 1; n++) {
        if (write(back[1], &c, 1) != 1) break;
    }
    return unused;
}
int main(void) {
    cpu_set_t one;
    pthread_t t;
    char c = 0;
    int n;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) || pipe(there) || pipe(back)) return 1;
    if (pthread_create(&t, NULL, answer, NULL)) return 1;
    for (n = 0; n < 50000; n++) {
        if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 1;
    }
    pthread_join(t, NULL);
    printf("%ld\n", (long)(clock() / (CLOCKS_PER_SEC / 1000)));
    return 0;
}
P
$CC -O1 -pthread -o turns turns.c || exit 2
./turns >plain && "$bursty" record --quiet -o x.brst ./turns >said 2>err
check "threads that take turns: $(cat said) ms for $(cat plain)" [ "$(cat said)" -lt $((4 * $(cat plain))) ]

# ---- lines, children, other programs -----------------------------------------------------------------
cat >family.c <<'P'
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) void burn(unsigned rounds) {
    while (rounds--) sink++; /* line 6 */
}
__attribute__((noinline)) void parent(void) { burn(40000000); }
__attribute__((noinline)) void child(void) { burn(40000000); }
__attribute__((noinline)) void other(void) { burn(40000000); }
int main(int count, char **word) {
    if (count > 1 && !strcmp(word[1], "other")) {
        other();
        return 3;
    }
    if (count > 1 && fork() == 0) {
        child();
        execl(word[0], word[0], "other", (char *)0);
    }
    parent();
    wait(NULL);
    return 5;
}
P
$CC -O0 -g -o family family.c || exit 2
"$bursty" record --lines -o x.brst ./family >got 2>err
check "lines: it ends as ever" [ $? = 5 ]
"$bursty" report --min 0 x.brst >text
check "lines: where the time is" grep -q '^ *\(100\|[6-9][0-9]\)[0-9.]*% .* family\.c:6 *burn' text
check "lines: and the function" grep -q '% .* burn *family\.c:5$' text
# Each part is .1 s: of its ticks none is another's.
# total FUNCTION FILE: its total share in whole percent
total() { "$bursty" report --min 0 "$2" | awk -v f="$1" '/^rank/ { reads = 1 } reads && $9 == f { print int($5); exit }' | grep . || echo 0; }
rm -f x.brst*
"$bursty" record --follow -o x.brst ./family fork >got 2>err
check "children: it ends as ever" [ $? = 5 ]
check "children: three files: $(echo x.brst*)" [ "$(echo x.brst* | wc -w)" = 3 ]
child=$(ls x.brst.*[0-9].1) && child=${child%.1}
check "children: the parent" [ "$(total parent x.brst)" -ge 80 ]
check "children: and nothing else" [ "$(total child x.brst)$(total other x.brst)" = 00 ]
check "children: before it became another program" [ "$(total child "$child.1")" -ge 80 ]
check "children: and then" [ "$(total other "$child")" -ge 80 ]
check "children: nothing of its parent" [ "$(total parent "$child.1")$(total child "$child")" = 00 ]
rm -f x.brst*
"$bursty" record --follow -o x.brst sh -c './family; exec ./family other' >got 2>err
check "becoming another program: it ends as that does" [ $? = 3 ]
check "becoming another program: the last one" [ "$(total other x.brst)" -ge 80 ]
"$bursty" record -o x.brst sh -c 'exec ./family other' >got 2>err
"$bursty" report x.brst >text
check "without --follow the file has the last name" [ "$(head -n 1 text)" = family ]
check "and that one's functions" [ "$(total other x.brst)" -ge 80 ]
printf '#!/bin/sh\n(sleep 600; exit) >/dev/null 2>&1 &\necho $!\n' >leaves && chmod +x leaves
"$bursty" record -o x.brst ./leaves >got 2>err
check "a child that goes on" grep -q '^bursty: a child of the program goes on, and it is not recorded' err
kill "$(cat got)"

# A server that goes into the background holds nothing of its caller. It serves before the
# program ends and when the gate opens, with a helper, and then waits for the gate again.
cat >server.c <<'P'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) void burn(unsigned rounds) { while (rounds--) sink++; }
__attribute__((noinline)) void starts(void) { burn(40000000); }
__attribute__((noinline)) void serves(void) { burn(50000000); }
__attribute__((noinline)) void helps(void) { burn(40000000); }
int main(void) {
    char word;
    int n, gate = open("gate", O_RDWR), done = open("done", O_RDWR);
    starts();
    if (fork() != 0) return read(done, &word, 1) == 1 ? 4 : 5;
    setsid();
    alarm(300); /* if the test has failed, and nobody opens the gate */
    for (n = 0; n <= 2; n++) dup2(gate, n);
    serves();
    if (write(done, "\n", 1) != 1) return 2;
    if (read(gate, &word, 1) != 1) return 1;
    serves();
    if (fork() == 0) { helps(); return 0; }
    wait(NULL);
    return write(done, "\n", 1) != 1 || read(gate, &word, 1) != 1;
}
P
$CC -O1 -g -o server server.c || exit 2
mkfifo gate done || exit 2
exec 3<>gate 4<>done
serve() { # [kill]: is the server's file that of what it did, and the helper's?
    rm -f x.brst*
    "$bursty" record --follow -o x.brst ./server 2>&1 | cat >err      # until nobody writes there
    other=$(sed -n 's/.* `kill \([0-9]*\)` ends that sooner$/\1/p' err)
    kill -0 "$other" && [ "$(echo x.brst*)" = x.brst ] || return 1
    echo >&3
    read -r word <&4
    if [ $# = 0 ]; then echo >&3; else kill "$other"; fi
    wait_for is_gone
    [ $# = 0 ] || echo >&3
    [ "$(echo x.brst* | wc -w)" = 3 ] || return 1
    for file in x.brst.*; do echo "$(total serves "$file") $(total helps "$file") $(total starts "$file")"; done |
        sort -n >parts
    sed 's/\(100\|[89][0-9]\)/most/' parts | tr '\n' ';' | grep -qx '0 most 0;most 0 0;' &&
        [ "$(total starts x.brst)" -ge 80 ] && [ "$(total serves x.brst)$(total helps x.brst)" = 00 ]
}
is_gone() { ! kill -0 "$other" 2>log; }
shown=parts
check "a server in the background is recorded to its end" serve
check "or up to where somebody asks for it" serve kill
shown=err
"$bursty" record --follow --quiet -o x.brst ./server >got 2>err
check "it ends as the program does, and says nothing" [ $? = 4 -a ! -s err ]
printf '\n\n' >&3
read -r word <&4

# ---- code without tables, handlers, the kernel -------------------------------------------------------
cat >frames.c <<'P'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) void deep(unsigned rounds) { while (rounds--) sink++; }
__attribute__((noinline)) void between(void) {
    volatile char room[200];
    unsigned n;
    for (n = 0; n < sizeof room; n++) room[n] = 1; /* what had lain there may look like callers */
    deep(100000000);
    room[1] = 2;
}
__attribute__((noinline)) void above(void) { between(); sink++; }
static void handle(int number) { (void)number; above(); }
int main(int count, char **word) {
    (void)word;
    signal(SIGUSR1, handle);
    if (count > 1) { kill(getpid(), SIGUSR1); return 0; }
    above();
    return 0;
}
P
for flags in '-O1' '-O1 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer' '-O1 -fno-asynchronous-unwind-tables'; do
    # shellcheck disable=SC2086
    $CC $flags -o frames frames.c || exit 2
    for how in '' signal; do
        # shellcheck disable=SC2086
        "$bursty" record -o x.brst ./frames $how >got 2>err
        check "$flags, $how: main is around all" [ "$(total main x.brst)" -ge 90 ]
        check "$flags, $how: so is above" [ "$(total above x.brst)" -ge 90 ]
    done
done
# A frame that gcc aligns by itself (alloca, and arguments on the stack) keeps its CFA in memory; code
# without tables has a zero on top of its stack. Both ways.
cat >aligned.c <<'P'
#include <alloca.h>
static volatile unsigned sink;
#define CALLED __attribute__((noinline))
void bare(unsigned n);
__asm__(".text\n.globl bare\n.type bare, @function\nbare: pushq $0\n1: decl %edi\n jnz 1b\n"
        " addq $8, %rsp\n ret\n.size bare, .-bare\n");
CALLED unsigned leaf(unsigned n) { while (n--) sink += n; return sink; }
CALLED unsigned aligned(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g) {
    unsigned v[64] __attribute__((aligned(64))), *room = (unsigned *)alloca(a % 64 * 4 + 4), i;
    for (i = 0; i < 64; i++) v[i] = a * i + b;
    room[0] = a;
    __asm__ volatile("" : : "r"(v), "r"(room) : "memory");
    for (i = 0; i < 40000 + c; i++) sink += v[i & 63];
    return leaf(60000) + d + e + f + g + v[3] + room[0];
}
int main(void) {
    unsigned i, s = 0;
    for (i = 0; i < 3000; i++) {
        s += aligned(i, 1, 2, 3, 4, 5, 6);
        bare(300000);
    }
    return s == 7;
}
P
$CC -O2 -o aligned aligned.c || exit 2
for way in outside inside; do
    "$bursty" record --$way -o x.brst ./aligned >got 2>err
    check "aligned, $way: it ends as ever" [ $? = 0 ]
    check "aligned, $way: main is around all" [ "$(total main x.brst)" -ge 95 ]
    for name in aligned leaf bare; do check "aligned, $way: $name" [ "$(total $name x.brst)" -ge 5 ]; done
    lacks err 'where does it run' 'outer callers are not known'
    check "aligned, $way: callers" [ $? = 0 ]
done
# What an earlier call has left on the stack of such code is no caller of it: a direct call leads elsewhere.
cat >stale.c <<'P'
#define CALLED __attribute__((noinline))
static volatile unsigned sink;
unsigned bare(unsigned n);
__asm__(".text\n.globl bare\n.type bare, @function\nbare: subq $88, %rsp\n1: decl %edi\n jnz 1b\n"
        " addq $88, %rsp\n ret\n.size bare, .-bare\n");
CALLED unsigned deepest(unsigned n) { while (n--) sink += n; return sink; }
CALLED unsigned deeper(unsigned n) { return deepest(n) + 1; }
CALLED unsigned innocent(unsigned n) { volatile unsigned room[10]; room[3] = n; return deeper(n) + 1; }
CALLED unsigned caller(unsigned n) { return bare(n) + 1; }
int main(void) {
    unsigned i, s = 0;
    for (i = 0; i < 3000; i++) s += innocent(3) + caller(400000);
    return s == 7;
}
P
$CC -O1 -fno-optimize-sibling-calls -o stale stale.c || exit 2
for way in outside inside; do
    "$bursty" record --$way -o x.brst ./stale >got 2>err
    check "stale, $way: the caller" [ "$(total caller x.brst)" -ge 95 ]
    check "stale, $way: no other" [ "$(total innocent x.brst)$(total deeper x.brst)" = 00 ]
done
# A stub of the linker's (name@plt) belongs to who calls it, though it has unwind rules and no symbol.
# It is most of the time here.
cat >tiny.c <<'P'
void tiny(void);
void tiny(void) { }
P
cat >stubs.c <<'P'
void tiny(void);
__attribute__((noinline)) void caller(unsigned n) { while (n--) { tiny(); tiny(); tiny(); tiny(); } }
int main(void) { caller(40000000); return 0; }
P
# A function of the program's that is such a jump has its row.
cat >thunk.c <<'P'
void tiny(void), thunk(void);
void (*pointer)(void) = tiny;
__asm__(".text\n.globl thunk\n.type thunk, @function\nthunk: .cfi_startproc\n jmp *pointer(%rip)\n"
        ".cfi_endproc\n.size thunk, .-thunk\n");
__attribute__((noinline)) void caller(unsigned n) { while (n--) { thunk(); thunk(); thunk(); thunk(); } }
int main(void) { caller(40000000); return 0; }
P
$CC -O1 -shared -fPIC -o libtiny.so tiny.c || exit 2
$CC -O1 -o thunk thunk.c -L. -ltiny -Wl,-rpath,. || exit 2
for way in outside inside; do
    "$bursty" record --$way -o x.brst ./thunk >got 2>err
    check "a jump that is a function, $way" [ "$(total thunk x.brst)" -ge 10 ]
done
for how in -Wl,-z,lazy -Wl,-z,now -Wl,-z,ibtplt -fuse-ld=lld; do
    $CC -O1 $how -o stubs stubs.c -L. -ltiny -Wl,-rpath,. 2>log || continue
    for way in outside inside; do
        "$bursty" record --$way -o x.brst ./stubs >got 2>err
        "$bursty" report --min 0 x.brst >text
        check "stubs, $how, $way: no row of their own" [ "$(grep -c ' stubs+0x\| (stubs)' text)" = 0 ]
        own=$(awk '/^rank/ { reads = 1 } reads && $9 == "caller" { print int($2); exit }' text)
        check "stubs, $how, $way: the caller has $own %" [ "${own:-0}" -ge 40 ]
        check "stubs, $how, $way: main is around all" [ "$(total main x.brst)" -ge 95 ]
    done
done
cat >zeros.c <<'P'
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <sys/resource.h>
#include <unistd.h>
static char room[1 << 20];
int main(void) {
    struct rusage u;
    double s, k;
    int zero = open("/dev/zero", O_RDONLY);
    while (clock() < CLOCKS_PER_SEC / 4) (void)!read(zero, room, sizeof room);
    while (clock() < CLOCKS_PER_SEC / 2) { volatile int i; for (i = 0; i < 1000000; i++) { } }
    getrusage(RUSAGE_SELF, &u);
    k = (double)u.ru_stime.tv_sec + 1e-6 * (double)u.ru_stime.tv_usec;
    s = k + (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
    printf("%d\n", (int)(100 * k / s));
    return 0;
}
P
$CC -O1 -o zeros zeros.c || exit 2
# Half of the time is in the kernel: 500 ticks are half an hour of luck away from 30 or 70 %.
half() { [ "$1" -ge 30 ] && [ "$1" -le 70 ]; }
"$bursty" record -o x.brst ./zeros >got 2>err
check "the kernel's part: $(total '(kernel)' x.brst)" half "$(total '(kernel)' x.brst)"
"$bursty" report --min 0 x.brst >text
check "its functions have names, or the reason stands there" grep -q '_\[k\]$\|its names are ' text
check "who called there" [ "$(total main x.brst)" -ge 90 ]
# Without any rights: the kernel is no longer seen from inside, and its part is the same.
if command -v setpriv >/dev/null && setpriv --bounding-set=-all ./may_look . stacks 2>log; then
    setpriv --bounding-set=-all "$bursty" record -o x.brst ./zeros >got 2>err
    check "the kernel's part without rights: $(total '(kernel)' x.brst)" half "$(total '(kernel)' x.brst)"
else skip "no setpriv"
fi
finish
