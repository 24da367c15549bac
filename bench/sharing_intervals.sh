#!/bin/sh
# sharing_intervals.sh [SEEDS] - how often the intervals of `bursty record --sharing` hold the truth, which a recording
# of every access gives: tests/sharing/phases.c, sampled with SEEDS seeds (40). Wants 93 % or more.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build} seeds=${1:-40}
dir=$build/bench/sharing
mkdir -p "$dir" || exit 2
${CC:-cc} -O1 -g -pthread -o "$dir/phases" tests/sharing/phases.c || exit 2
rows() { # FILE: share, low, high and name of the two lines
    "$build/bursty" report --csv "$1" | LC_ALL=C awk -F, \
        'NF == 12 && ($12 == "tally" || $12 == "both") { print $1, $2, $3, $12 }'
}
"$build/bursty" record --quiet --sharing --every 0 -o "$dir/x.brst" "$dir/phases" || exit 2
rows "$dir/x.brst" >"$dir/exact"
seed=1
: >"$dir/all"
while [ "$seed" -le "$seeds" ]; do
    "$build/bursty" record --quiet --sharing --every 20000 --burst 2000 --seed "$seed" \
        -o "$dir/x.brst" "$dir/phases" || exit 2
    rows "$dir/x.brst" >>"$dir/all"
    seed=$((seed + 1))
done
LC_ALL=C awk 'NR == FNR { truth[$4] = $1; next }
    { all++; width += $3 - $2; held += NF == 4 && $2 <= truth[$4] && truth[$4] <= $3 }
    END { printf "every 20000, burst 2000: %.1f %% of %d intervals hold, mean width %.3f\n",
        100 * held / all, all, width / all }' "$dir/exact" "$dir/all"
