#!/bin/sh
# footprint_sampling.sh [NAME=]TRACE... - how far sampling one window per access (the paper's 1/n)
# can be trusted: its curves beside the exact ones of all windows (c = 1), and those of c = 0.9. A
# name ending in :N takes thread N, :all all threads, of a trace with thread numbers. Prints a table
# in Markdown.
lab=${BUILD:-build}/bursty-lab
tmp=${TMPDIR:-/tmp}/footprint-sampling.$$
trap 'rm -f "$tmp".*' EXIT
curves() {
    "$lab" footprint --csv --to "${LIMIT:-10000000}" "$@" 2>/dev/null |
        awk '/^$/ { exit } { print }'
}
echo '| trace | method | 0 % | 5 % | 50 % | 95 % | 100 % |'
echo '|---|---|---:|---:|---:|---:|---:|'
for trace in "$@"; do
    case $trace in *=*)
        name=${trace%%=*}
        file=${trace#*=}
        ;;
    *)
        name=$trace
        file=$trace
        ;;
    esac
    case $name in
    *:all) threads=--threads ;;
    *:*) threads="--thread ${name##*:}" ;;
    *) threads= ;;
    esac
    # shellcheck disable=SC2086
    curves --c 1 $threads "$file" >"$tmp.exact"
    curves --one-in-n $threads "$file" >"$tmp.sampled"
    curves --c .9 $threads "$file" >"$tmp.all"
    for method in sampled all; do
        awk -F, -v name="$name" -v method="$method" '
            FNR <= 2 { next }
            NR == FNR { for (i = 0; i < 5; i++) exact[$1, i] = $(2 + i); next }
            {
                for (i = 0; i < 5; i++) {
                    e = exact[$1, i]
                    d = $(2 + i) - e
                    if (d < 0) d = -d
                    d /= e
                    sum[i] += d
                    if (d > worst[i]) worst[i] = d
                }
                rows++
            }
            END {
                windows = method == "sampled" ? "one window per access" : "all windows, c = 0.9"
                printf "| %s | %s", name, windows
                for (i = 0; i < 5; i++) printf " | %.1f / %.0f", 100 * sum[i] / rows, 100 * worst[i]
                print " |"
            }' \
            "$tmp.exact" "$tmp.$method"
    done
done
