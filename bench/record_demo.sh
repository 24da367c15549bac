#!/bin/sh
# record_demo.sh - the demo's program twice: with its macros, and without any under `bursty record`.
# Prints the hot calling contexts of both. The second is compiled without inlining, so that its
# functions are there to be found.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
out=$build/bench/record_demo
flags="-std=c99 -O2 -g -I."
mkdir -p "$out/input"
cp ./*.h record/inside/*/*.c cc/inside/*.c "$out/input/"
${CC:-cc} $flags -o "$out/macros" demo/index.c demo/profile.c -lm
${CC:-cc} $flags -DBURSTY_OFF -fno-inline -o "$out/plain" demo/index.c demo/profile.c -lm

hot() { # FILE
    "$build/bursty" report "$1" | sed -n '/^ *share  at-least/,/^$/p' | head -n 9
}
echo "with macros, 990:10"
INDEX_CONTEXTS=990:10 INDEX_DUMP=$out/macros.brst "$out/macros" "$out/input" >"$out/1"
hot "$out/macros.brst"
echo
echo "without, recorded at 990:10"
"$build/bursty" record --every 990 --burst 10 -o "$out/plain.brst" -- "$out/plain" "$out/input" \
    >"$out/2"
cmp "$out/1" "$out/2"
hot "$out/plain.brst"
