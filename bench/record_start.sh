#!/bin/sh
# record_start.sh [PROGRAM ...] - what starting and ending costs under `bursty record`, in ms of processor
# time (user and system, with the tool's own): plain, time from outside, --inside, --calls with all found
# out anew and with what an earlier run found out; and under `perf record` and uftrace. Each is the
# least of RUNS (10) runs, for others make a run longer and never shorter. Prints the table of
# docs/binpatch.md. Wants python3, and linux-perf and uftrace for their columns.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/record_start
mkdir -p "$out" && cd "$out" || exit 2
XDG_CACHE_HOME=$out/cache
OPENBLAS_NUM_THREADS=1
export XDG_CACHE_HOME OPENBLAS_NUM_THREADS
command -v python3 >/dev/null || { echo "record_start.sh wants python3"; exit 2; }
spent() { # COMMAND...: ms of processor time, of children that have ended, too
    command -v "$1" >/dev/null || { echo -; return; }
    python3 -c 'import os, subprocess, sys
least = 1e9
for n in range(int(sys.argv[1]) + 1):    # the first one warms caches
    p = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status, u = os.wait4(p.pid, 0)[1:]
    if os.waitstatus_to_exitcode(status): sys.exit(sys.argv[2] + " failed")
    if n: least = min(least, u.ru_utime + u.ru_stime)
print("%.0f" % (1000 * least))' "${RUNS:-10}" "$@"
}
echo "load: $(cut -d ' ' -f 1 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors, $(date +%F)"
echo
echo "| program | plain | outside | inside | calls, anew | calls, known | perf record | uftrace |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|"
row() { # NAME COMMAND...
    name=$1
    shift
    command -v "$1" >/dev/null || { echo "| $name | not installed |"; return; }
    r="$build/bursty record --quiet -o $out/x.brst"
    # shellcheck disable=SC2086
    echo "| $name | $(spent "$@") | $(spent $r --outside -- "$@") | $(spent $r --inside -- "$@") |" \
        "$(spent $r --calls --no-cache -- "$@") | $(spent $r --calls -- "$@") |" \
        "$(spent perf record -q -g -o x.perf -- "$@") |" \
        "$(spent uftrace record --force --no-libcall -d x.uftrace -- "$@") |"
}
for program in ${*:-perl python3 git gdb ruby emacs octave}; do
    case $program in
    perl) row perl perl -e 1 ;;
    python3) row python3 /usr/bin/python3 -c 1 ;;
    git) row git git --version ;;
    gdb) row gdb gdb -batch -nx ;;
    ruby) row ruby ruby -e 1 ;;
    emacs) row emacs emacs --batch -Q --eval t ;;
    octave) row "octave, 107 libraries" octave-cli --norc --eval 1 ;;
    *) echo "record_start.sh: no program $program"; exit 2 ;;
    esac
done
