#!/bin/sh
# coverage_contexts.sh - how often the 95 % intervals of calling contexts hold the
# truth: demo/index, once with every call counted and then sampled, 10 runs for each rate and length
# of bursts, whose gaps differ by a few checks so that the samples do. Prints the second table of
# docs/intervals.md.    RUNS=3 sh bench/coverage_contexts.sh: less
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$BUILD/bench/contexts
mkdir -p "$work" || exit 2
[ -x "$BUILD/bursty" ] || make -s || exit 2
${CC:-gcc} -O2 -std=gnu99 -I. -o "$work/index" demo/index.c demo/profile.c || exit 2

run() { # GAP:BURST NAME
    INDEX_CONTEXTS=$1 INDEX_DUMP=$work/$2.brst "$work/index" -n 3 /usr/include >/dev/null || exit 2
    "$BUILD/bursty" report --csv --min 0 "$work/$2.brst" >"$work/$2.csv" || exit 2
}

run always all
echo "| rate | burst | contexts | functions | functions with callees | callers and callees |"
echo "|---|---|---|---|---|---|"
for rate in 1 0.1; do
    for burst in 1 10 100; do
        list=
        run=1
        while [ $run -le "${RUNS:-10}" ]; do
            gap=$(awk "BEGIN { printf \"%d\", $burst * 100 / $rate - $burst + 7 * $run }")
            run "$gap:$burst" $run
            list="$list $work/$run.csv"
            run=$((run + 1))
        done
        # shellcheck disable=SC2086
        awk -F, -v title="| $rate % | $burst" -f bench/coverage_contexts.awk \
            "$work/all.csv" $list
    done
done
