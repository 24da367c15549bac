#!/bin/sh
# test_place_counts.sh - bursty place --counts: a function with 1 % of the calls of a training run keeps its
# check, what is no longer seen is said, and the checks that will run are predicted.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc}
bursty=$BUILD/bursty
dir=$BUILD/tests/counts
rm -rf "$dir"
mkdir -p "$dir/tmp" || exit 2
export TMPDIR=$dir/tmp BURSTY_CACHE=$dir/../cc_runtime
shown=$dir/out
top=$PWD
case $bursty in /*) top= ;; esac

place() { "$bursty" place "$@" >"$dir/out" 2>&1; }
says() { # STATUS PATTERN OPTIONS...
    wanted=$1 pattern=$2
    shift 2
    place "$@"
    status=$?
    if [ $status = "$wanted" ] && grep -qE "$pattern" "$dir/out"; then pass
    else fail "$*: status $status, not $wanted with '$pattern'"; fi
}
checks_of() { "$bursty" report "$1" | tr '\n' ' ' | sed 's/.*checks \([0-9 ]*\);.*/\1/' | tr -d ' '; }

# often: 60 %, now and then: 5 %, seldom: below 1 % of the calls, all leaves
cat >"$dir/p.c" <<'C'
#include <stdio.h>
static int often(int x) { return x * 3 % 7; }
static int now_and_then(int x) { return x / 3; }
static int seldom(int x) { return x ^ 5; }
static int middle(int i) { return often(i) + often(i + 1) + (i % 4 ? 0 : now_and_then(i)) + (i % 100 ? 0 : seldom(i)); }
static int small(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }
int main(void) {
    int i, s = 0;
    for (i = 0; i < 20000; i++) s += middle(i);
    printf("%d %d\n", s, small(30000));
    return 0;
}
C
needs_programs "$dir"
"$bursty" cc --entries=all --loops=all -- $CC -g -O2 -w -o "$dir/all" "$dir/p.c" >"$dir/out" 2>&1
ok $? "no program is built: $(head -n 1 "$dir/out")"
BURSTY_EVERY=0 BURSTY_FILE="$dir/run.brst" "$dir/all" >"$dir/plain.out" || fail "it does not run"

# ---- what is kept, and what is lost
says 0 '^6 functions: .*seen 3' --set Q --counts "$dir/run.brst" -o "$dir/plan" "$dir/all"
for name in often now_and_then middle; do
    check "$name keeps its check" grep -qE "^P .* $name [0-9a-f]{16} 1 " "$dir/plan"
done
check "seldom has none" grep -qE '^P .* seldom [0-9a-f]{16} 0 ' "$dir/plan"
check "and is named" grep -qE '^no longer seen by points: 3 functions with 0\.[0-9] % of the calls of .*: seldom 0\.[0-9] %' "$dir/out"
says 0 '^no longer seen by points: [0-9]+ functions with [0-9.]+ % .*: often [56][0-9]\.[0-9] %' --set Q --counts "$dir/run.brst" --least 100 "$dir/all"
place --set Q --counts "$dir/run.brst" --least 0.1 -o - "$dir/all"
check "--least says how much" grep -qE '^P .* seldom [0-9a-f]{16} 1 ' "$dir/out"

# ---- the prediction is what runs, by exact counts
for set in EC+L4 Q all; do
    place --set $set --counts "$dir/run.brst" --instructions 1000000 -o "$dir/plan" "$dir/all"
    predicted=$(sed -n 's/^predicted for that run: \([0-9 ]*\) checks of its .*/\1/p' "$dir/out" | tr -d ' ')
    percent=$(sed -n 's/^  basic cost \([0-9.]*\) % of instructions: 2 for each check;.*/\1/p' "$dir/out")
    "$bursty" cc --plan="$dir/plan" -- $CC -g -O2 -w -o "$dir/built" "$dir/p.c" >"$dir/log" 2>&1
    BURSTY_EVERY=90 BURSTY_FILE="$dir/built.brst" "$dir/built" >"$dir/built.out"
    ran=$(checks_of "$dir/built.brst")
    ok $([ "${predicted:-0}" -gt 0 ] && [ $((predicted - ${ran:-0})) -ge -1 ] && [ $((predicted - ${ran:-0})) -le 1 ]; echo $?) \
        "$set: predicted '$predicted', ran '$ran'"
    ok $(awk "BEGIN { d = $percent - $predicted / 5000; exit !(d < .01 && d > -.01) }"; echo $?) "$set: $percent % of $predicted checks"
    check "$set prints the same" cmp "$dir/plain.out" "$dir/built.out"
