#!/bin/sh
# run.sh - builds demo/index twice, plain and profiled, and the program that compares them; runs that. `make demo` calls it.
# Arguments go to demo/compare: --equation, --overlap, --pairs N, ... The input is this repository and /usr/include.
set -e
CC=${CC:-cc} BUILD=${BUILD:-build}
export BUILD
mkdir -p "$BUILD/demo"
flags="-std=gnu99 ${CFLAGS:--O2 -g} -I. $LDFLAGS"
$CC $flags -o "$BUILD/demo/index" demo/index.c demo/profile.c
$CC $flags -DBURSTY_OFF -o "$BUILD/demo/index-plain" demo/index.c demo/profile.c
$CC $flags -o "$BUILD/demo/compare" demo/compare.c

# A copy of our own sources: whoever edits one while the programs run should not make their outputs differ.
input=$BUILD/demo/input
rm -rf "$input"
for file in *.h */*.[ch]; do
    mkdir -p "$input/$(dirname "$file")"
    cp "$file" "$input/$file"
done
exec "$BUILD/demo/compare" "$@" "$input" /usr/include
