#!/bin/sh
# test_record_losses.sh - each way in which `bursty record` loses something has a program that provokes
# it. What is lost stands in the file, before the first number of the text, and in CSV, JSON and the
# page, with its cure; the program is as it is alone. Other scripts provoke the rest: END_CHANGED and
# END_MODULES in test_record_right.sh, END_CHILDREN in test_record_hints.sh.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_losses
needs_recorder
for name in losses steps hosts fibers broken; do
    $CC -O1 -w -pthread -o $name "$top/tests/guest/$name.c" -ldl 2>log || { cat log; exit 2; }
done

loses() { # NOUN CURE STATUS OPTIONS COMMAND...
    noun=$1 cure=$2 status=$3 options=$4
    shift 4
    rm -f x.brst
    # shellcheck disable=SC2086
    { $bursty record --quiet --no-keep $options -o x.brst -- "$@" >got 2>err; got=$?; } 2>/dev/null
    what="$noun, by $* with $options"
    if [ $got = "$status" ]; then pass; else fail "$what: status $got"; cat err; fi
    for form in text csv json; do $bursty report --$form -o $form x.brst 2>>err; done
    $bursty report --html html x.brst 2>>err
    if awk -v noun="MISSING: $noun" 'index($0, noun) == 1 { found = 1 } /^ *[0-9.]+ *%/ { exit } END { exit !found }' text &&
        tr '\n' ' ' <text | grep -q "$cure"; then pass
    else fail "$what: the text does not begin with it"; head -n 12 text; fi
    if sed -n '/^# losses/,$p' csv | grep "$noun" | grep -q "$cure"; then pass; else fail "$what: csv"; fi
    if sed -n '/"losses":\[/,/\],/p' json | grep -q "$noun.*$cure"; then pass; else fail "$what: json"; fi
    if grep -q "$noun" html && grep -q "$cure" html; then pass; else fail "$what: the page"; fi
}
often='--every 50 --burst 20'

# A library is replaced while the program runs.
for name in old later; do
    $CC -O1 -w -fPIC -shared -DLIBRARY_$name -o lib$name.so "$top/tests/world/replaced.c" || fail "lib$name.so"
done
$CC -O1 -w "-DHERE=\"$PWD\"" -o replaced "$top/tests/world/replaced.c" -ldl || fail "replaced.c"
cp libold.so old.so && cp liblater.so later.so
for options in '--time --inside' '--lines --inside'; do
    cp old.so libold.so && cp later.so liblater.so
    loses 'files that were replaced or removed while the program ran (libold.so)' 'take the time from outside' 0 \
        "$options" ./replaced 200
done
loses 'threads that were not recorded all the time' 'Start fewer at once' 5 "--refs $often" ./losses threads
loses 'events that are lost, or more' 'all-checks, or --not' 5 '--refs --every 0' ./losses straight
loses 'events that are lost, or more' 'still there when' 5 '--calls --every 0' ./losses parked
if grep -q '^MISSING: events that are lost, or more: 2 00[0-9],' text; then pass; else fail "parked"; head -n 4 text; fi
loses 'threads for which there was no memory' 'A larger limit (ulimit -v)' 5 '--calls --every 0' ./losses memory
loses 'blocks of the heap that nobody is known' 'Record fewer functions' 5 "--misses $often" ./losses blocks
loses 'references in streams that are known by' 'Record fewer functions' 5 '--refs --every 0' ./losses places
loses 'misses without a row' 'Record fewer functions' 5 '--misses --every 0 --all-checks' ./losses cold
loses 'bursts of shared lines cut short' 'Give a shorter --burst' 5 '--sharing --every 10 --burst 500000' \
    ./losses lines
loses 'shared lines left out' 'Upper bounds of shares hold' 5 '--sharing --every 0' ./losses together
loses 'references of streams that had no room' 'bursty record --streams N' 5 '--refs --every 0 --streams 2' \
    ./losses rows
loses 'calls too deep to follow' 'Contexts end there' 5 '--calls --every 0' ./losses deep
loses 'ticks are missing' 'is taken from outside' 7 '--inside --ticks 1000' ./hosts filter
loses 'sampling could not be switched on' 'without --off' 5 "--calls $often --off --signal 12" ./losses switch

