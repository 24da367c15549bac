#!/bin/sh
# test_top.sh - `bursty top -p PID` and `bursty top NAME`: a table a second of where processes spend
# their time, on a screen and as text; and what -p shares with `bursty record`: names out of debug
# files, and the name of a process that becomes another program. All of it looks at processes at the
# same time. What is asked of shares has a program that had .3 s of the processor or more while it was
# looked at, 75 ticks of it.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder top
needs_recorder
. "$top/tests/attached.sh"

# ---- bad input -------------------------------------------------------------------------------------
refused() { # TEXT OPTION...
    text=$1
    shift
    "$bursty" top "$@" >got 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "$text" err && [ ! -s got ]
}
check "no process" refused 'no process: bursty top -p PID'
check "no such process" refused 'there is no process 2147483646' -p 2147483646
check "no number" refused "-p: 'x' is not valid" -p x
check "process 0" refused "'0' is not valid: a number from 1" -p 0
check "no tables" refused "count: '0' is not valid" -p 1 --count 0
check "no ticks" refused "ticks: '-1' is not valid" -p 1 --ticks -1
check "no seconds" refused "seconds: '1x' is not valid" -p 1 --seconds 1x
check "no such name" refused "no process is called 'no such name'.*bursty record runs a program" \
    'no such name'
check "two names" refused 'b: one NAME, or -p PID' a b
check "a name and a process" refused 'a: one NAME, or -p PID' a -p 1
check "another option" refused "no option '--what'" -p 1 --what

# ---- programs that work for a part of the time, until they are told to end ---------------------------
cat >work.c <<'P'
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t stop;
static void end(int number) { stop = number; }
__attribute__((noinline)) void hot(void) { int i; for (i = 0; i < 6000; i++) __asm__ volatile(""); }
__attribute__((noinline)) void warm(void) { int i; for (i = 0; i < 2000; i++) __asm__ volatile(""); }
int main(void) {
    struct timespec pause = {0, 10000000};
    signal(SIGTERM, end);
    puts("ready");
    fflush(stdout);
    while (!stop) {
        int n;
        for (n = 0; n < 1000; n++) { hot(); warm(); }
        nanosleep(&pause, NULL);
    }
    return 7;
}
P
$CC -O1 -g -o work work.c || exit 2
cp work plain
$CC -O1 -g -DOTHER -Wl,--build-id=0x1234 -o strange work.c 2>/dev/null || cp work strange
has_tools=no
if command -v objcopy >/dev/null 2>&1 && command -v strip >/dev/null 2>&1; then
    has_tools=yes
    objcopy --only-keep-debug work linked.debug && strip -o linked work &&
        objcopy --add-gnu-debuglink=linked.debug linked || has_tools=no
    mkdir other
    objcopy --only-keep-debug strange other/linked.debug && cp linked other/linked || has_tools=no
fi
start() { # PROGRAM: pid
    rm -f ready
    "$1" >ready &
    pid=$!
    wait_for [ -s ready ]
}
may_look . || leave "this system does not allow it"
start ./plain
first=$pid
"$bursty" top -p $first --once --rows 0 >once 2>err
status=$?
check "looked at" [ $status = 0 ]

"$bursty" top -p $first >all 2>all.err &
all=$!
attached $all $first 40
first_enough=$enough
if [ $has_tools = yes ]; then
    start ./linked
    linked=$pid
    "$bursty" top -p $linked >named 2>&1 &
    named=$!
    attached $named $linked 30
    linked_enough=$enough
    start ./other/linked
    other=$pid
    "$bursty" top -p $other >nameless 2>&1 &
    nameless=$!
    attached $nameless $other 30
    other_enough=$enough
