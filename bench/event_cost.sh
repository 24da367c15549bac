#!/bin/sh
# event_cost.sh - instructions of one check or event in a burst, by form: callgrind's, of 100 bursts
# of 100 checks less those of 100 bursts of 50, over 5000. What stands behind a check is what it
# adds to the check. Prints the table of docs/by-hand.md.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
mkdir -p "$build" || exit 2
${CC:-cc} -std=gnu99 -O2 -I. bench/event_cost.c -o "$build/event_cost" -lpthread || exit 2

run() { # FORM EVERY BURST
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/event_cost" "$@" 2>&1 |
        sed -n 's/.*Collected : //p'
}
of() { # FORM [LESS]: instructions, less those of another form
    few=$(run "$1" 1000 50) many=$(run "$1" 950 100)
    each=$(((many - few) / 5000 - ${2:-0}))
}
of 0
check=$each
printf '| %s | %s |\n|---|---:|\n' form instructions
printf '| %s | %d |\n' '`BURST_CHECK` alone' "$each"
of 1
printf '| %s | %d |\n' '`BURST_ENTRY`, `BURST_LOOP`' "$each"
of 2
printf '| %s | %d |\n' '`BURST_SCOPE`, call and return' "$each"
of 3
printf '| %s | %d |\n' '`BURST_POINT`' "$each"
of 4
printf '| %s | %d |\n' '`BURST_DUAL`, a call' "$each"
of 5 "$check"
printf '| %s | %d |\n' '`BURST_REF` behind a check' "$each"
of 6 "$check"
mark=$each
printf '| %s | %d |\n' 'the mark of a second copy of `bursty cc --form=dual`' "$each"
of 7 $((check + mark))
printf '| %s | %d |\n' 'an event without a check in it' "$each"
