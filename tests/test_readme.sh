#!/bin/sh
# test_readme.sh - every relative link of README.md and docs/*.md leads to a file.
passed=0 failed=0
for page in README.md docs/*.md; do
    dir=$(dirname "$page")
    for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        if [ -e "$dir/$link" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$page: no $link"; fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
