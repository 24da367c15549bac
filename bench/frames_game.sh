#!/bin/sh
# frames_game.sh - how often the intervals of slow frames hold the truth in a program with real timers:
# 40 runs of 400 frames (2.6 s of CPU time each), with other seeds. The truth of a run is what the
# program measured in that run. A function that met no tick in a run has no row there.
#
#     sh bench/frames_game.sh             SEEDS=10 sh bench/frames_game.sh: less
#
# BUSY=4 SHORTER=25 HZ=100 FRAMES=4000: frames by the wall clock, 25 times shorter, beside 4 programs
# that only compute.
set -u
SHORTER=${SHORTER:-} HZ=${HZ:-}
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build} CC=${CC:-gcc}
work=$BUILD/bench/frames
mkdir -p "$work" || exit 2
[ -x "$BUILD/bursty" ] || make -s tools || exit 2
"$CC" -O2 -I. -o "$work/game" bench/frames_game.c -lm || exit 2
: >"$work/rows"
burners=
while [ "${BUSY:-0}" -gt "$(echo "$burners" | wc -w)" ]; do
    (trap 'exit 0' TERM; i=0; while [ $((i += 1)) -lt 100000000 ]; do :; done) &
    burners="$burners $!"
done
# shellcheck disable=SC2086
trap 'kill $burners 2>/dev/null' EXIT
trap 'exit 2' INT TERM
seed=0
while [ $((seed += 1)) -le "${SEEDS:-40}" ]; do
    # shellcheck disable=SC2086
    "$work/game" $seed "${FRAMES:-400}" "$work/game.brst" $SHORTER $HZ >"$work/truth" || exit 2
    "$BUILD/bursty" report --csv "$work/game.brst" | awk -F, '
        NR == FNR { split($0, word, " "); truth[word[1]] = word[2]; next }
        /^# / { is_in = /^# frames_more/; next }
        is_in && $10 in truth && $4 != "" { print $10, truth[$10], $1, $2, $3; delete truth[$10] }
        ' "$work/truth" - >>"$work/rows"
done
awk '{
    if (!runs[$1]++) order[++causes] = $1
    truth[$1] += $2
    mean[$1] += $3
    half[$1] += ($5 - $4) / 2
    held[$1] += $4 <= $2 && $2 <= $5
    told[$1] += $4 > 0 || $5 < 0
}
END {
    printf "%-10s %5s %9s %9s %9s %7s %7s\n", "cause", "runs", "truth_ms", "mean_ms", "half_ms", "held", "told"
    for (i = 1; i <= causes; i++) {
        c = order[i]
        n = runs[c]
        printf "%-10s %5d %9.3f %9.3f %9.3f %6.1f%% %6.1f%%\n", c, n, truth[c] / n, mean[c] / n,
            half[c] / n, 100 * held[c] / n, 100 * told[c] / n
    }
}' "$work/rows"
echo "load: $(cut -d ' ' -f 1 </proc/loadavg 2>/dev/null) on $(getconf _NPROCESSORS_ONLN) processors"
