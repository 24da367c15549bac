#!/bin/sh
# coverage_intervals.sh [PROGRAM ...] - how often the 95 % intervals of the report hold the truth. Runs
# demo/index, Lua and bzip2 (Debian sources, by bench/setup.sh; scopes placed by bursty cc) once with
# every event counted, and then 40 times for each rate and length of bursts, with other seeds. Prints
# the table of docs/intervals.md: rows (functions and pairs of caller and callee) that at least 5
# bursts saw, the part of them whose share, and whose count, lies in its interval, and the part for
# an interval that takes events as independent.
#
#     sh bench/coverage_intervals.sh             SEEDS=10 sh bench/coverage_intervals.sh lua: less
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
src=$BUILD/bench/src
work=$BUILD/bench/intervals
CC=${CC:-gcc}
seeds=${SEEDS:-40}
mkdir -p "$work" || exit 2
[ -d "$src/lua/src" ] && [ -f "$src/sqlite/sqlite3.c" ] || sh bench/setup.sh || exit 2
[ -x "$BUILD/bursty" ] || make -s || exit 2
export BURSTY_OFF=1                # the runtime of bursty cc; bench/coverage_start.c starts instead

place() { # PROGRAM FLAGS FILE...
    program=$1 flags=$2
    shift 2
    for file in "$@"; do
        # shellcheck disable=SC2086
        "$BUILD/bursty" cc --entries=all --loops=all --form=scope -- "$CC" -w -O2 $flags -c \
            -o "$work/$program-$(basename "$file" .c).o" "$file" || exit 2
    done
    "$BUILD/bursty" cc -- "$CC" -o "$work/$program" "$work/$program"-*.o "$work/start.o" -lm -ldl ||
        exit 2
}

build() { # PROGRAM
    "$CC" -O2 -I. -c -o "$work/start.o" bench/coverage_start.c || exit 2
    case $1 in
    demo)
        "$CC" -O2 -I. -DCOVERAGE_WHOLE -o "$work/demo" demo/index.c bench/coverage_start.c || exit 2 ;;
    lua)
        files=
        for file in "$src"/lua/src/*.c; do
            case $file in */luac.c|*/ltests.c|*/onelua.c) ;; *) files="$files $file" ;; esac
        done
        # shellcheck disable=SC2086
        place lua "-I$src/lua/src -I$src/include -DLUA_USE_LINUX -Dluai_makeseed(L)=1u" $files ;;
    bzip2)
        files=bench/real/main_bzip2.c
        for file in blocksort bzlib compress crctable decompress huffman randtable; do
            files="$files $src/bzip2/$file.c"
        done
        # shellcheck disable=SC2086
        place bzip2 "-I$src/bzip2" $files ;;
    *)
        echo "coverage_intervals.sh: no program $1" >&2
        exit 2 ;;
    esac
}

run() { # PROGRAM EVERY BURST SEED NAME
    case $1 in
    demo)  set -- "$@" -n 3 /usr/include ;;
    lua)   set -- "$@" bench/real/work.lua 8 ;;
    bzip2) set -- "$@" "$src/sqlite/sqlite3.c" 3000000 1 ;;
    esac
    run_name=$work/$5 run_program=$work/$1 settings="$2 $3 $4 $work/$5.brst"
    shift 5
    COVERAGE=$settings "$run_program" "$@" >/dev/null || exit 2
    "$BUILD/bursty" report --csv --min 0 "$run_name.brst" >"$run_name.csv" || exit 2
}

measure() { # PROGRAM
    build "$1"
    run "$1" 0 1 0 "$1-all"
    for rate in 1 0.1; do
        for burst in 1 10 100; do
            every=$(awk "BEGIN { printf \"%d\", $burst * 100 / $rate - $burst }")
            list=
            seed=1
            while [ $seed -le "$seeds" ]; do
                run "$1" "$every" $burst $seed "$1-$seed"
                list="$list $work/$1-$seed.csv"
                seed=$((seed + 1))
            done
            # shellcheck disable=SC2086
            awk -F, -v title="| $1 | $rate % | $burst |" -f bench/coverage_intervals.awk \
                "$work/$1-all.csv" $list
        done
    done
}

echo "| program | rate | burst | rows | share in its interval | count in its interval | independent events | width |"
echo "|---|---|---|---|---|---|---|---|"
for program in ${*:-demo lua bzip2}; do measure "$program"; done
