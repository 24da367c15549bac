#!/bin/sh
# misses_intervals.sh [SEEDS] - how often the intervals of `bursty record --misses` hold the truth, which a recording
# of every access gives: tests/misses/phases.c, sampled with SEEDS seeds (40). Wants 93 to 99 %. At last the interval
# of the advice, how much of the worst row a larger cache would leave: tests/misses/walk.c.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build} seeds=${1:-40}
dir=$build/bench/misses
mkdir -p "$dir" || exit 2
${CC:-cc} -O1 -o "$dir/phases" tests/misses/phases.c || exit 2
for way in '600 245000 5000' '2000 490000 10000'; do
    set -- $way
    "$build/bursty" record --quiet --misses --every 0 --caches 48k -o "$dir/exact.brst" \
        "$dir/phases" "$1" 7 >"$dir/exact.out" || exit 2
    "$build/bursty" report --csv "$dir/exact.brst" >"$dir/exact.csv" || exit 2
    seed=1
    : >"$dir/all"
    while [ "$seed" -le "$seeds" ]; do
        "$build/bursty" record --quiet --misses --every "$2" --burst "$3" --seed "$seed" \
            --caches 48k -o "$dir/x.brst" "$dir/phases" "$1" 7 >"$dir/x.out" || exit 2
        cmp -s "$dir/exact.out" "$dir/x.out" || { echo "seed $seed: another output"; exit 1; }
        "$build/bursty" report --csv "$dir/x.brst" >"$dir/x.csv" || exit 2
        LC_ALL=C awk -f tests/misses/held.awk "$dir/exact.csv" "$dir/x.csv" >>"$dir/all"
        seed=$((seed + 1))
    done
    LC_ALL=C awk -v way="$way" '
        { held[$1] += $2; all[$1] += $3; none[$1] += $4; width[$1] += $5 }
        END { for (t in all) printf "%s phases, every %s, burst %s: %s: %.1f %% of %d intervals hold, %d rows without one, mean width %.2f\n",
            substr(way, 1, index(way, " ") - 1), substr(way, index(way, " ") + 1) + 0, substr(way, match(way, / [0-9]+$/) + 1), t, 100 * held[t] / all[t], all[t], none[t], width[t] / all[t] }' "$dir/all" | sort
done

${CC:-cc} -O1 -o "$dir/walk" tests/misses/walk.c || exit 2
left() { # FILE: the share that the larger cache leaves, and its interval
    "$build/bursty" report --json "$1" | sed -n 's/.*"name":"advice","value":"\([^"]*\)".*/\1/p' | LC_ALL=C awk '{
        hit = /would hit in/
        if (!hit && !/, misses in [0-9]* KiB, too: /) { print "none"; next }
        sub(/.*(hit in|misses in) [0-9]* KiB(, too)?: /, "")
        gsub(/[^0-9. ]/, " ")
        share = $1; low = $2; high = $3
        if (hit) { share = 100 - $1; low = 100 - $3; high = 100 - $2 }
        print share, low, high }'
}
"$build/bursty" record --quiet --misses --every 0 --caches 32k,128k -o "$dir/x.brst" "$dir/walk" 800 3000 4000 \
    >"$dir/x.out" || exit 2
left "$dir/x.brst" >"$dir/exact"
seed=1
: >"$dir/all"
while [ "$seed" -le "$seeds" ]; do
    "$build/bursty" record --quiet --misses --every 20000 --burst 20000 --seed "$seed" \
        --caches 32k,128k -o "$dir/x.brst" "$dir/walk" 800 3000 4000 >"$dir/x.out" || exit 2
    left "$dir/x.brst" >>"$dir/all"
    seed=$((seed + 1))
done
LC_ALL=C awk 'NR == FNR { truth = $1; next }
    NF == 3 && $2 + 0 == $2 { n++; held += $2 <= truth && truth <= $3; width += $3 - $2; next }
    { none++ }
    END { printf "advice: %.1f %% of %d intervals hold %.1f, %d without one, mean width %.1f points\n",
        n ? 100 * held / n : 0, n, truth, none, n ? width / n : 0 }' "$dir/exact" "$dir/all"
