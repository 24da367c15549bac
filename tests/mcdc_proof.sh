#!/bin/sh
# mcdc_proof.sh [ROUNDS [FIRST]] - 25 rounds, or so many from FIRST on, of 400 random decisions of
# which each is compiled and run: what bursty report shows must be what a truth table shows of the
# same runs, masking and unique cause, and all branches; outputs must stay. Rounds take turns with
# compilers, levels, forms of marks; each fifth has decisions of 14 conditions, which are too large
# for a mark a run. It needs gcc; clang-14 and clang-19 if they are there.
set -u
cd "$(dirname "$0")/.." || exit 2
rounds=${1:-25} BUILD=${BUILD:-build} tests=$PWD/tests
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
dir=$BUILD/tests/mcdc_proof_${2:-0}
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 2
BURSTY_CACHE=$dir/cache
export BURSTY_CACHE
cc -w -O1 -I"$tests" -o make_mcdc "$tests/make_mcdc.c" || exit 2
round=${2:-0} decisions=0 outcomes=0 bad=0
compilers="gcc:-O0 gcc:-O2"
for c in clang-14 clang-19; do command -v $c >/dev/null && compilers="$compilers $c:-O1"; done
last=$((round + rounds))
while [ $round -lt $last ]; do
    count=400 large=
    [ $((round % 5)) = 4 ] && large=large
    # shellcheck disable=SC2086
    ./make_mcdc $((round + 100)) $count . $large
    set -- $compilers
    shift $((round % $#))
    compiler=${1%:*} level=${1#*:}
    form=mcdc
    [ $((round % 3)) = 1 ] && form=mcdc-bits
    rm -f coverage.brst left
    $compiler -w $level -o plain program.c && ./plain >plain.out
    "$BUILD/bursty" cc --cover=$form --list=left -- $compiler -w $level -o own program.c &&
        ./own >own.out
    cmp -s plain.out own.out || { echo "round $round: another output"; bad=$((bad + 1)); }
    [ -f left ] && [ ! -s left ] || { echo "round $round: left alone"; cat left; bad=$((bad + 1)); }
    "$BUILD/bursty" report --lcov coverage.brst >lcov
    if [ -n "$large" ]; then cp lcov lcov.unique; grep '^MCDC' wanted >unique
    else "$BUILD/bursty" report --unique-cause --lcov coverage.brst >lcov.unique; fi
    if ! sh "$tests/mcdc_compare.sh" wanted unique lcov lcov.unique; then
        echo "round $round: $compiler $level $form $large"
        bad=$((bad + 1))
    fi
    decisions=$((decisions + count)) outcomes=$((outcomes + $(grep -c '^MCDC' wanted)))
    round=$((round + 1))
done
echo "$decisions decisions, $outcomes outcomes of conditions by each criterion (the large ones:" \
    "masking alone); rounds that differ: $bad"
[ $bad = 0 ]