fi
mkfifo go
sh -c 'read -r line <go; exec ./work' >/dev/null &
changes=$!
"$bursty" record -p $changes --seconds 600 -o exec.brst 2>exec.err &
becomes=$!
attached $becomes $changes 30
changes_enough=$enough
echo >go
start ./work
last=$pid
"$bursty" top -p $last --rows 1 >stopped 2>&1 &
stopped=$!
shows() { grep -q -- "$1" "$2"; }
wait_for shows ' function$' stopped
kill -TERM $stopped
wait $stopped
check "who stops it gets what there is" [ $? = 0 ]
check "one row" awk '/ function$/ { n = 0 } /%/ && ++n > 1 { bad = 1 } END { exit bad || !NR }' stopped
if command -v script >/dev/null 2>&1; then
    : >screen
    mkfifo keys
    script -qc "stty rows 12 cols 60; '$bursty' top -p $last; stty -a" /dev/null <keys >screen 2>&1 &
    screen=$!
    exec 3>keys
    wait_for shows 'hot' screen
    (trap '' PIPE; printf s >&3)
    wait_for shows 'ALL ' screen
    (trap '' PIPE; printf q >&3)
    exec 3>&-
    wait $screen
fi
wait_for has_used $changes $changes_enough
kill $changes $last
wait $becomes
two_tables() { [ "$(grep -c 'CPUs now' all)" -ge 2 ]; }
if [ $has_tools = yes ]; then
    wait_for has_used $linked $linked_enough
    wait_for has_used $other $other_enough
    wait_for shows ' function$' named
    wait_for shows ' function$' nameless
    kill $linked $other
    wait $named $nameless
fi
wait_for has_used $first $first_enough
wait_for two_tables
"$bursty" top -p $first --count 2 >two 2>&1
kill $first
wait $all
check "it ends with the process" [ $? = 0 ]
wait $first
check "which ends as ever" [ $? = 7 ]

# ---- processes of one name, which come and go ---------------------------------------------------------
# On SIGUSR1 one starts a copy that works for 1.5 s of CPU time, so that a table has it, and on SIGUSR2
# another program that does so. Names are of this test alone, and longer than the 15 bytes that the
# kernel keeps.
cat >crowd.c <<'P'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
static volatile sig_atomic_t got;
static void take(int number) { got = number; }
__attribute__((noinline)) void WORK(void) { int i; for (i = 0; i < 6000; i++) __asm__ volatile(""); }
static int work(void) {
    while (clock() < CLOCKS_PER_SEC * 3 / 2) WORK();
    return 0;
}
int main(int argc, char **argv) {
    sigset_t all, none;
    if (argc == 1) return work();
    signal(SIGUSR1, take);
    signal(SIGUSR2, take);
    signal(SIGTERM, take);
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_BLOCK, &all, NULL);
    puts("ready");
    fflush(stdout);
    while (got != SIGTERM) {
        sigsuspend(&none);
        if ((got == SIGUSR1 || got == SIGUSR2) && fork() == 0) {
            if (got == SIGUSR2) execl(argv[1], argv[1], (char *)0);
            _exit(work());
        }
        while (got != SIGTERM && wait(NULL) > 0) { }
    }
    return 0;
}
P
crowd=crowd-of-names-$$
$CC -O1 -g -DWORK=of_the_crowd -o $crowd crowd.c && $CC -O1 -g -DWORK=of_another -o other-$$ crowd.c || exit 2
start_one() {
    rm -f ready
    ./$crowd ./other-$$ >ready &
    pid=$!
    wait_for [ -s ready ]
}
start_one
one=$pid
"$bursty" top $crowd >crowd 2>crowd.err &
top_of_it=$!
wait_for is_attached $top_of_it
came() { awk -v name=$crowd, '$1 == name && $2 != n { n = $2; s = s " " n } END { print s }' crowd; }
came_to() { [ "$(came)" = "$1" ]; }
events_of() { ls -l "/proc/$1/fd" | grep -c perf_event; }
wait_for came_to ' 1'
of_one=$(events_of $top_of_it)
kill -USR1 $one
wait_for came_to ' 1 2 1'
start_one
two=$pid
wait_for came_to ' 1 2 1 2'
kill -USR2 $two
wait_for shows 'other programs that they started, not shown' crowd
"$bursty" top -p $one -p $two -p $one --once >pair 2>&1
# The largest number of open files that is too small for two processes.
some=$of_one most=
until grep -q ', 2 processes: ' few 2>/dev/null || [ $((some += 1)) -gt $((of_one + 40)) ]; do
    (ulimit -n $some && exec "$bursty" top $crowd --once) >few 2>few.err
    ! grep -q ', 1 process: ' few || { most=$some && cp few left; }
