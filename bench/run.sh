#!/bin/sh
# run.sh [quick] - installs what the benches need, builds them, measures, writes bench/results.md, bench/results.json and README's figures.
# Setting up (fetching, compiling) takes minutes the first time and is kept in build/bench; measuring takes two (quick) or
# twenty. Every bench checks what it computes before it is timed. A bench that fails fails the run; results.md is then left as it was.
set -e
cd "$(dirname "$0")/.."
mode=${1:-full}
build=${BUILD:-build}/bench
CC=${CC:-cc}
say() { echo "bench: $*" >&2; }

mkdir -p "$build"
say "setting up"
sh bench/setup.sh
/usr/bin/python3 bench/real/real.py build-"$mode" "$build" "$build/real.json"

say "micro-benchmarks and peers"
/usr/bin/python3 bench/micro.py "$mode" "$build" "$build/micro.json"
for name in hcct footprint; do
    [ -f "bench/bench_$name.c" ] || continue
    say "$name.h"
    $CC -std=c99 -O2 -I. -Itools -pthread -o "$build/bench_$name" "bench/bench_$name.c" -lm
    "$build/bench_$name" quick >"$build/$name.txt"      # by itself, and with traces, each takes minutes more
done
say "real programs"
/usr/bin/python3 bench/real/real.py "$mode" "$build" "$build/real.json"
/usr/bin/python3 bench/results.py "$mode" "$build" bench/results.md bench/results.json
sh bench/readme.sh
say "wrote bench/results.md, bench/results.json and the figures in README.md"
