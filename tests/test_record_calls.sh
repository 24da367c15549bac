#!/bin/sh
# test_record_calls.sh - counts of calls under `bursty record`: with --every 0 every call of every
# thread is counted, also when threads make the same first call at once, and in destructors of their
# keys; short bursts find calls that stand behind other calls as often as any.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_calls
needs_recorder

# All threads come to the barrier, and then call step and its callees for the first time. work has
# two checks each turn; nothing stands between the call of behind and the check before it but the
# return from within.
cat >calls.c <<'P'
#include <pthread.h>
#include <stdio.h>
#define CALLED __attribute__((noinline, noipa))
enum { THREADS = 4, STEPS = 10, TURNS = 40000 };
static pthread_barrier_t all_here;
static pthread_key_t key;
static volatile int sink;
CALLED static int leaf(int n) { sink = n; return n + 1; }
CALLED static int step(int n) {
    int i, sum = 0;
    for (i = 0; i < n; i++) sum += leaf(i);
    return sum;
}
CALLED static int late(int n) { sink = n; return n + 4; }
static void destroy(void *value) { sink = late(value != NULL); }
CALLED static void *worker(void *argument) {
    pthread_setspecific(key, &key);
    pthread_barrier_wait(&all_here);
    sink = step(STEPS);
    return argument;
}
CALLED static int inside(int n) { sink = n; return n + 2; }
CALLED static int behind(int n) { sink = n; return n + 3; }
CALLED static int within(int n) { return inside(n) + sink; }
static int (*volatile through)(int) = within;
CALLED static int pointed(int n) { sink = n; return n + 5; }
static int (*volatile through_too)(int) = pointed;
enum { MANY = 30000 };
static int numbers[MANY];
CALLED static void fill(int n) { /* such a loop has no check if those of few operands have none */
    int i;
    for (i = 0; i < MANY; i++) numbers[i] = n;
}
#define FIVE(call) (call) + (call) + (call) + (call) + (call)
#define TEN(call) FIVE(call) + FIVE(call)
CALLED static int ten(int n) { return TEN(pointed(n)); } /* no cycle, so no check is needed */
CALLED static int hundred(int n) { return TEN(ten(n)); }
CALLED static int thousand(int n) { return TEN(hundred(n)); }
CALLED static int thousands(int n) { return TEN(thousand(n)); }
CALLED static int work(int n) {
    int i, sum = 0;
    for (i = 0; i < n; i++) {
        sum += through(i) & 7;
        sum += behind(i) & 7;
    }
    return sum;
}
int main(void) {
    pthread_t threads[THREADS];
    int n;
    pthread_key_create(&key, destroy);
    pthread_barrier_init(&all_here, NULL, THREADS);
    for (n = 0; n < THREADS; n++) {
        if (pthread_create(&threads[n], NULL, worker, NULL) != 0) return 1;
    }
    for (n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
    for (n = 0; n < 30; n++) sink = through_too(n);
    fill(sink);
    sink = thousands(sink) & 1;
    sink = numbers[sink];
    printf("%d\n", work(TURNS));
    return 0;
}
P
options='-O1 -fno-tree-vectorize -pthread -o calls calls.c'
# shellcheck disable=SC2086
$CC $options 2>log || $CC -Dnoipa=noinline $options 2>log ||
    { cat log; exit 2; }
./calls >plain

run() { # OPTIONS: the table "function sampled estimated low high"
    rm -f x.brst
    # shellcheck disable=SC2086
    $bursty record --quiet --profile methods $1 -o x.brst -- ./calls >got 2>errors ||
        fail "$1: $(cat errors)"
    cmp -s plain got || fail "$1: other output"
    $bursty report --csv --min 0 x.brst >csv || fail "$1: no report"
    awk -F, '
        /^#/ {
            on = /functions: calls/
            getline
            split("", at)
            for (i = 1; i <= NF; i++) at[$i] = i
            next
        }
        on && NF > 2 {
            low = high = 0
            if ("estimated_low" in at) low = $at["estimated_low"]
            if ("estimated_high" in at) high = $at["estimated_high"]
            print $at["function"], $at["sampled"], $at["estimated"], low, high
        }' csv
}

run '--every 0' >table
for wanted in 'worker 4' 'late 4' 'step 4' 'leaf 40' 'within 40000' 'behind 40000' 'inside 40000' \
    'pointed 10030' 'fill 1'; do
    if grep -q "^$wanted " table; then pass
    else fail "every call: not $wanted, but $(grep "^${wanted% *} " table)"; fi
done

# Every reference, too. Where no check is needed the buffer may run over, and the user is told.
$bursty record --quiet --every 0 --profile footprint --stats -o x.brst -- ./calls >got 2>errors
all=$(sed -n 's/.* events \([0-9]*\), .*/\1/p' errors)
if grep -q 'events lost 0,' errors && ! grep -q '^bursty' errors && [ "${all:-0}" -ge 40000 ]
then pass
else fail "every reference: $(cat errors)"; fi
for period in 0 3; do
    $bursty record --every $period --jitter 0 --boring 4 --profile footprint -o x.brst -- ./calls \
        >got 2>errors
    if grep -q '^bursty: [1-9][0-9]* events or more are lost: .*--all-checks' errors; then pass
    else fail "references are lost at --every $period: $(cat errors)"; fi
done

# A loop with as many checks as there are between two bursts: no burst keeps step with it. Each of
# 49 functions is called as often as the others.
awk 'BEGIN {
    print "static volatile int sink;"
    for (i = 0; i < 49; i++)
        printf "__attribute__((noinline)) static int f%d(int x) { sink = x; return x + %d; }\n", i, i
    printf "static int (*volatile all[])(int) = {"
    for (i = 0; i < 49; i++) printf "f%d, ", i
    print "};\nint main(void) {\n    int n;\n    for (n = 0; n < 20000; n++) {"
    for (i = 0; i < 49; i++) printf "        sink = all[%d](n);\n", i
    print "    }\n    return 0;\n}"
}' >step.c
$CC -O1 -o step step.c || exit 2
for seed in 1 2; do
    $bursty record --quiet --all-checks --profile methods --every 40 --burst 10 --seed $seed \
        -o x.brst -- ./step
    $bursty report --csv --min 0 x.brst >csv
    awk -F, '
        /^rank/ { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["function"] ~ /^f[0-9]+$/ {
            all++
            inside += $at["share_low"] <= 1 / 49 && $at["share_high"] >= 1 / 49
        }
        END { print all + 0, inside + 0 }' csv
done >rows
if awk '{ all += $1; inside += $2 } END { exit !(all == 98 && inside >= 80) }' rows; then pass
else fail "functions and those with the truth in their intervals: $(cat rows)"; fi

# The same seed gives the same bursts. The interval of 95 % is taken twice as wide here.
for burst in 1 10; do
    run "--every $((burst * 19)) --burst $burst --seed 7" >table
    for function in within inside behind; do
        if awk -v f=$function '$1 == f { half = $5 - $4; ok = half > 0 && half < 4000 &&
                $3 - half <= 40000 && 40000 <= $3 + half }
                END { exit !ok }' table; then pass
        else fail "bursts of $burst: $(grep "^$function " table) of 40000"; fi
    done
done
finish
