#!/bin/sh
# test_gate.sh - what runs the tests: run.sh adds up, begins with what tests/order names, counts a test
# that dies and a skip that nobody allowed; a row of the matrix that lacks its packages fails; make
# compiles what a changed header is included by, and nothing else.
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
stub "$second" 'echo "skipped: no dragon"; echo "3 passed, 0 failed, 1 skipped"'
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
    RUN='' JOBS=1 SKIPS=$out/skips sh tests/run.sh $(printf " $out/%s" "$@") >"$out/log" 2>&1
    got="$? $(tail -n 1 "$out/log")"
    [ "$got" = "$wanted" ]
    ok $? "run.sh $*: '$got', wanted '$wanted'"
}
echo "$second 1 any no dragon" >"$out/skips"
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
# ---- skips ----

skips() { # STATUS AND LAST LINE, LINE OF THE LIST, [WHAT IS SAID]: of a test that skips twice
    echo "$2" >"$out/skips"
    run "$1" test_skips.sh
    [ -z "${3-}" ] || grep -qF "test_skips.sh: $3" "$out/log"
    ok $? "run.sh with '$2': $(head -n 3 "$out/log")"
}
stub test_skips.sh 'echo "skipped: no dragon"; echo "skipped: no wings"; echo "1 passed, 0 failed, 2 skipped"'
skips "0 1 passed, 0 failed, 2 skipped" "test_skips.sh 2 any no (dragon|wings)"
skips "1 1 passed, 1 failed, 2 skipped" "test_skips.sh 1 any no (dragon|wings)" \
    'tests/skips does not allow it to skip here: no wings'
skips "1 1 passed, 2 failed, 2 skipped" "test_other.sh 2 any no" \
    'tests/skips does not allow it to skip here: no dragon'
skips "0 1 passed, 0 failed, 2 skipped" "test_skips.sh 2 cobol,!nosuchprogram no (dragon|wings)"
skips "1 1 passed, 2 failed, 2 skipped" "test_skips.sh 2 cobol,!sh no (dragon|wings)"
CFLAGS=-fsanitize=address skips "0 1 passed, 0 failed, 2 skipped" "test_skips.sh 2 other no"
CFLAGS='' CC="${CC:-cc}" skips "1 1 passed, 2 failed, 2 skipped" "test_skips.sh 2 cobol no"
: >"$out/skips"
run "1 1 passed, 2 failed, 2 skipped" test_skips.sh
stub test_skips.sh 'echo "1 passed, 0 failed, 1 skipped"'
skips "1 1 passed, 1 failed, 1 skipped" "test_skips.sh 2 any no" 'says 1 skipped and names 0'
for name in $(sed -n 's/^\(test_[^ ]*\) .*/\1/p' tests/skips | sort -u); do
    [ -f "tests/$name" ] || [ -f "tests/$name.c" ]
    ok $? "tests/skips: there is no $name"
done

# ---- matrix.sh ----

