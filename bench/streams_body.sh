#!/bin/sh
# streams_body.sh [BODIES [STEPS]] - a use that pays: records Chipmunk, a physics engine, with
# record/inside/hooks/refs.c, finds its hot data streams, counts which fields of a body the streams use, and
# puts the fields that are used most first. Shows misses of a data cache of 32 KiB and of one of 1
# MiB behind it (cachegrind) and time (hyperfine) for Chipmunk's own order, for the same again as a
# second file, for the order by use, for the reverse of that, and for the order of
# `bursty report --layout` beside what the report says that it gains, on bench/real/main_chipmunk.c with
# BODIES (2000) bodies and STEPS (200) steps. A body has 272 bytes in every order. Fetches what
# bench/setup.sh fetches; wants valgrind, hyperfine and addr2line.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} bodies=${1:-2000} steps=${2:-200}
src=$BUILD/bench/src/chipmunk dir=$BUILD/bench/body lab=$BUILD/bursty-lab
structs=$src/include/chipmunk/chipmunk_structs.h
mkdir -p "$dir"
[ -f "$structs" ] || sh bench/setup.sh
make -s BUILD="$BUILD" "$lab"
flags="-w -DNDEBUG -I$src/src"

# ---- the streams of a run with fewer bodies, with the source line of each site ----

if ! [ -f "$dir/run.refs" ]; then
    gcc -std=gnu99 -O2 -c -o "$dir/refs.o" record/inside/hooks/refs.c
    objects=
    for c in bench/real/main_chipmunk.c "$src"/src/*.c; do
        o=$dir/$(basename "$c" .c).o
        gcc -g -O1 $flags -I"$src/include" -fsanitize=thread -fsanitize-coverage=trace-pc -c \
            -o "$o" "$c"
        objects="$objects $o"
    done
    gcc -o "$dir/recorded" $objects "$dir/refs.o" -lm -lpthread
    BURSTY_REFS=$dir/run BURSTY_REFS_MAX=12000000 "$dir/recorded" 200 200 >/dev/null
fi
base=$(cat "$dir/run.base")
od -An -v -tx8 "$dir/run.table" | awk '{ print $1 }' | sort -u >"$dir/pcs"
while read -r pc; do
    printf '%x\n' $((0x$pc - 0x$base - 1))
done <"$dir/pcs" >"$dir/offsets"
addr2line -s -e "$dir/recorded" <"$dir/offsets" | sed 's/ .*//' |
    paste -d ' ' "$dir/pcs" - >"$dir/names"
"$lab" streams --json --min 2 --max 40 --top 100000 --names "$dir/names" \
    "$dir/run.refs" "$dir/run.table" >"$dir/streams.json"

# ---- how often the streams use each field: a site counts for each field that its line names ----

fields='velocity_func position_func m m_inv i i_inv cog p v f a w t transform userData'
fields="$fields v_bias w_bias space shapeList arbiterList constraintList sleeping"
awk -v fields="$fields" '
    BEGIN { count = split(fields, field, " ") }
    FILENAME != last { file = FILENAME; sub(/.*\//, "", file); last = FILENAME }
    FILENAME !~ /streams\.json$/ { line[file ":" FNR] = $0; next }
    /"sites":\["/ {
        sub(/.*"sites":\["/, "")
        sub(/"\].*/, "")
        split($0, site, "\",\"")
        next
    }
    /"frequency":/ {
        match($0, /"frequency":[0-9]+/)
        times = substr($0, RSTART + 12, RLENGTH - 12)
        sub(/.*"sites":\[/, "")
        sub(/\].*/, "")
        length_of = split($0, number, ",")
        for (k = 1; k <= length_of; k++) {
            at = line[site[number[k] + 1]]
            for (i = 1; i <= count; i++) {
                here = "(^|[^a-zA-Z_.>])(body|a|b)->" field[i] "([^a-zA-Z_]|$)"
                if (at ~ here) uses[i] += times
            }
        }
    }
    END { for (i = 1; i <= count; i++) print uses[i] + 0, field[i] }' \
    "$src"/src/*.c "$src"/include/chipmunk/*.h "$dir/streams.json" |
    sort -k1,1nr -k2 >"$dir/fields"
echo "uses in hot streams: $(awk '$1 { printf "%s%s %d", sep, $2, $1; sep = ", " }' "$dir/fields")"

# ---- the orders ----

awk '{ print $2 }' "$dir/fields" >"$dir/hottest"
awk '{ a[NR] = $0 } END { for (i = NR; i; i--) print a[i] }' "$dir/hottest" >"$dir/coldest"
echo "$fields" | tr ' ' '\n' >"$dir/plain"
. bench/layout_fields.inc
gcc -O2 -g $flags -I"$src/include" -o "$dir/recorded.bin" bench/real/main_chipmunk.c \
    "$src"/src/*.c -lm -lpthread
layout_fields "$dir" 'heap of cpBodyNew < main' 'struct cpBody' chipmunk/chipmunk_private.h \
    "$flags -I$src/include -I$src/include/chipmunk" "$fields" "$dir/recorded.bin" "$bodies" 20
echo
echo "| order of fields | instructions | D1 misses | LL misses |"
echo "|---|---|---|---|"
for kind in plain hottest coldest layout; do
    rm -rf "$dir/$kind.d"
    cp -R "$src/include" "$dir/$kind.d"
    awk 'FNR == NR { order[FNR] = $0; next }
        /^struct cpBody \{/ { inside = 1; print; next }
        inside && /^\t}? *struct \{/ { nested = 1 }
        inside && nested {
            held["sleeping"] = held["sleeping"] $0 "\n"
            if (/} sleeping;/) nested = 0
            next
        }
        inside && /^};/ {
            for (i = 1; i in order; i++) print held[order[i]]
            inside = 0
        }
        inside && /;/ && !/\/\// { name = $NF; gsub(/[*;]/, "", name); held[name] = $0 }
        inside { next }
        { print }' "$dir/$kind" "$structs" >"$dir/$kind.d/chipmunk/chipmunk_structs.h"
    gcc -O2 $flags -I"$dir/$kind.d" -o "$dir/$kind.bin" bench/real/main_chipmunk.c "$src"/src/*.c \
        -lm -lpthread
    "$dir/$kind.bin" "$bodies" "$steps" >"$dir/$kind.out"
    cmp "$dir/plain.out" "$dir/$kind.out"
    valgrind --tool=cachegrind --cache-sim=yes --D1=32768,8,64 --LL=1048576,16,64 \
        --cachegrind-out-file=/dev/null "$dir/$kind.bin" "$bodies" "$steps" 2>&1 >/dev/null |
        awk -v kind=$kind '
            { gsub(",", "") }
            /I *refs:/ { i = $4 }
            /D1 *misses:/ { d = $4 }
            /LLd misses:/ { l = $4 }
            END { printf "| %s | %d | %d | %d |\n", kind, i, d, l }'
done
cp "$dir/plain.bin" "$dir/again.bin"

# ---- time ----

. bench/streams_time.inc
echo
echo "| order of fields | median of user time against plain, of ${ROUNDS:-5} rounds | all rounds |"
echo "|---|---|---|"
streams_time "$dir" "$bodies $steps" again hottest coldest layout
