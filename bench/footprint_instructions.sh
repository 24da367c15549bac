#!/bin/sh
# footprint_instructions.sh TRACE [N] - instructions per access of every way of bench_footprint, by
# callgrind, over the first N (500000) accesses, in the library alone: without set-up and decoding.
# At last what `bursty-lab footprint --check` takes, all in all. TRACE is a block trace, not
# compressed, or random:BLOCKS: accesses to one of so many blocks. WAYS=check counts that alone.
#
# TRACE may be `programs`: c = .9 and c = 1 on N accesses of gzip, perl, python3, jq, sqlite3, gawk
# and gs, as installed, by lackey, behind their first SKIP (2000000); and the geometric mean.
tool=${BUILD:-build}
build=$tool/bench
trace=${1:?a block trace, not compressed, or random:BLOCKS} n=${2:-500000}
mkdir -p "$build"
case $trace in random:*)
    LC_ALL=C awk -v n="$n" -v blocks="${trace#*:}" 'BEGIN {
        for (srand(1); n > 0; n--) {
            block = int(rand() * blocks)
            z = block >= last ? 2 * (block - last) : 2 * (last - block) - 1
            for (last = block; z > 127; z = int(z / 128)) printf "%c", z % 128 + 128
            printf "%c", z
        }
    }' >"$build/random.blocks"
    trace=$build/random.blocks
    ;;
esac
checked() { # C: the whole command
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tool/bursty-lab" footprint \
        --c "$1" --check --to "$n" -o /dev/null "$trace" 2>&1 | sed -n 's/.*Collected : //p' |
        awk -v c="$1" -v n="$n" \
            '{ printf "%-20s %8.1f instructions per access\n", "check, c=" c, $1 / n }'
}
if [ "${WAYS:-}" = check ]; then
    checked 1 && checked .9
    exit
fi
${CC:-cc} -std=c99 -O2 -g -I. -o "$build/bench_footprint" bench/bench_footprint.c -lm ||
    exit 1
count() { # FUNCTION WAY
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$1" \
        "$build/bench_footprint" one "$2" "$trace" "$n" 2>&1 |
        sed -n 's/.*Collected : //p'
}
if [ "$trace" = programs ]; then
    work=$build/footprint_programs
    mkdir -p "$work"
    . bench/footprint_programs.inc
    programs="gzip perl python3 jq sqlite3 gawk gs"
    record_programs $programs
    for name in $programs; do
        trace=$work/$name
        echo "$name $(count way_run c=.9) $(count way_run c=1)"
    done | awk -v n="$n" '
        BEGIN { print "| program | c = 0.9 | c = 1 |"; print "|---|---:|---:|" }
        { printf "| %s | %.0f | %.0f |\n", $1, $2 / n, $3 / n; a += log($2 / n); b += log($3 / n) }
        END { printf "| geometric mean | %.0f | %.0f |\n", exp(a / NR), exp(b / NR) }'
    exit
fi
for way in c=1 c=.99 c=.9 c=.5 c=.9-one-by-one average-only aliasing-table olken-splay; do
    count way_run "$way" | awk -v way="$way" -v n="$n" \
        '{ printf "%-20s %8.1f instructions per access\n", way, $1 / n }'
done
n=$((n / 10))
count way_run paper-literal-c=.9 |
    awk -v way=paper-literal-c=.9 -v n="$n" \
        '{ printf "%-20s %8.1f instructions per access (first %d)\n", way, $1 / n, n }'
n=$((n * 10))
checked 1
checked .9
