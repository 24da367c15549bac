#!/bin/sh
# test_record_refs.sh - record/inside/hooks/refs.c linked to a program with a list, a longjmp, atomics and a
# second thread: what it records is what the program does, and the program does what it did. Needs
# gcc.
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
dir=$BUILD/tests/record_refs
rm -rf "$dir"
mkdir -p "$dir"
. tests/check.sh
log=$dir/log
has() {
    if grep -q -e "$2" "$dir/$1"; then
        pass
    else fail "no '$2' in $1: $(head -c 300 "$dir/$1")"; fi
}

gcc=gcc
case $($CC --version 2>/dev/null) in *gcc* | *"Free Software Foundation"*) gcc=$CC ;; esac
echo 'int main(void) { return 0; }' >"$dir/empty.c"
if [ -n "$RUN" ] || ! $gcc -fsanitize=thread -fsanitize-coverage=trace-pc -c -o "$dir/empty.o" \
    "$dir/empty.c" 2>/dev/null; then
    leave "no gcc with -fsanitize=thread for this machine"
fi

cat >"$dir/prog.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <pthread.h>
typedef struct node { struct node *next; int value; } node;
static jmp_buf back;
static int hits, changed;
static long big;
static node nodes[30];
__attribute__((noinline)) static int walk(node *n) {
    int sum = 0;
    for (; n; n = n->next) sum += n->value;
    return sum;
}
__attribute__((noinline)) static void deep(int n) {
    hits++;
    if (n == 0) longjmp(back, 1);
    deep(n - 1);
    hits--;
}
static void *other(void *user) {
    int i;
    for (i = 0; i < 1000; i++) __atomic_fetch_add(&big, 3, __ATOMIC_RELAXED);
    return user;
}
int main(void) {
    int i, sum = 0, expected = 3000;
    pthread_t thread;
    for (i = 0; i < 30; i++) { nodes[i].next = i < 29 ? &nodes[i + 1] : 0; nodes[i].value = i; }
    pthread_create(&thread, 0, other, 0);
    for (i = 0; i < 500; i++) { sum += walk(nodes); if (setjmp(back) == 0) deep(5); }
    pthread_join(thread, 0);
    changed = __atomic_compare_exchange_n(&hits, &expected, 7, 0, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&big, 1, __ATOMIC_SEQ_CST);
    sum += (int)__atomic_exchange_n(&big, 5, __ATOMIC_SEQ_CST);
    printf("%d %d %d %ld\n", sum, hits, changed, big);
    return 0;
}
END
check "the recorder compiles without a warning" $gcc -std=gnu99 -Wall -Wextra -Werror -O2 -c -o \
    "$dir/refs.o" record/inside/hooks/refs.c
check "the program compiles" $gcc -g -O1 -fsanitize=thread -fsanitize-coverage=trace-pc -c -o \
    "$dir/prog.o" "$dir/prog.c"
check "they link" $gcc -pthread -o "$dir/prog" "$dir/prog.o" "$dir/refs.o"
check "the plain one" $gcc -O1 -pthread -o "$dir/plain" "$dir/prog.c"
"$dir/plain" >"$dir/out.plain"
"$dir/prog" >"$dir/out.off"
check "without recording it is the same program" cmp "$dir/out.plain" "$dir/out.off"
[ -f "$dir/run.refs" ] && fail "something was recorded" || pass
BURSTY_REFS=$dir/run "$dir/prog" >"$dir/out.on"
check "recording, too" cmp "$dir/out.plain" "$dir/out.on"
has out.on '^220501 7 1 5$'
"$BUILD/bursty-lab" streams --json "$dir/run.refs" "$dir/run.table" >"$dir/streams"
has streams '"violations":0,'
"$BUILD/bursty-lab" streams --json --calls "$dir/run.refs" "$dir/run.pairs" >"$dir/calls"
has calls '"symbols":3502,' # main, other, 500 times walk and 6 deep
"$BUILD/bursty-lab" methods --json --every 1 --burst 1 "$dir/run.refs" "$dir/run.pairs" >"$dir/methods"
has methods '"members":[345],'
# Depth after each event: a longjmp leaves no frames behind.
od -An -v -tx4 "$dir/run.refs" | tr -s ' ' '\n' | awk '
    /^[89ab]/ && length == 8 {
        d++
        if (d > most) most = d
    }
    /^e0000000$/ { d-- }
    END { print "depth", d, "most", most }' >"$dir/depth"
awk '$2 >= 0 && $2 <= 1 && $4 >= 7 && $4 <= 8 { good = 1 } END { exit !good }' "$dir/depth" &&
    pass || fail "$(cat "$dir/depth")"
# 30 nodes have two references each in a walk, and a walk is a stream.
awk -F'"coverage":' '{ exit !($2 + 0 > .8) }' "$dir/streams" && pass ||
    fail "coverage: $(head -c 200 "$dir/streams")"
# Names of the sites, by the script that docs/hotstream.md shows.
if command -v addr2line >/dev/null; then
    sh record/inside/hooks/refs_names.sh "$dir/prog" "$dir/run" >"$dir/names"
    "$BUILD/bursty-lab" streams --names "$dir/names" "$dir/run.refs" "$dir/run.table" \
        >"$dir/named"
    has named 'walk (.*:[0-9]'
    sh record/inside/hooks/refs_names.sh "$dir/prog" "$dir/run" calls >"$dir/names"
    has names 'deep'
    sh record/inside/hooks/refs_names.sh "$dir/prog" 2>"$dir/usage" && fail "half of the arguments" || pass
    has usage '^usage: refs_names.sh'
else skip "no addr2line"; fi
BURSTY_REFS=$dir/short BURSTY_REFS_MAX=100 "$dir/prog" >/dev/null
"$BUILD/bursty-lab" streams --json "$dir/short.refs" "$dir/short.table" >"$dir/short"
has short '"symbols":100,'
rm -f "$dir"/run.* "$dir"/short.*
finish
