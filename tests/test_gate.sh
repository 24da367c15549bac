#!/bin/sh
# test_gate.sh - what runs the tests: run.sh adds up, begins with what tests/order names and counts a
# test that dies; make compiles what a changed header is included by, and nothing else.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
build=${BUILD:-build}
out=$build/gate
rm -rf "$out"
mkdir -p "$out" || exit 2

# ---- run.sh ----

first=$(awk '!/^#/ { print $1; exit }' tests/order)
second=$(awk '!/^#/ && n++ { print $1; exit }' tests/order)
stub() { printf '#!/bin/sh\necho %s >>%s/began\n%s\n' "$1" "$out" "$2" >"$out/$1"; }
stub test_other.sh 'echo "2 passed, 0 failed"'
stub "$second" 'echo "3 passed, 0 failed, 1 skipped"'
stub "$first" 'echo "1 passed, 0 failed"'
stub test_dies.sh 'kill -9 $$'
stub test_hangs.sh "sleep 300 & echo \$! >$out/left; wait"
stub test_word.sh 'false || nosuchword; echo "4 passed, 0 failed"'
stub test_wrong.sh 'echo "5 passed, 0 failed"; exit 3'
run() { # WANTED STATUS AND LAST LINE, TESTS...
    wanted=$1
    shift
    : >"$out/began"
    # shellcheck disable=SC2046
    RUN='' JOBS=1 sh tests/run.sh $(printf " $out/%s" "$@") >"$out/log" 2>&1
    got="$? $(tail -n 1 "$out/log")"
    [ "$got" = "$wanted" ]
    ok $? "run.sh $*: '$got', wanted '$wanted'"
}
run "0 6 passed, 0 failed, 1 skipped" test_other.sh "$second" "$first"
[ "$(tr '\n' ' ' <"$out/began")" = "$first $second test_other.sh " ]
ok $? "run.sh begins with $(tr '\n' ' ' <"$out/began")"
tail -n 2 "$out/log" | head -n 1 | grep -q '^took [0-9]* s with compiling; .* [0-9]* s of processor time$'
ok $? "run.sh does not say how long it took: $(tail -n 2 "$out/log" | head -n 1)"
run "1 2 passed, 1 failed" test_dies.sh test_other.sh
run "1 5 passed, 1 failed" test_wrong.sh
run "1 4 passed, 1 failed" test_word.sh
grep -q 'test_word.sh: no such command: .*nosuchword' "$out/log"
ok $? "run.sh does not name a word that is no command: $(head -n 1 "$out/log")"
if timeout -k 10 9 true 2>/dev/null; then
    TEST_LIMIT=1 run "1 0 passed, 1 failed" test_hangs.sh # alone: no other has a limit of time
    grep -q 'test_hangs.sh: had not ended after 1 s' "$out/log"
    ok $? "run.sh does not say that a test had not ended: $(head -n 1 "$out/log")"
    gone() { ! kill -0 "$(cat "$out/left")" 2>/dev/null; }
    wait_for gone
    ok $? "run.sh leaves what a test started"
fi
for name in $(grep -v '^#' tests/order); do
    [ -f "tests/$name" ] || [ -f "tests/$name.c" ]
    ok $? "tests/order: there is no $name"
done

# ---- check.sh ----

(. tests/check.sh; shown=$out/said; echo reason >"$out/said"
    pass; check "that false" false; ok 1 "not equal"; ok 0 equal; skip "no cat"; finish) >"$out/log"
[ $? = 1 ] && [ "$(tail -n 1 "$out/log")" = "2 passed, 2 failed, 1 skipped" ] &&
    [ "$(grep -c '^    reason' "$out/log")" = 2 ]
ok $? "check.sh: $(cat "$out/log")"
(. tests/check.sh; log=$out/said; check "a word" sh -c 'echo said; exit 3'; leave "no dog") >"$out/log"
[ $? = 1 ] && [ "$(tail -n 1 "$out/log")" = "0 passed, 1 failed, 1 skipped" ] && grep -q '^    said' "$out/log"
ok $? "check.sh with a log: $(cat "$out/log")"
(. tests/check.sh; pass; finish) >"$out/log"
ok $? "check.sh: passed, and the status is another"
! grep -lE '^(pass|fail|skip|finish)\(\)|passed=\$\(\(passed \+ 1' tests/test_*.sh >"$out/log"
ok $? "scripts that count by themselves: $(cat "$out/log")"

# ---- make ----

# What make would compile if a file were newer than it is.
compiled() { # FILE TARGET...
    changed=$1
    shift
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n CC="${CC:-cc}" BUILD="$build" V=1 -W "$changed" "$@" 2>&1 |
        sed -n 's/.* -c -o [^ ]* \([^ ]*\.c\)$/\1/p' | grep -v '/lists\.c$' | sort # those are always looked at
}
object=$build/tools/place/show.o
if [ ! -f "$object.d" ]; then
    skip "${CC:-cc} writes no lists of what it included, or nothing was built with make"
else
    compiled tools/place/graph.h "$build/bursty" >"$out/graph"
    grep -q '^tools/place/show.c$' "$out/graph"
    ok $? "tools/place/graph.h is newer, and show.c is not compiled"
    ! grep -q '^tools/write/' "$out/graph"
    ok $? "tools/place/graph.h is newer, and a writer is compiled"
    compiled hotstream.h "$build/bursty" >"$out/header"
    [ "$(wc -l <"$out/header")" -le 5 ]
    ok $? "hotstream.h is newer, and $(wc -l <"$out/header") objects of the tool are compiled"
    compiled tools/no-such.h "$build/bursty" >"$out/nothing"
    [ ! -s "$out/nothing" ]
    ok $? "nothing is newer, and make compiles $(head -n 3 "$out/nothing" | tr '\n' ' ')"
fi

finish
