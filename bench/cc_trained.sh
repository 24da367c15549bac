#!/bin/sh
# cc_trained.sh [PROGRAM ...] - bzip2 lua: counters of `bursty cc --cover` by the rules, and by the counts of a run
# (--plan) at -O0 and -O2, trained on one input and measured on another; instructions
# of a plugin of qemu-x86_64, over the plain program's. Prints a table for docs/coverage.md. Needs
# gcc, qemu-x86_64 and what bench/setup.sh fetches.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=$BUILD/bench/src work=$BUILD/bench/trained bursty=$BUILD/bursty
[ -d "$src/bzip2" ] && [ -d "$src/lua/src" ] || sh bench/setup.sh
rm -rf "$work"
mkdir -p "$work" && cd "$work"
gcc -O2 -shared -fPIC -o icount.so "$top/bench/real/icount.c"
head -c 200000 "$top/bursty.h" >text
head -c 200000 "$bursty" >code
echo 'local t = {} for i = 1, 20000 do t[i] = i * 7919 % 10007 end table.sort(t) print(t[77])' >sort.lua
echo 'local s = 0 for w in ("some words and more "):rep(2000):gmatch("%a+") do s = s + #w end print(s)' >words.lua

sources_of() {
    case $1 in
    bzip2)
        echo "$top/bench/real/main_bzip2.c -I$src/bzip2"
        for f in blocksort huffman crctable randtable compress decompress bzlib; do echo "$src/bzip2/$f.c"; done ;;
    lua)
        echo "-I$src/lua/src -I$src/include -DLUA_USE_POSIX"
        ls "$src"/lua/src/*.c | grep -v '/luac\.c$' ;;
    esac
}
input_of() { case $1 in bzip2) echo "$2 200000 1" ;; lua) echo "$2.lua" ;; esac; } # NAME WHICH
instructions() { # COMMAND...
    qemu-x86_64 -plugin ./icount.so -d plugin -D count.log "$@" >/dev/null 2>&1
    tr -dc 0-9 <count.log
    echo
}

echo '| program | | plain | by the rules | trained on another input | trained on this one |'
echo '|---|---|---:|---:|---:|---:|'
for name in ${*:-bzip2 lua}; do
    set -- code text
    [ $name = bzip2 ] || set -- sort words
    for level in -O0 -O2; do
        # shellcheck disable=SC2046
        gcc -w $level -o plain $(sources_of $name) -lm
        for way in rules other same; do
            plan=
            case $way in
            other | same)
                which=$1
                [ $way = other ] || which=$2
                rm -f $way.brst
                # shellcheck disable=SC2046
                BURSTY_COVERAGE=$way.brst ./rules $(input_of $name "$which") >/dev/null
                plan=--plan=$work/$way.brst ;;
            esac
            # shellcheck disable=SC2046,SC2086
            "$bursty" cc --cover $plan -- gcc -w $level -o $way $(sources_of $name) -lm
        done
        for program in plain rules other same; do
            # shellcheck disable=SC2046
            BURSTY_COVERAGE=/dev/null instructions ./$program $(input_of $name "$2")
        done | awk -v name=$name -v level=$level '
            { n[NR] = $1 }
            END { printf "| %s | %s | %.2f M | %.3f | %.3f | %.3f |\n", name, level, n[1] / 1e6, n[2] / n[1], n[3] / n[1], n[4] / n[1] }'
    done
done
