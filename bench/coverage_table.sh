#!/bin/sh
# coverage_table.sh [PROGRAM ...] - how often intervals hold the truth, and how wide they are, by kind:
# functions, counts, pairs and contexts at two rates, all of four runs merged, time by ticks, and misses.
# Then how often a gate (--base, --fail-if) finds a change where there is none. Six programs as Debian has
# them (glpk-utils, minisat, bison, tidy, flac, optipng) are recorded in whole and then SEEDS (20) times.
# Prints the table of docs/intervals.md.
#
#     sh bench/coverage_table.sh            SEEDS=100 KINDS=calls sh bench/coverage_table.sh tidy flac
#
# KINDS is one or more of: calls contexts merged time misses null. RATES: 990:10 9900:100.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
judge=$PWD/bench/coverage_table.py
png=$PWD/docs/report.png
out=$build/bench/coverage_table
bursty=$build/bursty
seeds=${SEEDS:-20}
kinds=${KINDS:-calls contexts merged time misses null}
rates=${RATES:-990:10 9900:100}
mkdir -p "$out" && cd "$out" || exit 2

# A linear program, a random formula near the threshold, a grammar with conflicts, tables that nobody
# closed: the same in each run.
[ -f lp.lp ] || awk 'BEGIN {
    n = 500
    print "Maximize\n obj:"
    for (i = 1; i <= n; i++) printf " + %d x%d%s", 5 + (i * 7919) % 23, i, i % 8 ? "" : "\n"
    print "\nSubject To"
    for (k = 1; k <= 260; k++) {
        printf " c%d:", k
        for (i = 1 + k % 3; i <= n; i += 2 + (i * k) % 5)
            printf " + %d x%d%s", 1 + (i * k * 31) % 17, i, i % 9 ? "" : "\n"
        printf " <= %d\n", 400 + (k * 97) % 300
    }
    print "Bounds"
    for (i = 1; i <= n; i++) printf " 0 <= x%d <= 9\n", i
    print "End"
}' >lp.lp
[ -f sat.cnf ] || awk 'BEGIN {
    n = 180; m = 780; s = 12345
    print "p cnf", n, m
    for (k = 0; k < m; k++) {
        for (j = 0; j < 3; j++) {
            s = (s * 16807) % 2147483647
            v = s % n + 1
            s = (s * 16807) % 2147483647
            printf "%s%d ", s % 2 ? "" : "-", v
        }
        print 0
    }
}' >sat.cnf
[ -f g.y ] || awk 'BEGIN {
    q = "\047"
    print "%token ID NUM"
    for (i = 0; i < 60; i++) print "%left OP" i
    print "%%\nprogram: stmt | program stmt;"
    for (i = 0; i < 120; i++)
        print "s" i ": ID " q "=" q " e" i % 7 " | " q "{" q " s" i " " q "}" q " | ID s" (i + 1) % 120 ";"
    printf "stmt: s0"
    for (i = 1; i < 120; i += 3) printf " | s%d", i
    print ";"
    for (i = 0; i < 7; i++) {
        printf "e%d: NUM | ID | ID e%d", i, (i + 1) % 7
        for (k = i; k < 60; k += 7) printf " | e%d OP%d e%d", i, k, i
        print ";"
    }
    print "%%"
}' >g.y
[ -f t.html ] || awk 'BEGIN {
    print "<html><head><title>t</title><body>"
    for (i = 0; i < 900; i++) {
        printf "<table><tr><td>cell %d<b>bold<i>it</b></i><td><a href=x%d.html>l &amp; m</a>", i, i
        printf "<ul><li>a<li>b %d", i * i
        if (i % 3 == 0) printf "<p>para <font color=red>x</font>"
        print "</table>"
    }
}' >t.html
[ -f raw.bin ] || awk 'BEGIN {
    for (i = 0; i < 1000000; i++) { s = (s * 16807 + 12345) % 2147483647; printf "%c%c", 65 + s % 9, 70 + sin(i / 50) * 6 }
}' >raw.bin

command_of() { # PROGRAM
    case $1 in
    glpsol)  echo "glpsol --lp lp.lp" ;;
    minisat) echo "minisat sat.cnf" ;;
    bison)   echo "bison -o g.c g.y" ;;
    tidy)    echo "tidy -q -o t2.html t.html" ;;
    flac)    echo "flac -s -f --force-raw-format --endian=little --channels=2 --bps=16" \
                  "--sample-rate=44100 --sign=signed -5 -o r.flac raw.bin" ;;
    optipng) echo "optipng -q -o1 -force -clobber -out p2.png $png" ;;
    *)       echo "coverage_table.sh: no program $1" >&2; return 1 ;;
    esac
}

# Where a stack lies modulo 64 decides which of its variables share a line of the cache, and that has
# been a third of a function's misses. So nothing is random, and every run has an environment of the
# same size, with all that the recorder puts there.
still="setarch -R"
$still true 2>errors || { echo "setarch -R: not here, so each run has its own truth" >&2; still=; }