done
place --set Q --within 10000 --counts "$dir/run.brst" --least 100 "$dir/all"
check "a strip counts its share" grep -qE '^predicted for that run: 2[0-9] [0-9]{3} checks' "$dir/out"

# ---- the cost at a rate: two loops that run one after the other. Were their checks drawn one by one, each burst of 10 would see
# both, 2 - 2 / 1024 sites: 60 x (10 x 63 + 325) + 60 x (58 + 1.998 x 128) + 3 x 2800, for 600 checks in bursts. Bursts that ran
# saw 2 of the three sites, step being one, where 2.886 would have been drawn: the sums take 60 x (58 + 1.385 x 128).
cat >"$dir/q.c" <<'C'
volatile int s;
static void step(int i) { s += i; }
int main(void) {
    int i;
    for (i = 0; i < 30000; i++) step(i);
    for (i = 0; i < 30000; i++) step(i + 1);
    return 0;
}
C
"$bursty" cc --entries=all --loops=all -- $CC -O2 -w -o "$dir/q" "$dir/q.c" >"$dir/log" 2>&1
BURSTY_EVERY=0 BURSTY_FILE="$dir/q.brst" "$dir/q"
q() { says 0 "^  basic cost 12.00 % .*; at $1 for each check in a burst\$" --set EC+L4 --least 100 --counts "$dir/q.brst" --instructions 1000010 $2 "$dir/q"; }
q '990:10, 1 % of the checks: 20.45 %, with 141' ''
# 40 bursts of 50: 40 x (50 x 63 + 325) + 40 x (58 + 2 x 128) + 3 x 2800, for 2000 checks. And 30000 bursts of one check, which
# see one site; 1024 + 28976 / 8 = 4646 are summed up: 30000 x (63 + 325) + 4646 x (58 + 128) + 3 x 2800.
q '1450:50, 3.33 % of the checks: 28.00 %, with 80' '--rate 1450:50'
q '1:1, 50 % of the checks: 1263.2[0-9] %, with 417' '--rate 1:1'
# This sample has met main, so step has less than all calls, and --least 100 leaves it out.
BURSTY_SEED=6 BURSTY_EVERY=90 BURSTY_FILE="$dir/q.brst" "$dir/q"
says 0 '^  basic cost 1[12]\.[0-9]* % .*, with 13[1-5] for each check in a burst$' --set EC+L4 --least 100 --counts "$dir/q.brst" --instructions 1000010 "$dir/q"

# ---- a function that does not return has the check of its cycles: fail ends in longjmp, and give_up in a call of fail
cat >"$dir/r.c" <<'C'
#include <setjmp.h>
static jmp_buf env;
static int depth;
static void push(int x);
static void fail(int code) { if (depth++ < 3) push(code); longjmp(env, 1); }
static void give_up(int code) { fail(code + 1); }
static void push(int x) { if (x < 0) give_up(x); depth += x & 1; }
static void loops(int n) { if (n > 0) { push(n); loops(n - 1); } }
int main(void) { if (setjmp(env) == 0) { loops(50); push(-1); } return 0; }
C
"$bursty" cc --entries=all --loops=all -- $CC -O2 -w -o "$dir/r" "$dir/r.c" >"$dir/log" 2>&1
says 0 '^main .* check' --set EC+L4 --list "$dir/r"
check "fail has the check of its cycle" grep -qE '^fail .* check +recursion' "$dir/out"
check "and give_up" grep -qE '^give_up .* check +recursion' "$dir/out"
check "push has none" grep -qE '^push .* none ' "$dir/out"
check "loops has its own" grep -qE '^loops .* check +recursion' "$dir/out"

