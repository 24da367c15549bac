#!/bin/sh
# test_frames_null.sh - reports of slow frames that no function is to blame for: the first sentence
# blames one in at most one of twenty, and the table in not many more. Of 100 such reports 19 or more
# blame one with a chance of 5e-7, if one in twenty may. Seeds are fixed. And where one is to blame, the
# first sentence says so.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/frames_null
. tests/check.sh
mkdir -p "$dir"
bursty=$BUILD/bursty

$CC -O1 -I. -o "$dir/game" tests/make_frame_seeds.c -lm -lpthread
ok $? "the game"

# KIND FRAMES SEEDS: how many first sentences, and how many tables, have a function
play() {
    $RUN "$dir/game" "$dir" "$1" "$2" "$3" || return
    heads=0 tables=0 said=0
    for seed in $(seq 1 "$3"); do
        "$bursty" report "$dir/$1$seed.brst" >"$dir/report.txt" || return
        sed -n '2,/^$/p' "$dir/report.txt" | tr '\n' ' ' >"$dir/head.txt"
        grep -q 'frames are slow' "$dir/head.txt" && said=$((said + 1))
        grep -qE "($4) \+[0-9.]+ ms .*in slow ones" "$dir/head.txt" && heads=$((heads + 1))
        sed -n '/^what slow frames do more/,/^the slowest/p' "$dir/report.txt" |
            grep -qE "^ *-?[0-9.].* ($4) " && tables=$((tables + 1))
    done
    [ "$said" = "$3" ]
}

play alike 3000 100 'part[0-9]*'
ok $? "100 games of 40 functions"
[ "$heads" -lt 19 ] && [ "$tables" -lt 19 ]
ok $? "blamed by chance: $heads in the first sentence, $tables in the table"
play drift 20000 100 drift
ok $? "100 games of a function that drifts"
[ "$heads" -lt 19 ] && [ "$tables" -lt 19 ]
ok $? "blamed for its drift: $heads in the first sentence, $tables in the table"
play cause 20000 20 collect
ok $? "20 games with a cause"
[ "$heads" = 20 ] && [ "$tables" = 20 ]
ok $? "the cause is named: $heads times in the first sentence, $tables times in the table"

finish
