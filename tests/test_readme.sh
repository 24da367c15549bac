#!/bin/sh
# test_readme.sh - every relative link of README.md, docs/*.md and lab/ leads to a file, and README's
# table of headers has a row for each header.
passed=0 failed=0
for page in README.md docs/*.md lab/*/*.md; do
    dir=$(dirname "$page")
    for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        if [ -e "$dir/$link" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$page: no $link"; fi
    done
done
for header in *.h; do
    if grep -qF "| [$header]($header) |" README.md; then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "README.md: the table of headers has no row for $header"; fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
