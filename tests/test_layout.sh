#!/bin/sh
# test_layout.sh - bursty record --refs: hot streams say what data they use, and at which offset; what
# orders of fields and pools for allocation sites would save, of a program whose answer is known; and
# phases of a run, by --misses.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder layout
needs_recorder
case $($CC --version) in *clang*) leave "its figures are those of gcc's code" ;; esac
has() { # FILE PATTERN
    if grep -qE -e "$2" "$1"; then pass; else fail "no '$2' in $1: $(head -c 400 "$1")"; fi
}
hasnt() { # FILE HEADING PATTERN
    if grep -qE -e "$2" "$1" && ! grep -qE -e "$3" "$1"; then pass; else fail "'$3' in $1, or no '$2'"; fi
}
less() { # FILE TABLE LEAST MOST: of the first row
    if LC_ALL=C awk -F, -v table="$2" -v least="$3" -v most="$4" '
        /^# / { here = index($0, "# " table ":") == 1 }
        here && /^[0-9.]/ { exit !($4 >= least && $4 <= most && $5 <= $4 && $6 >= $4) }
        END { if (!NR) exit 1 }' "$1"; then pass
    else fail "$1: $2 is not $3 to $4: $(grep -A3 -e "# $2" "$1")"; fi
}
$CC -O1 -g -o nodes "$top/tests/layout/nodes.c" || exit 2
$CC -O1 -g -DORDERED -o ordered "$top/tests/layout/nodes.c" || exit 2

# ---- whole: cachegrind's misses in 32 KiB go from 278 198 to 177 882, 36.1 % less ----

./nodes 500 60 >plain
"$bursty" record --quiet --refs --every 0 -o whole.brst ./nodes 500 60 >got 2>err || fail "whole"
if cmp -s plain got && [ ! -s err ]; then pass; else fail "another output: $(cat err)"; fi
"$bursty" report --csv whole.brst >whole.csv || fail csv
less whole.csv layout_sizes .34 .38
has whole.csv '^# streams:'
has whole.csv 'heap of make_node < main( \+(0|64|120))+,.*walk\+0x[0-9a-f]+ \((.*/)?nodes\.c:[0-9]+\)'
"$bursty" report --layout whole.brst >whole.order || fail layout
has whole.order '^# fields of heap of make_node < main, 136 bytes: 3[4-8]\.[0-9] % fewer lines \('
check "the three fields of a walk" [ "$(sed -n '/^# fields/,$p' whole.order | sed -n '2,4s/ .*//p' | sort -n | tr '\n' ' ')" = "0 64 120 " ]
check "three words" [ "$(sed -n '/^# fields/,$p' whole.order | sed -n '2,4s/.* //p' | tr '\n' ' ')" = "0 8 16 " ]
"$bursty" report --dot whole.brst >whole.dot || fail dot
has whole.dot 'heap of make_node < main \+64'
"$bursty" report --json whole.brst >whole.json || fail json
has whole.json '"objects":\["'
has whole.json '"layout_sizes"'
"$bursty" report whole.brst >whole.txt || fail text
has whole.txt '^order of fields +heap of make_node < main, 136 bytes: 3'
"$bursty" record --quiet --refs --every 0 -o ordered.brst ./ordered 500 60 >got
"$bursty" report --csv ordered.brst >ordered.csv || fail csv
less ordered.csv layout_sizes 0 .005
"$bursty" report --layout ordered.brst >ordered.order 2>&1
hasnt ordered.order 'nothing in it can be shown as --layout' '^# fields'

# ---- merged, in bursts, and in bursts that are too short ----

"$bursty" merge -o two.brst whole.brst whole.brst || fail merge
"$bursty" report --csv two.brst >two.csv || fail csv
less two.csv layout_sizes .34 .38
"$bursty" record --quiet --refs --all-checks --every 15000 --burst 6000 -o some.brst ./nodes 500 1500 >got
"$bursty" report --csv some.brst >some.csv || fail csv
less some.csv layout_sizes .3 .42
"$bursty" record --quiet --refs --all-checks --every 3000 --burst 100 -o short.brst ./nodes 500 300 >got
"$bursty" report short.brst >short.txt || fail text
has short.txt '^orders of data +not known: no burst saw 512 different lines'
hasnt short.txt '^orders of data' 'of their fields would save'
# Without symbols there are objects, too; a program that fits has no order to gain.
"$bursty" record --quiet --refs --every 0 -o small.brst ./nodes 20 50 >got
"$bursty" report small.brst >small.txt || fail text
has small.txt '^orders of data +not known'

# ---- phases of a run, named by the functions that miss in them ----

$CC -O1 -g -o turns "$top/tests/layout/turns.c" || exit 2
phases() { # FILE: three of them, at 2/7 and 6/7 of the accesses
    if LC_ALL=C awk -F, '
        /^# / { here = /^# miss_phases:/ }
        here && /^[0-9.]/ { rows++; end[rows] = $2; ratio[rows] = $4; name[rows] = $NF }
        END {
            if (rows != 3 || name[1] !~ /walk_first 100 %/ || name[3] !~ /walk_second/) exit 1
            exit !(end[1] > .2 && end[1] < .36 && end[2] > .8 && end[2] < .9 && ratio[2] < .05)
        }' "$1"; then pass
    else fail "phases of $1: $(sed -n '/^# miss_phases/,/^$/p' "$1")"; fi
}
"$bursty" record --quiet --misses --every 0 --caches 48k -o turns.brst ./turns >got || fail "turns"
"$bursty" report --csv turns.brst >turns.csv || fail csv
phases turns.csv
"$bursty" record --quiet --misses --every 8000 --burst 3000 --caches 48k -o some.brst ./turns >got
"$bursty" report --csv some.brst >some.csv || fail csv
phases some.csv
"$bursty" merge -o two.brst turns.brst turns.brst && "$bursty" report --csv two.brst >two.csv
phases two.csv
finish
