#!/bin/sh
# test_edgeprof.sh - edgeprof.h by hand: all modes of one program tell the same; mistakes in tables
# and places are found; the example in examples/parser is what its own planner makes, and its
# coverage opens in genhtml where that is installed.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/tests/edgeprof
rm -rf "$out"
mkdir -p "$out" || exit 2
log=$out/log
. tests/compile/warnings.sh

# shellcheck disable=SC2046,SC2086
c() { $CC -std=c99 $(warnings_of "$CC") -I. -I"$out" "$@"; }
run_to() { file=$1; shift; "$@" >"$file"; }
fails_with() { # PATTERN COMMAND...
    pattern=$1; shift
    ! "$@" >"$out/failure" 2>&1 && grep -q "$pattern" "$out/failure"
}

# ---- modes ----

forms=tests/edgeprof/forms.c
check "planner, built" c -DPLANNER -o "$out/planner" $forms
check "planner, run" run_to "$out/forms_plan.h" "$out/planner"
check "the counters of an endless function count its loop" grep -q 'EP_NS_forever 1' \
    "$out/forms_plan.h"
check "check mode, built" c -DEDGEPROF_CHECK -o "$out/check" $forms
check "check mode, run" run_to "$out/check.csv" "$out/check" "$out/check.brst"
check "collatz was entered 99 times" grep -q '"collatz",entry,8,0,10,99' "$out/check.csv"
check "4 leaps came back" grep -q '"outer",block,1,21,21,4' "$out/check.csv"
for mode in EDGEPROF_BITS=16 EDGEPROF_BITS=32 EDGEPROF_BITS=64 EDGEPROF_ATOMIC \
    EDGEPROF_THREAD=__thread EDGEPROF_WIDE; do
    check "$mode, built" c -D$mode -o "$out/mode" $forms
    check "$mode, run" run_to "$out/mode.csv" "$out/mode" "$out/$mode.brst"
    check "$mode tells what check mode tells" cmp "$out/mode.csv" "$out/check.csv"
done
# Marks tell the same, also behind a call that did not come back; but outer's vertex fresh was both
# passed and left, and no mark stands behind it.
sed 's/,[1-9][0-9]*$/,1/; /"outer",edge,1,/s/1$/0/' "$out/check.csv" >"$out/marks.csv"
for mode in EDGEPROF_COVER=1 EDGEPROF_COVER=8; do
    check "$mode, built" c -D$mode -o "$out/mode" $forms
    check "$mode, run" run_to "$out/mode.csv" "$out/mode" "$out/$mode.brst"
    check "$mode marks what ran" cmp "$out/mode.csv" "$out/marks.csv"
done
check "off, built" c -DEDGEPROF_OFF -o "$out/mode" $forms
check "off, run" run_to "$out/mode.csv" "$out/mode"
check "off tells nothing" [ "$(wc -l <"$out/mode.csv")" = 1 ]
check "without tables, built" c -DFORMS_COUNTS_ALONE -o "$out/mode" $forms
check "without tables, run" run_to "$out/mode.csv" "$out/mode" "$out/bare.brst"
if command -v "$CXX" >/dev/null 2>&1; then
    for mode in EDGEPROF_BITS=32 EDGEPROF_CHECK EDGEPROF_COVER=8 EDGEPROF_OFF; do
        # shellcheck disable=SC2046
        check "$mode as C++" "$CXX" -std=c++11 $(warnings_of "$CXX") -I. -I"$out" -D$mode -x c++ \
            -o "$out/mode" $forms
        check "$mode as C++, run" run_to "$out/mode.csv" "$out/mode"
    done
else skip "C++: no $CXX"; fi

# A dead edge leaves nothing behind, not even without optimisation: off and a plan without counters
# make the same code.
if command -v objcopy >/dev/null 2>&1; then
    cat >"$out/dead.c" <<'END'