# Its packages cannot be installed: apt-get and dpkg-query of this folder install nothing.
rows=$out/rows
mkdir -p "$rows/tests/matrix" "$rows/bin"
cp tests/matrix.sh "$rows/tests"
cp tests/matrix/target.sh "$rows/tests/matrix"
{
    echo 'bare | both | | echo "3 passed, 0 failed" | nothing'
    echo 'lacks | both | nosuchpackage | echo "5 passed, 0 failed" | nothing'
    echo 'slow | both | | exec sleep 30 | nothing'
} >"$rows/tests/matrix/targets"
echo tools: >"$rows/Makefile"
for name in apt-get dpkg-query sudo; do printf '#!/bin/sh\nexit 1\n' >"$rows/bin/$name"; done
# apt is tried twice, with five seconds between.
printf '#!/bin/sh\n[ "$1" = 5 ] || exec %s "$@"\n' "$(command -v sleep)" >"$rows/bin/sleep"
chmod +x "$rows"/bin/*
rows_of() { # WANTED STATUS AND LAST LINE, ROWS...
    wanted=$1
    shift
    (cd "$rows" && PATH=$PWD/bin:$PATH ROW_LIMIT=${limit:-60} env -u MAKEFLAGS -u MAKELEVEL \
        sh tests/matrix.sh "$@") >"$out/log" 2>&1
    got="$? $(tail -n 1 "$out/log")"
    [ "$got" = "$wanted" ]
    ok $? "matrix.sh $*: '$got', wanted '$wanted'"
}
rows_of "0 3 passed, 0 failed" bare
rows_of "1 3 passed, 1 failed" bare lacks
[ "$(grep -c '^lacks: FAILED, cannot install nosuchpackage ' "$out/log")" = 1 ]
ok $? "matrix.sh does not name the row without its package: $(cat "$out/log")"
if timeout -k 10 9 true 2>/dev/null; then
    limit=1 rows_of "1 0 passed, 1 failed" slow
    grep -q '^slow: FAILED, had not ended after 1 s' "$out/log"
    ok $? "matrix.sh does not name the row that had not ended: $(cat "$out/log")"
fi

# A row of the matrix runs in the gate as long as its folders or its scripts are others than those it passed with.
{
    echo 'bare | gate | | echo "3 passed, 0 failed" | nothing'
    echo 'own | matrix area one.md | | echo "4 passed, 0 failed" | nothing'
    echo 'fails | matrix other | | echo "1 passed, 1 failed" | nothing'
} >"$rows/tests/matrix/targets"
echo 'test_long.sh own' >"$rows/tests/order"
mkdir -p "$rows/area/in" "$rows/other"
for name in area/in/a.c area/b.c one.md tests/test_long.sh tests/test_short.sh other/c.c; do
    echo text >"$rows/$name"
done
: >"$rows/tests/matrix/passed"
rows_of "1 8 passed, 1 failed" gate # and fails is asked again until it passes
echo 'fails | matrix other | | echo "1 passed, 0 failed" | nothing' >>"$rows/tests/matrix/targets"
sed -i.old '/1 failed/d' "$rows/tests/matrix/targets"
rows_of "0 4 passed, 0 failed" gate
rows_of "0 3 passed, 0 failed" gate
for name in area/in/a.c one.md tests/test_long.sh; do
    echo more >>"$rows/$name"
    rows_of "0 7 passed, 0 failed" gate
    rows_of "0 3 passed, 0 failed" gate
done
echo more >>"$rows/tests/test_short.sh"
rows_of "0 3 passed, 0 failed" gate
mv "$rows/area/b.c" "$rows/area/d.c"
rows_of "0 7 passed, 0 failed" gate
for name in $(awk '!/^#/ && $2 { print $2 }' tests/order | sort -u); do
    grep -q "^$name *| matrix .*| left $name *|" tests/matrix/targets
    ok $? "tests/order leaves scripts to $name, which no row runs"
done

for name in $(awk '!/^#/ { print $1 }' tests/order); do
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
object=$build/cc/place/show.o
if [ ! -f "$object.d" ]; then
    skip "${CC:-cc} writes no lists of what it included, or nothing was built with make"
else
    compiled cc/place/graph.h "$build/bursty" >"$out/graph"
    grep -q '^cc/place/show.c$' "$out/graph"
    ok $? "cc/place/graph.h is newer, and show.c is not compiled"
    lacks "$out/graph" '^cc/place/' '^report/write/'
    ok $? "cc/place/graph.h is newer, and a writer is compiled"
    compiled hotstream.h "$build/bursty" >"$out/header"
    [ "$(wc -l <"$out/header")" -le 5 ]
    ok $? "hotstream.h is newer, and $(wc -l <"$out/header") objects of the tool are compiled"
    compiled base/no-such.h "$build/bursty" >"$out/nothing"
    [ ! -s "$out/nothing" ]
    ok $? "nothing is newer, and make compiles $(head -n 3 "$out/nothing" | tr '\n' ' ')"
fi

finish
