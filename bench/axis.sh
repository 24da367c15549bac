#!/bin/sh
# axis.sh - what the page's view of time costs with a log that is full: 65 536 ticks of 200 threads.
# Needs node and chromium. Writes a table of docs/page.md.
set -e
BUILD=${BUILD:-build} CC=${CC:-gcc}
dir=$BUILD/bench/axis
mkdir -p "$dir"
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c
"$dir/make_dumps" "$dir" crowded 65536 200
"$BUILD/bursty" report --html "$dir/crowded.html" "$dir/crowded.brst"
load=$(cut -d. -f1 /proc/loadavg)
node bench/axis.js "$dir/crowded.html" | tee "$dir/said"
awk -v when="$(date +%Y-%m-%d)" -v load="$load" -v bytes="$(wc -c <"$dir/crowded.html")" '
    function row(what, key, wanted) {
        if (!(key in of)) exit bad = 1
        printf "| %s | %s ms | %s |\n", what, of[key], wanted
    }
    FILENAME == ARGV[1] { of[$1] = $2; next }
    /^<!-- axis -->/ {
        skip = 1
        print
        print "\nMeasured on " when "; the load was " load ".\n"
        print "| 65 536 ticks of 200 threads, a page of " sprintf("%.2f", bytes / 1e6) " MB | figure | wanted |"
        print "|---|---|---|"
        row("interactive, with the tab of time", "interactive", "500 ms")
        row("a move of the mouse while a range is dragged", "drag", "16 ms")
        row("the range is chosen: table, sentence, lists", "range", "")
        row("the flame graph of that range", "flame", "")
        print ""
        next
    }
    /^<!-- end of axis -->/ { skip = 0 }
    !skip
    END { exit bad }' "$dir/said" docs/page.md >"$dir/page.md"
cp "$dir/page.md" docs/page.md
