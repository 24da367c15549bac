#!/bin/sh
# hcct.sh - "Mining Hot Calling Contexts in Small Space" on today's programs: records Lua,
# sqlite, bzip2, cJSON and Chipmunk through -finstrument-functions, balances the recordings, replays
# them through every algorithm and writes Tables 1 and 2 and Figures 6 to 13, as tables, to
# lab/paper/hcct.md. Further traces: hcct.sh TRACE ... About five minutes. `hcct.sh
# record` only records, and prints the names of the traces.
set -e
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
src=$build/bench/src work=$build/bench/hcct_paper real=bench/real
events=${EVENTS:-12000000}
mkdir -p "$work"
sh bench/setup.sh
[ -x "$build/bursty-lab" ] || make -s "$build/bursty-lab" >&2
CC=${CC:-cc}
say() { echo "lab/paper/hcct.sh: $*" >&2; }

# NAME 'FLAGS AND FILES' 'ARGUMENTS'
record() {
    [ -s "$work/$1.trace" ] && return
    say "recording $1"
    $CC -O1 -fno-omit-frame-pointer -c -o "$work/record.o" lab/paper/hcct_record.c
    # shellcheck disable=SC2086
    $CC -w -O1 -fno-inline -fno-omit-frame-pointer -finstrument-functions -o "$work/$1" $2 \
        "$work/record.o" -lm -ldl -lpthread
    # shellcheck disable=SC2086
    HCCT_RAW=$work/raw HCCT_RAW_EVENTS=$events "$work/$1" $3 >/dev/null
    "$build/bursty-lab" calls --raw16 "$work/raw" -o "$work/$1.trace" >&2
    rm -f "$work/raw"
}
lua=$(ls "$src"/lua/src/*.c | grep -v luac.c | tr '\n' ' ')
bzip2=$(for part in blocksort huffman crctable randtable compress decompress bzlib; do
    echo "$src/bzip2/$part.c"
done | tr '\n' ' ')
chipmunk=$(ls "$src"/chipmunk/src/*.c | tr '\n' ' ')
record lua \
    "-I$src/lua/src -I$src/include -DLUA_USE_LINUX -Dluai_makeseed(L)=1u $lua" "$real/work.lua 4"
record sqlite "-I$src/sqlite -D_GNU_SOURCE $real/main_sqlite.c $src/sqlite/sqlite3.c" \
    "$real/work.sql 1"
record bzip2 "-I$src/bzip2 $real/main_bzip2.c $bzip2" "$src/sqlite/sqlite3.c 2000000 1"
record cjson "-I$src/cjson $real/main_cjson.c $src/cjson/cJSON.c" "10000 1"
record chipmunk \
    "-I$src/chipmunk/include -I$src/chipmunk/src -DNDEBUG $real/main_chipmunk.c $chipmunk" "300 800"

if [ "${1:-}" = record ]; then
    for name in lua sqlite bzip2 cjson chipmunk; do echo "$work/$name.trace"; done
    exit
fi
set -- "$work/lua.trace" "$work/sqlite.trace" "$work/bzip2.trace" "$work/cjson.trace" \
    "$work/chipmunk.trace" "$@"

# run TRACE OPTIONS...: the JSON of one replay, kept, for several tables ask the same.
run() {
    trace=$1
    shift
    file=$work/$(basename "$trace" .trace)$(echo "$*" | tr -d ' -').json
    [ -s "$file" ] && [ "$file" -nt "$build/bursty-lab" ] ||
        "$build/bursty-lab" hcct --json "$@" "$trace" >"$file" || rm -f "$file"
    cat "$file"
}
# value KEY <JSON
value() { sed -n "s|.*{\"name\":\"$1\",\"value\":\"\([^\" ]*\).*|\1|p"; }
number() { awk -v x="$1" -v f="$2" 'BEGIN { printf f, x }'; }
name() { basename "$1" .trace; }
cell() { # FORMAT KEY TRACE OPTIONS...
    format=$1 key=$2
    shift 2
    printf ' %s |' "$(number "$(run "$@" | value "$key")" "$format")"
}
head_row() {
    printf '| program |'
    for h in "$@"; do printf ' %s |' "$h"; done
    printf '\n|---|'
    for h in "$@"; do printf -- '---:|'; done
    printf '\n'
}

report() {
    cat <<END
# The paper's experiments on today's programs

Made by \`sh lab/paper/hcct.sh\`; every number comes from \`bursty-lab hcct\`. Programs: those
of bench/real, compiled with -finstrument-functions, at most $((events / 1000000)) million events each;
any others were given as recorded traces. Unless said otherwise phi = 0.0001 and epsilon = phi / 5,
as in the paper. LSS is Space-Saving (batches), BSS with the bucket list, LC Lossy Counting.
Contexts distinguish call sites.

## Table 1: call graph, call sites, calling context tree, call tree
END
    head_row 'call graph' 'call sites' 'CCT' 'call tree'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        for k in routines call_sites contexts enters; do cell %d $k "$t" --algo cct; done
        echo
    done
    printf '\n## Table 2: nodes of the HCCT (hot contexts and their callers)\n'
    head_row 'phi = 1e-3' 'phi = 1e-4' 'phi = 1e-5' 'phi = 1e-7'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        for p in 1e-3 1e-4 1e-5 1e-7; do cell %d tree_nodes "$t" --algo cct --phi $p; done
        echo
    done
    printf '\n## Figure 6: degree of overlap of the exact HCCT by phi, in percent\n'
    head_row '1e-2' '3e-3' '1e-3' '3e-4' '1e-4' '3e-5' '1e-5' '1e-6' '1e-7'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        for p in 1e-2 3e-3 1e-3 3e-4 1e-4 3e-5 1e-5 1e-6 1e-7; do
            cell %.1f overlap "$t" --algo cct --phi $p
        done
        echo
    done
    cat <<'END'

## Figure 7: weight of contexts outside the tree of LSS

In percent of the hottest context: maximum and average.

END
    head_row 'max, phi 1e-3' 'avg' 'max, phi 1e-4' 'avg' 'max, phi 1e-5' 'avg'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        for p in 1e-3 1e-4 1e-5; do
            cell %.3f max_uncovered "$t" --algo lss --phi $p
            cell %.5f avg_uncovered "$t" --algo lss --phi $p
        done
        echo
    done
    cat <<'END'

## Figure 8: the smallest tau for which hot edge coverage is 100 percent, by phi

H1 = H2 here, so it is the heaviest uncovered context over the hottest.

END
    head_row '1e-3' '1e-4' '1e-5' '1e-6'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        for p in 1e-3 1e-4 1e-5 1e-6; do
            run "$t" --algo cct --phi $p | value max_uncovered |
                awk '{ printf " %.5f |", $1 / 100 }'
        done
        echo
    done
    cat <<'END'

## Figure 9: nodes of the tree, in percent

Nodes are hot, or only callers of hot ones (cold), or false positives.

END
    head_row 'LSS hot' 'cold' 'false' 'LC hot' 'cold' 'false'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        for a in lss lc; do
            run "$t" --algo $a >"$work/now"
            awk -v n="$(value tree_nodes <"$work/now")" -v h="$(value hot_found <"$work/now")" \
                -v c="$(value tree_nodes_cold <"$work/now")" \
                -v f="$(value false_positives_possible <"$work/now")" 'BEGIN {
                if (!n) n = 1
                printf " %.1f | %.1f | %.1f |", 100 * h / n, 100 * c / n, 100 * f / n }'
        done
        echo
    done
    cat <<'END'

## Figure 10: false positives of LSS by phi / epsilon, in percent of the tree

No context is ever certain and wrong.

END
    head_row 2 3 5 10 20 50
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        for e in 5e-5 3.333333e-5 2e-5 1e-5 5e-6 2e-6; do
            run "$t" --algo lss --epsilon $e >"$work/now"
            awk -v n="$(value tree_nodes <"$work/now")" \
                -v f="$(value false_positives_possible <"$work/now")" \
                'BEGIN { printf " %.2f |", n ? 100 * f / n : 0 }'
        done
        echo
    done
    cat <<'END'

## Figure 11: error of the counters of hot contexts, in percent (average, maximum)

Space-Saving by its count (the paper), by its lower bound; Lossy Counting by its
count, which is its lower bound.

END
    head_row 'LSS avg' 'max' 'LSS lower avg' 'max' 'LC avg' 'max'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        cell %.4f avg_error "$t" --algo lss
        cell %.2f max_error "$t" --algo lss
        for a in lss lc; do
            cell %.4f avg_error_adjusted "$t" --algo $a
            cell %.2f max_error_adjusted "$t" --algo $a
        done
        echo
    done
    cat <<'END'

## Figure 12: peak memory, in percent of the full CCT

Tables for lookup are included on both sides.

END
    head_row 'CCT, MB' LSS BSS LC 'LSS, static bursts'
    for t in "$@"; do
        full=$(run "$t" --algo cct | value total_bytes)
        printf '| %s | %s |' "$(name "$t")" "$(awk -v f="$full" 'BEGIN { printf "%.1f", f / 1e6 }')"
        for o in '--algo lss' '--algo bss' '--algo lc' '--algo lss --static'; do
            # shellcheck disable=SC2086
            n=$(run "$t" $o | value total_bytes)
            awk -v f="$full" -v n="$n" 'BEGIN { printf " %.1f |", 100 * n / f }'
        done
        echo
    done
    cat <<'END'

## Figure 13: speed-up over building the full CCT

Bursts of 100 calls in 1000; adaptive ones with re-enablement of 20, 10 and 5 percent,
and without. Hot contexts found below.

END
    for a in lss lc; do
        printf '%s:\n\n' "$(echo $a | tr a-z A-Z)"
        head_row 'CCT ns' 'all calls' static 20% 10% 5% 'none'
        for t in "$@"; do
            full=$(run "$t" --algo cct | value ns_per_call)
            printf '| %s | %s |' "$(name "$t")" "$(number "$full" %.1f)"
            for m in '' --static '--adaptive 20%' '--adaptive 10%' '--adaptive 5%' \
                '--adaptive 0'; do
                # shellcheck disable=SC2086
                n=$(run "$t" --algo $a $m | value ns_per_call)
                awk -v f="$full" -v n="$n" 'BEGIN { printf " %.2f |", n ? f / n : 0 }'
            done
            echo
        done
        echo
    done
    printf 'Hot contexts found by LSS, of all hot ones:\n\n'
    head_row 'hot' 'all calls' static 20% 10% 5% 'none'
    for t in "$@"; do
        printf '| %s |' "$(name "$t")"
        cell %d hot_true "$t" --algo cct
        for m in '' --static '--adaptive 20%' '--adaptive 10%' '--adaptive 5%' '--adaptive 0'; do
            # shellcheck disable=SC2086
            cell %d hot_found "$t" --algo lss $m
        done
        echo
    done
}
say "replaying"
report "$@" >"$work/report.md"
cp "$work/report.md" lab/paper/hcct.md
say "wrote lab/paper/hcct.md"