run() { # PROGRAM NAME OPTIONS...
    command=$(command_of "$1") name=$2
    shift 2
    PAD=
    export PAD
    case $* in
    *--time*) ;;
    *)  size=$("$bursty" record --quiet "$@" -o now.brst -- env 2>errors | wc -c)
        PAD=$(printf '%*s' $((8000 - size)) '') ;;
    esac
    # shellcheck disable=SC2086
    $still "$bursty" record --quiet "$@" -o now.brst -- $command >output 2>errors </dev/null
    [ -s now.brst ] || { cat errors; exit 2; }
    mv now.brst "$name.brst"
    "$bursty" report --csv --min 0 "$name.brst" >"$name.csv" || exit 2
}

# Records all programs in whole, unless TRUTH is "-", and in samples.
record() { # NAME TRUTH-OPTIONS SAMPLE-OPTIONS
    for program in $programs; do
        # shellcheck disable=SC2086
        [ "$2" = - ] || run "$program" "$program-$1-all" $2
        seed=1
        while [ $seed -le "$seeds" ]; do
            # shellcheck disable=SC2086
            case $3 in # looks from outside draw a seed of their own, and --seed would put checks in
            --time) run "$program" "$program-$1-$seed" $3 ;;
            *)  run "$program" "$program-$1-$seed" $3 --seed $seed ;;
            esac
            seed=$((seed + 1))
        done
    done
}

tell() { # KIND TITLE TRUTH-NAME OR "-" SAMPLES-NAME
    kind=$1 title=$2 whole=$3 name=$4
    set --
    for program in $programs; do
        if [ "$whole" = - ]; then set -- "$@" -- "$program" -
        else set -- "$@" -- "$program" "$program-$whole-all.csv"; fi
        for file in "$program-$name"-[0-9]*.csv; do
            [ -f "$file" ] && set -- "$@" "$file"
        done
    done
    python3 "$judge" "$kind" "$title" "$@"
}

# The dumps of four seeds as one.
merge() { # NAME
    for program in $programs; do
        seed=1
        while [ $((seed + 3)) -le "$seeds" ]; do
            "$bursty" merge -o merged.brst "$program-$1-$seed.brst" "$program-$1-$((seed + 1)).brst" \
                "$program-$1-$((seed + 2)).brst" "$program-$1-$((seed + 3)).brst" || exit 2
            "$bursty" report --csv --min 0 merged.brst >"$program-merged-$1-$seed.csv" || exit 2
            seed=$((seed + 4))
        done
    done
}

# Each seed beside the next one: how often the gate fails, and how often an interval of a difference
# leaves out 0.
null() { # NAME TITLE
    failed=0 compared=0
    for program in $programs; do
        seed=1
        while [ $((seed + 1)) -le "$seeds" ]; do
            "$bursty" report --fail-if 'calls:*>+0%' --base "$program-$1-$seed.brst" \
                "$program-$1-$((seed + 1)).brst" >gate 2>errors
            case $? in
            0) ;;
            3) failed=$((failed + 1)) ;;
            *) cat errors; exit 2 ;;
            esac
            compared=$((compared + 1))
            seed=$((seed + 2))
        done
    done
    echo "gate over $2: $failed of $compared comparisons of a program with itself fail"
}

has() { case " $kinds " in *" $1 "*) ;; *) false ;; esac }

programs=
for program in ${*:-glpsol minisat bison tidy flac optipng}; do
    command_of "$program" >/dev/null || exit 2
    if command -v "$program" >/dev/null; then programs="$programs $program"
    else echo "$program: not installed" >&2; fi
done
[ "$programs" ] || exit 2

echo "$seeds seeds, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
echo '| kind | of | hold the truth | least | width | upper bounds alone | none |'
echo '|---|---|---|---|---|---|---|'
for rate in $rates; do
    bursts="--every ${rate%:*} --burst ${rate#*:}"
    if has calls || has merged || has null; then
        record "calls-${rate%:*}" '--profile pairs --every 0 --boring 4' "--profile pairs $bursts"
    fi
    if has calls; then
        for kind in functions counts pairs; do tell $kind $rate "calls-${rate%:*}" "calls-${rate%:*}"; done
    fi
    if has merged; then
        merge "calls-${rate%:*}"
        tell functions "$rate, four runs merged" "calls-${rate%:*}" "merged-calls-${rate%:*}"
        tell pairs "$rate, four runs merged" "calls-${rate%:*}" "merged-calls-${rate%:*}"
    fi
    has contexts || continue
    record "contexts-${rate%:*}" '--profile hcct --every 0 --boring 4' "--profile hcct $bursts"
    for kind in contexts 'contexts by function' 'with callees' 'contexts by pair'; do
        tell "$kind" $rate "contexts-${rate%:*}" "contexts-${rate%:*}"
    done
done
if has time; then
    record time - --time
    for kind in time 'time with callees' 'callers of time'; do tell "$kind" ticks - time; done
fi
if has misses; then
    record misses '--misses --every 0' '--misses --every 100000 --burst 10000'
    for kind in 'misses by function' 'misses by object'; do
        tell "$kind" 100000:10000 misses misses
    done
fi
has null || exit 0
echo
for rate in $rates; do null "calls-${rate%:*}" $rate; done
