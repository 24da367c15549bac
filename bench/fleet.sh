#!/bin/sh
# fleet.sh [DUMPS [PAGE]] - a fleet's day: 10 000 dumps of a server (bench/fleet.c) are merged with at most
# 64 MB of address space, in three orders and as a tree of merges, to the same bytes; and the rows
# of 1000 of them, added up by sqlite3 and by DuckDB from npm, are the table of their merge, with its
# intervals. Prints the tables of docs/fleet.md, or writes them there if that is PAGE, and ends with
# "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
count=${1:-10000} page=${2-}
[ -z "$page" ] || grep -q '^<!-- fleet -->$' "$page" || { echo "fleet.sh: $page has no mark for the tables"; exit 2; }
limit=65536 # of ulimit -v, in kB
case $build in /*) ;; *) build=$PWD/$build ;; esac
for tool in sqlite3 npm "$build/bursty"; do
    command -v "$tool" >/dev/null || { echo "fleet.sh: $tool is wanted"; exit 2; }
done
out=$(mktemp -d "${TMPDIR:-/tmp}/bursty-fleet.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $what"; fi
}
mkdir "$out/dumps"
check "fleet.c" ${CC:-cc} -O2 -std=c99 -I. -o "$out/fleet" bench/fleet.c -pthread -lm
check "the dumps" "$out/fleet" "$out/dumps" "$count"
find "$out/dumps" -name '*.brst' | LC_ALL=C sort >"$out/list"
bytes=$(find "$out/dumps" -name '*.brst' -exec cat {} + | wc -c)

# In so much memory and no more. Prints seconds of processor time.
merge() { # OUT LIST
    (
        ulimit -v $limit || exit 1
        "$build/bursty" merge -o "$1" --list "$2" || exit 1
        times >"$out/times" # not in a pipe, which is a shell of its own
    ) && tail -n 1 "$out/times" | tr 'ms' '  ' |
        awk '{ printf "%.1f\n", 60 * ($1 + $3) + $2 + $4 }' >"$out/took"
}
check "merge in $limit kB" merge "$out/all" "$out/list"
took=$(cat "$out/took")
awk '{ print NR * 7919 % 10007, $0 }' "$out/list" | sort -n | cut -d ' ' -f 2 >"$out/shuffled"
LC_ALL=C sort -r "$out/list" >"$out/backwards"
for order in shuffled backwards; do
    check "merge, $order" merge "$out/$order.sum" "$out/$order"
    check "$order: the same bytes" cmp -s "$out/all" "$out/$order.sum"
done
split -l 97 "$out/shuffled" "$out/group."
for group in "$out"/group.??; do merge "$group.brst" "$group" || check "$group" false; done
find "$out" -name 'group.*.brst' >"$out/groups"
check "merge of merges" merge "$out/tree" "$out/groups"
check "merge of merges: the same bytes" cmp -s "$out/all" "$out/tree"

# What a fleet keeps in a database: rows that add up, with their intervals.
mkdir "$out/some"
head -n 1000 "$out/list" | while read -r dump; do ln "$dump" "$out/some/" || exit 1; done
duckdb=$build/bench/duckdb
mkdir -p "$duckdb"
[ -d "$duckdb/node_modules/@duckdb/node-api" ] ||
    (cd "$duckdb" && npm install --silent --no-audit --no-fund @duckdb/node-api@1.5.6-r.1) >"$out/npm" 2>&1
check "npm install @duckdb/node-api" [ -d "$duckdb/node_modules/@duckdb/node-api" ]
DUCKDB=$duckdb/node_modules BUILD=$build sh tests/test_sums.sh "$out/some" >"$out/said"
check "GROUP BY is the merge: $(cat "$out/said")" \
    grep -q '^[1-9][0-9]* passed, 0 failed$' "$out/said"
rows=$build/tests/sums_of_folder
check "there are functions" [ "$(grep -c '^share of calls' "$rows/wanted")" -gt 150 ]

row_of_page() { # the row of the table, without times, which are of one machine
    printf '| %d | %d | %d | %d |' "$count" "$bytes" $((bytes / count)) "$(($(wc -c <"$out/all")))"
}
if [ "$count" = 10000 ] && [ -z "$page" ]; then
    check "docs/fleet.md says so" grep -q "^$(row_of_page)" docs/fleet.md
fi
{
    printf '| dumps | bytes of all | a dump | merged | processor s | address space |\n'
    printf '|---:|---:|---:|---:|---:|---:|\n'
    printf '%s %s | below %d MB |\n\n' "$(row_of_page)" "$took" $((limit / 1024))
    printf '| rows of 1000 dumps | bytes | lines | values and intervals, in both engines those of the merge |\n'
    printf '|---|---:|---:|---:|\n| CSV | %d | %d | %d |\n' \
        "$(wc -c <"$rows/rows.csv")" "$(wc -l <"$rows/rows.csv")" "$(wc -l <"$rows/wanted")"
} >"$out/tables"
cat "$out/tables"
if [ -n "$page" ] && [ "$failed" = 0 ]; then
    {
        sed '/^<!-- fleet -->$/q' "$page"
        printf '\nOn %s at %s, load %s:\n\n' "$(date -u +%Y-%m-%d)" "$(git describe --always --dirty)" \
            "$(cut -d ' ' -f 1 /proc/loadavg)"
        cat "$out/tables"
        sed -n '/^<!-- end of fleet -->$/,$p' "$page" | sed '1s/^/\n/'
    } >"$out/page" && cp "$out/page" "$page"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
