#!/bin/sh
# record_start.sh - what `bursty record --calls` costs until a program has started, in ms of processor
# time (user and system): plain, time alone, with all found out anew, and with what an earlier run found
# out. RUNS: 10. Prints the table of docs/binpatch.md.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/record_start
mkdir -p "$out" && cd "$out" || exit 2
XDG_CACHE_HOME=$out/cache
OPENBLAS_NUM_THREADS=1
export XDG_CACHE_HOME OPENBLAS_NUM_THREADS
command -v hyperfine >/dev/null || { echo "hyperfine is not installed"; exit 2; }
spent() { # COMMAND...: ms of processor time
    hyperfine -N -i --warmup 2 --runs "${RUNS:-10}" --export-csv csv "$*" >/dev/null 2>&1
    awk -F, 'END { printf "%.0f", 1000 * ($(NF - 3) + $(NF - 2)) }' csv
}
echo "| program | plain, ms | time alone | anew | known |"
echo "|---|---|---|---|---|"
row() { # NAME COMMAND...
    name=$1
    shift
    command -v "$1" >/dev/null || return
    r="$build/bursty record --quiet -o $out/x.brst"
    # shellcheck disable=SC2086
    echo "| $name | $(spent "$@") | $(spent $r --time -- "$@") | $(spent $r --calls --no-cache -- "$@") | $(spent $r --calls -- "$@") |"
}
row perl perl -e 1
row python3 /usr/bin/python3 -c 1
row git git --version
row gdb gdb -batch -nx
row emacs emacs --batch -Q
row octave octave-cli --norc --eval 1
