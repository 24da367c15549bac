#!/bin/sh
# record_kernel.sh - the kernel's part of the time by `bursty record`, from outside and
# inside, by `perf record` and by getrusage, beside what a program measures itself
# (record_kernel.c). Prints the table of docs/ticks.md. MS (2000): CPU time of each run.
# Wants linux-perf.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
out=$build/record_kernel
mkdir -p "$out"
command -v perf >/dev/null || { echo "record_kernel.sh wants linux-perf"; exit 2; }
${CC:-cc} -O1 -g -pthread -o "$out/share" bench/record_kernel.c || exit 2

run() { # NAME COMMAND...: what the program says in percent
    name=$1
    shift
    "$@" "$out/share" "$kind" "$part" "$threads" "${MS:-2000}" >"$out/said" 2>"$out/$name.err"
    awk '{ printf "%.1f", 100 * $1 }' "$out/said"
}
echo '| calls | threads | truth | outside | truth | perf | truth | inside | truth | getrusage |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
while read -r kind part threads; do
    printf '| %s, %s | %s ' "$kind" "$part" "$threads"
    printf '| %s ' "$(run outside "$build/bursty" record -o "$out/x.brst")"
    "$build/bursty" report --min 0 --csv "$out/x.brst" | awk -F, '$9 == "(kernel)" {
        printf "| %.1f (%.1f to %.1f) ", 100 * $5, 100 * $6, 100 * $7 }'
    printf '| %s ' "$(run perf perf record -q -e task-clock -F 2000 -o "$out/perf.data")"
    perf script -i "$out/perf.data" -F ip 2>/dev/null |
        awk '{ n++; k += $1 ~ /^ffffffff/ } END { printf "| %.1f ", 100 * k / n }'
    printf '| %s ' "$(run inside "$build/bursty" record --inside -o "$out/x.brst")"
    sed -n 's/^in the kernel: \([0-9.]*\) % (\(.*\) %) of.*/| \1 (\2) /p' "$out/inside.err" |
        tr -d '\n'
    printf '| %s ' "$(run plain)"
    awk '{ printf "| %.1f |\n", 100 * $2 }' "$out/said"
done <<'ROWS'
assembly 10 1
assembly 50 1
assembly 90 1
assembly 90 4
short 90 1
long 10 1
long 50 1
long 90 1
long 90 4
ROWS
