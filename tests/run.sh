#!/bin/sh
# run.sh TEST ... - runs test programs (through $RUN, an emulator, if set) and scripts, as many at a
# time as there are processors ($JOBS), adds up their closing lines "N passed, N failed[, N
# skipped]" and ends with one such line. A test that ends without one counts as one failure.
cd "$(dirname "$0")/.." || exit 2
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
sums=${TMPDIR:-/tmp}/bursty-test.$$
trap 'rm -f "$sums" "$sums".*' EXIT
: >"$sums"
RUN=${RUN-} VERBOSE=${VERBOSE-}
export RUN VERBOSE
printf '%s\n' "$@" | xargs -n 1 -P "$jobs" sh tests/run_one.sh "$sums"
awk -v wanted=$# '{ n++; p += $1; f += $2; s += $3 }
    END {
        f += wanted - n                                     # one that left no sums
        printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""
        exit f != 0
    }' "$sums"
