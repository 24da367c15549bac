#!/bin/sh
# test_sharing.sh - bursty record --sharing: a program whose threads share in known ways, as it is
# and padded; every access and bursts; a stack that two threads use; merged, cut short, refused.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder sharing
needs_recorder
has() { # FILE PATTERN
    if grep -qE -e "$2" "$1"; then pass; else fail "no '$2' in $1: $(head -c 600 "$1")"; fi
}
hasnt() { # FILE PATTERN
    if grep -qE -e "$2" "$1"; then fail "'$2' is in $1: $(head -c 600 "$1")"; else pass; fi
}
$CC -O1 -g -pthread -o close "$top/tests/sharing/counters.c" || exit 2
$CC -O1 -g -pthread -DPADDED -o apart "$top/tests/sharing/counters.c" || exit 2

for form in 'bursts --every 20000 --burst 5000' 'whole --every 0'; do
    name=${form%% *}
    for program in close apart; do
        ./$program 100000 >plain
        "$bursty" record --quiet --sharing ${form#* } -o $name.$program.brst ./$program 100000 >got 2>err ||
            fail "$form of $program: $(cat err)"
        if cmp -s plain got; then pass; else fail "another output: $(cat err)"; fi
        "$bursty" report $name.$program.brst >$name.$program.txt || fail "text of $name.$program"
        "$bursty" report --csv $name.$program.brst >$name.$program.csv || fail "csv of $name.$program"
        has $name.$program.csv ',true,total$'
        hasnt $name.$program.csv ',[a-z]*(false|both),.*table$'
        hasnt $name.$program.csv 'stack'
    done
    has $name.close.csv ',1,false,tally$'
    has $name.close.csv ',1,false,heap of main$'
    has $name.close.csv '^[0-9]+,[0-9]+,[12],0,8,false,tally,count_one,(.*/)?counters\.c:[0-9]+$'
    has $name.close.csv '^[0-9]+,[0-9]+,[12],8,8,false,tally,count_one,(.*/)?counters\.c:[0-9]+$'
    has $name.close.txt 'false sharing a line on '
    tr '\n' ' ' <$name.close.txt >one
    has one 'align what it writes to 64 bytes'
    has one 'thread [12] writes tally at offset [08] in count_one'
    hasnt $name.apart.csv ',(false|both),'
    has $name.apart.txt 'none was found in [0-9]+ burst'
done

# All accesses are in it (one for ++, or two), and a thread waits at most once for each store.
LC_ALL=C awk -F, '/,false,tally$/ {
    if (int($4 / 100000) % 2 == 0 && $4 % 100000 < 10 && $6 >= 199990 && $6 <= 200010) fine = 1 }
    END { exit !fine }' whole.close.csv && pass || fail "$(grep tally whole.close.csv)"

# An interval holds the share of the whole run.
LC_ALL=C awk -F, '/,false,tally$/ { if (FNR == NR) s = $1; else if ($2 <= s + .002 && s <= $3 + .002) fine = 1 }
    END { exit !fine }' whole.close.csv bursts.close.csv FS=, && pass ||
    fail "$(grep tally whole.close.csv bursts.close.csv)"

# ---- other forms, merged ----

"$bursty" report --json bursts.close.brst >some.json || fail json
has some.json '"shared_lines"'
"$bursty" report --html some.html bursts.close.brst || fail html
has some.html 'who meets there'
"$bursty" merge -o ab.brst bursts.close.brst bursts.apart.brst &&
    "$bursty" merge -o ba.brst bursts.apart.brst bursts.close.brst
if cmp -s ab.brst ba.brst; then pass; else fail "merge depends on the order"; fi
"$bursty" record --quiet --sharing --seed 2 --every 20000 --burst 5000 -o second.brst ./close 100000 >got 2>err &&
    "$bursty" merge -o twice.brst bursts.close.brst second.brst || fail twice
bursts() { "$bursty" report "$1" | sed -n 's/.* accesses in \([0-9]*\) bursts.*/\1/p'; }
if [ "$(bursts twice.brst)" = $(($(bursts bursts.close.brst) + $(bursts second.brst))) ]; then pass
else fail "bursts do not add up: $(bursts twice.brst)"; fi
size=$(wc -c <whole.close.brst)
head -c $((size - 20)) whole.close.brst >short.brst
"$bursty" report short.brst >out 2>err
if [ $? = 2 ] && grep -q '^bursty: short.brst: ' err; then pass; else fail "cut: $(cat out err)"; fi