#define EP_CFG_f(V, E, F) V(F, a, 1) V(F, b, 2) V(F, z, 0) E(F, 0, a, b) E(F, 1, b, z)
#include "edgeprof.h"
EP_FUNC(f);
int f(int x);
int f(int x) { EP_ENTRY(f); EP_EDGE(f, 0); return x; }
END
    printf '#define EP_%s\n' 'NE_f 2' 'NS_f 0' 'NC_f 1' 'SUM_f 202' 'HASH_f 1' STAYS_f 'L_f_X 0' \
        'L_f_0 0' 'L_f_1 1' 'S_f_1 0' >"$out/dead.h"
    check "dead edges" c -O0 -include "$out/dead.h" -c -o "$out/dead.o" "$out/dead.c"
    check "no edges" c -O0 -DEDGEPROF_OFF -c -o "$out/none.o" "$out/dead.c"
    check "code" objcopy -O binary -j .text "$out/dead.o" "$out/dead.text"
    check "code" objcopy -O binary -j .text "$out/none.o" "$out/none.text"
    check "a dead edge leaves nothing behind" cmp "$out/dead.text" "$out/none.text"
else skip "dead edges: no objcopy"; fi

# ---- mistakes ----

sed 's/EP_EDGE(collatz, 5);//' $forms >"$out/missing.c"
check "a missing edge, built" c -DEDGEPROF_CHECK -o "$out/mode" "$out/missing.c"
check "a missing edge is found" fails_with 'collatz: even, line 13' "$out/mode"
sed 's/EP_EDGE(inner, 2);/EP_EDGE(inner, 2); EP_EDGE(inner, 2);/' $forms >"$out/double.c"
check "a doubled edge, built" c -DEDGEPROF_CHECK -o "$out/mode" "$out/double.c"
check "a doubled edge is found" fails_with 'inner: stay, line 32' "$out/mode"
sed 's/E(F, 2, body, odd) E(F, 3, body, even)/E(F, 2, body, even) E(F, 3, body, odd)/' $forms \
    >"$out/stale.c"
check "a stale plan does not compile" \
    fails_with 'ep_plan_is_stale_make_it_again_collatz' c -c -o "$out/x.o" "$out/stale.c"
sed 's/E(F, 3, body, even)/E(F, 9, body, even)/; s/EP_EDGE(collatz, 3)/EP_EDGE(collatz, 9)/' \
    $forms >"$out/gap.c"
check "numbers with a gap do not compile" fails_with 'ep_edges_are_numbered_in_order_collatz' c \
    -DEDGEPROF_CHECK -c -o "$out/x.o" "$out/gap.c"

# ---- the host's tool ----

bursty=$BUILD/bursty
report() { "$bursty" report "$@"; }
same_lcov() {
    report --lcov "$1" >"$out/one.info" && report --lcov "$2" >"$out/two.info" &&
        cmp "$out/one.info" "$out/two.info"
}
for mode in EDGEPROF_BITS=16 EDGEPROF_BITS=32 EDGEPROF_BITS=64 EDGEPROF_ATOMIC \
    EDGEPROF_THREAD=__thread EDGEPROF_WIDE; do
    check "LCOV of $mode is that of check mode" same_lcov "$out/$mode.brst" "$out/check.brst"
done
check "there are branches in it" grep -q '^BRDA:11,1,0,' "$out/one.info"
check "marks by bits and bytes are the same LCOV" same_lcov "$out/EDGEPROF_COVER=1.brst" \
    "$out/EDGEPROF_COVER=8.brst"
check "counts alone: says what is missing" sh -c \
    "'$bursty' report '$out/bare.brst' | grep -q 'counts without a table.*4'"
check "counts beside a dump with tables" "$bursty" merge -o "$out/both.brst" "$out/bare.brst" \
    "$out/EDGEPROF_BITS=32.brst"
check "adds up" sh -c "'$bursty' report --lcov '$out/both.brst' | grep -q '^FNDA:198,collatz'"
check "merge in the other order" "$bursty" merge -o "$out/other.brst" \
    "$out/EDGEPROF_BITS=32.brst" "$out/bare.brst"
check "gives the same bytes" cmp "$out/both.brst" "$out/other.brst"
check "Cobertura" run_to "$out/forms.xml" "$bursty" report --cobertura "$out/check.brst"
check "has a line with its branches" grep -q \
    'number="11" hits="3117" branch="true" condition-coverage="100% (2/2)"' "$out/forms.xml"
