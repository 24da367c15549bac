#!/bin/sh
# oracle.sh [FILE.c ...] - the parser of `bursty cc` against libclang's tree (bench/cc_oracle.py), function by function: on the tool's own
# files, or on those that are named. Needs python3-clang-19 with libclang1-19, or -14; takes under a minute.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
make -s BUILD="$BUILD" "$BUILD/bursty" >/dev/null || exit 2
python=/usr/bin/python3
if ! $python -c 'import clang.cindex' 2>/dev/null; then echo "0 passed, 0 failed, 1 skipped: no python3-clang"; exit 0; fi
[ $# -gt 0 ] || set -- tools/*.c tools/*/*.c record/checks.c examples/*.c
BURSTY=$BUILD/bursty $python bench/cc_oracle.py "$@" -- "${CC:-gcc}" -Itools -I. -DFOOTPRINT_NO_SIMD
