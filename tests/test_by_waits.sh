#!/bin/sh
# test_by_waits.sh - bursty report --collapsed --by waits: the stacks where a thread waits have as many
# looks as the table of functions, and the scope that sleeps has nearly all of them.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder by_waits
needs_programs .
cat >sleep.c <<'C'
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <time.h>
static volatile int sink;
static void sleeper(void) {
    struct timespec t = {0, 50000000};
    BURST_SCOPE("sleeper");
    nanosleep(&t, NULL);
}
static void worker(void) {
    int i;
    BURST_SCOPE("worker");
    for (i = 0; i < 20000000; i++) sink = i;
}
static void outer(void) {
    BURST_SCOPE("outer");
    sleeper();
    worker();
    sleeper();
}
int main(void) {
    static bursty_config config;
    int i;
    config.watch = 1;
    bursty_start(&config);
    for (i = 0; i < 20; i++) outer();
    return bursty_save("waits.brst");
}
C
# shellcheck disable=SC2086
$CC -O1 -I"$top" -o sleep sleep.c -pthread || exit 2
./sleep
ok $? "the program"
"$bursty" report --csv --min 0 waits.brst >waits.csv
ok $? "csv"
awk -F, '/^# / { here = /^# waiting:/; next }
    here && $1 == "run_share" { for (i = 1; i <= NF; i++) at[$i] = i; next }
    here && NF > 5 && $at["wait_looks"] { print $at["function"], $at["wait_looks"] }' waits.csv | sort >table
"$bursty" report --collapsed --min 0 --by waits waits.brst >waits.stacks
ok $? "stacks"
awk '{ n = split($1, path, ";"); of[path[n]] += $2 } END { for (f in of) print f, of[f] }' waits.stacks | sort >stacks
[ -s table ] && cmp -s table stacks
ok $? "functions wait elsewhere than stacks: $(cat table) and $(cat stacks)"
awk '{ all += $2 } $1 == "outer;sleeper" { most = $2 } END { exit !(all && most > all / 2) }' waits.stacks
ok $? "who sleeps does not wait: $(cat waits.stacks)"
"$bursty" report --collapsed --by waste waits.brst >none 2>err
[ $? = 2 ] && grep -q 'whole stacks here count .*waits' err
ok $? "units: $(cat err)"
finish