done
check "who is left out, and why: $(head -n 1 left)" grep -q '; 1 not looked at (.*files*' left
(ulimit -n $most && exec "$bursty" top $crowd) >few 2>few.err &
top_of_few=$!
wait_for grep -q 'CPUs now' few
# Those of the other one are looks alone: the counters of threads' ends were given up for more files.
check "and has no events, not on one processor: $(events_of $top_of_few) for $of_one" \
    [ "$(events_of $top_of_few)" = $((of_one / 2)) ]
kill $top_of_few
wait $top_of_few
kill $one
wait $one
wait_for came_to ' 1 2 1 2 1'
start_one
three=$pid
wait_for came_to ' 1 2 1 2 1 2'
kill $two
wait_for came_to ' 1 2 1 2 1 2 1'
start_one
four=$pid
wait_for came_to ' 1 2 1 2 1 2 1 2'
# The first one's have the rings, and the second one's are closed.
check "events of who is gone are closed" [ "$(events_of $top_of_it)" = $((3 * of_one)) ]
kill $three $four
wait $two $three $four $top_of_it
check "it ends with the last one: $(cat crowd.err)" [ $? = 0 ]
check "two processes by number" grep -q "^$crowd, 2 processes: " pair
# The copy had 1.5 s of CPU time, and inherited the events of who started it: it counts once.
cpu_of() { # "0.14 CPUs now, 0.07 in all 2 seconds": a table may be of more than one second
    awk '/CPUs now/ { sub(/^.*: /, ""); all += $1 * ($7 - before); before = $7 }
        END { printf "%d", 100 * all }' crowd
}
check "the copy counts once: $(cpu_of) hundredths" [ "$(cpu_of)" -gt 75 ] && [ "$(cpu_of)" -lt 225 ]
check "functions of all of them" grep -q ' of_the_crowd$' crowd
check "and of no other program" lacks crowd ' of_the_crowd$' ' of_another$'

