#!/bin/sh
# run.sh TEST ... - runs test programs (through $RUN, an emulator, if set) and scripts, as many at a
# time as there are processors ($JOBS), adds up their closing lines "N passed, N failed[, N
# skipped]" and ends with one such line. A test that ends without one counts as one failure.
# Those that tests/order names begin first, for one that takes long must not begin last. The line
# before the last says how long all of it took; $BEGAN, in seconds, is when the compiling began.
# tests/skips says what may be skipped; it is read with $HERE, words for this compiler and user.
cd "$(dirname "$0")/.." || exit 2
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
sums=${TMPDIR:-/tmp}/bursty-test.$$
began=${BEGAN:-$(date +%s)}
trap 'rm -f "$sums" "$sums".*' EXIT
: >"$sums"
RUN=${RUN-} VERBOSE=${VERBOSE-}
HERE=other
case ${CFLAGS-} in *-fsanitize*) ;; *)
    # shellcheck disable=SC2086
    if [ -z "$RUN" ] && ${CC:-cc} ${CFLAGS-} -E -x c record/inside/preload/supported.h 2>/dev/null |
        grep -q recorder_is_supported; then
        HERE=gcc
        ! ${CC:-cc} -dM -E -x c /dev/null | grep -q __clang__ || HERE=clang
    fi ;;
esac
[ "$(id -u)" != 0 ] || HERE="$HERE root"
export RUN VERBOSE HERE
printf '%s\n' "$@" |
    awk 'FNR == NR { if (!/^#/) place[$1] = FNR; next }
        {
            name = $0
            sub(/.*\//, "", name)
            print (name in place) ? place[name] : 1e6 + FNR, $0
        }' tests/order - | sort -n | cut -d ' ' -f 2- |
    xargs -n 1 -P "$jobs" sh tests/run_one.sh "$sums"
awk -v wanted=$# -v took=$(($(date +%s) - began)) '
    { n++; p += $1; f += $2; s += $3; cpu += $4 }
    END {
        f += wanted - n                                     # one that left no sums
        printf "took %d s with compiling; the tests took %.0f s of processor time\n", took, cpu
        printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""
        exit f != 0
    }' "$sums"
