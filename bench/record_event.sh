#!/bin/sh
# record_event.sh - what becomes of a program that gets its ticks from perf_event_open in its own threads,
# beside a timer of CPU time. Prints the table of docs/ticks.md.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
mkdir -p "$build" || exit 2
ulimit -c 0
${CC:-cc} -O2 bench/record_event.c -o "$build/record_event" || exit 2
exec "$build/record_event"
