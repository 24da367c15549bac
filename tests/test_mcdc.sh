#!/bin/sh
# test_mcdc.sh - bursty cc --cover=mcdc: random decisions, compiled and run, show what a truth table
# says of the same runs; outputs stay; what is left alone is said; runs add up; traps.
# mcdc_proof.sh does 10 000 decisions.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder mcdc
shares_runtime
bursty() { "$build/bursty" "$@"; }

case $(uname -s) in Linux) ;; *) leave "not Linux" ;; esac
$CC -w -I"$top/tests" -o make_mcdc "$top/tests/make_mcdc.c" 2>/dev/null && ./make_mcdc 3 30 . 2>/dev/null ||
    leave "$CC makes no programs that run here"
$CC -w -o plain program.c 2>/dev/null || leave "$CC has no statement expressions"

# Random decisions. large: 14 conditions, more than 64 runs, so the program finds out itself.
for form in mcdc mcdc-bits 'mcdc-bits --atomic' 'mcdc large' 'mcdc-bits large'; do
    case $form in *large) ./make_mcdc 5 12 . large ;; *) ./make_mcdc 3 30 . ;; esac
    $CC -w -o plain program.c && ./plain >plain.out
    rm -f coverage.brst left
    # shellcheck disable=SC2086
    bursty cc --cover=${form% large} --list=left -- $CC -w -g -O2 -o own program.c ||
        fail "$form: not compiled"
    empty left || fail "$form: left alone: $(cat left)"
    ./own >own.out
    cmp -s plain.out own.out && pass || fail "$form: output"
    bursty report --lcov coverage.brst >lcov
    bursty report --unique-cause --lcov coverage.brst >lcov.unique
    awk -f "$top/tests/edgeprof/lcov_rules.awk" lcov >broken && pass || fail "$form: LCOV: $(cat broken)"
    case $form in
    *large)
        cp lcov lcov.unique
        grep '^MCDC' wanted >unique
        ;;
    esac
    sh "$top/tests/mcdc_compare.sh" wanted unique lcov lcov.unique >differ && pass ||
        fail "$form: not as the truth table: $(cat differ)"
done

# The report of one decision. Runs add up; another build stands apart.
cat >one.c <<'END'
#include <stdlib.h>
static int valve(int low, int off, int forced) {
    if ((low && !off) || forced)
        return 1;
    return 0;
}
int main(int argc, char **argv) {
    return argc == 4 ? valve(atoi(argv[1]), atoi(argv[2]), atoi(argv[3])) > 1 : 0;
}
END
rm -f coverage.brst
bursty cc --cover=mcdc -- $CC -Wall -o one one.c && ./one 1 0 0 && ./one 1 1 0 && pass || fail one.c
bursty report coverage.brst >report
shows() { grep -q " $1  *6  *$2  *5  *3  one.c  (low && !off) || forced\$"; }
shows 4 2 <report && pass || fail "decisions: $(cat report)"
grep -q '^ *3  *one.c  low  *false  *low=F forced=F$' report && pass ||
    fail "wanted of low: $(cat report)"
mv coverage.brst first.brst
./one 0 0 0 && ./one 0 0 1 && mv coverage.brst second.brst
bursty merge -o all.brst first.brst second.brst && bursty report all.brst >report
shows 6 4 <report && pass || fail "merged: $(cat report)"
bursty merge -o again.brst all.brst first.brst && bursty report --csv all.brst >all.csv
bursty report --csv again.brst >again.csv
cmp -s all.csv again.csv && pass || fail "the same run twice is more than once"
lacks report ' one.c  ' 'one.c  low' && pass || fail "what is shown is still wanted"
rm -f coverage.brst
./one 1 1 0 && ./one 0 0 1 && bursty report coverage.brst | shows 3 2 && pass || fail "masking"
bursty report --unique-cause coverage.brst | shows 2 2 && pass || fail "unique cause"
rm -f coverage.brst
sed 's/!off/off == 0/' one.c >changed.c && mv changed.c one.c
bursty cc --cover=mcdc -- $CC -o one one.c && ./one 0 1 0 && mv coverage.brst other.brst
bursty merge -o both.brst all.brst other.brst && bursty report --csv both.brst >both.csv
grep -c 'low && ' both.csv | grep -q '^1$' && grep -q 'low && off == 0' both.csv && pass ||
    fail "the source is that of the second build alone: $(cat both.csv)"
