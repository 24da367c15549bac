#!/bin/sh
# test_place_cycles.sh - programs with a cycle that is hard to read (tests/place/cycles): what bursty
# place says of each, and what happens when it runs. The first line of a program has the verdict and
# the outcome:
#
#     holds       every cycle of the graph that was read passes a check
#     but         the same, but for what is named
#     open        NOT proved
#
#     checked     the hundredth check ended it        unchecked     an alarm or its stack did
#     ends        it came to its end
#
# Whatever the line says: one that "holds" must not run unchecked. Loops of all lengths get a check
# here, so that none is excused for calling nothing.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build}
CC=${CC:-cc}
dir=$BUILD/tests/place_cycles
rm -rf "$dir"
mkdir -p "$dir/tmp" || exit 2
export TMPDIR=$dir/tmp BURSTY_CACHE=$dir/../cc_runtime
bursty=$BUILD/bursty
ulimit -s 4096 2>/dev/null
ulimit -c 0 2>/dev/null
machine=$($CC -dumpmachine 2>/dev/null)

flags='-std=gnu2x -w -O0'
needs_programs "$dir"
$CC $flags -c -o "$dir/ends.o" tests/place/ends.c 2>"$dir/log" ||
    leave "$CC refuses the programs: $(head -n 1 "$dir/log")"

# What the machine code says of the same program: never "proved" where it runs unchecked, and always
# where the graph holds. It names less: assembly is code, too.
try_proof() { # PROGRAM
    case $machine in *x86_64*) ;; *) return ;; esac
    case $(head -n 1 "$at.proof") in
    "proved on the machine code: "*) proof=proved ;;
    "proved on the machine code, but"*) proof=but ;;
    "NOT proved"*) proof=open ;;
    *) proof="$(head -n 1 "$at.proof")" ;;
    esac
    if [ "$proof" = proved ] && [ $outcome = unchecked ]; then fail "$1: a false proof"
    elif [ "$proof" != proved ] && [ $outcome != unchecked ]; then fail "$1: no proof: $(cat "$at.proof")"
    else pass; fi
}

try() { # PROGRAM SET VERDICT OUTCOME
    at=$dir/$1
    "$bursty" place --set "$2" -o "$at.plan" "$at.first" >"$at.said" 2>&1
    if ! "$bursty" cc --no-runtime --loops=all --plan="$at.plan" -- $CC $flags -o "$at.next" \
        "tests/place/cycles/$1.c" "$dir/ends.o" >"$at.log" 2>&1; then
        fail "$1: $(head -n 1 "$at.log")"
        return
    fi
    "$bursty" place --built --set "$2" "$at.next" >"$at.said" 2>&1
    case $(grep -E '^(holds|NOT)' "$at.said") in
    'holds on the graph that was read: '*) verdict=holds ;;
    'holds on the graph that was read, but'*) verdict=but ;;
    'NOT proved'*) verdict=open ;;
    *) verdict="$(head -n 1 "$at.said")" ;;
    esac
    "$bursty" place --prove --set "$2" "$at.next" >"$at.proof" 2>&1
    # A shell of its own keeps the report of a killed program to itself.
    sh -c '"$0" >/dev/null 2>&1; exit $?' "$at.next" >/dev/null 2>&1
    status=$?
    case $status in
    42) outcome=checked ;;
    13[0-9]|14[0-9]|155) outcome=unchecked ;;
    *) outcome=ends ;;
    esac
    if [ $2 != Q ]; then try_proof "$1"; fi
    if [ $verdict = holds ] && [ $outcome = unchecked ]; then fail "$1 with $2: a false verdict"
    elif [ "$verdict, $outcome" = "$3, $4" ]; then pass
    else fail "$1 with $2: $verdict, $outcome ($status), not $3, $4: $(cat "$at.said")"; fi
}

for file in tests/place/cycles/*.c; do
    name=$(basename "$file" .c)
    read -r _ verdict outcome _ <"$file"
    verdict=${verdict%,} outcome=${outcome%:}
    if ! "$bursty" cc --no-runtime -- $CC $flags -o "$dir/$name.first" "$file" "$dir/ends.o" >"$dir/log" 2>&1; then
        if $CC $flags -o "$dir/$name.plain" "$file" >"$dir/plain.log" 2>&1; then
            fail "$name: $(head -n 1 "$dir/log")"
        else
            skip "$name: $(head -n 1 "$dir/plain.log")"
        fi
        continue
    fi
    try "$name" EC+L0+bounded+always "$verdict" "$outcome"
    case $name in
    through_*|as_*|cast_*|named_*|called_*) try "$name" Q "$verdict" "$outcome" ;;
    esac
done

finish
