#!/bin/sh
# cc_ticks.sh [PROGRAM ...] - bzip2 clzip: the time that `bursty cc --ticks` finds, beside perf's, which
# looks at the same program while it runs (cpu-clock, 1000 times a second). A row is a function with
# 2 % of perf's samples in the program, without bursty's own functions. -fno-inline and --entries=all, so that both mean the same by a function.
# The table of docs/cc.md. Needs gcc, perf, python3 and what bench/setup.sh fetches.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/ticks_cc
export BURSTY_CACHE=$work/cache
mkdir -p "$work"

build() { # PROGRAM FLAGS FILES...
    program=$1 flags=$2
    shift 2
    # shellcheck disable=SC2086
    "$BUILD/bursty" cc --ticks --entries=all -- gcc -O2 -fno-inline -w $flags -o "$work/$program" "$@"
}
for i in 1 2 3 4 5 6 7 8 9 10; do cat bursty.h hotstream.h hcct.h binpatch.h; done >"$work/input"
echo '| program | function | perf | ticks | interval | in it |'
echo '|---|---|---:|---:|---|---|'
for program in ${*:-bzip2 clzip}; do
    [ -d "$src/$program" ] || BUILD=$BUILD sh bench/setup.sh "$program"
    case $program in
    bzip2)
        at=$src/bzip2
        build bzip2 -D_FILE_OFFSET_BITS=64 "$at"/blocksort.c "$at"/huffman.c "$at"/crctable.c \
            "$at"/randtable.c "$at"/compress.c "$at"/decompress.c "$at"/bzlib.c "$at"/bzip2.c
        set -- -k -c "$work/input"
        ;;
    clzip)
        build clzip '-DPROGVERSION="1"' "$src"/clzip/*.c
        set -- -k -c "$work/input"
        ;;
    esac
    rm -f "$work/$program.brst"
    BURSTY_FILE=$work/$program.brst perf record -q -e cpu-clock -F 1000 -o "$work/$program.perf" \
        "$work/$program" "$@" >"$work/out" 2>&1
    perf report -i "$work/$program.perf" --stdio --sort dso,symbol 2>/dev/null >"$work/$program.text"
    "$BUILD/bursty" report --json --min 0 "$work/$program.brst" >"$work/$program.json"
    python3 bench/cc_ticks.py "$program" "$work/$program.text" "$work/$program.json"
done
