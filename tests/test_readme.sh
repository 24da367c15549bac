#!/bin/sh
# test_readme.sh - every relative link of README.md and docs/*.md leads to a file, and README's table of headers has
# a row for each header with its true number of lines (sh bench/readme.sh makes it anew).
passed=0 failed=0
for page in README.md docs/*.md; do
    dir=$(dirname "$page")
    for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        if [ -e "$dir/$link" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$page: no $link"; fi
    done
done
for header in *.h; do
    lines=$(grep -F "| [$header]($header) |" README.md | sed 's/.*| \([0-9]*\) lines, .*/\1/')
    if [ "$lines" = "$(($(wc -l <"$header")))" ]; then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "README.md: $header has $(($(wc -l <"$header"))) lines, not '$lines'"; fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
