#!/bin/sh
# ticks.sh [short|overhead|log] - are the shares of ticks right? Builds the 40:60 program,
# demo/index, Lua with a scope in each function and a C++ program of four threads; compares their
# self and total shares with a native sampler's (bench/ticks_sampler.c) and with callgrind's
# instructions; measures
# what ticks cost at the default rate. `overhead` measures that alone, in three minutes; it says on
# stderr how far it is. `log` counts what the log of ticks in time costs at each rate, by system
# calls and instructions, which a loaded machine does not change (wants strace).
# Prints the tables of docs/ticks.md. Wants gcc, g++, valgrind, python3 and
# binutils, and (but for `overhead`) Lua's source as bench/setup.sh fetches it. x86-64 Linux.
set -e
cd "$(dirname "$0")/.."
build=${BUILD:-build}
out=$build/bench/ticks
mkdir -p "$out"
make -s BUILD="$build" "$build/bursty" >/dev/null
# No inlining, so that a scope and its function are the same to all.
flags="-O2 -g -fno-inline -fno-optimize-sibling-calls"
flags="$flags -fno-partial-inlining -fno-ipa-cp -fno-ipa-sra"
flags="$flags -fcf-protection=none -no-pie -I. -pthread"
# A loop of 2 s of CPU time, by looks from outside and by -p: bytes of the file and system calls of
# the recorder (with its start and end), with the log and without.
# bursty.h: instructions of a tick, of runs with 10 000 ticks more and less.
calls_of() { # TIMELINE RATE WAY
    case $3 in
    start)
        strace -c -o "$out/calls" "$build/bursty" record --quiet --timeline "$1" --ticks "$2" \
            -o "$out/log.brst" "$out/loop" 2 ;;
    -p)
        "$out/loop" 30 &
        strace -c -o "$out/calls" "$build/bursty" record --quiet --timeline "$1" --ticks "$2" \
            -p $! --seconds 2 -o "$out/log.brst"
        kill $! ;;
    esac
    awk '/total$/ { print (NF > 4 ? $4 : $3) + 0 }' "$out/calls"
}
count_log() {
    command -v strace >/dev/null || { echo "ticks.sh log wants strace"; exit 2; }
    cat >"$out/loop.c" <<'C'
#include <stdlib.h>
#include <time.h>
static volatile unsigned cell;
int main(int count, char **word) {
    double until = count > 1 ? atof(word[1]) : 1;
    unsigned i;
    do for (i = 0; i < 100000; i++) cell++;
    while ((double)clock() < until * CLOCKS_PER_SEC);
    return 0;
}
C
    gcc -O1 -o "$out/loop" "$out/loop.c"
    echo "| way | looks a second | system calls, no log | with it" \
        "| bytes of the file, no log | with it |"
    echo "|---|--:|--:|--:|--:|--:|"
    for way in start -p; do
        for rate in 100 250 1000 4000; do
            none=$(calls_of 0 $rate $way) bytes=$(wc -c <"$out/log.brst")
            with=$(calls_of 65536 $rate $way)
            echo "| $way | $rate | $none | $with | $bytes | $(wc -c <"$out/log.brst") |"
        done
    done
    cat >"$out/tick.c" <<'C'
#define BURSTY_IMPLEMENTATION
#define BURSTY_NO_TIMERS
#include "bursty.h"
#include <stdlib.h>
static uint64_t now_ns;
static uint64_t clock_of(void *user) { return (void)user, now_ns += 1000; }
int main(int count, char **word) {
    static uint64_t memory[1 << 18];
    bursty_config config = { 0 };
    int i, n = count > 2 ? atoi(word[2]) : 0;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.tick_hz = 1000;
    config.watch = -1;
    config.frame_clock = clock_of;
    config.timeline = (uint32_t)atoi(word[1]);
    bursty_start(&config);
    { BURST_SCOPE("work"); for (i = 0; i < n; i++) bursty_tick(1); }
    return 0;
}
C
    gcc -O2 -std=gnu99 -I. -pthread -o "$out/tick" "$out/tick.c"
    for log in 0 8192; do
        for n in 10000 20000; do
            valgrind --tool=callgrind --callgrind-out-file=/dev/null "$out/tick" $log $n 2>&1 |
                awk '/Collected/ { print $NF }'
        done | awk -v room=$log 'NR == 1 { first = $1 }
            END { printf "bursty.h, config.timeline = %s: ", room
                printf "%.1f instructions a tick\n", ($1 - first) / 10000 }'
    done
}
[ "$1" = log ] && { count_log; exit; }
gcc -std=gnu99 $flags -o "$out/overhead" bench/ticks_overhead.c
[ "$1" = overhead ] && exec python3 bench/ticks.py "$out" "$build/bursty" overhead
[ -d "$build/bench/src/lua/src" ] || sh bench/setup.sh
gcc -O2 -fPIC -shared -o "$out/sampler.so" bench/ticks_sampler.c
gcc -std=gnu99 $flags -o "$out/forty" bench/ticks_forty.c
gcc -std=gnu99 $flags -o "$out/index" demo/index.c demo/profile.c
g++ -std=c++11 $flags -o "$out/threads" bench/ticks_threads.cc
mkdir -p "$out/lua"
objects=
cp "$build"/bench/src/lua/src/*.h "$out/lua/"
cp "$build"/bench/src/include/*.h "$out/lua/"
for file in "$build"/bench/src/lua/src/*.c; do
    name=$(basename "$file" .c)
    case $name in luac|ltests|onelua) continue ;; esac
    awk -f bench/ticks_scopes.awk "$file" >"$out/lua/$name.c"
    gcc -std=gnu99 $flags -w -DLUA_USE_LINUX -include bursty.h -c \
        -o "$out/lua/$name.o" "$out/lua/$name.c"
    objects="$objects $out/lua/$name.o"
done
gcc -std=gnu99 $flags -o "$out/lua/lua" bench/ticks_lua.c $objects -lm -ldl
exec python3 bench/ticks.py "$out" "$build/bursty" ${1:+"$1"}