if command -v xmllint >/dev/null 2>&1; then
    dtd=tests/edgeprof/coverage-04.dtd
    check "the DTD accepts it" xmllint --noout --nonet --dtdvalid $dtd "$out/forms.xml"
    "$bursty" report --cobertura "$out/EDGEPROF_COVER=1.brst" >"$out/marks.xml"
    check "and marks" xmllint --noout --nonet --dtdvalid $dtd "$out/marks.xml"
    sed 's/ hits="3117"//' "$out/forms.xml" >"$out/no_hits.xml"
    check "but no line without hits" \
        fails_with 'hits' xmllint --noout --nonet --dtdvalid $dtd "$out/no_hits.xml"
else skip "xmllint is not installed"; fi
# What LCOV 2 asks of a tracefile.
consistent() { awk -f tests/edgeprof/lcov_rules.awk "$1"; }
for mode in check EDGEPROF_BITS=16 EDGEPROF_COVER=1; do
    report --lcov "$out/$mode.brst" >"$out/rules.info"
    check "LCOV of $mode does not contradict itself" consistent "$out/rules.info"
done
report --lcov "$out/check.brst" >"$out/counted.info"
sed 's/^FNDA:99,collatz/FNDA:0,collatz/' "$out/counted.info" >"$out/rules.info"
check "a function that did not run, lines that did" \
    fails_with 'did not run' consistent "$out/rules.info"
sed 's/^LH:.*/LH:0/' "$out/counted.info" >"$out/rules.info"
check "a wrong total" fails_with 'LH is 0' consistent "$out/rules.info"
size=$(wc -c <"$out/check.brst") at=1 bad=0
# Every truncation is refused, with one line and status 2.
while [ "$at" -lt "$size" ]; do
    head -c "$at" "$out/check.brst" >"$out/cut.brst"
    "$bursty" report "$out/cut.brst" >"$out/cut.txt" 2>"$out/cut.err"
    [ $? = 2 ] && [ ! -s "$out/cut.txt" ] && [ "$(wc -l <"$out/cut.err")" = 1 ] || bad=$((bad + 1))
    at=$((at + 13))
done
check "cut dumps are refused" [ $bad = 0 ]

# ---- the example ----

parser=examples/parser
check "plan.c" c -o "$out/plan" $parser/plan.c
check "plan.c, run" run_to "$out/parser_plan.h" "$out/plan"
check "parser_plan.h is what plan.c prints" cmp "$out/parser_plan.h" $parser/parser_plan.h
check "its unit tests" c -o "$out/unit_tests" $parser/parser.c $parser/unit_tests.c
check "its unit tests, run" sh -c "cd '$out' && ./unit_tests"
cp "$out/parser.info" "$out/plan.info"
check "its unit tests in check mode" c -DEDGEPROF_CHECK -o "$out/unit_tests" $parser/parser.c \
    $parser/unit_tests.c
check "its unit tests in check mode, run" sh -c "cd '$out' && ./unit_tests"
check "the plan tells what check mode tells" cmp "$out/parser.info" "$out/plan.info"
check "one line is not covered" grep -q '^DA:71,0' "$out/parser.info"
check "which is where a bracket was not closed" sh -c \
    "sed -n 71p $parser/parser.c | grep -q 'failed = 1'"
check "the table's first line is where its condition stands" sh -c \
    "sed -n 28p $parser/parser.c | grep -q \"'0'\""
check "the tool's LCOV" run_to "$out/tool.info" "$bursty" report --lcov "$out/parser.brst"
sorted() { grep -v '^TN' "$1" | sort; }
sorted "$out/parser.info" >"$out/a"
sorted "$out/tool.info" >"$out/b"
check "is the target's, line by line" cmp "$out/a" "$out/b"
check "the target's LCOV does not contradict itself" consistent "$out/parser.info"
if command -v genhtml >/dev/null 2>&1; then
    check "genhtml takes the target's" genhtml --branch-coverage -o "$out/html" "$out/parser.info"
    check "genhtml takes the tool's" genhtml --branch-coverage -o "$out/html2" "$out/tool.info"
else skip "genhtml is not installed"; fi

finish