# ---- two programs whose threads live 1 ms ------------------------------------------------------------
# All CPU time that the system says they had while they were looked at, and the functions of both.
# The table says whole seconds. One is a child of the other, and counts once.
cat >brief.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t stop;
static void end(int number) { stop = number; }
static volatile unsigned one = 1;
static double used(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
__attribute__((noinline)) void WORK(void) { int n; for (n = 0; n < 20000; n++) one = (one ^ one >> 5) * 1664525u + 1; }
static void *brief(void *none) {
    while (used() < .001) WORK();
    return none;
}
int main(int count, char **words) {
    pthread_t t;
    pid_t child = count > 1 ? fork() : 0;
    if (count > 1 && child == 0) execl(words[1], words[1], (char *)0);
    signal(SIGTERM, end);
    if (count > 1) printf("%d\n", (int)child);
    fflush(stdout);
    while (!stop) {
        pthread_create(&t, NULL, brief, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
P
$CC -O1 -g -DWORK=of_this -o this brief.c -lpthread && $CC -O1 -g -DWORK=of_that -o that brief.c -lpthread || exit 2
rm -f ready
./this ./that >ready &
this=$!
wait_for [ -s ready ]
read -r that <ready
runs_that() { [ "$(cat "/proc/$that/comm")" = that ]; }
wait_for runs_that
both() {
    look_at $this
    has=$used
    look_at $that
    used=$((has + used))
}
"$bursty" top -p $this -p $that --seconds 6 >brief 2>&1 &
brief=$!
wait_for is_attached $brief
both
before=$used
wait $brief
both
had=$((used - before))
kill $that $this
wait $this
seen=$(awk '/CPUs now/ { sub(/^.*now, /, ""); all = 100 * $1 * $4 } END { printf "%d", all }' brief)
check "all time of two programs with short threads: $seen of $had hundredths" \
    [ "$seen" -ge $((had * 85 / 100 - 20)) ] && [ "$seen" -le $((had * 110 / 100 + 20)) ]
check "functions of one" grep -q ' of_this$' brief
check "and of the other" grep -q ' of_that$' brief

# ---- few open files --------------------------------------------------------------------------------
# For a thread's events, and for half of the counters beside them.
cat >many.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *wait_there(void *none) { for (;;) pause(); return none; }
__attribute__((noinline)) void of_many(void) { int i; for (i = 0; i < 6000; i++) __asm__ volatile(""); }
int main(void) {
    pthread_t t;
    int n;
    for (n = 1; n < 40; n++) pthread_create(&t, NULL, wait_there, NULL);
    puts("ready");
    fflush(stdout);
    for (;;) of_many();
}
P
$CC -O1 -o many many.c -lpthread || exit 2
start ./many
of_events=$((40 * $(getconf _NPROCESSORS_CONF)))
few_files() { (ulimit -n $((of_events * 3 / 2 + 10)) && "$bursty" top -p $pid --once >few 2>&1); }
check "few open files: $(cat few 2>/dev/null)" few_files
check "looks come without the counters" grep -q ' of_many$' few
kill $pid

# ---- what they have shown ----------------------------------------------------------------------------
# The last table of a file: a line FUNCTION of column 4, its share of all the time.
share() { # FILE FUNCTION
    awk -v name="$2" '$NF == "function" { at = 0 } NF == 7 && $7 == name { at = $4 + 0 } END { printf "%d", at }' "$1"
}
hot=$(share all hot) warm=$(share all warm)
# It is three times warm: of 100 ticks, fewer than warm's are six deviations away.
check "hot is more than warm: $hot, $warm" [ "$hot" -gt "$warm" ]
check "most is in them: $hot, $warm" [ $((hot + warm)) -ge 70 ]
check "the first row is hot" [ "$(awk '$NF == "function" { getline; f = $7 } END { print f }' all)" = hot ]
check "a table a second" [ "$(grep -c '^plain ('$first'): .* CPUs now' all)" -ge 2 ]
check "no escapes in it" lacks all '^plain ' "$(printf '\033')"
check "no message" [ ! -s all.err ]
check "one table" [ "$(grep -c ' function$' once)" = 1 ]
check "two tables" [ "$(grep -c ' function$' two)" = 2 ]
# It had .4 s of the processor, and has one thread.
check "CPUs are a part of one" awk '/CPUs now/ { n++; sum += $3; if ($3 > 1) bad = 1 }
    END { exit bad || n < 2 || sum < .2 || sum > n }' all
check "intervals hold the share" awk '/%/ { n++; if ($1 + 0 < $2 + 0 || $1 + 0 > $3 + 0) bad = 1 }
    END { exit bad || !n }' all
if [ $has_tools = yes ]; then
    check "a name out of .gnu_debuglink" [ "$(share named hot)" -gt 20 ]
    if cmp -s strange work; then
        skip "no --build-id"
    else check "a debug file of another build" lacks nameless 'linked+0x' ' hot$'; fi
    check "shown as a number" grep -q ' linked+0x' nameless
else
    skip "no objcopy"
fi
check "the title is what it became: $(head -n 1 exec.err)" grep -q '^bursty: work: where' exec.err
if command -v script >/dev/null 2>&1; then
    escape=$(printf '\033')
    check "a screen of its own" grep -q "$escape\[?1049h" screen
    check "which is left" grep -q "$escape\[?1049l" screen
    check "sorted by the other time" grep -q 'now .* ALL ' screen
    check "no line is wider than the screen" awk -v e="$escape" '{ gsub(e "\\[[0-9?]*[a-zA-Z]", ""); sub("\r$", "") }
        / hot$/ { n++; if (length($0) > 60) bad = 1 } END { exit bad || !n }' screen
    check "the terminal is as before" grep -q '[^-]icanon' screen
else
    skip "no script"
fi
finish
