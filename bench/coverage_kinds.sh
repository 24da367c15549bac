#!/bin/sh
# coverage_kinds.sh [PROGRAM ...] - how often intervals hold the truth where it is known by
# construction: bench/coverage_kinds.c's programs, SEEDS (40) times each. tails (Pareto's lengths,
# 9900:100), phases, forks (100 children, merged), pool (threads that steal tasks), game50 to
# game144 (so many frames a second), idle (10 threads, one sleeps), waits (threads that sleep and
# want a lock), lines, and blocks (footprints of bursts beside those of all). Times are by timers,
# by looks at random moments (config.watch = 2), of waits by the watcher, of games and lines from
# outside (bursty record). kernel is bench/record_kernel.c, which knows how much of its time is in
# the kernel. Prints the second table of docs/intervals.md, and of games that of docs/ticks.md.
#
#     sh bench/coverage_kinds.sh             SEEDS=10 sh bench/coverage_kinds.sh forks pool: less
#
# Threads that look have the processor at once where the system lets them have it: root's do.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$BUILD/bench/coverage_kinds
seeds=${SEEDS:-40}
mkdir -p "$work" || exit 2
[ -x "$BUILD/bursty" ] || make -s tools || exit 2
"${CC:-gcc}" -O2 -g -I. -o "$work/kinds" bench/coverage_kinds.c -lm -lpthread || exit 2
"${CC:-gcc}" -O1 -g -pthread -o "$work/kernel" bench/record_kernel.c || exit 2

run() { # PROGRAM SEED WATCH NAME
    if [ "$1" = kernel ]; then # 20, 40 or 60 % of its time, in 1, 2 or 4 threads
        "$BUILD/bursty" record --time --quiet -o "$work/$4.brst" -- \
            "$work/kernel" long $((20 + $2 % 3 * 20)) $((1 << $2 / 3 % 3)) 500 >"$work/said" ||
            exit 2
        sed 's/\([^ ]*\).*/kernel,(kernel),\1,0/' "$work/said" >"$work/$4.truth"
    elif [ "$3" = 9 ]; then # `bursty record` writes the file, and the program another one
        way=--time
        [ "$1" = lines ] && way=--lines
        "$BUILD/bursty" record $way --quiet -o "$work/$4.brst" -- \
            "$work/kinds" "$1" "$2" 9 "$work/own.brst" >"$work/$4.truth" || exit 2
    else "$work/kinds" "$1" "$2" "$3" "$work/$4.brst" >"$work/$4.truth" || exit 2; fi
    if [ "$1" = forks ]; then
        "$BUILD/bursty" merge -o "$work/$4.brst" "$work/$4.brst".* || exit 2
        rm -f "$work/$4.brst".*
    fi
    "$BUILD/bursty" report --csv --min 0 "$work/$4.brst" >"$work/$4.csv" || exit 2
    [ "$1" = blocks ] || return 0
    "$BUILD/bursty" report --csv "$work/$4.brst.whole" |
        awk -F, '/^# / { table = substr($0, 3); sub(/:.*/, "", table) }
            table == "windows" { print table "," $1 "," $7 ",0" }
            table == "misses" { print table "," $1 "," $2 ",0" }' |
        grep '^[a-z]*,[0-9]' >"$work/$4.truth"
}

judge() { # KIND TITLE NAME
    kind=$1 title=$2 name=$3
    set --
    for seed in $(seq "$seeds"); do set -- "$@" "$work/$name-$seed.truth" "$work/$name-$seed.csv"; done
    python3 bench/coverage_kinds.py "$kind" "$title" "$@"
}

# Four seeds' dumps as one, which is judged by the sums of what the four say.
merge() { # NAME
    seed=1
    while [ $((seed + 3)) -le "$seeds" ]; do
        to=$work/$1-merged-$(((seed + 3) / 4))
        set -- "$1" "$work/$1-$seed" "$work/$1-$((seed + 1))" "$work/$1-$((seed + 2))" \
            "$work/$1-$((seed + 3))"
        "$BUILD/bursty" merge -o "$to.brst" "$2.brst" "$3.brst" "$4.brst" "$5.brst" || exit 2
        "$BUILD/bursty" report --csv --min 0 "$to.brst" >"$to.csv" || exit 2
        awk -F, '{ all[$1] += $4; sum[$1 "," $2] += $4 }
            END { for (row in sum) { table = row; sub(/,.*/, "", table)
                if (all[table]) printf "%s,%.9g,%.9g\n", row, sum[row] / all[table], sum[row] } }' \
            "$2.truth" "$3.truth" "$4.truth" "$5.truth" >"$to.truth"
        seed=$((seed + 4))
    done
}

echo "$seeds seeds, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
echo '| kind | program | hold the truth | width | upper bounds alone | none |'
echo '|---|---|---|---|---|---|'
programs='tails phases forks pool game50 game60 game100 game144 idle waits lines kernel blocks'
for program in ${*:-$programs}; do
    case $program in
    tails|phases|forks)
        for seed in $(seq "$seeds"); do run "$program" "$seed" 0 "$program-$seed"; done
        for kind in functions counts; do judge $kind "$program" "$program"; done
        [ "$program" = forks ] && continue
        for kind in trips pairs contexts; do judge $kind "$program" "$program"; done
        merge "$program"
        all=$seeds seeds=$((seeds / 4))
        for kind in functions counts pairs contexts; do
            judge $kind "$program, four runs merged" "$program-merged"
        done
        seeds=$all
        set --
        for seed in $(seq 2 "$seeds"); do
            old=$work/$program-$((seed - 1)) new=$work/$program-$seed
            "$BUILD/bursty" report --csv --min 0 --base "$old.brst" "$new.brst" >"$new.change"
            set -- "$@" "$old.truth+$new.truth" "$new.change"
        done
        python3 bench/coverage_kinds.py differences "$program" "$@" ;;
    waits)
        for seed in $(seq "$seeds"); do run waits "$seed" 1 "waits-$seed"; done
        for kind in running waiting; do judge $kind "waits, by the watcher" waits; done ;;
    blocks)
        for seed in $(seq "$seeds"); do run blocks "$seed" 0 "blocks-$seed"; done
        judge footprints blocks blocks
        judge 'cache misses' blocks blocks ;;
    lines|kernel)
        for seed in $(seq "$seeds"); do run "$program" "$seed" 9 "$program-$seed"; done
        judge "$program" "$program, from outside" "$program" ;;
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
