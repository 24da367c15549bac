#!/bin/sh
# mcdc_clang.sh [ROUNDS] - clang 19's -fcoverage-mcdc beside --unique-cause, same programs and runs:
# 400 random decisions a round. clang refuses decisions with a boolean inside of another operation,
# takes a ?: inside as several decisions, and keeps constants as conditions: those are left out of
# the comparison, and counted. Needs clang-19 and llvm-19.
set -u
cd "$(dirname "$0")/.." || exit 2
rounds=${1:-5} BUILD=${BUILD:-build} top=$PWD
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
dir=$BUILD/bench/mcdc_clang
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 2
BURSTY_CACHE=$dir/cache
export BURSTY_CACHE
cc -w -O1 -I"$top/tests" -o make_mcdc "$top/tests/make_mcdc.c" || exit 2
round=0
: >rows
while [ $round -lt "$rounds" ]; do
    ./make_mcdc $((round + 500)) 400 .
    rm -f coverage.brst own.raw
    clang-19 -w -O1 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -o peer program.c \
        2>/dev/null && LLVM_PROFILE_FILE=peer.raw ./peer >peer.out &&
        llvm-profdata-19 merge -o peer.prof peer.raw &&
        llvm-cov-19 export peer -instr-profile=peer.prof >peer.json || exit 2
    "$BUILD/bursty" cc --cover=mcdc -- clang-19 -w -O1 -o own program.c && ./own >own.out || exit 2
    cmp peer.out own.out || exit 1
    "$BUILD/bursty" report --unique-cause --lcov coverage.brst >lcov
    # clang: line, conditions that are covered as a word of t and f. Records stand once for each
    # file and once for each function.
    sed 's/"mcdc_records":/\n&/g' peer.json | sed -n 's/^"mcdc_records":\[\(\[.*\]\]\).*/\1/p' |
        sed 's/\],"[a-z].*//; s/\]\],*/]]\n/g' | grep -o '^\[[0-9,]*\[[a-z,]*' |
        sed 's/^\[\([0-9]*\),.*\[/\1 /; s/true/t/g; s/false/f/g; s/,//g' | sort -u >peer.rows
    awk -F '[:,]' '/^MCDC/ { shown[$2 " " $6] += $5; if ($6 + 1 > n[$2]) n[$2] = $6 + 1 }
        END { for (l in n) {
            w = ""
            for (i = 0; i < n[l]; i++) w = w (shown[l " " i] == 2 ? "t" : "f")
            print l, w } }' lcov | sort >own.rows
    join own.rows peer.rows >>rows
    wc -l <own.rows >>all
    round=$((round + 1))
done
awk '
FILENAME == "all" { all += $1; next }
{ peer++ }
length($2) != length($3) { shape++; next }
$2 == $3 { equal++; next }
{ differ++; print }
END { printf "%d decisions; clang has %d records on their lines: %d of another shape (?: and " \
      "constants), %d equal, %d differ\n", all, peer, shape, equal, differ }' all rows
