#!/bin/sh
# test_lab_edges.sh - bursty-lab edges: small graphs whose answers are known, broken files,
# and the recorded programs in the folder BURSTY_CFG (plain text files), if there is one.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build}
lab=$BUILD/bursty-lab
dir=$BUILD/tests/lab_edges
rm -rf "$dir"
mkdir -p "$dir" || exit 2
replay() { "$lab" edges --json "$@" >"$dir/out" 2>"$dir/err"; }
has() { # KEY VALUE
    if grep -q "\"$1\":$2[,}]" "$dir/out"; then
        pass
    else
        fail "$what: no $1 $2: $(cat "$dir/out" "$dir/err")"
    fi
}
runs() { # ARGUMENT...
    what="$*"
    if replay "$@"; then
        pass
    else fail "$what: $(cat "$dir/err")"; fi
}
refuses() { # PATTERN ARGUMENT...: status 2, one line, nothing printed
    pattern=$1
    shift
    replay "$@"
    if [ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
        grep -q "$pattern" "$dir/err"; then
        pass
    else
        fail "not refused with '$pattern': $*: $(cat "$dir/err")"
    fi
}

# ---- what is known ----

for problem in eprof vprof-e vprof-v; do
    for weights in heuristic exact tests/cfg/L_small.txt; do
        runs --problem $problem --weights $weights tests/cfg/L_small.txt
        has functions 3
        has exact_functions 3
        has edges 18
        has counters_minimum 8
        has blocks 38
        for kind in S G; do
            runs --problem $problem --weights $weights tests/cfg/${kind}_small.txt
            case $kind in
            S)
                has exact_functions 2
                has edges 8
                ;;
            G)
                has exact_functions 1
                has gcov_updates 18
                ;;
            esac
        done
    done
done
runs tests/cfg/L_small.txt
has counters 8
has regenerated_blocks null
has weighed_by_counts 0
runs --weights tests/cfg/L_small.txt tests/cfg/L_small.txt
has weighed_by_counts 3
exact=$(sed 's/.*"updates":\([0-9]*\).*/\1/' "$dir/out")
runs --minimum --weights exact tests/cfg/L_small.txt
worst=$(sed 's/.*"updates":\([0-9]*\).*/\1/' "$dir/out")
if [ "$exact" -lt "$worst" ]; then
    pass
else
    fail "the maximum tree is no better than the minimum tree"
fi
runs --problem trace tests/cfg/T_small.txt
has blocks 38
has regenerated_blocks 38
has regeneration_mismatches 0
has resumes 1
has enters 1
has unmatched_blocks 0
runs --problem bits tests/cfg/T_small.txt
has regenerated_blocks 38
has regeneration_mismatches 0
for problem in trace bits; do
    runs --problem $problem tests/cfg/L_small.txt
    has exact_functions null
done
"$lab" edges - <tests/cfg/L_small.txt >"$dir/out" 2>&1
if grep -q '^exact_functions  *3$' "$dir/out"; then
    pass
else fail "standard input"; fi

# A trace may be cut anywhere: no wrong block.
size=$(wc -c <tests/cfg/T_small.txt) at=120 bad=0
cp tests/cfg/L_small.txt "$dir/L_cut.txt"
while [ $at -lt "$size" ]; do
    head -c $at tests/cfg/T_small.txt | sed '$s/[^ ]*$//; $s/ J *$//' >"$dir/T_cut.txt"
    for problem in trace bits; do
        replay --problem $problem "$dir/T_cut.txt" || bad=$((bad + 1))
        grep -q '"regeneration_mismatches":0,' "$dir/out" || bad=$((bad + 1))
    done
    at=$((at + 7))
done
if [ $bad = 0 ]; then
    pass
else fail "$bad cut traces gave wrong blocks"; fi

# ---- what is broken ----

