#!/bin/sh
# readme.sh RESULTS README - copies the figures that README shows from the results, so that they are
# what was measured last.
set -e
cd "$(dirname "$0")/.."
results=${1:-bench/results.md} readme=${2:-README.md}
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

# The table of the headers: lines and size of code are measured, the rest is in bench/headers.txt.
rows=$block.headers
echo '| header | answers | lines, code | cost |' >"$rows"
echo '|---|---|---|---|' >>"$rows"
grep -v '^#' bench/headers.txt | while IFS='|' read -r name answers cost; do
    upper=$(echo "$name" | tr 'a-z' 'A-Z')
    case $name in
        hottest) needs=bursty ;;
        ticks) needs=bursty ;;
        callpaths) needs='bursty hcct' ;;
        *) needs='x86decode x86flow x86copy' ;;
    esac
    # ticks.h and callpaths.h look into bursty.h's state, so that its code is there, too; it is taken off.
    under=
    case $name in ticks|callpaths) under='#define BURSTY_IMPLEMENTATION' ;; esac
    {
        echo "$under"
        for need in ${under:+$needs}; do echo "#include \"$need.h\""; done
    } >"$block.below.c"
    {
        cat "$block.below.c"
        echo "#define ${upper}_IMPLEMENTATION"
        for need in $needs $name; do echo "#include \"$need.h\""; done
    } >"$block.c"
    for file in "$block.below" "$block"; do
        ${CC:-cc} -std=c99 -D_GNU_SOURCE -Os -I. -c -o "$file.o" "$file.c"
    done
    code=$(size "$block.below.o" "$block.o" | awk 'NR > 1 { sign = NR == 2 ? -1 : 1; sum += sign * $1 } END { printf "%.0f", sum / 1000 }')
    echo "| [$name.h]($name.h) | $answers | $(wc -l <"$name.h") lines, $code kB | $cost |" >>"$rows"
done
printf '\nLines by `wc -l`, code by `cc -Os -c` and `size` on x86-64.\n' >>"$rows"
awk -v block="$rows" '
    /^<!-- headers -->/ { print; while ((getline line <block) > 0) print line; skip = 1; next }
    /^<!-- end of headers -->/ { skip = 0 }
    !skip' "$readme" >"$block.README"
grep -q "^<!-- end of headers -->" "$block.README"
cp "$block.README" "$readme"
