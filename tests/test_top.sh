#!/bin/sh
# test_top.sh - `bursty top -p PID`: a table a second of where a process spends its time, on a screen
# and as text; and what -p shares with `bursty record`: names out of debug files, and the name of a
# process that becomes another program. All of it looks at processes at the same time.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder top
needs_recorder

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
check "a program" refused 'bursty record runs a program' ls
check "another option" refused "no option '--what'" -p 1 --what

# ---- programs that work for a part of the time, and end by themselves --------------------------------
cat >work.c <<'P'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void hot(void) { int i; for (i = 0; i < 6000; i++) __asm__ volatile(""); }
__attribute__((noinline)) void warm(void) { int i; for (i = 0; i < 2000; i++) __asm__ volatile(""); }
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
int main(int count, char **word) {
    double end = now() + (count > 1 ? atof(word[1]) : 0);
    struct timespec pause = {0, 10000000};
    puts("ready");
    fflush(stdout);
    while (now() < end) {
        int n;
        for (n = 0; n < 400; n++) { hot(); warm(); }
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
start() { # PROGRAM SECONDS: pid
    rm -f ready
    "$@" >ready &
    pid=$!
    n=0
    while [ ! -s ready ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n + 1)); done
}
may_look . || leave "this system does not allow it"
start ./plain 4
first=$pid
"$bursty" top -p $first --once --rows 0 >once 2>err
status=$?
check "looked at" [ $status = 0 ]

"$bursty" top -p $first >all 2>all.err &
all=$!
if [ $has_tools = yes ]; then
    start ./linked 3
    "$bursty" top -p $pid --count 2 >named 2>&1 &
    named=$!
    start ./other/linked 3
    "$bursty" top -p $pid --count 2 >nameless 2>&1 &
    nameless=$!
fi
sh -c 'sleep 0.3; exec ./work 2' >/dev/null &
"$bursty" record -p $! --seconds 20 -o exec.brst 2>exec.err &
becomes=$!
sh -c 'trap "" INT; sleep 0.3; exec ./work 20' >/dev/null &
last=$!
(sleep 2; printf s; sleep 0.5; printf q) |
    script -qc "stty rows 12 cols 60; '$bursty' top -p $last; stty -a" /dev/null >screen 2>&1 &
screen=$!
"$bursty" top -p $last --rows 1 >stopped 2>&1 &
stopped=$!
sleep 1.5
kill -TERM $stopped
wait $stopped
check "who stops it gets what there is" [ $? = 0 ]
check "one row" awk '/%/ { n++ } END { exit !(n >= 1 && n <= 3) }' stopped
wait $becomes $screen
kill $last
[ $has_tools = no ] || wait $named $nameless
wait $all
check "it ends with the process" [ $? = 0 ]
wait $first
check "which ends as ever" [ $? = 7 ]

# ---- what they have shown ----------------------------------------------------------------------------
# The last table of a file: a line FUNCTION of column 4, its share of all the time.
share() { # FILE FUNCTION
    awk -v name="$2" '$NF == "function" { at = 0 } NF == 7 && $7 == name { at = $4 + 0 } END { printf "%d", at }' "$1"
}
hot=$(share all hot) warm=$(share all warm)
check "hot is three times warm: $hot, $warm" [ "$hot" -gt $((warm * 3 / 2)) ]
check "most is in them: $hot, $warm" [ $((hot + warm)) -ge 70 ]
check "the first row is hot" [ "$(awk '$NF == "function" { getline; print $7; exit }' all)" = hot ]
check "a table a second" [ "$(grep -c '^plain ('$first'): .* CPUs now' all)" -ge 2 ]
check "no escapes in it" lacks all '^plain ' "$(printf '\033')"
check "no message" [ ! -s all.err ]
check "one table" [ "$(grep -c ' function$' once)" = 1 ]
check "CPUs are a part of one" awk '/CPUs now/ { exit !($3 > 0.01 && $3 < 1) }' once
check "intervals hold the share" awk '/%/ { n++; if ($1 + 0 < $2 + 0 || $1 + 0 > $3 + 0) bad = 1 }
    END { exit bad || !n }' once
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
