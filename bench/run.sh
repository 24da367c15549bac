#!/bin/sh
# run.sh [full|quick|smoke] - sets up, builds and measures. quick counts instructions, which other
# work on the machine does not change. full has more ways to choose checks, and takes times, too: each
# row 20 times for two seconds and more, on a machine that does nothing else. Every bench checks what
# it computes before it is measured. A bench that fails fails the run, and bench/results.md stays as it
# was.
#
# Most of a quick run is fetching and compiling, more than an hour of two processors. What was built
# and what was counted is kept in build/bench: a run that was broken off goes on where it stopped.
#
# full and quick write bench/results.md and the figures of docs/costs.md and README.md. smoke runs
# everything once, on small inputs, writes its tables to build/bench/smoke.md and ends with a line
# "N passed, N failed".
#
# run.sh list - the other benches, each with the page that shows its figures (bench/list.txt).
# run.sh NAME [ARGUMENTS] - runs one of them: `sh bench/run.sh streams 3000000 speed`.
set -e
cd "$(dirname "$0")/.."
mode=${1:-full}
case $mode in
full | quick | smoke) ;;
list)
    sed '/^#/d' bench/list.txt
    exit
    ;;
*)
    script=$(awk -F ' *[|] *' -v name="$mode" '!/^#/ && $1 == name { print $2 }' bench/list.txt)
    [ -n "$script" ] || { echo "bench/run.sh: no bench $mode; run.sh list has all" >&2; exit 2; }
    shift
    exec sh "$script" "$@"
    ;;
esac
build=${BUILD:-build}/bench
CC=${CC:-cc}
python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1
say() { echo "bench: $*" >&2; }

mkdir -p "$build"
say "setting up"
sh bench/setup.sh
make -s tools

say "forms"
$python bench/micro.py "$mode" "$build" "$build/micro.json"
: >"$build/registers.txt"
for cc in gcc clang-14 clang-19; do
    CC=$cc BUILD=${BUILD:-build} sh tests/test_registers.sh >>"$build/registers.txt"
done
for source in bench/bench_hcct.c bench/bench_footprint.c; do
    name=$(basename "$source" .c)
    name=${name#bench_}
    say "$name.h"
    $CC -std=c99 -O2 -I. -pthread -o "$build/bench_$name" "$source" -lm
    [ "$mode" != full ] || "$build/bench_$name" quick >"$build/$name.txt"
    # alone, and with traces, each takes minutes more
done
say "real programs"
$python bench/real/real.py "$mode" "$build" "$build/real.json" >"$build/real.txt" || {
    cat "$build/real.txt"
    exit 1
}
if [ "$mode" = smoke ]; then
    cp docs/costs.md README.md "$build/"
    $python bench/results.py "$mode" "$build" "$build/smoke.md" "$build/costs.md" "$build/README.md"
    cat "$build/real.txt"
    exit
fi
$python bench/results.py "$mode" "$build" bench/results.md docs/costs.md README.md
say "wrote bench/results.md and the figures in docs/costs.md and README.md"