mkdir elsewhere && (cd elsewhere && bursty report --csv ../both.brst) >both.csv
[ "$(grep -c 'low && ' both.csv)" = 2 ] && pass || fail "another build: $(cat both.csv)"

# Nested decisions, recursion, longjmp, loops, a switch into a loop. The marks of two lines as
# counted by hand.
cat >trap.c <<'END'
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static int again(int n, int a, int b) {
    return (n > 0 && (again(n - 1, b, a) || a)) || b;                  /* shown 7 of 8 */
}
static int leaves(int a) { if (a) longjmp(back, 1); return a; }
static int jumps(int a, int b) {
    if (setjmp(back)) return 7;
    return b && leaves(a) && a;                  /* shown 0 of 6, branches 1 of 6 */
}
static int loops(int n) {
    int s = 0, i = 0;
    while ((i < n || s < 3) && (s != 2 || n)) {
        s += ({ int t = i && s; t; }) + 1;
        i++;
    }
    switch (n) { do { case 1: s++; default: s += 2; } while (s < 9 && n); }
    return s;
}
int main(void) {
    printf("%d %d", again(3, 1, 0), again(1, 0, 0) + again(0, 1, 1));
    printf(" %d %d %d\n", jumps(1, 1), loops(2), loops(0));
    return 0;
}
END
$CC -w -o plain trap.c && ./plain >plain.out
for form in mcdc mcdc-bits; do
    rm -f coverage.brst
    bursty cc --cover=$form -- $CC -w -g -O2 -o own trap.c && ./own >own.out
    cmp -s plain.out own.out && pass || fail "$form: traps change the output"
    bursty report --lcov coverage.brst >lcov
    for line in 5 10; do
        sed -n "${line}s/.*shown \([0-9]*\) of \([0-9]*\).*/\1 \2/p" trap.c >wanted.line
        awk -F '[:,]' -v l=$line '/^MCDC/ && $2 == l { n++; s += $5 }
            END { print s + 0, n + 0 }' lcov >got.line
        cmp -s wanted.line got.line && pass || fail "$form: line $line: $(cat got.line)"
    done
    [ "$(grep -c '^BRDA:10,.*,1$' lcov)" = 1 ] && pass || fail "$form: what ran before longjmp"
done

# Messages stay; one about an assignment that is wrapped, too.
cat >warn.c <<'END'
int f(int a, int b) { if (a = b) return 1; return a && (b ? a = b : b); }
int g(int a, int b, int c) { return a && b || c; }
END
LC_ALL=C $CC -Wall -Wextra -c -o plain.o warn.c >plain.log 2>&1
LC_ALL=C bursty cc --cover=mcdc -- $CC -Wall -Wextra -c -o own.o warn.c >own.log 2>&1
cmp -s plain.log own.log && pass || fail "warnings: $(diff plain.log own.log)"

# What is left alone is listed, and counted in the report.
{
    printf 'int setjmp(int *);\nint f(int *v) { return v[0] && setjmp(v); }\n'
    printf 'int g(int *v) { return '
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        printf '(v[%d] || v[%d]) && ' $((2 * i)) $((2 * i + 1))
    done
    printf 'v[32]; }\nint main(void) { int v[33] = {0}; return g(v); }\n'
} >left.c
rm -f left coverage.brst
bursty cc --cover=mcdc --list=left -- $CC -w -c -o left.o left.c
grep -q 'left.c:2: f: left alone: setjmp-in-decision' left &&
    grep -q 'left.c:3: g: left alone: decision-too-large' left && pass || fail "left: $(cat left)"
sed 's/&& setjmp(v)/\&\& v[1]/' left.c >large.c
bursty cc --cover=mcdc -- $CC -w -o large large.c && ./large && bursty report coverage.brst >report
grep -q '^decisions left alone: 1$' report && pass || fail "left alone, report: $(cat report)"
[ "$(bursty report --lcov coverage.brst | grep -c '^BRDA:3,.*,1$')" = 2 ] && pass ||
    fail "branches of what is left alone"
finish
