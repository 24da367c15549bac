#!/bin/sh
# streams_layout.sh [RECORDS TIMES] - a use that pays: records cJSON with record/inside/hooks/refs.c, finds its
# hot data streams, counts which fields of a node the streams use, and puts the fields that are
# used most first. Shows misses of a data cache of 32 KiB and of one of 1 MiB behind it
# (cachegrind) for cJSON's own order, for the same with its two ints side by side (56 bytes a node,
# not 64), for the order by use, for the reverse of that, and for the order of
# `bursty report --layout` beside what the report says that it gains, on bench/real/main_cjson.c with
# RECORDS (2000) records parsed, edited and printed TIMES (3) times. Wants what bench/setup.sh
# fetches, valgrind, addr2line.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} records=${1:-2000} times=${2:-3}
src=$BUILD/bench/src/cjson dir=$BUILD/bench/layout lab=$BUILD/bursty-lab
mkdir -p "$dir"
[ -f "$src/cJSON.c" ] || sh bench/setup.sh
make -s BUILD="$BUILD" "$lab"

# The streams of a run with fewer records, with the source line of each site.
gcc -std=gnu99 -O2 -c -o "$dir/refs.o" record/inside/hooks/refs.c
for c in bench/real/main_cjson.c "$src/cJSON.c"; do
    gcc -g -O1 -w -I"$src" -fsanitize=thread -fsanitize-coverage=trace-pc -c \
        -o "$dir/$(basename "$c" .c).o" "$c"
done
gcc -o "$dir/recorded" "$dir/main_cjson.o" "$dir/cJSON.o" "$dir/refs.o" -lm
BURSTY_REFS=$dir/run "$dir/recorded" 50 4 >/dev/null
base=$(cat "$dir/run.base")
od -An -v -tx8 "$dir/run.table" | awk '{ print $1 }' | sort -u >"$dir/pcs"
while read -r pc; do printf '%x\n' $((0x$pc - 0x$base - 1)); done <"$dir/pcs" >"$dir/offsets"
addr2line -s -e "$dir/recorded" <"$dir/offsets" | sed 's/ .*//' |
    paste -d ' ' "$dir/pcs" - >"$dir/names"
"$lab" streams --json --min 2 --max 40 --top 100000 --names "$dir/names" \
    "$dir/run.refs" "$dir/run.table" >"$dir/streams.json"

# How often the streams use each field: a site counts for each field that its line names.
awk -v fields='next prev child type valuestring valueint valuedouble string' '
    BEGIN { count = split(fields, field, " ") }
    FNR == NR { line[FNR] = $0; next }
    /"sites":\["/ {
        sub(/.*"sites":\["/, ""); sub(/"\].*/, "")
        sites = split($0, site, "\",\"")
        next
    }
    /"frequency":/ {
        match($0, /"frequency":[0-9]+/); times = substr($0, RSTART + 12, RLENGTH - 12)
        sub(/.*"sites":\[/, ""); sub(/\].*/, "")
        length_of = split($0, number, ",")
        for (k = 1; k <= length_of; k++) {
            name = site[number[k] + 1]
            if (sub(/^cJSON\.c:/, "", name) == 0) { continue }
            for (i = 1; i <= count; i++) {
                if (line[name] ~ ("->" field[i] "([^a-z_]|$)")) uses[i] += times
            }
        }
    }
    END { for (i = 1; i <= count; i++) print uses[i] + 0, field[i] }' \
    "$src/cJSON.c" "$dir/streams.json" | sort -k1,1nr -k2 >"$dir/fields"
echo "uses in hot streams: $(awk '{ printf "%s%s %d", sep, $2, $1; sep = ", " }' "$dir/fields")"

# The two ints share a word: the colder follows the hotter.
awk '{ print $2 }' "$dir/fields" | awk '
    /^(type|valueint)$/ {
        if (!seen++) print "type\nvalueint"
        next
    }
    { print }' >"$dir/hottest"
awk '{ a[NR] = $0 } END { for (i = NR; i; i--) { print a[i] } }' "$dir/hottest" >"$dir/coldest"
printf '%s\n' next prev child type valuestring valueint valuedouble string >"$dir/plain"
printf '%s\n' next prev child type valueint valuestring valuedouble string >"$dir/packed"
. bench/layout_fields.inc
gcc -O2 -g -w -I"$src" -o "$dir/recorded.bin" bench/real/main_cjson.c "$src/cJSON.c" -lm
layout_fields "$dir" 'heap of parse_value < parse_value' cJSON cJSON.h "-I$src" "$(tr '\n' ' ' <"$dir/plain")" \
    "$dir/recorded.bin" "$records" 1
echo
echo "| order of fields | instructions | D1 misses | LL misses |"
echo "|---|---|---|---|"
for kind in plain packed hottest coldest layout; do
    mkdir -p "$dir/$kind.d"
    cp "$src/cJSON.c" "$dir/$kind.d"
    awk 'FNR == NR { order[FNR] = $0; next }
        /^typedef struct cJSON$/ { inside = 1 }
        inside && /;$/ && !/^}/ {
            name = $NF
            gsub(/[*;]/, "", name)
            $1 = $1
            held[name] = "    " $0
            next
        }
        inside && /^} cJSON;/ {
            for (i = 1; i in order; i++) print held[order[i]]
            inside = 0
        }
        { print }' "$dir/$kind" "$src/cJSON.h" >"$dir/$kind.d/cJSON.h"
    gcc -O2 -w -I"$dir/$kind.d" -o "$dir/$kind.bin" bench/real/main_cjson.c \
        "$dir/$kind.d/cJSON.c" -lm
    "$dir/$kind.bin" "$records" "$times" >"$dir/$kind.out"
    cmp "$dir/plain.out" "$dir/$kind.out"
    valgrind --tool=cachegrind --cache-sim=yes --D1=32768,8,64 --LL=1048576,16,64 \
        --cachegrind-out-file=/dev/null "$dir/$kind.bin" "$records" "$times" 2>&1 >/dev/null |
        awk -v kind=$kind '
            { gsub(",", "") }
            /I *refs:/ { i = $4 }
            /D1 *misses:/ { d = $4 }
            /LLd misses:/ { l = $4 }
            END { printf "| %s | %d | %d | %d |\n", kind, i, d, l }'
done
