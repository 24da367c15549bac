#!/bin/sh
# test_place_random.sh - random programs with cycles of calls, loops and gotos, built by the plan that
# bursty place makes of them and says to hold. The program counts how often it repeats itself between
# two checks; a verdict that is false makes it die (tests/place/random_cycles.awk).
#
#     sh tests/test_place_random.sh                   the programs of make test
#     FIRST=1000 SEEDS=10000 sh tests/test_place_random.sh
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build}
CC=${CC:-cc}
dir=$BUILD/tests/place_random${FIRST-}
rm -rf "$dir"
mkdir -p "$dir/tmp" || exit 2
export TMPDIR=$dir/tmp BURSTY_CACHE=$dir/../cc_runtime
bursty=${BURSTY:-$BUILD/bursty}
tried=0 refused=0
machine=$($CC -dumpmachine 2>/dev/null)
ulimit -c 0 2>/dev/null
# Without FIRST: programs that showed faults of a reader which called too few names taken.
list='48 68 80 83 84 86 94 118 131 145 163 175'
if [ -n "${FIRST-}" ]; then
    list=
    seed=$FIRST
    while [ $seed -lt $((FIRST + ${SEEDS:-100})) ]; do list="$list $seed" seed=$((seed + 1)); done
fi
flags='-std=gnu2x -w -O1'
p=$dir/program

needs_programs "$dir"
if ! $CC $flags -c -o "$dir/ends.o" tests/place/random_ends.c >"$dir/log" 2>&1 ||
    ! awk -v seed=1 -v tame=0 -f tests/place/random_cycles.awk >"$p.c" ||
    ! $CC $flags -o "$p" "$p.c" "$dir/ends.o" >"$dir/log" 2>&1; then
    leave "$CC refuses the programs: $(head -n 1 "$dir/log")"
fi

# cc's own choice for one file must hold, too.
try() { # SET
    "$bursty" place --built --set "$1" "$p" >"$dir/said" 2>&1
    status=$?
    if ! grep -q '^holds' "$dir/said"; then
        fail "$what, $1: does not hold (status $status): $(head -n 5 "$dir/said")"
        return
    fi
    "$bursty" place --prove --set "$1" "$p" >"$dir/proof" 2>&1
    proof=$?
    sh -c '"$0" >/dev/null 2>&1; exit $?' "$p" >/dev/null 2>&1
    status=$?
    if [ $status = 0 ]; then pass; else fail "$what, $1: a false verdict (status $status)"; fi
    # The machine code of the same program. A loop that counts in a way of its own may be refused.
    case $machine in *x86_64*) ;; *) return ;; esac
    tried=$((tried + 1)) refused=$((refused + (proof == 1)))
    if [ $proof = 0 ] && [ $status != 0 ]; then fail "$what, $1: a false proof"
    elif [ $proof -gt 1 ]; then fail "$what, $1: $(cat "$dir/proof")"; else pass; fi
}

for seed in $list; do
    tame=$((seed % 2))
    what="seed=$seed tame=$tame"
    if [ $tame = 1 ]; then loops=L4; set=Q; else loops=all; set=EC+L0+bounded+always; fi
    awk -v seed=$seed -v tame=$tame -f tests/place/random_cycles.awk >"$p.c"
    "$bursty" cc --no-runtime --loops=$loops -- $CC $flags -o "$p" "$p.c" "$dir/ends.o" >"$dir/log" 2>&1 ||
        fail "$what: $(head -n 3 "$dir/log")"
    try $set
    "$bursty" place --set $set -o "$dir/plan" "$p" >"$dir/said" 2>&1 || fail "$what: $(cat "$dir/said")"
    "$bursty" cc --no-runtime --plan="$dir/plan" -- $CC $flags -o "$p" "$p.c" "$dir/ends.o" >"$dir/log" 2>&1 ||
        fail "$what: $(head -n 3 "$dir/log")"
    try $set
done
if [ $((refused * 10)) -le $tried ]; then pass
else fail "$refused of $tried programs whose graph holds were not proved"; fi

finish
