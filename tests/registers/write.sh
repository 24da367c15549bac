#!/bin/sh
# write.sh - writes costs.tsv anew, of gcc 12, clang 14 and clang 19: for a function that has become
# cheaper, or a new one. `git diff` then shows what it was.
cd "$(dirname "$0")/../.." || exit 2
for compiler in gcc-12 clang-14 clang-19; do
    CC=$compiler sh tests/test_registers.sh 2>/dev/null
done | awk -F ': ' '
    / more with a check/ {
        if (!($2 in known)) names[++count] = $2
        known[$2] = 1
        split($3, word, " ")
        form = $1 ~ /PORTABLE/ ? 0 : $1 ~ /-no-pie/ ? 2 : 1
        column = 3 * form + ($1 ~ /clang-14/ ? 1 : $1 ~ /clang-19/ ? 2 : 0)
        cost[$2, column] = word[3]
    }
    END {
        for (i = 1; i <= count; i++) {
            line = names[i]
            for (column = 0; column < 9; column++) line = line "\t" cost[names[i], column]
            print line
        }
    }' >tests/registers/costs.tsv.new && mv tests/registers/costs.tsv.new tests/registers/costs.tsv
