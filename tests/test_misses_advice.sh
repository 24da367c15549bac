#!/bin/sh
# test_misses_advice.sh - what bursty record --misses advises: less data where a larger cache holds
# it, fewer lines where none does, nothing where nobody knows.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder misses_advice
needs_recorder
has() { # FILE PATTERN
    if grep -qE -e "$2" "$1"; then pass; else fail "no '$2' in $1: $(head -c 400 "$1")"; fi
}
$CC -O1 -g -o walk "$top/tests/misses/walk.c" || exit 2
advice() { # PATTERN OPTIONS... PROGRAM...: what the report advises; "none": nothing
    wanted=$1
    shift
    "$bursty" record --quiet --misses -o walk.brst "$@" >got || fail "advice: $*"
    "$bursty" report --json walk.brst |
        sed -n 's/.*"name":"advice","value":"\([^"]*\)".*/\1/p' | sed 's/\\u003c/</g' >said
    [ -s said ] || echo none >said
    has said "$wanted"
}
# 4096 lines, ten times: all miss in 32 KiB, and in 1 MiB only the first time.
advice '^use less data between two uses of a line\. What misses most at 32 KiB, walk on heap of main, would hit in 1 MiB: 90\.00 % of these misses\. ' \
    --every 0 --caches 32k,1m ./walk 4096 10
advice 'would hit in 512 KiB: 90' --every 0 --caches 32k,128k,512k,1m ./walk 4096 10 # the first that does
# 100 000 lines do not fit into either.
advice '^touch fewer lines\. What misses most at 32 KiB, walk on heap of main, misses in 1 MiB, too: 100\.00 % of these misses\. Put side by side' \
    --every 0 --caches 32k,128k,1m ./walk 100000 3
if grep -q 'other memory' said; then fail "a block of malloc is other memory: $(cat said)"; else pass; fi
# One size: nothing to compare with.
advice '^none$' --every 0 --caches 32k ./walk 4096 10
# How many accesses there are besides is the compiler's matter: half of them miss, as the table has it.
"$bursty" report walk.brst >walk.txt && has walk.txt 'misses at 32 KiB 50\.0[01] % of accesses miss'
has walk.txt "^ *32768  $(sed -n 's/^misses at 32 KiB \([0-9.]*\) % of accesses.*/\1/p' walk.txt)% "
has walk.txt ' 409[5-9][0-9]  walk$'
# The bursts are too short for the larger cache, and too few.
advice '^not known: bursts are too few or too short .* walk on heap of main\. --every 0 tells' \
    --every 100000 --burst 4000 --caches 32k,1m ./walk 4096 1000
advice '^not known: bursts are too few' --every 1000000 --burst 100000 --caches 32k,1m ./walk 4096 1000
# What malloc did not give has no name, and the advice says how it gets one.
advice 'walk on \(other memory\), would hit .* tell it to use malloc' \
    --every 0 --caches 32k,1m ./walk 4096 10 4096 m
# A sample's interval holds what the whole says, which is neither little nor much.
advice 'misses in 128 KiB, too: 63\.09 % of these' --every 0 --caches 32k,128k ./walk 800 3000 4000
advice 'misses in 128 KiB, too: [0-9]* % of these misses \([0-9]* to [0-9]* %\)' \
    --every 20000 --burst 20000 --caches 32k,128k ./walk 800 3000 4000
if sed 's/.*misses (\([0-9]*\) to \([0-9]*\) %).*/\1 \2/' said |
    awk '{ ok = $1 <= 63 && $2 >= 63 && $1 > 40 && $2 < 80 } END { exit !ok }'; then pass
else fail "the interval of the advice: $(cat said)"; fi
"$bursty" report walk.brst >walk.txt && has walk.txt '^advice: touch fewer lines'

finish
