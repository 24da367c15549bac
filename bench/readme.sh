#!/bin/sh
# readme.sh RESULTS README - copies the figures that README shows from the results, so that they are what was measured last.
set -e
cd "$(dirname "$0")/.."
results=${1:-bench/results.md} readme=${2:-README.md}
block=${BUILD:-build}/readme.block
mkdir -p "$(dirname "$block")"
awk -F '|' '
    /^Written by/ { sub(/^Written by /, ""); sub(/; run it to make your own\./, ":"); sub(/;$/, "."); machine = $0; next }
    /^\| (basic overhead|poll mode|sampling at|the same as dual)/ {
        split($2, name, ":"); sub(/^ +/, "", name[1]); sub(/ *\(geomean.*/, "", name[1]); split($4, measured, ";")
        rows = rows "| " name[1] " |" measured[1] " |\n"
    }
    /^lua, each over/ { lua = 1 }
    lua && /^\| (gcc|clang) / { if ($2 !~ / all /) peers = peers "|" $2 "|" $3 "|\n" }
    /^fib and three loops/ { lua = 0 }
    END {
        print machine
        print "\n| ratio to the plain program, user and system time: five real programs | geomean / worst |\n|---|---|\n" rows
        print "| Lua, over the plain build of the same compiler; bursty is *few* | time |\n|---|---|\n" peers
    }' "$results" >"$block"
awk -v block="$block" '
    /^<!-- overhead -->/ { print; while ((getline line <block) > 0) print line; skip = 1; next }
    /^<!-- end of overhead -->/ { skip = 0 }
    !skip' "$readme" >"$block.README"
grep -q "^<!-- end of overhead -->" "$block.README" && [ -s "$block" ]
cp "$block.README" "$readme"
