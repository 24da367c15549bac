#!/bin/sh
# table.sh - writes the table of rows into docs/testing.md: of each row of tests/matrix/targets where it runs,
# its processor seconds when it last ran here (build/matrix/NAME.took), or else those that the table had,
# and which faults it alone finds.
set -u
cd "$(dirname "$0")/../.." || exit 2
page=docs/testing.md
sed -n '/^<!-- matrix -->/,/^<!-- end of matrix -->/p' $page >build/matrix/table.old
{
    echo '<!-- matrix -->'
    echo
    echo '| row | in | processor seconds | finds alone |'
    echo '|---|---|---:|---|'
    awk -F '|' '!/^#/ && NF >= 5 {
        for (i = 1; i <= NF; i++) gsub(/^ +| +$/, "", $i)
        sub(/ .*/, "", $2)
        print $1 "|" $2 "|" $NF
    }' tests/matrix/targets | sort -t '|' -k 2,2 -s | while IFS='|' read -r name in finds; do
        seconds=$(cat "build/matrix/$name.took" 2>/dev/null ||
            awk -F '|' -v n=" $name " '$2 == n { gsub(/ /, "", $4); print $4 }' build/matrix/table.old)
        echo "| $name | $in | ${seconds:--} | $finds |"
    done
    echo
    echo '<!-- end of matrix -->'
} >build/matrix/table.new
awk -v new=build/matrix/table.new '
    /^<!-- matrix -->/ { while ((getline line < new) > 0) print line; skip = 1 }
    !skip { print }
    /^<!-- end of matrix -->/ { skip = 0 }' $page >build/matrix/page.new
cmp -s build/matrix/page.new $page || cp build/matrix/page.new $page
