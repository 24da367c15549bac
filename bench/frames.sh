#!/bin/sh
# frames.sh - what bursty_frame costs, in instructions (valgrind counts them) and in time, and how
# often the intervals of slow frames hold the truth. Prints the tables of docs/frames.md. What the
# kernel does for two clocks is in the time and not in the instructions.
#
#     sh bench/frames.sh
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build} CC=${CC:-gcc}
work=$BUILD/bench/frames
mkdir -p "$work" || exit 2
[ -x "$BUILD/bursty-lab" ] || make -s tools || exit 2
"$CC" -O2 -I. -o "$work/frames" bench/frames.c || exit 2

instructions() { # FRAMES TICKS SLOW_US
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/frames" "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}
# Of one more frame: a long run less a short one.
per_frame() { # SIGN TICKS SLOW_US
    long=$(instructions "${1}40000" "$2" "$3")
    short=$(instructions "${1}20000" "$2" "$3")
    echo $(((long - short) / 20000))
}
plain=$(per_frame - 0 0)
ticked=$(per_frame - 1 0)
echo "instructions of a frame without ticks, by percentile: $(($(per_frame '' 0 0) - plain))"
echo "instructions of a frame without ticks, by budget:     $(($(per_frame '' 0 1000000) - plain))"
one=$(($(per_frame '' 1 1000000) - ticked))
four=$(($(per_frame '' 4 1000000) - $(per_frame - 4 1000000)))
echo "instructions of a frame with a tick in three scopes:  $one"
echo "instructions of another tick in the same frame:       $(((four - one) / 3))"
echo "instructions of such a tick without frames:           $((ticked - plain))"
for run in 1 2 3; do
    echo "ns of a frame, run $run: $("$work/frames" 1000000 0 0)"
done
echo "load: $(cut -d ' ' -f 1 </proc/loadavg 2>/dev/null) on $(getconf _NPROCESSORS_ONLN) processors"
for frames in 600 3600 36000; do "$BUILD/bursty-lab" frames --runs 400 --frames $frames; done
echo "with ticks and hitches in step:"
"$BUILD/bursty-lab" frames --runs 40 --regular
