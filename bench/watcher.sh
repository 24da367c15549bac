#!/bin/sh
# watcher.sh - what the watcher of bursty.h costs, and what it says against the truth. Prints the
# tables of docs/ticks.md in two minutes. Linux.
set -e
cd "$(dirname "$0")/.."
out=${BUILD:-build}/bench
mkdir -p "$out"
${CC:-cc} -std=gnu99 -O2 -I. -o "$out/watcher" bench/watcher.c -pthread
echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg), processors: $(getconf _NPROCESSORS_ONLN)"
echo '| threads | they | % of one processor: first .04 s | to 1 s | to 20 s | then | signals a second then | us a signal | % with signals |'
echo '|--:|---|--:|--:|--:|--:|--:|--:|--:|'
for threads in 1 8; do
    for work in 0 1 2; do "$out/watcher" sent $threads 10 $work; done
done
echo '| looks a second | threads | they | % of one processor | us a round | us a look | % late |'
echo '|--:|--:|---|--:|--:|--:|--:|'
for hz in 0 100 1000; do
    for threads in 1 8 64; do
        for work in 0 1 2; do "$out/watcher" cost $hz $threads 4 $work; done
    done
done
"$out/watcher" wake 100 4
echo '| frames a second | ns of CPU time a frame | % of a processor, frames | % watcher | % both |'
echo '|--:|--:|--:|--:|--:|'
for fps in 60 1000; do "$out/watcher" frames $fps 10; done
echo '| us run | us waited | looks a second | % of wall time in run | % CPU time | % looks running | looks | % late |'
echo '|--:|--:|--:|--:|--:|--:|--:|--:|'
for times in '50000 50000' '10000 2000' '3000 12000' '1000 10000' '500 1000' '200 5000' '100 0' '100000 700000'; do
    # shellcheck disable=SC2086
    for hz in 100 1000; do "$out/watcher" truth $hz 4 $times; done
done
