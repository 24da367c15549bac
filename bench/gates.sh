#!/bin/sh
# gates.sh [QUESTION ...] - how often a gate or the first sentence of slow frames finds what is not
# there, and how often what is: RUNS (200) comparisons, or reports, each. Prints the table of
# docs/intervals.md.
#
#     calls    --base OLD --fail-if 'calls:*>+0%' of a program with itself, and with one whose
#              function f1 is called 5 to 50 % more often (bench/coverage_kinds.c: tails, runs of
#              Pareto's lengths at 9900:100; phases, at 990:10)
#     time     the same of 'self:*>+0%' and ticks by timers (pool)
#     frames   reports of tests/make_frame_seeds.c: 40 functions that are all innocent, one that
#              drifts, and one that takes .5 to 3 ms more in slow frames
#
#     sh bench/gates.sh            RUNS=20 sh bench/gates.sh frames: less
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$BUILD/bench/gates
runs=${RUNS:-200}
mkdir -p "$work" || exit 2
[ -x "$BUILD/bursty" ] || make -s tools || exit 2
"${CC:-gcc}" -O2 -I. -o "$work/kinds" bench/coverage_kinds.c -lm -lpthread || exit 2
"${CC:-gcc}" -O1 -I. -o "$work/frames" tests/make_frame_seeds.c -lm -lpthread || exit 2

play() { "$work/kinds" "$1" "$2:7" 0 "$3" >"$work/truth" || exit 2; } # PROGRAM SEED FILE

# Two seeds of one program, or of two, which do the same in each run.
gate() { # CONDITION OLD NEW
    found=0 named=0 seed=0
    while [ $((seed += 1)) -le "$runs" ]; do
        play "$2" "$seed" "$work/old.brst"
        play "$3" $((seed + 1000)) "$work/new.brst"
        "$BUILD/bursty" report --fail-if "$1" --base "$work/old.brst" "$work/new.brst" \
            >"$work/said" 2>&1
        case $? in
        0) ;;
        3) found=$((found + 1)) ;;
        *) cat "$work/said"; exit 2 ;;
        esac
        "$BUILD/bursty" report --csv --base "$work/old.brst" "$work/new.brst" 2>&1 |
            awk -F, '/^# / { here = /^# call_changes/ } here && $1 == "more" && /,f1,/' |
            grep -q . && named=$((named + 1))
    done
    echo "| \`$1\` | $2, then $3 | $found of $runs | $named |"
}

frames() { # KIND FRAMES FUNCTIONS
    "$work/frames" "$work" "$1" "$2" "$runs" || exit 2
    first=0 table=0 seed=0
    while [ $((seed += 1)) -le "$runs" ]; do
        "$BUILD/bursty" report "$work/$1$seed.brst" >"$work/said" || exit 2
        sed -n '2,/^$/p' "$work/said" | tr '\n' ' ' |
            grep -qE "($3) \+[0-9.]+ ms .*in slow ones" && first=$((first + 1))
        sed -n '/^what slow frames do more/,/^the slowest/p' "$work/said" |
            grep -qE "^ *-?[0-9.].* ($3) " && table=$((table + 1))
        rm -f "$work/$1$seed.brst"
    done
    echo "| slow frames | $1, $2 frames | $first of $runs | $table |"
}

echo "$runs runs each, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
echo '| question | program | gate fails, or first sentence names it | row of its own |'
echo '|---|---|---|---|'
for question in ${*:-calls time frames}; do
    case $question in
    calls)
        gate 'calls:*>+0%' tails tails
        gate 'calls:*>+0%' phases phases
        for more in 5 10 20 50; do gate 'calls:*>+0%' tails "tails+$more"; done ;;
    time) gate 'self:*>+0%' pool pool ;;
    frames)
        frames alike 3000 'part[0-9]*'
        frames drift 20000 drift
        for ms in .5 1 2 3; do frames "cause$ms" 20000 collect; done ;;
    *) echo "gates.sh: no question $question" >&2; exit 2 ;;
    esac
done
