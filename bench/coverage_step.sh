#!/bin/sh
# coverage_step.sh [SEEDS] - do bursts keep step with a loop? A frame has 100 to 2000 checks, always
# the same ones, and ten functions share them evenly. Prints how many of the 95 % intervals of
# shares and of counts hold the truth over 40 seeds, with the default jitter of 80 % and with one of
# 12 %: the table of docs/intervals.md.
set -eu
cd "$(dirname "$0")/.."
seeds=${1:-40}
build=${BUILD:-build}
work=$build/bench/step
mkdir -p "$work"
[ -x "$build/bursty" ] || make -s
${CC:-cc} -O2 -I. -o "$work/step" bench/coverage_step.c
echo "| checks a frame | every:burst | jitter | shares held | counts held |"
echo "|---|---|---|---|---|"
for setting in "1000 990 10" "2000 990 10" "500 990 10" "100 99 1"; do
    # shellcheck disable=SC2086
    set -- $setting
    for jitter in 80 12; do
        seed=1
        : >"$work/rows"
        while [ "$seed" -le "$seeds" ]; do
            frames=$((20000000 / $1))
            "$work/step" "$1" "$2" "$3" $jitter $seed $frames "$work/dump.brst"
            "$build/bursty" report --csv "$work/dump.brst" |
                awk -F, -v truth=$((frames * $1 / 10)) '
                    /^# functions:/ { on = 1; next }
                    on && /^$/ { on = 0 }
                    on && $10 ~ /^f[0-9]$/ { print $3 <= .1 && .1 <= $4, $6 <= truth && truth <= $7 }' \
                    >>"$work/rows"
            seed=$((seed + 1))
        done
        awk -v head="| $1 | $2:$3 | $jitter % |" '{ n++; s += $1; c += $2 }
            END { printf "%s %.1f %% of %d | %.1f %% |\n", head, 100 * s / n, n, 100 * c / n }' "$work/rows"
    done
done
