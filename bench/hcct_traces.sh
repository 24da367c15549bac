#!/bin/sh
# hcct_traces.sh [TRACE...] - instructions for a call and its return, by callgrind, of an exact
# tree in one hash table, of lists of children, of HCCT_FULL and of Space-Saving with M = 50 000,
# over the first CALLS (500 000) of recorded traces: those of lab/paper/hcct.sh, or TRACEs. 16
# instructions of each figure are the loop that reads the events. OLD=FOLDER counts the hcct.h of
# another copy of this tree, too. Wants gcc and valgrind. Prints the table of docs/hcct.md.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build} calls=${CALLS:-500000} out=${BUILD:-build}/bench/hcct_traces
mkdir -p "$out"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(sh lab/paper/hcct.sh record)
for tree in ${OLD:+"$OLD"} .; do
    name=$([ "$tree" = . ] && echo new || echo old)
    cp "$tree/hcct.h" "$out/hcct.h"
    sed 's|"\.\./|"|; s|"random.h"|"bench/random.h"|' bench/bench_hcct.c >"$out/bench.c"
    gcc -std=c99 -O2 -I"$out" -I. -pthread -o "$out/$name" "$out/bench.c" -lm
done
count() { # PROGRAM WAY TRACE: instructions for a call
    case $2 in full | batch) inside=run_events ;; *) inside=run_$2 ;; esac
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$inside*" \
        "$out/$1" one "$2" "$3" "$calls" 2>&1 | awk -v way="$2" '
            $1 == way { calls = 3 * $2 }
            sub(/.*Collected : /, "") { all = $0 }
            END { printf " %.1f |", all / calls }'
}
echo "| trace | table | list |${OLD:+ full, old | Space-Saving, old |} full | Space-Saving |"
echo "|---|---:|---:|${OLD:+---:|---:|}---:|---:|"
for trace in "$@"; do
    printf '| %s |' "$(basename "$trace" .trace)"
    count new table "$trace"
    count new list "$trace"
    for name in ${OLD:+old} new; do
        count $name full "$trace"
        count $name batch "$trace"
    done
    echo
done