# Stacks that the program switches to by itself: how many calls were made there is told exactly, and
# where there is none, nothing is said.
for how in context by-hand; do
    for options in '--calls --every 0 --all-checks' '--profile pairs --every 0 --all-checks'; do
        loses "callers of calls on stacks of the program's own" 'bursty_fiber_switch' 5 "$options" ./fibers $how
        leaves=$(awk '{ print $2 }' got)
        if grep -q "of the program's own: $(awk '{ print substr($1, 1, 1), substr($1, 2) }' got)\." text \
            && grep -q "^[0-9.]*,$leaves,.*leaf$" csv; then pass
        else fail "$how $options: $(cat got)"; head -n 8 text; fi
    done
    loses "callers of calls on stacks of the program's own" 'bursty_fiber_switch' 5 "--calls $often" ./fibers $how
    # Counts are partial then, and have no intervals.
    if lacks text '^ *share  *calls' '^ *share  *from'; then pass
    else fail "$how: intervals"; head -n 20 text; fi
done
for options in '--calls --every 0 --all-checks' "--calls $often"; do
    # shellcheck disable=SC2086
    $bursty record --quiet --no-keep $options -o x.brst -- ./fibers nothing >got 2>err
    $bursty report x.brst >text
    if grep -q '^0 ' got && lacks text '^calls' "of the program's own"; then pass
    else fail "fibers nothing $options"; head -n 12 text; fi
done
# A burst that a signal ends where it begins has no call, and is told. Of 1000 signals most do that.
loses 'bursts without a call, for a signal came' 'longer and further apart' 5 "--calls $often" ./broken
if lacks text "^MISSING" "lost 0"; then pass; else fail "broken: lost 0"; head -n 5 text; fi
# The checks of the others alone are those in bursts, which all calls are estimated from.
# shellcheck disable=SC2086
$bursty record --stats --no-keep --calls $often -o x.brst -- ./broken >got 2>err
if sed -n 's/.*: \([0-9]*\) of \([0-9]*\) bursts ended where.*/\1 \2/p; s/.*, in bursts \([0-9]*\),.*/\1/p' err |
    awk 'NF == 2 { left = $2 - $1; n++ } NF == 1 { checks = $1; n++ }
        END { exit !(n == 2 && checks <= 20 * left) }'; then pass
else fail "broken: checks of bursts"; cat err; fi
# Each call of a leaf has a check before it, which counts once, though a burst began at it and ended.
if awk 'FNR == NR { calls = $1; next } / bursts ended where/ { broken = $2 }
        / checks / { sub(/.* checks /, ""); checks = $1 + 0 }
        END { exit !(broken > 20 && calls - broken / 2 < checks && checks < calls + broken / 2) }' got err; then pass
else fail "broken: checks of $(cat got) calls"; cat err; fi
if ./steps ends 10 1 1 >alone 2>/dev/null; then :; fi
if [ "$(cat alone)" = '1000 1000' ]; then
    loses 'calls that are lost' 'in the middle of the recorder' 3 '--calls --every 0 --all-checks' ./steps calls 11 1000 1
    loses 'calls that are lost' 'in the middle of the recorder' 3 "--calls $often" ./steps calls 11 300 1
else skip "no process may stop another one here"; fi
# Turns that others cut short: two threads give way to one another on one processor. Then it works and
# sleeps, or works on.
cat >turns.c <<'P'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
static int is_over;
static void *other(void *unused) {
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) sched_yield();
    return unused;
}
static long turns(void) {
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_nivcsw : -1;
}
int main(int count, char **sleep_us) {
    pthread_t thread;
    cpu_set_t one;
    int n;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 || pthread_create(&thread, NULL, other, NULL) != 0)
        return 2;
    while (turns() < 1000) sched_yield();
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    for (n = 0; n < 150; n++) {
        clock_t until = clock() + CLOCKS_PER_SEC / 200;
        while (clock() < until) { }
        if (count > 1) usleep((unsigned)atoi(sleep_us[1]));
    }
    return 0;
}
P
$CC -O1 -g -pthread -o turns turns.c || exit 2
loses 'turns on the processor that other programs cut short, in' 'The machine was busy. Shares' 0 --inside ./turns
loses 'turns on the processor that other programs cut short or put off' 'the program sleeps' 0 --inside ./turns 20000
finish
