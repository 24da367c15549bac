#!/bin/sh
# readme.sh RESULTS PAGE - copies the figures that docs/costs.md shows from the results, so that they are
# what was measured last.
set -e
cd "$(dirname "$0")/.."
results=${1:-bench/results.md} readme=${2:-docs/costs.md}
block=${BUILD:-build}/readme.block
mkdir -p "$(dirname "$block")"
awk -F '|' '
    /^Written by/ { sub(/^Written by /, ""); sub(/; run it to make your own\./, ":"); sub(/;$/, "."); machine = $0; next }
    /^\| basic overhead/ { split($2, name, ":"); programs = split(name[2], list, ",") }
    /^\| (basic overhead|rule Q|dual paths|poll mode|sampling at)/ {
        split($2, name, ":"); sub(/^ +/, "", name[1]); sub(/ *\(geomean.*/, "", name[1]); n = split($4, measured, ";")
        gsub(/ *instructions *| +$/, "", measured[2])
        rows = rows "| " name[1] " |" measured[1] " |" (n > 1 ? " " measured[2] : "") " |\n"
    }
    /^\| A\/A/ && !again { again = "| plain again (the noise) | " $(NF - 2) "/" $(NF - 1) " | |\n" }
    /^lua, each over/ { lua = 1 }
    lua && /^\| (gcc|clang) / { if ($2 ~ /EC\+L4/) points = "EC+L4"; if ($2 !~ / (all|orig) /) peers = peers "|" $2 "|" $3 "|\n" }
    /^All programs:|^fib and three loops/ { lua = 0 }
    BEGIN { points = "few" }
    END {
        print machine
        print "\n| ratio to the plain program: " programs " real programs, geomean / worst | user and system time | instructions |\n|---|---|---|\n" rows again
        print "| Lua, over the plain build of the same compiler; bursty is *" points "* | time |\n|---|---|\n" peers
    }' "$results" >"$block"
awk -v block="$block" '
    /^<!-- overhead -->/ { print; while ((getline line <block) > 0) print line; skip = 1; next }
    /^<!-- end of overhead -->/ { skip = 0 }
    !skip' "$readme" >"$block.README"
grep -q "^<!-- end of overhead -->" "$block.README" && [ -s "$block" ]
cp "$block.README" "$readme"
