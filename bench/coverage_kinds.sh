#!/bin/sh
# coverage_kinds.sh [PROGRAM ...] - how often intervals hold the truth where it is known by
# construction: bench/coverage_kinds.c's programs, SEEDS (40) times each. tails (Pareto's lengths,
# 9900:100), phases, forks (100 children, merged), pool (threads that steal tasks), game50 to
# game144 (so many frames a second) and idle (10 threads, one sleeps). Times are by timers, by
# looks at random moments (config.watch = 2), and of games from outside (bursty record). Prints
# the second table of docs/intervals.md, and of games that of docs/ticks.md.
#
#     sh bench/coverage_kinds.sh             SEEDS=10 sh bench/coverage_kinds.sh forks pool: less
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$BUILD/bench/coverage_kinds
seeds=${SEEDS:-40}
mkdir -p "$work" || exit 2
[ -x "$BUILD/bursty" ] || make -s tools || exit 2
"${CC:-gcc}" -O2 -I. -o "$work/kinds" bench/coverage_kinds.c -lm -lpthread || exit 2

run() { # PROGRAM SEED WATCH NAME
    if [ "$3" = 9 ]; then # `bursty record` writes the file, and the program another one
        "$BUILD/bursty" record --time --quiet -o "$work/$4.brst" -- \
            "$work/kinds" "$1" "$2" 9 "$work/own.brst" >"$work/$4.truth" || exit 2
    else "$work/kinds" "$1" "$2" "$3" "$work/$4.brst" >"$work/$4.truth" || exit 2; fi
    if [ "$1" = forks ]; then
        "$BUILD/bursty" merge -o "$work/$4.brst" "$work/$4.brst".* || exit 2
        rm -f "$work/$4.brst".*
    fi
    "$BUILD/bursty" report --csv --min 0 "$work/$4.brst" >"$work/$4.csv" || exit 2
}

judge() { # KIND TITLE NAME
    kind=$1 title=$2 name=$3
    set --
    for seed in $(seq "$seeds"); do set -- "$@" "$work/$name-$seed.truth" "$work/$name-$seed.csv"; done
    python3 bench/coverage_kinds.py "$kind" "$title" "$@"
}

echo "$seeds seeds, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
echo '| kind | program | hold the truth | width | upper bounds alone | none |'
echo '|---|---|---|---|---|---|'
for program in ${*:-tails phases forks pool game50 game60 game100 game144 idle}; do
    case $program in
    tails|phases|forks)
        for seed in $(seq "$seeds"); do run "$program" "$seed" 0 "$program-$seed"; done
        for kind in functions counts; do judge $kind "$program" "$program"; done
        [ "$program" = forks ] && continue
        judge trips "$program" "$program"
        set --
        for seed in $(seq 2 "$seeds"); do
            old=$work/$program-$((seed - 1)) new=$work/$program-$seed
            "$BUILD/bursty" report --csv --min 0 --base "$old.brst" "$new.brst" >"$new.change"
            set -- "$@" "$old.truth+$new.truth" "$new.change"
        done
        python3 bench/coverage_kinds.py differences "$program" "$@" ;;
    *)
        for watch in 0 2 9; do
            case $watch$program in
            0*) by="by timers" ;;
            2*) by="at random moments" ;;
            9game*) by="from outside" ;;
            *) continue ;;
            esac
            for seed in $(seq "$seeds"); do run "$program" "$seed" $watch "$program-$watch-$seed"; done
            kinds='time scopes'
            case $program$watch in game*9) kinds=scopes ;; game*) kinds=time ;; esac
            for kind in $kinds; do judge $kind "$program, $by" "$program-$watch"; done
        done ;;
    esac
done
