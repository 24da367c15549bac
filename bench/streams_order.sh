#!/bin/sh
# streams_order.sh [PROGRAM [REFERENCES]] - a use that pays: the order of functions. Records
# PROGRAM (tcc or sqlite) with record/inside/hooks/refs.c, the first 20000000 references, finds its hot streams
# of calls, lets `bursty report --order` order its functions, and links it in that order. Shows
# misses of an instruction cache of 32 KiB (cachegrind) and time (hyperfine) beside the compiler's
# order, the same again as a second file, and a random order of the same functions. Fetches what
# bench/setup.sh fetches; wants ld.lld, valgrind, hyperfine and addr2line.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} program=${1:-tcc} most=${2:-20000000}
src=$BUILD/bench/src dir=$BUILD/bench/order_$program bursty=$BUILD/bursty
lab=$BUILD/bursty-lab
mkdir -p "$dir"
[ -f "$src/sqlite/sqlite3.c" ] && [ -d "$src/tcc" ] || sh bench/setup.sh tcc
make -s BUILD="$BUILD" "$bursty" "$lab"
libraries="-lm -ldl -lpthread"
case $program in
sqlite)
    flags="-w -I$src/sqlite -D_GNU_SOURCE"
    sources="bench/real/main_sqlite.c $src/sqlite/sqlite3.c"
    work="bench/real/work.sql 1"
    ;;
tcc)
    [ -f "$src/tcc/config.h" ] || (cd "$src/tcc" && ./configure >/dev/null)
    flags="-w -I$src/tcc -DTCC_TARGET_X86_64 -DONE_SOURCE=1"
    sources=$src/tcc/tcc.c
    work="-B$src/tcc -I$src/tcc/include -I/usr/include/$(gcc -print-multiarch)"
    work="$work -c -o $dir/out.o $src/sqlite/sqlite3.c"
    ;;
*)
    echo "streams_order.sh: no program '$program'" >&2
    exit 2
    ;;
esac

# ---- the streams ----

if ! [ -f "$dir/run.refs" ]; then
    gcc -std=gnu99 -O2 -c -o "$dir/refs.o" record/inside/hooks/refs.c
    objects=
    for c in $sources; do
        o=$dir/$(basename "$c" .c).recorded.o
        gcc -g -O1 $flags -fsanitize=thread -fsanitize-coverage=trace-pc -c -o "$o" "$c"
        objects="$objects $o"
    done
    gcc -o "$dir/recorded" $objects "$dir/refs.o" $libraries
    BURSTY_REFS=$dir/run BURSTY_REFS_MAX=$most "$dir/recorded" $work >/dev/null
fi

# Names of the functions called, by addr2line.
base=$(cat "$dir/run.base")
od -An -v -tx8 "$dir/run.pairs" | awk '{ print $2 }' | sort -u >"$dir/pcs"
while read -r pc; do
    printf '%x\n' $((0x$pc - 0x$base - 1))
done <"$dir/pcs" >"$dir/offsets"
addr2line -f -e "$dir/recorded" <"$dir/offsets" | awk 'NR % 2' |
    paste -d ' ' "$dir/pcs" - >"$dir/names"
"$lab" streams --calls --min 2 --max 40 --coverage 1 --names "$dir/names" \
    --title "$program" --dump "$dir/calls.brst" "$dir/run.refs" "$dir/run.pairs" | head -n 8
"$bursty" report --order "$dir/calls.brst" >"$dir/order"
echo
echo "$(wc -l <"$dir/order") functions in the order file;" \
    "the first: $(head -n 6 "$dir/order" | tr '\n' ' ')"

# ---- the orders ----

objects=
for c in $sources; do
    o=$dir/$(basename "$c" .c).o
    gcc -O2 $flags -ffunction-sections -c -o "$o" "$c"
    objects="$objects $o"
done
sort "$dir/order" | awk 'BEGIN { srand(1) } { print rand(), $0 }' | sort -k1,1 |
    cut -d' ' -f2 >"$dir/random"
gcc -fuse-ld=lld -o "$dir/plain.bin" $objects $libraries
cp "$dir/plain.bin" "$dir/again.bin"
for kind in order random; do
    gcc -fuse-ld=lld -Wl,--symbol-ordering-file="$dir/$kind",--no-warn-symbol-ordering \
        -o "$dir/$kind.bin" $objects $libraries
done

echo
echo "| order of functions | instructions | I1 misses | misses per 1000 instructions |"
echo "|---|---|---|---|"
for kind in plain random order; do
    "$dir/$kind.bin" $work >"$dir/$kind.out"
    [ "$program" = sqlite ] || cp "$dir/out.o" "$dir/$kind.out"
    cmp "$dir/plain.out" "$dir/$kind.out"
    valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --cachegrind-out-file=/dev/null \
        "$dir/$kind.bin" $work 2>&1 >/dev/null | awk -v kind=$kind '
            { gsub(",", "") }
            /I *refs:/ { n = $NF }
            /I1 *misses:/ { m = $NF }
            END { printf "| %s | %d | %d | %.3f |\n", kind, n, m, 1000 * m / n }'
done

# ---- time ----

. bench/streams_time.inc
echo
echo "| order of functions | median of user time against plain | all rounds |"
echo "|---|---|---|"
streams_time "$dir" "$work" again random order
