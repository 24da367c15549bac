#!/bin/sh
# test_readme.sh - every relative link of README.md, docs/*.md and lab/ leads to a file, and README's
# table of headers has a row for each header.
. tests/check.sh
for page in README.md docs/*.md lab/*/*.md; do
    dir=$(dirname "$page")
    for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        if [ -e "$dir/$link" ]; then pass; else fail "$page: no $link"; fi
    done
done
for header in *.h; do
    if grep -qF "| [$header]($header) |" README.md; then pass
    else fail "README.md: the table of headers has no row for $header"; fi
done
finish
