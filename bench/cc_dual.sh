#!/bin/sh
# cc_dual.sh [PROGRAM [SET ...]] - lz4 lua: how much of the full profile `bursty cc --form=dual` keeps
# with the checks that each set leaves (Figure 8 of Bursty Tracing), at about 1000:50 and 990:10. The
# table of docs/intervals.md: the median of 20 runs, its interval of 95 %, and the lowest. LOSSES=3
# also names the functions and loops whose mean over the runs is most below or above the truth;
# RUNS=50 takes more runs. Needs gcc, python3 and what bench/setup.sh fetches.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
programs=${1:-lz4 lua}
[ $# = 0 ] || shift
[ $# != 0 ] || set -- orig EL EC EN L4 EC+L4 Q
for program in $programs; do
    [ -d "$src/$program" ] || BUILD=$BUILD sh bench/setup.sh "$program"
    mkdir -p "$BUILD/bench/dual/$program"
    head -c 600000 bursty.h >"$BUILD/bench/dual/$program/input"
    python3 bench/cc_dual.py "$BUILD/bursty" "$src" "$BUILD/bench/dual/$program" "$program" "$@"
done
