#!/bin/sh
# streams_order.sh [REFERENCES] - a use that pays: records sqlite with record/refs.c (the first 20000000 references), finds its hot streams of
# calls, lets `bursty report --order` order its functions, links it in that order, and shows instruction-cache misses
# (cachegrind, a cache of 32 KiB) and time beside the compiler's order and a random one. Wants what bench/setup.sh fetches, and
# ld.lld, valgrind, python3 and addr2line.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} most=${1:-20000000}
src=$BUILD/bench/src dir=$BUILD/bench/order bursty=$BUILD/bursty
mkdir -p "$dir"
[ -f "$src/sqlite/sqlite3.c" ] || sh bench/setup.sh
make -s BUILD="$BUILD" "$bursty"
flags="-w -I$src/sqlite -D_GNU_SOURCE" libraries="-lm -ldl -lpthread" sources="bench/real/main_sqlite.c $src/sqlite/sqlite3.c"

if ! [ -f "$dir/run.refs" ]; then
    gcc -std=gnu99 -O2 -c -o "$dir/refs.o" record/refs.c
    for c in $sources; do gcc -g -O1 $flags -fsanitize=thread -fsanitize-coverage=trace-pc -c -o "$dir/$(basename "$c" .c).o" "$c"; done
    gcc -o "$dir/recorded" "$dir/main_sqlite.o" "$dir/sqlite3.o" "$dir/refs.o" $libraries
    BURSTY_REFS=$dir/run BURSTY_REFS_MAX=$most "$dir/recorded" bench/real/work.sql 1 >/dev/null
fi

# Names of the functions called, by addr2line.
base=$(cat "$dir/run.base")
od -An -v -tx8 "$dir/run.pairs" | awk '{ print $2 }' | sort -u >"$dir/pcs"
while read -r pc; do printf '%x\n' $((0x$pc - 0x$base - 1)); done <"$dir/pcs" >"$dir/offsets"
addr2line -f -e "$dir/recorded" <"$dir/offsets" | awk 'NR % 2' | paste -d ' ' "$dir/pcs" - >"$dir/names"
"$bursty" replay streams --calls --min 2 --max 40 --coverage 1 --names "$dir/names" --title sqlite --dump "$dir/calls.brst" "$dir/run.refs" "$dir/run.pairs" | head -n 8
"$bursty" report --order "$dir/calls.brst" >"$dir/order"
echo
echo "$(wc -l <"$dir/order") functions in the order file; the first: $(head -n 6 "$dir/order" | tr '\n' ' ')"

for c in $sources; do gcc -O2 $flags -ffunction-sections -c -o "$dir/$(basename "$c" .c).plain.o" "$c"; done
sort "$dir/order" | awk 'BEGIN { srand(1) } { print rand(), $0 }' | sort -k1,1 | cut -d' ' -f2 >"$dir/random"
gcc -fuse-ld=lld -o "$dir/plain" "$dir/main_sqlite.plain.o" "$dir/sqlite3.plain.o" $libraries
for kind in order random; do
    gcc -fuse-ld=lld -Wl,--symbol-ordering-file="$dir/$kind",--no-warn-symbol-ordering -o "$dir/$kind.bin" "$dir/main_sqlite.plain.o" "$dir/sqlite3.plain.o" $libraries
done
cp "$dir/plain" "$dir/plain.bin"
echo
echo "| order of functions | instructions | I1 misses | misses per 1000 instructions |"
echo "|---|---|---|---|"
for kind in plain random order; do
    "$dir/$kind.bin" bench/real/work.sql 1 >"$dir/$kind.out"
    cmp "$dir/plain.out" "$dir/$kind.out"
    valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --cachegrind-out-file=/dev/null "$dir/$kind.bin" bench/real/work.sql 1 2>&1 >/dev/null |
        awk -v kind=$kind '{ gsub(",", "") } /I *refs:/ { n = $NF } /I1 *misses:/ { m = $NF } END { printf "| %s | %d | %d | %.3f |\n", kind, n, m, 1000 * m / n }'
done
work="bench/real/work.sql 1"
python3 bench/interleave.py "${RUNS:-40}" "$dir/plain.bin $work" "$dir/plain $work" "$dir/random.bin $work" "$dir/order.bin $work" |
    awk 'BEGIN { split("plain,plain again,random,order", name, ","); print "\n| CPU time against plain | of sums | of medians |\n|---|---|---|" }
        { printf "| %s | %s | %s |\n", name[NR], $1, $2 }'
