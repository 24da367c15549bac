#!/bin/sh
# coverage_traces.sh - how often intervals of sampled contexts hold the truth, on recorded call
# traces: those of lab/paper/hcct.sh and others that are named. Prints a table of docs/intervals.md.
#    SEEDS=20 CALLS=1000000 sh bench/coverage_traces.sh [TRACE...]
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$BUILD/bench/coverage
mkdir -p "$work" || exit 2
[ -x "$BUILD/bursty" ] || make -s || exit 2
${CC:-cc} -O2 -std=gnu99 -I. -o "$work/coverage_traces" bench/coverage_traces.c \
    lab/sampler.c lab/trace_calls.c base/tool.c base/text.c \
    base/alloc.c -lm || exit 2
own=$(sh lab/paper/hcct.sh record) || exit 2
echo "| program | rate | burst | below .2 calls | .2 to 1 | 1 to 5 | 5 to 50 | above 50 | with both bounds, below 1 % | 1 % and more |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for trace in $own "$@"; do
    for rate in 1 0.1; do
        for burst in 1 10 100; do
            every=$(awk "BEGIN { printf \"%d\", $burst * 100 / $rate - $burst }")
            cells=$(COVERAGE_DUMP=$work/sample.brst "$work/coverage_traces" "$BUILD/bursty" \
                "$trace" "${CALLS:-1000000}" "$every" "$burst" 80 "${SEEDS:-20}" 30000) || exit 2
            echo "| $(basename "$trace" .trace) | $rate % | $burst |$cells"
        done
    done
done
