#!/bin/sh
# footprint_instructions.sh TRACE [N] - instructions per access of every way of bench_footprint, by
# callgrind, over the first N (500000) accesses, in the library alone: without set-up and decoding.
build=${BUILD:-build}/bench
trace=${1:?a block trace, not compressed} n=${2:-500000}
mkdir -p "$build"
${CC:-cc} -std=c99 -O2 -g -I. -Itools -o "$build/bench_footprint" bench/bench_footprint.c -lm ||
    exit 1
count() { # FUNCTION WAY
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$1" \
        "$build/bench_footprint" one "$2" "$trace" "$n" 2>&1 |
        sed -n 's/.*Collected : //p'
}
for way in c=1 c=.99 c=.9 c=.5 c=.9-one-by-one average-only aliasing-table olken-splay; do
    count way_run "$way" | awk -v way="$way" -v n="$n" \
        '{ printf "%-20s %8.1f instructions per access\n", way, $1 / n }'
done
n=$((n / 10))
count way_run paper-literal-c=.9 |
    awk -v way=paper-literal-c=.9 -v n="$n" \
        '{ printf "%-20s %8.1f instructions per access (first %d)\n", way, $1 / n, n }'