# ---- one thread; with misses; a stack of another thread; a child ----

cat >stack.c <<'C'
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_barrier_t beside;
static void *work(void *at) {
    long n;
    for (n = 0; n < 100000; n++) {
        if (n % 2000 == 0) pthread_barrier_wait(&beside);
        ++*(volatile long *)at;
    }
    return NULL;
}
int main(int argc, char **argv) {
    volatile long sums[16] __attribute__((aligned(64))) = {0};
    pthread_t threads[2];
    int n;
    (void)argv;
    pthread_barrier_init(&beside, NULL, 2);
    if (argc > 1 && fork() == 0) { /* the child does it */ }
    else if (argc > 1) return wait(NULL) < 0;
    for (n = 0; n < 2; n++) pthread_create(&threads[n], NULL, work, (void *)&sums[n]);
    for (n = 0; n < 2; n++) pthread_join(threads[n], NULL);
    printf("%ld %ld\n", sums[0], sums[1]);
    return 0;
}
C
$CC -O1 -pthread -o stack stack.c || exit 2
"$bursty" record --quiet --profile sharing,misses --caches 4k --every 0 -o stack.brst ./stack >got 2>err || fail stack
has got '^100000 100000$'
"$bursty" report --csv stack.brst >stack.csv
has stack.csv ',1,false,\(stack\)$'
has stack.csv '^# cache_misses:'
"$bursty" report stack.brst | tr '\n' ' ' >one
has one 'on \(stack\): '
hasnt one 'If threads end'                # the recorder was told that they had not
"$bursty" report whole.close.brst | tr '\n' ' ' >one
hasnt one 'If threads end'
# Two threads at a time, pair after pair, have the stacks and the arenas of those that ended.
cat >pairs.c <<'C'
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_barrier_t beside;
static long shared;
static void add(volatile long *at, long times) {
    long n;
    for (n = 0; n < times; n++) at[n % 32]++;
}
static void *work(void *with) {
    volatile long own[32];
    long *block = malloc(24), n;
    memset((void *)own, 0, sizeof own);
    for (n = 0; n < 20; n++) {
        if (n % 5 == 0) pthread_barrier_wait(&beside);
        add(own, 64);
        *block = n;
        if (with) shared++;
    }
    free(block);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t threads[2];
    int n, k;
    pthread_barrier_init(&beside, NULL, 2);
    for (k = 0; k < 30; k++) {
        for (n = 0; n < 2; n++) pthread_create(&threads[n], NULL, work, argc > 1 ? argv[1] : NULL);
        for (n = 0; n < 2; n++) pthread_join(threads[n], NULL);
    }
    return 0;
}
C
$CC -O1 -pthread -o pairs pairs.c || exit 2
for with in '' yes; do
    "$bursty" record --quiet --sharing --every 0 -o pairs.brst ./pairs $with 2>err || fail "pairs: $(cat err)"
    "$bursty" report --csv pairs.brst >pairs.csv
    if [ "$with" ]; then has pairs.csv ',true,shared$'
    else
        hasnt pairs.csv '\((stack|other memory)\)'
        "$bursty" report pairs.brst >pairs.txt
        has pairs.txt 'none was found'
    fi
done
# What is below --min was found all the same, and is not none.
"$bursty" report --min 90 whole.close.brst | tr '\n' ' ' >one
has one 'false sharing little was found in [0-9]+ bursts: at most [0-9.]+ % of accesses waited for it, on lines of 2 sets of objects'
"$bursty" record --quiet --sharing --follow --every 0 -o follow.brst ./stack child >got 2>err || fail follow
has got '^100000 100000$'
cat follow.brst.* >child.brst 2>err
"$bursty" report --csv child.brst >child.csv
has child.csv ',1,false,\(stack\)$'
"$bursty" record --quiet --sharing --every 0 -o alone.brst ./close 0 >got 2>err || fail alone
"$bursty" report alone.brst >alone.txt
has alone.txt 'none was found'

finish