# ---- what did not run counts nothing; a file that two others include is counted once
printf 'static int shared(int x) { struct bursty_check; return x %% 3; }\n' >"$dir/shared.h"
printf '#include "shared.h"\nint other(int x) { return shared(x); }\n' >"$dir/b.c"
printf '#include "shared.h"\nint other(int x);\nint rare(int x) { return other(x) + rare(x - 1); }\nint main(int n, char **v) { int i, s = 0; for (i = 0; i < 1000; i++) s += shared(i); if (n > 5) s += rare(n); return s == 1; }\n' >"$dir/a.c"
(cd "$dir" && "${top:+$top/}$bursty" cc --entries=all --loops=all -- $CC -O0 -w -o two a.c b.c) >"$dir/log" 2>&1 || fail "two files: $(cat "$dir/log")"
BURSTY_EVERY=0 BURSTY_FILE="$dir/two.brst" "$dir/two"
says 0 '^predicted for that run: 2 001 checks of its 2 001' --set all --counts "$dir/two.brst" "$dir/two"
place --set EC+L4 --least 60 --not shared --counts "$dir/two.brst" "$dir/two"
check "and lost once, as one function" grep -qE '^no longer seen by points: .* with [0-9.]+ % of the calls of [^:]*: shared 9[0-9]\.[0-9] %(, (main|other) [0-9.]+ %)*( \.\.\.)?$' "$dir/out"
place --set all --counts "$dir/two.brst" "$dir/two"
ok $(grep -q 'the run has none' "$dir/out"; [ $? = 1 ]; echo $?) "what did not run has a check there"

# ---- a run without these checks
"$bursty" cc --entries=EN --loops=all -- $CC -O2 -w -o "$dir/loops" "$dir/p.c" >"$dir/log" 2>&1
BURSTY_EVERY=0 BURSTY_FILE="$dir/loops.brst" "$dir/loops" >"$dir/built.out"
says 0 '^  [0-9]+ checks stand where the run has none: not counted' --set EL --counts "$dir/loops.brst" "$dir/loops"

# ---- what is refused
says 2 "nothing.brst: " --counts "$dir/nothing.brst" "$dir/all"
says 2 'p.c: ' --counts "$dir/p.c" "$dir/all"
says 2 'place: --least and --instructions go with --counts' --least 2 "$dir/all"
says 2 'place: --counts goes with a plan' --counts "$dir/run.brst" --built "$dir/all"
says 2 'place: --counts goes with a plan' --counts "$dir/run.brst" --prove "$dir/all"
for value in 0 -1 101 x 1%; do
    says 2 "place: --least: '$value' is not valid: a percentage above 0" --counts "$dir/run.brst" --least "$value" "$dir/all"
done
says 2 'place: --rate goes with --instructions' --counts "$dir/run.brst" --rate 990:10 "$dir/all"
for value in 0:10 990:0 990 990: :10 990:10x 990:-1 -990:10 1e10:1; do
    says 2 "place: --rate: '$value' is not valid: two numbers, as 990:10" --counts "$dir/run.brst" --instructions 5 --rate "$value" "$dir/all"
done
for value in 0 -5 x 1e30; do
    says 2 "place: --instructions: '$value' is not valid" --counts "$dir/run.brst" --instructions "$value" "$dir/all"
done
BURSTY_EVERY=1000000 BURSTY_FILE="$dir/short.brst" "$dir/all" >"$dir/built.out"
says 2 'short.brst: no event of a check is counted in it' --counts "$dir/short.brst" "$dir/all"
finish
