#!/bin/sh
# oracle.sh [programs | FILE.c ...] - the parser of `bursty cc` against libclang's tree (bench/cc_oracle.py), function by
# function: on the tool's own files, or on those that are named. With "programs": on all files of the real programs that
# bench/setup.sh has fetched. Needs python3-clang-19 with libclang1-19, or -14; the tool's own files take half a minute.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
make -s BUILD="$BUILD" "$BUILD/bursty" >/dev/null || exit 2
python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1
if ! $python -c 'import clang.cindex' 2>/dev/null; then
    echo "FAILED there is no python3-clang"
    echo "0 passed, 1 failed"
    exit 1
fi
BURSTY=$BUILD/bursty
export BURSTY
if [ "${1-}" = programs ]; then
    status=0
    for name in $($python bench/real/programs.py); do
        echo "$name:"
        $python bench/real/programs.py "$name" "$BUILD/bench/src" |
            xargs sh -c "$python bench/cc_oracle.py"' "$@"' "$name" || status=1
    done
    exit $status
fi
[ $# -gt 0 ] || set -- base/*.c report/*.c report/*/*.c cc/[!i]*/*.c record/tool/*.c lab/*.c examples/*.c
# The checks of bursty.h are off: libclang does not show the calls of cleanup functions and of
# assembly, which the parser counts.
$python bench/cc_oracle.py "$@" -- "${CC:-gcc}" -I. -DFOOTPRINT_NO_SIMD -DBURSTY_OFF
