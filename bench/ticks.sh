#!/bin/sh
# ticks.sh [short|overhead] - are the shares of ticks right? Builds the 40:60 program, demo/index,
# Lua with a scope in each function and a C++ program of four threads; compares their self and total
# shares with a native sampler's (bench/ticks_sampler.c) and with callgrind's instructions; measures
# what ticks cost at the default rate. `overhead` measures that alone, in three minutes; it says on
# stderr how far it is. Prints the tables of docs/ticks.md. Wants gcc, g++, valgrind, python3 and
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
