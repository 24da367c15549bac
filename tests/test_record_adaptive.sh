#!/bin/sh
# test_record_adaptive.sh - adaptive bursts of `bursty record --reenable`: no context that is not
# there, none of the common ones lost, totals and counts that are right in the mean, intervals that
# hold them, and what is left out is said.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_adaptive
needs_recorder

# 120 000 turns: each calls outer and inner, every second one other, every hundredth one seldom; a
# thread makes as many of its own. So how often each context is called is known.
cat >calls.c <<'P'
#include <pthread.h>
#include <stddef.h>
#define CALLED __attribute__((noinline, noipa))
enum { TURNS = 120000 };
static _Thread_local volatile int sink;
CALLED static void inner(int n) { sink = n; }
CALLED static void outer(int n) { inner(n); sink = n; }
CALLED static void other(int n) { sink = n + 1; }
CALLED static void seldom(int n) { inner(n); sink = n + 2; }
CALLED static void turns(void) {
    int n;
    for (n = 0; n < TURNS; n++) {
        outer(n);
        if (n % 2 == 0) other(n);
        if (n % 100 == 0) seldom(n);
    }
}
CALLED static void *worker(void *argument) { turns(); return argument; }
int main(void) {
    pthread_t thread;
    turns();
    if (pthread_create(&thread, NULL, worker, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    return 0;
}
P
options='-O1 -pthread -o calls calls.c'
# shellcheck disable=SC2086
$CC $options 2>log || $CC -Dnoipa=noinline $options 2>log ||
    { cat log; exit 2; }

record() { # SEED OPTIONS...
    seed=$1
    shift
    rm -f x.brst
    $bursty record --quiet --every 190 --burst 10 --seed "$seed" "$@" -o x.brst -- ./calls 2>errors ||
        fail "seed $seed, $*: $(cat errors)"
    $bursty report --collapsed --min 0 x.brst | sed 's/^.*main;/main;/' >stacks ||
        fail "seed $seed, $*: no stacks"
    $bursty report x.brst | tr '\n' ' ' >text
}

record 1 --calls --every 0
sed 's/ [0-9]*$//' stacks | LC_ALL=C sort -u >all
for k in 1 4 20 0; do
    record 1 --reenable $k
    sed 's/ [0-9]*$//' stacks | LC_ALL=C sort -u >got
    [ -s got ] && [ "$(LC_ALL=C comm -13 all got | grep -c .)" = 0 ]
    ok $? "one in $k: contexts that are not there: $(LC_ALL=C comm -13 all got | head -n 3)"
    grep -q ';turns;outer;inner$' got && grep -q ';turns;other$' got
    ok $? "one in $k: a common context is not there: $(cat got)"
    case $k in
    1) lacks text 'calls (estimated)' 'were left out\|MISSING' ;;
    0) grep -q 'MISSING: bursts left out, at stacks that had one before: .* 99' text &&
        grep -q 'burst in 20 (bursty record --reenable 20;' text ;;
    *) grep -q "adaptive bursts [0-9]* of [0-9]* were left out.*; one in $k of .* counts as $k;" text &&
        lacks text 'adaptive bursts' 'MISSING' ;;
    esac
    ok $? "one in $k: what is left out is not said: $(cut -c 1-400 text)"
done

# Without the option every burst that is due is there.
record 1 --calls
lacks text 'recorded [0-9 ]* in [0-9 ]* bursts' 'adaptive bursts'
ok $? "without --reenable bursts were left out: $(cut -c 1-400 text)"

# Eight functions of one depth are eight stacks: each has a burst of its own, though no stack has
# two. By their depth alone they would share one, beside that of main.
cat >stacks.c <<'P'
#define CALLED __attribute__((noinline, noipa))
static volatile int sink;
CALLED static void inner(int n) { sink = n; }
#define OUTER(f) CALLED static void f(int n) { inner(n); sink = n; }
OUTER(a) OUTER(b) OUTER(c) OUTER(d) OUTER(e) OUTER(f) OUTER(g) OUTER(h)
int main(void) {
    int n;
    for (n = 0; n < 40000; n++) { a(n); b(n); c(n); d(n); e(n); f(n); g(n); h(n); }
    return 0;
}
P
$CC -O1 -o stacks stacks.c 2>log || $CC -O1 -Dnoipa=noinline -o stacks stacks.c 2>log ||
    { cat log; exit 2; }
$bursty record --quiet --every 190 --burst 10 --seed 1 --all-checks --reenable 0 -o x.brst -- \
    ./stacks
$bursty report x.brst | tr '\n' ' ' >text
bursts=$(sed -n 's/.*; recorded [0-9 ]* in \([0-9]*\) bursts.*/\1/p' text)
[ "${bursts:-0}" -ge 8 ]
ok $? "eight stacks of one depth had ${bursts:-no} bursts: $(cut -c 1-400 text)"

# Over seeds: the mean of the total and of three counts, and how many intervals hold the truth.
# Without the weights the total would be a twentieth or twenty times as much, and shares too certain;
# it is 0.5 % too much if the check of a burst that is left out is counted twice.
for seed in $(awk 'BEGIN { for (i = 1; i <= 30; i++) print i }'); do
    record "$seed" --reenable 20
    $bursty report --csv --min 0 x.brst | awk -F, '
        /^# / { here = /by function/; header = here; next }
        header { for (i = 1; i <= NF; i++) at[$i] = i; header = 0; next }
        here && NF > 3 && $at["function"] ~ /^(outer|inner|other)$/ {
            print $at["function"], $at["calls"], $at["share_low"], $at["share_high"] }'
    awk '{ all += $NF } END { print "all", all, 0, 1 }' stacks
done >rows
awk '
    BEGIN {
        turns = 240000
        truth["outer"] = turns
        truth["inner"] = turns * 1.01
        truth["other"] = turns / 2
        truth["all"] = turns * (1 + 1 + .5 + .01 + .01) + 4
    }
    {
        n[$1]++
        sum[$1] += $2
        part = truth[$1] / truth["all"]
        held += $3 <= part && part <= $4
        cases++
    }
    END {
        for (name in truth) {
            off = n[name] ? sum[name] / n[name] / truth[name] - 1 : 1
            near = name == "all" ? .0035 : .05
            if (n[name] != 30 || off < -near || off > near) bad = bad name ": " n[name] " rows, off by " off "; "
        }
        if (held < .85 * cases) bad = bad held " of " cases " intervals hold the truth"
        print bad
    }' rows >bad
! grep -q . bad
ok $? "over 30 seeds: $(cat bad)"

refused() { # PATTERN OPTIONS...
    pattern=$1
    shift
    $bursty record "$@" -o x.brst -- ./calls 2>errors
    [ $? = 2 ] && grep -q -e "$pattern" errors
    ok $? "$*: $(cat errors)"
}
refused 'with --calls alone' --reenable 20 --edges
refused 'with --calls alone' --reenable 20 --calls --misses
refused 'with --every 0 there is one' --reenable 20 --every 0
refused '1048577 is not a number' --reenable 1048577
finish
