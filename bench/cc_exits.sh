#!/bin/sh
# cc_exits.sh [COMPILER [OPTIONS...]] - mawk, a program that leaves its functions by exit and longjmp,
# under `bursty cc --cover` and under gcov, with its own tests: how many lines and functions differ.
# COMPILER: for bursty; gcc -O0 if none is given. sh bench/setup.sh mawk fetches the source.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/${BUILD:-build}
source=$build/bench/src/mawk out=$build/bench/exits
[ $# -gt 0 ] || set -- gcc -O0
[ -d "$source" ] || { echo "sh bench/setup.sh mawk fetches the source"; exit 1; }
mkdir -p "$out"
for kind in gcov own; do
    rm -rf "${out:?}/$kind"
    mkdir "$out/$kind"
    cp -RLp "$source/." "$out/$kind"
    (
        cd "$out/$kind"
        if [ $kind = gcov ]; then cc='gcc --coverage -O0'
        else cc="$build/bursty cc --cover --list=$out/left -- $*"; fi
        BURSTY_COVERAGE=/dev/null ./configure CC="$cc" CFLAGS=-w >/dev/null 2>&1
        make >/dev/null 2>"$out/$kind.log"
        rm -f "$out/coverage.brst" ./*.gcda
        BURSTY_COVERAGE=$out/coverage.brst make check >"$out/$kind.check" 2>&1 || true
    )
done
cd "$out/gcov"
gcov -t ./*.gcda 2>/dev/null | sed -n "s/^ *\([^:]*\): *\([0-9]*\):\(.*\)/\1|\2|\3/p" | awk -F'|' '
    $2 == 0 { if ($3 ~ /^Source:/) file = substr($3, 8); sub(/.*\//, "", file); next }
    $1 == "-" { next }
    { n = $1; sub(/\*$/, "", n); if (n ~ /^[#=]+$/) n = 0; print file ":" $2, n }' | sort -u >"$out/gcov.lines"
cd "$out"
"$build/bursty" report --lcov coverage.brst >own.info
awk -F'[:,]' '/^SF:/ { f = $2; sub(/.*\//, "", f) } /^DA:/ { print f ":" $2, $3 }' own.info | sort >own.lines
join gcov.lines own.lines | awk -v what="$*" '
    { n++; if ($2 != $3) { d++; print "  " $0 } if (($2 > 0) != ($3 > 0)) r++ }
    END { printf "%s: %d lines both know, %d with another count, %d of these run or not\n", what, n, d, r }'
