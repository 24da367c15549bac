#!/bin/sh
# coverage_contexts.sh - how often the 95 % intervals of calling contexts (callpaths.h) hold the
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
        awk -F, -v title="| $rate % | $burst" '
            FNR == 1 { file++ }
            /^# / {
                table = $0
                sub(/^# /, "", table)
                sub(/:.*/, "", table)
                getline
                split("", column)
                for (i = 1; i <= NF; i++) column[$i] = i
                next
            }
            function field(name) { return name in column ? $column[name] : "" }
            function row(kind, name) {
                key = table kind "," field("context") "," field("function") "," \
                    field("caller") "," field("callee")
                if (file == 1) true[key] = $column[name "share"]
                else if (field((name == "" ? "share_" : name) "low") != "") {
                    rows[table kind]++
                    low = field((name == "" ? "share_" : name) "low")
                    high = field((name == "" ? "share_" : name) "high")
                    inside[table kind] += low + 0 <= true[key] + 0 && true[key] + 0 <= high + 0
                }
            }
            table !~ /^context/ || NF < 3 { next }
            { row("", "") }
            table == "context_functions" { row("+", "total_") }
            function cell(k) {
                if (!rows[k]) return "none"
                return sprintf("%.1f %% of %d", 100 * inside[k] / rows[k], rows[k])
            }
            END {
                print title " | " cell("contexts") " | " cell("context_functions") " | " \
                    cell("context_functions+") " | " cell("context_pairs") " |"
            }' "$work/all.csv" $list
    done
done