broken() { # PATTERN LINE...
    pattern=$1
    shift
    printf '%s\n' "$@" >"$dir/broken.txt"
    refuses "broken.txt:$pattern" "$dir/broken.txt"
}
broken '1: no function'
broken '2: a line before the first F' '# nothing' 'E 0 1 2'
broken '1: F needs 3, 5 or 6 words' 'F 0 f'
broken '1: the number of vertices' 'F 0 f many'
broken '1: the number of vertices' 'F 0 f 99999999999999999999'
broken '1: more vertices than the file' 'F 0 f 100000'
broken '1: root or EXIT' 'F 0 f 3 0 0'
broken '4: F of another kind' 'F 0 f 1' 'B 0 1 0 0 a.c:1 -' 'E 0 X 1' 'F 0 f 3 0 1'
broken '3: the function before this line has too few' 'F 0 f 2' 'B 0 1 0 0 a.c:1 -' 'F 1 g 1'
broken '2: blocks are numbered' 'F 0 f 2' 'B 1 1 0 0 a.c:1 -'
broken '3: blocks are numbered' 'F 0 f 2' 'B 0 1 0 0 a.c:1 -' 'B 0 1 0 0 a.c:1 -'
broken '2: B needs three counts' 'F 0 f 1' 'B 0 1 0'
broken '2: B needs three counts' 'F 0 f 1' 'B 0 18446744073709551616 0 0 a.c:1 -'
broken '2: the list of calls' 'F 0 f 1' 'B 0 1 0 0 a.c:1 1,,2'
broken '2: the list of calls' 'F 0 f 1' 'B 0 1 0 0 a.c:1 - more'
broken '3: the target of the edge' 'F 0 f 1' 'B 0 1 0 0 a.c:1 -' 'E 0 1 1'
broken '3: the source of the edge' 'F 0 f 1' 'B 0 1 0 0 a.c:1 -' 'E 7 X 1'
broken '3: the edge needs one count' 'F 0 f 1' 'B 0 1 0 0 a.c:1 -' 'E 0 X -1'
broken '2: no line of this file' 'F 0 f 1' 'Z 1'
broken '4: another function has this number' 'F 0 f 1' 'B 0 1 0 0 a.c:1 -' 'E 0 X 1' 'F 0 g 1' \
    'B 0 1 0 0 a.c:1 -' 'E 0 X 1'
broken '2: the arc needs' 'F 0 f 3 1 1 1' 'A 0 2 9 1'
broken '2: N must lead to EXIT' 'F 0 f 3 0 2' 'N 1 0'
broken '3: this vertex has a line' 'F 0 f 3 0 2' 'V 1 a.c:1' 'V 1 a.c:1'
broken '5: a block that no path' 'F 0 f 2' 'B 0 1 0 0 a.c:1 -' 'B 1 1 0 0 a.c:1 -' 'E 0 X 1' \
    'E 1 X 1'
refuses 'no-such-file' no-such-file
cp tests/cfg/T_small.txt "$dir/T_alone.txt"
refuses 'L_alone.txt' "$dir/T_alone.txt"
cp tests/cfg/T_small.txt "$dir/trace.txt"
refuses 'must be called T_' "$dir/trace.txt"
for events in '12.0 12.2 10.0 X 12.3' '12.0 12.3' '12.0 R' '12.9' '99.0' '12.0 X X' '12.0 10.1' \
    '12.0 N 12.1' 'R' '12.0 J 10.1'; do
    echo "$events" >"$dir/T_cut.txt"
    refuses 'T_cut.txt:1: ' "$dir/T_cut.txt"
done
refuses 'no option' --nonsense tests/cfg/L_small.txt
refuses 'is not valid' --problem nonsense tests/cfg/L_small.txt
refuses 'needs a value' tests/cfg/L_small.txt --weights
refuses 'edges: no input: give CFG' --problem eprof
refuses 'one file at a time' tests/cfg/L_small.txt tests/cfg/S_small.txt

# ---- recorded programs ----

recorded() { # FILE PROBLEM WEIGHTS KEY VALUE
    if [ ! -f "$BURSTY_CFG/$1" ]; then
        skip "no $1 in BURSTY_CFG"
        return
    fi
    runs --problem "$2" --weights "$3" "$BURSTY_CFG/$1"
    has "$4" "$5"
    if grep -q '"exact_functions":null' "$dir/out"; then return; fi
    all=$(sed 's/.*"functions":\([0-9]*\),"exact_functions":\([0-9]*\),.*/\1 \2/' "$dir/out")
    if [ "${all% *}" = "${all#* }" ]; then
        pass
    else fail "$1 $2: exact $all"; fi
}
if [ -n "${BURSTY_CFG-}" ]; then
    for problem in eprof vprof-e vprof-v; do
        recorded L_bzd_O0.txt $problem heuristic counters 1482
        recorded L_lua_O0.txt $problem heuristic counters 4562
        recorded S_bzc.txt $problem heuristic counters 1411
        recorded G_bzd_O0.txt $problem heuristic counters 1487
    done
    recorded L_bzd_O0.txt eprof heuristic updates 8846179
    recorded L_bzd_O0.txt eprof exact updates_per_block 0.158842
    recorded L_lua_O0.txt eprof heuristic updates 2994234
    recorded L_lua_O0.txt trace heuristic counters 4636
    recorded S_bzc.txt eprof heuristic updates 24734261
    recorded G_bzd_O0.txt eprof heuristic updates 8291095
    recorded G_bzd_O0.txt eprof heuristic gcov_updates 16105942
    recorded T_bzd_O0.txt trace heuristic regenerated_blocks 149961
    recorded T_bzd_O0.txt trace heuristic regeneration_mismatches 0
    recorded T_bzd_O0.txt trace heuristic updates 17013
    recorded T_bzd_O0.txt bits heuristic regenerated_blocks 149970
else
    skip "recorded programs: BURSTY_CFG names no folder"
fi

finish
